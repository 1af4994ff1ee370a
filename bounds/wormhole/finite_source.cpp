#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/queue/wormhole/worm_station.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace tailbound::bounds::wormhole {
namespace {

using network::ChannelGraph;
using queue::StationInput;
using queue::StationMemory;
using queue::StationService;
using queue::StationWaits;

double square(double x) {
  return x * x;
}

/// A flow from one channel to one station.
struct Input {
  std::size_t channel = 0;  ///< class
  std::size_t station = 0;
  double rate = 0;        ///< f
  double share = 0;       ///< R = f / lambda_i
  int count = 1;          ///< equal inputs of the station
  int lanes = 1;          ///< of each of their wires
  double met = 0;         ///< rate of others that a worm first meets on the station's wire
  double met_of_end = 0;  ///< of those of its own last channel, as far as they move beside it
  double came = 0;        ///< rate of others that came by its own wire
  double one_source = 0;  ///< share of pairs of its wire that are of one source
  network::Twins twins{};
  std::size_t member = 0;  ///< of its station's members, where they are kept
};

/// An input of a station by itself.
struct Member {
  double rate = 0;
  std::size_t origin = 0;  ///< the station that its channel is of
};

constexpr std::size_t any = std::numeric_limits<std::size_t>::max();

struct Move {
  std::size_t input = 0;
  std::size_t next = any;  ///< trail, or any of the station's channels
  double probability = 0;  ///< of this flow and its equals
};

/// Worms of a channel that came the same way, or all of them.
struct TrailClass {
  std::size_t channel = 0;
  double share = 1;
  double ends = 0;
  std::vector<Move> moves;
};

struct ChannelClass {
  std::size_t station = 0;
  double rate = 0;
  double weight = 0;                                   ///< of the sources
  std::vector<std::pair<std::size_t, double>> trails;  ///< and their shares
  bool last = false;                                   ///< of all ways over it
  double turnaround = 0;  ///< time for which it is held when all flits have passed
  double on_wire = 0;     ///< rate of its worms, all virtual channels together
  double beside_same = 0,
         beside_cross = 0;          ///< rates of others that may move beside one, on its station or another
  std::vector<std::size_t> beside;  ///< channels of other stations on its wire
};

struct StationClass {
  int servers = 1;
  int wires = 1;          ///< that they are on
  double turnaround = 0;  ///< mean of its channels'
  bool shares = false;    ///< do several virtual channels share a wire there, of its own or of others?
  double rate = 0;
  std::vector<std::pair<std::size_t, double>> channels;  ///< class and share of the station's worms
  std::vector<std::size_t> inputs;
  std::vector<Member>
      members;  ///< kept where several are of one origin, whose worms are on different channels
};

/// As the graph has them, and once more class by class.
struct Structure {
  std::vector<TrailClass> trails;
  std::vector<ChannelClass> channels;
  std::vector<StationClass> stations;
  std::vector<Input> inputs;
  std::size_t held = 0;  ///< channels that a worm holds at most; 0: as many as its way has
  double slack = 0;  ///< flits that find room in each of them beyond those that move, over those of a message
  double crossing = 1;        ///< time in which a message crosses a channel where nobody is in the way
  bool turns_around = false;  ///< are channels held when all flits have passed?
  bool shares = false;        ///< wires
  double flits = std::numeric_limits<double>::infinity(), buffer = 1;
  double spread = 0;  ///< variance of what is lost by sharing, over its mean

  /// Do worms leave channels before they have waited for the last time?
  [[nodiscard]] bool let_go() const { return held > 0 || slack > 0; }
  /// Is a message's time on its way another than that for which it holds its first channel?
  [[nodiscard]] bool own_way() const { return let_go() || turns_around; }
};

/// How far worms of one last channel move at the same time: as long as the buffers before them have room.
double beside_of_end(const network::SharedChannel& channel, const Structure& all) {
  double part = 0;
  for (std::size_t left = 0; left < channel.remaining.size(); ++left)
    part += channel.remaining[left] * std::min(1.0, all.buffer * static_cast<double>(left) / all.flits);
  return part;
}

void share_wire(ChannelClass& channel, const network::SharedChannel& its, const Structure& all) {
  if (its.turns.empty()) return;
  const double several = its.lanes > 1 ? 1 : 0, of_end = beside_of_end(its, all);
  double flow = 0;
  for (const network::SharedTurn& turn : its.turns) {
    const double same_end = std::max(0.0, its.rate - turn.of_source - turn.same);
    channel.beside_same += turn.flow * several * (turn.same + of_end * same_end + turn.of_source / all.flits);
    channel.beside_cross += turn.flow * turn.cross;
    flow += turn.flow;
  }
  channel.beside_same /= flow;
  channel.beside_cross /= flow;
}

void share_wire(Input& input, const network::SharedChannel& onto, const Structure& all) {
  const auto turn = std::find_if(onto.turns.begin(), onto.turns.end(),
                                 [&](const auto& each) { return each.from == input.channel; });
  if (turn == onto.turns.end()) return;
  const bool several = onto.lanes > 1;
  input.one_source = turn->source_came;
  input.came = (several ? turn->came_same : 0) + turn->came_cross;
  input.met_of_end = beside_of_end(onto, all) * ((several ? turn->end_same : 0) + turn->end_cross);
  input.met =
      (several ? turn->same - turn->came_same : 0) + turn->cross - turn->came_cross + input.met_of_end;
}

/// \param shared  of each channel, or nothing where no wires are shared
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
      made.beside = shared[at].beside;
    }
    TrailClass whole{
        .channel = at, .share = 1, .ends = channel.turns.empty() ? 1 : channel.ends, .moves = {}};
    std::unordered_map<std::size_t, std::size_t> input_to;
    for (const network::Turn& turn : channel.turns) {
      const network::Station& station = graph.stations[turn.station];
      // Shares are held to 1: where they are, the flow is all that the channel has for the station.
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

// --- classes of channels that cannot be told apart

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebULL;
  return seed ^ (seed >> 31);
}

/// Numbers that are equal but for rounding have one name.
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

