#include <tailbound/core/error.hpp>
#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/hops/queue_pair.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::binomial;
using numeric::convolved;
using Series = std::vector<double>;

constexpr std::size_t block = 32, half_block = block / 2;
constexpr double never = std::numeric_limits<double>::infinity();
/// Arrivals with a smaller part of A(z0) are always neglected.
constexpr double min_share = 1e-11;
/// Closer to 1, the rounding error of a load exceeds a thousandth of 1 - load.
constexpr double nearest_to_capacity = 1e-11;

std::size_t rounded_up(std::size_t size) {
  return (size + block - 1) / block * block;
}

/// SIMD vector of numbers, in one register or two.
using Numbers [[gnu::vector_size(32)]] = double;
using Stored [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

/// to[y] += sum_i weights[i] from[y - i] for y < length, a whole number of blocks. \pre memory in front of
/// `from` is readable and 0 where there is no entry
TAILBOUND_WIDE void add_convolved(double* __restrict to, const double* __restrict from, std::size_t length,
                                  const double* __restrict weights, std::size_t count) {
  for (std::size_t y = 0; y < length; y += block) {
    Stored* __restrict const place = reinterpret_cast<Stored*>(to + y);
    const double* __restrict terms = from + y;
    Numbers s0 = place[0], s1 = place[1], s2 = place[2], s3 = place[3], s4 = place[4], s5 = place[5],
            s6 = place[6], s7 = place[7];
    for (std::size_t i = 0; i < count; ++i, --terms) {
      const double weight = weights[i];
      const Stored* __restrict const term = reinterpret_cast<const Stored*>(terms);
      s0 += weight * term[0];
      s1 += weight * term[1];
      s2 += weight * term[2];
      s3 += weight * term[3];
      s4 += weight * term[4];
      s5 += weight * term[5];
      s6 += weight * term[6];
      s7 += weight * term[7];
    }
    place[0] = s0, place[1] = s1, place[2] = s2, place[3] = s3;
    place[4] = s4, place[5] = s5, place[6] = s6, place[7] = s7;
  }
}

/// lower[y] = sum_i weights[i - 1] rows[y - i stride], upper[y] = sum_i weights[i] rows[y - i stride], begin
/// <= i < end, y < length, a whole number of half blocks. Each term is read once for both.
TAILBOUND_WIDE void combine_rows(double* __restrict lower, double* __restrict upper,
                                 const double* __restrict rows, std::ptrdiff_t stride, std::size_t length,
                                 const double* __restrict weights, std::ptrdiff_t begin, std::ptrdiff_t end) {
  for (std::size_t y = 0; y < length; y += half_block) {
    Numbers l0 = {}, l1 = {}, l2 = {}, l3 = {}, h0 = {}, h1 = {}, h2 = {}, h3 = {};
    const double* __restrict terms = rows + y - begin * stride;
    for (std::ptrdiff_t i = begin; i < end; ++i, terms -= stride) {
      const double a = weights[i - 1], b = weights[i];
      const Stored* __restrict const term = reinterpret_cast<const Stored*>(terms);
      const Numbers t0 = term[0], t1 = term[1], t2 = term[2], t3 = term[3];
      l0 += a * t0, l1 += a * t1, l2 += a * t2, l3 += a * t3;
      h0 += b * t0, h1 += b * t1, h2 += b * t2, h3 += b * t3;
    }
    Stored* __restrict const low = reinterpret_cast<Stored*>(lower + y);
    Stored* __restrict const high = reinterpret_cast<Stored*>(upper + y);
    low[0] = l0, low[1] = l1, low[2] = l2, low[3] = l3;
    high[0] = h0, high[1] = h1, high[2] = h2, high[3] = h3;
  }
}

/// A step of Chebyshev's recurrence: p <- (next - x) + beta p, x <- x + alpha p.
TAILBOUND_WIDE void advance(double* __restrict x, double* __restrict p, const double* __restrict next,
                            std::size_t length, double alpha, double beta) {
  for (std::size_t i = 0; i < length; ++i) {
    p[i] = (next[i] - x[i]) + beta * p[i];
    x[i] += alpha * p[i];
  }
}

Series arrivals_of(const std::vector<LoneSource>& sources, std::size_t size) {
  Series all{1};
  for (const LoneSource& source : sources) {
    if (source.count == 0 || source.probability <= 0) continue;
    const Series each = binomial(source.count, source.probability, size);
    all = convolved(all, each, std::min(size, all.size() + each.size() - 1));
  }
  return all;
}

/// ln A(z) of independent sources, without truncation error.
double log_pgf(const std::vector<LoneSource>& sources, double z) {
  double sum = 0;
  for (const LoneSource& source : sources)
    sum += static_cast<double>(source.count) * std::log1p(source.probability * (z - 1));
  return sum;
}

/// Smallest root above 1 of z = A(z): ln A(e^x) - x is convex and 0 at 0, and Newton's steps decrease to its
/// other root.
double growth_of(const std::vector<LoneSource>& sources) {
  const auto height = [&](double x) { return log_pgf(sources, std::exp(x)) - x; };
  double high = 1e-3;
  while (!(height(high) > 0)) {
    high *= 2;
    if (high > 600) return never;
  }
  for (int i = 0; i < 200; ++i) {
    const double z = std::exp(high);
    double slope = -1;
    for (const LoneSource& source : sources)
      slope +=
          static_cast<double>(source.count) * source.probability * z / (1 + source.probability * (z - 1));
    const double down = height(high) / slope;
    if (!(down > 1e-15 * high)) break;
    high -= down;
  }
  return std::exp(high);
}

/// 1 - min_z A(z)/z, by golden section on ln z.
double gap_of(const std::vector<LoneSource>& sources, double growth) {
  if (growth == never) return 1;
  double low = 0, high = std::log(growth);
  const auto height = [&](double x) { return log_pgf(sources, std::exp(x)) - x; };
  for (int i = 0; i < 32; ++i) {  // as the minimum is flat, this gives all digits of the value
    const double a = low + (high - low) * 0.382, b = low + (high - low) * 0.618;
    if (height(a) < height(b))
      high = b;
    else
      low = a;
  }
  return -std::expm1(height((low + high) / 2));
}

std::vector<LoneSource> sources_of_first(const QueuePair& pair) {
  std::vector<LoneSource> result;
  for (const PairSource& source : pair.sources)
    if (source.through > 0) result.push_back({source.count, source.through});
  return result;
}

/// As if U forwarded its packets without delay.
std::vector<LoneSource> sources_of_second(const QueuePair& pair) {
  std::vector<LoneSource> result;
  for (const PairSource& source : pair.sources) {
    const double rate = source.around + pair.forwarded * source.through;
    if (rate > 0) result.push_back({source.count, rate});
  }
  return result;
}

/// Number of entries of `series` that matter with the weight z^n: those whose share of A(z) is above
/// `negligible`.
std::size_t places(const Series& series, double z, double negligible) {
  std::size_t count = series.size();
  const double log_z = z == never ? 0 : std::log(z);
  const double floor = std::log(negligible) + (z == never ? -20 : 0);
  while (count > 1 && !(std::log(series[count - 1]) + static_cast<double>(count - 1) * log_z > floor))
    --count;
  return count;
}

/// Sources that may send to U or to T: together they send n packets with probability number[n], each to U
/// with probability `first`, otherwise to T.
struct Either {
  Series number;
  double first = 0;
};

/// The arrivals (a, b) of a slot.
struct Joint {
  Series only_first, only_second;
  std::vector<Either> either;
  std::size_t max_first = 0, max_second = 0;  ///< a < max_first, b < max_second are kept

  /// P(a, b).
  [[nodiscard]] std::vector<Series> table() const;
};

Joint joint_arrivals(const QueuePair& pair, std::size_t size, double negligible = min_share) {
  std::vector<LoneSource> only_first, only_second, first, second;
  for (const PairSource& source : pair.sources) {
    if (source.count == 0) continue;
    if (source.through > 0) first.push_back({source.count, source.through});
    if (source.around > 0) second.push_back({source.count, source.around});
    if (source.through > 0 && !(source.around > 0)) only_first.push_back(first.back());
    if (source.around > 0 && !(source.through > 0)) only_second.push_back(second.back());
  }
  const double first_growth = growth_of(sources_of_first(pair)),
               second_growth = growth_of(sources_of_second(pair));
  Joint joint;
  joint.max_first = places(arrivals_of(first, size + 1), first_growth, negligible);
  joint.max_second = places(arrivals_of(second, size + 1), second_growth, negligible);
  joint.only_first = arrivals_of(only_first, joint.max_first);
  joint.only_second = arrivals_of(only_second, joint.max_second);
  const double growth = std::max(1.0, std::min({first_growth, second_growth, 1e3}));
  for (const PairSource& source : pair.sources)
    if (source.count > 0 && source.through > 0 && source.around > 0) {
      Either& either = joint.either.emplace_back();
      const double both = source.through + source.around;
      either.number = binomial(source.count, std::min(1.0, both), joint.max_first + joint.max_second);
      either.number.resize(places(either.number, growth, negligible));
      either.first = source.through / both;
    }
  return joint;
}

std::vector<Series> Joint::table() const {
  std::vector<Series> table(max_first, Series(max_second, 0));
  for (std::size_t a = 0; a < std::min(max_first, only_first.size()); ++a)
    for (std::size_t b = 0; b < std::min(max_second, only_second.size()); ++b)
      table[a][b] = only_first[a] * only_second[b];
  for (const Either& each : either) {
    std::vector<Series> sum(max_first, Series(max_second, 0));
    for (std::size_t n = each.number.size(); n-- > 0;)  // Horner's scheme in the polynomial of one packet
      for (std::size_t a = max_first; a-- > 0;)
        for (std::size_t b = max_second; b-- > 0;)
          sum[a][b] = (a > 0 ? each.first * sum[a - 1][b] : 0) +
                      (b > 0 ? (1 - each.first) * sum[a][b - 1] : 0) + each.number[n] * table[a][b];
    table = std::move(sum);
  }
  return table;
}

void check(const QueuePair& pair) {
  const auto reject = [](double value) {
    throw InvalidArgument("probability of a pair", std::to_string(value), "from 0 to 1");
  };
  if (!(pair.forwarded >= 0 && pair.forwarded <= 1)) reject(pair.forwarded);
  for (const PairSource& source : pair.sources) {
    if (source.count < 0) throw InvalidArgument("count", std::to_string(source.count), "0 or more");
    if (!(source.through >= 0 && source.around >= 0 && source.through + source.around <= 1 + 1e-12))
      reject(source.through + source.around);
  }
}

/// P(a, b) is the sum of first[a] second[b] over all parts.
struct Part {
  Series first, second;
};

/// Cross approximation: take the largest remaining entry with its column and row, until the remaining
/// entries, weighted with z^a w^b, sum to less than `negligible`. If no source sends to both queues, one part
/// suffices.
std::vector<Part> parts_of(std::vector<Series> table, double z, double w, double negligible) {
  std::vector<Part> parts;
  for (;;) {
    double left = 0, largest = 0, weight_a = 1;
    std::size_t row = 0, column = 0;
    for (std::size_t a = 0; a < table.size(); ++a, weight_a *= z) {
      double weight = weight_a;
      for (std::size_t b = 0; b < table[a].size(); ++b, weight *= w) {
        const double size = weight * std::abs(table[a][b]);
        left += size;
        if (size > largest) largest = size, row = a, column = b;
      }
    }
    if (!(left > negligible)) return parts;
    Part& part = parts.emplace_back();
    part.second = table[row];
    for (const Series& each : table) part.first.push_back(each[column] / table[row][column]);
    for (std::size_t a = 0; a < table.size(); ++a)
      for (std::size_t b = 0; b < table[a].size(); ++b)
        table[a][b] = a == row || b == column ? 0 : table[a][b] - part.first[a] * part.second[b];
  }
}

/// Slots of the chain on v + y < size.
class Chain {
 public:
  /// \param negligible  arrivals with a smaller part of A(z0) are neglected
  Chain(const QueuePair& pair, std::size_t size, const LoneQueue& first, const LoneQueue& second,
        double negligible)
      : size_(size), first_(first), second_(second) {
    const Joint joint = joint_arrivals(pair, size, negligible);
    const std::vector<Series> table = joint.table();
    idle_ = table.front();
    max_first_ = table.size();
    parts_ = parts_of(table, std::min(first.growth, 1e3), std::min(second.growth, 1e3), negligible);
    for (Part& part : parts_) {
      part.first.insert(part.first.begin(), 0);
      part.first.push_back(0);
      part.second = convolved(part.second, {1 - pair.forwarded, pair.forwarded}, idle_.size() + 1);
    }
    const std::size_t margin = rounded_up(idle_.size() + 2);
    for (Line* line : {&low_, &high_, &next_low_, &next_high_, &waiting_}) {
      line->buffer.assign(margin + rounded_up(size + 2) + block, 0);
      line->margin = margin;
    }
  }

  /// With `next` the law after a slot: p <- (next - law) + beta p, law <- law + alpha p.
  /// \return if `looked_at`, the largest relative change next/law - 1 of entries away from the edge.
  ///   Practically impossible entries are ignored, even if possible for each queue alone.
  double step(PairLaw& law, PairLaw& p, double alpha, double beta, bool looked_at) {
    double change = 0;
    const auto put = [&](std::size_t v, const Line& next) {
      if (looked_at) change = std::max(change, max_change(law, next, v));
      advance(law.row(v), p.row(v), next.data(), size_ - v, alpha, beta);
    };
    // Fullest first, two at a time: when a row changes, its successor rows are done.
    for (std::size_t x = size_; x > 0; x -= std::min<std::size_t>(x, 2)) {
      serve_busy(law, x);
      if (x <= 2) serve_idle(law, x == 1 ? next_high_ : next_low_);
      if (x < size_) put(x, waiting_);
      put(x - 1, next_high_);
      if (x > 1) std::swap(waiting_, next_low_);
      if (x == 2) put(0, waiting_);
    }
    return change;
  }

 private:
  /// A row preceded by zeros.
  struct Line {
    Series buffer;
    std::size_t margin = 0;
    [[nodiscard]] double* data() { return buffer.data() + margin; }
    [[nodiscard]] const double* data() const { return buffer.data() + margin; }
  };

  /// For slots with x and x - 1 packets at U: rows x - 1 and x - 2 of the next law, as high and low.
  void serve_busy(const PairLaw& law, std::size_t x) {
    const std::size_t length = size_ + 3 - x;
    const auto begin = static_cast<std::ptrdiff_t>(x == size_ ? 1 : 0),
               end = static_cast<std::ptrdiff_t>(std::min(x, max_first_) + 1);
    std::fill_n(next_high_.data(), rounded_up(length), 0);
    std::fill_n(next_low_.data(), rounded_up(length), 0);
    for (const Part& part : parts_) {
      combine_rows(low_.data(), high_.data(), law.row(x), static_cast<std::ptrdiff_t>(law.stride()),
                   (length + half_block - 1) / half_block * half_block, part.first.data() + 1, begin, end);
      serve(low_, next_low_, length - 1, part.second);
      serve(high_, next_high_, length - 2, part.second);
    }
  }

  /// In a slot with x = 0 U serves nothing.
  void serve_idle(const PairLaw& law, Line& next) {
    std::copy_n(law.row(0), size_, low_.data());
    serve(low_, next, size_, idle_);
  }

  /// T serves a packet, then others arrive. Modifies `values`.
  static void serve(Line& values, Line& next, std::size_t length, const Series& arrivals) {
    double* const y = values.data();
    y[1] += y[0];
    y[0] = 0;
    add_convolved(next.data(), y + 1, rounded_up(length), arrivals.data(), arrivals.size());
  }

  double max_change(const PairLaw& law, const Line& next, std::size_t v) const {
    constexpr double possible = 1e-10;
    double largest = 0;
    const std::size_t inside = size_ - size_ / 8;
    const double* const values = law.row(v);
    for (std::size_t y = 0; y + v < inside; ++y) {
      const double value = values[y], change = std::abs(next.data()[y] - value);
      const double size = std::max(std::abs(value), possible * first_.left_over[v] * second_.occupancy[y]);
      if (change > largest * size && size > 1e-280) largest = change / size;
    }
    return largest;
  }

  std::size_t size_, max_first_ = 0;
  const LoneQueue& first_;
  const LoneQueue& second_;
  /// For busy slots: `first` with a zero on either side, `second` with the packet that U may send.
  std::vector<Part> parts_;
  Series idle_;  ///< P(0, b)
  Line low_, high_, next_low_, next_high_, waiting_;
};

}  // namespace

