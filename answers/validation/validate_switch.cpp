#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/validation/validate_switch.hpp>

#include <cmath>
#include <set>

namespace tailbound::answers {
namespace {

using bounds::Criterion;
using numeric::Rational;

SharedBufferQuery analysis_of(const ValidateSwitchQuery& query,
                              std::variant<MinBuffer, ProbabilityOf> requested) {
  return {.traffic = query.traffic,
          .outputs = query.outputs,
          .threshold = query.threshold,
          .criterion = query.criterion,
          .requested = std::move(requested),
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

void judge(ComparedMemory& compared, Tally& tally) {
  if (compared.about) {
    compared.about->simulated = compared.measure.simulated;
    compared.about->count = compared.measure.count;
  }
  tally.add(compared.measure);
  if (compared.packets) tally.add(*compared.packets);
}

}  // namespace

void compare_tail(ComparedMemory& compared, const sim::LevelEstimate& seen, Tally& tally) {
  compared.measure.simulated = seen.probability;
  compared.measure.count = seen.count;
  judge(compared, tally);
}

void compare_losses(ComparedMemory& compared, const sim::SwitchEstimates& seen, bool cells, Tally& tally) {
  const auto see = [&seen](Comparison<unit::Probability>& lost, const numeric::Estimate<unit::Ratio>& of) {
    lost.simulated = {of.value, of.lower, of.upper, of.confidence};
    lost.count = seen.hurt;
  };
  see(compared.measure, cells ? seen.cell_loss : seen.packet_loss);
  if (compared.packets) see(*compared.packets, seen.packet_loss);
  judge(compared, tally);
}

std::vector<Packets> usual_memories(const ValidateSwitchQuery& query, const std::vector<Rational>& tails) {
  std::set<Packets> memories;
  for (const Rational& tail : tails) {
    const SharedBufferAnswer minimum = answer(analysis_of(query, MinBuffer{tail}));
    memories.insert(minimum.about ? Packets(std::llround(minimum.about->value)) : minimum.memory);
  }
  return {memories.begin(), memories.end()};
}

ValidateSwitchAnswer answer(const ValidateSwitchQuery& query, const Run& run) {
  const bool loss = query.criterion == Criterion::loss;
  std::vector<Packets> memories = query.memories;
  if (memories.empty()) memories = usual_memories(query, simulable_tails());
  if (loss && memories.size() != 1)
    throw InvalidArgument("memories", std::to_string(memories.size()), "one value if losses are compared");
  SimulateSwitchQuery simulated = simulation_of(query, memories);
  static_cast<void>(plan_of(simulated));  // checks that it can be simulated

  ValidateSwitchAnswer found;
  std::optional<numeric::Exact<unit::Packet>> mean;
  for (const Packets memory : memories) {
    SharedBufferAnswer computed = answer(analysis_of(query, ProbabilityOf{memory}));
    ComparedMemory& compared = found.memories.emplace_back(ComparedMemory{.memory = memory});
    compared.measure.predicted = std::move(computed.at);
    if (computed.about_at) {
      compared.about.emplace();
      compared.about->predicted = *computed.about_at;
    }
    if (computed.packets_at) {
      compared.packets.emplace();
      compared.packets->predicted = std::move(*computed.packets_at);
    }
    mean = computed.mean;
  }
  const bool packets = found.memories.front().packets.has_value();
  found.confidence_of_each =
      confidence_of_each(memories.size() + (!loss || packets ? 1 : 0), query.confidence);
  simulated.confidence = found.confidence_of_each;
  found.simulation = answer(simulated, run);

  for (std::size_t i = 0; i < memories.size(); ++i)
    if (loss)
      compare_losses(found.memories[i], found.simulation.found, query.cells.has_value(), found.tally);
    else
      compare_tail(found.memories[i], found.simulation.tail[i].total, found.tally);
  if (!loss) {
    found.mean = Comparison<unit::Packet>{.predicted = *mean, .simulated = found.simulation.found.mean_total};
    found.tally.add(*found.mean);
  }
  return found;
}

}  // namespace tailbound::answers
