#include <cli/commands.hpp>
#include <cli/commands/crossbars/crossbar_options.hpp>
#include <cli/commands/delays/delay_query.hpp>
#include <cli/commands/queues/buffer_options.hpp>
#include <cli/options/files.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/precision.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/buffer/shared_buffer.hpp>
#include <tailbound/answers/crossbar/simulate_crossbar.hpp>
#include <tailbound/answers/crossbar/simulate_rare_crossbar.hpp>
#include <tailbound/answers/crossbar/validate_crossbar.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/crossbar/simulate_crossbar.hpp>
#include <tailbound/render/documents/crossbar/validate_crossbar.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Slot-by-slot simulation of an input-queued switch: `simulate crossbar` and `validate crossbar`.
namespace tailbound::cli {
namespace {

using answers::Combinations;
using answers::CrossbarQuery;
using answers::SimulateCrossbarQuery;
using answers::SimulateRareCrossbarQuery;
using answers::ValidateCrossbarQuery;
using numeric::Rational;
using sim::CrossbarModel;
using traffic::CrossbarScheduler;

constexpr std::int64_t most_cells = 10'000'000;

struct CrossbarSimulationOptions {
  SchedulerOptions fabric;
  OptionTable rows{};
  OptionGroup traffic{rows, "Traffic"}, network{rows, "Switch"}, buffers{rows, "Buffers"};
  OptionGroup results{rows, "Results"};
  Integers inputs{traffic, "--inputs", "K",
                  integers(1, sim::max_crossbar_ports)
                      .slider(2, 64, 1)
                      .needed("give the number of inputs from 1 to 256, such as --inputs 16"),
                  "inputs; each receives at most 1 packet per slot"};
  Integers outputs{traffic, "--outputs", "N", integers(1, sim::max_crossbar_ports).slider(2, 64, 1),
                   "outputs (default as many as inputs)"};
  Numbers load{traffic, "--load", "R",
               crossbar_loads()
                   .slider(0.01, 0.99, 0.01)
                   .needed("give the packets per slot of each input, such as --load 0.8"),
               "packets per slot of each input: 0.8 or 80%"};
  Numbers rates{traffic, "--rates", "LIST", crossbar_loads(),
                "packets per slot of each input.\nIn place of --inputs and --load"};
  Numbers hot{traffic, "--hot", "H",
              shares()
                  .such_that([](const Rational& hot) { return hot >= 0 && hot <= 1; }, "from 0 to 1")
                  .slider(0, 0.3, 0.005),
              "extra share of the packets for output 0.\nAdded to its even share of the rest"};
  Numbers unbalanced{traffic, "--unbalanced", "W",
                     shares()
                         .such_that([](const Rational& own) { return own >= 0 && own <= 1; }, "from 0 to 1")
                         .slider(0, 1, 0.05),
                     "share W of the packets of input i for output i.\nThe rest is spread over all outputs"};
  Text matrix{traffic, "--matrix", "FILE",
              "packets per slot from each input to each output.\nCSV, one row per input (docs/files.md)"};
  BurstOptions burst;
  Integers output_speedup{network, "--output-speedup", "S",
                          integers(1, sim::max_crossbar_ports).by_default("1").slider(1, 16, 1),
                          "packets that an output takes in a phase, with fifo (default {})"};
  Numbers priorities{network, "--priorities", "LIST", shares(16).must_be("above 0, with the sum 1"),
                     "shares of the packets of strict priorities, with ccf.\nThe first is the highest"};
  List<std::int64_t> buffer{buffers, "--buffer", "B", integers(1, most_cells).slider(1, 200, 1),
                            "packets of an input (default unlimited); others are lost"};
  List<std::int64_t> voq_buffer{buffers, "--voq-buffer", "B", integers(1, most_cells).slider(1, 50, 1),
                                "packets of a virtual output queue (default unlimited); others are lost"};
  List<std::int64_t> output_buffer{buffers, "--output-buffer", "B", integers(1, most_cells).slider(1, 200, 1),
                                   "packets of an output (default unlimited).\nA full one takes nothing from "
                                   "the inputs; with ccf packets for it are lost on arrival"};
  List<Packets> occupancy{results, "--occupancy", "LIST", integers<Packets>(0, 1'000'000'000),
                          "n of P(> n) of an input, a VOQ and an output.\nDefault 0,1,2,5,10,.."};
  Numbers percentiles{results, "--percentiles", "LIST", cli::percentiles().by_default("50,90,99,99.99"),
                      percentile_help};
  Integers ccdf{results, "--ccdf", "LIST", ccdf_slots(), "slots t of P(D > t), such as 0:200:10"};
  Numbers drop{results, "--drop", "EPS", targets(),
               "sizes of inputs, VOQs and outputs exceeded with this probability.\nBetween whole numbers, as "
               "far as they are seen"};
  List<RareLevel> rare{results, "--rare", "X", rare_levels(100'000).powers_of_ten(-30, -1),
                       "rare events: n or 1e-9 of P(> n).\nIn place of the other results, down to 1e-280: "
                       "n = X, or the n where P(> n) is near X < 1"};
  List<sim::CrossbarQueue> of{results, "--of", "NAME", names<sim::CrossbarQueue>().first_by_default(),
                              "{names} (default {}): whose packets --rare counts"};
  SimulationOptions run;
  UnitOptions units;
};

/// Rates and shares, for each combination of list entries.
std::vector<CrossbarModel> read_crossbar_traffic(const CrossbarSimulationOptions& options) {
  std::vector<CrossbarModel> models;
  if (options.matrix) {
    reject_with(
        {&options.inputs, &options.outputs, &options.load, &options.rates, &options.hot, &options.unbalanced},
        "--matrix", "the matrix defines the traffic");
    const answers::TrafficMatrix matrix =
        answers::traffic_matrix(read_file(options.matrix.text(), "--matrix"), options.matrix.text());
    CrossbarModel model;
    model.outputs = static_cast<std::int64_t>(matrix.rates.front().size());
    for (const std::vector<Rational>& row : matrix.rates) {
      Rational sum = 0;
      for (const Rational& rate : row) sum = sum + rate;
      if (sum > 1)
        throw options.matrix.invalid(
            fmt::format("a matrix whose rows sum to at most 1 packet per slot; row {} "
                        "sums to {}",
                        model.rates.size() + 1, plain(sum)));
      model.rates.push_back(sum);
      model.shares.emplace_back();
      for (const Rational& rate : row)
        model.shares.back().push_back(sum > 0 ? Rational(rate / sum)
                                              : Rational(1) / numeric::Integer(model.outputs));
    }
    return {std::move(model)};
  }
  if (options.rates) {
    reject_with({&options.inputs, &options.load}, "--rates", "it defines the rate of each input");
    models.push_back({.rates = options.rates.value()});
  } else {
    for (const std::int64_t inputs : options.inputs.value())
      for (const Rational& load : options.load.value())
        models.push_back({.rates = std::vector<Rational>(static_cast<std::size_t>(inputs), load)});
  }
  for (CrossbarModel& model : models) model.outputs = static_cast<std::int64_t>(model.inputs());
  if (options.outputs)
    models = Combinations(std::move(models)).by(options.outputs.value(), &CrossbarModel::outputs).points();
  if (options.hot)
    models = Combinations(std::move(models)).by(options.hot.value(), &CrossbarModel::hot).points();
  if (!options.unbalanced) return models;
  reject_with({&options.hot, &options.outputs}, "--unbalanced");
  return Combinations(std::move(models))
      .by(options.unbalanced.value(),
          [](CrossbarModel& model, const Rational& own) {
            model.shares = sim::unbalanced_shares(model.outputs, own);
          })
      .points();
}

/// The schedulers of switches with this traffic.
std::vector<CrossbarModel> schedulers_of(const std::vector<CrossbarModel>& models,
                                         const CrossbarSimulationOptions& options) {
  if (!options.fabric.any({CrossbarScheduler::fifo}))
    reject_without({&options.output_speedup}, "--scheduler fifo");
  if (!options.fabric.any({CrossbarScheduler::ccf})) reject_without({&options.priorities}, "--scheduler ccf");
  std::vector<CrossbarModel> all;
  for (const CrossbarModel& each : models) {
    answers::CrossbarQuery ports;
    ports.inputs = static_cast<std::int64_t>(each.inputs());
    for (const answers::CrossbarQuery& query : with_schedulers({ports}, options.fabric)) {
      CrossbarModel model = each;
      answers::set_scheduler(model, query);
      if (model.scheduler == CrossbarScheduler::ccf && options.priorities)
        model.priorities = options.priorities.value();
      const bool fifo = model.scheduler == CrossbarScheduler::fifo;
      const auto points = Combinations(std::vector{model})
                              .by(fifo ? options.output_speedup.value() : std::vector<std::int64_t>{1},
                                  &CrossbarModel::output_speedup)
                              .points();
      all.insert(all.end(), points.begin(), points.end());
    }
  }
  return all;
}

std::vector<CrossbarModel> read_crossbars(const CrossbarSimulationOptions& options) {
  std::vector<CrossbarModel> bursty;
  for (const CrossbarModel& model : read_crossbar_traffic(options))
    for (const auto& burst : read_bursts(options.burst, model.rates.front()))
      bursty.emplace_back(model).burst = burst;
  bursty = Combinations(std::move(bursty))
               .by(read_destinations(options.burst.destination, options.burst.burst.has_value()),
                   &CrossbarModel::destination)
               .points();
  return Combinations(schedulers_of(bursty, options))
      .by(options.buffer.each(), &CrossbarModel::buffer)
      .by(options.voq_buffer.each(), &CrossbarModel::voq_buffer)
      .by(options.output_buffer.each(), &CrossbarModel::output_buffer)
      .points();
}

std::vector<SimulateCrossbarQuery> read_crossbar_queries(const CrossbarSimulationOptions& options) {
  SimulateCrossbarQuery requested{.model = {}};
  if (options.occupancy) requested.levels = options.occupancy.value();
  if (options.ccdf)
    for (const std::int64_t slots : options.ccdf.value()) requested.delays.emplace_back(slots);
  requested.percentiles = options.percentiles.value();
  if (options.drop) requested.drops = options.drop.value();
  requested.length = read_run_length(options.run);
  std::vector<SimulateCrossbarQuery> queries =
      Combinations(requested).by(read_crossbars(options), &SimulateCrossbarQuery::model).points();
  require_one_to_resume(options.run, queries.size());
  for (SimulateCrossbarQuery& query : queries) query.steps /= static_cast<double>(queries.size());
  require_plans(queries);
  return queries;
}

/// One for each entry of --rare.
std::vector<SimulateRareCrossbarQuery> read_rare_crossbars(const CrossbarSimulationOptions& options) {
  reject_with(
      {&options.occupancy, &options.percentiles, &options.ccdf, &options.drop, &options.run.half_width},
      "--rare", "--rare estimates a single probability");
  SimulateRareCrossbarQuery requested{.model = {}};
  requested.length = read_run_length(options.run, 64);
  return Combinations(requested)
      .by(read_crossbars(options), &SimulateRareCrossbarQuery::model)
      .by(options.of.value(), &SimulateRareCrossbarQuery::of)
      .by(options.rare.value(), &SimulateRareCrossbarQuery::rare)
      .points();
}

Reply answer_rare_crossbar(const CrossbarSimulationOptions& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  const std::vector<SimulateRareCrossbarQuery> queries = read_rare_crossbars(options);
  require_several_to_draw(context, queries.size(), "--rare (--load, ...)");
  return simulate_all(
      queries, options.run, context,
      [&](auto points, std::size_t requested) {
        return render::document(std::move(points), requested, units);
      },
      [&](const SimulateRareCrossbarQuery& query) { return render::inputs_of(query, units); });
}

Reply answer_crossbar(const CrossbarSimulationOptions& options, const Context& context) {
  if (options.rare) return answer_rare_crossbar(options, context);
  reject_without({&options.of}, "--rare X");
  const answers::Units units = read_units(options.units);
  return simulate_requested(
      read_crossbar_queries(options), options.run, context,
      [&](auto points, std::size_t requested) {
        return render::document(std::move(points), requested, units);
      },
      [&](const SimulateCrossbarQuery& query) { return render::inputs_of(query, units); });
}

void declare_crossbar(OptionTable& table, CrossbarSimulationOptions& options) {
  add_rows(table, options, options.fabric);
  add_burst_options(table, options.burst, "Traffic");
  add_simulation_options(table, options.run);
  add_precision_option(table, options.run);
  add_unit_options(table, options.units);
}

// --- validate crossbar

struct CrossbarValidationOptions {
  SchedulerOptions fabric;
  OptionTable rows{};
  OptionGroup traffic{rows, "Traffic"}, comparison{rows, "Comparison"};
  Integers inputs{traffic, "--inputs", "K",
                  integers(1, sim::max_crossbar_ports)
                      .slider(2, 64, 1)
                      .needed("give the number of inputs from 1 to 256, such as --inputs 16"),
                  "inputs and outputs; each input receives at most 1 packet per slot"};
  Numbers load{traffic, "--load", "R",
               crossbar_loads()
                   .slider(0.01, 0.99, 0.01)
                   .needed("give the packets per slot of each input, such as --load 0.8"),
               "packets per slot of each input: 0.8 or 80%"};
  Numbers burst{
      traffic, "--burst", "L",
      numbers().such_that([](const Rational& length) { return length > 1; }, "above 1").slider(2, 64, 1),
      "mean burst length; a burst keeps its output"};
  Numbers tails{comparison, "--drop", "LIST", targets(),
                "tail probabilities at which delays and sizes are compared.\nDefault: 0.1 to 1e-4"};
  SimulationOptions run;
};

std::vector<ValidateCrossbarQuery> read_crossbar_validations(const CrossbarValidationOptions& options) {
  const std::vector<CrossbarQuery> switches =
      Combinations(CrossbarQuery{}).by(options.inputs.value(), &CrossbarQuery::inputs).points();
  const std::vector<CrossbarQuery> queries =
      Combinations(with_schedulers(switches, options.fabric))
          .by(options.burst.each(), &CrossbarQuery::burst)
          .by(options.load.value(),
              [](CrossbarQuery& query, const Rational& load) { query.requested = answers::AtLoad{load}; })
          .points();
  std::vector<ValidateCrossbarQuery> all;
  for (const CrossbarQuery& query : queries) {
    ValidateCrossbarQuery& each = all.emplace_back(ValidateCrossbarQuery{.analysis = query});
    if (options.tails) each.tails = options.tails.value();
    each.length = read_run_length(options.run);
    each.steps /= static_cast<double>(queries.size());
  }
  return all;
}

Reply answer_crossbar_validation(const CrossbarValidationOptions& options, const Context& context) {
  return simulate_all(
      read_crossbar_validations(options), options.run, context,
      [](const auto& points, std::size_t requested) { return render::document(points, requested); },
      [](const ValidateCrossbarQuery& query) { return render::inputs_of(query); });
}

void declare_crossbar_validation(OptionTable& table, CrossbarValidationOptions& options) {
  add_rows(table, options, options.fabric);
  add_simulation_options(table, options.run);
}

}  // namespace

Command validate_crossbar_command() {
  return command_of<CrossbarValidationOptions>(
      {.name = "validate crossbar",
       .purpose = "delay and buffers of input-queued switches",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_crossbar_validation,
       .answer = answer_crossbar_validation,
       .layout = [] { return render::with_status(render::validate_crossbar_layout()); },
       .example = {{"--inputs", "16"}, {"--load", "0.8"}}});
}

Command simulate_crossbar_command() {
  return command_of<CrossbarSimulationOptions>(
      {.name = "simulate crossbar",
       .purpose = "delay, buffers, throughput of input-queued switches",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_crossbar,
       .answer = answer_crossbar,
       .layout = [] { return render::with_status(render::simulate_crossbar_layout()); },
       .example = {{"--inputs", "16"}, {"--load", "0.8"}}});
}

}  // namespace tailbound::cli
