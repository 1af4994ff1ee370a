#include <tailbound/bounds/path/aged_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/process_cache.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/hops/aged_wait.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace tailbound::bounds {
namespace {

using network::TreeRouting;
using numeric::Rational;
using Series = std::vector<double>;

// docs/derivations/aged_bursts.md, "What is fitted".
constexpr double sources_of_a_link = 2.5;  ///< M
constexpr double with_a_burst = 0.8;       ///< on the link after the first queue
constexpr double of_neighbours = 0.26, of_further = 0.28, of_stretch = 0.046;  ///< s
constexpr double furthest_stretch = 5;  ///< hops: the effect of a wait on its burst fades further on

constexpr std::size_t max_burst_levels = 65'536;
constexpr double min_tail = 1e-24;

/// Levels for a load, for any query.
std::size_t levels_of(double load) {
  const double levels = queue::grid_burst * (10 + 20 / (1 - load));
  if (levels > static_cast<double>(max_burst_levels))
    throw LimitExceeded("a load of " + std::to_string(load) + " with bursts needs more than " +
                        std::to_string(max_burst_levels) + " levels of a queue");
  return static_cast<std::size_t>(levels);
}

/// A path through one queue.
struct Visit {
  std::size_t path, hop;
};

/// The distributions of all paths, in units of bursts of 16 packets.
class Solver {
 public:
  Solver(const BurstPaths& paths, std::size_t levels)
      : paths_(paths),
        levels_(levels),
        distance_(paths.paths.size(), 1 / paths.on_rate),
        waits_(paths.paths.size()),
        decays_(paths.paths.size(), std::numeric_limits<double>::infinity()) {
    std::vector<std::vector<Visit>> visits(paths.queues.size());
    for (std::size_t path = 0; path < paths.paths.size(); ++path)
      for (std::size_t hop = 0; hop < paths.paths[path].queues.size(); ++hop)
        visits[paths.paths[path].queues[hop]].push_back({path, hop});
    for (std::size_t queue = 0; queue < visits.size(); ++queue)
      if (!visits[queue].empty()) solve(paths.queues[queue], visits[queue]);
  }

  [[nodiscard]] std::vector<RouteLaw> laws() const {
    std::vector<RouteLaw> result;
    for (std::size_t path = 0; path < waits_.size(); ++path) result.push_back(law(path));
    return result;
  }

 private:
  using Wait = std::shared_ptr<const queue::AgedWait>;

  void solve(const BurstQueue& queue, const std::vector<Visit>& visits) {
    double rate = 0, mean_distance = 0;
    std::vector<double> distances;  // at the entry of this queue
    for (const Visit& visit : visits) {
      const double shared = visit.hop == 1 ? first_links(visit.path) : 0;
      distances.push_back(distance_[visit.path] + (shared > 0 ? with_a_burst / shared : 0));
      rate += paths_.paths[visit.path].rate;
      mean_distance += paths_.paths[visit.path].rate * distances.back();
    }
    mean_distance /= rate;
    const double on_rate = queue.of_sources ? paths_.on_rate : 1 / mean_distance;
    // As if there were no queue upstream: upstream queues do not change the number of packets over a long
    // time.
    const double decay = queue::burst_decay(queue.sources, queue.load / (queue.sources * paths_.source_load),
                                            paths_.source_load, paths_.on_rate);
    const double sources_as_sent = queue::sources_of_decay(decay, queue.load, on_rate);
    const double sources = queue.of_sources
                               ? sources_as_sent
                               : std::min(sources_of_a_link * queue.links / on_rate, sources_as_sent);
    const queue::AgedQueue solved({sources, on_rate, queue.load}, levels_);
    std::map<double, Wait> by_distance;
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const std::size_t path = visits[i].path;
      Wait& wait = by_distance[distances[i]];
      if (!wait) wait = std::make_shared<const queue::AgedWait>(solved.wait(distances[i]));
      waits_[path].push_back(wait);
      decays_[path] = std::min(decays_[path], solved.decay());
      // During a burst with on-rate 1 its first queue is never empty: known without the model.
      distance_[path] += queue.of_sources && paths_.on_rate == 1
                             ? queue.load * (queue.links - 1) / queue.links
                             : wait->stretch();
    }
  }

