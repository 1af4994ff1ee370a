#include <tailbound/answers/classes/simulate_classes.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/answers/validation/validate_buffer.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
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
  explicit BufferAnalysis(const ValidateBufferQuery& query) : queue_(queue_of(query)) {}

  [[nodiscard]] Predicted<unit::Probability> tail(Packets level) {
    if (auto* correlated = std::get_if<queue::MarkovQueue>(&queue_))
      return to_predicted(correlated->tail(level.value));
    if (auto* lower = std::get_if<queue::PriorityQueue>(&queue_))
      return numeric::Enclosure<unit::Probability>(lower->tail(level));
    return to_predicted(queue::occupancy_tail(std::get<queue::SlottedQueue>(queue_), level).probability);
  }
  [[nodiscard]] Packets min_level(const Rational& target) {
    if (auto* correlated = std::get_if<queue::MarkovQueue>(&queue_))
      return Packets(correlated->min_level(target));
    if (auto* lower = std::get_if<queue::PriorityQueue>(&queue_))
      return Packets(lower->min_level(target).level);
    return queue::min_level(std::get<queue::SlottedQueue>(queue_), target).level;
  }
  [[nodiscard]] Predicted<unit::Packet> mean() {
    if (auto* correlated = std::get_if<queue::MarkovQueue>(&queue_))
      return to_predicted(correlated->mean_occupancy());
    if (auto* lower = std::get_if<queue::PriorityQueue>(&queue_))
      return numeric::Exact<unit::Packet>{numeric::Theorem::priority_queue, lower->mean_occupancy()};
    return to_predicted(queue::mean_occupancy(std::get<queue::SlottedQueue>(queue_)));
  }

 private:
  using Queue = std::variant<queue::SlottedQueue, queue::MarkovQueue, queue::PriorityQueue>;

  static Queue queue_of(const ValidateBufferQuery& query) {
    if (query.priority > 1) {
      Rational higher = 0;
      for (int i = 0; i + 1 < query.priority; ++i)
        higher = higher + query.classes[static_cast<std::size_t>(i)];
      const Rational inputs = Rational(query.inputs);
      return queue::PriorityQueue(
          std::vector<queue::ClassSource>{{higher / inputs, query.load / inputs, query.inputs}});
    }
    if (!query.burst) {
      queue::SlottedQueue queue{series::Arrivals::equal_inputs(query.inputs, query.load)};
      queue::require_stable(queue);
      return queue;
    }
    return queue::MarkovQueue(arrivals({.inputs = query.inputs,
                                        .load = query.load,
                                        .burst = *query.burst,
                                        .destination = query.destination}));
  }

  Queue queue_;
};

/// The given levels, or those where the analysis gives about 0.5 ... 1e-6.
std::vector<Packets> levels_of(const ValidateBufferQuery& query, BufferAnalysis& analysis) {
  if (!query.levels.empty()) return query.levels;
  std::set<Packets> levels;
  for (const Rational& tail : simulable_tails()) levels.insert(analysis.min_level(tail));
  return {levels.begin(), levels.end()};
}

/// `query` for the simulation, without its levels: a switch, whose output queues are identical.
SimulateTreeQuery simulation_of(const ValidateBufferQuery& query) {
  SimulateTreeQuery requested{.topology = TreeTopology{.tree = {query.inputs, 1},
                                                       .load = query.load,
                                                       .routing = network::TreeRouting::random_root,
                                                       .burst = query.burst,
                                                       .destination = query.destination}};
  requested.length = query.length;
  return requested;
}

SimulateClassesQuery classes_of(const ValidateBufferQuery& query) {
  SimulateClassesQuery requested{.model = {.inputs = query.inputs, .loads = query.classes}};
  // In overload without the lower classes, which delay none of these but have no stationary queues.
  if (requested.model.load() >= 1) requested.model.loads.resize(static_cast<std::size_t>(query.priority));
  requested.length = query.length;
  return requested;
}

/// The selected class, as a queue of its own.
SimulateTreeAnswer simulated_class(const ValidateBufferQuery& query, const SimulateTreeQuery& requested,
                                   const Run& run) {
  SimulateClassesQuery classes = classes_of(query);
  classes.levels = requested.occupancy_levels;
  classes.confidence = requested.confidence;
  SimulateClassesAnswer found = answers::answer(classes, run);
  const sim::ClassEstimates& its = found.classes[static_cast<std::size_t>(query.priority) - 1];
  SimulateTreeAnswer answer;
  SimulatedQueue& queue = answer.queues.emplace_back();
  queue.tail = its.occupancy;
  queue.mean_occupancy = its.mean_occupancy;
  answer.simulated = std::move(found.simulated);
  return answer;
}

}  // namespace

ValidateBufferAnswer answer(const ValidateBufferQuery& query, const Run& run) {
  if (!(query.load > 0))
    throw InvalidArgument("load", numeric::to_fraction(query.load), "greater than 0 packets per slot");
  BufferAnalysis analysis(query);
  SimulateTreeQuery requested = simulation_of(query);
  const bool classes = !query.classes.empty();
  static_cast<void>(classes ? plan_of(classes_of(query)) : plan_of(requested));  // can it be simulated?
  requested.occupancy_levels = levels_of(query, analysis);

  ValidateBufferAnswer answer;
  for (const Packets level : requested.occupancy_levels)
    answer.tail.push_back({.level = level, .above = {.predicted = analysis.tail(level), .simulated = {}}});
  answer.mean_occupancy = {.predicted = analysis.mean(), .simulated = {}};

  answer.confidence_of_each = confidence_of_each(answer.tail.size() + 1, query.confidence);
  requested.confidence = answer.confidence_of_each;
  answer.simulation = classes ? simulated_class(query, requested, run) : answers::answer(requested, run);
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

std::vector<ComparedOccupancy> compared_curve(const ValidateBufferQuery& query,
                                              const ValidateBufferAnswer& answer) {
  BufferAnalysis analysis(query);
  std::vector<ComparedOccupancy> curve;
  const auto whole = [&] {
    if (query.classes.empty()) return whole_occupancy_tail(simulation_of(query), answer.simulation);
    return whole_tails(
               classes_of(query),
               {.classes = {},
                .simulated = answer.simulation.simulated})[static_cast<std::size_t>(query.priority) - 1]
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
