#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/mix/message_flows.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>
#include <tailbound/network/walks/one_lane.hpp>
#include <tailbound/network/walks/wire_sharing.hpp>
#include <tailbound/network/walks/worm_trails.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace tailbound::answers {
namespace {

using bounds::wormhole::ChannelFigures;
using bounds::wormhole::Equations;
using bounds::wormhole::Model;
using bounds::wormhole::Point;
using bounds::wormhole::Worms;

WormholeChannel channel_at(const Model& model, const Point& solved, std::size_t channel, double flits) {
  const ChannelFigures& figures = solved.channels[channel];
  std::optional<numeric::Model<unit::Ratio>> follow;
  if (model.equations() == Equations::finite_source) follow = {figures.follow};
  WormholeChannel found{.name = model.graph().channels[channel].name,
                        .utilization = {figures.utilization},
                        .wait = {flits * figures.wait},
                        .service = {flits * figures.service},
                        .variation = {figures.variation},
                        .follow = follow};
  if (model.shares_wires()) found.sharing = {flits * figures.sharing};
  if (model.worms().timing != network::RouterTiming{}) found.credits = {flits * figures.credits};
  return found;
}

WormholePoint solve(const Model& model, const WormholeQuery& query,
                    const std::vector<network::MessageKind>& kinds, double load,
                    const bounds::wormhole::SaturationSides& sides) {
  const double saturation = sides.below;
  if (load >= saturation && is_saturation(sides, query))
    throw Saturated(LoadMeasure::flits, load, saturation, name(query.network));
  if (load >= saturation)
    throw Unanswered(LoadMeasure::flits, load, saturation, sides.fullness, name(query.network));
  const Point solved = model.solve(load);
  if (!solved.solved())
    throw NoAnswer("at load " + numeric::plain(load) +
                   " the iteration has no solution: " + bounds::in_words(solved.ending));
  const double flits = numeric::nearest_double(network::mean_flits(kinds));
  WormholePoint point{.load = load,
                      .fraction_of_saturation = {load / saturation},
                      .latency = {solved.latency(flits)},
                      .source_wait = {flits * solved.source_wait},
                      .service = {flits * solved.service},
                      .bottleneck = {},
                      .busiest_source = channel_at(model, solved, model.busiest_source(solved), flits),
                      .channels = {},
                      .ending = solved.ending};
  point.by_length = latencies_of(solved, kinds);
  if (const auto busiest = model.busiest(solved))
    point.bottleneck = channel_at(model, solved, *busiest, flits);
  if (query.channels)
    for (const std::size_t channel : model.busiest(solved, *query.channels))
      point.channels.push_back(channel_at(model, solved, channel, flits));
  return point;
}

ModelledWormhole requested_network(const WormholeQuery& query) {
  return {.network = query.network,
          .variant = query.variant,
          .messages = messages_of(query.network, query.messages),
          .virtual_channels = query.virtual_channels,
          .buffer_flits = query.buffer_flits,
          .timing = query.timing};
}

Worms worms_of(const ModelledWormhole& requested) {
  return {.kinds = bounds::wormhole::kinds_of(requested.messages.kinds),
          .buffer_flits = static_cast<double>(requested.buffer_flits),
          .timing = requested.timing};
}

/// Without: one kind of messages, with the traffic of the network.
bool has_classes(const ModelledWormhole& requested) {
  return requested.messages.kinds.size() > 1 || !requested.messages.kinds.front().name.empty();
}

/// Of a link of a named topology: those of each virtual network.
std::vector<int> channels_of_each(const ModelledWormhole& requested, const network::WormTopology& topology) {
  std::vector<int> channels;
  for (const std::optional<int>& its : requested.messages.virtual_channels)
    channels.push_back(
        its.value_or(requested.virtual_channels.value_or(network::usual_virtual_channels(topology))));
  return channels;
}

/// Do packets of a link use any of several virtual channels on one physical channel?
bool has_several_virtual_channels(const network::WormNetwork& network) {
  const network::WormLayout& layout = network.layout();
  return std::any_of(layout.stations.begin(), layout.stations.end(),
                     [&](const network::WormStation& station) {
                       return station.count > 1 &&
                              layout.channels[station.first].wire == layout.channels[station.first + 1].wire;
                     });
}

/// Does each physical channel belong to one station, and has no source virtual channels of its own? Only then
/// is it known for a network file which packets share a physical channel.
bool shares_plainly(const network::RoutedWormNetwork& network) {
  const network::WormLayout& layout = network.layout();
  std::vector<std::uint32_t> station_of(layout.wires, network::WormNetwork::arrived);
  for (const network::WormChannel& channel : layout.channels) {
    std::uint32_t& station = station_of[channel.wire];
    if (station != network::WormNetwork::arrived && station != channel.station) return false;
    station = channel.station;
  }
  const auto& flows = network.traffic().flows;
  return std::all_of(flows.begin(), flows.end(), [&](const network::WormFlow& flow) {
    return layout.stations[network.next_station({.source = flow.source, .destination = flow.destination})]
               .count == 1;
  });
}

/// A feature without any model.
struct Unmodelled {
  const char* argument;
  std::string value;
  const char* legal;    ///< "it must be .."
  const char* missing;  ///< "there is no model of .."
};

bool is_fat_tree(const network::WormTopology& topology) {
  return topology.shape == network::WormShape::butterfly_fat_tree;
}

/// Classes of messages.
std::optional<Unmodelled> unmodelled_classes(const ModelledWormhole& requested) {
  const auto* topology = std::get_if<network::WormTopology>(&requested.network);
  if (topology == nullptr) {
    const auto& networks = std::get<OwnWormNetwork>(requested.network).classes->networks;
    if (std::all_of(networks.begin(), networks.end(), [](const auto& each) { return shares_plainly(*each); }))
      return std::nullopt;
    return Unmodelled{
        "class", requested.messages.kinds.front().name,
        "omitted in a network file with dateline classes, or with several virtual channels at "
        "its sources",
        "classes of messages with dateline classes, or with several virtual channels at sources"};
  }
  if (topology->shape != network::WormShape::unidirectional_torus) return std::nullopt;
  const int usual = network::usual_virtual_channels(*topology);
  for (const int channels : channels_of_each(requested, *topology))
    if (channels != usual)
      return Unmodelled{"virtual channels", std::to_string(channels),
                        "2 for each class in a unidirectional torus, one per dateline class",
                        "classes of messages in a unidirectional torus with more virtual channels than "
                        "dateline classes"};
  return std::nullopt;
}

std::optional<Unmodelled> unmodelled(const ModelledWormhole& requested) {
  const bool finite_source =
      requested.variant.value_or(usual_variant(requested.network)) == WormholeVariant::finite_source;
  const std::string buffer = std::to_string(requested.buffer_flits);
  const network::MessageKind& first = requested.messages.kinds.front();
  const bool classes = has_classes(requested);
  if (classes && !finite_source)
    return Unmodelled{"class", first.name,
                      "omitted in the published variants; variant finite-source supports classes",
                      "classes of messages in the published variants"};
  if (first.lengths.is_geometric() && !finite_source)
    return Unmodelled{"lengths", "geometric",
                      "fixed in the published variants; variant finite-source supports others",
                      "messages of geometric length in the published variants"};
  if (!first.lengths.single() && !finite_source)
    return Unmodelled{"flits", first.lengths.text(),
                      "one length in the published variants; variant finite-source supports others",
                      "messages of several lengths in the published variants"};
  if (requested.timing.reallocate == network::Reallocate::tail)
    return Unmodelled{"reallocate", "tail", "empty by models", "virtual channels reallocated at the tail"};
  const network::RouterTiming usual, &timing = requested.timing;
  if (timing != usual && !finite_source) {
    const auto [name, cycles] =
        timing.router_cycles != usual.router_cycles ? std::pair{"router cycles", timing.router_cycles}
        : timing.link_cycles != usual.link_cycles   ? std::pair{"link cycles", timing.link_cycles}
                                                    : std::pair{"credit cycles", timing.credit_cycles};
    return Unmodelled{name, std::to_string(cycles),
                      "omitted in the published variants; variant finite-source supports it",
                      "router, link or credit latencies in the published variants"};
  }
  const auto* topology = std::get_if<network::WormTopology>(&requested.network);
  if (topology != nullptr && topology->ends.by_channels())
    return Unmodelled{topology->ends.injection == network::Injection::channels ? "injection" : "ejection",
                      "channels",
                      "one, or use simulation: the models have no virtual channels at the ends of nodes",
                      "virtual channels at the ends of nodes"};
  if (topology != nullptr && is_fat_tree(*topology) && requested.virtual_channels.value_or(1) != 1 &&
      !finite_source)
    return Unmodelled{
        "virtual channels", std::to_string(*requested.virtual_channels),
        "1 in the published variants of a butterfly fat-tree; variant finite-source supports others",
        "several virtual channels in the published variants of a butterfly fat-tree"};
  if (classes)
    if (const auto unknown = unmodelled_classes(requested)) return unknown;
  if (requested.buffer_flits == 1) return std::nullopt;
  if (!finite_source)
    return Unmodelled{"buffer flits", buffer,
                      "1 in the published variants; variant finite-source supports others",
                      "buffers of several flits in the published variants"};
  if (topology != nullptr) return std::nullopt;
  const network::RoutedWormNetwork& own = *std::get<OwnWormNetwork>(requested.network).network;
  if (has_several_virtual_channels(own) && !shares_plainly(own))
    return Unmodelled{"buffer flits", buffer,
                      "1 in a network file with classes of virtual channels, or with several at its sources",
                      "deeper buffers with classes of virtual channels, or with several at sources"};
  return std::nullopt;
}

/// The model of the query.
std::shared_ptr<const Model> requested_model(const WormholeQuery& query) {
  WormholeModel found = wormhole_model_of(requested_network(query));
  if (!found.model) throw LimitExceeded(found.missing + "; simulate wormhole does without a model");
  return std::move(found.model);
}

/// Number of channels of history in packets' routes, where the next channel depends on the previous ones.
constexpr int remembered_channels = 2;

bool is_torus(network::WormShape shape) {
  return shape == network::WormShape::unidirectional_torus || shape == network::WormShape::torus;
}

/// A network by enumerating its routes, with history if finite sources need it.
network::ChannelGraph walked(const network::WormNetwork& worms, const network::WormTraffic& traffic,
                             Equations equations) {
  network::ChannelGraph graph = network::walk_graph(worms, traffic);
  if (equations == Equations::finite_source)
    static_cast<void>(network::add_trails(graph, worms, traffic, remembered_channels));
  return graph;
}

/// If virtual channels share physical channels: by finite sources and the packets that share a channel.
/// Nothing if they do not, or if that would take too long.
std::optional<Model> shared_model(const WormholeNetwork& network, std::optional<int> virtual_channels,
                                  const Worms& worms) {
  // In a unidirectional ring, packets that meet follow one another elsewhere, which is not in these sums. It
  // has classes of virtual channels, also in files.
  const auto* topology = std::get_if<network::WormTopology>(&network);
  if (topology != nullptr ? topology->shape == network::WormShape::unidirectional_torus
                          : !shares_plainly(*std::get<OwnWormNetwork>(network).network))
    return std::nullopt;
  const auto several = worm_network(network, virtual_channels);
  const network::WormLayout& layout = several->layout();
  if (!layout.shares_wires()) return std::nullopt;
  const network::WormTraffic traffic = traffic_of(network);
  const double nodes = layout.nodes;
  const double flows =
      traffic.flows.empty() ? nodes * (nodes - 1) : static_cast<double>(traffic.flows.size());
  // Each route has at least one step on a shared channel, except a few within one router.
  if (flows * layout.variants > static_cast<double>(network::max_shared_steps)) return std::nullopt;
  const network::OneLane one(several);
  network::ChannelGraph graph = network::walk_graph(one, traffic);
  graph.name = name(network);
  const auto shared = network::wire_sharing(one, traffic, graph);
  if (!shared) return std::nullopt;
  if (topology != nullptr && (is_torus(topology->shape) || !topology->pattern.uniform()))
    static_cast<void>(network::add_trails(graph, one, traffic, remembered_channels));
  return Model(std::move(graph), Equations::finite_source, worms, *shared);
}

/// The same network by enumerating its routes, with history; unchanged if that would take too long.
network::ChannelGraph with_trails(const network::WormTopology& topology, network::ChannelGraph graph) {
  const double nodes = static_cast<double>(topology.nodes);
  if (nodes * nodes * graph.mean_distance > static_cast<double>(network::max_trail_steps)) return graph;
  const auto worms = network::worm_network(topology, network::usual_virtual_channels(topology));
  network::ChannelGraph walked = network::walk_graph(*worms, {});
  if (!network::add_trails(walked, *worms, {}, remembered_channels)) return graph;
  walked.name = graph.name;
  walked.worms_met = graph.worms_met;  // exact in a torus of any size
  return walked;
}

void check_query(const WormholeQuery& query) {
  check(query.offered);
  if (query.buffer_flits < 1 || query.buffer_flits > 1'000'000)
    throw InvalidArgument("buffer flits", std::to_string(query.buffer_flits), "an integer from 1 to 1000000");
  check(query.timing);
  if (const auto unknown = unmodelled(requested_network(query)))
    throw InvalidArgument(unknown->argument, unknown->value, unknown->legal);
  if (!query.channels || query.offered.values.empty()) return;
  const std::size_t loads = query.offered.values.size(), maximum = max_channels_listed / loads;
  if (*query.channels > maximum)
    throw InvalidArgument("channels", std::to_string(*query.channels),
                          "at most " + std::to_string(maximum) + " for " + std::to_string(loads) + " loads");
}

}  // namespace

