#include <tailbound/series/arrival_tails.hpp>
#include <tailbound/series/expand.hpp>
#include <tailbound/series/formulas/certified_series.hpp>
#include <tailbound/series/formulas/shape.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace tailbound::series {
namespace {

using numeric::Interval;
using numeric::Rational;
using numeric::Real;
using numeric::to_interval;

constexpr std::size_t longest_support = 131'072;

[[noreturn]] void reject_length() {
  throw LimitExceeded("this precision needs more than 131072 packets per slot, which is the limit");
}

template <class L>
L convert(const Rational& value) {
  if constexpr (std::is_same_v<L, long double>)
    return numeric::nearest_long_double(value);
  else if constexpr (std::is_same_v<L, Interval>)
    return numeric::to_interval(value);
  else
    return value;
}

template <class L>
L whole(std::int64_t value) {
  if constexpr (std::is_same_v<L, Rational>)
    return Rational(static_cast<long>(value));
  else
    return L(value);
}

/// An upper bound of log2(value) for value > 0; minus infinity for 0.
double log2_above(long double value) {
  if (value <= 0) return -std::numeric_limits<double>::infinity();
  int exponent = 0;
  std::frexp(value, &exponent);
  return exponent;
}
double log2_above(const Interval& value) {
  const Real top = numeric::upper(value);
  if (!(top > 0)) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(mpfr_get_exp(top.backend().data()));
}

/// Exact arithmetic has no truncation.
double log2_above(const Rational&) {
  return std::numeric_limits<double>::infinity();
}

/// log2_above(value) < exponent, optimized for repeated use: a long double is compared with the power.
template <class L>
struct Below {
  explicit Below(double of) : exponent(of) {}
  [[nodiscard]] bool operator()(const L& value) const { return log2_above(value) < exponent; }
  double exponent;
};
template <>
struct Below<long double> {
  explicit Below(double exponent)
      : power(std::exp2(std::max(static_cast<long double>(std::ceil(exponent)) - 1, -16'445.0L))) {}
  [[nodiscard]] bool operator()(long double value) const { return value < power; }
  long double power;
};

/// A remainder between 0 and `value`: [0, value] where L is an interval; otherwise `value`, which the
/// caller's floor keeps far below rounding.
template <class L>
L remainder_below(const L& value) {
  if constexpr (std::is_same_v<L, Interval>)
    return numeric::make_interval(Real(0), numeric::upper(value));
  else
    return value;
}

template <class L>
L power(L base, std::int64_t exponent) {
  L result = whole<L>(1);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base;
    if (exponent > 1) base = base * base;
  }
  return result;
}

/// Below this many inputs, silent^inputs in long double is computed by multiplication.
constexpr std::int64_t few_inputs = 1024;

/// silent^inputs. For many inputs, long double takes it from MPFR: a few units for any number.
template <class L>
L silence(const Rational& silent, std::int64_t inputs) {
  if constexpr (std::is_same_v<L, long double>) {
    if (inputs < few_inputs) return power(convert<L>(silent), inputs);
    const numeric::PrecisionScope scope({128});
    Real value = numeric::to_real(silent, numeric::Rounding::nearest);
    mpfr_pow_ui(value.backend().data(), value.backend().data(), static_cast<unsigned long>(inputs),
                MPFR_RNDN);
    return mpfr_get_ld(value.backend().data(), MPFR_RNDN);
  } else {
    return power(convert<L>(silent), inputs);
  }
}

/// Errors of silence() in long double: those of each factor, and one per product.
double units_of_silence(std::int64_t inputs) {
  return inputs < few_inputs ? 2.02 * static_cast<double>(inputs) : 2;
}

/// A prefix of a PMF, and bounds of the rest.
template <class L>
struct Prefix {
  std::vector<L> pmf;
  L mass_after{};    ///< sum of P(A = i) beyond the prefix
  L excess_after{};  ///< E[max(A - last, 0)], last = index of the prefix' last entry
  bool finite = true;
};

/// P(A = j+1) / P(A = j) = numerator(j) / (j + 1) * factor, decreasing in j (log-concave PMF). Stops at
/// `last`, or where the rest is below 2^floor of all.
template <class L, class Numerator>
Prefix<L> by_ratios(L first, const L& factor, Numerator numerator, std::int64_t last, double floor) {
  Prefix<L> prefix{{}, L(0), L(0), true};
  if (last < 64) prefix.pmf.reserve(static_cast<std::size_t>(last) + 1);
  prefix.pmf.push_back(std::move(first));
  const Below<L> is_half(-0.5), is_negligible(floor);
  for (std::int64_t j = 0; j < last; ++j) {
    const L ratio = numerator(j) * factor / whole<L>(j + 1);
    // Ratios decrease, so with a ratio below 1/2 the rest sums to less than this entry, and the excess to
    // less than twice it.
    if (is_half(ratio) && is_negligible(prefix.pmf.back())) {
      prefix.mass_after = remainder_below<L>(prefix.pmf.back());
      prefix.excess_after = remainder_below<L>(L(prefix.pmf.back() + prefix.pmf.back()));
      prefix.finite = false;
      return prefix;
    }
    if (prefix.pmf.size() > longest_support) reject_length();
    prefix.pmf.push_back(prefix.pmf.back() * ratio);
  }
  return prefix;
}

/// 2^exponent, or what rounds up to it.
template <class L>
L power_of_two(double exponent) {
  if constexpr (std::is_same_v<L, Interval>) {
    Real value(1);
    mpfr_mul_2si(value.backend().data(), value.backend().data(), static_cast<long>(std::ceil(exponent)),
                 MPFR_RNDU);
    return numeric::to_interval(value);
  } else {
    return static_cast<L>(std::exp2(static_cast<long double>(std::ceil(exponent))));
  }
}

/// Smallest length L > 4 load + 8 with P(A >= L) below 2^floor / 4, for any inputs with this total load: P(A
/// >= L) <= exp(L - load) (load / L)^L (Chernoff). From there on the bound halves with each entry.
std::size_t sufficient_length(double load, double floor) {
  for (std::size_t length = static_cast<std::size_t>(4 * load) + 9;; length += 1 + length / 16) {
    const auto l = static_cast<double>(length);
    if ((l - load + l * std::log(load / l)) / std::log(2.0) < floor - 3) return length;
  }
}

/// Entries beyond the sufficient length are not computed; earlier ones do not depend on them.
template <class L>
Prefix<L> product_of_inputs(const std::vector<Rational>& rates, double floor) {
  Prefix<L> prefix{{whole<L>(1)}, L(0), L(0), true};
  std::size_t longest = rates.size() + 1;
  if constexpr (!std::is_same_v<L, Rational>) {
    double load = 1e-12;
    for (const Rational& rate : rates) load += numeric::nearest_double(rate) * (1 + 1e-9);
    longest = std::min(longest, sufficient_length(load, floor));
  }
  for (const Rational& rate : rates) {
    if (rate == 0) continue;
    const L sends = convert<L>(rate);
    const L silent = convert<L>(1 - rate);
    std::vector<L>& pmf = prefix.pmf;
    if (pmf.size() < longest)
      pmf.push_back(pmf.back() * sends);
    else {
      prefix.finite = false;
      pmf.back() = pmf.back() * silent + pmf[pmf.size() - 2] * sends;
    }
    for (std::size_t j = pmf.size() - 2; j > 0; --j) pmf[j] = pmf[j] * silent + pmf[j - 1] * sends;
    pmf[0] = pmf[0] * silent;
  }
  if constexpr (!std::is_same_v<L, Rational>)
    if (!prefix.finite) {
      prefix.mass_after = remainder_below<L>(power_of_two<L>(floor));
      prefix.excess_after = prefix.mass_after;
    }
  return prefix;
}

/// Suffix sums, truncated where the excess falls to 2^negligible.
template <class L>
ArrivalTails<L> suffix_sums(Prefix<L> prefix, double negligible) {
  ArrivalTails<L> tails;
  const std::size_t last = prefix.pmf.size() - 1;  // A <= last, except for the remainder
  tails.above.assign(last, L(0));
  tails.beyond.assign(last, L(0));
  L above = prefix.mass_after;
  L excess = prefix.excess_after;  // E[max(A - j - 1, 0)] at j = last - 1
  for (std::size_t j = last; j-- > 0;) {
    above = above + prefix.pmf[j + 1];
    tails.above[j] = above;
    tails.beyond[j] = excess;
    excess = excess + above;
  }
  tails.complete = prefix.finite;
  std::size_t size = last;
  while (size > 1 && log2_above(tails.beyond[size - 2]) <= negligible) --size;
  // An excess of exactly 0 is no truncation: the PMF ends in zeros.
  if (size < last && log2_above(tails.beyond[size - 1]) > -std::numeric_limits<double>::infinity())
    tails.complete = false;
  tails.above.resize(size);
  tails.beyond.resize(size);
  prefix.pmf.resize(size + 1);
  tails.pmf = std::move(prefix.pmf);
  return tails;
}

/// All of the above for arrivals with a closed PMF; `floor` as in by_ratios().
template <class L>
Prefix<L> with_closed_pmf(const Arrivals::Description& description, double floor) {
  if (const auto* equal = std::get_if<EqualInputs>(&description)) {
    const Rational rate = equal->load / Rational(static_cast<long>(equal->inputs));
    if (rate == 1) {
      Prefix<L> prefix{std::vector<L>(static_cast<std::size_t>(equal->inputs), L(0)), L(0), L(0), true};
      prefix.pmf.push_back(whole<L>(1));
      return prefix;
    }
    const std::int64_t inputs = equal->inputs;
    return by_ratios<L>(
        silence<L>(1 - rate, inputs), convert<L>(rate / (1 - rate)),
        [inputs](std::int64_t j) { return whole<L>(inputs - j); }, inputs, floor);
  }
  if (const auto* unequal = std::get_if<UnequalInputs>(&description))
    return product_of_inputs<L>(unequal->rates, floor);
  if (const auto* table = std::get_if<PmfArrivals>(&description)) {
    Prefix<L> prefix{{}, L(0), L(0), true};
    for (const Rational& probability : table->probabilities) prefix.pmf.push_back(convert<L>(probability));
    return prefix;
  }
  throw std::logic_error("with_closed_pmf: arrivals without a closed PMF");
}

Prefix<Interval> poisson_prefix(const Rational& load, double floor) {
  const Interval mean = numeric::to_interval(load);
  return by_ratios<Interval>(
      exp(-mean), mean, [](std::int64_t) { return Interval(1); }, std::numeric_limits<std::int64_t>::max(),
      floor);
}

Prefix<Interval> prefix_of_laws(const LawArrivals& mixture, double floor) {
  LawMixture::Prefix known = mixture.laws.prefix(mixture.kept_share(), floor, longest_support);
  return {std::move(known.pmf), std::move(known.mass_after), std::move(known.excess_after), known.finite};
}

/// The same, rounded: every entry within 1.01 units. Empty where intervals of 128 bits are too wide for that.
std::optional<Prefix<long double>> rounded_prefix_of_laws(const LawArrivals& mixture, double floor) {
  const numeric::PrecisionScope scope({160});
  const Prefix<Interval> known = prefix_of_laws(mixture, floor);
  Prefix<long double> prefix{{}, 0, 0, known.finite};
  const auto upper_end = [](const Interval& value) {
    return mpfr_get_ld(numeric::upper(value).backend().data(), MPFR_RNDU);
  };
  for (const Interval& entry : known.pmf) {
    const Real low = numeric::lower(entry), high = numeric::upper(entry);
    // Entries far below the floor do not count in any sum that is kept.
    if (log2_above(entry) >= floor - 40 && !(high - low <= ldexp(low, -76))) return std::nullopt;
    prefix.pmf.push_back(mpfr_get_ld(high.backend().data(), MPFR_RNDN));
  }
  prefix.mass_after = upper_end(known.mass_after);
  prefix.excess_after = upper_end(known.excess_after);
  return prefix;
}

/// [max(lower, 0), max(upper, 0)]: of a number that is not negative, up to rounding.
Interval clipped(const Interval& value) {
  if (!(numeric::lower(value) < 0)) return value;
  const Real top = numeric::upper(value);
  return numeric::make_interval(Real(0), top > 0 ? top : Real(0));
}

/// The remainders after `order` coefficients of a PGF, as complements.
/// \return  whether both are at most 2^floor
bool bound_remainders(Prefix<Interval>& prefix, std::size_t order, const Interval& load, const Interval& mass,
                      const Interval& first, double floor) {
  prefix.mass_after = clipped(Interval(1) - mass);
  // E[max(A - last, 0)] = rho - sum_{j <= last} j a_j - last P(A > last)
  prefix.excess_after = clipped(load - first - Interval(order - 1) * prefix.mass_after);
  return log2_above(prefix.excess_after) <= floor && log2_above(prefix.mass_after) <= floor;
}

/// By the recurrences of the closed form.
std::optional<Prefix<Interval>> recurrent_prefix(const ClosedForm& form, const Interval& load, double floor,
                                                 int bits) {
  auto series = CertifiedSeries::of(form, bits);
  if (!series) return std::nullopt;
  for (std::size_t order = 64;; order += order / 4) {
    if (order > longest_support) reject_length();
    series->extend(order);
    const CertifiedSeries::Sums sums = series->sums();
    Prefix<Interval> prefix{{}, Interval(0), Interval(0), false};
    if (!bound_remainders(prefix, order, load, sums.mass, sums.first, floor)) continue;
    for (const Interval& entry : series->intervals(order)) prefix.pmf.push_back(clipped(entry));
    return prefix;
  }
}

/// By the series of the formula as it is written.
/// \return  none if cancellation leaves too few digits at the precision in force
std::optional<Prefix<Interval>> expanded_prefix(const symbolic::Program& program, const Interval& load,
                                                double floor) {
  for (std::size_t order = 64;; order *= 2) {
    if (order > longest_support) reject_length();
    Prefix<Interval> prefix{{}, Interval(0), Interval(0), false};
    try {
      prefix.pmf = expand<Interval>(program, order);
    } catch (const InvalidArgument&) {
      return std::nullopt;  // a divisor that may be zero
    }
    Interval mass(0), first(0);
    for (std::size_t j = 0; j < order; ++j) {
      // The formula is a PGF (checked on construction): negative parts of intervals are rounding errors.
      prefix.pmf[j] = clipped(prefix.pmf[j]);
      mass += prefix.pmf[j];
      first += prefix.pmf[j] * Interval(j);
    }
    if (bound_remainders(prefix, order, load, mass, first, floor)) return prefix;
    if (log2_above(Interval(to_interval(numeric::upper(first)) - to_interval(numeric::lower(first)))) >
        floor - 20)
      return std::nullopt;
  }
}

/// The formula's coefficients, up to a remaining mass and excess of at most 2^floor. Both remainders are
/// complements, so their precision, at first `bits`, must reach below 2^floor.
Prefix<Interval> formula_prefix(const Arrivals& arrivals, const symbolic::Program& program,
                                const std::optional<ClosedForm>& form, double floor, int bits) {
  if (form && !is_plain(program)) {
    const numeric::PrecisionScope fine(numeric::Precision{bits + 16});
    if (auto prefix = recurrent_prefix(*form, arrivals.load_interval(), floor, bits + 48)) return *prefix;
  }
  const int most = 16 * bits;
  for (; bits <= most; bits *= 2) {
    const numeric::PrecisionScope fine(numeric::Precision{bits});
    if (auto prefix = expanded_prefix(program, arrivals.load_interval(), floor)) return *prefix;
  }
  throw LimitExceeded(
      "the coefficients of the formula lose more than " + std::to_string(most) +
      " bits to cancellation; write it with fewer differences, such as a product of 1/(c - z) "
      "instead of a quotient of long polynomials");
}

}  // namespace

ArrivalTails<Interval> enclosed_arrival_tails(const Arrivals& arrivals, long negligible) {
  const auto& description = arrivals.description();
  const double bits = static_cast<double>(mpfr_get_prec(Real(0).backend().data()));
  // Entries beyond the cut still enter its suffix sums; below this floor they are below rounding.
  const double floor = static_cast<double>(negligible) - bits - 32;
  const Interval load = arrivals.load_interval();
  ArrivalTails<Interval> tails;
  if (const auto* poisson = std::get_if<PoissonArrivals>(&description))
    tails = suffix_sums(poisson_prefix(poisson->load, floor), static_cast<double>(negligible));
  else if (const auto* formula = std::get_if<PgfArrivals>(&description)) {
    // The remainders are complements of sums near 1: they need bits down to the floor below the cut.
    const int fine = static_cast<int>(bits - floor) + 32;
    const auto form = closed_form(formula->program);
    tails = suffix_sums(formula_prefix(arrivals, formula->program, form, floor, fine),
                        static_cast<double>(negligible));
    if (form && form->is_rational() && !form->terms.empty()) tails.quotient = form->terms.front().factor;
  } else if (const auto* mixture = std::get_if<LawArrivals>(&description)) {
    tails = suffix_sums(prefix_of_laws(*mixture, floor), static_cast<double>(negligible));
  } else
    tails = suffix_sums(with_closed_pmf<Interval>(description, floor), static_cast<double>(negligible));
  tails.load = load;
  return tails;
}

long double rounded_load(const Arrivals& arrivals) {
  if (arrivals.load()) return numeric::nearest_long_double(*arrivals.load());
  const numeric::PrecisionScope scope({160});
  return mpfr_get_ld(numeric::lower(arrivals.load_interval()).backend().data(), MPFR_RNDN);
}

std::optional<ArrivalTails<long double>> fast_arrival_tails(const Arrivals& arrivals, long negligible) {
  const auto& description = arrivals.description();
  if (negligible < -3000 || std::holds_alternative<PgfArrivals>(description)) return std::nullopt;
  const double floor = static_cast<double>(negligible) - std::numeric_limits<long double>::digits - 32;
  Prefix<long double> prefix;
  double units_of_pmf = 2;
  if (const auto* poisson = std::get_if<PoissonArrivals>(&description)) {
    // exp by MPFR, whose rounding is proved; the C library's is not.
    Real empty(0);
    {
      const numeric::PrecisionScope scope({96});
      empty = exp(-numeric::to_real(poisson->load, numeric::Rounding::nearest));
    }
    prefix = by_ratios<long double>(
        mpfr_get_ld(empty.backend().data(), MPFR_RNDN), numeric::nearest_long_double(poisson->load),
        [](std::int64_t) { return 1.0L; }, std::numeric_limits<std::int64_t>::max(), floor);
    units_of_pmf = 4 + 6.0 * static_cast<double>(prefix.pmf.size());
  } else if (const auto* mixture = std::get_if<LawArrivals>(&description)) {
    auto rounded = rounded_prefix_of_laws(*mixture, floor);
    if (!rounded) return std::nullopt;
    prefix = *std::move(rounded);
  } else {
    prefix = with_closed_pmf<long double>(description, floor);
    if (const auto* equal = std::get_if<EqualInputs>(&description))
      units_of_pmf = units_of_silence(equal->inputs) + 6.0 * static_cast<double>(prefix.pmf.size());
    else if (const auto* unequal = std::get_if<UnequalInputs>(&description))
      units_of_pmf = 4.0 * static_cast<double>(unequal->rates.size());
  }
  ArrivalTails<long double> tails = suffix_sums(std::move(prefix), static_cast<double>(negligible));
  tails.load = rounded_load(arrivals);
  // Two suffix sums of at most as many terms as entries, and the truncation at the floor.
  tails.error_units = units_of_pmf + 2.0 * static_cast<double>(tails.pmf.size()) + 8;
  return tails;
}

ArrivalTails<Rational> exact_arrival_tails(const Arrivals& arrivals, std::size_t count) {
  const auto& description = arrivals.description();
  const auto too_large = [](double bits) {
    if (bits > 268435456.0)
      throw LimitExceeded("exact arithmetic would need numbers of " +
                          std::to_string(static_cast<long>(bits / 8e6)) +
                          " MB for the arrivals alone; the limit is 32 MB");
  };
  ArrivalTails<Rational> tails;
  if (std::holds_alternative<PoissonArrivals>(description))
    throw LimitExceeded(
        "Poisson arrivals have irrational probabilities, which exact arithmetic cannot represent; use "
        "interval or multiprecision");
  if (std::holds_alternative<LawArrivals>(description))
    throw LimitExceeded(
        "a distribution by name has irrational probabilities here, which exact arithmetic cannot represent; "
        "use interval or multiprecision");
  if (const auto* formula = std::get_if<PgfArrivals>(&description)) {
    Prefix<Rational> prefix;
    try {
      prefix = {expand<Rational>(formula->program, count + 1), 0, 0, false};
    } catch (const Irrational&) {
      throw LimitExceeded(
          "the arrivals have irrational probabilities, which exact arithmetic cannot represent; use interval "
          "or multiprecision");
    }
    // Exact complements: rationals lose nothing.
    Rational mass = 0, first = 0;
    for (std::size_t j = 0; j <= count; ++j) {
      mass = mass + prefix.pmf[j];
      first = first + prefix.pmf[j] * Rational(static_cast<long>(j));
    }
    prefix.mass_after = 1 - mass;
    prefix.excess_after = *arrivals.load() - first - Rational(static_cast<long>(count)) * prefix.mass_after;
    tails = suffix_sums(std::move(prefix), 0);
    tails.load = *arrivals.load();
    return tails;
  }
  if (const auto* equal = std::get_if<EqualInputs>(&description))
    too_large(
        static_cast<double>(equal->inputs) * static_cast<double>(equal->inputs) *
        static_cast<double>(numeric::bit_size(equal->load / Rational(static_cast<long>(equal->inputs)))));
  if (const auto* unequal = std::get_if<UnequalInputs>(&description)) {
    double bits = 0;
    for (const Rational& rate : unequal->rates) bits += static_cast<double>(numeric::bit_size(rate));
    too_large(bits * static_cast<double>(unequal->rates.size()));
  }
  tails = suffix_sums(with_closed_pmf<Rational>(description, 0), 0);
  tails.load = *arrivals.load();
  return tails;
}

}  // namespace tailbound::series
