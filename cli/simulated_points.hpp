#pragma once

#include <cli/show.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/answers/points.hpp>

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

/// The document of all the questions that a stop leaves answered, of which the last may be cut short.
/// \param document_of  (pairs of question and answer, number of questions) -> render::Document, which says
///                     itself what a stop has cut
/// \throws InvalidArgument  --checkpoint or --resume with several questions
/// \throws Stopped          before two batches of the first were done
template <class Question, class DocumentOf>
[[nodiscard]] render::Document simulate_points(const std::vector<Question>& questions,
                                               const SimulationOptions& options, const Context& context,
                                               const DocumentOf& document_of) {
  require_one_to_resume(options, questions.size());
  auto points = SimulationRun(options, context)([&](const answers::Run& run) {
    return answers::for_each_simulation(questions.size(), run, [&](std::size_t i, const answers::Run& part) {
      return answer(questions[i], part);
    });
  });
  return document_of(paired(questions, std::move(points.finished)), questions.size());
}

}  // namespace tailbound::cli
