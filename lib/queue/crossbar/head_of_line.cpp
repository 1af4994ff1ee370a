#include <Eigen/Dense>
#include <tailbound/core/error.hpp>
#include <tailbound/core/process_cache.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/rounding.hpp>
#include <tailbound/queue/crossbar/head_chain.hpp>
#include <tailbound/queue/crossbar/head_of_line.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tailbound::queue {
namespace {

using numeric::Integer;
using numeric::Rational;
using numeric::Real;
using numeric::Theorem;

constexpr std::size_t max_edges = 30'000'000;
/// With long bursts iteration needs more rounds than elimination.
constexpr std::size_t max_solved_states = 250, max_solved_burst_states = 700;

void check_head_of_line(const HeadOfLine& queue) {
  const auto in_range = [](const char* name, std::int64_t value, std::int64_t last) {
    if (value < 1 || value > last)
      throw InvalidArgument(name, std::to_string(value), "from 1 to " + std::to_string(last));
  };
  in_range("inputs", queue.inputs, HeadOfLine::max_ports);
  in_range("outputs", queue.outputs, HeadOfLine::max_ports);
  in_range("served", queue.served, HeadOfLine::max_served);
  in_range("buffer", queue.buffer, HeadOfLine::max_buffer);
  if (queue.burst < 1) throw InvalidArgument("burst", numeric::to_fraction(queue.burst), "1 or more");
  if (queue.buffer > 1 && (queue.burst > 1 || queue.served > 1))
    throw InvalidArgument("buffer", std::to_string(queue.buffer),
                          "1 with bursts or several cells served per slot: tailbound simulate crossbar");
}

/// E[served] under the stationary law: states are eliminated one by one, the last ones first.
Rational stationary_service(const HeadChain<Rational>& chain) {
  const std::size_t count = chain.states();
  std::vector<std::vector<Rational>> moves(count, std::vector<Rational>(count));
  for (std::size_t y = 0; y < count; ++y) {
    std::vector<Rational> indicator(count);
    indicator[y] = 1;
    const std::vector<Rational> reached = chain.next(indicator);
    for (std::size_t x = 0; x < count; ++x) moves[x][y] = reached[x] - Rational(chain.served()[x]);
  }
  for (std::size_t last = count; last-- > 1;) {
    Rational away = 0;
    for (std::size_t y = 0; y < last; ++y) away = away + moves[last][y];
    for (std::size_t x = 0; x < last; ++x) {
      if (moves[x][last] == 0) continue;
      moves[x][last] = moves[x][last] / away;
      for (std::size_t y = 0; y < last; ++y) moves[x][y] = moves[x][y] + moves[x][last] * moves[last][y];
    }
  }
  std::vector<Rational> law(count);
  law[0] = 1;
  Rational sum = 1, service = Rational(chain.served()[0]);
  for (std::size_t y = 1; y < count; ++y) {
    for (std::size_t x = 0; x < y; ++x) law[y] = law[y] + law[x] * moves[x][y];
    sum = sum + law[y];
    service = service + law[y] * Rational(chain.served()[y]);
  }
  return service / sum;
}

/// max - min of T h - h.
template <class Number>
Number spread_of(const std::vector<Number>& h, const std::vector<Number>& next) {
  Number low = next[0] - h[0], high = low;
  for (std::size_t x = 1; x < h.size(); ++x) {
    low = std::min(low, next[x] - h[x]);
    high = std::max(high, next[x] - h[x]);
  }
  return high - low;
}

template <class Number>
void shift_to_zero(std::vector<Number>& h) {
  const Number least = *std::min_element(h.begin(), h.end());
  for (Number& value : h) value -= least;
}

/// A nearly constant T h - h, by a linear system.
std::vector<long double> solved_values(const HeadChain<long double>& chain) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const auto count = static_cast<Eigen::Index>(chain.states());
  // Unknowns: the constant in place of h(0) = 0, and h(1), h(2), ..: constant + h - P h = served.
  Matrix system = Matrix::Zero(count, count);
  Eigen::Matrix<long double, Eigen::Dynamic, 1> served(count);
  std::vector<long double> indicator(chain.states(), 0);
  for (Eigen::Index y = 1; y < count; ++y) {
    indicator[static_cast<std::size_t>(y)] = 1;
    const std::vector<long double> reached = chain.next(indicator);
    indicator[static_cast<std::size_t>(y)] = 0;
    for (Eigen::Index x = 0; x < count; ++x) {
      const auto state = static_cast<std::size_t>(x);
      system(x, y) = (x == y ? 1 : 0) - (reached[state] - static_cast<long double>(chain.served()[state]));
    }
  }
  for (Eigen::Index x = 0; x < count; ++x) {
    system(x, 0) = 1;
    served(x) = static_cast<long double>(chain.served()[static_cast<std::size_t>(x)]);
  }
  const auto solution = system.partialPivLu().solve(served).eval();
  std::vector<long double> h(chain.states(), 0);
  for (Eigen::Index x = 1; x < count; ++x) h[static_cast<std::size_t>(x)] = solution(x);
  shift_to_zero(h);
  return h;
}

