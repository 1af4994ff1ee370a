#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/splitting/rare_switch.hpp>
#include <tailbound/sim/switch/simulate_switch.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <tests/support/cut_replication.hpp>
#include <tests/support/estimate.hpp>
#include <tests/support/rational.hpp>
#include <tests/support/shared_chain.hpp>
#include <tests/support/with.hpp>
#include <vector>

/// Random runs have fixed seeds: a test that passes once passes always. Before the seeds were fixed each
/// comparison with an exact number had an interval of 99.99 %: the 40 or so fail by chance once in 250 runs
/// of a correct program with new seeds, if intervals have their nominal coverage (which has a separate test).
namespace tailbound::sim {
namespace {

using numeric::Rational;
using test::rational;
using test::SharedChain;
using test::sure;
using test::with;
using traffic::Destination;

SwitchModel with_memory(std::int64_t ports, const char* load, std::int64_t memory) {
  return with(switch_model(ports, rational(load)), [&](SwitchModel& model) { model.memory = memory; });
}

RunPlan plan_of(const RareSwitchModel& model, double path_slots, std::uint64_t seed, int replications = 2) {
  const SwitchWork work = switch_work(model.traffic);
  return automatic_plan(work.utilization, 1,
                        static_cast<std::int64_t>(path_slots / model.paths / replications), replications,
                        seed, work.memory);
}

struct Found {
  double value, lower, upper;
};

Found simulated(const RareSwitchModel& model, double path_slots = 1e7, std::uint64_t seed = 1,
                double with_confidence = sure) {
  const RunResult result = run_rare_switch(model, plan_of(model, path_slots, seed));
  if (model.loses()) {
    const auto loss = rare_switch_loss(model, result, with_confidence).loss;
    return {loss.value, loss.lower, loss.upper};
  }
  const auto tail = splitting_tails(model.copies, result, {model.level}, with_confidence).front().probability;
  return {tail.value, tail.lower, tail.upper};
}

void require_inside(const Found& found, double truth, double relative_width) {
  CAPTURE(truth, found.value, found.lower, found.upper);
  CHECK(found.lower <= truth);
  CHECK(truth <= found.upper);
  CHECK((found.upper - found.lower) / 2 < relative_width * truth);  // it would notice
}

bool always(int /*length*/, int /*total*/) {
  return true;
}

/// For a switch whose inputs send the fraction `hot` to output 0 in addition to its even share of the rest.
SharedChain chain_of(const SwitchModel& model, int memory, int level) {
  const auto outputs = static_cast<std::size_t>(model.outputs);
  const double hot = numeric::nearest_double(model.hot);
  std::vector<std::vector<double>> rates;
  for (const Rational& rate : model.rates) {
    const double its = numeric::nearest_double(rate);
    rates.emplace_back(outputs, its * (1 - hot) / static_cast<double>(outputs)).front() += its * hot;
  }
  SharedChain chain(rates, memory, hot == 0, always);
  chain.settle(level);
  return chain;
}

// --- Exact chains on sorted queue lengths, from another program
// ----------------------------------------------------

TEST_CASE("rare switch: the memory's tail matches the exact chain at deep levels") {
  const auto tail = [](std::int64_t ports, std::int64_t level, double path_slots = 1e7) {
    return simulated(rare_switch_model(switch_model(ports, rational("0.8")), level), path_slots);
  };
  require_inside(tail(2, 12), 2.609077e-4, 0.08);
  require_inside(tail(2, 28), 6.047381e-10, 0.35);
  require_inside(tail(4, 25), 5.610669e-5, 0.2);
  require_inside(tail(4, 50, 4e7), 4.4594903e-11, 0.3);
}

TEST_CASE("rare switch: the loss of a memory matches the exact chain") {
  const auto loss = [](std::int64_t ports, std::int64_t memory) {
    return simulated(rare_switch_model(with_memory(ports, "0.8", memory)));
  };
  require_inside(loss(2, 10), 2.08229279e-4, 0.08);
  require_inside(loss(2, 20), 6.26107369e-8, 0.15);
  require_inside(loss(4, 20), 9.92580528e-5, 0.1);
  require_inside(loss(4, 30), 3.72870710e-7, 0.2);
}

// --- Exact chains of the tests ----------------------------------------------------------------------------

TEST_CASE("rare switch: unequal inputs, other numbers of outputs, a hot one") {
  const std::vector<SwitchModel> models{
      with(switch_model(3, rational("0.35")), [](SwitchModel& m) { m.outputs = 2, m.hot = rational("0.2"); }),
      with(switch_model(3, 1),
           [](SwitchModel& m) {
             m.rates = {rational("0.9"), rational("0.3"), rational("0.5")};
           }),
      with(switch_model(4, rational("0.5")), [](SwitchModel& m) { m.outputs = 3; })};
  for (const SwitchModel& model : models) {
    CAPTURE(describe(model));
    const SharedChain open = chain_of(model, 40, 18);
    const double tail = open.tail(18);
    CHECK(tail < 2e-4);
    require_inside(simulated(rare_switch_model(model, 18)), tail, 0.3);
    const SwitchModel full = with(model, [](SwitchModel& m) { m.memory = 12; });
    require_inside(simulated(rare_switch_model(full)), chain_of(model, 12, 11).loss(), 0.25);
  }
}

// At low load, T is large because many packets arrive in one slot: copies between the arrivals of a slot are
// needed.
TEST_CASE("rare switch: many packets in one slot at low load") {
  for (const char* load : {"0.01", "0.1"}) {
    const SwitchModel model = switch_model(4, rational(load));
    const SharedChain open = chain_of(model, 24, 3);
    for (const std::int64_t level : {2, 3}) {
      CAPTURE(load, level);
      require_inside(simulated(rare_switch_model(model, level)), open.tail(static_cast<int>(level)), 0.5);
    }
    require_inside(simulated(rare_switch_model(with_memory(4, load, 3))), chain_of(model, 3, 2).loss(), 0.3);
  }
}

TEST_CASE("rare switch: every level matches the chain of this test") {
  const SwitchModel model = switch_model(3, rational("0.7"));
  const SharedChain open = chain_of(model, 70, 40);
  const RareSwitchModel rare = rare_switch_model(model, 40);
  const RunResult result = run_rare_switch(rare, plan_of(rare, 2e7, 1));
  for (const LevelEstimate& tail :
       splitting_tails(rare.copies, result, {0, 1, 2, 5, 10, 15, 20, 25, 30, 35}, sure)) {
    CAPTURE(tail.level);
    require_inside({tail.probability.value, tail.probability.lower, tail.probability.upper},
                   open.tail(static_cast<int>(tail.level)), 0.5);
  }
}

// --- The other simulation of the same switch --------------------------------------------------------------

/// All kinds of traffic.
std::vector<SwitchModel> senders() {
  const SwitchModel four = switch_model(4, rational("0.6")), five = switch_model(5, rational("0.5"));
  const std::vector<traffic::CellClass> sizes{
      {1, rational("1/4")}, {3, rational("1/2")}, {8, rational("1/4")}};
  return {
      with(five, [](SwitchModel& m) { m.hot = rational("0.2"); }),
      with(four,
           [](SwitchModel& m) {
             m.burst = traffic::Burst{6, 1};
           }),
      with(five,
           [](SwitchModel& m) {
             m.burst = traffic::Burst{4, rational("0.8")}, m.outputs = 4;
           }),
      with(four,
           [](SwitchModel& m) {
             m.burst = traffic::Burst{6, rational("0.9")}, m.destination = Destination::per_packet;
           }),
      with(five,
           [](SwitchModel& m) {
             m.rates = {rational("0.2"), rational("0.7"), rational("0.4"), rational("0.1"), rational("0.6")};
             m.burst = traffic::Burst{5, 1};
           }),
      with(four, [&](SwitchModel& m) { m.sizes = sizes; }),
      with(five, [&](SwitchModel& m) { m.sizes = sizes, m.arrival = PacketArrival::cells; }),
  };
}

TEST_CASE("rare switch: agrees with the block simulation for every kind of traffic") {
  const auto agree = [](const Found& left, const Found& right) {
    CAPTURE(left.value, left.lower, left.upper, right.value, right.lower, right.upper);
    CHECK(std::abs(left.value - right.value) <=
          std::hypot(left.upper - left.value, right.upper - right.value));
    CHECK(left.upper - left.lower < 0.8 * left.value);
  };
  for (const SwitchModel& model : senders()) {
    CAPTURE(describe(model));
    const RareSwitchModel rare = rare_switch_model(model, 2e-4);
    const RunPlan plan = make_plan(6400, 4000, 2'000'000, 2, 3);
    const auto tail =
        switch_estimates(model, run_switch(model, plan), {.total_levels = {rare.level}, .confidence = sure})
            .total_tail.front()
            .probability;
    CHECK(tail.value < 4e-4);
    CHECK(tail.value > 2e-5);
    agree(simulated(rare, 4e6), {tail.value, tail.lower, tail.upper});
    if (!model.sizes.empty()) continue;
    const SwitchModel full = with(model, [&](SwitchModel& m) { m.memory = rare.level * 3 / 4; });
    const auto loss = switch_estimates(full, run_switch(full, plan), {.confidence = sure}).packet_loss;
    CHECK(loss.value < 5e-3);
    agree(simulated(rare_switch_model(full), 4e6), {loss.value, loss.lower, loss.upper});
  }
}

TEST_CASE("rare switch: splitting agrees with its own plain simulation") {
  const SwitchModel model = switch_model(4, rational("0.8"));
  const RareSwitchModel split = rare_switch_model(model, 20);
  RareSwitchModel plain = split;
  plain.copies.assign(plain.copies.size(), 1);
  plain.paths = 1;
  const Found left = simulated(split), right = simulated(plain, 1e7, 7);
  CAPTURE(left.value, right.value);
  CHECK(std::abs(left.value - right.value) <= std::hypot(left.upper - left.value, right.upper - right.value));
  const auto replication = make_rare_switch_replication(plain, {1, 0});
  replication->advance(1000);
  const Counts counts = replication->take_counts();
  CHECK(counts[SplittingRows::path_slots][0] == 1000);
  CHECK(total_count(counts[SplittingRows::occupancy]) == 1000);
}

// --- Intervals --------------------------------------------------------------------------------------------

// A correct program fails with probability 0.01 with new seeds: fewer than 33 of 40 intervals of 95 %, or a
// mean error beyond three of its deviations.
TEST_CASE("rare switch: intervals cover the exact value, without bias") {
  const RareSwitchModel tail = rare_switch_model(switch_model(2, rational("0.8")), 28),
                        loss = rare_switch_model(with_memory(4, "0.8", 20));
  int inside = 0;
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const bool first = seed % 2 == 0;
    const double truth = first ? 6.047381e-10 : 9.92580528e-5;
    const Found found = simulated(first ? tail : loss, 4e5, seed, 0.95);
    inside += found.lower <= truth && truth <= found.upper;
    sum += found.value / truth - 1;
    squares += (found.value / truth - 1) * (found.value / truth - 1);
  }
  CAPTURE(inside, sum / std::sqrt(squares));
  CHECK(inside >= 33);
  CHECK(std::abs(sum / std::sqrt(squares)) < 3);
}

// --- Pilot runs -------------------------------------------------------------------------------------------

TEST_CASE("rare switch: pilot runs find the level of a probability, and copies near its inverse") {
  const SwitchModel model = switch_model(2, rational("0.8"));
  // P(T > 27) = 1.4e-9, P(T > 28) = 6.0e-10.
  const RareSwitchModel rare = rare_switch_model(model, 1e-9);
  CHECK(std::abs(rare.level - 28) <= 1);
  REQUIRE(rare.copies.size() == static_cast<std::size_t>(rare.level) + 2);
  const SharedChain open = chain_of(model, 60, 28);
  const std::vector<double> factors = splitting_factors(rare.copies);
  for (std::size_t i = 1; i < factors.size(); ++i) {
    const double fit = factors[i] * open.tail(static_cast<int>(i) - 1);
    CHECK(fit > 0.4 * std::exp(-3));
    CHECK(fit < 2.5);
  }
  const auto replication = make_rare_switch_replication(rare, {5, 0});
  replication->advance(20'000);
  const Counts counts = replication->take_counts();
  CHECK(static_cast<double>(counts[SplittingRows::path_slots][0]) / 20'000 ==
        Approx(rare.paths).epsilon(0.3));
  // A function of the switch alone.
  CHECK(rare_switch_model(model, 1e-9).copies == rare.copies);
}

// --- Independence of threads and splitting ----------------------------------------------------------------

TEST_CASE("rare switch: results do not depend on threads, splitting or resuming") {
  std::vector<SwitchModel> models = senders();
  models.push_back(with(models[2], [](SwitchModel& m) { m.memory = 20; }));
  models.push_back(with_memory(4, "0.8", 15));
  for (const SwitchModel& model : models) {
    CAPTURE(describe(model));
    const RareSwitchModel rare =
        model.memory ? rare_switch_model(model) : rare_switch_model(model, RareTotal(std::int64_t{12}));
    const RunPlan plan{.seed = 3, .replications = 3, .warmup = 100, .slots = 1000, .batches = 4};
    CHECK(run_rare_switch(rare, plan).batches == run_rare_switch(rare, plan, {.threads = 3}).batches);
    const auto whole = make_rare_switch_replication(rare, {9, 0}),
               cut = make_rare_switch_replication(rare, {9, 0});
    whole->advance(500);
    test::advance_in_parts(*cut, 500);
    const Counts counts = whole->take_counts();
    CHECK(counts == cut->take_counts());
    auto part = make_rare_switch_replication(rare, {9, 0});  // by a new one with only the saved state
    for (int slots = 0; slots < 500; slots += 20) {
      part->advance(20);
      ByteWriter writer;
      part->save(writer);
      part = make_rare_switch_replication(rare, {9, 0});
      const std::string bytes = writer.take();
      ByteReader reader(bytes);
      part->load(reader);
    }
    CHECK(counts == part->take_counts());
    const auto other = make_rare_switch_replication(rare, {9, 1});
    other->advance(500);
    whole->advance(500);
    CHECK(whole->take_counts() != other->take_counts());
  }
}

TEST_CASE("rare switch: invalid parameters are rejected") {
  const SwitchModel good = switch_model(4, rational("0.8"));
  CHECK_THROWS_AS(rare_switch_model(good), InvalidArgument);
  CHECK_THROWS_AS(rare_switch_model(good, 0), InvalidArgument);
  CHECK_THROWS_AS(rare_switch_model(good, 1'000'001), InvalidArgument);
  CHECK_THROWS_AS(rare_switch_model(good, 0.0), InvalidArgument);
  CHECK_THROWS_AS(rare_switch_model(good, 1.0), InvalidArgument);
  CHECK_THROWS_AS(rare_switch_model(with_memory(4, "0.8", 20), 10), InvalidArgument);
  CHECK_THROWS_AS(rare_switch_model(switch_model(4, 1), 10), Unstable);
  CHECK_THROWS_AS(rare_switch_model(switch_model(1, rational("0.8")), 10), NoAnswer);  // T is 0 or 1
  const SwitchModel full = with_memory(4, "0.8", 20);
  CHECK_NOTHROW(rare_switch_model(full));
  CHECK_THROWS_AS(rare_switch_model(with(full, [](SwitchModel& m) { m.threshold = 1; })), InvalidArgument);
  CHECK_THROWS_AS(rare_switch_model(with(full, [](SwitchModel& m) { m.buffer = 9; })), InvalidArgument);
  CHECK_THROWS_AS(rare_switch_model(with(full, [](SwitchModel& m) { m.sizes = {{3, 1}}; })), InvalidArgument);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(rare_switch_model(good, 50, stop.get_token()), Stopped);
}

}  // namespace
}  // namespace tailbound::sim
