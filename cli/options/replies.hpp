#pragma once

#include <cli/command.hpp>
#include <cli/options/simulation_options.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/render/documents/unanswered.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Runs the queries of a list and creates the reply of a command. A point of a list without an answer keeps
/// its row, which says why; the exit status is then 1, as for a sweep.
///
/// A command gives its document, a function of the pairs of query and answer, or of these and the number of
/// points (simulations); and the inputs of a query, which a row without an answer shows.
namespace tailbound::cli {

/// What is proved of a point whose computation was stopped.
struct Fallback {
  std::string words;  ///< "a buffer of 12 packets suffices (proved)"
  render::Cells cells;
};

namespace rows {

/// The loads of a network, if a query has several; otherwise null.
template <class Query>
[[nodiscard]] auto* offered_of(Query& query) {
  if constexpr (requires { query.offered.values; })
    return &query.offered;
  else if constexpr (requires { query.simulation.offered.values; })
    return &query.simulation.offered;
  else
    return static_cast<answers::OfferedLoads*>(nullptr);
}

template <class Query>
[[nodiscard]] std::size_t points_in(const Query& query) {
  const auto* const offered = offered_of(query);
  return offered == nullptr ? 1 : offered->values.size();
}

/// The query for one of its loads.
template <class Query>
[[nodiscard]] Query at_point(Query query, std::size_t place) {
  if (auto* const offered = offered_of(query)) offered->values = {offered->values.at(place)};
  return query;
}

template <class Answer>
[[nodiscard]] std::vector<answers::Refusal> refused_in(const Answer& answer) {
  if constexpr (requires { answer.refused; })
    return answer.refused;
  else if constexpr (requires { answer.simulation.refused; })
    return answer.simulation.refused;
  else
    return {};
}

/// Points of an answer: its loads.
template <class Answer>
[[nodiscard]] std::size_t points_of(const Answer& answer) {
  if constexpr (requires { answer.refused; })
    return answer.points.size();
  else if constexpr (requires { answer.simulation.refused; })
    return answer.simulation.points.size();
  else
    return 1;
}

/// Results of an answer in its document: its loads, or its flows.
template <class Answer>
[[nodiscard]] std::size_t results_of(const Answer& answer) {
  if constexpr (requires { answer.paths.flows; })
    return answer.flows.size();
  else
    return points_of(answer);
}

/// A list, taken apart.
template <class Query, class Answer>
struct List {
  std::vector<std::pair<Query, Answer>> answered;  ///< loads without an answer are removed
  std::vector<std::size_t> places;                 ///< of these queries
  std::vector<render::Unanswered> unanswered;
  std::optional<answers::Refusal> first;    ///< reason of the first of these
  std::size_t finished = 0, requested = 0;  ///< points, with and without an answer
};

template <class Query, class Answer, class InputsOf>
[[nodiscard]] List<Query, Answer> taken_apart(const std::vector<Query>& queries,
                                              std::vector<answers::Row<Answer>> rows,
                                              const InputsOf& inputs_of) {
  List<Query, Answer> list;
  std::size_t first = 0;  // result of the query
  const auto reject = [&](const Query& query, std::size_t at, const answers::Refusal& refusal) {
    list.unanswered.push_back(
        {.place = first + at, .inputs = inputs_of(at_point(query, at)), .reason = refusal.reason});
    if (!list.first) list.first = refusal;
    ++list.finished;
  };
  for (const Query& query : queries) list.requested += points_in(query);
  list.answered.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].answer) {
      for (std::size_t at = 0; at < points_in(queries[i]); ++at) reject(queries[i], at, rows[i].refusal);
      first += points_in(queries[i]);
      continue;
    }
    const std::vector<answers::Refusal> refused = refused_in(*rows[i].answer);
    auto& [query, answer] = list.answered.emplace_back(queries[i], *std::move(rows[i].answer));
    for (const answers::Refusal& each : refused) reject(queries[i], each.place, each);
    if (auto* const offered = offered_of(query))
      for (auto each = refused.rbegin(); each != refused.rend(); ++each)
        offered->values.erase(offered->values.begin() + static_cast<std::ptrdiff_t>(each->place));
    list.places.push_back(i);
    list.finished += points_of(answer);
    first += results_of(answer) + refused.size();
  }
  return list;
}

