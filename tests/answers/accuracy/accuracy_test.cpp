#include <catch2/catch.hpp>
#include <tailbound/answers/accuracy/accuracy_settings.hpp>
#include <tailbound/answers/accuracy/accuracy_table.hpp>
#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>
#include <tailbound/core/error.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

// The accuracy table and its look-up: networks covered by a row, between rows, and outside; the tables of
// data/accuracy, in which anything wrong is rejected by line.

namespace {

using namespace tailbound::answers;
using tailbound::network::WormShape;
using tailbound::network::WormTopology;
using tailbound::numeric::parse_rational;

AccuracyRow mesh_row(double nodes, double channels, double flits, std::vector<MeasuredError> errors,
                     RowLoads loads = RowLoads::model) {
  return {.model = MeasuredModel::wormhole_finite_source,
          .network = "mesh",
          .settings = {{Setting::nodes, nodes, nodes},
                       {Setting::virtual_channels, channels, channels},
                       {Setting::flits, flits, flits}},
          .loads = loads,
          .errors = std::move(errors),
          .measured = "test"};
}

/// Errors of the mean latency at 30, 50 and 80 %.
std::vector<MeasuredError> latencies(double first, double second, double third) {
  return {{Quantity::mean_latency, 0.3, first, first},
          {Quantity::mean_latency, 0.5, second, second},
          {Quantity::mean_latency, 0.8, third, third}};
}

RequestedAccuracy requested_settings(double nodes, double channels, double flits,
                                     std::vector<double> at = {0.5}) {
  return {
      .model = MeasuredModel::wormhole_finite_source,
      .settings = {{Setting::nodes, nodes}, {Setting::virtual_channels, channels}, {Setting::flits, flits}},
      .at = std::move(at)};
}

const std::vector<AccuracyRow> small_table{
    mesh_row(64, 1, 8, latencies(0.001, -0.002, 0.03)), mesh_row(64, 1, 32, latencies(-0.004, 0.005, 0.01)),
    mesh_row(256, 1, 32, latencies(0.0, 0.02, -0.05)), mesh_row(64, 2, 32, latencies(0.1, 0.2, 0.3))};

WormholeQuery mesh_of_64(std::int64_t flits, int channels) {
  return {.network = WormTopology{.nodes = 64},
          .messages = {.flits = flits},
          .offered = {},
          .virtual_channels = channels};
}

/// For networks of limited size and virtual channels; tori take seconds each.
int check_saturation(int max_nodes, int max_channels, bool two_way_tori) {
  int compared = 0;
  for (const AccuracyRow& row : accuracy_rows()) {
    const MeasuredSetting* shape = row.find(Setting::topology);
    if (shape == nullptr || !row.model_saturation) continue;
    const auto number = [&](Setting setting) { return static_cast<int>(row.find(setting)->from); };
    if (number(Setting::nodes) > max_nodes || number(Setting::virtual_channels) > max_channels) continue;
    if (!two_way_tori && shape->from == static_cast<double>(WormShape::torus)) continue;
    WormTopology topology{.shape = static_cast<WormShape>(number(Setting::topology)),
                          .nodes = number(Setting::nodes),
                          .ends = {static_cast<tailbound::network::Injection>(number(Setting::injection)),
                                   static_cast<tailbound::network::Ejection>(number(Setting::ejection))}};
    if (row.find(Setting::dimensions) != nullptr) topology.dimensions = number(Setting::dimensions);
    const WormholeVariant variant =
        row.model == MeasuredModel::wormhole_paper ? WormholeVariant::paper : WormholeVariant::finite_source;
    WormholeQuery query{.network = topology,
                        .messages = {.flits = number(Setting::flits)},
                        .offered = {.values = {parse_rational("0.01", "load")}},
                        .variant = variant,
                        .virtual_channels = number(Setting::virtual_channels),
                        .buffer_flits = number(Setting::buffer_flits)};
    if (row.find(Setting::router_cycles) != nullptr) {
      const auto cycles = [&](Setting setting) { return static_cast<std::uint32_t>(number(setting)); };
      query.timing = {.router_cycles = cycles(Setting::router_cycles),
                      .link_cycles = cycles(Setting::link_cycles),
                      .credit_cycles = cycles(Setting::credit_cycles)};
    }
    INFO(row.network << ", " << query.messages.flits.text() << " flits, V " << *query.virtual_channels);
    CHECK(answer(query, {}).saturation.value ==
          Approx(*row.model_saturation).epsilon(0.0002).margin(0.00006));  // four digits
    ++compared;
  }
  return compared;
}

// Of tables.

std::vector<AccuracyRow> table_rows(const std::string& text, const char* model = "wormhole_paper") {
  return read_accuracy({model, text});
}

const std::string table_heading = "network,nodes,loads,at,mean-latency,saturation,stable,unstable,measured\n";

}  // namespace

TEST_CASE("accuracy: wormhole models have the recorded saturation loads") {
  CHECK(check_saturation(36, 2, false) > 5);
}

