#include <tailbound/core/error.hpp>
#include <tailbound/network/worms/cube_worms.hpp>
#include <tailbound/network/worms/fat_tree_worms.hpp>
#include <tailbound/network/worms/hypercube_worms.hpp>
#include <tailbound/sim/worm/worm_engine.hpp>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <set>

#include <tests/support/worm_ends.hpp>

/// Random runs have fixed seeds: a test that passes once passes always.
namespace tailbound::sim {
namespace {

using network::Cube;
using network::CubeLinks;
using network::WormHead;
using network::WormLayout;
using network::WormNetwork;
using test::all_ends;

std::shared_ptr<const WormNetwork> cube(CubeLinks links, int radix, int dimensions,
                                        int virtual_channels = 0) {
  const Cube cube{.links = links, .radix = radix, .dimensions = dimensions};
  return network::make_cube_worms(
      cube, virtual_channels > 0 ? virtual_channels : network::usual_virtual_channels(cube));
}

std::vector<std::shared_ptr<const WormNetwork>> small_networks() {
  std::vector<std::shared_ptr<const WormNetwork>> networks{cube(CubeLinks::mesh, 4, 2),
                                                           cube(CubeLinks::mesh, 3, 3),
                                                           cube(CubeLinks::mesh, 2, 4),
                                                           cube(CubeLinks::mesh, 2, 3, 4),
                                                           cube(CubeLinks::unidirectional_torus, 4, 2),
                                                           cube(CubeLinks::torus, 4, 2),
                                                           cube(CubeLinks::torus, 5, 2, 4),
                                                           cube(CubeLinks::unidirectional_torus, 6, 1)};
  for (const network::WormEnds& ends : all_ends) {
    networks.push_back(network::make_cube_worms({.radix = 2, .dimensions = 4, .ends = ends}, 1));
    networks.push_back(network::make_cube_worms({.radix = 2, .dimensions = 4, .ends = ends}, 2));
    networks.push_back(network::make_hypercube_worms(3, 2, ends));
    if (ends.injection == network::Injection::ports) continue;
    networks.push_back(network::make_cube_worms({.radix = 3, .ends = ends}, 1));
    networks.push_back(
        network::make_cube_worms({.links = CubeLinks::torus, .radix = 4, .dimensions = 1, .ends = ends}, 2));
  }
  networks.push_back(network::make_fat_tree_worms(1));
  networks.push_back(network::make_fat_tree_worms(3));
  networks.push_back(network::make_fat_tree_worms(2, 3));
  return networks;
}

/// The same network with its wires counted as shared: then the engine moves flit by flit.
class FlitByFlit final : public WormNetwork {
 public:
  explicit FlitByFlit(std::shared_ptr<const WormNetwork> of)
      : WormNetwork(layout_of(*of)), of_(std::move(of)) {}
  [[nodiscard]] std::uint32_t next_station(const WormHead& head) const override {
    return of_->next_station(head);
  }
  [[nodiscard]] std::string channel_name(std::uint32_t channel) const override {
    return of_->channel_name(channel);
  }
  [[nodiscard]] std::string node_name(std::uint32_t node) const override { return of_->node_name(node); }

