#pragma once

#include <tailbound/queue/hops/output_process.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Two successive slotted queues U and T, each with its own inputs. Inputs from other queues send busy runs.
///
/// MODEL     as queue_pair.hpp, but other queues feed U and T by OutputProcess. A packet that U serves goes
///           on to T with probability p; where only hosts feed U, and differ in the fraction they send on to
///           T, the chain counts the packets at U bound for T.
/// RESULT    the stationary distribution of (v, y, phases), v the packets left over at U, y those at T just
///           after the arrivals of a slot; waits of a packet by its input. All terms are non-negative:
///           probabilities are at most 1 and tails fall by construction.
/// SOURCE    docs/derivations/any_network.md
/// EXCLUDES  sources that reach T over several inputs
/// TESTS     tests/queue/hops/wired_pair_test.cpp
namespace tailbound::queue {

/// A source that sends packets to U. Where it also reaches T over other inputs, each of its packets takes one
/// of these paths.
struct FeedingHost {
  double rate = 0;    ///< packets/slot to U
  double share = 0;   ///< fraction of these that go on to T
  double around = 0;  ///< packets/slot to T, not through U
  double both = 0;    ///< P(a packet to U and one to T in the same slot): possible after queueing upstream
  double twice = 0;   ///< P(two packets to T, not through U)
  double rate_of_two = 0;  ///< P(two packets to U), in addition to `rate` of one; \pre around is 0
  friend bool operator==(const FeedingHost&, const FeedingHost&) = default;
  friend auto operator<=>(const FeedingHost&, const FeedingHost&) = default;
};

struct WiredPair {
  std::vector<FeedingHost> hosts;          ///< directly to U
  std::vector<OutputProcess> wires;        ///< from queues that feed U
  double forwarded = 0;                    ///< p, fraction of all packets served by U that go on to T
  std::vector<double> other_hosts;         ///< directly to T [packets/slot]
  std::vector<OutputProcess> other_wires;  ///< from other queues that feed T
  std::size_t first_size = 0;              ///< v < first_size
  std::size_t second_size = 0;             ///< y < second_size; 1: U alone
  bool counted = false;                    ///< count the packets at U bound for T; \pre no `wires`
  double gap = 0.3;                        ///< smallest relaxation rate of the queues involved,
                                           ///< LoneQueue::gap

  friend bool operator==(const WiredPair&, const WiredPair&) = default;
  friend auto operator<=>(const WiredPair&, const WiredPair&) = default;
};

/// The input of U over which a packet arrives.
struct TaggedInput {
  bool wire = false;           ///< otherwise directly from a host
  std::size_t place = 0;       ///< index into WiredPair::wires or hosts
  double ahead_forwarded = 0;  ///< p_J: fraction of the packets of U's other inputs that go on to T
  friend auto operator<=>(const TaggedInput&, const TaggedInput&) = default;
};

/// The joint phases of several output processes; that of the first varies fastest.
class Phases {
 public:
  explicit Phases(std::vector<OutputProcess> wires);

  [[nodiscard]] std::size_t count() const noexcept { return masks_.size(); }
  /// Which of them are busy, one bit each.
  [[nodiscard]] unsigned mask(std::size_t phase) const { return masks_[phase]; }
  /// One slot of values[phase][cell].
  void move(double* values, std::size_t cells) const;
  /// P(n packets in a slot) if those of `mask` are busy, optionally without one of them.
  [[nodiscard]] std::vector<double> emitted(unsigned mask,
                                            std::size_t without = static_cast<std::size_t>(-1)) const;
  [[nodiscard]] std::vector<double> stationary_law() const;
  /// The index of a phase with one process removed.
  [[nodiscard]] std::size_t without(std::size_t phase, std::size_t wire) const;

 private:
  std::vector<OutputProcess> wires_;
  std::vector<unsigned> masks_;
};

/// One slot of the chain.
class PairChain {
 public:
  explicit PairChain(const WiredPair& pair);

  [[nodiscard]] std::size_t states() const noexcept { return states_; }  ///< states of U, without phases
  [[nodiscard]] std::size_t cells() const noexcept { return states_ * size_; }
  [[nodiscard]] const Phases& phases() const noexcept { return phases_; }
  /// One slot of values[phase][state of U][y].  \param work  overwritten  \param out  overwritten, not added
  /// to
  void step(std::vector<double>& work, std::vector<double>& out) const;

 private:
  /// Transitions of U's states in a slot, with the packets that go on to T.
  struct Moves {
    std::vector<std::size_t> begin;  ///< first transition of each state of U
    std::vector<std::uint32_t> to;
    std::vector<double> with;  ///< P(n packets to T), n <= most_with_, for each of `to`
  };
  [[nodiscard]] Moves plain_moves(const std::vector<std::vector<double>>& arrivals, double forwarded) const;
  [[nodiscard]] Moves counted_moves(const WiredPair& pair) const;

  std::size_t states_, size_, most_with_ = 1;
  unsigned first_wires_;
  Phases phases_;
  std::vector<Moves> moves_;                ///< by the set of busy links into U
  std::vector<std::vector<double>> feeds_;  ///< P(b) at T, by the set of its other busy links
};

/// The stationary distribution of the chain.
class WiredLaw {
 public:
  /// \param tolerance  relative, of entries above 1e-13
  /// COST  first_size second_size phases (arrivals of a slot) per slot, some 5 to 10 / sqrt(gap) slots
  /// \throws LimitExceeded  no convergence; more than 20 links
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

  /// The distribution seen by a packet of that input: after the phase transition, weighted, normalized to 1.
  [[nodiscard]] std::vector<double> seen_by(const TaggedInput& input) const;
  /// P(j packets of its own slot ahead, b to T by other paths), given the set of busy links.
  [[nodiscard]] std::vector<std::vector<double>> others_ahead(const TaggedInput& input, unsigned mask) const;

 private:
  WiredPair pair_;
  PairChain chain_;
  std::vector<double> values_;
  int slots_ = 0;
};

}  // namespace tailbound::queue
