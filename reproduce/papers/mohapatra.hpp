#pragma once

#include <reproduce/figure.hpp>

#include <vector>

namespace tailbound::figures {

/// Mohapatra, Wong and Das, Performance Analysis of Combining Multistage Interconnection Networks, 1994:
/// figures 4 and 5.
[[nodiscard]] std::vector<Figure> mohapatra_figures();

}  // namespace tailbound::figures
