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
/// \param document_of  (pairs of query and answer, number of queries, their places in `queries`)
///                     -> render::Document
/// \throws InvalidArgument  also: --checkpoint or --resume
template <class Query, class DocumentOf, class InputsOf>
[[nodiscard]] Reply simulate_to_width(const std::vector<Query>& queries, const SimulationOptions& options,
                                      const Context& context, const DocumentOf& document_of,
                                      const InputsOf& inputs_of) {
  reject_with({&options.checkpoint, &options.resume}, "--half-width",
              "a checkpoint belongs to a run of fixed length");
  answers::PrecisionTarget target{.half_width = options.half_width.value()};
  if (options.replications) target.max_replications = queries.front().length.replications;
  static_cast<void>(answers::max_looks(target));
  std::vector<answers::PrecisionReached> reached;
  auto points = SimulationRun(options, context)([&](const answers::Run& run) {
    return answers::simulate_rows(queries.size(), run, [&](std::size_t i, const answers::Run& part) {
      auto [found, how] = answers::answer_to_width(
          queries[i], target,
          [&](const Query& query, const auto& answer) {
            return render::wide_intervals(
                document_of(std::vector{std::pair{query, answer}}, 1, std::vector<std::size_t>{i}),
                target.half_width);
          },
          part);
      reached.push_back(std::move(how));
      return std::move(found);
    });
  });
  auto list = rows::taken_apart(queries, std::move(points.finished), inputs_of);
  if (list.answered.empty()) answers::reject(*list.first);
  for (std::size_t i = 0; i < reached.size(); ++i) {  // the simulated length, for output and plots
    list.answered[i].first.confidence = reached[i].confidence_of_each;
    list.answered[i].first.length.replications = reached[i].replications;
  }
  const std::vector<std::size_t> places = list.places;
  return rows::reply_of(std::move(list), [&](auto answered, std::size_t requested) {
    render::Document document = document_of(std::move(answered), requested, places);
    render::add_precision(document, target, reached, queries.front().confidence);
    return document;
  });
}

/// Until --half-width is reached if it is given, otherwise with the given length.
/// \param document_of  (pairs of query and answer, number of queries) -> render::Document
template <class Query, class DocumentOf, class InputsOf>
[[nodiscard]] Reply simulate_requested(const std::vector<Query>& queries, const SimulationOptions& options,
                                       const Context& context, const DocumentOf& document_of,
                                       const InputsOf& inputs_of) {
  if (!options.half_width) return simulate_all(queries, options, context, document_of, inputs_of);
  return simulate_to_width(
      queries, options, context,
      [&](auto points, std::size_t requested, const std::vector<std::size_t>&) {
        return document_of(std::move(points), requested);
      },
      inputs_of);
}

/// The same for networks with several loads each.
template <class Query, class DocumentOf, class InputsOf>
[[nodiscard]] Reply simulate_requested_loads(const std::vector<Query>& queries,
                                             const SimulationOptions& options, const Context& context,
                                             const DocumentOf& document_of, const InputsOf& inputs_of) {
  if (!options.half_width) return simulate_all(queries, options, context, document_of, inputs_of);
  return simulate_to_width(
      answers::each_load(queries), options, context,
      [&](auto points, std::size_t requested, const std::vector<std::size_t>& places) {
        return document_of(answers::joined_loads(std::move(points), places, queries), requested);
      },
      inputs_of);
}

}  // namespace tailbound::cli