LoneQueue lone_queue(const std::vector<LoneSource>& sources, std::size_t size) {
  LoneQueue queue;
  for (const LoneSource& source : sources)
    queue.load += static_cast<double>(source.count) * source.probability;
  // Rounding errors of the sum are relative to 1 - load.
  if (std::abs(1 - queue.load) < nearest_to_capacity)
    throw LimitExceeded("a load within 1e-11 of 1 is too close to 1 for double precision");
  if (!(queue.load < 1)) throw Unstable(numeric::plain(queue.load, 12));
  queue.growth = growth_of(sources);
  queue.gap = gap_of(sources, queue.growth);
  queue.arrivals = arrivals_of(sources, size);
  Series beyond(queue.arrivals.size(), 0);  // P(A > n)
  for (std::size_t n = queue.arrivals.size() - 1; n-- > 0;) beyond[n] = beyond[n + 1] + queue.arrivals[n + 1];
  queue.left_over.assign(size + 1, 0);
  for (std::size_t n = 0; n <= size; ++n) {
    double sum = n == 0 ? 1 - queue.load : 0;
    for (std::size_t j = 1; j <= n && j < beyond.size(); ++j) sum += beyond[j] * queue.left_over[n - j];
    queue.left_over[n] = sum / queue.arrivals[0];
  }
  queue.occupancy = convolved(queue.left_over, queue.arrivals, size + 1);
  queue.wait.resize(size);
  for (std::size_t n = 0; n < size; ++n)
    queue.wait[n] = queue.load > 0 ? queue.occupancy[n + 1] / queue.load : (n == 0 ? 1.0 : 0.0);
  queue.left_over.resize(size);
  queue.occupancy.resize(size);
  return queue;
}

