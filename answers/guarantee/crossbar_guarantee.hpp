#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/bounds/crossbar/crossbar_guarantee.hpp>

/// Worst-case delay and buffers of a crossbar that serves the oldest cell first, for policed traffic.
///
/// MODEL     bounds/crossbar/crossbar_guarantee.hpp
/// TESTS     tests/bounds/guarantee/crossbar_guarantee_test.cpp
namespace tailbound::answers {

struct CrossbarGuaranteeQuery {
  bounds::PolicedCrossbar crossbar;
};

struct CrossbarGuaranteeAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  bounds::CrossbarGuarantee guarantee;
};

/// \throws InvalidArgument, LimitExceeded  as bounds::crossbar_guarantee()
[[nodiscard]] inline CrossbarGuaranteeAnswer answer(const CrossbarGuaranteeQuery& query, const Run& = {}) {
  return {bounds::crossbar_guarantee(query.crossbar)};
}

}  // namespace tailbound::answers