std::string name(const WormholeNetwork& network) {
  if (const auto* own = std::get_if<OwnWormNetwork>(&network)) return own->network->layout().name;
  return network::name(std::get<network::WormTopology>(network));
}

std::int64_t node_count(const WormholeNetwork& network) {
  if (const auto* own = std::get_if<OwnWormNetwork>(&network)) return own->network->layout().nodes;
  return std::get<network::WormTopology>(network).nodes;
}

std::optional<int> usual_virtual_channels(const WormholeNetwork& network) {
  const auto* topology = std::get_if<network::WormTopology>(&network);
  return topology ? std::optional(network::usual_virtual_channels(*topology)) : std::nullopt;
}

network::WormTraffic traffic_of(const WormholeNetwork& network) {
  if (const auto* own = std::get_if<OwnWormNetwork>(&network)) return own->network->traffic();
  return network::traffic_of(std::get<network::WormTopology>(network));
}

std::shared_ptr<const network::WormNetwork> worm_network(const WormholeNetwork& network,
                                                         std::optional<int> virtual_channels) {
  if (const auto* own = std::get_if<OwnWormNetwork>(&network)) {
    if (virtual_channels)
      throw InvalidArgument("virtual channels", std::to_string(*virtual_channels),
                            "omitted: the network file defines it");
    return own->network;
  }
  const auto& topology = std::get<network::WormTopology>(network);
  return network::worm_network(topology,
                               virtual_channels.value_or(network::usual_virtual_channels(topology)));
}

