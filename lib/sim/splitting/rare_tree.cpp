#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/sim/rare/on_count.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>
#include <tailbound/sim/splitting/rare_tree.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace tailbound::sim {
namespace {

using network::TreeRouting;

constexpr std::int64_t deepest_tree_level = 100'000;

void check(const RareTreeModel& model) {
  // Checks radix, levels and load.
  (void)network::tree_paths(model.tree.tree, model.tree.load, model.tree.routing,
                            network::Sources::independent_sources);
  if (model.tree.load <= 0) throw InvalidArgument("load", numeric::to_fraction(model.tree.load), "above 0");
  if (model.tree.load >= 1) throw Unstable(numeric::plain(model.tree.load));
  if (model.tree.burst) (void)OnOffSlots(traffic::on_off(model.tree.load, *model.tree.burst));
  if (model.tree.buffer)
    throw InvalidArgument("buffer", std::to_string(*model.tree.buffer), "unlimited for rare occupancies");
  if (model.tree.observed_flows != 0)
    throw InvalidArgument("observed flows", std::to_string(model.tree.observed_flows),
                          "0 for rare occupancies");
  if (model.stage < 0 || model.stage >= stage_count(model.tree.tree))
    throw InvalidArgument("stage", std::to_string(model.stage),
                          "from 0 to " + std::to_string(stage_count(model.tree.tree) - 1));
  if (model.level < 1 || model.level > deepest_tree_level)
    throw InvalidArgument("level", std::to_string(model.level),
                          "from 1 to " + std::to_string(deepest_tree_level));
}

/// A queue: the link out of port `port`, up or down, of switch (level, block, member) of
/// docs/derivations/trees.md.
struct Queue {
  int stage;
  bool up;
  int level;
  std::int64_t block, member, port;
  friend auto operator<=>(const Queue&, const Queue&) = default;
};

/// A queue that packets may come from, and the probability with which each of its packets continues to the
/// given queue.
struct Feeder {
  Queue queue;
  double share;
};

/// The feeding relation between queues of a tree.
class Feeding {
 public:
  explicit Feeding(const TreeModel& model)
      : radix_(model.tree.radix),
        levels_(model.tree.levels),
        nearest_(model.routing == TreeRouting::nearest_ancestor) {}

  [[nodiscard]] Queue queue_of_stage(int stage) const {
    const bool up = stage < levels_ - 1;
    return {stage, up, up ? stage + 1 : 2 * levels_ - 1 - stage, 0, 0, 0};
  }
  /// The probability that a packet that has risen to `level` turns there.
  [[nodiscard]] double turning(int level) const {
    if (level == levels_) return 1;
    return nearest_ ? 1 - above(level) / above(level - 1) : 0;
  }
  /// The probability that a packet of a leaf below the queue's level-1 switch goes straight to this queue.
  [[nodiscard]] double leaf_share(const Queue& queue) const {
    if (queue.level != 1) return 0;
    return (queue.up ? 1 - turning(1) : turning(1)) / static_cast<double>(radix_);
  }
  [[nodiscard]] std::vector<Feeder> feeders(const Queue& queue) const;

