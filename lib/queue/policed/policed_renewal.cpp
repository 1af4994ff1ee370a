#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/rounding.hpp>
#include <tailbound/queue/policed/policed_renewal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::Rational;
using numeric::Real;

constexpr std::int64_t longest_cycle = 512, max_trials_per_slot = 4096;
constexpr double nats_per_bit = 0.6931471805599453;
/// Maximum accumulated relative errors of a mass.
constexpr double max_units = 400'000;

template <class T>
T nearest(const Rational& value) {
  if constexpr (std::is_floating_point_v<T>)
    return numeric::nearest_long_double(value);
  else
    return numeric::to_real(value, numeric::Rounding::nearest);
}

/// P(Binomial(trials, p) = successes), updated step by step: k more trials, one more success.
template <class T>
class BinomialSteps {
 public:
  BinomialSteps(const PolicedInputs& inputs, std::int64_t trials, std::int64_t successes)
      : k_(inputs.inputs),
        success_(nearest<T>(inputs.share)),
        failure_(nearest<T>(1 - inputs.share)),
        odds_(nearest<T>(inputs.share / (1 - inputs.share))),
        all_fail_(nearest<T>(numeric::pow(Rational(1 - inputs.share), k_))),
        share_(inputs.share),
        trials_(trials),
        successes_(successes) {
    seed();
  }

  [[nodiscard]] const T& value() const { return value_; }
  /// Relative errors of `value`, in units of the last place.
  [[nodiscard]] double units() const { return units_; }

  void add_success() {
    if (trials_ <= successes_) {
      ++successes_;
      value_ = T(0);
      return;
    }
    value_ *= T(trials_ - successes_) * odds_ / T(successes_ + 1);
    ++successes_;
    units_ += 4.1;
  }
  void add_trials() {
    trials_ += k_;
    if (trials_ - k_ < successes_) {
      seed();
      return;
    }
    const std::int64_t before = trials_ - k_, failed = before - successes_;
    T factor = all_fail_;
    if constexpr (std::is_floating_point_v<T>) {
      // In parts, so that no product overflows, with two independent factors at a time.
      T up = static_cast<T>(before), down = static_cast<T>(failed);
      for (std::int64_t left = k_; left > 0; left -= 16) {
        T all = 1, more = 1, none = 1, fewer = 1;
        for (std::int64_t pair = std::min<std::int64_t>(left, 16) / 2; pair > 0; --pair) {
          all *= up += 1;
          none *= down += 1;
          more *= up += 1;
          fewer *= down += 1;
        }
        if (left < 16 && left % 2 != 0) {
          all *= up += 1;
          none *= down += 1;
        }
        factor *= (all * more) / (none * fewer);
      }
    } else {
      for (std::int64_t i = 1; i <= k_; ++i) {
        factor *= static_cast<unsigned long>(before + i);
        factor /= static_cast<unsigned long>(failed + i);
      }
    }
    value_ *= factor;
    units_ += 2 * static_cast<double>(k_) + 4;  // 2 k factors, a power of 1 - p, and the product
    if (units_ > max_units) by_logarithms();
  }
  /// P(.. = successes + 1) for the same trials.
  [[nodiscard]] T at_one_more() const {
    return trials_ <= successes_ ? T(0) : T(value_ * (T(trials_ - successes_) * odds_ / T(successes_ + 1)));
  }

