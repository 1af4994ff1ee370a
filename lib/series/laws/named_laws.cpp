#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/series/laws/named_laws.hpp>

#include <cln/integer.h>
#include <cln/rational.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/erf.hpp>
#include <cctype>
#include <utility>
#include <vector>

namespace tailbound::series {
namespace {

using numeric::Rational;
using numeric::Real;

constexpr int law_bits = 320;
constexpr std::size_t max_terms = 65'536;
constexpr int negligible_bits = 1100;

using Weights = std::vector<Real>;

struct NamedLaw {
  const char* name;
  const char* parameters;
  std::size_t count;
  Weights (*weights)(const std::vector<Rational>& of);
};

[[noreturn]] void reject(const char* law, const char* parameter, const Rational& value, const char* legal) {
  throw InvalidArgument(std::string(parameter) + " of " + law, numeric::to_fraction(value), legal);
}

Real real(const Rational& value) {
  return numeric::to_real(value, numeric::Rounding::nearest);
}

void require_probability(const char* law, const Rational& p) {
  if (p <= 0 || p >= 1) reject(law, "p", p, "above 0 and below 1");
}

std::size_t terms_in(const char* law, const char* parameter, const Rational& value, long minimum) {
  if (cln::denominator(value) != 1 || value < minimum || value >= static_cast<unsigned long>(max_terms))
    reject(law, parameter, value, "a whole number in range, below 65536");
  return static_cast<std::size_t>(cln::cl_I_to_ulong(cln::numerator(value)));
}

/// Terms, each from the previous one, until the rest of a decreasing distribution is negligible.
template <class Next>
Weights falling(const char* law, Weights terms, const Real& ratio, Next next) {
  const Real minimum = ldexp(Real(1), -negligible_bits);
  // Beyond the peak the terms eventually fall at least by `ratio`.
  while (terms.back() > minimum * (1 - ratio) || terms.size() < 2 || terms.back() > terms[terms.size() - 2]) {
    if (terms.size() == max_terms)
      throw LimitExceeded(std::string(law) +
                          " of more than 65536 terms; its tail decays too slowly for a table");
    terms.push_back(terms.back() * next(terms.size()));
  }
  return terms;
}

Weights negative_binomial(const std::vector<Rational>& of) {
  if (of[0] <= 0 || of[0] > 1'000'000) reject("negbin", "r", of[0], "above 0 and at most 1000000");
  require_probability("negbin", of[1]);
  const Real r = real(of[0]), fails = real(1 - of[1]);
  return falling("negbin", {pow(real(of[1]), r)}, fails, [&](std::size_t k) {
    return Real((r + static_cast<unsigned long>(k) - 1) / static_cast<unsigned long>(k) * fails);
  });
}

Weights geometric(const std::vector<Rational>& of) {
  require_probability("geometric", of[0]);
  return negative_binomial({1, of[0]});
}

Weights binomial_law(const std::vector<Rational>& of) {
  const std::size_t n = terms_in("binomial", "n", of[0], 1);
  require_probability("binomial", of[1]);
  const Real odds = real(of[1] / (1 - of[1]));
  Weights terms{pow(real(1 - of[1]), static_cast<unsigned long>(n))};
  for (std::size_t k = 1; k <= n; ++k)
    terms.push_back(terms.back() * odds * static_cast<unsigned long>(n - k + 1) /
                    static_cast<unsigned long>(k));
  return terms;
}

Weights logarithmic(const std::vector<Rational>& of) {
  require_probability("logarithmic", of[0]);
  const Real p = real(of[0]);
  Weights terms = falling("logarithmic", {Real(-p / log1p(-p))}, p, [&](std::size_t k) {
    return Real(p * static_cast<unsigned long>(k) / static_cast<unsigned long>(k + 1));
  });
  terms.insert(terms.begin(), Real(0));
  return terms;
}

Weights zipf(const std::vector<Rational>& of) {
  if (of[0] < 0 || of[0] > 100) reject("zipf", "s", of[0], "from 0 to 100");
  const std::size_t n = terms_in("zipf", "n", of[1], 1);
  Weights terms{Real(0)};
  for (std::size_t k = 1; k <= n; ++k)
    terms.push_back(pow(Real(static_cast<unsigned long>(k)), -real(of[0])));
  return terms;
}

Weights lognormal(const std::vector<Rational>& of) {
  if (of[0] < -50 || of[0] > 20) reject("lognormal", "mu", of[0], "from -50 to 20");
  if (of[1] <= 0 || of[1] > 20) reject("lognormal", "sigma", of[1], "above 0 and at most 20");
  const std::size_t n = terms_in("lognormal", "n", of[2], 1);
  const Real mu = real(of[0]), scale = real(of[1]) * sqrt(Real(2));
  // P(X > k + 1/2), from the upper tail, so that small differences keep their digits.
  const auto above = [&](std::size_t k) {
    return Real(boost::math::erfc(Real((log(Real(static_cast<unsigned long>(k)) + Real(0.5)) - mu) / scale)) /
                2);
  };
  Weights terms{1 - above(0)};
  Real before = above(0);
  for (std::size_t k = 1; k <= n; ++k) {
    Real then = above(k);
    terms.push_back(before - then);
    before = std::move(then);
  }
  return terms;
}

Weights uniform_law(const std::vector<Rational>& of) {
  const std::size_t a = terms_in("uniform", "a", of[0], 0), b = terms_in("uniform", "b", of[1], 0);
  if (b < a) reject("uniform", "b", of[1], "at least a");
  Weights terms(b + 1, Real(0));
  for (std::size_t k = a; k <= b; ++k) terms[k] = 1;
  return terms;
}

constexpr std::array<NamedLaw, 7> laws{{{"negbin", "r,p", 2, negative_binomial},
                                        {"geometric", "p", 1, geometric},
                                        {"binomial", "n,p", 2, binomial_law},
                                        {"logarithmic", "p", 1, logarithmic},
                                        {"zipf", "s,n", 2, zipf},
                                        {"lognormal", "mu,sigma,n", 3, lognormal},
                                        {"uniform", "a,b", 2, uniform_law}}};

/// As ratios of integers: the weights in units of 2^-e of the largest, which keeps `law_bits` bits of it;
/// smaller ones keep as many with units of their own.
std::vector<Rational> in_rationals(const Weights& weights) {
  std::vector<Rational> values;
  Rational sum = 0;
  for (const Real& weight : weights) {
    values.push_back(numeric::to_rational(weight));
    sum = sum + values.back();
  }
  for (Rational& value : values) value = value / sum;
  return values;
}

/// Reads the sum.
class LawReader {
 public:
  LawReader(std::string_view text, const std::string& argument) : text_(text), argument_(argument) {}

