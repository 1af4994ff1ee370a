#include <tailbound/answers/sized_buffer.hpp>
#include <tailbound/queue/markov_queue.hpp>
#include <tailbound/queue/train_bound.hpp>

#include <catch2/catch.hpp>

using namespace tailbound;
using answers::CellArrival;
using answers::SizedBufferAnswer;
using answers::SizedBufferQuestion;
using answers::SizedProbability;
using numeric::Rational;
using traffic::PacketSizes;

namespace {

SizedBufferQuestion question(std::int64_t inputs, const char* sizes, CellArrival arrive,
                             decltype(SizedBufferQuestion::asked) asked) {
  return {.inputs = inputs,
          .load = Rational(4) / 5,
          .sizes_name = sizes,
          .sizes = PacketSizes::of_list(sizes, "test"),
          .arrive = arrive,
          .asked = std::move(asked)};
}

numeric::Real upper_end(const SizedProbability& value) {
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Probability>>(&value)) return bound->value;
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&value))
    return numeric::to_real(exact->value, numeric::Rounding::up);
  return std::get<numeric::Enclosure<unit::Probability>>(value).upper();
}
numeric::Real lower_end(const SizedProbability& value) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&value))
    return numeric::to_real(exact->value, numeric::Rounding::down);
  return std::get<numeric::Enclosure<unit::Probability>>(value).lower();
}

constexpr const char* imix = "64:7,594:4,1518:1";
const Rational billionth = Rational(1) / 1'000'000'000;

}  // namespace

TEST_CASE("whole packets of several sizes: the least buffer and what it loses", "[answers][sized_buffer]") {
  const SizedBufferAnswer found =
      answer(question(16, imix, CellArrival::whole, answers::LeastBuffer{billionth}));
  CHECK_FALSE(found.bound_only());
  CHECK(numeric::compare(upper_end(found.at), billionth) <= 0);
  REQUIRE(found.before);
  CHECK(numeric::compare(lower_end(*found.before), billionth) > 0);
  CHECK(found.mean_cells == Rational(71) / 12);
  REQUIRE(found.packet_loss);
  // The sizes make up the whole; longer packets are lost more often.
  REQUIRE(found.classes.size() == 3);
  double sum = 0;
  for (const answers::SizeLoss& one : found.classes) {
    REQUIRE(one.loss);
    sum += numeric::nearest_double(one.share) * static_cast<double>(one.loss->lower());
  }
  CHECK(sum == Approx(static_cast<double>(lower_end(*found.packet_loss))).epsilon(1e-9));
  CHECK(found.classes[0].loss->upper() < found.classes[1].loss->lower());
  CHECK(found.classes[1].loss->upper() < found.classes[2].loss->lower());

  // The figures of section 5, asked for as a capacity.
  const SizedBufferAnswer room =
      answer(question(16, imix, CellArrival::whole, answers::ProbabilityOf{Packets(100)}));
  CHECK(static_cast<double>(upper_end(room.cell_loss)) == Approx(1.08800e-2).epsilon(1e-5));
  CHECK(static_cast<double>(upper_end(*room.packet_loss)) == Approx(8.79842e-3).epsilon(1e-6));
}

TEST_CASE("packets of one cell in packets or cells: one queue", "[answers][sized_buffer]") {
  const answers::BufferAnswer plain =
      answer(answers::BufferQuestion{.traffic = {.source = answers::EqualInputs{8, Rational(4) / 5}},
                                     .asked = answers::LeastBuffer{billionth}});
  for (const CellArrival arrive : {CellArrival::whole, CellArrival::cells}) {
    const SizedBufferAnswer found = answer(question(8, "40:1,64:2", arrive, answers::LeastBuffer{billionth}));
    CHECK(found.buffer == plain.buffer);
    // One cell a packet: packets are lost as cells are.
    REQUIRE(found.packet_loss);
    CHECK(static_cast<double>(upper_end(*found.packet_loss)) ==
          Approx(static_cast<double>(upper_end(found.cell_loss))).epsilon(1e-9));
  }
}

