#pragma once

#include <tailbound/queue/directed/directed_blocks.hpp>
#include <tailbound/queue/passage/markov_engine.hpp>

#include <memory>

/// Queues of identical sources whose bursts go here or elsewhere. Internal to the queue module.
///
/// METHOD    with one packet in every slot ON here silent_passage.hpp and silent_finite.hpp; with fewer
///           passage.hpp
/// SOURCE    docs/derivations/bursts_to_one_output.md
namespace tailbound::queue {

/// Proves bounds with numbers of `bits` bits, for sources that send one packet in every slot ON here.
/// \throws TooFewBits
[[nodiscard]] std::unique_ptr<Engine> make_directed_engine(const DirectedGroup& group,
                                                           const numeric::Rational& load, int bits);

/// Spectral approximation with `modes` modes of the number ON elsewhere, not proved (directed_modes.hpp).
[[nodiscard]] std::unique_ptr<Engine> make_directed_modes_engine(const DirectedGroup& group,
                                                                 const numeric::Rational& load, int modes);

/// Maximum number of phases for which lower on-rates are certified, with matrices over all phases.
constexpr std::int64_t max_dense_directed_phases = 153;

}  // namespace tailbound::queue
