#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/sim/network/network_replication.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace tailbound::sim {
namespace {

using numeric::Rational;

constexpr std::size_t max_packets = std::size_t{1} << 25;
enum Purpose : std::uint64_t { sending = 0, order = 1, paths = 2, bursts = 3 };

struct Packet {
  std::uint32_t path;  ///< position in ways_
  std::uint32_t step;  ///< position in its route
  std::int64_t birth, joined;
};

/// One route of one flow.
struct Path {
  std::size_t flow;
  std::vector<std::size_t> links;
  std::size_t first;  ///< step of the first link with a queue
  std::size_t rank;   ///< of its packets: class 1 is 0
  std::size_t row;    ///< of the delays of its group, if these are counted
};

/// A lane of a sending node: a 64-bit draw u sends along the first route with u < bound; nothing if there is
/// none.
struct Source {
  std::uint64_t stream = 0;           ///< of its draws
  std::vector<std::uint64_t> bounds;  ///< sums of probabilities * 2^64 - 1, so that 1 fits
  std::vector<std::uint32_t> paths;
  RandomWords draws{};  ///< of the block of four slots
  std::uint64_t block = ~std::uint64_t{0};

  /// The draw of a slot.
  [[nodiscard]] std::uint64_t draw(RandomKey key, std::uint64_t purpose, std::uint64_t slot) {
    if (slot / 4 != block) draws = random_words(key, purpose, stream, block = slot / 4);
    return draws[slot % 4];
  }
};

/// Packets in their order of arrival.
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Packet& operator[](std::size_t i) const { return packets_[(first_ + i) & mask()]; }
  void push(const Packet& packet) {
    if (size_ == packets_.size()) grow();
    packets_[(first_ + size_++) & mask()] = packet;
  }
  [[nodiscard]] Packet pop() {
    const Packet packet = packets_[first_];
    first_ = (first_ + 1) & mask();
    --size_;
    return packet;
  }
  void clear() { first_ = size_ = 0; }

 private:
  [[nodiscard]] std::size_t mask() const { return packets_.size() - 1; }
  void grow() {
    std::vector<Packet> larger(2 * packets_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    packets_ = std::move(larger);
    first_ = 0;
  }

  std::vector<Packet> packets_ = std::vector<Packet>(8);  ///< a power of two
  std::size_t first_ = 0, size_ = 0;
};

/// A flow with bursts: a 64-bit draw selects the route of a packet, as above.
struct BurstyFlow {
  std::size_t flow;
  OnOffSlots slots;
  bool on;                  ///< in the first slot of the next block of 64
  std::uint64_t sends = 0;  ///< bit s: in slot s of the present block
  Source paths{};
};

struct Queue {
  std::vector<Fifo> packets;  ///< per class, the highest first
  std::size_t size = 0;       ///< of all classes
  bool exists = false;
};

/// What the replications of a run begin with.
struct Prepared {
  explicit Prepared(const NetworkModel& model);
  void add_source(std::size_t node, const std::vector<std::size_t>& flows, const network::Network& network);
  void add_burst(std::size_t flow, const network::Network& network);
  void add_path(Source& source, const Rational& sum, std::size_t flow, const network::Route& route,
                const network::Network& network);

  NetworkRows rows_;
  std::optional<std::int64_t> buffer_;
  std::shared_ptr<std::vector<Path>> paths_ = std::make_shared<std::vector<Path>>();  ///< shared by all
  std::vector<Source> sources_{};
  std::vector<BurstyFlow> bursts_{};
  std::vector<Queue> queues_{};
  std::vector<std::size_t> used_{};    ///< queues on routes, ascending
  std::vector<std::size_t> unused_{};  ///< other queues: always empty
  std::size_t flows_;
  std::vector<std::size_t> groups_;  ///< of each flow; empty: not counted
};

class Simulated final : public NetworkReplication, private Prepared {
 public:
  Simulated(const Prepared& prepared, RandomKey key)
      : Prepared(prepared), key_(key), counts_(empty_counts()) {
    for (BurstyFlow& its : bursts_) its.on = its.slots.start(key_, bursts, its.flow);
  }
  void advance(std::int64_t slots) override {
    for (const std::size_t link : unused_)
      count_at(counts_[rows_.occupancy(link)], 0, static_cast<std::uint64_t>(slots));
    for (; slots > 0; --slots) one_slot();
  }
  Counts take_counts() override;
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  PacketBalance balance() const override;

