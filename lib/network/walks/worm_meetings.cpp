#include <tailbound/network/walks/worm_meetings.hpp>

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace tailbound::network {
namespace {

struct Path {
  std::vector<std::uint32_t> channels;
  double rate = 0, volume = 0;
};

class Meetings {
 public:
  explicit Meetings(const WormNetwork& network)
      : network_(network), on_wire_(network.layout().wires), paths_by_(network.layout().channels.size()) {
    const std::vector<WormChannel>& channels = network.layout().channels;
    for (std::uint32_t i = 0; i < channels.size(); ++i) on_wire_[channels[i].wire].push_back(i);
  }

  void add(const MessageFlows& kind) {
    kind.for_each_pair(network_.layout().nodes, [&](std::uint32_t source, std::uint32_t destination,
                                                    double rate) { add(kind, source, destination, rate); });
  }
  void add(const MessageFlows& kind, std::uint32_t source, std::uint32_t destination, double rate) {
    const WormLayout& layout = network_.layout();
    for (std::uint32_t variant = kind.first_variant; variant < kind.first_variant + kind.variants;
         ++variant) {
      Path path{.channels = {}, .rate = rate / kind.variants, .volume = rate / kind.variants * kind.size};
      WormHead head{.source = source, .destination = destination, .variant = variant};
      for (auto station = network_.next_station(head); station != WormNetwork::arrived;
           station = network_.next_station(head)) {
        head.channel = layout.stations[station].first;
        ++head.passed;
        path.channels.push_back(head.channel);
        paths_by_[head.channel].push_back(static_cast<std::uint32_t>(paths_.size()));
      }
      paths_.push_back(std::move(path));
    }
  }

  [[nodiscard]] double mean() {
    seen_.assign(paths_.size(), none);
    on_own_.assign(paths_by_.size(), none);
    double met = 0, messages = 0;
    for (std::uint32_t i = 0; i < paths_.size(); ++i) {
      for (const std::uint32_t channel : paths_[i].channels) on_own_[channel] = i;
      met += paths_[i].rate * rate_met(i);
      messages += paths_[i].rate;
    }
    return met / messages;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] double rate_met(std::uint32_t own) {
    const std::vector<std::uint32_t>& channels = paths_[own].channels;
    double rate = 0;
    for (std::size_t i = 1; i < channels.size(); ++i)
      for (const std::uint32_t partner : on_wire_[network_.layout().channels[channels[i]].wire]) {
        if (partner == channels[i]) continue;
        for (const std::uint32_t other : paths_by_[partner]) {
          if (seen_[other] == own) continue;
          seen_[other] = own;
          rate += paths_[other].volume * held_up(own, other, channels[i - 1]);
        }
      }
    return rate;
  }

  [[nodiscard]] double held_up(std::uint32_t own, std::uint32_t other, std::uint32_t before) const {
    const std::vector<std::uint32_t>& channels = paths_[other].channels;
    if (std::find(channels.begin(), channels.end(), before) != channels.end()) return 0;
    const bool follow = std::any_of(channels.begin() + 1, channels.end(),
                                    [&](std::uint32_t channel) { return on_own_[channel] == own; });
    return follow ? 0.5 : 1;
  }

  const WormNetwork& network_;
  std::vector<std::vector<std::uint32_t>> on_wire_, paths_by_;  ///< [wire] and [channel]
  std::vector<Path> paths_;
  std::vector<std::uint32_t> seen_;    ///< [route]: the last route that met it
  std::vector<std::uint32_t> on_own_;  ///< [channel]: the last route that took it
};

}  // namespace

std::optional<double> worms_met(const WormNetwork& network, const std::vector<MessageFlows>& kinds) {
  const WormLayout& layout = network.layout();
  if (!layout.shares_wires()) return 0;
  const bool single = std::all_of(layout.stations.begin(), layout.stations.end(),
                                  [](const WormStation& station) { return station.count == 1; });
  double paths = 0;
  for (const MessageFlows& kind : kinds) paths += kind.pairs(layout.nodes) * kind.variants;
  if (!single || paths > static_cast<double>(max_paths_met)) return std::nullopt;
  Meetings meetings(network);
  for (const MessageFlows& kind : kinds) meetings.add(kind);
  return meetings.mean();
}

namespace {

/// Places are physical channels, followed by the steps from one shared physical channel to the next. For
/// each: the rate of messages, and of pairs of messages that may move there at the same time, each counted
/// from both sides.
class Pairs {
 public:
  explicit Pairs(const WormNetwork& network)
      : network_(network), shared_(network.layout().wires, 0), places_(network.layout().wires) {
    for (const WormChannel& channel : network.layout().channels) ++shared_[channel.wire];
  }

  /// Does sharing not depend on which virtual channel a message has?
  [[nodiscard]] bool apply() const {
    const WormLayout& layout = network_.layout();
    return layout.shares_wires() &&
           std::all_of(layout.stations.begin(), layout.stations.end(), [&](const WormStation& station) {
             const std::uint32_t wire = layout.channels[station.first].wire;
             if (station.count == 1 || shared_[wire] < many_channels) return shared_[wire] == 1;
             for (std::uint32_t i = 1; i < station.count; ++i)
               if (layout.channels[station.first + i].wire != wire) return false;
             return true;
           });
  }

  /// All pairs of messages, less those of one injection and those of one ejection channel, plus those of
  /// both.
  void count(const std::vector<WormFlow>& flows) {
    const WormLayout& layout = network_.layout();
    for (const WormFlow& flow : flows)
      for (std::uint32_t variant = 0; variant < layout.variants; ++variant)
        paths_.push_back(
            {.head = {.source = flow.source, .destination = flow.destination, .variant = variant},
             .rate = flow.rate / layout.variants});
    for (Path& path : paths_) {
      path.first = network_.next_station(path.head);
      walk(path);
      for (const std::uint32_t place : path_) places_[place].rate += path.rate;
    }
    const auto by = [&](double sign, auto key) {
      std::sort(paths_.begin(), paths_.end(), [&](const Path& a, const Path& b) { return key(a) < key(b); });
      for (std::size_t i = 0; i < paths_.size(); ++i) {
        walk(paths_[i]);
        const bool one = key(paths_[i]).alone;
        for (const std::uint32_t place : path_)
          if (one) add(place, paths_[i].rate);
        if (i + 1 == paths_.size() || key(paths_[i]) < key(paths_[i + 1])) close(sign);
      }
    };
    by(-1, [&](const Path& path) { return Key{single(path.first), path.first, 0}; });
    by(-1, [&](const Path& path) { return Key{single(path.last), path.last, 0}; });
    by(1, [&](const Path& path) {
      return Key{single(path.first) && single(path.last), path.first, path.last};
    });
    for (Place& place : places_) place.pairs += place.rate * place.rate;
  }

  [[nodiscard]] std::vector<SharedWire> wires() const {
    std::vector<SharedWire> found;
    std::vector<double> before(shared_.size(), 0);
    for (const auto& [step, place] : steps_) before[step & 0xffffffffU] += places_[place].pairs;
    for (std::size_t wire = 0; wire < shared_.size(); ++wire) {
      const Place& place = places_[wire];
      if (shared_[wire] > 1 && place.rate > 0)
        found.push_back({.rate = place.rate,
                         .others = std::max(0.0, place.pairs / place.rate),
                         .met = std::max(0.0, (place.pairs - before[wire]) / place.rate)});
    }
    return found;
  }

 private:
  struct Place {
    double rate = 0, pairs = 0;
    double group = 0;  ///< rate of those in the current group
  };
  struct Path {
    WormHead head;
    double rate = 0;
    std::uint32_t first = 0, last = 0;  ///< stations
  };
  struct Key {
    bool alone = false;  ///< its stations have one channel
    std::uint32_t first = 0, last = 0;
    bool operator<(const Key& other) const {
      return std::tie(first, last) < std::tie(other.first, other.last);
    }
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] bool single(std::uint32_t station) const {
    return network_.layout().stations[station].count == 1;
  }

  /// The route's places, and its last station.
  void walk(Path& path) {
    const WormLayout& layout = network_.layout();
    WormHead head = path.head;
    path_.clear();
    std::uint32_t before = none;
    for (auto station = network_.next_station(head); station != WormNetwork::arrived;
         station = network_.next_station(head)) {
      head.channel = layout.stations[station].first;
      ++head.passed;
      path.last = station;
      const std::uint32_t wire = layout.channels[head.channel].wire;
      const bool shared = shared_[wire] > 1;
      if (shared) path_.push_back(wire);
      if (shared && before != none) path_.push_back(step(before, wire));
      before = shared ? wire : none;
    }
  }

  void add(std::uint32_t place, double rate) {
    if (places_[place].group == 0) touched_.push_back(place);
    places_[place].group += rate;
  }

  void close(double sign) {
    for (const std::uint32_t place : touched_) {
      double& group = places_[place].group;
      places_[place].pairs += sign * group * group;
      group = 0;
    }
    touched_.clear();
  }

  [[nodiscard]] std::uint32_t step(std::uint32_t from, std::uint32_t to) {
    const auto [found, fresh] =
        steps_.emplace((std::uint64_t{from} << 32U) | to, static_cast<std::uint32_t>(places_.size()));
    if (fresh) places_.emplace_back();
    return found->second;
  }

  const WormNetwork& network_;
  std::vector<int> shared_;  ///< [wire]: its channels
  std::vector<Place> places_;
  std::unordered_map<std::uint64_t, std::uint32_t> steps_;
  std::vector<Path> paths_;
  std::vector<std::uint32_t> path_, touched_;
};

}  // namespace

std::vector<SharedWire> shared_wires(const WormNetwork& network, const WormTraffic& traffic) {
  Pairs pairs(network);
  if (!pairs.apply()) return {};
  std::vector<WormFlow> flows = traffic.flows;
  const std::uint32_t nodes = network.layout().nodes;
  for (std::uint32_t source = 0; source < nodes && traffic.flows.empty(); ++source)
    for (std::uint32_t destination = 0; destination < nodes; ++destination)
      if (source != destination) flows.push_back({source, destination, 1.0 / (nodes - 1)});
  pairs.count(flows);
  return pairs.wires();
}

}  // namespace tailbound::network
