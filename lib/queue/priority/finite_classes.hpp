#pragma once

#include <tailbound/queue/priority/joint_file.hpp>
#include <tailbound/queue/priority/priority_queue.hpp>

#include <memory>
#include <vector>

/// Losses of a class with strict priority where every class has a finite buffer of its own.
///
/// MODEL     In every slot packets of each class arrive, independently of other slots; those that do not fit
///           into the buffer of their class are lost. Then one packet of the highest class with packets is
///           served. Lower classes have no effect.
/// RESULT    A class is served only in slots in which all higher buffers are empty, and such a slot forgets
///           the past of the higher classes. So the class is a slotted queue whose batches are its packets of
///           a cycle, from one such slot to the next, and its losses depend on nothing else. Of several
///           higher classes each is removed in turn: the cycle of the first brings joint batches of all
///           others. All terms are non-negative, at any load (docs/derivations/priorities.md).
/// EXCLUDES  correlation between slots; packets of several slots; one buffer for several classes
/// TESTS     tests/queue/priority/finite_classes_test.cpp
namespace tailbound::queue {

/// The packets of all classes in a slot: of equal inputs that send at most one packet each, of class c with
/// probability rates[c], or with a joint distribution.
struct ClassSlots {
  std::int64_t inputs = 0;
  std::vector<numeric::Rational> rates{};  ///< of one input
  std::vector<ClassPackets> joint{};       ///< instead of inputs
};

/// The packets of one class (0 is the highest) and of all higher ones together.
[[nodiscard]] ClassArrivals merged_classes(const ClassSlots& slots, std::size_t own);

/// Not thread-safe.
class FiniteClasses {
 public:
  /// \param higher  buffers of the higher classes, >= 0 packets, those in service included; the class is the
  ///                next one
  /// \throws InvalidArgument  as PriorityQueue; a buffer below 0
  FiniteClasses(ClassSlots slots, std::vector<Packets> higher, numeric::Digits digits = {});
  ~FiniteClasses();
  FiniteClasses(FiniteClasses&&) noexcept;
  FiniteClasses& operator=(FiniteClasses&&) noexcept;

  struct Loss {
    /// An enclosure. Where the higher buffers have too many states, and the loss with smaller ones and with
    /// infinite ones (a lower and an upper bound) differ in the requested digits: the upper bound.
    numeric::Claim<unit::Probability> loss;
    Method method;
  };
  /// Fraction of the packets of the class that a buffer of `capacity` packets loses.
  /// COST  for two classes of k inputs O(k^2 B1 B) products
  /// \throws LimitExceeded  beyond PriorityQueue::max_levels; too many states, and no stationary queue with
  ///                        infinite higher buffers
  [[nodiscard]] Loss loss(Packets capacity);

  struct Minimum {
    std::int64_t level = 0;
    Loss at;
    std::optional<Loss> before;  ///< at level - 1; none at level 0
  };
  /// Smallest buffer of the class with a loss of at most `target`.
  /// \param target  above 0, below 1
  /// \throws NoAnswer       no buffer meets it, since the higher classes leave too few slots
  /// \throws LimitExceeded  as loss()
  [[nodiscard]] Minimum min_buffer_size(const numeric::Rational& target);

 private:
  class Laws;
  std::unique_ptr<Laws> laws_;
};

}  // namespace tailbound::queue
