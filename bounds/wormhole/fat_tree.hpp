#pragma once

#include <tailbound/network/channels/butterfly_fat_tree.hpp>

#include <optional>
#include <vector>

/// The butterfly fat-tree's equations in closed form: the recursion of the paper. The general equations of
/// bounds/wormhole/latency.hpp must give the same.
///
/// MODEL     as latency.hpp; levels are numbered as in the paper
/// SOURCE    Greenberg and Guan 1997a, eqs. (16)-(26), with its margin notes: the stations of two links up
///           have the rate of both, in (21) and (23). network::FatTreeVariant defines P_l in (22).
/// TESTS     tests/bounds/wormhole/fat_tree_test.cpp
namespace tailbound::bounds::wormhole {

/// Times in message lengths, as in latency.hpp.
struct FatTreePoint {
  double load = 0;                              ///< flits/cycle/processor
  std::vector<double> down_service, down_wait;  ///< [l]: x and W of <l + 1, l>
  std::vector<double> up_service, up_wait;      ///< [l]: x and W of <l, l + 1>; the source's at 0
  double mean_distance = 0;

  /// Mean latency of messages of `flits` flits [cycles], eq. (25).
  [[nodiscard]] double latency(double flits) const {
    return flits * (up_wait.front() + up_service.front()) + mean_distance - 1;
  }
};

/// Nothing if a channel would be saturated.
/// \param levels  n, 1 .. 12 (N = 4^n)
/// \param load    >= 0
/// \throws InvalidArgument  levels or load out of range
[[nodiscard]] std::optional<FatTreePoint> fat_tree(int levels, double load, network::FatTreeVariant variant);

/// The load at which eq. (26) holds, to 1e-15 [flits/cycle/processor]; by bisection. \throws as fat_tree()
[[nodiscard]] double fat_tree_saturation(int levels, network::FatTreeVariant variant);

}  // namespace tailbound::bounds::wormhole
