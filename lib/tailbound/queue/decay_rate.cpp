#include <tailbound/queue/slotted_queue.hpp>
#include <tailbound/series/expand.hpp>

#include <cmath>

/// The dominant pole z0 of Q(z): the least real solution above 1 of z^C = A(z).
///
/// g(x) = log A(e^x) - C x is convex with g(0) = 0 and g'(0) = rho - C < 0, so it has at most one positive
/// zero, is negative before and positive after it: two proved signs enclose it.
/// Derivation: docs/derivations/slotted_queue.md, "The dominant pole".
namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::Rational;
using numeric::Real;

Interval power(Interval base, std::int64_t exponent) {
    Interval result(1);
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1) result *= base;
        base *= base;
    }
    return result;
}

/// A(z) for z >= 1; not finite where the formula has a pole.
Interval evaluate(const series::Arrivals::Description& description, const Interval& z) {
    using namespace series;
    if (const auto* equal = std::get_if<EqualInputs>(&description)) {
        const Rational rate = equal->load / Rational(static_cast<long>(equal->inputs));
        return power(numeric::to_interval(1 - rate) + numeric::to_interval(rate) * z, equal->inputs);
    }
    if (const auto* unequal = std::get_if<UnequalInputs>(&description)) {
        Interval product(1);
        for (const Rational& rate : unequal->rates) product *= numeric::to_interval(1 - rate) + numeric::to_interval(rate) * z;
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

/// -1, 1: the proved sign of log A(z) - C log z; 0: undecided at the precision in force; 2: A is not
/// analytic on [from, z], so the zero lies before z.
int sign_at(const SlottedQueue& queue, const Real& from, const Real& z) {
    const auto& description = queue.arrivals.description();
    if (std::holds_alternative<series::PgfArrivals>(description)) {
        // A PGF's nearest singularity is on the positive axis. Quarters keep the intervals' excess small.
        Real left = from;
        for (int part = 1; part <= 16; ++part) {
            const Real right = part == 16 ? z : Real(from + (z - from) * part / 16);
            const Interval value = evaluate(description, numeric::make_interval(left, right));
            if (!isfinite(numeric::upper(value)) || !isfinite(numeric::lower(value)) || !(numeric::lower(value) > 0)) return 2;
            left = right;
        }
    }
    const Interval point(z);
    const Interval difference = evaluate(description, point) - power(point, queue.packets_per_slot);
    if (numeric::lower(difference) > 0) return 1;
    if (numeric::upper(difference) < 0) return -1;
    return 0;
}

}  // namespace

std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate(const SlottedQueue& queue, numeric::Digits digits) {
    require_stable(queue);
    if (const auto largest = queue.arrivals.largest_batch(); largest && *largest <= queue.packets_per_slot)
        return std::nullopt;
    const double width = std::pow(10.0, -digits.count);
    for (int bits = numeric::to_precision(digits).bits + 96; bits <= 65'536; bits *= 2) {
        const numeric::PrecisionScope scope(numeric::Precision{bits});
        // z = 1 + y; y doubles until the sign is no longer negative.
        Real below(0), above(1);
        int sign = sign_at(queue, Real(1), Real(2));
        for (int step = 0; sign == -1 && step < 400; ++step) {
            below = above;
            above *= 2;
            sign = sign_at(queue, Real(1) + below, Real(1) + above);
        }
        if (sign == -1) return std::nullopt;
        bool undecided = sign == 0;
        while (!undecided) {
            if (sign == 1 && below > 0) {
                const Real lower = numeric::lower(log1p(Interval(below)));
                const Real upper = numeric::upper(log1p(Interval(above)));
                if (numeric::relative_width(lower, upper) <= width)
                    return numeric::Enclosure<unit::PerPacket>(lower, upper);
            }
            const Real middle = below > 0 ? Real((below + above) / 2) : Real(above / 16);
            if (middle == below || middle == above || middle < ldexp(Real(1), -bits / 2)) break;
            const int here = sign_at(queue, Real(1) + below, Real(1) + middle);
            if (here == 0) {
                undecided = true;
            } else if (here == -1) {
                below = middle;
            } else {
                above = middle;
                sign = here;
            }
        }
    }
    throw LimitExceeded("the decay rate cannot be enclosed to " + std::to_string(digits.count) + " digits");
}

}  // namespace tailbound::queue