/// Each is coloured by what it leads to and is fed by, until no colour is divided further.
Colours colours_of(const Structure& all) {
  Names names;
  for (const TrailClass& trail : all.trails) {
    names.add(trail.share), names.add(trail.ends);
    for (const Move& move : trail.moves) names.add(move.probability);
  }
  for (const ChannelClass& channel : all.channels)
    for (const double value : {channel.rate, channel.weight, channel.beside_same, channel.beside_cross})
      names.add(value);
  for (const StationClass& station : all.stations) names.add(station.rate);
  for (const Input& input : all.inputs)
    for (const double value : {input.rate, input.met, input.met_of_end}) names.add(value);
  names.close();
  Colours own;
  for (const TrailClass& trail : all.trails)
    own.trails.push_back(mixed(mixed(4, names.of(trail.share)), names.of(trail.ends)));
  for (const ChannelClass& channel : all.channels)
    own.channels.push_back(mixed(mixed(mixed(mixed(1, names.of(channel.rate)), names.of(channel.weight)),
                                       names.of(channel.beside_same)),
                                 names.of(channel.beside_cross)));
  for (const StationClass& station : all.stations)
    own.stations.push_back(
        mixed(mixed(2, names.of(station.rate)), static_cast<std::uint64_t>(station.servers)));
  for (const Input& input : all.inputs)
    own.inputs.push_back(mixed(
        mixed(mixed(mixed(mixed(3, names.of(input.rate)), names.of(input.met)), names.of(input.met_of_end)),
              static_cast<std::uint64_t>(input.count)),
        input.twins.count == 0 ? 0 : 1 + input.twins.station));
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

/// Numbers of colours in the order in which they first appear, and one that has each.
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

struct Collapsed {
  Structure classes;
  std::vector<std::size_t> channel_class, station_class;  ///< [as in the graph]
};

/// Adds to the share of a member that is there, or adds the member.
void add_share(std::vector<std::pair<std::size_t, double>>& members, std::size_t member, double share) {
  const auto same =
      std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.first == member; });
  if (same == members.end())
    members.emplace_back(member, share);
  else
    same->second += share;
}

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
  // Inputs by the representative station, equal ones together.
  std::vector<std::unordered_map<std::uint64_t, std::size_t>> input_of(stations.first.size());
  for (std::size_t j = 0; j < stations.first.size(); ++j) {
    const StationClass& station = all.stations[stations.first[j]];
    StationClass& its = classes.stations.emplace_back();
    its.servers = station.servers;
    its.wires = station.wires;
    its.turnaround = station.turnaround;
    its.shares = station.shares;
    its.rate = station.rate;
    for (const auto& [channel, share] : station.channels)
      add_share(its.channels, channels.of[channel], share);
    std::unordered_set<std::size_t> origins;
    for (const std::size_t i : station.inputs) origins.insert(all.channels[all.inputs[i].channel].station);
    const bool alone = all.shares || origins.size() == station.inputs.size();
    for (const std::size_t i : station.inputs) {
      const Input& input = all.inputs[i];
      // Two origins of one class are still two: their numbers are kept, and their classes found at the end.
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
    ChannelClass& its = classes.channels.emplace_back();
    its.station = stations.of[channel.station];
    its.rate = channel.rate;
    its.last = channel.last;
    its.on_wire = channel.on_wire;
    its.beside_same = channel.beside_same;
    its.beside_cross = channel.beside_cross;
    for (const std::size_t other : channel.beside) its.beside.push_back(channels.of[other]);
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

/// Stations, those that a worm meets last first, as far as there are no cycles.
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

// --- rounds

/// Mean holding times and second moments of a channel, or over those of a station.
struct Times {
  double fresh = 1, behind = 1;                ///< x0, x1
  double fresh_second = 1, behind_second = 1;  ///< q0, q1
  double slope = 0;                            ///< s
  double follow = 0;                           ///< phi
  double lost = 0;                             ///< of the means: by sharing wires
  double idle = 0;                             ///< probability of no wait at its end
  double hides = 0;  ///< share of what has lagged that comes up while the head waits

  void add(double share, const Times& other) {
    fresh += share * other.fresh;
    behind += share * other.behind;
    fresh_second += share * other.fresh_second;
    behind_second += share * other.behind_second;
    slope += share * other.slope;
    follow += share * other.follow;
    lost += share * other.lost;
    idle += share * other.idle;
    hides += share * other.hides;
  }
  [[nodiscard]] double mean() const { return follow * behind + (1 - follow) * fresh; }
  [[nodiscard]] double second() const { return follow * behind_second + (1 - follow) * fresh_second; }
  [[nodiscard]] double variance() const { return std::max(0.0, second() - square(mean())); }
};

/// Fitted to half of the simulated 8 x 8 meshes and hypercubes of 64: how much less those that lag meet each other, and how
/// much of the room in the buffers behind it a waiting worm's end takes up.
constexpr double sparser = 0.14, room = 0.8;
constexpr double brim = 1 - 1e-5;
constexpr double most_precision = 1e-4;
/// Change of a round that gets no less any more, in large networks with many channels before a station.
constexpr double as_near_as_rounding = 1e-9;
constexpr int exact_from = 60;  ///< round

class Rounds {
 public:
  Rounds(const Structure& all, const std::vector<std::size_t>& order,
         const std::vector<std::size_t>& class_of, const FiniteSourceRounds& how)
      : all_(&all), order_(&order), class_of_(&class_of), how_(how) {
    const double start = std::max(how.start, 1.0);
    const Times at_first{start, start, square(start), square(start), 0, 1 - 1 / start};
    levels_ = all.let_go() ? std::max<std::size_t>(all.held, 1) + 1 : 1;
    held_ = all.held > 0 ? all.held - 1 : 0;
    trails_.assign(all.trails.size() * levels_, at_first);
    times_.assign(all.channels.size(), at_first);
    by_level_.assign(all.channels.size() * levels_, at_first);
    for (std::size_t i = 0; i < all.inputs.size(); ++i) {
      if (all.inputs[i].twins.count == 0) continue;
      twins_.resize(all.stations.size(), 0);
      twins_[all.inputs[i].station] = 1;
    }
    with_trails_ = all.trails.size() != all.channels.size();
    stations_.assign(all.stations.size() * levels_, at_first);
    held_times_.assign(all.stations.size(), at_first);
    wires_.resize(all.stations.size());
    lag_.assign(all.channels.size(), 0);
    passed_.assign(all.channels.size(), 1);
    lag_by_.assign(all.inputs.size(), 0);
    hides_.assign(all.inputs.size(), 0);
    waiting_.assign(all.inputs.size(), 0);
    together_.assign(all.stations.size(), 1);
    memory_.resize(all.stations.size());
    waits_.resize(all.inputs.size());
    for (std::size_t j = 0; j < all.stations.size(); ++j)
      memory_[j].assign(all.stations[j].inputs.size(), {0, start - 1, start - 1, start - 1});
  }

  /// Until nothing changes, or nothing gets nearer to that.
  /// \param on_way  mean time that a head loses on shared wires before it is there
  Ending run(double load, double ejection, double on_way, double length_variation) {
    load_ = load;
    ejection_ = all_->crossing * ejection;
    on_way_ = on_way;
    ejection_second_ =
        square(ejection_) + 2.0 / 3 * (ejection - 1) + length_variation * square(all_->crossing);
    constexpr int span = 200;
    const int most_marked = static_cast<int>(80 / how_.step);
    Ending ending{.stop = Stop::too_many_rounds, .rounds = 0, .change = 0};
    int marked_on_end = 0;
    double least = std::numeric_limits<double>::infinity(), least_before = least;
    for (int round = 1; round <= how_.most; ++round) {
      const double weight = round < 3 ? 1 : how_.step;
      // Stations need be no more precise than what they are given; but where rounds settle slowly, near saturation,
      // what is left open there keeps them from settling.
      precision_ = round > exact_from ? 0
                   : round == 1       ? most_precision
                                      : std::min(most_precision, 1e-3 * change_);
      marked_ = false;
      change_ = 0;
      for (const std::size_t j : *order_) station(j, weight);
      source_time_ = 0;
      for (std::size_t i = 0; i < all_->channels.size(); ++i)
        source_time_ += all_->channels[i].weight * times_[i].mean();
      follow();
      ending.rounds = round;
      ending.change = change_;
      marked_on_end = marked_ ? marked_on_end + 1 : 0;
      const bool still = change_ <= how_.tolerance;
      if (!std::isfinite(change_)) break;
      if (marked_on_end >= most_marked || (marked_ && still)) {
        ending.stop = Stop::saturated;
        break;
      }
      if (still) {
        ending.stop = Stop::converged;
        break;
      }
      least = std::min(least, change_);
      if (round % span == 0) {
        if (least > least_before / 2) {
          if (change_ <= as_near_as_rounding) ending.stop = Stop::converged;
          break;
        }
        least_before = least;
        least = std::numeric_limits<double>::infinity();
      }
    }
    return ending;
  }

  [[nodiscard]] const Times& channel(std::size_t i) const { return times_[i]; }
  [[nodiscard]] const Times& station_times(std::size_t j) const { return held_times_[j]; }
  /// Mean time that a worm loses on the station's wire.
  [[nodiscard]] double loss(std::size_t j) const { return wires_[j].loss; }
  /// Mean time by which the end of a worm comes later to a channel's end than its length says.
  [[nodiscard]] double lag(std::size_t i) const { return lag_[i]; }
  /// Mean of all waits that follow on a channel beyond those for which a worm holds it.
  [[nodiscard]] double further(std::size_t i) const {
    return by_level_[(i + 1) * levels_ - 1].mean() - times_[i].mean();
  }
  [[nodiscard]] const StationWaits& input(std::size_t i) const { return waits_[i]; }
  /// Mean wait of all that come to a station.
  [[nodiscard]] double station_wait(std::size_t j) const {
    double sum = 0, rate = 0;
    for (const std::size_t i : all_->stations[j].inputs) {
      sum += all_->inputs[i].count * all_->inputs[i].rate * waits_[i].mean;
      rate += all_->inputs[i].count * all_->inputs[i].rate;
    }
    return rate > 0 ? sum / rate : 0;
  }

 private:
  void station(std::size_t j, double weight) {
    const StationClass& station = all_->stations[j];
    for (std::size_t level = 0; level < levels_; ++level) {
      Times& sum = stations_[j * levels_ + level];
      sum = {0, 0, 0, 0, 0, 0};
      for (const auto& [i, share] : station.channels) {
        Times its{0, 0, 0, 0, 0, 0};
        for (const auto& [trail, part] : all_->channels[i].trails) {
          trail_at(trail, level).follow = times_[i].follow;
          trail_times(trail, level, weight);
          its.add(part, trail_at(trail, level));
        }
        by_level_[i * levels_ + level] = its;
        sum.add(share, its);
      }
    }
    Times& mean = held_times_[j];
    mean = {0, 0, 0, 0, 0, 0};
    for (const auto& [i, share] : station.channels) {
      times_[i] = later(lagging(by_level_[i * levels_ + held_], lag_[i]), all_->channels[i].turnaround);
      mean.add(share, times_[i]);
    }
    if (station.inputs.empty() || load_ == 0) return;
    StationService service{.servers = station.servers,
                           .rate = load_ * station.rate,
                           .mean = mean.mean(),
                           .second = mean.second(),
                           .behind = mean.behind,
                           .behind_second = mean.behind_second};
    double most = brim * station.servers / service.rate;
    for (const std::size_t i : station.inputs) most = std::min(most, brim / (load_ * all_->inputs[i].rate));
    if (service.mean > most) {
      marked_ = true;
      service.mean = most;
    }
    double weighted = 0, rate = 0;
    inputs_.clear();
    for (const std::size_t i : station.inputs) {
      const Input& input = all_->inputs[i];
      const Times& from = times_[input.channel];
      const double pairs = pair_weight(station, input);
      weighted += input.count * input.rate * pairs;
      rate += input.count * input.rate;
      inputs_.push_back({.rate = load_ * input.rate,
                         .count = input.count,
                         .lanes = input.lanes,
                         .follow = from.follow * input.share,
                         .channel_follow = from.follow,
                         .variation = std::max(0.0, from.second() / square(from.mean()) - 1),
                         .together = pairs,
                         .own = service.mean,
                         .others = service.mean});
    }
    if (with_trails_) split(station, mean.mean(), service.mean);
    if (!twins_.empty() && twins_[j] != 0) {
      service.together = weighted / rate;
      for (StationInput& input : inputs_) input.together /= service.together;
    }
    if (all_->let_go()) add_overhang(station, j);
    if (all_->shares) share_wires(station, j, service);
    solver_.solve(service, inputs_, memory_[j], found_, precision_);
    together_[j] = solver_.together();
    if (station.shares) note_sharing(station, j, service, weight);
    for (std::size_t k = 0; k < station.inputs.size(); ++k) waits_[station.inputs[k]] = found_[k];
  }

  /// All of them by so much.
  [[nodiscard]] static Times later(Times times, double by) {
    if (by == 0) return times;
    for (const auto& [mean, second] :
         {std::pair{&times.fresh, &times.fresh_second}, std::pair{&times.behind, &times.behind_second}}) {
      *second += 2 * *mean * by + square(by);
      *mean += by;
    }
    return times;
  }

  // --- shared wires

  /// Times with what a worm's end lags behind its head, as far as that does not come up.
  [[nodiscard]] Times lagging(Times times, double lag) const {
    if (lag == 0) return times;
    lag *= 1 - times.hides;
    for (const auto& [mean, second] :
         {std::pair{&times.fresh, &times.fresh_second}, std::pair{&times.behind, &times.behind_second}}) {
      *second += 2 * *mean * lag + square(lag) + all_->spread * lag;
      *mean += lag;
    }
    return times;
  }

  /// Of the worms that go on to a station: those that need not wait at their end.
  [[nodiscard]] double idle_at(std::size_t j) const { return stations_[(j + 1) * levels_ - 1].idle; }

  /// Others that a worm of the input meets on the station's wire, each once for its whole length. (21)
  [[nodiscard]] double met_by(std::size_t i) const {
    const Input& input = all_->inputs[i];
    if (input.met == 0) return 0;
    const double again = 1 / (1 - std::min(0.95, load_ * input.came));
    // Those of its own end move beside it only while nobody is there before them.
    const double idle = all_->flits > 1 ? idle_at(input.station) : 1;
    const double together = (1 + 1 / square(all_->flits)) / 2 * idle;
    double flow = 0, lags = 0;
    for (const std::size_t k : all_->stations[input.station].inputs) {
      const Input& other = all_->inputs[k];
      const double rate = other.rate * (other.count - (k == i ? other.lanes : 0));
      flow += rate;
      lags += rate * lag_[other.channel];
    }
    const double stretched =
        (1 + sparser * lag_[input.channel]) * (1 + sparser * (flow > 0 ? lags / flow : 0));
    return (input.met - input.met_of_end * (1 - together)) * again / stretched;
  }

  /// How much longer a worm takes to cross a wire while so many virtual channels of the station are held: holders take
  /// the wire in turn, and are elsewhere in between; by mean values, one more holder at a time. (19), (20)
  void share_wires(const StationClass& station, std::size_t j, StationService& service) {
    double all_flow = 0, itself = 0;
    for (std::size_t k = 0; k < station.inputs.size(); ++k) {
      const Input& input = all_->inputs[station.inputs[k]];
      StationInput& its = inputs_[k];
      const double there = its.own - its.overhang + memory_[j][k].wait;
      if (input.lanes > 1)
        its.apart = 1 - input.one_source * std::min(1.0, source_time_ / there) * (1 - 1 / all_->flits);
      const double wire = input.rate * input.lanes, wires = input.count / input.lanes;
      all_flow += wires * wire;
      itself += wires * wire * wire * (input.lanes == 1 ? 1 : 1 - its.apart);
    }
    if (!station.shares) return;
    const ChannelClass& one = all_->channels[station.channels.front().first];
    Wire& wire = wires_[j];
    const double met = one.beside_same + one.beside_cross;
    const double own = met > 0 ? one.beside_same / met : 0;
    const double seen = all_flow - itself / all_flow;
    const double on_one = station.wires > 1
                              ? station.wires * (static_cast<double>(station.servers) / station.wires - 1) /
                                    (station.servers - 1)
                              : 1;
    const double moving =
        seen > 1e-9 * all_flow ? std::min(1.0, one.beside_same * on_one * station.wires / seen) : 0;
    wire.met = own > 0 ? std::min(one.beside_same, seen / all_flow * one.on_wire * station.wires) / own : met;
    const double grain = 1 - 1 / (2 * all_->flits);
    wire.cross = 0;
    double others = 0, active = 0;
    for (const std::size_t i : one.beside) {
      others += all_->channels[i].on_wire;
      active += wires_[all_->channels[i].station].active;
    }
    if (others > 0) wire.cross = grain * (1 - own) * wire.met / others * active;
    const double elsewhere = std::max(0.0, service.mean - 1 - wire.excess);
    crossing_.assign(static_cast<std::size_t>(station.servers) + 1, 1);
    service.slow.assign(crossing_.size(), 1);
    double queue = 0, busy = 0;
    for (std::size_t n = 1; n < crossing_.size(); ++n) {
      crossing_[n] = (1 + moving * (queue - (1 - grain) * busy) / station.wires) * (1 + wire.cross);
      const double whole = crossing_[n] + elsewhere;
      busy = static_cast<double>(n) / whole;
      queue = static_cast<double>(n) * crossing_[n] / whole;
      service.slow[n] = whole / service.mean;
    }
  }

  /// Mean over all that cross, and what each of those met costs. (20), (21)
  void note_sharing(const StationClass& station, std::size_t j, const StationService& service,
                    double weight) {
    double sum = 0, rate = 0;
    for (std::size_t n = 1; n < solver_.most_present(); ++n) {
      const std::size_t held = std::min<std::size_t>(n, static_cast<std::size_t>(station.servers));
      const double done = solver_.present(n) * static_cast<double>(held) / service.slow[held];
      sum += done * crossing_[held];
      rate += done;
    }
    Wire& wire = wires_[j];
    const double found = (rate > 0 ? sum / rate : 1 + wire.cross) - 1;
    note(std::abs(found - wire.excess));
    wire.excess += (found - wire.excess) * (weight < 1 ? 0.7 : 1);
    wire.active = load_ * station.rate * (1 + wire.excess) / (1 + wire.cross) / station.wires;
    wire.each = wire.met > 0 ? wire.excess / wire.met : 0;
  }

  /// Lags and what hides of them, from the sources on. (22)
  void lag_behind(std::size_t j) {
    const StationClass& station = all_->stations[j];
    double before = 0, flow = 0, lost = 0, passed = 0;
    for (const std::size_t i : station.inputs) {
      const Input& input = all_->inputs[i];
      const StationWaits& wait = waits_[i];
      const double sigma = times_[input.channel].follow * input.share;
      const double waits = (1 - sigma) * wait.fresh_waits + sigma * wait.behind_waits;
      const double rate = input.count * input.rate;
      // What the head lost of its own is no lag.
      const double lag = std::max(
          0.0, lag_[input.channel] - wires_[all_->channels[input.channel].station].loss / all_->flits);
      double hidden = 0;
      if (waits > 1e-12) {
        const double each = wait.mean / waits;
        hidden = each / (each + lag) *
                 std::min(1.0, room * (all_->slack + 0.5 / all_->flits) * passed_[input.channel]);
      }
      hides_[i] += 0.6 * (waits * hidden - hides_[i]);
      waiting_[i] += 0.6 * (waits - waiting_[i]);
      const double loses = wires_[j].each * met_by(i);
      lag_by_[i] = lag * (1 - waits * hidden) + loses;
      before += rate * lag * (1 - waits * hidden);
      lost += rate * loses;
      passed += rate * passed_[input.channel];
      flow += rate;
    }
    if (!(flow > 0)) return;
    wires_[j].loss = lost / flow;
    for (const auto& [i, share] : station.channels) {
      const double lag = (lost + before) / flow;
      note(std::abs(lag - lag_[i]));
      lag_[i] += 0.6 * (lag - lag_[i]);
      passed_[i] = 1 + passed / flow;
    }
  }

  /// What is left of the time on a channel of this station once the worm has left the one before: the last of its
  /// waits, or what has room in the buffer. An input by itself stands for all worms in it: with their channels free, all
  /// inputs may wait. (16)
  void add_overhang(const StationClass& station, std::size_t j) {
    double busy = 0, flow = 0;
    for (std::size_t k = 0; k < station.inputs.size(); ++k) {
      const std::size_t i = station.inputs[k];
      double first = 0, second = 0, rate = 0;
      for (const auto& [trail, part] : all_->channels[all_->inputs[i].channel].trails)
        for (const Move& move : all_->trails[trail].moves) {
          if (move.input != i) continue;
          const Times& whole = onward(j, move, held_);
          const Times before = held_before(j, move, held_);
          const double last = std::max(0.0, whole.mean() - before.mean());
          const double share = part * move.probability;
          // Beside waits that outlast the slack there is all of the slack; of others the last is independent.
          const double apart =
              all_->slack == 0 ? before.mean() * last
                               : ejection_ * last + std::max(all_->slack, last) * (before.mean() - ejection_);
          first += share * last;
          second += share * std::max(square(last), whole.second() - before.second() - 2 * apart);
          rate += share;
        }
      // Where a station is held just below what it can carry, so is its part.
      inputs_[k].overhang = std::min(first / rate, inputs_[k].own * (1 - 1e-9));
      inputs_[k].overhang_second = second / rate;
      busy += inputs_[k].count * inputs_[k].rate * inputs_[k].overhang;
      flow += inputs_[k].count * inputs_[k].rate;
    }
    if (busy > 1e-9 * flow)
      inputs_.push_back({.rate = flow / station.servers,
                         .count = station.servers,
                         .lanes = all_->shares ? station.servers : 1,
                         .own = busy / flow,
                         .others = busy / flow,
                         .overhanging = true});
    memory_[j].resize(inputs_.size());
  }

  /// Holding times by the input, where they depend on it; `held`: as they are held below saturation, over `mean`.
  void split(const StationClass& station, double mean, double held) {
    double all = 0, flow = 0;
    for (std::size_t k = 0; k < station.inputs.size(); ++k) {
      const std::size_t i = station.inputs[k];
      double time = 0, rate = 0;
      for (const auto& [trail, part] : all_->channels[all_->inputs[i].channel].trails)
        for (const Move& move : all_->trails[trail].moves) {
          if (move.input != i) continue;
          const Times& its = trail_at(move.next, held_);
          time += part * move.probability * (its.mean() + lag_by_[i] * (1 - its.hides) + station.turnaround);
          rate += part * move.probability;
        }
      inputs_[k].own = std::min(time / rate * (held / mean), brim / inputs_[k].rate);
      all += inputs_[k].count * inputs_[k].rate * inputs_[k].own;
      flow += inputs_[k].count * inputs_[k].rate;
    }
    for (StationInput& input : inputs_)
      if (const double rest = flow - input.rate; rest > 1e-9 * flow)
        input.others = (all - input.rate * input.own) / rest;
  }

  /// o of an input: how much more often than independently the others are there while it is. (11), (12)
  [[nodiscard]] double pair_weight(const StationClass& station, const Input& input) const {
    if (input.twins.count > 0) {
      const double apart = 1 + (together_[input.twins.station] - 1) * input.twins.share;
      double others = -input.rate * (1 + input.twins.count);
      for (const std::size_t i : station.inputs) others += all_->inputs[i].count * all_->inputs[i].rate;
      const double twins = input.twins.count * input.rate;
      return (twins * apart + others) / (twins + others);
    }
    const std::vector<Member>& members = station.members;
    if (members.size() < 2) return 1;
    const auto together = [&](const Member& one, const Member& other) {
      return one.origin == other.origin ? together_[(*class_of_)[one.origin]] : 1;
    };
    const Member& its = members[input.member];
    double sum = 0, weight = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (k == input.member) continue;
      const double first = together(its, members[k]);
      if (station.servers == 1) {
        sum += members[k].rate * first;
        weight += members[k].rate;
        continue;
      }
      for (std::size_t l = 0; l < k; ++l) {
        if (l == input.member) continue;
        const double both = members[k].rate * members[l].rate;
        sum += both * first * together(its, members[l]) * together(members[k], members[l]);
        weight += both;
      }
    }
    return weight > 0 ? sum / weight : 1;
  }

  /// A change; one that is no number too.
  void note(double change) {
    if (!(change <= change_)) change_ = change;
  }
  /// Second moments that a round drives beyond anything that worms have.
  void limit(double mean, double& second) {
    constexpr double most = 25;
    if (second <= most * square(mean)) return;
    second = most * square(mean);
    marked_ = true;
  }

  Times& trail_at(std::size_t trail, std::size_t level) { return trails_[trail * levels_ + level]; }
  /// Of the worms that make the move, to station j.
  const Times& onward(std::size_t j, const Move& move, std::size_t level) {
    return move.next == any ? stations_[j * levels_ + level] : trail_at(move.next, level);
  }
  /// Of a worm without another wait.
  [[nodiscard]] Times at_end() const {
    return {ejection_, ejection_, ejection_second_, ejection_second_, 0, 0};
  }

  /// For how long a worm that goes on to a channel of station j holds the one before, but for its wait there. Without
  /// bound on the channels that it holds, level 0 is of all of them.
  Times held_before(std::size_t j, const Move& move, std::size_t level) {
    if (all_->held == 0) return shorter(onward(j, move, level));
    return level == 0 ? at_end() : shorter(onward(j, move, level - 1));
  }
  /// Waits in a holding time with what the buffer takes up of them left out. (18)
  [[nodiscard]] Times shorter(Times times) const {
    if (times.lost > 0) lose_less(times);
    if (all_->slack == 0) return times;
    const double waited = times.mean() - ejection_;
    const auto shorten = [&](double& first, double& second) {
      const double wait = first - ejection_;
      const double wait2 = second - ejection_second_ - 2 * ejection_ * wait;
      const queue::RestOfWait rest = queue::rest_of_wait(wait, wait2, all_->slack);
      first = ejection_ + rest.first;
      second = ejection_second_ + 2 * ejection_ * rest.first + rest.second;
      return rest.probability;
    };
    const double fresh = shorten(times.fresh, times.fresh_second);
    const double behind = shorten(times.behind, times.behind_second);
    if (times.lost > 0 && waited > 0) {
      const double left = (times.mean() - ejection_) / waited;
      times.lost *= left;
      times.hides *= left;
    }
    times.slope *= times.follow * behind + (1 - times.follow) * fresh;
    return times;
  }
  /// Of what is lost on wires that part which the flits in a buffer do not lose any more.
  void lose_less(Times& times) const {
    const double part = std::min(1.0, all_->buffer / all_->flits), less = times.lost * part;
    const double spread = all_->spread * times.lost * (1 - square(1 - part));
    times.lost -= less;
    for (const auto& [mean, second] :
         {std::pair{&times.fresh, &times.fresh_second}, std::pair{&times.behind, &times.behind_second}}) {
      *second = std::max(square(*mean - less), *second + less * (less - 2 * *mean) - spread);
      *mean -= less;
    }
  }

  /// Level h counts the waits at the next h + 1 stations, the last level all of them. (15)
  void trail_times(std::size_t i, std::size_t level, double weight) {
    const TrailClass& trail = all_->trails[i];
    Times& now = trail_at(i, level);
    const bool all_waits = level + 1 == levels_;
    Times next{0, 0, 0, 0, 0, now.follow};
    const double end = trail.ends * ejection_;
    const double end_second = trail.ends * ejection_second_;
    next.fresh = next.behind = end;
    next.fresh_second = next.behind_second = end_second;
    for (const Move& move : trail.moves) {
      const Input& input = all_->inputs[move.input];
      const StationWaits& wait = waits_[move.input];
      const Times on =
          all_waits ? onward(input.station, move, level) : held_before(input.station, move, level);
      const int m = all_->stations[input.station].servers;
      const double by_fresh = wait.fresh_waits;
      const double by_behind = wait.behind_waits + (1 - wait.behind_waits) / m;
      const double lost = all_->shares ? wires_[input.station].each * met_by(move.input) : 0;
      const double felt = all_waits ? lost : lost * (1 - on.hides);
      const auto time = [&](double w, double follows) {
        return w + felt + follows * on.behind + (1 - follows) * on.fresh;
      };
      const auto second = [&](double w, double v, double follows) {
        const double before = v + 2 * w * felt + square(felt) + all_->spread * felt;
        return before + 2 * (w + felt) * on.behind + follows * on.behind_second +
               (1 - follows) * on.fresh_second;
      };
      const double fresh = time(wait.fresh, by_fresh), behind = time(wait.behind, by_behind);
      const double fresh2 = second(wait.fresh, wait.fresh_second, by_fresh);
      const double behind2 = second(wait.behind, wait.behind_second, by_behind);
      const double p = move.probability, r = input.share;
      next.fresh += p * fresh;
      next.fresh_second += p * fresh2;
      next.behind += p * (r * behind + (1 - r) * fresh);
      next.behind_second += p * (r * behind2 + (1 - r) * fresh2);
      const double sigma = now.follow * r;
      const double mean = sigma * behind + (1 - sigma) * fresh;
      const double variance = sigma * behind2 + (1 - sigma) * fresh2 - square(mean);
      const double onward = on.variance();
      const double kept = onward <= 0 ? 0 : variance > onward ? onward / variance : 1;
      next.slope += p * r * (wait.feedback / mean + (1 - wait.behind_waits) / m * on.slope * kept);
      if (!all_->shares) continue;
      const bool last = all_->channels[all_->stations[input.station].channels.front().first].last;
      next.lost += p * (felt + on.lost);
      next.idle += p * (last ? 1 - waiting_[move.input] : idle_at(input.station));
      next.hides += p * (hides_[move.input] + (1 - hides_[move.input]) * on.hides);
    }
    if (all_->channels[trail.channel].weight > 0) {
      next.fresh_second += 2 * on_way_ * next.fresh + square(on_way_);
      next.behind_second += 2 * on_way_ * next.behind + square(on_way_);
      next.fresh += on_way_;
      next.behind += on_way_;
    }
    limit(next.fresh, next.fresh_second);
    limit(next.behind, next.behind_second);
    const auto step = [&](double& value, double to) {
      const double moved = weight * to + (1 - weight) * value;
      note(std::abs(to - value) / std::max(1.0, std::abs(to)));
      value = moved;
    };
    step(now.fresh, next.fresh);
    step(now.behind, next.behind);
    step(now.fresh_second, next.fresh_second);
    step(now.behind_second, next.behind_second);
    now.slope = next.slope;
    now.lost = next.lost;
    now.idle = next.idle;
    now.hides = next.hides;
  }

  /// phi of a source: the share of its worms that wait.
  [[nodiscard]] double source_follow(const StationClass& station, double rate, const Times& its) const {
    if (station.servers == 1) {
      const double rest = 1 - rate * (its.behind - its.fresh);
      return rest > 0 ? rate * its.fresh / rest : 1;
    }
    const double x = its.mean(), offered = station.servers * rate * x;
    if (!(offered < station.servers)) return 1;
    return queue::station_wait(station.servers, station.servers * rate, x, 1) * (station.servers - offered) /
           x;
  }

  /// phi, from the sources on.
  void follow() {
    for (auto at = order_->rbegin(); at != order_->rend(); ++at) {
      const StationClass& station = all_->stations[*at];
      double behind = 0;
      for (const std::size_t i : station.inputs) {
        const Input& input = all_->inputs[i];
        const StationWaits& wait = waits_[i];
        const double sigma = times_[input.channel].follow * input.share;
        behind += input.count * input.rate *
                  ((1 - sigma) * wait.fresh_waits +
                   sigma * (wait.behind_waits + (1 - wait.behind_waits) / station.servers));
      }
      if (all_->shares) lag_behind(*at);
      for (const auto& [i, share] : station.channels) {
        const ChannelClass& channel = all_->channels[i];
        Times& its = times_[i];
        double phi = behind / station.rate;
        if (channel.weight > 0) phi = source_follow(station, load_ * channel.rate, its);
        phi = std::clamp(phi, 0.0, 1.0);
        note(std::abs(phi - its.follow));
        its.follow = phi;
      }
    }
  }

  const Structure* all_;
  const std::vector<std::size_t>* order_;
  const std::vector<std::size_t>* class_of_;  ///< [station of the graph]
  double load_ = 0, ejection_ = 1, ejection_second_ = 1, on_way_ = 0;
  FiniteSourceRounds how_;
  std::size_t levels_ = 1;                           ///< numbers of waits, and all of them
  std::size_t held_ = 0;                             ///< the level for which channels are held
  std::vector<Times> trails_, stations_, by_level_;  ///< [trail, station or channel][level]
  std::vector<Times> times_;                         ///< [channel]: as they are held
  std::vector<Times> held_times_;                    ///< [station]: the mean of these
  /// A station's wire, as its virtual channels share it.
  struct Wire {
    double met = 0;     ///< rate of others that may move beside a worm
    double cross = 0;   ///< by how much those of other stations slow it down
    double excess = 0;  ///< time that a worm takes longer to cross it than alone
    double each = 0;    ///< of that, for each of those met
    double active = 0;  ///< share of time in which it is wanted
    double loss = 0;    ///< mean over all worms that come
  };
  std::vector<Wire> wires_;  ///< [station]
  std::vector<double> crossing_;
  double source_time_ = 1;            ///< mean holding time of the sources
  std::vector<double> lag_, passed_;  ///< [channel]: of its worms' ends, and channels passed so far
  std::vector<double> lag_by_, hides_, waiting_;  ///< [input]
  bool with_trails_ = false;
  std::vector<char> twins_;  ///< [station], if any has inputs with twins
  std::vector<double> together_;
  std::vector<std::vector<StationMemory>> memory_;
  std::vector<StationWaits> waits_;  ///< [input]
  std::vector<StationInput> inputs_;
  std::vector<StationWaits> found_;
  queue::FiniteSourceStation solver_;
  bool marked_ = false;
  double change_ = 0;
  double precision_ = most_precision;  ///< of stations in this round
};

struct SourceWait {
  double wait = 0;
  double fullness = 0;  ///< 1 and more: saturated
};

/// W of one channel, (13); of several the wait of M/G/m.
SourceWait source_wait(int servers, double rate, const Times& times) {
  const double x = times.mean(), rho = rate * x;
  if (servers > 1) {
    if (!(rho < 1)) return {.wait = 0, .fullness = rho};
    const double variation = times.variance() / square(x);
    return {.wait = queue::station_wait(servers, servers * rate, x, variation), .fullness = rho};
  }
  const double s = std::min(0.9, times.slope * rho * (2 - rho));
  const double d = rate * (times.behind - times.fresh) / (1 - s);
  const double wait =
      (rate * times.second() / 2 + rate * s * times.variance() / (1 - s)) / ((1 - rho) * (1 - d));
  return {.wait = wait, .fullness = std::max(rho, d)};
}

}  // namespace

