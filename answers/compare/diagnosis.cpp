#include <tailbound/answers/compare/diagnosis.hpp>
#include <tailbound/numeric/real.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tailbound::answers {
namespace {

using numeric::Rational;
using series::Coefficient;

/// Lists with fewer digits say little about where digits were lost.
constexpr int telling_digits = 8;

/// The number with another value, its last place moved with it.
Coefficient with_value(Coefficient printed, const Rational& value, long places = 0) {
  printed.value = value;
  if (printed.last_place) *printed.last_place += places;
  if (places != 0) printed.last_bit.reset();
  return printed;
}

/// log10 |x|, rounded down to an integer; for 0 far below.
std::int64_t exponent_of(const Rational& value) {
  if (value == 0) return -1'000'000;
  const long bits = static_cast<long>(numeric::bit_length(numeric::numerator(value))) -
                    static_cast<long>(numeric::bit_length(numeric::denominator(value)));
  auto exponent = static_cast<int>(std::floor(static_cast<double>(bits - 1) * std::log10(2.0))) - 1;
  while (power_of_ten(exponent + 1) <= numeric::abs(value)) ++exponent;
  return exponent;
}

class Patterns {
 public:
  explicit Patterns(const ListErrors& errors) : its_(errors) {
    for (std::size_t i = 0; i < its_.list.size(); ++i)
      if (!its_.agrees[i]) wrong_.push_back(i);
  }

  Diagnosis first_that_fits() const {
    if (its_.list[its_.first].line == 0) return {DisagreementCause::omitted};
    for (const auto pattern : {&Patterns::last_digits, &Patterns::few, &Patterns::moved, &Patterns::factor,
                               &Patterns::fewer_digits, &Patterns::fewer_decimals, &Patterns::carried})
      if (std::optional<Diagnosis> found = (this->*pattern)()) return *std::move(found);
    return {DisagreementCause::not_rounding};
  }

 private:
  [[nodiscard]] std::size_t size() const { return its_.list.size(); }
  [[nodiscard]] bool fits(std::size_t i, const Coefficient& as) const {
    return answers::agrees(as, its_.values[i]);
  }

  /// Each is off by two of its last digits at most.
  std::optional<Diagnosis> last_digits() const {
    if (its_.printed_digits < telling_digits) return std::nullopt;
    const int fewest = *std::min_element(its_.agreed_digits.begin(), its_.agreed_digits.end());
    if (fewest < its_.printed_digits - 2) return std::nullopt;
    return Diagnosis{DisagreementCause::last_digits};
  }

  /// Is an error of this size one of rounding near 1?
  [[nodiscard]] bool of_rounding(std::int64_t exponent) const {
    constexpr int lost = 4;  // what a long expansion may lose in addition
    return its_.printed_digits >= telling_digits && exponent <= lost - its_.printed_digits;
  }

  /// A few wrong values: the others agree. The last ones may also be those where rounding begins to show.
  std::optional<Diagnosis> few() const {
    const std::size_t most = std::max<std::size_t>(2, size() / 10);
    if (wrong_.size() > most || size() < 2 * wrong_.size() + 1) return std::nullopt;
    const auto all = [&](auto test) { return std::all_of(wrong_.begin(), wrong_.end(), test); };
    if (all([&](std::size_t i) { return fits(i, with_value(its_.list[i], -its_.list[i].value)); }))
      return Diagnosis{DisagreementCause::sign, wrong_};
    if (wrong_.size() == 2 && fits(wrong_[0], its_.list[wrong_[1]]) && fits(wrong_[1], its_.list[wrong_[0]]))
      return Diagnosis{DisagreementCause::swapped, wrong_};
    for (const int power : {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6})
      if (all([&](std::size_t i) {
            return its_.list[i].value != 0 && !its_.list[i].is_exact() &&
                   fits(i, with_value(its_.list[i], its_.list[i].value * power_of_ten(-power), -power));
          }))
        return Diagnosis{DisagreementCause::decimal_point, wrong_, {power}};
    const bool last_ones = wrong_.size() == size() - its_.first;
    if (last_ones && of_rounding(exponent_of(max_error(its_.list[its_.first], its_.values[its_.first]))))
      return std::nullopt;
    return Diagnosis{DisagreementCause::single_values, wrong_};
  }

  /// One value is missing or too many: from there on the list is moved by one.
  std::optional<Diagnosis> moved() const {
    constexpr std::size_t enough = 3;
    if (size() - its_.first < enough) return std::nullopt;
    const auto moved_to = [&](const std::vector<TrueValue>& values, std::size_t from) {
      if (values.empty()) return false;
      for (std::size_t i = from; i < size(); ++i)
        if (!answers::agrees(its_.list[i], values[i])) return false;
      return true;
    };
    if (moved_to(its_.next, its_.first)) return Diagnosis{DisagreementCause::missing_value, {its_.first}};
    if (moved_to(its_.previous, its_.first + 1))
      return Diagnosis{DisagreementCause::extra_value, {its_.first}};
    return std::nullopt;
  }

