#include <tailbound/core/error.hpp>
#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/queue/hops/wired_pair.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace tailbound::queue {
namespace {

using numeric::convolved;
using Series = std::vector<double>;

/// P(J = j): of n others in the slot, uniformly ordered, j are ahead.
Series ahead_of(const Series& others) {
  Series result(others.size(), 0);
  double sum = 0;
  for (std::size_t n = others.size(); n-- > 0;) result[n] = sum += others[n] / static_cast<double>(n + 1);
  return result;
}

}  // namespace

Phases::Phases(std::vector<OutputProcess> wires) : wires_(std::move(wires)) {
  if (wires_.size() > 20)
    throw LimitExceeded("two queues with more than 20 links into them, which is the limit");
  std::size_t count = 1;
  for (const OutputProcess& wire : wires_) count *= static_cast<std::size_t>(wire.phases);
  masks_.resize(count, 0);
  for (std::size_t phase = 0; phase < count; ++phase) {
    std::size_t rest = phase;
    for (std::size_t i = 0; i < wires_.size(); ++i) {
      const auto own = static_cast<std::size_t>(wires_[i].phases);
      if (wires_[i].busy(static_cast<int>(rest % own))) masks_[phase] |= 1U << i;
      rest /= own;
    }
  }
}

void Phases::move(double* values, std::size_t cells) const {
  std::size_t stride = 1;
  for (const OutputProcess& wire : wires_) {
    const auto own = static_cast<std::size_t>(wire.phases);
    if (own > 1)
      for (std::size_t phase = 0; phase < count(); ++phase) {
        if (phase / stride % own != 0) continue;
        double* const idle = values + phase * cells;
        double* const one = idle + stride * cells;
        const double stay = 1 - wire.start, to_one = wire.start * wire.first, stop = wire.stop[0];
        if (own == 2) {
          for (std::size_t i = 0; i < cells; ++i) {
            const double a = idle[i], b = one[i];
            idle[i] = stay * a + stop * b;
            one[i] = wire.start * a + (1 - stop) * b;
          }
        } else {
          double* const two = one + stride * cells;
          const double to_two = wire.start * (1 - wire.first), stop_two = wire.stop[1];
          for (std::size_t i = 0; i < cells; ++i) {
            const double a = idle[i], b = one[i], c = two[i];
            idle[i] = stay * a + stop * b + stop_two * c;
            one[i] = to_one * a + (1 - stop) * b;
            two[i] = to_two * a + (1 - stop_two) * c;
          }
        }
      }
    stride *= own;
  }
}

Series Phases::emitted(unsigned mask, std::size_t without) const {
  Series law{1};
  for (std::size_t i = 0; i < wires_.size(); ++i)
    if (i != without && (mask >> i & 1U) != 0) law = convolved(law, {1 - wires_[i].emit, wires_[i].emit});
  return law;
}

Series Phases::stationary_law() const {
  Series law{1};
  for (const OutputProcess& wire : wires_) {
    const Series own = stationary(wire);
    Series next;
    for (const double b : own)
      for (const double a : law) next.push_back(a * b);
    law = std::move(next);
  }
  return law;
}

std::size_t Phases::without(std::size_t phase, std::size_t wire) const {
  std::size_t below = 1;
  for (std::size_t i = 0; i < wire; ++i) below *= static_cast<std::size_t>(wires_[i].phases);
  const std::size_t rest = phase / below / static_cast<std::size_t>(wires_[wire].phases);
  return rest * below + phase % below;
}

