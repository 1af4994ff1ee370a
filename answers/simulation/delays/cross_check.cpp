#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/simulation/delays/cross_check.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/sim/network/clocked_replication.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace tailbound::answers {
namespace {

/// Packet-hops simulated in 0.2 to 0.4 s, and the factor of a usual simulation.
constexpr double brief_tree_steps = 9e7, brief_network_steps = 5e6, brief_clocked_steps = 2e6,
                 brief_fabric_steps = 1.5e7, brief_clocked_fabric_steps = 4e6;
constexpr double usual_steps = 5;
/// Cost of a slot in which no packet moves.
constexpr double slot_steps = 40;
/// What may be simulated without a request, as a multiple of the length.
constexpr double longest_unasked = 3;
/// Length of a run in relaxation times of its busiest queue, for intervals from batches.
constexpr double min_relaxations = 100, min_slots = 2000;
/// How far computed and simulated may be apart where rarer than `rare`.
constexpr double rarely_apart_by = 1.25, rare = 1e-3;
constexpr double sought_tails[] = {0.3, 0.1, 0.03, 1e-2, 1e-3, 1e-4};

/// The plan of the run, or none if it would take too long.
/// \throws LimitExceeded  as sim::automatic_plan()
std::optional<sim::RunPlan> planned(const Workload& workload, DelayEffort effort, CrossCheck& check) {
  const bool brief = effort == DelayEffort::brief;
  const int replications = brief ? 1 : 4;
  const double steps = workload.steps * (brief ? 1 : usual_steps);
  const double minimum =
      std::max(min_slots, min_relaxations * sim::relaxation_slots(workload.utilization, workload.memory)) /
      replications;
  const auto plan_of_slots = [&](double slots) {
    return sim::automatic_plan(workload.utilization, workload.hops,
                               static_cast<std::int64_t>(std::min(slots, 1e12)), replications, 1,
                               workload.memory);
  };
  const auto warmup = static_cast<double>(plan_of_slots(minimum).warmup);
  const double affordable = steps / workload.steps_per_slot / replications - warmup;
  const double needed = (warmup + minimum) * workload.steps_per_slot * replications;
  if (effort != DelayEffort::requested && needed > steps * (brief ? 1 : longest_unasked)) {
    check.skipped = true;
    check.packet_hops = needed;
    return std::nullopt;
  }
  const sim::RunPlan plan = plan_of_slots(std::max(affordable, minimum));
  check.packet_hops = static_cast<double>(plan.replication_slots()) * workload.steps_per_slot * replications;
  check.slots = plan.batch_slots() * plan.batches * replications;
  return plan;
}

std::optional<sim::RunPlan> check_plan(const Workload& workload, DelayEffort effort, CrossCheck& check) {
  try {
    return planned(workload, effort, check);
  } catch (const LimitExceeded&) {
    if (effort == DelayEffort::requested) throw;
    check.skipped = true;
    return std::nullopt;
  }
}

/// Those nearest to sought_tails and the rarest, of all that are resolved; 0 if none is.
std::vector<Slots> levels_to_check(const SeenTimes& seen) {
  std::map<std::size_t, double> resolved;
  const auto last = static_cast<std::size_t>(seen.deepest_resolved().value_or(0));
  for (std::size_t t = 0; t <= last; t += 1 + t / 16)
    if (const auto tail = seen.tail(static_cast<double>(t)); SeenTimes::is_resolved(tail))
      resolved[t] = tail.value;
  std::set<std::size_t> chosen{0};
  if (!resolved.empty()) {
    chosen = {std::min_element(resolved.begin(), resolved.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
              })->first};
    for (const double solve_for : sought_tails) {
      const auto off = [solve_for](const auto& at) { return std::abs(std::log(at.second / solve_for)); };
      chosen.insert(std::min_element(resolved.begin(), resolved.end(), [&](const auto& a, const auto& b) {
                      return off(a) < off(b);
                    })->first);
    }
  }
  std::vector<Slots> levels;
  for (const std::size_t t : chosen) levels.emplace_back(static_cast<std::int64_t>(t));
  return levels;
}

