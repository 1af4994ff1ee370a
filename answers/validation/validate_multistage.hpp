#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/multistage/multistage.hpp>
#include <tailbound/answers/multistage/simulate_multistage.hpp>

#include <optional>

/// The models of a combining multistage network and its simulation, at one load.
///
/// TESTS     tests/answers/multistage/multistage_test.cpp
namespace tailbound::answers {

struct ValidateMultistageQuestion {
  /// What is simulated. The models know nothing of the wiring; `published` knows Links::any only.
  SimulateMultistageQuestion simulation;
};

/// One quantity of both variants beside the same estimate.
template <class Unit>
struct ComparedVariants {
  Comparison<Unit> blocking;
  std::optional<Comparison<Unit>> published{};  ///< empty with Links::one
};

struct ValidateMultistageAnswer {
  MultistageAnswer blocking;
  std::optional<MultistageAnswer> published;  ///< empty with Links::one
  SimulateMultistageAnswer simulation;

  ComparedVariants<unit::RequestsPerSlot> throughput;  ///< Optimistic::above
  /// Optimistic::below; empty where there is no such request, or none was delivered.
  std::optional<ComparedVariants<unit::Time>> delay{}, hot_delay{}, cold_delay{};
  Tally of_blocking{};  ///< the verdicts on `blocking`, the variant that MultistageQuestion has unless told

  [[nodiscard]] bool stopped() const { return simulation.stopped(); }
};

/// \throws InvalidArgument, LimitExceeded, Stopped  as the answers to the questions that it is made of
[[nodiscard]] ValidateMultistageAnswer answer(const ValidateMultistageQuestion& question,
                                              const Run& run = {});

}  // namespace tailbound::answers