struct FiniteSourceModel::Parts {
  Structure all;
  std::vector<std::size_t> channel_class, station_class;
  std::vector<std::size_t> order;
  double worms_met = 0, length_variation = 0;
  int sharing = 1;  ///< so many channels of a station share a wire
  std::vector<network::SharedWire> wires;
  double messages = 0;         ///< rate of all
  std::vector<double> visits;  ///< [station]: of a message; where wires are shared

  /// How long a worm needs for its flits where wires are shared.
  struct Stretch {
    double end = 1;     ///< at its end
    double on_way = 0;  ///< its head until it is there
  };
  [[nodiscard]] Stretch stretch(double load) const;

  /// From where the rounds are to the solution at a load.
  [[nodiscard]] FiniteSourcePoint solve(Rounds& rounds, double load) const;
};

namespace {

/// Of one station, on one wire; the most there are.
int most_sharing(const ChannelGraph& graph) {
  int most = 1;
  for (const network::Station& station : graph.stations) {
    std::unordered_map<std::size_t, int> on_wire;
    for (const std::size_t channel : station.channels)
      most = std::max(most, ++on_wire[graph.channels[channel].wire]);
  }
  return most;
}

/// How much less each further worm holds one up that shares its wires. Where each virtual channel is a station of its
/// own, fitted to a one-way torus; where a worm takes any of V, to an 8 x 8 mesh with V = 2 and 4; V = 3 is in the
/// middle. (14)
double damping(int sharing) {
  if (sharing == 1) return 1.5;
  if (sharing == 2) return 0.13;
  return sharing == 3 ? -0.07 : -0.26;
}

/// How often a message comes by each station of the graph.
std::vector<double> visits_of(const ChannelGraph& graph) {
  double messages = 0;
  for (const network::Source& source : graph.sources) messages += graph.channels[source.channel].rate;
  std::vector<double> visits;
  for (const network::Station& station : graph.stations) {
    double rate = 0;
    for (const std::size_t channel : station.channels) rate += graph.channels[channel].rate;
    visits.push_back(rate / messages);
  }
  return visits;
}

}  // namespace

