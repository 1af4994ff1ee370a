#include <tailbound/bounds/sizing/largest_parameter.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace tailbound::bounds {
namespace {

using numeric::Rational;

/// A queue with only P(Q > B), a given function of its burst.
class GivenQueue final : public OutputQueue {
 public:
  GivenQueue(double probability, int& requested) : probability_(probability), requested_(requested) {}
  std::optional<Rational> load() const override { return {}; }
  int packets_per_slot() const override { return 1; }
  bool correlated() const override { return true; }
  std::vector<ComputedProbability> tails(std::span<const Packets>) override { return {}; }
  ComputedProbability drop_probability(Packets, Criterion) override {
    ++requested_;
    const numeric::Real value(probability_);
    return {numeric::Enclosure<unit::Probability>(numeric::Theorem::input, value, value), {}};
  }
  MinBufferSize min_buffer_size(const DropTarget&) override { throw NoAnswer("not requested"); }
  numeric::Claim<unit::Packet> mean_occupancy() override { throw NoAnswer("not requested"); }
  std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() override { return {}; }
  std::optional<ComputedProbability> loss_above(const ComputedProbability&, Packets) override { return {}; }

 private:
  double probability_;
  int& requested_;
};

double to_double(const Rational& value) {
  return numeric::nearest_double(value);
}

// P = exp(-(c / L)^power) meets exp(-d) for L <= c / d^(1/power).
TEST_CASE("longest burst: known boundaries are found in few evaluations") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  int maximum = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const double power = 0.3 + 2 * uniform(random), boundary = 2 * std::pow(10.0, 5 * uniform(random)),
                 exponent = 1 + 40 * uniform(random);
    const Rational target = numeric::to_rational(std::exp(-exponent));
    const double scale = boundary * std::pow(exponent, 1 / power);
    int requested = 0;
    const auto queue_of = [&](const Rational& slots) -> std::unique_ptr<OutputQueue> {
      return std::make_unique<GivenQueue>(std::exp(-std::pow(scale / to_double(slots), power)), requested);
    };
    const LargestParameter found = longest_burst(queue_of, Rational(3) / 2, Packets(10), {target});
    CHECK(to_double(found.met) <= boundary * (1 + 1e-12));
    CHECK(to_double(found.missed) >= boundary * (1 - 1e-12));
    CHECK(to_double(found.missed) <= to_double(found.met) * 1.00101);
    maximum = std::max(maximum, requested);
  }
  CHECK(maximum < 60);
}

// P = exp(-(c / x)^power) as above, of loads up to 1; from `unstable` on there is no queue.
TEST_CASE("highest load: known boundaries, unstable queues, all that the traffic has") {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> uniform(0, 1);
  int maximum = 0;
  const auto queue_at = [](double scale, double power, double unstable, int& requested) {
    return [=, &requested](const Rational& load) -> std::unique_ptr<OutputQueue> {
      if (to_double(load) >= unstable) throw Unstable(numeric::to_fraction(load));
      return std::make_unique<GivenQueue>(std::exp(-std::pow(scale / to_double(load), power)), requested);
    };
  };
  for (int repeat = 0; repeat < 300; ++repeat) {
    const double power = 0.3 + 2 * uniform(random), boundary = 0.7 * std::pow(10.0, -5 * uniform(random)),
                 exponent = 1 + 40 * uniform(random), scale = boundary * std::pow(exponent, 1 / power);
    int requested = 0;
    const LargestParameter found = highest_load(queue_at(scale, power, 0.75 + uniform(random), requested), 1,
                                                Packets(10), {numeric::to_rational(std::exp(-exponent))});
    REQUIRE(found.at_missed);
    CHECK(to_double(found.met) <= boundary * (1 + 1e-12));
    CHECK(to_double(found.missed) >= boundary * (1 - 1e-12));
    CHECK(to_double(found.missed) <= to_double(found.met) * 1.00101);
    maximum = std::max(maximum, requested);
  }
  CHECK(maximum < 80);
  int requested = 0;
  const Rational limit = Rational(3) / 7;
  const LargestParameter all =
      highest_load(queue_at(1e9, 1, 1, requested), limit, Packets(10), {Rational(1) / 10});
  CHECK(all.met == limit);
  CHECK(all.missed == limit);
  CHECK_THROWS_WITH(highest_load(queue_at(1e9, 1, 0.4, requested), limit, Packets(10), {Rational(1) / 10}),
                    Catch::Contains("up to 0.3999"));
  CHECK_THROWS_AS(highest_load(queue_at(0, 1, 1, requested), limit, Packets(10), {Rational(1) / 10}),
                  NoAnswer);
}

TEST_CASE("longest burst: shortest that misses, longest that meets") {
  int requested = 0;
  const auto always = [&](double probability) {
    return [&requested, probability](const Rational&) -> std::unique_ptr<OutputQueue> {
      return std::make_unique<GivenQueue>(probability, requested);
    };
  };
  CHECK_THROWS_AS(longest_burst(always(0.5), 2, Packets(10), {Rational(1) / 10}), NoAnswer);
  CHECK_THROWS_AS(longest_burst(always(0), 2, Packets(10), {Rational(1) / 10}), NoAnswer);
}

TEST_CASE("longest burst: on-off sources, checked on both sides by separate queues") {
  const auto queue_of = [](const Rational& slots) {
    const traffic::OnOff input = traffic::on_off(Rational(3) / 5, {.slots = slots});
    return output_queue(
        queue::MarkovArrivals::on_off({{.source = traffic::thinned(input, Rational(1) / 4), .count = 4}}));
  };
  const DropTarget target{numeric::parse_rational("1e-9", "drop")};
  const LargestParameter found = longest_burst(queue_of, Rational(3) / 2, Packets(32), target);
  CHECK(found.met == Rational(1704) / 100);
  CHECK(found.missed == Rational(1705) / 100);
  CHECK(queue_of(found.met)->min_buffer_size(target).buffer == Packets(32));
  CHECK(queue_of(found.missed)->min_buffer_size(target).buffer == Packets(33));
}

TEST_CASE("highest load: on-off sources, checked on both sides by separate queues") {
  const auto queue_at = [](const Rational& load) {
    return output_queue(queue::MarkovArrivals::on_off(
        {{.source = traffic::on_off(load, {.slots = 8}), .count = 3, .share = Rational(1) / 3}}));
  };
  for (const Criterion criterion : {Criterion::overflow, Criterion::loss}) {
    const DropTarget target{numeric::parse_rational("1e-4", "drop"), criterion};
    const LargestParameter found = highest_load(queue_at, Rational(8) / 9, Packets(30), target);
    CHECK(numeric::compare(numeric::Real(to_double(found.missed / found.met)), Rational(1002) / 1000) < 0);
    CHECK(queue_at(found.met)->min_buffer_size(target).buffer <= Packets(30));
    CHECK(queue_at(found.missed)->min_buffer_size(target).buffer > Packets(30));
  }
}

}  // namespace
}  // namespace tailbound::bounds
