#pragma once

#include <span>
#include <vector>

/// Convolution of long sequences by fast Fourier transforms (FFTW), with an error bound.
///
/// RESULT    z[n] = sum_{i+j=n} x[i] y[j], n < min of both lengths times 2 - 1, in O(N log N).
/// CONTRACT  |computed - true| <= error at every n. The error is absolute: it exceeds entries far below the
///           largest ones, so sequences that fall geometrically have to be tilted first
///           (series/distribution.hpp).
/// SOURCE    docs/derivations/transform.md, after Brent, Percival and Zimmermann, "Error bounds on complex
///           floating-point multiplication", Math. Comp. 76, 2007, and Higham, "Accuracy and Stability of
///           Numerical Algorithms", section 24.1.
namespace tailbound::numeric {

struct Convolution {
  std::vector<double> values;
  double error = 0;  ///< of each value, absolute
};

/// The first `count` entries of the convolution of two sequences of finite doubles; an entry beyond the
/// largest double is infinite.
/// COST  three transforms of the smallest power of two that is at least the full length.
/// \throws InvalidArgument  a sequence is empty, longer than 2^26, or has an entry that is not finite
/// \throws Error            a value checked by direct summation lies outside the bound: a faulty transform
[[nodiscard]] Convolution convolve_by_transform(std::span<const double> x, std::span<const double> y,
                                                std::size_t count);

}  // namespace tailbound::numeric
