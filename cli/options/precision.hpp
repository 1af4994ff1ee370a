#pragma once

#include <cli/options/options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/simulation/precision.hpp>
#include <tailbound/render/documents/parts/precision.hpp>

/// Simulations that continue until their intervals are narrow enough.
namespace tailbound::cli {

/// --half-width
inline void add_precision_option(OptionTable& table, SimulationOptions& options) {
  table.add(options.precision_rows);
}

/// The reply to queries with a length and a confidence, each simulated until --half-width is reached.
/// \param document_of  (pairs of query and answer, number of queries) -> render::Document
/// \throws InvalidArgument  also: --checkpoint or --resume
template <class Query, class DocumentOf>
[[nodiscard]] Reply simulate_to_width(const std::vector<Query>& queries, const SimulationOptions& options,
                                      const Context& context, const DocumentOf& document_of) {
  reject_with({&options.checkpoint, &options.resume}, "--half-width",
              "a checkpoint belongs to a run of fixed length");
  answers::PrecisionTarget target{.half_width = options.half_width.value()};
  if (options.replications) target.max_replications = queries.front().length.replications;
  static_cast<void>(answers::max_looks(target));
  std::vector<answers::PrecisionReached> reached;
  auto points = SimulationRun(options, context)([&](const answers::Run& run) {
    return answers::for_each_simulation(queries.size(), run, [&](std::size_t i, const answers::Run& part) {
      auto [found, how] = answers::answer_to_width(
          queries[i], target,
          [&](const Query& query, const auto& answer) {
            return render::wide_intervals(document_of(std::vector{std::pair{query, answer}}, 1),
                                          target.half_width);
          },
          part);
      reached.push_back(std::move(how));
      return std::move(found);
    });
  });
  // With the simulated length, for output and plots.
  std::vector<Query> requested = queries;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    requested[i].confidence = reached[i].confidence_of_each;
    requested[i].length.replications = reached[i].replications;
  }
  render::Document document = document_of(paired(requested, std::move(points.finished)), queries.size());
  render::add_precision(document, target, reached, queries.front().confidence);
  return {.document = std::move(document)};
}

/// Until --half-width is reached if it is given, otherwise with the given length.
template <class Query, class DocumentOf>
[[nodiscard]] Reply simulate_requested(const std::vector<Query>& queries, const SimulationOptions& options,
                                       const Context& context, const DocumentOf& document_of) {
  return options.half_width ? simulate_to_width(queries, options, context, document_of)
                            : simulate_all(queries, options, context, document_of);
}

}  // namespace tailbound::cli
