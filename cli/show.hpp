#pragma once

#include <cli/command.hpp>
#include <tailbound/answers/points.hpp>
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

/// Asks all the questions, as pieces that Ctrl-C ends, and shows what is finished.
/// \param document_of  (pairs of question and answer) -> render::Document
template <class Question, class DocumentOf>
[[nodiscard]] Reply show_all(const std::vector<Question>& questions, const Context& context,
                             const DocumentOf& document_of) {
  const answers::Run run = analysis_run(context);
  auto points = answers::answer_all(questions, run);
  const std::size_t finished = points.finished.size();
  render::Document document = document_of(paired(questions, std::move(points.finished)));
  if (points.stopped) render::mark_stopped(document, finished, questions.size());
  return {.document = std::move(document)};
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

}  // namespace tailbound::cli
