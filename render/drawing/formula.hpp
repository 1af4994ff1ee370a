#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Printed formulas such as (1 - p + p*z)^k/(z - 1) as MathML.
///
/// METHOD  parsed with the usual precedence; quotients become fractions, powers superscripts, Greek names
/// Greek letters
/// TESTS   tests/render/typeset_test.cpp
namespace tailbound::render {

/// "Q(z) = ..", or only the formula, as a <math display="block">; nothing if it is not a formula, or too long
/// for a page.
[[nodiscard]] std::optional<std::string> mathml(std::string_view text);

}  // namespace tailbound::render
