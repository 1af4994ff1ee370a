#include <tailbound/core/error.hpp>
#include <tailbound/network/policed/slotted_ports.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/sim/policed/policed_replication.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace tailbound::sim {
namespace {

using numeric::Rational;

constexpr std::uint32_t wheel_slots = 4096;
constexpr std::uint32_t no_flow = ~std::uint32_t{0};
constexpr std::uint64_t max_policed_packets = std::uint64_t{1} << 26;  ///< in all queues
constexpr std::uint64_t longest_burst_slots = 1 << 20;                 ///< of one greedy phase of `together`

/// Purposes of random numbers.
enum PolicedPurpose : std::uint64_t { times = 0, orders = 1, rounds = 2 };

/// A bucket in tokens of 1/unit.
struct SlotBucket {
  std::int64_t unit, rate, burst;
  std::uint64_t full_after;  ///< slots

  explicit SlotBucket(const traffic::TokenBucket& bucket) {
    const numeric::Integer common =
        numeric::lcm(numeric::denominator(bucket.rate), numeric::denominator(bucket.burst));
    const auto fine = [&](const Rational& tokens) {
      return numeric::to_int64(numeric::numerator(tokens * common));
    };
    unit = numeric::to_int64(common);
    rate = fine(bucket.rate);
    burst = fine(bucket.burst);
    full_after = static_cast<std::uint64_t>(burst / rate) + 1;
  }
};

/// A kind of flows: all with the same buckets share it.
struct SlotFlowKind {
  std::vector<traffic::TokenBucket> buckets;
  std::vector<SlotBucket> fine;
  traffic::GreedyPattern pattern;
  Rational rate;
  std::uint64_t full_after = 0;  ///< slots, of all buckets
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      cycle;  ///< (slot, packets) of the periodic end of the greedy pattern

  explicit SlotFlowKind(const std::vector<traffic::TokenBucket>& given)
      : buckets(given), pattern(given), rate(pattern.rate()) {
    for (const traffic::TokenBucket& bucket : given) {
      fine.emplace_back(bucket);
      full_after = std::max(full_after, fine.back().full_after);
    }
    for (std::size_t slot = 0; slot < pattern.cycle().size(); ++slot)
      if (const std::int64_t packets = pattern.cycle()[slot]; packets > 0)
        cycle.emplace_back(static_cast<std::uint32_t>(slot), static_cast<std::uint32_t>(packets));
  }
  /// For a greedy flow: until its saved tokens are used up, and the pattern becomes periodic.
  [[nodiscard]] std::uint64_t burst_slots() const {
    return std::min<std::uint64_t>(pattern.start().size() + 2 * pattern.cycle().size(), longest_burst_slots);
  }
};

struct SlotFlow {
  std::size_t kind;
  PolicedSending sending;
  std::uint32_t first_hop;
  std::uint32_t first_bucket;  ///< in `held_`
  std::uint64_t due = 0;       ///< the next slot in which it may send
  std::uint64_t seen = 0;      ///< the slot up to which its buckets are filled
  std::uint64_t until =
      0;  ///< random, together: the time at which the state ends; periodic: the next position in the cycle
  bool on = false, part = false;
};

/// A packet stores its position on its path, and the slot in which it was sent, modulo 2^32.
struct SlotPacket {
  std::uint32_t hop, sent;
};
struct SlotHop {
  std::uint32_t queue;
  std::uint32_t port;
  std::uint32_t last_of;  ///< flow whose last hop this is, or `no_flow`
};

class SlotRing {
 public:
  [[nodiscard]] std::uint32_t size() const { return size_; }
  void push(SlotPacket packet) {
    if (size_ == packets_.size()) grow();
    packets_[(head_ + size_++) & mask_] = packet;
  }
  SlotPacket pop() {
    const SlotPacket packet = packets_[head_];
    head_ = (head_ + 1) & mask_;
    --size_;
    return packet;
  }
  [[nodiscard]] SlotPacket at(std::uint32_t place) const { return packets_[(head_ + place) & mask_]; }
  void clear() { head_ = size_ = 0; }