 private:
  /// P(turn > level) of a nearest-ancestor packet.
  [[nodiscard]] double above(int level) const {
    const auto k = static_cast<double>(radix_);
    return level == 0 ? 1 : 1 - std::pow(k, level - levels_);
  }
  std::int64_t radix_;
  int levels_;
  bool nearest_;
};

std::vector<Feeder> Feeding::feeders(const Queue& queue) const {
  std::vector<Feeder> result;
  const auto& [stage, up, level, block, member, port] = queue;
  const auto k = static_cast<double>(radix_);
  for (std::int64_t i = 0; i < radix_; ++i) {
    if (level > 1) {
      const Queue child{level - 2, true, level - 1, block * radix_ + i, member / radix_, member % radix_};
      // A packet that turns goes down to another child than the one it came from, except with random roots.
      const double share = up          ? (1 - turning(level)) / k
                           : !nearest_ ? turning(level) / k
                           : i != port ? turning(level) / (k - 1)
                                       : 0;
      if (share > 0) result.push_back({child, share});
    }
    if (!up && level < levels_) {
      const Queue parent{stage - 1, false, level + 1, block / radix_, member * radix_ + i, block % radix_};
      result.push_back({parent, 1 / k});
    }
  }
  return result;
}

/// The next queue of a packet: `queue` if a random number of 32 bits is below `bound` (and not below that of
/// the previous target).
struct Target {
  std::uint32_t queue;
  std::uint64_t bound;
};

/// Targets [first, last) of a list of all.
struct Targets {
  std::uint32_t first = 0, last = 0;
};

/// All constant data: the queues, downstream ones first, and the feeding relation.
struct Plumbing {
  std::size_t queues = 0;
  std::vector<Targets> served;  ///< [queue]: the next queue of a served packet
  /// [level-1 switch]: the next queue of a packet of its leaves, if it is one of these
  std::vector<Targets> sources;
  std::vector<Target> targets;
  std::vector<std::size_t> tables;   ///< [level-1 switch]: position in `arrivals`, or in `bursts`
  std::vector<AliasTable> arrivals;  ///< packets of a switch's leaves in a slot; or, if they have bursts,
  std::vector<OnCount> bursts;       ///< the number of ON leaves, and their packets
  std::int32_t max_on = 0;           ///< leaves of a switch
  explicit Plumbing(const RareTreeModel& model);

 private:
  Targets add(const std::vector<std::pair<std::uint32_t, double>>& shares, double whole);
};

Targets Plumbing::add(const std::vector<std::pair<std::uint32_t, double>>& shares, double whole) {
  Targets result{static_cast<std::uint32_t>(targets.size()), 0};
  double sum = 0;
  for (const auto& [queue, share] : shares) {
    sum += share;
    targets.push_back({queue, static_cast<std::uint64_t>(std::llround(std::ldexp(sum / whole, 32)))});
  }
  result.last = static_cast<std::uint32_t>(targets.size());
  return result;
}

Plumbing::Plumbing(const RareTreeModel& model) {
  check(model);
  if (model.tree.keeps_paths())
    throw InvalidArgument(
        "destination", "per-burst",
        "per-packet, because with per-burst destinations the queue lengths are not the whole state");
  const Feeding feeding(model.tree);
  std::vector<Queue> found{feeding.queue_of_stage(model.stage)};
  std::map<Queue, std::vector<std::pair<Queue, double>>> branches;  ///< [queue]: where its packets go
  branches[found[0]];
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Queue queue = found[i];
    for (const Feeder& feeder : feeding.feeders(queue)) {
      const auto [place, fresh] = branches.try_emplace(feeder.queue);
      place->second.emplace_back(queue, feeder.share);
      if (fresh) found.push_back(feeder.queue);
    }
  }
  // A packet moves from a stage to a later one, so the last stage is first.
  std::sort(found.begin(), found.end(), std::greater<>());
  std::map<Queue, std::uint32_t> number;
  for (const Queue& queue : found) number[queue] = static_cast<std::uint32_t>(number.size());
  queues = found.size();
  std::map<std::int64_t, std::vector<std::pair<std::uint32_t, double>>> leaves;
  for (const Queue& queue : found) {
    std::vector<std::pair<std::uint32_t, double>> shares;
    for (const auto& [to, share] : branches[queue]) shares.emplace_back(number[to], share);
    served.push_back(add(shares, 1));
    if (const double share = feeding.leaf_share(queue); share > 0)
      leaves[queue.block].emplace_back(number[queue], share);
  }
  std::map<double, std::size_t> known;
  const auto radix = static_cast<int>(model.tree.tree.radix);
  max_on = radix;
  for (const auto& [block, shares] : leaves) {
    double whole = 0;
    for (const auto& share : shares) whole += share.second;
    sources.push_back(add(shares, whole));
    const auto [place, fresh] = known.try_emplace(whole, known.size());
    if (fresh && model.tree.burst) {
      const traffic::OnOff leaf = traffic::on_off(model.tree.load, *model.tree.burst);
      bursts.emplace_back(radix,
                          tilted(traffic::thinned(leaf, numeric::to_rational(std::min(whole, 1.0))), 0));
    } else if (fresh) {
      const numeric::Rational rate = model.tree.load * numeric::to_rational(std::min(whole, 1.0));
      const network::SourceRate leaf{rate, radix};
      arrivals.emplace_back(tilted_probabilities(std::span(&leaf, 1), 0));
    }
    tables.push_back(place->second);
  }
}

