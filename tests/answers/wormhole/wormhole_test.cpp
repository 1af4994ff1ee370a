#include <catch2/catch.hpp>
#include <tailbound/answers/validation/validate_wormhole.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <stop_token>
#include <utility>

// Queries about wormhole networks, without a command line.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using network::WormShape;
using numeric::parse_rational;

OfferedLoads fractions(const std::vector<const char*>& list) {
  OfferedLoads offered{.of_saturation = true, .values = {}};
  for (const char* text : list) offered.values.push_back(parse_rational(text, "fraction"));
  return offered;
}

WormholeQuery mesh(OfferedLoads offered) {
  return {.network = network::WormTopology{.nodes = 64},
          .messages = {.flits = 20},
          .offered = std::move(offered),
          .variant = WormholeVariant::paper};
}

SimulatedWormhole small_mesh() {
  return {.network = network::WormTopology{.nodes = 16}, .messages = {.flits = 8}};
}

TEST_CASE("wormhole answers: the model of classes of messages, and those without one") {
  const auto model = [](const network::WormTopology& topology, std::vector<std::string> classes,
                        std::optional<WormholeVariant> variant = {}) {
    network::WormMessages messages;
    for (const std::string& each : classes) messages.classes.push_back(network::parse_message_class(each));
    const WormholeNetwork network = topology;
    return wormhole_model_of(ModelledWormhole{.network = network,
                                              .variant = variant,
                                              .messages = network::message_mix(topology, messages),
                                              .virtual_channels = {},
                                              .buffer_flits = 4});
  };
  const network::WormTopology mesh{.nodes = 16};
  const WormholeModel memory = model(mesh, {"request flits=1 virtual-channels=2 to=0,3,12,15",
                                            "reply flits=5 virtual-channels=2 answers=request"});
  REQUIRE(memory.model);
  const bounds::wormhole::Point point = memory.model->solve(0.15);
  REQUIRE(point.kinds.size() == 2);
  CHECK(point.kinds[0].latency == Approx(5.558647).margin(2e-6));
  CHECK(point.kinds[1].latency == Approx(13.051655).margin(2e-6));
  CHECK(point.latency(memory.model->worms().mean_flits()) == Approx(9.305151).margin(2e-6));
  // One virtual network for both, and one class with traffic of its own.
  CHECK(model(mesh, {"a flits=1 network=x", "b flits=5 network=x"}).model);
  CHECK(model(mesh, {"a flits=1:3,5:2 to=5"}).model);
  CHECK(model(mesh, {"a flits=1", "b flits=5"}, WormholeVariant::paper).missing.find("published") !=
        std::string::npos);
  const network::WormTopology ring{.shape = WormShape::unidirectional_torus, .nodes = 16};
  CHECK(model(ring, {"a flits=1", "b flits=5"}).model);
  CHECK(model(ring, {"a flits=1 virtual-channels=4", "b flits=5"}).missing.find("dateline") !=
        std::string::npos);
  CHECK_THROWS_AS(model(mesh, {"a virtual-channels=60", "b virtual-channels=5"}), InvalidArgument);
  // More than eight virtual channels are modelled as eight.
  CHECK(model(mesh, {"a flits=1 virtual-channels=20", "b flits=5"}).model->solve(0.3).kinds[1].latency ==
        model(mesh, {"a flits=1 virtual-channels=8", "b flits=5"}).model->solve(0.3).kinds[1].latency);
}

}  // namespace

TEST_CASE("wormhole answers: latency is source queueing, network latency and distance") {
  WormholeQuery query = mesh(fractions({"0", "1/2", "0.8"}));
  query.channels = 3;
  const WormholeAnswer found = answer(query, {});
  CHECK(found.network == "8 x 8 mesh");
  CHECK(found.saturation.value == Approx(0.1885620332).epsilon(1e-9));
  CHECK(found.deadlock_cycle.empty());
  CHECK_FALSE(found.shorter_than_path);
  CHECK_FALSE(found.stopped);
  REQUIRE(found.points.size() == 3);
  for (const WormholePoint& point : found.points) {
    CHECK(
        point.latency.value ==
        Approx(point.source_wait.value + point.service.value + found.mean_distance.value - 1).epsilon(1e-14));
    REQUIRE(point.channels.size() == 3);
    CHECK(point.channels.front().name == point.bottleneck.value().name);
  }
  CHECK(found.points[0].latency.value == Approx(20 + found.mean_distance.value - 1).epsilon(1e-14));
}

