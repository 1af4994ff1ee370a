#include <tailbound/bounds/path/computed_delay.hpp>
#include <tailbound/bounds/path/dependent_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/process_cache.hpp>
#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/queue/hops/burst_waits.hpp>
#include <tailbound/queue/hops/wait_score.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

namespace tailbound::bounds {
namespace {

using numeric::Rational;
using numeric::Real;
using Series = std::vector<double>;

/// Tolerance of the pairs' distributions; delay probabilities are then accurate to some 3e-5, apart from
/// losses at the last slots.
constexpr double tolerance_of_pairs = 1e-4;
constexpr std::size_t step = 32;
std::size_t rounded_up(std::size_t slots) {
  return (slots + step - 1) / step * step;
}

/// Cached solution of a pair.
struct SolvedPair {
  Series second, alone;
  queue::PairKernel kernel;
  Series wait;  ///< at T, for packets from U

  SolvedPair(const queue::QueuePair& pair, const queue::PairLaw& law)
      : second(law.second()),
        alone(queue::lone_second(pair, law.size()).occupancy),
        kernel(pair, law),
        wait(queue::wait_behind(pair, kernel)) {}
  [[nodiscard]] std::size_t bytes() const { return kernel.bytes() + 3 * second.size() * sizeof(double); }
};

/// P(W > w) of queues with bursts and without upstream queues.
class BurstTails {
 public:
  explicit BurstTails(const queue::MarkovArrivals& arrivals)
      : queue_(arrivals, digits, queue::Proof::not_needed) {}

  /// At least the first `size` entries.
  const Series& tails(std::size_t size) {
    const numeric::PrecisionScope scope(numeric::Precision{128});
    const double load = numeric::nearest_double(queue_.arrivals().load());
    while (tails_.size() < size) {  // P(W > w) = P(Q > w+1)/load
      const auto bounds =
          queue::claim_bounds(queue_.tail(static_cast<std::int64_t>(tails_.size()) + 1)).bounds;
      const Real middle = (numeric::lower(bounds) + numeric::upper(bounds)) / 2;
      tails_.push_back(static_cast<double>(middle) / load);
    }
    return tails_;
  }

