#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/queue/hops/aged_wait.hpp>
#include <tailbound/queue/hops/wait_score.hpp>
#include <tailbound/queue/passage/passage.hpp>

#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

namespace tailbound::queue {
namespace {

using Series = std::vector<double>;

constexpr std::size_t max_on = 14;
constexpr double stop = 1 / grid_burst;  ///< P(a burst ends with a packet)
/// Transitions rarer than this are negligible.
constexpr double min_step = 1e-18;

using Numbers [[gnu::vector_size(32)]] = double;
using Stored [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

/// to[v] = sum_n weights[n] rows[n][v], v < length, a multiple of 16.
TAILBOUND_WIDE void combine(double* __restrict to, const double* const* __restrict rows,
                            const double* __restrict weights, std::size_t count, std::size_t length) {
  for (std::size_t v = 0; v < length; v += 16) {
    Numbers s0 = {}, s1 = {}, s2 = {}, s3 = {};
    for (std::size_t n = 0; n < count; ++n) {
      const Stored* __restrict const row = reinterpret_cast<const Stored*>(rows[n] + v);
      const double weight = weights[n];
      s0 += weight * row[0];
      s1 += weight * row[1];
      s2 += weight * row[2];
      s3 += weight * row[3];
    }
    Stored* __restrict const place = reinterpret_cast<Stored*>(to + v);
    place[0] = s0, place[1] = s1, place[2] = s2, place[3] = s3;
  }
}

double sum_of(const Series& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Binomial distribution of `count` trials, all entries.
Series binomial_law(std::size_t count, double p) {
  return numeric::binomial(static_cast<std::int64_t>(count), p, count + 1);
}

/// Distribution of the number of x sources that turn ON, x real.
Series births(double x, double start, std::size_t maximum) {
  x = std::max(x, 0.0);
  Series result{std::pow(1 - start, x)};
  for (std::size_t j = 1; j <= maximum; ++j) {
    const double left = x - static_cast<double>(j) + 1;
    result.push_back(std::max(0.0, result.back() * left / static_cast<double>(j) * start / (1 - start)));
  }
  const double sum = sum_of(result);
  for (double& each : result) each /= sum;
  return result;
}

double mean_of(const Series& mass) {
  double mean = 0;
  for (std::size_t w = 0; w < mass.size(); ++w) mean += static_cast<double>(w) * mass[w];
  return mean;
}

/// log of the largest eigenvalue of [[1 - start, start y], [stop, (1 - stop) y]].
double log_two_state(double start, double y, double stops) {
  const double a = 1 - start, d = (1 - stops) * y;
  return std::log((a + d + std::sqrt((a - d) * (a - d) + 4 * start * y * stops)) / 2);
}

/// The zero of an increasing function between the two.
template <class F>
double zero_between(double low, double high, const F& f) {
  const auto [below, above] = halved(low, high, [&](double x) { return f(x) < 0; });
  return below + (above - below) / 2;
}

}  // namespace

const BurstAges& burst_ages() {
  static const BurstAges ages = [] {
    BurstAges result;
    const auto add = [&](int from, int to) {
      double weight = 0, mean = 0;
      for (int a = from; a < to; ++a) {
        const double each = stop * std::pow(1 - stop, a);
        weight += each;
        mean += each * a;
      }
      result.weights.push_back(weight);
      result.ages.push_back(mean / weight);
    };
    constexpr int fine_until = 96, until = 288;
    for (int from = 0; from < fine_until; from += 4) add(from, from + 4);
    for (int from = fine_until; from < until; from += 8) add(from, from + 8);
    result.weights.push_back(std::pow(1 - stop, until));
    result.ages.push_back(until + grid_burst - 1);
    return result;
  }();
  return ages;
}

double burst_decay(double count, double share, double leaf_load, double on_rate) {
  const double stops = on_rate * stop;
  const double on = leaf_load / on_rate, start = on * stops / (1 - on);
  // The growth of the arrivals equals that of the service.
  const auto log_three_state = [&](double theta) {
    const double y = 1 - on_rate + on_rate * std::exp(theta);
    const double low = std::max(1.0, (1 - stops) * y);
    return std::log(zero_between(low, low + y + 1, [&](double w) {
      if (w <= (1 - stops) * y) return -std::numeric_limits<double>::infinity();
      return w - (1 - start + start * share * y * stops / (w - (1 - stops) * y) +
                  start * (1 - share) * stops / (w - (1 - stops)));
    }));
  };
  double high = 1e-3;
  while (count * log_three_state(high) <= high && high < 64) high *= 2;
  return zero_between(high * 1e-9, high, [&](double x) { return count * log_three_state(x) - x; });
}

double sources_of_decay(double decay, double load, double on_rate) {
  constexpr double maximum = 1e9;
  const double stops = on_rate * stop, y = 1 - on_rate + on_rate * std::exp(decay);
  const auto surplus = [&](double sources) {
    const double p = load / (sources * on_rate);
    return sources * log_two_state(p * stops / (1 - p), y, stops) - decay;
  };
  return std::exp(zero_between(std::log(load / on_rate), std::log(maximum),
                               [&](double x) { return surplus(std::exp(x)); }));
}

std::vector<double> AgedWait::of_any_age() const {
  const BurstAges& bins = burst_ages();
  std::vector<double> law(of_age.front().size(), 0);
  for (std::size_t bin = 0; bin < bins.ages.size(); ++bin)
    for (std::size_t w = 0; w < law.size(); ++w) law[w] += bins.weights[bin] * of_age[bin][w];
  return law;
}

double AgedWait::stretch() const {
  return (mean - mean_of_first) * stop / (1 - stop);
}

struct AgedQueue::Chain {
  AgedArrivals arrivals;
  std::size_t levels, phases;
  double start;                       ///< P(a source turns ON)
  Matrix<double> step, step_without;  ///< phase transitions: of M sources, and of all except one
  std::vector<Series> packets;        ///< packets of a slot, by phase
  std::vector<Row<double>> at_level;  ///< just after the arrivals of a slot, with the phase of the next
  double decay = 0;

  Chain(const AgedArrivals& of, std::size_t size)
      : arrivals(of),
        levels(size),
        phases(1 +
               static_cast<std::size_t>(std::min(static_cast<double>(max_on), std::ceil(arrivals.sources)))) {
    const double stops = arrivals.on_rate * stop;
    const double p = arrivals.load / (arrivals.sources * arrivals.on_rate);
    start = p * stops / (1 - p);
    step = steps(arrivals.sources, stops);
    step_without = steps(arrivals.sources - 1, stops);
    for (std::size_t i = 0; i < phases; ++i) packets.push_back(binomial_law(i, arrivals.on_rate));
    solve();
  }

  [[nodiscard]] Matrix<double> steps(double sources, double stops) const {
    const auto size = static_cast<Eigen::Index>(phases);
    Matrix<double> result = Matrix<double>::Zero(size, size);
    for (std::size_t i = 0; i < phases; ++i) {
      const Series stay = binomial_law(i, 1 - stops),
                   begin = births(sources - static_cast<double>(i), start, phases - 1);
      const auto row = static_cast<Eigen::Index>(i);
      for (std::size_t j = 0; j < phases; ++j)
        for (std::size_t n = 0; n <= std::min(i, j); ++n)
          result(row, static_cast<Eigen::Index>(j)) += stay[n] * begin[j - n];
      result.row(row) /= result.row(row).sum();
    }
    return result;
  }

  /// Ramaswami's recursion: docs/derivations/bursty_queue.md, (4) to (6).
  void solve() {
    const auto size = static_cast<Eigen::Index>(phases);
    const Matrix<double> identity = Matrix<double>::Identity(size, size);
    Blocks<double> blocks;
    for (std::size_t d = 0; d < phases; ++d) {
      Matrix<double> block = Matrix<double>::Zero(size, size);
      for (std::size_t i = d; i < phases; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        block.row(row) = packets[i][d] * step.row(row);
      }
      blocks.d.push_back(std::move(block));
      blocks.first_row.push_back(static_cast<Eigen::Index>(d));
    }
    // Starting from a stochastic matrix, the iteration takes some 200 rounds at any load; with on-rate 1 only
    // one.
    Matrix<double> g = Matrix<double>::Constant(size, size, 1 / static_cast<double>(size));
    std::vector<Matrix<double>> bars;
    constexpr int max_rounds = 20'000;
    for (int round = 0;; ++round) {
      bars = suffix_powers(blocks, g);
      const Matrix<double> next = Eigen::PartialPivLU<Matrix<double>>(identity - bars[1]).solve(blocks.d[0]);
      const double change = (next - g).cwiseAbs().maxCoeff();
      g = next;
      if (change < 4 * std::numeric_limits<double>::epsilon()) break;
      if (round == max_rounds)
        throw LimitExceeded("the first passages of a queue with bursts did not converge");
    }
    // g's stationary row: the equations g (G - I) = 0 and g e = 1.
    Matrix<double> equations = (g - identity).transpose();
    equations.row(size - 1).setOnes();
    Column<double> right = Column<double>::Zero(size);
    right(size - 1) = 1;
    const Column<double> empty = Eigen::PartialPivLU<Matrix<double>>(equations).solve(right);
    const Matrix<double> inverse = Eigen::PartialPivLU<Matrix<double>>(identity - bars[1]).inverse();
    at_level.assign(levels, Row<double>::Zero(size));
    // Entries below rounding level may come out negative.
    at_level[0] = (1 - arrivals.load) * empty.transpose().cwiseMax(0.0);
    for (std::size_t n = 1; n < levels; ++n) {
      Row<double> sum = Row<double>::Zero(size);
      if (n < bars.size()) sum.noalias() += at_level[0] * bars[n];
      for (std::size_t i = n + 1 > bars.size() - 1 ? n + 2 - bars.size() : 1; i < n; ++i)
        sum.noalias() += at_level[i] * bars[n + 1 - i];
      at_level[n] = (sum * inverse).cwiseMax(0.0);
    }
    const double last = at_level[levels - 1].sum(), before = at_level[levels - 2].sum();
    decay = last > 0 && before > last ? std::log(before / last) : std::numeric_limits<double>::infinity();
  }

  /// Level and phase of the same slot, where the tagged source is OFF: [phase][packets left over].
  [[nodiscard]] std::vector<Series> before_a_burst() const {
    std::vector<Series> same(phases, Series(levels, 0));
    for (std::size_t l = 0; l < levels; ++l)
      for (std::size_t i = 0; i < phases; ++i) {
        const double mass = at_level[l](static_cast<Eigen::Index>(i)),
                     left = arrivals.sources - static_cast<double>(i);
        const double off = mass * std::max(left, 0.0) / arrivals.sources;
        for (std::size_t d = 0; d <= i; ++d) {
          const std::size_t to = std::max<std::size_t>(l, 1) - 1 + d;
          if (to < levels) same[i][to] += off * packets[i][d];
        }
      }
    std::vector<Series> result(phases, Series(levels, 0));
    double total = 0;
    for (std::size_t i = 0; i < phases; ++i)
      for (std::size_t j = 0; j < phases; ++j) {
        const double by = step_without(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
        if (by < min_step) continue;
        for (std::size_t l = 0; l < levels; ++l)
          result[j][std::max<std::size_t>(l, 1) - 1] += by * same[i][l];
      }
    for (const Series& row : result) total += sum_of(row);
    for (Series& row : result)
      for (double& each : row) each /= total;
    return result;
  }
};

/// Follows the queue slot by slot while the tagged burst is sent.
namespace {

class TaggedBurst {
 public:
  TaggedBurst(const std::vector<Series>& begin, const Matrix<double>& step,
              const std::vector<Series>& packets, double own_rate)
      : phases_(begin.size()), levels_(begin.front().size()), packets_(packets) {
    now_.assign(phases_, Series(margin + (levels_ / tile + 1) * tile + 1, 0));
    next_ = now_;
    served_.assign(phases_, Series(tile, 0));
    for (std::size_t i = 0; i < phases_; ++i)
      std::copy(begin[i].begin(), begin[i].end(), now_[i].begin() + margin);
    for (const Series& others : packets)  // plus the tagged source's own packet
      arrivals_.push_back(numeric::convolved(others, {1 - own_rate, own_rate}, others.size() + 1));
    for (std::size_t j = 0; j < phases_; ++j) {
      Into& into = into_.emplace_back();
      for (std::size_t i = 0; i < phases_; ++i)
        if (const double by = step(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
            by >= min_step) {
          into.rows.push_back(served_[i].data());
          into.weights.push_back(by);
        }
    }
  }

  /// P(W = w) of a packet of the burst sent in this slot.
  [[nodiscard]] Series wait() const {
    Series law(levels_, 0);
    for (std::size_t i = 0; i < phases_; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double ahead = 0;  // a uniform number of the others in its slot
        for (std::size_t d = j; d <= i; ++d) ahead += packets_[i][d] / static_cast<double>(d + 1);
        const double* const left_over = now_[i].data() + margin;
        for (std::size_t w = j; w < levels_; ++w) law[w] += ahead * left_over[w - j];
      }
    return law;
  }

  /// Tiles of levels that stay in the cache.
  void advance() {
    const double* rows[max_on + 3];
    for (std::size_t from = 0; from < levels_; from += tile) {
      const std::size_t size = std::min(tile, levels_ - from);
      for (std::size_t i = 0; i < phases_; ++i) {
        // v' = v + x - 1, x packets of the slot: the row at v + 1 - x. An empty queue stays empty.
        for (std::size_t x = 0; x < arrivals_[i].size(); ++x)
          rows[x] = now_[i].data() + margin + from + 1 - x;
        combine(served_[i].data(), rows, arrivals_[i].data(), arrivals_[i].size(), tile);
        if (from == 0) served_[i][0] += arrivals_[i][0] * now_[i][margin];
        std::fill(served_[i].begin() + static_cast<std::ptrdiff_t>(size), served_[i].end(), 0.0);
      }
      for (std::size_t j = 0; j < phases_; ++j)
        combine(next_[j].data() + margin + from, into_[j].rows.data(), into_[j].weights.data(),
                into_[j].rows.size(), tile);
    }
    std::swap(now_, next_);
  }

 private:
  static constexpr std::size_t margin = max_on + 2;  ///< zeros in front of level 0
  static constexpr std::size_t tile = 128;
  struct Into {
    std::vector<const double*> rows;
    Series weights;
  };

  std::size_t phases_, levels_;
  const std::vector<Series>& packets_;
  std::vector<Series> now_, next_;  ///< [phase][margin + packets left over]
  std::vector<Series> served_;      ///< for a tile, before the phases change
  std::vector<Series> arrivals_;
  std::vector<Into> into_;  ///< transitions into each phase
};

}  // namespace

AgedQueue::AgedQueue(const AgedArrivals& arrivals, std::size_t levels)
    : chain_(std::make_shared<const Chain>(arrivals, levels)) {}

double AgedQueue::decay() const {
  return chain_->decay;
}

Series AgedQueue::wait_of_any() const {
  Series wait;
  for (std::size_t level = 1; level < chain_->levels; ++level)
    wait.push_back(chain_->at_level[level].sum() / chain_->arrivals.load);
  return wait;
}

AgedWait AgedQueue::wait(double distance) const {
  const BurstAges& bins = burst_ages();
  const auto slot_of = [&](double age) { return std::max(0.0, (age + 0.5) * distance - 0.5); };
  TaggedBurst burst(chain_->before_a_burst(), chain_->step_without, chain_->packets, 1 / distance);
  AgedWait result;
  result.of_age.assign(bins.ages.size(), Series(chain_->levels, 0));
  Series first(chain_->levels, 0);
  const auto last = static_cast<std::size_t>(std::floor(slot_of(bins.ages.back()))) + 1;
  for (std::size_t slot = 0; slot <= last; ++slot, burst.advance()) {
    Series law;
    const auto add = [&](double age, Series& to) {
      const double nearness = 1 - std::abs(slot_of(age) - static_cast<double>(slot));
      if (!(nearness > 0)) return;
      if (law.empty()) law = burst.wait();
      for (std::size_t w = 0; w < law.size(); ++w) to[w] += nearness * law[w];
    };
    add(0, first);
    for (std::size_t bin = 0; bin < bins.ages.size(); ++bin) add(bins.ages[bin], result.of_age[bin]);
  }
  result.mean_of_first = mean_of(first);
  for (std::size_t bin = 0; bin < bins.ages.size(); ++bin)
    result.mean += bins.weights[bin] * mean_of(result.of_age[bin]);
  return result;
}

std::vector<double> sum_of_aged(const std::vector<AgedHop>& hops, double decay) {
  using Complex = std::complex<double>;
  const BurstAges& bins = burst_ages();
  const std::size_t levels = hops.front().wait->of_age.front().size();
  // FFTW would abort the process if it had no memory for a plan.
  Eigen::FFT<double> transform(Eigen::FFT<double>::impl_type(), Eigen::FFT<double>::HalfSpectrum);
  const std::size_t points = std::bit_ceil(std::max<std::size_t>(2, hops.size() * levels));
  // Weighted with e^(tilt d), rare delays are not lost in the rounding errors of frequent ones.
  const double tilt = std::isfinite(decay) ? decay / 2 : 0;
  Series weights(levels);
  for (std::size_t w = 0; w < levels; ++w) weights[w] = std::exp(tilt * static_cast<double>(w));
  std::vector<Complex> total(points / 2 + 1), f, fu, fuu, plain, scored;
  for (std::size_t bin = 0; bin < bins.ages.size(); ++bin) {
    Series score_before;
    for (std::size_t hop = 0; hop < hops.size(); ++hop) {
      Series law = hops[hop].wait->of_age[bin];
      const double sum = sum_of(law);
      for (double& each : law) each /= sum;
      Series score = wait_score(law);
      law.resize(points, 0);
      Series with_score(points, 0), with_square(points, 0);
      for (std::size_t w = 0; w < levels; ++w) {
        law[w] *= weights[w];
        with_score[w] = law[w] * score[w];
        with_square[w] = with_score[w] * score[w];
      }
      transform.fwd(f, law);
      transform.fwd(fu, with_score);
      if (hop == 0) {
        plain = f;
        scored = fu;
      } else {
        const double s = dependence_within(hops[hop].dependence, score_before, score);
        const bool goes_on = hop + 1 < hops.size();
        if (goes_on) transform.fwd(fuu, with_square);
        for (std::size_t k = 0; k < plain.size(); ++k) {
          const Complex a = plain[k], b = s * scored[k], u = fu[k];
          plain[k] = a * f[k] + b * u;
          if (goes_on) scored[k] = a * u + b * fuu[k];
        }
      }
      score_before = std::move(score);
    }
    for (std::size_t k = 0; k < plain.size(); ++k) total[k] += bins.weights[bin] * plain[k];
  }
  Series values(points);
  transform.inv(values, total, static_cast<Eigen::Index>(points));
  Series mass(hops.size() * (levels - 1) + 1);
  for (std::size_t d = 0; d < mass.size(); ++d)
    mass[d] = values[d] * std::exp(-tilt * static_cast<double>(d));
  return mass;
}

}  // namespace tailbound::queue
