#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/priority/finite_classes.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>
#include <utility>
#include <vector>

// Losses of classes with finite buffers against the chain of all classes, solved by elimination.

using namespace tailbound;
using numeric::Rational;
using queue::ClassSlots;
using queue::FiniteClasses;
using tailbound::test::ends;
using tailbound::test::rational;

namespace {

using Packets1 = std::vector<std::int64_t>;

ClassSlots equal_inputs(std::int64_t inputs, const std::vector<const char*>& loads) {
  ClassSlots slots{.inputs = inputs, .rates = {}, .joint = {}};
  for (const char* load : loads) slots.rates.push_back(rational(load) / Rational(inputs));
  return slots;
}

std::vector<Packets> buffers(const std::vector<std::int64_t>& sizes) {
  std::vector<Packets> result;
  for (const std::int64_t size : sizes) result.emplace_back(size);
  return result;
}

double loss_of(const ClassSlots& slots, const std::vector<std::int64_t>& higher, std::int64_t own,
               int digits = 10) {
  FiniteClasses classes(slots, buffers(higher), {digits});
  return static_cast<double>(ends(classes.loss(Packets(own)).loss).middle());
}

/// Packets of a slot, and their probability.
using SlotLaw = std::map<Packets1, long double>;

SlotLaw slot_law(const ClassSlots& slots, std::size_t classes) {
  SlotLaw law;
  if (!slots.joint.empty()) {
    for (const queue::ClassPackets& each : slots.joint)
      law[Packets1(each.packets.begin(), each.packets.begin() + static_cast<std::ptrdiff_t>(classes))] +=
          numeric::nearest_double(each.probability);
    return law;
  }
  law[Packets1(classes, 0)] = 1;
  for (std::int64_t input = 0; input < slots.inputs; ++input) {
    SlotLaw next;
    for (const auto& [packets, p] : law) {
      long double none = 1;
      for (std::size_t c = 0; c < classes; ++c) {
        const long double rate = numeric::nearest_double(slots.rates[c]);
        none -= rate;
        Packets1 more = packets;
        ++more[c];
        next[more] += p * rate;
      }
      next[packets] += p * none;
    }
    law = std::move(next);
  }
  return law;
}

/// Fraction of the last class lost: the chain of all contents after arrivals, by Gaussian elimination.
long double loss_of_chain(const SlotLaw& law, const std::vector<std::int64_t>& capacity) {
  std::vector<Packets1> states{Packets1(capacity.size(), 0)};
  std::map<Packets1, std::size_t> place{{states.front(), 0}};
  std::vector<std::vector<std::pair<std::size_t, long double>>> steps;
  std::vector<long double> lost;
  for (std::size_t s = 0; s < states.size(); ++s) {
    Packets1 left = states[s];
    for (std::int64_t& packets : left)
      if (packets > 0) {
        --packets;
        break;
      }
    steps.emplace_back();
    lost.push_back(0);
    for (const auto& [packets, p] : law) {
      Packets1 next = left;
      for (std::size_t c = 0; c < next.size(); ++c) {
        next[c] += packets[c];
        if (next[c] > capacity[c] && c + 1 == next.size())
          lost.back() += p * static_cast<long double>(next[c] - capacity[c]);
        next[c] = std::min(next[c], capacity[c]);
      }
      const auto [found, is_new] = place.try_emplace(next, states.size());
      if (is_new) states.push_back(next);
      steps.back().emplace_back(found->second, p);
    }
  }
  const std::size_t n = states.size();
  std::vector<std::vector<long double>> m(n, std::vector<long double>(n + 1, 0));
  for (std::size_t s = 0; s < n; ++s) {
    m[s][s] -= 1;
    for (const auto& [to, p] : steps[s]) m[to][s] += p;
  }
  m[n - 1].assign(n + 1, 1);
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t best = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(m[r][c]) > std::abs(m[best][c])) best = r;
    std::swap(m[c], m[best]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c || m[r][c] == 0) continue;
      const long double factor = m[r][c] / m[c][c];
      for (std::size_t k = c; k <= n; ++k) m[r][k] -= factor * m[c][k];
    }
  }
  long double losses = 0, load = 0;
  for (std::size_t s = 0; s < n; ++s) losses += m[s][n] / m[s][s] * lost[s];
  for (const auto& [packets, p] : law) load += p * static_cast<long double>(packets.back());
  return losses / load;
}

ClassSlots random_joint(std::mt19937_64& random, std::size_t classes) {
  std::map<Packets1, std::int64_t> weights{
      {Packets1(classes, 0), 40 + static_cast<std::int64_t>(random() % 200)}};
  std::int64_t sum = weights.begin()->second;
  for (int line = 0; line < 6; ++line) {
    Packets1 packets;
    for (std::size_t c = 0; c < classes; ++c) packets.push_back(static_cast<std::int64_t>(random() % 4));
    if (line == 0) packets.back() = 1;
    const std::int64_t weight = 1 + static_cast<std::int64_t>(random() % 60);
    weights[packets] += weight;
    sum += weight;
  }
  ClassSlots slots;
  for (const auto& [packets, weight] : weights)
    slots.joint.push_back({packets, Rational(weight) / Rational(sum)});
  return slots;
}

}  // namespace

