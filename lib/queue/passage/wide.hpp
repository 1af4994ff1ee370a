#pragma once

#ifdef TAILBOUND_QUADMATH
#include <boost/multiprecision/float128.hpp>
#else
#include <boost/multiprecision/cpp_bin_float.hpp>
#endif

#include <cstdint>
#include <limits>

/// Numbers for candidates that need more bits than a long double has. Internal to the queue module.
namespace tailbound::queue {

/// Bits of a Quad, and of the Reals used instead for many sources: the entries of G and the condition numbers
/// of the eigenvectors then span many more orders of magnitude.
constexpr int quad_bits = 113, wide_bits = 320;

#ifdef TAILBOUND_QUADMATH
using Quad = boost::multiprecision::float128;
#else
// As many bits, but slower.
using Quad = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<quad_bits, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;
#endif

static_assert(std::numeric_limits<Quad>::digits == quad_bits);

/// Quad suffices up to here; above, a Real with wide_bits.
constexpr std::int64_t few_sources = 40;
/// Bits for candidates of that many sources.
[[nodiscard]] constexpr int candidate_bits(std::int64_t sources) {
  return sources <= few_sources ? quad_bits : wide_bits;
}

}  // namespace tailbound::queue
