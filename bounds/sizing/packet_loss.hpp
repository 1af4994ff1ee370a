#pragma once

#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/traffic/packet_sizes.hpp>

#include <optional>
#include <vector>

/// Packets damaged by a buffer of cells.
///
/// MODEL     Each of k inputs delivers a packet in a slot with probability x = rho / (k E[L]), with all its L
///           cells at once. The packets of a slot arrive in random order. If a packet does not fit, the cells
///           that fit are stored, but the packet is lost. One cell is served per slot; the buffer has B
///           cells, including the one in service.
/// RESULT    P(a packet of l cells loses any of them) = P(V + J > B - l), V the cells left over from earlier
///           slots, J those of the packets before it in its slot
/// SOURCE    docs/derivations/packet_sizes.md
/// TESTS     tests/bounds/sizing/packet_loss_test.cpp
namespace tailbound::bounds {

struct WholePackets {
  std::int64_t inputs = 1;  ///< k
  numeric::Rational load;   ///< rho [cells/slot], above 0 and below 1
  traffic::CellCounts cells;
};

/// A(z) = (1 - x + x L(z))^k, the cells of a slot.
/// \throws InvalidArgument  inputs outside 1 .. 2^20, a load that is not above 0
/// \throws Unstable         load >= 1
/// \throws LimitExceeded    packets of more than 4096 cells
[[nodiscard]] queue::SlottedQueue cell_queue(const WholePackets& packets);

struct PacketLoss {
  numeric::Enclosure<unit::Probability> all;                    ///< fraction of the packets
  std::vector<numeric::Enclosure<unit::Probability>> of_class;  ///< of those of each class of `cells`
};

/// To accuracy.digits; none where it would take too long (a buffer above about 1e5 cells, or a distribution
/// up to there beyond the limits of queue::occupancy_probabilities()).
/// \param capacity  B >= 0 cells
[[nodiscard]] std::optional<PacketLoss> packet_loss(const WholePackets& packets, Packets capacity,
                                                    const queue::Accuracy& accuracy = {});

}  // namespace tailbound::bounds
