#include <tailbound/bounds/path/delay_bound.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/power.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/delay/wait_transform.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Interval;
using numeric::Rational;
using numeric::Real;

constexpr numeric::Precision precision{128};
constexpr std::int64_t furthest_slot = std::int64_t{1} << 24;

/// On-off sources for which the bound is proved.
traffic::OnOff bounded_on_off(const Rational& load, const traffic::Burst& burst) {
  traffic::OnOff source = traffic::on_off(load, burst);
  if (source.start + source.stop > 1)
    throw InvalidArgument(
        "burst", numeric::to_fraction(burst.slots),
        "at least " + numeric::to_fraction(shortest_bounded_burst(load, burst.on_rate)) +
            " slots at a load of " + numeric::to_fraction(load) +
            ": with shorter bursts a source is less likely to be ON after a slot ON than after a slot OFF "
            "(alpha + beta > 1), and the bound is not proved for such sources");
  return source;
}

/// Identical sources with converted numbers.
struct Stream {
  std::int64_t count;
  Rational rate;
  std::optional<traffic::OnOff> on_off{};  ///< none: Bernoulli, as are those of alpha + beta = 1
  double near_rate, near_start = 0, near_stop = 0, near_on_rate = 0;

  explicit Stream(const BoundedSource& source)
      : count(source.count), rate(source.rate), near_rate(numeric::nearest_double(source.rate)) {
    if (!source.burst) return;
    const traffic::OnOff chain = bounded_on_off(source.rate, *source.burst);
    if (chain.start + chain.stop == 1) return;
    on_off = chain;
    near_start = numeric::nearest_double(chain.start);
    near_stop = numeric::nearest_double(chain.stop);
    near_on_rate = numeric::nearest_double(chain.on_rate);
  }

  /// l(z)
  [[nodiscard]] Interval eigenvalue(const Interval& z) const {
    if (!on_off) return numeric::to_interval(1 - rate) + numeric::to_interval(rate) * z;
    // l = 1 + e, e^2 + b e - alpha x = 0 with x = y - 1, b = alpha + beta - (1 - beta) x
    const Interval x = numeric::to_interval(on_off->on_rate) * (z - Interval(1));
    const Interval b =
        numeric::to_interval(on_off->start + on_off->stop) - numeric::to_interval(1 - on_off->stop) * x;
    const Interval four = Interval(4) * numeric::to_interval(on_off->start) * x,
                   root = sqrt(Interval(b * b + four));
    const Interval excess = numeric::lower(b) > 0 ? Interval(four / (b + root) / Interval(2))
                                                  : Interval((root - b) / Interval(2));
    return Interval(1) + excess;
  }
  [[nodiscard]] double log_eigenvalue(double z) const {
    if (!on_off) return std::log1p(near_rate * (z - 1));
    const double x = near_on_rate * (z - 1), b = near_start + near_stop - (1 - near_stop) * x;
    const double four = 4 * near_start * x, root = std::sqrt(b * b + four);
    return std::log1p(b > 0 ? four / (b + root) / 2 : (root - b) / 2);
  }
};

std::vector<Stream> streams_of(const std::vector<BoundedSource>& sources) {
  return {sources.begin(), sources.end()};
}

Rational load_of(const std::vector<BoundedSource>& sources) {
  Rational sum = 0;
  for (const BoundedSource& source : sources) sum = sum + Rational(source.count) * source.rate;
  return sum;
}

/// prod l(z)^count
Interval eigenvalues(const std::vector<Stream>& streams, const Interval& z) {
  Interval result(1);
  for (const Stream& stream : streams) result *= numeric::power(stream.eigenvalue(z), stream.count);
  return result;
}

double log_eigenvalues(const std::vector<Stream>& streams, double z) {
  double sum = 0;
  for (const Stream& stream : streams) sum += static_cast<double>(stream.count) * stream.log_eigenvalue(z);
  return sum;
}

/// One factor of the bound: the packets left over with arrivals A(z), times the arrivals of the packet's slot
/// over other links.
struct Factor {
  std::vector<Stream> sources;
  Rational busy = 0;  ///< p of the link that is assumed always busy; 0 at the first hop
  Rational spare;     ///< 1 - the load
  double near_busy = numeric::nearest_double(busy), near_spare = numeric::nearest_double(spare);
};

/// The first wait with identical on-off sources: log of its transform divided by that of the bound,
/// interpolated between a few z.
class FirstWait {
 public:
  explicit FirstWait(const Stream& stream)
      : exact_(std::make_shared<queue::WaitTransform>(queue::OnOffGroup{*stream.on_off, stream.count})) {}

