#include <cln/rational.h>
#include <cli/burst_options.hpp>
#include <cli/commands.hpp>
#include <cli/simulated_points.hpp>
#include <cli/traffic_options.hpp>
#include <cli/unit_options.hpp>
#include <tailbound/answers/simulate_switch.hpp>
#include <tailbound/render/documents/simulate_switch.hpp>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// `simulate switch`: an output-queued switch with a shared memory, slot by slot.
namespace tailbound::cli {
namespace {

using answers::SimulateSwitchQuestion;
using numeric::Rational;
using sim::SwitchModel;

constexpr std::int64_t most_inputs = 1024, most_outputs = 4096, most_room = 10'000'000;
constexpr std::int64_t most_level = 1'000'000'000;

/// As typed; an option that was not given is empty.
struct SwitchOptions {
  std::optional<std::string> inputs, outputs, load, rates, hot, memory, threshold, buffer, occupancy, sizes,
      cell_bytes, arrive;
  BurstOptions burst;
  SimulationOptions run;
  UnitOptions units;
};

void require_share(const Rational& value, const char* option, bool zero) {
  if (value > 1 || value < 0 || (value == 0 && !zero))
    throw InvalidArgument(option, plain(value), zero ? "from 0 to 1" : "above 0 and at most 1 packet a slot");
}

/// The rates of the inputs, for each combination of --inputs and --load; or as --rates lists them.
std::vector<std::vector<Rational>> read_rates(const SwitchOptions& options) {
  if (options.rates) {
    for (const auto& [name, value] :
         {std::pair{"--inputs", &options.inputs}, std::pair{"--load", &options.load}})
      if (*value) throw InvalidArgument(name, "given together with --rates", "left out");
    std::vector<Rational> rates = parse_percent_list(*options.rates, "--rates", most_inputs);
    for (const Rational& rate : rates) require_share(rate, "--rates", false);
    return {std::move(rates)};
  }
  const std::string& inputs = required(options.inputs, "--inputs", "given: from 1 to 1024");
  const std::string& load = required(options.load, "--load", "given: packets a slot of each input");
  std::vector<std::vector<Rational>> all;
  for (const std::int64_t count : parse_integers(inputs, "--inputs", 1, most_inputs))
    for (const Rational& rate : parse_percent_list(load, "--load")) {
      require_share(rate, "--load", false);
      all.emplace_back(static_cast<std::size_t>(count), rate);
    }
  return all;
}

std::vector<std::optional<std::int64_t>> read_rooms(const std::optional<std::string>& text,
                                                    const char* option) {
  if (!text) return {std::nullopt};
  std::vector<std::optional<std::int64_t>> rooms;
  for (const std::int64_t room : parse_integers(*text, option, 1, most_room)) rooms.emplace_back(room);
  return rooms;
}

std::vector<std::optional<Rational>> read_thresholds(const SwitchOptions& options) {
  if (!options.threshold) return {std::nullopt};
  if (!options.memory)
    throw InvalidArgument("--threshold", "given without --memory", "given with --memory M");
  std::vector<std::optional<Rational>> thresholds;
  for (const Rational& alpha : parse_list(*options.threshold, "--threshold")) {
    if (alpha <= 0 || alpha > 1'000'000)
      throw InvalidArgument("--threshold", plain(alpha), "above 0 and at most 1000000");
    thresholds.emplace_back(alpha);
  }
  return thresholds;
}

/// The packets of --sizes, in cells of --cell-bytes: "imix", or bytes with how many have them, "64:7,1518:1".
std::vector<traffic::CellClass> read_sizes(const SwitchOptions& options) {
  if (!options.sizes) {
    for (const auto& [name, value] :
         {std::pair{"--cell-bytes", &options.cell_bytes}, std::pair{"--arrive", &options.arrive}})
      if (*value) throw InvalidArgument(name, "given without --sizes", "given with --sizes LIST");
    return {};
  }
  for (const auto& [name, value, legal] :
       {std::tuple{"--burst", &options.burst.burst, "left out: a packet of several cells is a burst itself"},
        std::tuple{"--packet-bytes", &options.units.packet_bytes, "left out: --sizes says it"}})
    if (*value) throw InvalidArgument(name, "given together with --sizes", legal);
  const std::int64_t cell =
      options.cell_bytes ? parse_integer(*options.cell_bytes, "--cell-bytes", 1, 65'536) : 64;
  return (*options.sizes == "imix" ? traffic::PacketSizes::imix()
                                   : traffic::PacketSizes::of_list(*options.sizes, "--sizes"))
      .cells(cell)
      .classes;
}

/// `vary(model, value)` of each model and value, the values changing fastest.
template <class Value, class Vary>
std::vector<SwitchModel> each(const std::vector<SwitchModel>& models, const std::vector<Value>& values,
                              const Vary& vary) {
  std::vector<SwitchModel> all;
  for (const SwitchModel& model : models)
    for (const Value& value : values) vary(all.emplace_back(model), value);
  return all;
}

/// One for each combination of what was given as lists.
std::vector<SwitchModel> read_models(const SwitchOptions& options) {
  std::vector<SwitchModel> models;
  for (std::vector<Rational>& rates : read_rates(options)) models.push_back({.rates = std::move(rates)});
  for (SwitchModel& model : models) model.outputs = static_cast<std::int64_t>(model.rates.size());
  if (options.outputs)
    models = each(models, parse_integers(*options.outputs, "--outputs", 1, most_outputs),
                  [](SwitchModel& model, std::int64_t outputs) { model.outputs = outputs; });
  if (options.hot) {
    const std::vector<Rational> shares = parse_percent_list(*options.hot, "--hot");
    for (const Rational& hot : shares) require_share(hot, "--hot", true);
    models = each(models, shares, [](SwitchModel& model, const Rational& hot) { model.hot = hot; });
  }
  std::vector<SwitchModel> bursty;
  for (const SwitchModel& model : models) {
    for (const Rational& rate : model.rates) static_cast<void>(read_bursts(options.burst, rate));
    for (const auto& burst : read_bursts(options.burst, model.rates.front()))
      bursty.emplace_back(model).burst = burst;
  }
  models = each(bursty, read_destinations(options.burst.destination, options.burst.burst.has_value()),
                [](SwitchModel& model, auto destination) { model.destination = destination; });
  if (std::vector<traffic::CellClass> sizes = read_sizes(options); !sizes.empty()) {
    for (SwitchModel& model : models) model.sizes = sizes;
    models = each(models,
                  choices_or_first<sim::PacketArrival>(
                      options.arrive, "--arrive",
                      {{"whole", sim::PacketArrival::whole}, {"cells", sim::PacketArrival::cells}}),
                  [](SwitchModel& model, sim::PacketArrival arrival) { model.arrival = arrival; });
  }
  models = each(models, read_thresholds(options),
                [](SwitchModel& model, const auto& alpha) { model.threshold = alpha; });
  models = each(models, read_rooms(options.memory, "--memory"),
                [](SwitchModel& model, const auto& room) { model.memory = room; });
  return each(models, read_rooms(options.buffer, "--buffer"),
              [](SwitchModel& model, const auto& room) { model.buffer = room; });
}

std::vector<SimulateSwitchQuestion> read_questions(const SwitchOptions& options) {
  std::vector<SimulateSwitchQuestion> questions;
  std::vector<Packets> levels;
  if (options.occupancy)
    for (const std::int64_t level : parse_integers(*options.occupancy, "--occupancy", 0, most_level))
      levels.emplace_back(level);
  const answers::RunLength length = read_run_length(options.run);
  for (SwitchModel& model : read_models(options))
    questions.push_back({.model = std::move(model), .levels = levels, .length = length});
  require_one_to_resume(options.run, questions.size());
  for (SimulateSwitchQuestion& question : questions) {
    question.steps /= static_cast<double>(questions.size());  // all together take no longer than one
    static_cast<void>(answers::plan_of(question));            // may each be simulated?
  }
  return questions;
}

Reply answer(const SwitchOptions& options, const Context& context) {
  return {.document = simulate_points(
              read_questions(options), options.run, context,
              [&](auto points, std::size_t asked) { return render::document(std::move(points), asked); })};
}

void add_options(OptionTable& table, SwitchOptions& options) {
  const OptionGroup inputs(table, "Traffic"), memory(table, "Memory"), question(table, "Question");
  inputs.add("--inputs", options.inputs, "K", "inputs, each sends at most one packet a slot");
  inputs.add("--outputs", options.outputs, "N", "outputs, each with a queue (K unless told)");
  inputs.add("--load", options.load, "R", "packets a slot of each input: 0.8 or 80%");
  inputs.add("--rates", options.rates, "LIST", "of inputs with rates of their own, in place of both");
  inputs.add("--hot", options.hot, "H",
             "share of the packets that go to output 0 beyond its even\nshare of the rest");
  inputs.add("--burst", options.burst.burst, "L", "each input sends in bursts of L slots in the mean");
  inputs.add("--on-rate", options.burst.on_rate, "R1", "packets a slot within a burst (1)");
  inputs.add("--destination", options.burst.destination, "NAME",
             "per-burst (the default): a burst keeps its output; or\nper-packet: every packet draws its own");
  inputs.add(
      "--sizes", options.sizes, "LIST",
      "packets of several cells: imix, or bytes and shares,\n64:7,594:4,1518:1; --load is then in cells");
  inputs.add("--cell-bytes", options.cell_bytes, "C", "of --sizes (64)");
  inputs.add("--arrive", options.arrive, "NAME",
             "the cells of a packet: whole, all in one slot (the default);\nor cells, one a slot");
  memory.add("--memory", options.memory, "M",
             "packets that all queues share, those in transmission\nincluded; unlimited unless told");
  memory.add("--threshold", options.threshold, "ALPHA",
             "dynamic threshold: an output takes a packet only while its\nqueue is below ALPHA times the "
             "free memory");
  memory.add("--buffer", options.buffer, "B", "packets of each output's queue at most");
  question.add("--occupancy", options.occupancy, "LIST",
               "n of P(T > n), all queues, and P(Q > n), one output;\n0,1,2,5,10,.. unless told");
  add_simulation_options(table, options.run);
  add_unit_options(table, options.units);
}

}  // namespace

Command simulate_switch_command() {
  return command_of<SwitchOptions>("simulate switch", "an output-queued switch whose queues share one memory",
                                   true, add_options, answer);
}

}  // namespace tailbound::cli
