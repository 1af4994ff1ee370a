#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/answers/multistage/simulate_multistage.hpp>

#include <optional>

/// The model of a combining multistage network compared with simulation, at one load.
///
/// TESTS     tests/answers/multistage/multistage_test.cpp
namespace tailbound::answers {

struct ValidateMultistageQuery {
  /// The simulated network. The model ignores the wiring.
  SimulateMultistageQuery simulation;
};

struct ValidateMultistageAnswer {
  MultistageAnswer model;
  SimulateMultistageAnswer simulation;

  Comparison<unit::RequestsPerSlot> throughput;  ///< UnsafeSide::above
  /// UnsafeSide::below; empty without such requests, or if none was delivered.
  std::optional<Comparison<unit::Time>> delay{}, hot_delay{}, cold_delay{};
  Tally tally{};

  [[nodiscard]] bool stopped() const { return simulation.stopped(); }
};

/// \throws InvalidArgument, LimitExceeded, Stopped  as the underlying queries
[[nodiscard]] ValidateMultistageAnswer answer(const ValidateMultistageQuery& query, const Run& run = {});

}  // namespace tailbound::answers
