#include <tailbound/bounds/multistage/blocking.hpp>
#include <tailbound/bounds/multistage/published.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <boost/math/tools/toms748_solve.hpp>

#include <cstdint>

namespace tailbound::bounds::multistage {

Point solve(const network::CombiningMultistage& network, const numeric::Rational& load, Variant variant) {
  network::check_load(load);
  // Outputs that never conflict are an assumption of the published variant.
  if (variant == Variant::published && network.links == network::Links::one)
    throw InvalidArgument("links", name_of(network.links), "any with the published model");
  const double rate = numeric::nearest_double(load);
  return variant == Variant::published ? published(network, rate) : blocking(network, rate);
}

std::optional<double> saturation(const network::CombiningMultistage& network) {
  // Above 0 where at least that fraction is delivered.
  const auto spare = [&](double load) {
    constexpr int max_rounds =
        1000;  // if the iteration oscillates, its amplitude is less than 1 minus the fraction
    return blocking(network, load, max_rounds).throughput / load - carried_share;
  };
  double high = numeric::nearest_double(network::saturation_bound(network));
  double above = spare(high);
  if (above >= 0) return high < 1 ? std::optional(high) : std::nullopt;
  constexpr double near = 0.8;  // fraction of the throughput at saturation: usually a load that is carried
  double low = near * (above + carried_share) * high, below = spare(low);
  for (; below < 0; low /= 2, below = spare(low)) high = low, above = below;
  std::uintmax_t maximum = 60;
  return boost::math::tools::toms748_solve(
             spare, low, high, below, above,
             [](double from, double to) { return to - from <= saturation_resolution * from; }, maximum)
      .first;
}

}  // namespace tailbound::bounds::multistage
