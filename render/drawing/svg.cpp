#include <fmt/format.h>
#include <tailbound/core/printable.hpp>
#include <tailbound/render/drawing/network_drawing.hpp>
#include <tailbound/render/drawing/palette.hpp>
#include <tailbound/render/drawing/svg.hpp>
#include <tailbound/render/drawing/typeset.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace tailbound::render {
namespace {

constexpr double border = 18, tick_gap = 8, tick_size = 12, label_size = 13, label_line = 17;
constexpr double title_size = 16, title_line = 21, key_line = 19, note_size = 11, note_line = 15;
constexpr double sample_width = 26, sample_gap = 6;
/// Maximum points drawn of all curves, and of one; above the maximum number of markers none are drawn.
constexpr std::size_t max_drawn = 20'000, max_drawn_of_one = 1'600, max_markers = 300;

using Place = Course::Place;

double widest_tick(const Axis& axis) {
  double maximum = 0;
  for (const Tick& tick : axis.ticks) maximum = std::max(maximum, typeset_width(tick.text, tick_size));
  return maximum;
}

/// Text in its own element, without control characters.
std::string text_element(std::string_view attributes, std::string_view text, double size) {
  return fmt::format("<text {}>{}</text>", attributes,
                     typeset_svg(printable(std::string(text), LineEnds::shown), size));
}

/// In pixels; those without a position are omitted.
std::vector<Place> drawn_places(const std::vector<Place>& places, const View& view) {
  std::vector<Place> all;
  for (const auto& [x, value] : places)
    if (const double y = placed(value, view.scale); std::isfinite(x) && std::isfinite(y))
      all.emplace_back(view.x_of(x), view.y_of(y));
  return all;
}

std::vector<Place> drawn_points(const Curve& curve, const View& view, std::size_t curves) {
  std::vector<Place> all;
  for (const auto& [x, value] : curve.points)
    if (const double y = placed(value, view.scale); std::isfinite(x) && std::isfinite(y))
      all.emplace_back(x, y);
  all = thinned(all, std::min(max_drawn_of_one, max_drawn / curves));
  for (auto& [x, y] : all) x = view.x_of(x), y = view.y_of(y);
  if (is_limit(curve)) {
    const double x = view.x_of(curve.points[0].first);
    all = {{x, view.height - view.bottom}, {x, view.top}};
  }
  return all;
}

std::string line_path(const std::vector<Place>& points, bool steps) {
  std::string path;
  for (const auto& [x, y] : points) {
    if (steps && !path.empty())
      path += fmt::format("H{:.1f}V{:.1f}", x, y);
    else
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
  }
  return path;
}

/// Disc, square, triangle, diamond, so that curves differ without colors.
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

std::size_t data_curves(const Picture& picture) {
  return static_cast<std::size_t>(std::count_if(picture.curves.begin(), picture.curves.end(), is_data));
}

std::size_t place_of(const Picture& picture, std::size_t number) {
  const Curve& curve = picture.curves[number];
  return curve.colour ? static_cast<std::size_t>(*curve.colour) : number;
}

/// Appearance of a curve: the class of its color and dash for up to a dozen curves; an individual color for
/// more.
std::string look(const Picture& picture, std::size_t number) {
  const Curve& curve = picture.curves[number];
  if (curve.style == CurveStyle::rule || curve.style == CurveStyle::marks) return "class=\"tb-neutral\"";
  const std::size_t place = place_of(picture, number), curves = data_curves(picture);
  if (curves <= max_distinct_curves)
    return fmt::format("class=\"tb-c{}{}\"", place % palette.size(),
                       place / palette.size() % 2 == 1 ? " tb-dash" : "");
  const std::string colour = colour_of_many(place % curves, curves);
  return fmt::format("class=\"tb-many\" stroke=\"{0}\" fill=\"{0}\"", colour);
}

const char* line_class(CurveStyle style) {
  switch (style) {
    case CurveStyle::steps:
      return "tb-curve tb-steps";
    case CurveStyle::dashed:
      return "tb-curve tb-dashed";
    case CurveStyle::rule:
      return "tb-curve tb-rule";
    case CurveStyle::bars:
      return "tb-curve tb-bars";
    case CurveStyle::points:
    case CurveStyle::line:
    case CurveStyle::span:
    case CurveStyle::marks:
      return "tb-curve";
  }
  return "tb-curve";
}

std::string path_element(const char* name, const std::string& path) {
  return path.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>", name, path);
}

std::string bars_path(const Curve& curve, const View& view) {
  std::string path;
  for (std::size_t i = 0; i < curve.points.size() && i < curve.ends.size(); ++i) {
    const double high = placed(curve.ends[i].second, view.scale);
    double low = placed(curve.ends[i].first, view.scale);
    if (!std::isfinite(high)) continue;
    if (!std::isfinite(low)) low = view.y.low;  // down to the axis
    path += fmt::format("M{:.1f} {:.1f}h6m-3 0V{:.1f}m-3 0h6", view.x_of(curve.points[i].first) - 3,
                        view.y_of(high), view.y_of(std::max(low, view.y.low)));
  }
  return path;
}

bool has_line(const Curve& curve) {
  return is_joined(curve) || curve.style == CurveStyle::rule || curve.style == CurveStyle::span;
}

std::string curve_element(const Picture& picture, std::size_t number, const View& view) {
  const Curve& curve = picture.curves[number];
  const std::vector<Place> points = drawn_points(curve, view, picture.curves.size());
  std::string svg;
  if (curve.style == CurveStyle::bars)
    svg = path_element(line_class(curve.style), bars_path(curve, view));
  else if (has_line(curve))
    svg = path_element(line_class(curve.style), line_path(points, curve.style == CurveStyle::steps));
  const std::vector<Place>& marked = has_markers(curve) ? points : drawn_places(curve.marked, view);
  if (marked.size() <= max_markers || !has_line(curve)) {
    std::string path;
    for (const auto& [x, y] : marked)
      path += marker_path(x, y, curve.style == CurveStyle::marks ? 0 : place_of(picture, number));
    svg += path_element("tb-marker", path);
  }
  return svg.empty() ? "" : fmt::format("<g {}>{}</g>", look(picture, number), svg);
}

/// Points and bars on top of lines: an accurate line would hide them.
bool on_top(const Curve& curve) {
  return curve.style == CurveStyle::bars || curve.style == CurveStyle::marks;
}

// --- labels of marks

/// Does a line from a to b pass through the box? Tested at points a few pixels apart.
bool passes(const Box& box, const Place& a, const Place& b) {
  const double length = std::hypot(b.first - a.first, b.second - a.second);
  if (!(length < 1e5)) return false;
  const int steps = 1 + static_cast<int>(length / 4);
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    const double x = a.first + t * (b.first - a.first), y = a.second + t * (b.second - a.second);
    if (x > box.left && x < box.right && y > box.top && y < box.foot) return true;
  }
  return false;
}