network::MessageMix messages_of(const WormholeNetwork& network, const network::WormMessages& messages) {
  const auto* own = std::get_if<OwnWormNetwork>(&network);
  if (own != nullptr && own->classes) return own->classes->mix;
  if (own == nullptr && !messages.classes.empty())
    return network::message_mix(std::get<network::WormTopology>(network), messages);
  return {
      .kinds = {{.lengths = messages.flits}}, .virtual_channels = {std::nullopt}, .virtual_networks = {""}};
}

double mean_flits(const WormholeNetwork& network, const network::WormMessages& messages) {
  return numeric::nearest_double(network::mean_flits(messages_of(network, messages).kinds));
}

namespace {

/// A user-defined network, with all virtual networks of its classes.
std::shared_ptr<const network::WormNetwork> with_virtual_networks(const OwnWormNetwork& own) {
  if (!own.classes || own.classes->networks.size() == 1) return own.network;
  return std::make_shared<const network::VirtualNetworks>(
      std::vector<std::shared_ptr<const network::WormNetwork>>(own.classes->networks.begin(),
                                                               own.classes->networks.end()),
      own.classes->mix.virtual_networks);
}

}  // namespace

WormMix mix_of(const WormholeNetwork& network, const network::WormMessages& messages,
               std::optional<int> virtual_channels) {
  if (const auto* own = std::get_if<OwnWormNetwork>(&network)) {
    if (own->classes) return {own->classes->mix.kinds, with_virtual_networks(*own)};
    return {{{.lengths = messages.flits, .traffic = own->network->traffic()}},
            worm_network(network, virtual_channels)};
  }
  const auto& topology = std::get<network::WormTopology>(network);
  network::MessageMix mix = network::message_mix(topology, messages);
  const int usual = virtual_channels.value_or(network::usual_virtual_channels(topology));
  auto made = network::network_of(mix, usual, [&](int channels) {
    return std::shared_ptr<const network::WormNetwork>(network::worm_network(topology, channels));
  });
  return {std::move(mix.kinds), std::move(made)};
}

