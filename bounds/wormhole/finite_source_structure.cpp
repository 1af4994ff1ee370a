#include <tailbound/bounds/wormhole/finite_source_structure.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace tailbound::bounds::wormhole::finite {
namespace {

using network::ChannelGraph;

/// Time for which two messages overlap: one at its end of `own` flits, and another behind it, of which
/// `behind` flits move into the buffers before that. (37)
double overlap(double own, double behind) {
  return behind <= own ? own * behind - square(behind) / 2 : square(own) / 2;
}

/// Extent to which messages of one last channel move at the same time: while the buffers before them have
/// space.
struct SameEnd {
  double both = 0;               ///< mean over pairs
  std::vector<double> of_class;  ///< [length class of the first]
};

SameEnd same_end(const network::SharedChannel& its, const ChannelClass& channel, const Structure& all) {
  SameEnd made;
  made.of_class.assign(all.length_count(), 0);
  const std::vector<LengthClass>& classes = all.lengths.classes;
  for (std::size_t left = 0; left < its.remaining.size(); ++left)
    for (std::size_t own = 0; own < classes.size(); ++own)
      for (std::size_t other = 0; other < classes.size(); ++other) {
        if (channel.lengths[other] == 0 || !std::isfinite(all.lengths.flits)) continue;
        const double buffers = all.buffer * static_cast<double>(left) / all.lengths.flits;
        const double part =
            channel.lengths[other] * overlap(classes[own].size, std::min(classes[other].size, buffers));
        made.of_class[own] += its.remaining[left] * part / (classes[own].size * channel.size);
        made.both += its.remaining[left] * channel.lengths[own] * 2 * part / square(channel.size);
      }
  return made;
}

/// Of the inputs of a channel's station too.
void share_wire(std::size_t at, const network::SharedChannel& its, Structure& all) {
  if (its.turns.empty()) return;
  ChannelClass& channel = all.channels[at];
  const bool several = its.lanes > 1;
  const SameEnd end = same_end(its, channel, all);
  double flow = 0;
  for (const network::SharedTurn& turn : its.turns) {
    const double same_end = std::max(0.0, its.volume - turn.of_source - turn.same);
    if (several)
      channel.neighbours_same +=
          turn.flow * (turn.same + end.both * same_end + turn.of_source / all.lengths.flits);
    channel.neighbours_cross += turn.flow * turn.cross;
    flow += turn.flow;
  }
  channel.neighbours_same /= flow;
  channel.neighbours_cross /= flow;
  if (at != all.stations[channel.station].channels.front().first) return;
  for (const std::size_t i : all.stations[channel.station].inputs) {
    Input& input = all.inputs[i];
    const auto turn = std::find_if(its.turns.begin(), its.turns.end(),
                                   [&](const auto& each) { return each.from == input.channel; });
    if (turn == its.turns.end()) continue;
    input.one_source = turn->source_came;
    input.of_end = end.of_class;
    input.came_cross = turn->came_cross;
    input.end_cross = turn->end_cross;
    input.met_cross = turn->cross - turn->came_cross;
    if (!several) continue;
    input.came_same = turn->came_same;
    input.end_same = turn->end_same;
    input.met_same = turn->same - turn->came_same;
  }
}

/// Adds the lengths of a kind's messages.
void add_lengths(const Structure& all, std::size_t kind, double share, std::vector<double>& lengths) {
  for (const auto& [of, part] : all.lengths.laws[kind]) lengths[of] += share * part;
}

/// Shares of lengths, of channels and inputs, by the trails over them.
void set_lengths(Structure& all) {
  const std::size_t count = all.length_count();
  for (ChannelClass& channel : all.channels) {
    channel.lengths.assign(count, 0);
    channel.size = 0;
    for (const auto& [trail, share] : channel.trails) {
      add_lengths(all, all.trails[trail].kind, share, channel.lengths);
      channel.size += share * all.lengths.sizes[all.trails[trail].kind];
    }
    channel.on_wire *= channel.size;
  }
  std::vector<double> flow(all.inputs.size(), 0);
  for (Input& input : all.inputs) input.lengths.assign(count, 0);
  for (const ChannelClass& channel : all.channels)
    for (const auto& [at, share] : channel.trails)
      for (const Move& move : all.trails[at].moves) {
        add_lengths(all, all.trails[at].kind, share * move.probability, all.inputs[move.input].lengths);
        flow[move.input] += share * move.probability;
      }
  for (std::size_t i = 0; i < all.inputs.size(); ++i)
    for (double& share : all.inputs[i].lengths) share /= flow[i];
  for (StationClass& station : all.stations) {
    station.size = station.pushed = station.stored = 0;
    for (const auto& [i, share] : station.channels) {
      const ChannelClass& channel = all.channels[i];
      station.size += share * channel.size;
      for (std::size_t t = 0; t < count; ++t) {
        station.pushed += share * channel.lengths[t] * all.lengths.classes[t].pushed;
        station.stored += share * channel.lengths[t] * all.lengths.classes[t].stored;
      }
    }
  }
}

/// G of a length to partners with these shares, and the mean over a channel's own flits. (35)
double losses(const Structure& all, const ChannelClass& own, const std::vector<double>& partners,
              const std::vector<std::vector<double>>& pairs, std::vector<double>& loss) {
  const std::vector<LengthClass>& classes = all.lengths.classes;
  loss.assign(classes.size(), 1);
  double size = 0, mean = 0;
  for (std::size_t t = 0; t < classes.size(); ++t) size += partners[t] * classes[t].size;
  if (!(size > 0)) return 1;
  for (std::size_t t = 0; t < classes.size(); ++t) {
    double sum = 0;
    for (std::size_t other = 0; other < classes.size(); ++other)
      sum += partners[other] * classes[other].size * pairs[t][other];
    loss[t] = sum / size;
    mean += own.lengths[t] * classes[t].size / own.size * loss[t];
  }
  return mean;
}

void set_losses(Structure& all) {
  const std::vector<LengthClass>& classes = all.lengths.classes;
  std::vector<std::vector<double>> pairs(classes.size());
  for (std::size_t a = 0; a < classes.size(); ++a)
    for (const LengthClass& other : classes) pairs[a].push_back(pair_loss(classes[a].flits, other.flits));
  for (ChannelClass& channel : all.channels) {
    channel.mean_loss_same = losses(all, channel, channel.lengths, pairs, channel.loss_same);
    std::vector<double> others(classes.size(), 0);
    for (const std::size_t i : channel.neighbours)
      for (std::size_t t = 0; t < classes.size(); ++t)
        others[t] += all.channels[i].rate * all.channels[i].lengths[t];
    channel.mean_loss_cross = losses(all, channel, others, pairs, channel.loss_cross);
  }
}

/// Mean number of channels of a path of each kind.
std::vector<double> distances(const ChannelGraph& graph, std::size_t kinds) {
  if (graph.trails.empty() || kinds == 1) return std::vector<double>(kinds, graph.mean_distance);
  std::vector<double> sent(kinds, 0), crossed(kinds, 0);
  std::vector<char> source(graph.channels.size(), 0);
  for (const network::Source& each : graph.sources) source[each.channel] = 1;
  for (const network::Trail& trail : graph.trails) {
    const double rate = graph.channels[trail.channel].rate * trail.share;
    crossed[trail.kind] += rate;
    if (source[trail.channel] != 0) sent[trail.kind] += rate;
  }
  for (std::size_t k = 0; k < kinds; ++k) crossed[k] /= sent[k];
  return crossed;
}

/// Trails of one route, whatever their kind.
void set_families(Structure& all) {
  std::unordered_map<std::size_t, std::size_t> number;
  all.families.clear();
  for (std::size_t i = 0; i < all.trails.size(); ++i) {
    const auto [found, fresh] = number.emplace(all.trails[i].family, all.families.size());
    if (fresh) all.families.emplace_back();
    all.trails[i].family = found->second;
    all.families[found->second].push_back(i);
  }
  for (ChannelClass& channel : all.channels) channel.families.clear();
  for (std::size_t f = 0; f < all.families.size(); ++f)
    all.channels[all.trails[all.families[f].front()].channel].families.push_back(f);
}

/// Channels of the longest path to which lengths are compared.
double longest_path(const ChannelGraph& graph, const std::vector<network::SharedChannel>& shared) {
  std::size_t longest = 0;
  for (const network::SharedChannel& channel : shared) longest = std::max(longest, channel.remaining.size());
  return shared.empty() ? graph.mean_distance
                        : std::max(graph.mean_distance, static_cast<double>(longest) + 1);
}

/// Virtual channels of a physical channel, at most.
int most_on_a_wire(const std::vector<network::SharedChannel>& shared) {
  int most = 1;
  for (const network::SharedChannel& channel : shared) {
    int here = channel.lanes;
    for (const std::size_t other : channel.neighbours) here += shared[other].lanes;
    most = std::max(most, here);
  }
  return most;
}

}  // namespace

