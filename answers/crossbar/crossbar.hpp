#pragma once

#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/points/run.hpp>
#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/proved.hpp>
#include <tailbound/traffic/crossbar_scheduler.hpp>

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

/// Delay, buffers and maximum load of input-queued switches with uniform traffic.
///
/// MODEL     k inputs and outputs; an input receives a cell in a slot with probability `load`, with a
///           uniform output, or sends bursts that keep their output. `speedup` matchings per slot. D: slots
///           from the arrival to the departure. Buffers include the cells about to leave.
/// RESULT    every number with its kind. tdm, load-balanced, ccf and maximum loads: exact, enclosures,
///           bounds (queue/crossbar). fifo: a fitted formula; others: interpolated simulations
///           (bounds/crossbar). The mean of the output-queued switch is a proved lower bound for every
///           scheduler and speedup
/// EXCLUDES  uneven destinations: simulated only
/// SOURCE    docs/derivations/crossbar.md
/// TESTS     tests/answers/crossbar/crossbar_test.cpp
namespace tailbound::answers {

/// A number of any kind.
template <class Unit>
using CrossbarNumber = std::variant<numeric::Exact<Unit>, numeric::Enclosure<Unit>, numeric::UpperBound<Unit>,
                                    numeric::Approximation<Unit>, numeric::Model<Unit>>;

/// Delay and buffers at a given load.
struct AtLoad {
  numeric::Rational load;  ///< of each input [cells/slot], above 0
};
/// The maximum load alone.
struct Saturation {};

struct CrossbarQuery {
  static constexpr std::int64_t max_ports = 4096, max_crosspoint = 1024;

  traffic::CrossbarScheduler scheduler = traffic::CrossbarScheduler::islip;
  std::int64_t inputs = 1;                                ///< k, 1 .. max_ports
  std::optional<std::int64_t> outputs{};                  ///< fifo and Saturation; default: as many as inputs
  std::variant<AtLoad, Saturation, MaxLoad> requested{};  ///< MaxLoad: of an input buffer
  std::optional<numeric::Rational> burst{};  ///< L, mean number of cells of one output in a row, above 1
  /// pim, islip: 0 until nothing is added; default ceil(log2 k).
  std::optional<std::int64_t> iterations{};
  std::int64_t crosspoint = 1;                   ///< cells per crosspoint
  std::optional<numeric::Rational> speedup{};    ///< phases per slot; default 1, ccf 2
  std::int64_t output_speedup = 1;               ///< fifo, Saturation: heads that an output takes per slot
  std::int64_t output_buffer = 1;                ///< fifo, Saturation: cells per output, with back-pressure
  std::vector<Slots> levels{};                   ///< P(D > t) is requested for these
  std::vector<numeric::Rational> percentiles{};  ///< of D, each above 0 and below 1
  std::optional<numeric::Rational> drop{};       ///< AtLoad: buffers for this probability
  queue::Accuracy accuracy{};

  [[nodiscard]] std::optional<numeric::Rational> load() const;
  /// Iterations of pim and islip: 0 until nothing is added.
  [[nodiscard]] std::int64_t rounds() const;
  [[nodiscard]] numeric::Rational phases() const;
};

/// Why no higher load is carried.
enum class LoadBasis {
  proved,      ///< for any traffic that no port carries more of
  backlogged,  ///< exact throughput of inputs that always have cells
  observed,    ///< 1 in simulations of uniform traffic
};

struct CrossbarLevel {
  Slots slots;
  /// P(D > slots); empty: above what is known of the tail.
  std::optional<CrossbarNumber<unit::Probability>> probability{};
  bool continued = false;  ///< below the simulated tails
};
struct CrossbarPercentile {
  numeric::Rational probability;  ///< p
  std::optional<Slots> slots{};   ///< smallest t with P(D <= t) >= p; empty: below what is known
  std::optional<numeric::Model<unit::Slot>> real{};  ///< of a model, before rounding up
  bool continued = false;
};
struct CrossbarBuffer {
  Packets cells;
  CrossbarNumber<unit::Probability> at;  ///< P(> cells), or a bound of it
  /// ccf, input buffer: k P(Q > cells), which is the bound.
  std::optional<CrossbarNumber<unit::Probability>> sum{};
  std::optional<numeric::Model<unit::Packet>> real{};  ///< of a model, before rounding up
  bool continued = false;
};

struct CrossbarAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  CrossbarNumber<unit::Load> maximum;   ///< of each input [cells/slot]
  LoadBasis basis = LoadBasis::observed;
  /// fifo: the limit of `maximum` for many ports.
  std::optional<numeric::Enclosure<unit::Load>> many_ports{};
  /// islip: throughput of pim with as many iterations under backlog.
  std::optional<CrossbarNumber<unit::Load>> matching{};
  bool near_matching = false;  ///< load above `matching` - 0.1: more iterations may help
  std::optional<numeric::Model<unit::Slot>> mean_all{};         ///< then: E[D] with all iterations
  std::optional<CrossbarNumber<unit::Slot>> mean{};             ///< E[D]
  std::optional<CrossbarNumber<unit::Slot>> output_queued{};    ///< E[D] of the output-queued switch
  std::optional<numeric::UpperBound<unit::Slot>> mean_bound{};  ///< maxweight
  bool sparse = false;   ///< few simulated points near the load: errors up to 10 %
  bool between = false;  ///< islip: with more iterations than simulated, taken as all
  std::vector<CrossbarLevel> above{};
  std::vector<CrossbarPercentile> percentiles{};
  std::optional<CrossbarBuffer> input{}, queue{}, output{};  ///< per input, per VOQ, per output
  std::optional<Packets> output_queued_buffer{};             ///< of the output-queued switch, same target
  /// MaxLoad: highest load that meets the target, and the next one, which misses it.
  std::optional<CrossbarNumber<unit::Load>> load{};
};

/// \throws InvalidArgument  a parameter out of range, or one that the scheduler does not have
/// \throws LoadTooHigh      the load is not carried
/// \throws NoAnswer         not known: the message says what is, and how to simulate it
[[nodiscard]] CrossbarAnswer answer(const CrossbarQuery& query, const Run& run = {});

}  // namespace tailbound::answers
