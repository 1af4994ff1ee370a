#pragma once

#include <reproduce/figure.hpp>
#include <tailbound/answers/validation/validate_broadcast.hpp>

#include <string>
#include <vector>

namespace tailbound::figures {

/// Shahrabi and Ould-Khaoua 2003: broadcast (figure 3) and unicast (figure 4) latency of hypercubes.
[[nodiscard]] std::vector<Figure> shahrabi_figures();

/// The least and greatest error of each variant at the points up to 80 % of the first variant's saturation rate;
/// it agrees with the paper if its own variant, `literal`, is within 5 %.
/// \param hypercube  in a few words;  \param points  of one latency
[[nodiscard]] Finding judge(const std::string& hypercube,
                            const std::vector<answers::BroadcastComparison>& points);

}  // namespace tailbound::figures
