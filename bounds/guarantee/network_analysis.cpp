#include <fmt/format.h>
#include <tailbound/bounds/guarantee/network_analysis.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/real.hpp>

#include <algorithm>
#include <set>

namespace tailbound::bounds {
namespace {

using network::PolicedFlow;
using network::PolicedPort;
using network::Scheduler;
using numeric::Integer;
using numeric::to_fraction;

/// Networks with at most this many hops are computed in exact fractions.
constexpr std::size_t max_exact_hops = 64;
constexpr long grid = 1'000'000'000;
constexpr long max_rounds = 20'000;
/// The search for a certificate ends when variations exceed their independent values by this factor.
constexpr long max_growth = 1'000'000;
/// Steps in whole packets after the certificate.
constexpr int max_stages = 5;

Rational rounded_up(const Rational& value, const Integer& denominator) {
  if (denominator == 0) return value;
  return Rational(numeric::ceiling(value * denominator)) / denominator;
}

[[noreturn]] void illegal(const std::string& what, const std::string& value, const std::string& legal) {
  throw InvalidArgument(what, value, legal);
}

void check_port(const PolicedNetwork& network, const PolicedPort& port) {
  if (port.rate <= 0) illegal("the rate of " + port.name, to_fraction(port.rate), "above 0");
  if (port.latency < 0) illegal("the latency of " + port.name, to_fraction(port.latency), "at least 0");
  if (port.wire < 0) illegal("the wire of " + port.name, to_fraction(port.wire), "at least 0");
  if (port.scheduler == Scheduler::cbs) {
    Rational sum = 0;
    for (const Rational& slope : port.idle_slopes) {
      if (slope <= 0) illegal("an idle slope of " + port.name, to_fraction(slope), "above 0");
      sum = sum + slope;
    }
    if (sum >= port.rate)
      illegal("the idle slopes of " + port.name, to_fraction(sum) + " together",
              "below the rate of the link, " + to_fraction(port.rate));
  }
  const bool gated = !port.gates.empty(), preempted = !port.preemptable.empty();
  if ((gated || preempted) && (port.scheduler != Scheduler::priority || (gated && preempted)))
    illegal("the scheduler of " + port.name, name_of(port.scheduler),
            "priority, with gates or with preemptable classes");
  if (gated && port.best_effort != 0)
    illegal("the best-effort packet of " + port.name, to_fraction(port.best_effort),
            "omitted: with gates it needs a class");
  for (const network::GateEntry& entry : port.gates)
    if (entry.time <= 0 || entry.open.size() != network.classes.size())
      illegal("an entry of the gates of " + port.name, to_fraction(entry.time),
              "a time above 0, with the state of each class");
  if (preempted &&
      (network.byte <= 0 || port.fragment < 64 || port.fragment > 256 || port.fragment % 64 != 0))
    illegal("the smallest fragment of " + port.name, std::to_string(port.fragment),
            "64, 128, 192 or 256 bytes");
}

void check_flow(const PolicedNetwork& network, const PolicedFlow& flow) {
  const std::string what = "flow " + flow.name;
  if (flow.path.empty()) illegal("the path of " + what, "empty", "at least one port");
  const std::set<std::size_t> ports(flow.path.begin(), flow.path.end());
  bool sound = ports.size() == flow.path.size() && *ports.rbegin() < network.ports.size() &&
               (flow.before.empty() || flow.before.size() == flow.path.size());
  for (std::size_t k = 1; k < flow.before.size(); ++k) sound = sound && flow.before[k] < k;
  for (const network::PolicedDestination& one : flow.destinations)
    sound = sound && one.hop < flow.path.size();
  if (!sound)
    illegal("the path of " + what, fmt::format("{} ports long", flow.path.size()),
            "a list of ports of the network, each at most once");
  if (flow.traffic_class >= network.classes.size())
    illegal("the class of " + what, std::to_string(flow.traffic_class), "one of the network's classes");
  if (flow.shortest < 0 || flow.longest < flow.shortest)
    illegal("the packet of " + what, to_fraction(flow.longest), "at least the shortest");
  if (flow.buckets.empty()) illegal("the bucket of " + what, "missing", "at least one");
  for (const traffic::TokenBucket& bucket : flow.buckets) {
    if (bucket.rate <= 0) illegal("the rate of the bucket of " + what, to_fraction(bucket.rate), "above 0");
    if (bucket.burst < flow.longest)
      illegal("the burst of the bucket of " + what, to_fraction(bucket.burst), "at least the longest packet");
  }
  for (const std::size_t at : flow.path) {
    const PolicedPort& port = network.ports[at];
    const std::size_t its = flow.traffic_class;
    const std::string of_class = fmt::format("of class {} at {}", network.classes[its], port.name);
    if (port.scheduler == Scheduler::drr) {
      if (its >= port.quanta.size()) illegal("the quantum " + of_class, "missing", "given");
      if (port.quanta[its] < flow.longest || port.quanta[its] <= 0)
        illegal("the quantum " + of_class, to_fraction(port.quanta[its]),
                fmt::format("at least {}, the class's longest packet", to_fraction(flow.longest)));
    }
    if (port.scheduler == Scheduler::cbs && its >= port.idle_slopes.size())
      illegal("the scheduler " + of_class, "cbs",
              "another one: with credit-based shapers, classes after the second have no guarantee");
    if (!port.preemptable.empty() && flow.shortest <= 0)
      illegal("the packet of " + what, to_fraction(flow.shortest), "above 0, with preemption");
    if (!port.gates.empty() && port.guard == network::Guard::fixed &&
        (its >= port.max_sdu.size() || port.max_sdu[its] < flow.longest))
      illegal("the max_sdu " + of_class,
              its < port.max_sdu.size() ? to_fraction(port.max_sdu[its]) : "missing",
              "at least the class's longest packet, " + to_fraction(flow.longest));
  }
}

/// Only where packets come in one piece and not more slowly than they are sent on.
void check_cut_through(const PolicedNetwork& network) {
  for (const PolicedFlow& flow : network.flows)
    for (std::size_t k = 1; k < flow.path.size(); ++k) {
      const PolicedPort& port = network.ports[flow.path[k]];
      const PolicedPort& before = network.ports[flow.path[flow.hop_before(k)]];
      if (!port.cut_through) continue;
      const char* reason = before.rate < port.rate       ? " is slower"
                           : !before.gates.empty()       ? " has gates"
                           : !before.preemptable.empty() ? " has preemptable classes"
                           : before.reshaped             ? " has regulators behind it"
                                                         : nullptr;
      if (reason != nullptr)
        illegal("the cut-through of " + port.name, to_fraction(*port.cut_through),
                "omitted, as " + before.name + reason + ": bytes may not come as fast as they are sent");
    }
}

/// A class needs a window in which one of its packets surely fits.
void check_windows(const PolicedNetwork& network, const PolicedPort& port,
                   const std::vector<GatedClass>& classes, std::size_t its, const GatedService& gates) {
  const std::string name = fmt::format("class {} at {}", network.classes[classes[its].number], port.name);
  if (gates.windows.empty())
    illegal("the gates of " + port.name, "never open to class " + network.classes[classes[its].number],
            "a list that opens each class that is sent");
  if (gates.rate() > 0) return;
  const auto most = std::max_element(gates.windows.begin(), gates.windows.end(),
                                     [](const GateWindow& one, const GateWindow& other) {
                                       return one.closes - one.opens < other.closes - other.opens;
                                     });
  const Rational length = most->closes - most->opens, needed = classes[its].longest / port.rate;
  if (length < needed)
    illegal("the window of " + name, to_fraction(length),
            fmt::format("at least {}, the time of its longest packet{}", to_fraction(needed),
                        port.clock_error > 0 ? fmt::format("; it is shorter by clock_error, {}, at both ends",
                                                           to_fraction(port.clock_error))
                                             : ""));
  illegal("the window of " + name, to_fraction(length),
          fmt::format(
              "longer by {}, or closed to the lower classes as much earlier: their packets can still be sent "
              "for {} after it opens, and no packet surely fits into the rest",
              to_fraction(Rational(needed + most->lost - length)), to_fraction(most->lost)));
}

}  // namespace

void check_network(const PolicedNetwork& network) {
  for (const PolicedPort& port : network.ports) check_port(network, port);
  for (const PolicedFlow& flow : network.flows) check_flow(network, flow);
  check_cut_through(network);
}

Analysis::Analysis(const PolicedNetwork& network, const GuaranteeRules& rules)
    : network_(network), rules_(rules) {
  check_network(network);
  find_queues();
  find_gates();
  find_unbounded();
  find_order();
  std::size_t hops = 0;
  for (const PolicedFlow& flow : network.flows) hops += flow.path.size();
  if (hops > max_exact_hops || !cyclic_.empty()) denominator_ = grid;
}

void Analysis::find_queues() {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> found;  // FIFO: class 0
  const auto key = [&](const PolicedFlow& flow, std::size_t port) {
    const bool fifo = network_.ports[port].scheduler == Scheduler::fifo;
    return std::pair(port, fifo ? std::size_t{0} : flow.traffic_class);
  };
  for (const PolicedFlow& flow : network_.flows)
    for (const std::size_t port : flow.path) found.try_emplace(key(flow, port), 0);
  of_port_.resize(network_.ports.size());
  const auto preempted = [&](std::size_t port, std::size_t traffic_class) {
    const std::vector<bool>& classes = network_.ports[port].preemptable;
    return traffic_class < classes.size() && classes[traffic_class];
  };
  for (auto& [port_and_class, index] : found) {
    index = queues_.size();
    AnalysedQueue& queue = queues_.emplace_back();
    queue.index = index;
    queue.port = port_and_class.first;
    if (network_.ports[queue.port].scheduler != Scheduler::fifo) queue.traffic_class = port_and_class.second;
    queue.preemptable = preempted(queue.port, port_and_class.second);
    of_port_[queue.port].push_back(index);
  }
  for (std::size_t f = 0; f < network_.flows.size(); ++f) {
    const PolicedFlow& flow = network_.flows[f];
    const ArrivalCurve source(flow.buckets);
    FlowPath& path = flow_paths_.emplace_back();
    path.next.resize(flow.path.size());
    path.shifts.resize(flow.path.size());
    path.outputs.resize(flow.path.size());
    path.curves.resize(flow.path.size());
    path.residuals.resize(flow.path.size());
    for (std::size_t k = 0; k < flow.path.size(); ++k) {
      const std::size_t at = found.at(key(flow, flow.path[k]));
      AnalysedQueue& queue = queues_[at];
      path.queues.push_back(at);
      queue.longest = std::max(queue.longest, flow.longest);
      queue.shortest = queue.flows.empty() ? flow.shortest : std::min(queue.shortest, flow.shortest);
      queue.flows.push_back(f);
      queue.load = queue.load + source.rate();
      const std::size_t before = k == 0 ? 0 : flow.hop_before(k);
      if (k == 0 || network_.ports[flow.path[before]].reshaped) {
        path.shifts[k] = Rational(0);
        path.curves[k] = source;
      }
      if (k == 0) {
        queue.own_sum += source;
        queue.own.push_back(f);
        continue;
      }
      path.next[before].push_back(k);
      auto link = std::find_if(queue.links.begin(), queue.links.end(),
                               [&](const InLink& one) { return one.port == flow.path[before]; });
      if (link == queue.links.end()) {
        link = queue.links.insert(link, InLink{});
        link->port = flow.path[before];
      }
      Rational& longest = link->longest[preempted(link->port, flow.traffic_class) ? 1 : 0];
      longest = std::max(longest, flow.longest);
      auto group = std::find_if(link->groups.begin(), link->groups.end(),
                                [&](const AnalysedGroup& one) { return one.queue == path.queues[before]; });
      if (group == link->groups.end()) {
        group = link->groups.insert(group, AnalysedGroup{});
        group->queue = path.queues[before];
      }
      group->flows.push_back(f);
    }
  }
}

/// Windows of the classes at ports with gates.
void Analysis::find_gates() {
  for (std::size_t p = 0; p < network_.ports.size(); ++p) {
    const PolicedPort& port = network_.ports[p];
    if (port.gates.empty() || of_port_[p].empty()) continue;
    std::vector<GatedClass> classes;
    for (const std::size_t q : of_port_[p])
      classes.push_back({*queues_[q].traffic_class, queues_[q].shortest, queues_[q].longest});
    for (std::size_t position = 0; position < classes.size(); ++position) {
      AnalysedQueue& queue = queues_[of_port_[p][position]];
      queue.gates = gated_service(port, classes, position);
      check_windows(network_, port, classes, position, *queue.gates);
    }
  }
}

std::size_t Analysis::hop(std::size_t flow, std::size_t queue) const {
  const std::vector<std::size_t>& queues = flow_paths_[flow].queues;
  return static_cast<std::size_t>(std::find(queues.begin(), queues.end(), queue) - queues.begin());
}

std::optional<Rational> Analysis::rate_at(std::size_t flow, std::size_t hop) const {
  const PolicedFlow& its = network_.flows[flow];
  while (hop > 0) {
    const std::size_t before = its.hop_before(hop);
    const PolicedPort& port = network_.ports[its.path[before]];
    if (port.reshaped) break;
    if (!queues_[flow_paths_[flow].queues[before]].none.empty())
      return rules_.lines ? std::optional(port.rate) : std::nullopt;
    hop = before;
  }
  return ArrivalCurve(its.buckets).rate();
}

std::optional<Rational> Analysis::offered(const std::vector<std::size_t>& queues) const {
  Rational all = 0;
  std::map<std::size_t, std::optional<Rational>> links;
  for (const std::size_t q : queues) {
    for (const std::size_t flow : queues_[q].own)
      all = all + ArrivalCurve(network_.flows[flow].buckets).rate();
    for (const InLink& link : queues_[q].links) {
      std::optional<Rational> sum = Rational(0);
      for (const AnalysedGroup& group : link.groups)
        for (const std::size_t flow : group.flows) {
          const auto rate = rate_at(flow, hop(flow, q));
          if (!rate) return std::nullopt;
          sum = *sum + *rate;
        }
      const auto [found, is_new] = links.try_emplace(link.port, sum);
      if (!is_new) found->second = *found->second + *sum;
    }
  }
  for (const auto& [port, sum] : links) {
    const bool capped = rules_.lines && !network_.ports[port].reshaped;
    all = all + (capped ? std::min(*sum, network_.ports[port].rate) : *sum);
  }
  return all;
}

namespace {

/// "110 %": in no unit of the file.
std::string percent_of(const Rational& load, const Rational& rate) {
  return rate > 0 ? numeric::to_decimal(Rational(load / rate * 100), 4, numeric::Rounding::up) + " %"
                  : std::string("more than nothing");
}

}  // namespace

/// Queues that are offered more than their service in the long run, and those behind that nothing limits.
void Analysis::find_unbounded() {
  for (bool found = true; found;) {
    found = false;
    for (AnalysedQueue& queue : queues_) {
      if (!queue.none.empty()) continue;
      const auto served = service_rate(queue), offers = offered({queue.index});
      if (served && *served > 0 && offers && *offers <= *served) continue;
      const std::string& port = network_.ports[queue.port].name;
      const std::string its =
          queue.traffic_class ? fmt::format("class {} at {}", network_.classes[*queue.traffic_class], port)
                              : "the port " + port;
      if (!served || !offers)
        queue.none = its + " depends on an overloaded one";
      else if (*served <= 0)
        queue.none = its + " gets no service in the long run: the higher classes use all of it";
      else
        queue.none = fmt::format("{} is offered {} of its {} in the long run; it must be at most 100 %", its,
                                 percent_of(*offers, *served), queue.traffic_class ? "service" : "rate");
      found = true;
    }
  }
}

/// Topological order of the queues with bounds; those in and after cycles come last.
void Analysis::find_order() {
  std::vector<std::set<std::size_t>> after(queues_.size());
  std::vector<std::size_t> before(queues_.size(), 0);
  const auto depends = [&](std::size_t queue, std::size_t on) {
    if (queues_[on].none.empty() && after[on].insert(queue).second) ++before[queue];
  };
  for (const AnalysedQueue& queue : queues_) {
    if (!queue.none.empty()) continue;
    for (const InLink& link : queue.links)
      if (!network_.ports[link.port].reshaped)
        for (const AnalysedGroup& group : link.groups) depends(queue.index, group.queue);
    if (network_.ports[queue.port].scheduler == Scheduler::priority)
      for (const std::size_t other : higher(queue)) depends(queue.index, other);
  }
  for (std::size_t q = 0; q < queues_.size(); ++q)
    if (before[q] == 0 && queues_[q].none.empty()) order_.push_back(q);
  for (std::size_t i = 0; i < order_.size(); ++i)
    for (const std::size_t next : after[order_[i]])
      if (--before[next] == 0) order_.push_back(next);
  in_cycle_.assign(queues_.size(), false);
  for (std::size_t q = 0; q < queues_.size(); ++q)
    if (before[q] > 0) {
      in_cycle_[q] = true;
      cyclic_.push_back(q);
    }
  // Higher classes of a port first: the curves of their links are needed.
  std::sort(cyclic_.begin(), cyclic_.end());
}

void Analysis::update_cycle() {
  // Curves first: a queue's own flows, then those from previous queues.
  for (std::size_t f = 0; f < flow_paths_.size(); ++f)
    for (std::size_t k = 0; k < flow_paths_[f].queues.size(); ++k)
      if (in_cycle_[flow_paths_[f].queues[k]])
        for (const std::size_t next : flow_paths_[f].next[k]) pass_on(f, k, next, {});
  for (const std::size_t q : cyclic_) gather(queues_[q]);
}

std::vector<Rational> Analysis::variations_of_cycle() {
  update_cycle();
  std::vector<Rational> next;
  for (const std::size_t q : cyclic_) {
    const AnalysedQueue& queue = queues_[q];
    const ServiceCurve service = service_of(queue);
    next.push_back(distance_of(queue, service));
  }
  return next;
}

/// Whether F(0) is above 0 at a queue for any earlier variations.
bool Analysis::waits_alone(const AnalysedQueue& queue) const {
  const PolicedPort& port = network_.ports[queue.port];
  const ServiceCurve service =
      port.scheduler == Scheduler::priority ? ServiceCurve(port.latency, port.rate) : service_of(queue);
  return distance_of(queue, service) > 0;
}

/// Iterates x := F(x), rounded up, from below until it repeats: then F(x) <= x. Strictly where F(0) is 0.
void Analysis::solve_cycle() {
  if (cyclic_.empty()) return;
  const Rational unit = Rational(1) / denominator_;
  for (const std::size_t q : cyclic_) queues_[q].variation = 0;
  std::vector<Rational> next = variations_of_cycle();
  for (const std::size_t q : cyclic_) waits_at_zero_.push_back(waits_alone(queues_[q]));
  const Rational limit = max_growth * (*std::max_element(next.begin(), next.end()) + 1);
  for (rounds_ = 1; rounds_ <= max_rounds; ++rounds_) {
    bool repeats = true;
    for (std::size_t i = 0; i < cyclic_.size(); ++i) {
      const Rational value = waits_at_zero_[i]
                                 ? rounded_up(next[i], denominator_)
                                 : Rational(numeric::floor(next[i] * denominator_)) / denominator_ + unit;
      if (value > limit) return void(rounds_ = max_rounds + 1);
      if (value != queues_[cyclic_[i]].variation) repeats = false;
      queues_[cyclic_[i]].variation = value;
    }
    if (repeats) return;
    next = variations_of_cycle();
  }
}

namespace {

/// The fraction of smallest denominator in [low, high], 0 <= low.
Rational simplest_between(const Rational& low, const Rational& high) {
  const Integer whole = numeric::ceiling(low);
  if (whole <= high) return whole;
  const Integer below = numeric::floor(low);
  return below + 1 / simplest_between(1 / (high - below), 1 / (low - below));
}

}  // namespace

/// Tries short fractions such as 89/29 close to the result, if they also satisfy F(x) <= x.
void Analysis::try_short_fractions() {
  std::vector<Rational> found, shorter;
  const Rational margin = Rational(1000) / denominator_;
  for (const std::size_t q : cyclic_) {
    found.push_back(queues_[q].variation);
    shorter.push_back(simplest_between(std::max(Rational(found.back() - margin), Rational(0)), found.back()));
    queues_[q].variation = shorter.back();
  }
  const std::vector<Rational> next = variations_of_cycle();
  bool certain = true;
  for (std::size_t i = 0; i < next.size(); ++i)
    certain = certain && (waits_at_zero_[i] ? next[i] <= shorter[i] : next[i] < shorter[i]);
  if (certain) return;
  for (std::size_t i = 0; i < cyclic_.size(); ++i) queues_[cyclic_[i]].variation = found[i];
  (void)variations_of_cycle();
}

/// Variations in whole packets: F in whole packets at the ones before, any number of times. (A fixed point of
/// it that is found from below would prove nothing.)
void Analysis::descend() {
  const auto current = [&] {
    std::vector<Rational> all;
    for (const std::size_t q : cyclic_) all.push_back(queues_[q].variation);
    return all;
  };
  stages_ = {current()};
  for (int step = 0; rules_.whole_packets && step < max_stages; ++step) {
    update_cycle();
    std::vector<AnalysedQueue> next;
    for (const std::size_t q : cyclic_) {
      AnalysedQueue& queue = next.emplace_back(queues_[q]);
      serve(queue);
      improve(queue);
      queue.variation = std::min(rounded_up(queue.variation, denominator_), queues_[q].variation);
    }
    for (AnalysedQueue& queue : next) queues_[queue.index] = std::move(queue);
    std::vector<Rational> its = current();
    if (its == stages_.back()) break;
    stages_.push_back(std::move(its));
  }
  // Backlogs with the curves of the last variations.
  update_cycle();
  for (const std::size_t q : cyclic_) {
    AnalysedQueue& queue = queues_[q];
    const Rational variation = queue.variation;
    serve(queue);
    improve(queue);
    queue.variation = variation;
  }
}

NetworkGuarantee Analysis::run() {
  const auto send_unbounded = [&] {
    for (AnalysedQueue& queue : queues_)
      if (!queue.none.empty()) send_on(queue, false);
  };
  send_unbounded();
  for (const std::size_t q : order_) {
    AnalysedQueue& queue = queues_[q];
    gather(queue);
    serve(queue);
    improve(queue);
    queue.variation = rounded_up(queue.variation, denominator_);
    send_on(queue, true);
  }
  solve_cycle();
  if (rounds_ > max_rounds) return {};
  if (!cyclic_.empty()) {
    if (cyclic_.size() <= max_exact_hops) try_short_fractions();
    descend();
    for (const std::size_t q : cyclic_)
      if (!queues_[q].preemptable)
        for (const std::size_t flow : queues_[q].flows)
          flow_paths_[flow].residuals[hop(flow, q)] =
              fifo_residual(*queues_[q].service, others(queues_[q], flow));
  }
  return result();
}

RouteGuarantee Analysis::route_of(std::size_t f, const std::vector<std::size_t>& hops) const {
  const PolicedFlow& flow = network_.flows[f];
  const FlowPath& path = flow_paths_[f];
  RouteGuarantee its{.hops = hops, .minimum = 0};
  Rational sum = 0, wires = 0, between = 0;
  std::optional<ServiceCurve> whole;
  bool in_one = true;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    const std::size_t k = hops[i];
    const AnalysedQueue& queue = queues_[path.queues[k]];
    const PolicedPort& port = network_.ports[flow.path[k]];
    const bool last = i + 1 == hops.size();
    // (6.1): the next port sends a packet on as soon as its header has come.
    const auto& header = last ? std::nullopt : network_.ports[flow.path[hops[i + 1]]].cut_through;
    const auto sent = [&](const Rational& length) {
      return Rational((header ? std::min(*header, length) : length) / port.rate);
    };
    if (!queue.none.empty() && its.none.empty()) its.none = queue.none;
    sum = sum + queue.variation + sent(queue.shortest);
    wires = wires + port.wire;
    its.minimum = its.minimum + sent(flow.shortest) + port.wire;
    if (!last) between = between + flow.longest / port.rate;
    if (!path.residuals[k] || (port.reshaped && !last)) in_one = false;
    if (in_one) whole = whole ? in_series(*whole, *path.residuals[k]) : *path.residuals[k];
  }
  if (!its.none.empty()) return its;
  its.tfa = rounded_up(sum + wires, denominator_);
  if (in_one)
    if (const auto delay = horizontal_distance(path.curves.front(), *whole))
      its.sfa = rounded_up(*delay + between + wires, denominator_);
  return its;
}

