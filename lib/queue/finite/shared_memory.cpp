#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/finite/shared_memory.hpp>
#include <tailbound/series/renewal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Rational;
using numeric::Real;
using series::StopLoss;
using traffic::CellCounts;

constexpr std::int64_t max_inputs = 4096, max_outputs = 4096;
constexpr std::size_t max_cells_per_slot = 10'000;
/// Entries of distributions in memory at once: some 500 MB.
constexpr double max_matrix_entries = 3e7;

Rational integer(std::int64_t value) {
  return Rational(static_cast<long>(value));
}

Rational total(const std::vector<Rational>& rates) {
  Rational sum = 0;
  for (const Rational& rate : rates) sum = sum + rate;
  return sum;
}

void check_rate(const Rational& rate, const std::string& what) {
  static const Rational minimum = numeric::parse_rational("1e-300", "minimum rate");
  if (rate < 0 || rate > 1 || (rate > 0 && rate < minimum))
    throw InvalidArgument(what, numeric::to_fraction(rate), "0, or from 1e-300 to 1 packets per slot");
}

void check(const SharedSwitch& fed) {
  if (fed.inputs.empty() || fed.inputs.size() > max_inputs)
    throw InvalidArgument("inputs", std::to_string(fed.inputs.size()), "a whole number from 1 to 4096");
  for (const Rational& rate : fed.inputs) check_rate(rate, "the rate of an input");
  for (const SharedSwitch::Outputs& kind : fed.outputs) {
    for (const Rational& rate : kind.rates) check_rate(rate, "the rate of an input to an output");
    const Rational load = total(kind.rates);
    if (load >= 1) throw Unstable(numeric::plain(load));
  }
}

/// log E[z^V] and the log of the PGF of an input's packets at z = exp(s), in double, to find a starting
/// point.
struct Exponent {
  Exponent(const std::vector<Rational>& rates, const CellCounts& cells) {
    for (const Rational& rate : rates) ++identical[numeric::nearest_double(rate / cells.mean)];
    for (const auto& [count, share] : cells.classes)
      law.emplace_back(static_cast<double>(count), numeric::nearest_double(share));
    load = numeric::nearest_double(total(rates));
  }
  /// log A(z)
  [[nodiscard]] double arrivals(double s) const {
    double packet = 0;  // L(z) - 1
    for (const auto& [count, share] : law) packet += share * std::expm1(count * s);
    double sum = 0;
    for (const auto& [rate, count] : identical)
      if (rate > 0) sum += static_cast<double>(count) * std::log1p(rate * packet);
    return sum;
  }
  /// log V(z); infinite if it does not converge.
  [[nodiscard]] double left_over(double s) const {
    const double rest = 1 - std::expm1(arrivals(s)) / std::expm1(s);
    return rest > 0 ? std::log((1 - load) / rest) : std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] double occupancy(double s) const { return left_over(s) + arrivals(s); }

  std::map<double, std::int64_t> identical;    ///< packets per slot
  std::vector<std::pair<double, double>> law;  ///< of L
  double load = 0;
};

/// Minimizes (`exponent` + log 1/target) / (`slope` s) over s > 0: Chernoff's bound of a level.
template <class F>
double min_level(const F& level) {
  // Where the exponent is infinite, so is the level: halving the steps of log s moves away from there.
  double best = std::numeric_limits<double>::infinity(), place = 0;
  for (double log_s = -25; log_s < 4; log_s += 0.25)
    if (const double here = level(std::exp(log_s)); here < best) best = here, place = log_s;
  for (double step = 0.125; step > 1e-4; step /= 2)
    for (const double log_s : {place - step, place + step})
      if (const double here = level(std::exp(log_s)); here < best) best = here, place = log_s;
  return best;
}

double log_of(const Rational& value) {
  const numeric::PrecisionScope scope(numeric::Precision{64});
  return numeric::log2_magnitude(numeric::to_real(value, numeric::Rounding::nearest)) * std::log(2.0);
}

