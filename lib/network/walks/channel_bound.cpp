#include <tailbound/network/walks/channel_bound.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tailbound::network {
namespace {

using numeric::Integer;
using numeric::Rational;
using numeric::whole;

ChannelBound busier(ChannelBound a, ChannelBound b) {
  return a.utilization < b.utilization ? std::move(b) : std::move(a);
}

/// "(3,0,0) -> (4,0,0)": along the first dimension.
std::string link_name(std::int64_t from, std::int64_t to, int dimensions) {
  const auto node = [&](std::int64_t at) {
    std::string text = "(" + std::to_string(at);
    for (int i = 1; i < dimensions; ++i) text += ",0";
    return text + ")";
  };
  return node(from) + " -> " + node(to);
}

/// A link at the middle of a row of k nodes, or any of a ring: messages of all pairs of the row's nodes that cross it.
struct RowLink {
  Rational pairs;
  std::int64_t from = 0, to = 1;
};

RowLink busiest_of_row(WormShape shape, std::int64_t k) {
  switch (shape) {
    case WormShape::torus:  // a pair j steps apart crosses j of the k links
      return {.pairs = whole(k * (k - 1)) / 2};
    case WormShape::bidirectional_torus:  // up to k/2 steps, that many for half of the pairs
      return {.pairs = whole(k % 2 == 0 ? k * k : k * k - 1) / 8};
    default:
      return {.pairs = whole((k / 2) * (k - k / 2)), .from = k / 2 - 1, .to = k / 2};
  }
}

/// Of a mesh, torus or hypercube: worms on a link along dimension i have their destination's coordinates below i and
/// their source's above, so that k^(n-1) pairs of nodes belong to each pair of the row.
ChannelBound busiest_link(const WormTopology& topology) {
  const int dimensions = dimensions_of(topology);
  std::int64_t k = 2, beyond = 1;
  const auto power = [&](int exponent) {
    std::int64_t product = 1;
    for (int i = 0; i < exponent; ++i) product *= k;
    return product;
  };
  while (power(dimensions) < topology.nodes) ++k;
  beyond = power(dimensions - 1);
  const RowLink link = busiest_of_row(topology.shape, k);
  return {.channel = link_name(link.from, link.to, dimensions),
          .utilization = link.pairs * whole(beyond) / whole(topology.nodes - 1)};
}

/// Of a butterfly fat-tree: P_l 2^l on each channel between levels l and l + 1, up and down.
ChannelBound busiest_level(std::int64_t nodes) {
  ChannelBound busiest{.channel = "injection at processor 0", .utilization = 1};
  std::int64_t below = 4;  // 4^l
  for (int level = 1; below < nodes; ++level, below *= 4)
    busiest =
        busier(std::move(busiest),
               {.channel = "S(" + std::to_string(level) + ",0) -> S(" + std::to_string(level + 1) + ",0)",
                .utilization = whole(nodes - below) * whole(std::int64_t{1} << level) / whole(nodes - 1)});
  return busiest;
}

/// Injection by ports: a message takes each of them with the same probability.
ChannelBound injection_of(const WormEnds& ends, int dimensions, const Rational& messages, const char* node) {
  if (ends.injection == Injection::ports)
    return {.channel = "port 1 of " + std::string(node), .utilization = messages / whole(dimensions)};
  return {.channel = "injection at " + std::string(node), .utilization = messages};
}

ChannelBound with_ends(ChannelBound link, const WormEnds& ends, int dimensions, const Rational& messages,
                       const std::string& node) {
  link = busier(std::move(link), injection_of(ends, dimensions, messages, node.c_str()));
  if (ends.ejection == Ejection::one)
    link = busier(std::move(link), {.channel = "ejection at " + node, .utilization = messages});
  return link;
}

}  // namespace

ChannelBound channel_bound(const WormTopology& topology) {
  check(topology);
  ChannelBound bound;
  if (topology.shape == WormShape::butterfly_fat_tree) {
    bound = busiest_level(topology.nodes);
  } else {
    const int dimensions = dimensions_of(topology);
    const std::string origin = link_name(0, 0, dimensions);
    bound =
        with_ends(busiest_link(topology), topology.ends, dimensions, 1, origin.substr(0, origin.find(' ')));
  }
  bound.senders = static_cast<std::uint32_t>(topology.nodes);
  return bound;
}

ChannelBound channel_bound(const RoutedWormNetwork& network) {
  const std::vector<PhysicalChannel> channels = network.physical_channels();
  const auto busiest = std::max_element(
      channels.begin(), channels.end(),
      [](const PhysicalChannel& a, const PhysicalChannel& b) { return a.utilization < b.utilization; });
  const Rational busy = busiest->utilization * busy_channel_percent / 100;
  std::vector<bool> sends(network.layout().nodes);
  for (const PhysicalChannel& channel : channels)
    if (channel.utilization >= busy)
      for (const std::uint32_t source : channel.sources) sends[source] = true;
  return {.channel = busiest->name,
          .utilization = busiest->utilization,
          .senders = static_cast<std::uint32_t>(std::count(sends.begin(), sends.end(), true))};
}

ChannelBound channel_bound(int dimensions, const WormEnds& ends, const numeric::Rational& broadcast) {
  const std::int64_t nodes = std::int64_t{1} << dimensions;
  // Of each message generated: worms that are sent, as many as arrive; and links crossed, over the links of a node.
  const Rational worms = 1 + broadcast * whole(nodes - 2);
  const Rational links = (1 - broadcast) * whole(nodes) / whole(2 * (nodes - 1)) +
                         broadcast * whole(nodes - 1) / whole(dimensions);
  ChannelBound bound = with_ends({.channel = "0 -> 1", .utilization = links}, ends, dimensions, worms, "0");
  bound.senders = static_cast<std::uint32_t>(nodes);
  return bound;
}

}  // namespace tailbound::network
