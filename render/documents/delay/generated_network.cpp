#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/delay/generated_network.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace tailbound::render {
namespace {

using answers::GeneratedNetworkAnswer;
using answers::GeneratedNetworkQuestion;

constexpr std::size_t most_nodes_drawn = 600;

/// What a name begins with, before its first digit: nodes of one kind are drawn alike.
std::string kind_of(const std::string& name) {
  return name.substr(0, std::min(name.find_first_of("0123456789"), name.size()));
}

/// In the language of Graphviz: in levels where the network has them, else by springs; a wire a line, and what has lost
/// all its links without any.
std::string graph(const GeneratedNetworkQuestion& question, const GeneratedNetworkAnswer& answer) {
  const network::Network& network = answer.network;
  if (network.nodes.size() > most_nodes_drawn)
    throw NoAnswer(fmt::format("networks of up to {} nodes are drawn, and this one has {}", most_nodes_drawn,
                               network.nodes.size()));
  const bool levels = !question.imported && question.shape.index() <= 1;
  std::string text = fmt::format(
      "graph network {{\n  graph [layout={}, {}, outputorder=edgesfirst, fontname=\"sans-serif\", "
      "label=\"{}\"];\n"
      "  node [style=filled, fontname=\"sans-serif\", fontsize=10, color=\"#333333\"];\n"
      "  edge [color=\"#88888888\"];\n",
      levels ? "dot" : "neato",
      levels ? "rankdir=BT, ranksep=1.2, nodesep=0.1" : "overlap=false, splines=line", network.name);
  // The hosts below, then the kinds of switches in their order.
  constexpr const char* colours[] = {"#9ecae1", "#fdae6b", "#a1d99b"};
  std::vector<std::string> kinds;
  for (const network::Node& node : network.nodes) {
    const std::string kind = kind_of(node.name);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    text += levels ? "  {rank=same;" : "  {";
    for (const network::Node& node : network.nodes) {
      if (kind_of(node.name) != kinds[i]) continue;
      text += node.host
                  ? fmt::format(
                        " {} [shape=circle, width=0.15, fixedsize=true, label=\"\", fillcolor=\"#dddddd\"];",
                        node.name)
                  : fmt::format(" {} [shape=box, height=0.2, margin=\"0.04,0.02\", fillcolor=\"{}\"];",
                                node.name, colours[(i + 2) % 3]);
    }
    text += "}\n";
  }
  std::set<std::pair<std::size_t, std::size_t>> drawn;
  for (const network::Link& link : network.links)
    if (drawn.insert(std::minmax(link.from, link.to)).second)
      text += fmt::format("  {} -- {};\n", network.nodes[std::min(link.from, link.to)].name,
                          network.nodes[std::max(link.from, link.to)].name);
  return text + "}\n";
}

Cells result_cells(const GeneratedNetworkAnswer& answer) {
  const network::FabricFacts& facts = answer.facts;
  return {{"name", Text{facts.name}},
          {"hosts", Whole{facts.hosts}},
          {"switches", Whole{facts.switches}},
          {"ports", Whole{facts.ports}},
          {"host_wires", Whole{facts.host_wires}},
          {"switch_wires", Whole{facts.switch_wires}},
          {"bisection", facts.bisection ? Value(Whole{*facts.bisection}) : Value(None{})},
          {"failed", Whole{answer.failed}},
          {"cut_off", Whole{answer.cut_off}},
          {"diameter", answer.diameter ? Value(Whole{*answer.diameter}) : Value(None{})},
          {"file", Text{answer.file}}};
}

}  // namespace

Layout generated_network_layout() {
  Layout layout{.command = "network", .inputs = {}, .results = {}};
  layout.inputs = {
      {"shape", "shape", "", Shape::text, tailbound::in_words(network::fabric_names()) + ", or import"},
      {"imported", "imported from", "", Shape::text, "the file of another program"},
      {"uniform", "uniform", "packets/slot", Shape::given, "that each host sends, the same to each other"},
      {"route", "route", "", Shape::text, "shortest, spread, minimal or valiant"},
      {"without", "without", "", Shape::texts, "what has failed, as it was asked for"}};
  layout.results = {
      {"name", "name", "", Shape::text, "of the network, with its numbers"},
      {"hosts", "hosts", "", Shape::whole, "of the whole network"},
      {"switches", "switches", "", Shape::whole, "likewise"},
      {"ports", "ports", "", Shape::whole, "most of a switch that are wired"},
      {"host_wires", "wires to hosts", "", Shape::whole, "each a link both ways"},
      {"switch_wires", "wires between switches", "", Shape::whole, "likewise"},
      {"bisection", "bisection", "", Shape::whole,
       "least wires between two halves of the hosts, before anything failed; null: it is not known"},
      {"failed", "failed wires", "", Shape::whole, "that --without takes out"},
      {"cut_off", "hosts cut off", "", Shape::whole, "without any wire left: they neither send nor receive"},
      {"diameter", "diameter", "", Shape::whole,
       "wires between two switches that have hosts, at most, with what has failed; null: there is no way "
       "between some, or "
       "the network is too large"},
      {"file", "file", "", Shape::text, "the network file", Style::hidden}};
  layout.quiet = {"file"};
  return layout;
}

Document document(const GeneratedNetworkQuestion& question, const GeneratedNetworkAnswer& answer) {
  Document document;
  static const auto layout = std::make_shared<const Layout>(generated_network_layout());
  document.layout = layout;
  document.headline =
      fmt::format("{}: {} hosts, {} switches.", answer.facts.name, answer.facts.hosts, answer.facts.switches);
  Result result;
  result.inputs = {
      {"shape", Text{question.imported ? "import"
                                       : std::visit([](const auto& shape) { return std::string(shape.name); },
                                                    question.shape)}}};
  if (question.imported) result.inputs.push_back({"imported", Text{question.imported->name}});
  document.notes = answer.remarks;
  if (question.traffic) {
    result.inputs.push_back({"uniform", Given{question.traffic->uniform}});
    result.inputs.push_back({"route", Text{name_of(question.traffic->route)}});
  }
  if (!question.without.empty()) result.inputs.push_back({"without", TextList{question.without}});
  result.cells = result_cells(answer);
  document.results.push_back(std::move(result));
  document.picture = [question, answer] {
    Picture picture;
    picture.title = answer.facts.name;
    picture.graph = graph(question, answer);
    return picture;
  };
  return document;
}

}  // namespace tailbound::render
