#pragma once

#include <cli/simulate_tree.hpp>

namespace tailbound::cli {

/// `simulate tree --rare`: probabilities that plain simulation does not reach. Hop 1 under random-root routing
/// by importance sampling of its queue, any other by splitting.
/// \param draws  is a picture asked for?
/// \throws InvalidArgument  options that do not go with --rare;  others as the simulations
[[nodiscard]] Reply answer_rare(const TreeSimulationOptions& options, bool draws, const Context& context);

}  // namespace tailbound::cli
