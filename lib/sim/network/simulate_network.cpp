#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/sim/batches/checkpoint.hpp>
#include <tailbound/sim/network/simulate_network.hpp>

#include <algorithm>

namespace tailbound::sim {
namespace {

using Batches = std::vector<const Counts*>;

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
  const bool any = std::any_of(came.begin(), came.end(), [](double packets) { return packets > 0; });
  result.loss = any ? estimate<unit::Ratio>(dropped, came, queries.confidence)
                    : numeric::Estimate<unit::Ratio>{0, 0, 1, queries.confidence};
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

SourceMemory max_memory(const network::Network& network) {
  SourceMemory largest;
  if (!has_bursts(network)) return largest;
  const auto traffic = network::queue_traffic(network, network::Sources::independent_sources);
  for (std::size_t link = 0; link < traffic.size(); ++link) {
    if (!network.has_queue(link)) continue;
    double variance = 0;
    for (const network::BurstySource& bursty : traffic[link].bursts) {
      const SourceMemory memory = memory_of(bursty.source, bursty.count);
      variance += memory.variance;
      largest.slots = std::max(largest.slots, memory.slots);
    }
    const double takes = numeric::nearest_double(traffic[link].rate.value());
    largest.variance = std::max(largest.variance, variance / (takes * takes));
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

std::string describe(const NetworkModel& model) {
  const std::string text = network::to_toml(model.network);
  std::string result = "network " + model.network.name + " of " + std::to_string(model.network.links.size()) +
                       " links and " + std::to_string(model.network.flows.size()) + " flows (checksum " +
                       std::to_string(checksum(text)) + ")";
  result += ", up to " + std::to_string(NetworkRows(model.network).max_queues) + " queues on a route";
  if (model.buffer) result += ", buffer " + std::to_string(*model.buffer);
  if (!model.groups.empty())
    result += ", the delays of " + std::to_string(NetworkRows(model).groups.size()) + " groups of flows";
  return result;
}

RunResult run_network(const NetworkModel& model, const RunPlan& plan, const RunControls& controls,
                      std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_network_replication(model, key); }, controls,
      resume);
}

NetworkEstimates network_estimates(const NetworkModel& model, const RunResult& run_result,
                                   const NetworkQueries& queries) {
  const Batches batches = run_result.all();
  if (batches.size() < 2)
    throw InvalidArgument("number of completed batches", std::to_string(batches.size()), "at least 2");
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

}  // namespace tailbound::sim
