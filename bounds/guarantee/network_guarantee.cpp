#include <fmt/format.h>
#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/bounds/guarantee/slotted_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

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
/// Limit for whole slots; the other bounds take milliseconds.
constexpr std::size_t max_slotted_hops = 300;
constexpr std::uint64_t max_slot_steps = 50'000'000;
/// The search for a certificate ends when variations exceed their independent values by this factor.
constexpr long max_growth = 1'000'000;

Rational rounded_up(const Rational& value, const Integer& denominator) {
  if (denominator == 0) return value;
  return Rational(numeric::ceiling(value * denominator)) / denominator;
}

void check(const PolicedNetwork& network) {
  const auto illegal = [](const std::string& what, const std::string& value, const char* legal) {
    throw InvalidArgument(what, value, legal);
  };
  for (const PolicedPort& port : network.ports) {
    if (port.rate <= 0) illegal("the rate of " + port.name, to_fraction(port.rate), "above 0");
    if (port.latency < 0) illegal("the latency of " + port.name, to_fraction(port.latency), "at least 0");
    if (port.wire < 0) illegal("the wire of " + port.name, to_fraction(port.wire), "at least 0");
  }
  for (const PolicedFlow& flow : network.flows) {
    const std::string what = "flow " + flow.name;
    if (flow.path.empty()) illegal("the path of " + what, "empty", "at least one port");
    const std::set<std::size_t> ports(flow.path.begin(), flow.path.end());
    if (ports.size() != flow.path.size() || *ports.rbegin() >= network.ports.size())
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
        illegal("the burst of the bucket of " + what, to_fraction(bucket.burst),
                "at least the longest packet");
    }
  }
}

/// Flows that arrive at a queue from the same previous queue.
struct Group {
  std::size_t queue = 0;  ///< the previous one
  std::vector<std::size_t> flows;
  ArrivalCurve sum;    ///< sum of the flows' curves
  ArrivalCurve curve;  ///< curve of the group
};

/// Groups that arrive over one link.
struct InLink {
  std::size_t port = 0;
  Rational longest = 0;
  std::vector<Group> groups;
  ArrivalCurve curve;
};

struct Queue {
  std::size_t port = 0, index = 0;
  std::optional<std::size_t> traffic_class{};
  std::vector<std::size_t> flows, own;  ///< all flows; those whose first queue it is
  std::vector<InLink> links;
  Rational longest = 0, shortest = 0, load = 0;
  ArrivalCurve own_sum{}, arrivals{};
  std::optional<ServiceCurve> service{};
  Rational variation = 0;
};

/// A flow's path, hop by hop.
struct FlowPath {
  std::vector<std::size_t> queues;
  std::vector<ArrivalCurve> curves;                    ///< before each queue
  std::vector<std::optional<ServiceCurve>> residuals;  ///< residual service of each queue for it
};

class Analysis {
 public:
  Analysis(const PolicedNetwork& network, const GuaranteeRules& rules);
  NetworkGuarantee run();

 private:
  void find_queues();
  void check_schedulers() const;
  void check_loads() const;
  void find_order();
  [[nodiscard]] std::size_t hop(std::size_t flow, std::size_t queue) const;

  void gather(Queue& queue);
  void serve(Queue& queue);
  void send_on(Queue& queue, bool residuals);
  [[nodiscard]] Rational variation_of(const Queue& queue) const;
  [[nodiscard]] ArrivalCurve line(const InLink& link) const;
  [[nodiscard]] ServiceCurve service_of(const Queue& queue) const;
  [[nodiscard]] ArrivalCurve higher_classes(const Queue& queue) const;
  [[nodiscard]] ArrivalCurve others(const Queue& queue, std::size_t flow) const;
  [[nodiscard]] std::optional<GroupGuarantee> group_output(const Queue& queue, std::size_t next,
                                                           const std::vector<std::size_t>& flows) const;

  void solve_cycle();
  [[nodiscard]] bool waits_alone(const Queue& queue) const;
  /// F at the current variations.
  [[nodiscard]] std::vector<Rational> variations_of_cycle();
  void try_short_fractions();
  [[nodiscard]] NetworkGuarantee result() const;

