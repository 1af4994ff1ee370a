#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/render/documents/parts/observed.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/topology.hpp>
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

/// Up to this number of loads the notes describe each simulation.
constexpr std::size_t max_runs_listed = 10;

const char* variant_name(const answers::WormholeNetwork& network,
                         const std::optional<answers::WormholeVariant>& variant) {
  return name_of(variant.value_or(answers::usual_variant(network)));
}

/// "messages of 5 flits", "requests of 1 flit and replies of 5 flits": by classes if there are any.
template <class Network>
std::string messages_in_words(const Network& network) {
  const auto* own = std::get_if<OwnWormNetwork>(&network.network);
  std::vector<std::string> parts;
  if (own != nullptr && own->classes) {
    for (const network::MessageKind& kind : own->classes->mix.kinds)
      parts.push_back(fmt::format("{} of {}", kind.name, kind.lengths.in_words()));
  } else {
    for (const network::PatternedClass& its : network.messages.classes)
      parts.push_back(fmt::format("{} of {}", its.name, its.flits.in_words()));
  }
  if (parts.empty()) return "messages of " + network.messages.flits.in_words();
  constexpr std::size_t most = 4;
  if (parts.size() > most) return fmt::format("{} classes of messages", parts.size());
  return fmt::format("classes {}", fmt::join(parts, ", "));
}

/// "2 virtual channels per link", "2 + 4 virtual channels per link" of virtual networks; empty for a
/// user-defined network, whose file specifies it.
template <class Network>
std::string channels_per_link(const Network& network) {
  const std::optional<int> usual = answers::usual_virtual_channels(network.network);
  if (!usual) return "";
  if (const auto* topology = std::get_if<WormTopology>(&network.network);
      topology != nullptr && !network.messages.classes.empty()) {
    std::vector<int> each;
    for (const auto& its : network::message_mix(*topology, network.messages).virtual_channels)
      each.push_back(its.value_or(network.virtual_channels.value_or(*usual)));
    if (each.size() > 1) return fmt::format("{} virtual channels per link", fmt::join(each, " + "));
    return counted(each.front(), "virtual channel") + " per link";
  }
  return counted(network.virtual_channels.value_or(*usual), "virtual channel") + " per link";
}

/// "injection one, ejection unlimited"; only what the network leaves open, or what is not the default; empty
/// for a user-defined network.
std::string worm_ends_in_words(const answers::WormholeNetwork& network) {
  const auto* topology = std::get_if<WormTopology>(&network);
  if (topology == nullptr || !network::has_unlimited_ejection(topology->shape)) return "";
  if (network::has_ports(topology->shape) || topology->ends.injection != network::Injection::one)
    return in_words(topology->ends);
  return std::string("ejection ") + name_of(topology->ends.ejection);
}

std::string arrivals_in_words(const answers::WormholeQuery&) {
  return "";
}
std::string arrivals_in_words(const answers::SimulatedWormhole& network) {
  return network.arrivals == sim::WormArrivals::bernoulli ? "Bernoulli arrivals" : "";
}

/// The description of a network after its name, part by part; empty parts are defaults, or do not apply.
/// \param channels  the number of its virtual channels
template <class Network>
std::vector<std::string> settings_of(const Network& network, const std::string& channels) {
  const std::string timing = network.timing.in_words();
  const auto* own = std::get_if<OwnWormNetwork>(&network.network);
  return {own == nullptr || own->rules.empty() ? "" : "routes " + routes_in_words(own->rules, {}),
          own == nullptr || !own->route_seed ? "" : fmt::format("route seed {}", *own->route_seed),
          channels,
          timing.empty() ? "" : timing.substr(2),
          "buffers of " + counted(network.buffer_flits, "flit"),
          worm_ends_in_words(network.network),
          messages_in_words(network),
          arrivals_in_words(network)};
}

template <class Network>
std::string network_in_words(const Network& network, const std::string& channels) {
  return answers::name(network.network) + ", " + shared_in_words({settings_of(network, channels)});
}

/// What names different networks have in common: "mesh networks, 2 dimensions", "transpose traffic".
std::vector<std::string> shared_kind(const answers::WormholeNetwork& network) {
  const auto* topology = std::get_if<WormTopology>(&network);
  if (topology == nullptr) return {answers::name(network), "", "", "", ""};
  const bool has_dimensions = topology->shape != WormShape::butterfly_fat_tree;
  return {std::string(name_of(topology->shape)) + " networks",
          has_dimensions ? counted(network::dimensions_of(*topology), "dimension") : "",
          counted(topology->nodes, "node"),
          topology->concentration == 1 ? "" : counted(topology->concentration, "node") + " per router",
          topology->pattern.uniform() ? "" : topology->pattern.in_words()};
}

