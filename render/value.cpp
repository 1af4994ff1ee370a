#include <fmt/format.h>
#include <tailbound/core/cases.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/value.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailbound::render {
namespace {

using numeric::Digits;
using numeric::plain;
using numeric::Rational;
using numeric::Real;
using numeric::Rounding;
using numeric::to_decimal;

/// Significant digits of an approximation and of a model in data formats and in text.
constexpr int double_digits = 17, max_agreed_shown = 11, model_digits = 6;

int data_digits(Digits digits) {
  return std::max(double_digits, digits.count + 3);
}

/// The longest decimal, up to `maximum` digits, to which both ends round; empty if they share none.
std::string common_decimal(const Real& lower, const Real& upper, int maximum) {
  for (int digits = maximum; digits >= 1; --digits) {
    std::string text = to_decimal(lower, digits, Rounding::nearest);
    if (text == to_decimal(upper, digits, Rounding::nearest)) return text;
  }
  return {};
}

std::string brief_exact(const Rational& value, Digits digits) {
  const std::string text = plain(value);
  const bool short_decimal =
      text.size() <= static_cast<std::size_t>(std::max(double_digits, digits.count + 6)) &&
      text.find('/') == std::string::npos;
  return short_decimal ? text : to_decimal(value, digits.count + 1, Rounding::nearest);
}

/// A fraction used as a bound: unchanged if it is short.
std::string brief_bound(const Rational& value, Digits digits, Rounding rounding) {
  const std::string text = plain(value);
  const bool is_short =
      text.size() <= static_cast<std::size_t>(digits.count + 2) && text.find('/') == std::string::npos;
  return is_short ? text : to_decimal(value, digits.count + 1, rounding);
}

std::string brief_enclosure(const Enclosure& value, Digits digits) {
  std::string text = common_decimal(value.lower, value.upper, digits.count + 1);
  if (text.empty())
    text = to_decimal(value.lower, 3, Rounding::down) + " .. " + to_decimal(value.upper, 3, Rounding::up);
  return text;
}

bool is_whole(double value) {
  return std::isfinite(value) && value == std::floor(value);
}

/// To so many significant digits, without an exponent from 1 to a million: "4980", "1e-6".
std::string rounded_to(double value, int significant_digits) {
  std::string text = fmt::format("{:.{}g}", value, significant_digits);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  constexpr double million = 1e6;
  if (const double size = std::abs(value); size >= 1 && size < million)
    return fmt::format("{:.0f}", std::stod(text));
  while (text[exponent + 2] == '0') text.erase(exponent + 2, 1);  // "1e-06"
  return text;
}

/// "52 (51 .. 53)", with enough digits to tell the ends from the value.
std::string brief_interval(const Estimate& estimate) {
  int digits = 6;
  const auto looks_equal = [&](double a, double b) {
    return a != b && rounded_to(a, digits) == rounded_to(b, digits);
  };
  while (digits < double_digits && (looks_equal(estimate.lower, estimate.value) ||
                                    (!estimate.open() && looks_equal(estimate.value, estimate.upper))))
    ++digits;
  return fmt::format("{} ({} .. {})", rounded_to(estimate.value, digits), rounded_to(estimate.lower, digits),
                     estimate.open() ? std::string("?") : rounded_to(estimate.upper, digits));
}

/// "52 (51 .. 53)": percentiles in integer slots.
std::string brief_whole(const Estimate& estimate) {
  return fmt::format("{} ({} .. {})", estimate.value, estimate.lower,
                     estimate.open() ? std::string("?") : fmt::format("{}", estimate.upper));
}

std::string brief_estimate(const Estimate& estimate) {
  if (estimate.bare()) return rounded_to(estimate.value, 5);
  if (is_whole(estimate.value) && is_whole(estimate.lower) && (estimate.open() || is_whole(estimate.upper)))
    return brief_whole(estimate);
  if (estimate.value == 0) return fmt::format("0 (below {})", rounded_to(estimate.upper, 2));
  const double half = estimate.upper - estimate.value;
  // Percentiles in nanoseconds: integer slots, so the two halves may differ.
  if (estimate.open() || half == 0 ||
      (estimate.lower > 0 && std::abs(estimate.value - estimate.lower - half) > 1e-3 * half))
    return brief_interval(estimate);
  // The last digit shown is the second of the interval's half-width.
  const double digits =
      half > 0 ? std::floor(std::log10(std::abs(estimate.value))) - std::floor(std::log10(half)) + 2 : 8;
  const std::string value = rounded_to(estimate.value, static_cast<int>(std::clamp(digits, 2.0, 8.0)));
  // Times, loads and probabilities are not negative: Student's t interval of a rare one may reach below 0.
  if (estimate.value > 0 && half > estimate.value)
    return fmt::format("{} (0 .. {})", value, rounded_to(estimate.upper, 3));
  return value + " +- " + rounded_to(half, 2);
}

std::string joined(const std::vector<Rational>& values) {
  std::string text;
  for (const Rational& value : values) text += (text.empty() ? "" : " ") + plain(value);
  return text;
}

int certified_digits(const Enclosure& value, Digits digits) {
  // relative_width() is a double and may underflow to 0 at hundreds of digits, where the condition holds.
  const double width = numeric::relative_width(value.lower, value.upper);
  return width > 0 ? std::clamp(static_cast<int>(std::floor(-std::log10(width))), 0, digits.count)
                   : digits.count;
}

/// After the certainty of a proved number.
std::string condition(const Value& value) {
  const std::string assumed = assumes(value);
  return assumed.empty() ? assumed : " if " + assumed;
}

double log10_of(const Real& value) {
  return value > 0 ? static_cast<double>(boost::multiprecision::log10(value))
                   : -std::numeric_limits<double>::infinity();
}

}  // namespace

