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

SizedBufferQuestion analysis_of(const ValidateSizedBufferQuestion& question,
                                std::variant<LeastBuffer, ProbabilityOf> asked) {
  return {.inputs = question.inputs,
          .load = question.load,
          .sizes_name = question.cells.name,
          .sizes = question.cells.sizes,
          .cell_bytes = question.cells.cell_bytes,
          .arrive = question.arrive,
          .asked = std::move(asked),
          .criterion = question.capacity ? SizedCriterion::cell_loss : SizedCriterion::overflow};
}

SimulateSwitchQuestion simulation_of(const ValidateSizedBufferQuestion& question) {
  SimulateSwitchQuestion simulated{.model = sim::switch_model(question.inputs, question.load)};
  simulated.model.outputs = question.inputs;
  simulated.model.sizes = question.cells.sizes.cells(question.cells.cell_bytes).classes;
  simulated.model.arrival =
      question.arrive == CellArrival::whole ? sim::PacketArrival::whole : sim::PacketArrival::cells;
  if (question.capacity) simulated.model.buffer = question.capacity->value;
  simulated.length = question.length;
  return simulated;
}

Predicted<unit::Probability> predicted(const SizedProbability& said) {
  return std::visit([](const auto& truth) -> Predicted<unit::Probability> { return truth; }, said);
}

Predicted<unit::Packet> predicted_mean(const SizedBufferAnswer& said) {
  if (const auto* bound = std::get_if<numeric::UpperBound<unit::Packet>>(&said.mean_occupancy)) return *bound;
  return to_predicted(std::get<numeric::Claim<unit::Packet>>(said.mean_occupancy));
}

ComparedMemory compared(const SizedBufferAnswer& said) {
  ComparedMemory row{.memory = said.buffer};
  row.measure.predicted = predicted(said.at);
  if (said.stand_in) row.about.emplace().predicted = said.stand_in->at;
  return row;
}

/// The given levels, or those that `least` finds for simulable_tails(); in increasing order.
std::vector<Packets> levels_of(const ValidateSizedBufferQuestion& question, const auto& least) {
  if (!question.levels.empty()) return question.levels;
  std::set<Packets> levels;
  for (const Rational& tail : simulable_tails()) levels.insert(least(tail));
  return {levels.begin(), levels.end()};
}

/// P(Q > n) and the mean from one queue, so that its distribution is computed once.
void predict_tails(ValidateSwitchAnswer& found, const ValidateSizedBufferQuestion& question,
                   bounds::OutputQueue& queue) {
  const std::vector<Packets> levels = levels_of(question, [&](const Rational& tail) {
    return queue.least_room({tail, Criterion::overflow}).buffer;
  });
  const std::vector<bounds::ComputedProbability> tails = queue.tails(levels);
  for (std::size_t i = 0; i < levels.size(); ++i)
    found.memories.emplace_back(ComparedMemory{.memory = levels[i]}).measure.predicted =
        to_predicted(tails[i].probability);
  found.mean = Comparison<unit::Packet>{.predicted = to_predicted(queue.mean_occupancy()), .simulated = {}};
}

/// The same if only a bound exists.
void predict_bounds(ValidateSwitchAnswer& found, const ValidateSizedBufferQuestion& question) {
  // The approximation is closer to the truth than the bound, so that its levels are observed as often as
  // intended.
  const std::vector<Packets> levels = levels_of(question, [&](const Rational& tail) {
    const SizedBufferAnswer least = answer(analysis_of(question, LeastBuffer{tail}));
    const bool about = least.stand_in && least.stand_in->buffer;
    return about ? Packets(std::llround(least.stand_in->buffer->value)) : least.buffer;
  });
  for (const Packets level : levels) {
    const SizedBufferAnswer said = answer(analysis_of(question, ProbabilityOf{level}));
    found.memories.push_back(compared(said));
    found.mean = Comparison<unit::Packet>{.predicted = predicted_mean(said), .simulated = {}};
  }
}

void predict_losses(ValidateSwitchAnswer& found, const ValidateSizedBufferQuestion& question) {
  const SizedBufferAnswer said = answer(analysis_of(question, ProbabilityOf{*question.capacity}));
  ComparedMemory& row = found.memories.emplace_back(compared(said));
  if (said.packet_loss) row.packets.emplace().predicted = predicted(*said.packet_loss);
}

}  // namespace

ValidateSwitchAnswer answer(const ValidateSizedBufferQuestion& question, const Run& run) {
  const bool losses = question.capacity.has_value();
  if (losses && !question.levels.empty())
    throw InvalidArgument("levels", "given together with a capacity", "omitted: losses are compared");
  SimulateSwitchQuestion simulated = simulation_of(question);
  static_cast<void>(plan_of(simulated));  // checks that it can be simulated
  ValidateSwitchAnswer found;
  if (losses)
    predict_losses(found, question);
  else if (const auto queue = sized_queue(analysis_of(question, ProbabilityOf{Packets(0)})))
    predict_tails(found, question, *queue);
  else
    predict_bounds(found, question);
  const bool another = found.mean || found.memories.front().packets;
  found.confidence_of_each =
      confidence_of_each(found.memories.size() + (another ? 1 : 0), question.confidence);
  simulated.confidence = found.confidence_of_each;
  if (!losses)
    for (const ComparedMemory& row : found.memories) simulated.levels.push_back(row.memory);
  found.simulation = answer(simulated, run);

  const sim::SwitchEstimates& seen = found.simulation.found;
  for (std::size_t i = 0; i < found.memories.size(); ++i)
    if (losses)
      see_losses(found.memories[i], seen, true, found.tally);
    else
      see_tail(found.memories[i], *found.simulation.tail[i].output, found.tally);
  if (found.mean) {
    found.mean->simulated = seen.output->mean;
    found.tally.add(*found.mean);
  }
  return found;
}

}  // namespace tailbound::answers
