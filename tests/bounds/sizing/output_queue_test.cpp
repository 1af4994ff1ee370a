#include <catch2/catch.hpp>
#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/buffer/occupancy.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/bounds/sizing/output_queue.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tests/support/rational.hpp>

#include <array>
#include <cmath>

// The common interface of queues: the same queries for independent and correlated slots.

using namespace tailbound;
using numeric::Rational;
using tailbound::test::rational;

namespace {

double upper(const queue::ProbabilityClaim& claim) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim))
    return numeric::nearest_double(exact->value);
  if (const auto* enclosure = std::get_if<numeric::Enclosure<unit::Probability>>(&claim))
    return static_cast<double>(enclosure->upper());
  return static_cast<double>(std::get<numeric::Approximation<unit::Probability>>(claim).value);
}

answers::Traffic equal(const char* load) {
  return {.source = answers::EqualInputs{.inputs = 4, .load = rational(load)}};
}

/// Sources without memory, as a chain of one phase.
answers::Traffic one_phase() {
  queue::RationalBlocks blocks;
  for (const char* probability : {"256/625", "256/625", "96/625", "16/625", "1/625"})  // (4/5 + z/5)^4
    blocks.push_back({{rational(probability)}});
  return {.source = answers::Blocks{"blocks", queue::MarkovArrivals::blocks(blocks)}};
}

}  // namespace

TEST_CASE("output queue: recurrence and matrices agree without correlation") {
  const auto independent = answers::output_queue(equal("0.8")),
             correlated = answers::output_queue(one_phase());
  CHECK_FALSE(independent->correlated());
  CHECK(correlated->correlated());
  CHECK(*independent->load() == *correlated->load());
  const std::array levels{Packets(0), Packets(3), Packets(9), Packets(30)};
  const auto ours = independent->tails(levels), theirs = correlated->tails(levels);
  for (std::size_t i = 0; i < levels.size(); ++i)
    CHECK(upper(ours[i].probability) == Approx(upper(theirs[i].probability)).epsilon(1e-9));
  for (const auto criterion : {bounds::Criterion::overflow, bounds::Criterion::loss})
    for (const char* drop : {"1e-3", "1e-9", "1e-15"}) {
      const auto capacity = independent->min_buffer_size({rational(drop), criterion});
      CHECK(capacity.buffer == correlated->min_buffer_size({rational(drop), criterion}).buffer);
      CHECK(upper(capacity.at.probability) <= std::stod(drop));
      CHECK(upper(capacity.before->probability) > std::stod(drop));
    }
}

TEST_CASE("answers: buffer, its inverse queries and the distribution agree") {
  const answers::BufferQuery minimum{.traffic = equal("0.8"),
                                     .requested = answers::MinBuffer{rational("1e-9")}};
  const auto buffer = answers::answer(minimum);
  const auto back = answers::answer(
      answers::BufferQuery{.traffic = equal("0.8"), .requested = answers::ProbabilityOf{buffer.buffer}});
  CHECK(upper(back.at.probability) == upper(buffer.at.probability));
  const auto tail = answers::answer(
      answers::OccupancyQuery{.traffic = equal("0.8"), .levels = answers::Until{rational("1e-9")}});
  CHECK(tail.tail.back().level == buffer.buffer);
  CHECK(upper(tail.tail.back().tail.probability) == upper(buffer.at.probability));
  const auto maximum =
      answers::answer(answers::BufferQuery{.traffic = {.source = answers::EqualInputs{.inputs = 4}},
                                           .requested = answers::MaxLoad{buffer.buffer, rational("1e-9")}});
  CHECK(answers::span_of(answers::to_predicted(*maximum.load)).lower >= 0.8);
  const auto fastest = answers::answer(answers::BufferQuery{
      .traffic = equal("0.95"), .requested = answers::MinSpeedup{buffer.buffer, rational("1e-9")}});
  CHECK(answers::span_of(answers::to_predicted(*fastest.speedup)).upper ==
        Approx(0.95 / answers::span_of(answers::to_predicted(*maximum.load)).lower).epsilon(1e-8));
}

TEST_CASE("output queue: several packets served per slot") {
  answers::Traffic phases = one_phase(), plain = equal("0.8");
  phases.packets_per_slot = plain.packets_per_slot = 2;
  const auto independent = answers::output_queue(plain), correlated = answers::output_queue(phases);
  const std::array levels{Packets(0), Packets(2), Packets(5), Packets(9)};
  const auto ours = independent->tails(levels), theirs = correlated->tails(levels);
  for (std::size_t i = 0; i < levels.size(); ++i)
    CHECK(upper(ours[i].probability) == Approx(upper(theirs[i].probability)).epsilon(1e-9));
  CHECK(independent->min_buffer_size({rational("1e-6")}).buffer ==
        correlated->min_buffer_size({rational("1e-6")}).buffer);
  CHECK(std::get<numeric::Approximation<unit::Packet>>(correlated->mean_occupancy())
            .value.convert_to<double>() ==
        Approx(std::get<numeric::Enclosure<unit::Packet>>(independent->mean_occupancy())
                   .lower()
                   .convert_to<double>())
            .epsilon(1e-9));
  const auto lost = [](bounds::OutputQueue& queue) {
    return upper(queue.drop_probability(Packets(4), bounds::Criterion::loss).probability);
  };
  CHECK(lost(*correlated) == Approx(lost(*independent)).epsilon(1e-9));
  answers::Traffic whole{.source =
                             answers::BurstyInputs{.inputs = 4, .load = rational("1/2"), .burst = {8, 1}}};
  whole.packets_per_slot =
      4;  // all that may arrive: none is left over, and each input sends here in 1/8 of its slots
  CHECK(upper(answers::output_queue(whole)->tails(std::array{Packets(0)}).front().probability) ==
        Approx(1 - std::pow(7.0 / 8, 4)).epsilon(1e-9));
}

TEST_CASE("answers: the maximum load of one phase is that of independent slots, to four digits") {
  const answers::MaxLoad requested{Packets(9), rational("1e-9")};
  const auto one = answers::answer(answers::BufferQuery{.traffic = one_phase(), .requested = requested});
  const auto plain = answers::answer(
      answers::BufferQuery{.traffic = {.source = answers::EqualInputs{.inputs = 4}}, .requested = requested});
  CHECK(answers::span_of(answers::to_predicted(*one.load)).lower ==
        Approx(answers::span_of(answers::to_predicted(*plain.load)).lower).epsilon(2e-4));
}

TEST_CASE("answers: unsupported queries for correlated traffic") {
  CHECK_THROWS_AS(answers::output_queue(one_phase(), {.arithmetic = queue::Arithmetic::exact}),
                  InvalidArgument);
}
