#include <tailbound/bounds/wormhole/finite_source_structure.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace tailbound::bounds::wormhole::finite {
namespace {

using network::ChannelGraph;

/// Extent to which messages of one last channel move at the same time: while the buffers before them have
/// space.
double neighbour_of_end(const network::SharedChannel& channel, const Structure& all) {
  double part = 0;
  for (std::size_t left = 0; left < channel.remaining.size(); ++left)
    part += channel.remaining[left] *
            (1 - square(1 - std::min(1.0, all.buffer * static_cast<double>(left) / all.flits)));
  return part;
}

void share_wire(ChannelClass& channel, const network::SharedChannel& its, const Structure& all) {
  if (its.turns.empty()) return;
  const double several = its.lanes > 1 ? 1 : 0, of_end = neighbour_of_end(its, all);
  double flow = 0;
  for (const network::SharedTurn& turn : its.turns) {
    const double same_end = std::max(0.0, its.rate - turn.of_source - turn.same);
    channel.neighbours_same +=
        turn.flow * several * (turn.same + of_end * same_end + turn.of_source / all.flits);
    channel.neighbours_cross += turn.flow * turn.cross;
    flow += turn.flow;
  }
  channel.neighbours_same /= flow;
  channel.neighbours_cross /= flow;
}

void share_wire(Input& input, const network::SharedChannel& onto, const Structure& all) {
  const auto turn = std::find_if(onto.turns.begin(), onto.turns.end(),
                                 [&](const auto& each) { return each.from == input.channel; });
  if (turn == onto.turns.end()) return;
  const bool several = onto.lanes > 1;
  input.one_source = turn->source_came;
  input.came = (several ? turn->came_same : 0) + turn->came_cross;
  input.met_of_end = neighbour_of_end(onto, all) * ((several ? turn->end_same : 0) + turn->end_cross);
  input.met =
      (several ? turn->same - turn->came_same : 0) + turn->cross - turn->came_cross + input.met_of_end;
}

}  // namespace

Structure structure_of(const ChannelGraph& graph, const std::vector<network::SharedChannel>& shared,
                       const Worms& worms) {
  Structure all;
  all.shares = !shared.empty();
  all.flits = worms.flits;
  all.buffer = worms.buffer_flits;
  const auto lanes_of = [&](std::size_t channel) { return shared.empty() ? 1 : shared[channel].lanes; };
  for (const network::Station& station : graph.stations) {
    StationClass& made = all.stations.emplace_back();
    made.wires = station.servers;
    made.servers = station.servers * lanes_of(station.channels.front());
    made.shares = all.shares && !shared[station.channels.front()].turns.empty();
    made.rate = station.rate;
    if (all.shares) made.one_source = shared[station.channels.front()].one_source;
    double rate = 0;
    for (const std::size_t channel : station.channels) rate += graph.channels[channel].rate;
    for (const std::size_t channel : station.channels)
      made.channels.emplace_back(channel, graph.channels[channel].rate / rate);
  }
  for (const network::Channel& channel : graph.channels) {
    const std::size_t at = all.channels.size();
    ChannelClass& made = all.channels.emplace_back();
    made.station = channel.station;
    const int lanes = lanes_of(at);
    made.rate = channel.rate / lanes;
    made.last = channel.turns.empty();
    made.on_wire = channel.rate;
    if (all.shares) {
      share_wire(made, shared[at], all);
      made.neighbours = shared[at].neighbours;
    }
    TrailClass whole{
        .channel = at, .share = 1, .ends = channel.turns.empty() ? 1 : channel.ends, .moves = {}};
    for (const network::Turn& turn : channel.turns) {
      const network::Station& station = graph.stations[turn.station];
      // Shares are limited to 1: then the flow is the channel's whole flow to the station.
      const double rate = turn.own_share < 1 ? turn.own_share * station.rate / station.servers
                                             : std::min(station.rate, channel.rate * turn.probability);
      whole.moves.push_back({.input = all.inputs.size(), .probability = turn.probability});
      all.stations[turn.station].inputs.push_back(all.inputs.size());
      all.inputs.push_back({.channel = at,
                            .station = turn.station,
                            .rate = rate / lanes,
                            .share = rate / channel.rate,
                            .count = turn.inputs * lanes,
                            .lanes = lanes,
                            .twins = turn.twins});
      if (all.shares) share_wire(all.inputs.back(), shared[station.channels.front()], all);
    }
    if (!graph.trails.empty()) continue;
    made.trails.emplace_back(all.trails.size(), 1);
    all.trails.push_back(std::move(whole));
  }
  for (const network::Trail& trail : graph.trails) {
    all.channels[trail.channel].trails.emplace_back(all.trails.size(), trail.share);
    TrailClass& made = all.trails.emplace_back();
    made.channel = trail.channel;
    made.share = trail.share;
    made.ends = trail.ends;
    for (const network::TrailStep& step : trail.steps) {
      const std::size_t to = graph.channels[graph.trails[step.next].channel].station;
      const std::vector<std::size_t>& inputs = all.stations[to].inputs;
      const auto input = std::find_if(inputs.begin(), inputs.end(),
                                      [&](std::size_t i) { return all.inputs[i].channel == trail.channel; });
      made.moves.push_back({.input = *input, .next = step.next, .probability = step.probability});
    }
  }
  for (const network::Source& source : graph.sources) all.channels[source.channel].weight += source.weight;
  const network::RouterTiming& timing = worms.timing;
  if (timing == network::RouterTiming{}) return all;
  all.crossing = timing.crossing_cycles(all.flits, all.buffer) / all.flits;
  for (ChannelClass& channel : all.channels)
    if (!channel.last) channel.turnaround = timing.turnaround(channel.weight > 0) / all.flits;
  all.turns_around = timing.turnaround(false) > 0;
  for (StationClass& station : all.stations)
    for (const auto& [i, share] : station.channels) station.turnaround += share * all.channels[i].turnaround;
  return all;
}

