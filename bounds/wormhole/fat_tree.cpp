#include <tailbound/bounds/wormhole/fat_tree.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/queue/wormhole/worm_station.hpp>

#include <cmath>
#include <string>

namespace tailbound::bounds::wormhole {
namespace {

using network::FatTreeVariant;

/// W1 and W2, eqs. (6) and (8); nothing where the station is saturated.
std::optional<double> wait(int servers, double rate, double service) {
  if (!(rate * service < servers)) return std::nullopt;
  return queue::station_wait(servers, rate, service, queue::worm_variation(service, 1));
}

/// All of eqs. (16)-(24); false if a station is saturated.
bool solve(int levels, FatTreeVariant variant, FatTreePoint& point) {
  const auto n = static_cast<std::size_t>(levels);
  const auto beyond = [&](std::size_t l) { return network::beyond_level(levels, static_cast<int>(l)); };
  const auto rate = [&](std::size_t l) { return point.load * std::ldexp(beyond(l), static_cast<int>(l)); };
  for (std::vector<double>* times :
       {&point.down_service, &point.down_wait, &point.up_service, &point.up_wait})
    times->assign(n, 0);
  std::vector<double>&xd = point.down_service, &wd = point.down_wait;
  std::vector<double>&xu = point.up_service, &wu = point.up_wait;

  for (std::size_t l = 0; l < n; ++l) {
    // lam_l / (4 lam_(l-1)) = P_l / (2 P_(l-1)), also defined at load 0
    xd[l] = l == 0 ? 1 : xd[l - 1] + (1 - beyond(l) / (2 * beyond(l - 1))) * wd[l - 1];  // (16), (18)
    const auto waited = wait(1, rate(l), xd[l]);                                         // (17), (19)
    if (!waited) return false;
    wd[l] = *waited;
  }
  xu[n - 1] = xd[n - 1] + 2.0 / 3 * wd[n - 1];  // (20)
  for (std::size_t l = n - 1; l >= 1; --l) {
    const auto waited = wait(2, 2 * rate(l), xu[l]);  // (21), (23)
    if (!waited) return false;
    wu[l] = *waited;
    const double p =
        variant == FatTreeVariant::paper ? beyond(l) : network::further_beyond(levels, static_cast<int>(l));
    const double share = beyond(l - 1) / (2 * beyond(l));  // lam_(l-1) / lam_l
    xu[l - 1] = p * (xu[l] + (1 - share * p) * wu[l]) +    // (22)
                (1 - p) * (xd[l - 1] + (1 - (1 - p) / 3) * wd[l - 1]);
  }
  const auto waited = wait(1, point.load, xu[0]);  // (24)
  if (!waited) return false;
  wu[0] = *waited;
  return true;
}

}  // namespace

std::optional<FatTreePoint> fat_tree(int levels, double load, FatTreeVariant variant) {
  if (!(load >= 0) || !std::isfinite(load))
    throw InvalidArgument("load", std::to_string(load), "at least 0 flits/cycle/processor");
  FatTreePoint point;
  point.load = load;
  point.mean_distance = network::fat_tree_distance(levels);
  if (!solve(levels, variant, point)) return std::nullopt;
  return point;
}

double fat_tree_saturation(int levels, FatTreeVariant variant) {
  double below = 0, above = 1;
  while (above - below > 1e-15 * above) {
    const double middle = below + (above - below) / 2;
    if (middle <= below || middle >= above) break;
    (fat_tree(levels, middle, variant) ? below : above) = middle;
  }
  return below;
}

}  // namespace tailbound::bounds::wormhole
