#include <catch2/catch.hpp>
#include <tailbound/answers/broadcast/broadcast.hpp>
#include <tailbound/answers/broadcast/simulate_hypercube.hpp>
#include <tailbound/answers/validation/validate_broadcast.hpp>
#include <tailbound/answers/wormhole/saturated.hpp>
#include <tailbound/bounds/wormhole/broadcast.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tests/support/rational.hpp>

#include <stop_token>
#include <string>
#include <vector>

// Queries about broadcasts in hypercubes: answers agree with the models and the simulator; a stop keeps the
// finished points; invalid input is rejected.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using numeric::Rational;
using tailbound::test::rational;

BroadcastHypercube small_cube() {
  BroadcastHypercube hypercube;
  hypercube.dimensions = 4;
  hypercube.virtual_channels = 3;
  hypercube.flits = 16;
  hypercube.broadcast = rational("0.02");
  return hypercube;
}

OfferedLoads rates(const std::vector<const char*>& values) {
  OfferedLoads offered{.measure = LoadMeasure::messages, .of_saturation = false, .values = {}};
  for (const char* value : values) offered.values.push_back(rational(value));
  return offered;
}

OfferedLoads rate_fractions(const std::vector<const char*>& values) {
  OfferedLoads offered = rates(values);
  offered.of_saturation = true;
  return offered;
}

SimulateHypercubeQuery short_simulation(const OfferedLoads& offered) {
  SimulateHypercubeQuery query{
      .network = {.hypercube = small_cube()}, .offered = offered, .percentiles = {}, .length = {}};
  query.length.slots = 20'000;
  return query;
}

Run stopped_run() {
  std::stop_source source;
  source.request_stop();
  Run run;
  run.stop = source.get_token();
  return run;
}

TEST_CASE("answers: broadcast has the model's numbers, at rates and at fractions of its saturation rate") {
  const BroadcastQuery query{.hypercube = small_cube(), .offered = rate_fractions({"1/2", "0"})};
  const BroadcastAnswer found = answer(query, {});
  const bounds::wormhole::BroadcastCube cube{.dimensions = 4,
                                             .virtual_channels = 3,
                                             .flits = 16,
                                             .broadcast = 0.02,
                                             .startup = 1,
                                             .replication = bounds::wormhole::Replication::shared_wire};
  CHECK(found.saturation.value == bounds::wormhole::broadcast_saturation(cube));
  CHECK(found.saturation.value == broadcast_saturation(query.hypercube).value);
  CHECK_FALSE(found.stopped);
  REQUIRE(found.points.size() == 2);
  const double requested_rates[] = {0.5 * found.saturation.value, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto model = bounds::wormhole::broadcast_latency(cube, requested_rates[i]);
    REQUIRE(model);
    const BroadcastPoint& point = found.points[i];
    CHECK(point.rate == requested_rates[i]);
    CHECK(point.fraction_of_saturation.value == (i == 0 ? 0.5 : 0));
    CHECK(point.unicast_latency.value == model->unicast_latency);
    CHECK(point.broadcast_latency.value == model->broadcast_latency);
    CHECK(point.multiplexing.value == model->multiplexing);
    CHECK(point.source_wait.value == model->source_wait);
    REQUIRE(point.dimensions.size() == 4);
    for (std::size_t d = 0; d < 4; ++d) {
      CHECK(point.dimensions[d].utilization.value == model->dimensions[d].utilization);
      CHECK(point.dimensions[d].service.value == model->dimensions[d].service);
      CHECK(point.dimensions[d].all_busy.value == model->dimensions[d].all_busy);
      CHECK(point.dimensions[d].multiplexing.value == model->dimensions[d].multiplexing);
    }
    const auto latencies = broadcast_latencies(query.hypercube, requested_rates[i]);
    REQUIRE(latencies);
    CHECK(latencies->unicast.value == model->unicast_latency);
    CHECK(latencies->broadcast.value == model->broadcast_latency);
  }
  BroadcastQuery again = query;
  again.offered = rates({"0.01"});
  CHECK(answer(again, {}).points.front().rate == 0.01);
}

