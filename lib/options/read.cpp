#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/quantity.hpp>
#include <tailbound/options/read.hpp>
#include <tailbound/options/row.hpp>

#include <utility>

namespace tailbound::options {

namespace {

std::string with_reason(std::string sentence, const std::string& reason) {
  return reason.empty() ? sentence : std::move(sentence) + ": " + reason;
}

}  // namespace

Misuse not_allowed_with(const std::string& option, const std::string& other, const std::string& reason) {
  return {option, "given with " + other, "not given with " + other,
          with_reason(option + " is not allowed with " + other, reason)};
}

Misuse needs(const std::string& option, const std::string& other, const std::string& reason) {
  return {option, "given without " + other, "given with " + other,
          with_reason(option + " needs " + other, reason)};
}

Misuse missing(const std::string& option, const std::string& what) {
  return {option, "missing", "given", with_reason(option + " is missing", what)};
}

void reject_with(std::initializer_list<Named> options, const std::string& other, const std::string& reason) {
  for (const auto& [name, value] : options)
    if (*value) throw not_allowed_with(name, other, reason);
}

void reject_without(std::initializer_list<Named> options, const std::string& other,
                    const std::string& reason) {
  for (const auto& [name, value] : options)
    if (*value) throw needs(name, other, reason);
}

void reject_with(std::initializer_list<const AnyRow*> rows, const std::string& other,
                 const std::string& reason) {
  for (const AnyRow* row : rows)
    if (row->given()) throw not_allowed_with(row->name(), other, reason);
}

void reject_without(std::initializer_list<const AnyRow*> rows, const std::string& other,
                    const std::string& reason) {
  for (const AnyRow* row : rows)
    if (row->given()) throw needs(row->name(), other, reason);
}

const std::string& required(const std::optional<std::string>& text, const char* option,
                            const std::string& what) {
  if (!text) throw missing(option, what);
  return *text;
}

std::vector<std::int64_t> integers_or(std::int64_t usual, const std::optional<std::string>& text,
                                      std::string_view option, std::int64_t minimum, std::int64_t largest) {
  return text ? parse_integers(*text, option, minimum, largest) : std::vector<std::int64_t>{usual};
}

std::vector<std::int64_t> counts_of(const std::string& text, std::string_view option, std::int64_t minimum,
                                    std::int64_t largest, const PacketUnit& unit) {
  // Exponents are of numbers; a B is of bytes.
  if (text.find('B') == std::string::npos) return parse_integers(text, option, minimum, largest);
  if (!unit.bytes)
    throw missing(unit.option,
                  fmt::format("{} {} is in bytes, which needs the size of a packet", option, text));
  std::vector<std::int64_t> counts;
  for (const numeric::Rational& bytes : numeric::parse_quantities(text, option, numeric::Measure::bytes)) {
    const numeric::Integer fit = numeric::floor(bytes / numeric::Rational(*unit.bytes));
    if (fit < minimum || fit > largest)
      throw InvalidArgument(std::string(option), text,
                            fmt::format("from {} to {} of {} bytes each", minimum, largest, *unit.bytes));
    counts.push_back(numeric::to_int64(fit));
  }
  return counts;
}

std::vector<Packets> packets_of(const std::optional<std::string>& text, std::string_view option,
                                std::int64_t minimum, std::int64_t largest, const PacketUnit& unit) {
  if (!text) return {};
  const std::vector<std::int64_t> counts = counts_of(*text, option, minimum, largest, unit);
  return {counts.begin(), counts.end()};
}

std::pair<std::int64_t, std::int64_t> parse_part(const std::string& text, const char* option,
                                                 std::int64_t maximum) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw InvalidArgument(option, text, "I/N, such as 2/7");
  const std::string name = option;
  const std::int64_t of = parse_integer(text.substr(slash + 1), "N of " + name, 1, maximum);
  return {parse_integer(text.substr(0, slash), "I of " + name, 1, of), of};
}

}  // namespace tailbound::options
