#include <tailbound/network/queue_traffic.hpp>
#include <tailbound/sim/network/clocked_replication.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

namespace tailbound::sim {
namespace {

using numeric::Rational;

constexpr std::size_t max_packets = std::size_t{1} << 25;
enum Purpose : std::uint64_t { drawing = 0, bursting = 1 };

/// Sent, not yet delivered; `step` is the position of the next link in its route.
struct Packet {
  std::uint32_t path, step;
  std::int64_t waited;  ///< in the queues passed [ticks]
};

/// Something at a moment: a source sends, a packet arrives, or a link has sent one.
struct Event {
  enum Kind : std::uint32_t { send, arrive, sent };
  std::int64_t time;
  std::uint32_t tie;  ///< random
  std::uint32_t kind, which;

  friend bool operator>(const Event& a, const Event& b) {
    return a.time != b.time ? a.time > b.time : a.tie > b.tie;
  }
};

/// One route of one flow.
struct Path {
  std::vector<std::size_t> links;  ///< with queues
  std::size_t kind;                ///< of its delivered packets
  std::size_t rank;                ///< of its packets: class 1 is 0
};

/// Sends packets by the clock of a host's link.
struct Source {
  std::int64_t tick = 0;             ///< of one packet
  std::int64_t last = 0;             ///< when its last packet was sent
  double log_silent = 0;             ///< log(1 - probability of a packet); minus infinity if it always sends
  std::optional<OnOffSlots> bursts;  ///< instead of independent packets
  bool on = false;                   ///< in the first slot of the next block of 64
  std::uint64_t sends = 0;           ///< bit s: in slot s of the present block
  std::int64_t slot = 0;             ///< of a bursty source: of its next packet
  std::vector<double> bounds{};      ///< a draw from [0, 1[ selects the first path above it
  std::vector<std::uint32_t> paths{};
};

struct Waiting {
  std::uint32_t packet;
  std::int64_t since;
};

/// Of several classes: `free` is when its present packet will have been sent. No queue if `tick` is 0.
struct Queue : ClockedQueue {
  std::vector<std::deque<Waiting>> waiting{};  ///< of several classes, the highest first
};

class Simulated final : public NetworkReplication {
 public:
  Simulated(const NetworkModel& model, RandomKey key);
  void advance(std::int64_t slots) override;
  Counts take_counts() override;
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  PacketBalance balance() const override { return totals_; }

 private:
  void add_sources(const network::Network& network);
  std::uint32_t add_path(const network::Network& network, std::size_t flow, std::size_t route);

  std::uint64_t draw();
  double draw_share() { return static_cast<double>(draw() >> 11U) * 0x1p-53; }
  std::int64_t below(std::int64_t count);
  void push(std::int64_t time, Event::Kind kind, std::size_t which);
  std::int64_t next_gap(std::size_t source);
  void run();
  void draw_phases();
  void send(std::size_t source);
  void arrive(std::uint32_t packet);
  bool fits(Queue& queue, std::size_t link);
  void settle(Queue& queue, std::size_t link);
  void begin(std::uint32_t packet, std::size_t link, std::int64_t waited, std::int64_t start);
  void sent(std::size_t link);
  void deliver(std::uint32_t packet);