 private:
  /// With an additional channel that no worm takes, on the wire of another.
  static WormLayout layout_of(const WormNetwork& of) {
    WormLayout layout = of.layout();
    layout.stations.push_back({static_cast<std::uint32_t>(layout.channels.size()), 1});
    layout.channels.push_back({static_cast<std::uint32_t>(layout.stations.size() - 1), 0});
    return layout;
  }
  std::shared_ptr<const WormNetwork> of_;
};

/// Sends random messages for `cycles` cycles and continues until all have arrived.
template <class EachCycle>
std::vector<WormDelivery> deliveries(const WormNetwork& network, std::uint32_t buffer, std::uint32_t flits,
                                     double load, std::uint64_t cycles, EachCycle each_cycle) {
  WormEngine engine(network, buffer, {7, 0});
  RandomSequence random({8, 0}, 9, 0);
  const std::uint32_t nodes = network.layout().nodes;
  std::vector<WormDelivery> all;
  while (engine.now() < cycles || !engine.idle()) {
    for (std::uint32_t node = 0; node < nodes && engine.now() < cycles; ++node) {
      if (static_cast<double>(random.next()) * 0x1p-64 >= load / flits) continue;
      std::uint32_t to = random.next_below(nodes - 1);
      if (to >= node) ++to;
      engine.send({.born = engine.now(),
                   .source = node,
                   .destination = to,
                   .variant = random.next_below(network.layout().variants),
                   .flits = 1 + random.next_below(2 * flits - 1)});
    }
    engine.cycle();
    for (const WormDelivery& delivery : engine.delivered()) all.push_back(delivery);
    each_cycle(engine);
  }
  return all;
}

TEST_CASE("wormhole engine: M + D - 1 cycles for every pair on an empty network") {
  for (const auto& network : small_networks()) {
    CAPTURE(network->layout().name);
    const WormLayout& layout = network->layout();
    std::uint32_t longest = 0;
    for (std::uint32_t from = 0; from < layout.nodes; ++from)
      for (std::uint32_t to = 0; to < layout.nodes; ++to)
        for (std::uint32_t variant = 0; variant < layout.variants && from != to; ++variant)
          for (const std::uint32_t flits : {1U, 2U, 7U, 40U}) {
            WormEngine engine(*network, 1 + flits % 3, {1, 0});
            engine.skip_to(5);
            engine.send({.born = 5, .source = from, .destination = to, .variant = variant, .flits = flits});
            while (engine.delivered().empty()) engine.cycle();
            const WormDelivery& delivery = engine.delivered().front();
            REQUIRE(delivery.ended - 5 == flits + delivery.distance - 1);
            REQUIRE(delivery.started == 5);
            REQUIRE(delivery.released == 5 + flits);
            longest = std::max(longest, delivery.distance);
            engine.cycle();
            REQUIRE(engine.idle());
          }
    CHECK(longest == layout.longest_path);
  }
}

TEST_CASE("wormhole engine: flits sent = delivered + queued + inside in every cycle, and all arrive") {
  for (const auto& network : small_networks())
    for (const auto& each : {std::pair{1U, 6U}, {2U, 6U}, {5U, 6U}, {1U, 2U}, {2U, 2U}}) {
      const std::uint32_t buffer = each.first, length = each.second;
      CAPTURE(network->layout().name, buffer, length);
      std::uint64_t max_inside = 0, crossings = 0, flit_channels = 0;
      const auto all = deliveries(*network, buffer, length, 0.6, 600, [&](const WormEngine& engine) {
        const FlitBalance balance = engine.balance();
        REQUIRE(balance.conserved());
        REQUIRE(balance.inside <= buffer * network->layout().channels.size());
        max_inside = std::max(max_inside, balance.inside);
        crossings = engine.crossings();
      });
      for (const WormDelivery& delivery : all) {
        flit_channels += std::uint64_t{delivery.message.flits} * delivery.distance;
        // One channel per cycle, also for the tail.
        REQUIRE(delivery.ended >= delivery.started + delivery.message.flits + delivery.distance - 1);
        REQUIRE(delivery.ended >= delivery.released + delivery.distance - 1);
      }
      CHECK(crossings == flit_channels);
      CHECK(all.size() > network->layout().nodes * 30);
      CHECK(max_inside > network->layout().nodes / 2);
    }
}

TEST_CASE("wormhole engine: latency = wait + service + D - 1 per message without shared channels") {
  for (const auto& network : small_networks()) {
    if (network->layout().shares_wires()) continue;
    CAPTURE(network->layout().name);
    std::uint64_t waited = 0, held_up = 0;
    for (const WormDelivery& delivery : deliveries(*network, 1, 12, 0.4, 2000, [](const WormEngine&) {})) {
      const WormMessage& message = delivery.message;
      if (message.flits < delivery.distance) continue;
      REQUIRE(delivery.ended - message.born == (delivery.started - message.born) +
                                                   (delivery.released - delivery.started) +
                                                   delivery.distance - 1);
      REQUIRE(delivery.released - delivery.started >= message.flits);
      waited += delivery.started - message.born;
      held_up += delivery.released - delivery.started - message.flits;
    }
    CHECK(waited > 1000);
    if (network->layout().nodes > 4) CHECK(held_up > 1000);
  }
}

TEST_CASE("wormhole engine: packets moved as a whole match packets moved flit by flit") {
  for (const auto& network : small_networks()) {
    if (network->layout().shares_wires()) continue;
    bool choices = false;  // these draw random numbers themselves
    for (const network::WormStation& station : network->layout().stations)
      choices = choices || station.count > 1;
    if (choices) continue;
    const FlitByFlit slow(network);
    for (const std::uint32_t buffer : {1U, 2U, 4U, 30U}) {
      CAPTURE(network->layout().name, buffer);
      const auto by_flit = deliveries(slow, buffer, 10, 0.5, 3000, [](const WormEngine&) {});
      const auto whole = deliveries(*network, buffer, 10, 0.5, 3000, [](const WormEngine&) {});
      REQUIRE(by_flit.size() == whole.size());
      // The order within a cycle may differ.
      std::multiset<std::array<std::uint64_t, 6>> left, right;
      for (const auto& [list, into] : {std::pair{&by_flit, &left}, std::pair{&whole, &right}})
        for (const WormDelivery& each : *list)
          into->insert({each.ended, each.message.born, each.message.source, each.message.destination,
                        each.started, each.released});
      const bool same = left == right;
      REQUIRE(same);
    }
  }
}

/// A direct implementation of the engine's rules, with the same random numbers: every flit one by one,
/// without optimisation.
class PlainEngine {
 public:
  using Index = std::uint32_t;

