#include <tailbound/answers/guarantee/network_guarantee.hpp>
#include <tailbound/answers/guarantee/simulate_policed.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tailbound::answers {
namespace {

using numeric::Rational;

/// Queues on the routes of these flows, if there is no bound that lists them.
void find_queues(const SimulatePolicedQuery& query, SimulatePolicedAnswer& answer) {
  const auto& flows = query.file.network.flows;
  for (std::size_t q = 0; q < answer.seen.queues.size(); ++q) {
    const sim::QueueSeen& queue = answer.seen.queues[q];
    const bool passed = std::any_of(answer.flows.begin(), answer.flows.end(), [&](std::size_t f) {
      const auto& path = flows[f].path;
      return std::find(path.begin(), path.end(), queue.port) != path.end() &&
             (!queue.traffic_class || *queue.traffic_class == flows[f].traffic_class);
    });
    if (passed) answer.queues.push_back(q);
  }
}

}  // namespace

std::size_t SimulatePolicedAnswer::nearest() const {
  const auto share = [&](std::size_t flow) {
    const Rational& delay = seen.flows[flow].delay;
    const auto bound = never_later(flow);
    return bound ? Rational(delay / *bound) : never ? Rational(0) : delay;
  };
  return *std::max_element(flows.begin(), flows.end(),
                           [&](std::size_t one, std::size_t other) { return share(one) < share(other); });
}

bool SimulatePolicedAnswer::contradicted() const {
  if (!never) return false;
  for (std::size_t f = 0; f < seen.flows.size(); ++f)
    if (const auto bound = never_later(f); bound && seen.flows[f].delay > *bound) return true;
  for (std::size_t q = 0; q < seen.queues.size(); ++q)
    if (!never->queues[q].none.empty())
      continue;
    else if (seen.queues[q].backlog > never->queues[q].backlog ||
             seen.queues[q].delay > never->queues[q].delay)
      return true;
  return false;
}

SimulatePolicedAnswer answer(const SimulatePolicedQuery& query, const Run& run) {
  SimulatePolicedAnswer answer{.seen = {}};
  answer.flows = requested_flows(query.file.network, query.flow);
  try {
    NetworkGuaranteeAnswer guaranteed = tailbound::answers::answer(
        NetworkGuaranteeQuery{.file = query.file,
                              .file_name = query.file_name,
                              .flow = query.flow,
                              .whole_slots = false});  // the simulation also sends between slot boundaries
    answer.never = std::move(guaranteed.found);
    answer.queues = std::move(guaranteed.queues);
  } catch (const NoAnswer& none) {
    answer.no_bound = none.what();
  }
  sim::PolicedEventsPlan plan{.sources = query.sources, .packets = query.packets, .seed = query.seed};
  if (query.flow) plan.flow = answer.flows.front();
  answer.seen = sim::simulate_events(query.file.network, plan, run.stop);
  if (answer.seen.runs == 0) throw Stopped("stopped on request");
  if (answer.seen.stopped && run.cut) run.cut();
  if (!answer.never) find_queues(query, answer);
  return answer;
}

}  // namespace tailbound::answers
