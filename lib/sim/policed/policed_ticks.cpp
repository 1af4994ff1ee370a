#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/policed/policed_ticks.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace tailbound::sim {
namespace {

using network::PolicedFlow;
using network::PolicedNetwork;
using network::PolicedPort;
using network::Scheduler;
using numeric::Rational;
using numeric::to_fraction;

constexpr long max_ticks = 1L << 60;  ///< of one packet, bucket or latency
constexpr Ticks longest_repetition = Ticks{1} << 50;
/// A range of lengths is divided into at least this many steps, and the shortest transmission into at least
/// this many ticks.
constexpr long min_steps = 16, min_ticks = 8;
/// The same with gates: a packet that comes a tick too late is all but as late as one can be.
constexpr long min_ticks_of_gates = 64;

/// The greatest common divisor of all added numbers.
class CommonDivisor {
 public:
  void add(const Rational& value) {
    if (value == 0) return;
    const auto below = numeric::denominator(value) * numeric::denominator(divisor_);
    divisor_ = Rational(numeric::gcd(numeric::numerator(value) * numeric::denominator(divisor_),
                                     numeric::numerator(divisor_) * numeric::denominator(value))) /
               below;
  }
  [[nodiscard]] const Rational& value() const { return divisor_; }

 private:
  Rational divisor_ = 0;
};

std::int64_t counted(const Rational& value, const Rational& unit) {
  const Rational count = value / unit;
  if (count > max_ticks)
    throw LimitExceeded("the numbers of the network have no usable common unit of time: in ticks of " +
                        to_fraction(unit) + " one of them exceeds 2^60; use numbers with fewer digits");
  return numeric::to_int64(numeric::numerator(count));
}

void require_gates(const PolicedNetwork& network, const PolicedPort& port) {
  if (port.gates.empty()) return;
  require(port.scheduler == Scheduler::priority, "scheduler", port.name, "priority, with gates");
  require(port.preemptable.empty(), "preemptable", port.name, "empty, with gates");
  require(port.best_effort == 0, "best_effort", port.name, "0, with gates: it has none");
  if (port.guard == network::Guard::fixed)
    require(port.max_sdu.size() == network.classes.size(), "max_sdu", port.name, "given for each class");
  for (const network::GateEntry& entry : port.gates) {
    require(entry.time > 0, "time", to_fraction(entry.time), "above 0");
    require(entry.open.size() == network.classes.size(), "open", port.name, "given for each class");
  }
}

void require_preemption(const PolicedNetwork& network, const PolicedPort& port) {
  const std::vector<bool>& classes = port.preemptable;
  if (classes.empty()) return;
  require(port.scheduler == Scheduler::priority, "scheduler", port.name, "priority, with preemption");
  require(network.byte > 0, "byte", to_fraction(network.byte), "above 0, with preemption");
  require(classes.size() == network.classes.size() && std::is_sorted(classes.begin(), classes.end()),
          "preemptable", port.name, "given for each class, no class above one that is not");
  require(port.fragment >= 64 && port.fragment <= 256 && port.fragment % 64 == 0, "fragment",
          std::to_string(port.fragment), "64, 128, 192 or 256");
}

/// The port behind this one sends packets on while they arrive: they must arrive without a pause, and fast
/// enough.
void require_stream(const PolicedPort& port, const PolicedPort& next) {
  if (!next.cut_through) return;
  require(*next.cut_through > 0, "cut_through", to_fraction(*next.cut_through), "above 0");
  require(port.rate >= next.rate, "rate", to_fraction(port.rate),
          "not below that of the next link, which cuts through");
  require(port.gates.empty() && port.preemptable.empty() && !port.reshaped, "cut_through", next.name,
          "none behind a link with gates, preemption or regulators");
}

void require_period(const PolicedFlow& flow) {
  if (!flow.periodic) return;
  const network::PeriodicSource& source = *flow.periodic;
  require(flow.shortest == flow.longest, "packet", flow.name, "of one length, with a period");
  require(source.period > 0, "period", to_fraction(source.period), "above 0");
  require(source.jitter >= 0, "jitter", to_fraction(source.jitter), "0 or above");
  require(source.clock.empty() == !source.offset, "clock", flow.name, "given with an offset, and only then");
}

/// All that its packets pass leads to a destination.
void require_tree(const PolicedFlow& flow) {
  bool sound = flow.before.empty() || flow.before.size() == flow.path.size();
  for (std::size_t hop = 1; sound && hop < flow.path.size(); ++hop) sound = flow.hop_before(hop) < hop;
  require(sound, "before", flow.name, "an earlier position for each port of the path");
  std::set<std::size_t> ends;
  for (const network::PolicedDestination& destination : flow.destinations)
    require(destination.hop < flow.path.size() && ends.insert(destination.hop).second, "destination",
            destination.name, "at the end of a port of the path, once");
  if (flow.destinations.empty()) ends.insert(flow.path.size() - 1);
  for (std::size_t hop = 1; hop < flow.path.size(); ++hop) ends.insert(flow.hop_before(hop));
  require(ends.size() == flow.path.size(), "path", flow.name,
          "a tree with a destination at each of its ends");
}

void require_sound(const PolicedNetwork& network) {
  for (const PolicedPort& port : network.ports) {
    require(port.rate > 0, "rate", to_fraction(port.rate), "above 0");
    require(port.latency >= 0, "latency", to_fraction(port.latency), "0 or above");
    require(port.wire >= 0, "wire", to_fraction(port.wire), "0 or above");
    require(port.best_effort >= 0, "best_effort", to_fraction(port.best_effort), "0 or above");
    for (const Rational& slope : port.idle_slopes)
      require(slope > 0, "idle_slope", to_fraction(slope), "above 0");
    require_gates(network, port);
    require_preemption(network, port);
  }
  require(!network.flows.empty(), "flows", "none", "one or more");
  for (const PolicedFlow& flow : network.flows) {
    require(!flow.path.empty(), "path", "", "one port or more");
    const std::set<std::size_t> ports(flow.path.begin(), flow.path.end());
    require(ports.size() == flow.path.size() && *ports.rbegin() < network.ports.size(), "path", flow.name,
            "a list of ports of the network, each at most once");
    require_tree(flow);
    for (std::size_t hop = 1; hop < flow.path.size(); ++hop)
      require_stream(network.ports[flow.path[flow.hop_before(hop)]], network.ports[flow.path[hop]]);
    require(flow.traffic_class < network.classes.size(), "class", std::to_string(flow.traffic_class),
            "the number of a class");
    require(flow.shortest > 0 && flow.longest >= flow.shortest, "packet", to_fraction(flow.shortest),
            "above 0 and not above the longest");
    require_period(flow);
    require(!flow.buckets.empty(), "bucket", "none", "one or more");
    for (const traffic::TokenBucket& bucket : flow.buckets) {
      require(bucket.rate > 0, "rate", to_fraction(bucket.rate), "above 0");
      require(bucket.burst >= flow.longest, "burst", to_fraction(bucket.burst),
              "not below the longest packet");
    }
    for (const std::size_t port : flow.path) {
      if (!network.ports[port].gates.empty() && network.ports[port].guard == network::Guard::fixed)
        require(network.ports[port].max_sdu[flow.traffic_class] >= flow.longest, "max_sdu",
                network.ports[port].name, "not below the longest packet of each class that passes");
      if (network.ports[port].scheduler == Scheduler::drr)
        require(flow.traffic_class < network.ports[port].quanta.size() &&
                    network.ports[port].quanta[flow.traffic_class] >= flow.longest,
                "quantum", network.ports[port].name, "one for each class, not below its longest packet");
    }
  }
}

bool preempts(const PolicedPort& port) {
  return std::find(port.preemptable.begin(), port.preemptable.end(), true) != port.preemptable.end();
}

Rational unit_of(const PolicedNetwork& network) {
  CommonDivisor unit;
  for (const PolicedPort& port : network.ports) {
    unit.add(port.best_effort);
    if (preempts(port)) unit.add(network.byte);
    if (port.cut_through) unit.add(*port.cut_through);
    for (const Rational& quantum : port.quanta) unit.add(quantum);
  }
  for (const PolicedFlow& flow : network.flows) {
    unit.add(flow.longest);
    unit.add(flow.shortest);
    for (const traffic::TokenBucket& bucket : flow.buckets) unit.add(bucket.burst);
  }
  Rational divisor = unit.value();
  for (const PolicedFlow& flow : network.flows)
    if (flow.shortest < flow.longest)
      while (flow.longest - flow.shortest < min_steps * divisor) divisor = divisor / 2;
  return divisor;
}

/// Windows of a class; those that touch, also over the end of the cycle, are one.
TickedGate gate_of(const PolicedPort& port, std::size_t traffic_class, const Rational& tick) {
  TickedGate gate;
  gate.always = std::all_of(port.gates.begin(), port.gates.end(),
                            [&](const network::GateEntry& entry) { return entry.open[traffic_class]; });
  if (gate.always) return gate;
  Ticks at = 0;
  bool open = false;
  for (const network::GateEntry& entry : port.gates) {
    const Ticks end = at + counted(entry.time, tick);
    if (entry.open[traffic_class] && open)
      gate.windows.back().closes = end;
    else if (entry.open[traffic_class])
      gate.windows.push_back({at, end});
    open = entry.open[traffic_class];
    at = end;
  }
  if (open && gate.windows.front().opens == 0 && gate.windows.size() > 1) {
    gate.windows.back().closes += gate.windows.front().closes;
    gate.windows.erase(gate.windows.begin());
  }
  if (port.guard == network::Guard::fixed)
    gate.reserved = counted(port.max_sdu[traffic_class] / port.rate, tick);
  return gate;
}

Rational tick_of(const PolicedNetwork& network, const Rational& unit) {
  CommonDivisor tick;
  for (const PolicedPort& port : network.ports) {
    tick.add(unit / port.rate);
    tick.add(port.latency);
    tick.add(port.wire);
    for (const network::GateEntry& entry : port.gates) tick.add(entry.time);
    tick.add(port.gate_offset);
    tick.add(port.clock_error);
    if (port.guard == network::Guard::fixed)
      for (const Rational& longest : port.max_sdu) tick.add(longest / port.rate);
    if (port.scheduler == Scheduler::cbs)
      for (const Rational& slope : port.idle_slopes) tick.add(unit / slope);
  }
  for (const PolicedFlow& flow : network.flows) {
    for (const traffic::TokenBucket& bucket : flow.buckets) {
      tick.add(unit / bucket.rate);
      tick.add(bucket.burst / bucket.rate);
    }
    if (!flow.periodic) continue;
    tick.add(flow.periodic->period);
    tick.add(flow.periodic->jitter);
    tick.add(flow.periodic->offset.value_or(0));
  }
  Rational divisor = tick.value();
  for (const PolicedFlow& flow : network.flows)
    for (const std::size_t port : flow.path) {
      const long least = network.ports[port].gates.empty() ? min_ticks : min_ticks_of_gates;
      while (flow.longest / network.ports[port].rate < least * divisor) divisor = divisor / 2;
    }
  return divisor;
}

/// Packets that together are the burst, or as close below it as possible.
std::vector<DataUnits> full_burst_of(DataUnits burst, DataUnits longest, DataUnits shortest) {
  const DataUnits maximum = 1 << 20;
  const DataUnits count = std::min((burst + longest - 1) / longest, maximum);
  if (count * shortest > burst)
    return std::vector<DataUnits>(static_cast<std::size_t>(burst / longest), longest);
  std::vector<DataUnits> packets(static_cast<std::size_t>(count), longest);
  DataUnits above = count * longest - burst;
  for (auto packet = packets.rbegin(); packet != packets.rend() && above > 0; ++packet) {
    const DataUnits less = std::min(above, longest - shortest);
    *packet -= less;
    above -= less;
  }
  return packets;
}

/// Hops of a flow, without queues.
void add_hops(const PolicedNetwork& network, const PolicedFlow& flow, TickedNetwork& all, TickedFlow& its) {
  for (const std::size_t port : flow.path) its.hops.push_back({.port = port, .queue = 0});
  for (std::uint32_t hop = 1; hop < its.hops.size(); ++hop) {
    const auto before = static_cast<std::uint32_t>(flow.hop_before(hop));
    its.hops[hop].before = before;
    const auto& header = network.ports[flow.path[hop]].cut_through;
    if (header) {
      its.hops[hop].header = counted(*header, all.unit);
      all.ports[flow.path[before]].ahead = true;
    }
    std::uint32_t* place = header ? &its.hops[before].ahead : &its.hops[before].next;
    while (*place != no_hop) place = &its.hops[*place].sibling;
    *place = hop;
  }
  std::size_t& destinations = all.destinations;
  its.first_destination = destinations;
  if (flow.destinations.empty()) its.hops.back().destination = destinations++;
  for (const network::PolicedDestination& destination : flow.destinations)
    its.hops[destination.hop].destination = destinations++;
  its.destinations = destinations - its.first_destination;
}

void add_clocks(const PolicedNetwork& network, TickedNetwork& all) {
  std::map<std::string, std::size_t> clocks;
  const auto number_of = [&](const std::string& clock, Ticks repeats_after) {
    const std::size_t number = clocks.try_emplace(clock, clocks.size()).first->second;
    all.clocks.resize(clocks.size(), 1);
    Ticks& repeats = all.clocks[number];
    const Ticks times = repeats_after / std::gcd(repeats, repeats_after);
    repeats = repeats > longest_repetition / times ? longest_repetition : repeats * times;
    return number;
  };
  for (std::size_t p = 0; p < network.ports.size(); ++p) {
    const PolicedPort& port = network.ports[p];
    if (port.clock.empty()) continue;
    all.ports[p].clock = number_of(port.clock, all.ports[p].cycle);
    all.ports[p].gate_offset = counted(port.gate_offset, all.tick);
    all.ports[p].clock_error = counted(port.clock_error, all.tick);
  }
  for (std::size_t f = 0; f < network.flows.size(); ++f) {
    if (!network.flows[f].periodic) continue;
    const network::PeriodicSource& source = *network.flows[f].periodic;
    TickedPeriod& its =
        all.flows[f].periodic.emplace(TickedPeriod{.period = counted(source.period, all.tick),
                                                   .jitter = counted(source.jitter, all.tick),
                                                   .offset = counted(source.offset.value_or(0), all.tick)});
    if (!source.clock.empty()) its.clock = number_of(source.clock, its.period);
  }
}

void add_queues(const PolicedNetwork& network, TickedNetwork& all) {
  const auto key = [&](const PolicedFlow& flow, std::size_t port) {
    const bool fifo = network.ports[port].scheduler == Scheduler::fifo;
    return std::pair(port, fifo ? std::size_t{0} : flow.traffic_class);
  };
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> found;
  for (const PolicedFlow& flow : network.flows)
    for (const std::size_t port : flow.path) found.try_emplace(key(flow, port), 0);
  for (auto& [its, number] : found) {
    TickedPort& port = all.ports[its.first];
    number = all.queues.size();
    if (port.queues++ == 0) port.first_queue = port.first_preemptable = number;
    if (const auto& preemptable = network.ports[its.first].preemptable;
        !preemptable.empty() && !preemptable[its.second])
      port.first_preemptable = number + 1;
    all.queues.push_back(
        {its.first, port.scheduler == Scheduler::fifo ? std::nullopt : std::optional(its.second)});
  }
  for (std::size_t f = 0; f < network.flows.size(); ++f) {
    std::vector<TickedHop>& hops = all.flows[f].hops;
    for (TickedHop& hop : hops) {
      hop.queue = found.at(key(network.flows[f], hop.port));
      if (hop.before != no_hop && !network.ports[hops[hop.before].port].reshaped)
        all.queues[hop.queue].regulated = false;
    }
  }
}

/// Each packet fits a window; otherwise it would never be sent.
void require_windows(const PolicedNetwork& network, const TickedNetwork& all, std::size_t f) {
  const TickedFlow& flow = all.flows[f];
  for (const TickedHop& hop : flow.hops) {
    const TickedPort& port = all.ports[hop.port];
    if (port.cycle == 0) continue;
    const TickedGate& gate = port.gates[flow.traffic_class];
    Ticks widest = gate.always ? latest_tick : 0;
    for (const TickedGate::Window& window : gate.windows)
      widest = std::max(widest, window.closes - window.opens);
    const Ticks needed = port.guard == network::Guard::fit     ? flow.longest * port.per_unit
                         : port.guard == network::Guard::fixed ? gate.reserved
                                                               : Ticks{1};
    if (widest < needed)
      throw InvalidArgument("the longest window of class " + network.classes[flow.traffic_class] + " at " +
                                network.ports[hop.port].name,
                            to_fraction(Rational(widest) * all.tick),
                            "at least " + to_fraction(Rational(needed) * all.tick) + " for packets of " +
                                network.flows[f].name);
  }
}

}  // namespace

