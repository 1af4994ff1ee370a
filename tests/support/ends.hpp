#pragma once

#include <catch2/catch.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/queue/passage/markov_engine.hpp>

#include <cmath>
#include <string>
#include <variant>

#include <tests/support/finite_chain.hpp>
#include <tests/support/fraction.hpp>

/// Accessors of proved numbers for tests.
namespace tailbound::test {

/// Both ends of a proved number, exactly.
struct Ends {
  Fraction lower, upper;

  [[nodiscard]] bool contains(const Fraction& value) const { return lower <= value && value <= upper; }
  [[nodiscard]] bool meets(const Ends& other) const { return lower <= other.upper && other.lower <= upper; }
  [[nodiscard]] bool narrow(int digits) const { return upper - lower <= power_of_ten(-digits) * lower; }
  [[nodiscard]] long double middle() const { return static_cast<long double>(Fraction((lower + upper) / 2)); }
  [[nodiscard]] std::string text() const {
    return "[" + Float100(lower).str(40) + ", " + Float100(upper).str(40) + "]";
  }
};
inline Ends operator+(const Ends& a, const Ends& b) {
  return {a.lower + b.lower, a.upper + b.upper};
}

template <class Unit>
[[nodiscard]] Ends ends(const numeric::Exact<Unit>& exact) {
  const Fraction value = fraction_of(exact.value);
  return {value, value};
}
template <class Unit>
[[nodiscard]] Ends ends(const numeric::Enclosure<Unit>& enclosure) {
  return {fraction_of(enclosure.lower()), fraction_of(enclosure.upper())};
}
/// Of a number of any kind that is proved.
template <class... Kinds>
[[nodiscard]] Ends ends(const std::variant<Kinds...>& number) {
  return std::visit(
      [](const auto& its) -> Ends {
        if constexpr (requires { ends(its); })
          return ends(its);
        else
          FAIL("neither exact nor an enclosure");
        return {};
      },
      number);
}
[[nodiscard]] inline Ends ends(const queue::Bounds& bounds) {
  return {fraction_of(bounds.lower), fraction_of(bounds.upper)};
}

template <class Unit>
[[nodiscard]] numeric::Approximation<Unit> approximated(const numeric::Claim<Unit>& claim) {
  REQUIRE(std::holds_alternative<numeric::Approximation<Unit>>(claim));
  return std::get<numeric::Approximation<Unit>>(claim);
}

template <class Unit>
[[nodiscard]] double computed(const numeric::Claim<Unit>& claim) {
  return static_cast<double>(approximated(claim).value);
}

template <class Unit>
[[nodiscard]] long double middle(const numeric::Claim<Unit>& claim) {
  return ends(claim).middle();
}

[[nodiscard]] inline bool near(long double value, long double reference, long double relative) {
  return std::abs(value / reference - 1) <= relative;
}

/// |a - b| / |b|.
[[nodiscard]] inline double apart(long double a, long double b) {
  return static_cast<double>(std::abs(a - b) / std::abs(b));
}
[[nodiscard]] inline double apart(const queue::Bounds& one, const queue::Bounds& other) {
  return apart(static_cast<long double>(one.lower), static_cast<long double>(other.lower));
}

}  // namespace tailbound::test
