#pragma once

#include <tailbound/answers/crossbar/crossbar.hpp>
#include <tailbound/answers/crossbar/simulate_crossbar.hpp>
#include <tailbound/answers/validation/compared.hpp>

#include <vector>

/// Delay and buffers of an input-queued switch: analysis or model compared with simulation.
///
/// MODEL     answers/crossbar/crossbar.hpp and sim/crossbar/crossbar_model.hpp, with equal uniform traffic.
/// RESULT    mean delay, P(D > t), P(n > buffer) of an input, a VOQ and, with speedup, an output, where the
///           analysis expects the given tail probabilities. A proved number that the simulation excludes is
///           an error of this program; so is a mean below that of the output-queued switch.
/// TESTS     tests/answers/crossbar/validate_crossbar_test.cpp
namespace tailbound::answers {

struct ValidateCrossbarQuery {
  CrossbarQuery analysis;  ///< AtLoad; its levels, percentiles and target are ignored
  /// Tail probabilities, above 0 and below 1. Default: 0.1, 0.01, 1e-3, 1e-4.
  std::vector<numeric::Rational> tails{};
  double confidence = 0.95;  ///< joint confidence of all intervals, above 0 and below 1
  RunLength length{};
  double steps = 3e8;  ///< as of SimulateCrossbarQuery
};

using ValidateCrossbarAnswer = Validated<SimulateCrossbarAnswer>;

/// Sets the scheduler of a simulated switch to that of an analysis, with all that belongs to it.
void set_scheduler(sim::CrossbarModel& model, const CrossbarQuery& query);
/// The simulated switch of an analysis.
[[nodiscard]] sim::CrossbarModel simulated_crossbar(const CrossbarQuery& query);

/// \throws InvalidArgument, Unstable, NoAnswer, Stopped  as the underlying queries
/// \throws std::logic_error  a proved number is excluded by the simulation
[[nodiscard]] ValidateCrossbarAnswer answer(const ValidateCrossbarQuery& query, const Run& run = {});

}  // namespace tailbound::answers
