#include <tailbound/core/error.hpp>
#include <tailbound/sim/policed/policed_engine.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::sim {

using network::Scheduler;

void EpisodePeaks::raise(const EpisodePeaks& other) {
  const auto greater = [](std::vector<Ticks>& mine, const std::vector<Ticks>& its) {
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::max(mine[i], its[i]);
  };
  greater(delay, other.delay);
  greater(backlog, other.backlog);
  greater(queue_delay, other.queue_delay);
  for (std::size_t f = 0; f < packets.size(); ++f) packets[f] += other.packets[f];
}

void PolicedEpisodes::Engine::begin(const EpisodePlan& plan, std::size_t target) {
  plan_ = &plan;
  target_ = target;
  target_flow_ = flow_of_[target];
  now_ = 0;
  events_made_ = sent_ = chances_ = 0;
  packets_.clear();
  unused_.clear();
  queues_.assign(network_.queues.size(), {});
  ports_.assign(network_.ports.size(), {});
  const bool any = std::any_of(network_.ports.begin(), network_.ports.end(),
                               [](const TickedPort& port) { return port.reshaped; });
  regulators_.assign(any ? hops_ + network_.ports.size() * network_.classes : 0, {});
  regulated_.assign(any ? network_.flows.size() : 0, {});
  peaks_ = EpisodePeaks(network_);
  latest_.assign(longest_path_, 0);
  arrivals_.clear();
  sources_.clear();
  for (std::size_t f = 0; f < network_.flows.size(); ++f) {
    const TickedFlow& flow = network_.flows[f];
    sources_.push_back({.emptied = full_buckets(flow)});
    if (flow.periodic) sources_.back().due = first_due(f);
    if (any) regulated_[f].assign(flow.hops.size(), full_buckets(flow));
  }
  for (std::size_t f = 0; f < network_.flows.size(); ++f) plan_next(f);
}

const EpisodePeaks& PolicedEpisodes::Engine::run(const EpisodePlan& plan, std::size_t target) {
  begin(plan, target);
  while (!events_.empty()) {
    const PortEvent event = events_.top();
    events_.pop();
    now_ = event.at;
    handle(event);
  }
  return peaks_;
}

void PolicedEpisodes::Engine::push(Ticks at, std::uint32_t order, EventKind kind, std::size_t what) {
  if (at > latest_tick)
    throw LimitExceeded(
        "the simulated time is more than 2^62 ticks, the limit; use numbers with fewer digits");
  events_.push({at, order, events_made_++, static_cast<std::uint32_t>(what), kind});
}

void PolicedEpisodes::Engine::handle(const PortEvent& event) {
  switch (event.kind) {
    case EventKind::sends:
      return send(event.what);
    case EventKind::arrives:
      return hold(event.what);
    case EventKind::header:
      return arrive(event.what);
    case EventKind::ready:
      return join(event.what);
    case EventKind::departs:
      if (ports_[event.what].departure == event.number) depart(event.what);
      return;
    case EventKind::wakes: {
      SendingPort& port = ports_[event.what];
      if (!port.busy && port.wake == event.number) begin_sending(event.what);
      return;
    }
    case EventKind::released:
      return release(event.what);
  }
}

// --- sources

DataUnits PolicedEpisodes::Engine::length_of(const TickedFlow& flow, PacketLengths lengths,
                                             std::uint32_t number) {
  switch (lengths) {
    case PacketLengths::full:
      return number < flow.full_burst.size() ? flow.full_burst[number] : flow.longest;
    case PacketLengths::full_backwards:
      return number < flow.full_burst.size() ? flow.full_burst[flow.full_burst.size() - 1 - number]
                                             : flow.longest;
    case PacketLengths::longest:
      return flow.longest;
    case PacketLengths::shortest:
      return flow.shortest;
    case PacketLengths::uncut:
      return flow.uncut;
    case PacketLengths::random:
      break;
  }
  const auto range = static_cast<std::uint64_t>(flow.longest - flow.shortest) + 1;
  return flow.shortest + static_cast<DataUnits>(chance_word() % range);
}

void PolicedEpisodes::Engine::plan_next(std::size_t f) {
  const FlowPlan& plan = plan_->flows[f];
  const TickedFlow& flow = network_.flows[f];
  PlannedSource& source = sources_[f];
  Ticks earliest = std::max(source.last, plan.start);
  while (source.run < plan.runs.size() && source.in_run >= plan.runs[source.run].packets) {
    source.in_run = 0;
    if (++source.run == plan.runs.size() && plan.repeats) source.run = 0;
  }
  if (source.run >= plan.runs.size()) return;
  const PacketRun& run = plan.runs[source.run];
  if (flow.periodic) {
    source.length = flow.longest;
    return push(next_periodic(f), plan.rank + 1, EventKind::sends, f);
  }
  if (source.in_run == 0) earliest += run.wait;
  source.length = length_of(flow, run.lengths, source.in_run);
  push(eligible_at(flow, source.emptied, source.length, earliest), plan.rank + 1, EventKind::sends, f);
}

