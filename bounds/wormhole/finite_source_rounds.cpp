#include <tailbound/bounds/wormhole/finite_source_rounds.hpp>
#include <tailbound/queue/wormhole/worm_station.hpp>

#include <algorithm>
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
  const std::size_t lengths = all.length_count();
  const auto first_times = [&](const LengthClass& its) {
    const double x = its.crossing * start;
    return Times{x, x, square(x), square(x), 0, 1 - 1 / start};
  };
  for (const TrailClass& trail : all.trails) {
    std::vector<char> has(lengths, 0);
    for (const auto& [t, share] : all.lengths.laws[trail.kind]) has[t] = 1;
    for (std::size_t t = 0; t < lengths; ++t) {
      offset_.push_back(trails_.size());
      if (has[t] != 0)
        trails_.insert(trails_.end(), all.lengths.classes[t].levels, first_times(all.lengths.classes[t]));
    }
  }
  const bool to_any = std::any_of(all.trails.begin(), all.trails.end(), [](const TrailClass& trail) {
    return std::any_of(trail.moves.begin(), trail.moves.end(),
                       [](const Move& move) { return move.next == any; });
  });
  for (std::size_t j = 0; j < all.stations.size() && to_any; ++j)
    for (const LengthClass& its : all.lengths.classes) {
      station_offset_.push_back(stations_.size());
      stations_.insert(stations_.end(), its.levels, first_times(its));
    }
  times_.assign(all.channels.size(), at_first);
  by_length_.assign(all.channels.size() * lengths, at_first);
  for (std::size_t i = 0; i < all.inputs.size(); ++i) {
    if (all.inputs[i].twins.count == 0) continue;
    twins_.resize(all.stations.size(), 0);
    twins_[all.inputs[i].station] = 1;
  }
  list_moves();
  with_trails_ = all.trails.size() != all.channels.size();
  held_times_.assign(all.stations.size(), at_first);
  wires_.resize(all.stations.size());
  for (Wire& wire : wires_) wire.loss_by.assign(lengths, 0);
  full_.assign(all.stations.size(), 0);
  all_held_ = full_;
  moves_.assign(all.stations.size() * lengths, 0);
  lag_.assign(all.channels.size() * lengths, 0);
  lag_fresh_ = lag_behind_ = lag_;
  relative_lag_.assign(all.channels.size(), 0);
  passed_.assign(all.channels.size(), 1);
  lag_by_.assign(all.inputs.size() * lengths, 0);
  hides_ = lag_by_;
  together_.assign(all.stations.size(), 1);
  memory_.resize(all.stations.size());
  waits_.resize(all.inputs.size());
  for (std::size_t j = 0; j < all.stations.size(); ++j)
    memory_[j].assign(all.stations[j].inputs.size(), {0, start - 1, start - 1, start - 1});
}