Structure structure_of(const ChannelGraph& graph, const std::vector<network::SharedChannel>& shared,
                       const Worms& worms) {
  Structure all;
  all.shares = !shared.empty();
  all.buffer = worms.buffer_flits;
  all.lengths = lengths_of(worms, longest_path(graph, shared), most_on_a_wire(shared));
  all.distances = distances(graph, all.lengths.laws.size());
  all.remembers = graph.remembers;
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
    if (all.shares) made.neighbours = shared[at].neighbours;
    TrailClass whole{.channel = at,
                     .share = 1,
                     .ends = channel.turns.empty() ? 1 : channel.ends,
                     .moves = {},
                     .family = at};
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
                            .lengths = {},
                            .of_end = {},
                            .twins = turn.twins});
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
    made.kind = trail.kind;
    made.family = trail.family;
    for (const network::TrailStep& step : trail.steps) {
      const std::size_t to = graph.channels[graph.trails[step.next].channel].station;
      const std::vector<std::size_t>& inputs = all.stations[to].inputs;
      const auto input = std::find_if(inputs.begin(), inputs.end(),
                                      [&](std::size_t i) { return all.inputs[i].channel == trail.channel; });
      made.moves.push_back({.input = *input, .next = step.next, .probability = step.probability});
    }
  }
  for (const network::Source& source : graph.sources) all.channels[source.channel].weight += source.weight;
  set_families(all);
  set_lengths(all);
  if (all.shares) {
    for (std::size_t i = 0; i < shared.size(); ++i) share_wire(i, shared[i], all);
    set_losses(all);
  }
  const network::RouterTiming& timing = worms.timing;
  if (timing == network::RouterTiming{}) return all;
  for (ChannelClass& channel : all.channels)
    if (!channel.last) channel.turnaround = timing.turnaround(channel.weight > 0) / all.lengths.flits;
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

