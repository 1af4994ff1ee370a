#pragma once

#include <cli/command.hpp>
#include <cli/options/simulation_options.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <utility>
#include <vector>

/// Questions answered point by point, and the reply of a command made of them.
namespace tailbound::cli {

/// What was finished, each with its question: pairs as documents take them.
template <class Question, class Answer>
[[nodiscard]] std::vector<std::pair<Question, Answer>> paired(const std::vector<Question>& questions,
                                                              std::vector<Answer> finished) {
  std::vector<std::pair<Question, Answer>> pairs;
  for (std::size_t i = 0; i < finished.size(); ++i) pairs.emplace_back(questions[i], std::move(finished[i]));
  return pairs;
}

/// The document of what is finished; of what a stop has cut, it says so.
/// \param document_of  (pairs of question and answer) -> render::Document
template <class Question, class Answer, class DocumentOf>
[[nodiscard]] Reply reply_of(const std::vector<Question>& questions, answers::Points<Answer> points,
                             const DocumentOf& document_of) {
  const std::size_t finished = points.finished.size();
  render::Document document = document_of(paired(questions, std::move(points.finished)));
  if (points.stopped) render::mark_stopped(document, finished, questions.size());
  return {.document = std::move(document)};
}

/// Asks all the questions, as pieces that Ctrl-C ends, and shows what is finished.
template <class Question, class DocumentOf>
[[nodiscard]] Reply show_all(const std::vector<Question>& questions, const Context& context,
                             const DocumentOf& document_of) {
  return reply_of(questions, answers::answer_all(questions, analysis_run(context)), document_of);
}

/// The same for questions that ask for several loads of one network each.
/// \param ask  (question, run) -> answer, whose points a stop may have cut
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

/// \throws NoAnswer  its message, and what finds the greatest load that is carried
[[noreturn]] void refuse_overloaded(const answers::Overloaded& overloaded);

/// The answers to all the questions that a stop leaves, of which the last may be cut short.
/// \param simulations  in all the questions
/// \throws InvalidArgument  --checkpoint or --resume with several simulations
/// \throws NoAnswer         a load is not carried: it says how to find the greatest that is
/// \throws Stopped          before two batches of the first were done
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

/// Their reply; the document says itself what a stop has cut.
/// \param document_of  (pairs of question and answer, number of questions) -> render::Document
template <class Question, class DocumentOf>
[[nodiscard]] Reply simulate_all(const std::vector<Question>& questions, const SimulationOptions& options,
                                 const Context& context, const DocumentOf& document_of) {
  auto points = simulate_each(questions, questions.size(), options, context);
  return {.document = document_of(paired(questions, std::move(points.finished)), questions.size())};
}

/// The reply to simulations of several loads each, likewise.
/// \param document_of  (pairs of question and answer, number of points) -> render::Document
template <class Question, class DocumentOf>
[[nodiscard]] Reply simulate_loads(const std::vector<Question>& questions, const SimulationOptions& options,
                                   const Context& context, const DocumentOf& document_of) {
  const std::size_t asked = questions.size() * questions.front().offered.values.size();
  auto networks = simulate_each(questions, asked, options, context);
  return {.document = document_of(paired(questions, std::move(networks.finished)), asked)};
}

/// The reply to searches of the greatest load.
template <class Question, class DocumentOf>
[[nodiscard]] Reply find_saturations(const std::vector<Question>& questions, const SimulationOptions& options,
                                     const Context& context, const DocumentOf& document_of) {
  return reply_of(questions, simulate_each(questions, questions.size(), options, context), document_of);
}

/// The reply of a comparison: status 1 where the model is optimistic beyond an interval.
/// \param points  pairs of question and answer, which has a tally
template <class Points>
[[nodiscard]] Reply judged(render::Document document, const Points& points) {
  Reply reply{.document = std::move(document)};
  for (const auto& point : points)
    if (point.second.tally.optimistic() > 0) reply.status = no_answer;
  return reply;
}

/// The same for questions that are answered one by one.
/// \param document_of  as of simulate_all()
template <class Question, class DocumentOf>
[[nodiscard]] Reply judge_all(const std::vector<Question>& questions, const SimulationOptions& options,
                              const Context& context, const DocumentOf& document_of) {
  const auto points =
      paired(questions, simulate_each(questions, questions.size(), options, context).finished);
  return judged(document_of(points, questions.size()), points);
}

}  // namespace tailbound::cli
