#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>
#include <tailbound/queue/passage/markov_engine.hpp>

#include <memory>

/// Identical on-off sources in double precision: proofs of fewer digits in a tenth of the time.
/// Internal to the queue module.
namespace tailbound::queue {

/// Tails, probabilities and the mean. For a loss it throws TooFewBits.
///
/// METHOD  As with more bits (markov_queue.cpp), but the candidates are widened
///         (docs/derivations/bursty_queue.md).
/// \throws TooFewBits
[[nodiscard]] std::unique_ptr<Engine> make_on_off_engine(const OnOffGroup& group,
                                                         const numeric::Rational& load);

}  // namespace tailbound::queue
