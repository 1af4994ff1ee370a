#include <tailbound/core/words.hpp>
#include <tailbound/network/imports/raw_graph.hpp>

#include <map>
#include <utility>

namespace tailbound::network {
namespace {

constexpr int deepest = 32;

using Word = GraphWords::Word;

bool is_mark(const Word& word, std::string_view mark) {
  return word.mark && word.text == mark;
}

bool is_end(const Word& word) {
  return word.mark && word.text.empty();
}

class GmlReader {
 public:
  GmlReader(const FileText& file, RawGraph& graph) : graph_(graph), words_(file, false) {}

  void read() {
    bool found = false;
    for (Word word = words_.next(); !is_end(word); word = words_.next()) {
      const Word value = words_.next();
      if (word.text == "graph" && is_mark(value, "[")) {
        read_graph();
        found = true;
      } else if (is_mark(value, "[")) {
        skip(1);
      }
    }
    if (!found) graph_.fail({1, 1}, "the GML file has no \"graph [\"");
    for (Ends& its : edges_) {
      for (const std::string& end : {its.from, its.to})
        if (!graph_.has(end))
          graph_.fail(its.place, "a link leads to the node " + in_quotes(end) + ", which is not listed");
      RawGraph::Edge& edge = graph_.edge(its.from, its.to, !directed_, its.place);
      for (const auto& [key, value] : its.attributes) graph_.edge_attribute(edge, key, value);
    }
    if (directed_) graph_.remark("links are directed, as declared in the file");
  }

 private:
  struct Ends {
    std::string from, to;
    Place place;
    std::vector<std::pair<std::string, std::string>> attributes;
  };

  /// Up to the bracket that closes `depth` open ones.
  void skip(int depth) {
    while (depth > 0) {
      const Word word = words_.next();
      if (is_end(word)) graph_.fail(word.place, "a [ is not closed");
      if (is_mark(word, "[") && ++depth > deepest)
        graph_.fail(word.place, "brackets are nested more than 32 deep, the limit");
      if (is_mark(word, "]")) --depth;
    }
  }

  /// Calls take(key, value) for each key up to the closing bracket; nested lists are skipped.
  template <class Take>
  void each(const Take& take) {
    for (Word key = words_.next(); !is_mark(key, "]"); key = words_.next()) {
      if (key.mark) graph_.fail(key.place, is_end(key) ? "a [ is not closed" : "a key is expected here");
      const Word value = words_.next();
      if (value.mark && !is_mark(value, "["))
        graph_.fail(value.place, "the value of " + in_quotes(key.text) + " is missing");
      take(key, value);
    }
  }

  void read_graph() {
    each([&](const Word& key, const Word& value) {
      const bool list = is_mark(value, "[");
      if (key.text == "node" && list)
        read_node(key.place);
      else if (key.text == "edge" && list)
        read_edge(key.place);
      else if (list)
        skip(1);
      else if (key.text == "directed")
        directed_ = value.text == "1";
      else if (key.text == "label" || key.text == "name")
        graph_.name = value.text;
    });
  }

  void read_node(Place place) {
    std::string id;
    std::vector<std::pair<std::string, std::string>> attributes;
    each([&](const Word& key, const Word& value) {
      if (is_mark(value, "["))
        skip(1);
      else if (key.text == "id")
        id = value.text;
      else
        attributes.emplace_back(key.text, value.text);
    });
    if (id.empty()) graph_.fail(place, "a node has no id");
    const std::size_t node = graph_.node(id, place);
    for (const auto& [key, value] : attributes) graph_.node_attribute(node, key, value);
  }

  void read_edge(Place place) {
    Ends its{{}, {}, place, {}};
    each([&](const Word& key, const Word& value) {
      if (is_mark(value, "["))
        skip(1);
      else if (key.text == "source")
        its.from = value.text;
      else if (key.text == "target")
        its.to = value.text;
      else
        its.attributes.emplace_back(key.text, value.text);
    });
    if (its.from.empty() || its.to.empty()) graph_.fail(place, "a link has no \"source\" or \"target\"");
    edges_.push_back(std::move(its));
  }

  RawGraph& graph_;
  GraphWords words_;
  bool directed_ = false;
  std::vector<Ends> edges_;
};

/// The language of Graphviz: statements of nodes and edges, subgraphs, defaults.
class DotReader {
 public:
  DotReader(const FileText& file, RawGraph& graph) : graph_(graph), words_(file, true) { advance(); }

  void read() {
    if (lower_case(word_.text) == "strict") {
      strict_ = true;
      advance();
    }
    directed_ = lower_case(word_.text) == "digraph";
    if (!directed_ && lower_case(word_.text) != "graph")
      graph_.fail(word_.place, "graph or digraph is expected here");
    advance();
    if (!word_.mark) {
      graph_.name = word_.text;
      advance();
    }
    expect("{");
    read_statements(0, {}, {});
    if (directed_) graph_.remark("links are directed, as the file is a digraph");
  }

 private:
  using Attributes = std::map<std::string, std::string>;
  using Nodes = std::vector<std::size_t>;

  void advance() { word_ = words_.next(); }
  void expect(std::string_view mark) {
    if (!is_mark(word_, mark))
      graph_.fail(word_.place,
                  std::string(mark) + " is expected here" +
                      (is_end(word_) ? ", but the text ends" : ", not " + in_quotes(word_.text)));
    advance();
  }

