#include <algorithm>
#include <cmath>
#include <tests/support/exact_chain.hpp>
#include <utility>

namespace tailbound::test {
namespace {

using Law = std::vector<long double>;

constexpr long double negligible = 1e-21L;  ///< probability of a state that is not followed further

/// Number of the sources that send in a slot; of all except one.
Law sum_of(const Law& sources, std::size_t but = static_cast<std::size_t>(-1)) {
  Law sum{1.0L};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (i == but) continue;
    sum.push_back(0);
    for (std::size_t n = sum.size(); n-- > 0;)
      sum[n] = sum[n] * (1 - sources[i]) + (n > 0 ? sum[n - 1] * sources[i] : 0);
  }
  return sum;
}

/// Number of n others that are served before a packet, in random order.
Law before_of(const Law& others) {
  Law before(others.size(), 0);
  for (std::size_t n = 0; n < others.size(); ++n)
    for (std::size_t j = 0; j <= n; ++j) before[j] += others[n] / static_cast<long double>(n + 1);
  return before;
}

void add_at(Law& law, std::size_t at, long double mass) {
  if (law.size() <= at) law.resize(at + 1, 0);
  law[at] += mass;
}

}  // namespace

ExactChain::ExactChain(SmallTree tree, std::size_t depth, long double settled)
    : tree_(std::move(tree)), depth_(depth), states_(depth) {
  for (const SmallTree::Branch& branch : tree_.branches) {
    arrivals_.push_back(sum_of(branch.sources));
    states_ *= depth;
  }
  arrivals_.push_back(sum_of(tree_.straight));
  stationary_.assign(states_, 0);
  stationary_[0] = 1;
  const Law& straight = arrivals_.back();
  for (int round = 0; round < 100'000; ++round) {
    Law next(states_, 0);
    step(stationary_, none, [&](std::size_t branches, std::size_t left, std::size_t came, long double mass) {
      for (std::size_t a = 0; a < straight.size(); ++a) {
        const std::size_t x = left + came + a;
        next[branches + std::min(x == 0 ? 0 : x - 1, depth_ - 1)] += mass * straight[a];
      }
    });
    long double change = 0;
    for (std::size_t i = 0; i < states_; ++i) change += std::abs(next[i] - stationary_[i]);
    stationary_ = std::move(next);
    if (change < settled) break;
  }
}

template <class Take>
void ExactChain::step(const Law& from, std::size_t busy, const Take& take) const {
  const auto walk = [&](const auto& self, std::size_t branch, std::size_t scale, std::size_t rest,
                        std::size_t to, std::size_t left, std::size_t came, long double mass) -> void {
    if (branch == tree_.branches.size()) return take(to, left, came, mass);
    const std::size_t place = rest % depth_, further = rest / depth_, next_scale = scale * depth_;
    const long double on = tree_.branches[branch].goes_on;
    const auto served = [&](std::size_t place_after, long double its) {
      if (on > 0)
        self(self, branch + 1, next_scale, further, to + scale * place_after, left, came + 1, its * on);
      if (on < 1)
        self(self, branch + 1, next_scale, further, to + scale * place_after, left, came, its * (1 - on));
    };
    if (branch == busy) return served(place, mass);
    const Law& arrivals = arrivals_[branch];
    for (std::size_t a = 0; a < arrivals.size(); ++a) {
      const std::size_t x = place + a;
      if (x == 0)
        self(self, branch + 1, next_scale, further, to, left, came, mass * arrivals[a]);
      else
        served(std::min(x - 1, depth_ - 1), mass * arrivals[a]);
    }
  };
  for (std::size_t i = 0; i < states_; ++i)
    if (from[i] > negligible) walk(walk, 0, depth_, i / depth_, 0, i % depth_, 0, from[i]);
}

std::vector<long double> ExactChain::delay(std::size_t branch, std::size_t source) const {
  std::size_t scale = depth_;
  for (std::size_t i = 0; i < branch; ++i) scale *= depth_;
  const Law before = before_of(sum_of(tree_.branches[branch].sources, source));
  const Law& straight = arrivals_.back();
  Law delay;
  for (std::size_t wait = 0; wait < depth_ + before.size(); ++wait) {
    // The other queues at the end of the slot before the packet arrives, if it waits that long; its own
    // branch at place 0.
    Law others(states_, 0);
    for (std::size_t i = 0; i < states_; ++i) {
      const std::size_t place = i / scale % depth_;
      if (wait >= place && wait - place < before.size())
        others[i - scale * place] += stationary_[i] * before[wait - place];
    }
    for (std::size_t slot = 0; slot < wait; ++slot) {
      Law next(states_, 0);
      step(others, branch, [&](std::size_t branches, std::size_t left, std::size_t came, long double mass) {
        for (std::size_t a = 0; a < straight.size(); ++a) {
          const std::size_t x = left + came + a;
          next[branches + std::min(x == 0 ? 0 : x - 1, depth_ - 1)] += mass * straight[a];
        }
      });
      others = std::move(next);
    }
    // It is served: every branch except its own may send another packet to T in this step.
    ExactChain alone = *this;
    alone.tree_.branches[branch].goes_on = 0;
    alone.step(others, branch, [&](std::size_t, std::size_t left, std::size_t came, long double mass) {
      for (std::size_t a = 0; a < straight.size(); ++a)
        for (std::size_t j = 0; j <= came + a; ++j)
          add_at(delay, wait + left + j, mass * straight[a] / static_cast<long double>(came + a + 1));
    });
  }
  return delay;
}

std::vector<long double> ExactChain::straight_delay(std::size_t source) const {
  const Law others = sum_of(tree_.straight, source);
  Law delay;
  step(stationary_, none, [&](std::size_t, std::size_t left, std::size_t came, long double mass) {
    for (std::size_t a = 0; a < others.size(); ++a)
      for (std::size_t j = 0; j <= came + a; ++j)
        add_at(delay, left + j, mass * others[a] / static_cast<long double>(came + a + 1));
  });
  return delay;
}

long double tail(const std::vector<long double>& law, std::size_t t) {
  long double sum = 0;
  for (std::size_t n = law.size(); n-- > t + 1;) sum += law[n];
  return sum;
}

long double mean(const std::vector<long double>& law) {
  long double sum = 0;
  for (std::size_t n = law.size(); n-- > 1;) sum += static_cast<long double>(n) * law[n];
  return sum;
}

}  // namespace tailbound::test