  ClockedRows rows_;
  network::LinkClocks clocks_;
  std::optional<std::int64_t> buffer_;
  RandomKey key_;
  bool classes_;
  std::vector<Path> paths_;
  std::vector<Source> sources_;
  std::vector<Queue> queues_;
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> unused_;  ///< places in packets_
  std::vector<Event> events_;          ///< a heap, the next one first
  std::int64_t now_ = 0, until_ = 0;
  std::uint64_t drawn_ = 0;
  RandomWords words_{};
  PacketBalance totals_;
  Counts counts_;
};

Simulated::Simulated(const NetworkModel& model, RandomKey key)
    : rows_(model),
      clocks_(network::link_clocks(model.network, WaitBins::min_packet)),
      buffer_(model.buffer),
      key_(key),
      classes_(model.network.classes() > 1),
      queues_(model.network.links.size()),
      counts_(rows_.count()) {
  const network::Network& network = model.network;
  if (buffer_ && *buffer_ < 1) throw InvalidArgument("buffer", std::to_string(*buffer_), "at least 1 packet");
  for (std::size_t link = 0; link < queues_.size(); ++link) {
    if (!network.has_queue(link)) continue;
    queues_[link].tick = clocks_.packet[link];
    if (classes_) queues_[link].waiting.resize(static_cast<std::size_t>(network.classes()));
  }
  if (!buffer_) network::require_capacity(network);
  add_sources(network);
  for (std::size_t source = 0; source < sources_.size(); ++source) {
    const std::int64_t gap = next_gap(source);
    push(below(sources_[source].tick) + gap * sources_[source].tick, Event::send, source);
  }
}

std::uint32_t Simulated::add_path(const network::Network& network, std::size_t flow, std::size_t route) {
  Path path{{}, rows_.kind_of_route[flow][route], static_cast<std::size_t>(network.flows[flow].priority) - 1};
  for (const std::size_t link : network.flows[flow].routes[route].links)
    if (network.has_queue(link)) path.links.push_back(link);
  paths_.push_back(std::move(path));
  return static_cast<std::uint32_t>(paths_.size() - 1);
}

/// Independent packets: one source for each link of a host. Bursts: one for each flow, by the clock of its
/// first link.
void Simulated::add_sources(const network::Network& network) {
  std::map<std::size_t, std::size_t> of_link;
  std::map<std::size_t, Rational> loads;
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
    const network::Flow& its = network.flows[flow];
    if (its.routes.empty()) throw InvalidArgument("routes of flow " + its.name, "", "at least one");
    if (its.burst) {
      const std::size_t first = its.routes.front().links.front();
      Source& source = sources_.emplace_back();
      source.tick = clocks_.packet[first];
      source.bursts.emplace(traffic::on_off(its.rate / network.links[first].rate.value(), *its.burst));
      source.on = source.bursts->start(key_, bursting, sources_.size() - 1);
      double sum = 0;
      for (std::size_t route = 0; route < its.routes.size(); ++route) {
        source.bounds.push_back(sum += numeric::nearest_double(its.routes[route].share));
        source.paths.push_back(add_path(network, flow, route));
      }
      continue;
    }
    for (std::size_t route = 0; route < its.routes.size(); ++route) {
      const std::size_t first = its.routes[route].links.front();
      const auto [place, is_new] = of_link.try_emplace(first, sources_.size());
      if (is_new) sources_.emplace_back().tick = clocks_.packet[first];
      Source& source = sources_[place->second];
      Rational& load = loads.try_emplace(first, 0).first->second;
      load = load + its.rate * its.routes[route].share / network.links[first].rate.value();
      if (load > 1)
        throw InvalidArgument("the rate of all flows on " + network.link_name(first),
                              numeric::to_fraction(load * network.links[first].rate.value()),
                              "at most " + network.links[first].rate.text() + " packets per slot");
      source.bounds.push_back(numeric::nearest_double(load));
      source.paths.push_back(add_path(network, flow, route));
    }
  }
  for (const auto& [link, source] : of_link) {
    Source& its = sources_[source];
    its.log_silent = std::log1p(-its.bounds.back());
    const double all = its.bounds.back();
    for (double& bound : its.bounds) bound /= all;
  }
  for (Source& source : sources_) source.bounds.back() = 1;
}

std::uint64_t Simulated::draw() {
  if (drawn_ % 4 == 0) words_ = random_words(key_, drawing, 0, drawn_ / 4);
  return words_[drawn_++ % 4];
}

/// Uniform in 0 .. count - 1.
std::int64_t Simulated::below(std::int64_t count) {
  return static_cast<std::int64_t>(draw_share() * static_cast<double>(count));
}

void Simulated::push(std::int64_t time, Event::Kind kind, std::size_t which) {
  events_.push_back(
      {time, static_cast<std::uint32_t>(draw() >> 32U), kind, static_cast<std::uint32_t>(which)});
  std::push_heap(events_.begin(), events_.end(), std::greater<>());
}

/// Packet times to the next packet of a source, at least 1.
std::int64_t Simulated::next_gap(std::size_t source) {
  Source& its = sources_[source];
  if (!its.bursts) {
    if (std::isinf(its.log_silent)) return 1;
    return 1 + static_cast<std::int64_t>(std::log1p(-draw_share()) / its.log_silent);
  }
  const std::int64_t before = its.slot;
  for (;;) {
    if (its.slot % 64 == 0)
      its.sends =
          its.bursts->sends(key_, bursting, source, static_cast<std::uint64_t>(its.slot / 64), its.on);
    const std::uint64_t left = its.sends >> static_cast<unsigned>(its.slot % 64);
    if (left == 0) {
      its.slot += 64 - its.slot % 64;
      continue;
    }
    its.slot += std::countr_zero(left) + 1;
    return its.slot - before;
  }
}

void Simulated::advance(std::int64_t slots) {
  for (; slots > 0; --slots) {
    if (until_ / clocks_.slowest % phase_slots == 0 && until_ > 0) draw_phases();
    until_ += clocks_.slowest;
    run();
  }
}

void Simulated::run() {
  while (events_.front().time < until_) {
    std::pop_heap(events_.begin(), events_.end(), std::greater<>());
    const Event event = events_.back();
    events_.pop_back();
    now_ = event.time;
    if (event.kind == Event::send)
      send(event.which);
    else if (event.kind == Event::arrive)
      arrive(event.which);
    else
      sent(event.which);
  }
  now_ = until_;
}

/// Of the present moment: the last bit of the packet has arrived at the first queue.
void Simulated::send(std::size_t source) {
  Source& its = sources_[source];
  its.last = now_;
  std::size_t path = 0;
  if (its.bounds.size() > 1)
    for (const double share = draw_share(); share >= its.bounds[path];) ++path;
  push(now_ + next_gap(source) * its.tick, Event::send, source);
  ++totals_.sent;
  ++totals_.queued;
  if (unused_.empty()) {
    if (packets_.size() >= max_packets)
      throw LimitExceeded("more than " + std::to_string(max_packets) + " packets are in the network");
    unused_.push_back(static_cast<std::uint32_t>(packets_.size()));
    packets_.emplace_back();
  }
  const std::uint32_t packet = unused_.back();
  unused_.pop_back();
  packets_[packet] = {its.paths[path], 0, 0};
  if (paths_[its.paths[path]].links.empty())
    deliver(packet);  // from host to host, without a queue
  else
    arrive(packet);
}

/// Counts the ticks until now with their numbers of packets.
void Simulated::settle(Queue& queue, std::size_t link) {
  if (classes_)
    queue.count(counts_[rows_.occupancy(link)], now_);
  else
    queue.settle(counts_[rows_.occupancy(link)], now_);
}

/// A packet arrives at a queue.  \return false if there is no place for it
bool Simulated::fits(Queue& queue, std::size_t link) {
  settle(queue, link);
  auto& packets = counts_[rows_.packets(link)];
  packets.resize(3);
  ++packets[1];
  if (buffer_ && queue.size >= *buffer_) {
    ++packets[0];
    return false;
  }
  return true;
}

void Simulated::arrive(std::uint32_t packet) {
  const Path& path = paths_[packets_[packet].path];
  const std::size_t link = path.links[packets_[packet].step];
  Queue& queue = queues_[link];
  if (!fits(queue, link)) {
    ++totals_.dropped;
    --totals_.queued;
    unused_.push_back(packet);
    return;
  }
  if (classes_ && queue.size > 0) {
    ++queue.size;
    queue.waiting[path.rank].push_back({packet, now_});
    return;
  }
  const std::int64_t start = queue.join(now_);
  if (classes_) push(queue.free, Event::sent, link);
  begin(packet, link, start - now_, start);
}

/// The link begins to send a packet.
void Simulated::begin(std::uint32_t packet, std::size_t link, std::int64_t waited, std::int64_t start) {
  count_at(counts_[rows_.packets(link)], 2);
  Packet& its = packets_[packet];
  its.waited += waited;
  if (++its.step == paths_[its.path].links.size())
    deliver(packet);
  else
    push(start + queues_[link].tick, Event::arrive, packet);
}

/// Of several classes: a packet has been sent.
void Simulated::sent(std::size_t link) {
  Queue& queue = queues_[link];
  settle(queue, link);
  --queue.size;
  for (auto& waiting : queue.waiting) {
    if (waiting.empty()) continue;
    const Waiting next = waiting.front();
    waiting.pop_front();
    push(now_ + queue.tick, Event::sent, link);
    begin(next.packet, link, now_ - next.since, now_);
    return;
  }
}

/// Its last wait is over.
void Simulated::deliver(std::uint32_t packet) {
  const Packet& its = packets_[packet];
  const std::size_t kind = paths_[its.path].kind;
  count_at(counts_[rows_.waits(kind)], WaitBins::bin(its.waited));
  ++totals_.delivered;
  --totals_.queued;
  unused_.push_back(packet);
}

/// By shifts of up to half a packet time, which leave the load as it is: no two
/// packets come closer than a packet time.
void Simulated::draw_phases() {
  for (Event& event : events_)
    if (event.kind == Event::send) {
      const auto& [tick, last] = std::pair(sources_[event.which].tick, sources_[event.which].last);
      event.time = std::max({now_, last + tick, event.time + below(tick) - tick / 2});
    }
  std::make_heap(events_.begin(), events_.end(), std::greater<>());
}

Counts Simulated::take_counts() {
  for (std::size_t link = 0; link < queues_.size(); ++link)
    if (queues_[link].tick > 0) settle(queues_[link], link);
  return std::exchange(counts_, Counts(rows_.count()));
}

void Simulated::save(ByteWriter& writer) {
  writer.put(now_);
  writer.put(until_);
  writer.put(drawn_);
  for (const std::int64_t number : {totals_.sent, totals_.delivered, totals_.dropped, totals_.queued})
    writer.put(number);
  writer.put<std::uint64_t>(packets_.size());
  for (const Packet& packet : packets_) {
    writer.put(packet.path);
    writer.put(packet.step);
    writer.put(packet.waited);
  }
  writer.put(unused_);
  writer.put<std::uint64_t>(events_.size());
  for (const Event& event : events_) {
    writer.put(event.time);
    writer.put(event.tie);
    writer.put(event.kind);
    writer.put(event.which);
  }
  for (const Source& source : sources_) {
    writer.put(source.on);
    writer.put(source.sends);
    writer.put(source.slot);
    writer.put(source.last);
  }
  for (const Queue& queue : queues_) {
    writer.put(queue.free);
    writer.put(queue.size);
    writer.put(queue.counted_to);
    for (const auto& waiting : queue.waiting) {
      writer.put<std::uint64_t>(waiting.size());
      for (const Waiting& its : waiting) {
        writer.put(its.packet);
        writer.put(its.since);
      }
    }
  }
  for (const auto& row : counts_) writer.put(row);
}

void Simulated::load(ByteReader& reader) {
  now_ = reader.get<std::int64_t>();
  until_ = reader.get<std::int64_t>();
  drawn_ = reader.get<std::uint64_t>();
  if (drawn_ % 4 != 0) words_ = random_words(key_, drawing, 0, drawn_ / 4);
  for (std::int64_t* number : {&totals_.sent, &totals_.delivered, &totals_.dropped, &totals_.queued})
    *number = reader.get<std::int64_t>();
  packets_.clear();
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    Packet packet{};
    packet.path = reader.get<std::uint32_t>();
    packet.step = reader.get<std::uint32_t>();
    packet.waited = reader.get<std::int64_t>();
    if (packet.path >= paths_.size()) ByteReader::fail();
    packets_.push_back(packet);
  }
  const auto packet_of = [&](std::uint32_t place) {
    if (place >= packets_.size()) ByteReader::fail();
    return place;
  };
  // Only packets that still have a queue before them are mentioned below.
  const auto travelling = [&](std::uint32_t place) {
    const Packet& packet = packets_[packet_of(place)];
    if (packet.step >= paths_[packet.path].links.size()) ByteReader::fail();
    return place;
  };
  unused_ = reader.get_vector<std::uint32_t>();
  for (const std::uint32_t place : unused_) packet_of(place);
  events_.clear();
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    Event event{};
    event.time = reader.get<std::int64_t>();
    event.tie = reader.get<std::uint32_t>();
    event.kind = reader.get<std::uint32_t>();
    event.which = reader.get<std::uint32_t>();
    if (event.kind > Event::sent || (event.kind == Event::send && event.which >= sources_.size()) ||
        (event.kind == Event::sent && event.which >= queues_.size()))
      ByteReader::fail();
    if (event.kind == Event::arrive) travelling(event.which);
    events_.push_back(event);
  }
  if (events_.size() < sources_.size()) ByteReader::fail();
  for (Source& source : sources_) {
    source.on = reader.get<std::uint8_t>() != 0;
    source.sends = reader.get<std::uint64_t>();
    source.slot = reader.get<std::int64_t>();
    source.last = reader.get<std::int64_t>();
  }
  for (Queue& queue : queues_) {
    queue.free = reader.get<std::int64_t>();
    queue.size = reader.get<std::int64_t>();
    queue.counted_to = reader.get<std::int64_t>();
    if (queue.size < 0) ByteReader::fail();
    for (auto& waiting : queue.waiting) {
      waiting.clear();
      for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
        const auto packet = reader.get<std::uint32_t>();
        waiting.push_back({travelling(packet), reader.get<std::int64_t>()});
      }
    }
  }
  for (auto& row : counts_) row = reader.get_vector<std::uint64_t>();
}

}  // namespace

ClockedRows::ClockedRows(const NetworkModel& model) : links(model.network.links.size()) {
  const network::Network& network = model.network;
  const network::LinkClocks clocks = network::link_clocks(network, WaitBins::min_packet);
  std::map<std::tuple<std::size_t, std::int64_t, int>, std::size_t> known;
  for (std::size_t flow = 0; flow < network.flows.size(); ++flow) {
    auto& of_routes = kind_of_route.emplace_back();
    for (const network::Route& route : network.flows[flow].routes) {
      ClockedKind kind{model.groups.empty() ? flow : model.groups[flow], 0, 0};
      for (const std::size_t link : route.links) {
        if (!network.has_queue(link)) continue;
        kind.transfer += clocks.packet[link];
        ++kind.queues;
      }
      const auto [place, is_new] = known.try_emplace({kind.row, kind.transfer, kind.queues}, kinds.size());
      if (is_new) kinds.push_back(kind);
      of_routes.push_back(place->second);
    }
  }
}

std::unique_ptr<NetworkReplication> make_clocked_replication(const NetworkModel& model, RandomKey key) {
  return std::make_unique<Simulated>(model, key);
}

}  // namespace tailbound::sim
