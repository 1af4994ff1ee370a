#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/bounds/wormhole/finite_source_rounds.hpp>
#include <tailbound/queue/wormhole/worm_station.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace tailbound::bounds::wormhole {
namespace {

using finite::ChannelClass;
using finite::Rounds;
using finite::square;
using finite::StationClass;
using finite::Structure;
using finite::Times;
using network::ChannelGraph;

struct SourceWait {
  double wait = 0;
  double fullness = 0;  ///< 1 or more: saturated
};

/// W of one channel, (13); for several channels the wait of M/G/m.
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

double Worms::mean_flits() const {
  if (kinds.empty()) return std::numeric_limits<double>::infinity();
  if (kinds.size() == 1) return numeric::nearest_double(kinds.front().lengths.mean());
  double mean = 0;
  for (const WormKind& kind : kinds) mean += kind.share * numeric::nearest_double(kind.lengths.mean());
  return mean;
}

std::vector<WormKind> kinds_of(const std::vector<network::MessageKind>& kinds) {
  std::vector<WormKind> all;
  for (const network::MessageKind& kind : kinds)
    all.push_back({.share = numeric::nearest_double(kind.share), .lengths = kind.lengths});
  return all;
}

struct FiniteSourceModel::Parts {
  Structure all;
  std::vector<std::size_t> channel_class, station_class;
  std::vector<std::size_t> order;
  double worms_met = 0;
  int sharing = 1;  ///< number of a station's channels that share a physical channel
  std::vector<network::SharedWire> wires;
  double messages = 0;  ///< rate of all
  network::RouterTiming timing;
  std::vector<WormKind> kinds;
  std::vector<std::size_t> first_channel;  ///< [class]
  std::vector<double> on_wire;             ///< [class]: flits on its physical channel, relative to the load

  /// Time for a message's flits where physical channels are shared.
  struct Stretch {
    double end = 1;          ///< at its end
    double travel_time = 0;  ///< lost by its head along the path
  };
  [[nodiscard]] Stretch stretch(double load) const;

