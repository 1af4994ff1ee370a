#pragma once

#include <reproduce/figure.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/bounds/wormhole/broadcast.hpp>

#include <array>
#include <string>
#include <vector>

namespace tailbound::figures {

/// Shahrabi and Ould-Khaoua 2003: broadcast (figure 3) and unicast (figure 4) latency of hypercubes.
[[nodiscard]] std::vector<Figure> shahrabi_figures();

/// The variants of the model: the published equations with each copy counted once, as printed, and the model
/// of the commands. Simulated rates are fractions of the saturation rate of the first.
inline constexpr std::array kCompared{bounds::wormhole::Replication::conserving,
                                      bounds::wormhole::Replication::literal,
                                      bounds::wormhole::Replication::shared_wire};

/// One latency at one rate, by each variant.
struct VariantsAtRate {
  double rate = 0;                    ///< [messages/cycle/node]
  double fraction_of_saturation = 0;  ///< of the first variant
  std::array<answers::Comparison<unit::Cycle>, kCompared.size()> variants;
};

/// Minimum and maximum error of each variant up to 80 % of the saturation rate of the first variant; agrees
/// with the paper if the variant of the paper, `literal`, is within 5 %.
/// \param hypercube  short description;  \param points  of one latency
[[nodiscard]] Finding judge(const std::string& hypercube, const std::vector<VariantsAtRate>& points);

}  // namespace tailbound::figures
