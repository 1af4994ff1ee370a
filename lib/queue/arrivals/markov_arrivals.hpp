#pragma once

#include <tailbound/numeric/real.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <string>
#include <variant>
#include <vector>

/// Markovian arrivals, correlated from slot to slot: a discrete-time batch Markovian arrival process
/// (D-BMAP). The number of packets in a slot depends on the phase of a Markov chain.
///
/// MODEL     In each slot the phase goes from i to j while b packets arrive with probability D_b(i, j).
/// SOURCE    docs/derivations/bursty_queue.md
/// TESTS     tests/queue/arrivals/markov_arrivals_test.cpp
namespace tailbound::queue {

/// Identical independent on-off sources. Each burst goes as a whole to this queue with probability `share`,
/// otherwise elsewhere: its source is then ON but sends nothing here.
struct OnOffGroup {
  traffic::OnOff source;  ///< with share 1: the rates at which it feeds the queue
  std::int64_t count = 1;
  numeric::Rational share = 1;  ///< above 0, at most 1
};

/// The inputs of a switch with as many outputs. Packets arrive as trains of cells, one cell per slot, all of
/// a train to one output, outputs equally likely. Train lengths are geometric. A free input starts a train in
/// a slot with the same probability whether or not it has just ended another.
struct GeometricTrains {
  std::int64_t inputs = 2;   ///< k, 2 .. 2^20
  numeric::Rational load;    ///< rho, the fraction of slots with a cell, of each input and hence of each
                             ///< output
  numeric::Rational length;  ///< g > 1, mean train length [cells]

  /// alpha = rho / (rho + g (1 - rho)): a free input starts a train.
  [[nodiscard]] numeric::Rational start() const { return load / (load + length * (1 - load)); }
};

/// D_0, D_1, ...: [b][i][j].
using RationalBlocks = std::vector<std::vector<std::vector<numeric::Rational>>>;

class MarkovArrivals {
 public:
  /// Limits for arrivals given as blocks.
  static constexpr std::size_t max_phases = 256, max_blocks = 1024;

  /// The superposition of several groups. Uncorrelated sources (alpha + beta = 1) are allowed.
  /// \throws InvalidArgument  no group, a count outside 1 .. 2^20, a share outside ]0, 1] (or below 1 without
  ///                          an end of bursts), a source that on_off.hpp does not allow
  [[nodiscard]] static MarkovArrivals on_off(std::vector<OnOffGroup> groups);

  /// \throws InvalidArgument  no block, blocks that are not square or differ in size, more than 256 phases,
  ///                          an entry outside 0 .. 1, rows that do not sum to 1, a reducible chain (the
  ///                          message names the classes)
  /// \throws LimitExceeded    more than 1024 blocks, 2^24 entries in all, or a common denominator of so many
  ///                          bits that the exact load would take long (256 phases: 106, 128 phases: 384)
  [[nodiscard]] static MarkovArrivals blocks(RationalBlocks blocks);

  /// \throws InvalidArgument  inputs outside 2 .. 2^20, a load outside ]0, 1], a mean length of 1 or less
  [[nodiscard]] static MarkovArrivals trains(const GeometricTrains& trains);

  /// rho [packets/slot].
  [[nodiscard]] const numeric::Rational& load() const { return load_; }
  /// Phases of the chain. On-off groups: the product of count + 1. With a share below 1, and for trains:
  /// (count + 1) (count + 2) / 2, the sources ON here and ON elsewhere. Saturates at 2^62.
  [[nodiscard]] std::int64_t phases() const { return phases_; }
  [[nodiscard]] const std::variant<std::vector<OnOffGroup>, RationalBlocks, GeometricTrains>& form() const {
    return form_;
  }

 private:
  std::variant<std::vector<OnOffGroup>, RationalBlocks, GeometricTrains> form_;
  numeric::Rational load_;
  std::int64_t phases_ = 0;
};

}  // namespace tailbound::queue
