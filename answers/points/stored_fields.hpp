#pragma once

#include <tailbound/answers/points/fields.hpp>
#include <tailbound/answers/points/stored.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/run/bytes.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// Conversion of values of any type to bytes and back. Internal to the library.
///
/// A struct is the sequence of its fields (fields.hpp). No more values are read than there are bytes.
namespace tailbound::answers::stored {

/// The last value of an enumeration whose values are 0, 1, 2, ... Defined for each stored enumeration.
template <class Enum>
inline constexpr Enum last_of = Enum::say_which_is_the_last;

// --- one value

/// Writing and reading of a type; by default a struct field by field.
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
  /// In the order of the fields, as in braces.
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
      std::vector<T> values;  // not reserved: a corrupt count must not allocate memory
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

/// Its precision, and the exact number in hexadecimal digits.
template <>
struct Form<numeric::Real> {
  static void put(run::ByteWriter& to, const numeric::Real& value);
  static numeric::Real get(run::ByteReader& from);
};

// --- numbers with a certainty

template <>
struct Form<numeric::Proof> {
  static void put(run::ByteWriter& to, numeric::Proof proof) { to.put(proof.assumptions().bits()); }
  static numeric::Proof get(run::ByteReader& from) {
    return {numeric::Theorem::stored, numeric::Assumptions::of_bits(from.get<std::uint8_t>())};
  }
};

template <class Unit>
struct Form<numeric::Enclosure<Unit>> {
  static void put(run::ByteWriter& to, const numeric::Enclosure<Unit>& value) {
    stored::put(to, value.proof());
    stored::put(to, value.lower());
    stored::put(to, value.upper());
  }
  static numeric::Enclosure<Unit> get(run::ByteReader& from) {
    const auto proof = stored::get<numeric::Proof>(from);
    numeric::Real lower = stored::get<numeric::Real>(from);
    return {proof, std::move(lower), stored::get<numeric::Real>(from)};
  }
};

/// Exact, UpperBound, LowerBound
template <class Value>
requires requires(const Value& value) {
  { value.proof() } -> std::same_as<numeric::Proof>;
  value.value;
}
struct Form<Value> {
  static void put(run::ByteWriter& to, const Value& value) {
    stored::put(to, value.proof());
    stored::put(to, value.value);
  }
  static Value get(run::ByteReader& from) {
    const auto proof = stored::get<numeric::Proof>(from);
    return Value(proof, stored::get<decltype(Value::value)>(from));
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
[[noreturn]] void reject();

template <class Answer>
[[nodiscard]] Answer answer_of(std::string_view bytes) {
  try {
    run::ByteReader reader(bytes);
    Answer answer = get<Answer>(reader);
    if (reader.at_end()) return answer;
  } catch (const Error&) {
  }
  reject();
}

}  // namespace tailbound::answers::stored