NetworkGuarantee Analysis::result() const {
  NetworkGuarantee all{.queues = {},
                       .flows = {},
                       .cyclic = cyclic_,
                       .stages = stages_,
                       .rounds = rounds_,
                       .denominator = denominator_};
  for (const auto& [ends, group] : groups_) all.groups.push_back(group);
  for (const AnalysedQueue& queue : queues_) {
    QueueGuarantee& its = all.queues.emplace_back();
    its.port = queue.port;
    its.traffic_class = queue.traffic_class;
    its.load = queue.load;
    its.gates = queue.gates;
    its.none = queue.none;
    if (!queue.none.empty()) continue;
    its.backlog = queue.backlog;
    its.delay = queue.variation + queue.shortest / network_.ports[queue.port].rate;
    its.variation = queue.variation;
    its.arrivals = queue.arrivals;
    its.service = *queue.service;
    its.whole_packets = queue.whole_packets;
  }
  for (std::size_t f = 0; f < flow_paths_.size(); ++f) {
    const FlowPath& path = flow_paths_[f];
    FlowGuarantee& its = all.flows.emplace_back();
    its.queues = path.queues;
    its.curves = path.curves;
    its.shifts = path.shifts;
    its.outputs = path.outputs;
    its.residuals = path.residuals;
    for (const auto& hops : network_.flows[f].routes()) its.routes.push_back(route_of(f, hops));
  }
  return all;
}

}  // namespace tailbound::bounds