  PlainEngine(const WormNetwork& network, Index capacity, RandomKey key)
      : network_(network),
        layout_(network.layout()),
        capacity_(capacity),
        key_(key),
        owner_(layout_.channels.size(), nobody),
        heads_(layout_.stations.size()),
        messages_(layout_.stations.size()) {}

  void send(const WormMessage& message) {
    const Index station = network_.next_station({message.source, message.destination, message.variant, 0, 0});
    const Index channel = messages_[station].empty() ? free_channel(station) : nobody;
    if (channel == nobody)
      messages_[station].push_back(message);
    else
      start(message, channel);
  }

  void cycle() {
    delivered_.clear();
    for (Worm& worm : worms_) worm.visited = false;
    for (const Index channel : std::exchange(ended_, {})) release(channel);
    std::sort(requesting_.begin(), requesting_.end(),
              [this](Index a, Index b) { return worms_[a].channels.back() < worms_[b].channels.back(); });
    shuffle(requesting_);
    for (const Index id : std::exchange(requesting_, {})) request(id);
    used_wires_.clear();
    shuffle(awake_);
    std::vector<Index> stay;
    for (std::size_t i = 0; i < awake_.size(); ++i) {
      const Index id = awake_[i];
      if (!worms_[id].awake || worms_[id].visited) continue;  // ended, or listed twice
      worms_[id].visited = true;
      std::fill(worms_[id].came.begin(), worms_[id].came.end(), false);
      const bool stays = move(id);
      worms_[id].awake = stays;
      if (stays) stay.push_back(id);
      for (; !again_.empty();) {
        const Index other = again_.back();
        again_.pop_back();
        const bool other_stays = move(other);
        worms_[other].awake = other_stays;
      }
    }
    awake_ = stay;
    random_ = {key_, 2, ++now_};
  }

  [[nodiscard]] std::uint64_t crossings() const { return crossings_; }
  [[nodiscard]] const std::vector<WormDelivery>& delivered() const { return delivered_; }

