#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/estimates.hpp>
#include <cli/reproduce_simulation.hpp>
#include <cli/simulation_options.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tailbound::cli::reproduce {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr int kReplications = 4;
constexpr std::int64_t kQuicker = 30;
constexpr std::int64_t kDeepest = 1000;  // nothing simulated here gets as deep

std::int64_t slots_of(const TreeRun& run) {
  return run.plan.batch_slots() * run.plan.batches;
}

std::vector<std::int64_t> first_levels(std::int64_t count) {
  std::vector<std::int64_t> levels(static_cast<std::size_t>(count));
  std::iota(levels.begin(), levels.end(), 0);
  return levels;
}

std::vector<std::int64_t> seen_often(const std::vector<sim::LevelEstimate>& tail) {
  // So many independent events are counted with a standard deviation of their square root.
  const double widest = 1.96 / std::sqrt(static_cast<double>(kLeastSeen));
  const auto end = std::find_if(tail.begin(), tail.end(), [widest](const sim::LevelEstimate& level) {
    const auto& p = level.probability;
    return level.count < kLeastSeen || p.upper - p.value > widest * p.value;
  });
  return first_levels(end - tail.begin());
}

/// "0 to 3, 7"
std::string ranges(const std::vector<std::int64_t>& levels) {
  std::string text;
  for (std::size_t i = 0; i < levels.size();) {
    std::size_t last = i;
    while (last + 1 < levels.size() && levels[last + 1] == levels[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", levels[i]);
    if (last > i) text += fmt::format(" to {}", levels[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace

TreeRun simulate_tree(const network::Tree& tree, const numeric::Rational& load, std::int64_t slots,
                      const Request& request, Share share) {
  TreeRun run{.model = {.tree = tree, .load = load}, .plan = {}, .result = {}};
  run.plan = sim::automatic_plan(run.model, request.quick ? slots / kQuicker : slots, kReplications, kSeed);
  sim::RunControls controls{.threads = all_cores()};
  const auto report = [&](double part) {
    request.report(static_cast<std::size_t>(100 * (static_cast<double>(share.done) + part) /
                                            static_cast<double>(share.all)),
                   100);
  };
  controls.progress = [&](const sim::Progress& progress) { report(progress.done); };
  run.result = sim::run_tree(run.model, run.plan, controls);
  report(1);
  return run;
}

std::string plan_in_words(const TreeRun& run) {
  return fmt::format("{} replications of {} slots after a warm-up of {}, seed {}", run.plan.replications,
                     slots_of(run), run.plan.warmup, run.plan.seed);
}

std::string command_of(const TreeRun& run) {
  return fmt::format("tailbound simulate tree --radix {} --levels {} --load {} --slots {} --seed {}",
                     run.model.tree.radix, run.model.tree.levels, plain(run.model.load), run.plan.slots,
                     run.plan.seed);
}

std::vector<std::vector<sim::LevelEstimate>> simulated_tails(const TreeRun& run,
                                                             const std::vector<std::int64_t>& levels,
                                                             double confidence) {
  std::vector<std::vector<sim::LevelEstimate>> tails;
  for (sim::StageEstimates& stage :
       sim::tree_estimates(run.model, run.result, {.occupancy_levels = levels, .confidence = confidence})
           .stages)
    tails.push_back(std::move(stage.tail));
  return tails;
}

std::vector<sim::LevelEstimate> simulated_delays(const TreeRun& run, const std::vector<std::int64_t>& levels,
                                                 double confidence) {
  return sim::tree_estimates(run.model, run.result, {.delay_levels = levels, .confidence = confidence})
      .delay_ccdf;
}

std::vector<std::string> simulation_columns() {
  std::vector<std::string> columns = estimate_columns("simulated");
  columns.insert(columns.end(), {"seen", "simulated_slots", "seed"});
  return columns;
}

void append_csv(std::vector<std::string>& fields, const sim::LevelEstimate& estimate, const TreeRun& run) {
  cli::append_csv(fields, shown(estimate.probability));
  fields.insert(fields.end(),
                {std::to_string(estimate.count), std::to_string(run.plan.replications * slots_of(run)),
                 std::to_string(run.plan.seed)});
}

std::vector<std::int64_t> levels_seen_at_hop(const TreeRun& run, std::size_t hop) {
  return seen_often(simulated_tails(run, first_levels(kDeepest))[hop - 1]);
}

std::vector<std::int64_t> levels_seen_of_delays(const TreeRun& run) {
  return seen_often(simulated_delays(run, first_levels(kDeepest)));
}

double confidence_of_each(std::size_t intervals) {
  return 1 - 0.05 / static_cast<double>(std::max<std::size_t>(intervals, 1));
}

std::vector<Judged> judge(const std::vector<double>& analysis,
                          const std::vector<sim::LevelEstimate>& simulated) {
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < simulated.size(); ++i) judged.push_back({analysis.at(i), simulated[i]});
  return judged;
}

bool within(const std::vector<Judged>& levels, double factor) {
  return std::all_of(levels.begin(), levels.end(), [factor](const Judged& level) {
    return level.simulated.probability.lower <= level.analysis * factor &&
           level.simulated.probability.upper >= level.analysis / factor;
  });
}

std::string in_words(const std::vector<Judged>& levels, const std::string& symbol, std::int64_t offset) {
  if (levels.empty()) return "too rare to judge";
  const auto where = [&](const char* name, const std::function<bool(const Judged&)>& is) {
    std::vector<std::int64_t> found;
    double greatest = 0, least = 1;
    for (const Judged& level : levels)
      if (is(level)) {
        found.push_back(level.simulated.level + offset);
        greatest = std::max(greatest, level.simulated.probability.value);
        least = std::min(least, level.simulated.probability.value);
      }
    if (found.empty()) return std::string();
    const std::string span = found.size() == 1 ? fmt::format("P = {:.2g}", least)
                                               : fmt::format("P = {:.2g} to {:.2g}", greatest, least);
    return fmt::format("{} at {} = {} ({}), ", name, symbol, ranges(found), span);
  };
  std::string text = where("inside", [](const Judged& level) { return !level.above() && !level.below(); });
  text += where("above", [](const Judged& level) { return level.above(); });
  text += where("below", [](const Judged& level) { return level.below(); });
  const auto ratio = [&](const Judged& level) {
    const numeric::Estimate<unit::Probability>& p = level.simulated.probability;
    return fmt::format("{:.3g} +- {:.2g} ({} = {})", level.ratio(), (p.upper - p.value) / level.analysis,
                       symbol, level.simulated.level + offset);
  };
  const auto [least, greatest] = std::minmax_element(
      levels.begin(), levels.end(), [](const Judged& a, const Judged& b) { return a.ratio() < b.ratio(); });
  return text + fmt::format("simulation/analysis {} to {}", ratio(*least), ratio(*greatest));
}

}  // namespace tailbound::cli::reproduce
