#include <tailbound/core/error.hpp>
#include <tailbound/sim/fabric/clocked_fabric_replication.hpp>
#include <tailbound/sim/fabric/fabric_course.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace tailbound::sim {
namespace {

/// slots for which cells are kept; packets that wait longer are stored separately
constexpr std::size_t ring = 64;
constexpr std::int64_t seen_every = 8;     ///< slots between two records of the occupancies
constexpr std::size_t fast_values = 1024;  ///< of waits and delays counted in arrays
constexpr std::size_t fast_queues = 16;  ///< passed by a packet: delays for up to this many queues in arrays
enum Purpose : std::uint64_t { sending = 0, choices = 1 };

/// A packet in a word: its course (32 bits), queues passed plus one (8), and the slot in which it was sent
/// modulo 2^24. Never 0.
class Packet {
 public:
  static constexpr std::int64_t max_age = (1 << 24) - 1;

  Packet(Course course, std::int64_t slot)
      : word_(std::uint64_t{course.word()} << 32U | std::uint64_t{1} << 24U |
              (static_cast<std::uint64_t>(slot) & slots)) {}
  explicit Packet(std::uint64_t word) : word_(word) {}

  [[nodiscard]] std::uint64_t word() const { return word_; }
  [[nodiscard]] Course course() const { return Course(static_cast<std::uint32_t>(word_ >> 32U)); }
  [[nodiscard]] Packet on(Course course) const {
    return Packet(std::uint64_t{course.word()} << 32U | static_cast<std::uint32_t>(word_));
  }
  [[nodiscard]] std::uint32_t queues() const { return static_cast<std::uint32_t>(word_ >> 24U & 0xFFU) - 1; }
  /// \pre at most max_age
  [[nodiscard]] std::int64_t age(std::int64_t now) const {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(now) - word_) & slots);
  }
  [[nodiscard]] Packet joined() const { return Packet(word_ + (std::uint64_t{1} << 24U)); }

 private:
  static constexpr std::uint64_t slots = max_age;
  std::uint64_t word_;
};

class Simulated final : public FabricReplication {
 public:
  Simulated(const FabricModel& model, RandomKey key)
      : tables_(model.tables),
        buffer_(model.buffer),
        key_(key),
        cells_(ring * tables_->cells, 0),
        sends_(tables_->senders.size(), 0),
        inbox_(tables_->switches),
        kinds_(tables_->rows.kinds),
        waits_(fast_values * tables_->rows.kinds),
        fast_delays_(fast_values * fast_queues),
        delays_(256) {
    std::size_t maximum = 0;
    for (const Router& router : tables_->routers)
      maximum = std::max<std::size_t>(maximum, router.cells + router.senders);
    packets_.resize(maximum + 1);
    coming_.resize(maximum + 1);
    for (const FabricTables::Queue& queue : tables_->queues) queues_.push_back({0, queue.cell, queue.kind});
  }

  void advance(std::int64_t slots) override {
    for (; slots > 0; --slots) one_slot();
  }
  Counts take_counts() override;
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  FabricBalance balance() const override;
  std::int64_t steps() const override { return steps_; }

 private:
  using Router = FabricTables::Router;

  /// A queue as one number, and the data needed to put a packet into it.
  struct Queue {
    std::int64_t free = 0;   ///< the next free slot of service
    std::uint32_t cell = 0;  ///< as FabricTables::Queue
    std::uint16_t kind = 0;
  };
  /// A packet that is about to join a queue.
  struct Coming {
    Packet packet{0};
    std::uint32_t draw = 0;
    std::uint32_t queue = 0;  ///< none: it has arrived at a switch
    const std::uint16_t* next_hop = nullptr;
    std::uint32_t last_port = 0;
  };

  /// Counts of one kind of queues.
  struct Kind {
    std::vector<std::uint64_t> waits{}, occupancy{};  ///< waits: those beyond fast_values, from 0 on
    std::uint64_t dropped = 0;
  };

  void one_slot();
  void refill_sends();
  void read_cells(const Router& router);
  void send(const Router& router, Draws& draws);
  void send_from_hosts(std::size_t router);
  void put_in_queues(const Router& router, std::size_t number, Draws& draws);
  void join(const Coming& coming);
  void deliver(std::int64_t latency, std::uint32_t queues);
  void set_apart(std::int64_t slot, std::size_t cell, Packet packet);
  void take_back();
  void look_at_queues();

