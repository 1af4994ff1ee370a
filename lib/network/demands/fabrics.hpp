#pragma once

#include <tailbound/network/fabric/routing.hpp>
#include <tailbound/network/network.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The usual networks of data centres and of parallel computers, as small network files.
///
/// MODEL     Every wire has a link each way. Hosts are h0, h1, ..., those of one switch side by side.
/// RESULT    text for read_network() and read_fabric() (network/files/network_file.hpp), of a size that does not grow with
///           the network but for a drawn one, whose wires are listed.
/// TESTS     tests/network/demands/fabrics_test.cpp: read back, link by link as defined, and counted
namespace tailbound::network {

/// Folded Clos network of switches with `radix` ports in all, half of them down: 2 (radix/2)^levels hosts. (Tree, of
/// tree.hpp, counts the ports of one side.)
/// SOURCE  Al-Fares, Loukissas and Vahdat 2008 (3 levels)
struct FatTree {
  static constexpr const char* name = "fat-tree";
  int radix = 4;   ///< even, 2 .. 128
  int levels = 3;  ///< 2 or 3
};

/// Each leaf to each spine.
struct LeafSpine {
  static constexpr const char* name = "leaf-spine";
  int leaves = 4, spines = 2;  ///< 1 .. 10 000
  int hosts = 4;               ///< of a leaf
  int uplink_rate = 1;         ///< packets a slot between leaf and spine, 1 .. 32
};

/// A switch to both neighbours in each dimension, round in circles.
struct Torus {
  static constexpr const char* name = "torus";
  std::vector<int> sides{4, 4};  ///< one to six, each 2 or more
  int hosts = 1;                 ///< of a switch
};

/// A switch to all others in each dimension. One dimension is a full mesh, two a flattened butterfly.
/// SOURCE  Ahn, Binkert, Davis, McLaren and Schreiber 2009
struct HyperX {
  static constexpr const char* name = "hyperx";
  std::vector<int> sides{4, 4};
  int hosts = 4;
};

/// Groups of switches, within a group each to each other, and a wire between each two groups.
/// SOURCE  Kim, Dally, Scott and Abts 2008
struct Dragonfly {
  static constexpr const char* name = "dragonfly";
  int routers = 4;  ///< of a group
  int hosts = 2;    ///< of a switch
  int wires = 2;    ///< of a switch to other groups
  int groups = 9;   ///< 2 .. routers * wires + 1
};

/// The graphs of McKay, Miller and Siran: 2 q^2 switches with (3 q -+ 1)/2 wires between them, no two further apart
/// than two wires.
/// SOURCE  Hafner 2004; Besta and Hoefler 2014
struct SlimFly {
  static constexpr const char* name = "slimfly";
  int prime = 5;             ///< q, or a power of a prime, 4 .. 223
  std::optional<int> hosts;  ///< of a switch; half of its wires, rounded up, unless told
};

/// A connected random graph in which each switch has as many wires to others: pairs of free ends are joined in random
/// order, then the rest by exchanges.
/// SOURCE  Singla, Hong, Popa and Godfrey 2012
struct Jellyfish {
  static constexpr const char* name = "jellyfish";
  int switches = 20;  ///< 3 .. 100 000
  int degree = 4;     ///< wires to other switches: 2 or more, below `switches`; switches * degree is even
  int hosts = 4;      ///< of a switch
  std::uint64_t seed = 1;
};

using FabricShape = std::variant<FatTree, LeafSpine, Torus, HyperX, Dragonfly, SlimFly, Jellyfish>;
/// All their names, in this order.
[[nodiscard]] std::vector<std::string> fabric_names();

/// What is known of it from its definition.
struct FabricFacts {
  std::string name;  ///< "fat-tree of 4-port switches, 3 levels"
  std::int64_t hosts = 0, switches = 0;
  std::int64_t host_wires = 0, switch_wires = 0;  ///< to hosts, and between switches
  int ports = 0;                                  ///< most of a switch
  std::optional<int> diameter;                    ///< wires between two switches that have hosts, at most
  std::optional<std::int64_t> bisection;          ///< least wires between two halves of the hosts
};

/// \throws InvalidArgument  a number out of range, more hosts, switches or links than network files may have, or
///                          a random graph that was not found
[[nodiscard]] FabricFacts facts_of(const FabricShape& shape);

/// Traffic to put into the file.
struct FabricTraffic {
  Rational uniform = Rational(1) / 2;  ///< packets a slot that each host sends
  RouteRule route = RouteRule::spread;
};

/// \throws InvalidArgument  as facts_of()
[[nodiscard]] std::string to_toml(const FabricShape& shape, const std::optional<FabricTraffic>& traffic);

}  // namespace tailbound::network
