#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <tests/support/rational.hpp>
#include <utility>
#include <vector>

using namespace tailbound;
using bounds::ArrivalCurve;
using bounds::guarantee;
using bounds::GuaranteeMethod;
using bounds::GuaranteeRules;
using bounds::NetworkGuarantee;
using bounds::ServiceCurve;
using network::PolicedFlow;
using network::PolicedNetwork;
using network::PolicedPort;
using network::Scheduler;
using numeric::Rational;
using tailbound::test::ratio;
using tailbound::test::rational;

namespace {

using Paths = std::vector<std::vector<std::size_t>>;

/// Servers of one rate and latency, fluid flows of one bucket: as in the tests of other tools.
PolicedNetwork fluid(std::size_t servers, const char* rate, const char* latency, const Paths& paths) {
  PolicedNetwork network;
  for (std::size_t s = 0; s < servers; ++s)
    network.ports.push_back(
        {.name = "s" + std::to_string(s), .rate = rational(rate), .latency = rational(latency)});
  for (const auto& path : paths)
    network.flows.push_back({.name = "f" + std::to_string(network.flows.size()),
                             .path = path,
                             .buckets = {{5, 25}},
                             .longest = 0,
                             .shortest = 0});
  network.classes = {"all"};
  return network;
}

std::string delays(const PolicedNetwork& network, GuaranteeMethod method,
                   const GuaranteeRules& rules = {.lines = false, .whole_packets = false}) {
  std::string all;
  for (const auto& flow : guarantee(network, rules).flows)
    all += (all.empty() ? "" : " ") + numeric::to_fraction(*flow.delay(method));
  return all;
}
std::string by_tfa(const PolicedNetwork& network) {
  return delays(network, GuaranteeMethod::tfa);
}
std::string by_sfa(const PolicedNetwork& network) {
  return delays(network, GuaranteeMethod::sfa);
}

/// One flow begins at each port of a ring and crosses `hops` ports; packets and slots.
PolicedNetwork ring(std::size_t ports, std::size_t hops, const Rational& load) {
  PolicedNetwork network;
  network.classes = {"all"};
  for (std::size_t p = 0; p < ports; ++p) {
    network.ports.push_back({.name = "p" + std::to_string(p), .rate = 1});
    PolicedFlow flow{.name = "f" + std::to_string(p),
                     .buckets = {{load / Rational(static_cast<long>(hops)), 1}}};
    for (std::size_t h = 0; h < hops; ++h) flow.path.push_back((p + h) % ports);
    network.flows.push_back(std::move(flow));
  }
  return network;
}

/// A flow through all ports of a line, crossed by others of two ports each.
PolicedNetwork crossed_line(std::size_t ports, const Rational& load) {
  PolicedNetwork network;
  network.classes = {"all"};
  const auto add = [&](std::size_t first, std::size_t last) {
    PolicedFlow flow{.name = "f" + std::to_string(network.flows.size()),
                     .buckets = {{load / 3, 1}},
                     .longest = 0,
                     .shortest = 0};
    for (std::size_t p = first; p <= last; ++p) flow.path.push_back(p);
    network.flows.push_back(std::move(flow));
  };
  for (std::size_t p = 0; p < ports; ++p)
    network.ports.push_back({.name = "p" + std::to_string(p), .rate = 1});
  add(0, ports - 1);
  add(0, 0);
  for (std::size_t p = 0; p < ports; ++p) add(p, std::min(p + 1, ports - 1));
  return network;
}

}  // namespace

TEST_CASE("guarantees of one server") {
  const PolicedNetwork one = fluid(1, "10", "10", {{0}});
  CHECK(by_tfa(one) == "25/2");
  CHECK(guarantee(one).queues[0].backlog == 75);
  PolicedNetwork two = fluid(1, "10", "10", {{0}, {0}});
  CHECK(by_tfa(two) == "15 15");
  CHECK(guarantee(two).queues[0].backlog == 150);
  CHECK(by_sfa(two) == "35/2 35/2");
  two.flows[0].buckets = {{4, 10}};
  CHECK(by_tfa(two) == "27/2 27/2");
  CHECK(by_sfa(two) == "29/2 91/6");
}

