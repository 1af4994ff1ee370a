#include <tailbound/network/tree.hpp>
#include <tailbound/sim/batches/batch_means.hpp>
#include <tailbound/sim/tree/simulate_tree.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <random>
#include <tests/support/estimate.hpp>

/// Trees with per-burst destinations and routes. Random runs have fixed seeds: a test that passes once passes
/// always. The stated false-alarm rate is the probability that a correct program fails with a new seed.
namespace tailbound::sim {
namespace {

using network::TreeRouting;
using numeric::parse_rational;

TreeModel bursts(int radix, int levels, const char* load, const char* slots,
                 TreeRouting routing = TreeRouting::random_root, const char* on_rate = "1") {
  TreeModel model{{radix, levels}, parse_rational(load, "load"), routing};
  model.burst = {parse_rational(slots, "burst"), parse_rational(on_rate, "on-rate")};
  return model;
}

/// The destinations of the packets of one leaf in each slot of a one-level tree (-1: it sends none), drawn as
/// in the simulator.
class LeafOfOneLevel {
 public:
  LeafOfOneLevel(const TreeModel& model, RandomKey key, std::uint64_t leaf)
      : slots_(traffic::on_off(model.load, *model.burst)),
        radix_(static_cast<std::uint64_t>(model.tree.radix)),
        key_(key),
        leaf_(leaf),
        on_(slots_.start(key, 320, leaf)) {}
  [[nodiscard]] std::vector<int> next_block() {
    const OnOffSlots::Block block = slots_.slots(key_, 320, leaf_, block_, on_);
    std::vector<int> destinations;
    for (std::uint64_t slot = 0; slot < 64; ++slot) {
      const bool on = (block.on >> slot & 1U) != 0;
      if (on && !was_on_)
        port_ =
            static_cast<int>((random_words(key_, 384, leaf_, 64 * block_ + slot)[0] >> 10U) * radix_ >> 54U);
      was_on_ = on;
      destinations.push_back((block.sends >> slot & 1U) != 0 ? port_ : -1);
    }
    ++block_;
    return destinations;
  }

 private:
  OnOffSlots slots_;
  std::uint64_t radix_;
  RandomKey key_;
  std::uint64_t leaf_, block_ = 0;
  bool on_, was_on_ = false;
  int port_ = -1;
};

TEST_CASE("tree: the packets of a burst go to one queue, packet by packet") {
  const int radix = GENERATE(2, 3, 16, 17);
  const char* on_rate = GENERATE("1", "0.8");
  const RandomKey key{42, 3};
  const TreeModel model = bursts(radix, 1, "0.7", "25", TreeRouting::random_root, on_rate);
  const auto tree = make_tree_replication(model, key);
  const TreeRows rows(model.tree);
  std::vector<LeafOfOneLevel> leaves;
  for (int leaf = 0; leaf < radix; ++leaf) leaves.emplace_back(model, key, static_cast<std::uint64_t>(leaf));
  std::vector<std::size_t> occupancy(static_cast<std::size_t>(radix));
  for (int block = 0; block < 40; ++block) {
    std::vector<std::vector<int>> went;
    for (LeafOfOneLevel& leaf : leaves) went.push_back(leaf.next_block());
    for (std::size_t slot = 0; slot < 64; ++slot) {
      for (std::size_t& q : occupancy) q -= q > 0;
      Histogram waits, occupancies;
      for (const auto& to : went) {
        if (to[slot] < 0) continue;
        std::size_t& q = occupancy[static_cast<std::size_t>(to[slot])];
        waits.resize(std::max(waits.size(), q + 1));
        ++waits[q++];
      }
      for (const std::size_t q : occupancy) {
        occupancies.resize(std::max(occupancies.size(), q + 1));
        ++occupancies[q];
      }
      tree->advance(1);
      const Counts counts = tree->take_counts();
      const auto trimmed = [&](std::size_t row) {
        Histogram histogram = counts[row];
        while (!histogram.empty() && histogram.back() == 0) histogram.pop_back();
        return histogram;
      };
      REQUIRE(trimmed(rows.occupancy(0)) == occupancies);
      REQUIRE(trimmed(rows.waits(0)) == waits);
    }
  }
}

// --- Against a simulation without blocks of slots -----------------------------------------------------

/// The tree as a network: packets in queues, moved one by one; each burst of a leaf draws one of all routes
/// from there.
class PacketByPacket {
 public:
  PacketByPacket(const TreeModel& model, std::uint64_t seed)
      : random_(seed),
        source_(traffic::on_off(model.load, *model.burst)),
        network_(network::tree_network(model.tree, model.load, model.routing)),
        queues_(network_.links.size()),
        routes_(network_.nodes.size()),
        stages(network_.links.size(), -1) {
    for (const network::Flow& flow : network_.flows)
      for (const network::Route& route : flow.routes) {
        const int turn = static_cast<int>(route.links.size()) / 2;  // one host link, 2 turn - 1 queues
        for (int hop = 1; hop < 2 * turn; ++hop)
          stages[route.links[static_cast<std::size_t>(hop)]] =
              hop < turn ? hop - 1 : 2 * model.tree.levels - 1 - (2 * turn - hop);
      }
    for (const network::Flow& flow : network_.flows) routes_[flow.source].push_back(&flow.routes);
    for (const auto& routes : routes_)
      if (!routes.empty())
        leaves_.push_back({&routes, draw(numeric::nearest_double(source_.on_fraction())), {}});
    for (Leaf& leaf : leaves_) leaf.route = draw_route(*leaf.routes);
  }
  /// Sums over a batch: [stage]: occupancies of its queues; then packets, delays, and squares of delays.
  [[nodiscard]] std::vector<double> batch(int slots, int stage_count) {
    std::vector<double> sums(static_cast<std::size_t>(stage_count) + 3);
    for (int i = 0; i < slots; ++i) step(sums);
    return sums;
  }

