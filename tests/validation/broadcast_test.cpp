#include <tailbound/bounds/wormhole/broadcast.hpp>
#include <tailbound/sim/broadcast/simulate_broadcasts.hpp>

#include <catch2/catch.hpp>
#include <cmath>

/// The broadcast models of hypercubes compared with simulation: their errors must be those documented, and no
/// larger. Seeds are fixed.
namespace tailbound {
namespace {

using bounds::wormhole::BroadcastCube;
using bounds::wormhole::BroadcastPoint;
using bounds::wormhole::Replication;

BroadcastCube cube_of(const sim::BroadcastModel& model, Replication replication) {
  return {.dimensions = model.dimensions,
          .virtual_channels = model.virtual_channels,
          .flits = static_cast<double>(model.flits),
          .broadcast = numeric::nearest_double(model.broadcast),
          .startup = static_cast<double>(model.startup),
          .replication = replication};
}

BroadcastPoint solved(const sim::BroadcastModel& model, Replication replication) {
  return bounds::wormhole::broadcast_latency(cube_of(model, replication), numeric::nearest_double(model.rate))
      .value();
}

sim::BroadcastEstimates simulated(const sim::BroadcastModel& model, std::int64_t cycles) {
  return sim::broadcast_estimates(model,
                                  run_broadcasts(model, sim::automatic_plan(model, 0.6, cycles, 2, 2)));
}

double error(double value, const numeric::Estimate<unit::Slot>& estimate) {
  return value / estimate.value - 1;
}

TEST_CASE(
    "broadcast: the shared-wire model is within a few percent of simulation, the published one is not") {
  struct Case {
    int dimensions, virtual_channels;
    std::int64_t flits;
    const char *rate, *broadcast;
    double unicast, tree;  ///< maximum error
    std::int64_t cycles;
  };
  for (const Case& of : {Case{6, 4, 32, "0.0047", "0.01", 0.02, 0.02, 100'000},
                         Case{6, 4, 32, "0.0189", "0.01", 0.03, 0.035, 100'000},
                         Case{6, 2, 64, "0.0053", "0.03", 0.05, 0.05, 100'000},
                         Case{4, 3, 16, "0.03", "0.02", 0.03, 0.03, 100'000}}) {
    const sim::BroadcastModel model{.dimensions = of.dimensions,
                                    .virtual_channels = of.virtual_channels,
                                    .flits = of.flits,
                                    .rate = numeric::parse_rational(of.rate, "rate"),
                                    .broadcast = numeric::parse_rational(of.broadcast, "broadcast"),
                                    .startup = 1};
    const sim::BroadcastEstimates found = simulated(model, of.cycles);
    const BroadcastPoint ours = solved(model, Replication::shared_wire);
    CAPTURE(describe(model), found.unicast_latency->value, ours.unicast_latency,
            found.broadcast_latency->value, ours.broadcast_latency);
    REQUIRE(found.stability.stable);
    CHECK(found.unicast_latency->upper < 1.015 * found.unicast_latency->value);
    CHECK(std::abs(error(ours.unicast_latency, *found.unicast_latency)) < of.unicast);
    CHECK(std::abs(error(ours.broadcast_latency, *found.broadcast_latency)) < of.tree);
    double busy = 0;
    for (const sim::DimensionUse& dimension : found.dimensions) busy += dimension.busy / of.dimensions;
    const bounds::wormhole::BroadcastDimension& link = ours.dimensions.front();
    CHECK(link.service * link.utilization / static_cast<double>(of.flits) == Approx(busy).epsilon(0.06));
  }
  const sim::BroadcastModel model{.dimensions = 6,
                                  .virtual_channels = 4,
                                  .flits = 32,
                                  .rate = numeric::parse_rational("0.0189", "rate"),
                                  .broadcast = numeric::parse_rational("0.01", "broadcast"),
                                  .startup = 1};
  const sim::BroadcastEstimates found = simulated(model, 100'000);
  CHECK(solved(model, Replication::literal).unicast_latency < 0.9 * found.unicast_latency->lower);
  CHECK(solved(model, Replication::conserving).unicast_latency < 0.96 * found.unicast_latency->lower);
}

TEST_CASE(
    "broadcast: the network carries more than the published equations predict, about as much as with shared "
    "channels") {
  sim::BroadcastModel model{.dimensions = 5,
                            .virtual_channels = 4,
                            .flits = 16,
                            .rate = numeric::parse_rational("0.01", "rate"),
                            .broadcast = numeric::parse_rational("0.02", "broadcast"),
                            .startup = 1};
  const double printed = bounds::wormhole::broadcast_saturation(cube_of(model, Replication::conserving));
  const double ours = bounds::wormhole::broadcast_saturation(cube_of(model, Replication::shared_wire));
  const sim::SimulatedSaturation found = simulated_saturation(
      model, {.first_guess = ours, .precision = 0.02, .messages = 1500, .replications = 2});
  CAPTURE(printed, ours, found.max_stable, found.min_unstable);
  CHECK(found.max_stable > 1.3 * printed);
  CHECK(ours == Approx(found.max_stable).epsilon(0.06));
}

}  // namespace
}  // namespace tailbound
