#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/series/formulas/law_mixture.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

namespace tailbound::series {
namespace {

using numeric::Integer;
using numeric::Interval;
using numeric::Rational;
using numeric::Real;
using numeric::to_interval;

constexpr std::size_t longest_thinned = 2048;
constexpr std::size_t longest_binomial_table = 1024;
constexpr double longest_zipf_table = 4096;  ///< s n

std::size_t count_of(const Rational& value) {
  return static_cast<std::size_t>(numeric::to_uint64(numeric::numerator(value)));
}
Interval interval_of(std::size_t value) {
  return to_interval(Rational(static_cast<unsigned long>(value)));
}

int bits_in_force() {
  return static_cast<int>(mpfr_get_prec(Real(0).backend().data()));
}

/// An upper bound of log2(value); minus infinity for 0.
double exponent_above(const Interval& value) {
  const Real top = numeric::upper(value);
  if (!(top > 0)) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(mpfr_get_exp(top.backend().data()));
}

Interval up_to(const Interval& value) {
  return numeric::make_interval(Real(0), numeric::upper(value));
}

/// erfc(t). From its value at the lower end: the logarithm of erfc falls by less than 2 t + 2 per unit for t
/// >= 0, as erfc(t) >= 2/sqrt(pi) exp(-t^2) / (t + sqrt(t^2 + 2)).
Interval complementary_error(const Interval& t) {
  const Real low = numeric::lower(t), high = numeric::upper(t);
  Real most(0);
  mpfr_erfc(most.backend().data(), low.backend().data(), MPFR_RNDU);
  if (low >= 0) {
    Real below = most;
    mpfr_nextbelow(below.backend().data());
    const Interval fall =
        (to_interval(high) - to_interval(low)) * (Interval(2) * to_interval(high) + Interval(2));
    const Real least = numeric::lower(to_interval(below) * (Interval(1) - fall));
    return numeric::make_interval(least > 0 ? least : Real(0), most);
  }
  Real least(0);
  mpfr_erfc(least.backend().data(), high.backend().data(), MPFR_RNDD);
  return numeric::make_interval(least, most);
}

/// P(X <= 1/2), P(1/2 < X <= 3/2), ..., divided by P(X <= n + 1/2), X log-normal.
std::vector<Interval> log_normal_table(const std::vector<Rational>& of) {
  const std::size_t n = count_of(of[2]);
  const Interval mu = to_interval(of[0]), scale = to_interval(of[1]) * sqrt(Interval(2));
  const auto place = [&](std::size_t k) {
    return Interval((log(interval_of(2 * k + 1) / Interval(2)) - mu) / scale);
  };
  // Twice the smaller of both sides of a place: differences of these keep their digits.
  struct Side {
    bool above;
    Interval twice;
  };
  const auto side = [&](std::size_t k) -> Side {
    const Interval t = place(k);
    const bool above = numeric::upper(t) > 0;
    return {above, complementary_error(above ? t : Interval(-t))};
  };
  std::vector<Interval> table;
  Side before = side(0);
  table.push_back(before.above ? Interval(2) - before.twice : before.twice);
  for (std::size_t k = 1; k <= n; ++k) {
    Side then = side(k);
    Interval twice = then.above == before.above ? (then.above ? Interval(before.twice - then.twice)
                                                              : Interval(then.twice - before.twice))
                                                : Interval(2) - before.twice - then.twice;
    table.push_back(numeric::lower(twice) < 0 ? up_to(twice) : twice);
    before = std::move(then);
  }
  const Interval all = before.above ? Interval(2) - before.twice : before.twice;
  if (!(numeric::lower(all) > 0))
    throw InvalidArgument("n of lognormal", numeric::to_fraction(of[2]),
                          "at least a number that the variable does not exceed with a probability above 0");
  for (Interval& entry : table) entry /= all;
  return table;
}

std::vector<Interval> zipf_table(const std::vector<Rational>& of) {
  const std::size_t n = count_of(of[1]);
  const Interval s = to_interval(of[0]);
  std::vector<Interval> table{Interval(0)};
  Interval sum(0);
  for (std::size_t k = 1; k <= n; ++k) table.push_back(exp(-s * log(interval_of(k))));
  for (std::size_t k = n; k > 0; --k) sum += table[k];
  for (std::size_t k = 1; k <= n; ++k) table[k] /= sum;
  return table;
}

/// Each packet kept with probability `kept`; Horner in 1 - kept + kept z: non-negative terms.
std::vector<Interval> thinned(const std::vector<Interval>& table, const Interval& kept) {
  if (table.size() > longest_thinned)
    throw LimitExceeded("a distribution of " + std::to_string(table.size()) +
                        " terms is too long to be thinned; the limit is " + std::to_string(longest_thinned));
  const Interval gone = Interval(1) - kept;
  std::vector<Interval> result{Interval(0)};
  for (auto entry = table.rbegin(); entry != table.rend(); ++entry) {
    result.emplace_back(0);
    for (std::size_t j = result.size() - 1; j > 0; --j) result[j] = result[j] * gone + result[j - 1] * kept;
    result[0] = result[0] * gone + *entry;
  }
  while (result.size() > table.size()) result.pop_back();
  return result;
}

/// A prefix of one law.
using LawPrefix = LawMixture::Prefix;

/// P(k+1) = P(k) ratio(k), ratio(i) <= limit(k) for i >= k; from k = result.pmf.size() - 1 on.
template <class Ratio, class Limit>
void by_ratios(LawPrefix& result, Ratio ratio, Limit limit, double floor, std::size_t longest,
               std::size_t last = std::numeric_limits<std::size_t>::max()) {
  result.mass_after = result.excess_after = Interval(0);
  for (std::size_t k = result.pmf.size() - 1; k < last; ++k) {
    const Interval bound = limit(k);
    if (numeric::upper(bound) < 1) {
      const Interval rest = Interval(1) - bound, mass = result.pmf.back() * bound / rest;
      const Interval excess = mass / rest;
      if (exponent_above(excess) <= floor) {
        result.mass_after = up_to(mass);
        result.excess_after = up_to(excess);
        result.finite = false;
        return;
      }
    }
    if (result.pmf.size() > longest)
      throw LimitExceeded("this precision needs more than " + std::to_string(longest) +
                          " packets per slot, which is the limit");
    result.pmf.push_back(result.pmf.back() * ratio(k));
  }
}

LawPrefix negative_binomial(const std::vector<Rational>& of, const Interval& kept, bool all, double floor,
                            std::size_t longest) {
  const Interval r = to_interval(of[0]);
  Interval p = to_interval(of[1]), fails = to_interval(1 - of[1]);
  if (!all) {
    const Interval sum = p + fails * kept;
    fails = fails * kept / sum;
    p = p / sum;
  }
  LawPrefix result{{exp(r * log(p))}, Interval(0), Interval(0)};
  const auto ratio = [&](std::size_t k) {
    return Interval((r + interval_of(k)) / interval_of(k + 1) * fails);
  };
  // The ratios fall to `fails` for r >= 1, and rise to it below.
  by_ratios(
      result, ratio, [&](std::size_t k) { return of[0] >= 1 ? ratio(k) : fails; }, floor, longest);
  return result;
}

LawPrefix binomial(const std::vector<Rational>& of, const Interval& kept, bool all, double floor,
                   std::size_t longest) {
  const std::size_t n = count_of(of[0]);
  const Interval p = all ? to_interval(of[1]) : Interval(to_interval(of[1]) * kept);
  const Interval odds = p / (Interval(1) - p);
  LawPrefix result{{exp(to_interval(of[0]) * log(Interval(1) - p))}, Interval(0), Interval(0)};
  const auto ratio = [&](std::size_t k) { return Interval(interval_of(n - k) / interval_of(k + 1) * odds); };
  by_ratios(result, ratio, ratio, floor, longest, n);
  return result;
}

LawPrefix logarithmic(const std::vector<Rational>& of, const Interval& kept, bool all, double floor,
                      std::size_t longest) {
  Interval p = to_interval(of[0]);
  const Interval scale = log(to_interval(1 - of[0]));
  LawPrefix result{{Interval(0)}, Interval(0), Interval(0)};
  if (!all) {
    const Interval rest = Interval(1) - p + p * kept;
    result.pmf[0] = log(rest) / scale;
    p = p * kept / rest;
  }
  result.pmf.push_back(-p / scale);
  by_ratios(
      result, [&](std::size_t k) { return Interval(p * interval_of(k) / interval_of(k + 1)); },
      [&](std::size_t) { return p; }, floor, longest);
  return result;
}

Interval power(Interval base, std::size_t exponent) {
  Interval result(1);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    if (exponent > 1) base *= base;
  }
  return result;
}

[[noreturn]] void reject_argument() {
  throw InvalidArgument("z", "beyond a pole of the generating function", "below it");
}

}  // namespace

