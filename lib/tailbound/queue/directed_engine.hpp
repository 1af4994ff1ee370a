#pragma once

#include <tailbound/queue/markov_arrivals.hpp>
#include <tailbound/queue/markov_engine.hpp>

#include <memory>

/// Queues of equal sources whose bursts go here or elsewhere, with one packet in every slot ON here. Internal to
/// the queue module.
///
/// METHOD    silent_passage.hpp
/// SOURCE    docs/derivations/bursts_to_one_output.md
namespace tailbound::queue {

/// Proves bounds in numbers of so many bits.
/// \throws TooFewBits
[[nodiscard]] std::unique_ptr<Engine> make_directed_engine(const OnOffGroup& group,
                                                           const numeric::Rational& load, int bits);

/// Computes with so many modes of the number ON elsewhere, without a proof (directed_modes.hpp).
[[nodiscard]] std::unique_ptr<Engine> make_directed_modes_engine(const OnOffGroup& group,
                                                                 const numeric::Rational& load, int modes);

/// Phases up to which matrices of all phases are computed with: for finite queues and lower on-rates.
constexpr std::int64_t most_dense_directed_phases = 153;

}  // namespace tailbound::queue
