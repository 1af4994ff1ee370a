#include <tailbound/core/error.hpp>
#include <tailbound/render/drawing/axis.hpp>
#include <tailbound/render/picture.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailbound::render {
namespace {

using Polyline = std::vector<std::pair<double, double>>;

bool is_line(const Curve& curve) {
  return curve.style == CurveStyle::line || curve.style == CurveStyle::points;
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

/// Vertical distance of a point from a polyline, or only from its points; infinite outside its range.
double distance(const std::pair<double, double>& point, const Polyline& line, bool joined) {
  const auto next = std::lower_bound(line.begin(), line.end(), point,
                                     [](const auto& a, const auto& b) { return a.first < b.first; });
  if (next == line.end()) return std::numeric_limits<double>::infinity();
  if (next->first == point.first) return std::abs(next->second - point.second);
  if (next == line.begin() || !joined) return std::numeric_limits<double>::infinity();
  const auto last = std::prev(next);
  const double share = (point.first - last->first) / (next->first - last->first);
  return std::abs(last->second + share * (next->second - last->second) - point.second);
}

// --- lines

using Place = Course::Place;

/// Positions in pixels on the axes of a picture.
struct Pixels {
  double left = 0, width = 1, foot = 0, height = 1;
  bool logarithm = false;

  [[nodiscard]] Place of(const Place& place) const {
    const double y = logarithm ? std::log10(place.second) : place.second;
    return {picture_width * (place.first - left) / width, plot_height * (y - foot) / height};
  }
};

/// The axes of the picture; for a linear one also the logarithmic one that a page offers.
std::vector<Pixels> axes_of(const Picture& picture) {
  const Axis x = x_axis(picture, 0.01);
  const auto pixels = [&](const Axis& y, bool logarithm) {
    return Pixels{x.low, x.high - x.low, y.low, y.high - y.low, logarithm};
  };
  std::vector<Pixels> all;
  try {
    all.push_back(pixels(y_axis(picture), picture.log_y && !picture.powers_of_ten));
    if (picture.powers_of_ten || picture.log_y) return all;
    Picture other = picture;
    other.log_y = true;
    all.push_back(pixels(y_axis(other), true));
  } catch (const NoAnswer&) {  // no value is above 0
  }
  return all;
}

/// Distance of a point from the segment between two others.
double distance(const Place& point, const Place& from, const Place& to) {
  const double dx = to.first - from.first, dy = to.second - from.second, length = dx * dx + dy * dy;
  const double px = point.first - from.first, py = point.second - from.second;
  const double share = length > 0 ? std::clamp((px * dx + py * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(px - share * dx, py - share * dy);
}

/// A course, evaluated.
class Followed {
 public:
  explicit Followed(const Course& course) : course_(course) {
    std::vector<double> parameters = course.parameters;
    if (parameters.empty()) return;
    std::sort(parameters.begin(), parameters.end());
    const double first = parameters.front(), last = parameters.back();
    constexpr int parts = 6;
    for (int i = 1; i < parts; ++i) parameters.push_back(first + (last - first) * i / parts);
    std::sort(parameters.begin(), parameters.end());
    parameters.erase(std::unique(parameters.begin(), parameters.end()), parameters.end());
    for (const double parameter : parameters) {
      const auto place = place_at(parameter);
      if (!place) {
        end_before(parameter);
        return;
      }
      vertices_.emplace_back(parameter, *place);
    }
  }

  [[nodiscard]] std::vector<Place> places() const {
    std::vector<Place> all;
    for (const auto& [parameter, place] : vertices_) all.push_back(place);
    return all;
  }

  /// Adds vertices until no part is off by more; false if that takes too many.
  bool refine(const std::vector<Pixels>& axes) {
    for (std::size_t i = 0; i + 1 < vertices_.size();) {
      const Vertex &from = vertices_[i], &to = vertices_[i + 1];
      const double middle = from.first + (to.first - from.first) / 2;
      if (!(middle > from.first && middle < to.first) || short_enough(from.second, to.second, axes)) {
        ++i;
        continue;
      }
      if (evaluations_ >= DrawnPicture::max_evaluations) return false;
      const auto place = place_at(middle);
      if (!place) {
        vertices_.resize(i + 1);
        end_before(middle);
        continue;
      }
      const bool straight_enough = near(*place, from.second, to.second, axes);
      vertices_.insert(vertices_.begin() + static_cast<std::ptrdiff_t>(i) + 1, {middle, *place});
      if (straight_enough) i += 2;
    }
    return true;
  }

 private:
  using Vertex = std::pair<double, Place>;

  /// There is no place at `parameter`: adds the last one before it.
  void end_before(double parameter) {
    constexpr int halvings = 11;  // to less than a pixel
    for (int i = 0; i < halvings && !vertices_.empty(); ++i) {
      const double middle = vertices_.back().first + (parameter - vertices_.back().first) / 2;
      if (const auto place = place_at(middle))
        vertices_.emplace_back(middle, *place);
      else
        parameter = middle;
    }
  }

  [[nodiscard]] std::optional<Place> place_at(double parameter) {
    ++evaluations_;
    try {
      const auto place = course_.at(parameter);
      if (place && std::isfinite(place->first) && std::isfinite(place->second)) return place;
    } catch (const NoAnswer&) {
    } catch (const InvalidArgument&) {
    }
    return std::nullopt;
  }

  /// Of its values the axis may show none: at 0 on a logarithmic one.
  static bool shown(const Place& place) { return std::isfinite(place.second); }

  static bool short_enough(const Place& from, const Place& to, const std::vector<Pixels>& axes) {
    return std::all_of(axes.begin(), axes.end(), [&](const Pixels& axis) {
      const Place a = axis.of(from), b = axis.of(to);
      return !shown(a) || !shown(b) || std::hypot(a.first - b.first, a.second - b.second) <= 1;
    });
  }

  /// On the line, within what leaves about a fifth of a pixel, and close enough to both ends that nothing
  /// is missed.
  static bool near(const Place& place, const Place& from, const Place& to, const std::vector<Pixels>& axes) {
    constexpr double play = 0.8, longest = 40;  // pixels
    return std::all_of(axes.begin(), axes.end(), [&](const Pixels& axis) {
      const Place a = axis.of(from), m = axis.of(place), b = axis.of(to);
      if (!shown(a) || !shown(m) || !shown(b)) return true;
      return distance(m, a, b) <= play && std::hypot(a.first - b.first, a.second - b.second) <= longest;
    });
  }

  const Course& course_;
  std::vector<Vertex> vertices_;
  int evaluations_ = 0;
};

/// Without a course a line is drawn only between points that no pixel separates, a distribution only between
/// successive integers.
bool dense(const Curve& curve, const std::vector<Pixels>& axes) {
  const double pixel = axes.empty() ? 0 : axes.front().width / picture_width;
  std::vector<double> xs;
  for (const auto& [x, y] : curve.points) xs.push_back(x);
  std::sort(xs.begin(), xs.end());
  for (std::size_t i = 1; i < xs.size(); ++i) {
    const double step = xs[i] - xs[i - 1];
    const bool successive = curve.style != CurveStyle::line && step <= 1 && xs[i] == std::floor(xs[i]) &&
                            xs[i - 1] == std::floor(xs[i - 1]);
    if (step > 1.2 * pixel && !successive) return false;
  }
  return true;
}

void change_units(Picture& picture) {
  const auto changed = [](double value, double factor, bool power) {
    return power ? value + std::log10(factor) : value * factor;
  };
  const auto x = [&, factor = picture.x_factor](double value) {
    return changed(value, factor, picture.x_powers_of_ten);
  };
  const auto y = [&, factor = picture.y_factor](double value) {
    return changed(value, factor, picture.powers_of_ten);
  };
  for (Curve& curve : picture.curves) {
    for (auto* places : {&curve.points, &curve.marked})
      for (auto& [its_x, its_y] : *places) its_x = x(its_x), its_y = y(its_y);
    for (auto& [low, high] : curve.ends) low = y(low), high = y(high);
  }
  picture.x_factor = picture.y_factor = 1;
}

/// Lines without marks look the same in grey print: gives each of several a few, at places of its own.
void tell_apart(Picture& picture) {
  std::vector<Curve*> lines;
  for (Curve& curve : picture.curves)
    if ((curve.style == CurveStyle::line || curve.style == CurveStyle::steps) && curve.points.size() > 1)
      lines.push_back(&curve);
  if (lines.size() < 2 || lines.size() > max_distinct_curves) return;
  constexpr std::size_t marks = 6;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& points = lines[i]->points;
    if (!lines[i]->marked.empty()) continue;
    const double from = points.front().first, to = points.back().first;
    for (std::size_t k = 0; k < marks; ++k) {
      const double share =
          (static_cast<double>(k) + (static_cast<double>(i) + 0.5) / static_cast<double>(lines.size())) /
          marks;
      const double x = from + share * (to - from);
      const auto place = std::min_element(points.begin(), points.end(), [x](const auto& a, const auto& b) {
        return std::abs(a.first - x) < std::abs(b.first - x);
      });
      if (lines[i]->marked.empty() || lines[i]->marked.back() != *place) lines[i]->marked.push_back(*place);
    }
  }
}

}  // namespace

Course course_of(std::function<std::optional<double>(double)> y, std::vector<double> xs) {
  return {[y = std::move(y)](double x) -> std::optional<Place> {
            if (const auto found = y(x)) return Place{x, *found};
            return std::nullopt;
          },
          std::move(xs)};
}

Course straight(const Place& from, const Place& to) {
  return {[from, to](double share) -> std::optional<Place> {
            return Place{from.first + share * (to.first - from.first),
                         from.second + share * (to.second - from.second)};
          },
          {0, 1}};
}

DrawnPicture::DrawnPicture(Picture picture) : picture_(std::move(picture)) {
  const Picture requested = picture_;
  std::vector<std::optional<Followed>> followed(requested.curves.size());
  for (std::size_t i = 0; i < followed.size(); ++i)
    if (is_joined(requested.curves[i]) && requested.curves[i].course) {
      followed[i].emplace(*requested.curves[i].course);
      picture_.curves[i].points = followed[i]->places();
    }
  const std::vector<Pixels> axes = axes_of(picture_);
  const auto as_points = [&](std::size_t i) {
    if (!requested.curves[i].points.empty()) picture_.curves[i].points = requested.curves[i].points;
    picture_.curves[i].style = CurveStyle::points;
  };
  for (std::size_t i = 0; i < followed.size(); ++i) {
    Curve& curve = picture_.curves[i];
    if (!is_joined(curve) || is_limit(curve)) continue;
    if (!followed[i]) {
      if (!dense(curve, axes)) as_points(i);
      continue;
    }
    const bool whole = followed[i]->refine(axes);
    curve.points = followed[i]->places();
    if (!whole || curve.points.size() < 2)
      as_points(i);
    else
      curve.marked = requested.curves[i].points;
  }
  tell_apart(picture_);
  change_units(picture_);
}

bool has_markers(const Curve& curve) {
  switch (curve.style) {
    case CurveStyle::points:
    case CurveStyle::span:
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

/// Two points at the same x.
Curve vertical_limit(std::string title, double x) {
  return {.title = std::move(title), .style = CurveStyle::dashed, .points = {{x, 0}, {x, 1}}};
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
    const bool joined = is_joined(picture.curves[b]);
    return drawn[a].size() > 1 && std::all_of(drawn[a].begin(), drawn[a].end(), [&](const auto& point) {
             return distance(point, drawn[b], joined) <= line_width * (high - low);
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
