#include <tailbound/bounds/multistage/blocking_queue.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace tailbound::bounds::multistage {
namespace {

constexpr std::int64_t max_states = 20'000;
/// More joins than this in one buffer are so rare that a higher degree counts as unlimited.
constexpr std::int64_t max_degrees = 32;
constexpr double negligible = 1e-13;
/// A head blocked for longer than this sees a buffer that has long been full.
constexpr double max_pieces = 8;

}  // namespace

/// Sums of a step. Masses are probabilities of the embedded chain.
struct BlockingQueue::Tally {
  double service = 1;   ///< mean length of a service, blocked time included
  double residual = 0;  ///< residual of the current service as seen by the current arrivals
  double weight = 1;    ///< probability of the time being considered
  double cold = 0, hot = 0, cold_blocked = 0, hot_blocked = 0, joined = 0, cold_wait = 0, hot_wait = 0;
  double present = 0, sources_blocked = 0;  ///< integrals over time
};

BlockingQueue::BlockingQueue(std::int64_t capacity, int sources, std::optional<std::int64_t> combining)
    : capacity_(static_cast<int>(capacity)), sources_(sources), max_blocked_(std::max(sources, 1)) {
  degree_ = combining && *combining <= max_degrees ? static_cast<int>(*combining) : 0;
  const std::int64_t degrees = degree_ == 0 ? 1 : degree_ - 1;
  tells_cold_ = degree_ != 1 && capacity > 1;
  const std::int64_t waiting = max_blocked_ + 1;
  const std::int64_t wanted = capacity + capacity * (capacity - 1) / 2 * degrees +
                              (tells_cold_ ? waiting * (waiting + 1) / 2 : waiting) +
                              (capacity - 1) * degrees * waiting;
  if (wanted > max_states)
    throw LimitExceeded("the model would need " + std::to_string(wanted) + " states per queue for buffer " +
                        std::to_string(capacity - 1) + " and " + std::to_string(sources) +
                        " sources; the limit is " + std::to_string(max_states));
  add_states();
  for (const State& state : states_) {
    cold_.push_back(arrival(state, false));
    hot_.push_back(arrival(state, true));
  }
  by_blocked_.resize(static_cast<std::size_t>(max_blocked_) + 1);
  for (std::uint32_t i = 0; i < states_.size(); ++i)
    by_blocked_[static_cast<std::size_t>(states_[i].blocked)].push_back(i);
  distribution_.assign((sources_ == 1 ? 2 : 1) * states_.size(), 0);
  distribution_[index({})] = 1;
}

void BlockingQueue::add_states() {
  const int degrees = degree_ == 0 ? 1 : degree_ - 1;
  first_.resize(static_cast<std::size_t>((capacity_ + 1) * capacity_));
  for (int present = 0; present <= capacity_; ++present)
    for (int open = 0; open < std::max(present, 1); ++open) {
      if (open > 0 && degrees == 0) break;
      first_[static_cast<std::size_t>(present * capacity_ + open)] =
          static_cast<std::uint32_t>(states_.size());
      for (int joined = 1; joined <= (open == 0 ? 1 : degrees); ++joined)
        for (int blocked = 0; blocked <= (present == capacity_ ? max_blocked_ : 0); ++blocked)
          for (int cold = 0; cold <= (open == 0 && tells_cold_ ? blocked : 0); ++cold)
            states_.push_back({present, blocked, open, open == 0 ? 0 : joined, cold});
    }
}

std::uint32_t BlockingQueue::index(const State& state) const {
  const std::uint32_t first = first_[static_cast<std::size_t>(state.present * capacity_ + state.open)];
  if (state.open == 0 && tells_cold_)
    return first + static_cast<std::uint32_t>(state.blocked * (state.blocked + 1) / 2 + state.cold);
  const int stride = state.present == capacity_ ? max_blocked_ + 1 : 1;
  return first + static_cast<std::uint32_t>(std::max(state.joined - 1, 0) * stride + state.blocked);
}