  std::vector<Rational> read() {
    Rational shares = 0;
    do {
      const auto [share, law] = term();
      shares = shares + share;
      if (law_.size() < law.size()) law_.resize(law.size(), Rational(0));
      for (std::size_t k = 0; k < law.size(); ++k) law_[k] = law_[k] + share * law[k];
    } while (take('+'));
    if (at_ < text_.size())
      fail("a sum of distributions: expected + or the end at character " + std::to_string(at_ + 1));
    if (shares != 1) fail("composed of shares that sum to 1; they sum to " + numeric::to_fraction(shares));
    return law_;
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
  std::pair<Rational, std::vector<Rational>> term() {
    skip();
    Rational share = 1;
    if (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) == 0) {
      share = number();
      if (share < 0) fail("composed of shares of at least 0");
      if (!take('*')) return {share, {1}};
    }
    return {share, law()};
  }

  std::vector<Rational> law() {
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
    const numeric::PrecisionScope scope(numeric::Precision{law_bits});
    return in_rationals(found->weights(parameters));
  }

  std::string_view text_;
  std::string argument_;
  std::size_t at_ = 0;
  std::vector<Rational> law_;
};

}  // namespace

std::string named_laws_in_words() {
  std::string text;
  for (const NamedLaw& law : laws)
    text += (text.empty() ? "" : ", ") + std::string(law.name) + "(" + law.parameters + ")";
  return text;
}

std::optional<Arrivals> named_law(std::string_view text, const std::string& argument) {
  const bool named = std::any_of(laws.begin(), laws.end(), [&](const NamedLaw& law) {
    return text.find(std::string(law.name) + "(") != std::string_view::npos;
  });
  if (!named) return std::nullopt;
  return Arrivals::from_pmf(LawReader(trimmed(text), argument).read());
}

}  // namespace tailbound::series
