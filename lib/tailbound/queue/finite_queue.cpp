#include <tailbound/queue/finite_queue.hpp>
#include <tailbound/series/arrival_tails.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::queue {
namespace {

using numeric::Enclosure;
using numeric::Exact;
using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

/// C = 1, from an enclosure of the tail t: (1 - rho)/rho t/(1 - t), increasing in t.
Enclosure<unit::Probability> loss_from_tail(const SlottedQueue& queue, const Enclosure<unit::Probability>& tail) {
    const Interval idle = queue.arrivals.load() ? numeric::to_interval(1 - *queue.arrivals.load())
                                                : Interval(Interval(1) - queue.arrivals.load_interval());
    const Interval odds = idle / queue.arrivals.load_interval();
    const auto loss = [&](const Real& t) -> Interval { return odds * Interval(t) / (Interval(1) - Interval(t)); };
    const Real lower = numeric::lower(loss(tail.lower()));
    Real upper = tail.upper() < 1 ? numeric::upper(loss(tail.upper())) : Real(1);
    if (!(upper < 1)) upper = 1;
    return {lower < upper ? lower : upper, upper};
}

/// Fraction of the packets lost, C > 1, by censoring the states from the top down.
Interval loss_by_elimination(const SlottedQueue& queue, std::int64_t capacity, long negligible) {
    const series::ArrivalTails<Interval> tails = series::enclosed_arrival_tails(queue.arrivals, negligible);
    const auto room = static_cast<std::size_t>(capacity);
    const auto servers = static_cast<std::size_t>(queue.packets_per_slot);
    if (static_cast<double>(room) * static_cast<double>(std::min(room, tails.size())) > 4e6)
        throw LimitExceeded("the loss of a buffer of " + std::to_string(capacity) + " packets with " +
                            std::to_string(servers) + " served a slot would take more than 4e6 states times "
                            "batch sizes; that is the limit");
    const auto mass = [&](std::size_t j) { return j < tails.pmf.size() ? tails.pmf[j] : Interval(0); };
    const auto after_service = [&](std::size_t state) { return state > servers ? state - servers : 0; };
    // column[s][i]: the probability of going from i to s when the states above s are cut out of the path;
    // i < s. down[s][d]: from s to s - 1 - d.
    const std::size_t reach = std::min(room, servers + tails.size());
    std::vector<std::vector<Interval>> column(room + 1);
    const auto first_of = [&](std::size_t state) { return state > reach ? state - reach : 0; };
    for (std::size_t state = 0; state <= room; ++state) {
        // Rows from which one slot leads to `state`: those at most K below, and the ones above it by up to C.
        const std::size_t last = std::min(room, state + servers);
        for (std::size_t i = first_of(state); i <= last; ++i) {
            const std::size_t base = after_service(i);
            Interval entry(0);
            if (state >= base)
                entry = state < room ? mass(state - base) : (state == base ? Interval(1) : (state - base - 1 < tails.size() ? tails.above[state - base - 1] : Interval(0)));
            column[state].push_back(entry);
        }
    }
    const auto at = [&](std::size_t from, std::size_t to) -> Interval& { return column[to][from - first_of(to)]; };
    std::vector<Interval> leaving(room + 1, Interval(1));
    for (std::size_t state = room; state > 0; --state) {
        const std::size_t lowest = state > servers ? state - servers : 0;
        Interval down(0);
        for (std::size_t to = lowest; to < state; ++to) down += at(state, to);
        leaving[state] = down;
        for (std::size_t from = first_of(state); from < state; ++from) {
            const Interval weight = at(from, state) / down;
            for (std::size_t to = std::max(lowest, first_of(to = lowest)); to < state; ++to)
                if (from >= first_of(to) && from <= std::min(room, to + servers)) at(from, to) += weight * at(state, to);
        }
    }
    std::vector<Interval> weight(room + 1, Interval(0));
    weight[0] = Interval(1);
    Interval total(1), lost(0);
    const auto excess = [&](std::size_t state) {  // E[max(base + A - B, 0)]
        const std::size_t spare = room - after_service(state);
        if (spare == 0) return tails.load;
        return spare - 1 < tails.size() ? tails.beyond[spare - 1] : Interval(0);
    };
    for (std::size_t state = 1; state <= room; ++state) {
        Interval sum(0);
        for (std::size_t from = first_of(state); from < state; ++from) sum += weight[from] * at(from, state);
        weight[state] = sum / leaving[state];
        total += weight[state];
    }
    for (std::size_t state = 0; state <= room; ++state) lost += weight[state] * excess(state);
    return lost / (total * tails.load);
}

}  // namespace

LevelProbability loss_probability(const SlottedQueue& queue, Packets capacity, const Accuracy& accuracy) {
    require_stable(queue);
    if (capacity.value < 0)
        throw InvalidArgument("capacity", std::to_string(capacity.value), "a whole number of packets, 0 or more");
    const Method exact_method{Arithmetic::exact, 0};
    if (queue.arrivals.largest_batch() == 0) return {capacity, Exact<unit::Probability>{0}, exact_method};
    if (capacity.value == 0) return {capacity, Exact<unit::Probability>{1}, exact_method};
    const double width = std::pow(10.0, -accuracy.digits.count);
    if (queue.packets_per_slot == 1) {
        // The division by 1 - t widens by 1/(1 - t) <= 1/(1 - rho): ask for more digits where that shows.
        for (int extra = 1; extra <= 64; extra = 2 * extra + 2) {
            Accuracy finer = accuracy;
            finer.digits.count += extra;
            const LevelProbability tail = occupancy_tail(queue, capacity, finer);
            if (const auto* t = std::get_if<Exact<unit::Probability>>(&tail.probability)) {
                const Rational& load = *queue.arrivals.load();
                return {capacity, Exact<unit::Probability>{(1 - load) / load * t->value / (1 - t->value)}, tail.method};
            }
            const PrecisionScope scope(Precision{numeric::to_precision(finer.digits).bits + 64});
            Enclosure<unit::Probability> loss =
                loss_from_tail(queue, std::get<Enclosure<unit::Probability>>(tail.probability));
            if (loss.relative_width() <= width) return {capacity, std::move(loss), tail.method};
        }
    } else {
        if (accuracy.arithmetic == Arithmetic::exact || accuracy.arithmetic == Arithmetic::double_precision)
            throw LimitExceeded(std::string("the loss with several packets served a slot is found in intervals, not in ") +
                                name(accuracy.arithmetic) + " arithmetic");
        double magnitude = -64;
        for (int bits = numeric::to_precision(accuracy.digits).bits + 64; bits <= 8192; bits += bits / 2) {
            const PrecisionScope scope(Precision{bits + 32});
            const Interval loss = loss_by_elimination(queue, capacity.value, static_cast<long>(magnitude) - bits);
            if (numeric::lower(loss) > 0) {
                Enclosure<unit::Probability> result(loss);
                if (result.relative_width() <= width) return {capacity, std::move(result), {Arithmetic::interval, bits}};
                magnitude = std::min(magnitude, numeric::log2_magnitude(numeric::lower(loss)) - 16);
            } else if (numeric::upper(loss) == 0) {
                return {capacity, Exact<unit::Probability>{0}, exact_method};
            } else {
                magnitude *= 2;
            }
        }
    }
    throw LimitExceeded("the loss at capacity " + std::to_string(capacity.value) + " cannot be enclosed to " +
                        std::to_string(accuracy.digits.count) + " digits");
}

}  // namespace tailbound::queue
