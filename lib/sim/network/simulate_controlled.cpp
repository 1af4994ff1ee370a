#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/network/simulate_controlled.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tailbound::sim {
namespace {

using numeric::nearest_double;

constexpr double sure_growth = 0.999;  ///< confidence of the interval of a queue that grows

/// The batches of a run, with their numbers of slots.
class ControlledBatches {
 public:
  ControlledBatches(const NetworkModel& model, const RunResult& run, const NetworkQueries& queries)
      : model_(model), run_(run), queries_(queries), rows_(model), batches_(run.all()) {
    if (batches_.size() < 2)
      throw InvalidArgument("number of completed batches", std::to_string(batches_.size()), "at least 2");
    slots_ = column(rows_.balance(), ControlledRows::slots);
  }

  [[nodiscard]] ControlledEstimates all() const {
    ControlledEstimates result;
    result.balance = balance();
    result.throughput =
        per_slot<unit::Load>(column(rows_.balance(), ControlledRows::delivered), queries_.confidence);
    const std::vector<bool> used = network::used_links(model_.network);
    for (std::size_t link = 0; link < used.size(); ++link)
      if (used[link]) result.links.push_back(of_link(link));
    for (std::size_t flow = 0; flow < model_.network.flows.size(); ++flow) {
      result.flows.push_back(of_flow(flow));
      result.offered += nearest_double(model_.network.flows[flow].rate);
    }
    result.deadlock = deadlock();
    result.saturated =
        has_long_delay() || std::any_of(result.links.begin(), result.links.end(),
                                        [](const auto& link) { return link.growth.has_value(); });
    if (result.saturated || result.deadlock || result.balance.delivered == 0) return result;
    estimate_delays(result.delays.emplace(), batches_, rows_.delays(0), queries_);
    return result;
  }

 private:
  [[nodiscard]] std::vector<double> column(std::size_t row, std::size_t at) const {
    std::vector<double> values;
    for (const Counts* batch : batches_)
      values.push_back(at < (*batch)[row].size() ? static_cast<double>((*batch)[row][at]) : 0);
    return values;
  }
  [[nodiscard]] static double sum(const std::vector<double>& values) {
    double all = 0;
    for (const double value : values) all += value;
    return all;
  }
  template <class Unit>
  [[nodiscard]] numeric::Estimate<Unit> per_slot(const std::vector<double>& values, double confidence) const {
    return estimate<Unit>(values, slots_, confidence);
  }

  [[nodiscard]] ControlledLinkEstimates of_link(std::size_t link) const {
    ControlledLinkEstimates result;
    result.link = link;
    result.of_host = !model_.network.has_queue(link);
    const auto of = [&](ControlledRows::Link which) { return column(rows_.link(link), which); };
    const std::vector<double> sent = column(rows_.waits(link), 0), came = column(rows_.drops(link), 1),
                              lost = column(rows_.drops(link), 0);
    const double confidence = queries_.confidence;
    result.load = per_slot<unit::Load>(sent, confidence);
    result.blocked = per_slot<unit::Ratio>(of(ControlledRows::blocked), confidence);
    result.buffered = per_slot<unit::Packet>(of(ControlledRows::stored), confidence);
    result.has_buffer = forwards(link);
    result.dropped = static_cast<std::uint64_t>(sum(lost));
    result.loss = sum(came) > 0 ? estimate<unit::Ratio>(lost, came, confidence)
                                : numeric::Estimate<unit::Ratio>{0, 0, 1, confidence};
    if (result.of_host) {
      result.waiting = per_slot<unit::Packet>(of(ControlledRows::waiting), confidence);
      result.growth = growth(of(ControlledRows::created), sent);
      return result;
    }
    const HistogramBatches waiting(
        batches_, [&](const Counts& batch) { return batch[rows_.occupancy(link)]; }, confidence);
    result.waiting = waiting.mean<unit::Packet>();
    result.tail = waiting.tails(queries_.occupancy_levels);
    return result;
  }

