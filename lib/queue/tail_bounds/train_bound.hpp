#pragma once

#include <tailbound/queue/arrivals/markov_arrivals.hpp>
#include <tailbound/queue/tail_bounds/source_bound.hpp>
#include <tailbound/traffic/packet_sizes.hpp>

#include <optional>

/// Packets that arrive cell by cell: a proved bound for any sizes and any number of inputs, the exact chain
/// for few.
///
/// MODEL     The inputs of a switch with as many outputs. An input is free or sends a packet, one cell per
///           slot, all of it to one output, outputs equally likely. A free input starts a packet with
///           probability alpha; its first cell arrives in that slot. The next packet may follow at once. One
///           output serves one cell per slot.
/// METHOD    of the bound: as queue/tail_bounds/burst_bound.hpp, with the weights (z/w)^r while r cells are
///           left for this output, w^-r for another, and 1 while free. Cells reversed in time have the same
///           distribution. For an input that does not send, the mean of its weight given the times at which
///           it sent is bounded.
/// RESULT    1.1 to 4 times the true value at loads of at least 1/2, at every depth; combined with
///           last_empty_slot.hpp 1 to 3 times at all loads
/// SOURCE    docs/derivations/packet_sizes.md
/// TESTS     tests/queue/tail_bounds/train_bound_test.cpp
namespace tailbound::queue {

struct Trains {
  std::int64_t inputs = 1;  ///< k, 1 .. 2^20
  numeric::Rational
      load;  ///< rho, the fraction of slots with a cell, of each input and hence of each output; above 0
  traffic::CellCounts cells;
  /// Whether inputs also send to other outputs and are silent here meanwhile. False: each input serves this
  /// output only, which gives a smaller queue.
  bool elsewhere = true;

  static constexpr std::int64_t max_cells = 4096;  ///< of a packet
};

/// \param digits  1 .. 1000
/// \throws InvalidArgument  inputs, load or digits out of range
/// \throws Unstable         load >= 1
/// \throws LimitExceeded    packets of more than max_cells cells; a load so close to 1 that 2^16 bits would
///                          be needed
/// COST  a millisecond for three sizes
[[nodiscard]] ExponentialBound train_bound(const Trains& trains, numeric::Digits digits = {10});

/// An input as a chain of cells left for this output, cells left for another, and free.
/// \throws as train_bound()
[[nodiscard]] SourceChain source_chain(const Trains& trains);

/// train_bound() combined with the bound by the last empty slot.
/// \throws as train_bound()
[[nodiscard]] SourceBound source_bound(const Trains& trains, numeric::Digits digits = {10});

/// Phases of the exact chain: C(k + s - 1, k), s = 2 Lmax - 1 states of an input (Lmax without those of other
/// outputs). Saturates at 2^62.
[[nodiscard]] std::int64_t train_phases(const Trains& trains);

/// Maximum number of phases of the exact chain: its queue is solved in about a second.
constexpr std::int64_t max_chain_phases = 64;

/// The exact chain; none where it has more than max_chain_phases.
/// \throws as train_bound()
[[nodiscard]] std::optional<MarkovArrivals> train_chain(const Trains& trains);

}  // namespace tailbound::queue
