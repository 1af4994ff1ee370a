#pragma once

#include <tailbound/symbolic/print.hpp>

#include <vector>

/// One on-off source as formulas.
///
/// MODEL     D(z) = [[1 - alpha, alpha], [beta w, (1 - beta) w]], w = 1 - r + r z, rows and columns OFF, ON;
///           beta = 1 / burst, alpha = load beta / (on_rate - load), r = on_rate / inputs.
/// RESULT    The eigenvalues of D(z) are the zeros l of  l^2 - T(z) l + Delta(z), T the trace and Delta the
///           determinant. Of `inputs` sources together they are l1^(inputs - k) l2^k, and the poles of the
///           queue's generating function solve  z = l1^(inputs - k) l2^k.
/// SOURCE    docs/derivations/bursty_queue.md
/// TESTS     tests/queue/on_off/on_off_formula_test.cpp
namespace tailbound::queue {

struct OnOffFormula {
  symbolic::Expression start, stop;         ///< alpha, beta
  symbolic::Expression entry[2][2];         ///< of D(z): from, to; 0 is OFF
  symbolic::Expression trace, determinant;  ///< T(z), Delta(z)
};

/// All may be formulas free of z.
/// \param inputs  each packet comes to this queue with probability 1 / inputs
[[nodiscard]] OnOffFormula on_off_formula(const symbolic::Expression& load, const symbolic::Expression& burst,
                                          const symbolic::Expression& on_rate,
                                          const symbolic::Expression& inputs);

/// The matrix, T, Delta and both eigenvalues as definitions in `language`.
[[nodiscard]] std::string print(const OnOffFormula& formula, symbolic::Language language);

}  // namespace tailbound::queue
