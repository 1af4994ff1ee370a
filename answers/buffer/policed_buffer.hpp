#pragma once

#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/queue/policed/policed_queue.hpp>

#include <optional>
#include <variant>

/// How many packets must an output queue hold whatever its policed inputs do?
///
/// MODEL     queue/policed/policed_queue.hpp; of messages of several packets queue/policed/policed_bound.hpp
/// TESTS     tests/answers/buffer/policed_buffer_test.cpp
namespace tailbound::answers {

struct PolicedBufferQuestion {
  queue::PolicedInputs inputs;
  /// What an honest host offers [packets/slot], Bernoulli, above 0 and below the rate of its bucket.
  std::optional<numeric::Rational> offered{};
  std::variant<LeastBuffer, ProbabilityOf> asked;
  queue::Accuracy accuracy{};
  std::optional<Packets> within{};  ///< LeastBuffer: the buffer for which the bucket was found

  [[nodiscard]] std::optional<numeric::Rational> drop() const;
};

/// What the bucket does to a host that offers Bernoulli traffic.
struct HonestHosts {
  bounds::ComputedProbability delayed_at_shaper;  ///< packets wait at a shaper after so many of the slots
  numeric::UpperBound<unit::Probability> lost_at_policer;  ///< fraction of its packets that a policer drops
  /// LeastBuffer: the least depth [tokens] at which a shaper delays in at most the target's share of slots.
  std::optional<numeric::Rational> unnoticed_burst{};
  /// LeastBuffer: enough where all hosts are such and are policed; where they are shaped, the worst case holds.
  std::optional<Packets> buffer{};
};

struct PolicedBufferAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  Packets buffer;                       ///< found, or as asked
  /// The worst P(Q > buffer) over all behaviours; an upper bound of it for messages, and where it would take too long.
  bounds::ComputedProbability at;
  std::optional<bounds::ComputedProbability> before{};  ///< at buffer - 1, above the target
  numeric::UpperBound<unit::Probability> closed_form;   ///< at `buffer`
  std::optional<Packets> closed_form_buffer{};          ///< LeastBuffer: enough by the closed form
  numeric::Rational rate;                               ///< that a bucket lets through [packets/slot]
  numeric::Rational token_price;                        ///< 1/r [packets of buffer a token of depth], at most
  std::optional<Packets> never_exceeded{};              ///< where the inputs together cannot fill it for ever
  /// Of as many independent Bernoulli inputs at the bucket's rate: the least buffer, or P(Q > buffer).
  std::optional<Packets> unpoliced_buffer{};
  std::optional<bounds::ComputedProbability> unpoliced{};
  std::optional<HonestHosts> honest{};

  [[nodiscard]] bool bound_only() const {
    return std::holds_alternative<numeric::UpperBound<unit::Probability>>(at.probability);
  }
};

/// What of the buckets is found for a buffer.
enum class PolicedVaried {
  burst,  ///< the most tokens, a whole number up to 10^6
  rate,   ///< the greatest rate, to three digits after the point
};
/// The question with the largest bucket for which a buffer meets the target.
/// \param question  asks for the least buffer
/// \throws NoAnswer  no bucket does: not one token, or not a rate of 1/1000
[[nodiscard]] PolicedBufferQuestion with_largest_bucket(PolicedBufferQuestion question, Packets within,
                                                        PolicedVaried varied);

/// \throws InvalidArgument, Unstable, LimitExceeded  as queue::PolicedQueue; an offered load out of range
[[nodiscard]] PolicedBufferAnswer answer(const PolicedBufferQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
