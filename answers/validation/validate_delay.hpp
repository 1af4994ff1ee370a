#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/delay/delay_model.hpp>
#include <tailbound/answers/delay/delay_paths.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/simulation/simulation.hpp>

#include <memory>
#include <optional>
#include <vector>

/// Delays through a tree or any network, by analysis and by simulation.
///
/// MODEL     D of all packets of all flows together: delay_model.hpp, of fabrics bounds/network/fabric_delay.hpp, beside
///           answers/simulation/simulate_tree.hpp.
///           Both are given the same topology; they share no queueing code.
/// EXCLUDES  what DelayOmissions says of the analysis
/// TESTS     tests/answers/validation/validate_delay_test.cpp
namespace tailbound::answers {

/// A network whose traffic is not listed, for both.
struct ValidatedFabric {
  std::shared_ptr<const network::Fabric> analysed;
  std::shared_ptr<const SimulatedFabric> simulated;
};

struct ValidateDelayQuestion {
  Topology topology;
  /// In place of the network's flows, of which there are none then: decoupled sources, waits, independent hops, no
  /// times.
  std::optional<ValidatedFabric> fabric{};
  network::Sources sources = network::Sources::decoupled;
  queue::HopDelay hop_delay = queue::HopDelay::wait;
  std::optional<Hops> hops{};   ///< as DelayModelQuestion
  std::vector<Slots> levels{};  ///< t of P(D > t); unless told, where the analysis says simulable_tails()
  std::vector<numeric::Rational> percentiles{};  ///< of D, as fractions, above 0 and below 1
  /// Of a slot, and of what each queue passed adds: percentiles and mean of the latency T are then compared as times.
  std::optional<SlotTime> time{};
  double confidence = 0.95;  ///< with which all intervals hold together, above 0 and below 1
  RunLength length{};        ///< as SimulateTreeQuestion
};

struct ComparedDelay {
  Slots level;
  Comparison<unit::Probability> above{};  ///< P(D > level)
};

struct ComparedPercentile {
  numeric::Rational fraction;
  Comparison<unit::Slot> queueing{};  ///< of D, in whole slots
};

struct ComparedLatency {
  numeric::Rational fraction;
  Comparison<unit::Time> latency{};  ///< of T, with what hops add [ns]
};

struct ValidateDelayAnswer {
  DelayOmissions omissions{};     ///< of the analysis
  Hops hops = Hops::independent;  ///< as which it answers
  SimulateTreeAnswer simulation{};
  std::vector<ComparedDelay> tail{};              ///< at the question's levels, or rising
  std::vector<ComparedPercentile> percentiles{};  ///< in the order of the question's
  Comparison<unit::Slot> mean_queueing{};
  std::vector<ComparedLatency> latencies{};  ///< in the order of the percentiles; where there is a time
  std::optional<Comparison<unit::Time>> mean_latency{};  ///< likewise
  double confidence_of_each = 0;                         ///< of each comparison's interval
  Tally tally{};                                         ///< of all comparisons

  [[nodiscard]] bool stopped() const { return simulation.stopped(); }
};

/// Analysis first, so that what it refuses is refused at once.
/// \throws as answer(SimulateTreeQuestion), delay_paths() and bounds::PathDelay; of fabrics bounds::FabricDelay
[[nodiscard]] ValidateDelayAnswer answer(const ValidateDelayQuestion& question, const Run& run = {});

/// For pictures: P(D > t) both ways from t = 0 to the last delay that was seen, some 60 levels at most, with
/// 95 % intervals. Of the same run.  COST  the analysis once more, that deep.
[[nodiscard]] std::vector<ComparedDelay> compared_curve(const ValidateDelayQuestion& question,
                                                        const ValidateDelayAnswer& answer);

}  // namespace tailbound::answers
