#include <tailbound/core/choice.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/sim/batches/checkpoint.hpp>
#include <tailbound/sim/batches/seen_times.hpp>
#include <tailbound/sim/network/clocked_replication.hpp>
#include <tailbound/sim/network/controlled_replication.hpp>
#include <tailbound/sim/network/simulate_network.hpp>

#include <algorithm>
#include <map>

namespace tailbound::sim {
namespace {

using Batches = std::vector<const Counts*>;
using numeric::Rational;

std::uint64_t at(const Counts& counts, std::size_t row, std::size_t column) {
  return column < counts[row].size() ? counts[row][column] : 0;
}

/// Offered packets per slot, per link.
std::vector<double> offered(const network::Network& network) {
  std::vector<double> loads(network.links.size());
  for (const network::Flow& flow : network.flows)
    for (const network::Route& route : flow.routes)
      for (const std::size_t link : route.links)
        loads[link] += numeric::nearest_double(flow.rate * route.share);
  return loads;
}

/// Of the packets that arrive.
numeric::Estimate<unit::Ratio> loss_of(const std::vector<double>& dropped, const std::vector<double>& came,
                                       double confidence) {
  const bool any = std::any_of(came.begin(), came.end(), [](double packets) { return packets > 0; });
  return any ? estimate<unit::Ratio>(dropped, came, confidence)
             : numeric::Estimate<unit::Ratio>{0, 0, 1, confidence};
}

LinkEstimates link_estimates(const NetworkRows& rows, const Batches& batches, std::size_t link,
                             const NetworkQueries& queries) {
  LinkEstimates result;
  result.link = link;
  const HistogramBatches occupancy(
      batches, [&](const Counts& batch) { return batch[rows.occupancy(link)]; }, queries.confidence);
  result.mean_occupancy = occupancy.mean<unit::Packet>();
  result.tail = occupancy.tails(queries.occupancy_levels);
  std::vector<double> served, slots, dropped, came;
  for (const Counts* batch : batches) {
    served.push_back(total_count((*batch)[rows.waits(link)]));
    slots.push_back(total_count((*batch)[rows.occupancy(link)]));
    result.dropped += at(*batch, rows.drops(link), 0);
    dropped.push_back(static_cast<double>(at(*batch, rows.drops(link), 0)));
    came.push_back(static_cast<double>(at(*batch, rows.drops(link), 1)));
  }
  result.load = estimate<unit::Load>(served, slots, queries.confidence);
  result.loss = loss_of(dropped, came, queries.confidence);
  return result;
}

FlowEstimates flow_estimates(const NetworkRows& rows, const Batches& batches, std::size_t flow,
                             double confidence) {
  FlowEstimates result;
  result.flow = flow;
  std::vector<double> delays, packets;
  for (const Counts* batch : batches) {
    delays.push_back(static_cast<double>(at(*batch, rows.flow_delays(), flow)));
    packets.push_back(static_cast<double>(at(*batch, rows.flow_packets(), flow)));
    result.packets += at(*batch, rows.flow_packets(), flow);
  }
  if (result.packets > 0) result.mean_queueing = estimate<unit::Slot>(delays, packets, confidence);
  return result;
}

numeric::Estimate<unit::Slot> percentile_of(const SeenTimes& times, double fraction, double confidence) {
  const auto found = times.percentile(1 - fraction, confidence);
  const double last = times.times().back();
  if (!found) return {last, last, last, confidence};
  return {found->t, found->at_least.value_or(last), found->at_most.value_or(last), confidence};
}

/// Of links by their own clocks.
class ClockedEstimates {
 public:
  ClockedEstimates(const NetworkModel& model, const Batches& batches, const NetworkQueries& queries)
      : model_(model), batches_(batches), queries_(queries), rows_(model) {
    clocks_ = network::link_clocks(model.network, WaitBins::min_packet);
  }

  [[nodiscard]] NetworkEstimates all() const {
    NetworkEstimates result;
    result.batches = batches_.size();
    std::vector<SeenRow> of_all;
    std::vector<std::vector<SeenRow>> of_flows(model_.network.flows.size());
    for (std::size_t kind = 0; kind < rows_.kinds.size(); ++kind) {
      of_all.push_back({rows_.waits(kind), in_slots(static_cast<double>(rows_.kinds[kind].transfer))});
      if (model_.groups.empty()) of_flows[rows_.kinds[kind].row].push_back(of_all.back());
    }
    estimate_delays(result, batches_, of_all, wait_of_, average_of_, queries_);
    for (std::size_t flow = 0; flow < of_flows.size(); ++flow) {
      FlowEstimates& its = result.flows.emplace_back();
      its.flow = flow;
      const SeenTimes of_flow(batches_, of_flows[flow], wait_of_, false, average_of_);
      its.packets = static_cast<std::uint64_t>(of_flow.packets());
      if (of_flow.any()) its.mean_queueing = of_flow.mean(queries_.confidence);
    }
    for (std::size_t link = 0; link < clocks_.packet.size(); ++link)
      if (clocks_.packet[link] > 0 && model_.network.has_queue(link)) result.links.push_back(of_link(link));
    return result;
  }