 private:
  struct Packet {
    const network::Route* route;
    std::size_t step;
    std::int64_t born;
  };
  struct Leaf {
    const std::vector<const std::vector<network::Route>*>* routes;
    bool on;
    const network::Route* route;
  };
  bool draw(double probability) { return std::bernoulli_distribution(probability)(random_); }
  const network::Route* draw_route(const std::vector<const std::vector<network::Route>*>& flows) {
    const auto& routes = *flows[random_() % flows.size()];
    return &routes[random_() % routes.size()];
  }
  void step(std::vector<double>& sums) {
    for (Leaf& leaf : leaves_) {
      if (leaf.on && draw(numeric::nearest_double(source_.on_rate))) moving_.push_back({leaf.route, 1, now_});
      const bool changes = draw(numeric::nearest_double(leaf.on ? source_.stop : source_.start));
      if (changes && !leaf.on) leaf.route = draw_route(*leaf.routes);
      leaf.on = leaf.on != changes;
    }
    std::shuffle(moving_.begin(), moving_.end(), random_);
    for (const Packet& packet : moving_) queues_[packet.route->links[packet.step]].push_back(packet);
    moving_.clear();
    for (std::size_t link = 0; link < queues_.size(); ++link) {
      auto& queue = queues_[link];
      if (queue.empty()) continue;
      sums[static_cast<std::size_t>(stages[link])] += static_cast<double>(queue.size());
      Packet packet = queue.front();
      queue.pop_front();
      if (++packet.step < packet.route->links.size()) {
        moving_.push_back(packet);
        continue;
      }
      const auto delay = static_cast<double>(now_ - packet.born) - static_cast<double>(packet.step - 2);
      sums[sums.size() - 3] += 1;
      sums[sums.size() - 2] += delay;
      sums[sums.size() - 1] += delay * delay;
    }
    ++now_;
  }

  std::mt19937_64 random_;
  traffic::OnOff source_;
  network::Network network_;
  std::vector<std::deque<Packet>> queues_;
  std::vector<std::vector<const std::vector<network::Route>*>> routes_;  ///< [node][destination]
  std::vector<Leaf> leaves_;
  std::vector<Packet> moving_;
  std::int64_t now_ = 0;