Value shown_by_proof(Exact exact, int max_digits) {
  if (exact.proof.assumptions().may_be_shown() || exact.value == 0 || exact.value == 1) return exact;
  return Approximation{numeric::to_real(exact.value, Rounding::nearest), max_digits};
}

Value shown_by_proof(Enclosure enclosure, int max_digits) {
  if (enclosure.proof.assumptions().may_be_shown()) return enclosure;
  const Real middle = (enclosure.lower + enclosure.upper) / 2;
  const double width = static_cast<double>((enclosure.upper - enclosure.lower) / middle);
  const int digits = width > 0 ? static_cast<int>(std::floor(-std::log10(width))) : max_digits;
  return Approximation{middle, std::clamp(digits, 1, max_digits)};
}

Value at_most(numeric::Proof proof, const Rational& bound) {
  const numeric::PrecisionScope scope(numeric::Precision{128});
  return Bound{proof, numeric::to_real(bound, Rounding::up), true, bound};
}

std::string brief(const Rational& number, Digits digits) {
  return brief_exact(number, digits);
}

std::string kind_of(const Value& value) {
  return std::visit(
      Cases{[](const Exact&) { return "exact"; }, [](const Enclosure&) { return "enclosure"; },
            [](const Bound&) { return "bound"; }, [](const Approximation&) { return "approximation"; },
            [](const Asymptote&) { return "asymptote"; }, [](const Model&) { return "model"; },
            [](const Estimate&) { return "estimate"; }, [](const auto&) { return ""; }},
      value);
}

std::string brief(const Value& value, Digits digits) {
  return std::visit(Cases{
                        [](None) { return std::string("-"); },
                        [](Whole whole) { return std::to_string(whole.value); },
                        [](const Given& given) { return plain(given.value); },
                        [](const GivenList& list) { return joined(list.values); },
                        [](const Text& text) { return text.text; },
                        [](const TextList& list) { return fmt::format("{}", fmt::join(list.texts, "; ")); },
                        [](Flag flag) { return std::string(flag.value ? "yes" : "no"); },
                        [&](const Exact& exact) { return brief_exact(exact.value, digits); },
                        [&](const Enclosure& enclosure) { return brief_enclosure(enclosure, digits); },
                        [&](const Bound& bound) {
                          const Rounding rounding = bound.is_upper ? Rounding::up : Rounding::down;
                          return bound.fraction ? brief_bound(*bound.fraction, digits, rounding)
                                                : to_decimal(bound.value, digits.count + 1, rounding);
                        },
                        [](const Approximation& computed) {
                          return to_decimal(computed.value,
                                            std::clamp(computed.agreed_digits, 1, max_agreed_shown),
                                            Rounding::nearest);
                        },
                        [](Asymptote asymptote) { return rounded_to(asymptote.value, 5); },
                        [](Model model) { return rounded_to(model.value, model_digits); },
                        [](const Estimate& estimate) { return brief_estimate(estimate); },
                    },
                    value);
}

std::string assumes(const Value& value) {
  return std::visit(
      []<class Kind>(const Kind& number) -> std::string {
        if constexpr (requires { number.proof; })
          if (number.proof.assumptions().has(numeric::Assumption::later_coefficients))
            return "no later coefficient of A(z) is negative";
        return "";
      },
      value);
}

