#pragma once

#include <tailbound/answers/agreed_digits.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

/// What the numbers of a list are, and their true values.
///
/// TESTS     tests/answers/compare/compare_test.cpp
namespace tailbound::answers {

/// The quantity in a list.
enum class CoefficientsOf {
  occupancy,     ///< P(Q = n)
  tail,          ///< P(Q > n)
  at_least,      ///< P(Q >= n)
  distribution,  ///< P(Q <= n)
};
[[nodiscard]] constexpr auto names_of(CoefficientsOf) {
  return std::array{"occupancy", "tail", "at-least", "distribution"};
}

/// Their unit.
enum class ListScale {
  probability,
  percent,
  weights,  ///< in proportion to the probabilities, with an unknown factor
};
[[nodiscard]] constexpr auto names_of(ListScale) {
  return std::array{"probability", "percent", "weights"};
}

struct Reading {
  CoefficientsOf of = CoefficientsOf::occupancy;
  bool after_service = false;  ///< Q after the service of the slot: max(Q - C, 0)
  ListScale scale = ListScale::probability;
  std::int64_t shift = 0;  ///< n - index; maximum: 10^15
  friend bool operator==(const Reading&, const Reading&) = default;
};

/// The true values of a queue, as probabilities, for any reading.
class ReadingValues {
 public:
  ReadingValues(const queue::SlottedQueue& queue, const queue::Accuracy& accuracy)
      : queue_(queue), accuracy_(accuracy) {}

  /// \throws LimitExceeded  P(Q = n) beyond deepest_compared_occupancy; what the arithmetic cannot reach
  [[nodiscard]] std::vector<numeric::Proved<unit::Probability>> at(
      const Reading& reading, const std::vector<std::int64_t>& indices) const;

 private:
  [[nodiscard]] std::vector<numeric::Proved<unit::Probability>> masses(
      const Reading& reading, const std::vector<std::int64_t>& indices) const;
  /// P(Q > n); 1 for a negative n. \param complements  1 minus these
  [[nodiscard]] std::vector<numeric::Proved<unit::Probability>> tails(const std::vector<std::int64_t>& levels,
                                                                      bool complements) const;

  const queue::SlottedQueue& queue_;
  queue::Accuracy accuracy_;
};

/// The true values in the unit of a list.
[[nodiscard]] std::vector<TrueValue> in_scale(ListScale scale, const std::vector<series::Coefficient>& list,
                                              const std::vector<numeric::Proved<unit::Probability>>& proved);

/// A reading that fits a list better than the one that was requested.
struct OtherReading {
  Reading reading;
  std::size_t agreeing = 0;       ///< values of the list, as it reads them
  std::optional<Reading> same{};  ///< another one with the same values
};

/// The simplest reading in which all values agree, or else eight in ten and twice as many as now: shifted
/// by one,
/// another quantity, after service, in percent, in proportion. Empty if the values that agree have fewer than
/// six digits together, as then several would by chance.
/// \param agreeing  number of values that agree as requested
/// COST  some hundred levels, and all levels of the list for the best one
[[nodiscard]] std::optional<OtherReading> better_reading(const queue::SlottedQueue& queue,
                                                         const queue::Accuracy& accuracy,
                                                         const std::vector<series::Coefficient>& list,
                                                         const Reading& requested, std::size_t agreeing);

/// Maximum index of a list of P(Q = n): all levels up to it are computed.
inline constexpr std::int64_t deepest_compared_occupancy = 999'999;

}  // namespace tailbound::answers
