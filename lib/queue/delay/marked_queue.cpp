#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/delay/marked_queue.hpp>
#include <tailbound/queue/delay/steps_queue.hpp>
#include <tailbound/queue/on_off/on_off_blocks.hpp>
#include <tailbound/queue/passage/passage_bounds.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tailbound::queue {
namespace {

using numeric::Interval;
using numeric::Precision;
using numeric::PrecisionScope;
using numeric::Rational;

constexpr int passage_bits = 128;
/// Most phases with so many bits: more take minutes.
constexpr std::size_t max_long_phases = 24;

/// A source without memory has one phase.
bool remembers(const OnOffGroup& group) {
  return group.source.start + group.source.stop != 1;
}

std::int64_t packets_of(const std::vector<OnOffGroup>& groups) {
  std::int64_t all = 0;
  for (const OnOffGroup& group : groups) all += group.count;
  return all;
}

/// Phases of all sources, times the marks: 0 no packet of the source, 1 + k one with k others after it.
struct Marked {
  RationalBlocks blocks;
  std::size_t phases = 0, marks = 0;
};

Marked marked(const MarkedArrivals& arrivals) {
  const RationalBlocks others = joint_blocks(arrivals.others), own = joint_blocks({arrivals.own});
  const std::size_t n = others.front().size(), m = own.front().size();
  Marked result{.blocks = {}, .phases = n * m, .marks = others.size() + 1};
  const std::size_t all = result.phases * result.marks;
  result.blocks.assign(others.size() + 1, std::vector(all, std::vector<Rational>(all, Rational(0))));
  for (std::size_t b = 0; b < others.size(); ++b)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (others[b][i][j] == 0) continue;
        for (std::size_t k = 0; k < m; ++k)
          for (std::size_t l = 0; l < m; ++l) {
            const Rational silent = others[b][i][j] * own[0][k][l];
            const Rational sends =
                own.size() > 1 ? others[b][i][j] * own[1][k][l] / Rational(static_cast<std::int64_t>(b) + 1)
                               : Rational(0);
            for (std::size_t mark = 0; mark < result.marks; ++mark) {
              const std::size_t from = mark * result.phases + i * m + k, to = j * m + l;
              result.blocks[b][from][to] = silent;
              for (std::size_t after = 0; after <= b; ++after)
                result.blocks[b + 1][from][(1 + after) * result.phases + to] = sends;
            }
          }
      }
  return result;
}

}  // namespace

Rational MarkedArrivals::load() const {
  Rational sum = own.source.load;
  for (const OnOffGroup& group : others) sum = sum + group.source.load * Rational(group.count);
  return sum;
}

double MarkedArrivals::states() const {
  double phases = remembers(own) ? 2 : 1;
  for (const OnOffGroup& group : others)
    if (remembers(group)) phases *= static_cast<double>(group.count) + 1;
  return phases * (static_cast<double>(packets_of(others)) + 2);
}

namespace {

/// [k]: bounds of the slots in which k others come after the packet of the source.
template <class T>
using Passages = std::vector<PassageBounds<T>>;

/// \return nothing if T has too few bits
template <class T>
std::optional<Passages<T>> passages_of(const Marked& all, const Rational& load, int bits) {
  const PrecisionScope scope(Precision{bits});
  Blocks<T> blocks = rational_blocks<T>(all.blocks);
  const T unit = Outward<T>(Side::below, bits).unit();
  const auto candidate = [&](Side side) {
    const Outward<T> outward(side, bits);
    return cyclic_reduction(blocks, outward.scaled(Passage<T>::theta(blocks, outward)), unit);
  };
  const Both<Matrix<T>> candidates{candidate(Side::below), candidate(Side::above)};
  const auto phases = static_cast<Eigen::Index>(all.phases);
  Passages<T> result;
  for (std::size_t k = 0; k + 1 < all.marks; ++k) {
    blocks.ones.setZero();
    blocks.ones.segment(static_cast<Eigen::Index>(1 + k) * phases, phases).setOnes();
    auto bounds = PassageBounds<T>::make(blocks, candidates, bits);
    if (!bounds) return std::nullopt;
    try {
      bounds->start(from_rational<T>(1 - load), bits);
    } catch (const TooFewBits&) {
      return std::nullopt;
    }
    result.push_back(*std::move(bounds));
  }
  return result;
}

}  // namespace

