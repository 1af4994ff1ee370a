#pragma once

#include <tailbound/numeric/philox.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

/// Random numbers for random networks: a function of the seed and of their purpose.
///
/// SOURCE  Philox4x64 of Random123, as sim/random.hpp, under a key of its own.
/// Internal to the network module.
namespace tailbound::network {

class Draws {
 public:
  enum Purpose : std::uint64_t { permutation, failures, regular_graph };

  Draws(std::uint64_t seed, Purpose purpose) : seed_(seed), purpose_(purpose) {}

  /// 0 .. count - 1, with equal probability up to 2^-32.
  [[nodiscard]] std::uint32_t below(std::uint32_t count) {
    if (used_ == words_.size()) {
      const r123::Philox4x64::ctr_type counter{{index_++, 0, purpose_, 0}};
      const r123::Philox4x64::key_type key{{seed_, 0x6e6574776f726b73ULL}};
      const auto words = r123::Philox4x64{}(counter, key);
      for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = words[i];
      used_ = 0;
    }
    return static_cast<std::uint32_t>((std::uint64_t{count} * (words_[used_++] >> 32U)) >> 32U);
  }

 private:
  std::uint64_t seed_, purpose_, index_ = 0;
  std::array<std::uint64_t, 4> words_{};
  std::size_t used_ = words_.size();
};

}  // namespace tailbound::network