Ticks PolicedEpisodes::Engine::first_due(std::size_t f) const {
  const FlowPlan& plan = plan_->flows[f];
  const TickedPeriod& source = *network_.flows[f].periodic;
  const Ticks not_before =
      std::max(Ticks{0}, plan.start) - (plan.jitter == Chance::never ? 0 : source.jitter);
  if (!source.clock) return not_before;
  const Ticks any = plan_->clock_phases[*source.clock] + source.offset;
  const Ticks after = (any - not_before) % source.period;
  return not_before + (after < 0 ? after + source.period : after);
}

Ticks PolicedEpisodes::Engine::next_periodic(std::size_t f) {
  const FlowPlan& plan = plan_->flows[f];
  PlannedSource& source = sources_[f];
  const Ticks due = source.due, jitter = network_.flows[f].periodic->jitter;
  source.due += network_.flows[f].periodic->period;
  const Ticks at = std::max({due, plan.start, source.last});
  if (plan.jitter != Chance::random) return at;
  return at + static_cast<Ticks>(chance_word() % static_cast<std::uint64_t>(due + jitter - at + 1));
}

void PolicedEpisodes::Engine::send(std::size_t f) {
  if (sent_ >= plan_->packets) return;
  ++sent_;
  PlannedSource& source = sources_[f];
  ++peaks_.packets[f];
  const std::uint32_t packet =
      new_packet({.flow = f, .hop = 0, .length = source.length, .created = now_, .came = now_});
  take_tokens(network_.flows[f], source.emptied, source.length, now_);
  source.last = now_;
  ++source.in_run;
  plan_next(f);
  arrive(packet);
}

// --- ports

std::uint32_t PolicedEpisodes::Engine::new_packet(const PacketInTransit& its) {
  std::uint32_t packet = 0;
  if (unused_.empty()) {
    packet = static_cast<std::uint32_t>(packets_.size());
    packets_.push_back(its);
    arrivals_.resize(packets_.size() * longest_path_);
  } else {
    packet = unused_.back();
    unused_.pop_back();
    packets_[packet] = its;
  }
  return packet;
}

std::uint32_t PolicedEpisodes::Engine::copy_at(std::uint32_t packet, std::uint32_t hop) {
  const std::uint32_t copy = new_packet(PacketInTransit(packets_[packet]));
  packets_[copy].hop = hop;
  std::copy_n(arrivals_.begin() + static_cast<std::ptrdiff_t>(packet * longest_path_), longest_path_,
              arrivals_.begin() + static_cast<std::ptrdiff_t>(copy * longest_path_));
  return copy;
}

/// Copies it to each port behind the one that has sent it, except those that cut through.
void PolicedEpisodes::Engine::forward(std::uint32_t packet) {
  const std::vector<TickedHop>& hops = network_.flows[packets_[packet].flow].hops;
  const std::uint32_t next = hops[packets_[packet].hop].next;
  packets_[packet].rest = 0;
  for (std::uint32_t other = hops[next].sibling; other != no_hop; other = hops[other].sibling)
    arrive(copy_at(packet, other));
  packets_[packet].hop = next;
  arrive(packet);
}

/// Its transmission begins: to the ports that cut through.
void PolicedEpisodes::Engine::send_ahead(std::uint32_t packet) {
  const std::vector<TickedHop>& hops = network_.flows[packets_[packet].flow].hops;
  const TickedHop& hop = hops[packets_[packet].hop];
  const TickedPort& port = network_.ports[hop.port];
  for (std::uint32_t next = hop.ahead; next != no_hop; next = hops[next].sibling) {
    const std::uint32_t copy = copy_at(packet, next);
    const DataUnits length = packets_[copy].length, header = std::min(hops[next].header, length);
    packets_[copy].rest = (length - header) * port.per_unit;
    push(now_ + header * port.per_unit + port.wire, rank(copy), EventKind::header, copy);
  }
}

