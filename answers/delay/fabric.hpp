#pragma once

#include <tailbound/answers/delay/stated_delay.hpp>
#include <tailbound/answers/network/network_input.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/bounds/network/fabric_delay.hpp>
#include <tailbound/bounds/network/fabric_memory.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Packet delays through a fabric of many hosts, and the buffer sizes of its switches.
///
/// MODEL     bounds/network/fabric_delay.hpp
/// TESTS     tests/answers/delay/fabric_test.cpp
namespace tailbound::answers {

/// A network whose traffic is not listed flow by flow, in slots of its slowest used link.
struct FabricTopology {
  std::shared_ptr<const network::Fabric> fabric;
  std::string file{};
  std::optional<std::string> matrix{};
  std::optional<numeric::Rational> uniform{}, load_scale{};  ///< as NetworkTopology
  std::vector<std::string> without{};                        ///< as NetworkTopology

  [[nodiscard]] const std::string& name() const {
    return fabric->network.name.empty() ? file : fabric->network.name;
  }
};

/// Networks with more communicating pairs are treated as fabrics.
inline constexpr std::uint64_t max_listed_pairs = 100'000;

/// The network of a file at each combination of loads, if it is to be treated as a fabric: it has more than
/// max_listed_pairs, or more routes than can be listed (network::can_be_listed()), or switches with shared
/// memory whose size is requested; and neither bursts nor explicit routes. Otherwise none: use
/// read_network().
/// \param matrix   replaces [traffic] of the file
/// \param route    of the matrix or of uniform traffic; default: that of [traffic], otherwise spread
/// \param read     reads files named in the network file
/// \param without  failures in addition to those of the file (network/demands/failures.hpp)
/// \param with_buffers     whether buffer sizes are requested
/// \param speed_unit       of speeds without a unit, in a file of another program
/// \throws InvalidArgument  "uniform", "load scale": out of range, or a host would send more than one packet
///                          per slot
/// \throws as network::sparse_matrix(), network::SparseDemandReader
[[nodiscard]] std::vector<FabricTopology> read_fabrics(const NamedText& file,
                                                       const std::optional<NamedText>& matrix,
                                                       const std::optional<network::RouteRule>& route,
                                                       const Loads& loads, const ReadNamed& read,
                                                       const std::vector<std::string>& without = {},
                                                       bool with_buffers = false,
                                                       std::optional<network::SpeedUnit> speed_unit = {});

/// The node with the highest rate relative to the capacity of its fastest link.
struct BusiestSender {
  std::size_t node = 0;
  numeric::Rational sends, takes;  ///< [packets/slot]
  std::uint64_t alike = 1;         ///< nodes with the same rate and capacity, this one included
};
[[nodiscard]] BusiestSender busiest_sender(const network::Fabric& fabric);

/// The traffic of a queue to a host with a single source, of which no packet would wait, but whose packets
/// reach its switch over several links, in the same slot: the source is split over these links. In packet
/// times of its link. None for other queues.
[[nodiscard]] std::optional<network::QueueTraffic> split_over_links(const network::Fabric& fabric,
                                                                    const network::FabricRates& rates,
                                                                    const network::FabricRates::Queue& queue);

/// The same in slots of its slowest link that carries packets, others have no effect: as
/// network::in_own_slots().
/// COST  as network::fabric_rates() where links differ in speed
/// \throws as network::fabric_rates(), network::in_slots_of()
[[nodiscard]] network::Fabric in_own_slots(network::Fabric fabric);

/// All rates multiplied by `scale`.
[[nodiscard]] network::Fabric scaled(network::Fabric fabric, const numeric::Rational& scale);
/// The two ends of "left -> right".  \throws InvalidArgument  "flow": not two nodes of the network
[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> ends_of_flow(const network::Network& network,
                                                                   const std::string& flow);

struct FabricQuery {
  FabricTopology topology;
  std::optional<std::string> flow{};             ///< "left -> right": only that pair
  std::vector<numeric::Rational> percentiles{};  ///< of the latency, above 0, below 1
  std::optional<bounds::DropTarget> drop{};      ///< of each queue's buffer
  numeric::Digits digits{};                      ///< of the buffers' probabilities
  Units units{};
  std::optional<numeric::Rational> hop_ns{};  ///< latency added by each queue passed, with units [ns]
  DelayBy by = DelayBy::analysis;
};

/// Queues with identical traffic.
struct FabricQueueClass {
  std::string name;  ///< of the first of their links
  std::uint64_t queues = 0;
  network::LinkRate rate{};   ///< of their links
  numeric::Rational load;     ///< [packets/slot]
  std::uint64_t sources = 0;  ///< nodes that send through one of them
  std::optional<numeric::Enclosure<unit::Slot>> mean_wait;
  std::optional<bounds::BufferSize> buffer;
};

/// Switches whose queues need the same buffers.
struct FabricSwitchClass {
  std::string name;  ///< of the first
  std::uint64_t switches = 0;
  std::uint64_t queues = 0;                     ///< of one
  Packets buffer;                               ///< sum of the buffers of its queues
  Packets largest;                              ///< of its largest queue
  std::optional<queue::ProvedMemory> memory{};  ///< of a switch with a memory shared by its queues
};

struct FabricAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  std::uint64_t hosts = 0, switches = 0, links = 0;
  std::vector<FabricQueueClass> queues;            ///< in order of decreasing link utilization
  std::vector<FabricSwitchClass> by_switch;        ///< with `drop`: in order of decreasing buffer size
  std::optional<bounds::FabricDelayAnswer> pairs;  ///< unless a flow was given
  std::optional<bounds::FabricPairDelay> pair;
  std::int64_t ticks_per_slot = 1;             ///< of their times in ticks; 1 unless links differ in speed
  std::optional<numeric::Rational> slot_ns{};  ///< duration of a slot, if known: times in slots are multiples
  std::optional<CrossCheck> check{};           ///< unless only the analysis was requested, of all packets
};

/// \throws NoAnswer  `hop_ns` above 0, and paths of one pair pass different numbers of queues
/// \throws InvalidArgument  no such flow;  \throws as network::fabric_rates(), bounds::FabricDelay
[[nodiscard]] FabricAnswer answer(const FabricQuery& query, const Run& run = {});

}  // namespace tailbound::answers
