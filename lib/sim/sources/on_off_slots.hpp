#pragma once

#include <tailbound/sim/random.hpp>
#include <tailbound/traffic/on_off.hpp>

/// In which slots an on-off source sends, 64 slots at a time.
///
/// MODEL     traffic/on_off.hpp, begun in its stationary law. Two lists of coins say what each slot does to
///           the state, whatever it is: to ON with probability min(alpha, 1 - beta), to OFF with probability
///           min(beta, 1 - alpha), and with the rest either nothing (alpha + beta <= 1) or the other state
///           (alpha + beta > 1). So an OFF source turns ON with probability alpha, an ON one OFF with beta.
/// METHOD    "To ON", "to OFF" and "as it was" are what a binary digit does to the carry of an addition: the
///           states of 64 slots are the carries of one sum of two 64-bit numbers. Where states change instead
///           of staying, every second one is kept inverted.
/// RESULT    a function of (key, purpose, entity, block) and the state at the start of the block, one bit.
///           Each probability is met up to 2^-64.
/// COST      two bernoulli_bits(), a third one if the on-rate is below 1: some 100 ns for 64 slots,
///           whatever the length of the bursts.
/// TESTS     tests/sim/on_off_slots_test.cpp
namespace tailbound::sim {

class OnOffSlots {
 public:
  /// Purposes that one kind of sources takes, from the first on.
  static constexpr std::uint64_t purposes = 4;

  /// \throws InvalidArgument  alpha = beta = 1: sources that turn ON and OFF in turn keep their phases for
  ///                          ever, and what is measured over time is not the stationary law
  explicit OnOffSlots(const traffic::OnOff& source);

  /// The state in the first slot.
  [[nodiscard]] bool start(RandomKey key, std::uint64_t purpose, std::uint64_t entity) const;

  /// Bit s: what the source does in slot s of a block.
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
  /// A coin; its probability as a fraction of 2^64, of which 1 is none.
  struct Coin {
    std::uint64_t threshold = 0;
    bool certain = false;
    Coin() = default;
    explicit Coin(const numeric::Rational& probability);
    [[nodiscard]] std::uint64_t draw(RandomKey key, std::uint64_t purpose, std::uint64_t entity,
                                     std::uint64_t block) const {
      return certain ? ~std::uint64_t{0} : bernoulli_bits(key, purpose, entity, block * 16, threshold);
    }
  };

  bool flips_ = false;  ///< alpha + beta > 1
  Coin to_on_;
  Coin to_off_;  ///< where not to ON
  Coin sends_;   ///< while ON
  std::uint64_t on_threshold_ = 0;
};

/// How sources with bursts slow a queue down, for the rule of sim/batches/batched_run.hpp.
struct SourceMemory {
  double variance = 0;  ///< of the arrivals a slot, over many slots, beyond that of independent slots
  double slots = 0;     ///< in which a source forgets its state: 1 / (1 - |1 - alpha - beta|)
};

/// Of `count` sources of one queue, each burst of which comes there, as a whole, with probability s = share:
/// variance 2 count r^2 p (s^2 (1 - p) g / (1 - g) + s (1 - s) (1 - beta) / beta), where r is the on-rate,
/// p = load / r, g = 1 - alpha - beta, for which 0 stands where it is below.
[[nodiscard]] SourceMemory memory_of(const traffic::OnOff& source, std::int64_t count,
                                     const numeric::Rational& share = 1);

}  // namespace tailbound::sim
