#include <tailbound/core/error.hpp>
#include <tailbound/network/walks/wire_sharing.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace tailbound::network {
namespace {

constexpr std::uint32_t no_channel = ~std::uint32_t{0};

/// A route over a virtual channel of a shared physical channel.
struct Step {
  std::uint32_t channel = 0, before = 0;
  std::uint32_t first = no_channel,
                /// channels that their messages pass one after the other; otherwise no_channel
      last = no_channel;
  std::uint32_t remaining = 0;
  double rate = 0, volume = 0;
};

class AllPaths {
 public:
  AllPaths(const OneLane& network, const std::vector<MessageFlows>& kinds)
      : network_(network),
        steps_(network.layout().wires),
        of_wire_(network.layout().wires),
        used_(network.layout().channels.size(), false) {
    const WormLayout& layout = network.layout();
    for (std::uint32_t channel = 0; channel < layout.channels.size(); ++channel)
      of_wire_[layout.channels[channel].wire].push_back(channel);
    for (const MessageFlows& kind : kinds) {
      size_ = kind.size;
      kind.for_each_pair(layout.nodes, [&](std::uint32_t source, std::uint32_t destination, double rate) {
        for (std::uint32_t v = 0; v < kind.variants && within_; ++v)
          walk({.source = source, .destination = destination, .variant = kind.first_variant + v},
               rate / kind.variants);
      });
    }
  }

  [[nodiscard]] bool within() const { return within_; }
  [[nodiscard]] std::size_t wires() const { return steps_.size(); }
  [[nodiscard]] const std::vector<Step>& steps(std::size_t wire) const { return steps_[wire]; }
  [[nodiscard]] const std::vector<std::uint32_t>& channels(std::size_t wire) const { return of_wire_[wire]; }
  /// Do messages pass it?
  [[nodiscard]] bool used(std::uint32_t channel) const { return used_[channel]; }
  /// Rates to each last channel, by the first.
  using Pairs = std::unordered_map<std::uint32_t, std::map<std::uint32_t, double>>;
  [[nodiscard]] const Pairs& to_end() const { return to_end_; }

 private:
  [[nodiscard]] std::uint32_t wire(std::uint32_t channel) const {
    return network_.layout().channels[channel].wire;
  }
  [[nodiscard]] bool shared(std::uint32_t channel) const {
    return of_wire_[wire(channel)].size() > 1 ||
           network_.lanes(network_.layout().channels[channel].station) > 1;
  }
  void walk(const WormHead& head, double rate) {
    const std::uint32_t next = network_.next_station(head);
    if (next == WormNetwork::arrived) {
      take(rate);
      return;
    }
    const auto [first, count] = network_.layout().stations[next];
    for (std::uint32_t channel = first; channel < first + count && within_; ++channel) {
      path_.push_back(channel);
      WormHead there = head;
      there.channel = channel;
      ++there.passed;
      walk(there, rate / count);
      path_.pop_back();
    }
  }
  void take(double rate) {
    const auto alone = [&](std::uint32_t channel) {
      return network_.lanes(network_.layout().channels[channel].station) > 1 ? no_channel : channel;
    };
    for (const std::uint32_t channel : path_) used_[channel] = true;
    const std::uint32_t first = alone(path_.front()), last = alone(path_.back());
    if (first != no_channel && last != no_channel) to_end_[last][first] += rate;
    for (std::size_t k = 1; k < path_.size(); ++k) {
      if (!shared(path_[k])) continue;
      if (++taken_ > max_shared_steps) within_ = false;
      steps_[wire(path_[k])].push_back({.channel = path_[k],
                                        .before = path_[k - 1],
                                        .first = first,
                                        .last = last,
                                        .remaining = static_cast<std::uint32_t>(path_.size() - 1 - k),
                                        .rate = rate,
                                        .volume = rate * size_});
    }
  }

