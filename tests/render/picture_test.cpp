#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/drawing/axis.hpp>
#include <tailbound/render/drawing/palette.hpp>
#include <tailbound/render/drawing/svg.hpp>
#include <tailbound/render/drawing/typeset.hpp>
#include <tailbound/render/formats/html.hpp>
#include <tailbound/render/picture.hpp>

#include <array>
#include <cmath>
#include <regex>
#include <string>
#include <utility>
#include <vector>

// Drawing of pictures: axes, titles, legends, labels.

using namespace tailbound;
using render::Axis;
using render::Curve;
using render::CurveStyle;
using render::Picture;

namespace {

Picture values(std::vector<std::pair<double, double>> points) {
  Picture picture{.title = "title", .x_label = "x", .y_label = "y"};
  picture.log_y = true;
  picture.curves.push_back(Curve{.title = "curve", .points = std::move(points)});
  return picture;
}

bool shows(const Picture& picture, const std::string& text) {
  return render::svg_file(picture).find(text) != std::string::npos;
}

/// Texts of the labeled ticks.
std::vector<std::string> ticks(const Axis& axis) {
  std::vector<std::string> texts;
  for (const render::Tick& tick : axis.ticks)
    if (!tick.text.empty()) texts.push_back(tick.text);
  return texts;
}

using Texts = std::vector<std::string>;
constexpr double digit = 0.01;  // fraction of the width of the axis

}  // namespace

TEST_CASE("pictures: values on a logarithmic axis, with readable ticks", "[render]") {
  const Axis few = y_axis(values({{1, 8}, {2, 30}, {3, 164}}));
  CHECK(ticks(few) == Texts{"5", "10", "20", "50", "100", "200"});
  CHECK(few.low == Approx(std::log10(5)));
  CHECK(few.high == Approx(std::log10(200)));
  CHECK(ticks(y_axis(values({{1, 100}, {2, 100}}))) == Texts{"100", "200"});
  CHECK(ticks(y_axis(values({{1, 0.2}, {2, 0.7}}))) == Texts{"0.2", "0.5", "1"});
  CHECK(ticks(y_axis(values({{1, 2.1e-7}, {2, 4.9e-7}}))) == Texts{"2e-7", "5e-7"});
  // Powers of ten for many decades.
  CHECK(ticks(y_axis(values({{1, 3e-4}, {2, 800}}))) ==
        Texts{"1e-4", "1e-3", "1e-2", "1e-1", "1e0", "1e1", "1e2", "1e3"});
  // Outside the range of a double: the values are logarithms.
  Picture powers = values({{1, -400}, {2, -10}});
  powers.powers_of_ten = true;
  CHECK(ticks(y_axis(powers)).front() == "1e-400");
  CHECK(ticks(y_axis(powers)).size() <= 10);
}

TEST_CASE("pictures: linear axes begin at 0 and end at a tick, or below for negative values", "[render]") {
  Picture picture = values({{1, 9}, {2, 30}, {3, 157}});
  picture.log_y = false;
  CHECK(ticks(y_axis(picture)) == Texts{"0", "20", "40", "60", "80", "100", "120", "140", "160"});
  picture.curves[0].points = {{1, -3}, {2, 4}};
  CHECK(y_axis(picture).low == -3);
  picture.curves[0].points = {{1, 0}, {2, 0}};
  CHECK(y_axis(picture).high == 1);
}

TEST_CASE("pictures: as many ticks as fit", "[render]") {
  const Picture picture = values({{100000, 1}, {990000, 2}});
  CHECK(ticks(x_axis(picture, 0.005)).size() == 10);
  const std::size_t narrow = ticks(x_axis(picture, 0.03)).size();
  CHECK(narrow <= 4);
  CHECK(narrow >= 1);
  CHECK(ticks(x_axis(values({{1e7, 1}, {9e7, 2}}), digit)).front() == "1e+07");
}

