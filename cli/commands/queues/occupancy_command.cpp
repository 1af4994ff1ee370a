#include <cli/commands.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/render/documents/buffer/occupancy.hpp>

#include <optional>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::OccupancyQuery;

/// As typed; empty if not given.
struct OccupancyOptions {
  TrafficOptions traffic;
  AccuracyOptions accuracy;
  UnitOptions units;
  std::optional<std::string> levels, until;
};

std::variant<answers::Levels, answers::Until> read_levels(const OccupancyOptions& options) {
  if (options.levels && options.until)
    throw not_allowed_with("--levels", "--until", "each defines the levels");
  if (options.until) {
    const numeric::Rational tail = parse_share(*options.until, "--until");
    if (tail <= 0 || tail >= 1)
      throw InvalidArgument("--until", *options.until, "greater than 0 and less than 1");
    return answers::Until{tail};
  }
  if (!options.levels)
    throw missing("--levels", "give queue lengths, such as --levels 0,10,100 or 0:200:1, or --until EPS");
  answers::Levels levels;
  for (const numeric::Rational& entry : parse_list(*options.levels, "--levels", OccupancyQuery::max_levels))
    levels.emplace_back(to_integer(entry, "--levels", 0, answers::BufferQuery::deepest));
  return levels;
}

Reply answer(const OccupancyOptions& options, const Context& context) {
  const auto levels = read_levels(options);
  const queue::Accuracy accuracy = read_accuracy(options.accuracy);
  const answers::Units units = read_units(options.units);
  std::vector<OccupancyQuery> queries;
  for (const answers::Traffic& traffic : read_traffics(options.traffic))
    queries.push_back({.traffic = traffic, .levels = levels, .accuracy = accuracy});
  return if_trusted(queries,
                    show_all(
                        queries, context, [&](const auto& points) { return render::document(points, units); },
                        [&](const OccupancyQuery& query) { return render::inputs_of(query, units); }));
}

void declare(OptionTable& table, OccupancyOptions& options) {
  add_traffic_options(table, options.traffic);
  const OptionGroup query(table, "Levels");
  query.add("--levels", options.levels, "LIST",
            "queue lengths n of P(Q > n): 0,10,100 or 0:200:1.\nThey count the packet in service",
            must_be(numeric::integers_in_words(0, answers::BufferQuery::deepest)));
  query.add("--until", options.until, "EPS", "all levels from 0 to the first with P(Q > n) <= EPS",
            must_be("greater than 0 and less than 1", powers_of_ten(-30, -1)));
  add_accuracy_options(table, options.accuracy);
  add_unit_options(table, options.units);
}

}  // namespace

Command occupancy_command() {
  return command_of<OccupancyOptions>(
      {.name = "occupancy",
       .purpose = "queue-length distribution",
       .work = Work::points,
       .draws = true,
       .declare = declare,
       .answer = answer,
       .layout = [] { return render::with_status(render::occupancy_layout()); },
       .example = {{"--inputs", "16"}, {"--load", "0.9"}, {"--until", "1e-15"}}});
}

}  // namespace tailbound::cli
