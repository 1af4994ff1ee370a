#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/tail_bounds/train_bound.hpp>

#include <algorithm>
#include <catch2/catch.hpp>

using namespace tailbound;
using answers::CellArrival;
using answers::SizedBufferAnswer;
using answers::SizedBufferQuery;
using answers::SizedCriterion;
using numeric::Rational;
using traffic::PacketSizes;

namespace {

SizedBufferQuery query(std::int64_t inputs, const char* sizes, CellArrival arrive,
                       decltype(SizedBufferQuery::requested) requested) {
  return {.inputs = inputs,
          .load = Rational(4) / 5,
          .sizes_name = sizes,
          .sizes = PacketSizes::of_list(sizes, "test"),
          .arrive = arrive,
          .requested = std::move(requested)};
}

numeric::Real upper_end(const numeric::Claim<unit::Probability>& value) {
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Probability>>(&value)) return bound->value;
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&value))
    return numeric::to_real(exact->value, numeric::Rounding::up);
  return std::get<numeric::Enclosure<unit::Probability>>(value).upper();
}
numeric::Real lower_end(const numeric::Claim<unit::Probability>& value) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&value))
    return numeric::to_real(exact->value, numeric::Rounding::down);
  return std::get<numeric::Enclosure<unit::Probability>>(value).lower();
}

constexpr const char* imix = "64:7,594:4,1518:1";
const Rational billionth = Rational(1) / 1'000'000'000;

}  // namespace

TEST_CASE("whole packets of several sizes: minimum buffer and its loss", "[answers][sized_buffer]") {
  const SizedBufferAnswer found = answer(query(16, imix, CellArrival::whole, answers::MinBuffer{billionth}));
  CHECK_FALSE(found.bound_only());
  CHECK(numeric::compare(upper_end(found.at), billionth) <= 0);
  REQUIRE(found.before);
  CHECK(numeric::compare(lower_end(*found.before), billionth) > 0);
  CHECK(found.mean_cells == Rational(71) / 12);
  REQUIRE(found.packet_loss);
  // The sizes add up to the total; longer packets are lost more often.
  REQUIRE(found.classes.size() == 3);
  double sum = 0;
  for (const answers::SizeLoss& one : found.classes) {
    REQUIRE(one.loss);
    sum += numeric::nearest_double(one.share) * static_cast<double>(lower_end(*one.loss));
  }
  CHECK(sum == Approx(static_cast<double>(lower_end(*found.packet_loss))).epsilon(1e-9));
  CHECK(upper_end(*found.classes[0].loss) < lower_end(*found.classes[1].loss));
  CHECK(upper_end(*found.classes[1].loss) < lower_end(*found.classes[2].loss));

  // The figures of section 5, with a given capacity.
  const SizedBufferAnswer capacity =
      answer(query(16, imix, CellArrival::whole, answers::ProbabilityOf{Packets(100)}));
  CHECK(static_cast<double>(upper_end(capacity.cell_loss)) == Approx(1.08800e-2).epsilon(1e-5));
  CHECK(static_cast<double>(upper_end(*capacity.packet_loss)) == Approx(8.79842e-3).epsilon(1e-6));
}

TEST_CASE("packets of one cell in packets or cells: one queue", "[answers][sized_buffer]") {
  const answers::BufferAnswer plain =
      answer(answers::BufferQuery{.traffic = {.source = answers::EqualInputs{8, Rational(4) / 5}},
                                  .requested = answers::MinBuffer{billionth}});
  for (const CellArrival arrive : {CellArrival::whole, CellArrival::cells}) {
    const SizedBufferAnswer found = answer(query(8, "40:1,64:2", arrive, answers::MinBuffer{billionth}));
    CHECK(found.buffer == plain.buffer);
    // One cell per packet: packet loss equals cell loss.
    REQUIRE(found.packet_loss);
    CHECK(static_cast<double>(upper_end(*found.packet_loss)) ==
          Approx(static_cast<double>(upper_end(found.cell_loss))).epsilon(1e-9));
  }
}

