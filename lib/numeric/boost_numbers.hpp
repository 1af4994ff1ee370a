#pragma once

/// Boost.Multiprecision's numbers of GMP, MPFR and MPFI, with a default precision per thread. To be included
/// instead of these headers of Boost, and before them.

#ifdef BOOST_MATH_ER_GMP_BACKEND_HPP
#error "include tailbound's headers before <boost/multiprecision/gmp.hpp>, mpfr.hpp and mpfi.hpp"
#endif

#include <boost/version.hpp>
#if BOOST_VERSION < 107700

#include <boost/multiprecision/detail/atomic.hpp>

namespace boost::multiprecision::detail {

/// Until 1.76 Boost has one default precision in the process: threads would change each other's results. Of
/// the size of what it replaces, so that code compiled without this header works too, with its precision for
/// all threads.
class PrecisionOfThread {
 public:
  explicit constexpr PrecisionOfThread(unsigned digits) : digits_(digits) {}
  PrecisionOfThread& operator=(unsigned digits) {
    of_thread = digits;
    return *this;
  }
  operator unsigned() const { return of_thread; }  // NOLINT(google-explicit-constructor)

 private:
  static constinit inline thread_local unsigned of_thread = 50;
  [[maybe_unused]] unsigned digits_;
};

}  // namespace boost::multiprecision::detail

#define precision_type PrecisionOfThread
#include <boost/multiprecision/gmp.hpp>
#include <boost/multiprecision/mpfi.hpp>
#include <boost/multiprecision/mpfr.hpp>
#undef precision_type

#else

#include <boost/multiprecision/gmp.hpp>
#include <boost/multiprecision/mpfi.hpp>
#include <boost/multiprecision/mpfr.hpp>

#endif