 private:
  [[nodiscard]] const Path& path(std::uint32_t at) const { return (*paths_)[at]; }
  void one_slot();
  void send();
  void send_bursts();
  void send_packet(std::uint32_t path);
  void join(const Packet& packet);
  void serve(std::size_t link);
  void deliver(const Packet& packet);
  [[nodiscard]] Counts empty_counts() const { return Counts(rows_.count()); }

  RandomKey key_;
  std::int64_t now_ = 0;
  std::vector<Packet> arriving_{};  ///< served in the last slot, or just sent
  PacketBalance totals_{};
  Counts counts_;
};

std::uint64_t scaled(const Rational& probability) {
  static const Rational largest(numeric::pow(numeric::Integer(2), 64) - 1);
  return numeric::to_uint64(numeric::floor(probability * largest));
}

Prepared::Prepared(const NetworkModel& model)
    : rows_(model), buffer_(model.buffer), flows_(model.network.flows.size()), groups_(model.groups) {
  const network::Network& network = model.network;
  if (buffer_ && *buffer_ < 1) throw InvalidArgument("buffer", std::to_string(*buffer_), "at least 1 packet");
  queues_.resize(network.links.size());
  for (std::size_t link = 0; link < queues_.size(); ++link) {
    queues_[link].packets.resize(static_cast<std::size_t>(network.classes()));
    queues_[link].exists = network.has_queue(link);
  }
  std::vector<std::vector<std::size_t>> sent_by(network.nodes.size());
  for (std::size_t flow = 0; flow < flows_; ++flow)
    if (!network.flows[flow].burst) sent_by[network.flows[flow].source].push_back(flow);
  for (std::size_t node = 0; node < sent_by.size(); ++node) add_source(node, sent_by[node], network);
  for (std::size_t flow = 0; flow < flows_; ++flow) add_burst(flow, network);
  const std::vector<bool> used = network::used_links(network);
  for (std::size_t link = 0; link < used.size(); ++link)
    if (queues_[link].exists) (used[link] ? used_ : unused_).push_back(link);
  if (!buffer_) network::require_capacity(network);
}

/// \param flows  of the node, without those with bursts
void Prepared::add_source(std::size_t node, const std::vector<std::size_t>& flows,
                          const network::Network& network) {
  Source source{.stream = node, .bounds = {}, .paths = {}};
  Rational sum = 0;
  for (const std::size_t flow : flows) {
    const network::Flow& its = network.flows[flow];
    if (its.routes.empty()) throw InvalidArgument("routes of flow " + its.name, "", "at least one");
    for (const network::Route& route : its.routes) {
      sum = sum + its.rate * route.share;
      if (sum > 1)
        throw InvalidArgument("the rate of all flows from " + network.nodes[node].name,
                              numeric::to_fraction(sum), "at most 1 packet per slot");
      add_path(source, sum, flow, route, network);
    }
  }
  if (!source.bounds.empty()) sources_.push_back(std::move(source));
}

void Prepared::add_path(Source& source, const Rational& sum, std::size_t flow, const network::Route& route,
                        const network::Network& network) {
  Path path{flow, route.links, 0, static_cast<std::size_t>(network.flows[flow].priority) - 1, 0};
  while (path.first < path.links.size() && !network.has_queue(path.links[path.first])) ++path.first;
  if (!groups_.empty()) path.row = rows_.delays_of_group(groups_[flow], path.links.size() - path.first);
  source.bounds.push_back(scaled(sum));
  source.paths.push_back(static_cast<std::uint32_t>(paths_->size()));
  paths_->push_back(std::move(path));
}

void Prepared::add_burst(std::size_t flow, const network::Network& network) {
  const network::Flow& its = network.flows[flow];
  if (!its.burst) return;
  if (its.routes.empty()) throw InvalidArgument("routes of flow " + its.name, "", "at least one");
  const OnOffSlots slots(traffic::on_off(its.rate, *its.burst));
  BurstyFlow& added = bursts_.emplace_back(BurstyFlow{flow, slots, false});
  Rational sum = 0;
  for (const network::Route& route : its.routes)
    add_path(added.paths, sum = sum + route.share, flow, route, network);
  added.paths.bounds.back() = ~std::uint64_t{0};
}

void Simulated::one_slot() {
  send();
  RandomSequence random(key_, order, 0, static_cast<std::uint64_t>(now_) << 24U);
  for (std::size_t left = arriving_.size(); left > 1; --left)
    std::swap(arriving_[left - 1], arriving_[random.next_below(static_cast<std::uint32_t>(left))]);
  for (const Packet& packet : arriving_) join(packet);
  arriving_.clear();
  for (const std::size_t link : used_) serve(link);
  ++now_;
}

void Simulated::send() {
  const auto slot = static_cast<std::uint64_t>(now_);
  for (Source& source : sources_) {
    const std::uint64_t draw = source.draw(key_, sending, slot);
    if (draw >= source.bounds.back()) continue;
    const auto bound = std::upper_bound(source.bounds.begin(), source.bounds.end(), draw);
    send_packet(source.paths[static_cast<std::size_t>(bound - source.bounds.begin())]);
  }
  send_bursts();
}

void Simulated::send_bursts() {
  const auto slot = static_cast<std::uint64_t>(now_);
  for (BurstyFlow& its : bursts_) {
    if (slot % 64 == 0) its.sends = its.slots.sends(key_, bursts, its.flow, slot / 64, its.on);
    if ((its.sends >> (slot % 64) & 1U) == 0) continue;
    std::size_t path = 0;
    if (const auto& bounds = its.paths.bounds; bounds.size() > 1) {
      const std::uint64_t draw = random_words(key_, paths, its.flow, slot / 4)[slot % 4];
      while (path + 1 < bounds.size() && draw >= bounds[path]) ++path;
    }
    send_packet(its.paths.paths[path]);
  }
}

void Simulated::send_packet(std::uint32_t path) {
  ++totals_.sent;
  const Path& its = this->path(path);
  const Packet packet{path, static_cast<std::uint32_t>(its.first), now_, now_};
  if (packet.step == its.links.size())
    deliver(packet);  // from host to host, without a queue
  else
    arriving_.push_back(packet);
}

void Simulated::join(const Packet& packet) {
  const std::size_t link = path(packet.path).links[packet.step];
  auto& drops = counts_[rows_.drops(link)];
  drops.resize(2);
  ++drops[1];
  Queue& queue = queues_[link];
  if (buffer_ && static_cast<std::int64_t>(queue.size) >= *buffer_) {
    ++drops[0];
    ++totals_.dropped;
    return;
  }
  if (queue.size >= max_packets)
    throw LimitExceeded("a queue exceeds the limit of " + std::to_string(max_packets) + " packets");
  auto& packets = queue.packets[path(packet.path).rank];
  packets.push({packet.path, packet.step, packet.birth, now_});
  ++queue.size;
}

void Simulated::serve(std::size_t link) {
  Queue& queue = queues_[link];
  count_at(counts_[rows_.occupancy(link)], queue.size);
  if (queue.size == 0) return;
  auto first = queue.packets.begin();
  while (first->empty()) ++first;
  Packet packet = first->pop();
  --queue.size;
  count_at(counts_[rows_.waits(link)], static_cast<std::size_t>(now_ - packet.joined));
  ++packet.step;
  if (packet.step == path(packet.path).links.size())
    deliver(packet);
  else
    arriving_.push_back(packet);
}

/// The last queue has served the packet in slot now_.
void Simulated::deliver(const Packet& packet) {
  const Path& path = this->path(packet.path);
  const auto queues = static_cast<std::int64_t>(path.links.size() - path.first);
  const std::int64_t latency = queues == 0 ? 0 : now_ - packet.birth + 1;
  ++totals_.delivered;
  count_at(counts_[rows_.delays(static_cast<std::size_t>(queues))],
           static_cast<std::size_t>(latency - queues));
  auto& sums = counts_[rows_.flow_delays()];
  auto& packets = counts_[rows_.flow_packets()];
  sums.resize(flows_);
  packets.resize(flows_);
  sums[path.flow] += static_cast<std::uint64_t>(latency - queues);
  ++packets[path.flow];
  if (!groups_.empty()) count_at(counts_[path.row], static_cast<std::size_t>(latency - queues));
}

Counts Simulated::take_counts() {
  return std::exchange(counts_, empty_counts());
}

PacketBalance Simulated::balance() const {
  PacketBalance balance = totals_;
  balance.queued = std::ssize(arriving_);
  for (const Queue& queue : queues_) balance.queued += static_cast<std::int64_t>(queue.size);
  return balance;
}

void put_packets(ByteWriter& writer, const auto& packets) {
  writer.put<std::uint64_t>(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const Packet& packet = packets[i];
    writer.put(packet.path);
    writer.put(packet.step);
    writer.put(packet.birth);
    writer.put(packet.joined);
  }
}

void add_packet(Fifo& packets, const Packet& packet) {
  packets.push(packet);
}
void add_packet(std::vector<Packet>& packets, const Packet& packet) {
  packets.push_back(packet);
}

void get_packets(ByteReader& reader, auto& packets, const std::vector<Path>& paths) {
  packets.clear();
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    Packet packet{};
    packet.path = reader.get<std::uint32_t>();
    packet.step = reader.get<std::uint32_t>();
    packet.birth = reader.get<std::int64_t>();
    packet.joined = reader.get<std::int64_t>();
    if (packet.path >= paths.size() || packet.step >= paths[packet.path].links.size()) ByteReader::fail();
    add_packet(packets, packet);
  }
}