FiniteSourceModel::FiniteSourceModel(const network::ChannelGraph& graph, const Worms& worms,
                                     const std::vector<network::SharedChannel>& shared) {
  auto parts = std::make_unique<Parts>();
  Collapsed made = collapsed(structure_of(graph, shared, worms));
  parts->all = std::move(made.classes);
  std::size_t longest = 0;
  int on_a_wire = 1;
  for (const network::SharedChannel& channel : shared) {
    longest = std::max(longest, channel.remaining.size());
    on_a_wire = std::max(on_a_wire, channel.lanes * static_cast<int>(1 + channel.beside.size()));
  }
  parts->all.spread = 2.0 / 3 * (1 - 0.5 / on_a_wire);
  const double held = std::ceil(worms.flits / worms.buffer_flits);
  const double way =
      shared.empty() ? graph.mean_distance : std::max(graph.mean_distance, static_cast<double>(longest) + 1);
  if (held < way && worms.length_variation == 0)
    parts->all.held = static_cast<std::size_t>(std::max(1.0, held));
  if (parts->all.shares) {
    const std::vector<double> visits = visits_of(graph);
    parts->visits.assign(parts->all.stations.size(), 0);
    for (std::size_t j = 0; j < visits.size(); ++j) parts->visits[made.station_class[j]] += visits[j];
  }
  if (worms.length_variation == 0)
    parts->all.slack =
        std::max(0.0, worms.buffer_flits - static_cast<double>(worms.timing.round_trip())) / worms.flits;
  parts->channel_class = std::move(made.channel_class);
  parts->station_class = std::move(made.station_class);
  parts->order = last_first(parts->all);
  parts->worms_met = graph.worms_met;
  parts->wires = graph.shared_wires;
  for (const network::Source& source : graph.sources) parts->messages += graph.channels[source.channel].rate;
  parts->length_variation = worms.length_variation;
  parts->sharing = most_sharing(graph);
  parts_ = std::move(parts);
}
FiniteSourceModel::~FiniteSourceModel() = default;
FiniteSourceModel::FiniteSourceModel(FiniteSourceModel&&) noexcept = default;
FiniteSourceModel& FiniteSourceModel::operator=(FiniteSourceModel&&) noexcept = default;

