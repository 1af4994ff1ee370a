#pragma once

#include <tailbound/answers/traffic.hpp>
#include <tailbound/render/fields.hpp>

#include <string>
#include <vector>

/// How traffic is shown, the same for all that has traffic.
/// Internal to the render module.
namespace tailbound::render {

/// The inputs that describe traffic.
[[nodiscard]] const Fields<answers::Traffic>& traffic_fields();

/// "each to one PLACE", "scattered packet by packet"
[[nodiscard]] std::string in_words(traffic::Destination destination);
[[nodiscard]] Column destination_column();
/// \param source  "a source", "a leaf"
[[nodiscard]] Fields<traffic::Burst> burst_fields(const std::string& source);

/// "arithmetic" and "digits", as asked.
[[nodiscard]] const Fields<queue::Accuracy>& accuracy_fields();

/// "16 inputs at load 0.9", "8 inputs with bursts of 16 slots (each to one output) at load 0.6"
/// \param all  of several points: what differs between them is left out
[[nodiscard]] std::string in_words(const answers::Traffic& traffic,
                                   const std::vector<const answers::Traffic*>& all = {});

/// "double, with a proved rounding bound", "multiprecision of 192 bits, ..."
[[nodiscard]] std::string in_words(const bounds::Computation& computation);

/// What every user of overflow as a drop rate must know where it is not one; empty where it is.
[[nodiscard]] std::string overflow_caution(bounds::Criterion criterion, const answers::Traffic& traffic);

}  // namespace tailbound::render
