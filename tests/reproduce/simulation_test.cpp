#include <catch2/catch.hpp>
#include <reproduce/simulation.hpp>

#include <string>
#include <vector>

namespace {

using namespace tailbound::figures;
using tailbound::answers::Predicted;
using tailbound::unit::Probability;

std::vector<Predicted<Probability>> models(const std::vector<double>& values) {
  std::vector<Predicted<Probability>> predicted;
  for (const double value : values) predicted.emplace_back(tailbound::numeric::Model<Probability>{value});
  return predicted;
}

TEST_CASE("figures: a model is judged by the intervals of a simulation") {
  const std::vector<tailbound::sim::LevelEstimate> simulated{{0, {0.5, 0.49, 0.51, 0.95}, 1000},
                                                             {1, {0.2, 0.18, 0.22, 0.95}, 400},
                                                             {2, {0.1, 0.08, 0.12, 0.95}, 200}};
  const auto judged = judge(models({0.5, 0.25, 0.05}), simulated);
  REQUIRE(judged.size() == 3);
  CHECK(in_words(judged, "t", 5) ==
        "inside at t = 5 (P = 0.5), above at t = 6 (P = 0.2), below at t = 7 (P = 0.1), "
        "simulation/analysis 0.8 +- 0.08 (t = 6) to 2 +- 0.4 (t = 7)");
  CHECK(in_words(judge(models({0.5, 0.2, 0.1}), simulated), "n")
            .rfind("inside at n = 0 to 2 (P = 0.5 to 0.1), simulation/analysis 1 ", 0) == 0);
  CHECK(in_words({}, "n") == "too rare to judge");
  CHECK_FALSE(within(judged, 1));
  CHECK_FALSE(within(judged, 1.55));  // 0.08 / 0.05 = 1.6, 0.25 / 0.22 = 1.14
  CHECK(within(judged, 1.65));
  CHECK(within({judged[1]}, 1.14));
  CHECK_FALSE(within({judged[1]}, 1.13));
  // No statement about values that were hardly observed.
  CHECK(in_words(judge(models({0.1}), {{3, {0.01, 0, 0.02, 0.95}, 2}}), "n")
            .rfind("too rare at n = 3 (P = 0.01), ", 0) == 0);
}

}  // namespace