double mean_distance(const WormholeNetwork& network) {
  return wormhole_model(network, WormholeVariant::paper).graph().mean_distance;
}

WormholeVariant usual_variant(const WormholeNetwork& network) {
  const auto* topology = std::get_if<network::WormTopology>(&network);
  // About 1500 classes of channels: seconds for a saturation load. Fat-trees and hypercubes have few at any
  // size.
  std::int64_t maximum = 1024;
  if (topology != nullptr && network::has_dimensions(topology->shape)) {
    if (topology->shape == network::WormShape::unidirectional_torus) maximum = 256;
    if (topology->shape == network::WormShape::torus) maximum = 512;
  } else if (topology != nullptr) {
    return WormholeVariant::finite_source;
  }
  return node_count(network) <= maximum ? WormholeVariant::finite_source : WormholeVariant::paper;
}

namespace {

/// Each upward route is different; larger fat-trees have too many.
constexpr std::int64_t max_walked_fat_tree_nodes = 256;

/// With a non-default number of virtual channels, channel by channel, unless that would take long.
WormholeModel walked_model(const ModelledWormhole& requested, int virtual_channels) {
  constexpr double calls_of_a_wire = 50;
  const WormholeVariant variant = requested.variant.value_or(usual_variant(requested.network));
  const bool finite = variant == WormholeVariant::finite_source;
  const auto* topology = std::get_if<network::WormTopology>(&requested.network);
  const bool tree = topology != nullptr && is_fat_tree(*topology);
  const std::string per_link = std::to_string(virtual_channels) + " virtual channel" +
                               (virtual_channels == 1 ? "" : "s") + " per link";
  const WormholeModel too_long{.missing = "the model with " + per_link + " of the " +
                                          name(requested.network) + " would take too long"};
  if (tree && topology->nodes > max_walked_fat_tree_nodes) return too_long;
  const int modelled = finite ? std::min(virtual_channels, max_channels_modelled) : virtual_channels;
  const auto worms = worm_network(requested.network, modelled);
  const network::WormLayout& layout = worms->layout();
  const double nodes = layout.nodes, each = modelled, wires = layout.wires;
  const double calls = nodes * nodes * layout.variants * mean_distance(requested.network) * each;
  if (calls + calls_of_a_wire * wires * each * each * each > max_walk_calls) return too_long;
  try {
    if (finite)
      if (auto model = shared_model(requested.network, modelled, worms_of(requested)))
        return {.model = std::make_shared<const Model>(*std::move(model))};
    if (requested.buffer_flits > 1 || tree)
      return {.missing = "there is no model of the " + name(requested.network) + " with " + per_link +
                         (tree ? "" : " and buffers of several flits") + "; the default, " +
                         std::to_string(network::usual_virtual_channels(*topology)) + ", has one"};
    const Equations equations = finite ? Equations::finite_source : Equations::published;
    return {.model = std::make_shared<const Model>(walked(*worms, traffic_of(requested.network), equations),
                                                   equations, finite ? worms_of(requested) : Worms{})};
  } catch (const LimitExceeded&) {
    return too_long;
  }
}

}  // namespace