/// What several networks have in common.
/// \param all  one or more, in order of the results
template <class Network>
std::string common_in_words(const std::vector<Network>& all) {
  const auto name = [](const Network& network) { return answers::name(network.network); };
  const bool same_name = std::all_of(
      all.begin(), all.end(), [&](const Network& network) { return name(network) == name(all.front()); });
  std::vector<std::vector<std::string>> descriptions;
  for (const Network& network : all) {
    std::vector<std::string> parts = same_name ? std::vector{name(network)} : shared_kind(network.network);
    descriptions.push_back(joined(std::move(parts), settings_of(network, channels_per_link(network))));
  }
  std::string kind = descriptions.front().front();
  for (const std::vector<std::string>& parts : descriptions)
    if (parts.front() != kind) kind = "wormhole networks";
  for (std::vector<std::string>& parts : descriptions) parts.front() = kind;
  return shared_in_words(descriptions);
}

Document without(Document document, std::string_view key) {
  for (Result& result : document.results)
    std::erase_if(result.inputs, [&](const Cell& cell) { return cell.key == key; });
  return document;
}

/// The dimensions of a hypercube follow from its nodes.
void leave_out_dimensions(Document& document) {
  for (Result& result : document.results)
    if (brief(value_of(result.inputs, "topology")) == name_of(network::WormShape::hypercube))
      std::erase_if(result.inputs, [](const Cell& cell) { return cell.key == "dimensions"; });
}

/// Does a network occur at several loads?
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

const Fields<network::RouterTiming>& router_timing_fields() {
  using network::RouterTiming;
  const auto cycles = [](const char* key, const char* heading, const char* meaning) {
    return Column{key, heading, "cycles", Shape::whole, meaning};
  };
  static const Fields<RouterTiming> fields{
      {cycles("router_cycles", "router", "router pipeline latency of a flit"), &RouterTiming::router_cycles},
      {cycles("link_cycles", "link", "link latency of a flit"), &RouterTiming::link_cycles},
      {cycles("credit_cycles", "credit", "credit latency: until a freed buffer slot can be reused"),
       &RouterTiming::credit_cycles},
      {{"reallocate", "reallocated", "", Shape::text,
        "when a virtual channel is reallocated: empty, when its buffer is empty, or tail, after the tail "
        "flit"},
       &RouterTiming::reallocate}};
  return fields;
}

namespace {

bool has_classes(const RequestedWorms& of) {
  const auto* own = std::get_if<OwnWormNetwork>(&of.network);
  return !of.messages.classes.empty() || (own != nullptr && own->classes);
}

/// One length, or geometric lengths.
bool is_one_length(const RequestedWorms& of) {
  return !has_classes(of) && (of.messages.flits.single() || of.messages.flits.is_geometric());
}

/// As typed; of a file by their names and lengths.
TextList class_texts(const RequestedWorms& of) {
  std::vector<std::string> texts;
  for (const network::PatternedClass& its : of.messages.classes) texts.push_back(network::text_of(its));
  const auto* own = std::get_if<OwnWormNetwork>(&of.network);
  if (own != nullptr && own->classes)
    for (const network::MessageKind& kind : own->classes->mix.kinds)
      texts.push_back(kind.name + " flits=" + kind.lengths.text());
  return TextList{std::move(texts)};
}

}  // namespace

const Fields<RequestedWorms>& worm_length_fields() {
  using Requested = RequestedWorms;
  static const Fields<Requested> fields{
      {{"lengths", "lengths", "", Shape::text,
        "message lengths: fixed, geometric with mean flits, or a law such as 1:60%,5:40%; absent with "
        "classes"},
       [](const Requested& of) -> std::optional<std::string> {
         if (has_classes(of)) return std::nullopt;
         const network::MessageLengths& flits = of.messages.flits;
         return flits.is_geometric() ? "geometric" : flits.single() ? "fixed" : flits.text();
       },
       if_present},
      {{"classes", "classes", "", Shape::texts, "classes of messages, if there are any"},
       [](const Requested& of) { return has_classes(of) ? std::optional(class_texts(of)) : std::nullopt; },
       if_present}};
  return fields;
}

