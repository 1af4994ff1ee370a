#pragma once

#include <tailbound/bounds/sizing/output_queue.hpp>

#include <cstdint>
#include <memory>

/// Incast: senders that answer at the same time.
///
/// MODEL     An event begins, in a slot in which none runs, with a probability; then `senders` send `packets` each, one a
///           slot each, so that `senders` packets come to the output in each of `packets` slots. One packet is served a slot.
/// RESULT    While an event runs the output never idles. Put into one slot, an event is a batch of
///           M = (senders - 1) packets + 1: what queue that leaves is that of a slotted queue, at the end of events and
///           between them, whatever its room; P(Q > n) of all slots is a mixture of that queue's tails, and the packets lost
///           are the same. Enclosures (docs/derivations/incast.md).
/// EXCLUDES  events that overlap; senders faster or slower than the output
/// TESTS     tests/bounds/sizing/incast_queue_test.cpp
namespace tailbound::bounds {

struct Incast {
  static constexpr std::int64_t most_senders = 65'536, most_packets = 65'536, most_batch = 8192;

  std::int64_t senders = 1, packets = 1;
  numeric::Rational rate;  ///< events a slot, above 0, below 1 / packets

  [[nodiscard]] numeric::Rational load() const;  ///< senders packets rate
  [[nodiscard]] numeric::Rational start()
      const;  ///< probability that an event begins in a slot in which none runs
  [[nodiscard]] std::int64_t batch() const { return (senders - 1) * packets + 1; }  ///< M
};

/// \throws InvalidArgument  a field out of range
/// \throws Unstable         load() >= 1
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(const Incast& incast,
                                                        const queue::Accuracy& accuracy = {});

}  // namespace tailbound::bounds
