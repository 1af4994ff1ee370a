#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

/// The fields of a struct as a tuple, without listing them. Internal to the library.
///
/// MODEL     a struct of at most 18 fields, public and its own (no base, no C array), initialized by braces.
/// The number of
///           fields is the maximum number of initializers it accepts, each of a type that converts to any
///           other. If that
///           is another number, fields_of() does not compile.
/// TESTS     tests/answers/points/stored_test.cpp
namespace tailbound::answers::stored {

struct Anything {
  template <class T>
  operator T() const;  // implicit, never called
};

template <class Struct, std::size_t... places>
[[nodiscard]] constexpr bool takes(std::index_sequence<places...>) {
  return requires {
    Struct{(static_cast<void>(places), Anything())...};
  };
}

inline constexpr std::size_t max_fields = 18;

/// Counted downwards: with fewer initializers, the remaining fields would need default values.
template <class Struct, std::size_t tried = max_fields + 1>
[[nodiscard]] constexpr std::size_t field_count() {
  if constexpr (tried == 0 || takes<Struct>(std::make_index_sequence<tried>()))
    return tried;
  else
    return field_count<Struct, tried - 1>();
}

template <class Struct>
[[nodiscard]] constexpr auto fields_of(Struct& x) {
  constexpr std::size_t count = field_count<std::remove_const_t<Struct>>();
  static_assert(count <= max_fields, "fields_of() knows fewer fields");
  if constexpr (count == 0) {
    static_cast<void>(x);
    return std::tuple<>();
  } else if constexpr (count == 1) {
    auto& [a] = x;
    return std::tie(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = x;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = x;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = x;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = x;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = x;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = x;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = x;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = x;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (count == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  }
}

}  // namespace tailbound::answers::stored
