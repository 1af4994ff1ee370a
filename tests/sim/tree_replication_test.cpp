#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/sim/network/network_replication.hpp>
#include <tailbound/sim/tree/reorder_flow.hpp>
#include <tailbound/sim/tree/simulate_tree.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <tests/support/estimate.hpp>

/// Random runs have fixed seeds: a test that passes once passes always. The stated false-alarm rate is the
/// probability that a correct program fails with a new seed.
namespace tailbound::sim {
namespace {

using network::TreeRouting;
using numeric::parse_rational;

TreeModel model_of(int radix, int levels, const char* load, TreeRouting routing = TreeRouting::random_root,
                   std::optional<std::int64_t> buffer = {}) {
  return {{radix, levels}, parse_rational(load, "load"), routing, buffer};
}

double probability(const numeric::Proved<unit::Probability>& proved) {
  const auto enclosure = numeric::to_enclosure(proved);
  return static_cast<double>(enclosure.lower());
}
// --- Packet by packet ----------------------------------------------------------------------------------

/// The packets that arrive at each queue of a one-level tree in each slot of a block, drawn as in the
/// simulator.
std::vector<std::vector<int>> block_of_arrivals(int radix, RandomKey key, std::uint64_t threshold,
                                                std::uint64_t block) {
  std::vector<std::vector<int>> came(64, std::vector<int>(static_cast<std::size_t>(radix)));
  for (std::uint64_t leaf = 0; leaf < static_cast<std::uint64_t>(radix); ++leaf) {
    const std::uint64_t sends = bernoulli_bits(key, 0, leaf, block * 16, threshold);
    std::array<std::uint64_t, 16> words;
    random_fill(key, 64, leaf, block * 8, words);
    for (std::size_t slot = 0; slot < 64; ++slot)
      if (sends >> slot & 1U)
        ++came[slot][(words[slot / 4] >> (slot % 4 * 16)) % static_cast<std::uint64_t>(radix)];
  }
  return came;
}

TEST_CASE("tree: one queue's path is the Lindley recursion, packet by packet") {
  const int radix = GENERATE(2, 4, 16);
  const bool finite = GENERATE(false, true);
  const RandomKey key{42, 3};
  const auto threshold = static_cast<std::uint64_t>(std::ldexp(0.75, 64));
  TreeModel model = model_of(radix, 1, "0.75");
  if (finite) model.buffer = 3;
  const auto tree = make_tree_replication(model, key);
  const TreeRows rows(model.tree);
  std::vector<std::size_t> occupancy(static_cast<std::size_t>(radix));
  for (std::uint64_t block = 0; block < 20; ++block)
    for (const std::vector<int>& came : block_of_arrivals(radix, key, threshold, block)) {
      Histogram waits, occupancies;
      std::uint64_t dropped = 0;
      for (std::size_t queue = 0; queue < occupancy.size(); ++queue) {
        std::size_t& q = occupancy[queue];
        q -= q > 0;
        for (int packet = 0; packet < came[queue]; ++packet) {
          if (finite && q == 3) {
            ++dropped;
            continue;
          }
          waits.resize(std::max(waits.size(), q + 1));
          ++waits[q++];
        }
        occupancies.resize(std::max(occupancies.size(), q + 1));
        ++occupancies[q];
      }
      tree->advance(1);
      const Counts counts = tree->take_counts();
      auto seen = counts[rows.occupancy(0)];
      while (seen.size() > 1 && seen.back() == 0) seen.pop_back();
      REQUIRE(seen == occupancies);
      REQUIRE(counts[rows.waits(0)] == waits);
      REQUIRE(counts[rows.delays(1)] == waits);
      REQUIRE(counts[rows.drops(0)][0] == dropped);
    }
}

// --- Conservation, splitting, threads
// -------------------------------------------------------------------------

std::vector<TreeModel> varied_models() {
  std::vector<TreeModel> models;
  for (const TreeRouting routing : {TreeRouting::random_root, TreeRouting::nearest_ancestor})
    for (const std::optional<std::int64_t> buffer :
         {std::optional<std::int64_t>{}, std::optional<std::int64_t>{2}})
      for (const auto& [radix, levels] :
           {std::pair{2, 4}, {3, 3}, {4, 2}, {5, 2}, {16, 2}, {17, 2}, {32, 2}, {6, 1}})
        models.push_back(model_of(radix, levels, "0.9", routing, buffer));
  for (const TreeRouting routing : {TreeRouting::random_root, TreeRouting::nearest_ancestor})
    for (const std::optional<std::int64_t> buffer :
         {std::optional<std::int64_t>{}, std::optional<std::int64_t>{2}})
      for (const auto& [radix, burst, on_rate] :
           {std::tuple{4, "30", "1"}, {3, "9", "1"}, {17, "70", "0.95"}})
        for (const auto destination : {traffic::Destination::per_packet, traffic::Destination::per_burst}) {
          const int levels = radix == 3 && destination == traffic::Destination::per_burst ? 3 : 2;
          models.push_back(model_of(radix, levels, "0.9", routing, buffer));
          models.back().burst = {parse_rational(burst, "burst"), parse_rational(on_rate, "on-rate")};
          models.back().destination = destination;
        }
  return models;
}

TEST_CASE("tree: packets are conserved, slot by slot") {
  for (const TreeModel& model : varied_models()) {
    CAPTURE(describe(model));
    const auto tree = make_tree_replication(model, {5, 0});
    for (int slot = 0; slot < 140; ++slot) {
      tree->advance(1);
      const PacketBalance balance = tree->balance();
      REQUIRE(balance.sent == balance.delivered + balance.dropped + balance.queued);
    }
    const PacketBalance balance = tree->balance();
    CHECK(balance.delivered > 0);
    CHECK(balance.queued > 0);
    CHECK((balance.dropped > 0) == model.buffer.has_value());
    CHECK(balance.conserved());
  }
}

void require_equal(const Counts& left, const Counts& right) {
  Counts sum;  // rows may end in zeros
  add_counts(sum, left);
  Counts other = right;
  REQUIRE(sum.size() == other.size());
  for (std::size_t row = 0; row < sum.size(); ++row) {
    for (auto* counts : {&sum[row], &other[row]})
      while (!counts->empty() && counts->back() == 0) counts->pop_back();
    CAPTURE(row);
    REQUIRE(sum[row] == other[row]);
  }
}

TEST_CASE("tree: results do not depend on time splitting, saving or loading") {
  std::mt19937 random(11);
  for (TreeModel model : varied_models()) {
    if (!model.buffer && model.tree.radix == 4) model.observed_flows = 5;
    CAPTURE(describe(model));
    const auto whole = make_tree_replication(model, {5, 1});
    whole->advance(100);
    (void)whole->take_counts();
    whole->advance(500);
    auto cut = make_tree_replication(model, {5, 1});
    cut->advance(100);
    (void)cut->take_counts();
    for (std::int64_t left = 500; left > 0;) {
      const std::int64_t slots =
          std::min<std::int64_t>(left, std::uniform_int_distribution<int>(0, 150)(random));
      cut->advance(slots);
      left -= slots;
      ByteWriter writer;
      cut->save(writer);
      const std::string bytes = writer.take();
      cut = make_tree_replication(model, {5, 1});
      ByteReader reader(bytes);
      cut->load(reader);
      REQUIRE(reader.at_end());
      for (std::size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 20) {
        ByteReader cut_short(std::string_view(bytes).substr(0, length));
        REQUIRE_THROWS_AS(make_tree_replication(model, {5, 1})->load(cut_short), ParseError);
      }
    }
    REQUIRE(cut->balance() == whole->balance());
    require_equal(cut->take_counts(), whole->take_counts());
  }
}

TEST_CASE("tree: the same result for 1, 2 and 3 threads") {
  TreeModel model = model_of(4, 3, "0.8");
  if (GENERATE(false, true)) model.burst = {12};
  model.destination = GENERATE(traffic::Destination::per_packet, traffic::Destination::per_burst);
  const RunPlan plan = automatic_plan(model, 3000, 5, 77);
  const RunResult one = run_tree(model, plan);
  for (const int threads : {2, 3}) CHECK(run_tree(model, plan, {.threads = threads}).batches == one.batches);
}

TEST_CASE("tree: results do not depend on the ring length") {
  // Many waits exceed the 64 slots of the shortest ring: those packets go through the list of late packets.
  // At the higher load queues also exceed the range of a byte; with 16 ports all bytes of a vector are
  // queues.
  struct Case {
    int radix;
    const char* load;
    std::int64_t slots;
    std::size_t longer;
  };
  const auto [radix, load, slots, longer] =
      GENERATE(Case{4, "0.97", 30'010, 80}, Case{4, "0.999", 200'010, 300}, Case{16, "0.97", 8'010, 80});
  for (const TreeRouting routing : {TreeRouting::random_root, TreeRouting::nearest_ancestor}) {
    TreeModel model = model_of(radix, 2, load, routing);
    if (radix == 16 && routing == TreeRouting::random_root) model.burst = {40};
    model.ring_slots = 128;
    const auto near = make_tree_replication(model, {1, 0});
    model.ring_slots = 2048;
    const auto far = make_tree_replication(model, {1, 0});
    near->advance(slots);
    far->advance(slots);
    CHECK(near->balance().conserved());
    CHECK(near->balance() == far->balance());
    const Counts counts = near->take_counts();
    std::size_t longest = 0;
    for (int stage = 0; stage < 3; ++stage)
      longest = std::max(longest, counts[TreeRows(model.tree).waits(stage)].size());
    CHECK(longest > longer);
    require_equal(counts, far->take_counts());
  }
}

// --- Against exact answers -------------------------------------------------------------------------------

/// Intervals of 99.9999 %: a correct program fails with probability at most 1e-6 per comparison (if the
/// intervals are correct), 1e-4 in total.
constexpr double very_sure = 0.999999;

TEST_CASE("tree: hop 1 matches the exact occupancy") {
  const int radix = GENERATE(2, 3, 4, 16);
  const char* load = GENERATE("0.3", "0.8", "0.9");
  CAPTURE(radix, load);
  const TreeModel model = model_of(radix, radix == 16 ? 1 : 2, load);
  const RunPlan plan = automatic_plan(model, radix == 16 ? 200'000 : 120'000, 4, 2);
  const std::vector<std::int64_t> levels{0, 1, 2, 4, 7, 10};
  const TreeEstimates estimates =
      tree_estimates(model, run_tree(model, plan), {.occupancy_levels = levels, .confidence = very_sure});
  const queue::SlottedQueue exact{series::Arrivals::equal_inputs(radix, model.load), 1};
  const StageEstimates& hop = estimates.stages[0];
  CHECK(test::holds(hop.load, numeric::nearest_double(model.load)));
  for (const LevelEstimate& tail : hop.tail) {
    const double truth = probability(queue::occupancy_tail(exact, Packets(tail.level)).probability);
    CAPTURE(tail.level, truth, tail.probability.value, tail.probability.lower, tail.probability.upper);
    if (tail.count > 1000) CHECK(test::holds(tail.probability, truth));
  }
}

TEST_CASE("tree: bursts of independent slots equal no bursts") {
  // alpha + beta = 1: bursts of 1 / (1 - load / on-rate) slots.
  for (const auto& [load, burst, on_rate] : {std::tuple{"0.8", "5", "1"}, {"0.6", "4", "0.8"}}) {
    CAPTURE(load);
    TreeModel model = model_of(4, 2, load);
    model.burst = {parse_rational(burst, "burst"), parse_rational(on_rate, "on-rate")};
    model.destination = traffic::Destination::per_packet;
    CHECK(source_memory(model).variance == Approx(0).margin(1e-12));
    const TreeEstimates estimates =
        tree_estimates(model, run_tree(model, automatic_plan(model, 120'000, 4, 2)),
                       {.occupancy_levels = {0, 1, 2, 4, 7, 10}, .confidence = very_sure});
    const queue::SlottedQueue exact{series::Arrivals::equal_inputs(4, model.load), 1};
    CHECK(test::holds(estimates.stages[0].load, numeric::nearest_double(model.load)));
    for (const LevelEstimate& tail : estimates.stages[0].tail)
      if (tail.count > 1000)
        CHECK(test::holds(tail.probability,
                          probability(queue::occupancy_tail(exact, Packets(tail.level)).probability)));
  }
}

TEST_CASE("tree: hop 1 with bursts matches known values") {
  TreeModel model = model_of(32, 1, "0.6");
  model.burst = {16};
  model.destination = traffic::Destination::per_packet;
  const TreeEstimates estimates = tree_estimates(model, run_tree(model, automatic_plan(model, 200'000, 4, 2)),
                                                 {.occupancy_levels = {6, 12}, .confidence = very_sure});
  const StageEstimates& hop = estimates.stages[0];
  CHECK(test::holds(hop.load, 0.6));
  for (const auto& [tail, truth] : {std::pair{hop.tail[0], 3.3217e-3}, {hop.tail[1], 2.0789e-5}}) {
    CAPTURE(truth, tail.probability.value, tail.probability.lower, tail.probability.upper, tail.count);
    CHECK(test::holds(tail.probability, truth));
    CHECK(tail.count > 300);
    CHECK(tail.probability.upper - tail.probability.lower < 1.5 * truth);
  }
}

TEST_CASE("tree: the automatic plan takes bursts into account") {
  TreeModel model = model_of(16, 2, "0.6");
  const RunPlan plain = automatic_plan(model, 100'000, 4, 1);
  model.burst = {400};
  model.destination = traffic::Destination::per_packet;
  const RunPlan bursty = automatic_plan(model, 100'000, 4, 1);
  // The relaxation time of the sources is 400 (1 - 0.6) = 160 slots; the sum of covariances is 16 (1/16)^2
  // 0.24 * 159.
  const SourceMemory memory = source_memory(model);
  CHECK(memory.slots == Approx(160));
  CHECK(memory.variance == Approx(2 * 0.24 * 159 / 16));
  CHECK(relaxation_slots(0.6, memory) == Approx(2 * (0.6 + memory.variance) / 0.16 + 160));
  CHECK(bursty.warmup > 20 * plain.warmup);
  CHECK(bursty.batches < plain.batches);
}

TEST_CASE("tree: losses of a finite queue match the exact ratio") {
  const TreeModel model = model_of(4, 1, "0.8", TreeRouting::random_root, 6);
  const RunPlan plan = automatic_plan(model, 150'000, 4, 4);
  const TreeEstimates estimates = tree_estimates(model, run_tree(model, plan), {.confidence = very_sure});
  // loss(B) = (1 - rho) / rho * P(Q > B) / P(Q <= B), with P(Q > 6) = 0.03121810152795
  const double truth = 0.25 * 0.03121810152795 / (1 - 0.03121810152795);
  CHECK(truth == Approx(0.00805601900107).epsilon(1e-10));
  CHECK(test::holds(estimates.stages[0].loss, truth));
  CHECK(estimates.stages[0].loss.upper - estimates.stages[0].loss.lower < 0.25 * truth);
}

/// How many of `trials` runs have a 95 % interval of the mean occupancy that covers the exact mean.
int covering(const TreeModel& model, RunPlan plan, double truth, int trials, double& mean) {
  int covered = 0;
  mean = 0;
  for (int trial = 0; trial < trials; ++trial) {
    plan.seed = 1000 + static_cast<std::uint64_t>(trial);
    const auto estimate = tree_estimates(model, run_tree(model, plan), {}).stages[0].mean_occupancy;
    covered += test::holds(estimate, truth);
    mean += estimate.value / trials;
  }
  return covered;
}

TEST_CASE("tree: intervals have their nominal coverage - and not without the warm-up") {
  const TreeModel model = model_of(4, 1, "0.8");
  const double truth = 0.8 + 0.64 * 0.75 / 0.4;  // rho + A''(1) / (2 (1 - rho))
  RunPlan plan = automatic_plan(model, 16'000, 2, 1);
  double mean = 0;
  // 200 intervals of 95 %: for a correct program 176 .. 199 of them cover with probability 0.9998.
  const int covered = covering(model, plan, truth, 200, mean);
  CAPTURE(covered, mean, plan.warmup, plan.batches);
  CHECK(covered >= 176);
  CHECK(covered <= 199);
  // Short runs from an empty start underestimate; short runs after the automatic warm-up do not.
  RunPlan brief{.replications = 40, .warmup = plan.warmup, .slots = 64, .batches = 1};
  const int brief_covered = covering(model, brief, truth, 100, mean);
  CHECK(brief_covered >= 82);
  CHECK(mean == Approx(truth).epsilon(0.03));
  brief.warmup = 0;
  CHECK(covering(model, brief, truth, 100, mean) < 20);
  CHECK(mean < 0.9 * truth);
}

// --- Against the simulation packet by packet
// -----------------------------------------------------------------

/// Stage of each link with a queue, from the order of tree_network()'s routes.
std::vector<int> stages_of_links(const network::Network& network, int levels) {
  std::vector<int> stages(network.links.size(), -1);
  for (const network::Flow& flow : network.flows)
    for (const network::Route& route : flow.routes) {
      const int turn = static_cast<int>(route.links.size()) / 2;  // one host link, 2 turn - 1 queues
      for (int hop = 1; hop < 2 * turn; ++hop)
        stages[route.links[static_cast<std::size_t>(hop)]] =
            hop < turn ? hop - 1 : 2 * levels - 1 - (2 * turn - hop);
    }
  return stages;
}

TEST_CASE("tree: agrees with the simulation of the same tree as a network, packet by packet") {
  // Means are compared at 4.9 standard deviations of their difference (1e-6 each).
  const std::pair<int, int> size = GENERATE(std::pair{2, 3}, std::pair{4, 2}, std::pair{3, 2});
  const int radix = size.first, levels = size.second;
  const TreeRouting routing = GENERATE(TreeRouting::random_root, TreeRouting::nearest_ancestor);
  const std::optional<std::int64_t> buffer =
      GENERATE(std::optional<std::int64_t>{}, std::optional<std::int64_t>{3});
  const TreeModel model = model_of(radix, levels, "0.8", routing, buffer);
  CAPTURE(describe(model));
  const NetworkModel as_network{network::tree_network(model.tree, model.load, routing), buffer};
  const NetworkRows their(as_network.network);
  const TreeRows our(model.tree);
  const std::vector<int> stages = stages_of_links(as_network.network, levels);
  RunPlan plan = automatic_plan(model, 12'000, 8, 3);
  plan.batches = 4;
  const RunResult tree = run_tree(model, plan);
  plan.seed = 4;
  const RunResult network =
      run(plan, "network", [&](RandomKey key) { return make_network_replication(as_network, key); }, {});

  const auto compare = [&](const std::function<Histogram(const Counts&)>& ours,
                           const std::function<Histogram(const Counts&)>& theirs) {
    const auto left = HistogramBatches(tree.all(), ours, 0.6827).mean<unit::Slot>();
    const auto right = HistogramBatches(network.all(), theirs, 0.6827).mean<unit::Slot>();
    CAPTURE(left.value, left.upper - left.value, right.value, right.upper - right.value);
    CHECK(std::abs(left.value - right.value) <=
          4.9 * std::hypot(left.upper - left.value, right.upper - right.value));
  };
  for (int stage = 0; stage < our.stages; ++stage) {
    CAPTURE(stage);
    const auto sum_of_links = [&](auto row) {
      return [&, row](const Counts& counts) {
        Counts sum(1);
        for (std::size_t link = 0; link < stages.size(); ++link)
          if (stages[link] == stage) add_counts(sum, {counts[row(link)]});
        return sum[0];
      };
    };
    compare([&](const Counts& c) { return c[our.occupancy(stage)]; },
            sum_of_links([&](std::size_t link) { return their.occupancy(link); }));
    if (buffer)
      compare(
          [&](const Counts& c) {
            return Histogram{
                std::accumulate(c[our.waits(stage)].begin(), c[our.waits(stage)].end(), std::uint64_t{0}),
                c[our.drops(stage)][0]};
          },
          [&](const Counts& c) {
            Histogram joined_dropped(2);
            for (std::size_t link = 0; link < stages.size(); ++link)
              if (stages[link] == stage) {
                joined_dropped[0] += c[their.drops(link)][1] - c[their.drops(link)][0];
                joined_dropped[1] += c[their.drops(link)][0];
              }
            return joined_dropped;
          });
  }
  const auto all_delays = [&](const Counts& c) {
    Counts sum(1);
    for (int turn = 1; turn <= levels; ++turn) add_counts(sum, {c[our.delays(turn)]});
    return sum[0];
  };
  const auto their_delays = [&](const Counts& c) {
    Counts sum(1);
    for (std::size_t queues = 0; queues <= their.max_queues; ++queues)
      add_counts(sum, {c[their.delays(queues)]});
    return sum[0];
  };
  compare(all_delays, their_delays);
  // By number of queues: a packet that turns at level t passes 2 t - 1.
  REQUIRE(their.max_queues == static_cast<std::size_t>(2 * levels - 1));
  for (int turn = routing == TreeRouting::nearest_ancestor ? 1 : levels; turn <= levels; ++turn)
    compare([&](const Counts& c) { return c[our.delays(turn)]; },
            [&](const Counts& c) { return c[their.delays(static_cast<std::size_t>(2 * turn - 1))]; });
  const auto squares = [](const Histogram& delays) {  // the second moment depends on the order of service
    Histogram result((delays.empty() ? 0 : delays.size() - 1) * (delays.empty() ? 0 : delays.size() - 1) + 1);
    for (std::size_t i = 0; i < delays.size(); ++i) result[i * i] = delays[i];
    return result;
  };
  compare([&](const Counts& c) { return squares(all_delays(c)); },
          [&](const Counts& c) { return squares(their_delays(c)); });
  if (routing == TreeRouting::nearest_ancestor) {
    // Packets that turn at level 1 meet those that come down: the order of service shows in their mean wait.
    double sum = 0, packets = 0;
    for (const Counts* c : network.all())
      for (std::size_t flow = 0; flow < as_network.network.flows.size(); ++flow)
        if (as_network.network.flows[flow].routes[0].links.size() == 2) {
          sum += static_cast<double>((*c)[their.flow_delays()][flow]);
          packets += static_cast<double>((*c)[their.flow_packets()][flow]);
        }
    const auto ours = HistogramBatches(
                          tree.all(), [&](const Counts& c) { return c[our.delays(1)]; }, 0.6827)
                          .mean<unit::Slot>();
    CAPTURE(ours.value, sum / packets);
    CHECK(std::abs(ours.value - sum / packets) <= 4.9 * std::sqrt(2.0) * (ours.upper - ours.value));
  }
}

TEST_CASE("network: packets are conserved, and time splitting changes nothing") {
  for (const std::optional<std::int64_t> buffer :
       {std::optional<std::int64_t>{}, std::optional<std::int64_t>{2}}) {
    const NetworkModel model{
        network::tree_network({2, 3}, parse_rational("0.9", "load"), TreeRouting::nearest_ancestor), buffer};
    const auto whole = make_network_replication(model, {1, 2});
    for (int slot = 0; slot < 300; ++slot) {
      whole->advance(1);
      REQUIRE(whole->balance().conserved());
    }
    auto cut = make_network_replication(model, {1, 2});
    cut->advance(123);
    ByteWriter writer;
    cut->save(writer);
    const std::string bytes = writer.take();
    cut = make_network_replication(model, {1, 2});
    ByteReader reader(bytes);
    cut->load(reader);
    cut->advance(177);
    CHECK(cut->take_counts() == whole->take_counts());
    CHECK(cut->balance() == whole->balance());
  }
}

// --- Reorder buffers ---------------------------------------------------------------------------------------

TEST_CASE("reorder: independent delays match the closed form") {
  // Delays 0 .. 5 with these probabilities, p = 0.7. P(R = 0 .. 4) from
  // R(z) = prod(1 - p + p F(i)) + sum_a p (1 - F(a)) prod_{i > a} (..) prod_{i < a} (1 - p F(i) + p F(i) z)
  const std::vector<double> probabilities{0.3, 0.3, 0.2, 0.1, 0.06, 0.04};
  const std::vector<double> expected{0.805487, 0.142437, 0.042166, 0.009038, 0.000871};
  std::mt19937_64 random(2);
  std::discrete_distribution<int> delay(probabilities.begin(), probabilities.end());
  std::bernoulli_distribution sends(0.7);
  ReorderFlow flow;
  Histogram histogram;
  constexpr int slots = 1'000'000;
  for (int slot = 0; slot < slots; ++slot) {
    if (sends(random)) {
      flow.sent(slot);
      flow.delivered(slot + delay(random), slot);
    }
    if (slot % 10 == 9) flow.count(slot - 9, slot + 1, histogram);
  }
  for (std::size_t held = 0; held < expected.size(); ++held)
    // Successive slots are correlated over 6 slots or so; 5 deviations of slots / 6 independent ones.
    CHECK(std::abs(static_cast<double>(histogram[held]) / slots - expected[held]) <
          5 * std::sqrt(expected[held] * 6 / slots) + 1e-6);
}

TEST_CASE("reorder: observing flows changes nothing else, and covers every slot") {
  for (const TreeRouting routing : {TreeRouting::random_root, TreeRouting::nearest_ancestor}) {
    TreeModel model = model_of(4, 3, "0.8", routing);
    const auto plain = make_tree_replication(model, {1, 0});
    model.observed_flows = 10;
    const auto observed = make_tree_replication(model, {1, 0});
    plain->advance(3000);
    observed->advance(3000);
    Counts left = plain->take_counts(), right = observed->take_counts();
    const TreeRows rows(model.tree);
    const Histogram reorder = std::exchange(right[rows.reorder()], {});
    require_equal(left, right);
    CHECK(total_count(reorder) == 30'000);
    CHECK(reorder.size() > 3);  // some packets do overtake others
  }
}

// --- Bad input, and the measured table
// -----------------------------------------------------------------------

TEST_CASE("tree: models out of range") {
  const auto make = [](const TreeModel& model) { return make_tree_replication(model, {}); };
  CHECK_THROWS_AS(make(model_of(1, 2, "0.5")), InvalidArgument);
  CHECK_THROWS_AS(make(model_of(1025, 2, "0.5")), InvalidArgument);
  CHECK_THROWS_AS(make(model_of(2, 17, "0.5")), InvalidArgument);
  CHECK_THROWS_AS(make(model_of(2, 0, "0.5")), InvalidArgument);
  CHECK_THROWS_AS(make(model_of(1024, 3, "0.5")), InvalidArgument);
  CHECK_THROWS_AS(make(model_of(4, 2, "0")), InvalidArgument);
  CHECK_THROWS_AS(make(model_of(4, 2, "1.1")), InvalidArgument);
  CHECK_THROWS_AS(make(model_of(4, 2, "1")), Unstable);
  CHECK_NOTHROW(make(model_of(4, 2, "1", TreeRouting::random_root, 4)));
  CHECK_THROWS_AS(make(model_of(4, 2, "0.5", TreeRouting::random_root, 0)), InvalidArgument);
  TreeModel model = model_of(4, 2, "0.5");
  model.ring_slots = 100;
  CHECK_THROWS_AS(make(model), InvalidArgument);
  model.ring_slots.reset();
  model.observed_flows = 17;
  CHECK_THROWS_AS(make(model), InvalidArgument);
  model.observed_flows = 2;
  model.buffer = 4;
  CHECK_THROWS_AS(make(model), InvalidArgument);
  model = model_of(4, 2, "0.9");
  model.burst = {9};
  CHECK_NOTHROW(make(model));
  model.burst = {8};  // load / (1 - load) is 9
  CHECK_THROWS_AS(make(model), InvalidArgument);
  model.burst = {100, parse_rational("0.9", "on-rate")};
  CHECK_THROWS_AS(make(model), InvalidArgument);
  model = model_of(4, 2, "0.5");
  model.burst = {1};  // strict alternation, without end
  CHECK_THROWS_AS(make(model), InvalidArgument);
}

TEST_CASE("tree: occupancies of all hops with 4096 leaves", "[.full]") {
  // Another simulation of the same model measured these over 60 000 slots; its own error is a few percent at
  // 1e-4, so 10 % (30 % at 6e-5) are allowed.
  struct Row {
    const char* load;
    std::int64_t level;
    std::vector<double> tails;
    double tolerance;
  };
  for (const Row& row : {Row{"0.8", 10, {9.06e-3, 1.054e-2, 1.058e-2, 1.062e-2, 1.062e-2}, 0.02},
                         Row{"0.8", 22, {3.56e-5, 5.70e-5, 5.80e-5, 5.87e-5, 6.23e-5}, 0.2},
                         Row{"0.9", 40, {1.35e-4, 1.99e-4, 2.34e-4, 2.30e-4, 1.99e-4}, 0.25}}) {
    const TreeModel model = model_of(16, 3, row.load);
    const RunPlan plan = automatic_plan(model, 15'000, 4, 1);
    const TreeEstimates estimates =
        tree_estimates(model, run_tree(model, plan, {.threads = 2}), {.occupancy_levels = {row.level}});
    for (std::size_t hop = 0; hop < 5; ++hop) {
      const auto& tail = estimates.stages[hop].tail[0].probability;
      CAPTURE(row.load, row.level, hop, tail.value, tail.lower, tail.upper);
      CHECK(tail.value == Approx(row.tails[hop]).epsilon(row.tolerance));
    }
  }
}

}  // namespace
}  // namespace tailbound::sim
