#include <tailbound/core/words.hpp>
#include <tailbound/network/imports/raw_graph.hpp>

#include <pugixml.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace tailbound::network {
namespace {

class GraphMlReader {
 public:
  GraphMlReader(const FileText& file, RawGraph& graph) : file_(file), graph_(graph) {}

  void read() {
    pugi::xml_document document;
    const std::string_view text = file_.text();
    const pugi::xml_parse_result result =
        document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result)
      file_.fail(place_of(result.offset), std::string("not well-formed XML: ") + result.description());
    const pugi::xml_node root = document.document_element();
    for (const pugi::xml_node key : root.children())
      if (local(key) == "key") {
        const std::string name = key.attribute("attr.name").value();
        keys_[key.attribute("id").value()] = name.empty() ? key.attribute("yfiles.type").value() : name;
      }
    const pugi::xml_node graph = root.find_child([](pugi::xml_node node) { return local(node) == "graph"; });
    if (!graph) file_.fail({1, 1}, "the GraphML file has no graph");
    for (const pugi::xml_node data : graph.children())
      if (local(data) == "data" && lower_case(key_of(data)) == "label") graph_.name = data.text().get();
    read_nodes(graph);
    read_edges(graph);
  }

 private:
  static std::string_view local(pugi::xml_node node) {
    const std::string_view name = node.name();
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
  }
  [[nodiscard]] std::string key_of(pugi::xml_node data) const {
    const auto found = keys_.find(data.attribute("key").value());
    return found == keys_.end() ? std::string(data.attribute("key").value()) : found->second;
  }
  [[nodiscard]] Place place_of(std::ptrdiff_t offset) const {
    Place place{1, 1};
    for (const char c : file_.text().substr(0, static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0))))
      place = c == '\n' ? Place{place.line + 1, 1} : Place{place.line, place.column + 1};
    return place;
  }
  [[nodiscard]] Place place_of(pugi::xml_node node) {
    // Offsets increase as nodes are read, so counting continues from the last one.
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
    if (offset < counted_) return last_;
    for (const char c : file_.text().substr(counted_, offset - counted_))
      last_ = c == '\n' ? Place{last_.line + 1, 1} : Place{last_.line, last_.column + 1};
    counted_ = offset;
    return last_;
  }

  /// Visits the elements with a name below a graph, including those of graphs within its nodes.
  template <class Visit>
  void each(pugi::xml_node graph, std::string_view name, const Visit& visit) const {
    for (pugi::xml_node at = graph.first_child(); at;) {
      if (local(at) == name) visit(at);
      pugi::xml_node next = local(at) == "node" || local(at) == "graph" ? at.first_child() : pugi::xml_node();
      if (!next) next = at.next_sibling();
      while (!next && at.parent() && at.parent() != graph) {
        at = at.parent();
        next = at.next_sibling();
      }
      at = next;
    }
  }

  void read_nodes(pugi::xml_node graph) {
    each(graph, "node", [&](pugi::xml_node node) {
      const std::string id = node.attribute("id").value();
      const Place place = place_of(node);
      if (id.empty()) graph_.fail(place, "a node has no id");
      const std::size_t its = graph_.node(id, place);
      for (const pugi::xml_node data : node.children()) {
        if (local(data) != "data") continue;
        graph_.node_attribute(its, key_of(data), data.text().get());
        // yEd: the label is deeply nested.
        if (const pugi::xml_node label =
                data.find_node([](pugi::xml_node each) { return local(each) == "NodeLabel"; }))
          graph_.node_attribute(its, "label", label.text().get());
      }
    });
  }

  void read_edges(pugi::xml_node graph) {
    const bool directed = std::string_view(graph.attribute("edgedefault").value()) == "directed";
    counted_ = 0;
    last_ = {1, 1};
    each(graph, "edge", [&](pugi::xml_node edge) {
      const std::string from = edge.attribute("source").value(), to = edge.attribute("target").value();
      const Place place = place_of(edge);
      for (const std::string& end : {from, to})
        if (!graph_.has(end))
          graph_.fail(place, "a link leads to the node " + in_quotes(end) + ", which is not listed");
      const std::string_view own = edge.attribute("directed").value();
      RawGraph::Edge& its = graph_.edge(from, to, own.empty() ? !directed : own != "true", place);
      for (const pugi::xml_node data : edge.children())
        if (local(data) == "data") graph_.edge_attribute(its, key_of(data), data.text().get());
    });
    if (directed) graph_.remark("links are directed, as declared in the file");
  }

  const FileText& file_;
  RawGraph& graph_;
  std::map<std::string, std::string> keys_;  ///< the name of each attribute
  std::size_t counted_ = 0;
  Place last_{1, 1};
};

}  // namespace

void read_graphml(const FileText& file, RawGraph& graph) {
  GraphMlReader(file, graph).read();
}

}  // namespace tailbound::network