/// Shared by copies: a table of thousands of powers or error functions is computed once for a precision.
struct LawMixture::Tables {
  std::mutex use;
  int bits = 0;
  std::map<std::size_t, std::shared_ptr<const std::vector<Interval>>> of_part;
};

LawMixture::LawMixture(std::vector<Part> parts)
    : parts_(std::move(parts)), tables_(std::make_shared<Tables>()) {}

std::shared_ptr<const std::vector<Interval>> LawMixture::table(std::size_t part) const {
  const Law& law = parts_[part].law;
  const std::lock_guard lock(tables_->use);
  // A finer table serves a coarser request: one table for the precisions of most answers.
  constexpr int usual_bits = 256;
  if (tables_->bits < bits_in_force()) {
    tables_->of_part.clear();
    tables_->bits = std::max(usual_bits, bits_in_force());
  }
  auto& table = tables_->of_part[part];
  if (table) return table;
  const numeric::PrecisionScope scope(numeric::Precision{tables_->bits});
  std::vector<Interval> entries;
  if (law.kind == Law::Kind::zipf)
    entries = zipf_table(law.of);
  else if (law.kind == Law::Kind::log_normal)
    entries = log_normal_table(law.of);
  else {
    const auto exact = exact_table(law);
    if (!exact) throw std::logic_error("LawMixture: a law without a table");
    for (const Rational& entry : *exact) entries.push_back(to_interval(entry));
  }
  table = std::make_shared<const std::vector<Interval>>(std::move(entries));
  return table;
}

