#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/documents/schema.hpp>
#include <tailbound/render/drawing/svg.hpp>
#include <tailbound/render/sweep_picture.hpp>
#include <tailbound/render/units.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>

#include <tests/support/rational.hpp>

// Handmade documents: the output of each kind of value in every format.

using namespace tailbound;
using namespace tailbound::render;
using nlohmann::json;
using numeric::Rational;
using test::ratio;

namespace {

std::shared_ptr<const Layout> layout() {
  return std::make_shared<const Layout>(Layout{
      .command = "toy",
      .inputs = {{"load", "load", "", Shape::given, "rho"}, {"name", "name", "", Shape::text, "of it"}},
      .results = {{"size", "size", "packets", Shape::whole, "packets", Style::plain, 0, ""},
                  {"delay_slots", "delay", "slots", Shape::claim, "E[D]"},
                  {"latency", "latency", "cycles", Shape::estimate, "mean"},
                  {"model", "model", "", Shape::model, "of it"}},
      .tables = {{"tail",
                  "levels",
                  {{"level", "n", "", Shape::whole, "n"}, {"p", "P", "", Shape::proved, "P"}}}},
      .quiet = {"size"}});
}

Result result(const Rational& load, const char* name, std::int64_t size) {
  return {.inputs = {{"load", Given{load}}, {"name", Text{name}}},
          .cells = {{"size", Whole{size}},
                    {"delay_slots", Exact{numeric::Theorem::input, ratio(1, 3)}},
                    {"latency", Estimate{10.5, 10, std::numeric_limits<double>::infinity(), 0.95}},
                    {"model", Model{0.1}}}};
}

Document two_points() {
  return {.layout = layout(),
          .headline = Headline::without_numbers("Two points"),
          .results = {result(ratio(9, 10), "a, \"b\"", 7), result(ratio(1, 3), "c", 9)}};
}

const Frame frame{.version = "1"};

}  // namespace

TEST_CASE("documents: estimates in text have no negative end, no exponent, and ends that differ") {
  CHECK(brief(Value{Estimate{0.00021, -0.00021, 0.00063, 0.95}}) == "0.00021 (0 .. 0.00063)");
  CHECK(brief(Value{Estimate{7.5e-6, 0, 1.6e-5, 0.95}}) == "7.5e-6 (0 .. 1.6e-5)");
  CHECK(brief(Value{Estimate{4980.4, 4760.4, 5200.4, 0.95}}) == "4980 +- 220");
  CHECK(brief(Value{Estimate{0.125, 0.12499999, 0.12500001, 0.95}}) != "0.125 (0.125 .. 0.125)");
  CHECK(brief(Value{Estimate{0.125, 0.1249999, 0.1250003, 0.95}}) == "0.125 (0.1249999 .. 0.1250003)");
  CHECK(brief(Value{Model{1e-6}}) == "1e-6");
}

TEST_CASE("documents: what several descriptions have in common") {
  CHECK(shared_in_words({{"mesh", "", "4 flits"}, {"mesh", "", "8 flits"}}) == "mesh");
  CHECK(shared_in_words({{"mesh", "", "4 flits"}}) == "mesh, 4 flits");
  Document document = two_points();
  CHECK(constant_in_words(document, "load").empty());
  document.results[1].inputs = document.results[0].inputs;
  CHECK(constant_in_words(document, "load") == ", load 0.9");
}

TEST_CASE("documents: JSON has the same shape for one point and for two") {
  const json two = json::parse(to_json(two_points(), frame));
  CHECK(two["command"] == "toy");
  CHECK(two["query"]["load"] == json({"0.9", "0.33333333333333333"}));
  CHECK(two["query"]["load_exact"] == json({"0.9", "1/3"}));
  REQUIRE(two["results"].size() == 2);
  CHECK(two["results"][1]["load_exact"] == "1/3");
  CHECK(two["results"][1]["size"] == 9);
  CHECK(two["results"][0]["delay_slots"]["kind"] == "exact");
  CHECK(two["results"][0]["delay_slots"]["value"] == "1/3");
  CHECK(two["results"][0]["latency"]["upper"].is_null());
  CHECK(two["results"][0]["model"] == json({{"kind", "model"}, {"value", 0.1}}));
  CHECK_FALSE(two.contains("stopped"));
  Document one = two_points();
  one.results.resize(1);
  mark_stopped(one, 1, 2);
  const json first = json::parse(to_json(one, frame));
  CHECK(first["results"][0] == two["results"][0]);
  CHECK(first["query"]["load"] == "0.9");
  CHECK(first["stopped"] == true);
  CHECK(first["stopped_after"] == "1 of 2 points");
}

TEST_CASE("documents: a stop is marked in every format") {
  Document document = two_points();
  document.picture = [] {
    Picture picture;
    picture.title = "t";
    return picture;
  };
  mark_stopped(document, 2, 5);
  for (const std::string& text :
       {to_text(document, frame), to_text(document, {.version = "1", .quiet = true}),
        to_markdown(document, frame), picture_of(document).note}) {
    INFO(text);
    CHECK(text.find("2 of 5 points") != std::string::npos);
  }
  CHECK(to_csv(document, frame).find(",stopped\n") != std::string::npos);
  CHECK(to_csv(document, frame).find(",true\n") != std::string::npos);
}