struct MarkedQueue::State {
  using Real = numeric::Real;

  MarkedArrivals arrivals;
  Marked marks;
  std::optional<Passages<long double>> fast{};
  std::optional<Passages<Real>> fine{};
  std::vector<Rational> share{};  ///< [k]: probability of its slots

  explicit State(const MarkedArrivals& its) : arrivals(its) {
    if (!arrivals.affordable())
      throw LimitExceeded("the delay of one source among " + std::to_string(packets_of(arrivals.others) + 1) +
                          " with bursts: the limit is " + std::to_string(MarkedArrivals::max_phases) +
                          " states");
    if (arrivals.load() >= 1) throw Unstable(numeric::plain(arrivals.load()));
    marks = marked(arrivals);
    fast = passages_of<long double>(marks, arrivals.load(), 64);
    for (std::size_t k = 0; k + 1 < marks.marks; ++k) share.push_back(share_of(arrivals, k));
  }

  /// The sum over k of what `of` gives, per packet of the source.
  /// \param of  (passages of k, k) -> interval
  template <class Of>
  Interval per_packet(const Of& of) {
    const auto sum_of = [&](auto& passages) {
      const PrecisionScope scope(Precision{passage_bits});
      Interval sum(0);
      for (std::size_t k = 0; k < passages.size(); ++k) sum += of(passages[k], k);
      return Interval(sum / numeric::to_interval(arrivals.own.source.load));
    };
    try {
      if (fast) {
        Interval found = sum_of(*fast);
        const numeric::Real low = numeric::lower(found), high = numeric::upper(found);
        if (high == 0 || (low > 0 && numeric::agree_to(low, high, {12}))) return found;
      }
    } catch (const TooFewBits&) {
    }
    if (!fine && marks.phases * marks.marks <= max_long_phases)
      fine = passages_of<Real>(marks, arrivals.load(), passage_bits);
    if (!fine) throw LimitExceeded("the delay of one source among others with bursts: too few digits");
    return sum_of(*fine);
  }

  /// P(the source sends and k others come after it) = rate P(N >= k ..) with N others, in random order.
  static Rational share_of(const MarkedArrivals& arrivals, std::size_t k) {
    std::vector<Rational> law{1};
    for (const OnOffGroup& group : arrivals.others)
      for (std::int64_t i = 0; i < group.count; ++i) {
        law.push_back(0);
        for (std::size_t n = law.size() - 1; n > 0; --n)
          law[n] = law[n] * (1 - group.source.load) + law[n - 1] * group.source.load;
        law[0] = law[0] * (1 - group.source.load);
      }
    Rational sum = 0;
    for (std::size_t n = k; n < law.size(); ++n)
      sum = sum + law[n] / Rational(static_cast<std::int64_t>(n) + 1);
    return sum * arrivals.own.source.load;
  }
};

MarkedQueue::MarkedQueue(const MarkedArrivals& arrivals) : state_(std::make_unique<State>(arrivals)) {}
MarkedQueue::~MarkedQueue() = default;
MarkedQueue::MarkedQueue(MarkedQueue&&) noexcept = default;
MarkedQueue& MarkedQueue::operator=(MarkedQueue&&) noexcept = default;

namespace {

Interval interval_of(const Bounds& bounds) {
  return numeric::make_interval(bounds.lower, bounds.upper);
}

}  // namespace

Interval MarkedQueue::tail(std::int64_t slots) {
  return state_->per_packet([&](auto& passages, std::size_t k) {
    return interval_of(passages.tail(static_cast<std::size_t>(slots) + 1 + k));
  });
}

Interval MarkedQueue::probability(std::int64_t slots) {
  return state_->per_packet([&](auto& passages, std::size_t k) {
    return interval_of(passages.weighted(static_cast<std::size_t>(slots) + 1 + k));
  });
}

Interval MarkedQueue::mean() {
  // E[Q; k] is the sum of the tails; of the packets in Q the own one and the k after it do not delay it.
  return state_->per_packet([&](auto& passages, std::size_t k) {
    const Rational not_ahead = state_->share[k] * Rational(static_cast<std::int64_t>(k) + 1);
    return Interval(interval_of(passages.mean()) - numeric::to_interval(not_ahead));
  });
}

}  // namespace tailbound::queue
