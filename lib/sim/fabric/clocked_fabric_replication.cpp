#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/fabric/clocked_fabric_replication.hpp>
#include <tailbound/sim/fabric/fabric_course.hpp>
#include <tailbound/sim/network/clocked_queue.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace tailbound::sim {
namespace {

/// Slots for which buckets are kept; later events are stored separately.
constexpr std::int64_t ring_slots = 8;
enum Purpose : std::uint64_t { sending = 0, choices = 1 };

/// A packet arrives at a switch, or a sender's next packet does.
struct Event {
  std::int64_t time = 0;
  std::int64_t waited = 0;  ///< in the queues passed [ticks]
  Course course{};
  std::uint32_t at = 0;   ///< the router, or the sender
  std::uint32_t row = 0;  ///< of FabricTimes::delays, for the queues passed; `sent`: of a sender
  std::uint32_t draw = 0;

  static constexpr std::uint32_t sent = ~std::uint32_t{0};
};
using Events = std::vector<Event>;

struct alignas(64) Queue : ClockedQueue {
  std::uint32_t to = 0;   ///< the next router; none: a host
  std::uint32_t row = 0;  ///< as FabricTables::Queue
  std::uint16_t kind = 0;
};

class Simulated final : public FabricReplication {
 public:
  Simulated(const FabricModel& model, RandomKey key);
  void advance(std::int64_t slots) override;
  Counts take_counts() override;
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  FabricBalance balance() const override;
  std::int64_t steps() const override { return steps_; }

 private:
  void push(const Event& event);
  void run_bucket();
  void shuffle(Draws& draws);
  void send(Event& event, Draws& draws);
  [[nodiscard]] std::int64_t next_send(std::uint32_t sender, std::int64_t time, Draws& draws) const;
  void arrive(const Event& event, std::uint32_t queue);
  void deliver(std::uint32_t row, std::int64_t waited);
  [[nodiscard]] std::int64_t now() const { return bucket_ << shift_; }
  /// The queues of switches: hosts have none.
  [[nodiscard]] std::size_t switch_queues() const;
  [[nodiscard]] Event read_event(ByteReader& reader) const;

  std::shared_ptr<const FabricTables> tables_;
  std::optional<std::int64_t> buffer_;
  RandomKey key_;
  int shift_;                             ///< ticks of a bucket: 2^shift_, at most a packet time
  std::int64_t bucket_ = 0;               ///< the next one
  std::int64_t slots_ = 0;                ///< advanced
  std::vector<Events> ring_;              ///< [bucket modulo its size]
  std::map<std::int64_t, Events> apart_;  ///< [bucket]: beyond the ring
  std::vector<Events> spare_;             ///< empty, with memory for buckets to come
  std::vector<Queue> queues_;
  std::vector<double> log_silent_;  ///< per sender: log(1 - probability of a packet)
  std::int64_t steps_ = 0;
  FabricBalance totals_;
  std::vector<Histogram> occupancy_, waits_;     ///< [kind]
  std::vector<std::uint64_t> dropped_;           ///< [kind]
  std::vector<Histogram> delays_;                ///< [row]
  std::uint64_t measured_ = 0;                   ///< slots
  Events current_;                               ///< of the present bucket
  std::vector<const std::uint16_t*> next_hops_;  ///< of each of them
  std::vector<std::uint32_t> to_;                ///< their queues; none: they have arrived
};

Simulated::Simulated(const FabricModel& model, RandomKey key)
    : tables_(model.tables),
      buffer_(model.buffer),
      key_(key),
      occupancy_(tables_->rows.kinds),
      waits_(tables_->rows.kinds),
      dropped_(tables_->rows.kinds),
      // A damaged state may begin at any row.
      delays_(2 * tables_->times.delays.size()) {
  std::int64_t shortest = tables_->times.clocks.slowest;
  for (const FabricTables::Queue& its : tables_->queues) {
    Queue& queue = queues_.emplace_back();
    queue.tick = its.ticks;
    queue.to = its.cell == FabricTables::none ? its.cell : tables_->router_of[its.to];
    queue.row = its.row;
    queue.kind = its.kind;
    if (its.ticks != 0) shortest = std::min(shortest, its.ticks);
  }
  for (const FabricTables::Sender& sender : tables_->senders) {
    shortest = std::min(shortest, sender.ticks);
    log_silent_.push_back(std::log1p(-static_cast<double>(sender.threshold) * 0x1p-64));
  }
  shift_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(shortest / WaitBins::min_packet))) - 1;
  ring_.resize(
      std::bit_ceil(static_cast<std::uint64_t>(ring_slots * tables_->times.clocks.slowest >> shift_)));
  for (std::uint32_t sender = 0; sender < tables_->senders.size(); ++sender) {
    Draws draws(key_, sending, tables_->senders[sender].node, 0);
    const auto phase =
        static_cast<std::int64_t>(draws.next_share() * static_cast<double>(tables_->senders[sender].ticks));
    push({.time = next_send(sender, phase, draws), .at = sender, .row = Event::sent});
  }
}

