#pragma once

#include <tailbound/answers/points/stored.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/run/bytes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// How values of any type become bytes, and bytes values. Internal to the library.
///
/// A struct is its fields one after the other. That they are so many is said once, for both ways: a field more or less
/// does not compile. Read are no more values than there are bytes.
namespace tailbound::answers::stored {

/// Public fields of a struct, all its own.
template <class Struct>
inline constexpr std::size_t field_count = 0;
/// The last of an enumeration's values, which go from 0 in steps of 1.
template <class Enum>
inline constexpr Enum last_of = Enum{};

// --- a struct as the tuple of its fields

template <class Struct>
[[nodiscard]] constexpr auto fields_of(Struct& x) {
  constexpr std::size_t count = field_count<std::remove_const_t<Struct>>;
  static_assert(count > 0, "say how many fields it has");
  if constexpr (count == 1) {
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
    static_assert(count == 18, "fields_of() knows up to 18 fields");
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  }
}

// --- one value

/// How a type is written and read; of the structs with a field_count unless told.
template <class T>
struct Form;

template <class T>
void put(run::ByteWriter& to, const T& value) {
  Form<T>::put(to, value);
}
template <class T>
[[nodiscard]] T get(run::ByteReader& from) {
  return Form<T>::get(from);
}

template <class T>
struct Form {
  static void put(run::ByteWriter& to, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      to.put<std::uint8_t>(value ? 1 : 0);
    } else if constexpr (std::is_arithmetic_v<T>) {
      to.put(value);
    } else if constexpr (std::is_enum_v<T>) {
      to.put(static_cast<std::uint8_t>(value));
    } else {
      std::apply([&to](const auto&... fields) { (stored::put(to, fields), ...); }, fields_of(value));
    }
  }
  static T get(run::ByteReader& from) {
    if constexpr (std::is_same_v<T, bool>) {
      const auto value = from.get<std::uint8_t>();
      if (value > 1) run::ByteReader::fail();
      return value == 1;
    } else if constexpr (std::is_arithmetic_v<T>) {
      return from.get<T>();
    } else if constexpr (std::is_enum_v<T>) {
      const auto value = from.get<std::uint8_t>();
      if (value > static_cast<std::uint8_t>(last_of<T>)) run::ByteReader::fail();
      return static_cast<T>(value);
    } else {
      return made<T>(from, static_cast<decltype(fields_of(std::declval<T&>()))*>(nullptr));
    }
  }

 private:
  /// In the order of the fields: that of braces.
  template <class Struct, class... Fields>
  static Struct made(run::ByteReader& from, std::tuple<Fields&...>*) {
    return Struct{stored::get<Fields>(from)...};
  }
};

template <>
struct Form<std::string> {
  static void put(run::ByteWriter& to, const std::string& text) { to.put(std::string_view(text)); }
  static std::string get(run::ByteReader& from) { return from.get_text(); }
};

template <class T>
struct Form<std::vector<T>> {
  static void put(run::ByteWriter& to, const std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
      to.put(values);
    } else {
      to.put<std::uint64_t>(values.size());
      for (const T& value : values) stored::put(to, value);
    }
  }
  static std::vector<T> get(run::ByteReader& from) {
    if constexpr (std::is_arithmetic_v<T>) {
      return from.get_vector<T>();
    } else {
      std::vector<T> values;  // not reserved: a damaged number of values must not ask for memory
      for (auto left = from.get<std::uint64_t>(); left > 0; --left) values.push_back(stored::get<T>(from));
      return values;
    }
  }
};

template <class T, std::size_t size>
struct Form<std::array<T, size>> {
  static void put(run::ByteWriter& to, const std::array<T, size>& values) {
    for (const T& value : values) stored::put(to, value);
  }
  static std::array<T, size> get(run::ByteReader& from) {
    return made(from, std::make_index_sequence<size>());
  }

