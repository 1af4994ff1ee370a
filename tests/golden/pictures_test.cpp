#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <cli/command_runner.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/drawing/svg.hpp>
#include <tests/golden/folder.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

// No drawn line is a chord. Each joined line of the pictures of the example lines of the help, of
// docs/pictures and of
// `more_lines` is compared, between its points, with its own function and, where a command can be given
// a single
// point, with what that command answers there.

using namespace tailbound;
using render::Curve;
using render::CurveStyle;
using render::DrawnPicture;
using render::Picture;
using Place = std::pair<double, double>;
using Words = std::vector<std::string>;

namespace {

namespace fs = std::filesystem;
const fs::path top = fs::path(TAILBOUND_TESTS_DIR) / "..";

/// Further settings: a kind of picture that no example has.
const char* const more_lines[] = {
    "occupancy --inputs 16 --load 0.9 --levels 0:1000:100",
    "occupancy --inputs 4,16 --load 0.9 --levels 10,20,30",
    "occupancy --inputs 4 --load 0.6 --burst 8 --levels 0,100",
    "occupancy --inputs 16 --load 0.999 --levels 0,3000",
    "buffer --inputs 16 --load 0.9 --drop 1e-3,1e-9,1e-15",
    "buffer --inputs 4 --load 0.99 --drop 1e-9",
    "buffer --inputs 16 --load 0.2,0.9 --drop 1e-9",
    "buffer --shared --inputs 8,16 --load 0.8 --drop 1e-9",
    "delay --radix 4 --levels 2 --load 0.5,0.8",
    "delay --radix 4 --levels 2 --load 0.8 --hops all",
    "wormhole --topology mesh --nodes 4x4 --flits 4,8 --fractions 0.2,0.6",
    "wormhole --topology mesh --nodes 4x4 --flits 4,8 --loads 0.1",
    "broadcast --dimensions 3 --virtual-channels 2,4 --flits 8 --broadcast 0.1 --rates 0.005,0.02",
    "multistage --nodes 16,64 --hot 0.08 --loads 0.3,0.8 --curve throughput",
    "validate delay --radix 4 --levels 2 --load 0.5,0.8 --slots 2000",
    "validate delay --radix 4 --levels 2 --load 0.5 --slots 2000",
    "validate buffer --inputs 4 --load 0.5,0.8 --slots 2000",
    "validate wormhole --topology mesh --nodes 4x4 --flits 4,8 --fractions 0.2,0.6 --cycles 2000",
    "validate broadcast --dimensions 3 --virtual-channels 2 --flits 8 --broadcast 0.1 --rates 0.005,0.02 "
    "--cycles 5000",
    "guarantee --bucket \"40 x 1/100,30\"",
    "simulate wormhole --topology mesh --nodes 4x4 --flits 4 --loads 0.1,0.2 --cycles 2000",
};

Words words_of(const std::string& line) {
  std::istringstream text(line);
  Words words;
  for (std::string word; text >> std::quoted(word);) words.push_back(word);
  return words;
}

/// Simulations are shortened: their lines are models.
Words shortened(Words words) {
  if (words.front() != "validate" && words.front() != "simulate") return words;
  const bool worms = words[1] == "wormhole" || words[1] == "broadcast" || words[1] == "hypercube";
  const std::string option = worms ? "--cycles" : "--slots";
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == option) {
      words[i + 1] = "4000";
      return words;
    }
  words.insert(words.end(), {option, "4000"});
  return words;
}

std::vector<Words> drawn_lines() {
  std::set<std::string> drawing;
  for (const std::string& name : cli::command_names())
    if (const cli::CommandRunner runner(name);
        runner.command().draws && runner.command().work != cli::Work::queries)
      drawing.insert(name);
  std::vector<Words> lines;
  const auto add = [&](const std::string& line) {
    if (line.find('>') != std::string::npos) return;  // into a file
    const Words words = words_of(line);
    const bool two = words.size() > 1 && drawing.contains(words[0] + " " + words[1]);
    if (!words.empty() && (two || drawing.contains(words[0]))) lines.push_back(shortened(words));
  };
  for (const auto& file : fs::directory_iterator(top / "cli/help")) {
    std::istringstream text(golden::content(file.path()));
    // An example may continue on further lines, until "prints".
    std::string example;
    for (std::string row; std::getline(text, row);) {
      const std::string mark = "  tailbound ";
      if (row.starts_with("      ") && !example.empty()) {
        example += row;
        continue;
      }
      if (!example.empty()) add(example);
      example = row.starts_with(mark) ? row.substr(mark.size()) : std::string();
    }
  }
  std::istringstream listed(golden::content(top / "docs/pictures/commands.txt"));
  for (std::string row, name; std::getline(listed, row);) {
    if (row.empty() || row.front() == '#') continue;
    std::istringstream text(row);
    text >> name;
    add(row.substr(static_cast<std::size_t>(text.tellg())));
  }
  for (const char* line : more_lines) add(line);
  return lines;
}

