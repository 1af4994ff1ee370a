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
  std::optional<std::string> inputs, load, classes, levels, capacity;
  BurstOptions bursts;
  SizedBufferOptions sized;
  SimulationOptions run;
  UnitOptions units;
};

std::vector<std::int64_t> read_inputs(const ValidateBufferOptions& options) {
  const std::string& inputs =
      required(options.inputs, "--inputs", "give the number of inputs from 2 to 1024, such as --inputs 16");
  return parse_integers(inputs, "--inputs", Tree::min_radix, Tree::max_radix);
}

std::vector<Rational> read_loads(const ValidateBufferOptions& options) {
  return parse_percent_list(
      required(options.load, "--load",
               "give the inputs and the packets per slot, such as --inputs 16 --load 0.9"),
      "--load");
}

/// One query per class.
std::vector<ValidateBufferQuery> read_class_queries(const ValidateBufferOptions& options,
                                                    const ValidateBufferQuery& requested) {
  TrafficOptions traffic;
  traffic.inputs = options.inputs;
  traffic.classes = options.classes;
  std::vector<ValidateBufferQuery> queries;
  for (const answers::Traffic& each : read_traffics(traffic)) {
    const auto& its = std::get<answers::TrafficClass>(each.source);
    ValidateBufferQuery& query = queries.emplace_back(requested);
    query.inputs = its.inputs;
    query.classes = its.loads;
    query.priority = its.priority;
    query.load = its.loads[static_cast<std::size_t>(its.priority) - 1];
  }
  return queries;
}

/// One query for each combination of list entries.
std::vector<ValidateBufferQuery> read_queries(const ValidateBufferOptions& options) {
  ValidateBufferQuery requested;
  requested.levels = packets_of(options.levels, "--levels", 0, deepest_simulated);
  requested.length = read_run_length(options.run);
  if (options.classes) return read_class_queries(options, requested);
  std::vector<ValidateBufferQuery> queries;
  const std::vector<Rational> loads = read_loads(options);
  for (const std::int64_t inputs : read_inputs(options))
    for (const Rational& load : loads)
      for (const traffic::Destination destination :
           read_destinations(options.bursts.destination, options.bursts.burst.has_value()))
        for (const auto& burst : read_bursts(options.bursts, load)) {
          ValidateBufferQuery& query = queries.emplace_back(requested);
          query.inputs = inputs;
          query.load = load;
          query.burst = burst;
          query.destination = destination;
        }
  return queries;
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
      .by(answers::or_none(packets_of(options.capacity, "--capacity", 1, deepest_simulated)),
          &ValidateSizedBufferQuery::capacity)
      .points();
}

void check_validate_buffer(const OptionTable& table) {
  static const std::string simulation =
      " --levels --confidence --slots --seed --threads --warmup --replications --checkpoint "
      "--checkpoint-every "
      "--resume";
  static const OnlyValue bernoulli{"--traffic", "bernoulli"};
  static const Form plain{.option = "a queue of packets",
                          .acts =
                              "--inputs --load --traffic --burst --on-rate --destination --packet-bytes "
                              "--link-gbps" +
                              simulation};
  static const Form classes{
      .option = "--classes",
      .acts = "--classes --inputs --packet-bytes --link-gbps" + simulation,
      .only = {bernoulli},
      .otherwise = "the classes have their own loads, and classes with bursts can only be simulated"};
  static const Form sized{
      .option = "--sizes",
      .acts = "--sizes --cell-bytes --arrive --inputs --load --capacity" + simulation,
      .only = {bernoulli},
      .because = {{"--packet-bytes --link-gbps", "--sizes and --cell-bytes set the sizes"},
                  {"--classes", "classes are analysed for one queue of packets"}},
      .otherwise = "a packet of several cells is already a burst"};
  require_acting(given_options(table),
                 table.find("--sizes")->given()     ? sized
                 : table.find("--classes")->given() ? classes
                                                    : plain,
                 {{"--cell-bytes --arrive", "--sizes"}, {"--capacity", "--sizes LIST"}});
}

Reply answer(const ValidateBufferOptions& options, const Context& context) {
  if (options.sized.sizes)
    return simulate_all(
        read_sized_queries(options), options.run, context,
        [](const auto& points, std::size_t requested) { return render::document(points, requested); },
        [](const auto& query) { return render::inputs_of(query); });
  const answers::Units units = read_units(options.units);
  std::vector<ValidateBufferQuery> queries = read_queries(options);
  const std::vector<std::string> refused = without_overloaded_classes(
      queries, [](const auto& query) { return std::optional(offered_class(query.classes, query.priority)); },
      "buffer --criterion loss gives what a finite buffer loses");
  Reply reply = simulate_all(
      queries, options.run, context,
      [&](const auto& points, std::size_t requested) { return render::document(points, requested, units); },
      [&](const ValidateBufferQuery& query) { return render::inputs_of(query, units); });
  reply.document.notes.insert(reply.document.notes.end(), refused.begin(), refused.end());
  return reply;
}

void declare(OptionTable& table, ValidateBufferOptions& options) {
  const OptionGroup traffic(table, "Traffic");
  const OptionGroup query(table, "Comparison");
  traffic.add("--inputs", options.inputs, "K", "inputs, 2 to 1024, each with load R / K", slider(2, 256, 1));
  traffic.add("--load", options.load, "R", "packets per slot of the queue, such as 0.9", load_slider());
  traffic.add("--classes", options.classes, "R1,R2,..",
              "loads of strict priority classes, highest first.\nIn place of --load; a point for each class");
  add_burst_options(table, options.bursts, "Traffic");
  query.add("--levels", options.levels, "LIST",
            "queue lengths n of P(Q > n).\nThey count the packet in service. Default: where the analysis "
            "gives 0.5 to 1e-6");
  query.add("--capacity", options.capacity, "B",
            "cells in the buffer, with --sizes.\nCompares cell and packet loss in place of P(Q > n)",
            slider(1, 1000, 1));
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
