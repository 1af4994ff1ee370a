#pragma once

#include <tailbound/numeric/truth.hpp>

#include <type_traits>
#include <variant>

namespace tailbound::numeric {

/// A number that is proved: the exact value where it is a rational that can be written down, an
/// enclosure otherwise.
template <class Unit>
using Proved = std::variant<Exact<Unit>, Enclosure<Unit>>;

/// The proved number as an enclosure; exact values are rounded outward to `precision`.
template <class Unit>
[[nodiscard]] Enclosure<Unit> to_enclosure(const Proved<Unit>& proved, Precision precision = {128}) {
  return std::visit(
      [&](const auto& truth) -> Enclosure<Unit> {
        if constexpr (std::is_same_v<std::decay_t<decltype(truth)>, Exact<Unit>>)
          return enclose(truth, precision);
        else
          return truth;
      },
      proved);
}

}  // namespace tailbound::numeric
