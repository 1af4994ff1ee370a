#include <tailbound/numeric/real.hpp>
#include <tailbound/queue/tail_bounds/source_chain.hpp>

#include <cmath>
#include <limits>

namespace tailbound::queue {

double double_above(const numeric::Rational& value) {
  const double nearest = numeric::nearest_double(value);
  if (numeric::to_rational(nearest) >= value) return nearest;
  return std::nextafter(nearest, std::numeric_limits<double>::infinity());
}

}  // namespace tailbound::queue
