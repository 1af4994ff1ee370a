#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/symbolic/print.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <unordered_map>

namespace tailbound::symbolic {

using numeric::Integer;
using numeric::Rational;

namespace {

enum Binding { loose_sum, loose_product, tight_power, atom };

struct Piece {
  std::string text;
  Binding binding = atom;
};

std::string digits(const Integer& value) {
  return numeric::to_fraction(value);
}

/// A constant of a C program: exact where both parts are doubles, the nearest double otherwise.
Piece c_constant(const Rational& value) {
  const Integer top = numeric::numerator(value), bottom = numeric::denominator(value);
  if (numeric::bit_length(top) <= 53 && numeric::bit_length(bottom) <= 53) {
    if (bottom == 1) return {digits(top) + ".0", atom};
    return {digits(top) + ".0/" + digits(bottom) + ".0", loose_product};
  }
  const double nearest = numeric::nearest_double(value);
  if (!std::isfinite(nearest) || nearest == 0)
    throw InvalidArgument("constant of the formula", "beyond the range of a C double",
                          "between 1e-308 and 1e308 in magnitude to be printed as C");
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.17g", nearest);
  std::string text = buffer.data();
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return {text, atom};
}

class Printer {
 public:
  explicit Printer(Language language) : language_(language) {}

  Piece piece(const Expression& part) const {
    switch (part.kind()) {
      case Expression::Kind::number:
        return number(part.number());
      case Expression::Kind::symbol:
        return {spelled(part.name(), language_), atom};
      case Expression::Kind::sum:
        return sum_piece(part);
      case Expression::Kind::product:
        return product_piece(part.operands());
      case Expression::Kind::power:
        return power_piece(part);
      default:
        return exponential_piece(part);
    }
  }

  std::string wrapped(const Expression& part, Binding minimum) const {
    Piece inner = piece(part);
    return inner.binding < minimum ? parenthesised(std::move(inner.text)) : std::move(inner.text);
  }

 private:
  [[nodiscard]] bool latex() const { return language_ == Language::latex; }

  // A formula may be megabytes long: texts are moved, not copied.
  std::string parenthesised(std::string text) const {
    text.insert(0, latex() ? "\\left(" : "(");
    text += latex() ? "\\right)" : ")";
    return text;
  }

  Piece number(const Rational& value) const {
    if (value < 0) {
      const Piece positive = number(-value);
      return {"-" + positive.text, loose_sum};
    }
    if (language_ == Language::c) return c_constant(value);
    const Integer top = numeric::numerator(value), bottom = numeric::denominator(value);
    if (bottom == 1) return {digits(top), atom};
    if (latex()) return {"\\frac{" + digits(top) + "}{" + digits(bottom) + "}", tight_power};
    return {digits(top) + "/" + digits(bottom), loose_product};
  }

  /// The term without its sign, and whether it was negative.
  std::pair<bool, Piece> signed_piece(const Expression& term) const {
    if (term.is_number() && term.number() < 0) return {true, number(-term.number())};
    if (term.kind() == Expression::Kind::product && term.operands()[0].is_number() &&
        term.operands()[0].number() < 0)
      return {true, piece(-term)};
    return {false, piece(term)};
  }

  Piece sum_piece(const Expression& part) const {
    std::string text;
    for (const Expression& term : part.operands()) {
      auto [negative, positive] = signed_piece(term);
      if (text.empty())
        text += negative ? "-" : "";
      else
        text += negative ? " - " : " + ";
      text += positive.binding == loose_sum ? parenthesised(std::move(positive.text)) : positive.text;
    }
    return {std::move(text), loose_sum};
  }

  /// base^exponent with a negative numeric exponent belongs below the line.
  static bool below(const Expression& factor) {
    return factor.kind() == Expression::Kind::power && factor.operands()[1].is_number() &&
           factor.operands()[1].number() < 0;
  }

  Piece product_piece(std::span<const Expression> factors) const {
    Rational coefficient = 1;
    std::vector<Expression> above_line, below_line;
    for (const Expression& factor : factors)
      if (factor.is_number())
        coefficient = factor.number();
      else if (below(factor))
        below_line.push_back(pow(factor, -1));
      else
        above_line.push_back(factor);
    if (coefficient < 0) {
      const Piece positive = fraction(-coefficient, above_line, below_line);
      return {"-" + positive.text, loose_sum};
    }
    return fraction(coefficient, above_line, below_line);
  }

