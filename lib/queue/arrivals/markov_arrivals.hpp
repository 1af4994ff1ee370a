#pragma once

#include <tailbound/numeric/real.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <string>
#include <variant>
#include <vector>

/// Markovian arrivals, correlated from slot to slot: packets of a slot depend on a phase that a Markov chain
/// moves (a discrete-time batch Markovian arrival process, D-BMAP).
///
/// MODEL     In each slot the phase goes from i to j while b packets arrive with probability D_b(i, j).
/// SOURCE    docs/derivations/bursty_queue.md
/// TESTS     tests/queue/arrivals/markov_arrivals_test.cpp
namespace tailbound::queue {

/// Equal independent on-off sources. Of the bursts of each, every one as a whole comes to this queue with
/// probability `share`, and else goes elsewhere, so that its source is busy but silent here.
struct OnOffGroup {
  traffic::OnOff source;  ///< with share 1, the rates at which it feeds the queue
  std::int64_t count = 1;
  numeric::Rational share = 1;  ///< above 0, at most 1
};

/// The inputs of a switch with as many outputs, whose packets come as trains of cells: one a slot, all of a train to one
/// output, each output alike. The trains' lengths are geometric. A free input starts one in a slot with the same
/// probability whether it has just ended another or not.
struct GeometricTrains {
  std::int64_t inputs = 2;   ///< k, 2 .. 2^20
  numeric::Rational load;    ///< rho, the share of slots with a cell, of each input and so of each output
  numeric::Rational length;  ///< g > 1, the mean [cells]

  /// alpha = rho / (rho + g (1 - rho)): a free input starts a train.
  [[nodiscard]] numeric::Rational start() const { return load / (load + length * (1 - load)); }
};

/// D_0, D_1, ...: [b][i][j].
using RationalBlocks = std::vector<std::vector<std::vector<numeric::Rational>>>;

class MarkovArrivals {
 public:
  /// Of arrivals given as blocks.
  static constexpr std::size_t most_phases = 256, most_blocks = 1024;

  /// The packets of several groups together. Sources without correlation (alpha + beta = 1) may be among them.
  /// \throws InvalidArgument  no group, a count outside 1 .. 2^20, a share outside ]0, 1] (or below 1 without an end of bursts), a source that is not as
  ///                          on_off.hpp says
  [[nodiscard]] static MarkovArrivals on_off(std::vector<OnOffGroup> groups);

  /// \throws InvalidArgument  no block, blocks that are not square or not of one size, more than 256 phases,
  ///                          an entry outside 0 .. 1, rows that do not sum to 1, phases that do not all lead
  ///                          to each other (the message names the classes)
  /// \throws LimitExceeded    more than 1024 blocks, 2^24 entries in all, or a common denominator of so many bits
  ///                          that the exact load would take long (256 phases: 106, 128 phases: 384)
  [[nodiscard]] static MarkovArrivals blocks(RationalBlocks blocks);

  /// \throws InvalidArgument  inputs outside 2 .. 2^20, a load outside ]0, 1], a mean length of 1 or less
  [[nodiscard]] static MarkovArrivals trains(const GeometricTrains& trains);

  /// rho [packets/slot].
  [[nodiscard]] const numeric::Rational& load() const { return load_; }
  /// Phases of the chain: of on-off groups the product of count + 1, or with a share below 1, and of trains,
  /// (count + 1) (count + 2) / 2: how many sources are ON here, and how many elsewhere. Saturates at 2^62.
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
