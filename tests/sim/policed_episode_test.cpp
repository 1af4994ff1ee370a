#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/policed/policed_episode.hpp>
#include <tailbound/sim/policed/policed_events.hpp>

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <tests/support/rational.hpp>
#include <utility>
#include <vector>

using namespace tailbound;
using network::PolicedFlow;
using network::PolicedNetwork;
using network::PolicedPort;
using network::Scheduler;
using numeric::Rational;
using sim::EventSources;
using sim::simulate_events;
using tailbound::test::rational;

namespace {

PolicedNetwork ports_of_rate_1(int count) {
  PolicedNetwork network;
  network.classes = {"all"};
  for (int p = 0; p < count; ++p) network.ports.push_back({.name = "p" + std::to_string(p), .rate = 1});
  return network;
}

/// Packets of one length.
PolicedFlow flow_of(std::vector<std::size_t> path, const Rational& length, const Rational& rate,
                    const Rational& burst, std::size_t traffic_class = 0) {
  return {.path = std::move(path),
          .traffic_class = traffic_class,
          .buckets = {{rate, burst}},
          .longest = length,
          .shortest = length};
}

PolicedFlow periodic(std::vector<std::size_t> path, const Rational& length, const Rational& period,
                     const Rational& jitter, const std::string& clock = {}, const Rational& offset = 0) {
  PolicedFlow flow =
      flow_of(std::move(path), length, length / period, Rational(length * (1 + jitter / period)));
  flow.periodic = {.period = period, .jitter = jitter, .clock = clock};
  if (!clock.empty()) flow.periodic->offset = offset;
  return flow;
}

/// A run of given times; results in the units of the network.
class Episode {
 public:
  explicit Episode(const PolicedNetwork& network)
      : network_(network), ticked_(sim::ticked(network)), episodes_(ticked_), peaks_(ticked_) {
    episodes_.watch([this](sim::Ticks at, std::size_t flow, std::size_t hop, sim::DataUnits) {
      arrivals[{flow, hop}].push_back(time(at));
    });
    plan.packets = 1'000'000;
    plan.gate_phases.assign(network.ports.size(), 0);
    for (std::uint32_t f = 0; f < network.flows.size(); ++f)
      plan.flows.push_back({.start = 0, .rank = f, .runs = {{.packets = 1}}});
  }
  void run() {
    arrivals.clear();
    peaks_ = episodes_.run(plan);
  }
  [[nodiscard]] sim::Ticks ticks(const Rational& time) const {
    const Rational count = time / ticked_.tick;
    REQUIRE(numeric::denominator(count) == 1);
    return numeric::to_int64(numeric::numerator(count));
  }
  [[nodiscard]] Rational delay(std::size_t flow, std::size_t destination = 0) const {
    return time(peaks_.delay[ticked_.flows[flow].first_destination + destination]);
  }
  [[nodiscard]] Rational backlog(std::size_t queue) const {
    return time(peaks_.backlog[queue]) * network_.ports[ticked_.queues[queue].port].rate;
  }

  sim::EpisodePlan plan;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Rational>> arrivals{};  ///< [flow, hop]

 private:
  [[nodiscard]] Rational time(sim::Ticks ticks) const { return Rational(ticks) * ticked_.tick; }

