#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Formulas as they are printed, (1 - p + p*z)^k/(z - 1), as MathML.
///
/// METHOD  read by the usual precedence; quotients become fractions, powers are raised, Greek letters are written as such
/// TESTS   tests/render/typeset_test.cpp
namespace tailbound::render {

/// "Q(z) = ..", or the formula alone, as a <math display="block">; nothing of what is no formula, or longer than a page has
/// room for.
[[nodiscard]] std::optional<std::string> mathml(std::string_view text);

}  // namespace tailbound::render
