#include <tailbound/bounds/network/network_delay.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <tests/support/fraction.hpp>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using bounds::DelayAnswer;
using bounds::DelayQuery;
using bounds::NetworkDelay;
using bounds::PathDelay;
using network::Network;
using network::Sources;
using network::TreeRouting;
using numeric::Rational;
using tailbound::test::rational;

namespace {

DelayQuery whole_query() {
  DelayQuery query{{},
                   {rational("0.5"), rational("0.9"), rational("0.99"), rational("0.9999"),
                    1 - rational("1e-6"), 1 - rational("1e-9"), 1 - rational("1e-15")}};
  for (const std::int64_t t : {0, 1, 2, 5, 10, 20, 50, 100}) query.levels.emplace_back(t);
  return query;
}

/// The ends of both, bit by bit.
bool identical(const numeric::Proved<unit::Probability>& a, const numeric::Proved<unit::Probability>& b) {
  if (a.index() != b.index()) return false;
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&a))
    return exact->value == std::get<numeric::Exact<unit::Probability>>(b).value;
  const auto& left = std::get<numeric::Enclosure<unit::Probability>>(a);
  const auto& right = std::get<numeric::Enclosure<unit::Probability>>(b);
  return left.lower() == right.lower() && left.upper() == right.upper();
}

void check_identical(const std::vector<bounds::Percentile>& a, const std::vector<bounds::Percentile>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].probability == b[i].probability);
    CHECK(a[i].slots == b[i].slots);
    CHECK(identical(a[i].at.probability, b[i].at.probability));
    REQUIRE(a[i].before.size() == b[i].before.size());
    if (!a[i].before.empty()) CHECK(identical(a[i].before[0].probability, b[i].before[0].probability));
  }
}

void check_identical(const DelayAnswer& a, const DelayAnswer& b) {
  REQUIRE(a.above.size() == b.above.size());
  for (std::size_t i = 0; i < a.above.size(); ++i)
    CHECK(identical(a.above[i].probability, b.above[i].probability));
  check_identical(a.queueing, b.queueing);
  check_identical(a.latency, b.latency);
  for (const auto mean : {&DelayAnswer::mean_queueing, &DelayAnswer::mean_latency}) {
    REQUIRE(std::holds_alternative<numeric::Exact<unit::Slot>>(a.*mean));
    CHECK(std::get<numeric::Exact<unit::Slot>>(a.*mean).value ==
          std::get<numeric::Exact<unit::Slot>>(b.*mean).value);
  }
}

/// Routes by the traffic of their queues in order, so that two results can be compared.
std::vector<bounds::Route> translated(const std::vector<bounds::Route>& routes,
                                      const bounds::NetworkQueues& from, const bounds::NetworkQueues& to) {
  std::vector<bounds::Route> result;
  for (const bounds::Route& route : routes) {
    bounds::Route other{{}, route.share};
    for (const std::size_t queue : route.queues) {
      const auto found = std::find_if(to.traffic.begin(), to.traffic.end(), [&](const auto& traffic) {
        return traffic.sources == from.traffic[queue].sources && traffic.rate == from.traffic[queue].rate;
      });
      REQUIRE(found != to.traffic.end());
      other.queues.push_back(static_cast<std::size_t>(found - to.traffic.begin()));
    }
    result.push_back(other);
  }
  return result;
}

/// Two switches; hosts a, b at the left one, c, d at the right one.
Network hand_made(const char* from_a, const char* from_b, const char* between) {
  Network network;
  network.name = "two switches";
  network.nodes = {{"a", true}, {"b", true}, {"c", true}, {"d", true}, {"left", false}, {"right", false}};
  network.links = {{0, 4, 1}, {1, 4, 1}, {2, 5, 1}, {4, 5, 1}, {5, 4, 1}, {5, 2, 1}, {5, 3, 1}, {4, 0, 1}};
  network.flows = {{"a to d", 0, 3, rational(from_a), {{{0, 3, 6}, 1}}},
                   {"b to d", 1, 3, rational(from_b), {{{1, 3, 6}, 1}}},
                   {"a to c", 0, 2, rational(between), {{{0, 3, 5}, 1}}},
                   {"c to a", 2, 0, rational("1/8"), {{{2, 4, 7}, 1}}}};
  return network;
}

std::string overloaded(const Network& network) {
  try {
    (void)bounds::network_delay(network, Sources::independent_sources);
  } catch (const bounds::Overloaded& error) {
    return error.what();
  }
  return "not overloaded";
}

}  // namespace