  PolicedNetwork network_;
  sim::TickedNetwork ticked_;
  sim::PolicedEpisodes episodes_;
  sim::EpisodePeaks peaks_;
};

using Times = std::vector<Rational>;

/// A flow over port 0 to the ports 1 and 2, and behind 2 to 3; it ends at 1, 2 and 3. Another one at 2.
PolicedNetwork tree() {
  PolicedNetwork network = ports_of_rate_1(4);
  network.ports[0].wire = 1;
  network.flows = {flow_of({0, 2, 1, 3}, 10, rational("1/10"), 20), flow_of({2}, 5, rational("1/10"), 5)};
  network.flows[0].before = {0, 0, 0, 1};
  network.flows[0].destinations = {{"one", 2}, {"two", 1}, {"three", 3}};
  return network;
}

/// A port with gates in cycles of 100; packets of 10 in class 0 and of 20 in class 1.
PolicedNetwork gated(std::vector<network::GateEntry> gates) {
  PolicedNetwork network = ports_of_rate_1(1);
  network.classes = {"high", "low"};
  network.ports[0].scheduler = Scheduler::priority;
  network.ports[0].gates = std::move(gates);
  network.flows = {flow_of({0}, 10, rational("1/10"), 20), flow_of({0}, 20, rational("1/10"), 20, 1)};
  return network;
}
const std::vector<bool> none{false, false}, high{true, false}, low{false, true}, both{true, true};

/// Express packets of 84 bytes in class 0 and packets of `length` that can be cut in class 1, a byte per unit
/// of time. Sizes are in half bytes, so that there are times within a byte.
PolicedNetwork preempting(long length, int fragment) {
  PolicedNetwork network = ports_of_rate_1(1);
  network.classes = {"express", "rest"};
  network.byte = 2;
  network.ports[0].rate = 2;
  network.ports[0].scheduler = Scheduler::priority;
  network.ports[0].preemptable = {false, true};
  network.ports[0].fragment = fragment;
  network.flows = {flow_of({0}, 168, 1, 169), flow_of({0}, 2 * length, 1, 2 * length, 1)};
  return network;
}

/// Delays of one packet of each class that arrives at these times; at one time the lower class is first.
Times delays(const PolicedNetwork& network, const Rational& of_high, const Rational& of_low) {
  Episode episode(network);
  episode.plan.flows[0].start = episode.ticks(of_high);
  episode.plan.flows[1].start = episode.ticks(of_low);
  std::swap(episode.plan.flows[0].rank, episode.plan.flows[1].rank);
  episode.run();
  return {episode.delay(0), episode.delay(1)};
}

}  // namespace

TEST_CASE("policed episodes: a packet is sent once at each port and copied behind it") {
  Episode episode(tree());
  episode.plan.flows[0].runs.front().packets = 2;
  // The first packet is at port 2 at 11 and finds that of the other flow, which has just come.
  episode.plan.flows[1].start = episode.ticks(11);
  episode.plan.flows[1].rank = 0;
  episode.plan.flows[0].rank = 1;
  episode.run();
  CHECK(episode.arrivals[{0, 0}] == Times{0, 0});
  CHECK(episode.arrivals[{0, 1}] == Times{11, 21});
  CHECK(episode.arrivals[{0, 2}] == Times{11, 21});
  CHECK(episode.arrivals[{0, 3}] == Times{26, 36});
  CHECK(episode.backlog(0) == 20);
  CHECK(episode.backlog(1) == 10);
  CHECK(episode.delay(0, 0) == 31);
  CHECK(episode.delay(0, 1) == 36);
  CHECK(episode.delay(0, 2) == 46);
  CHECK(episode.delay(1) == 5);
}

TEST_CASE("policed episodes: a regulator holds a packet before it is copied") {
  PolicedNetwork network = tree();
  network.ports[0].reshaped = true;
  network.flows[0].buckets = {{rational("1/20"), 10}};
  network.flows.push_back(flow_of({0}, 5, rational("1/10"), 5));
  for (const bool per_flow : {true, false}) {
    Episode episode(network);
    episode.plan.regulator_per_flow = per_flow;
    episode.plan.flows[0].runs.front().packets = 3;
    // It delays the first packet at port 0 by 5, so that the second one would come too early behind it.
    episode.plan.flows[2].rank = 0;
    episode.plan.flows[0].rank = 2;
    episode.run();
    CHECK(episode.arrivals[{0, 0}] == Times{0, 200, 400});
    for (const std::size_t hop : {std::size_t{1}, std::size_t{2}})
      CHECK(episode.arrivals[{0, hop}] == Times{16, 216, 416});
  }
}

TEST_CASE("policed episodes: a packet begins if it ends before its gate closes") {
  PolicedNetwork network = gated({{10, high}, {90, low}});
  CHECK(delays(network, 0, 80) == Times{10, 20});
  CHECK(delays(network, 5, 85) == Times{105, 45});
  CHECK(delays(network, 100, 5) == Times{10, 25});
  // The next window is too short, the one after it is not.
  network = gated({{10, high}, {20, low}, {5, high}, {65, low}});
  CHECK(delays(network, 5, 15) == Times{105, 40});
  // Phases are those of the plan.
  Episode episode(gated({{10, high}, {90, low}}));
  episode.plan.gate_phases = {episode.ticks(30)};
  episode.run();
  CHECK(episode.delay(0) == 40);
  CHECK(episode.delay(1) == 20);
}