BlockingQueue::Arrival BlockingQueue::arrival(const State& state, bool hot) const {
  State to = state;
  if (state.blocked == max_blocked_) return {index(to), Outcome::rests};
  if (hot && state.open > 0) {
    if (degree_ > 0 && ++to.joined == degree_) {
      to.open = to.joined = 0;
      to.cold = to.blocked;
    }
    return {index(to), Outcome::joins};
  }
  if (state.present == capacity_) {
    to.blocked = std::min(state.blocked + 1, max_blocked_);
    return {index(to), Outcome::blocked};
  }
  ++to.present;
  if (hot && degree_ != 1 && state.present > 0) to.open = state.present, to.joined = 1;
  return {index(to), Outcome::waits};
}

/// numbers_[j]: probability of j arrivals from `sources` sources in a time `time` of at most about 1, in
/// which each delivers at most once. The Poisson source has no such limit.
void BlockingQueue::count_arrivals(double attempt, int sources, double time) {
  numbers_.assign(1, 1);
  if (sources_ == 0) {
    numbers_[0] = std::exp(-attempt * time);
    double left = 1 - numbers_[0];
    while (left > negligible && numbers_.size() < 200) {
      numbers_.push_back(numbers_.back() * attempt * time / static_cast<double>(numbers_.size()));
      left -= numbers_.back();
    }
    return;
  }
  const double p = std::min(1.0, attempt * time);
  for (int trial = 0; trial < sources; ++trial) {
    numbers_.push_back(0);
    for (std::size_t j = numbers_.size() - 1; j > 0; --j)
      numbers_[j] = numbers_[j] * (1 - p) + numbers_[j - 1] * p;
    numbers_[0] *= 1 - p;
    while (numbers_.size() > 1 && numbers_.back() < negligible) numbers_.pop_back();
  }
}

void BlockingQueue::arrive(const Distribution& from, Distribution& to, double weight,
                           const NeighbourMeans& seen, Tally& tally) const {
  const auto one = [&](std::size_t i, const Arrival& arrival, double mass, bool hot) {
    to[arrival.to] += mass;
    if (arrival.outcome == Outcome::rests) return;
    const State& state = states_[i];
    const double counted = mass * weight * tally.weight;
    (hot ? tally.hot : tally.cold) += counted;
    double wait = tally.residual;
    if (arrival.outcome == Outcome::joins) {
      tally.joined += counted;
      wait += (state.open - 1) * tally.service;
    } else if (arrival.outcome == Outcome::blocked) {
      (hot ? tally.hot_blocked : tally.cold_blocked) += counted;
      wait = (capacity_ - 1) * tally.service;
    } else {
      wait += (state.present - 1) * tally.service;
    }
    (hot ? tally.hot_wait : tally.cold_wait) += counted * wait;
  };
  to.assign(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 0) continue;
    one(i, cold_[i], from[i] * (1 - seen.hot), false);
    if (seen.hot > 0) one(i, hot_[i], from[i] * seen.hot, true);
  }
}

/// Integrates the requests present and blocked over a time.
void BlockingQueue::integrate(const Distribution& distribution, double time, Tally& tally) const {
  for (std::size_t i = 0; i < distribution.size(); ++i) {
    const State& state = states_[i % states_.size()];
    tally.present += time * tally.weight * distribution[i] * state.present;
    tally.sources_blocked += time * tally.weight * distribution[i] * state.blocked;
  }
}

