#pragma once

#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/answers/validation/validate_switch.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// Occupancy of one output queue in cells, and loss of packets of several sizes, by analysis and by
/// simulation.
///
/// MODEL     answers/buffer/sized_buffer.hpp compared with sim/switch/switch_replication.hpp: a switch with
/// as many outputs
///           as inputs, uniform destinations; all outputs are simulated.
/// RESULT    the levels n or the buffer size B in place of the memories of validate_switch.hpp, Q of one
/// output in place of T.
///           A bound is accompanied by the geometric approximation, which is not counted.
/// TESTS     tests/answers/validation/validate_buffer_test.cpp
namespace tailbound::answers {

struct ValidateSizedBufferQuery {
  std::int64_t inputs = 16;  ///< 1 .. 1024
  numeric::Rational load;    ///< of each queue and each input [cells/slot], above 0, below 1
  SwitchCells cells;
  CellArrival arrive = CellArrival::whole;
  /// B, the capacity of each queue in cells: the loss is compared. Default: P(Q > n) with unlimited buffers.
  std::optional<Packets> capacity{};
  std::vector<Packets> levels{};  ///< n of P(Q > n); default: where it is about simulable_tails()
  double confidence = 0.95;       ///< joint confidence of all intervals, above 0 and below 1
  RunLength length{};
};

/// \throws InvalidArgument  levels together with a capacity; otherwise as the underlying queries
/// \throws Unstable, LimitExceeded, NoAnswer, Stopped  as these
[[nodiscard]] ValidateSwitchAnswer answer(const ValidateSizedBufferQuery& query, const Run& run = {});

}  // namespace tailbound::answers