  [[nodiscard]] double first_links(std::size_t path) const {
    return paths_.queues[paths_.paths[path].queues.front()].links;
  }

  /// s of a hop and the previous one.
  [[nodiscard]] double dependence(const BurstPath& path, std::size_t hop) const {
    const auto hops = static_cast<double>(path.queues.size());
    const double load = paths_.queues[path.queues[hop]].load;
    return std::max(0.0, (of_neighbours + of_further * (hops - 2) / (hops - 1)) * path.forwarded[hop] -
                             (paths_.on_rate == 1
                                  ? of_stretch * std::min(hops, furthest_stretch) * (1 - load) * (1 - load)
                                  : 0));
  }

  [[nodiscard]] RouteLaw law(std::size_t path) const {
    const BurstPath& its = paths_.paths[path];
    std::vector<queue::AgedHop> hops;
    std::vector<Series> waits;
    for (std::size_t hop = 0; hop < its.queues.size(); ++hop) {
      hops.push_back({waits_[path][hop].get(), hop == 0 ? 0 : dependence(its, hop)});
      waits.push_back(waits_[path][hop]->of_any_age());
    }
    RouteLaw law = route_law(queue::sum_of_aged(hops, decays_[path]), waits, its.rate,
                             static_cast<std::int64_t>(its.queues.size()));
    law.tails.resize(levels_);  // underestimated beyond
    law.slope = decays_[path];
    // Smaller ones are below the rounding errors of the transforms.
    if (law.tails.back() < min_tail) continue_below(law, min_tail);
    return law;
  }

  const BurstPaths& paths_;
  std::size_t levels_;
  std::vector<double> distance_;          ///< of two packets of a burst, at the current hop, by path
  std::vector<std::vector<Wait>> waits_;  ///< by path and hop
  std::vector<double> decays_;            ///< the smallest of each path
};

using Laws = std::shared_ptr<const std::vector<RouteLaw>>;

/// Solutions are cached for the process.
Laws laws_of(const BurstPaths& paths, std::size_t levels) {
  using Key = std::pair<BurstPaths, std::size_t>;
  static ProcessCache<Key, std::vector<RouteLaw>> cache(std::size_t{1} << 26);
  const Key key{paths, levels};
  if (Laws known = cache.find(key)) return known;
  std::vector<RouteLaw> solved = Solver(paths, levels).laws();
  std::size_t bytes = 0;
  for (const RouteLaw& law : solved) bytes += law.tails.size() * sizeof(double);
  auto laws = std::make_shared<const std::vector<RouteLaw>>(std::move(solved));
  cache.add(key, laws, bytes);
  return laws;
}

void require_valid(const BurstPaths& paths) {
  for (const BurstPath& path : paths.paths)
    for (std::size_t hop = 1; hop < path.queues.size(); ++hop)
      if (path.queues[hop] <= path.queues[hop - 1])
        throw InvalidArgument("path", std::to_string(path.queues[hop]), "queues in the order of the list");
}

}  // namespace

BurstPaths burst_tree(const network::Tree& tree, const Rational& load, TreeRouting routing,
                      const Rational& on_rate) {
  const std::vector<network::TreePath> turns =
      network::tree_paths(tree, load, routing, network::Sources::independent_sources);
  const auto k = static_cast<double>(tree.radix);
  const double rho = numeric::nearest_double(load), leaves = std::pow(k, tree.levels);
  BurstPaths result{rho, numeric::nearest_double(on_rate), {}, {}};
  if (routing == TreeRouting::random_root) {
    BurstPath& path = result.paths.emplace_back();
    path.rate = 1;
    for (int h = 1; h < 2 * tree.levels; ++h) {
      path.queues.push_back(result.queues.size());
      path.forwarded.push_back(h == 1 ? 0 : 1 / k);
      result.queues.push_back({rho, k, std::pow(k, std::min(h, tree.levels)), h == 1});
    }
    return result;
  }
  const auto above = [&](int level) {
    return level == 0 ? 1 : 1 - std::pow(k, level) / leaves;
  };  // P(turn > level)
  for (int j = 1; j < tree.levels; ++j) result.queues.push_back({rho * above(j), k, std::pow(k, j), j == 1});
  for (int j = tree.levels; j >= 1; --j) {
    // From k parents, none above the top, and from all children except the one below; a leaf is below level
    // 1.
    const double parents = j < tree.levels ? k : 0, children = j == 1 ? k : k - 1;
    const double from_parent = rho * above(j) / k, from_child = rho * std::pow(k, j - 1) / leaves;
    const double sum = parents * from_parent + children * from_child;
    const double squares = parents * from_parent * from_parent + children * from_child * from_child;
    result.queues.push_back({sum, sum * sum / squares, j == 1 ? leaves : leaves - std::pow(k, j - 1), false});
  }
  const auto up = [](int level) { return static_cast<std::size_t>(level - 1); };
  const auto down = [&](int level) { return static_cast<std::size_t>(2 * tree.levels - 1 - level); };
  for (const network::TreePath& turn : turns) {
    BurstPath& path = result.paths.emplace_back();
    path.rate = numeric::nearest_double(turn.share);
    for (int j = 1; j < turn.turn; ++j) {
      path.queues.push_back(up(j));
      path.forwarded.push_back(j == 1 ? 0 : above(j) / above(j - 1) / k);
    }
    for (int j = turn.turn; j >= 1; --j) {
      path.queues.push_back(down(j));
      path.forwarded.push_back(j < turn.turn ? 1 / k
                               : j == 1      ? 0
                                             : (above(j - 1) - above(j)) / above(j - 1) / (k - 1));
    }
  }
  return result;
}

