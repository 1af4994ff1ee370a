#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cln/integer.h>
#include <gmp.h>

#include <vector>

/// CLN's rationals as GMP's.
namespace tailbound::numeric {

/// A GMP rational, freed at the end of the scope.
class GmpRational {
 public:
  explicit GmpRational(const Rational& value) {
    mpq_init(value_);
    set(mpq_numref(value_), cln::numerator(value));
    set(mpq_denref(value_), cln::denominator(value));
  }
  ~GmpRational() { mpq_clear(value_); }
  GmpRational(const GmpRational&) = delete;
  GmpRational& operator=(const GmpRational&) = delete;
  [[nodiscard]] mpq_srcptr get() const { return value_; }

 private:
  static void set(mpz_ptr target, const Integer& value) {
    if (cln::integer_length(value) < 62) {
      mpz_set_si(target, cln::cl_I_to_long(value));
      return;
    }
    // Via 32-bit limbs: linear in the size; decimal text would be quadratic.
    const Integer size = cln::abs(value);
    const std::size_t words = (cln::integer_length(size) + 31) / 32;
    std::vector<unsigned> limbs(words);
    for (std::size_t i = 0; i < words; ++i)
      limbs[i] = cln::cl_I_to_UL(cln::ldb(size, cln::cl_byte(32, 32 * i)));
    mpz_import(target, words, -1, sizeof(unsigned), 0, 0, limbs.data());
    if (cln::minusp(value)) mpz_neg(target, target);
  }
  mpq_t value_;
};

}  // namespace tailbound::numeric