  std::shared_ptr<const FabricTables> tables_;
  std::optional<std::int64_t> buffer_;
  RandomKey key_;
  std::vector<std::uint64_t>
      cells_;  ///< [slot % ring][cell]: what the next switch reads in that slot; 0: nothing
  std::vector<Queue> queues_;
  std::vector<std::uint64_t> sends_;  ///< per sender: bit s: in slot s of the present block of 64
  std::vector<std::vector<std::uint64_t>>
      inbox_;  ///< per switch: from hosts with several links, in this slot
  std::map<std::int64_t, std::vector<std::pair<std::uint32_t, std::uint64_t>>>
      apart_;  ///< by the slot of reading
  std::int64_t apart_count_ = 0;
  std::int64_t now_ = 0, steps_ = 0;
  FabricBalance totals_;
  std::vector<Kind> kinds_;
  std::vector<std::uint64_t> waits_, fast_delays_;  ///< [kind][wait], [queues][delay]: short ones
  std::vector<std::vector<std::uint64_t>> delays_;  ///< [queues][delay]: the others
  std::uint64_t measured_ = 0;                      ///< slots
  std::vector<std::uint64_t> packets_;              ///< that arrive at one switch in one slot
  std::vector<Coming> coming_;                      ///< the same
  std::size_t count_ = 0;                           ///< of them
};

void Simulated::one_slot() {
  if (now_ % 64 == 0) refill_sends();
  take_back();
  for (std::size_t router = tables_->switches; router < tables_->routers.size(); ++router)
    send_from_hosts(router);
  for (std::size_t router = 0; router < tables_->switches; ++router) {
    const Router& its = tables_->routers[router];
    Draws draws(key_, choices, router, now_);
    count_ = 0;
    read_cells(its);
    send(its, draws);
    if (!inbox_[router].empty()) {
      packets_.resize(std::max(packets_.size(), count_ + inbox_[router].size() + 1));
      for (const std::uint64_t word : std::exchange(inbox_[router], {})) packets_[count_++] = word;
    }
    if (count_ > 0) put_in_queues(its, router, draws);
  }
  if (now_ % seen_every == 0) look_at_queues();
  ++now_;
  ++measured_;
}

void Simulated::refill_sends() {
  const auto block = static_cast<std::uint64_t>(now_ / 64);
  for (std::size_t i = 0; i < sends_.size(); ++i)
    sends_[i] =
        bernoulli_bits(key_, sending, tables_->senders[i].node, block * 16, tables_->senders[i].threshold);
}

/// Without branches, as occupied cells are unpredictable.
void Simulated::read_cells(const Router& router) {
  std::uint64_t* cells =
      cells_.data() + static_cast<std::size_t>(now_) % ring * tables_->cells + router.first_cell;
  std::size_t count = count_;
  for (std::uint32_t i = 0; i < router.cells; ++i) {
    packets_[count] = cells[i];
    count += cells[i] != 0 ? 1 : 0;
    cells[i] = 0;
  }
  count_ = count;
}

/// First the senders, then their packets.
void Simulated::send(const Router& router, Draws& draws) {
  const auto slot = static_cast<std::uint64_t>(now_ % 64);
  std::size_t count = count_;
  for (std::uint32_t i = router.first_sender; i < router.first_sender + router.senders; ++i) {
    packets_[count] = i;
    count += sends_[i] >> slot & 1U;
  }
  totals_.sent += static_cast<std::int64_t>(count - count_);
  for (; count_ < count; ++count_)
    packets_[count_] = Packet(drawn_course(*tables_, tables_->senders[packets_[count_]], draws), now_).word();
}

/// A host with several links has no queues: its packets arrive at the switch of one of its links in the same
/// slot.
void Simulated::send_from_hosts(std::size_t router) {
  const Router& its = tables_->routers[router];
  Draws draws(key_, choices, router, now_);
  count_ = 0;
  send(its, draws);
  for (std::size_t i = 0; i < count_; ++i) {
    const Packet packet(packets_[i]);
    const std::uint16_t next_hop = *packet.course().next_hop(*tables_, router);
    const std::uint32_t port = drawn_port(*tables_, its, next_hop, draws.next());
    inbox_[tables_->router_of[tables_->queues[its.first_queue + port].to]].push_back(packet.word());
  }
}

