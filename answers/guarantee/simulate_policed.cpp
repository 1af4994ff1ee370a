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

/// Queues on the routes of these flows.
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

Rational SimulatePolicedAnswer::share(const FlowRoute& route) const {
  const auto bound = never_later(route);
  return bound ? Rational(delay(route) / *bound) : never ? Rational(0) : delay(route);
}

const FlowRoute& SimulatePolicedAnswer::nearest() const {
  return *std::max_element(routes.begin(), routes.end(), [&](const FlowRoute& one, const FlowRoute& other) {
    return share(one) < share(other);
  });
}

bool SimulatePolicedAnswer::contradicted() const {
  if (!never) return false;
  for (std::size_t f = 0; f < seen.flows.size(); ++f)
    for (std::size_t to = 0; to < seen.flows[f].delays.size(); ++to)
      if (const auto bound = never_later({f, to}); bound && delay({f, to}) > *bound) return true;
  for (std::size_t q = 0; q < seen.queues.size(); ++q)
    if (!never->queues[q].none.empty())
      continue;
    else if (seen.queues[q].backlog > never->queues[q].least_backlog() ||
             seen.queues[q].delay > never->queues[q].least_delay())
      return true;
  return false;
}

SimulatePolicedAnswer answer(const SimulatePolicedQuery& query, const Run& run) {
  SimulatePolicedAnswer answer{.seen = {}};
  answer.flows = requested_flows(query.file.network, query.flow);
  answer.routes = routes_of(query.file.network, answer.flows);
  try {
    // The simulation also sends between slot boundaries.
    answer.never = bounds::guarantee(query.file.network, {.whole_slots = false});
    add_linear_programs(query.file.network, answer.routes, bounds::GuaranteeMethod::best, *answer.never);
  } catch (const NoAnswer& none) {
    answer.no_bound = none.what();
  }
  sim::PolicedEventsPlan plan{.sources = query.sources, .packets = query.packets, .seed = query.seed};
  if (query.flow) plan.flow = answer.flows.front();
  answer.seen = sim::simulate_events(query.file.network, plan, run.stop);
  if (answer.seen.runs == 0) throw Stopped("stopped on request");
  if (answer.seen.stopped && run.cut) run.cut();
  if (answer.never && query.flow)
    answer.queues = answer.never->flows[answer.flows.front()].queues;
  else
    find_queues(query, answer);
  return answer;
}

}  // namespace tailbound::answers
