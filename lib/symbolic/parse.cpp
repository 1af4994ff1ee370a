#include <tailbound/core/error.hpp>
#include <tailbound/symbolic/expression.hpp>

#include <string>

namespace tailbound::symbolic {

namespace {

constexpr std::size_t text_limit = 65'536, operand_limit = 10'000, nesting_limit = 200;
constexpr std::size_t total_bits_limit = 8'000'000;

/// Recursive descent; the grammar:
///   sum     = product (("+" | "-") product)*
///   product = signed (("*" | "/") signed)*
///   signed  = ("-" | "+") signed | power
///   power   = atom ("^" signed)?
///   atom    = number | name | "exp" "(" sum ")" | "(" sum ")"
class Parser {
 public:
  Parser(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  Expression parse() {
    if (text_.size() > text_limit)
      fail(0, "the formula has " + std::to_string(text_.size()) + " characters; the limit is " +
                  std::to_string(text_limit));
    skip_space();
    if (at_end()) fail(position_, "the formula is empty");
    const Expression result = parse_sum();
    if (!at_end()) {
      if (text_[position_] == ')') fail(position_, "')' without '('");
      fail_unexpected("an operator");
    }
    return result;
  }

 private:
  [[noreturn]] void fail(std::size_t position, const std::string& what) const {
    std::size_t line = 1, column = 1;
    for (const char c : text_.substr(0, position)) {
      ++column;
      if (c == '\n') {
        ++line;
        column = 1;
      }
    }
    throw ParseError(source_, line, column, what);
  }

  [[noreturn]] void fail_unexpected(const std::string& expected) const {
    if (at_end()) fail(position_, "the formula ends where " + expected + " is expected");
    const char c = text_[position_];
    if (is_letter(c) || is_digit(c) || c == '(' || c == '.')
      if (expected == "an operator")
        fail(position_, "an operator is missing; write 2*z for a product, not 2z");
    if (c == '*' && expected != "an operator" && position_ > 0 && text_[position_ - 1] == '*')
      fail(position_, "'**' is not an operator; write ^ for a power");
    const bool printable = static_cast<unsigned char>(c) >= 32 && static_cast<unsigned char>(c) < 127;
    fail(position_, (printable ? "'" + std::string(1, c) + "'"
                               : "the byte " + std::to_string(static_cast<unsigned char>(c))) +
                        " where " + expected + " is expected");
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

  [[nodiscard]] bool at_end() const { return position_ >= text_.size(); }
  [[nodiscard]] bool at(char c) const { return !at_end() && text_[position_] == c; }

  void skip_space() {
    while (!at_end() && (text_[position_] == ' ' || text_[position_] == '\t' || text_[position_] == '\n' ||
                         text_[position_] == '\r'))
      ++position_;
  }

  bool take(char c) {
    if (!at(c)) return false;
    ++position_;
    skip_space();
    return true;
  }

  /// Adds the position in the text to errors of formula construction. Numbers count towards a total, so that
  /// many large ones are rejected as well as a single one.
  template <class Build>
  Expression at_place(std::size_t position, Build build) {
    try {
      Expression result = build();
      if (result.is_number()) {
        total_bits_ += numeric::bit_size(result.number());
        if (total_bits_ > total_bits_limit)
          fail(position,
               "the numbers of the formula need more than " + std::to_string(total_bits_limit) + " bits");
      }
      return result;
    } catch (const InvalidArgument& error) {
      fail(position, error.what());
    } catch (const LimitExceeded& error) {
      fail(position, error.what());
    }
  }

  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > nesting_limit)
        parser_.fail(parser_.position_, "nested more than " + std::to_string(nesting_limit) + " deep");
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  /// Adds to `parts`; numbers are combined immediately.
  template <class Combine>
  void gather(std::vector<Expression>& parts, std::optional<std::size_t>& number_at, Expression part,
              std::size_t position, Combine combine) {
    if (!part.is_number()) {
      parts.push_back(std::move(part));
    } else if (number_at) {
      parts[*number_at] = at_place(position, [&] { return combine(parts[*number_at], part); });
    } else {
      number_at = parts.size();
      parts.push_back(std::move(part));
    }
  }

  Expression parse_sum() {
    std::vector<Expression> terms;
    std::optional<std::size_t> number_at;
    const std::size_t start = position_;
    const auto add = [](const Expression& a, const Expression& b) { return a + b; };
    gather(terms, number_at, parse_product(), start, add);
    while (at('+') || at('-')) {
      const std::size_t place = position_;
      const bool minus = at('-');
      take(text_[position_]);
      Expression term = parse_product();
      if (minus) term = at_place(place, [&] { return product({-1, term}); });
      gather(terms, number_at, std::move(term), place, add);
    }
    if (terms.size() == 1) return terms.front();
    return at_place(start, [&] { return sum(std::move(terms)); });
  }

  Expression parse_product() {
    std::vector<Expression> factors;
    std::optional<std::size_t> number_at;
    const std::size_t start = position_;
    const auto multiply = [](const Expression& a, const Expression& b) { return a * b; };
    gather(factors, number_at, parse_signed(), start, multiply);
    while (at('*') || at('/')) {
      const bool divide = at('/');
      take(text_[position_]);
      const std::size_t place = position_;
      Expression factor = parse_signed();
      if (divide) factor = at_place(place, [&] { return pow(factor, -1); });
      gather(factors, number_at, std::move(factor), place, multiply);
    }
    if (factors.size() == 1) return factors.front();
    return at_place(start, [&] { return product(std::move(factors)); });
  }

  Expression parse_signed() {
    const Nesting nesting(*this);
    const std::size_t place = position_;
    if (take('-')) {
      const Expression operand = parse_signed();
      return at_place(place, [&] { return product({-1, operand}); });
    }
    if (take('+')) return parse_signed();
    return parse_power();
  }

  Expression parse_power() {
    const std::size_t place = position_;
    const Expression base = parse_atom();
    if (!take('^')) return base;
    const Expression exponent = parse_signed();
    return at_place(place, [&] { return pow(base, exponent); });
  }

  Expression parse_atom() {
    if (++operands_ > operand_limit)
      fail(position_, "the formula has more than " + std::to_string(operand_limit) + " operands");
    const std::size_t start = position_;
    if (at_end()) fail_unexpected("a number, a name or '('");
    if (take('(')) return parse_rest_of_parentheses(start);
    if (is_digit(text_[start]) || text_[start] == '.') return parse_number();
    if (!is_letter(text_[start])) fail_unexpected("a number, a name or '('");
    while (!at_end() && is_name(text_[position_])) ++position_;
    const std::string_view name = text_.substr(start, position_ - start);
    skip_space();
    if (name == "exp") {
      if (!take('(')) fail(position_, "'(' must follow exp");
      const Expression argument = parse_rest_of_parentheses(start);
      return at_place(start, [&] { return exp(argument); });
    }
    if (at('('))
      fail(start,
           "'" + std::string(name.substr(0, 64)) +
               "(' is not known; the only function is exp, and a product needs '*'; named distributions, "
               "such as 0.9 + 0.1*zipf(1.5,64), are accepted in --arrivals, with numbers as weights");
    return at_place(start, [&] { return Expression::symbol(name); });
  }

  Expression parse_rest_of_parentheses(std::size_t opened) {
    const Nesting nesting(*this);
    const Expression result = parse_sum();
    if (take(')')) return result;
    if (at_end()) fail(opened, "'(' is not closed");
    fail_unexpected("an operator");
  }

  Expression parse_number() {
    const std::size_t start = position_;
    while (!at_end() && (is_digit(text_[position_]) || text_[position_] == '.')) ++position_;
    if (at('e') || at('E')) {
      std::size_t next = position_ + 1;
      if (next < text_.size() && (text_[next] == '+' || text_[next] == '-')) ++next;
      if (next < text_.size() && is_digit(text_[next])) {
        position_ = next;
        while (!at_end() && is_digit(text_[position_])) ++position_;
      }
    }
    const std::string_view digits = text_.substr(start, position_ - start);
    const Expression result =
        at_place(start, [&] { return Expression(numeric::parse_rational(digits, "number")); });
    skip_space();
    return result;
  }

  std::string_view text_;
  std::string source_;
  std::size_t position_ = 0, operands_ = 0, nesting_ = 0, total_bits_ = 0;
};

}  // namespace

Expression parse_expression(std::string_view text, std::string_view source) {
  return Parser(text, source).parse();
}

}  // namespace tailbound::symbolic
