#include <fmt/format.h>
#include <reproduce/simulation.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::figures {
namespace {

using answers::Verdict;
using render::Shape;

constexpr std::int64_t kDeepest = 1000;  // no simulation here reaches this depth

std::vector<std::int64_t> seen_often(const std::vector<sim::LevelEstimate>& tail) {
  // The standard deviation of a number of independent events is its square root.
  const double widest = 1.96 / std::sqrt(static_cast<double>(kMinSeen));
  const auto end = std::find_if(tail.begin(), tail.end(), [widest](const sim::LevelEstimate& level) {
    const auto& p = level.probability;
    return level.count < kMinSeen || p.upper - p.value > widest * p.value;
  });
  std::vector<std::int64_t> levels;
  for (auto level = tail.begin(); level != end; ++level) levels.push_back(level->level);
  return levels;
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

/// "below at n = 4 to 12 (P = 0.02 to 3e-06), "; empty if no level has the verdict.
std::string where(Verdict verdict, const std::vector<Judged>& levels, const std::string& symbol,
                  std::int64_t offset) {
  std::vector<std::int64_t> found;
  double largest = 0, minimum = 1;
  for (const Judged& level : levels)
    if (level.compared.verdict() == verdict) {
      found.push_back(level.level + offset);
      largest = std::max(largest, level.compared.simulated.value);
      minimum = std::min(minimum, level.compared.simulated.value);
    }
  if (found.empty()) return {};
  const std::string span = found.size() == 1 ? fmt::format("P = {:.2g}", minimum)
                                             : fmt::format("P = {:.2g} to {:.2g}", largest, minimum);
  return fmt::format("{} at {} = {} ({}), ", name_of(verdict), symbol, ranges(found), span);
}

}  // namespace

TreeRun simulate_tree(const network::Tree& tree, const numeric::Rational& load, std::int64_t slots,
                      const answers::Run& run) {
  const answers::TreeTopology topology{.tree = tree, .load = load};
  return {answers::tree_model(topology),
          answers::answer(answers::SimulateTreeQuery{.topology = topology, .length = {.slots = slots}}, run)
              .simulated};
}

std::string command_of(const TreeRun& run) {
  return fmt::format("tailbound simulate tree --radix {} --levels {} --load {} --slots {} --seed {}",
                     run.model.tree.radix, run.model.tree.levels, numeric::plain(run.model.load),
                     run.simulated.plan.slots, run.simulated.plan.seed);
}

std::vector<std::vector<sim::LevelEstimate>> simulated_tails(const TreeRun& run,
                                                             const std::vector<std::int64_t>& levels,
                                                             double confidence) {
  std::vector<std::vector<sim::LevelEstimate>> tails;
  for (sim::StageEstimates& stage :
       sim::tree_estimates(run.model, run.simulated.result,
                           {.occupancy_levels = levels, .confidence = confidence})
           .stages)
    tails.push_back(std::move(stage.tail));
  return tails;
}

std::vector<sim::LevelEstimate> simulated_delays(const TreeRun& run, const std::vector<std::int64_t>& levels,
                                                 double confidence) {
  return sim::tree_estimates(run.model, run.simulated.result,
                             {.delay_levels = levels, .confidence = confidence})
      .delay_ccdf;
}

std::vector<std::int64_t> levels_to(std::int64_t last, std::int64_t step) {
  std::vector<std::int64_t> levels;
  for (std::int64_t level = 0; level < last + step; level += step) levels.push_back(level);
  return levels;
}

std::vector<render::Column> simulated_columns(const std::string& probability) {
  return {{"simulated", "", "", Shape::estimate, probability + " by simulation"},
          {"seen", "", "", Shape::whole, "number of observations"},
          {"simulated_slots", "", "slots", Shape::whole, "measured, total of all replications"},
          {"seed", "", "", Shape::whole, "seed of the simulation"}};
}

render::Cells simulated_cells(const sim::LevelEstimate& estimate, const TreeRun& run) {
  const sim::RunPlan& plan = run.simulated.plan;
  return {{"simulated", render::shown(estimate.probability)},
          {"seen", render::Whole{static_cast<std::int64_t>(estimate.count)}},
          {"simulated_slots", render::Whole{plan.replications * plan.batch_slots() * plan.batches}},
          {"seed", render::Whole{static_cast<std::int64_t>(plan.seed)}}};
}

void add_if_fit_to_draw(render::Curve& curve, const sim::LevelEstimate& level, std::int64_t x) {
  if (level.count > 0 && level.probability.lower > level.probability.value / 5)
    render::add_point(curve, static_cast<double>(x), render::shown(level.probability), true);
}

std::vector<std::int64_t> levels_seen_at_hop(const TreeRun& run, std::size_t hop) {
  return seen_often(simulated_tails(run, levels_to(kDeepest))[hop - 1]);
}

std::vector<std::int64_t> levels_seen_of_delays(const TreeRun& run) {
  return seen_often(simulated_delays(run, levels_to(kDeepest)));
}

std::vector<Judged> judge(const std::vector<answers::Predicted<unit::Probability>>& analysis,
                          const std::vector<sim::LevelEstimate>& simulated) {
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < simulated.size(); ++i)
    judged.push_back(
        {simulated[i].level,
         {.predicted = analysis.at(i), .simulated = simulated[i].probability, .count = simulated[i].count}});
  return judged;
}

bool within(const std::vector<Judged>& levels, double factor) {
  return std::all_of(levels.begin(), levels.end(),
                     [factor](const Judged& level) { return level.compared.within(factor); });
}

std::string in_words(const std::vector<Judged>& levels, const std::string& symbol, std::int64_t offset) {
  if (levels.empty()) return "too rare to judge";
  std::string text;
  for (const Verdict verdict : {Verdict::inside, Verdict::above, Verdict::below, Verdict::too_rare})
    text += where(verdict, levels, symbol, offset);
  const auto ratio = [&](const Judged& level) {
    const numeric::Estimate<unit::Probability>& p = level.compared.simulated;
    return fmt::format("{:.3g} +- {:.2g} ({} = {})", level.ratio(),
                       (p.upper - p.value) / level.compared.span()->upper, symbol, level.level + offset);
  };
  const auto [minimum, largest] = std::minmax_element(
      levels.begin(), levels.end(), [](const Judged& a, const Judged& b) { return a.ratio() < b.ratio(); });
  return text + fmt::format("simulation/analysis {} to {}", ratio(*minimum), ratio(*largest));
}

}  // namespace tailbound::figures
