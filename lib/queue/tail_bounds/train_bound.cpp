#include <tailbound/numeric/power.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/tail_bounds/convex_zero.hpp>
#include <tailbound/queue/tail_bounds/train_bound.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

/// Derivation, with the names used here: docs/derivations/packet_sizes.md.
namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::power;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

constexpr std::int64_t max_train_inputs = std::int64_t{1} << 20;

void check(const Trains& trains) {
  if (trains.inputs < 1 || trains.inputs > max_train_inputs)
    throw InvalidArgument("inputs", std::to_string(trains.inputs), "from 1 to 2^20 = 1048576");
  if (trains.load <= 0)
    throw InvalidArgument("load", numeric::to_fraction(trains.load), "above 0 and below 1");
  if (trains.load >= 1) throw Unstable(numeric::plain(trains.load));
  if (trains.cells.largest() > Trains::max_cells)
    throw LimitExceeded("packets of " + std::to_string(trains.cells.largest()) + " cells; the limit is " +
                        std::to_string(Trains::max_cells));
}

/// For a free input: what starts in a slot.
struct Starts {
  Rational here, elsewhere;  ///< t, o

  [[nodiscard]] Rational none() const { return 1 - here - elsewhere; }
};

Starts starts_of(const Trains& trains) {
  const Rational inputs = Rational(trains.inputs);
  const Rational busy = trains.elsewhere ? trains.load : trains.load / inputs;
  const Rational alpha = busy / (busy + trains.cells.mean * (1 - busy));
  if (!trains.elsewhere) return {alpha, 0};
  return {alpha / inputs, alpha * (inputs - 1) / inputs};
}

/// u = log w at x = log z, and du/dx; not proved.
struct Eigenvalue {
  Real log, slope;
};

struct RoughSource {
  Real none, here, elsewhere;
  std::vector<std::pair<Real, Real>> cells;  ///< L and its probability
};

RoughSource rough_source(const Trains& trains, const Starts& starts) {
  const auto rough = [](const Rational& value) {
    return numeric::to_real(value, numeric::Rounding::nearest);
  };
  RoughSource source{rough(starts.none()), rough(starts.here), rough(starts.elsewhere), {}};
  for (const traffic::CellClass& one : trains.cells.classes)
    source.cells.emplace_back(Real(one.cells), rough(one.share));
  return source;
}

Eigenvalue eigenvalue(const RoughSource& source, const Real& x, int bits) {
  // The logarithm of the left side of (2.2) is convex and decreasing in u: Newton's method increases to its
  // zero, starting where one of the terms alone is 1.
  Real u(0);
  for (const auto& [cells, share] : source.cells) {
    const Real alone = x + log(source.here * share) / cells;
    if (alone > u) u = alone;
  }
  Real by_x, by_u;
  for (int step = 0; step < 4 * bits; ++step) {
    Real sum = source.none * exp(-u);
    by_u = sum;
    by_x = 0;
    for (const auto& [cells, share] : source.cells) {
      const Real own = source.here * share * exp(cells * (x - u));
      sum += own;
      by_u += cells * own;
      by_x += cells * own;
      if (source.elsewhere > 0) {
        const Real other = source.elsewhere * share * exp(-cells * u);
        sum += other;
        by_u += cells * other;
      }
    }
    const Real by = log(sum) * sum / by_u;
    if (!(by > ldexp(u + x, 8 - bits))) break;
    u += by;
  }
  return {u, by_x / by_u};
}

/// sum_{r>=1} P(L > r) q^r
Interval behind_first(const traffic::CellCounts& counts, const Interval& q) {
  Interval sum(0), above(0);
  auto next = counts.classes.rbegin();
  for (std::int64_t r = counts.largest() - 1; r >= 1; --r) {
    while (next != counts.classes.rend() && next->cells > r) above += numeric::to_interval((next++)->share);
    sum = (sum + above) * q;
  }
  return sum;
}

