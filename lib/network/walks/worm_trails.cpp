#include <tailbound/core/error.hpp>
#include <tailbound/network/walks/worm_trails.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <unordered_map>

namespace tailbound::network {
namespace {

constexpr std::uint32_t no_trail = std::numeric_limits<std::uint32_t>::max();

/// A channel and the two before it, or no_trail; the kind of messages.
using Key = std::array<std::uint32_t, 4>;

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t each : key) hash = (hash ^ each) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

class Trails {
 public:
  Trails(ChannelGraph& graph, const WormNetwork& network, int depth)
      : graph_(graph), network_(network), depth_(static_cast<std::size_t>(depth)) {}

  void mark(const MessageFlows& kind) {
    used_.resize(network_.layout().channels.size(), false);
    kind.for_each_pair(network_.layout().nodes, [&](std::uint32_t source, std::uint32_t destination, double) {
      for_each_route(kind, source, destination, [&](const auto& route, double) {
        for (const std::uint32_t channel : route) used_[channel] = true;
      });
    });
  }
  /// Used channels are numbered in the graph in this order.
  void number() {
    number_.assign(used_.size(), no_trail);
    std::uint32_t count = 0;
    for (const WormStation& station : network_.layout().stations)
      for (std::uint32_t i = 0; i < station.count && used_[station.first]; ++i)
        number_[station.first + i] = count++;
    if (count != graph_.channels.size())
      throw InvalidArgument("channels of the graph", std::to_string(graph_.channels.size()),
                            std::to_string(count) + ", as the network's traffic uses");
  }

  void add(const MessageFlows& kind, std::uint32_t number) {
    kind.for_each_pair(network_.layout().nodes, [&](std::uint32_t source, std::uint32_t destination,
                                                    double messages) {
      for_each_route(kind, source, destination, [&](const std::vector<std::uint32_t>& route, double part) {
        add(route, messages * part, number);
      });
    });
  }

  void finish() {
    std::vector<double> of_channel(graph_.channels.size(), 0);
    for (std::size_t i = 0; i < graph_.trails.size(); ++i) of_channel[graph_.trails[i].channel] += passed_[i];
    for (std::size_t i = 0; i < graph_.trails.size(); ++i) {
      Trail& trail = graph_.trails[i];
      trail.share = passed_[i] / of_channel[trail.channel];
      trail.ends = ended_[i] / passed_[i];
      for (TrailStep& step : trail.steps) step.probability /= passed_[i];
    }
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  void add(const std::vector<std::uint32_t>& route, double messages, std::uint32_t kind) {
    Key key{no_trail, no_trail, no_trail, kind};
    std::size_t before = none;
    for (const std::uint32_t channel : route) {
      key[2] = depth_ > 1 ? key[1] : no_trail;
      key[1] = depth_ > 0 ? key[0] : no_trail;
      key[0] = number_[channel];
      const std::size_t at = trail(key);
      passed_[at] += messages;
      if (before != none) step(before, at, messages);
      before = at;
    }
    ended_[before] += messages;
  }

  /// Calls visit(channels, share) for each route of a pair.
  template <class Visit>
  void for_each_route(const MessageFlows& kind, std::uint32_t source, std::uint32_t destination,
                      const Visit& visit) {
    for (std::uint32_t v = kind.first_variant; v < kind.first_variant + kind.variants; ++v)
      walk({.source = source, .destination = destination, .variant = v}, 1.0 / kind.variants, visit);
  }
  template <class Visit>
  void walk(const WormHead& head, double share, const Visit& visit) {
    const std::uint32_t next = network_.next_station(head);
    if (next == WormNetwork::arrived) {
      visit(route_, share);
      return;
    }
    const auto [first, count] = network_.layout().stations[next];
    for (std::uint32_t channel = first; channel < first + count; ++channel) {
      route_.push_back(channel);
      WormHead there = head;
      there.channel = channel;
      ++there.passed;
      walk(there, share / count, visit);
      route_.pop_back();
    }
  }

  std::size_t trail(const Key& key) {
    const auto [found, fresh] = number_of_.emplace(key, graph_.trails.size());
    if (fresh) {
      const auto family = families_.emplace(Key{key[0], key[1], key[2], 0}, families_.size()).first->second;
      graph_.trails.push_back(
          {.channel = key[0], .share = 0, .ends = 0, .steps = {}, .kind = key[3], .family = family});
      passed_.push_back(0);
      ended_.push_back(0);
    }
    return found->second;
  }
  void step(std::size_t from, std::size_t to, double messages) {
    std::vector<TrailStep>& steps = graph_.trails[from].steps;
    const auto same =
        std::find_if(steps.begin(), steps.end(), [&](const TrailStep& each) { return each.next == to; });
    if (same == steps.end())
      steps.push_back({.probability = messages, .next = to});
    else
      same->probability += messages;
  }

  ChannelGraph& graph_;
  const WormNetwork& network_;
  std::size_t depth_;
  std::vector<bool> used_;             ///< [channel of the network]
  std::vector<std::uint32_t> number_;  ///< in the graph
  std::vector<std::uint32_t> route_;
  std::unordered_map<Key, std::size_t, KeyHash> number_of_, families_;
  std::vector<double> passed_, ended_;  ///< messages [trail]
};

}  // namespace

bool add_trails(ChannelGraph& graph, const WormNetwork& network, const WormTraffic& traffic, int depth) {
  if (depth < 1) throw InvalidArgument("depth", std::to_string(depth), "1 or 2");
  return add_kind_trails(graph, network, flows_of(traffic, network.layout()), depth);
}

bool add_kind_trails(ChannelGraph& graph, const WormNetwork& network, const std::vector<MessageFlows>& kinds,
                     int depth) {
  if (depth < 0 || depth > 2) throw InvalidArgument("depth", std::to_string(depth), "0, 1 or 2");
  const WormLayout& layout = network.layout();
  graph.trails.clear();
  for (const WormStation& station : layout.stations)
    if (depth > 0 && station.count != 1) return false;
  double routes = 0;
  for (const MessageFlows& kind : kinds) routes += kind.pairs(layout.nodes) * kind.variants;
  if (routes * graph.mean_distance > static_cast<double>(max_trail_steps)) return false;
  Trails trails(graph, network, depth);
  for (const MessageFlows& kind : kinds) trails.mark(kind);
  trails.number();
  for (std::size_t k = 0; k < kinds.size(); ++k) trails.add(kinds[k], static_cast<std::uint32_t>(k));
  trails.finish();
  graph.remembers = depth > 0;
  return true;
}

}  // namespace tailbound::network
