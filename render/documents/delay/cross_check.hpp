#pragma once

#include <tailbound/answers/simulation/cross_check.hpp>
#include <tailbound/render/document.hpp>

#include <optional>
#include <string>
#include <vector>

/// How a cross-check by simulation is shown, the same for listed networks and those answered as a whole.
/// Internal to the render module.
namespace tailbound::render {

/// What was found, in a line; where the simulation contradicts what was computed, which flow, where and by how much.
/// \param flows  names, by position; empty of a tree
[[nodiscard]] std::vector<std::string> check_notes(const answers::CrossCheck& check,
                                                   const std::vector<std::string>& flows);

/// "cross_check": levels of all packets and of the flows given.
[[nodiscard]] TableLayout check_table();
[[nodiscard]] Rows check_rows(const answers::CrossCheck& check,
                              const std::vector<std::optional<std::size_t>>& flows);

}  // namespace tailbound::render
