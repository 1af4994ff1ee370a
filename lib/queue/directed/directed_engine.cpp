#include <tailbound/queue/directed/directed_candidate.hpp>
#include <tailbound/queue/directed/directed_engine.hpp>
#include <tailbound/queue/directed/directed_modes.hpp>
#include <tailbound/queue/passage/finite_passage.hpp>
#include <tailbound/queue/passage/silent_finite.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

/// Lower and upper bounds in T.
template <class T>
class DirectedEngine final : public Engine {
 public:
  DirectedEngine(const DirectedGroup& group, const Rational& load, int bits) : bits_(bits) {
    const PrecisionScope scope(Precision{bits});
    const PhaseSteps<T> steps = directed_steps<T>(group);
    load_ = from_rational<T>(load);
    const T idle = from_rational<T>(1 - load);
    if (!try_passages(steps, candidates_of(steps, group)) && !try_passages(steps, iterated(steps)))
      throw TooFewBits{};
    const auto silent = static_cast<double>(steps.silent());
    require(stationary(passages_->below.h(), 0, Outward<T>(Side::nearest, bits))).maxCoeff(&reference_);
    const auto below = require(passages_->below.silent_law(reference_));
    const auto above = require(passages_->above.silent_law(reference_));
    passages_->below.start(below * (idle / above.sum() * passages_->below.outward().factor(silent + 4)));
    passages_->above.start(above * (idle / below.sum() * passages_->above.outward().factor(silent + 4)));
  }

  Bounds tail(std::size_t level) override {
    const PrecisionScope scope(Precision{bits_});
    push_to(level);
    return {as_real(passages_->below.tail(level)), as_real(passages_->above.tail(level))};
  }
  Bounds probability(std::size_t level) override {
    const PrecisionScope scope(Precision{bits_});
    push_to(level);
    const auto sum = [&](const SilentPassage<T>& passage) {
      const Row<T>& here = passage.levels()[level];
      return as_real(T(here.sum() * passage.outward().factor(static_cast<double>(here.size()))));
    };
    return {sum(passages_->below), sum(passages_->above)};
  }
  Bounds mean() override {
    const PrecisionScope scope(Precision{bits_});
    const auto means = both_sides<T>([&](Side side) { return (*passages_)[side].mean(); });
    return {as_real(require(means).below), as_real(require(means).above)};
  }
  Bounds loss(std::size_t capacity) override {
    const PrecisionScope scope(Precision{bits_});
    if (!finite_)
      finite_ = {SilentFinite<T>(passages_->below.steps(), passages_->below.outward()),
                 SilentFinite<T>(passages_->above.steps(), passages_->above.outward())};
    const auto sums = both_sides<T>([&](Side side) { return (*finite_)[side].sums(capacity, reference_); });
    const auto& [below, above] = require(sums);
    const T down = passages_->below.outward().factor(5), up = passages_->above.outward().factor(5);
    return {as_real(T(below.lost / (above.mass * load_) * down)),
            as_real(T(above.lost / (below.mass * load_) * up))};
  }

 private:
  using Candidates = std::optional<Both<Matrix<T>>>;

  Candidates candidates_of(const PhaseSteps<T>& steps, const DirectedGroup& group) const {
    if (group.count > 1) return eigenvector_candidates(steps, group);
    // A passage of a single source always ends in OFF; a relative slack does not allow for that.
    const auto candidate = [&](const T& each) {
      Matrix<T> k = Matrix<T>::Zero(steps.phases(), steps.silent());
      k.topRows(steps.silent()) = Matrix<T>::Identity(steps.silent(), steps.silent());
      k(steps.begin(1), 0) = T(1) + each / from_rational<T>(group.stop);
      return k;
    };
    const Both<T> excess = excess_of<SilentPassage<T>>(steps, bits_);
    return Both<Matrix<T>>{candidate(excess.below), candidate(excess.above)};
  }

  Candidates eigenvector_candidates(const PhaseSteps<T>& steps, const DirectedGroup& group) const {
    const Both<T> excess = excess_of<SilentPassage<T>>(steps, bits_);
    if constexpr (std::is_same_v<T, Real>) {
      Both<Matrix<T>> candidates;
      const int wide = 2 * bits_ + 8 * static_cast<int>(group.count);
      for (const Side side : {Side::below, Side::above}) {
        {
          const PrecisionScope scope(Precision{wide});
          auto k = directed_passage<Real>(DirectedNumbers<Real>(group), group.count, Real(1) + excess[side],
                                          ldexp(Real(1), -wide));
          if (!k) return std::nullopt;
          candidates[side] = *std::move(k);
        }
        for (Real& entry : candidates[side].reshaped()) entry = rounded_to_scope(entry);
      }
      return candidates;
    } else {
      return directed_candidates(group, excess);
    }
  }

  /// Without bursts (each ends after one slot) eigenvalues coincide, but iteration is fast.
  Candidates iterated(const PhaseSteps<T>& steps) const {
    Both<Matrix<T>> candidates;
    const Both<T> excess = excess_of<SilentPassage<T>>(steps, bits_);
    const T change = SilentPassage<T>::theta(steps, Outward<T>(Side::below, bits_)) / 16;
    // Unreachable entries of K stay 0: they would decrease forever, and a relative slack does not allow for
    // that.
    Matrix<T> first = SilentPassage<T>::pattern(steps);
    for (Eigen::Index i = 0; i < first.rows(); ++i) first.row(i) /= first.row(i).sum();
    for (const Side side : {Side::below, Side::above}) {
      auto k = SilentPassage<T>::iterated(steps, first, T(1) + excess[side], change, 3000);
      if (!k) return std::nullopt;
      candidates[side] = first = *std::move(k);
    }
    return candidates;
  }

