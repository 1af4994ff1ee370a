#include <tailbound/core/error.hpp>
#include <tailbound/network/channels/buffer_cycle.hpp>
#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/sim/fifo.hpp>
#include <tailbound/sim/network/controlled_replication.hpp>
#include <tailbound/sim/network/network_sources.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::sim {
namespace {

constexpr std::size_t max_stored = std::size_t{1} << 25;  ///< packets of a replication
constexpr std::int64_t deadlock_interval = 256;           ///< slots between two searches

struct Packet {
  std::uint32_t path;  ///< position in the paths of the sources
  std::uint32_t step;  ///< position of the next link in its route
  std::int64_t birth;
};

/// A change that the sender of a link learns in a slot.
struct Notice {
  std::int64_t slot;
  std::int64_t paused;  ///< of pause: 1 or 0
};

/// A link, with the packets for it at its sender and the buffer at its receiver.
struct ControlledLink {
  bool used = false, of_host = false;
  bool buffered = false;  ///< packets that go on from its receiver come by it

  Fifo<Packet> packets{};   ///< of a host: its queue; of a switch: in its output buffer, then those that ask
  std::int64_t taken = 0;   ///< packets in the output buffer, the first of `packets`
  std::int64_t in_use = 0;  ///< credits not available
  bool paused = false;      ///< as the sender knows
  Fifo<Notice> notices{};   ///< not yet known to the sender
  std::int64_t last_sent = -1;

  std::int64_t stored = 0;  ///< packets in the buffer
  Fifo<Packet> behind{};    ///< of a FIFO buffer: those that do not ask yet
  bool asks = false;        ///< of a FIFO buffer: does its first packet ask?
  bool ready = false;       ///< of a FIFO buffer: is it listed to ask in the next slot?
  bool stop = false;        ///< of pause: the state of the receiver
};

/// What the replications of a run begin with.
struct PreparedLinks {
  explicit PreparedLinks(const NetworkModel& model);

  ControlledRows rows_;
  FlowControl control_;
  NetworkSources sources_;
  std::vector<ControlledLink> links_;
  std::vector<std::size_t> outputs_{}, host_links_{}, buffers_{};  ///< those used, ascending
  std::size_t flows_;
  bool cyclic_;
};

class Controlled final : public NetworkReplication, private PreparedLinks {
 public:
  Controlled(const PreparedLinks& prepared, RandomKey key)
      : PreparedLinks(prepared), key_(key), counts_(empty_counts()) {
    sources_.start(key_);
  }
  void advance(std::int64_t slots) override {
    for (; slots > 0; --slots) one_slot();
  }
  Counts take_counts() override;
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  PacketBalance balance() const override;

 private:
  [[nodiscard]] const NetworkPath& path(const Packet& packet) const { return sources_.paths()[packet.path]; }
  /// The link by whose buffer a packet waits for its next link; none at its source.
  [[nodiscard]] std::size_t input(const Packet& packet) const { return path(packet).links[packet.step - 1]; }
  [[nodiscard]] bool delivers(const Packet& packet) const {
    return packet.step + 1 == path(packet).links.size();
  }
  [[nodiscard]] bool may_send(ControlledLink& link, const Packet& packet) const;
  void one_slot();
  void create(std::uint32_t path);
  void send_from_hosts();
  void receive();
  void ask();
  void take(std::size_t output);
  void leave(std::size_t link);
  void signal(std::size_t link);
  void transmit(std::size_t output);
  void send(std::size_t link);
  void deliver(const Packet& packet);
  [[nodiscard]] bool never_sends(std::size_t link) const;
  [[nodiscard]] std::vector<bool> stuck_links() const;
  void find_deadlock();
  [[nodiscard]] std::int64_t inside() const;
  [[nodiscard]] Counts empty_counts() const;

