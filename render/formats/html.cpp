#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/render/drawing/formula.hpp>
#include <tailbound/render/drawing/typeset.hpp>
#include <tailbound/render/formats/html.hpp>
#include <tailbound/render/formats/short_ends.hpp>
#include <tailbound/render/kinds.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace tailbound::render {
namespace {

/// A page stays below half a megabyte: limits of all tables together [bytes], and of each one [rows].
constexpr std::size_t table_bytes = 300'000, max_rows = 5'000;
/// Tables with more rows scroll within the page. At most this many values of a varying input are listed.
constexpr std::size_t tall_rows = 24, max_values_named = 6;
constexpr std::size_t max_curves_drawn = 200;

/// State while one result is written as a page.
struct Writer {
  const Document& document;
  std::size_t bytes_left = table_bytes;
  std::set<std::string> kinds_seen{};

  // --- numbers
  std::string attributes(const Value& value);
  std::string cell(const Column& column, const Cells& cells);
  std::string linked(const std::string& text);

  // --- parts of the page
  std::string requested();
  std::string lines();
  std::string found();
  std::string results();
  std::string picture();
  std::string further_pictures();
  std::string table(const TableLayout& layout, const Rows& rows);
  std::string tables();
  std::string kind_list() const;
};

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{}{}{}>{}</{}>", name, attributes.empty() ? "" : " ", attributes, content, name);
}

/// What the script shows for a number: its kind, certainty, full value and ends.
std::string Writer::attributes(const Value& value) {
  const std::string kind = kind_of(value);
  if (kind.empty()) return {};
  kinds_seen.insert(kind);
  const Decimals text = decimals(value, document.digits);
  std::string result = fmt::format("data-kind=\"{}\"", kind);
  const auto add = [&](const char* name, const std::string& content) {
    if (!content.empty()) result += fmt::format(" data-{}=\"{}\"", name, html_escaped(content));
  };
  const bool exact = std::holds_alternative<Exact>(value);
  const bool bare = exact || std::holds_alternative<Model>(value) || std::holds_alternative<Asymptote>(value);
  if (!bare) add("sure", certainty(value, document.digits));  // implied by the kind
  if (!std::holds_alternative<Enclosure>(value)) add("value", text.value);
  if (exact) {
    if (text.exact != text.value) add("exact", text.exact);
    return result;
  }
  add("low", text.lower);
  add("high", text.upper);
  return result;
}

/// The value for sorting and copying, if it differs from the text shown.
std::string plain_value(const Value& value) {
  if (!std::holds_alternative<Given>(value) || brief(value) == decimals(value).value) return {};
  return fmt::format("data-value=\"{}\"", html_escaped(decimals(value).value));
}

/// The class of a verdict, from its first word.
std::string verdict_class(const Column& column, const std::string& text) {
  if (!column.key.ends_with("verdict")) return {};
  for (const std::string_view known : {"inside", "above", "below"})
    if (text.starts_with(known)) return fmt::format("class=\"tb-{}\"", known);
  return {};
}

std::string Writer::cell(const Column& column, const Cells& cells) {
  const Value value = value_of(cells, column.key);
  std::string attributes_of = attributes(value);
  if (attributes_of.empty()) attributes_of = plain_value(value);
  const bool number =
      height(value).has_value() || right_aligned(column) || std::holds_alternative<None>(value);
  if (number && !std::holds_alternative<Text>(value))
    attributes_of += attributes_of.empty() ? "class=\"n\"" : " class=\"n\"";
  const std::string text = cell_text(column, cells, document.digits);
  if (attributes_of.empty()) attributes_of = verdict_class(column, text);
  return element("td", attributes_of, typeset_html(text));
}