  std::string joined(const std::vector<Expression>& factors) const {
    std::string text;
    for (const Expression& factor : factors) {
      std::string inner = wrapped(factor, tight_power);
      if (text.empty()) {
        text = std::move(inner);
        continue;
      }
      // a digit after a factor would read as one number, or as an exponent's
      if (latex())
        text += inner.front() >= '0' && inner.front() <= '9' ? " \\cdot " : " ";
      else
        text += "*";
      text += inner;
    }
    return text;
  }

  /// A product of one factor. It is printed only once: printing it twice at each level would take 2^n steps
  /// at depth n.
  Piece alone(const Expression& factor) const {
    Piece inner = piece(factor);
    if (inner.binding < tight_power) return {parenthesised(std::move(inner.text)), atom};
    return inner;
  }

  Piece fraction(const Rational& coefficient, std::vector<Expression> above_line,
                 std::vector<Expression> below_line) const {
    if (coefficient == 1 && above_line.size() == 1 && below_line.empty()) return alone(above_line[0]);
    if (latex()) return latex_fraction(coefficient, above_line, below_line);
    std::string text;
    if (coefficient != 1 || above_line.empty()) {
      const Piece constant = number(coefficient);
      text = constant.text;
      if (!above_line.empty()) text += "*";
    }
    text += joined(above_line);
    if (below_line.size() == 1)
      (text += "/") += wrapped(below_line[0], tight_power);
    else if (!below_line.empty())
      ((text += "/(") += joined(below_line)) += ")";
    return {std::move(text), loose_product};
  }

  Piece latex_fraction(const Rational& coefficient, const std::vector<Expression>& above_line,
                       const std::vector<Expression>& below_line) const {
    const Integer top = numeric::numerator(coefficient), bottom = numeric::denominator(coefficient);
    if (below_line.empty()) {
      if (coefficient == 1) return {joined(above_line), loose_product};
      if (above_line.empty()) return number(coefficient);
      const std::string rest = joined(above_line);
      return {number(coefficient).text + " " + rest, loose_product};
    }
    const auto line = [&](const Integer& factor, const std::vector<Expression>& factors) {
      if (factors.empty()) return digits(factor);
      // alone on its side of the line, a sum needs no parentheses
      if (factor == 1 && factors.size() == 1) return piece(factors[0]).text;
      return (factor == 1 ? "" : digits(factor) + " ") + joined(factors);
    };
    return {"\\frac{" + line(top, above_line) + "}{" + line(bottom, below_line) + "}", loose_product};
  }

  Piece power_piece(const Expression& part) const {
    if (below(part)) return product_piece(std::span(&part, 1));
    const Expression& base = part.operands()[0];
    const Expression& exponent = part.operands()[1];
    if (language_ == Language::c)
      return {"pow(" + piece(base).text + ", " + piece(exponent).text + ")", atom};
    const std::string below_exponent = wrapped(base, atom);
    if (latex()) return {below_exponent + "^{" + piece(exponent).text + "}", tight_power};
    return {below_exponent + "^" + wrapped(exponent, atom), tight_power};
  }

  Piece exponential_piece(const Expression& part) const {
    const std::string argument = piece(part.operands()[0]).text;
    if (latex()) return {"e^{" + argument + "}", tight_power};
    return {"exp(" + argument + ")", atom};
  }

