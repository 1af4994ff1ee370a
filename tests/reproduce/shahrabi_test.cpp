#include <catch2/catch.hpp>
#include <reproduce/papers/shahrabi.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

// The figures of the paper on broadcasts in hypercubes: their numbers equal those of the commands in the
// README; variants are judged by the position of the points.

namespace {

using namespace tailbound::figures;
using tailbound::answers::Replication;
using tailbound::golden::at;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_line;
using tailbound::unit::Cycle;

/// The word after `option`.
std::string word_after(const std::string& line, const std::string& option) {
  const std::size_t from = line.find(option + " ") + option.size() + 1;
  return line.substr(from, line.find(' ', from) - from);
}

TEST_CASE("figures: the hypercube figures have the numbers of the commands they name") {
  const auto [name, latency] = GENERATE(table<std::string, std::string>(
      {{"shahrabi-3-6d", "broadcast_latency"}, {"shahrabi-4-6d", "unicast_latency"}}));
  const Folder folder;
  const Outcome outcome = run_line("reproduce " + name + " --quick --output " + folder.path());
  REQUIRE(outcome.status == 0);
  std::map<std::string, double> figure;  // by length, variant and rate
  std::size_t simulated = 0;
  const auto table = rows_of(content(folder / (name + ".csv")));
  for (std::size_t i = 1; i < table.size(); ++i) {
    const std::string by = at(table, i, "by");
    if (by == "simulation")
      ++simulated;
    else
      figure[at(table, i, "flits") + " " + by + " at " + at(table, i, "rate")] =
          std::stod(at(table, i, "latency"));
  }
  CHECK(figure.size() == 3 * 2 * 6);
  CHECK(simulated == 3 * 2);

  const std::string readme = content(folder / "README.md");
  std::istringstream lines(readme);
  std::size_t compared = 0, validations = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string start = "    tailbound ";
    if (line.rfind(start, 0) != 0) continue;
    if (line.find("validate broadcast ") != std::string::npos) ++validations;
    if (line.rfind(start + "broadcast ", 0) != 0) continue;
    // --quick has 0, 19, .. 95 %, of which the commands have the first and the last.
    const auto rows = rows_of(run_line(line.substr(start.size()) + " --format csv").out);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (at(rows, i, "dimension") != "1") continue;  // one row per dimension
      const auto found = figure.find(word_after(line, "--flits") + " " + word_after(line, "--replication") +
                                     " at " + at(rows, i, "rate"));
      if (found == figure.end()) continue;
      CHECK(std::stod(at(rows, i, latency)) == Approx(found->second).epsilon(1e-14));
      ++compared;
    }
  }
  CHECK(compared == 3 * 2 * 2);
  CHECK(validations == 3);
  CHECK(readme.find("messages on a link") != std::string::npos);
  const std::string picture = content(folder / (name + ".svg"));
  for (const char* words : {"V = 4, M = 64, b = 0.01", ">literal<", ">simulation<"})
    CHECK(picture.find(words) != std::string::npos);
}

TEST_CASE("figures: errors of the variants up to 80 % of saturation, and the paper's by its own variant") {
  using tailbound::answers::broadcast_variants;
  using tailbound::answers::BroadcastComparison;
  static_assert(broadcast_variants[1] == Replication::conserving &&
                broadcast_variants[2] == Replication::literal);
  // The simulation gives 100 cycles, and each variant differs by the given fraction; without a number it is
  // saturated.
  const auto at = [](double fraction, std::optional<double> conserving, std::optional<double> literal) {
    BroadcastComparison point{.rate = 0.001 * fraction, .fraction_of_saturation = {fraction}, .variants = {}};
    for (auto& variant : point.variants) variant.simulated = {100, 99, 101, 0.95};
    if (conserving) point.variants[1].predicted = tailbound::numeric::Model<Cycle>{100 * (1 + *conserving)};
    if (literal) point.variants[2].predicted = tailbound::numeric::Model<Cycle>{100 * (1 + *literal)};
    return point;
  };
  const Finding near = judge("V = 4", {at(0.2, 0.5, -0.01), at(0.8, 0.7, 0.031)});
  CHECK(near.agrees == true);
  CHECK(near.subject == "model against simulation (V = 4)");
  CHECK(near.computed.find("literal -1.0 to +3.1 %") != std::string::npos);
  CHECK(near.computed.find("conserving +50.0 to +70.0 %") != std::string::npos);
  CHECK(near.computed.find("at most +- 1.0 %") != std::string::npos);
  const Finding far = judge("", {at(0.2, 0, -0.01), at(0.6, 0, -0.2)});
  CHECK(far.agrees == false);
  CHECK(far.computed.find("literal -20.0 to -1.0 %") != std::string::npos);
  // Beyond 80 % nothing is judged; the other variant's error has no effect.
  const Finding exact = judge("", {at(0.5, 0, 0.04), at(0.9, 0, 0.5)});
  CHECK(exact.agrees == true);
  CHECK(exact.computed.find("conserving +0.0 to +0.0 %, literal +4.0 to +4.0 %") != std::string::npos);
  CHECK(judge("", {at(0.8 * (1 + 1e-7), 0, 0.06)}).agrees == false);
  const Finding saturated = judge("", {at(0.5, 0, std::nullopt)});
  CHECK(saturated.agrees == false);
  CHECK(saturated.computed.find("literal saturated") != std::string::npos);
}

}  // namespace
