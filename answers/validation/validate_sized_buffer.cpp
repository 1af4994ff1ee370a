#include <tailbound/answers/buffer/sized_queue.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/validation/validate_sized_buffer.hpp>
#include <tailbound/core/error.hpp>

#include <cmath>
#include <set>
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

Predicted<unit::Probability> predicted(const SizedProbability& computed) {
  return std::visit([](const auto& truth) -> Predicted<unit::Probability> { return truth; }, computed);
}

Predicted<unit::Packet> predicted_mean(const SizedBufferAnswer& computed) {
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Packet>>(&*computed.mean_occupancy))
    return *bound;
  return to_predicted(std::get<numeric::Claim<unit::Packet>>(*computed.mean_occupancy));
}

ComparedMemory compared(const SizedBufferAnswer& computed) {
  ComparedMemory row{.memory = computed.buffer};
  row.measure.predicted = predicted(computed.at);
  if (computed.approximation) row.about.emplace().predicted = computed.approximation->at;
  return row;
}

/// The given levels, or those that `minimum` finds for simulable_tails(); in increasing order.
std::vector<Packets> levels_of(const ValidateSizedBufferQuery& query, const auto& minimum) {
  if (!query.levels.empty()) return query.levels;
  std::set<Packets> levels;
  for (const Rational& tail : simulable_tails()) levels.insert(minimum(tail));
  return {levels.begin(), levels.end()};
}

/// P(Q > n) and the mean from one queue, so that its distribution is computed once.
void predict_tails(ValidateSwitchAnswer& found, const ValidateSizedBufferQuery& query,
                   bounds::OutputQueue& queue) {
  const std::vector<Packets> levels = levels_of(query, [&](const Rational& tail) {
    return queue.min_buffer_size({tail, Criterion::overflow}).buffer;
  });
  const std::vector<bounds::ComputedProbability> tails = queue.tails(levels);
  for (std::size_t i = 0; i < levels.size(); ++i)
    found.memories.emplace_back(ComparedMemory{.memory = levels[i]}).measure.predicted =
        to_predicted(tails[i].probability);
  found.mean = Comparison<unit::Packet>{.predicted = to_predicted(queue.mean_occupancy()), .simulated = {}};
}

/// The same if only a bound exists.
void predict_bounds(ValidateSwitchAnswer& found, const ValidateSizedBufferQuery& query) {
  // The approximation is closer to the truth than the bound, so that its levels are observed as often as
  // intended.
  const std::vector<Packets> levels = levels_of(query, [&](const Rational& tail) {
    const SizedBufferAnswer minimum = answer(analysis_of(query, MinBuffer{tail}));
    const bool about = minimum.approximation && minimum.approximation->buffer;
    return about ? Packets(std::llround(minimum.approximation->buffer->value)) : minimum.buffer;
  });
  for (const Packets level : levels) {
    const SizedBufferAnswer computed = answer(analysis_of(query, ProbabilityOf{level}));
    found.memories.push_back(compared(computed));
    found.mean = Comparison<unit::Packet>{.predicted = predicted_mean(computed), .simulated = {}};
  }
}

void predict_losses(ValidateSwitchAnswer& found, const ValidateSizedBufferQuery& query) {
  const SizedBufferAnswer computed = answer(analysis_of(query, ProbabilityOf{*query.capacity}));
  ComparedMemory& row = found.memories.emplace_back(compared(computed));
  if (computed.packet_loss) row.packets.emplace().predicted = predicted(*computed.packet_loss);
}

}  // namespace

ValidateSwitchAnswer answer(const ValidateSizedBufferQuery& query, const Run& run) {
  const bool losses = query.capacity.has_value();
  if (losses && !query.levels.empty())
    throw InvalidArgument("levels", "given together with a capacity", "omitted: losses are compared");
  SimulateSwitchQuery simulated = simulation_of(query);
  static_cast<void>(plan_of(simulated));  // checks that it can be simulated
  ValidateSwitchAnswer found;
  if (losses)
    predict_losses(found, query);
  else if (const auto queue = sized_queue(analysis_of(query, ProbabilityOf{Packets(0)})))
    predict_tails(found, query, *queue);
  else
    predict_bounds(found, query);
  const bool another = found.mean || found.memories.front().packets;
  found.confidence_of_each = confidence_of_each(found.memories.size() + (another ? 1 : 0), query.confidence);
  simulated.confidence = found.confidence_of_each;
  if (!losses)
    for (const ComparedMemory& row : found.memories) simulated.levels.push_back(row.memory);
  found.simulation = answer(simulated, run);

  const sim::SwitchEstimates& seen = found.simulation.found;
  for (std::size_t i = 0; i < found.memories.size(); ++i)
    if (losses)
      compare_losses(found.memories[i], seen, true, found.tally);
    else
      compare_tail(found.memories[i], *found.simulation.tail[i].output, found.tally);
  if (found.mean) {
    found.mean->simulated = seen.output->mean;
    found.tally.add(*found.mean);
  }
  return found;
}

}  // namespace tailbound::answers
