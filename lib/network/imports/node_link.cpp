#include <tailbound/network/imports/raw_graph.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace tailbound::network {
namespace {

using Json = nlohmann::json;

std::string scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_structured() || value.is_null() ? std::string() : value.dump();
}

/// The node-link form of networkx: {"nodes": [{"id": ..}], "links": [{"source": .., "target": ..}]}.
class NodeLinkReader {
 public:
  NodeLinkReader(const FileText& file, RawGraph& graph) : file_(file), graph_(graph) {}

  void read() {
    const Json json = parsed();
    const Json* nodes = list_in(json, {"nodes"});
    const Json* links = list_in(json, {"links", "edges"});
    if (nodes == nullptr || links == nullptr)
      graph_.fail(begin,
                  "JSON of a network has \"nodes\" and \"links\", as networkx.node_link_data writes it");
    const bool directed = json.contains("directed") && json["directed"] == true;
    if (json.contains("graph") && json["graph"].is_object() && json["graph"].contains("name"))
      graph_.name = scalar_text(json["graph"]["name"]);
    for (const Json& node : *nodes) read_node(node);
    for (const Json& link : *links) read_link(link, !directed);
    if (directed) graph_.remark("links are directed, as declared in the file");
    if (ignored_.empty()) return;
    std::string list;
    for (const std::string& each : ignored_) list += (list.empty() ? "" : ", ") + each;
    graph_.remark("attributes of links ignored: " + list);
  }

 private:
  static constexpr Place begin{1, 1};
  static constexpr std::size_t most_ignored = 8;

  [[nodiscard]] Json parsed() const {
    const std::string_view text = file_.text();
    try {
      return Json::parse(text);
    } catch (const Json::parse_error& error) {
      Place place = begin;
      for (std::size_t at = 0; at + 1 < std::min(error.byte, text.size());) step_over(text, at, place);
      file_.fail(place, "this is not valid JSON");
    }
  }

  static const Json* list_in(const Json& json, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      if (const auto found = json.find(key); found != json.end() && found->is_array()) return &*found;
    return nullptr;
  }

  /// Text, a number, or a tuple of them.
  [[nodiscard]] std::string id_text(const Json& id) const {
    if (!id.is_array()) return scalar_text(id);
    std::string text;
    for (const Json& part : id) text += (text.empty() ? "" : ",") + scalar_text(part);
    return text;
  }

  void read_node(const Json& node) {
    std::string id;
    for (const char* key : {"id", "name", "key"})
      if (id.empty() && node.is_object() && node.contains(key)) id = id_text(node[key]);
    if (id.empty()) graph_.fail(begin, "node " + std::to_string(ids_.size()) + " of the JSON has no \"id\"");
    ids_.push_back(id);
    const std::size_t its = graph_.node(id, begin);
    for (const auto& [key, value] : node.items())
      if (key != "id") graph_.node_attribute(its, key, scalar_text(value));
  }

  /// The node with this id, or at this position, as old versions wrote it.
  [[nodiscard]] std::string end_of(const Json& link, const char* key) const {
    if (!link.is_object() || !link.contains(key))
      graph_.fail(begin, std::string("a link of the JSON has no \"") + key + "\"");
    const Json& end = link[key];
    std::string id = id_text(end);
    if (graph_.has(id)) return id;
    if (end.is_number_unsigned() && end.get<std::size_t>() < ids_.size()) return ids_[end.get<std::size_t>()];
    graph_.fail(begin, "a link leads to the node " + in_quotes(id) + ", which is not listed");
  }

  void read_link(const Json& link, bool both) {
    const std::string from = end_of(link, "source"), to = end_of(link, "target");
    RawGraph::Edge& edge = graph_.edge(from, to, both, begin);
    for (const auto& [key, value] : link.items()) {
      if (key == "source" || key == "target" || key == "key" || key == "id") continue;
      if (graph_.edge_attribute(edge, key, scalar_text(value))) continue;
      const std::string name = key.substr(0, 60);
      if (ignored_.size() < most_ignored &&
          std::find(ignored_.begin(), ignored_.end(), name) == ignored_.end())
        ignored_.push_back(name);
    }
  }

  const FileText& file_;
  RawGraph& graph_;
  std::vector<std::string> ids_, ignored_;
};

}  // namespace

void read_node_link(const FileText& file, RawGraph& graph) {
  NodeLinkReader(file, graph).read();
}

}  // namespace tailbound::network