const Fields<RequestedWorms>& worm_network_fields() {
  using Requested = RequestedWorms;
  static const Fields<WormTopology> topology{
      {{"topology", "topology", "", Shape::text,
        "butterfly-fat-tree, mesh, torus, unidirectional-torus or hypercube"},
       [](const WormTopology& of) { return name_of(of.shape); }}};
  static const Fields<WormTopology> dimensions{
      {{"dimensions", "dimensions", "", Shape::whole, "dimensions of a mesh, torus or hypercube"},
       &network::dimensions_of,
       [](const WormTopology& of) { return of.shape != WormShape::butterfly_fat_tree; }}};
  static const Fields<network::WormPattern> hot{
      {{"hot_node", "hot node", "", Shape::whole, "node number of a hot spot"},
       &network::WormPattern::hot_node},
      {{"hot_share", "hot share", "", Shape::given,
        "hot spot: fraction of the messages of each other node sent to it, in addition to its uniform share "
        "of the rest"},
       [](const auto& of) { return Given{of.hot_share}; }}};
  static const Fields<WormTopology> irregular{
      {{"sides", "sides", "", Shape::text, "routers per dimension, if unequal"},
       [](const WormTopology& of) {
         return of.sides.empty() ? std::nullopt : std::optional(fmt::format("{}", fmt::join(of.sides, "x")));
       },
       if_present},
      {{"concentration", "nodes per router", "", Shape::whole, "nodes per router, if more than one"},
       [](const WormTopology& of) {
         return of.concentration == 1 ? std::nullopt : std::optional(of.concentration);
       },
       if_present},
      {{"pattern", "traffic", "", Shape::text, "traffic pattern, if not uniform"},
       [](const WormTopology& of) {
         return of.pattern.uniform() ? std::nullopt : std::optional(name_of(of.pattern.name));
       },
       if_present},
      {hot, [](const WormTopology& of) {
         return of.pattern.name == network::WormPatternName::hot_spot ? &of.pattern : nullptr;
       }}};
  static const Fields<OwnWormNetwork> own{
      {{"network", "network", "", Shape::text, "network file", Style::hidden}, &OwnWormNetwork::file},
      {{"matrix", "matrix", "", Shape::text, "file with its flows, if given separately", Style::hidden},
       &OwnWormNetwork::matrix,
       if_present},
      {route_column(), [](const OwnWormNetwork& of) { return route_names(of.rules); }, if_present},
      {route_seed_column(), &OwnWormNetwork::route_seed, if_present}};
  static const auto known = [](const Requested& of) { return std::get_if<WormTopology>(&of.network); };
  static const Fields<Requested> fields{
      {topology, known},
      {{"nodes", "nodes", "", Shape::whole, "processors; of a network file, switches included"},
       [](const Requested& of) { return answers::node_count(of.network); }},
      {dimensions, known},
      {irregular, known},
      {{"variant", "variant", "", Shape::text,
        "variant of the model: finite-source, or paper (published equations, the default of large meshes and "
        "tori)"},
       [](const Requested& of) { return variant_name(of.network, of.variant); }},
      {own, [](const Requested& of) { return std::get_if<OwnWormNetwork>(&of.network); }},
      {{"flits", "flits", "", Shape::whole,
        "message length, or its mean if geometric; absent for several lengths or classes"},
       [](const Requested& of) {
         return is_one_length(of) ? std::optional(of.messages.flits.largest()) : std::nullopt;
       },
       if_present},
      {{"virtual_channels", "virtual channels", "", Shape::whole,
        "virtual channels per link; absent for a network file, which defines them"},
       [](const Requested& of) {
         const std::optional<int> usual = answers::usual_virtual_channels(of.network);
         return usual ? std::optional(of.virtual_channels.value_or(*usual)) : std::nullopt;
       },
       if_present},
      {worm_ends_fields(), [](const Requested& of) {
         const auto* its = std::get_if<WormTopology>(&of.network);
         return its != nullptr ? &its->ends : nullptr;
       }}};
  return fields;
}

std::vector<Column> load_columns() {
  Column load{"load", "load", "flits/cycle/node", Shape::given, "load offered by each node"};
  load.digits = 6;
  return {{"fraction", "fraction", "", Shape::given, "fraction of saturation, if given", Style::hidden},
          load};
}

Cells load_cells(const answers::OfferedLoads& offered, std::size_t i, double load) {
  if (!offered.of_saturation) return {{"load", Given{offered.values[i]}}};
  return {{"fraction", Given{offered.values[i]}}, {"load", given(load)}};
}

Cells load_cells(const answers::OfferedLoads& offered) {
  return {{offered.of_saturation ? "fraction" : "load", Given{offered.values.front()}}};
}

