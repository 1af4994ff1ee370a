#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cstdint>

#ifdef TAILBOUND_QUADMATH
#include <boost/multiprecision/float128.hpp>
#endif

/// Numbers for candidates that need more bits than a long double has. Internal to the queue module.
namespace tailbound::queue {

#ifdef TAILBOUND_QUADMATH
using Quad = boost::multiprecision::float128;
#else
// As many bits; slower.
using Quad = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<113, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;
#endif
/// For many sources: G's entries, and the eigenvectors' conditions, spread over many more orders.
using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<320, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;

/// Quad does up to here, Wide above.
constexpr std::int64_t few_sources = 40;

}  // namespace tailbound::queue
