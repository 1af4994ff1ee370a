#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <cli/reproduce_shahrabi.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <map>
#include <sstream>
#include <string>
#include <vector>

// The figures of the paper on broadcasts in hypercubes: their numbers are those of the commands that the
// README names; the variants are judged as the points lie.

namespace {

using namespace tailbound::cli::reproduce;
using tailbound::bounds::wormhole::BroadcastPoint;
using tailbound::bounds::wormhole::Replication;
using tailbound::golden::at;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_line;

/// The word after `option`.
std::string word_after(const std::string& line, const std::string& option) {
  const std::size_t from = line.find(option + " ") + option.size() + 1;
  return line.substr(from, line.find(' ', from) - from);
}

TEST_CASE("reproduce: the hypercube figures have the numbers of the commands that they name") {
  const auto [name, latency] = GENERATE(table<std::string, std::string>(
      {{"shahrabi-3-6d", "broadcast_latency"}, {"shahrabi-4-6d", "unicast_latency"}}));
  const Folder folder;
  const Outcome outcome = run_line("reproduce " + name + " --quick --output " + folder.path());
  REQUIRE(outcome.status == 0);
  std::map<std::string, double> figure;  // by length, variant and rate
  std::size_t simulated = 0;
  for (const auto& row : rows_of(content(folder / (name + ".csv")))) {
    if (row[4] == "simulation")
      ++simulated;
    else if (row[4] != "kind")
      figure[row[2] + " " + row[4] + " at " + row[5]] = std::stod(row[7]);
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
      if (at(rows, i, "dimension") != "1") continue;  // a row a dimension
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

TEST_CASE("reproduce: errors of the variants up to 80 % of saturation, and the paper's by its own variant") {
  const BroadcastCase its{.dimensions = 4, .virtual_channels = 4, .flits = 32, .broadcast = "0.05"};
  const double saturation =
      tailbound::bounds::wormhole::broadcast_saturation(its.cube(Replication::conserving));
  // Simulations that are so much above the variant named.
  const auto at = [&](double fraction, Replication variant, double above) {
    const double rate = fraction * saturation;
    const auto point = tailbound::bounds::wormhole::broadcast_latency(its.cube(variant), rate);
    const double latency = point.value().broadcast_latency * (1 + above);
    return SimulatedBroadcast{.rate = rate, .latency = latency, .half_width = 0.01 * latency};
  };
  const auto judged = [&](const std::vector<SimulatedBroadcast>& points) {
    return judge(its, &BroadcastPoint::broadcast_latency, points);
  };
  const Finding near = judged({at(0.2, Replication::literal, 0.01), at(0.8, Replication::literal, -0.03)});
  CHECK(near.agrees == true);
  CHECK(near.computed.find("literal -1.0 to +3.1 %") != std::string::npos);
  CHECK(near.computed.find("at most +- 1.0 %") != std::string::npos);
  const Finding far = judged({at(0.2, Replication::literal, 0.01), at(0.6, Replication::literal, 0.25)});
  CHECK(far.agrees == false);
  CHECK(far.computed.find("literal -20.0 to -1.0 %") != std::string::npos);
  // Beyond 80 % nothing is judged; the other variant's error does not decide.
  const Finding exact = judged({at(0.5, Replication::conserving, 0), at(0.9, Replication::literal, 0.5)});
  CHECK(exact.computed.find("conserving +0.0 to +0.0 %") != std::string::npos);
  const auto error = [&](double fraction) {
    return 100 *
           (at(fraction, Replication::literal, 0).latency / at(fraction, Replication::conserving, 0).latency -
            1);
  };
  CHECK(exact.computed.find(fmt::format("literal {:+.1f} to {:+.1f} %", error(0.5), error(0.5))) !=
        std::string::npos);
  const Finding at_the_end = judged({at(0.8, Replication::conserving, 0)});
  CHECK(at_the_end.agrees == (error(0.8) >= -5));
  CHECK(at_the_end.computed.find(fmt::format("literal {:+.1f}", error(0.8))) != std::string::npos);
}

}  // namespace