std::string variant_in_words(const std::vector<RequestedWorms>& networks) {
  const std::string name = variant_name(networks.front().network, networks.front().variant);
  const bool same = std::all_of(networks.begin(), networks.end(), [&](const RequestedWorms& of) {
    return variant_name(of.network, of.variant) == name;
  });
  return same ? "variant " + name : "";
}

std::string offered_in_words(const Document& document, std::string_view key) {
  if (document.results.size() < 2) return {};
  const Value fraction = value_of(document.results.front().inputs, "fraction");
  if (std::holds_alternative<None>(fraction)) return constant_in_words(document, key);
  const bool constant = std::all_of(
      document.results.begin(), document.results.end(),
      [&](const Result& result) { return brief(value_of(result.inputs, "fraction")) == brief(fraction); });
  return constant ? fmt::format(", at {:.6g} % of saturation", 100 * height(fraction).value_or(0)) : "";
}

void name_uniform_traffic(Document& document) {
  const auto is_uniform = [](const Result& result) {
    return std::holds_alternative<None>(value_of(result.inputs, "pattern"));
  };
  if (std::all_of(document.results.begin(), document.results.end(), is_uniform)) return;
  for (Result& result : document.results)
    if (is_uniform(result))
      result.inputs.push_back({"pattern", Text{name_of(network::WormPatternName::uniform)}});
}

void add_remarks(std::vector<std::string>& notes, const answers::WormholeNetwork& network) {
  const auto* own = std::get_if<OwnWormNetwork>(&network);
  if (own == nullptr) return;
  network::Network remarked;
  remarked.remarks = own->remarks;
  add_remarks(notes, remarked);
}

std::vector<std::string> hypercube_notes(const std::vector<answers::WormholeNetwork>& networks) {
  const auto is_hypercube = [](const answers::WormholeNetwork& network) {
    const auto* topology = std::get_if<WormTopology>(&network);
    return topology != nullptr && topology->shape == WormShape::hypercube;
  };
  if (std::none_of(networks.begin(), networks.end(), is_hypercube)) return {};
  return {"Defaults for hypercubes: injection one and ejection one here, " + in_words(network::all_port) +
          " in `broadcast` and `simulate hypercube`."};
}

std::string in_words(const answers::WormholeQuery& query) {
  return network_in_words(query, channels_per_link(query)) + "; variant " +
         variant_name(query.network, query.variant);
}

std::string in_words(const std::vector<answers::WormholeQuery>& all) {
  std::vector<RequestedWorms> requested;
  for (const answers::WormholeQuery& query : all) requested.push_back(requested_worms(query));
  const std::string variant = variant_in_words(requested);
  return common_in_words(all) + (variant.empty() ? "" : "; " + variant);
}

Column worm_buffer_column() {
  return {"buffer_flits", "buffer", "flits", Shape::whole, "buffer per virtual channel"};
}

const Fields<answers::SimulatedWormhole>& simulated_worm_inputs() {
  using Network = answers::SimulatedWormhole;
  static const Fields<Network> fields{
      {worm_network_fields(), requested_worms<Network>},
      {worm_buffer_column(), &Network::buffer_flits},
      {worm_length_fields(), requested_worms<Network>},
      {{"arrivals", "arrivals", "", Shape::text, "arrivals of messages: poisson or bernoulli"},
       &Network::arrivals},
      {{"think_cycles", "think", "cycles", Shape::whole,
        "cycles from the arrival of a message to its answer, if not 0"},
       [](const Network& of) { return of.think == 0 ? std::nullopt : std::optional(of.think); },
       if_present},
      {router_timing_fields(), if_unusual<Network>}};
  return fields;
}

std::vector<Column> simulated_load_columns() {
  return joined({{"of", "of", "", Shape::text,
                  "reference of fractions: saturation of the model, or simulated", Style::hidden}},
                load_columns());
}

Cells load_cells(const answers::SimulateWormholeQuery& query, const answers::SimulateWormholeAnswer& answer,
                 std::size_t i, double load) {
  Cells cells = load_cells(query.offered, i, load);
  if (!query.offered.of_saturation) return cells;
  cells.insert(cells.begin(), Cell{"of", Text{answer.simulated_saturation ? "simulated" : "model"}});
  if (answer.simulated_saturation) cells.push_back({"precision", Given{query.search.precision}});
  return cells;
}

std::string in_words(const answers::SimulatedWormhole& network, const answers::WormholeLayout& layout) {
  const std::string per_link = channels_per_link(network);
  return network_in_words(
      network, per_link.empty()
                   ? fmt::format("{} virtual channels on {} physical channels", layout.channels, layout.wires)
                   : per_link);
}

std::string in_words(const std::vector<answers::SimulatedWormhole>& all) {
  return common_in_words(all);
}

