#pragma once

#include <tailbound/queue/delay/hop_delay.hpp>

#include <cstdint>
#include <span>

/// A queue that serves one packet per slot, with very many small sources: hundreds to hundreds of thousands.
///
/// MODEL     slotted_queue.hpp with A(z) = prod (1 - r + r z)^count
/// RESULT    The recurrences of queue/delay/hop_delay.hpp in long double, from rounded rates, with the same
///           kind of proved bound. A is expanded up to a length beyond which its tail is negligible for any
///           sources (Chernoff). The truncation error is part of the bound.
/// SOURCE    docs/derivations/fabrics.md
/// TESTS     tests/queue/delay/small_sources_test.cpp: against queue/delay/hop_delay.hpp
namespace tailbound::queue {

/// `count` sources that each send with probability `rate` in a slot.
struct SmallSource {
  long double rate = 0;  ///< above 0, below 1
  std::int64_t count = 1;
};

struct SmallSources {
  std::span<const SmallSource> sources;
  double rate_units = 0;                    ///< relative error of the rate, in unit roundoffs of long double
  const numeric::Rational* load = nullptr;  ///< their exact total load
};

/// P(W = t) and P(W > t) of the wait, t = 0 .. size - 1; or of the occupancy just after arrivals.
/// \throws Unstable       load >= 1
/// \throws LimitExceeded  size > 2^26
[[nodiscard]] series::Distribution<long double> small_sources_delay(const SmallSources& small_sources,
                                                                    HopDelay delay, std::size_t size,
                                                                    double log2_min);

/// Bounds of E[W] [slots].
struct MeanBounds {
  long double lower = 0, upper = 0;
};
[[nodiscard]] MeanBounds mean_small_sources_wait(const SmallSources& small_sources);

}  // namespace tailbound::queue
