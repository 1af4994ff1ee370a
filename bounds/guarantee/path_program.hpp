#pragma once

#include <tailbound/bounds/guarantee/network_guarantee.hpp>
#include <tailbound/bounds/guarantee/path_row.hpp>
#include <tailbound/bounds/programs/linear_program.hpp>

#include <cstddef>
#include <optional>
#include <vector>

/// End-to-end delay bound of a policed flow by a linear program over the dates at the ports of its route.
///
/// MODEL     As network_guarantee.hpp, whose bounds are the facts: arrival curves of flows where they join
///           the route, of groups and of links; services and delays of the queues.
/// RESULT    A route of n queues, numbered from 0, has the dates x[j][0] >= x[j][1] >= .. >= x[j][n - j] at
///           queue j. x[j][0] is the arrival of the packet itself, x[n][0] its departure less the
///           transmission time of the flow's shortest packet. What has arrived at queue j by x[j][k] is what
///           has arrived at the next one by x[j + 1][k], if k < n - j; x[j][n - j] starts the service that
///           x[j + 1][n - j - 1] sees. Flows that join and leave the route together are one variable per
///           date: their data up to it. The bound is the maximum of x[n][0] - x[0][0], plus that transmission
///           time and the last wire.
/// CONTRACT  A proved upper bound, never above the sum of the delays of the queues.
/// EXCLUDES  routes through regulators, queues without a bound or whose packets can be interrupted, and with
///           cut-through
/// SOURCE    docs/derivations/policed_traffic.md, section 8
/// TESTS     tests/bounds/guarantee/path_program_test.cpp
namespace tailbound::bounds {

/// Flows that join the route at queue `first`, coming from one queue, and leave it behind queue `last`.
struct PathSet {
  std::size_t first = 0, last = 0;    ///< positions on the route
  std::optional<std::size_t> from{};  ///< position in NetworkGuarantee::queues; none: sources
  std::vector<std::size_t> flows{};
  ArrivalCurve curve{};  ///< sum of the flows' curves
};

struct PathProgram {
  LinearProgram program;
  std::vector<PathRow> rows;  ///< names of its rows
  std::vector<PathSet> sets;
  Rational after;  ///< added to the maximum: transmission and wire behind x[n][0]
};

/// The program of a flow for one of its routes (RouteGuarantee::hops). None: see EXCLUDES.
[[nodiscard]] std::optional<PathProgram> path_program(const PolicedNetwork& network,
                                                      const NetworkGuarantee& facts, std::size_t flow,
                                                      const std::vector<std::size_t>& route);

/// Rows times columns of that program, without making it; 0 if there is none.
[[nodiscard]] std::size_t path_program_size(const PolicedNetwork& network, const NetworkGuarantee& facts,
                                            std::size_t flow, const std::vector<std::size_t>& route);

struct PathProgramBound {
  Rational delay;               ///< upper bound [time]
  std::vector<PathStep> proof;  ///< of x[n][0] - x[0][0] <= delay - PathProgram::after
};

/// None where the program has no proved maximum.
[[nodiscard]] std::optional<PathProgramBound> delay_bound(const PathProgram& program);

/// Sets RouteGuarantee::lp and its proof, if there is one.  \param route  position in the flow's routes
void add_linear_program(const PolicedNetwork& network, NetworkGuarantee& found, std::size_t flow,
                        std::size_t route);

}  // namespace tailbound::bounds