// --- classes of indistinguishable channels

namespace {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebULL;
  return seed ^ (seed >> 31);
}

/// Numbers equal up to rounding have the same name.
class Names {
 public:
  void add(double value) { values_.push_back(value); }
  void close() {
    std::sort(values_.begin(), values_.end());
    std::vector<double> first;
    for (const double value : values_)
      if (first.empty() || value - first.back() > 1e-11 * std::abs(value)) first.push_back(value);
    values_ = std::move(first);
  }
  [[nodiscard]] std::uint64_t of(double value) const {
    auto found = std::upper_bound(values_.begin(), values_.end(), value);
    return static_cast<std::uint64_t>(found - values_.begin());
  }

 private:
  std::vector<double> values_;
};

struct Colours {
  std::vector<std::uint64_t> trails, channels, stations, inputs;

  [[nodiscard]] std::size_t count() const {
    std::size_t all = 0;
    for (const auto* kind : {&trails, &channels, &stations})
      all += std::unordered_set<std::uint64_t>(kind->begin(), kind->end()).size();
    return all;
  }
};

std::uint64_t of_set(std::uint64_t seed, std::vector<std::uint64_t>& members) {
  std::sort(members.begin(), members.end());
  for (const std::uint64_t member : members) seed = mixed(seed, member);
  return seed;
}

