#include <catch2/catch.hpp>
#include <reproduce/papers/greenberg_guan.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

// The wormhole figures: their numbers equal those of the commands in the README; simulated points are judged
// by their position.

namespace {

using namespace tailbound::figures;
using tailbound::golden::at;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_line;

TEST_CASE("figures: the wormhole figures have the numbers of the commands they name") {
  const auto [name, cases, findings] = GENERATE(table<std::string, std::size_t, std::size_t>(
      {{"greenberg-guan-3", 3, 3}, {"greenberg-guan-mesh-64", 4, 7}}));
  const Folder folder;
  const Outcome outcome = run_line("reproduce " + name + " --quick --output " + folder.path());
  REQUIRE(outcome.status == 0);
  std::map<std::string, double> figure;  // by flits and load
  const auto table = rows_of(content(folder / (name + ".csv")));
  for (std::size_t i = 1; i < table.size(); ++i)
    if (at(table, i, "by") == "model")
      figure[at(table, i, "flits") + " at " + at(table, i, "load")] = std::stod(at(table, i, "latency"));
  CHECK(figure.size() == cases * 7 - (cases == 4 ? 2 : 0));  // load 0 of mesh and torus has the same key

  const std::string readme = content(folder / "README.md");
  std::istringstream lines(readme);
  std::size_t commands = 0, compared = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string start = "    tailbound ";
    if (line.rfind(start, 0) != 0 || line.find("tailbound wormhole ") == std::string::npos) continue;
    ++commands;
    const std::size_t flits = line.find("--flits ") + 8;
    const auto rows = rows_of(run_line(line.substr(start.size()) + " --format csv").out);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const std::string load = at(rows, i, "load");
      const std::string key = line.substr(flits, line.find(' ', flits) - flits) + " at " + load;
      if (load == "0") continue;
      INFO(key);
      if (figure.count(key) == 0) continue;  // --quick has fewer loads
      CHECK(std::stod(at(rows, i, "latency")) == Approx(figure.at(key)).epsilon(1e-12));
      ++compared;
    }
  }
  CHECK(commands == cases);
  CHECK(compared == cases * 6);
  std::size_t agreeing = 0;
  for (std::size_t at = readme.find("**agrees**"); at != std::string::npos;
       at = readme.find("**agrees**", at + 1))
    ++agreeing;
  CHECK(agreeing == findings);
}

TEST_CASE("figures: simulated latencies go into table, picture and findings") {
  using tailbound::render::CurveStyle;
  const WormholeCase its{.network = "tree", .flits = 16, .colour = 2};
  // Simulated with 100 cycles; the model differs by the given fraction.
  const auto at = [](double fraction, std::optional<double> error) {
    LatencyAtLoad point{.load = 0.1 * fraction,
                        .fraction_of_saturation = fraction,
                        .latency = {.predicted = {}, .simulated = {100, 99.5, 100.5, 0.95}}};
    if (error)
      point.latency.predicted = tailbound::numeric::Model<tailbound::unit::Cycle>{100 * (1 + *error)};
    return point;
  };
  std::vector<tailbound::render::Column> requested;
  for (const char* key : {"network", "flits", "by", "load", "fraction_of_saturation"})
    requested.push_back({key, "", "", tailbound::render::Shape::text, ""});
  Result result = new_result(requested, {{"latency", "", "", tailbound::render::Shape::number, ""}}, {});
  add_simulation(result, its, {at(0.1, 0.01), at(0.6, -0.02), at(0.9, 0.16)});
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].agrees == true);
  CHECK(result.findings[0].computed ==
        "largest error -2.0 % up to 70 % of the model's saturation load, +16.0 % beyond");
  REQUIRE(result.picture.curves.size() == 1);
  const auto& curve = result.picture.curves[0];
  CHECK(curve.style == CurveStyle::bars);
  CHECK(curve.colour == 2);
  CHECK(curve.title == "simulation");
  REQUIRE(curve.ends.size() == 3);
  CHECK(curve.ends[1].second - curve.ends[1].first == Approx(1));
  const auto rows = rows_of(tailbound::render::to_csv(result.table, {}));
  REQUIRE(rows.size() == 4);
  CHECK(tailbound::golden::at(rows, 3, "by") == "simulation");
  CHECK(std::stod(tailbound::golden::at(rows, 3, "fraction_of_saturation")) == Approx(0.9));
  CHECK(tailbound::golden::at(rows, 3, "latency_kind") == "estimate");
  CHECK(tailbound::golden::at(rows, 3, "latency_lower") == "99.5");
  // Without an answer of the model there is no error; at exactly 70 % it is still trusted.
  add_simulation(result, its, {at(0.5, 0.01), at(0.7, 0.06), at(2, std::nullopt)});
  CHECK(result.findings[1].agrees == false);
  CHECK(result.findings[1].computed == "largest error +6.0 % up to 70 % of the model's saturation load");
  CHECK(result.picture.curves[1].title.empty());
}

}  // namespace
