#pragma once

#include <tailbound/numeric/rounding.hpp>
#include <tailbound/queue/slotted/ladder.hpp>
#include <tailbound/series/renewal.hpp>

#include <cmath>
#include <type_traits>

/// A renewal equation in one arithmetic, with the bound that turns its values into enclosures.
/// Internal to the queue module: other modules include slotted_queue.hpp.
namespace tailbound::queue {

/// T: double, long double or Real (a priori rounding bound) or Interval (outward rounding). Computed values
/// are cached. The caller sets the precision scope.
template <class T>
class TailEngine {
 public:
  /// \param ladder  enclosures with at least 32 bits more than T
  /// \param bits    precision of Real or Interval; ignored for double and long double
  TailEngine(const Ladder<numeric::Interval>& ladder, Quantity quantity, int bits) : bits_(bits) {
    numeric::Interval lost(0);  // reduction of the kernel's sum by rounding an inaccurate entry down
    numeric::Real worst(0);     // and from any forcing term
    for (const numeric::Interval& entry : ladder.kernel) {
      const numeric::Interval scaled = entry / ladder.pivot;
      numeric::Real deficit(0);
      equation_.kernel.push_back(rounded(scaled, deficit));
      lost += numeric::to_interval(deficit);
    }
    for (const numeric::Interval& entry : ladder.forcing(quantity)) {
      const numeric::Interval scaled = entry / ladder.pivot;
      numeric::Real deficit(0);
      equation_.forcing.push_back(rounded(scaled, deficit));
      if (deficit > worst) worst = deficit;
    }
    kernel_units_ = forcing_units_ = 1.01;
    // The coefficients of pivot / K(z) sum to pivot / K(1).
    cut_ = numeric::upper(ladder.cut_of(quantity) +
                          (lost + numeric::to_interval(worst)) * ladder.pivot / ladder.idle);
  }

  /// The fast path for machine numbers.
  TailEngine(const Ladder<long double>& ladder, Quantity quantity) requires std::is_floating_point_v<T> {
    const long double scale = 1.0L / ladder.pivot;
    equation_.kernel.reserve(ladder.kernel.size());
    for (const long double entry : ladder.kernel) equation_.kernel.push_back(static_cast<T>(entry * scale));
    const std::vector<long double> forcing = ladder.forcing(quantity);
    equation_.forcing.reserve(forcing.size());
    for (const long double entry : forcing) equation_.forcing.push_back(static_cast<T>(entry * scale));
    // Entry and pivot, the quotient's two roundings in long double, then the rounding to T.
    const double long_double_units =
        std::ldexp(1.0, std::numeric_limits<T>::digits - std::numeric_limits<long double>::digits);
    kernel_units_ = (2 * ladder.error_units + 3) * long_double_units + 1.01;
    forcing_units_ = (ladder.forcing_units + ladder.error_units + 3) * long_double_units + 1.01;
    mpfr_set_ld(cut_.backend().data(), ladder.cut_of(quantity), MPFR_RNDU);
  }

  /// n beyond which every value is exactly 0; -1 if none.
  [[nodiscard]] std::int64_t zero_from() const {
    return equation_.order() == 0 && cut_ == 0 ? static_cast<std::int64_t>(equation_.forcing.size()) : -1;
  }

  /// Maximum number of relative errors of any of the values 0 .. n computed by walk().
  [[nodiscard]] double units_to(std::int64_t n) const { return walked_units(n); }
  /// Maximum truncation error of any value.
  [[nodiscard]] const numeric::Real& cut() const { return cut_; }

  [[nodiscard]] std::size_t order() const { return equation_.order(); }
  [[nodiscard]] int bits() const { return numeric::significand_bits<T>(bits_); }

  /// Whether jumping to n is cheaper than walking there.
  [[nodiscard]] bool jumps_to(std::int64_t n) const {
    const auto order = static_cast<double>(equation_.order());
    const double steps = static_cast<double>(n) - static_cast<double>(values_.size());
    return order >= 1 && n > static_cast<std::int64_t>(equation_.forcing.size()) &&
           steps > 2 * order * (std::log2(static_cast<double>(n)) + 2);
  }

  /// Number of products for value(n).
  [[nodiscard]] double cost(std::int64_t n) const {
    const auto order = static_cast<double>(equation_.order());
    if (jumps_to(n)) return 2 * order * order * (std::log2(static_cast<double>(n)) + 1);
    return std::max(0.0, static_cast<double>(n) + 1 - static_cast<double>(values_.size())) *
           std::min(order, static_cast<double>(n));
  }

