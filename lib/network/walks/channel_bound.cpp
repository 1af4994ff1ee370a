#include <tailbound/core/error.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>
#include <tailbound/network/walks/channel_bound.hpp>

#include <algorithm>
#include <numeric>
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

// --- Kinds of messages

/// Physical channels of a station, which are consecutive.
std::uint32_t wires_of(const WormLayout& layout, const WormStation& station) {
  return 1 + layout.channels[station.first + station.count - 1].wire - layout.channels[station.first].wire;
}

/// The first channel of the station on the given one of its physical channels.
std::uint32_t channel_on(const WormLayout& layout, const WormStation& station, std::uint32_t wire) {
  std::uint32_t channel = station.first;
  while (layout.channels[channel].wire < layout.channels[station.first].wire + wire) ++channel;
  return channel;
}

/// All routes of one message: calls `at(station, share)` for each station. The route divides only where the
/// next station depends on the physical channel that the message got.
template <class At>
void walk_stations(const WormNetwork& worms, WormHead head, std::int64_t share, const At& at) {
  const WormLayout& layout = worms.layout();
  for (std::uint32_t here = worms.next_station(head); here != WormNetwork::arrived;) {
    at(here, share);
    const WormStation& station = layout.stations[here];
    const std::uint32_t wires = wires_of(layout, station);
    ++head.passed;
    head.channel = station.first;
    const std::uint32_t next = worms.next_station(head);
    bool divides = false;
    for (std::uint32_t wire = 1; wire < wires && !divides; ++wire) {
      head.channel = channel_on(layout, station, wire);
      divides = worms.next_station(head) != next;
    }
    here = next;
    if (!divides) continue;
    if (share % wires != 0)
      throw LimitExceeded("the routes of a message divide into too many parts for an exact bound");
    for (std::uint32_t wire = 0; wire < wires; ++wire) {
      head.channel = channel_on(layout, station, wire);
      walk_stations(worms, head, share / wires, at);
    }
    return;
  }
}

/// Of a kind; uniform traffic with all its pairs.
struct RatedPairs {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< source, destination
  std::vector<Rational> rates;                                 ///< the sum is 1
};

RatedPairs pairs_of(const MessageKind& kind, std::uint32_t nodes) {
  RatedPairs all;
  for (std::uint32_t a = 0; a < nodes && kind.traffic.flows.empty(); ++a)
    for (std::uint32_t b = 0; b < nodes; ++b)
      if (a != b) all.pairs.emplace_back(a, b);
  for (const WormFlow& flow : kind.traffic.flows) {
    all.pairs.emplace_back(flow.source, flow.destination);
    if (kind.rates.empty()) all.rates.push_back(numeric::to_rational(flow.rate));
  }
  if (!kind.rates.empty()) {
    require(kind.rates.size() == kind.traffic.flows.size(), "rates", std::to_string(kind.rates.size()),
            "one for each flow");
    all.rates = kind.rates;
  }
  if (all.rates.empty()) all.rates.assign(all.pairs.size(), 1);
  const Rational sum = std::accumulate(all.rates.begin(), all.rates.end(), Rational(0));
  for (Rational& rate : all.rates) rate = rate / sum;
  return all;
}

/// Flits that cross each station per cycle at load 1, and the walks that they come from.
class KindsWalk {
 public:
  KindsWalk(const WormNetwork& network, const std::vector<MessageKind>& kinds)
      : network_(network), kinds_(kinds), of_station_(network.layout().stations.size()) {
    const auto* several = dynamic_cast<const VirtualNetworks*>(&network);
    variants_ = several != nullptr ? several->variants() : network.layout().variants;
    const double nodes_squared = static_cast<double>(network.layout().nodes) * network.layout().nodes;
    double routes = 0;
    for (const MessageKind& kind : kinds)
      routes += kind.traffic.flows.empty() ? nodes_squared : static_cast<double>(kind.traffic.flows.size());
    if (2 * routes * variants_ * network.layout().longest_path > max_bound_calls)
      throw LimitExceeded("the bound of the channels would need more than 2e8 steps");
    for (const MessageKind& kind : kinds) pairs_.push_back(pairs_of(kind, network.layout().nodes));
    const auto nodes = static_cast<std::int64_t>(senders(kinds, network.layout().nodes).size());
    const Rational mean = mean_flits(kinds);
    for (std::size_t k = 0; k < kinds.size(); ++k)
      add(k, Rational(nodes) * kinds[k].share * kinds[k].lengths.mean() / mean);
  }