 private:
  void grow() {
    std::vector<SlotPacket> larger(2 * packets_.size());
    for (std::uint32_t place = 0; place < size_; ++place) larger[place] = at(place);
    packets_ = std::move(larger);
    mask_ = static_cast<std::uint32_t>(packets_.size() - 1);
    head_ = 0;
  }
  std::vector<SlotPacket> packets_ = std::vector<SlotPacket>(16);
  std::uint32_t mask_ = 15, head_ = 0, size_ = 0;
};

class PolicedSlots final : public PolicedReplication {
 public:
  PolicedSlots(const PolicedModel& model, RandomKey key);
  void advance(std::int64_t slots) override {
    for (; slots > 0; --slots) one_slot();
  }
  Counts take_counts() override;
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  void watch(Observer observer) override { observer_ = std::move(observer); }
  [[nodiscard]] std::vector<std::int64_t> backlogs() const override {
    return {lengths_.begin(), lengths_.end()};
  }

 private:
  void one_slot();
  void serve();
  void send();
  void join();
  void count();

  // --- flows
  void act(std::uint32_t number);
  void wait_for(std::uint32_t number, std::uint64_t slot);
  void fill(SlotFlow& flow);
  [[nodiscard]] std::int64_t allowed(const SlotFlow& flow) const;
  void put(std::uint32_t number, std::int64_t packets);
  /// The next slot in which the buckets admit a packet.
  [[nodiscard]] std::uint64_t next_token(const SlotFlow& flow) const;
  void act_at_random(std::uint32_t number);
  void act_together(std::uint32_t number);
  [[nodiscard]] std::uint64_t start_in_round(std::uint32_t number, std::uint64_t round) const;
  /// From 1 to about `maximum`, each order of magnitude equally likely.
  [[nodiscard]] std::uint64_t some_slots(std::uint64_t maximum) {
    const auto magnitudes = static_cast<std::uint32_t>(std::bit_width(maximum));
    const std::uint64_t minimum = std::uint64_t{1} << below(std::min(magnitudes, 31U), times_.next());
    return minimum + below(static_cast<std::uint32_t>(minimum), times_.next());
  }
  void begin_wheel();

  RandomKey key_;
  PolicedRows rows_;
  std::vector<SlotFlowKind> kinds_;
  std::vector<SlotHop> hops_;
  std::vector<std::uint32_t> first_queue_;                  ///< [port]; and one after the last
  std::uint64_t round_ = 1, burst_slots_ = 1, spread_ = 1;  ///< of `together` [slots]

  std::uint64_t slot_ = 0;
  std::vector<SlotFlow> flows_;
  std::vector<std::int64_t> held_;  ///< tokens of 1/unit in each bucket
  std::vector<SlotRing> queues_;
  std::vector<std::uint32_t> lengths_;  ///< [port]
  std::uint64_t inside_ = 0;
  RandomStream times_, orders_;

  std::vector<std::uint32_t> wheel_;  ///< [slot mod wheel_slots]: first flow, or `no_flow`
  std::vector<std::uint32_t> next_;   ///< [flow]: in the same slot of the wheel
  std::vector<std::uint32_t> due_;
  std::vector<SlotPacket> came_;
  Observer observer_;