 private:
  /// More digits than the model has.
  static constexpr numeric::Digits digits{5};
  queue::MarkovQueue queue_;
  Series tails_;
};

/// Pairs solved in this process.
using PairKey = std::pair<queue::QueuePair, std::size_t>;
ProcessCache<PairKey, SolvedPair>& known_pairs() {
  static ProcessCache<PairKey, SolvedPair> cache(std::size_t{1} << 28);
  return cache;
}

/// Runs work(0) .. work(count - 1) in several threads.
template <class Work>
void side_by_side(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto carry_out = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  const std::size_t wanted = std::min<std::size_t>({count, std::thread::hardware_concurrency(), 8});
  for (std::size_t i = 1; i < wanted; ++i) threads.emplace_back(carry_out);
  carry_out();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

bool DependentHops::exact(std::span<const Route> routes) const {
  return std::all_of(routes.begin(), routes.end(), [&](const Route& route) {
    return route.queues.empty() || (route.queues.size() == 1 && queues[route.queues.front()].links.empty());
  });
}

bool DependentHops::bursty() const {
  return std::any_of(queues.begin(), queues.end(),
                     [](const DependentQueue& queue) { return queue.bursts.has_value(); });
}

class DependentKnowledge {
 public:
  DependentKnowledge(std::shared_ptr<const DependentHops> hops, std::size_t max_slots)
      : hops_(std::move(hops)), max_slots_(max_slots) {}

  /// The slots and the smallest probability that a query needs on one route.
  struct Reach {
    std::size_t slots = 0;
    double rarest = 1;
  };

  /// Estimated from independent hops, with a margin. \param deepest  a requested level, or -1
  Reach reach(const Route& route, double target, std::int64_t deepest) {
    if (deepest >= static_cast<std::int64_t>(max_slots_)) reject();
    for (std::size_t size = 64;; size *= 2) {
      Series mass(size, 0);
      mass[0] = 1;
      for (const std::size_t queue : route.queues)
        mass = numeric::convolved(mass, lone_wait(queue, size), mass.size());
      const Series tails = tails_of(mass);
      if (tails.back() > target || static_cast<std::int64_t>(size) <= deepest + 1) {
        if (size > max_slots_) reject();
        continue;
      }
      std::size_t place = static_cast<std::size_t>(std::max<std::int64_t>(deepest, 0));
      while (tails[place] > target) ++place;
      const double slope = std::max(slope_at(mass, std::min(place + 1, size - 1)), 1e-3);
      const double further = 0.08 * static_cast<double>(place) + 7 / slope + 4;
      return {place + static_cast<std::size_t>(further), std::max(tails[place], 1e-300)};
    }
  }

  /// Solves the pairs needed for routes of equal reach.
  void solve(std::span<const Route> routes, const Reach& reach) {
    std::vector<PairKey> missing;
    for (const Route& route : routes)
      for (std::size_t hop = 0; hop < route.queues.size(); ++hop) {
        for (const DependentQueue::Links& links : hops_->queues[route.queues[hop]].links)
          need(links.pair, reach, missing);
        if (hop > 0) need(between(route, hop), reach, missing);
      }
    std::vector<std::shared_ptr<const SolvedPair>> solved(missing.size());
    side_by_side(missing.size(), [&](std::size_t i) {
      const auto& [pair, size] = missing[i];
      solved[i] = std::make_shared<SolvedPair>(pair, queue::pair_law(pair, size, tolerance_of_pairs));
    });
    for (std::size_t i = 0; i < missing.size(); ++i) {
      known_pairs().add(missing[i], solved[i], solved[i]->bytes());
      solved_[missing[i]] = std::move(solved[i]);
    }
  }

  RouteLaw law(const Route& route, const Reach& reach) {
    std::vector<Series> waits, scores;
    waits.reserve(route.queues.size());
    std::vector<queue::PairKernel> kernels;
    kernels.reserve(route.queues.size());
    std::vector<queue::DependentHop> hops;
    for (std::size_t hop = 0; hop < route.queues.size(); ++hop) {
      const queue::SmoothedWait& its = wait(route.queues[hop], reach);
      const auto& links = hops_->queues[route.queues[hop]].links;
      std::size_t by = 0;
      while (hop > 0 && by < links.size() && links[by].pair != between(route, hop)) ++by;
      waits.push_back(with_bursts(route.queues[hop], hop == 0            ? its.of_sources
                                                     : by < links.size() ? its.of_links[by]
                                                                         : its.of_any_link));
      hops.push_back({&waits.back(), hop == 0 ? nullptr : &solved(between(route, hop), reach).kernel});
      if (hops_->burst_dependence.empty()) continue;
      scores.push_back(queue::wait_score(waits.back()));
      if (hop == 0) continue;
      const Series &before = scores[hop - 1], &here = scores[hop];
      const double s = queue::dependence_within(hops_->burst_dependence[between(route, hop)], before, here);
      kernels.push_back(hops.back().from_before->with_dependence(s, before, here));
      hops.back().from_before = &kernels.back();
    }
    return route_law(queue::sum_of_dependent(hops, reach.slots), waits, numeric::nearest_double(route.share),
                     static_cast<std::int64_t>(route.queues.size()));
  }

  /// The distributions of all routes, each down to its target and some slots further.
  std::vector<RouteLaw> laws(std::span<const Route> routes, double target, std::int64_t deepest) {
    std::vector<RouteLaw> result;
    for (const Route& route : routes) {
      if (route.queues.empty()) {
        result.push_back(route_law({1}, {}, numeric::nearest_double(route.share), 0));
        continue;
      }
      for (Reach its = reach(route, target, deepest);; its.slots += its.slots / 4) {
        if (its.slots > max_slots_) reject();
        solve({&route, 1}, its);
        result.push_back(law(route, its));
        const RouteLaw& last = result.back();
        const auto spare = static_cast<std::size_t>(std::min(4 / std::max(last.slope, 1e-3), 1e6));
        if (spare < its.slots && last.tails[its.slots - 1 - spare] <= target) break;
        result.pop_back();
      }
      require_consistent(result.back());
    }
    return result;
  }

  void check(std::span<const Route> routes) const {
    for (const Route& route : routes)
      for (std::size_t hop = 0; hop < route.queues.size(); ++hop) {
        if (route.queues[hop] >= hops_->queues.size())
          throw InvalidArgument("queue", std::to_string(route.queues[hop]),
                                "one of the " + std::to_string(hops_->queues.size()) + " queues, from 0");
        if (hop > 0) static_cast<void>(between(route, hop));
      }
  }

 private:
  [[noreturn]] void reject() const {
    throw LimitExceeded("the delay exceeds " + std::to_string(max_slots_) +
                        " slots, which is the limit for dependent hops");
  }

  [[nodiscard]] std::size_t between(const Route& route, std::size_t hop) const {
    const auto place = hops_->between.find({route.queues[hop - 1], route.queues[hop]});
    if (place == hops_->between.end())
      throw InvalidArgument("route",
                            std::to_string(route.queues[hop - 1]) + ", " + std::to_string(route.queues[hop]),
                            "queues each of which has a link to the next");
    return place->second;
  }

  /// Short queues need fewer levels: higher ones are too rare for the query. A queue that is longer than the
  /// delays needs more levels: truncation at the edge would prevent convergence.
  std::size_t size_of(std::size_t pair, const Reach& reach) {
    const std::size_t maximum = rounded_up(reach.slots);
    const auto [place, is_new] = sizes_.try_emplace({pair, maximum, std::ilogb(reach.rarest)}, maximum);
    if (is_new) {
      constexpr double dropped = 1e-7;
      const double floor = 1e-8 * std::ldexp(1.0, std::ilogb(reach.rarest));
      const std::size_t furthest = std::max(maximum, rounded_up(max_slots_));
      // Bursts cause waits that are very rare with independent packets.
      std::size_t size = hops_->bursty() ? maximum : step;
      for (std::size_t length = maximum;; length = std::min(2 * length, furthest)) {
        const Series first = queue::lone_first(hops_->pairs[pair], length).occupancy;
        const Series second = queue::lone_second(hops_->pairs[pair], length).occupancy;
        const auto counts = [&] {
          return std::max(first[size - 1], second[size - 1]) > (size < maximum ? floor : dropped);
        };
        while (size < length && counts()) size += step;
        if (size < length || length == furthest || !counts()) break;
      }
      place->second = size;
    }
    return place->second;
  }

  void need(std::size_t pair, const Reach& reach, std::vector<PairKey>& missing) {
    const PairKey key{hops_->pairs[pair], size_of(pair, reach)};
    if (solved_.contains(key)) return;
    if (auto known = known_pairs().find(key)) {
      solved_.emplace(key, std::move(known));
      return;
    }
    if (std::find(missing.begin(), missing.end(), key) == missing.end()) missing.push_back(key);
  }

  const SolvedPair& solved(std::size_t pair, const Reach& reach) {
    return *solved_.at({hops_->pairs[pair], size_of(pair, reach)});
  }

  const queue::SmoothedWait& wait(std::size_t queue, const Reach& reach) {
    const DependentQueue& its = hops_->queues[queue];
    std::size_t size = rounded_up(reach.slots);
    for (const DependentQueue::Links& links : its.links) size = std::min(size, size_of(links.pair, reach));
    constexpr std::size_t max_kept = 1 << 13;
    if (waits_.size() >= max_kept) waits_.clear();
    const auto [place, is_new] = waits_.try_emplace({queue, size, std::ilogb(reach.rarest)});
    if (is_new) {
      std::vector<queue::SmoothedLinks> links;
      for (const DependentQueue::Links& each : its.links) {
        const SolvedPair& pair = solved(each.pair, reach);
        links.push_back(
            {&pair.second, &pair.alone, &pair.wait, each.count, rate_of(hops_->pairs[each.pair])});
      }
      place->second = queue::smoothed_wait(queue::lone_queue(its.sources, size), its.straight, links);
    }
    return place->second;
  }

  /// P(W = w) of a queue by itself.
  Series lone_wait(std::size_t queue, std::size_t size) {
    const DependentQueue& its = hops_->queues[queue];
    if (!its.bursts) return queue::lone_queue(its.sources, size).wait;
    const Series& tails = burst_tails(queue, size);
    Series mass(size);
    for (std::size_t w = 0; w < size; ++w) mass[w] = (w == 0 ? 1 : tails[w - 1]) - tails[w];
    return mass;
  }

  const Series& burst_tails(std::size_t queue, std::size_t size) {
    return burst_tails_.try_emplace(queue, *hops_->queues[queue].bursts).first->second.tails(size);
  }

  /// P(W = w) with bursts, from that with independent packets.
  Series with_bursts(std::size_t queue, const Series& smoothed) {
    const DependentQueue& its = hops_->queues[queue];
    if (!its.bursts) return smoothed;
    const std::size_t size = smoothed.size();
    const Series alone = tails_of(queue::lone_queue(its.sources, size).wait);
    return queue::wait_with_bursts(std::span(burst_tails(queue, size)).first(size),
                                   its.links.empty() ? alone : tails_of(smoothed), alone);
  }

  /// Rate of packets that U forwards to T.
  static double rate_of(const queue::QueuePair& pair) {
    double rate = 0;
    for (const queue::PairSource& source : pair.sources)
      rate += static_cast<double>(source.count) * source.through;
    return rate * pair.forwarded;
  }

  std::shared_ptr<const DependentHops> hops_;
  std::size_t max_slots_;
  std::map<PairKey, std::shared_ptr<const SolvedPair>> solved_;
  std::map<std::tuple<std::size_t, std::size_t, int>, std::size_t> sizes_;
  std::map<std::tuple<std::size_t, std::size_t, int>, queue::SmoothedWait>
      waits_;  ///< by queue, size, rarest
  std::map<std::size_t, BurstTails> burst_tails_;
};

DependentDelay::DependentDelay(std::shared_ptr<const DependentHops> hops, std::size_t max_slots)
    : knowledge_(std::make_shared<DependentKnowledge>(std::move(hops), max_slots)) {}

ClaimedDelayAnswer DependentDelay::claims(std::span<const Route> routes, const DelayQuery& query) {
  require_valid(routes, query);
  knowledge_->check(routes);
  const Horizon horizon = horizon_of(routes, query);
  return claims_of(knowledge_->laws(routes, horizon.target, horizon.deepest), query);
}

DelayDistribution DependentDelay::distribution(std::span<const Route> routes, const Rational& negligible) {
  require_valid(routes, {});
  knowledge_->check(routes);
  require_negligible(negligible);
  return distribution_of(knowledge_->laws(routes, 1e-3 * numeric::nearest_double(negligible), -1),
                         negligible);
}

}  // namespace tailbound::bounds