  Language language_;
};

constexpr auto maple_reserved = std::to_array<std::string_view>(
    {"and",    "assuming", "break",    "by",        "catch",     "description", "do",      "done",
     "elif",   "else",     "end",      "error",     "export",    "fi",          "finally", "for",
     "from",   "global",   "if",       "implies",   "in",        "intersect",   "local",   "minus",
     "mod",    "module",   "next",     "not",       "od",        "option",      "options", "or",
     "proc",   "quit",     "read",     "return",    "save",      "stop",        "subset",  "then",
     "to",     "try",      "union",    "use",       "uses",      "while",       "xor",     "D",
     "I",      "O",        "Pi",       "Catalan",   "FAIL",      "infinity",    "gamma",   "Digits",
     "Order",  "true",     "false",    "undefined", "constants", "NULL",        "exp",     "log",
     "ln",     "sqrt",     "sin",      "cos",       "tan",       "abs",         "max",     "min",
     "diff",   "int",      "sum",      "product",   "limit",     "series",      "series",  "solve",
     "subs",   "e",        "i",        "pi",        "psi",       "Psi",         "Zeta",    "Beta",
     "GAMMA",  "erf",      "floor",    "ceil",      "round",     "trunc",       "sign",    "norm",
     "rank",   "trace",    "E",        "content",   "degree",    "lcoeff",      "coeff",   "factor",
     "expand", "normal",   "simplify", "evalf",     "print",     "time",        "order",   "UTPN",
     "table",  "array",    "list",     "set"});

constexpr auto gp_reserved = std::to_array<std::string_view>(
    {"I",        "Pi",        "Euler",       "Catalan",     "O",       "if",     "for",     "while",
     "until",    "return",    "break",       "next",        "my",      "local",  "global",  "exp",
     "log",      "sqrt",      "sin",         "cos",         "tan",     "abs",    "max",     "min",
     "sum",      "prod",      "gamma",       "psi",         "zeta",    "eta",    "theta",   "omega",
     "sigma",    "precision", "bigomega",    "order",       "content", "factor", "floor",   "ceil",
     "round",    "norm",      "trace",       "error",       "print",   "read",   "write",   "type",
     "vector",   "matrix",    "list",        "set",         "Vec",     "Col",    "Mat",     "Pol",
     "Ser",      "List",      "Set",         "Map",         "Str",     "Qfb",    "quad",    "lambda",
     "real",     "imag",      "conj",        "arg",         "erfc",    "hyperu", "agm",     "core",
     "issquare", "numerator", "denominator", "valuation",   "subst",   "deriv",  "diffop",  "intnum",
     "solve",    "polroots",  "apply",       "select",      "fold",    "call",   "self",    "sign",
     "bitand",   "eval",      "simplify",    "primes",      "prime",   "rank",   "trap",    "kill",
     "quit",     "system",    "default",     "allocatemem", "addhelp", "alias",  "install", "forprime",
     "forstep",  "fordiv",    "mod",         "Mod",         "weber",   "incgam", "besselj"});

constexpr auto c_reserved = std::to_array<std::string_view>(
    {"auto",      "break",    "case",     "char",     "const", "continue", "default", "do",     "double",
     "else",      "enum",     "extern",   "float",    "for",   "goto",     "if",      "inline", "int",
     "long",      "register", "restrict", "return",   "short", "signed",   "sizeof",  "static", "struct",
     "switch",    "typedef",  "union",    "unsigned", "void",  "volatile", "while",   "exp",    "pow",
     "log",       "expm1",    "log1p",    "fabs",     "sqrt",  "sin",      "cos",     "tan",    "main",
     "h",         "gamma",    "j0",       "j1",       "jn",    "y0",       "y1",      "yn",     "NAN",
     "INFINITY",  "HUGE_VAL", "floor",    "ceil",     "round", "trunc",    "lgamma",  "tgamma", "erf",
     "erfc",      "exp2",     "log2",     "log10",    "logb",  "fmax",     "fmin",    "fma",    "abs",
     "remainder", "rint",     "signgam",  "isnan",    "isinf", "signbit",  "hypot",   "cbrt",   "asm"});

constexpr auto greek = std::to_array<std::string_view>(
    {"alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta", "iota",
     "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma", "tau",
     "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta", "Lambda",
     "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega"});

std::string latex_letters(const std::string& stem) {
  if (stem.size() == 1) return stem;
  if (std::ranges::find(greek, stem) != greek.end()) return "\\" + stem;
  std::string escaped;
  for (const char c : stem) escaped += c == '_' ? std::string("\\_") : std::string(1, c);
  return "\\mathrm{" + escaped + "}";
}

/// "y1" and "y_1" become y_{1}.
std::string latex_name(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  std::string stem = name.substr(0, last + 1), index = name.substr(last + 1);
  while (!stem.empty() && stem.back() == '_') stem.pop_back();
  if (index.empty() && name.find('_') != std::string::npos && name.back() != '_') {
    index = name.substr(name.rfind('_') + 1);
    stem = name.substr(0, name.rfind('_'));
    return latex_letters(stem) + "_{" + latex_letters(index) + "}";
  }
  if (index.empty()) return latex_letters(name);
  return latex_letters(stem) + "_{" + index + "}";
}

/// C code for f(z) - f(1) without cancellation, h = z - 1, by
///   d(a + b) = da + db,  d(a b) = da b(z) + a(1) db,
///   d(b^n) = b(1)^n expm1(n log1p(db / b(1))),  d(exp a) = exp(a(1)) expm1(da).
class DifferenceCode {
 public:
  explicit DifferenceCode(std::string variable) : variable_(std::move(variable)) {}

