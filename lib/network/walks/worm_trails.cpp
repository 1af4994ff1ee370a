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

/// A channel and the two before it, or no_trail.
using Key = std::array<std::uint32_t, 3>;

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

  /// Marks used channels: they are numbered in the graph in this order.
  void mark(std::uint32_t source, std::uint32_t destination, double messages) {
    static_cast<void>(messages);
    used_.resize(network_.layout().channels.size(), false);
    for_each_channel(source, destination, [&](std::uint32_t channel) { used_[channel] = true; });
  }
  void number() {
    number_.assign(used_.size(), no_trail);
    std::uint32_t count = 0;
    for (const WormStation& station : network_.layout().stations)
      if (used_[station.first]) number_[station.first] = count++;
    if (count != graph_.channels.size())
      throw InvalidArgument("channels of the graph", std::to_string(graph_.channels.size()),
                            std::to_string(count) + ", as the network's traffic uses");
  }

  void add(std::uint32_t source, std::uint32_t destination, double messages) {
    const std::uint32_t variants = network_.layout().variants;
    for (variant_ = 0; variant_ < variants; ++variant_) {
      Key key{no_trail, no_trail, no_trail};
      std::size_t before = none;
      walk(source, destination, variant_, [&](std::uint32_t channel) {
        key[2] = depth_ > 1 ? key[1] : no_trail;
        key[1] = key[0];
        key[0] = number_[channel];
        const std::size_t at = trail(key);
        passed_[at] += messages / variants;
        if (before != none) step(before, at, messages / variants);
        before = at;
      });
      ended_[before] += messages / variants;
    }
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

  template <class Visit>
  void walk(std::uint32_t source, std::uint32_t destination, std::uint32_t variant,
            const Visit& visit) const {
    WormHead head{.source = source, .destination = destination, .variant = variant};
    for (std::uint32_t station = network_.next_station(head); station != WormNetwork::arrived;
         station = network_.next_station(head)) {
      head.channel = network_.layout().stations[station].first;
      ++head.passed;
      visit(head.channel);
    }
  }
  template <class Visit>
  void for_each_channel(std::uint32_t source, std::uint32_t destination, const Visit& visit) const {
    for (std::uint32_t variant = 0; variant < network_.layout().variants; ++variant)
      walk(source, destination, variant, visit);
  }

  std::size_t trail(const Key& key) {
    const auto [found, fresh] = number_of_.emplace(key, graph_.trails.size());
    if (fresh) {
      graph_.trails.push_back({.channel = key[0], .share = 0, .ends = 0, .steps = {}});
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
  std::uint32_t variant_ = 0;
  std::vector<bool> used_;             ///< [channel of the network]
  std::vector<std::uint32_t> number_;  ///< in the graph
  std::unordered_map<Key, std::size_t, KeyHash> number_of_;
  std::vector<double> passed_, ended_;  ///< messages [trail]
};

template <class Visit>
void for_each_pair(const WormNetwork& network, const WormTraffic& traffic, const Visit& visit) {
  for (const WormFlow& flow : traffic.flows) visit(flow.source, flow.destination, flow.rate);
  const std::uint32_t nodes = traffic.flows.empty() ? network.layout().nodes : 0;
  for (std::uint32_t source = 0; source < nodes; ++source)
    for (std::uint32_t destination = 0; destination < nodes; ++destination)
      if (source != destination) visit(source, destination, 1.0);
}

}  // namespace

bool add_trails(ChannelGraph& graph, const WormNetwork& network, const WormTraffic& traffic, int depth) {
  if (depth < 1 || depth > 2) throw InvalidArgument("depth", std::to_string(depth), "1 or 2");
  const WormLayout& layout = network.layout();
  graph.trails.clear();
  for (const WormStation& station : layout.stations)
    if (station.count != 1) return false;
  const double pairs = traffic.flows.empty() ? static_cast<double>(layout.nodes) * (layout.nodes - 1.0)
                                             : static_cast<double>(traffic.flows.size());
  if (pairs * layout.variants * graph.mean_distance > static_cast<double>(max_trail_steps)) return false;
  Trails trails(graph, network, depth);
  for_each_pair(network, traffic, [&](auto... pair) { trails.mark(pair...); });
  trails.number();
  for_each_pair(network, traffic, [&](auto... pair) { trails.add(pair...); });
  trails.finish();
  return true;
}

}  // namespace tailbound::network