 private:
  [[nodiscard]] double in_slots(double ticks) const { return ticks / static_cast<double>(clocks_.slot); }
  [[nodiscard]] LinkEstimates of_link(std::size_t link) const {
    LinkEstimates result;
    result.link = link;
    const HistogramBatches occupancy(
        batches_, [&](const Counts& batch) { return batch[rows_.occupancy(link)]; }, queries_.confidence);
    result.mean_occupancy = occupancy.mean<unit::Packet>();
    result.tail = occupancy.tails(queries_.occupancy_levels);
    std::vector<double> sent, slots, dropped, came;
    for (const Counts* batch : batches_) {
      const auto number = [&](std::size_t column) {
        return static_cast<double>(at(*batch, rows_.packets(link), column));
      };
      dropped.push_back(number(0));
      came.push_back(number(1));
      sent.push_back(number(2));
      slots.push_back(in_slots(total_count((*batch)[rows_.occupancy(link)])));
      result.dropped += at(*batch, rows_.packets(link), 0);
    }
    result.load = estimate<unit::Load>(sent, slots, queries_.confidence);
    result.loss = loss_of(dropped, came, queries_.confidence);
    return result;
  }

  const NetworkModel& model_;
  const Batches& batches_;
  const NetworkQueries& queries_;
  ClockedRows rows_;
  network::LinkClocks clocks_{};
  std::function<double(std::size_t)> wait_of_ = [this](std::size_t bin) {
    return in_slots(static_cast<double>(WaitBins::last(bin)));
  };
  std::function<double(std::size_t)> average_of_ = [this](std::size_t bin) {
    return in_slots(WaitBins::average(bin));
  };
};

/// Delays of all packets, each plus `more` slots per queue.
Histogram delays(const Counts& counts, std::size_t first, std::size_t more) {
  Histogram sum;
  for (std::size_t queues = 0; first + queues < counts.size(); ++queues) {
    const Histogram& row = counts[first + queues];
    const std::size_t shift = more * queues;
    if (!row.empty() && sum.size() < row.size() + shift) sum.resize(row.size() + shift);
    for (std::size_t i = 0; i < row.size(); ++i) sum[i + shift] += row[i];
  }
  return sum;
}

bool has_bursts(const network::Network& network) {
  return std::any_of(network.flows.begin(), network.flows.end(),
                     [](const network::Flow& flow) { return flow.burst.has_value(); });
}

/// Bursts are by the clock of the link on which they leave their source.
SourceMemory max_memory(const network::Network& network) {
  SourceMemory largest;
  if (!has_bursts(network)) return largest;
  std::vector<double> variances(network.links.size());
  for (const network::Flow& flow : network.flows) {
    if (!flow.burst) continue;
    const double per_slot = numeric::nearest_double(network.send_rate(flow));
    const traffic::OnOff whole = traffic::on_off(flow.rate / network.send_rate(flow), *flow.burst);
    std::map<std::size_t, Rational> shares;
    for (const network::Route& route : flow.routes)
      for (const std::size_t link : route.links)
        if (network.has_queue(link)) shares[link] = shares[link] + route.share;
    for (const auto& [link, share] : shares) {
      const SourceMemory memory = memory_of(traffic::thinned(whole, share), 1);
      variances[link] += memory.variance * per_slot;
      largest.slots = std::max(largest.slots, memory.slots / per_slot);
    }
  }
  for (std::size_t link = 0; link < variances.size(); ++link) {
    const double takes = numeric::nearest_double(network.links[link].rate.value());
    largest.variance = std::max(largest.variance, variances[link] / (takes * takes));
  }
  return largest;
}

}  // namespace

NetworkWork network_work(const network::Network& network) {
  NetworkWork work;
  const std::vector<double> loads = offered(network);
  for (std::size_t link = 0; link < loads.size(); ++link) {
    if (!network.has_queue(link)) continue;
    ++work.queues;
    work.utilization =
        std::max(work.utilization, loads[link] / numeric::nearest_double(network.links[link].rate.value()));
    work.steps_per_slot += loads[link];
  }
  work.memory = max_memory(network);
  work.hops = static_cast<int>(NetworkRows(network).max_queues);
  return work;
}

std::string describe(const FlowControl& control) {
  std::string text = std::string(name_of(control.by)) + ", buffers of " + std::to_string(control.buffer) +
                     " packets (" + name_of(control.ingress) + "), round trip " +
                     std::to_string(control.round_trip) + ", output buffers of " +
                     std::to_string(control.output_buffer);
  if (control.by == BackPressure::pause) text += ", headroom " + std::to_string(control.headroom);
  return text;
}

std::string describe(const NetworkModel& model) {
  const std::string text = network::to_toml(model.network);
  std::string result = "network " + model.network.name + " of " + std::to_string(model.network.links.size()) +
                       " links and " + std::to_string(model.network.flows.size()) + " flows (checksum " +
                       std::to_string(checksum(text)) + ")";
  result += ", up to " + std::to_string(NetworkRows(model.network).max_queues) + " queues on a route";
  if (!network::has_unit_speeds(model.network)) result += ", each link by its own clock";
  if (model.buffer) result += ", buffer " + std::to_string(*model.buffer);
  if (model.control) result += ", " + describe(*model.control);
  if (!model.groups.empty())
    result += ", the delays of " + std::to_string(NetworkRows(model).groups.size()) + " groups of flows";
  return result;
}

RunResult run_network(const NetworkModel& model, const RunPlan& plan, const RunControls& controls,
                      std::string_view resume) {
  if (model.control) return run(plan, describe(model), controlled_replications(model), controls, resume);
  const ReplicationFactory clocked = [&](RandomKey key) { return make_clocked_replication(model, key); };
  return run(plan, describe(model),
             !network::has_unit_speeds(model.network) ? clocked : network_replications(model), controls,
             resume);
}

NetworkEstimates network_estimates(const NetworkModel& model, const RunResult& run_result,
                                   const NetworkQueries& queries) {
  const Batches batches = run_result.all();
  if (batches.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(batches.size()), "at least 2");
  if (!network::has_unit_speeds(model.network)) return ClockedEstimates(model, batches, queries).all();
  const NetworkRows rows(model);
  NetworkEstimates result;
  result.batches = batches.size();
  const std::vector<double> loads = offered(model.network);
  for (std::size_t link = 0; link < loads.size(); ++link)
    if (model.network.has_queue(link) && loads[link] > 0)
      result.links.push_back(link_estimates(rows, batches, link, queries));
  for (std::size_t flow = 0; flow < model.network.flows.size(); ++flow)
    result.flows.push_back(flow_estimates(rows, batches, flow, queries.confidence));
  estimate_delays(result, batches, rows.delays(0), queries);
  return result;
}

void estimate_delays(NetworkEstimates& result, const Batches& batches, std::size_t first,
                     const NetworkQueries& queries) {
  const HistogramBatches queueing(
      batches, [&](const Counts& batch) { return delays(batch, first, 0); }, queries.confidence);
  const HistogramBatches latency(
      batches, [&](const Counts& batch) { return delays(batch, first, 1); }, queries.confidence);
  result.packets = static_cast<std::uint64_t>(queueing.all());
  if (result.packets == 0)
    throw InvalidArgument("number of delivered packets", "0", "above 0: simulate more slots");
  result.delay_ccdf = queueing.tails(queries.delay_levels);
  result.mean_queueing = queueing.mean<unit::Slot>();
  result.mean_latency = latency.mean<unit::Slot>();
  for (const double fraction : queries.percentiles)
    result.percentiles.push_back({fraction, queueing.percentile(fraction), latency.percentile(fraction)});
}

void estimate_delays(NetworkEstimates& result, const Batches& batches, const std::vector<SeenRow>& rows,
                     const std::function<double(std::size_t)>& wait_of,
                     const std::function<double(std::size_t)>& average_of, const NetworkQueries& queries) {
  const SeenTimes waits(batches, rows, wait_of, false, average_of),
      latencies(batches, rows, wait_of, true, average_of);
  result.packets = static_cast<std::uint64_t>(waits.packets());
  if (result.packets == 0)
    throw InvalidArgument("number of delivered packets", "0", "above 0: simulate more slots");
  result.mean_queueing = waits.mean(queries.confidence);
  result.mean_latency = latencies.mean(queries.confidence);
  for (const std::int64_t level : queries.delay_levels) {
    const auto t = static_cast<double>(level);
    result.delay_ccdf.push_back({level, waits.tail(t, queries.confidence), waits.count(t)});
  }
  for (const double fraction : queries.percentiles)
    result.percentiles.push_back({fraction, percentile_of(waits, fraction, queries.confidence),
                                  percentile_of(latencies, fraction, queries.confidence)});
}

}  // namespace tailbound::sim