TEST_CASE("Network delay: a tree written and read back equals the built-in tree",
          "[bounds][network][delay]") {
  struct Shape {
    network::Tree tree;
    const char* load;
  };
  const DelayQuery query = whole_query();
  for (const Shape& shape : {Shape{{2, 3}, "0.9"}, Shape{{4, 2}, "0.8"}})
    for (const TreeRouting routing : {TreeRouting::random_root, TreeRouting::nearest_ancestor})
      for (const Sources sources : {Sources::independent_sources, Sources::first_hop}) {
        INFO("radix " << shape.tree.radix << ", routing " << static_cast<int>(routing) << ", sources "
                      << static_cast<int>(sources));
        const Rational load = rational(shape.load);
        const bounds::TreeDelay tree = bounds::tree_delay(shape.tree, load, routing, sources);
        const Network written = network::tree_network(shape.tree, load, routing);
        const Network read = network::read_network(network::to_toml(written), "tree.toml").network;
        REQUIRE(read.flows.size() == written.flows.size());
        const NetworkDelay delay = bounds::network_delay(read, sources);
        REQUIRE(delay.flows.size() == read.flows.size());
        // The same few queues for any number of links.
        CHECK(delay.network.queues.size() == tree.network.queues.size());

        // All flows weighted by rate: the tree's packets.
        std::vector<bounds::Route> all;
        Rational rates = 0;
        for (const network::Flow& flow : read.flows) rates = rates + flow.rate;
        for (const bounds::FlowDelay& flow : delay.flows)
          for (const bounds::Route& route : translated(flow.routes, delay.network, tree.network)) {
            const Rational share = route.share * read.flows[flow.flow].rate / rates;
            const auto same = std::find_if(all.begin(), all.end(), [&](const bounds::Route& known) {
              return known.queues == route.queues;
            });
            if (same == all.end())
              all.push_back({route.queues, share});
            else
              same->share = same->share + share;
          }
        REQUIRE(all.size() == tree.routes.size());
        for (const bounds::Route& route : tree.routes) {
          const auto same = std::find_if(all.begin(), all.end(), [&](const bounds::Route& known) {
            return known.queues == route.queues;
          });
          REQUIRE(same != all.end());
          CHECK(same->share == route.share);
        }
        PathDelay of_tree(tree.network.queues, queue::HopDelay::wait);
        PathDelay of_network(delay.network.queues, queue::HopDelay::wait);
        // In the order of the tree's routes, so that sums are rounded identically.
        const std::vector<bounds::Route> routes = translated(tree.routes, tree.network, delay.network);
        check_identical(of_tree.answer(tree.routes, query), of_network.answer(routes, query));
        // Each flow takes one of the tree's routes.
        for (const std::size_t position : {std::size_t{0}, read.flows.size() / 2, read.flows.size() - 1}) {
          const auto& flow = delay.flows[position];
          const std::vector<bounds::Route> as_tree = translated(flow.routes, delay.network, tree.network);
          REQUIRE(as_tree.size() == 1);
          CHECK(as_tree.front().share == 1);
          check_identical(of_tree.answer(as_tree, query), of_network.answer(flow.routes, query));
        }
      }
}

TEST_CASE("Network delay: two switches by hand", "[bounds][network][delay]") {
  const Network network = hand_made("0.2", "0.3", "0.1");
  const NetworkDelay delay = bounds::network_delay(network, Sources::independent_sources);
  // left -> right: a sends 0.3, b 0.3. right -> d: a sends 0.2, b 0.3. right -> c: a alone, 0.1. c's flow
  // is alone on right -> left and on left -> a.
  REQUIRE(delay.queue_of_link.size() == network.links.size());
  for (const std::size_t from_host : {0u, 1u, 2u})
    CHECK(delay.queue_of_link[from_host] == NetworkDelay::none);
  for (std::size_t link = 3; link < network.links.size(); ++link)
    REQUIRE(delay.queue_of_link[link] < delay.network.queues.size());
  const auto traffic = [&](std::size_t link) { return delay.network.traffic[delay.queue_of_link[link]]; };
  CHECK(traffic(3).sources == std::vector<network::SourceRate>{{rational("0.3"), 2}});
  CHECK(traffic(6).sources == std::vector<network::SourceRate>{{rational("0.2"), 1}, {rational("0.3"), 1}});
  CHECK(traffic(5).sources == std::vector<network::SourceRate>{{rational("0.1"), 1}});
  CHECK(delay.queue_of_link[4] == delay.queue_of_link[7]);  // equal traffic: one entry
  CHECK(delay.network.queues.size() == 4);

  // E[W] = A''(1) / (2 rho (1 - rho)) + ... by hand: 0.6 of two equal sources: E[Q] = 0.6 + 0.18/0.8 = 0.825,
  // E[W] = 0.825/0.6 - 1 = 3/8; 0.2 and 0.3: E[Q] = 0.5 + 0.12/1 = 0.62, E[W] = 0.24.
  PathDelay delays(delay.network.queues, queue::HopDelay::wait);
  const auto mean = [&](std::size_t flow) {
    return std::get<numeric::Exact<unit::Slot>>(delays.answer(delay.flows[flow].routes, {}).mean_queueing)
        .value;
  };
  CHECK(delay.flows[0].routes.front().queues.size() == 2);
  CHECK(mean(0) == rational("0.615"));
  CHECK(mean(1) == rational("0.615"));
  CHECK(mean(2) == rational("0.375"));
  CHECK(mean(3) == 0);
  // P(W = 0) by hand: P(Q = 1)/rho; for two equal sources q^2 = 0.49, P(Q = 0) = 0.4, P(Q = 1) =
  // 0.4 (1/0.49 - 1): W(0) = (0.4 * 0.51/0.49) / 0.6. And 0.5 * 0.44/0.56 / 0.5 for 0.2 and 0.3.
  const Rational zero = rational("0.4") * rational("0.51") / rational("0.49") / rational("0.6") *
                        rational("0.44") / rational("0.56");
  const DelayAnswer answer = delays.answer(delay.flows[0].routes, {{Slots(0)}, {}});
  CHECK(numeric::to_enclosure(answer.above[0].probability).contains(1 - zero));
}