/// Colours each by its successors and predecessors, until no colour is divided further.
Colours colours_of(const Structure& all) {
  Names names;
  for (const TrailClass& trail : all.trails) {
    names.add(trail.share), names.add(trail.ends);
    for (const Move& move : trail.moves) names.add(move.probability);
  }
  for (const ChannelClass& channel : all.channels)
    for (const double value :
         {channel.rate, channel.weight, channel.neighbours_same, channel.neighbours_cross})
      names.add(value);
  for (const StationClass& station : all.stations) names.add(station.rate), names.add(station.one_source);
  for (const Input& input : all.inputs)
    for (const double value : {input.rate, input.met, input.met_of_end, input.came, input.one_source})
      names.add(value);
  names.close();
  Colours own;
  for (const TrailClass& trail : all.trails)
    own.trails.push_back(mixed(mixed(4, names.of(trail.share)), names.of(trail.ends)));
  for (const ChannelClass& channel : all.channels)
    own.channels.push_back(mixed(mixed(mixed(mixed(1, names.of(channel.rate)), names.of(channel.weight)),
                                       names.of(channel.neighbours_same)),
                                 names.of(channel.neighbours_cross)));
  for (const StationClass& station : all.stations)
    own.stations.push_back(mixed(mixed(mixed(2, names.of(station.rate)), names.of(station.one_source)),
                                 static_cast<std::uint64_t>(station.servers)));
  for (const Input& input : all.inputs) {
    std::uint64_t colour = 3;
    for (const double value : {input.rate, input.met, input.met_of_end, input.came, input.one_source})
      colour = mixed(colour, names.of(value));
    own.inputs.push_back(mixed(mixed(colour, static_cast<std::uint64_t>(input.count)),
                               input.twins.count == 0 ? 0 : 1 + input.twins.station));
  }
  Colours now = own, next = own;
  std::vector<std::uint64_t> members;
  for (std::size_t classes = 0, found = now.count(); found > classes; found = now.count()) {
    classes = found;
    for (std::size_t i = 0; i < all.inputs.size(); ++i)
      next.inputs[i] = mixed(mixed(own.inputs[i], now.channels[all.inputs[i].channel]),
                             now.stations[all.inputs[i].station]);
    for (std::size_t j = 0; j < all.stations.size(); ++j) {
      members.clear();
      for (const auto& [channel, share] : all.stations[j].channels) members.push_back(now.channels[channel]);
      const std::uint64_t colour = of_set(own.stations[j], members);
      members.clear();
      for (const std::size_t input : all.stations[j].inputs) members.push_back(next.inputs[input]);
      next.stations[j] = of_set(mixed(colour, 5), members);
    }
    for (std::size_t i = 0; i < all.trails.size(); ++i) {
      members.clear();
      for (const Move& move : all.trails[i].moves)
        members.push_back(mixed(mixed(next.inputs[move.input], names.of(move.probability)),
                                move.next == any ? 0 : now.trails[move.next]));
      next.trails[i] = of_set(mixed(own.trails[i], now.channels[all.trails[i].channel]), members);
    }
    for (std::size_t i = 0; i < all.channels.size(); ++i) {
      members.clear();
      for (const auto& [trail, share] : all.channels[i].trails) members.push_back(next.trails[trail]);
      next.channels[i] = of_set(mixed(own.channels[i], next.stations[all.channels[i].station]), members);
    }
    std::swap(now, next);
  }
  return now;
}

/// Numbers of colours in order of first appearance, and a representative of each.
struct Classes {
  std::vector<std::size_t> of, first;

  explicit Classes(const std::vector<std::uint64_t>& colours) {
    std::unordered_map<std::uint64_t, std::size_t> number;
    for (std::size_t i = 0; i < colours.size(); ++i) {
      const auto [found, fresh] = number.emplace(colours[i], first.size());
      if (fresh) first.push_back(i);
      of.push_back(found->second);
    }
  }
};

/// Adds to the share of an existing member, or adds the member.
void add_share(std::vector<std::pair<std::size_t, double>>& members, std::size_t member, double share) {
  const auto same =
      std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.first == member; });
  if (same == members.end())
    members.emplace_back(member, share);
  else
    same->second += share;
}

}  // namespace

