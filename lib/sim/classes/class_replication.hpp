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

/// Simulation, slot by slot, of one output that several classes of packets share.
///
/// MODEL     In each slot packets of each class arrive; what came joins the queue of its class, or is lost where that has no
///           room; then the slot is counted; then one packet is served if there is any. Within a class first in, first out.
///           Who is served:
///             strict  the first class that has a packet
///             wrr     weighted round robin: class after class up to its weight of packets, empty ones passed over
///             drr     deficit round robin: a class that is visited is given its weight, serves while it has a packet's
///                     worth left, and keeps what is left, unless its queue empties
///           Arrivals by one of
///             inputs that send at most one packet a slot each, of class c with probability loads[c] / inputs
///             the same as on-off sources (traffic/on_off.hpp), each burst of one class, drawn by the loads
///             a joint law of the packets of each class in a slot
/// RESULT    counts (ClassRows). Of wrr and drr without finite room also the queues of each class were it alone, and were it
///           served last: whatever the weights, its queue lies between (docs/derivations/priorities.md), slot by slot,
///           which is looked at in every slot.
/// METHOD    independent slots: one draw for the packets of all inputs, one for the class of each
/// COST      some 20 million packets a second of a processor for 16 inputs and two classes
/// TESTS     tests/sim/classes/simulate_classes_test.cpp
namespace tailbound::sim {

enum class Schedule { strict, wrr, drr };
[[nodiscard]] constexpr auto names_of(Schedule) {
  return std::array{"strict", "wrr", "drr"};
}

/// So many packets of each class come together.
struct SlotPackets {
  std::vector<std::int64_t> packets;
  numeric::Rational probability;
};

struct ClassModel {
  static constexpr std::int64_t most_inputs = 1024, most_room = 10'000'000;
  static constexpr std::size_t most_classes = 8;

  std::int64_t inputs = 1;  ///< 1 .. 1024
  std::vector<numeric::Rational>
      loads;  ///< of each class [packets/slot], class 1 in front; above 0, at most `inputs` together
  std::optional<traffic::Burst> burst{};
  std::vector<SlotPackets> joint{};  ///< in place of inputs and bursts; sums to 1
  Schedule schedule = Schedule::strict;
  std::vector<numeric::Rational> weights{};  ///< of wrr whole, of drr 1/1000 .. 1000; none of strict
  std::vector<std::int64_t> rooms{};         ///< of each class [packets]; without end where there are none

  [[nodiscard]] std::size_t classes() const { return loads.size(); }
  [[nodiscard]] numeric::Rational load() const;
  [[nodiscard]] bool finite() const { return !rooms.empty(); }
  /// Are classes counted as if alone and as if served last, too?
  [[nodiscard]] bool bounded() const { return schedule != Schedule::strict && !finite(); }
};

/// Rows of the counts: of what, of which class.
struct ClassRows {
  enum Kind : std::size_t {
    arrivals,   ///< [0] packets that came, [1] lost, [2] served
    occupancy,  ///< [n]: slots
    waits,      ///< [w]: packets served after w slots
    alone,      ///< [n]: slots with n of them, if no other class were there
    last,       ///< [n]: the same if all others were served first
    kinds
  };
  [[nodiscard]] static std::size_t of(Kind kind, std::size_t which) { return which * kinds + kind; }
  [[nodiscard]] static std::size_t count(std::size_t classes) { return classes * kinds; }
};

/// \throws InvalidArgument  a field out of range
/// \throws Unstable         without finite rooms: all classes together are offered 1 packet a slot or more
[[nodiscard]] std::unique_ptr<Replication> make_class_replication(const ClassModel& model, RandomKey key);

/// The inputs as text, for checkpoints.
[[nodiscard]] std::string describe(const ClassModel& model);

}  // namespace tailbound::sim
