#pragma once

#include <tailbound/render/document.hpp>

#include <string>
#include <string_view>

/// Answers as pages for a browser: whole, or in pieces of which others make a page.
///
/// A page is one file, from which no request goes out (its Content-Security-Policy allows none), and which shows text,
/// tables and pictures without its script. The script (html/report.js) brings them to life: tables sort and are
/// copied, numbers show both ends and their kind, pictures are zoomed. Pieces hold neither style nor script, and no
/// `style` attributes, so that a policy without 'unsafe-inline' serves them.
namespace tailbound::render {

/// The whole page of an answer.
[[nodiscard]] std::string to_html(const Document& document, const Frame& frame);

/// What stands in it: an <article class="tb-answer">.
[[nodiscard]] std::string html_fragment(const Document& document, const Frame& frame);

/// The same of an answer that is a text: formulas for other programs, a schema.
/// \param title  plain text; none if empty
[[nodiscard]] std::string html_of_text(std::string_view title, std::string_view text, const Frame& frame);

/// A picture: <figure class="tb-picture"> with an SVG, and its data for the script. Of curves with very many points
/// some are left out, which its note says.
[[nodiscard]] std::string html_picture(const Picture& picture);

/// The curves of a picture as the script takes them (tailbound.chart): a JSON object.
[[nodiscard]] std::string picture_json(const Picture& picture);

/// A page around `body`, which is HTML, with style, script and policy.
/// \param title  plain text
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body, const Frame& frame);

/// html/report.css and html/report.js, as they are.
[[nodiscard]] std::string_view html_style();
[[nodiscard]] std::string_view html_script();
/// "'sha256-...'": by these a policy names the two.
[[nodiscard]] std::string html_style_hash();
[[nodiscard]] std::string html_script_hash();

}  // namespace tailbound::render
