#pragma once

#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/queue/policed/policed_queue.hpp>

#include <optional>
#include <variant>

/// Buffer size of an output queue for arbitrary behavior of its policed inputs.
///
/// MODEL     queue/policed/policed_queue.hpp; for messages of several packets queue/policed/policed_bound.hpp
/// TESTS     tests/answers/buffer/policed_buffer_test.cpp
namespace tailbound::answers {

struct PolicedBufferQuery {
  queue::PolicedInputs inputs;
  /// Offered load of a conforming host [packets/slot], Bernoulli, above 0 and below the rate that its bucket
  /// sustains.
  std::optional<numeric::Rational> offered{};
  std::variant<MinBuffer, ProbabilityOf> requested;
  queue::Accuracy accuracy{};
  std::optional<Packets> within{};  ///< MinBuffer: the buffer for which the bucket was found

  [[nodiscard]] std::optional<numeric::Rational> drop() const;
};

/// Effect of the bucket on a host that offers Bernoulli traffic.
struct HonestHosts {
  bounds::ComputedProbability delayed_at_shaper;  ///< fraction of slots in which packets wait at a shaper
  numeric::UpperBound<unit::Probability> lost_at_policer;  ///< fraction of its packets dropped by a policer
  /// MinBuffer: the minimum depth [tokens] at which a shaper delays packets in at most the target fraction
  /// of slots.
  std::optional<numeric::Rational> unnoticed_burst{};
  /// MinBuffer: suffices if all hosts are such hosts and are policed; if they are shaped, the worst case
  /// applies.
  std::optional<Packets> buffer{};
};

struct PolicedBufferAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  Packets buffer;                       ///< computed, or as given
  /// The worst-case P(Q > buffer) over all behaviors; an upper bound for messages, and if the exact value
  /// would take too long.
  bounds::ComputedProbability at;
  std::optional<bounds::ComputedProbability> before{};  ///< at buffer - 1, above the target
  numeric::UpperBound<unit::Probability> closed_form;   ///< at `buffer`
  std::optional<Packets> closed_form_buffer{};          ///< MinBuffer: sufficient by the closed form
  numeric::Rational rate;                               ///< r that a bucket sustains [packets/slot]
  numeric::Rational token_price;            ///< at most 1/r [packets of buffer per token of depth]
  std::optional<Packets> never_exceeded{};  ///< if the inputs together cannot fill it permanently
  /// For the same number of independent Bernoulli inputs at rate r: the minimum buffer, or P(Q >
  /// buffer).
  std::optional<Packets> unpoliced_buffer{};
  std::optional<bounds::ComputedProbability> unpoliced{};
  std::optional<HonestHosts> honest{};

  [[nodiscard]] bool bound_only() const {
    return std::holds_alternative<numeric::UpperBound<unit::Probability>>(at.probability);
  }
};

/// From this depth on [tokens] a bucket sustains its rate: 1 + (s - 1)/d for the rate s/d.
[[nodiscard]] numeric::Rational sustaining_depth(const numeric::Rational& rate);

/// The bucket parameter to maximize for a given buffer.
enum class PolicedVaried {
  burst,  ///< maximum depth in tokens, an integer up to 10^6
  rate,   ///< maximum rate, to three decimal places
};
/// The query with the largest bucket for which the buffer meets the target.
/// \param query  asks for the minimum buffer
/// \throws NoAnswer  no bucket does: not one token, or not a rate of 1/1000
[[nodiscard]] PolicedBufferQuery with_largest_bucket(PolicedBufferQuery query, Packets within,
                                                     PolicedVaried varied);

/// \throws InvalidArgument, Unstable, LimitExceeded  as queue::PolicedQueue; an offered load out of range
[[nodiscard]] PolicedBufferAnswer answer(const PolicedBufferQuery& query, const Run& run = {});

}  // namespace tailbound::answers
