#pragma once

#include <tailbound/answers/delay/delay_paths.hpp>
#include <tailbound/answers/latency_ns.hpp>
#include <tailbound/answers/network/load_scale.hpp>
#include <tailbound/answers/network/topology.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/units.hpp>
#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/network/fabric/fabric.hpp>
#include <tailbound/queue/delay/hop_delay.hpp>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The maximum factor by which all rates of a network may be scaled.
///
/// MODEL     answers/network/load_scale.hpp for the capacity of links; answers/delay/delay_paths.hpp and
/// bounds/path/path_delay.hpp for
///           latencies, bounds/sizing/output_queue.hpp for buffers. Both targets get harder as the factor
///           grows.
/// RESULT    the limit of the links exactly; for a target two factors, one at which it is proved to be met,
/// one at which
///           it is proved to be missed.
///           For a network treated as a whole the critical flow is the one with the longest percentile.
/// EXCLUDES  effects listed in DelayOmissions
/// TESTS     tests/answers/delay/solve_load_scale_test.cpp
namespace tailbound::answers {

/// No queue grows without bound.
struct Stability {};

/// P(latency > within) <= 1 - percentile, for each flow.
struct LatencyTarget {
  numeric::Rational percentile;  ///< as a fraction, above 0 and below 1
  numeric::Rational within;      ///< in slots, or in ns with units; 0 or more, at most 10^6 slots
  std::optional<SlotTime> time{};
};

/// The criterion of each queue's buffer is at most `drop.probability`.
struct BufferTarget {
  Packets capacity;  ///< B >= 0, including the packet in service
  bounds::DropTarget drop;
};

struct LoadScaleQuery {
  NetworkTopology topology;
  /// If it is treated as a whole (fabric.hpp); `topology` then has its nodes and links.
  std::shared_ptr<const network::Fabric> fabric{};
  std::optional<std::string> flow{};  ///< by name: targets of this flow and its queues; default: all
  std::variant<Stability, LatencyTarget, BufferTarget> requested{};
  numeric::Digits digits{};  ///< precision of the factor of a target
  Units units{};
};

/// The flow, or the link's queue, with the highest probability.
struct NearestToTarget {
  std::string name;
  numeric::Claim<unit::Probability> probability;
};

struct LoadScaleOfTarget {
  numeric::Rational met;  ///< a factor, a short decimal, above 0
  /// A factor at which the target is missed; none if it is met up to the limit of the links.
  std::optional<numeric::Rational> missed{};
  NearestToTarget at_met;
  std::optional<NearestToTarget> at_missed{};
};

struct LoadScaleAnswer {
  static constexpr bool stored = true;        ///< as bytes, for parts and ranks (points/stored.hpp)
  std::vector<ScaleLimit> limits;             ///< scale_limits(): the first is the limit of the links
  std::optional<LoadScaleOfTarget> target{};  ///< none for Stability
  DelayOmissions omissions{};                 ///< of a LatencyTarget

  [[nodiscard]] const ScaleLimit& first_limit() const { return limits.front(); }
  /// The supremum of the factors: exact, or between `met` and `missed` (without `missed` up to the limit of
  /// the links); an approximation if a queue on the route is approximated.
  [[nodiscard]] numeric::Claim<unit::Ratio> largest() const;
};

/// \throws InvalidArgument  a target out of range, no such flow
/// \throws NoAnswer         no factor above 1e-18 meets the target
/// \throws as delay_paths(), bounds::PathDelay and bounds::OutputQueue
[[nodiscard]] LoadScaleAnswer answer(const LoadScaleQuery& query, const Run& run = {});

}  // namespace tailbound::answers
