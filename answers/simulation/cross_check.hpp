#pragma once

#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/network/fabric/fabric.hpp>
#include <tailbound/numeric/truth.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Computed delays beside a short simulation of the same network.
///
/// MODEL     sim/tree/tree_replication.hpp, sim/network/network_replication.hpp, sim/fabric/fabric_replication.hpp, from
///           seed 1. How long it is depends on the network alone (packet-hops, not seconds): the result is the same on
///           every machine.
/// RESULT    P(D > t) with intervals from batches at up to seven levels of each flow and of all packets: those nearest to
///           0.3 .. 1e-4 that are known to 20 %, and the rarest of these. Judged are all of them together, with 95 %.
/// EXCLUDES  levels that so short a simulation does not resolve: what lies deeper is not checked.
/// TESTS     tests/answers/simulation/cross_check_test.cpp
namespace tailbound::answers {

enum class CheckEffort {
  affordable,  ///< about 0.3 s of a processor, or not at all
  thorough,    ///< ten times that, and longer where the network needs it
};

enum class Agreement {
  agrees,
  optimistic,   ///< simulated above computed, by over 10 % beyond the interval
  pessimistic,  ///< simulated below half of what is computed, beyond the interval
};

struct CheckedLevel {
  std::optional<std::size_t> flow{};                 ///< position among the flows checked; none: all packets
  Slots slots;                                       ///< t
  numeric::Estimate<unit::Probability> simulated{};  ///< P(D > t), with 95 %
  double computed = 0;
  Agreement agreement = Agreement::agrees;
};

struct CrossCheck {
  std::vector<CheckedLevel> levels;  ///< flow by flow, rarer and rarer; at last those of all packets
  std::int64_t slots = 0;            ///< measured
  double packet_hops = 0;            ///< simulated, or what it would take where it was skipped
  bool skipped = false;              ///< it would have taken longer than allowed, or was stopped

  [[nodiscard]] bool contradicted() const;
  [[nodiscard]] bool contradicted(std::optional<std::size_t> flow) const;
  /// The rarest level; null where there is none.
  [[nodiscard]] const CheckedLevel* rarest(std::optional<std::size_t> flow) const;
};

/// P(D > t) as computed, at the levels of each flow checked and, last, of all packets.
using ComputedTails = std::function<std::vector<std::vector<double>>(const std::vector<std::vector<Slots>>&)>;

struct CheckedDelays {
  std::vector<std::string> flows{};  ///< of a network, by name; of more than 4096 none is looked at by itself
  bool all = true;                   ///< are all packets of the topology checked?
  bool bounds = false;               ///< what is computed may be above the truth
  ComputedTails computed;
};

/// \pre no queue is offered as much as it serves
[[nodiscard]] CrossCheck cross_check(const Topology& topology, const CheckedDelays& delays,
                                     CheckEffort effort, const Run& run = {});

/// Likewise of a network without lists of flows: all its packets.
/// \param workload  of one slot; its `steps` are not looked at
[[nodiscard]] CrossCheck cross_check(const network::Fabric& fabric, const Workload& workload,
                                     const ComputedTails& computed, CheckEffort effort, const Run& run = {});

}  // namespace tailbound::answers