/// Distance in pixels from a drawn line, or staircase.
double distance(const DrawnPicture& picture, const Curve& curve, const Place& place) {
  const render::View view = view_of(*picture);
  const auto pixels = [&](const Place& at) {
    return Place{view.x_of(at.first), view.y_of(render::placed(at.second, view.scale))};
  };
  const Place p = pixels(place);
  std::vector<Place> line;
  for (const Place& point : curve.points) {
    const Place next = pixels(point);
    if (curve.style == CurveStyle::steps && !line.empty()) line.emplace_back(next.first, line.back().second);
    line.push_back(next);
  }
  double nearest = INFINITY;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto [ax, ay] = line[i - 1];
    const double dx = line[i].first - ax, dy = line[i].second - ay, length = dx * dx + dy * dy;
    const double share =
        length > 0 ? std::clamp(((p.first - ax) * dx + (p.second - ay) * dy) / length, 0.0, 1.0) : 0;
    nearest = std::min(nearest, std::hypot(p.first - ax - share * dx, p.second - ay - share * dy));
  }
  return nearest;
}

// --- what a command answers at a single point

/// Only the options that this command has, without some, and with others.
Words asking(const std::string& command, const Words& line, const std::set<std::string>& without,
             const Words& with) {
  const cli::CommandRunner runner(command);
  Words words = words_of(command);
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (!line[i].starts_with("--")) continue;
    const std::string option = line[i];
    if (without.contains(option) || runner.options().find(option) == nullptr) continue;
    words.push_back(option);
    if (i + 1 < line.size() && !line[i + 1].starts_with("--")) words.push_back(line[i + 1]);
  }
  words.insert(words.end(), with.begin(), with.end());
  return words;
}

std::optional<double> number_in(const render::Cells& cells, const std::string& key, bool log10) {
  const render::Value value = render::value_of(cells, key);
  return log10 ? render::log10_height(value) : render::height(value);
}

/// A number of the only result, in its cells or in the first row of a table.
std::optional<double> answered(const Words& words, const std::string& table, const std::string& key,
                               bool log10) {
  const render::Document document = cli::answer_document(words).document;
  REQUIRE(document.results.size() == 1);
  const render::Result& result = document.results.front();
  if (table.empty()) return number_in(result.cells, key, log10);
  for (const render::Rows& rows : result.tables)
    if (rows.key == table && rows.size > 0) return number_in(rows.row(0), key, log10);
  return std::nullopt;
}

/// The place at a parameter, the abscissa or for a multistage network the load, as the command answers.
std::optional<Place> asked(Words line, const Curve& curve, double at) {
  const std::string command =
      line.front() == "validate" || line.front() == "simulate" ? line[0] + " " + line[1] : line[0];
  const auto of = [&](const std::string& other) {
    return command == other || command == "validate " + other;
  };
  const auto at_level = [&](const std::string& other, const char* option, const char* table,
                            const std::set<std::string>& without) -> std::optional<Place> {
    const double level = std::floor(at);
    const auto y = answered(asking(other, line, without, {option, fmt::format("{:.0f}", level)}), table,
                            "probability", true);
    return y ? std::optional(Place{level, *y}) : std::nullopt;
  };
  const std::string exactly = fmt::format("{:.17g}", at);
  if (command == "occupancy" || of("buffer"))
    return at_level("occupancy", "--levels", "tail", {"--levels", "--until", "--drop", "--capacity"});
  if (of("delay")) {
    // A curve for each flow has its name.
    if (curve.title.find(" -> ") != std::string::npos &&
        std::find(line.begin(), line.end(), "--flow") == line.end())
      line.insert(line.end(), {"--flow", curve.title});
    return at_level("delay", "--ccdf", "ccdf", {"--ccdf", "--percentiles", "--drop"});
  }
  if (of("wormhole")) {
    const auto y =
        answered(asking("wormhole", line, {"--loads", "--load", "--fractions"}, {"--loads", exactly}), "",
                 "latency", false);
    return y ? std::optional(Place{at, *y}) : std::nullopt;
  }
  if (of("broadcast")) {
    const auto y =
        answered(asking("broadcast", line, {"--rates", "--fractions"}, {"--rates", exactly}), "",
                 curve.title.starts_with("broadcast") ? "broadcast_latency" : "unicast_latency", false);
    return y ? std::optional(Place{at, *y}) : std::nullopt;
  }
  if (of("multistage")) {
    const Words words = asking("multistage", line, {"--loads", "--curve"}, {"--loads", exactly});
    const auto carried = answered(words, "", "throughput", false),
               delay = answered(words, "", "delay", false);
    const bool of_throughput = std::find(line.begin(), line.end(), "throughput") != line.end();
    return of_throughput ? Place{at, carried.value()} : Place{carried.value(), delay.value()};
  }
  return std::nullopt;
}