TEST_CASE("packets cell by cell: exact for few phases, a bound for many", "[answers][sized_buffer]") {
  // 4 inputs, two cells per packet: the chain of 15 phases.
  const SizedBufferAnswer exact =
      answer(query(4, "128", CellArrival::cells, answers::ProbabilityOf{Packets(10)}));
  CHECK_FALSE(exact.bound_only());
  CHECK(static_cast<double>(lower_end(exact.cell_loss)) == Approx(0.010096674088).epsilon(1e-10));
  REQUIRE(exact.packet_loss);
  CHECK(lower_end(*exact.packet_loss) <= lower_end(exact.cell_loss));
  CHECK(static_cast<double>(upper_end(*exact.packet_loss)) == Approx(0.020193348176).epsilon(1e-9));
  // All packets have this size.
  CHECK(upper_end(*exact.classes.front().loss) >= upper_end(*exact.packet_loss));
  CHECK(static_cast<double>(upper_end(*exact.classes.front().loss)) == Approx(0.020193348176).epsilon(1e-9));

  const SizedBufferAnswer bound = answer(query(16, imix, CellArrival::cells, answers::MinBuffer{billionth}));
  CHECK(bound.bound_only());
  CHECK_FALSE(bound.before);
  CHECK(numeric::compare(upper_end(bound.at), billionth) <= 0);
  const auto by_hand = queue::train_bound(
      {.inputs = 16, .load = Rational(4) / 5, .cells = PacketSizes::imix().cells(64)}, {10});
  CHECK(bound.buffer.value == by_hand.min_level(billionth));
  // Few inputs, so that both the bound and the chain are known.
  const SizedBufferAnswer few = answer(query(6, "128", CellArrival::cells, answers::MinBuffer{billionth}));
  const auto few_bound = queue::train_bound(
      {.inputs = 6, .load = Rational(4) / 5, .cells = PacketSizes::of_list("128", "test").cells(64)}, {10});
  CHECK(few.buffer.value <= few_bound.min_level(billionth));
  CHECK(few.buffer.value >= few_bound.min_level(billionth) - 4);
}