  /// Continues the rounds to the solution at a load. Without latencies.
  [[nodiscard]] FiniteSourcePoint solve(Rounds& rounds, double load) const;
  /// Mean time that messages of a channel class wait for credits.
  [[nodiscard]] double credit_waits(std::size_t i) const;
  /// Mean latencies of all messages, and of each kind and length. (43)
  void add_latencies(const Rounds& rounds, FiniteSourcePoint& point) const;
};

namespace {

/// Maximum number of channels of one station on one link.
int max_sharing(const ChannelGraph& graph) {
  int maximum = 1;
  for (const network::Station& station : graph.stations) {
    std::unordered_map<std::size_t, int> on_wire;
    for (const std::size_t channel : station.channels)
      maximum = std::max(maximum, ++on_wire[graph.channels[channel].wire]);
  }
  return maximum;
}

/// Reduced delay by each further message that shares physical channels. Fitted to a unidirectional torus if
/// each virtual channel is its own station; to an 8 x 8 mesh with V = 2 and 4 if a message may take any of V;
/// V = 3 is in the middle. (14)
double damping(int sharing) {
  if (sharing == 1) return 1.5;
  if (sharing == 2) return 0.13;
  return sharing == 3 ? -0.07 : -0.26;
}

}  // namespace

FiniteSourceModel::FiniteSourceModel(const network::ChannelGraph& graph, const Worms& worms,
                                     const std::vector<network::SharedChannel>& shared) {
  auto parts = std::make_unique<Parts>();
  finite::Collapsed made = finite::collapsed(finite::structure_of(graph, shared, worms));
  parts->all = std::move(made.classes);
  parts->channel_class = std::move(made.channel_class);
  parts->station_class = std::move(made.station_class);
  parts->order = finite::last_first(parts->all);
  parts->worms_met = graph.worms_met;
  parts->wires = graph.shared_wires;
  for (const network::Source& source : graph.sources) parts->messages += graph.channels[source.channel].rate;
  parts->sharing = max_sharing(graph);
  parts->timing = worms.timing;
  parts->kinds = worms.kinds;
  parts->first_channel.assign(parts->all.channels.size(), graph.channels.size());
  parts->on_wire.assign(parts->all.channels.size(), 0);
  std::unordered_map<std::size_t, double> on_wire;
  for (std::size_t i = 0; i < graph.channels.size(); ++i) {
    const std::size_t its = parts->channel_class[i];
    parts->first_channel[its] = std::min(parts->first_channel[its], i);
    on_wire[graph.channels[i].wire] += graph.channels[i].rate * parts->all.channels[its].size;
  }
  for (std::size_t i = 0; i < parts->on_wire.size(); ++i)
    parts->on_wire[i] = on_wire.at(graph.channels[parts->first_channel[i]].wire);
  parts_ = std::move(parts);
}
FiniteSourceModel::~FiniteSourceModel() = default;
FiniteSourceModel::FiniteSourceModel(FiniteSourceModel&&) noexcept = default;
FiniteSourceModel& FiniteSourceModel::operator=(FiniteSourceModel&&) noexcept = default;

std::size_t FiniteSourceModel::classes() const {
  return parts_->all.channels.size();
}

namespace {

/// No message is faster than in an idle network, whatever the load: a solution below that is an error here.
/// \param crossing  time in which a message crosses an idle channel
void require_possible(const FiniteSourcePoint& point, double crossing) {
  const double least = crossing * (1 - 1e-9);
  if (point.source_wait >= 0 && point.service >= least && point.service + point.further >= least) return;
  throw std::logic_error("wormhole model: at load " + std::to_string(point.load) +
                         " messages would be faster than in an idle network");
}

}  // namespace

FiniteSourcePoint FiniteSourceModel::solve(double load, const FiniteSourceRounds& how) const {
  Rounds rounds(parts_->all, parts_->order, parts_->station_class, how);
  FiniteSourcePoint point = parts_->solve(rounds, load);
  if (point.settled)
    parts_->add_latencies(rounds, point);
  else
    point = continued(load, how, std::move(point));
  if (point.ending.stop == Stop::converged) require_possible(point, parts_->all.lengths.crossing);
  return point;
}

FiniteSourcePoint FiniteSourceModel::continued(double load, const FiniteSourceRounds& how,
                                               FiniteSourcePoint first) const {
  constexpr double shortest = 1e-4;  // step, relative
  FiniteSourceRounds each = how;
  each.maximum = std::min(how.maximum, 300);
  Rounds from(parts_->all, parts_->order, parts_->station_class, each);
  double below = 0, to = load / 2;
  int rounds = first.ending.rounds;
  while (to - below > shortest * load) {
    Rounds here = from;
    FiniteSourcePoint point = parts_->solve(here, to);
    rounds += point.ending.rounds;
    if (point.settled && to == load) {
      parts_->add_latencies(here, point);
      point.ending.rounds = rounds;
      return point;
    }
    if (point.ending.stop != Stop::converged) {
      to = below + (to - below) / 2;
      continue;
    }
    below = to;
    from = std::move(here);
    to = load;
  }
  return first;
}

FiniteSourceModel::Parts::Stretch FiniteSourceModel::Parts::stretch(double load) const {
  if (all.shares) return {};
  if (wires.empty()) {
    const double met = all.dense() * worms_met * load;
    return {.end = 1 + met / std::max(0.1, 1 + damping(sharing) * met)};  // (14)
  }
  // If messages rarely wait for a channel, sharing of physical channels is like processor sharing: the
  // effects of all messages met add up. A head loses one cycle for each. (17)
  double longer = 0, head = 0;
  for (const network::SharedWire& wire : wires) {
    longer += all.dense() * wire.rate / messages * wire.met * load / std::max(1e-3, 1 - wire.others * load);
    head += all.dense() * wire.rate / messages * wire.others * load;
  }
  const double travel_time = std::min(head / all.lengths.flits, longer);
  return {.end = 1 + longer - travel_time, .travel_time = travel_time};
}

FiniteSourcePoint FiniteSourceModel::Parts::solve(Rounds& rounds, double load) const {
  const Stretch stretched = stretch(load);
  FiniteSourcePoint point;
  point.load = load;
  point.ending = rounds.run(load, stretched.end, stretched.travel_time);
  point.service = 0;
  std::vector<FiniteSourceChannel> classes(all.channels.size());
  for (std::size_t j = 0; j < all.stations.size(); ++j) {
    const double wait = rounds.station_wait(j);
    const double busy =
        load * all.stations[j].rate * rounds.station_times(j).mean() / all.stations[j].servers;
    if (busy > point.fullness) {
      point.fullness = busy;
      point.fullest = first_channel[all.stations[j].channels.front().first];
    }
    for (const auto& [i, share] : all.stations[j].channels) {
      const Times& times = rounds.channel(i);
      classes[i] = {.service = times.mean(),
                    .second = times.second(),
                    .wait = wait,
                    .follow = times.follow,
                    .utilization = busy,
                    .sharing = all.shares ? rounds.loss(j) : 0,
                    .credits = all.channels[i].turnaround + credit_waits(i),
                    .flits = load * on_wire[i]};
    }
  }
  for (std::size_t i = 0; i < all.channels.size(); ++i) {
    const ChannelClass& channel = all.channels[i];
    if (channel.weight == 0) continue;
    const Times& times = rounds.channel(i);
    const SourceWait source = source_wait(all.stations[channel.station].servers, load * channel.rate, times);
    classes[i].wait = source.wait;
    if (source.fullness > point.fullness) {
      point.fullness = source.fullness;
      point.fullest = first_channel[i];
    }
    point.source_wait += channel.weight * classes[i].wait;
    point.service += channel.weight * times.mean();
  }
  point.settled = point.ending.stop == Stop::converged;
  if (point.settled && point.fullness >= 1) point.ending.stop = Stop::saturated;
  for (const std::size_t number : channel_class) point.channels.push_back(classes[number]);
  return point;
}

double FiniteSourceModel::Parts::credit_waits(std::size_t i) const {
  double waits = 0;
  for (std::size_t t = 0; t < all.length_count(); ++t) {
    const finite::LengthClass& its = all.lengths.classes[t];
    if (its.crossing != its.size) waits += all.channels[i].lengths[t] * (its.crossing - its.size);
  }
  return waits;
}

void FiniteSourceModel::Parts::add_latencies(const Rounds& rounds, FiniteSourcePoint& point) const {
  const double travel_time = stretch(point.load).travel_time;
  const std::vector<Rounds::Onward> onward = rounds.onward_waits();
  const std::size_t lengths = all.length_count();
  double latency = 0;
  for (std::size_t k = 0; k < all.lengths.laws.size(); ++k) {
    // Means over the kind's sources: W, and for each length what comes after.
    double wait = 0, sent = 0;
    std::vector<Rounds::Onward> rest(lengths);
    for (std::size_t i = 0; i < all.channels.size(); ++i) {
      const ChannelClass& channel = all.channels[i];
      if (channel.weight == 0) continue;
      for (const auto& [trail, share] : channel.trails) {
        if (all.trails[trail].kind != k) continue;
        const double flow = channel.weight * share;
        sent += flow;
        wait += flow * point.channels[first_channel[i]].wait;
        for (const auto& [t, part] : all.lengths.laws[k]) {
          const Rounds::Onward& its = onward[trail * lengths + t];
          rest[t].waits += flow * (its.waits + (all.shares ? rounds.entry_loss(i, t) : 0));
          rest[t].lag += flow * its.lag;
        }
      }
    }
    const auto after = [&](std::size_t t, double size, double crossing) {
      const finite::LengthClass& its = all.lengths.classes[t];
      const double idle = crossing * rounds.end(t) / its.crossing;
      return (rest[t].waits + rest[t].lag * size / its.size) / sent + idle + travel_time;
    };
    double mean = wait / sent;
    for (const auto& [t, part] : all.lengths.laws[k]) {
      const finite::LengthClass& its = all.lengths.classes[t];
      mean += part * after(t, its.size, its.crossing);
    }
    latency += sent * mean;
    if (kinds.empty()) continue;
    const double flits = all.lengths.flits, distance = all.distances[k];
    const double head = distance - 1 + timing.extra_cycles(distance);
    KindFigures& kind = point.kinds.emplace_back(KindFigures{.share = kinds[k].share,
                                                             .source_wait = flits * wait / sent,
                                                             .latency = flits * mean + head,
                                                             .mean_distance = distance,
                                                             .lengths = {}});
    for (const finite::Lengths::Single& one : all.lengths.singles[k])
      kind.lengths.push_back(
          {.flits = one.flits,
           .share = kinds[k].share * one.share,
           .latency = kind.source_wait +
                      flits * after(one.of, static_cast<double>(one.flits) / flits, one.crossing) + head});
  }
  point.further = latency - point.source_wait - point.service;
}

namespace {

/// The last three solved loads, with what is left to fullness there.
class LastSolutions {
 public:
  void add(double load, double left) {
    if (count_ == 3) {
      loads_[0] = loads_[1], left_[0] = left_[1];
      loads_[1] = loads_[2], left_[1] = left_[2];
      --count_;
    }
    loads_[count_] = load;
    left_[count_++] = left;
  }
  /// The load at which nothing is left, by inverse interpolation; 0 with less than three solutions.
  [[nodiscard]] double full_at() const {
    if (count_ < 3) return 0;
    const double first = (loads_[1] - loads_[0]) / (left_[1] - left_[0]);
    const double second = (loads_[2] - loads_[1]) / (left_[2] - left_[1]);
    const double bend = (second - first) / (left_[2] - left_[0]);
    return loads_[2] - left_[2] * second + left_[2] * left_[1] * bend;
  }

