#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// A number for output: its kind and value, without its unit (which its column has).
namespace tailbound::render {

/// The number does not exist: a decay rate if no packet ever waits. null in JSON, an empty field in CSV.
struct None {};
/// An exact integer: packets, slots, samples.
struct Whole {
  std::int64_t value = 0;
};
/// An input as parsed, exactly.
struct Given {
  numeric::Rational value = 0;
};
struct GivenList {
  std::vector<numeric::Rational> values;
};
struct Text {
  std::string text;
};
struct TextList {
  std::vector<std::string> texts;
};
struct Flag {
  bool value = false;
};
struct Exact {
  numeric::Proof proof;
  numeric::Rational value;
};
struct Enclosure {
  numeric::Proof proof;
  numeric::Real lower, upper;
};
/// The true value is at most this (or at least).
struct Bound {
  numeric::Proof proof;
  numeric::Real value;
  bool is_upper = true;
  std::optional<numeric::Rational>
      fraction{};  ///< the exact bound if it is a fraction; `value` is then beyond it
};
struct Approximation {
  numeric::Real value;
  int agreed_digits = 0;
};
struct Asymptote {
  double value = 0;
};
struct Model {
  double value = 0;
};
struct Estimate {
  double value = 0;
  double lower = 0, upper = 0;  ///< an unknown end is infinite
  double confidence = 0.95;

  [[nodiscard]] bool open() const { return std::isinf(upper); }
  /// No interval is known: a single counted number.
  [[nodiscard]] bool bare() const { return open() && std::isinf(lower); }
};

using Value = std::variant<None, Whole, Given, GivenList, Text, TextList, Flag, Exact, Enclosure, Bound,
                           Approximation, Asymptote, Model, Estimate>;

// --- from proved numbers of the library. Their proof decides the kind that is shown: an intermediate
// value, under an
// assumption that is no proof, is an Approximation.

/// As it is, or with the digits that both ends share, at most `max_digits`. 0 and 1 stay exact.
[[nodiscard]] Value shown_by_proof(Exact exact, int max_digits = 10);
[[nodiscard]] Value shown_by_proof(Enclosure enclosure, int max_digits = 10);

template <class Unit>
[[nodiscard]] Value shown(Count<Unit> count) {
  return Whole{count.value};
}
template <class Unit>
[[nodiscard]] Value shown(const numeric::Exact<Unit>& exact) {
  return shown_by_proof(Exact{exact.proof(), exact.value});
}
template <class Unit>
[[nodiscard]] Value shown(const numeric::Enclosure<Unit>& enclosure) {
  return shown_by_proof(Enclosure{enclosure.proof(), enclosure.lower(), enclosure.upper()});
}
template <class Unit>
[[nodiscard]] Value shown(const numeric::UpperBound<Unit>& bound) {
  return Bound{bound.proof(), bound.value, true};
}
template <class Unit>
[[nodiscard]] Value shown(const numeric::LowerBound<Unit>& bound) {
  return Bound{bound.proof(), bound.value, false};
}
template <class Unit>
[[nodiscard]] Value shown(const numeric::Approximation<Unit>& approximation) {
  return Approximation{approximation.value, approximation.agreed_digits};
}
template <class Unit>
[[nodiscard]] Value shown(const numeric::Asymptote<Unit>& asymptote) {
  return Asymptote{asymptote.value};
}
template <class Unit>
[[nodiscard]] Value shown(const numeric::Model<Unit>& model) {
  return Model{model.value};
}
template <class Unit>
[[nodiscard]] Value shown(const numeric::Estimate<Unit>& estimate) {
  return Estimate{estimate.value, estimate.lower, estimate.upper, estimate.confidence};
}
/// A number of one of several kinds.
template <class... Truths>
[[nodiscard]] Value shown(const std::variant<Truths...>& number) {
  return std::visit([](const auto& truth) { return shown(truth); }, number);
}
/// None if empty.
template <class Truth>
[[nodiscard]] Value shown(const std::optional<Truth>& truth) {
  return truth ? shown(*truth) : Value(None{});
}

/// A proved upper bound given as a fraction.
[[nodiscard]] Value at_most(numeric::Proof proof, const numeric::Rational& bound);

// --- as text

/// "exact", "enclosure", "bound", "approximation", "asymptote", "model", "estimate"; empty if it is not a
/// number with a kind.
[[nodiscard]] std::string kind_of(const Value& value);

/// Is it exact or proved, or no result at all but an input, a count or a text?
[[nodiscard]] bool is_proved(const Value& value);

/// For people. Proved numbers with the digits that are certain, at most digits + 1; approximations with those
/// that agree; estimates with their half-width ("0.01058 +- 0.00021", "0 (below 3.7e-07)", for integers "52
/// (51 .. 53)"); models with six significant digits; inputs in their usual form ("0.9", "1e-15", "1/3").
[[nodiscard]] std::string brief(const Value& value, numeric::Digits digits = {});
/// A number of which no kind is claimed, in words: the decimal if it is short, otherwise rounded to `digits`.
[[nodiscard]] std::string brief(const numeric::Rational& number, numeric::Digits digits);

/// What a proved number assumes beyond its model and inputs: "no later coefficient of A(z) is negative";
/// empty if
/// nothing.
[[nodiscard]] std::string assumes(const Value& value);

/// The certainty as text: "exact", "certified to 10 digits", "numerical, not proved (arithmetic converged to
/// 10 digits)".
[[nodiscard]] std::string certainty(const Value& value, numeric::Digits digits = {});

/// For data formats: decimals that any program reads. Ends of enclosures are rounded outward.
struct Decimals {
  std::string value{};  ///< the best single number; for an enclosure its middle
  std::string lower{}, upper{};
  std::string exact{};  ///< the fraction, if the number is rational
};
/// \param digits  enclosures are written with max(17, digits + 3) significant digits
[[nodiscard]] Decimals decimals(const Value& value, numeric::Digits digits = {});

/// A double for data formats: the shortest text that reads back the same.
[[nodiscard]] std::string shortest(double value);

/// "1 packet", "3 packets"
template <std::integral Number>
[[nodiscard]] std::string counted(Number count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// "a 157-packet", "an 8-packet", to be followed by "buffer".
[[nodiscard]] std::string with_article(std::int64_t count, const std::string& unit);
[[nodiscard]] std::string capitalized(std::string sentence);
/// The opposite, to continue a sentence; "P(Q > 3)" is left as it is.
[[nodiscard]] std::string uncapitalized(std::string sentence);
/// What all descriptions have in common, separated by commas: each is given part by part, in the same order;
/// empty parts are omitted.
[[nodiscard]] std::string shared_in_words(const std::vector<std::vector<std::string>>& descriptions);

/// "26 to 157", or "26" if both are equal.
[[nodiscard]] std::string range_in_words(const std::string& from, const std::string& to);
/// The smallest to the largest of `values`, of which there is one or more.
[[nodiscard]] std::string range_in_words(const std::vector<double>& values, int significant_digits = 4);

/// As a double, for a picture's linear axis: of an enclosure its upper end; none if it is no number.
[[nodiscard]] std::optional<double> height(const Value& value);
/// log10 of it, for numbers of any size; minus infinity for 0.
[[nodiscard]] std::optional<double> log10_height(const Value& value);

/// `value` times `factor` (above 0): an integer becomes an exact number, enclosures are rounded outward.
[[nodiscard]] Value scaled(const Value& value, const numeric::Rational& factor);

}  // namespace tailbound::render
