#include <tailbound/bounds/wormhole/finite_source_rounds.hpp>

#include <cmath>

namespace tailbound::bounds::wormhole::finite {
namespace {

using queue::StationService;
using queue::StationWaits;

/// Fitted (docs/derivations/wormhole_finite_source.md, "Wires"): how much less two lagging messages lose to
/// each other, and the fraction of the buffers behind it that the tail of a waiting message fills.
constexpr double sparser = 2, usable = 0.8;
/// Weight of a new value relative to the previous round's, to avoid oscillation.
constexpr double new_lag = 0.6, new_excess = 0.7;

/// Fraction of its travel time in which nothing arrives of a message with this lag.
double sparseness(double lag) {
  return lag / (1 + lag);
}

}  // namespace

Times Rounds::lagging(Times times, double fresh, double behind, std::size_t length) const {
  if (fresh == 0) return times;
  const LengthClass& its = all_->lengths.classes[length];
  const auto longer = [&](double& mean, double& second, double lag) {
    lag *= 1 - times.hides;
    second += 2 * mean * lag + square(lag) + its.spread * lag * (1 + lag / its.size * its.stored);
    mean += lag;
  };
  longer(times.fresh, times.fresh_second, fresh);
  longer(times.behind, times.behind_second, behind);
  return times;
}

double Rounds::met_by(std::size_t i, std::size_t length) const {
  const Input& input = all_->inputs[i];
  if (input.met_same + input.met_cross + input.end_same + input.end_cross == 0) return 0;
  const std::vector<LengthClass>& classes = all_->lengths.classes;
  const LengthClass& its = classes[length];
  const ChannelClass& onto = all_->channels[all_->stations[input.station].channels.front().first];
  const double same = onto.loss_same[length], cross = onto.loss_cross[length];
  // Messages met before that have since separated.
  const double again = 1 / (1 - std::min(0.95, load_ * (input.came_same + input.came_cross)));
  // Of two with the same end only the first loses, and only while it moves.
  const double of_end = (input.end_same * same + input.end_cross * cross) * input.of_end[length] * 2 *
                        its.half * (its.flits > 1 ? moves_[at(input.station, length)] : 1);
  // Messages of one link that waited there together restart with their stored flits. With those of another
  // virtual network, they did if that could not go on either. (38)
  double stored = 0, others_wait = 1;
  for (std::size_t t = 0; t < classes.size(); ++t)
    stored += input.lengths[t] *
              (std::min(its.flits, classes[t].flits) <= all_->buffer ? std::min(its.size, classes[t].size)
                                                                     : all_->buffer / all_->lengths.flits) /
              its.size;
  for (const std::size_t other : all_->channels[input.channel].neighbours)
    others_wait *= all_held_[all_->channels[other].station];
  const double bunched = its.half * full_[all_->channels[input.channel].station] * stored *
                         (input.came_same * same + input.came_cross * cross * others_wait);
  double flow = 0, lags = 0;
  for (const std::size_t k : all_->stations[input.station].inputs) {
    const Input& other = all_->inputs[k];
    const double rate = other.rate * (other.count - (k == i ? other.lanes : 0));
    flow += rate;
    lags += rate * relative_lag_[other.channel];
  }
  const double sparse =
      sparseness(lag_[at(input.channel, length)] / its.size) * sparseness(flow > 0 ? lags / flow : 0);
  return (input.met_same * same + input.met_cross * cross + of_end + bunched) * again /
         (1 + sparser * sparse);
}

void Rounds::pair_lanes(const StationClass& station, std::size_t j) {
  for (std::size_t k = 0; k < station.inputs.size(); ++k) {
    const Input& input = all_->inputs[station.inputs[k]];
    if (input.lanes == 1) continue;
    const double there = inputs_[k].own - inputs_[k].overhang + memory_[j][k].wait;
    inputs_[k].apart =
        1 - input.one_source * std::min(1.0, source_time_ / there) * (1 - 1 / all_->lengths.flits);
  }
}

void Rounds::share_end(const StationClass& station, const StationService& service) {
  for (std::size_t k = 0; k < station.inputs.size(); ++k) {
    const Input& input = all_->inputs[station.inputs[k]];
    if (input.lanes == 1) continue;
    const double of_wire = input.rate * input.lanes / station.rate;
    const double full = full_[all_->channels[input.channel].station];
    inputs_[k].end = {.by_wires = true,
                      .reach = std::max(0.0, 1 - of_wire * full - station.one_source),
                      .queue = 1 - station.one_source,
                      .spread = (2 - station.stored) * (1 - full) / 3,
                      .pushed = of_wire * (1 - full) *
                                (station.pushed * std::max(0.0, 1 - service.rate * service.mean) -
                                 0.5 / all_->lengths.flits)};
  }
}

void Rounds::share_wires(const StationClass& station, std::size_t j, StationService& service) {
  // Flow before the station, and the part that a message never meets there: that of its own link, as far as
  // two of one link are not present at once.
  double flow = 0, own_flow = 0;
  for (std::size_t k = 0; k < station.inputs.size(); ++k) {
    const Input& input = all_->inputs[station.inputs[k]];
    const double wire = input.rate * input.lanes, wires = input.count / input.lanes;
    flow += wires * wire;
    own_flow += wires * wire * wire * (input.lanes == 1 ? 1 : 1 - inputs_[k].apart);
  }
  const double seen = flow - own_flow / flow;
  const ChannelClass& one = all_->channels[station.channels.front().first];
  Wire& wire = wires_[j];
  const double met = one.neighbours_same + one.neighbours_cross;
  const double own = met > 0 ? one.neighbours_same / met : 0;
  const double lanes = static_cast<double>(station.servers) / station.wires;
  const double on_one = station.wires > 1 ? station.wires * (lanes - 1) / (station.servers - 1) : 1;
  const double moving = seen > 1e-9 * flow
                            ? all_->dense() * std::min(1.0, one.neighbours_same * on_one * station.wires /
                                                                (seen * station.size))
                            : 0;
  wire.met = own > 0 ? std::min(one.neighbours_same, seen / flow * one.on_wire * station.wires) / own : met;
  wire.weight = own * one.mean_loss_same + (1 - own) * one.mean_loss_cross;
  double others = 0, active = 0;
  for (const std::size_t i : one.neighbours) {
    others += all_->channels[i].on_wire;
    active += wires_[all_->channels[i].station].active;
  }
  wire.cross = others > 0 ? all_->dense() * one.mean_loss_cross * (1 - own) * wire.met / others * active : 0;
  const double elsewhere = std::max(0.0, service.mean - station.size - wire.excess);
  take_turns(station, j, moving, elsewhere, crossing_);
  service.slow.assign(crossing_.size(), 1);
  for (std::size_t n = 1; n < crossing_.size(); ++n)
    service.slow[n] = (crossing_[n] + elsewhere) / service.mean;
  wire.fixed = 0;
  if (all_->length_count() > 1 && all_->lengths.releases_early())
    discount_overhang(station, j, moving, elsewhere);
}

void Rounds::take_turns(const StationClass& station, std::size_t j, double moving, double elsewhere,
                        std::vector<double>& crossing) const {
  const double same = all_->channels[station.channels.front().first].mean_loss_same;
  crossing.assign(static_cast<std::size_t>(station.servers) + 1, station.size);
  double queue = 0, busy = 0;
  for (std::size_t n = 1; n < crossing.size(); ++n) {
    crossing[n] =
        station.size * (1 + moving * (queue - (1 - same) * busy) / station.wires) * (1 + wires_[j].cross);
    const double whole = crossing[n] + elsewhere;
    busy = static_cast<double>(n) * station.size / whole;
    queue = static_cast<double>(n) * crossing[n] / whole;
  }
}

void Rounds::discount_overhang(const StationClass& station, std::size_t j, double moving, double elsewhere) {
  Wire& wire = wires_[j];
  // Overhang as a part of occupancy times: over all messages, and weighted by their flits.
  double by_flits = 0, flits = 0, over = 0, flow = 0;
  for (std::size_t t = 0; t < all_->length_count(); ++t) {
    if (over_flow_[t] <= 0) continue;
    double time = 0, share = 0;
    for (const auto& [i, part] : station.channels)
      if (all_->channels[i].lengths[t] > 0) time += part * by_length_[at(i, t)].mean(), share += part;
    const double size = all_->lengths.classes[t].size;
    by_flits += size * over_[t] / (time / share);
    flits += over_flow_[t] * size;
    over += over_[t];
    flow += over_flow_[t];
  }
  if (!(over > 1e-12 * flow)) return;
  wire.moves = std::min(1.0, by_flits / flits * held_times_[j].mean() / (over / flow));
  wire.fixed = (1 - wire.moves) * std::min(over / flow, elsewhere);
  if (wire.fixed > 0) take_turns(station, j, moving, elsewhere - wire.fixed, discounted_);
}

Rounds::Served Rounds::crossed(const StationClass& station, std::size_t j, const StationService& service) {
  const Wire& wire = wires_[j];
  const auto servers = static_cast<std::size_t>(station.servers);
  Served sum;
  if (wire.fixed < 1e-9) {
    for (std::size_t n = 1; n < solver_.max_present(); ++n) {
      const std::size_t held = std::min(n, servers);
      const double done = solver_.present(n) * static_cast<double>(held) / service.slow[held];
      sum.time += done * crossing_[held];
      sum.rate += done;
    }
    return sum;
  }
  solver_.joint(joint_);
  const double elsewhere = std::max(0.0, service.mean - station.size - wire.excess - wire.fixed);
  for (std::size_t before = 0; before < joint_.size(); ++before)
    for (std::size_t behind = 0; behind < joint_[before].size(); ++behind) {
      const std::size_t over = std::min(behind, servers), others = std::min(before, servers - over);
      // Each of those in their overhang moves with probability theta.
      double chance = std::pow(1 - wire.moves, static_cast<double>(over));
      for (std::size_t move = 0; move <= over; ++move) {
        if (others + move > 0) {
          const double crossing = discounted_[others + move];
          const double done =
              joint_[before][behind] * chance * static_cast<double>(others + move) / (crossing + elsewhere);
          sum.time += done * crossing;
          sum.rate += done;
        }
        chance *=
            wire.moves / (1 - wire.moves) * static_cast<double>(over - move) / static_cast<double>(move + 1);
      }
    }
  return sum;
}

void Rounds::note_sharing(const StationClass& station, std::size_t j, const StationService& service,
                          double weight) {
  double busy = 0, all_held = 0;
  const auto servers = static_cast<std::size_t>(station.servers);
  for (std::size_t n = 1; n < solver_.max_present(); ++n) {
    busy += solver_.present(n) * static_cast<double>(std::min(n, servers));
    if (n >= servers) all_held += solver_.present(n);
  }
  const double step = weight < 1 ? new_excess : 1;
  if (busy > 0) full_[j] += (all_held * station.servers / busy - full_[j]) * step;
  all_held_[j] += (all_held - all_held_[j]) * step;
  const Served served = crossed(station, j, service);
  Wire& wire = wires_[j];
  const double size = station.size;
  const double found = (served.rate > 0 ? served.time / served.rate : size * (1 + wire.cross)) - size;
  note(std::abs(found - wire.excess));
  wire.excess += (found - wire.excess) * step;
  wire.active = load_ * station.rate * (size + wire.excess) / (1 + wire.cross) / station.wires;
  wire.each = wire.met > 0 ? wire.excess / size / (wire.met * wire.weight) : 0;
}

void Rounds::lag_at_entry(std::size_t j) {
  const StationClass& station = all_->stations[j];
  all_held_[j] = std::min(1.0, load_ * station.rate * held_times_[j].mean() / station.servers);
  for (const auto& [i, share] : station.channels) {
    const ChannelClass& channel = all_->channels[i];
    double others = 0;
    for (const std::size_t other : channel.neighbours) others += all_->channels[other].on_wire;
    if (others == 0) continue;
    for (std::size_t t = 0; t < all_->length_count(); ++t) {
      const double lag =
          all_->lengths.classes[t].size * channel.loss_cross[t] * all_->dense() * load_ * others;
      note(std::abs(lag - lag_[at(i, t)]));
      lag_[at(i, t)] = lag_fresh_[at(i, t)] = lag_behind_[at(i, t)] = wires_[j].loss_by[t] = lag;
    }
  }
  note_lags(j);
}

void Rounds::note_lags(std::size_t j) {
  for (const auto& [i, share] : all_->stations[j].channels) {
    const ChannelClass& channel = all_->channels[i];
    double lag = 0;
    for (std::size_t t = 0; t < all_->length_count(); ++t) lag += channel.lengths[t] * lag_[at(i, t)];
    relative_lag_[i] = lag / channel.size;
  }
}

void Rounds::lag_behind(std::size_t j) {
  const StationClass& station = all_->stations[j];
  if (station.inputs.empty()) {
    lag_at_entry(j);
    return;
  }
  /// Mean lag over some of the messages.
  struct Part {
    double flow = 0, lag = 0;
    void add(double rate, double its) { flow += rate, lag += rate * its; }
    [[nodiscard]] double mean(double otherwise) const { return flow > 0 ? lag / flow : otherwise; }
  };
  double all_flow = 0, all_lost = 0, passed = 0;
  for (const std::size_t i : station.inputs) {
    const double rate = all_->inputs[i].count * all_->inputs[i].rate;
    all_flow += rate;
    passed += rate * passed_[all_->inputs[i].channel];
  }
  for (std::size_t t = 0; t < all_->length_count(); ++t) {
    const LengthClass& its = all_->lengths.classes[t];
    Part all, fresh, behind;
    double lost = 0;
    for (const std::size_t i : station.inputs) {
      const Input& input = all_->inputs[i];
      if (input.lengths[t] <= 0) continue;
      const StationWaits& wait = waits_[i];
      const double sigma = times_[input.channel].follow * input.share;
      const double waits = (1 - sigma) * wait.fresh_waits + sigma * wait.behind_waits;
      const double rate = input.count * input.rate * input.lengths[t];
      // Time lost by the head itself is not lag.
      const double head = wires_[all_->channels[input.channel].station].loss_by[t] / its.flits;
      const double lag = std::max(0.0, lag_[at(input.channel, t)] - head);
      double hidden = 0;
      if (waits > 1e-12) {
        const double each = wait.mean / waits;
        const double places =
            usable * (all_->lengths.slack + all_->lengths.in_flight / 2) * passed_[input.channel] / its.size;
        // Single flits that wait only for flits of the same cycle lose nothing there.
        if (each > 0) hidden = each / (each + lag) * std::min(1.0, places);
      }
      double& hides = hides_[at(i, t)];
      hides += new_lag * (waits * hidden - hides);
      const double loses = lost_at(i, t);
      lag_by_[at(i, t)] = lag * (1 - waits * hidden) + loses;
      all.add(rate, lag_by_[at(i, t)]);
      fresh.add(rate * (1 - waits), lag + loses);
      if (waits > 1e-12) behind.add(rate * waits, lag * (1 - hidden) + loses);
      lost += rate * loses;
    }
    if (!(all.flow > 0)) continue;
    all_lost += lost;
    wires_[j].loss_by[t] = lost / all.flow;
    const double lag = all.mean(0);
    for (const auto& [i, share] : station.channels) {
      note(std::abs(lag - lag_[at(i, t)]));
      lag_[at(i, t)] += new_lag * (lag - lag_[at(i, t)]);
      lag_fresh_[at(i, t)] += new_lag * (fresh.mean(lag) - lag_fresh_[at(i, t)]);
      lag_behind_[at(i, t)] += new_lag * (behind.mean(lag) - lag_behind_[at(i, t)]);
    }
  }
  note_lags(j);
  if (!(all_flow > 0)) return;
  wires_[j].loss = all_lost / all_flow;
  for (const auto& [i, share] : station.channels) passed_[i] = 1 + passed / all_flow;
}

void Rounds::lose_less(Times& times, std::size_t length) const {
  const LengthClass& its = all_->lengths.classes[length];
  const double less = times.lost * its.stored;
  const double spread = its.spread * times.lost * (1 - square(1 - its.stored));
  const auto shift = [&](double& mean, double& second) {
    second = std::max(square(mean - less), second + less * (less - 2 * mean) - spread);
    mean -= less;
  };
  times.lost -= less;
  shift(times.fresh, times.fresh_second);
  shift(times.behind, times.behind_second);
}

}  // namespace tailbound::bounds::wormhole::finite
