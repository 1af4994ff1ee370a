#include <tailbound/numeric/power.hpp>
#include <tailbound/queue/slotted/slotted_engine.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/series/expand.hpp>
#include <tailbound/series/formulas/closed_form.hpp>
#include <tailbound/series/formulas/shape.hpp>

#include <cmath>

/// The dominant pole z0 of Q(z): the smallest real solution above 1 of z^C = A(z).
///
/// g(x) = log A(e^x) - C x is convex with g(0) = 0 and g'(0) = rho - C < 0, so it has at most one positive
/// zero, is negative before and positive after it: two proved signs enclose it.
/// Derivation: docs/derivations/slotted_queue.md, "The dominant pole".
namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::power;
using numeric::Rational;
using numeric::Real;

/// A queue, and the closed form of its arrivals' formula where the formula as written may lose digits.
struct Sought {
  explicit Sought(const SlottedQueue& its) : queue(its) {
    const auto* formula = std::get_if<series::PgfArrivals>(&its.arrivals.description());
    if (formula != nullptr && !series::is_plain(formula->program))
      form = series::closed_form(formula->program);
  }
  const SlottedQueue& queue;
  std::optional<series::ClosedForm> form;
};

/// A(z) for z >= 1; not finite if the formula has a pole there.
Interval evaluate(const Sought& sought, const Interval& z) {
  using namespace series;
  const Arrivals::Description& description = sought.queue.arrivals.description();
  if (sought.form) return series::value(*sought.form, z);
  if (const auto* mixture = std::get_if<LawArrivals>(&description)) {
    const Interval kept = mixture->kept_share();
    return mixture->laws.value(Interval(1) - kept + kept * z);
  }
  if (const auto* equal = std::get_if<EqualInputs>(&description)) {
    const Rational rate = equal->load / Rational(static_cast<long>(equal->inputs));
    return power(numeric::to_interval(1 - rate) + numeric::to_interval(rate) * z, equal->inputs);
  }
  if (const auto* unequal = std::get_if<UnequalInputs>(&description)) {
    Interval product(1);
    for (const Rational& rate : unequal->rates)
      product *= numeric::to_interval(1 - rate) + numeric::to_interval(rate) * z;
    return product;
  }
  if (const auto* poisson = std::get_if<PoissonArrivals>(&description))
    return exp(numeric::to_interval(poisson->load) * (z - Interval(1)));
  if (const auto* table = std::get_if<PmfArrivals>(&description)) {
    Interval sum(0);
    for (auto entry = table->probabilities.rbegin(); entry != table->probabilities.rend(); ++entry)
      sum = sum * z + numeric::to_interval(*entry);
    return sum;
  }
  return series::evaluate<Interval>(std::get<PgfArrivals>(description).program, z);
}

/// A(z) - z^C at a point above 1, and its conclusion.
struct Probe {
  enum class Place {
    before,     ///< A(z) < z^C: the zero lies further out
    behind,     ///< A(z) > z^C: the zero lies nearer
    undecided,  ///< at the precision in force
    outside,    ///< A has a singularity up to z, so the zero lies nearer
  };
  Place place;
  Real difference;  ///< approximate A(z) - z^C; undefined outside
};

/// \param from  A is known to be analytic up to here
Probe probe(const Sought& sought, const Real& from, const Real& z) {
  // A PGF's nearest singularity is on the positive axis.
  if (sought.form && !series::free_of_poles(*sought.form, from, z)) return {Probe::Place::outside, 0};
  if (!sought.form && std::holds_alternative<series::PgfArrivals>(sought.queue.arrivals.description())) {
    // Short pieces keep the intervals' excess small.
    constexpr int pieces = 16;
    Real left = from;
    for (int piece = 1; piece <= pieces; ++piece) {
      const Real right = piece == pieces ? z : Real(from + (z - from) * piece / pieces);
      try {
        const Interval value = evaluate(sought, numeric::make_interval(left, right));
        if (!isfinite(numeric::upper(value)) || !(numeric::lower(value) > 0))
          return {Probe::Place::outside, 0};
      } catch (const InvalidArgument&) {
        return {Probe::Place::outside, 0};  // a divisor with a zero in this piece
      }
      left = right;
    }
  }
  const Interval point = numeric::to_interval(z);
  Interval value(0);
  try {
    value = evaluate(sought, point);
  } catch (const InvalidArgument&) {
    return {Probe::Place::outside, 0};
  }
  const Interval difference = value - power(point, sought.queue.packets_per_slot);
  if (numeric::lower(difference) > 0) return {Probe::Place::behind, numeric::lower(difference)};
  if (numeric::upper(difference) < 0) return {Probe::Place::before, numeric::upper(difference)};
  return {Probe::Place::undecided, 0};
}

