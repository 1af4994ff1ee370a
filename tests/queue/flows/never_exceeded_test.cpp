#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/flows/flow_curve.hpp>
#include <tailbound/queue/flows/never_exceeded.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <tests/support/flow_groups.hpp>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using queue::FlowGroup;
using queue::FlowKind;
using queue::never_exceeded;
using queue::NeverExceeded;

namespace {

/// The maximum queue over all arrival patterns of the flows: every state is visited.
class Adversary {
 public:
  explicit Adversary(const std::vector<FlowGroup>& groups) {
    for (const FlowGroup& group : groups)
      for (std::int64_t i = 0; i < group.count; ++i) flows_.push_back(group);
    // Tokens as whole numbers; for sporadic flows the slots since the last batch.
    std::vector<std::int64_t> start;
    for (const FlowGroup& flow : flows_) {
      if (flow.kind == FlowKind::regulated)
        for (const auto& bucket : flow.buckets) start.push_back(fine(bucket.burst));
      else
        start.push_back(flow.period);
    }
    start.push_back(0);
    visit(start);
    while (!open_.empty()) {
      std::vector<std::int64_t> state = open_.back();
      open_.pop_back();
      choose(state, 0, 0, std::max<std::int64_t>(state.back() - 1, 0));
    }
  }
  [[nodiscard]] std::int64_t maximum() const { return maximum_; }

 private:
  static constexpr long unit = 60;
  static std::int64_t fine(const numeric::Rational& tokens) {
    return numeric::to_int64(numeric::numerator(tokens * unit));
  }
  void visit(const std::vector<std::int64_t>& state) {
    if (!seen_.insert(state).second) return;
    maximum_ = std::max(maximum_, state.back());
    open_.push_back(state);
  }
  /// Chooses the packets of flow `flow` in this slot, given the queue; then refills.
  void choose(std::vector<std::int64_t>& state, std::size_t flow, std::size_t at, std::int64_t waiting) {
    if (flow == flows_.size()) {
      std::vector<std::int64_t> next = state;
      next.back() = waiting;
      visit(next);
      return;
    }
    const FlowGroup& group = flows_[flow];
    const std::vector<std::int64_t> kept = state;
    if (group.kind != FlowKind::regulated) {
      state[at] = std::min(group.period, kept[at] + 1);
      choose(state, flow + 1, at + 1, waiting);
      if (kept[at] == group.period) {
        state = kept;
        state[at] = 1;
        choose(state, flow + 1, at + 1, waiting + group.batch);
      }
    } else {
      std::int64_t maximum = 1'000'000;
      for (std::size_t i = 0; i < group.buckets.size(); ++i) maximum = std::min(maximum, kept[at + i] / unit);
      for (std::int64_t packets = 0; packets <= maximum; ++packets) {
        state = kept;
        for (std::size_t i = 0; i < group.buckets.size(); ++i)
          state[at + i] = std::min(fine(group.buckets[i].burst),
                                   kept[at + i] - packets * unit + fine(group.buckets[i].rate));
        choose(state, flow + 1, at + group.buckets.size(), waiting + packets);
      }
    }
    state = kept;
  }

  std::vector<FlowGroup> flows_;
  std::set<std::vector<std::int64_t>> seen_;
  std::vector<std::vector<std::int64_t>> open_;
  std::int64_t maximum_ = 0;
};

/// By the definition, over a number of slots.
NeverExceeded over_slots(const std::vector<FlowGroup>& groups, std::int64_t slots) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(slots), 0);
  for (const FlowGroup& group : groups) {
    if (group.kind == FlowKind::regulated) {
      const auto greedy = traffic::greedy_slots(group.buckets, slots);
      for (std::size_t m = 0; m < sent.size(); ++m) sent[m] += group.count * greedy[m];
    } else {
      for (std::size_t m = 0; m < sent.size(); m += static_cast<std::size_t>(group.period))
        sent[m] += group.count * group.batch;
    }
  }
  NeverExceeded worst;
  std::int64_t sum = 0;
  for (std::int64_t m = 0; m < slots; ++m) {
    sum += sent[static_cast<std::size_t>(m)];
    if (sum - m > worst.packets) worst = {sum - m, m, sum - m - 1};
  }
  return worst;
}

}  // namespace

