#include <cln/rational.h>
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
using answers::GeneratedNetworkQuestion;

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
  document.picture = [name = answer.facts.name, network = answer.network] {
    return picture_of_network(name, network_picture(network));
  };
  return document;
}

}  // namespace tailbound::render
