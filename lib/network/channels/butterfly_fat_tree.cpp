#include <tailbound/core/error.hpp>
#include <tailbound/network/channels/butterfly_fat_tree.hpp>

#include <cmath>

namespace tailbound::network {
namespace {

void require_levels(int levels) {
  if (levels < 1 || levels > 12) throw InvalidArgument("levels", std::to_string(levels), "from 1 to 12");
}

double power_of_4(int exponent) {
  return std::ldexp(1.0, 2 * exponent);
}

std::string between(int from, int to) {
  const auto level = [](int l) { return l == 0 ? std::string("processor") : "level " + std::to_string(l); };
  return level(from) + " -> " + level(to);
}

}  // namespace

double beyond_level(int levels, int level) {
  require_levels(levels);
  return (power_of_4(levels) - power_of_4(level)) / (power_of_4(levels) - 1);
}

double further_beyond(int levels, int level) {
  require_levels(levels);
  return (power_of_4(levels) - power_of_4(level)) / (power_of_4(levels) - power_of_4(level - 1));
}

double fat_tree_distance(int levels) {
  require_levels(levels);
  const double nodes = power_of_4(levels);
  return 2.0 / 3 * ((3 * levels - 1) * nodes + 1) / (nodes - 1);
}

ChannelGraph fat_tree_classes(int levels, FatTreeVariant variant) {
  require_levels(levels);
  ChannelGraph graph;
  graph.name = "butterfly fat-tree of " + std::to_string(std::int64_t{1} << (2 * levels)) + " processors";
  graph.mean_distance = fat_tree_distance(levels);
  // Channel and station `level`: <level + 1, level>, down; `levels + level`: <level, level + 1>, up.
  const auto down = [](int level) { return static_cast<std::size_t>(level); };
  const auto up = [levels](int level) { return static_cast<std::size_t>(levels + level); };
  const auto rate = [levels](int level) { return std::ldexp(beyond_level(levels, level), level); };
  const auto add = [&](const std::string& name, int level, int servers) {
    const std::size_t at = graph.channels.size();
    graph.channels.push_back({.name = name, .station = at, .wire = at, .rate = rate(level), .turns = {}});
    graph.stations.push_back({.channels = {at}, .servers = servers, .rate = servers * rate(level)});
  };
  for (int level = 0; level < levels; ++level) {
    add(between(level + 1, level), level, 1);
    if (level > 0)
      graph.channels.back().turns = {
          {.station = down(level - 1),
           .probability = 1,
           .own_share = rate(level) / (4 * rate(level - 1)),
           .inputs = 2,
           .twins = {.count = 1, .station = up(level), .share = 1 / (power_of_4(levels - level) - 1)}}};
  }
  for (int level = 0; level < levels; ++level) {
    add(between(level, level + 1), level, level == 0 ? 1 : 2);
    const double further = level + 1 == levels                ? 0
                           : variant == FatTreeVariant::paper ? beyond_level(levels, level + 1)
                                                              : further_beyond(levels, level + 1);
    std::vector<Turn>& turns = graph.channels.back().turns;
    turns = {
        {.station = down(level), .probability = 1 - further, .own_share = (1 - further) / 3, .inputs = 3}};
    if (further > 0)
      turns.push_back({.station = up(level + 1),
                       .probability = further,
                       .own_share = rate(level) / rate(level + 1) * further,
                       .inputs = 4});
  }
  graph.sources = {{.channel = up(0), .weight = 1}};
  return graph;
}

}  // namespace tailbound::network