void BlockingQueue::admit(Distribution& distribution, const NeighbourMeans& seen, double time,
                          int sources_missing, Tally& tally) {
  integrate(distribution, time / 2, tally);
  result_.assign(distribution.size(), 0);
  for (int blocked = 0; blocked <= max_blocked_; ++blocked) {
    double mass = 0;
    part_.assign(distribution.size(), 0);
    for (const std::uint32_t i : by_blocked_[static_cast<std::size_t>(blocked)])
      mass += part_[i] = distribution[i];
    if (mass == 0) continue;
    count_arrivals(seen.attempt, std::max(0, sources_ - blocked - sources_missing), time);
    double more = 1;  // probability of more than j arrivals
    for (std::size_t j = 0; j < numbers_.size(); ++j) {
      more = std::max(0.0, more - numbers_[j]);
      for (std::size_t i = 0; i < part_.size(); ++i) result_[i] += numbers_[j] * part_[i];
      if (j + 1 == numbers_.size()) break;
      arrive(part_, next_, more, seen, tally);
      std::swap(part_, next_);
    }
  }
  std::swap(distribution, result_);
  integrate(distribution, time / 2, tally);
}

/// A hot request has entered as an open one; those that wait may be hot and join it, one after the other.
void BlockingQueue::spread(const State& state, double mass, double hot, Tally& tally) {
  std::vector<double> joins(static_cast<std::size_t>(state.blocked) + 1);  // [j]: j have joined so far
  joins[0] = mass;
  const auto after = [&](std::size_t j) {
    State to = state;
    to.blocked -= static_cast<int>(j);
    if (degree_ > 0) to.joined += static_cast<int>(j);
    return to;
  };
  for (int requested = 1; requested <= state.blocked; ++requested)
    for (auto j = static_cast<std::size_t>(requested); j-- > 0;) {
      const double one_more = joins[j] * hot;
      joins[j] -= one_more;
      tally.joined += one_more;
      State to = after(j + 1);
      if (degree_ > 0 && to.joined == degree_) {
        to.open = to.joined = 0;
        to.cold = to.blocked - (state.blocked - requested);  // those checked and not hot
        distribution_[index(to)] += one_more;
      } else {
        joins[j + 1] += one_more;
      }
    }
  for (std::size_t j = 0; j < joins.size(); ++j)
    if (joins[j] > 0) distribution_[index(after(j))] += joins[j];
}

/// The head leaves, and the first of those that wait enters. While there is an open request, only cold ones
/// wait.
void BlockingQueue::depart(const Distribution& from, double hot, Tally& tally) {
  std::fill(distribution_.begin(), distribution_.end(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 0) continue;
    State state = states_[i];
    --state.present;
    if (state.open > 0 && --state.open == 0) {
      state.joined = 0;
      state.cold = state.blocked;
    }
    if (state.blocked > 0) {
      ++state.present;
      --state.blocked;
    } else {
      state.cold = 0;
      distribution_[index(state)] += from[i];
      continue;
    }
    const bool cold = state.open > 0 || state.cold > 0 || !tells_cold_;
    if (state.cold > 0) --state.cold;
    if (!tells_cold_) state.cold = 0;
    const double hot_one = cold ? 0 : hot;
    distribution_[index(state)] += from[i] * (1 - hot_one);
    if (hot_one == 0) continue;
    state.open = state.present - 1;
    state.joined = 1;
    state.cold = 0;
    spread(state, from[i] * hot_one, hot, tally);
  }
}

void BlockingQueue::normalize() {
  double total = 0;
  for (const double p : distribution_) total += p;
  for (double& p : distribution_) p /= total;
}

void BlockingQueue::set_distribution(const double* begin) {
  for (double& p : distribution_) p = std::max(0.0, *begin++);
  normalize();
}

QueueMeans BlockingQueue::means_of(const Tally& tally, double idle, double left_empty) const {
  QueueMeans means;
  means.cycle = tally.service + idle;
  means.arrivals = tally.cold + tally.hot;
  means.joined = tally.joined;
  means.idle = idle;
  means.left_empty = left_empty;
  means.present = tally.present / means.cycle;
  means.sources_blocked = tally.sources_blocked / means.cycle;
  if (tally.cold > 0) {
    means.cold_blocked = tally.cold_blocked / tally.cold;
    means.cold_wait = tally.cold_wait / tally.cold;
  }
  if (tally.hot > 0) {
    means.hot_blocked = tally.hot_blocked / tally.hot;
    means.hot_wait = tally.hot_wait / tally.hot;
  }
  return means;
}

