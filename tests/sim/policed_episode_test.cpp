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

/// A run of given times; results in the units of the network.
class Episode {
 public:
  explicit Episode(const PolicedNetwork& network)
      : network_(network), ticked_(sim::ticked(network)), episodes_(ticked_), peaks_(ticked_) {
    episodes_.watch([this](sim::Ticks at, std::size_t flow, std::size_t hop, sim::DataUnits) {
      arrivals[{flow, hop}].push_back(time(at));
    });
    plan.packets = 1'000'000;
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
    for (const std::size_t hop : {1, 2}) CHECK(episode.arrivals[{0, hop}] == Times{16, 216, 416});
  }
}

TEST_CASE("policed events: delays to each destination are attained") {
  // An AFDX network known from the literature, with another flow to both ends.
  PolicedNetwork network = ports_of_rate_1(9);
  const auto add = [&](std::vector<std::size_t> path) {
    network.flows.push_back(flow_of(std::move(path), 40, rational("1/100"), 40));
  };
  // e1, e2 -> S1 (0, 1); e3, e4, e5 -> S2 (2, 3, 4); S1, S2 -> S3 (5, 6); S3 -> e6, e7 (7, 8)
  for (const std::size_t port : {5, 6, 7, 8}) network.ports[port].latency = 16;
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