  /// The values 0 .. count - 1, computed step by step.
  const std::vector<T>& walk(std::size_t count) {
    if (values_.size() < count) series::extend(equation_, values_, count);
    return values_;
  }

  struct Value {
    T value{};
    double units = 0;  ///< number of relative errors; 0 for intervals
  };

  [[nodiscard]] Value value(std::int64_t n) {
    const auto place = static_cast<std::size_t>(n);
    if (place < values_.size() || !jumps_to(n)) {
      walk(place + 1);
      return {values_[place], walked_units(n)};
    }
    const std::size_t order = equation_.order();
    const std::size_t first = equation_.forcing.size() - std::min(order, equation_.forcing.size());
    // Neighbouring values are requested together: one jump serves several of them.
    const std::size_t step = (place - first) % neighbours;
    const std::uint64_t power = place - first - step;
    walk(first + order + neighbours);
    if (jump_.weight.empty() || jumped_ != power) {
      jump_ = series::jump_weights(equation_, power);
      jumped_ = power;
    }
    return {series::apply(jump_, values_.data() + first + step),
            walked_units(static_cast<std::int64_t>(first + order + neighbours)) + jump_.roundings +
                static_cast<double>(order) + 1 + static_cast<double>(power) * kernel_units_};
  }

  /// [lower, upper] around value(n), truncation error included.
  void enclose(const Value& at, numeric::Real& lower, numeric::Real& upper) const {
    if constexpr (std::is_same_v<T, numeric::Interval>) {
      lower = numeric::lower(at.value);
      upper = numeric::upper(numeric::Interval(at.value + numeric::make_interval(numeric::Real(0), cut_)));
    } else {
      const numeric::RelativeError gamma = numeric::relative_error_bound({at.units}, bits());
      if (std::isfinite(gamma.units)) {
        numeric::widen(at.value, gamma, cut_, bits_, lower, upper);
      } else {
        lower = numeric::Real(0);
        upper = numeric::Real(1);
      }
    }
  }

 private:
  static constexpr std::size_t neighbours = 8;

  /// Errors of a value after n steps of the recurrence. One extra unit covers products that underflow
  /// (docs/derivations/rounding.md).
  [[nodiscard]] double walked_units(std::int64_t n) const {
    const std::size_t terms = std::min(equation_.order(), static_cast<std::size_t>(n) + 1);
    return (static_cast<double>(n) + 1) * (series::roundings_per_step(terms) + kernel_units_ + 1) +
           forcing_units_;
  }

  /// `entry` in T, off by at most 1.01 units; or, if it is less accurate, its lower end and the distance to
  /// it.
  [[nodiscard]] T rounded(const numeric::Interval& entry, numeric::Real& deficit) const {
    if constexpr (std::is_same_v<T, numeric::Interval>) {
      T result;  // outward
      mpfi_set_prec(result.backend().data(), bits_);
      mpfi_set(result.backend().data(), entry.backend().data());
      return result;
    } else {
      numeric::Real chosen = numeric::lower(entry);
      mpfr_rnd_t rounding = MPFR_RNDN;
      if (!numeric::narrower_than(numeric::lower(entry), numeric::upper(entry),
                                  numeric::significand_bits<T>(bits_) + 8))
        rounding = MPFR_RNDD;
      T result;
      if constexpr (std::is_same_v<T, double>) {
        result = mpfr_get_d(chosen.backend().data(), rounding);
      } else if constexpr (std::is_same_v<T, long double>) {
        result = mpfr_get_ld(chosen.backend().data(), rounding);
      } else {
        mpfr_set_prec(result.backend().data(), bits_);
        mpfr_set(result.backend().data(), chosen.backend().data(), rounding);
      }
      if (rounding == MPFR_RNDD) {
        numeric::Real kept;
        if constexpr (std::is_same_v<T, double>)
          mpfr_set_d(kept.backend().data(), result, MPFR_RNDD);
        else if constexpr (std::is_same_v<T, long double>)
          mpfr_set_ld(kept.backend().data(), result, MPFR_RNDD);
        else
          kept = result;
        mpfr_sub(deficit.backend().data(), numeric::upper(entry).backend().data(), kept.backend().data(),
                 MPFR_RNDU);
      }
      return result;
    }
  }

  series::RenewalEquation<T> equation_;
  std::vector<T> values_;
  series::JumpWeights<T> jump_;  ///< the last jump, over `jumped_` places
  std::uint64_t jumped_ = 0;
  double kernel_units_ = 0, forcing_units_ = 0;
  numeric::Real cut_{0};
  int bits_ = 53;
};

}  // namespace tailbound::queue
