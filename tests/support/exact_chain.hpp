#pragma once

#include <cstddef>
#include <vector>

/// Delays in a small tree of queues, from its whole Markov chain; nothing of the library is used.
///
/// MODEL     Queues of one packet per slot feed one queue T. Each queue has sources of its own that send at
///           most one packet per slot, independently from slot to slot, and so has T. A served packet goes to
///           T with a probability that depends on the queue, otherwise elsewhere. Packets of one slot are put
///           in random order.
/// METHOD    The state is the packets left over in every queue, up to `depth` - 1 each. A packet served by a
///           queue before T is counted in T in the same step, which only shifts the clocks of independent
///           sources. The chain is iterated from empty; a tagged packet is followed with the distribution of
///           all other queues.
/// RESULT    In long double. For the truncation error: compare two depths.
namespace tailbound::test {

struct SmallTree {
  struct Branch {
    std::vector<long double> sources;  ///< [packets/slot]
    long double goes_on = 1;           ///< fraction of its served packets that go to T
    friend bool operator==(const Branch&, const Branch&) = default;
  };
  std::vector<Branch> branches;
  std::vector<long double> straight;  ///< sources of T itself
  friend bool operator==(const SmallTree&, const SmallTree&) = default;
};

class ExactChain {
 public:
  /// \param depth    places per queue, the empty one included
  /// \param settled  the sum of changes in a step at which the iteration ends
  ExactChain(SmallTree tree, std::size_t depth, long double settled = 1e-17L);

  /// P(D = t) of a packet of that source that goes to T.
  [[nodiscard]] std::vector<long double> delay(std::size_t branch, std::size_t source) const;
  /// The same for a packet that comes directly to T.
  [[nodiscard]] std::vector<long double> straight_delay(std::size_t source) const;

 private:
  using Law = std::vector<long double>;

  /// Arrivals at T in one step, and the resulting states of the branches; branch `busy` certainly serves, and
  /// its place does not change.
  template <class Take>
  void step(const Law& from, std::size_t busy, const Take& take) const;

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  SmallTree tree_;
  std::size_t depth_, states_;
  std::vector<Law> arrivals_;  ///< of each branch, finally of T
  Law stationary_;             ///< place of T + depth * (place of branch 0 + depth * ..)
};

[[nodiscard]] long double tail(const std::vector<long double>& law, std::size_t t);
[[nodiscard]] long double mean(const std::vector<long double>& law);

}  // namespace tailbound::test
