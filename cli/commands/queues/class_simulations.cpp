#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/options/files.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/precision.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/classes/simulate_classes.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/render/documents/classes/simulate_classes.hpp>

#include <optional>
#include <string>
#include <vector>

/// Slot-by-slot simulation of one output: `simulate classes` with any scheduler, `simulate buffer` with any
/// traffic.
namespace tailbound::cli {
namespace {

using answers::Combinations;
using answers::SimulateClassesQuery;
using numeric::Rational;
using sim::ClassModel;
using sim::Schedule;

/// As typed; empty if not given.
struct ClassesOptions {
  std::optional<std::string> inputs, classes, joint, burst, on_rate, schedule, weights, buffers, occupancy,
      percentiles;
  bool normalize = false;  ///< the probabilities of --joint
  SimulationOptions run;
  UnitOptions units;
};

std::vector<std::optional<traffic::Burst>> read_class_bursts(const ClassesOptions& options,
                                                             const Rational& load) {
  return read_bursts({.traffic = {}, .burst = options.burst, .on_rate = options.on_rate, .destination = {}},
                     load);
}

/// From --inputs and --classes with bursts, or from --joint.
std::vector<ClassModel> read_class_traffic(const ClassesOptions& options) {
  if (options.joint) {
    reject_with({{"--inputs", &options.inputs},
                 {"--classes", &options.classes},
                 {"--burst", &options.burst},
                 {"--on-rate", &options.on_rate}},
                "--joint", "the file defines all arrivals");
    const std::string text = read_file(*options.joint, "--joint");
    ClassModel model;
    const auto normalise = options.normalize ? series::Normalise::yes : series::Normalise::rounding;
    for (const queue::ClassPackets& each : queue::parse_joint(text, *options.joint, normalise).packets) {
      model.loads.resize(each.packets.size(), Rational(0));
      for (std::size_t c = 0; c < each.packets.size(); ++c)
        model.loads[c] = model.loads[c] + each.probability * Rational(each.packets[c]);
      model.joint.push_back({each.packets, each.probability});
    }
    return {model};
  }
  if (options.normalize) throw needs("--normalize", "--joint FILE");
  const std::string& text =
      required(options.classes, "--classes", "give the load of each class, such as --classes 0.3,0.3,0.25");
  const std::string& inputs =
      required(options.inputs, "--inputs", "give the number of inputs from 1 to 1024, such as --inputs 16");
  const std::vector<Rational> loads = parse_percent_list(text, "--classes", ClassModel::max_classes);
  std::vector<ClassModel> models;
  for (const std::int64_t count : parse_integers(inputs, "--inputs", 1, ClassModel::max_inputs)) {
    ClassModel model{.inputs = count, .loads = loads};
    for (const Rational& load : loads)
      if (load <= 0) throw InvalidArgument("--classes", text, "loads above 0 packets per slot");
    if (model.load() > Rational(count))
      throw InvalidArgument(
          "--classes", text,
          fmt::format("at most {} packets per slot together: each input sends one at most", count));
    for (const auto& burst : read_class_bursts(options, model.load() / Rational(count)))
      models.emplace_back(model).burst = burst;
  }
  return models;
}

std::vector<std::int64_t> read_capacities(const ClassesOptions& options, std::size_t classes) {
  if (!options.buffers) return {};
  const std::vector<std::int64_t> capacities =
      counts_of(*options.buffers, "--buffers", 1, ClassModel::max_capacity, packet_unit(options.units));
  if (capacities.size() != classes)
    throw InvalidArgument("--buffers", *options.buffers,
                          fmt::format("{} numbers of packets, one for each class", classes));
  return capacities;
}

std::vector<Rational> read_weights(const ClassesOptions& options, Schedule schedule, std::size_t classes) {
  if (schedule == Schedule::strict) return {};
  if (!options.weights) return std::vector<Rational>(classes, Rational(1));
  const std::vector<Rational> weights = parse_list(*options.weights, "--weights", ClassModel::max_classes);
  if (weights.size() != classes)
    throw InvalidArgument("--weights", *options.weights,
                          fmt::format("{} weights, one for each class", classes));
  return weights;
}

std::vector<Rational> read_percentiles(const std::optional<std::string>& text) {
  return text ? percentiles().read(*text, "--percentiles") : std::vector<Rational>();
}

/// All together take no longer than one; each can be simulated.
std::vector<SimulateClassesQuery> checked(std::vector<SimulateClassesQuery> queries,
                                          const SimulationOptions& run) {
  require_one_to_resume(run, queries.size());
  for (SimulateClassesQuery& query : queries) query.steps /= static_cast<double>(queries.size());
  require_plans(queries);
  return queries;
}

std::vector<SimulateClassesQuery> read_queries(const ClassesOptions& options) {
  const std::vector<Schedule> schedules = choices_or_first<Schedule>(options.schedule, "--schedule");
  if (options.weights &&
      std::all_of(schedules.begin(), schedules.end(), [](Schedule each) { return each == Schedule::strict; }))
    throw needs("--weights", "--schedule wrr or drr");
  SimulateClassesQuery requested{.model = {},
                                 .levels = packets_of(options.occupancy, "--occupancy", 0, 1'000'000'000)};
  requested.length = read_run_length(options.run);
  requested.percentiles = read_percentiles(options.percentiles);
  std::vector<SimulateClassesQuery> queries;
  for (ClassModel& model : read_class_traffic(options)) {
    model.capacities = read_capacities(options, model.classes());
    for (const Schedule schedule : schedules) {
      model.schedule = schedule;
      model.weights = read_weights(options, schedule, model.classes());
      queries.emplace_back(requested).model = model;
    }
  }
  return checked(std::move(queries), options.run);
}

template <class Options>
Reply simulated(std::vector<SimulateClassesQuery> queries, const Options& options, const Context& context) {
  const answers::Units units = read_units(options.units);
  const auto document_of = [&](auto points, std::size_t requested) {
    return render::document(std::move(points), requested, units);
  };
  return simulate_requested(
      std::move(queries), options.run, context, document_of,
      [&](const SimulateClassesQuery& query) { return render::inputs_of(query, units); });
}

Reply answer(const ClassesOptions& options, const Context& context) {
  return simulated(read_queries(options), options, context);
}

// --- simulate buffer

/// As typed; empty if not given.
struct OutputOptions {
  TrafficOptions traffic;
  std::optional<std::string> capacity, occupancy, percentiles;
  SimulationOptions run;
  UnitOptions units;
};

/// One for each traffic and entry of --capacity; classes share one simulation.
std::vector<SimulateClassesQuery> read_outputs(const OutputOptions& options) {
  SimulateClassesQuery requested{.model = {},
                                 .levels = packets_of(options.occupancy, "--occupancy", 0, 1'000'000'000)};
  requested.length = read_run_length(options.run);
  requested.percentiles = read_percentiles(options.percentiles);
  const auto buffers = answers::or_none(
      packets_of(options.capacity, "--capacity", 1, ClassModel::max_capacity, packet_unit(options.units)));
  std::vector<SimulateClassesQuery> queries;
  for (const answers::Traffic& traffic : read_traffics(options.traffic)) {
    const auto* classes = std::get_if<answers::TrafficClass>(&traffic.source);
    if (classes != nullptr && classes->priority != 1) continue;
    for (const auto& buffer : buffers) {
      SimulateClassesQuery& query = queries.emplace_back(requested);
      query.traffic = traffic;
      query.model = answers::simulated_output(traffic, buffer);
    }
  }
  return checked(std::move(queries), options.run);
}

Reply answer_output(const OutputOptions& options, const Context& context) {
  return simulated(read_outputs(options), options, context);
}

void add_results(const OptionGroup& query, std::optional<std::string>& occupancy,
                 std::optional<std::string>& percentiles) {
  query.add("--occupancy", occupancy, "LIST",
            "n of P(L > n) and P(W > n), in packets and slots.\nDefault 0,1,2,5,10,..",
            must_be(numeric::integers_in_words(0, 1'000'000'000)));
  query.add("--percentiles", percentiles, "LIST",
            "percentiles in percent, 99.9, or fractions below 1.\n0.999 is 99.9 %, but 1 is 1 %",
            cli::percentiles().values);
}

void declare_output(OptionTable& table, OutputOptions& options) {
  add_traffic_options(table, options.traffic);
  const OptionGroup query(table, "Results");
  query.add(
      "--capacity", options.capacity, "B",
      "buffer size in packets or bytes (default unlimited).\nOf each class; it counts the packet in service",
      must_be(numeric::integers_in_words(1, ClassModel::max_capacity), slider(1, 1000, 1)));
  add_results(query, options.occupancy, options.percentiles);
  add_simulation_options(table, options.run);
  add_precision_option(table, options.run);
  add_unit_options(table, options.units);
}

void declare(OptionTable& table, ClassesOptions& options) {
  const OptionGroup traffic(table, "Traffic"), output(table, "Scheduler"), query(table, "Results");
  traffic.add("--inputs", options.inputs, "K", "inputs; each sends at most 1 packet per slot",
              must_be(numeric::integers_in_words(1, ClassModel::max_inputs), slider(2, 64, 1)));
  traffic.add("--classes", options.classes, "R1,R2,..", "packets per slot of each class, class 1 first",
              must_be("loads above 0 packets per slot"));
  traffic.add("--joint", options.joint, "FILE",
              "packets of each class per slot, with probabilities.\nLines \"n1,n2,..,probability\" in place "
              "of --inputs and --classes (docs/files.md)");
  traffic.add_flag("--normalize", options.normalize,
                   "divide the probabilities of --joint by their sum.\nDefault: only where the sum differs "
                   "from 1 by rounding");
  traffic.add("--burst", options.burst, "L",
              "mean burst length of an input in slots.\nEach burst is of one class",
              must_be("at least 1 slot", slider(2, 128, 1)));
  traffic.add("--on-rate", options.on_rate, "R1", "packets per slot within a burst (default 1)",
              must_be("above 0 and at most 1 packet per slot", slider(0.05, 1, 0.05)));
  output.add("--schedule", options.schedule, "NAME",
             "strict, wrr or drr (default strict).\nStrict priority, weighted or deficit round robin",
             choices<Schedule>());
  output.add("--weights", options.weights, "W1,W2,..",
             "weights of wrr and drr (default 1 each).\nOf wrr in packets per round",
             must_be("above 0, one for each class"));
  output.add("--buffers", options.buffers, "B1,B2,..",
             "buffer of each class in packets or bytes (default unlimited)",
             must_be(numeric::integers_in_words(1, ClassModel::max_capacity)));
  add_results(query, options.occupancy, options.percentiles);
  add_simulation_options(table, options.run);
  add_precision_option(table, options.run);
  add_unit_options(table, options.units);
}

}  // namespace

Command simulate_buffer_command() {
  return command_of<OutputOptions>(
      {.name = "simulate buffer",
       .purpose = "occupancy, delay and loss of one output queue",
       .work = Work::simulation,
       .draws = true,
       .declare = declare_output,
       .answer = answer_output,
       .layout = [] { return render::with_status(render::simulate_buffer_layout()); },
       .example = {{"--inputs", "16"}, {"--load", "0.9"}}});
}

Command simulate_classes_command() {
  return command_of<ClassesOptions>(
      {.name = "simulate classes",
       .purpose = "delay and loss of priority or weighted classes",
       .work = Work::simulation,
       .draws = true,
       .declare = declare,
       .answer = answer,
       .layout = [] { return render::with_status(render::simulate_classes_layout()); },
       .example = {{"--inputs", "16"}, {"--classes", "0.3,0.3,0.25"}}});
}

}  // namespace tailbound::cli
