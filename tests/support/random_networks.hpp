#pragma once

#include <tailbound/network/network.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Random networks of switches, the same on every machine for the same number, and the smallest part of one
/// that still fails.
namespace tailbound::test {

/// Links of both directions between two nodes.
struct Wire {
  std::string left, right;
  int weight = 1;
};

struct SmallFlow {
  std::string from, to;
  std::int64_t rate = 1;          ///< [packets/slot / 10 000]
  std::optional<int> burst{};     ///< mean length [slots]
  std::string path = "shortest";  ///< or "spread"
};

struct SmallNetwork {
  std::string name;
  std::vector<std::string> hosts, switches;
  std::vector<Wire> wires;
  std::vector<SmallFlow> flows;
  std::vector<std::string> without{};  ///< "s0 -> s1"

  [[nodiscard]] std::string toml() const;
  /// Read by the library from toml().  \throws as read_network()
  [[nodiscard]] network::Network read() const;
};

enum class NetworkKind { line, ring, tree, star, leaf_spine, random, gather };
inline constexpr std::array<const char*, 7> network_kinds{"line",       "ring",   "tree",  "star",
                                                          "leaf-spine", "random", "gather"};

/// Properties of the flows other than their rates.
enum class NetworkClass {
  plain,   ///< independent slots
  bursts,  ///< half of the flows are on-off sources
};
inline constexpr std::array<const char*, 2> network_classes{"plain", "bursts"};

struct NetworkChoice {
  std::optional<NetworkKind> kind{};  ///< default: any
  NetworkClass of = NetworkClass::plain;
};

/// 2 to 40 switches, 3 to 60 hosts and 3 to 40 flows, most networks with a few of them; rates 1:1:2:3:5, one
/// network in three with a hot destination; half spread over all shortest paths, some of these with weights;
/// some with failed links. The busiest queue has a utilization of 0.3, 0.5, 0.7, 0.8 or 0.9. "gather": a tree
/// with all flows to one host.
[[nodiscard]] SmallNetwork random_network(std::uint64_t number, const NetworkChoice& choice);

/// Maximum utilization over all queues.
[[nodiscard]] double busiest_queue(const network::Network& network);

/// Does the network still fail? Networks that cannot be read do not.
using StillShown = std::function<bool(const SmallNetwork&)>;

/// Removes flows, hosts, switches, links, failures, bursts and digits of rates while the network
/// still fails.
/// \param maximum  maximum calls of `shown`
[[nodiscard]] SmallNetwork shrunk(SmallNetwork network, const StillShown& shown, int maximum = 400);

}  // namespace tailbound::test
