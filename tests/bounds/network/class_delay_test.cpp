#include <algorithm>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>

using namespace tailbound;
using answers::DelayAnswer;
using answers::DelayQuery;
using tailbound::test::rational;

namespace {

/// Three hosts behind one switch, two behind another; flows with classes from `flows`.
std::string class_network(const std::string& flows) {
  return R"(
hosts = ["a", "b", "c", "d", "e"]
switches = ["s", "t"]
[[link]]
from = ["a", "b", "c"]
to = "s"
both = true
[[link]]
from = "s"
to = "t"
both = true
[[link]]
from = "t"
to = ["d", "e"]
both = true
)" + flows;
}

std::string class_flow(const char* from, const char* to, const char* rate, int priority,
                       const char* more = "") {
  return std::string("[[flow]]\nfrom = \"") + from + "\"\nto = \"" + to + "\"\nrate = " + rate +
         "\nclass = " + std::to_string(priority) + "\n" + more;
}

DelayAnswer class_delays(const std::string& toml, std::optional<answers::Hops> hops = {}) {
  DelayQuery query{.topology = answers::NetworkTopology{.network = network::read_network(toml, "n").network}};
  query.levels = {Slots(0), Slots(3), Slots(10)};
  query.percentiles = {rational("0.99")};
  query.hops = hops;
  query.drop = bounds::DropTarget{rational("1e-6")};
  return answers::answer(query);
}

}  // namespace

TEST_CASE("classes in a network: the highest is independent of the others", "[classes]") {
  const std::string first = class_flow("a", "d", "0.3", 1) + class_flow("e", "d", "0.3", 1);
  const DelayAnswer all = class_delays(class_network(first + class_flow("b", "d", "0.3", 2)));
  const DelayAnswer alone = class_delays(class_network(first));
  REQUIRE(all.flows.size() == 3);
  CHECK(all.paths.classes == 2);
  for (std::size_t flow = 0; flow < 2; ++flow) {
    CHECK(all.flows[flow].hops == alone.flows[flow].hops);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(test::ends(all.flows[flow].delay.above[i].probability).text() ==
            test::ends(alone.flows[flow].delay.above[i].probability).text());
  }
}

TEST_CASE("classes in a network: one queue of equal sources equals the priority queue, proved", "[classes]") {
  // Both hosts send both classes to d: two equal sources at the queue of t -> d.
  const std::string toml = R"(
hosts = ["a", "b", "d"]
switches = ["t"]
[[link]]
from = ["a", "b"]
to = "t"
[[link]]
from = "t"
to = "d"
)" + class_flow("a", "d", "0.2", 1, "name = \"a1\"\n") +
                           class_flow("b", "d", "0.2", 1, "name = \"b1\"\n") +
                           class_flow("a", "d", "0.25", 2, "name = \"a2\"\n") +
                           class_flow("b", "d", "0.25", 2, "name = \"b2\"\n");
  const DelayAnswer found = class_delays(toml);
  queue::PriorityQueue queue(std::vector<queue::ClassSource>{{rational("0.2"), rational("0.25"), 2}});
  REQUIRE(found.flows.size() == 4);
  CHECK(found.flows[2].one_queue);
  CHECK(found.proved());
  const int levels[] = {0, 3, 10};
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(test::ends(found.flows[2].delay.above[i].probability)
              .meets(test::ends(numeric::Claim<unit::Probability>(queue.wait_tail(Slots(levels[i]))))));
  CHECK(std::get<numeric::Exact<unit::Slot>>(found.flows[2].delay.mean_queueing).value == queue.mean_wait());
  CHECK(found.buffers[found.paths.flows[2].longest.front()]->buffer.value ==
        queue.min_level(rational("1e-6")).level);
}

TEST_CASE("classes in a network: waits of lower classes are added as independent and marked", "[classes]") {
  const std::string toml = class_network(class_flow("a", "d", "0.3", 1) + class_flow("b", "d", "0.3", 2) +
                                         class_flow("c", "e", "0.2", 3) + class_flow("e", "d", "0.2", 2));
  const DelayAnswer found = class_delays(toml);
  CHECK(found.flows[2].one_queue);  // it meets one other source, at one queue
  const auto several = std::find_if(found.flows.begin(), found.flows.end(), [](const auto& flow) {
    return !flow.one_queue && flow.hops == answers::Hops::independent;
  });
  REQUIRE(several != found.flows.end());
  CHECK_THAT(several->hops_reason, Catch::Contains("class with lower priority"));
  CHECK_THROWS_AS(class_delays(toml, answers::Hops::chain), InvalidArgument);
  // Classes that never meet do not wait for each other.
  const DelayAnswer apart =
      class_delays(class_network(class_flow("a", "d", "0.3", 1) + class_flow("d", "e", "0.9", 2)));
  CHECK(std::get<numeric::Exact<unit::Slot>>(apart.flows[1].delay.mean_queueing).value == 0);
}

TEST_CASE("classes in a network: file round trip and errors", "[classes]") {
  const std::string toml = class_network(class_flow("a", "d", "0.3", 1) + class_flow("b", "d", "0.3", 8));
  const network::Network read = network::read_network(toml, "n").network;
  CHECK(read.classes() == 8);
  CHECK(network::read_network(network::to_toml(read), "m").network.flows[1].priority == 8);
  CHECK_THROWS_WITH(network::read_network(class_network(class_flow("a", "d", "0.3", 9)), "n"),
                    Catch::Contains("1 to 8"));
  CHECK_THROWS_AS(
      class_delays(class_network(class_flow("a", "d", "0.6", 1) + class_flow("b", "d", "0.5", 2))), NoAnswer);
  CHECK_THROWS_WITH(class_delays(class_network(class_flow("a", "d", "0.3", 1, "burst = 8\n") +
                                               class_flow("b", "d", "0.3", 2))),
                    Catch::Contains("does not support"));
  CHECK_THROWS_AS(network::read_fabric(toml, "n"), ParseError);
}