/// Numbers quoted in the sentences of a result show their ends too. Only unambiguous texts are matched: with
/// a decimal point or an exponent, between spaces, brackets and commas.
std::string Writer::linked(const std::string& text) {
  if (document.results.size() != 1) return typeset_html(text);
  struct Named {
    std::string shown;
    const Value* value;
  };
  std::vector<Named> named;
  std::set<std::string> doubtful;
  for (const Cell& cell : document.results.front().cells) {
    if (kind_of(cell.value).empty()) continue;
    std::string shown = brief(cell.value, document.digits);
    if (shown.size() < 4 || shown.find_first_of(".e") == std::string::npos) continue;
    const auto same =
        std::find_if(named.begin(), named.end(), [&](const Named& one) { return one.shown == shown; });
    if (same == named.end())
      named.push_back({std::move(shown), &cell.value});
    else if (attributes(*same->value) != attributes(cell.value))
      doubtful.insert(shown);
  }
  std::erase_if(named, [&](const Named& one) { return doubtful.count(one.shown) > 0; });
  std::sort(named.begin(), named.end(),
            [](const Named& a, const Named& b) { return a.shown.size() > b.shown.size(); });
  const auto ends_word = [](char c) {
    return std::string_view(" \n()[],;:<=").find(c) != std::string_view::npos;
  };
  std::string result, between;
  const auto close = [&] {
    result += typeset_html(between);
    between.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto here = std::find_if(named.begin(), named.end(), [&](const Named& one) {
      const std::size_t end = at + one.shown.size();
      return text.compare(at, one.shown.size(), one.shown) == 0 && (at == 0 || ends_word(text[at - 1])) &&
             (end == text.size() || ends_word(text[end]) ||
              (text[end] == '.' && (end + 1 == text.size() || text[end + 1] == ' ')));
    });
    if (here == named.end()) {
      between += text[at++];
      continue;
    }
    close();
    result += element("span", "class=\"tb-number\" tabindex=\"0\" " + attributes(*here->value),
                      typeset_html(here->shown));
    at += here->shown.size();
  }
  close();
  return result;
}

