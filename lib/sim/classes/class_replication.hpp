#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Slot-by-slot simulation of one output shared by several classes of packets.
///
/// MODEL     In each slot packets of each class arrive. An arriving packet joins the queue of its class, or
///           is lost if that is full. Then the slot is counted, and one packet, or `served`, are served.
///           Within a class service is first in, first out. The order of classes:
///             strict  the highest class with a packet
///             wrr     weighted round robin: class after class, up to its weight of packets, empty ones
///                     skipped
///             drr     deficit round robin: a visited class is credited its weight, serves while its credit
///                     covers a packet, and keeps the rest unless its queue empties
///           Arrivals are one of
///             inputs that send at most one packet per slot each, of class c with probability loads[c] /
///             inputs
///             the same as on-off sources (traffic/on_off.hpp), each burst of one class, drawn by the loads,
///             or to another output
///             a joint distribution of the packets of each class in a slot, which may depend on a phase
/// RESULT    counts (ClassRows). For wrr and drr with unlimited buffers also the queues of each class served
///           alone, and served last. For any weights its queue lies between these two
///           (docs/derivations/priorities.md), slot by slot, which is checked in every slot.
/// METHOD    independent slots: one draw for the packets of all inputs, one for the class of each
/// COST      some 20 million packets per second and processor for 16 inputs and two classes
/// TESTS     tests/sim/classes/simulate_classes_test.cpp
namespace tailbound::sim {

enum class Schedule { strict, wrr, drr };
[[nodiscard]] constexpr auto names_of(Schedule) {
  return std::array{"strict", "wrr", "drr"};
}

/// Packets of each class that arrive together.
struct SlotPackets {
  std::vector<std::int64_t> packets;
  numeric::Rational probability;
  std::size_t from = 0, to = 0;  ///< phase of the slot, and of the next
};

struct ClassModel {
  static constexpr std::int64_t max_inputs = 1024, max_capacity = 10'000'000;
  static constexpr std::size_t max_classes = 8;

  std::int64_t inputs = 1;  ///< 1 .. 1024
  std::vector<numeric::Rational>
      loads;  ///< per class [packets/slot], class 1 first; above 0, at most `inputs` together
  std::optional<traffic::Burst> burst{};
  numeric::Rational share = 1;       ///< of the bursts, to this output: above 0, at most 1
  std::vector<SlotPackets> joint{};  ///< instead of inputs and bursts; sums to 1 from each phase 0, 1, ..
  int served = 1;                    ///< packets served per slot, 1 .. 64; 1 with wrr and drr
  Schedule schedule = Schedule::strict;
  std::vector<numeric::Rational> weights{};  ///< wrr: whole; drr: 1/1000 .. 1000; strict: none
  std::vector<std::int64_t> capacities{};    ///< buffer of each class [packets]; unlimited if empty

  [[nodiscard]] std::size_t classes() const { return loads.size(); }
  [[nodiscard]] numeric::Rational load() const;
  /// Of an input with bursts, to all outputs [packets/slot].
  [[nodiscard]] numeric::Rational source_load() const;
  [[nodiscard]] bool finite() const { return !capacities.empty(); }
  /// Are the queues of each class served alone and served last counted as well?
  [[nodiscard]] bool bounded() const { return schedule != Schedule::strict && !finite(); }
};

/// Rows of the counts, by kind and class.
struct ClassRows {
  enum Kind : std::size_t {
    arrivals,   ///< [0] packets that arrived, [1] lost, [2] served
    occupancy,  ///< [n]: slots
    waits,      ///< [w]: packets served after w slots
    alone,      ///< [n]: slots with n packets, if no other class were there
    last,       ///< [n]: the same if all others were served first
    kinds
  };
  [[nodiscard]] static std::size_t of(Kind kind, std::size_t which) { return which * kinds + kind; }
  [[nodiscard]] static std::size_t count(std::size_t classes) { return classes * kinds; }
};

/// \throws InvalidArgument  a field out of range
/// \throws Unstable         without finite buffers: all classes together offer as much as is served or more
[[nodiscard]] std::unique_ptr<Replication> make_class_replication(const ClassModel& model, RandomKey key);

/// The inputs as text, for checkpoints.
[[nodiscard]] std::string describe(const ClassModel& model);

}  // namespace tailbound::sim
