#pragma once

#include <tailbound/network/fabric/fabric_symmetry.hpp>
#include <tailbound/network/queue_traffic.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// The arrival rates at each queue of a fabric, found without listing flows or routes.
///
/// MODEL     queue_traffic.hpp, independent source arrivals; each queue in packet times of its link
/// RESULT    the same rates, exactly: whole numbers of one common denominator. The packets from s that pass
///           the link u -> v to d are rate(s, d) P_d(s -> u) share_d(u, v); P_d(. -> u) by one pass upstream
///           from u over the shortest paths to d, for one link of each orbit (fabric_symmetry.hpp).
/// SOURCE    docs/derivations/fabrics.md
/// TESTS     tests/network/fabric/fabric_rates_test.cpp
namespace tailbound::network {

class FabricRates {
 public:
  static constexpr std::uint32_t none = FabricGraph::none;

  /// Queues with identical traffic.
  struct Queue {
    std::uint32_t link = 0;              ///< the first of their links
    std::uint64_t links = 0;             ///< number of these queues
    LinkRate rate{};                     ///< of each
    std::size_t first = 0, sources = 0;  ///< its kinds of sources, by ascending rates
    Rational load;                       ///< [packets/slot]

    [[nodiscard]] Rational utilization() const { return load / rate.value(); }
  };
  /// Sources of one queue with equal rates.
  struct Source {
    /// In a packet time of the link, rounded: error of at most `rate_units` unit roundoffs [packets].
    long double rate = 0;
    std::uint64_t count = 0;
  };
  static constexpr double rate_units = 12;

  [[nodiscard]] const std::vector<Queue>& queues() const { return queues_; }
  /// Position in queues() of each link's queue; none where the link has no queue (it leaves a host) or no
  /// traffic.
  [[nodiscard]] const std::vector<std::uint32_t>& queue_of_link() const { return queue_of_link_; }
  [[nodiscard]] std::vector<Source> sources(const Queue& queue) const;
  /// Exact, as from queue_traffic(in_slots_of(..)) in packet times of the link, which are its slots.
  [[nodiscard]] QueueTraffic traffic(const Network& network, const Queue& queue) const;

 private:
  friend class FabricRatesBuilder;

  std::vector<Queue> queues_;
  std::vector<std::uint32_t> queue_of_link_;
  std::size_t words_ = 2;             ///< 64-bit words per numerator
  std::vector<std::uint64_t> parts_;  ///< numerators, lowest words first
  std::vector<std::uint64_t> counts_;
  numeric::Integer denominator_ = 1;
};

/// \param orbits  of the same graph
/// \throws NoAnswer       no route leads from a node to one of its destinations
/// \throws LimitExceeded  a common denominator of all rates and shares of more than 508 bits; more than 2e10
///                        steps; more than 2e8 pairs of a vertex and a destination
[[nodiscard]] FabricRates fabric_rates(const FabricGraph& graph, const FabricOrbits& orbits);

/// [link]: does it carry packets? One that leaves a host with several links counts if this host sends.
[[nodiscard]] std::vector<bool> used_links(const Fabric& fabric, const FabricRates& rates);

/// Links with an offered load at or above their rate, in the order of their first links.
[[nodiscard]] std::vector<OverloadedLink> overloaded_links(const Network& network, const FabricRates& rates);

}  // namespace tailbound::network
