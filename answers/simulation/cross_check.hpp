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

/// Cross-check of computed delays by a short simulation of the same network.
///
/// MODEL     sim/tree/tree_replication.hpp, sim/network/network_replication.hpp,
/// sim/fabric/fabric_replication.hpp, from
///           seed 1. Its length depends only on the network (packet-hops, not seconds): the result is the
///           same on
///           every machine.
/// RESULT    P(D > t) with intervals from batches at up to seven levels of each flow and of all packets:
/// those nearest to
///           0.3 .. 1e-4 that are known to 20 %, and the rarest of these. All of them are judged together,
///           with 95 %.
/// EXCLUDES  deeper levels, which so short a simulation does not resolve: they are not checked.
/// TESTS     tests/answers/simulation/cross_check_test.cpp
namespace tailbound::answers {

enum class CheckEffort {
  affordable,  ///< about 0.3 s of processor time, otherwise skipped
  thorough,    ///< ten times that, and longer if the network needs it
};

enum class Agreement {
  agrees,
  underestimates,  ///< simulated exceeds computed by over 10 % beyond the interval
  pessimistic,     ///< simulated is below half of computed, beyond the interval
};

struct CheckedLevel {
  std::optional<std::size_t> flow{};                 ///< position among the checked flows; none: all packets
  Slots slots;                                       ///< t
  numeric::Estimate<unit::Probability> simulated{};  ///< P(D > t), 95 % interval
  std::uint64_t count = 0;                           ///< packets with D > t
  double computed = 0;
  Agreement agreement = Agreement::agrees;
};

struct CrossCheck {
  std::vector<CheckedLevel> levels;  ///< flow by flow, with decreasing probability; then all packets
  std::int64_t slots = 0;            ///< measured slots
  double packet_hops = 0;            ///< simulated, or required if it was skipped
  bool skipped = false;              ///< it would have exceeded the limit, or was stopped

  [[nodiscard]] bool contradicted() const;
  [[nodiscard]] bool contradicted(std::optional<std::size_t> flow) const;
  /// The rarest level; null if there is none.
  [[nodiscard]] const CheckedLevel* rarest(std::optional<std::size_t> flow) const;
};

/// Computed P(D > t), at the levels of each checked flow and, last, of all packets.
using ComputedTails = std::function<std::vector<std::vector<double>>(const std::vector<std::vector<Slots>>&)>;

struct CheckedDelays {
  std::vector<std::string> flows{};  ///< of a network, by name; ignored if there are more than 4096
  bool all = true;                   ///< are all packets of the topology checked together?
  bool bounds = false;               ///< the computed values may exceed the true ones
  ComputedTails computed;
};

/// \pre the offered load of every queue is below its capacity
[[nodiscard]] CrossCheck cross_check(const Topology& topology, const CheckedDelays& delays,
                                     CheckEffort effort, const Run& run = {});

/// The same for a network without a list of flows: all its packets.
/// \param workload  of one slot; its `steps` are ignored
[[nodiscard]] CrossCheck cross_check(const network::Fabric& fabric, const Workload& workload,
                                     const ComputedTails& computed, CheckEffort effort, const Run& run = {});

}  // namespace tailbound::answers
