#pragma once

#include <tailbound/network/messages/message_class.hpp>
#include <tailbound/network/route_rule.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// A network of switches: nodes, links, flows and the routes of the flows.
///
/// MODEL     Time is slotted. Every link that leaves a switch has its own output queue, which sends at the
///           rate of the link, the highest waiting class first. Hosts send and receive but never forward, and
///           the links that leave them have no queue. Wormhole networks (network/worms/worm_network_file.hpp)
///           use the same routes without slots and queues; queues ignore the fields for wormhole networks.
/// EXCLUDES  queueing, which is for bounds/ (analysis) and sim/ (simulation).
namespace tailbound::network {

using numeric::Rational;

struct Node {
  static constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();

  std::string name;
  bool host = false;  ///< otherwise a switch
  std::uint32_t group =
      no_group;                ///< of a switch, for Valiant routes (switch_groups.hpp); groups count from 0
  bool shared_memory = false;  ///< of a switch: its queues share one memory when buffers are computed
};

/// The rate of a link: `packets` packets in `slots` slots, in lowest terms.
struct LinkRate {
  static constexpr int max_packets = 128, max_slots = 128;

  int packets = 1;  ///< 1 .. 128
  int slots = 1;    ///< 1 .. 128; 2 for a link of 5/2 packets per slot

  /// \throws InvalidArgument  `what`: not above 0, or its numerator or denominator out of range
  [[nodiscard]] static LinkRate of(const Rational& packets_per_slot, const std::string& what);

  [[nodiscard]] Rational value() const { return Rational(packets) / slots; }
  [[nodiscard]] bool is_whole() const { return slots == 1; }
  /// Maximum number of packets whose last bits may leave in one slot.
  [[nodiscard]] int max_per_slot() const { return (packets + slots - 1) / slots; }
  [[nodiscard]] std::string text() const {
    return std::to_string(packets) + (slots == 1 ? "" : "/" + std::to_string(slots));
  }
  friend auto operator<=>(const LinkRate&, const LinkRate&) = default;  ///< an arbitrary order
};

/// One direction of a cable. Several links from one node to another form a bundle, each with a queue of its
/// own. Packets on spread routes take any of them, in proportion to their weights; on other routes all
/// packets of a flow take the one given by wire_of_flow().
struct Link {
  std::size_t from = 0, to = 0;  ///< positions in Network::nodes
  LinkRate rate{};  ///< in wormhole networks: the number of parallel physical channels, a whole number
  int classes = 1;  ///< of virtual channels, in wormhole networks only; 1 .. 16
  int virtual_channels = 1;  ///< per class and physical channel, in wormhole networks only; 1 .. 16
  int weight = 1;            ///< for spread routes: packets choose the link in proportion to it; 1 .. 1000000
  int wire = 0;              ///< number within a bundle, from 1; 0: the only link between its ends
};

/// One path of a flow's packets.
struct Route {
  std::vector<std::size_t> links;  ///< positions in Network::links, from the source to the destination
  Rational share = 1;              ///< fraction of the flow's packets, chosen for each packet independently
  /// of virtual channels, in wormhole networks only: one for each link; empty: all 0
  std::vector<int> classes{};
};

struct Flow {
  static constexpr int max_classes = 8;

  std::string name;
  std::size_t source = 0, destination = 0;  ///< positions in Network::nodes
  Rational rate;                            ///< packets/slot, above 0
  std::vector<Route> routes;                ///< shares sum to 1
  std::optional<traffic::Burst> burst{};    ///< burstiness of its packets; without it, slots are independent
  int priority = 1;                 ///< class of its packets, 1 .. 8: every queue serves class 1 first
  std::optional<RouteRule> rule{};  ///< by which its routes were found; none: they are given
  /// Position in Network::message_classes, in wormhole networks only; none: of each class without flows of
  /// its own that answers no other.
  std::optional<std::size_t> message_class{};
};

/// A flow with bursts is an on-off source of its own (traffic/on_off.hpp). All other flows of a node are sent
/// together, from as many lanes as its fastest link sends packets per slot. Each lane sends, independently of
/// the others, at most one packet per slot, of a flow of rate r with probability r / lanes.
struct Network {
  static constexpr int max_wires = 1024;  ///< of a bundle

  std::string name;
  std::vector<Node> nodes;
  std::vector<Link> links;
  std::vector<Flow> flows;
  std::optional<Rational> gbps{};  ///< link speed that is one packet per slot [Gbit/s], if given in the file
  Rational file_slots = 1;         ///< slots of this network in one of its file (clocks/link_clocks.hpp)
  std::uint64_t route_seed = 1;    ///< of the hashes of RouteRule::ecmp
  std::vector<std::string> remarks{};  ///< how ambiguous parts of its files were understood
  std::vector<MessageClass>
      message_classes{};  ///< in wormhole networks only; none: all messages are of one kind

  [[nodiscard]] bool has_queue(std::size_t link) const { return !nodes[links[link].from].host; }
  /// The lowest class of any flow; 1 if all flows have the same class.
  [[nodiscard]] int classes() const;
  /// The maximum rate of each node [packets/slot]: the rate of its fastest outgoing link, 1 if it has none.
  [[nodiscard]] std::vector<Rational> send_limits() const;
  /// Of the fastest link on which a flow leaves its source [packets/slot]: bursts are by the clock of that
  /// link. 1 without a route.
  [[nodiscard]] Rational send_rate(const Flow& flow) const;
  /// The number of lanes of each node, see above.
  [[nodiscard]] std::vector<int> lanes() const;
  /// "left -> right", in a bundle "left -> right (wire 2)"
  [[nodiscard]] std::string link_name(std::size_t link) const {
    const int wire = links[link].wire;
    return nodes[links[link].from].name + " -> " + nodes[links[link].to].name +
           (wire == 0 ? "" : " (wire " + std::to_string(wire) + ")");
  }
  /// "left -> right"; with classes of messages "left -> right (request)"
  [[nodiscard]] std::string flow_name(const Flow& flow) const {
    return nodes[flow.source].name + " -> " + nodes[flow.destination].name +
           (flow.message_class ? " (" + message_classes[*flow.message_class].name + ")" : "");
  }
  /// Numbers the links of bundles (links with the same ends) in their order; a remark gives their count.
  void number_wires();
  [[nodiscard]] bool has_bundles() const;
};

/// The rules by which the routes of the flows were found, each once, in the order of RouteRule; a none at the
/// end if routes are given.
[[nodiscard]] std::vector<std::optional<RouteRule>> rules_of(const Network& network);

/// The link of a bundle of `wires` that the packets of a flow take: a number from 0, the same for the same
/// ends everywhere.
[[nodiscard]] std::size_t wire_of_flow(std::size_t source, std::size_t destination, std::size_t wires);

/// The hash by which the node `at` chooses a link for a flow.
[[nodiscard]] std::uint64_t ecmp_hash(std::size_t source, std::size_t destination, std::size_t at,
                                      std::uint64_t seed);

/// Checks that the network is as described above:
/// - links lead from one node to another, with rates and weights within range;
/// - routes lead link by link from the source to the destination, are forwarded by switches only, and take no
///   link twice (they may pass a switch twice, as random-root routing in a tree does); classes are empty or
///   one for each link, below the number of classes of the link;
/// - shares are above 0 and sum to 1; rates are above 0; rates of flows with bursts allow these bursts; the
///   rates of one source's other flows sum to at most send_limits(), for each class of messages.
///
/// COST  linear in the size of the network and its routes, apart from sorting the links.
/// \throws InvalidArgument  naming the link or the flow
void require_valid(const Network& network);

}  // namespace tailbound::network
