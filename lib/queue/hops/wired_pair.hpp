#pragma once

#include <tailbound/queue/hops/output_process.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Two successive slotted queues U and T, each with inputs of its own, of which those that lead from other queues send busy
/// runs.
///
/// MODEL     as queue_pair.hpp, but other queues feed U and T by OutputProcess. A packet that U serves goes on to T with
///           probability p; where hosts alone feed U, and their shares that go to T differ, the chain counts how many of
///           the packets at U are bound for T.
/// RESULT    the stationary law of (v, y, phases), v the packets that U has left over, y those at T just after the arrivals
///           of a slot; waits of a packet by its input. All terms are non-negative: probabilities are at most 1 and tails
///           fall by construction.
/// SOURCE    docs/derivations/any_network.md
/// EXCLUDES  sources that reach T by several inputs
/// TESTS     tests/queue/hops/wired_pair_test.cpp
namespace tailbound::queue {

/// A source of U's packets. Where it reaches T by other inputs, too, its packets of a slot take one of these ways.
struct FeedingHost {
  double rate = 0;    ///< packets/slot to U
  double share = 0;   ///< of these, that go on to T
  double around = 0;  ///< packets/slot to T, not by U
  double both = 0;  ///< P(a packet to U and one to T) in a slot: what queues before them delay may meet again
  double twice = 0;        ///< P(two packets to T, not by U)
  double rate_of_two = 0;  ///< P(two packets to U), beside `rate` of one; \pre around is 0
  friend bool operator==(const FeedingHost&, const FeedingHost&) = default;
  friend auto operator<=>(const FeedingHost&, const FeedingHost&) = default;
};

struct WiredPair {
  std::vector<FeedingHost> hosts;          ///< straight to U
  std::vector<OutputProcess> wires;        ///< of queues that feed U
  double forwarded = 0;                    ///< p, of all that U serves
  std::vector<double> other_hosts;         ///< straight to T [packets/slot]
  std::vector<OutputProcess> other_wires;  ///< of other queues that feed T
  std::size_t first_size = 0;              ///< v < first_size are looked at
  std::size_t second_size = 0;             ///< y < second_size; 1: U alone, without T
  bool counted = false;                    ///< count the packets at U bound for T; \pre no wires
  double gap = 0.3;                        ///< least relaxation rate of the queues involved, LoneQueue::gap

  friend bool operator==(const WiredPair&, const WiredPair&) = default;
  friend auto operator<=>(const WiredPair&, const WiredPair&) = default;
};

/// By which input of U a packet comes.
struct TaggedInput {
  bool wire = false;           ///< otherwise straight from a host
  std::size_t place = 0;       ///< among WiredPair::wires or hosts
  double ahead_forwarded = 0;  ///< p_J: share of the packets of U's other inputs that go on to T
  friend auto operator<=>(const TaggedInput&, const TaggedInput&) = default;
};

/// The phases of several output processes together; that of the first changes fastest.
class Phases {
 public:
  explicit Phases(std::vector<OutputProcess> wires);

  [[nodiscard]] std::size_t count() const noexcept { return masks_.size(); }
  /// Which of them are busy, a bit each.
  [[nodiscard]] unsigned mask(std::size_t phase) const { return masks_[phase]; }
  /// One slot of values[phase][cell].
  void move(double* values, std::size_t cells) const;
  /// P(n packets in a slot) if those of `mask` are busy, one of them left out.
  [[nodiscard]] std::vector<double> emitted(unsigned mask,
                                            std::size_t without = static_cast<std::size_t>(-1)) const;
  [[nodiscard]] std::vector<double> stationary_law() const;
  /// The number of a phase without that of one process.
  [[nodiscard]] std::size_t without(std::size_t phase, std::size_t wire) const;

 private:
  std::vector<OutputProcess> wires_;
  std::vector<unsigned> masks_;
};

/// One slot of the chain.
class PairChain {
 public:
  explicit PairChain(const WiredPair& pair);

  [[nodiscard]] std::size_t states() const noexcept { return states_; }  ///< of U, without phases
  [[nodiscard]] std::size_t cells() const noexcept { return states_ * size_; }
  [[nodiscard]] const Phases& phases() const noexcept { return phases_; }
  /// Of values[phase][state of U][y].  \param work  is overwritten  \param out  is added to nothing: overwritten
  void step(std::vector<double>& work, std::vector<double>& out) const;

 private:
  /// Where the states of U lead in a slot, and how many packets come to T with that.
  struct Moves {
    std::vector<std::size_t> begin;  ///< of each state of U
    std::vector<std::uint32_t> to;
    std::vector<double> with;  ///< P(n packets to T), n <= most_with_, of each of `to`
  };
  [[nodiscard]] Moves plain_moves(const std::vector<std::vector<double>>& arrivals, double forwarded) const;
  [[nodiscard]] Moves counted_moves(const WiredPair& pair) const;

  std::size_t states_, size_, most_with_ = 1;
  unsigned first_wires_;
  Phases phases_;
  std::vector<Moves> moves_;                ///< by which of U's wires are busy
  std::vector<std::vector<double>> feeds_;  ///< P(b) at T, by which of its other wires are busy
};

/// The stationary law of the chain.
class WiredLaw {
 public:
  /// \param tolerance  relative, of entries above 1e-13
  /// COST  first_size second_size phases (arrivals of a slot) per slot, some 5 to 10 / sqrt(gap) slots
  /// \throws LimitExceeded  no convergence; more than 20 wires
  WiredLaw(WiredPair pair, double tolerance);

  [[nodiscard]] const WiredPair& pair() const noexcept { return pair_; }
  /// [phase][state of U][y]
  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
  [[nodiscard]] const PairChain& chain() const noexcept { return chain_; }
  /// P(v packets left over at U)
  [[nodiscard]] std::vector<double> left_over() const;
  /// P(W_U = w)
  [[nodiscard]] std::vector<double> first_wait(const TaggedInput& input) const;
  /// P(W_U = w, W_T = w'), by w
  [[nodiscard]] std::vector<std::vector<double>> waits(const TaggedInput& input) const;
  [[nodiscard]] int slots() const noexcept { return slots_; }

  /// The law as that input's packet finds it: after the phases' move, weighted; its sum is 1.
  [[nodiscard]] std::vector<double> seen_by(const TaggedInput& input) const;
  /// P(j packets of its own slot ahead, b to T by other ways), given which wires are busy.
  [[nodiscard]] std::vector<std::vector<double>> others_ahead(const TaggedInput& input, unsigned mask) const;

 private:
  WiredPair pair_;
  PairChain chain_;
  std::vector<double> values_;
  int slots_ = 0;
};

}  // namespace tailbound::queue