/// Lower bound of the mean of v for an input that does not send now, given the slots in which it has sent
/// (packet_sizes.md, (7)): at least w^-(Lmax - 1).
Interval quiet_mean(const Trains& trains, const Starts& starts, const Interval& other) {
  const std::int64_t longest = trains.cells.largest();
  const Interval minimum = power(other, longest - 1), elsewhere = numeric::to_interval(starts.elsewhere),
                 more = Interval(1) / numeric::to_interval(starts.none());
  // [a]: sum over r >= 1 of P(L = r + a) w^-r, and P(L > a).
  std::vector<Interval> weighted(static_cast<std::size_t>(longest) + 1, Interval(0)),
      above(static_cast<std::size_t>(longest) + 1, Interval(0));
  auto next = trains.cells.classes.rbegin();
  for (std::int64_t a = longest - 1; a >= 0; --a) {
    Interval share(0);
    while (next != trains.cells.classes.rend() && next->cells > a)
      share += numeric::to_interval((next++)->share);
    const auto at = static_cast<std::size_t>(a);
    weighted[at] = (weighted[at + 1] + share) * other;
    above[at] = above[at + 1] + share;
  }
  const auto holds = [&](const Real& f) {
    Interval sum = Interval(1) - Interval(f), factor = elsewhere;
    for (std::size_t a = 1; a < static_cast<std::size_t>(longest); ++a) {
      factor *= more;
      const Interval term = weighted[a] - Interval(f) * above[a];
      if (numeric::lower(term) < 0) sum += factor * numeric::to_interval(numeric::lower(term));
    }
    return numeric::lower(sum) >= 0;
  };
  Real low = numeric::lower(minimum), high(1);
  for (int step = 0; step < 24; ++step) {
    const Real middle = (low + high) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return numeric::to_interval(low);
}

struct Constants {
  Real tail, loss, climb;
};

/// The constants G and H at z with this w, if (2.2) can be proved.
std::optional<Constants> prove(const Trains& trains, const Real& z, const Real& w) {
  const Starts starts = starts_of(trains);
  const Interval none = numeric::to_interval(starts.none()), here = numeric::to_interval(starts.here),
                 elsewhere = numeric::to_interval(starts.elsewhere);
  const bool others = starts.elsewhere != 0;
  const Interval at(z), own = at / Interval(w), other = Interval(1) / Interval(w);
  Interval image = none * other;
  for (const traffic::CellClass& one : trains.cells.classes) {
    const Interval share = numeric::to_interval(one.share);
    image += here * share * power(own, one.cells);
    if (others) image += elsewhere * share * power(other, one.cells);
  }
  if (!(numeric::upper(image) <= 1) || !(w >= 1) || !(z >= w)) return std::nullopt;
  if (!(numeric::upper(power(numeric::to_interval(w), trains.inputs)) <= z)) return std::nullopt;
  const Interval own_left = behind_first(trains.cells, own);
  const Interval other_left = others ? behind_first(trains.cells, other) : Interval(0);
  const Interval scale =
      Interval(1) / numeric::to_interval(1 + (starts.here + starts.elsewhere) * (trains.cells.mean - 1));
  const Interval mean = scale * (Interval(1) + here * own_left + elsewhere * other_left);
  // After one slot without or with a cell for this output.
  const Interval silent = scale * (none + elsewhere * (Interval(1) + other_left));
  const Interval sent = scale * here * (Interval(1) + own_left);
  const std::int64_t k = trains.inputs;
  Interval passage(1);
  if (others) passage = power(quiet_mean(trains, starts, other), k - 2);
  const Interval rho = numeric::to_interval(trains.load);
  const Real tail = numeric::upper(power(mean, k) / passage);
  const Interval first = silent + at * sent;
  const Interval excess =
      power(first, k) * (at * Interval(Real(k)) * sent / first - Interval(1)) + power(silent, k);
  const Real one_slot = numeric::upper(excess / (at * passage * rho));
  const Real sum = numeric::upper(Interval(tail) * at / ((at - Interval(1)) * rho));
  return Constants{tail, one_slot < sum ? one_slot : sum, numeric::upper(Interval(1) / passage)};
}

}  // namespace