TEST_CASE("accuracy: all wormhole models have the recorded saturation loads", "[.full]") {
  CHECK(check_saturation(2000, 64, true) > 75);
}

TEST_CASE("accuracy: every row is well formed, and its own network is covered by that row only") {
  std::set<std::string> seen;
  for (const AccuracyRow& row : accuracy_rows()) {
    std::string key = std::to_string(static_cast<int>(row.model));
    RequestedAccuracy requested{.model = row.model, .settings = {}};
    std::set<Setting> settings;
    for (const MeasuredSetting& each : row.settings) {
      CHECK(each.from <= each.to);
      CHECK(settings.insert(each.setting).second);
      key += " " + std::to_string(each.from) + ".." + std::to_string(each.to);
      requested.settings.push_back({each.setting, each.from});
    }
    INFO(row.network << " " << key);
    CHECK(seen.insert(key).second);
    CHECK_FALSE(row.measured.empty());
    CHECK_FALSE(row.errors.empty());
    std::map<Quantity, double> last;
    for (const MeasuredError& error : row.errors) {
      CHECK(error.minimum <= error.largest);
      CHECK((error.minimum > -1 || error.minimum == -error.largest));  // worst errors have both signs
      if (last.count(error.quantity) > 0 && error.at > 0) CHECK(error.at > last[error.quantity]);
      last[error.quantity] = error.at;
    }
    const Accuracy found = accuracy(requested);
    REQUIRE(found.rows.size() == 1);
    CHECK(found.rows.front() == &row);
    if (row.loads == RowLoads::simulated) CHECK(row.simulated_saturation.value_or(0) > 0);
  }
  CHECK(seen.size() > 150);
}

TEST_CASE("accuracy: on each side of each boundary") {
  const auto measured = [](const RequestedAccuracy& requested) {
    return accuracy(requested, small_table).rows.size();
  };
  CHECK(measured(requested_settings(64, 1, 8)) == 1);
  CHECK(measured(requested_settings(64, 1, 32)) == 1);
  CHECK(measured(requested_settings(64, 1, 16)) == 2);
  CHECK(measured(requested_settings(64, 1, 7)) == 0);
  CHECK(measured(requested_settings(64, 1, 33)) == 0);
  CHECK(measured(requested_settings(144, 1, 32)) == 2);
  CHECK(measured(requested_settings(63, 1, 32)) == 0);
  CHECK(measured(requested_settings(257, 1, 32)) == 0);
  // Within the box of two rows that differ in both numbers; it contains a third row.
  CHECK(measured(requested_settings(144, 1, 16)) == 3);
  CHECK(accuracy(requested_settings(64, 1, 8),
                 {mesh_row(64, 1, 4, latencies(0, 0, 0)), mesh_row(64, 1, 32, latencies(0, 0, 0))})
            .measured());
  CHECK_FALSE(accuracy(requested_settings(64, 1, 8),
                       {mesh_row(64, 1, 3, latencies(0, 0, 0)), mesh_row(64, 1, 32, latencies(0, 0, 0))})
                  .measured());
  // Virtual channels are not interpolated.
  CHECK(measured(requested_settings(64, 2, 32)) == 1);
  CHECK(measured(requested_settings(64, 3, 32)) == 0);
  CHECK(measured(requested_settings(64, 2, 16)) == 0);
  // A setting that no row has, and another model.
  RequestedAccuracy other = requested_settings(64, 1, 32);
  other.settings.push_back({Setting::buffer_flits, 1});
  CHECK(measured(other) == 0);
  other = requested_settings(64, 1, 32);
  other.settings.pop_back();
  CHECK(measured(other) == 0);
  other = requested_settings(64, 1, 32);
  other.model = MeasuredModel::wormhole_paper;
  CHECK(measured(other) == 0);
}

TEST_CASE("accuracy: settings outside are compared with the nearest row") {
  const Accuracy found = accuracy(requested_settings(64, 2, 5), small_table);
  CHECK_FALSE(found.measured());
  REQUIRE(found.outside.size() == 1);
  CHECK(found.outside[0].requested.setting == Setting::flits);
  CHECK(found.outside[0].requested.value == 5);
  CHECK(found.outside[0].measured->from == 32);
  CHECK_FALSE(found.errors(Quantity::mean_latency));
  CHECK_FALSE(found.beyond(Quantity::mean_latency));
}

TEST_CASE("accuracy: errors reach up to the load, of all rows in the box") {
  const Accuracy one = accuracy(requested_settings(64, 1, 8, {0.1, 0.6}), small_table);
  const auto range = one.errors(Quantity::mean_latency);
  REQUIRE(range);
  CHECK(range->minimum == -0.002);
  CHECK(range->largest == 0.03);  // at 80 %, the first load measured above 60 %
  CHECK(range->up_to == 0.8);
  const auto low = one.errors(Quantity::mean_latency, 0.5);
  REQUIRE(low);
  CHECK(low->largest == 0.001);
  CHECK(low->up_to == 0.5);
  CHECK_FALSE(one.errors(Quantity::mean_latency, 0.81));
  CHECK_FALSE(one.errors(Quantity::saturation));
  const Accuracy between = accuracy(requested_settings(144, 1, 32, {0.9}), small_table);
  REQUIRE(between.rows.size() == 2);
  const auto all = between.errors(Quantity::mean_latency);
  REQUIRE(all);
  CHECK(all->minimum == -0.05);
  CHECK(all->largest == 0.02);
  CHECK(between.beyond(Quantity::mean_latency));
}