/// Levels to be compared, of a flow or of all packets, without `computed`.
std::vector<CheckedLevel> part_of(std::optional<std::size_t> flow, const SeenTimes& seen,
                                  std::int64_t steps) {
  std::vector<CheckedLevel> part;
  if (!seen.any()) return part;
  for (const Slots t : levels_to_check(seen)) {
    const auto at = static_cast<double>(t.value);
    part.push_back(
        {.flow = flow, .slots = t, .steps = steps, .simulated = seen.tail(at), .count = seen.count(at)});
  }
  return part;
}

Agreement judged(double computed, const numeric::Estimate<unit::Probability>& simulated, bool bound) {
  const double apart = simulated.value < rare ? rarely_apart_by : agreeing_factor;
  if (computed < simulated.lower && computed * apart < simulated.value) return Agreement::underestimates;
  if (!bound && computed > simulated.upper && computed > apart * simulated.value)
    return Agreement::overestimates;
  return Agreement::agrees;
}

void judge(CrossCheck& check, const std::vector<std::vector<CheckedLevel>>& parts,
           const CheckedDelays& delays) {
  std::vector<std::vector<Slots>> levels;
  for (const auto& part : parts) {
    levels.emplace_back();
    for (const CheckedLevel& level : part) levels.back().push_back(level.slots);
  }
  const std::vector<std::vector<double>> probabilities = delays.computed(levels);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = 0; j < parts[i].size(); ++j) {
      CheckedLevel& level = check.levels.emplace_back(parts[i][j]);
      level.computed = probabilities[i][j];
      level.agreement = judged(level.computed, level.simulated, delays.bounds);
    }
}

}  // namespace

class DelaySimulation {
 public:
  DelaySimulation(DelayEffort effort, const Run& run) : effort_(effort), run_(run) {}

  /// \param workload  with the packet-hops of a brief simulation
  void simulate(const Workload& workload, const sim::ReplicationFactory& make) {
    const auto plan = check_plan(workload, effort_, its_.length_);
    if (!plan) return;
    sim::RunControls controls{.threads = run_.threads, .stop = run_.stop};
    if (effort_ == DelayEffort::requested && run_.progress)
      controls.progress = [this](const sim::Progress& progress) {
        run_.progress(progress.done, progress.left.count());
      };
    its_.result_ = sim::run(*plan, "delays", make, controls);
    if (!its_.result_.complete)
      its_.length_.skipped = true;
    else
      its_.length_.packets = its_.waits(std::nullopt).packets();
  }
  void use_clocks(const network::LinkClocks& clocks, bool mixed_speeds) {
    its_.steps_ = clocks.slot;
    its_.clocked_ = mixed_speeds;
  }
  void add_all(const SeenRow& row) { its_.all_.push_back(row); }
  void add_group(const SeenRow& row, std::size_t group) {
    its_.groups_.resize(std::max(its_.groups_.size(), group + 1));
    its_.groups_[group].push_back(row);
  }
  /// Packets that pass so many queues, a slot each.
  static SeenRow in_slots(std::size_t row, std::size_t queues) {
    return {row, static_cast<double>(queues), static_cast<double>(queues)};
  }
  [[nodiscard]] SimulatedDelays take() { return std::move(its_); }

 private:
  DelayEffort effort_;
  const Run& run_;
  SimulatedDelays its_;
};

