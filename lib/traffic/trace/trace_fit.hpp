#pragma once

#include <tailbound/traffic/on_off.hpp>
#include <tailbound/traffic/trace/trace_statistics.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// On-off sources with the index of dispersion of a trace.
///
/// MODEL     m sources of load a, on-rate r and memory lambda = 1 - alpha - beta:
///           IDC(n) = 1 - a + 2 (r - a) F_n,
///           F_n = lambda / (1 - lambda) - lambda (1 - lambda^n) / (n (1 - lambda)^2)
/// RESULT    lambda and r from IDC(n) and IDC(n / 10) at the horizon n = b / (1 - load) for a level of
///           interest b
/// SOURCE    docs/derivations/traces.md
/// TESTS     tests/traffic/trace_test.cpp
namespace tailbound::traffic {

struct FittedSources {
  std::int64_t count = 1;              ///< m
  double load = 0;                     ///< a, of each [packets/slot]
  double on_rate = 1;                  ///< r
  double memory = 0;                   ///< lambda
  [[nodiscard]] double burst() const;  ///< mean length of its bursts [slots]
  [[nodiscard]] double dispersion(std::int64_t slots) const;
  [[nodiscard]] OnOff source() const;  ///< as rationals
};

struct TraceFit {
  std::int64_t level = 0;                  ///< b
  std::int64_t horizon = 1;                ///< n, a horizon of the list
  bool enough = true;                      ///< the list goes to 10 n, and bursts are shorter than the trace
  std::optional<FittedSources> sources{};  ///< none: independent slots describe the trace equally well
};

/// \param dispersion  from TraceStatistics, not empty
/// \param inputs      m, if known
[[nodiscard]] TraceFit fit(const std::vector<CountDispersion>& dispersion, double load, std::int64_t level,
                           std::optional<std::int64_t> inputs);

}  // namespace tailbound::traffic
