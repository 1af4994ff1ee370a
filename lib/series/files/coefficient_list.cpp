#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/series/files/coefficient_list.hpp>
#include <tailbound/series/files/other_programs.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

namespace tailbound::series {
namespace {

using numeric::Integer;
using numeric::Rational;

constexpr std::size_t max_numbers = 1'000'000;
constexpr std::size_t longest_number = 10'000;
constexpr long largest_exponent = 10'000;
constexpr std::int64_t largest_power = 1'000'000;
constexpr std::int64_t largest_index = 1'000'000'000'000'000;
constexpr std::size_t max_bits = std::size_t{1} << 30;
constexpr int max_factors = 8;  // maximum factors of a term; c * 10^e * x^n needs three
constexpr long largest_binary_exponent = 20'000;

// Doubles: a significand of 53 bits, multiples of 2^-1074; 17 digits distinguish any two, and 15 are always
// preserved.
constexpr long double_bits = 53, min_double_bit = -1074;
constexpr int round_trip_digits = 17, kept_digits = 15;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// 10^exponent, also for negative exponents.
Rational power_of_ten(long exponent) {
  return numeric::pow(Rational(10), exponent);
}

/// The text without comments, colours and commands, with lines joined at a trailing backslash; keeps the
/// position of each character.
class CleanText {
 public:
  explicit CleanText(std::string_view text) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
    clean_.reserve(text.size() + 1);
    bool joined = false, dropped = false;
    for (std::size_t line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::size_t start = clean_.size();
      append_line(text.substr(0, end), line);
      text.remove_prefix(std::min(end + 1, text.size()));

      if (!joined) dropped = is_command(start);
      joined = remove_join(start);
      if (dropped) clean_.resize(start);
      if (!joined) clean_ += '\n';
    }
  }

  [[nodiscard]] const std::string& text() const noexcept { return clean_; }

  /// Line and column of the character at `offset`.
  [[nodiscard]] std::pair<std::size_t, std::size_t> position(std::size_t offset) const {
    const auto after = std::upper_bound(marks_.begin(), marks_.end(), offset,
                                        [](std::size_t at, const Mark& mark) { return at < mark.offset; });
    if (after == marks_.begin()) return {1, 1};
    const Mark& mark = *std::prev(after);
    return {mark.line, mark.column + (offset - mark.offset)};
  }

 private:
  struct Mark {
    std::size_t offset, line, column;
  };

  /// The line without colour codes (ESC [ ... m) and comments.
  void append_line(std::string_view line, std::size_t number) {
    while (!marks_.empty() && marks_.back().offset >= clean_.size()) marks_.pop_back();
    marks_.push_back({clean_.size(), number, 1});
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const char next = i + 1 < line.size() ? line[i + 1] : '\0';
      if (c == '\x1B' && next == '[') {
        std::size_t end = i + 2;
        while (end < line.size() && (is_digit(line[end]) || line[end] == ';')) ++end;
        if (end < line.size() && line[end] == 'm') {
          marks_.push_back({clean_.size(), number, end + 2});
          i = end;
          continue;
        }
      }
      if (c == '"') quoted = !quoted;
      if (!quoted && (c == '#' || (c == '/' && next == '/') || (c == '\\' && next == '\\'))) return;
      clean_ += c;
    }
  }

  [[nodiscard]] bool is_command(std::size_t start) const {
    std::size_t i = start;
    while (i < clean_.size() && is_blank(clean_[i])) ++i;
    if (i < clean_.size() && clean_[i] == '?') return true;
    while (i < clean_.size() && is_digit(clean_[i])) ++i;
    return i < clean_.size() && clean_[i] == '>';
  }

  /// Removes a backslash at the end of the line that begins at `start`; returns whether there was one.
  bool remove_join(std::size_t start) {
    std::size_t end = clean_.size();
    while (end > start && is_blank(clean_[end - 1])) --end;
    if (end == start || clean_[end - 1] != '\\') return false;
    clean_.resize(end - 1);
    return true;
  }