namespace {

/// All virtual networks, as far as they are modelled.
/// \throws InvalidArgument  too many virtual channels
std::shared_ptr<const network::WormNetwork> network_with_classes(const ModelledWormhole& requested) {
  const network::MessageMix& mix = requested.messages;
  const auto* topology = std::get_if<network::WormTopology>(&requested.network);
  if (topology == nullptr) return with_virtual_networks(std::get<OwnWormNetwork>(requested.network));
  const auto of_channels = [&](int channels) { return worm_network(requested.network, channels); };
  const int usual = requested.virtual_channels.value_or(network::usual_virtual_channels(*topology));
  static_cast<void>(network::network_of(mix, usual, of_channels));  // checks the numbers
  network::MessageMix modelled = mix;
  for (std::optional<int>& channels : modelled.virtual_channels)
    channels = std::min(channels.value_or(usual), max_channels_modelled);
  return network::network_of(modelled, usual, of_channels);
}

/// Several kinds of messages, channel by channel.
WormholeModel model_with_classes(const ModelledWormhole& requested) {
  constexpr double calls_of_a_wire = 50;
  const WormholeModel too_long{.missing = "the model of several classes of messages in the " +
                                          name(requested.network) + " would take too long"};
  const auto* topology = std::get_if<network::WormTopology>(&requested.network);
  if (topology != nullptr && is_fat_tree(*topology) && topology->nodes > max_walked_fat_tree_nodes)
    return too_long;
  const network::MessageMix& mix = requested.messages;
  const auto worms = network_with_classes(requested);
  const network::WormLayout& layout = worms->layout();
  const auto flows =
      network::flows_of(mix.kinds, layout, static_cast<std::uint32_t>(mix.virtual_channels.size()));
  double routes = 0;
  bool remembers = topology == nullptr || is_torus(topology->shape);
  for (const network::MessageFlows& its : flows) {
    routes += its.pairs(layout.nodes) * its.variants;
    remembers = remembers || !its.traffic.flows.empty();
  }
  const double on_a_wire = static_cast<double>(layout.channels.size()) / layout.wires;
  const double calls = routes * mean_distance(requested.network) * on_a_wire;
  if (calls + calls_of_a_wire * layout.wires * on_a_wire * on_a_wire * on_a_wire > max_walk_calls)
    return too_long;
  const auto add_history = [&](network::ChannelGraph& graph, const network::WormNetwork& walked) {
    return (remembers && network::add_kind_trails(graph, walked, flows, remembered_channels)) ||
           network::add_kind_trails(graph, walked, flows, 0);
  };
  const bool one_way = topology != nullptr && topology->shape == network::WormShape::unidirectional_torus;
  try {
    if (!layout.shares_wires() || one_way) {
      network::ChannelGraph graph = network::walk_kinds(*worms, flows);
      graph.name = name(requested.network);
      if ((one_way && graph.worms_met == 0) || !add_history(graph, *worms)) return too_long;
      return {.model = std::make_shared<const Model>(std::move(graph), Equations::finite_source,
                                                     worms_of(requested))};
    }
    const network::OneLane one(worms);
    network::ChannelGraph graph = network::walk_kinds(one, flows);
    graph.name = name(requested.network);
    const auto shared = network::kind_wire_sharing(one, flows, graph);
    if (!shared || !add_history(graph, one)) return too_long;
    return {.model = std::make_shared<const Model>(std::move(graph), Equations::finite_source,
                                                   worms_of(requested), *shared)};
  } catch (const LimitExceeded&) {
    return too_long;
  }
}

}  // namespace