/// The same by iteration of T, each step with the combination of former ones of smallest residual (Anderson).
class Iteration {
 public:
  explicit Iteration(const HeadChain<long double>& chain) : chain_(chain), h_(chain.states(), 0) { guess(); }

  /// \param width  of max - min of T h - h at which to stop
  std::vector<double> until(double width) {
    constexpr int max_rounds = 4'000, patience = 200;
    std::vector<double> best = h_;
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0, without_gain = 0; round < max_rounds && without_gain < patience; ++round) {
      const std::vector<double> next = chain_.next(h_);
      const double spread = spread_of(h_, next);
      ++without_gain;
      if (spread < least) {
        if (spread < 0.9 * least) without_gain = 0;
        least = spread;
        best = h_;
      }
      if (least <= width) break;
      step(next);
    }
    shift_to_zero(best);
    return best;
  }

 private:
  static constexpr std::size_t depth = 6;
  using Column = Eigen::VectorXd;

  [[nodiscard]] Column column(const std::vector<double>& values) const {
    return Eigen::Map<const Column>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  /// T h - h with its middle removed.
  [[nodiscard]] Column residual(const std::vector<double>& h) const {
    Column all = column(chain_.next(h)) - column(h);
    all.array() -= (all.maxCoeff() + all.minCoeff()) / 2;
    return all;
  }

  /// Starts from the combination of sums of powers of the counts with the smallest residual.
  void guess() {
    constexpr std::array exponents{0.0, 0.5, 1.5, 2.0, 2.5, 3.0};
    const Column error = residual(h_);
    Eigen::MatrixXd changes(error.size(), static_cast<Eigen::Index>(exponents.size()));
    Eigen::MatrixXd shapes = changes;
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      const std::vector<double> shape = chain_.sums_of_powers(exponents[i]);
      shapes.col(static_cast<Eigen::Index>(i)) = column(shape);
      changes.col(static_cast<Eigen::Index>(i)) = residual(shape) - error;
    }
    const Column weights = changes.colPivHouseholderQr().solve(-error);
    const Column start = shapes * weights;
    std::copy(start.data(), start.data() + start.size(), h_.begin());
  }

  void step(const std::vector<double>& next) {
    const Column at = column(h_);
    Column error = column(next) - at;
    error.array() -= (error.maxCoeff() + error.minCoeff()) / 2;
    if (last_error_.size() > 0) {
      errors_.push_back(error - last_error_);
      steps_.push_back(at - last_at_);
      if (errors_.size() > depth) {
        errors_.erase(errors_.begin());
        steps_.erase(steps_.begin());
      }
    }
    last_error_ = error;
    last_at_ = at;
    Column moved = at + error;
    if (!errors_.empty()) {
      Eigen::MatrixXd all(error.size(), static_cast<Eigen::Index>(errors_.size()));
      for (std::size_t i = 0; i < errors_.size(); ++i) all.col(static_cast<Eigen::Index>(i)) = errors_[i];
      const Column weights = all.colPivHouseholderQr().solve(error);
      for (std::size_t i = 0; i < errors_.size(); ++i)
        moved -= weights(static_cast<Eigen::Index>(i)) * (steps_[i] + errors_[i]);
    }
    std::copy(moved.data(), moved.data() + moved.size(), h_.begin());
  }

  const HeadChain<long double>& chain_;
  std::vector<double> h_;
  Column last_error_, last_at_;
  std::vector<Column> errors_, steps_;
};