/// Curves for which no command has an option: straight or piecewise linear, bounds, other inputs.
bool cannot_be_asked(const Words& line, const Curve& curve) {
  static const std::set<std::string> titles{"arrival curve",       "service curve",
                                            "delivered = offered", "upper bound",
                                            "conservative",        "same inputs and load without bursts"};
  return line.front() == "guarantee" || line.front() == "fit" || titles.contains(curve.title) ||
         curve.title.starts_with("asymptote") ||
         std::find(line.begin(), line.end(), "--sizes") != line.end() ||
         std::find(line.begin(), line.end(), "--destination") != line.end();
}

/// No list but one of the points of a curve.
bool one_network(const Words& line) {
  static const std::set<std::string> of_points{"--loads",  "--load",        "--fractions", "--rates",
                                               "--levels", "--percentiles", "--ccdf"};
  for (std::size_t i = 1; i < line.size(); ++i)
    if (line[i - 1].starts_with("--") && !of_points.contains(line[i - 1]) &&
        (line[i].find(',') != std::string::npos || line[i] == "all"))
      return false;
  return true;
}

/// In the top folder of the repository.
class AtTop {
 public:
  AtTop() : former_(fs::current_path()) { fs::current_path(top); }
  ~AtTop() { fs::current_path(former_); }

 private:
  fs::path former_;
};

constexpr double a_pixel = 1.05;  // the coordinates of files have a tenth of it

/// \return joined lines that a command was run for
/// \param everywhere  the command is run again at three places of each line, not at one of them
int check_lines(const Words& line, const DrawnPicture& picture, bool askable, bool everywhere) {
  int confirmed = 0;
  for (const Curve& curve : picture->curves) {
    INFO(curve.title);
    if (!render::is_joined(curve) || render::is_limit(curve)) continue;
    REQUIRE(curve.points.size() > 1);
    if (curve.course) {
      const auto [first, last] =
          std::minmax_element(curve.course->parameters.begin(), curve.course->parameters.end());
      for (int i = 0; i <= 37; ++i) {
        const double parameter = *first + (*last - *first) * (i + 0.37 * (i < 37)) / 37;
        const auto place = curve.course->at(parameter);
        if (!place || !std::isfinite(place->second)) continue;
        INFO(place->first << ": " << place->second);
        CHECK(distance(picture, curve, *place) <= a_pixel);
      }
    }
    if (!askable || cannot_be_asked(line, curve)) continue;
    const auto [left, right] = std::minmax_element(curve.points.begin(), curve.points.end());
    const bool by_load = curve.course && std::find(line.begin(), line.end(), "multistage") != line.end();
    double from = left->first, to = right->first;
    if (by_load) from = curve.course->parameters.front(), to = curve.course->parameters.back();
    const std::array shares{0.31, 0.5, 0.83};
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double share = shares[i];
      if (!everywhere && i != (line.size() + static_cast<std::size_t>(confirmed)) % shares.size()) continue;
      const auto place = asked(line, curve, from + share * (to - from));
      REQUIRE(place);
      INFO("asked: " << place->first << ": " << place->second);
      CHECK(distance(picture, curve, *place) <= a_pixel);
    }
    ++confirmed;
  }
  return confirmed;
}

