#pragma once

#include <tailbound/network/fabric/routing.hpp>
#include <tailbound/network/network.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The usual networks of data centres and of parallel computers, as short network files.
///
/// MODEL     Every cable is a link in each direction. Hosts are h0, h1, ...; hosts of one switch have
///           consecutive numbers.
/// RESULT    text for read_network() and read_fabric() (network/files/network_file.hpp). Its size does not
///           grow with the network, except for random graphs, whose links are listed.
/// TESTS     tests/network/demands/fabrics_test.cpp: read back, link by link as defined, and counted
namespace tailbound::network {

/// Folded Clos network of switches with `radix` ports, half of them down: 2 (radix/2)^levels hosts. (Tree, of
/// tree.hpp, counts the ports of one side only.)
/// SOURCE  Al-Fares, Loukissas and Vahdat 2008 (3 levels)
struct FatTree {
  static constexpr const char* name = "fat-tree";
  int radix = 4;   ///< even, 2 .. 128
  int levels = 3;  ///< 2 or 3
};

/// Each leaf switch is joined to each spine switch.
struct LeafSpine {
  static constexpr const char* name = "leaf-spine";
  int leaves = 4, spines = 2;  ///< 1 .. 10 000
  int hosts = 4;               ///< per leaf
  Rational uplink_rate = 1;    ///< packets per slot between leaf and spine, as LinkRate
};

/// A switch is joined to its neighbours in each dimension. From host to host the last dimension changes
/// fastest. By RouteRule::shortest a route corrects the last dimension first, as in the built-in mesh of
/// wormhole networks.
struct Mesh {
  static constexpr const char* name = "mesh";
  std::vector<int> sides{4, 4};  ///< one to six, each 2 or more
  int hosts = 1;                 ///< per switch
};

/// A switch is joined to both neighbours in each dimension, with wrap-around.
struct Torus {
  static constexpr const char* name = "torus";
  std::vector<int> sides{4, 4};  ///< one to six, each 2 or more
  int hosts = 1;                 ///< per switch
};

/// A switch is joined to all others in each dimension. One dimension is a full mesh, two a flattened
/// butterfly.
/// SOURCE  Ahn, Binkert, Davis, McLaren and Schreiber 2009
struct HyperX {
  static constexpr const char* name = "hyperx";
  std::vector<int> sides{4, 4};
  int hosts = 4;
};

/// Groups of switches: all pairs within a group are joined, and one cable joins each pair of groups.
/// SOURCE  Kim, Dally, Scott and Abts 2008
struct Dragonfly {
  static constexpr const char* name = "dragonfly";
  int routers = 4;  ///< per group
  int hosts = 2;    ///< per switch
  int wires = 2;    ///< per switch, to other groups
  int groups = 9;   ///< 2 .. routers * wires + 1
};

/// The graphs of McKay, Miller and Siran: 2 q^2 switches with (3 q -+ 1)/2 links to other switches each, and
/// diameter 2.
/// SOURCE  Hafner 2004; Besta and Hoefler 2014
struct SlimFly {
  static constexpr const char* name = "slimfly";
  int prime = 5;             ///< q, or a power of a prime, 4 .. 223
  std::optional<int> hosts;  ///< per switch; default half of its links, rounded up
};

/// A connected random graph in which each switch has the same number of links to others: pairs of free ports
/// are joined in random order, then the remaining ones by exchanges.
/// SOURCE  Singla, Hong, Popa and Godfrey 2012
struct Jellyfish {
  static constexpr const char* name = "jellyfish";
  int switches = 20;  ///< 3 .. 100 000
  int degree = 4;     ///< links to other switches: 2 or more, below `switches`; switches * degree is even
  int hosts = 4;      ///< per switch
  std::uint64_t seed = 1;
};

using FabricShape = std::variant<FatTree, LeafSpine, Mesh, Torus, HyperX, Dragonfly, SlimFly, Jellyfish>;
/// The names of all fabrics, in this order.
[[nodiscard]] std::vector<std::string> fabric_names();

/// Facts that follow from its definition.
struct FabricFacts {
  std::string name;  ///< "fat-tree of 4-port switches, 3 levels"
  std::int64_t hosts = 0, switches = 0;
  std::int64_t host_wires = 0, switch_wires = 0;  ///< cables to hosts, and between switches
  int ports = 0;                                  ///< maximum of a switch
  std::optional<int> diameter;            ///< maximum distance between two switches that have hosts [links]
  std::optional<std::int64_t> bisection;  ///< minimum number of cables between two halves of the hosts
};

/// \throws InvalidArgument  a number out of range, more hosts, switches or links than network files may have,
///                          or no random graph was found
[[nodiscard]] FabricFacts facts_of(const FabricShape& shape);

/// Traffic to include in the file.
struct FabricTraffic {
  Rational uniform = Rational(1) / 2;  ///< packets per slot that each host sends
  RouteRule route = default_route;
};

/// Of a mesh shortest, which cannot deadlock there.
[[nodiscard]] RouteRule default_route_of(const FabricShape& shape);

/// \throws InvalidArgument  as facts_of()
[[nodiscard]] std::string to_toml(const FabricShape& shape, const std::optional<FabricTraffic>& traffic);

}  // namespace tailbound::network
