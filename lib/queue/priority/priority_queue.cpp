#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/rounding.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/priority/class_series.hpp>
#include <tailbound/queue/priority/level_search.hpp>
#include <tailbound/queue/priority/priority_queue.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Digits;
using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

constexpr int machine_bits = std::numeric_limits<long double>::digits;
constexpr int max_class_bits = 4096;
/// Below 2^this, long double may have lost products to underflow.
constexpr double min_log2_machine = -15'000;

/// The first moments of the arrivals.
struct ClassMoments {
  Rational higher = 0, own = 0;                       ///< means
  Rational higher_factorial = 0, both_factorial = 0;  ///< E[A (A-1)] of the higher class and of both

  [[nodiscard]] static Rational mean_queue(const Rational& load, const Rational& factorial) {
    return load + factorial / (2 * (1 - load));
  }
};

ClassMoments moments(const std::vector<ClassSource>& sources) {
  ClassMoments result;
  Rational higher_squares = 0, both_squares = 0;
  for (const ClassSource& source : sources) {
    const Rational count = Rational(source.count), both = source.higher + source.own;
    result.higher = result.higher + count * source.higher;
    result.own = result.own + count * source.own;
    higher_squares = higher_squares + count * source.higher * source.higher;
    both_squares = both_squares + count * both * both;
  }
  const Rational both = result.higher + result.own;
  result.higher_factorial = result.higher * result.higher - higher_squares;
  result.both_factorial = both * both - both_squares;
  return result;
}

ClassMoments moments(const JointPmf& joint) {
  ClassMoments result;
  for (std::size_t i = 0; i < joint.probability.size(); ++i)
    for (std::size_t j = 0; j < joint.probability[i].size(); ++j) {
      const Rational& p = joint.probability[i][j];
      const auto high = static_cast<std::int64_t>(i), low = static_cast<std::int64_t>(j);
      result.higher = result.higher + p * Rational(high);
      result.own = result.own + p * Rational(low);
      result.higher_factorial = result.higher_factorial + p * Rational(high * (high - 1));
      result.both_factorial = result.both_factorial + p * Rational((high + low) * (high + low - 1));
    }
  return result;
}

void require_valid(const std::vector<ClassSource>& sources) {
  std::int64_t count = 0;
  for (const ClassSource& source : sources) {
    if (source.count < 1)
      throw InvalidArgument("sources", std::to_string(source.count), "at least 1 of a kind");
    if (source.higher < 0 || source.own < 0 || source.higher + source.own > 1)
      throw InvalidArgument("rate of a source",
                            numeric::to_fraction(source.higher) + " and " + numeric::to_fraction(source.own),
                            "from 0 to 1, together at most 1 packet per slot");
    if (source.count > PriorityQueue::max_inputs - count)
      throw InvalidArgument("inputs", "more than " + std::to_string(PriorityQueue::max_inputs),
                            "at most " + std::to_string(PriorityQueue::max_inputs) + " with classes");
    count += source.count;
  }
}

void require_valid(const JointPmf& joint) {
  Rational sum = 0;
  for (const auto& row : joint.probability)
    for (const Rational& p : row) {
      if (p < 0) throw InvalidArgument("joint probability", numeric::to_fraction(p), "0 or more");
      sum = sum + p;
    }
  if (sum != 1) throw InvalidArgument("sum of the joint probabilities", numeric::to_fraction(sum), "1");
  constexpr auto maximum = static_cast<std::size_t>(PriorityQueue::max_inputs) + 1;
  for (const auto& row : joint.probability)
    if (row.size() > maximum || joint.probability.size() > maximum)
      throw InvalidArgument("packets of one class in a slot", "more than 128", "at most 128");
}

