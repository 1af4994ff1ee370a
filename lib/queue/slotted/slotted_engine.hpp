#pragma once

#include <tailbound/queue/slotted/ladder.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

/// The renewal equation of a slotted queue in any one arithmetic, as a search over arithmetics needs it.
/// Internal to the queue module.
namespace tailbound::queue {

/// Of a number that is proved of this queue: as far as its arrivals are known to have a distribution.
[[nodiscard]] inline numeric::Proof proof_of(const SlottedQueue& queue) {
  return {numeric::Theorem::slotted_queue, queue.arrivals.assumptions()};
}

using ProvedProbability = numeric::Proved<unit::Probability>;

/// Below these, machine numbers would lose digits to underflow, so they are not used there.
inline constexpr double min_log2_double = -800, min_log2_extended = -2000;
/// The deepest level supported.
inline constexpr std::int64_t deepest_level = 1'000'000'000'000'000;

/// A target probability, and the doubles around it, which decide all except close cases.
struct Target {
  explicit Target(const numeric::Rational& probability) : value(probability) {
    const double nearest = numeric::nearest_double(value);
    if (nearest > 1e-300) {
      lower = std::nextafter(nearest, 0.0);
      upper = std::nextafter(nearest, 2.0);
      log2 = std::log2(nearest);
    } else {
      upper = 1e-299;
      const numeric::PrecisionScope scope(numeric::Precision{64});
      log2 = numeric::log2_magnitude(numeric::to_real(value, numeric::Rounding::nearest));
    }
  }
  /// Whether the value is proved to be at most this, or above it.
  [[nodiscard]] bool is_met(const ProvedProbability& proved) const {
    const auto* enclosure = std::get_if<numeric::Enclosure<unit::Probability>>(&proved);
    return (enclosure != nullptr && mpfr_cmp_d(enclosure->upper().backend().data(), lower) <= 0) ||
           numeric::surely_at_most<unit::Probability>(proved, value);
  }
  [[nodiscard]] bool is_missed(const ProvedProbability& proved) const {
    const auto* enclosure = std::get_if<numeric::Enclosure<unit::Probability>>(&proved);
    return (enclosure != nullptr && mpfr_cmp_d(enclosure->lower().backend().data(), upper) > 0) ||
           numeric::surely_above<unit::Probability>(proved, value);
  }

  numeric::Rational value;
  double lower = 0, upper = 1;  ///< around it
  double log2 = 0;
};

/// An engine of one arithmetic, type erased.
class SlottedEngine {
 public:
  virtual ~SlottedEngine() = default;
  /// Value at n as an enclosure; empty where it is too small for this arithmetic.
  [[nodiscard]] virtual std::optional<ProvedProbability> at(std::int64_t n) = 0;
  /// The first n with computed value <= target, by stepping and then jumping. Not proved; only approximate
  /// where the target is too small for this arithmetic.
  [[nodiscard]] virtual std::optional<std::int64_t> guess(const Target& target, std::int64_t hint) = 0;
  [[nodiscard]] virtual double cost(std::int64_t n) const = 0;
  [[nodiscard]] virtual Method method() const = 0;
};

/// \param log2_value  size of the smallest value of interest
/// \param quick  from slightly less accurate entries, where these are available at once; otherwise no engine
[[nodiscard]] std::unique_ptr<SlottedEngine> make_engine(const SlottedQueue& queue, Quantity quantity,
                                                         Arithmetic arithmetic, int bits, bool quick,
                                                         double log2_value, double log2_idle);

}  // namespace tailbound::queue
