#pragma once

#include <tailbound/network/network.hpp>
#include <tailbound/sim/bytes.hpp>
#include <tailbound/sim/random.hpp>
#include <tailbound/sim/sources/on_off_slots.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// The packets that the nodes of a slotted network send, slot by slot.
///
/// MODEL     the flows of a node without bursts share one lane, which sends at most one packet per slot; a
///           flow with bursts is an on-off source of its own, started in its stationary distribution. The
///           route of each packet is drawn independently.
/// RESULT    a function of the key and the slot; that of flows with bursts also of a state, which is saved.
/// TESTS     tests/sim/simulate_network_test.cpp
namespace tailbound::sim {

/// One route of one flow.
struct NetworkPath {
  std::size_t flow;
  std::vector<std::size_t> links;
  std::size_t first;  ///< step of the first link with a queue
  std::size_t rank;   ///< of its packets: class 1 is 0
};

class NetworkSources {
 public:
  /// First numbers for other purposes than sending.
  static constexpr std::uint64_t order_purpose = 1;

  /// \throws InvalidArgument  a flow without routes, or rates of one source above 1 in total
  explicit NetworkSources(const network::Network& network);

  [[nodiscard]] const std::vector<NetworkPath>& paths() const { return *paths_; }
  /// Begins a replication.
  void start(RandomKey key);
  /// Calls take(position of a path) for each packet sent in a slot. Slots ascend from 0, without gaps.
  template <class Take>
  void send(std::uint64_t slot, const Take& take);
  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  enum Purpose : std::uint64_t { sending = 0, paths_of_bursts = 2, bursts = 3 };

  /// A lane of a sending node: a 64-bit draw u sends along the first route with u < bound; nothing if there
  /// is none.
  struct Lane {
    std::uint64_t stream = 0;           ///< of its draws
    std::vector<std::uint64_t> bounds;  ///< sums of probabilities * 2^64 - 1, so that 1 fits
    std::vector<std::uint32_t> paths;
    RandomWords draws{};  ///< of the block of four slots
    std::uint64_t block = ~std::uint64_t{0};

    [[nodiscard]] std::uint64_t draw(RandomKey key, std::uint64_t slot) {
      if (slot / 4 != block) draws = random_words(key, sending, stream, block = slot / 4);
      return draws[slot % 4];
    }
  };
  /// A flow with bursts: a 64-bit draw selects the route of a packet, as above.
  struct BurstyFlow {
    std::size_t flow;
    OnOffSlots slots;
    bool on;                  ///< in the first slot of the next block of 64
    std::uint64_t sends = 0;  ///< bit s: in slot s of the present block
    Lane lane{};
  };

  void add_lane(std::size_t node, const std::vector<std::size_t>& flows, const network::Network& network);
  void add_burst(std::size_t flow, const network::Network& network);
  void add_path(Lane& lane, const numeric::Rational& sum, std::size_t flow, const network::Route& route,
                const network::Network& network);
  [[nodiscard]] std::uint32_t path_of_burst(const BurstyFlow& its, std::uint64_t slot) const;

  RandomKey key_{};
  std::shared_ptr<std::vector<NetworkPath>> paths_ =
      std::make_shared<std::vector<NetworkPath>>();  ///< shared by all replications
  std::vector<Lane> lanes_{};
  std::vector<BurstyFlow> bursts_{};
};

template <class Take>
void NetworkSources::send(std::uint64_t slot, const Take& take) {
  for (Lane& lane : lanes_) {
    const std::uint64_t draw = lane.draw(key_, slot);
    if (draw >= lane.bounds.back()) continue;
    const auto bound = std::upper_bound(lane.bounds.begin(), lane.bounds.end(), draw);
    take(lane.paths[static_cast<std::size_t>(bound - lane.bounds.begin())]);
  }
  for (BurstyFlow& its : bursts_) {
    if (slot % 64 == 0) its.sends = its.slots.sends(key_, bursts, its.flow, slot / 64, its.on);
    if ((its.sends >> (slot % 64) & 1U) != 0) take(path_of_burst(its, slot));
  }
}

}  // namespace tailbound::sim
