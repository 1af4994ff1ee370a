#include <tailbound/network/policed/policed_network.hpp>

#include <algorithm>

namespace tailbound::network {

std::vector<std::size_t> PolicedFlow::route_to(std::size_t hop) const {
  std::vector<std::size_t> hops{hop};
  while (hops.back() != 0) hops.push_back(hop_before(hops.back()));
  std::reverse(hops.begin(), hops.end());
  return hops;
}

std::vector<std::vector<std::size_t>> PolicedFlow::routes() const {
  if (destinations.empty()) return {route_to(path.size() - 1)};
  std::vector<std::vector<std::size_t>> all;
  for (const PolicedDestination& destination : destinations) all.push_back(route_to(destination.hop));
  return all;
}

}  // namespace tailbound::network