/// A(y, 0) and its derivative.
template <class T, class Rounded>
std::pair<T, T> without_own(const ClassArrivals& arrivals, const T& y, Rounded&& rounded) {
  T value(1), slope(0);
  if (const auto* sources = std::get_if<std::vector<ClassSource>>(&arrivals)) {
    for (const ClassSource& source : *sources) {
      const T high = rounded(source.higher),
              factor = rounded(Rational(1 - source.higher - source.own)) + high * y;
      for (std::int64_t i = 0; i < source.count; ++i) {
        slope = slope * factor + value * high;
        value = value * factor;
      }
    }
    return {value, slope};
  }
  value = T(0);
  const auto& rows = std::get<JointPmf>(arrivals).probability;
  for (std::size_t i = rows.size(); i-- > 0;) {
    slope = slope * y + value;
    value = value * y + (rows[i].empty() ? T(0) : rounded(rows[i].front()));
  }
  return {value, slope};
}

/// Smallest solution of y = A(y, 0), to 2^-bits: Newton's steps increase to it, and signs prove the result.
Interval empty_cycle(const ClassArrivals& arrivals, int bits) {
  const auto nearest = [](const Rational& value) {
    return numeric::to_real(value, numeric::Rounding::nearest);
  };
  const auto around = [](const Rational& value) { return numeric::to_interval(value); };
  for (int extra = 64; bits + extra <= 4 * max_class_bits; extra *= 2) {
    const PrecisionScope scope(Precision{bits + extra});
    Real y(0);
    for (int step = 0; step < 2000; ++step) {
      const auto [value, slope] = without_own(arrivals, y, nearest);
      const Real next = y + (value - y) / (Real(1) - slope);
      const bool settled = !(next > y) || numeric::narrower_than(y, next, bits + extra / 2);
      y = next;
      if (settled) break;
    }
    const Real margin = boost::multiprecision::ldexp(y, -bits - 2);
    const auto sign_at = [&](const Real& at) {
      const Interval point = numeric::to_interval(at);
      const Interval rest = without_own(arrivals, point, around).first - point;
      return numeric::lower(rest) >= 0 ? 1 : numeric::upper(rest) <= 0 ? -1 : 0;
    };
    if (sign_at(y - margin) > 0 && (y + margin >= 1 || sign_at(y + margin) < 0))
      return numeric::make_interval(y - margin, y + margin);
  }
  throw LimitExceeded("the total load of the classes is too close to 1 packet per slot");
}

long double to_machine(const Real& value) {
  return mpfr_get_ld(value.backend().data(), MPFR_RNDN);
}

template <class T>
T rounded(const Rational& value) {
  if constexpr (std::is_same_v<T, long double>) {
    const PrecisionScope scope(Precision{2 * machine_bits});
    return to_machine(numeric::to_real(value, numeric::Rounding::nearest));
  } else {
    return numeric::to_real(value, numeric::Rounding::nearest);
  }
}

template <class T>
void add_source(std::vector<std::vector<T>>& table, const ClassSource& source) {
  const T high = rounded<T>(source.higher), own = rounded<T>(source.own),
          none = rounded<T>(Rational(1 - source.higher - source.own));
  for (std::int64_t k = 0; k < source.count; ++k) {
    const std::size_t rows = table.size(), columns = table.front().size();
    std::vector<std::vector<T>> next(rows + 1, std::vector<T>(columns + 1, T(0)));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        next[i][j] += none * table[i][j];
        next[i + 1][j] += high * table[i][j];
        next[i][j + 1] += own * table[i][j];
      }
    table = std::move(next);
  }
}

/// Without trailing rows and columns of zeros.
template <class T>
void trim(std::vector<std::vector<T>>& table) {
  const auto zero = [](const T& p) { return p == 0; };
  while (table.size() > 1 && std::all_of(table.back().begin(), table.back().end(), zero)) table.pop_back();
  std::size_t columns = 1;
  for (const auto& row : table)
    for (std::size_t j = 0; j < row.size(); ++j)
      if (!zero(row[j])) columns = std::max(columns, j + 1);
  for (auto& row : table) row.resize(columns, T(0));
}

