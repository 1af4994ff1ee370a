#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/points/stored.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/run/threads.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Several queries computed one after another, so that a stop keeps the finished ones.
namespace tailbound::answers {

/// The points of a list, in the given order.
template <class Answer>
struct Points {
  std::vector<Answer> finished;  ///< at least one; a simulated last one may be partial, and says so
  bool stopped = false;          ///< on request: points are missing, or the last one is partial
};

/// The result of compute(), computed as one piece (Run::piece): it can be aborted although it does not check
/// run.stop. A copy of `compute` is called; what it refers to must outlive the call for as long as the
/// carrier of pieces requires.
/// \throws Stopped  a stop was requested before the end;  exceptions of compute()
template <class Compute>
[[nodiscard]] std::invoke_result_t<const Compute&> as_piece(const Run& run, const Compute& compute) {
  if (run.stop.stop_requested()) throw Stopped("stopped on request");
  const auto result = std::make_shared<std::optional<std::invoke_result_t<const Compute&>>>();
  const auto piece = [result, compute] { result->emplace(compute()); };
  if (!run.piece || run::on_worker())
    piece();
  else if (!run.piece(piece))
    throw Stopped("stopped on request");
  return std::move(**result);
}

/// The same, carried out by the executor of the run.
template <class Answer, class Compute>
[[nodiscard]] Points<Answer> points_of_executor(std::size_t count, const Run& run, const Compute& compute) {
  const run::Job job{
      .identity = "a list of " + std::to_string(count) + " points",
      .pieces = count,
      .work =
          [&compute, &run](std::size_t i, std::string_view, run::PieceMonitor&) {
            return run::Piece{to_bytes(as_piece(run, [compute, i] { return compute(i); })), true};
          },
      .alone = true,
      .done_before = {}};
  run::Controls controls{.stop = run.stop, .progress = {}, .checkpoint = {}};
  if (run.progress && count > 1)
    controls.progress = [&run](const run::Progress& progress) {
      run.progress(progress.done, progress.left.count());
    };
  const run::Outcome outcome = run.executor->carry_out(job, controls);
  Points<Answer> points;
  for (const run::Piece& piece : outcome.pieces) {
    if (!piece.finished) break;
    points.finished.push_back(from_bytes<Answer>(piece.bytes));
  }
  if (points.finished.size() == count) return points;
  if (points.finished.empty()) throw Stopped("stopped on request");
  points.stopped = true;
  if (run.cut) run.cut();
  return points;
}

/// compute(0), compute(1), .. compute(count - 1), each as one piece. A stop ends the list after the finished
/// points; the answer made of them must report that (Points::stopped).
/// \throws Stopped         before the first was finished;  exceptions of compute()
/// \throws run::MissingPart  some results belong to another part
template <class Compute>
[[nodiscard]] auto for_each_point(std::size_t count, const Run& run, const Compute& compute) {
  using Answer = std::invoke_result_t<const Compute&, std::size_t>;
  Points<Answer> points;
  const auto shared = std::make_shared<const Compute>(compute);
  if constexpr (is_stored<Answer>)
    if (run.executor != nullptr && count > 0)
      return points_of_executor<Answer>(count, run, [shared](std::size_t i) { return (*shared)(i); });
  for (std::size_t i = 0; i < count; ++i) {
    if (run.progress && count > 1) run.progress(static_cast<double>(i) / static_cast<double>(count), 0);
    try {
      points.finished.push_back(as_piece(run, [shared, i] { return (*shared)(i); }));
    } catch (const Stopped&) {
      if (points.finished.empty()) throw;
      points.stopped = true;
      if (run.cut) run.cut();
      break;
    }
  }
  return points;
}

/// The same for points that check for a stop themselves: simulate(i, run of that point). The last one may be
/// partial.
/// \throws Stopped         from the first point: too little of it was done;  exceptions of simulate()
/// \throws run::MissingPart  some results belong to another part; all points have been requested
template <class Simulate>
[[nodiscard]] auto for_each_simulation(std::size_t count, const Run& run, const Simulate& simulate) {
  Points<std::invoke_result_t<const Simulate&, std::size_t, const Run&>> points;
  bool elsewhere = false;
  for (std::size_t i = 0; i < count && !points.stopped; ++i) {
    Run part = part_of(run, i, count);
    part.cut = [&points, &run] {
      points.stopped = true;
      if (run.cut) run.cut();
    };
    try {
      if (i > 0 && run.stop.stop_requested()) throw Stopped("stopped on request");
      points.finished.push_back(simulate(i, std::as_const(part)));
    } catch (const Stopped&) {
      if (points.finished.empty() && !elsewhere) throw;
      part.cut();
    } catch (const run::MissingPart&) {
      elsewhere = true;
    }
  }
  if (elsewhere) throw run::MissingPart();
  return points;
}

/// answer(query, run) for each query: an analysis, each one piece.
/// \throws as for_each_point
template <class Query>
[[nodiscard]] auto answer_all(const std::vector<Query>& queries, const Run& run) {
  return for_each_point(queries.size(), run,
                        [&queries, &run](std::size_t i) { return answer(queries[i], run); });
}

/// A point of a list: its answer, or the reason why it has none.
template <class Answer>
struct Row {
  static constexpr bool stored = Answer::stored;
  std::optional<Answer> answer{};
  std::string refusal{};
  bool load_too_high = false;  ///< a lower load would have an answer
};

/// The same as answer_all(), but a point of several without an answer keeps its place.
/// \throws as answer_all(); NoAnswer only for a single query
template <class Query>
[[nodiscard]] auto answer_rows(const std::vector<Query>& queries, const Run& run) {
  using Answer = decltype(answer(queries.front(), run));
  return for_each_point(queries.size(), run, [&queries, &run](std::size_t i) {
    Row<Answer> row;
    try {
      row.answer.emplace(answer(queries[i], run));
    } catch (const Stopped&) {
      throw;
    } catch (const NoAnswer& none) {
      if (queries.size() == 1) throw;
      row.refusal = none.what();
      row.load_too_high = dynamic_cast<const LoadTooHigh*>(&none) != nullptr;
    }
    return row;
  });
}

}  // namespace tailbound::answers