/// The cells of one input in a slot at `rate` packets per slot, in `size` entries.
StopLoss batch(const Rational& rate, const CellCounts& cells, std::size_t size) {
  StopLoss one = series::nothing(size);
  one.mass[0] = numeric::nearest_long_double(1 - rate);
  for (const auto& [count, share] : cells.classes)
    if (static_cast<std::size_t>(count) < size)
      one.mass[static_cast<std::size_t>(count)] = numeric::nearest_long_double(rate * share);
  for (std::size_t n = 0; n < size && n < static_cast<std::size_t>(cells.largest()); ++n) {
    Rational tail = 0, excess = 0;
    for (const auto& [count, share] : cells.classes)
      if (const Rational above = integer(count - static_cast<std::int64_t>(n)); above > 0) {
        tail = tail + share;
        excess = excess + share * above;
      }
    one.tail[n] = numeric::nearest_long_double(rate * tail);
    one.excess[n] = numeric::nearest_long_double(rate * excess);
  }
  one.mean = numeric::nearest_long_double(rate * cells.mean);
  one.units = 1;
  return one;
}

/// `it` in `size` entries; beyond its own X is never.
StopLoss padded(StopLoss it, std::size_t size) {
  it.mass.resize(size, 0);
  it.tail.resize(size, 0);
  it.excess.resize(size, 0);
  return it;
}

/// The cells of a slot from inputs with these rates in cells per slot, in `size` entries.
StopLoss cells_of_a_slot(const std::vector<Rational>& rates, const CellCounts& cells, std::size_t size) {
  if (cells.largest() == 1) return series::successes(rates, size);
  std::vector<Rational> rising = rates;
  std::sort(rising.begin(), rising.end());
  StopLoss all = series::nothing(size);
  for (auto first = rising.begin(); first != rising.end();) {
    const auto end = std::find_if(first, rising.end(), [&](const Rational& rate) { return rate != *first; });
    if (*first > 0)
      all = series::sum(all, series::sum_of_identical(batch(*first / cells.mean, cells, size), end - first));
    first = end;
  }
  return all;
}

double sums_of_identical(std::int64_t count) {
  return count < 2 ? 0 : 1.5 * std::log2(static_cast<double>(count)) + 1;
}

}  // namespace

std::size_t block_of(std::size_t size, double sums) {
  constexpr double at_once = 1e9, in_blocks = 4e8;
  const auto places = static_cast<double>(size);
  if (sums * places * places / 2 <= at_once) return 1;
  return static_cast<std::size_t>(std::ceil(places / std::sqrt(2 * in_blocks / sums)));
}

CellCounts one_cell() {
  return {.classes = {{1, 1}}, .mean = 1, .mean_square = 1};
}

std::int64_t SharedSwitch::ports() const {
  std::int64_t sum = 0;
  for (const Outputs& kind : outputs) sum += kind.count;
  return sum;
}

Rational SharedSwitch::load() const {
  return total(inputs);
}

SharedSwitch uniform_switch(const std::vector<Rational>& rates, std::int64_t outputs) {
  if (outputs < 1 || outputs > max_outputs)
    throw InvalidArgument("outputs", std::to_string(outputs), "a whole number from 1 to 4096");
  SharedSwitch fed{.outputs = {{.rates = {}, .count = outputs}}, .inputs = rates};
  for (const Rational& rate : rates) fed.outputs[0].rates.push_back(rate / integer(outputs));
  check(fed);
  return fed;
}