/// \param bits  of T
template <class T>
ClassTable<T> class_table(const ClassArrivals& arrivals, int bits, const ClassMoments& means,
                          const std::optional<ClassSource>& of) {
  ClassTable<T> result;
  result.load = means.own;
  result.higher_load = means.higher;
  if (const auto* sources = std::get_if<std::vector<ClassSource>>(&arrivals)) {
    result.probability = {{T(1)}};
    for (const ClassSource& source : *sources) {
      add_source(result.probability, source);
      result.errors += 4.1 * static_cast<double>(source.count);  // a rounded rate, a product, two sums
    }
  } else {
    for (const auto& row : std::get<JointPmf>(arrivals).probability) {
      auto& of = result.probability.emplace_back();
      for (const Rational& p : row) of.push_back(rounded<T>(p));
    }
    result.errors = 1.1;
  }
  trim(result.probability);
  if (of) {
    result.others = {{T(1)}};
    for (ClassSource source : std::get<std::vector<ClassSource>>(arrivals)) {
      if (source.higher == of->higher && source.own == of->own) --source.count;
      add_source(result.others, source);
    }
    trim(result.others);
  }
  const Interval y = empty_cycle(arrivals, bits);
  const PrecisionScope scope(Precision{bits});
  const Real middle = (numeric::lower(y) + numeric::upper(y)) / 2;
  if constexpr (std::is_same_v<T, long double>)
    result.empty_cycle = to_machine(middle);
  else
    result.empty_cycle = middle;
  result.empty_cycle_errors = 4;
  return result;
}

enum class ClassLaw { tail, tail_when_served, wait_tail };

/// The series of one arithmetic, computed on first use.
template <class T>
class ClassArithmetic {
 public:
  ClassArithmetic(ClassTable<T> table, int bits) : table_(std::move(table)), bits_(bits) {}

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] const ClassWaits<T>& waits(std::size_t size) {
    if (!waits_ || waits_->size() < size) waits_.emplace(table_, size, rounded<T>);
    return *waits_;
  }
  [[nodiscard]] const ErrorSeries<T>& series(ClassLaw law, std::size_t size) {
    if (law == ClassLaw::wait_tail) return waits(size).tail();
    if (!occupancy_ || occupancy_->size() < size) occupancy_.emplace(table_, size, rounded<T>);
    return law == ClassLaw::tail ? occupancy_->tail() : occupancy_->tail_when_served();
  }

 private:
  ClassTable<T> table_;
  int bits_;
  std::optional<ClassOccupancy<T>> occupancy_;
  std::optional<ClassWaits<T>> waits_;
};

}  // namespace

/// The distributions computed so far.
class PriorityLaws {
 public:
  using Probability = PriorityQueue::Probability;
  using Minimum = PriorityQueue::Minimum;

  PriorityLaws(ClassArrivals arrivals, Digits digits, const std::optional<ClassSource>& of)
      : arrivals_(std::move(arrivals)), digits_(digits), of_(of) {
    std::visit([](const auto& its) { require_valid(its); }, arrivals_);
    moments_ = std::visit([](const auto& its) { return moments(its); }, arrivals_);
    if (moments_.own == 0) throw InvalidArgument("load of the lower class", "0", "above 0 packets per slot");
    if (both() >= 1) throw Unstable(numeric::plain(both()));
    const auto* sources = std::get_if<std::vector<ClassSource>>(&arrivals_);
    if (of_ &&
        (sources == nullptr || std::none_of(sources->begin(), sources->end(), [&](const ClassSource& each) {
           return each.higher == of_->higher && each.own == of_->own;
         })))
      throw InvalidArgument("source", numeric::to_fraction(of_->own), "one of the sources of the queue");
  }