/// Sources of the observed queue for independent source arrivals.
network::QueueTraffic independent_traffic(const RareTreeModel& model) {
  check(model);
  const auto paths = network::tree_paths(model.tree.tree, model.tree.load, model.tree.routing,
                                         network::Sources::independent_sources);
  // The longest route: stage by stage.
  return paths.back().hops.at(static_cast<std::size_t>(model.stage));
}

/// log z0 of that traffic.
double decay_of(const RareTreeModel& model) {
  const network::QueueTraffic traffic = independent_traffic(model);
  if (!model.tree.burst) return decay_exponent(traffic.sources);
  const traffic::OnOff leaf = traffic::on_off(model.tree.load, *model.tree.burst);
  std::vector<network::BurstySource> sources;
  for (const network::SourceRate& each : traffic.sources) {
    const numeric::Rational share = each.rate / model.tree.load;
    if (model.tree.keeps_paths())
      sources.push_back({leaf, each.count, share});
    else
      sources.push_back({traffic::thinned(leaf, share), each.count});
  }
  return decay_exponent(sources);
}

/// [i], i = 0 .. level + 1: R_i; R_0 = 1.
std::vector<std::int64_t> copies_by_level(const RareTreeModel& model) {
  std::vector<double> wanted(static_cast<std::size_t>(model.level) + 2);
  if (model.splitting) {
    const double exponent = decay_of(model);
    for (std::size_t i = 2; i < wanted.size(); ++i) wanted[i] = exponent * static_cast<double>(i - 1);
  }
  return copies_near(wanted);
}

/// The queues as a system for splitting. Its state: lengths of the queues, the observed one first; with
/// bursts, then the number of ON leaves of each level-1 switch in the next slot.
class Queues {
 public:
  explicit Queues(const RareTreeModel& model) : plumbing_(model) {}

  [[nodiscard]] SplitState start(RandomStream& random) {
    SplitState state(plumbing_.queues);
    if (!plumbing_.bursts.empty())
      for (const std::size_t table : plumbing_.tables)
        state.push_back(plumbing_.bursts[table].stationary(random.next()));
    return state;
  }
  /// The whole slot: copies between its arrivals give no gain.
  void begin(SplitState& state, RandomStream& random);
  static void arrive(const SplitState& /*state*/, std::int64_t /*limit*/, const RandomStream& /*random*/) {}
  static void fork(const SplitState& /*state*/, const RandomStream& /*random*/) {}
  [[nodiscard]] static std::int64_t occupancy(const SplitState& state) { return state[0]; }
  [[nodiscard]] std::size_t queues() const { return plumbing_.queues; }
  [[nodiscard]] bool possible(const SplitState& state) const {
    const std::size_t sources = plumbing_.bursts.empty() ? 0 : plumbing_.tables.size();
    if (state.size() != plumbing_.queues + sources) return false;
    return std::all_of(state.begin() + static_cast<std::ptrdiff_t>(plumbing_.queues), state.end(),
                       [&](std::int32_t on) { return on >= 0 && on <= plumbing_.max_on; });
  }