QueueMeans BlockingQueue::round(const NeighbourMeans& seen, int steps) {
  if (sources_ == 1) return round_behind_link(seen, steps);
  const double extra = seen.held * seen.held_time;
  Tally tally;
  double idle = 0, left_empty = 0;
  for (int step = 0; step < steps; ++step) {
    tally = Tally{.service = 1 + extra};
    // An empty queue waits for an arrival, whose source does not deliver again within its service.
    Distribution& begun = begun_;
    Distribution& busy = busy_;
    begun.assign(states_.size(), 0);
    busy = distribution_;
    const std::uint32_t empty = index({});
    const double started = left_empty = distribution_[empty];
    busy[empty] = 0;
    begun[cold_[empty].to] = started;
    idle = started / (seen.attempt * std::max(sources_, 1));
    tally.cold += started * (1 - seen.hot);
    tally.hot += started * seen.hot;
    tally.residual = 0.5 + extra;
    admit(busy, seen, 1, 0, tally);
    admit(begun, seen, 1, 1, tally);
    for (std::size_t i = 0; i < busy.size(); ++i) busy[i] += begun[i];
    if (extra > 0) {
      Distribution& held = begun_;
      held = busy;
      tally.weight = seen.held;
      // In pieces of at most 1, as a source may deliver once in each.
      const double pieces = std::ceil(std::clamp(seen.held_time, 1.0, max_pieces));
      for (double piece = 0; piece < pieces; ++piece) {
        tally.residual = seen.held_time * (1 - (piece + 0.5) / pieces);
        admit(held, seen, seen.held_time / pieces, 0, tally);
      }
      for (std::size_t i = 0; i < busy.size(); ++i) busy[i] = busy[i] * (1 - seen.held) + held[i] * seen.held;
    }
    depart(busy, seen.hot, tally);
    normalize();
  }
  return means_of(tally, idle, left_empty);
}

// --- Behind a link

/// Probabilities that the link delivers within a time of at most 1, at most once.
///
/// Its requests are 1 apart with probability sigma, otherwise 1 plus an exponential time of rate nu. sigma =
/// nu is its delivery rate while not blocked, as for a queue with Poisson arrivals.
struct BlockingQueue::Delivery {
  double recent;  ///< the last one came less than 1 ago, uniformly distributed
  double old;     ///< it came more than 1 ago
  double stays;   ///< P(a recent last one is still recent), without a delivery

  static double within(double rate, double time) { return -std::expm1(-rate * time); }
  static Delivery in(double rate, double time) {
    const double later = rate > 0 ? time - within(rate, time) / rate : 0;
    return {rate * time + (1 - rate) * later, within(rate, time), std::max(0.0, 1 - time)};
  }
  /// The last one came exactly 1 ago.
  static Delivery in_step(double rate, double time) {
    return {rate + (1 - rate) * within(rate, time), within(rate, time), 0};
  }
};

void BlockingQueue::admit(Distribution& distribution, const NeighbourMeans& seen, const Delivery& delivery,
                          double time, Tally& tally) {
  const std::size_t count = states_.size();
  integrate(distribution, time / 2, tally);
  part_.assign(count, 0);
  result_.assign(2 * count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const double old = distribution[i], recent = distribution[count + i];
    if (states_[i].blocked > 0) {  // its waiting request moves on as soon as possible, and the next comes 1
                                   // later
      result_[count + i] += old + recent;
      continue;
    }
    part_[i] = old * delivery.old + recent * delivery.recent;
    result_[i] += old * (1 - delivery.old) + recent * (1 - delivery.recent) * (1 - delivery.stays);
    result_[count + i] += recent * (1 - delivery.recent) * delivery.stays;
  }
  arrive(part_, next_, 1, seen, tally);
  for (std::size_t i = 0; i < count; ++i) result_[count + i] += next_[i];
  std::swap(distribution, result_);
  integrate(distribution, time / 2, tally);
}

