#include <tailbound/answers/compare/compare.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

namespace tailbound::answers {
namespace {

bool only_whole_numbers(const std::string& line) {
  return std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isdigit(c) != 0; }) &&
         std::all_of(line.begin(), line.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0 || std::isspace(c) != 0; });
}

/// Exponents on a line above their terms.
bool is_two_dimensional(const std::string& text) {
  std::istringstream lines(text);
  bool exponents = false;
  for (std::string line; std::getline(lines, line);) {
    const bool terms =
        line.find('+') != std::string::npos &&
        std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    if (exponents && terms) return true;
    exponents = only_whole_numbers(line) && line.front() == ' ';
  }
  return false;
}

using series::Coefficient;

/// Extra digits of the reference, so that its enclosure does not blur the last printed place.
constexpr int spare_digits = 5;
constexpr int min_digits = 10;
constexpr int digits_of_fractions = 40;
constexpr int max_digits = 10'000;

int max_printed_digits(const series::CoefficientList& list) {
  int maximum = 0;
  for (const Coefficient& entry : list.coefficients) maximum = std::max(maximum, series::shown_digits(entry));
  return maximum;
}

int default_digits(const series::CoefficientList& list, int required) {
  int digits = std::max(min_digits, std::max(required, max_printed_digits(list)) + spare_digits);
  for (const Coefficient& entry : list.coefficients) {
    if (!entry.is_exact() || entry.value == 0) continue;
    const auto own = static_cast<int>(std::min<double>(
        max_digits, static_cast<double>(numeric::bit_size(entry.value)) * std::log10(2.0) + spare_digits));
    digits = std::max({digits, digits_of_fractions, own});
  }
  return std::min(digits, max_digits);
}

/// Numbers of digits, from the maximum printed down to 1: about six multiples of 10, then 5.
std::vector<int> profile_steps(int maximum) {
  std::vector<int> steps{maximum};
  for (int digits = (maximum - 1) / 10 * 10; digits >= 10; digits -= std::max(10, maximum / 60 * 10))
    steps.push_back(digits);
  for (const int digits : {5, 1})
    if (digits < maximum) steps.push_back(digits);
  return steps;
}

std::vector<DigitsUpTo> profile_of(const CompareAnswer& answer) {
  std::vector<DigitsUpTo> profile;
  const std::vector<ComparedCoefficient>& list = answer.coefficients;
  for (const int digits :
       profile_steps(answer.printed_digits > 0 ? answer.printed_digits : answer.digits.count)) {
    std::size_t held = 0;
    while (held < list.size() && (list[held].right || list[held].agreed_digits >= digits)) ++held;
    profile.push_back({digits, held == 0 ? std::nullopt : std::optional(held - 1)});
    if (held == list.size()) break;
  }
  return profile;
}

std::vector<std::int64_t> indices_of(const std::vector<Coefficient>& list) {
  std::vector<std::int64_t> indices;
  for (const Coefficient& entry : list) indices.push_back(entry.index);
  return indices;
}

/// Correct as printed, whatever is required.
std::size_t right_ones(const CompareAnswer& answer) {
  return static_cast<std::size_t>(std::count_if(answer.coefficients.begin(), answer.coefficients.end(),
                                                [](const ComparedCoefficient& one) { return one.right; }));
}

/// From all errors of the list, and from the values of the next and the previous n.
Diagnosis diagnosis_of(const CompareQuery& query, const CompareAnswer& answer, const ReadingValues& values) {
  if (answer.other && answer.other->agreeing == query.list.coefficients.size())
    return {DisagreementCause::other_reading};
  const std::vector<Coefficient>& list = query.list.coefficients;
  ListErrors errors{.list = list,
                    .values = {},
                    .next = {},
                    .previous = {},
                    .agrees = {},
                    .agreed_digits = {},
                    .printed_digits = answer.printed_digits};
  for (const ComparedCoefficient& each : answer.coefficients) {
    errors.values.push_back(each.value);
    errors.agrees.push_back(each.right);
    errors.agreed_digits.push_back(each.agreed_digits);
  }
  const auto wrong = std::find(errors.agrees.begin(), errors.agrees.end(), false);
  if (wrong == errors.agrees.end())
    return {DisagreementCause::fewer_digits, {}, {answer.coefficients[answer.fewest].agreed_digits}};
  errors.first = static_cast<std::size_t>(wrong - errors.agrees.begin());
  const auto moved = [&](std::int64_t by) -> std::vector<TrueValue> {
    Reading reading = query.reading;
    reading.shift += by;
    try {
      return in_scale(reading.scale, list, values.at(reading, indices_of(list)));
    } catch (const LimitExceeded&) {
      return {};
    }
  };
  errors.next = moved(1);
  errors.previous = moved(-1);
  return diagnose(errors);
}

}  // namespace

series::CoefficientList parse_coefficients(const std::string& text, const std::string& name) {
  if (is_two_dimensional(text))
    throw InvalidArgument("FILE", name,
                          "printed with one term per line, as with lprint(%) or interface(prettyprint=0) in "
                          "Maple (this is its two-dimensional print, with exponents on separate lines)");
  return series::parse_coefficient_list(text, name);
}

CompareAnswer answer(const CompareQuery& query, const Run&) {
  const std::vector<Coefficient>& list = query.list.coefficients;
  if (list.empty()) throw InvalidArgument("list", "empty", "a list of at least one coefficient");
  if (query.required && (*query.required < 1 || *query.required > max_digits))
    throw InvalidArgument("required digits", std::to_string(*query.required),
                          "from 1 to " + std::to_string(max_digits));
  queue::require_stationary(query.queue);
  CompareAnswer answer{.digits = query.digits.value_or(
                           numeric::Digits{default_digits(query.list, query.required.value_or(0))}),
                       .coefficients = {},
                       .printed_digits = max_printed_digits(query.list),
                       .first = {},
                       .other = {},
                       .profile = {}};
  const queue::Accuracy accuracy{.digits = answer.digits, .arithmetic = query.arithmetic};
  const ReadingValues values(query.queue, accuracy);
  auto proved = values.at(query.reading, indices_of(list));
  const std::vector<TrueValue> scaled = in_scale(query.reading.scale, list, proved);
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const TrueValue& value = scaled[i];
    const int agreed = agreed_digits(list[i], value, answer.digits.count);
    const bool right = agrees(list[i], value);
    const bool good = query.required ? agreed >= *query.required : right;
    answer.coefficients.push_back({std::move(proved[i]), value, agreed, good, right});
    if (!good && !first) first = i;
    if (agreed < answer.coefficients[answer.fewest].agreed_digits) answer.fewest = i;
  }
  if (first) {
    answer.first = Disagreement{*first, max_error(list[*first], scaled[*first]), {}};
    const std::size_t right = right_ones(answer);
    if (right < list.size()) answer.other = better_reading(query.queue, accuracy, list, query.reading, right);
    answer.first->diagnosis = diagnosis_of(query, answer, values);
  }
  answer.profile = profile_of(answer);
  return answer;
}

}  // namespace tailbound::answers
