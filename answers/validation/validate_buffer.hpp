#pragma once

#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/answers/validation/compared.hpp>
#include <tailbound/core/quantity.hpp>

#include <vector>

/// Occupancy of one output queue with any traffic, by analysis and by simulation.
///
/// MODEL     The analysis is that of bounds::OutputQueue. Equal inputs and inputs with bursts are simulated
///           as a switch with as many outputs as inputs, whose output queues are identical (a tree of one
///           level); other traffic, and classes, at one output (sim/classes). Q counts a queue's packets just
///           after the arrivals of a slot, of classes those of the selected one.
/// TESTS     tests/answers/validation/validate_buffer_test.cpp
namespace tailbound::answers {

struct ValidateBufferQuery {
  Traffic traffic;                ///< a load below what is served
  std::vector<Packets> levels{};  ///< n of P(Q > n); default: where the analysis gives simulable_tails()
  double confidence = 0.95;       ///< joint confidence of all intervals, above 0 and below 1
  RunLength length{};             ///< as SimulateTreeQuery
};

/// P(Q > level) at the query's levels, or in increasing order; then the mean.
using ValidateBufferAnswer = Validated<SimulateTreeAnswer>;

/// \throws InvalidArgument  as output_queue(), simulated_output() or answer(SimulateTreeQuery); a level
///                          below 0
/// \throws Unstable         the load is not below what is served
/// \throws LimitExceeded    as output_queue();  Stopped  before two batches were finished
[[nodiscard]] ValidateBufferAnswer answer(const ValidateBufferQuery& query, const Run& run = {});

/// For plots: P(Q > n) of both from n = 0 to the largest observed level, at about 60 levels or fewer, with 95
/// % intervals. From the same run.  COST  the analysis once more, to that depth.
[[nodiscard]] std::vector<ComparedRow> compared_curve(const ValidateBufferQuery& query,
                                                      const ValidateBufferAnswer& answer);

}  // namespace tailbound::answers
