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
/// MODEL     bounds/multistage/combining.hpp, blocking
/// TESTS     tests/answers/multistage/multistage_test.cpp
namespace tailbound::answers {

struct MultistageQuery {
  network::CombiningMultistage network;
  numeric::Rational load;         ///< requests per processor and service time; 0 < load <= 1
  numeric::Rational service = 1;  ///< D, 0 < D <= 10^9: service time, the unit of the answer's times
};

/// One of the queues on the path of hot requests.
struct MultistageQueue {
  numeric::Model<unit::Request> occupancy;        ///< requests present, including those in service or blocked
  numeric::Model<unit::Probability> combining;    ///< probability that an arriving hot request combines
  numeric::Model<unit::Probability> utilization;  ///< probability that the server works or is blocked
};

/// Requests are counted as generated, also while they travel combined.
struct MultistageAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  numeric::Model<unit::RequestsPerSlot> throughput;
  numeric::Model<unit::Time> delay;  ///< from entering stage 0 until the last service ends, of all
  std::optional<numeric::Model<unit::Time>> hot_delay;   ///< empty without hot requests
  std::optional<numeric::Model<unit::Time>> cold_delay;  ///< empty without cold requests
  std::vector<MultistageQueue> hot_path;                 ///< [stage], at least one
  bounds::Ending ending;
  bool saturated = false;  ///< throughput is less than 98 % of the offered load: processors stall
  /// The maximum load with a throughput of at least 98 %, found to 0.1 % of it and independent of the query's
  /// load; empty if that holds at a load of 1.
  std::optional<numeric::Model<unit::RequestsPerSlot>> saturation_load;
  /// network::saturation_bound(): upper bound of the throughput.
  numeric::Exact<unit::RequestsPerSlot> saturation_bound{numeric::Theorem::input, 0};

  /// The stage whose queue on the hot path has the highest utilization; the first of them.
  [[nodiscard]] std::size_t busiest_stage() const;
};

/// \throws InvalidArgument  a field out of range
/// \throws LimitExceeded    buffers so large that a queue has more than 20 000 states
[[nodiscard]] MultistageAnswer answer(const MultistageQuery& query, const Run& run = {});

/// A service time as a number.  \throws InvalidArgument  not above 0 or more than 10^9
[[nodiscard]] double service_time(const numeric::Rational& service);

}  // namespace tailbound::answers
