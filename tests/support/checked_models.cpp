#include <tailbound/core/error.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tests/support/checked_models.hpp>
#include <tests/support/finite_chain.hpp>
#include <tests/support/markov_chain.hpp>
#include <tests/support/reference_tail.hpp>
#include <utility>

namespace tailbound::test {
namespace {

using queue::Arithmetic;

std::vector<Packets> packets(const std::vector<std::int64_t>& levels) {
  std::vector<Packets> result;
  for (const std::int64_t level : levels) result.emplace_back(level);
  return result;
}

/// The nearest long double, or within two units of it.
long double to_long_double(const Fraction& value) {
  mpfr_t number;
  mpfr_init2(number, 64);
  mpfr_set_q(number, value.backend().data(), MPFR_RNDN);
  const long double result = mpfr_get_ld(number, MPFR_RNDN);
  mpfr_clear(number);
  return result;
}

Fraction fraction_of(long double value) {
  mpfr_t number;
  mpfr_init2(number, 64);
  mpfr_set_ld(number, value, MPFR_RNDN);
  Fraction result;
  mpfr_get_q(result.backend().data(), number);
  mpfr_clear(number);
  return result;
}

Fraction fraction_of(const Float100& value) {
  Fraction result;
  mpfr_get_q(result.backend().data(), value.backend().data());
  return result;
}

/// The value, less a relative error and plus a larger one: a finite chain is never above the infinite one.
Reference around(const Fraction& value, const Fraction& part, const Fraction& more = 0) {
  return {value - value * part, value + value * part + more};
}

// ---------------------------------------------------------------------------------------------------------
// One packet per slot.

/// A formula, and its arrivals per slot as the tests know them.
struct Formula {
  std::string text;
  Traffic traffic;
};

/// (1 - p + p z^j)^k, (1 - q)/(1 - q z), mixtures and products of two such.
struct Factor {
  std::string text;
  std::vector<Fraction> series;  ///< to the last requested coefficient
  Fraction mean;
};

Factor random_factor(Random& random, std::size_t last, std::int64_t percent) {
  Factor factor{.text = {}, .series = std::vector<Fraction>(last + 1, Fraction(0)), .mean = 0};
  if (random.one_in(2)) {
    const std::int64_t power = random.between(1, 6), step = random.one_in(3) ? random.between(2, 4) : 1;
    const Fraction p(Whole(random.between(1, percent)), Whole(100 * power * step));
    factor.text = "(" + Fraction(1 - p).str() + "+" + p.str() + "*z^" + std::to_string(step) + ")^" +
                  std::to_string(power);
    const std::vector<Fraction> all = fraction_pmf(Traffic::equal(power, p * power));  // of batches
    for (std::size_t j = 0; j < all.size() && j * static_cast<std::size_t>(step) <= last; ++j)
      factor.series[j * static_cast<std::size_t>(step)] = all[j];
    factor.mean = p * power * step;
  } else {
    // Mean q / (1 - q) = m.
    const Fraction mean(Whole(random.between(1, percent)), Whole(100)), q = mean / (1 + mean);
    factor.text = "(" + Fraction(1 - q).str() + ")/(1-" + q.str() + "*z)";
    Fraction term = 1 - q;
    for (Fraction& value : factor.series) {
      value = term;
      term *= q;
    }
    factor.mean = mean;
  }
  return factor;
}

Formula random_formula(Random& random, std::size_t last) {
  if (random.one_in(6)) {
    const Fraction load(Whole(random.between(5, 95)), Whole(100));
    return {"exp(" + load.str() + "*(z-1))", Traffic::poisson(load)};
  }
  Factor one = random_factor(random, last, 45);
  if (!random.one_in(3)) {
    const Factor other = random_factor(random, last, 45);
    if (random.one_in(2)) {
      std::vector<Fraction> product(last + 1, Fraction(0));
      for (std::size_t i = 0; i <= last; ++i)
        for (std::size_t j = 0; i + j <= last; ++j)
          if (one.series[i] != 0 && other.series[j] != 0) product[i + j] += one.series[i] * other.series[j];
      one = {one.text + "*" + other.text, std::move(product), one.mean + other.mean};
    } else {
      const Fraction share(Whole(random.between(1, 9)), Whole(10));
      for (std::size_t j = 0; j <= last; ++j)
        one.series[j] = share * one.series[j] + (1 - share) * other.series[j];
      one.text = share.str() + "*" + one.text + "+" + Fraction(1 - share).str() + "*" + other.text;
      one.mean = share * one.mean + (1 - share) * other.mean;
    }
  }
  Traffic traffic = Traffic::pmf(std::move(one.series));
  traffic.load = one.mean - traffic.mean();  // of the truncated rest
  return {one.text, std::move(traffic)};
}

const char* kind_of(const Traffic& traffic) {
  switch (traffic.kind) {
    case Traffic::Kind::equal:
      return "binomial";
    case Traffic::Kind::unequal:
      return "unequal";
    case Traffic::Kind::poisson:
      return "Poisson";
    case Traffic::Kind::pmf:
      break;
  }
  return "PMF";
}

/// The minimum level for a target between two of the tails.
std::string wrong_min_level(const RandomModel& model, const queue::SlottedQueue& slotted,
                            const std::vector<Reference>& references, Random& random, Tally& tally) {
  // References of all levels 0 .. last.
  const auto n =
      static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(references.size()) - 1));
  if (references[n].lower <= power_of_ten(-300)) return "";
  // Four digits, rounded up, so that the target is a short number: a level at or before n.
  const double size = std::log10(static_cast<double>(references[n].upper));
  const Fraction unit = power_of_ten(static_cast<int>(std::floor(size)) - 3);
  const Fraction units = references[n].upper / unit;
  const Fraction target =
      (quotient(boost::multiprecision::numerator(units), boost::multiprecision::denominator(units)) + 1) *
      unit;
  if (target >= 1) return "";
  std::size_t minimum = 0;
  while (references[minimum].lower > target) ++minimum;
  if (references[minimum].upper > target) return "";  // closer to the target than the reference can decide
  const queue::TailBoundary found = queue::min_level(slotted, to_rational(target), {{model.digits}});
  ++tally.min_levels;
  const std::string where =
      " for " + target.str() + ": " + std::to_string(found.level.value) + ", not " + std::to_string(minimum);
  if (found.level.value != static_cast<std::int64_t>(minimum)) return "wrong minimum level" + where;
  if (!encloses(found.at.probability, references[minimum]))
    return "the true value is outside, at the minimum level" + where;
  if (minimum > 0 &&
      (found.before.size() != 1 || !encloses(found.before.front().probability, references[minimum - 1])))
    return "the true value is outside, before the minimum level" + where;
  return "";
}