namespace {

constexpr std::size_t no_link = std::numeric_limits<std::size_t>::max();

/// P(a, b): packets of a slot to U, and to T by other paths.
using JointLaw = std::vector<Series>;

JointLaw with_first(const JointLaw& law, const Series& more) {
  JointLaw result(law.size() + more.size() - 1, Series(law.front().size(), 0));
  for (std::size_t a = 0; a < law.size(); ++a)
    for (std::size_t n = 0; n < more.size(); ++n)
      for (std::size_t b = 0; b < law[a].size(); ++b) result[a + n][b] += law[a][b] * more[n];
  return result;
}

/// Adds negligible entries to their neighbours.
void drop_rare(JointLaw& law) {
  constexpr double rare = 1e-14;
  while (law.size() > 2 && std::accumulate(law.back().begin(), law.back().end(), 0.0) < rare) {
    for (std::size_t b = 0; b < law.back().size(); ++b) law[law.size() - 2][b] += law.back()[b];
    law.pop_back();
  }
  const auto column = [&law](std::size_t b) {
    double sum = 0;
    for (const Series& row : law) sum += row[b];
    return sum;
  };
  while (law.front().size() > 2 && column(law.front().size() - 1) < rare)
    for (Series& row : law) {
      row[row.size() - 2] += row.back();
      row.pop_back();
    }
}

JointLaw host_law(const std::vector<FeedingHost>& hosts, std::size_t without = no_link) {
  JointLaw law{{1}};
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (i == without) continue;
    const FeedingHost& host = hosts[i];
    if (!(host.around > 0)) {
      Series own{1 - host.rate - host.rate_of_two, host.rate};
      if (host.rate_of_two > 0) own.push_back(host.rate_of_two);
      law = with_first(law, own);
      drop_rare(law);
      continue;
    }
    const double two = host.twice, one = host.around - host.both - 2 * two, through = host.rate - host.both;
    const std::size_t more = two > 0 ? 2 : 1, width = law.front().size() + more;
    JointLaw next(law.size() + (host.rate > 0 ? 1 : 0), Series(width, 0));
    for (std::size_t a = 0; a < law.size(); ++a)
      for (std::size_t b = 0; b < law[a].size(); ++b) {
        const double p = law[a][b];
        next[a][b] += p * (1 - through - one - two - host.both);
        if (host.rate > 0) next[a + 1][b] += p * through;
        next[a][b + 1] += p * one;
        if (more > 1) next[a][b + 2] += p * two;
        if (host.rate > 0) next[a + 1][b + 1] += p * host.both;
      }
    law = std::move(next);
    drop_rare(law);
  }
  return law;
}

/// P(b)
Series second_of(const JointLaw& law) {
  Series sum(law.front().size(), 0);
  for (const Series& row : law)
    for (std::size_t b = 0; b < row.size(); ++b) sum[b] += row[b];
  return sum;
}

/// P(j ahead in the slot, b): of a others, uniformly ordered.
JointLaw ahead_of(const JointLaw& law) {
  JointLaw result(law.size(), Series(law.front().size(), 0));
  Series sum(law.front().size(), 0);
  for (std::size_t a = law.size(); a-- > 0;)
    for (std::size_t b = 0; b < sum.size(); ++b)
      result[a][b] = sum[b] += law[a][b] / static_cast<double>(a + 1);
  return result;
}

Series host_law(const std::vector<double>& rates) {
  Series law{1};
  for (const double rate : rates) law = convolved(law, {1 - rate, rate});
  return law;
}

/// y -> max(y-1, 0), then the arrivals. \pre from and to differ; both are preceded by `margin` zeros
void served_and_fed(const double* from, double* to, std::size_t size, const Series& arrivals) {
  for (std::size_t y = 0; y < size; ++y) {
    const double left = y + 1 < size ? from[y + 1] : 0;
    to[y] = arrivals[0] * left;
  }
  to[0] += arrivals[0] * from[0];
  for (std::size_t b = 1; b < arrivals.size() && b < size; ++b) {
    const double p = arrivals[b];
    for (std::size_t y = b; y < size; ++y) to[y] += p * (y - b + 1 < size ? from[y - b + 1] : 0);
    to[b] += p * from[0];
    for (std::size_t y = size - b + 1; y < size; ++y) to[size - 1] += p * from[y];
  }
}

std::size_t place_of(std::size_t v, std::size_t n) {
  return v * (v + 1) / 2 + n;
}

Phases phases_of(const WiredPair& pair) {
  std::vector<OutputProcess> wires = pair.wires;
  wires.insert(wires.end(), pair.other_wires.begin(), pair.other_wires.end());
  return Phases(std::move(wires));
}

}  // namespace