 private:
  template <std::size_t... places>
  static std::array<T, size> made(run::ByteReader& from, std::index_sequence<places...>) {
    return {{(static_cast<void>(places), stored::get<T>(from))...}};
  }
};

template <class T>
struct Form<std::optional<T>> {
  static void put(run::ByteWriter& to, const std::optional<T>& value) {
    stored::put(to, value.has_value());
    if (value) stored::put(to, *value);
  }
  static std::optional<T> get(run::ByteReader& from) {
    if (!stored::get<bool>(from)) return std::nullopt;
    return stored::get<T>(from);
  }
};

template <class... Alternatives>
struct Form<std::variant<Alternatives...>> {
  using Variant = std::variant<Alternatives...>;
  static void put(run::ByteWriter& to, const Variant& value) {
    to.put<std::uint8_t>(static_cast<std::uint8_t>(value.index()));
    std::visit([&to](const auto& held) { stored::put(to, held); }, value);
  }
  static Variant get(run::ByteReader& from) {
    return made(from, from.get<std::uint8_t>(), std::index_sequence_for<Alternatives...>());
  }

 private:
  template <std::size_t... places>
  static Variant made(run::ByteReader& from, std::size_t index, std::index_sequence<places...>) {
    std::optional<Variant> value;
    const auto take = [&]<std::size_t place>(std::integral_constant<std::size_t, place>) {
      if (index == place)
        value.emplace(std::in_place_index<place>,
                      stored::get<std::variant_alternative_t<place, Variant>>(from));
    };
    (take(std::integral_constant<std::size_t, places>()), ...);
    if (!value) run::ByteReader::fail();
    return std::move(*value);
  }
};

/// "9/10"
template <>
struct Form<numeric::Rational> {
  static void put(run::ByteWriter& to, const numeric::Rational& value);
  static numeric::Rational get(run::ByteReader& from);
};

/// Its precision, and hexadecimal digits that are the number itself.
template <>
struct Form<numeric::Real> {
  static void put(run::ByteWriter& to, const numeric::Real& value);
  static numeric::Real get(run::ByteReader& from);
};

// --- numbers that carry their truth

template <class Unit>
inline constexpr std::size_t field_count<Count<Unit>> = 1;
template <class Unit>
inline constexpr std::size_t field_count<numeric::Exact<Unit>> = 1;
template <class Unit>
inline constexpr std::size_t field_count<numeric::UpperBound<Unit>> = 1;
template <class Unit>
inline constexpr std::size_t field_count<numeric::LowerBound<Unit>> = 1;
template <class Unit>
inline constexpr std::size_t field_count<numeric::Approximation<Unit>> = 2;
template <class Unit>
inline constexpr std::size_t field_count<numeric::Model<Unit>> = 1;
template <class Unit>
inline constexpr std::size_t field_count<numeric::Estimate<Unit>> = 4;
template <>
inline constexpr std::size_t field_count<numeric::Digits> = 1;

template <class Unit>
struct Form<numeric::Enclosure<Unit>> {
  static void put(run::ByteWriter& to, const numeric::Enclosure<Unit>& value) {
    stored::put(to, value.lower());
    stored::put(to, value.upper());
  }
  static numeric::Enclosure<Unit> get(run::ByteReader& from) {
    numeric::Real lower = stored::get<numeric::Real>(from);
    return {std::move(lower), stored::get<numeric::Real>(from)};
  }
};

// --- a whole answer

template <class Answer>
[[nodiscard]] std::string bytes_of(const Answer& answer) {
  run::ByteWriter writer;
  put(writer, answer);
  return writer.take();
}

/// \throws ParseError
[[noreturn]] void refuse();

template <class Answer>
[[nodiscard]] Answer answer_of(std::string_view bytes) {
  try {
    run::ByteReader reader(bytes);
    Answer answer = get<Answer>(reader);
    if (reader.at_end()) return answer;
  } catch (const Error&) {
  }
  refuse();
}

}  // namespace tailbound::answers::stored
