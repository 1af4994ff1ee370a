#pragma once

#include <tailbound/network/imports/imported.hpp>
#include <tailbound/network/imports/speeds.hpp>
#include <tailbound/network/reading/file_text.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The data collected by the readers of this folder, and the network built from it.
/// Internal to the network module.
namespace tailbound::network {

class RawGraph {
 public:
  RawGraph(const FileText& file, const ForeignReading& reading) : file_(file), reading_(reading) {}

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
    Place place{};
    std::optional<Rational> gbps{};
    std::string speed_number{}, speed_units{};  ///< LinkSpeed and LinkSpeedUnits, which belong together
  };
  /// \throws ParseError  more than 2 000 000
  Edge& edge(std::size_t from, std::size_t to, bool both, Place place);
  /// Between the nodes with these ids, created if needed, the first one first.
  Edge& edge(const std::string& from, const std::string& to, bool both, Place place) {
    const std::size_t first = node(from, place);
    return edge(first, node(to, place), both, place);
  }
  /// An attribute of an edge: its speed; false for others, which are ignored.
  bool edge_attribute(Edge& edge, std::string_view key, std::string_view value);
  /// The speed of an edge; `what` names it in messages.
  /// \param unit  of a number without one, if the format or the name of the attribute states it
  /// \throws ParseError  a number without a unit that is too large in the assumed one
  void set_speed(Edge& edge, const WrittenSpeed& speed, const std::string& what,
                 const std::optional<Rational>& unit);
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
  void finish_speeds();
  void find_rates(Network& network);

  const FileText& file_;
  const ForeignReading& reading_;
  std::size_t without_unit_ = 0;  ///< speeds in the assumed unit
  std::vector<RawNode> nodes_;
  std::vector<Edge> edges_;
  std::unordered_map<std::string, std::size_t> node_of_;
  std::vector<std::string> remarks_;
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

/// The columns of a list of links by position.
struct EdgeColumns {
  std::size_t from = 0, to = 1;
  std::vector<std::size_t> speeds{};
};
/// From the names in its first row; none if these do not name two ends.
[[nodiscard]] std::optional<EdgeColumns> edge_columns(std::span<const std::string> header);

/// Separated by blanks.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);

void read_graphml(const FileText& file, RawGraph& graph);
void read_gml(const FileText& file, RawGraph& graph);
void read_dot(const FileText& file, RawGraph& graph);
void read_edge_list(const FileText& file, RawGraph& graph);
void read_booksim(const FileText& file, RawGraph& graph);
void read_hpcc(const FileText& file, RawGraph& graph);
void read_htsim(const FileText& file, RawGraph& graph);
void read_node_link(const FileText& file, RawGraph& graph);
void read_ibnetdiscover(const FileText& file, RawGraph& graph);
void read_containerlab(const FileText& file, RawGraph& graph);

}  // namespace tailbound::network
