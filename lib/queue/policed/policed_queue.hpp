#pragma once

#include <tailbound/queue/policed/policed_bound.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// The exact worst case of the output queue of policed inputs.
///
/// MODEL     as queue/policed/policed_bound.hpp, of single packets
/// RESULT    sup over all arrival patterns and all t of P(Q(t) > q) = P(max_{m>=0} [Binomial(k alpha(m), p) -
///           m] > q), alpha(m) the most that a bucket lets through in m + 1 slots (traffic::GreedyPattern).
///           Attained if all inputs save up tokens and send like the greedy source reversed in time. Computed
///           by Q' = max(Q - 1, 0) + A over these slots, oldest first: non-negative terms. The contribution
///           of earlier slots is below PolicedBound::beyond(). Where the depth has little effect,
///           policed_renewal.hpp computes the same number faster from the last full window. Where k r <= 1
///           finitely many windows matter, and the number is a fraction.
/// SOURCE    docs/derivations/policed_traffic.md, section 3
/// TESTS     tests/queue/policed/policed_queue_test.cpp
namespace tailbound::queue {

class PolicedRenewal;

/// Caches its results. Not thread-safe.
class PolicedQueue {
 public:
  /// \throws InvalidArgument  as PolicedBound; messages of several packets; interval and exact arithmetic
  /// \throws Unstable         k p r >= 1
  explicit PolicedQueue(const PolicedInputs& inputs, const Accuracy& accuracy = {});
  ~PolicedQueue();
  PolicedQueue(const PolicedQueue&) = delete;
  PolicedQueue& operator=(const PolicedQueue&) = delete;

  [[nodiscard]] const PolicedBound& bound() const { return bound_; }
  /// Long-run rate that a bucket lets through [packets/slot]: below that of the bucket if it discards tokens.
  [[nodiscard]] const numeric::Rational& rate() const { return inputs_.bucket.rate; }
  /// Maximum queue over all arrival patterns; none where k r >= 1, since the queue is then unbounded.
  [[nodiscard]] std::optional<std::int64_t> never_exceeded() const { return maximum_; }

  /// The worst P(Q > level).  \throws InvalidArgument  a negative level  \throws LimitExceeded
  [[nodiscard]] LevelProbability tail(std::int64_t level);
  /// Is the worst P(Q > level) at most the target?
  /// \param target  0 < target < 1  \throws LimitExceeded
  [[nodiscard]] bool meets(std::int64_t level, const numeric::Rational& target);
  /// \param target  0 < target < 1  \throws LimitExceeded
  [[nodiscard]] TailBoundary min_level(const numeric::Rational& target);

 private:
  struct Run;
  /// Result of a run for a level; none where roundings are too many. `rounding`: more slots would not help.
  struct Found {
    std::optional<numeric::Enclosure<unit::Probability>> probability;
    bool rounding = false;
  };

  [[nodiscard]] std::vector<traffic::TokenBucket> buckets() const;
  [[nodiscard]] LevelProbability tail_to(std::int64_t level, numeric::Digits digits);
  /// The tail as a fraction, where the inputs together do not overload the queue and that is cheap.
  [[nodiscard]] std::optional<LevelProbability> exact_tail(std::int64_t level) const;
  /// The tail, so accurate that the target is met or missed for certain.  \throws LimitExceeded
  [[nodiscard]] LevelProbability settled(std::int64_t level, const numeric::Rational& target);
  /// The arithmetics to try, cheapest first, for numbers down to 2^log2_error.
  [[nodiscard]] std::vector<Method> methods(numeric::Digits digits, double log2_error) const;
  /// Number of past slots such that older ones add at most 2^log2_error to P(Q > level).
  [[nodiscard]] std::int64_t slots_for(std::int64_t level, double log2_error) const;
  [[nodiscard]] numeric::Real from_older_slots(std::int64_t level, std::int64_t window) const;
  /// A run that gives `level` to within 2^log2_error and roundings; created if needed.
  [[nodiscard]] const Run& run_for(std::int64_t level, double log2_error, Method method);
  [[nodiscard]] Found found(const Run& run, std::int64_t level) const;
  [[nodiscard]] PolicedRenewal* renewal_for(Method method, double log2_relative);
  [[nodiscard]] double work_of_run(std::int64_t level, double log2_error) const;
  /// The faster method, where it applies.
  [[nodiscard]] std::optional<LevelProbability> tail_by_renewal(std::int64_t level, numeric::Digits digits);

  PolicedInputs inputs_;  ///< with the bucket as sustained
  Accuracy accuracy_;
  PolicedBound bound_;
  std::optional<traffic::GreedyPattern> pattern_;  ///< none where it repeats only after many slots
  numeric::Rational spread_;                       ///< alpha(m) <= spread + r m
  std::optional<std::int64_t> maximum_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<std::unique_ptr<PolicedRenewal>> renewals_;
};

}  // namespace tailbound::queue
