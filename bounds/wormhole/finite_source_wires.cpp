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

Times Rounds::lagging(Times times, double fresh, double behind) const {
  if (fresh == 0) return times;
  const auto longer = [&](double& mean, double& second, double lag) {
    lag *= 1 - times.hides;
    second += 2 * mean * lag + square(lag) + all_->spread * lag * (1 + lag * all_->stored());
    mean += lag;
  };
  longer(times.fresh, times.fresh_second, fresh);
  longer(times.behind, times.behind_second, behind);
  return times;
}

double Rounds::met_by(std::size_t i) const {
  const Input& input = all_->inputs[i];
  if (input.met == 0) return 0;
  // Messages met before that have since separated.
  const double again = 1 / (1 - std::min(0.95, load_ * input.came));
  const double half = (1 + 1 / square(all_->flits)) / 2;
  // Of two with the same end only the first loses, and only while it moves.
  const double of_end = half * (all_->flits > 1 ? moves_at(input.station) : 1);
  // Messages of one link that waited there together restart with their stored flits.
  const double bunched = half * full_[all_->channels[input.channel].station] * all_->stored() * input.came;
  double flow = 0, lags = 0;
  for (const std::size_t k : all_->stations[input.station].inputs) {
    const Input& other = all_->inputs[k];
    const double rate = other.rate * (other.count - (k == i ? other.lanes : 0));
    flow += rate;
    lags += rate * lag_[other.channel];
  }
  const double sparse = sparseness(lag_[input.channel]) * sparseness(flow > 0 ? lags / flow : 0);
  return (input.met - input.met_of_end * (1 - of_end) + bunched) * again / (1 + sparser * sparse);
}

void Rounds::pair_lanes(const StationClass& station, std::size_t j) {
  for (std::size_t k = 0; k < station.inputs.size(); ++k) {
    const Input& input = all_->inputs[station.inputs[k]];
    if (input.lanes == 1) continue;
    const double there = inputs_[k].own - inputs_[k].overhang + memory_[j][k].wait;
    inputs_[k].apart = 1 - input.one_source * std::min(1.0, source_time_ / there) * (1 - 1 / all_->flits);
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
                      .spread = (2 - all_->stored()) * (1 - full) / 3,
                      .pushed = of_wire * (1 - full) *
                                (all_->pushed * std::max(0.0, 1 - service.rate * service.mean) - all_->tie)};
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
  const double moving =
      seen > 1e-9 * flow ? all_->dense() * std::min(1.0, one.neighbours_same * on_one * station.wires / seen)
                         : 0;
  wire.met = own > 0 ? std::min(one.neighbours_same, seen / flow * one.on_wire * station.wires) / own : met;
  double others = 0, active = 0;
  for (const std::size_t i : one.neighbours) {
    others += all_->channels[i].on_wire;
    active += wires_[all_->channels[i].station].active;
  }
  wire.cross = others > 0 ? all_->dense() * all_->grain * (1 - own) * wire.met / others * active : 0;
  const double elsewhere = std::max(0.0, service.mean - 1 - wire.excess);
  crossing_.assign(static_cast<std::size_t>(station.servers) + 1, 1);
  service.slow.assign(crossing_.size(), 1);
  double queue = 0, busy = 0;
  for (std::size_t n = 1; n < crossing_.size(); ++n) {
    crossing_[n] = (1 + moving * (queue - (1 - all_->grain) * busy) / station.wires) * (1 + wire.cross);
    const double whole = crossing_[n] + elsewhere;
    busy = static_cast<double>(n) / whole;
    queue = static_cast<double>(n) * crossing_[n] / whole;
    service.slow[n] = whole / service.mean;
  }
}

void Rounds::note_sharing(const StationClass& station, std::size_t j, const StationService& service,
                          double weight) {
  double sum = 0, rate = 0, busy = 0, full = 0;
  const auto servers = static_cast<std::size_t>(station.servers);
  for (std::size_t n = 1; n < solver_.max_present(); ++n) {
    const std::size_t held = std::min(n, servers);
    busy += solver_.present(n) * static_cast<double>(held);
    if (held == servers) full += solver_.present(n) * station.servers;
    const double done = solver_.present(n) * static_cast<double>(held) / service.slow[held];
    sum += done * crossing_[held];
    rate += done;
  }
  const double step = weight < 1 ? new_excess : 1;
  if (busy > 0) full_[j] += (full / busy - full_[j]) * step;
  Wire& wire = wires_[j];
  const double found = (rate > 0 ? sum / rate : 1 + wire.cross) - 1;
  note(std::abs(found - wire.excess));
  wire.excess += (found - wire.excess) * step;
  wire.active = load_ * station.rate * (1 + wire.excess) / (1 + wire.cross) / station.wires;
  wire.each = wire.met > 0 ? wire.excess / wire.met : 0;
}

void Rounds::lag_behind(std::size_t j) {
  const StationClass& station = all_->stations[j];
  /// Mean lag over some of the messages.
  struct Part {
    double flow = 0, lag = 0;
    void add(double rate, double its) { flow += rate, lag += rate * its; }
    [[nodiscard]] double mean(double otherwise) const { return flow > 0 ? lag / flow : otherwise; }
  };
  Part all, fresh, behind;
  double lost = 0, passed = 0;
  for (const std::size_t i : station.inputs) {
    const Input& input = all_->inputs[i];
    const StationWaits& wait = waits_[i];
    const double sigma = times_[input.channel].follow * input.share;
    const double waits = (1 - sigma) * wait.fresh_waits + sigma * wait.behind_waits;
    const double rate = input.count * input.rate;
    // Time lost by the head itself is not lag.
    const double head = wires_[all_->channels[input.channel].station].loss / all_->flits;
    const double lag = std::max(0.0, lag_[input.channel] - head);
    double hidden = 0;
    if (waits > 1e-12) {
      const double each = wait.mean / waits;
      const double places = usable * (all_->slack + all_->in_flight / 2) * passed_[input.channel];
      // Single flits that wait only for flits of the same cycle lose nothing there.
      if (each > 0) hidden = each / (each + lag) * std::min(1.0, places);
    }
    hides_[i] += new_lag * (waits * hidden - hides_[i]);
    const double loses = wires_[j].each * met_by(i);
    lag_by_[i] = lag * (1 - waits * hidden) + loses;
    all.add(rate, lag_by_[i]);
    fresh.add(rate * (1 - waits), lag + loses);
    if (waits > 1e-12) behind.add(rate * waits, lag * (1 - hidden) + loses);
    lost += rate * loses;
    passed += rate * passed_[input.channel];
  }
  if (!(all.flow > 0)) return;
  wires_[j].loss = lost / all.flow;
  const double lag = all.mean(0);
  for (const auto& [i, share] : station.channels) {
    note(std::abs(lag - lag_[i]));
    lag_[i] += new_lag * (lag - lag_[i]);
    lag_fresh_[i] += new_lag * (fresh.mean(lag) - lag_fresh_[i]);
    lag_behind_[i] += new_lag * (behind.mean(lag) - lag_behind_[i]);
    passed_[i] = 1 + passed / all.flow;
  }
}

void Rounds::lose_less(Times& times) const {
  const double less = times.lost * all_->stored();
  const double spread = all_->spread * times.lost * (1 - square(1 - all_->stored()));
  const auto shift = [&](double& mean, double& second) {
    second = std::max(square(mean - less), second + less * (less - 2 * mean) - spread);
    mean -= less;
  };
  times.lost -= less;
  shift(times.fresh, times.fresh_second);
  shift(times.behind, times.behind_second);
}

}  // namespace tailbound::bounds::wormhole::finite
