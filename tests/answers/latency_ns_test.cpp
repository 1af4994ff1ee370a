#include <catch2/catch.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cmath>
#include <vector>

// Latencies as times, with a constant latency per queue passed.

using namespace tailbound;
using answers::DelayQuery;
using numeric::Rational;

namespace {

double upper(const numeric::Claim<unit::Probability>& claim) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim))
    return numeric::nearest_double(exact->value);
  return static_cast<double>(std::get<numeric::Enclosure<unit::Probability>>(claim).upper());
}

DelayQuery tree(network::TreeRouting routing) {
  DelayQuery query{.topology =
                       answers::TreeTopology{.tree = {4, 2}, .load = Rational(4) / 5, .routing = routing}};
  query.percentiles = {Rational(1) / 10, Rational(1) / 2, Rational(99) / 100, Rational(9999) / 10000};
  query.units = {.packet_bytes = 64, .link_gbps = Rational(512) / 10};  // slots of 10 ns
  return query;
}

}  // namespace

TEST_CASE("latencies in ns: routes of equal length add a constant", "[answers][delay]") {
  DelayQuery query = tree(network::TreeRouting::random_root);
  query.hop_ns = Rational(15) / 2;
  const auto answer = answers::answer(query);
  const answers::FlowDelay& flow = answer.flows.front();
  REQUIRE(flow.latency_ns.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(flow.latency_ns[i] ==
          Rational(static_cast<long>(flow.delay.latency[i].slots.value)) * 10 + 3 * *query.hop_ns);
  query.units = {};
  CHECK(answers::answer(query).flows.front().latency_ns.empty());
}

TEST_CASE("Latencies in ns: of routes of several lengths, as their mixture", "[answers][delay]") {
  DelayQuery query = tree(network::TreeRouting::nearest_ancestor);
  query.hops = answers::Hops::independent;
  for (const Rational& hop : {Rational(0), Rational(1), Rational(25), Rational(70)}) {
    query.hop_ns = hop;
    const auto answer = answers::answer(query);
    const auto& flow = answer.flows.front();
    const auto& routes = answer.paths.flows.front().routes;
    REQUIRE(routes.size() == 2);
    bounds::PathDelay delays(answer.paths.queues.queues, queue::HopDelay::wait);
    // P(latency > x) by hand, from each route's own distribution.
    constexpr int slots = 200, ns = 1500;
    std::vector<double> above(ns, 0);
    for (const bounds::Route& route : routes) {
      bounds::DelayQuery requested;
      for (int t = 0; t < slots; ++t) requested.levels.emplace_back(t);
      const auto tails = delays.claims(std::vector<bounds::Route>{{route.queues, 1}}, requested).above;
      const double minimum = static_cast<double>(route.queues.size()) * (10 + numeric::nearest_double(hop));
      for (int x = 0; x < ns; ++x) {
        const auto t = std::floor((x - minimum) / 10);
        above[static_cast<std::size_t>(x)] +=
            numeric::nearest_double(route.share) *
            (t < 0 ? 1 : upper(tails[static_cast<std::size_t>(std::min<double>(t, slots - 1))].probability));
      }
    }
    for (std::size_t i = 0; i < query.percentiles.size(); ++i) {
      const double exceeded = 1 - numeric::nearest_double(query.percentiles[i]);
      std::size_t x = 0;
      while (above[x] > exceeded) ++x;
      INFO(numeric::nearest_double(hop) << " ns, percentile " << i);
      CHECK(numeric::nearest_double(flow.latency_ns[i]) == static_cast<double>(x));
    }
  }
}
