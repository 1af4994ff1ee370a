#pragma once

#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/numeric/text/quantity.hpp>
#include <tailbound/options/option_table.hpp>
#include <tailbound/options/read.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// What an option accepts: type, range and default, for the rows of options (row.hpp).
namespace tailbound::options {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

/// For example `integers(1, 64).by_default("4").slider(1, 16, 1)`.
template <class T>
struct Accepted {
  /// \throws InvalidArgument  under the name of the option
  std::function<T(const std::string& text, const std::string& option)> read;
  Values values{};
  std::optional<std::string> usual{};  ///< the default, as typed
  std::string demand{};                ///< of an option without default: what to give
  bool required = false;               ///< by the command line itself
  bool repeats = false;                ///< Option::repeats

  [[nodiscard]] Accepted by_default(std::string text) && {
    usual = std::move(text);
    return std::move(*this);
  }
  /// The first of its names.
  [[nodiscard]] Accepted first_by_default() && {
    usual = values.choices.front();
    return std::move(*this);
  }
  /// \param what  ends the message of its absence: "--nodes is missing: give the number of nodes"
  [[nodiscard]] Accepted needed(std::string what) && {
    demand = std::move(what);
    return std::move(*this);
  }
  /// May be given several times.
  [[nodiscard]] Accepted repeated() && {
    repeats = true;
    return std::move(*this);
  }
  /// By every query of the command; its help says so.
  [[nodiscard]] Accepted always() && {
    required = true;
    return std::move(*this);
  }
  [[nodiscard]] Accepted slider(double minimum, double maximum, double step) && {
    values.slider = options::slider(minimum, maximum, step).slider;
    return std::move(*this);
  }
  [[nodiscard]] Accepted powers_of_ten(double minimum, double maximum) && {
    values.slider = options::powers_of_ten(minimum, maximum).slider;
    return std::move(*this);
  }

  /// Values that the query checks, where the range depends on other options.
  /// \param legal  completes "it must be ..."
  [[nodiscard]] Accepted must_be(std::string legal) && {
    values.legal = std::move(legal);
    return std::move(*this);
  }
  /// Numbers (of a list: entries) for which `test` holds.
  /// \param legal  completes "it must be ..."
  template <class Test>
  [[nodiscard]] Accepted such_that(Test test, std::string legal) && {
    values.legal = legal;
    read = [all = std::move(read), test, legal = std::move(legal)](const std::string& text,
                                                                   const std::string& option) {
      T value = all(text, option);
      const auto check = [&](const numeric::Rational& entry) {
        if (!test(entry))
          throw InvalidArgument(option, numeric::is_list(text) ? numeric::plain(entry) : text, legal);
      };
      if constexpr (is_vector<T>)
        for (const numeric::Rational& entry : value) check(entry);
      else
        check(value);
      return value;
    };
    return std::move(*this);
  }
  /// \param unit  "ns"
  [[nodiscard]] Accepted from(std::int64_t minimum, std::int64_t maximum, const std::string& unit) && {
    return std::move(*this).such_that(
        [minimum, maximum](const numeric::Rational& value) {
          return value >= numeric::Rational(minimum) && value <= numeric::Rational(maximum);
        },
        "from " + std::to_string(minimum) + " to " + std::to_string(maximum) + " " + unit);
  }
};

[[nodiscard]] inline Accepted<std::string> text() {
  return {.read = [](const std::string& text, const std::string&) { return text; }};
}

// --- numbers (numeric/text)

/// \param legal  the legal values as given in the message (default: the range)
template <class Integer = std::int64_t>
[[nodiscard]] Accepted<std::vector<Integer>> integers(std::int64_t minimum, std::int64_t maximum,
                                                      std::string legal = {}) {
  Values values{.legal = legal.empty() ? numeric::integers_in_words(minimum, maximum) : legal};
  return {
      .read =
          [minimum, maximum, legal = std::move(legal)](const std::string& text, const std::string& option) {
            std::vector<Integer> all;
            for (const std::int64_t value : numeric::parse_integers(text, option, minimum, maximum, legal))
              all.push_back(static_cast<Integer>(value));
            return all;
          },
      .values = std::move(values)};
}
template <class Integer = std::int64_t>
[[nodiscard]] Accepted<Integer> integer(std::int64_t minimum,
                                        std::int64_t maximum = std::numeric_limits<std::int64_t>::max()) {
  return {.read =
              [minimum, maximum](const std::string& text, const std::string& option) {
                return static_cast<Integer>(numeric::parse_integer(text, option, minimum, maximum));
              },
          .values = {.legal = numeric::integers_in_words(minimum, maximum)}};
}

using Rationals = std::vector<numeric::Rational>;
[[nodiscard]] Accepted<numeric::Rational> number();
[[nodiscard]] Accepted<Rationals> numbers(std::size_t limit = numeric::max_entries);
/// Also in percent: "5%".
[[nodiscard]] Accepted<numeric::Rational> share();
[[nodiscard]] Accepted<Rationals> shares(std::size_t limit = numeric::max_entries);
/// With units: "9KB".
[[nodiscard]] Accepted<numeric::Rational> quantity(numeric::Measure measure);
[[nodiscard]] Accepted<Rationals> quantities(numeric::Measure measure);
[[nodiscard]] Accepted<std::int64_t> whole_quantity(numeric::Measure measure, std::int64_t minimum,
                                                    std::int64_t maximum);
[[nodiscard]] Accepted<std::vector<std::int64_t>> whole_quantities(numeric::Measure measure,
                                                                   std::int64_t minimum, std::int64_t maximum,
                                                                   std::string legal = {});

// --- names

template <class Meaning>
[[nodiscard]] Accepted<std::vector<Meaning>> names(const Meanings<Meaning>& meanings) {
  return {.read =
              [meanings](const std::string& text, const std::string& option) {
                return choices_or_first<Meaning>(text, option, meanings);
              },
          .values = choices(meanings)};
}
template <class Meaning>
[[nodiscard]] Accepted<Meaning> one_name(const Meanings<Meaning>& meanings) {
  return {
      .read = [meanings](const std::string& text,
                         const std::string& option) { return choice_of<Meaning>(text, option, meanings); },
      .values = choices(meanings)};
}
/// Of an enumeration (core/choice.hpp).
template <class Enumeration>
[[nodiscard]] Meanings<Enumeration> meanings_of() {
  Meanings<Enumeration> all;
  for (std::string& name : all_names<Enumeration>())
    all.emplace_back(std::move(name), static_cast<Enumeration>(all.size()));
  return all;
}
template <class Enumeration>
[[nodiscard]] Accepted<std::vector<Enumeration>> names() {
  return names(meanings_of<Enumeration>());
}
template <class Enumeration>
[[nodiscard]] Accepted<Enumeration> one_name() {
  return one_name(meanings_of<Enumeration>());
}

}  // namespace tailbound::options