PairChain::PairChain(const WiredPair& pair)
    : states_(pair.counted ? place_of(pair.first_size, 0) : pair.first_size),
      size_(pair.second_size),
      first_wires_(static_cast<unsigned>(pair.wires.size())),
      phases_(phases_of(pair)) {
  const JointLaw hosts = host_law(pair.hosts);
  most_with_ = hosts.front().size();  // plus one through U
  if (pair.counted) {
    moves_.push_back(counted_moves(pair));
  } else {
    const Phases own(pair.wires);
    for (unsigned mask = 0; mask < 1U << first_wires_; ++mask)
      moves_.push_back(plain_moves(with_first(hosts, own.emitted(mask)), pair.forwarded));
  }
  const Phases other(pair.other_wires);
  const Series others = host_law(pair.other_hosts);
  for (unsigned mask = 0; mask < 1U << pair.other_wires.size(); ++mask)
    feeds_.push_back(convolved(others, other.emitted(mask)));
}

PairChain::Moves PairChain::plain_moves(const JointLaw& arrivals, double forwarded) const {
  Moves moves;
  for (std::size_t v = 0; v < states_; ++v) {
    moves.begin.push_back(moves.to.size());
    for (std::size_t a = 0; a < arrivals.size(); ++a) {
      const double p = v + a == 0 ? 0 : forwarded;
      moves.to.push_back(v + a == 0 ? 0 : static_cast<std::uint32_t>(std::min(v + a, states_) - 1));
      const std::size_t at = moves.with.size();
      moves.with.resize(at + most_with_ + 1, 0);
      for (std::size_t b = 0; b < arrivals[a].size(); ++b) {
        moves.with[at + b] += arrivals[a][b] * (1 - p);
        if (p > 0) moves.with[at + b + 1] += arrivals[a][b] * p;
      }
    }
  }
  moves.begin.push_back(moves.to.size());
  return moves;
}

PairChain::Moves PairChain::counted_moves(const WiredPair& pair) const {
  // P(a arrivals at U, n of them bound for T, b to T by other paths), as law[a][n * width + b]
  std::size_t width = most_with_;
  JointLaw law{Series(width, 0)};
  law[0][0] = 1;
  for (const FeedingHost& host : pair.hosts) {
    const double two = host.twice, one = host.around - host.both - 2 * two, through = host.rate - host.both;
    JointLaw next(law.size() + 1, Series((law.size() + 1) * width, 0));
    for (std::size_t a = 0; a < law.size(); ++a)
      for (std::size_t n = 0; n <= a; ++n)
        for (std::size_t b = 0; b < width; ++b) {
          const double p = law[a][n * width + b];
          if (p == 0) continue;
          const auto add = [&](std::size_t arrivals, std::size_t further, double q) {
            if (q <= 0) return;
            const std::size_t more = std::min(b + further, width - 1);
            if (arrivals == 0) {
              next[a][n * width + more] += p * q;
              return;
            }
            next[a + 1][n * width + more] += p * q * (1 - host.share);
            next[a + 1][(n + 1) * width + more] += p * q * host.share;
          };
          add(0, 0, 1 - through - one - two - host.both);
          add(1, 0, through);
          add(0, 1, one);
          add(0, 2, two);
          add(1, 1, host.both);
        }
    law = std::move(next);
    constexpr double rare = 1e-14;
    while (law.size() > 2 && std::accumulate(law.back().begin(), law.back().end(), 0.0) < rare)
      law.pop_back();
  }
  Moves moves;
  const std::size_t wide = most_with_ + 1;
  Series sums;
  for (std::size_t v = 0; v < pair.first_size; ++v)
    for (std::size_t n = 0; n <= v; ++n) {
      moves.begin.push_back(moves.to.size());
      for (std::size_t a = 0; a < law.size(); ++a) {
        const std::size_t x = v + a;
        // The packet served is any of the x. sums[left over that are bound for T][packets to T]
        sums.assign((x + 1) * wide, 0);
        for (std::size_t more = 0; more <= a; ++more)
          for (std::size_t b = 0; b < width; ++b) {
            const double p = law[a][more * width + b];
            const std::size_t bound = n + more;
            const double to = x == 0 ? 0 : static_cast<double>(bound) / static_cast<double>(x);
            if (to < 1) sums[bound * wide + b] += p * (1 - to);
            if (to > 0) sums[(bound - 1) * wide + b + 1] += p * to;
          }
        for (std::size_t left = 0; left <= x; ++left) {
          const double* const row = sums.data() + left * wide;
          if (std::all_of(row, row + wide, [](double value) { return value == 0; })) continue;
          const std::size_t after = std::min(x > 0 ? x - 1 : 0, pair.first_size - 1);
          moves.to.push_back(static_cast<std::uint32_t>(place_of(after, std::min(left, after))));
          moves.with.insert(moves.with.end(), row, row + wide);
        }
      }
    }
  moves.begin.push_back(moves.to.size());
  return moves;
}

