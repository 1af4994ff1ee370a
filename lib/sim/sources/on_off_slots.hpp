#pragma once

#include <tailbound/sim/random.hpp>
#include <tailbound/sim/sources/coin.hpp>
#include <tailbound/traffic/on_off.hpp>

/// The slots in which an on-off source sends, 64 slots at a time.
///
/// MODEL     traffic/on_off.hpp, started in its stationary distribution. Two lists of coins determine the
///           transition of each slot, independently of the state: to ON with probability min(alpha, 1 -
///           beta), to OFF with probability min(beta, 1 - alpha), and otherwise either no change (alpha +
///           beta <= 1) or a change (alpha + beta > 1). So an OFF source turns ON with probability alpha, an
///           ON one OFF with beta.
/// METHOD    "To ON", "to OFF" and "no change" correspond to the effect of a binary digit on the carry of an
///           addition: the states of 64 slots are the carries of one sum of two 64-bit numbers. If states
///           change instead of staying, every second one is stored inverted.
/// RESULT    a function of (key, purpose, entity, block) and the state at the start of the block, one bit.
///           Each probability is exact up to 2^-64.
/// COST      two bernoulli_bits(), a third one if the on-rate is below 1: some 100 ns for 64 slots, for any
///           length of the bursts.
/// TESTS     tests/sim/on_off_slots_test.cpp
namespace tailbound::sim {

class OnOffSlots {
 public:
  /// Number of purposes used by one kind of sources, from the first on.
  static constexpr std::uint64_t purposes = 4;

  /// \throws InvalidArgument  alpha = beta = 1: sources that alternate ON and OFF every slot never change
  ///                          phase, so time averages do not converge to the stationary distribution
  explicit OnOffSlots(const traffic::OnOff& source);

  /// The state in the first slot.
  [[nodiscard]] bool start(RandomKey key, std::uint64_t purpose, std::uint64_t entity) const;

  /// Bit s: the state in slot s of a block.
  struct Block {
    std::uint64_t on;     ///< is it ON?
    std::uint64_t sends;  ///< does it send? Only where it is ON.
  };
  /// \param on  the state in the block's first slot; afterwards, in that of the next block
  [[nodiscard]] Block slots(RandomKey key, std::uint64_t purpose, std::uint64_t entity, std::uint64_t block,
                            bool& on) const;
  [[nodiscard]] std::uint64_t sends(RandomKey key, std::uint64_t purpose, std::uint64_t entity,
                                    std::uint64_t block, bool& on) const {
    return slots(key, purpose, entity, block, on).sends;
  }

 private:
  bool flips_ = false;  ///< alpha + beta > 1
  Coin to_on_;
  Coin to_off_;  ///< if not to ON
  Coin sends_;   ///< while ON
  std::uint64_t on_threshold_ = 0;
};

/// Effect of bursty sources on the relaxation time of a queue, for the rule of sim/batches/batched_run.hpp.
struct SourceMemory {
  /// excess variance of the arrivals per slot, over many slots, compared with independent slots
  double variance = 0;
  double slots = 0;  ///< relaxation time of a source: 1 / (1 - |1 - alpha - beta|)
};

/// For `count` sources of one queue, each burst of which comes there, as a whole, with probability s = share:
/// variance 2 count r^2 p (s^2 (1 - p) g / (1 - g) + s (1 - s) (1 - beta) / beta), where r is the on-rate, p
/// = load / r, g = 1 - alpha - beta, or 0 if that is negative.
[[nodiscard]] SourceMemory memory_of(const traffic::OnOff& source, std::int64_t count,
                                     const numeric::Rational& share = 1);

}  // namespace tailbound::sim
