#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/bounds/sizing/max_load.hpp>

#include <optional>
#include <variant>

/// How many packets must one output queue hold?
///
/// MODEL     bounds/sizing/output_queue.hpp
/// TESTS     tests/bounds/sizing/output_queue_test.cpp, tests/golden/answers_test.cpp
namespace tailbound::answers {

/// The least buffer that meets a target.
struct LeastBuffer {
  numeric::Rational drop;  ///< the target, above 0 and below 1
};
/// What a given buffer loses.
struct ProbabilityOf {
  Packets capacity;  ///< B >= 0, the packet in service counts
};
/// The greatest load at which a given buffer meets a target.
struct GreatestLoad {
  Packets capacity;
  numeric::Rational drop;
};
/// The least speedup with which a given buffer meets a target.
struct LeastSpeedup {
  Packets capacity;
  numeric::Rational drop;
};

/// The longest mean burst with which a given buffer meets a target. Of BurstyInputs; their own burst is not looked at,
/// but for its on-rate.
struct LongestBurst {
  Packets capacity;
  numeric::Rational drop;
};

struct BufferQuestion {
  /// Above this many packets the library gives up; so bytes and nanoseconds below fit their types.
  static constexpr std::int64_t deepest = 1'000'000'000'000'000;

  Traffic traffic;
  std::variant<LeastBuffer, ProbabilityOf, GreatestLoad, LeastSpeedup, LongestBurst> asked;
  bounds::Criterion criterion = bounds::Criterion::overflow;
  queue::Accuracy accuracy{};

  /// The target, where there is one.
  [[nodiscard]] std::optional<numeric::Rational> drop() const;
};

struct BufferAnswer {
  static constexpr bool stored = true;  ///< as bytes, for parts and ranks (points/stored.hpp)
  Packets buffer;                       ///< found, or as asked
  bounds::ComputedProbability at;       ///< the criterion at `buffer` (and the load or speedup found)
  /// On the other side of the boundary, which proves that it is one: at buffer - 1, or at the upper end of the
  /// load or burst found.
  std::optional<bounds::ComputedProbability> beyond{};
  std::optional<numeric::Proved<unit::Load>> load{};      ///< GreatestLoad: met at its lower end
  std::optional<numeric::Proved<unit::Ratio>> speedup{};  ///< LeastSpeedup: met at its upper end
  /// LongestBurst [slots]: met at its lower end, missed at its upper; an approximation where the queue is one.
  std::optional<numeric::Claim<unit::Slot>> burst{};
  std::optional<numeric::Rational> safe_burst{};  ///< its lower end, of four digits
  /// Where the numbers are approximations and a bound is known:
  std::optional<numeric::UpperBound<unit::Probability>> bound{};  ///< of the criterion at `buffer`
  std::optional<Packets> proved_buffer{};                         ///< LeastBuffer: one that meets the target
  /// Where the buffer is of a queue at a known load:
  std::optional<numeric::Claim<unit::Packet>> mean_occupancy{};
  std::optional<numeric::Enclosure<unit::PerPacket>>
      decay_rate{};  ///< none where no packet ever waits, or not found
  /// The fraction of packets lost at `buffer`, where the criterion is overflow and the loss is greater.
  std::optional<bounds::ComputedProbability> loss{};
  bool loss_unknown = false;  ///< the loss would take too long to find
  bool overloaded = false;    ///< ProbabilityOf a loss: more packets come than are served
};

/// \throws InvalidArgument  a target outside ]0, 1[, correlated traffic where a load or speedup is asked for;
///                          as output_queue()
/// \throws NoAnswer, LimitExceeded  as bounds::buffer_size(), bounds::max_load(); of BurstyInputs the message names a
///                                  buffer that is proved to be enough
[[nodiscard]] BufferAnswer answer(const BufferQuestion& question, const Run& run = {});

/// A least buffer of BurstyInputs is at most this, which is known at once; nothing for other questions, and where no
/// bound is proved.
[[nodiscard]] std::optional<Packets> enough_by_bound(const BufferQuestion& question);

}  // namespace tailbound::answers