std::string title_in_words(const answers::SimulatedWormhole& network) {
  return network_in_words(network, channels_per_link(network));
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

std::vector<std::string> saturation_notes(const answers::SimulateWormholeQuery& query,
                                          const answers::SimulateWormholeAnswer& answer,
                                          const std::string& network) {
  const char* unit = "flits/cycle/node";
  std::vector<std::string> notes;
  if (!answer.model_saturation)
    notes.push_back(answer.no_model.starts_with("the model has no answer")
                        ? capitalized(answer.no_model) + "."
                        : fmt::format("No model: {}.", answer.no_model));
  if (answer.simulated_saturation)
    notes.push_back(fmt::format("Saturation: maximum stable load of the simulation, {:.5g} {}{}.",
                                answer.simulated_saturation->max_stable, unit,
                                answer.model_saturation ? fmt::format(" (the model saturates at {:.5g})",
                                                                      answer.model_saturation->value)
                                                        : std::string("")));
  else if (answer.model_saturation)
    notes.push_back(
        fmt::format("Saturation: of the model, {:.5g} {}.", answer.model_saturation->value, unit));
  notes.push_back(
      fmt::format("Channel bound {} {}, exact: there the physical channel {} carries 1 flit per cycle.",
                  bound_in_words(answer.limit.load.value), unit, answer.limit.channel));
  if (answer.model_saturation &&
      query.network.virtual_channels.value_or(1) > answers::max_channels_modelled &&
      query.network.variant.value_or(answers::usual_variant(query.network.network)) ==
          answers::WormholeVariant::finite_source)
    notes.push_back(fmt::format("The model treats more than {} virtual channels per link as {}.",
                                answers::max_channels_modelled, answers::max_channels_modelled));
  add_remarks(notes, query.network.network);
  if (!network.empty()) return {fmt::format("{}. {}", network, fmt::join(notes, " "))};
  return notes;
}

const Fields<answers::SimulateWormholeAnswer>& simulated_worm_fields() {
  using Answer = answers::SimulateWormholeAnswer;
  const auto of_load = [](const char* key, Shape shape, const char* meaning) {
    return Column{key, "", "flits/cycle/node", shape, meaning, Style::hidden};
  };
  static const Fields<sim::SimulatedSaturation> searched{
      {of_load(
           "max_stable_load", Shape::estimate,
           "by simulation, with --saturation or fractions of it: the largest load with stable source queues"),
       [](const auto& of) { return observed(of.max_stable); }},
      {of_load("min_unstable_load", Shape::estimate, "of the same search: the smallest unstable load"),
       [](const auto& of) { return observed(of.min_unstable); }}};
  static const Fields<Answer> fields{
      {{"channels", "", "", Shape::whole, "virtual channels, injection and ejection included", Style::hidden},
       [](const Answer& of) { return of.layout.channels; }},
      {{"physical_channels", "", "", Shape::whole, "links and channels at the ends", Style::hidden},
       [](const Answer& of) { return of.layout.wires; }},
      {of_load("model_saturation_load", Shape::model,
               "saturation load of the model of this network, as in `wormhole`; null if it has none"),
       [](const Answer& of) { return shown(of.model_saturation); }},
      {{"no_model", "", "", Shape::text, "why there is no saturation load of a model; null if there is one",
        Style::hidden},
       [](const Answer& of) { return of.model_saturation ? std::nullopt : std::optional(of.no_model); }},
      {of_load("channel_bound_load", Shape::proved,
               "above it a physical channel would have to carry more than 1 flit per cycle; exact, from "
               "flows and routes"),
       [](const Answer& of) { return of.limit.load; }},
      {{"bounding_channel", "", "", Shape::text,
        "the physical channel with the highest utilization, or one of them", Style::hidden},
       [](const Answer& of) { return of.limit.channel; }},
      {searched, &Answer::simulated_saturation}};
  return fields;
}

std::vector<std::string> runs_in_words(const std::vector<const answers::SimulatedWorms*>& points,
                                       bool one_network) {
  std::vector<std::string> texts;
  if (one_network && points.size() <= max_runs_listed) {
    for (const answers::SimulatedWorms* point : points)
      texts.push_back(fmt::format("load {:.6g}: {} messages; {}", point->load, point->found.messages,
                                  in_words(point->simulated, "cycle")));
    return texts;
  }
  std::vector<const answers::Simulated*> simulated;
  for (const answers::SimulatedWorms* point : points) simulated.push_back(&point->simulated);
  return {fmt::format("{} loads, {}.", points.size(), batches_in_words(simulated))};
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