TEST_CASE("Network delay: routes of a flow through the same queues are merged", "[bounds][network][delay]") {
  // a -> s, then over x or y to t, then b: both middles identical; and a third, z, that others use too.
  Network network;
  network.nodes = {{"a", true},  {"b", true},  {"c", true},  {"s", false},
                   {"x", false}, {"y", false}, {"z", false}, {"t", false}};
  network.links = {{0, 3, 1}, {3, 4, 1}, {4, 7, 1}, {3, 5, 1}, {5, 7, 1},
                   {3, 6, 1}, {6, 7, 1}, {7, 1, 1}, {2, 6, 1}};
  const Rational quarter = rational("1/4");
  network.flows = {{"ab",
                    0,
                    1,
                    rational("0.4"),
                    {{{0, 1, 2, 7}, quarter}, {{0, 3, 4, 7}, quarter}, {{0, 5, 6, 7}, rational("1/2")}}},
                   {"cb", 2, 1, rational("0.3"), {{{8, 6, 7}, 1}}}};
  const NetworkDelay delay = bounds::network_delay(network, Sources::independent_sources);
  REQUIRE(delay.flows.size() == 2);
  REQUIRE(delay.flows[0].routes.size() == 2);
  Rational sum = 0;
  for (const bounds::Route& route : delay.flows[0].routes) {
    CHECK(route.share == rational("1/2"));
    CHECK(route.queues.size() == 3);
    sum = sum + route.share;
  }
  CHECK(sum == 1);
  REQUIRE(delay.flows[1].routes.size() == 1);
  CHECK(delay.flows[1].routes[0].queues ==
        std::vector<std::size_t>{delay.queue_of_link[6], delay.queue_of_link[7]});
}

TEST_CASE("Network delay: the overloaded link is named with its load", "[bounds][network][delay]") {
  CHECK(overloaded(hand_made("0.4", "0.5", "0.05")) == "not overloaded");
  const std::string text = overloaded(hand_made("0.4", "0.6", "0.25"));
  INFO(text);
  CHECK(text.find("left -> right") != std::string::npos);  // 1.25; right -> d has 1 and is less
  CHECK(text.find("1.25") != std::string::npos);
  // Exactly full is rejected.
  CHECK(overloaded(hand_made("0.4", "0.55", "0.05")).find("left -> right") != std::string::npos);
  // Twice as fast it carries that; then right -> d is full.
  Network wide = hand_made("0.4", "0.6", "0.25");
  wide.links[3].rate.packets = 2;
  CHECK(overloaded(wide).find("right -> d") != std::string::npos);
  wide.links[6].rate.packets = 2;
  CHECK(overloaded(wide) == "not overloaded");
  CHECK_THROWS_AS(bounds::tree_delay({4, 2}, 1, TreeRouting::random_root, Sources::independent_sources),
                  bounds::Overloaded);
  // A host's own link is not a queue: full is allowed.
  Network full = hand_made("1/2", "1/4", "0.1");
  full.flows = {{"b to d", 1, 3, rational("0.9"), {{{1, 3, 6}, 1}}}};
  const NetworkDelay delay = bounds::network_delay(full, Sources::independent_sources);
  CHECK(delay.queue_of_link[5] == NetworkDelay::none);  // nothing passes
  CHECK(delay.network.queues.size() == 1);
}

