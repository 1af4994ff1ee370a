#include <fmt/format.h>
#include <tailbound/bounds/guarantee/network_analysis.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>

namespace tailbound::bounds {
namespace {

using network::PolicedPort;
using network::Scheduler;

StepCurve constant(const Rational& value) {
  return StepCurve(std::vector<StepCurve::Piece>{{0, value, 0}});
}

/// A packet that is cut once more takes an end of fragment, a gap and a preamble [bytes].
constexpr int cut_overhead = 24;
/// The longest fragment that cannot be cut, with its preamble and gap, for fragments of 64 bytes.
constexpr int uncut = 143;

}  // namespace

/// Queues of the higher classes at its port, those with strict priority over it.
std::vector<std::size_t> Analysis::higher(const AnalysedQueue& queue) const {
  std::vector<std::size_t> all;
  for (const std::size_t its : of_port_[queue.port])
    if (its < queue.index) all.push_back(its);
  return all;
}

std::vector<std::size_t> Analysis::at_positions(std::size_t port,
                                                const std::vector<std::size_t>& positions) const {
  std::vector<std::size_t> all;
  for (const std::size_t position : positions) all.push_back(of_port_[port][position]);
  return all;
}

Rational Analysis::lower_packets(const AnalysedQueue& queue) const {
  const PolicedPort& port = network_.ports[queue.port];
  if (queue.gates) return queue.gates->lower;
  const Rational fragment = network_.byte * (uncut + port.fragment - 64);
  const bool express = !port.preemptable.empty() && !queue.preemptable;
  const auto in_progress = [&](const Rational& length, bool preemptable) {
    return express && preemptable ? std::min(length, fragment) : length;
  };
  Rational lower = in_progress(port.best_effort, true);
  for (const std::size_t one : of_port_[queue.port])
    if (one > queue.index)
      lower = std::max(lower, in_progress(queues_[one].longest, queues_[one].preemptable));
  return lower;
}

std::optional<Rational> Analysis::service_rate(const AnalysedQueue& queue) const {
  const PolicedPort& port = network_.ports[queue.port];
  switch (port.scheduler) {
    case Scheduler::fifo:
      return port.rate;
    case Scheduler::priority: {
      Rational rate = queue.gates ? queue.gates->rate() : port.rate;
      if (queue.gates) {
        // What those that are open in a part send depends on their delays.
        for (const std::size_t other : at_positions(queue.port, queue.gates->apart))
          if (!queues_[other].none.empty()) return std::nullopt;
        for (const auto* positions : {&queue.gates->above, &queue.gates->apart}) {
          const auto taken = offered(at_positions(queue.port, *positions));
          if (!taken) return std::nullopt;
          rate = rate - *taken;
        }
        return rate;
      }
      std::vector<std::size_t> others;
      for (const std::size_t other : higher(queue)) {
        if (!queue.preemptable || queues_[other].preemptable) {
          others.push_back(other);
          continue;
        }
        // Each packet of an express class may take a cut.
        const auto taken = offered({other});
        if (!taken) return std::nullopt;
        rate = rate - *taken * (1 + network_.byte * cut_overhead / queues_[other].shortest);
      }
      const auto taken = offered(others);
      if (!taken) return std::nullopt;
      rate = rate - *taken;
      return rate;
    }
    case Scheduler::drr: {
      Rational turn = 0;
      for (const std::size_t one : of_port_[queue.port])
        turn = turn + port.quanta[*queues_[one].traffic_class];
      return port.rate * port.quanta[*queue.traffic_class] / turn;
    }
    case Scheduler::cbs:
      return port.idle_slopes[*queue.traffic_class];
  }
  return std::nullopt;
}

ServiceCurve Analysis::service_of(const AnalysedQueue& queue) const {
  const PolicedPort& port = network_.ports[queue.port];
  const ServiceCurve whole(port.latency, port.rate);
  if (port.scheduler == Scheduler::fifo) return whole;
  const std::size_t its = *queue.traffic_class;
  std::map<std::size_t, Rational> longest;  // of each class
  for (const std::size_t one : of_port_[queue.port])
    longest[*queues_[one].traffic_class] = queues_[one].longest;
  const Rational lower = lower_packets(queue);
  switch (port.scheduler) {
    case Scheduler::fifo:
      break;
    case Scheduler::priority: {
      if (queue.gates) {
        const GatedService& gates = *queue.gates;
        Rational latest = 0;
        for (std::size_t k = 0; k < gates.windows.size(); ++k)
          latest = std::max(latest, gates.latency(k, port.rate));
        ArrivalCurve taken = arrivals_of(at_positions(queue.port, gates.above));
        for (const std::size_t other : at_positions(queue.port, gates.apart))
          taken += arrivals_of({other}, queues_[other].variation + queues_[other].shortest / port.rate);
        return *blind_residual({port.latency + latest, gates.rate()}, taken);
      }
      std::vector<std::size_t> express, others;
      for (const std::size_t one : higher(queue))
        (queue.preemptable && !queues_[one].preemptable ? express : others).push_back(one);
      ArrivalCurve taken = arrivals_of(others);
      taken += arrivals_of(express, 0, network_.byte * cut_overhead);
      return *blind_residual(whole, taken, lower);
    }
    case Scheduler::drr: {
      Rational turn = port.quanta[its], latency = 0;
      for (const auto& [other, maximum] : longest)
        if (other != its) {
          turn = turn + port.quanta[other];
          latency = latency + port.quanta[other] * (1 + queue.longest / port.quanta[its]) + maximum;
        }
      return {port.latency + latency / port.rate, port.rate * port.quanta[its] / turn};
    }
    case Scheduler::cbs: {
      const Rational& slope = port.idle_slopes[its];
      if (its == 0) return {port.latency + lower / port.rate, slope};
      const Rational first = longest.count(0) != 0 ? longest.at(0) : Rational(0);
      const Rational& its_slope = port.idle_slopes[0];
      const Rational below_first = std::max(queue.longest, lower);
      const Rational until_least =
          first == 0 ? Rational(0) : first + below_first * its_slope / (port.rate - its_slope);
      return {port.latency + (lower + until_least) / port.rate, slope};
    }
  }
  return whole;
}

std::optional<std::vector<StepService>> Analysis::step_services(const AnalysedQueue& queue,
                                                                const Rational& horizon,
                                                                const Rational& after) const {
  const PolicedPort& port = network_.ports[queue.port];
  std::vector<StepService> all;
  if (port.scheduler != Scheduler::priority) {
    all.push_back({StepCurve(*queue.service, horizon), horizon, after});
    return all;
  }
  std::vector<StepTerm> taken;
  const auto take = [&](const std::vector<std::size_t>& queues, const Rational& later, const Rational& more) {
    if (queues.empty()) return true;
    auto steps = steps_of(queues, horizon, later, more);
    if (steps) taken.push_back({*std::move(steps), -1});
    return steps.has_value();
  };
  if (queue.gates) {
    const GatedService& gates = *queue.gates;
    if (!take(at_positions(queue.port, gates.above), 0, 0)) return std::nullopt;
    for (const std::size_t other : at_positions(queue.port, gates.apart))
      if (!take({other}, queues_[other].variation + queues_[other].shortest / port.rate, 0))
        return std::nullopt;
    if (gates.pieces_until(horizon) * gates.windows.size() > max_step_pieces) return std::nullopt;
    for (std::size_t k = 0; k < gates.windows.size(); ++k) {
      std::vector<StepTerm> terms = taken;
      terms.push_back({gates.sent(k, port.rate, port.latency, horizon)});
      all.push_back({sum_of(terms), horizon, after});
    }
    return all;
  }
  std::vector<std::size_t> express, others;
  for (const std::size_t one : higher(queue))
    (queue.preemptable && !queues_[one].preemptable ? express : others).push_back(one);
  if (!take(others, 0, 0) || !take(express, 0, network_.byte * cut_overhead)) return std::nullopt;
  taken.push_back({StepCurve(ServiceCurve(port.latency, port.rate), horizon)});
  taken.push_back({constant(lower_packets(queue)), -1});
  all.push_back({sum_of(taken), horizon, after});
  return all;
}

/// Where the hulls have met; at equal rates after two common periods of all that repeats.
std::optional<Rational> Analysis::last_time(const AnalysedQueue& queue) const {
  const ArrivalCurve& arrivals = queue.arrivals;
  const ServiceCurve& service = *queue.service;
  if (arrivals.is_nothing()) return std::nullopt;
  if (arrivals.rate() < service.rate()) {
    // Both last lines; earlier ones only make it shorter.
    std::vector<Rational> times{0};
    for (const Rational& time : arrivals.breaks()) times.push_back(time);
    for (const ServiceCurve::Piece& piece : service.pieces()) times.push_back(piece.start);
    std::sort(times.begin(), times.end());
    const auto above = [&](const Rational& time) { return arrivals(time) - service(time); };
    std::size_t last = times.size();
    while (last > 0 && above(times[last - 1]) <= 0) --last;
    if (last == 0) return Rational(0);
    const Rational& from = times[last - 1];
    const Rational there = above(from);
    const Rational slope = last < times.size() ? Rational((above(times[last]) - there) / (times[last] - from))
                                               : Rational(arrivals.rate() - service.rate());
    return from - there / slope;
  }
  // Equal rates: everything must repeat.
  Rational period = queue.gates ? queue.gates->cycle : Rational(0), settled = 0;
  std::vector<std::size_t> queues{queue.index};
  if (queue.gates) {
    for (const auto* positions : {&queue.gates->above, &queue.gates->apart})
      for (const std::size_t other : at_positions(queue.port, *positions)) queues.push_back(other);
  } else if (network_.ports[queue.port].scheduler == Scheduler::priority) {
    for (const std::size_t other : higher(queue)) queues.push_back(other);
  }
  Rational packets = 0;
  for (const std::size_t one : queues) {
    const AnalysedQueue& its = queues_[one];
    if (!its.arrivals.breaks().empty()) settled = std::max(settled, its.arrivals.breaks().back());
    for (const std::size_t f : its.flows) {
      const network::PolicedFlow& flow = network_.flows[f];
      if (flow.buckets.size() != 1 || flow.longest != flow.shortest ||
          !flow_paths_[f].outputs[hop(f, one)].is_nothing())
        return std::nullopt;
      const Rational own = flow.longest / flow.buckets.front().rate;
      period = period == 0 ? own : common_multiple(period, own);
      packets = packets + 1 / own;
    }
  }
  const Rational end = settled + 2 * period;
  if (packets * end > static_cast<std::int64_t>(max_step_pieces)) return std::nullopt;
  return end;
}

std::optional<QueueSteps> Analysis::steps(const AnalysedQueue& queue) const {
  if (!rules_.whole_packets || queue.shortest <= 0) return std::nullopt;
  const auto end = last_time(queue);
  if (!end) return std::nullopt;
  auto arrivals = steps_of({queue.index}, *end);
  if (!arrivals) return std::nullopt;
  const Rational horizon =
      queue.service->inverse(queue.arrivals(*end)) + queue.longest / network_.ports[queue.port].rate;
  auto services = step_services(queue, horizon, (*queue.service)(horizon));
  if (!services) return std::nullopt;
  return QueueSteps{*std::move(arrivals), *end, *std::move(services)};
}

void Analysis::improve(AnalysedQueue& queue) const {
  queue.whole_packets = false;
  const auto found = steps(queue);
  if (!found) return;
  Rational variation = 0, backlog = 0;
  for (const StepService& service : found->services) {
    const auto longest = horizontal_distance(found->arrivals, found->end, service,
                                             queue.preemptable ? Rational(0) : queue.shortest);
    if (!longest) return;
    const Rational its = queue.preemptable
                             ? Rational(longest->delay - queue.shortest / network_.ports[queue.port].rate)
                             : longest->delay;
    variation = std::max(variation, its);
    backlog = std::max(backlog, vertical_distance(found->arrivals, positive_part(service.sent), found->end));
  }
  queue.whole_packets = true;
  queue.variation = std::min(queue.variation, variation);
  queue.backlog = std::min(queue.backlog, backlog);
}

Rational Analysis::distance_of(const AnalysedQueue& queue, const ServiceCurve& service) const {
  const Rational less = queue.preemptable ? Rational(0) : queue.shortest;
  Rational distance = *horizontal_distance(queue.arrivals, service, less);
  if (queue.preemptable) distance = distance - queue.shortest / network_.ports[queue.port].rate;
  return std::max(distance, Rational(0));
}

/// Service, variation and backlog of a queue whose arrivals are known.
void Analysis::serve(AnalysedQueue& queue) {
  queue.service = service_of(queue);
  queue.variation = distance_of(queue, *queue.service);
  queue.backlog = *vertical_distance(queue.arrivals, *queue.service);
}

}  // namespace tailbound::bounds
