#pragma once

#include <tailbound/numeric/real.hpp>
#include <tailbound/series/formulas/law_mixture.hpp>
#include <tailbound/symbolic/pgf.hpp>

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

/// Packets that arrive in one slot: the traffic of a slotted queue, independent from slot to slot.
///
/// MODEL     A = packets in a slot, A(z) = E[z^A], rho = A'(1)  [packets/slot].
/// SOURCE    Singh and Dally 2004, eq. (2), for independent inputs; its lower index 0 is a misprint.
/// EXCLUDES  correlation between slots.
namespace tailbound::series {

/// `inputs` independent inputs that each send a packet with probability load / inputs:
/// A(z) = (1 - load/inputs + load/inputs z)^inputs.
struct EqualInputs {
  std::int64_t inputs;
  numeric::Rational load;
};

/// Independent inputs with rates of their own: A(z) = prod (1 - p_i + p_i z).
struct UnequalInputs {
  std::vector<numeric::Rational> rates;
};

/// A(z) = exp(load (z - 1)).
struct PoissonArrivals {
  numeric::Rational load;
};

/// P(A = j) = probabilities[j]; finite support.
struct PmfArrivals {
  std::vector<numeric::Rational> probabilities;
};

/// A given or computed PGF without free parameters.
struct PgfArrivals {
  symbolic::Program program;
};

/// A mixture of named distributions, some with irrational probabilities; each packet kept with probability
/// `kept`, or with the one that gives the load `at_load`.
struct LawArrivals {
  LawMixture laws;
  numeric::Rational kept = 1;
  std::optional<numeric::Rational> at_load = std::nullopt;

  /// That probability, with the precision in force.
  [[nodiscard]] numeric::Interval kept_share() const;
};

/// One of the above, checked. Immutable.
class Arrivals {
 public:
  using Description =
      std::variant<EqualInputs, UnequalInputs, PoissonArrivals, PmfArrivals, PgfArrivals, LawArrivals>;

  /// \throws InvalidArgument  inputs outside 1 .. 1 048 576, load outside 0 .. inputs
  static Arrivals equal_inputs(std::int64_t inputs, numeric::Rational load);
  /// \throws InvalidArgument  no rates, more than 4096 of them, or a rate outside 0 .. 1
  static Arrivals unequal_inputs(std::vector<numeric::Rational> rates);
  /// \throws InvalidArgument  load < 0 or load > 1 000
  static Arrivals poisson(numeric::Rational load);
  /// \throws InvalidArgument  a negative probability, a sum other than 1, more than 1 048 576 entries
  static Arrivals from_pmf(std::vector<numeric::Rational> probabilities);
  /// A polynomial with rational coefficients is converted to its PMF, so all arithmetics support it.
  /// \throws InvalidArgument  A has a free parameter or is not a PGF: A(1) is not 1, or a coefficient is
  ///                          negative (the message names it)
  /// \throws LimitExceeded    as check_pgf()
  static Arrivals from_pgf(const symbolic::Pgf& pgf);
  /// As a table where all its laws are tables of rationals.
  /// \throws LimitExceeded  such a table too long
  static Arrivals from_laws(std::vector<LawMixture::Part> parts);

  [[nodiscard]] const Description& description() const noexcept { return description_; }

  /// rho = A'(1) [packets/slot]; empty where it is irrational, as for (exp(z) - 1)/(exp(1) - 1).
  [[nodiscard]] const std::optional<numeric::Rational>& load() const noexcept { return load_; }
  /// A''(1) [packets^2]; empty where irrational.
  [[nodiscard]] const std::optional<numeric::Rational>& second_factorial_moment() const noexcept {
    return second_factorial_moment_;
  }
  /// Enclosures of A'(1) and A''(1) with the precision in force.
  [[nodiscard]] numeric::Interval load_interval() const;
  [[nodiscard]] numeric::Interval second_factorial_moment_interval() const;

  /// Maximum number of packets in a slot; empty if unbounded.
  [[nodiscard]] std::optional<std::int64_t> largest_batch() const;

  /// Each packet kept with probability `factor`, independently: A(1 - factor + factor z).
  /// \throws InvalidArgument  factor outside 0 .. 1
  /// \throws LimitExceeded    a PMF of more than 512 entries
  [[nodiscard]] Arrivals thinned(const numeric::Rational& factor) const;

  /// The same form of traffic at another load. Inputs and Poisson are scaled up or down; a PMF or a formula
  /// is thinned, so down only.
  /// \throws InvalidArgument  load < 0 or above largest_load()
  [[nodiscard]] Arrivals at_load(const numeric::Rational& load) const;

  /// Maximum load for at_load() [packets/slot]: `inputs` for equal inputs, 1000 for Poisson, the load at
  /// which the busiest of unequal inputs sends in every slot, otherwise the current load.
  [[nodiscard]] numeric::Rational largest_load() const;

 private:
  explicit Arrivals(Description description);

  Description description_;
  std::optional<numeric::Rational> load_, second_factorial_moment_;
};

}  // namespace tailbound::series