/// Some columns are meant for data formats: their heading is their key, or empty.
std::string heading_of(const Column& column) {
  std::string text = column.heading.empty() ? column.key : column.heading;
  if (text == column.key) std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// "0.1 to 0.9 step 0.1" for inputs in equal steps; empty for others, whose values are listed.
std::string steps_in_words(const Document& document, const Column& column) {
  std::optional<numeric::Rational> first;
  numeric::Rational step = 0;
  std::int64_t steps = 0;  // number of steps from the first value to the last
  for (const Result& result : document.results) {
    const Value value = value_of(result.inputs, column.key);
    std::optional<numeric::Rational> number;
    if (const auto* given = std::get_if<Given>(&value)) number = given->value;
    if (const auto* whole = std::get_if<Whole>(&value)) number = numeric::Rational(whole->value);
    if (!number) return {};
    if (!first) first = number;
    const numeric::Rational from = *number - *first;
    if (steps == 0 && from != 0) step = from, steps = 1;
    if (step == 0) continue;
    // The next value, or a repeated one.
    const numeric::Rational place = from / step;
    if (place == numeric::Rational(steps + 1))
      ++steps;
    else if (!numeric::is_integer(place) || place < 0 || place > numeric::Rational(steps))
      return {};
  }
  constexpr std::int64_t minimum = 3;
  if (steps < minimum) return {};
  return fmt::format("{} to {} step {}", brief(Given{*first}),
                     brief(Given{*first + numeric::Rational(steps) * step}), brief(Given{step}));
}

/// The parameters; a varying input with its values.
std::string Writer::requested() {
  std::string items;
  for (const Column& column : document.layout->inputs) {
    std::vector<std::string> values;
    for (const Result& result : document.results) {
      if (values.size() > max_values_named) break;
      const Value value = value_of(result.inputs, column.key);
      if (std::holds_alternative<None>(value)) continue;
      const std::string text = cell_text(column, result.inputs, document.digits);
      if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
    }
    if (values.empty()) continue;
    const bool more = values.size() > max_values_named;
    if (more) values.resize(max_values_named);
    std::string text = steps_in_words(document, column);
    if (text.empty()) text = fmt::format("{}{}", fmt::join(values, ", "), more ? ", ..." : "");
    if (!column.unit.empty()) text += " " + column.unit;
    items += fmt::format("<div title=\"{}\">{}{}</div>", html_escaped(column.meaning),
                         element("dt", "", html_escaped(heading_of(column))),
                         element("dd", "", typeset_html(text)));
  }
  if (items.empty()) return {};
  return fmt::format(
      "<section class=\"tb-asked\" aria-label=\"Parameters\"><h2>Parameters</h2><dl>{}</dl></section>\n",
      items);
}

std::string Writer::lines() {
  if (document.results.size() != 1) return {};
  std::string items;
  for (const Line& line : document.results.front().lines)
    items += element("dt", "", typeset_html(line.name)) + element("dd", "", linked(line.text));
  if (items.empty()) return {};
  return "<section class=\"tb-lines\" aria-label=\"Summary\"><dl>" + items + "</dl></section>\n";
}

/// A table in a scrollable box that can be focused by keyboard.
std::string boxed(std::string_view label, std::string_view head, std::string_view body, std::size_t rows,
                  std::string_view kind = "") {
  return fmt::format(
      "<div class=\"tb-table{0}{1}{2}\"><div class=\"tb-scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{3}\">"
      "<table><caption>{3}</caption><thead><tr>{4}</tr></thead><tbody>\n{5}</tbody></table></div></div>\n",
      rows > tall_rows ? " tb-tall" : "", kind.empty() ? "" : " ", kind, html_escaped(label), head, body);
}

/// Numbers and their headings are right-aligned.
bool numeric(const Column& column, const Cells& cells) {
  const Value value = value_of(cells, column.key);
  return height(value).has_value() || right_aligned(column);
}

std::string heading_cell(const Column& column, const Cells& first) {
  const std::string unit = column.unit.empty() ? "" : " <small>" + html_escaped(column.unit) + "</small>";
  return fmt::format("<th scope=\"col\"{} title=\"{}\">{}{}</th>",
                     numeric(column, first) ? " class=\"n\"" : "", html_escaped(column.meaning),
                     html_escaped(heading_of(column)), unit);
}

/// The part of a description meant for people, without remarks about data formats.
std::string meaning_for_people(const std::string& meaning) {
  std::string kept;
  std::size_t from = 0;
  while (from < meaning.size()) {
    const std::size_t end = std::min(meaning.find("; ", from), meaning.size());
    const std::string clause = meaning.substr(from, end - from);
    from = end + 2;
    const bool of_data = clause.find('`') != std::string::npos || clause.find("null") != std::string::npos ||
                         clause == "likewise";
    if (!of_data) kept += (kept.empty() ? "" : "; ") + clause;
  }
  return kept;
}

/// Every number of a single result, one per row: name, description, ends and certainty. Columns meant for
/// data formats come last.
std::string Writer::found() {
  const Result& result = document.results.front();
  struct Row {
    std::string what, ends, sure;
  };
  std::vector<Row> rows, more;
  for (const Column& column : document.layout->results) {
    const Value value = value_of(result.cells, column.key);
    if (std::holds_alternative<None>(value)) continue;
    const Decimals text = decimals(value, document.digits);
    Row row;
    if (std::holds_alternative<Enclosure>(value) || std::holds_alternative<Estimate>(value)) {
      const auto [lower, upper] = short_ends(text.lower, text.upper);
      if (!lower.empty() || !upper.empty())
        row.ends = typeset_html(lower.empty() ? "?" : lower) + " \u2026<br>" +
                   typeset_html(upper.empty() ? "?" : upper);
    } else if (std::holds_alternative<Exact>(value) && text.exact != text.value && text.exact.size() <= 48) {
      row.ends = typeset_html(text.exact);
    }
    row.sure = certainty(value, document.digits);
    std::string shown = typeset_html(cell_text(column, result.cells, document.digits));
    if (!column.unit.empty()) shown += " <small>" + html_escaped(column.unit) + "</small>";
    row.what = fmt::format("<th scope=\"row\">{}<span>{}</span></th>{}", html_escaped(heading_of(column)),
                           typeset_html(meaning_for_people(column.meaning)),
                           element("td", attributes(value), shown));
    (column.style == Style::hidden ? more : rows).push_back(std::move(row));
  }
  rows.insert(rows.end(), more.begin(), more.end());
  if (rows.empty()) return {};
  const bool ends = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.ends.empty(); });
  const bool sure = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return !row.sure.empty(); });
  std::string head = "<th scope=\"col\">quantity</th><th scope=\"col\">value</th>", body;
  if (ends) head += "<th scope=\"col\" class=\"tb-ends\">lower and upper end</th>";
  if (sure) head += "<th scope=\"col\">certainty</th>";
  for (const Row& row : rows)
    body += "<tr>" + row.what + (ends ? element("td", "class=\"tb-ends\"", row.ends) : "") +
            (sure ? element("td", "class=\"tb-sure\"", typeset_html(row.sure)) : "") + "</tr>\n";
  return "<section class=\"tb-found\"><h2>Results</h2>" +
         boxed("Results with lower and upper ends", head, body, 0) + "</section>\n";
}