/// The packets of one slot, in random order. Each step is done for all of them, to overlap memory accesses.
void Simulated::put_in_queues(const Router& router, std::size_t number, Draws& draws) {
  coming_.resize(std::max(coming_.size(), count_));
  for (std::size_t left = count_; left > 0; --left) {
    const std::uint64_t drawn = draws.next_product(static_cast<std::uint32_t>(left));
    Coming& its = coming_[count_ - left];
    const Packet packet(std::exchange(packets_[drawn >> 32U], packets_[left - 1]));
    const Course course = packet.course().from(*tables_, router);
    its.packet = packet.on(course);
    its.draw = static_cast<std::uint32_t>(drawn);
    its.last_port = tables_->target[course.to()].last_port;
    its.next_hop = course.next_hop(*tables_, number);
    __builtin_prefetch(its.next_hop);
  }
  for (std::size_t i = 0; i < count_; ++i) {
    Coming& its = coming_[i];
    std::uint32_t port = its.last_port;
    if (*its.next_hop != FabricTables::arrived) port = drawn_port(*tables_, router, *its.next_hop, its.draw);
    its.queue = port == FabricTables::none ? port : router.first_queue + port;
    if (port != FabricTables::none) __builtin_prefetch(&queues_[its.queue], 1);
  }
  for (std::size_t i = 0; i < count_; ++i) join(coming_[i]);
}

void Simulated::join(const Coming& coming) {
  const Packet packet = coming.packet;
  if (coming.queue == FabricTables::none) return deliver(packet.age(now_), packet.queues());
  ++steps_;
  Queue& queue = queues_[coming.queue];
  const std::int64_t served = std::max(queue.free, now_);
  if (buffer_ && served - now_ >= *buffer_) {
    ++kinds_[queue.kind].dropped;
    ++totals_.dropped;
    return;
  }
  queue.free = served + 1;
  const auto wait = static_cast<std::size_t>(served - now_);
  if (wait < fast_values)
    ++waits_[queue.kind * fast_values + wait];
  else
    count_at(kinds_[queue.kind].waits, wait);
  if (queue.cell == FabricTables::none)
    return deliver(packet.age(now_) + static_cast<std::int64_t>(wait) + 1, packet.queues() + 1);
  if (wait + 1 < ring)
    cells_[(static_cast<std::size_t>(served) + 1) % ring * tables_->cells + queue.cell] =
        packet.joined().word();
  else
    set_apart(served + 1, queue.cell, packet.joined());
}

void Simulated::deliver(std::int64_t latency, std::uint32_t queues) {
  ++totals_.delivered;
  const auto delay = static_cast<std::size_t>(latency - queues);
  if (queues < fast_queues && delay < fast_values)
    ++fast_delays_[queues * fast_values + delay];
  else
    count_at(delays_[queues], delay);
}

void Simulated::set_apart(std::int64_t slot, std::size_t cell, Packet packet) {
  constexpr std::int64_t maximum =
      Packet::max_age - 256 * static_cast<std::int64_t>(ring);  // short waits may follow
  if (packet.age(now_) + slot - now_ > maximum)
    throw LimitExceeded("a packet has been in the network for more than " + std::to_string(maximum) +
                        " slots: a link is overloaded");
  require_stable(++apart_count_);
  apart_[slot].emplace_back(static_cast<std::uint32_t>(cell), packet.word());
}

/// Packets whose slot of reading is now within the ring.
void Simulated::take_back() {
  while (!apart_.empty() && apart_.begin()->first < now_ + static_cast<std::int64_t>(ring)) {
    const auto& [slot, list] = *apart_.begin();
    for (const auto& [cell, word] : list)
      cells_[static_cast<std::size_t>(slot) % ring * tables_->cells + cell] = word;
    apart_count_ -= std::ssize(list);
    apart_.erase(apart_.begin());
  }
}

/// Just after the arrivals of the slot.
void Simulated::look_at_queues() {
  for (std::size_t router = 0; router < tables_->switches; ++router) {
    const Router& its = tables_->routers[router];
    for (std::uint32_t queue = its.first_queue; queue < its.first_queue + its.ports; ++queue) {
      const std::int64_t packets = queues_[queue].free - now_;
      count_at(kinds_[queues_[queue].kind].occupancy, packets > 0 ? static_cast<std::size_t>(packets) : 0);
    }
  }
}

void cut_zeros(std::vector<std::uint64_t>& histogram) {
  while (!histogram.empty() && histogram.back() == 0) histogram.pop_back();
}

/// Adds the short values to the long ones, and resets them.
void add_short(std::vector<std::uint64_t>& histogram, std::vector<std::uint64_t>& values, std::size_t row) {
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * fast_values);
  if (histogram.size() < fast_values) histogram.resize(fast_values);
  std::copy(first, first + fast_values, histogram.begin());  // long values are stored separately
  std::fill(first, first + fast_values, 0);
  cut_zeros(histogram);
}