  const PolicedNetwork& network_;
  const GuaranteeRules& rules_;
  std::vector<Queue> queues_;
  std::vector<std::vector<std::size_t>> of_port_;  ///< queues, higher classes first
  std::vector<FlowPath> flow_paths_;
  std::vector<std::size_t> order_, cyclic_;
  std::vector<bool> in_cycle_;
  std::vector<bool> waits_at_zero_;                                       ///< of cyclic_
  std::map<std::pair<std::size_t, std::size_t>, GroupGuarantee> groups_;  ///< of (queue, next queue)
  Integer denominator_ = 0;
  long rounds_ = 0;
};

Analysis::Analysis(const PolicedNetwork& network, const GuaranteeRules& rules)
    : network_(network), rules_(rules) {
  check(network);
  find_queues();
  check_schedulers();
  check_loads();
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
  for (auto& [port_and_class, index] : found) {
    index = queues_.size();
    Queue& queue = queues_.emplace_back();
    queue.index = index;
    queue.port = port_and_class.first;
    if (network_.ports[queue.port].scheduler != Scheduler::fifo) queue.traffic_class = port_and_class.second;
    of_port_[queue.port].push_back(index);
  }
  for (std::size_t f = 0; f < network_.flows.size(); ++f) {
    const PolicedFlow& flow = network_.flows[f];
    FlowPath& flow_path = flow_paths_.emplace_back();
    for (std::size_t k = 0; k < flow.path.size(); ++k) {
      const std::size_t at = found.at(key(flow, flow.path[k]));
      Queue& queue = queues_[at];
      queue.longest = std::max(queue.longest, flow.longest);
      queue.shortest = queue.flows.empty() ? flow.shortest : std::min(queue.shortest, flow.shortest);
      queue.flows.push_back(f);
      Rational rate = flow.buckets.front().rate;
      for (const traffic::TokenBucket& bucket : flow.buckets) rate = std::min(rate, bucket.rate);
      queue.load = queue.load + rate;
      if (k == 0) {
        queue.own_sum += ArrivalCurve(flow.buckets);
        queue.own.push_back(f);
      } else {
        const std::size_t before = flow_path.queues.back();
        auto link = std::find_if(queue.links.begin(), queue.links.end(),
                                 [&](const InLink& one) { return one.port == flow.path[k - 1]; });
        if (link == queue.links.end()) {
          queue.links.emplace_back().port = flow.path[k - 1];
          link = queue.links.end() - 1;
        }
        link->longest = std::max(link->longest, flow.longest);
        auto group = std::find_if(link->groups.begin(), link->groups.end(),
                                  [&](const Group& one) { return one.queue == before; });
        if (group == link->groups.end()) {
          link->groups.emplace_back().queue = before;
          group = link->groups.end() - 1;
        }
        group->flows.push_back(f);
      }
      flow_path.queues.push_back(at);
    }
    flow_path.curves.resize(flow_path.queues.size());
    flow_path.residuals.resize(flow_path.queues.size());
    for (std::size_t k = 0; k < flow_path.curves.size(); ++k)
      if (k == 0 || network_.ports[flow.path[k - 1]].reshaped)
        flow_path.curves[k] = ArrivalCurve(flow.buckets);
  }
}

void Analysis::check_schedulers() const {
  for (const Queue& queue : queues_) {
    const PolicedPort& port = network_.ports[queue.port];
    if (!queue.traffic_class) continue;
    const std::size_t its = *queue.traffic_class;
    const std::string name = fmt::format("of class {} at {}", network_.classes[its], port.name);
    if (port.scheduler == Scheduler::drr) {
      if (its >= port.quanta.size()) throw InvalidArgument("the quantum " + name, "missing", "given");
      if (port.quanta[its] < queue.longest || port.quanta[its] <= 0)
        throw InvalidArgument(
            "the quantum " + name, to_fraction(port.quanta[its]),
            fmt::format("at least {}, the class's longest packet", to_fraction(queue.longest)));
    }
    if (port.scheduler == Scheduler::cbs && its >= port.idle_slopes.size())
      throw InvalidArgument(
          "the scheduler " + name, "cbs",
          "another one: with credit-based shapers, classes after the second have no guarantee");
  }
  for (const PolicedPort& port : network_.ports) {
    if (port.scheduler != Scheduler::cbs) continue;
    Rational sum = 0;
    for (const Rational& slope : port.idle_slopes) {
      if (slope <= 0) throw InvalidArgument("an idle slope of " + port.name, to_fraction(slope), "above 0");
      sum = sum + slope;
    }
    if (sum >= port.rate)
      throw InvalidArgument("the idle slopes of " + port.name, to_fraction(sum) + " together",
                            "below the rate of the link, " + to_fraction(port.rate));
  }
}

