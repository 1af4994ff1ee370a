#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <functional>
#include <vector>

/// Identical independent sources of a queue, each a small Markov chain, in doubles rounded up.
///
/// RESULT    Sums of products of these numbers are never below their true values.
/// SOURCE    docs/derivations/last_empty_slot.md
namespace tailbound::queue {

struct SourceChain {
  struct Step {
    std::int32_t from, to;
    double probability;
    bool sends;  ///< a packet for this queue is sent with it, with probability `rate`
  };
  /// For M(z), the transitions weighted with z^packets: w slightly above its largest eigenvalue, and v with
  /// M(z) v <= w v except for roundings.
  struct Weights {
    double eigenvalue;
    std::vector<double> of_state;
  };

  std::int64_t count = 1;          ///< identical sources
  std::vector<double> stationary;  ///< of the state after a slot
  std::vector<Step> steps;
  double rate = 1, quiet = 0;                    ///< and 1 - rate
  std::function<Weights(double log_z)> weights;  ///< z > 1
};

/// `value` or the next double above it; 0 for 0.
[[nodiscard]] double double_above(const numeric::Rational& value);

}  // namespace tailbound::queue