  std::string clean_;
  std::vector<Mark> marks_;
};

/// A number as printed.
struct Printed {
  Rational value = 0;
  int significant_digits = 0;
  std::optional<long> last_place;
  std::optional<long> last_bit{};

  [[nodiscard]] bool is_exact() const { return !last_place && !last_bit; }
};

/// 2^exponent.
Rational power_of_two(long exponent) {
  const Integer power = Integer(1) << std::labs(exponent);
  return exponent >= 0 ? Rational(power) : 1 / Rational(power);
}

/// The exponent e of 2^e <= |value| < 2^(e + 1).  \pre value is not 0
long binary_exponent(const Rational& value) {
  const Integer numerator = numeric::abs(numeric::numerator(value)),
                denominator = numeric::denominator(value);
  const long guess =
      static_cast<long>(numeric::bit_length(numerator)) - static_cast<long>(numeric::bit_length(denominator));
  const bool below = guess > 0 ? numerator < (denominator << guess) : (numerator << -guess) < denominator;
  return below ? guess - 1 : guess;
}

/// The exponent e of 10^e <= |value| < 10^(e + 1), for a decimal of that many digits.
long decimal_exponent(int significant_digits, long last_place) {
  return last_place + significant_digits - 1;
}

/// The last bit of a double next to `value`, as an exponent of 2.
long last_bit_of_double(const Rational& value) {
  if (value == 0) return min_double_bit;
  return std::max(binary_exponent(value) - (double_bits - 1), min_double_bit);
}

/// Determines whether the decimals are printed doubles, and if so gives each the precision of a double.
///
/// The digits beyond the 15th decide: one in six random decimals of 17 digits is a printed double, one in
/// sixty of 18 digits. One value in ten may fail, so that a wrong digit does not spoil the result. Two
/// formats are known: the shortest one, where 0.1 is the double nearest to 1/10 (Python, JSON, Java), and
/// rounding to 17 digits or more ("%.17g", "%.20f"). A list of up to 16 digits may also consist of decimals
/// without trailing zeros: its values get a precision of one unit of the 16th digit, if that is more than a
/// double's last bit.
bool find_doubles(std::vector<Coefficient>& list) {
  std::size_t decimals = 0, long_ones = 0, telling = 0, shortest = 0, rounded = 0, rounded_telling = 0;
  int maximum = 0;
  for (const Coefficient& entry : list) {
    if (!entry.last_place || entry.value == 0) continue;
    ++decimals;
    maximum = std::max(maximum, entry.significant_digits);
    if (entry.significant_digits >= kept_digits) ++long_ones;
    if (entry.significant_digits >= round_trip_digits) ++telling;
  }
  if (decimals == 0)
    return std::any_of(list.begin(), list.end(),
                       [](const Coefficient& entry) { return entry.last_bit.has_value(); });
  if (maximum <= kept_digits || 2 * long_ones < decimals) return false;
  for (const Coefficient& entry : list) {
    if (!entry.last_place || entry.value == 0) continue;
    const numeric::DoublePrint print = numeric::double_print(entry.value, entry.significant_digits);
    if (print.is_shortest) ++shortest;
    if (print.is_rounded) ++rounded;
    if (print.is_rounded && entry.significant_digits >= round_trip_digits) ++rounded_telling;
  }
  const auto nearly = [](std::size_t some, std::size_t all) { return all > 0 && 10 * (all - some) <= all; };
  const bool by_shortest = nearly(shortest, decimals) && maximum <= round_trip_digits;
  const bool by_rounded = nearly(rounded, decimals) && nearly(rounded_telling, telling);
  if (!by_shortest && !by_rounded) return false;
  // Trailing zeros are omitted by the shortest format and by "%g", but not where all have the same last place
  // ("%f").
  const std::optional<long> place = list.front().last_place;
  const bool fixed = !by_shortest && std::all_of(list.begin(), list.end(), [&](const Coefficient& entry) {
    return entry.is_exact() || entry.last_place == place;
  });
  for (Coefficient& entry : list) {
    if (!entry.last_place) continue;
    entry.last_bit = last_bit_of_double(entry.value);
    if (fixed) continue;
    if (entry.value == 0)
      entry.last_place.reset();
    else
      entry.last_place = decimal_exponent(entry.significant_digits, *entry.last_place) - (maximum - 1);
  }
  return true;
}