std::size_t FiniteSourceModel::classes() const {
  return parts_->all.channels.size();
}

FiniteSourcePoint FiniteSourceModel::solve(double load, const FiniteSourceRounds& how) const {
  Rounds rounds(parts_->all, parts_->order, parts_->station_class, how);
  return parts_->solve(rounds, load);
}

FiniteSourceModel::Parts::Stretch FiniteSourceModel::Parts::stretch(double load) const {
  if (all.shares) return {};
  if (wires.empty()) {
    const double met = worms_met * load;
    return {.end = 1 + met / std::max(0.1, 1 + damping(sharing) * met)};  // (14)
  }
  // Where worms hardly ever wait for a channel they share wires as processors are shared; all that they meet on any
  // wire adds up. A head itself loses a cycle for each. (17)
  double longer = 0, head = 0;
  for (const network::SharedWire& wire : wires) {
    longer += wire.rate / messages * wire.met * load / std::max(1e-3, 1 - wire.others * load);
    head += wire.rate / messages * wire.others * load;
  }
  const double on_way = std::min(head / all.flits, longer);
  return {.end = 1 + longer - on_way, .on_way = on_way};
}

FiniteSourcePoint FiniteSourceModel::Parts::solve(Rounds& rounds, double load) const {
  const Stretch stretched = stretch(load);
  FiniteSourcePoint point;
  point.load = load;
  point.ending = rounds.run(load, stretched.end, stretched.on_way, length_variation);
  point.service = 0;
  std::vector<FiniteSourceChannel> classes(all.channels.size());
  for (std::size_t j = 0; j < all.stations.size(); ++j) {
    const double wait = rounds.station_wait(j);
    const double busy =
        load * all.stations[j].rate * rounds.station_times(j).mean() / all.stations[j].servers;
    point.fullness = std::max(point.fullness, busy);
    for (const auto& [i, share] : all.stations[j].channels) {
      const Times& times = rounds.channel(i);
      classes[i] = {.service = times.mean(),
                    .second = times.second(),
                    .wait = wait,
                    .follow = times.follow,
                    .utilization = busy};
    }
  }
  for (std::size_t i = 0; i < all.channels.size(); ++i) {
    const ChannelClass& channel = all.channels[i];
    if (channel.weight == 0) continue;
    const Times& times = rounds.channel(i);
    const SourceWait source = source_wait(all.stations[channel.station].servers, load * channel.rate, times);
    classes[i].wait = source.wait;
    point.fullness = std::max(point.fullness, source.fullness);
    point.source_wait += channel.weight * classes[i].wait;
    point.service += channel.weight * times.mean();
    if (all.own_way() && !all.shares) point.further += channel.weight * rounds.further(i);
  }
  if (all.shares) {
    // A message's own time, all that its head waits and loses on its way, and what its end then lags behind.
    double way = all.crossing;
    for (std::size_t j = 0; j < all.stations.size(); ++j) {
      if (all.stations[j].inputs.empty()) continue;
      double lag = 0;
      for (const auto& [i, share] : all.stations[j].channels)
        for (const auto& [trail, part] : all.channels[i].trails)
          lag += share * part * all.trails[trail].ends * rounds.lag(i);
      way += visits[j] * (rounds.station_wait(j) + rounds.loss(j) / all.flits + lag);
    }
    point.further = way - point.service;
  }
  point.settled = point.ending.stop == Stop::converged;
  if (point.settled && point.fullness >= 1) point.ending.stop = Stop::saturated;
  for (const std::size_t number : channel_class) point.channels.push_back(classes[number]);
  return point;
}

