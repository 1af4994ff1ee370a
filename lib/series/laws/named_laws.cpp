#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/series/laws/named_laws.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace tailbound::series {
namespace {

using numeric::Rational;
using symbolic::Expression;
using Parts = std::vector<LawMixture::Part>;

constexpr std::size_t max_terms = 65'536;
constexpr std::size_t longest_formula = 1024;  ///< terms of a table in a formula
constexpr long highest_power = 64;             ///< r of negbin in a formula

struct NamedLaw {
  const char* name;
  const char* parameters;
  std::size_t count;
  Law (*checked)(std::vector<Rational> of);
};

[[noreturn]] void reject(const char* law, const char* parameter, const Rational& value, const char* legal) {
  throw InvalidArgument(std::string(parameter) + " of " + law, numeric::to_fraction(value), legal);
}

void require_probability(const char* law, const Rational& p) {
  if (p <= 0 || p >= 1) reject(law, "p", p, "above 0 and below 1");
}

void require_terms(const char* law, const char* parameter, const Rational& value, long minimum) {
  if (!numeric::is_integer(value) || value < minimum || value >= static_cast<unsigned long>(max_terms))
    reject(law, parameter, value, "a whole number in range, below 65536");
}

Law negative_binomial(std::vector<Rational> of) {
  if (of[0] <= 0 || of[0] > 1'000'000) reject("negbin", "r", of[0], "above 0 and at most 1000000");
  require_probability("negbin", of[1]);
  return {Law::Kind::negative_binomial, std::move(of)};
}

Law geometric(std::vector<Rational> of) {
  require_probability("geometric", of[0]);
  return {Law::Kind::negative_binomial, {1, std::move(of[0])}};
}

Law binomial(std::vector<Rational> of) {
  require_terms("binomial", "n", of[0], 1);
  require_probability("binomial", of[1]);
  return {Law::Kind::binomial, std::move(of)};
}

Law logarithmic(std::vector<Rational> of) {
  require_probability("logarithmic", of[0]);
  return {Law::Kind::logarithmic, std::move(of)};
}

Law zipf(std::vector<Rational> of) {
  if (of[0] < 0 || of[0] > 100) reject("zipf", "s", of[0], "from 0 to 100");
  require_terms("zipf", "n", of[1], 1);
  return {Law::Kind::zipf, std::move(of)};
}

Law log_normal(std::vector<Rational> of) {
  if (of[0] < -50 || of[0] > 20) reject("lognormal", "mu", of[0], "from -50 to 20");
  if (of[1] <= 0 || of[1] > 20) reject("lognormal", "sigma", of[1], "above 0 and at most 20");
  require_terms("lognormal", "n", of[2], 1);
  return {Law::Kind::log_normal, std::move(of)};
}

Law uniform(std::vector<Rational> of) {
  require_terms("uniform", "a", of[0], 0);
  require_terms("uniform", "b", of[1], 0);
  if (of[1] < of[0]) reject("uniform", "b", of[1], "at least a");
  return {Law::Kind::uniform, std::move(of)};
}

constexpr std::array<NamedLaw, 7> laws{{{"negbin", "r,p", 2, negative_binomial},
                                        {"geometric", "p", 1, geometric},
                                        {"binomial", "n,p", 2, binomial},
                                        {"logarithmic", "p", 1, logarithmic},
                                        {"zipf", "s,n", 2, zipf},
                                        {"lognormal", "mu,sigma,n", 3, log_normal},
                                        {"uniform", "a,b", 2, uniform}}};

/// Reads the sum.
class LawReader {
 public:
  LawReader(std::string_view text, const std::string& argument) : text_(text), argument_(argument) {}

