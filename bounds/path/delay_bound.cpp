#include <cln/integer.h>
#include <cln/rational.h>
#include <tailbound/bounds/path/delay_bound.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tailbound::bounds {
namespace {

using network::SourceRate;
using numeric::Interval;
using numeric::Rational;
using numeric::Real;

constexpr numeric::Precision precision{128};
constexpr std::int64_t furthest_slot = std::int64_t{1} << 24;

Rational load_of(const std::vector<SourceRate>& sources) {
  Rational sum = 0;
  for (const SourceRate& source : sources) sum = sum + numeric::whole(source.count) * source.rate;
  return sum;
}

Interval power(Interval base, std::int64_t exponent) {
  Interval result(1);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

/// prod (1 - r + r z)^count
Interval pgf(const std::vector<SourceRate>& sources, const Interval& z) {
  Interval result(1);
  for (const SourceRate& source : sources)
    result *=
        power(numeric::to_interval(1 - source.rate) + numeric::to_interval(source.rate) * z, source.count);
  return result;
}

double log_pgf(const std::vector<SourceRate>& sources, double z) {
  double sum = 0;
  for (const SourceRate& source : sources)
    sum += static_cast<double>(source.count) * std::log1p(numeric::nearest_double(source.rate) * (z - 1));
  return sum;
}

/// One factor of the bound: what is left over of A(z), times what comes beside it.
struct Factor {
  std::vector<SourceRate> sources;
  Rational busy = 0;  ///< p of the link that is taken to be always busy; 0 at the first hop
  Rational spare;     ///< 1 - the load
};

/// The bound of E[z^D] on one route.
class Transform {
 public:
  explicit Transform(const BoundedRoute& route) : share_(route.share) {
    add({route.first, 0, 1 - load_of(route.first)});
    for (const BoundedHop& hop : route.later)
      add({hop.others, hop.forwarded, 1 - hop.forwarded - load_of(hop.others)});
    // Where the factors end, in double: only a hint, as at() checks.
    double high = 1;
    while (high < 1e9 && std::isfinite(log_at(1 + high))) high *= 2;
    double low = 0;
    for (int i = 0; i < 80; ++i) {
      const double middle = (low + high) / 2;
      (std::isfinite(log_at(1 + middle)) ? low : high) = middle;
    }
    widest_ = low;
  }

  [[nodiscard]] const Rational& share() const { return share_; }
  [[nodiscard]] std::int64_t hops() const { return static_cast<std::int64_t>(factors_.size()); }

  /// A z that serves P(D > t) well.
  [[nodiscard]] double best(std::int64_t t) const {
    double low = 0, high = widest_;
    const auto height = [&](double x) { return log_at(1 + x) - static_cast<double>(t + 1) * std::log1p(x); };
    for (int i = 0; i < 90; ++i) {
      const double a = low + (high - low) * 0.381966, b = low + (high - low) * 0.618034;
      const double at_a = height(a), at_b = height(b);
      if (at_a < at_b || !std::isfinite(at_b))
        high = b;
      else
        low = a;
    }
    return 1 + (low + high) / 2;
  }
  [[nodiscard]] double log_bound(std::int64_t t) const {
    const double z = best(t);
    return std::min(0.0, log_at(z) - static_cast<double>(t + 1) * std::log(z));
  }

  /// An upper bound of P(D > t), at most 1.
  [[nodiscard]] Real at(std::int64_t t) const {
    if (t < 0) return 1;
    const double place = best(t);
    if (!(place > 1)) return 1;
    const Interval z(place), one(1);
    Interval product(1);
    for (const Factor& factor : factors_) {
      const Interval others = pgf(factor.sources, z), busy = numeric::to_interval(factor.busy);
      const Interval arrivals = (one - busy + busy * z) * others, room = z - arrivals;
      // z - A(z) is concave and 0 at 1: above 0 here, it has no root between.
      if (!(numeric::lower(room) > 0)) return 1;
      const Interval left = numeric::to_interval(factor.spare) * (z - one) / room;
      if (&factor == &factors_.front()) {
        const Rational load = 1 - factor.spare;  // W(z) = (Q(z) - P(Q = 0)) / (load z)
        if (load > 0)
          product *= (left * others - numeric::to_interval(factor.spare)) / (numeric::to_interval(load) * z);
      } else {
        product *= left * (one + others) / Interval(2);
      }
    }
    const Real bound = numeric::upper(product / power(z, t + 1));
    return bound < 1 ? bound : Real(1);
  }

 private:
  void add(Factor factor) {
    if (!(factor.spare > 0))
      throw Unstable(numeric::to_decimal(1 - factor.spare, 6, numeric::Rounding::nearest), 1);
    factors_.push_back(std::move(factor));
  }

  [[nodiscard]] double log_at(double z) const {
    double sum = 0;
    for (const Factor& factor : factors_) {
      const double others = log_pgf(factor.sources, z), spare = numeric::nearest_double(factor.spare);
      const double arrivals = std::exp(others + std::log1p(numeric::nearest_double(factor.busy) * (z - 1)));
      if (!(z - arrivals > 1e-9 * (z - 1))) return std::numeric_limits<double>::infinity();
      const double left = spare * (z - 1) / (z - arrivals);
      sum += &factor == &factors_.front()
                 ? (spare < 1 ? std::log((left * std::exp(others) - spare) / ((1 - spare) * z)) : 0)
                 : std::log(left * (1 + std::exp(others)) / 2);
    }
    return sum;
  }

  Rational share_;
  std::vector<Factor> factors_;
  double widest_ = 0;
};

/// All routes together.
class PairMixture {
 public:
  explicit PairMixture(std::span<const BoundedRoute> routes) {
    for (const BoundedRoute& route : routes) transforms_.emplace_back(route);
  }

  [[nodiscard]] std::int64_t least() const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Transform& route : transforms_) least = std::min(least, route.hops());
    return least;
  }
  [[nodiscard]] double nearly(std::int64_t t, bool latency) const {
    double sum = 0;
    for (const Transform& route : transforms_) {
      const std::int64_t slot = latency ? t - route.hops() : t;
      sum += numeric::nearest_double(route.share()) * (slot < 0 ? 1 : std::exp(route.log_bound(slot)));
    }
    return sum;
  }
  [[nodiscard]] Real at(std::int64_t t, bool latency) const {
    Interval sum(0);
    for (const Transform& route : transforms_)
      sum += numeric::to_interval(route.share()) * Interval(route.at(latency ? t - route.hops() : t));
    const Real bound = numeric::upper(sum);
    return bound < 1 ? bound : Real(1);
  }