WormholeModel wormhole_model_of(const ModelledWormhole& requested) {
  if (const auto unknown = unmodelled(requested))
    return {.missing = std::string("there is no model of ") + unknown->missing};
  if (has_classes(requested)) return model_with_classes(requested);
  const std::optional<int> given = requested.virtual_channels;
  if (!given || given == usual_virtual_channels(requested.network))
    return {.model = std::make_shared<const Model>(
                wormhole_model(requested.network, requested.variant, worms_of(requested)))};
  static_cast<void>(worm_network(requested.network, given));  // checks the number
  return walked_model(requested, *given);
}

Model wormhole_model(const WormholeNetwork& network, std::optional<WormholeVariant> given, Worms worms) {
  const WormholeVariant variant = given.value_or(usual_variant(network));
  const auto* topology = std::get_if<network::WormTopology>(&network);
  const Equations equations =
      variant == WormholeVariant::finite_source ? Equations::finite_source : Equations::published;
  if (equations == Equations::published) worms = {};
  if (equations == Equations::finite_source)
    if (auto model = shared_model(network, {}, worms)) return *std::move(model);
  if (topology == nullptr) {
    const network::RoutedWormNetwork& own = *std::get<OwnWormNetwork>(network).network;
    return Model(walked(own, own.traffic(), equations), equations, worms);
  }
  if (!topology->usual()) {
    const auto routed = network::worm_network(*topology, network::usual_virtual_channels(*topology));
    network::ChannelGraph graph = walked(*routed, network::traffic_of(*topology), equations);
    graph.name = network::name(*topology);
    return Model(std::move(graph), equations, worms);
  }
  network::ChannelGraph graph = network::channel_graph(*topology, variant == WormholeVariant::paper
                                                                      ? network::FatTreeVariant::paper
                                                                      : network::FatTreeVariant::conditional);
  if (equations == Equations::finite_source && is_torus(topology->shape))
    graph = with_trails(*topology, std::move(graph));
  return Model(std::move(graph), equations, worms);
}

