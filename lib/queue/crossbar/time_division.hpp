#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/queue/finite/shared_memory.hpp>
#include <tailbound/series/distribution.hpp>
#include <tailbound/series/stop_loss.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// A crossbar whose connections follow a fixed turn: input i to output (i + t) mod k in slot t.
///
/// MODEL     k inputs; each receives a cell in a slot with probability rho, with a uniform output. A
///           virtual output queue (VOQ) is served once in k slots; counts are just after the arrivals of a
///           slot and include the cell about to leave.
/// RESULT    at its service instants a VOQ is the slotted queue Q with k inputs at load rho; V = max(Q - 1,
///           0) cells are left. With u slots from an arrival to the next service, uniform on 0 .. k - 1, W
///           = k (V + Bin(k - 1 - u, rho/k)) + u slots, E[W] = (k - 1)/(2 (1 - rho)). A VOQ r slots after a
///           service holds V + Bin(r, rho/k). The k VOQs of an input are negatively associated, so the
///           bound of shared_memory.hpp holds for their sum. The same for each stage of VOQs of a
///           load-balanced Birkhoff-von Neumann switch.
/// EXCLUDES  uneven destinations, bursts
/// SOURCE    Chang, Lee, Jou 2002; docs/derivations/crossbar.md
/// TESTS     tests/queue/crossbar/time_division_test.cpp
namespace tailbound::queue {

/// Caches its results. Not thread-safe.
class TimeDivision {
 public:
  static constexpr std::int64_t max_ports = 1024;

  /// \param load  of each input [cells/slot]
  /// \throws InvalidArgument  ports outside 1 .. max_ports, load <= 0
  /// \throws Unstable         load >= 1
  TimeDivision(std::int64_t ports, numeric::Rational load);

  [[nodiscard]] numeric::Exact<unit::Slot> mean_wait() const;

  /// P(W > slots), slots >= 0.
  /// \throws LimitExceeded  too deep: as queue::occupancy_law()
  [[nodiscard]] numeric::Enclosure<unit::Probability> wait_above(std::int64_t slots);
  /// P(VOQ > cells) at an arbitrary slot, cells >= 0.
  [[nodiscard]] numeric::Enclosure<unit::Probability> queue_above(std::int64_t cells);

  /// Smallest slots or cells with a probability of at most `target`, 0 < target < 1.
  /// \throws LimitExceeded  it cannot be distinguished from its neighbour; too deep
  [[nodiscard]] std::int64_t min_wait(const numeric::Rational& target);
  [[nodiscard]] std::int64_t min_queue(const numeric::Rational& target);

  /// A proved bound of P(all VOQs of an input together > cells).
  /// \throws LimitExceeded  more than 2^14 cells
  [[nodiscard]] numeric::UpperBound<unit::Probability> input_above(std::int64_t cells);
  /// Smallest number of cells at which that bound is at most `target`.
  [[nodiscard]] ProvedMemory min_input(const numeric::Rational& target);

 private:
  /// A sum of non-negative products: value, count of relative errors, absolute error.
  struct Sum {
    long double value = 0, error = 0;
    double units = 0;
  };
  void reach_level(std::int64_t level);
  /// sum over r in [first, last] of P(V + Bin(r, rho/k) > level), divided by k
  [[nodiscard]] long double mixed(std::int64_t first, std::int64_t last, std::int64_t level) const;
  [[nodiscard]] numeric::Enclosure<unit::Probability> enclosed(long double value) const;
  template <class Above>
  [[nodiscard]] std::int64_t minimum(const numeric::Rational& target, const Above& above) const;
  void reach_total(std::size_t size);

  std::int64_t ports_;
  numeric::Rational load_;
  series::Distribution<long double> law_;           ///< of Q
  std::vector<std::vector<long double>> arriving_;  ///< [r][j] P(Bin(r, rho/k) = j)
  series::StopLoss total_;                          ///< of the independent VOQs of an input
};

}  // namespace tailbound::queue