 private:
  static T power(const T& base, std::int64_t exponent) {
    T result(1), square = base;
    for (; exponent > 0; exponent >>= 1) {
      if ((exponent & 1) != 0) result *= square;
      if (exponent > 1) square *= square;
    }
    return result;
  }
  void seed() {
    if (trials_ < successes_) {
      value_ = T(0);
      units_ = 0;
      return;
    }
    const std::int64_t failures = trials_ - successes_, few = std::min(successes_, failures);
    value_ = power(success_, successes_);
    value_ *= power(failure_, failures);
    for (std::int64_t i = 1; i <= few; ++i) {
      value_ *= T(trials_ - few + i);
      value_ /= T(i);
    }
    units_ = 2.1 * static_cast<double>(trials_) + 2 * static_cast<double>(few) + 1;  // powers, products
    if (units_ > max_units / 8) by_logarithms();
  }
  /// Recomputed without accumulated roundings: exact to 1.5 units.
  void by_logarithms() {
    if (trials_ < successes_) return;
    const numeric::PrecisionScope scope(
        numeric::Precision{numeric::significand_bits<T>(static_cast<int>(Real(0).precision() * 3.33)) + 96});
    const auto log_factorial = [](std::int64_t n) { return lgamma(Real(n + 1)); };
    const Real p = nearest<Real>(share_), q = nearest<Real>(1 - share_);
    const Real logarithm = log_factorial(trials_) - log_factorial(successes_) -
                           log_factorial(trials_ - successes_) + Real(successes_) * log(p) +
                           Real(trials_ - successes_) * log(q);
    value_ = static_cast<T>(exp(logarithm));
    units_ = 1.5;
  }

  std::int64_t k_;
  T success_, failure_, odds_, all_fail_;
  Rational share_;
  std::int64_t trials_, successes_;
  T value_{};
  double units_ = 0;
};

/// The slots of a cycle in which inputs send, and the minimum and maximum number of them within n + 1 slots.
struct Cycle {
  explicit Cycle(const traffic::GreedyPattern& pattern)
      : length(pattern.cycle().size()), sums(2 * length + 1, 0) {
    for (std::size_t i = 0; i < 2 * length; ++i) sums[i + 1] = sums[i] + pattern.cycle()[i % length];
    turn = sums[length];
    for (std::size_t j = 0; j < length; ++j) {
      std::int64_t low = sent(0, j), high = low;
      for (std::size_t phase = 1; phase < length; ++phase) {
        low = std::min(low, sent(phase, j));
        high = std::max(high, sent(phase, j));
      }
      minimum.push_back(low);
      maximum.push_back(high);
    }
  }
  /// In the n + 1 slots from `phase` on, n < length.
  [[nodiscard]] std::int64_t sent(std::size_t phase, std::size_t n) const {
    return sums[phase + n + 1] - sums[phase];
  }
  /// Whether it is as even as possible: counts over equally many slots differ by at most one.
  [[nodiscard]] bool even() const {
    for (std::size_t j = 0; j < length; ++j)
      if (maximum[j] - minimum[j] > 1) return false;
    return true;
  }
  [[nodiscard]] Rational spread(const Rational& rate) const {
    Rational highest = 0;
    for (std::size_t j = 0; j < length; ++j) {
      const Rational above = Rational(maximum[j]) - rate * Rational(static_cast<std::int64_t>(j));
      if (above > highest) highest = above;
    }
    return highest;
  }

  std::size_t length;
  std::vector<std::int64_t> sums, minimum, maximum;
  std::int64_t turn = 0;
};

/// An approximate inverse, by rows; empty if there is none in double precision.
std::vector<double> approximate_inverse(std::vector<double> matrix, std::size_t size) {
  std::vector<double> inverse(size * size, 0.0);
  for (std::size_t i = 0; i < size; ++i) inverse[i * size + i] = 1;
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < size; ++row)
      if (std::abs(matrix[row * size + column]) > std::abs(matrix[pivot * size + column])) pivot = row;
    const double head = matrix[pivot * size + column];
    if (!(std::abs(head) > 1e-200)) return {};
    if (pivot != column)
      for (std::size_t i = 0; i < size; ++i) {
        std::swap(matrix[pivot * size + i], matrix[column * size + i]);
        std::swap(inverse[pivot * size + i], inverse[column * size + i]);
      }
    for (std::size_t i = 0; i < size; ++i) {
      matrix[column * size + i] /= head;
      inverse[column * size + i] /= head;
    }
    for (std::size_t row = 0; row < size; ++row) {
      const double factor = matrix[row * size + column];
      if (row == column || factor == 0) continue;
      for (std::size_t i = 0; i < size; ++i) {
        matrix[row * size + i] -= factor * matrix[column * size + i];
        inverse[row * size + i] -= factor * inverse[column * size + i];
      }
    }
  }
  return inverse;
}

