#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Waits at queues whose sources send bursts with per-packet destinations.
///
/// MODEL     A queue upstream smooths packets of bursts with per-packet destinations as it smooths
///           independent ones: with G(w) = P(W > w), G(w) = min(G(w-1), G^b(w) G^E(w)/G^0(w)),  b: bursts and
///           no queue upstream, E: independent packets and queues upstream, 0: neither. Successive waits
///           depend on each other as those of independent packets do, and through the number of ON sources,
///           which the hops share.
/// RESULT    approximations. Two constants (0.38 and 3) were fitted to simulations of 4-ary trees; they
///           matter only for radix 4 and below.
/// SOURCE    docs/derivations/aged_bursts.md, (11) and (12)
/// EXCLUDES  bursts whose packets take one route
/// TESTS     tests/queue/hops/burst_waits_test.cpp
namespace tailbound::queue {

/// P(W = w) by (11).
/// \param bursts    G^b(w)
/// \param smoothed  G^E(w)
/// \param alone     G^0(w); where it is below 1e-13 the last ratio G^E/G^0 above is kept
/// \pre equal sizes, 1 or more
[[nodiscard]] std::vector<double> wait_with_bursts(std::span<const double> bursts,
                                                   std::span<const double> smoothed,
                                                   std::span<const double> alone);

/// The sources of a uniform network.
struct PerPacketSources {
  double load = 0;        ///< of each [packets/slot]
  double mean_burst = 1;  ///< L, mean length of an ON period [slots]
  double on_rate = 1;     ///< packets per slot while ON
};

/// L (1 - load) for the sources of equal load that send at rate 1 while ON and have the same variance of
/// packets over many slots: 1 + (on_rate - load)/(1 - load) (L (1 - load/on_rate) - 1); 1 without correlation
/// [slots].
/// SOURCE  the sum of the autocovariances of on-off sources; rates below 1 are not in the derivation
[[nodiscard]] double correlation_slots(const PerPacketSources& sources);

/// s_b of (12) in a k-ary n-tree: (0.38 p^2) (1 + k^(2-n)) max(0, 1 - 3/correlation_slots).
/// \param forwarded  p, the fraction of packets of the first of two queues that go on to the second
[[nodiscard]] double burst_dependence(const PerPacketSources& sources, double forwarded, double radix,
                                      int levels);

}  // namespace tailbound::queue