LoneQueue lone_first(const QueuePair& pair, std::size_t size) {
  return lone_queue(sources_of_first(pair), size);
}

LoneQueue lone_second(const QueuePair& pair, std::size_t size) {
  return lone_queue(sources_of_second(pair), size);
}

// Rows are read slightly beyond their end. A distance of an odd number of cache lines avoids cache conflicts.
PairLaw::PairLaw(std::size_t size)
    : size_(size), stride_(rounded_up(size + 3) + 8), values_(stride_ * (size + 1), 0) {}

std::vector<double> PairLaw::second() const {
  std::vector<double> sums(size_, 0);
  for (std::size_t v = 0; v < size_; ++v)
    for (std::size_t y = 0; y + v < size_; ++y) sums[y] += at(v, y);
  return sums;
}

namespace {

/// Both queues by themselves.
struct Alone {
  LoneQueue first, second;

  Alone(const QueuePair& pair, std::size_t size)
      : first(lone_first(pair, size)), second(lone_second(pair, size)) {}
};

/// The limit of `law`. Combined slots may diverge if the queues' loads differ much: then it continues slot by
/// slot.
PairLaw settled(const QueuePair& pair, PairLaw law, const Alone& alone, double tolerance, PairMethod method) {
  const std::size_t size = law.size();
  const LoneQueue& first = alone.first;
  const LoneQueue& second = alone.second;
  PairLaw step(size);
  const PairLaw start = law;
  double first_change = 0;
  // Rarely occupied queues relax faster than both together.
  const double gap = std::min({first.gap, second.gap, 0.3});
  // Truncation errors accumulate over the slots of a path to the edge, some 15/gap.
  Chain chain(pair, size, first, second, std::max(min_share, tolerance * gap / 150));
  // The rates of decay of the chain lie in an ellipse about the real axis, from -0.2 to 1 - gap; the higher
  // the loads, the wider it must be, so that entries far out do not diverge.
  const double minimum = gap, largest = 1.2, centre = (minimum + largest) / 2, half = (largest - minimum) / 2,
               focus2 = half * half - (gap > 0.005 ? 0.04 : 0.07);
  double alpha = 0;
  const int max_slots = 1500 + static_cast<int>(50 / gap);
  const int max_combined =
      200 + static_cast<int>(3 / gap) + static_cast<int>((20 - 4 * std::log10(tolerance)) / std::sqrt(gap));
  constexpr int slots_per_look = 6;
  double change = 0;  // as last checked
  for (int slot = 1;; ++slot) {
    const double beta =
        slot == 1 || method == PairMethod::plain ? 0 : (slot == 2 ? 0.5 : 0.25) * focus2 * alpha * alpha;
    alpha = method == PairMethod::plain ? 1 : slot == 1 ? 1 / centre : 1 / (centre - beta / alpha);
    const bool looked_at = slot % slots_per_look == 1;
    const double now = chain.step(law, step, alpha, beta, looked_at);
    if (looked_at) change = now / gap;
    law.slots = slot;
    law.residual = change;
    if (change <= tolerance) break;
    if (slot == 1) first_change = change;
    if (method == PairMethod::chebyshev && !(slot < max_combined && change < 1000 * first_change)) {
      method = PairMethod::plain;
      change = std::numeric_limits<double>::infinity();
      law = start;
      continue;
    }
    if (slot >= max_slots || std::isnan(change))
      throw LimitExceeded("the distribution of two successive queues did not converge within " +
                          std::to_string(slot) + " slots");
  }
  return law;
}

}  // namespace