void PairChain::step(Series& work, Series& out) const {
  phases_.move(work.data(), cells());
  std::fill(out.begin(), out.end(), 0);
  const std::size_t wide = most_with_ + 1;
  Series line(size_ + most_with_, 0);
  double* const t = line.data() + most_with_;
  for (std::size_t phase = 0; phase < phases_.count(); ++phase) {
    const unsigned mask = phases_.mask(phase);
    const Moves& moves = moves_[mask & ((1U << first_wires_) - 1)];
    const Series& feed = feeds_[mask >> first_wires_];
    const double* const from = work.data() + phase * cells();
    double* const to = out.data() + phase * cells();
    for (std::size_t u = 0; u < states_; ++u) {
      const double* const row = from + u * size_;
      if (size_ == 1) {
        for (std::size_t e = moves.begin[u]; e < moves.begin[u + 1]; ++e)
          for (std::size_t n = 0; n < wide; ++n) to[moves.to[e]] += moves.with[e * wide + n] * row[0];
        continue;
      }
      served_and_fed(row, t, size_, feed);
      for (std::size_t e = moves.begin[u]; e < moves.begin[u + 1]; ++e) {
        const double* const with = moves.with.data() + e * wide;
        double* const target = to + moves.to[e] * size_;
        for (std::size_t y = 0; y < size_; ++y) target[y] += with[0] * t[y];
        for (std::size_t n = 1; n < wide; ++n) {
          if (with[n] == 0) continue;
          const double* const shifted = t - n;
          for (std::size_t y = 0; y < size_; ++y) target[y] += with[n] * shifted[y];
          double beyond = 0;
          for (std::size_t y = size_ > n ? size_ - n : 0; y < size_; ++y) beyond += t[y];
          target[size_ - 1] += with[n] * beyond;
        }
      }
    }
  }
}

