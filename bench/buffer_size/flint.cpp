#include <bench/buffer_size/queries.hpp>

#include <arb_poly.h>
#include <flint/fmpq_poly.h>

namespace tailbound::bench {
namespace {

/// First n at which the running complement of the coefficients falls to 1e-15, decided by balls; -1 if a ball
/// is too wide to decide.
long first_level(const arb_poly_t q, slong precision) {
  arb_t tail, target, coefficient;
  arb_init(tail);
  arb_init(target);
  arb_init(coefficient);
  arb_one(tail);
  arb_set_ui(target, 10);
  arb_pow_ui(target, target, 15, precision);
  arb_inv(target, target, precision);
  long result = -1;
  for (slong n = 0; n < terms; ++n) {
    arb_poly_get_coeff_arb(coefficient, q, n);
    arb_sub(tail, tail, coefficient, precision);
    if (arb_le(tail, target)) {
      result = n;
      break;
    }
    if (!arb_gt(tail, target)) break;
  }
  arb_clear(tail);
  arb_clear(target);
  arb_clear(coefficient);
  return result;
}

/// The literal series in balls of `precision` bits: certified if it decides.
void arb_series(benchmark::State& state) {
  const slong precision = state.range(0);
  long buffer = -1;
  for (auto _ : state) {
    arb_poly_t arrivals, numerator, denominator, factor;
    arb_poly_init(arrivals);
    arb_poly_init(numerator);
    arb_poly_init(denominator);
    arb_poly_init(factor);
    arb_t rate;
    arb_init(rate);
    arb_set_ui(rate, 9);
    arb_div_ui(rate, rate, 160, precision);
    arb_poly_set_coeff_arb(factor, 1, rate);
    arb_sub_ui(rate, rate, 1, precision);
    arb_neg(rate, rate);
    arb_poly_set_coeff_arb(factor, 0, rate);
    arb_poly_pow_ui(arrivals, factor, 16, precision);
    arb_poly_zero(factor);
    arb_poly_set_coeff_si(factor, 1, 1);
    arb_poly_sub(denominator, factor, arrivals, precision);
    arb_poly_set_coeff_si(factor, 0, -1);
    arb_poly_mul(numerator, factor, arrivals, precision);
    arb_poly_div_series(factor, numerator, denominator, terms, precision);
    arb_set_ui(rate, 10);
    arb_inv(rate, rate, precision);
    arb_poly_scalar_mul(factor, factor, rate, precision);
    buffer = first_level(factor, precision);
    arb_clear(rate);
    arb_poly_clear(arrivals);
    arb_poly_clear(numerator);
    arb_poly_clear(denominator);
    arb_poly_clear(factor);
  }
  check(state, buffer);
}

/// The same in exact rationals.
void flint_exact_series(benchmark::State& state) {
  long buffer = -1;
  for (auto _ : state) {
    fmpq_poly_t arrivals, numerator, denominator, quotient;
    fmpq_poly_init(arrivals);
    fmpq_poly_init(numerator);
    fmpq_poly_init(denominator);
    fmpq_poly_init(quotient);
    fmpq_poly_set_str(numerator, "2  151/160 9/160");
    fmpq_poly_pow(arrivals, numerator, 16);
    fmpq_poly_set_str(denominator, "2  0 1");
    fmpq_poly_sub(denominator, denominator, arrivals);
    fmpq_poly_set_str(numerator, "2  -1/10 1/10");
    fmpq_poly_mul(numerator, numerator, arrivals);
    fmpq_poly_div_series(quotient, numerator, denominator, terms);
    fmpq_t tail, target, coefficient;
    fmpq_init(tail);
    fmpq_init(target);
    fmpq_init(coefficient);
    fmpq_one(tail);
    fmpq_set_si(target, 1, 1000000000000000);
    for (buffer = 0; buffer < terms; ++buffer) {
      fmpq_poly_get_coeff_fmpq(coefficient, quotient, buffer);
      fmpq_sub(tail, tail, coefficient);
      if (fmpq_cmp(tail, target) <= 0) break;
    }
    fmpq_clear(tail);
    fmpq_clear(target);
    fmpq_clear(coefficient);
    fmpq_poly_clear(arrivals);
    fmpq_poly_clear(numerator);
    fmpq_poly_clear(denominator);
    fmpq_poly_clear(quotient);
  }
  check(state, buffer);
}

BENCHMARK(arb_series)->Arg(128)->Arg(256)->Unit(benchmark::kMicrosecond);
BENCHMARK(flint_exact_series)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailbound::bench
