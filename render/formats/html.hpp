#pragma once

#include <tailbound/render/document.hpp>

#include <string>
#include <string_view>

/// Results as HTML: complete pages, or fragments for other pages.
///
/// A page is one file that sends no requests (its Content-Security-Policy forbids them). It shows text,
/// tables and pictures without a script. The script (html/report.js) makes it interactive: tables can be
/// sorted and copied, numbers show their ends and kind, pictures can be zoomed. Fragments contain no style,
/// no script and no `style` attributes, so that a policy without 'unsafe-inline' can serve them.
namespace tailbound::render {

/// The complete page of a result.
[[nodiscard]] std::string to_html(const Document& document, const Frame& frame);

/// The same with the text of the answer: a network file, or formulas; alone if the document has no layout.
[[nodiscard]] std::string html_page(const Document& document, std::string_view text, const Frame& frame);

/// Its content: an <article class="tb-answer">.
/// \param text  the text of the answer, if there is one
[[nodiscard]] std::string html_fragment(const Document& document, const Frame& frame,
                                        std::string_view text = {});

/// The same for a result that is text, such as formulas for other programs or a schema.
/// \param title  plain text; none if empty
[[nodiscard]] std::string html_of_text(std::string_view title, std::string_view text, const Frame& frame);

/// A picture: <figure class="tb-picture"> with an SVG, and its data for the script. Curves with very many
/// points are thinned, as its note says.
[[nodiscard]] std::string html_picture(const DrawnPicture& picture);

/// The curves of a picture for the script (tailbound.chart): a JSON object.
[[nodiscard]] std::string picture_json(const DrawnPicture& picture);

/// A page around `body`, which is HTML, with style, script and policy.
/// \param title  plain text
[[nodiscard]] std::string html_page(std::string_view title, std::string_view body, const Frame& frame);

/// html/report.css and html/report.js, unchanged.
[[nodiscard]] std::string_view html_style();
[[nodiscard]] std::string_view html_script();
/// "'sha256-...'": the hashes of both for the policy.
[[nodiscard]] std::string html_style_hash();
[[nodiscard]] std::string html_script_hash();

}  // namespace tailbound::render