Counts Simulated::take_counts() {
  for (std::size_t queues = 0; queues < fast_queues; ++queues)
    add_short(delays_[queues], fast_delays_, queues);
  const FabricRows& rows = tables_->rows;
  const auto lengths = static_cast<std::size_t>(tables_->max_queues) + 1;
  Counts counts(rows.delays(lengths));
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    Kind its = std::exchange(kinds_[kind], Kind{});
    add_short(its.waits, waits_, kind);
    const std::uint64_t served = std::accumulate(its.waits.begin(), its.waits.end(), std::uint64_t{0});
    counts[rows.occupancy(kind)] = std::move(its.occupancy);
    counts[rows.waits(kind)] = std::move(its.waits);
    counts[rows.drops(kind)] = {its.dropped, served + its.dropped, measured_};
  }
  for (std::size_t queues = 0; queues < lengths; ++queues)
    counts[rows.delays(queues)] = std::exchange(delays_[queues], {});
  measured_ = 0;
  return counts;
}

FabricBalance Simulated::balance() const {
  FabricBalance balance = totals_;
  balance.in_transit =
      apart_count_ + std::count_if(cells_.begin(), cells_.end(), [](auto word) { return word != 0; });
  return balance;
}

void Simulated::save(ByteWriter& writer) {
  for (const std::int64_t value :
       {now_, steps_, totals_.sent, totals_.delivered, totals_.dropped, apart_count_})
    writer.put(value);
  std::vector<std::int64_t> free;
  for (const Queue& queue : queues_) free.push_back(queue.free);
  writer.put(free);
  std::vector<std::uint64_t> places, words;
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (cells_[i] != 0) {
      places.push_back(i);
      words.push_back(cells_[i]);
    }
  writer.put(places);
  writer.put(words);
  writer.put<std::uint64_t>(apart_.size());
  for (const auto& [slot, list] : apart_) {
    writer.put(slot);
    std::vector<std::uint64_t> flat;
    for (const auto& [cell, word] : list) flat.insert(flat.end(), {cell, word});
    writer.put(flat);
  }
  writer.put(measured_);
  writer.put(waits_);
  writer.put(fast_delays_);
  for (const Kind& kind : kinds_) {
    writer.put(kind.waits);
    writer.put(kind.occupancy);
    writer.put(kind.dropped);
  }
  for (const auto& row : delays_) writer.put(row);
}

void Simulated::load(ByteReader& reader) {
  for (std::int64_t* value :
       {&now_, &steps_, &totals_.sent, &totals_.delivered, &totals_.dropped, &apart_count_})
    *value = reader.get<std::int64_t>();
  const auto free = reader.get_vector<std::int64_t>();
  const auto places = reader.get_vector<std::uint64_t>(), words = reader.get_vector<std::uint64_t>();
  if (free.size() != queues_.size() || places.size() != words.size() || now_ < 0) ByteReader::fail();
  for (std::size_t i = 0; i < free.size(); ++i) queues_[i].free = free[i];
  const auto check = [&](std::uint64_t word) {
    if (!Packet(word).course().is_of(*tables_) || Packet(word).queues() > 250) ByteReader::fail();
  };
  std::fill(cells_.begin(), cells_.end(), 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] >= cells_.size()) ByteReader::fail();
    check(words[i]);
    cells_[places[i]] = words[i];
  }
  apart_.clear();
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    auto& list = apart_[reader.get<std::int64_t>()];
    const auto flat = reader.get_vector<std::uint64_t>();
    for (std::size_t i = 0; i + 1 < flat.size(); i += 2) {
      if (flat[i] >= tables_->cells) ByteReader::fail();
      check(flat[i + 1]);
      list.emplace_back(static_cast<std::uint32_t>(flat[i]), flat[i + 1]);
    }
  }
  measured_ = reader.get<std::uint64_t>();
  waits_ = reader.get_vector<std::uint64_t>();
  fast_delays_ = reader.get_vector<std::uint64_t>();
  if (waits_.size() != fast_values * kinds_.size() || fast_delays_.size() != fast_values * fast_queues)
    ByteReader::fail();
  for (Kind& kind : kinds_) {
    kind.waits = reader.get_vector<std::uint64_t>();
    kind.occupancy = reader.get_vector<std::uint64_t>();
    kind.dropped = reader.get<std::uint64_t>();
  }
  for (auto& row : delays_) row = reader.get_vector<std::uint64_t>();
  if (now_ % 64 != 0) {
    const std::int64_t now = std::exchange(now_, now_ / 64 * 64);
    refill_sends();
    now_ = now;
  }
}

}  // namespace

std::unique_ptr<FabricReplication> make_fabric_replication(const FabricModel& model, RandomKey key) {
  if (model.buffer && (*model.buffer < 1 || *model.buffer > 1'000'000'000))
    throw InvalidArgument("buffer", std::to_string(*model.buffer), "from 1 to 1000000000 packets");
  if (model.tables->times.mixed_speeds) return make_clocked_fabric_replication(model, key);
  return std::make_unique<Simulated>(model, key);
}

}  // namespace tailbound::sim