TEST_CASE("answers: broadcast beyond saturation reports the saturation rate") {
  const BroadcastQuery query{.hypercube = small_cube(), .offered = rates({"0.5"})};
  const double saturation = broadcast_saturation(query.hypercube).value;
  try {
    static_cast<void>(answer(query, {}));
    FAIL("it has an answer");
  } catch (const Saturated& saturated) {
    CHECK(saturated.load() == 0.5);
    CHECK(saturated.saturation() == saturation);
    CHECK_THAT(saturated.what(),
               Catch::Matchers::StartsWith("the network is saturated at rate 0.5 messages/cycle/node: the "));
    CHECK_THAT(saturated.what(), Catch::Matchers::Contains("-dimensional hypercube saturates at 0.0"));
  }
  BroadcastQuery several = query;
  several.offered = rates({"0.5", "0.001", "0.6"});
  const BroadcastAnswer some = answer(several, {});
  CHECK(some.points.size() == 1);
  REQUIRE(some.refused.size() == 2);
  CHECK(some.refused[1].place == 2);
  CHECK_THAT(some.refused[1].reason, Catch::Matchers::Contains("saturated at rate 0.6"));
  several.offered = rates({"0.5", "0.6"});
  CHECK_THROWS_WITH(answer(several, {}), Catch::Matchers::Contains("saturated at rate 0.5"));
  BroadcastQuery beyond = query;
  beyond.offered = rate_fractions({"1"});
  CHECK_THROWS_AS(answer(beyond, {}), InvalidArgument);
  beyond.offered = rates({"-0.1"});
  CHECK_THROWS_AS(answer(beyond, {}), InvalidArgument);
  CHECK_FALSE(broadcast_latencies(query.hypercube, saturation * 1.001));
}

TEST_CASE("answers: broadcast with one injection and one ejection channel per node") {
  BroadcastQuery query{.hypercube = small_cube(), .offered = rates({"0.004"})};
  const BroadcastAnswer all_port = answer(query, {});
  CHECK_FALSE(all_port.points[0].ejection_wait);
  query.hypercube.ends = {};
  const BroadcastAnswer found = answer(query, {});
  REQUIRE(found.points[0].ejection_wait);
  CHECK(found.points[0].ejection_wait->value > 0);
  CHECK(found.points[0].unicast_latency.value > all_port.points[0].unicast_latency.value);
  CHECK(found.saturation.value < all_port.saturation.value);
}

TEST_CASE("answers: broadcast stopped before the first point has no answer") {
  const BroadcastQuery query{.hypercube = small_cube(), .offered = rates({"0.001", "0.002"})};
  CHECK_THROWS_AS(answer(query, stopped_run()), Stopped);
}

