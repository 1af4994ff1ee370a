#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Typesetting of plain text: powers of ten with superscript exponents, and symbols that ASCII approximates.
///
/// METHOD  "1e-15" becomes 10 with the exponent -15, "4.7e-15" 4.7 x 10 with it; <=, >=, +- and a minus
///         before a number become symbols, as does "8 x 8"; text between backticks is code and stays
///         unchanged. An arrow "->" stays as well: it is part of the names of links and flows
/// TESTS   tests/render/typeset_test.cpp
namespace tailbound::render {

/// The rectangle that a text fills [px].
struct Box {
  double left, right, top, foot;
  [[nodiscard]] bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.foot && other.top < foot;
  }
};

/// A part of a text with uniform style.
struct TextRun {
  enum class Style { plain, raised, code };
  std::string text;
  Style style = Style::plain;
};

[[nodiscard]] std::vector<TextRun> typeset(std::string_view text);

/// Would it look different?
[[nodiscard]] bool is_changed_by_typesetting(std::string_view text);

/// Names that stay as they are written while it lives, in its thread: wherever they are whole words.
class AsWritten {
 public:
  explicit AsWritten(const std::vector<std::string>& names);
  ~AsWritten();
  AsWritten(const AsWritten&) = delete;
  AsWritten& operator=(const AsWritten&) = delete;

  /// Bytes of the longest name at this position; 0 if there is none.
  [[nodiscard]] static std::size_t length_at(std::string_view text, std::size_t at);

 private:
  const AsWritten* outer_;
  std::set<std::string, std::less<>> names_;
  std::set<std::size_t, std::greater<>> lengths_;
};

/// Plain text escaped for HTML and SVG, in elements and in double-quoted attributes.
[[nodiscard]] std::string html_escaped(std::string_view text);

/// Escaped HTML: exponents in <sup>, code in <code>.
[[nodiscard]] std::string typeset_html(std::string_view text);

/// Escaped content of an SVG <text>: exponents are raised and smaller.
/// \param size  of the letters [px]
[[nodiscard]] std::string typeset_svg(std::string_view text, double size);

/// Approximate width [px], for Helvetica and its substitutes; rather too wide.
[[nodiscard]] double typeset_width(std::string_view text, double size);

/// Plain text broken at words into lines of at most this width. A wider word gets its own line.
[[nodiscard]] std::vector<std::string> typeset_lines(std::string_view text, double size, double maximum);

}  // namespace tailbound::render
