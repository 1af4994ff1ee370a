#include <tailbound/core/error.hpp>
#include <tailbound/numeric/real_transform.hpp>

#include <fftw3.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>

namespace tailbound::numeric {
namespace {

/// FFTW's planner is not thread-safe; executing a plan is.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

/// For the widest registers.
constexpr std::align_val_t alignment{64};

struct DestroyPlan {
  void operator()(fftw_plan plan) const {
    const std::lock_guard lock(planner());
    fftw_destroy_plan(plan);
  }
};
using Plan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, DestroyPlan>;

fftw_complex* complex(double* reals) {
  return reinterpret_cast<fftw_complex*>(reals);
}

}  // namespace

struct RealTransform::Plans {
  Plan forward, backward;
};

void Spectrum::Free::operator()(double* memory) const {
  ::operator delete(memory, alignment);
}

RealTransform::RealTransform(std::size_t points) : points_(points) {
  const Spectrum room = empty();
  auto plans = std::make_shared<Plans>();
  double* const reals = room.memory_.get();
  {
    const std::lock_guard lock(planner());
    const int size = static_cast<int>(points);
    plans->forward.reset(fftw_plan_dft_r2c_1d(size, reals, complex(reals), FFTW_ESTIMATE));
    plans->backward.reset(fftw_plan_dft_c2r_1d(size, complex(reals), reals, FFTW_ESTIMATE));
  }
  if (!plans->forward || !plans->backward)
    throw Error("FFTW made no plan for " + std::to_string(points) + " points");
  plans_ = std::move(plans);
}

Spectrum RealTransform::empty() const {
  // In place: a transform of `points` reals takes 2 * frequencies doubles.
  const std::size_t doubles = 2 * (points_ / 2 + 1);
  Spectrum result;
  // FFTW's own allocation ends the process where there is no memory.
  result.memory_.reset(static_cast<double*>(::operator new(doubles * sizeof(double), alignment)));
  result.points_ = points_;
  std::fill_n(result.memory_.get(), doubles, 0.0);
  return result;
}

void RealTransform::forward(std::span<const double> values, Spectrum& to) const {
  double* const reals = to.memory_.get();
  std::fill(std::copy(values.begin(), values.end(), reals), reals + points_, 0.0);
  fftw_execute_dft_r2c(plans_->forward.get(), reals, complex(reals));
}

void RealTransform::backward(Spectrum& spectrum) const {
  fftw_execute_dft_c2r(plans_->backward.get(), complex(spectrum.memory_.get()), spectrum.memory_.get());
}

}  // namespace tailbound::numeric