std::vector<MessageLatency> latencies_of(const Point& solved,
                                         const std::vector<network::MessageKind>& kinds) {
  std::vector<MessageLatency> all;
  for (std::size_t k = 0; k < solved.kinds.size(); ++k) {
    const bounds::wormhole::KindFigures& kind = solved.kinds[k];
    if (kinds.size() > 1 && kind.lengths.size() != 1)
      all.push_back({.name = kinds[k].name,
                     .share = kind.share,
                     .latency = {kind.latency},
                     .source_wait = {kind.source_wait}});
    if (kinds.size() == 1 && kind.lengths.size() == 1) continue;
    for (const bounds::wormhole::LengthFigures& length : kind.lengths)
      all.push_back({.name = kinds[k].name,
                     .flits = length.flits,
                     .share = length.share,
                     .latency = {length.latency},
                     .source_wait = {kind.source_wait}});
  }
  return all;
}

std::optional<numeric::Model<unit::Cycle>> wormhole_latency(const Model& model, double flits, double load) {
  const Point solved = model.solve(load);
  if (!solved.solved()) return std::nullopt;
  return numeric::Model<unit::Cycle>{solved.latency(flits)};
}

LatencyOfLoad latency_of_load(std::shared_ptr<const Model> model, double flits, double last,
                              std::vector<double> loads) {
  constexpr double idle = 0.01;  // of the last load
  loads.push_back(idle * last);
  loads.push_back(last);
  return {.at = [model = std::move(model), flits](double load) -> std::optional<double> {
            const Point solved = model->solve(load);
            if (!solved.solved()) return std::nullopt;
            return solved.latency(flits);
          },
          .loads = std::move(loads)};
}

namespace {

/// Up to where plots go, of saturation. Where messages differ, the rounds do not converge at single loads
/// just below it, and search for long.
double plotted_to(const WormholeAnswer& answer) {
  const bool differ = !answer.points.empty() && !answer.points.front().by_length.empty();
  return (differ ? 0.97 : 0.985) * answer.saturation.value;
}

}  // namespace

std::vector<LatenciesAtLoad> latencies_by_load(const WormholeQuery& query, const WormholeAnswer& answer) {
  constexpr int count = 40;
  const std::shared_ptr<const Model> model = requested_model(query);
  const std::vector<network::MessageKind> kinds = messages_of(query.network, query.messages).kinds;
  const double flits = numeric::nearest_double(network::mean_flits(kinds));
  std::vector<LatenciesAtLoad> all;
  for (int i = 0; i <= count; ++i) {
    const double left = 1 - static_cast<double>(i) / count;  // closer together near saturation
    const double load = plotted_to(answer) * (1 - left * left);
    const Point solved = model->solve(load);
    if (solved.solved()) all.push_back({load, solved.latency(flits), latencies_of(solved, kinds)});
  }
  return all;
}

LatencyOfLoad latency_of_load(const WormholeQuery& query, const WormholeAnswer& answer) {
  std::vector<double> requested;
  for (const WormholePoint& point : answer.points) requested.push_back(point.load);
  return latency_of_load(requested_model(query), mean_flits(query.network, query.messages),
                         plotted_to(answer), std::move(requested));
}

