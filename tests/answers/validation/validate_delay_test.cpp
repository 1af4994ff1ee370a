#include <catch2/catch.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/validation/validate_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tests/support/rational.hpp>

#include <cmath>

// Results depend only on the seed.

namespace {

using namespace tailbound;
using namespace tailbound::answers;
using tailbound::test::rational;

ValidateDelayQuery small_validation() {
  ValidateDelayQuery query{.topology = TreeTopology{.tree = {4, 2}, .load = rational("0.6")}};
  query.length.slots = 4000;
  return query;
}

const Comparison<unit::Slot>& slots(const ValidateDelayAnswer& answer, ComparedQuantity quantity) {
  return std::get<Comparison<unit::Slot>>(answer.find(quantity)->compared);
}

/// P(D > t) alone.
std::vector<ComparedRow> tail_of(const ValidateDelayAnswer& answer) {
  std::vector<ComparedRow> rows = answer.rows;
  std::erase_if(rows, [](const ComparedRow& row) { return row.quantity != ComparedQuantity::delay_tail; });
  return rows;
}

}  // namespace

TEST_CASE("answers: delays by analysis and simulation equal the separate answers") {
  ValidateDelayQuery query = small_validation();
  query.levels = {Slots(2), Slots(6)};
  query.percentiles = {rational("0.99")};
  const ValidateDelayAnswer both = answers::answer(query);
  CHECK(both.confidence_of_each == Approx(1 - 0.05 / 4));
  CHECK(both.omissions.correlated_waits);
  CHECK(both.tally.rows() == 4);

  DelayQuery analysis{.topology = query.topology};
  analysis.levels = query.levels;
  analysis.percentiles = query.percentiles;
  const DelayAnswer analysed = answers::answer(analysis);
  SimulateTreeQuery simulation{.topology = query.topology};
  simulation.delay_levels = query.levels;
  simulation.percentiles = query.percentiles;
  simulation.confidence = both.confidence_of_each;
  simulation.length = query.length;
  const SimulateTreeAnswer simulated = answers::answer(simulation);
  REQUIRE(both.rows.size() == 4);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(both.rows[i].quantity == ComparedQuantity::delay_tail);
    CHECK(both.rows[i].level == query.levels[i].value);
    const auto& above = both.rows[i].probability();
    CHECK(above.span()->upper == span_of(analysed.flows[0].delay.above[i].probability).upper);
    CHECK(above.simulated.value == simulated.delay_ccdf[i].probability.value);
    CHECK(above.simulated.lower == simulated.delay_ccdf[i].probability.lower);
    CHECK(above.count == simulated.delay_ccdf[i].count);
  }
  CHECK(both.rows[2].percentile == query.percentiles[0]);
  CHECK(std::get<Slots>(*slots(both, ComparedQuantity::queueing).predicted) ==
        analysed.flows[0].delay.queueing[0].slots);
  CHECK(slots(both, ComparedQuantity::mean_queueing).simulated.value == simulated.mean_queueing.value);
}

TEST_CASE("answers: delays are compared by default where the analysis gives 0.5 to 1e-6") {
  const ValidateDelayQuery query = small_validation();
  const ValidateDelayAnswer both = answers::answer(query);
  const std::vector<ComparedRow> tail = tail_of(both);
  REQUIRE(tail.size() >= 8);
  CHECK(tail.front().probability().span()->upper <= 0.5);
  CHECK(tail.back().probability().span()->upper <= 1e-6);
  CHECK(tail.back().probability().span()->lower > 1e-7);
  const auto curve = compared_curve(query, both);
  REQUIRE(curve.size() > 5);
  CHECK(curve.front().level == 0);
  CHECK(curve.front().probability().predicted);
}

TEST_CASE("answers: unsupported delays are rejected") {
  ValidateDelayQuery query = small_validation();
  std::get<TreeTopology>(query.topology).load = 1;
  CHECK_THROWS_AS(answers::answer(query), Unstable);
}

TEST_CASE("answers: a fabric is compared like its listed flows", "[answers][network]") {
  const network::Fabric fabric =
      network::read_fabric(network::to_toml(network::FatTree{4, 3}, network::FabricTraffic{rational("0.7")}),
                           "file")
          .fabric;
  ValidateDelayQuery listed{.topology =
                                NetworkTopology{.network = network::written_out(fabric), .file = "file"}};
  listed.hops = Hops::independent;
  listed.percentiles = {rational("0.5"), rational("0.99"), rational("0.9999")};
  listed.length.slots = 4'000;
  listed.length.replications = 2;
  ValidateDelayQuery whole = listed;
  whole.topology = NetworkTopology{.network = fabric.network, .file = "file"};
  whole.fabric = {std::make_shared<const network::Fabric>(fabric), simulated_fabric(fabric)};
  const ValidateDelayAnswer one = answers::answer(listed), other = answers::answer(whole);
  CHECK(other.hops == Hops::independent);
  CHECK(other.omissions.correlated_waits);
  // Listed flows have a sum of independent hops to the requested digits.
  const double rounding = std::pow(10, -numeric::Digits{}.count);
  const auto meet = [rounding](const auto& a, const auto& b) {
    CHECK(a.span()->lower <= b.span()->upper * (1 + rounding));
    CHECK(b.span()->lower <= a.span()->upper * (1 + rounding));
    // Two intervals of the same number from different random numbers.
    CHECK(std::abs(a.simulated.value - b.simulated.value) <=
          2 * (a.simulated.upper - a.simulated.lower) + 2 * (b.simulated.upper - b.simulated.lower) + 1e-6);
  };
  const std::vector<ComparedRow> tail = tail_of(one), other_tail = tail_of(other);
  REQUIRE(tail.size() == other_tail.size());  // since the same levels are chosen
  REQUIRE(tail.size() >= 8);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(tail[i].level == other_tail[i].level);
    meet(tail[i].probability(), other_tail[i].probability());
  }
  // Two of three percentiles, and the mean.
  for (const std::size_t i : {tail.size(), tail.size() + 1, tail.size() + 3})
    meet(std::get<Comparison<unit::Slot>>(one.rows.at(i).compared),
         std::get<Comparison<unit::Slot>>(other.rows.at(i).compared));
  CHECK(one.tally.rows() == other.tally.rows());
  const auto curve = compared_curve(whole, other);
  REQUIRE(curve.size() > 5);
  CHECK(curve.front().probability().span()->lower <= 1);
  whole.levels = {Slots(0), Slots(300)};  // deeper than computed at first
  CHECK(answers::answer(whole).rows[1].probability().span()->upper < 1e-30);
  whole.hops = Hops::chain;
  CHECK_THROWS_AS(answers::answer(whole), InvalidArgument);
}