std::array<double, 8> numbers_of(const Input& input) {
  return {input.rate,      input.met_same,  input.met_cross,  input.end_same,
          input.end_cross, input.came_same, input.came_cross, input.one_source};
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
    for (const double value : numbers_of(input)) names.add(value);
  names.close();
  Colours own;
  for (const TrailClass& trail : all.trails)
    own.trails.push_back(mixed(mixed(mixed(4, names.of(trail.share)), names.of(trail.ends)), trail.kind));
  for (const ChannelClass& channel : all.channels)
    own.channels.push_back(mixed(mixed(mixed(mixed(1, names.of(channel.rate)), names.of(channel.weight)),
                                       names.of(channel.neighbours_same)),
                                 names.of(channel.neighbours_cross)));
  for (const StationClass& station : all.stations)
    own.stations.push_back(mixed(mixed(mixed(2, names.of(station.rate)), names.of(station.one_source)),
                                 static_cast<std::uint64_t>(station.servers)));
  for (const Input& input : all.inputs) {
    std::uint64_t colour = 3;
    for (const double value : numbers_of(input)) colour = mixed(colour, names.of(value));
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
    if (all.families.size() < all.trails.size())
      for (const std::vector<std::size_t>& family : all.families) {
        members.clear();
        for (const std::size_t trail : family) members.push_back(next.trails[trail]);
        const std::uint64_t colour = of_set(6, members);
        for (const std::size_t trail : family) next.trails[trail] = mixed(next.trails[trail], colour);
      }
    for (std::size_t i = 0; i < all.channels.size(); ++i) {
      members.clear();
      for (const auto& [trail, share] : all.channels[i].trails) members.push_back(next.trails[trail]);
      std::uint64_t colour = of_set(mixed(own.channels[i], next.stations[all.channels[i].station]), members);
      if (!all.channels[i].neighbours.empty()) {
        members.clear();
        for (const std::size_t other : all.channels[i].neighbours) members.push_back(now.channels[other]);
        colour = of_set(mixed(colour, 7), members);
      }
      next.channels[i] = colour;
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
  classes.lengths = all.lengths;
  classes.distances = all.distances;
  classes.remembers = all.remembers;
  classes.turns_around = all.turns_around;
  classes.shares = all.shares;
  classes.buffer = all.buffer;
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
  // The first of the families with the same trails.
  std::unordered_map<std::uint64_t, std::size_t> families;
  const auto family_of = [&](std::size_t family) {
    std::vector<std::uint64_t> members;
    for (const std::size_t trail : all.families[family]) members.push_back(colours.trails[trail]);
    return families.emplace(of_set(6, members), family).first->second;
  };
  for (const std::size_t first : trails.first) {
    const TrailClass& trail = all.trails[first];
    TrailClass& its = classes.trails.emplace_back();
    its.channel = channels.of[trail.channel];
    its.share = trail.share;
    its.ends = trail.ends;
    its.kind = trail.kind;
    its.family = family_of(trail.family);
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
  for (const ChannelClass& channel : classes.channels)
    for (const auto& [trail, share] : channel.trails) classes.trails[trail].share = share;
  set_families(classes);
  // Stations of one channel need no mean over their channels.
  for (TrailClass& trail : classes.trails)
    for (Move& move : trail.moves) {
      const auto& onto = classes.stations[classes.inputs[move.input].station].channels;
      if (move.next == any && onto.size() == 1)
        move.next = classes.channels[onto.front().first].trails.front().first;
    }
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
