#include <tailbound/answers/buffer/sized_queue.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/validation/validate_sized_buffer.hpp>
#include <tailbound/core/error.hpp>

#include <cmath>
#include <optional>
#include <utility>

namespace tailbound::answers {
namespace {

using bounds::Criterion;
using numeric::Rational;

SizedBufferQuery analysis_of(const ValidateSizedBufferQuery& query,
                             std::variant<MinBuffer, ProbabilityOf> requested) {
  return {.inputs = query.inputs,
          .load = query.load,
          .sizes_name = query.cells.name,
          .sizes = query.cells.sizes,
          .cell_bytes = query.cells.cell_bytes,
          .arrive = query.arrive,
          .requested = std::move(requested),
          .criterion = query.capacity ? SizedCriterion::cell_loss : SizedCriterion::overflow};
}

SimulateSwitchQuery simulation_of(const ValidateSizedBufferQuery& query) {
  SimulateSwitchQuery simulated{.model = sim::switch_model(query.inputs, query.load)};
  simulated.model.outputs = query.inputs;
  simulated.model.sizes = query.cells.sizes.cells(query.cells.cell_bytes).classes;
  simulated.model.arrival =
      query.arrive == CellArrival::whole ? sim::PacketArrival::whole : sim::PacketArrival::cells;
  if (query.capacity) simulated.model.buffer = query.capacity->value;
  simulated.length = query.length;
  return simulated;
}

/// What is computed before the simulation.
struct PredictedQueue {
  std::vector<PredictedMemory> memories{};
  std::optional<Predicted<unit::Packet>> mean{};
};

PredictedMemory predicted(const SizedBufferAnswer& computed) {
  PredictedMemory at{.memory = computed.buffer, .measure = to_predicted(computed.at)};
  if (computed.approximation) at.about = computed.approximation->at;
  return at;
}

/// P(Q > n) and the mean from one queue, so that its distribution is computed once.
PredictedQueue predicted_tails(const ValidateSizedBufferQuery& query, bounds::OutputQueue& queue) {
  const std::vector<Packets> levels =
      levels_or_simulable(query.levels, simulable_tails(), [&](const Rational& tail) {
        return queue.min_buffer_size({tail, Criterion::overflow}).buffer;
      });
  const std::vector<bounds::ComputedProbability> tails = queue.tails(levels);
  PredictedQueue found;
  for (std::size_t i = 0; i < levels.size(); ++i)
    found.memories.push_back({.memory = levels[i], .measure = to_predicted(tails[i].probability)});
  found.mean = to_predicted(queue.mean_occupancy());
  return found;
}

/// The same if only a bound exists.
PredictedQueue predicted_bounds(const ValidateSizedBufferQuery& query) {
  // The approximation is closer to the truth than the bound, so that its levels are observed as often as
  // intended.
  const std::vector<Packets> levels =
      levels_or_simulable(query.levels, simulable_tails(), [&](const Rational& tail) {
        const SizedBufferAnswer minimum = answer(analysis_of(query, MinBuffer{tail}));
        const bool about = minimum.approximation && minimum.approximation->buffer;
        return about ? Packets(std::llround(minimum.approximation->buffer->value)) : minimum.buffer;
      });
  PredictedQueue found;
  for (const Packets level : levels) {
    const SizedBufferAnswer computed = answer(analysis_of(query, ProbabilityOf{level}));
    found.memories.push_back(predicted(computed));
    found.mean = to_predicted(*computed.mean_occupancy);
  }
  return found;
}

PredictedQueue predicted_losses(const ValidateSizedBufferQuery& query) {
  const SizedBufferAnswer computed = answer(analysis_of(query, ProbabilityOf{*query.capacity}));
  PredictedQueue found{.memories = {predicted(computed)}};
  if (computed.packet_loss) found.memories.front().packets = to_predicted(*computed.packet_loss);
  return found;
}

}  // namespace

ValidateSwitchAnswer answer(const ValidateSizedBufferQuery& query, const Run& run) {
  const bool losses = query.capacity.has_value();
  if (losses && !query.levels.empty())
    throw InvalidArgument("levels", "given together with a capacity", "omitted: losses are compared");
  SimulateSwitchQuery simulated = simulation_of(query);
  static_cast<void>(plan_of(simulated));  // checks that it can be simulated
  const auto queue = losses ? nullptr : sized_queue(analysis_of(query, ProbabilityOf{Packets(0)}));
  const PredictedQueue predicted = losses  ? predicted_losses(query)
                                   : queue ? predicted_tails(query, *queue)
                                           : predicted_bounds(query);
  const bool another = predicted.mean || predicted.memories.front().packets;
  ValidateSwitchAnswer found;
  simulated.confidence =
      found.share_confidence(predicted.memories.size() + (another ? 1 : 0), query.confidence);
  if (!losses)
    for (const PredictedMemory& at : predicted.memories) simulated.levels.push_back(at.memory);
  found.simulation = answer(simulated, run);

  const sim::SwitchEstimates& seen = found.simulation.found;
  for (std::size_t i = 0; i < predicted.memories.size(); ++i)
    if (losses)
      add_losses(found, predicted.memories[i], seen, true);
    else
      add_tail(found, ComparedQuantity::occupancy_tail, predicted.memories[i],
               *found.simulation.tail[i].output);
  if (predicted.mean)
    found.add(ComparedQuantity::mean_occupancy,
              Comparison<unit::Packet>{.predicted = predicted.mean, .simulated = seen.output->mean});
  return found;
}

}  // namespace tailbound::answers
