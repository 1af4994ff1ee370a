#include <tailbound/network/walks/channel_bound.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tailbound::network {
namespace {

using numeric::Integer;
using numeric::Rational;

ChannelBound busier(ChannelBound a, ChannelBound b) {
  return a.utilization < b.utilization ? std::move(b) : std::move(a);
}

/// "(3,0,0) -> (4,0,0)", along the first of three dimensions.
std::string link_name(std::int64_t from, std::int64_t to, std::size_t along, std::size_t dimensions) {
  const auto node = [&](std::int64_t at) {
    std::string text;
    for (std::size_t i = 0; i < dimensions; ++i)
      text += (i == 0 ? "(" : ",") + std::to_string(i == along ? at : 0);
    return text + ")";
  };
  return node(from) + " -> " + node(to);
}

/// A link in the middle of a row of k nodes, or any link of a ring: messages over all pairs of the row's
/// nodes that cross it.
struct RowLink {
  Rational pairs;
  std::int64_t from = 0, to = 1;
};

RowLink busiest_of_row(WormShape shape, std::int64_t k) {
  switch (shape) {
    case WormShape::unidirectional_torus:  // a pair j steps apart crosses j of the k links
      return {.pairs = Rational(k * (k - 1)) / 2};
    case WormShape::torus:  // up to k/2 steps; this distance for half of the pairs
      return {.pairs = Rational(k % 2 == 0 ? k * k : k * k - 1) / 8};
    default:
      return {.pairs = Rational((k / 2) * (k - k / 2)), .from = k / 2 - 1, .to = k / 2};
  }
}

/// For a mesh, torus or hypercube: messages on a link along dimension i have their destination's coordinates
/// below i and their source's above. So each pair of the row stands for as many pairs of routers as the
/// product of the other sides, and each of these for the square of the nodes per router.
ChannelBound busiest_link(const WormTopology& topology) {
  const std::vector<std::int64_t> sides = sides_of(topology);
  const std::int64_t of_routers = std::int64_t{topology.concentration} * topology.concentration;
  const std::int64_t routers = topology.nodes / topology.concentration;
  ChannelBound busiest;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const RowLink link = busiest_of_row(topology.shape, sides[i]);
    busiest =
        busier(std::move(busiest), {.channel = link_name(link.from, link.to, i, sides.size()),
                                    .utilization = link.pairs * Rational(routers / sides[i] * of_routers) /
                                                   Rational(topology.nodes - 1)});
  }
  return busiest;
}

/// For a butterfly fat-tree: P_l 2^l on each channel between levels l and l + 1, up and down.
ChannelBound busiest_level(std::int64_t nodes) {
  ChannelBound busiest{.channel = "injection at processor 0", .utilization = 1};
  std::int64_t below = 4;  // 4^l
  for (int level = 1; below < nodes; ++level, below *= 4)
    busiest = busier(
        std::move(busiest),
        {.channel = "S(" + std::to_string(level) + ",0) -> S(" + std::to_string(level + 1) + ",0)",
         .utilization = Rational(nodes - below) * Rational(std::int64_t{1} << level) / Rational(nodes - 1)});
  return busiest;
}

/// Injection by ports: a message takes each port with the same probability.
ChannelBound injection_of(const WormEnds& ends, int dimensions, const Rational& messages, const char* node) {
  if (ends.injection == Injection::ports)
    return {.channel = "port 1 of " + std::string(node), .utilization = messages / Rational(dimensions)};
  return {.channel = "injection at " + std::string(node), .utilization = messages};
}

ChannelBound with_ends(ChannelBound link, const WormEnds& ends, int dimensions, const Rational& messages,
                       const std::string& node) {
  link = busier(std::move(link), injection_of(ends, dimensions, messages, node.c_str()));
  if (ends.ejection != Ejection::unlimited)
    link = busier(std::move(link), {.channel = "ejection at " + node, .utilization = messages});
  return link;
}

/// All routes of one message: calls `at(channel, share)` for each physical channel that it may cross, with
/// one of its virtual channels.
template <class At>
void walk_paths(const WormNetwork& worms, const WormHead& head, std::int64_t share, const At& at) {
  const std::uint32_t next = worms.next_station(head);
  if (next == WormNetwork::arrived) return;
  const WormLayout& layout = worms.layout();
  const WormStation& station = layout.stations[next];
  const auto wire = [&](std::uint32_t channel) { return layout.channels[channel].wire; };
  const std::uint32_t wires = 1 + wire(station.first + station.count - 1) - wire(station.first);
  for (std::uint32_t channel = station.first; channel < station.first + station.count; ++channel) {
    if (channel > station.first && wire(channel) == wire(channel - 1)) continue;
    at(channel, share / wires);
    WormHead there = head;
    there.channel = channel;
    ++there.passed;
    walk_paths(worms, there, share / wires, at);
  }
}