std::string cut_note(std::size_t shown, std::size_t all) {
  if (shown == all) return {};
  return fmt::format("<p class=\"tb-cut\">First {} of {} rows. Use --format csv for all rows.</p>\n", shown,
                     all);
}

/// One row per result: the varying inputs, then the results.
std::string Writer::results() {
  std::vector<const Cells*> cells;
  for (const Result& result : document.results) cells.push_back(&result.cells);
  const auto shown = [](std::vector<const Column*> columns) {
    std::erase_if(columns, [](const Column* column) { return column->style == Style::hidden; });
    return columns;
  };
  const std::vector<const Column*> inputs = shown(varying_inputs(document));
  const std::vector<const Column*> found_columns = shown(columns_used(document.layout->results, cells));
  if (document.results.empty() || inputs.size() + found_columns.size() + document.text_columns.size() == 0)
    return {};
  std::string head;
  const Result& first = document.results.front();
  for (const Column* column : inputs) head += heading_cell(*column, first.inputs);
  for (const Column* column : found_columns) head += heading_cell(*column, first.cells);
  for (const Column& column : document.text_columns) head += heading_cell(column, first.text_cells);
  std::string body;
  std::size_t rows = 0;
  for (; rows < document.results.size() && rows < max_rows; ++rows) {
    const Result& result = document.results[rows];
    std::string row;
    for (const Column* column : inputs) row += cell(*column, result.inputs);
    for (const Column* column : found_columns) row += cell(*column, result.cells);
    for (const Column& column : document.text_columns) row += cell(column, result.text_cells);
    row = "<tr>" + row + "</tr>\n";
    if (row.size() > bytes_left) break;
    bytes_left -= row.size();
    body += row;
  }
  return "<section class=\"tb-answers\"><h2>Results</h2>" +
         boxed("Results, one row per query", head, body, rows) + cut_note(rows, document.results.size()) +
         "</section>\n";
}

std::string Writer::table(const TableLayout& layout, const Rows& rows) {
  const Cells first = rows.row(0);
  std::vector<const Column*> columns = columns_used(layout.columns, {&first});
  std::erase_if(columns, [](const Column* column) { return column->style == Style::hidden; });
  std::string head, body;
  for (const Column* column : columns) head += heading_cell(*column, first);
  std::size_t written = 0;
  for (; written < rows.size && written < max_rows; ++written) {
    const Cells cells = rows.row(written);
    std::string row;
    for (const Column* column : columns) row += cell(*column, cells);
    row = "<tr>" + row + "</tr>\n";
    if (row.size() > bytes_left) break;
    bytes_left -= row.size();
    body += row;
  }
  bytes_left -= std::min(bytes_left, head.size());
  const std::string label = rows.caption.empty() ? layout.meaning : rows.caption;
  const std::string seen = rows.in_text ? element("p", "class=\"tb-caption\"", typeset_html(label)) : "";
  return seen + boxed(label, head, body, written, "tb-nested") + cut_note(written, rows.size);
}

std::string result_name(const Document& document, const Result& result) {
  if (!result.caption.empty()) return result.caption;
  const std::string title = point_title(document, result);
  return title.empty() ? "Tables" : title;
}

