#pragma once

#include <reproduce/figure.hpp>
#include <tailbound/answers/validation/validate_broadcast.hpp>

#include <string>
#include <vector>

namespace tailbound::figures {

/// Shahrabi and Ould-Khaoua 2003: broadcast (figure 3) and unicast (figure 4) latency of hypercubes.
[[nodiscard]] std::vector<Figure> shahrabi_figures();

/// Minimum and maximum error of each variant up to 80 % of the saturation rate of the first variant; agrees
/// with the paper if the variant of the paper, `literal`, is within 5 %.
/// \param hypercube  short description;  \param points  of one latency
[[nodiscard]] Finding judge(const std::string& hypercube,
                            const std::vector<answers::BroadcastComparison>& points);

}  // namespace tailbound::figures