/// A bound of 1 - R M in the maximum row sum norm, and that norm of R.
struct InverseCheck {
  double defect = 0, norm = 0;
};
InverseCheck check_inverse(const std::vector<double>& inverse, const std::vector<double>& matrix,
                           std::size_t size) {
  InverseCheck check;
  std::vector<double> row(size), sizes(size);
  for (std::size_t i = 0; i < size; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    std::fill(sizes.begin(), sizes.end(), 0.0);
    double norm = 0;
    for (std::size_t j = 0; j < size; ++j) {
      const double factor = inverse[i * size + j];
      norm += std::abs(factor);
      for (std::size_t c = 0; c < size; ++c) {
        row[c] += factor * matrix[j * size + c];
        sizes[c] += std::abs(factor * matrix[j * size + c]);
      }
    }
    row[i] -= 1;
    double defect = 0;
    for (std::size_t c = 0; c < size; ++c)
      defect += std::abs(row[c]) + sizes[c] * (static_cast<double>(size) + 4) * 0x1p-52;
    check.defect = std::max(check.defect, defect * (1 + 1e-9));
    check.norm = std::max(check.norm, norm * (1 + 1e-9));
  }
  return check;
}

template <class T>
class Renewal final : public PolicedRenewal {
 public:
  Renewal(const PolicedInputs& inputs, const traffic::GreedyPattern& pattern, const PolicedBound& bound,
          Rational spread, Method method)
      : inputs_(inputs), pattern_(pattern), bound_(bound), spread_(std::move(spread)), method_(method) {}

  /// \return  whether the solution is proved
  bool solve(double log2_relative) {
    const numeric::PrecisionScope scope(numeric::Precision{method_.bits});
    const Cycle cycle(pattern_);
    const std::size_t size = cycle.length;
    // Windows of at least this many slots bring that many packets with a probability below 2^log2_relative.
    const Rational cycle_spread = cycle.spread(inputs_.bucket.rate);
    std::int64_t slots = bound_.window(-1, log2_relative * nats_per_bit);
    Real older = bound_.beyond(-1, slots, cycle_spread);
    for (int tries = 0; tries < 40 && numeric::log2_magnitude(older) > log2_relative; ++tries) {
      slots += slots / 16 + 1;
      older = bound_.beyond(-1, slots, cycle_spread);
    }
    std::vector<T> minimum(size, T(0)), maximum(size, T(0));
    double units = 0;
    sum_windows(cycle, cycle.minimum, slots, minimum, units);
    sum_windows(cycle, cycle.maximum, slots, maximum, units);
    units += static_cast<double>(slots) / static_cast<double>(size) + 1;
    std::vector<T> matrix(size * size, T(0));
    for (std::size_t phase = 0; phase < size; ++phase)
      for (std::size_t j = 0; j < size; ++j)
        matrix[phase * size + (phase + j + 1) % size] =
            cycle.sent(phase, j) == cycle.minimum[j] ? minimum[j] : maximum[j];
    return solve(matrix, units, static_cast<double>(older));
  }

