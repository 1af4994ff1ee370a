#pragma once

#include <tailbound/queue/passage/matrix_bounds.hpp>

#include <cstddef>
#include <optional>
#include <utility>

/// The computations behind a MarkovQueue. Internal to the queue module.
namespace tailbound::queue {

/// Bounds of a number; an engine without proofs returns the number twice.
struct Bounds {
  numeric::Real lower, upper;
};

/// One method of computation. All return bounds, or the same number twice.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Bounds tail(std::size_t level) = 0;
  virtual Bounds probability(std::size_t level) = 0;
  virtual Bounds mean() = 0;
  virtual Bounds loss(std::size_t capacity) = 0;
};

/// The arithmetic has too few bits for a proof.
struct TooFewBits {};

template <class V>
[[nodiscard]] const V& require(const std::optional<V>& value) {
  if (!value) throw TooFewBits{};
  return *value;
}
template <class V>
[[nodiscard]] V require(std::optional<V>&& value) {
  if (!value) throw TooFewBits{};
  return *std::move(value);
}

[[nodiscard]] inline numeric::Real as_real(long double value) {
  const numeric::PrecisionScope scope(numeric::Precision{64});
  numeric::Real real;
  mpfr_set_ld(real.backend().data(), value, MPFR_RNDN);
  return real;
}
[[nodiscard]] inline numeric::Real as_real(const numeric::Real& value) {
  return value;
}

/// Rounded to the precision in force.
[[nodiscard]] inline numeric::Real rounded_to_scope(const numeric::Real& value) {
  numeric::Real rounded;
  mpfr_set(rounded.backend().data(), value.backend().data(), MPFR_RNDN);
  return rounded;
}

}  // namespace tailbound::queue