/// "110 %": in no unit of the file.
std::string percent_of(const Rational& load, const Rational& rate) {
  return rate > 0 ? numeric::to_decimal(Rational(load / rate * 100), 4, numeric::Rounding::up) + " %"
                  : std::string("more than nothing");
}

void Analysis::check_loads() const {
  std::vector<Rational> loads(network_.ports.size(), Rational(0));
  for (const Queue& queue : queues_) loads[queue.port] = loads[queue.port] + queue.load;
  for (std::size_t p = 0; p < loads.size(); ++p)
    if (loads[p] > network_.ports[p].rate)
      throw NoAnswer(
          fmt::format("the port {} is offered {} of its rate in the long run; it must be at most 100 %",
                      network_.ports[p].name, percent_of(loads[p], network_.ports[p].rate)));
}

std::size_t Analysis::hop(std::size_t flow, std::size_t queue) const {
  const std::vector<std::size_t>& queues = flow_paths_[flow].queues;
  return static_cast<std::size_t>(std::find(queues.begin(), queues.end(), queue) - queues.begin());
}

/// Topological order of the queues; those in and after cycles come last.
void Analysis::find_order() {
  std::vector<std::set<std::size_t>> after(queues_.size());
  std::vector<std::size_t> before(queues_.size(), 0);
  const auto depends = [&](std::size_t queue, std::size_t on) {
    if (after[on].insert(queue).second) ++before[queue];
  };
  for (const Queue& queue : queues_) {
    for (const InLink& link : queue.links)
      if (!network_.ports[link.port].reshaped)
        for (const Group& group : link.groups) depends(queue.index, group.queue);
    if (network_.ports[queue.port].scheduler == Scheduler::priority)
      for (const std::size_t other : of_port_[queue.port])
        if (other < queue.index) depends(queue.index, other);
  }
  for (std::size_t q = 0; q < queues_.size(); ++q)
    if (before[q] == 0) order_.push_back(q);
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

/// Arrival curve of the link itself.
ArrivalCurve Analysis::line(const InLink& link) const {
  if (!rules_.lines || network_.ports[link.port].reshaped) return {};
  return ArrivalCurve({{network_.ports[link.port].rate, link.longest}});
}

namespace {

/// The minimum of both; a curve without lines is no bound.
ArrivalCurve capped(const ArrivalCurve& curve, const ArrivalCurve& cap) {
  return cap.is_nothing() || curve.is_nothing() ? curve : minimum(curve, cap);
}

}  // namespace

/// Curves of groups, links and the whole queue from those of flows.
void Analysis::gather(Queue& queue) {
  queue.arrivals = queue.own_sum;
  for (InLink& link : queue.links) {
    link.curve = {};
    for (Group& group : link.groups) {
      group.sum = {};
      for (const std::size_t flow : group.flows)
        group.sum += flow_paths_[flow].curves[hop(flow, queue.index)];
      group.curve = group.sum;
      if (!network_.ports[link.port].reshaped)
        if (const auto output = groups_.find({group.queue, queue.index}); output != groups_.end())
          group.curve = minimum(group.curve, output->second.curve);
      link.curve += group.curve;
    }
    link.curve = capped(link.curve, line(link));
    queue.arrivals += link.curve;
  }
}

/// Curve of the higher classes at this port.
ArrivalCurve Analysis::higher_classes(const Queue& queue) const {
  ArrivalCurve all;
  std::map<std::size_t, InLink> links;
  for (const std::size_t its : of_port_[queue.port]) {
    if (its >= queue.index) break;
    const Queue& other = queues_[its];
    all += other.own_sum;
    for (const InLink& link : other.links) {
      InLink& together = links[link.port];
      together.port = link.port;
      together.longest = std::max(together.longest, link.longest);
      together.curve += link.curve;
    }
  }
  for (const auto& [port, link] : links) all += capped(link.curve, line(link));
  return all;
}

ServiceCurve Analysis::service_of(const Queue& queue) const {
  const PolicedPort& port = network_.ports[queue.port];
  const ServiceCurve whole(port.latency, port.rate);
  if (port.scheduler == Scheduler::fifo) return whole;
  const std::size_t its = *queue.traffic_class;
  // The port's other queues: the longest packet of the lower classes, and of each class.
  Rational lower = port.best_effort;
  std::map<std::size_t, Rational> longest;
  for (const std::size_t one : of_port_[queue.port]) {
    const Queue& other = queues_[one];
    longest[*other.traffic_class] = other.longest;
    if (*other.traffic_class > its) lower = std::max(lower, other.longest);
  }
  const auto none = [&]() -> NoAnswer {
    return NoAnswer(
        fmt::format("class {} at {} gets no service in the long run: the higher classes use all of it",
                    network_.classes[its], port.name));
  };
  switch (port.scheduler) {
    case Scheduler::fifo:
      break;
    case Scheduler::priority: {
      const auto left = blind_residual(whole, higher_classes(queue), lower);
      if (!left) throw none();
      return *left;
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

Rational Analysis::variation_of(const Queue& queue) const {
  const auto distance = horizontal_distance(queue.arrivals, *queue.service, queue.shortest);
  if (!distance)
    throw NoAnswer(fmt::format("{} is offered {} of its service in the long run; it must be at most 100 %",
                               queue.traffic_class
                                   ? fmt::format("class {} at {}", network_.classes[*queue.traffic_class],
                                                 network_.ports[queue.port].name)
                                   : "the port " + network_.ports[queue.port].name,
                               percent_of(queue.load, queue.service->rate())));
  return std::max(*distance, Rational(0));
}

void Analysis::serve(Queue& queue) {
  gather(queue);
  queue.service = service_of(queue);
}

/// Arrivals at a queue without one flow.
ArrivalCurve Analysis::others(const Queue& queue, std::size_t flow) const {
  if (queue.flows.size() == 1) return {};
  const std::size_t k = hop(flow, queue.index);
  const ArrivalCurve& its = flow_paths_[flow].curves[k];
  if (k == 0) return queue.arrivals.without(its);
  const auto link = std::find_if(queue.links.begin(), queue.links.end(), [&](const InLink& one) {
    return one.port == network_.flows[flow].path[k - 1];
  });
  ArrivalCurve rest;  // rest of its link
  for (const Group& group : link->groups)
    if (group.queue != flow_paths_[flow].queues[k - 1])
      rest += group.curve;
    else if (group.flows.size() > 1)
      rest += minimum(group.sum.without(its), group.curve);
  ArrivalCurve all = queue.arrivals.without(link->curve);
  if (!rest.is_nothing()) all += minimum(rest, link->curve);
  return all;
}

/// Output of flows that continue over one link, from the residual service; none if the others take all.
std::optional<GroupGuarantee> Analysis::group_output(const Queue& queue, std::size_t next,
                                                     const std::vector<std::size_t>& flows) const {
  const std::set<std::size_t> members(flows.begin(), flows.end());
  ArrivalCurve group, rest;
  Rational longest = 0;
  const auto add = [&](std::size_t flow, ArrivalCurve& one, ArrivalCurve& other) {
    const ArrivalCurve& curve = flow_paths_[flow].curves[hop(flow, queue.index)];
    if (members.count(flow) != 0) {
      one += curve;
      longest = std::max(longest, network_.flows[flow].longest);
    } else {
      other += curve;
    }
  };
  for (const std::size_t flow : queue.own) add(flow, group, rest);
  for (const InLink& link : queue.links) {
    ArrivalCurve one, other;
    for (const Group& from : link.groups) {
      ArrivalCurve mine, others;
      for (const std::size_t flow : from.flows) add(flow, mine, others);
      one += capped(mine, from.curve);
      other += capped(others, from.curve);
    }
    group += capped(one, link.curve);
    rest += capped(other, link.curve);
  }
  const auto left = fifo_residual(*queue.service, rest);
  if (!left) return std::nullopt;
  const auto output = departures(group.later(longest / network_.ports[queue.port].rate), *left);
  if (!output) return std::nullopt;
  return GroupGuarantee{queue.index, next, output->rounded_up(denominator_), *left};
}

/// Passes the curves of its flows to their next queues.
void Analysis::send_on(Queue& queue, bool residuals) {
  const PolicedPort& port = network_.ports[queue.port];
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (const std::size_t flow : queue.flows) {
    FlowPath& flow_path = flow_paths_[flow];
    const std::size_t k = hop(flow, queue.index);
    if (residuals) flow_path.residuals[k] = fifo_residual(*queue.service, others(queue, flow));
    if (k + 1 == flow_path.queues.size() || port.reshaped) continue;
    ArrivalCurve next = flow_path.curves[k].later(queue.variation);
    if (residuals && rules_.residuals && flow_path.residuals[k])
      if (const auto output = departures(flow_path.curves[k].later(network_.flows[flow].longest / port.rate),
                                         *flow_path.residuals[k]))
        next = minimum(next, *output);
    flow_path.curves[k + 1] = next.rounded_up(denominator_);
    groups[flow_path.queues[k + 1]].push_back(flow);
  }
  if (!residuals || !rules_.residuals) return;
  for (const auto& [next, flows] : groups)
    if (flows.size() > 1)
      if (auto output = group_output(queue, next, flows))
        groups_.insert_or_assign({queue.index, next}, *std::move(output));
}

std::vector<Rational> Analysis::variations_of_cycle() {
  // Curves first: a queue's own flows, then those from previous queues.
  for (std::size_t f = 0; f < flow_paths_.size(); ++f) {
    FlowPath& flow_path = flow_paths_[f];
    for (std::size_t k = 0; k + 1 < flow_path.queues.size(); ++k) {
      const Queue& queue = queues_[flow_path.queues[k]];
      if (in_cycle_[queue.index] && !network_.ports[queue.port].reshaped)
        flow_path.curves[k + 1] = flow_path.curves[k].later(queue.variation);
    }
  }
  for (const std::size_t q : cyclic_) gather(queues_[q]);
  std::vector<Rational> next;
  for (const std::size_t q : cyclic_) {
    queues_[q].service = service_of(queues_[q]);
    next.push_back(variation_of(queues_[q]));
  }
  return next;
}

/// Whether F(0) is above 0 at a queue for any earlier variations.
bool Analysis::waits_alone(const Queue& queue) const {
  const PolicedPort& port = network_.ports[queue.port];
  const ServiceCurve service =
      port.scheduler == Scheduler::priority ? ServiceCurve(port.latency, port.rate) : *queue.service;
  return *horizontal_distance(queue.arrivals, service, queue.shortest) > 0;
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

NetworkGuarantee Analysis::run() {
  for (const std::size_t q : order_) {
    Queue& queue = queues_[q];
    serve(queue);
    queue.variation = rounded_up(variation_of(queue), denominator_);
    send_on(queue, true);
  }
  solve_cycle();
  if (rounds_ > max_rounds) return {};
  if (!cyclic_.empty()) {
    if (cyclic_.size() <= max_exact_hops) try_short_fractions();
    for (const std::size_t q : cyclic_)
      for (const std::size_t flow : queues_[q].flows)
        flow_paths_[flow].residuals[hop(flow, q)] =
            fifo_residual(*queues_[q].service, others(queues_[q], flow));
  }
  return result();
}

NetworkGuarantee Analysis::result() const {
  NetworkGuarantee all{
      .queues = {}, .flows = {}, .cyclic = cyclic_, .rounds = rounds_, .denominator = denominator_};
  for (const auto& [ends, group] : groups_) all.groups.push_back(group);
  for (const Queue& queue : queues_) {
    const auto backlog = vertical_distance(queue.arrivals, *queue.service);
    all.queues.push_back({.port = queue.port,
                          .traffic_class = queue.traffic_class,
                          .backlog = *backlog,
                          .delay = queue.variation + queue.shortest / network_.ports[queue.port].rate,
                          .variation = queue.variation,
                          .load = queue.load,
                          .arrivals = queue.arrivals,
                          .service = *queue.service});
  }
  for (std::size_t f = 0; f < flow_paths_.size(); ++f) {
    const PolicedFlow& flow = network_.flows[f];
    const FlowPath& flow_path = flow_paths_[f];
    FlowGuarantee& its = all.flows.emplace_back();
    its.queues = flow_path.queues;
    its.curves = flow_path.curves;
    its.residuals = flow_path.residuals;
    Rational sum = 0, wires = 0, between = 0;
    std::optional<ServiceCurve> whole;
    bool in_one = true;
    for (std::size_t k = 0; k < flow_path.queues.size(); ++k) {
      const PolicedPort& port = network_.ports[flow.path[k]];
      sum = sum + all.queues[flow_path.queues[k]].delay;
      wires = wires + port.wire;
      its.minimum = its.minimum + flow.shortest / port.rate + port.wire;
      const bool last = k + 1 == flow_path.queues.size();
      if (!last) between = between + flow.longest / port.rate;
      if (!flow_path.residuals[k] || (port.reshaped && !last)) in_one = false;
      if (in_one) whole = whole ? in_series(*whole, *flow_path.residuals[k]) : *flow_path.residuals[k];
    }
    its.tfa = rounded_up(sum + wires, denominator_);
    if (!in_one) continue;
    if (const auto delay = horizontal_distance(flow_path.curves.front(), *whole))
      its.sfa = rounded_up(*delay + between + wires, denominator_);
  }
  return all;
}

}  // namespace

const Rational& FlowGuarantee::delay(GuaranteeMethod method) const {
  switch (used(method)) {
    case GuaranteeMethod::sfa:
      return *sfa;
    case GuaranteeMethod::slots:
      return *slots;
    case GuaranteeMethod::best:
    case GuaranteeMethod::tfa:
      break;
  }
  return *tfa;
}

GuaranteeMethod FlowGuarantee::used(GuaranteeMethod method) const {
  if (method == GuaranteeMethod::tfa || (method == GuaranteeMethod::sfa && sfa) ||
      (method == GuaranteeMethod::slots && slots))
    return method;
  GuaranteeMethod best = GuaranteeMethod::tfa;
  const Rational* shortest = &*tfa;
  for (const auto& [its, delay] :
       {std::pair{GuaranteeMethod::slots, &slots}, std::pair{GuaranteeMethod::sfa, &sfa}})
    if (*delay && **delay < *shortest) {
      best = its;
      shortest = &**delay;
    }
  return best;
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
    return flow.longest == 1 && flow.shortest == 1;
  });
  std::size_t hops = 0;
  for (const PolicedFlow& flow : network.flows) hops += flow.path.size();
  if (!plain_ports || !whole || !found.cyclic.empty() || hops > max_slotted_hops) return;
  try {
    const SlottedGuarantee slotted = slotted_guarantee(network, max_slot_steps);
    for (QueueGuarantee& queue : found.queues) queue.in_slots = slotted.backlog[queue.port];
    for (std::size_t f = 0; f < found.flows.size(); ++f)
      found.flows[f].slots = numeric::Rational(slotted.delay[f]);
  } catch (const LimitExceeded&) {
    // Too long for individual slots: the other bounds remain.
  } catch (const InvalidArgument&) {
    // Bucket denominators not supported for individual slots.
  }
}

}  // namespace

NetworkGuarantee guarantee(const PolicedNetwork& network, const GuaranteeRules& rules) {
  NetworkGuarantee found = Analysis(network, rules).run();
  if (!found.queues.empty() || network.flows.empty()) {
    if (rules.whole_slots) add_slots(network, found);
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

}  // namespace tailbound::bounds