  const OneLane& network_;
  std::vector<std::vector<Step>> steps_;  ///< [wire]
  std::vector<std::vector<std::uint32_t>> of_wire_;
  std::vector<std::uint32_t> path_;
  std::vector<bool> used_;
  Pairs to_end_;
  double size_ = 1;  ///< of the messages now enumerated
  std::size_t taken_ = 0;
  bool within_ = true;
};

/// Rates on a physical channel by common properties of routes: previous physical channel, first and last
/// channel; each fixed or no_channel.
class Rates {
 public:
  void add(const Step& step, std::uint32_t wire_before) {
    for (const bool came : {false, true}) {
      const std::uint32_t before = came ? wire_before : no_channel;
      sums_[{no_channel, no_channel, before}] += step.volume;
      if (step.first != no_channel) sums_[{step.first, no_channel, before}] += step.volume;
      if (step.last != no_channel) sums_[{no_channel, step.last, before}] += step.volume;
      if (step.first != no_channel && step.last != no_channel)
        sums_[{step.first, step.last, before}] += step.volume;
    }
  }
  [[nodiscard]] double all(std::uint32_t before) const { return at({no_channel, no_channel, before}); }
  [[nodiscard]] double of_first(const Step& step, std::uint32_t before) const {
    return step.first == no_channel ? 0 : at({step.first, no_channel, before});
  }
  [[nodiscard]] double of_last(const Step& step, std::uint32_t before) const {
    return step.last == no_channel ? 0 : at({no_channel, step.last, before});
  }
  [[nodiscard]] double of_both(const Step& step, std::uint32_t before) const {
    return step.first == no_channel || step.last == no_channel ? 0 : at({step.first, step.last, before});
  }
  /// With neither.
  [[nodiscard]] double others(const Step& step, std::uint32_t before) const {
    return all(before) - of_first(step, before) - of_last(step, before) + of_both(step, before);
  }
  /// With its last channel alone, and another previous physical channel.
  [[nodiscard]] double of_end(const Step& step, std::uint32_t before) const {
    return of_last(step, no_channel) - of_both(step, no_channel) - of_last(step, before) +
           of_both(step, before);
  }

 private:
  struct Key {
    std::uint32_t first, last, before;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t mixed = key.first * 0x9e3779b97f4a7c15ULL;
      mixed = (mixed ^ (mixed >> 29) ^ key.last) * 0xbf58476d1ce4e5b9ULL;
      mixed = (mixed ^ (mixed >> 31) ^ key.before) * 0x94d049bb133111ebULL;
      return mixed ^ (mixed >> 30);
    }
  };
  [[nodiscard]] double at(const Key& key) const {
    const auto found = sums_.find(key);
    return found == sums_.end() ? 0 : found->second;
  }
  std::unordered_map<Key, double, Hash> sums_;
};

/// A turn while sums are computed.
struct Sums {
  SharedTurn turn;
  double came_first = 0, came = 0;
};

