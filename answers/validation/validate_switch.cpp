#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/answers/validation/validate_switch.hpp>

#include <cmath>
#include <set>

namespace tailbound::answers {
namespace {

using bounds::Criterion;
using numeric::Rational;

SharedBufferQuestion analysis_of(const ValidateSwitchQuestion& question,
                                 std::variant<LeastBuffer, ProbabilityOf> asked) {
  return {.traffic = question.traffic,
          .outputs = question.outputs,
          .threshold = question.threshold,
          .criterion = question.criterion,
          .asked = std::move(asked),
          .cells = question.cells};
}

SimulateSwitchQuestion simulation_of(const ValidateSwitchQuestion& question,
                                     const std::vector<Packets>& memories) {
  SimulateSwitchQuestion simulated{.model =
                                       sim::switch_model(question.traffic.inputs, question.traffic.load)};
  simulated.model.outputs = question.outputs;
  simulated.model.threshold = question.threshold;
  if (question.cells) simulated.model.sizes = question.cells->sizes.cells(question.cells->cell_bytes).classes;
  if (question.criterion == Criterion::loss) simulated.model.memory = memories.front().value;
  simulated.levels = memories;
  simulated.length = question.length;
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

void see_tail(ComparedMemory& compared, const sim::LevelEstimate& seen, Tally& tally) {
  compared.measure.simulated = seen.probability;
  compared.measure.count = seen.count;
  judge(compared, tally);
}

void see_losses(ComparedMemory& compared, const sim::SwitchEstimates& seen, bool cells, Tally& tally) {
  const auto see = [&seen](Comparison<unit::Probability>& lost, const numeric::Estimate<unit::Ratio>& of) {
    lost.simulated = {of.value, of.lower, of.upper, of.confidence};
    lost.count = seen.hurt;
  };
  see(compared.measure, cells ? seen.cell_loss : seen.packet_loss);
  if (compared.packets) see(*compared.packets, seen.packet_loss);
  judge(compared, tally);
}

std::vector<Packets> usual_memories(const ValidateSwitchQuestion& question,
                                    const std::vector<Rational>& tails) {
  std::set<Packets> memories;
  for (const Rational& tail : tails) {
    const SharedBufferAnswer least = answer(analysis_of(question, LeastBuffer{tail}));
    memories.insert(least.about ? Packets(std::llround(least.about->value)) : least.memory);
  }
  return {memories.begin(), memories.end()};
}

ValidateSwitchAnswer answer(const ValidateSwitchQuestion& question, const Run& run) {
  const bool loss = question.criterion == Criterion::loss;
  std::vector<Packets> memories = question.memories;
  if (memories.empty()) memories = usual_memories(question, simulable_tails());
  if (loss && memories.size() != 1)
    throw InvalidArgument("memories", std::to_string(memories.size()), "one value if losses are compared");
  SimulateSwitchQuestion simulated = simulation_of(question, memories);
  static_cast<void>(plan_of(simulated));  // checks that it can be simulated

  ValidateSwitchAnswer found;
  std::optional<numeric::Exact<unit::Packet>> mean;
  for (const Packets memory : memories) {
    SharedBufferAnswer said = answer(analysis_of(question, ProbabilityOf{memory}));
    ComparedMemory& compared = found.memories.emplace_back(ComparedMemory{.memory = memory});
    compared.measure.predicted = std::move(said.at);
    if (said.about_at) {
      compared.about.emplace();
      compared.about->predicted = *said.about_at;
    }
    if (said.packets_at) {
      compared.packets.emplace();
      compared.packets->predicted = std::move(*said.packets_at);
    }
    mean = said.mean;
  }
  const bool packets = found.memories.front().packets.has_value();
  found.confidence_of_each =
      confidence_of_each(memories.size() + (!loss || packets ? 1 : 0), question.confidence);
  simulated.confidence = found.confidence_of_each;
  found.simulation = answer(simulated, run);

  for (std::size_t i = 0; i < memories.size(); ++i)
    if (loss)
      see_losses(found.memories[i], found.simulation.found, question.cells.has_value(), found.tally);
    else
      see_tail(found.memories[i], found.simulation.tail[i].total, found.tally);
  if (!loss) {
    found.mean = Comparison<unit::Packet>{.predicted = *mean, .simulated = found.simulation.found.mean_total};
    found.tally.add(*found.mean);
  }
  return found;
}

}  // namespace tailbound::answers
