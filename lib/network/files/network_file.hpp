#pragma once

#include <tailbound/network/fabric/fabric.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Networks as text: TOML for nodes, links and flows, CSV for traffic matrices.
///
/// MODEL     docs/networks.md describes both formats for their users. Rates and shares are exact: 0.3 is
///           3/10.
/// EXCLUDES  reading files: the caller does this, and passes the text.
/// LIMITS    64 MB, 10 000 000 values, 200 000 nodes, 2 000 000 links, those of routing.hpp, names of 200
///           bytes; rates and shares with a common denominator of at most 256 bits.
/// TESTS     tests/network/files/network_file_test.cpp, tests/fuzz/fuzz_network.cpp
namespace tailbound::network {

/// A traffic matrix named in a network file; the caller reads it and adds it to the network.
struct MatrixReference {
  std::string file;  ///< as written; relative to the network file unless absolute
  RouteRule route = default_route;
};

/// A sparse traffic matrix named in a network file; the caller reads it with a SparseDemandReader
/// (network/demands/demands.hpp).
struct PairsReference {
  std::string file;  ///< as written; relative to the network file unless absolute
  std::string name;  ///< of the class of traffic; may be empty
  RouteRule route = default_route;
};

/// The traffic matrix of a class of messages; the caller reads it and adds it to the network.
struct ClassMatrix {
  MatrixReference matrix;
  std::size_t message_class = 0;  ///< position in Network::message_classes
};

/// What the network carries. This determines the keys that a file may have.
enum class FileUse {
  packets,
  worms,    ///< links may have virtual channels; no bursts, one flow per pair of nodes
  policed,  ///< flows have token buckets (network/policed/policed_file.hpp, which reads it)
};

/// The rule of flows, matrices and traffic that name none: a message of a wormhole network and a flow with a
/// guarantee have a single route.
[[nodiscard]] constexpr RouteRule default_route_of(FileUse use) {
  return use == FileUse::packets ? default_route : RouteRule::shortest;
}

/// Where the flows come from.
enum class FlowsFrom {
  file,
  elsewhere,  ///< the caller adds flows: the file may omit them; of its [traffic], which is checked, only the
              ///< route is used
};

struct NetworkFile {
  Network network;  ///< satisfies require_valid(); hosts come before switches
  std::optional<MatrixReference>
      matrix;  ///< without this and without pairs the network has a flow, except with FlowsFrom::elsewhere
  std::vector<PairsReference> pairs{};
  std::vector<ClassMatrix> class_matrices{};
  /// Of all its [traffic]; the default if several or none are given.
  std::optional<RouteRule> route = default_route;
  bool has_classes = false;  ///< a link or a route names classes of virtual channels
};

/// The same without a list of flows.
struct FabricFile {
  Fabric fabric;
  std::optional<MatrixReference> matrix{};  ///< for sparse_matrix()
  std::vector<PairsReference> pairs{};
  std::optional<RouteRule> route = default_route;  ///< as NetworkFile
};

/// Uniform traffic becomes a flow for each pair of nodes (for packets: network/demands/uniform_traffic.hpp).
/// Other traffic in compact form becomes as many flows as it represents.
/// \param name     of the file, for messages
/// \param without  failures in addition to those in the file (network/demands/failures.hpp); InvalidArgument
/// names it
/// \param route_seed  Network::route_seed in place of that of the file
/// \throws ParseError     with line and column where there is one
/// \throws LimitExceeded  the routes are beyond the limits of routing.hpp
[[nodiscard]] NetworkFile read_network(std::string_view toml, const std::string& name,
                                       FileUse use = FileUse::packets, FlowsFrom flows = FlowsFrom::file,
                                       std::span<const std::string> without = {},
                                       std::optional<std::uint64_t> route_seed = {});

/// Any file whose flows have neither bursts nor paths of their own; the number of communicating hosts is
/// limited only by the file. Uniform traffic is that of product_demand(). With FlowsFrom::elsewhere [traffic]
/// is ignored, except for its route.
/// \throws as read_network(), except for limits of routing.hpp
[[nodiscard]] FabricFile read_fabric(std::string_view toml, const std::string& name,
                                     FlowsFrom flows = FlowsFrom::file,
                                     std::span<const std::string> without = {});

/// A traffic matrix as a list.
/// \param remarks  receives the remarks that would go to Network::remarks
/// \throws as add_traffic_matrix(), except for routes
[[nodiscard]] SparseDemand sparse_matrix(const Network& network, std::string_view csv,
                                         const std::string& name,
                                         std::vector<std::string>* remarks = nullptr);

/// Adds a flow "source -> destination" for each cell that is neither blank nor 0. If the matrix is rejected,
/// the network is unchanged.
/// \throws as read_network()
/// \param message_class  of these flows
void add_traffic_matrix(Network& network, std::string_view csv, const std::string& name,
                        RouteRule route = default_route, std::optional<std::size_t> message_class = {});

/// Text that read_network() reads back to the same network; for networks with virtual channels with
/// FileUse::worms. The network must be within the limits above, and its flows must have different names.
/// Remarks become comments. Nodes are read back hosts first, each kind in its order.
/// \throws InvalidArgument  require_valid() fails
[[nodiscard]] std::string to_toml(const Network& network);

}  // namespace tailbound::network
