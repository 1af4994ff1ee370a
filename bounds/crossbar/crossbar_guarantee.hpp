#pragma once

#include <tailbound/traffic/token_bucket.hpp>

#include <cstdint>

/// Worst-case delay and buffers of a crossbar that serves the oldest cell first, for policed traffic.
///
/// MODEL     K inputs with virtual output queues, K outputs. In a slot each input receives at most one cell;
///           then S phases follow. A phase takes the cells at the inputs in the order of their age (ties by a
///           fixed order) and adds each whose input and output are free: it moves to the queue of its output.
///           With S > 1 each output then transmits one cell, first in, first out; with S = 1 the cell that
///           was moved is transmitted. All cells of an input conform to the bucket `row`, all cells for an
///           output to the bucket `column`: in d slots at most
///               a_r(d) = min(d, floor(B + R (d - 1))),   a_c(d) = min(K d, floor(B + R (d - 1))).
/// RESULT    Proved. With D the smallest integer for which S D >= a_r(D) + a_c(D) - 1, each cell leaves its
///           input within D slots, that of its arrival included; an input holds at most a_r(D) cells. A cell
///           then waits for its output at most W = max_m min(S m, a_c(m + D - 1)) - m slots, and an output
///           queue holds at most W + 1 cells. Attained where all cells of a column come at once and rows are
///           single cells; otherwise larger than what happens.
/// COST      up to 10^6 steps if S is hardly above the sum of both rates
/// SOURCE    docs/derivations/policed_traffic.md, section 7
/// TESTS     tests/bounds/guarantee/crossbar_guarantee_test.cpp
namespace tailbound::bounds {

struct PolicedCrossbar {
  static constexpr std::int64_t max_ports = 1'000'000, max_burst = 1'000'000'000;

  std::int64_t ports = 2;       ///< K, 1 .. max_ports
  std::int64_t speedup = 2;     ///< S, 1 .. max_ports
  traffic::TokenBucket row;     ///< rate above 0 and at most 1, burst 1 .. max_burst
  traffic::TokenBucket column;  ///< the same

  /// a_r and a_c.  \pre  slots >= 1
  [[nodiscard]] std::int64_t row_cells(std::int64_t slots) const;
  [[nodiscard]] std::int64_t column_cells(std::int64_t slots) const;
};

struct CrossbarGuarantee {
  std::int64_t input_slots = 0;   ///< D: a cell leaves its input in one of so many slots
  std::int64_t input_cells = 0;   ///< a_r(D), just after the arrivals of a slot
  std::int64_t output_wait = 0;   ///< W [slots]; 0 with S = 1
  std::int64_t output_cells = 0;  ///< W + 1, before a cell is transmitted; 0 with S = 1
  /// From the slot of its arrival until that of its transmission, both included: D + W.
  [[nodiscard]] std::int64_t switch_slots() const { return input_slots + output_wait; }
};

/// \throws InvalidArgument  a number out of range; the speedup does not exceed the sum of both rates, and no
///                          D below 10^6 satisfies the condition  \throws LimitExceeded  see COST
[[nodiscard]] CrossbarGuarantee crossbar_guarantee(const PolicedCrossbar& crossbar);

}  // namespace tailbound::bounds
