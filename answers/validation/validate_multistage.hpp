#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/answers/multistage/simulate_multistage.hpp>

#include <optional>

/// The models of a combining multistage network compared with simulation, at one load.
///
/// TESTS     tests/answers/multistage/multistage_test.cpp
namespace tailbound::answers {

struct ValidateMultistageQuery {
  /// The simulated network. The models ignore the wiring; `published` applies to Links::any only.
  SimulateMultistageQuery simulation;
};

/// One quantity of both variants, compared with the same estimate.
template <class Unit>
struct ComparedVariants {
  Comparison<Unit> blocking;
  std::optional<Comparison<Unit>> published{};  ///< empty with Links::one
};

struct ValidateMultistageAnswer {
  MultistageAnswer blocking;
  std::optional<MultistageAnswer> published;  ///< empty with Links::one
  SimulateMultistageAnswer simulation;

  ComparedVariants<unit::RequestsPerSlot> throughput;  ///< UnsafeSide::above
  /// UnsafeSide::below; empty without such requests, or if none was delivered.
  std::optional<ComparedVariants<unit::Time>> delay{}, hot_delay{}, cold_delay{};
  Tally of_blocking{};  ///< the verdicts on `blocking`, the default variant of MultistageQuery

  [[nodiscard]] bool stopped() const { return simulation.stopped(); }
};

/// \throws InvalidArgument, LimitExceeded, Stopped  as the underlying queries
[[nodiscard]] ValidateMultistageAnswer answer(const ValidateMultistageQuery& query, const Run& run = {});

}  // namespace tailbound::answers
