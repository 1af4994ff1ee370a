#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/series/stop_loss.hpp>
#include <tailbound/traffic/packet_sizes.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// The memory that the output queues of one switch share.
///
/// MODEL     inputs independent of each other and from slot to slot, at most one packet per slot each, which
///           goes to output i with probability r_ji; each output serves one packet per slot. Packets may have
///           several cells, all of which arrive in one slot: then everything is in cells, and an input sends
///           a packet to i with probability r_ji / E[L]. T = Q_1 + ... + Q_N, counted just after the arrivals
///           of a slot; M the memory [packets], those in transmission included.
/// RESULT    proved upper bounds of P(T > M) with an infinite memory; of the fraction of packets lost where
///           all outputs share M packets freely; and of the same where a packet for output i is accepted only
///           if Q_i < alpha (M - T) on its arrival (a dynamic threshold). Large memories are counted in
///           blocks of cells, which raises the bounds by little (series::spread()).
/// SOURCE    docs/derivations/shared_memory.md
/// EXCLUDES  inputs that send bursts of single packets (the bounds do not hold), multicast
/// TESTS     tests/queue/finite/shared_memory_test.cpp
namespace tailbound::queue {

/// Maximum number of products for one answer: about ten seconds.
constexpr double max_products = 8e9;

/// Cells that are counted as one in sums of the queues of all outputs, so that `sums` of them over `size`
/// cells take about a second: 1 up to some 10 000 cells.
[[nodiscard]] std::size_t block_of(std::size_t size, double sums);

/// Every packet is one cell.
[[nodiscard]] traffic::CellCounts one_cell();

/// Rates from each input to each output.
struct SharedSwitch {
  /// Outputs with identical arrivals.
  struct Outputs {
    std::vector<numeric::Rational> rates;  ///< r_ji of each input j to one of them [cells/slot]
    std::int64_t count = 1;
  };
  std::vector<Outputs> outputs;
  std::vector<numeric::Rational> inputs;  ///< of each input to all outputs [cells/slot], 0 .. 1
  traffic::CellCounts cells = one_cell();

  [[nodiscard]] std::int64_t ports() const;      ///< N, outputs
  [[nodiscard]] numeric::Rational load() const;  ///< total [packets/slot]
  [[nodiscard]] bool uniform() const { return outputs.size() == 1; }
};

/// Inputs with the given rates [packets/slot], to each output with the same probability.
/// \throws InvalidArgument  a rate outside 0 .. 1 or below 1e-300, no input or more than 4096, outputs
///                          outside 1 .. 4096
/// \throws Unstable         an output is offered one packet per slot or more
[[nodiscard]] SharedSwitch uniform_switch(const std::vector<numeric::Rational>& rates, std::int64_t outputs);

/// \param rates  rates[j][i], of input j to output i
/// \throws as uniform_switch();  InvalidArgument also  rows of different lengths
[[nodiscard]] SharedSwitch matrix_switch(const std::vector<std::vector<numeric::Rational>>& rates);

/// The measure that the memory has to meet.
struct MemoryRule {
  enum class Measure {
    overflow,  ///< P(T > M), infinite memory
    loss,      ///< fraction of the packets lost; with a threshold, of those to the output that loses most
  };
  Measure measure = Measure::overflow;
  /// alpha, above 0; with `loss` only. None: complete sharing (any rule for which packet is dropped when
  /// full).
  std::optional<numeric::Rational> threshold{};
};

/// A sufficient memory, with the proved bound at it.
struct ProvedMemory {
  Packets memory;                             ///< smallest that the bound allows
  numeric::UpperBound<unit::Probability> at;  ///< the measure at `memory` is at most this
};

/// Caches its results. Not thread-safe.
class SharedMemory {
 public:
  static constexpr std::int64_t deepest = 4'000'000;  ///< memory [packets]

  /// \throws InvalidArgument  a threshold with overflow, or not from 1/1000 to 1000 with a denominator up to
  ///                          10^6
  SharedMemory(SharedSwitch fed, MemoryRule rule);

  /// Smallest M whose bound is at most `target`.
  /// COST  M (cells in a slot) products in long double, and up to 10^9 for the sum of all queues
  /// \param target  1e-600 .. below 1
  /// \throws LimitExceeded  more than 8e9 products, a memory above `deepest`
  [[nodiscard]] ProvedMemory minimum(const numeric::Rational& target);

  /// The bound at M.  \param memory  0 .. deepest
  /// \throws LimitExceeded  more than 8e9 products
  [[nodiscard]] numeric::UpperBound<unit::Probability> bound(Packets memory);

  /// Does Chernoff's bound, in double, already meet `target` at M? Costs little; false proves nothing.
  [[nodiscard]] bool surely_meets(Packets memory, const numeric::Rational& target) const;

  /// sum E[Q_i] [packets], exactly.
  [[nodiscard]] numeric::Rational mean() const;

  [[nodiscard]] const SharedSwitch& fed() const noexcept { return switch_; }
  [[nodiscard]] const MemoryRule& rule() const noexcept { return rule_; }

 private:
  /// A computed number, and the count of its relative errors.
  struct Value {
    long double value = 0;
    double units = 0;
  };
  void reach(std::size_t size);
  /// E[(T~ - a block)^+], in cells.
  [[nodiscard]] long double excess_of(std::size_t a) const {
    return total_.excess[a] * static_cast<long double>(block_);
  }
  [[nodiscard]] double level_of(double log_target) const;
  [[nodiscard]] Value value(std::int64_t memory) const;
  [[nodiscard]] Value threshold_value(std::size_t kind, std::int64_t memory) const;
  [[nodiscard]] std::int64_t guess(long double target) const;

  SharedSwitch switch_;
  MemoryRule rule_;
  std::int64_t up_ = 1, down_ = 1;  ///< alpha = up / down
  std::size_t size_ = 0, block_ = 1;
  series::StopLoss total_;  ///< of V_1 + ... + V_N + B, in blocks; no threshold
  /// Per kind of output: Q_i in cells, and the sum of the others in blocks.
  std::vector<series::StopLoss> own_, rest_;
};

/// Q of one output up to `size`.  \param rates  of the inputs to it, the sum below 1
/// \throws LimitExceeded  more than 10 000 cells may arrive in a slot
[[nodiscard]] series::StopLoss occupancy(const std::vector<numeric::Rational>& rates, std::size_t size,
                                         const traffic::CellCounts& cells = one_cell());

/// E[Q] of one output, exactly.
[[nodiscard]] numeric::Rational mean_occupancy(const std::vector<numeric::Rational>& rates,
                                               const traffic::CellCounts& cells = one_cell());

}  // namespace tailbound::queue
