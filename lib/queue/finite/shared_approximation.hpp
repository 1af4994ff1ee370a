#pragma once

#include <tailbound/queue/finite/output_covariance.hpp>
#include <tailbound/queue/finite/shared_memory.hpp>

#include <optional>

/// Approximate shared memory needed by a switch with identical outputs. Not proved, no digits claimed.
///
/// MODEL     as queue/finite/shared_memory.hpp, all outputs identical.
/// RESULT    P(T > M) is about the larger of
///             P(T* > E[T] + (M - E[T])/r),  r^2 = Var T/(N Var Q), T* the sum of independent queues;
///             N P(Q > M - (N-1) E[Q]): one queue is long, the others are at their mean.
///           Loss with complete sharing: that times (1-rho)/(rho sqrt N). With a threshold: the larger of the
///           loss of one queue with capacity ceil(alpha (M - (N-1) E[Q])/(1 + alpha)), the others at their
///           mean, and the loss with complete sharing. Var T is that of the exact chain
///           (queue/finite/output_covariance.hpp).
/// SOURCE    docs/derivations/shared_memory.md, with the distance from exact chains
/// TESTS     tests/queue/finite/shared_memory_test.cpp
namespace tailbound::queue {

class SharedApproximation {
 public:
  /// None where outputs differ, where packets have several cells, or where the variance cannot be computed:
  /// one input alone sends nearly half a packet per slot to one of two outputs.
  static std::optional<SharedApproximation> of(const SharedSwitch& fed, const MemoryRule& rule);

  /// Smallest memory that meets `target`.
  /// \param hint  a memory at least that large, for speed only
  [[nodiscard]] Packets minimum(double log_target, Packets hint);

  /// The measure at M, 0 .. 1.
  [[nodiscard]] double at(Packets memory);

  /// Var T [packets^2]
  [[nodiscard]] numeric::Approximation<unit::PacketsSquared> variance() const;

 private:
  SharedApproximation() = default;
  void reach(double level);
  [[nodiscard]] long double value(std::int64_t memory) const;
  [[nodiscard]] double total_level(double memory) const;

  SharedSwitch switch_;
  MemoryRule rule_;
  OutputCovariance second_{};
  double ports_ = 1, load_ = 0, mean_ = 0;  ///< mean_ of one queue
  double ratio_ = 1;                        ///< r
  std::size_t block_ = 1;                   ///< cells of `total_`
  series::StopLoss own_, total_;
};

}  // namespace tailbound::queue
