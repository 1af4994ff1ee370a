#include <cli/commands.hpp>
#include <cli/commands/delays/delay_query.hpp>
#include <cli/commands/delays/fabric_delays.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/render/documents/delay/delay.hpp>
#include <tailbound/render/documents/delay/load_scale.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

/// A single query checks for a stop itself, unless an executor computes it as one piece, and may be partial.
template <class Query>
auto answered_each(const std::vector<Query>& queries, const answers::Run& run) {
  const auto answered = [&](std::size_t i, const answers::Run& part) {
    return answers::answer(queries[i], part);
  };
  if (run.executor == nullptr && queries.size() == 1) return answers::simulate_rows(1, run, answered);
  return answers::for_each_point(queries.size(), run, [&](std::size_t i, const answers::Run& part) {
    return answers::row_of(i, queries.size() == 1, [&] {
      auto answer = answered(i, part);
      if constexpr (requires { answer.stopped; })
        if (answer.stopped && queries.size() > 1) throw Stopped("stopped on request");
      return answer;
    });
  });
}

Reply reply_to_delay(const DelayOptions& options, const Context& context) {
  std::vector<answers::DelayQuery> queries = read_delay_queries(options);
  const std::vector<std::string> refused = without_overloaded_classes(
      queries,
      [](const answers::DelayQuery& query) -> std::optional<OfferedClass> {
        const auto* tree = std::get_if<answers::TreeTopology>(&query.topology);
        if (tree == nullptr) return std::nullopt;
        return offered_class(tree->classes, tree->priority);
      },
      "buffer --criterion loss gives what a finite buffer loses");
  Reply reply = reply_of(
      queries, answered_each(queries, analysis_run(context)),
      [](auto points) { return render::document(std::move(points)); },
      [](const answers::DelayQuery& query) { return render::inputs_of(query); });
  std::vector<std::string>& notes = reply.document.notes;
  notes.insert(notes.end(), refused.begin(), refused.end());
  return reply;
}

Reply reply_to_load_scale(const DelayOptions& options, const Context& context) {
  const std::vector<answers::LoadScaleQuery> queries = read_load_scale_queries(options);
  if (context.draws && queries.size() < 2)
    throw needs("--plot", "several points",
                "give --within, --percentiles, --drop, --capacity or --uniform a list");
  return reply_of(
      queries, answered_each(queries, analysis_run(context)),
      [](auto points) { return render::document(std::move(points)); },
      [](const answers::LoadScaleQuery& query) { return render::inputs_of(query); });
}

Reply reply_to_reorder(const DelayOptions& options, const Context& context) {
  if (context.draws) throw not_allowed_with("--plot", "--delays", "the delays are given");
  return show_all(
      read_reorder_queries(options), context, [](const auto& points) { return render::document(points); },
      [](const answers::ReorderQuery& query) { return render::inputs_of(query); });
}

Reply answer(const DelayOptions& options, const Context& context) {
  if (options.delays) return reply_to_reorder(options, context);
  if (options.solve) return reply_to_load_scale(options, context);
  if (auto reply = reply_to_fabric(options, context)) return *std::move(reply);
  return reply_to_delay(options, context);
}

}  // namespace

Command delay_command() {
  return command_of<DelayOptions>({.name = "delay",
                                   .purpose = "end-to-end delay percentiles",
                                   .work = Work::points,
                                   .draws = true,
                                   .declare = declare,
                                   .answer = answer,
                                   .layout = [] { return render::with_status(render::delay_layout()); },
                                   .example = {{"--radix", "16"},
                                               {"--levels", "3"},
                                               {"--load", "0.8"},
                                               {"--percentiles", "50,99,99.99,99.9999"}}});
}

}  // namespace tailbound::cli
