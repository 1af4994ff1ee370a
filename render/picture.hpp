#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// A picture as data, independent of its rendering.
namespace tailbound::render {

enum class CurveStyle {
  points,  ///< values at single places, never joined
  line,    ///< a function; it needs a course, or points no more than a pixel apart
  steps,   ///< a distribution of integers, at each of them
  dashed,  ///< as a line, but not data: an asymptote
  rule,    ///< a horizontal level: a target
  span,    ///< the distance from one point to another: a maximum delay
  marks,   ///< labeled points of interest
  bars,    ///< estimates: points with their intervals
};

/// The places of a curve, computed on demand, so that a line is drawn only where its function was evaluated.
struct Course {
  using Place = std::pair<double, double>;
  /// The place at a parameter, such as the load; nothing where there is none. May throw NoAnswer or
  /// InvalidArgument instead.
  std::function<std::optional<Place>(double)> at;
  /// From the first to the last of these; those between are evaluated as well: what was requested, and kinks.
  std::vector<double> parameters{};
};
/// Of y as a function of x.
[[nodiscard]] Course course_of(std::function<std::optional<double>(double)> y, std::vector<double> xs);
/// A straight line.
[[nodiscard]] Course straight(const Course::Place& from, const Course::Place& to);

struct Curve {
  std::string title;  ///< literal text
  CurveStyle style = CurveStyle::points;
  std::vector<std::pair<double, double>> points{};
  std::vector<std::string> labels{};              ///< of each point, for marks; literal text
  std::vector<std::pair<double, double>> ends{};  ///< of each point's interval, for bars
  std::optional<int> colour{};                    ///< for related curves; default: by position
  std::optional<Course> course{};                 ///< `points` are then those requested, if known
  std::vector<std::pair<double, double>>
      marked{};  ///< points of a line that were requested, or tell it apart
};

/// Is it data, rather than a level, an asymptote or a mark?
[[nodiscard]] inline bool is_data(const Curve& curve) {
  return curve.style != CurveStyle::dashed && curve.style != CurveStyle::rule &&
         curve.style != CurveStyle::marks;
}

/// Are its points joined by a function?
[[nodiscard]] inline bool is_joined(const Curve& curve) {
  return curve.style == CurveStyle::line || curve.style == CurveStyle::steps ||
         curve.style == CurveStyle::dashed;
}

/// A vertical limit, such as a saturation load, over the full height of the picture.
[[nodiscard]] Curve vertical_limit(std::string title, double x);
[[nodiscard]] bool is_limit(const Curve& curve);

/// Is every point marked? A line through a single point would be invisible.
[[nodiscard]] bool has_markers(const Curve& curve);

/// A network of hosts and switches, to be drawn.
struct NetworkPicture {
  struct Node {
    std::string name;  ///< literal text
    bool host = false;
  };
  struct Edge {
    std::size_t from = 0, to = 0;  ///< nodes
    int wires = 1;
    std::optional<double> load{};  ///< of the busier direction, from 0; above 1 it exceeds the capacity
  };
  std::vector<Node> nodes{};
  std::vector<Edge> edges{};  ///< each pair of nodes once
};

struct Picture {
  std::string title;  ///< literal text
  std::string x_label, y_label;
  std::string note{};  ///< a line below: what the picture omits
  /// The y values are log10 of the quantity, and the axis is labeled with powers of ten. So 1e-400 can be
  /// shown although it is not a double.
  bool powers_of_ten = false;
  bool x_powers_of_ten = false;  ///< the same of the x values: targets such as 1e-15
  /// The y values are shown on a logarithmic axis; values of 0 or below are omitted. No effect together with
  /// powers_of_ten.
  bool log_y = false;
  /// Units of the labels in units of the values: 64 for points in packets and a label in bytes.
  double x_factor = 1, y_factor = 1;
  std::vector<Curve> curves{};
  std::optional<NetworkPicture> network{};  ///< instead of the axes and curves
  std::vector<std::string> names{};         ///< never typeset: AsWritten (drawing/typeset.hpp)
};

/// Size of pictures, and of the rectangle of their axes [px].
inline constexpr double picture_width = 860, plot_height = 378;

/// A picture as it is drawn, the only form that svg.hpp and the formats accept: no line in it is a chord.
///
/// METHOD  each course is evaluated at more parameters until its line is within a pixel, on the axis of the
///         picture and on a logarithmic one. What has no course and points further apart, or needs more than
///         `max_evaluations`, is drawn as points. A course ends before the first parameter without a place.
/// COST    about 20 to 60 evaluations of each course
/// TESTS   tests/render/picture_test.cpp, tests/golden/pictures_test.cpp
class DrawnPicture {
 public:
  DrawnPicture(Picture picture);  // implicit: a picture is evaluated where it is drawn
  [[nodiscard]] const Picture& operator*() const { return picture_; }
  [[nodiscard]] const Picture* operator->() const { return &picture_; }
  static constexpr int max_evaluations = 250;  ///< of one course

 private:
  Picture picture_;
};

/// The same, but a line hidden under a later one is named in the title of that one: "b (hides a)".
[[nodiscard]] Picture named_where_hidden(Picture picture);

/// Colors, dashes and markers distinguish at most this many curves.
inline constexpr std::size_t max_distinct_curves = 12;

}  // namespace tailbound::render