TEST_CASE("pictures: values of 0 or below are omitted on a logarithmic axis", "[render]") {
  const Picture some = values({{1, 0}, {2, 30}, {3, -4}, {4, 40}});
  CHECK(y_axis(some).low == Approx(std::log10(20)));
  const std::string svg = render::svg_file(some);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
  CHECK_THROWS_AS(render::svg_file(values({{1, 0}, {2, -1}})), NoAnswer);
  // Intervals that reach down to 0 extend below the axis.
  Picture bars = values({{1, 10}});
  bars.curves[0].style = CurveStyle::bars;
  bars.curves[0].ends = {{0, 20}};
  const render::View view = view_of(bars);
  const std::regex bar("tb-bars\" d=\"M[0-9.]+ ([0-9.]+)h6m-3 0V([0-9.]+)");
  std::smatch found;
  const std::string drawn = render::svg_within_page(bars);
  REQUIRE(std::regex_search(drawn, found, bar));
  CHECK(std::stod(found[1]) == Approx(view.y_of(std::log10(20))).margin(0.1));
  CHECK(std::stod(found[2]) == Approx(view.height - view.bottom).margin(0.1));
}

TEST_CASE("pictures: points match the axes", "[render]") {
  Picture picture = values({{1, 10}, {2, 100}, {3, 1000}});
  picture.curves[0].style = CurveStyle::span;
  const render::View view = view_of(picture);
  std::string path;
  for (const auto& [x, y] : picture.curves[0].points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", view.x_of(x), view.y_of(std::log10(y)));
  CHECK(shows(picture, "<path class=\"tb-curve\" d=\"" + path + "\"/>"));
  CHECK(view.x_of(view.x.low) == Approx(view.left));
  CHECK(view.y_of(view.y.high) == Approx(view.top));
}

TEST_CASE("pictures: files and pages have the same axes and curves", "[render]") {
  const Picture picture = values({{1, 10}, {2, 100}, {3, 1000}});
  const std::string page = render::svg_within_page(picture);
  const std::size_t from = page.find('>') + 1;
  const std::string drawn = page.substr(from, page.rfind("</svg>") - from);
  CHECK(shows(picture, drawn));
  CHECK(render::html_picture(picture).find(drawn) != std::string::npos);
  // The colors are those of the style sheet of pages.
  const std::string style(render::html_style());
  const std::size_t dark = style.find("prefers-color-scheme");
  for (std::size_t i = 0; i < render::palette.size(); ++i) {
    const std::string name = "--tb-c" + std::to_string(i) + ": ";
    CHECK(style.find(name + render::palette[i].light) < dark);
    CHECK(style.find(name + render::palette[i].dark, dark) != std::string::npos);
  }
}

TEST_CASE("pictures: titles are literal, long ones in several lines", "[render]") {
  Picture picture = values({{1, 2}});
  picture.title = "Peter's ]]> \"A\" <b> & \x1b[1m 1e-9";
  const std::string svg = render::svg_file(picture);
  CHECK(svg.find("Peter&#39;s ]]&gt; &quot;A&quot; &lt;b&gt; &amp; ") != std::string::npos);
  CHECK(svg.find('\x1b') == std::string::npos);
  CHECK(svg.find("10<tspan") != std::string::npos);
  picture.title = std::string(60, 'a') + " " + std::string(60, 'b');
  CHECK(shows(picture, ">" + std::string(60, 'a') + "</text>"));
  CHECK(shows(picture, ">" + std::string(60, 'b') + "</text>"));
  picture.y_label =
      "a label that is longer than its axis, as that of bandwidths with and without combining of messages is";
  CHECK(view_of(picture).left > view_of(values({{1, 2}})).left + 10);
}

TEST_CASE("pictures: a hidden curve is named in the title of the curve on top", "[render]") {
  Picture picture = values({{1, 10}, {2, 20}, {3, 40}});
  picture.curves.push_back(Curve{.title = "other", .points = {{1, 10}, {2, 20}, {3, 40}}});
  const Picture named = render::named_where_hidden(picture);
  CHECK(named.curves[0].title == "curve");
  CHECK(named.curves[1].title == "other (hides curve)");
  CHECK(shows(picture, ">other (hides curve)<"));
  // Points are not hidden by what would join others.
  picture.curves[1].points = {{1, 10}, {3, 40}};
  CHECK(render::named_where_hidden(picture).curves[1].title == "other");
  picture.curves[1].style = CurveStyle::line;
  CHECK(render::named_where_hidden(picture).curves[1].title == "other (hides curve)");
  // The first continues beyond the second, or lies next to it: both are visible.
  picture.curves[0].points.emplace_back(4, 80);
  CHECK(render::named_where_hidden(picture).curves[1].title == "other");
  picture.curves[0].points = {{1, 10}, {2, 25}, {3, 40}};
  CHECK(render::named_where_hidden(picture).curves[1].title == "other");
  // Points with bars hide no line.
  picture.curves[0].points = {{1, 10}, {2, 20}, {3, 40}};
  picture.curves[1].style = CurveStyle::bars;
  CHECK(render::named_where_hidden(picture).curves[1].title == "other");
}

TEST_CASE("pictures: a limit has the full height, and does not extend the axis", "[render]") {
  Picture picture = values({{1, 10}, {2, 30}});
  picture.log_y = false;
  picture.curves.push_back(
      Curve{.title = "limit", .style = CurveStyle::dashed, .points = {{3, 5}, {3, 500}}});
  CHECK(render::is_limit(picture.curves[1]));
  CHECK_FALSE(render::is_limit(picture.curves[0]));
  const render::View view = view_of(picture);
  CHECK(view.y.high == 30);
  CHECK(view.x.low == Approx(0.96));
  CHECK(view.x.high == Approx(3.04));
  CHECK(shows(picture, fmt::format("M{0:.1f} {1:.1f}L{0:.1f} {2:.1f}", view.x_of(3),
                                   view.height - view.bottom, view.top)));
}

TEST_CASE("pictures: a single point has an axis around it", "[render]") {
  CHECK(x_axis(values({{5, 0.3}}), digit).low == 4);
  CHECK(x_axis(values({{5, 0.3}}), digit).high == 6);
  CHECK(x_axis(values({{0.5, 0.3}}), digit).low == 0.25);
  CHECK(x_axis(values({{0.5, 0.3}}), digit).high == 0.75);
}

TEST_CASE("pictures: a curve of one point is marked, in any style", "[render]") {
  for (const CurveStyle style :
       {CurveStyle::points, CurveStyle::span, CurveStyle::steps, CurveStyle::dashed}) {
    Picture picture = values({{1, 2}});
    picture.curves[0].style = style;
    CHECK(shows(picture, "<path class=\"tb-marker\" d=\"M"));
    picture.curves[0].points = {{1, 2}, {2, 3}};
    CHECK(shows(picture, "class=\"tb-marker\"") ==
          (style == CurveStyle::points || style == CurveStyle::span));
  }
}

TEST_CASE("pictures: labels do not overlap or leave the picture", "[render]") {
  Picture picture{.title = "title", .x_label = "x", .y_label = "y", .powers_of_ten = true};
  // Two curves of marks with labels close to each other.
  for (const double shift : {0.0, 0.3}) {
    Curve marks{.title = "marks", .style = CurveStyle::marks};
    for (int i = 0; i <= 90; ++i) {
      marks.points.emplace_back(i, -i / 10.0 - shift);
      marks.labels.push_back("label " + std::to_string(i) + ": so and so many slots");
    }
    picture.curves.push_back(marks);
  }
  const std::string svg = render::svg_within_page(picture);
  const render::View view = view_of(picture);
  std::vector<std::array<double, 4>> boxes;  // left, right, top, foot
  const std::regex label("<text x=\"([0-9.]+)\" y=\"([0-9.]+)\">(label [^<]+)<");
  for (std::sregex_iterator each(svg.begin(), svg.end(), label), end; each != end; ++each) {
    const double left = std::stod((*each)[1]), line = std::stod((*each)[2]);
    boxes.push_back({left, left + render::typeset_width((*each)[3].str(), 12), line - 9, line + 3});
  }
  REQUIRE(boxes.size() >= 8);
  CHECK(svg.find("label 90") != std::string::npos);  // the last one, the rarest, always
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    CHECK((boxes[i][0] >= view.left && boxes[i][1] <= view.width && boxes[i][2] >= 0 &&
           boxes[i][3] <= view.height));
    for (std::size_t j = 0; j < i; ++j)
      CHECK_FALSE((boxes[i][0] < boxes[j][1] && boxes[j][0] < boxes[i][1] && boxes[i][2] < boxes[j][3] &&
                   boxes[j][2] < boxes[i][3]));
  }
}

