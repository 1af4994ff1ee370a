#include <tailbound/core/error.hpp>
#include <tailbound/numeric/power.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/delay/wait_transform.hpp>
#include <tailbound/queue/on_off/on_off_blocks.hpp>

#include <map>
#include <string>
#include <vector>

namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;
using numeric::Real;

/// A relative width that is narrow enough [bits].
constexpr int narrow_bits = 60;

/// The parameters of a source as Reals or Intervals.
template <class T>
struct SourceLaw {
  T start, stop, stay, memory, rate;  ///< alpha, beta, 1 - beta, 1 - alpha - beta, r
};

SourceLaw<Interval> enclosed_law(const traffic::OnOff& source) {
  using numeric::to_interval;
  return {to_interval(source.start), to_interval(source.stop), to_interval(1 - source.stop),
          to_interval(1 - source.start - source.stop), to_interval(source.on_rate)};
}

SourceLaw<Real> nearest_law(const traffic::OnOff& source) {
  const OnOffNumbers<Real> p(source);
  return {p.start, p.stop, p.no_stop, p.memory, p.rate};
}

/// Eigenvalues of one source's matrix at z >= 0, and the second entries of their right eigenvectors, the
/// first being 1.
template <class T>
struct SourceModes {
  T large, small, up, down;

  SourceModes(const SourceLaw<T>& p, const T& z) {
    const T more = p.rate * (z - T(1)), w = T(1) + more, d = p.stop - p.start - more * p.stay;
    const T gap = sqrt(T(d * d + T(4) * w * p.start * p.stop));
    large = (T(1) - p.start + w * p.stay + gap) / T(2);
    small = w * p.memory / large;
    up = (gap - d) / (T(2) * p.start);
    down = -(gap + d) / (T(2) * p.start);
  }
};

template <class T>
std::vector<T> binomial_row(std::int64_t k) {
  std::vector<T> row{T(1)};
  for (std::int64_t i = 0; i < k; ++i)
    row.push_back(row.back() * T(static_cast<double>(k - i)) / T(static_cast<double>(i + 1)));
  return row;
}

/// (1 - D(z)/z)^-1 1 by phase, the number of sources that are ON.
template <class T>
std::vector<T> visits(const SourceLaw<T>& p, const std::vector<T>& choose, const T& z) {
  const auto k = choose.size() - 1;
  const SourceModes<T> mode(p, z);
  // (1, 1) = c (1, up) + c' (1, down)
  const T other = (mode.up - T(1)) / (mode.up - mode.down), own = (T(1) - mode.down) / (mode.up - mode.down);
  std::vector<T> weights(k + 1, T(1));
  for (std::size_t j = 0; j < k; ++j) weights[j + 1] = weights[j] * other;
  T eigenvalue = numeric::power(mode.large, static_cast<std::int64_t>(k)), owns(1);
  const T ratio = mode.small / mode.large;
  std::vector<T> all_small(k + 1);
  for (std::size_t j = 0; j <= k; ++j, eigenvalue *= ratio) all_small[j] = z / (z - eigenvalue);
  for (std::size_t j = k + 1; j-- > 0; owns *= own) weights[j] *= choose[j] * owns * all_small[j];
  // sum_j weight_j (1 + up y)^(k-j) (1 + down y)^j
  std::vector<T> sum{weights[0]}, power{T(1)};
  const auto times = [](std::vector<T>& coefficients, const T& x) {
    coefficients.push_back(coefficients.back() * x);
    for (std::size_t i = coefficients.size() - 2; i > 0; --i) coefficients[i] += coefficients[i - 1] * x;
  };
  for (std::size_t j = 1; j <= k; ++j) {
    times(sum, mode.up);
    times(power, mode.down);
    for (std::size_t i = 0; i <= j; ++i) sum[i] += weights[j] * power[i];
  }
  for (std::size_t i = 0; i <= k; ++i) sum[i] /= choose[i];
  return sum;
}

/// (z - 1) v, v the j-th eigenvector of D(z) by phase: coefficients of (1 + up y)^(k-j) (1 + down y)^j over
/// C(k, i).
std::vector<Interval> falling(const SourceLaw<Interval>& p, const std::vector<Interval>& choose,
                              const Interval& z, std::size_t j) {
  const auto k = choose.size() - 1;
  const SourceModes<Interval> mode(p, z);
  const auto number = [](std::size_t i) { return Interval(static_cast<double>(i)); };
  // f' (1 + a y) (1 + b y) = f (p a (1 + b y) + q b (1 + a y)) for f = (1 + a y)^p (1 + b y)^q
  const Interval first = number(k - j) * mode.up + number(j) * mode.down, sum = mode.up + mode.down,
                 product = mode.up * mode.down;
  std::vector<Interval> v(k + 1);
  v[0] = z - Interval(1);
  for (std::size_t i = 0; i < k; ++i) {
    Interval next = (first - number(i) * sum) * v[i];
    if (i > 0) next += number(k + 1 - i) * product * v[i - 1];
    v[i + 1] = next / number(i + 1);
  }
  for (std::size_t i = 0; i <= k; ++i) v[i] /= choose[i];
  return v;
}