void Simulated::push(const Event& event) {
  const std::int64_t bucket = event.time >> shift_;
  if (bucket - bucket_ >= std::ssize(ring_)) {
    apart_[bucket].push_back(event);
    return;
  }
  Events& events = ring_[static_cast<std::size_t>(bucket) % ring_.size()];
  if (events.capacity() == 0 && !spare_.empty()) {
    events.swap(spare_.back());
    spare_.pop_back();
  }
  events.push_back(event);
}

/// When the packet after that of `time` is sent.
std::int64_t Simulated::next_send(std::uint32_t sender, std::int64_t time, Draws& draws) const {
  constexpr double never = 1e17;  // ticks
  const std::int64_t ticks = tables_->senders[sender].ticks;
  const double silent = std::log1p(-draws.next_share()) / log_silent_[sender];
  const std::int64_t next =
      time + ticks + static_cast<std::int64_t>(std::min(never / static_cast<double>(ticks), silent)) * ticks;
  // The phase is drawn anew by a shift of up to half a packet time, which leaves the load as it is.
  const std::int64_t phase_ticks = phase_slots * tables_->times.clocks.slowest;
  if (next / phase_ticks == time / phase_ticks) return next;
  const auto shift = static_cast<std::int64_t>(draws.next_share() * static_cast<double>(ticks)) - ticks / 2;
  return std::max(time + ticks, next + shift);
}

void Simulated::advance(std::int64_t slots) {
  slots_ += slots;
  measured_ += static_cast<std::uint64_t>(slots);
  for (const std::int64_t end = slots_ * tables_->times.clocks.slowest >> shift_; bucket_ < end; ++bucket_)
    run_bucket();
}

/// Its events follow from those of earlier buckets, as a bucket is at most a packet time long. Each step is
/// done for all of them, to overlap memory accesses.
void Simulated::run_bucket() {
  Events& events = ring_[static_cast<std::size_t>(bucket_) % ring_.size()];
  current_.swap(events);
  if (!apart_.empty() && apart_.begin()->first == bucket_) {
    current_.insert(current_.end(), apart_.begin()->second.begin(), apart_.begin()->second.end());
    apart_.erase(apart_.begin());
  }
  if (current_.empty()) return;
  Draws draws(key_, choices, 0, bucket_);
  shuffle(draws);
  next_hops_.resize(std::max(next_hops_.size(), current_.size()));
  to_.resize(next_hops_.size());
  for (std::size_t i = 0; i < current_.size(); ++i) {
    Event& event = current_[i];
    if (event.row == Event::sent) send(event, draws);
    event.course = event.course.from(*tables_, tables_->routers[event.at]);
    next_hops_[i] = event.course.next_hop(*tables_, event.at);
    __builtin_prefetch(next_hops_[i]);
  }
  for (std::size_t i = 0; i < current_.size(); ++i) {
    const FabricTables::Router& router = tables_->routers[current_[i].at];
    const std::uint32_t port = *next_hops_[i] == FabricTables::arrived
                                   ? tables_->target[current_[i].course.to()].last_port
                                   : drawn_port(*tables_, router, *next_hops_[i], current_[i].draw);
    to_[i] = port == FabricTables::none ? port : router.first_queue + port;
    if (port != FabricTables::none) __builtin_prefetch(&queues_[to_[i]], 1);
  }
  for (std::size_t i = 0; i < current_.size(); ++i) arrive(current_[i], to_[i]);
  current_.clear();
  spare_.emplace_back().swap(current_);
}