 private:
  std::array<double, 3> loads_{}, left_{};
  std::size_t count_ = 0;
};

}  // namespace

FiniteSourceModel::Saturation FiniteSourceModel::saturation(double maximum, double precision) const {
  constexpr double full = 1 - 1e-8;
  Saturation found;
  found.above = maximum;
  found.beyond.stop = Stop::saturated;
  for (const StationClass& station : parts_->all.stations)
    found.above = std::min(found.above, station.servers / (station.rate * station.size));
  FiniteSourceRounds rounds;
  rounds.tolerance = 1e-9;
  rounds.maximum = parts_->all.shares ? 200 : 400;
  Rounds below_it(parts_->all, parts_->order, parts_->station_class, rounds);
  // Distance to fullness at the upper end, where known, and at the last solutions below.
  double at_below = 1, at_above = std::numeric_limits<double>::quiet_NaN();
  LastSolutions solved;
  int same = 0;
  for (bool was_below = false; found.above - found.below > precision * found.above;) {
    double middle = found.below + (found.above - found.below) / 2;
    if (std::isfinite(at_above) && same < 3) {
      const double minimum = 0.3 * precision * found.above;
      middle = found.below + (found.above - found.below) * at_below / (at_below - at_above);
      middle = std::clamp(middle, found.below + minimum, found.above - minimum);
    } else if (!std::isfinite(at_above)) {
      // Rounds above saturation cost most, and show nothing of the distance: go only as far up as the
      // solutions below suggest.
      if (found.fullness == 0) middle = found.above / 4;
      if (found.fullness > 0) middle = std::min(middle, found.below / std::sqrt(found.fullness));
      const double full_at = solved.full_at(), near = 0.3 * precision * full_at;
      const double aim = full_at - found.below > 3 * near ? full_at - near : full_at + near;
      if (aim > found.below && aim < found.above) middle = aim;
    }
    if (middle <= found.below || middle >= found.above) break;
    Rounds here = below_it;  // from the nearest solution
    here.tolerate(std::clamp(1e-3 * (found.above - found.below) / found.above, 1e-9, 1e-6));
    const FiniteSourcePoint point = parts_->solve(here, middle);
    ++found.solved;
    // Where a source is full to rounding, its wait has no digits.
    const bool below = point.ending.stop == Stop::converged && point.fullness < full;
    same = same < 3 && below == was_below ? same + 1 : 0;
    was_below = below;
    if (below) {
      solved.add(middle, 1 - point.fullness);
      found.below = middle;
      found.fullness = point.fullness;
      found.fullest = point.fullest;
      below_it = std::move(here);
      at_below = 1 - point.fullness;
      if (same > 0) at_above /= 2;
    } else {
      found.above = middle;
      found.beyond = point.ending;
      at_above =
          point.settled ? full - std::max(point.fullness, 1.0) : std::numeric_limits<double>::quiet_NaN();
      if (same > 0) at_below /= 2;
    }
  }
  return found;
}

}  // namespace tailbound::bounds::wormhole