/// The tables of the results. Tables of several results, and tables already summarized in text, are folded.
std::string Writer::tables() {
  std::string text, folded;
  for (const Result& result : document.results) {
    std::string its;
    for (const Rows& rows : result.tables) {
      if (rows.size == 0) continue;
      const TableLayout& layout = table_layout(*document.layout, rows.key);
      const std::string one = table(layout, rows);
      its += rows.in_text || document.results.size() > 1
                 ? one
                 : fmt::format("<details><summary>{} <small>{} rows</small></summary>{}</details>\n",
                               typeset_html(rows.caption.empty() ? layout.meaning : rows.caption), rows.size,
                               one);
    }
    if (its.empty()) continue;
    if (document.results.size() == 1)
      text += its;
    else
      folded +=
          element("details", "", element("summary", "", typeset_html(result_name(document, result))) + its) +
          "\n";
    if (bytes_left < 2'000 && &result != &document.results.back()) {
      text += "<p class=\"tb-cut\">Further tables are omitted. Use --format json for all tables.</p>\n";
      break;
    }
  }
  constexpr std::size_t max_open = 4;
  if (document.results.size() > max_open && !folded.empty())
    folded = fmt::format(
        "<details class=\"tb-each\"><summary>Tables of each of the {} rows above</summary>\n{}</details>\n",
        document.results.size(), folded);
  text += folded;
  return text.empty() ? "" : "<section class=\"tb-tables\"><h2>Tables</h2>\n" + text + "</section>\n";
}

/// Empty if there is nothing to draw, or only one point.
std::string drawn_or_nothing(const std::function<Picture()>& picture) {
  try {
    const DrawnPicture drawn = picture();
    const std::vector<Curve>& curves = drawn->curves;
    const bool worthwhile = std::any_of(curves.begin(), curves.end(), [](const Curve& curve) {
      return curve.style != CurveStyle::rule && curve.points.size() > 1;
    });
    return worthwhile || drawn->network || curves.size() > 2 ? html_picture(drawn) : "";
  } catch (const NoAnswer&) {
    return {};
  }
}

std::string Writer::picture() {
  if (!document.picture) return {};
  return drawn_or_nothing([&] { return picture_of(document, max_curves_drawn, false); });
}

std::string Writer::further_pictures() {
  std::string text;
  for (const std::function<Picture()>& further : document.further_pictures)
    text += drawn_or_nothing([&] { return as_requested(document, further()); });
  return text;
}

std::string Writer::kind_list() const {
  std::string items;
  for (const Kind& kind : kinds)
    if (kinds_seen.count(kind.name) > 0)
      items +=
          fmt::format("<div><dt data-kind-name=\"{0}\">{0}</dt><dd>{1}</dd></div>", kind.name, kind.meaning);
  return items.empty() ? "" : "<dl class=\"tb-kinds\">" + items + "</dl>\n";
}

/// The first few are visible, the rest folded.
std::string notes(const Document& document) {
  constexpr std::size_t open = 3;
  std::string text, more;
  for (std::size_t i = 0; i < document.notes.size(); ++i)
    (i < open ? text : more) += element("p", "", typeset_html(document.notes[i])) + "\n";
  if (more.empty()) return text;
  return text +
         fmt::format("<details><summary>{} more</summary>{}</details>\n", document.notes.size() - open, more);
}

std::string command_line(const Frame& frame) {
  if (frame.command_line.empty()) return {};
  return fmt::format(
      "<section class=\"tb-command\"><h2>Command line</h2><pre "
      "tabindex=\"0\"><code>{}</code></pre></section>\n",
      html_escaped(frame.command_line));
}