TEST_CASE("guarantees of tandems, as fractions") {
  const PolicedNetwork one_flow = fluid(2, "10", "10", {{0, 1}});
  CHECK(by_tfa(one_flow) == "30");
  CHECK(by_sfa(one_flow) == "45/2");
  PolicedNetwork unlike = one_flow;
  unlike.ports[1].rate = 6;
  unlike.ports[1].latency = 6;
  CHECK(by_tfa(unlike) == "31");
  CHECK(by_sfa(unlike) == "121/6");
  CHECK(by_tfa(fluid(2, "10", "10", {{0, 1}, {0, 1}})) == "40 40");
  const PolicedNetwork two_paths = fluid(2, "20", "20", {{0, 1}, {1}});
  CHECK(by_tfa(two_paths) == "195/4 55/2");
  CHECK(by_sfa(two_paths) == "515/12 335/12");
  const PolicedNetwork three = fluid(3, "20", "20", {{0, 1}, {2}, {0, 1, 2}});
  CHECK(by_tfa(three) == "55 2205/64 5725/64");
  CHECK(by_sfa(three) == "2375/48 6695/192 3395/48");
  const PolicedNetwork four = fluid(4, "20", "20", {{0, 1, 2, 3}, {1, 2}});
  CHECK(by_tfa(four) == "7985/64 65");
  CHECK(by_sfa(four) == "4355/48 2855/48");
}

TEST_CASE("guarantees of feed-forward networks, as fractions") {
  const PolicedNetwork three = fluid(3, "20", "20", {{0, 2}, {0, 1, 2}});
  CHECK(by_tfa(three) == "485/8 1395/16");
  CHECK(by_sfa(three) == "2615/48 3335/48");
  const PolicedNetwork four = fluid(4, "20", "20", {{0, 1, 3}, {2, 3}, {2, 1}});
  CHECK(by_tfa(four) == "5985/64 3965/64 885/16");
  CHECK(by_sfa(four) == "1795/24 10715/192 295/6");
  const PolicedNetwork more = fluid(4, "20", "20", {{0, 1, 3}, {2, 3}, {2, 1}, {2, 0, 3}});
  CHECK(by_tfa(more) == "3735/32 155/2 1875/32 845/8");
  CHECK(by_sfa(more) == "1525/16 575/8 1695/32 1405/16");
}

TEST_CASE("lines, groups and residuals make guarantees smaller") {
  const Rational load = ratio(4, 5);
  const auto first = [](const PolicedNetwork& network, GuaranteeMethod method, const GuaranteeRules& rules) {
    return numeric::nearest_double(guarantee(network, rules).flows[0].delay(method).value());
  };
  const GuaranteeRules plain{.lines = false, .residuals = false, .whole_packets = false};
  const GuaranteeRules hulls{.whole_packets = false};
  struct Row {
    std::size_t ports;
    double tfa, sfa, tfa_plus;
  };
  for (const Row& row : {Row{2, 7.600, 7.791, 5.448}, Row{4, 22.215, 15.794, 12.040},
                         Row{6, 48.242, 24.729, 20.717}, Row{10, 176.773, 46.182, 46.738}}) {
    CAPTURE(row.ports);
    const PolicedNetwork line = crossed_line(row.ports, load);
    CHECK(first(line, GuaranteeMethod::tfa, plain) == Approx(row.tfa).margin(6e-4));
    CHECK(first(line, GuaranteeMethod::sfa, hulls) == Approx(row.sfa).margin(6e-4));
    CHECK(first(line, GuaranteeMethod::tfa, hulls) == Approx(row.tfa_plus).margin(6e-4));
  }
}

