#include <tailbound/render/picture.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailbound::render {
namespace {

using Polyline = std::vector<std::pair<double, double>>;

bool is_line(const Curve& curve) {
  return curve.style == CurveStyle::line || curve.style == CurveStyle::points_and_line;
}

/// As drawn: sorted, and in the scale of the axis.
Polyline drawn_points(const Picture& picture, const Curve& curve) {
  const bool logarithms = picture.log_y && !picture.powers_of_ten;
  Polyline points;
  for (const auto& [x, y] : curve.points)
    if (std::isfinite(y) && (y > 0 || !logarithms)) points.emplace_back(x, logarithms ? std::log10(y) : y);
  std::sort(points.begin(), points.end());
  return points;
}

/// Vertical distance of a point from a polyline; infinite outside its range.
double distance(const std::pair<double, double>& point, const Polyline& line) {
  const auto next = std::lower_bound(line.begin(), line.end(), point,
                                     [](const auto& a, const auto& b) { return a.first < b.first; });
  if (next == line.end()) return std::numeric_limits<double>::infinity();
  if (next->first == point.first) return std::abs(next->second - point.second);
  if (next == line.begin()) return std::numeric_limits<double>::infinity();
  const auto last = std::prev(next);
  const double share = (point.first - last->first) / (next->first - last->first);
  return std::abs(last->second + share * (next->second - last->second) - point.second);
}

}  // namespace

bool has_markers(const Curve& curve) {
  switch (curve.style) {
    case CurveStyle::points_and_line:
    case CurveStyle::marks:
    case CurveStyle::bars:
      return true;
    case CurveStyle::line:
    case CurveStyle::steps:
    case CurveStyle::dashed:
    case CurveStyle::rule:
      return curve.points.size() == 1;
  }
  return false;
}

bool is_limit(const Curve& curve) {
  return (curve.style == CurveStyle::dashed || curve.style == CurveStyle::rule) && curve.points.size() == 2 &&
         curve.points[0].first == curve.points[1].first;
}

Picture named_where_hidden(Picture picture) {
  // Among very many curves each would hide the next, and the names would form chains.
  if (static_cast<std::size_t>(std::count_if(picture.curves.begin(), picture.curves.end(), is_data)) >
      max_distinct_curves)
    return picture;
  constexpr double line_width = 0.004;  // fraction of the height of the picture
  std::vector<Polyline> drawn;
  double low = picture.powers_of_ten || picture.log_y ? std::numeric_limits<double>::infinity() : 0;
  double high = -std::numeric_limits<double>::infinity();
  for (const Curve& curve : picture.curves) {
    drawn.push_back(drawn_points(picture, curve));
    for (const auto& [x, y] : drawn.back()) low = std::min(low, y), high = std::max(high, y);
  }
  const auto under = [&](std::size_t a, std::size_t b) {
    return drawn[a].size() > 1 && std::all_of(drawn[a].begin(), drawn[a].end(), [&](const auto& point) {
             return distance(point, drawn[b]) <= line_width * (high - low);
           });
  };
  for (std::size_t a = 0; a < drawn.size(); ++a) {
    if (!is_line(picture.curves[a]) || picture.curves[a].title.empty()) continue;
    for (std::size_t b = drawn.size(); --b > a;) {
      if (!is_line(picture.curves[b]) || picture.curves[b].title.empty() || !under(a, b)) continue;
      picture.curves[b].title += " (hides " + picture.curves[a].title + ")";
      break;
    }
  }
  return picture;
}

}  // namespace tailbound::render
