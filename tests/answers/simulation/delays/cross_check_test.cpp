#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <algorithm>
#include <catch2/catch.hpp>

namespace tailbound::answers {
namespace {

NetworkTopology network_of(const std::string& toml) {
  return {.network = network::read_network(toml, "test").network};
}

/// Hosts with rates 0.3, 0.2 and 0.4 that send to another one through one switch.
const char* const one_queue =
    "hosts = [\"a\", \"b\", \"c\", \"d\"]\nswitches = [\"s\"]\n[[link]]\nfrom = [\"a\", \"b\", \"c\"]\nto = "
    "\"s\"\n"
    "[[link]]\nfrom = \"s\"\nto = \"d\"\n[[flow]]\nfrom = \"a\"\nto = \"d\"\nrate = 0.3\n[[flow]]\nfrom = "
    "\"b\"\nto = \"d\"\n"
    "rate = 0.2\n[[flow]]\nfrom = \"c\"\nto = \"d\"\nrate = 0.4\n";

/// The same tail for every query.
ComputedTails always(double tail) {
  return [tail](const std::vector<std::vector<Slots>>& levels) {
    std::vector<std::vector<double>> tails;
    for (const auto& its : levels) tails.emplace_back(its.size(), tail);
    return tails;
  };
}

/// Of a simulation with one group for each flow.
CrossCheck checked(const Topology& topology, std::vector<std::size_t> groups, ComputedTails computed,
                   bool bounds = false, DelayEffort effort = DelayEffort::brief) {
  const SimulatedDelays simulated = simulated_delays(topology, groups, effort);
  return cross_check(simulated,
                     {.groups = std::move(groups), .bounds = bounds, .computed = std::move(computed)});
}

bool all_agree(const CrossCheck& check) {
  return std::all_of(check.levels.begin(), check.levels.end(),
                     [](const CheckedLevel& level) { return level.agreement == Agreement::agrees; });
}

}  // namespace

TEST_CASE("cross-check: correct delays of a network agree, at rare levels") {
  DelayQuery query{.topology =
                       TreeTopology{.tree = {.radix = 4, .levels = 1}, .load = numeric::Rational(4) / 5}};
  query.by = DelayBy::best;
  const DelayAnswer answer = answers::answer(query);
  REQUIRE(answer.check);
  CHECK(!answer.check->skipped);
  CHECK(all_agree(*answer.check));
  const CheckedLevel& rarest = answer.check->levels.back();
  CHECK(rarest.simulated.value < 1e-3);
  CHECK(rarest.simulated.upper - rarest.simulated.lower <= 0.4 * rarest.simulated.value);
  CHECK(rarest.computed == Approx(rarest.simulated.value).epsilon(0.3));
  // The same on every machine.
  const DelayAnswer again = answers::answer(query);
  REQUIRE(again.check->levels.size() == answer.check->levels.size());
  CHECK(again.check->levels.back().simulated.value == answer.check->levels.back().simulated.value);
  // Fewer packets wait longer; the rarest level is known to 20 %, so from at least some dozens of them.
  for (std::size_t i = 1; i < answer.check->levels.size(); ++i)
    CHECK(answer.check->levels[i].count < answer.check->levels[i - 1].count);
  CHECK(answer.check->levels.back().count > 50);
  query.by = DelayBy::analysis;
  CHECK(!answers::answer(query).check);
}

TEST_CASE("cross-check: what is computed too low, too high or above 1 is noticed, bounds may be high") {
  const Topology topology = network_of(one_queue);
  const auto check = [&](double tail, bool bounds) {
    return checked(topology, {0, 1, 2}, always(tail), bounds);
  };
  CHECK_FALSE(all_agree(check(0, false)));
  CHECK_FALSE(all_agree(check(1.2e10, false)));
  CHECK(all_agree(check(1.2e10, true)));
  CHECK_FALSE(all_agree(check(1e-9, true)));
  const CrossCheck low = check(1e-6, false);
  for (const CheckedLevel& level : low.levels) CHECK(level.agreement == Agreement::underestimates);
  for (const CheckedLevel& level : check(1, false).levels)
    CHECK(level.agreement == (level.simulated.upper < 0.9 ? Agreement::overestimates : level.agreement));
}

TEST_CASE("cross-check: the true delays of each source of one queue are not contradicted") {
  const Topology topology = network_of(one_queue);
  const std::vector<double> rates{0.3, 0.2, 0.4};
  // By iterating the queue: the backlog v, then the packets of the own slot that are served first.
  std::vector<double> arrivals{1}, left{1};
  const auto with = [](std::vector<double> sum, double rate) {
    sum.push_back(0);
    for (std::size_t n = sum.size(); n-- > 0;) sum[n] = sum[n] * (1 - rate) + (n > 0 ? sum[n - 1] * rate : 0);
    return sum;
  };
  for (const double rate : rates) arrivals = with(arrivals, rate);
  for (int round = 0; round < 4000; ++round) {
    std::vector<double> next(std::min<std::size_t>(left.size() + 2, 300), 0.0);
    for (std::size_t v = 0; v < left.size(); ++v)
      for (std::size_t a = 0; a < arrivals.size(); ++a)
        if (const std::size_t x = v + a, rest = x == 0 ? 0 : x - 1; rest < next.size())
          next[rest] += left[v] * arrivals[a];
    left = next;
  }
  const auto tail = [&](std::size_t source, std::int64_t t) {
    std::vector<double> others{1};
    for (std::size_t i = 0; i < rates.size(); ++i)
      if (i != source) others = with(others, rates[i]);
    double sum = 0;
    for (std::size_t v = 0; v < left.size(); ++v)
      for (std::size_t a = 0; a < others.size(); ++a)
        for (std::size_t j = 0; j <= a; ++j)
          if (static_cast<std::int64_t>(v + j) > t) sum += left[v] * others[a] / static_cast<double>(a + 1);
    return sum;
  };
  const auto computed = [&](double factor) {
    return [&, factor](const std::vector<std::vector<Slots>>& levels) {
      std::vector<std::vector<double>> tails(levels.size());
      for (std::size_t i = 0; i < levels.size(); ++i)
        for (const Slots level : levels[i]) {
          double mixed = 0;
          for (std::size_t flow = 0; flow < rates.size(); ++flow)
            mixed += rates[flow] / 0.9 * tail(flow, level.value);
          tails[i].push_back(factor * (i < rates.size() ? tail(i, level.value) : mixed));
        }
      return tails;
    };
  };
  const CrossCheck right = checked(topology, {0, 1, 2}, computed(1));
  // Of 24 levels one is outside of its interval by chance, and then by less than 10 %.
  CHECK(std::count_if(right.levels.begin(), right.levels.end(),
                      [](const CheckedLevel& level) { return level.agreement != Agreement::agrees; }) <= 1);
  CHECK(right.levels.back().simulated.value < 1e-2);
  CHECK_FALSE(all_agree(checked(topology, {0, 1, 2}, computed(0.8))));
  CHECK_FALSE(all_agree(checked(topology, {0, 1, 2}, computed(2.4))));
  CHECK(all_agree(checked(topology, {0, 1, 2}, computed(2.4), true)));
}

TEST_CASE("cross-check: expensive simulations are skipped, unless requested") {
  const TreeTopology tree{.tree = {.radix = 16, .levels = 3}, .load = numeric::Rational(99) / 100};
  const CrossCheck skipped = checked(tree, {}, always(0));
  CHECK(skipped.skipped);
  CHECK(skipped.levels.empty());
  CHECK(skipped.packet_hops > 1e9);
  const TreeTopology small{.tree = {.radix = 4, .levels = 2}, .load = numeric::Rational(8) / 10};
  const CrossCheck brief = checked(small, {}, always(0));
  const CrossCheck usual = checked(small, {}, always(0), false, DelayEffort::usual);
  CHECK(usual.slots > brief.slots);
  CHECK(usual.packets > 2 * brief.packets);
}

TEST_CASE("cross-check: a fabric") {
  const network::FabricTraffic traffic{numeric::Rational(1) / 2, network::RouteRule::spread};
  const NamedText file{"net.toml", network::to_toml(network::LeafSpine{16, 8, 32, 4}, traffic)};
  FabricQuery query{.topology = read_fabrics(file, std::nullopt, network::RouteRule::spread, {}, {}).front(),
                    .percentiles = {numeric::Rational(99) / 100}};
  query.by = DelayBy::best;
  const FabricAnswer answer = answers::answer(query);
  REQUIRE(answer.check);
  CHECK(!answer.check->skipped);
  CHECK(!answer.check->levels.empty());
  for (const CheckedLevel& level : answer.check->levels) CHECK(!level.flow);
}

TEST_CASE("cross-check: a fabric has the clocks and the delays of the same network with listed flows") {
  const network::FabricTraffic traffic{numeric::Rational(1) / 2, network::RouteRule::spread};
  const network::Fabric fabric =
      network::read_fabric(network::to_toml(network::LeafSpine{4, 2, 4, 4}, traffic), "net.toml").fabric;
  NetworkTopology listed{.network = network::written_out(fabric)};
  const std::vector<std::size_t> one_group(listed.network.flows.size());
  const SimulatedDelays of_flows = simulated_delays(listed, one_group, DelayEffort::requested);
  const SimulatedDelays whole =
      simulated_delays(fabric, {.utilization = 0.5, .hops = 3, .steps_per_slot = 22}, DelayEffort::requested);
  CHECK(whole.steps() == of_flows.steps());
  const auto overlap = [](const auto& a, const auto& b) { return a.lower <= b.upper && b.lower <= a.upper; };
  CHECK(overlap(whole.waits({}).mean(0.9999), of_flows.waits({}).mean(0.9999)));
  CHECK(overlap(whole.latencies({}).mean(0.9999), of_flows.latencies({}).mean(0.9999)));
  for (const double t : {0.0, 20.0, 128.0, 300.0})
    CHECK(overlap(whole.waits({}).tail(t, 0.9999), of_flows.waits({}).tail(t, 0.9999)));
}

}  // namespace tailbound::answers