 public:
  std::vector<int> stages;  ///< [link]; -1 for the links of the leaves
};

// 8 trees with 4 to 7 numbers each, at 5 deviations of their difference: a correct program fails with
// probability 2e-4 (as deviations come from 40 batches).
TEST_CASE("tree: per-burst routes match a packet-by-packet simulation") {
  const auto [radix, levels, load, on_rate] =
      GENERATE(std::tuple{2, 3, "0.6", "1"}, std::tuple{3, 2, "0.7", "1"}, std::tuple{4, 2, "0.6", "0.9"},
               std::tuple{2, 4, "0.4", "1"});
  const TreeRouting routing = GENERATE(TreeRouting::random_root, TreeRouting::nearest_ancestor);
  const TreeModel model = bursts(radix, levels, load, "6", routing, on_rate);
  CAPTURE(describe(model));
  const TreeRows rows(model.tree);
  const RunPlan plan{.seed = 5, .replications = 4, .warmup = 2048, .slots = 100'000, .batches = 10};
  const RunResult tree = run_tree(model, plan);

  constexpr int batch_slots = 2'500, batches = 40;
  PacketByPacket packets(model, 7);
  (void)packets.batch(2048, rows.stages);
  std::vector<std::vector<double>> sums;
  for (int i = 0; i < batches; ++i) sums.push_back(packets.batch(batch_slots, rows.stages));
  const auto compare = [&](const std::function<double(const Counts&)>& ours_above,
                           const std::function<double(const Counts&)>& ours_below,
                           const std::function<double(const std::vector<double>&)>& theirs_above,
                           const std::function<double(const std::vector<double>&)>& theirs_below) {
    std::vector<double> a, b, c, d;
    for (const Counts* counts : tree.all()) {
      a.push_back(ours_above(*counts));
      b.push_back(ours_below(*counts));
    }
    for (const auto& sum : sums) {
      c.push_back(theirs_above(sum));
      d.push_back(theirs_below(sum));
    }
    const auto ours = estimate<unit::Slot>(a, b, 0.6827), theirs = estimate<unit::Slot>(c, d, 0.6827);
    CAPTURE(ours.value, ours.upper - ours.value, theirs.value, theirs.upper - theirs.value);
    CHECK(std::abs(ours.value - theirs.value) <=
          5 * std::hypot(ours.upper - ours.value, theirs.upper - theirs.value));
    CHECK(ours.upper - ours.value < 0.1 * ours.value);
  };
  const auto moment = [](const Histogram& histogram, int power) {
    double sum = 0;
    for (std::size_t i = 0; i < histogram.size(); ++i)
      sum += static_cast<double>(histogram[i]) * std::pow(static_cast<double>(i), power);
    return sum;
  };
  for (int stage = 0; stage < rows.stages; ++stage) {
    CAPTURE(stage);
    const auto queues = static_cast<double>(std::count(packets.stages.begin(), packets.stages.end(), stage));
    compare([&](const Counts& counts) { return moment(counts[rows.occupancy(stage)], 1); },
            [&](const Counts& counts) { return total_count(counts[rows.occupancy(stage)]); },
            [&](const auto& sum) { return sum[static_cast<std::size_t>(stage)]; },
            [&](const auto&) { return queues * batch_slots; });
  }
  for (const int power : {1, 2}) {
    CAPTURE(power);
    const auto delays = [&](const Counts& counts, int its) {
      double sum = 0;
      for (int turn = 1; turn <= model.tree.levels; ++turn) sum += moment(counts[rows.delays(turn)], its);
      return sum;
    };
    const auto from_end = static_cast<std::size_t>(power == 1 ? 2 : 1);
    compare([&](const Counts& counts) { return delays(counts, power); },
            [&](const Counts& counts) { return delays(counts, 0); },
            [&](const auto& sum) { return sum[sum.size() - from_end]; },
            [&](const auto& sum) { return sum[sum.size() - 3]; });
  }
}

// --- Known values ------------------------------------------------------------------------------------------

// 99.99 %: a correct program fails with probability 2e-4.
TEST_CASE("tree: per-burst destinations, one queue: the exact mean, and a far tail") {
  // Computed from the chain of (Q, ON here, ON elsewhere): 4 inputs, load 0.6, bursts of 16.
  const TreeModel model = bursts(4, 1, "0.6", "16");
  const TreeEstimates estimates =
      tree_estimates(model, run_tree(model, automatic_plan(model, 1'500'000, 4, 2)), {.confidence = 0.9999});
  const StageEstimates& hop = estimates.stages[0];
  CAPTURE(hop.mean_occupancy.value, hop.mean_occupancy.lower, hop.mean_occupancy.upper);
  CHECK(test::holds(hop.load, 0.6));
  CHECK(test::holds(hop.mean_occupancy, 10.185106306));
  CHECK(hop.mean_occupancy.upper - hop.mean_occupancy.lower < 0.8);
}

// 99.9999 % each, some 10 numbers.
TEST_CASE("tree: bursts of one packet are the same for both kinds of destinations") {
  TreeModel model = bursts(4, 2, "0.3", "1");
  const TreeQueries queries{.occupancy_levels = {0, 1, 2, 4}, .confidence = 0.999};
  const auto kept = tree_estimates(model, run_tree(model, automatic_plan(model, 200'000, 4, 2)), queries);
  model.destination = traffic::Destination::per_packet;
  const auto per_packet_bursts =
      tree_estimates(model, run_tree(model, automatic_plan(model, 200'000, 4, 3)), queries);
  for (std::size_t stage = 0; stage < 3; ++stage)
    for (std::size_t i = 0; i < 4; ++i) {
      const auto &left = kept.stages[stage].tail[i].probability,
                 &right = per_packet_bursts.stages[stage].tail[i].probability;
      CAPTURE(stage, i, left.value, left.lower, left.upper, right.value, right.lower, right.upper);
      CHECK(left.lower <= right.upper);
      CHECK(right.lower <= left.upper);
    }
  // Leaves send in the same slots: only the destinations are drawn differently.
  TreeModel other = bursts(4, 2, "0.6", "20");
  const auto first = make_tree_replication(other, {1, 0});
  other.destination = traffic::Destination::per_packet;
  const auto second = make_tree_replication(other, {1, 0});
  first->advance(3000);
  second->advance(3000);
  CHECK(first->balance().sent == second->balance().sent);
  CHECK(first->take_counts() != second->take_counts());
}

TEST_CASE("tree: a run with per-packet destinations does not resume with per-burst ones") {
  TreeModel model = bursts(4, 2, "0.6", "20");
  const std::string kept = describe(model);
  CHECK(kept.find("each to one destination") != std::string::npos);
  model.destination = traffic::Destination::per_packet;
  CHECK(describe(model) == "4-ary 2-tree, load 3/5, random root, bursts of 20 slots at rate 1");
}

TEST_CASE("tree: memory of queues with per-burst destinations") {
  // The sum of covariances of the chain OFF, here, elsewhere, lag by lag.
  const TreeModel model = bursts(3, 2, "0.5", "7", TreeRouting::random_root, "0.9");
  const traffic::OnOff leaf = traffic::on_off(model.load, *model.burst);
  const double r = 0.9, a = numeric::nearest_double(leaf.start), b = 1.0 / 7, share = 1.0 / 9, p = 0.5 / 0.9;
  std::array<double, 3> law{0, 1, 0};  // a source that is ON here
  double sum = 0;
  for (int lag = 1; lag < 2000; ++lag) {
    const auto [off, here, elsewhere] = law;
    law = {off * (1 - a) + (here + elsewhere) * b, here * (1 - b) + off * a * share,
           elsewhere * (1 - b) + off * a * (1 - share)};
    sum += r * r * p * share * (law[1] - p * share);
  }
  const SourceMemory memory = source_memory(model);
  CHECK(memory.variance == Approx(2 * 9 * sum));
  CHECK(memory.slots == Approx(7));
}

}  // namespace
}  // namespace tailbound::sim
