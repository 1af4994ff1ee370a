#pragma once

#include <tailbound/bounds/path/ending.hpp>
#include <tailbound/network/multistage.hpp>

#include <optional>
#include <vector>

/// Throughput and delay of a combining multistage network under a hot spot.
///
/// MODEL     network/multistage.hpp. Each processor generates `load` requests per service time, as a Poisson
///           process that pauses while its last request waits before a full buffer. A service takes 1; full
///           buffers block. With Links::one an output link passes one request at a time; with Links::any it
///           has no limit. By symmetry, all queues of a stage that hot requests pass are identical (the hot
///           path), and so are, at each later stage, those whose traffic left it at the same stage (the
///           branches).
/// RESULT    an approximation: queues are analysed individually and coupled by means.
///           docs/derivations/multistage.md, section 6, compares it with simulation. Not proved.
/// VARIANTS  published: each queue M/D/1/L, from the first stage to the last; full buffers lose requests but
///           do not block those behind them; Links::any only. blocking: each queue is a chain that depends on
///           the servers before it (with Links::one: the link before it) and on the time for which its head
///           is blocked (by a full buffer; with Links::one also by its link), iterated until flows match
///           (accelerated fixed point).
/// COST      blocking: 20 to 1500 rounds of O(n states): 1 to 100 ms per point at N = 256, L = 4
/// SOURCE    published: Mohapatra, Wong and Das 1994; blocking: docs/derivations/multistage.md
/// TESTS     tests/bounds/multistage/combining_test.cpp, tests/validation/multistage_test.cpp
namespace tailbound::bounds::multistage {

enum class Variant {
  blocking,
  published,  ///< for `reproduce` only
};

/// A queue of the hot path.
struct StageFigures {
  double occupancy = 0;    ///< requests present, including one in service or blocked; combined ones count as
                           ///< one
  double combining = 0;    ///< probability that a hot request arriving here combines
  double utilization = 0;  ///< fraction of time in which the server works, waits for its link or is blocked
};

/// All times in service times. Requests are counted as generated, even where they travel combined.
struct Point {
  double load = 0;
  double throughput = 0;  ///< requests per processor and service time
  double delay = 0;       ///< mean time from entry into stage 0 to the end of the last service
  double hot_delay = 0, cold_delay = 0;
  std::vector<StageFigures> hot_path;  ///< [stage]
  Ending ending;
};

/// \param load  0 < load <= 1
/// \throws InvalidArgument  a field out of range; published with Links::one
/// \throws LimitExceeded    blocking: buffers so large that a queue has more than 20 000 states
[[nodiscard]] Point solve(const network::CombiningMultistage& network, const numeric::Rational& load,
                          Variant variant = Variant::blocking);

/// Minimum fraction of the load delivered below saturation.
inline constexpr double carried_share = 0.98;
/// Relative resolution of the saturation load.
inline constexpr double saturation_resolution = 0.001;

/// Maximum load of which at least the fraction `carried_share` is delivered: a search on the model (TOMS 748,
/// bracketed), independent of any requested load.
/// \return  above 0, at most network::saturation_bound(), to `saturation_resolution`; empty if that
///          fraction is delivered at a load of 1
/// COST     4 to 10 points
/// \throws  as solve()
[[nodiscard]] std::optional<double> saturation(const network::CombiningMultistage& network);

}  // namespace tailbound::bounds::multistage
