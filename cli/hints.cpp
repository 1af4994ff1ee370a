#include <cln/rational.h>
#include <cli/hints.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cctype>
#include <optional>

namespace tailbound::cli {
namespace {

std::optional<numeric::Rational> number(const std::string& text) {
  try {
    return numeric::parse_rational(text, "value");
  } catch (const InvalidArgument&) {
    return {};
  }
}

bool is_digits(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// A number slightly above 1 is not meant as a percentage.
bool is_percentage(const numeric::Rational& value) {
  return value <= 100 && (value >= 10 || (value >= 2 && cln::denominator(value) == 1));
}

/// Does the option expect a fraction, a probability or a load?
bool wants_share(const std::string& legal) {
  if (legal.find("percent") != std::string::npos) return false;
  for (const char* const words : {"from 0 to 1:", "from 0 to 1 ", "less than 1", "below 1", "at most 1 ",
                                  "to the number of inputs", "at most 1:"})
    if (legal.find(words) != std::string::npos) return true;
  return legal.ends_with("from 0 to 1") || legal.ends_with("at most 1");
}

}  // namespace

std::string probably_meant(const InvalidArgument& error, const std::string& typed) {
  const std::size_t comma = typed.find(',');
  if (comma != std::string::npos && typed.find(',', comma + 1) == std::string::npos) {
    const std::string whole = typed.substr(0, comma), rest = typed.substr(comma + 1);
    if (whole == "0" && is_digits(rest))
      return whole + "." + rest + " is written with a point; " + typed + " is the list of " + whole +
             " and " + rest;
  }
  const std::optional<numeric::Rational> value = number(error.value());
  if (value && is_percentage(*value) && wants_share(error.legal()))
    return numeric::plain(*value) + " percent is " + numeric::plain(*value) + "% or " +
           numeric::plain(*value / 100);
  return {};
}

}  // namespace tailbound::cli