  [[nodiscard]] const ClassMoments& means() const { return moments_; }
  [[nodiscard]] Rational both() const { return moments_.higher + moments_.own; }
  [[nodiscard]] Rational mean_occupancy() const {
    return ClassMoments::mean_queue(both(), moments_.both_factorial) -
           ClassMoments::mean_queue(moments_.higher, moments_.higher_factorial);
  }

  /// Each packet ahead takes a high cycle, of 1 / (1 - rho_H) slots on average.
  [[nodiscard]] Rational mean_wait() const {
    if (!of_) return mean_occupancy() / moments_.own - 1;
    const Rational left = ClassMoments::mean_queue(both(), moments_.both_factorial) - both();
    return (left + moments_.higher - of_->higher + (moments_.own - of_->own) / 2) / (1 - moments_.higher);
  }

  [[nodiscard]] Probability value(ClassLaw law, std::int64_t level, Digits digits) {
    if (level < 0) throw InvalidArgument("level", std::to_string(level), "0 or more");
    const auto n = static_cast<std::size_t>(level);
    const ErrorSeries<long double>& machine = in_machine().series(law, levels_for(n + 1));
    const long double found = machine.at[n];
    const double units = machine.errors.at(n);
    if (found > 0 && std::log2(found) > min_log2_machine) {
      Probability near = around(found, units, machine_bits, {Arithmetic::extended, machine_bits});
      if (numeric::agree_to(near.lower(), near.upper(), digits)) return near;
    }
    const int bits = std::max(128, numeric::sufficient_bits(digits, units));
    if (bits > max_class_bits)
      throw LimitExceeded("more than " + std::to_string(max_class_bits) + " bits would be needed");
    const PrecisionScope scope(Precision{bits});
    const ErrorSeries<Real>& fine = in_reals(bits).series(law, n + 1);
    return around(fine.at[n], fine.errors.at(n), bits, {Arithmetic::multiprecision, bits});
  }
  [[nodiscard]] Probability value(ClassLaw law, std::int64_t level) { return value(law, level, digits_); }

  [[nodiscard]] Minimum minimum(ClassLaw law, const Rational& target) {
    auto found = level_boundary(
        target, digits_,
        [&](std::size_t size) -> const std::vector<long double>& {
          return in_machine().series(law, size).at;
        },
        [&](std::int64_t level, Digits digits) { return value(law, level, digits); },
        [](const Probability& at) { return std::pair(at.lower(), at.upper()); });
    return {found.level, std::move(found.at), std::move(found.before)};
  }

  [[nodiscard]] Digits digits() const { return digits_; }

  [[nodiscard]] series::Distribution<long double> wait_law(std::size_t size) {
    const ClassWaits<long double>& waits = in_machine().waits(levels_for(size));
    series::Distribution<long double> result;
    result.bits = machine_bits;
    const auto head = static_cast<std::ptrdiff_t>(size);
    result.mass.assign(waits.mass().at.begin(), waits.mass().at.begin() + head);
    result.tail.assign(waits.tail().at.begin(), waits.tail().at.begin() + head);
    result.mass_units = waits.mass().errors.at(size);
    result.tail_units = waits.tail().errors.at(size);
    result.mass_error = result.tail_error = 0x1p-16000L;  // products too small for a long double
    return result;
  }

 private:
  template <class T>
  [[nodiscard]] static Probability around(const T& value, double units, int bits, Method method) {
    Real low, high;
    numeric::widen(value, numeric::relative_error_bound({units}, bits), Real(0), bits, low, high);
    if (high > 1) high = 1;
    return {{numeric::Theorem::priority_queue, std::move(low), std::move(high)}, method};
  }

  [[nodiscard]] ClassArithmetic<long double>& in_machine() {
    if (!machine_)
      machine_.emplace(class_table<long double>(arrivals_, machine_bits, moments_, of_), machine_bits);
    return *machine_;
  }
  /// \pre that precision is in force
  [[nodiscard]] ClassArithmetic<Real>& in_reals(int bits) {
    if (!reals_ || reals_->bits() != bits)
      reals_.emplace(class_table<Real>(arrivals_, bits, moments_, of_), bits);
    return *reals_;
  }

