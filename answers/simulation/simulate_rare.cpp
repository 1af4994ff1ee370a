#include <tailbound/answers/simulation/simulate_rare.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/rare/rare_bursty_queue.hpp>
#include <tailbound/sim/rare/rare_queue.hpp>
#include <tailbound/sim/splitting/rare_tree.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace tailbound::answers {
namespace {

using numeric::Rational;

sim::RareTreeModel model_of(const SimulateRareQuery& query) {
  sim::RareTreeModel model;
  model.tree = tree_model(query.topology);
  if (model.tree.load == 1) throw Unstable("1");
  model.stage = query.hop - 1;
  if (const auto* level = std::get_if<Packets>(&query.rare)) {
    model.level = level->value;
    return model;
  }
  const auto& probability = std::get<Rational>(query.rare);
  if (!(probability > 0 && probability < 1))
    throw InvalidArgument("rare", numeric::to_fraction(probability),
                          "a probability below 1, or a level: 1 packet or more");
  model.level = std::max<std::int64_t>(1, sim::likely_level(model, numeric::nearest_double(probability)));
  return model;
}

/// The given number, or as many as take seconds.
std::int64_t steps_of(const RunLength& length, double otherwise, double minimum, double maximum) {
  return length.slots ? *length.slots : static_cast<std::int64_t>(std::clamp(otherwise, minimum, maximum));
}

SimulateRareAnswer importance_sampling(const sim::RareTreeModel& tree, const RunLength& length,
                                       const Run& run) {
  if (length.warmup)
    throw InvalidArgument("warmup", std::to_string(*length.warmup),
                          "omitted: regenerative cycles need no warm-up");
  SimulateRareAnswer answer{.method = RareMethod::importance_sampling, .level = Packets(tree.level)};
  // Of the leaves of a switch, each with an equal share of its packets or bursts.
  const auto paths = network::tree_paths(tree.tree.tree, tree.tree.load, tree.tree.routing,
                                         network::Sources::independent_sources);
  const network::SourceRate first = paths.back().hops.front().sources.at(0);
  const Rational share = first.rate / tree.tree.load;
  // A cycle with the event takes about 2 level / (1 - load) slots; a fraction 1 - load of cycles has it.
  const auto level = static_cast<double>(tree.level);
  if (tree.tree.burst) {
    const traffic::OnOff leaf = traffic::on_off(tree.tree.load, *tree.tree.burst);
    sim::RareBurstyQueueModel model{.sources = {leaf, first.count, share}, .level = tree.level};
    if (!tree.tree.keeps_paths()) model.sources = {traffic::thinned(leaf, share), first.count};
    // Most cycles of bursts with one destination begin with no source ON here, and end at once.
    const std::int64_t cycles =
        steps_of(length, (tree.tree.keeps_paths() ? 1e9 : 2e8) / (level + 1), 1e5, 4e6);
    answer.simulated = simulate(
        sim::rare_bursty_queue_plan(model, cycles, length.seed), true,
        [&](const sim::RunPlan& plan, const sim::RunControls& controls, std::string_view resume) {
          return sim::run_rare_bursty_queue(model, plan, controls, resume);
        },
        run);
    answer.probability = sim::rare_bursty_queue_estimate(model, answer.simulated.result).probability;
    return answer;
  }
  const sim::RareQueueModel model{.sources = {first}, .level = tree.level};
  const std::int64_t cycles = steps_of(length, 5e8 / (level + 1), 1e5, 1e7);
  answer.simulated = simulate(
      sim::rare_queue_plan(cycles, length.seed), true,
      [&](const sim::RunPlan& plan, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_rare_queue(model, plan, controls, resume);
      },
      run);
  answer.probability = sim::rare_queue_estimate(model, answer.simulated.result).probability;
  return answer;
}

SimulateRareAnswer splitting(const sim::RareTreeModel& model, const RunLength& length, const Run& run) {
  // Queues that feed the observed one, times paths: about 1 + level of them at a time.
  const network::Tree& tree = model.tree.tree;
  const auto k = static_cast<double>(tree.radix);
  const int depth = std::min(model.stage + 1, tree.levels);
  const double queues = model.stage < tree.levels ? (std::pow(k, depth) - 1) / (k - 1)
                                                  : std::pow(k, tree.levels) * (model.stage + 1);
  const double slots = 4e9 / queues / static_cast<double>(model.level + 1) / length.replications;
  sim::RunPlan plan =
      sim::automatic_plan(model, steps_of(length, slots, 1e4, 1e9), length.replications, length.seed);
  if (length.warmup) plan.warmup = *length.warmup;
  SimulateRareAnswer answer{.method = RareMethod::splitting, .level = Packets(model.level)};
  answer.simulated = simulate(
      plan, !length.warmup,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_rare_tree(model, its, controls, resume);
      },
      run);
  const sim::LevelEstimate found =
      sim::rare_tree_estimates(model, answer.simulated.result, {model.level}).front();
  if (found.count == 0)
    throw NoAnswer("no path reached a queue of more than " + std::to_string(model.level) +
                   " packets; increase --slots");
  answer.probability = found.probability;
  return answer;
}

}  // namespace

RareMethod method_of(const SimulateRareQuery& query) {
  const TreeTopology& its = query.topology;
  const int hops = sim::stage_count(its.tree);
  if (query.hop < 1 || query.hop > hops)
    throw InvalidArgument("hop", std::to_string(query.hop), "an integer from 1 to " + std::to_string(hops));
  const bool keeps = its.burst && its.destination == traffic::Destination::per_burst;
  if (keeps && query.hop > 1)
    throw InvalidArgument("hop", std::to_string(query.hop),
                          "1 with per-burst destinations (for later hops use --destination per-packet)");
  const bool all_meet_it = its.routing == network::TreeRouting::random_root || hops == 1;
  return query.hop == 1 && (all_meet_it || keeps) ? RareMethod::importance_sampling : RareMethod::splitting;
}

SimulateRareAnswer answer(const SimulateRareQuery& query, const Run& run) {
  const RareMethod method = method_of(query);
  const sim::RareTreeModel model = model_of(query);
  return method == RareMethod::importance_sampling ? importance_sampling(model, query.length, run)
                                                   : splitting(model, query.length, run);
}

}  // namespace tailbound::answers