TEST_CASE("finite classes: the lower class gains what the higher one loses", "[classes]") {
  const ClassSlots slots = equal_inputs(16, {"0.5", "0.4"});
  CHECK(loss_of(slots, {1}, 1) == Approx(0.31278618202702).epsilon(1e-12));
  CHECK(loss_of(slots, {2}, 2) == Approx(0.20098753345683).epsilon(1e-12));
  CHECK(loss_of(slots, {5}, 5) == Approx(0.07918952419880).epsilon(1e-12));
  // Without loss in the higher class that of infinite buffers, an upper bound.
  CHECK(loss_of(slots, {200}, 5) == Approx(0.0799364334).epsilon(1e-8));
  CHECK(loss_of(slots, {1}, 0) == 1);
  FiniteClasses after_one(slots, buffers({1}));
  CHECK(after_one.min_buffer_size(rational("0.35")).level == 1);
  CHECK(after_one.min_buffer_size(rational("0.3")).level == 2);
}

TEST_CASE("finite classes: overload", "[classes]") {
  const ClassSlots slots = equal_inputs(16, {"0.6", "0.6"});
  CHECK(loss_of(slots, {1}, 1) == Approx(0.44456574217116).epsilon(1e-12));
  CHECK(loss_of(slots, {3}, 3) == Approx(0.38462326917812).epsilon(1e-12));
  CHECK(loss_of(slots, {10}, 10) == Approx(0.33691593307600).epsilon(1e-12));
  FiniteClasses classes(slots, buffers({10}));
  CHECK(classes.min_buffer_size(rational("0.34")).level > 1);
  CHECK_THROWS_AS(classes.min_buffer_size(rational("0.3")), NoAnswer);  // 1/3 is lost with any buffer
}

TEST_CASE("finite classes: losses against the chain of all classes", "[classes]") {
  std::mt19937_64 random(20261128);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t classes = 1 + random() % 4;
    std::vector<std::int64_t> capacity;
    for (std::size_t c = 0; c < classes; ++c)
      capacity.push_back(static_cast<std::int64_t>(random() % (classes == 4 ? 3 : 5)));
    capacity.back() = std::max<std::int64_t>(capacity.back(), 1);
    ClassSlots slots;
    if (trial % 2 == 0) {
      slots = random_joint(random, classes);
    } else {
      slots.inputs = 1 + static_cast<std::int64_t>(random() % 5);
      for (std::size_t c = 0; c < classes; ++c)
        slots.rates.push_back(Rational(1 + static_cast<std::int64_t>(random() % 20)) / 100);
    }
    const long double expected = loss_of_chain(slot_law(slots, classes), capacity);
    const std::int64_t own = capacity.back();
    const std::vector<std::int64_t> higher(capacity.begin(), capacity.end() - 1);
    INFO("trial " << trial << ", " << classes << " classes");
    if (expected < 1e-6L) continue;  // the elimination loses digits
    CHECK(loss_of(slots, higher, own) == Approx(static_cast<double>(expected)).epsilon(1e-9));
    if (trial % 10 == 0)
      CHECK(loss_of(slots, higher, own, 40) == Approx(static_cast<double>(expected)).epsilon(1e-9));
  }
}

TEST_CASE("finite classes: a class that is never served loses all", "[classes]") {
  ClassSlots slots;
  slots.joint = {{{1, 1}, rational("1/2")}, {{2, 0}, rational("1/2")}};
  FiniteClasses classes(slots, buffers({3}));
  CHECK(std::get<numeric::Exact<unit::Probability>>(classes.loss(Packets(5)).loss).value == 1);
}

TEST_CASE("finite classes: deep higher buffers, and too many states", "[classes]") {
  // Buffers with many states: their loss hardly matters, so that bounds with fewer states agree.
  const ClassSlots two = equal_inputs(16, {"0.6", "0.25"});
  CHECK(loss_of(two, {1000}, 12) == Approx(loss_of(two, {100}, 12)).epsilon(1e-10));
  // Three buffers of 30 packets with batches of 64: an upper bound, and called so.
  const ClassSlots four = equal_inputs(64, {"0.3", "0.3", "0.2", "0.1"});
  const auto bound = FiniteClasses(four, buffers({30, 30, 30})).loss(Packets(10)).loss;
  CHECK(std::get<numeric::UpperBound<unit::Probability>>(bound).value > loss_of(four, {1, 1, 1}, 10));
}
