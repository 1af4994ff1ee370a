#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/bounds/multistage/combining.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>

#include <cstddef>
#include <optional>
#include <vector>

/// Throughput and delay of a combining multistage network under a hot spot, at one load.
///
/// MODEL     bounds/multistage/combining.hpp
/// TESTS     tests/answers/multistage/multistage_test.cpp
namespace tailbound::answers {

struct MultistageQuestion {
  network::CombiningMultistage network;
  numeric::Rational load;         ///< requests of a processor in a service time; 0 < load <= 1
  numeric::Rational service = 1;  ///< D, 0 < D <= 10^9: a service time in the unit of the answer's times
  bounds::multistage::Variant variant = bounds::multistage::Variant::blocking;
};

/// One of the queues that hot requests pass.
struct MultistageQueue {
  numeric::Model<unit::Request> occupancy;        ///< requests present, that in service or blocked included
  numeric::Model<unit::Probability> combining;    ///< that a hot request that comes here combines
  numeric::Model<unit::Probability> utilization;  ///< that the server works or is blocked
};

/// Requests are counted as generated, also where they travel combined.
struct MultistageAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  numeric::Model<unit::RequestsPerSlot> throughput;
  numeric::Model<unit::Time> delay;  ///< from the entry into stage 0 until the last service ends, of all
  std::optional<numeric::Model<unit::Time>> hot_delay;   ///< empty where no requests are hot
  std::optional<numeric::Model<unit::Time>> cold_delay;  ///< empty where all are
  std::vector<MultistageQueue> hot_path;                 ///< [stage], at least one
  bounds::Ending ending;
  bool saturated = false;  ///< less than 98 % of what is offered comes through: processors stall
  /// The maximum load of which at least 98 % comes through, found to 0.1 % of it and independent of the question's
  /// load; empty where so much comes through at a load of 1.
  std::optional<numeric::Model<unit::RequestsPerSlot>> saturation_load;
  /// network::saturation_bound(): no throughput is above it.
  numeric::Exact<unit::RequestsPerSlot> saturation_bound;

  /// The stage whose queue on the hot path is busy most; the first of them.
  [[nodiscard]] std::size_t busiest_stage() const;
};

/// \throws InvalidArgument  a field out of range; the variant published with Links::one
/// \throws LimitExceeded    variant blocking: buffers so large that a queue has more than 20 000 states
[[nodiscard]] MultistageAnswer answer(const MultistageQuestion& question, const Run& run = {});

/// A service time as a number.  \throws InvalidArgument  not above 0 and at most 10^9
[[nodiscard]] double service_time(const numeric::Rational& service);

}  // namespace tailbound::answers
