#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/network/generated_network.hpp>
#include <tailbound/render/documents/network/network_picture.hpp>

#include <memory>
#include <utility>

namespace tailbound::render {
namespace {

using answers::GeneratedNetworkAnswer;
using answers::GeneratedNetworkQuery;

Cells result_cells(const GeneratedNetworkAnswer& answer) {
  const network::FabricFacts& facts = answer.facts;
  return {{"name", Text{facts.name}},
          {"hosts", Whole{facts.hosts}},
          {"switches", Whole{facts.switches}},
          {"ports", Whole{facts.ports}},
          {"host_links", Whole{facts.host_wires}},
          {"switch_links", Whole{facts.switch_wires}},
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
      {"imported", "imported from", "", Shape::text, "file of another program"},
      {"uniform", "uniform", "packets/slot", Shape::given,
       "load that each host sends, uniformly to all others"},
      {"route", "route", "", Shape::text, "spread, ecmp, shortest, minimal or valiant"},
      {"without", "without", "", Shape::texts, "failures, as given"}};
  layout.results = {
      {"name", "name", "", Shape::text, "name of the network with its parameters"},
      {"hosts", "hosts", "", Shape::whole, "hosts of the network"},
      {"switches", "switches", "", Shape::whole, "likewise"},
      {"ports", "ports", "", Shape::whole, "maximum number of connected ports of a switch"},
      {"host_links", "links to hosts", "", Shape::whole, "each bidirectional"},
      {"switch_links", "links between switches", "", Shape::whole, "likewise"},
      {"bisection", "bisection", "", Shape::whole,
       "bisection: minimum links between two halves of the hosts, without failures; null if not known"},
      {"failed", "failed links", "", Shape::whole, "links removed by --without"},
      {"cut_off", "hosts cut off", "", Shape::whole, "hosts without a link: they neither send nor receive"},
      {"diameter", "diameter", "", Shape::whole,
       "maximum distance in links between two switches with hosts, with failures; null if some are "
       "disconnected or the network is too large"},
      {"file", "file", "", Shape::text, "the network file", Style::hidden}};
  layout.quiet = {"file"};
  return layout;
}

Document document(const GeneratedNetworkQuery& query, const GeneratedNetworkAnswer& answer) {
  Document document;
  static const auto layout = std::make_shared<const Layout>(generated_network_layout());
  document.layout = layout;
  document.headline = Headline::without_numbers(
      fmt::format("{}: {} hosts, {} switches.", answer.facts.name, answer.facts.hosts, answer.facts.switches),
      true);
  Result result;
  result.inputs = {
      {"shape", Text{query.imported ? "import"
                                    : std::visit([](const auto& shape) { return std::string(shape.name); },
                                                 query.shape)}}};
  if (query.imported) result.inputs.push_back({"imported", Text{query.imported->name}});
  document.notes = answer.remarks;
  if (query.traffic) {
    result.inputs.push_back({"uniform", Given{query.traffic->uniform}});
    result.inputs.push_back({"route", Text{name_of(query.traffic->route)}});
  }
  if (!query.without.empty()) result.inputs.push_back({"without", TextList{query.without}});
  result.cells = result_cells(answer);
  document.results.push_back(std::move(result));
  document.picture = [name = answer.facts.name, network = answer.network] {
    return picture_of_network(name, network_picture(network));
  };
  return document;
}

}  // namespace tailbound::render
