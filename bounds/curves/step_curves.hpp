#pragma once

#include <tailbound/bounds/curves/curves.hpp>

#include <cstddef>
#include <optional>
#include <vector>

/// Curves with jumps: arrivals in whole packets, and the service that they leave.
///
/// MODEL     as bounds/curves/curves.hpp, but neither concave nor convex: piecewise linear on [0, end],
///           right-continuous (closed windows)
/// RESULT    whole packets of a curve, of flows of one clock, sums, minima; backlog and delay as suprema at
///           jumps and corners
/// SOURCE    docs/derivations/time_sensitive.md, sections 1 and 7
/// TESTS     tests/bounds/guarantee/step_curves_test.cpp
namespace tailbound::bounds {

class StepCurve {
 public:
  struct Piece {
    Rational start, value, slope;
    friend bool operator==(const Piece&, const Piece&) = default;
  };

  StepCurve() : pieces_{{0, 0, 0}} {}
  /// \param pieces  one or more; starts increase from 0
  explicit StepCurve(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}
  /// From 0 to `end`.
  StepCurve(const ArrivalCurve& curve, const Rational& end);
  StepCurve(const ServiceCurve& curve, const Rational& end);

  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] Rational operator()(const Rational& time) const;

 private:
  std::vector<Piece> pieces_;
};

/// What packets can bring that are of lengths [shortest, longest] and conform to `curve`: n of them, n =
/// floor(curve/shortest), and at most n longest. `more` is added to each packet.
/// None if it has more than `max_pieces` pieces before `end`.
[[nodiscard]] std::optional<StepCurve> in_whole_packets(const ArrivalCurve& curve, const Rational& shortest,
                                                        const Rational& longest, const Rational& end,
                                                        std::size_t max_pieces, const Rational& more = 0);

/// The sum of `factor` times each.
struct StepTerm {
  StepCurve curve;
  int factor = 1;
};
[[nodiscard]] StepCurve sum_of(const std::vector<StepTerm>& terms);
/// Up to `end`.
[[nodiscard]] StepCurve minimum(const StepCurve& one, const StepCurve& other, const Rational& end);

/// The smallest common multiple of two periods.
[[nodiscard]] Rational common_multiple(const Rational& one, const Rational& other);

/// Packets that a clock causes: number n arrives in [first + n period, first + n period + spread].
struct ClockedPackets {
  Rational length, period, first, spread;
};
/// What packets of one clock can bring in a window, all of them together.
/// None if there are more than `max_pieces` pairs of packets to compare.
[[nodiscard]] std::optional<StepCurve> of_one_clock(const std::vector<ClockedPackets>& flows,
                                                    const Rational& end, std::size_t max_pieces);

/// The larger of the curve and 0.
[[nodiscard]] StepCurve positive_part(const StepCurve& curve);

/// sup over [0, end] of arrivals - service.
[[nodiscard]] Rational vertical_distance(const StepCurve& arrivals, const StepCurve& service,
                                         const Rational& end);
/// A service that may fall, known up to `horizon`; from there on it is at least `after`.
struct StepService {
  StepCurve sent;
  Rational horizon, after;
};
struct LongestDelay {
  Rational delay, at;  ///< of data that arrive then
};
/// sup over t in [0, end] of sup{u: service(u) <= max(arrivals(t) - less, 0)} - t. None if arrivals reach
/// `service.after`.
[[nodiscard]] std::optional<LongestDelay> horizontal_distance(const StepCurve& arrivals, const Rational& end,
                                                              const StepService& service,
                                                              const Rational& less);

}  // namespace tailbound::bounds
