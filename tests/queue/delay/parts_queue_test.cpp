#include <tailbound/core/error.hpp>
#include <tailbound/queue/delay/parts_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>
#include <tuple>
#include <vector>

using namespace tailbound;
using queue::OnOffGroup;
using queue::PartsDelay;
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

struct StoodStill {
  Chances delay;  ///< P(delay = t) of an arbitrary packet
  Chances above;  ///< P(more than n packets)
};

/// The chain of W iterated until it is stationary; each packet of a slot is considered at its position.
StoodStill by_definition(const SourceStates& sources, int p, int q, std::size_t maximum) {
  const std::size_t states = sources.states();
  std::vector<Chances> law(states,
                           Chances(maximum, 0));  // parts just after arrivals, and the state of the next slot
  law[0][0] = 1;
  StoodStill known;
  for (int step = 0; step < 6000; ++step) {
    known = {Chances(200, 0), Chances(400, 0)};
    double packets = 0;
    std::vector<Chances> next(states, Chances(maximum, 0));
    for (std::size_t state = 0; state < states; ++state) {
      const Chances arriving = sources.packets(state);
      for (std::size_t w = 0; w < maximum; ++w) {
        if (law[state][w] < 1e-18) continue;
        const std::size_t left = w > static_cast<std::size_t>(p) ? w - static_cast<std::size_t>(p) : 0;
        for (std::size_t b = 0; b < arriving.size(); ++b) {
          const double chance = law[state][w] * arriving[b];
          const std::size_t there = left + b * static_cast<std::size_t>(q);
          if (chance == 0 || there >= maximum) continue;
          for (std::size_t j = 0; j < b; ++j) {
            const std::size_t slots =
                (left + j * static_cast<std::size_t>(q) + static_cast<std::size_t>(q) - 1) /
                static_cast<std::size_t>(p);
            if (slots < known.delay.size()) known.delay[slots] += chance;
            packets += chance;
          }
          const std::size_t held = (there + static_cast<std::size_t>(q) - 1) / static_cast<std::size_t>(q);
          for (std::size_t n = 0; n < std::min(held, known.above.size()); ++n) known.above[n] += chance;
          for (std::size_t to = 0; to < states; ++to) next[to][there] += chance * sources.turns(state, to);
        }
      }
    }
    for (double& value : known.delay) value /= packets;
    double change = 0;
    for (std::size_t state = 0; state < states; ++state)
      for (std::size_t w = 0; w < maximum; ++w) change += std::abs(next[state][w] - law[state][w]);
    law = std::move(next);
    if (change < 1e-14) break;
  }
  return known;
}

void require_same(PartsDelay& computed, const StoodStill& known, double digits) {
  const auto law = computed.law(40, -200);
  double tail = 1;
  for (std::size_t t = 0; t < 40; ++t) {
    tail -= known.delay[t];
    INFO("slots " << t);
    REQUIRE(static_cast<double>(law.mass[t]) == Approx(known.delay[t]).epsilon(digits).margin(1e-11));
    REQUIRE(static_cast<double>(law.tail[t]) == Approx(tail).epsilon(digits).margin(1e-11));
  }
  double mean = 0;
  for (std::size_t t = 0; t < known.delay.size(); ++t) mean += static_cast<double>(t) * known.delay[t];
  CHECK(static_cast<double>(computed.mean()) == Approx(mean).epsilon(1e-8).margin(1e-9));
  for (std::int64_t n = 0; n < 30; ++n) {
    const auto above = computed.above(n);
    INFO("packets " << n);
    REQUIRE(mpfr_get_d(numeric::upper(above.bounds).backend().data(), MPFR_RNDN) ==
            Approx(known.above[static_cast<std::size_t>(n)]).epsilon(digits).margin(1e-11));
  }
}

}  // namespace

