#pragma once

#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/bounds/sizing/incast_event.hpp>

#include <optional>
#include <variant>

/// Buffer size of an output for one incast.
///
/// MODEL     bounds/sizing/incast_event.hpp
/// TESTS     tests/bounds/sizing/incast_event_test.cpp
namespace tailbound::answers {

struct IncastEventQuery {
  bounds::IncastEvent event;
  std::variant<MinBuffer, ProbabilityOf> requested;
  /// overflow: P(peak > B), the event loses a packet; loss: the expected fraction of its packets lost.
  bounds::Criterion criterion = bounds::Criterion::overflow;

  [[nodiscard]] std::optional<numeric::Rational> drop() const;
};

struct IncastEventAnswer {
  static constexpr bool stored = true;   ///< as bytes, for parts and ranks (points/stored.hpp)
  Packets buffer;                        ///< the minimum, or as given
  numeric::Claim<unit::Probability> at;  ///< the criterion at `buffer`
  /// MinBuffer: at buffer - 1, above the target; none if bounds only are known, or `buffer` is 0.
  std::optional<numeric::Claim<unit::Probability>> before{};
  numeric::Claim<unit::Probability> overflow, loss;  ///< both criteria at `buffer`
  Packets worst;                                     ///< the peak if all senders start together
};

/// \throws InvalidArgument, NoAnswer, LimitExceeded  as bounds::IncastPeak
[[nodiscard]] IncastEventAnswer answer(const IncastEventQuery& query, const Run& run = {});

}  // namespace tailbound::answers
