#pragma once

#include <tailbound/queue/directed/directed_blocks.hpp>
#include <tailbound/queue/passage/markov_engine.hpp>

#include <memory>

/// Queues of equal sources whose bursts go here or elsewhere. Internal to the queue module.
///
/// METHOD    with one packet in every slot ON here silent_passage.hpp and silent_finite.hpp; with fewer passage.hpp
/// SOURCE    docs/derivations/bursts_to_one_output.md
namespace tailbound::queue {

/// Proves bounds in numbers of so many bits, with one packet in every slot ON here.
/// \throws TooFewBits
[[nodiscard]] std::unique_ptr<Engine> make_directed_engine(const DirectedGroup& group,
                                                           const numeric::Rational& load, int bits);

/// Computes with so many modes of the number ON elsewhere, without a proof (directed_modes.hpp).
[[nodiscard]] std::unique_ptr<Engine> make_directed_modes_engine(const DirectedGroup& group,
                                                                 const numeric::Rational& load, int modes);

/// Phases up to which lower on-rates are certified, with matrices of all phases.
constexpr std::int64_t most_dense_directed_phases = 153;

}  // namespace tailbound::queue
