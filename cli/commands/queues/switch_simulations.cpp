#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/commands/queues/buffer_options.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/precision.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/answers/simulation/simulate_rare_switch.hpp>
#include <tailbound/answers/simulation/simulate_switch.hpp>
#include <tailbound/answers/validation/validate_switch.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/render/documents/simulation/simulate_switch.hpp>
#include <tailbound/render/documents/validation/validate_switch.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Slot-by-slot simulation of an output-queued switch with a shared memory: `simulate switch` and `validate
/// switch`.
namespace tailbound::cli {
namespace {

using answers::Combinations;
using answers::SimulateRareSwitchQuery;
using answers::SimulateSwitchQuery;
using answers::ValidateSwitchQuery;
using bounds::Criterion;
using numeric::Rational;
using sim::SwitchModel;

constexpr std::int64_t max_switch_inputs = 1024, max_outputs = 4096, max_capacity = 10'000'000;
constexpr std::int64_t max_memory = queue::SharedMemory::deepest;  ///< with proved bounds
constexpr std::int64_t max_level = 1'000'000'000, max_rare_level = 1'000'000;

/// As typed; empty if not given.
struct SwitchOptions {
  std::optional<std::string> inputs, outputs, load, rates, hot, memory, threshold, buffer, occupancy, sizes,
      cell_bytes, arrive, rare;
  BurstOptions burst;
  SimulationOptions run;
  UnitOptions units;
};

struct SwitchValidationOptions {
  std::optional<std::string> inputs, outputs, load, sizes, cell_bytes, criterion, threshold, memory;
  SimulationOptions run;
};

void require_share(const Rational& value, const char* option, bool zero) {
  if (value > 1 || value < 0 || (value == 0 && !zero))
    throw InvalidArgument(option, plain(value),
                          zero ? "from 0 to 1" : "above 0 and at most 1 packet per slot");
}

/// The rates of the inputs, for each combination of --inputs and --load; or the list of --rates.
std::vector<std::vector<Rational>> read_rates(const SwitchOptions& options) {
  if (options.rates) {
    reject_with({{"--inputs", &options.inputs}, {"--load", &options.load}}, "--rates");
    std::vector<Rational> rates = parse_percent_list(*options.rates, "--rates", max_switch_inputs);
    for (const Rational& rate : rates) require_share(rate, "--rates", false);
    return {std::move(rates)};
  }
  const std::string& inputs =
      required(options.inputs, "--inputs", "give the number of inputs from 1 to 1024, such as --inputs 16");
  const std::string& load =
      required(options.load, "--load", "give the packets per slot of each input, such as --load 0.8");
  std::vector<std::vector<Rational>> all;
  for (const std::int64_t count : parse_integers(inputs, "--inputs", 1, max_switch_inputs))
    for (const Rational& rate : parse_percent_list(load, "--load")) {
      require_share(rate, "--load", false);
      all.emplace_back(static_cast<std::size_t>(count), rate);
    }
  return all;
}

/// Bytes of a cell, or of a packet.
options::PacketUnit unit_of(const SwitchOptions& options) {
  if (options.sizes) return {read_cell_bytes(options.cell_bytes).front(), "--cell-bytes"};
  return packet_unit(options.units);
}

std::vector<std::optional<std::int64_t>> read_capacities(const SwitchOptions& options,
                                                         const std::optional<std::string>& text,
                                                         const char* option) {
  if (!text) return {std::nullopt};
  return each_or_none(true, counts_of(*text, option, 1, max_capacity, unit_of(options)));
}

std::vector<std::optional<Rational>> read_thresholds(const SwitchOptions& options) {
  if (!options.threshold) return {std::nullopt};
  if (!options.memory) throw needs("--threshold", "--memory M");
  const std::vector<Rational> thresholds = parse_list(*options.threshold, "--threshold");
  for (const Rational& alpha : thresholds)
    if (alpha <= 0 || alpha > 1'000'000)
      throw InvalidArgument("--threshold", plain(alpha), "above 0 and at most 1000000");
  return each_or_none(true, thresholds);
}

/// The packets of --sizes, in cells of --cell-bytes.
std::vector<traffic::CellClass> read_cells(const SwitchOptions& options) {
  if (!options.sizes) {
    reject_without({{"--cell-bytes", &options.cell_bytes}, {"--arrive", &options.arrive}}, "--sizes LIST");
    return {};
  }
  reject_with({{"--burst", &options.burst.burst}}, "--sizes", "a packet of several cells is already a burst");
  reject_with({&options.units.packet_bytes}, "--sizes", "--sizes sets the packet sizes");
  const std::int64_t cell = options.cell_bytes ? parse_whole_quantity(*options.cell_bytes, "--cell-bytes",
                                                                      numeric::Measure::bytes, 1, 65'536)
                                               : 64;
  return read_sizes(*options.sizes).cells(cell).classes;
}

/// With bursts, which depend on the rates.
std::vector<SwitchModel> with_bursts(const std::vector<SwitchModel>& models, const BurstOptions& options) {
  std::vector<SwitchModel> bursty;
  for (const SwitchModel& model : models) {
    for (const Rational& rate : model.rates) static_cast<void>(read_bursts(options, rate));
    for (const auto& burst : read_bursts(options, model.rates.front()))
      bursty.emplace_back(model).burst = burst;
  }
  return bursty;
}

/// One for each combination of list entries.
std::vector<SwitchModel> read_models(const SwitchOptions& options) {
  std::vector<SwitchModel> models;
  for (std::vector<Rational>& rates : read_rates(options)) models.push_back({.rates = std::move(rates)});
  for (SwitchModel& model : models) model.outputs = static_cast<std::int64_t>(model.rates.size());
  if (options.outputs)
    models = Combinations(std::move(models))
                 .by(parse_integers(*options.outputs, "--outputs", 1, max_outputs), &SwitchModel::outputs)
                 .points();
  if (options.hot) {
    const std::vector<Rational> shares = parse_percent_list(*options.hot, "--hot");
    for (const Rational& hot : shares) require_share(hot, "--hot", true);
    models = Combinations(std::move(models)).by(shares, &SwitchModel::hot).points();
  }
  models = Combinations(with_bursts(models, options.burst))
               .by(read_destinations(options.burst.destination, options.burst.burst.has_value()),
                   &SwitchModel::destination)
               .points();
  if (const std::vector<traffic::CellClass> sizes = read_cells(options); !sizes.empty()) {
    for (SwitchModel& model : models) model.sizes = sizes;
    models = Combinations(std::move(models))
                 .by(choices_or_first<sim::PacketArrival>(options.arrive, "--arrive"), &SwitchModel::arrival)
                 .points();
  }
  return Combinations(std::move(models))
      .by(read_thresholds(options), &SwitchModel::threshold)
      .by(read_capacities(options, options.memory, "--memory"), &SwitchModel::memory)
      .by(read_capacities(options, options.buffer, "--buffer"), &SwitchModel::buffer)
      .points();
}

std::vector<SimulateSwitchQuery> read_queries(const SwitchOptions& options) {
  std::vector<SimulateSwitchQuery> queries;
  const std::vector<Packets> levels = packets_of(options.occupancy, "--occupancy", 0, max_level);
  const answers::RunLength length = read_run_length(options.run);
  for (SwitchModel& model : read_models(options))
    queries.push_back({.model = std::move(model), .levels = levels, .length = length});
  require_one_to_resume(options.run, queries.size());
  for (SimulateSwitchQuery& query : queries)
    query.steps /= static_cast<double>(queries.size());  // all together take no longer than one
  require_plans(queries);
  return queries;
}

// --- rare

/// For unlimited memory one for each entry of --rare; for a finite memory its loss.
std::vector<SimulateRareSwitchQuery> read_rare_queries(const SwitchOptions& options) {
  reject_with({{"--occupancy", &options.occupancy}}, "--rare", "--rare estimates a single probability");
  reject_with({{"--threshold", &options.threshold}, {"--buffer", &options.buffer}}, "--rare",
              "rare losses are estimated for a fully shared memory");
  reject_with({&options.run.half_width}, "--rare", "give --slots instead");
  const bool losses = *options.rare == "loss";
  if (losses && !options.memory) throw needs("--rare loss", "--memory M");
  if (losses && options.sizes)
    throw not_allowed_with("--sizes", "--rare loss", "rare losses are estimated for single-cell packets");
  if (!losses && options.memory)
    throw not_allowed_with("--memory", fmt::format("--rare {}", *options.rare),
                           "P(T > n) is for unlimited memory; --rare loss estimates the loss");
  std::vector<SimulateRareSwitchQuery> queries;
  const answers::RunLength length = read_run_length(options.run, 64);
  for (SwitchModel& model : read_models(options))
    queries.push_back({.model = std::move(model), .rare = {}, .length = length});
  if (losses) return queries;
  return Combinations(std::move(queries))
      .by(read_rare(*options.rare, max_rare_level), &SimulateRareSwitchQuery::rare)
      .points();
}

Reply answer_rare(const SwitchOptions& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  const std::vector<SimulateRareSwitchQuery> queries = read_rare_queries(options);
  require_several_to_draw(context, queries.size(), "--rare (--memory, --load, ...)");
  return simulate_all(
      queries, options.run, context,
      [&](auto points, std::size_t requested) {
        return render::document(std::move(points), requested, units);
      },
      [&](const SimulateRareSwitchQuery& query) { return render::inputs_of(query, units); });
}

Reply answer_simulation(const SwitchOptions& options, const Context& context) {
  if (options.rare) return answer_rare(options, context);
  const answers::Units units = read_units(options.units);
  const auto document_of = [&](auto points, std::size_t requested) {
    return render::document(std::move(points), requested, units);
  };
  return simulate_requested(
      read_queries(options), options.run, context, document_of,
      [&](const SimulateSwitchQuery& query) { return render::inputs_of(query, units); });
}

void declare_simulation(OptionTable& table, SwitchOptions& options) {
  const OptionGroup inputs(table, "Traffic"), memory(table, "Memory"), query(table, "Results");
  inputs.add("--inputs", options.inputs, "K", "inputs; each sends at most 1 packet per slot",
             must_be(numeric::integers_in_words(1, max_switch_inputs), slider(2, 64, 1)));
  inputs.add("--outputs", options.outputs, "N", "number of outputs (default as many as inputs)",
             must_be(numeric::integers_in_words(1, max_outputs), slider(2, 64, 1)));
  inputs.add("--load", options.load, "R", "packets per slot of each input: 0.8 or 80%",
             must_be("above 0 and at most 1 packet per slot", load_slider()));
  inputs.add("--rates", options.rates, "LIST",
             "packets per slot of each input.\nIn place of --inputs and --load",
             must_be("above 0 and at most 1 packet per slot"));
  inputs.add("--hot", options.hot, "H",
             "extra share of the packets for output 0.\nAdded to its even share of the rest",
             must_be("from 0 to 1", slider(0, 0.3, 0.005)));
  inputs.add("--burst", options.burst.burst, "L", "mean burst length of an input in slots",
             must_be("at least 1 slot", slider(2, 128, 1)));
  inputs.add("--on-rate", options.burst.on_rate, "R1", "packets per slot within a burst (default 1)",
             must_be("above 0 and at most 1 packet per slot", slider(0.05, 1, 0.05)));
  inputs.add(
      "--destination", options.burst.destination, "NAME",
      "per-burst or per-packet (default per-burst).\nA burst keeps its output, or each packet draws its own",
      choices<traffic::Destination>());
  inputs.add("--sizes", options.sizes, "SIZES",
             "packet sizes: imix, \"64:7,594:4,1518:1\" or a file.\nEntries are bytes:weight; --load is then "
             "in cells");
  inputs.add("--cell-bytes", options.cell_bytes, "C", "cell size in bytes, with --sizes (default 64)",
             must_be(numeric::integers_in_words(1, 65536), slider(32, 512, 32)));
  inputs.add(
      "--arrive", options.arrive, "NAME",
      "whole or cells (default whole).\nwhole: all cells of a packet arrive in one slot; cells: one per slot",
      choices<sim::PacketArrival>());
  memory.add("--memory", options.memory, "M",
             "shared memory in packets (default unlimited).\nIt counts packets in transmission",
             must_be(numeric::integers_in_words(1, 10'000'000), slider(1, 2000, 1)));
  memory.add("--threshold", options.threshold, "ALPHA",
             "dynamic threshold of each queue.\nA packet is accepted while its queue is below ALPHA times "
             "the free memory",
             must_be("above 0 and at most 1000000", slider(0.25, 8, 0.25)));
  memory.add("--buffer", options.buffer, "B", "maximum packets in the queue of each output",
             must_be(numeric::integers_in_words(1, 10'000'000), slider(1, 64, 1)));
  query.add("--occupancy", options.occupancy, "LIST",
            "n of P(T > n), all queues, and P(Q > n), one output.\nDefault 0,1,2,5,10,..",
            must_be(numeric::integers_in_words(0, max_level)));
  query.add("--rare", options.rare, "X",
            "rare events: n or 1e-9 of P(T > n), or loss.\nIn place of the other results, down to 1e-280: "
            "n = X, the n where P(T > n) is near X < 1, or the loss with --memory M",
            must_be("a probability below 1, or a level: 1 packet or more", powers_of_ten(-30, -1)));
  add_simulation_options(table, options.run);
  add_precision_option(table, options.run);
  add_unit_options(table, options.units);
}

// --- validate switch

std::vector<std::optional<Rational>> read_thresholds_of_losses(const SwitchValidationOptions& options,
                                                               Criterion criterion) {
  if (!options.threshold) return {std::nullopt};
  if (criterion != Criterion::loss)
    throw needs("--threshold", "--criterion loss", "without losses there is no threshold");
  return each_or_none(true, parse_list(*options.threshold, "--threshold"));
}

/// The same query about loss for each memory; default: memories whose loss can be observed within seconds.
std::vector<ValidateSwitchQuery> of_losses(const std::vector<ValidateSwitchQuery>& queries) {
  std::vector<ValidateSwitchQuery> all;
  for (const ValidateSwitchQuery& query : queries) {
    std::vector<Packets> memories = query.memories;
    if (memories.empty())
      memories =
          answers::usual_memories(query, {Rational(1) / 100, Rational(1) / 1000, Rational(1) / 10'000});
    for (const Packets memory : memories) all.emplace_back(query).memories = {memory};
  }
  return all;
}

/// One query for each combination of list entries; for loss one per memory.
std::vector<ValidateSwitchQuery> read_validations(const SwitchValidationOptions& options) {
  const std::string& sizes =
      required(options.inputs, "--inputs", "give the number of inputs from 1 to 1024, such as --inputs 16");
  const std::string& loads =
      required(options.load, "--load", "give the packets per slot of each input, such as --load 0.8");
  const Criterion criterion = read_criteria(options.criterion).front();
  if (options.criterion && is_list(*options.criterion))
    throw InvalidArgument("--criterion", *options.criterion, "one of overflow and loss");
  const std::vector<Packets> memories = packets_of(
      options.memory, "--memory", 1, max_memory,
      options.sizes ? options::PacketUnit{read_cell_bytes(options.cell_bytes).front(), "--cell-bytes"}
                    : options::PacketUnit{});
  std::vector<ValidateSwitchQuery> switches;
  for (const std::int64_t inputs : parse_integers(sizes, "--inputs", 1, max_switch_inputs))
    for (const std::int64_t outputs : integers_or(inputs, options.outputs, "--outputs", 1, max_outputs))
      switches.push_back(
          {.traffic = {inputs, 0}, .outputs = outputs, .criterion = criterion, .memories = memories});
  const auto thresholds = read_thresholds_of_losses(options, criterion);
  const std::vector<Rational> shares = parse_percent_list(loads, "--load");
  for (const Rational& load : shares)
    if (load <= 0 || load > 1)
      throw InvalidArgument("--load", plain(load), "above 0 and at most 1 packet per slot");
  const answers::RunLength length = read_run_length(options.run);
  std::vector<ValidateSwitchQuery> queries =
      Combinations(std::move(switches))
          .by(read_switch_cells(options.sizes, options.cell_bytes), &ValidateSwitchQuery::cells)
          .by(thresholds, &ValidateSwitchQuery::threshold)
          .by(shares,
              [&](auto& each, const Rational& load) {
                each.traffic.load = load;
                each.length = length;
              })
          .points();
  return criterion == Criterion::loss ? of_losses(queries) : queries;
}

Reply answer_validation(const SwitchValidationOptions& options, const Context& context) {
  return simulate_all(
      read_validations(options), options.run, context,
      [](const auto& points, std::size_t requested) { return render::document(points, requested); },
      [](const ValidateSwitchQuery& query) { return render::inputs_of(query); });
}

void declare_validation(OptionTable& table, SwitchValidationOptions& options) {
  const OptionGroup traffic(table, "Traffic");
  const OptionGroup query(table, "Comparison");
  traffic.add("--inputs", options.inputs, "K", "inputs; each sends at most 1 packet per slot",
              must_be(numeric::integers_in_words(1, max_switch_inputs), slider(2, 32, 1)));
  traffic.add("--outputs", options.outputs, "N", "number of outputs (default as many as inputs)",
              must_be(numeric::integers_in_words(1, max_outputs), slider(2, 64, 1)));
  traffic.add("--load", options.load, "R", "packets per slot of each input: 0.8 or 80%",
              must_be("above 0 and at most 1 packet per slot", load_slider()));
  traffic.add("--sizes", options.sizes, "SIZES",
              "packet sizes: imix, \"64:7,594:4,1518:1\" or a file.\nEntries are bytes:weight; all cells of "
              "a packet arrive in one slot, and --load and --memory are in cells");
  traffic.add("--cell-bytes", options.cell_bytes, "C", "cell size in bytes, with --sizes (default 64)",
              must_be(numeric::integers_in_words(1, 65536), slider(32, 512, 32)));
  query.add(
      "--criterion", options.criterion, "NAME",
      "overflow or loss (default overflow).\nP(T > M) of unlimited memory, or the fraction of packets lost",
      choices<bounds::Criterion>());
  query.add("--threshold", options.threshold, "ALPHA", "dynamic threshold, with --criterion loss",
            must_be("from 1/1000 to 1000, with a denominator of at most 10^6", slider(0.25, 8, 0.25)));
  query.add("--memory", options.memory, "LIST",
            "memory sizes M in packets.\nDefault: where P(T > M) is about 0.5 to 1e-6, the loss 1e-2 to 1e-4",
            must_be(numeric::integers_in_words(1, max_memory), slider(1, 2000, 1)));
  add_simulation_options(table, options.run);
}

}  // namespace

Command simulate_switch_command() {
  return command_of<SwitchOptions>(
      {.name = "simulate switch",
       .purpose = "occupancy and loss of shared-memory switches",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_simulation,
       .answer = answer_simulation,
       .layout = [] { return render::with_status(render::simulate_switch_layout()); },
       .example = {{"--inputs", "16"}, {"--load", "0.8"}, {"--memory", "60,80"}}});
}

Command validate_switch_command() {
  return command_of<SwitchValidationOptions>(
      {.name = "validate switch",
       .purpose = "occupancy and loss of shared-memory switches",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_validation,
       .answer = answer_validation,
       .layout = [] { return render::with_status(render::validate_switch_layout()); },
       .example = {{"--inputs", "8"}, {"--load", "0.8"}}});
}

}  // namespace tailbound::cli
