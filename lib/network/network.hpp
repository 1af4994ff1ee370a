#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// A network of switches: nodes, links, flows and the routes that the flows take.
///
/// MODEL     Time runs in slots. Every link that leaves a switch is fed by an output queue of its own, which
///           sends what the link's rate says, of the highest class that waits there first. Hosts send and receive; they never forward,
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

/// What a link takes: `packets` packets in `slots` slots, in lowest terms.
struct LinkRate {
  static constexpr int most_packets = 128, most_slots = 128;

  int packets = 1;  ///< 1 .. 128
  int slots = 1;    ///< 1 .. 128; of a link of 5/2 packets a slot 2

  /// \throws InvalidArgument  `what`: not above 0, or its numerator or denominator out of range
  [[nodiscard]] static LinkRate of(const Rational& packets_per_slot, const std::string& what);

  [[nodiscard]] Rational value() const { return Rational(packets) / slots; }
  [[nodiscard]] bool is_whole() const { return slots == 1; }
  /// The packets whose last bits may leave in one slot.
  [[nodiscard]] int most_in_a_slot() const { return (packets + slots - 1) / slots; }
  [[nodiscard]] std::string text() const {
    return std::to_string(packets) + (slots == 1 ? "" : "/" + std::to_string(slots));
  }
  friend auto operator<=>(const LinkRate&, const LinkRate&) = default;  ///< some order
};

/// One direction of a wire. Several links from one node to another are the wires of a bundle, each with a queue of its own:
/// packets of spread routes take any of them, in proportion to their weights; those of other routes all that of their flow,
/// drawn by wire_of_flow().
struct Link {
  std::size_t from = 0, to = 0;  ///< positions in Network::nodes
  LinkRate rate{};               ///< of worms: wires side by side, a whole number
  int classes = 1;               ///< of virtual channels, of worms only; 1 .. 16
  int virtual_channels = 1;      ///< of each class and wire, of worms only; 1 .. 16
  int weight = 1;                ///< where routes are spread: packets choose it in proportion; 1 .. 1000000
  int wire = 0;                  ///< of a bundle, from 1 on; 0: it is the only link between its ends
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
/// together, from as many lanes as the fastest of its links takes packets a slot: each lane sends independently of the
/// others at most one packet a slot, of a flow of rate r with probability r / lanes.
struct Network {
  static constexpr int most_wires = 1024;  ///< of a bundle

  std::string name;
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<Flow> flows;
  std::optional<Rational> gbps{};  ///< what one packet a slot is on the wire [Gbit/s], where the file says it
  std::vector<std::string>
      remarks{};  ///< how its files were understood, where that could have been otherwise

  [[nodiscard]] bool has_queue(std::size_t link) const { return !nodes[links[link].from].host; }
  /// The lowest class of a flow; 1 where there are no classes.
  [[nodiscard]] int classes() const;
  /// What each node sends at most [packets/slot]: the rate of the fastest link that leaves it, 1 where none does.
  [[nodiscard]] std::vector<Rational> most_sent() const;
  /// Of each node: see above.
  [[nodiscard]] std::vector<int> lanes() const;
  /// "left -> right", of a bundle "left -> right (wire 2)"
  [[nodiscard]] std::string link_name(std::size_t link) const {
    const int wire = links[link].wire;
    return nodes[links[link].from].name + " -> " + nodes[links[link].to].name +
           (wire == 0 ? "" : " (wire " + std::to_string(wire) + ")");
  }
  /// Numbers the wires of bundles, links of the same ends, in their order; a remark says how many there are.
  void number_wires();
  [[nodiscard]] bool has_bundles() const;
};

/// Which of the `wires` of a bundle the packets of a flow take: a number from 0, the same for the same ends everywhere.
[[nodiscard]] std::size_t wire_of_flow(std::size_t source, std::size_t destination, std::size_t wires);

/// Checks that the network is as described above:
/// - links lead from a node to another one, rates and weights within range;
/// - routes go link by link from the source to the destination, forwarded by switches only, and no route
///   takes a link twice (it may pass a switch twice: random-root routing in a tree does); classes are none
///   or one for each link, below what the link has;
/// - shares are above 0 and sum to 1, rates are above 0, those of flows with bursts such that the bursts are
///   possible, and the rates of one source's other flows sum to at most most_sent().
///
/// COST  linear in the size of the network and its routes, apart from sorting the links.
/// \throws InvalidArgument  naming the link or the flow
void require_valid(const Network& network);

}  // namespace tailbound::network