PairLaw pair_law(const QueuePair& pair, std::size_t size, double tolerance, PairMethod method) {
  check(pair);
  if (size == 0) throw InvalidArgument("size", "0", "1 or more");
  const Alone alone(pair, size);
  PairLaw law(size);
  for (std::size_t v = 0; v < size; ++v)
    for (std::size_t y = 0; y + v < size; ++y)
      law.row(v)[y] = alone.first.left_over[v] * alone.second.occupancy[y];
  return settled(pair, std::move(law), alone, tolerance, method);
}

std::vector<double> identity_error(const QueuePair& pair, const PairLaw& law) {
  const std::size_t size = law.size();
  const Series alone = lone_second(pair, size).left_over;
  Series sum(size, 0), idle(size, 0);
  double mass_idle = 0;
  for (std::size_t v = 0; v < size; ++v) {
    const Series bound =
        binomial(static_cast<std::int64_t>(v), pair.forwarded, size);  // of those at U, bound for T
    for (std::size_t y = 0; y + v < size; ++y) {
      const double value = law.at(v, y);
      const std::size_t left = y > 0 ? y - 1 : 0;
      for (std::size_t n = 0; n < bound.size() && left + n < size; ++n) {
        sum[left + n] += value * bound[n];
        if (y == 0) idle[n] += value * bound[n];
      }
      if (y == 0) mass_idle += value;
    }
  }
  for (double& value : idle) value /= mass_idle;
  const Series expected = convolved(alone, idle, size);
  Series error(size, 0);
  double largest = 0;
  for (std::size_t n = 0; n < size; ++n) {
    if (expected[n] > 0) largest = std::max(largest, std::abs(sum[n] / expected[n] - 1));
    error[n] = largest;
  }
  return error;
}