TEST_CASE("documents: CSV and text") {
  const std::string csv = to_csv(two_points(), frame);
  CHECK(csv.rfind(
            "load,load_exact,name,size,delay_slots,delay_slots_kind,delay_slots_lower,delay_slots_upper,"
            "delay_slots_exact,delay_slots_agreed_digits,latency,latency_kind,latency_lower,latency_upper,"
            "latency_confidence,model,model_kind,stopped\n",
            0) == 0);
  CHECK(csv.find("\n0.9,9/10,\"a, \"\"b\"\"\",7,") != std::string::npos);
  CHECK(csv.find(",10.5,estimate,10,,0.95,0.1,model,false\n") != std::string::npos);
  const std::string text = to_text(two_points(), frame);
  CHECK(text.rfind("Two points\n\n", 0) == 0);
  CHECK(text.find("1/3") != std::string::npos);
  CHECK(to_text(two_points(), {.version = "1", .quiet = true}) == "7\n9\n");
}

TEST_CASE("documents: text for a terminal is as wide as it, with a bold headline") {
  const std::string text = to_text(two_points(), {.version = "1", .width = 50, .styled = true});
  CHECK(text.rfind("\033[1mTwo points\033[0m\n\n", 0) == 0);
  std::istringstream lines(text.substr(text.find('\n')));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 50);
}

TEST_CASE("documents: rows of a table, and two tables stacked") {
  Document document = two_points();
  document.results.resize(1);
  const auto row = [](std::size_t i) {
    return Cells{{"level", Whole{static_cast<std::int64_t>(i)}},
                 {"p", Exact{numeric::Theorem::input, ratio(1, 4)}}};
  };
  document.results[0].tables = {{.key = "tail", .size = 3, .row = row}};
  const json tail = json::parse(to_json(document, frame))["results"][0]["tail"];
  REQUIRE(tail.size() == 3);
  CHECK(tail[2]["level"] == 2);
  CHECK(tail[2]["p"]["value"] == "1/4");
  const std::string csv = to_csv(document, frame);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
  document.results[0].tables[0].size = 0;
  CHECK(json::parse(to_json(document, frame))["results"][0]["tail"].empty());
}

TEST_CASE("documents: units accompany packets and slots") {
  const Document document =
      with_units(two_points(), {.bytes_of_packet = Rational(64), .ns_of_slot = ratio(512, 100)});
  const json first = json::parse(to_json(document, frame))["results"][0];
  CHECK(first["bytes"] == "448");
  CHECK(first["kib"] == "0.4375");
  CHECK(first["delay_ns"]["value"] == "128/75");
  CHECK_FALSE(first.contains("latency_ns"));  // cycles are not slots
  CHECK(to_text(document, frame).find("KiB") != std::string::npos);
}

TEST_CASE("values: scaled enclosures contain the true value") {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    const Rational lower =
        ratio(static_cast<long>(random() % 100000 + 1), static_cast<long>(random() % 1000 + 1));
    const Rational factor =
        ratio(static_cast<long>(random() % 5000 + 1), static_cast<long>(random() % 5000 + 1));
    const numeric::Enclosure<unit::Probability> enclosure(numeric::Theorem::input,
                                                          numeric::to_real(lower, numeric::Rounding::down),
                                                          numeric::to_real(lower, numeric::Rounding::up));
    const auto scaled_value = std::get<Enclosure>(scaled(shown(enclosure), factor));
    CHECK(numeric::to_rational(scaled_value.lower) <= lower * factor);
    CHECK(numeric::to_rational(scaled_value.upper) >= lower * factor);
    CHECK(numeric::relative_width(scaled_value.lower, scaled_value.upper) < 1e-12);
  }
}

TEST_CASE("documents: a key missing in the layout is a programming error") {
  Document document = two_points();
  CHECK_NOTHROW(require_known_keys(document));
  document.results[1].cells.push_back({"stray", Whole{1}});
  CHECK_THROWS_AS(require_known_keys(document), std::logic_error);
}

TEST_CASE("pictures: a curve for each value of the other inputs, sorted, at most a dozen") {
  Document document = two_points();
  document.results.clear();
  for (int name = 0; name < 14; ++name)
    for (const int load : {3, 1, 2})
      document.results.push_back(
          result(ratio(load, 10), std::string(1, static_cast<char>('a' + name)).c_str(), load));
  const Sweep sweep{.axes = {"load"}, .height = "size"};
  REQUIRE(varies(document, sweep));
  document.picture = [&] { return sweep_picture(document, sweep, {}); };
  CHECK(picture_of(document, 14).curves.size() == 14);
  CHECK(picture_of(document, 14).note.find("of 14") == std::string::npos);
  const Picture picture = picture_of(document);
  REQUIRE(picture.curves.size() == max_distinct_curves);
  CHECK(picture.note.find("12 of 14") != std::string::npos);
  for (const Curve& curve : picture.curves) {
    REQUIRE(curve.points.size() == 3);
    CHECK(curve.points[0].first < curve.points[1].first);
    CHECK(curve.points[1].first < curve.points[2].first);
    CHECK(curve.points[2].second == 3);
  }
  const std::string svg = svg_file(picture);
  std::size_t styles = 0;
  for (std::size_t at = svg.find("class=\"tb-c"); at != std::string::npos;
       at = svg.find("class=\"tb-c", at + 1))
    ++styles;
  CHECK(styles >= max_distinct_curves);
}

TEST_CASE("schemas: every key is described") {
  const json schema = json::parse(json_schema(*layout()));
  const json& row = schema["properties"]["results"]["items"]["properties"];
  for (const char* key :
       {"load", "load_exact", "name", "size", "bytes", "kib", "delay_slots", "delay_ns", "tail"}) {
    INFO(key);
    CHECK(row.contains(key));
  }
  CHECK(keys_as_markdown(*layout()).find(
            "| `delay_slots` | slots | exact, enclosure, approximation, bound | E[D] |") !=
        std::string::npos);
}
