#pragma once

#include <tailbound/bounds/ending.hpp>
#include <tailbound/network/multistage.hpp>

#include <vector>

/// Throughput and delay of a combining multistage network under a hot spot.
///
/// MODEL     network/multistage.hpp. Each processor generates `load` requests a service time, as a Poisson
///           process that rests while its last request waits before a full buffer. A service takes 1; full
///           buffers block; memories take what comes.
///           By symmetry, all queues of a stage that hot requests pass are alike (the hot path), and so are,
///           at each stage behind, those whose traffic left it at the same stage (the branches).
/// RESULT    an approximation: queues are taken one by one, and what couples them are means.
///           docs/derivations/multistage.md, section 5, shows how far it is from simulation. Nothing is
///           proved of the digits.
/// VARIANTS  published: each queue M/D/1/L, from the first stage to the last; full buffers lose requests but
///           do not stop those behind them. blocking: each queue a chain that sees s servers before it and
///           the blocked time behind it, iterated until flows match (fixed point, accelerated).
/// COST      blocking: 20 to 1500 rounds of O(n states): 1 to 100 ms a point at N = 256, L = 4
/// SOURCE    published: Mohapatra, Wong and Das 1994; blocking: docs/derivations/multistage.md
/// TESTS     tests/bounds/multistage/combining_test.cpp, tests/validation/multistage_test.cpp
namespace tailbound::bounds::multistage {

enum class Variant { blocking, published };

/// A queue of the hot path.
struct StageFigures {
  double occupancy = 0;    ///< requests present, that in service or blocked included; combined ones as one
  double combining = 0;    ///< probability that a hot request that comes here combines
  double utilization = 0;  ///< share of time in which the server works or is blocked
};

/// All times in service times, all requests counted as generated, also where they travel combined.
struct Point {
  double load = 0;
  double throughput = 0;  ///< requests a processor in a service time
  double delay = 0;       ///< from the entry into stage 0 until the last service ends; the mean of all
  double hot_delay = 0, cold_delay = 0;
  std::vector<StageFigures> hot_path;  ///< [stage]
  Ending ending;
};

/// \param load  0 < load <= 1
/// \throws InvalidArgument  a field out of range
/// \throws LimitExceeded    blocking: buffers so large that a queue has more than 20 000 states
[[nodiscard]] Point solve(const network::CombiningMultistage& network, const numeric::Rational& load,
                          Variant variant);

/// Without combining, what a processor can get through the hot path, where the last of its queues serves
/// without rest: 1 / (1 - h + h N / s)  [requests in a service time]; exact for the model. (With memories
/// that take one request at a time it would be 1 / (1 + h (N - 1)), Pfister and Norton 1985.)
[[nodiscard]] numeric::Rational saturation_without_combining(const network::CombiningMultistage& network);

}  // namespace tailbound::bounds::multistage