LawMixture::Prefix LawMixture::prefix(const Interval& kept, double floor, std::size_t longest) const {
  const bool all = numeric::lower(kept) == 1 && numeric::upper(kept) == 1;
  LawPrefix whole_law{{}, Interval(0), Interval(0)};
  std::vector<LawPrefix> each;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Law& law = parts_[i].law;
    switch (law.kind) {
      case Law::Kind::negative_binomial:
        each.push_back(negative_binomial(law.of, kept, all, floor - 8, longest));
        break;
      case Law::Kind::binomial:
        each.push_back(binomial(law.of, kept, all, floor - 8, longest));
        break;
      case Law::Kind::logarithmic:
        each.push_back(logarithmic(law.of, kept, all, floor - 8, longest));
        break;
      default: {
        const auto entries = table(i);
        each.push_back({all ? *entries : thinned(*entries, kept), Interval(0), Interval(0)});
      }
    }
    whole_law.finite = whole_law.finite && each.back().finite;
    if (whole_law.pmf.size() < each.back().pmf.size())
      whole_law.pmf.resize(each.back().pmf.size(), Interval(0));
  }
  const std::size_t size = whole_law.pmf.size();
  for (std::size_t i = 0; i < each.size(); ++i) {
    const Interval share = to_interval(parts_[i].share);
    const std::size_t known = each[i].pmf.size();
    for (std::size_t k = 0; k < known; ++k) whole_law.pmf[k] += share * each[i].pmf[k];
    // Mass beyond a shorter part lies in entries that others have, or after them all: at most so much in
    // each.
    if (!each[i].finite)
      for (std::size_t k = known; k < size; ++k) whole_law.pmf[k] += share * each[i].mass_after;
    whole_law.mass_after += share * each[i].mass_after;
    whole_law.excess_after += share * each[i].excess_after;
  }
  return whole_law;
}

Interval LawMixture::value(const Interval& z) const {
  Interval sum(0);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::vector<Rational>& of = parts_[i].law.of;
    Interval value(0);
    switch (parts_[i].law.kind) {
      case Law::Kind::negative_binomial: {
        const Interval rest = Interval(1) - to_interval(1 - of[1]) * z;
        if (!(numeric::lower(rest) > 0)) reject_argument();
        value = exp(to_interval(of[0]) * log(to_interval(of[1]) / rest));
        break;
      }
      case Law::Kind::logarithmic: {
        const Interval rest = Interval(1) - to_interval(of[0]) * z;
        if (!(numeric::lower(rest) > 0)) reject_argument();
        value = log(rest) / log(to_interval(1 - of[0]));
        break;
      }
      case Law::Kind::binomial:
        value = power(to_interval(1 - of[1]) + to_interval(of[1]) * z, count_of(of[0]));
        break;
      default: {
        const auto entries = table(i);
        for (auto entry = entries->rbegin(); entry != entries->rend(); ++entry) value = value * z + *entry;
      }
    }
    sum += to_interval(parts_[i].share) * value;
  }
  return sum;
}

