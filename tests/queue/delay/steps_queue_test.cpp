#include <tailbound/core/error.hpp>
#include <tailbound/queue/delay/steps_queue.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>
#include <tuple>
#include <vector>

using namespace tailbound;
using queue::OnOffGroup;
using queue::StepsOccupancy;
using tailbound::test::rational;

namespace {

using Chances = std::vector<double>;

/// Packets and transitions of ON or OFF sources, source by source, without using distributions of sums.
struct SourceStates {
  struct One {
    double start, stop, rate;
  };
  std::vector<One> all;

  [[nodiscard]] std::size_t states() const { return std::size_t{1} << all.size(); }
  /// P(b packets | set of ON sources)
  [[nodiscard]] Chances packets(std::size_t state) const {
    Chances law{1};
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double p = (state >> i & 1U) != 0 ? all[i].rate : 0;
      Chances next(law.size() + 1, 0);
      for (std::size_t n = 0; n < law.size(); ++n) {
        next[n] += law[n] * (1 - p);
        next[n + 1] += law[n] * p;
      }
      law = next;
    }
    return law;
  }
  [[nodiscard]] double turns(std::size_t from, std::size_t to) const {
    double p = 1;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool on = (from >> i & 1U) != 0, then = (to >> i & 1U) != 0;
      p *= on ? (then ? 1 - all[i].stop : all[i].stop) : (then ? all[i].start : 1 - all[i].start);
    }
    return p;
  }
};

/// P(more than n packets) of the chain of Q, iterated until it is stationary.
Chances by_definition(const SourceStates& sources, int p, std::size_t maximum) {
  const std::size_t states = sources.states();
  // Packets just after arrivals, and the state of the next slot.
  std::vector<Chances> law(states, Chances(maximum, 0));
  law[0][0] = 1;
  Chances above;
  for (int step = 0; step < 6000; ++step) {
    above.assign(400, 0);
    std::vector<Chances> next(states, Chances(maximum, 0));
    for (std::size_t state = 0; state < states; ++state) {
      const Chances arriving = sources.packets(state);
      for (std::size_t w = 0; w < maximum; ++w) {
        if (law[state][w] < 1e-18) continue;
        const std::size_t left = w > static_cast<std::size_t>(p) ? w - static_cast<std::size_t>(p) : 0;
        for (std::size_t b = 0; b < arriving.size() && left + b < maximum; ++b) {
          const double chance = law[state][w] * arriving[b];
          for (std::size_t n = 0; n < std::min(left + b, above.size()); ++n) above[n] += chance;
          for (std::size_t to = 0; to < states; ++to) next[to][left + b] += chance * sources.turns(state, to);
        }
      }
    }
    double change = 0;
    for (std::size_t state = 0; state < states; ++state)
      for (std::size_t w = 0; w < maximum; ++w) change += std::abs(next[state][w] - law[state][w]);
    law = std::move(next);
    if (change < 1e-14) break;
  }
  return above;
}

double upper(const queue::StepsProbability& found) {
  return mpfr_get_d(numeric::upper(found.bounds).backend().data(), MPFR_RNDN);
}

}  // namespace

TEST_CASE("bursts at links that serve several packets per slot match the chain", "[queue][steps]") {
  struct LinkSetting {
    int p, sources;
    const char *load, *burst, *on_rate;
  };
  for (const LinkSetting& its : {LinkSetting{2, 3, "1/2", "4", "1"}, LinkSetting{3, 4, "3/5", "3", "1"},
                                 LinkSetting{2, 3, "3/10", "5", "4/5"}}) {
    INFO(its.p << " per slot, burst " << its.burst);
    const traffic::OnOff source =
        traffic::on_off(rational(its.load), {.slots = rational(its.burst), .on_rate = rational(its.on_rate)});
    SourceStates sources;
    for (int i = 0; i < its.sources; ++i)
      sources.all.push_back({numeric::nearest_double(source.start), numeric::nearest_double(source.stop),
                             numeric::nearest_double(source.on_rate)});
    const Chances known = by_definition(sources, its.p, 400);
    StepsOccupancy computed(
        queue::steps_queue(queue::MarkovArrivals::on_off({{source, its.sources}}), its.p));
    double mean = 0;
    for (const double above : known) mean += above;
    CHECK(static_cast<double>(computed.mean()) == Approx(mean).epsilon(1e-7));
    for (std::int64_t n = 0; n < 30; ++n) {
      INFO("packets " << n);
      REQUIRE(upper(computed.above(n)) ==
              Approx(known[static_cast<std::size_t>(n)]).epsilon(1e-7).margin(1e-11));
    }
    const std::int64_t level = computed.min_level(rational("1/100"));
    CHECK(known[static_cast<std::size_t>(level)] <= 0.01);
    CHECK(known[static_cast<std::size_t>(level) - 1] > 0.01);
  }
}

TEST_CASE("bursts of which a share comes here are the sources that the bursty queue counts",
          "[queue][steps]") {
  for (const auto& [count, share, on_rate] :
       {std::tuple{2, "1/2", "1"}, std::tuple{4, "1/4", "1"}, std::tuple{3, "2/5", "4/5"}}) {
    const OnOffGroup group{traffic::on_off(rational("1/2"), {.slots = 4, .on_rate = rational(on_rate)}),
                           count, rational(share)};
    queue::MarkovQueue expected(queue::MarkovArrivals::on_off({group}));
    queue::MarkovQueue written(queue::MarkovArrivals::blocks(queue::joint_blocks({group})));
    CHECK(written.arrivals().load() == expected.arrivals().load());
    for (const std::int64_t n : {0, 1, 2, 5, 12, 30}) {
      INFO(count << " sources, level " << n);
      CHECK(static_cast<double>(test::middle(written.tail(n))) ==
            Approx(static_cast<double>(test::middle(expected.tail(n)))).epsilon(1e-8));
    }
  }
}

TEST_CASE("bursts of too many sources at a fast link are rejected", "[queue][steps]") {
  const traffic::OnOff source = traffic::on_off(rational("1/40"), {.slots = 4, .on_rate = 1});
  CHECK_THROWS_WITH(queue::steps_queue(queue::MarkovArrivals::on_off({{source, 100}}), 3),
                    Catch::Contains("at most 256"));
}
