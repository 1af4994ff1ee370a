#include <tailbound/bounds/wormhole/finite_source_rounds.hpp>
#include <tailbound/queue/wormhole/worm_station.hpp>

#include <cmath>
#include <limits>

namespace tailbound::bounds::wormhole::finite {
namespace {

using queue::StationInput;
using queue::StationService;
using queue::StationWaits;

/// Limit of a station's load, as a fraction of its capacity.
constexpr double brim = 1 - 1e-5;
constexpr double max_precision = 1e-4;
/// Change per round that does not decrease further, in large networks with many channels before a station.
constexpr double as_near_as_rounding = 1e-9;
constexpr int exact_from = 60;  ///< round
/// Rounds that do not converge by themselves by then overshoot, or converge slowly; they are accelerated.
constexpr int plain_rounds = 100;

}  // namespace

Rounds::Rounds(const Structure& all, const std::vector<std::size_t>& order,
               const std::vector<std::size_t>& class_of, const FiniteSourceRounds& how)
    : all_(&all), order_(&order), class_of_(&class_of), how_(how) {
  const double start = std::max(how.start, 1.0);
  const Times at_first{start, start, square(start), square(start), 0, 1 - 1 / start};
  levels_ = all.releases_early() ? std::max<std::size_t>(all.held, 1) + 1 : 1;
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
  full_.assign(all.stations.size(), 0);
  lag_.assign(all.channels.size(), 0);
  lag_fresh_ = lag_behind_ = lag_;
  passed_.assign(all.channels.size(), 1);
  lag_by_.assign(all.inputs.size(), 0);
  hides_.assign(all.inputs.size(), 0);
  together_.assign(all.stations.size(), 1);
  memory_.resize(all.stations.size());
  waits_.resize(all.inputs.size());
  for (std::size_t j = 0; j < all.stations.size(); ++j)
    memory_[j].assign(all.stations[j].inputs.size(), {0, start - 1, start - 1, start - 1});
}

Ending Rounds::run(double load, double ejection, double travel_time, double length_variation) {
  load_ = load;
  ejection_ = all_->crossing * ejection;
  travel_time_ = travel_time;
  ejection_second_ = square(ejection_) + 2.0 / 3 * (ejection - 1) + length_variation * square(all_->crossing);
  constexpr int span = 200;
  const int max_marked = static_cast<int>(80 / how_.step);
  Ending ending{.stop = Stop::too_many_rounds, .rounds = 0, .change = 0};
  int marked_on_end = 0;
  double minimum = std::numeric_limits<double>::infinity(), min_before = minimum;
  Acceleration acceleration;
  bool accelerated = false;
  for (int at = 1; at <= how_.maximum; ++at) {
    // Stations need not be more precise than their inputs. But near saturation, where convergence is slow,
    // the remaining error would prevent it.
    precision_ = at > exact_from ? 0 : at == 1 ? max_precision : std::min(max_precision, 1e-3 * change_);
    Acceleration::Vector before;
    if (accelerated) before = state();
    const double last_change = change_;
    round(at < 3 ? 1 : how_.step);
    ending.rounds = at;
    ending.change = change_;
    marked_on_end = marked_ ? marked_on_end + 1 : 0;
    const bool still = change_ <= how_.tolerance;
    if (!std::isfinite(change_)) break;
    if (marked_on_end >= max_marked || (marked_ && still)) {
      ending.stop = Stop::saturated;
      break;
    }
    if (still) {
      ending.stop = Stop::converged;
      break;
    }
    // Where an overloaded station is limited, the rounds follow another map.
    if (at < plain_rounds || marked_ || (accelerated && change_ > 100 * last_change)) {
      accelerated = false;
    } else {
      if (accelerated)
        go_on_from(acceleration.next(before, state()));
      else
        acceleration = {};
      accelerated = true;
    }
    minimum = std::min(minimum, change_);
    if (at % span == 0) {
      if (minimum > min_before / 2) {
        if (change_ <= as_near_as_rounding) ending.stop = Stop::converged;
        break;
      }
      min_before = minimum;
      minimum = std::numeric_limits<double>::infinity();
    }
  }
  return ending;
}

void Rounds::round(double weight) {
  marked_ = false;
  change_ = 0;
  for (const std::size_t j : *order_) station(j, weight);
  source_time_ = 0;
  for (std::size_t i = 0; i < all_->channels.size(); ++i)
    source_time_ += all_->channels[i].weight * times_[i].mean();
  follow();
}

template <class Visit>
void Rounds::each_number(const Visit& visit) {
  constexpr double most = std::numeric_limits<double>::max();
  for (std::vector<Times>* all : {&trails_, &times_, &stations_})
    for (Times& its : *all) {
      for (double* value :
           {&its.fresh, &its.behind, &its.fresh_second, &its.behind_second, &its.slope, &its.lost})
        visit(*value, 0.0, most);
      for (double* value : {&its.follow, &its.moves, &its.hides}) visit(*value, 0.0, 1.0);
    }
  // Not what overhangs: it is one more input in some rounds.
  for (std::size_t j = 0; j < memory_.size(); ++j)
    for (std::size_t k = 0; k < all_->stations[j].inputs.size(); ++k)
      for (double* value : {&memory_[j][k].left, &memory_[j][k].ahead, &memory_[j][k].wait})
        visit(*value, 0.0, most);
  for (StationWaits& its : waits_) {
    for (double* value :
         {&its.mean, &its.fresh, &its.behind, &its.fresh_second, &its.behind_second, &its.feedback})
      visit(*value, 0.0, most);
    for (double* value : {&its.fresh_waits, &its.behind_waits}) visit(*value, 0.0, 1.0);
  }
  for (double& value : together_) visit(value, 1.0, most);
  if (!all_->shares) return;
  visit(source_time_, 0.0, most);
  for (Wire& its : wires_)
    for (double* value : {&its.excess, &its.each, &its.active, &its.loss}) visit(*value, 0.0, most);
  for (std::vector<double>* all : {&lag_, &lag_fresh_, &lag_behind_, &passed_, &lag_by_})
    for (double& value : *all) visit(value, 0.0, most);
  for (std::vector<double>* all : {&full_, &hides_})
    for (double& value : *all) visit(value, 0.0, 1.0);
}

Acceleration::Vector Rounds::state() {
  std::vector<double> all;
  each_number([&](double value, double, double) { all.push_back(value); });
  return Eigen::Map<const Acceleration::Vector>(all.data(), static_cast<Eigen::Index>(all.size()));
}

void Rounds::go_on_from(const Acceleration::Vector& state) {
  const double* next = state.data();
  each_number([&](double& value, double least, double most) { value = std::clamp(*next++, least, most); });
}

double Rounds::station_wait(std::size_t j) const {
  double sum = 0, rate = 0;
  for (const std::size_t i : all_->stations[j].inputs) {
    sum += all_->inputs[i].count * all_->inputs[i].rate * waits_[i].mean;
    rate += all_->inputs[i].count * all_->inputs[i].rate;
  }
  return rate > 0 ? sum / rate : 0;
}

void Rounds::station(std::size_t j, double weight) {
  const StationClass& station = all_->stations[j];
  for (std::size_t level = 0; level < levels_; ++level) {
    // Where channels depend on each other in a cycle, a class may be its own successor: the old sum is read
    // until the new one is complete.
    Times sum{0, 0, 0, 0, 0, 0};
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
    stations_[j * levels_ + level] = sum;
  }
  Times& mean = held_times_[j];
  mean = {0, 0, 0, 0, 0, 0};
  for (const auto& [i, share] : station.channels) {
    times_[i] = later(lagging(by_level_[i * levels_ + held_], lag_fresh_[i], lag_behind_[i]),
                      all_->channels[i].turnaround);
    mean.add(share, times_[i]);
  }
  if (station.inputs.empty() || load_ == 0) return;
  StationService service{.servers = station.servers,
                         .rate = load_ * station.rate,
                         .mean = mean.mean(),
                         .second = mean.second(),
                         .behind = mean.behind,
                         .behind_second = mean.behind_second};
  service.shorter_behind = all_->shares;
  double maximum = brim * station.servers / service.rate;
  for (const std::size_t i : station.inputs)
    maximum = std::min(maximum, brim / (load_ * all_->inputs[i].rate));
  if (service.mean > maximum) {
    marked_ = true;
    service.mean = maximum;
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
  if (all_->releases_early()) add_overhang(station, j);
  if (all_->shares) pair_lanes(station, j);
  if (all_->shares && all_->channels[station.channels.front().first].last && station.servers == 1)
    share_end(station, service);
  if (station.shares) share_wires(station, j, service);
  solver_.solve(service, inputs_, memory_[j], found_, precision_);
  together_[j] = solver_.together();
  if (station.shares) note_sharing(station, j, service, weight);
  for (std::size_t k = 0; k < station.inputs.size(); ++k) waits_[station.inputs[k]] = found_[k];
}

Times Rounds::later(Times times, double by) {
  if (by == 0) return times;
  for (const auto& [mean, second] :
       {std::pair{&times.fresh, &times.fresh_second}, std::pair{&times.behind, &times.behind_second}}) {
    *second += 2 * *mean * by + square(by);
    *mean += by;
  }
  return times;
}

void Rounds::add_overhang(const StationClass& station, std::size_t j) {
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
        // Waits longer than the slack use all of it; of others the last is independent.
        const double apart =
            all_->slack == 0 ? before.mean() * last
                             : ejection_ * last + std::max(all_->slack, last) * (before.mean() - ejection_);
        first += share * last;
        second += share * std::max(square(last), whole.second() - before.second() - 2 * apart);
        rate += share;
      }
    // If a station is limited to just below its capacity, so is its part.
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

void Rounds::split(const StationClass& station, double mean, double held) {
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

double Rounds::pair_weight(const StationClass& station, const Input& input) const {
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

void Rounds::limit(double mean, double& second) {
  constexpr double maximum = 25;
  if (second <= maximum * square(mean)) return;
  second = maximum * square(mean);
  marked_ = true;
}

Times Rounds::held_before(std::size_t j, const Move& move, std::size_t level) {
  if (all_->held == 0) return shorter(onward(j, move, level));
  return level == 0 ? at_end() : shorter(onward(j, move, level - 1));
}

Times Rounds::shorter(Times times) const {
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

void Rounds::trail_times(std::size_t i, std::size_t level, double weight) {
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
    const Times on = all_waits ? onward(input.station, move, level) : held_before(input.station, move, level);
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
    next.moves += p * (last ? on.mean() / (on.mean() + wait.mean) : moves_at(input.station));
    next.hides += p * (hides_[move.input] + (1 - hides_[move.input]) * on.hides);
  }
  if (all_->channels[trail.channel].weight > 0) {
    next.fresh_second += 2 * travel_time_ * next.fresh + square(travel_time_);
    next.behind_second += 2 * travel_time_ * next.behind + square(travel_time_);
    next.fresh += travel_time_;
    next.behind += travel_time_;
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
  now.moves = next.moves;
  now.hides = next.hides;
}

double Rounds::source_follow(const StationClass& station, double rate, const Times& its) const {
  if (station.servers == 1) {
    const double rest = 1 - rate * (its.behind - its.fresh);
    return rest > 0 ? rate * its.fresh / rest : 1;
  }
  const double x = its.mean(), offered = station.servers * rate * x;
  if (!(offered < station.servers)) return 1;
  return queue::station_wait(station.servers, station.servers * rate, x, 1) * (station.servers - offered) / x;
}

void Rounds::follow() {
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
}  // namespace tailbound::bounds::wormhole::finite
