#pragma once

#include <cli/reproduce_figures.hpp>

namespace tailbound::cli::reproduce {

/// Mohapatra, Wong and Das, Performance Analysis of Combining Multistage Interconnection Networks, 1994:
/// figures 4 and 5.
[[nodiscard]] std::vector<Figure> mohapatra_figures();

}  // namespace tailbound::cli::reproduce
