#pragma once

#include <tailbound/symbolic/pgf.hpp>
#include <tailbound/symbolic/print.hpp>

#include <optional>
#include <string>
#include <vector>

/// The generating functions of a slotted queue as formulas; parameters may stay symbols.
///
/// MODEL     Q[t+1] = max(Q[t] - C, 0) + A[t+1];  Q counts the packets just after a slot's arrivals, those
///           about to be served included.  W is the wait of an arbitrary packet, its own service slot not
///           counted (C = 1).
/// RESULT    C = 1:  Q(z) = (1 - rho) (z - 1) A(z) / (z - A(z)),
///                   W(z) = (1 - rho) (1 - A(z)) / (rho (A(z) - z)) = (Q(z) - P(Q=0)) / (rho z).
///           C > 1:  Q(z) = (C - rho) (z - 1) A(z) / (z^C - A(z)) prod_{i=1..C-1} (z - y_i) / (1 - y_i),
///                   y_i the C-1 solutions of y^C = A(y) with |y| < 1.
/// SOURCE    Singh and Dally 2004, eq. (1) for C = 1; derivation: docs/derivations/generating_functions.md
/// EXCLUDES  W for C > 1.
/// TESTS     tests/queue/slotted/slotted_formula_test.cpp
namespace tailbound::queue {

struct SlottedFormula {
  symbolic::Pgf arrivals;
  symbolic::Expression load;                    ///< rho = A'(1)  [packets/slot]
  symbolic::Pgf occupancy;                      ///< Q(z) as in RESULT; reads 0/0 at z = 1
  symbolic::Expression empty;                   ///< P(Q = 0)
  symbolic::Expression mean;                    ///< E[Q]  [packets]
  symbolic::Expression variance;                ///< Var[Q]  [packets^2]
  std::vector<std::string> inner_roots;         ///< names of the y_i; empty for C = 1
  std::vector<std::string> defining_equations;  ///< what the y_i are, as text
  int packets_per_slot = 1;
};

/// \param packets_per_slot  C, 1 .. 32
/// \throws Unstable         rho >= C; with symbols in rho nothing is checked, and the condition is listed in
///                          occupancy.assumptions()
/// \throws InvalidArgument  A(1) is not 1, packets_per_slot out of range
/// \throws LimitExceeded    a moment too large to write down
[[nodiscard]] SlottedFormula slotted_formula(const symbolic::Pgf& arrivals, int packets_per_slot = 1);

struct WaitFormula {
  symbolic::Pgf wait;             ///< W(z); reads 0/0 at z = 1
  symbolic::Expression no_wait;   ///< P(W = 0)
  symbolic::Expression mean;      ///< E[W]  [slots]
  symbolic::Expression variance;  ///< Var[W]  [slots^2]
};

/// \throws InvalidArgument  rho = 0: no packet waits because there is none; the rest as slotted_formula()
[[nodiscard]] WaitFormula wait_formula(const symbolic::Pgf& arrivals);

/// Q(z) with the root z = 1 cancelled, (1-rho) A / (1 - B1) with B1 = (1-A)/(1-z) divided out; nothing where
/// that is not a rational formula of moderate size (exp, symbolic exponents), and for C > 1. Above degree 24
/// a polynomial A without parameters is divided as a polynomial, and 1 - B1 stays expanded.
[[nodiscard]] std::optional<symbolic::Pgf> cancelled_occupancy(const SlottedFormula& formula);
/// The same for W(z).
[[nodiscard]] std::optional<symbolic::Pgf> cancelled_wait(const SlottedFormula& formula,
                                                          const WaitFormula& wait);

/// The formulas, or `cancelled` instead, as definitions to print. The C code computes (A(z) - 1) / (z - 1)
/// without cancellation, so it is accurate at and near z = 1.
/// \throws InvalidArgument  C code for packets_per_slot > 2, whose y_i are complex
[[nodiscard]] symbolic::Definition arrivals_definition(const symbolic::Pgf& arrivals,
                                                       symbolic::Language language);
[[nodiscard]] symbolic::Definition occupancy_definition(const SlottedFormula& formula,
                                                        symbolic::Language language,
                                                        const symbolic::Pgf* cancelled = nullptr);
[[nodiscard]] symbolic::Definition wait_definition(const SlottedFormula& formula, const WaitFormula& wait,
                                                   symbolic::Language language,
                                                   const symbolic::Pgf* cancelled = nullptr);

}  // namespace tailbound::queue