  /// After {, up to and including }.  \return all nodes named there
  Nodes read_statements(int depth, Attributes nodes, Attributes edges) {
    if (depth > deepest) graph_.fail(word_.place, "subgraphs are nested more than 32 deep, the limit");
    Nodes all;
    while (!is_mark(word_, "}")) {
      if (is_end(word_)) graph_.fail(word_.place, "a { is not closed");
      if (is_mark(word_, ";") || is_mark(word_, ",")) {
        advance();
        continue;
      }
      const std::string keyword = word_.quoted || word_.mark ? "" : lower_case(word_.text);
      if (keyword == "node" || keyword == "edge" || keyword == "graph") {
        advance();
        Attributes its = read_attributes();
        Attributes& defaults = keyword == "node" ? nodes : edges;
        if (keyword == "graph") continue;
        for (auto& [key, value] : its) defaults[key] = value;
        continue;
      }
      read_chain(depth, nodes, edges, all);
    }
    advance();
    return all;
  }

  /// a -> {b c} -> d [speed = 10]
  void read_chain(int depth, const Attributes& nodes, const Attributes& edges, Nodes& all) {
    const Place place = word_.place;
    std::vector<Nodes> chain{read_end(depth, nodes, edges)};
    if (chain.front().empty() && is_mark(word_, "=")) {  // an attribute of the graph
      advance();
      advance();
      return;
    }
    if (chain.front().size() == 1 && is_mark(word_, "="))
      graph_.fail(word_.place, "= is not allowed after the name of a node");
    while (is_mark(word_, "->") || is_mark(word_, "--")) {
      advance();
      chain.push_back(read_end(depth, nodes, edges));
    }
    const Attributes own = read_attributes();
    if (chain.size() == 1 && own_node_)
      for (const std::size_t node : chain.front())
        for (const auto& [key, value] : own) graph_.node_attribute(node, key, value);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      for (const std::size_t from : chain[i])
        for (const std::size_t to : chain[i + 1]) add_edge(from, to, edges, own, place);
    for (const Nodes& end : chain) all.insert(all.end(), end.begin(), end.end());
  }

  void add_edge(std::size_t from, std::size_t to, const Attributes& defaults, const Attributes& own,
                Place place) {
    const auto key = directed_ ? std::pair(from, to) : std::pair(std::min(from, to), std::max(from, to));
    if (strict_ && !met_.emplace(key, true).second) return;
    const auto its = own.find("dir");
    RawGraph::Edge& edge =
        graph_.edge(from, to, !directed_ || (its != own.end() && its->second == "both"), place);
    for (const Attributes* list : {&defaults, &own})
      for (const auto& [name, value] : *list) {
        graph_.edge_attribute(edge, name, value);
        if (name != "label") continue;
        if (const auto speed = read_speed(value); speed && speed->has_unit) edge.gbps = speed->value;
      }
  }

  /// A node, possibly with a port, or a subgraph. None for the key of an attribute, which is followed by =.
  Nodes read_end(int depth, const Attributes& nodes, const Attributes& edges) {
    own_node_ = false;
    if (!word_.quoted && lower_case(word_.text) == "subgraph") {
      advance();
      if (!word_.mark) advance();
    }
    if (is_mark(word_, "{")) {
      advance();
      return read_statements(depth + 1, nodes, edges);
    }
    if (word_.mark)
      graph_.fail(word_.place, is_end(word_) ? "the text ends inside a statement"
                                             : "a node is expected here, not " + in_quotes(word_.text));
    const Word name = word_;
    advance();
    if (is_mark(word_, "=")) return {};
    while (is_mark(word_, ":")) {
      advance();
      advance();
    }
    own_node_ = true;
    const bool is_new = !graph_.has(name.text);
    const std::size_t node = graph_.node(name.text, name.place);
    if (is_new)
      for (const auto& [key, value] : nodes)
        if (key != "label") graph_.node_attribute(node, key, value);
    return {node};
  }

  Attributes read_attributes() {
    Attributes result;
    while (is_mark(word_, "[")) {
      advance();
      while (!is_mark(word_, "]")) {
        if (is_end(word_)) graph_.fail(word_.place, "a [ is not closed");
        if (word_.mark) {
          advance();
          continue;
        }
        const std::string key = word_.text;
        advance();
        if (!is_mark(word_, "=")) continue;
        advance();
        if (word_.mark) graph_.fail(word_.place, "the value of " + in_quotes(key) + " is missing");
        // \N is the node's own name.
        if (word_.text != "\\N" && word_.text != "N") result[key] = word_.text;
        advance();
      }
      advance();
    }
    return result;
  }

  RawGraph& graph_;
  GraphWords words_;
  Word word_;
  bool strict_ = false, directed_ = false, own_node_ = false;
  std::map<std::pair<std::size_t, std::size_t>, bool> met_;
};

}  // namespace

void read_gml(const FileText& file, RawGraph& graph) {
  GmlReader(file, graph).read();
}

void read_dot(const FileText& file, RawGraph& graph) {
  DotReader(file, graph).read();
}

}  // namespace tailbound::network
