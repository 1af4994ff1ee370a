#include <tailbound/bounds/multistage/blocking.hpp>
#include <tailbound/bounds/multistage/published.hpp>

#include <cln/rational.h>

namespace tailbound::bounds::multistage {

Point solve(const network::CombiningMultistage& network, const numeric::Rational& load, Variant variant) {
  network::check_load(load);
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