 private:
  void send(SplitState& state, Targets branches, RandomStream& random) {
    const std::uint64_t number = random.next();
    for (std::uint32_t i = branches.first; i < branches.last; ++i)
      if (number < plumbing_.targets[i].bound) {
        ++state[plumbing_.targets[i].queue];
        return;
      }
  }

  Plumbing plumbing_;
};

/// One slot: queues serve, downstream ones first, so that a packet moves one queue; then leaves send. Most
/// queues feed a single one, which is handled without unpredictable branches.
void Queues::begin(SplitState& state, RandomStream& random) {
  state[0] -= static_cast<std::int32_t>(state[0] > 0);
  for (std::size_t queue = 1; queue < plumbing_.queues; ++queue) {
    const auto serves = static_cast<std::int32_t>(state[queue] > 0);
    state[queue] -= serves;
    const Targets branches = plumbing_.served[queue];
    if (branches.last - branches.first == 1) {
      const Target& target = plumbing_.targets[branches.first];
      state[target.queue] += serves & static_cast<std::int32_t>(random.next() < target.bound);
    } else if (serves != 0) {
      send(state, branches, random);
    }
  }
  const bool bursty = !plumbing_.bursts.empty();
  for (std::size_t at = 0; at < plumbing_.sources.size(); ++at) {
    const Targets branches = plumbing_.sources[at];
    std::int32_t packets;
    if (bursty) {
      OnCount& leaves = plumbing_.bursts[plumbing_.tables[at]];
      std::int32_t& on = state[plumbing_.queues + at];
      packets = leaves.packets(on, random.next());
      on = leaves.next(on, random.next());
    } else {
      packets = plumbing_.arrivals[plumbing_.tables[at]].draw(random.next());
    }
    if (branches.last - branches.first == 1)
      state[plumbing_.targets[branches.first].queue] += packets;
    else
      for (; packets > 0; --packets) send(state, branches, random);
  }
}

}  // namespace

std::unique_ptr<Replication> make_rare_tree_replication(const RareTreeModel& model, RandomKey key) {
  return std::make_unique<Splitting<Queues>>(Queues(model), copies_by_level(model), key);
}

std::vector<double> splitting_factors(const RareTreeModel& model) {
  return splitting_factors(copies_by_level(model));
}

RunPlan automatic_plan(const RareTreeModel& model, std::int64_t slots, int replications, std::uint64_t seed) {
  const double load = numeric::nearest_double(independent_traffic(model).load);
  RunPlan plan = automatic_plan(numeric::nearest_double(model.tree.load), model.stage + 1, slots,
                                replications, seed, source_memory(model.tree));
  plan.warmup += static_cast<std::int64_t>(4 * static_cast<double>(model.level) / (1 - load));
  return plan;
}

RunResult run_rare_tree(const RareTreeModel& model, const RunPlan& plan, const RunControls& controls,
                        std::string_view resume) {
  check(model);
  return run(
      plan, describe(model), [&](RandomKey key) { return make_rare_tree_replication(model, key); }, controls,
      resume);
}

std::vector<LevelEstimate> rare_tree_estimates(const RareTreeModel& model, const RunResult& result,
                                               const std::vector<std::int64_t>& levels, double confidence) {
  return splitting_tails(copies_by_level(model), result, levels, confidence);
}

std::int64_t likely_level(const RareTreeModel& model, double probability) {
  if (!(probability > 0 && probability < 1))
    throw InvalidArgument("probability", std::to_string(probability), "above 0 and below 1");
  const double exponent = decay_of(model);
  return std::max<std::int64_t>(1, std::llround(-std::log(probability) / exponent));
}

std::string describe(const RareTreeModel& model) {
  return describe(model.tree) + ", rare occupancies of stage " + std::to_string(model.stage) +
         " up to level " + std::to_string(model.level) + (model.splitting ? "" : ", nothing split");
}

}  // namespace tailbound::sim
