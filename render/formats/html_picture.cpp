#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tailbound/render/drawing/svg.hpp>
#include <tailbound/render/drawing/typeset.hpp>
#include <tailbound/render/formats/html.hpp>

#include <algorithm>
#include <cmath>

// A picture within a page: the SVG of files (drawing/svg.hpp), and its data for the script, which redraws it
// when zoomed (html/report.js).
// Why our own SVG and no charting library: the picture is identical without a script; it uses the colors of
// the page, whether light, dark or printed; its values are accessible by keyboard and screen reader; and axes
// down to 1e-300 are drawn from log10 of the values. A canvas library such as uPlot would provide only the
// last of these, and needs more lines than are written here.
namespace tailbound::render {
namespace {

/// Maximum number of points per picture in a page.
constexpr std::size_t max_points = 5'000;

using Place = Course::Place;

std::size_t points_of(const Picture& picture) {
  std::size_t points = 0;
  for (const Curve& curve : picture.curves) points += curve.points.size();
  return points;
}

/// The legend, with the color of each curve. The script turns its entries into switches.
std::string key_html(const Picture& picture) {
  std::string items;
  for (const KeyEntry& entry : key_of(picture))
    items += fmt::format(
        "<li data-curve=\"{}\"><svg class=\"tb-sample\" viewBox=\"0 0 26 12\" "
        "aria-hidden=\"true\">{}</svg><span>{}</span></li>",
        entry.curve, entry.sample, typeset_html(entry.title));
  return items.empty() ? "" : "<ul class=\"tb-key\">" + items + "</ul>";
}

const char* style_name(CurveStyle style) {
  switch (style) {
    case CurveStyle::points:
      return "points";
    case CurveStyle::span:
      return "span";
    case CurveStyle::line:
      return "line";
    case CurveStyle::steps:
      return "steps";
    case CurveStyle::dashed:
      return "dashed";
    case CurveStyle::rule:
      return "rule";
    case CurveStyle::marks:
      return "marks";
    case CurveStyle::bars:
      return "bars";
  }
  return "line";
}

template <class Numbers, class Get>
std::string numbers_json(const Numbers& numbers, const Get& get) {
  std::string text = "[";
  for (const auto& number : numbers) {
    if (text.size() > 1) text += ',';
    const double value = get(number);
    text += std::isfinite(value) ? fmt::format("{:.10g}", value) : "null";
  }
  return text + "]";
}

/// JSON within a script element: must not contain the end tag of a script.
std::string text_json(const nlohmann::json& text) {
  std::string result;
  for (const char c : text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
    result += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return result;
}

}  // namespace

std::string picture_json(const DrawnPicture& drawn) {
  const Picture& picture = *drawn;
  const std::size_t points = points_of(picture);
  const View view = view_of(picture);
  std::string text = fmt::format(
      R"({{{}"title":{},"x":{},"y":{},"note":{},"powers":{},"xpowers":{},"log":{},"view":[{:.10g},{:.10g},{:.10g},{:.10g}],"curves":[)",
      picture.names.empty() ? "" : R"("names":)" + text_json(picture.names) + ",", text_json(picture.title),
      text_json(picture.x_label), text_json(picture.y_label), text_json(picture.note), picture.powers_of_ten,
      picture.x_powers_of_ten, picture.log_y, view.x.low, view.x.high, view.y.low, view.y.high);
  const auto first = [](const Place& point) { return point.first; };
  const auto second = [](const Place& point) { return point.second; };
  for (std::size_t i = 0; i < picture.curves.size(); ++i) {
    const Curve& curve = picture.curves[i];
    const bool whole = points <= max_points || !curve.ends.empty() || !curve.labels.empty();
    const std::vector<Place> kept =
        whole ? curve.points
              : thinned(curve.points, std::max<std::size_t>(100, max_points / picture.curves.size()));
    text += fmt::format(R"({}{{"title":{},"style":"{}","place":{},"x":{},"y":{})", i == 0 ? "" : ",",
                        text_json(curve.title), style_name(curve.style),
                        curve.colour ? static_cast<std::size_t>(*curve.colour) : i, numbers_json(kept, first),
                        numbers_json(kept, second));
    if (!curve.ends.empty())
      text +=
          R"(,"low":)" + numbers_json(curve.ends, first) + R"(,"high":)" + numbers_json(curve.ends, second);
    if (!curve.marked.empty())
      text += R"(,"marked":{"x":)" + numbers_json(curve.marked, first) + R"(,"y":)" +
              numbers_json(curve.marked, second) + "}";
    if (!curve.labels.empty()) text += R"(,"labels":)" + text_json(curve.labels);
    text += "}";
  }
  return text + "]}";
}

std::string html_picture(const DrawnPicture& drawn) {
  const Picture& picture = *drawn;
  if (picture.network)
    return fmt::format(
        "<figure class=\"tb-network\"><figcaption>{}</figcaption><div "
        "class=\"tb-canvas\">{}</div></figure>\n",
        typeset_html(picture.title), svg_within_page(drawn));
  const std::size_t points = points_of(picture);
  std::string note = typeset_html(picture.note);
  if (points > max_points)
    note += fmt::format("{}{} points, thinned for display.", note.empty() ? "" : " ", points);
  return fmt::format(
      "<figure class=\"tb-picture\"><figcaption>{}</figcaption>{}<div class=\"tb-canvas\">{}</div>{}<script "
      "type=\"application/json\" class=\"tb-data\">{}</script></figure>\n",
      typeset_html(picture.title), key_html(picture), svg_within_page(drawn),
      note.empty() ? "" : "<p class=\"tb-picture-note\">" + note + "</p>", picture_json(drawn));
}

}  // namespace tailbound::render