  RandomKey key_;
  std::int64_t now_ = 0;
  std::vector<Packet> arriving_{};    ///< sent by links of switches in the last slot, or just by hosts
  std::vector<Packet> asking_{};      ///< those that begin to ask in this slot
  std::vector<std::size_t> ready_{};  ///< FIFO buffers whose first packet may ask in the next slot
  std::vector<std::size_t>
      backlogged_{};           ///< links of hosts with packets, in the order in which they got them
  std::size_t collected_ = 0;  ///< packets at hosts
  PacketBalance totals_{};
  PacketBalance before_{};  ///< at the last take_counts()
  std::int64_t inside_before_ = 0, counted_from_ = 0;
  std::int64_t deadlock_ = -1;               ///< slot after which no link of the cycle has sent
  std::vector<std::uint64_t> deadlocked_{};  ///< links of the cycle
  Counts counts_;
};

void require_legal(const FlowControl& control) {
  const auto check = [](std::int64_t value, const char* what, std::int64_t most, const std::string& legal) {
    if (value < 1 || value > most) throw InvalidArgument(what, std::to_string(value), legal);
  };
  const std::string usual = "from 1 to " + std::to_string(FlowControl::most);
  check(control.buffer, "buffer", FlowControl::most, usual + " packets");
  check(control.round_trip, "round trip", FlowControl::most, usual + " slots");
  check(control.output_buffer, "output buffer", FlowControl::most, usual + " packets");
  if (control.by == BackPressure::pause)
    check(control.headroom, "headroom", control.buffer,
          "from 1 to the buffer of " + std::to_string(control.buffer) +
              " packets; the default is the round trip, below which packets are lost");
}

PreparedLinks::PreparedLinks(const NetworkModel& model)
    : rows_(model),
      control_(*model.control),
      sources_(model.network),
      links_(model.network.links.size()),
      flows_(model.network.flows.size()) {
  const network::Network& network = model.network;
  require_controllable(model);
  cyclic_ = !network::buffer_cycle(network).empty();
  for (std::size_t link = 0; link < links_.size(); ++link) links_[link].of_host = !network.has_queue(link);
  for (const NetworkPath& path : sources_.paths())
    for (std::size_t step = 0; step < path.links.size(); ++step) {
      ControlledLink& link = links_[path.links[step]];
      link.used = true;
      link.buffered = link.buffered || step + 1 < path.links.size();
    }
  for (std::size_t link = 0; link < links_.size(); ++link) {
    if (!links_[link].used) continue;
    (links_[link].of_host ? host_links_ : outputs_).push_back(link);
    if (links_[link].buffered) buffers_.push_back(link);
  }
}

void Controlled::one_slot() {
  sources_.send(static_cast<std::uint64_t>(now_), [this](std::uint32_t path) { create(path); });
  send_from_hosts();
  receive();
  ask();
  for (const std::size_t output : outputs_) take(output);
  if (control_.by == BackPressure::pause)
    for (const std::size_t link : buffers_) signal(link);
  for (const std::size_t link : buffers_)
    counts_[rows_.link(link)][ControlledRows::stored] += static_cast<std::uint64_t>(links_[link].stored);
  for (const std::size_t output : outputs_) transmit(output);
  ++now_;
  if (cyclic_ && deadlock_ < 0 && now_ % deadlock_interval == 0) find_deadlock();
}

void Controlled::create(std::uint32_t at) {
  ++totals_.sent;
  const Packet packet{at, 0, now_};
  const std::size_t first = path(packet).links.front();
  ControlledLink& link = links_[first];
  if (!link.of_host) {  // sent by a switch
    asking_.push_back(packet);
    return;
  }
  if (++collected_ > max_stored)
    throw LimitExceeded("more than " + std::to_string(max_stored) +
                        " packets wait at the hosts: the network saturates; simulate fewer slots (--slots)");
  if (link.packets.empty()) backlogged_.push_back(first);
  link.packets.push(packet);
  ++counts_[rows_.link(first)][ControlledRows::created];
}

/// Whether the sender has a credit, or is not paused, after the notices up to now.
bool Controlled::may_send(ControlledLink& link, const Packet& packet) const {
  while (!link.notices.empty() && link.notices.front().slot <= now_) {
    link.paused = link.notices.pop().paused != 0;
    if (control_.by == BackPressure::credit) --link.in_use;
  }
  if (delivers(packet)) return true;
  return control_.by == BackPressure::credit ? link.in_use < control_.buffer : !link.paused;
}

/// The first packet of a link goes to its receiver.
void Controlled::send(std::size_t link) {
  ControlledLink& its = links_[link];
  Packet packet = its.packets.pop();
  its.last_sent = now_;
  count_at(counts_[rows_.waits(link)], 0);
  if (delivers(packet)) {
    deliver(packet);
    return;
  }
  if (control_.by == BackPressure::credit) ++its.in_use;
  ++packet.step;
  arriving_.push_back(packet);
}

void Controlled::send_from_hosts() {
  std::size_t kept = 0;
  for (const std::size_t link : backlogged_) {
    ControlledLink& its = links_[link];
    auto& counts = counts_[rows_.link(link)];
    counts[ControlledRows::waiting] += its.packets.size();
    if (may_send(its, its.packets.front())) {
      --collected_;
      send(link);
    } else {
      ++counts[ControlledRows::blocked];
    }
    if (!its.packets.empty()) backlogged_[kept++] = link;
  }
  backlogged_.resize(kept);
}

/// Into the buffers of the links by which the packets came.
void Controlled::receive() {
  for (const Packet& packet : arriving_) {
    const std::size_t link = input(packet);
    ControlledLink& its = links_[link];
    auto& drops = counts_[rows_.drops(link)];
    drops.resize(2);
    ++drops[1];
    if (its.stored == control_.buffer) {  // of pause only
      ++drops[0];
      ++totals_.dropped;
      continue;
    }
    ++its.stored;
    if (control_.ingress == Ingress::voq) {
      asking_.push_back(packet);
      continue;
    }
    its.behind.push(packet);
    if (its.asks || its.ready) continue;
    its.ready = true;
    ready_.push_back(link);
  }
  arriving_.clear();
}

void Controlled::ask() {
  for (const std::size_t link : ready_) {
    ControlledLink& its = links_[link];
    its.ready = false;
    its.asks = true;
    asking_.push_back(its.behind.pop());
  }
  ready_.clear();
  RandomSequence random(key_, NetworkSources::order_purpose, 0, static_cast<std::uint64_t>(now_) << 24U);
  for (std::size_t left = asking_.size(); left > 1; --left)
    std::swap(asking_[left - 1], asking_[random.next_below(static_cast<std::uint32_t>(left))]);
  for (const Packet& packet : asking_) links_[path(packet).links[packet.step]].packets.push(packet);
  asking_.clear();
}

/// An output buffer takes the packets that fit.
void Controlled::take(std::size_t output) {
  ControlledLink& its = links_[output];
  count_at(counts_[rows_.occupancy(output)], its.packets.size());
  const auto all = static_cast<std::int64_t>(its.packets.size());
  for (; its.taken < std::min(all, control_.output_buffer); ++its.taken) {
    const Packet& packet = its.packets[static_cast<std::size_t>(its.taken)];
    if (packet.step > 0) leave(input(packet));
  }
}

/// A packet leaves the buffer of a link.
void Controlled::leave(std::size_t link) {
  ControlledLink& its = links_[link];
  --its.stored;
  const std::int64_t flight = its.of_host ? 0 : 1;
  if (control_.by == BackPressure::credit) its.notices.push({now_ - flight + control_.round_trip, 0});
  if (control_.ingress == Ingress::voq) return;
  its.asks = false;
  if (its.behind.empty()) return;
  its.ready = true;
  ready_.push_back(link);
}

/// The receiver stops its sender above the threshold.
void Controlled::signal(std::size_t link) {
  ControlledLink& its = links_[link];
  const bool stop = its.stored > control_.buffer - control_.headroom;
  if (stop == its.stop) return;
  its.stop = stop;
  const std::int64_t flight = its.of_host ? 0 : 1;
  its.notices.push({now_ - flight + control_.round_trip, stop ? 1 : 0});
}

void Controlled::transmit(std::size_t output) {
  ControlledLink& its = links_[output];
  if (its.taken == 0) return;
  if (!may_send(its, its.packets.front())) {
    ++counts_[rows_.link(output)][ControlledRows::blocked];
    return;
  }
  --its.taken;
  send(output);
}

void Controlled::deliver(const Packet& packet) {
  const NetworkPath& its = path(packet);
  const auto queues = static_cast<std::int64_t>(its.links.size() - its.first);
  const auto delay =
      static_cast<std::uint64_t>(queues == 0 ? now_ - packet.birth : now_ - packet.birth + 1 - queues);
  ++totals_.delivered;
  count_at(counts_[rows_.delays(static_cast<std::size_t>(queues))],
           std::min<std::size_t>(delay, ControlledRows::longest));
  counts_[rows_.flow_delays()][its.flow] += delay;
  ++counts_[rows_.flow_packets()][its.flow];
}

// --- deadlock

/// Whether no notice to come allows the first packet of a link to be sent. Between two slots.
bool Controlled::never_sends(std::size_t link) const {
  const ControlledLink& its = links_[link];
  const bool has_packet = its.of_host ? !its.packets.empty() : its.taken > 0;
  if (!has_packet || delivers(its.packets.front()) || !its.notices.empty()) return false;
  if (control_.by == BackPressure::pause) return its.paused && its.stop;
  return its.in_use == control_.buffer && its.stored == control_.buffer;
}

/// The links that never send again: all packets in their buffers ask for outputs of such links, too.
std::vector<bool> Controlled::stuck_links() const {
  std::vector<bool> stuck(links_.size());
  for (const std::size_t link : buffers_)
    stuck[link] = never_sends(link) && (control_.ingress == Ingress::voq || links_[link].asks);
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::size_t output : outputs_) {
      if (stuck[output]) continue;
      const auto& packets = links_[output].packets;
      for (auto at = static_cast<std::size_t>(links_[output].taken); at < packets.size(); ++at) {
        if (packets[at].step == 0 || !stuck[input(packets[at])]) continue;
        stuck[input(packets[at])] = false;
        changed = true;
      }
    }
  }
  return stuck;
}