TEST_CASE("Network delay: sources become arrivals", "[bounds][network][delay]") {
  const auto equal = bounds::slotted_queue({"x", {}, {{rational("0.1"), 5}}, rational("0.5")});
  REQUIRE(std::holds_alternative<series::EqualInputs>(equal.arrivals.description()));
  CHECK(*equal.arrivals.load() == rational("0.5"));
  const auto mixed = bounds::slotted_queue(
      {"x", {.packets = 3}, {{rational("0.1"), 2}, {rational("0.4"), 1}}, rational("0.6")});
  CHECK(mixed.packets_per_slot == 3);
  CHECK(std::get<series::UnequalInputs>(mixed.arrivals.description()).rates ==
        std::vector<Rational>{rational("0.1"), rational("0.1"), rational("0.4")});
}

TEST_CASE("Network delay: memoryless bursts change nothing, longer ones increase delay",
          "[bounds][network][delay][bursty]") {
  Network plain = hand_made("0.25", "0.5", "0.125");
  plain.flows.erase(plain.flows.begin() + 2);  // now each node sends one flow, with bursts or without
  Network forgetful = plain, bursty = plain;
  // 1 - beta = alpha: the next slot does not depend on whether a source was ON.
  forgetful.flows[0].burst = traffic::Burst{.slots = 1 / (1 - plain.flows[0].rate), .on_rate = 1};
  bursty.flows[0].burst = traffic::Burst{.slots = 20, .on_rate = 1};
  const auto answers = [](const Network& network) {
    const NetworkDelay delay = bounds::network_delay(network, Sources::independent_sources);
    PathDelay delays(delay.network.queues, queue::HopDelay::wait);
    std::vector<DelayAnswer> result;
    for (const bounds::FlowDelay& flow : delay.flows)
      result.push_back(
          delays.answer(flow.routes, {.levels = {Slots(0), Slots(1), Slots(3)}, .percentiles = {}}));
    return result;
  };
  const auto without = answers(plain), same = answers(forgetful), longer = answers(bursty);
  REQUIRE(without.size() == 3);
  for (std::size_t flow = 0; flow < 3; ++flow)
    for (std::size_t i = 0; i < 3; ++i) {
      INFO("flow " << flow << ", level " << i);
      const auto a = numeric::to_enclosure(without[flow].above[i].probability);
      const auto b = numeric::to_enclosure(same[flow].above[i].probability);
      const auto c = numeric::to_enclosure(longer[flow].above[i].probability);
      CHECK(a.lower() <= b.upper());
      CHECK(b.lower() <= a.upper());
      if (flow == 2)
        CHECK(c.upper() == 0);  // c sends alone
      else if (i > 0)
        CHECK(c.lower() > a.upper());
    }
}

TEST_CASE("Network delay: unsupported cases with bursts are rejected", "[bounds][network][delay][bursty]") {
  Network network = hand_made("0.25", "0.5", "0.125");
  network.flows[0].burst = traffic::Burst{.slots = 20, .on_rate = 1};
  CHECK_THROWS_AS(bounds::network_delay(network, Sources::first_hop), InvalidArgument);
  CHECK_THROWS_AS(bounds::tree_delay({4, 2}, rational("0.6"), TreeRouting::random_root, Sources::first_hop,
                                     traffic::Burst{.slots = 8, .on_rate = 1}),
                  InvalidArgument);
}

TEST_CASE("Network delay: a host may send in every slot, for its own links have no queue",
          "[bounds][network][delay]") {
  const Network network = network::read_network(R"(
hosts = ["a", "b", "c"]
switches = ["s"]
link = [{from = ["a", "b"], to = "s"}, {from = "s", to = "c", rate = 2}]
flow = [{from = "a", to = "c", rate = 1}, {from = "b", to = "c", rate = 0.5}]
)",
                                                "full.toml")
                              .network;
  CHECK(overloaded(network) == "not overloaded");
  const NetworkDelay delay = bounds::network_delay(network, Sources::independent_sources);
  // In slots of the queue, half of those of the hosts: 1/2 and 1/4 packets in each.
  REQUIRE(delay.network.traffic.size() == 1);
  CHECK(delay.network.traffic[0].ticks == 1);
  CHECK(delay.network.traffic[0].load == rational("3/4"));
  PathDelay delays(delay.network.queues, queue::HopDelay::wait);
  const auto answer = delays.answer(delay.flows.front().routes, {.levels = {Slots(0)}, .percentiles = {}});
  CHECK(std::get<numeric::Exact<unit::Slot>>(answer.mean_queueing).value == rational("2/3"));
}