/// The time in which the head may be blocked, in pieces of 1 and a shorter last one.
/// \param in_step  the last request came exactly 1 ago
void BlockingQueue::hold(Distribution& distribution, const NeighbourMeans& seen, bool in_step, Tally& tally) {
  if (!(seen.held * seen.held_time > 0)) return;
  held_ = distribution;
  tally.weight = seen.held;
  double left = seen.held_time;
  for (int piece = 1; left > 0; ++piece) {
    const double time = piece < max_pieces ? std::min(left, 1.0) : left;
    const double part = std::min(time, 1.0);
    const bool first = in_step && piece == 1;
    tally.residual = first ? left : left - time / 2;
    admit(held_, seen, first ? Delivery::in_step(seen.attempt, part) : Delivery::in(seen.attempt, part), time,
          tally);
    left -= time;
  }
  tally.weight = 1;
  for (std::size_t i = 0; i < distribution.size(); ++i)
    distribution[i] = distribution[i] * (1 - seen.held) + held_[i] * seen.held;
}

void BlockingQueue::depart_behind_link(const Distribution& from, double hot, Tally& tally) {
  const std::size_t count = states_.size();
  Distribution all(2 * count, 0.0);
  const auto add = [&](std::size_t recent, const auto& mass) {
    for (std::size_t i = 0; i < count; ++i) part_[i] = mass(i);
    distribution_.resize(count);
    depart(part_, hot, tally);
    for (std::size_t i = 0; i < count; ++i) all[recent * count + i] += distribution_[i];
  };
  part_.assign(count, 0);
  for (const std::size_t recent : {std::size_t{0}, std::size_t{1}})
    add(recent, [&](std::size_t i) { return states_[i].blocked > 0 ? 0 : from[recent * count + i]; });
  // The link that waited begins its next service.
  add(1, [&](std::size_t i) { return states_[i].blocked > 0 ? from[i] + from[count + i] : 0; });
  std::swap(distribution_, all);
}

QueueMeans BlockingQueue::round_behind_link(const NeighbourMeans& seen, int steps) {
  const std::size_t count = states_.size();
  const double extra = seen.held * seen.held_time, rate = seen.attempt;
  Tally tally;
  double idle = 0, left_empty = 0;
  for (int step = 0; step < steps; ++step) {
    tally = Tally{.service = 1 + extra};
    // If left empty when the link delivered exactly 1 ago, the link may deliver at once. The service of a
    // request that an empty queue waited for sees no other arrival.
    const std::uint32_t empty = index({});
    const double in_step = distribution_[count + empty], later = distribution_[empty];
    left_empty = in_step + later;
    idle = (later + in_step * (1 - rate)) / rate;
    busy_ = distribution_;
    busy_[empty] = busy_[count + empty] = 0;
    begun_.assign(2 * count, 0);
    begun_[count + cold_[empty].to] = left_empty;
    tally.cold += left_empty * (1 - seen.hot);
    tally.hot += left_empty * seen.hot;
    integrate(begun_, 1, tally);
    tally.residual = 0.5 + extra;
    admit(busy_, seen, Delivery::in(rate, 1), 1, tally);
    hold(begun_, seen, true, tally);
    hold(busy_, seen, false, tally);
    for (std::size_t i = 0; i < busy_.size(); ++i) busy_[i] += begun_[i];
    depart_behind_link(busy_, seen.hot, tally);
    normalize();
  }
  return means_of(tally, idle, left_empty);
}

}  // namespace tailbound::bounds::multistage
