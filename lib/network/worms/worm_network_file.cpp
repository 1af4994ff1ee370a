#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/worm_network_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tailbound::network {
namespace {

/// The common denominator of all shares.
std::uint32_t variants_of(const Network& network) {
  numeric::Integer common = 1;
  for (const Flow& flow : network.flows)
    for (const Route& route : flow.routes) {
      common = numeric::lcm(common, numeric::denominator(route.share));
      if (common > max_worm_variants)
        throw LimitExceeded("the shares of the routes up to the flow " + flow.name +
                            " have a common denominator of more than " + std::to_string(max_worm_variants));
    }
  return static_cast<unsigned>(numeric::to_uint64(common));
}

std::vector<std::size_t> every_flow(const Network& network) {
  std::vector<std::size_t> all(network.flows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

class RoutedWormNetwork::Builder {
 public:
  Builder(const Network& network, std::vector<std::size_t> flows, std::optional<int> virtual_channels)
      : network_(network), virtual_channels_(virtual_channels), order_(std::move(flows)) {
    require_valid(network);
    if (network.flows.empty()) throw InvalidArgument("flows", "none", "at least one");
    layout_.name = network.name;
    layout_.nodes = static_cast<std::uint32_t>(network.nodes.size());
    layout_.variants = variants_of(network);
    for (std::size_t link = 0; link < network.links.size(); ++link) add_link(link);
    injection_.assign(network.nodes.size(), WormNetwork::arrived);
    ejection_ = injection_wire_ = ejection_wire_ = injection_;
    const auto by_pair = [&](std::size_t a, std::size_t b) { return pair(a) < pair(b); };
    // The same numbers in each virtual network.
    std::vector<std::size_t> all = every_flow(network);
    std::stable_sort(all.begin(), all.end(), by_pair);
    for (const std::size_t flow : all) number_ends(network.flows[flow]);
    std::stable_sort(order_.begin(), order_.end(), by_pair);
    merge_flows();
    for (const std::size_t flow : order_) add_flow(network.flows[flow]);
    paths_of_.push_back(paths_.size());
    flows_of_.resize(network.nodes.size() + 1, destinations_.size());
    scale_rates();
  }

  WormLayout layout_;
  std::vector<Owner> owners_;
  std::vector<std::size_t> flows_of_;
  std::vector<std::uint32_t> destinations_;
  std::vector<std::size_t> paths_of_;
  std::vector<Path> paths_;
  std::vector<std::uint32_t> steps_;
  WormTraffic traffic_;
  std::vector<numeric::Rational> rates_;
  numeric::Rational scale_ = 1;

 private:
  [[nodiscard]] std::pair<std::size_t, std::size_t> pair(std::size_t flow) const {
    return {network_.flows[flow].source, network_.flows[flow].destination};
  }

  std::uint32_t add_station(Owner owner, int wires, int virtual_channels, std::uint32_t first_wire) {
    const auto station = static_cast<std::uint32_t>(layout_.stations.size());
    const auto count = static_cast<std::uint32_t>(wires * virtual_channels);
    if (layout_.channels.size() + count > max_worm_channels)
      throw LimitExceeded("the links have more than " + std::to_string(max_worm_channels) +
                          " virtual channels");
    layout_.stations.push_back({static_cast<std::uint32_t>(layout_.channels.size()), count});
    for (std::uint32_t i = 0; i < count; ++i)
      layout_.channels.push_back({station, first_wire + i / static_cast<std::uint32_t>(virtual_channels)});
    owners_.push_back(owner);
    return station;
  }

  void add_link(std::size_t position) {
    const Link& link = network_.links[position];
    first_class_.push_back(static_cast<std::uint32_t>(layout_.stations.size()));
    for (int its_class = 0; its_class < link.classes; ++its_class)
      add_station({Owner::Kind::link, static_cast<std::uint32_t>(position)}, link.rate.packets,
                  virtual_channels_.value_or(link.virtual_channels), layout_.wires);
    layout_.wires += static_cast<std::uint32_t>(link.rate.packets);
  }

  /// The physical channels of switches that send or receive.
  void number_ends(const Flow& flow) {
    const auto number = [&](std::size_t node, std::vector<std::uint32_t>& wires) {
      if (!network_.nodes[node].host && wires[node] == WormNetwork::arrived) wires[node] = layout_.wires++;
    };
    number(flow.source, injection_wire_);
    number(flow.destination, ejection_wire_);
  }

  /// The channel of a switch for messages that it sends or receives itself.
  std::uint32_t own_channel(Owner::Kind kind, std::size_t node) {
    const bool in = kind == Owner::Kind::injection;
    std::uint32_t& station = (in ? injection_ : ejection_)[node];
    if (station == WormNetwork::arrived)
      station = add_station({kind, static_cast<std::uint32_t>(node)}, 1, 1,
                            (in ? injection_wire_ : ejection_wire_)[node]);
    return station;
  }

  /// Flows of different classes with equal ends and routes become one.
  void merge_flows() {
    std::size_t kept = 0;
    for (const std::size_t position : order_) {
      const Flow& flow = network_.flows[position];
      if (kept == 0 || pair(order_[kept - 1]) != pair(position)) {
        rates_.push_back(flow.rate);
        order_[kept++] = position;
        continue;
      }
      const Flow& before = network_.flows[order_[kept - 1]];
      const auto same = [](const Route& a, const Route& b) {
        return a.links == b.links && a.share == b.share && a.classes == b.classes;
      };
      if (!flow.message_class || flow.message_class == before.message_class)
        throw InvalidArgument("flow " + flow.name, "a second flow between the same nodes",
                              "merged with the first one, with the sum of their rates");
      if (!std::equal(flow.routes.begin(), flow.routes.end(), before.routes.begin(), before.routes.end(),
                      same))
        throw InvalidArgument("flow " + flow.name, "routed differently from " + before.name,
                              "routed in the same way: their classes share a virtual network");
      rates_.back() = rates_.back() + flow.rate;
    }
    order_.resize(kept);
  }

  void add_flow(const Flow& flow) {
    if (flow.source == flow.destination)
      throw InvalidArgument("flow " + flow.name, "from a node to itself", "between two nodes");
    if (flow.burst) throw InvalidArgument("flow " + flow.name, "bursty", "without bursts");
    while (flows_of_.size() <= flow.source) flows_of_.push_back(destinations_.size());
    destinations_.push_back(static_cast<std::uint32_t>(flow.destination));
    paths_of_.push_back(paths_.size());
    numeric::Rational taken = 0;
    for (const Route& route : flow.routes) {
      taken = taken + route.share * static_cast<unsigned long>(layout_.variants);
      add_path(flow, route, static_cast<unsigned>(numeric::to_uint64(numeric::numerator(taken))));
    }
  }

  void add_path(const Flow& flow, const Route& route, std::uint32_t variants_end) {
    const std::size_t first = steps_.size();
    if (!network_.nodes[flow.source].host) steps_.push_back(own_channel(Owner::Kind::injection, flow.source));
    for (std::size_t i = 0; i < route.links.size(); ++i)
      steps_.push_back(first_class_[route.links[i]] +
                       static_cast<std::uint32_t>(route.classes.empty() ? 0 : route.classes[i]));
    if (!network_.nodes[flow.destination].host)
      steps_.push_back(own_channel(Owner::Kind::ejection, flow.destination));
    paths_.push_back({variants_end, first, steps_.size()});
    layout_.longest_path = std::max(layout_.longest_path, static_cast<std::uint32_t>(steps_.size() - first));
  }

  /// Scales the rates to sum to the number of sending nodes.
  void scale_rates() {
    numeric::Rational all = 0;
    unsigned long senders = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Flow& flow = network_.flows[order_[i]];
      all = all + rates_[i];
      if (i == 0 || network_.flows[order_[i - 1]].source != flow.source) ++senders;
    }
    scale_ = senders / all;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Flow& flow = network_.flows[order_[i]];
      traffic_.flows.push_back({static_cast<std::uint32_t>(flow.source),
                                static_cast<std::uint32_t>(flow.destination),
                                numeric::nearest_double(rates_[i] * scale_)});
    }
  }

  const Network& network_;
  std::optional<int> virtual_channels_;
  std::vector<std::uint32_t> first_class_;                     ///< station of each link's class 0
  std::vector<std::uint32_t> injection_, ejection_;            ///< stations of switches, once there are any
  std::vector<std::uint32_t> injection_wire_, ejection_wire_;  ///< of switches that send or receive
  std::vector<std::size_t> order_;                             ///< flows by source, then destination
};

RoutedWormNetwork::RoutedWormNetwork(const Network& network)
    : RoutedWormNetwork(network, every_flow(network), {}) {}

RoutedWormNetwork::RoutedWormNetwork(const Network& network, const std::vector<std::size_t>& flows,
                                     std::optional<int> virtual_channels)
    : RoutedWormNetwork(Builder(network, flows, virtual_channels)) {
  for (const Node& node : network.nodes) nodes_.push_back(node.name);
  links_ = network.links;
  if (virtual_channels)
    for (Link& link : links_) link.virtual_channels = *virtual_channels;
}

RoutedWormNetwork::RoutedWormNetwork(Builder&& builder)
    : WormNetwork(std::move(builder.layout_)),
      owners_(std::move(builder.owners_)),
      flows_of_(std::move(builder.flows_of_)),
      destinations_(std::move(builder.destinations_)),
      paths_of_(std::move(builder.paths_of_)),
      paths_(std::move(builder.paths_)),
      steps_(std::move(builder.steps_)),
      traffic_(std::move(builder.traffic_)),
      rates_(std::move(builder.rates_)),
      scale_(std::move(builder.scale_)) {}

std::vector<PhysicalChannel> RoutedWormNetwork::physical_channels() const {
  // For a link with several classes the first station represents all, as they share its physical channels.
  std::vector<std::uint32_t> first(layout().stations.size());
  for (std::uint32_t station = 0; station < first.size(); ++station) {
    const bool goes_on = station > 0 && owners_[station].kind == Owner::Kind::link &&
                         owners_[station - 1].kind == Owner::Kind::link &&
                         owners_[station].at == owners_[station - 1].at;
    first[station] = goes_on ? first[station - 1] : station;
  }
  std::vector<PhysicalChannel> all(first.size());
  for (std::uint32_t source = 0; source + 1 < flows_of_.size(); ++source)
    for (std::size_t flow = flows_of_[source]; flow < flows_of_[source + 1]; ++flow) {
      std::uint32_t variants = 0;
      for (std::size_t path = paths_of_[flow]; path < paths_of_[flow + 1]; ++path) {
        const numeric::Rational flits =
            rates_[flow] * static_cast<unsigned long>(paths_[path].variants_end - variants);
        variants = paths_[path].variants_end;
        for (std::size_t step = paths_[path].first; step < paths_[path].end; ++step) {
          PhysicalChannel& channel = all[first[steps_[step]]];
          channel.utilization = channel.utilization + flits;
          if (channel.sources.empty() || channel.sources.back() != source) channel.sources.push_back(source);
        }
      }
    }
  std::vector<PhysicalChannel> used;
  for (std::uint32_t station = 0; station < all.size(); ++station) {
    if (all[station].sources.empty()) continue;
    const Owner& owner = owners_[station];
    const int wires = owner.kind == Owner::Kind::link ? links_[owner.at].rate.packets : 1;
    const auto shares = static_cast<unsigned long>(layout().variants) * static_cast<unsigned long>(wires);
    used.push_back({.name = owner_name(station),
                    .utilization = all[station].utilization * scale_ / shares,
                    .sources = std::move(all[station].sources)});
  }
  return used;
}

std::string RoutedWormNetwork::owner_name(std::uint32_t station) const {
  const Owner& owner = owners_[station];
  if (owner.kind != Owner::Kind::link)
    return (owner.kind == Owner::Kind::injection ? "injection at " : "ejection at ") + nodes_[owner.at];
  return nodes_[links_[owner.at].from] + " -> " + nodes_[links_[owner.at].to];
}

std::size_t RoutedWormNetwork::flow_of(std::uint32_t source, std::uint32_t destination) const {
  // Its position if the source sends to all others.
  const std::size_t likely = flows_of_[source] + destination - (destination > source ? 1 : 0);
  if (likely < flows_of_[source + 1] && destinations_[likely] == destination) return likely;
  const auto at = [&](std::size_t flow) { return destinations_.begin() + static_cast<std::ptrdiff_t>(flow); };
  return static_cast<std::size_t>(
      std::lower_bound(at(flows_of_[source]), at(flows_of_[source + 1]), destination) -
      destinations_.begin());
}

std::uint32_t RoutedWormNetwork::next_station(const WormHead& head) const {
  const std::size_t flow = flow_of(head.source, head.destination);
  std::size_t path = paths_of_[flow];
  if (paths_of_[flow + 1] - path > 1)
    path = static_cast<std::size_t>(
        std::upper_bound(paths_.begin() + static_cast<std::ptrdiff_t>(path),
                         paths_.begin() + static_cast<std::ptrdiff_t>(paths_of_[flow + 1]), head.variant,
                         [](std::uint32_t variant, const Path& its) { return variant < its.variants_end; }) -
        paths_.begin());
  const std::size_t step = paths_[path].first + head.passed;
  return step < paths_[path].end ? steps_[step] : arrived;
}

std::string RoutedWormNetwork::channel_name(std::uint32_t channel) const {
  const std::uint32_t station = layout().channels[channel].station;
  const Owner& owner = owners_[station];
  std::string name = owner_name(station);
  if (owner.kind != Owner::Kind::link) return name;
  const Link& link = links_[owner.at];
  const std::uint32_t within = channel - layout().stations[station].first;
  const auto each = static_cast<std::uint32_t>(link.virtual_channels);
  std::uint32_t its_class = 0;
  while (its_class < station && owners_[station - its_class - 1].kind == Owner::Kind::link &&
         owners_[station - its_class - 1].at == owner.at)
    ++its_class;
  if (link.rate.packets > 1) name += ", wire " + std::to_string(within / each);
  if (link.classes > 1) name += ", class " + std::to_string(its_class);
  if (link.virtual_channels > 1) name += ", virtual channel " + std::to_string(within % each);
  return name;
}

}  // namespace tailbound::network