void Controlled::find_deadlock() {
  const std::vector<bool> stuck = stuck_links();
  const auto any = std::find(stuck.begin(), stuck.end(), true);
  if (any == stuck.end()) return;
  std::vector<std::size_t> waits_for(links_.size(), links_.size());
  for (const std::size_t output : outputs_) {
    const auto& packets = links_[output].packets;
    for (auto at = static_cast<std::size_t>(links_[output].taken); at < packets.size(); ++at)
      if (packets[at].step > 0 && stuck[output]) waits_for[input(packets[at])] = output;
  }
  std::vector<bool> passed(links_.size());
  auto link = static_cast<std::size_t>(any - stuck.begin());
  for (; !passed[link]; link = waits_for[link]) passed[link] = true;
  do {
    deadlocked_.push_back(link);
    deadlock_ = std::max(deadlock_, links_[link].last_sent);
    link = waits_for[link];
  } while (link != deadlocked_.front());
}

// --- counts and state

Counts Controlled::empty_counts() const {
  Counts counts(rows_.count());
  for (std::size_t link = 0; link < links_.size(); ++link)
    counts[rows_.link(link)].resize(ControlledRows::link_columns);
  counts[rows_.flow_delays()].resize(flows_);
  counts[rows_.flow_packets()].resize(flows_);
  return counts;
}

