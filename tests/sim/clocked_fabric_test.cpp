#include <tailbound/core/error.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/sim/fabric/simulate_fabric.hpp>
#include <tailbound/sim/network/clocked_replication.hpp>

#include <catch2/catch.hpp>
#include <tests/support/estimate.hpp>

#include <string>

namespace tailbound::sim::clocked_fabric {
namespace {

using numeric::Rational;

network::Fabric fabric_of(const std::string& toml) {
  return network::read_fabric(toml, "fabric.toml").fabric;
}

/// Uplinks four times as fast as those of hosts.
network::Fabric leaf_spine(const Rational& rate) {
  return fabric_of(network::to_toml(network::LeafSpine{4, 2, 6, 4}, network::FabricTraffic{rate}));
}

/// Every link, and all traffic, in slots of half the length.
network::Fabric twice_as_fast(network::Fabric fabric) {
  for (network::Link& link : fabric.network.links) link.rate.packets *= 2;
  for (network::Demand& demand : fabric.demands)
    for (Rational& value : std::get<network::ProductDemand>(demand.rates).values) value = value * 2;
  // rate(s, d) is a product of two values
  for (network::Demand& demand : fabric.demands) {
    auto& product = std::get<network::ProductDemand>(demand.rates);
    const std::size_t values = product.values.size();
    for (std::size_t i = 0; i < values; ++i) product.values.push_back(product.values[i] / 2);
    for (std::uint32_t& in : product.in)
      if (in != 0) in += static_cast<std::uint32_t>(values);
  }
  return fabric;
}

const RunPlan fabric_plan{.seed = 3, .replications = 4, .warmup = 500, .slots = 8'000, .batches = 32};

template <class Unit>
bool close(const numeric::Estimate<Unit>& a, const numeric::Estimate<Unit>& b, double absolute) {
  return a.lower - absolute <= b.upper && b.lower - absolute <= a.upper;
}

struct Both {
  NetworkEstimates fabric, listed;
};

/// The fabric, and the same network with listed flows.
Both simulated(const network::Fabric& fabric, std::optional<std::int64_t> buffer,
               const NetworkQueries& queries) {
  const FabricModel model{fabric_tables(fabric), buffer};
  NetworkModel listed{network::in_own_slots(network::written_out(fabric)), buffer, {}};
  listed.groups.assign(listed.network.flows.size(), 0);  // all flows together
  REQUIRE(fabric_times(model).mixed_speeds);
  REQUIRE_FALSE(network::has_unit_speeds(listed.network));
  return {fabric_estimates(model, run_fabric(model, fabric_plan), queries),
          network_estimates(listed, run_network(listed, fabric_plan), queries)};
}

/// Equal delays and queues, each as far as the intervals show.
void compare(const network::Fabric& fabric, std::optional<std::int64_t> buffer = {}) {
  const Both both = simulated(fabric, buffer,
                              {.occupancy_levels = {0, 1, 3},
                               .delay_levels = {0, 1, 2, 4},
                               .percentiles = {0.5, 0.9},
                               .confidence = test::sure});
  const NetworkEstimates &one = both.fabric, &other = both.listed;
  CHECK(close(one.mean_queueing, other.mean_queueing, 0));
  CHECK(close(one.mean_latency, other.mean_latency, 0));
  for (std::size_t i = 0; i < one.delay_ccdf.size(); ++i)
    CHECK(close(one.delay_ccdf[i].probability, other.delay_ccdf[i].probability, 0));
  for (std::size_t i = 0; i < one.percentiles.size(); ++i) {
    CHECK(close(one.percentiles[i].queueing, other.percentiles[i].queueing, 1 / 32.0));
    CHECK(close(one.percentiles[i].latency, other.percentiles[i].latency, 1 / 32.0));
  }
  const network::Network network = network::written_out(fabric);
  const QueueKinds kinds(network);
  for (std::size_t kind = 0; kind < kinds.kinds.size(); ++kind) {
    INFO(kinds.kinds[kind].name);
    // Of one of its queues on average.
    const auto averages = [&](const auto& of) {
      auto average = of(one.links[kind]);
      average.lower = average.upper = 0;
      for (const LinkEstimates& link : other.links)
        if (kinds.of_link[link.link] == kind) {
          average.lower += of(link).lower / static_cast<double>(kinds.kinds[kind].queues);
          average.upper += of(link).upper / static_cast<double>(kinds.kinds[kind].queues);
        }
      return close(of(one.links[kind]), average, 0);
    };
    CHECK(averages([](const LinkEstimates& link) { return link.load; }));
    CHECK(averages([](const LinkEstimates& link) { return link.mean_occupancy; }));
    for (std::size_t i = 0; i < one.links[kind].tail.size(); ++i)
      CHECK(averages([i](const LinkEstimates& link) { return link.tail[i].probability; }));
    CHECK(averages([](const LinkEstimates& link) { return link.loss; }));
  }
  CHECK((one.links.front().dropped > 0) == buffer.has_value());
}

const std::string ring =
    "hosts = \"h[0..3]\"\nswitches = \"s[0..3]\"\n"
    "link = [{each = \"i = 0..3, j = 0..1\", from = \"h[i]\", to = \"s[(i+j)%4]\", both = true},\n"
    "  {each = \"i = 0..3\", from = \"s[i]\", to = \"s[(i+1)%4]\", both = true, rate = 3}]\n"
    "[[traffic]]\nuniform = 0.5\nroute = \"spread\"\n";

}  // namespace

TEST_CASE("clocked fabric: the same network with listed flows has the same delays, queues and losses",
          "[sim][fabric]") {
  compare(leaf_spine(Rational(3) / 5));
  compare(leaf_spine(Rational(4) / 5), 3);
  compare(twice_as_fast(leaf_spine(Rational(1) / 2)));
}

TEST_CASE("clocked fabric: hosts with several links, weights and three speeds match listed flows",
          "[sim][fabric]") {
  compare(fabric_of(ring));
  compare(fabric_of(
      "hosts = \"h[0..3]\"\nswitches = \"a[0..1], b[0..1]\"\n"
      "link = [{each = \"i = 0..3\", from = \"h[i]\", to = \"a[i/2]\", both = true},\n"
      "  {from = [\"a0\", \"a1\"], to = \"b0\", weight = 3, both = true, rate = 4},\n"
      "  {from = [\"a0\", \"a1\"], to = \"b1\", both = true, rate = 2}]\n"
      "[[traffic]]\nuniform = 0.4\nroute = \"spread\"\nhot = \"h3\"\nhot_share = 0.4\n"
      "[[traffic]]\nname = \"p\"\npermutation = \"shift\"\nshift = 2\nrate = 0.2\nroute = \"spread\"\n"));
}

TEST_CASE("clocked fabric: packets are neither lost nor made, and a saved run continues unchanged",
          "[sim][fabric]") {
  for (const std::optional<std::int64_t> buffer :
       {std::optional<std::int64_t>(), std::optional<std::int64_t>(2)}) {
    const FabricModel model{fabric_tables(leaf_spine(Rational(9) / 10)), buffer};
    const auto whole = make_fabric_replication(model, {7, 2});
    whole->advance(3'333);
    const FabricBalance balance = whole->balance();
    CHECK(balance.sent == balance.delivered + balance.dropped + balance.in_transit);
    CHECK((balance.dropped > 0) == buffer.has_value());
    const auto first = make_fabric_replication(model, {7, 2});
    first->advance(1'000);
    first->advance(111);
    ByteWriter writer;
    first->save(writer);
    const std::string bytes = writer.take();
    const auto second = make_fabric_replication(model, {7, 2});
    ByteReader reader(bytes);
    second->load(reader);
    second->advance(2'222);
    const Counts counts = whole->take_counts();
    CHECK(counts == second->take_counts());
    CHECK(whole->steps() == second->steps());
    std::uint64_t delivered = 0;
    for (const SeenRow& row : fabric_times(model).delays)
      for (const std::uint64_t packets : counts[row.row]) delivered += packets;
    CHECK(delivered == static_cast<std::uint64_t>(balance.delivered));
    for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 40) {
      const auto third = make_fabric_replication(model, {7, 2});
      ByteReader shorter(std::string_view(bytes).substr(0, cut));
      CHECK_THROWS_AS(third->load(shorter), ParseError);
    }
  }
}

TEST_CASE("clocked fabric: packets that wait longer than the bucket ring still arrive", "[sim][fabric]") {
  // Two hosts for one link: its offered load is 1.2 packets per slot, and the queue grows.
  const FabricModel model{fabric_tables(fabric_of(
      "hosts = \"h[0..3]\"\nswitches = \"a[0..1]\"\nlink = [{from = \"a0\", to = \"a1\", both = true},\n"
      "  {each = \"i = 0..3\", from = \"h[i]\", to = \"a[i/2]\", both = true, rate = 2}]\n"
      "[traffic]\nuniform = 0.6\nfrom = \"h[0..1]\"\nto = \"h[2..3]\"\n"))};
  REQUIRE(fabric_times(model).mixed_speeds);
  const auto replication = make_fabric_replication(model, {1, 0});
  replication->advance(4'000);
  const FabricBalance balance = replication->balance();
  CHECK(balance.sent == balance.delivered + balance.in_transit);
  CHECK(balance.in_transit > 600);
}

TEST_CASE("clocked fabric: idle links change nothing, and only speeds relative to each other count",
          "[sim][fabric]") {
  const auto counts = [](const network::Fabric& fabric, bool mixed) {
    const FabricModel model{fabric_tables(fabric)};
    CHECK(fabric_times(model).mixed_speeds == mixed);
    const auto replication = make_fabric_replication(model, {5, 1});
    replication->advance(700);
    return replication->take_counts();
  };
  // Of h4 and the switch b1, which no packet reaches.
  const auto with = [](const std::string& idle, const std::string& uplink) {
    return fabric_of(
        "hosts = \"h[0..4]\"\nswitches = \"a[0..1], b[0..1]\"\n"
        "link = [{each = \"i = 0..3\", from = \"h[i]\", to = \"a[i/2]\", both = true},\n"
        "  {from = [\"a0\", \"a1\"], to = \"b0\", both = true, rate = " +
        uplink +
        "},\n"
        "  {from = [\"h4\", \"a0\"], to = \"b1\", both = true, rate = " +
        idle +
        "}]\n"
        "[traffic]\nuniform = 0.4\nfrom = \"h[0..3]\"\nto = \"h[0..3]\"\n");
  };
  CHECK(counts(with("8", "1"), false) == counts(with("1", "1"), false));
  CHECK(counts(with("9", "4"), true) == counts(with("1", "4"), true));
  const network::Fabric mixed = leaf_spine(Rational(2) / 5), equal = with("2", "1");
  CHECK(counts(twice_as_fast(mixed), true) == counts(mixed, true));
  CHECK(counts(twice_as_fast(equal), false) == counts(equal, false));
  const FabricModel twice{fabric_tables(twice_as_fast(mixed))};
  CHECK(fabric_times(twice).clocks.slot == 2 * fabric_times(twice).clocks.slowest);
}

TEST_CASE("clocked fabric: results do not depend on the number of threads", "[sim][fabric]") {
  const FabricModel model{fabric_tables(leaf_spine(Rational(9) / 10)), 20};
  const RunPlan brief{.replications = 4, .warmup = 128, .slots = 640, .batches = 4};
  const RunResult one = run_fabric(model, brief);
  for (const int threads : {2, 3, 4})
    CHECK(run_fabric(model, brief, {.threads = threads}).batches == one.batches);
}

}  // namespace tailbound::sim::clocked_fabric
