#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/render/drawing/svg.hpp>
#include <tailbound/render/formats/html.hpp>
#include <tailbound/render/formats/short_ends.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Handmade pages: HTML of numbers, texts and pictures. Their behavior in a browser: tests/browser.

using namespace tailbound;
using namespace tailbound::render;
using nlohmann::json;
using numeric::Rational;

namespace {

constexpr std::size_t largest_page = 500'000;
const Frame page_frame{.version = "1.2", .command_line = "tailbound toy --name 'a <b>'"};

std::shared_ptr<const Layout> page_layout() {
  return std::make_shared<const Layout>(Layout{
      .command = "toy",
      .inputs = {{"name", "name", "", Shape::text, "of it"}, {"load", "load", "", Shape::given, "rho"}},
      .results = {{"tail", "tail", "packets", Shape::proved, "P"},
                  {"mean", "mean", "slots", Shape::estimate, "E"},
                  {"bits_used", "bits_used", "", Shape::whole, "b", Style::hidden}},
      .tables = {{"levels",
                  "a row a level",
                  {{"n", "n", "", Shape::whole, "n"}, {"p", "P", "", Shape::proved, "P"}}}}});
}

Document one_answer() {
  const numeric::Real low("1.25e-400"), high("1.2500000000001e-400");
  return {.layout = page_layout(),
          .headline = Headline::without_numbers("Less than 1.250000000e-400 & more"),
          .results = {{.inputs = {{"name", Text{"</script><script>alert(1)</script>"}},
                                  {"load", Given{Rational(1) / 3}}},
                       .cells = {{"tail", Enclosure{numeric::Theorem::input, low, high}},
                                 {"mean", Estimate{10.5, 10, std::numeric_limits<double>::infinity(), 0.95}},
                                 {"bits_used", Whole{53}}},
                       .lines = {{"tail", "it is " + brief(Enclosure{numeric::Theorem::input, low, high}) +
                                              " (certified)"}}}},
          .notes = {"a < b"}};
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
    ++found;
  return found;
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

/// The text between these strings.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  REQUIRE(from != std::string::npos);
  return text.substr(from + begin.size(), text.find(end, from + begin.size()) - from - begin.size());
}

}  // namespace

TEST_CASE("pages: numbers carry their kind and both ends, in sentences and in tables") {
  const std::string page = html_fragment(one_answer(), page_frame);
  const Decimals ends = decimals(one_answer().results[0].cells[0].value);
  const std::string attributes = "data-kind=\"enclosure\" data-sure=\"certified to 10 digits\" data-low=\"" +
                                 ends.lower + "\" data-high=\"" + ends.upper + "\"";
  INFO(page);
  CHECK(has(page, "it is <span class=\"tb-number\" tabindex=\"0\" " + attributes +
                      ">1.2500000000\u00a0\u00d7\u00a010<sup>\u2212400</sup></span> (certified)"));
  CHECK(has(page, "<td " + attributes +
                      ">1.2500000000\u00a0\u00d7\u00a010<sup>\u2212400</sup> <small>packets</small></td>"));
  CHECK(has(
      page,
      "data-kind=\"estimate\" data-sure=\"estimate, 95 % interval\" data-value=\"10.5\" data-low=\"10\">"));
  CHECK(has(page, "<th scope=\"row\">bits used<span>b</span></th><td>53</td>"));
  for (const char* kind : {"enclosure", "estimate"})
    CHECK(has(page, std::string("data-kind-name=\"") + kind));
  CHECK_FALSE(has(page, "data-kind-name=\"model\""));
}

TEST_CASE("pages: text is escaped") {
  const std::string page = to_html(one_answer(), page_frame);
  CHECK_FALSE(has(page, "<script>alert"));
  CHECK(has(page, "&lt;/script&gt;&lt;script&gt;alert(1)"));
  CHECK(has(page, "tailbound toy --name &#39;a &lt;b&gt;&#39;"));
  CHECK(has(page, "<p>a &lt; b</p>"));
  CHECK(count(page, "<script>") == 1);
  Picture picture{.title = "</script><b>",
                  .x_label = "\"x\"",
                  .y_label = "y",
                  .curves = {{.title = "<i>", .points = {{0, 1}, {1, 2}}}}};
  const std::string figure = html_picture(picture);
  CHECK(count(figure, "</script>") == 1);
  CHECK_FALSE(has(figure, "<b>"));
  CHECK_FALSE(has(figure, "<i>"));
  const json data = json::parse(between(figure, "class=\"tb-data\">", "</script>"));
  CHECK(data["title"] == "</script><b>");
  CHECK(data["x"] == "\"x\"");
}