TEST_CASE("accuracy: a fraction of the model's saturation load is another one of the simulated load") {
  std::vector<MeasuredError> errors = latencies(0.01, 0.02, 0.03);
  errors.push_back({Quantity::saturation, 0, 0.25, 0.25});
  const std::vector<AccuracyRow> table{mesh_row(64, 1, 32, errors, RowLoads::simulated)};
  const Accuracy found = accuracy(requested_settings(64, 1, 32), table);
  // 0.4 of the model's is 0.5 of the simulated saturation load, 0.64 is 0.8.
  CHECK(found.errors(Quantity::mean_latency, 0.4)->largest == 0.02);
  CHECK(found.errors(Quantity::mean_latency, 0.41)->largest == 0.03);
  CHECK(found.errors(Quantity::mean_latency, 0.64)->up_to == 0.8);
  CHECK_FALSE(found.errors(Quantity::mean_latency, 0.65));
  CHECK(found.errors(Quantity::saturation)->minimum == 0.25);
}

TEST_CASE("accuracy: a single flit of room is apart") {
  std::vector<AccuracyRow> buffers(3, mesh_row(64, 1, 32, latencies(0.01, 0.02, 0.03)));
  for (std::size_t i = 0; i < buffers.size(); ++i)
    buffers[i].settings = {
        {Setting::buffer_flits, 1.0 + 3 * static_cast<double>(i), 1.0 + 3 * static_cast<double>(i)}};
  RequestedAccuracy requested = requested_settings(64, 1, 32);
  requested.settings = {{Setting::buffer_flits, 5}};
  CHECK(accuracy(requested, buffers).rows.size() == 2);
  requested.settings = {{Setting::buffer_flits, 2}};
  CHECK_FALSE(accuracy(requested, buffers).measured());
  requested.settings = {{Setting::buffer_flits, 1}};
  CHECK(accuracy(requested, buffers).rows.size() == 1);
}

TEST_CASE("accuracy: short messages on several virtual channels have the measured accuracy") {
  // Simulated saturation 0.2886, 0.3249, 0.3204.
  for (const int channels : {2, 4, 8}) {
    const Accuracy found = accuracy(requested_accuracy(mesh_of_64(5, channels), {0.9}));
    INFO(channels);
    REQUIRE(found.rows.size() == 1);
    CHECK(std::abs(found.errors(Quantity::saturation)->largest) < 0.035);
    CHECK(found.errors(Quantity::mean_latency)->minimum > -0.12);
  }
  CHECK(accuracy(requested_accuracy(mesh_of_64(32, 1), {0.8})).errors(Quantity::mean_latency)->largest <
        0.02);
  CHECK_FALSE(accuracy(requested_accuracy(mesh_of_64(5, 6), {0.9})).measured());
  CHECK_FALSE(accuracy(requested_accuracy(mesh_of_64(1000, 1), {0.9})).measured());
}

TEST_CASE("accuracy tables: each of data/accuracy can be read and has its own model") {
  std::set<MeasuredModel> models;
  std::size_t count = 0;
  for (const AccuracyTable& table : accuracy_tables()) {
    INFO(table.name);
    const std::vector<AccuracyRow> rows = read_accuracy(table);
    CHECK(models.insert(rows.front().model).second);
    count += rows.size();
  }
  CHECK(models.size() == 4);
  CHECK(accuracy_rows().size() == count);
}

TEST_CASE("accuracy tables: errors, half-widths, ranges and quotients") {
  const auto rows =
      table_rows("# comment\n" + table_heading +
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

TEST_CASE("accuracy tables: what is wrong is rejected by line") {
  const std::string good = "a,64,model,30 50,-2.5 0.1,,,,0.1.0\n";
  CHECK_NOTHROW(table_rows(table_heading + good));
  CHECK_THROWS_WITH(table_rows(table_heading + good, "wormhole"),
                    Catch::Matchers::Contains("no model has this name"));
  CHECK_THROWS_WITH(table_rows(table_heading), Catch::Matchers::Contains("no row"));
  CHECK_THROWS_WITH(table_rows("network,node\na,64\n"), Catch::Matchers::Contains("'node'"));
  CHECK_THROWS_WITH(table_rows("network,nodes,nodes\n"), Catch::Matchers::Contains("'nodes'"));
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
    CHECK_THROWS_WITH(
        table_rows(table_heading + good + row + "\n"),
        Catch::Matchers::Contains("data/accuracy/wormhole_paper.csv:3:") && Catch::Matchers::Contains(what));
  }
  CHECK_THROWS_WITH(table_rows("network,links,throughput,measured\na,two,0.9,0.1.0\n", "multistage"),
                    Catch::Matchers::Contains("one or any"));
}
