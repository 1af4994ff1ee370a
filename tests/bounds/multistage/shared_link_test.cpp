#include <tailbound/bounds/multistage/shared_link.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <limits>
#include <random>
#include <vector>

namespace tailbound::bounds::multistage {
namespace {

TEST_CASE("link of a switch: two inputs, against the chain by hand") {
  // Heads at the link just after a service: 0, 1, 2. With a = 1 - exp(-rate) and r = again: 0 and 1 lead to 0
  // with (1 - a)(1 - r) and to 2 with a r, 2 leads to 1 with 1 - r.
  for (const double rate : {0.2, 1.0, 3.0})
    for (const double r : {0.0, 0.3, 0.8}) {
      const double a = -std::expm1(-rate);
      const double two = a * r / (1 - r + a * r), zero = (1 - two) * (1 - a) * (1 - r);
      const double cycle = 1 + zero / (2 * rate);
      const double wait = 2 * cycle - (1 - r) / rate - 1;
      // An input's cycle with exactly this load: 2 share / cycle = 1 / `cycle`, all of them to this link.
      const LinkWait found = link_wait(2, {.cycle = 2 * cycle, .share = 1, .wait = wait, .again = r});
      CHECK(found.time == Approx(wait).epsilon(1e-8));
      // No wait: a head that ends the idle time, or returns to an empty link.
      CHECK(found.probability == Approx(1 - zero - r * (1 - two) * (1 - a)).epsilon(1e-8));
    }
}

/// Mean wait of s inputs, each absent for an exponential time or not at all; services of 1 or 1 + `more`.
double simulated_wait(int inputs, double rate, double again, double blocked, double more, double& flow) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit;
  std::exponential_distribution<double> away(rate);
  std::vector<double> returns(static_cast<std::size_t>(inputs));
  for (double& at : returns) at = away(random);
  struct Head {
    std::size_t input;
    double since;
  };
  std::deque<Head> heads;
  double now = 0, waits = 0;
  constexpr double never = std::numeric_limits<double>::infinity();
  constexpr int services = 400'000;
  const auto come = [&](double until) {
    while (true) {
      std::size_t next = 0;
      for (std::size_t i = 1; i < returns.size(); ++i)
        if (returns[i] < returns[next]) next = i;
      if (returns[next] > until) return;
      heads.push_back({next, returns[next]});
      returns[next] = never;
    }
  };
  for (int served = 0; served < services; ++served) {
    come(now);
    if (heads.empty()) {
      double first = never;
      for (const double at : returns) first = std::min(first, at);
      come(now = first);
    }
    const Head head = heads.front();
    heads.pop_front();
    waits += now - head.since;
    now += 1 + (unit(random) < blocked ? more : 0);
    come(now);
    if (unit(random) < again)
      heads.push_back({head.input, now});
    else
      returns[head.input] = now + away(random);
  }
  flow = services / now;
  return waits / services;
}

TEST_CASE("link of a switch: against a simulation") {
  for (const int inputs : {2, 3, 8})
    for (const double rate : {0.1, 0.5, 2.0})
      for (const double blocked : {0.0, 0.4}) {
        const double again = 0.25, more = 1.5;
        double flow = 0;
        const double wait = simulated_wait(inputs, rate, again, blocked, more, flow);
        CAPTURE(inputs, rate, blocked, flow);
        const LinkWait found = link_wait(inputs, {.cycle = inputs / flow,
                                                  .share = 1,
                                                  .wait = wait,
                                                  .again = again,
                                                  .blocked = blocked,
                                                  .blocked_time = more});
        CHECK(found.time == Approx(wait).epsilon(0.02).margin(0.005));
      }
}

TEST_CASE("link of a switch: at most one request per service time") {
  for (const int inputs : {1, 2, 5, 64})
    for (const double again : {0.0, 0.5, 1.0})
      for (const double cycle : {0.01, 1.0, 1.5, 10.0}) {
        const LinkUse use{
            .cycle = cycle, .share = 0.7, .wait = 0, .again = again, .blocked = 0.2, .blocked_time = 3};
        const LinkWait found = link_wait(inputs, use);
        CHECK(found.time >= 0);
        CHECK(found.time <= (inputs - 1) * 1.6 * (1 + 1e-9));
        CHECK(found.probability >= 0);
        CHECK(found.probability <= 1);
      }
  CHECK(link_wait(1, {.cycle = 1, .share = 1}).time == 0);
  CHECK(link_wait(4, {.cycle = 1, .share = 0}).time == 0);
  // Inputs that only wait for it: s - 1 services each.
  CHECK(link_wait(4, {.cycle = 1, .share = 1, .wait = 0, .again = 1}).time == Approx(3));
}

}  // namespace
}  // namespace tailbound::bounds::multistage
