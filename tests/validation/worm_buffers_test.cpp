#include <tailbound/bounds/wormhole/latency.hpp>
#include <tailbound/network/walks/worm_walk.hpp>
#include <tailbound/network/worms/worm_topology.hpp>
#include <tailbound/sim/worm/simulate_worms.hpp>

#include <catch2/catch.hpp>

/// Deeper buffers and many virtual channels: the model of finite sources compared with flit-level simulation
/// of small networks.
///
/// Both have errors: the model through its simplifications, the simulation statistically, with a standard
/// deviation of about 0.4 %. Seeds are fixed, so results are reproducible.
namespace tailbound {
namespace {

using network::WormShape;

struct Means {
  double latency = 0, service = 0;  ///< [cycles]
};

Means simulated(std::shared_ptr<const network::WormNetwork> network, const char* load, std::int64_t flits,
                std::int64_t buffer_flits) {
  const sim::WormModel model{.network = std::move(network),
                             .load = numeric::parse_rational(load, "load"),
                             .flits = flits,
                             .buffer_flits = buffer_flits};
  const sim::RunResult result =
      sim::run_worms(model, {.seed = 5, .replications = 2, .warmup = 4000, .slots = 150'000, .batches = 10});
  using Rows = sim::WormRows;
  double messages = 0;
  Means sum;
  for (const sim::Counts* counts : result.all()) {
    messages += static_cast<double>((*counts)[Rows::delivered][0]);
    sum.latency += static_cast<double>((*counts)[Rows::times][0]);
    sum.service += static_cast<double>((*counts)[Rows::times][2]);
  }
  return {sum.latency / messages, sum.service / messages};
}

Means modelled(network::ChannelGraph graph, double load, double flits, double buffer_flits) {
  const bounds::wormhole::Model model(
      std::move(graph), bounds::wormhole::Equations::finite_source,
      {.kinds = {{.lengths = static_cast<std::int64_t>(flits)}}, .buffer_flits = buffer_flits});
  const bounds::wormhole::Point point = model.solve(load);
  REQUIRE(point.solved());
  return {point.latency(flits), flits * point.service};
}

TEST_CASE("finite sources: deeper buffers, against simulation") {
  const network::WormTopology topology =
      GENERATE(network::WormTopology{.shape = WormShape::mesh, .nodes = 16},
               network::WormTopology{.shape = WormShape::hypercube, .nodes = 16});
  const bool mesh = topology.shape == WormShape::mesh;
  const char* const load = mesh ? "0.28" : "0.42";
  const auto at = [&](double buffer_flits) {
    return modelled(network::channel_graph(topology, network::FatTreeVariant::conditional),
                    mesh ? 0.28 : 0.42, 16, buffer_flits);
  };
  for (const int buffer : {3, 6, 16, 40}) {
    CAPTURE(buffer);
    const Means found = simulated(network::worm_network(topology, 1), load, 16, buffer), model = at(buffer);
    CHECK(model.latency == Approx(found.latency).epsilon(0.02));
    CHECK(model.service == Approx(found.service).epsilon(0.015));
    // Not by chance: with buffers of one flit the error would be large.
    CHECK(at(1).service > 1.02 * found.service);
  }
}

TEST_CASE("finite sources: many virtual channels, against simulation") {
  struct Case {
    network::WormTopology topology;
    int virtual_channels;
    const char* load;
    double at;
  };
  const auto all = GENERATE(Case{{.shape = WormShape::mesh, .nodes = 16}, 6, "0.3", 0.3},
                            Case{{.shape = WormShape::hypercube, .nodes = 16}, 8, "0.37", 0.37},
                            Case{{.shape = WormShape::torus, .nodes = 25}, 8, "0.32", 0.32});
  const auto network = std::shared_ptr(network::worm_network(all.topology, all.virtual_channels));
  const Means found = simulated(network, all.load, 20, 1);
  const Means model = modelled(network::walk_graph(*network, {}), all.at, 20, 1);
  CHECK(model.latency == Approx(found.latency).epsilon(0.025));
  CHECK(model.service == Approx(found.service).epsilon(0.015));
}

}  // namespace
}  // namespace tailbound
