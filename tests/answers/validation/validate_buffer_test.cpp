#include <catch2/catch.hpp>
#include <tailbound/answers/validation/validate_buffer.hpp>
#include <tailbound/answers/validation/validate_sized_buffer.hpp>
#include <tailbound/core/error.hpp>
#include <tests/support/rational.hpp>

#include <string>
#include <string_view>
#include <variant>

// Results depend only on the seed.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

ValidateBufferQuery small_switch() {
  ValidateBufferQuery query{.inputs = 4, .load = rational("0.8")};
  query.length.slots = 20'000;
  return query;
}

ValidateSizedBufferQuery sized_switch(std::string_view sizes, std::string_view load) {
  ValidateSizedBufferQuery query{
      .inputs = 4,
      .load = rational(std::string(load)),
      .cells = {.name = std::string(sizes), .sizes = traffic::PacketSizes::of_list(sizes, "sizes")}};
  query.length.slots = 100'000;
  return query;
}

/// As for `buffer --sizes`.
SizedBufferAnswer analysed(const ValidateSizedBufferQuery& query, Packets at) {
  return answers::answer(SizedBufferQuery{
      .inputs = query.inputs,
      .load = query.load,
      .sizes_name = query.cells.name,
      .sizes = query.cells.sizes,
      .cell_bytes = query.cells.cell_bytes,
      .arrive = query.arrive,
      .requested = ProbabilityOf{at},
      .criterion = query.capacity ? answers::SizedCriterion::cell_loss : answers::SizedCriterion::overflow});
}

double value_of(const SizedProbability& computed) {
  return std::visit([](const auto& truth) { return span_of(truth).upper; }, computed);
}

}  // namespace

TEST_CASE("answers: occupancy by analysis and simulation") {
  ValidateBufferQuery query = small_switch();
  query.levels = {Packets(0), Packets(10)};
  const ValidateBufferAnswer both = answers::answer(query);
  CHECK(both.confidence_of_each == Approx(1 - 0.05 / 3));
  REQUIRE(both.tail.size() == 2);
  CHECK(both.tail[0].above.span()->upper == Approx(0.8));
  CHECK(both.tail[1].above.count == both.simulation.queues[0].tail[1].count);
  // 0.8 + 3/4 0.64 / 0.4: four sources of 0.2
  CHECK(std::get<numeric::Exact<unit::Packet>>(*both.mean_occupancy.predicted).value == 2);
  CHECK(both.tally.rows() == 3);
  CHECK(both.tally.judged() == 3);
}

TEST_CASE("answers: occupancies are compared by default where the analysis gives 0.5 to 1e-6") {
  const ValidateBufferQuery query = small_switch();
  const ValidateBufferAnswer both = answers::answer(query);
  REQUIRE(both.tail.size() >= 9);
  CHECK(both.tail.front().above.span()->upper <= 0.5);
  CHECK(both.tail.back().above.span()->upper <= 1e-6);
  const auto curve = compared_curve(query, both);
  REQUIRE(curve.size() > 10);
  CHECK(curve.front().level == Packets(0));
  CHECK(curve.front().above.span()->upper == Approx(0.8));
}

TEST_CASE("answers: occupancy of correlated arrivals by analysis and simulation") {
  ValidateBufferQuery query = small_switch();
  query.load = rational("0.6");
  query.burst = traffic::Burst{.slots = 8};
  query.levels = {Packets(1), Packets(4)};
  const ValidateBufferAnswer both = answers::answer(query);
  CHECK(both.tally.underestimates() == 0);
  for (const ComparedOccupancy& row : both.tail)
    CHECK(std::holds_alternative<numeric::Enclosure<unit::Probability>>(*row.above.predicted));
}

TEST_CASE("answers: unsupported occupancies are rejected") {
  ValidateBufferQuery query = small_switch();
  query.load = 0;
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.load = rational("0.5");
  query.inputs = 1;
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
}

TEST_CASE("answers: cells of packets of several sizes by analysis and simulation") {
  for (const CellArrival arrive : {CellArrival::whole, CellArrival::cells}) {
    CAPTURE(static_cast<int>(arrive));
    ValidateSizedBufferQuery query = sized_switch("64:1,128:1", "0.7");
    query.arrive = arrive;
    query.levels = {Packets(0), Packets(3), Packets(12)};
    const ValidateSwitchAnswer both = answers::answer(query);
    CHECK(both.confidence_of_each == Approx(1 - 0.05 / 4));
    REQUIRE(both.memories.size() == 3);
    CHECK(both.memories[0].measure.span()->upper == Approx(0.7));
    for (const ComparedMemory& row : both.memories) {
      CAPTURE(row.memory.value);
      CHECK(row.measure.span()->upper == Approx(value_of(analysed(query, row.memory).at)).epsilon(1e-9));
      CHECK(row.measure.verdict() == Verdict::inside);
      CHECK_FALSE(row.about);
      CHECK_FALSE(row.packets);
    }
    // For one output, not for all of them.
    REQUIRE(both.simulation.tail[1].output);
    CHECK(both.memories[1].measure.count == both.simulation.tail[1].output->count);
    CHECK(both.mean->verdict() == Verdict::inside);
    CHECK(both.tally.count(Verdict::inside) == 4);
    // The other kind of arrival is a different queue, which would be detected.
    query.arrive = arrive == CellArrival::whole ? CellArrival::cells : CellArrival::whole;
    const double other = value_of(analysed(query, Packets(3)).at);
    CHECK(verdict_of(Span{other, other}, {both.memories[1].measure.simulated.lower,
                                          both.memories[1].measure.simulated.upper}) != Verdict::inside);
  }
}

