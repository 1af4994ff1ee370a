#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <tests/support/traffic.hpp>
#include <vector>

/// Random slotted queues, the same on every machine for the same seed.
namespace tailbound::test {

/// Small whole numbers and choices from one seed; independent of the standard distributions, whose results
/// differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// first .. last
  [[nodiscard]] std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(last - first + 1));
  }
  [[nodiscard]] bool one_in(std::int64_t n) { return between(1, n) == 1; }
  /// first .. last, all orders of magnitude equally likely.
  [[nodiscard]] std::int64_t between_magnitudes(std::int64_t first, std::int64_t last);

 private:
  std::mt19937_64 engine_;
};

/// `entries` probabilities that sum to 1 with mean `load` or below, many of them zero.
[[nodiscard]] std::vector<Fraction> random_pmf(Random& random, std::int64_t entries, const Fraction& load);

/// Any traffic with a load of 0.01 .. 0.999 packets per slot.
[[nodiscard]] Traffic random_traffic(Random& random);

struct RandomModel {
  std::uint64_t seed = 0;
  Traffic traffic;
  std::vector<std::int64_t> levels;  ///< 1 to 3 of them, at most 2000
  int digits = 10;                   ///< 10, 20 or 38

  [[nodiscard]] std::string text() const;
};

/// One model; levels so deep that the reference would take more than about 30 ms are used in one case in 100
/// only.
[[nodiscard]] RandomModel random_model(std::uint64_t seed);

}  // namespace tailbound::test