TEST_CASE("wormhole answers: finite sources by default, except where they take long") {
  WormholeQuery query{.network = network::WormTopology{.nodes = 16},
                      .messages = {.flits = 32},
                      .offered = {.values = {parse_rational("0.3", "load")}},
                      .channels = 3};
  const WormholeAnswer found = answer(query, {});
  CHECK(found.points[0].service.value == Approx(32 * 1.4399353).epsilon(1e-7));
  CHECK(found.points[0].source_wait.value == Approx(32 * 0.7078172).epsilon(2e-7));
  CHECK(found.unsolved.value > found.saturation.value);
  CHECK(found.unsolved.value < found.saturation.value * (1 + 1.1e-6));
  CHECK(found.why_unsolved.find("stopped after") == 0);
  for (const WormholeChannel& channel : found.points[0].channels) {
    CHECK(channel.variation.value > 0);
    CHECK(channel.follow.value().value > 0.1);
  }
  query.variant = WormholeVariant::paper;
  const WormholeAnswer published = answer(query, {});
  CHECK_FALSE(published.points[0].channels[0].follow);
  CHECK(usual_variant(network::WormTopology{.nodes = 1024}) == WormholeVariant::finite_source);
  CHECK(usual_variant(network::WormTopology{.nodes = 4096}) == WormholeVariant::paper);
  CHECK(usual_variant(network::WormTopology{.shape = WormShape::butterfly_fat_tree, .nodes = 65536}) ==
        WormholeVariant::finite_source);
}

TEST_CASE("wormhole answers: short messages are reported") {
  WormholeQuery query = mesh(fractions({"1/2"}));
  query.messages.flits = 4;
  CHECK(answer(query, {}).shorter_than_path);
}

TEST_CASE("wormhole answers: messages of geometric length") {
  // Two nodes, each with its own channel to the other: a queue with one server.
  const network::WormTopology pair{.shape = WormShape::hypercube, .nodes = 2};
  WormholeQuery query{.network = pair,
                      .messages = {.flits = network::MessageLengths::geometric(8)},
                      .offered = {.values = {parse_rational("0.5", "load")}}};
  const WormholeAnswer alone = answer(query, {});
  CHECK(alone.points[0].service.value == Approx(8));
  CHECK(alone.points[0].source_wait.value == Approx(8 * 0.5 * (2 - 1.0 / 8) / 2 / (1 - 0.5)));
  // The model compared with a simulation is the same.
  query.network = small_mesh().network;
  query.offered.values = {parse_rational("0.3", "load")};
  const WormholeAnswer found = answer(query, {});
  SimulatedWormhole simulated = small_mesh();
  simulated.messages.flits = network::MessageLengths::geometric(8);
  CHECK(found.saturation.value == wormhole_model_of(simulated).model->saturation());
  query.virtual_channels = 2;
  const double together = answer(query, {}).points[0].latency.value;
  query.messages.flits = 8;
  CHECK(together > 1.2 * answer(query, {}).points[0].latency.value);
  query.virtual_channels = {};
  CHECK(found.points[0].latency.value > 1.2 * answer(query, {}).points[0].latency.value);
  CHECK(found.saturation.value < answer(query, {}).saturation.value);
  query.messages.flits = network::MessageLengths::geometric(8);
  query.variant = WormholeVariant::paper;
  CHECK_THROWS_WITH(answer(query, {}),
                    "lengths is geometric; it must be fixed in the published variants; variant finite-source "
                    "supports others");
}

TEST_CASE("wormhole answers: beyond saturation there is no answer") {
  OfferedLoads loads{.values = {parse_rational("1/5", "load")}};
  try {
    static_cast<void>(answer(mesh(loads), {}));
    FAIL("not rejected");
  } catch (const Saturated& saturated) {
    CHECK(saturated.load() == 0.2);
    CHECK(saturated.saturation() == Approx(0.1885620332).epsilon(1e-9));
  }
  loads.values.push_back(parse_rational("1/10", "load"));
  const WormholeAnswer lower = answer(mesh(loads), {});
  REQUIRE(lower.refused.size() == 1);
  CHECK(lower.refused.front().place == 0);
  REQUIRE(lower.points.size() == 1);
  CHECK(lower.points.front().load == 0.1);
  WormholeQuery query = mesh(fractions({"1/2", "1/4"}));
  query.channels = 600'000;
  CHECK_THROWS_WITH(answer(query, {}), "channels is 600000; it must be at most 500000 for 2 loads");
  CHECK_THROWS_AS(query.messages.flits = 0, InvalidArgument);
}