TEST_CASE("answers: packets of one cell give the queue without sizes") {
  ValidateSizedBufferQuery sized = sized_switch("64", "0.8");
  ValidateBufferQuery plain = small_switch();
  sized.length.slots = plain.length.slots = 20'000;
  const ValidateSwitchAnswer cells = answers::answer(sized);
  const ValidateBufferAnswer packets = answers::answer(plain);
  REQUIRE(cells.memories.size() == packets.tail.size());
  for (std::size_t i = 0; i < packets.tail.size(); ++i) {
    CHECK(cells.memories[i].memory == packets.tail[i].level);
    CHECK(cells.memories[i].measure.span()->upper ==
          Approx(packets.tail[i].above.span()->upper).epsilon(1e-9));
  }
  CHECK(cells.mean->span()->upper == packets.mean_occupancy.span()->upper);
}

TEST_CASE("answers: loss of packets of several sizes by analysis and simulation") {
  for (const CellArrival arrive : {CellArrival::whole, CellArrival::cells}) {
    CAPTURE(static_cast<int>(arrive));
    ValidateSizedBufferQuery query = sized_switch("64:1,128:1", "0.8");
    query.arrive = arrive;
    query.capacity = Packets(6);
    query.length.slots = 400'000;
    const ValidateSwitchAnswer both = answers::answer(query);
    CHECK(both.confidence_of_each == Approx(1 - 0.05 / 2));
    REQUIRE(both.memories.size() == 1);
    const ComparedMemory& row = both.memories.front();
    const SizedBufferAnswer computed = analysed(query, Packets(6));
    REQUIRE(row.packets);
    CHECK(row.measure.span()->upper == Approx(value_of(computed.cell_loss)).epsilon(1e-9));
    CHECK(row.packets->span()->upper == Approx(value_of(*computed.packet_loss)).epsilon(1e-9));
    CHECK(row.measure.verdict() == Verdict::inside);
    CHECK(row.packets->verdict() == Verdict::inside);
    CHECK_FALSE(both.mean);
    CHECK(both.tally.rows() == 2);
    // A difference of one cell would be detected.
    for (const std::int64_t other : {5, 7}) {
      const double loss = value_of(analysed(query, Packets(other)).cell_loss);
      CHECK(verdict_of(Span{loss, loss}, {row.measure.simulated.lower, row.measure.simulated.upper}) !=
            Verdict::inside);
    }
  }
}

TEST_CASE("answers: a bound of cells exceeds the simulation; the geometric approximation is not counted") {
  ValidateSizedBufferQuery query = sized_switch("64:7,594:4,1518:1", "0.8");
  query.inputs = 16;
  query.arrive = CellArrival::cells;
  const ValidateSwitchAnswer both = answers::answer(query);
  // Where the approximation gives 0.5 ... 1e-6.
  REQUIRE(both.memories.size() >= 9);
  CHECK(both.memories.front().about->span()->upper <= 0.5);
  CHECK(both.memories.back().about->span()->upper == Approx(1e-6).epsilon(0.1));
  for (const ComparedMemory& row : both.memories) {
    CHECK(std::holds_alternative<numeric::UpperBound<unit::Probability>>(*row.measure.predicted));
    CHECK(std::holds_alternative<numeric::Model<unit::Probability>>(*row.about->predicted));
    CHECK(row.about->count == row.measure.count);
  }
  CHECK(both.memories.front().measure.verdict() == Verdict::above);
  CHECK(both.mean->verdict() == Verdict::above);
  CHECK(both.tally.underestimates() == 0);
  CHECK(both.tally.rows() == both.memories.size() + 1);
  query.capacity = Packets(100);
  const ValidateSwitchAnswer lost = answers::answer(query);
  CHECK(lost.tally.count(Verdict::above) == 2);
  CHECK(lost.memories.front().about->simulated.value == lost.memories.front().measure.simulated.value);
}

TEST_CASE("answers: unsupported cells are rejected") {
  ValidateSizedBufferQuery query = sized_switch("64:1,128:1", "0.8");
  query.levels = {Packets(3)};
  query.capacity = Packets(3);
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.levels.clear();
  query.load = 0;
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
}