/// A text as it is, and its formulas typeset.
std::string sections_of_text(std::string_view text) {
  // In a network file, with tables such as [[link]], "rate = 2" is no formula.
  const bool is_file = text.find("\n[[") != std::string_view::npos;
  std::string formulas;
  for (std::size_t from = 0; from < text.size() && !is_file;) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    if (const std::string_view line = text.substr(from, end - from);
        line.find(" = ") != std::string_view::npos)
      if (const auto set = mathml(line)) formulas += "<div>" + *set + "</div>\n";
    from = end + 1;
  }
  if (!formulas.empty())
    formulas = "<section class=\"tb-formulas\" aria-label=\"Formulas\">\n" + formulas + "</section>\n";
  return fmt::format(
      "{}<section class=\"tb-text\" aria-label=\"Result\"><pre tabindex=\"0\"><code>{}"
      "</code></pre></section>\n",
      formulas, html_escaped(text));
}

}  // namespace

std::string html_fragment(const Document& document, const Frame& frame, std::string_view answer) {
  const AsWritten names(document.names);
  Writer writer{document};
  std::string text =
      fmt::format("<article class=\"tb-answer\">\n<header><p class=\"tb-over\">tailbound {}</p><h1>{}</h1>",
                  html_escaped(document.layout->command), writer.linked(document.headline));
  if (!document.settings.empty())
    text += fmt::format("<p class=\"tb-settings\">{}</p>", writer.linked(document.settings));
  if (document.stopped)
    text += fmt::format("<p class=\"tb-stopped\" role=\"note\">Stopped after {}: partial result.</p>",
                        html_escaped(document.stopped_after));
  text += "</header>\n";
  const bool single = document.results.size() == 1;
  const std::string lines = single ? writer.lines() : "";
  // The result, its picture and its accuracy; then every number.
  const std::string picture = writer.picture();
  std::string explained;
  if (!frame.quiet) explained = lines;
  explained += writer.requested();
  if (picture.empty())
    text += explained;
  else
    text += fmt::format("<div class=\"tb-first\">\n<div>\n{}</div>\n<div>\n{}</div>\n</div>\n", picture,
                        explained);
  const std::size_t trust_at = text.size();
  text += writer.further_pictures();
  if (single)
    text += writer.found();
  else
    text += writer.results();
  text += writer.tables();
  if (!frame.quiet) {
    const std::string trust = notes(document) + writer.kind_list();
    // It refers to the kinds of numbers further below.
    if (!trust.empty())
      text.insert(trust_at,
                  "<section class=\"tb-trust\"><h2>Notes and accuracy</h2>\n" + trust + "</section>\n");
  }
  if (!answer.empty()) text += sections_of_text(answer);
  return text + command_line(frame) + "</article>\n";
}

std::string html_page(std::string_view title, std::string_view body, const Frame& frame) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src data:; style-src {}; script-src {}; base-uri 'none'; "
      "form-action "
      "'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
      "name=\"color-scheme\" "
      "content=\"light dark\">\n<meta name=\"generator\" content=\"tailbound {}\">\n<title>{}</title>\n<link "
      "rel=\"icon\" "
      "href=\"data:,\">\n<style>{}</style>\n</head>\n<body "
      "class=\"tb-page\">\n<main>\n{}</main>\n<footer>tailbound {}. "
      "This page is self-contained: it loads no external "
      "resources.</footer>\n<script>{}</script>\n</body>\n</html>\n",
      html_style_hash(), html_script_hash(), html_escaped(frame.version), html_escaped(title), html_style(),
      body, html_escaped(frame.version), html_script());
}

std::string to_html(const Document& document, const Frame& frame) {
  return html_page(fmt::format("{} - tailbound {}", document.headline.text(), document.layout->command),
                   html_fragment(document, frame), frame);
}

std::string html_page(const Document& document, std::string_view text, const Frame& frame) {
  if (document.layout)
    return html_page(document.headline.text(), html_fragment(document, frame, text), frame);
  const std::string title = frame.command_line.empty() ? "tailbound" : frame.command_line;
  return html_page(title, html_of_text(title, text, frame), frame);
}

std::string html_of_text(std::string_view title, std::string_view text, const Frame& frame) {
  const std::string header = title.empty() ? ""
                                           : "<header><p class=\"tb-over\">tailbound</p><h1>" +
                                                 html_escaped(title) + "</h1></header>\n";
  return "<article class=\"tb-answer\">\n" + header + sections_of_text(text) + command_line(frame) +
         "</article>\n";
}

}  // namespace tailbound::render