/// The rarest first; labels that do not fit are omitted.
std::string mark_labels(const Picture& picture, const View& view) {
  constexpr double off = 7, height = 15, rise = 11;
  const Box all{view.left, view.width - 2, view.top - 6, view.height - view.bottom - 1};
  std::vector<std::vector<Place>> lines;
  for (const Curve& curve : picture.curves)
    if (!on_top(curve) && !is_limit(curve)) lines.push_back(drawn_points(curve, view, picture.curves.size()));
  const auto crossed = [&](const Box& box) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::vector<Place>& line) {
      for (std::size_t i = 1; i < line.size(); ++i) {
        if (std::max(line[i - 1].first, line[i].first) < box.left ||
            std::min(line[i - 1].first, line[i].first) > box.right)
          continue;
        if (passes(box, line[i - 1], line[i])) return true;
      }
      return false;
    });
  };
  std::vector<Box> taken;
  for (const Curve& curve : picture.curves)
    if (curve.style == CurveStyle::marks)
      for (const auto& [x, value] : curve.points)
        if (const double y = placed(value, view.scale); std::isfinite(y))
          taken.push_back({view.x_of(x) - 4, view.x_of(x) + 4, view.y_of(y) - 4, view.y_of(y) + 4});
  std::string svg;
  for (const Curve& curve : picture.curves) {
    if (curve.style != CurveStyle::marks) continue;
    for (std::size_t i = std::min(curve.points.size(), curve.labels.size()); i-- > 0;) {
      const double place = placed(curve.points[i].second, view.scale);
      if (!std::isfinite(place) || curve.labels[i].empty()) continue;
      const double x = view.x_of(curve.points[i].first), y = view.y_of(place);
      const double length = typeset_width(curve.labels[i], tick_size);
      const Box* found = nullptr;
      std::vector<Box> boxes;
      // Above right or below left, away from a falling tail; then elsewhere, and further away.
      for (const double top : {y - 20, y + 6, y - 34, y + 20})
        for (const bool to_right : {top<y, top> y}) {
          const double left = to_right ? x + off : x - off - length;
          boxes.push_back({left, left + length, top, top + height});
        }
      for (const bool over_curves : {false, true}) {
        for (const Box& box : boxes) {
          if (box.left < all.left || box.right > all.right || box.top < all.top || box.foot > all.foot)
            continue;
          if (std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return other.meets(box); }))
            continue;
          if (!over_curves && crossed(box)) continue;
          found = &box;
          break;
        }
        if (found != nullptr) break;
      }
      if (found == nullptr) continue;
      taken.push_back(*found);
      svg += text_element(fmt::format("x=\"{:.1f}\" y=\"{:.1f}\"", found->left, found->top + rise),
                          curve.labels[i], tick_size);
    }
  }
  return svg.empty() ? "" : "<g class=\"tb-neutral\">" + svg + "</g>";
}

