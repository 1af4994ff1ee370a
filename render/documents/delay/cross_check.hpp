#pragma once

#include <tailbound/answers/simulation/delays/cross_check.hpp>
#include <tailbound/render/document.hpp>

#include <optional>
#include <string>
#include <vector>

/// Presentation of a cross-check by simulation, for listed networks and for fabrics.
/// Internal to the render module.
namespace tailbound::render {

/// "0.0123", "1.02e-3"
[[nodiscard]] std::string probability_in_words(double value);

/// The comparison in one line.
/// \param flows      names, by position; empty for a tree
/// \param simulated  of each flow: is it answered by the simulation?
[[nodiscard]] std::vector<std::string> check_notes(const answers::CrossCheck& check,
                                                   const std::vector<std::string>& flows,
                                                   const std::vector<bool>& simulated = {});

/// "cross_check": levels of all packets and of the given flows.
[[nodiscard]] TableLayout check_table();
[[nodiscard]] Rows check_rows(const answers::CrossCheck& check,
                              const std::vector<std::optional<std::size_t>>& flows);

}  // namespace tailbound::render
