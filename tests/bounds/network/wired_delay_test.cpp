#include <tailbound/bounds/network/wired_delay.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace tailbound;
using bounds::RouteLaw;
using bounds::WiredDelay;
using numeric::Rational;

namespace {

network::Network network_of(const std::string& toml) {
  return network::read_network(toml, "test").network;
}

/// P(D > t) of a flow with one route.
RouteLaw law_of(WiredDelay& delays, std::size_t flow, double target = 1e-6) {
  REQUIRE(delays.routes(flow).size() == 1);
  const RouteLaw law = delays.law(delays.routes(flow).front(), target);
  CHECK(law.broken.empty());
  return law;
}

/// An in-tree of switches: all flows go to one host, so all traffic reaches the next switch over one link.
struct InTree {
  std::string toml;
  std::vector<double> rates;
};
InTree random_in_tree(std::mt19937_64& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const unsigned switches = 2 + below(3), hosts = 3 + below(3);
  InTree tree;
  std::string names, links, flows, switch_names;
  for (unsigned s = 0; s < switches; ++s) {
    switch_names += "'s" + std::to_string(s) + "', ";
    if (s > 0)
      links += "[[link]]\nfrom = 's" + std::to_string(s) + "'\nto = 's" + std::to_string(below(s)) + "'\n";
  }
  double left = 0.3 + 0.05 * below(11);
  for (unsigned h = 0; h < hosts; ++h) {
    const double rate = std::max(0.01, std::floor(100 * left / (hosts - h) * (0.5 + 0.1 * below(6))) / 100);
    left -= rate;
    tree.rates.push_back(rate);
    names += "'h" + std::to_string(h) + "', ";
    links += "[[link]]\nfrom = 'h" + std::to_string(h) + "'\nto = 's" +
             std::to_string(h < switches ? switches - 1 - h : below(switches)) + "'\n";
    flows += "[[flow]]\nfrom = 'h" + std::to_string(h) + "'\nto = 'd'\nrate = " + std::to_string(rate) + "\n";
  }
  tree.toml = "hosts = [" + names + "'d']\nswitches = [" + switch_names + "]\n" + links +
              "[[link]]\nfrom = 's0'\nto = 'd'\n" + flows;
  return tree;
}

}  // namespace

TEST_CASE("Wired delay: three flows on shortest paths match their whole chain") {
  WiredDelay delays(network_of(
      "hosts = ['h0', 'h1', 'h2', 'h3']\nswitches = ['s0', 's1', 's2']\n"
      "[[link]]\nfrom = 'h0'\nto = 's2'\nboth = true\n[[link]]\nfrom = ['h1', 'h3']\nto = 's1'\n"
      "[[link]]\nfrom = 'h2'\nto = 's0'\n[[link]]\nfrom = ['s0', 's1']\nto = 's2'\n"
      "[[flow]]\nfrom = 'h1'\nto = 'h0'\nrate = 0.2\n[[flow]]\nfrom = 'h2'\nto = 'h0'\nrate = 0.1\n"
      "[[flow]]\nfrom = 'h3'\nto = 'h0'\nrate = 0.4\n"));
  const RouteLaw first = law_of(delays, 0), second = law_of(delays, 1), third = law_of(delays, 2);
  CHECK(first.mean == Approx(227.0 / 300).epsilon(1e-3));
  CHECK(second.mean == Approx(17.0 / 30).epsilon(1e-3));
  CHECK(third.mean == Approx(97.0 / 150).epsilon(1e-3));
  CHECK(first.above(0) == Approx(17.0 / 36).epsilon(1e-3));
  CHECK(third.above(3) == Approx(0.020237496881).epsilon(1e-3));
  CHECK(second.above(3) == Approx(0.00680822092405).epsilon(6e-3));
}

TEST_CASE("Wired delay: delays in in-trees add up to the backlog of one queue of all sources") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 12; ++i) {
    const InTree tree = random_in_tree(random);
    WiredDelay delays(network_of(tree.toml));
    double sum = 0, squares = 0, load = 0;
    for (std::size_t flow = 0; flow < tree.rates.size(); ++flow) {
      sum += tree.rates[flow] * law_of(delays, flow).mean;
      load += tree.rates[flow];
      squares += tree.rates[flow] * tree.rates[flow];
    }
    INFO(tree.toml);
    CHECK(sum == Approx((load * load - squares) / 2 / (1 - load)).epsilon(0.02));
  }
}

