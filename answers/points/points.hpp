#pragma once

#include <tailbound/answers/points/refusal.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/points/stored.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/run/threads.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Several queries, so that a stop keeps the finished ones.
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

/// compute(i), or compute(i, run) with the run of a point.
template <class Compute>
[[nodiscard]] auto computed_point(const Compute& compute, std::size_t i, const Run& run) {
  if constexpr (std::is_invocable_v<const Compute&, std::size_t, const Run&>)
    return compute(i, run);
  else
    return compute(i);
}

/// The points on all cores, as one piece. Answers are shared with it, so that an aborted one leaves the
/// finished ones.
template <class Answer, class Compute>
[[nodiscard]] Points<Answer> points_of_threads(std::size_t count, const Run& run,
                                               const std::shared_ptr<const Compute>& compute) {
  struct List {
    explicit List(std::size_t size) : answers(size), finished(size) {}
    std::vector<std::optional<Answer>> answers;
    std::vector<std::atomic<bool>> finished;
  };
  const auto list = std::make_shared<List>(count);
  const auto piece = [list, compute, count, progress = run.progress, part = run_of_point(run)] {
    const int threads = run::all_cores();
    // Messages between threads take longer than the shortest points.
    const std::size_t together = std::max<std::size_t>(1, count / (64 * static_cast<std::size_t>(threads)));
    const run::Job job{.identity = "a list of " + std::to_string(count) + " points",
                       .pieces = (count + together - 1) / together,
                       .work =
                           [&](std::size_t number, std::string_view, run::PieceMonitor&) {
                             const std::size_t end = std::min(count, (number + 1) * together);
                             for (std::size_t i = number * together; i < end; ++i) {
                               if (part.stop.stop_requested()) return run::Piece{};
                               try {
                                 list->answers[i].emplace(computed_point(*compute, i, part));
                               } catch (const Stopped&) {
                                 if (part.stop.stop_requested()) return run::Piece{};
                                 throw;
                               }
                               list->finished[i] = true;
                             }
                             return run::Piece{.finished = true};
                           },
                       .attentive = false,
                       .done_before = {}};
    run::Controls controls{.stop = part.stop, .progress = {}, .checkpoint = {}};
    if (progress)
      controls.progress = [&progress](const run::Progress& so_far) {
        progress(so_far.done, so_far.left.count());
      };
    static_cast<void>(run::Threads(threads).carry_out(job, controls));
  };
  if (run.stop.stop_requested()) throw Stopped("stopped on request");
  if (!run.piece)
    piece();
  else
    static_cast<void>(run.piece(piece));
  Points<Answer> points;
  for (std::size_t i = 0; i < count && list->finished[i]; ++i)
    points.finished.push_back(std::move(*list->answers[i]));
  if (points.finished.size() == count) return points;
  if (points.finished.empty()) throw Stopped("stopped on request");
  points.stopped = true;
  if (run.cut) run.cut();
  return points;
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
      .attentive = false,
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

/// compute(0), compute(1), .. compute(count - 1), or compute(i, run of that point): on all cores, by several
/// threads at a time. A stop ends the list after the finished points; the answer made of them must report
/// that (Points::stopped).
/// \throws Stopped         before the first was finished;  exceptions of compute(), that of the first point
/// \throws run::MissingPart  some results belong to another part
template <class Compute>
[[nodiscard]] auto for_each_point(std::size_t count, const Run& run, const Compute& compute) {
  using Answer = decltype(computed_point(compute, std::size_t{}, run));
  Points<Answer> points;
  const auto shared = std::make_shared<const Compute>(compute);
  if constexpr (is_stored<Answer>)
    if (run.executor != nullptr && count > 0)
      return points_of_executor<Answer>(
          count, run, [shared, &run](std::size_t i) { return computed_point(*shared, i, run); });
  if (run.executor == nullptr && count > 1 && !run::on_worker() && run::all_cores() > 1)
    return points_of_threads<Answer>(count, run, shared);
  for (std::size_t i = 0; i < count; ++i) {
    if (run.progress && count > 1) run.progress(static_cast<double>(i) / static_cast<double>(count), 0);
    try {
      points.finished.push_back(as_piece(run, [shared, i, &run] { return computed_point(*shared, i, run); }));
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

/// A point of a list: its answer, or the reason why it has none.
template <class Answer>
struct Row {
  static constexpr bool stored = [] {
    if constexpr (requires { Answer::stored; })
      return Answer::stored;
    else
      return false;
  }();
  std::optional<Answer> answer{};
  Refusal refusal{};
};

/// \param alone  the only point: its error is passed on
/// \throws NoAnswer  only if alone;  Stopped, and errors of the input
template <class AnswerOf>
[[nodiscard]] auto row_of(std::size_t place, bool alone, const AnswerOf& answer_of) {
  Row<std::invoke_result_t<const AnswerOf&>> row;
  try {
    row.answer.emplace(answer_of());
  } catch (const Stopped&) {
    throw;
  } catch (const NoAnswer& none) {
    if (alone) throw;
    row.refusal = {.place = place,
                   .reason = none.what(),
                   .load_too_high = dynamic_cast<const LoadTooHigh*>(&none) != nullptr};
  }
  return row;
}

/// answer(query, run) for each query: an analysis, each one piece. A point of several without an answer keeps
/// its place.
/// \throws as for_each_point; NoAnswer only for a single query
template <class Query>
[[nodiscard]] auto answer_rows(const std::vector<Query>& queries, const Run& run) {
  return for_each_point(queries.size(), run, [&queries](std::size_t i, const Run& part) {
    return row_of(i, queries.size() == 1, [&] { return answer(queries[i], part); });
  });
}

/// The same for simulations: simulate(i, run of that point).
/// \throws as for_each_simulation; NoAnswer only for a single point
template <class Simulate>
[[nodiscard]] auto simulate_rows(std::size_t count, const Run& run, const Simulate& simulate) {
  return for_each_simulation(count, run, [&](std::size_t i, const Run& part) {
    return row_of(i, count == 1, [&] { return simulate(i, part); });
  });
}

/// The points of several loads of a network.
template <class Point>
struct AnsweredLoads {
  std::vector<Point> points;     ///< in the order of the loads
  std::vector<Refusal> refused;  ///< loads without an answer
  bool stopped = false;          ///< before all loads were done; the last point may be partial
};

/// \throws LoadTooHigh, NoAnswer  no load has an answer: the reason of the first
template <class Point>
[[nodiscard]] AnsweredLoads<Point> answered_loads(Points<Row<Point>> rows) {
  AnsweredLoads<Point> loads{.points = {}, .refused = {}, .stopped = rows.stopped};
  for (Row<Point>& row : rows.finished)
    if (row.answer)
      loads.points.push_back(*std::move(row.answer));
    else
      loads.refused.push_back(std::move(row.refusal));
  if (loads.points.empty() && !loads.refused.empty()) reject(loads.refused.front());
  return loads;
}

}  // namespace tailbound::answers
