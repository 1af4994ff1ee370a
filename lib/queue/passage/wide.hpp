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

/// Of a Quad, and of the Reals in its place for many sources: G's entries, and the eigenvectors' conditions, spread over
/// many more orders then.
constexpr int quad_bits = 113, wide_bits = 320;

#ifdef TAILBOUND_QUADMATH
using Quad = boost::multiprecision::float128;
#else
// As many bits; slower.
using Quad = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<quad_bits, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;
#endif

static_assert(std::numeric_limits<Quad>::digits == quad_bits);

/// Quad does up to here, a Real of wide_bits above.
constexpr std::int64_t few_sources = 40;
/// What candidates of so many sources take.
[[nodiscard]] constexpr int candidate_bits(std::int64_t sources) {
  return sources <= few_sources ? quad_bits : wide_bits;
}

}  // namespace tailbound::queue
