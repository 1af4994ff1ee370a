#include <tailbound/bounds/curves/step_curves.hpp>
#include <tailbound/numeric/rational.hpp>

#include <catch2/catch.hpp>
#include <random>
#include <tests/support/rational.hpp>

using namespace tailbound;
using bounds::ArrivalCurve;
using bounds::in_whole_packets;
using bounds::ServiceCurve;
using bounds::StepCurve;
using numeric::Rational;
using tailbound::test::ratio;

namespace {

constexpr std::size_t many = 1'000;

/// The definition: at most n packets, n = floor(a/shortest), and at most a.
Rational most(const ArrivalCurve& curve, const Rational& shortest, const Rational& longest,
              const Rational& time, const Rational& more) {
  const Rational packets(numeric::floor(curve(time) / shortest));
  return std::min(curve(time), Rational(packets * longest)) + more * packets;
}

}  // namespace

TEST_CASE("whole packets: stairs of one length, and of several") {
  const ArrivalCurve bucket({{ratio(1, 10), 25}});
  const StepCurve stairs = *in_whole_packets(bucket, 10, 10, 200, many);
  CHECK(stairs.pieces().size() == 3);
  CHECK(stairs(0) == 20);
  CHECK(stairs(ratio(499, 10)) == 20);
  CHECK(stairs(50) == 30);
  CHECK(stairs(150) == 40);
  CHECK_FALSE(in_whole_packets(bucket, 10, 10, 100'000, 50));
  // A jump at the end counts.
  CHECK((*in_whole_packets(bucket, 10, 10, 50, many))(50) == 30);
}

TEST_CASE("whole packets: random curves equal the definition at all times") {
  std::mt19937 random(5);
  const auto up_to = [&](int maximum) {
    return static_cast<int>(random() % static_cast<unsigned>(maximum)) + 1;
  };
  for (int test = 0; test < 300; ++test) {
    const int shortest = up_to(12), longest = shortest + (test % 3 == 0 ? 0 : up_to(15) - 1);
    const ArrivalCurve curve(
        {{ratio(up_to(9), up_to(9)), longest + up_to(30)}, {ratio(up_to(30), up_to(3)), longest}});
    const Rational end = up_to(60), more = test % 2 == 0 ? 0 : 3;
    const StepCurve steps = *in_whole_packets(curve, shortest, longest, end, many, more);
    for (int i = 0; i <= 120; ++i) {
      const Rational time = end * ratio(i, 120);
      REQUIRE(steps(time) == most(curve, shortest, longest, time, more));
    }
    for (const StepCurve::Piece& piece : steps.pieces())
      REQUIRE(piece.value == most(curve, shortest, longest, piece.start, more));
  }
}

TEST_CASE("sums, minima and distances of steps, against all times of a fine grid") {
  std::mt19937 random(7);
  const auto up_to = [&](int maximum) {
    return static_cast<int>(random() % static_cast<unsigned>(maximum)) + 1;
  };
  for (int test = 0; test < 200; ++test) {
    const Rational end = 40;
    std::vector<bounds::StepTerm> terms;
    for (int i = 0; i < 3; ++i) {
      const int length = up_to(8);
      terms.push_back({*in_whole_packets(ArrivalCurve({{ratio(up_to(4), 20), length + up_to(8)}}), length,
                                         length + (i == 2 ? up_to(4) : 0), end, many)});
    }
    const StepCurve sum = sum_of(terms);
    const ArrivalCurve cap({{1, 10}, {ratio(1, 2), 18}});
    const StepCurve least = minimum(sum, StepCurve(cap, end), end);
    const ServiceCurve line(ratio(up_to(10), 2), 2);
    std::vector<bounds::StepTerm> left{{StepCurve(line, 80)}, {terms.front().curve, -1}};
    left.back().curve = *in_whole_packets(ArrivalCurve({{ratio(1, 5), 6}}), 4, 4, 80, many);
    const bounds::StepService service{sum_of(left), 80, 2 * (80 - line.latency()) - 22};
    Rational backlog = -1000, delay = -1000;
    for (int i = 0; i <= 400; ++i) {
      const Rational time = ratio(i, 10);
      REQUIRE(sum(time) == terms[0].curve(time) + terms[1].curve(time) + terms[2].curve(time));
      REQUIRE(least(time) == std::min(sum(time), cap(time)));
      backlog = std::max(backlog, Rational(least(time) - service.sent(time)));
      // The last time of the grid at which no more than this is served.
      const Rational data = std::max(Rational(least(time) - 2), Rational(0));
      for (int j = 800; j >= 0; --j)
        if (service.sent(ratio(j, 10)) <= data) {
          delay = std::max(delay, Rational(ratio(j, 10) - time));
          break;
        }
    }
    const Rational exact = vertical_distance(least, service.sent, end);
    REQUIRE(exact >= backlog);
    REQUIRE(exact <= backlog + ratio(3, 10));
    const Rational found = horizontal_distance(least, end, service, 2)->delay;
    REQUIRE(found >= delay);
    REQUIRE(found <= delay + ratio(3, 10));
    const StepCurve positive = positive_part(service.sent);
    for (int i = 0; i <= 800; ++i)
      REQUIRE(positive(ratio(i, 10)) == std::max(service.sent(ratio(i, 10)), Rational(0)));
    REQUIRE_FALSE(horizontal_distance(least, end, {service.sent, 80, 3}, 2));
  }
}
