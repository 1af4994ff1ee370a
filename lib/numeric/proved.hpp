#pragma once

#include <tailbound/numeric/truth.hpp>

#include <type_traits>
#include <variant>

namespace tailbound::numeric {

/// A proved number: the exact value where it is a rational of moderate size, an enclosure otherwise.
template <class Unit>
using Proved = std::variant<Exact<Unit>, Enclosure<Unit>>;

/// A number that is proved where possible and marked where it is not; by default nothing is claimed. With an
/// UpperBound the number itself is unknown; only queries for bounds return one.
template <class Unit>
using Claim = std::variant<Approximation<Unit>, Exact<Unit>, Enclosure<Unit>, UpperBound<Unit>>;

/// A proved number as a claim.
template <class Unit>
[[nodiscard]] Claim<Unit> to_claim(const Proved<Unit>& proved) {
  return std::visit([](const auto& truth) -> Claim<Unit> { return truth; }, proved);
}

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

/// Whether the number is proved to be at most `bar`. False also if unknown.
template <class Unit>
[[nodiscard]] bool surely_at_most(const Proved<Unit>& proved, const Rational& bar) {
  if (const auto* exact = std::get_if<Exact<Unit>>(&proved)) return exact->value <= bar;
  return compare(std::get<Enclosure<Unit>>(proved).upper(), bar) <= 0;
}

/// Whether the number is proved to be above `bar`. False also if unknown.
template <class Unit>
[[nodiscard]] bool surely_above(const Proved<Unit>& proved, const Rational& bar) {
  if (const auto* exact = std::get_if<Exact<Unit>>(&proved)) return exact->value > bar;
  return compare(std::get<Enclosure<Unit>>(proved).lower(), bar) > 0;
}

}  // namespace tailbound::numeric
