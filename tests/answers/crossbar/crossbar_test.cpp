#include <tailbound/answers/crossbar/crossbar.hpp>
#include <tailbound/answers/points/stored.hpp>
#include <tailbound/core/error.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <tests/support/rational.hpp>

// Input-queued switches: examples to all digits, kinds of numbers, what is rejected and what it suggests
// instead.

using namespace tailbound;
using namespace tailbound::answers;
using Catch::Matchers::Contains;
using numeric::Rational;
using tailbound::test::ratio;
using tailbound::test::rational;
using traffic::CrossbarScheduler;

namespace {

CrossbarQuery at_load(CrossbarScheduler scheduler, std::int64_t inputs, const char* load) {
  return {.scheduler = scheduler, .inputs = inputs, .requested = AtLoad{rational(load)}};
}

template <class Kind, class Unit>
const Kind& as(const std::optional<CrossbarNumber<Unit>>& number) {
  return std::get<Kind>(number.value());
}
double model(const std::optional<CrossbarNumber<unit::Slot>>& number) {
  return as<numeric::Model<unit::Slot>>(number).value;
}

std::string reason(const CrossbarQuery& query) {
  try {
    static_cast<void>(answer(query));
  } catch (const NoAnswer& none) {
    return none.what();
  }
  return {};
}

}  // namespace

TEST_CASE("Crossbar: maximum loads and their basis", "[crossbar]") {
  const auto saturation = [](CrossbarScheduler scheduler, std::int64_t iterations = 0) {
    CrossbarQuery query{.scheduler = scheduler, .inputs = 16, .requested = Saturation{}};
    if (scheduler == CrossbarScheduler::pim || scheduler == CrossbarScheduler::islip)
      query.iterations = iterations;
    return answer(query);
  };
  const CrossbarAnswer fifo = saturation(CrossbarScheduler::fifo);
  const auto& enclosure = std::get<numeric::Enclosure<unit::Load>>(fifo.maximum);
  CHECK(numeric::to_decimal(enclosure.lower(), 11, numeric::Rounding::down) == "0.60161559413");
  CHECK(numeric::to_decimal(enclosure.upper(), 11, numeric::Rounding::up) == "0.60161559414");
  CHECK(fifo.basis == LoadBasis::backlogged);
  CHECK(fifo.many_ports->lower().convert_to<double>() == Approx(2 - std::sqrt(2.0)));
  const CrossbarAnswer pim = saturation(CrossbarScheduler::pim, 2);
  CHECK(numeric::nearest_double(std::get<numeric::Exact<unit::Load>>(pim.maximum).value) ==
        Approx(0.8814941941).epsilon(1e-9));
  for (const CrossbarScheduler each :
       {CrossbarScheduler::islip, CrossbarScheduler::greedy, CrossbarScheduler::crosspoint})
    CHECK(saturation(each).basis == LoadBasis::observed);
  for (const CrossbarScheduler each : {CrossbarScheduler::maxweight, CrossbarScheduler::tdm,
                                       CrossbarScheduler::load_balanced, CrossbarScheduler::ccf}) {
    CHECK(saturation(each).basis == LoadBasis::proved);
    CHECK(std::get<numeric::Exact<unit::Load>>(saturation(each).maximum).value == 1);
  }
  // Maximal matchings with speedup 2.
  CrossbarQuery doubled{
      .scheduler = CrossbarScheduler::greedy, .inputs = 16, .requested = Saturation{}, .speedup = 2};
  CHECK(answer(doubled).basis == LoadBasis::proved);
  doubled.scheduler = CrossbarScheduler::islip;
  doubled.iterations = 1;
  CHECK(answer(doubled).basis == LoadBasis::observed);
  // Phases multiply the load that FIFO inputs carry.
  CrossbarQuery phases{
      .scheduler = CrossbarScheduler::fifo, .inputs = 4, .requested = Saturation{}, .speedup = ratio(3, 2)};
  CHECK(std::get<numeric::Exact<unit::Load>>(answer(phases).maximum).value == ratio(975, 992));
  phases.speedup = 2;
  CHECK(std::get<numeric::Exact<unit::Load>>(answer(phases).maximum).value == 1);
}