TEST_CASE("pages: nothing is loaded, and there are no style attributes") {
  const std::string page = to_html(one_answer(), page_frame);
  CHECK(has(page, "default-src 'none'; img-src data:; style-src " + html_style_hash() + "; script-src " +
                      html_script_hash()));
  CHECK_FALSE(has(page, "unsafe"));
  CHECK(count(page, "http://") ==
        count(page, "http://www.w3.org/2000/svg"));  // a namespace, which is not loaded
  CHECK_FALSE(has(page, "https://"));
  CHECK_FALSE(has(page, " style=\""));
  // Only their length: 32 bytes in base 64. A browser verifies the hashes (tests/browser).
  CHECK(html_style_hash().size() == std::string("'sha256-'").size() + 44);
  CHECK(html_style_hash() != html_script_hash());
}

TEST_CASE("pages: a million rows are truncated to the size limit, with a note") {
  Document document = one_answer();
  for (const std::size_t results : {std::size_t{1}, std::size_t{3}}) {
    document.results.resize(results, document.results[0]);
    for (Result& result : document.results)
      result.tables = {
          {.key = "levels", .size = 1'000'000, .row = [](std::size_t i) -> Cells {
             return {{"n", Whole{static_cast<std::int64_t>(i)}},
                     {"p", Exact{numeric::Theorem::input, Rational(1) / Rational(static_cast<int>(i) + 3)}}};
           }}};
    const std::string page = to_html(document, page_frame);
    CHECK(page.size() < largest_page);
    CHECK(has(page, " of 1000000 rows. Use --format csv for all rows."));
    CHECK(count(page, "<tr>") > 1'000);
  }
}

TEST_CASE("pages: curves are complete, or thinned") {
  Picture picture{.title = "t", .x_label = "n", .y_label = "P", .powers_of_ten = true};
  Curve deep{.title = "deep", .style = CurveStyle::steps},
      long_one{.title = "long", .style = CurveStyle::line};
  for (int i = 0; i <= 400; ++i) deep.points.emplace_back(i, -i);
  for (int i = 0; i < 200'000; ++i)
    long_one.points.emplace_back(i * 0.002, i == 123'457 ? 7.0 : std::sin(i * 1e-4) - 200);
  picture.curves = {deep};
  json data = json::parse(picture_json(picture));
  CHECK(data["powers"] == true);
  CHECK(data["curves"][0]["style"] == "steps");
  REQUIRE(data["curves"][0]["y"].size() == 401);
  CHECK(data["curves"][0]["y"][400] == -400);
  picture.curves = {deep, long_one};
  const std::string figure = html_picture(picture);
  CHECK(figure.size() < largest_page / 2);
  CHECK(has(figure, "200401 points, thinned for display."));
  data = json::parse(picture_json(picture));
  const std::vector<double> y = data["curves"][1]["y"];
  CHECK(y.size() < 50'000);
  CHECK(y.size() == data["curves"][1]["x"].size());
  CHECK(*std::max_element(y.begin(), y.end()) == 7);  // a single point
  CHECK(data["curves"][1]["x"].front() == 0);
  CHECK(data["curves"][1]["x"].back() == 199'999 * 0.002);
}

TEST_CASE("pages: ends have three digits of their width, rounded outwards") {
  using Ends = std::pair<std::string, std::string>;
  CHECK(short_ends("4.7580322524275512", "4.7580322524298765") ==
        Ends("4.75803225242755", "4.75803225242988"));
  CHECK(short_ends("8.7035435578153207e-16", "8.7035435578190433e-16") ==
        Ends("8.70354355781532e-16", "8.70354355781905e-16"));
  CHECK(short_ends("0.99991234", "0.99999891") == Ends("0.9999123", "0.9999990"));
  CHECK(short_ends("1.98999999", "1.99999999") == Ends("1.9899", "2.0000"));
  // The digits differ at once although the ends are close.
  CHECK(short_ends("1.99999999876", "2.00000000123") ==
        Ends("1.99999999876", "2.00000000123"));  // short already
  CHECK(short_ends("1.999999998765432", "2.000000001234567") == Ends("1.99999999876", "2.00000000124"));
  // Unchanged: cases that need one more digit, other exponents, signs, and short ends.
  for (const Ends& same :
       {Ends("9.9899999", "9.9999999"), Ends("9.9e-5", "1.1e-4"), Ends("-1.23456", "1.23456"),
        Ends("10", "11"), Ends("0.25", "0.26"), Ends("", "0.5"), Ends("1.5", "")})
    CHECK(short_ends(same.first, same.second) == same);
  std::mt19937_64 draw(1);
  for (int i = 0; i < 2000; ++i) {
    const double from = std::uniform_real_distribution<>(1, 10)(draw);
    const double to = from + std::pow(10, std::uniform_real_distribution<>(-12, 0)(draw));
    const std::string lower = fmt::format("{:.15f}", from), upper = fmt::format("{:.15f}", to);
    const auto [shown_low, shown_high] = short_ends(lower, upper);
    const double low = std::stod(lower), high = std::stod(upper);
    CHECK(std::stod(shown_low) <= low);
    CHECK(std::stod(shown_high) >= high);
    CHECK(std::stod(shown_high) - std::stod(shown_low) <= 1.03 * (high - low) + 1e-15);
  }
}

TEST_CASE("pages: inputs in equal steps are shown as a range") {
  const auto requested = [](const std::vector<std::int64_t>& values) {
    Document document = one_answer();
    const Result first = document.results.front();
    document.results.clear();
    for (const std::int64_t value : values) {
      document.results.push_back(first);
      document.results.back().inputs = {{"load", Given{Rational(value)}}};
    }
    return html_fragment(document, page_frame);
  };
  CHECK(has(requested({2, 4, 6, 8}), "<dd>2 to 8 step 2</dd>"));
  CHECK(has(requested({8, 6, 4, 2}), "<dd>8 to 2 step \u22122</dd>"));
  CHECK(has(requested({2, 4, 2, 4, 6, 4, 8}), "<dd>2 to 8 step 2</dd>"));
  CHECK(has(requested({2, 4, 6}), "<dd>2, 4, 6</dd>"));
  CHECK(has(requested({2, 4, 6, 9}), "<dd>2, 4, 6, 9</dd>"));
  CHECK(has(requested({2, 4, 6, 8, 5}), "<dd>2, 4, 6, 8, 5</dd>"));
}

TEST_CASE("pages: the static drawing matches the data") {
  Picture picture{.title = "t", .x_label = "n", .y_label = "P", .powers_of_ten = true};
  picture.curves = {{.title = "a", .style = CurveStyle::span, .points = {{0, 0}, {10, -300}}},
                    {.title = "b",
                     .style = CurveStyle::bars,
                     .points = {{5, -100}},
                     .ends = {{-std::numeric_limits<double>::infinity(), -90}}}};
  const std::string figure = html_picture(picture);
  INFO(figure);
  // Right 842, top 14, foot 392, and a margin of 0.2 for a range of ten.
  const View view = view_of(picture);
  const double from = view.x_of(0), to = view.x_of(10), middle = view.x_of(5);
  CHECK(from == Approx(view.left + 0.2 / 10.4 * (842 - view.left)));
  CHECK(has(figure, fmt::format("d=\"M{:.1f} 14.0L{:.1f} 392.0\"", from, to)));
  CHECK(has(figure, fmt::format("M{:.1f} 127.4h6m-3 0V392.0m-3 0h6", middle - 3)));
  CHECK(count(figure, "<li data-curve=") == 2);
  CHECK(has(figure, "10<tspan dy=\"-4.6\" font-size=\"9\">\u2212300</tspan>"));
  const json data = json::parse(picture_json(picture));
  CHECK(data["curves"][1]["low"][0].is_null());
  CHECK(data["curves"][1]["high"][0] == -90);
}