 private:
  std::vector<Transform> transforms_;
};

ClaimedSlotProbability claim(std::int64_t t, Real bound) {
  return {Slots(t), numeric::UpperBound<unit::Probability>{std::move(bound)}};
}

ClaimedPercentile percentile(const PairMixture& mixture, const Rational& p, bool latency) {
  const Rational bar = 1 - p;
  const double nearly = numeric::nearest_double(bar);
  const std::int64_t least = latency ? mixture.least() : 0;
  std::int64_t low = least, high = least + 1;
  while (mixture.nearly(high, latency) > nearly) {
    high *= 2;
    if (high > furthest_slot)
      throw LimitExceeded("the bound of the delay falls to the percentile " + numeric::to_fraction(p) +
                          " beyond 2^24 slots only");
  }
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (mixture.nearly(middle, latency) <= nearly)
      high = middle;
    else
      low = middle + 1;
  }
  while (numeric::compare(mixture.at(low, latency), bar) > 0) ++low;
  ClaimedPercentile result{p, Slots(low), claim(low, mixture.at(low, latency)), {}};
  if (low > least) result.before.push_back(claim(low - 1, mixture.at(low - 1, latency)));
  return result;
}

SourceRate sources(const Rational& count, const Rational& rate) {
  return {rate, cln::cl_I_to_long(cln::numerator(count))};
}

}  // namespace

std::vector<BoundedRoute> bounded_tree(const network::Tree& tree, const Rational& load,
                                       network::TreeRouting routing) {
  const std::vector<network::TreePath> paths =
      network::tree_paths(tree, load, routing, network::Sources::decoupled);
  const Rational k = numeric::whole(tree.radix), leaves = cln::expt(k, tree.levels), each = load / leaves;
  const auto power_of_k = [&](int exponent) -> Rational { return cln::expt(k, exponent); };
  std::vector<BoundedRoute> routes;
  for (const network::TreePath& path : paths) {
    BoundedRoute& route = routes.emplace_back();
    route.first = path.hops.front().sources;
    route.share = path.share;
    const auto above = [&](int level) -> Rational {  // P(turn > level)
      if (routing == network::TreeRouting::random_root || level == 0) return 1;
      return 1 - power_of_k(level) / leaves;
    };
    for (int j = 2; j < path.turn; ++j)  // up from level j, of k links up from below
      route.later.push_back({{sources(power_of_k(j) - power_of_k(j - 1), load * above(j) / power_of_k(j))},
                             above(j) / above(j - 1) / k});
    for (int j = path.turn; j >= 1; --j) {
      if (j == path.turn && j == 1) continue;  // the first queue
      if (routing == network::TreeRouting::random_root) {
        // Below the root the packets of the same leaves, of which each takes one link.
        route.later.push_back({{sources(leaves / k * (k - 1), each)}, 1 / k});
      } else if (j ==
                 path.turn) {  // others: leaves that are neither below the link nor below the packet's own
        route.later.push_back({{sources(leaves - power_of_k(j - 1) - power_of_k(j - 1), each)},
                               (above(j - 1) - above(j)) / above(j - 1) / (k - 1)});
      } else {  // from the same leaves by the other parents; and from those that turn here
        const Rational higher = leaves - power_of_k(j), all = j == 1 ? leaves : leaves - power_of_k(j - 1);
        route.later.push_back({{sources(higher, each * (k - 1) / k), sources(all - higher, each)}, 1 / k});
      }
    }
  }
  return routes;
}

BoundedDelayAnswer delay_bound(std::span<const BoundedRoute> routes, const DelayQuestion& question) {
  std::vector<Route> shares;
  for (const BoundedRoute& route : routes) shares.push_back({{0}, route.share});
  require_valid(shares, question);
  const numeric::PrecisionScope scope(precision);
  const PairMixture mixture(routes);
  BoundedDelayAnswer answer;
  for (const Slots level : question.levels)
    answer.above.push_back(claim(level.value, mixture.at(level.value, false)));
  for (const Rational& p : question.percentiles) {
    answer.queueing.push_back(percentile(mixture, p, false));
    answer.latency.push_back(percentile(mixture, p, true));
  }
  return answer;
}

}  // namespace tailbound::bounds
