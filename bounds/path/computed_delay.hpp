#pragma once

#include <tailbound/bounds/path/path_delay.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Delays with distributions computed in double precision, not proved: invariants, and the answers derived
/// from them.
///
/// MODEL     The queueing delay D of a route is the sum of its waits W_h, with any dependence between them.
/// RESULT    I1: 0 <= P(D > t) <= P(D > t-1) <= 1, and the probabilities sum to 1.
///           I2: E D = sum E W_h;
///           max_h P(W_h > t) <= P(D > t) <= sum_h P(W_h > t_h) whenever the t_h sum to t.
/// SOURCE    docs/derivations/any_network.md, "What every answer satisfies"
/// TESTS     tests/bounds/path/computed_delay_test.cpp
namespace tailbound::bounds {

/// A distribution violates I1 or I2: the model does not hold for this network.
class Contradiction : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

/// P(D > t) of one route.
struct RouteLaw {
  std::vector<double> tails;
  double slope = 0;  ///< slope of log P(D = t) at the end, per step
  double share = 1;
  std::int64_t hops = 0;  ///< queues passed, including those that never wait
  double mean = 0;        ///< [slots]
  bool goes_on = false;   ///< whether it continues beyond the last with `slope`; otherwise 0 there
  std::string broken{};   ///< which of I1 and I2 the distribution violates and by how much; empty if none
  /// Slots of one step of `tails`: P(D > t) is their value at step_of(t), with log-linear interpolation.
  double slots_per_step = 1;

  [[nodiscard]] double above(std::int64_t t) const;
  [[nodiscard]] double step_of(std::int64_t t) const {
    return slots_per_step == 1 ? static_cast<double>(t)
                               : (static_cast<double>(t) + 0.5) / slots_per_step - 0.5;
  }
  /// Relative error of above(t): convergence of the arithmetic.
  [[nodiscard]] double error(std::int64_t t) const;

 private:
  [[nodiscard]] double at_step(std::int64_t step) const;
};

/// Relative decay rate of the masses at `place`; infinite if there are none.
[[nodiscard]] double slope_at(const std::vector<double>& mass, std::size_t place);

/// P(D > t) from P(D = t). Extrapolated beyond the last if the last four slopes agree to 1 %; otherwise
/// nothing is added.
[[nodiscard]] std::vector<double> tails_of(const std::vector<double>& mass);

/// \param mass   P(D = t), entries as computed, not clipped at 0
/// \param waits  P(W_h = w) of each wait of the route
[[nodiscard]] RouteLaw route_law(const std::vector<double>& mass,
                                 const std::vector<std::vector<double>>& waits, double share,
                                 std::int64_t hops);

/// The distribution of delays `factor` times as long, in steps of that many slots, with its mean.
/// \pre in steps of one slot
[[nodiscard]] RouteLaw stretched(RouteLaw law, double factor);

/// Keeps the part above `minimum`; extrapolates the rest from the last slots before.
void continue_below(RouteLaw& law, double minimum);

/// \throws Contradiction  RouteLaw::broken
void require_consistent(const RouteLaw& law);

/// The smallest probability and the longest delay of a query.
struct Horizon {
  double target = 1;          ///< smallest probability required on a route; at most 1e-6
  std::int64_t deepest = -1;  ///< largest requested level
};
[[nodiscard]] Horizon horizon_of(std::span<const Route> routes, const DelayQuery& query);

/// For packets that take these routes.  \pre shares sum to 1; the distributions extend as far as horizon_of()
/// requires
[[nodiscard]] ClaimedDelayAnswer claims_of(const std::vector<RouteLaw>& laws, const DelayQuery& query);

/// \throws InvalidArgument  not above 0 and at most 1
void require_negligible(const numeric::Rational& negligible);
/// As PathDelay::distribution(); intervals are not proved.
[[nodiscard]] DelayDistribution distribution_of(const std::vector<RouteLaw>& laws,
                                                const numeric::Rational& negligible);

}  // namespace tailbound::bounds
