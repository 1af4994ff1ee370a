#include <catch2/catch.hpp>
#include <tailbound/answers/network/load_scale.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/numeric/rational.hpp>

#include <string>

// Scaled rates of a network.

using namespace tailbound;
using numeric::Rational;

namespace {

/// Hosts a and b send 0.3 and 0.5 packets per slot to c over one link.
network::Network two_flows(const std::string& burst = "") {
  return network::read_network(R"(
hosts = ["a", "b", "c"]
switches = ["s"]
[[link]]
from = ["a", "b"]
to = "s"
[[link]]
from = "s"
to = "c"
[[flow]]
from = "a"
to = "c"
rate = 0.3
)" + burst + R"(
[[flow]]
from = "b"
to = "c"
rate = 0.5
)",
                               "text")
      .network;
}

}  // namespace

TEST_CASE("Scaled networks: all rates are multiplied", "[answers]") {
  const network::Network scaled = answers::scaled(two_flows(), Rational(1) / 2);
  CHECK(scaled.flows[0].rate == Rational(3) / 20);
  CHECK(scaled.flows[1].rate == Rational(1) / 4);
  CHECK_THROWS_AS(answers::scaled(two_flows(), 0), InvalidArgument);
  CHECK_THROWS_AS(answers::scaled(two_flows(), -1), InvalidArgument);
  CHECK_THROWS_AS(answers::scaled(two_flows(), 3), InvalidArgument);  // b cannot send 1.5 packets per slot
}

TEST_CASE("Scaled networks: the maximum factor is where the first link is full", "[answers]") {
  const answers::ScaleLimit largest = answers::max_scale(two_flows());
  CHECK(largest.factor == Rational(5) / 4);
  CHECK(largest.in_words() == "the link s -> c is full");
  CHECK_FALSE(largest.allows(largest.factor));  // its queue would grow without bound
  CHECK(largest.allows(Rational(124) / 100));
  CHECK(network::queue_traffic(answers::scaled(two_flows(), largest.factor),
                               network::Sources::independent_sources)[2]
            .load == 1);
  // Bursts of 2 slots at 0.5 packets per slot: a can send at most 1/3.
  const answers::ScaleLimit bursts = answers::max_scale(two_flows("burst = 2\non_rate = 0.5"));
  CHECK(bursts.factor == Rational(10) / 9);
  CHECK(bursts.in_words() == "the bursts of the flow a -> c come one slot apart");
  CHECK(bursts.allows(bursts.factor));
  CHECK_NOTHROW(answers::scaled(two_flows("burst = 2\non_rate = 0.5"), bursts.factor));
  CHECK_THROWS_AS(answers::scaled(two_flows("burst = 2\non_rate = 0.5"), bursts.factor * 2), InvalidArgument);
}

TEST_CASE("Scaled networks: with buffers only the sources limit the factor", "[answers]") {
  const answers::ScaleLimit sending = answers::max_scale(two_flows(), answers::Overload::allowed);
  CHECK(sending.factor == 2);
  CHECK(sending.in_words() == "b sends a packet in every slot");
  CHECK(sending.allows(2));
  CHECK_FALSE(sending.allows(Rational(201) / 100));
  CHECK_NOTHROW(answers::scaled(two_flows(), 2));
  CHECK_THROWS_WITH(answers::scaled(two_flows(), 3), Catch::Contains("at most 2, where b sends"));
}

TEST_CASE("Scaled networks: a link is full if all its sources send continuously", "[answers]") {
  // One flow: at factor 2 the host sends in every slot, and its link is full; that factor is not possible.
  const network::Network network = network::read_network(
                                       "hosts = [\"a\", \"b\"]\nswitches = [\"s\"]\n[[link]]\nfrom = "
                                       "[\"a\", \"b\"]\nto = \"s\"\nboth = true\n[[flow]]\nfrom = "
                                       "\"a\"\nto = \"b\"\nrate = 0.5\n",
                                       "text")
                                       .network;
  const answers::ScaleLimit largest = answers::max_scale(network);
  CHECK(largest.factor == 2);
  CHECK(largest.kind == answers::ScaleLimit::Kind::link);
  CHECK_FALSE(largest.attained());
}