WiredLaw::WiredLaw(WiredPair pair, double tolerance) : pair_(std::move(pair)), chain_(pair_) {
  const std::size_t cells = chain_.cells();
  const Series start_phases = chain_.phases().stationary_law();
  values_.assign(cells * start_phases.size(), 0);
  for (std::size_t phase = 0; phase < start_phases.size(); ++phase)
    values_[phase * cells] = start_phases[phase];
  const double gap = std::min(pair_.gap, 0.3);
  // As settled() of queue_pair.cpp: the rates of decay lie in an ellipse about the real axis, from -0.2 to 1
  // - gap.
  const double centre = (gap + 1.2) / 2, half = (1.2 - gap) / 2,
               focus2 = half * half - (gap > 0.005 ? 0.04 : 0.07);
  Series work(values_.size()), next(values_.size()), change(values_.size(), 0);
  const Series start = values_;
  bool combined = true;
  double alpha = 0, first_look = 0;
  const int maximum = 3000 + static_cast<int>(60 / gap);
  const int max_combined = 200 + static_cast<int>(40 / std::sqrt(gap));
  constexpr int look = 6;
  for (slots_ = 1;; ++slots_) {
    work = values_;
    chain_.step(work, next);
    const double beta = !combined || slots_ == 1 ? 0 : (slots_ == 2 ? 0.5 : 0.25) * focus2 * alpha * alpha;
    alpha = !combined ? 1 : slots_ == 1 ? 1 / centre : 1 / (centre - beta / alpha);
    double largest = 0;
    const bool looked = slots_ % look == 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double difference = next[i] - values_[i];
      if (looked && next[i] > 1e-13) largest = std::max(largest, std::abs(difference) / next[i]);
      change[i] = alpha * difference + beta * change[i];
      values_[i] += change[i];
    }
    if (!looked) continue;
    if (largest <= tolerance * gap) break;
    if (slots_ == look) first_look = largest;
    if (combined && !(slots_ < max_combined && largest < 1000 * first_look)) {
      combined = false;
      values_ = start;
      std::fill(change.begin(), change.end(), 0);
    }
    if (slots_ >= maximum || std::isnan(largest))
      throw LimitExceeded("the distribution of two successive queues did not converge within " +
                          std::to_string(slots_) + " slots");
  }
  // Combining may leave negative rounding errors where probabilities are nearly 0.
  double sum = 0;
  for (double& value : values_) sum += value = std::max(value, 0.0);
  for (double& value : values_) value /= sum;
}

Series WiredLaw::left_over() const {
  Series law(pair_.first_size, 0);
  const std::size_t size = pair_.second_size;
  for (std::size_t phase = 0; phase < chain_.phases().count(); ++phase)
    for (std::size_t v = 0; v < pair_.first_size; ++v)
      for (std::size_t n = 0; n <= (pair_.counted ? v : 0); ++n) {
        const std::size_t u = pair_.counted ? place_of(v, n) : v;
        for (std::size_t y = 0; y < size; ++y) law[v] += values_[phase * chain_.cells() + u * size + y];
      }
  return law;
}

Series WiredLaw::seen_by(const TaggedInput& input) const {
  Series seen = values_;
  chain_.phases().move(seen.data(), chain_.cells());
  double sum = 0;
  for (std::size_t phase = 0; phase < chain_.phases().count(); ++phase) {
    const bool sends = !input.wire || (chain_.phases().mask(phase) >> input.place & 1U) != 0;
    for (std::size_t i = 0; i < chain_.cells(); ++i) {
      double& value = seen[phase * chain_.cells() + i];
      sum += value = sends ? value : 0;
    }
  }
  for (double& value : seen) value /= sum;
  return seen;
}

JointLaw WiredLaw::others_ahead(const TaggedInput& input, unsigned mask) const {
  const Phases own(pair_.wires);
  JointLaw law =
      with_first(host_law(pair_.hosts, input.wire ? no_link : input.place),
                 own.emitted(mask & ((1U << pair_.wires.size()) - 1), input.wire ? input.place : no_link));
  if (!input.wire && pair_.hosts[input.place].both > 0) {
    const FeedingHost& host = pair_.hosts[input.place];
    for (Series& row : law) row = convolved(row, {1 - host.both / host.rate, host.both / host.rate});
  }
  return ahead_of(law);
}

Series WiredLaw::first_wait(const TaggedInput& input) const {
  const Series seen = seen_by(input);
  const std::size_t size = pair_.second_size;
  Series wait(pair_.first_size, 0);
  for (std::size_t phase = 0; phase < chain_.phases().count(); ++phase) {
    const JointLaw ahead = others_ahead(input, chain_.phases().mask(phase));
    for (std::size_t v = 0; v < pair_.first_size; ++v) {
      double p = 0;
      for (std::size_t n = 0; n <= (pair_.counted ? v : 0); ++n) {
        const std::size_t u = pair_.counted ? place_of(v, n) : v;
        for (std::size_t y = 0; y < size; ++y) p += seen[phase * chain_.cells() + u * size + y];
      }
      for (std::size_t j = 0; j < ahead.size() && v + j < wait.size(); ++j)
        wait[v + j] += p * std::accumulate(ahead[j].begin(), ahead[j].end(), 0.0);
    }
  }
  return wait;
}

