#include <tailbound/answers/crossbar/validate_crossbar.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace tailbound::answers {
namespace {

using numeric::Rational;

template <class Unit>
Predicted<Unit> predicted(const CrossbarNumber<Unit>& number) {
  return std::visit([](const auto& truth) -> Predicted<Unit> { return truth; }, number);
}

/// A tail that the analysis knows at a level.
struct PredictedTail {
  ComparedQuantity quantity;
  std::int64_t level;
  Predicted<unit::Probability> probability;
};

void add_buffer(std::vector<PredictedTail>& tails, ComparedQuantity quantity,
                const std::optional<CrossbarBuffer>& buffer) {
  if (buffer) tails.push_back({quantity, buffer->cells.value, predicted(buffer->at)});
}

/// Without those that were there before: neighbouring probabilities can have one size.
void add_new(std::vector<PredictedTail>& to, const std::vector<PredictedTail>& from) {
  for (const PredictedTail& tail : from)
    if (std::none_of(to.begin(), to.end(), [&](const PredictedTail& its) {
          return its.quantity == tail.quantity && its.level == tail.level;
        }))
      to.push_back(tail);
}

/// Those that every model knows and a simulation of seconds sees.
std::vector<Rational> usual_tails() {
  return {Rational(1) / 10, Rational(1) / 100, Rational(1) / 1000, Rational(1) / 10'000};
}

struct Analysed {
  std::optional<Predicted<unit::Slot>> mean{};
  std::optional<CrossbarNumber<unit::Slot>> output_queued{};
  std::vector<PredictedTail> tails{};
};

Analysed analysed(const ValidateCrossbarQuery& query) {
  Analysed found;
  for (const Rational& tail : query.tails.empty() ? usual_tails() : query.tails) {
    CrossbarQuery at = query.analysis;
    at.levels.clear();
    at.percentiles = {Rational(1) - tail};
    at.drop = tail;
    const CrossbarAnswer sized = answer(at);
    if (sized.mean) found.mean = predicted(*sized.mean);
    found.output_queued = sized.output_queued;
    std::vector<PredictedTail> tails;
    add_buffer(tails, ComparedQuantity::input_tail, sized.input);
    add_buffer(tails, ComparedQuantity::voq_tail, sized.queue);
    add_buffer(tails, ComparedQuantity::column_tail, sized.output);
    if (sized.percentiles.front().slots) {
      at.levels = {*sized.percentiles.front().slots};
      at.drop.reset();
      const CrossbarAnswer delays = answer(at);
      if (delays.above.front().probability)
        tails.push_back({ComparedQuantity::delay_tail, at.levels.front().value,
                         predicted(*delays.above.front().probability)});
    }
    add_new(found.tails, tails);
  }
  std::stable_sort(found.tails.begin(), found.tails.end(),
                   [](const PredictedTail& a, const PredictedTail& b) {
                     return std::pair(a.quantity, a.level) < std::pair(b.quantity, b.level);
                   });
  return found;
}

const sim::LevelEstimate& seen_at(const SimulateCrossbarAnswer& simulation, const PredictedTail& tail) {
  const auto at = [&](const std::vector<sim::LevelEstimate>& levels) -> const sim::LevelEstimate& {
    return *std::find_if(levels.begin(), levels.end(),
                         [&](const sim::LevelEstimate& level) { return level.level == tail.level; });
  };
  switch (tail.quantity) {
    case ComparedQuantity::delay_tail:
      return at(simulation.found.delay.tail);
    case ComparedQuantity::input_tail:
      return at(simulation.found.input.tail);
    case ComparedQuantity::voq_tail:
      return at(simulation.found.voq->tail);
    default:
      return at(simulation.found.column.tail);
  }
}

/// No scheduler is faster than the output-queued switch.
void require_above(const std::optional<CrossbarNumber<unit::Slot>>& bound,
                   const numeric::Estimate<unit::Slot>& mean) {
  if (!bound) return;
  const Span proved = span_of(predicted(*bound));
  const Span seen{mean.lower, mean.upper};
  if (beyond_chance(proved, mean.value, seen) == Verdict::above) report_refuted(proved, seen);
}

}  // namespace

void set_scheduler(sim::CrossbarModel& model, const CrossbarQuery& query) {
  model.scheduler = query.scheduler;
  const bool iterates = query.scheduler == traffic::CrossbarScheduler::islip ||
                        query.scheduler == traffic::CrossbarScheduler::pim;
  model.iterations = iterates ? std::min(query.rounds(), sim::max_crossbar_ports) : 0;
  model.crosspoint = query.crosspoint;
  model.speedup = query.phases();
}

sim::CrossbarModel simulated_crossbar(const CrossbarQuery& query) {
  const std::optional<Rational> load = query.load();
  if (!load) throw InvalidArgument("load", "missing", "given: a switch is compared at a load");
  sim::CrossbarModel model;
  model.rates.assign(static_cast<std::size_t>(query.inputs), *load);
  model.outputs = query.inputs;
  if (query.burst) model.burst = traffic::Burst{*query.burst, 1};
  set_scheduler(model, query);
  return model;
}

ValidateCrossbarAnswer answer(const ValidateCrossbarQuery& query, const Run& run) {
  SimulateCrossbarQuery simulated{.model = simulated_crossbar(query.analysis)};
  simulated.length = query.length;
  simulated.steps = query.steps;
  static_cast<void>(plan_of(simulated));  // checks that it can be simulated
  const Analysed analysis = analysed(query);
  for (const PredictedTail& tail : analysis.tails)
    if (tail.quantity == ComparedQuantity::delay_tail)
      simulated.delays.emplace_back(tail.level);
    else
      simulated.levels.emplace_back(tail.level);
  std::sort(simulated.levels.begin(), simulated.levels.end());
  simulated.levels.erase(std::unique(simulated.levels.begin(), simulated.levels.end()),
                         simulated.levels.end());
  ValidateCrossbarAnswer found;
  simulated.confidence =
      found.share_confidence(analysis.tails.size() + (analysis.mean ? 1 : 0), query.confidence);
  found.simulation = answer(simulated, run);
  require_above(analysis.output_queued, found.simulation.found.delay.mean);
  for (const PredictedTail& tail : analysis.tails)
    found.add(compared_tail(tail.quantity, tail.probability, seen_at(found.simulation, tail)));
  if (analysis.mean)
    found.add(
        ComparedQuantity::mean_queueing,
        Comparison<unit::Slot>{.predicted = *analysis.mean, .simulated = found.simulation.found.delay.mean});
  return found;
}

}  // namespace tailbound::answers