AgedDelay::AgedDelay(BurstPaths paths, const Rational& burst)
    : paths_(std::move(paths)),
      // All waits are proportional to E[B^2] / (2 E[B]) of the packets per burst.
      slots_per_step_((numeric::nearest_double(burst) * paths_.on_rate - 0.5) / (queue::grid_burst - 0.5)) {
  require_valid(paths_);
  if (numeric::nearest_double(burst) * paths_.on_rate < min_packets)
    throw InvalidArgument("burst", numeric::plain(burst), "long enough for at least 2 packets on average");
  for (const BurstPath& path : paths_.paths) routes_.push_back({path.queues, 1});
}

std::vector<RouteLaw> AgedDelay::laws(std::span<const Route> routes, double target,
                                      std::int64_t deepest) const {
  std::size_t levels = 0;
  for (const BurstQueue& queue : paths_.queues) levels = std::max(levels, levels_of(queue.load));
  for (;;) {
    if (levels > max_burst_levels)
      throw LimitExceeded("the delay needs more than " + std::to_string(max_burst_levels) +
                          " levels of a queue with bursts of 16 packets");
    const auto known = laws_of(paths_, levels);
    std::vector<RouteLaw> result;
    bool reaches = true;
    std::size_t needed = levels + levels / 8;
    for (const Route& route : routes) {
      const auto place = std::find_if(routes_.begin(), routes_.end(),
                                      [&](const Route& its) { return its.queues == route.queues; });
      if (place == routes_.end()) throw InvalidArgument("route", "of other queues", "one of routes()");
      RouteLaw law = stretched((*known)[static_cast<std::size_t>(place - routes_.begin())], slots_per_step_);
      law.share = numeric::nearest_double(route.share);
      require_consistent(law);
      reaches = reaches && (law.goes_on || (law.tails.back() <= target &&
                                            law.step_of(deepest) + 1 < static_cast<double>(levels)));
      // Beyond its end the distribution decays at least as it does there.
      if (!law.goes_on && law.tails.back() > target && law.slope > 0)
        needed = std::max(needed, levels + static_cast<std::size_t>(std::min(
                                               std::log(law.tails.back() / target) / law.slope, 1e9)));
      if (!law.goes_on && deepest >= 0)
        needed = std::max(needed, static_cast<std::size_t>(std::min(law.step_of(deepest), 1e9)) + 2);
      if (deepest >= 0 && !(law.above(deepest) >= std::numeric_limits<double>::min()) && law.goes_on)
        throw LimitExceeded("P(D > " + std::to_string(deepest) + ") is below 1e-300");
      result.push_back(std::move(law));
    }
    if (reaches) return result;
    levels = needed;
  }
}

ClaimedDelayAnswer AgedDelay::claims(std::span<const Route> routes, const DelayQuery& query) {
  require_valid(routes, query);
  const Horizon horizon = horizon_of(routes, query);
  return claims_of(laws(routes, horizon.target, horizon.deepest), query);
}

}  // namespace tailbound::bounds