TEST_CASE("answers: simulate hypercube has the estimates of the simulator") {
  SimulateHypercubeQuery query = short_simulation(rate_fractions({"0.3", "0.6"}));
  query.percentiles = {rational("0.5")};
  const SimulateHypercubeAnswer found = answer(query, {.threads = 2});
  CHECK(found.model_saturation.value == broadcast_saturation(small_cube()).value);
  CHECK_FALSE(found.stopped);
  REQUIRE(found.points.size() == 2);
  const SimulatedBroadcasts& point = found.points.front();
  CHECK(point.rate == Approx(0.3 * found.model_saturation.value).epsilon(1e-8));
  CHECK(numeric::plain(point.rate).size() <= std::string("0.00123456789").size());  // it can be typed
  CHECK(point.fraction_of_saturation.value == point.rate / found.model_saturation.value);
  const sim::BroadcastModel model{.dimensions = 4,
                                  .virtual_channels = 3,
                                  .flits = 16,
                                  .rate = typed_rate(point.rate),
                                  .broadcast = rational("0.02"),
                                  .startup = 1,
                                  .buffer_flits = 1};
  const sim::RunPlan plan =
      sim::automatic_plan(model, point.fraction_of_saturation.value, 20'000, 4, query.length.seed);
  const auto direct = sim::broadcast_estimates(model, sim::run_broadcasts(model, plan), {0.5});
  REQUIRE(point.found.unicast_latency);
  CHECK(point.found.unicast_latency->value == direct.unicast_latency->value);
  CHECK(point.found.unicast_latency->upper == direct.unicast_latency->upper);
  CHECK(point.found.broadcast_latency->value == direct.broadcast_latency->value);
  REQUIRE(point.found.percentiles.size() == 1);
  CHECK(point.found.percentiles[0].unicast->value == direct.percentiles[0].unicast->value);
  CHECK_THROWS_AS(answer(query, stopped_run()), Stopped);
}

TEST_CASE("answers: simulate hypercube rejects unsupported networks") {
  const auto rejected = [](const SimulateHypercubeQuery& query) -> std::string {
    try {
      static_cast<void>(answer(query, {}));
    } catch (const InvalidArgument& error) {
      return error.argument();
    }
    return "";
  };
  const OfferedLoads some = rates({"0.01"});
  SimulateHypercubeQuery query = short_simulation(some);
  query.network.hypercube.dimensions = 17;
  CHECK(rejected(query) == "dimensions");
  for (const std::int64_t virtual_channels : {std::int64_t{1}, std::int64_t{65}, std::int64_t{1} << 40}) {
    query = short_simulation(some);
    query.network.hypercube.virtual_channels = virtual_channels;
    CHECK(rejected(query) == "virtual channels");
  }
  for (const char* startup : {"1/2", "-1", "1e10"}) {
    query = short_simulation(some);
    query.network.hypercube.startup = rational(startup);
    CHECK(rejected(query) == "startup");
  }
  CHECK(rejected(short_simulation(rates({"0"}))) == "rates");
  CHECK(rejected(short_simulation(rates({"1.5"}))) == "rates");
  CHECK(rejected(short_simulation(rate_fractions({"0"}))) == "fractions");
  CHECK(rejected(short_simulation(rate_fractions({"1000"}))) == "fractions");
  CHECK_THROWS_AS(answer(short_simulation(rates({"0.12"})), {}), NoAnswer);  // above the limit of a channel
}

TEST_CASE("answers: validate broadcast compares both latencies and counts verdicts") {
  ValidateBroadcastQuery query{.simulation = short_simulation(rates({"0.005", "0.03"}))};
  query.simulation.network.buffer_flits = 2;
  const ValidateBroadcastAnswer found = answer(query, {});
  CHECK(found.deeper_buffers);
  REQUIRE(found.loads.size() == 2);
  CHECK(found.tally.rows() == 4);
  std::size_t below = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const SimulatedBroadcasts& point = found.simulation.points[i];
    REQUIRE(found.loads[i].rows.size() == 2);
    for (const ComparedRow& row : found.loads[i].rows) {
      const auto& latency = std::get<Comparison<unit::Cycle>>(row.compared);
      const bool unicast = row.quantity == ComparedQuantity::unicast_latency;
      CHECK(unicast == (&row == &found.loads[i].rows.front()));
      const auto& estimate = unicast ? point.found.unicast_latency : point.found.broadcast_latency;
      CHECK(latency.simulated.value == estimate->value);
      const auto model = broadcast_latencies(small_cube(), point.rate);
      REQUIRE(latency.predicted.has_value() == model.has_value());
      if (model) CHECK(latency.span()->upper == (unicast ? model->unicast.value : model->broadcast.value));
      if (latency.verdict() == Verdict::below) ++below;
    }
  }
  CHECK(found.tally.underestimates() == below);
}

TEST_CASE("answers: validate broadcast has no row for messages that were not sent") {
  ValidateBroadcastQuery unicasts{.simulation = short_simulation(rates({"0.01"}))};
  unicasts.simulation.network.hypercube.broadcast = 0;
  const ValidateBroadcastAnswer found = answer(unicasts, {});
  REQUIRE(found.loads.front().rows.size() == 1);
  CHECK(found.loads.front().rows.front().quantity == ComparedQuantity::unicast_latency);
  CHECK_FALSE(found.deeper_buffers);
}

TEST_CASE("answers: saturation rate of a hypercube") {
  HypercubeSaturationQuery query;
  query.network.hypercube.flits = 8;
  query.length.precision = rational("0.02");
  const HypercubeSaturationAnswer found = answer(query, {.threads = 2});
  CHECK(found.model.value().value == broadcast_saturation(query.network.hypercube).value);
  CHECK(found.limit.load.value == rational("1/8"));  // two nodes, one message every 8 cycles
  CHECK(found.found.max_stable < 0.125);
  CHECK(found.found.min_unstable > 0.124);
  query.length.precision = 1;
  CHECK_THROWS_AS(answer(query, {}), InvalidArgument);
  query.length.precision = rational("0.02");
  CHECK_THROWS_AS(answer(query, stopped_run()), Stopped);
}

}  // namespace