namespace {

/// P(W_U = w, W_T = w'): a packet's path through U slot by slot, with the state of T meanwhile.
class PairWaits {
 public:
  PairWaits(const WiredLaw& law, const TaggedInput& input)
      : law_(law),
        pair_(law.pair()),
        input_(input),
        size_(pair_.second_size),
        maximum_(pair_.first_size),
        own_phases_(Phases(pair_.wires).count()),
        other_(pair_.other_wires),
        lines_(other_.count() * size_),
        seen_(law.seen_by(input)),
        result_(maximum_, Series(size_, 0)),
        line_(size_ + 1, 0) {
    const Series around = second_of(host_law(pair_.hosts));
    for (unsigned mask = 0; mask < 1U << pair_.other_wires.size(); ++mask) {
      at_first_.push_back(convolved(host_law(pair_.other_hosts), other_.emitted(mask)));
      feeds_.push_back(convolved(at_first_.back(), around));
      ahead_at_second_.push_back(ahead_of(feeds_.back()));
    }
    for (std::size_t phase = 0; phase < law.chain().phases().count(); ++phase)
      aheads_.push_back(law.others_ahead(input, law.chain().phases().mask(phase)));
  }

  std::vector<Series> run() {
    served_at_once();
    std::size_t max_ahead = 0;
    for (const JointLaw& ahead : aheads_) max_ahead = std::max(max_ahead, ahead.size());
    for (std::size_t v = 0; v < maximum_; ++v)
      for (std::size_t j = 0; j < max_ahead && v + j < maximum_; ++j) {
        if (v + j == 0) continue;
        std::vector<Series> values = own_slot(v, j);
        if (values.empty()) continue;
        for (std::size_t served = 1; served < v; ++served) serve_left_over(values, v - served);
        Series& last = values.front();
        for (std::size_t served = v == 0 ? 1 : 0; served < j; ++served) serve_ahead(last);
        join_second(last, v + j);
      }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t counts(std::size_t v) const { return pair_.counted ? v + 1 : 1; }
  [[nodiscard]] const double* seen(std::size_t phase, std::size_t v, std::size_t n) const {
    const std::size_t u = pair_.counted ? place_of(v, n) : v;
    return seen_.data() + phase * law_.chain().cells() + u * size_;
  }
  /// The result of served_and_fed() begins one entry further on.
  [[nodiscard]] double* fed() { return line_.data() + 1; }

  /// Adds the packet after y others at T, one of which is served, and `before` of its own slot.
  void add_result(std::size_t wait, const double* row, const Series& before) {
    for (std::size_t y = 0; y < size_; ++y)
      for (std::size_t i = 0; i < before.size(); ++i)
        result_[wait][std::min(size_ - 1, (y > 0 ? y - 1 : 0) + i)] += row[y] * before[i];
  }

  /// Without a wait at U it meets the arrivals of the same slot at T.
  void served_at_once() {
    for (std::size_t phase = 0; phase < aheads_.size(); ++phase) {
      const unsigned mask = other_.mask(phase / own_phases_);
      add_result(0, seen(phase, 0, 0), ahead_of(convolved(at_first_[mask], aheads_[phase][0])));
    }
  }

  /// The packet's own slot at U with v left over and j ahead: lines[phase of T's other links][y], by the
  /// number of the v before it that are bound for T. Empty if impossible.
  std::vector<Series> own_slot(std::size_t v, std::size_t j) {
    std::vector<Series> values(std::min(pair_.counted ? maximum_ : 1, counts(v)), Series(lines_, 0));
    double mass = 0;
    for (std::size_t phase = 0; phase < aheads_.size(); ++phase) {
      const JointLaw& ahead = aheads_[phase];
      if (j >= ahead.size()) continue;
      const std::size_t other_phase = phase / own_phases_;
      for (std::size_t n = 0; n < counts(v); ++n) {
        served_and_fed(seen(phase, v, n), fed(), size_, at_first_[other_.mask(other_phase)]);
        const double goes = v == 0          ? input_.ahead_forwarded
                            : pair_.counted ? static_cast<double>(n) / static_cast<double>(v)
                                            : pair_.forwarded;
        const std::size_t stays_at = std::min(n, values.size() - 1);
        const std::size_t goes_at = pair_.counted && v > 0 && n > 0 ? n - 1 : stays_at;
        double* const stays_row = values[stays_at].data() + other_phase * size_;
        double* const goes_row = values[goes_at].data() + other_phase * size_;
        for (std::size_t b = 0; b < ahead[j].size(); ++b) {  // b more arrive at T
          const double p = ahead[j][b];
          if (p == 0) continue;
          for (std::size_t y = 0; y < size_; ++y) {
            stays_row[std::min(y + b, size_ - 1)] += p * (1 - goes) * fed()[y];
            goes_row[std::min(y + b + 1, size_ - 1)] += p * goes * fed()[y];
          }
          mass += p;
        }
      }
    }
    if (mass == 0) values.clear();
    return values;
  }

  /// T's part of a slot after the phase transition: service and arrivals, then a packet from U with
  /// probability `goes`.
  void add_packet(double* row, double stays, double goes) {
    const double* const values = fed();
    for (std::size_t y = 0; y < size_; ++y) row[y] += stays * values[y];
    for (std::size_t y = 1; y < size_; ++y) row[y] += goes * values[y - 1];
    row[size_ - 1] += goes * values[size_ - 1];
  }

  /// A slot in which one of those left over is served and `rest` remain.
  void serve_left_over(std::vector<Series>& values, std::size_t rest) {
    std::vector<Series> next(pair_.counted ? rest : 1, Series(lines_, 0));
    for (std::size_t n = 0; n < values.size() && n <= rest; ++n) {
      other_.move(values[n].data(), size_);
      const double goes =
          pair_.counted ? static_cast<double>(n) / static_cast<double>(rest) : pair_.forwarded;
      for (std::size_t phase = 0; phase < other_.count(); ++phase) {
        const std::size_t at = phase * size_;
        served_and_fed(values[n].data() + at, fed(), size_, feeds_[other_.mask(phase)]);
        if (!pair_.counted) {
          add_packet(next[0].data() + at, 1 - goes, goes);
        } else {
          if (goes < 1) add_packet(next[n].data() + at, 1 - goes, 0);
          if (goes > 0) add_packet(next[n - 1].data() + at, 0, goes);
        }
      }
    }
    values = std::move(next);
  }

  /// A slot in which one of those ahead in the packet's own slot is served.
  void serve_ahead(Series& values) {
    other_.move(values.data(), size_);
    Series next(lines_, 0);
    for (std::size_t phase = 0; phase < other_.count(); ++phase) {
      served_and_fed(values.data() + phase * size_, fed(), size_, feeds_[other_.mask(phase)]);
      add_packet(next.data() + phase * size_, 1 - input_.ahead_forwarded, input_.ahead_forwarded);
    }
    values = std::move(next);
  }

  void join_second(Series& values, std::size_t wait) {
    other_.move(values.data(), size_);
    for (std::size_t phase = 0; phase < other_.count(); ++phase)
      add_result(wait, values.data() + phase * size_, ahead_at_second_[other_.mask(phase)]);
  }

  const WiredLaw& law_;
  const WiredPair& pair_;
  const TaggedInput& input_;
  std::size_t size_, maximum_, own_phases_;
  Phases other_;
  std::size_t lines_;
  Series seen_;
  /// Arrivals from T's other inputs in a slot, by the set of its other busy links: in the packet's own slot
  /// at U without the sources that could have sent to U instead, later with them.
  std::vector<Series> at_first_, feeds_, ahead_at_second_;
  std::vector<JointLaw> aheads_;  ///< by phase
  std::vector<Series> result_;
  Series line_;
};

}  // namespace

std::vector<Series> WiredLaw::waits(const TaggedInput& input) const {
  return PairWaits(*this, input).run();
}

}  // namespace tailbound::queue