Ending Rounds::run(double load, double stretch, double travel_time) {
  load_ = load;
  stretch_ = stretch;
  travel_time_ = travel_time;
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
  for (Wire& its : wires_) {
    for (double* value : {&its.excess, &its.each, &its.active, &its.loss}) visit(*value, 0.0, most);
    for (double& value : its.loss_by) visit(value, 0.0, most);
  }
  for (std::vector<double>* all : {&lag_, &lag_fresh_, &lag_behind_, &passed_, &lag_by_})
    for (double& value : *all) visit(value, 0.0, most);
  for (std::vector<double>* all : {&full_, &all_held_, &hides_, &moves_})
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
  for (std::size_t j = 0; j < all_->stations.size() && all_->shares; ++j) note_lags(j);
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
  for (const auto& [i, share] : station.channels)
    for (const std::size_t family : all_->channels[i].families) family_times(family, weight);
  if (!stations_.empty()) mean_over_channels(j);
  occupy(station, j);
  if (station.inputs.empty() || load_ == 0) return;
  const Times& mean = held_times_[j];
  StationService service{.servers = station.servers,
                         .rate = load_ * station.rate,
                         .mean = mean.mean(),
                         .second = mean.second(),
                         .behind = mean.behind,
                         .behind_second = mean.behind_second};
  service.shorter_behind = all_->shares;
  if (all_->length_count() > 1) service.parts = parts_;
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
  if (all_->lengths.releases_early()) add_overhang(station, j);
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

void Rounds::mean_over_channels(std::size_t j) {
  const StationClass& station = all_->stations[j];
  // Where channels depend on each other in a cycle, a class may be its own successor: the old sum is read
  // until the new one is complete.
  for (std::size_t t = 0; t < all_->length_count(); ++t)
    for (std::size_t level = 0; level < all_->lengths.classes[t].levels; ++level) {
      Times sum{0, 0, 0, 0, 0, 0};
      for (const auto& [i, share] : station.channels)
        for (const auto& [trail, part] : all_->channels[i].trails)
          sum.add(share * part, trail_at(trail, t, level));
      stations_[station_offset_[at(j, t)] + level] = sum;
    }
}

void Rounds::occupy(const StationClass& station, std::size_t j) {
  const std::size_t lengths = all_->length_count();
  const bool mixed = lengths > 1;
  // By length: of the station's messages, and the time at their end in which those that go on do not wait.
  length_times_.assign(lengths, {0, 0, 0, 0, 0, 0});
  length_shares_.assign(lengths, 0);
  for (std::size_t t = 0; t < lengths && all_->shares; ++t) moves_[at(j, t)] = 0;
  Times& mean = held_times_[j];
  mean = {0, 0, 0, 0, 0, 0};
  for (const auto& [i, share] : station.channels) {
    const ChannelClass& channel = all_->channels[i];
    Times sum{0, 0, 0, 0, 0, times_[i].follow};
    for (std::size_t t = 0; t < lengths; ++t) {
      if (channel.lengths[t] <= 0) continue;
      const LengthClass& its = all_->lengths.classes[t];
      Times there{0, 0, 0, 0, 0, 0};
      for (const auto& [trail, part] : channel.trails) {
        const double of_trail = part * share_of(trail, t);
        if (of_trail == 0) continue;
        there.add(of_trail, trail_at(trail, t, its.held_level()));
        if (all_->shares) moves_[at(j, t)] += share * of_trail * trail_at(trail, t, its.levels - 1).moves;
      }
      if (mixed) there.scale(1 / channel.lengths[t]);
      there.follow = times_[i].follow;
      there = later(lagging(there, lag_fresh_[at(i, t)], lag_behind_[at(i, t)], t), channel.turnaround);
      by_length_[at(i, t)] = there;
      const double part = channel.lengths[t];
      const double follow = sum.follow;
      sum.add(part, there);
      sum.follow = follow;
      length_times_[t].add(share * part, there);
      length_shares_[t] += share * part;
    }
    times_[i] = sum;
    mean.add(share, sum);
  }
  parts_.clear();
  for (std::size_t t = 0; t < lengths; ++t) {
    if (length_shares_[t] <= 0) continue;
    if (all_->shares) moves_[at(j, t)] /= length_shares_[t];
    if (!mixed) continue;
    Times its = length_times_[t];
    its.scale(1 / length_shares_[t]);
    parts_.push_back({.share = length_shares_[t],
                      .mean = its.mean(),
                      .variation = std::max(0.0, its.second() / square(its.mean()) - 1)});
  }
}

void Rounds::add_overhang(const StationClass& station, std::size_t j) {
  double busy = 0, flow = 0;
  over_.assign(all_->length_count(), 0);
  over_flow_.assign(all_->length_count(), 0);
  for (std::size_t k = 0; k < station.inputs.size(); ++k) {
    const std::size_t i = station.inputs[k];
    const Input& input = all_->inputs[i];
    double first = 0, second = 0, rate = 0;
    for (const auto& [trail, part] : all_->channels[input.channel].trails)
      for (const Move& move : all_->trails[trail].moves) {
        if (move.input != i) continue;
        for (const auto& [t, of_kind] : all_->lengths.laws[all_->trails[trail].kind]) {
          const std::size_t level = all_->lengths.classes[t].held_level();
          const Times& whole = onward(j, move, t, level);
          const Times before = held_before(j, move, t, level);
          const double last = std::max(0.0, whole.mean() - before.mean());
          const double share = part * move.probability * of_kind, slack = all_->lengths.slack;
          // Waits longer than the slack use all of it; of others the last is independent.
          const double apart = slack == 0 ? before.mean() * last
                                          : end(t) * last + std::max(slack, last) * (before.mean() - end(t));
          // Of the channel's messages, those of the input have the share input.share.
          const double messages = input.rate * input.count * share / input.share;
          over_[t] += messages * last;
          over_flow_[t] += messages;
          first += share * last;
          second += share * std::max(square(last), whole.second() - before.second() - 2 * apart);
          rate += share;
        }
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
  const std::size_t lengths = all_->length_count();
  // Kinds alone do not make lags of a length differ by input.
  if (!all_->remembers) {
    mean_lag_.assign(lengths, 0);
    for (std::size_t t = 0; t < lengths; ++t) {
      double flow = 0;
      for (const std::size_t i : station.inputs) {
        const double rate = all_->inputs[i].rate * all_->inputs[i].count * all_->inputs[i].lengths[t];
        mean_lag_[t] += rate * lag_by_[at(i, t)];
        flow += rate;
      }
      if (flow > 0) mean_lag_[t] /= flow;
    }
  }
  double all = 0, flow = 0;
  for (std::size_t k = 0; k < station.inputs.size(); ++k) {
    const std::size_t i = station.inputs[k];
    double time = 0, rate = 0;
    for (const auto& [trail, part] : all_->channels[all_->inputs[i].channel].trails)
      for (const Move& move : all_->trails[trail].moves) {
        if (move.input != i) continue;
        for (const auto& [t, of_kind] : all_->lengths.laws[all_->trails[trail].kind]) {
          const Times& its = trail_at(move.next, t, all_->lengths.classes[t].held_level());
          const double share = part * move.probability * of_kind;
          const double lag = all_->remembers ? lag_by_[at(i, t)] : mean_lag_[t];
          time += share * (its.mean() + lag * (1 - its.hides) + station.turnaround);
          rate += share;
        }
      }
    inputs_[k].own = time / rate;
    if (all_->remembers) inputs_[k].own = std::min(inputs_[k].own * (held / mean), brim / inputs_[k].rate);
    all += inputs_[k].count * inputs_[k].rate * inputs_[k].own;
    flow += inputs_[k].count * inputs_[k].rate;
  }
  // Without history they are parts of the station's mean.
  if (!all_->remembers) {
    const double by = held * flow / all;
    all = 0;
    for (StationInput& input : inputs_) {
      input.own = std::min(input.own * by, brim / input.rate);
      all += input.count * input.rate * input.own;
    }
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
  const double maximum = 25 * square(std::max(mean, 1.0));
  if (second <= maximum) return;
  second = maximum;
  marked_ = true;
}

double Rounds::end_second(std::size_t length) const {
  const LengthClass& its = all_->lengths.classes[length];
  return square(end(length)) + its.variance * square(stretch_) + its.size * (stretch_ - 1) * its.pair_spread;
}

Times Rounds::held_before(std::size_t j, const Move& move, std::size_t length, std::size_t level) {
  if (all_->lengths.classes[length].held == 0) return shorter(onward(j, move, length, level), length);
  return level == 0 ? at_end(length) : shorter(onward(j, move, length, level - 1), length);
}

Times Rounds::shorter(Times times, std::size_t length) const {
  if (times.lost > 0) lose_less(times, length);
  if (all_->lengths.slack == 0) return times;
  const double first_end = end(length), second_end = end_second(length);
  const double waited = times.mean() - first_end;
  const auto shorten = [&](double& first, double& second) {
    const double wait = first - first_end, wait2 = second - second_end - 2 * first_end * wait;
    const queue::RestOfWait rest = queue::rest_of_wait(wait, wait2, all_->lengths.slack);
    first = first_end + rest.first;
    second = second_end + 2 * first_end * rest.first + rest.second;
    return rest.probability;
  };
  const double fresh = shorten(times.fresh, times.fresh_second);
  const double behind = shorten(times.behind, times.behind_second);
  if (times.lost > 0 && waited > 0) {
    const double left = (times.mean() - first_end) / waited;
    times.lost *= left;
    times.hides *= left;
  }
  times.slope *= times.follow * behind + (1 - times.follow) * fresh;
  return times;
}

double Rounds::share_of(std::size_t trail, std::size_t length) const {
  for (const auto& [t, share] : all_->lengths.laws[all_->trails[trail].kind])
    if (t == length) return share;
  return 0;
}

void Rounds::list_moves() {
  moves_of_.resize(all_->families.size());
  sums_of_.resize(all_->families.size());
  for (std::size_t family = 0; family < all_->families.size(); ++family) {
    const std::vector<std::size_t>& members = all_->families[family];
    std::vector<FamilyMove>& sums = sums_of_[family];
    for (std::size_t member = 0; member < members.size(); ++member) {
      const TrailClass& trail = all_->trails[members[member]];
      for (const Move& move : trail.moves) {
        const std::size_t to = move.next == any ? any : all_->trails[move.next].family;
        std::size_t sum = 0;
        while (sum < sums.size() && !(sums[sum].input == move.input && sums[sum].next == to)) ++sum;
        if (sum == sums.size()) sums.push_back({.input = move.input, .next = to});
        for (const auto& [t, share] : all_->lengths.laws[trail.kind]) {
          ++sums[sum].parts;
          moves_of_[family].push_back({.move = &move,
                                       .member = member,
                                       .length = t,
                                       .share = trail.share * move.probability * share,
                                       .sum = sum});
        }
      }
    }
  }
}

void Rounds::family_times(std::size_t family, double weight) {
  if (all_->shares)
    for (LengthMove& each : moves_of_[family]) each.lost = lost_at(each.move->input, each.length);
  std::size_t levels = 1;
  for (const std::size_t trail : all_->families[family])
    for (const auto& [t, share] : all_->lengths.laws[all_->trails[trail].kind])
      levels = std::max(levels, all_->lengths.classes[t].levels);
  for (std::size_t level = 0; level < levels; ++level)
    family_level(family, level, level + 1 == levels, weight);
}

void Rounds::family_level(std::size_t family, std::size_t level, bool last_level, double weight) {
  const std::vector<std::size_t>& members = all_->families[family];
  const std::vector<LengthClass>& classes = all_->lengths.classes;
  const std::size_t lengths = classes.size();
  std::vector<LengthMove>& moves = moves_of_[family];
  std::vector<FamilyMove>& sums = sums_of_[family];
  const double follow = times_[all_->trails[members.front()].channel].follow;
  const auto level_of = [&](std::size_t t) { return last_level ? classes[t].levels - 1 : level; };
  // Lengths with fewer levels keep their last one.
  const auto has_level = [&](std::size_t t) { return last_level || level <= classes[t].held_level(); };
  for (FamilyMove& sum : sums) sum.clear();
  for (LengthMove& each : moves) {
    const Input& input = all_->inputs[each.move->input];
    if (has_level(each.length)) {
      const std::size_t its = level_of(each.length);
      each.all_waits = its + 1 == classes[each.length].levels;
      each.on = each.all_waits ? onward(input.station, *each.move, each.length, its)
                               : held_before(input.station, *each.move, each.length, its);
    }
    FamilyMove& sum = sums[each.sum];
    if (sum.parts == 1) continue;
    sum.share += each.share;
    sum.onward += each.share * each.on.mean();
    sum.onward_second += each.share * each.on.second();
  }
  next_.assign(members.size() * lengths, {0, 0, 0, 0, 0, follow});
  for (std::size_t member = 0; member < members.size(); ++member) {
    const TrailClass& trail = all_->trails[members[member]];
    for (const auto& [t, share] : all_->lengths.laws[trail.kind]) {
      if (!has_level(t)) continue;
      Times& next = next_[member * lengths + t];
      next.fresh = next.behind = trail.ends * end(t);
      next.fresh_second = next.behind_second = trail.ends * end_second(t);
    }
  }
  bool mixed = false;
  for (LengthMove& each : moves) {
    FamilyMove& sum = sums[each.sum];
    if (has_level(each.length)) add_move(each, follow, sum, next_[each.member * lengths + each.length]);
    if (sum.parts == 1) continue;
    mixed = true;
    sum.mean += each.share * each.mean;
    sum.second += each.share * each.second;
  }
  for (const LengthMove& each : moves) {
    const FamilyMove& sum = sums[each.sum];
    if (!mixed || sum.parts == 1 || !has_level(each.length)) continue;
    const double onward = sum.onward_second / sum.share - square(sum.onward / sum.share);
    next_[each.member * lengths + each.length].slope +=
        slope_of(each, sum.mean / sum.share, sum.second / sum.share, onward);
  }
  for (std::size_t member = 0; member < members.size(); ++member)
    for (const auto& [t, share] : all_->lengths.laws[all_->trails[members[member]].kind])
      if (has_level(t))
        update(trail_at(members[member], t, level_of(t)), next_[member * lengths + t],
               all_->channels[all_->trails[members[member]].channel].weight > 0, weight);
}

void Rounds::add_move(LengthMove& each, double follow, const FamilyMove& sum, Times& next) const {
  const Input& input = all_->inputs[each.move->input];
  const StationWaits& wait = waits_[each.move->input];
  const StationClass& station = all_->stations[input.station];
  const Times& on = each.on;
  const int m = station.servers;
  const double by_fresh = wait.fresh_waits;
  const double by_behind = wait.behind_waits + (1 - wait.behind_waits) / m;
  const double felt = each.all_waits ? each.lost : each.lost * (1 - on.hides);
  const double spread = all_->lengths.classes[each.length].spread;
  const auto time = [&](double w, double follows) {
    return w + felt + follows * on.behind + (1 - follows) * on.fresh;
  };
  const auto second = [&](double w, double v, double follows) {
    const double before = v + 2 * w * felt + square(felt) + spread * felt;
    return before + 2 * (w + felt) * on.behind + follows * on.behind_second + (1 - follows) * on.fresh_second;
  };
  const double fresh = time(wait.fresh, by_fresh), behind = time(wait.behind, by_behind);
  const double fresh2 = second(wait.fresh, wait.fresh_second, by_fresh);
  const double behind2 = second(wait.behind, wait.behind_second, by_behind);
  const double p = each.move->probability, r = input.share, sigma = follow * r;
  next.fresh += p * fresh;
  next.fresh_second += p * fresh2;
  next.behind += p * (r * behind + (1 - r) * fresh);
  next.behind_second += p * (r * behind2 + (1 - r) * fresh2);
  each.mean = sigma * behind + (1 - sigma) * fresh;
  each.second = sigma * behind2 + (1 - sigma) * fresh2;
  if (sum.parts == 1) next.slope += slope_of(each, each.mean, each.second, on.variance());
  if (!all_->shares) return;
  const bool last = all_->channels[station.channels.front().first].last;
  const double at_end = sum.parts == 1 ? on.mean() : sum.onward / sum.share;
  next.lost += p * (felt + on.lost);
  next.moves += p * (last ? at_end / (at_end + wait.mean) : moves_[at(input.station, each.length)]);
  const double hides = hides_[at(each.move->input, each.length)];
  next.hides += p * (hides + (1 - hides) * on.hides);
}

double Rounds::slope_of(const LengthMove& each, double mean, double second, double onward) const {
  const Input& input = all_->inputs[each.move->input];
  const StationWaits& wait = waits_[each.move->input];
  const double variance = second - square(mean);
  const double kept = onward <= 0 ? 0 : variance > onward ? onward / variance : 1;
  return each.move->probability * input.share *
         (wait.feedback / mean +
          (1 - wait.behind_waits) / all_->stations[input.station].servers * each.on.slope * kept);
}

void Rounds::update(Times& now, Times next, bool source, double weight) {
  if (source && travel_time_ > 0) next = later(next, travel_time_);
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
  now.follow = next.follow;
  now.lost = next.lost;
  now.moves = next.moves;
  now.hides = next.hides;
}

std::vector<Rounds::Onward> Rounds::onward_waits() const {
  constexpr int max_passes = 1000;
  const std::size_t lengths = all_->length_count();
  std::vector<Onward> all(all_->trails.size() * lengths);
  const auto after = [&](std::size_t j, const Move& move, std::size_t t) {
    if (move.next != any) return all[at(move.next, t)];
    Onward mean;
    for (const auto& [i, share] : all_->stations[j].channels)
      for (const auto& [trail, part] : all_->channels[i].trails) {
        mean.waits += share * part * all[at(trail, t)].waits;
        mean.lag += share * part * all[at(trail, t)].lag;
      }
    return mean;
  };
  for (int pass = 0; pass < max_passes; ++pass) {
    double changed = 0;
    for (const std::size_t j : *order_)
      for (const auto& [i, of_station] : all_->stations[j].channels)
        for (const auto& [at_trail, of_channel] : all_->channels[i].trails) {
          const TrailClass& trail = all_->trails[at_trail];
          for (const auto& [t, of_kind] : all_->lengths.laws[trail.kind]) {
            Onward sum{.waits = 0, .lag = trail.ends * (all_->shares ? lag_[at(i, t)] : 0)};
            for (const Move& move : trail.moves) {
              const Onward rest = after(all_->inputs[move.input].station, move, t);
              double wait = waits_[move.input].mean;
              if (all_->shares) wait += lost_at(move.input, t) / all_->lengths.classes[t].flits;
              sum.waits += move.probability * (wait + rest.waits);
              sum.lag += move.probability * rest.lag;
            }
            Onward& now = all[at(at_trail, t)];
            changed = std::max({changed, std::abs(sum.waits - now.waits), std::abs(sum.lag - now.lag)});
            now = sum;
          }
        }
    if (changed < 1e-13) break;
  }
  return all;
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
  for (auto next = order_->rbegin(); next != order_->rend(); ++next) {
    const StationClass& station = all_->stations[*next];
    double behind = 0;
    for (const std::size_t i : station.inputs) {
      const Input& input = all_->inputs[i];
      const StationWaits& wait = waits_[i];
      const double sigma = times_[input.channel].follow * input.share;
      behind += input.count * input.rate *
                ((1 - sigma) * wait.fresh_waits +
                 sigma * (wait.behind_waits + (1 - wait.behind_waits) / station.servers));
    }
    if (all_->shares) lag_behind(*next);
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