  Counts counts_;
};

PolicedSlots::PolicedSlots(const PolicedModel& model, RandomKey key)
    : key_(key),
      rows_(model.network),
      times_(key, PolicedPurpose::times, 0),
      orders_(key, PolicedPurpose::orders, 0) {
  const network::PolicedNetwork& network = model.network;
  network::require_slotted(network, {network::Scheduler::fifo, network::Scheduler::priority});
  require(model.sending.size() == 1 || model.sending.size() == network.flows.size(), "number of behaviours",
          std::to_string(model.sending.size()), "one, or one per flow");
  require(rows_.ports <= 65'536 && rows_.flows <= 65'536 && rows_.classes <= 64, "network",
          std::to_string(rows_.ports) + " ports, " + std::to_string(rows_.flows) + " flows, " +
              std::to_string(rows_.classes) + " classes",
          "one of up to 65536 ports and flows and 64 classes");
  for (const network::PolicedPort& port : network.ports) {
    first_queue_.push_back(static_cast<std::uint32_t>(queues_.size()));
    queues_.resize(queues_.size() + (port.scheduler == network::Scheduler::priority ? rows_.classes : 1));
  }
  first_queue_.push_back(static_cast<std::uint32_t>(queues_.size()));
  lengths_.resize(rows_.ports);
  std::vector<Rational> load(rows_.ports, 0);
  std::uint64_t save = 0;
  for (std::size_t number = 0; number < network.flows.size(); ++number) {
    const network::PolicedFlow& given = network.flows[number];
    auto kind = std::find_if(kinds_.begin(), kinds_.end(),
                             [&](const SlotFlowKind& other) { return other.buckets == given.buckets; });
    if (kind == kinds_.end()) kind = kinds_.emplace(kinds_.end(), given.buckets);
    SlotFlow flow;
    flow.kind = static_cast<std::size_t>(kind - kinds_.begin());
    flow.sending = model.sending.size() == 1 ? model.sending.front() : model.sending[number];
    flow.first_hop = static_cast<std::uint32_t>(hops_.size());
    flow.first_bucket = static_cast<std::uint32_t>(held_.size());
    flows_.push_back(flow);
    for (const SlotBucket& bucket : kind->fine) held_.push_back(bucket.burst);
    for (const std::size_t port : given.path) {
      load[port] = load[port] + kind->rate;
      const bool classes = first_queue_[port + 1] - first_queue_[port] > 1;
      hops_.push_back({static_cast<std::uint32_t>(first_queue_[port] + (classes ? given.traffic_class : 0)),
                       static_cast<std::uint32_t>(port), no_flow});
    }
    hops_.back().last_of = static_cast<std::uint32_t>(number);
    burst_slots_ = std::max(burst_slots_, kind->burst_slots());
    spread_ = std::max<std::uint64_t>(spread_, 4 * given.path.size());
    save = std::max(save, kind->full_after);
    // Allows time for packets left in queues.
    save += static_cast<std::uint64_t>(numeric::to_int64(numeric::floor(given.buckets.front().burst)));
  }
  for (const Rational& at : load)
    if (at > 1) throw Unstable(numeric::plain(at));
  round_ = burst_slots_ + spread_ + save;
  counts_.resize(rows_.count());
  counts_[PolicedRows::slots].resize(1);
  counts_[PolicedRows::sent].resize(rows_.flows);

  for (std::uint32_t number = 0; number < flows_.size(); ++number) {
    SlotFlow& flow = flows_[number];
    const SlotFlowKind& kind = kinds_[flow.kind];
    if (flow.sending == PolicedSending::periodic) {
      const std::uint64_t length = kind.pattern.cycle().size();
      const std::uint64_t shift = below(static_cast<std::uint32_t>(length), times_.next());
      // The first position of the cycle from `shift` on is now.
      std::size_t place = 0;
      while (place < kind.cycle.size() && kind.cycle[place].first < shift) ++place;
      const bool past = place == kind.cycle.size();
      flow.until = past ? 0 : place;
      flow.due = (past ? length : 0) + kind.cycle[flow.until].first - shift;
    } else if (flow.sending == PolicedSending::together) {
      flow.due = start_in_round(number, 0);
    }
  }
  begin_wheel();
}

// --- flows

void PolicedSlots::begin_wheel() {
  wheel_.assign(wheel_slots, no_flow);
  next_.assign(flows_.size(), no_flow);
  for (std::uint32_t number = 0; number < flows_.size(); ++number) wait_for(number, flows_[number].due);
}

/// \param slot  now or later
void PolicedSlots::wait_for(std::uint32_t number, std::uint64_t slot) {
  flows_[number].due = slot;
  const std::uint64_t at = std::min(slot, slot_ + wheel_slots - 1) % wheel_slots;
  next_[number] = std::exchange(wheel_[at], number);
}

void PolicedSlots::fill(SlotFlow& flow) {
  const std::uint64_t slots = slot_ - flow.seen;
  const std::vector<SlotBucket>& buckets = kinds_[flow.kind].fine;
  std::int64_t* held = held_.data() + flow.first_bucket;
  for (const SlotBucket& bucket : buckets) {
    *held = slots >= bucket.full_after
                ? bucket.burst
                : std::min(bucket.burst, *held + bucket.rate * static_cast<std::int64_t>(slots));
    ++held;
  }
  flow.seen = slot_;
}

std::int64_t PolicedSlots::allowed(const SlotFlow& flow) const {
  const std::vector<SlotBucket>& buckets = kinds_[flow.kind].fine;
  const std::int64_t* held = held_.data() + flow.first_bucket;
  std::int64_t maximum = *held / buckets.front().unit;
  for (std::size_t i = 1; i < buckets.size() && maximum > 0; ++i)
    maximum = std::min(maximum, held[i] / buckets[i].unit);
  return maximum;
}

std::uint64_t PolicedSlots::next_token(const SlotFlow& flow) const {
  std::int64_t slots = 1;
  const std::int64_t* held = held_.data() + flow.first_bucket;
  for (const SlotBucket& bucket : kinds_[flow.kind].fine) {
    const std::int64_t lacks = bucket.unit - *held++;
    if (lacks > bucket.rate) slots = std::max(slots, (lacks + bucket.rate - 1) / bucket.rate);
  }
  return slot_ + static_cast<std::uint64_t>(slots);
}

void PolicedSlots::put(std::uint32_t number, std::int64_t packets) {
  if (packets == 0) return;
  SlotFlow& flow = flows_[number];
  std::int64_t* held = held_.data() + flow.first_bucket;
  for (const SlotBucket& bucket : kinds_[flow.kind].fine) *held++ -= packets * bucket.unit;
  inside_ += static_cast<std::uint64_t>(packets);
  if (inside_ > max_policed_packets)
    throw LimitExceeded("the queues exceed " + std::to_string(max_policed_packets) + " packets");
  came_.insert(came_.end(), static_cast<std::size_t>(packets),
               {flow.first_hop, static_cast<std::uint32_t>(slot_)});
  counts_[PolicedRows::sent][number] += static_cast<std::uint64_t>(packets);
  if (observer_) observer_(slot_, number, packets);
}

void PolicedSlots::act_at_random(std::uint32_t number) {
  SlotFlow& flow = flows_[number];
  if (slot_ >= flow.until) {
    flow.on = !flow.on;
    flow.until = slot_ + some_slots(2 * kinds_[flow.kind].full_after);
    flow.part = flow.on && below(2, times_.next()) == 0;
    if (!flow.on) return wait_for(number, flow.until);
  }
  std::int64_t packets = allowed(flow);
  if (flow.part && packets > 0)
    packets = below(static_cast<std::uint32_t>(std::min<std::int64_t>(packets, 1 << 30)) + 1, times_.next());
  put(number, packets);
  // A kept packet may be sent in the next slot.
  wait_for(number, std::min(std::max(flow.until, slot_ + 1), next_token(flow)));
}

/// All buckets are full again at the start of a round.
std::uint64_t PolicedSlots::start_in_round(std::uint32_t number, std::uint64_t round) const {
  const std::uint64_t start = round * round_;
  if (round % 2 == 0) return start;
  const std::uint64_t bits = random_words(key_, PolicedPurpose::rounds, 0, round)[0];
  const std::uint32_t spread =
      1 + below(static_cast<std::uint32_t>(spread_), static_cast<std::uint32_t>(bits));
  const std::uint64_t own = random_words(key_, PolicedPurpose::rounds, number + std::uint64_t{1}, round)[0];
  return start + below(spread + 1, static_cast<std::uint32_t>(own));
}

void PolicedSlots::act_together(std::uint32_t number) {
  const SlotFlow& flow = flows_[number];
  put(number, allowed(flow));
  const std::uint64_t round = slot_ / round_;
  const std::uint64_t next = next_token(flow);
  wait_for(number, next < round * round_ + burst_slots_ + spread_ ? next : start_in_round(number, round + 1));
}

void PolicedSlots::act(std::uint32_t number) {
  SlotFlow& flow = flows_[number];
  fill(flow);
  switch (flow.sending) {
    case PolicedSending::greedy:
      put(number, allowed(flow));
      return wait_for(number, next_token(flow));
    case PolicedSending::periodic: {
      const auto& cycle = kinds_[flow.kind].cycle;
      const auto [at, packets] = cycle[flow.until];
      put(number, packets);
      flow.until = flow.until + 1 == cycle.size() ? 0 : flow.until + 1;
      const std::uint64_t length = kinds_[flow.kind].pattern.cycle().size();
      return wait_for(number, slot_ + (flow.until == 0 ? length : 0) + cycle[flow.until].first - at);
    }
    case PolicedSending::random:
      return act_at_random(number);
    case PolicedSending::together:
      return act_together(number);
  }
}

// --- slots

void PolicedSlots::serve() {
  for (std::size_t port = 0; port < rows_.ports; ++port) {
    if (lengths_[port] == 0) continue;
    std::uint32_t queue = first_queue_[port];
    while (queues_[queue].size() == 0) ++queue;
    const SlotPacket packet = queues_[queue].pop();
    --lengths_[port];
    if (const std::uint32_t flow = hops_[packet.hop].last_of; flow != no_flow) {
      --inside_;
      std::vector<std::uint64_t>& delays = counts_[rows_.delay(flow)];
      const std::uint32_t slots = static_cast<std::uint32_t>(slot_) - packet.sent;
      if (slots >= delays.size()) delays.resize(slots + slots / 4 + 1);
      ++delays[slots];
    } else {
      came_.push_back({packet.hop + 1, packet.sent});
    }
  }
}

void PolicedSlots::send() {
  std::uint32_t number = std::exchange(wheel_[slot_ % wheel_slots], no_flow);
  if (number == no_flow) return;
  due_.clear();
  while (number != no_flow) {
    const std::uint32_t after = next_[number];
    due_.push_back(number);
    number = after;
  }
  // In an order that does not depend on the insertion order in the wheel.
  std::sort(due_.begin(), due_.end());
  for (const std::uint32_t flow : due_) {
    if (flows_[flow].due > slot_)
      wait_for(flow, flows_[flow].due);
    else
      act(flow);
  }
}

void PolicedSlots::join() {
  for (std::size_t left = came_.size(); left > 1; --left)
    std::swap(came_[left - 1], came_[below(static_cast<std::uint32_t>(left), orders_.next())]);
  for (const SlotPacket packet : came_) {
    const SlotHop& hop = hops_[packet.hop];
    queues_[hop.queue].push(packet);
    ++lengths_[hop.port];
  }
}

void PolicedSlots::count() {
  const auto add = [](std::vector<std::uint64_t>& histogram, std::uint32_t length) {
    if (length >= histogram.size()) histogram.resize(length + length / 4 + 1);
    ++histogram[length];
  };
  ++counts_[PolicedRows::slots][0];
  for (std::size_t port = 0; port < rows_.ports; ++port) {
    add(counts_[rows_.backlog(port)], lengths_[port]);
    const std::uint32_t first = first_queue_[port], behind = first_queue_[port + 1];
    if (behind - first > 1)
      for (std::uint32_t queue = first; queue < behind; ++queue)
        add(counts_[rows_.of_class(port, queue - first)], queues_[queue].size());
  }
}

void PolicedSlots::one_slot() {
  came_.clear();
  serve();
  send();
  join();
  count();
  ++slot_;
}

Counts PolicedSlots::take_counts() {
  Counts fresh(rows_.count());
  fresh[PolicedRows::slots].resize(1);
  fresh[PolicedRows::sent].resize(rows_.flows);
  // Trims histograms to their used size.
  for (std::size_t row = 2; row < counts_.size(); ++row)
    while (!counts_[row].empty() && counts_[row].back() == 0) counts_[row].pop_back();
  return std::exchange(counts_, std::move(fresh));
}

void PolicedSlots::save(ByteWriter& writer) {
  writer.put(slot_);
  writer.put(held_);
  for (const SlotFlow& flow : flows_) {
    writer.put(flow.due);
    writer.put(flow.seen);
    writer.put(flow.until);
    writer.put<std::uint8_t>(flow.on);
    writer.put<std::uint8_t>(flow.part);
  }
  for (const SlotRing& queue : queues_) {
    std::vector<std::uint32_t> packets;
    for (std::uint32_t place = 0; place < queue.size(); ++place) {
      packets.push_back(queue.at(place).hop);
      packets.push_back(queue.at(place).sent);
    }
    writer.put(packets);
  }
  times_.save(writer);
  orders_.save(writer);
  writer.put<std::uint64_t>(counts_.size());
  for (const auto& row : counts_) writer.put(row);
}

void PolicedSlots::load(ByteReader& reader) {
  slot_ = reader.get<std::uint64_t>();
  const auto held = reader.get_vector<std::int64_t>();
  if (held.size() != held_.size()) ByteReader::fail();
  held_ = held;
  for (SlotFlow& flow : flows_) {
    flow.due = reader.get<std::uint64_t>();
    flow.seen = reader.get<std::uint64_t>();
    flow.until = reader.get<std::uint64_t>();
    flow.on = reader.get<std::uint8_t>() != 0;
    flow.part = reader.get<std::uint8_t>() != 0;
    const bool place = flow.sending == PolicedSending::periodic;
    if (flow.due < slot_ || flow.seen > slot_ || (place && flow.until >= kinds_[flow.kind].cycle.size()))
      ByteReader::fail();
    const std::vector<SlotBucket>& buckets = kinds_[flow.kind].fine;
    for (std::size_t i = 0; i < buckets.size(); ++i)
      if (held_[flow.first_bucket + i] < 0 || held_[flow.first_bucket + i] > buckets[i].burst)
        ByteReader::fail();
  }
  inside_ = 0;
  std::fill(lengths_.begin(), lengths_.end(), 0);
  for (std::uint32_t number = 0; number < queues_.size(); ++number) {
    queues_[number].clear();
    const auto packets = reader.get_vector<std::uint32_t>();
    if (packets.size() % 2 != 0) ByteReader::fail();
    for (std::size_t i = 0; i < packets.size(); i += 2) {
      if (packets[i] >= hops_.size() || hops_[packets[i]].queue != number) ByteReader::fail();
      queues_[number].push({packets[i], packets[i + 1]});
      ++lengths_[hops_[packets[i]].port];
      ++inside_;
    }
  }
  times_.load(reader);
  orders_.load(reader);
  if (reader.get<std::uint64_t>() != rows_.count()) ByteReader::fail();
  for (auto& row : counts_) row = reader.get_vector<std::uint64_t>();
  if (counts_[PolicedRows::slots].size() != 1 || counts_[PolicedRows::sent].size() != rows_.flows)
    ByteReader::fail();
  begin_wheel();
}

}  // namespace

std::unique_ptr<PolicedReplication> make_policed_replication(const PolicedModel& model, RandomKey key) {
  return std::make_unique<PolicedSlots>(model, key);
}

std::string describe(const PolicedModel& model) {
  std::string text = "policed";
  for (const network::PolicedPort& port : model.network.ports)
    text += std::string(" port ") + names_of(port.scheduler)[static_cast<std::size_t>(port.scheduler)];
  text += " classes " + std::to_string(model.network.classes.size());
  for (const network::PolicedFlow& flow : model.network.flows) {
    text += " flow class " + std::to_string(flow.traffic_class) + " path";
    for (const std::size_t port : flow.path) {
      text += " ";
      text += std::to_string(port);
    }
    for (const traffic::TokenBucket& bucket : flow.buckets) {
      text += " bucket ";
      text += numeric::to_fraction(bucket.rate);
      text += ",";
      text += numeric::to_fraction(bucket.burst);
    }
  }
  for (const PolicedSending sending : model.sending)
    text += std::string(" ") + names_of(sending)[static_cast<std::size_t>(sending)];
  return text;
}

}  // namespace tailbound::sim
