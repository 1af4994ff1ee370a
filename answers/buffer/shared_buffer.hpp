#pragma once

#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/queue/finite/shared_approximation.hpp>
#include <tailbound/traffic/packet_sizes.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// How much memory must the ports of one switch share?
///
/// MODEL     queue/finite/shared_memory.hpp
/// TESTS     tests/answers/buffer/shared_buffer_test.cpp
namespace tailbound::answers {

/// Inputs of one load, which send to all outputs alike.
struct EqualSwitchInputs {
  std::int64_t inputs = 1;
  numeric::Rational load;  ///< of each input [packets/slot], 0 .. 1
};
/// Inputs of loads of their own, which send to all outputs alike.
struct UnequalSwitchInputs {
  std::vector<numeric::Rational> rates;  ///< of the inputs [packets/slot], 0 .. 1
};
/// How much goes from where to where.
struct TrafficMatrix {
  std::string name;                                   ///< of the file it was read from
  std::vector<std::vector<numeric::Rational>> rates;  ///< [packets/slot], a row an input, a column an output
};

/// Reads rows of numbers between commas, an input a line; what is empty is 0. A first line of names makes the
/// first entry of each line a name, and these are left out. # begins a comment.
/// \param name  of the file, for messages
/// \throws ParseError, InvalidArgument
[[nodiscard]] TrafficMatrix traffic_matrix(const std::string& text, const std::string& name);

/// Packets of several cells, all of which come in one slot. Loads, rates, memories and the criterion are then those of
/// cells.
struct SwitchCells {
  std::string name;  ///< of the sizes: "imix", a list or a file, as typed
  traffic::PacketSizes sizes;
  std::int64_t cell_bytes = 64;
};

struct SharedBufferQuestion {
  std::variant<EqualSwitchInputs, UnequalSwitchInputs, TrafficMatrix> traffic;
  std::int64_t outputs = 1;                      ///< of a matrix, its columns
  std::optional<numeric::Rational> threshold{};  ///< alpha of a dynamic threshold; with Criterion::loss
  bounds::Criterion criterion = bounds::Criterion::overflow;
  std::variant<LeastBuffer, ProbabilityOf> asked;
  std::optional<SwitchCells> cells{};  ///< unless told, every packet is one

  [[nodiscard]] std::optional<numeric::Rational> drop() const;
};

struct SharedBufferAnswer {
  static constexpr bool stored = true;        ///< as bytes, for parts and ranks (points/stored.hpp)
  Packets memory;                             ///< proved to be enough, or as asked
  numeric::UpperBound<unit::Probability> at;  ///< of the criterion at `memory`
  /// Criterion::loss of packets of several cells: the fraction of the packets that lose one is at most this.
  std::optional<numeric::UpperBound<unit::Probability>> packets_at{};
  numeric::Exact<unit::Packet> mean;  ///< E[T]
  numeric::Rational output_load;      ///< of the busiest output [packets/slot]
  /// Where all outputs are alike: not proved.
  std::optional<numeric::Model<unit::Packet>> about{};          ///< the memory needed, where that is asked
  std::optional<numeric::Model<unit::Probability>> about_at{};  ///< the criterion at `memory` as asked
  std::optional<numeric::Approximation<unit::PacketsSquared>> variance{};  ///< Var T
  /// What a buffer of its own for each output needs for the same target.
  struct Dedicated {
    Packets port, total;  ///< of the output that needs most; of all
  };
  std::optional<Dedicated> dedicated{};
};

/// \throws InvalidArgument  as queue::uniform_switch(), queue::SharedMemory
/// \throws NoAnswer, LimitExceeded  as queue::SharedMemory, bounds::buffer_size()
[[nodiscard]] SharedBufferAnswer answer(const SharedBufferQuestion& question, const Run& run = {});

}  // namespace tailbound::answers
