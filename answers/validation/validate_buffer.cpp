#include <tailbound/answers/classes/simulate_classes.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/answers/validation/validate_buffer.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

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
  requested.occupancy_levels = levels_or_simulable(
      query.levels, simulable_tails(), [&](const Rational& tail) { return analysis.min_level(tail); });
  std::vector<Predicted<unit::Probability>> tails;
  for (const Packets level : requested.occupancy_levels) tails.push_back(analysis.tail(level));
  const Predicted<unit::Packet> mean = analysis.mean();

  ValidateBufferAnswer answer;
  requested.confidence = answer.share_confidence(tails.size() + 1, query.confidence);
  answer.simulation = classes ? simulated_class(query, requested, run) : answers::answer(requested, run);
  const SimulatedQueue& seen = answer.simulation.queues.front();
  for (std::size_t i = 0; i < tails.size(); ++i)
    answer.add(compared_tail(ComparedQuantity::occupancy_tail, tails[i], seen.tail[i]));
  answer.add(ComparedQuantity::mean_occupancy,
             Comparison<unit::Packet>{.predicted = mean, .simulated = seen.mean_occupancy});
  return answer;
}

std::vector<ComparedRow> compared_curve(const ValidateBufferQuery& query,
                                        const ValidateBufferAnswer& answer) {
  BufferAnalysis analysis(query);
  const auto whole = [&] {
    if (query.classes.empty()) return whole_occupancy_tail(simulation_of(query), answer.simulation);
    return whole_tails(
               classes_of(query),
               {.classes = {},
                .simulated = answer.simulation.simulated})[static_cast<std::size_t>(query.priority) - 1]
        .occupancy;
  };
  std::vector<ComparedRow> curve;
  for (const sim::LevelEstimate& seen : whole())
    curve.push_back(
        compared_tail(ComparedQuantity::occupancy_tail, analysis.tail(Packets(seen.level)), seen));
  return curve;
}

}  // namespace tailbound::answers
