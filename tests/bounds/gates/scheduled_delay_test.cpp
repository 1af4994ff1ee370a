#include <fmt/format.h>
#include <tailbound/bounds/gates/scheduled_delay.hpp>
#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/policed/policed_file.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <string>
#include <tests/support/policed_examples.hpp>
#include <vector>

// docs/derivations/time_sensitive.md, section 8. Random schedules: tests/sim/policed_events_test.cpp.

using namespace tailbound;
using numeric::to_fraction;
using tailbound::test::bytes;

namespace {

/// Three ports of 1 byte/us, one window of each after the other, and a flow of 10 bytes in 100 us.
std::string line(int window, int error, int jitter, const std::string& more = "") {
  std::string toml =
      fmt::format("{}clock_error = {}\nhosts = [\"a\", \"b\"]\nswitches = [\"s\", \"t\"]\n", bytes, error);
  toml += "[[class]]\nname = \"c\"\n[[class]]\nname = \"x\"\n";
  const char* nodes[] = {"a", "s", "t", "b"};
  for (int i = 0; i < 3; ++i)
    toml += fmt::format(
        "[[link]]\nfrom = \"{}\"\nto = \"{}\"\nrate = 8\nlatency = 2\nscheduler = \"priority\"\nclock = "
        "\"k\"\n"
        "gate_offset = {}\ngates = [{{ time = {}, open = \"c\" }}, {{ time = {}, open = \"x\" }}]\n",
        nodes[i], nodes[i + 1], 2 + 12 * i, window, 100 - window);
  return toml + fmt::format(
                    "[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"b\"\nclass = \"c\"\npacket = 10\n"
                    "period = 100\njitter = {}\nclock = \"k\"\n{}",
                    jitter, more);
}

/// Of the first flow; none if it has none.
std::string delay(const std::string& toml) {
  const auto network = network::read_policed_network(toml, "test.toml").network;
  const auto its = bounds::schedule_of(network).delays.front().front();
  return its ? to_fraction(*its) : "none";
}

std::string another(const char* from, const char* to, const std::string& keys) {
  return fmt::format("[[flow]]\nname = \"{}{}\"\nfrom = \"{}\"\nto = \"{}\"\nclass = \"c\"\n{}", from, to,
                     from, to, keys);
}

}  // namespace

TEST_CASE("schedules: windows one after the other, errors of clocks, jitter") {
  CHECK(delay(line(10, 0, 0)) == "36");
  CHECK(delay(line(12, 1, 0)) == "38");
  CHECK(delay(line(30, 1, 5)) == "43");
  const auto found = bounds::guarantee(network::read_policed_network(line(12, 1, 0), "test.toml").network);
  CHECK(to_fraction(*found.flows[0].routes[0].tfa) == "662");
  CHECK(found.flows[0].routes[0].used(bounds::GuaranteeMethod::best) == bounds::GuaranteeMethod::schedule);
  CHECK(to_fraction(*found.queues[0].scheduled_delay) == "14");
  CHECK(to_fraction(*found.queues[0].scheduled_backlog) == "10");
  CHECK_THROWS_WITH(bounds::guarantee(network::read_policed_network(line(10, 1, 0), "test.toml").network),
                    Catch::Matchers::Contains("it is shorter by clock_error, 1, at both ends"));
}

TEST_CASE("schedules: a packet that misses its window waits for the next one") {
  CHECK(delay(line(10, 0, 0, "offset = 1\n")) == "135");
  CHECK(delay(line(10, 0, 0, "offset = 99\n")) == "37");
}

TEST_CASE("schedules: packets of one window wait for each other") {
  // Both are there at 2, and so at each port: the order may change.
  const std::string other = another("a", "b", "packet = 10\nperiod = 100\nclock = \"k\"\n");
  CHECK(delay(line(40, 0, 0) + other) == "66");
  // One window of 10 for two of them is not enough.
  CHECK(delay(line(10, 0, 0) + other) == "none");
  // One of 5 in each second cycle joins at the second port; a window of 20 surely carries no more than 10.
  const std::string joins = another("s", "b", "packet = 5\nperiod = 200\nclock = \"k\"\noffset = 14\n");
  CHECK(delay(line(30, 0, 0) + joins) == "46");
  CHECK(delay(line(20, 0, 0) + joins) == "none");
}

TEST_CASE("schedules: none with other clocks, token buckets, or shared windows") {
  const std::string its = line(20, 0, 0);
  CHECK(delay(its + another("a", "b", "packet = 5\nperiod = 100\nclock = \"other\"\n")) == "none");
  CHECK(delay(its + another("a", "b", "packet = 5\nbucket = { rate = 0.1, burst = 5 }\n")) == "none");
  std::string shared = its;
  shared.replace(shared.find("open = \"c\""), 10, "open = [\"c\", \"x\"]");
  shared +=
      "[[flow]]\nname = \"x\"\nfrom = \"a\"\nto = \"b\"\nclass = \"x\"\npacket = 5\n"
      "bucket = { rate = 0.1, burst = 5 }\n";
  CHECK(delay(shared) == "none");
  std::string reshaped = its;
  reshaped.replace(reshaped.find("latency = 2"), 11, "latency = 2\nreshape = true");
  CHECK(delay(reshaped) == "none");
}

TEST_CASE("schedules: keys of clocks are checked") {
  const auto message = [](std::string toml, const std::string& part, const std::string& by) {
    toml.replace(toml.find(part), part.size(), by);
    try {
      static_cast<void>(network::read_policed_network(toml, "test.toml"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(message(line(10, 0, 0), "clock = \"k\"\ngate_offset", "gate_offset"),
             Contains("\"gate_offset\" needs the \"clock\""));
  CHECK_THAT(message(line(10, 0, 0), "clock_error = 0", "clock_error = -1"), Contains("must be 0 or above"));
  CHECK_THAT(
      message("clock_error = 1\n" + test::crossed_line(2, 15, 1), "clock_error = 1", "clock_error = 2"),
      Contains("applies only with a \"clock\""));
}
