#include <catch2/catch.hpp>
#include <tailbound/answers/accuracy/accuracy_table.hpp>
#include <tailbound/core/error.hpp>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

// The tables of data/accuracy: all can be read, and what is wrong in a table is rejected by name.

namespace {

using namespace tailbound::answers;
using Catch::Matchers::Contains;

std::vector<AccuracyRow> rows_of(const std::string& text, const char* model = "wormhole_paper") {
  return read_accuracy({model, text});
}

const std::string heading = "network,nodes,loads,at,mean-latency,saturation,stable,unstable,measured\n";

}  // namespace

TEST_CASE("accuracy tables: each of data/accuracy can be read and has its own model") {
  std::set<MeasuredModel> models;
  std::size_t count = 0;
  for (const AccuracyTable& table : accuracy_tables()) {
    INFO(table.name);
    const std::vector<AccuracyRow> rows = read_accuracy(table);
    CHECK(models.insert(rows.front().model).second);
    count += rows.size();
  }
  CHECK(models.size() > 8);
  CHECK(accuracy_rows().size() == count);
}

TEST_CASE("accuracy tables: errors, half-widths, ranges and quotients") {
  const auto rows =
      rows_of("# comment\n" + heading +
              "a,64,simulated,30 50 70 90,-2.5 +0.1+-0.4 102/100 inf,0.21,0.19,0.21,2026-11-28\n"
              "\"b, c\",1..inf,model,0.05/0.2,-1..2,,,,0.1.0\n");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].model == MeasuredModel::wormhole_paper);
  CHECK(rows[0].network == "a");
  CHECK(rows[0].loads == RowLoads::simulated);
  CHECK(rows[0].measured == "2026-11-28");
  CHECK(rows[0].model_saturation == 0.21);
  CHECK(rows[0].simulated_saturation == 0.19);
  const std::vector<std::vector<double>> expected{{0.3, -0.025, -0.025},
                                                  {0.5, -0.003, 0.005},
                                                  {0.7, 0.02, 0.02},
                                                  {0.9, 0.02, std::numeric_limits<double>::infinity()},
                                                  {0, 0.05, 0.05}};
  REQUIRE(rows[0].errors.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(rows[0].errors[i].quantity == (i < 4 ? Quantity::mean_latency : Quantity::saturation));
    CHECK(rows[0].errors[i].at == expected[i][0]);
    CHECK(rows[0].errors[i].minimum == Approx(expected[i][1]));
    CHECK((std::isinf(expected[i][2]) ? rows[0].errors[i].largest == expected[i][2]
                                      : rows[0].errors[i].largest == Approx(expected[i][2])));
  }
  CHECK(rows[1].network == "b, c");
  CHECK(std::isinf(rows[1].find(Setting::nodes)->to));
  CHECK(rows[1].errors.front().at == 0.25);
  CHECK(rows[1].errors.front().largest == 0.02);
  CHECK_FALSE(rows[1].model_saturation);
}

TEST_CASE("accuracy tables: tails as ratios and as simulated probabilities") {
  const auto rows = rows_of(
      "network,routing,at,tail-ratio,tail,measured\n"
      "a,nearest-ancestor,0.1 0.01,0.8+-0.0 1.0+-0.2,,0.1.0\n"
      "b,random-root,0.1,,0.08+-0.0,0.1.0\n",
      "delay_chain");
  CHECK(rows[0].find(Setting::routing)->from == 1);
  CHECK(rows[0].errors[0].minimum == Approx(0.25));
  CHECK(rows[0].errors[1].minimum == Approx(1 / 1.2 - 1));
  CHECK(rows[0].errors[1].largest == Approx(0.25));
  CHECK(rows[1].errors[0].largest == Approx(0.25));
}

TEST_CASE("accuracy tables: what is wrong is rejected by line") {
  const std::string good = "a,64,model,30 50,-2.5 0.1,,,,0.1.0\n";
  CHECK_NOTHROW(rows_of(heading + good));
  CHECK_THROWS_WITH(rows_of(heading + good, "wormhole"), Contains("no model has this name"));
  CHECK_THROWS_WITH(rows_of(heading), Contains("no row"));
  CHECK_THROWS_WITH(rows_of("network,node\na,64\n"), Contains("'node'"));
  CHECK_THROWS_WITH(rows_of("network,nodes,nodes\n"), Contains("'nodes'"));
  for (const auto& [row, what] : {std::pair{"a,64,model,30,-2.5,,,0.1.0", "a row of 9 cells"},
                                  {"a,64,model,30,-2.5 0.1,,,,0.1.0", "as long as that of column at"},
                                  {"a,64,model,30,-2.5x,,,,0.1.0", "'-2.5x' must be a number"},
                                  {"a,64,model,30,,,,,0.1.0", "errors"},
                                  {",64,model,30,1,,,,0.1.0", "a network"},
                                  {"a,64,model,30,1,,,,", "version or date"},
                                  {"a,8x8,model,30,1,,,,0.1.0", "'8x8' must be a number"},
                                  {"a,64,both,30,1,,,,0.1.0", "'both' must be simulated, model or empty"},
                                  {"a,64,model,30,nan,,,,0.1.0", "'nan' must be a number"},
                                  {"a,64,model,30,1,0.2,0.1,,0.1.0", "'' must be a number"}}) {
    INFO(row);
    CHECK_THROWS_WITH(rows_of(heading + good + row + "\n"),
                      Contains("data/accuracy/wormhole_paper.csv:3:") && Contains(what));
  }
  CHECK_THROWS_WITH(rows_of("network,at,tail-ratio,measured\na,0.1,0.9,0.1.0\n", "delay_chain"),
                    Contains("its half-width"));
  CHECK_THROWS_WITH(rows_of("network,links,throughput,measured\na,two,0.9,0.1.0\n", "multistage"),
                    Contains("one or any"));
}
