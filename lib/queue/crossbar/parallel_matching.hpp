#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>

#include <cstdint>

/// Throughput of parallel iterative matching (PIM) with n iterations.
///
/// MODEL     k inputs and outputs, every input has cells for every output. In an iteration each unmatched
///           output grants an unmatched input at random, each granted input accepts one of its grants.
/// METHOD    the unmatched ports stay a complete bipartite graph of m inputs and m outputs; an iteration
///           matches as many pairs as m balls occupy of m bins. Expected matches by a recurrence of
///           non-negative terms.
/// RESULT    cells per slot and port; the maximum load of uniform traffic as far as observed. Exact up to
///           `max_exact_ports` ports, else an enclosure
/// SOURCE    Anderson, Owicki, Saxe, Thacker 1993; docs/derivations/crossbar.md
/// COST      the third power of the ports
/// TESTS     tests/queue/crossbar/parallel_matching_test.cpp
namespace tailbound::queue {

struct ParallelMatching {
  static constexpr std::int64_t max_ports = 1024, max_exact_ports = 16;

  std::int64_t ports = 1;       ///< k, 1 .. max_ports
  std::int64_t iterations = 1;  ///< n, 1 or more; from k on all pairs are matched
};

/// \throws InvalidArgument  a field out of range
[[nodiscard]] numeric::Proved<unit::Load> parallel_matching_load(const ParallelMatching& matching);

}  // namespace tailbound::queue
