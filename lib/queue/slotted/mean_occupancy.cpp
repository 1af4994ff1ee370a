#include <tailbound/queue/slotted/inner_roots.hpp>
#include <tailbound/queue/slotted/slotted_engine.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

/// E[Q] = rho + A''(1) / (2 (1 - rho)) for C = 1, and in general
/// E[Q] = rho + sum_i 1/(1 - y_i) + (A''(1) - C (C-1)) / (2 (C - rho)): the derivative of log Q(z) at 1.
/// Derivation: docs/derivations/slotted_queue.md, "Moments".
namespace tailbound::queue {

using numeric::ComplexInterval;
using numeric::Interval;
using numeric::Rational;

numeric::Proved<unit::Packet> mean_occupancy(const SlottedQueue& queue, numeric::Digits digits) {
  require_stationary(queue);
  const int servers = queue.packets_per_slot;
  const auto& load = queue.arrivals.load();
  const auto& second = queue.arrivals.second_factorial_moment();
  if (at_capacity_without_variance(queue)) return numeric::Exact<unit::Packet>{proof_of(queue), servers};
  if (servers == 1 && load && second)
    return numeric::Exact<unit::Packet>{proof_of(queue), *load + *second / (2 * (1 - *load))};
  if (queue.arrivals.largest_batch() == 0) return numeric::Exact<unit::Packet>{proof_of(queue), 0};
  // All waiting packets are served: Q = A.
  if (const auto largest = queue.arrivals.largest_batch(); load && largest && *largest <= servers)
    return numeric::Exact<unit::Packet>{proof_of(queue), *load};
  for (int bits = numeric::to_precision(digits).bits + 64; bits <= 65'536; bits *= 2) {
    const numeric::PrecisionScope scope(numeric::Precision{bits});
    const Interval rho = queue.arrivals.load_interval();
    const Interval second_moment = queue.arrivals.second_factorial_moment_interval();
    Interval mean =
        rho + (second_moment - Interval(servers * (servers - 1))) / (Interval(2) * (Interval(servers) - rho));
    if (servers > 1) {
      // The roots are needed to the precision in force; the truncation error must be below it.
      const auto tails = series::enclosed_arrival_tails(queue.arrivals, -bits);
      std::vector<ComplexInterval> roots;
      try {
        roots = inner_roots(tails, second_moment, servers);
      } catch (const UnresolvedRoots&) {
        if (bits > 4096) throw;
        continue;
      }
      for (const ComplexInterval& root : roots) {
        const Interval rest = Interval(1) - root.real;
        mean += rest / (rest * rest + root.imaginary * root.imaginary);  // real part of 1/(1 - y)
      }
    }
    numeric::Enclosure<unit::Packet> result(proof_of(queue), mean);
    if (numeric::lower(mean) > 0 && numeric::agree_to(result.lower(), result.upper(), digits)) return result;
  }
  throw LimitExceeded("the mean occupancy cannot be enclosed to " + std::to_string(digits.count) + " digits");
}

}  // namespace tailbound::queue