namespace {

SimulatedDelays simulated(const TreeTopology& topology, const std::vector<std::size_t>&, DelayEffort effort,
                          const Run& run) {
  const sim::TreeModel model = tree_model(topology);
  const double load = numeric::nearest_double(topology.load);
  const double leaves = std::pow(static_cast<double>(topology.tree.radix), topology.tree.levels);
  const int hops = sim::stage_count(topology.tree);
  DelaySimulation simulation(effort, run);
  const sim::TreeRows rows(model.tree);
  for (int turn = 1; turn <= rows.turns; ++turn)
    simulation.add_all(simulation.in_slots(rows.delays(turn), static_cast<std::size_t>(2 * turn - 1)));
  simulation.simulate(
      {load, hops, leaves * load * hops + slot_steps, brief_tree_steps, sim::source_memory(model)},
      [&](sim::RandomKey key) { return sim::make_tree_replication(model, key); });
  return simulation.take();
}

SimulatedDelays simulated(const NetworkTopology& topology, const std::vector<std::size_t>& groups,
                          DelayEffort effort, const Run& run) {
  const sim::NetworkModel model{topology.network, std::nullopt, groups};
  const sim::NetworkWork work = sim::network_work(model.network);
  DelaySimulation simulation(effort, run);
  if (!network::has_unit_speeds(model.network)) {
    simulation.use_clocks(network::link_clocks(model.network, sim::WaitBins::min_packet), true);
    const sim::ClockedRows rows(model);
    for (std::size_t kind = 0; kind < rows.kinds.size(); ++kind) {
      const sim::ClockedKind& its = rows.kinds[kind];
      const SeenRow row{rows.waits(kind), static_cast<double>(its.transfer), static_cast<double>(its.queues)};
      simulation.add_all(row);
      simulation.add_group(row, its.row);
    }
    simulation.simulate(
        {std::max(work.utilization, 1e-9), work.hops, work.steps_per_slot, brief_clocked_steps, work.memory},
        [&](sim::RandomKey key) { return sim::make_clocked_replication(model, key); });
    return simulation.take();
  }
  const sim::NetworkRows rows(model);
  for (std::size_t queues = 0; queues <= rows.max_queues; ++queues)
    simulation.add_all(simulation.in_slots(rows.delays(queues), queues));
  for (std::size_t group = 0; group < rows.groups.size(); ++group)
    for (std::size_t queues = rows.groups[group].fewest; queues <= rows.groups[group].most; ++queues)
      simulation.add_group(simulation.in_slots(rows.delays_of_group(group, queues), queues), group);
  // A sending node costs a third of a packet-hop, an idle queue a tenth.
  std::set<std::size_t> senders;
  for (const network::Flow& flow : model.network.flows) senders.insert(flow.source);
  const double steps = work.steps_per_slot + 0.1 * static_cast<double>(work.queues) +
                       0.3 * static_cast<double>(senders.size());
  simulation.simulate({std::max(work.utilization, 1e-9), work.hops, steps, brief_network_steps, work.memory},
                      sim::network_replications(model));
  return simulation.take();
}

}  // namespace

SeenTimes SimulatedDelays::seen(const std::vector<SeenRow>& rows, bool latency) const {
  if (!clocked_)
    return {result_.all(), rows, [](std::size_t slots) { return static_cast<double>(slots); }, latency};
  return {result_.all(), rows, [](std::size_t bin) { return static_cast<double>(sim::WaitBins::last(bin)); },
          latency, sim::WaitBins::average};
}

SimulatedDelays simulated_delays(const Topology& topology, const std::vector<std::size_t>& groups,
                                 DelayEffort effort, const Run& run) {
  return std::visit([&](const auto& its) { return simulated(its, groups, effort, run); }, topology);
}

SimulatedDelays simulated_delays(const network::Fabric& fabric, const Workload& workload, DelayEffort effort,
                                 const Run& run) {
  Workload its = workload;
  const sim::FabricModel model{sim::fabric_tables(fabric), {}};
  const sim::FabricTimes& times = sim::fabric_times(model);
  its.steps = times.mixed_speeds ? brief_clocked_fabric_steps : brief_fabric_steps;
  DelaySimulation simulation(effort, run);
  simulation.use_clocks(times.clocks, times.mixed_speeds);
  for (const SeenRow& row : times.delays) simulation.add_all(row);
  simulation.simulate(its, [&](sim::RandomKey key) { return sim::make_fabric_replication(model, key); });
  return simulation.take();
}

CrossCheck cross_check(const SimulatedDelays& simulated, const CheckedDelays& delays) {
  CrossCheck check = simulated.length();
  if (check.skipped) return check;
  std::vector<std::vector<CheckedLevel>> parts;
  std::map<std::size_t, std::size_t> first;  // flow of each group
  for (std::size_t flow = 0; flow < delays.groups.size(); ++flow) {
    const auto [place, is_new] = first.try_emplace(delays.groups[flow], flow);
    if (is_new)
      parts.push_back(part_of(flow, simulated.waits(delays.groups[flow]), simulated.steps()));
    else
      parts.emplace_back(parts[place->second]);
    for (CheckedLevel& level : parts.back()) level.flow = flow;
  }
  if (delays.all) parts.push_back(part_of(std::nullopt, simulated.waits(std::nullopt), simulated.steps()));
  judge(check, parts, delays);
  return check;
}

}  // namespace tailbound::answers