  numeric::Enclosure<unit::Probability> tail(std::int64_t level, double log2_error) override {
    for (const Known& known : known_)
      if (known.level == level && known.log2_error <= log2_error) return known.tail;
    // The value of the level below is computed along with it; it is usually requested next.
    const std::int64_t base = std::max<std::int64_t>(level - 1, 0);
    const numeric::PrecisionScope scope(numeric::Precision{method_.bits});
    const auto start = static_cast<std::int64_t>(pattern_.start().size());
    const auto size = static_cast<std::int64_t>(empty_.size());
    const std::int64_t slots = bound_.window(base, log2_error * nats_per_bit);
    // With fewer trials than packets a window cannot fill the queue.
    std::int64_t first = 0;
    while (first <= slots && inputs_.inputs * pattern_.maximum(first) < base + 1 + first) ++first;
    Sums lower, upper;
    double units = 0;
    if (first <= slots) {
      BinomialSteps<T> mass(inputs_, inputs_.inputs * pattern_.maximum(first), base + 1 + first);
      std::int64_t phase = (first + 1 - start) % size;
      for (std::int64_t m = first;; ++m) {
        const T* empty = m + 1 < start ? nullptr : &empty_[static_cast<std::size_t>(phase)];
        lower.add(mass.value(), empty);
        upper.add(mass.at_one_more(), empty);
        units = std::max(units, mass.units());
        if (m == slots) break;
        if (++phase == size) phase = 0;
        mass.add_success();
        if (pattern_.sent(m + 1) != 0) mass.add_trials();
      }
    }
    units += static_cast<double>(slots - first) + 9;
    known_ = {{base, log2_error, enclosed(lower, base, slots, units)},
              {base + 1, log2_error, enclosed(upper, base + 1, slots, units)}};
    return known_[level == base ? 0 : 1].tail;
  }

  [[nodiscard]] Method method() const override { return method_; }

 private:
  /// Sums of the masses of windows: times g, alone, and of those whose g is not known.
  struct Sums {
    T filled{0}, all{0}, early{0};
    void add(const T& mass, const T* empty) {
      if (empty == nullptr) {
        early += mass;
      } else {
        filled += mass * *empty;
        all += mass;
      }
    }
  };
  struct Known {
    std::int64_t level;
    double log2_error;
    numeric::Enclosure<unit::Probability> tail;
  };

  [[nodiscard]] numeric::Enclosure<unit::Probability> enclosed(const Sums& sums, std::int64_t level,
                                                               std::int64_t slots, double units) const {
    const auto gamma = numeric::relative_error_bound({units}, numeric::significand_bits<T>(method_.bits));
    const Real older = bound_.beyond(level, slots, spread_);
    if (!std::isfinite(gamma.units)) return {numeric::Theorem::policed_queue, Real(0), Real(1)};
    const numeric::PrecisionScope wide(numeric::Precision{method_.bits + 64});
    const auto around = [&](const T& value) {
      Real low, high;
      numeric::widen(value, gamma, Real(0), method_.bits, low, high);
      return numeric::make_interval(low, high);
    };
    const Interval wrong = around(sums.all) * numeric::to_interval(error_);
    const Interval inner = around(sums.filled);
    const Real low = numeric::lower(Interval(inner - wrong));
    return {numeric::Theorem::policed_queue, low > 0 ? low : Real(0),
            numeric::upper(Interval(inner + wrong + around(sums.early) + numeric::to_interval(older)))};
  }

  /// Adds P(S of n + 1 slots = n) to sums[n modulo cycle], for windows in which `counts` slots send.
  void sum_windows(const Cycle& cycle, const std::vector<std::int64_t>& counts, std::int64_t slots,
                   std::vector<T>& sums, double& units) const {
    BinomialSteps<T> mass(inputs_, inputs_.inputs * counts[0], 0);
    std::size_t j = 0;
    for (std::int64_t n = 0;; ++n) {
      sums[j] += mass.value();
      units = std::max(units, mass.units());
      if (n == slots) break;
      const std::int64_t now = counts[j];
      const bool wraps = ++j == cycle.length;
      if (wraps) j = 0;
      const std::int64_t next = counts[j] + (wraps ? cycle.turn : 0);
      mass.add_success();
      for (std::int64_t i = now; i < next; ++i) mass.add_trials();
    }
  }