TEST_CASE("maximum queue of flows: known values") {
  const auto maximum = [](const std::vector<FlowGroup>& flows) { return never_exceeded(flows).packets; };
  CHECK(maximum({regulated(100, "1/125", "4")}) == 400);
  CHECK(maximum({periodic(100, 125)}) == 100);
  CHECK(maximum({sporadic(100, 125)}) == 100);
  CHECK(maximum({regulated(100, "1/125", "16")}) == 1600);
  CHECK(maximum({regulated(100, {{ratio(1, 125), 16}, traffic::one_per_slot()})}) == 1585);
  CHECK(maximum({regulated(500, "1/1000", "4")}) == 2000);
  // Three flows at one port, each two packets deep, or three behind links.
  CHECK(maximum({regulated(3, "1/4", "2")}) == 6);
  CHECK(maximum({regulated(3, {{ratio(1, 4), 3}, traffic::one_per_slot()})}) == 8);
  // Peak rates above one packet per slot, one that does not bind, and one that is no whole number.
  CHECK(maximum({regulated(1, {{ratio(9, 10), 10'000}, traffic::peak_of(10)})}) == 9890);
  CHECK(maximum({regulated(4, {{ratio(1, 5), 20}, traffic::peak_of(5)})}) == 79);
  CHECK(maximum({regulated(1, {{ratio(1, 5), 4}, traffic::peak_of(2)})}) == 3);
  CHECK(maximum({regulated(3, {{ratio(1, 5), 4}, traffic::peak_of(100)})}) == 12);
  CHECK(maximum({regulated(1, {{ratio(1, 5), 4}, traffic::peak_of(ratio(5, 2))})}) == 3);
  CHECK(maximum({regulated(143, {{ratio(1, 1'000'000), 56}, traffic::peak_of(2)})}) == 7981);
  // Peak rates with a burst of their own: above and below the rate, as deep as the bucket and deeper.
  CHECK(maximum({regulated(1, {{ratio(1, 2), 4}, {2, 1}})}) == 1);
  CHECK(maximum({regulated(2, {{ratio(3, 10), 20}, {2, 1}})}) == 29);
  CHECK(maximum({regulated(3, {{ratio(1, 5), 6}, {ratio(5, 2), ratio(7, 2)}})}) == 17);
  CHECK(maximum({regulated(3, {{ratio(1, 5), 6}, traffic::peak_of(ratio(5, 2))})}) == 16);
  CHECK(maximum({regulated(3, {{ratio(1, 5), 4}, {ratio(5, 2), 7}})}) == 12);
  CHECK(maximum({regulated(3, {{ratio(9, 10), 20}, {ratio(1, 4), 2}})}) == 6);
  // Without listing 10^8 slots.
  CHECK(maximum({regulated(1, {{ratio(9, 10), 1'000'000'000}, traffic::peak_of(10)})}) == 989'010'989);
  CHECK(maximum({regulated(1, {{ratio(9, 10), 1'000'000'000}, {10, 15}})}) == 989'010'989);
  const NeverExceeded known =
      never_exceeded({regulated(100, {{ratio(1, 125), 16}, traffic::one_per_slot()})});
  CHECK(known.window == 15);
  CHECK(known.wait == 1584);
}

TEST_CASE("maximum queue of equal flows on links: closed form") {
  // N + (N - 1) (b - 1)/(1 - r) at m = (b - 1)/(1 - r), exact where that is whole.
  for (const auto& [count, rate, burst] :
       {std::tuple{3, ratio(1, 4), 4}, {7, ratio(1, 8), 8}, {2, ratio(2, 5), 7}, {9, ratio(1, 10), 10}}) {
    const numeric::Rational window = numeric::Rational(burst - 1) / (1 - rate);
    const NeverExceeded found = never_exceeded({regulated(count, {{rate, burst}, traffic::one_per_slot()})});
    const numeric::Rational closed = count + (count - 1) * window;
    if (numeric::is_integer(window))
      CHECK(numeric::Rational(found.packets) == closed);
    else
      CHECK(numeric::Rational(found.packets) <= closed);
  }
}

TEST_CASE("maximum queue of a few flows: attained and never exceeded") {
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int compared = 0;
  while (compared < 60) {
    std::vector<FlowGroup> groups;
    for (int i = pick(1, 3); i > 0; --i) {
      if (pick(0, 2) == 0) {
        groups.push_back(sporadic(1, pick(2, 6), pick(1, 2)));
        continue;
      }
      std::vector<traffic::TokenBucket> buckets{{ratio(1, pick(2, 5)), ratio(pick(2, 6), 2)}};
      if (pick(0, 1) == 1) buckets.push_back(traffic::peak_of(ratio(pick(1, 6), pick(1, 2))));
      if (pick(0, 2) == 0) buckets.back().burst = ratio(pick(2, 8), 2);
      if (pick(0, 3) == 0) buckets.push_back({ratio(pick(2, 3), 3), ratio(pick(4, 5), 4)});
      groups.push_back(regulated(1, buckets));
    }
    if (queue::load(groups) >= 1) continue;
    ++compared;
    CHECK(never_exceeded(groups).packets == Adversary(groups).maximum());
  }
}

TEST_CASE("maximum queue of flows: agrees with the definition") {
  std::mt19937 random(12);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int compared = 0;
  while (compared < 300) {
    std::vector<FlowGroup> groups;
    for (int i = pick(1, 4); i > 0; --i) {
      const int period = pick(3, 60), unit = pick(1, 7);
      switch (pick(0, 4)) {
        case 0:
          groups.push_back(periodic(pick(1, 4), period, pick(1, 4)));
          break;
        case 1:
          groups.push_back(
              regulated(pick(1, 4), {{ratio(pick(1, 3), period), ratio(pick(unit, 9 * unit), unit)}}));
          break;
        case 2:
          groups.push_back(
              regulated(pick(1, 4), {{ratio(pick(1, 3), period), ratio(pick(unit, 9 * unit), unit)},
                                     traffic::peak_of(pick(1, 4))}));
          break;
        case 3:
          groups.push_back(regulated(pick(1, 4), {{ratio(pick(1, 3), period), pick(1, 30)},
                                                  {ratio(pick(1, 5 * unit), unit), ratio(pick(3, 20), 3)}}));
          break;
        default:
          groups.push_back(regulated(pick(1, 4), {{ratio(1, period), ratio(pick(unit, 9 * unit), unit)},
                                                  {ratio(pick(1, 9), 7), ratio(pick(3, 5), 3)}}));
      }
    }
    if (queue::load(groups) >= ratio(19, 20)) continue;
    ++compared;
    const NeverExceeded found = never_exceeded(groups), direct = over_slots(groups, 4000);
    CHECK(found.packets == direct.packets);
    CHECK(found.window == direct.window);
    CHECK(found.wait == direct.packets - 1);
  }
}

TEST_CASE("arrival curve: attained by the greedy source, and touched by its lines") {
  std::mt19937 random(13);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int round = 0; round < 600; ++round) {
    const int unit = pick(1, 7), depth = pick(1, 7);
    std::vector<traffic::TokenBucket> buckets{
        {ratio(pick(1, 5), pick(6, 20)), ratio(pick(unit, 5 * unit), unit)}};
    const int more = pick(0, 5);
    if (more == 1) buckets.insert(buckets.begin() + pick(0, 1), traffic::one_per_slot());
    if (more == 2) buckets.push_back({ratio(pick(1, 9), 7), ratio(pick(3, 5), 3)});
    if (more == 3) buckets.push_back({ratio(600'000'007, 999'999'937), pick(2, 5)});
    if (more >= 4) buckets.front().burst = pick(1, 60);
    // Peak rates of any size, whole or not, with and without a burst of their own.
    if (more == 4) buckets.push_back(traffic::peak_of(ratio(pick(1, 6 * unit), unit)));
    if (more == 5) buckets.push_back({ratio(pick(1, 6 * unit), unit), ratio(pick(depth, 20 * depth), depth)});
    const queue::FlowCurve curve(regulated(1, buckets));
    const std::vector<std::int64_t> sent = traffic::greedy_slots(buckets, 2500);
    std::int64_t sum = 0, last_sent = -1;
    numeric::Rational furthest = 0;
    for (std::int64_t m = 0; m < 2500; ++m) {
      const std::int64_t now = sent[static_cast<std::size_t>(m)];
      sum += now;
      REQUIRE(curve.maximum(m) == sum);
      REQUIRE(numeric::Rational(sum) >= curve.rate() * numeric::Rational(m + 1));
      if (now > 0) {
        REQUIRE(curve.next_sent(last_sent) == m);
        last_sent = m;
      }
      for (const auto& line : curve.lines())
        REQUIRE(numeric::Rational(sum) <= line.burst + line.rate * numeric::Rational(m));
      furthest =
          std::max(furthest, numeric::Rational(numeric::Rational(sum) - curve.rate() * numeric::Rational(m)));
    }
    if (more == 0) CHECK(furthest == curve.spread());
  }
}

TEST_CASE("maximum queue of flows: fast at loads near 1") {
  CHECK(never_exceeded({regulated(999'999, "1/1000000", "4")}).packets == 3'999'996);
  CHECK(never_exceeded({periodic(1, 2), regulated(1, "499999/1000000", "7")}).packets == 8);
  CHECK_THROWS_AS(never_exceeded({periodic(4, 4)}), Unstable);
}
