#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/policed/policed_episode.hpp>
#include <tailbound/sim/policed/policed_events.hpp>
#include <tailbound/sim/random.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

namespace tailbound::sim {
namespace {

using numeric::Rational;

constexpr std::uint64_t purpose_of_plans = 31;
constexpr Ticks longest_wait = Ticks{1} << 60;
constexpr std::size_t max_runs_by_gates = 4;

/// Two flows meet at a port.
struct Meeting {
  std::size_t flow, hop, hop_of_target;
};

/// Packets to delay.
struct TargetRoute {
  std::size_t flow, destination, hop;  ///< destination among those of all flows, at the end of this hop
};

class EventRuns {
 public:
  EventRuns(const network::PolicedNetwork& network, const PolicedEventsPlan& plan,
            const std::stop_token& stop)
      : network_(ticked(network)),
        rates_(network),
        plan_(plan),
        stop_(stop),
        episodes_(network_),
        peaks_(network_),
        random_({.seed = plan.seed}, purpose_of_plans, 0) {
    measure();
  }
  PolicedEventsSeen seen();

 private:
  void measure();
  [[nodiscard]] bool over() {
    stopped_ = stopped_ || stop_.stop_requested();
    return stopped_ || packets_ >= plan_.packets;
  }
  const EpisodePeaks& run(const EpisodePlan& plan, std::size_t destination = 0);
  [[nodiscard]] std::vector<TargetRoute> targets() const;

  void greedy();
  void periodic();
  void random();
  void together();
  void search();
  void climb(const TargetRoute& target, std::uint64_t budget);

  [[nodiscard]] std::uint64_t below(std::uint64_t count) { return count == 0 ? 0 : random_.next() % count; }
  [[nodiscard]] bool one_in(std::uint64_t count) { return below(count) == 0; }
  /// Of any order of magnitude up to `maximum`.
  [[nodiscard]] Ticks any_time(Ticks maximum);
  /// Number of packets of a run: less than a burst, a burst, or more, sent at the rate after the burst.
  [[nodiscard]] std::uint32_t any_count(std::size_t flow) {
    const std::uint64_t burst = burst_[flow];
    if (one_in(3)) return burst_[flow];
    return static_cast<std::uint32_t>(1 + (one_in(2) ? below(burst) : burst + below(2 * burst + 16)));
  }
  [[nodiscard]] PacketLengths any_lengths() { return static_cast<PacketLengths>(below(preempts_ ? 6 : 5)); }
  [[nodiscard]] Chance any_chance() { return static_cast<Chance>(below(3)); }
  [[nodiscard]] EpisodePlan bursts() const;
  void shuffle_ranks(EpisodePlan& plan);
  static void last(EpisodePlan& plan, std::size_t flow);
  void draw_chances(EpisodePlan& plan);
  [[nodiscard]] Ticks any_error(const TickedPort& port);
  void draw_gates(EpisodePlan& plan);
  void delay_all(EpisodePlan& plan, Ticks by) const;
  void close_before(EpisodePlan& plan, const TargetRoute& target);
  void move_gates(EpisodePlan& plan, const TargetRoute& target);
  void draw_periods(EpisodePlan& plan);
  void set_clock(EpisodePlan& plan, std::size_t flow);
  void move_periods(EpisodePlan& plan, std::size_t flow);
  [[nodiscard]] bool jitters(std::size_t flow) const {
    return network_.flows[flow].periodic && network_.flows[flow].periodic->jitter > 0;
  }
  [[nodiscard]] std::vector<Meeting> meetings(const TargetRoute& target) const;
  [[nodiscard]] std::vector<std::size_t> route_to(const TargetRoute& target) const {
    return rates_.flows[target.flow].route_to(target.hop);
  }
  [[nodiscard]] EpisodePlan beginning(std::size_t target, const std::vector<Meeting>& met);
  void change(EpisodePlan& plan, const TargetRoute& target, const std::vector<Meeting>& met);
  void aim(EpisodePlan& plan, std::size_t target, const Meeting& at);

