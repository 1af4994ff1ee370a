#include <tailbound/core/error.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>
#include <tailbound/network/worms/worm_topology.hpp>
#include <tailbound/sim/worm/simulate_worms.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <tests/support/cut_replication.hpp>
#include <tests/support/estimate.hpp>
#include <tuple>

/// Messages of several lengths and classes. Random runs have fixed seeds: a test that passes once passes
/// always.
namespace tailbound::sim {
namespace {

using network::MessageKind;
using network::MessageLengths;
using numeric::Rational;
using test::sure;

std::shared_ptr<const network::WormNetwork> mesh(std::int64_t nodes, std::vector<int> virtual_channels) {
  std::vector<std::shared_ptr<const network::WormNetwork>> networks;
  for (const int channels : virtual_channels)
    networks.push_back(network::worm_network({.nodes = nodes}, channels));
  if (networks.size() == 1) return networks.front();
  return std::make_shared<network::VirtualNetworks>(std::move(networks),
                                                    std::vector<std::string>{"request", "reply", "data"});
}

/// From each node to each of the controllers, or back, with equal rates.
network::WormTraffic controllers(bool to, std::uint32_t nodes,
                                 const std::vector<std::uint32_t>& controllers) {
  network::WormTraffic traffic;
  for (std::uint32_t node = 0; node < nodes; ++node)
    for (const std::uint32_t controller : controllers)
      if (node != controller)
        traffic.flows.push_back(to ? network::WormFlow{node, controller}
                                   : network::WormFlow{controller, node});
  const double senders = to ? nodes : static_cast<double>(controllers.size());
  for (network::WormFlow& flow : traffic.flows)
    flow.rate = senders / static_cast<double>(traffic.flows.size());
  return traffic;
}

MessageKind kind(const char* name, std::int64_t percent, const char* lengths, std::uint32_t virtual_network) {
  return {.name = name,
          .share = Rational(percent) / 100,
          .lengths = MessageLengths::parse(lengths),
          .virtual_network = virtual_network};
}

/// Requests of 1 flit, and replies of 5 that they cause.
std::vector<MessageKind> request_and_reply(bool to_controllers, bool one_network = false) {
  std::vector<MessageKind> kinds{kind("request", 50, "1", 0), kind("reply", 50, "5", one_network ? 0 : 1)};
  kinds[1].answers = 0;
  if (to_controllers) {
    kinds[0].traffic = controllers(true, 16, {0, 3, 12, 15});
    kinds[1].traffic = controllers(false, 16, {0, 3, 12, 15});
  }
  return kinds;
}

Rational load_of(const char* load) {
  return numeric::parse_rational(load, "load");
}

WormEstimates simulated(const WormModel& model, std::int64_t cycles, double confidence,
                        std::vector<double> percentiles = {}) {
  const RunPlan plan{.seed = 3, .replications = 4, .warmup = cycles / 10, .slots = cycles, .batches = 16};
  return worm_estimates(model, run_worms(model, plan),
                        {.percentiles = std::move(percentiles), .channels = 3, .confidence = confidence});
}

/// Mean latency and half of its 95 % interval, by the other simulator [cycles].
struct Row {
  std::size_t kind = 0;
  std::int64_t flits = 0;  ///< 0: all of the kind
  double latency = 0, half = 0;
};
struct Cell {
  const char* what;
  WormModel model;
  std::vector<Row> rows;
};

TEST_CASE("wormhole simulation: mixed lengths, classes and memory controllers as by another simulator") {
  // Recorded with a simulator that has an algorithm of its own, and no code of this one.
  const std::vector<MessageKind> mix{kind("", 100, "1:60%,5:40%", 0)};
  const std::vector<MessageKind> two{kind("a", 50, "1", 0), kind("b", 50, "5", 1)};
  std::vector<MessageKind> memory = request_and_reply(true);
  memory[1].answers.reset();
  std::vector<MessageKind> together = request_and_reply(true, true);
  together[1].answers.reset();
  const std::vector<MessageKind> three{kind("a", 40, "1", 0), kind("b", 20, "1:50%,5:50%", 1),
                                       kind("c", 40, "5", 2)};
  const network::RouterTiming delayed{.router_cycles = 1, .credit_cycles = 1};
  const std::vector<Cell> cells{
      {"8 x 8, one virtual channel",
       {.network = mesh(64, {1}), .kinds = mix, .load = load_of("0.11958"), .buffer_flits = 4},
       {{0, 1, 9.2872, 0.0166}, {0, 5, 13.2791, 0.0237}}},
      {"8 x 8, one virtual channel, 80 %",
       {.network = mesh(64, {1}), .kinds = mix, .load = load_of("0.19132"), .buffer_flits = 4},
       {{0, 1, 13.7786, 0.0684}, {0, 5, 17.7699, 0.0744}}},
      {"8 x 8, four virtual channels",
       {.network = mesh(64, {4}), .kinds = mix, .load = load_of("0.19477"), .buffer_flits = 4},
       {{0, 1, 10.4728, 0.0180}, {0, 5, 17.1138, 0.0356}}},
      {"8 x 8, four virtual channels, 80 %",
       {.network = mesh(64, {4}), .kinds = mix, .load = load_of("0.31163"), .buffer_flits = 4},
       {{0, 1, 17.9791, 0.0594}, {0, 5, 25.8389, 0.0759}}},
      {"two classes",
       {.network = mesh(16, {2, 2}), .kinds = two, .load = load_of("0.31192"), .buffer_flits = 4},
       {{0, 0, 5.5346, 0.0098}, {1, 0, 13.2465, 0.0432}}},
      {"two classes, 80 %",
       {.network = mesh(16, {2, 2}), .kinds = two, .load = load_of("0.49907"), .buffer_flits = 4},
       {{0, 0, 6.4318, 0.0067}, {1, 0, 21.5237, 0.1272}}},
      {"two classes, replies",
       {.network = mesh(16, {2, 2}),
        .kinds = request_and_reply(false),
        .load = load_of("0.31414"),
        .buffer_flits = 4},
       {{0, 0, 5.5592, 0.0094}, {1, 0, 13.2509, 0.0486}}},
      {"two classes, replies, 80 %",
       {.network = mesh(16, {2, 2}),
        .kinds = request_and_reply(false),
        .load = load_of("0.50262"),
        .buffer_flits = 4},
       {{0, 0, 6.4630, 0.0107}, {1, 0, 21.8822, 0.1907}}},
      {"to and from memory controllers",
       {.network = mesh(16, {2, 2}), .kinds = memory, .load = load_of("0.1395"), .buffer_flits = 4},
       {{0, 0, 5.5078, 0.0132}, {1, 0, 12.5251, 0.0623}}},
      {"to and from memory controllers in one virtual network, 80 %",
       {.network = mesh(16, {4}), .kinds = together, .load = load_of("0.22163"), .buffer_flits = 4},
       {{0, 0, 8.2921, 0.0566}, {1, 0, 21.0541, 0.2511}}},
      {"replies of memory controllers",
       {.network = mesh(16, {2, 2}),
        .kinds = request_and_reply(true),
        .load = load_of("0.15"),
        .buffer_flits = 4},
       {}},
      {"three classes with router delays",
       {.network = mesh(16, {4, 4, 4}),
        .kinds = three,
        .load = load_of("0.31192"),
        .buffer_flits = 4,
        .timing = delayed},
       {{0, 1, 9.4528, 0.0167}, {1, 1, 10.0852, 0.0394}, {1, 5, 16.8586, 0.0558}, {2, 5, 18.3422, 0.0685}}},
  };
  for (const Cell& cell : cells) {
    const WormEstimates found =
        simulated(cell.model, cell.model.network->layout().nodes == 64 ? 30'000 : 100'000, 0.95);
    CHECK(found.stability.stable);
    REQUIRE(found.by_class.size() == cell.model.kinds.size());
    if (cell.rows.empty()) {  // the mean over all messages
      CAPTURE(cell.what, found.latency->value);
      CHECK(std::abs(found.latency->value - 9.281) <
            1.25 * std::hypot(0.017, found.latency->upper - found.latency->value));
    }
    for (const Row& row : cell.rows) {
      const WormClassEstimates& its = found.by_class[row.kind];
      const WormPartEstimates* part = &its.found;
      for (const WormLengthEstimates& length : its.by_length)
        if (length.flits == row.flits) part = &length.found;
      const double half = part->latency->upper - part->latency->value;
      CAPTURE(cell.what, row.kind, row.flits, row.latency, row.half, part->latency->value, half);
      // The intervals together, wide enough that one in 70 rows fails by chance.
      CHECK(std::abs(part->latency->value - row.latency) < 1.25 * std::hypot(row.half, half));
      // The means of the intervals are known to 1 %.
      CHECK(half < 0.015 * part->latency->value);
    }
  }
}

TEST_CASE("wormhole simulation: mixed lengths between two nodes match the exact wait of a queue") {
  // As with one length: W = a E[S^2] / (2 (1 - rho)); a length l takes W + l + 2 cycles.
  for (const WormArrivals arrivals : {WormArrivals::poisson, WormArrivals::bernoulli})
    for (const bool as_classes : {false, true}) {
      WormModel model{.network = network::worm_network({.nodes = 2, .dimensions = 1}, 1),
                      .kinds = {kind("", 100, "1:75%,20:25%", 0)},
                      .load = load_of("0.6"),
                      .arrivals = arrivals};
      if (as_classes) model.kinds = {kind("short", 75, "1", 0), kind("long", 25, "20", 0)};
      CAPTURE(describe(model));
      const double mean = 5.75, square = 0.75 + 100, rho = 0.6;
      const WormEstimates found = simulated(model, 400'000, sure, {0.001, 0.9});
      if (arrivals == WormArrivals::poisson) {
        const double wait = rho / mean * square / (2 * (1 - rho));
        CHECK(test::holds(*found.latency, wait + mean + 2));
        CHECK(test::holds(*found.source_wait, wait));
      } else if (!as_classes) {
        CHECK(test::holds(*found.source_wait, (rho / mean * square - rho) / (2 * (1 - rho))));
      } else {
        // Both classes may send in one cycle, independently; then the second of two waits.
        const double p = 0.75 * rho / mean, q = 0.25 * rho / mean;
        const double work = p * 1 + q * 400 - p * p * 1 - q * q * 400;         // Var of the work of a cycle
        const double unfinished = (work + rho * rho - rho) / (2 * (1 - rho));  // at the start of a cycle
        const double behind = p * q * (1 + 20) / 2 / (p + q);
        CHECK(test::holds(*found.source_wait, unfinished + behind));
      }
      std::vector<std::pair<std::int64_t, WormPartEstimates>> lengths;
      for (const WormClassEstimates& its : found.by_class)
        for (const WormLengthEstimates& length : its.by_length)
          lengths.emplace_back(length.flits, length.found);
      REQUIRE(lengths.size() == 2);
      std::uint64_t messages = 0;
      double throughput = 0;
      for (const auto& [flits, its] : lengths) {
        CHECK(its.latency->value - its.source_wait->value == Approx(static_cast<double>(flits + 2)));
        CHECK(test::holds(*found.source_wait, its.source_wait->value) == true);
        REQUIRE(its.percentiles.size() == 2);
        CHECK(its.percentiles[0].latency->value == static_cast<double>(flits + 2));
        messages += its.messages;
        throughput += its.throughput.value;
      }
      CHECK(messages == found.messages);
      CHECK(throughput == Approx(found.throughput.value));
    }
}

TEST_CASE("wormhole simulation: kinds, lengths and flows are drawn by their shares") {
  std::vector<MessageKind> kinds{kind("a", 20, "1:3,5:2", 0), kind("b", 50, "2-9:1", 1),
                                 kind("c", 30, "7", 1)};
  kinds[0].traffic.flows = {{0, 5, 1.0 / 3}, {0, 6, 2.0 / 3}, {3, 1, 1.0}};
  for (const WormArrivals arrivals : {WormArrivals::poisson, WormArrivals::bernoulli}) {
    const WormModel model{
        .network = mesh(16, {1, 2}), .kinds = kinds, .load = load_of("0.3"), .arrivals = arrivals};
    WormMessages messages(model, {5, 0});
    const WormParts parts = parts_of(model);
    REQUIRE(parts.count() == 2 + 8 + 1);
    std::vector<double> of_part(parts.count()), of_flow(3);
    std::map<std::uint32_t, double> of_node;
    std::set<std::tuple<std::uint64_t, std::uint32_t, std::size_t>> sent;
    constexpr int count = 300'000;
    for (int i = 0; i < count; ++i, messages.pop()) {
      const WormMessage& message = messages.next();
      const std::size_t k = parts.kinds[message.tag];
      of_part[message.tag] += 1;
      REQUIRE(message.flits == parts.lengths[message.tag]);
      REQUIRE(message.variant == kinds[k].virtual_network);
      if (k == 0)
        of_flow[message.source == 3 ? 2 : message.destination == 5 ? 0 : 1] += 1;
      else
        of_node[message.source] += k == 2 ? 1 : 0;
      const bool first = sent.emplace(message.born, message.source, k).second;
      if (arrivals == WormArrivals::bernoulli) REQUIRE(first);  // at most one per cycle, node and class
    }
    const double cycles = static_cast<double>(messages.next().born);
    const double mean = numeric::nearest_double(network::mean_flits(kinds));
    const auto near = [](double found, double expected) {
      CAPTURE(found, expected);
      CHECK(std::abs(found - expected) < 4 * std::sqrt(expected));
    };
    near(count, 0.3 * 16 / mean * cycles);
    near(of_part[0], 0.2 * 0.6 * count);
    near(of_part[1], 0.2 * 0.4 * count);
    for (std::size_t i = 2; i < 10; ++i) near(of_part[i], 0.5 / 8 * count);
    near(of_part[10], 0.3 * count);
    near(of_flow[0], 0.2 / 6 * count);
    near(of_flow[1], 0.2 / 3 * count);
    near(of_flow[2], 0.2 / 2 * count);
    for (const auto& [node, its] : of_node) near(its, 0.3 / 16 * count);
  }
}

TEST_CASE("wormhole simulation: one kind of one length draws as without kinds") {
  // The same words: a list of one length in one of two virtual networks differs in nothing but the network.
  const WormModel one{.network = mesh(16, {2}), .kinds = {{.lengths = 5}}, .load = load_of("0.3")};
  WormModel listed = one;
  listed.kinds = {kind("", 100, "5:7", 0)};
  const auto first = make_worm_replication(one, {4, 0}), second = make_worm_replication(listed, {4, 0});
  first->advance(3000);
  second->advance(3000);
  const Counts counts = first->take_counts();
  CHECK(counts.size() == WormRows::count);
  test::require_equal(counts, second->take_counts());
}

TEST_CASE(
    "wormhole simulation: with classes and answers, cuts, saving and loading, and threads change nothing") {
  std::vector<MessageKind> chain = request_and_reply(true);
  chain[0].share = chain[1].share = Rational(1) / 3;
  chain.push_back(kind("data", 100, "1:2,3:1,9:1", 1));
  chain[2].share = Rational(1) / 3;
  chain[2].traffic = chain[0].traffic;
  chain[2].answers = 1;
  for (const WormArrivals arrivals : {WormArrivals::poisson, WormArrivals::bernoulli})
    for (const std::int64_t think : {0, 50}) {
      const WormModel model{.network = mesh(16, {1, 2}),
                            .kinds = chain,
                            .load = load_of("0.2"),
                            .arrivals = arrivals,
                            .buffer_flits = 2,
                            .think = think};
      const auto whole = make_worm_replication(model, {9, 1});
      whole->advance(2000);
      const auto cut = make_worm_replication(model, {9, 1});
      test::advance_in_parts(*cut, 2000);
      const Counts counts = whole->take_counts();
      CHECK(counts[WormRows::part(4)][0] > 20);
      test::require_equal(counts, cut->take_counts());
      const RunPlan plan{.seed = 2, .replications = 3, .warmup = 50, .slots = 600, .batches = 4};
      const RunResult one = run_worms(model, plan), two = run_worms(model, plan, {.threads = 2});
      REQUIRE(one.all().size() == 12);
      for (std::size_t i = 0; i < one.all().size(); ++i) test::require_equal(*one.all()[i], *two.all()[i]);
    }
}

TEST_CASE("wormhole simulation: each message of an answered class has one answer, with its ends exchanged") {
  for (const std::int64_t think : {0, 13}) {
    const WormModel model{.network = mesh(16, {2, 2}),
                          .kinds = request_and_reply(true),
                          .load = load_of("0.25"),
                          .buffer_flits = 4,
                          .think = think};
    const auto replication = make_worm_replication(model, {1, 0});
    std::multiset<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> expected;
    std::uint64_t requests = 0, replies = 0, strange = 0;
    replication->watch([&](const WormDelivery& delivery) {
      const WormMessage& message = delivery.message;
      if (message.tag == 0) {
        ++requests;
        expected.emplace(delivery.ended + static_cast<std::uint64_t>(think), message.destination,
                         message.source);
        return;
      }
      ++replies;
      const auto caused = expected.find({message.born, message.source, message.destination});
      if (caused == expected.end() || message.flits != 5)
        ++strange;
      else
        expected.erase(caused);
    });
    replication->advance(100'000);
    CHECK(strange == 0);
    CHECK(requests > 50'000);
    CHECK(expected.size() == requests - replies);
    CHECK(requests - replies < 500);  // in the network, at a source or not yet born
    CHECK(replication->engine().balance().conserved());
  }
}

TEST_CASE("wormhole simulation: the class that saturates is named") {
  WormModel model{.network = mesh(16, {2, 2}),
                  .kinds = request_and_reply(true),
                  .load = load_of("0.31"),
                  .buffer_flits = 4};
  const WormEstimates found = simulated(model, 30'000, 0.95);
  CHECK_FALSE(found.stability.stable);
  REQUIRE(found.stability.shortfall);
  CHECK(found.stability.shortfall->is_short);
  CHECK(found.stability.shortfall->classes == "reply");
  CHECK(found.stability.shortfall->name.find(", reply") != std::string::npos);
  // In one virtual network both wait in one queue.
  model.network = mesh(16, {4});
  model.kinds = request_and_reply(true, true);
  CHECK(simulated(model, 30'000, 0.95).stability.shortfall->classes == "request and reply");
  // Simulated independently: stable at 0.2780, not at 0.2800 (independent replies).
  model.network = mesh(16, {2, 2});
  model.kinds = request_and_reply(true);
  const SimulatedSaturation saturation =
      simulated_saturation(model, {.first_guess = 0.27, .precision = 0.03});
  CAPTURE(saturation.max_stable, saturation.min_unstable);
  CHECK(saturation.max_stable < 0.2884);
  CHECK(saturation.min_unstable > 0.2697);
}

TEST_CASE("wormhole simulation: long lists of lengths are counted by class only") {
  WormModel model{.network = mesh(16, {2, 2}),
                  .kinds = {kind("a", 50, "1-16:1", 0), kind("b", 50, "1-48:1", 1)},
                  .load = load_of("0.3")};
  CHECK(parts_of(model).count() == 64);
  model.kinds[1].lengths = MessageLengths::parse("1-49:1");
  CHECK(parts_of(model).count() == 2);
  const WormEstimates found = simulated(model, 2000, 0.95, {0.5});
  REQUIRE(found.by_class.size() == 2);
  CHECK(found.by_class[0].by_length.empty());
  CHECK(found.by_class[0].found.messages + found.by_class[1].found.messages == found.messages);
  model.kinds[1].lengths = MessageLengths::geometric(9);
  CHECK(parts_of(model).count() == 17);
  CHECK(simulated(model, 2000, 0.95).by_class[1].by_length.empty());
}

TEST_CASE("wormhole simulation: invalid classes are rejected") {
  const auto rejected = [](auto change) {
    WormModel model{.network = mesh(16, {1, 1}), .kinds = request_and_reply(true), .load = load_of("0.1")};
    CHECK_NOTHROW(make_worm_replication(model, {1, 0}));
    change(model);
    CHECK_THROWS_AS(make_worm_replication(model, {1, 0}), InvalidArgument);
  };
  rejected([](WormModel& model) { model.kinds.clear(); });
  rejected([](WormModel& model) { model.kinds.pop_back(); });  // shares
  rejected([](WormModel& model) { model.kinds[1].answers = 1; });
  rejected([](WormModel& model) { model.kinds[1].answers = 2; });
  rejected([](WormModel& model) { model.kinds[0].answers = 1; });  // a circle
  rejected([](WormModel& model) { model.kinds[1].virtual_network = 2; });
  rejected([](WormModel& model) { model.think = -1; });
  rejected([](WormModel& model) {
    model.kinds[0].share = Rational(1) / 3;
    model.kinds[1].share = Rational(2) / 3;
  });
  // 16 nodes send 1 flit in 1.33 cycles on average, the controllers 4 times as often.
  rejected([](WormModel& model) {
    model.kinds[1].answers.reset();
    model.kinds[1].lengths = 1;
    model.load = load_of("0.6");
    model.arrivals = WormArrivals::bernoulli;
  });
}

}  // namespace
}  // namespace tailbound::sim