  std::string of(const Expression& part) {
    const Piece result = piece(part);
    return result.text;
  }

 private:
  Expression at_one(const Expression& part) const { return part.substitute(variable_, 1); }

  static std::string wrapped(const Piece& inner, Binding minimum) {
    return inner.binding < minimum ? "(" + inner.text + ")" : inner.text;
  }

  Piece piece(const Expression& part) {
    const Printer c(Language::c);
    if (!part.depends_on(variable_)) return {"0.0", atom};
    switch (part.kind()) {
      case Expression::Kind::symbol:
        return {"h", atom};
      case Expression::Kind::sum: {
        std::string text;
        for (const Expression& term : part.operands())
          if (term.depends_on(variable_))
            text += (text.empty() ? "" : " + ") + wrapped(piece(term), loose_product);
        return {text, loose_sum};
      }
      case Expression::Kind::product: {
        const std::vector<Expression> factors(part.operands().begin(), part.operands().end());
        std::string text;
        for (std::size_t i = 0; i < factors.size(); ++i) {
          if (!factors[i].depends_on(variable_)) continue;
          std::vector<Expression> others;
          for (std::size_t j = 0; j < factors.size(); ++j)
            if (j != i) others.push_back(j < i ? at_one(factors[j]) : factors[j]);
          const Expression other = product(others);
          const Piece changed = piece(factors[i]);
          const std::string term =
              other.is_number() && other.number() == 1
                  ? wrapped(changed, loose_product)
                  : c.wrapped(other, loose_product) + "*" + wrapped(changed, tight_power);
          text += (text.empty() ? "" : " + ") + term;
        }
        return {text, loose_sum};
      }
      case Expression::Kind::power: {
        const Expression& base = part.operands()[0];
        const Expression start = simplified(at_one(base));
        if (start.is_number() && start.number() == 0) {
          if (!part.operands()[1].is_number() || part.operands()[1].number() < 0)
            throw InvalidArgument("formula", "infinite or undecided at " + variable_ + " = 1",
                                  "finite there");
          return c.piece(part);  // nothing to subtract
        }
        const std::string inner = of(base);
        const std::string ratio = start.is_number() && start.number() == 1
                                      ? inner
                                      : "(" + inner + ")/(" + c.piece(start).text + ")";
        const std::string growth =
            "expm1(" + c.wrapped(part.operands()[1], tight_power) + "*log1p(" + ratio + "))";
        if (start.is_number() && start.number() == 1) return {growth, atom};
        return {c.wrapped(pow(start, part.operands()[1]), loose_product) + "*" + growth, loose_product};
      }
      case Expression::Kind::exponential: {
        const Expression& argument = part.operands()[0];
        const Expression start = simplified(at_one(argument));
        const std::string growth = "expm1(" + of(argument) + ")";
        if (start.is_number() && start.number() == 0) return {growth, atom};
        return {"exp(" + c.piece(start).text + ")*" + growth, loose_product};
      }
      default:
        return {"0.0", atom};
    }
  }

  static Expression simplified(const Expression& value) {
    try {
      return value.simplified();
    } catch (const LimitExceeded&) {
      return value;
    }
  }

