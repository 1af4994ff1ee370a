#include <tailbound/network/walks/one_lane.hpp>

#include <utility>

namespace tailbound::network {
namespace {

WormLayout layout_of(const WormLayout& of) {
  WormLayout layout = of;
  layout.channels.clear();
  for (std::uint32_t station = 0; station < of.stations.size(); ++station) {
    const auto [first, count] = of.stations[station];
    WormStation& made = layout.stations[station];
    made = {.first = static_cast<std::uint32_t>(layout.channels.size()), .count = 0};
    for (std::uint32_t channel = first; channel < first + count; ++channel)
      if (channel == first || of.channels[channel].wire != of.channels[channel - 1].wire) {
        layout.channels.push_back({station, of.channels[channel].wire});
        ++made.count;
      }
  }
  return layout;
}

}  // namespace

OneLane::OneLane(std::shared_ptr<const WormNetwork> of)
    : WormNetwork(layout_of(of->layout())), of_(std::move(of)) {
  for (std::uint32_t station = 0; station < layout().stations.size(); ++station) {
    const WormStation& were = of_->layout().stations[station];
    const std::uint32_t wires = layout().stations[station].count;
    lanes_.push_back(were.count / wires);
    for (std::uint32_t wire = 0; wire < wires; ++wire) first_.push_back(were.first + wire * lanes_.back());
  }
}

std::uint32_t OneLane::next_station(const WormHead& head) const {
  WormHead there = head;
  if (head.passed > 0) there.channel = first_[head.channel];
  return of_->next_station(there);
}

std::string OneLane::channel_name(std::uint32_t channel) const {
  const std::string name = of_->channel_name(first_[channel]);
  return name.substr(0, name.find(", virtual channel "));
}

}  // namespace tailbound::network
