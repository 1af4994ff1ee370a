#pragma once

#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/answers/multistage/simulate_multistage.hpp>
#include <tailbound/answers/validation/compared.hpp>

/// The model of a combining multistage network compared with simulation, at one load.
///
/// TESTS     tests/answers/multistage/multistage_test.cpp
namespace tailbound::answers {

struct ValidateMultistageQuery {
  /// The simulated network. The model ignores the wiring.
  SimulateMultistageQuery simulation;
};

/// The throughput, which is unsafe above the simulation, and delays, for requests of which there are any.
struct ValidateMultistageAnswer : Validated<SimulateMultistageAnswer> {
  MultistageAnswer model;
};

/// \throws InvalidArgument, LimitExceeded, Stopped  as the underlying queries
[[nodiscard]] ValidateMultistageAnswer answer(const ValidateMultistageQuery& query, const Run& run = {});

}  // namespace tailbound::answers
