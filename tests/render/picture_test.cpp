#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/formats/html.hpp>
#include <tailbound/render/picture.hpp>

#include <array>
#include <regex>
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
  CHECK(says(
      short_span,
      "set logscale y\nset format y '%g'\nset yrange [5:200]\nset ytics (5, 10, 20, 50, 100, 200, '' 6 1"));
  CHECK(says(short_span, "1 9\n2 30\n3 157\n"));
  CHECK(says(values({{1, 100}, {2, 100}}), "set yrange [100:200]\nset ytics (100, 200)"));
  CHECK(says(values({{1, 0.2}, {2, 0.7}}), "set yrange [0.2:1]\nset ytics (0.2, 0.5, 1, '' 0.3 1, "));
  // Of many decades the powers of ten.
  const Picture long_span = values({{1, 3e-4}, {2, 800}});
  CHECK(says(long_span, "set yrange [0.0002:1000]\n"));
  CHECK_FALSE(says(long_span, "set ytics"));
  // A linear axis begins at 0.
  Picture linear = short_span;
  linear.log_y = false;
  CHECK(says(linear, "set yrange [0:160]"));
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
  CHECK(says(picture, "set title 'Peter'.\"'\".'s `switch` \"A\" \\n {x_1}' offset 0,0.00 noenhanced"));
  picture.title = std::string(60, 'a') + " " + std::string(60, 'b');
  CHECK(says(picture, "set title '" + std::string(60, 'a') + "'.\"\\n\".'" + std::string(60, 'b') +
                          "' offset 0,0.00 noenhanced"));
  picture.title.clear();
  CHECK(says(picture, "set title '' offset 0,0.00 noenhanced"));
}

TEST_CASE("pictures: a curve under another is named in that one's title", "[render]") {
  Picture picture = values({{1, 10}, {2, 20}, {3, 40}});
  picture.curves.push_back(Curve{.title = "other", .points = {{1, 10}, {3, 40}}});
  const Picture said = render::named_where_hidden(picture);
  CHECK(said.curves[0].title == "curve");
  CHECK(said.curves[1].title == "other (hides curve)");
  CHECK(says(picture, "title 'other (hides curve)'"));
  // The first goes on where the second ends, or lies beside it: both are seen.
  picture.curves[0].points.emplace_back(4, 80);
  CHECK(render::named_where_hidden(picture).curves[1].title == "other");
  picture.curves[0].points = {{1, 10}, {2, 25}, {3, 40}};
  CHECK(render::named_where_hidden(picture).curves[1].title == "other");
  // Points with bars hide no line.
  picture.curves[0].points = {{1, 10}, {2, 20}, {3, 40}};
  picture.curves[1].style = CurveStyle::bars;
  CHECK(render::named_where_hidden(picture).curves[1].title == "other");
}

TEST_CASE("pictures: a limit goes over the whole height, and does not stretch it", "[render]") {
  Picture picture = values({{1, 10}, {2, 30}});
  picture.log_y = false;
  picture.curves.push_back(
      Curve{.title = "limit", .style = CurveStyle::dashed, .points = {{3, 5}, {3, 500}}});
  CHECK(render::is_limit(picture.curves[1]));
  CHECK_FALSE(render::is_limit(picture.curves[0]));
  CHECK(says(picture, "set yrange [0:30]"));
  CHECK(says(picture, "$curve1 << end_of_curve\n3 0\n3 30\nend_of_curve\n"));
  CHECK(says(picture, "set xrange [0.96:3.04]"));
}

TEST_CASE("pictures: a single point has an axis around it", "[render]") {
  CHECK(says(values({{5, 0.3}}), "set xrange [4:6]"));
  CHECK(says(values({{0.5, 0.3}}), "set xrange [0.25:0.75]"));
}

TEST_CASE("pictures: a curve of one point is marked, whatever its style", "[render]") {
  for (const CurveStyle style :
       {CurveStyle::points_and_line, CurveStyle::line, CurveStyle::steps, CurveStyle::dashed}) {
    Picture picture = values({{1, 2}});
    picture.curves[0].style = style;
    CHECK(says(picture, "points linewidth"));
    CHECK(render::html_picture(picture).find("<path class=\"tb-marker\" d=\"M") != std::string::npos);
    picture.curves[0].points = {{1, 2}, {2, 3}};
    const bool marked = style == CurveStyle::points_and_line;
    CHECK(says(picture, "points linewidth") == marked);
    CHECK((render::html_picture(picture).find("tb-marker") != std::string::npos) == marked);
  }
}

TEST_CASE("pictures: labels neither meet nor leave the picture", "[render]") {
  Picture picture{.title = "title", .x_label = "x", .y_label = "y", .powers_of_ten = true};
  Curve marks{.title = "marks", .style = CurveStyle::marks};
  for (int i = 0; i <= 90; ++i) {
    marks.points.emplace_back(i, -i / 10.0);
    marks.labels.push_back("label " + std::to_string(i) + ": so and so many slots");
  }
  picture.curves = {marks};
  const std::string script = to_gnuplot(picture, "svg");
  std::vector<std::array<double, 4>> boxes;  // left, right, foot, head in shares of the axes
  const std::regex label("set label \\d+ '([^']+)' at graph ([0-9.]+), graph ([0-9.]+) left");
  for (std::sregex_iterator each(script.begin(), script.end(), label), end; each != end; ++each) {
    const double left = std::stod((*each)[2]), middle = std::stod((*each)[3]);
    const double letter = 0.009, half = 0.018;  // the least that the letters of a picture take
    boxes.push_back(
        {left, left + letter * static_cast<double>((*each)[1].length()), middle - half, middle + half});
  }
  REQUIRE(boxes.size() >= 8);
  CHECK(script.find("label 90") != std::string::npos);  // the last one, the rarest, above all
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    CHECK((boxes[i][0] >= 0 && boxes[i][1] <= 1 && boxes[i][2] >= 0 && boxes[i][3] <= 1));
    for (std::size_t j = 0; j < i; ++j)
      CHECK_FALSE((boxes[i][0] < boxes[j][1] && boxes[j][0] < boxes[i][1] && boxes[i][2] < boxes[j][3] &&
                   boxes[j][2] < boxes[i][3]));
  }
}

TEST_CASE("pictures: curves without a title take no room in the key", "[render]") {
  Picture picture = values({{1, 10}, {2, 20}});
  for (const char* title : {"second", "", "", "", "", ""})
    picture.curves.push_back(Curve{.title = title, .style = CurveStyle::line, .points = {{1, 5}, {2, 40}}});
  CHECK(says(picture, " maxcols 2 "));
  CHECK(says(picture, "set tmargin 3.65\n"));  // a title and one row
  for (Curve& curve : picture.curves) curve.title.clear();
  CHECK(says(picture, "set key off"));
  CHECK(says(picture, "set tmargin 2.60\n"));
}
