#include <tailbound/answers/classes/simulate_classes.hpp>
#include <tailbound/answers/simulation/levels_seen.hpp>

#include <tailbound/core/cases.hpp>
#include <tailbound/series/arrival_tails.hpp>

#include <algorithm>

namespace tailbound::answers {
namespace {

using numeric::Rational;

/// The packets of a slot, to 2^-80.
std::vector<sim::SlotPackets> slots_of(const series::Arrivals& arrivals) {
  const numeric::PrecisionScope scope(numeric::Precision{192});
  const std::vector<numeric::Interval> law = series::enclosed_arrival_tails(arrivals, -80).pmf;
  std::vector<sim::SlotPackets> slots;
  Rational rest = 1;
  for (std::size_t n = 0; n < law.size(); ++n) {
    Rational probability = std::min(rest, numeric::to_rational(numeric::upper(law[n])));
    rest = rest - probability;
    if (probability > 0) slots.push_back({{static_cast<std::int64_t>(n)}, std::move(probability)});
  }
  slots.back().probability = slots.back().probability + rest;
  return slots;
}

std::vector<sim::SlotPackets> slots_of(const queue::RationalBlocks& blocks) {
  std::vector<sim::SlotPackets> slots;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (std::size_t i = 0; i < blocks[b].size(); ++i)
      for (std::size_t j = 0; j < blocks[b][i].size(); ++j)
        if (blocks[b][i][j] > 0) slots.push_back({{static_cast<std::int64_t>(b)}, blocks[b][i][j], i, j});
  return slots;
}

/// The phase counts the slots of the running event.
std::vector<sim::SlotPackets> slots_of(const bounds::Incast& incast) {
  const auto packets = static_cast<std::size_t>(incast.packets);
  std::vector<sim::SlotPackets> slots{{{0}, 1 - incast.start(), 0, 0}};
  for (std::size_t i = 0; i < packets; ++i)
    slots.push_back({{incast.senders}, i == 0 ? incast.start() : Rational(1), i, (i + 1) % packets});
  return slots;
}

std::int64_t max_seen(const SimulateClassesQuery& query, const sim::RunResult& result) {
  std::size_t size = 1;
  for (const sim::Counts* batch : result.all())
    for (std::size_t c = 0; c < query.model.classes(); ++c)
      for (const auto kind : {sim::ClassRows::occupancy, sim::ClassRows::waits})
        size = std::max(size, (*batch)[sim::ClassRows::of(kind, c)].size());
  return static_cast<std::int64_t>(size) - 1;
}

std::vector<sim::ClassEstimates> estimates(const SimulateClassesQuery& query, const sim::RunResult& result,
                                           const std::vector<std::int64_t>& levels) {
  sim::ClassQueries requested{
      .occupancy_levels = levels, .wait_levels = levels, .percentiles = {}, .confidence = query.confidence};
  for (const numeric::Rational& p : query.percentiles)
    requested.percentiles.push_back(numeric::nearest_double(p));
  return sim::class_estimates(query.model, result, requested);
}

}  // namespace

sim::ClassModel simulated_output(const Traffic& traffic, std::optional<Packets> buffer) {
  sim::ClassModel model;
  model.served = traffic.packets_per_slot;
  const auto load = [&] {
    if (const std::optional<Rational> known = load_of(traffic)) return *known;
    return numeric::to_rational(numeric::upper(slotted_queue(traffic).arrivals.load_interval()));
  };
  std::visit(Cases{[&](const BurstyInputs& inputs) {
                     check(inputs);
                     const Rational share = 1 / Rational(inputs.inputs);
                     model.inputs = inputs.inputs;
                     model.loads = {load()};
                     model.burst = inputs.burst;
                     if (inputs.destination == traffic::Destination::per_burst)
                       model.share = share;
                     else
                       model.burst->on_rate = inputs.burst.on_rate * share;
                   },
                   [&](const bounds::Incast& incast) {
                     // For its checks.
                     static_cast<void>(bounds::output_queue(
                         incast, traffic.packets_per_slot < incast.senders ? traffic.packets_per_slot : 1));
                     model.loads = {load()};
                     model.joint = slots_of(incast);
                   },
                   [&](const Blocks& blocks) {
                     model.loads = {load()};
                     model.joint = slots_of(std::get<queue::RationalBlocks>(blocks.arrivals.form()));
                   },
                   [&](const TrafficClass& classes) {
                     check(classes);
                     model.loads = classes.loads;
                     if (classes.joint.empty()) model.inputs = classes.inputs;
                     for (const queue::ClassPackets& each : classes.joint)
                       model.joint.push_back({each.packets, each.probability});
                   },
                   [](const PoissonAtAnyTime&) {
                     throw InvalidArgument("the traffic", "Poisson arrivals in continuous time (md1)",
                                           "--traffic poisson: arrivals are simulated slot by slot");
                   },
                   [&](const auto&) {
                     const queue::SlottedQueue queue = slotted_queue(traffic);
                     model.loads = {load()};
                     model.joint = slots_of(queue.arrivals);
                   }},
             traffic.source);
  if (buffer) model.capacities.assign(model.loads.size(), buffer->value);
  return model;
}

sim::RunPlan plan_of(const SimulateClassesQuery& query) {
  // Validates the fields before anything is computed from them.
  static_cast<void>(sim::make_class_replication(query.model, {}));
  const sim::ClassWork work = sim::class_work(query.model);
  return plan_of(query.length, {.utilization = work.utilization,
                                .hops = 1,
                                .steps_per_slot = work.steps_per_slot,
                                .steps = query.steps,
                                .memory = work.memory,
                                .finite = query.model.finite()});
}

SimulateClassesAnswer answer(const SimulateClassesQuery& query, const Run& run) {
  SimulateClassesAnswer answer;
  answer.simulated = simulate(
      plan_of(query), !query.length.warmup,
      [&](const sim::RunPlan& its, const sim::RunControls& controls, std::string_view resume) {
        return sim::run_classes(query.model, its, controls, resume);
      },
      run);
  const sim::RunResult& result = answer.simulated.result;
  std::vector<std::int64_t> levels;
  for (const Packets level : query.levels) levels.push_back(level.value);
  if (levels.empty()) levels = spread_levels(max_seen(query, result));
  answer.classes = estimates(query, result, levels);
  return answer;
}

std::vector<sim::ClassEstimates> whole_tails(const SimulateClassesQuery& query,
                                             const SimulateClassesAnswer& answer) {
  const sim::RunResult& result = answer.simulated.result;
  return estimates(query, result, thinned_levels(max_seen(query, result)));
}

}  // namespace tailbound::answers
