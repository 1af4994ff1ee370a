#pragma once

#include <tailbound/queue/finite/output_covariance.hpp>
#include <tailbound/queue/finite/shared_memory.hpp>

#include <optional>

/// What the memory of a switch with alike outputs really needs, about: not proved, no digits to claim.
///
/// MODEL     as queue/finite/shared_memory.hpp, all outputs alike.
/// RESULT    P(T > M) about the greater of
///             P(T* > E[T] + (M - E[T])/r),  r^2 = Var T/(N Var Q), T* the sum of independent queues;
///             N P(Q > M - (N-1) E[Q]): one queue is long and the others at their mean.
///           Loss of free sharing: that times (1-rho)/(rho sqrt N). With a threshold: that of one queue with the
///           room ceil(alpha (M - (N-1) E[Q])/(1 + alpha)), the others at their mean, or that of free sharing where
///           it is greater.
///           Var T is that of the chain itself (queue/finite/output_covariance.hpp).
/// SOURCE    docs/derivations/shared_memory.md, with the distance from exact chains
/// TESTS     tests/queue/finite/shared_memory_test.cpp
namespace tailbound::queue {

class SharedApproximation {
 public:
  /// None where outputs are not alike, where packets have several cells, or the variance does not come out: an input alone sends nearly half a packet
  /// a slot to one of two outputs.
  static std::optional<SharedApproximation> of(const SharedSwitch& fed, const MemoryRule& rule);

  /// The least memory for `target`.
  /// \param hint  a memory of that size or more, for speed only
  /// \throws LimitExceeded  as SharedMemory::least()
  [[nodiscard]] Packets least(double log_target, Packets hint);

  /// The measure at M, 0 .. 1.  \throws LimitExceeded  more than 8e9 products
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
  series::StopLoss own_, total_;
};

}  // namespace tailbound::queue