TEST_CASE("Crossbar: output queues are emulated with speedup 2", "[crossbar]") {
  CrossbarQuery query = at_load(CrossbarScheduler::ccf, 16, "0.9");
  query.drop = rational("1e-15");
  query.levels = {Slots(0), Slots(50)};
  query.percentiles = {ratio(99, 100), ratio(1, 1000)};
  const CrossbarAnswer found = answer(query);
  CHECK(found.output->cells == Packets(157));
  const auto digits = [](const CrossbarNumber<unit::Probability>& number) {
    return numeric::to_decimal(std::get<numeric::Enclosure<unit::Probability>>(number).lower(), 11,
                               numeric::Rounding::nearest);
  };
  CHECK(digits(found.output->at) == "8.7035435578e-16");
  CHECK(found.input->cells == Packets(169));
  CHECK(digits(found.input->sum.value()) == "9.8819754785e-16");
  CHECK(std::holds_alternative<numeric::UpperBound<unit::Probability>>(found.input->at));
  // W_OQ = (k - 1) rho/(2 k (1 - rho)), and the delays of the output queue.
  CHECK(as<numeric::Exact<unit::Slot>>(found.mean).value == ratio(135, 32));
  CHECK(found.percentiles[1].slots == Slots(0));
  const auto queue = output_queue(Traffic{.source = EqualInputs{16, rational("0.9")}});
  const std::vector<Packets> levels{Packets(51)};
  const auto tail = std::get<numeric::Enclosure<unit::Probability>>(queue->tails(levels).front().probability);
  CHECK(std::get<numeric::Enclosure<unit::Probability>>(found.above[1].probability.value())
            .lower()
            .convert_to<double>() == Approx(tail.lower().convert_to<double>() / 0.9));
  // 2 - 1/k suffices for the delay, not for the bound of input buffers.
  query.speedup = ratio(31, 16);
  CHECK_THAT(reason(query), Contains("from speedup 2"));
  query.drop.reset();
  CHECK(as<numeric::Exact<unit::Slot>>(answer(query).mean).value == ratio(135, 32));
  query.speedup = ratio(19, 10);
  CHECK_THAT(reason(query), Contains("below speedup 2 - 1/k = 1.9375"));
}

TEST_CASE("Crossbar: emulation with bursts", "[crossbar]") {
  CrossbarQuery query = at_load(CrossbarScheduler::ccf, 16, "0.8");
  query.burst = 16;
  const CrossbarAnswer found = answer(query);
  const auto& mean = as<numeric::Enclosure<unit::Slot>>(found.mean);
  CHECK(mean.lower().convert_to<double>() == Approx(57.436780343).epsilon(1e-9));
  query.drop = rational("1e-6");
  const CrossbarAnswer sized = answer(query);
  CHECK(sized.output->cells < sized.input->cells);
  CHECK(std::holds_alternative<numeric::UpperBound<unit::Probability>>(sized.input->at));
}

TEST_CASE("Crossbar: TDM", "[crossbar]") {
  for (const CrossbarScheduler scheduler : {CrossbarScheduler::tdm, CrossbarScheduler::load_balanced}) {
    CrossbarQuery query = at_load(scheduler, 16, "0.8");
    query.levels = {Slots(0), Slots(1), Slots(100)};
    const CrossbarAnswer found = answer(query);
    CHECK(as<numeric::Exact<unit::Slot>>(found.mean).value == ratio(75, 2));
    const std::vector<const char*> known{"0.9868421053", "0.9729916898", "0.06091402261"};
    for (std::size_t i = 0; i < known.size(); ++i)
      CHECK(numeric::to_decimal(
                std::get<numeric::Enclosure<unit::Probability>>(found.above[i].probability.value()).lower(),
                10, numeric::Rounding::nearest) == known[i]);
    CHECK(as<numeric::Exact<unit::Slot>>(found.output_queued).value == ratio(15, 8));
  }
}

