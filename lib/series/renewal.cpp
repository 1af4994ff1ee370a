#include <tailbound/series/renewal.hpp>

#include <array>

namespace tailbound::series {
namespace {

/// SIMD vector of numbers, in one register or two.
using Four [[gnu::vector_size(32)]] = double;
using Stored [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

/// s[from] ... in whole steps of four, from the `order` previous values without forcing: terms that reach
/// back beyond the four for all of them at once, then one after the other. \pre order >= 8
TAILBOUND_WIDE void extend_by_fours(const double* kernel, std::size_t order, double* s, std::size_t from,
                                    std::size_t count) {
  const double b1 = kernel[0], b2 = kernel[1], b3 = kernel[2];
  for (std::size_t n = from; n + 4 <= count; n += 4) {
    double* const here = s + n;
    Four sum1{}, sum2{}, sum3{}, sum4{};
    std::size_t j = order;
    for (; j >= 7; j -= 4) {
      sum1 += kernel[j - 1] * *reinterpret_cast<const Stored*>(here - j);
      sum2 += kernel[j - 2] * *reinterpret_cast<const Stored*>(here - j + 1);
      sum3 += kernel[j - 3] * *reinterpret_cast<const Stored*>(here - j + 2);
      sum4 += kernel[j - 4] * *reinterpret_cast<const Stored*>(here - j + 3);
    }
    if (j >= 4) sum1 += kernel[j - 1] * *reinterpret_cast<const Stored*>(here - j);
    if (j >= 5) sum2 += kernel[j - 2] * *reinterpret_cast<const Stored*>(here - j + 1);
    if (j >= 6) sum3 += kernel[j - 3] * *reinterpret_cast<const Stored*>(here - j + 2);
    const Four far = (sum1 + sum2) + (sum3 + sum4);
    // As few operations as possible depend on the previous value.
    const double s0 = (far[0] + b3 * here[-3]) + (b2 * here[-2] + b1 * here[-1]);
    const double s1 = (far[1] + (b3 * here[-2] + b2 * here[-1])) + b1 * s0;
    const double s2 = ((far[2] + b3 * here[-1]) + b2 * s0) + b1 * s1;
    const double s3 = ((far[3] + b3 * s0) + b2 * s1) + b1 * s2;
    *reinterpret_cast<Stored*>(here) = Four{s0, s1, s2, s3};
  }
}

void add(numeric::Real& sum, const numeric::Real& term) {
  mpfr_add(sum.backend().data(), sum.backend().data(), term.backend().data(), MPFR_RNDN);
}

}  // namespace

void extend(const RenewalEquation<double>& equation, std::vector<double>& values, std::size_t count) {
  const std::size_t order = equation.order(), plain = std::max(order, equation.forcing.size());
  if (order >= 8 && count >= std::max(plain, values.size()) + 8) {
    if (values.size() < plain) extend<double>(equation, values, plain);
    const std::size_t known = values.size();
    values.resize(known + (count - known) / 4 * 4);
    extend_by_fours(equation.kernel.data(), order, values.data(), known, values.size());
  }
  extend<double>(equation, values, count);
}

void extend(const RenewalEquation<numeric::Integer>& equation, std::vector<numeric::Integer>& values,
            std::size_t count) {
  values.reserve(count);
  for (std::size_t n = values.size(); n < count; ++n) {
    numeric::Integer sum;
    if (n < equation.forcing.size()) sum = equation.forcing[n];
    for (std::size_t j = 0; j < std::min(n, equation.order()); ++j)
      mpz_addmul(sum.backend().data(), equation.kernel[j].backend().data(),
                 values[n - 1 - j].backend().data());
    values.push_back(std::move(sum));
  }
}

void extend(const RenewalEquation<numeric::Real>& equation, std::vector<numeric::Real>& values,
            std::size_t count) {
  // Creates no number except the result, and none longer than the equation's; a scope's precision may have
  // one more limb.
  std::array<numeric::Real, 4> sums;
  numeric::Real product;
  const mpfr_prec_t precision = equation.kernel.empty() ? mpfr_get_prec(product.backend().data())
                                                        : mpfr_get_prec(equation.kernel[0].backend().data());
  for (numeric::Real& sum : sums) mpfr_set_prec(sum.backend().data(), precision);
  mpfr_set_prec(product.backend().data(), precision);
  values.reserve(count);
  for (std::size_t n = values.size(); n < count; ++n) {
    const std::size_t terms = std::min(n, equation.order());
    for (numeric::Real& sum : sums) mpfr_set_zero(sum.backend().data(), 1);
    for (std::size_t j = 0; j < terms; ++j) {
      mpfr_mul(product.backend().data(), equation.kernel[j].backend().data(),
               values[n - 1 - j].backend().data(), MPFR_RNDN);
      add(sums[j % 4], product);
    }
    add(sums[0], sums[1]);
    add(sums[2], sums[3]);
    add(sums[0], sums[2]);
    if (n < equation.forcing.size()) add(sums[0], equation.forcing[n]);
    values.push_back(sums[0]);
  }
}

void extend(const RenewalEquation<numeric::Interval>& equation, std::vector<numeric::Interval>& values,
            std::size_t count) {
  const auto known_positive = [](const numeric::Interval& value) { return numeric::lower(value) >= 0; };
  if (!std::ranges::all_of(equation.kernel, known_positive) ||
      !std::ranges::all_of(equation.forcing, known_positive) || !std::ranges::all_of(values, known_positive))
    return extend<numeric::Interval>(equation, values, count);
  // Without negative numbers each end is a sum of products of the same ends.
  numeric::Real product;
  const mpfr_prec_t precision = equation.kernel.empty() ? mpfr_get_prec(product.backend().data())
                                                        : mpfi_get_prec(equation.kernel[0].backend().data());
  mpfr_set_prec(product.backend().data(), precision);
  values.reserve(count);
  const auto end_of = [&](std::size_t n, auto end, mpfr_rnd_t rounding) {
    const mpfr_ptr sum = end(values[n]), term = product.backend().data();
    for (std::size_t j = std::min(n, equation.order()); j-- > 0;) {
      mpfr_mul(term, end(equation.kernel[j]), end(values[n - 1 - j]), rounding);
      mpfr_add(sum, sum, term, rounding);
    }
  };
  for (std::size_t n = values.size(); n < count; ++n) {
    values.emplace_back();
    mpfi_set_prec(values.back().backend().data(), precision);
    if (n < equation.forcing.size())
      mpfi_set(values.back().backend().data(), equation.forcing[n].backend().data());
    else
      mpfi_set_ui(values.back().backend().data(), 0);
    end_of(
        n, [](auto& value) { return &value.backend().data()->left; }, MPFR_RNDD);
    end_of(
        n, [](auto& value) { return &value.backend().data()->right; }, MPFR_RNDU);
  }
}

}  // namespace tailbound::series