TEST_CASE("packets cell by cell: exact for few phases, a bound for many", "[answers][sized_buffer]") {
  // 4 inputs, two cells a packet: the chain of 15 phases.
  const SizedBufferAnswer exact =
      answer(question(4, "128", CellArrival::cells, answers::ProbabilityOf{Packets(10)}));
  CHECK_FALSE(exact.bound_only());
  CHECK(static_cast<double>(lower_end(exact.cell_loss)) == Approx(0.010096674088).epsilon(1e-10));
  REQUIRE(exact.packet_loss);
  CHECK(lower_end(*exact.packet_loss) <= lower_end(exact.cell_loss));
  CHECK(static_cast<double>(upper_end(*exact.packet_loss)) == Approx(0.020193348176).epsilon(1e-9));
  CHECK_FALSE(exact.classes.front().loss);

  const SizedBufferAnswer bound =
      answer(question(16, imix, CellArrival::cells, answers::LeastBuffer{billionth}));
  CHECK(bound.bound_only());
  CHECK_FALSE(bound.before);
  CHECK(numeric::compare(upper_end(bound.at), billionth) <= 0);
  const auto by_hand = queue::train_bound(
      {.inputs = 16, .load = Rational(4) / 5, .cells = PacketSizes::imix().cells(64)}, {10});
  CHECK(bound.buffer.value == by_hand.least_level(billionth));
  // Few inputs, so that the bound and the chain are both known.
  const SizedBufferAnswer few =
      answer(question(6, "128", CellArrival::cells, answers::LeastBuffer{billionth}));
  const auto few_bound = queue::train_bound(
      {.inputs = 6, .load = Rational(4) / 5, .cells = PacketSizes::of_list("128", "test").cells(64)}, {10});
  CHECK(few.buffer.value <= few_bound.least_level(billionth));
  CHECK(few.buffer.value >= few_bound.least_level(billionth) - 4);
}

TEST_CASE("packets cell by cell: trains of geometric length beside a bound", "[answers][sized_buffer]") {
  for (const bounds::Criterion criterion : {bounds::Criterion::overflow, bounds::Criterion::loss}) {
    SizedBufferQuestion asked =
        question(16, imix, CellArrival::cells, answers::LeastBuffer{Rational(1) / 10'000});
    asked.criterion = criterion;
    const SizedBufferAnswer found = answer(asked);
    REQUIRE(found.stand_in);
    // E[L^2] / E[L] = 2 g - 1 of the sizes themselves.
    CHECK(found.stand_in->length == Rational(527) / 71);
    CHECK(2 * found.stand_in->length - 1 ==
          Rational(7 * 1 + 4 * 10 * 10 + 1 * 24 * 24) / Rational(7 * 1 + 4 * 10 + 1 * 24));
    REQUIRE(found.stand_in->buffer);
    // Below what is proved, by little (losses are bounded less closely); and itself the least of that model.
    const auto least = static_cast<std::int64_t>(found.stand_in->buffer->value);
    CHECK(least <= found.buffer.value);
    CHECK(least >= found.buffer.value * (criterion == bounds::Criterion::overflow ? 9 : 8) / 10);
    queue::MarkovQueue model(
        queue::MarkovArrivals::trains({.inputs = 16, .load = asked.load, .length = found.stand_in->length}),
        {6});
    CHECK((criterion == bounds::Criterion::overflow ? model.least_level(Rational(1) / 10'000)
                                                    : model.least_capacity(Rational(1) / 10'000)) == least);
    CHECK(found.stand_in->at.value < static_cast<double>(upper_end(found.at)));
    CHECK(found.stand_in->at.value < 1e-4);
    CHECK(found.stand_in->mean_occupancy.value == Approx(21.349).epsilon(1e-4));

    asked.asked = answers::ProbabilityOf{Packets(100)};
    const SizedBufferAnswer room = answer(asked);
    REQUIRE(room.stand_in);
    CHECK_FALSE(room.stand_in->buffer);
    // Simulated: 0.0267 +- 0.0005 above 100 cells.
    if (criterion == bounds::Criterion::overflow)
      CHECK(room.stand_in->at.value == Approx(0.0282).epsilon(1e-2));
  }
  // None beside what is exact, and where no queue forms.
  CHECK_FALSE(answer(question(4, "128", CellArrival::cells, answers::ProbabilityOf{Packets(10)})).stand_in);
  CHECK_FALSE(answer(question(1, imix, CellArrival::cells, answers::LeastBuffer{billionth})).stand_in);
  CHECK(answer(question(1024, imix, CellArrival::cells, answers::ProbabilityOf{Packets(50)})).stand_in);
}

TEST_CASE("sized buffers that cannot be are refused", "[answers][sized_buffer][errors]") {
  SizedBufferQuestion asked = question(4, imix, CellArrival::cells, answers::LeastBuffer{billionth});
  asked.accuracy.arithmetic = queue::Arithmetic::exact;
  CHECK_THROWS_AS(answer(asked), InvalidArgument);
  for (const CellArrival arrive : {CellArrival::whole, CellArrival::cells}) {
    asked = question(4, imix, arrive, answers::LeastBuffer{billionth});
    asked.load = 1;
    CHECK_THROWS_AS(answer(asked), Unstable);
    asked.load = 0;
    CHECK_THROWS_AS(answer(asked), InvalidArgument);
    asked = question(4, imix, arrive, answers::LeastBuffer{Rational(2)});
    CHECK_THROWS_AS(answer(asked), InvalidArgument);
  }
}
