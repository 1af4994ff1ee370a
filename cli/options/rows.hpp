#pragma once

#include <cli/command.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/unanswered.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Lists in which single points may have no answer.
namespace tailbound::cli {

/// What is proved of a point whose computation was stopped.
struct Fallback {
  std::string words;  ///< "a buffer of 12 packets suffices (proved)"
  render::Cells cells;
};

/// How a command shows the points of its list.
template <class DocumentOf, class InputsOf, class Query>
struct RowsShown {
  DocumentOf document;  ///< (pairs of query and answer, at least one) -> render::Document
  InputsOf inputs;      ///< (query) -> render::Cells
  /// Of a stopped point; empty if nothing is known of any.
  std::function<std::optional<Fallback>(const Query&)> fallback;
  /// Of a list without any answer.
  std::function<render::Layout()> layout = {};
};

template <class Query>
[[nodiscard]] std::function<std::optional<Fallback>(const Query&)> no_fallback() {
  return {};
}

namespace rows {

/// The rest of a list after a stop, as far as fallbacks are found in a moment.
template <class Query, class Shown>
void add_missing(std::vector<render::Unanswered>& rows, const std::vector<Query>& queries,
                 std::size_t finished, const Shown& shown) {
  if (!shown.fallback) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  for (std::size_t i = finished; i < queries.size() && std::chrono::steady_clock::now() < end; ++i)
    if (std::optional<Fallback> known = shown.fallback(queries[i]))
      rows.push_back({.place = i,
                      .inputs = shown.inputs(queries[i]),
                      .reason = known->words,
                      .missing = true,
                      .known = std::move(known->cells)});
}

}  // namespace rows

/// Runs all queries as interruptible pieces. A point of several without an answer keeps its row, which
/// gives the
/// reason; the exit status is then 1, as for a sweep.
/// \throws NoAnswer  no point has an answer: the reason of the first
template <class Query, class DocumentOf, class InputsOf>
[[nodiscard]] Reply show_rows(const std::vector<Query>& queries, const Context& context,
                              const RowsShown<DocumentOf, InputsOf, Query>& shown) {
  decltype(answers::answer_rows(queries, answers::Run())) points;
  try {
    points = answers::answer_rows(queries, analysis_run(context));
  } catch (const Stopped&) {
    if (queries.size() == 1 || !shown.fallback) throw;
    points.stopped = true;
  }
  std::vector<std::pair<Query, typename std::decay_t<decltype(*points.finished.front().answer)>>> answered;
  std::vector<render::Unanswered> unanswered;
  const std::size_t finished = points.finished.size();
  for (std::size_t i = 0; i < finished; ++i) {
    if (auto& row = points.finished[i]; row.answer)
      answered.emplace_back(queries[i], *std::move(row.answer));
    else
      unanswered.push_back({.place = i, .inputs = shown.inputs(queries[i]), .reason = row.refusal});
  }
  if (points.stopped) rows::add_missing(unanswered, queries, finished, shown);
  if (answered.empty() && (!points.stopped || unanswered.empty())) {
    if (unanswered.empty()) throw Stopped("stopped on request");
    if (points.finished.front().load_too_high) throw LoadTooHigh(unanswered.front().reason);
    throw NoAnswer(unanswered.front().reason);
  }
  Reply reply;
  if (answered.empty())
    reply.document = {
        .layout = std::make_shared<const render::Layout>(shown.layout()),
        .headline = {},
        .results = {},
        .picture = []() -> render::Picture { throw NoAnswer("nothing to draw: no point is finished"); }};
  else
    reply.document = shown.document(answered);
  if (!unanswered.empty()) {
    render::add_unanswered(reply.document, unanswered);
    reply.status = no_answer;
  }
  render::add_assumptions(reply.document);
  if (points.stopped) render::mark_stopped(reply.document, finished, queries.size());
  return reply;
}

}  // namespace tailbound::cli
