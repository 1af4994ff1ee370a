#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/simulation/cross_check.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace tailbound::answers {
namespace {

/// Packet-hops simulated in 0.2 to 0.4 s, and the factor if a check is requested explicitly.
constexpr double check_tree_steps = 9e7, check_network_steps = 5e6, check_fabric_steps = 1.5e7;
/// Cost of a slot in which no packet moves.
constexpr double slot_steps = 40;
constexpr double thorough_steps = 10, max_thorough_steps = 100;
/// Length of a run in relaxation times of its busiest queue, for intervals from batches.
constexpr double min_relaxations = 100, min_slots = 2000;
constexpr double resolved_to = 0.2, underestimated_by = 1.10, overestimated_by = 0.5;
constexpr std::size_t max_checked_flows = 4096;
constexpr double sought_tails[] = {0.3, 0.1, 0.03, 1e-2, 1e-3, 1e-4};

/// The plan of the run, or none if it would take too long.
std::optional<sim::RunPlan> check_plan(const Workload& workload, CheckEffort effort, CrossCheck& check) {
  const double minimum =
      std::max(min_slots, min_relaxations * sim::relaxation_slots(workload.utilization, workload.memory));
  const auto plan_of_slots = [&](double slots) {
    return sim::automatic_plan(workload.utilization, workload.hops,
                               static_cast<std::int64_t>(std::min(slots, 1e9)), 1, 1, workload.memory);
  };
  const auto warmup = static_cast<double>(plan_of_slots(minimum).warmup);
  double affordable = workload.steps / workload.steps_per_slot - warmup;
  if (effort == CheckEffort::thorough)
    affordable = thorough_steps * workload.steps / workload.steps_per_slot - warmup;
  const double needed = (warmup + minimum) * workload.steps_per_slot;
  if (affordable < minimum &&
      (effort == CheckEffort::affordable || needed > max_thorough_steps * workload.steps)) {
    check.skipped = true;
    if (needed <= max_thorough_steps * workload.steps) check.packet_hops = needed;
    return std::nullopt;
  }
  sim::RunPlan plan = plan_of_slots(std::max(affordable, minimum));
  check.packet_hops = static_cast<double>(plan.replication_slots()) * workload.steps_per_slot;
  check.slots = plan.batch_slots() * plan.batches;
  return plan;
}

/// P(D > t) of the packets counted in some rows, batch by batch.
class SeenTails {
 public:
  SeenTails(const sim::RunResult& result, const std::vector<std::size_t>& rows) {
    for (const sim::Counts* counts : result.all()) {
      std::vector<double> above;  // [t]: packets with D >= t
      for (const std::size_t row : rows) {
        const auto& histogram = (*counts)[row];
        above.resize(std::max(above.size(), histogram.size()));
        for (std::size_t t = 0; t < histogram.size(); ++t) above[t] += static_cast<double>(histogram[t]);
      }
      for (std::size_t t = above.size(); t-- > 1;) above[t - 1] += above[t];
      packets_.push_back(above.empty() ? 0 : above.front());
      reach_ = std::max(reach_, above.size());
      above_.push_back(std::move(above));
    }
  }
  [[nodiscard]] bool any() const { return reach_ > 0; }
  /// One more than the maximum observed delay.
  [[nodiscard]] std::size_t reach() const { return reach_; }
  [[nodiscard]] numeric::Estimate<unit::Probability> tail(std::size_t t, double confidence) const {
    std::vector<double> seen;
    for (const auto& above : above_) seen.push_back(t + 1 < above.size() ? above[t + 1] : 0);
    return sim::estimate<unit::Probability>(seen, packets_, confidence);
  }
  /// Packets with D > t.
  [[nodiscard]] std::uint64_t count(std::size_t t) const {
    double all = 0;
    for (const auto& above : above_) all += t + 1 < above.size() ? above[t + 1] : 0;
    return static_cast<std::uint64_t>(all);
  }

