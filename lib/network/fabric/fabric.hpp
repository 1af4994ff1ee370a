#pragma once

#include <tailbound/network/fabric/routing.hpp>
#include <tailbound/network/network.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// A network whose traffic is said in a few words: what is kept grows with its nodes and links, not with its
/// pairs of hosts nor with the ways between these.
///
/// MODEL     network.hpp, without bursts. A node sends at most one packet a slot, of whichever demand.
/// TESTS     tests/network/demands/demands_test.cpp
namespace tailbound::network {

/// Traffic that is a product: from s to each other node d of the same group rate(s, d) = out(s) * in(d)
/// packets a slot, none from a node to itself. Uniform traffic, all to all within groups, n to 1, hot spots and
/// gravity are such.
struct ProductDemand {
  std::vector<Rational> values;      ///< the numbers that occur; the first is 0
  std::vector<std::uint32_t> out;    ///< of each node, a position in `values`; 0: it sends nothing
  std::vector<std::uint32_t> in;     ///< likewise; 0: it receives nothing
  std::vector<std::uint32_t> group;  ///< of each node; empty: all are of one

  [[nodiscard]] bool together(std::size_t s, std::size_t d) const {
    return s != d && (group.empty() || group[s] == group[d]);
  }
};

/// Traffic as a list, for matrices most of whose entries are 0, and for permutations.
struct SparseDemand {
  struct Entry {
    std::uint32_t from = 0, to = 0;  ///< positions in Network::nodes, different
    std::uint32_t rate = 0;          ///< a position in `values`, not 0
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Rational> values;  ///< the rates that occur [packets/slot]; the first is 0
  std::vector<Entry> entries;    ///< by destination, then by source; no two alike in both
};

/// One class of traffic.
struct Demand {
  std::string name;  ///< may be empty
  RouteRule route = RouteRule::shortest;
  std::variant<ProductDemand, SparseDemand> rates;
};

struct Fabric {
  Network network;  ///< nodes and links; no flows
  std::vector<Demand> demands;
};

/// What each node sends in all, by demand after demand [packets/slot].
[[nodiscard]] std::vector<Rational> sent_by_node(const Fabric& fabric);

/// Lists what the demands stand for behind the network's flows, each with its routes: flows
/// "source -> destination", behind the name of a demand that has one ("storage: a -> b"), demand by demand and
/// source by source.
/// \throws LimitExceeded    more than most_routes flows or routes (routing.hpp)
/// \throws NoAnswer         no way leads from a node to one that it sends to
/// \throws InvalidArgument  as require_valid()
void add_flows(Network& network, std::span<const Demand> demands);

/// The same network with its traffic as a list.  \throws as add_flows()
[[nodiscard]] Network written_out(const Fabric& fabric);

}  // namespace tailbound::network