TEST_CASE("Crossbar: the model of iSLIP", "[crossbar]") {
  CrossbarQuery query = at_load(CrossbarScheduler::islip, 16, "0.9");
  query.iterations = 4;
  query.percentiles = {ratio(99, 100), rational("0.9999")};
  query.drop = rational("1e-4");
  const CrossbarAnswer found = answer(query);
  // Of a simulation with other points and by another program.
  CHECK(model(found.mean) == Approx(9.735).epsilon(0.01));
  CHECK(found.percentiles[0].slots == Slots(52));
  CHECK(found.percentiles[1].real->value == Approx(120.3).epsilon(0.025));
  CHECK(static_cast<double>(found.percentiles[1].slots->value) ==
        std::ceil(found.percentiles[1].real->value));
  CHECK(!found.percentiles[1].continued);
  CHECK(found.input->real->value == Approx(22.59).epsilon(0.025));
  CHECK(static_cast<double>(found.input->cells.value) == std::ceil(found.input->real->value));
  CHECK(static_cast<double>(found.queue->cells.value) == std::ceil(found.queue->real->value));
  CHECK(found.queue->real->value == Approx(8.93).epsilon(0.03));
  CHECK(as<numeric::Exact<unit::Slot>>(found.output_queued).value == ratio(135, 32));
  CHECK(numeric::nearest_double(std::get<numeric::Exact<unit::Load>>(found.matching.value()).value) ==
        Approx(0.99889).epsilon(1e-5));
  CHECK(found.near_matching);  // 0.9 > 0.99889 - 0.1, where more iterations gain next to nothing
  CHECK(found.mean_all->value == Approx(9.72).epsilon(0.01));
  CHECK(query.rounds() == 4);
  query.iterations.reset();
  CHECK(query.rounds() == 4);
  CHECK(model(answer(query).mean) == model(found.mean));
  // An input holds less than an output of the output-queued switch.
  query.drop = rational("1e-9");
  const CrossbarAnswer deep = answer(query);
  CHECK(static_cast<double>(deep.input->cells.value) == Approx(38).epsilon(0.06));
  CHECK(deep.input->continued);
  CHECK(deep.output_queued_buffer == Packets(94));
  query.iterations = 2;
  CHECK(answer(query).near_matching);
  CHECK(model(answer(query).mean) > 2 * answer(query).mean_all->value);
  query.requested = AtLoad{rational("0.7")};
  CHECK(!answer(query).near_matching);
}

TEST_CASE("Crossbar: FIFO inputs", "[crossbar]") {
  CrossbarQuery query = at_load(CrossbarScheduler::fifo, 16, "0.5");
  query.levels = {Slots(10), Slots(0)};
  query.drop = rational("1e-3");
  const CrossbarAnswer found = answer(query);
  CHECK(model(found.mean) == Approx(1.861971).epsilon(1e-6));
  CHECK(std::get<numeric::Model<unit::Probability>>(found.above[0].probability.value()).value ==
        Approx(0.0153455).epsilon(1e-5));
  CHECK(!found.above[1].probability);
  CHECK(found.input->cells.value == 11);  // P(n > 10) = 0.00130676
  CHECK(!found.queue);
  CHECK_THAT(reason(at_load(CrossbarScheduler::fifo, 16, "0.61")),
             Contains("0.60161559") && Contains("--speedup 2"));
  CHECK_THAT(reason(at_load(CrossbarScheduler::fifo, 100, "0.3")), Contains("up to 64 ports"));
  query.requested = AtLoad{rational("0.1")};
  CHECK_THAT(reason(query), Contains("0.2106") && Contains("simulate crossbar"));
  query.levels.clear();
  query.drop.reset();
  CHECK(model(answer(query).mean) > 0.05);
  query.burst = 4;
  CHECK_THAT(reason(query), Contains("--saturation") && Contains("--burst 4"));
}

