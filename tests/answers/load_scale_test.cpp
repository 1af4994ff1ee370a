#include <cln/rational.h>
#include <catch2/catch.hpp>
#include <tailbound/answers/load_scale.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/network_file.hpp>
#include <tailbound/network/queue_traffic.hpp>

#include <string>

// A network whose flows all send more, or less.

using namespace tailbound;
using numeric::Rational;

namespace {

/// Hosts a and b send 0.3 and 0.5 packets a slot to c over one link.
network::Network network_of(const std::string& burst = "") {
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
  const network::Network scaled = answers::scaled(network_of(), Rational(1) / 2);
  CHECK(scaled.flows[0].rate == Rational(3) / 20);
  CHECK(scaled.flows[1].rate == Rational(1) / 4);
  CHECK_THROWS_AS(answers::scaled(network_of(), 0), InvalidArgument);
  CHECK_THROWS_AS(answers::scaled(network_of(), -1), InvalidArgument);
  CHECK_THROWS_AS(answers::scaled(network_of(), 3), InvalidArgument);  // b cannot send 1.5 packets a slot
}

TEST_CASE("Scaled networks: the greatest factor is where the first link is full", "[answers]") {
  const answers::GreatestScale greatest = answers::greatest_scale(network_of());
  CHECK(greatest.factor == Rational(5) / 4);
  CHECK(greatest.at == "the link s -> c");
  CHECK(network::queue_traffic(answers::scaled(network_of(), greatest.factor), network::Sources::decoupled)[2]
            .load == 1);
  // Bursts of 2 slots at 0.5 packets a slot: 1/3 is the most that a can send.
  const answers::GreatestScale bursts = answers::greatest_scale(network_of("burst = 2\non_rate = 0.5"));
  CHECK(bursts.factor == Rational(10) / 9);
  CHECK(bursts.at == "the bursts of a -> c");
  CHECK_NOTHROW(answers::scaled(network_of("burst = 2\non_rate = 0.5"), bursts.factor));
  CHECK_THROWS_AS(answers::scaled(network_of("burst = 2\non_rate = 0.5"), bursts.factor * 2),
                  InvalidArgument);
}