  /// Whether it is available for these sources.
  [[nodiscard]] static bool known(const std::vector<Stream>& streams) {
    return streams.size() == 1 && streams.front().on_off && streams.front().count > 0 &&
           streams.front().count <= queue::WaitTransform::max_sources;
  }

  /// \param widest     maximum of z - 1
  /// \param log_bound  (z) of the bound
  template <class LogBound>
  void prepare(double widest, const LogBound& log_bound) {
    // Chebyshev's points: the ratio is smooth up to the pole, which both have.
    const auto place = [&](int i) {
      return (1 - std::cos(std::acos(-1.0) * (i + 0.5) / points)) / 2 * widest;
    };
    if (!(widest > 0) || !at(1 + place(points / 2))) return;  // finds the bits needed
    for (int i = 0; i < points; ++i) {
      const std::optional<double> wait = exact_->nearly(1 + place(i));
      if (!wait || !(*wait > 0)) continue;
      places_.push_back(place(i));
      logs_.push_back(std::log(*wait) - log_bound(1 + place(i)));
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      double product = 1;
      for (std::size_t j = 0; j < places_.size(); ++j)
        if (j != i) product *= (places_[i] - places_[j]) * 4 / widest;
      weights_.push_back(1 / product);
    }
  }
  [[nodiscard]] double log_ratio(double z) const {
    double above = 0, below = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const double away = z - 1 - places_[i];
      if (away == 0) return logs_[i];
      above += weights_[i] / away * logs_[i];
      below += weights_[i] / away;
    }
    return below == 0 ? 0 : above / below;
  }
  /// \return none where it is not finite or takes too many bits: the bound holds there
  [[nodiscard]] std::optional<Interval> at(double z) {
    const auto known = known_.find(z);
    if (known != known_.end()) return known->second;
    if (!exact_) return std::nullopt;
    try {
      return known_[z] = exact_->at(Real(z));
    } catch (const LimitExceeded&) {  // nor at the next z: from here on only the bound
      exact_.reset();
      known_.clear();
      places_.clear();
      return std::nullopt;
    }
  }

 private:
  static constexpr int points = 16;
  std::shared_ptr<queue::WaitTransform> exact_;
  std::map<double, std::optional<Interval>> known_{};
  std::vector<double> places_{}, logs_{}, weights_{};
};

/// The bound of E[z^D] on one route.
class Transform {
 public:
  explicit Transform(const BoundedRoute& route) : share_(route.share) {
    add({streams_of(route.first), 0, 1 - load_of(route.first)});
    for (const BoundedHop& hop : route.later)
      add({streams_of(hop.others), hop.forwarded, 1 - hop.forwarded - load_of(hop.others)});
    // Largest z of the factors, in double: only a hint, as at() checks.
    double high = 1;
    while (high < 1e9 && std::isfinite(log_at(1 + high))) high *= 2;
    widest_ = halved(0.0, high, [&](double x) { return std::isfinite(log_at(1 + x)); }).first;
    if (!FirstWait::known(factors_.front().sources)) return;
    FirstWait wait(factors_.front().sources.front());
    wait.prepare(widest_, [&](double z) { return log_factor(factors_.front(), z); });
    first_ = std::move(wait);
  }

  [[nodiscard]] const Rational& share() const { return share_; }
  [[nodiscard]] std::int64_t hops() const { return static_cast<std::int64_t>(factors_.size()); }

  /// A good z for P(D > t).
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
  [[nodiscard]] Real at(std::int64_t t) {
    if (t < 0) return 1;
    const double place = best(t);
    if (!(place > 1)) return 1;
    const Interval z(place), one(1);
    Interval product(1);
    for (const Factor& factor : factors_) {
      const Interval others = eigenvalues(factor.sources, z), busy = numeric::to_interval(factor.busy);
      const Interval arrivals = (one - busy + busy * z) * others, slack = z - arrivals;
      // z - A(z) is concave and 0 at 1: if positive here, there is no root between.
      if (!(numeric::lower(slack) > 0)) return 1;
      const Interval left = numeric::to_interval(factor.spare) * (z - one) / slack;
      if (&factor == &factors_.front()) {
        const Rational load = 1 - factor.spare;  // W(z) = (Q(z) - P(Q = 0)) / (load z)
        const std::optional<Interval> exact = first_ ? first_->at(place) : std::nullopt;
        if (exact)
          product *= *exact;
        else if (load > 0)
          product *= (left * others - numeric::to_interval(factor.spare)) / (numeric::to_interval(load) * z);
      } else {
        product *= left * (one + others) / Interval(2);
      }
    }
    const Real bound = numeric::upper(product / numeric::power(z, t + 1));
    return bound < 1 ? bound : Real(1);
  }

