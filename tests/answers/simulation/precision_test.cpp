#include <catch2/catch.hpp>
#include <tailbound/answers/simulation/precision.hpp>
#include <tailbound/answers/simulation/simulate_switch.hpp>
#include <tailbound/render/documents/parts/precision.hpp>
#include <tests/support/rational.hpp>

#include <cmath>

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

/// Two inputs that send with probability 0.7 each to one of two outputs: E[Q] = rho + rho^2 / 4 / (1 - rho).
SimulateSwitchQuery small_switch(std::uint64_t seed) {
  SimulateSwitchQuery query;
  query.model = sim::switch_model(2, rational("0.7"));
  query.levels = {Packets(0)};
  query.length.slots = 2000;
  query.length.seed = seed;
  return query;
}
const double mean_occupancy = 0.7 + 0.49 / 4 / 0.3;

/// Only the mean occupancy.
struct MeanJudge {
  double target;
  WideIntervals operator()(const SimulateSwitchQuery&, const SimulateSwitchAnswer& answer) const {
    const auto& mean = answer.found.output->mean;
    if ((mean.upper - mean.lower) / 2 > target * mean.value) return {.wide = {"mean"}, .unseen = {}};
    return {};
  }
};

}  // namespace

TEST_CASE("precision: looks double until the limit") {
  const PrecisionTarget target{.half_width = rational("0.02")};
  CHECK(max_looks(target) == 7);
  CHECK(replications_of(target, 1) == 4);
  CHECK(replications_of(target, 3) == 16);
  CHECK(replications_of(target, 7) == 256);
  CHECK(max_looks({.half_width = 1, .max_replications = 4}) == 1);
  CHECK(max_looks({.half_width = 1, .max_replications = 5}) == 2);
  CHECK(replications_of({.half_width = 1, .max_replications = 5}, 2) == 5);
  CHECK_THROWS_AS(max_looks({.half_width = 0}), InvalidArgument);
  CHECK_THROWS_AS(max_looks({.half_width = 2}), InvalidArgument);
  CHECK_THROWS_AS(max_looks({.half_width = 1, .max_replications = 3}), InvalidArgument);
}

TEST_CASE("precision: the result equals that of as many replications, at the confidence of a look") {
  const PrecisionTarget target{.half_width = rational("0.05"), .max_replications = 64};
  const auto [found, reached] = answer_to_width(small_switch(1), target, MeanJudge{0.05}, {});
  CHECK(reached.intervals.wide.empty());
  CHECK(reached.looks > 1);
  CHECK(reached.replications == replications_of(target, reached.looks));
  CHECK(reached.confidence_of_each == Approx(1 - 0.05 / 5));
  SimulateSwitchQuery whole = small_switch(1);
  whole.length.replications = reached.replications;
  whole.confidence = reached.confidence_of_each;
  const SimulateSwitchAnswer again = answer(whole);
  CHECK(again.simulated.result.batches == found.simulated.result.batches);
  CHECK(again.found.output->mean.lower == found.found.output->mean.lower);
  // The previous look was wider.
  whole.length.replications = replications_of(target, reached.looks - 1);
  CHECK_FALSE(MeanJudge{0.05}(whole, answer(whole)).wide.empty());
}

TEST_CASE("precision: a limit ends the run") {
  const PrecisionTarget target{.half_width = rational("1e-6"), .max_replications = 8};
  const auto reached = answer_to_width(small_switch(1), target, MeanJudge{1e-6}, {}).second;
  CHECK(reached.looks == 2);
  CHECK(reached.replications == 8);
  CHECK(reached.intervals.wide == std::vector<std::string>{"mean"});
}

TEST_CASE("precision: rows of a document by name") {
  render::Document document;
  document.layout = std::make_shared<const render::Layout>(
      render::Layout{.command = "test",
                     .inputs = {},
                     .results = {{"a", "a number", "", render::Shape::estimate, ""}},
                     .tables = {{"tail",
                                 "",
                                 {{"level", "level", "", render::Shape::whole, ""},
                                  {"p", "P", "", render::Shape::estimate, ""}}}}});
  render::Result result;
  result.cells = {{"a", render::Estimate{10, 9.9, 10.1}}};
  result.tables.push_back({.key = "tail", .size = 3, .row = [](std::size_t i) {
                             const auto value = static_cast<double>(2 - i);
                             return render::Cells{{"level", render::Whole{static_cast<std::int64_t>(i)}},
                                                  {"p", render::Estimate{value, value - 0.05, value + 0.05}}};
                           }});
  document.results = {result};
  const WideIntervals found = render::wide_intervals(document, rational("0.03"));
  CHECK(found.wide == std::vector<std::string>{"P (tail 1)"});
  CHECK(found.unseen == std::vector<std::string>{"P (tail 2)"});
  CHECK(render::wide_intervals(document, rational("0.005")).wide.size() == 3);
  render::add_precision(document, {.half_width = rational("0.03")},
                        {{.looks = 2,
                          .max_looks = 7,
                          .replications = 8,
                          .confidence_of_each = 1 - 0.05 / 7,
                          .intervals = found}},
                        0.95);
  REQUIRE(document.notes.size() == 2);
  CHECK(document.notes[0].find("Still wider: P (tail 1). Too few observations") != std::string::npos);
  CHECK(document.notes[1].find("99.2857 %") != std::string::npos);
}

TEST_CASE("precision: intervals cover the true value despite the stopping rule", "[.full]") {
  const PrecisionTarget target{.half_width = rational("0.03"), .max_replications = 256};
  constexpr int runs = 300;
  int covered = 0, naive = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const auto [found, reached] = answer_to_width(small_switch(seed), target, MeanJudge{0.03}, {});
    const auto& mean = found.found.output->mean;
    covered += mean.lower <= mean_occupancy && mean_occupancy <= mean.upper ? 1 : 0;
    CHECK(reached.intervals.wide.empty());
    // The same rule with 95 % at every look.
    SimulateSwitchQuery query = small_switch(seed);
    for (int look = 1; look <= 7; ++look) {
      query.length.replications = replications_of(target, look);
      const SimulateSwitchAnswer at = answer(query);
      if (look < 7 && !MeanJudge{0.03}(query, at).wide.empty()) continue;
      const auto& its = at.found.output->mean;
      naive += its.lower <= mean_occupancy && mean_occupancy <= its.upper ? 1 : 0;
      break;
    }
  }
  WARN(covered << " of " << runs << " covered with the error spread over the looks, " << naive << " without");
  // Binomial with 0.95: below 268 of 300 with probability 2e-5.
  CHECK(covered >= 268);
}
