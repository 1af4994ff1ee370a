#pragma once

#include <tailbound/render/drawing/axis.hpp>
#include <tailbound/render/picture.hpp>

#include <string>
#include <vector>

/// Pictures as SVG: the single drawing code for files, pages and notebooks.
///
/// CONTRACT  files and pages have identical axes and curves. A file also contains title, legend, note, and
/// colors for light
///           and dark screens; a page supplies these itself (formats/html/report.css)
/// METHOD    labels are placed without overlapping one another or, if possible, a curve; a label that does
/// not fit is omitted
/// TESTS     tests/render/picture_test.cpp
namespace tailbound::render {

/// Position of the curves [px], and their axes.
struct View {
  Axis x{}, y{};
  Scale scale = Scale::linear;
  double width = 0, height = 0;                     ///< total size
  double left = 0, right = 0, top = 0, bottom = 0;  ///< borders

  [[nodiscard]] double inner_width() const { return width - left - right; }
  [[nodiscard]] double inner_height() const { return height - top - bottom; }
  [[nodiscard]] double x_of(double place) const { return left + x.share(place) * inner_width(); }
  [[nodiscard]] double y_of(double place) const { return top + (1 - y.share(place)) * inner_height(); }
};

/// \throws NoAnswer  there is nothing to draw
[[nodiscard]] View view_of(const Picture& picture);

/// Axes and curves, or a network, as an <svg class="tb-svg"> within a page.  \throws NoAnswer
[[nodiscard]] std::string svg_within_page(const DrawnPicture& picture);

/// A complete file of the picture.  \throws NoAnswer
[[nodiscard]] std::string svg_file(const DrawnPicture& picture);

struct KeyEntry {
  std::size_t curve = 0;
  std::string title, sample;  ///< plain text; the symbol drawn before it, 26 by 12 px
};
/// For the curves with a title; if there are too many to distinguish by color, some of them, including the
/// first and last.
[[nodiscard]] std::vector<KeyEntry> key_of(const Picture& picture);

/// The points of a curve thinned to about `maximum`: the minimum and maximum of each group.
[[nodiscard]] std::vector<std::pair<double, double>> thinned(
    const std::vector<std::pair<double, double>>& points, std::size_t maximum);

}  // namespace tailbound::render