// --- axes

std::vector<std::string> y_label_lines(const Picture& picture) {
  return typeset_lines(picture.y_label, label_size, plot_height);
}

std::string axes(const Picture& picture, const View& view) {
  std::string grid, minor, ticks;
  const double foot = view.height - view.bottom, end = view.width - view.right;
  for (const Tick& tick : view.x.ticks) {
    const double x = view.x_of(tick.at);
    if (tick.text.empty()) {
      minor += fmt::format("M{:.1f} {:.1f}v-4", x, foot);
      continue;
    }
    grid += fmt::format("M{:.1f} {:.1f}V{:.1f}", x, view.top, foot);
    ticks += text_element(fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\"", x, foot + 18),
                          tick.text, tick_size);
  }
  for (const Tick& tick : view.y.ticks) {
    const double y = view.y_of(tick.at);
    if (tick.text.empty()) {
      minor += fmt::format("M{:.1f} {:.1f}h4", view.left, y);
      continue;
    }
    grid += fmt::format("M{:.1f} {:.1f}H{:.1f}", view.left, y, end);
    ticks += text_element(
        fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\"", view.left - tick_gap, y + 4), tick.text,
        tick_size);
  }
  std::string labels =
      text_element(fmt::format("class=\"tb-label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\"",
                               view.left + view.inner_width() / 2, foot + 40),
                   picture.x_label, label_size);
  const std::vector<std::string> lines = y_label_lines(picture);
  for (std::size_t i = 0; i < lines.size(); ++i)
    labels += text_element(
        fmt::format(
            "class=\"tb-label\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\"",
            border + label_line * static_cast<double>(i), view.top + view.inner_height() / 2),
        lines[i], label_size);
  return path_element("tb-grid", grid) + path_element("tb-axis", minor) +
         path_element("tb-axis",
                      fmt::format("M{:.1f} {:.1f}V{:.1f}H{:.1f}", view.left, view.top, foot, end)) +
         "<g class=\"tb-ticks\">" + ticks + "</g>" + labels;
}

