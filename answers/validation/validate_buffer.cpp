#include <cln/integer.h>
#include <cln/rational.h>
#include <tailbound/answers/classes/simulate_classes.hpp>
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

/// The analyzed queue, for any arrivals.
class BufferAnalysis {
 public:
  explicit BufferAnalysis(const ValidateBufferQuestion& question) : queue_(queue_of(question)) {}

  [[nodiscard]] Predicted<unit::Probability> tail(Packets level) {
    if (auto* correlated = std::get_if<queue::MarkovQueue>(&queue_))
      return to_predicted(correlated->tail(level.value));
    if (auto* lower = std::get_if<queue::PriorityQueue>(&queue_))
      return numeric::Enclosure<unit::Probability>(lower->tail(level));
    return to_predicted(queue::occupancy_tail(std::get<queue::SlottedQueue>(queue_), level).probability);
  }
  [[nodiscard]] Packets least_level(const Rational& target) {
    if (auto* correlated = std::get_if<queue::MarkovQueue>(&queue_))
      return Packets(correlated->least_level(target));
    if (auto* lower = std::get_if<queue::PriorityQueue>(&queue_))
      return Packets(lower->least_level(target).level);
    return queue::least_level(std::get<queue::SlottedQueue>(queue_), target).level;
  }
  [[nodiscard]] Predicted<unit::Packet> mean() {
    if (auto* correlated = std::get_if<queue::MarkovQueue>(&queue_))
      return to_predicted(correlated->mean_occupancy());
    if (auto* lower = std::get_if<queue::PriorityQueue>(&queue_))
      return numeric::Exact<unit::Packet>{lower->mean_occupancy()};
    return to_predicted(queue::mean_occupancy(std::get<queue::SlottedQueue>(queue_)));
  }

 private:
  using Queue = std::variant<queue::SlottedQueue, queue::MarkovQueue, queue::PriorityQueue>;

  static Queue queue_of(const ValidateBufferQuestion& question) {
    if (question.priority > 1) {
      Rational higher = 0;
      for (int i = 0; i + 1 < question.priority; ++i)
        higher = higher + question.classes[static_cast<std::size_t>(i)];
      const Rational inputs = numeric::whole(question.inputs);
      return queue::PriorityQueue(
          std::vector<queue::ClassSource>{{higher / inputs, question.load / inputs, question.inputs}});
    }
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

/// The given levels, or those where the analysis gives about 0.5 ... 1e-6.
std::vector<Packets> levels_of(const ValidateBufferQuestion& question, BufferAnalysis& analysis) {
  if (!question.levels.empty()) return question.levels;
  std::set<Packets> levels;
  for (const Rational& tail : simulable_tails()) levels.insert(analysis.least_level(tail));
  return {levels.begin(), levels.end()};
}

/// `question` for the simulation, without its levels: a switch, whose output queues are identical.
SimulateTreeQuestion simulation_of(const ValidateBufferQuestion& question) {
  SimulateTreeQuestion asked{.topology = TreeTopology{.tree = {question.inputs, 1},
                                                      .load = question.load,
                                                      .routing = network::TreeRouting::random_root,
                                                      .burst = question.burst,
                                                      .destination = question.destination}};
  asked.length = question.length;
  return asked;
}

SimulateClassesQuestion classes_of(const ValidateBufferQuestion& question) {
  SimulateClassesQuestion asked{.model = {.inputs = question.inputs, .loads = question.classes}};
  asked.length = question.length;
  return asked;
}

/// The selected class, as a queue of its own.
SimulateTreeAnswer simulated_class(const ValidateBufferQuestion& question, const SimulateTreeQuestion& asked,
                                   const Run& run) {
  SimulateClassesQuestion classes = classes_of(question);
  classes.levels = asked.occupancy_levels;
  classes.confidence = asked.confidence;
  SimulateClassesAnswer found = answers::answer(classes, run);
  const sim::ClassEstimates& its = found.classes[static_cast<std::size_t>(question.priority) - 1];
  SimulateTreeAnswer answer;
  SimulatedQueue& queue = answer.queues.emplace_back();
  queue.tail = its.occupancy;
  queue.mean_occupancy = its.mean_occupancy;
  answer.simulated = std::move(found.simulated);
  return answer;
}

}  // namespace

ValidateBufferAnswer answer(const ValidateBufferQuestion& question, const Run& run) {
  if (!(question.load > 0))
    throw InvalidArgument("load", numeric::to_fraction(question.load), "greater than 0 packets per slot");
  BufferAnalysis analysis(question);
  SimulateTreeQuestion asked = simulation_of(question);
  const bool classes = !question.classes.empty();
  static_cast<void>(classes ? plan_of(classes_of(question)) : plan_of(asked));  // can it be simulated?
  asked.occupancy_levels = levels_of(question, analysis);

  ValidateBufferAnswer answer;
  for (const Packets level : asked.occupancy_levels)
    answer.tail.push_back({.level = level, .above = {.predicted = analysis.tail(level), .simulated = {}}});
  answer.mean_occupancy = {.predicted = analysis.mean(), .simulated = {}};

  answer.confidence_of_each = confidence_of_each(answer.tail.size() + 1, question.confidence);
  asked.confidence = answer.confidence_of_each;
  answer.simulation = classes ? simulated_class(question, asked, run) : answers::answer(asked, run);
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
  const auto whole = [&] {
    if (question.classes.empty()) return whole_occupancy_tail(simulation_of(question), answer.simulation);
    return whole_tails(
               classes_of(question),
               {.classes = {},
                .simulated = answer.simulation.simulated})[static_cast<std::size_t>(question.priority) - 1]
        .occupancy;
  };
  for (const sim::LevelEstimate& seen : whole())
    curve.push_back({.level = Packets(seen.level),
                     .above = {.predicted = analysis.tail(Packets(seen.level)),
                               .simulated = seen.probability,
                               .count = seen.count}});
  return curve;
}

}  // namespace tailbound::answers
