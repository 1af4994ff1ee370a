#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/real.hpp>
#include <tailbound/queue/finite/shared_queues.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tailbound::queue {
namespace {

using numeric::Rational;
using numeric::Real;
using series::StopLoss;

constexpr std::size_t first_size = 64, longest_law = std::size_t{1} << 20;

/// z - 1 for a z > 1 with exp(load (z - 1)) < z^C, close to the largest, where the two are equal.
double decay(const OutputQueues& output) {
  const double load = numeric::nearest_double(output.load) * (1 + 1e-12), servers = output.packets_per_slot;
  const auto drift = [&](double x) { return servers * std::log1p(x) - load * x; };
  double lower = servers / load - 1, upper = 2 * lower;
  while (drift(upper) > 0) upper *= 2;
  lower = halved(lower, upper, [&](double x) { return drift(x) > 0; }).first;
  // Between 0 and the root the drift is concave, and positive by more than its rounding errors.
  const double x = 0.95 * lower;
  if (!(drift(x) > 1e-13 * load * x))
    throw LimitExceeded(
        "an output of load " + numeric::to_decimal(output.load, 12, numeric::Rounding::nearest) +
        " is too close to " + std::to_string(output.packets_per_slot) + " for its memory to be bounded");
  return x;
}

/// Raises values to upper bounds, given relative errors of `units` and absolute errors of `error`.
void raise(std::vector<long double>& values, double units, long double error) {
  if (!(units < 0x1p50)) throw LimitExceeded("the sum is too long: rounding errors exceed its value");
  const long double factor = 1 + static_cast<long double>(units) * 0x1.1p-64L;
  for (long double& value : values) value = value * factor + error;
}

/// Upper bounds of the masses, tails and excesses of Q, so that sums are upper bounds as well.
StopLoss upper_law(const OutputQueues& output, std::size_t size, double log2_target) {
  const double step = decay(output);
  const double log_z = std::log1p(step);
  // P(Q > m) <= z^(C-1-m), so E[(Q-n)^+] <= z^(C-n) / (z - 1): from `length` on that is 2^-48 of the target.
  const double log_rest = (log2_target - 48 - std::log2(static_cast<double>(output.count))) * std::log(2.0);
  const double servers = output.packets_per_slot;
  const double needed = servers - (log_rest + std::log(step)) / log_z;
  if (!(needed < 0x1p22))
    throw LimitExceeded("the memory would have to exceed 2^20 packets, which is the limit");
  const std::size_t length = std::max(size, static_cast<std::size_t>(std::max(needed, 0.0)) + 1);
  const auto z = static_cast<long double>(step) + 1;
  const long double rest = std::pow(z, static_cast<long double>(servers - static_cast<double>(length))) /
                           static_cast<long double>(step) * (1 + 1e-9L);

  series::Distribution<long double> law = output.law(length, log2_target - 64);
  raise(law.mass, law.mass_units, law.mass_error);
  raise(law.tail, law.tail_units, law.tail_error);
  StopLoss upper{.mass = std::move(law.mass), .tail = std::move(law.tail), .excess = {}};
  upper.excess.resize(length);
  long double sum = rest;
  for (std::size_t n = length; n-- > 0;) upper.excess[n] = sum += upper.tail[n];
  upper.mean = upper.excess.front();
  upper.mass.resize(size);
  upper.tail.resize(size);
  upper.excess.resize(size);
  upper.units = static_cast<double>(length) + 8;
  return upper;
}

/// Upper bounds of E[(T* - n)^+] and its companions in blocks of cells (series::spread()), n < size cells.
StopLoss upper_sum(std::span<const OutputQueues> outputs, std::size_t size, std::size_t block,
                   double log2_target, const std::function<void()>& pulse) {
  const std::size_t places = (size + block - 1) / block + 1;
  StopLoss total = series::nothing(places);
  for (const OutputQueues& output : outputs) {
    if (pulse) pulse();
    const StopLoss law = series::spread(upper_law(output, places * block, log2_target), block);
    total = series::sum(total, series::sum_of_identical(law, output.count));
  }
  return total;
}

}  // namespace

ProvedMemory min_memory(std::span<const OutputQueues> outputs, MemoryRule::Measure measure,
                        const Rational& target, const std::function<void()>& pulse) {
  const bool overflow = measure == MemoryRule::Measure::overflow;
  Rational load = 0;
  double sums = 0;
  for (const OutputQueues& output : outputs) {
    load = load + Rational(static_cast<long>(output.count)) * output.load;
    sums += 2 + 1.5 * std::log2(static_cast<double>(output.count));
  }
  const numeric::PrecisionScope scope(numeric::Precision{96});
  const Real wanted = numeric::to_real(target, numeric::Rounding::down);
  const double log2_target = numeric::log2_magnitude(wanted);
  const Real unit = overflow ? Real(1) : numeric::to_real(load, numeric::Rounding::down);
  for (std::size_t size = first_size; size <= longest_law; size *= 2) {
    const std::size_t block = block_of(size, sums);
    const StopLoss total = upper_sum(outputs, size, block, log2_target, pulse);
    // E[(T* - n)^+], linear between the multiples of a block.
    const auto excess = [&](std::size_t n) {
      const std::size_t at = n / block, part = n % block;
      return total.excess[at] * static_cast<long double>(block - part) +
             (part == 0 ? 0 : total.excess[at + 1] * static_cast<long double>(part));
    };
    // For each a, E[(T* - a)^+] / (M + 1 - a) is at most the target from some M on; for the loss only a = M.
    const long double goal = wanted.convert_to<long double>();
    std::size_t minimum = size;
    if (!overflow) {
      const long double lost = goal * unit.convert_to<long double>();
      minimum = first_that(std::size_t{0}, size, [&](std::size_t n) { return excess(n) <= lost; });
    } else {
      for (std::size_t a = 0; a < size; a += block) {
        const long double memory = static_cast<long double>(a) - 1 + std::ceil(excess(a) / goal);
        if (memory < static_cast<long double>(minimum))
          minimum = std::max(a, static_cast<std::size_t>(std::max(memory, 0.0L)));
      }
    }
    for (; minimum + 1 < size; ++minimum) {
      Real best(1);
      const auto add = [&](std::size_t a, const Real& capacities) {
        const Real lost = series::rounded_up(excess(a), total.units + 3);
        Real bound;
        mpfr_div(bound.backend().data(), lost.backend().data(), capacities.backend().data(), MPFR_RNDU);
        best = std::min(best, bound);
      };
      if (overflow)
        for (std::size_t a = 0; a <= minimum; a += block) add(a, Real(static_cast<long>(minimum + 1 - a)));
      else
        add(minimum, unit);
      if (best <= wanted)
        return {Packets(static_cast<std::int64_t>(minimum)), {numeric::Theorem::shared_memory, best}};
    }
  }
  throw LimitExceeded("the memory would have to exceed 2^20 packets, which is the limit");
}

}  // namespace tailbound::queue
