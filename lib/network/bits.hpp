#pragma once

#include <cstdint>

/// Internal to the network module.
namespace tailbound::network {

/// The lowest `bits` binary digits of a number, in reverse order.
[[nodiscard]] constexpr std::uint64_t bits_reversed(std::uint64_t value, std::uint64_t bits) {
  std::uint64_t result = 0;
  for (std::uint64_t i = 0; i < bits; ++i) result |= (value >> i & 1U) << (bits - 1 - i);
  return result;
}

}  // namespace tailbound::network