Collapsed collapsed(const Structure& all) {
  const Colours colours = colours_of(all);
  const Classes trails(colours.trails), channels(colours.channels), stations(colours.stations);
  Collapsed made;
  made.channel_class = channels.of;
  made.station_class = stations.of;
  Structure& classes = made.classes;
  classes.shares = all.shares;
  classes.flits = all.flits;
  classes.buffer = all.buffer;
  classes.crossing = all.crossing;
  classes.turns_around = all.turns_around;
  // Inputs by representative station, equal ones merged.
  std::vector<std::unordered_map<std::uint64_t, std::size_t>> input_of(stations.first.size());
  for (std::size_t j = 0; j < stations.first.size(); ++j) {
    const StationClass& station = all.stations[stations.first[j]];
    StationClass& its = classes.stations.emplace_back(station);
    its.channels.clear();
    its.inputs.clear();
    its.members.clear();
    for (const auto& [channel, share] : station.channels)
      add_share(its.channels, channels.of[channel], share);
    std::unordered_set<std::size_t> origins;
    for (const std::size_t i : station.inputs) origins.insert(all.channels[all.inputs[i].channel].station);
    const bool alone = all.shares || origins.size() == station.inputs.size();
    for (const std::size_t i : station.inputs) {
      const Input& input = all.inputs[i];
      // Two origins of one class remain two: their numbers are kept, and their classes assigned at the end.
      if (!alone) its.members.push_back({input.rate, all.channels[input.channel].station});
      const auto [found, fresh] = input_of[j].emplace(colours.inputs[i], classes.inputs.size());
      if (!fresh) {
        classes.inputs[found->second].count += input.count;
        continue;
      }
      its.inputs.push_back(classes.inputs.size());
      classes.inputs.push_back(input);
      classes.inputs.back().channel = channels.of[input.channel];
      classes.inputs.back().station = j;
      if (!alone) classes.inputs.back().member = its.members.size() - 1;
      if (input.twins.count > 0) classes.inputs.back().twins.station = stations.of[input.twins.station];
    }
  }
  for (const std::size_t first : channels.first) {
    const ChannelClass& channel = all.channels[first];
    ChannelClass& its = classes.channels.emplace_back(channel);
    its.station = stations.of[channel.station];
    its.weight = 0;
    its.neighbours.clear();
    its.trails.clear();
    for (const std::size_t other : channel.neighbours) its.neighbours.push_back(channels.of[other]);
    for (const auto& [trail, share] : channel.trails) add_share(its.trails, trails.of[trail], share);
  }
  for (const std::size_t first : trails.first) {
    const TrailClass& trail = all.trails[first];
    TrailClass& its = classes.trails.emplace_back();
    its.channel = channels.of[trail.channel];
    its.share = trail.share;
    its.ends = trail.ends;
    for (const Move& move : trail.moves) {
      const std::size_t input =
          input_of[stations.of[all.inputs[move.input].station]].at(colours.inputs[move.input]);
      const std::size_t next = move.next == any ? any : trails.of[move.next];
      const auto same = std::find_if(its.moves.begin(), its.moves.end(), [&](const Move& each) {
        return each.input == input && each.next == next;
      });
      if (same == its.moves.end())
        its.moves.push_back({.input = input, .next = next, .probability = move.probability});
      else
        same->probability += move.probability;
    }
  }
  for (std::size_t i = 0; i < all.channels.size(); ++i)
    classes.channels[channels.of[i]].weight += all.channels[i].weight;
  return made;
}

std::vector<std::size_t> last_first(const Structure& all) {
  std::vector<std::vector<std::size_t>> nexts(all.stations.size());
  for (std::size_t j = 0; j < all.stations.size(); ++j)
    for (const auto& [channel, share] : all.stations[j].channels)
      for (const auto& [trail, part] : all.channels[channel].trails)
        for (const Move& move : all.trails[trail].moves) nexts[j].push_back(all.inputs[move.input].station);
  std::vector<std::size_t> order;
  std::vector<char> seen(all.stations.size(), 0);
  std::vector<std::pair<std::size_t, std::size_t>> path;
  for (std::size_t root = 0; root < all.stations.size(); ++root) {
    if (seen[root] != 0) continue;
    seen[root] = 1;
    path.emplace_back(root, 0);
    while (!path.empty()) {
      auto& [station, at] = path.back();
      if (at == nexts[station].size()) {
        order.push_back(station);
        path.pop_back();
        continue;
      }
      const std::size_t next = nexts[station][at++];
      if (seen[next] != 0) continue;
      seen[next] = 1;
      path.emplace_back(next, 0);
    }
  }
  return order;
}

}  // namespace tailbound::bounds::wormhole::finite
