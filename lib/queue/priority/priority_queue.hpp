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

/// The lower of two priority classes at an output that serves one packet per slot.
///
/// MODEL     In every slot A_H packets of the higher class and A_L of the lower arrive, independently of
///           other slots. L packets of the lower class are there just after the arrivals of a slot; one is
///           served if H = 0 then. FIFO within a class, random order within a slot. With several classes, all
///           higher ones together are H; lower ones have no effect.
/// RESULT    L = A_L + two independent parts (docs/derivations/priorities.md): given H = 0, L is the slotted
///           queue whose arrivals are those of a high cycle. P(L > n), the loss of a class with a buffer of
///           its own, and P(W > n) from series with non-negative terms only, in long double or higher
///           precision with a proved rounding bound.
/// EXCLUDES  correlation between slots; packets of several slots; weights (sim/classes)
/// TESTS     tests/queue/priority/priority_queue_test.cpp
namespace tailbound::queue {

/// `count` independent sources that send at most one packet per slot each: of the higher class with
/// probability `higher`, of the lower with `own`.
struct ClassSource {
  numeric::Rational higher, own;
  std::int64_t count = 1;
};

/// probability[i][j] = P(A_H = i, A_L = j); rows may differ in length.
struct JointPmf {
  std::vector<std::vector<numeric::Rational>> probability;
};

using ClassArrivals = std::variant<std::vector<ClassSource>, JointPmf>;

/// A queue on the path of lower-class packets.
struct ClassQueue {
  ClassArrivals arrivals;
  /// One of the sources, whose packets wait; none: an arbitrary packet does.
  std::optional<ClassSource> of{};
};

class PriorityLaws;

/// Not thread-safe.
class PriorityQueue {
 public:
  static constexpr std::int64_t max_inputs = 128;    ///< sources in all, and packets of one class per slot
  static constexpr std::int64_t max_levels = 16384;  ///< maximum level of any distribution

  struct Probability : numeric::Enclosure<unit::Probability> {
    Method method;  ///< how it was computed
  };

  /// \throws InvalidArgument  probabilities below 0 or that do not sum to 1, no packet of the lower class,
  ///                          more inputs than max_inputs
  /// \throws Unstable         both classes together offer 1 packet per slot or more
  /// \param of  one of the sources: waits are those of its packets
  explicit PriorityQueue(ClassArrivals arrivals, numeric::Digits digits = {},
                         const std::optional<ClassSource>& of = {});
  ~PriorityQueue();
  PriorityQueue(PriorityQueue&&) noexcept;
  PriorityQueue& operator=(PriorityQueue&&) noexcept;

  /// rho_L and rho_H [packets/slot].
  [[nodiscard]] const numeric::Rational& load() const;
  [[nodiscard]] const numeric::Rational& higher_load() const;
  /// E[L] = E[H + L] - E[H] [packets] and, by Little's law, E[W] = E[L]/rho_L - 1 [slots]; exact. For the
  /// packets of one source E[W] = E[packets ahead] / (1 - rho_H).
  [[nodiscard]] numeric::Rational mean_occupancy() const;
  [[nodiscard]] numeric::Rational mean_wait() const;

  /// CONTRACT  each encloses the number, to a relative width of 10^-digits.
  /// COST      O(k n^2) products for k inputs for the deepest level n requested, once.
  /// \throws InvalidArgument  a level below 0
  /// \throws LimitExceeded    a level beyond max_levels

  /// P(L > level)
  [[nodiscard]] Probability tail(Packets level);
  /// P(L > level | H = 0)
  [[nodiscard]] Probability tail_when_served(Packets level);
  /// Fraction of lower-class packets lost with a buffer of `room` packets for this class, the one in service
  /// included.
  [[nodiscard]] Probability loss(Packets capacity);
  /// P(W > slots), W: slots that a lower-class packet waits, its own service not counted.
  [[nodiscard]] Probability wait_tail(Slots slots);

  /// Smallest level at which a probability is at most the target, with the probabilities on both sides as
  /// proof.
  struct Minimum {
    std::int64_t level = 0;
    Probability at;
    std::optional<Probability> before;  ///< at level - 1; none at level 0
  };
  /// \param target  above 0, below 1
  /// \throws LimitExceeded  the level is beyond max_levels, or the target so close to a probability that
  ///                        4096 bits cannot decide
  [[nodiscard]] Minimum min_level(const numeric::Rational& target);        ///< of tail()
  [[nodiscard]] Minimum min_buffer_size(const numeric::Rational& target);  ///< of loss()
  [[nodiscard]] Minimum min_wait(const numeric::Rational& target);         ///< of wait_tail()

  /// P(W = t) and P(W > t), t = 0 .. size - 1.
  [[nodiscard]] series::Distribution<long double> wait_law(std::size_t size);

 private:
  std::unique_ptr<PriorityLaws> laws_;
};

}  // namespace tailbound::queue
