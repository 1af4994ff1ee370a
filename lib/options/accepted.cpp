#include <tailbound/options/accepted.hpp>

namespace tailbound::options {

using numeric::Measure;
using numeric::Rational;

Accepted<Rational> number() {
  return {.read = [](auto& text, auto& option) { return numeric::parse_rational(text, option); }};
}

Accepted<Rationals> numbers(std::size_t limit) {
  return {.read = [=](auto& text, auto& option) { return numeric::parse_list(text, option, limit); }};
}

Accepted<Rational> share() {
  return {.read = [](auto& text, auto& option) { return numeric::parse_share(text, option); }};
}

Accepted<Rationals> shares(std::size_t limit) {
  return {.read = [=](auto& text, auto& option) { return numeric::parse_percent_list(text, option, limit); }};
}

Accepted<Rational> quantity(Measure measure) {
  return {.read = [=](auto& text, auto& option) { return numeric::parse_quantity(text, option, measure); }};
}

Accepted<Rationals> quantities(Measure measure) {
  return {.read = [=](auto& text, auto& option) { return numeric::parse_quantities(text, option, measure); }};
}

Accepted<std::int64_t> whole_quantity(Measure measure, std::int64_t minimum, std::int64_t maximum) {
  return {.read =
              [=](auto& text, auto& option) {
                return numeric::parse_whole_quantity(text, option, measure, minimum, maximum);
              },
          .values = {.legal = numeric::integers_in_words(minimum, maximum)}};
}

Accepted<std::vector<std::int64_t>> whole_quantities(Measure measure, std::int64_t minimum,
                                                     std::int64_t maximum, std::string legal) {
  Values values{.legal = legal.empty() ? numeric::integers_in_words(minimum, maximum) : legal};
  return {.read =
              [=, legal = std::move(legal)](auto& text, auto& option) {
                return numeric::parse_whole_quantities(text, option, measure, minimum, maximum, legal);
              },
          .values = std::move(values)};
}

}  // namespace tailbound::options
