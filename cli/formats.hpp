#pragma once

#include <cli/command.hpp>
#include <nlohmann/json.hpp>
#include <tailbound/queue/slotted_queue.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Proved numbers as text, each with the kind of truth it is. Decimals are rounded outward, so that what is
/// printed encloses what was proved.
namespace tailbound::cli {

using Json = nlohmann::ordered_json;

/// A number stripped of its unit, as the formats need it.
struct ShownNumber {
  std::string kind;   ///< "exact", "enclosure" or "approximation"
  std::string value;  ///< the fraction if exact, a decimal if an approximation, otherwise empty
  std::string
      lower;  ///< decimal, rounded down, max(17, digits + 3) significant digits; none if an approximation
  std::string upper;  ///< decimal, rounded up
  std::string brief;  ///< for tables: the digits that are proved, at most digits + 1, correctly rounded
  /// For tables: relative error below 10^-certified, at most digits; 0 if exact. Of an approximation the
  /// digits on which two computations agree.
  int certified = 0;
};

[[nodiscard]] ShownNumber show(const numeric::Rational& exact, numeric::Digits digits);
[[nodiscard]] ShownNumber show(const numeric::Real& lower, const numeric::Real& upper,
                               numeric::Digits digits);

template <class Unit>
[[nodiscard]] ShownNumber show(const numeric::Enclosure<Unit>& enclosure, numeric::Digits digits) {
  return show(enclosure.lower(), enclosure.upper(), digits);
}
template <class Unit>
[[nodiscard]] ShownNumber show(const numeric::Exact<Unit>& exact, numeric::Digits digits) {
  return show(exact.value, digits);
}
[[nodiscard]] ShownNumber show_approximation(const numeric::Real& value, int agreed_digits);
template <class Unit>
[[nodiscard]] ShownNumber show(const numeric::Approximation<Unit>& approximation, numeric::Digits) {
  return show_approximation(approximation.value, approximation.agreed_digits);
}
template <class Unit>
[[nodiscard]] ShownNumber show(const numeric::Proved<Unit>& proved, numeric::Digits digits) {
  return std::visit([digits](const auto& truth) { return show(truth, digits); }, proved);
}
template <class Unit>
[[nodiscard]] ShownNumber show(const numeric::Claim<Unit>& claim, numeric::Digits digits) {
  return std::visit([digits](const auto& truth) { return show(truth, digits); }, claim);
}

/// {"kind": "enclosure", "lower": "8.70..e-16", "upper": "8.70..e-16"}; exact numbers have "value" too;
/// approximations "value" and "agreed_digits".
[[nodiscard]] Json to_json(const ShownNumber& number);

/// The kind in words: "exact", "certified to 10 digits", "computed, 10 digits agree".
[[nodiscard]] std::string in_words(const ShownNumber& number);

/// The arithmetic in words: "double", "MPFR, 192 bits", "exact rationals".
[[nodiscard]] std::string in_words(const queue::Method& method);

/// The answer in the format asked for: what that one of the three functions returns.
template <class Table, class JsonText, class Csv>
[[nodiscard]] std::string in_format(Format format, const Table& table, const JsonText& json, const Csv& csv) {
  switch (format) {
    case Format::json:
      return json();
    case Format::csv:
      return csv();
    case Format::markdown:
    case Format::table:
      break;
  }
  return table();
}

/// A document with the two keys that each has: "command" and "version".
[[nodiscard]] Json new_document(const Context& context, std::string_view command);

/// `document` followed by the rows under `key`, a row a line; the text ends with a line end. Rows are made
/// one at a time, so that a million of them cost no more memory than their text.
[[nodiscard]] std::string to_text(const Json& document);
[[nodiscard]] std::string to_text(const Json& document, std::string_view key, std::size_t rows,
                                  const std::function<Json(std::size_t)>& row);

/// One line of CSV, with the quotes that RFC 4180 asks for.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

/// Names of the CSV columns of a number: "probability_kind", "probability_lower", "probability_upper",
/// "probability_value" (the fraction where exact); without `name`, "kind", "lower", ...
[[nodiscard]] std::vector<std::string> csv_columns(const std::string& name);
void append_csv(std::vector<std::string>& fields, const ShownNumber& number);

/// Columns with two spaces between them; the first row is the header. Columns are set right where
/// `right` holds their number, left elsewhere.
[[nodiscard]] std::string to_table(const std::vector<std::vector<std::string>>& rows,
                                   const std::vector<bool>& right);

/// Each line of a table set two spaces to the right.
[[nodiscard]] std::string indented(const std::string& table);

/// "  mean queueing   4.811 slots": a value under its name; `name_width` columns are kept for names.
[[nodiscard]] std::string named_line(const char* name, const std::string& value, int name_width = 16);

/// The number as people write it: a decimal where that is short and exact, the fraction otherwise ("0.9",
/// "1e-15", "1/3").
[[nodiscard]] std::string plain(const numeric::Rational& value);

}  // namespace tailbound::cli
