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
  ValidateBufferQuery query{.traffic = {.source = EqualInputs{.inputs = 4, .load = rational("0.8")}}};
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

double value_of(const numeric::Claim<unit::Probability>& computed) {
  return std::visit([](const auto& truth) { return span_of(truth).upper; }, computed);
}

/// The mean is the last row.
const Comparison<unit::Packet>& mean_of(const Comparisons& both) {
  return std::get<Comparison<unit::Packet>>(both.rows.back().compared);
}

}  // namespace

TEST_CASE("answers: occupancy by analysis and simulation") {
  ValidateBufferQuery query = small_switch();
  query.levels = {Packets(0), Packets(10)};
  const ValidateBufferAnswer both = answers::answer(query);
  CHECK(both.confidence_of_each == Approx(1 - 0.05 / 3));
  REQUIRE(both.rows.size() == 3);
  CHECK(both.rows[0].probability().span()->upper == Approx(0.8));
  CHECK(both.rows[1].probability().count == both.simulation.queues[0].tail[1].count);
  // 0.8 + 3/4 0.64 / 0.4: four sources of 0.2
  CHECK(std::get<numeric::Exact<unit::Packet>>(*mean_of(both).predicted).value == 2);
  CHECK(both.tally.rows() == 3);
  CHECK(both.tally.judged() == 3);
}

TEST_CASE("answers: occupancies are compared by default where the analysis gives 0.5 to 1e-6") {
  const ValidateBufferQuery query = small_switch();
  const ValidateBufferAnswer both = answers::answer(query);
  REQUIRE(both.rows.size() >= 10);
  CHECK(both.rows.front().probability().span()->upper <= 0.5);
  CHECK(both.rows[both.rows.size() - 2].probability().span()->upper <= 1e-6);
  const auto curve = compared_curve(query, both);
  REQUIRE(curve.size() > 10);
  CHECK(curve.front().level == 0);
  CHECK(curve.front().probability().span()->upper == Approx(0.8));
}

TEST_CASE("answers: occupancy of correlated arrivals by analysis and simulation") {
  ValidateBufferQuery query = small_switch();
  query.traffic.source = BurstyInputs{.inputs = 4, .load = rational("0.6"), .burst = {.slots = 8}};
  query.levels = {Packets(1), Packets(4)};
  const ValidateBufferAnswer both = answers::answer(query);
  CHECK(both.tally.underestimates() == 0);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(std::holds_alternative<numeric::Enclosure<unit::Probability>>(
        *both.rows.at(i).probability().predicted));
}

TEST_CASE("answers: unsupported occupancies are rejected") {
  ValidateBufferQuery query = small_switch();
  query.traffic.source = EqualInputs{.inputs = 4, .load = 0};
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
  query.traffic.source = EqualInputs{.inputs = 4, .load = 1};
  CHECK_THROWS_AS(answers::answer(query), Unstable);
  query.traffic.source = PoissonAtAnyTime{.load = rational("0.5")};
  CHECK_THROWS_AS(answers::answer(query), InvalidArgument);
}

TEST_CASE("answers: occupancy of any traffic by analysis and simulation") {
  const auto [source, served] = GENERATE(table<Source, int>(
      {{UnequalInputs{{rational("0.5"), rational("0.2"), rational("0.1")}}, 1},
       {PoissonArrivals{.load = rational("0.7")}, 1},
       {PoissonArrivals{.load = rational("1.5")}, 2},
       {EqualInputs{.inputs = 8, .load = rational("1.6")}, 2},
       {generating_function("(3 + z^2)/4", "arrivals"), 1},
       {BurstyInputs{.inputs = 3, .load = rational("0.8"), .burst = {.slots = 6}}, 2},
       {bounds::Incast{.senders = 4, .packets = 2, .rate = rational("0.07")}, 1},
       {TrafficClass{.inputs = 4, .loads = {rational("0.3"), rational("0.4")}, .priority = 2}, 1}}));
  ValidateBufferQuery query{.traffic = {.source = source, .packets_per_slot = served},
                            .levels = {Packets(0), Packets(1), Packets(3), Packets(6)}};
  query.length.slots = 200'000;
  const ValidateBufferAnswer both = answers::answer(query);
  CAPTURE(source.index(), served);
  CHECK(both.tally.rows() == 5);
  CHECK(both.tally.count(Verdict::inside) == both.tally.judged());
  CHECK(both.tally.judged() >= 4);
  const auto curve = compared_curve(query, both);
  CHECK(curve.front().probability().span()->upper == Approx(both.rows[0].probability().span()->upper));
}