ExponentialBound train_bound(const Trains& trains, numeric::Digits digits) {
  if (digits.count < 1 || digits.count > 1000)
    throw InvalidArgument("digits", std::to_string(digits.count), "from 1 to 1000");
  check(trains);
  const auto [wanted, working] = search_bits(trains.load, digits);
  const int bits = working;
  const PrecisionScope scope(Precision{bits});
  if (trains.inputs == 1)  // never two cells per slot
    return {trains.load, Real(2), Real(0), Real(0), digits};
  const Starts starts = starts_of(trains);
  const RoughSource source = rough_source(trains, starts);
  const Real count(trains.inputs);
  const Real best = convex_zero(
      [&](const Real& x) {
        const Eigenvalue w = eigenvalue(source, x, bits);
        return ValueAndSlope{count * w.log - x, count * w.slope - 1};
      },
      bits);
  // Slightly before the zero the inequalities are strict and hold despite roundings.
  for (int backwards = wanted; backwards > 0; backwards -= 8) {
    const Real x = best - ldexp(best, -backwards);
    const Real z = exp(x), w = exp(eigenvalue(source, x, bits).log);
    if (!(z > 1)) continue;
    if (const auto constants = prove(trains, z, w + ldexp(w, 24 - bits)))
      return {trains.load, z, constants->tail, constants->loss, digits, constants->climb};
  }
  throw LimitExceeded("no bound for the queue at load " + numeric::to_fraction(trains.load) +
                      " could be proved");
}

SourceChain source_chain(const Trains& trains) {
  check(trains);
  const Starts starts = starts_of(trains);
  const auto longest = static_cast<std::int32_t>(trains.cells.largest());
  const bool others = starts.elsewhere != 0;
  SourceChain chain;
  chain.count = trains.inputs;
  // 0 free; r: r cells left for this output; longest - 1 + r: for another
  const auto other_state = [&](std::int32_t left) { return left == 0 ? 0 : longest - 1 + left; };
  const Rational scale = 1 / (1 + (starts.here + starts.elsewhere) * (trains.cells.mean - 1));
  const auto states = static_cast<std::size_t>(others ? 2 * longest - 1 : longest);
  chain.stationary.assign(states, 0.0);
  chain.stationary[0] = double_above(scale);
  Rational above = 0;
  auto next = trains.cells.classes.rbegin();
  for (std::int32_t left = longest - 1; left >= 1; --left) {
    while (next != trains.cells.classes.rend() && next->cells > left) above = above + (next++)->share;
    chain.stationary[static_cast<std::size_t>(left)] = double_above(scale * starts.here * above);
    chain.steps.push_back({left, left - 1, 1, true});
    if (!others) continue;
    chain.stationary[static_cast<std::size_t>(other_state(left))] =
        double_above(scale * starts.elsewhere * above);
    chain.steps.push_back({other_state(left), other_state(left - 1), 1, false});
  }
  if (starts.none() > 0) chain.steps.push_back({0, 0, double_above(starts.none()), false});
  for (const traffic::CellClass& one : trains.cells.classes) {
    const auto left = static_cast<std::int32_t>(one.cells - 1);
    chain.steps.push_back({0, left, double_above(starts.here * one.share), true});
    if (others)
      chain.steps.push_back({0, other_state(left), double_above(starts.elsewhere * one.share), false});
  }
  const PrecisionScope scope(Precision{96});
  chain.weights = [source = rough_source(trains, starts), longest, states](double log_z) {
    const PrecisionScope inside(Precision{96});
    const double u = static_cast<double>(eigenvalue(source, Real(log_z), 96).log) * (1 + 1e-15);
    SourceChain::Weights weights{std::exp(u), std::vector<double>(states, 1.0)};
    for (std::size_t state = 1; state < states; ++state) {
      const auto last = static_cast<std::size_t>(longest - 1);
      const bool own = state <= last;
      const auto left = static_cast<double>(own ? state : state - last);
      weights.of_state[state] = std::exp(left * (own ? log_z - u : -u));
    }
    return weights;
  };
  return chain;
}

