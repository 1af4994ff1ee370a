#pragma once

#include <tailbound/sim/random.hpp>
#include <tailbound/sim/sources/coin.hpp>

#include <cmath>
#include <cstdint>

/// Random numbers of the inputs of a switch, 64 slots at a time. Internal to the sim module.
///
/// RESULT    inputs with the same key, rates and shares send the same cells in every simulated switch.
namespace tailbound::sim {

inline constexpr std::uint32_t input_block_slots = 64;

/// Purposes of random numbers. Others of a switch begin at 16.
struct InputPurpose {
  static constexpr std::uint64_t coins = 0, draws = 1, orders = 2, starts = 3, bursts = 8;
};

/// A probability as a fraction of 2^32.
[[nodiscard]] inline std::uint64_t of_32_bits(const numeric::Rational& probability) {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(numeric::nearest_double(probability), 32)));
}

/// The outputs and sizes that one input draws in one block.
class InputDraws {
 public:
  InputDraws(RandomKey key, std::uint64_t input, std::uint64_t block)
      : sequence_(key, InputPurpose::draws, input, block * calls_per_block) {}
  [[nodiscard]] std::uint32_t bits(unsigned count) {
    if (left_ < count) {
      word_ = sequence_.next();
      left_ = 64;
    }
    const std::uint64_t low = word_ & ((std::uint64_t{1} << count) - 1);
    word_ >>= count;
    left_ -= count;
    return static_cast<std::uint32_t>(low);
  }

 private:
  static constexpr std::uint64_t calls_per_block = 64;  ///< of the generator
  RandomSequence sequence_;
  std::uint64_t word_ = 0;
  unsigned left_ = 0;
};

}  // namespace tailbound::sim