void add_wire(const AllPaths& paths, std::size_t wire, const OneLane& network,
              const std::vector<std::size_t>& position, std::vector<SharedChannel>& shared) {
  const std::vector<Step>& steps = paths.steps(wire);
  const auto wire_of = [&](std::uint32_t channel) { return network.layout().channels[channel].wire; };
  Rates all;
  std::unordered_map<std::uint32_t, Rates> own;
  for (const Step& step : steps) {
    all.add(step, wire_of(step.before));
    own[step.channel].add(step, wire_of(step.before));
  }
  std::unordered_map<std::uint64_t, Sums> turns;
  std::unordered_map<std::uint32_t, double> rates;
  for (const Step& step : steps) {
    const Rates& same = own.at(step.channel);
    const std::uint32_t before = wire_of(step.before);
    Sums& sums = turns[std::uint64_t{step.channel} << 32U | step.before];
    SharedTurn& turn = sums.turn;
    const double r = step.rate;
    turn.flow += r;
    turn.same += r * same.others(step, no_channel);
    turn.cross += r * (all.others(step, no_channel) - same.others(step, no_channel));
    turn.came_same += r * same.others(step, before);
    turn.came_cross += r * (all.others(step, before) - same.others(step, before));
    turn.end_same += r * same.of_end(step, before);
    turn.end_cross += r * (all.of_end(step, before) - same.of_end(step, before));
    turn.of_source += r * same.of_first(step, no_channel);
    sums.came_first += r * same.of_first(step, before);
    sums.came += r * same.all(before);
    SharedChannel& channel = shared[position[step.channel]];
    channel.volume += step.volume;
    rates[step.channel] += r;
    channel.remaining.resize(std::max<std::size_t>(channel.remaining.size(), step.remaining + 1));
    channel.remaining[step.remaining] += r;
  }
  std::vector<std::uint64_t> keys;
  for (const auto& [key, sums] : turns) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  for (const std::uint64_t key : keys) {
    Sums& sums = turns.at(key);
    SharedTurn& turn = sums.turn;
    for (double SharedTurn::*mean :
         {&SharedTurn::same, &SharedTurn::cross, &SharedTurn::came_same, &SharedTurn::came_cross,
          &SharedTurn::end_same, &SharedTurn::end_cross, &SharedTurn::of_source})
      turn.*mean = std::max(0.0, turn.*mean / turn.flow);
    turn.source_came = sums.came > 0 ? std::min(1.0, sums.came_first / sums.came) : 0;
    turn.from = position[static_cast<std::uint32_t>(key)];
    shared[position[key >> 32U]].turns.push_back(turn);
  }
  for (const auto& [channel, rate] : rates)
    for (double& share : shared[position[channel]].remaining) share /= rate;
}

}  // namespace

std::optional<std::vector<SharedChannel>> wire_sharing(const OneLane& network, const WormTraffic& traffic,
                                                       const ChannelGraph& graph) {
  return kind_wire_sharing(network, flows_of(traffic, network.layout()), graph);
}

std::optional<std::vector<SharedChannel>> kind_wire_sharing(const OneLane& network,
                                                            const std::vector<MessageFlows>& kinds,
                                                            const ChannelGraph& graph) {
  const AllPaths paths(network, kinds);
  if (!paths.within()) return std::nullopt;
  const WormLayout& layout = network.layout();
  std::vector<std::size_t> position(layout.channels.size(), no_channel);
  std::vector<SharedChannel> shared;
  for (std::uint32_t station = 0; station < layout.stations.size(); ++station) {
    const auto [first, count] = layout.stations[station];
    for (std::uint32_t channel = first; channel < first + count && paths.used(first); ++channel) {
      position[channel] = shared.size();
      shared.emplace_back().lanes = static_cast<int>(network.lanes(station));
    }
  }
  if (shared.size() != graph.channels.size())
    throw InvalidArgument("channels of the graph", std::to_string(graph.channels.size()),
                          std::to_string(shared.size()) + ", as the network's traffic uses");
  // Where messages use one virtual channel of a physical channel, they pass one after the other.
  const auto sharing = [&](std::size_t wire) {
    int lanes = 0;
    for (const std::uint32_t channel : paths.channels(wire))
      if (position[channel] != no_channel) lanes += shared[position[channel]].lanes;
    return lanes > 1;
  };
  for (std::size_t wire = 0; wire < paths.wires(); ++wire) {
    if (!paths.steps(wire).empty() && sharing(wire)) add_wire(paths, wire, network, position, shared);
    for (const std::uint32_t channel : paths.channels(wire))
      for (const std::uint32_t other : paths.channels(wire))
        if (other != channel && position[channel] != no_channel && position[other] != no_channel)
          shared[position[channel]].neighbours.push_back(position[other]);
  }
  for (const auto& [last, sources] : paths.to_end()) {
    double all = 0, one = 0;
    for (const auto& [first, rate] : sources) all += rate, one += rate * rate;
    shared[position[last]].one_source = one / (all * all);
  }
  return shared;
}

}  // namespace tailbound::network