/// The rest of a list after a stop, as far as fallbacks are found in a moment.
template <class Query, class InputsOf, class FallbackOf>
void add_missing(std::vector<render::Unanswered>& rows, const std::vector<Query>& queries,
                 std::size_t finished, const InputsOf& inputs_of, const FallbackOf& fallback_of) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  for (std::size_t i = finished; i < queries.size() && std::chrono::steady_clock::now() < end; ++i)
    if (std::optional<Fallback> known = fallback_of(queries[i]))
      rows.push_back({.place = i,
                      .inputs = inputs_of(queries[i]),
                      .reason = known->words,
                      .missing = true,
                      .known = std::move(known->cells)});
}

/// The document of the answered points; marked if a stop has truncated the list.
template <class Query, class Answer, class DocumentOf>
[[nodiscard]] render::Document document_of_answered(List<Query, Answer>& list,
                                                    const DocumentOf& document_of) {
  if constexpr (std::invocable<const DocumentOf&, std::vector<std::pair<Query, Answer>>, std::size_t>) {
    return document_of(std::move(list.answered), list.requested - list.unanswered.size());
  } else {
    return document_of(std::move(list.answered));
  }
}

/// The headline of an answer that says no, as a clause.
[[nodiscard]] inline std::string verdict_of(const render::Document& document) {
  std::string text = document.headline.text();
  if (text.ends_with('.')) text.pop_back();
  return render::uncapitalized(std::move(text));
}

/// Does an answer compare a prediction that is too favorable beyond an interval?
template <class Query, class Answer>
[[nodiscard]] bool underestimates(const std::vector<std::pair<Query, Answer>>& answered) {
  if constexpr (requires(const Answer& answer) { answer.tally.underestimates(); })
    for (const auto& [query, answer] : answered)
      if (answer.tally.underestimates() > 0) return true;
  return false;
}

template <class Query, class Answer, class DocumentOf>
[[nodiscard]] Reply reply_of(List<Query, Answer> list, const DocumentOf& document_of) {
  Reply reply;
  const bool negative = underestimates(list.answered);
  reply.document = document_of_answered(list, document_of);
  if (negative) reply.complain(no_answer, verdict_of(reply.document));
  if (!list.unanswered.empty()) render::add_unanswered(reply.document, list.unanswered);
  render::add_assumptions(reply.document);
  if (list.finished < list.requested && !reply.document.stopped)
    render::mark_stopped(reply.document, list.finished, list.requested);
  if (!list.unanswered.empty() && !reply.document.stopped)
    reply.complain(no_answer, render::unanswered_in_words(reply.document));
  return reply;
}

}  // namespace rows

/// The reply to the finished points of a list, the first of `queries`.
/// \throws NoAnswer  no point has an answer: the reason of the first
template <class Query, class Answer, class DocumentOf, class InputsOf>
[[nodiscard]] Reply reply_of(const std::vector<Query>& queries, answers::Points<answers::Row<Answer>> points,
                             const DocumentOf& document_of, const InputsOf& inputs_of) {
  auto list = rows::taken_apart(queries, std::move(points.finished), inputs_of);
  if (list.answered.empty()) answers::reject(*list.first);
  return rows::reply_of(std::move(list), document_of);
}

/// Runs all queries as interruptible pieces, and shows the finished ones.
template <class Query, class DocumentOf, class InputsOf>
[[nodiscard]] Reply show_all(const std::vector<Query>& queries, const Context& context,
                             const DocumentOf& document_of, const InputsOf& inputs_of) {
  return reply_of(queries, answers::answer_rows(queries, analysis_run(context)), document_of, inputs_of);
}

