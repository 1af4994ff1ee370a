#pragma once

#include <tailbound/render/drawing/axis.hpp>
#include <tailbound/render/picture.hpp>

#include <string>
#include <vector>

/// Pictures as SVG: the one way in which they are drawn, for files, pages and notebooks.
///
/// CONTRACT  the same axes and curves to the pixel in a file and in a page; a file has title, key and note as well, and
///           colours for light and dark screens, a page gives them (formats/html/report.css)
/// METHOD    labels are set where they meet neither one another nor, if they can, a curve; one that has no place is left out
/// TESTS     tests/render/picture_test.cpp
namespace tailbound::render {

/// Where the curves are [px], and what their axes are.
struct View {
  Axis x{}, y{};
  Scale scale = Scale::linear;
  double width = 0, height = 0;                     ///< of all
  double left = 0, right = 0, top = 0, bottom = 0;  ///< borders

  [[nodiscard]] double inner_width() const { return width - left - right; }
  [[nodiscard]] double inner_height() const { return height - top - bottom; }
  [[nodiscard]] double x_of(double place) const { return left + x.share(place) * inner_width(); }
  [[nodiscard]] double y_of(double place) const { return top + (1 - y.share(place)) * inner_height(); }
};

/// \throws NoAnswer  there is nothing to draw
[[nodiscard]] View view_of(const Picture& picture);

/// Axes and curves, or a network, as an <svg class="tb-svg"> within a page.  \throws NoAnswer
[[nodiscard]] std::string svg_within_page(const Picture& picture);

/// A file with all that belongs to the picture.  \throws NoAnswer
[[nodiscard]] std::string svg_file(const Picture& picture);

struct KeyEntry {
  std::size_t curve = 0;
  std::string title, sample;  ///< plain text; what is drawn before it, 26 by 12 px
};
/// Of the curves that have a title; of more than are told apart by colour some, first and last among them.
[[nodiscard]] std::vector<KeyEntry> key_of(const Picture& picture);

/// The points of a curve thinned to at most about `most`: the least and the greatest of each group.
[[nodiscard]] std::vector<std::pair<double, double>> thinned(
    const std::vector<std::pair<double, double>>& points, std::size_t most);

}  // namespace tailbound::render