namespace {

/// Does each node send to one other node, and receive from one?
bool is_permutation(const network::WormTraffic& traffic) {
  std::set<std::uint32_t> senders, receivers;
  return !traffic.flows.empty() &&
         std::all_of(traffic.flows.begin(), traffic.flows.end(), [&](const network::WormFlow& flow) {
           return senders.insert(flow.source).second && receivers.insert(flow.destination).second;
         });
}

/// Heuristic equations: a unidirectional torus with more virtual channels than classes.
bool is_heuristic(const WormholeQuery& query) {
  const auto* topology = std::get_if<network::WormTopology>(&query.network);
  return topology != nullptr && topology->shape == network::WormShape::unidirectional_torus &&
         query.virtual_channels.value_or(0) > network::usual_virtual_channels(*topology);
}

}  // namespace

MeasuredModel measured_model(WormholeVariant variant) {
  return variant == WormholeVariant::paper ? MeasuredModel::wormhole_paper
                                           : MeasuredModel::wormhole_finite_source;
}

RequestedAccuracy requested_accuracy(const WormholeQuery& query, std::vector<double> at) {
  RequestedAccuracy requested{.model = measured_model(query.variant.value_or(usual_variant(query.network))),
                              .settings = {},
                              .at = std::move(at)};
  const auto* topology = std::get_if<network::WormTopology>(&query.network);
  // Nothing similar was measured for networks without settings in the table.
  const network::MessageLengths& flits = query.messages.flits;
  const bool measured = query.messages.classes.empty() && (flits.single() || flits.is_geometric());
  if (topology != nullptr && topology->usual() && measured)
    requested.settings = accuracy_settings(
        {.topology = *topology,
         .virtual_channels = query.virtual_channels,
         .flits = flits.largest(),
         .buffer_flits = query.buffer_flits,
         .lengths = flits.is_geometric() ? sim::WormLengths::geometric : sim::WormLengths::fixed,
         .timing = query.timing});
  else
    requested.settings = {{Setting::own_network, 1}};
  return requested;
}

bool is_saturation(const bounds::wormhole::SaturationSides& sides, const WormholeQuery& query) {
  if (sides.wire >= bounds::wormhole::SaturationSides::least_fullness) return true;
  if (sides.saturated() && !is_permutation(traffic_of(query.network)) && !is_heuristic(query)) return true;
  return saturation_agrees(requested_accuracy(query, {}));
}

WormholeAnswer answer(const WormholeQuery& query, const Run& run) {
  check_query(query);
  const std::shared_ptr<const Model> requested = requested_model(query);
  const Model& model = *requested;
  const bounds::wormhole::SaturationSides sides = model.saturation_sides();
  const std::vector<network::MessageKind> kinds = messages_of(query.network, query.messages).kinds;
  WormholeAnswer answer{
      .network = name(query.network),
      .saturation = {sides.below},
      .unsolved = {sides.above},
      .fullness = {sides.fullness},
      .why_unsolved = bounds::in_words(sides.beyond),
      .mean_distance = {model.graph().mean_distance},
      .deadlock_cycle = {},
      .shorter_than_path = numeric::nearest_double(network::mean_flits(kinds)) < model.graph().mean_distance,
      .points = {},
      .saturated = is_saturation(sides, query)};
  if (kinds.size() > 1) {
    answer.saturating_class = kinds[sides.kind].name;
    answer.saturating_channel = model.graph().channels[sides.channel].name;
  }
  for (const std::size_t channel : model.cycle())
    answer.deadlock_cycle.push_back(model.graph().channels[channel].name);
  const std::vector<numeric::Rational> values = query.offered.values;
  auto loads = answered_loads(for_each_point(values.size(), run, [=](std::size_t i) {
    return row_of(i, values.size() == 1, [&] {
      return solve(*requested, query, kinds, query.offered.absolute(values[i], sides.below), sides);
    });
  }));
  answer.points = std::move(loads.points);
  answer.refused = std::move(loads.refused);
  answer.stopped = loads.stopped;
  return answer;
}

}  // namespace tailbound::answers