TEST_CASE("pictures: labels avoid curves if possible", "[render]") {
  Picture picture{.title = "title", .x_label = "x", .y_label = "y"};
  picture.curves.push_back(
      {.title = "rising", .style = CurveStyle::line, .course = render::straight({0, 0}, {10, 10})});
  picture.curves.push_back(
      {.title = "", .style = CurveStyle::marks, .points = {{5, 5}}, .labels = {"half of it, here"}});
  const std::string svg = render::svg_within_page(picture);
  const std::regex label("<text x=\"([0-9.]+)\" y=\"([0-9.]+)\">half of it, here<");
  std::smatch found;
  REQUIRE(std::regex_search(svg, found, label));
  const render::View view = view_of(picture);
  const double left = std::stod(found[1]), right = left + render::typeset_width("half of it, here", 12);
  const double foot = std::stod(found[2]) + 3, top = foot - 12;
  for (double x = 0; x <= 10; x += 0.01) {
    const double px = view.x_of(x), py = view.y_of(x);
    CHECK_FALSE((px > left && px < right && py > top && py < foot));
  }
}

TEST_CASE("pictures: a long legend gets its own space", "[render]") {
  const auto height = [](const Picture& picture) {
    std::smatch found;
    const std::string svg = render::svg_file(picture);
    REQUIRE(std::regex_search(svg, found, std::regex(" height=\"(\\d+)\" viewBox")));
    return std::stod(found[1]);
  };
  Picture picture = values({{1, 10}, {2, 20}});
  const double one = height(picture);
  CHECK_FALSE(shows(picture, "tb-keys\">"));  // one curve needs none
  for (const char* title : {"second", "", "", "", "", ""})
    picture.curves.push_back(Curve{.title = title, .style = CurveStyle::line, .points = {{1, 5}, {2, 40}}});
  CHECK(key_of(picture).size() == 2);
  CHECK(height(picture) == one + 25);
  for (int i = 0; i < 6; ++i)
    picture.curves.push_back(Curve{
        .title = "a title of so many words that one line fits only one of them, number " + std::to_string(i),
        .points = {{1, 5.0 + i}, {2, 40.0 + i}}});
  CHECK(height(picture) == one + 25 + 19 * 7);
  CHECK(view_of(picture).inner_height() == view_of(values({{1, 10}, {2, 20}})).inner_height());
}

TEST_CASE("pictures: with a thousand curves the legend has some, including first and last", "[render]") {
  Picture picture = values({{1, 10}, {2, 20}});
  for (int i = 0; i < 1000; ++i)
    picture.curves.push_back(Curve{.title = "number " + std::to_string(i),
                                   .style = CurveStyle::line,
                                   .points = {{1, 5.0 + i}, {2, 40.0 + i}}});
  const auto key = key_of(picture);
  CHECK(key.size() == render::max_distinct_curves);
  CHECK(key.front().title == "curve");
  CHECK(key.back().title == "number 999");
  CHECK(render::svg_file(picture).size() < 500'000);
}
