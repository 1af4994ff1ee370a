#pragma once

#include <cli/show.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/answers/points.hpp>
#include <tailbound/answers/simulated_loads.hpp>

#include <cstddef>
#include <utility>
#include <vector>

/// Several simulations asked one after the other.
namespace tailbound::cli {

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

/// Their document, which says itself what a stop has cut.
/// \param document_of  (pairs of question and answer, number of questions) -> render::Document
template <class Question, class DocumentOf>
[[nodiscard]] render::Document simulate_points(const std::vector<Question>& questions,
                                               const SimulationOptions& options, const Context& context,
                                               const DocumentOf& document_of) {
  auto points = simulate_each(questions, questions.size(), options, context);
  return document_of(paired(questions, std::move(points.finished)), questions.size());
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

}  // namespace tailbound::cli
