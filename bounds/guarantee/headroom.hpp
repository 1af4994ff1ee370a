#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What a lossless input buffer must still take after it has asked the sender to pause, and how many credits keep a link full.
///
/// MODEL     A receiver decides to pause at an instant, and the buffer must hold every byte that comes later. The pause frame
///           is ready `receiver_latency` later, waits for a packet that has just begun in its direction, is sent, passes the
///           wire, and is obeyed `sender_latency` after its last bit: the sender begins no packet any more, and finishes the
///           one under way. What is on the wire still comes. On the line each packet takes its length and `overhead`.
/// RESULT    Proved: no sender and no moment lets in more; next to attained by packets of the greatest length. x = line bytes
///           of these times; bytes stored <= floor(x/(L + o)) L + min(x mod (L + o), L) + L, for packets of at most L bytes and
///           an overhead of o. In cells: the greatest number over all lengths of packets, exactly.
/// SOURCE    docs/derivations/policed_traffic.md, section 6
/// EXCLUDES  pauses that end by themselves (a timer that is not set anew); other frames that are sent before the pause frame
///           (but one under way): they belong to the receiver's latency; clocks that differ: `rate` is that of the faster, and
///           `return_rate` that of the slower; thresholds that move while a packet comes in, in buffers that count packets
///           once they are complete: a packet more.
/// TESTS     tests/bounds/guarantee/headroom_test.cpp
namespace tailbound::bounds {

/// Lengths of packets, their own header and checksum included [bytes].
struct PacketLengths {
  std::int64_t shortest = 64;
  std::int64_t longest = 1518;
};

/// A link whose receiver can stop its sender. Times in ns.
struct PausingLink {
  numeric::Rational rate;                        ///< C [bit/s], above 0
  std::optional<numeric::Rational> return_rate;  ///< of the direction of pause frames [bit/s]; none: the same
  numeric::Rational cable = 0;                   ///< [m]
  numeric::Rational delay_per_metre = 5;
  numeric::Rational fixed_delay = 0;       ///< of each direction besides: transceivers, coding
  numeric::Rational receiver_latency = 0;  ///< until the pause frame is ready to be sent
  numeric::Rational sender_latency =
      0;                  ///< from the last bit of the pause frame until it is obeyed: pause_quanta()
  PacketLengths packets;  ///< of what is paused: the class, not the link
  std::int64_t longest_return = 1518;  ///< of all classes of the direction of pause frames [bytes]
  std::int64_t pause_frame = 64;       ///< [bytes]
  std::int64_t overhead = 20;          ///< o: preamble and gap of a packet [bytes]
  bool overhead_stored = false;        ///< preamble and gap take room in the buffer too: safe, too much
};

/// 802.3 states a sender's latency in quanta of 512 bit times: these in ns.  \throws InvalidArgument  negative; no rate
[[nodiscard]] numeric::Rational pause_quanta(std::int64_t quanta, const numeric::Rational& rate);

/// What adds to the headroom.
struct HeadroomTerm {
  std::string name;
  numeric::Rational time;   ///< [ns]
  numeric::Rational bytes;  ///< of the line at its rate; below 0 where it is taken off
};

struct Headroom {
  std::vector<HeadroomTerm> terms;  ///< at last what is taken off as it is not stored
  numeric::Rational sum;            ///< of their bytes
  std::int64_t bytes = 0;           ///< rounded up: proved
};

/// \throws InvalidArgument  rates not above 0, negative times or lengths, packets shorter than a byte, the shortest above the
///                          longest  \throws LimitExceeded  above 10^15 bytes
[[nodiscard]] Headroom headroom(const PausingLink& link);

/// The headroom in cells of `cell` bytes, of which each packet fills the last one in part. At most what the bytes would take
/// as the worst packets, as short packets need more of the line.
/// \throws InvalidArgument  as headroom(); a cell below 1 byte  \throws LimitExceeded  above 10^7 packets
[[nodiscard]] std::int64_t headroom_cells(const PausingLink& link, std::int64_t cell);

/// The most cells that packets of `bytes` bytes together can need: the greatest sum of ceil(l / cell) over any number of
/// packets whose lengths sum to at most `bytes`. Exact.  \throws as headroom_cells()
[[nodiscard]] std::int64_t most_cells(std::int64_t bytes, const PacketLengths& packets, std::int64_t cell);

/// The round trip of a link with credits: from the last bit of a packet at the sender until its credit is back.
/// MODEL     As above, with credits in place of pauses: a packet takes credits of its length as it begins, the receiver frees
///           them at most `receiver_latency` after its last bit, and a report of all that is free waits, is sent (`pause_frame`)
///           and is used as above. A sender always has packets, of any lengths, and sends each once it has credits for it.
/// RESULT    Proved: with so many credits the link never waits for them. Packets of one length need as many but for one packet.
struct Credits {
  numeric::Rational round_trip;  ///< [ns]
  std::int64_t bytes = 0;        ///< also the room of the buffer
};
/// \throws as headroom()
[[nodiscard]] Credits credits(const PausingLink& link);
/// The same where a packet takes a credit for each cell that it needs.  \throws as headroom_cells()
[[nodiscard]] std::int64_t credit_cells(const PausingLink& link, std::int64_t cell);

}  // namespace tailbound::bounds
