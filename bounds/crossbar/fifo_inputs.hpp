#pragma once

#include <tailbound/core/quantity.hpp>
#include <tailbound/numeric/truth.hpp>

#include <cstdint>
#include <optional>

/// Delay and input buffer of a switch with one FIFO per input, uniform Bernoulli traffic, speedup 1.
///
/// MODEL     rho_sat(k) of queue/crossbar/head_of_line.hpp, f = rho/rho_sat, x = 1/k:
///             E[W] = (rho_sat (k - 1)/(2 k)) f/(1 - f) p(f, x), p a polynomial with p(0, x) = 1;
///             ln P(X > n) = I(f, x) - y S(f, x) + ln(1 + y) (E_1 + E_2 f), y = n/E[W] for the delay,
///             y = n (1 - f) for the cells of an input. Polynomials fitted to simulations; the order at low
///             load and the pole at saturation are exact.
/// RESULT    of 25 and 40 other settings: mean -0.7 to +0.5 %; delay tails from 3e-5 to 0.3 within a factor
///           1.3 from f = 0.55, 1.4 from f = 0.35; input tails within 1.4 (errors of the simulations
///           included). Geometric below 3e-5
/// EXCLUDES  bursts, uneven destinations, speedup; tails for f below 0.35 or above 0.95, and above 0.3
/// SOURCE    docs/derivations/crossbar.md
/// TESTS     tests/bounds/crossbar/fifo_inputs_test.cpp
namespace tailbound::bounds {

class FifoInputs {
 public:
  static constexpr std::int64_t min_ports = 2, max_ports = 64;
  static constexpr double min_share = 0.35, max_share = 0.95;  ///< f of known tails
  static constexpr double max_tail = 0.3;                      ///< of known tails
  static constexpr double min_fitted_tail = 3e-5;              ///< smaller ones are continued

  /// \param load  of each input [cells/slot], above 0
  /// \throws InvalidArgument  ports outside the range
  /// \throws LoadTooHigh      load >= the saturation load
  FifoInputs(std::int64_t ports, double load);

  [[nodiscard]] double saturation() const { return saturation_; }
  /// Fraction of the saturation load.
  [[nodiscard]] double share() const { return share_; }
  [[nodiscard]] bool tails_known() const { return share_ >= min_share && share_ <= max_share; }
  /// E[W]; fitted up to max_share.
  [[nodiscard]] numeric::Model<unit::Slot> mean_wait() const { return {mean_}; }

  enum class Of { delay, input };
  /// P(X > level), level >= 0. Empty: above max_tail. \pre tails_known()
  [[nodiscard]] std::optional<numeric::Model<unit::Probability>> above(Of what, double level) const;
  /// The real-valued level with that tail. Empty: `tail` is above max_tail. \pre tails_known()
  [[nodiscard]] std::optional<double> quantile(Of what, double tail) const;

 private:
  [[nodiscard]] double fitted_log(Of what, double y) const;
  [[nodiscard]] double log_above(Of what, double y) const;
  [[nodiscard]] double scale(Of what) const;  ///< level/y
  /// y with log_above = log_tail, between the places where the formula falls.
  [[nodiscard]] double place_of(Of what, double log_tail) const;

  std::int64_t ports_;
  double saturation_, share_, mean_ = 0;
};

}  // namespace tailbound::bounds