 private:
  static constexpr Index nobody = ~Index{0}, leaving = nobody - 1;
  struct Worm {
    WormMessage message;
    std::vector<Index> channels;
    std::vector<Index> flits;  ///< in the buffer of each
    std::vector<bool> came;    ///< a flit in this cycle
    std::size_t first = 0;     ///< channel that it still holds
    Index at_source = 0, gone = 0;
    std::uint64_t started = 0, released = 0;
    bool granted = false, ejecting = false, awake = false, visited = false;
  };

  void shuffle(std::vector<Index>& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[random_.next_below(static_cast<Index>(i))]);
  }
  Index free_channel(Index station) {
    const auto [first, count] = layout_.stations[station];
    Index found = nobody;
    Index free = 0;
    for (Index channel = first; channel < first + count; ++channel)
      if (owner_[channel] == nobody && (count == 1 || random_.next_below(++free) == 0)) found = channel;
    return found;
  }
  [[nodiscard]] Index next_station(const Worm& worm) const {
    const WormMessage& message = worm.message;
    return network_.next_station({message.source, message.destination, message.variant,
                                  static_cast<Index>(worm.channels.size()), worm.channels.back()});
  }
  void start(const WormMessage& message, Index channel) {
    if (free_.empty()) {
      free_.push_back(static_cast<Index>(worms_.size()));
      worms_.emplace_back();
    }
    const Index id = free_.back();
    free_.pop_back();
    worms_[id] = {};
    worms_[id].message = message;
    worms_[id].at_source = message.flits;
    grant(id, channel);
  }
  void request(Index id) {
    const Index station = next_station(worms_[id]);
    const Index channel = free_channel(station);
    if (channel == nobody)
      heads_[station].push_back(id);
    else
      grant(id, channel);
  }
  void grant(Index id, Index channel) {
    Worm& worm = worms_[id];
    owner_[channel] = id;
    worm.channels.push_back(channel);
    worm.flits.push_back(0);
    worm.came.push_back(false);
    worm.granted = true;
    worm.ejecting = next_station(worm) == WormNetwork::arrived;
    if (!worm.awake) {
      worm.awake = true;
      worm.visited = false;
      awake_.push_back(id);
    } else if (worm.visited) {
      again_.push_back(id);
    }
  }
  void release(Index channel) {
    owner_[channel] = nobody;
    const Index station = layout_.channels[channel].station;
    if (!heads_[station].empty()) {
      const Index id = heads_[station].front();
      heads_[station].pop_front();
      grant(id, channel);
    } else if (!messages_[station].empty()) {
      const WormMessage message = messages_[station].front();
      messages_[station].pop_front();
      start(message, channel);
    }
  }
  /// May it move in the next cycle without a new grant?
  bool move(Index id) {
    Worm& worm = worms_[id];
    bool active = worm.granted;
    const std::size_t last = worm.channels.size() - 1;
    for (std::size_t i = worm.channels.size(); i-- > worm.first;) {
      Index& from = i > 0 ? worm.flits[i - 1] : worm.at_source;
      const bool one_stays = i > 0 && worm.came[i - 1];
      if (worm.came[i] || worm.flits[i] == capacity_ || from == (one_stays ? 1U : 0U)) continue;
      active = true;
      if (!used_wires_.insert(layout_.channels[worm.channels[i]].wire).second) continue;
      --from;
      ++(worm.ejecting && i == last ? worm.gone : worm.flits[i]);
      worm.came[i] = true;
      ++crossings_;
      if (!worm.granted || i < last) continue;
      worm.granted = false;
      if (i == 0) worm.started = now_;
      if (!worm.ejecting) requesting_.push_back(id);
    }
    while (true) {
      Worm& now = worms_[id];  // a release may start a worm
      const std::size_t held = now.channels.size() - (now.ejecting || now.granted ? 1 : 0);
      if (now.at_source > 0 || now.first >= held || now.flits[now.first] > 0) break;
      if (now.first == 0) now.released = now_;
      release(now.channels[now.first++]);
    }
    const Worm& now = worms_[id];
    if (now.gone < now.message.flits) return active;
    delivered_.push_back({.message = now.message,
                          .started = now.started,
                          .released = now.released,
                          .ended = now_ + 1,
                          .distance = static_cast<Index>(now.channels.size())});
    owner_[now.channels.back()] = leaving;
    ended_.push_back(now.channels.back());
    free_.push_back(id);
    return false;
  }

