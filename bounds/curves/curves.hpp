#pragma once

#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/token_bucket.hpp>

#include <cstddef>
#include <optional>
#include <vector>

/// Arrival curves and service curves of network calculus, piecewise linear, in exact fractions.
///
/// MODEL     An arrival curve alpha(t): the maximum data that arrives in any closed interval of length t,
///           packets counted at their last bit; here concave. A service curve beta(t): the minimum service in
///           the first t of a busy period; here convex, 0 at 0. The caller chooses the units of data and
///           time.
/// RESULT    Sums, minima, residual service, departures, servers in series; backlog and delay as suprema at
///           breakpoints.
/// SOURCE    docs/derivations/policed_traffic.md, section 4; Le Boudec and Thiran, "Network Calculus",
///           chapters 1 and 6
/// TESTS     tests/bounds/guarantee/curves_test.cpp
namespace tailbound::bounds {

using numeric::Rational;

/// alpha(t) = the minimum of burst + rate t over its lines, each a token bucket; without lines, no arrivals.
class ArrivalCurve {
 public:
  using Line = traffic::TokenBucket;

  ArrivalCurve() = default;
  /// \param lines  in any order; rates and bursts 0 or above
  explicit ArrivalCurve(std::vector<Line> lines);

  /// In the order in which they are the minimum: bursts increase, rates decrease.
  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
  [[nodiscard]] bool is_nothing() const { return lines_.empty(); }
  /// Intersections of successive lines, increasing, above 0; one fewer than lines.
  [[nodiscard]] const std::vector<Rational>& breaks() const { return breaks_; }

  [[nodiscard]] Rational operator()(const Rational& time) const;
  [[nodiscard]] Rational burst() const { return is_nothing() ? Rational(0) : lines_.front().burst; }
  /// In the long run.
  [[nodiscard]] Rational rate() const { return is_nothing() ? Rational(0) : lines_.back().rate; }

  /// alpha(t + time): the output of a system whose delay varies by at most `time`.
  [[nodiscard]] ArrivalCurve later(const Rational& time) const;
  /// Bursts rounded up to multiples of 1/denominator: an upper bound with shorter fractions. 0: unchanged.
  [[nodiscard]] ArrivalCurve rounded_up(const numeric::Integer& denominator) const;

  ArrivalCurve& operator+=(const ArrivalCurve& other);
  /// The rest of a sum without one of its terms.
  [[nodiscard]] ArrivalCurve without(const ArrivalCurve& part) const;

  friend bool operator==(const ArrivalCurve&, const ArrivalCurve&) = default;

 private:
  /// Sum or difference, segment by segment.
  [[nodiscard]] ArrivalCurve combined(const ArrivalCurve& other, bool subtract) const;

  std::vector<Line> lines_;
  std::vector<Rational> breaks_;
};

[[nodiscard]] ArrivalCurve minimum(const ArrivalCurve& one, const ArrivalCurve& other);

/// 0 up to a latency, then segments of increasing slope.
class ServiceCurve {
 public:
  struct Piece {
    Rational start, value;  ///< where it begins
    Rational slope;         ///< above 0
    friend bool operator==(const Piece&, const Piece&) = default;
  };

  /// \param latency  0 or above  \param rate  above 0
  ServiceCurve(Rational latency, Rational rate);
  explicit ServiceCurve(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  /// One or more; the first has the value 0, the last is unbounded.
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] const Rational& latency() const { return pieces_.front().start; }
  /// In the long run.
  [[nodiscard]] const Rational& rate() const { return pieces_.back().slope; }

  [[nodiscard]] Rational operator()(const Rational& time) const;
  /// The time by which `data` has been served; the latency for 0 and below.
  [[nodiscard]] Rational inverse(const Rational& data) const;

  friend bool operator==(const ServiceCurve&, const ServiceCurve&) = default;

 private:
  std::vector<Piece> pieces_;
};

/// Servers in series: segments sorted by increasing slope.
[[nodiscard]] ServiceCurve in_series(const ServiceCurve& first, const ServiceCurve& second);

/// sup_t alpha(t) - beta(t), the backlog; none if arrivals exceed the service in the long run.
[[nodiscard]] std::optional<Rational> vertical_distance(const ArrivalCurve& arrivals,
                                                        const ServiceCurve& service);
/// sup_t beta^-1(alpha(t) - less) - t: FIFO delay until all of a unit of data except the last `less` is
/// served. The latency without arrivals.
[[nodiscard]] std::optional<Rational> horizontal_distance(const ArrivalCurve& arrivals,
                                                          const ServiceCurve& service,
                                                          const Rational& less = 0);

/// Residual service of a FIFO server for one flow among others: beta_g(theta + v) = inf over w >= v of
/// beta(theta + w) - alpha_x(w), theta = horizontal_distance(alpha_x, beta). None if the others take the
/// whole service.
[[nodiscard]] std::optional<ServiceCurve> fifo_residual(const ServiceCurve& service,
                                                        const ArrivalCurve& others);
/// Residual service after others that may be served first in any order, and `blocking` of data that cannot be
/// preempted: [beta - alpha_x - blocking]^+, from where it stays above 0. `service` must be strict.
[[nodiscard]] std::optional<ServiceCurve> blind_residual(const ServiceCurve& service,
                                                         const ArrivalCurve& others,
                                                         const Rational& blocking = 0);

/// sup_u alpha(t + u) - beta(u), the departures; none if arrivals exceed the service in the long run.
[[nodiscard]] std::optional<ArrivalCurve> departures(const ArrivalCurve& arrivals,
                                                     const ServiceCurve& service);

}  // namespace tailbound::bounds
