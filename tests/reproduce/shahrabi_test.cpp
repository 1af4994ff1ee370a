#include <catch2/catch.hpp>
#include <reproduce/papers/shahrabi.hpp>
#include <tests/golden/csv_rows.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <optional>
#include <string>
#include <vector>

// The figures of the paper on broadcasts in hypercubes: their numbers are those of the models; variants are
// judged by the position of the points.

namespace {

using namespace tailbound::figures;
using tailbound::bounds::wormhole::BroadcastPoint;
using tailbound::bounds::wormhole::Replication;
using tailbound::golden::at;
using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::rows_of;
using tailbound::golden::run_line;
using tailbound::unit::Cycle;

TEST_CASE("figures: the hypercube figures have the numbers of the published models") {
  const auto [name, latency] = GENERATE(
      table<std::string, double BroadcastPoint::*>({{"shahrabi-3-6d", &BroadcastPoint::broadcast_latency},
                                                    {"shahrabi-4-6d", &BroadcastPoint::unicast_latency}}));
  const Folder folder;
  const Outcome outcome = run_line("reproduce " + name + " --quick --output " + folder.path());
  REQUIRE(outcome.status == 0);
  std::size_t simulated = 0, modelled = 0;
  const auto table = rows_of(content(folder / (name + ".csv")));
  for (std::size_t i = 1; i < table.size(); ++i) {
    const std::string by = at(table, i, "by");
    if (by == "simulation") {
      ++simulated;
      continue;
    }
    const auto point = tailbound::bounds::wormhole::broadcast_latency(
        {.dimensions = 6,
         .virtual_channels = std::stol(at(table, i, "virtual_channels")),
         .flits = std::stod(at(table, i, "flits")),
         .broadcast = std::stod(at(table, i, "broadcast")),
         .startup = 1,
         .replication = by == "literal" ? Replication::literal : Replication::conserving},
        std::stod(at(table, i, "rate")));
    REQUIRE(point);
    CHECK(std::stod(at(table, i, "latency")) == Approx((*point).*latency).epsilon(1e-14));
    ++modelled;
  }
  CHECK(modelled == 3 * 2 * 6);
  CHECK(simulated == 3 * 2);

  const std::string readme = content(folder / "README.md");
  std::size_t validations = 0;
  for (std::size_t from = 0;
       (from = readme.find("    tailbound validate broadcast ", from)) != std::string::npos; ++from)
    ++validations;
  CHECK(validations == 3);
  CHECK(readme.find("messages on a link") != std::string::npos);
  const std::string picture = content(folder / (name + ".svg"));
  for (const char* words : {"V = 4, M = 64, b = 0.01", ">literal<", ">simulation<"})
    CHECK(picture.find(words) != std::string::npos);
}

TEST_CASE("figures: errors of the variants up to 80 % of saturation, and the paper's by its own variant") {
  static_assert(kCompared[0] == Replication::conserving && kCompared[1] == Replication::literal);
  // The simulation gives 100 cycles, and each variant differs by the given fraction; without a number it is
  // saturated.
  const auto at = [](double fraction, std::optional<double> conserving, std::optional<double> literal) {
    VariantsAtRate point{.rate = 0.001 * fraction, .fraction_of_saturation = fraction, .variants = {}};
    for (auto& variant : point.variants) variant.simulated = {100, 99, 101, 0.95};
    if (conserving) point.variants[0].predicted = tailbound::numeric::Model<Cycle>{100 * (1 + *conserving)};
    if (literal) point.variants[1].predicted = tailbound::numeric::Model<Cycle>{100 * (1 + *literal)};
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
