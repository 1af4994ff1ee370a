#include <tailbound/bounds/sizing/longest_burst.hpp>

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
    const LongestBurst found = longest_burst(queue_of, Rational(3) / 2, Packets(10), {target});
    CHECK(to_double(found.met) <= boundary * (1 + 1e-12));
    CHECK(to_double(found.missed) >= boundary * (1 - 1e-12));
    CHECK(to_double(found.missed) <= to_double(found.met) * 1.00101);
    maximum = std::max(maximum, requested);
  }
  CHECK(maximum < 60);
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
  const LongestBurst found = longest_burst(queue_of, Rational(3) / 2, Packets(32), target);
  CHECK(found.met == Rational(1704) / 100);
  CHECK(found.missed == Rational(1705) / 100);
  CHECK(queue_of(found.met)->min_buffer_size(target).buffer == Packets(32));
  CHECK(queue_of(found.missed)->min_buffer_size(target).buffer == Packets(33));
}

}  // namespace
}  // namespace tailbound::bounds
