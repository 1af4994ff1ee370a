#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

/// What entitles a function to make an exact number, an enclosure or a bound (numeric/truth.hpp): each
/// takes a
/// `Proof`, which only a `Theorem` or another proved number gives. The table in docs/contract.md lists the
/// theorems, where each is derived, what it assumes, and the files that may name it
/// (tests/architecture/check).
namespace tailbound::numeric {

/// The derivations by which numbers are proved.
enum class Theorem : std::uint8_t {
  input,          ///< arithmetic of the inputs alone: loads, counts, fixed delays
  slotted_queue,  ///< one queue with independent slots: tails, mean, decay rate, losses
  markov_queue,   ///< one queue with Markovian arrivals: a lower and an upper run
  priority_queue,
  periodic_flows,
  policed_queue,
  fraction_of_slots,  ///< one queue served in parts of packets
  incast,
  packets_of_cells,  ///< losses of packets sent as cells
  shared_memory,
  source_bound,  ///< bound of the tail or the loss of any number of sources
  sojourn,       ///< the delay at one queue by the queue's law
  convolution,  ///< a sum of delays, or a function of several, taken as independent: never without that assumption
  reorder_buffer,  ///< packets out of order, from independent delays
  delay_bound,     ///< bound of a sum of delays over hops
  guarantee,       ///< never exceeded by policed or periodic traffic
  stored,          ///< a proved number read back from its bytes
  bracketed,       ///< a minimum or maximum between a proved yes and a proved no
  crossbar,        ///< input-queued switches: saturation under backlog, connections by turns, emulation
};

/// What a proved number assumes beyond its model and its inputs. With the first it is shown, and the
/// assumption
/// next to it; with any other it is an intermediate value that is no proof, and render::shown() rejects it.
enum class Assumption : std::uint8_t {
  later_coefficients = 1,  ///< the coefficients of a formula beyond the checked ones are not negative
  independent_hops = 2,    ///< delays at successive queues, or arrivals behind other queues, are independent
  converged = 4,           ///< an interval is only where two computations of different depth agree
};

/// A set of assumptions.
class Assumptions {
 public:
  constexpr Assumptions() = default;
  constexpr Assumptions(Assumption one) : bits_(static_cast<std::uint8_t>(one)) {}  // NOLINT: one is a set

  [[nodiscard]] constexpr bool none() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool has(Assumption one) const {
    return (bits_ & static_cast<std::uint8_t>(one)) != 0;
  }
  /// Whether a number under these is proved, as far as a reader knows what it assumes.
  [[nodiscard]] constexpr bool may_be_shown() const {
    return !has(Assumption::independent_hops) && !has(Assumption::converged);
  }
  friend constexpr Assumptions operator|(Assumptions a, Assumptions b) {
    a.bits_ = static_cast<std::uint8_t>(a.bits_ | b.bits_);
    return a;
  }
  friend constexpr bool operator==(Assumptions, Assumptions) = default;

  /// For storage.
  [[nodiscard]] constexpr std::uint8_t bits() const { return bits_; }
  [[nodiscard]] static constexpr Assumptions of_bits(std::uint8_t bits) {
    Assumptions set;
    set.bits_ = bits;
    return set;
  }

 private:
  std::uint8_t bits_ = 0;
};

/// A proved number holds by a theorem, or because the numbers from which it was computed are proved; under
/// all
/// of their assumptions.
class Proof {
 public:
  constexpr Proof(Theorem) {}  // NOLINT: a theorem is a proof
  constexpr Proof(Theorem, Assumptions assumptions) : assumptions_(assumptions) {}

  [[nodiscard]] constexpr Assumptions assumptions() const { return assumptions_; }

  /// Of a number computed from two proved ones.
  friend constexpr Proof operator&(Proof a, Proof b) {
    a.assumptions_ = a.assumptions_ | b.assumptions_;
    return a;
  }
  friend constexpr bool operator==(Proof, Proof) = default;

 private:
  Assumptions assumptions_;
};

}  // namespace tailbound::numeric
