#include <tailbound/core/error.hpp>
#include <tailbound/queue/delay/markov_delay.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/fraction.hpp>
#include <tests/support/random_models.hpp>
#include <tests/support/rational.hpp>

using namespace tailbound;
using namespace tailbound::test;
using numeric::Rational;
using queue::HopDelay;
using queue::MarkovArrivals;
using queue::MarkovQueue;
using tailbound::test::rational;

namespace {

/// On-off sources without memory: Bernoulli processes.
MarkovArrivals forgetful(std::int64_t count, const Rational& load, const Rational& on_rate) {
  const Rational each = load / Rational(static_cast<long>(count)), on = each / on_rate;
  return MarkovArrivals::on_off(
      {{traffic::OnOff{.load = each, .on_rate = on_rate, .start = on, .stop = 1 - on}, count}});
}

MarkovArrivals bursty(std::int64_t count, const Rational& load, const Rational& burst) {
  const traffic::OnOff leaf = traffic::on_off(load, {.slots = burst, .on_rate = 1});
  return MarkovArrivals::on_off(
      {{traffic::thinned(leaf, Rational(1) / Rational(static_cast<long>(count))), count}});
}

bool overlap(const numeric::Enclosure<unit::Probability>& a, const numeric::Enclosure<unit::Probability>& b) {
  return a.lower() <= b.upper() && b.lower() <= a.upper();
}

}  // namespace

TEST_CASE("waits with memoryless sources are those of the slotted queue", "[queue][markov][delay]") {
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    const std::int64_t count = random.between(2, 24);
    const Rational load = Rational(static_cast<long>(random.between(5, 95))) / 100;
    const Rational on_rate =
        std::min<Rational>(1, load * Rational(static_cast<long>(random.between(11, 30))) / 10);
    const auto kind = round % 2 == 0 ? HopDelay::wait : HopDelay::occupancy;
    INFO(count << " sources, load " << numeric::to_fraction(load));
    MarkovQueue queue(forgetful(count, load, on_rate), {12});  // as for sums of delays
    const auto claimed = queue::hop_delay(queue, kind, 40);
    CHECK_FALSE(claimed.agreed_digits);
    const queue::SlottedQueue slotted{series::Arrivals::equal_inputs(count, load), 1};
    const auto plain = queue::hop_delay(slotted, kind, 40, -400);
    for (std::size_t t = 0; t < 40; ++t) {
      CHECK(overlap(series::enclose_mass(numeric::Theorem::sojourn, claimed.values, t),
                    series::enclose_mass(numeric::Theorem::sojourn, plain, t)));
      CHECK(overlap(series::enclose_tail(numeric::Theorem::sojourn, claimed.values, t),
                    series::enclose_tail(numeric::Theorem::sojourn, plain, t)));
    }
    // Narrow as well: an interval from 0 to 1 overlaps everything.
    CHECK(claimed.values.tail_units < 1e8);
    CHECK(claimed.values.mass_units < 1e8);
    CHECK(claimed.values.tail_error < 1e-4000L);
    const auto mean = std::get<numeric::Enclosure<unit::Slot>>(queue::mean_hop_delay(queue, kind));
    const auto proved = numeric::to_enclosure(queue::mean_hop_delay(slotted, kind));
    CHECK(mean.lower() <= proved.upper());
    CHECK(proved.lower() <= mean.upper());
    CHECK(mean.upper() - mean.lower() < 1e-9);
  }
}

TEST_CASE("a wait distribution sums to 1 and to its mean", "[queue][markov][delay]") {
  for (const auto& [count, load, burst] :
       {std::tuple{4, "0.6", "8"}, std::tuple{16, "0.8", "20"}, std::tuple{256, "0.6", "8"}}) {
    INFO(count << " sources at " << load);
    MarkovQueue queue(bursty(count, rational(load), rational(burst)));
    constexpr std::size_t size = 400;
    const auto waits = queue::hop_delay(queue, HopDelay::wait, size);
    CHECK(waits.agreed_digits.has_value() == (count > 64));
    long double mass = 0, mean = 0;
    for (std::size_t t = 0; t < size; ++t) {
      mass += waits.values.mass[t];
      mean += waits.values.tail[t];
      CHECK(std::abs(static_cast<double>(1 - mass - waits.values.tail[t])) < 1e-9);
    }
    const auto law = queue::mean_hop_delay(queue, HopDelay::wait);
    const double expected = std::visit(
        [](const auto& truth) {
          if constexpr (std::is_same_v<std::decay_t<decltype(truth)>, numeric::Enclosure<unit::Slot>>)
            return static_cast<double>(truth.lower());
          else if constexpr (!std::is_same_v<std::decay_t<decltype(truth)>, numeric::Exact<unit::Slot>>)
            return static_cast<double>(truth.value);
          else
            return numeric::nearest_double(truth.value);
        },
        law);
    CHECK(static_cast<double>(mean) == Approx(expected).epsilon(1e-8));
  }
}

TEST_CASE("queues without waits", "[queue][markov][delay]") {
  CHECK(queue::never_waits(bursty(1, rational("0.6"), rational("4"))));
  CHECK_FALSE(queue::never_waits(bursty(2, rational("0.6"), rational("4"))));
  CHECK(queue::never_waits(queue::SlottedQueue{series::Arrivals::equal_inputs(1, rational("0.6")), 1}));
  CHECK(queue::never_waits(queue::SlottedQueue{series::Arrivals::equal_inputs(4, rational("1.6")), 4}));
  CHECK_FALSE(queue::never_waits(queue::SlottedQueue{series::Arrivals::equal_inputs(4, rational("1.6")), 3}));
}
