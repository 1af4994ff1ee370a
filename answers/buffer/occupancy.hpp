#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/traffic.hpp>

#include <optional>
#include <variant>
#include <vector>

/// The distribution of an output queue.
///
/// MODEL     bounds/sizing/output_queue.hpp
/// TESTS     tests/bounds/sizing/output_queue_test.cpp
namespace tailbound::answers {

/// n of P(Q > n), each >= 0.
using Levels = std::vector<Packets>;
/// All levels from 0 to the first whose tail is at most this, above 0 and below 1.
struct Until {
  numeric::Rational tail;
};

struct OccupancyQuery {
  Traffic traffic;
  std::variant<Levels, Until> levels;
  queue::Accuracy accuracy{};

  static constexpr std::int64_t max_levels = 1'000'000;
};

struct OccupancyLevel {
  Packets level;
  bounds::ComputedProbability tail;  ///< P(Q > level)
  /// A bound of it, if it is an approximation and a bound is known.
  std::optional<numeric::UpperBound<unit::Probability>> bound{};
};

struct OccupancyAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  std::vector<OccupancyLevel> tail;
  numeric::Claim<unit::Packet> mean_occupancy;
  std::optional<numeric::Enclosure<unit::PerPacket>>
      decay_rate{};  ///< none if no packet ever waits, or if not found
};

/// \throws InvalidArgument  a target outside ]0, 1[; as output_queue()
/// \throws LimitExceeded    more than max_levels levels; as queue::occupancy_tails()
[[nodiscard]] OccupancyAnswer answer(const OccupancyQuery& query, const Run& run = {});

/// The same inputs and load without bursts, if the traffic has bursts: P(Q > level) to 3 digits.
[[nodiscard]] std::vector<OccupancyLevel> without_bursts(const OccupancyQuery& query,
                                                         const std::vector<Packets>& levels);

/// For plots: P(Q > level) to 3 digits at each level from `first` to `last`, or of very many at a thousand
/// or two.
/// \throws as answer()
[[nodiscard]] std::vector<OccupancyLevel> tail_through(const Traffic& traffic, Packets first, Packets last);

}  // namespace tailbound::answers
