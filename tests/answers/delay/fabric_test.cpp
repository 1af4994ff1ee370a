#include <catch2/catch.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/demands/demands.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

// Networks treated as fabrics: which ones, at which loads, and the results for their switches.

using namespace tailbound;
using namespace tailbound::answers;
using namespace tailbound::network;
using numeric::Rational;

namespace {

const ReadNamed no_file = [](const std::string& path, const auto&) { throw std::runtime_error(path); };

/// 16 leaves of 32 hosts, 8 spines.
NamedText leaf_spine(const std::optional<FabricTraffic>& traffic, int leaves = 16) {
  return {"net.toml", to_toml(LeafSpine{leaves, 8, 32, 4}, traffic)};
}

std::vector<FabricTopology> read(const NamedText& file, const Loads& loads = {}) {
  return read_fabrics(file, std::nullopt, RouteRule::spread, loads, no_file);
}

FabricQuery query(FabricTopology topology) {
  return {.topology = std::move(topology),
          .percentiles = {Rational(1) / 2, Rational(999'999) / 1'000'000},
          .drop = bounds::DropTarget{Rational(1) / 1'000'000'000}};
}

}  // namespace

TEST_CASE("fabrics: many pairs make a fabric, few do not") {
  const FabricTraffic traffic{Rational(1) / 2, RouteRule::spread};
  const auto many = read(leaf_spine(traffic));
  REQUIRE(many.size() == 1);
  CHECK(sending_pairs(*many.front().fabric) >= 512 * 511);
  CHECK(read(leaf_spine(traffic, 4)).empty());    // 128 hosts
  CHECK(read(leaf_spine(std::nullopt)).empty());  // no traffic
  CHECK(
      read({"net.toml", "hosts = [\"a\"]\n[traffic]\nnonsense = 1"}).empty());  // rejected by read_network()
}

TEST_CASE("fabrics: few pairs with too many routes make a fabric") {
  const auto permutation = [](int radix) {
    return read({"net.toml", to_toml(FatTree{radix, 3}, std::nullopt) +
                                 "[traffic]\npermutation = \"random\"\nrate = 0.3\nroute = \"spread\"\n"});
  };
  CHECK(permutation(16).empty());  // 1 024 pairs, 65 000 routes at most
  const auto many = permutation(32);
  REQUIRE(many.size() == 1);
  FabricQuery requested = query(many.front());
  requested.drop.reset();
  const auto& entries = std::get<SparseDemand>(many.front().fabric->demands.front().rates).entries;
  requested.flow = many.front().fabric->network.nodes[entries.front().from].name + " -> " +
                   many.front().fabric->network.nodes[entries.front().to].name;
  const FabricAnswer found = answer(requested);
  // In a permutation the traffic to hosts, edge switches and pods is spread evenly over as many links.
  for (const FabricQueueClass& queue : found.queues) CHECK(queue.load <= Rational(3) / 10);
  REQUIRE(found.pair);
  CHECK(found.pair->hops == 5);
}

TEST_CASE("fabrics: loads") {
  const auto at = read(leaf_spine(std::nullopt), {.uniform = {Rational(1) / 4, Rational(1) / 2},
                                                  .load_scale = {Rational(1), Rational(3) / 2}});
  REQUIRE(at.size() == 4);
  const std::vector<Rational> sent{Rational(1) / 4, Rational(3) / 8, Rational(1) / 2, Rational(3) / 4};
  for (std::size_t i = 0; i < at.size(); ++i) CHECK(sent_by_node(*at[i].fabric).front() == sent[i]);
  const FabricTraffic half{Rational(1) / 2, RouteRule::spread};
  CHECK_THROWS_WITH(read(leaf_spine(half), {.uniform = {}, .load_scale = {Rational(3)}}),
                    Catch::Contains("at most 2, where h0 sends"));
  CHECK_THROWS_AS(read(leaf_spine(std::nullopt), {.uniform = {Rational(2)}, .load_scale = {}}),
                  InvalidArgument);
  CHECK_THROWS_AS(read(leaf_spine(half), {.uniform = {}, .load_scale = {Rational(0)}}), InvalidArgument);
}

TEST_CASE("fabrics: kinds of queues and of switches") {
  const FabricTraffic traffic{Rational(4) / 5, RouteRule::spread};
  const FabricAnswer found = answer(query(read(leaf_spine(traffic)).front()));
  CHECK(found.hosts == 512);
  CHECK(found.switches == 24);
  CHECK(found.links == 2 * (512 + 128));
  REQUIRE(found.queues.size() == 3);  // to hosts; up, from 32 hosts; down, from 480
  // 480 / 511 of the packets of a leaf's 32 hosts go up, over 8 spines.
  const Rational up = Rational(32) * 4 / 5 * 480 / 511 / 8;
  std::int64_t capacity_to_host = 0, capacity_up = 0, capacity_down = 0;
  for (const FabricQueueClass& queue : found.queues) {
    const std::int64_t capacity = queue.buffer->buffer.value;
    if (queue.rate == LinkRate{}) {
      capacity_to_host = capacity;
      CHECK(queue.load == Rational(4) / 5);
      CHECK(queue.queues == 512);
      CHECK(queue.sources == 511);
      continue;
    }
    CHECK(queue.load == up);
    CHECK(queue.queues == 128);
    CHECK((queue.sources == 32 || queue.sources == 480));
    (queue.sources == 32 ? capacity_up : capacity_down) = capacity;
  }
  CHECK(capacity_up <= capacity_down);
  REQUIRE(found.by_switch.size() == 2);
  for (const FabricSwitchClass& its : found.by_switch) {
    const bool leaf = its.switches == 16;
    CHECK(its.queues == (leaf ? 40 : 16));
    CHECK(its.buffer.value == (leaf ? 32 * capacity_to_host + 8 * capacity_up : 16 * capacity_down));
    CHECK(its.largest.value == (leaf ? std::max(capacity_to_host, capacity_up) : capacity_down));
  }
  REQUIRE(found.pairs);
  CHECK(found.pairs->all.pairs == 512 * 511);
  REQUIRE(found.pairs->by_hops.size() == 2);
  CHECK(found.pairs->by_hops.front().pairs == 512 * 31);
}

TEST_CASE("fabrics: switches with shared memory") {
  const std::string network =
      to_toml(LeafSpine{4, 2, 4, 1}, FabricTraffic{Rational(2) / 5, RouteRule::spread});
  const auto requested = [&](const std::string& key, bool capacity) {
    return read_fabrics({"net.toml", key + network}, std::nullopt, RouteRule::spread, {}, no_file, {},
                        capacity);
  };
  // 16 hosts are treated as a fabric on request; otherwise pair by pair.
  CHECK(requested("shared_memory = true\n", false).empty());
  CHECK(requested("", true).empty());
  CHECK(requested("shared_memory = false\n", true).empty());
  const auto leaves = requested("shared_memory = \"leaf[0..2]\"\n", true);
  REQUIRE(leaves.size() == 1);
  const FabricAnswer found = answer(query(leaves.front()));
  const FabricAnswer all = answer(query(requested("shared_memory = true\n", true).front()));
  // Leaves with shared memory and the one without are two classes; with the spines three.
  REQUIRE(found.by_switch.size() == 3);
  REQUIRE(all.by_switch.size() == 2);
  std::uint64_t sharing = 0;
  for (const FabricSwitchClass& its : found.by_switch) {
    CHECK(its.memory.has_value() == (its.switches == 3));
    if (!its.memory) continue;
    sharing += its.switches;
    CHECK(its.memory->memory.value < its.buffer.value);
    CHECK(its.memory->memory.value >= its.largest.value);
    CHECK(static_cast<double>(its.memory->at.value) <= 1e-9);
    for (const FabricSwitchClass& other : all.by_switch)
      if (other.queues == its.queues) CHECK(other.memory->memory == its.memory->memory);
  }
  CHECK(sharing == 3);
  // The pairs' delays do not change.
  CHECK(found.pairs->all.percentiles.back().slots == all.pairs->all.percentiles.back().slots);
}

TEST_CASE("fabrics: one pair") {
  const FabricTraffic traffic{Rational(1) / 2, RouteRule::spread};
  FabricQuery requested = query(read(leaf_spine(traffic)).front());
  const FabricAnswer all = answer(requested);
  requested.flow = "h0 -> h511";
  const FabricAnswer one = answer(requested);
  REQUIRE(one.pair);
  CHECK(one.pair->hops == 3);
  CHECK(one.pair->percentiles.back().slots == all.pairs->all.percentiles.back().worst);
  for (const char* wrong : {"h0 -> h512", "h0", "h0 -> h0", "h0 -> leaf0"}) {
    requested.flow = wrong;
    CHECK_THROWS_AS(answer(requested), InvalidArgument);
  }
}

TEST_CASE("fabrics: an overloaded link is named") {
  const NamedText file{"net.toml",
                       to_toml(LeafSpine{16, 8, 32, 1}, FabricTraffic{Rational(4) / 5, RouteRule::spread})};
  CHECK_THROWS_WITH(answer(query(read(file).front())), Catch::Contains("is overloaded"));
}

TEST_CASE("fabrics: a failed spine") {
  const FabricTraffic traffic{Rational(1) / 2, RouteRule::spread};
  const NamedText file = leaf_spine(traffic);
  const auto without = [&](const std::vector<std::string>& failed) {
    return read_fabrics(file, std::nullopt, RouteRule::spread, {}, no_file, failed);
  };
  // 32 hosts send half a packet per slot, 480 of 511 of them to other leaves, over the remaining spines.
  const auto load = [](int spines) { return Rational(16) * 480 / 511 / spines; };
  const auto uplink = [](const FabricAnswer& found) {
    for (const FabricQueueClass& queue : found.queues)
      if (queue.rate.packets == 4) return queue.load;
    return Rational(-1);
  };
  const FabricAnswer whole = answer(query(read(file).front()));
  const auto broken = without({"spine3"});
  REQUIRE(broken.size() == 1);
  CHECK(broken.front().without == std::vector<std::string>{"spine3"});
  const FabricAnswer found = answer(query(broken.front()));
  CHECK(uplink(whole) == load(8));
  CHECK(uplink(found) == load(7));
  CHECK(found.pairs->all.mean_latency.lower() > whole.pairs->all.mean_latency.upper());
  // The same given as a key of the file.
  const FabricAnswer computed =
      answer(query(read({"net.toml", "without = [\"spine3\"]\n" + file.text}).front()));
  CHECK(uplink(computed) == uplink(found));
  CHECK(computed.pairs->all.mean_latency.lower() == found.pairs->all.mean_latency.lower());
  CHECK(computed.pairs->all.percentiles.back().slots == found.pairs->all.percentiles.back().slots);
  // Hosts without a leaf neither send nor receive, even if other hosts have uniform traffic.
  CHECK(answer(query(without({"leaf0"}).front())).pairs->all.pairs == 480 * 479);
  const std::vector<std::string> leaf{"leaf0"};
  const auto uniform = read_fabrics(leaf_spine(std::nullopt), std::nullopt, RouteRule::spread,
                                    {.uniform = {Rational(1) / 2}, .load_scale = {}}, no_file, leaf);
  REQUIRE(uniform.size() == 1);
  CHECK(answer(query(uniform.front())).pairs->all.pairs == 480 * 479);
  // Disconnected pairs are named; full links are named with their offered load.
  std::vector<std::string> spines;
  for (int i = 0; i < 8; ++i) spines.push_back("spine" + std::to_string(i));
  CHECK_THROWS_WITH(answer(query(without(spines).front())), Catch::Contains("no route leads from h"));
  spines.resize(5);  // 5.01 packets per slot for links of capacity 4
  CHECK_THROWS_WITH(answer(query(without(spines).front())),
                    Catch::Contains("the link leaf0 -> spine5 is overloaded: its offered load is 5.00978") &&
                        Catch::Contains("so are 95 others, 47 with the same load"));
  CHECK_THROWS_WITH(without({"nobody"}), Catch::Contains("a node of the network, a link"));
}

namespace {

/// A leaf-spine of 4 leaves with 2 hosts each, in slots of 10 ns.
FabricQuery in_ns(const std::string& toml, const Rational& hop_ns) {
  const auto fabric = std::make_shared<const Fabric>(read_fabric(toml, "net.toml").fabric);
  FabricQuery query{
      .topology = {.fabric = fabric, .file = "net.toml"},
      .percentiles = {Rational(1) / 10, Rational(1) / 2, Rational(99) / 100, Rational(99'999) / 100'000}};
  query.units = {.packet_bytes = 64, .link_gbps = Rational(512) / 10};
  query.hop_ns = hop_ns;
  return query;
}

const std::string small_leaf_spine =
    to_toml(LeafSpine{4, 2, 2, 1}, FabricTraffic{Rational(4) / 5, RouteRule::spread});

}  // namespace

TEST_CASE("fabrics: latencies in ns of one pair are slots and hops added") {
  for (const Rational& hop : {Rational(0), Rational(35), Rational(15) / 2}) {
    FabricQuery query = in_ns(small_leaf_spine, hop);
    for (const auto& [flow, hops] : {std::pair("h0 -> h1", 1), std::pair("h0 -> h7", 3)}) {
      query.flow = flow;
      const FabricAnswer answer = answers::answer(query);
      REQUIRE(answer.slot_ns == Rational(10));
      for (const bounds::FabricPercentile& its : answer.pair->percentiles) {
        CHECK(its.time * 10 == Rational(its.slots.value) * 10 + hop * hops);
        CHECK(its.worst_time == its.time);
      }
      const double extra = numeric::nearest_double(hop) * hops;
      CHECK(10 * static_cast<double>(answer.pair->mean_time.upper()) ==
            Approx(10 * static_cast<double>(answer.pair->mean_latency.upper()) + extra).epsilon(1e-9));
    }
  }
}

TEST_CASE("fabrics: latencies in ns of all pairs are those of their mixture") {
  for (const int hop : {0, 5, 25, 70}) {
    const FabricQuery query = in_ns(small_leaf_spine, Rational(hop));
    const bounds::FabricDelayAnswer found = *answers::answer(query).pairs;
    const FabricGraph graph(*query.topology.fabric);
    const FabricOrbits orbits = fabric_orbits(graph);
    const FabricRates rates = fabric_rates(graph, orbits);
    bounds::FabricDelay delay(graph, orbits, rates);
    const auto node = [&](const std::string& name) {
      const auto& nodes = query.topology.fabric->network.nodes;
      const auto at =
          std::find_if(nodes.begin(), nodes.end(), [&](const Node& its) { return its.name == name; });
      return static_cast<std::uint32_t>(at - nodes.begin());
    };
    // One in seven packets stays within its leaf, with one queue; the others pass three.
    const auto above = [&](const std::string& to, int hops, int ns) {
      const int slots = ns - hops * hop < 0 ? 0 : (ns - hops * hop) / 10;
      return static_cast<double>(delay.pair_above(node("h0"), node(to), slots).upper());
    };
    for (const bounds::FabricPercentile& its : found.all.percentiles) {
      CAPTURE(hop, numeric::nearest_double(its.probability));
      const double exceeded = 1 - numeric::nearest_double(its.probability);
      int ns = 0;
      while ((above("h1", 1, ns) + 6 * above("h7", 3, ns)) / 7 > exceeded) ++ns;
      CHECK(its.time * 10 == Rational(ns));
      if (hop == 0) CHECK(its.time == Rational(its.slots.value));
    }
    REQUIRE(found.by_hops.size() == 2);
    for (const bounds::FabricPairs& pairs : found.by_hops)
      for (const bounds::FabricPercentile& its : pairs.percentiles) {
        const Rational extra = Rational(pairs.hops * hop) / 10;
        CHECK(its.time == Rational(its.slots.value) + extra);
        CHECK(its.worst_time == Rational(its.worst.value) + extra);
        CHECK(its.best_time == Rational(its.best.value) + extra);
        CHECK(its.mean_time == its.mean + extra);
      }
    const double queues = (1 + 6 * 3) / 7.0;
    CHECK(static_cast<double>(found.all.mean_time.lower()) ==
          Approx(static_cast<double>(found.all.mean_latency.lower()) + queues * hop / 10).epsilon(1e-9));
    CHECK(found.all.percentiles.back().mean_time ==
          found.all.percentiles.back().mean + Rational(hop) * 19 / 70);
  }
}

TEST_CASE("fabrics: a latency per hop needs paths of equal length") {
  const std::string valiant =
      to_toml(Dragonfly{4, 2, 2, 9}, FabricTraffic{Rational(1) / 10, RouteRule::valiant});
  CHECK_NOTHROW(answers::answer(in_ns(valiant, 0)));
  CHECK_THROWS_AS(answers::answer(in_ns(valiant, 35)), NoAnswer);
  // Of three groups, a packet between two of them has one choice, and paths of one length.
  const std::string three =
      to_toml(Dragonfly{2, 1, 1, 3}, FabricTraffic{Rational(1) / 10, RouteRule::valiant});
  CHECK_NOTHROW(answers::answer(in_ns(three, 35)));
}

namespace {

/// The small leaf-spine with uplinks four times as fast, all speeds times `speed`, in ns.
/// \param idle  of the link to a host without traffic
FabricQuery mixed_in_ns(const Rational& speed, const std::optional<LinkRate>& idle = {}) {
  Fabric fabric =
      read_fabric(to_toml(LeafSpine{4, 2, 2, 4}, std::nullopt), "net.toml", FlowsFrom::elsewhere).fabric;
  for (Link& link : fabric.network.links) link.rate = LinkRate::of(link.rate.value() * speed, "rate");
  if (idle) {
    const std::size_t host = fabric.network.nodes.size(), leaf = fabric.network.links.front().to;
    fabric.network.nodes.push_back({"idle", true});
    fabric.network.links.push_back({.from = host, .to = leaf, .rate = *idle});
    fabric.network.links.push_back({.from = leaf, .to = host, .rate = *idle});
  }
  std::vector<Party> parties;
  for (std::uint32_t host = 0; host < 8; ++host)
    parties.push_back({.node = host, .sends = Rational(4) / 5 * speed, .attracts = 1});
  fabric.demands = {{"", RouteRule::spread, product_demand(fabric.network.nodes.size(), parties)}};
  FabricQuery query{
      .topology = {.fabric = std::make_shared<const Fabric>(in_own_slots(fabric)), .file = "net.toml"},
      .percentiles = {Rational(1) / 2, Rational(99) / 100, Rational(99'999) / 100'000},
      .drop = bounds::DropTarget{Rational(1) / 1'000'000'000}};
  query.units = {.packet_bytes = 64,
                 .link_gbps = Rational(512) / 10 / speed * query.topology.fabric->network.file_slots};
  return query;
}

void require_same(const FabricAnswer& found, const FabricAnswer& expected) {
  REQUIRE(*found.slot_ns == *expected.slot_ns);
  for (std::size_t i = 0; i < expected.pairs->all.percentiles.size(); ++i) {
    const auto &its = found.pairs->all.percentiles[i], &other = expected.pairs->all.percentiles[i];
    CHECK(its.time == other.time);
    CHECK(its.worst_time == other.worst_time);
    CHECK(its.mean_time == other.mean_time);
    CHECK(its.at.lower() == other.at.lower());
  }
  CHECK(found.pairs->all.mean_latency.upper() == expected.pairs->all.mean_latency.upper());
  REQUIRE(found.queues.size() == expected.queues.size());
  for (std::size_t i = 0; i < found.queues.size(); ++i) {
    CHECK(found.queues[i].buffer->buffer == expected.queues[i].buffer->buffer);
    CHECK(found.queues[i].load == expected.queues[i].load);
    CHECK(found.queues[i].rate == expected.queues[i].rate);
  }
}

}  // namespace

TEST_CASE("fabrics: links of different speeds have clocks of their own") {
  const FabricQuery query = mixed_in_ns(1);
  const FabricAnswer found = answer(query);
  CHECK(found.ticks_per_slot == 4);
  // The same with all speeds changed, and with an idle host on a link of any speed.
  for (const Rational& speed : {Rational(2), Rational(5), Rational(5) / 2, Rational(1) / 4})
    require_same(answer(mixed_in_ns(speed)), found);
  for (const LinkRate& idle : {LinkRate{1, 4}, LinkRate{3}, LinkRate{100}})
    require_same(answer(mixed_in_ns(1, idle)), found);
  // Flow by flow as listed networks.
  NetworkTopology listed{.network = written_out(*query.topology.fabric), .file = "net.toml"};
  REQUIRE_FALSE(has_unit_speeds(listed.network));
  DelayQuery of_flow{.topology = listed, .flow = "h0 -> h7", .percentiles = query.percentiles};
  of_flow.hops = Hops::independent;
  of_flow.units = query.units;
  of_flow.hop_ns = Rational(35);
  of_flow.drop = query.drop;
  const DelayAnswer expected = answer(of_flow);
  FabricQuery of_pair = query;
  of_pair.flow = of_flow.flow;
  of_pair.hop_ns = of_flow.hop_ns;
  const FabricAnswer pair = answer(of_pair);
  for (std::size_t i = 0; i < query.percentiles.size(); ++i)
    CHECK(pair.pair->percentiles[i].time * *pair.slot_ns == expected.flows.front().latency_ns[i]);
  CHECK(static_cast<double>(pair.pair->mean_latency.upper()) ==
        Approx(span_of(expected.flows.front().delay.mean_latency).upper).epsilon(1e-9));
}

TEST_CASE("fabrics: links of different speeds are compared with a simulation by their clocks") {
  FabricQuery query = mixed_in_ns(1);
  query.by = DelayBy::best;
  const FabricAnswer found = answer(query);
  REQUIRE(found.check);
  CHECK_FALSE(found.check->skipped);
  REQUIRE_FALSE(found.check->levels.empty());
  for (const CheckedLevel& level : found.check->levels) {
    CHECK(level.steps % found.ticks_per_slot == 0);
    CHECK(level.computed == Approx(level.simulated.value).epsilon(0.25));
  }
}

TEST_CASE("fabrics: no memory is shared by links of different speeds") {
  const auto of = [](const char* memory) {
    return read_fabrics(
        {"net.toml", std::string("shared_memory = \"") + memory + "\"\n" +
                         to_toml(LeafSpine{4, 2, 4, 4}, FabricTraffic{Rational(2) / 5, RouteRule::spread})},
        std::nullopt, RouteRule::spread, {}, no_file, {}, true);
  };
  CHECK_THROWS_WITH(answer(query(of("leaf0").front())), Catch::Contains("links of different speeds"));
  CHECK_NOTHROW(answer(query(of("spine0").front())));
}