SourceBound source_bound(const Trains& trains, numeric::Digits digits) {
  return {train_bound(trains, digits), {source_chain(trains)}};
}

std::int64_t train_phases(const Trains& trains) {
  const bool others = trains.elsewhere && trains.inputs > 1;
  const std::int64_t states = others ? 2 * trains.cells.largest() - 1 : trains.cells.largest();
  constexpr std::int64_t maximum = std::int64_t{1} << 62;
  const std::int64_t less = std::min(trains.inputs, states - 1), sum = trains.inputs + states - 1;
  std::int64_t phases = 1;
  for (std::int64_t i = 1; i <= less; ++i) {
    if (phases > maximum / (sum - less + i)) return maximum;
    phases = phases * (sum - less + i) / i;
  }
  return phases;
}

std::optional<MarkovArrivals> train_chain(const Trains& trains) {
  check(trains);
  if (train_phases(trains) > max_chain_phases) return std::nullopt;
  const Starts starts = starts_of(trains);
  const std::int64_t longest = trains.cells.largest();
  const bool others = starts.elsewhere != 0;
  // States of one input: 0 free; r: r cells left for this output; longest - 1 + r: for another.
  const auto states = static_cast<std::size_t>(others ? 2 * longest - 1 : longest);
  struct Step {
    std::size_t to, cells;
    Rational probability;
  };
  std::vector<std::vector<Step>> steps(states);
  const auto other_state = [&](std::int64_t left) {
    return static_cast<std::size_t>(left == 0 ? 0 : longest - 1 + left);
  };
  steps[0].push_back({0, 0, starts.none()});
  for (const traffic::CellClass& one : trains.cells.classes) {
    steps[0].push_back({static_cast<std::size_t>(one.cells - 1), 1, starts.here * one.share});
    if (others) steps[0].push_back({other_state(one.cells - 1), 0, starts.elsewhere * one.share});
  }
  for (std::int64_t left = 1; left < longest; ++left) {
    steps[static_cast<std::size_t>(left)].push_back({static_cast<std::size_t>(left - 1), 1, 1});
    if (others) steps[other_state(left)].push_back({other_state(left - 1), 0, 1});
  }
  // For all inputs: the number in each state.
  using Phase = std::vector<std::int64_t>;
  std::map<Phase, std::size_t> index;
  std::vector<Phase> phases;
  const auto index_of = [&](const Phase& phase) {
    const auto [place, fresh] = index.emplace(phase, phases.size());
    if (fresh) phases.push_back(phase);
    return place->second;
  };
  Phase all_free(states, 0);
  all_free[0] = trains.inputs;
  index_of(all_free);
  struct Entry {
    std::size_t from, to, cells;
    Rational probability;
  };
  std::vector<Entry> entries;
  for (std::size_t from = 0; from < phases.size(); ++from) {
    std::map<std::pair<Phase, std::size_t>, Rational> reached{{{Phase(states, 0), 0}, 1}};
    const Phase phase = phases[from];
    for (std::size_t state = 0; state < states; ++state)
      for (std::int64_t input = 0; input < phase[state]; ++input) {
        std::map<std::pair<Phase, std::size_t>, Rational> next;
        for (const auto& [place, probability] : reached)
          for (const Step& step : steps[state]) {
            auto [to, cells] = place;
            ++to[step.to];
            Rational& sum = next[{std::move(to), cells + step.cells}];
            sum = sum + probability * step.probability;
          }
        reached = std::move(next);
      }
    for (const auto& [place, probability] : reached)
      if (probability > 0) entries.push_back({from, index_of(place.first), place.second, probability});
  }
  const std::size_t size = phases.size(), maximum = static_cast<std::size_t>(trains.inputs);
  RationalBlocks blocks(maximum + 1,
                        std::vector<std::vector<Rational>>(size, std::vector<Rational>(size, Rational(0))));
  for (const Entry& entry : entries) blocks[entry.cells][entry.from][entry.to] = entry.probability;
  return MarkovArrivals::blocks(std::move(blocks));
}

}  // namespace tailbound::queue
