#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

namespace tailbound::queue {

/// Target probabilities. Internal to the queue module.
/// \throws InvalidArgument  not above 0 and below 1
inline void check_target(const numeric::Rational& target) {
  if (target <= 0 || target >= 1)
    throw InvalidArgument("target", numeric::to_fraction(target), "above 0 and below 1");
}

}  // namespace tailbound::queue