WormholeQuery patterned(network::WormTopology topology, network::WormPatternName pattern, std::int64_t flits,
                        std::optional<int> virtual_channels, std::int64_t buffer_flits) {
  topology.pattern = {.name = pattern};
  return {.network = topology,
          .messages = {.flits = flits},
          .offered = fractions({"1/2", "0.9999"}),
          .virtual_channels = virtual_channels,
          .buffer_flits = buffer_flits};
}

TEST_CASE("wormhole answers: the model is solved until something is full") {
  // Each iteration once stopped at the load of the last column. Simulated: the largest stable load, to 3 %.
  using enum network::WormPatternName;
  struct Row {
    WormShape shape;
    std::int64_t nodes;
    network::WormPatternName pattern;
    std::int64_t flits;
    std::optional<int> virtual_channels;
    std::int64_t buffer_flits;
    double simulated, stopped;
  };
  const auto row = GENERATE(Row{WormShape::torus, 64, transpose, 4, {}, 1, 0.2487, 0.1312},
                            Row{WormShape::torus, 64, bit_reverse, 8, 2, 4, 0.2134, 0.1111},
                            Row{WormShape::butterfly_fat_tree, 16, shuffle, 16, 4, 2, 0.3963, 0.25});
  const WormholeAnswer found = answer(patterned({.shape = row.shape, .nodes = row.nodes}, row.pattern,
                                                row.flits, row.virtual_channels, row.buffer_flits),
                                      {});
  INFO(row.stopped);
  CHECK_FALSE(found.saturated);  // each node sends to one other: the model may be full too early
  CHECK(found.fullness.value > 0.96);
  CHECK(found.saturation.value > 1.5 * row.stopped);
  CHECK(found.saturation.value > 0.9 * row.simulated);
  CHECK(found.saturation.value < 1.1 * row.simulated);
  CHECK(found.points.size() == 2);
}

TEST_CASE("wormhole answers: a light flow that meets a heavy one has no jump in its waits") {
  // 12.5 cycles at 0.14 by an independent simulator.
  WormholeQuery query = patterned({.shape = WormShape::torus}, network::WormPatternName::transpose, 4, {}, 1);
  query.offered = {};
  for (int i = 0; i < 40; ++i)
    query.offered.values.push_back(parse_rational("0.13", "load") + numeric::Rational(i) / 2000);
  const WormholeAnswer found = answer(query, {});
  REQUIRE(found.points.size() == 40);
  CHECK(found.points[20].latency.value == Approx(12.5).epsilon(0.03));
  for (std::size_t i = 1; i < found.points.size(); ++i) {
    const double before = found.points[i - 1].latency.value, here = found.points[i].latency.value;
    CHECK(here > before);
    CHECK(here < before * 1.01);
  }
}

TEST_CASE("wormhole answers: where nothing is full the largest load with an answer is not saturation") {
  WormholeQuery query =
      patterned({.shape = WormShape::hypercube, .nodes = 16}, network::WormPatternName::transpose, 5, 8, 16);
  const WormholeAnswer found = answer(query, {});
  CHECK_FALSE(found.saturated);
  CHECK(found.fullness.value > 0.8);
  CHECK(found.fullness.value < 0.9);
  CHECK(found.points.size() == 2);
  query.offered = {.values = {parse_rational("0.45", "load")}};
  try {
    static_cast<void>(answer(query, {}));
    FAIL("it has an answer");
  } catch (const Unanswered& none) {
    const std::string what = none.what();
    CHECK(what.find("at load 0.45 flits/cycle/node the model has no answer: of the 4-dimensional") !=
          std::string::npos);
    CHECK(what.find("the iteration does not converge there, with the busiest channel at 85 %") !=
          std::string::npos);
    CHECK(what.find("saturat") == std::string::npos);
  }
  // Fractions of simulations refer to the simulated saturation load, as without a model.
  SimulateWormholeQuery simulation{.network = {.network = query.network,
                                               .messages = {.flits = 5},
                                               .virtual_channels = 8,
                                               .buffer_flits = 16},
                                   .offered = fractions({"1/2"}),
                                   .length = {.slots = 2000, .replications = 2},
                                   .search = {.precision = parse_rational("0.2", ""), .replications = 2}};
  const SimulateWormholeAnswer simulated = answer(simulation, {});
  CHECK_FALSE(simulated.model_saturation);
  CHECK(simulated.simulated_saturation);
  CHECK(simulated.no_model.find("the model has no answer above load 0.42685") == 0);
  simulation.fractions_of = FractionsOf::model;
  CHECK_THROWS_AS(answer(simulation, {}), InvalidArgument);
}

