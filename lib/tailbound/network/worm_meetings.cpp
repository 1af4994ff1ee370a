#include <tailbound/network/worm_meetings.hpp>

#include <algorithm>

namespace tailbound::network {
namespace {

struct Way {
  std::vector<std::uint32_t> channels;
  double rate = 0;
};

class Meetings {
 public:
  explicit Meetings(const WormNetwork& network)
      : network_(network), on_wire_(network.layout().wires), ways_by_(network.layout().channels.size()) {
    const std::vector<WormChannel>& channels = network.layout().channels;
    for (std::uint32_t i = 0; i < channels.size(); ++i) on_wire_[channels[i].wire].push_back(i);
  }

  void add(std::uint32_t source, std::uint32_t destination, double rate) {
    const WormLayout& layout = network_.layout();
    for (std::uint32_t variant = 0; variant < layout.variants; ++variant) {
      Way way{.channels = {}, .rate = rate / layout.variants};
      WormHead head{.source = source, .destination = destination, .variant = variant};
      for (auto station = network_.next_station(head); station != WormNetwork::arrived;
           station = network_.next_station(head)) {
        head.channel = layout.stations[station].first;
        ++head.passed;
        way.channels.push_back(head.channel);
        ways_by_[head.channel].push_back(static_cast<std::uint32_t>(ways_.size()));
      }
      ways_.push_back(std::move(way));
    }
  }

  [[nodiscard]] double mean() {
    seen_.assign(ways_.size(), none);
    on_own_.assign(ways_by_.size(), none);
    double met = 0, messages = 0;
    for (std::uint32_t i = 0; i < ways_.size(); ++i) {
      for (const std::uint32_t channel : ways_[i].channels) on_own_[channel] = i;
      met += ways_[i].rate * rate_met(i);
      messages += ways_[i].rate;
    }
    return met / messages;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] double rate_met(std::uint32_t own) {
    const std::vector<std::uint32_t>& channels = ways_[own].channels;
    double rate = 0;
    for (std::size_t i = 1; i < channels.size(); ++i)
      for (const std::uint32_t partner : on_wire_[network_.layout().channels[channels[i]].wire]) {
        if (partner == channels[i]) continue;
        for (const std::uint32_t other : ways_by_[partner]) {
          if (seen_[other] == own) continue;
          seen_[other] = own;
          rate += ways_[other].rate * held_up(own, other, channels[i - 1]);
        }
      }
    return rate;
  }

  [[nodiscard]] double held_up(std::uint32_t own, std::uint32_t other, std::uint32_t before) const {
    const std::vector<std::uint32_t>& channels = ways_[other].channels;
    if (std::find(channels.begin(), channels.end(), before) != channels.end()) return 0;
    const bool follow = std::any_of(channels.begin() + 1, channels.end(),
                                    [&](std::uint32_t channel) { return on_own_[channel] == own; });
    return follow ? 0.5 : 1;
  }

  const WormNetwork& network_;
  std::vector<std::vector<std::uint32_t>> on_wire_, ways_by_;  ///< [wire] and [channel]
  std::vector<Way> ways_;
  std::vector<std::uint32_t> seen_;    ///< [way]: the last way that met it
  std::vector<std::uint32_t> on_own_;  ///< [channel]: the last way that took it
};

}  // namespace

std::optional<double> worms_met(const WormNetwork& network, const WormTraffic& traffic) {
  const WormLayout& layout = network.layout();
  if (!layout.shares_wires()) return 0;
  const bool single = std::all_of(layout.stations.begin(), layout.stations.end(),
                                  [](const WormStation& station) { return station.count == 1; });
  const std::size_t pairs =
      traffic.flows.empty() ? std::size_t{layout.nodes} * (layout.nodes - 1) : traffic.flows.size();
  if (!single || pairs > most_ways_met / layout.variants) return std::nullopt;
  Meetings meetings(network);
  for (const WormFlow& flow : traffic.flows) meetings.add(flow.source, flow.destination, flow.rate);
  for (std::uint32_t source = 0; source < layout.nodes && traffic.flows.empty(); ++source)
    for (std::uint32_t destination = 0; destination < layout.nodes; ++destination)
      if (source != destination) meetings.add(source, destination, 1.0 / (layout.nodes - 1));
  return meetings.mean();
}

}  // namespace tailbound::network
