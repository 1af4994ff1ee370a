#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>
#include <tailbound/series/distribution.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

/// The lower of two classes at an output that serves one packet a slot, the higher class first.
///
/// MODEL     In every slot A_H packets of the higher class and A_L of the lower arrive, independently of other slots. L
///           packets of the lower class are there just after the arrivals of a slot; one is served if H = 0 then. Within
///           a class first in, first out, in random order within a slot. Of several classes all before the one asked about
///           are H together; those behind it delay nothing.
/// RESULT    L = A_L + what is left of two independent parts (docs/derivations/priorities.md): given H = 0, L is the
///           slotted queue whose arrivals are those of a high cycle. P(L > n), the loss of a class with room of its own,
///           and P(W > n) by series with non-negative terms alone, in long double or longer numbers with a proved rounding
///           bound.
/// EXCLUDES  correlation between slots; packets of several slots; weights (sim/classes)
/// TESTS     tests/queue/priority/priority_queue_test.cpp
namespace tailbound::queue {

/// `count` sources, independent, that send at most one packet a slot each: of the higher class with probability `higher`,
/// of the lower with `own`.
struct ClassSource {
  numeric::Rational higher, own;
  std::int64_t count = 1;
};

/// probability[i][j] = P(A_H = i, A_L = j); rows may differ in length.
struct JointPmf {
  std::vector<std::vector<numeric::Rational>> probability;
};

using ClassArrivals = std::variant<std::vector<ClassSource>, JointPmf>;

/// What packets of the lower class meet on their way.
struct ClassQueue {
  ClassArrivals arrivals;
};

class PriorityLaws;

/// Not for use by several threads at a time.
class PriorityQueue {
 public:
  static constexpr std::int64_t most_inputs = 128;    ///< sources in all; as many packets of one class a slot
  static constexpr std::int64_t most_levels = 16384;  ///< that any law is followed to

  struct Probability : numeric::Enclosure<unit::Probability> {
    Method method;  ///< how it came about
  };

  /// \throws InvalidArgument  probabilities below 0 or that do not sum to 1, no packet of the lower class, more inputs
  ///                          than most_inputs
  /// \throws Unstable         both classes together are offered 1 packet a slot or more
  explicit PriorityQueue(ClassArrivals arrivals, numeric::Digits digits = {});
  ~PriorityQueue();
  PriorityQueue(PriorityQueue&&) noexcept;
  PriorityQueue& operator=(PriorityQueue&&) noexcept;

  /// rho_L and rho_H [packets/slot].
  [[nodiscard]] const numeric::Rational& load() const;
  [[nodiscard]] const numeric::Rational& higher_load() const;
  /// E[L] = E[H + L] - E[H] [packets] and, by Little's law, E[W] = E[L]/rho_L - 1 [slots]; exact.
  [[nodiscard]] numeric::Rational mean_occupancy() const;
  [[nodiscard]] numeric::Rational mean_wait() const;

  /// CONTRACT  each encloses the number, to a relative width of 10^-digits.
  /// COST      O(k n^2) products for k inputs to the deepest level n asked, once.
  /// \throws InvalidArgument  a level below 0
  /// \throws LimitExceeded    a level beyond most_levels

  /// P(L > level)
  [[nodiscard]] Probability tail(Packets level);
  /// P(L > level | H = 0)
  [[nodiscard]] Probability tail_when_served(Packets level);
  /// Fraction of the lower class that is lost where it has room for so many packets, that in service included.
  [[nodiscard]] Probability loss(Packets room);
  /// P(W > slots), W: slots that a packet of the lower class waits, its own service not counted.
  [[nodiscard]] Probability wait_tail(Slots slots);

  /// The least level at which a probability is at most the target, and both sides of it, which prove it.
  struct Least {
    std::int64_t level = 0;
    Probability at;
    std::optional<Probability> before;  ///< at level - 1; none at level 0
  };
  /// \param target  above 0, below 1
  /// \throws LimitExceeded  it lies beyond most_levels, or so near a probability that 4096 bits do not tell
  [[nodiscard]] Least least_level(const numeric::Rational& target);  ///< of tail()
  [[nodiscard]] Least least_room(const numeric::Rational& target);   ///< of loss()
  [[nodiscard]] Least least_wait(const numeric::Rational& target);   ///< of wait_tail()

  /// P(W = t) and P(W > t), t = 0 .. size - 1.
  [[nodiscard]] series::Distribution<long double> wait_law(std::size_t size);

 private:
  std::unique_ptr<PriorityLaws> laws_;
};

}  // namespace tailbound::queue
