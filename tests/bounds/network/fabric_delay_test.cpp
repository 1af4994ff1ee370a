#include <catch2/catch.hpp>
#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/bounds/network/fabric_delay.hpp>
#include <tailbound/bounds/network/network_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tests/support/random_fabrics.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <string>

// Delays over all paths of a fabric at once, against every route listed.

using namespace tailbound;
using namespace tailbound::bounds;
using namespace tailbound::network;
using numeric::Enclosure;
using numeric::Exact;
using numeric::Rational;

namespace {

const std::vector<Rational> requested{Rational(1) / 2, Rational(99) / 100, Rational(999'999) / 1'000'000};

template <class Unit>
void require_same_digits(const Enclosure<Unit>& found, const numeric::Proved<Unit>& listed) {
  if (const auto* exact = std::get_if<Exact<Unit>>(&listed)) {
    const numeric::PrecisionScope scope(numeric::Precision{128});
    const auto value = numeric::to_interval(exact->value);
    REQUIRE(found.lower() <= numeric::upper(value));
    REQUIRE(found.upper() >= numeric::lower(value));
  } else {
    const auto& enclosure = std::get<Enclosure<Unit>>(listed);
    REQUIRE(found.lower() <= enclosure.upper());
    REQUIRE(found.upper() >= enclosure.lower());
  }
  if (found.lower() > 0) REQUIRE(numeric::agree_to(found.lower(), found.upper(), numeric::Digits{10}));
}

/// \param finer  ticks of `listed` in one of `found`
void require_percentile(const FabricPercentile& found, const Percentile& listed, std::int64_t finer) {
  REQUIRE(found.slots.value * finer == listed.slots.value);
  require_same_digits(found.at, listed.at.probability);
  REQUIRE(found.before.has_value() == !listed.before.empty());
  if (found.before) require_same_digits(*found.before, listed.before.front().probability);
}

/// All packets of all flows: every route with its share.
std::vector<bounds::Route> all_routes(const Network& network, const NetworkDelay& delay) {
  Rational total = 0;
  for (const Flow& flow : network.flows) total = total + flow.rate;
  std::map<std::vector<std::size_t>, Rational> shares;
  for (const FlowDelay& flow : delay.flows)
    for (const bounds::Route& route : flow.routes) {
      std::vector<std::size_t> queues = route.queues;
      std::sort(queues.begin(), queues.end());
      Rational& share = shares.try_emplace(std::move(queues), 0).first->second;
      share = share + route.share * network.flows[flow.flow].rate / total;
    }
  std::vector<bounds::Route> routes;
  for (const auto& [queues, share] : shares) routes.push_back({queues, share});
  return routes;
}

/// The load of the fullest link, and the number of others overloaded. The two methods differ in which of
/// equal links is named, and in whether identical ones are counted individually.
std::string overload(const std::string& message) {
  const std::size_t offered = message.find("its offered load"), others = message.find(" other");
  REQUIRE(offered != std::string::npos);
  return message.substr(offered, others == std::string::npos ? others : others - offered);
}

/// A number of slots from one of ticks.
numeric::Proved<unit::Slot> in_slots(const numeric::Proved<unit::Slot>& ticks, std::int64_t per_slot) {
  if (per_slot == 1) return ticks;
  if (const auto* exact = std::get_if<Exact<unit::Slot>>(&ticks))
    return Exact<unit::Slot>{exact->proof(), exact->value / per_slot};
  const auto& enclosure = std::get<Enclosure<unit::Slot>>(ticks);
  const numeric::PrecisionScope scope(numeric::Precision{128});
  const numeric::Interval slots(numeric::to_interval(Rational(per_slot)));
  return Enclosure<unit::Slot>(enclosure.proof(),
                               numeric::lower(numeric::to_interval(enclosure.lower()) / slots),
                               numeric::upper(numeric::to_interval(enclosure.upper()) / slots));
}

/// \return false if the network is overloaded, and both methods report it
bool require_equal_to_routes(const Fabric& given, std::size_t max_pairs) {
  const Fabric fabric = answers::in_own_slots(given);
  const Network network = written_out(fabric);
  const FabricGraph graph(fabric);
  const FabricOrbits orbits = fabric_orbits(graph);
  const FabricRates rates = fabric_rates(graph, orbits);
  std::string overloaded;
  try {
    (void)network_delay(network, Sources::independent_sources);
  } catch (const Overloaded& error) {
    overloaded = error.what();
  }
  if (!overloaded.empty()) {
    std::string whole;
    try {
      (void)FabricDelay(graph, orbits, rates);
    } catch (const Overloaded& error) {
      whole = error.what();
    }
    REQUIRE(overload(whole) == overload(overloaded));
    return false;
  }
  const NetworkDelay listed = network_delay(network, Sources::independent_sources);
  FabricDelay delay(graph, orbits, rates);
  std::vector<std::int64_t> ticks;
  for (const QueueTraffic& traffic : listed.network.traffic) ticks.push_back(traffic.ticks);
  PathDelay paths(listed.network.queues, queue::HopDelay::wait, {}, ticks);
  // A listed network may also have ticks for the links of its hosts.
  const std::int64_t listed_slot = has_unit_speeds(network) ? 1 : link_clocks(network).slot;
  REQUIRE(listed_slot % delay.ticks_per_slot() == 0);
  const std::int64_t finer = listed_slot / delay.ticks_per_slot();
  const FabricDelayAnswer answer = delay.answer(requested);
  REQUIRE(answer.undecided == 0);
  // Two classes between the same nodes are two flows, and one pair if they take the same paths.
  const bool one_class = fabric.demands.size() == 1;
  if (one_class) REQUIRE(answer.all.pairs == network.flows.size());

  std::vector<std::int64_t> worst(requested.size(), 0);
  std::vector<Rational> sums(requested.size(), Rational(0));
  const std::size_t step = 1 + network.flows.size() / max_pairs;
  std::map<std::vector<std::pair<std::vector<std::size_t>, Rational>>, DelayAnswer> known;
  for (std::size_t i = 0; i < network.flows.size(); ++i) {
    const Flow& flow = network.flows[i];
    std::vector<std::pair<std::vector<std::size_t>, Rational>> key;
    for (const bounds::Route& route : listed.flows[i].routes) key.emplace_back(route.queues, route.share);
    auto place = known.find(key);
    if (place == known.end())
      place = known.emplace(key, paths.answer(listed.flows[i].routes, {{}, requested})).first;
    const DelayAnswer& its = place->second;
    for (std::size_t p = 0; p < requested.size(); ++p) {
      worst[p] = std::max(worst[p], its.latency[p].slots.value);
      sums[p] = sums[p] + Rational(static_cast<long>(its.latency[p].slots.value));
    }
    // The flow by itself, except where two classes send between the same two nodes.
    if (i % step != 0 || !one_class) continue;
    INFO(flow.name);
    const FabricPairDelay pair = delay.pair(static_cast<std::uint32_t>(flow.source),
                                            static_cast<std::uint32_t>(flow.destination), requested);
    for (std::size_t p = 0; p < requested.size(); ++p)
      require_percentile(pair.percentiles[p], its.latency[p], finer);
    require_same_digits(pair.mean_latency, in_slots(its.mean_latency, listed_slot));
  }
  const std::vector<bounds::Route> routes = all_routes(network, listed);
  const DelayAnswer all = paths.answer(routes, {{}, requested});
  for (std::size_t p = 0; p < requested.size(); ++p) {
    require_percentile(answer.all.percentiles[p], all.latency[p], finer);
    REQUIRE(answer.all.percentiles[p].time ==
            Rational(answer.all.percentiles[p].slots.value) / delay.ticks_per_slot());
    REQUIRE(answer.all.percentiles[p].worst.value * finer == worst[p]);
    if (one_class)
      REQUIRE(answer.all.percentiles[p].mean ==
              sums[p] / listed_slot / numeric::Integer(network.flows.size()));
  }
  require_same_digits(answer.all.mean_latency, in_slots(all.mean_latency, listed_slot));
  // Buffers, to the digits requested everywhere.
  for (std::size_t queue = 0; queue < rates.queues().size(); queue += 1 + rates.queues().size() / 6) {
    const auto slotted = slotted_queue(rates.traffic(fabric.network, rates.queues()[queue]));
    for (const Criterion criterion : {Criterion::overflow, Criterion::loss}) {
      const DropTarget target{Rational(1) / 1'000'000'000, criterion};
      const BufferSize found = delay.buffer(queue, target), exact = buffer_size(slotted, target);
      REQUIRE(found.buffer == exact.buffer);
      if (const auto* at = std::get_if<Enclosure<unit::Probability>>(&found.at.probability))
        require_same_digits(*at, exact.at.probability);
    }
  }
  return true;
}

}  // namespace

TEST_CASE("fabric delay: equals listed routes on random networks") {
  std::mt19937_64 random(11);
  int stable = 0;
  for (int i = 0; i < 40; ++i) {
    INFO("network " << i);
    const Fabric fabric = test::random_fabric(random);
    if (fabric.network.nodes.size() < 60 && require_equal_to_routes(fabric, 12)) ++stable;
  }
  CHECK(stable >= 5);
}

TEST_CASE("fabric delay: equals listed routes on many random networks", "[.full]") {
  std::mt19937_64 random(12);
  int stable = 0;
  for (int i = 0; i < 200; ++i) {
    INFO("network " << i);
    Fabric fabric = test::random_fabric(random);
    // On the fine grid of links of different speeds the listed method takes seconds each.
    if (fabric.network.nodes.size() > 30)
      for (Link& link : fabric.network.links) link.rate.packets = 1;
    if (require_equal_to_routes(fabric, 20)) ++stable;
  }
  CHECK(stable >= 60);
}

TEST_CASE("fabric delay: equals listed Valiant routes on random networks") {
  std::mt19937_64 random(13);
  int stable = 0;
  for (int i = 0; i < 200 && stable < 8; ++i) {
    auto fabric = test::with_valiant(test::random_fabric(random), random, 300);
    if (!fabric) continue;
    INFO("network " << i);
    if (i % 2 == 0)
      for (Link& link : fabric->network.links) link.rate.packets = 1;
    if (require_equal_to_routes(*fabric, 8)) ++stable;
  }
  CHECK(stable == 8);
}

TEST_CASE("fabric delay: equals listed Valiant routes without a small common denominator") {
  // From s0 through s1 .. s6, each over two of six switches: sums of weights 257, 263, 269, 271, 277 and 269.
  std::string text =
      "hosts = [\"h0\", \"h7\"]\nswitches = \"s[0..7], t[0..5]\"\n"
      "groups = [\"s0\", \"s1\", \"s2\", \"s3\", \"s4\", \"s5\", \"s6\", \"s7\"]\n"
      "flow = [{from = \"h0\", to = \"h7\", rate = 0.6, path = \"valiant\"},\n"
      "  {from = \"h7\", to = \"h0\", rate = 0.5, path = \"valiant\"}]\n"
      "link = [{from = \"h0\", to = \"s0\", both = true}, {from = \"h7\", to = \"s7\", both = true},\n"
      "  {each = \"i = 0..5, j = 1..2\", from = \"s[(i+j-1)%6+1]\", to = \"t[i]\", both = true},\n"
      "  {each = \"i = 0..5\", from = \"s7\", to = \"t[i]\", both = true},\n"
      "  {each = \"i = 0..5\", from = \"t[i]\", to = \"s0\"}";
  int hub = 0;
  for (const int weight : {100, 157, 106, 163, 108, 169})
    text += ",\n  {from = \"s0\", to = \"t" + std::to_string(hub++) +
            "\", weight = " + std::to_string(weight) + "}";
  CHECK(require_equal_to_routes(read_fabric(text + "]\n", "hubs.toml").fabric, 2));
}

TEST_CASE("fabric delay: equals listed routes on common fabrics") {
  for (const FabricShape& shape : {FabricShape(FatTree{4, 3}), FabricShape(LeafSpine{4, 2, 3, 1}),
                                   FabricShape(LeafSpine{4, 2, 3, 4}), FabricShape(Torus{{3, 4}, 2}),
                                   FabricShape(Dragonfly{4, 2, 2, 3}), FabricShape(Jellyfish{12, 4, 2, 7})}) {
    INFO(facts_of(shape).name);
    const Fabric bare = read_fabric(to_toml(shape, std::nullopt), "fabric.toml", FlowsFrom::elsewhere).fabric;
    CHECK(require_equal_to_routes(test::with_uniform(bare, Rational(3) / 10), 20));
  }
}

TEST_CASE("fabric delay: equals listed minimal routes") {
  for (const std::string& traffic :
       {std::string("uniform = 0.4\n"), std::string("permutation = \"shift\"\nshift = 6\nrate = 0.15\n"),
        std::string("permutation = \"random\"\nrate = 0.3\n")}) {
    INFO(traffic);
    const std::string text =
        to_toml(Dragonfly{3, 2, 1, 4}, std::nullopt) + "\n[traffic]\n" + traffic + "route = \"minimal\"\n";
    CHECK(require_equal_to_routes(read_fabric(text, "fabric.toml").fabric, 20));
  }
}

TEST_CASE("fabric delay: one slower link makes its pairs slower") {
  Fabric fabric = test::with_uniform(
      read_fabric(to_toml(FatTree{8, 3}, std::nullopt), "fabric.toml", FlowsFrom::elsewhere).fabric,
      Rational(4) / 5);
  const auto worst = [&] {
    const FabricGraph graph(fabric);
    const FabricOrbits orbits = fabric_orbits(graph);
    const FabricRates rates = fabric_rates(graph, orbits);
    return FabricDelay(graph, orbits, rates).answer(requested).all;
  };
  for (Link& link : fabric.network.links) link.rate.packets = 2;
  const FabricPairs even = worst();
  const auto switches =
      std::find_if(fabric.network.links.begin(), fabric.network.links.end(), [&](const Link& link) {
        return !fabric.network.nodes[link.from].host && !fabric.network.nodes[link.to].host;
      });
  switches->rate.packets = 1;
  const FabricPairs odd = worst();
  CHECK(odd.percentiles[2].worst > even.percentiles[2].worst);
  CHECK(odd.percentiles[2].mean > even.percentiles[2].mean);
  CHECK(odd.percentiles[0].best == even.percentiles[0].best);
}

TEST_CASE("fabric delay: legal queries") {
  const Fabric fabric = test::with_uniform(
      read_fabric(to_toml(LeafSpine{2, 1, 2, 4}, std::nullopt), "fabric.toml", FlowsFrom::elsewhere).fabric,
      Rational(1) / 10);
  const FabricGraph graph(fabric);
  const FabricOrbits orbits = fabric_orbits(graph);
  const FabricRates rates = fabric_rates(graph, orbits);
  FabricDelay delay(graph, orbits, rates);
  CHECK_THROWS_AS(delay.answer({Rational(1)}), InvalidArgument);
  CHECK_THROWS_AS(delay.answer({Rational(0)}), InvalidArgument);
  CHECK_THROWS_AS(delay.pair(0, 0, requested), InvalidArgument);
  CHECK_THROWS_AS(delay.pair(0, 4, requested), InvalidArgument);
}

TEST_CASE("fabric delay: equals listed routes where speeds are fractions of each other") {
  // Hosts of 2 and 5 packets per slot, and links of 3 and 7 between the switches.
  Fabric fabric = test::with_uniform(
      read_fabric(to_toml(LeafSpine{4, 2, 3, 3}, std::nullopt), "fabric.toml", FlowsFrom::elsewhere).fabric,
      Rational(4) / 5);
  for (Link& link : fabric.network.links) {
    const Node &from = fabric.network.nodes[link.from], &to = fabric.network.nodes[link.to];
    const std::string& host = from.host ? from.name : to.name;
    if (from.host || to.host)
      link.rate.packets = host.back() % 2 == 0 ? 2 : 5;
    else if (from.name == "spine1" || to.name == "spine1")
      link.rate.packets = 7;
  }
  CHECK(require_equal_to_routes(fabric, 20));
}