/// In random order; of several ticks, those of the same tick.
void Simulated::shuffle(Draws& draws) {
  for (std::size_t left = current_.size(); left > 0; --left) {
    const std::uint64_t drawn = draws.next_product(static_cast<std::uint32_t>(left));
    std::swap(current_[drawn >> 32U], current_[left - 1]);
    current_[left - 1].draw = static_cast<std::uint32_t>(drawn);
  }
  if (shift_ > 0)
    std::stable_sort(current_.begin(), current_.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
}

/// The last bit of its packet has arrived at a switch: the event becomes this arrival.
void Simulated::send(Event& event, Draws& draws) {
  const FabricTables::Sender& sender = tables_->senders[event.at];
  push({.time = next_send(event.at, event.time, draws), .at = event.at, .row = Event::sent});
  event.course = drawn_course(*tables_, sender, draws);
  event.at = sender.router;
  event.row = 0;
  require_stable(++totals_.sent - totals_.delivered - totals_.dropped);
  const FabricTables::Router& router = tables_->routers[sender.router];
  if (!router.host) return;
  const std::uint32_t port =
      drawn_port(*tables_, router, *event.course.next_hop(*tables_, sender.router), draws.next());
  event.at = tables_->router_of[tables_->queues[router.first_queue + port].to];
}

void Simulated::arrive(const Event& event, std::uint32_t to) {
  if (to == FabricTables::none) return deliver(event.row, event.waited);
  ++steps_;
  Queue& queue = queues_[to];
  queue.settle(occupancy_[queue.kind], event.time);
  if (buffer_ && queue.size >= *buffer_) {
    ++dropped_[queue.kind];
    ++totals_.dropped;
    return;
  }
  const std::int64_t start = queue.join(event.time), wait = start - event.time;
  count_at(waits_[queue.kind], WaitBins::bin(wait));
  if (queue.to == FabricTables::none) return deliver(event.row + queue.row, event.waited + wait);
  push({start + queue.tick, event.waited + wait, event.course, queue.to, event.row + queue.row});
}

void Simulated::deliver(std::uint32_t row, std::int64_t waited) {
  ++totals_.delivered;
  count_at(delays_[row], WaitBins::bin(waited));
}

std::size_t Simulated::switch_queues() const {
  return tables_->switches == tables_->routers.size() ? queues_.size()
                                                      : tables_->routers[tables_->switches].first_queue;
}

Counts Simulated::take_counts() {
  const FabricRows& rows = tables_->rows;
  Counts counts(rows.delays(tables_->times.delays.size()));
  for (std::size_t queue = 0; queue < switch_queues(); ++queue)
    queues_[queue].settle(occupancy_[queues_[queue].kind], now());
  for (std::size_t kind = 0; kind < rows.kinds; ++kind) {
    counts[rows.occupancy(kind)] = std::exchange(occupancy_[kind], {});
    counts[rows.waits(kind)] = std::exchange(waits_[kind], {});
    const auto& served = counts[rows.waits(kind)];
    const std::uint64_t dropped = std::exchange(dropped_[kind], 0);
    counts[rows.drops(kind)] = {
        dropped, std::accumulate(served.begin(), served.end(), std::uint64_t{0}) + dropped, measured_};
  }
  for (std::size_t row = 0; row < tables_->times.delays.size(); ++row)
    counts[rows.delays(row)] = std::exchange(delays_[row], {});
  measured_ = 0;
  return counts;
}

FabricBalance Simulated::balance() const {
  FabricBalance balance = totals_;
  const auto count = [&](const Events& events) {
    balance.in_transit += std::count_if(events.begin(), events.end(),
                                        [](const Event& event) { return event.row != Event::sent; });
  };
  std::for_each(ring_.begin(), ring_.end(), count);
  for (const auto& [bucket, events] : apart_) count(events);
  return balance;
}

void Simulated::save(ByteWriter& writer) {
  for (const std::int64_t value : {bucket_, slots_, steps_, totals_.sent, totals_.delivered, totals_.dropped})
    writer.put(value);
  for (const Queue& queue : queues_)
    for (const std::int64_t value : {queue.free, queue.size, queue.counted_to}) writer.put(value);
  const auto put = [&](const Events& events) {
    writer.put<std::uint64_t>(events.size());
    for (const Event& event : events) {
      writer.put(event.time);
      writer.put(event.waited);
      for (const std::uint32_t value : {event.course.word(), event.at, event.row}) writer.put(value);
    }
  };
  std::for_each(ring_.begin(), ring_.end(), put);
  writer.put<std::uint64_t>(apart_.size());
  for (const auto& [bucket, events] : apart_) put(events);
  writer.put(measured_);
  writer.put(dropped_);
  for (const auto* rows : {&occupancy_, &waits_, &delays_})
    for (const Histogram& row : *rows) writer.put(row);
}

Event Simulated::read_event(ByteReader& reader) const {
  Event event;
  event.time = reader.get<std::int64_t>();
  event.waited = reader.get<std::int64_t>();
  event.course = Course(reader.get<std::uint32_t>());
  event.at = reader.get<std::uint32_t>();
  event.row = reader.get<std::uint32_t>();
  if (event.time < now() || event.waited < 0) ByteReader::fail();
  if (event.row == Event::sent) {
    if (event.at >= tables_->senders.size()) ByteReader::fail();
  } else if (event.at >= tables_->switches || event.row >= tables_->times.delays.size() ||
             !event.course.is_of(*tables_) ||
             *event.course.next_hop(*tables_, event.at) == FabricTables::no_route) {
    ByteReader::fail();
  }
  return event;
}

void Simulated::load(ByteReader& reader) {
  for (std::int64_t* value :
       {&bucket_, &slots_, &steps_, &totals_.sent, &totals_.delivered, &totals_.dropped})
    *value = reader.get<std::int64_t>();
  for (Queue& queue : queues_) {
    for (std::int64_t* value : {&queue.free, &queue.size, &queue.counted_to})
      *value = reader.get<std::int64_t>();
    if (queue.size < 0) ByteReader::fail();
  }
  const auto get = [&](Events& events) {
    events.clear();
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) events.push_back(read_event(reader));
  };
  std::for_each(ring_.begin(), ring_.end(), get);
  apart_.clear();
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    Events events;
    get(events);
    if (events.empty()) ByteReader::fail();
    apart_[events.front().time >> shift_] = std::move(events);
  }
  measured_ = reader.get<std::uint64_t>();
  dropped_ = reader.get_vector<std::uint64_t>();
  if (dropped_.size() != tables_->rows.kinds) ByteReader::fail();
  for (auto* rows : {&occupancy_, &waits_, &delays_})
    for (Histogram& row : *rows) row = reader.get_vector<std::uint64_t>();
}

}  // namespace

std::unique_ptr<FabricReplication> make_clocked_fabric_replication(const FabricModel& model, RandomKey key) {
  return std::make_unique<Simulated>(model, key);
}

}  // namespace tailbound::sim