SharedSwitch matrix_switch(const std::vector<std::vector<Rational>>& rates) {
  SharedSwitch fed;
  const std::size_t outputs = rates.empty() ? 0 : rates.front().size();
  if (outputs < 1 || outputs > max_outputs)
    throw InvalidArgument("outputs", std::to_string(outputs), "a whole number from 1 to 4096");
  for (const auto& row : rates) {
    if (row.size() != outputs)
      throw InvalidArgument("a row of the traffic matrix", std::to_string(row.size()) + " numbers long",
                            std::to_string(outputs) + " numbers long, as the first");
    fed.inputs.push_back(total(row));
  }
  for (std::size_t i = 0; i < outputs; ++i) {
    std::vector<Rational> column;
    for (const auto& row : rates) column.push_back(row[i]);
    // The order of the inputs does not affect the output's queue.
    std::sort(column.begin(), column.end());
    const auto same = std::find_if(fed.outputs.begin(), fed.outputs.end(),
                                   [&](const SharedSwitch::Outputs& kind) { return kind.rates == column; });
    if (same == fed.outputs.end())
      fed.outputs.push_back({.rates = std::move(column), .count = 1});
    else
      ++same->count;
  }
  check(fed);
  return fed;
}

Rational mean_occupancy(const std::vector<Rational>& rates, const CellCounts& cells) {
  Rational load = 0, squares = 0;
  for (const Rational& rate : rates) {
    load = load + rate;
    squares = squares + rate * rate;
  }
  // E[A (A - 1)]; the cells of one packet contribute E[L^2] - E[L].
  const Rational pairs = load * load - squares + load * (cells.mean_square / cells.mean - 1);
  return load + pairs / (2 * (1 - load));
}

StopLoss occupancy(const std::vector<Rational>& rates, std::size_t size, const CellCounts& cells) {
  const std::size_t inputs =
      rates.size() * static_cast<std::size_t>(cells.largest());  // maximum number of cells in a slot
  if (cells.largest() > 1 && inputs > max_cells_per_slot)
    throw LimitExceeded("up to " + std::to_string(inputs) + " cells in a slot; the limit is " +
                        std::to_string(max_cells_per_slot));
  const Rational load = total(rates), mean = mean_occupancy(rates, cells);
  const StopLoss arrivals = cells_of_a_slot(rates, cells, inputs + 2);
  const long double idle = numeric::nearest_long_double(1 - load);
  const long double mean_value = numeric::nearest_long_double(mean);
  const long double pivot = arrivals.mass[0];
  // b[n] = P(A > n), c[n] = E[(A-n-1)^+]; the forcing terms of P(Q = n), P(Q > n) and E[(Q-n)^+].
  series::RenewalEquation<long double> mass, tail, excess;
  for (std::size_t j = 1; j < inputs; ++j) mass.kernel.push_back(arrivals.tail[j] / pivot);
  tail.kernel = excess.kernel = mass.kernel;
  for (std::size_t n = 0; n <= inputs; ++n) {
    mass.forcing.push_back(idle * arrivals.mass[n] / pivot);
    tail.forcing.push_back((arrivals.excess[n + 1] + idle * arrivals.tail[n]) / pivot);
  }
  excess.forcing.resize(inputs + 1);
  long double suffix = 0;
  for (std::size_t n = inputs + 1; n-- > 0;) {
    suffix += arrivals.excess[n + 1] + idle * arrivals.tail[n];
    excess.forcing[n] = (mean_value * arrivals.excess[n + 1] + suffix) / pivot;
  }
  StopLoss queue;
  series::extend(mass, queue.mass, size);
  series::extend(tail, queue.tail, size);
  series::extend(excess, queue.excess, size);
  queue.mean = mean_value;
  // Errors of entries and pivot, the quotient, a step of the recurrence, one more for underflow. Then those
  // of the forcing term: the factors 1 - rho, E[Q] and the suffix sum.
  const double entry = 2 * arrivals.units + 2;
  const double steps = static_cast<double>(std::min(size, inputs));
  queue.units = (static_cast<double>(size) + 1) *
                    (series::roundings_per_step(static_cast<std::size_t>(steps)) + entry + 1) +
                entry + static_cast<double>(inputs) + 8;
  return queue;
}

