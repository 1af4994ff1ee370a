#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/fat_tree_worms.hpp>

namespace tailbound::network {
namespace {

using Index = std::uint32_t;
constexpr int max_levels = 9;

/// Switches in the order of their levels, those of one level in the order of a.
struct Switches {
  Index levels, nodes;
  std::vector<Index> first;  ///< [level - 1]; and behind the last one

  explicit Switches(int n) : levels(static_cast<Index>(n)), nodes(Index{1} << (2 * levels)) {
    first.push_back(0);
    for (Index level = 1; level <= levels; ++level) first.push_back(first.back() + (nodes >> (level + 1)));
  }
  [[nodiscard]] Index count() const { return first.back(); }
  [[nodiscard]] Index number(Index level, Index a) const { return first[level - 1] + a; }
  [[nodiscard]] Index parent(Index level, Index a, Index side) const {
    const Index block = a >> (level + 1), size = Index{1} << level;
    return number(level + 1, block * size + (a + side * (size >> 1)) % size);
  }
};

/// Stations: injections, ejections, then for each switch its four links down (those of level 1 are the
/// ejections) and its two links up.
struct TreePlace {
  Index level = 0, a = 0;
};

struct Built {
  WormLayout layout;
  std::vector<TreePlace> switches;
  std::vector<Index> downs;  ///< [switch][port]: station
  std::vector<Index> ups;    ///< [switch]: station
  std::vector<Index> ends;   ///< [channel]: switch, or none after an ejection
};

constexpr Index none = WormNetwork::arrived;

Built build(int n, Index lanes) {
  const Switches switches(n);
  Built built;
  WormLayout& layout = built.layout;
  layout.name = "butterfly fat-tree of " + std::to_string(switches.nodes) + " processors";
  layout.nodes = switches.nodes;
  layout.longest_path = 2 * switches.levels;
  const auto add_station = [&](std::initializer_list<Index> ends, Index of_each = 1) {
    const auto station = static_cast<Index>(layout.stations.size());
    layout.stations.push_back(
        {static_cast<Index>(layout.channels.size()), static_cast<Index>(ends.size()) * of_each});
    for (const Index end : ends) {
      layout.channels.insert(layout.channels.end(), of_each, {station, layout.wires++});
      built.ends.insert(built.ends.end(), of_each, end);
    }
    return station;
  };
  built.downs.assign(std::size_t{switches.count()} * 4, none);
  built.ups.assign(switches.count(), none);
  for (Index p = 0; p < switches.nodes; ++p) add_station({p / 4});
  for (Index p = 0; p < switches.nodes; ++p) built.downs[p] = add_station({none});
  for (Index level = 1; level <= switches.levels; ++level)
    for (Index a = 0; a < switches.nodes >> (level + 1); ++a) {
      built.switches.push_back({level, a});
      if (level == switches.levels) continue;
      const Index child = switches.number(level, a);
      const Index port = a % (Index{1} << (level + 1)) >> (level - 1);
      const Index left = switches.parent(level, a, 0), right = switches.parent(level, a, 1);
      built.ups[child] = add_station({left, right}, lanes);
      for (const Index parent : {left, right})
        built.downs[std::size_t{parent} * 4 + port] = add_station({child}, lanes);
    }
  return built;
}

class FatTreeWorms final : public WormNetwork {
 public:
  explicit FatTreeWorms(Built built)
      : WormNetwork(std::move(built.layout)),
        switches_(std::move(built.switches)),
        downs_(std::move(built.downs)),
        ups_(std::move(built.ups)),
        ends_(std::move(built.ends)) {}

  [[nodiscard]] Index next_station(const WormHead& head) const override {
    if (head.passed == 0) return head.source;
    const Index at = ends_[head.channel];
    if (at == none) return arrived;
    const auto [level, a] = switches_[at];
    const bool below = a >> (level - 1) == head.destination >> (2 * level);
    if (!below) return ups_[at];
    return downs_[std::size_t{at} * 4 + (head.destination >> (2 * (level - 1))) % 4];
  }

  [[nodiscard]] std::string channel_name(Index channel) const override {
    const Index nodes = layout().nodes, station = layout().channels[channel].station;
    if (station < nodes) return "injection at " + node_name(station);
    if (station < 2 * nodes) return "ejection at " + node_name(station - nodes);
    const Index end = ends_[channel];
    for (Index from = 0; from < switches_.size(); ++from) {
      bool leads = ups_[from] == station;
      for (std::size_t port = 0; port < 4; ++port) leads = leads || downs_[from * 4 + port] == station;
      if (leads) return switch_name(from) + " -> " + switch_name(end) + lane_name(channel);
    }
    return "channel " + std::to_string(channel);
  }
  [[nodiscard]] std::string node_name(Index node) const override {
    return "processor " + std::to_string(node);
  }

 private:
  /// ", virtual channel 2"; nothing if there is only one.
  [[nodiscard]] std::string lane_name(Index channel) const {
    const auto wire = [&](Index of) { return layout().channels[of].wire; };
    const WormStation& station = layout().stations[layout().channels[channel].station];
    Index lane = 0;
    while (channel - lane > station.first && wire(channel - lane - 1) == wire(channel)) ++lane;
    const bool alone =
        lane == 0 && (channel + 1 == station.first + station.count || wire(channel + 1) != wire(channel));
    return alone ? "" : ", virtual channel " + std::to_string(lane);
  }
  [[nodiscard]] std::string switch_name(Index number) const {
    return "S(" + std::to_string(switches_[number].level) + "," + std::to_string(switches_[number].a) + ")";
  }
  std::vector<TreePlace> switches_;
  std::vector<Index> downs_, ups_, ends_;
};

}  // namespace

std::unique_ptr<WormNetwork> make_fat_tree_worms(int levels, int virtual_channels) {
  if (levels < 1 || levels > max_levels)
    throw InvalidArgument("levels", std::to_string(levels), "from 1 to " + std::to_string(max_levels));
  if (virtual_channels < 1 || virtual_channels > 64)
    throw InvalidArgument("virtual channels", std::to_string(virtual_channels), "from 1 to 64");
  return std::make_unique<FatTreeWorms>(build(levels, static_cast<Index>(virtual_channels)));
}

}  // namespace tailbound::network