TEST_CASE("Crossbar: MaxWeight has a proved bound", "[crossbar]") {
  const CrossbarAnswer found = answer(at_load(CrossbarScheduler::maxweight, 16, "0.9"));
  CHECK(found.mean_bound->value.convert_to<double>() == Approx(150));
  CHECK(model(found.mean) < 5);
  CHECK(model(found.mean) > 4.21875);
  // Beyond the simulated ports the bound is all that is known.
  CrossbarQuery large = at_load(CrossbarScheduler::maxweight, 128, "0.9");
  CHECK(as<numeric::UpperBound<unit::Slot>>(answer(large).mean).value.convert_to<double>() == Approx(1270));
  large.percentiles = {ratio(99, 100)};
  CHECK_THAT(reason(large), Contains("maxweight with 128 ports"));
}

TEST_CASE("Crossbar: bursts of virtual output queues", "[crossbar]") {
  CrossbarQuery query = at_load(CrossbarScheduler::islip, 16, "0.8");
  query.burst = 16;
  CHECK(model(answer(query).mean) == Approx(1.545 * 57.436780343).epsilon(0.03));
  query.percentiles = {ratio(99, 100)};
  CHECK_THAT(reason(query), Contains("only the mean"));
  query.percentiles.clear();
  query.burst = 2;
  query.requested = AtLoad{rational("0.5")};
  CHECK_THAT(reason(query), Contains("mean length of 4"));
  query.burst = 3;
  query.requested = AtLoad{rational("0.8")};
  CHECK_THROWS_AS(answer(query), InvalidArgument);  // above L/(L + 1)
}

TEST_CASE("Crossbar: one port", "[crossbar]") {
  for (const CrossbarScheduler scheduler :
       {CrossbarScheduler::fifo, CrossbarScheduler::pim, CrossbarScheduler::islip, CrossbarScheduler::greedy,
        CrossbarScheduler::maxweight, CrossbarScheduler::crosspoint, CrossbarScheduler::tdm,
        CrossbarScheduler::ccf}) {
    CrossbarQuery query = at_load(scheduler, 1, "0.9");
    query.levels = {Slots(0)};
    query.percentiles = {ratio(1, 2)};
    query.drop = rational("1e-9");
    const CrossbarAnswer found = answer(query);
    CHECK(as<numeric::Exact<unit::Slot>>(found.mean).value == 0);
    CHECK(found.percentiles[0].slots == Slots(0));
    CHECK(found.input->cells == Packets(1));
  }
}

TEST_CASE("Crossbar: speedup", "[crossbar]") {
  CrossbarQuery query = at_load(CrossbarScheduler::islip, 16, "0.9");
  query.iterations = 4;
  query.speedup = 2;
  query.drop = rational("1e-9");
  const CrossbarAnswer found = answer(query);
  CHECK(model(found.mean) == Approx(4.21875).epsilon(0.01));
  CHECK(found.input->cells <= Packets(6));
  CHECK(found.output->cells == Packets(94));
  query.drop = rational("0.05");
  CHECK_THAT(reason(query), Contains("1e-3"));
  query.speedup = 3;
  CHECK_THAT(reason(query), Contains("up to speedup 2"));
  query.speedup = 2;
  query.drop.reset();
  query.levels = {Slots(3)};
  CHECK_THAT(reason(query), Contains("not the distribution"));
  CrossbarQuery turns = at_load(CrossbarScheduler::tdm, 16, "0.9");
  turns.speedup = 2;
  CHECK_THROWS_AS(answer(turns), InvalidArgument);
}

