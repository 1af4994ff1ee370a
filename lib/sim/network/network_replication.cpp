#include <tailbound/network/clocks/link_clocks.hpp>
#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/sim/fifo.hpp>
#include <tailbound/sim/network/network_replication.hpp>
#include <tailbound/sim/network/network_sources.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace tailbound::sim {
namespace {

constexpr std::size_t max_packets = std::size_t{1} << 25;

struct Packet {
  std::uint32_t path;  ///< position in the paths of the sources
  std::uint32_t step;  ///< position in its route
  std::int64_t birth, joined;
};

struct Queue {
  std::vector<Fifo<Packet>> packets;  ///< per class, the highest first
  std::size_t size = 0;               ///< of all classes
  bool exists = false;
};

/// What the replications of a run begin with.
struct Prepared {
  explicit Prepared(const NetworkModel& model);

  NetworkRows rows_;
  std::optional<std::int64_t> buffer_;
  NetworkSources sources_;
  std::vector<std::size_t> row_of_path_{};  ///< of the delays of its group, if these are counted
  std::vector<Queue> queues_{};
  std::vector<std::size_t> used_{};    ///< queues on routes, ascending
  std::vector<std::size_t> unused_{};  ///< other queues: always empty
  std::size_t flows_;
};

class Simulated final : public NetworkReplication, private Prepared {
 public:
  Simulated(const Prepared& prepared, RandomKey key)
      : Prepared(prepared), key_(key), counts_(empty_counts()) {
    sources_.start(key);
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
  [[nodiscard]] const NetworkPath& path(std::uint32_t at) const { return sources_.paths()[at]; }
  void one_slot();
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

Prepared::Prepared(const NetworkModel& model)
    : rows_(model), buffer_(model.buffer), sources_(model.network), flows_(model.network.flows.size()) {
  const network::Network& network = model.network;
  if (buffer_ && *buffer_ < 1) throw InvalidArgument("buffer", std::to_string(*buffer_), "at least 1 packet");
  queues_.resize(network.links.size());
  for (std::size_t link = 0; link < queues_.size(); ++link) {
    queues_[link].packets.resize(static_cast<std::size_t>(network.classes()));
    queues_[link].exists = network.has_queue(link);
  }
  if (!model.groups.empty())
    for (const NetworkPath& path : sources_.paths())
      row_of_path_.push_back(rows_.delays_of_group(model.groups[path.flow], path.links.size() - path.first));
  const std::vector<bool> used = network::used_links(network);
  for (std::size_t link = 0; link < used.size(); ++link)
    if (queues_[link].exists) (used[link] ? used_ : unused_).push_back(link);
  if (!buffer_) network::require_capacity(network);
}

void Simulated::one_slot() {
  sources_.send(static_cast<std::uint64_t>(now_), [this](std::uint32_t path) { send_packet(path); });
  RandomSequence random(key_, NetworkSources::order_purpose, 0, static_cast<std::uint64_t>(now_) << 24U);
  for (std::size_t left = arriving_.size(); left > 1; --left)
    std::swap(arriving_[left - 1], arriving_[random.next_below(static_cast<std::uint32_t>(left))]);
  for (const Packet& packet : arriving_) join(packet);
  arriving_.clear();
  for (const std::size_t link : used_) serve(link);
  ++now_;
}

void Simulated::send_packet(std::uint32_t path) {
  ++totals_.sent;
  const NetworkPath& its = this->path(path);
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
  const NetworkPath& path = this->path(packet.path);
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
  if (!row_of_path_.empty())
    count_at(counts_[row_of_path_[packet.path]], static_cast<std::size_t>(latency - queues));
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

void add_packet(Fifo<Packet>& packets, const Packet& packet) {
  packets.push(packet);
}
void add_packet(std::vector<Packet>& packets, const Packet& packet) {
  packets.push_back(packet);
}

void get_packets(ByteReader& reader, auto& packets, const std::vector<NetworkPath>& paths) {
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
  sources_.save(writer);
}

void Simulated::load(ByteReader& reader) {
  now_ = reader.get<std::int64_t>();
  totals_.sent = reader.get<std::int64_t>();
  totals_.delivered = reader.get<std::int64_t>();
  totals_.dropped = reader.get<std::int64_t>();
  get_packets(reader, arriving_, sources_.paths());
  for (Queue& queue : queues_) {
    queue.size = 0;
    for (std::size_t rank = 0; rank < queue.packets.size(); ++rank) {
      get_packets(reader, queue.packets[rank], sources_.paths());
      for (std::size_t i = 0; i < queue.packets[rank].size(); ++i)
        if (path(queue.packets[rank][i].path).rank != rank) ByteReader::fail();
      queue.size += queue.packets[rank].size();
    }
  }
  for (auto& row : counts_) row = reader.get_vector<std::uint64_t>();
  sources_.load(reader);
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
