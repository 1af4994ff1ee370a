#pragma once

#include <tailbound/answers/network/load_scale.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/network/demands/failures.hpp>
#include <tailbound/network/files/network_file.hpp>
#include <tailbound/network/imports/imported.hpp>
#include <tailbound/network/reading/format_names.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Network files as queries use them: with their own flows, flows from a matrix, or uniform traffic; and with
/// scaled rates.
///
/// MODEL     lib/network/files/network_file.hpp, uniform_traffic.hpp; docs/networks.md
/// TESTS     tests/answers/network/network_input_test.cpp
namespace tailbound::answers {

/// A file name and the text of the file.
struct NamedText {
  std::string name, text;
};

/// Reads a file named in a network file, by its path: that of the network file with the name as written
/// there. `take` receives its bytes piece by piece. Exceptions of `take` propagate to the caller.
using ReadNamed =
    std::function<void(const std::string& path, const std::function<void(std::string_view bytes)>& take)>;

/// The nodes and links of a file of another program (network::foreign_format()); none for a network file.
/// \param without  failures
/// \throws ParseError       as network::read_foreign()
/// \throws InvalidArgument  "without", "speed-unit"
[[nodiscard]] std::optional<network::Network> foreign_network(const NamedText& file,
                                                              const std::vector<std::string>& without = {},
                                                              const network::ForeignReading& reading = {});

/// All of its bytes.
[[nodiscard]] std::string text_of_file(const ReadNamed& read, const std::string& path);

/// The network of a file, with the flows listed there and those of the matrix named there. For wormhole
/// networks, a file of another program has uniform traffic, bundles are parallel links, and its speeds are
/// ignored.
/// \param without     failures in addition to those of the file (network/demands/failures.hpp)
/// \param route_seed  of RouteRule::ecmp, in place of that of the file
/// \param speed_unit  of speeds without a unit, in a file of another program
/// \throws ParseError, LimitExceeded  as network::read_network() and network::add_traffic_matrix()
/// \throws InvalidArgument  "without"; "route-seed": given for a network without such routes; "speed-unit":
///                          given where no speed lacks a unit
[[nodiscard]] NetworkTopology read_network(const NamedText& file, const ReadNamed& read,
                                           network::FileUse use = network::FileUse::packets,
                                           const std::vector<std::string>& without = {},
                                           std::optional<std::uint64_t> route_seed = {},
                                           std::optional<network::SpeedUnit> speed_unit = {});

/// The same with a matrix instead of [traffic] of the file.
/// \param route  default: that of [traffic] of the file, otherwise network::default_route_of() the use
/// \throws ParseError, LimitExceeded
[[nodiscard]] NetworkTopology read_network(const NamedText& file, const NamedText& matrix,
                                           const std::optional<network::RouteRule>& route,
                                           network::FileUse use = network::FileUse::packets,
                                           const std::vector<std::string>& without = {},
                                           std::optional<std::uint64_t> route_seed = {},
                                           std::optional<network::SpeedUnit> speed_unit = {});

/// The same with uniform traffic of 1 packet per slot from each host instead of [traffic], to be scaled.
/// \param route  as above
/// \throws ParseError, LimitExceeded
/// \throws InvalidArgument  "uniform": flows in the file, or no path from one host to another;  as
///                          network::add_uniform_traffic()
[[nodiscard]] NetworkTopology read_uniform_network(const NamedText& file,
                                                   const std::optional<network::RouteRule>& route,
                                                   const std::vector<std::string>& without = {},
                                                   std::optional<std::uint64_t> route_seed = {},
                                                   std::optional<network::SpeedUnit> speed_unit = {});

/// The rules of the routes of a network that is treated as a whole.
/// \throws InvalidArgument  "route": by ecmp, which needs a list of flows
void take_routes(NetworkTopology& topology, const network::Fabric& fabric);

/// Scaling: uniform traffic to other rates, or all rates by factors. Nothing if neither is given.
struct Loads {
  std::vector<numeric::Rational> uniform{};     ///< packets per slot of each host
  std::vector<numeric::Rational> load_scale{};  ///< factors
};

/// The network at each combination of loads, the last list varying fastest. Without lists the network as it
/// is, not compared with its link capacities.
/// \throws InvalidArgument  "uniform", "load scale": out of range, or too large; names the limiting link or
///                          host
[[nodiscard]] std::vector<NetworkTopology> at_loads(const NetworkTopology& network, const Loads& loads,
                                                    Overload overload = Overload::rejected);

}  // namespace tailbound::answers