std::int64_t Controlled::inside() const {
  std::int64_t packets = std::ssize(arriving_);
  for (const ControlledLink& link : links_)
    packets += static_cast<std::int64_t>(link.packets.size() + link.behind.size());
  return packets;
}

Counts Controlled::take_counts() {
  const PacketBalance all = balance();
  const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  counts_[rows_.balance()] = {number(inside_before_),
                              number(all.sent - before_.sent),
                              number(all.delivered - before_.delivered),
                              number(all.dropped - before_.dropped),
                              number(all.queued),
                              number(now_ - counted_from_)};
  if (deadlock_ >= 0) {
    counts_[rows_.deadlock()] = {1, number(deadlock_)};
    counts_[rows_.stuck()] = deadlocked_;
  }
  before_ = all;
  inside_before_ = all.queued;
  counted_from_ = now_;
  return std::exchange(counts_, empty_counts());
}

PacketBalance Controlled::balance() const {
  PacketBalance balance = totals_;
  balance.queued = inside();
  return balance;
}

void put_all(ByteWriter& writer, const auto& packets) {
  writer.put<std::uint64_t>(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const Packet& packet = packets[i];
    writer.put(packet.path);
    writer.put(packet.step);
    writer.put(packet.birth);
  }
}

void put_indices(ByteWriter& writer, const std::vector<std::size_t>& indices) {
  writer.put<std::uint64_t>(indices.size());
  for (const std::size_t index : indices) writer.put<std::uint64_t>(index);
}

/// \param add      (packet)
/// \param belongs  (its path, step): may such a packet be here?
void get_all(ByteReader& reader, const std::vector<NetworkPath>& paths, const auto& add,
             const auto& belongs) {
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    Packet packet{};
    packet.path = reader.get<std::uint32_t>();
    packet.step = reader.get<std::uint32_t>();
    packet.birth = reader.get<std::int64_t>();
    if (packet.path >= paths.size() || packet.step >= paths[packet.path].links.size() ||
        !belongs(paths[packet.path], packet.step))
      ByteReader::fail();
    add(packet);
  }
}

/// \param has_packets  (index): must hold
std::vector<std::size_t> get_indices(ByteReader& reader, std::size_t count, const auto& has_packets) {
  std::vector<std::size_t> indices;
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    indices.push_back(static_cast<std::size_t>(reader.get<std::uint64_t>()));
    if (indices.back() >= count || !has_packets(indices.back())) ByteReader::fail();
  }
  return indices;
}

