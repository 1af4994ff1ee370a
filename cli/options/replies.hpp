#pragma once

#include <cli/command.hpp>
#include <cli/options/simulation_options.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

/// Runs queries point by point and creates the reply of a command.
namespace tailbound::cli {

/// The finished points, each with its query: pairs as documents take them.
template <class Query, class Answer>
[[nodiscard]] std::vector<std::pair<Query, Answer>> paired(const std::vector<Query>& queries,
                                                           std::vector<Answer> finished) {
  std::vector<std::pair<Query, Answer>> pairs;
  for (std::size_t i = 0; i < finished.size(); ++i) pairs.emplace_back(queries[i], std::move(finished[i]));
  return pairs;
}

/// The document of the finished points, marked if a stop has truncated it.
/// \param document_of  (pairs of query and answer) -> render::Document
template <class Query, class Answer, class DocumentOf>
[[nodiscard]] Reply reply_of(const std::vector<Query>& queries, answers::Points<Answer> points,
                             const DocumentOf& document_of) {
  const std::size_t finished = points.finished.size();
  render::Document document = document_of(paired(queries, std::move(points.finished)));
  render::add_assumptions(document);
  if (points.stopped) render::mark_stopped(document, finished, queries.size());
  return {.document = std::move(document)};
}

/// Runs all queries as interruptible pieces, and shows the finished ones.
template <class Query, class DocumentOf>
[[nodiscard]] Reply show_all(const std::vector<Query>& queries, const Context& context,
                             const DocumentOf& document_of) {
  return reply_of(queries, answers::answer_all(queries, analysis_run(context)), document_of);
}

/// Status 1 if traffic is of a fitted model that is not trusted: the answer is shown, and is none for the
/// trace.
template <class Query>
[[nodiscard]] Reply if_trusted(const std::vector<Query>& queries, Reply reply) {
  for (const Query& query : queries)
    if (!query.traffic.trusted_fit.value_or(true)) reply.status = no_answer;
  return reply;
}

/// The same for queries with several loads of one network each.
/// \param compute  (query, run) -> answer, whose points a stop may have truncated
template <class Query, class Compute, class DocumentOf>
[[nodiscard]] Reply show_networks(const std::vector<Query>& queries, const Context& context,
                                  const Compute& compute, const DocumentOf& document_of) {
  const answers::Run run = analysis_run(context);
  auto networks = answers::for_each_point(queries.size(), run, [&](std::size_t i, const answers::Run& part) {
    return compute(queries[i], part);
  });
  std::size_t finished = 0, requested = 0;
  for (const Query& query : queries) requested += query.offered.values.size();
  for (const auto& network : networks.finished) finished += network.points.size();
  render::Document document = document_of(paired(queries, std::move(networks.finished)));
  if (finished < requested) render::mark_stopped(document, finished, requested);
  return {.document = std::move(document)};
}

// --- simulations

/// \throws InvalidArgument  --checkpoint or --resume with several simulations
inline void require_one_to_resume(const SimulationOptions& options, std::size_t simulations) {
  if (simulations > 1)
    reject_with({&options.checkpoint, &options.resume}, "several points",
                "a checkpoint holds a single simulation; give every option one value (lists such as --loads "
                "have several by default)");
}

/// \throws NoAnswer  with its message, and the command that finds the saturation load
[[noreturn]] void reject_overloaded(const answers::Overloaded& overloaded);

/// The answers to all queries up to a stop; the last may be partial.
/// \param simulations  number of simulations in all queries
/// \throws InvalidArgument  --checkpoint or --resume with several simulations
/// \throws NoAnswer         a load is not carried; the message says how to find the saturation load
/// \throws Stopped          before two batches of the first were finished
template <class Query>
[[nodiscard]] auto simulate_each(const std::vector<Query>& queries, std::size_t simulations,
                                 const SimulationOptions& options, const Context& context) {
  require_one_to_resume(options, simulations);
  try {
    return SimulationRun(options, context)([&](const answers::Run& run) {
      return answers::for_each_simulation(queries.size(), run, [&](std::size_t i, const answers::Run& part) {
        return answer(queries[i], part);
      });
    });
  } catch (const answers::Overloaded& overloaded) {
    reject_overloaded(overloaded);
  }
}

/// Their reply; the document reports a stop itself.
/// \param document_of  (pairs of query and answer, number of queries) -> render::Document
template <class Query, class DocumentOf>
[[nodiscard]] Reply simulate_all(const std::vector<Query>& queries, const SimulationOptions& options,
                                 const Context& context, const DocumentOf& document_of) {
  auto points = simulate_each(queries, queries.size(), options, context);
  return {.document = document_of(paired(queries, std::move(points.finished)), queries.size())};
}

/// The same for simulations of several loads each.
/// \param document_of  (pairs of query and answer, number of points) -> render::Document
template <class Query, class DocumentOf>
[[nodiscard]] Reply simulate_loads(const std::vector<Query>& queries, const SimulationOptions& options,
                                   const Context& context, const DocumentOf& document_of) {
  const std::size_t requested = queries.size() * queries.front().offered.values.size();
  auto networks = simulate_each(queries, requested, options, context);
  return {.document = document_of(paired(queries, std::move(networks.finished)), requested)};
}

/// The reply to searches for the saturation load.
template <class Query, class DocumentOf>
[[nodiscard]] Reply find_saturations(const std::vector<Query>& queries, const SimulationOptions& options,
                                     const Context& context, const DocumentOf& document_of) {
  return reply_of(queries, simulate_each(queries, queries.size(), options, context), document_of);
}

/// The reply of a comparison: status 1 if the prediction is too favorable beyond an interval.
/// \param points  pairs of query and answer, which has a tally
template <class Points>
[[nodiscard]] Reply judged(render::Document document, const Points& points) {
  Reply reply{.document = std::move(document)};
  for (const auto& point : points)
    if (point.second.tally.underestimates() > 0) reply.status = no_answer;
  return reply;
}

/// The same for queries that are run one by one.
/// \param document_of  as in simulate_all()
template <class Query, class DocumentOf>
[[nodiscard]] Reply judge_all(const std::vector<Query>& queries, const SimulationOptions& options,
                              const Context& context, const DocumentOf& document_of) {
  const auto points = paired(queries, simulate_each(queries, queries.size(), options, context).finished);
  return judged(document_of(points, queries.size()), points);
}

}  // namespace tailbound::cli
