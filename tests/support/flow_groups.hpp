#pragma once

#include <tailbound/queue/flows/flows.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include <tests/support/rational.hpp>

/// Short notation for groups of flows.
namespace tailbound::test {

[[nodiscard]] inline queue::FlowGroup periodic(std::int64_t count, std::int64_t period,
                                               std::int64_t batch = 1) {
  return {.kind = queue::FlowKind::periodic, .count = count, .period = period, .batch = batch, .buckets = {}};
}
[[nodiscard]] inline queue::FlowGroup sporadic(std::int64_t count, std::int64_t period,
                                               std::int64_t batch = 1) {
  return {.kind = queue::FlowKind::sporadic, .count = count, .period = period, .batch = batch, .buckets = {}};
}
[[nodiscard]] inline queue::FlowGroup regulated(std::int64_t count,
                                                std::vector<traffic::TokenBucket> buckets) {
  return {.kind = queue::FlowKind::regulated,
          .count = count,
          .period = 0,
          .batch = 1,
          .buckets = std::move(buckets)};
}
[[nodiscard]] inline queue::FlowGroup regulated(std::int64_t count, const char* rate, const char* burst) {
  return regulated(count, {{rational(rate), rational(burst)}});
}

}  // namespace tailbound::test
