#include <cln/rational.h>
#include <tailbound/answers/buffer/compare.hpp>
#include <tailbound/core/error.hpp>

#include <algorithm>
#include <cctype>
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

/// Lists with fewer digits say little about where digits were lost.
constexpr int telling_digits = 8;

int max_printed_digits(const series::CoefficientList& list) {
  int maximum = 0;
  for (const Coefficient& entry : list.coefficients) maximum = std::max(maximum, series::shown_digits(entry));
  return maximum;
}

int default_digits(const series::CoefficientList& list, int required) {
  int digits = std::max(min_digits, std::max(required, max_printed_digits(list)) + spare_digits);
  for (const Coefficient& entry : list.coefficients)
    if (entry.is_exact() && !cln::zerop(entry.value)) digits = std::max(digits, digits_of_fractions);
  return std::min(digits, max_digits);
}

/// The proved values at the indices of the list, in its order.
std::vector<numeric::Proved<unit::Probability>> prove(const CompareQuery& query,
                                                      const queue::Accuracy& accuracy) {
  std::vector<numeric::Proved<unit::Probability>> proved;
  const std::vector<Coefficient>& list = query.list.coefficients;
  if (query.of == CoefficientsOf::tail) {
    std::vector<Packets> levels;
    for (const Coefficient& entry : list) levels.emplace_back(entry.index);
    for (auto& tail : queue::occupancy_tails(query.queue, levels, accuracy))
      proved.push_back(std::move(tail.probability));
    return proved;
  }
  const std::int64_t last = list.back().index;
  if (last > deepest_compared_occupancy)
    throw LimitExceeded("the last index is " + std::to_string(last) + "; P(Q = n) is compared up to n = " +
                        std::to_string(deepest_compared_occupancy) + " (a list of P(Q > n) at any n)");
  auto all = queue::occupancy_probabilities(query.queue, Packets(last), accuracy);
  for (const Coefficient& entry : list)
    proved.push_back(std::move(all[static_cast<std::size_t>(entry.index)].probability));
  return proved;
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

Disagreement disagreement_at(std::size_t at, const CompareAnswer& answer, const Coefficient& entry) {
  Disagreement found{.at = at,
                     .error = max_error(entry, true_value(answer.coefficients[at].expected)),
                     .cause = DisagreementCause::not_rounding};
  const int printed = answer.printed_digits;
  if (entry.line == 0)
    found.cause = DisagreementCause::omitted;
  else if (printed >= telling_digits && answer.coefficients[answer.fewest].agreed_digits >= printed - 2)
    found.cause = DisagreementCause::last_digits;
  else if (printed >= telling_digits && found.error * power_of_ten(printed / 2) < 1)
    found.cause = DisagreementCause::cancellation;
  return found;
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
                       .profile = {}};
  auto proved = prove(query, {.digits = answer.digits, .arithmetic = query.arithmetic});
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const TrueValue value = true_value(proved[i]);
    const int agreed = agreed_digits(list[i], value, answer.digits.count);
    const bool right = agrees(list[i], value);
    const bool good = query.required ? agreed >= *query.required : right;
    answer.coefficients.push_back({std::move(proved[i]), agreed, good, right});
    if (!good && !first) first = i;
    if (agreed < answer.coefficients[answer.fewest].agreed_digits) answer.fewest = i;
  }
  if (first) answer.first = disagreement_at(*first, answer, list[*first]);
  answer.profile = profile_of(answer);
  return answer;
}

}  // namespace tailbound::answers
