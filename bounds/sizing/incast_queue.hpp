#pragma once

#include <tailbound/bounds/sizing/output_queue.hpp>

#include <cstdint>
#include <memory>

/// Incast: many senders respond at the same time.
///
/// MODEL     In a slot without a running event, an event begins with a given probability. Then each of
///           `senders` sends `packets` packets, one per slot, so `senders` packets arrive at the output in
///           each of `packets` slots. C packets are served per slot, fewer than `senders`.
/// RESULT    While an event runs, the output serves C in every slot. Collapsed into one slot, an event is a
///           batch of M = (senders - C) packets + C: the queue at the end of events and between them is that
///           of a slotted queue, for any buffer of at least C. P(Q > n) over all slots is a mixture of that
///           queue's tails, and the packets lost are the same. Enclosures (docs/derivations/incast.md).
/// EXCLUDES  overlapping events; outputs as fast as all senders together
/// TESTS     tests/bounds/sizing/incast_queue_test.cpp
namespace tailbound::bounds {

struct Incast {
  static constexpr std::int64_t max_senders = 65'536, max_packets = 65'536, max_batch = 8192;

  std::int64_t senders = 1, packets = 1;
  numeric::Rational rate;  ///< events per slot, above 0, below 1 / packets

  [[nodiscard]] numeric::Rational load() const;  ///< senders packets rate
  [[nodiscard]] numeric::Rational start()
      const;  ///< probability that an event begins in a slot without a running one
  /// M
  [[nodiscard]] std::int64_t batch(std::int64_t served) const {
    return (senders - served) * packets + served;
  }
};

/// The same as matrices; the phase counts the slots of the running event.
/// \throws InvalidArgument  a field out of range
/// \throws NoAnswer         more senders or packets than such matrices may have
[[nodiscard]] queue::MarkovArrivals arrivals(const Incast& incast);

/// At a load() of C and more only losses are known: all others throw Unstable.
/// \param served  C [packets/slot]
/// \throws InvalidArgument  a field out of range; C not below the number of senders, except for one sender
[[nodiscard]] std::unique_ptr<OutputQueue> output_queue(const Incast& incast, int served = 1,
                                                        const queue::Accuracy& accuracy = {});

}  // namespace tailbound::bounds
