#include <tailbound/answers/classes/simulate_classes.hpp>
#include <tailbound/answers/validation/validate_buffer.hpp>
#include <tailbound/bounds/sizing/output_queue.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <memory>
#include <optional>
#include <variant>

namespace tailbound::answers {
namespace {

/// The switch to simulate, whose output queues are identical; none for other traffic.
std::optional<SimulateTreeQuery> switch_of(const ValidateBufferQuery& query) {
  if (query.traffic.packets_per_slot != 1) return std::nullopt;
  TreeTopology topology{.tree = {}, .load = {}};
  if (const auto* equal = std::get_if<EqualInputs>(&query.traffic.source)) {
    topology.tree = {equal->inputs, 1};
    topology.load = equal->load.value();
  } else if (const auto* bursty = std::get_if<BurstyInputs>(&query.traffic.source)) {
    topology.tree = {bursty->inputs, 1};
    topology.load = bursty->load.value();
    topology.burst = bursty->burst;
    topology.destination = bursty->destination;
  } else {
    return std::nullopt;
  }
  if (topology.tree.radix < network::Tree::min_radix || topology.tree.radix > network::Tree::max_radix)
    return std::nullopt;
  SimulateTreeQuery requested{.topology = topology};
  requested.length = query.length;
  return requested;
}

/// The class whose queue is analyzed, counted from 0.
std::size_t selected_class(const Traffic& traffic) {
  const auto* classes = std::get_if<TrafficClass>(&traffic.source);
  return classes == nullptr ? 0 : static_cast<std::size_t>(classes->priority) - 1;
}

SimulateClassesQuery output_of(const ValidateBufferQuery& query) {
  SimulateClassesQuery requested{.model = simulated_output(query.traffic)};
  // In overload without the lower classes, which delay none of these but have no stationary queues.
  if (sim::ClassModel& model = requested.model; model.joint.empty() && model.load() >= model.served)
    model.loads.resize(selected_class(query.traffic) + 1);
  requested.length = query.length;
  return requested;
}

/// The selected class, as a queue of its own.
SimulateTreeAnswer simulated(SimulateClassesQuery output, std::size_t selected, const Run& run) {
  SimulateClassesAnswer found = answers::answer(output, run);
  SimulateTreeAnswer answer;
  SimulatedQueue& queue = answer.queues.emplace_back();
  queue.tail = found.classes[selected].occupancy;
  queue.mean_occupancy = found.classes[selected].mean_occupancy;
  answer.simulated = std::move(found.simulated);
  return answer;
}

std::vector<Predicted<unit::Probability>> tails_at(bounds::OutputQueue& queue,
                                                   const std::vector<Packets>& levels) {
  std::vector<Predicted<unit::Probability>> tails;
  for (const bounds::ComputedProbability& tail : queue.tails(levels))
    tails.push_back(to_predicted(tail.probability));
  return tails;
}

}  // namespace

ValidateBufferAnswer answer(const ValidateBufferQuery& query, const Run& run) {
  if (const auto load = load_of(query.traffic); load && !(*load > 0))
    throw InvalidArgument("load", numeric::to_fraction(*load), "greater than 0 packets per slot");
  const std::unique_ptr<bounds::OutputQueue> queue = output_queue(query.traffic);
  std::optional<SimulateTreeQuery> as_switch = switch_of(query);
  std::optional<SimulateClassesQuery> as_output;
  if (!as_switch) as_output = output_of(query);
  static_cast<void>(as_switch ? plan_of(*as_switch) : plan_of(*as_output));  // can it be simulated?
  const std::vector<Packets> levels = levels_or_simulable(
      query.levels, simulable_tails(),
      [&](const numeric::Rational& tail) { return queue->min_buffer_size({.probability = tail}).buffer; });
  const std::vector<Predicted<unit::Probability>> tails = tails_at(*queue, levels);
  const Predicted<unit::Packet> mean = to_predicted(queue->mean_occupancy());

  ValidateBufferAnswer answer;
  const double confidence = answer.share_confidence(tails.size() + 1, query.confidence);
  if (as_switch) {
    as_switch->occupancy_levels = levels;
    as_switch->confidence = confidence;
    answer.simulation = answers::answer(*as_switch, run);
  } else {
    as_output->levels = levels;
    as_output->confidence = confidence;
    answer.simulation = simulated(std::move(*as_output), selected_class(query.traffic), run);
  }
  const SimulatedQueue& seen = answer.simulation.queues.front();
  for (std::size_t i = 0; i < tails.size(); ++i)
    answer.add(compared_tail(ComparedQuantity::occupancy_tail, tails[i], seen.tail[i]));
  answer.add(ComparedQuantity::mean_occupancy,
             Comparison<unit::Packet>{.predicted = mean, .simulated = seen.mean_occupancy});
  return answer;
}

std::vector<ComparedRow> compared_curve(const ValidateBufferQuery& query,
                                        const ValidateBufferAnswer& answer) {
  std::vector<sim::LevelEstimate> whole;
  if (const auto as_switch = switch_of(query))
    whole = whole_occupancy_tail(*as_switch, answer.simulation);
  else
    whole =
        whole_tails(output_of(query),
                    {.classes = {}, .simulated = answer.simulation.simulated})[selected_class(query.traffic)]
            .occupancy;
  std::vector<Packets> levels;
  for (const sim::LevelEstimate& seen : whole) levels.emplace_back(seen.level);
  const auto tails = tails_at(*output_queue(query.traffic), levels);
  std::vector<ComparedRow> curve;
  for (std::size_t i = 0; i < whole.size(); ++i)
    curve.push_back(compared_tail(ComparedQuantity::occupancy_tail, tails[i], whole[i]));
  return curve;
}

}  // namespace tailbound::answers
