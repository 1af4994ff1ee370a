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

/// By how much may all rates of a network grow?
///
/// MODEL     answers/network/load_scale.hpp for what its links bear; answers/delay/delay_paths.hpp and bounds/path/path_delay.hpp for
///           latencies, bounds/sizing/output_queue.hpp for buffers. Both targets are met the less, the greater the factor.
/// RESULT    what the links bear exactly; for a target two factors, one at which it is proved to be met, one at which
///           it is proved to be missed.
///           Of a network that is answered as a whole the nearest flow is that of the longest percentile.
/// EXCLUDES  what DelayOmissions says of latencies
/// TESTS     tests/answers/delay/solve_load_scale_test.cpp
namespace tailbound::answers {

/// No queue grows for ever.
struct Stability {};

/// P(latency > within) <= 1 - percentile, of each flow.
struct LatencyTarget {
  numeric::Rational percentile;  ///< as a fraction, above 0 and below 1
  numeric::Rational within;      ///< in slots, or in ns where there is a time; 0 or more, at most 10^6 slots
  std::optional<SlotTime> time{};
};

/// The criterion of each queue's buffer is at most `drop.probability`.
struct BufferTarget {
  Packets capacity;  ///< B >= 0, the packet in service counts
  bounds::DropTarget drop;
};

struct LoadScaleQuestion {
  NetworkTopology topology;
  /// Where it is answered as a whole (fabric.hpp); `topology` has its nodes and links then.
  std::shared_ptr<const network::Fabric> fabric{};
  std::optional<std::string>
      flow{};  ///< by name: the targets of this one and the queues it meets; of all unless told
  network::Sources sources = network::Sources::decoupled;
  queue::HopDelay hop_delay = queue::HopDelay::wait;
  std::variant<Stability, LatencyTarget, BufferTarget> asked{};
  numeric::Digits digits{};  ///< to which the factor of a target is found
  Units units{};
};

/// The nearest to a target: the flow, or the link's queue, of the greatest probability.
struct NearestToTarget {
  std::string name;
  numeric::Claim<unit::Probability> probability;
};

struct LoadScaleOfTarget {
  numeric::Rational met;  ///< a factor, a short decimal, above 0
  /// A factor at which the target is missed; none where it is met as far as the links bear it.
  std::optional<numeric::Rational> missed{};
  NearestToTarget at_met;
  std::optional<NearestToTarget> at_missed{};
};

struct LoadScaleAnswer {
  static constexpr bool stored = true;        ///< as bytes, for parts and ranks (points/stored.hpp)
  std::vector<ScaleLimit> limits;             ///< scale_limits(): the first is what the links bear
  std::optional<LoadScaleOfTarget> target{};  ///< unless Stability was asked for
  DelayOmissions omissions{};                 ///< of a LatencyTarget

  [[nodiscard]] const ScaleLimit& first_limit() const { return limits.front(); }
  /// The supremum of the factors: exact, or between `met` and `missed` (without `missed` up to the links' limit); an
  /// approximation where a queue on the way is only approximated.
  [[nodiscard]] numeric::Claim<unit::Ratio> greatest() const;
};

/// \throws InvalidArgument  a target out of range, no such flow
/// \throws NoAnswer         no factor above 1e-18 meets the target
/// \throws as delay_paths(), bounds::PathDelay and bounds::OutputQueue
[[nodiscard]] LoadScaleAnswer answer(const LoadScaleQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
