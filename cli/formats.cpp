#include <cli/formats.hpp>

#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/numeric/plain.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tailbound::cli {
namespace {

using numeric::Digits;
using numeric::Rational;
using numeric::Rounding;
using numeric::to_decimal;

int shown_digits(Digits digits) {
  return std::max(17, digits.count + 3);
}

/// The longest decimal, up to `most` digits, to which both ends round; empty if they share none.
template <class Number>
std::string common_decimal(const Number& lower, const Number& upper, int most) {
  for (int digits = most; digits >= 1; --digits) {
    std::string text = to_decimal(lower, digits, Rounding::nearest);
    if (text == to_decimal(upper, digits, Rounding::nearest)) return text;
  }
  return {};
}

}  // namespace

ShownNumber show(const Rational& exact, Digits digits) {
  const std::string short_form = plain(exact);
  const bool is_short = short_form.size() <= static_cast<std::size_t>(std::max(17, digits.count + 6)) &&
                        short_form.find('/') == std::string::npos;
  return {.kind = "exact",
          .value = numeric::to_fraction(exact),
          .lower = to_decimal(exact, shown_digits(digits), Rounding::down),
          .upper = to_decimal(exact, shown_digits(digits), Rounding::up),
          .brief = is_short ? short_form : to_decimal(exact, digits.count + 1, Rounding::nearest),
          .certified = 0};
}

ShownNumber show(const numeric::Real& lower, const numeric::Real& upper, Digits digits) {
  ShownNumber shown{.kind = "enclosure",
                    .value = {},
                    .lower = to_decimal(lower, shown_digits(digits), Rounding::down),
                    .upper = to_decimal(upper, shown_digits(digits), Rounding::up),
                    .brief = common_decimal(lower, upper, digits.count + 1),
                    .certified = digits.count};
  // relative_width() is a double and may underflow to 0 at hundreds of digits: then the promise holds.
  const double width = numeric::relative_width(lower, upper);
  if (width > 0)
    shown.certified = std::clamp(static_cast<int>(std::floor(-std::log10(width))), 0, digits.count);
  if (shown.brief.empty())
    shown.brief = to_decimal(lower, 3, Rounding::down) + " .. " + to_decimal(upper, 3, Rounding::up);
  return shown;
}

ShownNumber show_approximation(const numeric::Real& value, int agreed_digits) {
  return {.kind = "approximation",
          .value = to_decimal(value, 17, Rounding::nearest),
          .lower = {},
          .upper = {},
          .brief = to_decimal(value, std::clamp(agreed_digits, 1, 11), Rounding::nearest),
          .certified = agreed_digits};
}

Json to_json(const ShownNumber& number) {
  Json json{{"kind", number.kind}};
  if (!number.value.empty()) json["value"] = number.value;
  if (number.kind == "approximation") {
    json["agreed_digits"] = number.certified;
    return json;
  }
  json["lower"] = number.lower;
  json["upper"] = number.upper;
  return json;
}

std::string in_words(const ShownNumber& number) {
  if (number.kind == "exact") return "exact";
  if (number.kind == "approximation")
    return fmt::format("computed, {} digits agree; not proved", number.certified);
  return fmt::format("certified to {} digits", number.certified);
}

std::string in_words(const queue::Method& method) {
  switch (method.arithmetic) {
    case queue::Arithmetic::double_precision:
      return "double, with a proved rounding bound";
    case queue::Arithmetic::extended:
      return "long double, with a proved rounding bound";
    case queue::Arithmetic::multiprecision:
      return fmt::format("multiprecision of {} bits, with a proved rounding bound", method.bits);
    case queue::Arithmetic::interval:
      return fmt::format("intervals of {} bits", method.bits);
    case queue::Arithmetic::exact:
      return "exact rationals";
    case queue::Arithmetic::automatic:
      break;
  }
  return queue::name(method.arithmetic);
}

Json new_document(const Context& context, std::string_view command) {
  return Json{{"command", command}, {"version", context.version}};
}

std::string to_text(const Json& document) {
  return document.dump(2) + "\n";
}

std::string to_text(const Json& document, std::string_view key, std::size_t rows,
                    const std::function<Json(std::size_t)>& row) {
  std::string text = document.dump(2);
  if (!document.empty()) text.resize(text.size() - 2);  // without the closing "\n}"
  if (document.empty()) text = "{";
  text += fmt::format("{}\n  {}: [", document.empty() ? "" : ",", Json(key).dump());
  for (std::size_t i = 0; i < rows; ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    text += row(i).dump();
  }
  return text + "\n  ]\n}\n";
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ',';
    if (field.find_first_of(",\"\n\r") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

std::vector<std::string> csv_columns(const std::string& name) {
  const std::string stem = name.empty() ? name : name + "_";
  return {stem + "kind", stem + "lower", stem + "upper", stem + "value"};
}

void append_csv(std::vector<std::string>& fields, const ShownNumber& number) {
  fields.insert(fields.end(), {number.kind, number.lower, number.upper, number.value});
}

std::string to_table(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right) {
  std::vector<std::size_t> widths(right.size(), 0);
  for (const auto& row : rows) {
    if (row.size() > right.size())
      throw std::logic_error("to_table: a row has more columns than are described");
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column)
      line += right[column] ? fmt::format("  {:>{}}", row[column], widths[column])
                            : fmt::format("  {:<{}}", row[column], widths[column]);
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string indented(const std::string& table) {
  std::string text;
  for (std::size_t from = 0; from < table.size();) {
    const std::size_t to = table.find('\n', from) + 1;
    text += "  " + table.substr(from, to - from);
    from = to;
  }
  return text;
}

std::string named_line(const char* name, const std::string& value, int name_width) {
  return fmt::format("  {:<{}}{}\n", name, name_width, value);
}

std::string plain(const Rational& value) {
  return numeric::plain(value);
}

}  // namespace tailbound::cli