SharedMemory::SharedMemory(SharedSwitch fed, MemoryRule rule)
    : switch_(std::move(fed)), rule_(std::move(rule)) {
  Rational shares = 0;
  for (const auto& [count, share] : switch_.cells.classes) shares = shares + share;
  if (shares != 1 || switch_.cells.classes.front().cells < 1)
    throw InvalidArgument("cells of a packet", numeric::to_fraction(shares),
                          "1 or more, with probabilities whose sum is 1");
  if (!rule_.threshold) return;
  if (rule_.measure == MemoryRule::Measure::overflow)
    throw InvalidArgument("criterion", "overflow", "loss if a threshold is given");
  const Rational& alpha = *rule_.threshold;
  const numeric::Integer down = numeric::denominator(alpha);
  if (alpha < Rational(1) / 1000 || alpha > 1000 || down > 1'000'000)
    throw InvalidArgument("threshold", numeric::to_fraction(alpha),
                          "from 1/1000 to 1000, with a denominator of at most 10^6");
  up_ = numeric::to_int64(numeric::numerator(alpha));
  down_ = numeric::to_int64(down);
}

Rational SharedMemory::mean() const {
  Rational sum = 0;
  for (const SharedSwitch::Outputs& kind : switch_.outputs)
    sum = sum + integer(kind.count) * mean_occupancy(kind.rates, switch_.cells);
  return sum;
}

/// Extends the tables to `size` cells.
void SharedMemory::reach(std::size_t size) {
  if (size <= size_) return;
  const auto kinds = static_cast<double>(switch_.outputs.size());
  double sums = 2 * kinds + 1;
  for (const SharedSwitch::Outputs& kind : switch_.outputs) sums += sums_of_identical(kind.count);
  block_ = block_of(size, sums);
  const std::size_t places = size / block_ + 2, cells = places * block_;
  const std::size_t slot = switch_.inputs.size() * static_cast<std::size_t>(switch_.cells.largest());
  if (3 * kinds * static_cast<double>(slot) * static_cast<double>(cells) > max_products)
    throw LimitExceeded("a memory of " + std::to_string(size) + " cells with up to " + std::to_string(slot) +
                        " cells in a slot would need more than 8e9 products, which is the limit");
  if (rule_.threshold && 3 * kinds * static_cast<double>(cells + places) > max_matrix_entries)
    throw LimitExceeded("a memory of " + std::to_string(size) + " packets with " +
                        std::to_string(switch_.outputs.size()) +
                        " different outputs would need more than 500 MB, which is the limit");
  if (!rule_.threshold) {
    // The arrivals of one slot are exact; the packets left by earlier slots are replaced by independent ones.
    const StopLoss arrivals = cells_of_a_slot(switch_.inputs, switch_.cells, std::min(cells, slot + 2));
    total_ = series::spread(padded(arrivals, cells), block_);
    for (const SharedSwitch::Outputs& kind : switch_.outputs) {
      StopLoss queue = occupancy(kind.rates, cells + 1, switch_.cells);
      const auto shift = [](std::vector<long double>& values) { values.erase(values.begin()); };
      const long double empty = queue.mass[0];
      shift(queue.mass);
      shift(queue.tail);
      shift(queue.excess);
      queue.mass[0] += empty;
      queue.mean =
          numeric::nearest_long_double(mean_occupancy(kind.rates, switch_.cells) - queue::total(kind.rates));
      queue.units += 1;
      total_ = series::sum(series::sum_of_identical(series::spread(queue, block_), kind.count), total_);
    }
  } else {
    const std::size_t count = switch_.outputs.size();
    own_.clear();
    rest_.clear();
    std::vector<StopLoss> before{series::nothing(places)};  // of all outputs of earlier kinds
    std::vector<StopLoss> each;                             // Q_i in blocks
    for (const SharedSwitch::Outputs& kind : switch_.outputs) {
      own_.push_back(occupancy(kind.rates, cells, switch_.cells));
      each.push_back(series::spread(own_.back(), block_));
      rest_.push_back(series::sum_of_identical(each.back(), kind.count - 1));
      if (count > 1) before.push_back(series::sum(before.back(), series::sum(rest_.back(), each.back())));
    }
    StopLoss after = series::nothing(places);
    for (std::size_t i = count; count > 1 && i-- > 0;) {
      const StopLoss kind = series::sum(rest_[i], each[i]);
      rest_[i] = series::sum(series::sum(before[i], rest_[i]), after);
      if (i > 0) after = series::sum(after, kind);
    }
  }
  size_ = size;
}

