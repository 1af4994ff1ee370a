#include <tailbound/answers/validation/validate_multistage.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

#include <cmath>
#include <string>

// Queries about combining multistage networks: what answers add to the model and the simulator.

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

namespace {

MultistageQuery query(const char* hot, const char* load, network::Links links = network::Links::any) {
  return {.network = {.network = {64, 2}, .buffer = 4, .hot = rational(hot), .combining = 2, .links = links},
          .load = rational(load)};
}

SimulateMultistageQuery simulation(const char* hot, const char* load) {
  return {.network = query(hot, load).network, .load = rational(load), .length = {.slots = 3000, .seed = 4}};
}

}  // namespace

TEST_CASE("multistage: times scale with the service time, fractions do not", "[answers]") {
  MultistageQuery requested = query("0.08", "0.8");
  const MultistageAnswer one = answer(requested);
  requested.service = rational("5/2");
  const MultistageAnswer longer = answer(requested);
  CHECK(longer.throughput.value == one.throughput.value);
  CHECK(longer.delay.value == Approx(2.5 * one.delay.value).epsilon(1e-14));
  CHECK(longer.hot_delay->value == Approx(2.5 * one.hot_delay->value).epsilon(1e-14));
  CHECK(longer.cold_delay->value == Approx(2.5 * one.cold_delay->value).epsilon(1e-14));
  // The overall mean is that of hot and cold requests, weighted by their fractions.
  CHECK(one.delay.value == Approx(0.08 * one.hot_delay->value + 0.92 * one.cold_delay->value).epsilon(1e-12));
  REQUIRE(one.hot_path.size() == 6);
  for (const MultistageQueue& queue : one.hot_path)
    CHECK(queue.utilization.value <= one.hot_path[one.busiest_stage()].utilization.value);
}

TEST_CASE("multistage: no delay for missing kinds of requests", "[answers]") {
  MultistageQuery requested = query("0", "0.5");
  CHECK_FALSE(answer(requested).hot_delay);
  requested.network.hot = 1;
  CHECK_FALSE(answer(requested).cold_delay);
  CHECK(answer(requested).hot_delay);
}

TEST_CASE("multistage: saturated if throughput is below 98 %", "[answers]") {
  CHECK_FALSE(answer(query("0.08", "0.3")).saturated);
  const MultistageAnswer full = answer(query("0.08", "0.8"));
  CHECK(full.saturated);
  CHECK(full.throughput.value < 0.98 * 0.8);
}

TEST_CASE("multistage: the saturation load does not depend on the given loads", "[answers]") {
  for (const network::Links links : {network::Links::one, network::Links::any}) {
    const auto found = [&](const char* load) { return answer(query("0.08", load, links)).saturation_load; };
    const double saturation = found("0.3").value().value;
    for (const char* load : {"0.05", "0.74", "0.75", "0.8", "1"})
      CHECK(found(load).value().value == saturation);
    // It is where the throughput departs from the load.
    const auto saturated = [&](double part) {
      MultistageQuery requested = query("0.08", "1", links);
      requested.load = rational(std::to_string(std::lround(1e6 * part * saturation)) + "/1000000");
      return answer(requested).saturated;
    };
    CHECK_FALSE(saturated(0.999));
    CHECK(saturated(1.002));
  }
  // Simulated: throughput is 98 % of the load up to 0.707 and 0.52; the model is 4 % below.
  CHECK(answer(query("0.08", "0.5")).saturation_load->value == Approx(0.735).margin(0.001));
  CHECK(answer(query("0.08", "0.5", network::Links::one)).saturation_load->value ==
        Approx(0.541).margin(0.001));
  // 1 / (1 - h + h N / s) = 25 / 87 at h = 2 / 25, and Pfister and Norton's 1 / (1 + h (N - 1)) = 25 / 151
  MultistageQuery requested = query("0.08", "0.5");
  requested.network.combining = 1;
  CHECK(answer(requested).saturation_bound.value == rational("25/87"));
  CHECK(answer(requested).saturation_load->value <= 25.0 / 87);
  requested.network.links = network::Links::one;
  CHECK(answer(requested).saturation_bound.value == rational("25/151"));
  CHECK(answer(requested).saturation_load->value <= 25.0 / 151);
  CHECK(answer(requested).saturation_load->value > 0.98 * 25.0 / 151);
  // If all requests are hot and any number combines, a load of 1 is carried.
  requested.network.hot = 1;
  requested.network.combining.reset();
  CHECK_FALSE(answer(requested).saturation_load);
}