TEST_CASE("policed episodes: windows that touch are one, also over the end of the cycle") {
  const PolicedNetwork network = gated({{10, high}, {50, low}, {25, none}, {5, both}, {10, high}});
  CHECK(delays(network, 95, 60) == Times{10, 70});
  CHECK(delays(network, 205, 0) == Times{90, 30});
  const sim::TickedNetwork ticked = sim::ticked(network);
  CHECK(ticked.ports[0].gates[0].windows.size() == 1);
}

TEST_CASE("policed episodes: a class that does not fit lets lower ones send") {
  const PolicedNetwork network = gated({{60, both}, {40, low}});
  CHECK(delays(network, 50, 55) == Times{10, 25});
  CHECK(delays(network, 55, 55) == Times{55, 20});
  CHECK(delays(network, 55, 95) == Times{70, 20});
  // It is in transmission when the gate of the higher class opens.
  CHECK(delays(network, 95, 90) == Times{25, 20});
}

TEST_CASE("policed episodes: guards by the longest packet of a class, and none") {
  PolicedNetwork network = gated({{40, high}, {60, low}});
  network.ports[0].guard = network::Guard::fixed;
  network.ports[0].max_sdu = {20, 30};
  CHECK(delays(network, 20, 70) == Times{10, 20});
  CHECK(delays(network, 25, 75) == Times{85, 85});
  network.ports[0].guard = network::Guard::overrun;
  CHECK(delays(network, 35, 10) == Times{10, 55});
  CHECK(delays(network, 40, 95) == Times{85, 20});
  network.ports[0].guard = network::Guard::fixed;
  network.ports[0].max_sdu = {20, 10};
  CHECK_THROWS_AS(sim::ticked(network), InvalidArgument);
}

TEST_CASE("policed episodes: gates that never let a packet pass are rejected") {
  const auto check_rejected = [](PolicedNetwork network) {
    CHECK_THROWS_AS(sim::ticked(network), InvalidArgument);
  };
  CHECK_NOTHROW(sim::ticked(gated({{10, high}, {90, low}})));
  check_rejected(gated({{9, high}, {91, low}}));
  check_rejected(gated({{100, high}}));
  check_rejected(gated({{10, high}, {0, none}, {90, low}}));
  PolicedNetwork network = gated({{10, high}, {90, low}});
  network.ports[0].best_effort = 5;
  check_rejected(network);
  network = gated({{10, high}, {90, low}});
  network.ports[0].scheduler = Scheduler::fifo;
  check_rejected(network);
  network = gated({{10, high}, {90, {true}}});
  check_rejected(network);
}

TEST_CASE("policed episodes: a frame is cut when enough of it is sent and enough remains") {
  const auto one_of_each = [](long length, const Rational& express_at, int fragment = 64) {
    return delays(preempting(length, fragment), express_at, 0);
  };
  CHECK(one_of_each(143, 0) == Times{143 + 84, 143});
  CHECK(one_of_each(144, 0) == Times{84 + 84, 144 + 84 + 24});
  CHECK(one_of_each(207, 0, 128) == Times{207 + 84, 207});
  CHECK(one_of_each(208, 0, 128) == Times{148 + 84, 208 + 84 + 24});
  CHECK(one_of_each(335, 0, 256) == Times{335 + 84, 335});
  // Not less than 60 bytes behind the preamble, then at once, with check sum and gap.
  CHECK(one_of_each(1542, 0) == Times{84 + 84, 1650});
  CHECK(one_of_each(1542, 68) == Times{16 + 84, 1650});
  CHECK(one_of_each(1542, 500) == Times{16 + 84, 1650});
  CHECK(one_of_each(1542, rational("500.5")) == Times{rational("100.5"), 1650});
  CHECK(one_of_each(1542, 1466) == Times{16 + 84, 1650});
  CHECK(one_of_each(1542, 1467) == Times{75 + 84, 1542});
}