std::string wrong_with_one_packet(const RandomModel& model, const queue::SlottedQueue& slotted, bool rational,
                                  Random& random, Tally& tally) {
  const std::int64_t deepest = model.levels.back();
  const std::vector<Reference> references = reference_tails(model.traffic, model.levels);
  std::vector<Arithmetic> arithmetics{Arithmetic::automatic};
  const Arithmetic others[] = {Arithmetic::double_precision, Arithmetic::multiprecision, Arithmetic::interval,
                               Arithmetic::extended};
  if (random.one_in(2)) arithmetics.push_back(others[random.between(0, 3)]);
  if (rational && random.one_in(4) && deepest <= 60 && reference_cost(model.traffic, deepest) < 1e5)
    arithmetics.push_back(Arithmetic::exact);
  for (const Arithmetic arithmetic : arithmetics)
    if (std::string wrong = wrong_tails(model, slotted, arithmetic, references, tally); !wrong.empty())
      return std::string(queue::name(arithmetic)) + ": " + wrong;
  if (!random.one_in(4) || deepest > 60) return "";
  std::vector<std::int64_t> all;
  for (std::int64_t n = 0; n <= deepest; ++n) all.push_back(n);
  return wrong_min_level(model, slotted, reference_tails(model.traffic, all), random, tally);
}

RandomModel shallow_model(Random& random, Traffic traffic) {
  RandomModel model{.traffic = std::move(traffic), .levels = {}};
  const int digits[] = {10, 20, 38};
  model.digits = digits[random.between(0, 2)];
  const bool deep = random.one_in(200);
  std::int64_t deepest = deep ? random.between(60, 1000) : random.between_magnitudes(1, 61) - 1;
  while (deepest > 1 && reference_cost(model.traffic, deepest) > (deep ? 1e7 : 2e5))
    deepest = deepest * 3 / 4;
  for (std::int64_t extra = random.between(0, 2); extra > 0; --extra)
    model.levels.push_back(random.between(0, deepest));
  model.levels.push_back(deepest);
  return model;
}