/// An interval that contains a root of z = l1^(k-j) l2^j in [0, 1[.
/// \return none if there are too few bits
std::optional<Interval> enclosed_root(const SourceLaw<Interval>& p, std::int64_t k, std::int64_t j,
                                      const Real& about) {
  const auto excess = [&](const Real& at) {
    const Interval z = numeric::to_interval(at);
    const SourceModes<Interval> mode(p, z);
    return Interval(numeric::power(mode.large, k - j) * numeric::power(mode.small, j) - z);
  };
  const int bits = static_cast<int>(mpfr_get_prec(about.backend().data()));
  for (int slack = 8; slack < bits - 16; slack += 16) {
    const Real width = ldexp(Real(1), slack - bits);
    const Real low = about > width ? Real(about - width) : Real(0), high = about + width;
    if (!(high < 1)) return std::nullopt;
    if (numeric::lower(excess(low)) >= 0 && numeric::upper(excess(high)) <= 0)
      return numeric::make_interval(low, high);
  }
  return std::nullopt;
}

/// The roots for j = 1 .. k, to nearest; each lies between 0 and the previous one; for j = 0 it is 1.
std::optional<std::vector<Real>> nearest_roots(const SourceLaw<Real>& p, std::int64_t k, int bits) {
  const Real unit = ldexp(Real(1), -bits);
  std::vector<Real> roots;
  Real before = 1;
  for (std::int64_t j = 1; j <= k; ++j) {
    const auto excess = [&](const Real& z) {
      const SourceModes<Real> mode(p, z);
      return Real(numeric::power(mode.large, k - j) * numeric::power(mode.small, j) - z);
    };
    // Above 0 at 0, below 0 at `before`: secants, with bisection where they do not halve the interval.
    Real low = 0, high = before, at_low = excess(low), at_high = excess(high);
    if (!(at_low > 0)) {
      roots.push_back(before = low);
      continue;
    }
    if (!(at_high < 0)) return std::nullopt;
    for (int step = 0; step < 8 * bits && high - low > 16 * unit; ++step) {
      const Real width = high - low;
      Real at = low + width * (at_low / (at_low - at_high));
      // Slightly past the secant's zero, so that both ends converge.
      const Real past =
          step % 2 == 0 ? Real(at + ldexp(width, -bits / 4)) : Real(at - ldexp(width, -bits / 4));
      if (past > low && past < high) at = past;
      if (step % 3 == 2) at = (low + high) / 2;
      if (!(at > low && at < high)) break;
      const Real here = excess(at);
      if (here == 0) {
        low = high = at;
      } else if (here > 0) {
        low = at;
        at_low = here;
      } else {
        high = at;
        at_high = here;
      }
    }
    roots.push_back(before = (low + high) / 2);
  }
  return roots;
}

Real middle_of(const Interval& x) {
  return Real((numeric::lower(x) + numeric::upper(x)) / 2);
}

}  // namespace

/// Data that do not depend on z, at the given precision.
struct WaitTransform::Solved {
  SourceLaw<Interval> law;
  SourceLaw<Real> rough;
  std::vector<Interval> choose;
  std::vector<Real> rough_choose;
  std::vector<std::vector<Interval>> falls;  ///< (z_j - 1) v_j, j = 1 .. k
  std::optional<Eigen::PartialPivLU<Matrix<Real>>>
      system{};          ///< LU of 1 and the falls as columns; none: too few bits
  Real idle;             ///< 1 - rho
  Column<Real> empty{};  ///< g, approximately

  Solved(const traffic::OnOff& source, std::int64_t k, int bits)
      : law(enclosed_law(source)),
        rough(nearest_law(source)),
        choose(binomial_row<Interval>(k)),
        rough_choose(binomial_row<Real>(k)),
        idle(numeric::to_real(1 - Rational(k) * source.load, numeric::Rounding::nearest)) {
    const auto roots = nearest_roots(rough, k, bits);
    if (!roots) return;
    Matrix<Real> columns(k + 1, k + 1);
    columns.col(0).setOnes();
    for (std::int64_t j = 1; j <= k; ++j) {
      const auto root = enclosed_root(law, k, j, (*roots)[static_cast<std::size_t>(j - 1)]);
      if (!root) return;
      falls.push_back(falling(law, choose, *root, static_cast<std::size_t>(j)));
      for (std::int64_t i = 0; i <= k; ++i)
        columns(i, j) = middle_of(falls.back()[static_cast<std::size_t>(i)]);
    }
    system.emplace(columns);
    // g (z_j - 1) v_j = 0, g 1 = 1
    Column<Real> right = Column<Real>::Zero(k + 1);
    right(0) = 1;
    empty = system->transpose().solve(right);
  }
};

