#include <fmt/format.h>
#include <tailbound/bounds/gates/scheduled_delay.hpp>
#include <tailbound/bounds/guarantee/network_analysis.hpp>
#include <tailbound/bounds/guarantee/slotted_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <tuple>

namespace tailbound::bounds {

using network::PolicedFlow;
using network::PolicedPort;
using network::Scheduler;

namespace {

/// Limit for whole slots; the other bounds take milliseconds.
constexpr std::size_t max_slotted_hops = 300;
constexpr std::uint64_t max_slot_steps = 50'000'000;

}  // namespace

std::optional<Rational> RouteGuarantee::delay(GuaranteeMethod method) const {
  switch (used(method)) {
    case GuaranteeMethod::sfa:
      return sfa;
    case GuaranteeMethod::slots:
      return slots;
    case GuaranteeMethod::lp:
      return lp;
    case GuaranteeMethod::schedule:
      return schedule;
    case GuaranteeMethod::best:
    case GuaranteeMethod::tfa:
      break;
  }
  return tfa;
}

GuaranteeMethod RouteGuarantee::used(GuaranteeMethod method) const {
  if (method == GuaranteeMethod::tfa || (method == GuaranteeMethod::sfa && sfa) ||
      (method == GuaranteeMethod::slots && slots) || (method == GuaranteeMethod::lp && lp) ||
      (method == GuaranteeMethod::schedule && schedule))
    return method;
  GuaranteeMethod best = GuaranteeMethod::tfa;
  const std::optional<Rational>* shortest = &tfa;
  for (const auto& [its, delay] : {std::pair{GuaranteeMethod::slots, &slots},
                                   {GuaranteeMethod::sfa, &sfa},
                                   {GuaranteeMethod::lp, &lp},
                                   {GuaranteeMethod::schedule, &schedule}})
    if (*delay && (!*shortest || **delay < **shortest)) {
      best = its;
      shortest = delay;
    }
  return best;
}

std::optional<Rational> FlowGuarantee::delay(GuaranteeMethod method) const {
  std::optional<Rational> largest = Rational(0);
  for (const RouteGuarantee& route : routes) {
    const auto its = route.delay(method);
    if (!its) return std::nullopt;
    largest = std::max(*largest, *its);
  }
  return largest;
}

namespace {

/// Adds bounds in whole packets and slots, if the network is slotted.
void add_slots(const PolicedNetwork& network, NetworkGuarantee& found) {
  const bool plain_ports =
      std::all_of(network.ports.begin(), network.ports.end(), [](const PolicedPort& port) {
        return port.scheduler == Scheduler::fifo && port.rate == 1 && port.latency == 0 && port.wire == 0 &&
               !port.reshaped;
      });
  const bool whole = std::all_of(network.flows.begin(), network.flows.end(), [](const PolicedFlow& flow) {
    return flow.longest == 1 && flow.shortest == 1 && flow.before.empty() && flow.destinations.empty();
  });
  const bool bounded = std::all_of(found.queues.begin(), found.queues.end(),
                                   [](const QueueGuarantee& queue) { return queue.none.empty(); });
  std::size_t hops = 0;
  for (const PolicedFlow& flow : network.flows) hops += flow.path.size();
  if (!plain_ports || !whole || !bounded || !found.cyclic.empty() || hops > max_slotted_hops) return;
  try {
    const SlottedGuarantee slotted = slotted_guarantee(network, max_slot_steps);
    for (QueueGuarantee& queue : found.queues) queue.in_slots = slotted.backlog[queue.port];
    for (std::size_t f = 0; f < found.flows.size(); ++f)
      found.flows[f].routes.front().slots = numeric::Rational(slotted.delay[f]);
  } catch (const LimitExceeded&) {
    // Too long for individual slots: the other bounds remain.
  } catch (const InvalidArgument&) {
    // Bucket denominators not supported for individual slots.
  }
}

/// Adds bounds for gates that follow the senders' clock.
void add_schedule(const PolicedNetwork& network, NetworkGuarantee& found) {
  const Schedule schedule = schedule_of(network);
  for (std::size_t f = 0; f < found.flows.size(); ++f)
    for (std::size_t to = 0; to < schedule.delays[f].size(); ++to)
      found.flows[f].routes[to].schedule = schedule.delays[f][to];
  for (QueueGuarantee& queue : found.queues)
    for (const ScheduledQueue& its : schedule.queues)
      if (its.port == queue.port && its.traffic_class == queue.traffic_class.value_or(0))
        std::tie(queue.scheduled_backlog, queue.scheduled_delay) = std::tie(its.backlog, its.delay);
}

}  // namespace

NetworkGuarantee guarantee(const PolicedNetwork& network, const GuaranteeRules& rules) {
  NetworkGuarantee found = Analysis(network, rules).run();
  if (!found.queues.empty() || network.flows.empty()) {
    if (rules.whole_slots) add_slots(network, found);
    if (rules.schedules) add_schedule(network, found);
    return found;
  }
  // The largest fraction of the rates with a certificate, to 1/256.
  const std::int64_t low = last_that(1, 255, [&](std::int64_t parts) {
    PolicedNetwork lighter = network;
    for (PolicedFlow& flow : lighter.flows)
      for (traffic::TokenBucket& bucket : flow.buckets)
        bucket.rate = bucket.rate * numeric::Rational(parts) / 256;
    return !Analysis(lighter, rules).run().queues.empty();
  });
  throw NoAnswer(
      low == 0
          ? "no bound by this analysis: the flows depend on each other in a cycle, and no consistent set of "
            "delays was found; regulators (reshape = true) on the links of the cycle would break it"
          : fmt::format("no bound by this analysis: the flows depend on each other in a cycle, and no "
                        "consistent set of delays was found. There is one if all rates are at most {} of the "
                        "given ones; regulators (reshape = true) on the links of the cycle would break it",
                        numeric::plain(numeric::Rational(low * 1000 / 256) / 1000)));
}

std::optional<QueueSteps> steps_of_queue(const PolicedNetwork& network, std::size_t queue,
                                         const GuaranteeRules& rules) {
  Analysis analysis(network, rules);
  if (analysis.run().queues.empty()) return std::nullopt;
  return analysis.steps_of_queue(queue);
}

}  // namespace tailbound::bounds