// ---------------------------------------------------------------------------------------------------------
// Several packets per slot.

/// P(A = j); for Poisson arrivals enough terms for tails to `deepest`: the rest is far below P(A > deepest).
template <class T>
std::vector<T> probabilities(const Traffic& traffic, std::int64_t deepest) {
  std::vector<T> result;
  if (traffic.kind == Traffic::Kind::poisson) {
    const T load(Float100(traffic.load));
    const T part(Float100(std::is_same_v<T, long double> ? "1e-25" : "1e-55"));
    using std::exp;
    T term = exp(T(-load)), felt(0);
    for (std::int64_t j = 0; j <= deepest + 1 || !(term < felt * part); ++j) {
      result.push_back(term);
      if (j == deepest + 1) felt = term;
      term *= load / T(j + 1);
    }
    return result;
  }
  for (const Fraction& value : fraction_pmf(traffic))
    if constexpr (std::is_same_v<T, long double>)
      result.push_back(to_long_double(value));
    else
      result.push_back(T(value));
  return result;
}

struct SeveralModel {
  RandomModel model;
  int served = 2;
  std::int64_t capacity = 0;  ///< of the chain that approximates the queue
  bool long_numbers = false;
};

Traffic random_batch_traffic(Random& random, int served) {
  const Fraction load = Fraction(Whole(random.between(5, 95) * served), Whole(100));
  const std::int64_t minimum = served + 1;
  switch (random.between(0, 3)) {
    case 0:
      return Traffic::equal(random.between(minimum, 2 * served + 8), load);
    case 1: {
      // Weights from 1 to 4, so that no rate exceeds 1.
      const std::int64_t count = random.between(5 * served, 5 * served + 8);
      std::vector<std::int64_t> weights;
      std::int64_t sum = 0;
      for (std::int64_t i = 0; i < count; ++i) sum += weights.emplace_back(random.between(1, 4));
      std::vector<Fraction> rates;
      for (const std::int64_t weight : weights) rates.push_back(load * Fraction(Whole(weight), Whole(sum)));
      return Traffic::unequal(std::move(rates));
    }
    case 2:
      return Traffic::poisson(load);
    default:
      return Traffic::pmf(random_pmf(random, random.between(minimum + 1, 2 * served + 16), load));
  }
}

/// Empty if the chain would be too long.
std::optional<SeveralModel> random_several(Random& random) {
  SeveralModel several;
  several.served = static_cast<int>(random.between_magnitudes(2, 32));
  several.long_numbers = random.one_in(8) && several.served <= 6;
  several.model.traffic = random_batch_traffic(random, several.served);
  if (several.model.traffic.mean() >= several.served) return {};
  const double root = rough_decay_root(several.model.traffic, several.served);
  // P(Q > n) falls by the root per packet: the effect of the chain's end is below 1e-26, or 1e-50.
  const double beyond = std::isfinite(root) ? (several.long_numbers ? 118 : 62) / std::log(root) : 2;
  const int digits[] = {6, 10, 12, 20, 30};
  several.model.digits = digits[random.between(0, several.long_numbers ? 4 : 2)];
  const std::int64_t deepest = random.between_magnitudes(1, 61) - 1;
  for (std::int64_t extra = random.between(0, 2); extra > 0; --extra)
    several.model.levels.push_back(random.between(0, deepest));
  several.model.levels.push_back(deepest);
  several.capacity = deepest + static_cast<std::int64_t>(std::ceil(beyond)) + several.served;
  if (several.capacity > (several.long_numbers ? 250 : 600)) return {};
  return several;
}

