#pragma once

#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/answers/validation/validate_switch.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// The cells of one output queue, and what a buffer loses of packets of several sizes, by analysis and by simulation.
///
/// MODEL     answers/buffer/sized_buffer.hpp beside sim/switch/switch_replication.hpp: a switch with as many outputs as inputs,
///           packets to every output alike; simulated are all outputs.
/// RESULT    the levels n or the room B stand where validate_switch.hpp has memories, Q of one output where it has T.
///           Beside a bound is the geometric stand-in, which is not counted.
/// TESTS     tests/answers/validation/validate_buffer_test.cpp
namespace tailbound::answers {

struct ValidateSizedBufferQuestion {
  std::int64_t inputs = 16;  ///< 1 .. 1024
  numeric::Rational load;    ///< of each queue and so of each input [cells/slot], above 0, below 1
  SwitchCells cells;
  CellArrival arrive = CellArrival::whole;
  /// B, the cells of each queue at most: compared is what is lost. Unless told, P(Q > n) with unlimited room.
  std::optional<Packets> capacity{};
  std::vector<Packets> levels{};  ///< n of P(Q > n); unless told, where it is about simulable_tails()
  double confidence = 0.95;       ///< with which all intervals hold together, above 0 and below 1
  RunLength length{};
};

/// \throws InvalidArgument  levels together with a capacity; else as the answers to the questions that it is made of
/// \throws Unstable, LimitExceeded, NoAnswer, Stopped  as these
[[nodiscard]] ValidateSwitchAnswer answer(const ValidateSizedBufferQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