TEST_CASE("a ring has a guarantee if consistent delays exist") {
  const auto delay = [](std::size_t hops, const Rational& load, bool lines) {
    const NetworkGuarantee found =
        guarantee(ring(hops + 2, hops, load), {.lines = lines, .whole_packets = false});
    CHECK(found.cyclic.size() == hops + 2);
    return numeric::to_fraction(found.queues[0].delay);
  };
  CHECK(delay(4, ratio(1, 2), true) == "45/17");
  CHECK(delay(4, ratio(3, 5), true) == "253/83");
  CHECK(delay(4, ratio(4, 5), true) == "6");
  CHECK(delay(8, ratio(1, 4), true) == "441/193");
  CHECK(delay(8, ratio(1, 2), true) == "89/29");
  CHECK(delay(4, ratio(1, 2), false) == "13");
  CHECK(delay(4, ratio(3, 5), false) == "31");
  CHECK(delay(8, ratio(1, 4), false) == "57");
  CHECK_THROWS_WITH(guarantee(ring(6, 4, ratio(4, 5)), {.lines = false}),
                    Catch::Contains("no bound by this analysis") && Catch::Contains("reshape"));
  CHECK_THROWS_WITH(guarantee(ring(6, 4, ratio(92, 100))), Catch::Contains("no bound by this analysis"));
  CHECK(guarantee(ring(6, 4, ratio(91, 100))).rounds > 10);
  PolicedNetwork reshaped = ring(6, 4, ratio(99, 100));
  for (PolicedPort& port : reshaped.ports) port.reshaped = true;
  const NetworkGuarantee open = guarantee(reshaped);
  CHECK(open.cyclic.empty());
  CHECK(numeric::to_fraction(open.queues[0].delay) == "4");
}

TEST_CASE("guarantees of classes: priority, deficit round robin, credits") {
  PolicedNetwork port;
  port.classes = {"first", "second", "third"};
  port.ports.push_back({.name = "p", .rate = 1, .scheduler = Scheduler::priority});
  const auto add = [&](std::size_t its, const char* rate, long burst, long packet) {
    port.flows.push_back({.name = "f" + std::to_string(its),
                          .path = {0},
                          .traffic_class = its,
                          .buckets = {{rational(rate), burst}},
                          .longest = packet,
                          .shortest = packet});
  };
  add(0, "1/5", 30, 10);
  add(1, "1/5", 40, 20);
  add(2, "1/10", 100, 25);
  const NetworkGuarantee classes = guarantee(port);
  CHECK(numeric::to_fraction(classes.queues[0].backlog) == "30");
  CHECK(numeric::to_fraction(classes.queues[1].backlog) == "40");
  CHECK(numeric::to_fraction(classes.queues[2].backlog) == "100");
  const auto whole = [](const bounds::QueueGuarantee& queue) {
    return numeric::to_fraction(*horizontal_distance(queue.arrivals, queue.service));
  };
  CHECK(whole(classes.queues[0]) == "55");
  CHECK(whole(classes.queues[1]) == "475/4");
  CHECK(whole(classes.queues[2]) == "850/3");

  PolicedNetwork turns = port;
  turns.ports[0].scheduler = Scheduler::drr;
  turns.ports[0].quanta = {30, 20, 50};
  const NetworkGuarantee fair = guarantee(turns);
  CHECK(numeric::to_fraction(fair.queues[0].service.latency()) == "415/3");
  CHECK(whole(fair.queues[0]) == "715/3");
  turns.ports[0].quanta[2] = 24;
  CHECK_THROWS_WITH(guarantee(turns), Catch::Contains("the quantum of class third at p is 24") &&
                                          Catch::Contains("at least 25"));

  PolicedPort& shaped = port.ports[0];
  shaped = {.name = "p", .rate = 1, .scheduler = Scheduler::cbs, .idle_slopes = {ratio(2, 5), ratio(3, 10)}};
  shaped.best_effort = 30;
  CHECK_THROWS_WITH(guarantee(port), Catch::Contains("of class third at p"));
  port.flows.clear();
  add(0, "1/5", 20, 10);
  add(1, "1/5", 30, 15);
  const NetworkGuarantee credits = guarantee(port);
  CHECK(numeric::to_fraction(credits.queues[0].service.latency()) == "30");
  CHECK(numeric::to_fraction(credits.queues[1].service.latency()) == "60");
  CHECK(whole(credits.queues[0]) == "80");
  CHECK(whole(credits.queues[1]) == "160");
  port.ports[0].idle_slopes[1] = ratio(3, 5);
  CHECK_THROWS_WITH(guarantee(port),
                    Catch::Contains("the idle slopes of p") && Catch::Contains("below the rate"));
}

TEST_CASE("flows over an overloaded port have no bound, with its load as the reason") {
  const NetworkGuarantee found = guarantee(crossed_line(3, ratio(11, 10)));
  for (const auto& flow : found.flows) CHECK_FALSE(flow.delay(GuaranteeMethod::best));
  CHECK_THAT(found.flows[0].routes[0].none, Catch::Contains("is offered 110.0 % of its rate"));
}