  /// Solves matrix x = 1; entries have relative errors of `units`, plus `older` in each row.
  bool solve(const std::vector<T>& matrix, double units, double older) {
    const auto size = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(matrix.size()))));
    std::vector<double> rough;
    for (const T& entry : matrix) rough.push_back(static_cast<double>(entry));
    const std::vector<double> inverse = approximate_inverse(rough, size);
    if (inverse.empty()) return false;
    InverseCheck check = check_inverse(inverse, rough, size);
    const double unit = std::ldexp(1.0, -numeric::significand_bits<T>(method_.bits)),
                 entry_error = units * unit * 1.01;
    double largest = 0;
    for (std::size_t i = 0; i < size; ++i) {
      double row = 0;
      for (std::size_t j = 0; j < size; ++j) row += rough[i * size + j];
      largest = std::max(largest, row);
    }
    check.defect +=
        check.norm * largest * (entry_error + 0x1p-52) * 1.01;  // the true matrix, not the approximate one
    if (!(check.defect < 0.5)) return false;
    empty_.assign(size, T(0));
    double residual = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 80; ++round) {
      double highest = 0;
      std::vector<double> off(size);
      for (std::size_t i = 0; i < size; ++i) {
        T sum(0);
        for (std::size_t j = 0; j < size; ++j) sum += matrix[i * size + j] * empty_[j];
        off[i] = static_cast<double>(T(1) - sum);
        highest = std::max(highest, std::abs(off[i]));
      }
      if (!(highest < residual / 2)) break;
      residual = highest;
      if (residual < unit * 4) break;
      for (std::size_t i = 0; i < size; ++i) {
        double step = 0;
        for (std::size_t j = 0; j < size; ++j) step += inverse[i * size + j] * off[j];
        empty_[i] += T(step);
      }
    }
    // The residual of the last iterate is not known: compute it again.
    residual = 0;
    for (std::size_t i = 0; i < size; ++i) {
      T sum(0);
      double sizes = 0;
      for (std::size_t j = 0; j < size; ++j) {
        sum += matrix[i * size + j] * empty_[j];
        sizes += rough[i * size + j] * std::abs(static_cast<double>(empty_[j]));
      }
      const double here = std::abs(static_cast<double>(T(1) - sum)) +
                          (sizes + 1) * ((static_cast<double>(size) + 3) * unit + entry_error) * 1.01;
      residual = std::max(residual, here);
    }
    error_ = Real(check.norm / (1 - check.defect) * (residual + older) * (1 + 1e-9));
    return true;
  }

  PolicedInputs inputs_;
  const traffic::GreedyPattern& pattern_;
  const PolicedBound& bound_;
  Rational spread_;
  Method method_;
  std::vector<T> empty_;      ///< g by phase of the cycle
  Real error_;                ///< maximum error of each
  std::vector<Known> known_;  ///< the last two
};

}  // namespace

double renewal_work(const PolicedInputs& inputs, const traffic::GreedyPattern& pattern,
                    const PolicedBound& bound, std::int64_t level, double log2_error) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const auto length = static_cast<std::int64_t>(pattern.cycle().size());
  if (length > longest_cycle || inputs.inputs > max_trials_per_slot || inputs.share == 1 ||
      Rational(inputs.inputs) * pattern.rate() <= 1)
    return never;
  const auto slots = static_cast<double>(bound.window(level, log2_error * nats_per_bit));
  const auto size = static_cast<double>(length);
  return 3 * slots * (2 * static_cast<double>(inputs.inputs) + 10) + 4 * size * size * size;
}

std::unique_ptr<PolicedRenewal> make_renewal(const PolicedInputs& inputs,
                                             const traffic::GreedyPattern& pattern, const PolicedBound& bound,
                                             Rational spread, double log2_relative, Method method) {
  if (!Cycle(pattern).even()) return nullptr;
  const auto solved = [&](auto renewal) -> std::unique_ptr<PolicedRenewal> {
    return renewal->solve(log2_relative) ? std::move(renewal) : nullptr;
  };
  if (method.arithmetic == Arithmetic::extended)
    return solved(std::make_unique<Renewal<long double>>(inputs, pattern, bound, std::move(spread), method));
  return solved(std::make_unique<Renewal<Real>>(inputs, pattern, bound, std::move(spread), method));
}

}  // namespace tailbound::queue
