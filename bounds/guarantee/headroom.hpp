#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Headroom of a lossless input buffer after it has requested a pause, and the credits that keep a link full.
///
/// MODEL     A receiver decides to pause at an instant, and the buffer must store every byte that arrives
///           later. The pause frame is ready `receiver_latency` later, waits for a packet that has just begun
///           in its direction, is sent, crosses the link, and is obeyed `sender_latency` after its last bit:
///           the sender starts no further packet and finishes the current one. Data on the link still
///           arrives. On the line each packet takes its length plus `overhead`.
/// RESULT    Proved: no sender and no timing admits more; nearly attained by packets of the maximum length. x
///           = line bytes of these times; bytes stored <= floor(x/(L + o)) L + min(x mod (L + o), L) + L, for
///           packets of at most L bytes and an overhead of o. In cells: the exact maximum over all packet
///           lengths.
/// SOURCE    docs/derivations/policed_traffic.md, section 6
/// EXCLUDES  pauses that expire (a timer that is not renewed); other frames sent before the pause frame,
///           except one under way: include them in the receiver's latency; different clocks: `rate` is that
///           of the faster, `return_rate` that of the slower; thresholds that change while a packet arrives,
///           in buffers that count only complete packets: one packet more.
/// TESTS     tests/bounds/guarantee/headroom_test.cpp
namespace tailbound::bounds {

/// Packet lengths including header and checksum [bytes].
struct PacketLengths {
  std::int64_t shortest = 64;
  std::int64_t longest = 1518;
};

/// A link whose receiver can pause its sender. Times in ns.
struct PausingLink {
  numeric::Rational rate;                        ///< C [bit/s], above 0
  std::optional<numeric::Rational> return_rate;  ///< rate of the direction of pause frames [bit/s]; none: the
                                                 ///< same
  numeric::Rational cable = 0;                   ///< [m]
  numeric::Rational delay_per_metre = 5;
  numeric::Rational fixed_delay = 0;       ///< additional, per direction: transceivers, coding
  numeric::Rational receiver_latency = 0;  ///< until the pause frame is ready to send
  numeric::Rational sender_latency =
      0;                  ///< from the last bit of the pause frame until it is obeyed: pause_quanta()
  PacketLengths packets;  ///< of the paused traffic: the class, not the link
  std::int64_t longest_return = 1518;  ///< longest packet of all classes in the direction of pause frames
                                       ///< [bytes]
  std::int64_t pause_frame = 64;       ///< [bytes]
  std::int64_t overhead = 20;          ///< o: preamble and gap per packet [bytes]
  bool overhead_stored = false;        ///< preamble and gap also occupy the buffer: conservative
};

/// 802.3 states a sender's latency in quanta of 512 bit times: these in ns.  \throws InvalidArgument
/// negative; no rate
[[nodiscard]] numeric::Rational pause_quanta(std::int64_t quanta, const numeric::Rational& rate);

/// A component of the headroom.
struct HeadroomTerm {
  std::string name;
  numeric::Rational time;   ///< [ns]
  numeric::Rational bytes;  ///< line bytes at its rate; negative if subtracted
};

struct Headroom {
  std::vector<HeadroomTerm> terms;  ///< the last ones are subtracted, as they are not stored
  numeric::Rational sum;            ///< sum of their bytes
  std::int64_t bytes = 0;           ///< rounded up: proved
};

/// \throws InvalidArgument  rates not above 0, negative times or lengths, packets shorter than a byte, the
///                          shortest above the longest  \throws LimitExceeded  above 10^15 bytes
[[nodiscard]] Headroom headroom(const PausingLink& link);

/// The headroom in cells of `cell` bytes; each packet may fill its last cell only partly. At most the cells
/// that the bytes need as worst-case packets, since short packets use more of the line.
/// \throws InvalidArgument  as headroom(); a cell below 1 byte  \throws LimitExceeded  above 10^7 packets
[[nodiscard]] std::int64_t headroom_cells(const PausingLink& link, std::int64_t cell);

/// Maximum number of cells for packets of `bytes` bytes together: the largest sum of ceil(l / cell) over any
/// number of packets whose lengths sum to at most `bytes`. Exact.  \throws as headroom_cells()
[[nodiscard]] std::int64_t max_cells(std::int64_t bytes, const PacketLengths& packets, std::int64_t cell);

/// The round trip of a link with credits: from the last bit of a packet at the sender until its credit is
/// back.
/// MODEL     As above, with credits instead of pauses. A packet takes credits for its length when it starts.
///           The receiver frees them at most `receiver_latency` after its last bit, and a report of all free
///           credits waits, is sent (`pause_frame`) and is used as above. The sender always has packets, of
///           any lengths, and sends each once it has the credits.
/// RESULT    Proved: with this many credits the link never waits for credits. Packets of one length need as
///           many, less one packet.
struct Credits {
  numeric::Rational round_trip;  ///< [ns]
  std::int64_t bytes = 0;        ///< also the buffer size
};
/// \throws as headroom()
[[nodiscard]] Credits credits(const PausingLink& link);
/// The same with one credit per cell of a packet.  \throws as headroom_cells()
[[nodiscard]] std::int64_t credit_cells(const PausingLink& link, std::int64_t cell);

}  // namespace tailbound::bounds