  std::string variable_;
};

std::string remarks(const std::vector<std::string>& lines, std::string_view open, std::string_view close) {
  std::string text;
  for (const std::string& line : lines) text += std::string(open) + line + std::string(close) + "\n";
  return text;
}

std::string c_definition(const Definition& definition) {
  const Printer c(Language::c);
  std::vector<std::string> names;
  const auto collect = [&](const Expression& part) {
    for (const std::string& name : part.free_symbols()) {
      const bool local = std::ranges::any_of(
          definition.differences, [&](const auto& difference) { return difference.symbol == name; });
      if (name != definition.variable && !local) names.push_back(name);
    }
  };
  collect(definition.expression);
  for (const auto& difference : definition.differences) {
    collect(difference.function);
    collect(difference.slope);
  }
  for (const Expression& coefficient : definition.taylor_at_one) collect(coefficient);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());

  const std::string variable = spelled(definition.variable, Language::c);
  std::string text = "#include <math.h>\n\n" + remarks(definition.remarks, "/* ", " */");
  text += "double " + spelled(definition.name, Language::c) + "(double " + variable;
  for (const std::string& name : names) text += ", double " + spelled(name, Language::c);
  text += ")\n{\n";
  if (!definition.differences.empty() || !definition.taylor_at_one.empty())
    text += "    const double h = " + variable + " - 1.0;\n";
  for (const auto& difference : definition.differences) {
    const std::string name = spelled(difference.symbol, Language::c);
    const std::string code = DifferenceCode(definition.variable).of(difference.function);
    const std::string direct =
        "(" + c.piece(difference.function).text + " - " +
        c.wrapped(difference.function.substitute(definition.variable, 1), loose_product) + ")/h";
    text +=
        "    double " + name + " = h == 0.0 ? " + c.piece(difference.slope).text + " : (" + code + ")/h;\n";
    // log1p is undefined where a base becomes negative; away from z = 1 nothing cancels
    text +=
        "    if (fabs(h) > 0.25 || " + name + " != " + name + ")\n        " + name + " = " + direct + ";\n";
  }
  if (!definition.taylor_at_one.empty()) {
    std::string horner;
    for (std::size_t i = definition.taylor_at_one.size(); i-- > 0;) {
      const std::string coefficient = c.wrapped(definition.taylor_at_one[i], loose_product);
      horner = horner.empty() ? coefficient : coefficient + " + h*(" + horner + ")";
    }
    text += "    if (fabs(h) < 0.015625)\n        return " + horner + ";\n";
  }
  return text + "    return " + c.piece(definition.expression).text + ";\n}\n";
}

}  // namespace

std::span<const std::string_view> reserved_names(Language language) {
  switch (language) {
    case Language::maple:
      return maple_reserved;
    case Language::gp:
      return gp_reserved;
    case Language::c:
      return c_reserved;
    default:
      return {};
  }
}

std::string spelled(std::string_view name, Language language) {
  if (language == Language::latex) return latex_name(std::string(name));
  const auto reserved = reserved_names(language);
  // a_ might already be another parameter's name; to keep the two distinct, each trailing '_' is doubled
  std::string result(name);
  std::string stem = result;
  while (!stem.empty() && stem.back() == '_') stem.pop_back();
  if (std::ranges::find(reserved, std::string_view(stem)) != reserved.end()) result += "_";
  return result;
}

std::string print(const Expression& expression, Language language) {
  return Printer(language).piece(expression).text;
}

std::string print(const Definition& definition, Language language) {
  if (language == Language::c) return c_definition(definition);
  return print(definition, language, print(definition.expression, language));
}

std::string print(const Definition& definition, Language language, std::string_view body) {
  const std::string name = spelled(definition.name, language),
                    variable = spelled(definition.variable, language);
  const auto defined = [&](const char* comment, const std::string& head, const char* end) {
    std::string text = remarks(definition.remarks, comment, "") + head;
    text.reserve(text.size() + body.size() + 2);
    return (text += body) += end;
  };
  switch (language) {
    case Language::text:
      return defined("# ", name + "(" + variable + ") = ", "\n");
    case Language::latex:
      return defined("% ", name + "(" + variable + ") = ", "\n");
    case Language::maple:
      return defined("# ", name + " := " + variable + " -> ", ":\n");
    case Language::gp:
      return defined("\\\\ ", name + "(" + variable + ") = ", ";\n");
    default:
      return c_definition(definition);
  }
}

}  // namespace tailbound::symbolic
