#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// A picture as data, independent of its rendering.
namespace tailbound::render {

enum class CurveStyle {
  points_and_line,
  line,
  steps,   ///< a distribution of integers
  dashed,  ///< not data: an asymptote
  rule,    ///< a horizontal level: a target
  marks,   ///< labeled points of interest
  bars,    ///< estimates: points with their intervals
};

struct Curve {
  std::string title;  ///< literal text
  CurveStyle style = CurveStyle::points_and_line;
  std::vector<std::pair<double, double>> points{};
  std::vector<std::string> labels{};              ///< of each point, for marks; literal text
  std::vector<std::pair<double, double>> ends{};  ///< of each point's interval, for bars
  std::optional<int> colour{};                    ///< for related curves; default: by position
};

/// Is it data, rather than a level, an asymptote or a mark?
[[nodiscard]] inline bool is_data(const Curve& curve) {
  return curve.style != CurveStyle::dashed && curve.style != CurveStyle::rule &&
         curve.style != CurveStyle::marks;
}

/// Is every point marked? A line through a single point would be invisible.
[[nodiscard]] bool has_markers(const Curve& curve);

/// A vertical limit, such as a saturation load: two points at the same x, drawn over the full height of the
/// picture.
[[nodiscard]] bool is_limit(const Curve& curve);

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
  /// The y values are shown on a logarithmic axis; values of 0 or below are omitted. No effect together with
  /// powers_of_ten.
  bool log_y = false;
  std::vector<Curve> curves{};
  std::optional<NetworkPicture> network{};  ///< instead of the axes and curves
};

/// The same, but a line hidden under a later one is named in the title of that one: "b (hides a)".
[[nodiscard]] Picture named_where_hidden(Picture picture);

/// Colors, dashes and markers distinguish at most this many curves.
inline constexpr std::size_t max_distinct_curves = 12;

}  // namespace tailbound::render