TEST_CASE("Wired delay: a leaf-spine without waits at spines matches simulation") {
  WiredDelay delays(
      network_of("hosts = 'h[0..7]'\nswitches = 'leaf[0..3], spine[0..1]'\n"
                 "[[link]]\neach = 'i = 0..7'\nfrom = 'h[i]'\nto = 'leaf[i/2]'\nboth = true\n"
                 "[[link]]\neach = 'l = 0..3, s = 0..1'\nfrom = 'leaf[l]'\nto = 'spine[s]'\nboth = true\n"
                 "[traffic]\npermutation = 'shift'\nshift = 2\nrate = 0.6\nroute = 'spread'\n"));
  double mean = 0, above[3] = {0, 0, 0};
  for (const bounds::Route& route : delays.routes(0)) {
    const RouteLaw law = delays.law(route, 1e-6);
    CHECK(law.broken.empty());
    CHECK(law.hops == 3);
    mean += law.share * law.mean;
    for (const int t : {0, 1, 2}) above[t] += law.share * law.above(t);
  }
  // Simulated: 0.5110 +- 0.0015, 0.3918, 0.0937, 0.0201.
  CHECK(mean == Approx(0.511).epsilon(0.06));
  CHECK(above[0] == Approx(0.3918).epsilon(0.03));
  CHECK(above[1] == Approx(0.0937).epsilon(0.2));
  CHECK(above[2] == Approx(0.0201).epsilon(0.25));
}

TEST_CASE("Wired delay: flows through one queue have individual delays") {
  const std::string star =
      "hosts = ['a', 'b', 'd']\nswitches = ['s']\n[[link]]\nfrom = ['a', 'b']\nto = 's'\n[[link]]\nfrom = "
      "'s'\nto = 'd'\n"
      "[[flow]]\nfrom = 'a'\nto = 'd'\nrate = ";
  WiredDelay unequal(network_of(star + "0.9\n[[flow]]\nfrom = 'b'\nto = 'd'\nrate = 0.05\n"));
  CHECK(unequal.meets(0) == WiredDelay::Meets::one_unequal);
  // E V = 0.9 * 0.05 / (1 - 0.95), plus half of the other source's packets in the same slot.
  CHECK(law_of(unequal, 0).mean == Approx(0.9 + 0.025).epsilon(1e-3));
  CHECK(law_of(unequal, 1).mean == Approx(0.9 + 0.45).epsilon(1e-3));
  WiredDelay equal(network_of(star + "0.4\n[[flow]]\nfrom = 'b'\nto = 'd'\nrate = 0.4\n"));
  CHECK(equal.meets(0) == WiredDelay::Meets::one);
}

TEST_CASE("Wired delay: no routes through queues with bursts or several packets per slot") {
  const std::string line =
      "hosts = ['a', 'b', 'c', 'd']\nswitches = ['s', 't']\n[[link]]\nfrom = ['a', 'b', 'c']\nto = 's'\n"
      "[[link]]\nfrom = 's'\nto = 't'\n[[link]]\nfrom = 't'\nto = 'd'\n"
      "[[flow]]\nfrom = 'a'\nto = 'd'\nrate = 0.2\n[[flow]]\nfrom = 'b'\nto = 'd'\nrate = 0.2";
  WiredDelay bursts(network_of(line + "\nburst = 4\n"));
  CHECK(bursts.routes(0).empty());
  CHECK(bursts.meets(0) == WiredDelay::Meets::one_unequal);  // the other flow alone has bursts
  WiredDelay none(network_of(line + "\n"));
  CHECK(none.routes(0).size() == 1);
}

TEST_CASE("Wired delay: percentiles, levels and means match the distribution") {
  const InTree tree = [] {
    std::mt19937_64 random(7);
    return random_in_tree(random);
  }();
  WiredDelay delays(network_of(tree.toml));
  const std::vector<bounds::Route>& routes = delays.routes(0);
  const bounds::ClaimedDelayAnswer answer =
      delays.claims(routes, {.levels = {Slots(0), Slots(3)}, .percentiles = {Rational(99) / 100}});
  const RouteLaw law = law_of(delays, 0);
  const auto value = [](const auto& claim) {
    return static_cast<double>(std::get<numeric::Approximation<unit::Probability>>(claim).value);
  };
  CHECK(value(answer.above[0].probability) == Approx(law.above(0)).epsilon(1e-4));
  CHECK(value(answer.above[1].probability) == Approx(law.above(3)).epsilon(1e-4));
  const std::int64_t t = answer.queueing[0].slots.value;
  CHECK(law.above(t) <= 0.01);
  CHECK((t == 0 || law.above(t - 1) > 0.01));
  CHECK(answer.latency[0].slots.value == t + law.hops);
}
