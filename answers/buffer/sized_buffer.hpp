#pragma once

#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/traffic/packet_sizes.hpp>

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Buffer size in cells of an output queue for packets of several sizes, and the packet loss ratio by size.
///
/// MODEL     bounds/sizing/packet_loss.hpp for packets that arrive whole, queue/tail_bounds/train_bound.hpp
/// for those that arrive cell by cell
/// TESTS     tests/answers/buffer/sized_buffer_test.cpp
namespace tailbound::answers {

/// How the cells of a packet arrive at the queue.
enum class CellArrival {
  whole,  ///< all in one slot: store and forward
  cells,  ///< one per slot: cut-through, links as fast as the output
};
[[nodiscard]] constexpr auto names_of(CellArrival) {
  return std::array{"whole", "cells"};
}

/// The criterion.
enum class SizedCriterion {
  overflow,     ///< P(Q > B), in cells, for an infinite buffer
  packet_loss,  ///< the fraction of packets that lose at least one cell
  cell_loss,    ///< the fraction of cells lost
};
[[nodiscard]] constexpr auto names_of(SizedCriterion) {
  return std::array{"overflow", "loss", "cell-loss"};
}

struct SizedBufferQuery {
  std::int64_t inputs = 1;  ///< of a switch with as many outputs
  numeric::Rational
      load;  ///< cells per slot, above 0; below 1, except for losses of packets that arrive whole
  std::string sizes_name;  ///< "imix", a list or a file, as typed
  traffic::PacketSizes sizes;
  std::int64_t cell_bytes = 64;
  CellArrival arrive = CellArrival::whole;
  std::variant<MinBuffer, ProbabilityOf> requested;  ///< in cells
  SizedCriterion criterion = SizedCriterion::overflow;
  queue::Accuracy accuracy{};

  [[nodiscard]] std::optional<numeric::Rational> drop() const;
};

/// Packets of one size. If nothing better is known, their loss ratio is at most that of all packets divided
/// by their share.
struct SizeLoss {
  std::int64_t bytes = 0, cells = 0;
  numeric::Rational share;                                  ///< of the packets
  std::optional<numeric::Claim<unit::Probability>> loss{};  ///< the fraction of them lost, or an upper bound
};

/// Approximation with geometric trains in place of the packets, everything else identical. Proved values
/// replace it where they exist.
struct GeometricApproximation {
  numeric::Rational length;                            ///< g [cells], 2 g - 1 = E[L^2] / E[L]
  std::optional<numeric::Model<unit::Packet>> buffer;  ///< MinBuffer: the minimum [cells]
  numeric::Model<unit::Probability> at;                ///< the criterion at the answer's `buffer`
  numeric::Model<unit::Packet> mean_occupancy;         ///< [cells]
};

struct SizedBufferAnswer {
  static constexpr bool stored = true;   ///< as bytes, for parts and ranks (points/stored.hpp)
  Packets buffer;                        ///< [cells], including the one in service; computed, or as given
  numeric::Claim<unit::Probability> at;  ///< the criterion at `buffer`
  /// At buffer - 1, above the target; none if `at` is a bound.
  std::optional<numeric::Claim<unit::Probability>> before{};
  numeric::Claim<unit::Probability> cell_loss;  ///< fraction of the cells lost at `buffer`
  std::optional<numeric::Claim<unit::Probability>> packet_loss{};
  /// [cells]; none in overload, where an infinite buffer has none
  std::optional<numeric::Claim<unit::Packet>> mean_occupancy{};
  /// log z0 [1/cell]: the tail falls by exp(-decay_rate) per cell; at least that if it is a bound
  std::variant<std::optional<numeric::Enclosure<unit::PerPacket>>, numeric::LowerBound<unit::PerPacket>>
      decay_rate;
  std::vector<SizeLoss> classes;
  numeric::Rational mean_cells;                      ///< E[L]
  std::optional<bounds::Computation> computation{};  ///< of the queue of cells; none for a bound
  /// Alongside bounds; none for one input, and if it would take too long.
  std::optional<GeometricApproximation> approximation{};

  /// Are all numbers bounds?
  [[nodiscard]] bool bound_only() const { return !computation; }
  /// Is `at` a bound? For packets that arrive cell by cell, the packet loss is known only from the cell loss.
  [[nodiscard]] bool at_bound() const {
    return std::holds_alternative<numeric::UpperBound<unit::Probability>>(at);
  }
};

/// \throws InvalidArgument  inputs, load or target out of range; a non-default arithmetic with
///                          CellArrival::cells
/// \throws NoAnswer, LimitExceeded  as bounds::buffer_size(), queue::source_bound()
[[nodiscard]] SizedBufferAnswer answer(const SizedBufferQuery& query, const Run& run = {});

}  // namespace tailbound::answers
