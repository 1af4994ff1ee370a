#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/render/documents/parts/observed.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/worms/saturation.hpp>
#include <tailbound/render/documents/worms/worm_ends.hpp>
#include <tailbound/render/documents/worms/worm_network.hpp>

#include <algorithm>
#include <string_view>

namespace tailbound::render {

using answers::OwnWormNetwork;
using network::WormShape;
using network::WormTopology;

namespace {

/// Of so many loads the notes say how each was simulated.
constexpr std::size_t most_runs_told = 10;

const char* variant_name(const answers::WormholeNetwork& network,
                         const std::optional<answers::WormholeVariant>& variant) {
  return name_of(variant.value_or(answers::usual_variant(network)));
}

const char* length_in_words(sim::WormLengths lengths) {
  return lengths == sim::WormLengths::fixed ? "" : "geometric length, mean ";
}

/// ", 2 virtual channels per link"; nothing of an own network, whose file says it.
template <class Network>
std::string channels_per_link(const Network& network) {
  const std::optional<int> usual = answers::usual_virtual_channels(network.network);
  if (!usual) return "";
  return ", " + counted(network.virtual_channels.value_or(*usual), "virtual channel") + " per link";
}

/// \param channels  how many there are, behind a comma, or nothing
template <class Network>
std::string network_in_words(const Network& network, const std::string& name, const std::string& channels) {
  return fmt::format("{}{}, buffers of {}{}, messages of {}{}", name, channels,
                     counted(network.buffer_flits, "flit"), ends_in_words(network.network),
                     length_in_words(network.lengths), counted(network.flits, "flit"));
}

Document without(Document document, std::string_view key) {
  for (Result& result : document.results)
    std::erase_if(result.inputs, [&](const Cell& cell) { return cell.key == key; });
  return document;
}

/// Dimensions of a hypercube follow from its nodes.
void leave_out_dimensions(Document& document) {
  for (Result& result : document.results)
    if (brief(value_of(result.inputs, "topology")) == name_of(network::WormShape::hypercube))
      std::erase_if(result.inputs, [](const Cell& cell) { return cell.key == "dimensions"; });
}

/// Does a network appear at several loads?
bool loads_vary(const Document& document) {
  const Document networks = without(without(document, "load"), "fraction");
  std::vector<std::string> seen;
  for (const Result& result : networks.results) {
    std::string inputs;
    for (const Cell& cell : result.inputs) inputs += cell.key + " " + brief(cell.value) + "\n";
    if (std::find(seen.begin(), seen.end(), inputs) != seen.end()) return true;
    seen.push_back(std::move(inputs));
  }
  return false;
}

bool has_fractions(const Document& document) {
  const Cells& inputs = document.results.front().inputs;
  return std::any_of(inputs.begin(), inputs.end(), [](const Cell& cell) { return cell.key == "fraction"; });
}

}  // namespace

std::vector<Column> worm_network_columns() {
  return {
      {"topology", "topology", "", Shape::text,
       "butterfly-fat-tree, mesh, torus, bidirectional-torus or hypercube"},
      {"nodes", "nodes", "", Shape::whole, "processors; of a network file, switches included"},
      {"dimensions", "dimensions", "", Shape::whole, "of a mesh, torus or hypercube"},
      {"variant", "variant", "", Shape::text,
       "of the model: finite-source, paper (as published), or conditional (published, flows of a butterfly "
       "fat-tree conserved)"},
      {"network", "network", "", Shape::text, "file of the network", Style::hidden},
      {"matrix", "matrix", "", Shape::text, "file of its flows, where one was given beside it",
       Style::hidden},
      {"flits", "flits", "", Shape::whole, "length of a message"},
      {"virtual_channels", "virtual channels", "", Shape::whole,
       "of each link; not of a network file, which says it"},
      worm_ends_columns()[0],
      worm_ends_columns()[1]};
}

Cells worm_network_cells(const answers::WormholeNetwork& network,
                         std::optional<answers::WormholeVariant> variant, std::int64_t flits,
                         std::optional<int> virtual_channels) {
  Cells cells;
  if (const auto* own = std::get_if<OwnWormNetwork>(&network)) {
    cells.push_back({"network", Text{own->file}});
    if (own->matrix) cells.push_back({"matrix", Text{*own->matrix}});
    cells.push_back({"nodes", Whole{answers::node_count(network)}});
  } else {
    const auto& topology = std::get<WormTopology>(network);
    cells.push_back({"topology", Text{name_of(topology.shape)}});
    cells.push_back({"nodes", Whole{topology.nodes}});
    if (topology.shape != WormShape::butterfly_fat_tree)
      cells.push_back({"dimensions", Whole{network::dimensions_of(topology)}});
  }
  cells.push_back({"variant", Text{variant_name(network, variant)}});
  cells.push_back({"flits", Whole{flits}});
  if (const std::optional<int> usual = answers::usual_virtual_channels(network))
    cells.push_back({"virtual_channels", Whole{virtual_channels.value_or(*usual)}});
  if (const auto* topology = std::get_if<WormTopology>(&network))
    cells = joined(std::move(cells), worm_ends_cells(topology->ends));
  return cells;
}

std::vector<Column> load_columns() {
  Column load{"load", "load", "flits/cycle/node", Shape::given, "offered by each node"};
  load.digits = 6;
  return {{"fraction", "fraction", "", Shape::given, "of saturation, where that is what was asked for",
           Style::hidden},
          load};
}

Cells load_cells(const answers::OfferedLoads& offered, std::size_t i, double load) {
  if (!offered.of_saturation) return {{"load", Given{offered.values[i]}}};
  return {{"fraction", Given{offered.values[i]}}, {"load", given(load)}};
}

std::string ends_in_words(const answers::WormholeNetwork& network) {
  const auto* topology = std::get_if<WormTopology>(&network);
  if (topology == nullptr || !network::has_unlimited_ejection(topology->shape)) return "";
  if (network::has_ports(topology->shape)) return ", " + in_words(topology->ends);
  return std::string(", ejection ") + name_of(topology->ends.ejection);
}

std::string common_ends_in_words(const std::vector<answers::WormholeNetwork>& networks) {
  std::optional<std::string> common;
  for (const answers::WormholeNetwork& network : networks) {
    const std::string its = ends_in_words(network);
    if (its.empty()) continue;
    if (common && *common != its) return "";
    common = its;
  }
  return common.value_or("");
}

std::vector<std::string> hypercube_notes(const std::vector<answers::WormholeNetwork>& networks) {
  const auto is_hypercube = [](const answers::WormholeNetwork& network) {
    const auto* topology = std::get_if<WormTopology>(&network);
    return topology != nullptr && topology->shape == WormShape::hypercube;
  };
  if (std::none_of(networks.begin(), networks.end(), is_hypercube)) return {};
  return {"Unless told, hypercubes have injection one and ejection one here, but " +
          in_words(network::all_port) +
          " in `broadcast`, `simulate hypercube` and `validate broadcast`: with the same --injection and "
          "--ejection they are the same network."};
}

std::string in_words(const answers::WormholeQuestion& question) {
  return fmt::format("{}; variant {}",
                     network_in_words(question, answers::name(question.network), channels_per_link(question)),
                     variant_name(question.network, question.variant));
}

Column worm_buffer_column() {
  return {"buffer_flits", "buffer", "flits", Shape::whole, "of each virtual channel"};
}

Column worm_length_column() {
  return {"lengths", "lengths", "", Shape::text, "of messages: fixed, or geometric with the mean flits"};
}

Cell worm_length_cell(sim::WormLengths lengths) {
  return {"lengths", Text{name_of(lengths)}};
}

std::vector<Column> simulated_worm_columns() {
  const std::vector<Column> simulated{
      worm_buffer_column(),
      worm_length_column(),
      {"arrivals", "arrivals", "", Shape::text, "of messages: poisson or bernoulli"},
      {"of", "of", "", Shape::text, "what fractions are of: saturation of the model, or simulated",
       Style::hidden}};
  return joined(joined(worm_network_columns(), simulated), load_columns());
}

Cells worm_network_cells(const answers::SimulatedWormhole& network) {
  Cells cells = worm_network_cells(network.network, network.variant, network.flits, network.virtual_channels);
  cells.push_back({"buffer_flits", Whole{network.buffer_flits}});
  cells.push_back(worm_length_cell(network.lengths));
  cells.push_back({"arrivals", Text{name_of(network.arrivals)}});
  return cells;
}

Cells load_cells(const answers::SimulateWormholeQuestion& question,
                 const answers::SimulateWormholeAnswer& answer, std::size_t i, double load) {
  Cells cells = load_cells(question.offered, i, load);
  if (!question.offered.of_saturation) return cells;
  cells.insert(cells.begin(), Cell{"of", Text{answer.simulated_saturation ? "simulated" : "model"}});
  if (answer.simulated_saturation) cells.push_back({"precision", Given{question.search.precision}});
  return cells;
}

std::string in_words(const answers::SimulatedWormhole& network, const answers::WormholeLayout& layout) {
  const std::string per_link = channels_per_link(network);
  return network_in_words(network, layout.name,
                          per_link.empty() ? fmt::format(", {} virtual channels on {} physical channels",
                                                         layout.channels, layout.wires)
                                           : per_link);
}

std::string in_two_lines(std::string words) {
  if (const std::size_t at = words.find(", messages of"); at != std::string::npos) words[at + 1] = '\n';
  return words;
}

std::string title_in_words(const answers::SimulatedWormhole& network, const answers::WormholeLayout& layout) {
  return network_in_words(network, layout.name, channels_per_link(network));
}

std::string load_in_words(double load, double fraction_of_saturation) {
  return fmt::format("{:.6g} flits/cycle/node, {:.1f} % of the model's saturation load", load,
                     100 * fraction_of_saturation);
}

std::string load_in_words(const answers::SimulateWormholeAnswer& answer,
                          const answers::SimulatedWorms& point) {
  if (!point.fraction_of_saturation) return fmt::format("{:.6g} flits/cycle/node", point.load);
  return fmt::format("{:.6g} flits/cycle/node, {:.1f} % of the {} saturation load", point.load,
                     100 * point.fraction_of_saturation->value,
                     answer.simulated_saturation ? "simulated" : "model's");
}

std::vector<std::string> saturation_notes(const answers::SimulateWormholeQuestion& question,
                                          const answers::SimulateWormholeAnswer& answer,
                                          const std::string& network) {
  const char* unit = "flits/cycle/node";
  std::vector<std::string> notes;
  if (!answer.model_saturation) notes.push_back(fmt::format("No model alongside: {}.", answer.no_model));
  if (answer.simulated_saturation)
    notes.push_back(
        fmt::format("Of saturation: of the greatest load that the simulation finds stable, {:.5g} {}{}.",
                    answer.simulated_saturation->greatest_stable, unit,
                    answer.model_saturation
                        ? fmt::format(" (the model saturates at {:.5g})", answer.model_saturation->value)
                        : std::string(", as there is no model")));
  else if (answer.model_saturation)
    notes.push_back(
        fmt::format("Of saturation: of the load at which the model of this network saturates, {:.5g} {}, "
                    "the same as in `wormhole`.",
                    answer.model_saturation->value, unit));
  notes.push_back(
      fmt::format("No load above {} {} can be carried, exactly: at it the physical channel {} carries "
                  "1 flit per cycle.",
                  bound_in_words(answer.limit.load.value), unit, answer.limit.channel));
  if (answer.model_saturation &&
      question.network.virtual_channels.value_or(1) > answers::most_channels_modelled &&
      question.network.variant.value_or(answers::usual_variant(question.network.network)) ==
          answers::WormholeVariant::finite_source)
    notes.push_back(fmt::format("The model takes more than {} virtual channels per link as {}.",
                                answers::most_channels_modelled, answers::most_channels_modelled));
  if (!network.empty()) return {fmt::format("{}. {}", network, fmt::join(notes, " "))};
  return notes;
}

std::vector<Column> simulated_worm_result_columns() {
  const std::string load = "flits/cycle/node";
  return {{"channels", "", "", Shape::whole, "virtual ones, injection and ejection included", Style::hidden},
          {"wires", "", "", Shape::whole, "that the channels share", Style::hidden},
          {"model_saturation_load", "", load, Shape::model,
           "the load at which the model of this very network saturates, as `wormhole` has it; null where "
           "there is none",
           Style::hidden},
          {"no_model", "", "", Shape::text, "why there is no model; null where there is one", Style::hidden},
          {"channel_bound_load", "", load, Shape::proved,
           "above it some physical channel would have to carry more than 1 flit per cycle: exact, from the "
           "flows and "
           "routes",
           Style::hidden},
          {"bounding_channel", "", "", Shape::text,
           "the physical channel with the highest utilization, or one of them", Style::hidden},
          {"greatest_stable_load", "", load, Shape::estimate,
           "by simulation, searched with --saturation and where fractions are of it: at which the queues at "
           "the sources "
           "do not grow",
           Style::hidden},
          {"least_unstable_load", "", load, Shape::estimate, "of the same search: at which they do",
           Style::hidden}};
}

Cells simulated_worm_cells(const answers::SimulateWormholeAnswer& answer) {
  Cells cells{{"channels", Whole{static_cast<std::int64_t>(answer.layout.channels)}},
              {"wires", Whole{static_cast<std::int64_t>(answer.layout.wires)}},
              {"model_saturation_load", shown(answer.model_saturation)},
              {"no_model", answer.model_saturation ? Value(None{}) : Value(Text{answer.no_model})},
              {"channel_bound_load", shown(answer.limit.load)},
              {"bounding_channel", Text{answer.limit.channel}}};
  if (answer.simulated_saturation) {
    cells.push_back({"greatest_stable_load", observed(answer.simulated_saturation->greatest_stable)});
    cells.push_back({"least_unstable_load", observed(answer.simulated_saturation->least_unstable)});
  }
  return cells;
}

std::vector<std::string> runs_in_words(const std::vector<const answers::SimulatedWorms*>& points,
                                       bool one_network) {
  std::vector<std::string> texts;
  if (one_network && points.size() <= most_runs_told) {
    for (const answers::SimulatedWorms* point : points)
      texts.push_back(fmt::format("load {:.6g}: {} messages; {}", point->load, point->found.messages,
                                  in_words(point->simulated, "cycle")));
    return texts;
  }
  std::vector<const answers::Simulated*> simulated;
  for (const answers::SimulatedWorms* point : points) simulated.push_back(&point->simulated);
  return {fmt::format("{} loads; the intervals are from {}.", points.size(), batches_in_words(simulated))};
}

DrawnWorms drawn_worms(Document document, std::string height) {
  leave_out_dimensions(document);
  std::vector<std::string> axes{"nodes", "dimensions", "flits", "virtual_channels", "buffer_flits"};
  if (loads_vary(document)) {
    axes.insert(axes.begin(), "load");
    document = without(std::move(document), "fraction");
  } else if (has_fractions(document)) {
    document = without(std::move(document), "load");
  }
  return {.document = std::move(document), .sweep = {.axes = std::move(axes), .height = std::move(height)}};
}

}  // namespace tailbound::render
