#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tailbound/render/formats/html.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

// The picture without the script: an SVG of the same axes, colours and dashes as the script draws (html/report.js).
// Why SVG of our own and no charting library: without a script it is the very same picture; it takes its colours from
// the page's style, light, dark and printed; its values are reached by keys and read aloud; and log10 of a value, which
// is what axes to 1e-300 are made of, is as good a number as any other. A canvas library (uPlot was looked at) would
// serve the last alone, and bring more lines than are written here.
namespace tailbound::render {
namespace {

constexpr double svg_width = 860, svg_height = 440;
constexpr double left = 76, right = 16, top = 14, bottom = 48;
constexpr double inner_width = svg_width - left - right, inner_height = svg_height - top - bottom;
/// Points that a page holds of one picture, those that its SVG draws of all curves, and of one.
constexpr std::size_t most_points = 24'000, most_drawn = 20'000, most_drawn_of_one = 1'600;

using Place = std::pair<double, double>;

/// The y axis in numbers that are drawn on a linear scale.
enum class Scale { linear, powers_of_ten, logarithm };

struct View {
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;
  Scale scale = Scale::linear;

  [[nodiscard]] double x(double value) const { return left + (value - x0) / (x1 - x0) * inner_width; }
  [[nodiscard]] double y(double value) const { return top + (y1 - value) / (y1 - y0) * inner_height; }
};

Scale scale_of(const Picture& picture) {
  return picture.powers_of_ten ? Scale::powers_of_ten : picture.log_y ? Scale::logarithm : Scale::linear;
}

/// Where a value stands on the axis; not finite if it has no place.
double placed(double value, Scale scale) {
  if (scale != Scale::logarithm) return value;
  return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

/// 1, 2 or 5 times a power of ten that divides `span` into at most `most` steps.
double step_of(double span, int most) {
  if (!(span > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(span / most)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (span / (factor * power) <= most) return factor * power;
  return 10 * power;
}

View view_of(const Picture& picture) {
  View view{.scale = scale_of(picture)};
  double low = std::numeric_limits<double>::infinity(), high = -low, first = low, last = -low;
  for (const Curve& curve : picture.curves) {
    for (const auto& [x, value] : curve.points)
      if (const double y = placed(value, view.scale); std::isfinite(x) && std::isfinite(y)) {
        first = std::min(first, x), last = std::max(last, x);
        low = std::min(low, y), high = std::max(high, y);
      }
    for (const auto& end : curve.ends)
      if (const double y = placed(end.second, view.scale); std::isfinite(y)) high = std::max(high, y);
  }
  if (!(first <= last)) return view;
  const double margin = first < last ? 0.02 * (last - first) : 0.5;
  view.x0 = first - margin, view.x1 = last + margin;
  if (view.scale == Scale::linear) {
    view.y0 = std::min(low, 0.0);
    view.y1 = high > view.y0 ? high + 0.06 * (high - view.y0) : view.y0 + 1;
  } else {
    view.y0 = std::floor(low), view.y1 = std::max(std::ceil(high), view.y0 + 1);
  }
  return view;
}

/// The curve's points that have a place, thinned to at most about `most`: the least and the greatest of each group.
std::vector<Place> thinned(const std::vector<Place>& points, std::size_t most) {
  if (points.size() <= most) return points;
  const std::size_t group = (2 * points.size() + most - 1) / most;
  std::vector<Place> kept;
  for (std::size_t i = 0; i < points.size(); i += group) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(std::min(i + group, points.size()));
    auto [least, greatest] =
        std::minmax_element(begin, end, [](const Place& a, const Place& b) { return a.second < b.second; });
    if (greatest < least) std::swap(least, greatest);
    kept.push_back(*least);
    if (greatest != least) kept.push_back(*greatest);
  }
  kept.front() = points.front();
  kept.back() = points.back();
  return kept;
}

std::vector<Place> placed_points(const Curve& curve, const View& view, std::size_t curves) {
  std::vector<Place> all;
  for (const auto& [x, value] : curve.points)
    if (const double y = placed(value, view.scale); std::isfinite(x) && std::isfinite(y))
      all.emplace_back(x, y);
  return thinned(all, std::min(most_drawn_of_one, most_drawn / curves));
}

std::string line_path(const std::vector<Place>& points, const View& view, bool steps) {
  std::string path;
  for (const auto& [x, y] : points) {
    if (steps && !path.empty())
      path += fmt::format("H{:.1f}V{:.1f}", view.x(x), view.y(y));
    else
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", view.x(x), view.y(y));
  }
  return path;
}

/// Disc, square, triangle, diamond and their like, so that curves are told apart without colours.
std::string marker_path(double x, double y, std::size_t kind) {
  constexpr double r = 3.5;
  switch (kind % 4) {
    case 0:
      return fmt::format("M{:.1f} {:.1f}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0", x - r, y,
                         fmt::arg("r", r), fmt::arg("d", 2 * r));
    case 1:
      return fmt::format("M{:.1f} {:.1f}h{d}v{d}h-{d}z", x - r, y - r, fmt::arg("d", 2 * r));
    case 2:
      return fmt::format("M{:.1f} {:.1f}l4.2 7.2h-8.4z", x, y - 4.6);
    default:
      return fmt::format("M{:.1f} {:.1f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z", x, y - 4.6);
  }
}

/// How a curve looks: the class of its colour and dash, for up to a dozen; a colour of a row of many beyond.
std::string look(std::size_t place, std::size_t curves) {
  if (curves <= most_curves_told_apart)
    return fmt::format("class=\"tb-c{}{}\"", place % 6, place / 6 % 2 == 1 ? " tb-dash" : "");
  const double share = static_cast<double>(place % curves) / static_cast<double>(curves - 1);
  return fmt::format("class=\"tb-many\" stroke=\"hsl({:.0f} 70% 48%)\" fill=\"hsl({:.0f} 70% 48%)\"",
                     250 - 250 * share, 250 - 250 * share);
}

std::size_t data_curves(const Picture& picture) {
  return static_cast<std::size_t>(std::count_if(picture.curves.begin(), picture.curves.end(), is_data));
}

/// Labels of single points: to the right of them or, near the right border, to the left and below; each higher than one
/// that it would lie on.
std::string labels_svg(const Curve& curve, const View& view) {
  std::vector<std::array<double, 3>> taken;  // from, to, y
  std::string svg;
  for (std::size_t i = 0; i < curve.points.size() && i < curve.labels.size(); ++i) {
    const double value = placed(curve.points[i].second, view.scale);
    if (!std::isfinite(value) || curve.labels[i].empty()) continue;
    const double x = view.x(curve.points[i].first),
                 length = 6.6 * static_cast<double>(curve.labels[i].size());
    const bool to_left = x + 8 + length > svg_width - right;
    const double from = to_left ? x - 8 - length : x + 8;
    double y = view.y(value) + (to_left && view.y(value) + 20 < svg_height - bottom ? 15 : -6);
    const auto lies_on = [&](const std::array<double, 3>& other) {
      return from < other[1] && other[0] < from + length && std::abs(y - other[2]) < 14;
    };
    while (y > top + 12 && std::any_of(taken.begin(), taken.end(), lies_on)) y -= 4;
    taken.push_back({from, from + length, y});
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>", to_left ? x - 8 : x + 8, y,
                       to_left ? " text-anchor=\"end\"" : "", html_escaped(curve.labels[i]));
  }
  return svg;
}

std::string bars_path(const Curve& curve, const View& view) {
  std::string path;
  for (std::size_t i = 0; i < curve.points.size() && i < curve.ends.size(); ++i) {
    const double high = placed(curve.ends[i].second, view.scale);
    double low = placed(curve.ends[i].first, view.scale);
    if (!std::isfinite(high)) continue;
    if (!std::isfinite(low)) low = view.y0;  // it leaves at the foot
    const double x = view.x(curve.points[i].first);
    path += fmt::format("M{:.1f} {:.1f}h6m-3 0V{:.1f}m-3 0h6", x - 3, view.y(high),
                        view.y(std::max(low, view.y0)));
  }
  return path;
}

std::string curve_svg(const Curve& curve, std::size_t number, const Picture& picture, const View& view) {
  const std::size_t place = curve.colour ? static_cast<std::size_t>(*curve.colour) : number;
  std::vector<Place> points = placed_points(curve, view, picture.curves.size());
  if (is_limit(curve)) points = {{curve.points[0].first, view.y0}, {curve.points[0].first, view.y1}};
  const auto line = [&](const char* kind, bool steps) {
    return fmt::format("<path class=\"{}\" d=\"{}\"/>", kind, line_path(points, view, steps));
  };
  const auto markers = [&](std::size_t kind) {
    std::string path;
    if (points.size() <= 300)
      for (const auto& [x, y] : points) path += marker_path(view.x(x), view.y(y), kind);
    return fmt::format("<path class=\"tb-marker\" d=\"{}\"/>", path);
  };
  std::string svg;
  switch (curve.style) {
    case CurveStyle::points_and_line:
    case CurveStyle::line:
      svg = line("tb-curve", false);
      break;
    case CurveStyle::steps:
      svg = line("tb-curve tb-steps", true);
      break;
    case CurveStyle::dashed:
      svg = line("tb-curve tb-dashed", false);
      break;
    case CurveStyle::rule:
      svg = line("tb-curve tb-rule", false);
      break;
    case CurveStyle::marks:
      break;
    case CurveStyle::bars:
      svg = fmt::format("<path class=\"tb-curve tb-bars\" d=\"{}\"/>", bars_path(curve, view));
      break;
  }
  if (has_markers(curve)) svg += markers(curve.style == CurveStyle::marks ? 0 : place);
  if (curve.style == CurveStyle::marks) svg += labels_svg(curve, view);
  const bool neutral = curve.style == CurveStyle::rule || curve.style == CurveStyle::marks;
  return fmt::format("<g {}>{}</g>", neutral ? "class=\"tb-neutral\"" : look(place, data_curves(picture)),
                     svg);
}

std::string tick_text(double value, double step) {
  if (std::abs(value) < step / 2) return "0";
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  if (digits > 4 || std::abs(value) >= 1e6) return fmt::format("{:.4g}", value);
  return fmt::format("{:.{}f}", value, digits);
}

std::string axes_svg(const Picture& picture, const View& view) {
  std::string grid, ticks;
  const double x_step = step_of(view.x1 - view.x0, 9);
  for (double i = std::ceil(view.x0 / x_step); i * x_step <= view.x1; ++i) {
    const double x = view.x(i * x_step);
    grid += fmt::format("M{:.1f} {}v{}", x, top, inner_height);
    ticks += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x,
                         svg_height - bottom + 18, tick_text(i * x_step, x_step));
  }
  const double y_step = view.scale == Scale::linear ? step_of(view.y1 - view.y0, 7)
                                                    : std::max(1.0, step_of(view.y1 - view.y0, 9));
  for (double i = std::ceil(view.y0 / y_step); i * y_step <= view.y1; ++i) {
    const double y = view.y(i * y_step);
    grid += fmt::format("M{} {:.1f}h{}", left, y, inner_width);
    const std::string text =
        view.scale == Scale::linear
            ? tick_text(i * y_step, y_step)
            : fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{:.0f}</tspan>", i * y_step);
    ticks += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left - 8, y + 4, text);
  }
  return fmt::format(
      "<path class=\"tb-grid\" d=\"{}\"/><path class=\"tb-axis\" d=\"M{left} {}V{foot}H{}\"/><g "
      "class=\"tb-ticks\">{}"
      "</g><text class=\"tb-label\" x=\"{:.0f}\" y=\"{}\" text-anchor=\"middle\">{}</text><text "
      "class=\"tb-label\" "
      "transform=\"translate(16 {:.0f}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
      grid, top, svg_width - right, ticks, left + inner_width / 2, svg_height - 8,
      html_escaped(picture.x_label), top + inner_height / 2, html_escaped(picture.y_label),
      fmt::arg("left", left), fmt::arg("foot", svg_height - bottom));
}

std::string svg_of(const Picture& picture) {
  const View view = view_of(picture);
  std::string curves;
  for (std::size_t i = 0; i < picture.curves.size(); ++i)
    curves += curve_svg(picture.curves[i], i, picture, view);
  // A picture within the picture: it cuts off what leaves the axes.
  return fmt::format(
      "<svg class=\"tb-svg\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">{3}<svg x=\"{4}\" "
      "y=\"{5}\" "
      "width=\"{6}\" height=\"{7}\" viewBox=\"{4} {5} {6} {7}\">{8}</svg></svg>",
      svg_width, svg_height, html_escaped(picture.title), axes_svg(picture, view), left, top - 6,
      inner_width + right, inner_height + 12, curves);
}

/// What each curve is, in its colour. The script makes switches of it.
std::string key_html(const Picture& picture) {
  std::string items;
  for (std::size_t i = 0; i < picture.curves.size(); ++i) {
    const Curve& curve = picture.curves[i];
    if (curve.title.empty() || curve.style == CurveStyle::marks) continue;
    const std::size_t place = curve.colour ? static_cast<std::size_t>(*curve.colour) : i;
    std::string sample =
        curve.style == CurveStyle::rule     ? "<path class=\"tb-curve tb-rule\" d=\"M0 6H26\"/>"
        : curve.style == CurveStyle::dashed ? "<path class=\"tb-curve tb-dashed\" d=\"M0 6H26\"/>"
        : curve.style == CurveStyle::steps  ? "<path class=\"tb-curve tb-steps\" d=\"M0 6H26\"/>"
        : curve.style == CurveStyle::bars   ? "<path class=\"tb-curve tb-bars\" d=\"M13 0V12\"/>"
                                            : "<path class=\"tb-curve\" d=\"M0 6H26\"/>";
    if (has_markers(curve)) sample += "<path class=\"tb-marker\" d=\"" + marker_path(13, 6, place) + "\"/>";
    items += fmt::format(
        "<li data-curve=\"{}\"><svg class=\"tb-sample\" viewBox=\"0 0 26 12\" aria-hidden=\"true\"><g "
        "{}>{}</g></svg>"
        "<span>{}</span></li>",
        i, curve.style == CurveStyle::rule ? "class=\"tb-neutral\"" : look(place, data_curves(picture)),
        sample, html_escaped(curve.title));
  }
  return items.empty() ? "" : "<ul class=\"tb-key\">" + items + "</ul>";
}

const char* style_name(CurveStyle style) {
  switch (style) {
    case CurveStyle::points_and_line:
      return "points";
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

/// Text within a script element: nothing there may look like its end.
std::string text_json(const nlohmann::json& text) {
  std::string result;
  for (const char c : text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
    result += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return result;
}

}  // namespace

std::string picture_json(const Picture& picture) {
  std::size_t points = 0;
  for (const Curve& curve : picture.curves) points += curve.points.size();
  std::string text =
      fmt::format(R"({{"title":{},"x":{},"y":{},"note":{},"powers":{},"log":{},"curves":[)",
                  text_json(picture.title), text_json(picture.x_label), text_json(picture.y_label),
                  text_json(picture.note), picture.powers_of_ten, picture.log_y);
  const auto first = [](const Place& point) { return point.first; };
  const auto second = [](const Place& point) { return point.second; };
  for (std::size_t i = 0; i < picture.curves.size(); ++i) {
    const Curve& curve = picture.curves[i];
    const bool whole = points <= most_points || !curve.ends.empty() || !curve.labels.empty();
    const std::vector<Place> kept =
        whole ? curve.points
              : thinned(curve.points, std::max<std::size_t>(100, most_points / picture.curves.size()));
    text += fmt::format(R"({}{{"title":{},"style":"{}","place":{},"x":{},"y":{})", i == 0 ? "" : ",",
                        text_json(curve.title), style_name(curve.style),
                        curve.colour ? static_cast<std::size_t>(*curve.colour) : i, numbers_json(kept, first),
                        numbers_json(kept, second));
    if (!curve.ends.empty())
      text +=
          R"(,"low":)" + numbers_json(curve.ends, first) + R"(,"high":)" + numbers_json(curve.ends, second);
    if (!curve.labels.empty()) text += R"(,"labels":)" + text_json(curve.labels);
    text += "}";
  }
  return text + "]}";
}

std::string html_picture(const Picture& picture) {
  std::size_t points = 0;
  for (const Curve& curve : picture.curves) points += curve.points.size();
  std::string note = html_escaped(picture.note);
  if (points > most_points)
    note += fmt::format("{}Of {} points those are drawn that stand out.", note.empty() ? "" : " ", points);
  return fmt::format(
      "<figure class=\"tb-picture\"><figcaption>{}</figcaption>{}<div class=\"tb-canvas\">{}</div>{}<script "
      "type=\"application/json\" class=\"tb-data\">{}</script></figure>\n",
      html_escaped(picture.title), key_html(picture), svg_of(picture),
      note.empty() ? "" : "<p class=\"tb-picture-note\">" + note + "</p>", picture_json(picture));
}

}  // namespace tailbound::render