void Controlled::save(ByteWriter& writer) {
  for (const std::int64_t number :
       {now_, totals_.sent, totals_.delivered, totals_.dropped, before_.sent, before_.delivered,
        before_.dropped, inside_before_, counted_from_, deadlock_})
    writer.put(number);
  writer.put(deadlocked_);
  put_all(writer, arriving_);
  for (const ControlledLink& link : links_) {
    put_all(writer, link.packets);
    put_all(writer, link.behind);
    for (const std::int64_t number : {link.taken, link.in_use, link.last_sent, link.stored})
      writer.put(number);
    for (const bool flag : {link.paused, link.asks, link.ready, link.stop}) writer.put(flag);
    writer.put<std::uint64_t>(link.notices.size());
    for (std::size_t i = 0; i < link.notices.size(); ++i) {
      writer.put(link.notices[i].slot);
      writer.put(link.notices[i].paused);
    }
  }
  put_indices(writer, ready_);
  put_indices(writer, backlogged_);
  for (const auto& row : counts_) writer.put(row);
  sources_.save(writer);
}

void Controlled::load(ByteReader& reader) {
  for (std::int64_t* number :
       {&now_, &totals_.sent, &totals_.delivered, &totals_.dropped, &before_.sent, &before_.delivered,
        &before_.dropped, &inside_before_, &counted_from_, &deadlock_})
    *number = reader.get<std::int64_t>();
  deadlocked_ = reader.get_vector<std::uint64_t>();
  for (const std::uint64_t link : deadlocked_)
    if (link >= links_.size()) ByteReader::fail();
  const auto& paths = sources_.paths();
  arriving_.clear();
  get_all(
      reader, paths, [&](const Packet& packet) { arriving_.push_back(packet); },
      [](const NetworkPath&, std::uint32_t step) { return step > 0; });
  collected_ = 0;
  for (std::size_t at = 0; at < links_.size(); ++at) {
    ControlledLink& link = links_[at];
    link.packets.clear();
    link.behind.clear();
    link.notices.clear();
    get_all(
        reader, paths, [&](const Packet& packet) { link.packets.push(packet); },
        [&](const NetworkPath& path, std::uint32_t step) { return path.links[step] == at; });
    get_all(
        reader, paths, [&](const Packet& packet) { link.behind.push(packet); },
        [&](const NetworkPath& path, std::uint32_t step) { return step > 0 && path.links[step - 1] == at; });
    for (std::int64_t* number : {&link.taken, &link.in_use, &link.last_sent, &link.stored})
      *number = reader.get<std::int64_t>();
    if (link.taken < 0 || link.taken > static_cast<std::int64_t>(link.packets.size())) ByteReader::fail();
    for (bool* flag : {&link.paused, &link.asks, &link.ready, &link.stop})
      *flag = reader.get<std::uint8_t>() != 0;
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
      const auto slot = reader.get<std::int64_t>();
      link.notices.push({slot, reader.get<std::int64_t>()});
    }
    if (link.of_host) collected_ += link.packets.size();
  }
  ready_ = get_indices(reader, links_.size(), [&](std::size_t at) { return !links_[at].behind.empty(); });
  backlogged_ = get_indices(reader, links_.size(), [&](std::size_t at) {
    return links_[at].of_host && !links_[at].packets.empty();
  });
  for (auto& row : counts_) row = reader.get_vector<std::uint64_t>();
  const Counts sizes = empty_counts();
  for (std::size_t row = 0; row < sizes.size(); ++row)
    if (counts_[row].size() < sizes[row].size()) ByteReader::fail();
  sources_.load(reader);
}

}  // namespace

void require_controllable(const NetworkModel& model) {
  require_legal(*model.control);
  if (!network::has_unit_speeds(model.network))
    throw NoAnswer(
        "flow control is simulated only where all links with flows have the same speed; here they differ");
  if (model.network.classes() > 1)
    throw NoAnswer("flow control is simulated only with one priority class; give all flows the same class");
  if (model.control->allow_deadlock) return;
  if (const auto cycle = network::buffer_cycle(model.network); !cycle.empty())
    throw NoAnswer("the network can deadlock, as buffers depend on each other in a cycle: " +
                   network::link_names(model.network, cycle) +
                   "; choose other routes, or give --allow-deadlock to simulate it");
}

ReplicationFactory controlled_replications(const NetworkModel& model) {
  return [prepared = std::make_shared<const PreparedLinks>(model)](RandomKey key) {
    return std::make_unique<Controlled>(*prepared, key);
  };
}

std::unique_ptr<NetworkReplication> make_controlled_replication(const NetworkModel& model, RandomKey key) {
  return std::make_unique<Controlled>(PreparedLinks(model), key);
}

}  // namespace tailbound::sim