/// "(1,2) -> (2,2)" of "(1,2) -> (2,2), low".
std::string without_class(const std::string& channel) {
  return channel.substr(0, channel.find(", "));
}

ChannelBound busiest_of(const std::vector<PhysicalChannel>& channels, std::size_t nodes) {
  const auto busiest = std::max_element(
      channels.begin(), channels.end(),
      [](const PhysicalChannel& a, const PhysicalChannel& b) { return a.utilization < b.utilization; });
  const Rational busy = busiest->utilization * busy_channel_percent / 100;
  std::vector<bool> sends(nodes);
  for (const PhysicalChannel& channel : channels)
    if (channel.utilization >= busy)
      for (const std::uint32_t source : channel.sources) sends[source] = true;
  return {.channel = busiest->name,
          .utilization = busiest->utilization,
          .senders = static_cast<std::uint32_t>(std::count(sends.begin(), sends.end(), true))};
}

ChannelBound bound_of_pattern(const WormTopology& topology) {
  const auto worms = worm_network(topology, usual_virtual_channels(topology));
  const WormLayout& layout = worms->layout();
  const PatternFlows all = pattern_flows(grid_of(topology), topology.pattern);
  constexpr std::int64_t whole_message = std::int64_t{1} << 20U;  // routes of a fat-tree split in two
  // Messages of each rate over each physical channel, and their senders: flows are sorted by source.
  std::vector<std::vector<std::int64_t>> shares(layout.wires, std::vector<std::int64_t>(all.rates.size()));
  std::vector<PhysicalChannel> wires(layout.wires);
  for (const PatternFlows::Flow& flow : all.flows)
    for (std::uint32_t variant = 0; variant < layout.variants; ++variant)
      walk_paths(*worms, {.source = flow.source, .destination = flow.destination, .variant = variant},
                 whole_message, [&](std::uint32_t channel, std::int64_t share) {
                   const std::uint32_t wire = layout.channels[channel].wire;
                   shares[wire][flow.rate] += share;
                   std::vector<std::uint32_t>& sources = wires[wire].sources;
                   if (sources.empty()) wires[wire].name = without_class(worms->channel_name(channel));
                   if (sources.empty() || sources.back() != flow.source) sources.push_back(flow.source);
                 });
  for (std::size_t wire = 0; wire < wires.size(); ++wire)
    for (std::size_t rate = 0; rate < all.rates.size(); ++rate)
      wires[wire].utilization = wires[wire].utilization + all.rates[rate] * Rational(shares[wire][rate]) /
                                                              Rational(layout.variants * whole_message);
  return busiest_of(wires, layout.nodes);
}

}  // namespace

ChannelBound channel_bound(const WormTopology& topology) {
  check(topology);
  if (!topology.pattern.uniform()) return bound_of_pattern(topology);
  ChannelBound bound;
  if (topology.shape == WormShape::butterfly_fat_tree) {
    bound = busiest_level(topology.nodes);
  } else {
    const std::size_t dimensions = sides_of(topology).size();
    const std::string origin = link_name(0, 0, 0, dimensions);
    bound = with_ends(busiest_link(topology), topology.ends, static_cast<int>(dimensions), 1,
                      origin.substr(0, origin.find(' ')) + (topology.concentration > 1 ? ":0" : ""));
  }
  bound.senders = static_cast<std::uint32_t>(topology.nodes);
  return bound;
}

ChannelBound channel_bound(const RoutedWormNetwork& network) {
  return busiest_of(network.physical_channels(), network.layout().nodes);
}

ChannelBound channel_bound(int dimensions, const WormEnds& ends, const numeric::Rational& broadcast) {
  const std::int64_t nodes = std::int64_t{1} << dimensions;
  // Per generated message: messages sent, equal to those that arrive; and links crossed, over the links of a
  // node.
  const Rational worms = 1 + broadcast * Rational(nodes - 2);
  const Rational links = (1 - broadcast) * Rational(nodes) / Rational(2 * (nodes - 1)) +
                         broadcast * Rational(nodes - 1) / Rational(dimensions);
  ChannelBound bound = with_ends({.channel = "0 -> 1", .utilization = links}, ends, dimensions, worms, "0");
  bound.senders = static_cast<std::uint32_t>(nodes);
  return bound;
}

}  // namespace tailbound::network