  ClassArrivals arrivals_;
  Digits digits_;
  std::optional<ClassSource> of_;
  ClassMoments moments_;
  std::optional<ClassArithmetic<long double>> machine_;
  std::optional<ClassArithmetic<Real>> reals_;
};

PriorityQueue::PriorityQueue(ClassArrivals arrivals, Digits digits, const std::optional<ClassSource>& of)
    : laws_(std::make_unique<PriorityLaws>(std::move(arrivals), digits, of)) {}
PriorityQueue::~PriorityQueue() = default;
PriorityQueue::PriorityQueue(PriorityQueue&&) noexcept = default;
PriorityQueue& PriorityQueue::operator=(PriorityQueue&&) noexcept = default;

const Rational& PriorityQueue::load() const {
  return laws_->means().own;
}
const Rational& PriorityQueue::higher_load() const {
  return laws_->means().higher;
}
Rational PriorityQueue::mean_occupancy() const {
  return laws_->mean_occupancy();
}
Rational PriorityQueue::mean_wait() const {
  return laws_->mean_wait();
}

PriorityQueue::Probability PriorityQueue::tail(Packets level) {
  return laws_->value(ClassLaw::tail, level.value);
}
PriorityQueue::Probability PriorityQueue::tail_when_served(Packets level) {
  return laws_->value(ClassLaw::tail_when_served, level.value);
}
PriorityQueue::Probability PriorityQueue::wait_tail(Slots slots) {
  return laws_->value(ClassLaw::wait_tail, slots.value);
}

namespace {

/// (3.8) for an enclosure of P(L > B | H = 0), in which it is increasing.
PriorityQueue::Probability loss_of(const PriorityQueue::Probability& tail, const Rational& sigma,
                                   Digits digits) {
  const PrecisionScope scope(Precision{numeric::to_precision(digits).bits + 64});
  const Interval odds = numeric::to_interval(Rational((1 - sigma) / sigma));
  const auto at = [&](const Real& end) {
    const Interval tau = numeric::to_interval(end);
    return Interval(odds * tau / (Interval(1) - tau));
  };
  Real high = numeric::upper(at(tail.upper()));
  if (high > 1) high = 1;
  return {{tail.proof(), numeric::lower(at(tail.lower())), std::move(high)}, tail.method};
}

}  // namespace

PriorityQueue::Probability PriorityQueue::loss(Packets capacity) {
  const Rational sigma = load() / (1 - higher_load());
  for (Digits finer = laws_->digits();; finer.count += 3) {
    Probability found =
        loss_of(laws_->value(ClassLaw::tail_when_served, capacity.value, finer), sigma, finer);
    if (numeric::agree_to(found.lower(), found.upper(), laws_->digits())) return found;
  }
}

PriorityQueue::Minimum PriorityQueue::min_level(const Rational& target) {
  return laws_->minimum(ClassLaw::tail, target);
}
PriorityQueue::Minimum PriorityQueue::min_wait(const Rational& target) {
  return laws_->minimum(ClassLaw::wait_tail, target);
}
PriorityQueue::Minimum PriorityQueue::min_buffer_size(const Rational& target) {
  // The loss increases with the tail, so its target is equivalent to one for the tail.
  const Rational sigma = load() / (1 - higher_load());
  Minimum found =
      laws_->minimum(ClassLaw::tail_when_served, Rational(target * sigma / (1 - sigma + target * sigma)));
  const Packets capacity(found.level);
  return {found.level, loss(capacity),
          found.before ? std::optional(loss(Packets(found.level - 1))) : std::nullopt};
}

series::Distribution<long double> PriorityQueue::wait_law(std::size_t size) {
  return laws_->wait_law(size);
}

}  // namespace tailbound::queue
