#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Internal to the sim module.
namespace tailbound::sim::tree_engine {

constexpr std::uint32_t line =
    16;  ///< [packets] of a cache line; streams are padded by it to avoid cache set conflicts

/// Prefetches the data of the next switch while this one is simulated, a few lines in each slot: its 16 or
/// more streams are short pieces far apart, which hardware prefetchers do not predict.
template <class Packet, bool parents, bool writes, bool narrow>
class FetchAhead {
 public:
  struct Streams {
    const Packet* in;            ///< stream of input 0, at the start of the block
    std::size_t parents_offset;  ///< to those from the level above
    std::size_t in_stride;
    const Packet* out;  ///< stream of port 0, at the start of the ring
    std::size_t out_stride;
    std::uint32_t radix, start, ring_mask;
  };
  FetchAhead(const Streams& streams, std::uint32_t slot) : streams_(streams), piece_(slot / line * line) {
    begin_piece();
    i_ = slot % line;
    const std::size_t passed = std::min(i_, streams_.radix);
    in_ += passed * streams_.in_stride;
    out_ += passed * streams_.out_stride;
  }
  /// Once in each slot.
  void fetch() {
    if (i_ < streams_.radix) {
      fetch(in_, out_);
      if constexpr (!narrow)
        for (std::size_t i = line; i_ + i < streams_.radix; i += line)
          fetch(in_ + i * streams_.in_stride, out_ + i * streams_.out_stride);
      in_ += streams_.in_stride;
      out_ += streams_.out_stride;
    }
    if (++i_ == line) {
      piece_ += line;
      begin_piece();
    }
  }

 private:
  void begin_piece() {
    i_ = 0;
    in_ = streams_.in + piece_;
    const std::uint32_t column = (streams_.start + piece_) & streams_.ring_mask;
    out_ = streams_.out + column;
    next_line_ = static_cast<std::ptrdiff_t>((column + line) & streams_.ring_mask) -
                 static_cast<std::ptrdiff_t>(column);
  }
  void fetch(const Packet* in, const Packet* out) const {
    __builtin_prefetch(in, 1);
    if constexpr (parents) __builtin_prefetch(in + streams_.parents_offset, 1);
    if constexpr (writes) {
      __builtin_prefetch(out, 1);
      __builtin_prefetch(out + next_line_, 1);
    }
  }

  Streams streams_;
  std::uint32_t piece_, i_ = 0;
  const Packet *in_ = nullptr, *out_ = nullptr;
  std::ptrdiff_t next_line_ = 0;
};

}  // namespace tailbound::sim::tree_engine
