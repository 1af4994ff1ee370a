#pragma once

#include <tailbound/network/imports/imported.hpp>
#include <tailbound/network/reading/file_text.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The data collected by the readers of this folder, and the network built from it.
/// Internal to the network module.
namespace tailbound::network {

class RawGraph {
 public:
  explicit RawGraph(const FileText& file) : file_(file) {}

  std::string name;
  /// Does the file declare hosts? Otherwise names and degrees identify them.
  bool kinds_known = false;

  /// The node with this id; created if needed.
  std::size_t node(const std::string& id, Place place);
  [[nodiscard]] bool has(const std::string& id) const { return node_of_.count(id) != 0; }
  void set_name(std::size_t node, const std::string& label) { nodes_[node].label = label; }
  void set_host(std::size_t node, bool host) { nodes_[node].host = host; }
  /// An attribute of a node: its name or its kind; others are ignored.
  void node_attribute(std::size_t node, std::string_view key, std::string_view value);

  struct Edge {
    std::size_t from = 0, to = 0;
    bool both = true;
    std::optional<Rational> gbps{};
    std::string speed_units{};   ///< next to a number
    std::string speed_number{};  ///< the same
    Place place{};
  };
  /// \throws ParseError  more than 2 000 000
  Edge& edge(std::size_t from, std::size_t to, bool both, Place place);
  /// Between the nodes with these ids, created if needed, the first one first.
  Edge& edge(const std::string& from, const std::string& to, bool both, Place place) {
    const std::size_t first = node(from, place);
    return edge(first, node(to, place), both, place);
  }
  /// An attribute of an edge: its speed; others are ignored.
  void edge_attribute(Edge& edge, std::string_view key, std::string_view value);
  void remark(std::string what) { remarks_.push_back(std::move(what)); }

  [[noreturn]] void fail(Place place, const std::string& what) const { file_.fail(place, what); }

  /// \throws ParseError  no nodes or no links, or speeds with too large a ratio
  [[nodiscard]] Network network(const std::string& format);

 private:
  struct RawNode {
    std::string id, label;
    std::optional<bool> host{};
  };
  void find_names(Network& network) const;
  void find_hosts(Network& network);
  void find_rates(Network& network);

  const FileText& file_;
  std::vector<RawNode> nodes_;
  std::vector<Edge> edges_;
  std::unordered_map<std::string, std::size_t> node_of_;
  std::vector<std::string> remarks_;
  std::size_t loops_ = 0;
};

/// Words, numbers, strings and punctuation marks of GML and DOT.
class GraphWords {
 public:
  struct Word {
    std::string text;
    Place place;
    bool quoted = false;
    bool mark = false;  ///< one of [ ] { } ; , = : and the arrows -> --
  };
  /// \param dot  with C comments, marks, HTML and + between strings; otherwise with comments from # to the
  /// end of a line
  GraphWords(const FileText& file, bool dot) : file_(file), text_(file.text()), dot_(dot) {}

  /// At the end an empty mark.
  Word next();

 private:
  void skip_blanks();
  char step() { return step_over(text_, at_, place_); }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  Word quoted();
  bool take_entity(std::string& text);
  Word html();

  const FileText& file_;
  std::string_view text_;
  bool dot_;
  std::size_t at_ = 0;
  Place place_{1, 1};
};

/// Separated by blanks.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);

void read_graphml(const FileText& file, RawGraph& graph);
void read_gml(const FileText& file, RawGraph& graph);
void read_dot(const FileText& file, RawGraph& graph);
void read_edge_list(const FileText& file, RawGraph& graph);
void read_booksim(const FileText& file, RawGraph& graph);
void read_hpcc(const FileText& file, RawGraph& graph);
void read_htsim(const FileText& file, RawGraph& graph);

}  // namespace tailbound::network