  /// Whether packets go on from the receiver of a link.
  [[nodiscard]] bool forwards(std::size_t link) const {
    for (const network::Flow& flow : model_.network.flows)
      for (const network::Route& route : flow.routes)
        if (std::find(route.links.begin(), route.links.end() - 1, link) != route.links.end() - 1) return true;
    return false;
  }

  /// Of the queue of a host, if it surely grows. Batches in which it shrinks count as negative; the interval
  /// of the sum needs an offset, as those of counts end at 0.
  [[nodiscard]] std::optional<numeric::Estimate<unit::Load>> growth(const std::vector<double>& created,
                                                                    const std::vector<double>& sent) const {
    double offset = 0;  // per slot
    for (std::size_t i = 0; i < sent.size(); ++i)
      offset = std::max(offset, (sent[i] - created[i]) / slots_[i]);
    std::vector<double> raised;
    for (std::size_t i = 0; i < sent.size(); ++i) raised.push_back(created[i] - sent[i] + offset * slots_[i]);
    if (sum(raised) <= 0) return {};
    auto found = per_slot<unit::Load>(raised, sure_growth);
    if (found.lower <= offset) return {};
    found.value -= offset;
    found.lower -= offset;
    found.upper -= offset;
    return found;
  }

  [[nodiscard]] ControlledFlowEstimates of_flow(std::size_t flow) const {
    ControlledFlowEstimates result;
    const std::vector<double> packets = column(rows_.flow_packets(), flow),
                              delays = column(rows_.flow_delays(), flow);
    result.throughput = per_slot<unit::Load>(packets, queries_.confidence);
    result.flow.flow = flow;
    result.flow.packets = static_cast<std::uint64_t>(sum(packets));
    if (result.flow.packets > 0)
      result.flow.mean_queueing = estimate<unit::Slot>(delays, packets, queries_.confidence);
    return result;
  }

  [[nodiscard]] MeasuredBalance balance() const {
    MeasuredBalance sums;
    for (const auto& replication : run_.batches) {
      bool first = true;
      for (const Counts& batch : replication) {
        const auto& its = batch[rows_.balance()];
        using Rows = ControlledRows;
        if (its[Rows::inside_before] + its[Rows::sent] !=
            its[Rows::delivered] + its[Rows::dropped] + its[Rows::inside_after])
          throw std::logic_error("a simulated network has lost or doubled packets");
        if (std::exchange(first, false)) sums.inside_before += its[Rows::inside_before];
        sums.sent += its[Rows::sent];
        sums.delivered += its[Rows::delivered];
        sums.dropped += its[Rows::dropped];
      }
      if (!replication.empty())
        sums.inside_after += replication.back()[rows_.balance()][ControlledRows::inside_after];
    }
    return sums;
  }

  [[nodiscard]] std::optional<Deadlock> deadlock() const {
    std::optional<Deadlock> first;
    int replications = 0;
    for (const auto& replication : run_.batches) {
      if (replication.empty() || replication.back()[rows_.deadlock()].empty()) continue;
      const Counts& last = replication.back();
      const auto after = static_cast<std::int64_t>(last[rows_.deadlock()][1]);
      ++replications;
      if (first && first->after <= after) continue;
      first.emplace().after = after;
      for (const std::uint64_t link : last[rows_.stuck()])
        first->links.push_back(static_cast<std::size_t>(link));
    }
    if (first) first->replications = replications;
    return first;
  }

  [[nodiscard]] bool has_long_delay() const {
    for (const Counts* batch : batches_)
      for (std::size_t queues = 0; queues <= rows_.max_queues; ++queues)
        if ((*batch)[rows_.delays(queues)].size() > static_cast<std::size_t>(ControlledRows::longest))
          return true;
    return false;
  }

  const NetworkModel& model_;
  const RunResult& run_;
  const NetworkQueries& queries_;
  ControlledRows rows_;
  std::vector<const Counts*> batches_;
  std::vector<double> slots_{};
};

}  // namespace

ControlledEstimates controlled_estimates(const NetworkModel& model, const RunResult& result,
                                         const NetworkQueries& queries) {
  return ControlledBatches(model, result, queries).all();
}

}  // namespace tailbound::sim
