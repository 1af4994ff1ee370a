#pragma once

#include <tailbound/network/fabric/switch_groups.hpp>
#include <tailbound/sim/fabric/fabric_replication.hpp>

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/// Traffic and routes as lookup tables, for the simulation of fabrics only.
/// Internal to the sim module.
namespace tailbound::sim {

class FabricTables {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// A route entry is one of these values. Otherwise, at a switch with `masks`, it is a bit for each port to
  /// choose from; at any other it is a port, or `chosen` and the number of a Choice.
  static constexpr std::uint16_t arrived = 0xFFFF, no_route = 0xFFFE, chosen = 0x8000;
  static constexpr std::size_t max_mask_ports = 15;
  static constexpr std::size_t max_groups = 2047;  ///< intermediate groups of Valiant routes

  FabricTables(const network::Fabric& fabric, std::uint64_t max_bytes);

  /// One queue; the queues of a switch are adjacent.
  struct Queue {
    std::uint32_t cell = none;  ///< where the next switch reads; none: the link leads to a host
    std::uint32_t to = 0;       ///< node
    std::uint16_t kind = 0;
    std::uint32_t row = 0;   ///< added to the row of each packet that passes it, see FabricTimes::delays
    std::int64_t ticks = 0;  ///< of one packet; 0: unused
  };
  /// Ports of a switch to choose from.
  struct Choice {
    std::uint32_t first = 0;  ///< the first port itself; with `listed` or weights its position in `ports`
    std::uint32_t count = 0;
    std::uint32_t weights = 0;  ///< sum of the weights of the ports; 0: all are equal
    bool listed = false;        ///< the ports are not adjacent
  };
  /// A node that receives.
  struct Target {
    std::uint32_t place = none;
    std::uint32_t last_port = none;  ///< for a host with one incoming link: the port of its switch
  };
  /// A switch with queues, or a host with several links, which are its "ports".
  struct Router {
    std::uint32_t node = 0;
    std::uint32_t first_queue = 0, ports = 0;
    std::uint32_t first_cell = 0, cells = 0;  ///< that it reads
    std::uint32_t first_choice = 0;
    std::uint32_t first_sender = 0, senders = 0;
    bool host = false;
    bool masks = false;
  };
  /// A sending node. It sends by the clock of its fastest used link.
  struct Sender {
    std::uint32_t node = 0, router = 0;       ///< where its packets start
    std::int64_t ticks = 0;                   ///< of one packet
    std::uint64_t threshold = 0;              ///< packets per packet time * 2^64; all ones: 1
    std::uint32_t first_part = 0, parts = 0;  ///< in parts_: the traffic of each demand
  };
  struct Part {
    std::uint64_t bound = 0;    ///< a 64-bit draw below it selects this part
    std::uint32_t rule = 0;     ///< index of the route table
    std::uint32_t targets = 0;  ///< index of the list of destinations
    bool valiant = false;       ///< packets to other groups draw an intermediate group
  };
  /// Destinations, all equally likely or with bounds: a 64-bit draw takes the first whose bound is above it.
  struct Targets {
    std::vector<std::uint32_t> nodes;
    std::vector<std::uint64_t> bounds;
  };

  [[nodiscard]] const std::uint16_t* route_at(std::uint32_t rule, std::size_t router,
                                              std::uint32_t place) const {
    return routes_[rule].data() + router * places_ + place;
  }
  [[nodiscard]] std::uint16_t next_hop(std::uint32_t rule, std::size_t router, std::uint32_t place) const {
    return *route_at(rule, router, place);
  }

  FabricRows rows;
  QueueKinds kinds;
  std::size_t cells = 0;
  std::vector<Queue> queues;
  std::vector<Router> routers;           ///< switches first, in the order of nodes
  std::size_t switches = 0;              ///< routers that are not hosts
  std::vector<std::uint32_t> router_of;  ///< per node; none: a host with one link
  std::vector<Choice> choices;
  std::vector<std::uint32_t> ports;   ///< of choices
  std::vector<std::uint32_t> bounds;  ///< of choices: sums of weights
  std::vector<Target> target;         ///< per node
  std::vector<Sender> senders;        ///< sorted by the router at which their packets start
  std::vector<Part> parts;
  std::vector<Targets> targets;
  std::optional<network::SwitchGroups> groups;  ///< for minimal or Valiant routes
  std::uint32_t first_group_place = 0;          ///< in route tables: group 0, after the destinations
  int max_queues = 0;                           ///< on the longest route
  FabricTimes times;
  std::string identity;  ///< description and checksum of the fabric

 private:
  using Demands = std::vector<network::Demand>;
  void number_queues(const network::Network& network);
  void find_places(const network::Network& network, const Demands& demands);
  struct RouteSearch;
  void find_routes(const network::Network& network, const Demands& demands);
  void require_capacity(std::size_t tables, std::size_t links) const;
  [[nodiscard]] bool may_pass(const RouteSearch& search, std::uint32_t from, std::uint32_t to) const;
  void measure(std::size_t place, const network::Network& network, RouteSearch& search) const;
  int choose(std::size_t place, std::size_t rule, const network::Network& network, RouteSearch& search);
  void encode_routes(const std::vector<std::vector<std::vector<std::uint32_t>>>& lists);
  void find_senders(const network::Network& network, const Demands& demands);
  struct Sending;
  using WeightedNodes = std::vector<std::pair<std::uint32_t, double>>;
  void add_sending(Sending& sending, const network::Network& network, std::size_t node, double rate,
                   network::RouteRule rule, std::size_t its_targets) const;
  std::size_t add_targets(const WeightedNodes& list);
  void add_product(Sending& sending, const network::Network& network, const network::ProductDemand& product,
                   network::RouteRule rule);
  void add_sparse(Sending& sending, const network::Network& network, const network::SparseDemand& sparse,
                  network::RouteRule rule);
  void number_senders(const Sending& sending, const network::Network& network);
  void choose_tables(const Demands& demands);
  [[nodiscard]] std::uint32_t table_of(network::RouteRule rule) const;
  void check_routes(const network::Network& network);
  void check_second_legs(const network::Network& network,
                         const std::map<std::uint32_t, std::uint32_t>& places);
  [[nodiscard]] std::vector<std::uint32_t> ports_of(const Router& router, std::uint16_t next_hop) const;
  bool follow(std::uint32_t rule, std::size_t router, std::uint32_t place);
  void find_clocks(const network::Fabric& fabric);

  std::vector<std::uint32_t> queue_of_link_;  ///< none: of a host with one link
  std::vector<std::uint32_t> weight_;         ///< per queue's link
  std::vector<bool> used_;  ///< per queue, apart from last ports; empty if all links have one speed
  std::array<std::vector<bool>, 2> followed_;  ///< by table, for each router and destination
  std::size_t places_ = 0;
  std::vector<std::vector<std::uint32_t>> place_nodes_;  ///< where the route to each destination ends
  std::array<std::vector<std::uint16_t>, 2> routes_;     ///< by table, for each router and destination
  std::array<network::RouteRule, 2> rule_of_table_{
      network::RouteRule::shortest,
      network::RouteRule::spread};  ///< shortest, spread or minimal: at most two of them are in use
  std::uint64_t max_bytes_;
};

}  // namespace tailbound::sim
