#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/batched_run.hpp>

#include <cstddef>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

/// Simulations that continue until their intervals are narrow enough.
///
/// METHOD    The intervals are checked after 4 replications, after 8, 16, .. up to a limit: at most K looks.
/// At each
///           look every interval has the confidence 1 - (1 - c) / K. By the union bound an interval misses
///           the
///           true value at any of the looks with probability 1 - c at most, and so at the look that ended the
///           run, for
///           any stopping rule. Replications of earlier looks are part of the later ones.
/// RESULT    the answer of as many replications without a target; the intervals are wider by the cost of the
/// looks.
/// SOURCE    docs/derivations/sequential.md
/// TESTS     tests/answers/simulation/precision_test.cpp
namespace tailbound::answers {

struct PrecisionTarget {
  numeric::Rational half_width;  ///< of an interval relative to its value, above 0
  int max_replications = 256;    ///< 4 .. 256
};

/// Names of intervals that are wider than the target.
struct WideIntervals {
  std::vector<std::string> wide;
  /// Values of 0, and intervals with an infinite end: observed too rarely to estimate the remaining run time.
  /// They do not extend a run.
  std::vector<std::string> unseen;
};

struct PrecisionReached {
  int looks = 1, max_looks = 1;
  int replications = 4;
  double confidence_of_each = 0;  ///< of each interval at one look
  WideIntervals intervals;        ///< at the last look
};

/// K  \throws InvalidArgument  a target out of range
[[nodiscard]] int max_looks(const PrecisionTarget& target);
/// After look 1, 2, ..
[[nodiscard]] int replications_of(const PrecisionTarget& target, int look);

/// The simulated work of an answer; for several loads, that of the first.
template <class Answer>
[[nodiscard]] const Simulated& simulation_of(const Answer& answer) {
  if constexpr (requires { answer.simulated; })
    return answer.simulated;
  else
    return answer.points.front().simulated;
}

/// The query's number of replications is ignored; it has a single load. Its confidence applies to the
/// intervals whichever look is the last.
/// \param judge  (query, answer) -> WideIntervals
/// \throws InvalidArgument  a run in parts, since each step would need the results of all parts
/// \throws exceptions of answer(query, run)
template <class Query, class Judge>
[[nodiscard]] auto answer_to_width(Query query, const PrecisionTarget& target, const Judge& judge,
                                   const Run& run) {
  PrecisionReached reached{.max_looks = max_looks(target), .intervals = {}};
  if (run.executor != nullptr && run.executor->in_parts())
    throw InvalidArgument("--half-width", "given for a part of a run",
                          "omitted: the precision is known only for all parts together");
  query.confidence = 1 - (1 - query.confidence) / reached.max_looks;
  reached.confidence_of_each = query.confidence;
  query.length.replications = replications_of(target, 1);
  sim::FinishedReplications finished;
  Run its = run;
  its.finished = &finished;
  while (true) {
    reached.replications = query.length.replications = replications_of(target, reached.looks);
    auto found = answer(query, its);
    reached.intervals = judge(query, found);
    const Simulated& simulated = simulation_of(found);
    query.length.slots = simulated.plan.slots;  // equal at all looks
    if (simulated.stopped() || reached.intervals.wide.empty() || reached.looks == reached.max_looks)
      return std::pair(std::move(found), std::move(reached));
    ++reached.looks;
  }
}

/// The same queries for networks, each with one load and its share of the work.
template <class Query>
[[nodiscard]] std::vector<Query> each_load(const std::vector<Query>& queries) {
  std::vector<Query> each;
  for (const Query& query : queries)
    for (const numeric::Rational& value : query.offered.values) {
      Query& one = each.emplace_back(query);
      one.offered.values = {value};
      one.flit_hops /= static_cast<double>(query.offered.values.size());
    }
  return each;
}

/// Combines the answers to some of these into answers to the original queries, for their loads.
/// \param places  of the points, ascending
template <class Query, class Answer>
[[nodiscard]] std::vector<std::pair<Query, Answer>> joined_loads(std::vector<std::pair<Query, Answer>> points,
                                                                 const std::vector<std::size_t>& places,
                                                                 const std::vector<Query>& queries) {
  std::vector<std::pair<Query, Answer>> joined;
  std::size_t end = 0, number = 0;  // of the loads up to the current query; index of the next query
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto& [query, answer] = points[i];
    if (places[i] >= end) {
      while (places[i] >= end) end += queries[number++].offered.values.size();
      joined.emplace_back(std::move(query), std::move(answer));
      continue;
    }
    auto& [whole, found] = joined.back();
    whole.offered.values.push_back(query.offered.values.front());
    found.points.push_back(std::move(answer.points.front()));
    found.stopped = found.stopped || answer.stopped;
  }
  return joined;
}

}  // namespace tailbound::answers
