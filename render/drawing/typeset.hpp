#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Text as print has it: powers of ten with a raised exponent, and the signs that ASCII writes for want of characters.
///
/// METHOD  "1e-15" becomes 10 with the exponent -15, "4.7e-15" 4.7 x 10 with it; <=, >=, +-, -> and a minus before a
///         number become characters, as does "8 x 8"; what stands between backticks is code, and is left as it is
/// TESTS   tests/render/typeset_test.cpp
namespace tailbound::render {

/// A part of a text that is set in one way.
struct TextRun {
  enum class Way { plain, raised, code };
  std::string text;
  Way way = Way::plain;
};

[[nodiscard]] std::vector<TextRun> typeset(std::string_view text);

/// Plain text as HTML and SVG have it, in elements and in attributes between double quotes.
[[nodiscard]] std::string html_escaped(std::string_view text);

/// As HTML, escaped: exponents in <sup>, code in <code>.
[[nodiscard]] std::string typeset_html(std::string_view text);

/// As the content of an SVG <text>, escaped: exponents are raised and smaller.
/// \param size  of the letters [px]
[[nodiscard]] std::string typeset_svg(std::string_view text, double size);

/// About how wide that is [px], for Helvetica and the fonts that stand in for it; on the wide side.
[[nodiscard]] double typeset_width(std::string_view text, double size);

/// Plain text in lines that are no wider than that, by words. A word that is wider has a line to itself.
[[nodiscard]] std::vector<std::string> typeset_lines(std::string_view text, double size, double most);

}  // namespace tailbound::render
