#pragma once

#include <tailbound/network/fabric/routing.hpp>
#include <tailbound/network/network.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// A network with traffic in compact form: memory grows with its nodes and links, not with its pairs of hosts
/// nor with the routes between them.
///
/// MODEL     network.hpp, without bursts. A node sends at most one packet per slot over all demands.
/// TESTS     tests/network/demands/demands_test.cpp
namespace tailbound::network {

/// Traffic as a product: from s to each other node d of the same group rate(s, d) = out(s) * in(d) packets
/// per slot, none from a node to itself. Uniform traffic, all-to-all within groups, n-to-1, hot spots and
/// gravity have this form.
struct ProductDemand {
  std::vector<Rational> values;      ///< the values that occur; the first is 0
  std::vector<std::uint32_t> out;    ///< per node, a position in `values`; 0: it sends nothing
  std::vector<std::uint32_t> in;     ///< per node, a position in `values`; 0: it receives nothing
  std::vector<std::uint32_t> group;  ///< per node; empty: all are in one group

  [[nodiscard]] bool together(std::size_t s, std::size_t d) const {
    return s != d && (group.empty() || group[s] == group[d]);
  }
};

/// Traffic as a list, for sparse matrices and permutations.
struct SparseDemand {
  struct Entry {
    std::uint32_t from = 0, to = 0;  ///< positions in Network::nodes, different
    std::uint32_t rate = 0;          ///< a position in `values`, not 0
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Rational> values;  ///< the rates that occur [packets/slot]; the first is 0
  std::vector<Entry> entries;    ///< sorted by destination, then by source; each pair at most once
};

/// One class of traffic.
struct Demand {
  std::string name;  ///< may be empty
  RouteRule route = default_route;
  std::variant<ProductDemand, SparseDemand> rates;
};

struct Fabric {
  Network network;  ///< nodes and links; no flows
  std::vector<Demand> demands;
};

/// What each node sends in total, demand by demand [packets/slot].
[[nodiscard]] std::vector<Rational> sent_by_node(const Fabric& fabric);

/// The rules of its demands, each once, in the order of RouteRule.
[[nodiscard]] std::vector<std::optional<RouteRule>> rules_of(const Fabric& fabric);

/// Adds the flows of the demands to the network, after its own flows, each with its routes. Flows are named
/// "source -> destination", after the name of a demand that has one ("storage: a -> b"). Their order is
/// demand by demand and source by source.
/// \throws LimitExceeded    more than max_routes flows or routes (routing.hpp)
/// \throws NoAnswer         no route leads from a node to one of its destinations
/// \throws InvalidArgument  as require_valid()
void add_flows(Network& network, std::span<const Demand> demands);

/// The same network with its traffic as a list of flows.  \throws as add_flows()
[[nodiscard]] Network written_out(const Fabric& fabric);

}  // namespace tailbound::network
