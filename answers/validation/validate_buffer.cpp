#include <cln/integer.h>
#include <cln/rational.h>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/answers/validation/validate_buffer.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <set>
#include <variant>

namespace tailbound::answers {
namespace {

using numeric::Rational;

/// The analysed queue, whatever its arrivals.
class BufferAnalysis {
 public:
  explicit BufferAnalysis(const ValidateBufferQuestion& question) : queue_(queue_of(question)) {}

  [[nodiscard]] Predicted<unit::Probability> tail(Packets level) {
    if (auto* correlated = std::get_if<queue::MarkovQueue>(&queue_))
      return to_predicted(correlated->tail(level.value));
    return to_predicted(queue::occupancy_tail(std::get<queue::SlottedQueue>(queue_), level).probability);
  }
  [[nodiscard]] Packets least_level(const Rational& target) {
    if (auto* correlated = std::get_if<queue::MarkovQueue>(&queue_))
      return Packets(correlated->least_level(target));
    return queue::least_level(std::get<queue::SlottedQueue>(queue_), target).level;
  }
  [[nodiscard]] Predicted<unit::Packet> mean() {
    if (auto* correlated = std::get_if<queue::MarkovQueue>(&queue_))
      return to_predicted(correlated->mean_occupancy());
    return to_predicted(queue::mean_occupancy(std::get<queue::SlottedQueue>(queue_)));
  }

 private:
  using Queue = std::variant<queue::SlottedQueue, queue::MarkovQueue>;

  static Queue queue_of(const ValidateBufferQuestion& question) {
    if (!question.burst) {
      queue::SlottedQueue queue{series::Arrivals::equal_inputs(question.inputs, question.load)};
      queue::require_stable(queue);
      return queue;
    }
    return queue::MarkovQueue(arrivals({.inputs = question.inputs,
                                        .load = question.load,
                                        .burst = *question.burst,
                                        .destination = question.destination}));
  }

  Queue queue_;
};

/// Those of the question, or those where the analysis says about 0.5 ... 1e-6.
std::vector<Packets> levels_of(const ValidateBufferQuestion& question, BufferAnalysis& analysis) {
  if (!question.levels.empty()) return question.levels;
  std::set<Packets> levels;
  for (const Rational& tail : simulable_tails()) levels.insert(analysis.least_level(tail));
  return {levels.begin(), levels.end()};
}

/// `question` as the simulation takes it, but for its levels: a switch, whose output queues are alike.
SimulateTreeQuestion simulation_of(const ValidateBufferQuestion& question) {
  SimulateTreeQuestion asked{.topology = TreeTopology{.tree = {question.inputs, 1},
                                                      .load = question.load,
                                                      .routing = network::TreeRouting::random_root,
                                                      .burst = question.burst,
                                                      .destination = question.destination}};
  asked.length = question.length;
  return asked;
}

}  // namespace

ValidateBufferAnswer answer(const ValidateBufferQuestion& question, const Run& run) {
  if (!(question.load > 0))
    throw InvalidArgument("load", numeric::to_fraction(question.load), "greater than 0 packets a slot");
  BufferAnalysis analysis(question);
  SimulateTreeQuestion asked = simulation_of(question);
  static_cast<void>(plan_of(asked));  // may it be simulated?
  asked.occupancy_levels = levels_of(question, analysis);

  ValidateBufferAnswer answer;
  for (const Packets level : asked.occupancy_levels)
    answer.tail.push_back({.level = level, .above = {.predicted = analysis.tail(level), .simulated = {}}});
  answer.mean_occupancy = {.predicted = analysis.mean(), .simulated = {}};

  answer.confidence_of_each = confidence_of_each(answer.tail.size() + 1, question.confidence);
  asked.confidence = answer.confidence_of_each;
  answer.simulation = answers::answer(asked, run);
  const SimulatedQueue& seen = answer.simulation.queues.front();
  for (std::size_t i = 0; i < answer.tail.size(); ++i) {
    answer.tail[i].above.simulated = seen.tail[i].probability;
    answer.tail[i].above.count = seen.tail[i].count;
    answer.tally.add(answer.tail[i].above);
  }
  answer.mean_occupancy.simulated = seen.mean_occupancy;
  answer.tally.add(answer.mean_occupancy);
  return answer;
}

std::vector<ComparedOccupancy> compared_curve(const ValidateBufferQuestion& question,
                                              const ValidateBufferAnswer& answer) {
  BufferAnalysis analysis(question);
  std::vector<ComparedOccupancy> curve;
  for (const sim::LevelEstimate& seen : whole_occupancy_tail(simulation_of(question), answer.simulation))
    curve.push_back({.level = Packets(seen.level),
                     .above = {.predicted = analysis.tail(Packets(seen.level)),
                               .simulated = seen.probability,
                               .count = seen.count}});
  return curve;
}

}  // namespace tailbound::answers
