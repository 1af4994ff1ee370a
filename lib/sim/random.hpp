#pragma once

#include <tailbound/numeric/philox.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <span>

/// Random numbers as a function of their purpose, not of how many were drawn before.
///
/// MODEL     256 bits for each (seed, replication, purpose, entity, index): Philox4x64 with 10 rounds. No
///           state, so results do not depend on threads or on the order of work.
/// SOURCE    Salmon, Moraes, Dror and Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3" (Random123)
namespace tailbound::sim {

struct RandomKey {
  std::uint64_t seed = 1;
  std::uint64_t replication = 0;
};

using RandomWords = std::array<std::uint64_t, 4>;

/// \param purpose  purpose of the numbers (each simulator numbers its own)
/// \param entity   the drawing entity: a leaf, a switch
/// \param index    the time: a slot, or a block of slots
[[nodiscard]] inline RandomWords random_words(RandomKey key, std::uint64_t purpose, std::uint64_t entity,
                                              std::uint64_t index) {
  const r123::Philox4x64::ctr_type counter{{index, entity, purpose, key.replication}};
  const r123::Philox4x64::key_type philox_key{{key.seed, 0x7461696c626f756eULL}};
  const auto words = r123::Philox4x64{}(counter, philox_key);
  return {words[0], words[1], words[2], words[3]};
}

/// Fills `words`, whose length is a multiple of 4, from the indices `first`, first + 1, ...
/// \param of  transformation of each random word
template <class Of = std::identity>
void random_fill(RandomKey key, std::uint64_t purpose, std::uint64_t entity, std::uint64_t first,
                 std::span<std::uint64_t> words, Of of = {}) {
  for (std::size_t i = 0; i + 4 <= words.size(); i += 4) {
    const RandomWords four = random_words(key, purpose, entity, first + i / 4);
    for (std::size_t j = 0; j < 4; ++j) words[i + j] = of(four[j]);
  }
}

/// A number in 0 .. count - 1 from 32 random bits. Each has probability 1 / count up to 2^-32.
[[nodiscard]] inline std::uint32_t below(std::uint32_t count, std::uint32_t bits) {
  return static_cast<std::uint32_t>((std::uint64_t{count} * bits) >> 32U);
}

/// The words of one (purpose, entity), one after the other, for code that draws an unpredictable number of
/// words.
class RandomSequence {
 public:
  RandomSequence(RandomKey key, std::uint64_t purpose, std::uint64_t entity, std::uint64_t first = 0)
      : key_(key), purpose_(purpose), entity_(entity), index_(first) {}

  [[nodiscard]] std::uint64_t next() {
    if (used_ == 4) {
      words_ = random_words(key_, purpose_, entity_, index_++);
      used_ = 0;
    }
    return words_[used_++];
  }
  [[nodiscard]] std::uint32_t next_below(std::uint32_t count) {
    return below(count, static_cast<std::uint32_t>(next() >> 32U));
  }

 private:
  RandomKey key_;
  std::uint64_t purpose_, entity_, index_;
  RandomWords words_{};
  std::size_t used_ = 4;
};

/// 64 independent draws, each 1 with probability threshold / 2^64: bit by bit from the top, the draws are
/// compared with the threshold at once, until all are decided (8 or 9 words instead of 64).
/// \param first  index of the first words; at most 16 indices are used
[[nodiscard]] inline std::uint64_t bernoulli_bits(RandomKey key, std::uint64_t purpose, std::uint64_t entity,
                                                  std::uint64_t first, std::uint64_t threshold) {
  std::uint64_t ones = 0, undecided = ~std::uint64_t{0};
  for (std::uint64_t call = 0; undecided != 0 && threshold != 0; ++call)
    for (const std::uint64_t word : random_words(key, purpose, entity, first + call)) {
      const std::uint64_t bit = std::uint64_t{0} - (threshold >> 63U);
      const std::uint64_t differs = word ^ bit;
      ones |= undecided & differs & bit;
      undecided &= ~differs;
      threshold <<= 1U;
    }
  return ones;
}

}  // namespace tailbound::sim