TEST_CASE("packets cell by cell: geometric trains and a bound", "[answers][sized_buffer]") {
  for (const SizedCriterion criterion : {SizedCriterion::overflow, SizedCriterion::cell_loss}) {
    SizedBufferQuery requested =
        query(16, imix, CellArrival::cells, answers::MinBuffer{Rational(1) / 10'000});
    requested.criterion = criterion;
    const SizedBufferAnswer found = answer(requested);
    REQUIRE(found.approximation);
    // E[L^2] / E[L] = 2 g - 1 for the sizes themselves.
    CHECK(found.approximation->length == Rational(527) / 71);
    CHECK(2 * found.approximation->length - 1 ==
          Rational(7 * 1 + 4 * 10 * 10 + 1 * 24 * 24) / Rational(7 * 1 + 4 * 10 + 1 * 24));
    REQUIRE(found.approximation->buffer);
    // Slightly below the proved value (losses are bounded less tightly), and the minimum of its own model.
    const auto minimum = static_cast<std::int64_t>(found.approximation->buffer->value);
    CHECK(minimum <= found.buffer.value);
    CHECK(minimum >= found.buffer.value * (criterion == SizedCriterion::overflow ? 9 : 8) / 10);
    queue::MarkovQueue model(
        queue::MarkovArrivals::trains(
            {.inputs = 16, .load = requested.load, .length = found.approximation->length}),
        {6});
    CHECK((criterion == SizedCriterion::overflow ? model.min_level(Rational(1) / 10'000)
                                                 : model.min_capacity(Rational(1) / 10'000)) == minimum);
    CHECK(found.approximation->at.value < static_cast<double>(upper_end(found.at)));
    CHECK(found.approximation->at.value < 1e-4);
    CHECK(found.approximation->mean_occupancy.value == Approx(21.349).epsilon(1e-4));

    requested.requested = answers::ProbabilityOf{Packets(100)};
    const SizedBufferAnswer capacity = answer(requested);
    REQUIRE(capacity.approximation);
    CHECK_FALSE(capacity.approximation->buffer);
    // Simulated: 0.0267 +- 0.0005 above 100 cells.
    if (criterion == SizedCriterion::overflow)
      CHECK(capacity.approximation->at.value == Approx(0.0282).epsilon(1e-2));
  }
  // None if the result is exact, and if no queue forms.
  CHECK_FALSE(answer(query(4, "128", CellArrival::cells, answers::ProbabilityOf{Packets(10)})).approximation);
  CHECK_FALSE(answer(query(1, imix, CellArrival::cells, answers::MinBuffer{billionth})).approximation);
  CHECK(answer(query(1024, imix, CellArrival::cells, answers::ProbabilityOf{Packets(50)})).approximation);
}

TEST_CASE("a loss is the fraction of packets, or of cells with the criterion cell-loss",
          "[answers][sized_buffer]") {
  const Rational target = Rational(1) / 1000;
  const auto at = [](SizedCriterion criterion, CellArrival arrive, const char* sizes, auto requested) {
    SizedBufferQuery it = query(16, sizes, arrive, requested);
    it.criterion = criterion;
    return answer(it);
  };
  // Whole packets: exact, on both sides of the target.
  for (const char* sizes : {imix, "64:1,128:1", "1500"}) {
    const SizedBufferAnswer packets =
        at(SizedCriterion::packet_loss, CellArrival::whole, sizes, answers::MinBuffer{target});
    CHECK_FALSE(packets.at_bound());
    CHECK(upper_end(packets.at) == upper_end(*packets.packet_loss));
    CHECK(numeric::compare(upper_end(packets.at), target) <= 0);
    REQUIRE(packets.before);
    CHECK(numeric::compare(lower_end(*packets.before), target) > 0);
    const SizedBufferAnswer before = at(SizedCriterion::packet_loss, CellArrival::whole, sizes,
                                        answers::ProbabilityOf{packets.buffer - Packets(1)});
    CHECK(upper_end(before.at) == upper_end(*packets.before));
    const SizedBufferAnswer cells =
        at(SizedCriterion::cell_loss, CellArrival::whole, sizes, answers::MinBuffer{target});
    CHECK(upper_end(cells.at) == upper_end(cells.cell_loss));
    CHECK(numeric::compare(upper_end(cells.at), target) <= 0);
    CHECK(numeric::compare(lower_end(*cells.before), target) > 0);
  }
  // With few inputs long packets are lost more often than their cells, short ones rarely.
  const auto buffers = [&](SizedCriterion criterion) {
    return at(criterion, CellArrival::whole, imix, answers::MinBuffer{target}).buffer.value;
  };
  CHECK(buffers(SizedCriterion::packet_loss) < buffers(SizedCriterion::cell_loss));
  // Cell by cell: at most E[L] packets per cell, so the target of cells is lower by that factor.
  for (const auto& [inputs, sizes] : {std::pair{4, "128"}, {16, imix}}) {
    SizedBufferQuery requested = query(inputs, sizes, CellArrival::cells, answers::MinBuffer{target});
    requested.criterion = SizedCriterion::packet_loss;
    const SizedBufferAnswer packets = answer(requested);
    CHECK(packets.at_bound());
    CHECK_FALSE(packets.before);
    CHECK_FALSE(packets.approximation);
    CHECK(numeric::compare(upper_end(packets.at), target) <= 0);
    CHECK(static_cast<double>(upper_end(packets.at)) ==
          Approx(numeric::nearest_double(packets.mean_cells) *
                 static_cast<double>(upper_end(packets.cell_loss)))
              .epsilon(1e-12));
    requested.criterion = SizedCriterion::cell_loss;
    requested.requested = answers::MinBuffer{target / packets.mean_cells};
    CHECK(answer(requested).buffer == packets.buffer);
    for (const answers::SizeLoss& one : packets.classes) {
      REQUIRE(one.loss);
      CHECK(static_cast<double>(upper_end(*one.loss)) ==
            Approx(std::min(
                1.0, static_cast<double>(upper_end(packets.at)) / numeric::nearest_double(one.share))));
    }
  }
  // For packets of one cell packet loss equals cell loss, exactly.
  const SizedBufferAnswer one =
      at(SizedCriterion::packet_loss, CellArrival::cells, "64", answers::MinBuffer{target});
  CHECK_FALSE(one.at_bound());
  CHECK(one.before);
}

TEST_CASE("invalid sized buffers are rejected", "[answers][sized_buffer][errors]") {
  SizedBufferQuery requested = query(4, imix, CellArrival::cells, answers::MinBuffer{billionth});
  requested.accuracy.arithmetic = queue::Arithmetic::exact;
  CHECK_THROWS_AS(answer(requested), InvalidArgument);
  for (const CellArrival arrive : {CellArrival::whole, CellArrival::cells}) {
    requested = query(4, imix, arrive, answers::MinBuffer{billionth});
    requested.load = 1;
    CHECK_THROWS_AS(answer(requested), Unstable);
    requested.load = 0;
    CHECK_THROWS_AS(answer(requested), InvalidArgument);
    requested = query(4, imix, arrive, answers::MinBuffer{Rational(2)});
    CHECK_THROWS_AS(answer(requested), InvalidArgument);
  }
}
