#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// Internal to the sim module.
namespace tailbound::sim::tree_engine {

/// Hides the origin of a number from the compiler, so that it is kept in a register.
inline void keep(std::size_t& number) {
  __asm__("" : "+r"(number));
}

using SixteenBytes = std::uint8_t __attribute__((vector_size(16)));

/// Row 16 + i of 16 bytes: a single 1 at position i. Rows below 16: all zero.
alignas(16) constexpr auto one_at = [] {
  std::array<std::uint8_t, 32 * 16> rows{};
  for (std::size_t i = 0; i < 16; ++i) rows[16 * (16 + i) + i] = 1;
  return rows;
}();

/// The queues of a switch with up to 16 ports, while they are short: the number of packets ahead of an
/// arrival, one byte per port in one vector. A joining packet adds a vector with a single 1; the number ahead
/// of it is read from a copy of the vector in memory. So a packet waits neither for the store of the previous
/// one nor at a branch.
class NearQueues {
 public:
  static constexpr std::uint32_t first = 16;     ///< the number of port 0
  static constexpr std::uint32_t nowhere = 0;    ///< number for a packet that does not join
  static constexpr std::uint32_t nothing = 255;  ///< the number ahead of such a packet

  /// \param limit  the longest queue at the start of a slot, at most 254 including all that may join in the
  /// slot
  NearQueues(std::int32_t* free, std::size_t radix, std::int32_t limit, std::int32_t capacity)
      : free_(free), radix_(radix), limit_(limit) {
    capacity_ += static_cast<std::uint8_t>(std::min(capacity, 255));
  }
  /// At the start of a slot: loads the queues from memory, if all are short.
  [[nodiscard]] bool come(std::int32_t slot) {
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t port = 0; port < radix_; ++port) {
      if (free_[port] - slot > limit_) return false;
      bytes[port] = static_cast<std::uint8_t>(std::max(free_[port] - slot, 0));
    }
    std::memcpy(&ahead_, bytes.data(), sizeof ahead_);
    return true;
  }
  /// Are they still short?
  [[nodiscard]] bool may_stay() const {
    const SixteenBytes limit = SixteenBytes{} + static_cast<std::uint8_t>(limit_);
    const SixteenBytes longer = (ahead_ > limit ? ahead_ : limit) ^ limit;
    std::uint64_t words[2];
    std::memcpy(words, &longer, sizeof words);
    return (words[0] | words[1]) == 0;
  }
  /// Stores them back.
  void go(std::int32_t slot) const {
    std::array<std::uint8_t, 16> bytes;
    std::memcpy(bytes.data(), &ahead_, sizeof ahead_);
    for (std::size_t port = 0; port < radix_; ++port) free_[port] = slot + bytes[port];
  }
  /// Packets ahead of an arrival, by port; initially `nothing`.
  using Found = std::array<std::uint8_t, 32>;
  /// A packet joins. The number of packets ahead of it is found[port].
  template <bool finite>
  void join(std::uint32_t port, Found& found) {
    std::memcpy(found.data() + first, &ahead_, sizeof ahead_);
    std::size_t half_rows = 2 * std::size_t{port};  // an address may contain 8 times a number, not 16 times
    keep(half_rows);
    SixteenBytes one;
    std::memcpy(&one, __builtin_assume_aligned(one_at.data() + 8 * half_rows, sizeof one), sizeof one);
    ahead_ += one;
    if constexpr (finite) ahead_ = ahead_ < capacity_ ? ahead_ : capacity_;
  }
  /// Each queue serves one packet.
  void serve() {
    const SixteenBytes one = SixteenBytes{} + 1;
    ahead_ = (ahead_ > one ? ahead_ : one) - one;
  }

 private:
  SixteenBytes ahead_{}, capacity_{};
  std::int32_t* free_;
  std::size_t radix_;
  std::int32_t limit_;
};

}  // namespace tailbound::sim::tree_engine