/// min and max of T h - h, rounding errors of T included, divided by the inputs.
template <class Number>
numeric::Enclosure<unit::Load> enclosed_by(const HeadChain<long double>& chain, const std::vector<Number>& h,
                                           std::int64_t inputs) {
  const std::vector<Number> next = chain.next(h);
  Number low = next[0] - h[0], high = low, most = 0;
  for (std::size_t x = 0; x < h.size(); ++x) {
    low = std::min(low, next[x] - h[x]);
    high = std::max(high, next[x] - h[x]);
    most = std::max({most, h[x], next[x]});
  }
  constexpr int bits = std::numeric_limits<Number>::digits;
  // One more for the difference, whose terms are at most `most`.
  const numeric::RelativeError gamma = numeric::relative_error_bound({chain.units() + 2}, bits);
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const auto exactly = [](Number value) { return Real(static_cast<long double>(value)); };
  Real slack = exactly(most);
  mpfr_mul_d(slack.backend().data(), slack.backend().data(), gamma.units, MPFR_RNDU);
  mpfr_mul_2si(slack.backend().data(), slack.backend().data(), -bits, MPFR_RNDU);
  const numeric::Interval wide =
      numeric::make_interval(exactly(low), exactly(high)) + numeric::make_interval(-slack, slack);
  return {Theorem::crossbar, wide / numeric::to_interval(Rational(inputs))};
}

/// A fit of f(k) - (2 - sqrt 2) in powers of 1/k through the enclosures at k = 16, 24, 32, 40, 48. Without 40
/// and 48, through 16, 20, 24, 28, 32, it predicts 48 to 3e-12.
/// PROVENANCE  tests/queue/crossbar/head_of_line_test.cpp computes these again.
constexpr std::array<double, 5> fit_of_ports{0.24619728618144593, 0.10950863916943844, 0.055217563429323935,
                                             0.03533626246812073, 0.03979988699503709};

double fitted_load(std::int64_t ports) {
  const double x = 1 / static_cast<double>(ports);
  double sum = 0;
  for (std::size_t j = fit_of_ports.size(); j-- > 0;) sum = (sum + fit_of_ports[j]) * x;
  return 2 - std::sqrt(2.0) + sum;
}

bool is_plain_square(const HeadOfLine& queue) {
  return queue.inputs == queue.outputs && queue.burst == 1 && queue.served == 1 && queue.buffer == 1;
}

numeric::Claim<unit::Load> computed_saturation(const HeadOfLine& queue) {
  if (queue.inputs > HeadOfLine::max_enclosed_ports) {
    if (is_plain_square(queue))
      return numeric::Approximation<unit::Load>{Real(fitted_load(queue.inputs)), 10};
    throw LimitExceeded("the saturation load of more than " + std::to_string(HeadOfLine::max_enclosed_ports) +
                        " inputs is known only for as many outputs, without bursts and output buffers; "
                        "tailbound simulate crossbar --scheduler fifo --load 1");
  }
  const HeadChain<long double> chain(queue, max_edges);
  if (chain.states() <= HeadOfLine::max_exact_states)
    return numeric::Exact<unit::Load>{
        Theorem::crossbar,
        stationary_service(HeadChain<Rational>(queue, max_edges)) / Rational(queue.inputs)};
  if (chain.states() <= (queue.burst > 1 ? max_solved_burst_states : max_solved_states))
    return enclosed_by(chain, solved_values(chain), queue.inputs);
  const auto width = 1e-13 * static_cast<double>(queue.inputs);
  return enclosed_by(chain, Iteration(chain).until(width), queue.inputs);
}

}  // namespace

