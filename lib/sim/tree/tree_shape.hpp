#pragma once

#include <tailbound/sim/tree/fetch_ahead.hpp>
#include <tailbound/sim/tree/tree_replication.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

/// Quantities derived from a TreeModel for its simulation: sizes, strides, and the layout of packets.
/// Internal to the sim module.
namespace tailbound::sim::tree_engine {

constexpr int block_slots = 64;                 ///< number of slots simulated switch by switch
constexpr int max_marked = 3;                   ///< marked digits of a packet: as many as fit into 16 bits
constexpr int mark_bit = 4;                     ///< of a digit: the numbers of 16 ports and one for none
constexpr std::int32_t longest_queue = 28'000;  ///< [packets]
constexpr std::int32_t unlimited = std::numeric_limits<std::int32_t>::max();

/// The operation of a stage's switches on incoming packets.
enum class Role { up, down, last };

/// The kinds of ports of a switch. Up to 16 are few; if digits are marked, the absence of a packet has a
/// digit as well.
enum class Ports { many, few, marked };

/// Quantities derived from the model.
struct Shape {
  std::int64_t radix;
  int levels, stages;
  std::int64_t switches;  ///< of one level
  std::int64_t leaves;
  bool turning;                                 ///< nearest-ancestor: packets turn at their own level
  bool binary;                                  ///< the radix is a power of two, at most 256
  int digit_bits;                               ///< of one digit of a destination
  std::int64_t ring;                            ///< slots that a stream holds; a multiple of 64
  std::size_t stream_stride;                    ///< [packets]
  std::array<std::size_t, 16> switch_stride{};  ///< [digit]: between switches whose digits differ by 1
  std::size_t array_size;                       ///< of the streams between two stages
  std::uint64_t threshold;                      ///< load * 2^64; 0 represents load 1
  std::int32_t capacity;
  int flows;
  std::int64_t flow_spacing;
  std::optional<OnOffSlots> bursts{};
  bool keeps_paths;  ///< bursts do
  double longest_likely_wait;

  explicit Shape(const TreeModel& model);
  [[nodiscard]] int level(int stage) const { return stage < levels - 1 ? stage + 1 : 2 * levels - 1 - stage; }
  [[nodiscard]] std::int64_t power(int exponent) const {
    std::int64_t value = 1;
    for (int i = 0; i < exponent; ++i) value *= radix;
    return value;
  }
  /// Start of the streams of a switch in an array.
  [[nodiscard]] std::size_t position(std::int64_t at) const {
    std::size_t sum = 0;
    for (std::size_t digit = 0; at != 0; ++digit, at /= radix)
      sum += static_cast<std::size_t>(at % radix) * switch_stride[digit];
    return sum;
  }
  [[nodiscard]] bool narrow() const { return radix <= 16; }
  /// Waits below this stay within the ring from every slot of a block.
  [[nodiscard]] std::int32_t wait_limit() const { return static_cast<std::int32_t>(ring - block_slots); }
};

template <class Packet>
constexpr int packet_bits = std::numeric_limits<Packet>::digits;

/// Layout of a packet: destination digits (lowest first), with per-burst routes the ports up from level 2 on,
/// turning level - 1, number of its observed flow + 1, slot of sending; the top bit is set, so 0 is no
/// packet. Marked digits have four bits and a fifth that is set, so the digits of no packet differ from all
/// others.
struct Layout {
  bool marked;
  int digit_stride, path_shift, turn_shift, flow_shift, birth_shift, birth_bits;
  /// The digits of a packed number, and the factor that moves each to its position (vectors of 16-bit numbers
  /// have a product that compilers find, but no shift by a variable).
  std::array<std::uint16_t, max_marked> digits{}, factors{};
  std::uint32_t marks = 0;
  Layout(const Shape& shape, int bits, bool marked_digits)
      : marked(marked_digits),
        digit_stride(marked ? mark_bit + 1 : shape.digit_bits),
        path_shift(shape.levels * digit_stride),
        turn_shift(path_shift + (shape.keeps_paths ? std::max(shape.levels - 2, 0) * shape.digit_bits : 0)),
        flow_shift(turn_shift + (shape.turning ? 4 : 0)),
        birth_shift(flow_shift + static_cast<int>(std::bit_width(static_cast<unsigned>(shape.flows)))),
        birth_bits(bits - 1 - birth_shift) {
    for (int i = 0; marked && i < std::min(shape.levels, max_marked); ++i) {
      const auto at = static_cast<std::size_t>(i);
      digits[at] = static_cast<std::uint16_t>(((1U << shape.digit_bits) - 1) << (i * shape.digit_bits));
      factors[at] = static_cast<std::uint16_t>(1U << (i * (digit_stride - shape.digit_bits)));
      marks |= 1U << (i * digit_stride + mark_bit);
    }
  }
  /// Can delays of several times the likely maximum be distinguished? (With per-burst routes, of twice that,
  /// as a long delay needs as many rare events as there are queues on a route.)
  [[nodiscard]] bool fits(const Shape& shape) const {
    if (marked && shape.levels > max_marked) return false;
    return birth_bits >= 10 && birth_bits < 40 &&
           std::ldexp(1.0, birth_bits) > (shape.keeps_paths ? 2 : 4) * shape.stages *
                                             std::min<double>(shape.longest_likely_wait, shape.capacity);
  }
};

}  // namespace tailbound::sim::tree_engine