  const TickedNetwork network_;
  const network::PolicedNetwork& rates_;
  const PolicedEventsPlan& plan_;
  const std::stop_token& stop_;
  PolicedEpisodes episodes_;
  EpisodePeaks peaks_;
  RandomSequence random_;
  std::uint64_t packets_ = 0, runs_ = 0;
  bool stopped_ = false;
  std::vector<std::vector<Ticks>>
      reached_;                       ///< by its longest packet alone, [flow][hop], from start to the hop
  std::vector<std::uint32_t> burst_;  ///< packets of a full burst
  std::vector<Ticks> refill_;         ///< time in which the slowest bucket fills
  std::uint64_t burst_packets_ = 0;
  Ticks span_ = 1;      ///< time in which bursts of all flows can meet
  bool gated_ = false;  ///< is there a port with gates?
  bool preempts_ = false;
  bool periodic_ = false;  ///< is there a flow with a clock or jitter?
};

void EventRuns::measure() {
  for (const TickedPort& port : network_.ports) {
    gated_ = gated_ || port.cycle > 0;
    preempts_ = preempts_ || port.byte > 0;
  }
  periodic_ = !network_.clocks.empty();
  for (std::size_t f = 0; f < network_.flows.size(); ++f) periodic_ = periodic_ || jitters(f);
  for (const TickedFlow& flow : network_.flows) {
    Ticks farthest = 0, longest = 0, cycles = 0;
    std::vector<Ticks>& its = reached_.emplace_back();
    for (const TickedHop& hop : flow.hops) {
      const auto after = [&](std::size_t from) {
        const TickedPort& port = network_.ports[flow.hops[from].port];
        return its[from] + port.latency + flow.longest * port.per_unit + port.wire;
      };
      its.push_back(hop.before == no_hop ? 0 : after(hop.before));
      if (hop.header > 0)
        its.back() -= std::max(DataUnits{0}, flow.longest - hop.header) *
                      network_.ports[flow.hops[hop.before].port].per_unit;
      farthest = std::max(farthest, after(its.size() - 1));
      cycles += network_.ports[hop.port].cycle;
      longest = std::max(longest, flow.longest * network_.ports[hop.port].per_unit);
    }
    burst_.push_back(static_cast<std::uint32_t>(flow.full_burst.size()));
    burst_packets_ += flow.full_burst.size();
    span_ = std::min(longest_wait, std::max(span_, 2 * farthest + cycles +
                                                       longest * static_cast<Ticks>(std::min<std::size_t>(
                                                                     flow.full_burst.size(), 1024))));
    Ticks refill = 0;
    for (const TickedBucket& bucket : flow.buckets) refill = std::max(refill, bucket.depth);
    refill_.push_back(refill);
  }
}

const EpisodePeaks& EventRuns::run(const EpisodePlan& plan, std::size_t destination) {
  const EpisodePeaks& its = episodes_.run(plan, destination);
  packets_ +=
      std::max<std::uint64_t>(1, std::accumulate(its.packets.begin(), its.packets.end(), std::uint64_t{0}));
  ++runs_;
  peaks_.raise(its);
  return its;
}

std::vector<TargetRoute> EventRuns::targets() const {
  std::vector<TargetRoute> all;
  for (std::size_t f = 0; f < network_.flows.size(); ++f) {
    const std::vector<TickedHop>& hops = network_.flows[f].hops;
    for (std::size_t hop = 0; hop < hops.size(); ++hop)
      if (hops[hop].destination && (!plan_.flow || plan_.flow == f))
        all.push_back({f, *hops[hop].destination, hop});
  }
  return all;
}

Ticks EventRuns::any_time(Ticks maximum) {
  if (maximum <= 0) return 0;
  int bits = 0;
  while (bits < 62 && (maximum >> bits) != 0) ++bits;
  const Ticks limit = std::min(maximum, Ticks{1} << below(static_cast<std::uint64_t>(bits) + 1));
  return static_cast<Ticks>(below(static_cast<std::uint64_t>(limit) + 1));
}

/// All bursts at once, from time 0.
EpisodePlan EventRuns::bursts() const {
  EpisodePlan all;
  for (std::size_t f = 0; f < network_.flows.size(); ++f)
    all.flows.push_back({.start = 0,
                         .rank = static_cast<std::uint32_t>(f),
                         .runs = {{.wait = 0, .packets = burst_[f], .lengths = PacketLengths::full}}});
  all.packets = plan_.packets;
  if (gated_) all.gate_phases.assign(network_.ports.size(), 0);
  all.clock_phases.assign(network_.clocks.size(), 0);
  return all;
}

void EventRuns::shuffle_ranks(EpisodePlan& plan) {
  for (std::size_t i = plan.flows.size(); i > 1; --i)
    std::swap(plan.flows[i - 1].rank, plan.flows[below(i)].rank);
}

/// After all others at one tick.
void EventRuns::last(EpisodePlan& plan, std::size_t flow) {
  const auto end = static_cast<std::uint32_t>(plan.flows.size() - 1);
  for (FlowPlan& other : plan.flows)
    if (other.rank == end) other.rank = plan.flows[flow].rank;
  plan.flows[flow].rank = end;
}

void EventRuns::draw_chances(EpisodePlan& plan) {
  plan.departures_first = !one_in(3);
  plan.full_latency = one_in(3) ? Chance::random : Chance::always;
  plan.best_effort = one_in(3) ? Chance::random : Chance::always;
  plan.regulator_per_flow = one_in(2);
  plan.stores_waiting = plan_.stores_waiting && one_in(2);
  plan.seed = random_.next();
  draw_gates(plan);
  draw_periods(plan);
}

// --- periodic flows

void EventRuns::draw_periods(EpisodePlan& plan) {
  for (std::size_t c = 0; c < network_.clocks.size(); ++c)
    plan.clock_phases[c] = static_cast<Ticks>(below(static_cast<std::uint64_t>(network_.clocks[c])));
  for (std::size_t f = 0; f < plan.flows.size(); ++f)
    if (jitters(f)) plan.flows[f].jitter = one_in(2) ? Chance::always : any_chance();
}

/// The clock of a flow such that its first packet is sent when it starts, late or not.
void EventRuns::set_clock(EpisodePlan& plan, std::size_t f) {
  const TickedPeriod& source = *network_.flows[f].periodic;
  plan.clock_phases[*source.clock] = plan.flows[f].start - source.offset - (one_in(2) ? source.jitter : 0);
}

/// Another phase of a clock, or other lateness of a flow.
void EventRuns::move_periods(EpisodePlan& plan, std::size_t f) {
  const std::optional<TickedPeriod>& source = network_.flows[f].periodic;
  if (!source) return draw_periods(plan);
  if (jitters(f) && (one_in(3) || !source->clock)) {
    plan.flows[f].jitter = any_chance();
  } else if (source->clock) {
    if (one_in(2)) return set_clock(plan, f);
    const Ticks by = any_time(one_in(2) ? source->period : network_.clocks[*source->clock]);
    plan.clock_phases[*source->clock] += one_in(2) ? by : -by;
  }
}

// --- gates

/// Of a port's clock: mostly as early or as late as it may be.
Ticks EventRuns::any_error(const TickedPort& port) {
  if (one_in(4))
    return static_cast<Ticks>(below(2 * static_cast<std::uint64_t>(port.clock_error) + 1)) - port.clock_error;
  return one_in(2) ? port.clock_error : -port.clock_error;
}

void EventRuns::draw_gates(EpisodePlan& plan) {
  for (std::size_t p = 0; p < plan.gate_phases.size(); ++p) {
    const TickedPort& port = network_.ports[p];
    plan.gate_phases[p] =
        port.clock ? any_error(port) : static_cast<Ticks>(below(static_cast<std::uint64_t>(port.cycle)));
  }
}

void EventRuns::delay_all(EpisodePlan& plan, Ticks by) const {
  for (FlowPlan& flow : plan.flows) flow.start = std::min(longest_wait, flow.start + by);
  for (std::size_t p = 0; p < plan.gate_phases.size(); ++p)
    if (!network_.ports[p].clock) plan.gate_phases[p] = std::min(longest_wait, plan.gate_phases[p] + by);
  for (Ticks& phase : plan.clock_phases) phase = std::min(longest_wait, phase + by);
}

/// The longest time without the target's window begins when its first packet could come.
void EventRuns::close_before(EpisodePlan& plan, const TargetRoute& target) {
  for (const std::size_t hop : route_to(target)) {
    const std::size_t p = network_.flows[target.flow].hops[hop].port;
    const TickedPort& port = network_.ports[p];
    if (port.cycle == 0 || port.clock) continue;
    Ticks longest = -1;
    const TickedGate& gate = port.gates[network_.flows[target.flow].traffic_class];
    for (const TickedGate::Window& window : gate.windows) {
      const Ticks closed = gate.to_opening(window.closes % port.cycle, port.cycle);
      if (closed <= longest) continue;
      longest = closed;
      plan.gate_phases[p] = reached_[target.flow][hop] - window.closes;
    }
  }
}

/// Anywhere, or such that the target's latest packet comes when a window opens, has closed, or is too short.
void EventRuns::move_gates(EpisodePlan& plan, const TargetRoute& target) {
  const TickedFlow& flow = network_.flows[target.flow];
  std::vector<std::size_t> gated;
  for (const std::size_t hop : route_to(target))
    if (network_.ports[flow.hops[hop].port].cycle > 0) gated.push_back(hop);
  if (gated.empty() || one_in(6)) return draw_gates(plan);
  const std::size_t hop = gated[below(gated.size())];
  const std::size_t p = flow.hops[hop].port;
  const TickedPort& port = network_.ports[p];
  Ticks& phase = plan.gate_phases[p];
  if (port.clock) {
    phase = any_error(port);
    return;
  }
  const TickedGate& gate = port.gates[one_in(4) ? below(port.gates.size()) : flow.traffic_class];
  if (gate.windows.empty() || one_in(4)) {
    phase += any_time(port.cycle) * (one_in(2) ? 1 : -1);
    return;
  }
  const TickedGate::Window& window = gate.windows[below(gate.windows.size())];
  const Ticks ready = episodes_.latest_arrivals()[hop] + (one_in(4) ? 0 : port.latency);
  const std::uint64_t which = below(4);
  phase = ready - (which == 0 ? window.opens : window.closes);
  if (which == 1) phase += flow.longest * port.per_unit - 1;
  if (which == 2) phase += any_time(flow.longest * port.per_unit);
}

// --- sources

void EventRuns::greedy() {
  EpisodePlan all = bursts();
  for (FlowPlan& flow : all.flows) flow.runs.front().packets = PacketRun::endless;
  // Lower classes first: one of their packets is in transmission when the others arrive.
  std::vector<std::size_t> order(all.flows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return network_.flows[one].traffic_class > network_.flows[other].traffic_class;
  });
  for (std::size_t i = 0; i < order.size(); ++i) all.flows[order[i]].rank = static_cast<std::uint32_t>(i);
  // Long enough for the backlog of a peak rate, and for the rates to catch up.
  all.packets = 4 * burst_packets_ + 64 * all.flows.size();
  const EpisodePlan ordered = all;
  for (const PacketLengths lengths :
       {PacketLengths::full, PacketLengths::full_backwards, PacketLengths::shortest})
    for (const bool departures_first : {true, false})
      for (const TargetRoute& target : targets()) {
        if (over()) return;
        all = ordered;
        all.departures_first = departures_first;
        for (FlowPlan& flow : all.flows) flow.runs.front().lengths = lengths;
        last(all, target.flow);
        close_before(all, target);
        static_cast<void>(run(all, target.destination));
      }
}

void EventRuns::periodic() {
  while (!over()) {
    EpisodePlan all = bursts();
    draw_chances(all);
    shuffle_ranks(all);
    Ticks longest_period = 1;
    std::vector<Ticks> periods;
    for (const TickedFlow& flow : network_.flows) {
      Ticks period = 1;
      for (const TickedBucket& bucket : flow.buckets)
        period = std::max(period, flow.longest * bucket.per_unit);
      periods.push_back(period);
      longest_period = std::max(longest_period, period);
    }
    for (std::size_t f = 0; f < all.flows.size(); ++f) {
      all.flows[f].start = static_cast<Ticks>(below(static_cast<std::uint64_t>(periods[f])));
      all.flows[f].runs = {{.wait = 0, .packets = 1, .lengths = PacketLengths::longest},
                           {.wait = periods[f], .packets = 1, .lengths = PacketLengths::longest}};
      all.flows[f].repeats = true;
      all.flows[f].runs.front().wait = periods[f];
    }
    // About twenty packets of the slowest flow.
    long double each = 0;
    for (const Ticks period : periods)
      each += 20.0L * static_cast<long double>(longest_period) / static_cast<long double>(period);
    const std::uint64_t left = plan_.packets - packets_;
    all.packets = each < static_cast<long double>(left) ? static_cast<std::uint64_t>(each) + 1 : left;
    static_cast<void>(run(all));
  }
}

void EventRuns::random() {
  while (!over()) {
    EpisodePlan all = bursts();
    draw_chances(all);
    shuffle_ranks(all);
    const bool steady_lengths = one_in(2);
    for (std::size_t f = 0; f < all.flows.size(); ++f) {
      FlowPlan& flow = all.flows[f];
      flow.start = one_in(2) ? 0 : any_time(span_);
      flow.runs.clear();
      const PacketLengths lengths = any_lengths();
      for (std::uint64_t count = 1 + below(8); count > 0; --count)
        flow.runs.push_back(
            {.wait = one_in(3) ? refill_[f] : any_time(std::min(longest_wait, 2 * refill_[f])),
             .packets =
                 static_cast<std::uint32_t>(one_in(2) ? burst_[f] : 1 + below(2 * std::uint64_t{burst_[f]})),
             .lengths = steady_lengths ? lengths : any_lengths()});
      flow.runs.front().wait = 0;
      flow.repeats = true;
    }
    all.packets = std::min(plan_.packets - packets_, 8 * burst_packets_ + 128 * all.flows.size());
    static_cast<void>(run(all));
  }
}

void EventRuns::together() {
  while (!over()) {
    EpisodePlan all = bursts();
    draw_chances(all);
    shuffle_ranks(all);
    const Ticks within = one_in(3) ? 0 : any_time(span_);
    for (FlowPlan& flow : all.flows) {
      flow.start = static_cast<Ticks>(below(static_cast<std::uint64_t>(within) + 1));
      flow.runs.front().lengths = one_in(2) ? PacketLengths::full : any_lengths();
    }
    last(all, below(all.flows.size()));
    static_cast<void>(run(all));
  }
}

// --- search

std::vector<Meeting> EventRuns::meetings(const TargetRoute& target) const {
  std::vector<Meeting> all;
  const std::vector<TickedHop>& its = network_.flows[target.flow].hops;
  const std::vector<std::size_t> route = route_to(target);
  for (std::size_t f = 0; f < network_.flows.size(); ++f) {
    if (f == target.flow) continue;
    for (std::size_t hop = 0; hop < network_.flows[f].hops.size(); ++hop)
      for (const std::size_t own : route)
        if (network_.flows[f].hops[hop].port == its[own].port) all.push_back({f, hop, own});
  }
  return all;
}

/// Starts a flow such that its burst, alone, would arrive at the meeting with the target's latest packet.
void EventRuns::aim(EpisodePlan& plan, std::size_t target, const Meeting& at) {
  const std::vector<Ticks>& arrivals = episodes_.latest_arrivals();
  FlowPlan& flow = plan.flows[at.flow];
  const TickedPort& port = network_.ports[network_.flows[at.flow].hops[at.hop].port];
  Ticks start = arrivals[at.hop_of_target] - reached_[at.flow][at.hop];
  if (port.cycle > 0 && one_in(2)) {  // before the next window of the target
    const TickedGate& gate = port.gates[network_.flows[target].traffic_class];
    const std::size_t p = network_.flows[at.flow].hops[at.hop].port;
    const Ticks position = (arrivals[at.hop_of_target] - plan.gates_begin(network_, p)) % port.cycle;
    if (!gate.windows.empty())
      start += gate.to_opening(position < 0 ? position + port.cycle : position, port.cycle) - one_in(2);
  }
  const Ticks packet = network_.flows[at.flow].longest * port.per_unit;
  // Then its first packet, or its last, or one between; sometimes slightly off.
  const std::uint64_t which = below(4);
  if (which == 1) start -= packet * static_cast<Ticks>(burst_[at.flow] - 1);
  if (which == 2) start -= packet * static_cast<Ticks>(below(burst_[at.flow]));
  if (which == 3) start += any_time(packet) * (one_in(2) ? 1 : -1);
  if (gated_ && flow.runs.size() > 1 && one_in(2)) {  // its last run instead of its first
    for (std::size_t r = 0; r + 1 < flow.runs.size(); ++r) start -= flow.runs[r].wait;
    if (start >= flow.start) {
      flow.runs.back().wait = start - flow.start;
      return;
    }
    start = flow.start;
  }
  if (start < 0) {
    delay_all(plan, -start);
    start = 0;
  }
  flow.start = start;
  if (const auto& source = network_.flows[at.flow].periodic; source && source->clock && one_in(2))
    set_clock(plan, at.flow);
  if (at.flow != target && one_in(2)) last(plan, target);
}

EpisodePlan EventRuns::beginning(std::size_t target, const std::vector<Meeting>& met) {
  EpisodePlan plan = bursts();
  shuffle_ranks(plan);
  last(plan, target);
  if (!one_in(3)) draw_chances(plan);
  plan.seed = random_.next();
  for (std::size_t f = 0; f < plan.flows.size(); ++f)
    if (one_in(3)) plan.flows[f].runs.front().packets = any_count(f);
  const std::uint64_t kind = below(3);
  const Ticks middle = span_ / 2;
  plan.flows[target].start = kind == 0 ? 0 : middle;
  for (std::size_t f = 0; f < plan.flows.size(); ++f)
    if (f != target && kind == 2)
      plan.flows[f].start = static_cast<Ticks>(below(static_cast<std::uint64_t>(span_) + 1));
  if (kind == 1) {
    // Without contention all flows meet the target.
    for (FlowPlan& flow : plan.flows) flow.start = middle;
    for (const Meeting& at : met)
      if (one_in(2))
        plan.flows[at.flow].start =
            std::max(Ticks{0}, middle + reached_[target][at.hop_of_target] - reached_[at.flow][at.hop]);
  }
  return plan;
}

void EventRuns::change(EpisodePlan& plan, const TargetRoute& target, const std::vector<Meeting>& met) {
  if (gated_ && one_in(3)) return move_gates(plan, target);
  const std::size_t any = met.empty() || one_in(4) ? below(plan.flows.size()) : met[below(met.size())].flow;
  if (periodic_ && one_in(4)) return move_periods(plan, one_in(3) ? target.flow : any);
  FlowPlan& flow = plan.flows[any];
  switch (below(10)) {
    case 0:
    case 1:
    case 2:
    case 3:
      if (!met.empty()) return aim(plan, target.flow, met[below(met.size())]);
      [[fallthrough]];
    case 4:
      flow.start = std::clamp(flow.start + any_time(span_) * (one_in(2) ? 1 : -1), Ticks{0}, longest_wait);
      return;
    case 5:
      flow.runs[below(flow.runs.size())].lengths = any_lengths();
      if (gated_) plan.seed = random_.next();
      return;
    case 6: {
      flow.runs[below(flow.runs.size())].packets = any_count(any);
      return;
    }
    case 7:
      if (flow.runs.size() == 1 || (gated_ && flow.runs.size() < max_runs_by_gates && one_in(3)))
        flow.runs.push_back({.wait = any_time(refill_[any]),
                             .packets = static_cast<std::uint32_t>(1 + below(burst_[any])),
                             .lengths = any_lengths()});
      else if (one_in(2))
        flow.runs.pop_back();
      else
        flow.runs[gated_ ? 1 + below(flow.runs.size() - 1) : 1].wait = any_time(refill_[any]);
      return;
    case 8:
      std::swap(flow.rank, plan.flows[below(plan.flows.size())].rank);
      return;
    default:
      if (one_in(2)) return last(plan, target.flow);
      return draw_chances(plan);
  }
}

void EventRuns::climb(const TargetRoute& target, std::uint64_t budget) {
  const std::vector<Meeting> met = meetings(target);
  const std::uint64_t end = packets_ + budget;
  constexpr int max_failures = 150;
  while (packets_ < end && !over()) {
    EpisodePlan best = beginning(target.flow, met);
    Ticks latest = run(best, target.destination).delay[target.destination];
    for (int failures = 0; failures < max_failures && packets_ < end && !over(); ++failures) {
      EpisodePlan next = best;
      change(next, target, met);
      if (one_in(3)) change(next, target, met);
      const Ticks its = run(next, target.destination).delay[target.destination];
      if (its < latest) continue;
      if (its > latest) failures = 0;
      latest = its;
      best = std::move(next);
    }
  }
}

void EventRuns::search() {
  const std::vector<TargetRoute> all = targets();
  // If there are too few packets for each flow, for as many flows as possible.
  const std::uint64_t minimum = 16 * burst_packets_;
  for (std::size_t i = 0; i < all.size() && !over(); ++i) {
    const std::uint64_t left = plan_.packets - packets_;
    climb(all[i], std::max(minimum, left / (all.size() - i)));
  }
}

PolicedEventsSeen EventRuns::seen() {
  switch (plan_.sources) {
    case EventSources::search:
      search();
      break;
    case EventSources::greedy:
      greedy();
      break;
    case EventSources::periodic:
      periodic();
      break;
    case EventSources::random:
      random();
      break;
    case EventSources::together:
      together();
      break;
  }
  PolicedEventsSeen all{.flows = {}, .queues = {}, .packets = packets_, .runs = runs_, .stopped = stopped_};
  const auto time = [&](Ticks ticks) { return Rational(Rational(ticks) * network_.tick); };
  for (std::size_t f = 0; f < network_.flows.size(); ++f) {
    const auto first =
        peaks_.delay.begin() + static_cast<std::ptrdiff_t>(network_.flows[f].first_destination);
    const auto end = first + static_cast<std::ptrdiff_t>(network_.flows[f].destinations);
    FlowSeen& its =
        all.flows.emplace_back(FlowSeen{time(*std::max_element(first, end)), {}, peaks_.packets[f]});
    std::transform(first, end, std::back_inserter(its.delays), time);
  }
  for (std::size_t q = 0; q < network_.queues.size(); ++q)
    all.queues.push_back({.port = network_.queues[q].port,
                          .traffic_class = network_.queues[q].traffic_class,
                          .backlog = time(peaks_.backlog[q]) * rates_.ports[network_.queues[q].port].rate,
                          .delay = time(peaks_.queue_delay[q])});
  return all;
}

}  // namespace

PolicedEventsSeen simulate_events(const network::PolicedNetwork& network, const PolicedEventsPlan& plan,
                                  const std::stop_token& stop) {
  require(plan.packets > 0, "packets", std::to_string(plan.packets), "1 or more");
  if (plan.flow)
    require(*plan.flow < network.flows.size(), "flow", std::to_string(*plan.flow), "a flow of the network");
  return EventRuns(network, plan, stop).seen();
}

}  // namespace tailbound::sim