LawMixture::Moments LawMixture::moments() const {
  Moments sum{Interval(0), Interval(0)};
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::vector<Rational>& of = parts_[i].law.of;
    Interval first(0), second(0);
    switch (parts_[i].law.kind) {
      case Law::Kind::negative_binomial: {
        const Rational odds = (1 - of[1]) / of[1];
        first = to_interval(of[0] * odds);
        second = to_interval(of[0] * (of[0] + 1) * odds * odds);
        break;
      }
      case Law::Kind::binomial:
        first = to_interval(of[0] * of[1]);
        second = to_interval(of[0] * (of[0] - 1) * of[1] * of[1]);
        break;
      case Law::Kind::logarithmic: {
        const Rational odds = of[0] / (1 - of[0]);
        const Interval scale = -log(to_interval(1 - of[0]));
        first = to_interval(odds) / scale;
        second = to_interval(odds * odds) / scale;
        break;
      }
      default: {
        const auto entries = table(i);
        for (std::size_t k = entries->size(); k-- > 1;) {
          first += interval_of(k) * (*entries)[k];
          second += interval_of(k) * interval_of(k - 1) * (*entries)[k];
        }
      }
    }
    const Interval share = to_interval(parts_[i].share);
    sum.first += share * first;
    sum.second_factorial += share * second;
  }
  return sum;
}

std::optional<LawMixture::ExactMoments> LawMixture::exact_moments() const {
  ExactMoments sum{0, 0};
  for (const auto& [share, law] : parts_) {
    Rational first = 0, second = 0;
    if (law.kind == Law::Kind::negative_binomial) {
      const Rational odds = (1 - law.of[1]) / law.of[1];
      first = law.of[0] * odds;
      second = law.of[0] * (law.of[0] + 1) * odds * odds;
    } else if (law.kind == Law::Kind::binomial) {
      first = law.of[0] * law.of[1];
      second = law.of[0] * (law.of[0] - 1) * law.of[1] * law.of[1];
    } else {
      const auto table = exact_table(law);
      if (!table) return std::nullopt;
      for (std::size_t k = 1; k < table->size(); ++k) {
        const Rational packets(static_cast<unsigned long>(k));
        first = first + packets * (*table)[k];
        second = second + packets * (packets - 1) * (*table)[k];
      }
    }
    sum.first = sum.first + share * first;
    sum.second_factorial = sum.second_factorial + share * second;
  }
  return sum;
}

std::optional<std::int64_t> LawMixture::largest_batch() const {
  std::int64_t largest = 0;
  for (const auto& [share, law] : parts_) {
    if (share == 0) continue;
    switch (law.kind) {
      case Law::Kind::none:
        break;
      case Law::Kind::negative_binomial:
      case Law::Kind::logarithmic:
        return std::nullopt;
      case Law::Kind::binomial:
        largest = std::max(largest, static_cast<std::int64_t>(count_of(law.of[0])));
        break;
      default:
        largest = std::max(largest, static_cast<std::int64_t>(count_of(law.of.back())));
    }
  }
  return largest;
}

std::optional<std::vector<Rational>> exact_table(const Law& law) {
  switch (law.kind) {
    case Law::Kind::none:
      return std::vector<Rational>{1};
    case Law::Kind::uniform: {
      const std::size_t a = count_of(law.of[0]), b = count_of(law.of[1]);
      std::vector<Rational> table(b + 1, Rational(0));
      for (std::size_t k = a; k <= b; ++k) table[k] = 1 / Rational(static_cast<unsigned long>(b - a + 1));
      return table;
    }
    case Law::Kind::binomial: {
      const std::size_t n = count_of(law.of[0]);
      if (n > longest_binomial_table) return std::nullopt;
      const Rational& p = law.of[1];
      const auto count = static_cast<long>(n);
      std::vector<Rational> table{numeric::pow(Rational(1 - p), count)};
      for (long k = 0; k < count; ++k)
        table.push_back(table.back() * p * Rational(count - k) / ((1 - p) * Rational(k + 1)));
      return table;
    }
    case Law::Kind::zipf: {
      const Rational& s = law.of[0];
      const std::size_t n = count_of(law.of[1]);
      if (!numeric::is_integer(s) || numeric::nearest_double(s) * static_cast<double>(n) > longest_zipf_table)
        return std::nullopt;
      std::vector<Rational> table{0};
      Rational sum = 0;
      for (std::size_t k = 1; k <= n; ++k) {
        table.push_back(numeric::pow(Rational(k), numeric::to_int64(-numeric::numerator(s))));
        sum = sum + table.back();
      }
      for (Rational& entry : table) entry = entry / sum;
      return table;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace tailbound::series
