#pragma once

#include <tailbound/sim/switch/switch_replication.hpp>

#include <vector>

/// Distributions of a switch's packets. Internal to the sim module.
namespace tailbound::sim {

/// Mean size of a packet [cells].
[[nodiscard]] numeric::Rational mean_cells(const SwitchModel& model);

/// [output]: probability that a packet draws it.
[[nodiscard]] std::vector<double> output_shares(const SwitchModel& model);

/// [size]: probability of a packet to have it; a single 1 without sizes.
[[nodiscard]] std::vector<double> size_shares(const SwitchModel& model);

}  // namespace tailbound::sim
