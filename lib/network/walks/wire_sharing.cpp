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

/// A route of a message.
struct PathEnds {
  std::uint32_t first = no_channel,
                /// channels that their messages pass one after the other; otherwise no_channel
      last = no_channel;
  double rate = 0, volume = 0;
};

/// It over a virtual channel of a shared physical channel.
struct Step {
  std::uint32_t path = 0;
  std::uint32_t channel = 0, before = 0;
  std::uint32_t remaining = 0;  ///< channels ahead
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
  [[nodiscard]] const PathEnds& ends(const Step& step) const { return ends_[step.path]; }
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
    const auto path = static_cast<std::uint32_t>(ends_.size());
    ends_.push_back({.first = first, .last = last, .rate = rate, .volume = rate * size_});
    for (std::size_t k = 1; k < path_.size(); ++k) {
      if (!shared(path_[k])) continue;
      if (++taken_ > max_shared_steps) within_ = false;
      steps_[wire(path_[k])].push_back({.path = path,
                                        .channel = path_[k],
                                        .before = path_[k - 1],
                                        .remaining = static_cast<std::uint32_t>(path_.size() - 1 - k)});
    }
  }

  const OneLane& network_;
  std::vector<PathEnds> ends_;            ///< [path]
  std::vector<std::vector<Step>> steps_;  ///< [wire]
  std::vector<std::vector<std::uint32_t>> of_wire_;
  std::vector<std::uint32_t> path_;
  std::vector<bool> used_;
  Pairs to_end_;
  double size_ = 1;  ///< of the messages now enumerated
  std::size_t taken_ = 0;
  bool within_ = true;
};

/// Numbers from 0 in order of first use; no_channel has none.
class LocalNumbers {
 public:
  explicit LocalNumbers(std::size_t channels) : numbers_(channels, no_channel) {}
  std::uint32_t add(std::uint32_t channel) {
    if (channel == no_channel) return no_channel;
    if (numbers_[channel] == no_channel) {
      numbers_[channel] = static_cast<std::uint32_t>(used_.size());
      used_.push_back(channel);
    }
    return numbers_[channel];
  }
  [[nodiscard]] std::size_t size() const { return used_.size(); }
  /// The channels, in the order of their numbers.
  [[nodiscard]] const std::vector<std::uint32_t>& used() const { return used_; }
  void clear() {
    for (const std::uint32_t channel : used_) numbers_[channel] = no_channel;
    used_.clear();
  }

 private:
  std::vector<std::uint32_t> numbers_, used_;
};

/// Volumes on a physical channel, on each of its channels and on all of them (the last), that come from one
/// physical channel or from any (the last).
class Volumes {
 public:
  Volumes(std::size_t channels, std::size_t befores)
      : befores_(befores), sums_((channels + 1) * (befores + 1)) {}
  void add(std::uint32_t channel, std::uint32_t before, double volume) {
    for (const std::size_t c : {std::size_t{channel}, all_channels()})
      for (const std::size_t b : {std::size_t{before}, befores_}) sums_[c * (befores_ + 1) + b] += volume;
  }
  [[nodiscard]] double of(std::size_t channel, std::size_t before) const {
    return sums_[channel * (befores_ + 1) + before];
  }
  [[nodiscard]] std::size_t all_channels() const { return sums_.size() / (befores_ + 1) - 1; }
  [[nodiscard]] std::size_t any_before() const { return befores_; }
  void clear() { std::fill(sums_.begin(), sums_.end(), 0); }

 private:
  std::size_t befores_;
  std::vector<double> sums_;
};

/// A turn while sums are computed.
struct Sums {
  SharedTurn turn;
  double came_first = 0, came = 0;
};

/// Sums over the pairs of routes on one physical channel after the other, with memory for all of them.
class WireSums {
 public:
  WireSums(const AllPaths& paths, const OneLane& network, const std::vector<std::size_t>& position,
           std::vector<SharedChannel>& shared)
      : paths_(paths),
        network_(network),
        position_(position),
        shared_(shared),
        channels_(network.layout().channels.size()),
        firsts_(channels_),
        lasts_(channels_),
        on_wire_(channels_),
        befores_(network.layout().wires) {}

  void add(std::size_t wire) {
    number(wire);
    const Volumes none(on_wire_.size(), befores_.size());
    Volumes all = none;
    std::vector<Volumes> of_first(firsts_.size(), none), of_last(lasts_.size(), none);
    for (const Local& step : steps_) {
      all.add(step.channel, step.before, step.volume);
      if (step.first != no_channel) of_first[step.first].add(step.channel, step.before, step.volume);
      if (step.last != no_channel) of_last[step.last].add(step.channel, step.before, step.volume);
    }
    // Routes with the same first and last channel are next to each other.
    Volumes both = none;
    for (std::size_t begin = 0, end = 0; begin < steps_.size(); begin = end) {
      both.clear();
      const bool alone = steps_[begin].first != no_channel && steps_[begin].last != no_channel;
      for (; end < steps_.size() && same_ends(steps_[begin], steps_[end]); ++end)
        if (alone) both.add(steps_[end].channel, steps_[end].before, steps_[end].volume);
      for (std::size_t i = begin; i < end; ++i) {
        const Local& step = steps_[i];
        take(step, all, step.first == no_channel ? none : of_first[step.first],
             step.last == no_channel ? none : of_last[step.last], both);
      }
    }
    finish();
  }