void Simulated::save(ByteWriter& writer) {
  writer.put(now_);
  writer.put(totals_.sent);
  writer.put(totals_.delivered);
  writer.put(totals_.dropped);
  put_packets(writer, arriving_);
  for (const Queue& queue : queues_)
    for (const auto& packets : queue.packets) put_packets(writer, packets);
  for (const auto& row : counts_) writer.put(row);
  for (const BurstyFlow& its : bursts_) {
    writer.put(its.on);
    writer.put(its.sends);
  }
}

void Simulated::load(ByteReader& reader) {
  now_ = reader.get<std::int64_t>();
  totals_.sent = reader.get<std::int64_t>();
  totals_.delivered = reader.get<std::int64_t>();
  totals_.dropped = reader.get<std::int64_t>();
  get_packets(reader, arriving_, *paths_);
  for (Queue& queue : queues_) {
    queue.size = 0;
    for (std::size_t rank = 0; rank < queue.packets.size(); ++rank) {
      get_packets(reader, queue.packets[rank], *paths_);
      for (std::size_t i = 0; i < queue.packets[rank].size(); ++i)
        if (path(queue.packets[rank][i].path).rank != rank) ByteReader::fail();
      queue.size += queue.packets[rank].size();
    }
  }
  for (auto& row : counts_) row = reader.get_vector<std::uint64_t>();
  for (BurstyFlow& its : bursts_) {
    its.on = reader.get<std::uint8_t>() != 0;
    its.sends = reader.get<std::uint64_t>();
  }
}

}  // namespace

