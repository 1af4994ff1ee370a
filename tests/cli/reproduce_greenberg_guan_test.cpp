#include <catch2/catch.hpp>
#include <cli/reproduce_greenberg_guan.hpp>
#include <tailbound/network/butterfly_fat_tree.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <map>
#include <sstream>
#include <string>
#include <vector>

// The wormhole figures: their numbers are those of the commands that the README names; simulated points are
// judged as they lie.

namespace {

using namespace tailbound::cli::reproduce;
using tailbound::golden::at;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_line;

TEST_CASE("reproduce: the wormhole figures have the numbers of the commands that they name") {
  const auto [name, cases, findings] = GENERATE(table<std::string, std::size_t, std::size_t>(
      {{"greenberg-guan-3", 3, 3}, {"greenberg-guan-mesh-64", 4, 7}}));
  const Folder folder;
  const Outcome outcome = run_line("reproduce " + name + " --quick --output " + folder.path());
  REQUIRE(outcome.status == 0);
  std::map<std::string, double> figure;  // by flits and load
  for (const auto& row : rows_of(content(folder / (name + ".csv"))))
    if (row[2] == "model") figure[row[1] + " at " + row[3]] = std::stod(row[5]);
  CHECK(figure.size() == cases * 7 - (cases == 4 ? 2 : 0));  // load 0 of mesh and torus is the same key

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

TEST_CASE("reproduce: simulated latencies go into table, picture and findings") {
  tailbound::network::ChannelGraph graph =
      tailbound::network::fat_tree_classes(3, tailbound::network::FatTreeVariant::paper);
  tailbound::bounds::wormhole::Model model(std::move(graph));
  const double saturation = model.saturation();
  const WormholeCase its{.network = "tree", .flits = 16, .model = std::move(model), .saturation = saturation};
  const auto at = [&](double fraction, double error) {
    const double load = fraction * saturation;
    return SimulatedLatency{
        .load = load, .latency = its.model.solve(load).latency(16) / (1 + error), .half_width = 0.5};
  };
  Result result;
  add_simulation(result, its, {at(0.1, 0.01), at(0.6, -0.02), at(0.9, 0.16)});
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].agrees == true);
  CHECK(result.findings[0].computed ==
        "greatest error -2.0 % up to 70 % of the model's saturation load, +16.0 % beyond");
  REQUIRE(result.picture.curves.size() == 1);
  const auto& curve = result.picture.curves[0];
  CHECK(curve.style == tailbound::cli::plots::Style::bars);
  REQUIRE(curve.ends.size() == 3);
  CHECK(curve.ends[1].second - curve.ends[1].first == Approx(1));
  const auto rows = rows_of(result.csv);
  REQUIRE(rows.size() == 3);
  CHECK(rows[2][2] == "simulation");
  CHECK(std::stod(rows[2][4]) == Approx(0.9));
  CHECK(rows[2][6] == "0.5");
  add_simulation(result, its,
                 {at(0.5, 0.06), SimulatedLatency{.load = 2 * saturation, .latency = 1, .half_width = 0}});
  CHECK(result.findings[1].agrees == false);
  CHECK(result.findings[1].computed == "greatest error +6.0 % up to 70 % of the model's saturation load");
}

}  // namespace
