#pragma once

#include <tailbound/answers/delay/delay_model.hpp>
#include <tailbound/answers/delay/delay_paths.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/answers/validation/compared.hpp>

#include <memory>
#include <optional>
#include <vector>

/// Delays through a tree or any network, by analysis and by simulation.
///
/// MODEL     D of all packets of all flows together: analysis by delay_model.hpp, for fabrics
/// bounds/network/fabric_delay.hpp;
///           simulation by answers/simulation/simulate_tree.hpp. Both use the same topology; they share no
///           queueing code.
/// EXCLUDES  effects of the analysis listed in DelayOmissions
/// TESTS     tests/answers/validation/validate_delay_test.cpp
namespace tailbound::answers {

/// A network whose traffic is not listed flow by flow, for both.
struct ValidatedFabric {
  std::shared_ptr<const network::Fabric> analysed;
  std::shared_ptr<const SimulatedFabric> simulated;
};

struct ValidateDelayQuery {
  Topology topology;
  /// Replaces the network's flows, of which there are none then: independent hops, no times.
  std::optional<ValidatedFabric> fabric{};
  std::optional<Hops> hops{};   ///< as DelayModelQuery
  std::vector<Slots> levels{};  ///< t of P(D > t); default: where the analysis gives simulable_tails()
  std::vector<numeric::Rational> percentiles{};  ///< of D, as fractions, above 0 and below 1
  /// Slot time, and the latency added by each queue passed: percentiles and mean of the latency T are then
  /// compared as times.
  std::optional<SlotTime> time{};
  double confidence = 0.95;  ///< joint confidence of all intervals, above 0 and below 1
  RunLength length{};        ///< as SimulateTreeQuery
};

/// P(D > level) at the query's levels, or in increasing order; the percentiles and the mean of D; with a slot
/// time those of the latency.
struct ValidateDelayAnswer : Validated<SimulateTreeAnswer> {
  DelayOmissions omissions{};     ///< of the analysis
  Hops hops = Hops::independent;  ///< the model used
};

/// Analysis first, so that invalid input is rejected at once.
/// \throws as answer(SimulateTreeQuery), delay_paths() and bounds::PathDelay; for fabrics
/// bounds::FabricDelay
[[nodiscard]] ValidateDelayAnswer answer(const ValidateDelayQuery& query, const Run& run = {});

/// For plots: P(D > t) of both from t = 0 to the largest observed delay, at about 60 levels or fewer, with 95
/// % intervals. From the same run.  COST  the analysis once more, to that depth.
[[nodiscard]] std::vector<ComparedRow> compared_curve(const ValidateDelayQuery& query,
                                                      const ValidateDelayAnswer& answer);

}  // namespace tailbound::answers