/// c x^n, or the order term O(x^n).
struct Term {
  Printed number;
  std::int64_t power = 0;
  bool has_variable = false, is_order = false;
};

/// A single number, and its separator from the previous one on its line.
struct LoneNumber {
  Coefficient number;
  std::size_t row = 0;
  bool after_comma = false;
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view source)
      : clean_(text), text_(clean_.text()), source_(source) {}

  CoefficientList read() {
    skip_header();
    while (skip_to_item()) read_item();
    if (!found_) {
      if (lone_.empty())
        fail(text_.size(), "no coefficients found (lines that begin with a prompt are read as commands)");
      from_rows();
    } else {
      list_.lone_numbers = lone_.size();
    }
    list_.doubles = find_doubles(list_.coefficients);
    return std::move(list_);
  }

 private:
  // --- characters ---

  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool ended() const { return at_ >= text_.size(); }

  void skip_blanks() {
    while (is_blank(peek())) ++at_;
  }

  void skip_space() {
    while (!ended() && (is_blank(peek()) || peek() == '\n')) {
      if (peek() == '\n') ++row_;
      ++at_;
    }
  }

  bool take(char c) {
    if (peek() != c || ended()) return false;
    ++at_;
    return true;
  }

  /// "^", or "**" as in Python.
  bool take_caret() {
    if (take('^')) return true;
    if (peek() != '*' || peek(1) != '*') return false;
    at_ += 2;
    return true;
  }

  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    const auto [line, column] = clean_.position(std::min(offset, text_.empty() ? 0 : text_.size() - 1));
    throw ParseError(std::string(source_), line, column, what);
  }

  [[noreturn]] void fail_here(const std::string& expected) const {
    if (ended()) fail(at_, "expected " + expected + ", but the text ends");
    const char c = peek();
    if (c == '\n') fail(at_, "expected " + expected + ", but the line ends");
    if (c < ' ' || c > '~') {
      static constexpr std::array<char, 17> hexadecimal{"0123456789abcdef"};
      const auto byte = static_cast<unsigned char>(c);
      fail(at_, "expected " + expected + ", found the byte 0x" + hexadecimal[byte >> 4U] +
                    hexadecimal[byte & 15U]);
    }
    fail(at_, "expected " + expected + ", found '" + c + "'");
  }

  std::string_view take_digits() {
    const std::size_t start = at_;
    while (is_digit(peek())) ++at_;
    return std::string_view(text_).substr(start, at_ - start);
  }

  std::string_view take_name() {
    const std::size_t start = at_;
    while (is_letter(peek()) || (at_ > start && is_digit(peek()))) ++at_;
    return std::string_view(text_).substr(start, at_ - start);
  }

  /// Digits as an integer of at most `largest`.
  std::int64_t take_integer(std::int64_t largest, const std::string& what) {
    const std::size_t start = at_;
    const std::string_view digits = take_digits();
    if (digits.empty()) fail_here(what);
    std::int64_t value = 0;
    for (const char c : digits) {
      value = 10 * value + (c - '0');
      if (value > largest)
        fail(start, what + " is " + shortened(digits) + "; it must be at most " + std::to_string(largest));
    }
    return value;
  }

  static std::string shortened(std::string_view text) {
    return text.size() <= 40 ? std::string(text) : std::string(text.substr(0, 40)) + "...";
  }

  // --- numbers ---

  [[nodiscard]] bool at_number() const { return is_digit(peek()) || (peek() == '.' && is_digit(peek(1))); }

  /// An unsigned literal: 12, 1.5, .5, 3., 1e-3, "1.5 E-3".
  Printed read_number() {
    if (!at_number()) fail_here("a number");
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && (is_hexadecimal(peek(2)) || peek(2) == '.'))
      return read_hexadecimal();
    const std::size_t start = at_;
    const std::string_view whole = take_digits();
    const bool pointed = take('.');
    const std::string_view decimals = pointed ? take_digits() : std::string_view{};
    const std::string_view mantissa = std::string_view(text_).substr(start, at_ - start);
    if (mantissa.size() > longest_number)
      fail(start, "a number of more than " + std::to_string(longest_number) + " characters");

    const std::optional<long> exponent = read_exponent();
    Printed number;
    number.value = numeric::parse_rational(
        exponent ? std::string(mantissa) + 'e' + std::to_string(*exponent) : std::string(mantissa), "number");
    const bool bare_zero = number.value == 0 && decimals.empty() && !exponent;
    if ((pointed || exponent) && !bare_zero) {
      number.significant_digits = significant_digits(whole, decimals);
      number.last_place = exponent.value_or(0) - static_cast<long>(decimals.size());
    }
    count(number.value, start);
    return number;
  }

  /// 0x1.8p-3: a double, as "%a" of C and float.hex() of Python print it; its last place is that of a double
  /// if it fits into one, otherwise that of its last digit.
  Printed read_hexadecimal() {
    const std::size_t start = at_;
    at_ += 2;
    const auto take_hexadecimals = [&] {
      const std::size_t from = at_;
      while (is_hexadecimal(peek())) ++at_;
      return text_.substr(from, at_ - from);
    };
    const std::string whole = take_hexadecimals();
    const std::string decimals = take('.') ? take_hexadecimals() : std::string();
    const std::string digits = whole + decimals;
    if (digits.empty()) fail(start, "a hexadecimal number without digits");
    if (digits.size() > longest_number)
      fail(start, "a number of more than " + std::to_string(longest_number) + " characters");
    if (!take('p') && !take('P')) fail_here("'p' and a power of 2, as in 0x1.8p-3");
    const bool negative = take('-');
    if (!negative) take('+');
    const auto size = static_cast<long>(take_integer(largest_binary_exponent, "a binary exponent"));
    const long last_digit = (negative ? -size : size) - 4 * static_cast<long>(decimals.size());
    Integer mantissa = 0;
    for (const char c : digits) mantissa = (mantissa << 4) + (is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    Printed number;
    number.value = Rational(mantissa) * power_of_two(last_digit);
    number.last_bit = last_bit_of_double(number.value);
    if (mantissa != 0) {
      number.significant_digits = round_trip_digits;
      if (last_digit + static_cast<long>(lsb(mantissa)) < *number.last_bit) number.last_bit = last_digit;
    }
    count(number.value, start);
    return number;
  }

  /// "e-16", or " E-16" as PARI/GP prints it. Not a name that begins with e.
  std::optional<long> read_exponent() {
    std::size_t ahead = 0;
    while (peek(ahead) == ' ') ++ahead;
    const char letter = peek(ahead);
    if (letter != 'E' && (letter != 'e' || ahead > 0)) return std::nullopt;
    ++ahead;
    const char sign = peek(ahead);
    if (sign == '+' || sign == '-') ++ahead;
    if (!is_digit(peek(ahead))) return std::nullopt;
    at_ += ahead;
    const std::int64_t size = take_integer(largest_exponent, "a decimal exponent");
    return static_cast<long>(sign == '-' ? -size : size);
  }

  static int significant_digits(std::string_view whole, std::string_view decimals) {
    const auto zeros = [](std::string_view digits) {
      return std::min(digits.find_first_not_of('0'), digits.size());
    };
    const std::size_t skipped = zeros(whole);
    if (skipped < whole.size()) return static_cast<int>(whole.size() - skipped + decimals.size());
    return static_cast<int>(decimals.size() - zeros(decimals));
  }

  void count(const Rational& value, std::size_t start) {
    bits_ += numeric::bit_size(value);
    if (bits_ > max_bits) fail(start, "the numbers up to here need more than 2^30 bits");
  }

  // --- terms ---

  /// The product and quotient that make one term; `sign` is applied to it.
  Term read_term(bool negative) {
    const std::size_t start = at_;
    Term term;
    Rational scale = 1;  // the exact factors
    long shift = 0;      // the powers of ten
    bool divide = false, printed = false;
    for (int factors = 1;; ++factors) {
      if (factors > max_factors) fail(at_, "a term of more than 8 factors");
      if (is_letter(peek()))
        read_name(term, divide);
      else
        read_numeric_factor(term.number, printed, scale, shift, divide);
      if (term.is_order && factors == 1) break;
      const std::size_t end = at_;
      skip_blanks();
      if (peek() != '*' && peek() != '/') {
        at_ = end;
        break;
      }
      divide = peek() == '/';
      ++at_;
      skip_space();
    }
    if (std::labs(shift) > largest_exponent) fail(start, "a decimal exponent beyond 10000");
    if (!printed) {
      term.number.value = scale * power_of_ten(shift);
    } else {
      if (scale != 1)
        fail(start, "a decimal multiplied or divided by another number: its last printed place is ambiguous");
      if (term.number.last_bit && shift != 0) fail(start, "a hexadecimal number times a power of 10");
      term.number.value = term.number.value * power_of_ten(shift);
      if (term.number.last_place) *term.number.last_place += shift;
    }
    if (shift != 0) count(term.number.value, start);
    if (negative) term.number.value = -term.number.value;
    return term;
  }

  /// A number, 10^n, or either in parentheses.
  void read_numeric_factor(Printed& number, bool& printed, Rational& scale, long& shift, bool divide) {
    const std::size_t start = at_;
    const bool bracketed = take('(');
    bool negative = false;
    if (bracketed) {
      skip_blanks();
      negative = take('-');
      if (!negative) take('+');
      skip_blanks();
    }
    Printed factor = read_number();
    if (bracketed) {
      skip_blanks();
      if (take('/')) {
        skip_blanks();
        const Printed divisor = read_number();
        if (!factor.is_exact() || !divisor.is_exact()) fail(start, "a fraction must consist of integers");
        if (divisor.value == 0) fail(start, "a denominator of 0");
        factor.value = factor.value / divisor.value;
        skip_blanks();
      }
      if (!take(')')) fail_here("')'");
    }
    if (negative) factor.value = -factor.value;

    if (take_caret()) {
      if (!factor.is_exact() || factor.value != 10) fail(start, "only 10 may have a power");
      const long exponent = read_signed_power();
      shift += divide ? -exponent : exponent;
    } else if (!factor.is_exact()) {
      if (divide) fail(start, "a fraction must consist of integers");
      if (printed) fail(start, "a product of two decimals");
      number = std::move(factor);
      printed = true;
    } else {
      if (divide && factor.value == 0) fail(start, "a denominator of 0");
      scale = divide ? scale / factor.value : scale * factor.value;
    }
  }

  /// n or (n) or (-n) after 10^.
  long read_signed_power() {
    const bool bracketed = take('(');
    const bool negative = take('-');
    const auto size = static_cast<long>(take_integer(largest_exponent, "a decimal exponent"));
    if (bracketed && !take(')')) fail_here("')'");
    return negative ? -size : size;
  }

  /// x, x^n, O(x^n) or order_size(x).
  void read_name(Term& term, bool divide) {
    const std::size_t start = at_;
    const std::string_view name = take_name();
    if (divide) fail(start, "a negative power of " + shortened(name));
    if (name == "O" && take('(')) {
      if (term.has_variable) fail(start, "an order term with a factor");
      term.is_order = true;
      skip_blanks();
      read_variable(term);
      skip_blanks();
      if (!take(')')) fail_here("')'");
      return;
    }
    if (name == "order_size" && take('(')) {
      term.is_order = true;
      check_variable(take_name(), start);
      if (!take(')')) fail_here("')'");
      return;
    }
    at_ = start;
    if (term.has_variable) fail(start, "a product of two variables");
    read_variable(term);
  }

  void read_variable(Term& term) {
    const std::size_t start = at_;
    check_variable(take_name(), start);
    term.has_variable = true;
    term.power = 1;
    if (!take_caret()) return;
    const bool bracketed = take('(');
    if (peek() == '-') fail(at_, "a negative power: a distribution begins at power 0");
    term.power = take_integer(largest_power, "the power of the variable");
    if (bracketed && !take(')')) fail_here("')'");
  }

  void check_variable(std::string_view name, std::size_t start) {
    if (name.empty()) fail_here("a number or a variable");
    static constexpr std::array<std::string_view, 8> not_numbers{"nan", "inf",   "infinity",  "undef",
                                                                 "NaN", "Float", "undefined", "I"};
    if (std::find(not_numbers.begin(), not_numbers.end(), name) != not_numbers.end())
      fail(start, std::string(name) + " is not a finite real number");
    if (variable_.empty()) variable_ = name;
    if (variable_ != name)
      fail(start, "a second variable '" + shortened(name) + "' after '" + shortened(variable_) + "'");
  }

  // --- items: lists, series, lone numbers ---

  /// Names above two columns ("level,probability"): a first line of at least two names and nothing else.
  void skip_header() {
    skip_space();
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = std::string_view(text_).substr(at_, end - at_);
    int names = 0;
    bool inside = false;
    for (const char c : line) {
      const bool part = is_letter(c) || c == '(' || c == ')' || c == '>';
      if (!part && !is_blank(c) && c != ',' && c != ';') return;
      if (part && !inside) ++names;
      inside = part;
    }
    if (names < 2) return;
    has_header_ = true;
    at_ = end;
  }

  /// Moves to the next item; false at the end.
  bool skip_to_item() {
    after_comma_ = false;
    while (!ended()) {
      skip_space();
      if (peek() == ',') after_comma_ = true;
      if (peek() != ',' && peek() != ';' && peek() != ':') break;
      ++at_;
    }
    return !ended();
  }

  void read_item() {
    if (take('"')) {
      const std::size_t end = text_.find('"', at_);
      if (end == std::string::npos) fail(at_ - 1, "an unterminated quoted text");
      row_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                  text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      at_ = end + 1;
      return;
    }
    skip_assignment();
    const std::size_t start = at_;
    take_name();  // poly1[...], seq[...]
    if (take('[')) {
      read_list(start);
    } else {
      at_ = start;
      read_sum();
    }
    const char next = peek();
    if (!ended() && !is_blank(next) && next != '\n' && next != ',' && next != ';' && next != ':')
      fail_here("a number, ',' or the end of the line");
  }

  /// "%12 =", "L :=", "L:", "Q(z) =".
  void skip_assignment() {
    const std::size_t start = at_;
    if (take('%')) {
      take_digits();
    } else {
      if (take_name().empty()) return;
      if (take('(')) {
        take_name();
        if (!take(')')) {
          at_ = start;
          return;
        }
      }
    }
    skip_blanks();
    if (take(':')) {
      take('=');
    } else if (!take('=')) {
      at_ = start;
      return;
    }
    skip_space();
  }

  void read_list(std::size_t start) {
    begin_result(start);
    std::int64_t index = 0;
    skip_space();
    while (!take(']')) {
      const std::size_t element = at_;
      const bool negative = read_sign();
      const Term term = read_term(negative);
      if (term.has_variable || term.is_order) fail(element, "a list must contain only numbers");
      list_.coefficients.push_back(coefficient(term, index++, element));
      skip_space();
      if (take(',')) {
        skip_space();
        if (peek() == ']') fail_here("a number");
      } else if (peek() != ']') {
        fail_here("',' or ']'");
      }
    }
    take('~');  // a column vector of PARI/GP
    if (index == 0) fail(start, "an empty list");
  }

  bool read_sign() {
    const bool negative = take('-');
    if (!negative) take('+');
    skip_space();
    return negative;
  }

  /// A single number, or a series or polynomial.
  void read_sum() {
    const std::size_t start = at_;
    const std::size_t row = row_;
    std::vector<std::pair<Term, std::size_t>> terms;
    bool algebraic = false;
    do {
      const std::size_t at_term = at_;
      const bool negative = read_sign();
      terms.emplace_back(read_term(negative), at_term);
      if (terms.size() > max_numbers + 1) fail(at_term, "more than 1000000 terms");
      algebraic = algebraic || terms.back().first.has_variable || terms.back().first.is_order;
    } while (continues(algebraic));

    const std::string_view item = std::string_view(text_).substr(start, at_ - start);
    if (terms.size() == 1 && item == variable_)
      fail(start, "expected a number, found '" + shortened(item) + "'");
    if (!algebraic) {
      if (terms.size() > 1) fail(start, "a sum of plain numbers");
      if (lone_.size() >= 2 * max_numbers) fail(start, "more than 1000000 numbers");
      lone_.push_back({coefficient(terms.front().first, 0, start), row, after_comma_});
      return;
    }
    begin_result(start);
    for (const auto& [term, offset] : terms) {
      if (!term.is_order) {
        list_.coefficients.push_back(coefficient(term, term.power, offset));
        continue;
      }
      if (list_.order) fail(offset, "a second order term");
      list_.order = term.power;
    }
    fill_series();
  }

  /// Whether a sum continues; if so the position is at the sign. "5 -3" are two numbers on a line, "5 - 3*x"
  /// and "5-3*x" are sums; after a term in x a sum may continue on the next line.
  bool continues(bool algebraic) {
    const std::size_t end = at_;
    const std::size_t row = row_;
    if (algebraic)
      skip_space();
    else
      skip_blanks();
    const bool apart = at_ > end && !is_blank(peek(1)) && peek(1) != '\n';
    if ((peek() == '+' || peek() == '-') && (algebraic || !apart)) return true;
    at_ = end;
    row_ = row;
    return false;
  }

  void begin_result(std::size_t start) {
    if (found_) fail(start, "a second list or series; the text may contain only one");
    found_ = true;
  }

  /// Adds an exact 0 for each power that a series omits.
  void fill_series() {
    sort_by_index();
    std::vector<Coefficient>& terms = list_.coefficients;
    if (terms.empty()) fail(0, "an order term without coefficients");
    if (list_.order && terms.back().index >= *list_.order)
      fail_at(terms.back(), "a term beyond the order term");
    const std::int64_t end = list_.order ? *list_.order : terms.back().index + 1;
    std::vector<Coefficient> filled(static_cast<std::size_t>(end));
    for (std::size_t i = 0; i < filled.size(); ++i) filled[i].index = static_cast<std::int64_t>(i);
    for (Coefficient& term : terms) filled[static_cast<std::size_t>(term.index)] = std::move(term);
    terms = std::move(filled);
  }

  void sort_by_index() {
    std::vector<Coefficient>& all = list_.coefficients;
    std::stable_sort(all.begin(), all.end(),
                     [](const Coefficient& a, const Coefficient& b) { return a.index < b.index; });
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i].index == all[i - 1].index)
        fail_at(all[i], "index " + std::to_string(all[i].index) + " appears twice, first in line " +
                            std::to_string(all[i - 1].line));
  }

  /// Lines of one number, of an index and a value, or a sequence with commas.
  void from_rows() {
    bool single = true, pairs = true, sequence = true;
    for (std::size_t i = 0, next = 0; i < lone_.size(); i = next) {
      for (next = i + 1; next < lone_.size() && lone_[next].row == lone_[i].row; ++next)
        sequence = sequence && lone_[next].after_comma;
      single = single && next - i == 1;
      pairs = pairs && next - i == 2 && is_index(lone_[i].number);
    }
    if (pairs) {
      for (std::size_t i = 0; i + 1 < lone_.size(); i += 2) {
        const Coefficient& index = lone_[i].number;
        if (index.value > Integer(largest_index)) fail_at(index, "an index beyond 10^15");
        lone_[i + 1].number.index = numeric::to_int64(numeric::numerator(index.value));
        list_.coefficients.push_back(std::move(lone_[i + 1].number));
      }
      sort_by_index();
    } else if ((single || sequence) && !has_header_) {
      std::int64_t index = 0;
      for (LoneNumber& lone : lone_) {
        lone.number.index = index++;
        list_.coefficients.push_back(std::move(lone.number));
      }
    } else {
      reject_rows();
    }
    if (list_.coefficients.size() > max_numbers)
      fail_at(list_.coefficients.back(), "more than 1000000 numbers");
  }

  static bool is_index(const Coefficient& number) {
    return number.is_exact() && numeric::is_integer(number.value) && number.value >= 0;
  }

  /// Names the first line that does not match the pattern of the first one.
  [[noreturn]] void reject_rows() const {
    const auto length = [&](std::size_t first) {
      std::size_t next = first + 1;
      while (next < lone_.size() && lone_[next].row == lone_[first].row) ++next;
      return next - first;
    };
    const std::size_t expected = has_header_ ? 2 : length(0);
    for (std::size_t i = 0; i < lone_.size(); i += length(i)) {
      if (length(i) == expected && expected == 1) continue;
      if (length(i) == 2 && expected == 2 && is_index(lone_[i].number)) continue;
      fail_at(lone_[i].number, std::to_string(length(i)) +
                                   " numbers in a line; expected one number per line, an index (0, 1, ...) "
                                   "and a value per line, or numbers separated by commas");
    }
    fail(0, "expected one number per line, or an index and a value");
  }

  [[noreturn]] void fail_at(const Coefficient& place, const std::string& what) const {
    throw ParseError(std::string(source_), place.line, place.column, what);
  }

  Coefficient coefficient(const Term& term, std::int64_t index, std::size_t offset) const {
    if (list_.coefficients.size() >= max_numbers) fail(offset, "more than 1000000 numbers");
    const auto [line, column] = clean_.position(offset);
    return {index,
            term.number.value,
            term.number.significant_digits,
            term.number.last_place,
            term.number.last_bit,
            line,
            column};
  }

  CleanText clean_;
  const std::string& text_;
  std::string_view source_;
  std::size_t at_ = 0, row_ = 0, bits_ = 0;
  bool after_comma_ = false, found_ = false, has_header_ = false;
  std::string variable_;
  std::vector<LoneNumber> lone_;
  CoefficientList list_;
};

}  // namespace

CoefficientList parse_coefficient_list(std::string_view text, std::string_view source) {
  const PlainList plain = as_plain_list(text);
  CoefficientList list = Reader(plain.text, source).read();
  list.format = plain.format;
  return list;
}

int shown_digits(const Coefficient& coefficient) {
  return coefficient.last_bit ? digits_of_doubles : coefficient.significant_digits;
}

Rational unit_in_last_place(const Coefficient& coefficient) {
  const Rational digit = coefficient.last_place ? power_of_ten(*coefficient.last_place) : Rational(0);
  const Rational bit = coefficient.last_bit ? power_of_two(*coefficient.last_bit) : Rational(0);
  return std::max(digit, bit);
}

}  // namespace tailbound::series
