#include <tailbound/core/error.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tests/support/fraction.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace tailbound;
using namespace tailbound::network;
using test::Fraction;

namespace {

/// Every node except the hosts is linked to every other; some flows take random routes, some in two parts.
Network random_network(std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Network network;
  const std::size_t switches = 3 + below(4), hosts = below(4);
  for (std::size_t i = 0; i < switches + hosts; ++i)
    network.nodes.push_back({"n" + std::to_string(i), i >= switches});
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> link_of;
  for (std::size_t from = 0; from < switches + hosts; ++from)
    for (std::size_t to = 0; to < switches + hosts; ++to) {
      if (from == to) continue;
      link_of[{from, to}] = network.links.size();
      network.links.push_back({from, to, static_cast<int>(1 + below(3))});
    }
  const std::size_t flows = 1 + below(30);
  for (std::size_t i = 0; i < flows; ++i) {
    Flow flow;
    flow.name = "flow" + std::to_string(i);
    flow.source = below(switches + hosts);
    flow.destination = (flow.source + 1 + below(switches + hosts - 1)) % (switches + hosts);
    // Few denominators, so that sources often have equal rates.
    flow.rate = numeric::Rational(static_cast<long>(1 + below(4))) /
                numeric::Integer(static_cast<long>(flows * (below(2) == 0 ? 4 : 12)));
    const std::size_t parts = 1 + below(2);
    for (std::size_t part = 0; part < parts; ++part) {
      std::vector<std::size_t> stops;
      for (std::size_t node = 0; node < switches; ++node)
        if (node != flow.source && node != flow.destination && below(2) == 0) stops.push_back(node);
      std::shuffle(stops.begin(), stops.end(), random);
      stops.insert(stops.begin(), flow.source);
      stops.push_back(flow.destination);
      Route route;
      for (std::size_t step = 0; step + 1 < stops.size(); ++step)
        route.links.push_back(link_of.at({stops[step], stops[step + 1]}));
      route.share = parts == 1 ? numeric::Rational(1) : numeric::Rational(part == 0 ? 1 : 2) / 3;
      flow.routes.push_back(route);
    }
    network.flows.push_back(flow);
  }
  return network;
}

/// The sources of one link by the definition, in GMP, one map entry per feeder.
std::map<Fraction, std::int64_t> sources_by_definition(const Network& network, Sources sources,
                                                       std::size_t link) {
  std::map<std::pair<bool, std::size_t>, Fraction> brought;  // {is a link, number}
  for (const Flow& flow : network.flows)
    for (const Route& route : flow.routes)
      for (std::size_t step = 0; step < route.links.size(); ++step) {
        if (route.links[step] != link) continue;
        const bool by_link = sources == Sources::first_hop && step > 0;
        brought[{by_link, by_link ? route.links[step - 1] : flow.source}] +=
            test::fraction_of(flow.rate) * test::fraction_of(route.share);
      }
  std::map<Fraction, std::int64_t> count_of_rate;
  for (const auto& [feeder, rate] : brought) {
    const int count =
        feeder.first ? network.links[feeder.second].rate.packets : network.lanes()[feeder.second];
    count_of_rate[rate / count] += count;
  }
  return count_of_rate;
}

/// a - s - b, one flow of rate 1/2 from a to b.
Network line() {
  return {.name = "line",
          .nodes = {{"a", true}, {"s", false}, {"b", true}},
          .links = {{0, 1, 1}, {1, 2, 1}, {1, 0, 1}},
          .flows = {{.name = "f",
                     .source = 0,
                     .destination = 2,
                     .rate = numeric::Rational(1) / 2,
                     .routes = {{.links = {0, 1}, .share = 1}}}}};
}

template <class Change>
std::string rejection(Change change) {
  Network network = line();
  change(network);
  try {
    (void)queue_traffic(network, Sources::independent_sources);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("sources of random networks match the definition", "[network][queue_traffic]") {
  std::mt19937_64 random(2004);
  int merged = 0;
  for (int round = 0; round < 200; ++round) {
    const Network network = random_network(random);
    for (const Sources sources : {Sources::independent_sources, Sources::first_hop}) {
      CAPTURE(round, static_cast<int>(sources));
      const auto traffic = queue_traffic(network, sources);
      REQUIRE(traffic.size() == network.links.size());
      for (std::size_t link = 0; link < traffic.size(); ++link) {
        CHECK(traffic[link].name == network.link_name(link));
        CHECK(traffic[link].rate.packets == network.links[link].rate.packets);
        std::map<Fraction, std::int64_t> found;
        Fraction load = 0, last = 0;
        for (const SourceRate& source : traffic[link].sources) {
          const Fraction rate = test::fraction_of(source.rate);
          REQUIRE(rate > last);
          REQUIRE(rate <= 1);
          found[rate] = source.count;
          load += rate * source.count;
          last = rate;
          if (source.count > 1) ++merged;
        }
        REQUIRE(found == sources_by_definition(network, sources, link));
        REQUIRE(test::fraction_of(traffic[link].load) == load);
      }
    }
  }
  CHECK(merged > 1'000);  // the case of equal rates occurred
}

TEST_CASE("traffic into a switch leaves it or ends there", "[network][queue_traffic]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    const Network network = random_network(random);
    const auto traffic = queue_traffic(network, Sources::independent_sources);
    std::vector<Fraction> balance(network.nodes.size(), 0);
    for (std::size_t link = 0; link < traffic.size(); ++link) {
      balance[network.links[link].to] += test::fraction_of(traffic[link].load);
      balance[network.links[link].from] -= test::fraction_of(traffic[link].load);
    }
    for (const Flow& flow : network.flows) {
      balance[flow.source] += test::fraction_of(flow.rate);
      balance[flow.destination] -= test::fraction_of(flow.rate);
    }
    for (const Fraction& rest : balance) REQUIRE(rest == 0);
  }
}

TEST_CASE("a saturated link has no first-hop traffic after it", "[network][queue_traffic]") {
  // a and b send 3/4 each over s -> t and t -> c.
  const auto rate = numeric::Rational(3) / 4;
  Network network{
      .name = "",
      .nodes = {{"a", true}, {"b", true}, {"s", false}, {"t", false}, {"c", true}},
      .links = {{0, 2, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 2}},
      .flows = {{.name = "f", .source = 0, .destination = 4, .rate = rate, .routes = {{{0, 2, 3}, 1}}},
                {.name = "g", .source = 1, .destination = 4, .rate = rate, .routes = {{{1, 2, 3}, 1}}}}};
  CHECK(queue_traffic(network, Sources::independent_sources)[2].load == numeric::Rational(3) / 2);
  CHECK_THROWS_AS(queue_traffic(network, Sources::first_hop), NoAnswer);
  CHECK_THROWS_WITH(
      queue_traffic(network, Sources::first_hop),
      "the link s -> t is saturated: it would have to carry 3/2 packets per slot to the queue of "
      "t -> c, but its rate is 1");
  network.links[2].rate.packets = 2;
  CHECK(queue_traffic(network, Sources::first_hop)[3].sources ==
        std::vector<SourceRate>{{numeric::Rational(3) / 4, 2}});
}

TEST_CASE("invalid networks are rejected", "[network][queue_traffic]") {
  using Catch::Contains;
  CHECK(rejection([](Network&) {}) == "no error");
  CHECK_THAT(rejection([](Network& n) { n.links[0].to = 3; }), Contains("link 0 is 0 -> 3"));
  CHECK_THAT(rejection([](Network& n) { n.links[0].to = 0; }), Contains("link 0 is a -> a"));
  CHECK_THAT(rejection([](Network& n) { n.links[0].rate.packets = 0; }), Contains("a -> s is 0; it must be"));
  CHECK_THAT(rejection([](Network& n) { n.links[0].rate.packets = 129; }),
             Contains("a -> s is 129; it must be"));
  CHECK_THAT(rejection([](Network& n) { n.links[0].rate = {2, 2}; }), Contains("a -> s is 2/2; it must be"));
  CHECK_THAT(rejection([](Network& n) { n.flows[0].source = 3; }), Contains("flow f is 3 -> 2"));
  CHECK_THAT(rejection([](Network& n) { n.flows[0].rate = 0; }), Contains("rate of the flow f is 0"));
  CHECK_THAT(rejection([](Network& n) { n.flows[0].rate = 2; }),
             Contains("flows from a is 2 with the flow f"));
  CHECK_THAT(rejection([](Network& n) { n.flows.push_back(n.flows[0]), n.flows.push_back(n.flows[0]); }),
             Contains("flows from a is 3/2"));
  CHECK_THAT(rejection([](Network& n) { n.flows[0].routes.clear(); }), Contains("shares of the flow f is 0"));
  CHECK_THAT(rejection([](Network& n) { n.flows[0].routes[0].share = numeric::Rational(1) / 2; }),
             Contains("sum of the shares of the flow f is 1/2; it must be 1"));
  CHECK_THAT(rejection([](Network& n) {
               n.flows[0].routes[0].share = 2;
               n.flows[0].routes.push_back({{0, 1}, -1});
             }),
             Contains("share of a route of the flow f is -1"));
  CHECK_THAT(rejection([](Network& n) { n.flows[0].routes[0].links = {}; }),
             Contains("route of the flow f is empty"));
  CHECK_THAT(rejection([](Network& n) { n.flows[0].routes[0].links = {1}; }),
             Contains("s -> b; it must be continued"));
  CHECK_THAT(rejection([](Network& n) {
               n.flows[0].routes[0].links = {0, 9};
             }),
             Contains("9; it must be a position"));
  CHECK_THAT(rejection([](Network& n) { n.flows[0].routes[0].links = {0}; }),
             Contains("a -> s; it must be continued to the destination"));
  CHECK_THAT(rejection([](Network& n) {
               n.flows[0].routes[0].links = {0, 2, 0, 1};
             }),
             Contains("a -> s; it must be forwarded by switches"));
  CHECK_THAT(rejection([](Network& n) {
               n.nodes[2].host = false;
               n.links.push_back({2, 1, 1});
               n.flows[0].routes[0].links = {0, 1, 3, 1};
             }),
             Contains("s -> b; it must be taken once"));
  CHECK_THAT(rejection([](Network& n) {
               n.links.push_back({2, 1, 1});
               n.flows[0].destination = 0;
               n.flows[0].routes[0].links = {0, 1, 3, 2};
             }),
             Contains("b -> s; it must be forwarded by switches"));
}

TEST_CASE("all overloaded links are named, the highest utilization first", "[network]") {
  const OverloadedLink full{"a -> b", Rational(3) / 2, 1}, fuller{"b -> c", 8, 4, 3}, minimum{"c -> d", 1, 1};
  CHECK(std::string(Overloaded({full}).what()) ==
        "the link a -> b is overloaded: its offered load is 1.50000 packets per slot; it must be below 1 "
        "(the rate of the link)");
  CHECK(std::string(Overloaded({full, minimum, fuller}).what()) ==
        "the link b -> c is overloaded: its offered load is 8.00000 packets per slot; it must be below 4 "
        "(the rate of the link); so are 4 others, 2 with the same load: a -> b (1.50000 of 1), c -> d "
        "(1.00000 of 1)");
  CHECK_THAT(Overloaded(std::vector<OverloadedLink>(20, full)).what(),
             Catch::Contains("so are 19 others") && Catch::EndsWith(", ..."));
}
