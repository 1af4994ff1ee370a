#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

/// Fourier transforms of real sequences (FFTW), for products of many of them.
///
/// CONTRACT  relative to the norm of what is transformed an error of at most 16 roundings a level of the transform
/// SOURCE    docs/derivations/transform.md
/// TESTS     tests/numeric/transform_convolution_test.cpp
namespace tailbound::numeric {

/// The transform of a sequence of `points` reals at the frequencies 0 .. points / 2; or the sequence itself.
class Spectrum {
 public:
  [[nodiscard]] std::span<double> values() const { return {memory_.get(), points_}; }
  [[nodiscard]] std::span<std::complex<double>> frequencies() const {
    return {reinterpret_cast<std::complex<double>*>(memory_.get()), points_ / 2 + 1};
  }

 private:
  friend class RealTransform;
  struct Free {
    void operator()(double* memory) const;
  };
  std::unique_ptr<double, Free> memory_;
  std::size_t points_ = 0;
};

/// Transforms of one length. Several threads may use it at a time.
class RealTransform {
 public:
  /// \param points  a power of two, 2 .. 2^30
  /// \throws Error  no plan is found
  explicit RealTransform(std::size_t points);

  [[nodiscard]] std::size_t points() const { return points_; }
  /// Of zeros.
  [[nodiscard]] Spectrum empty() const;
  /// \pre at most `points` values; `to` is of this transform
  void forward(std::span<const double> values, Spectrum& to) const;
  /// Replaces frequencies by `points` times the values.
  void backward(Spectrum& spectrum) const;

 private:
  struct Plans;
  std::size_t points_;
  std::shared_ptr<const Plans> plans_;
};

}  // namespace tailbound::numeric
