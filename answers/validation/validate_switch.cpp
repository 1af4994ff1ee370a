#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/validation/validate_switch.hpp>

#include <cmath>

namespace tailbound::answers {
namespace {

using bounds::Criterion;
using numeric::Rational;

SharedBufferQuery analysis_of(const ValidateSwitchQuery& query,
                              std::variant<MinBuffer, ProbabilityOf> requested) {
  return {.traffic = query.traffic,
          .outputs = query.outputs,
          .threshold = query.threshold,
          .criterion =
              query.criterion == Criterion::overflow ? SizedCriterion::overflow : SizedCriterion::cell_loss,
          .requested =
              std::visit([](auto& its) { return decltype(SharedBufferQuery::requested)(its); }, requested),
          .cells = query.cells};
}

SimulateSwitchQuery simulation_of(const ValidateSwitchQuery& query, const std::vector<Packets>& memories) {
  SimulateSwitchQuery simulated{.model = sim::switch_model(query.traffic.inputs, query.traffic.load)};
  simulated.model.outputs = query.outputs;
  simulated.model.threshold = query.threshold;
  if (query.cells) simulated.model.sizes = query.cells->sizes.cells(query.cells->cell_bytes).classes;
  if (query.criterion == Criterion::loss) simulated.model.memory = memories.front().value;
  simulated.levels = memories;
  simulated.length = query.length;
  return simulated;
}

}  // namespace

void add_tail(Comparisons& to, ComparedQuantity quantity, const PredictedMemory& predicted,
              const sim::LevelEstimate& seen) {
  ComparedRow row = compared_tail(quantity, *predicted.measure, seen);
  if (predicted.about) {
    row.about = row.probability();
    row.about->predicted = predicted.about;
  }
  to.add(std::move(row));
}

void add_losses(Comparisons& to, const PredictedMemory& predicted, const sim::SwitchEstimates& seen,
                bool cells) {
  const auto lost = [&](const numeric::Estimate<unit::Ratio>& of) -> sim::LevelEstimate {
    return {predicted.memory.value, {of.value, of.lower, of.upper, of.confidence}, seen.hurt};
  };
  add_tail(to, cells ? ComparedQuantity::cell_loss : ComparedQuantity::packet_loss, predicted,
           lost(cells ? seen.cell_loss : seen.packet_loss));
  if (predicted.packets)
    to.add(compared_tail(ComparedQuantity::packet_loss, *predicted.packets, lost(seen.packet_loss)));
}

std::vector<Packets> usual_memories(const ValidateSwitchQuery& query, const std::vector<Rational>& tails) {
  return levels_or_simulable<Packets>({}, tails, [&](const Rational& tail) {
    const SharedBufferAnswer minimum = answer(analysis_of(query, MinBuffer{tail}));
    return minimum.about ? Packets(std::llround(minimum.about->value)) : minimum.memory;
  });
}

ValidateSwitchAnswer answer(const ValidateSwitchQuery& query, const Run& run) {
  const bool loss = query.criterion == Criterion::loss;
  std::vector<Packets> memories = query.memories;
  if (memories.empty()) memories = usual_memories(query, simulable_tails());
  if (loss && memories.size() != 1)
    throw InvalidArgument("memories", std::to_string(memories.size()), "one value if losses are compared");
  SimulateSwitchQuery simulated = simulation_of(query, memories);
  static_cast<void>(plan_of(simulated));  // checks that it can be simulated

  std::vector<PredictedMemory> predicted;
  std::optional<numeric::Exact<unit::Packet>> mean;
  for (const Packets memory : memories) {
    SharedBufferAnswer computed = answer(analysis_of(query, ProbabilityOf{memory}));
    PredictedMemory& at = predicted.emplace_back(PredictedMemory{.memory = memory});
    at.measure = std::move(computed.at);
    if (computed.about_at) at.about = *computed.about_at;
    if (computed.packet_loss) at.packets = std::move(*computed.packet_loss);
    mean = computed.mean;
  }
  ValidateSwitchAnswer found;
  const bool another = !loss || predicted.front().packets;
  simulated.confidence = found.share_confidence(memories.size() + (another ? 1 : 0), query.confidence);
  found.simulation = answer(simulated, run);

  for (std::size_t i = 0; i < predicted.size(); ++i)
    if (loss)
      add_losses(found, predicted[i], found.simulation.found, query.cells.has_value());
    else
      add_tail(found, ComparedQuantity::total_tail, predicted[i], found.simulation.tail[i].total);
  if (!loss)
    found.add(ComparedQuantity::mean_total,
              Comparison<unit::Packet>{.predicted = *mean, .simulated = found.simulation.found.mean_total});
  return found;
}

}  // namespace tailbound::answers