TEST_CASE("policed episodes: fragments of a packet") {
  PolicedNetwork network = preempting(1542, 64);
  network.flows.push_back(network.flows[0]);
  Episode episode(network);
  episode.plan.flows[0].start = 100 * episode.ticks(1);
  episode.plan.flows[2].start = 210 * episode.ticks(1);
  episode.run();
  // The second fragment begins at 200, and 60 bytes of it must be sent behind its preamble.
  CHECK(episode.delay(0) == 100);
  CHECK(episode.delay(2) == 284 + 84 - 210);
  CHECK(episode.delay(1) == 1542 + 2 * (84 + 24));
  // A packet behind it comes while the first express packet is sent, or the preamble of the next fragment: 92
  // bytes of the frame are sent, and 8 of its preamble.
  network.flows[1].buckets = {{1, 4 * 1542}};
  for (const auto& [at, sent] : {std::pair{50, 50}, {110, 100}, {150, 100}, {205, 100}, {209, 101}}) {
    network.flows[2] = network.flows[1];
    Episode behind(network);
    behind.plan.flows[0].start = 100 * behind.ticks(1);
    behind.plan.flows[2].start = at * behind.ticks(1);
    behind.run();
    CHECK(behind.backlog(1) == 2 * (2 * 1542 - sent));
  }
}

TEST_CASE("policed episodes: what was cut goes on before other preemptable packets") {
  PolicedNetwork network = preempting(1542, 64);
  network.classes.insert(network.classes.begin() + 1, "middle");
  network.ports[0].preemptable.push_back(true);
  network.flows[1].traffic_class = 2;
  network.flows.push_back(flow_of({0}, 400, 1, 400, 1));
  Episode episode(network);
  episode.plan.flows[0].start = 100 * episode.ticks(1);
  episode.plan.flows[2].start = 110 * episode.ticks(1);
  episode.run();
  CHECK(episode.delay(1) == 1650);
  CHECK(episode.delay(2) == 1650 + 200 - 110);
  // The same with best effort, which has just begun: before express packets with what cannot be cut.
  network = preempting(84, 64);
  network.ports[0].best_effort = 2 * 1542;
  CHECK(delays(network, 0, 1000) == Times{143 + 84, 1542 + 84});
  CHECK(delays(network, 100, 0) == Times{16 + 84, 1542 + 24 + 2 * 84});
}

