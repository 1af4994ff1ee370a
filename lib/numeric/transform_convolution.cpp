#include <tailbound/core/error.hpp>
#include <tailbound/numeric/transform_convolution.hpp>

#include <fftw3.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <string>

namespace tailbound::numeric {
namespace {

struct Free {
  void operator()(void* memory) const { fftw_free(memory); }
};
struct DestroyPlan {
  void operator()(fftw_plan plan) const;
};
using Plan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, DestroyPlan>;

/// FFTW's planner is not thread-safe; executing a plan is.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

void DestroyPlan::operator()(fftw_plan plan) const {
  const std::lock_guard lock(planner());
  fftw_destroy_plan(plan);
}

/// The power of two that moves a sequence away from the limits of the exponents, as the bound counts
/// roundings, not underflows. 0 for most.
int exponent_to_middle(std::span<const double> x) {
  double largest = 0;
  for (const double value : x) {
    if (!std::isfinite(value)) throw InvalidArgument("entry", std::to_string(value), "finite");
    largest = std::max(largest, std::abs(value));
  }
  return largest == 0 || (largest >= 0x1p-200 && largest <= 0x1p200) ? 0 : -std::ilogb(largest);
}

std::vector<double> scaled(std::span<const double> x, int exponent) {
  std::vector<double> result(x.begin(), x.end());
  for (double& value : result) value = std::scalbn(value, exponent);
  return result;
}

double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

/// Largest error of an entry, for transforms of 2^levels points: 3 transforms, each within 16 units per level
/// (docs/derivations/transform.md), and the products.
double error_bound(double norms, int levels) {
  const double transform = 16.0 * (levels + 2) * unit_roundoff;
  return norms * (3 * transform + 4 * unit_roundoff) * (1 + 1e-6);
}

/// A few entries by direct summation, whose own error is at most count units of the sum of |terms|.
void check_some(const Convolution& result, std::span<const double> x, std::span<const double> y) {
  const std::size_t count = result.values.size();
  for (std::size_t part = 0; part <= 4; ++part) {
    const std::size_t n = (count - 1) * part / 4;
    double sum = 0, magnitude = 0;
    std::size_t terms = 0;
    for (std::size_t i = n < y.size() ? 0 : n - y.size() + 1; i <= n && i < x.size(); ++i, ++terms) {
      sum += x[i] * y[n - i];
      magnitude += std::abs(x[i] * y[n - i]);
    }
    const double own = magnitude * static_cast<double>(terms + 2) * unit_roundoff * 1.01;
    if (!(std::abs(result.values[n] - sum) <= result.error + own))
      throw Error("the error of the fast Fourier transform is " + std::to_string(result.values[n] - sum) +
                  ", above its bound " + std::to_string(result.error));
  }
}

}  // namespace

Convolution convolve_by_transform(std::span<const double> x, std::span<const double> y, std::size_t count) {
  for (const auto& sequence : {x, y})
    if (sequence.empty() || sequence.size() > (std::size_t{1} << 26))
      throw InvalidArgument("length", std::to_string(sequence.size()), "between 1 and 2^26");
  const int x_exponent = exponent_to_middle(x), y_exponent = exponent_to_middle(y);
  if (x_exponent != 0 || y_exponent != 0) {
    Convolution result = convolve_by_transform(scaled(x, x_exponent), scaled(y, y_exponent), count);
    const int back = -(x_exponent + y_exponent);
    // Exact, except outside the normal range: by little below its lower end, by any amount above its upper
    // end.
    result.error = std::scalbn(result.error, back) + std::numeric_limits<double>::min();
    for (double& value : result.values) {
      value = std::scalbn(value, back);
      if (std::isinf(value)) result.error = std::numeric_limits<double>::infinity();
    }
    return result;
  }
  if (count == 0) return {};
  const std::size_t full = x.size() + y.size() - 1;
  const std::size_t points = std::bit_ceil(std::max<std::size_t>(2, full));
  const std::size_t frequencies = points / 2 + 1;
  const auto allocate = [](std::size_t doubles) {
    std::unique_ptr<double, Free> memory(fftw_alloc_real(doubles));
    if (!memory) throw std::bad_alloc();
    return memory;
  };
  // In place: a transform of `points` reals takes 2 * frequencies doubles.
  const auto first = allocate(2 * frequencies);
  const auto second = allocate(2 * frequencies);
  const auto complex = [](double* reals) { return reinterpret_cast<fftw_complex*>(reals); };
  Plan forward, backward;
  {
    const std::lock_guard lock(planner());
    const int size = static_cast<int>(points);
    forward.reset(fftw_plan_dft_r2c_1d(size, first.get(), complex(first.get()), FFTW_ESTIMATE));
    backward.reset(fftw_plan_dft_c2r_1d(size, complex(first.get()), first.get(), FFTW_ESTIMATE));
  }
  if (!forward || !backward)
    throw Error("FFTW could not plan a transform of " + std::to_string(points) + " points");

  const auto load = [&](std::span<const double> from, double* to) {
    std::copy(from.begin(), from.end(), to);
    std::fill(to + from.size(), to + 2 * frequencies, 0.0);
    fftw_execute_dft_r2c(forward.get(), to, complex(to));
  };
  load(x, first.get());
  load(y, second.get());
  // The inverse is not scaled by FFTW; 1/points is a power of two, so this scaling rounds nothing.
  const double scale = 1.0 / static_cast<double>(points);
  fftw_complex* const a = complex(first.get());
  const fftw_complex* const b = complex(second.get());
  for (std::size_t k = 0; k < frequencies; ++k) {
    const double real = a[k][0] * b[k][0] - a[k][1] * b[k][1];
    const double imaginary = a[k][0] * b[k][1] + a[k][1] * b[k][0];
    a[k][0] = real * scale;
    a[k][1] = imaginary * scale;
  }
  fftw_execute_dft_c2r(backward.get(), a, first.get());

  Convolution result;
  result.values.assign(first.get(), first.get() + std::min(count, full));
  result.values.resize(count, 0.0);
  result.error = error_bound(norm(x) * norm(y) * (1 + 1e-6), std::countr_zero(points));
  check_some(result, x, y);
  return result;
}

}  // namespace tailbound::numeric
