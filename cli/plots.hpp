#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/render/picture.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Pictures, drawn by the program gnuplot.
namespace tailbound::cli::plots {

enum class Style {
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
  Style style = Style::points_and_line;
  std::vector<std::pair<double, double>> points;
  std::vector<std::string> labels{};              ///< of each point, for Style::marks; taken literally
  std::vector<std::pair<double, double>> ends{};  ///< of each point's interval, for Style::bars
  std::optional<int> colour{};  ///< of the four, for curves that belong together; or by place
};

struct Picture {
  std::string title;  ///< taken literally
  std::string x_label, y_label;
  std::string note{};  ///< a line below: what the picture does not show
  /// The y values are log10 of what is shown, and the axis is labelled as powers of ten. This way
  /// 1e-400 has its place although no double holds it.
  bool powers_of_ten = false;
  /// Both axes are held to the data.
  std::vector<Curve> curves;
};

/// \throws InvalidArgument  the name does not end in .svg, .png or .pdf
void require_known_ending(const std::string& file);

/// Draws into `file`, which is there, in the format of its ending.
/// \throws InvalidArgument    gnuplot is not installed;  Error  gnuplot failed (with its message)
///         std::system_error  the file cannot be written
void draw(const Picture& picture, const std::string& file);
void draw(const render::Picture& picture, const std::string& file);

/// log10(value), value > 0 and however small.
[[nodiscard]] double log10(const numeric::Real& value);
/// Of its upper bound; minus infinity for 0.
[[nodiscard]] double log10(const numeric::Proved<unit::Probability>& probability);
[[nodiscard]] double log10(const numeric::Claim<unit::Probability>& probability);

}  // namespace tailbound::cli::plots