TEST_CASE("policed episodes: preemption that no device has is rejected") {
  const auto check_rejected = [](PolicedNetwork network) {
    CHECK_THROWS_AS(sim::ticked(network), InvalidArgument);
  };
  const PolicedNetwork network = preempting(1542, 64);
  CHECK_NOTHROW(sim::ticked(network));
  PolicedNetwork other = network;
  other.byte = 0;
  check_rejected(other);
  other = network;
  other.ports[0].preemptable = {true, false};
  check_rejected(other);
  other = network;
  other.ports[0].fragment = 100;
  check_rejected(other);
  other = network;
  other.ports[0].scheduler = Scheduler::fifo;
  check_rejected(other);
  other = network;
  other.ports[0].gates = {{10'000, both}};
  check_rejected(other);
}

TEST_CASE("policed episodes: a packet is sent on while it arrives") {
  // 1250 bytes at 100 Mbit/s, with one crossing packet each at three of four ports that cut through after 64
  // bytes; times in units of 80 ns.
  PolicedNetwork network = ports_of_rate_1(4);
  network.flows = {flow_of({0, 1, 2, 3}, 1250, rational("1/10"), 1250)};
  for (std::size_t p = 1; p < 4; ++p) {
    network.ports[p].cut_through = 64;
    network.flows.push_back(flow_of({p}, 1250, rational("1/10"), 1250));
  }
  Episode alone(network);
  for (std::size_t f = 1; f < 4; ++f) alone.plan.flows[f].start = 1'000'000;
  alone.run();
  CHECK(alone.delay(0) == 3 * 64 + 1250);
  for (std::size_t hop = 0; hop < 4; ++hop)
    CHECK(alone.arrivals[{0, hop}] == Times{Rational(64 * static_cast<long>(hop))});
  const auto seen = simulate_events(network, {.packets = 60'000, .flow = 0});
  CHECK(seen.flows[0].delay * rational("0.08") == rational("10384/25"));
  CHECK(seen.flows[1].delay == 2500);
  CHECK(seen.queues[1].backlog == 2500);
  // Packets shorter than the header, and a slower link behind.
  network.flows[0].longest = network.flows[0].shortest = 50;
  network.ports[3].rate = rational("1/2");
  Episode slower(network);
  slower.plan.flows = alone.plan.flows;
  slower.run();
  CHECK(slower.delay(0) == 3 * 50 + 100);
}

TEST_CASE("policed episodes: copies to ports that cut through and to others") {
  PolicedNetwork network = tree();
  network.ports[1].cut_through = 3;
  Episode episode(network);
  episode.run();
  CHECK(episode.arrivals[{0, 1}] == Times{11});
  CHECK(episode.arrivals[{0, 2}] == Times{4});
  CHECK(episode.delay(0, 0) == 14);
  CHECK(episode.delay(0, 1) == 21);
  CHECK(episode.delay(0, 2) == 31);
}

TEST_CASE("policed episodes: a packet that must wait is stored") {
  // The header is ready at 3, the last bit at port 1 at 12.
  PolicedNetwork network = ports_of_rate_1(2);
  network.ports[1].cut_through = 2;
  network.flows = {flow_of({0, 1}, 12, rational("1/10"), 24), flow_of({1}, 4, rational("1/10"), 4)};
  network.ports[1].latency = 1;
  Episode episode(network);
  const auto delay = [&](const Rational& crossing, bool stores) {
    episode.plan.stores_waiting = stores;
    episode.plan.flows[1].start = episode.ticks(crossing);
    episode.run();
    return episode.delay(0);
  };
  CHECK(delay(1, false) == 6 + 12);
  CHECK(delay(1, true) == 12 + 12);
  CHECK(delay(3, true) == 3 + 12);
  // The second packet does not overtake.
  episode.plan.flows[0].runs.front().packets = 2;
  CHECK(delay(1, true) == 24 + 12);
  const auto seen = simulate_events(network, {.packets = 2'000, .flow = 0, .stores_waiting = true});
  CHECK(seen.flows[0].delay > simulate_events(network, {.packets = 2'000, .flow = 0}).flows[0].delay);
}

TEST_CASE("policed episodes: cut-through from a link that may pause or be too slow is rejected") {
  PolicedNetwork network = ports_of_rate_1(2);
  network.classes = {"high", "low"};
  network.byte = 1;
  network.ports[0].scheduler = Scheduler::priority;
  network.ports[1].cut_through = 2;
  network.flows = {flow_of({0, 1}, 12, rational("1/10"), 24)};
  CHECK_NOTHROW(sim::ticked(network));
  const auto check_rejected = [&](const auto& change) {
    PolicedNetwork other = network;
    change(other);
    CHECK_THROWS_AS(sim::ticked(other), InvalidArgument);
  };
  check_rejected([](PolicedNetwork& other) { other.ports[1].rate = 2; });
  check_rejected([](PolicedNetwork& other) { other.ports[0].gates = {{50, high}, {50, low}}; });
  check_rejected([](PolicedNetwork& other) { other.ports[0].preemptable = {false, true}; });
  check_rejected([](PolicedNetwork& other) { other.ports[0].reshaped = true; });
  check_rejected([](PolicedNetwork& other) { other.ports[1].cut_through = 0; });
}

TEST_CASE("policed episodes: periodic flows send each packet when it is due, or late by their jitter") {
  PolicedNetwork network = ports_of_rate_1(1);
  network.flows = {periodic({0}, 10, 100, 250), periodic({0}, 10, 100, 0)};
  Episode episode(network);
  for (sim::FlowPlan& flow : episode.plan.flows) {
    flow.start = episode.ticks(1000);
    flow.runs = {{.wait = episode.ticks(5000), .packets = 6}};
  }
  // Those due at 750, 850 and 950 come with the start.
  episode.run();
  CHECK(episode.arrivals[{0, 0}] == Times{1000, 1000, 1000, 1050, 1150, 1250});
  CHECK(episode.arrivals[{1, 0}] == Times{1000, 1100, 1200, 1300, 1400, 1500});
  episode.plan.flows[0].jitter = sim::Chance::never;
  episode.run();
  CHECK(episode.arrivals[{0, 0}] == episode.arrivals[{1, 0}]);
  episode.plan.flows[0].jitter = sim::Chance::random;
  episode.plan.flows[0].runs = {{.packets = 500}};
  episode.run();
  const Times& late = episode.arrivals[{0, 0}];
  REQUIRE(late.size() == 500);
  bool far = false;
  for (long n = 0; n < 500; ++n) {
    const Rational by = late[static_cast<std::size_t>(n)] - (750 + 100 * n);
    CHECK(by >= 0);
    CHECK(by <= 250);
    far = far || by > 200;
  }
  CHECK(far);
}

TEST_CASE("policed episodes: flows of one clock keep their offsets") {
  PolicedNetwork network = ports_of_rate_1(1);
  network.flows = {periodic({0}, 10, 100, 0, "plc", 0), periodic({0}, 10, 300, 0, "plc", 250),
                   periodic({0}, 10, 100, 30, "plc", 20)};
  Episode episode(network);
  episode.plan.clock_phases = {episode.ticks(-995)};
  for (sim::FlowPlan& flow : episode.plan.flows) flow.runs = {{.packets = 3}};
  episode.plan.flows[2].start = episode.ticks(50);
  episode.run();
  CHECK(episode.arrivals[{0, 0}] == Times{5, 105, 205});
  CHECK(episode.arrivals[{1, 0}] == Times{155, 455, 755});
  // Due at 25, and late.
  CHECK(episode.arrivals[{2, 0}] == Times{50, 125, 225});
  CHECK(sim::ticked(network).clocks == std::vector<sim::Ticks>{episode.ticks(300)});
}

TEST_CASE("policed events: offsets of one clock keep flows apart, and a search knows it") {
  PolicedNetwork network = ports_of_rate_1(3);
  for (int i = 0; i < 4; ++i) network.flows.push_back(periodic({0, 1}, 125, 1000, 0, "plc", 250 * i));
  network.flows.push_back(periodic({2, 1}, 125, 1000, 0));
  for (const EventSources sources : {EventSources::search, EventSources::random, EventSources::periodic}) {
    const auto seen = simulate_events(network, {.sources = sources, .packets = 10'000});
    CHECK(seen.flows[0].delay <= 375);
    CHECK(seen.queues[0].backlog == 125);
    if (sources == EventSources::search) CHECK(seen.flows[0].delay == 375);
  }
  // A phase of its own for each.
  for (PolicedFlow& flow : network.flows) flow.periodic->clock.clear(), flow.periodic->offset.reset();
  const auto seen = simulate_events(network, {.packets = 10'000});
  CHECK(seen.flows[0].delay == 750);
  CHECK(seen.queues[0].backlog == 500);
}

TEST_CASE("policed episodes: periodic flows that cannot be are rejected") {
  const auto check_rejected = [](const PolicedFlow& flow) {
    PolicedNetwork network = ports_of_rate_1(1);
    network.flows = {flow};
    CHECK_THROWS_AS(sim::ticked(network), InvalidArgument);
  };
  PolicedFlow flow = periodic({0}, 10, 100, 0);
  flow.shortest = 5;
  check_rejected(flow);
  flow = periodic({0}, 10, 100, 0);
  flow.periodic->offset = 3;
  check_rejected(flow);
  flow = periodic({0}, 10, 100, 0);
  flow.periodic->jitter = -1;
  check_rejected(flow);
}

TEST_CASE("policed events: delays to each destination are attained") {
  // An AFDX network known from the literature, with another flow to both ends.
  PolicedNetwork network = ports_of_rate_1(9);
  const auto add = [&](std::vector<std::size_t> path) {
    network.flows.push_back(flow_of(std::move(path), 40, rational("1/100"), 40));
  };
  // e1, e2 -> S1 (0, 1); e3, e4, e5 -> S2 (2, 3, 4); S1, S2 -> S3 (5, 6); S3 -> e6, e7 (7, 8)
  for (std::size_t port = 5; port < 9; ++port) network.ports[port].latency = 16;
  add({0, 5, 7});
  add({1, 5, 7});
  add({2, 6, 7});
  add({3, 6, 8});
  add({4, 6, 7});
  add({0, 5, 7, 8});
  network.flows[5].before = {0, 0, 1, 1};
  network.flows[5].destinations = {{"e6", 2}, {"e7", 3}};
  const auto seen = simulate_events(network, {.packets = 60'000});
  const Times e6_or_e7{312, 272, 312, 272, 312, 312};
  for (std::size_t f = 0; f < 6; ++f) CHECK(seen.flows[f].delay == e6_or_e7[f]);
  CHECK(seen.flows[5].delays == Times{312, 272});
  CHECK(seen.queues[0].backlog == 80);
}

TEST_CASE("policed events: a search over the phases of gates comes near the worst case") {
  const auto seen_of = [](const PolicedNetwork& network, std::uint64_t packets) {
    return simulate_events(network, {.packets = packets, .seed = 2});
  };
  const auto near = [](const Rational& seen, const Rational& supremum) {
    CHECK(seen < supremum);
    CHECK(seen >= supremum - 1);
  };
  // A window for one packet, the rest for a class with packets up to 30.
  PolicedNetwork network = gated({{10, high}, {90, low}});
  network.flows = {flow_of({0}, 10, rational("1/10"), 10), flow_of({0}, 30, rational("1/5"), 60, 1)};
  network.flows[1].shortest = 1;
  auto seen = seen_of(network, 60'000);
  near(seen.flows[0].delay, 110);
  near(seen.flows[1].delay, 100);
  near(seen.queues[1].backlog, 68);
  // Three packets of three flows.
  network.ports[0].gates = {{30, high}, {70, low}};
  network.flows.insert(network.flows.begin(), 2, network.flows.front());
  seen = seen_of(network, 60'000);
  near(seen.flows[0].delay, 110);
  near(seen.queues[0].backlog, 40);
  CHECK(seen.flows[3].delay >= 119);
  // Four packets of 1250 bytes at 1 Gbit/s, the rest for best effort.
  network.ports[0].rate = 125;
  network.ports[0].gates = {{50, high}, {450, low}};
  network.flows.assign(4, flow_of({0}, 1250, rational("5/2"), 1250));
  for (int i = 0; i < 10; ++i) {
    network.flows.push_back(flow_of({0}, 1542, 1, 1542, 1));
    network.flows.back().shortest = 84;
  }
  seen = seen_of(network, 30'000);
  near(seen.flows[0].delay, 500);
  near(seen.flows[4].delay, rational("23212/125"));
  CHECK(seen.queues[1].backlog >= 15'420);
}

TEST_CASE("policed events: a search attains the bounds of preemption") {
  for (const int fragment : {64, 128}) {
    PolicedNetwork network = preempting(1542, fragment);
    network.flows[0].buckets = {{rational("168/5000"), 168}};
    network.flows[1].buckets = {{rational("3084/5000"), 3084}};
    network.flows[1].shortest = 168;
    const auto seen = simulate_events(network, {.packets = 20'000});
    CHECK(seen.flows[0].delay == fragment + 79 + 84);
    CHECK(seen.flows[1].delay == 1542 + 84 + 24);
  }
}

TEST_CASE("policed events: a lower class that is offered too much leaves the higher one its worst case") {
  PolicedNetwork network = ports_of_rate_1(1);
  network.classes = {"high", "low"};
  network.ports[0].scheduler = Scheduler::priority;
  network.flows = {flow_of({0}, 10, rational("1/2"), 20), flow_of({0}, 15, rational("3/4"), 30, 1)};
  for (const EventSources sources : {EventSources::search, EventSources::greedy, EventSources::periodic,
                                     EventSources::random, EventSources::together}) {
    const auto seen = simulate_events(network, {.sources = sources, .packets = 4'000});
    CHECK(seen.runs > 0);
    CHECK(seen.flows[0].delay <= 35);
    if (sources == EventSources::search || sources == EventSources::greedy) CHECK(seen.flows[0].delay == 35);
  }
  // Both send what they may: the lower class is a quarter of the rate behind.
  Episode episode(network);
  for (sim::FlowPlan& flow : episode.plan.flows) flow.runs.front().packets = sim::PacketRun::endless;
  for (const long packets : {100, 1'000}) {
    episode.plan.packets = static_cast<std::uint64_t>(packets);
    episode.run();
    CHECK(episode.delay(0) <= 35);
    CHECK(episode.delay(1) > packets);
  }
}
