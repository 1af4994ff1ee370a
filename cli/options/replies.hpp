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
template <class Question, class Answer>
[[nodiscard]] std::vector<std::pair<Question, Answer>> paired(const std::vector<Question>& questions,
                                                              std::vector<Answer> finished) {
  std::vector<std::pair<Question, Answer>> pairs;
  for (std::size_t i = 0; i < finished.size(); ++i) pairs.emplace_back(questions[i], std::move(finished[i]));
  return pairs;
}

/// The document of the finished points, marked if a stop has truncated it.
/// \param document_of  (pairs of query and answer) -> render::Document
template <class Question, class Answer, class DocumentOf>
[[nodiscard]] Reply reply_of(const std::vector<Question>& questions, answers::Points<Answer> points,
                             const DocumentOf& document_of) {
  const std::size_t finished = points.finished.size();
  render::Document document = document_of(paired(questions, std::move(points.finished)));
  if (points.stopped) render::mark_stopped(document, finished, questions.size());
  return {.document = std::move(document)};
}

/// Runs all queries as interruptible pieces, and shows the finished ones.
template <class Question, class DocumentOf>
[[nodiscard]] Reply show_all(const std::vector<Question>& questions, const Context& context,
                             const DocumentOf& document_of) {
  return reply_of(questions, answers::answer_all(questions, analysis_run(context)), document_of);
}

/// The same for queries with several loads of one network each.
/// \param ask  (query, run) -> answer, whose points a stop may have truncated
template <class Question, class Ask, class DocumentOf>
[[nodiscard]] Reply show_networks(const std::vector<Question>& questions, const Context& context,
                                  const Ask& ask, const DocumentOf& document_of) {
  const answers::Run run = analysis_run(context);
  auto networks =
      answers::for_each_point(questions.size(), run, [&](std::size_t i) { return ask(questions[i], run); });
  std::size_t finished = 0, asked = 0;
  for (const Question& question : questions) asked += question.offered.values.size();
  for (const auto& network : networks.finished) finished += network.points.size();
  render::Document document = document_of(paired(questions, std::move(networks.finished)));
  if (finished < asked) render::mark_stopped(document, finished, asked);
  return {.document = std::move(document)};
}

// --- simulations

/// \throws InvalidArgument  --checkpoint or --resume with several simulations
inline void require_one_to_resume(const SimulationOptions& options, std::size_t simulations) {
  for (const auto& [given, name] : {std::pair{options.checkpoint.has_value(), "--checkpoint"},
                                    std::pair{options.resume.has_value(), "--resume"}})
    if (given && simulations > 1)
      throw InvalidArgument(name, "given with several points", "given with one: it holds one simulation");
}

/// \throws NoAnswer  with its message, and the command that finds the saturation load
[[noreturn]] void refuse_overloaded(const answers::Overloaded& overloaded);

/// The answers to all queries up to a stop; the last may be partial.
/// \param simulations  number of simulations in all queries
/// \throws InvalidArgument  --checkpoint or --resume with several simulations
/// \throws NoAnswer         a load is not carried; the message says how to find the saturation load
/// \throws Stopped          before two batches of the first were finished
template <class Question>
[[nodiscard]] auto simulate_each(const std::vector<Question>& questions, std::size_t simulations,
                                 const SimulationOptions& options, const Context& context) {
  require_one_to_resume(options, simulations);
  try {
    return SimulationRun(options, context)([&](const answers::Run& run) {
      return answers::for_each_simulation(
          questions.size(), run,
          [&](std::size_t i, const answers::Run& part) { return answer(questions[i], part); });
    });
  } catch (const answers::Overloaded& overloaded) {
    refuse_overloaded(overloaded);
  }
}

/// Their reply; the document reports a stop itself.
/// \param document_of  (pairs of query and answer, number of queries) -> render::Document
template <class Question, class DocumentOf>
[[nodiscard]] Reply simulate_all(const std::vector<Question>& questions, const SimulationOptions& options,
                                 const Context& context, const DocumentOf& document_of) {
  auto points = simulate_each(questions, questions.size(), options, context);
  return {.document = document_of(paired(questions, std::move(points.finished)), questions.size())};
}

/// The same for simulations of several loads each.
/// \param document_of  (pairs of query and answer, number of points) -> render::Document
template <class Question, class DocumentOf>
[[nodiscard]] Reply simulate_loads(const std::vector<Question>& questions, const SimulationOptions& options,
                                   const Context& context, const DocumentOf& document_of) {
  const std::size_t asked = questions.size() * questions.front().offered.values.size();
  auto networks = simulate_each(questions, asked, options, context);
  return {.document = document_of(paired(questions, std::move(networks.finished)), asked)};
}

/// The reply to searches for the saturation load.
template <class Question, class DocumentOf>
[[nodiscard]] Reply find_saturations(const std::vector<Question>& questions, const SimulationOptions& options,
                                     const Context& context, const DocumentOf& document_of) {
  return reply_of(questions, simulate_each(questions, questions.size(), options, context), document_of);
}

/// The reply of a comparison: status 1 if the prediction is too favorable beyond an interval.
/// \param points  pairs of query and answer, which has a tally
template <class Points>
[[nodiscard]] Reply judged(render::Document document, const Points& points) {
  Reply reply{.document = std::move(document)};
  for (const auto& point : points)
    if (point.second.tally.optimistic() > 0) reply.status = no_answer;
  return reply;
}

/// The same for queries that are run one by one.
/// \param document_of  as in simulate_all()
template <class Question, class DocumentOf>
[[nodiscard]] Reply judge_all(const std::vector<Question>& questions, const SimulationOptions& options,
                              const Context& context, const DocumentOf& document_of) {
  const auto points =
      paired(questions, simulate_each(questions, questions.size(), options, context).finished);
  return judged(document_of(points, questions.size()), points);
}

}  // namespace tailbound::cli