TEST_CASE("Crossbar: the load for an input buffer", "[crossbar]") {
  for (const CrossbarScheduler scheduler :
       {CrossbarScheduler::islip, CrossbarScheduler::fifo, CrossbarScheduler::tdm, CrossbarScheduler::ccf}) {
    CrossbarQuery query{
        .scheduler = scheduler, .inputs = 16, .requested = MaxLoad{Packets(60), rational("1e-6")}};
    if (scheduler == CrossbarScheduler::fifo) query.requested = MaxLoad{Packets(15), rational("1e-6")};
    const CrossbarAnswer found = answer(query);
    const auto& limit = std::get<MaxLoad>(query.requested);
    REQUIRE(found.load);
    CHECK(found.input->cells <= limit.capacity);
    const double load = std::visit(
        [](const auto& number) {
          if constexpr (requires { number.lower(); })
            return number.lower().template convert_to<double>();
          else if constexpr (std::is_same_v<std::decay_t<decltype(number.value)>, Rational>)
            return numeric::nearest_double(number.value);
          else
            return static_cast<double>(number.value);
        },
        *found.load);
    CrossbarQuery next = query;
    next.requested = AtLoad{Rational(std::llround(load * 10'000) + 1) / 10'000};
    next.drop = limit.drop;
    CHECK(answer(next).input->cells > limit.capacity);
  }
  CrossbarQuery small{
      .scheduler = CrossbarScheduler::tdm, .inputs = 16, .requested = MaxLoad{Packets(1), rational("1e-9")}};
  CHECK_THAT(reason(small), Contains("already misses"));
  CrossbarQuery large{.scheduler = CrossbarScheduler::islip,
                      .inputs = 16,
                      .requested = MaxLoad{Packets(9000), rational("1e-3")}};
  CHECK_THAT(reason(large), Contains("up to 0.98"));
}

TEST_CASE("Crossbar: what is rejected", "[crossbar]") {
  CHECK_THAT(reason(at_load(CrossbarScheduler::islip, 16, "1")), Contains("not carried"));
  CHECK_THAT(reason(at_load(CrossbarScheduler::islip, 100, "0.5")), Contains("100 ports"));
  CHECK_THAT(reason(at_load(CrossbarScheduler::islip, 16, "0.99")), Contains("0.98"));
  CrossbarQuery pim = at_load(CrossbarScheduler::pim, 16, "0.6");
  pim.iterations = 2;
  CHECK_THAT(reason(pim), Contains("only the maximum load") && Contains("simulate crossbar"));
  pim.requested = AtLoad{rational("0.89")};
  CHECK_THAT(reason(pim), Contains("2 iterations"));
  CHECK_THROWS_AS(answer(at_load(CrossbarScheduler::islip, 16, "0")), InvalidArgument);
  CHECK_THROWS_AS(answer(at_load(CrossbarScheduler::islip, 0, "0.5")), InvalidArgument);
  CrossbarQuery query = at_load(CrossbarScheduler::greedy, 16, "0.5");
  query.iterations = 2;
  CHECK_THROWS_AS(answer(query), InvalidArgument);
  query = at_load(CrossbarScheduler::islip, 16, "0.5");
  query.crosspoint = 2;
  CHECK_THROWS_AS(answer(query), InvalidArgument);
  query = at_load(CrossbarScheduler::fifo, 16, "0.5");
  query.output_buffer = 2;
  CHECK_THROWS_AS(answer(query), InvalidArgument);
}

TEST_CASE("Crossbar: answers as bytes", "[crossbar]") {
  CrossbarQuery query = at_load(CrossbarScheduler::islip, 16, "0.9");
  query.drop = rational("1e-4");
  query.percentiles = {ratio(99, 100)};
  const CrossbarAnswer found = answer(query);
  const std::string bytes = to_bytes(found);
  CHECK(to_bytes(from_bytes<CrossbarAnswer>(bytes)) == bytes);
}
