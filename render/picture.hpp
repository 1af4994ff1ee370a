#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// A picture as data, for whatever draws it.
namespace tailbound::render {

enum class CurveStyle {
  points_and_line,
  line,
  steps,   ///< a distribution of whole numbers
  dashed,  ///< not data: an asymptote
  rule,    ///< a level across the picture: a target
  marks,   ///< single points of interest, with labels
  bars,    ///< estimates: points with their intervals
};

struct Curve {
  std::string title;  ///< taken literally
  CurveStyle style = CurveStyle::points_and_line;
  std::vector<std::pair<double, double>> points{};
  std::vector<std::string> labels{};              ///< of each point, for marks; taken literally
  std::vector<std::pair<double, double>> ends{};  ///< of each point's interval, for bars
  std::optional<int> colour{};                    ///< for curves that belong together; or by place
};

/// Is it data, and no level or asymptote or mark beside them?
[[nodiscard]] inline bool is_data(const Curve& curve) {
  return curve.style != CurveStyle::dashed && curve.style != CurveStyle::rule &&
         curve.style != CurveStyle::marks;
}

/// Is every point marked? A line of one point would be nowhere to be seen.
[[nodiscard]] bool has_markers(const Curve& curve);

/// A level across the other axis, as the load at which something saturates: two points at one place, drawn over
/// the whole height of the picture whatever their own.
[[nodiscard]] bool is_limit(const Curve& curve);

/// A network of hosts and switches, to be drawn.
struct NetworkPicture {
  struct Node {
    std::string name;  ///< taken literally
    bool host = false;
  };
  struct Edge {
    std::size_t from = 0, to = 0;  ///< nodes
    int wires = 1;
    std::optional<double>
        load{};  ///< of the busier direction, from 0; over 1 it is more than the link carries
  };
  std::vector<Node> nodes{};
  std::vector<Edge> edges{};  ///< each pair of nodes once
};

struct Picture {
  std::string title;  ///< taken literally
  std::string x_label, y_label;
  std::string note{};  ///< a line below: what the picture does not show
  /// The y values are log10 of what is shown, and the axis is labelled as powers of ten. This way
  /// 1e-400 has its place although no double holds it.
  bool powers_of_ten = false;
  /// The y values are what is shown, on a logarithmic axis; those that are not above 0 are left out. Of no effect
  /// beside powers_of_ten.
  bool log_y = false;
  std::vector<Curve> curves{};
  std::optional<NetworkPicture> network{};  ///< in place of the axes and curves
};

/// The same, but a line that lies under a later one (and so is nowhere to be seen) is named in that one's title:
/// "b (hides a)".
[[nodiscard]] Picture named_where_hidden(Picture picture);

/// Colours, dashes and markers that tell so many curves apart.
inline constexpr std::size_t most_curves_told_apart = 12;

}  // namespace tailbound::render