/// The zero, on the scale y = z - 1, between two proved signs.
struct Bracket {
  Real before, behind;        ///< y
  Real at_before, at_behind;  ///< A(z) - z^C there; at_behind is undefined if `outside`
  bool outside = false;
  Probe::Place last = Probe::Place::undecided;

  /// Moves the end that `at` proves; false if it proves nothing. An end kept twice is weighted by half (the
  /// Illinois rule), so that chords converge from both sides.
  bool take(const Real& y, const Probe& at) {
    if (at.place == Probe::Place::undecided) return false;
    if (at.place == Probe::Place::before) {
      if (last == at.place) at_behind /= 2;
      before = y;
      at_before = at.difference;
    } else {
      if (last == at.place) at_before /= 2;
      behind = y;
      at_behind = at.difference;
      outside = at.place == Probe::Place::outside;
    }
    last = at.place;
    return true;
  }

  /// False only if the logarithms of the ends, the most expensive part, certainly differ in those digits.
  [[nodiscard]] bool may_agree_to(numeric::Digits digits) const {
    const auto y = static_cast<double>(before), gap = static_cast<double>(Real(behind - before));
    if (digits.count > 300 || !(y > 1e-300)) return true;
    return gap / ((1 + y) * std::log1p(y)) < 2 * std::pow(10.0, -digits.count) + 1e-12;
  }
};

}  // namespace

std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate(const SlottedQueue& queue,
                                                              numeric::Digits digits) {
  require_stationary(queue);
  if (const auto largest = queue.arrivals.largest_batch(); largest && *largest <= queue.packets_per_slot)
    return std::nullopt;
  const Sought sought(queue);
  for (int bits = numeric::to_precision(digits).bits + 96; bits <= 65'536; bits *= 2) {
    const numeric::PrecisionScope scope(numeric::Precision{bits});
    const auto probe_at = [&](const Real& known, const Real& y) {
      return probe(sought, Real(1) + known, Real(1) + y);
    };
    // Not a round number: a zero at a rational point such as 2 would leave its own sign undecided.
    Bracket bracket{0, Real(0.9384765625), 0, 0};
    Probe first = probe_at(0, bracket.behind);
    for (int step = 0; first.place == Probe::Place::before && step < 400; ++step) {
      bracket.take(bracket.behind, first);
      bracket.behind *= 2;
      first = probe_at(bracket.before, bracket.behind);
    }
    if (first.place == Probe::Place::before) return std::nullopt;
    bool decided = bracket.take(bracket.behind, first);
    while (decided && !(bracket.before > 0)) {
      const Real y = bracket.behind / 16;
      if (y < ldexp(Real(1), -bits / 2))
        decided = false;
      else
        decided = bracket.take(y, probe_at(0, y));
    }
    const Real eighth_of_width = ldexp(Real(1), -numeric::to_precision(digits).bits - 3);
    for (int step = 0; decided && step < 4 * bits; ++step) {
      if (!bracket.outside && bracket.may_agree_to(digits)) {
        const Real lower = numeric::lower(log1p(numeric::to_interval(bracket.before)));
        const Real upper = numeric::upper(log1p(numeric::to_interval(bracket.behind)));
        if (numeric::agree_to(lower, upper, digits))
          return numeric::Enclosure<unit::PerPacket>(proof_of(queue), lower, upper);
      }
      const Real gap = bracket.behind - bracket.before;
      Real y = bracket.before + gap / 2;
      if (!bracket.outside && step % 8 != 7) {
        y = bracket.before - bracket.at_before * gap / (bracket.at_behind - bracket.at_before);
        // Not so close to an end that rounding hides the sign: slightly past the zero it proves the rest.
        const Real margin = bracket.behind * eighth_of_width;
        if (y < bracket.before + margin) y = bracket.before + margin;
        if (y > bracket.behind - margin) y = bracket.behind - margin;
      }
      decided = bracket.take(y, probe_at(bracket.before, y));
      if (!decided) {
        y = bracket.before + gap * Real(0.47265625);
        decided = bracket.take(y, probe_at(bracket.before, y));
      }
    }
  }
  throw LimitExceeded("the decay rate cannot be enclosed to " + std::to_string(digits.count) + " digits");
}

}  // namespace tailbound::queue
