#pragma once

#include <tailbound/bounds/sizing/incast_queue.hpp>
#include <tailbound/queue/priority/joint_file.hpp>
#include <tailbound/series/files/pmf_file.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The traffic of an output queue, as described by the user: one variant for all commands.
///
/// TESTS     tests/golden/traffic_files_test.cpp
namespace tailbound::answers {

/// `inputs` independent inputs that share the load equally.
struct EqualInputs {
  static constexpr std::int64_t maximum = 1'048'576;
  std::int64_t inputs = 1;  ///< 1 .. most
  /// rho [packets/slot]; empty if it is the unknown.
  std::optional<numeric::Rational> load{};
};

/// Independent inputs with individual rates [packets/slot], each 0 .. 1.
struct UnequalInputs {
  std::vector<numeric::Rational> rates;
};

/// Poisson-distributed total number of packets in each slot.
struct PoissonArrivals {
  std::optional<numeric::Rational> load{};  ///< as of EqualInputs
};

/// Poisson arrivals in continuous time, each served for one slot: M/D/1.
struct PoissonAtAnyTime {
  std::optional<numeric::Rational> load{};  ///< as of EqualInputs
};

/// The inputs of a switch with as many outputs, all equally loaded, that send in bursts. The query is about
/// one output.
struct BurstyInputs {
  std::int64_t inputs = 1;
  /// Of each input and each output [packets/slot]; empty if it is the unknown.
  std::optional<numeric::Rational> load{};
  traffic::Burst burst;  ///< of an input: all its packets, to any output
  traffic::Destination destination = traffic::Destination::per_burst;
};

/// A generating function A(z) of the packets in a slot, or named distributions.
struct GeneratingFunction {
  std::string formula;        ///< as typed
  series::Arrivals arrivals;  ///< as parsed
};

/// Probabilities of 0, 1, 2, ... packets in a slot.
struct Probabilities {
  std::string name;  ///< of the file
  series::Arrivals arrivals;
  numeric::Rational sum = 1;  ///< of the probabilities in the file, which are normalized by it
  std::string format{};       ///< of the program that printed them, if recognized
};

/// Matrices D_0, D_1, ...: packets and phase transitions (a D-BMAP).
struct Blocks {
  std::string name;  ///< of the file
  queue::MarkovArrivals arrivals;
  numeric::Rational deviation =
      0;  ///< from 1, of the sums in the file, by which rows are divided: the largest
};

/// One of several classes with strict priority at an output (queue/priority/priority_queue.hpp).
struct TrafficClass {
  static constexpr std::size_t max_classes = 8;
  /// Inputs that share the loads equally and send at most one packet per slot each, of any class; or the file
  /// of `joint`.
  std::int64_t inputs = 0;
  std::string name{};
  std::vector<numeric::Rational> loads;  ///< of each class [packets/slot], the one served first in front
  std::vector<queue::ClassPackets> joint{};
  int priority = 1;  ///< the selected class; 1 is served first
  /// Buffers of the classes before the selected one; losses depend on them. Empty: infinite.
  std::vector<Packets> higher_buffers{};
  numeric::Rational sum = 1;  ///< of the probabilities in the file, which are normalized by it
};

using Source = std::variant<EqualInputs, UnequalInputs, PoissonArrivals, BurstyInputs, GeneratingFunction,
                            Probabilities, Blocks, PoissonAtAnyTime, TrafficClass, bounds::Incast>;

struct Traffic {
  static constexpr int max_packets_per_slot = 64;
  Source source;
  int packets_per_slot = 1;  ///< C, served per slot: 1 .. 64; 1 with classes
  /// Of a model fitted to a trace: did it pass its tests? Without trust nothing follows for the trace.
  std::optional<bool> trusted_fit{};
};

/// Reads A(z), or named distributions (series/laws/named_laws.hpp).
/// \param argument  its name in messages
/// \throws ParseError, InvalidArgument  it cannot be read, or does not generate a distribution
[[nodiscard]] GeneratingFunction generating_function(const std::string& formula, const std::string& argument);

using series::Normalise;

/// Reads probabilities, one per line (series/files/pmf_file.hpp).
/// \param name  of the file, for messages
/// \throws ParseError, InvalidArgument
[[nodiscard]] Probabilities probabilities(const std::string& text, const std::string& name,
                                          Normalise normalise = Normalise::rounding);

/// Reads matrices as JSON or CSV (queue/arrivals/blocks_file.hpp).
/// \param name  of the file, for messages
/// \throws ParseError, InvalidArgument
[[nodiscard]] Blocks blocks(const std::string& text, const std::string& name,
                            Normalise normalise = Normalise::rounding);

/// Reads the joint distribution of the packets of each class in a slot (queue/priority/joint_file.hpp).
/// \param name  of the file, for messages
/// \return the first of its classes
/// \throws ParseError
[[nodiscard]] TrafficClass joint_classes(const std::string& text, const std::string& name,
                                         Normalise normalise = Normalise::rounding);

/// \throws InvalidArgument  load, mean burst and on-rate are inconsistent, or there is no load
void check(const BurstyInputs& inputs);
/// \throws InvalidArgument  no load, more than max_classes of them, one at or below 0, or more than one
///                          packet per slot and input
void check(const TrafficClass& classes);

/// The arrivals at one output.
/// \throws InvalidArgument  as check()
[[nodiscard]] queue::MarkovArrivals arrivals(const BurstyInputs& inputs);

/// How the load of traffic is varied that is not independent inputs or one distribution.
struct LoadScale {
  numeric::Rational unit = 1;  ///< load [packets/slot] where the parameter is 1
  numeric::Rational limit;     ///< largest parameter that is possible
  bool attained = true;        ///< is its load possible itself, or only those below?
};

/// Bursts, events of incast and the proportions of classes are kept. Packets of matrices and of a joint
/// distribution are thinned, each kept with the same probability, so their loads do not exceed their own.
[[nodiscard]] LoadScale load_scale(const Traffic& traffic);
/// \param parameter  above 0, at most load_scale().limit
[[nodiscard]] Traffic at_load(Traffic traffic, const numeric::Rational& parameter);

/// The traffic in the slots of a link and switch that are `speedup` times as fast: inputs with bursts send as
/// much per burst, in as many slots more; the packets of classes are as many in so many slots more.
/// \param share  1 / speedup, above 0, at most 1
/// \throws InvalidArgument  matrices or incast, whose shape in time is fixed
[[nodiscard]] Traffic sped_up(Traffic traffic, const numeric::Rational& share);

/// Is the traffic correlated between slots?
[[nodiscard]] bool correlated(const Traffic& traffic);

/// rho [packets/slot]; empty if it is irrational, or unknown.
[[nodiscard]] std::optional<numeric::Rational> load_of(const Traffic& traffic);

/// Its arrivals, independent from slot to slot. Without a load, at a positive one that represents the form of
/// the traffic. For PoissonAtAnyTime the slotted queue with the same P(Q > n), but not the same loss.
/// \throws InvalidArgument  correlated traffic; a load or number of inputs out of range; PoissonAtAnyTime
///                          with
///                          several packets served per slot
[[nodiscard]] queue::SlottedQueue slotted_queue(const Traffic& traffic);

/// \throws InvalidArgument  several packets per slot with classes; a non-default arithmetic with correlated
///                          traffic; a load, a burst or a number of inputs out of range
/// \throws Unstable
[[nodiscard]] std::unique_ptr<bounds::OutputQueue> output_queue(const Traffic& traffic,
                                                                const queue::Accuracy& accuracy = {});

}  // namespace tailbound::answers
