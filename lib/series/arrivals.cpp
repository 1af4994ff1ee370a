#include <tailbound/series/arrivals.hpp>
#include <tailbound/series/expand.hpp>
#include <tailbound/series/pgf_check.hpp>

#include <algorithm>
#include <type_traits>

namespace tailbound::series {
namespace {

using numeric::Interval;
using numeric::Rational;

constexpr std::int64_t max_inputs = 1'048'576;
constexpr std::size_t max_rates = 4096;
constexpr std::size_t longest_pmf = 1'048'576;

Rational integer(std::int64_t value) {
  return Rational(static_cast<long>(value));
}

/// A(1), A'(1), A''(1) of a formula over L.
template <class L>
std::vector<L> moments_at_one(const symbolic::Program& program) {
  const std::vector<L> taylor = expand_about<L>(program, Rational(1), 3);
  return {taylor[0], taylor[1], taylor[2] + taylor[2]};
}

/// Substitutes 1 - factor + factor z for z in every step that reads z.
symbolic::Program substitute_thinning(const symbolic::Program& program, const Rational& factor) {
  using Operation = symbolic::Program::Operation;
  symbolic::Program result;
  result.steps = {{.operation = Operation::variable, .constant = 0},
                  {.operation = Operation::constant, .constant = factor},
                  {.operation = Operation::multiply, .left = 0, .right = 1, .constant = 0},
                  {.operation = Operation::constant, .constant = 1 - factor},
                  {.operation = Operation::add, .left = 2, .right = 3, .constant = 0}};
  constexpr std::size_t thinned = 4;
  std::vector<std::size_t> place;
  for (symbolic::Program::Step step : program.steps) {
    if (step.operation == Operation::variable) {
      place.push_back(thinned);
      continue;
    }
    if (step.operation != Operation::constant) {
      step.left = place[step.left];
      if (step.operation == Operation::add || step.operation == Operation::multiply)
        step.right = place[step.right];
    }
    place.push_back(result.steps.size());
    result.steps.push_back(step);
  }
  // The value is the last step; for A(z) = z that step is the thinned variable itself.
  if (place.back() == thinned) result.steps.resize(thinned + 1);
  return result;
}

std::vector<Rational> thinned_pmf(const std::vector<Rational>& pmf, const Rational& factor) {
  // Horner in 1 - factor + factor z: every product is non-negative.
  std::vector<Rational> result{0};
  for (auto entry = pmf.rbegin(); entry != pmf.rend(); ++entry) {
    std::vector<Rational> next(result.size() + 1, 0);
    for (std::size_t j = 0; j < result.size(); ++j) {
      next[j] = next[j] + result[j] * (1 - factor);
      next[j + 1] = next[j + 1] + result[j] * factor;
    }
    next[0] = next[0] + *entry;
    while (next.size() > 1 && next.back() == 0) next.pop_back();
    result = std::move(next);
  }
  return result;
}

}  // namespace

Interval LawArrivals::kept_share() const {
  return at_load ? Interval(numeric::to_interval(*at_load) / laws.moments().first)
                 : numeric::to_interval(kept);
}

Arrivals::Arrivals(Description description, numeric::Assumptions assumptions)
    : description_(std::move(description)), assumptions_(assumptions) {
  if (const auto* equal = std::get_if<EqualInputs>(&description_)) {
    load_ = equal->load;
    second_factorial_moment_ =
        equal->load * equal->load * integer(equal->inputs - 1) / integer(equal->inputs);
  } else if (const auto* unequal = std::get_if<UnequalInputs>(&description_)) {
    Rational sum = 0, squares = 0;
    for (const Rational& rate : unequal->rates) {
      sum = sum + rate;
      squares = squares + rate * rate;
    }
    load_ = sum;
    second_factorial_moment_ = sum * sum - squares;
  } else if (const auto* poisson = std::get_if<PoissonArrivals>(&description_)) {
    load_ = poisson->load;
    second_factorial_moment_ = poisson->load * poisson->load;
  } else if (const auto* table = std::get_if<PmfArrivals>(&description_)) {
    Rational first = 0, second = 0;
    for (std::size_t j = 1; j < table->probabilities.size(); ++j) {
      const auto count = static_cast<std::int64_t>(j);
      first = first + integer(count) * table->probabilities[j];
      second = second + integer(count) * integer(count - 1) * table->probabilities[j];
    }
    load_ = first;
    second_factorial_moment_ = second;
  } else if (const auto* mixture = std::get_if<LawArrivals>(&description_)) {
    if (mixture->at_load) {
      load_ = mixture->at_load;
    } else if (const auto moments = mixture->laws.exact_moments()) {
      load_ = mixture->kept * moments->first;
      second_factorial_moment_ = mixture->kept * mixture->kept * moments->second_factorial;
    }
  } else {
    try {
      const auto moments = moments_at_one<Rational>(std::get<PgfArrivals>(description_).program);
      load_ = moments[1];
      second_factorial_moment_ = moments[2];
    } catch (const Irrational&) {
      // Moments such as e/(e-1) stay intervals.
    }
  }
}

Arrivals Arrivals::equal_inputs(std::int64_t inputs, Rational load) {
  if (inputs < 1 || inputs > max_inputs)
    throw InvalidArgument("inputs", std::to_string(inputs), "a whole number from 1 to 1048576");
  if (load < 0 || load > integer(inputs))
    throw InvalidArgument("load", numeric::to_fraction(load),
                          "from 0 to the number of inputs, " + std::to_string(inputs));
  return Arrivals(EqualInputs{inputs, std::move(load)});
}

Arrivals Arrivals::unequal_inputs(std::vector<Rational> rates) {
  if (rates.empty() || rates.size() > max_rates)
    throw InvalidArgument("rates", std::to_string(rates.size()) + " numbers", "a list of 1 to 4096 rates");
  for (const Rational& rate : rates)
    if (rate < 0 || rate > 1)
      throw InvalidArgument("rates", numeric::to_fraction(rate), "probabilities from 0 to 1");
  return Arrivals(UnequalInputs{std::move(rates)});
}

Arrivals Arrivals::poisson(Rational load) {
  if (load < 0 || load > 1000) throw InvalidArgument("load", numeric::to_fraction(load), "from 0 to 1000");
  return Arrivals(PoissonArrivals{std::move(load)});
}

Arrivals Arrivals::from_pmf(std::vector<Rational> probabilities) {
  if (probabilities.empty() || probabilities.size() > longest_pmf)
    throw InvalidArgument("pmf", std::to_string(probabilities.size()) + " probabilities",
                          "a list of 1 to 1048576 probabilities");
  Rational sum = 0;
  for (std::size_t j = 0; j < probabilities.size(); ++j) {
    if (probabilities[j] < 0)
      throw InvalidArgument("pmf",
                            "P(A = " + std::to_string(j) + ") = " + numeric::to_fraction(probabilities[j]),
                            "a list of probabilities, none negative");
    sum = sum + probabilities[j];
  }
  if (sum != 1)
    throw InvalidArgument("pmf",
                          "a list with sum " + numeric::to_decimal(sum, 12, numeric::Rounding::nearest),
                          "a list of probabilities with sum exactly 1");
  while (probabilities.size() > 1 && probabilities.back() == 0) probabilities.pop_back();
  return Arrivals(PmfArrivals{std::move(probabilities)});
}

Arrivals Arrivals::from_pgf(const symbolic::Pgf& pgf) {
  symbolic::Program program = pgf.program();
  const PgfFacts facts = check_pgf(program);
  constexpr std::int64_t longest_polynomial = 1024;
  if (facts.largest_batch && *facts.largest_batch <= longest_polynomial) {
    try {
      return from_pmf(expand<Rational>(program, static_cast<std::size_t>(*facts.largest_batch) + 1));
    } catch (const Irrational&) {
      // exp with constant arguments: stays a formula
    }
  }
  return Arrivals(PgfArrivals{std::move(program)},
                  facts.all_coefficients ? numeric::Assumptions() : numeric::Assumption::later_coefficients);
}

Arrivals Arrivals::from_laws(std::vector<LawMixture::Part> parts) {
  std::vector<Rational> pmf;
  for (const auto& [share, law] : parts) {
    const auto table = exact_table(law);
    if (!table) return Arrivals(LawArrivals{LawMixture(std::move(parts))});
    if (pmf.size() < table->size()) pmf.resize(table->size(), Rational(0));
    for (std::size_t j = 0; j < table->size(); ++j) pmf[j] = pmf[j] + share * (*table)[j];
  }
  return from_pmf(std::move(pmf));
}

std::optional<std::int64_t> Arrivals::largest_batch() const {
  if (const auto* equal = std::get_if<EqualInputs>(&description_))
    return equal->load == 0 ? 0 : equal->inputs;
  if (const auto* unequal = std::get_if<UnequalInputs>(&description_))
    return std::count_if(unequal->rates.begin(), unequal->rates.end(),
                         [](const Rational& rate) { return rate != 0; });
  if (const auto* table = std::get_if<PmfArrivals>(&description_))
    return static_cast<std::int64_t>(table->probabilities.size()) - 1;
  if (load_ && *load_ == 0) return 0;
  if (const auto* mixture = std::get_if<LawArrivals>(&description_)) return mixture->laws.largest_batch();
  return std::nullopt;
}

Interval Arrivals::load_interval() const {
  if (load_) return numeric::to_interval(*load_);
  if (const auto* mixture = std::get_if<LawArrivals>(&description_))
    return mixture->kept_share() * mixture->laws.moments().first;
  return moments_at_one<Interval>(std::get<PgfArrivals>(description_).program)[1];
}

Interval Arrivals::second_factorial_moment_interval() const {
  if (second_factorial_moment_) return numeric::to_interval(*second_factorial_moment_);
  if (const auto* mixture = std::get_if<LawArrivals>(&description_)) {
    const Interval kept = mixture->kept_share();
    return kept * kept * mixture->laws.moments().second_factorial;
  }
  return moments_at_one<Interval>(std::get<PgfArrivals>(description_).program)[2];
}

Arrivals Arrivals::thinned(const Rational& factor) const {
  if (factor < 0 || factor > 1)
    throw InvalidArgument("factor", numeric::to_fraction(factor), "a probability from 0 to 1");
  return std::visit(
      [&](const auto& traffic) -> Arrivals {
        using Traffic = std::decay_t<decltype(traffic)>;
        if constexpr (std::is_same_v<Traffic, EqualInputs>) {
          return Arrivals(EqualInputs{traffic.inputs, traffic.load * factor});
        } else if constexpr (std::is_same_v<Traffic, UnequalInputs>) {
          UnequalInputs result = traffic;
          for (Rational& rate : result.rates) rate = rate * factor;
          return Arrivals(std::move(result));
        } else if constexpr (std::is_same_v<Traffic, PoissonArrivals>) {
          return Arrivals(PoissonArrivals{traffic.load * factor});
        } else if constexpr (std::is_same_v<Traffic, PmfArrivals>) {
          if (traffic.probabilities.size() > 512)
            throw LimitExceeded("a PMF of " + std::to_string(traffic.probabilities.size()) +
                                " entries is too long to be thinned exactly; the limit is 512");
          return Arrivals(PmfArrivals{thinned_pmf(traffic.probabilities, factor)});
        } else if constexpr (std::is_same_v<Traffic, LawArrivals>) {
          if (factor == 0) return Arrivals(PmfArrivals{{1}});
          LawArrivals result = traffic;
          result.kept = result.kept * factor;
          if (result.at_load) result.at_load = *result.at_load * factor;
          return Arrivals(std::move(result));
        } else {
          return Arrivals(PgfArrivals{substitute_thinning(traffic.program, factor)}, assumptions_);
        }
      },
      description_);
}

Rational Arrivals::largest_load() const {
  if (const auto* equal = std::get_if<EqualInputs>(&description_)) return integer(equal->inputs);
  if (std::holds_alternative<PoissonArrivals>(description_)) return 1000;
  if (const auto* unequal = std::get_if<UnequalInputs>(&description_)) {
    const Rational busiest = *std::max_element(unequal->rates.begin(), unequal->rates.end());
    return busiest == 0 ? Rational(0) : Rational(*load_ / busiest);
  }
  if (load_) return *load_;
  const numeric::PrecisionScope scope({128});
  return numeric::to_rational(numeric::lower(load_interval()));
}

Arrivals Arrivals::at_load(const Rational& load) const {
  if (load < 0 || load > largest_load())
    throw InvalidArgument("load", numeric::to_decimal(load, 12, numeric::Rounding::nearest),
                          "from 0 to " + numeric::to_decimal(largest_load(), 12, numeric::Rounding::nearest) +
                              " for this traffic");
  if (const auto* equal = std::get_if<EqualInputs>(&description_))
    return Arrivals(EqualInputs{equal->inputs, load});
  if (std::holds_alternative<PoissonArrivals>(description_)) return Arrivals(PoissonArrivals{load});
  if (const auto* unequal = std::get_if<UnequalInputs>(&description_)) {
    UnequalInputs result = *unequal;
    if (*load_ != 0)
      for (Rational& rate : result.rates) rate = rate * load / *load_;
    return Arrivals(std::move(result));
  }
  if (const auto* mixture = std::get_if<LawArrivals>(&description_); mixture && !load_) {
    if (load == 0) return thinned(0);
    LawArrivals result = *mixture;
    result.at_load = load;
    return Arrivals(std::move(result));
  }
  if (!load_) throw LimitExceeded("the load of this formula is irrational, so it cannot be scaled exactly");
  return *load_ == 0 ? *this : thinned(load / *load_);
}

}  // namespace tailbound::series