  Parts read() {
    Parts parts;
    Rational shares = 0;
    do {
      LawMixture::Part part = term();
      shares = shares + part.share;
      if (part.share != 0) parts.push_back(std::move(part));
    } while (take('+'));
    if (at_ < text_.size())
      fail("a sum of distributions: expected + or the end at character " + std::to_string(at_ + 1));
    if (shares != 1) fail("composed of shares that sum to 1; they sum to " + numeric::to_fraction(shares));
    return parts;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InvalidArgument(argument_, std::string(text_), what);
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Rational number() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 ||
            std::string_view("./eE").find(text_[at_]) != std::string_view::npos ||
            (text_[at_] == '-' && (at_ == begin || text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E'))))
      ++at_;
    return numeric::parse_rational(text_.substr(begin, at_ - begin), argument_);
  }

  /// A share and its distribution; no packet for a share alone.
  LawMixture::Part term() {
    skip();
    Rational share = 1;
    if (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) == 0) {
      share = number();
      if (share < 0) fail("composed of shares of at least 0");
      if (!take('*')) return {share, {}};
    }
    return {share, law()};
  }

  Law law() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const auto found =
        std::find_if(laws.begin(), laws.end(), [&](const NamedLaw& each) { return each.name == name; });
    if (found == laws.end()) fail("a sum of " + named_laws_in_words());
    std::vector<Rational> parameters;
    if (!take('(')) fail(std::string(found->name) + " with its parameters in parentheses");
    do parameters.push_back(number());
    while (take(','));
    if (!take(')')) fail("closed by a parenthesis after the parameters of " + std::string(found->name));
    if (parameters.size() != found->count)
      fail(std::string("of the form ") + found->name + "(" + found->parameters + ")");
    return found->checked(std::move(parameters));
  }

  std::string_view text_;
  std::string argument_;
  std::size_t at_ = 0;
};

bool is_named(std::string_view text) {
  return std::any_of(laws.begin(), laws.end(), [&](const NamedLaw& law) {
    return text.find(std::string(law.name) + "(") != std::string_view::npos;
  });
}

/// E[z^A] of one law; none if it is no quotient of polynomials, or too long to be written.
std::optional<Expression> formula_of(const Law& law) {
  const Expression z = Expression::symbol("z");
  const std::vector<Rational>& of = law.of;
  if (law.kind == Law::Kind::negative_binomial) {
    const Rational& r = of[0];
    if (!numeric::is_integer(r) || r > highest_power) return std::nullopt;
    const long times = numeric::to_int64(numeric::numerator(r));
    return pow(Expression(of[1]), times) * pow(1 - (1 - of[1]) * z, -times);
  }
  if (law.kind == Law::Kind::binomial)
    return pow((1 - of[1]) + of[1] * z, numeric::to_int64(numeric::numerator(of[0])));
  const auto table = exact_table(law);
  if (!table || table->size() > longest_formula) return std::nullopt;
  return symbolic::Pgf::from_coefficients(*table).expression();
}

std::optional<symbolic::Pgf> formula_of(const Parts& parts) {
  std::vector<Expression> terms;
  for (const auto& [share, law] : parts) {
    const auto formula = formula_of(law);
    if (!formula) return std::nullopt;
    terms.push_back(share * *formula);
  }
  return symbolic::Pgf(terms.size() == 1 ? terms.front() : sum(std::move(terms)));
}

/// Whether it is a formula and no table.
bool has_a_pole(const Law& law) {
  return law.kind == Law::Kind::negative_binomial || law.kind == Law::Kind::logarithmic;
}

}  // namespace

std::string named_laws_in_words() {
  std::string text;
  for (const NamedLaw& law : laws)
    text += (text.empty() ? "" : ", ") + std::string(law.name) + "(" + law.parameters + ")";
  return text;
}

std::optional<Arrivals> named_law(std::string_view text, const std::string& argument) {
  if (!is_named(text)) return std::nullopt;
  Parts parts = LawReader(trimmed(text), argument).read();
  const Law& first = parts.front().law;
  if (parts.size() == 1 && first.kind == Law::Kind::binomial && !exact_table(first))
    return Arrivals::equal_inputs(numeric::to_int64(numeric::numerator(first.of[0])),
                                  first.of[0] * first.of[1]);
  if (std::ranges::any_of(parts, [](const LawMixture::Part& part) { return has_a_pole(part.law); }))
    if (const auto formula = formula_of(parts)) return Arrivals::from_pgf(*formula);
  return Arrivals::from_laws(std::move(parts));
}

std::optional<symbolic::Pgf> named_law_formula(std::string_view text, const std::string& argument) {
  if (!is_named(text)) return std::nullopt;
  auto formula = formula_of(LawReader(trimmed(text), argument).read());
  if (!formula)
    throw InvalidArgument(
        argument, std::string(text),
        "a formula, or distributions whose generating function is a quotient of polynomials of moderate "
        "size: "
        "geometric, binomial and uniform, negbin with a whole r up to 64, and zipf with a whole s. Not "
        "logarithmic, log(1-p*z)/log(1-p) from 1 packet on, nor negbin with another r, (p/(1-(1-p)*z))^r "
        "from 0 "
        "on, nor lognormal from 0 to n: buffer, occupancy and compare compute these without a formula");
  return formula;
}

}  // namespace tailbound::series
