#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <functional>
#include <vector>

/// Equal independent sources of a queue, each a small Markov chain, in doubles that are rounded up.
///
/// RESULT    What is computed of sums of products of these numbers is never below what the true ones give.
/// SOURCE    docs/derivations/last_empty_slot.md
namespace tailbound::queue {

struct SourceChain {
  struct Step {
    std::int32_t from, to;
    double probability;
    bool sends;  ///< a packet for this queue goes with it, with the probability `rate`
  };
  /// Of M(z), the steps weighted with z^packets: w next to its largest eigenvalue, above it, and v with M(z) v <= w v
  /// but for roundings.
  struct Weights {
    double eigenvalue;
    std::vector<double> of_state;
  };

  std::int64_t count = 1;          ///< equal sources
  std::vector<double> stationary;  ///< of the state after a slot
  std::vector<Step> steps;
  double rate = 1, quiet = 0;                    ///< and 1 - rate
  std::function<Weights(double log_z)> weights;  ///< z > 1
};

/// `value` or the next double above it; 0 for 0.
[[nodiscard]] double double_above(const numeric::Rational& value);

}  // namespace tailbound::queue
