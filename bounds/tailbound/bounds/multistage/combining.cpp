#include <tailbound/bounds/multistage/blocking.hpp>
#include <tailbound/bounds/multistage/published.hpp>
#include <tailbound/core/error.hpp>

#include <cln/rational.h>

namespace tailbound::bounds::multistage {

Point solve(const network::CombiningMultistage& network, const numeric::Rational& load, Variant variant) {
  if (!(load > 0 && load <= 1))
    throw InvalidArgument("load", numeric::to_fraction(load), "above 0 and at most 1 request a service time");
  const double rate = numeric::nearest_double(load);
  return variant == Variant::published ? published(network, rate) : blocking(network, rate);
}

numeric::Rational saturation_without_combining(const network::CombiningMultistage& network) {
  network::check(network);
  const numeric::Rational& h = network.hot;
  const numeric::Rational busy = 1 - h + h * network.network.nodes / network.network.switch_size;
  return 1 / busy;
}

}  // namespace tailbound::bounds::multistage