TEST_CASE("links that serve a fraction of a packet per slot match the chain of parts", "[queue][parts]") {
  struct LinkSetting {
    int p, q, sources;
    const char* rate;
  };
  for (const LinkSetting& its :
       {LinkSetting{5, 2, 4, "1/2"}, LinkSetting{2, 5, 3, "1/10"}, LinkSetting{25, 6, 6, "3/5"},
        LinkSetting{1, 4, 1, "1/5"}, LinkSetting{3, 1, 5, "1/2"}, LinkSetting{3, 2, 2, "2/3"},
        LinkSetting{7, 8, 2, "2/5"}}) {
    INFO(its.p << "/" << its.q);
    SourceStates sources;
    const numeric::Rational rate = rational(its.rate);
    for (int i = 0; i < its.sources; ++i) sources.all.push_back({1, 0, numeric::nearest_double(rate)});
    // All sources are ON from the second slot on.
    const StoodStill known = by_definition(sources, its.p, its.q, 1500);
    PartsDelay computed(queue::parts_queue(
        series::Arrivals::equal_inputs(its.sources, rate * static_cast<unsigned long>(its.sources)), its.p,
        its.q));
    require_same(computed, known, 1e-9);
  }
}

TEST_CASE("links that serve whole packets per slot match the slotted queue", "[queue][parts]") {
  const auto arrivals =
      series::Arrivals::unequal_inputs({rational("0.9"), rational("0.8"), rational("0.7"), rational("0.3")});
  PartsDelay computed(queue::parts_queue(arrivals, 3, 1));
  const auto expected = queue::hop_delay({arrivals, 3}, queue::HopDelay::wait, 60, -200);
  const auto law = computed.law(60, -200);
  for (std::size_t t = 0; t < 60; ++t)
    CHECK(static_cast<double>(law.tail[t]) == Approx(static_cast<double>(expected.tail[t])).epsilon(1e-12));
  const auto level = computed.min_level(rational("1/1000000"));
  CHECK(level == queue::min_level({arrivals, 3}, rational("1/1000000")).level.value);
}

TEST_CASE("bursts at links that serve several packets per slot match the chain", "[queue][parts]") {
  struct LinkSetting {
    int p, q, sources;
    const char *load, *burst, *on_rate;
  };
  for (const LinkSetting& its :
       {LinkSetting{2, 1, 3, "1/2", "4", "1"}, LinkSetting{3, 1, 4, "3/5", "3", "1"},
        LinkSetting{2, 1, 3, "3/10", "5", "4/5"}, LinkSetting{5, 2, 3, "1/2", "3", "1"},
        LinkSetting{1, 2, 2, "1/8", "2", "1/2"}}) {
    INFO(its.p << "/" << its.q << ", burst " << its.burst);
    const traffic::OnOff source =
        traffic::on_off(rational(its.load), {.slots = rational(its.burst), .on_rate = rational(its.on_rate)});
    SourceStates sources;
    for (int i = 0; i < its.sources; ++i)
      sources.all.push_back({numeric::nearest_double(source.start), numeric::nearest_double(source.stop),
                             numeric::nearest_double(source.on_rate)});
    const StoodStill known = by_definition(sources, its.p, its.q, 700);
    PartsDelay computed(queue::parts_queue(std::vector<OnOffGroup>{{source, its.sources}}, its.p, its.q));
    require_same(computed, known, 1e-7);
  }
}

TEST_CASE("bursts of which a share comes here are the sources that the bursty queue counts",
          "[queue][parts]") {
  for (const auto& [count, share, on_rate] :
       {std::tuple{2, "1/2", "1"}, std::tuple{4, "1/4", "1"}, std::tuple{3, "2/5", "4/5"}}) {
    const OnOffGroup group{traffic::on_off(rational("1/2"), {.slots = 4, .on_rate = rational(on_rate)}),
                           count, rational(share)};
    queue::MarkovQueue expected(queue::MarkovArrivals::on_off({group}));
    PartsDelay computed(queue::parts_queue(std::vector<OnOffGroup>{group}, 1, 1));
    CHECK(computed.queue().load == expected.arrivals().load());
    for (const std::int64_t n : {0, 1, 2, 5, 12, 30}) {
      const auto [bounds, digits] = computed.above(n);
      INFO(count << " sources, level " << n);
      CHECK(static_cast<double>(numeric::upper(bounds)) ==
            Approx(static_cast<double>(test::middle(expected.tail(n)))).epsilon(1e-8));
    }
  }
}

TEST_CASE("bursts of too many sources at a fast link are rejected", "[queue][parts]") {
  const traffic::OnOff source = traffic::on_off(rational("1/40"), {.slots = 4, .on_rate = 1});
  CHECK_THROWS_WITH(queue::parts_queue(std::vector<OnOffGroup>{{source, 100}}, 3, 1),
                    Catch::Contains("more than 256"));
}