void check_every_command(bool everywhere) {
  const AtTop at_top;
  std::map<std::string, int> confirmed;
  for (const Words& line : drawn_lines()) {
    std::string text;
    for (const std::string& word : line) text += word + " ";
    INFO(text);
    const render::Document document = cli::answer_document(line).document;
    if (!document.picture) continue;
    std::optional<DrawnPicture> picture;
    try {
      picture.emplace(picture_of(document));
    } catch (const NoAnswer&) {  // nothing to draw
      continue;
    }
    if ((*picture)->network) continue;
    confirmed[line.front() == "validate" ? line[0] + " " + line[1] : line[0]] +=
        check_lines(line, *picture, one_network(line), everywhere);
  }
  // Each kind of line was run.
  for (const char* command :
       {"occupancy", "buffer", "delay", "wormhole", "broadcast", "multistage", "validate multistage",
        "validate wormhole", "validate broadcast", "validate delay"}) {
    INFO(command);
    CHECK(confirmed[command] > 0);
  }
}

}  // namespace

TEST_CASE("pictures: no line is a chord, in any command") {
  check_every_command(false);
}

TEST_CASE("pictures: no line is a chord, in any command, at three places", "[.full]") {
  check_every_command(true);
}

TEST_CASE("pictures: a line without a course is drawn as points, a planted chord is seen") {
  Picture picture{.title = "t", .x_label = "x", .y_label = "y"};
  picture.curves = {{.title = "chord", .style = CurveStyle::line, .points = {{0, 1}, {1, 2}, {2, 9}}},
                    {.title = "levels", .style = CurveStyle::steps, .points = {{0, 3}, {1, 2}, {2, 1}}},
                    {.title = "sparse", .style = CurveStyle::steps, .points = {{0, 3}, {2, 1}}},
                    {.title = "loads", .style = CurveStyle::steps, .points = {{0.5, 3}, {0.75, 2}, {1, 1}}}};
  const DrawnPicture drawn = picture;
  CHECK(drawn->curves[0].style == CurveStyle::points);
  CHECK(drawn->curves[1].style == CurveStyle::steps);
  CHECK(drawn->curves[2].style == CurveStyle::points);
  CHECK(drawn->curves[3].style == CurveStyle::points);
  CHECK(render::svg_file(drawn).find("tb-curve\"") == std::string::npos);
  // What the check above would say of a chord.
  Curve chord = picture.curves[0];
  CHECK(distance(drawn, chord, {1, 2}) < 0.1);
  CHECK(distance(drawn, chord, {1.5, 4}) > 20);
}

TEST_CASE("pictures: a course is followed to a pixel, on both axes, with few evaluations") {
  int evaluations = 0;
  const auto hyperbola = [&](double x) -> std::optional<double> {
    ++evaluations;
    if (x >= 1) return std::nullopt;
    return 1 + 0.01 / (1 - x);
  };
  Picture picture{.title = "t", .x_label = "x", .y_label = "y"};
  picture.curves = {{.title = "queue",
                     .style = CurveStyle::line,
                     .points = {{0.5, 1.02}},
                     .course = render::course_of(hyperbola, {0, 0.5, 0.999})}};
  picture.log_y = GENERATE(false, true);
  const DrawnPicture drawn = picture;
  const Curve& curve = drawn->curves[0];
  CHECK(curve.style == CurveStyle::line);
  CHECK(evaluations < 150);
  CHECK(curve.marked == picture.curves[0].points);
  for (double x = 0.0007; x < 0.999; x += 0.0013) CHECK(distance(drawn, curve, {x, *hyperbola(x)}) < 1);
  // It ends where the function does; a function without end of detail is not drawn as a line.
  picture.curves[0].course = render::course_of(hyperbola, {0, 2});
  CHECK(DrawnPicture(picture)->curves[0].points.back().first < 1);
  picture.curves[0].course =
      render::course_of([](double x) -> std::optional<double> { return 2 + std::sin(1e5 * x * x); }, {0, 1});
  CHECK(DrawnPicture(picture)->curves[0].style == CurveStyle::points);
  CHECK(DrawnPicture(picture)->curves[0].points == picture.curves[0].points);
}

TEST_CASE("pictures: targets have a logarithmic axis, and the headline is in the picture") {
  const auto drawn = [](const std::string& line) {
    return picture_of(cli::answer_document(words_of(line)).document);
  };
  const Picture targets = drawn("buffer --inputs 16 --load 0.9 --drop 1e-3,1e-9,1e-15");
  CHECK(targets.x_powers_of_ten);
  CHECK(targets.curves.front().points.front().first == Approx(-15));
  CHECK(targets.note.find("32 to 157 packets") != std::string::npos);
  CHECK_FALSE(drawn("buffer --inputs 16 --load 0.2:0.8:0.2 --drop 1e-9").x_powers_of_ten);
  CHECK(drawn("delay --radix 4 --levels 2 --load 0.8").note.find("of packets have a latency of at most") !=
        std::string::npos);
}
