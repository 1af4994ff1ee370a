#pragma once

#include <tailbound/queue/slotted/ladder.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

/// The renewal equation of a slotted queue in one arithmetic, whichever: what a search over arithmetics needs of it.
/// Internal to the queue module.
namespace tailbound::queue {

using ProvedProbability = numeric::Proved<unit::Probability>;

/// Below these, machine numbers would lose digits to their smallest exponents; so they are not used there.
inline constexpr double least_log2_double = -800, least_log2_extended = -2000;
/// The deepest level that is looked at.
inline constexpr std::int64_t deepest_level = 1'000'000'000'000'000;

/// A probability to come below, and the doubles around it, which decide all but close cases.
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
  /// Is the value proved to be at most this, to be above it?
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

/// An engine of one arithmetic, type erased: what the questions below need of it.
class SlottedEngine {
 public:
  virtual ~SlottedEngine() = default;
  /// Value at n as an enclosure; empty where this arithmetic cannot say (too small for it).
  [[nodiscard]] virtual std::optional<ProvedProbability> at(std::int64_t n) = 0;
  /// The first n with computed value <= target, by walking and then jumping; not proved, and only near
  /// it where the target is too small for this arithmetic.
  [[nodiscard]] virtual std::optional<std::int64_t> guess(const Target& target, std::int64_t hint) = 0;
  [[nodiscard]] virtual double cost(std::int64_t n) const = 0;
  [[nodiscard]] virtual Method method() const = 0;
};

/// \param log2_value  size of the least value of interest
/// \param quick  from entries known a little worse, where those are had at once; else there is no such engine
[[nodiscard]] std::unique_ptr<SlottedEngine> make_engine(const SlottedQueue& queue, Quantity quantity,
                                                         Arithmetic arithmetic, int bits, bool quick,
                                                         double log2_value, double log2_idle);

}  // namespace tailbound::queue