 private:
  /// A step in local numbers.
  struct Local {
    std::uint32_t first = 0, last = 0, channel = 0, before = 0, from = 0, remaining = 0;
    double rate = 0, volume = 0;
  };
  static bool same_ends(const Local& a, const Local& b) { return a.first == b.first && a.last == b.last; }

  void number(std::size_t wire) {
    for (LocalNumbers* numbers : {&firsts_, &lasts_, &on_wire_, &befores_}) numbers->clear();
    steps_.clear();
    for (const Step& step : paths_.steps(wire)) {
      const PathEnds& ends = paths_.ends(step);
      steps_.push_back({.first = firsts_.add(ends.first),
                        .last = lasts_.add(ends.last),
                        .channel = on_wire_.add(step.channel),
                        .before = befores_.add(network_.layout().channels[step.before].wire),
                        .from = step.before,
                        .remaining = step.remaining,
                        .rate = ends.rate,
                        .volume = ends.volume});
    }
    const auto by_ends = [](const Local& a, const Local& b) {
      return a.first != b.first ? a.first < b.first : a.last < b.last;
    };
    if (!std::is_sorted(steps_.begin(), steps_.end(), by_ends))
      std::stable_sort(steps_.begin(), steps_.end(), by_ends);
    turns_.clear();
    rates_.assign(on_wire_.size(), 0);
  }

  /// With neither its first nor its last channel.
  void take(const Local& step, const Volumes& all, const Volumes& of_first, const Volumes& of_last,
            const Volumes& both) {
    const std::size_t any_channel = all.all_channels(), any_before = all.any_before();
    const auto others = [&](std::size_t channel, std::size_t before) {
      return all.of(channel, before) - of_first.of(channel, before) - of_last.of(channel, before) +
             both.of(channel, before);
    };
    // With its last channel alone, and another previous physical channel.
    const auto of_end = [&](std::size_t channel) {
      return of_last.of(channel, any_before) - both.of(channel, any_before) -
             of_last.of(channel, step.before) + both.of(channel, step.before);
    };
    Sums& sums = sums_of(step);
    SharedTurn& turn = sums.turn;
    const double r = step.rate;
    const double same = others(step.channel, any_before), came = others(step.channel, step.before),
                 end = of_end(step.channel);
    turn.flow += r;
    turn.same += r * same;
    turn.cross += r * (others(any_channel, any_before) - same);
    turn.came_same += r * came;
    turn.came_cross += r * (others(any_channel, step.before) - came);
    turn.end_same += r * end;
    turn.end_cross += r * (of_end(any_channel) - end);
    turn.of_source += r * of_first.of(step.channel, any_before);
    sums.came_first += r * of_first.of(step.channel, step.before);
    sums.came += r * all.of(step.channel, step.before);
    SharedChannel& channel = shared_[position_[on_wire_.used()[step.channel]]];
    channel.volume += step.volume;
    rates_[step.channel] += r;
    if (channel.remaining.size() <= step.remaining) channel.remaining.resize(step.remaining + 1);
    channel.remaining[step.remaining] += r;
  }

  /// Few: the channels that lead there.
  Sums& sums_of(const Local& step) {
    for (auto& [key, sums] : turns_)
      if (key.first == step.channel && key.second == step.from) return sums;
    return turns_.emplace_back(std::pair{step.channel, step.from}, Sums{}).second;
  }

  void finish() {
    std::sort(turns_.begin(), turns_.end(), [&](const auto& a, const auto& b) {
      const auto key = [&](const auto& turn) {
        return std::pair{on_wire_.used()[turn.first.first], turn.first.second};
      };
      return key(a) < key(b);
    });
    for (auto& [key, sums] : turns_) {
      SharedTurn& turn = sums.turn;
      for (double SharedTurn::*mean :
           {&SharedTurn::same, &SharedTurn::cross, &SharedTurn::came_same, &SharedTurn::came_cross,
            &SharedTurn::end_same, &SharedTurn::end_cross, &SharedTurn::of_source})
        turn.*mean = std::max(0.0, turn.*mean / turn.flow);
      turn.source_came = sums.came > 0 ? std::min(1.0, sums.came_first / sums.came) : 0;
      turn.from = position_[key.second];
      shared_[position_[on_wire_.used()[key.first]]].turns.push_back(turn);
    }
    for (std::size_t c = 0; c < on_wire_.size(); ++c)
      for (double& share : shared_[position_[on_wire_.used()[c]]].remaining) share /= rates_[c];
  }

  const AllPaths& paths_;
  const OneLane& network_;
  const std::vector<std::size_t>& position_;
  std::vector<SharedChannel>& shared_;
  std::size_t channels_;
  LocalNumbers firsts_, lasts_, on_wire_, befores_;
  std::vector<Local> steps_;
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, Sums>> turns_;
  std::vector<double> rates_;  ///< [channel on the wire]
};

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
  WireSums sums(paths, network, position, shared);
  for (std::size_t wire = 0; wire < paths.wires(); ++wire) {
    if (!paths.steps(wire).empty() && sharing(wire)) sums.add(wire);
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
