#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/channels/buffer_cycle.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/fabric/fabric_rates.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/batches/seen_times.hpp>
#include <tailbound/sim/network/clocked_replication.hpp>
#include <tailbound/sim/network/controlled_replication.hpp>
#include <tailbound/sim/sources/on_off_slots.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailbound::answers {
namespace {

using numeric::Rational;

constexpr std::int64_t max_observed_flows = 64;

/// Packet-hops of a run of default length: a few seconds on one core.
constexpr double tree_steps = 3e8, fabric_steps = 1e8, network_steps = 3e7;

/// The simulated model, and its cost.
struct Subject {
  std::variant<sim::TreeModel, sim::NetworkModel, sim::FabricModel> model;
  Workload workload;
};

Subject subject_of(const TreeTopology& topology, const SimulateTreeQuery& query) {
  if (query.control)
    throw InvalidArgument("flow control", "given together with a tree",
                          "omitted; a network file describes the same tree (network fat-tree)");
  sim::TreeModel model = tree_model(topology);
  if (query.buffer) model.buffer = query.buffer->value;
  if (model.load == 1 && !model.buffer) throw Unstable("1");
  const double leaves = std::pow(static_cast<double>(topology.tree.radix), topology.tree.levels);
  if (query.reorder_levels) {
    if (query.buffer)
      throw InvalidArgument("reorder levels", "given together with a buffer",
                            "omitted: the receiver would wait for lost packets forever");
    model.observed_flows = static_cast<int>(std::min(leaves, static_cast<double>(max_observed_flows)));
  }
  const double load = numeric::nearest_double(topology.load);
  const int hops = sim::stage_count(topology.tree);
  return {
      model,
      {load, hops, leaves * load * hops, tree_steps, sim::source_memory(model), query.buffer.has_value()}};
}

Subject subject_of(const NetworkTopology& topology, const SimulateTreeQuery& query) {
  if (query.reorder_levels)
    throw InvalidArgument("reorder levels", "given together with a network",
                          "omitted: reorder buffers are measured only in trees");
  std::optional<std::int64_t> buffer;
  if (query.buffer) buffer = query.buffer->value;
  if (query.control && query.buffer)
    throw InvalidArgument("buffer", "given together with flow control", "that of the flow control");
  if (query.fabric) {
    if (query.control)
      throw NoAnswer("flow control is simulated only in networks whose flows are listed one by one");
    if (!buffer && query.fabric->overloaded) throw network::Overloaded(*query.fabric->overloaded);
    Workload workload = query.fabric->workload;
    workload.finite = buffer.has_value();
    return {sim::FabricModel{query.fabric->tables, buffer}, workload};
  }
  sim::NetworkModel model{topology.network, buffer, {}, query.control};
  if (query.control) sim::require_controllable(model);
  const sim::NetworkWork work = sim::network_work(model.network);
  if (work.queues == 0 || work.utilization == 0)
    throw NoAnswer("nothing to simulate: no flow passes a queue");
  // An idle queue costs about a tenth of a packet.
  const double steps = work.steps_per_slot + 0.1 * static_cast<double>(work.queues);
  return {std::move(model),
          {work.utilization, work.hops, steps, network_steps, work.memory,
           buffer.has_value() || query.control.has_value()}};
}

Subject subject_of(const SimulateTreeQuery& query) {
  return std::visit([&](const auto& topology) { return subject_of(topology, query); }, query.topology);
}

/// Where a network with flow control saturates is not known before: the automatic warm-up is at least a tenth
/// of what is measured.
sim::RunPlan plan_for(const Subject& subject, const SimulateTreeQuery& query) {
  sim::RunPlan plan = plan_of(query.length, subject.workload);
  if (query.control && !query.length.warmup) plan.warmup = std::max(plan.warmup, plan.slots / 640 * 64);
  return plan;
}

template <class Unit>
std::vector<std::int64_t> counts_of(const std::vector<Count<Unit>>& levels) {
  std::vector<std::int64_t> values;
  for (const Count<Unit> level : levels) values.push_back(level.value);
  return values;
}

/// 0, 1, 2, 5, 10, 20, 50, ... 500 000
std::vector<std::int64_t> spread_levels() {
  std::vector<std::int64_t> levels{0};
  for (std::int64_t power = 1; power <= 100'000; power *= 10)
    for (const std::int64_t digit : {1, 2, 5}) levels.push_back(digit * power);
  return levels;
}

/// The first level without observations is the last.
void cut_after_first_unseen(std::vector<sim::LevelEstimate>& tail) {
  const auto unseen =
      std::find_if(tail.begin(), tail.end(), [](const auto& level) { return level.count == 0; });
  if (unseen != tail.end()) tail.erase(unseen + 1, tail.end());
}

/// Rows of the counts with the queueing delays of delivered packets; times in slots.
struct DelayCounts {
  std::vector<sim::SeenRow> rows{};
  std::function<double(std::size_t)> wait_of = [](std::size_t slots) { return static_cast<double>(slots); };
  std::function<double(std::size_t)> average_of = wait_of;  ///< where several waits are counted together

  void add(std::size_t row, int queues) {
    rows.push_back({row, static_cast<double>(queues), static_cast<double>(queues)});
  }
  /// From ticks, of which a slot has so many.
  void divide(double ticks) {
    for (sim::SeenRow& row : rows) row.transfer /= ticks;
    wait_of = [of = std::move(wait_of), ticks](std::size_t at) { return of(at) / ticks; };
    average_of = [of = std::move(average_of), ticks](std::size_t at) { return of(at) / ticks; };
  }
};

DelayCounts delay_counts(const sim::TreeModel& model) {
  const sim::TreeRows rows(model.tree);
  DelayCounts counts;
  for (int turn = 1; turn <= rows.turns; ++turn) counts.add(rows.delays(turn), 2 * turn - 1);
  return counts;
}
DelayCounts delay_counts(const sim::FabricModel& model) {
  const sim::FabricTimes& times = sim::fabric_times(model);
  DelayCounts counts{.rows = times.delays,
                     .wait_of = [&times](std::size_t at) { return times.wait(at); },
                     .average_of = [&times](std::size_t at) { return times.average_wait(at); }};
  counts.divide(static_cast<double>(times.clocks.slowest));
  return counts;
}
DelayCounts delay_counts(const sim::NetworkModel& model) {
  DelayCounts counts;
  if (model.control) {
    const sim::ControlledRows rows(model);
    for (std::size_t queues = 0; queues <= rows.max_queues; ++queues)
      counts.add(rows.delays(queues), static_cast<int>(queues));
    return counts;
  }
  if (!network::has_unit_speeds(model.network)) {
    const network::LinkClocks clocks = network::link_clocks(model.network, sim::WaitBins::min_packet);
    const sim::ClockedRows rows(model);
    for (std::size_t kind = 0; kind < rows.kinds.size(); ++kind)
      counts.rows.push_back({rows.waits(kind), static_cast<double>(rows.kinds[kind].transfer),
                             static_cast<double>(rows.kinds[kind].queues)});
    counts.wait_of = [](std::size_t bin) { return static_cast<double>(sim::WaitBins::last(bin)); };
    counts.average_of = sim::WaitBins::average;
    counts.divide(static_cast<double>(clocks.slot));
    return counts;
  }
  const sim::NetworkRows rows(model.network);
  for (std::size_t queues = 0; queues <= rows.max_queues; ++queues)
    counts.add(rows.delays(queues), static_cast<int>(queues));
  return counts;
}

/// The longest wait [slots], down to a whole number; empty if no packet was counted.
std::optional<std::int64_t> largest(const sim::RunResult& result, const DelayCounts& counts) {
  std::optional<std::int64_t> maximum;
  for (const sim::Counts* batch : result.all())
    for (const sim::SeenRow& row : counts.rows) {
      const auto& histogram = (*batch)[row.row];
      const auto last = std::find_if(histogram.rbegin(), histogram.rend(), [](auto n) { return n > 0; });
      if (last != histogram.rend())
        maximum = std::max(
            maximum.value_or(0),
            static_cast<std::int64_t>(counts.wait_of(static_cast<std::size_t>(histogram.rend() - last) - 1)));
    }
  return maximum;
}

std::optional<std::int64_t> max_delay(const Subject& subject, const sim::RunResult& result) {
  return std::visit([&](const auto& model) { return largest(result, delay_counts(model)); }, subject.model);
}

std::vector<double> fractions(const SimulateTreeQuery& query) {
  std::vector<double> result;
  for (const Rational& p : query.percentiles) result.push_back(numeric::nearest_double(p));
  return result;
}

/// `found` is for a tree or a network.
template <class Estimates>
void take_delays(SimulateTreeAnswer& answer, const Estimates& found, const SimulateTreeQuery& query) {
  answer.packets = found.packets;
  answer.delay_ccdf = found.delay_ccdf;
  answer.mean_queueing = found.mean_queueing;
  answer.mean_latency = found.mean_latency;
  const double unseen = -std::log((1 - query.confidence) / 2) / static_cast<double>(found.packets);
  for (std::size_t i = 0; i < found.percentiles.size(); ++i) {
    SimulatedPercentile& percentile = answer.percentiles.emplace_back();
    percentile.fraction = query.percentiles[i];
    percentile.queueing = found.percentiles[i].queueing;
    percentile.latency = found.percentiles[i].latency;
    if (unseen > numeric::nearest_double(1 - percentile.fraction))
      percentile.queueing.upper = percentile.latency.upper = std::numeric_limits<double>::infinity();
  }
}

/// Latencies in ns, with the latency of a hop.
void take_times(SimulateTreeAnswer& answer, const DelayCounts& counts, const SimulateTreeQuery& query) {
  const double slot = numeric::nearest_double(query.time->slot),
               hop = numeric::nearest_double(query.time->hop);
  std::vector<sim::SeenRow> rows = counts.rows;
  for (sim::SeenRow& row : rows) row.transfer = row.transfer * slot + row.queues * hop;
  const sim::SeenTimes times(
      answer.simulated.result.all(), rows, [&](std::size_t at) { return counts.wait_of(at) * slot; }, true,
      [&](std::size_t at) { return counts.average_of(at) * slot; });
  const numeric::Estimate<unit::Slot> mean = times.mean(query.confidence);
  answer.mean_latency_time = {mean.value, mean.lower, mean.upper, mean.confidence};
  const double last = times.times().back();
  for (SimulatedPercentile& percentile : answer.percentiles) {
    const auto found = times.percentile(numeric::nearest_double(1 - percentile.fraction), query.confidence)
                           .value_or(sim::SeenTimes::Percentile{last, {}, {}});
    percentile.latency_time = {found.t, found.at_least.value_or(last), found.at_most.value_or(last),
                               query.confidence};
    if (std::isinf(percentile.latency.upper)) percentile.latency_time->upper = percentile.latency.upper;
  }
}

/// `from` is a stage or a link.
SimulatedQueue queue_of(const auto& from) {
  SimulatedQueue queue;
  queue.load = from.load;
  queue.mean_occupancy = from.mean_occupancy;
  queue.loss = from.loss;
  queue.dropped = from.dropped;
  queue.tail = from.tail;
  return queue;
}

void read(SimulateTreeAnswer& answer, const sim::TreeModel& model, const SimulateTreeQuery& query) {
  const bool spread = query.reorder_levels && query.reorder_levels->empty();
  sim::TreeQueries queries{.occupancy_levels = counts_of(query.occupancy_levels),
                           .delay_levels = counts_of(query.delay_levels),
                           .percentiles = fractions(query),
                           .confidence = query.confidence};
  if (query.reorder_levels)
    queries.reorder_levels = spread ? spread_levels() : counts_of(*query.reorder_levels);
  const sim::TreeEstimates found = sim::tree_estimates(model, answer.simulated.result, queries);
  take_delays(answer, found, query);
  answer.reorder_tail = found.reorder_tail;
  if (spread) cut_after_first_unseen(answer.reorder_tail);
  for (const sim::StageEstimates& stage : found.stages) {
    SimulatedQueue& queue = answer.queues.emplace_back(queue_of(stage));
    queue.hop = stage.stage + 1;
    queue.level = stage.level;
    queue.up = stage.up;
  }
}

sim::NetworkQueries network_queries(const SimulateTreeQuery& query) {
  return {.occupancy_levels = counts_of(query.occupancy_levels),
          .delay_levels = counts_of(query.delay_levels),
          .percentiles = fractions(query),
          .confidence = query.confidence};
}

void read(SimulateTreeAnswer& answer, const sim::FabricModel& model, const SimulateTreeQuery& query) {
  const sim::NetworkEstimates found =
      sim::fabric_estimates(model, answer.simulated.result, network_queries(query));
  take_delays(answer, found, query);
  for (const sim::LinkEstimates& link : found.links)
    answer.queues.emplace_back(queue_of(link)).link = sim::queue_kinds(model).kinds[link.link].name;
}

std::vector<std::string> names_of_links(const sim::NetworkModel& model,
                                        const std::vector<std::size_t>& links) {
  std::vector<std::string> names;
  for (const std::size_t link : links) names.push_back(model.network.link_name(link));
  return names;
}

/// With flow control.
void read_controlled(SimulateTreeAnswer& answer, const sim::NetworkModel& model,
                     const SimulateTreeQuery& query) {
  const sim::ControlledEstimates found =
      sim::controlled_estimates(model, answer.simulated.result, network_queries(query));
  CarriedTraffic& carried = answer.carried.emplace();
  carried.throughput = found.throughput;
  for (const network::Flow& flow : model.network.flows) carried.offered = carried.offered + flow.rate;
  carried.balance = found.balance;
  carried.saturated = found.saturated;
  carried.cycle = names_of_links(model, network::buffer_cycle(model.network));
  if (found.deadlock)
    carried.deadlock = {found.deadlock->replications, found.deadlock->after,
                        names_of_links(model, found.deadlock->links)};
  answer.packets = found.balance.delivered;
  if (found.delays) take_delays(answer, *found.delays, query);
  for (const sim::ControlledLinkEstimates& link : found.links) {
    SimulatedQueue& queue = answer.queues.emplace_back();
    queue.link = model.network.link_name(link.link);
    queue.load = link.load;
    queue.mean_occupancy = link.waiting;
    queue.loss = link.loss;
    queue.dropped = link.dropped;
    queue.tail = link.tail;
    queue.blocked = link.blocked;
    if (link.has_buffer) queue.buffered = link.buffered;
    queue.growth = link.growth;
  }
  for (const sim::ControlledFlowEstimates& flow : found.flows) {
    const network::Flow& its = model.network.flows[flow.flow.flow];
    answer.flows.push_back({its.name, flow.flow.packets, {}, its.rate, flow.throughput});
    if (carried.stationary()) answer.flows.back().mean_queueing = flow.flow.mean_queueing;
  }
}

void read(SimulateTreeAnswer& answer, const sim::NetworkModel& model, const SimulateTreeQuery& query) {
  if (model.control) {
    read_controlled(answer, model, query);
    return;
  }
  const sim::NetworkEstimates found =
      sim::network_estimates(model, answer.simulated.result, network_queries(query));
  take_delays(answer, found, query);
  for (const sim::LinkEstimates& link : found.links)
    answer.queues.emplace_back(queue_of(link)).link = model.network.link_name(link.link);
  for (const sim::FlowEstimates& flow : found.flows)
    answer.flows.push_back({.name = model.network.flows[flow.flow].name,
                            .packets = flow.packets,
                            .mean_queueing = flow.mean_queueing,
                            .offered = model.network.flows[flow.flow].rate});
}

/// From 0 on, below `end`, about 60 or fewer.
std::vector<std::int64_t> levels_below(std::int64_t end) {
  constexpr std::int64_t max_points = 60;
  std::vector<std::int64_t> levels;
  for (std::int64_t level = 0; level < end; level += 1 + end / max_points) levels.push_back(level);
  return levels;
}

sim::RunResult run_model(const sim::TreeModel& model, const sim::RunPlan& plan,
                         const sim::RunControls& controls, std::string_view resume) {
  return sim::run_tree(model, plan, controls, resume);
}
sim::RunResult run_model(const sim::FabricModel& model, const sim::RunPlan& plan,
                         const sim::RunControls& controls, std::string_view resume) {
  return sim::run_fabric(model, plan, controls, resume);
}
sim::RunResult run_model(const sim::NetworkModel& model, const sim::RunPlan& plan,
                         const sim::RunControls& controls, std::string_view resume) {
  return sim::run_network(model, plan, controls, resume);
}

}  // namespace

std::shared_ptr<const SimulatedFabric> simulated_fabric(const network::Fabric& fabric) {
  SimulatedFabric result;
  const sim::FabricModel model{result.tables = sim::fabric_tables(fabric), {}};
  const network::FabricGraph graph(fabric);
  const network::FabricRates rates = network::fabric_rates(graph, network::fabric_orbits(graph));
  result.workload.hops = sim::max_queues(model);
  result.workload.steps = fabric_steps;
  result.workload.steps_per_slot = 0;
  for (const network::FabricRates::Queue& queue : rates.queues()) {
    const double load = numeric::nearest_double(queue.load);
    result.workload.utilization =
        std::max(result.workload.utilization, numeric::nearest_double(queue.utilization()));
    result.workload.steps_per_slot += load * static_cast<double>(queue.links);
  }
  if (auto full = network::overloaded_links(fabric.network, rates); !full.empty())
    result.overloaded.emplace(std::move(full));
  if (rates.queues().empty()) throw NoAnswer("nothing to simulate: no traffic passes a queue");
  return std::make_shared<const SimulatedFabric>(std::move(result));
}

std::vector<Rational> simulable_tails() {
  std::vector<Rational> tails;
  for (const char* tail : {"0.5", "0.2", "0.1", "0.03", "0.01", "0.003", "0.001", "1e-4", "1e-5", "1e-6"})
    tails.push_back(numeric::parse_rational(tail, "tail"));
  return tails;
}

sim::TreeModel tree_model(const TreeTopology& topology) {
  network::require_valid(topology.tree);
  if (!(topology.load > 0 && topology.load <= 1))
    throw InvalidArgument("load", numeric::to_fraction(topology.load),
                          "above 0 and at most 1 packet per slot");
  if (topology.burst) static_cast<void>(sim::OnOffSlots(traffic::on_off(topology.load, *topology.burst)));
  sim::TreeModel model{.tree = topology.tree, .load = topology.load, .routing = topology.routing};
  model.burst = topology.burst;
  model.destination = topology.destination;
  return model;
}

sim::RunPlan plan_of(const SimulateTreeQuery& query) {
  return plan_for(subject_of(query), query);
}

SimulateTreeAnswer answer(const SimulateTreeQuery& query, const Run& run) {
  const Subject subject = subject_of(query);
  SimulateTreeAnswer answer;
  answer.simulated = simulate(
      plan_for(subject, query), !query.length.warmup,
      [&](const sim::RunPlan& plan, const sim::RunControls& controls, std::string_view resume) {
        return std::visit([&](const auto& model) { return run_model(model, plan, controls, resume); },
                          subject.model);
      },
      run);
  if (!query.control && !max_delay(subject, answer.simulated.result))
    throw NoAnswer("no packet was delivered during the measured slots; increase --slots");
  std::visit(
      [&](const auto& model) {
        read(answer, model, query);
        if (query.time && answer.has_delays()) take_times(answer, delay_counts(model), query);
      },
      subject.model);
  return answer;
}

std::vector<sim::LevelEstimate> whole_delay_ccdf(const SimulateTreeQuery& query,
                                                 const SimulateTreeAnswer& answer) {
  const Subject subject = subject_of(query);
  const sim::RunResult& result = answer.simulated.result;
  const std::vector<std::int64_t> levels = levels_below(max_delay(subject, result).value_or(0));
  if (const auto* fabric = std::get_if<sim::FabricModel>(&subject.model))
    return sim::fabric_estimates(*fabric, result, {.delay_levels = levels}).delay_ccdf;
  if (const auto* network = std::get_if<sim::NetworkModel>(&subject.model);
      network != nullptr && network->control)
    return sim::controlled_estimates(*network, result, {.delay_levels = levels}).delays.value().delay_ccdf;
  if (const auto* network = std::get_if<sim::NetworkModel>(&subject.model))
    return sim::network_estimates(*network, result, {.delay_levels = levels}).delay_ccdf;
  return sim::tree_estimates(std::get<sim::TreeModel>(subject.model), result, {.delay_levels = levels})
      .delay_ccdf;
}

std::vector<sim::LevelEstimate> whole_occupancy_tail(const SimulateTreeQuery& query,
                                                     const SimulateTreeAnswer& answer) {
  const Subject subject = subject_of(query);
  const auto& model = std::get<sim::TreeModel>(subject.model);
  const std::size_t row = sim::TreeRows(model.tree).occupancy(0);
  std::size_t size = 0;
  for (const sim::Counts* batch : answer.simulated.result.all()) size = std::max(size, (*batch)[row].size());
  const std::vector<std::int64_t> levels = levels_below(static_cast<std::int64_t>(size) - 1);
  return sim::tree_estimates(model, answer.simulated.result, {.occupancy_levels = levels})
      .stages.front()
      .tail;
}

}  // namespace tailbound::answers