std::string curves(const Picture& picture, const View& view) {
  std::string below, above;
  for (std::size_t i = 0; i < picture.curves.size(); ++i)
    (on_top(picture.curves[i]) ? above : below) += curve_element(picture, i, view);
  // A nested picture, which clips what leaves the axes.
  constexpr double play = 6;
  return fmt::format(
      "<svg x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" viewBox=\"{0:.1f} {1:.1f} "
      "{2:.1f} {3:.1f}\">{4}</svg>{5}",
      view.left - play, view.top - play, view.inner_width() + 2 * play, view.inner_height() + 2 * play,
      below + above, mark_labels(picture, view));
}

// --- title, legend and note

std::string shortened(const std::string& text, double size, double maximum) {
  if (typeset_width(text, size) <= maximum) return text;
  constexpr double narrowest = 0.15;  // letter, over its size
  std::string kept = text.substr(0, static_cast<std::size_t>(maximum / (narrowest * size)));
  while (!kept.empty() && typeset_width(kept + " ...", size) > maximum) {
    while (!kept.empty() && (static_cast<unsigned char>(kept.back()) & 0xc0U) == 0x80U) kept.pop_back();
    if (!kept.empty()) kept.pop_back();
  }
  return kept + " ...";
}

/// In columns of equal width, as many as fit.
struct Key {
  std::string svg;
  double height = 0;
};

Key key(const Picture& picture, double width, double x0, double y0) {
  const std::vector<KeyEntry> entries = key_of(picture);
  Key key;
  if (entries.empty() || picture.curves.size() < 2) return key;
  constexpr double between = 22;
  double widest = 0;
  for (const KeyEntry& entry : entries) widest = std::max(widest, typeset_width(entry.title, tick_size));
  const double column = std::min(width, sample_width + sample_gap + widest + between);
  const auto fit =
      std::clamp<std::size_t>(static_cast<std::size_t>((width + between) / column), 1, entries.size());
  const std::size_t rows = (entries.size() + fit - 1) / fit, columns = (entries.size() + rows - 1) / rows;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double x = x0 + column * static_cast<double>(i % columns),
                 y = y0 + key_line * static_cast<double>(i / columns);
    key.svg += fmt::format(
        "<g transform=\"translate({:.1f} {:.1f})\">{}{}</g>", x, y, entries[i].sample,
        text_element(fmt::format("x=\"{:.0f}\" y=\"10\"", sample_width + sample_gap),
                     shortened(entries[i].title, tick_size, column - sample_width - sample_gap), tick_size));
  }
  key.height = key_line * static_cast<double>(rows) + 6;
  key.svg = "<g class=\"tb-keys\">" + key.svg + "</g>";
  return key;
}

}  // namespace

std::vector<Place> thinned(const std::vector<Place>& points, std::size_t maximum) {
  if (points.size() <= maximum) return points;
  const std::size_t group = (2 * points.size() + maximum - 1) / maximum;
  std::vector<Place> kept;
  for (std::size_t i = 0; i < points.size(); i += group) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(std::min(i + group, points.size()));
    auto [minimum, largest] =
        std::minmax_element(begin, end, [](const Place& a, const Place& b) { return a.second < b.second; });
    if (largest < minimum) std::swap(minimum, largest);
    kept.push_back(*minimum);
    if (largest != minimum) kept.push_back(*largest);
  }
  kept.front() = points.front();
  kept.back() = points.back();
  return kept;
}

View view_of(const Picture& picture) {
  constexpr double foot = 52, digit = 0.56 * tick_size * 1.06;
  View view{.y = y_axis(picture),
            .scale = scale_of(picture),
            .width = picture_width,
            .right = 18,
            .top = 14,
            .bottom = foot};
  view.height = plot_height + view.top + view.bottom;
  const double lines = static_cast<double>(std::max<std::size_t>(1, y_label_lines(picture).size()));
  view.left = border + label_line * lines + widest_tick(view.y) + tick_gap;
  view.x = x_axis(picture, digit / view.inner_width());
  return view;
}