std::string wrong_with_several(const SeveralModel& several, Random& random, Tally& tally) {
  const RandomModel& model = several.model;
  std::vector<Reference> references;
  if (several.long_numbers) {
    const auto tails = banded_chain_tails(probabilities<Float100>(model.traffic, model.levels.back()),
                                          several.capacity, several.served);
    for (const std::int64_t level : model.levels)
      references.push_back(around(fraction_of(tails[static_cast<std::size_t>(level)]), power_of_ten(-45)));
  } else {
    const auto tails = banded_chain_tails(probabilities<long double>(model.traffic, model.levels.back()),
                                          several.capacity, several.served);
    for (const std::int64_t level : model.levels)
      references.push_back(around(fraction_of(tails[static_cast<std::size_t>(level)]), power_of_ten(-15)));
  }
  const queue::SlottedQueue slotted{model.traffic.arrivals(), several.served};
  std::vector<Arithmetic> arithmetics{Arithmetic::automatic};
  if (random.one_in(4))
    arithmetics.push_back(random.one_in(2) ? Arithmetic::multiprecision : Arithmetic::double_precision);
  for (const Arithmetic arithmetic : arithmetics)
    if (std::string wrong = wrong_tails(model, slotted, arithmetic, references, tally); !wrong.empty())
      return std::string(queue::name(arithmetic)) + ": " + wrong;
  return "";
}

// ---------------------------------------------------------------------------------------------------------
// Bursts.

std::string wrong_with_bursts(const queue::MarkovArrivals& arrivals, const PlainBlocks<Fraction>& blocks,
                              Random& random, Tally& tally) {
  PlainBlocks<long double> plain(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (const auto& row : blocks[b]) {
      plain[b].emplace_back();
      for (const Fraction& entry : row) plain[b].back().push_back(to_long_double(entry));
    }
  const int digits = static_cast<int>(random.between(6, 11));
  queue::MarkovQueue queue(arrivals, {digits});
  if (!queue.certified()) return "not certified";
  std::vector<std::int64_t> levels{0, random.between(1, 4), random.between(5, 20)};
  std::int64_t settled = 0;
  for (std::int64_t top = 60; top <= 240 && !levels.empty(); top *= 2) {
    const auto law = chain_law(plain, top);
    std::vector<long double> mass;
    for (const auto& phases : law) {
      mass.push_back(0);
      for (const long double value : phases) mass.back() += value;
    }
    // The effect of the chain's end: the chain stays there for little longer than it takes to descend.
    long double end = 0;
    for (std::size_t n = mass.size() - std::min(mass.size(), blocks.size()); n < mass.size(); ++n)
      end += mass[n];
    end *= 1000;
    std::vector<std::int64_t> left;
    for (const std::int64_t level : levels) {
      long double tail = 0;
      for (std::size_t n = mass.size(); n-- > static_cast<std::size_t>(level) + 1;) tail += mass[n];
      if (!(end < 1e-12L * tail)) {
        left.push_back(level);
        continue;
      }
      const Reference reference = around(fraction_of(tail), power_of_ten(-14), fraction_of(end));
      const queue::ProbabilityClaim claim = queue.tail(level);
      const auto wrong = [&](const std::string& what) {
        return what + " at level " + std::to_string(level) + ", " + std::to_string(digits) +
               " digits, reference " + show(reference);
      };
      if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim)) {
        const numeric::Proved<unit::Probability> proved = *exact;
        if (!encloses(proved, reference)) return wrong("another exact value: " + show(proved));
        ++tally.exact;
      } else if (const auto* enclosure = std::get_if<numeric::Enclosure<unit::Probability>>(&claim)) {
        const numeric::Proved<unit::Probability> proved = *enclosure;
        if (!encloses(proved, reference)) return wrong("the true value lies outside: " + show(proved));
        if (!narrow(proved, digits)) return wrong("too wide: " + show(proved));
        ++tally.enclosures;
      } else {
        return wrong("neither exact nor enclosed");
      }
      ++settled;
    }
    levels = std::move(left);
  }
  if (settled == 0) ++tally.kinds["bursts too long for the chain"];
  return "";
}

}  // namespace

