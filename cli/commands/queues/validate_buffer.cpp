#include <cli/commands.hpp>
#include <cli/commands/queues/buffer_options.hpp>
#include <cli/options/forms.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/answers/validation/validate_buffer.hpp>
#include <tailbound/answers/validation/validate_sized_buffer.hpp>
#include <tailbound/render/documents/validation/validate_buffer.hpp>
#include <tailbound/render/documents/validation/validate_sized_buffer.hpp>

namespace tailbound::cli {
namespace {

using answers::CellArrival;
using answers::ValidateBufferQuery;
using answers::ValidateSizedBufferQuery;
using network::Tree;
using numeric::Rational;

constexpr std::int64_t deepest_simulated = 1'000'000;

/// As typed; empty if not given.
struct ValidateBufferOptions {
  TrafficOptions traffic;
  std::optional<std::string> levels, capacity;
  SizedBufferOptions sized;
  SimulationOptions run;
  UnitOptions units;
};

std::vector<std::int64_t> read_inputs(const ValidateBufferOptions& options) {
  const std::string& inputs = required(options.traffic.inputs, "--inputs",
                                       "give the number of inputs from 2 to 1024, such as --inputs 16");
  return parse_integers(inputs, "--inputs", Tree::min_radix, Tree::max_radix);
}

std::vector<Rational> read_loads(const ValidateBufferOptions& options) {
  return parse_percent_list(
      required(options.traffic.load, "--load",
               "give the inputs and the packets per slot, such as --inputs 16 --load 0.9"),
      "--load");
}

/// One query for each traffic.
std::vector<ValidateBufferQuery> read_queries(const ValidateBufferOptions& options) {
  ValidateBufferQuery requested{.traffic = {}};
  requested.levels = packets_of(options.levels, "--levels", 0, deepest_simulated);
  requested.length = read_run_length(options.run);
  return answers::Combinations(std::move(requested))
      .by(read_traffics(options.traffic), &ValidateBufferQuery::traffic)
      .points();
}

// --- packets of several sizes

std::vector<ValidateSizedBufferQuery> read_sized_queries(const ValidateBufferOptions& options) {
  if (options.capacity && options.levels)
    throw not_allowed_with("--levels", "--capacity", "--capacity compares losses");
  const auto cells = read_switch_cells(options.sized.sizes, options.sized.cell_bytes);
  ValidateSizedBufferQuery requested{.load = {}, .cells = cells.front().value()};
  requested.levels = packets_of(options.levels, "--levels", 0, deepest_simulated);
  requested.length = read_run_length(options.run);
  return answers::Combinations(std::move(requested))
      .by(read_inputs(options), &ValidateSizedBufferQuery::inputs)
      .by(cells, [](auto& each, const auto& packets) { each.cells = packets.value(); })
      .by(choices_or_first<CellArrival>(options.sized.arrive, "--arrive"), &ValidateSizedBufferQuery::arrive)
      .by(read_loads(options), &ValidateSizedBufferQuery::load)
      .by(answers::or_none(packets_of(options.capacity, "--capacity", 1, deepest_simulated,
                                      {read_cell_bytes(options.sized.cell_bytes).front(), "--cell-bytes"})),
          &ValidateSizedBufferQuery::capacity)
      .points();
}

void check_validate_buffer(const OptionTable& table) {
  const std::vector<GivenOption> given = given_options(table);
  const bool sizes = table.find("--sizes")->given();
  require_needed(given, {{"--cell-bytes --arrive", "--sizes"}, {"--capacity", "--sizes LIST"}});
  if (!sizes) return;
  static const OnlyValue bernoulli{"--traffic", "bernoulli"};
  static const Form sized{
      .option = "--sizes",
      .acts =
          "--sizes --cell-bytes --arrive --inputs --load --capacity --levels --confidence --slots --seed "
          "--threads --warmup --replications --checkpoint --checkpoint-every --resume",
      .only = {bernoulli, {"--packets-per-slot", "1"}},
      .because = {{"--packet-bytes --link-gbps", "--sizes and --cell-bytes set the sizes"},
                  {"--classes", "classes are analysed for one queue of packets"}},
      .otherwise = "a packet of several cells is already a burst"};
  require_acting(given, sized);
}

Reply answer(const ValidateBufferOptions& options, const Context& context) {
  if (options.sized.sizes)
    return simulate_all(
        read_sized_queries(options), options.run, context,
        [](const auto& points, std::size_t requested) { return render::document(points, requested); },
        [](const auto& query) { return render::inputs_of(query); });
  const answers::Units units = read_units(options.units);
  const std::vector<ValidateBufferQuery> queries = read_queries(options);
  return if_trusted(queries,
                    simulate_all(
                        queries, options.run, context,
                        [&](const auto& points, std::size_t requested) {
                          return render::document(points, requested, units);
                        },
                        [&](const ValidateBufferQuery& query) { return render::inputs_of(query, units); }));
}

void declare(OptionTable& table, ValidateBufferOptions& options) {
  add_traffic_options(table, options.traffic);
  const OptionGroup query(table, "Comparison");
  query.add("--levels", options.levels, "LIST",
            "queue lengths n of P(Q > n).\nThey count the packet in service. Default: where the analysis "
            "gives 0.5 to 1e-6",
            must_be(numeric::integers_in_words(0, deepest_simulated)));
  query.add("--capacity", options.capacity, "B",
            "cells in the buffer, or bytes: 64KB, with --sizes.\nCompares cell and packet loss in place of "
            "P(Q > n)",
            must_be(numeric::integers_in_words(1, deepest_simulated), slider(1, 1000, 1)));
  add_sized_buffer_options(table, options.sized);
  add_simulation_options(table, options.run);
  add_unit_options(table, options.units);
}

}  // namespace

Command validate_buffer_command() {
  return command_of<ValidateBufferOptions>(
      {.name = "validate buffer",
       .purpose = "occupancy and loss of one output queue",
       .work = Work::simulation,
       .draws = true,
       .declare = declare,
       .check = check_validate_buffer,
       .answer = answer,
       .layout =
           [] { return render::with_status(render::with_validated_sizes(render::validate_buffer_layout())); },
       .example = {{"--inputs", "16"}, {"--load", "0.9"}}});
}

}  // namespace tailbound::cli
