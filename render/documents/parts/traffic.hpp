#pragma once

#include <tailbound/answers/traffic.hpp>
#include <tailbound/render/fields.hpp>

#include <optional>
#include <string>
#include <vector>

/// Presentation of traffic, common to all commands.
/// Internal to the render module.
namespace tailbound::render {

/// The inputs that describe traffic.
[[nodiscard]] const Fields<answers::Traffic>& traffic_fields();

/// "per-burst destinations" or "per-packet destinations".
[[nodiscard]] std::string in_words(traffic::Destination destination);
[[nodiscard]] Column destination_column();
/// \param source  "a source", "a leaf"
[[nodiscard]] Fields<traffic::Burst> burst_fields(const std::string& source);

/// "arithmetic" and "digits", as given.
[[nodiscard]] const Fields<queue::Accuracy>& accuracy_fields();

/// "16 inputs at load 0.9", with bursts and their destinations.
/// \param all  the points; varying parameters are omitted
[[nodiscard]] std::string in_words(const answers::Traffic& traffic,
                                   const std::vector<const answers::Traffic*>& all = {});

/// "double, with a proved rounding bound", "multiprecision of 192 bits, ..."
[[nodiscard]] std::string in_words(const bounds::Computation& computation);

/// Headline and note for traffic of a fit that is not trusted; otherwise nothing.
/// \param all  the traffic of each point
void mark_untrusted(Document& document, const std::vector<const answers::Traffic*>& all);

/// Why a queue with this load has losses, but no P(Q > n).
/// \param load  at least `served`; empty if it is irrational
[[nodiscard]] std::string overload_in_words(const std::optional<numeric::Rational>& load, int served);

/// A caution if the tail probability is not an upper bound of the loss ratio; empty if it is.
[[nodiscard]] std::string overflow_caution(bounds::Criterion criterion, const answers::Traffic& traffic);

}  // namespace tailbound::render