/// Its last bit is in, or its header where packets are cut through.
void PolicedEpisodes::Engine::arrive(std::uint32_t packet) {
  PacketInTransit& its = packets_[packet];
  const TickedHop& hop = network_.flows[its.flow].hops[its.hop];
  const TickedPort& port = network_.ports[hop.port];
  ClassQueue& queue = queues_[hop.queue];
  its.came = now_;
  if (observer_) observer_(now_, its.flow, its.hop, its.length);
  if (its.flow == target_flow_) arrivals_[packet * longest_path_ + its.hop] = now_;
  queue.content += its.length * port.per_unit;
  const SendingPort& sending = ports_[hop.port];
  const bool its_own = sending.busy && sending.packet != no_packet && sending.queue == hop.queue;
  Ticks& maximum = peaks_.backlog[hop.queue];
  maximum = std::max(maximum, queue.content - (its_own ? sent_of_fragment(hop.port, now_) : 0));
  if (port.latency == 0) return join(packet);
  Ticks taken = port.latency;
  if (plan_->full_latency == Chance::never)
    taken = 0;
  else if (plan_->full_latency == Chance::random) {
    const std::uint64_t word = chance_word();
    taken = (word & 3U) == 0 ? 0
            : (word & 3U) == 1
                ? static_cast<Ticks>((word >> 2U) % static_cast<std::uint64_t>(port.latency + 1))
                : port.latency;
  }
  queue.last_ready = std::max(queue.last_ready, now_ + taken);
  push(queue.last_ready, in_order_of_arrival, EventKind::ready, packet);
}

/// It is ready for sending.
void PolicedEpisodes::Engine::join(std::uint32_t packet) {
  const PacketInTransit& its = packets_[packet];
  const TickedHop& hop = network_.flows[its.flow].hops[its.hop];
  const TickedPort& port = network_.ports[hop.port];
  SendingPort& sending = ports_[hop.port];
  ClassQueue& queue = queues_[hop.queue];
  if (plan_->stores_waiting && stores(packet)) return;
  if (port.scheduler == Scheduler::cbs && shaped(port, hop.queue)) update_credit(hop.queue);
  if (port.scheduler == Scheduler::drr && queue.ready.empty() &&
      !(sending.busy && sending.queue == hop.queue))
    sending.active.push_back(hop.queue);
  queue.ready.push_back(packet);
  if (sending.busy) {
    if (port.byte > 0 && hop.queue < port.first_preemptable) cut(hop.port);
    return;
  }
  if (!finds_best_effort(hop.queue)) begin_sending(hop.port);
}

/// Cut-through: without its last bit it cannot be sent on at once, so it is ready with that, and so are those
/// behind it.
bool PolicedEpisodes::Engine::stores(std::uint32_t packet) {
  const PacketInTransit& its = packets_[packet];
  const std::size_t number = network_.flows[its.flow].hops[its.hop].queue;
  ClassQueue& queue = queues_[number];
  const std::size_t port = network_.queues[number].port;
  const Ticks whole = its.came + its.rest;
  if (now_ >= queue.stored) {
    if (now_ >= whole) return false;
    if (!ports_[port].busy && !finds_best_effort(number) && wait_for_gate(number, packet) == 0) return false;
    queue.stored = whole;
  }
  push(queue.stored, in_order_of_arrival, EventKind::ready, packet);
  return true;
}

bool PolicedEpisodes::Engine::finds_best_effort(std::size_t number) {
  const std::size_t p = network_.queues[number].port;
  const TickedPort& port = network_.ports[p];
  if (port.scheduler != Scheduler::priority && port.scheduler != Scheduler::cbs) return false;
  if (port.best_effort == 0 || !happens(plan_->best_effort)) return false;
  const Ticks longest = port.best_effort * port.per_unit;
  const bool express = port.byte > 0 && number < port.first_preemptable;
  send_best_effort(p, express ? std::min(longest, longest_uncut(port)) : longest);
  return true;
}

void PolicedEpisodes::Engine::occupy(std::size_t p, std::uint32_t packet, std::size_t queue, Ticks until) {
  SendingPort& sending = ports_[p];
  sending.busy = true;
  sending.packet = packet;
  sending.queue = queue;
  sending.began = now_;
  sending.departure = events_made_;
  push(until, order_of_departures(), EventKind::departs, p);
}

void PolicedEpisodes::Engine::send_best_effort(std::size_t p, Ticks takes) {
  SendingPort& sending = ports_[p];
  occupy(p, no_packet, sending.queue, now_ + takes);
  sending.first = true;
  sending.left = takes - (preamble_bytes + gap_bytes) * network_.ports[p].byte;
}

void PolicedEpisodes::Engine::begin_sending(std::size_t p) {
  const TickedPort& port = network_.ports[p];
  SendingPort& sending = ports_[p];
  const std::size_t none = port.first_queue + port.queues;
  const std::size_t chosen = choose(p);
  if (sending.interrupted && chosen >= port.first_preemptable) return resume(p);
  if (sending.busy || chosen == none) return;
  ClassQueue& queue = queues_[chosen];
  const std::uint32_t packet = queue.ready.front();
  queue.ready.pop_front();
  const Ticks takes = packets_[packet].length * port.per_unit;
  occupy(p, packet, chosen, now_ + takes);
  sending.first = true;
  sending.sent = 0;
  sending.left = takes - (preamble_bytes + gap_bytes) * port.byte;
  if (port.ahead) send_ahead(packet);
}