Ticks longest_uncut(const TickedPort& port) {
  return port.whole + (last_fragment_bytes - 1 + preamble_bytes + gap_bytes) * port.byte;
}

Ticks TickedGate::left(Ticks position, Ticks cycle) const {
  if (always) return latest_tick;
  const auto after = std::upper_bound(windows.begin(), windows.end(), position,
                                      [](Ticks at, const Window& window) { return at < window.opens; });
  // Else the last window of the cycle before.
  const Ticks closes = after != windows.begin() ? (after - 1)->closes : windows.back().closes - cycle;
  return std::max(closes - position, Ticks{0});
}

Ticks TickedGate::to_opening(Ticks position, Ticks cycle) const {
  const auto after = std::upper_bound(windows.begin(), windows.end(), position,
                                      [](Ticks at, const Window& window) { return at < window.opens; });
  return after != windows.end() ? after->opens - position : windows.front().opens + cycle - position;
}

TickedNetwork ticked(const PolicedNetwork& network) {
  require_sound(network);
  TickedNetwork all{.unit = unit_of(network), .tick = 0};
  all.tick = tick_of(network, all.unit);
  all.classes = network.classes.size();
  const auto units = [&](const Rational& data) { return counted(data, all.unit); };
  const auto ticks = [&](const Rational& time) { return counted(time, all.tick); };
  for (const PolicedPort& port : network.ports) {
    TickedPort& its = all.ports.emplace_back();
    its = {.per_unit = ticks(all.unit / port.rate),
           .latency = ticks(port.latency),
           .wire = ticks(port.wire),
           .scheduler = port.scheduler,
           .best_effort = units(port.best_effort),
           .reshaped = port.reshaped};
    static_cast<void>(ticks(port.best_effort / port.rate));
    for (std::size_t c = 0; c < network.classes.size() && !port.gates.empty(); ++c)
      its.gates.push_back(gate_of(port, c, all.tick));
    Rational cycle = 0;
    for (const network::GateEntry& entry : port.gates) cycle = cycle + entry.time;
    its.cycle = ticks(cycle);
    its.guard = port.guard;
    if (preempts(port)) {
      its.byte = ticks(network.byte / port.rate);
      its.whole = (port.fragment - cut_check_bytes) * its.byte;
    }
    if (port.scheduler == Scheduler::drr)
      for (const Rational& quantum : port.quanta) its.quanta.push_back(units(quantum));
    if (port.scheduler == Scheduler::cbs)
      for (const Rational& slope : port.idle_slopes) its.slopes.push_back(ticks(all.unit / slope));
  }
  for (const PolicedFlow& flow : network.flows) {
    TickedFlow& its = all.flows.emplace_back();
    add_hops(network, flow, all, its);
    its.traffic_class = flow.traffic_class;
    its.longest = units(flow.longest);
    its.shortest = units(flow.shortest);
    Rational minimum = flow.buckets.front().burst;
    for (const traffic::TokenBucket& bucket : flow.buckets) {
      its.buckets.push_back({ticks(all.unit / bucket.rate), ticks(bucket.burst / bucket.rate)});
      minimum = std::min(minimum, bucket.burst);
    }
    its.uncut = its.longest;
    for (const std::size_t port : flow.path)
      if (const TickedPort& at = all.ports[port]; at.byte > 0)
        its.uncut = std::min(its.uncut, longest_uncut(at) / at.per_unit);
    its.uncut = std::max(its.uncut, its.shortest);
    its.full_burst = full_burst_of(units(minimum), its.longest, its.shortest);
    for (const std::size_t port : flow.path) {
      static_cast<void>(ticks(flow.longest / network.ports[port].rate));
      for (const Rational& slope : network.ports[port].idle_slopes)
        if (network.ports[port].scheduler == Scheduler::cbs) static_cast<void>(ticks(flow.longest / slope));
    }
  }
  add_clocks(network, all);
  add_queues(network, all);
  for (std::size_t f = 0; f < network.flows.size(); ++f) require_windows(network, all, f);
  return all;
}

}  // namespace tailbound::sim