TEST_CASE("multistage: out-of-range queries are rejected with the field's name", "[answers]") {
  const auto argument = [](const auto& requested) {
    try {
      static_cast<void>(answer(requested));
    } catch (const InvalidArgument& rejected) {
      return rejected.argument();
    }
    return std::string("nothing");
  };
  for (const char* load : {"0", "-1", "1.01"}) {
    CHECK(argument(query("0.08", load)) == "load");
    CHECK(argument(simulation("0.08", load)) == "load");
  }
  CHECK(argument(query("1.1", "0.5")) == "hot");
  CHECK(argument(simulation("-0.1", "0.5")) == "hot");
  for (const char* service : {"0", "-1", "1000000001"}) {
    MultistageQuery requested = query("0.08", "0.5");
    requested.service = rational(service);
    CHECK(argument(requested) == "service");
    SimulateMultistageQuery simulated = simulation("0.08", "0.5");
    simulated.service = rational(service);
    CHECK(argument(simulated) == "service");
  }
  MultistageQuery requested = query("0.08", "0.5");
  requested.network.network.nodes = 60;
  CHECK(argument(requested) == "nodes");
  SimulateMultistageQuery simulated = simulation("0.08", "0.5");
  simulated.length.replications = 0;
  CHECK(argument(simulated) == "replications");
}

TEST_CASE("simulate multistage: independent of threads; length given or by rule", "[answers]") {
  SimulateMultistageQuery requested = simulation("0.08", "0.5");
  const SimulateMultistageAnswer one = answer(requested, {.threads = 1});
  const SimulateMultistageAnswer two = answer(requested, {.threads = 2});
  CHECK(one.delay->value == two.delay->value);
  CHECK(one.throughput.upper == two.throughput.upper);
  CHECK(one.requests == two.requests);
  CHECK_FALSE(one.stopped());
  CHECK(one.hot_path.size() == 6);
  requested.service = 3;
  const SimulateMultistageAnswer longer = answer(requested, {.threads = 2});
  CHECK(longer.delay->value == Approx(3 * one.delay->value).epsilon(1e-14));
  CHECK(longer.delay->lower == Approx(3 * one.delay->lower).epsilon(1e-14));
  CHECK(longer.throughput.value == one.throughput.value);

  requested.length.slots.reset();
  requested.services = 8e6;
  const std::int64_t slots = answer(requested).simulated.plan.slots;
  CHECK(slots >= 10'000);  // 8e6 / (64 * 0.5 * 6 * 4) = 10 416, to two digits
  CHECK(slots <= 10'416);
}

TEST_CASE("validate multistage: one verdict per quantity", "[answers]") {
  const ValidateMultistageAnswer found = answer(ValidateMultistageQuery{simulation("0.08", "0.8")});
  CHECK(found.tally.rows() == 4);
  std::size_t underestimates = 0;
  for (const ComparedRow& row : found.rows)
    underestimates +=
        std::visit([](const auto& compared) { return std::size_t{compared.underestimates()}; }, row.compared);
  CHECK(found.tally.underestimates() == underestimates);
  const auto& throughput = std::get<Comparison<unit::RequestsPerSlot>>(found.rows.front().compared);
  CHECK(*throughput.error() == Approx(found.model.throughput.value / found.simulation.throughput.value - 1));
  // Too much throughput would be too favorable.
  CHECK(throughput.unsafe_side == UnsafeSide::above);
  CHECK(found.confidence_of_all == Approx(0.8));  // of four intervals with 95 % each, at least

  const ValidateMultistageAnswer cold = answer(ValidateMultistageQuery{simulation("0", "0.5")});
  CHECK(cold.find(ComparedQuantity::hot_delay) == nullptr);
  CHECK(cold.find(ComparedQuantity::cold_delay) != nullptr);
  CHECK(cold.tally.rows() == 3);
}