 private:
  void add(Factor factor) {
    if (!(factor.spare > 0)) throw Unstable(numeric::plain(1 - factor.spare));
    factors_.push_back(std::move(factor));
  }

  [[nodiscard]] double log_factor(const Factor& factor, double z) const {
    const double others = log_eigenvalues(factor.sources, z), spare = factor.near_spare;
    const double arrivals = std::exp(others + std::log1p(factor.near_busy * (z - 1)));
    if (!(z - arrivals > 1e-9 * (z - 1))) return std::numeric_limits<double>::infinity();
    const double left = spare * (z - 1) / (z - arrivals);
    return &factor == &factors_.front()
               ? (spare < 1 ? std::log((left * std::exp(others) - spare) / ((1 - spare) * z)) : 0)
               : std::log(left * (1 + std::exp(others)) / 2);
  }
  [[nodiscard]] double log_at(double z) const {
    double sum = first_ ? first_->log_ratio(z) : 0;
    for (const Factor& factor : factors_) sum += log_factor(factor, z);
    return sum;
  }

  Rational share_;
  std::vector<Factor> factors_;
  std::optional<FirstWait> first_{};  ///< for identical on-off sources
  double widest_ = 0;
};

/// The mixture of all routes.
class PairMixture {
 public:
  explicit PairMixture(std::span<const BoundedRoute> routes) {
    for (const BoundedRoute& route : routes) transforms_.emplace_back(route);
  }

  [[nodiscard]] std::int64_t minimum() const {
    std::int64_t minimum = std::numeric_limits<std::int64_t>::max();
    for (const Transform& route : transforms_) minimum = std::min(minimum, route.hops());
    return minimum;
  }
  [[nodiscard]] double nearly(std::int64_t t, bool latency) const {
    double sum = 0;
    for (const Transform& route : transforms_) {
      const std::int64_t slot = latency ? t - route.hops() : t;
      sum += numeric::nearest_double(route.share()) * (slot < 0 ? 1 : std::exp(route.log_bound(slot)));
    }
    return sum;
  }
  [[nodiscard]] Real at(std::int64_t t, bool latency) {
    Interval sum(0);
    for (Transform& route : transforms_)
      sum += numeric::to_interval(route.share()) * Interval(route.at(latency ? t - route.hops() : t));
    const Real bound = numeric::upper(sum);
    return bound < 1 ? bound : Real(1);
  }

 private:
  std::vector<Transform> transforms_;
};

ClaimedSlotProbability claim(std::int64_t t, Real bound) {
  return {Slots(t), numeric::UpperBound<unit::Probability>{numeric::Theorem::delay_bound, std::move(bound)}};
}

ClaimedPercentile percentile(PairMixture& mixture, const Rational& p, bool latency) {
  const Rational bar = 1 - p;
  const double nearly = numeric::nearest_double(bar);
  const std::int64_t minimum = latency ? mixture.minimum() : 0;
  // First in double, then from there with bounds.
  const auto first_not = [&](std::int64_t from, const auto& above) {
    const std::int64_t found = 1 + last_that(from, furthest_slot, above);
    if (found > furthest_slot)
      throw LimitExceeded("the bound of the delay falls to the percentile " + numeric::to_fraction(p) +
                          " only beyond 2^24 slots");
    return found;
  };
  const std::int64_t about =
      first_not(minimum, [&](std::int64_t t) { return mixture.nearly(t, latency) > nearly; });
  std::int64_t low =
      first_not(about, [&](std::int64_t t) { return numeric::compare(mixture.at(t, latency), bar) > 0; });
  while (low > minimum && numeric::compare(mixture.at(low - 1, latency), bar) <= 0) --low;
  ClaimedPercentile result{p, Slots(low), claim(low, mixture.at(low, latency)), {}};
  if (low > minimum) result.before.push_back(claim(low - 1, mixture.at(low - 1, latency)));
  return result;
}

}  // namespace