std::vector<KeyEntry> key_of(const Picture& picture) {
  std::vector<KeyEntry> entries;
  for (std::size_t i = 0; i < picture.curves.size(); ++i) {
    const Curve& curve = picture.curves[i];
    if (curve.title.empty()) continue;
    std::string sample;
    if (curve.style == CurveStyle::bars)
      sample = path_element(line_class(curve.style), "M10 0h6m-3 0V12m-3 0h6");
    else if (has_line(curve))
      sample = path_element(line_class(curve.style), "M0 6H26");
    if (has_markers(curve) || !curve.marked.empty())
      sample += path_element("tb-marker",
                             marker_path(13, 6, curve.style == CurveStyle::marks ? 0 : place_of(picture, i)));
    entries.push_back(
        {.curve = i, .title = curve.title, .sample = fmt::format("<g {}>{}</g>", look(picture, i), sample)});
  }
  if (data_curves(picture) <= max_distinct_curves || entries.size() <= max_distinct_curves) return entries;
  std::vector<KeyEntry> some;
  constexpr std::size_t named = max_distinct_curves;
  for (std::size_t i = 0; i < named; ++i) some.push_back(entries[i * (entries.size() - 1) / (named - 1)]);
  return some;
}

std::string svg_within_page(const DrawnPicture& drawn) {
  const Picture& picture = *drawn;
  if (picture.network) {
    const NetworkSvg network = network_svg(*picture.network, picture_width);
    return fmt::format(
        "<svg class=\"tb-svg\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\">{}</svg>",
        picture_width, network.height, html_escaped(picture.title), network.body);
  }
  const View view = view_of(picture);
  return fmt::format("<svg class=\"tb-svg\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">{}{}</svg>",
                     view.width, view.height, html_escaped(picture.title), axes(picture, view),
                     curves(picture, view));
}

std::string svg_file(const DrawnPicture& drawn) {
  const AsWritten names(drawn->names);
  const Picture picture = drawn->network ? *drawn : named_where_hidden(*drawn);
  std::string body, head;
  double y = border;
  const double text_left = border + 6, text_width = picture_width - 2 * text_left;
  constexpr double bold = 1.2;  // wider than plain text
  for (const std::string& line : typeset_lines(picture.title, title_size, text_width / bold)) {
    head += text_element(fmt::format("class=\"tb-title\" x=\"{:.0f}\" y=\"{:.0f}\"", text_left, y + 14), line,
                         title_size);
    y += title_line;
  }
  y += 4;
  if (picture.network) {
    const NetworkSvg network = network_svg(*picture.network, picture_width);
    body = fmt::format("<g transform=\"translate(0 {:.0f})\">{}</g>", y, network.body);
    y += network.height;
  } else {
    const View view = view_of(picture);
    const Key its = key(picture, picture_width - view.left - view.right, view.left, y);
    head += its.svg;
    y += its.height;
    body = fmt::format("<g transform=\"translate(0 {:.0f})\">{}{}</g>", y, axes(picture, view),
                       curves(picture, view));
    y += view.height;
  }
  for (const std::string& line : typeset_lines(picture.note, note_size, text_width)) {
    body += text_element(fmt::format("class=\"tb-note\" x=\"{:.0f}\" y=\"{:.0f}\"", text_left, y + 10), line,
                         note_size);
    y += note_line;
  }
  y += 8;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "role=\"img\" class=\"tb-svg\">\n<title>{2}</title>\n<style>{3}</style>\n<rect class=\"tb-paper\" "
      "width=\"{0:.0f}\" "
      "height=\"{1:.0f}\"/>\n{4}\n{5}\n</svg>\n",
      picture_width, y, html_escaped(printable(picture.title, LineEnds::shown)), style_of_files(), head,
      body);
}

}  // namespace tailbound::render