  /// The same relative precision everywhere.
  std::optional<Diagnosis> fewer_digits() const {
    constexpr int least = 3, spread = 3;
    if (wrong_.size() < 3 || 2 * wrong_.size() < size()) return std::nullopt;
    int fewest = its_.agreed_digits[wrong_.front()];
    for (const std::size_t i : wrong_) fewest = std::min(fewest, its_.agreed_digits[i]);
    const auto within = std::count_if(wrong_.begin(), wrong_.end(), [&](std::size_t i) {
      return its_.agreed_digits[i] <= fewest + spread;
    });
    if (fewest < least || fewest > its_.printed_digits - 2 ||
        10 * within < 9 * static_cast<std::ptrdiff_t>(wrong_.size()))
      return std::nullopt;
    const Rational of_float = 1 / Rational(numeric::Integer(1 << 23));
    const bool floats = std::all_of(wrong_.begin(), wrong_.end(), [&](std::size_t i) {
      return max_error(its_.list[i], its_.values[i]) <= of_float * its_.values[i].upper;
    });
    if (floats && fewest >= 6) return Diagnosis{DisagreementCause::single_precision, {}, {fewest}};
    return Diagnosis{DisagreementCause::fewer_digits, {}, {fewest}};
  }

  /// All from the first on are the same multiple.
  std::optional<Diagnosis> factor() const {
    constexpr std::size_t enough = 4;
    if (size() - its_.first < enough) return std::nullopt;
    const Coefficient& first = its_.list[its_.first];
    if (its_.values[its_.first].lower <= 0 || first.value <= 0) return std::nullopt;
    const Rational unit = series::unit_in_last_place(first);
    const Rational low = (first.value - unit) / its_.values[its_.first].upper,
                   high = (first.value + unit) / its_.values[its_.first].lower;
    for (std::size_t i = its_.first + 1; i < size(); ++i) {
      const TrueValue scaled{its_.values[i].lower * low, its_.values[i].upper * high};
      if (its_.agrees[i] || !answers::agrees(its_.list[i], scaled)) return std::nullopt;
    }
    return Diagnosis{DisagreementCause::constant_factor,
                     {its_.first},
                     {},
                     numeric::nearest_double(first.value / its_.values[its_.first].lower)};
  }

  /// Decimals beyond some place are zeros, or a rounding error of doubles.
  std::optional<Diagnosis> fewer_decimals() const {
    if (wrong_.size() < 3 || 2 * wrong_.size() < size()) return std::nullopt;
    for (int decimals = 2; decimals < its_.printed_digits; ++decimals) {
      const Rational place = power_of_ten(-decimals);
      const auto cut = [&](std::size_t i) {
        const Rational scaled = its_.list[i].value / place;
        return numeric::abs(scaled - numeric::round(scaled)) * power_of_ten(4) <= 1 &&
               max_error(its_.list[i], its_.values[i]) <= place;
      };
      if (std::all_of(wrong_.begin(), wrong_.end(), cut))
        return Diagnosis{DisagreementCause::fewer_decimals, {}, {decimals}};
    }
    return std::nullopt;
  }

  /// From the first on nearly all are wrong: by the same absolute error, or a growing one.
  std::optional<Diagnosis> carried() const {
    std::vector<std::int64_t> exponents;
    for (std::size_t i = its_.first; i < size(); ++i)
      if (!its_.agrees[i]) exponents.push_back(exponent_of(max_error(its_.list[i], its_.values[i])));
    if (10 * exponents.size() < 9 * (size() - its_.first)) return std::nullopt;
    const auto [least, most] = std::minmax_element(exponents.begin(), exponents.end());
    const std::int64_t low = *least, high = *most, begin = exponents.front(), end = exponents.back();
    std::vector<std::int64_t> sorted = exponents;
    std::sort(sorted.begin(), sorted.end());
    const std::int64_t middle = sorted[sorted.size() / 2];
    constexpr std::int64_t near = 2, growth = 4;
    const bool steady = std::abs(middle - begin) <= near && std::abs(end - begin) <= near;
    if (steady) {
      const bool rounding = of_rounding(begin);
      // As large as the value itself, it is no error of a computation.
      const std::int64_t size_of_first = exponent_of(numeric::abs(its_.list[its_.first].value));
      if (!rounding && (exponents.size() < 4 || size_of_first - begin < 2)) return std::nullopt;
      return Diagnosis{rounding ? DisagreementCause::cancellation : DisagreementCause::constant_error,
                       {its_.first},
                       {low, high}};
    }
    const bool rises = end - begin >= growth && end == high && begin == low && exponents.size() >= 4;
    if (!rises) return std::nullopt;
    return Diagnosis{
        DisagreementCause::growing_error,
        {its_.first},
        {low, high},
        std::pow(10.0, static_cast<double>(end - begin) / static_cast<double>(exponents.size() - 1))};
  }

  const ListErrors& its_;
  std::vector<std::size_t> wrong_;
};

}  // namespace

Diagnosis diagnose(const ListErrors& errors) {
  return Patterns(errors).first_that_fits();
}

}  // namespace tailbound::answers
