#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/on_off/on_off_engine.hpp>

#include <catch2/catch.hpp>
#include <tests/support/random_models.hpp>
#include <tests/support/rational.hpp>

#include <array>

using namespace tailbound;
using numeric::Rational;
using numeric::Real;
using queue::Bounds;
using queue::MarkovArrivals;
using queue::MarkovQueue;
using queue::OnOffGroup;
using tailbound::test::rational;

namespace {

/// The inputs of a switch, of which each packet comes to the queue with probability 1 / count.
OnOffGroup per_packet(std::int64_t count, const Rational& load, const Rational& burst,
                      const Rational& on_rate) {
  return {.source = traffic::thinned(traffic::on_off(load, {.slots = burst, .on_rate = on_rate}),
                                     Rational(1) / Rational(static_cast<long>(count))),
          .count = count};
}

/// Whether the bounds contain the enclosure with more digits.
template <class Unit>
void require_holds(const Bounds& bounds, const numeric::Claim<Unit>& truth) {
  const auto& enclosure = std::get<numeric::Enclosure<Unit>>(truth);
  CHECK(bounds.lower <= enclosure.lower());
  CHECK(bounds.upper >= enclosure.upper());
}

double relative_width(const Bounds& bounds) {
  return static_cast<double>(Real((bounds.upper - bounds.lower) / bounds.lower));
}

}  // namespace

TEST_CASE("bursty sources in doubles: bounds contain the values to twenty digits",
          "[queue][markov][doubles]") {
  test::Random random(53);
  int made = 0;
  constexpr int rounds = 60;
  for (int round = 0; round < rounds; ++round) {
    const auto count = static_cast<std::int64_t>(random.between(2, round % 10 == 0 ? 24 : 10));
    const Rational on_rate = Rational(static_cast<long>(random.between(1, 4))) / 4;
    const Rational load = on_rate * Rational(static_cast<long>(random.between(1, 97))) / 100;
    const Rational minimum = std::max<Rational>(1, load / (on_rate - load));
    const OnOffGroup group = per_packet(
        count, load, minimum * Rational(static_cast<long>(random.between(10, 4000))) / 10, on_rate);
    INFO(count << " sources, load " << numeric::to_fraction(load) << ", on-rate "
               << numeric::to_fraction(on_rate) << ", an end with probability "
               << numeric::to_fraction(group.source.stop));
    try {
      const auto engine = queue::make_on_off_engine(group, load);
      ++made;
      MarkovQueue truth(MarkovArrivals::on_off({group}), {20});
      for (const std::int64_t level : {1, 2, 7, 30, 120}) {
        const auto at = static_cast<std::size_t>(level);
        require_holds(engine->tail(at), truth.tail(level));
        require_holds(engine->probability(at), truth.probability(level));
      }
      require_holds(engine->mean(), truth.mean_occupancy());
      if (load < Rational(9) / 10) CHECK(relative_width(engine->tail(30)) < 1e-6);
    } catch (const queue::TooFewBits&) {
    }
  }
  CHECK(made > rounds * 8 / 10);
}

TEST_CASE("bursty sources in doubles: entries and levels below the range of double",
          "[queue][markov][doubles]") {
  // The stationary probability of 60 sources ON is 1e-240.
  const OnOffGroup rare = per_packet(60, rational("0.0001"), rational("16"), 1);
  const auto engine = queue::make_on_off_engine(rare, rational("0.0001"));
  MarkovQueue truth(MarkovArrivals::on_off({rare}), {14});
  for (const std::int64_t level : {1, 4, 12, 30})
    require_holds(engine->tail(static_cast<std::size_t>(level)), truth.tail(level));

  const OnOffGroup few = per_packet(4, rational("0.3"), rational("4"), 1);
  const auto deep = queue::make_on_off_engine(few, rational("0.3"));
  MarkovQueue tails(MarkovArrivals::on_off({few}), {20});
  for (const std::int64_t level : {100, 250, 300, 350, 400, 450}) {
    INFO(level);
    require_holds(deep->tail(static_cast<std::size_t>(level)), tails.tail(level));
  }
  // Nothing can be proved from below any more.
  CHECK(deep->tail(450).lower == 0);
  // The queue itself gives the requested digits.
  MarkovQueue requested(MarkovArrivals::on_off({few}));
  CHECK(relative_width({std::get<numeric::Enclosure<unit::Probability>>(requested.tail(450)).lower(),
                        std::get<numeric::Enclosure<unit::Probability>>(requested.tail(450)).upper()}) <
        1e-10);
}

TEST_CASE("bursty sources in doubles: buffers for 32 and 64", "[queue][markov][doubles]") {
  for (const auto& [count, levels] :
       {std::pair{32L, std::array{16, 24, 33, 41}}, std::pair{64L, std::array{15, 23, 31, 39}}}) {
    const OnOffGroup group = per_packet(count, rational("0.6"), rational("16"), 1);
    const auto engine = queue::make_on_off_engine(group, rational("0.6"));
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const Real target = pow(Real(10), -3 * static_cast<int>(i + 2));
      const auto level = static_cast<std::size_t>(levels[i]);
      CHECK(engine->tail(level).upper <= target);
      CHECK(engine->tail(level - 1).lower > target);
    }
  }
}
