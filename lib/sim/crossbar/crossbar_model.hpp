#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/sources/on_off_slots.hpp>
#include <tailbound/traffic/crossbar_scheduler.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// An input-queued switch: inputs with queues, a crossbar that connects each input with at most one output
/// and each output with at most one input, and a scheduler that chooses the connections.
///
/// MODEL     A slot, in this order:
///           1. Arrivals. Each input receives at most one cell, from slot to slot independently or in bursts
///              of an on-off source. A cell, or a burst, draws its output from `shares`.
///           2. The slot is counted: cells of one virtual output queue (VOQ), of one input, and of one output
///              anywhere in the switch.
///           3. Phases of the scheduler: `speedup` of them, a fraction as floor((t + 1) S) - floor(t S) in
///              slot t. Each phase is a matching; each matched input sends one cell.
///           4. If an output can receive more than one cell per slot, it has a queue, which is counted now,
///              and then sends one cell. Otherwise the matched cell itself leaves.
///           The queueing delay D of a cell is the number of slots from its arrival to its departure, 0 if
///           both are in the same slot.
///           Schedulers (traffic/crossbar_scheduler.hpp):
///             fifo        one first-in first-out queue per input; an output picks uniformly among the heads
///                         that want it
///             pim         n iterations: a free output picks uniformly among the free inputs with a cell for
///                         it, an input uniformly among the outputs that picked it
///             islip       n iterations: the same by pointers, which move one beyond the match, and only if
///                         the match was made in the first iteration
///             greedy      longest queue first: VOQs by length, equal ones in random order
///             maxweight   the matching of the largest sum of VOQ lengths, nearly equal ones in random order
///             crosspoint  a buffer at each crosspoint: each input moves one cell, round robin over its VOQs
///                         with space at the crosspoint; then each output sends one, round robin
///             tdm         input i is connected with output (i + t) mod k in slot t
///             load-balanced  arriving cells go from input i to middle port (i + t) mod k, whose VOQs are
///                         served as those of tdm
///             ccf         critical cells first (sim/crossbar/critical_cells_replication.cpp)
/// EXCLUDES  packets of several cells, multicast
/// SOURCE    docs/derivations/crossbar.md
/// TESTS     tests/sim/crossbar/crossbar_replication_test.cpp
namespace tailbound::sim {

struct CrossbarModel {
  std::vector<numeric::Rational> rates;  ///< cells per slot of each input, 0 .. 1, one above 0; 1 .. 256
  std::int64_t outputs = 1;              ///< 1 .. 256; as many as inputs for tdm, load-balanced, ccf
  /// fraction of the cells that go to output 0 in excess of its even share, 0 <= hot <= 1
  numeric::Rational hot = 0;
  /// [input][output] in place of `hot`: share of the cells of an input that goes to the output; rows sum to 1
  std::vector<std::vector<numeric::Rational>> shares{};
  std::optional<traffic::Burst> burst{};
  traffic::Destination destination = traffic::Destination::per_burst;

  traffic::CrossbarScheduler scheduler = traffic::CrossbarScheduler::islip;
  std::int64_t iterations = 0;      ///< of pim and islip, 1 .. 256; 0: until nothing is added
  std::int64_t crosspoint = 1;      ///< cells of a crosspoint buffer, 1 .. 1000
  numeric::Rational speedup = 1;    ///< 1 .. inputs phases per slot; of ccf 1 .. 2
  std::int64_t output_speedup = 1;  ///< cells that an output of `fifo` takes in a phase; 1 .. inputs

  /// of `ccf`: shares of the cells of strict priorities, the first one the highest; they sum to 1. None: all
  /// cells of an output depart in the order of their arrivals.
  std::vector<numeric::Rational> priorities{};

  std::optional<std::int64_t> buffer{};      ///< of an input [cells], 1 .. 10^7: others are lost
  std::optional<std::int64_t> voq_buffer{};  ///< of a VOQ [cells], 1 .. 10^7: others are lost
  /// of an output [cells], 1 .. 10^7, with the one in transmission; a full one takes no cell from the inputs.
  /// With ccf for all cells of the output: others are lost on arrival.
  std::optional<std::int64_t> output_buffer{};

  [[nodiscard]] std::size_t inputs() const { return rates.size(); }
  [[nodiscard]] bool loses() const {
    return buffer || voq_buffer || (output_buffer && scheduler == traffic::CrossbarScheduler::ccf);
  }
  /// Is a cell that has crossed queued at its output?
  [[nodiscard]] bool output_queues() const { return speedup > 1 || output_speedup > 1 || output_buffer; }
  [[nodiscard]] bool has_voqs() const { return scheduler != traffic::CrossbarScheduler::fifo; }
};

inline constexpr std::int64_t max_crossbar_ports = 256;

/// \throws InvalidArgument  a field out of range, or two that exclude each other
void check(const CrossbarModel& model);

/// [output]: share of the cells of an input.
[[nodiscard]] std::vector<numeric::Rational> output_shares_of(const CrossbarModel& model, std::size_t input);

/// The largest offered load of an output [cells/slot].
[[nodiscard]] numeric::Rational busiest_output(const CrossbarModel& model);

/// w + (1 - w)/k of the cells of input i to output i, (1 - w)/k to each other one.
[[nodiscard]] std::vector<std::vector<numeric::Rational>> unbalanced_shares(std::int64_t ports,
                                                                            const numeric::Rational& weight);

/// The inputs as text, for checkpoints.
[[nodiscard]] std::string describe(const CrossbarModel& model);

}  // namespace tailbound::sim