/// A memory that meets exp(log_target), from Chernoff's bound, which is never below the bounds here.
double SharedMemory::level_of(double log_target) const {
  std::vector<Exponent> queues;
  for (const SharedSwitch::Outputs& kind : switch_.outputs) queues.emplace_back(kind.rates, switch_.cells);
  const Exponent inputs(switch_.inputs, switch_.cells);
  const auto all = [&](const auto& one) {
    double sum = 0;
    for (std::size_t i = 0; i < queues.size(); ++i)
      sum += static_cast<double>(switch_.outputs[i].count) * one(queues[i]);
    return sum;
  };
  double level = 0;
  if (!rule_.threshold) {
    const bool loss = rule_.measure == MemoryRule::Measure::loss;
    const double log_load = std::log(inputs.load);
    level = min_level([&](double s) {
      // E[(T-M)^+] <= E exp(s (T - M)) / (e s)
      const double excess = loss ? -1 - std::log(s) - log_load : 0;
      return (all([&](const Exponent& queue) { return queue.left_over(s); }) + inputs.arrivals(s) + excess -
              log_target) /
             s;
    });
  } else {
    const double alpha = numeric::nearest_double(*rule_.threshold);
    for (const Exponent& queue : queues) {
      if (queue.load == 0) continue;
      const double one = min_level([&](double s) {
        const double own = queue.occupancy((1 + alpha) / alpha * s);
        const double rest =
            all([&](const Exponent& other) { return other.occupancy(s); }) - queue.occupancy(s);
        if (!std::isfinite(own) || !std::isfinite(rest)) return std::numeric_limits<double>::infinity();
        return (own + rest - 1 - std::log(s / alpha) - std::log((1 + alpha) * queue.load) - log_target) / s;
      });
      level = std::max(level, one);
    }
  }
  return std::max(level, 0.0);
}

bool SharedMemory::surely_meets(Packets memory, const Rational& target) const {
  return level_of(log_of(target)) <= static_cast<double>(memory.value);
}

SharedMemory::Value SharedMemory::threshold_value(std::size_t kind, std::int64_t memory) const {
  const StopLoss &own = own_[kind], &rest = rest_[kind];
  const Rational load = queue::total(switch_.outputs[kind].rates);
  if (load == 0) return {};
  // Own queues q up to g = alpha M / (1 + alpha) leave the others c = M - q (1 + alpha)/alpha >= 0; a sum of
  // whole blocks makes E[(R-c)^+] linear between them.
  const std::int64_t both = up_ + down_, last = up_ * memory / both;
  const std::int64_t block = static_cast<std::int64_t>(block_), whole = up_ * block;
  const auto up = static_cast<long double>(up_);
  long double sum = 0;
  for (std::int64_t q = 0; q <= last; ++q) {
    const std::int64_t left = up_ * memory - q * both;
    const auto n = static_cast<std::size_t>(left / whole);
    const std::int64_t part = left % whole;
    const long double excess = part == 0 ? rest.excess[n] * static_cast<long double>(block)
                                         : (rest.excess[n] * static_cast<long double>(whole - part) +
                                            rest.excess[n + 1] * static_cast<long double>(part)) /
                                               up;
    sum += own.mass[static_cast<std::size_t>(q)] * excess;
  }
  const auto place = static_cast<std::size_t>(last);
  const std::int64_t part = up_ * memory - last * both;
  const long double beyond = (own.excess[place] * static_cast<long double>(both - part) +
                              own.excess[place + 1] * static_cast<long double>(part)) /
                             up;
  sum += own.tail[place] * rest.mean * static_cast<long double>(block) + beyond;
  const Rational factor = integer(up_) / (integer(both) * load);
  return {sum * numeric::nearest_long_double(factor),
          own.units + rest.units + static_cast<double>(last) + 16};
}

