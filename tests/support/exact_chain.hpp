#pragma once

#include <cstddef>
#include <vector>

/// Delays in a small tree of queues, by its whole Markov chain; nothing of the library is used.
///
/// MODEL     Queues of one packet per slot feed one, T: each has sources of its own that send at most one packet per slot,
///           independently from slot to slot, and so has T. What a queue serves goes to T with a probability of the
///           queue's own, else elsewhere. Packets of one slot are put in random order.
/// METHOD    The state are the packets left over in every queue, up to `depth` - 1 of each; a packet served in front of T is counted
///           in T in the same step, which shifts the clocks of independent sources only. The chain is iterated from
///           empty; a tagged packet is followed on its way with the law of all other queues.
/// RESULT    In long double. What the cut leaves out: compare two depths.
namespace tailbound::test {

struct SmallTree {
  struct Branch {
    std::vector<long double> sources;  ///< [packets/slot]
    long double goes_on = 1;           ///< share of what it serves that goes on to T
    friend bool operator==(const Branch&, const Branch&) = default;
  };
  std::vector<Branch> branches;
  std::vector<long double> straight;  ///< sources of T itself
  friend bool operator==(const SmallTree&, const SmallTree&) = default;
};

class ExactChain {
 public:
  /// \param depth    places of each queue, the empty one included
  /// \param settled  the sum of changes in a step at which the iteration ends
  ExactChain(SmallTree tree, std::size_t depth, long double settled = 1e-17L);

  /// P(D = t) of a packet of that source that goes on to T.
  [[nodiscard]] std::vector<long double> delay(std::size_t branch, std::size_t source) const;
  /// Likewise of one that comes straight to T.
  [[nodiscard]] std::vector<long double> straight_delay(std::size_t source) const;

 private:
  using Law = std::vector<long double>;

  /// What comes to T in one step, and where that leaves the branches; of branch `busy` it is certain that it serves, and its
  /// place does not change.
  template <class Take>
  void step(const Law& from, std::size_t busy, const Take& take) const;

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  SmallTree tree_;
  std::size_t depth_, states_;
  std::vector<Law> arrivals_;  ///< of each branch, at last of T
  Law stationary_;             ///< place of T + depth * (place of branch 0 + depth * ..)
};

[[nodiscard]] long double tail(const std::vector<long double>& law, std::size_t t);
[[nodiscard]] long double mean(const std::vector<long double>& law);

}  // namespace tailbound::test