  const WormNetwork& network_;
  const WormLayout& layout_;
  Index capacity_;
  RandomKey key_;
  std::uint64_t now_ = 0, crossings_ = 0;
  RandomSequence random_{key_, 2, 0};
  std::vector<Index> owner_;
  std::vector<std::deque<Index>> heads_;
  std::vector<std::deque<WormMessage>> messages_;
  std::deque<Worm> worms_;
  std::vector<Index> awake_, again_, requesting_, ended_, free_;
  std::set<Index> used_wires_;
  std::vector<WormDelivery> delivered_;
};

TEST_CASE("wormhole engine: shared channels: every cycle matches a direct implementation of the rules") {
  auto networks = small_networks();
  networks.push_back(cube(CubeLinks::mesh, 70, 1, 2));
  networks.push_back(network::make_hypercube_worms(4, 3, {}));
  std::uint64_t deliveries = 0;
  for (const auto& network : networks) {
    if (!network->layout().shares_wires()) continue;
    for (const std::uint32_t capacity : {1U, 2U, 3U})
      for (const std::uint32_t flits : {1U, 2U, 12U}) {
        CAPTURE(network->layout().name, capacity, flits);
        WormEngine engine(*network, capacity, {7, flits});
        PlainEngine plain(*network, capacity, {7, flits});
        RandomSequence random({8, 0}, 9, 0);
        const std::uint32_t nodes = network->layout().nodes;
        for (std::uint64_t cycle = 0; cycle < 400; ++cycle) {
          for (std::uint32_t node = 0; node < nodes; ++node) {
            if (static_cast<double>(random.next()) * 0x1p-64 >= 0.6 / flits) continue;
            std::uint32_t to = random.next_below(nodes - 1);
            if (to >= node) ++to;
            const WormMessage message{.born = cycle,
                                      .source = node,
                                      .destination = to,
                                      .variant = random.next_below(network->layout().variants),
                                      .flits = 1 + random.next_below(2 * flits - 1)};
            engine.send(message);
            plain.send(message);
          }
          engine.cycle();
          plain.cycle();
          REQUIRE(engine.crossings() == plain.crossings());
          REQUIRE(engine.delivered().size() == plain.delivered().size());
          for (std::size_t i = 0; i < plain.delivered().size(); ++i) {
            const auto all = [](const WormDelivery& of) {
              return std::array<std::uint64_t, 7>{of.message.born, of.message.source, of.message.destination,
                                                  of.started,      of.released,       of.ended,
                                                  of.distance};
            };
            REQUIRE(all(engine.delivered()[i]) == all(plain.delivered()[i]));
          }
          deliveries += plain.delivered().size();
        }
      }
  }
  CHECK(deliveries > 100'000);
}

TEST_CASE("wormhole engine: two heads that request in the same cycle win equally often") {
  // A row of five nodes: 0 -> 4 and 1 -> 3 request the link 1 -> 2 in the same cycle.
  const auto row = cube(CubeLinks::mesh, 5, 1);
  for (const bool through_first : {true, false}) {
    int through = 0;
    constexpr int runs = 4000;
    for (int run = 0; run < runs; ++run) {
      WormEngine engine(*row, 1, {static_cast<std::uint64_t>(run), through_first ? 1U : 2U});
      const WormMessage far{.born = 0, .source = 0, .destination = 4, .flits = 9};
      engine.send(far);
      engine.cycle();
      engine.send({.born = 1, .source = 1, .destination = 3, .flits = 9});
      std::uint64_t ended_far = 0, ended_near = 0;
      while (!engine.idle()) {
        engine.cycle();
        for (const WormDelivery& delivery : engine.delivered())
          (delivery.message.source == 0 ? ended_far : ended_near) = delivery.ended;
      }
      if (ended_far < ended_near) ++through;
    }
    // 4 standard deviations: a false alarm in 16 000.
    CHECK(std::abs(through - runs / 2) < 4 * std::sqrt(runs) / 2);
  }
}

TEST_CASE("wormhole engine: heads at one station are served in the order of their requests") {
  // The neighbours of the middle of a 3 x 3 mesh send to it, one cycle after the other.
  const auto mesh = cube(CubeLinks::mesh, 3, 2);
  std::vector<std::uint32_t> neighbours{1, 3, 5, 7};
  do {
    WormEngine engine(*mesh, 1, {1, 0});
    std::vector<std::uint32_t> served;
    while (served.size() < 4) {
      if (engine.now() < 4)
        engine.send(
            {.born = engine.now(), .source = neighbours[engine.now()], .destination = 4, .flits = 30});
      engine.cycle();
      for (const WormDelivery& delivery : engine.delivered()) served.push_back(delivery.message.source);
    }
    REQUIRE(served == neighbours);
  } while (std::next_permutation(neighbours.begin(), neighbours.end()));
}

TEST_CASE("wormhole engine: packets on one channel share it fairly, without idle cycles") {
  // A ring of six, one direction: 4 -> 1 takes 5 -> 0 on the low channel, 5 -> 2 as well: they queue. 3 -> 5
  // is on the high one of 3 -> 4 and 4 -> 5, 3 -> 1 on the low one of the same wires.
  const auto ring = cube(CubeLinks::unidirectional_torus, 6, 1);
  constexpr std::uint32_t flits = 400;
  WormEngine engine(*ring, 1, {3, 0});
  engine.send({.born = 0, .source = 2, .destination = 5, .flits = flits});
  engine.send({.born = 0, .source = 3, .destination = 0, .flits = flits});
  std::vector<std::uint64_t> ends;
  while (!engine.idle()) {
    engine.cycle();
    for (const WormDelivery& delivery : engine.delivered()) ends.push_back(delivery.ended);
  }
  REQUIRE(ends.size() == 2);
  // Both at half speed: when the first one ends the other is near its end too; together they use every cycle.
  CHECK(ends[0] > 2 * flits - 6 * static_cast<std::uint64_t>(std::sqrt(flits)));
  CHECK(ends[1] <= 2 * flits + 10);
  CHECK(ends[1] >= 2 * flits);
}

TEST_CASE("wormhole engine: two packets on one channel lose the time they share it, and no more") {
  const auto ring = cube(CubeLinks::unidirectional_torus, 6, 1);
  constexpr std::uint32_t flits = 20;
  for (std::uint64_t behind = 0; behind < 25; ++behind) {
    constexpr int runs = 400;
    double lost_first = 0, lost_second = 0;
    for (std::uint64_t run = 0; run < runs; ++run) {
      WormEngine engine(*ring, 1, {run, behind});
      // Heads cross 3 -> 4 in cycles 2 and 2 + behind.
      std::uint64_t first = 0, second = 0;
      while (first == 0 || second == 0) {
        if (engine.now() == 0) engine.send({.born = 0, .source = 2, .destination = 5, .flits = flits});
        if (engine.now() == 1 + behind)
          engine.send({.born = 1 + behind, .source = 3, .destination = 0, .flits = flits});
        engine.cycle();
        for (const WormDelivery& delivery : engine.delivered())
          (delivery.message.source == 2 ? first : second) = delivery.ended;
      }
      lost_first += static_cast<double>(first - (flits + 4)) / runs;
      lost_second += static_cast<double>(second - (1 + behind + flits + 4)) / runs;
      // 2 M flits cross 4 -> 5, one in every cycle from 3 on; the second worm has one more link after it.
      if (behind < flits) REQUIRE(std::max(first + 1, second) == 2 * flits + 5);
    }
    const double together = behind < flits ? static_cast<double>(flits - behind) : 0;
    CAPTURE(behind, lost_first, lost_second);
    CHECK(std::abs(lost_first - lost_second) <= 0.8);
    CHECK(std::max(lost_first, lost_second) <= together + 1);
    CHECK(std::min(lost_first, lost_second) >= together - 3.5);  // coins make the first one end earlier
  }
}

TEST_CASE("wormhole engine: a deadlock is reported") {
  const auto ring = cube(CubeLinks::unidirectional_torus, 4, 1, 1);
  WormEngine engine(*ring, 1, {1, 0});
  for (std::uint32_t node = 0; node < 4; ++node)
    engine.send({.born = 0, .source = node, .destination = (node + 2) % 4, .flits = 10});
  std::string message;
  try {
    for (int i = 0; i < 10'000; ++i) engine.cycle();
  } catch (const NoAnswer& error) {
    message = error.what();
  }
  CAPTURE(message);
  CHECK(message.find("deadlock") != std::string::npos);
  for (const char* link : {"(0) -> (1)", "(1) -> (2)", "(2) -> (3)", "(3) -> (0)"})
    CHECK(message.find(link) != std::string::npos);

  // The same with continuing traffic: in an 8-ary 2-torus one row blocks.
  const auto torus = cube(CubeLinks::unidirectional_torus, 8, 2, 1);
  WormEngine busy(*torus, 1, {1, 0});
  for (std::uint32_t node = 0; node < 8; ++node)
    busy.send({.born = 0, .source = node, .destination = (node + 4) % 8, .flits = 50});
  CHECK_THROWS_AS(
      [&] {
        for (std::uint64_t i = 0; i < 10'000; ++i) {
          busy.send({.born = i, .source = 20, .destination = 21, .flits = 1});
          busy.cycle();
        }
      }(),
      NoAnswer);

  // With two virtual channels per link the same messages arrive.
  const auto safe = cube(CubeLinks::unidirectional_torus, 4, 1);
  WormEngine runs(*safe, 1, {1, 0});
  for (std::uint32_t node = 0; node < 4; ++node)
    runs.send({.born = 0, .source = node, .destination = (node + 2) % 4, .flits = 10});
  int cycles = 0;
  for (; !runs.idle() && cycles < 1000; ++cycles) runs.cycle();
  CHECK(cycles < 100);
}

TEST_CASE("wormhole engine: saving and loading in the middle changes nothing") {
  for (const auto& network : small_networks()) {
    CAPTURE(network->layout().name);
    const auto feed = [&](WormEngine& engine, std::uint64_t cycle) {
      const std::uint32_t nodes = network->layout().nodes;
      const RandomWords words = random_words({4, 0}, 5, 0, cycle);
      const std::uint32_t from = below(nodes, static_cast<std::uint32_t>(words[0]));
      engine.send({.born = cycle,
                   .source = from,
                   .destination = (from + 1 + below(nodes - 1, static_cast<std::uint32_t>(words[1]))) % nodes,
                   .variant = below(network->layout().variants, static_cast<std::uint32_t>(words[2])),
                   .flits = 9});
    };
    auto whole = std::make_unique<WormEngine>(*network, 2, RandomKey{2, 0});
    auto cut = std::make_unique<WormEngine>(*network, 2, RandomKey{2, 0});
    for (std::uint64_t cycle = 0; cycle < 400; ++cycle) {
      feed(*whole, cycle);
      feed(*cut, cycle);
      whole->cycle();
      cut->cycle();
      REQUIRE(whole->crossings() == cut->crossings());
      REQUIRE(whole->delivered().size() == cut->delivered().size());
      if (cycle % 37 != 36) continue;
      ByteWriter writer;
      cut->save(writer);
      const std::string bytes = writer.take();
      cut = std::make_unique<WormEngine>(*network, 2, RandomKey{2, 0});
      ByteReader reader(bytes);
      cut->load(reader);
      REQUIRE(reader.at_end());
      if (cycle != 147) continue;
      for (std::size_t length = 0; length < bytes.size(); length += 97) {
        ByteReader shorter(std::string_view(bytes).substr(0, length));
        CHECK_THROWS_AS(WormEngine(*network, 2, RandomKey{2, 0}).load(shorter), ParseError);
      }
    }
  }
}

}  // namespace
}  // namespace tailbound::sim
