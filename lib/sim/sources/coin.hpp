#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/random.hpp>

#include <cstdint>

/// A coin of any probability.
namespace tailbound::sim {

/// Its probability as a fraction of 2^64, which cannot represent 1.
struct Coin {
  std::uint64_t threshold = 0;
  bool certain = false;
  Coin() = default;
  explicit Coin(const numeric::Rational& probability) : certain(probability >= 1) {
    if (!certain)
      threshold = numeric::to_uint64(numeric::floor(probability * numeric::pow(numeric::Integer(2), 64)));
  }
  /// 64 independent draws.
  [[nodiscard]] std::uint64_t draw(RandomKey key, std::uint64_t purpose, std::uint64_t entity,
                                   std::uint64_t block) const {
    return certain ? ~std::uint64_t{0} : bernoulli_bits(key, purpose, entity, block * 16, threshold);
  }
};

}  // namespace tailbound::sim
