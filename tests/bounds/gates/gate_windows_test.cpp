#include <tailbound/bounds/gates/gate_windows.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <tests/support/rational.hpp>

using namespace tailbound;
using bounds::gated_service;
using bounds::GatedService;
using network::Guard;
using network::PolicedPort;
using numeric::Rational;
using tailbound::test::ratio;

namespace {

/// Rate 1; entries of (time, open to A, to B).
PolicedPort port_of(const std::vector<network::GateEntry>& entries, Guard guard = Guard::fit) {
  PolicedPort port;
  port.rate = 1;
  port.scheduler = network::Scheduler::priority;
  port.gates = entries;
  port.guard = guard;
  return port;
}

const std::vector<bounds::GatedClass> two_classes{{0, 10, 10}, {1, 5, 30}};

}  // namespace

TEST_CASE("windows: those that touch over the end of the cycle are one") {
  const PolicedPort port = port_of({{5, {true, false}}, {80, {false, true}}, {15, {true, false}}});
  const GatedService first = gated_service(port, two_classes, 0);
  REQUIRE(first.windows.size() == 1);
  CHECK(first.windows[0].opens == 85);
  CHECK(first.windows[0].closes == 105);
  CHECK(first.windows[0].carried == 20);
  CHECK(first.rate() == ratio(1, 5));
  const GatedService second = gated_service(port, two_classes, 1);
  CHECK(second.windows[0].opens == 5);
  // Sums of lengths from 5 to 30 that exceed 80 - 30.
  CHECK(second.windows[0].carried == 50);
  CHECK(gated_service(port_of({{7, {true, true}}}), two_classes, 1).always);
  CHECK(gated_service(port_of({{7, {true, false}}}), two_classes, 1).windows.empty());
}

TEST_CASE("windows: one packet fits a window of its length, and none a shorter one") {
  const auto carried = [](int time, Guard guard) {
    PolicedPort port = port_of({{time, {true, false}}, {100, {false, true}}}, guard);
    port.max_sdu = {15, 30};
    return gated_service(port, two_classes, 0).windows[0].carried;
  };
  CHECK(carried(10, Guard::fit) == 10);
  CHECK(carried(9, Guard::fit) == 0);
  CHECK(carried(19, Guard::fit) == 10);
  // It begins as long as 15 are left: at 0, and in a window of 25 also at 10.
  CHECK(carried(15, Guard::fixed) == 10);
  CHECK(carried(14, Guard::fixed) == 0);
  CHECK(carried(25, Guard::fixed) == 20);
}

TEST_CASE("windows: what lower classes take of their opening") {
  const auto lost = [](const std::vector<network::GateEntry>& entries, Guard guard = Guard::fit) {
    PolicedPort port = port_of(entries, guard);
    port.max_sdu = {10, 40};
    return gated_service(port, two_classes, 0).windows[0].lost;
  };
  // Closed before it opens: nothing. Open for 20 more: that much. For 50 more: a packet.
  CHECK(lost({{50, {true, false}}, {50, {false, true}}}) == 0);
  CHECK(lost({{20, {true, true}}, {30, {true, false}}, {50, {false, true}}}) == 20);
  CHECK(lost({{50, {true, true}}, {50, {false, true}}}) == 30);
  // With a static guard a packet begins 40 before the gate closes, at the latest.
  CHECK(lost({{20, {true, true}}, {30, {true, false}}, {50, {false, true}}}, Guard::fixed) == 10);
  CHECK(lost({{5, {true, true}}, {45, {true, false}}, {50, {false, true}}}, Guard::fixed) == 0);
  CHECK(lost({{50, {true, false}}, {50, {false, true}}}, Guard::overrun) == 30);
  // A packet that begins as its gate closes goes on through a time in which no gate is open.
  CHECK(lost({{50, {true, false}}, {50, {false, true}}, {12, {false, false}}}, Guard::overrun) == 18);
  CHECK(lost({{50, {true, false}}, {50, {false, true}}, {40, {false, false}}}, Guard::overrun) == 0);
}

TEST_CASE("windows: higher classes that are open with a class, in all or in part of it") {
  const PolicedPort whole = port_of({{40, {true, true}}, {60, {false, false}}});
  const GatedService with = gated_service(whole, two_classes, 1);
  CHECK(with.above == std::vector<std::size_t>{0});
  CHECK(with.apart.empty());
  CHECK(with.windows[0].carried == 10);
  const PolicedPort part = port_of({{20, {true, true}}, {20, {false, true}}, {60, {false, false}}});
  const GatedService apart = gated_service(part, two_classes, 1);
  CHECK(apart.above.empty());
  CHECK(apart.apart == std::vector<std::size_t>{0});
  const PolicedPort disjoint = port_of({{20, {true, false}}, {40, {false, true}}});
  const GatedService alone = gated_service(disjoint, two_classes, 1);
  CHECK(alone.above.empty());
  CHECK(alone.apart.empty());
  CHECK(alone.lower == 0);
}

TEST_CASE("windows: what is sent is above its straight line, and touches it") {
  const PolicedPort port =
      port_of({{20, {true, false}}, {30, {false, true}}, {10, {true, false}}, {70, {false, true}}});
  for (std::size_t its : {std::size_t{0}, std::size_t{1}}) {
    const GatedService service = gated_service(port, two_classes, its);
    for (std::size_t skipped = 0; skipped < service.windows.size(); ++skipped) {
      const bounds::StepCurve sent = service.sent(skipped, 1, 0, 600);
      Rational closest = 1000;
      for (int i = 0; i <= 1200; ++i) {
        const Rational time = ratio(i, 2);
        const Rational above = sent(time) - service.rate() * (time - service.latency(skipped, 1));
        REQUIRE(above >= 0);
        closest = std::min(closest, above);
      }
      CHECK(closest == 0);
    }
  }
}
