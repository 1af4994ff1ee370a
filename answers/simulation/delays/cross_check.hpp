#pragma once

#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/network/fabric/fabric.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/seen_times.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Delays of a network by a simulation of this very network and load, and computed delays compared with it.
///
/// MODEL     sim/tree/tree_replication.hpp, sim/network/network_replication.hpp, where links differ in speed
///           sim/network/clocked_replication.hpp; sim/fabric/fabric_replication.hpp; from seed 1. Its length
///           depends only on the network (packet-hops, not seconds): the result is the same on every machine.
/// RESULT    P(D > t) with intervals from batches at up to seven levels of each flow and of all packets:
///           those nearest to 0.3 .. 1e-4 that are known to 20 %, and the rarest of these. Each is judged
///           by itself: of correct delays up to 5 % are taken for wrong, which costs a simulated answer.
/// EXCLUDES  deeper levels, which the simulation does not resolve: they are not checked.
/// TESTS     tests/answers/simulation/delays/cross_check_test.cpp
namespace tailbound::answers {

using sim::SeenRow;
using sim::SeenTimes;

/// Length of a simulation of delays.
enum class DelayEffort {
  brief,      ///< about 0.3 s of processor time, otherwise skipped: for delays that are proved
  usual,      ///< 1 to 2 s, otherwise skipped
  requested,  ///< the same, and longer if the network needs it
};

/// A computed delay this factor from the simulated one, or within its interval, agrees.
inline constexpr double agreeing_factor = 1.1;

enum class Agreement {
  agrees,          ///< within the interval, or 10 % of its value (of one below 1e-3: 25 %)
  underestimates,  ///< below both
  overestimates,   ///< above both
};

struct CheckedLevel {
  std::optional<std::size_t> flow{};                 ///< position among the checked flows; none: all packets
  Slots slots;                                       ///< t [steps]
  std::int64_t steps = 1;                            ///< in a slot
  numeric::Estimate<unit::Probability> simulated{};  ///< P(D > t), 95 % interval
  std::uint64_t count = 0;                           ///< packets with D > t
  double computed = 0;
  Agreement agreement = Agreement::agrees;
};

struct CrossCheck {
  std::vector<CheckedLevel> levels;  ///< flow by flow, with decreasing probability; then all packets
  std::int64_t slots = 0;            ///< measured slots of all replications
  double packets = 0;                ///< measured
  double packet_hops = 0;            ///< simulated, or required if it was skipped
  bool skipped = false;              ///< it would have exceeded the limit, or was stopped
};

/// A finished simulation of delays.
class SimulatedDelays {
 public:
  [[nodiscard]] bool skipped() const { return length_.skipped; }
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  /// Of a group of flows; none: of all packets.
  [[nodiscard]] SeenTimes waits(std::optional<std::size_t> group) const { return seen(group, false); }
  [[nodiscard]] SeenTimes latencies(std::optional<std::size_t> group) const { return seen(group, true); }
  /// All times are counted in steps: so many are one slot. Where all links have the same speed, a step is a
  /// packet time of theirs.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Rows of a group, with transfer times in steps.
  [[nodiscard]] const std::vector<SeenRow>& rows(std::optional<std::size_t> group) const {
    return group ? groups_.at(*group) : all_;
  }
  [[nodiscard]] const CrossCheck& length() const { return length_; }  ///< without levels
  [[nodiscard]] SeenTimes seen(const std::vector<SeenRow>& rows, bool latency) const;

 private:
  friend class DelaySimulation;
  [[nodiscard]] SeenTimes seen(std::optional<std::size_t> group, bool latency) const {
    return seen(rows(group), latency);
  }

  sim::RunResult result_{};
  std::int64_t steps_ = 1;
  bool clocked_ = false;  ///< counted by sim::WaitBins
  std::vector<std::vector<SeenRow>> groups_{};
  std::vector<SeenRow> all_{};
  CrossCheck length_{};
};

/// \param groups  group of each flow of a network, from 0; ignored for a tree, whose packets are one group
/// \pre the offered load of every queue is below its capacity
[[nodiscard]] SimulatedDelays simulated_delays(const Topology& topology,
                                               const std::vector<std::size_t>& groups, DelayEffort effort,
                                               const Run& run = {});

/// The same for a network without a list of flows, without groups. A slot is one of the fabric.
/// \param workload  of one slot; its `steps` are ignored
[[nodiscard]] SimulatedDelays simulated_delays(const network::Fabric& fabric, const Workload& workload,
                                               DelayEffort effort, const Run& run = {});

/// Computed P(D > t), at the levels [steps] of each checked flow and, last, of all packets.
using ComputedTails = std::function<std::vector<std::vector<double>>(const std::vector<std::vector<Slots>>&)>;

struct CheckedDelays {
  std::vector<std::size_t> groups{};  ///< of each checked flow
  bool all = true;                    ///< are all packets checked together?
  bool bounds = false;                ///< the computed values may exceed the true ones
  ComputedTails computed;
};

[[nodiscard]] CrossCheck cross_check(const SimulatedDelays& simulated, const CheckedDelays& delays);

}  // namespace tailbound::answers