SharedMemory::Value SharedMemory::value(std::int64_t memory) const {
  if (rule_.threshold) {
    Value worst;
    for (std::size_t kind = 0; kind < own_.size(); ++kind) {
      const Value one = threshold_value(kind, memory);
      worst = {std::max(worst.value, one.value), std::max(worst.units, one.units)};
    }
    return worst;
  }
  const auto place = static_cast<std::size_t>(memory);
  if (rule_.measure == MemoryRule::Measure::loss) {
    const Rational load = switch_.load();
    if (load == 0) return {};
    const std::size_t whole = place / block_, part = place % block_;
    const long double excess = total_.excess[whole] * static_cast<long double>(block_ - part) +
                               (part == 0 ? 0 : total_.excess[whole + 1] * static_cast<long double>(part));
    return {excess / numeric::nearest_long_double(load), total_.units + 7};
  }
  long double minimum = 1;
  for (std::size_t a = 0; a * block_ <= place; ++a)
    minimum = std::min(minimum, excess_of(a) / static_cast<long double>(place + 1 - a * block_));
  return {minimum, total_.units + 3};
}

/// The approximate smallest memory whose computed value is at most `target`; -1 if the tables are too short.
std::int64_t SharedMemory::guess(long double target) const {
  const auto last = static_cast<std::int64_t>(size_) - 3;
  if (!rule_.threshold && rule_.measure == MemoryRule::Measure::overflow) {
    // E[(T-a)^+] / (M + 1 - a) <= target for each a in turn: one pass.
    long double minimum = static_cast<long double>(last) + 1;
    for (std::size_t a = 0; a * block_ <= static_cast<std::size_t>(last); ++a) {
      const auto place = static_cast<long double>(a * block_);
      const long double needed = std::ceil(place - 1 + excess_of(a) / target);
      minimum = std::min(minimum, std::max(place, needed));
    }
    return minimum <= static_cast<long double>(last) ? static_cast<std::int64_t>(minimum) : -1;
  }
  if (value(last).value > target) return -1;
  return first_that(std::int64_t{0}, last,
                    [&](std::int64_t memory) { return value(memory).value <= target; });
}

ProvedMemory SharedMemory::minimum(const Rational& target) {
  static const Rational smallest = numeric::parse_rational("1e-600", "minimum target");
  if (!(target > 0 && target < 1))
    throw InvalidArgument("target", numeric::to_fraction(target), "a probability above 0 and below 1");
  if (target < smallest)
    throw LimitExceeded("a target below 1e-600 is beyond long double, in which the bounds are computed");
  const auto upper = [&](std::int64_t memory) {
    const Value computed = value(memory);
    return series::rounded_up(computed.value, computed.units);
  };
  const double level = level_of(log_of(target));
  if (!(level < static_cast<double>(deepest)))
    throw LimitExceeded("the memory would have to exceed 4 million cells, which is the limit");
  for (std::size_t size = static_cast<std::size_t>(level) + 8;; size += size / 4 + 8) {
    reach(size);
    std::int64_t memory = guess(numeric::nearest_long_double(target));
    if (memory < 0) continue;
    const std::int64_t last = static_cast<std::int64_t>(size_) - 3;
    while (memory <= last && numeric::compare(upper(memory), target) > 0) ++memory;
    if (memory > last) continue;
    while (memory > 0 && numeric::compare(upper(memory - 1), target) <= 0) --memory;
    return {.memory = Packets(memory), .at = {numeric::Theorem::shared_memory, upper(memory)}};
  }
}

numeric::UpperBound<unit::Probability> SharedMemory::bound(Packets memory) {
  if (memory.value < 0 || memory.value > deepest)
    throw InvalidArgument("memory", std::to_string(memory.value),
                          "a whole number of packets from 0 to 4000000");
  reach(static_cast<std::size_t>(memory.value) + 4);
  const Value computed = value(memory.value);
  Real upper = series::rounded_up(computed.value, computed.units);
  if (upper > 1) upper = 1;
  return {numeric::Theorem::shared_memory, std::move(upper)};
}

}  // namespace tailbound::queue
