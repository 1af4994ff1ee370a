#pragma once

#include <cli/reproduce_figures.hpp>

namespace tailbound::cli::reproduce {

/// Singh and Dally, Buffer and Delay Bounds in High Radix Interconnection Networks, 2004: figures 4, 5, 6, 7.
[[nodiscard]] std::vector<Figure> singh_dally_figures();

}  // namespace tailbound::cli::reproduce