struct WaitTransform::State {
  OnOffGroup group;
  Rational load;
  int bits;  ///< initial precision
  std::map<int, Solved> solved{};
};

WaitTransform::WaitTransform(const OnOffGroup& group) {
  require(group.count >= 1 && group.count <= max_sources, "sources", std::to_string(group.count), "1 .. 64");
  require(group.share == 1, "share", numeric::to_fraction(group.share),
          "1: each packet of a burst is routed independently");
  require(group.source.start + group.source.stop <= 1, "alpha + beta",
          numeric::to_fraction(group.source.start + group.source.stop), "at most 1");
  require(group.source.stop > 0, "beta", "0", "above 0: a bursty source must have pauses");
  const Rational load = Rational(group.count) * group.source.load;
  if (load >= 1) throw Unstable(numeric::plain(load));
  state_ = std::make_unique<State>(State{group, load, 128 + 3 * static_cast<int>(group.count)});
}
WaitTransform::~WaitTransform() = default;
WaitTransform::WaitTransform(WaitTransform&&) noexcept = default;
WaitTransform& WaitTransform::operator=(WaitTransform&&) noexcept = default;

WaitTransform::Solved& WaitTransform::solved(int bits) {
  const auto known = state_->solved.find(bits);
  if (known != state_->solved.end()) return known->second;
  return state_->solved.try_emplace(bits, state_->group.source, state_->group.count, bits).first->second;
}

std::optional<Interval> WaitTransform::at(const Real& z) {
  require(z >= 1, "z", z.str(10), "at least 1");
  if (z == 1) return Interval(1);
  for (int bits = state_->bits; bits <= max_bits; bits *= 2) {
    std::optional<Interval> found;
    {
      const PrecisionScope scope(Precision{bits});
      const Solved& known = solved(bits);
      const Interval place = numeric::to_interval(z), one(1);
      const SourceModes<Interval> mode(known.law, place);
      const Interval margin = place - numeric::power(mode.large, state_->group.count);
      if (!(numeric::upper(margin) > 0)) return std::nullopt;
      if (numeric::lower(margin) > 0 && known.system) {
        const std::vector<Interval> u = visits(known.law, known.choose, place);
        const auto size = static_cast<Eigen::Index>(u.size());
        Column<Real> right(size);
        for (Eigen::Index i = 0; i < size; ++i) right(i) = middle_of(u[static_cast<std::size_t>(i)]);
        const Column<Real> c = known.system->solve(right);
        std::vector<Interval> factors;
        for (Eigen::Index j = 1; j < size; ++j) factors.push_back(numeric::to_interval(c(j)));
        Real low = 0, high = 0;
        for (std::size_t i = 0; i < u.size(); ++i) {
          Interval entry = u[i];
          for (std::size_t j = 0; j < known.falls.size(); ++j) entry -= factors[j] * known.falls[j][i];
          if (i == 0 || numeric::lower(entry) < low) low = numeric::lower(entry);
          if (i == 0 || numeric::upper(entry) > high) high = numeric::upper(entry);
        }
        const Interval load = numeric::to_interval(state_->load),
                       idle = numeric::to_interval(1 - state_->load);
        const Interval wait =
            idle * ((place - one) * (numeric::make_interval(low, high) - one) - one) / (load * place);
        const Real minimum = numeric::lower(wait), maximum = numeric::upper(wait);
        if (minimum > 0 && numeric::narrower_than(minimum, maximum, narrow_bits)) found = wait;
      }
    }
    if (found) {
      state_->bits = bits;
      Interval rounded;
      mpfi_set(rounded.backend().data(), found->backend().data());
      return rounded;
    }
  }
  throw LimitExceeded("E[z^W] needs more than " + std::to_string(max_bits) + " bits");
}

std::optional<double> WaitTransform::nearly(double z) {
  if (!(z > 1)) return 1.0;
  const PrecisionScope scope(Precision{state_->bits});
  const Solved& known = solved(state_->bits);
  const Real place(z);
  const SourceModes<Real> mode(known.rough, place);
  if (!known.system || !(numeric::power(mode.large, state_->group.count) < place)) return std::nullopt;
  const std::vector<Real> u = visits(known.rough, known.rough_choose, place);
  Real sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += known.empty(static_cast<Eigen::Index>(i)) * u[i];
  return static_cast<double>(Real(known.idle * ((place - 1) * (sum - 1) - 1) / ((1 - known.idle) * place)));
}

}  // namespace tailbound::queue
