#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/picture.hpp>

#include <string>
#include <utility>
#include <vector>

// What gnuplot is told of a picture: titles, and logarithmic axes for values.

using namespace tailbound;
using render::Curve;
using render::CurveStyle;
using render::Picture;
using render::to_gnuplot;

namespace {

Picture values(std::vector<std::pair<double, double>> points) {
  Picture picture{.title = "title", .x_label = "x", .y_label = "y"};
  picture.log_y = true;
  picture.curves.push_back(Curve{.title = "curve", .points = std::move(points)});
  return picture;
}

bool says(const Picture& picture, const std::string& text) {
  return to_gnuplot(picture, "svg").find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("pictures: values on a logarithmic axis, with ticks that can be read", "[render]") {
  const Picture short_span = values({{1, 9}, {2, 30}, {3, 157}});
  CHECK(says(short_span,
             "set logscale y\nset format y '%g'\nset yrange [5:200]\nset ytics (5, 10, 20, 50, 100, 200)"));
  CHECK(says(short_span, "1 9\n2 30\n3 157\n"));
  CHECK(says(values({{1, 100}, {2, 100}}), "set yrange [100:200]\nset ytics (100, 200)"));
  CHECK(says(values({{1, 0.2}, {2, 0.7}}), "set yrange [0.2:1]\nset ytics (0.2, 0.5, 1)"));
  // Of many decades the powers of ten.
  const Picture long_span = values({{1, 3e-4}, {2, 800}});
  CHECK(says(long_span, "set yrange [0.0002:1000]\n"));
  CHECK_FALSE(says(long_span, "set ytics"));
  // A linear axis begins at 0.
  Picture linear = short_span;
  linear.log_y = false;
  CHECK(says(linear, "set yrange [0:*]"));
  CHECK_FALSE(says(linear, "logscale"));
}

TEST_CASE("pictures: what is not above 0 has no place on a logarithmic axis", "[render]") {
  const Picture some = values({{1, 0}, {2, 30}, {3, -4}, {4, 40}});
  CHECK(says(some, "$curve0 << end_of_curve\n2 30\n4 40\nend_of_curve\n"));
  CHECK_THROWS_AS(to_gnuplot(values({{1, 0}, {2, -1}}), "svg"), NoAnswer);
  // Intervals that reach down to 0 leave at the foot.
  Picture bars = values({{1, 10}});
  bars.curves[0].style = CurveStyle::bars;
  bars.curves[0].ends = {{0, 20}};
  CHECK(says(bars, "1 10 0.01 20\n"));
  // Values that are logarithms already stay as they are.
  Picture powers = values({{1, -3}, {2, 0}});
  powers.powers_of_ten = true;
  CHECK(says(powers, "1 -3\n2 0\n"));
  CHECK_FALSE(says(powers, "logscale"));
}

TEST_CASE("pictures: titles as they are typed, long ones in several lines", "[render]") {
  Picture picture = values({{1, 2}});
  picture.title = "Peter's `switch` \"A\" \\n {x_1}";
  CHECK(says(picture, "set title 'Peter''s `switch` \"A\" \\n {x_1}' noenhanced"));
  picture.title = std::string(60, 'a') + " " + std::string(60, 'b');
  CHECK(says(picture,
             "set title '" + std::string(60, 'a') + "'.\"\\n\".'" + std::string(60, 'b') + "' noenhanced"));
  picture.title.clear();
  CHECK(says(picture, "set title '' noenhanced"));
}
