#pragma once

#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/sim/crossbar/crossbar_model.hpp>

#include <cstdint>
#include <memory>
#include <vector>

/// Slot-by-slot simulation of an input-queued switch (sim/crossbar/crossbar_model.hpp).
///
/// RESULT    counts (CrossbarRows)
/// METHOD    Requests are bit sets of ports, by row and by column, so an iteration of a scheduler takes some
///           instructions for each free port. Lengths of VOQs are counted when they change, for the slots
///           since their last change. The arrivals of a key are those of sim/switch/switch_replication.hpp.
/// COST      bench/README.md, simulate_crossbar
/// TESTS     tests/sim/crossbar/crossbar_replication_test.cpp
namespace tailbound::sim {

/// Rows of the counts. Group 0 is the equivalent outputs, group 1 the hot one.
struct CrossbarRows {
  static constexpr std::size_t slots = 0;  ///< [0]
  static constexpr std::size_t came = 1;   ///< [input]: cells
  static constexpr std::size_t lost = 2;   ///< [input]: cells
  static constexpr std::size_t left = 3;   ///< [output]: cells
  static constexpr std::size_t delay = 4;  ///< [D]: cells of group 0
  static constexpr std::size_t hot_delay = 5;
  static constexpr std::size_t input = 6;   ///< [n]: slots, all inputs together
  static constexpr std::size_t voq = 7;     ///< [n]: slots, all VOQs together; none for fifo
  static constexpr std::size_t column = 8;  ///< [n]: slots, outputs of group 0: all cells for an output
  static constexpr std::size_t hot_column = 9;
  static constexpr std::size_t output = 10;  ///< [n]: slots, all output queues, or crosspoints of an output
  static constexpr std::size_t late = 11;    ///< [0]: cells of ccf that the shadow switch sends earlier
  static constexpr std::size_t above = 12;   ///< [0]: of ccf, slots of inputs with n_i > Q_j
  static constexpr std::size_t inside = 13;  ///< [0]: cells in the switch at the end
  static constexpr std::size_t count = 14;   ///< and then, with priorities, [D] of each one: cells
};

class CrossbarReplication : public Replication {
 public:
  /// [output]: cells in the switch for the output, after the last slot.
  [[nodiscard]] virtual std::vector<std::uint32_t> columns() const = 0;
  /// Cells since the start.
  struct Balance {
    std::uint64_t came = 0, lost = 0, left = 0, inside = 0;
    [[nodiscard]] bool conserved() const { return came == lost + left + inside; }
  };
  [[nodiscard]] virtual Balance balance() const = 0;
};

/// \throws InvalidArgument  check()
[[nodiscard]] std::unique_ptr<CrossbarReplication> make_crossbar_replication(const CrossbarModel& model,
                                                                             RandomKey key);

}  // namespace tailbound::sim
