#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/bounds/sizing/max_load.hpp>
#include <tailbound/core/error.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Buffer size of one output queue.
///
/// MODEL     bounds/sizing/output_queue.hpp
/// TESTS     tests/bounds/sizing/output_queue_test.cpp, tests/golden/answers_test.cpp
namespace tailbound::answers {

/// The minimum buffer for a target. With classes the higher ones have the minimum buffers for theirs.
struct MinBuffer {
  numeric::Rational drop;                              ///< the target, above 0 and below 1
  std::vector<numeric::Rational> of_higher_classes{};  ///< their targets, the first in front; empty: `drop`
};
/// The loss of a given buffer. With classes each has one of that size.
struct ProbabilityOf {
  Packets capacity;  ///< B >= 0, including the packet in service
};
/// The maximum load at which a given buffer meets a target: of a class with all classes in proportion, with
/// buffers of the same size.
struct MaxLoad {
  Packets capacity;
  numeric::Rational drop;
};
/// The minimum speedup at which a given buffer meets a target. Not for incast and matrices.
struct MinSpeedup {
  Packets capacity;
  numeric::Rational drop;
};

/// The maximum mean burst length at which a given buffer meets a target. For BurstyInputs; their own burst
/// length is ignored, their on-rate is used.
struct LongestBurst {
  Packets capacity;
  numeric::Rational drop;
};

/// P(Q > n) does not exist at this load; the loss of a finite buffer does, and the message says so.
class UnstableOverflow final : public Unstable {
 public:
  explicit UnstableOverflow(const Unstable& error);
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

struct BufferQuery {
  /// Limit on the number of packets, so that bytes and nanoseconds below fit their types.
  static constexpr std::int64_t deepest = 1'000'000'000'000'000;

  Traffic traffic;
  std::variant<MinBuffer, ProbabilityOf, MaxLoad, MinSpeedup, LongestBurst> requested;
  bounds::Criterion criterion = bounds::Criterion::overflow;
  queue::Accuracy accuracy{};

  /// The target, if there is one.
  [[nodiscard]] std::optional<numeric::Rational> drop() const;
};

struct BufferAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  Packets buffer;                       ///< computed, or as given
  bounds::ComputedProbability at;       ///< the criterion at `buffer` (and at the load or speedup found)
  /// On the other side of the boundary, as proof that it is the boundary: at buffer - 1, or at the upper end
  /// of the load or burst found.
  std::optional<bounds::ComputedProbability> beyond{};
  /// MaxLoad: target met at its lower end. MinSpeedup: met at its upper end. LongestBurst [slots]: met at its
  /// lower end. Missed at the other end; approximations if the queue is one, which then meet it themselves.
  std::optional<numeric::Claim<unit::Load>> load{};
  std::optional<numeric::Claim<unit::Ratio>> speedup{};
  std::optional<numeric::Claim<unit::Slot>> burst{};
  std::optional<numeric::Rational> safe{};  ///< that end in a few digits, where it was found by search
  /// If the numbers are approximations and a bound is known:
  std::optional<numeric::UpperBound<unit::Probability>> bound{};  ///< of the criterion at `buffer`
  std::optional<Packets> proved_buffer{};                         ///< MinBuffer: proved to meet the target
  /// If the buffer belongs to a queue at a known load:
  std::optional<numeric::Claim<unit::Packet>> mean_occupancy{};
  std::optional<numeric::Enclosure<unit::PerPacket>>
      decay_rate{};  ///< none if no packet ever waits, or if not found
  /// The packet loss ratio at `buffer`, if the criterion is overflow and the loss is larger.
  std::optional<bounds::ComputedProbability> loss{};
  /// Of classes: the buffers of the classes before, on which losses depend.
  std::vector<Packets> higher_buffers{};
  bool loss_unknown = false;  ///< computing the loss would take too long
  bool overloaded = false;  ///< of a loss: no infinite queue exists, as the load is not below what is served
};

/// \throws InvalidArgument  a target outside ]0, 1[; as output_queue(), sped_up()
/// \throws NoAnswer, LimitExceeded  as bounds::buffer_size(), bounds::max_load(), bounds::highest_load(); for
///                                  BurstyInputs the message names a buffer that is proved to suffice
[[nodiscard]] BufferAnswer answer(const BufferQuery& query, const Run& run = {});

/// An upper bound of the minimum buffer of BurstyInputs, available at once; nothing for other queries, and if
/// no bound is proved.
[[nodiscard]] std::optional<Packets> enough_by_bound(const BufferQuery& query);

}  // namespace tailbound::answers
