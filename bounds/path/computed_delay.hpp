#pragma once

#include <tailbound/bounds/path/path_delay.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Delays whose laws are computed in double, not proved: what they must satisfy, and the answers made of them.
///
/// MODEL     The queueing delay D of a route is the sum of its waits W_h, however these depend on each other.
/// RESULT    I1: 0 <= P(D > t) <= P(D > t-1) <= 1, and the probabilities sum to 1.
///           I2: E D = sum E W_h;  max_h P(W_h > t) <= P(D > t) <= sum_h P(W_h > t_h) whenever the t_h sum to t.
/// SOURCE    docs/derivations/any_network.md, "What every answer satisfies"
/// TESTS     tests/bounds/path/computed_delay_test.cpp
namespace tailbound::bounds {

/// A law breaks I1 or I2: the model does not hold for this network.
class Contradiction : public NoAnswer {
 public:
  using NoAnswer::NoAnswer;
};

/// P(D > t) of one route.
struct RouteLaw {
  std::vector<double> tails;
  double slope = 0;  ///< of log P(D = t) at the last, per step
  double share = 1;
  std::int64_t hops = 0;  ///< queues passed, those that never wait included
  double mean = 0;        ///< [slots]
  bool goes_on = false;   ///< beyond the last, falling at `slope`; otherwise 0 there
  std::string broken{};   ///< which of I1 and I2 the law breaks and by how much; empty if none
  /// Slots of one step of `tails`: P(D > t) is their value at step_of(t), in between with a straight logarithm.
  double slots_per_step = 1;

  [[nodiscard]] double above(std::int64_t t) const;
  [[nodiscard]] double step_of(std::int64_t t) const {
    return slots_per_step == 1 ? static_cast<double>(t)
                               : (static_cast<double>(t) + 0.5) / slots_per_step - 0.5;
  }
  /// Relative, of above(t): how far the arithmetic has converged.
  [[nodiscard]] double error(std::int64_t t) const;

 private:
  [[nodiscard]] double at_step(std::int64_t step) const;
};

/// Relative rate at which masses fall at `place`; infinite where there are none.
[[nodiscard]] double slope_at(const std::vector<double>& mass, std::size_t place);

/// P(D > t) from P(D = t). Beyond the last they fall on as there, if the last four slopes agree to 1 %; else nothing is
/// added.
[[nodiscard]] std::vector<double> tails_of(const std::vector<double>& mass);

/// \param mass   P(D = t), entries as computed: none made positive
/// \param waits  P(W_h = w) of each wait of the route
[[nodiscard]] RouteLaw route_law(const std::vector<double>& mass,
                                 const std::vector<std::vector<double>>& waits, double share,
                                 std::int64_t hops);

/// The law of delays that are `factor` times as long, in steps of so many slots: with its mean.
/// \pre in steps of one slot
[[nodiscard]] RouteLaw stretched(RouteLaw law, double factor);

/// Keeps what is above `least`; beyond it the law falls on as over the last slots before.
void continue_below(RouteLaw& law, double least);

/// \throws Contradiction  RouteLaw::broken
void require_consistent(const RouteLaw& law);

/// How rare, and how long, the delays of a question are.
struct Sight {
  double target = 1;          ///< rarest probability that is looked for on a route; 1e-6 at most
  std::int64_t deepest = -1;  ///< level asked for
};
[[nodiscard]] Sight sight_of(std::span<const Route> routes, const DelayQuestion& question);

/// Of packets that take these routes.  \pre shares sum to 1; the laws reach as far as sight_of() says
[[nodiscard]] ClaimedDelayAnswer claims_of(const std::vector<RouteLaw>& laws, const DelayQuestion& question);

/// \throws InvalidArgument  not above 0 and at most 1
void require_negligible(const numeric::Rational& negligible);
/// As PathDelay::distribution(); intervals are not proved.
[[nodiscard]] DelayDistribution distribution_of(const std::vector<RouteLaw>& laws,
                                                const numeric::Rational& negligible);

}  // namespace tailbound::bounds
