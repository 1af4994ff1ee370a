#pragma once

#include <tailbound/network/network.hpp>
#include <tailbound/network/worms/worm_network.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Networks from files (network_file.hpp, FileUse::worms) as wormhole networks.
///
/// MODEL     Nodes, links and routes of the file. The rate of a link is its number of parallel physical
///           channels, each with `classes` times `virtual_channels` virtual channels. All channels of a link
///           and class are a station: a message takes any free one. A route names the class on each link, or
///           takes class 0. The links that leave a host are its injection channels, those into it its
///           ejection channels; a switch that sends or receives has channels of its own for that. Shares of
///           routes become variants, as many as their common denominator.
/// EXCLUDES  reading files; bursts
/// TESTS     tests/network/worms/worm_network_file_test.cpp, tests/fuzz/fuzz_worm_network.cpp
namespace tailbound::network {

inline constexpr std::size_t max_worm_channels = 4'000'000;
inline constexpr std::uint32_t max_worm_variants = 10'000;

/// A link, or the injection or ejection channel of a switch, as used by the flows.
struct PhysicalChannel {
  std::string name;                    ///< "left -> right", "ejection at left"
  numeric::Rational utilization;       ///< flits per cycle and physical channel at load 1, exact; above 0
  std::vector<std::uint32_t> sources;  ///< nodes whose messages cross it, ascending
};

class RoutedWormNetwork : public WormNetwork {
 public:
  /// COST  linear in the network and its routes
  /// \throws InvalidArgument  require_valid() fails; no flows, a flow with bursts or to its own source, two
  ///                          flows for the same pair of nodes
  /// \throws LimitExceeded    more channels, or a larger common denominator of the shares, than the limits
  ///                          above
  explicit RoutedWormNetwork(const Network& network);
  /// One of its virtual networks: the same nodes and physical channels, the flows of some classes of
  /// messages.
  /// \param flows             positions in Network::flows; those with equal ends and routes are merged
  /// \param virtual_channels  of each link and dateline class; default: those of the file
  /// \throws InvalidArgument  as above; two flows for the same pair of nodes with different routes
  RoutedWormNetwork(const Network& network, const std::vector<std::size_t>& flows,
                    std::optional<int> virtual_channels);

  /// The flows of the file; only these have paths.
  [[nodiscard]] const WormTraffic& traffic() const { return traffic_; }
  /// Channels that messages cross.  COST  a rational addition for each channel of each route
  [[nodiscard]] std::vector<PhysicalChannel> physical_channels() const;
  [[nodiscard]] std::uint32_t next_station(const WormHead& head) const override;
  [[nodiscard]] std::string channel_name(std::uint32_t channel) const override;
  [[nodiscard]] std::string node_name(std::uint32_t node) const override { return nodes_[node]; }

 private:
  class Builder;
  explicit RoutedWormNetwork(Builder&& builder);
  [[nodiscard]] std::size_t flow_of(std::uint32_t source, std::uint32_t destination) const;
  /// "left -> right", "injection at left": what the station belongs to.
  [[nodiscard]] std::string owner_name(std::uint32_t station) const;

  /// Stations on the path of the variants from those of the previous route to `variants_end`, exclusive.
  struct Path {
    std::uint32_t variants_end = 0;
    std::size_t first = 0, end = 0;  ///< positions in steps_
  };
  /// A link, or a node with its injection or ejection channel.
  struct Owner {
    enum class Kind : unsigned char { link, injection, ejection } kind = Kind::link;
    std::uint32_t at = 0;
  };

  std::vector<std::string> nodes_;
  std::vector<Link> links_;                  ///< with the virtual channels of this virtual network
  std::vector<Owner> owners_;                ///< [station]
  std::vector<std::size_t> flows_of_;        ///< [node]: the first flow from it; and the end
  std::vector<std::uint32_t> destinations_;  ///< [flow], ascending for each source
  std::vector<std::size_t> paths_of_;        ///< [flow]: its first path; and the end
  std::vector<Path> paths_;
  std::vector<std::uint32_t> steps_;  ///< stations
  WormTraffic traffic_;
  std::vector<numeric::Rational> rates_;  ///< [flow]: as in the file
  numeric::Rational scale_ = 1;           ///< from these rates to those of traffic_
};

}  // namespace tailbound::network