TEST_CASE("wormhole answers: a stop before the first point") {
  std::stop_source source;
  source.request_stop();
  const Run run{.stop = source.get_token()};
  CHECK_THROWS_AS(answer(mesh(fractions({"0.1"})), run), Stopped);
  CHECK_THROWS_AS(answer(mesh(fractions({"0.1", "0.2", "0.3"})), run), Stopped);
}

TEST_CASE("wormhole answers: simulation and model") {
  ValidateWormholeQuery query;
  query.simulation = {.network = small_mesh(),
                      .offered = fractions({"0.1", "0.5"}),
                      .percentiles = {parse_rational("1/2", "percentile")},
                      .length = {.slots = 20'000, .seed = 4}};
  const ValidateWormholeAnswer found = answer(query, {});
  CHECK(found.simulation.layout.name == "4 x 4 mesh");
  CHECK(found.simulation.layout.channels == found.simulation.layout.wires);
  REQUIRE(found.loads.size() == 2);
  CHECK(found.tally.rows() == 2);
  const auto latency = [&](std::size_t i) {
    return std::get<Comparison<unit::Cycle>>(found.loads[i].rows.at(0).compared);
  };
  for (std::size_t i = 0; i < 2; ++i) {
    const SimulatedWorms& point = found.simulation.points[i];
    CHECK(latency(i).simulated.value == point.found.latency.value().value);
    CHECK(std::abs(latency(i).error().value()) < 0.1);
    CHECK(point.found.percentiles.size() == 1);
    CHECK(point.found.busiest.size() == 10);
    CHECK(point.found.busiest.front().name.find(" -> ") != std::string::npos);
    CHECK_FALSE(point.simulated.automatic_warmup == false);
  }
  const auto curve = latency_of_load(query, found);
  REQUIRE(curve);
  const double last = found.simulation.points.back().load;
  CHECK(*std::max_element(curve->loads.begin(), curve->loads.end()) == last);
  CHECK(curve->at(last).value() == Approx(latency(1).span().value().upper).epsilon(1e-12));

  const SimulateWormholeAnswer alone = answer(query.simulation, {.threads = 2});
  CHECK(alone.points[1].found.latency.value().value ==
        found.simulation.points[1].found.latency.value().value);
}

TEST_CASE("wormhole answers: the plotted curve is the model, up to just below saturation") {
  const WormholeQuery query = mesh(fractions({"0.2", "0.6"}));
  const WormholeAnswer found = answer(query, {});
  const LatencyOfLoad curve = latency_of_load(query, found);
  CHECK(*std::max_element(curve.loads.begin(), curve.loads.end()) ==
        Approx(0.985 * found.saturation.value).epsilon(1e-12));
  for (const WormholePoint& point : found.points) {
    CHECK(std::count(curve.loads.begin(), curve.loads.end(), point.load) == 1);
    CHECK(curve.at(point.load).value() == point.latency.value);
  }
  CHECK_FALSE(curve.at(1.01 * found.saturation.value));
}

TEST_CASE("wormhole answers: the model has the simulated number of virtual channels") {
  ValidateWormholeQuery query;
  query.simulation = {.network = small_mesh(), .offered = fractions({"0.3"}), .length = {.slots = 20'000}};
  query.simulation.network.virtual_channels = 2;
  query.simulation.network.variant = WormholeVariant::paper;
  const ValidateWormholeAnswer two = answer(query, {});
  CHECK(two.modelled.virtual_channels == 2);
  CHECK_FALSE(two.modelled.bernoulli_arrivals);
  // Not that with one virtual channel, 0.4065, but that of the enumerated network.
  CHECK(two.simulation.model_saturation.value().value == Approx(0.3916150809).epsilon(1e-9));
  CHECK(answer(query.simulation, {}).model_saturation.value().value ==
        two.simulation.model_saturation.value().value);
  WormholeSaturationQuery search{
      .network = query.simulation.network,
      .length = {.precision = parse_rational("0.2", "precision"), .replications = 2}};
  CHECK(answer(search, {}).model.value().value == two.simulation.model_saturation.value().value);
  CHECK(wormhole_model(small_mesh().network, WormholeVariant::paper).saturation() ==
        Approx(0.4065088798).epsilon(1e-9));
}

TEST_CASE("wormhole answers: without a model of the network fractions are of the simulated saturation") {
  SimulateWormholeQuery query{.network = small_mesh(),
                              .offered = fractions({"0.5"}),
                              .length = {.slots = 4000, .replications = 2},
                              .search = {.precision = parse_rational("0.2", "precision"), .replications = 2}};
  query.network.timing = {.credit_cycles = 1, .reallocate = network::Reallocate::tail};
  const SimulateWormholeAnswer found = answer(query, {});
  CHECK_FALSE(found.model_saturation);
  CHECK(found.no_model == "there is no model of virtual channels reallocated at the tail");
  const double stable = found.simulated_saturation.value().max_stable;
  CHECK(found.points[0].load == Approx(stable / 2).epsilon(1e-7));
  CHECK(found.points[0].fraction_of_saturation.value().value == Approx(0.5).epsilon(1e-7));
  query.fractions_of = FractionsOf::model;
  CHECK_THROWS_WITH(
      answer(query, {}),
      "of is model; it must be simulated, or loads given instead of fractions: there is no model of "
      "virtual channels reallocated at the tail");
  query.offered = {.values = {parse_rational("0.1", "load")}};
  const SimulateWormholeAnswer loads = answer(query, {});
  CHECK_FALSE(loads.simulated_saturation);
  CHECK_FALSE(loads.points[0].fraction_of_saturation);
  ValidateWormholeQuery compared;
  compared.simulation = query;
  CHECK_THROWS_WITH(answer(compared, {}),
                    "nothing to compare: there is no model of virtual channels reallocated at the "
                    "tail (tailbound simulate wormhole simulates this network)");
  WormholeSaturationQuery search{.network = query.network, .length = query.search};
  const WormholeSaturationAnswer saturation = answer(search, {});
  CHECK_FALSE(saturation.model);
  CHECK(saturation.found.max_stable == stable);
  CHECK(saturation.search.first_guess == Approx(0.6 * 15 / 16.0));
}

TEST_CASE("wormhole answers: loads above what a physical channel carries are not simulated") {
  SimulateWormholeQuery query{.network = small_mesh(),
                              .offered = {.values = {parse_rational("0.95", "load")}},
                              .length = {.slots = 1000}};
  CHECK_THROWS_WITH(answer(query, {}),
                    "saturated at load 0.95 flits/cycle/node: the physical channel (1,0) -> (2,0) would have "
                    "to carry 1.01333 flits per cycle; its capacity is 1. Loads above 0.9375 are unstable");
  query.offered.values = {parse_rational("0.1", "load")};
  const SimulateWormholeAnswer found = answer(query, {});
  CHECK(found.limit.load.value == parse_rational("15/16", "load"));
  CHECK(found.limit.channel == "(1,0) -> (2,0)");
}

TEST_CASE("wormhole answers: given virtual channels, in the model and in the simulation") {
  WormholeQuery query{.network = network::WormTopology{.nodes = 16},
                      .offered = fractions({"0.5"}),
                      .variant = WormholeVariant::paper};
  const WormholeAnswer usual = answer(query, {});
  query.virtual_channels = 1;
  CHECK(answer(query, {}).saturation.value == usual.saturation.value);
  query.virtual_channels = 2;
  const WormholeAnswer two = answer(query, {});
  CHECK(two.saturation.value == Approx(0.3916150809).epsilon(1e-9));
  query.virtual_channels = 65;
  CHECK_THROWS_WITH(answer(query, {}), "virtual channels is 65; it must be from 1 to 64");
  query.virtual_channels = 64;
  query.network = network::WormTopology{.nodes = 1024};
  CHECK_THROWS_AS(answer(query, {}), LimitExceeded);
}

TEST_CASE("wormhole answers: with finite sources more than eight virtual channels are like eight") {
  WormholeQuery query{.network = network::WormTopology{.nodes = 16}, .offered = fractions({"0.5"})};
  query.virtual_channels = 8;
  const WormholeAnswer eight = answer(query, {});
  query.virtual_channels = 24;
  CHECK(answer(query, {}).points[0].latency.value == eight.points[0].latency.value);
  query.virtual_channels = 6;
  CHECK(answer(query, {}).points[0].latency.value != eight.points[0].latency.value);
}

TEST_CASE("wormhole answers: deeper buffers, and cases without a model") {
  WormholeQuery query{.network = network::WormTopology{.nodes = 16}, .offered = fractions({"0.5"})};
  const double one = answer(query, {}).saturation.value;
  query.buffer_flits = 4;
  CHECK(answer(query, {}).saturation.value > one);
  const auto rejected = [](WormholeQuery requested, const char* legal) {
    CHECK_THROWS_WITH(answer(requested, {}), std::string("buffer flits is 4; it must be ") + legal);
  };
  WormholeQuery other = query;
  other.variant = WormholeVariant::paper;
  rejected(other, "1 in the published variants; variant finite-source supports others");
  other = query;
  other.messages.flits = network::MessageLengths::geometric(32);
  CHECK(answer(other, {}).saturation.value < answer(query, {}).saturation.value);
  other = query;
  other.virtual_channels = 2;
  CHECK(answer(other, {}).saturation.value > answer(query, {}).saturation.value);
  ValidateWormholeQuery validation;
  validation.simulation = {.network = small_mesh(), .offered = fractions({"0.3"}), .length = {.slots = 2000}};
  validation.simulation.network.buffer_flits = 3;
  CHECK(answer(validation, {}).model->worms().buffer_flits == 3);
  validation.simulation.network.messages.flits = network::MessageLengths::geometric(8);
  CHECK(answer(validation, {}).model->worms().kinds.front().lengths.is_geometric());
  validation.simulation.network.timing = {.credit_cycles = 1, .reallocate = network::Reallocate::tail};
  CHECK_THROWS_AS(answer(validation, {}), NoAnswer);
}

TEST_CASE("wormhole answers: messages leave by all links at once, or by one channel") {
  const auto cube = [](network::WormEnds ends) {
    return WormholeQuery{
        .network = network::WormTopology{.shape = WormShape::hypercube, .nodes = 16, .ends = ends},
        .offered = {.values = {parse_rational("0.2", "load")}}};
  };
  const WormholeAnswer one = answer(cube({}), {});
  const WormholeAnswer unlimited = answer(cube(network::all_port), {});
  CHECK(one.mean_distance.value == Approx(unlimited.mean_distance.value + 1));
  CHECK(one.points[0].latency.value > unlimited.points[0].latency.value + 1);
  CHECK(one.points[0].bottleneck.value().name.find("ejection") == 0);
  CHECK(unlimited.points[0].bottleneck.value().name.find("ejection") == std::string::npos);
  CHECK_THROWS_AS(
      answer(WormholeQuery{.network = network::WormTopology{.nodes = 16, .ends = network::all_port},
                           .offered = fractions({"0.5"})},
             {}),
      InvalidArgument);
}

TEST_CASE("wormhole answers: saturation load") {
  WormholeSaturationQuery query{.network = small_mesh(),
                                .length = {.precision = parse_rational("0.1", "precision")}};
  const WormholeSaturationAnswer found = answer(query, {});
  CHECK(found.found.max_stable > 0.9 * found.model.value().value);
  CHECK(found.limit.load.value == parse_rational("15/16", "load"));
  CHECK_FALSE(found.found.bounded);
  CHECK(found.found.min_unstable <= 1.11 * found.found.max_stable);
  CHECK(found.search.first_guess == Approx(1.1 * found.model.value().value));
}

TEST_CASE("wormhole answers: parameters of the simulation are checked") {
  SimulateWormholeQuery query{.network = small_mesh(), .offered = fractions({"0.3"})};
  query.network.messages.flits = 2'000'000;
  CHECK_THROWS_WITH(answer(query, {}), "flits is 2000000; it must be from 1 to 1000000 in a simulation");
  query.network = small_mesh();
  query.network.buffer_flits = 0;
  CHECK_THROWS_AS(answer(query, {}), InvalidArgument);
  query.network = small_mesh();
  query.offered = fractions({"0"});
  CHECK_THROWS_AS(answer(query, {}), InvalidArgument);
}