  bool try_passages(const PhaseSteps<T>& steps, const Candidates& candidates) {
    if (candidates)
      passages_ = both_sides<T>([&](Side side) {
        return SilentPassage<T>::make(steps, (*candidates)[side], Outward<T>(side, bits_));
      });
    return passages_.has_value();
  }

  void push_to(std::size_t level) {
    const auto push = [level](SilentPassage<T>& passage) {
      while (passage.levels().size() <= level) passage.push();
    };
    // For a level of few phases, starting a thread would take longer than the level itself.
    const std::size_t known = passages_->below.levels().size();
    if (level < known) return;
    if (level - known < 16) {
      push(passages_->below);
      push(passages_->above);
    } else {
      both<T>([&] { push(passages_->below); }, [&] { push(passages_->above); });
    }
  }

  int bits_;
  T load_;
  Eigen::Index reference_ = 0;
  std::optional<Both<SilentPassage<T>>> passages_;
  std::optional<Both<SilentFinite<T>>> finite_;
};

Bounds twice(long double value) {
  return {as_real(value), as_real(value)};
}

/// Losses of deep buffers: their ratio to P(Q > B) converges, since both have the same decay rate. From
/// `maximum` packets on it is assumed constant. The different numbers of modes compared use different depths.
class DeepLosses {
 public:
  explicit DeepLosses(Eigen::Index maximum) : maximum_(static_cast<std::size_t>(maximum)) {}

  template <class Finite, class Tail>
  [[nodiscard]] Bounds at(std::size_t capacity, const Finite& loss, const Tail& tail) {
    if (capacity <= maximum_) return twice(loss(capacity));
    if (!ratio_) ratio_ = loss(maximum_) / tail(maximum_);
    return twice(*ratio_ * tail(capacity));
  }

 private:
  std::size_t maximum_;
  std::optional<long double> ratio_{};
};

/// Spectral approximation with a few modes, not proved.
template <class PassageType, class Finite>
class DirectedModesEngine final : public Engine {
 public:
  /// \param passage  started
  /// \param deepest  buffer size up to which losses are computed level by level
  DirectedModesEngine(PassageType passage, long double load, Eigen::Index deepest)
      : load_(load), deep_(deepest), passage_(std::move(passage)) {}
  Bounds tail(std::size_t level) override {
    push_to(level);
    return twice(passage_.tail(level));
  }
  Bounds probability(std::size_t level) override {
    push_to(level);
    return twice(passage_.levels()[level].dot(chain().ones.transpose()));
  }
  Bounds mean() override { return twice(*passage_.mean()); }
  Bounds loss(std::size_t capacity) override {
    if (!finite_) finite_.emplace(chain(), passage_.outward());
    push_to(capacity);
    return deep_.at(
        capacity,
        [&](std::size_t places) {
          const auto sums = *finite_->sums(places, 0);
          return sums.lost / (sums.mass * load_);
        },
        [&](std::size_t level) { return passage_.tail(level); });
  }

 private:
  [[nodiscard]] const auto& chain() const {
    if constexpr (std::is_same_v<PassageType, SilentPassage<long double>>)
      return passage_.steps();
    else
      return passage_.blocks();
  }
  void push_to(std::size_t level) {
    while (passage_.levels().size() <= level) passage_.push();
  }
  long double load_;
  DeepLosses deep_;
  PassageType passage_;
  std::optional<Finite> finite_;
};

}  // namespace

std::unique_ptr<Engine> make_directed_engine(const DirectedGroup& group, const Rational& load, int bits) {
  if (bits == 64) return std::make_unique<DirectedEngine<long double>>(group, load, 64);
  return std::make_unique<DirectedEngine<Real>>(group, load, bits);
}

std::unique_ptr<Engine> make_directed_modes_engine(const DirectedGroup& group, const Rational& load,
                                                   int modes) {
  const Outward<long double> plain(Side::nearest, 64);
  const DirectedModes given = directed_modes(group, modes);
  const Matrix<long double> candidate = directed_modes_passage(group, given);
  const auto all = from_rational<long double>(load), idle = from_rational<long double>(1 - load);
  if (group.on_rate == 1) {
    using PassageType = SilentPassage<long double>;
    auto passage = *PassageType::make(given.steps, candidate, plain);
    // Their mass is that of the first mode.
    passage.start(*stationary(passage.h(), 0, plain) * idle);
    return std::make_unique<DirectedModesEngine<PassageType, SilentFinite<long double>>>(std::move(passage),
                                                                                         all, 1000 * modes);
  }
  // A source that is ON here sends only in some slots.
  using PassageType = Passage<long double>;
  auto passage = *PassageType::make(directed_modes_blocks(group, given), candidate, plain);
  const Row<long double> law = *stationary(passage.g(), 0, plain);
  passage.start(law * (idle / law.dot(passage.blocks().ones.transpose())));
  return std::make_unique<DirectedModesEngine<PassageType, FinitePassage<long double>>>(std::move(passage),
                                                                                        all, 75 * modes);
}

}  // namespace tailbound::queue
