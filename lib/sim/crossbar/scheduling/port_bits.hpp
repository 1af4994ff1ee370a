#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

/// Sets of ports as machine words. Internal to the sim module.
namespace tailbound::sim {

/// \tparam words  64 ports each
template <std::size_t words>
struct PortBits {
  std::array<std::uint64_t, words> word{};

  static PortBits first(std::size_t count) {
    PortBits bits;
    for (std::size_t port = 0; port < count; ++port) bits.set(port);
    return bits;
  }
  void set(std::size_t port) { word[index(port)] |= bit(port); }
  void reset(std::size_t port) { word[index(port)] &= ~bit(port); }
  /// Without a branch.
  void reset_if(std::size_t port, bool condition) {
    word[index(port)] &= ~(static_cast<std::uint64_t>(condition) << (port % 64));
  }
  [[nodiscard]] bool test(std::size_t port) const { return (word[index(port)] & bit(port)) != 0; }
  [[nodiscard]] bool any() const {
    std::uint64_t all = 0;
    for (const std::uint64_t each : word) all |= each;
    return all != 0;
  }
  [[nodiscard]] std::size_t count() const {
    std::size_t sum = 0;
    for (const std::uint64_t each : word) sum += static_cast<std::size_t>(std::popcount(each));
    return sum;
  }
  friend PortBits operator&(PortBits a, const PortBits& b) {
    for (std::size_t i = 0; i < words; ++i) a.word[i] &= b.word[i];
    return a;
  }
  /// The first port of the set from `port` on, cyclically.  \pre any()
  [[nodiscard]] std::size_t from(std::size_t port) const {
    if constexpr (words == 1) {
      const std::uint64_t high = word[0] & (~std::uint64_t{0} << port);
      return static_cast<std::size_t>(std::countr_zero(high != 0 ? high : word[0]));
    }
    const std::size_t start = port / 64;
    if (const std::uint64_t high = word[start] >> (port % 64); high != 0)
      return port + static_cast<std::size_t>(std::countr_zero(high));
    for (std::size_t i = 1; i <= words; ++i) {
      const std::size_t at = (start + i) % words;
      if (word[at] != 0) return at * 64 + static_cast<std::size_t>(std::countr_zero(word[at]));
    }
    return words * 64;
  }
  /// The port of the given rank, 0 .. count() - 1.
  [[nodiscard]] std::size_t ranked(std::size_t rank) const {
    for (std::size_t i = 0; i < words; ++i) {
      const auto here = static_cast<std::size_t>(std::popcount(word[i]));
      if (rank >= here) {
        rank -= here;
        continue;
      }
      std::uint64_t rest = word[i];
      while (rank-- > 0) rest &= rest - 1;
      return i * 64 + static_cast<std::size_t>(std::countr_zero(rest));
    }
    return words * 64;
  }
  /// Calls visit(port) for every port of the set, in order; the set may change meanwhile.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < words; ++i)
      for (std::uint64_t rest = word[i]; rest != 0; rest &= rest - 1)
        visit(i * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
  }

 private:
  static constexpr std::size_t index(std::size_t port) { return words == 1 ? 0 : port / 64; }
  static constexpr std::uint64_t bit(std::size_t port) { return std::uint64_t{1} << (port % 64); }
};

}  // namespace tailbound::sim