  [[nodiscard]] ChannelBound busiest() const {
    const WormLayout& layout = network_.layout();
    std::vector<Rational> of_wire(layout.wires);
    for (std::size_t i = 0; i < of_station_.size(); ++i) {
      if (of_station_[i] == 0) continue;
      const WormStation& station = layout.stations[i];
      const std::uint32_t wires = wires_of(layout, station), first = layout.channels[station.first].wire;
      for (std::uint32_t wire = first; wire < first + wires; ++wire)
        of_wire[wire] = of_wire[wire] + of_station_[i] / Rational(wires);
    }
    const auto highest = std::max_element(of_wire.begin(), of_wire.end());
    const auto wire = static_cast<std::uint32_t>(highest - of_wire.begin());
    const auto channel = std::find_if(layout.channels.begin(), layout.channels.end(),
                                      [&](const WormChannel& its) { return its.wire == wire; });
    std::vector<bool> busy(of_station_.size());
    for (std::size_t i = 0; i < busy.size(); ++i)
      busy[i] =
          of_wire[layout.channels[layout.stations[i].first].wire] >= *highest * busy_channel_percent / 100;
    return {.channel = without_class(
                network_.channel_name(static_cast<std::uint32_t>(channel - layout.channels.begin()))),
            .utilization = *highest,
            .senders = senders_over(busy)};
  }

 private:
  /// Routes of a message divide in halves only.
  static constexpr std::int64_t whole_message = std::int64_t{1} << 20U;

  template <class At>
  void walk(std::size_t k, std::size_t pair, const At& at) const {
    for (std::uint32_t variant = 0; variant < variants_; ++variant)
      walk_stations(network_,
                    {.source = pairs_[k].pairs[pair].first,
                     .destination = pairs_[k].pairs[pair].second,
                     .variant = kinds_[k].virtual_network * variants_ + variant},
                    whole_message, at);
  }

  /// Pairs with equal rates are added in whole numbers.
  /// \param flits  of the kind per cycle, of all nodes together
  void add(std::size_t k, const Rational& flits) {
    const std::vector<Rational>& rates = pairs_[k].rates;
    std::vector<std::size_t> order(rates.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rates[a] < rates[b]; });
    std::vector<std::int64_t> shares(of_station_.size());
    std::vector<std::uint32_t> crossed;
    for (std::size_t i = 0; i < order.size(); ++i) {
      walk(k, order[i], [&](std::uint32_t station, std::int64_t share) {
        if (shares[station] == 0) crossed.push_back(station);
        shares[station] += share;
      });
      if (i + 1 < order.size() && rates[order[i + 1]] == rates[order[i]]) continue;
      const Rational each = flits * rates[order[i]] / Rational(variants_) / Rational(whole_message);
      for (const std::uint32_t station : crossed) {
        of_station_[station] = of_station_[station] + each * Rational(shares[station]);
        shares[station] = 0;
      }
      crossed.clear();
    }
  }

  [[nodiscard]] std::uint32_t senders_over(const std::vector<bool>& busy) const {
    std::vector<bool> sends(network_.layout().nodes);
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      for (std::size_t pair = 0; pair < pairs_[k].pairs.size(); ++pair)
        walk(k, pair, [&](std::uint32_t station, std::int64_t) {
          if (busy[station]) sends[pairs_[k].pairs[pair].first] = true;
        });
    return static_cast<std::uint32_t>(std::count(sends.begin(), sends.end(), true));
  }

  const WormNetwork& network_;
  const std::vector<MessageKind>& kinds_;
  std::uint32_t variants_ = 1;
  std::vector<RatedPairs> pairs_;     ///< [kind]
  std::vector<Rational> of_station_;  ///< [station]
};

}  // namespace

ChannelBound channel_bound(const WormNetwork& network, const std::vector<MessageKind>& kinds) {
  return KindsWalk(network, kinds).busiest();
}

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
