#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// A network of switches: nodes, links, flows and the routes that the flows take.
///
/// MODEL     Time runs in slots. Every link that leaves a switch is fed by an output queue of its own, which
///           sends up to `packets_per_slot` packets in a slot, of the highest class that waits there first. Hosts send and receive; they never forward,
///           and the links that leave them have no queue.
///           Worms (network/worms/worm_network_file.hpp) take the same routes without slots and queues; what is
///           said of them only, queues do not look at.
/// EXCLUDES  queueing: what the queues make of the traffic is for bounds/ (analysis) and sim/ (simulation).
namespace tailbound::network {

using numeric::Rational;

struct Node {
  static constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();

  std::string name;
  bool host = false;  ///< otherwise a switch
  std::uint32_t group =
      no_group;                ///< of a switch, for Valiant routes (switch_groups.hpp); groups count from 0
  bool shared_memory = false;  ///< of a switch: its queues share one memory, where room is asked for
};

/// One direction of a wire. At most one link leads from one node to another.
struct Link {
  std::size_t from = 0, to = 0;  ///< positions in Network::nodes
  int packets_per_slot = 1;      ///< 1 .. 32; of worms: wires side by side
  int classes = 1;               ///< of virtual channels, of worms only; 1 .. 16
  int virtual_channels = 1;      ///< of each class and wire, of worms only; 1 .. 16
  int weight = 1;                ///< where routes are spread: packets choose it in proportion; 1 .. 1000000
};

/// One way that a flow's packets take.
struct Route {
  std::vector<std::size_t> links;  ///< positions in Network::links, from the source to the destination
  Rational share = 1;              ///< of the flow's packets, chosen for each packet independently
  std::vector<int> classes{};      ///< of virtual channels, of worms only: one for each link; empty: all 0
};

struct Flow {
  static constexpr int most_classes = 8;

  std::string name;
  std::size_t source = 0, destination = 0;  ///< positions in Network::nodes
  Rational rate;                            ///< packets/slot, above 0
  std::vector<Route> routes;                ///< shares sum to 1
  std::optional<traffic::Burst> burst{};    ///< how its packets bunch; without, its slots are independent
  int priority = 1;  ///< class of its packets, 1 .. 8: every queue serves class 1 first
};

/// A flow with bursts is an on-off source of its own (traffic/on_off.hpp). All other flows of a node are sent
/// together as one Bernoulli source: at most one packet a slot, so their rates sum to at most 1.
struct Network {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<Flow> flows;

  [[nodiscard]] bool has_queue(std::size_t link) const { return !nodes[links[link].from].host; }
  /// The lowest class of a flow; 1 where there are no classes.
  [[nodiscard]] int classes() const;
  /// "left -> right"
  [[nodiscard]] std::string link_name(std::size_t link) const {
    return nodes[links[link].from].name + " -> " + nodes[links[link].to].name;
  }
};

/// Checks that the network is as described above:
/// - links lead from a node to another one, at most one each way, packets_per_slot and weight within range;
/// - routes go link by link from the source to the destination, forwarded by switches only, and no route
///   takes a link twice (it may pass a switch twice: random-root routing in a tree does); classes are none
///   or one for each link, below what the link has;
/// - shares are above 0 and sum to 1, rates are above 0, those of flows with bursts such that the bursts are
///   possible, and the rates of one source's other flows sum to at most 1.
///
/// COST  linear in the size of the network and its routes, apart from sorting the links.
/// \throws InvalidArgument  naming the link or the flow
void require_valid(const Network& network);

}  // namespace tailbound::network