numeric::Claim<unit::Load> head_of_line_saturation(const HeadOfLine& queue) {
  check_head_of_line(queue);
  using Key = std::tuple<std::int64_t, std::int64_t, std::string, std::int64_t, std::int64_t>;
  static ProcessCache<Key, numeric::Claim<unit::Load>> known(1 << 20);
  // Outputs take no more heads than there are inputs.
  HeadOfLine its = queue;
  its.served = std::min(its.served, its.inputs);
  Key key{its.inputs, its.outputs, numeric::to_fraction(its.burst), its.served, its.buffer};
  if (const auto found = known.find(key)) return *found;
  const auto computed = std::make_shared<const numeric::Claim<unit::Load>>(computed_saturation(its));
  known.add(std::move(key), computed, 1024);
  return *computed;
}

double head_of_line_load(std::int64_t ports) {
  if (ports > 32) return fitted_load(ports);
  const auto claim = head_of_line_saturation({.inputs = ports, .outputs = ports});
  if (const auto* exact = std::get_if<numeric::Exact<unit::Load>>(&claim))
    return numeric::nearest_double(exact->value);
  return static_cast<double>(std::get<numeric::Enclosure<unit::Load>>(claim).lower());
}

numeric::Enclosure<unit::Load> head_of_line_limit(std::int64_t served, std::int64_t buffer) {
  check_head_of_line({.served = served, .buffer = buffer});
  const numeric::PrecisionScope scope(numeric::Precision{128});
  if (served == 1 && buffer == 1) return {Theorem::crossbar, 2 - sqrt(numeric::to_interval(Rational(2)))};
  // E[min(Q, s)] = lambda, so that E[(Q - s)^+] = 1 - lambda is E[Q] = 1.
  const auto excess = [&](const Rational& load) {
    const SlottedQueue queue{series::Arrivals::poisson(load), static_cast<int>(served)};
    const numeric::Enclosure<unit::Packet> mean =
        numeric::to_enclosure(mean_occupancy(queue, numeric::Digits{16}));
    numeric::Interval sum = numeric::make_interval(mean.lower(), mean.upper());
    if (buffer == 1) return sum - 1;
    std::vector<Packets> levels;
    for (std::int64_t n = 0; n < buffer; ++n) levels.emplace_back(n);
    for (const LevelProbability& each : occupancy_tails(queue, levels, {numeric::Digits{16}})) {
      const auto tail = numeric::to_enclosure(each.probability);
      sum = sum - numeric::make_interval(tail.lower(), tail.upper());
    }
    return sum - numeric::to_interval(Rational(1 - load));
  };
  // The excess increases with the load; up to load 1/2 fewer than half of the inputs are blocked.
  Integer low = 0, high = numeric::pow(Integer(10), 12);
  const Rational unit = 1 / Rational(high);
  while (high - low > 1) {
    const Integer middle = numeric::floor(low + high, Integer(2));
    const numeric::Interval at =
        middle == 0 ? numeric::to_interval(Rational(-1)) : excess(Rational(middle) * unit);
    if (numeric::upper(at) < 0)
      low = middle;
    else if (numeric::lower(at) > 0)
      high = middle;
    else
      break;
  }
  return {Theorem::crossbar, numeric::to_real(Rational(low) * unit, numeric::Rounding::down),
          numeric::to_real(Rational(high) * unit, numeric::Rounding::up)};
}

}  // namespace tailbound::queue