namespace {

std::size_t queues_on(const network::Route& route, const network::Network& network) {
  return static_cast<std::size_t>(std::count_if(route.links.begin(), route.links.end(),
                                                [&](std::size_t link) { return network.has_queue(link); }));
}

}  // namespace

NetworkRows::NetworkRows(const network::Network& network) : links(network.links.size()), max_queues(0) {
  for (const network::Flow& flow : network.flows)
    for (const network::Route& route : flow.routes)
      max_queues = std::max(max_queues, queues_on(route, network));
}

NetworkRows::NetworkRows(const NetworkModel& model) : NetworkRows(model.network) {
  if (model.groups.empty()) return;
  groups.resize(*std::max_element(model.groups.begin(), model.groups.end()) + 1,
                {.first = 0, .fewest = max_queues, .most = 0});
  for (std::size_t flow = 0; flow < model.network.flows.size(); ++flow)
    for (const network::Route& route : model.network.flows[flow].routes) {
      Group& group = groups[model.groups[flow]];
      const std::size_t queues = queues_on(route, model.network);
      group.fewest = std::min(group.fewest, queues);
      group.most = std::max(group.most, queues);
    }
  std::size_t row = 3 * links + 2;
  for (Group& group : groups) {
    group.first = row;
    row += std::max(group.most, group.fewest) - group.fewest + 1;
  }
}

ReplicationFactory network_replications(const NetworkModel& model) {
  return [prepared = std::make_shared<const Prepared>(model)](RandomKey key) {
    return std::make_unique<Simulated>(*prepared, key);
  };
}

std::unique_ptr<NetworkReplication> make_network_replication(const NetworkModel& model, RandomKey key) {
  return std::make_unique<Simulated>(Prepared(model), key);
}

}  // namespace tailbound::sim