std::string certainty(const Value& value, Digits digits) {
  return std::visit(Cases{
                        [](const Exact& exact) { return "exact" + condition(exact); },
                        [&](const Enclosure& enclosure) {
                          return fmt::format("certified to {} digits{}", certified_digits(enclosure, digits),
                                             condition(enclosure));
                        },
                        [](const Bound& bound) {
                          return (bound.is_upper ? "proved upper bound" : "proved lower bound") +
                                 condition(bound);
                        },
                        [](const Approximation& computed) {
                          return fmt::format("numerical, not proved (arithmetic converged to {} digits)",
                                             computed.agreed_digits);
                        },
                        [](const Asymptote&) { return std::string("asymptote"); },
                        [](const Model&) { return std::string("of a model"); },
                        [](const Estimate& estimate) {
                          return fmt::format("estimate, {:g} % interval", 100 * estimate.confidence);
                        },
                        [](const auto&) { return std::string(); },
                    },
                    value);
}

std::string shortest(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

Decimals decimals(const Value& value, Digits digits) {
  const int shown = data_digits(digits);
  const auto rational = [&](const Rational& exact) {
    std::string text = plain(exact);
    const std::string fraction = numeric::to_fraction(exact);
    if (text.find_first_of("/a") != std::string::npos)
      text = to_decimal(exact, double_digits, Rounding::nearest);
    return std::pair(std::move(text), fraction);
  };
  return std::visit(
      Cases{
          [](Whole whole) { return Decimals{.value = std::to_string(whole.value)}; },
          [](Flag flag) { return Decimals{.value = flag.value ? "true" : "false"}; },
          [&](const Given& given) {
            auto [text, fraction] = rational(given.value);
            return Decimals{.value = std::move(text), .exact = std::move(fraction)};
          },
          [&](const Exact& exact) {
            return Decimals{.value = rational(exact.value).first,
                            .lower = to_decimal(exact.value, shown, Rounding::down),
                            .upper = to_decimal(exact.value, shown, Rounding::up),
                            .exact = numeric::to_fraction(exact.value)};
          },
          [&](const Enclosure& enclosure) {
            const Rational middle =
                (numeric::to_rational(enclosure.lower) + numeric::to_rational(enclosure.upper)) / 2;
            return Decimals{.value = to_decimal(middle, shown, Rounding::nearest),
                            .lower = to_decimal(enclosure.lower, shown, Rounding::down),
                            .upper = to_decimal(enclosure.upper, shown, Rounding::up)};
          },
          [&](const Bound& bound) {
            const Rounding rounding = bound.is_upper ? Rounding::up : Rounding::down;
            std::string text = bound.fraction ? plain(*bound.fraction) : std::string();
            if (!bound.fraction || text.find_first_of("/a") != std::string::npos)
              text = bound.fraction ? to_decimal(*bound.fraction, shown, rounding)
                                    : to_decimal(bound.value, shown, rounding);
            Decimals its{.value = text};
            (bound.is_upper ? its.upper : its.lower) = text;
            if (bound.fraction) its.exact = numeric::to_fraction(*bound.fraction);
            return its;
          },
          [](const Approximation& computed) {
            // Two more than agree: those behind them depend on the processor.
            const int agreed = std::max(computed.agreed_digits, 1);
            return Decimals{
                .value = to_decimal(computed.value, std::min(agreed + 2, double_digits), Rounding::nearest)};
          },
          [](Asymptote asymptote) { return Decimals{.value = shortest(asymptote.value)}; },
          [](Model model) { return Decimals{.value = shortest(model.value)}; },
          [](const Estimate& estimate) {
            return Decimals{.value = shortest(estimate.value),
                            .lower = shortest(estimate.lower),
                            .upper = estimate.open() ? std::string() : shortest(estimate.upper)};
          },
          [&](const auto& other) {
            return Decimals{.value = std::is_same_v<std::decay_t<decltype(other)>, None>
                                         ? std::string()
                                         : brief(Value(other), digits)};
          },
      },
      value);
}

std::optional<double> height(const Value& value) {
  using Height = std::optional<double>;
  return std::visit(
      Cases{
          [](Whole whole) -> Height { return static_cast<double>(whole.value); },
          [](const Given& given) -> Height { return numeric::nearest_double(given.value); },
          [](const Exact& exact) -> Height { return numeric::nearest_double(exact.value); },
          [](const Enclosure& enclosure) -> Height { return static_cast<double>(enclosure.upper); },
          [](const Bound& bound) -> Height { return static_cast<double>(bound.value); },
          [](const Approximation& computed) -> Height { return static_cast<double>(computed.value); },
          [](Asymptote asymptote) -> Height { return asymptote.value; },
          [](Model model) -> Height { return model.value; },
          [](const Estimate& estimate) -> Height { return estimate.value; },
          [](const auto&) -> Height { return std::nullopt; },
      },
      value);
}

std::optional<double> log10_height(const Value& value) {
  using Height = std::optional<double>;
  const auto rational = [](const Rational& exact) -> Height {
    return log10_of(numeric::to_real(exact, Rounding::up));
  };
  return std::visit(Cases{[&](const Given& given) { return rational(given.value); },
                          [&](const Exact& exact) { return rational(exact.value); },
                          [](const Enclosure& enclosure) -> Height { return log10_of(enclosure.upper); },
                          [](const Bound& bound) -> Height { return log10_of(bound.value); },
                          [](const Approximation& computed) -> Height { return log10_of(computed.value); },
                          [](const auto& other) -> Height {
                            const Height plain_height = height(Value(other));
                            return plain_height ? Height(std::log10(*plain_height)) : std::nullopt;
                          }},
                    value);
}

Value scaled(const Value& value, const Rational& factor) {
  const double approximate = numeric::nearest_double(factor);
  const auto rounded = [&](const Real& real, Rounding rounding) {
    const numeric::PrecisionScope scope(numeric::to_precision({static_cast<int>(real.precision()) + 2}));
    return numeric::to_real(numeric::to_rational(real) * factor, rounding);
  };
  return std::visit(
      Cases{
          [&](Whole whole) -> Value { return Given{factor * numeric::Integer(whole.value)}; },
          [&](const Given& given) -> Value { return Given{given.value * factor}; },
          [&](const Exact& exact) -> Value {
            return Exact{exact.proof, exact.value * factor};
          },
          [&](const Enclosure& enclosure) -> Value {
            return Enclosure{enclosure.proof, rounded(enclosure.lower, Rounding::down),
                             rounded(enclosure.upper, Rounding::up)};
          },
          [&](const Bound& bound) -> Value {
            Bound its{bound.proof, rounded(bound.value, bound.is_upper ? Rounding::up : Rounding::down),
                      bound.is_upper};
            if (bound.fraction) its.fraction = *bound.fraction * factor;
            return its;
          },
          [&](const Approximation& computed) -> Value {
            return Approximation{rounded(computed.value, Rounding::nearest), computed.agreed_digits};
          },
          [&](Asymptote asymptote) -> Value { return Asymptote{asymptote.value * approximate}; },
          [&](Model model) -> Value { return Model{model.value * approximate}; },
          [&](Estimate estimate) -> Value {
            estimate.value *= approximate, estimate.lower *= approximate, estimate.upper *= approximate;
            return estimate;
          },
          [](const auto& other) -> Value { return other; },
      },
      value);
}

std::string with_article(std::int64_t count, const std::string& unit) {
  const std::string number = std::to_string(count);
  // Read aloud: eight, eighty, eight hundred; eleven and eighteen, also of thousands.
  const bool vowel = number.front() == '8' ||
                     (number.size() % 3 == 2 && (number.starts_with("11") || number.starts_with("18")));
  return fmt::format("{} {}-{}", vowel ? "an" : "a", number, unit);
}

bool is_proved(const Value& value) {
  return !std::holds_alternative<Approximation>(value) && !std::holds_alternative<Model>(value) &&
         !std::holds_alternative<Estimate>(value) && !std::holds_alternative<Asymptote>(value);
}

std::string uncapitalized(std::string sentence) {
  const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool word =
      sentence.size() == 1 || (sentence.size() > 1 && (small(sentence[1]) || sentence[1] == ' '));
  if (word && sentence[0] >= 'A' && sentence[0] <= 'Z')
    sentence[0] = static_cast<char>(sentence[0] - 'A' + 'a');
  return sentence;
}

std::string capitalized(std::string sentence) {
  // A file's name stays as it is.
  const std::string word = sentence.substr(0, sentence.find_first_of(" ,;:"));
  if (!word.empty() && word.find_first_of("./") == std::string::npos)
    sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  return sentence;
}

std::string shared_in_words(const std::vector<std::vector<std::string>>& descriptions) {
  std::vector<std::string> shared = descriptions.front();
  for (const std::vector<std::string>& parts : descriptions)
    for (std::size_t i = 0; i < shared.size(); ++i)
      if (parts[i] != shared[i]) shared[i].clear();
  std::erase(shared, std::string());
  return fmt::format("{}", fmt::join(shared, ", "));
}

std::string range_in_words(const std::string& from, const std::string& to) {
  return from == to ? from : from + " to " + to;
}

std::string range_in_words(const std::vector<double>& values, int significant_digits) {
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  return range_in_words(fmt::format("{:.{}g}", *smallest, significant_digits),
                        fmt::format("{:.{}g}", *largest, significant_digits));
}

}  // namespace tailbound::render
