#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/numeric/real.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// The renewal equation with non-negative terms: the one recurrence behind every tail.
///
/// MODEL     s[n] = c[n] + sum_{j=1..d} b[j] s[n-j],  b, c >= 0, c[n] = 0 from n = length of c on.
///           As series, S(z) = C(z) / (1 - B(z)).
/// RESULT    s by the recurrence itself, or far out by powers of x modulo
///           x^d - b[1] x^(d-1) - ... - b[d]; neither ever subtracts.
/// SOURCE    the second is Fiduccia, "An efficient formula for linear recurrences", SIAM J. Comput. 14(1),
///           1985; that its reduction step is free of subtraction here is docs/derivations/slotted_queue.md.
/// T         any ring whose elements are summed and multiplied without subtraction: double, long double,
///           Real, Interval, Integer.
namespace tailbound::series {

template <class T>
struct RenewalEquation {
  std::vector<T> kernel;   ///< b[1], b[2], ..., b[d]
  std::vector<T> forcing;  ///< c[0], c[1], ...

  [[nodiscard]] std::size_t order() const noexcept { return kernel.size(); }
};

/// Relative errors of one step of extend(): one product, then the additions. With four running sums a term
/// has at most a quarter of the additions, two that join the sums, and three more: the forcing term and the
/// join, or the last three terms.
[[nodiscard]] inline double roundings_per_step(std::size_t terms) {
  return 1 + static_cast<double>((terms + 3) / 4) + 5;
}

/// Appends s[values.size()] ... s[count - 1] to `values`, which must contain s from 0 on.
/// COST  (count - values.size()) * min(count, d) products.
template <class T>
void extend(const RenewalEquation<T>& equation, std::vector<T>& values, std::size_t count) {
  const std::size_t order = equation.order();
  const T* const kernel = equation.kernel.data();
  values.reserve(count);
  for (std::size_t n = values.size(); n < count; ++n) {
    const std::size_t terms = std::min(n, order);
    const T* const past = values.data() + n;  // past[-j] = s[n-j]
    T sum = n < equation.forcing.size() ? equation.forcing[n] : T(0);
    std::size_t j = 0;
    if (terms >= 4) {
      T sum1 = kernel[0] * past[-1];
      T sum2 = kernel[1] * past[-2];
      T sum3 = kernel[2] * past[-3];
      T sum4 = kernel[3] * past[-4];
      for (j = 4; j + 4 <= terms; j += 4) {
        const T* const from = past - j;
        sum1 += kernel[j] * from[-1];
        sum2 += kernel[j + 1] * from[-2];
        sum3 += kernel[j + 2] * from[-3];
        sum4 += kernel[j + 3] * from[-4];
      }
      sum += (sum1 + sum2) + (sum3 + sum4);
    }
    for (; j < terms; ++j) sum += kernel[j] * *(past - j - 1);
    values.push_back(std::move(sum));
  }
}

/// The same in double, four values at a time where each has d terms.
void extend(const RenewalEquation<double>& equation, std::vector<double>& values, std::size_t count);
/// The same in integers and in multiprecision, with the precision in force; creates no temporaries.
void extend(const RenewalEquation<numeric::Integer>& equation, std::vector<numeric::Integer>& values,
            std::size_t count);
void extend(const RenewalEquation<numeric::Real>& equation, std::vector<numeric::Real>& values,
            std::size_t count);
void extend(const RenewalEquation<numeric::Interval>& equation, std::vector<numeric::Interval>& values,
            std::size_t count);

/// x^power modulo x^d - b[1] x^(d-1) - ... - b[d]: the weights that give the value `power` places after the
/// first of d successive values. Non-negative throughout.
template <class T>
struct JumpWeights {
  std::vector<T> weight;  ///< d entries, of x^0 ... x^(d-1)
  double roundings = 0;   ///< errors of each weight, not counting those of the kernel
};

/// Errors of one squaring and one reduction at order d: d for the product and its sum; in the reduction a
/// jump of L places costs at most L + 1, over at most 2 d places in all.
[[nodiscard]] inline double roundings_per_squaring(std::size_t order) {
  return 5.0 * static_cast<double>(order);
}

/// Multiplies by x and reduces: one place further.
template <class T>
void advance(const RenewalEquation<T>& equation, JumpWeights<T>& jump) {
  const std::size_t order = equation.order();
  const T top = jump.weight[order - 1];
  for (std::size_t i = order - 1; i > 0; --i)
    jump.weight[i] = jump.weight[i - 1] + top * equation.kernel[order - 1 - i];
  jump.weight[0] = top * equation.kernel[order - 1];
  jump.roundings += 2;
}

/// \param order >= 1
/// COST  2 d^2 products for each bit of `power`.
template <class T>
[[nodiscard]] JumpWeights<T> jump_weights(const RenewalEquation<T>& equation, std::uint64_t power) {
  const std::size_t order = equation.order();
  JumpWeights<T> jump{std::vector<T>(order, T(0)), 0};
  // Leading bits that give a power below the order are free: x^m is itself.
  int bit = 63;
  std::uint64_t prefix = 0;
  while (bit >= 0 && prefix * 2 + ((power >> bit) & 1U) < order)
    prefix = prefix * 2 + ((power >> bit--) & 1U);
  jump.weight[prefix] = T(1);
  std::vector<T> product(2 * order - 1, T(0));
  for (; bit >= 0; --bit) {
    std::fill(product.begin(), product.end(), T(0));
    for (std::size_t i = 0; i < order; ++i)
      for (std::size_t j = 0; j < order; ++j) product[i + j] += jump.weight[i] * jump.weight[j];
    for (std::size_t i = 2 * order - 2; i >= order; --i) {
      const T top = product[i];
      for (std::size_t j = 0; j < order; ++j) product[i - 1 - j] += top * equation.kernel[j];
    }
    for (std::size_t i = 0; i < order; ++i) jump.weight[i] = product[i];
    jump.roundings = 2 * jump.roundings + roundings_per_squaring(order);
    if (((power >> bit) & 1U) != 0) advance(equation, jump);
  }
  return jump;
}

/// The value `power` places after window[0], from d successive values that the homogeneous recurrence
/// continues.
template <class T>
[[nodiscard]] T apply(const JumpWeights<T>& jump, const T* window) {
  T sum(0);
  for (std::size_t i = 0; i < jump.weight.size(); ++i) sum += jump.weight[i] * window[i];
  return sum;
}

}  // namespace tailbound::series
