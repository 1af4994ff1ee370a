#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/delay_question.hpp>
#include <cli/option_group.hpp>
#include <cli/simulate_tree.hpp>
#include <cli/traffic_options.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::cli {
namespace {

using numeric::Rational;

constexpr std::int64_t most_packets = 1'000'000'000;
constexpr std::int64_t most_observed_flows = 64;

/// Packet-hops of a run whose length is not told: some seconds on one core.
constexpr double tree_steps = 3e8, network_steps = 3e7;

std::vector<std::int64_t> read_levels(const std::optional<std::string>& text, const char* option) {
  std::vector<std::int64_t> levels;
  if (!text) return levels;
  for (const Rational& entry : parse_list(*text, option))
    levels.push_back(parse_integer(numeric::to_fraction(entry), option, 0, most_packets));
  return levels;
}

/// 0, 1, 2, 5, 10, 20, 50, ... 500 000
std::vector<std::int64_t> spread_levels() {
  std::vector<std::int64_t> levels{0};
  for (std::int64_t power = 1; power <= 100'000; power *= 10)
    for (const std::int64_t digit : {1, 2, 5}) levels.push_back(digit * power);
  return levels;
}

struct Sized {
  SimulatedModel model;
  std::string title;
  Workload workload;
};

Sized tree_to_simulate(const PlaceOptions& options, std::optional<std::int64_t> buffer, bool observe_flows,
                       const BurstOptions& bursts) {
  TreePlace place = read_tree_place(options);
  if (!(place.load > 0 && place.load <= 1))
    throw InvalidArgument("--load", *options.load, "above 0 and at most 1 packet a slot");
  if (place.load == 1 && !buffer) throw Unstable("1", 1);
  const double leaves = std::pow(static_cast<double>(place.tree.radix), place.tree.levels);
  const double load = numeric::nearest_double(place.load);
  const int hops = sim::stage_count(place.tree);
  sim::TreeModel model{.tree = place.tree, .load = place.load, .routing = place.routing, .buffer = buffer};
  model.burst = read_leaf_bursts(bursts, options);
  if (observe_flows)
    model.observed_flows = static_cast<int>(std::min(leaves, static_cast<double>(most_observed_flows)));
  return {model,
          place.title + burst_in_words(model.burst),
          {load, hops, leaves * load * hops, tree_steps, sim::source_memory(model)}};
}

Sized network_to_simulate(const PlaceOptions& options, std::optional<std::int64_t> buffer) {
  sim::NetworkModel model{read_network_place(options), buffer};
  const sim::NetworkWork work = sim::network_work(model.network);
  if (work.queues == 0 || work.utilization == 0)
    throw NoAnswer("there is nothing to simulate: no flow passes a queue");
  std::string title = model.network.name.empty() ? *options.network : model.network.name;
  // An idle queue costs about a tenth of a packet.
  const double steps = work.steps_per_slot + 0.1 * static_cast<double>(work.queues);
  return {
      std::move(model), std::move(title), {work.utilization, work.hops, steps, network_steps, work.memory}};
}

std::vector<double> fractions(const SimulationQuestions& questions) {
  std::vector<double> result;
  for (const Rational& p : questions.percentiles) result.push_back(numeric::nearest_double(p));
  return result;
}

/// Beyond what so few packets can show, the upper end is not known.
PercentileEstimates percentile(const Rational& fraction, ShownEstimate queueing, ShownEstimate latency,
                               std::uint64_t packets) {
  const double above = numeric::nearest_double(1 - fraction);
  const double unseen = -std::log((1 - queueing.confidence) / 2) / static_cast<double>(packets);
  queueing.open = latency.open = unseen > above;
  return {fraction, queueing, latency};
}

template <class Estimates>
void take_delays(SimulationEstimates& to, const Estimates& from, const SimulationQuestions& questions) {
  to.packets = from.packets;
  to.ccdf = from.delay_ccdf;
  to.mean_queueing = shown(from.mean_queueing);
  to.mean_latency = shown(from.mean_latency);
  for (std::size_t i = 0; i < from.percentiles.size(); ++i)
    to.percentiles.push_back(percentile(questions.percentiles[i], shown(from.percentiles[i].queueing),
                                        shown(from.percentiles[i].latency), from.packets));
}

/// Of a link or a stage.
QueueEstimates queue_estimates(const auto& from, std::string name) {
  return {.name = std::move(name),
          .load = shown(from.load),
          .mean_occupancy = shown(from.mean_occupancy),
          .loss = shown(from.loss),
          .dropped = from.dropped,
          .tail = from.tail};
}

SimulationEstimates estimates_of(const sim::TreeModel& model, const sim::RunResult& result,
                                 const SimulationQuestions& questions) {
  const sim::TreeEstimates found = sim::tree_estimates(model, result,
                                                       {.occupancy_levels = questions.occupancy_levels,
                                                        .delay_levels = questions.delay_levels,
                                                        .percentiles = fractions(questions),
                                                        .reorder_levels = questions.reorder_levels,
                                                        .confidence = questions.confidence});
  SimulationEstimates shown_estimates;
  take_delays(shown_estimates, found, questions);
  shown_estimates.reorder_tail = found.reorder_tail;
  for (const sim::StageEstimates& stage : found.stages) {
    shown_estimates.queues.push_back(queue_estimates(stage, std::to_string(stage.stage + 1)));
    shown_estimates.queues.back().level = stage.level;
    shown_estimates.queues.back().up = stage.up;
  }
  return shown_estimates;
}

SimulationEstimates estimates_of(const sim::NetworkModel& model, const sim::RunResult& result,
                                 const SimulationQuestions& questions) {
  const sim::NetworkEstimates found = sim::network_estimates(model, result,
                                                             {.occupancy_levels = questions.occupancy_levels,
                                                              .delay_levels = questions.delay_levels,
                                                              .percentiles = fractions(questions),
                                                              .confidence = questions.confidence});
  SimulationEstimates shown_estimates;
  take_delays(shown_estimates, found, questions);
  for (const sim::LinkEstimates& link : found.links)
    shown_estimates.queues.push_back(queue_estimates(link, model.network.link_name(link.link)));
  for (const sim::FlowEstimates& flow : found.flows) {
    FlowMean& mean = shown_estimates.flows.emplace_back();
    mean.name = model.network.flows[flow.flow].name;
    mean.packets = flow.packets;
    if (flow.mean_queueing) mean.queueing = shown(*flow.mean_queueing);
  }
  return shown_estimates;
}

/// Rows of the counts that hold the queueing delays of delivered packets.
std::vector<std::size_t> delay_rows(const SimulatedModel& model) {
  if (const auto* network = std::get_if<sim::NetworkModel>(&model))
    return {sim::NetworkRows(network->network).delays()};
  const sim::TreeRows rows(std::get<sim::TreeModel>(model).tree);
  std::vector<std::size_t> result;
  for (int turn = 1; turn <= rows.turns; ++turn) result.push_back(rows.delays(turn));
  return result;
}

/// The greatest queueing delay seen; empty if no packet was delivered.
std::optional<std::int64_t> greatest_delay(const SimulatedModel& model, const sim::RunResult& result) {
  std::optional<std::int64_t> greatest;
  for (const sim::Counts* batch : result.all())
    for (const std::size_t row : delay_rows(model)) {
      const auto& histogram = (*batch)[row];
      const auto last = std::find_if(histogram.rbegin(), histogram.rend(), [](auto n) { return n > 0; });
      if (last != histogram.rend())
        greatest = std::max(greatest.value_or(0), static_cast<std::int64_t>(histogram.rend() - last) - 1);
    }
  return greatest;
}

}  // namespace

void add_tree_simulation_options(CLI::App& command, TreeSimulationOptions& options) {
  const OptionGroup question(command, "Question");
  add_place_options(command, options.place);
  add_burst_options(command, options.burst, "A tree under uniform traffic");
  OptionGroup(command, "Model")
      .add("--buffer", options.buffer, "B", "room of each queue in packets; what does not fit is lost");
  question.add("--percentiles", options.percentiles, "LIST",
               "in percent; 50,90,99,99.99,99.9999 unless told");
  question.add("--ccdf", options.ccdf, "LIST", "slots t of P(queueing delay > t): 0,10,100 or 0:200:10");
  question.add("--occupancy", options.occupancy, "LIST", "packets n of P(Q > n), for each hop");
  command.add_flag("--reorder", options.reorder, "the reorder buffers of up to 64 leaves' packets: P(R > b)")
      ->group("Question");
  question.add("--reorder-levels", options.reorder_levels, "LIST", "the same, for these b");
  question.add(
      "--rare", options.rare, "X",
      "instead of all these: P(Q > n) down to 1e-280, n = X, or where\nit is near X < 1; --slots of hop 1: "
      "its cycles");
  question.add("--hop", options.hop, "H", "of --rare (1)");
  add_simulation_options(command, options.run);
}

std::optional<traffic::Burst> read_leaf_bursts(const BurstOptions& options, const PlaceOptions& place) {
  if (!place.network) {
    const Rational load = numeric::parse_rational(*place.load, "--load");
    const auto burst = read_burst(options, load, *place.load);
    try {
      if (burst) static_cast<void>(sim::OnOffSlots(traffic::on_off(load, *burst)));
    } catch (const InvalidArgument& error) {
      throw InvalidArgument("--burst", *options.burst, error.legal());
    }
    return burst;
  }
  for (const auto& [name, value] :
       {std::pair{"--traffic", &options.traffic}, std::pair{"--burst", &options.burst},
        std::pair{"--on-rate", &options.on_rate}})
    if (*value)
      throw InvalidArgument(name, "given together with --network",
                            "left out: the file says which flows have a burst");
  return {};
}

TreeSimulationRequest read_place_to_simulate(const PlaceOptions& place, const SimulationOptions& run,
                                             const std::optional<std::string>& buffer, bool observe_flows,
                                             const BurstOptions& bursts) {
  require_one_place(place);
  if (place.network) (void)read_leaf_bursts(bursts, place);
  std::optional<std::int64_t> room;
  if (buffer) room = parse_integer(*buffer, "--buffer", 1, most_packets);
  Sized sized =
      place.network ? network_to_simulate(place, room) : tree_to_simulate(place, room, observe_flows, bursts);
  TreeSimulationRequest request;
  request.model = std::move(sized.model);
  request.title = std::move(sized.title);
  if (room) request.title += fmt::format(", room for {} packet{}", *room, *room == 1 ? "" : "s");
  request.plan = read_plan(run, sized.workload);
  return request;
}

TreeSimulationRequest read_tree_simulation(const TreeSimulationOptions& options) {
  if (options.hop) throw InvalidArgument("--hop", "given without --rare", "given with --rare X");
  const bool observe = options.reorder || options.reorder_levels;
  if (observe && options.place.network)
    throw InvalidArgument(options.reorder ? "--reorder" : "--reorder-levels", "given together with --network",
                          "left out: reorder buffers are measured in trees");
  if (observe && options.buffer)
    throw InvalidArgument(options.reorder ? "--reorder" : "--reorder-levels", "given together with --buffer",
                          "left out: packets that are lost would be waited for without end");
  SimulationQuestions questions{.occupancy_levels = read_levels(options.occupancy, "--occupancy"),
                                .delay_levels = {},
                                .reorder_levels = read_levels(options.reorder_levels, "--reorder-levels"),
                                .percentiles = read_percentiles(options.percentiles)};
  if (options.ccdf) questions.delay_levels = read_ccdf_slots(*options.ccdf);
  TreeSimulationRequest request =
      read_place_to_simulate(options.place, options.run, options.buffer, observe, options.burst);
  request.questions = std::move(questions);
  request.reorder_levels_found = options.reorder && !options.reorder_levels;
  if (request.reorder_levels_found) request.questions.reorder_levels = spread_levels();
  return request;
}

SimulationEstimates estimates(const SimulatedModel& model, const sim::RunResult& result,
                              const SimulationQuestions& questions) {
  if (!greatest_delay(model, result))
    throw NoAnswer("no packet was delivered while the simulation was measured: more --slots are needed");
  return std::visit([&](const auto& its) { return estimates_of(its, result, questions); }, model);
}

Simulated simulate(const TreeSimulationRequest& request, const SimulationOptions& options,
                   const Context& context) {
  const Simulation simulation = [&](const sim::RunPlan& plan, const sim::RunControls& controls,
                                    std::string_view resume) {
    if (const auto* network = std::get_if<sim::NetworkModel>(&request.model))
      return sim::run_network(*network, plan, controls, resume);
    return sim::run_tree(std::get<sim::TreeModel>(request.model), plan, controls, resume);
  };
  return simulate(options, request.plan, simulation, context);
}

std::vector<sim::LevelEstimate> whole_ccdf(const SimulatedModel& model, const sim::RunResult& result) {
  constexpr std::int64_t most_points = 60;
  const std::int64_t last = greatest_delay(model, result).value_or(0);
  SimulationQuestions questions;
  for (std::int64_t slots = 0; slots < last; slots += 1 + last / most_points)
    questions.delay_levels.push_back(slots);
  return estimates(model, result, questions).ccdf;
}

}  // namespace tailbound::cli