FiniteSourceModel::Saturation FiniteSourceModel::saturation(double most, double precision) const {
  Saturation found;
  found.above = most;
  found.beyond.stop = Stop::saturated;
  for (const StationClass& station : parts_->all.stations)
    found.above = std::min(found.above, station.servers / station.rate);
  FiniteSourceRounds rounds;
  rounds.tolerance = 1e-9;
  rounds.most = 400;
  Rounds below_it(parts_->all, parts_->order, parts_->station_class, rounds);
  // What is missing to fullness at both ends, where it is known.
  double at_below = 1, at_above = std::numeric_limits<double>::quiet_NaN();
  int same = 0;
  for (bool was_below = false; found.above - found.below > precision * found.above;) {
    double middle = found.below + (found.above - found.below) / 2;
    if (std::isfinite(at_above) && same < 3) {
      const double least = 0.3 * precision * found.above;
      middle = found.below + (found.above - found.below) * at_below / (at_below - at_above);
      middle = std::clamp(middle, found.below + least, found.above - least);
    }
    if (middle <= found.below || middle >= found.above) break;
    Rounds here = below_it;  // from the nearest solution
    const FiniteSourcePoint point = parts_->solve(here, middle);
    ++found.solved;
    const bool below = point.ending.stop == Stop::converged;
    same = same < 3 && below == was_below ? same + 1 : 0;
    was_below = below;
    if (below) {
      found.below = middle;
      below_it = std::move(here);
      at_below = 1 - point.fullness;
      if (same > 0) at_above /= 2;
    } else {
      found.above = middle;
      found.beyond = point.ending;
      at_above = point.settled ? 1 - point.fullness : std::numeric_limits<double>::quiet_NaN();
      if (same > 0) at_below /= 2;
    }
  }
  return found;
}

}  // namespace tailbound::bounds::wormhole