/// The same; points that a stop left unfinished have a row with what is proved of them.
/// \param fallback_of  (query) -> std::optional<Fallback>
/// \param layout_of    () -> render::Layout, of a list without any answer
template <class Query, class DocumentOf, class InputsOf, class FallbackOf, class LayoutOf>
[[nodiscard]] Reply show_all(const std::vector<Query>& queries, const Context& context,
                             const DocumentOf& document_of, const InputsOf& inputs_of,
                             const FallbackOf& fallback_of, const LayoutOf& layout_of) {
  decltype(answers::answer_rows(queries, answers::Run())) points;
  try {
    points = answers::answer_rows(queries, analysis_run(context));
  } catch (const Stopped&) {
    if (queries.size() == 1) throw;
    points.stopped = true;
  }
  auto list = rows::taken_apart(queries, std::move(points.finished), inputs_of);
  if (points.stopped) rows::add_missing(list.unanswered, queries, list.finished, inputs_of, fallback_of);
  if (!list.answered.empty()) return rows::reply_of(std::move(list), document_of);
  if (list.unanswered.empty()) throw Stopped("stopped on request");
  if (!points.stopped) answers::reject(*list.first);
  return rows::reply_of(std::move(list), [&](const auto&) {
    return render::Document{
        .layout = std::make_shared<const render::Layout>(layout_of()),
        .headline = {},
        .results = {},
        .picture = []() -> render::Picture { throw NoAnswer("nothing to draw: no point is finished"); }};
  });
}

/// Status 1 if traffic is of a fitted model that is not trusted: the answer is shown, and is none for the
/// trace.
template <class Query>
[[nodiscard]] Reply if_trusted(const std::vector<Query>& queries, Reply reply) {
  for (const Query& query : queries)
    if (!query.traffic.trusted_fit.value_or(true)) {
      reply.complain(no_answer, "the traffic model is not trusted: it does not fit its trace");
      break;
    }
  return reply;
}

// --- simulations

/// \throws InvalidArgument  --checkpoint or --resume with several simulations
inline void require_one_to_resume(const SimulationOptions& options, std::size_t simulations) {
  if (simulations > 1)
    reject_with({&options.checkpoint, &options.resume}, "several points",
                "a checkpoint holds a single simulation; give every option one value (lists such as --loads "
                "have several by default)");
}

/// Finds bad input before anything is simulated. A point of several that cannot be simulated has its row
/// later.
/// \throws InvalidArgument;  NoAnswer of a single query
template <class Query>
void require_plans(const std::vector<Query>& queries) {
  for (std::size_t i = 0; i < queries.size(); ++i)
    static_cast<void>(answers::row_of(i, queries.size() == 1, [&] { return plan_of(queries[i]); }));
}

/// \throws NoAnswer  with its message, and the command that finds the saturation load
[[noreturn]] void reject_overloaded(const answers::Overloaded& overloaded);

/// The reply to simulations, one after the other, up to a stop; the last may be partial, which the document
/// reports itself. Status 1 also if a prediction is too favorable beyond an interval.
/// \throws InvalidArgument  --checkpoint or --resume with several simulations
/// \throws NoAnswer         no point has an answer; of a load that is not carried the message says how to
///                          find the saturation load
/// \throws Stopped          before two batches of the first were finished
template <class Query, class DocumentOf, class InputsOf>
[[nodiscard]] Reply simulate_all(const std::vector<Query>& queries, const SimulationOptions& options,
                                 const Context& context, const DocumentOf& document_of,
                                 const InputsOf& inputs_of) {
  std::size_t simulations = 0;
  for (const Query& query : queries) simulations += rows::points_in(query);
  require_one_to_resume(options, simulations);
  try {
    auto points = SimulationRun(options, context)([&](const answers::Run& run) {
      return answers::simulate_rows(queries.size(), run, [&](std::size_t i, const answers::Run& part) {
        return answer(queries[i], part);
      });
    });
    return reply_of(queries, std::move(points), document_of, inputs_of);
  } catch (const answers::Overloaded& overloaded) {
    reject_overloaded(overloaded);
  }
}

}  // namespace tailbound::cli