std::string wrong_tails(const RandomModel& model, const queue::SlottedQueue& slotted, Arithmetic arithmetic,
                        const std::vector<Reference>& references, Tally& tally) {
  const bool hardware = arithmetic == Arithmetic::double_precision || arithmetic == Arithmetic::extended;
  std::vector<queue::LevelProbability> answers;
  try {
    answers = queue::occupancy_tails(slotted, packets(model.levels), {{model.digits}, arithmetic});
  } catch (const LimitExceeded& rejection) {
    // 16 and 19 digits are the limits of the machine's numbers, and the smallest tail must be a normal
    // number: all other levels that are shallow enough must be answered.
    ++tally.rejected_double;
    const bool too_many_digits = model.digits > (arithmetic == Arithmetic::extended ? 18 : 15);
    const bool deep = references.back().upper < power_of_ten(-235) || model.levels.back() > 500;
    if (hardware && (too_many_digits || deep || model.digits == 20)) return "";
    return std::string("rejected: ") + rejection.what();
  }
  if (hardware) ++tally.answered_double;
  if (answers.size() != references.size()) return "a wrong number of answers";
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const queue::LevelProbability& answer = answers[i];
    const auto where = [&] {
      return " at level " + std::to_string(model.levels[i]) + ": " + show(answer.probability) +
             ", reference " + show(references[i]);
    };
    if (answer.level.value != model.levels[i]) return "another level" + where();
    if (!encloses(answer.probability, references[i])) return "the true value is outside" + where();
    if (!narrow(answer.probability, model.digits)) return "too wide" + where();
    if (answer.method.arithmetic == Arithmetic::automatic) return "no arithmetic named" + where();
    const bool exact = std::holds_alternative<numeric::Exact<unit::Probability>>(answer.probability);
    if (arithmetic != Arithmetic::automatic && !exact && answer.method.arithmetic != arithmetic)
      return "not the requested arithmetic" + where();
    if (arithmetic == Arithmetic::exact && !exact) return "not exact" + where();
    ++(exact ? tally.exact : tally.enclosures);
  }
  return "";
}

std::string checked_model(std::uint64_t seed, Tally& tally) {
  Random random(seed);
  std::string text, wrong;
  ++tally.models;
  try {
    const std::int64_t kind = random.between(0, 99);
    if (kind < 69) {
      Traffic traffic = random_traffic(random);
      if (traffic.inputs > 256) traffic.inputs = 256;  // 1000 take half a second
      const RandomModel model = shallow_model(random, std::move(traffic));
      text = model.text();
      ++tally.kinds[kind_of(model.traffic)];
      wrong = wrong_with_one_packet(model, {model.traffic.arrivals()},
                                    model.traffic.kind != Traffic::Kind::poisson, random, tally);
    } else if (kind < 73) {
      const auto last = static_cast<std::size_t>(random.between_magnitudes(2, 30));
      const Formula formula = random_formula(random, last + 1);
      RandomModel model = shallow_model(random, formula.traffic);
      for (std::int64_t& level : model.levels) level = std::min(level, static_cast<std::int64_t>(last));
      text = formula.text + "; " + model.text();
      ++tally.kinds["formula"];
      wrong = wrong_with_one_packet(model, {series::Arrivals::from_pgf(symbolic::parse_pgf(formula.text))},
                                    false, random, tally);
    } else if (kind < 79) {
      std::optional<SeveralModel> several;
      while (!several) several = random_several(random);
      text = std::to_string(several->served) + " packets per slot; " + several->model.text();
      ++tally.kinds["several packets per slot"];
      wrong = wrong_with_several(*several, random, tally);
    } else if (kind < 86) {
      const MarkovModel model = random_on_off(random, {.sources = 5, .percent = 70, .burst = 800});
      text = model.text;
      ++tally.kinds["on-off sources"];
      wrong = wrong_with_bursts(model.arrivals, model.blocks, random, tally);
    } else if (kind < 94) {
      const queue::OnOffGroup group =
          random_group(random, !random.one_in(3), {.sources = 3, .percent = 60, .burst = 600});
      text = test::text(group);
      ++tally.kinds["bursts to one output"];
      wrong =
          wrong_with_bursts(queue::MarkovArrivals::on_off({group}), lumped_blocks({group}), random, tally);
    } else {
      const MarkovModel model = random_blocks(random);
      text = model.text;
      ++tally.kinds["blocks"];
      wrong = wrong_with_bursts(model.arrivals, model.blocks, random, tally);
    }
  } catch (const std::exception& error) {
    wrong = std::string("unexpected error: ") + error.what();
  }
  return wrong.empty() ? "" : "seed " + std::to_string(seed) + ": " + wrong + "\n    " + text;
}

}  // namespace tailbound::test
