#pragma once

#include <tailbound/numeric/truth.hpp>

#include <span>

/// Confidence intervals from batches.
///
/// MODEL     The measured time is cut into batches of equal length; figures of different batches are taken as
///           independent and identically distributed. This holds better the longer a batch is compared with
///           the relaxation time of the system (sim/batches/batched_run.hpp states the rule for the length).
/// RESULT    sum(numerators) / sum(denominators), and Student's t interval with (batches - 1) degrees of
///           freedom from the residuals  numerator - ratio * denominator.  With equal denominators these are
///           plain batch means, without bias; with random ones (packets delivered) the ratio has a bias of
///           the order of 1 / batches of the interval's width.
/// SOURCE    Law 2015, "Simulation modeling and analysis", sections 9.5.3 and 11.4
/// EXCLUDES  correlated batches of one long run: the interval is then too narrow.
namespace tailbound::sim {

struct RatioEstimate {
  double value = 0, lower = 0, upper = 0;
};

/// The interval is truncated at 0 (numerators are not negative). If no batch saw the event, the value is 0
/// and the upper end corresponds to -log((1 - confidence) / 2) occurrences (the Poisson bound for single
/// events; clustered events can be more likely).
///
/// \param confidence  0 < confidence < 1
/// \throws InvalidArgument  fewer than 2 batches, spans of different length, a sum of denominators that is
///                          not positive, a confidence out of range
[[nodiscard]] RatioEstimate ratio_estimate(std::span<const double> numerators,
                                           std::span<const double> denominators, double confidence = 0.95);

template <class Unit>
[[nodiscard]] numeric::Estimate<Unit> estimate(std::span<const double> numerators,
                                               std::span<const double> denominators,
                                               double confidence = 0.95) {
  const RatioEstimate ratio = ratio_estimate(numerators, denominators, confidence);
  return {ratio.value, ratio.lower, ratio.upper, confidence};
}

}  // namespace tailbound::sim
