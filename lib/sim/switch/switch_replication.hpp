#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/traffic/on_off.hpp>
#include <tailbound/traffic/packet_sizes.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Slot-by-slot simulation of an output-queued switch whose queues share one memory.
///
/// MODEL     In each slot every input may send to one output. Arrivals join the output's queue; then the slot
///           is counted; then each queue that is not empty serves one cell. Q of an output counts its cells
///           just after the arrivals of a slot, including the one in transmission; T is the sum of all Q.
///           Inputs send independently of each other:
///             packets of one cell      with a probability, from slot to slot independently;
///             on-off sources           bursts with per-burst or per-packet destinations
///                                      (traffic/on_off.hpp);
///             packets of several cells all of them in one slot (`whole`), or one per slot (`cells`): a free
///             input starts a packet with probability a = p / (p + E[L] (1 - p)).
///           Each packet, or burst, draws its output: output 0 with the probability `hot` in addition to its
///           even share of the rest.
///           With finite memory or buffers the inputs of a slot are taken in random order, cell by cell, and
///           a cell is accepted iff  T < memory,  Q < buffer  and  Q < threshold (memory - T)  at its
///           arrival; otherwise it is lost. A packet is damaged if any of its cells is lost; accepted cells
///           are kept and served.
/// RESULT    counts (SwitchRows)
/// METHOD    64 slots at a time: the cells of each input in these slots are drawn input by input, and added
///           to a table of the cells that arrive at each output in each slot; queues are stored as lengths
///           only. Only slots with a possible shortage of memory are processed input by input.
/// EXCLUDES  input queues; packets that wait for space for all their cells; packets removed to make space
/// COST      bench/README.md, simulate_switch
/// SOURCE    docs/derivations/switch_simulation.md
/// TESTS     tests/sim/switch_test.cpp
namespace tailbound::sim {

/// How the cells of a packet arrive at the switch.
enum class PacketArrival {
  whole,  ///< all in one slot
  cells,  ///< one per slot
};
[[nodiscard]] constexpr auto names_of(PacketArrival) {
  return std::array{"whole", "cells"};
}

struct SwitchModel {
  std::vector<numeric::Rational> rates;  ///< cells per slot of each input, 0 < p <= 1; 1 .. 1024 of them
  std::int64_t outputs = 1;              ///< 1 .. 4096
  /// fraction of the packets that go to output 0 in excess of its even share, 0 <= hot <= 1
  numeric::Rational hot = 0;
  std::optional<traffic::Burst> burst{};
  traffic::Destination destination = traffic::Destination::per_burst;
  std::vector<traffic::CellClass> sizes{};  ///< packet sizes, up to 65 536 cells; none: every packet is
                                            ///< one cell; not together with bursts
  PacketArrival arrival = PacketArrival::whole;
  std::optional<std::int64_t> memory{};          ///< shared by all queues [cells], 1 .. 10^7
  std::optional<numeric::Rational> threshold{};  ///< alpha of the dynamic threshold, > 0; needs a memory
  std::optional<std::int64_t> buffer{};          ///< per queue [cells], 1 .. 10^7

  [[nodiscard]] bool finite() const { return memory || buffer; }
};

[[nodiscard]] SwitchModel switch_model(std::int64_t inputs, const numeric::Rational& load);

/// Offered load of the busiest output [cells/slot].
[[nodiscard]] numeric::Rational busiest_load(const SwitchModel& model);

/// Rows of the counts. Group 0 is the equivalent outputs, group 1 the hot one.
struct SwitchRows {
  static constexpr std::size_t slots = 0;    ///< [0]
  static constexpr std::size_t packets = 1;  ///< [class] that arrived (with `cells`: that started)
  static constexpr std::size_t hurt = 2;     ///< [class] that lost a cell
  static constexpr std::size_t cells = 3;    ///< [group] that arrived
  static constexpr std::size_t lost = 4;     ///< [group]: cells
  static constexpr std::size_t total = 5;    ///< [T]: slots
  static constexpr std::size_t queue = 6;    ///< [Q]: slots, all outputs of group 0 together
  static constexpr std::size_t hot = 7;      ///< [Q]: slots, of the hot output
  static constexpr std::size_t count = 8;
};

/// Cells since the start; the cells inside are counted before the service of the last slot.
struct CellBalance {
  std::uint64_t came = 0, lost = 0, served = 0, inside = 0;
  [[nodiscard]] bool conserved() const { return came == lost + served + inside; }
};

class SwitchReplication : public Replication {
 public:
  /// Q of each output after the service of the last slot.
  [[nodiscard]] virtual std::vector<std::uint32_t> lengths() const = 0;
  [[nodiscard]] virtual CellBalance balance() const = 0;
};

/// \throws InvalidArgument  a field out of range
/// \throws Unstable         without a memory or a buffer: the offered load of an output is 1 cell per slot or
///                          more
[[nodiscard]] std::unique_ptr<SwitchReplication> make_switch_replication(const SwitchModel& model,
                                                                         RandomKey key);

/// The inputs as text, for checkpoints.
[[nodiscard]] std::string describe(const SwitchModel& model);

}  // namespace tailbound::sim
