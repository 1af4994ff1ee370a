#pragma once

#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/buffer/sized_buffer.hpp>
#include <tailbound/queue/finite/shared_approximation.hpp>
#include <tailbound/traffic/packet_sizes.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Size of a memory shared by the ports of one switch.
///
/// MODEL     queue/finite/shared_memory.hpp
/// TESTS     tests/answers/buffer/shared_buffer_test.cpp
namespace tailbound::answers {

/// Inputs of equal load with uniform destinations.
struct EqualSwitchInputs {
  std::int64_t inputs = 1;
  numeric::Rational load;  ///< of each input [packets/slot], 0 .. 1
};
/// Inputs of individual loads with uniform destinations.
struct UnequalSwitchInputs {
  std::vector<numeric::Rational> rates;  ///< of the inputs [packets/slot], 0 .. 1
};
/// Rates from each input to each output.
struct TrafficMatrix {
  std::string name;  ///< of the file it was read from
  std::vector<std::vector<numeric::Rational>>
      rates;  ///< [packets/slot], a row per input, a column per output
};

/// Reads rows of comma-separated numbers, one line per input; empty entries are 0. If the first line contains
/// names, the first entry of each line is a name too; names are ignored. # begins a comment.
/// \param name  of the file, for messages
/// \throws ParseError, InvalidArgument
[[nodiscard]] TrafficMatrix traffic_matrix(const std::string& text, const std::string& name);

/// Packets of several cells, all of which arrive in one slot. Loads, rates and memories then count cells.
struct SwitchCells {
  std::string name;  ///< of the size distribution: "imix", a list or a file, as typed
  traffic::PacketSizes sizes;
  std::int64_t cell_bytes = 64;
};

/// The maximum number of ports, as many inputs as outputs, at which a memory meets a target.
struct MaxPorts {
  Packets capacity;
  numeric::Rational drop;
};
/// The minimum threshold at which a memory meets a target, in hundredths.
struct MinThreshold {
  Packets capacity;
  numeric::Rational drop;
};

struct SharedBufferQuery {
  std::variant<EqualSwitchInputs, UnequalSwitchInputs, TrafficMatrix> traffic;
  std::int64_t outputs = 1;                      ///< columns of a matrix
  std::optional<numeric::Rational> threshold{};  ///< alpha of a dynamic threshold; with losses
  SizedCriterion criterion = SizedCriterion::overflow;
  /// MaxLoad, MaxPorts: of EqualSwitchInputs, whose load or number is then ignored, as is `outputs` of ports.
  std::variant<MinBuffer, ProbabilityOf, MaxLoad, MaxPorts, MinThreshold> requested;
  std::optional<SwitchCells> cells{};  ///< default: every packet is one cell

  [[nodiscard]] std::optional<numeric::Rational> drop() const;
  /// M as given.
  [[nodiscard]] std::optional<Packets> capacity() const;
};

struct SharedBufferAnswer {
  static constexpr bool stored = true;        ///< as bytes, for parts and ranks (points/stored.hpp)
  Packets memory;                             ///< proved to suffice, or as given
  numeric::UpperBound<unit::Probability> at;  ///< of the criterion at `memory`
  /// Losses where packets have several cells, of cells and of packets.
  std::optional<numeric::UpperBound<unit::Probability>> cell_loss{}, packet_loss{};
  numeric::Exact<unit::Packet> mean;  ///< E[T]
  numeric::Rational output_load;      ///< of the busiest output [packets/slot]
  /// The number requested, at which the bound meets the target: packets/slot of each input, ports, alpha.
  std::optional<numeric::Rational> met{};
  std::optional<numeric::Rational> missed{};  ///< the next one, at which the bound misses it
  /// If all outputs are identical: not proved.
  std::optional<numeric::Model<unit::Packet>> about{};          ///< the memory needed, if requested
  std::optional<numeric::Model<unit::Probability>> about_at{};  ///< the criterion at the given `memory`
  std::optional<numeric::Approximation<unit::PacketsSquared>> variance{};  ///< Var T
  /// Separate output buffers for the same target.
  struct Dedicated {
    Packets port, total;  ///< of the output with the largest buffer; of all outputs
  };
  std::optional<Dedicated> dedicated{};
};

/// \throws InvalidArgument  as queue::uniform_switch(), queue::SharedMemory
/// \throws NoAnswer, LimitExceeded  as queue::SharedMemory, bounds::buffer_size(), bounds::highest_load()
[[nodiscard]] SharedBufferAnswer answer(const SharedBufferQuery& query, const Run& run = {});

}  // namespace tailbound::answers