PairKernel::PairKernel(const QueuePair& pair, const PairLaw& law)
    : size_(law.size()), values_(law.size() * (law.size() + 1) / 2, 0) {
  const Joint joint = joint_arrivals(pair, size_);
  const LoneQueue first = lone_first(pair, size_);
  const std::size_t max_b = joint.max_second;
  const auto ahead = [](const Series& b) {  // of its own slot at T, in random order
    Series result(b.size(), 0);
    double sum = 0;
    for (std::size_t i = b.size(); i-- > 0;) result[i] = sum += b[i] / static_cast<double>(i + 1);
    return result;
  };
  // Later slots: unconditional arrivals, plus the packet that the busy link may deliver.
  const std::vector<Series> table = joint.table();
  Series later(max_b, 0);
  for (const Series& row : table)
    for (std::size_t b = 0; b < max_b; ++b) later[b] += row[b];
  const Series busy = convolved(later, {1 - pair.forwarded, pair.forwarded}, max_b + 1);
  const Series later_ahead = ahead(later);
  // sum_{a>j} P(a, b): b packets arrive at T with a packet at U that finds j of its slot ahead. If no source
  // sends to both, a product.
  struct Term {
    Series ahead, arrivals;  ///< by j, by b
  };
  std::vector<Term> terms;
  std::vector<Series> beyond(table.size(), Series(max_b, 0));
  for (std::size_t j = table.size() - 1; j-- > 0;)
    for (std::size_t b = 0; b < max_b; ++b) beyond[j][b] = beyond[j + 1][b] + table[j + 1][b];
  if (joint.either.empty()) {
    Series sums;
    for (const Series& row : beyond) {
      double sum = 0;
      for (const double value : row) sum += value;
      sums.push_back(sum);
    }
    terms.push_back({sums, later});
  } else {
    for (std::size_t j = 0; j < beyond.size(); ++j) {
      Series at_j(j + 1, 0);
      at_j[j] = 1;
      terms.push_back({at_j, beyond[j]});
    }
  }
  const std::size_t margin = rounded_up(max_b + 1), length = rounded_up(2 * size_);
  Series left_buffer(margin + length, 0), right_buffer(margin + length, 0);
  double* left = left_buffer.data() + margin;
  double* right = right_buffer.data() + margin;
  const auto serve = [](double* values, std::size_t count) {
    values[0] += values[1];
    for (std::size_t y = 1; y + 1 < count; ++y) values[y] = values[y + 1];
    values[count - 1] = 0;
  };
  for (std::size_t w = 0; w < size_; ++w) {
    const std::size_t wanted = size_ - w;
    // Just after the arrivals of the packet's slot at U: y, served, and the arrivals with it.
    std::size_t reach = size_;
    std::fill(left_buffer.begin(), left_buffer.end(), 0);
    Series sum(size_ + 1, 0);
    Series mixed(size_ + 1, 0);
    for (const Term& term : terms) {
      std::fill(mixed.begin(), mixed.end(), 0);
      bool any = false;
      for (std::size_t j = 0; j <= std::min(w, term.ahead.size() - 1); ++j) {
        const double weight = term.ahead[j];
        if (weight == 0) continue;
        any = true;
        const double* const values = law.row(w - j);
        for (std::size_t y = 0; y < size_ - (w - j); ++y) mixed[y] += weight * values[y];
      }
      if (!any) continue;
      serve(mixed.data(), size_ + 1);
      const Series arrivals = w == 0 ? ahead(term.arrivals) : term.arrivals;
      for (std::size_t b = 0; b < arrivals.size(); ++b)
        for (std::size_t y = 0; y + b < size_; ++y) sum[y + b] += arrivals[b] * mixed[y];
    }
    if (w > 0) {
      for (std::size_t y = size_; y-- > 1;)
        sum[y] = (1 - pair.forwarded) * sum[y] + pair.forwarded * sum[y - 1];
      sum[0] *= 1 - pair.forwarded;
    }
    std::copy_n(sum.begin(), size_, left);
    for (std::size_t slot = 1; slot < w; ++slot) {
      // Higher levels cannot reach the wanted entries.
      const std::size_t slots_left = w - slot;
      reach = std::min(size_, wanted + slots_left + 1);
      serve(left, size_);
      std::fill(left + reach, left + length, 0);
      std::fill_n(right, rounded_up(reach), 0);
      add_convolved(right, left, rounded_up(reach), busy.data(), busy.size());
      std::swap(left, right);
      std::fill(left + size_, left + length, 0);
      std::fill(left - margin, left, 0);
    }
    if (w > 0) {
      serve(left, size_);
      std::fill_n(right, rounded_up(wanted), 0);
      add_convolved(right, left, rounded_up(wanted), later_ahead.data(), later_ahead.size());
      std::swap(left, right);
    }
    if (!(first.wait[w] > 1e-250)) continue;
    const double scale = 1 / (first.load * first.wait[w]);
    for (std::size_t y = 0; y < wanted; ++y) values_[start_of(w) + y] = scale * left[y];
  }
}

PairKernel PairKernel::with_dependence(double s, std::span<const double> x, std::span<const double> y) const {
  PairKernel result = *this;
  if (s == 0) return result;
  for (std::size_t w = 0; w < size_; ++w) {
    const std::size_t count = size_ - w;
    double* const values = result.values_.data() + start_of(w);
    double listed = 0, score = 0;
    for (std::size_t to = 0; to < count; ++to) {
      listed += values[to];
      score += values[to] * y[to];
    }
    if (!(listed > 0)) continue;
    score += std::max(0.0, 1 - listed) * y[std::min(count, y.size() - 1)];
    const double scale = 1 / (1 + s * x[w] * score);
    for (std::size_t to = 0; to < count; ++to) values[to] *= scale * (1 + s * x[w] * y[to]);
  }
  return result;
}

}  // namespace tailbound::queue