Rational mean_wait_bound(const std::vector<BoundedSource>& sources) {
  const Rational load = load_of(sources);
  if (load >= 1) throw Unstable(numeric::plain(load));
  if (load == 0) return 0;
  Rational second = load * load;  // A''(1) = rho^2 + sum (l'' - l'^2)
  for (const BoundedSource& source : sources) {
    Rational bend = -source.rate * source.rate;
    if (source.burst) {
      const traffic::OnOff chain = bounded_on_off(source.rate, *source.burst);
      bend = bend +
             2 * chain.load * (chain.on_rate * (1 - chain.stop) - chain.load) / (chain.start + chain.stop);
    }
    second = second + Rational(source.count) * bend;
  }
  return second / (2 * (1 - load) * load);
}

Rational shortest_bounded_burst(const Rational& load, const Rational& on_rate) {
  return on_rate / (on_rate - load);
}

std::vector<BoundedRoute> bounded_tree(const network::Tree& tree, const Rational& load,
                                       network::TreeRouting routing,
                                       const std::optional<traffic::Burst>& burst) {
  const std::vector<network::TreePath> paths =
      network::tree_paths(tree, load, routing, network::Sources::independent_sources);
  if (burst) (void)bounded_on_off(load, *burst);  // errors name the leaf's parameters, not a queue's share
  const Rational k = Rational(tree.radix), leaves = numeric::pow(k, tree.levels), each = load / leaves;
  const auto power_of_k = [&](int exponent) -> Rational { return numeric::pow(k, exponent); };
  const auto sources = [&](const Rational& count, const Rational& rate) -> BoundedSource {
    BoundedSource source{rate, numeric::to_int64(numeric::numerator(count))};
    if (burst) source.burst = traffic::Burst{burst->slots, burst->on_rate * rate / load};
    return source;
  };
  std::vector<BoundedRoute> routes;
  for (const network::TreePath& path : paths) {
    BoundedRoute& route = routes.emplace_back();
    for (const network::QueueTraffic& hop : path.hops) {
      std::vector<BoundedSource> all;
      for (const network::SourceRate& source : hop.sources)
        all.push_back(sources(Rational(source.count), source.rate));
      route.mean_wait = route.mean_wait + mean_wait_bound(all);
      if (&hop == &path.hops.front()) route.first = std::move(all);
    }
    route.share = path.share;
    // Nearest-ancestor: packets that turn below the root meet links of the same leaves, and E[M_up] is proved
    // finite only for links of share 1/k.
    route.proved_hops = routing == network::TreeRouting::random_root
                            ? std::min(static_cast<std::size_t>(tree.levels), path.hops.size())
                        : path.turn > 1 || tree.levels == 1 ? 1
                                                            : 0;
    const auto above = [&](int level) -> Rational {  // P(turn > level)
      if (routing == network::TreeRouting::random_root || level == 0) return 1;
      return 1 - power_of_k(level) / leaves;
    };
    for (int j = 2; j < path.turn; ++j)  // up from level j, with k links from below
      route.later.push_back({{sources(power_of_k(j) - power_of_k(j - 1), load * above(j) / power_of_k(j))},
                             above(j) / above(j - 1) / k});
    for (int j = path.turn; j >= 1; --j) {
      if (j == path.turn && j == 1) continue;  // the first queue
      if (routing == network::TreeRouting::random_root) {
        // Below the root packets of the same leaves, each over one link.
        route.later.push_back({{sources(leaves / k * (k - 1), each)}, 1 / k});
      } else if (j ==
                 path.turn) {  // others: leaves that are neither below the link nor below the packet's own
        route.later.push_back({{sources(leaves - power_of_k(j - 1) - power_of_k(j - 1), each)},
                               (above(j - 1) - above(j)) / above(j - 1) / (k - 1)});
      } else {  // from the same leaves over the other parents, and from those that turn here
        const Rational higher = leaves - power_of_k(j), all = j == 1 ? leaves : leaves - power_of_k(j - 1);
        route.later.push_back({{sources(higher, each * (k - 1) / k), sources(all - higher, each)}, 1 / k});
      }
    }
  }
  return routes;
}

BoundedDelayAnswer delay_bound(std::span<const BoundedRoute> routes, const DelayQuery& query) {
  std::vector<Route> shares;
  for (const BoundedRoute& route : routes) shares.push_back({{0}, route.share});
  require_valid(shares, query);
  const numeric::PrecisionScope scope(precision);
  PairMixture mixture(routes);
  BoundedDelayAnswer answer;
  for (const Slots level : query.levels)
    answer.above.push_back(claim(level.value, mixture.at(level.value, false)));
  for (const Rational& p : query.percentiles) {
    answer.queueing.push_back(percentile(mixture, p, false));
    answer.latency.push_back(percentile(mixture, p, true));
  }
  return answer;
}

}  // namespace tailbound::bounds
