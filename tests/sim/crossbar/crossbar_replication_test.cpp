#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/crossbar/simulate_crossbar.hpp>
#include <tailbound/sim/switch/switch_replication.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <random>
#include <string>
#include <tests/support/cut_replication.hpp>
#include <tests/support/estimate.hpp>
#include <tests/support/rational.hpp>
#include <tests/support/with.hpp>
#include <vector>

/// Random runs have fixed seeds: a test that passes once passes always. Each comparison had an interval of
/// 99.99 % before the seeds were fixed.
namespace tailbound::sim {
namespace {

using numeric::Rational;
using test::rational;
using test::sure;
using test::with;
using traffic::CrossbarScheduler;

CrossbarModel crossbar(std::size_t ports, const char* load, CrossbarScheduler scheduler,
                       std::int64_t iterations = 0) {
  CrossbarModel model;
  model.rates.assign(ports, rational(load));
  model.outputs = static_cast<std::int64_t>(ports);
  model.scheduler = scheduler;
  model.iterations = iterations;
  if (scheduler == CrossbarScheduler::ccf) model.speedup = 2;
  return model;
}

CrossbarEstimates simulated(const CrossbarModel& model, std::int64_t slots,
                            const CrossbarQueries& requested = {}, std::uint64_t seed = 1) {
  CrossbarQueries queries = requested;
  queries.confidence = sure;
  return crossbar_estimates(model, run_crossbar(model, make_plan(6400, 1000, slots, 2, seed)), queries);
}

template <class Unit>
void require_inside(const numeric::Estimate<Unit>& estimate, double truth, double relative_width) {
  CAPTURE(truth, estimate.value, estimate.lower, estimate.upper);
  CHECK(estimate.lower <= truth);
  CHECK(truth <= estimate.upper);
  CHECK((estimate.upper - estimate.lower) / 2 < relative_width * truth);  // it would notice
}

// --- exact chains of 2 x 2 switches, computed by another program

struct ExactChain {
  const char* load;
  CrossbarScheduler scheduler;
  std::int64_t iterations;
  double mean_delay;
  std::vector<double> voq, input;  ///< P(n > 0), P(n > 1), ..
};

const std::vector<ExactChain>& exact_chains() {
  static const std::vector<ExactChain> all{
      {"0.5",
       CrossbarScheduler::pim,
       0,
       0.3420521783,
       {0.3093733715, 0.02418872869, 0.001801029081, 0.0001380618465},
       {0.578172663, 0.08493789946, 0.007294928985}},
      {"0.6", CrossbarScheduler::pim, 0, 0.5518206038, {}, {}},
      {"0.7", CrossbarScheduler::pim, 0, 0.917577534, {}, {}},
      {"0.3", CrossbarScheduler::maxweight, 0, 0.1246837156, {}, {}},
      {"0.5", CrossbarScheduler::maxweight, 0, 0.3109683205, {0.3075303295, 0.01994345485}, {}},
      {"0.7", CrossbarScheduler::maxweight, 0, 0.7041954604, {}, {}},
      {"0.5", CrossbarScheduler::islip, 1, 0.412737338, {}, {}},
      {"0.5", CrossbarScheduler::islip, 2, 0.3437856911, {}, {0.58, 0.08562253345}},
      {"0.5", CrossbarScheduler::fifo, 0, 0.4230448204, {}, {0.5865224102, 0.1021756014, 0.01856022346}},
      {"0.6", CrossbarScheduler::fifo, 0, 0.8782988883, {}, {}}};
  return all;
}

void compare_chains(std::int64_t slots, double width) {
  for (const ExactChain& chain : exact_chains()) {
    CAPTURE(chain.load, names_of(chain.scheduler)[static_cast<std::size_t>(chain.scheduler)],
            chain.iterations);
    const CrossbarEstimates found = simulated(crossbar(2, chain.load, chain.scheduler, chain.iterations),
                                              slots, {.levels = {0, 1, 2, 3}});
    require_inside(found.delay.mean, chain.mean_delay, width);
    for (std::size_t n = 0; n < chain.voq.size(); ++n)
      require_inside(found.voq->tail[n].probability, chain.voq[n], n < 3 ? 12 * width : 40 * width);
    for (std::size_t n = chain.iterations == 2 ? 1 : 0; n < chain.input.size(); ++n)
      require_inside(found.input.tail[n].probability, chain.input[n], 12 * width);
  }
}

TEST_CASE("crossbar simulation: 2 x 2 switches match the exact chains") {
  compare_chains(2'000'000, 0.014);
}

TEST_CASE("crossbar simulation: 2 x 2 switches match the exact chains over 10^8 slots", "[.full]") {
  compare_chains(50'000'000, 0.003);
}

// --- saturation and laws

TEST_CASE("crossbar simulation: throughput of backlogged inputs") {
  struct Case {
    CrossbarModel model;
    double carried;
  };
  const auto fifo = [](std::size_t inputs, std::int64_t outputs, std::int64_t takes,
                       std::optional<std::int64_t> buffer) {
    return with(crossbar(inputs, "1", CrossbarScheduler::fifo), [&](CrossbarModel& model) {
      model.outputs = outputs;
      model.output_speedup = takes;
      model.output_buffer = buffer;
    });
  };
  const auto none = std::optional<std::int64_t>{};
  for (const auto& [model, carried] :
       std::vector<Case>{{fifo(4, 4, 1, none), 325.0 / 496},
                         {fifo(16, 16, 1, none), 0.6016155941301},
                         {fifo(4, 8, 1, none), 156287.0 / 191456},
                         {fifo(8, 4, 1, none), 159899390288353.0 / 391706452726976},
                         {fifo(4, 4, 2, none), 1843.0 / 1952},
                         {fifo(4, 4, 4, 1), 325.0 / 496},
                         {fifo(4, 4, 4, 2), 0.7396876006},
                         {fifo(4, 4, 4, 4), 0.8244082360},
                         {crossbar(4, "1", CrossbarScheduler::pim, 1), 175.0 / 256},
                         {crossbar(16, "1", CrossbarScheduler::pim, 2), 0.8814941941}}) {
    CAPTURE(describe(model));
    const CrossbarEstimates found = simulated(model, 100'000);
    require_inside(found.carried, carried, 0.006);
    CHECK(found.saturated);
  }
  // With bursts the saturated FIFO of 8 ports carries 0.5499469154 for L = 4: 0.55 grows, 0.54 does not.
  const auto bursty = [](const char* load) {
    return with(crossbar(8, load, CrossbarScheduler::fifo), [](CrossbarModel& model) {
      model.burst = traffic::Burst{4, 1};
    });
  };
  const CrossbarEstimates above = simulated(bursty("0.75"), 300'000);
  CHECK(above.saturated);
  require_inside(above.carried, 0.5499469154, 0.01);
  CHECK_FALSE(simulated(bursty("0.5"), 300'000).saturated);
}

TEST_CASE("crossbar simulation: a stable switch is not taken for a saturated one") {
  int stable = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    stable += simulated(crossbar(4, seed % 2 == 0 ? "0.5" : "0.9", CrossbarScheduler::islip), 3000, {}, seed)
                      .saturated
                  ? 0
                  : 1;
  CHECK(stable == 200);
}

TEST_CASE("crossbar simulation: TDM and load-balanced switches have the law of the frame queue") {
  for (const CrossbarScheduler scheduler : {CrossbarScheduler::tdm, CrossbarScheduler::load_balanced}) {
    const CrossbarEstimates found =
        simulated(crossbar(16, "0.8", scheduler), 400'000, {.delays = {0, 24, 100}, .levels = {0, 3}});
    require_inside(found.delay.mean, 37.5, 0.01);
    require_inside(found.delay.tail[0].probability, 0.9868421053, 0.001);
    require_inside(found.delay.tail[1].probability, 0.5366359958, 0.01);
    require_inside(found.delay.tail[2].probability, 0.06091402261, 0.08);
    require_inside(found.voq->tail[0].probability, 0.6978826196, 0.004);
    require_inside(found.voq->tail[1].probability, 0.1805751230, 0.03);
  }
}

TEST_CASE("crossbar simulation: no scheduler is faster than the output-queued switch") {
  const double bound = 15 * 0.9 / (2 * 16 * 0.1);
  for (const CrossbarScheduler scheduler :
       {CrossbarScheduler::islip, CrossbarScheduler::pim, CrossbarScheduler::greedy,
        CrossbarScheduler::maxweight, CrossbarScheduler::crosspoint, CrossbarScheduler::ccf}) {
    const bool slow = scheduler == CrossbarScheduler::maxweight;
    const CrossbarEstimates found = simulated(crossbar(16, "0.9", scheduler), slow ? 20'000 : 200'000);
    CAPTURE(names_of(scheduler)[static_cast<std::size_t>(scheduler)], found.delay.mean.value);
    CHECK(found.delay.mean.upper > bound);
    if (scheduler != CrossbarScheduler::ccf && !slow) CHECK(found.delay.mean.lower > bound);
    CHECK_FALSE(found.saturated);
  }
  // MaxWeight, one arrival per input and slot: at most (k - 1) / (1 - load).
  CHECK(simulated(crossbar(4, "0.9", CrossbarScheduler::maxweight), 200'000).delay.mean.lower < 3 / 0.1);
}

TEST_CASE("crossbar simulation: uneven traffic saturates practical schedulers") {
  const auto half = [](CrossbarScheduler scheduler, std::int64_t iterations) {
    return with(crossbar(16, "1", scheduler, iterations),
                [](CrossbarModel& model) { model.shares = unbalanced_shares(16, Rational(1) / 2); });
  };
  // Of another program, +- 0.0006.
  CHECK(std::abs(simulated(half(CrossbarScheduler::islip, 1), 100'000).carried.value - 0.670) < 0.002);
  CHECK(std::abs(simulated(half(CrossbarScheduler::islip, 4), 100'000).carried.value - 0.805) < 0.002);
  CHECK(std::abs(simulated(half(CrossbarScheduler::crosspoint, 0), 100'000).carried.value - 0.856) < 0.002);
  CHECK(simulated(half(CrossbarScheduler::greedy, 0), 50'000).carried.value > 0.99);
}

// --- a second simulator, written from the definition and with other random numbers

/// iSLIP or PIM with all VOQs as queues of arrival slots; mean delay and P(input > n).
struct Naive {
  double delay = 0, above = 0;
};
Naive naive(std::size_t k, double load, bool pointers, int iterations, std::size_t level, int slots) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> coin;
  const auto any = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  std::vector<std::vector<std::deque<int>>> voq(k, std::vector<std::deque<int>>(k));
  std::vector<std::size_t> grant(k), accept(k);
  double waited = 0, cells = 0, above = 0;
  const int warmup = slots / 10;
  for (int slot = 0; slot < slots; ++slot) {
    for (auto& input : voq)
      if (coin(random) < load) input[any(k)].push_back(slot);
    for (const auto& input : voq) {
      std::size_t held = 0;
      for (const auto& queue : input) held += queue.size();
      if (slot >= warmup && held > level) ++above;
    }
    std::vector<bool> in(k), out(k);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      std::vector<std::vector<std::size_t>> granted(k);  // [input]: outputs
      for (std::size_t j = 0; j < k; ++j) {
        std::vector<std::size_t> requests;  // in the order of the pointer
        for (std::size_t n = 0; n < k; ++n)
          if (const std::size_t i = (grant[j] + n) % k; !in[i] && !voq[i][j].empty()) requests.push_back(i);
        if (!out[j] && !requests.empty()) granted[requests[pointers ? 0 : any(requests.size())]].push_back(j);
      }
      for (std::size_t i = 0; i < k; ++i) {
        if (granted[i].empty()) continue;
        std::sort(granted[i].begin(), granted[i].end(), [&](std::size_t a, std::size_t b) {
          return (a + k - accept[i]) % k < (b + k - accept[i]) % k;
        });
        const std::size_t j = granted[i][pointers ? 0 : any(granted[i].size())];
        in[i] = out[j] = true;
        if (slot >= warmup) {
          waited += slot - voq[i][j].front();
          ++cells;
        }
        voq[i][j].pop_front();
        if (iteration > 0) continue;
        grant[j] = (i + 1) % k;
        accept[i] = (j + 1) % k;
      }
    }
  }
  return {waited / cells, above / (0.9 * slots * static_cast<double>(k))};
}

TEST_CASE("crossbar simulation: iSLIP and PIM agree with a second simulator") {
  struct Case {
    std::size_t ports;
    const char* load;
    CrossbarScheduler scheduler;
    int iterations;
    std::size_t level;
  };
  for (const auto& [ports, load, scheduler, iterations, level] :
       std::vector<Case>{{5, "0.8", CrossbarScheduler::islip, 1, 8},
                         {8, "0.85", CrossbarScheduler::islip, 3, 8},
                         {6, "0.7", CrossbarScheduler::pim, 6, 4}}) {
    const Naive second =
        naive(ports, std::stod(load), scheduler == CrossbarScheduler::islip, iterations, level, 600'000);
    const CrossbarEstimates found = simulated(crossbar(ports, load, scheduler, iterations), 600'000,
                                              {.levels = {static_cast<std::int64_t>(level)}});
    CAPTURE(ports, load, second.delay, found.delay.mean.value, second.above,
            found.input.tail[0].probability.value);
    CHECK(std::abs(found.delay.mean.value / second.delay - 1) < 0.015);
    CHECK(std::abs(found.input.tail[0].probability.value / second.above - 1) < 0.05);
  }
}

// --- buffers and losses

TEST_CASE("crossbar simulation: finite buffers lose what does not fit, and nothing else") {
  CrossbarModel model = crossbar(4, "0.9", CrossbarScheduler::islip, 2);
  model.buffer = 3;
  const CrossbarEstimates few = simulated(model, 100'000, {.levels = {2, 3}});
  CHECK(few.loss->lower > 0.01);
  CHECK(few.input.tail[0].count > 0);
  CHECK(few.input.tail[1].count == 0);
  model.buffer = 1000;
  CHECK(simulated(model, 100'000).lost == 0);
  model.buffer.reset();
  model.voq_buffer = 1;
  const CrossbarEstimates single = simulated(model, 100'000, {.levels = {1}});
  CHECK(single.voq->tail[0].count == 0);
  CHECK(single.loss->lower > 0.01);
  for (const CrossbarScheduler scheduler :
       {CrossbarScheduler::islip, CrossbarScheduler::fifo, CrossbarScheduler::greedy,
        CrossbarScheduler::crosspoint, CrossbarScheduler::load_balanced, CrossbarScheduler::ccf}) {
    const auto run = make_crossbar_replication(
        with(crossbar(4, "0.9", scheduler), [&](CrossbarModel& its) { its.crosspoint = 2; }), {3, 0});
    run->advance(10'000);
    CHECK(run->balance().conserved());
    CHECK(run->balance().inside > 0);
  }
}

TEST_CASE("crossbar simulation: an output buffer holds back, and loses nothing") {
  CrossbarModel model = crossbar(4, "0.6", CrossbarScheduler::islip, 2);
  model.speedup = 2;
  model.output_buffer = 2;
  const CrossbarEstimates found = simulated(model, 100'000, {.levels = {1, 2}});
  CHECK(found.lost == 0);
  CHECK(found.output->tail[0].count > 0);
  CHECK(found.output->tail[1].count == 0);
  require_inside(found.carried, 0.6, 0.01);
}

// --- checkpoints

void require_same_when_cut(const CrossbarModel& model) {
  const auto whole = make_crossbar_replication(model, {11, 2}),
             parts = make_crossbar_replication(model, {11, 2});
  whole->advance(1000);
  test::advance_in_parts(*parts, 1000);
  CHECK(parts->columns() == whole->columns());
  CHECK(parts->balance().conserved());
  test::require_equal(parts->take_counts(), whole->take_counts());
  whole->advance(100);
  parts->advance(100);
  test::require_equal(parts->take_counts(), whole->take_counts());
}

TEST_CASE("crossbar simulation: cut anywhere it is the same") {
  for (const CrossbarScheduler scheduler :
       {CrossbarScheduler::islip, CrossbarScheduler::fifo, CrossbarScheduler::pim, CrossbarScheduler::greedy,
        CrossbarScheduler::maxweight, CrossbarScheduler::crosspoint, CrossbarScheduler::tdm,
        CrossbarScheduler::load_balanced, CrossbarScheduler::ccf}) {
    CrossbarModel model = crossbar(5, "0.7", scheduler);
    model.burst = traffic::Burst{3, 1};
    model.crosspoint = 2;
    if (scheduler == CrossbarScheduler::islip || scheduler == CrossbarScheduler::fifo) {
      model.speedup = rational("3/2");
      model.hot = rational("1/10");
      model.output_buffer = 7;
    }
    if (scheduler == CrossbarScheduler::ccf) model.priorities = {rational("0.3"), rational("0.7")};
    CAPTURE(describe(model));
    require_same_when_cut(model);
  }
  require_same_when_cut(crossbar(70, "0.7", CrossbarScheduler::islip, 2));
}

TEST_CASE("crossbar simulation: rejects what excludes each other") {
  const auto rejected = [](const auto& change, const char* argument) {
    CrossbarModel model = crossbar(4, "0.5", CrossbarScheduler::islip);
    change(model);
    try {
      check(model);
      FAIL(argument);
    } catch (const InvalidArgument& error) {
      CHECK(error.argument() == argument);
    }
  };
  rejected([](CrossbarModel& m) { m.rates[2] = 2; }, "load");
  rejected([](CrossbarModel& m) { m.rates.assign(4, Rational(0)); }, "load");
  rejected([](CrossbarModel& m) { m.speedup = rational("1/2"); }, "speedup");
  rejected([](CrossbarModel& m) { m.output_speedup = 2; }, "output speedup");
  rejected([](CrossbarModel& m) { m.scheduler = CrossbarScheduler::tdm, m.outputs = 5; }, "outputs");
  rejected([](CrossbarModel& m) { m.scheduler = CrossbarScheduler::tdm, m.speedup = 2; }, "speedup");
  rejected([](CrossbarModel& m) { m.scheduler = CrossbarScheduler::ccf, m.speedup = 3; }, "speedup");
  rejected([](CrossbarModel& m) { m.scheduler = CrossbarScheduler::ccf, m.buffer = 3; }, "buffer");
  rejected([](CrossbarModel& m) { m.scheduler = CrossbarScheduler::fifo, m.voq_buffer = 3; }, "VOQ buffer");
  rejected([](CrossbarModel& m) { m.priorities = {1}; }, "priorities");
  rejected([](CrossbarModel& m) { m.shares = {{1}}; }, "rows of the matrix");
  rejected([](CrossbarModel& m) { m.hot = rational("1/2"), m.shares = unbalanced_shares(4, 1); }, "hot");
  rejected([](CrossbarModel& m) { m.burst = traffic::Burst{rational("1/2"), 1}; }, "burst");
  rejected(
      [](CrossbarModel& m) {
        m.scheduler = CrossbarScheduler::maxweight;
        m.rates.assign(65, rational("1/2"));
      },
      "inputs");
}

}  // namespace
}  // namespace tailbound::sim
