#pragma once

#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/multistage/simulate_multistage.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// Simulation of a combining multistage network under a hot spot, at one load.
///
/// MODEL     sim/multistage/multistage_replication.hpp; a slot is a service time
/// TESTS     tests/answers/multistage/multistage_test.cpp
namespace tailbound::answers {

struct SimulateMultistageQuery {
  network::CombiningMultistage network;
  numeric::Rational load;         ///< requests per processor and service time; 0 < load <= 1
  numeric::Rational service = 1;  ///< D, 0 < D <= 10^9: service time, the unit of the answer's times
  network::Wiring wiring = network::Wiring::baseline;
  RunLength length{};        ///< in slots
  double services = 3e7;     ///< of all replications together, if `length` has no number of slots; > 0
  double confidence = 0.95;  ///< of each interval, above 0 and below 1
};

/// Estimates with intervals of the given confidence. Requests are counted as generated, also while they
/// travel combined.
struct SimulateMultistageAnswer {
  numeric::Estimate<unit::RequestsPerSlot> throughput;
  /// From entering stage 0 until the last service ends: of all, of hot and of cold requests; empty if none
  /// was delivered.
  std::optional<numeric::Estimate<unit::Time>> delay, hot_delay, cold_delay;
  numeric::Estimate<unit::Probability> stalled;  ///< probability that a generated request waited for stage 0
  std::vector<sim::MultistageStage> hot_path;    ///< [stage]
  std::uint64_t requests = 0;                    ///< delivered during measurement
  Simulated simulated;

  [[nodiscard]] bool stopped() const { return simulated.stopped(); }
};

/// \throws InvalidArgument  a field out of range; a checkpoint of another simulation
/// \throws LimitExceeded    more than 16 GiB
/// \throws Stopped          before two batches were finished
[[nodiscard]] SimulateMultistageAnswer answer(const SimulateMultistageQuery& query, const Run& run = {});

}  // namespace tailbound::answers