std::size_t PolicedEpisodes::Engine::choose(std::size_t p) {
  const TickedPort& port = network_.ports[p];
  if (port.scheduler == Scheduler::drr) return choose_in_turn(p);
  if (port.scheduler == Scheduler::cbs) return choose_by_credit(p);
  if (port.cycle > 0) return choose_by_gates(p);
  std::size_t queue = port.first_queue;
  while (queue < port.first_queue + port.queues && queues_[queue].ready.empty()) ++queue;
  return queue;
}

/// Its last bit has left.
void PolicedEpisodes::Engine::depart(std::size_t p) {
  const TickedPort& port = network_.ports[p];
  SendingPort& sending = ports_[p];
  if (sending.cut_at != SendingPort::not_cut) return interrupt(p);
  const std::uint32_t packet = std::exchange(sending.packet, no_packet);
  sending.busy = false;
  if (packet == no_packet) return begin_sending(p);
  PacketInTransit& its = packets_[packet];
  ClassQueue& queue = queues_[sending.queue];
  const Ticks took = its.length * port.per_unit;
  queue.content -= took - sending.sent;
  Ticks& slowest = peaks_.queue_delay[sending.queue];
  slowest = std::max(slowest, now_ - its.came);
  if (port.scheduler == Scheduler::drr && queue.ready.empty()) {
    queue.deficit = 0;
    sending.in_turn = false;
    sending.active.erase(sending.active.begin());
  }
  if (port.scheduler == Scheduler::cbs && shaped(port, sending.queue)) {
    const Ticks slope = port.slopes[*network_.queues[sending.queue].traffic_class];
    queue.credit -= its.length * slope - took;
    queue.credit_at = now_;
    if (queue.ready.empty()) queue.credit = std::min(queue.credit, Ticks{0});
  }
  const TickedHop& hop = network_.flows[its.flow].hops[its.hop];
  if (hop.destination) deliver(packet, *hop.destination);
  if (hop.next != no_hop)
    push(now_ + port.wire, rank(packet), EventKind::arrives, packet);
  else
    unused_.push_back(packet);
  begin_sending(p);
}

void PolicedEpisodes::Engine::deliver(std::uint32_t packet, std::size_t destination) {
  const PacketInTransit& its = packets_[packet];
  const Ticks delay = now_ + network_.ports[network_.flows[its.flow].hops[its.hop].port].wire - its.created;
  if (delay <= peaks_.delay[destination]) return;
  peaks_.delay[destination] = delay;
  if (destination == target_)
    std::copy_n(arrivals_.begin() + static_cast<std::ptrdiff_t>(packet * longest_path_), longest_path_,
                latest_.begin());
}

// --- regulators

/// It has arrived over a link.
void PolicedEpisodes::Engine::hold(std::uint32_t packet) {
  const PacketInTransit& its = packets_[packet];
  const TickedFlow& flow = network_.flows[its.flow];
  const TickedHop& before = flow.hops[its.hop];
  if (!network_.ports[before.port].reshaped) return forward(packet);
  const bool per_flow = plan_->regulator_per_flow || !network_.queues[before.queue].regulated;
  const std::size_t number =
      per_flow ? first_hop_[its.flow] + its.hop : hops_ + before.port * network_.classes + flow.traffic_class;
  PacketLine& held = regulators_[number];
  held.push_back(packet);
  if (held.size() == 1)
    push(eligible_at(flow, regulated_[its.flow][its.hop], its.length, now_), rank(packet),
         EventKind::released, number);
}

void PolicedEpisodes::Engine::release(std::size_t number) {
  PacketLine& held = regulators_[number];
  const std::uint32_t packet = held.front();
  held.pop_front();
  const PacketInTransit its = packets_[packet];
  take_tokens(network_.flows[its.flow], regulated_[its.flow][its.hop], its.length, now_);
  forward(packet);
  if (held.empty()) return;
  const std::uint32_t next = held.front();
  const PacketInTransit& head = packets_[next];
  push(eligible_at(network_.flows[head.flow], regulated_[head.flow][head.hop], head.length, now_), rank(next),
       EventKind::released, number);
}

PolicedEpisodes::PolicedEpisodes(const TickedNetwork& network) : engine_(std::make_unique<Engine>(network)) {}
PolicedEpisodes::~PolicedEpisodes() = default;

const EpisodePeaks& PolicedEpisodes::run(const EpisodePlan& plan, std::size_t target) {
  return engine_->run(plan, target);
}

void PolicedEpisodes::watch(Observer observer) {
  engine_->watch(std::move(observer));
}

const std::vector<Ticks>& PolicedEpisodes::latest_arrivals() const {
  return engine_->latest_arrivals();
}

}  // namespace tailbound::sim