 private:
  std::vector<std::vector<double>> above_;
  std::vector<double> packets_;
  std::size_t reach_ = 0;
};

bool is_resolved(const numeric::Estimate<unit::Probability>& tail) {
  return tail.value > 0 && tail.upper - tail.lower <= 2 * resolved_to * tail.value;
}

/// Those nearest to sought_tails and the rarest, of all that are resolved; 0 if none is.
std::vector<Slots> levels_to_check(const SeenTails& seen) {
  std::map<std::size_t, double> resolved;
  for (std::size_t t = 0; t + 1 < seen.reach(); t += 1 + t / 16)
    if (const auto tail = seen.tail(t, 0.95); is_resolved(tail)) resolved[t] = tail.value;
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

struct CheckedPart {
  std::optional<std::size_t> flow;
  SeenTails seen;
  std::vector<Slots> levels;
};

void judge(CrossCheck& check, const std::vector<CheckedPart>& parts, const ComputedTails& computed,
           bool bounds) {
  std::vector<std::vector<Slots>> levels;
  std::size_t count = 0;
  for (const CheckedPart& part : parts) {
    levels.push_back(part.levels);
    count += part.levels.size();
  }
  const std::vector<std::vector<double>> probabilities = computed(levels);
  const double of_each = confidence_of_each(count);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = 0; j < levels[i].size(); ++j) {
      const auto t = static_cast<std::size_t>(levels[i][j].value);
      CheckedLevel& level = check.levels.emplace_back();
      level.flow = parts[i].flow;
      level.slots = levels[i][j];
      level.simulated = parts[i].seen.tail(t, 0.95);
      level.count = parts[i].seen.count(t);
      level.computed = probabilities[i][j];
      const auto together = parts[i].seen.tail(t, of_each);
      if (together.lower > underestimated_by * level.computed)
        level.agreement = Agreement::underestimates;
      else if (!bounds && together.upper < overestimated_by * level.computed)
        level.agreement = Agreement::pessimistic;
    }
}

/// Runs a model and judges each of the flows and all packets.
/// \param rows_of  of each of `flows`;  \param all_rows  of all packets
void simulate_and_judge(CrossCheck& check, const sim::RunPlan& plan, const sim::ReplicationFactory& make,
                        const std::vector<std::vector<std::size_t>>& rows_of,
                        const std::vector<std::size_t>& all_rows, const CheckedDelays& delays,
                        const Run& run) {
  const sim::RunResult result = sim::run(plan, "cross-check", make, {.stop = run.stop});
  if (!result.complete) {
    check.skipped = true;
    return;
  }
  std::vector<CheckedPart> parts;
  const auto add = [&](std::optional<std::size_t> flow, const std::vector<std::size_t>& rows) {
    SeenTails seen(result, rows);
    std::vector<Slots> levels;
    if (seen.any()) levels = levels_to_check(seen);
    parts.push_back({flow, std::move(seen), std::move(levels)});
  };
  for (std::size_t flow = 0; flow < rows_of.size(); ++flow) add(flow, rows_of[flow]);
  if (delays.all) add(std::nullopt, all_rows);
  judge(check, parts, delays.computed, delays.bounds);
}

CrossCheck check_of(const TreeTopology& topology, const CheckedDelays& delays, CheckEffort effort,
                    const Run& run) {
  const sim::TreeModel model = tree_model(topology);
  const double load = numeric::nearest_double(topology.load);
  const double leaves = std::pow(static_cast<double>(topology.tree.radix), topology.tree.levels);
  const int hops = sim::stage_count(topology.tree);
  CrossCheck check;
  const auto plan =
      check_plan({load, hops, leaves * load * hops + slot_steps, check_tree_steps, sim::source_memory(model)},
                 effort, check);
  if (!plan) return check;
  const sim::TreeRows rows(model.tree);
  std::vector<std::size_t> all;
  for (int turn = 1; turn <= rows.turns; ++turn) all.push_back(rows.delays(turn));
  simulate_and_judge(
      check, *plan, [&](sim::RandomKey key) { return sim::make_tree_replication(model, key); }, {}, all,
      delays, run);
  return check;
}

CrossCheck check_of(const NetworkTopology& topology, const CheckedDelays& delays, CheckEffort effort,
                    const Run& run) {
  sim::NetworkModel model{topology.network, std::nullopt};
  const sim::NetworkWork work = sim::network_work(model.network);
  CrossCheck check;
  if (work.queues == 0 || work.utilization == 0) {
    check.skipped = true;
    return check;
  }
  // A sending node costs a third of a packet-hop, an idle queue a tenth.
  std::set<std::size_t> senders;
  for (const network::Flow& flow : model.network.flows) senders.insert(flow.source);
  const double steps = work.steps_per_slot + 0.1 * static_cast<double>(work.queues) +
                       0.3 * static_cast<double>(senders.size());
  const auto plan =
      check_plan({work.utilization, work.hops, steps, check_network_steps, work.memory}, effort, check);
  if (!plan) return check;
  model.flow_delays = delays.flows.size() <= max_checked_flows;
  const sim::NetworkRows rows(model);
  std::vector<std::vector<std::size_t>> flows;
  std::vector<std::size_t> all;
  for (std::size_t row = rows.delays(0); row < rows.count(); ++row) all.push_back(row);
  if (model.flow_delays) {
    std::map<std::string, std::size_t> position;
    for (std::size_t flow = 0; flow < model.network.flows.size(); ++flow)
      position[model.network.flows[flow].name] = flow;
    for (const std::string& name : delays.flows) flows.push_back({rows.delays_of_flow(position.at(name))});
  }
  simulate_and_judge(
      check, *plan, [&](sim::RandomKey key) { return sim::make_network_replication(model, key); }, flows, all,
      delays, run);
  return check;
}

}  // namespace

bool CrossCheck::contradicted() const {
  return std::any_of(levels.begin(), levels.end(),
                     [](const CheckedLevel& level) { return level.agreement != Agreement::agrees; });
}

bool CrossCheck::contradicted(std::optional<std::size_t> flow) const {
  return std::any_of(levels.begin(), levels.end(), [&](const CheckedLevel& level) {
    return level.flow == flow && level.agreement != Agreement::agrees;
  });
}

const CheckedLevel* CrossCheck::rarest(std::optional<std::size_t> flow) const {
  const CheckedLevel* last = nullptr;
  for (const CheckedLevel& level : levels)
    if (level.flow == flow) last = &level;
  return last;
}

CrossCheck cross_check(const Topology& topology, const CheckedDelays& delays, CheckEffort effort,
                       const Run& run) {
  return std::visit([&](const auto& its) { return check_of(its, delays, effort, run); }, topology);
}

CrossCheck cross_check(const network::Fabric& fabric, const Workload& workload, const ComputedTails& computed,
                       CheckEffort effort, const Run& run) {
  CrossCheck check;
  Workload its = workload;
  its.steps = check_fabric_steps;
  const auto plan = check_plan(its, effort, check);
  if (!plan) return check;
  const sim::FabricModel model{sim::fabric_tables(fabric), {}};
  const sim::FabricRows rows{sim::queue_kinds(model).kinds.size()};
  std::vector<std::size_t> all;
  for (int queues = 0; queues <= sim::max_queues(model); ++queues)
    all.push_back(rows.delays(static_cast<std::size_t>(queues)));
  simulate_and_judge(
      check, *plan, [&](sim::RandomKey key) { return sim::make_fabric_replication(model, key); }, {}, all,
      {.computed = computed}, run);
  return check;
}

}  // namespace tailbound::answers