TEST_CASE("answers: cells of packets of several sizes by analysis and simulation") {
  for (const CellArrival arrive : {CellArrival::whole, CellArrival::cells}) {
    CAPTURE(static_cast<int>(arrive));
    ValidateSizedBufferQuery query = sized_switch("64:1,128:1", "0.7");
    query.arrive = arrive;
    query.levels = {Packets(0), Packets(3), Packets(12)};
    const ValidateSwitchAnswer both = answers::answer(query);
    CHECK(both.confidence_of_each == Approx(1 - 0.05 / 4));
    REQUIRE(both.rows.size() == 4);
    CHECK(both.rows[0].probability().span()->upper == Approx(0.7));
    for (std::size_t i = 0; i < 3; ++i) {
      const ComparedRow& row = both.rows[i];
      CAPTURE(*row.level);
      CHECK(row.quantity == ComparedQuantity::occupancy_tail);
      CHECK(row.probability().span()->upper ==
            Approx(value_of(analysed(query, Packets(*row.level)).at)).epsilon(1e-9));
      CHECK(row.probability().verdict() == Verdict::inside);
      CHECK_FALSE(row.about);
    }
    // For one output, not for all of them.
    REQUIRE(both.simulation.tail[1].output);
    CHECK(both.rows[1].probability().count == both.simulation.tail[1].output->count);
    CHECK(mean_of(both).verdict() == Verdict::inside);
    CHECK(both.tally.count(Verdict::inside) == 4);
    // The other kind of arrival is a different queue, which would be detected.
    query.arrive = arrive == CellArrival::whole ? CellArrival::cells : CellArrival::whole;
    const double other = value_of(analysed(query, Packets(3)).at);
    const auto& seen = both.rows[1].probability().simulated;
    CHECK(verdict_of(Span{other, other}, {seen.lower, seen.upper}) != Verdict::inside);
  }
}

TEST_CASE("answers: packets of one cell give the queue without sizes") {
  ValidateSizedBufferQuery sized = sized_switch("64", "0.8");
  ValidateBufferQuery plain = small_switch();
  sized.length.slots = plain.length.slots = 20'000;
  const ValidateSwitchAnswer cells = answers::answer(sized);
  const ValidateBufferAnswer packets = answers::answer(plain);
  REQUIRE(cells.rows.size() == packets.rows.size());
  for (std::size_t i = 0; i + 1 < packets.rows.size(); ++i) {
    CHECK(cells.rows[i].level == packets.rows[i].level);
    CHECK(cells.rows[i].probability().span()->upper ==
          Approx(packets.rows[i].probability().span()->upper).epsilon(1e-9));
  }
  CHECK(mean_of(cells).span()->upper == mean_of(packets).span()->upper);
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
    REQUIRE(both.rows.size() == 2);
    CHECK(both.rows[0].quantity == ComparedQuantity::cell_loss);
    CHECK(both.rows[1].quantity == ComparedQuantity::packet_loss);
    const auto &cells = both.rows[0].probability(), &packets = both.rows[1].probability();
    const SizedBufferAnswer computed = analysed(query, Packets(6));
    CHECK(cells.span()->upper == Approx(value_of(computed.cell_loss)).epsilon(1e-9));
    CHECK(packets.span()->upper == Approx(value_of(*computed.packet_loss)).epsilon(1e-9));
    CHECK(cells.verdict() == Verdict::inside);
    CHECK(packets.verdict() == Verdict::inside);
    CHECK(both.tally.rows() == 2);
    // A difference of one cell would be detected.
    for (const std::int64_t other : {5, 7}) {
      const double loss = value_of(analysed(query, Packets(other)).cell_loss);
      CHECK(verdict_of(Span{loss, loss}, {cells.simulated.lower, cells.simulated.upper}) != Verdict::inside);
    }
  }
}

TEST_CASE("answers: a bound of cells exceeds the simulation; the geometric approximation is not counted") {
  ValidateSizedBufferQuery query = sized_switch("64:7,594:4,1518:1", "0.8");
  query.inputs = 16;
  query.arrive = CellArrival::cells;
  const ValidateSwitchAnswer both = answers::answer(query);
  // Where the approximation gives 0.5 ... 1e-6.
  const std::size_t levels = both.rows.size() - 1;
  REQUIRE(levels >= 9);
  CHECK(both.rows.front().about->span()->upper <= 0.5);
  CHECK(both.rows[levels - 1].about->span()->upper == Approx(1e-6).epsilon(0.1));
  for (std::size_t i = 0; i < levels; ++i) {
    const ComparedRow& row = both.rows[i];
    CHECK(std::holds_alternative<numeric::UpperBound<unit::Probability>>(*row.probability().predicted));
    CHECK(std::holds_alternative<numeric::Model<unit::Probability>>(*row.about->predicted));
    CHECK(row.about->count == row.probability().count);
  }
  CHECK(both.rows.front().probability().verdict() == Verdict::above);
  CHECK(mean_of(both).verdict() == Verdict::above);
  CHECK(both.tally.underestimates() == 0);
  CHECK(both.tally.rows() == both.rows.size());
  query.capacity = Packets(100);
  const ValidateSwitchAnswer lost = answers::answer(query);
  CHECK(lost.tally.count(Verdict::above) == 2);
  CHECK(lost.rows.front().about->simulated.value == lost.rows.front().probability().simulated.value);
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
