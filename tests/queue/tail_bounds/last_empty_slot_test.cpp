#include <tailbound/core/error.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/tail_bounds/burst_bound.hpp>
#include <tailbound/queue/tail_bounds/train_bound.hpp>

#include <catch2/catch.hpp>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>
#include <tests/support/switch_inputs.hpp>

using namespace tailbound;
using queue::LastEmptySlot;
using queue::MarkovArrivals;
using queue::MarkovQueue;
using queue::OnOffGroup;
using queue::SourceBound;
using queue::SourceChain;
using tailbound::test::middle;
using tailbound::test::rational;
using test::on_off_sources;
using Of = LastEmptySlot::Of;

namespace {

using Polynomial = std::vector<long double>;  // by the packets of some slots

Polynomial product(const Polynomial& x, const Polynomial& y, std::size_t maximum) {
  Polynomial z(std::min(x.size() + y.size() - 1, maximum + 1));
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < y.size() && i + j < z.size(); ++j) z[i + j] += x[i] * y[j];
  return z;
}

/// sum over N <= most of E[f; n + N packets in N slots; none came before], f = 1 or (A - 1)^+ of the last
/// slot's packets A, by polynomials of each source, expanded; only positive numbers are added.
long double plain_sum(const std::vector<SourceChain>& chains, Of of, std::size_t n, std::size_t maximum) {
  struct State {
    std::vector<Polynomial> now;
  };
  std::vector<State> states;
  for (const SourceChain& chain : chains) {
    State& state = states.emplace_back();
    state.now.assign(chain.stationary.size(), {0});
    for (const SourceChain::Step& step : chain.steps)
      state.now[static_cast<std::size_t>(step.to)][0] +=
          static_cast<long double>(chain.stationary[static_cast<std::size_t>(step.from)]) * step.probability *
          (step.sends ? chain.quiet : 1);
  }
  long double sum = 0;
  for (std::size_t slots = 1; slots <= maximum; ++slots) {
    // [a]: over all sources, with a packets in the last slot
    std::vector<Polynomial> all{{1}};
    for (std::size_t c = 0; c < chains.size(); ++c) {
      const SourceChain& chain = chains[c];
      std::vector<Polynomial> next(chain.stationary.size(), Polynomial(slots + 1));
      Polynomial none(slots + 1), one(slots + 1);
      for (const SourceChain::Step& step : chain.steps) {
        const Polynomial& from = states[c].now[static_cast<std::size_t>(step.from)];
        for (std::size_t i = 0; i < from.size(); ++i) {
          const long double mass = from[i] * step.probability;
          const long double sent = step.sends ? mass * chain.rate : 0;
          const long double quiet = step.sends ? mass * chain.quiet : mass;
          next[static_cast<std::size_t>(step.to)][i] += quiet;
          none[i] += quiet;
          if (step.sends) {
            next[static_cast<std::size_t>(step.to)][i + 1] += sent;
            one[i + 1] += sent;
          }
        }
      }
      states[c].now = std::move(next);
      for (std::int64_t source = 0; source < chain.count; ++source) {
        std::vector<Polynomial> more(all.size() + 1, Polynomial{0});
        const auto add = [](Polynomial& to, const Polynomial& what) {
          if (to.size() < what.size()) to.resize(what.size());
          for (std::size_t i = 0; i < what.size(); ++i) to[i] += what[i];
        };
        for (std::size_t a = 0; a < all.size(); ++a) {
          add(more[a], product(all[a], none, n + slots));
          add(more[a + 1], product(all[a], one, n + slots));
        }
        all = std::move(more);
      }
    }
    for (std::size_t a = 0; a < all.size(); ++a)
      if (n + slots < all[a].size())
        sum += all[a][n + slots] * (of == Of::tail ? 1 : a < 2 ? 0 : static_cast<long double>(a - 1));
  }
  return sum;
}

struct Case {
  OnOffGroup group;
  double tail, loss;  ///< maximum ratio of bound to true value
};

std::vector<Case> switches() {
  return {{on_off_sources(4, "0.6", "16", "1", rational("1/4")), 1.4, 1.8},
          {on_off_sources(6, "0.5", "8", "1", rational("1/6")), 1.2, 1.5},
          {on_off_sources(4, "0.8", "4", "1", rational("1/4")), 1.22, 2.5},
          {on_off_sources(16, "0.25", "16", "1", rational("1/16")), 1.04, 1.1},
          {on_off_sources(4, "0.1", "16", "1", rational("1/4")), 1.005, 1.03},
          {on_off_sources(5, "0.12", "10/3", "1", rational("1/5")), 1.007, 1.11},
          {on_off_sources(16, "0.1", "4", "1", rational("1/16")), 1.006, 1.1},
          {on_off_sources(8, "0.9", "32", "1", rational("1/8")), 1.1, 1.7},
          {on_off_sources(4, "0.95", "20", "1", rational("1/4")), 1.05, 1.8},
          {on_off_sources(8, "0.4", "16", "1/2", rational("1/8")), 1.5, 2.1},
          {on_off_sources(8, "0.1", "16", "1/2", rational("1/8")), 1.35, 1.8},
          {on_off_sources(16, "3/80", "4", "1/16", rational("1")), 1.45, 2.5},
          {on_off_sources(16, "3/80", "64", "1/16", rational("1")), 2, 4.5}};
}

}  // namespace

TEST_CASE("last empty slot: bound / true value is 1 to 3 for per-burst destinations",
          "[queue][last_empty_slot]") {
  for (const auto& [group, max_tail, max_loss] : switches()) {
    const MarkovArrivals arrivals = MarkovArrivals::on_off(std::vector<OnOffGroup>{group});
    auto bound = queue::source_bound(arrivals);
    REQUIRE(bound);
    MarkovQueue queue(arrivals, {6});
    for (const std::int64_t n : {100, 30, 10, 5, 2, 1}) {
      INFO(group.count << " sources, n = " << n << ", load " << numeric::to_fraction(arrivals.load()));
      const long double tail = middle(queue.tail(n)), loss = middle(queue.loss(n));
      CHECK(static_cast<double>(bound->tail(n).value) >= tail);
      CHECK(static_cast<double>(bound->tail(n).value) <= max_tail * tail);
      CHECK(static_cast<double>(bound->loss(n).value) >= loss);
      CHECK(static_cast<double>(bound->loss(n).value) <= max_loss * loss);
    }
  }
}

TEST_CASE("last empty slot: sums over the circle bound polynomial sums from above",
          "[queue][last_empty_slot]") {
  const std::vector<std::vector<OnOffGroup>> models{{on_off_sources(3, "0.5", "3", "1", rational("1/3"))},
                                                    {on_off_sources(3, "0.2", "4", "1/2", rational("1/2"))},
                                                    {on_off_sources(2, "0.2", "2", "1", rational("1"))},
                                                    {on_off_sources(2, "0.2", "2", "1", rational("1/2")),
                                                     on_off_sources(1, "0.1", "2", "0.4", rational("1"))}};
  std::vector<std::pair<std::vector<SourceChain>, numeric::Rational>> all;
  for (const std::vector<OnOffGroup>& groups : models)
    all.emplace_back(queue::source_chains(groups), MarkovArrivals::on_off(groups).load());
  const queue::Trains trains{.inputs = 3,
                             .load = rational("0.4"),
                             .cells = traffic::PacketSizes::of_list("1:1,3:2", "test").cells(1)};
  all.emplace_back(std::vector<SourceChain>{queue::source_chain(trains)}, rational("0.4"));
  for (std::size_t m = 0; m < all.size(); ++m) {
    const auto& [chains, load] = all[m];
    const double decay = static_cast<double>(
        m < models.size() ? queue::burst_bound(MarkovArrivals::on_off(models[m]))->decay_rate().value
                          : queue::train_bound(trains).decay_rate().value);
    for (const Of of : {Of::tail, Of::loss}) {
      const auto sums = LastEmptySlot::upto(chains, of, decay, load, 12);
      REQUIRE(sums);
      for (const std::int64_t n : {1, 2, 6, 12}) {
        INFO("model " << m << ", loss " << (of == Of::loss) << ", n = " << n);
        long double expected = plain_sum(chains, of, static_cast<std::size_t>(n), 160);
        const long double rho = numeric::nearest_long_double(load);
        if (of == Of::loss) expected /= rho;
        if (m == 2) {  // no packet: OFF, so the probability of an empty queue is known
          long double empty = 1;
          for (const SourceChain& chain : chains)
            for (std::int64_t i = 0; i < chain.count; ++i) empty *= chain.stationary[0];
          expected *= (1 - rho) / empty;
        }
        const auto bound = static_cast<long double>(sums->bound(n));
        CHECK(bound >= expected * (1 - 1e-9L));
        CHECK(bound <= expected * (1 + 1e-3L));
      }
    }
  }
}

TEST_CASE("last empty slot: sources of this queue only with on-rate 1 give three exact digits",
          "[queue][last_empty_slot]") {
  for (const OnOffGroup& group : {on_off_sources(3, "0.2", "5", "1", rational("1")),
                                  on_off_sources(8, "0.1", "3", "1", rational("1"))}) {
    const MarkovArrivals arrivals = MarkovArrivals::on_off(std::vector<OnOffGroup>{group});
    auto bound = queue::source_bound(arrivals);
    MarkovQueue queue(arrivals);
    for (const std::int64_t n : {60, 20, 5, 1}) {
      const long double truth = middle(queue.tail(n));
      CHECK(static_cast<double>(bound->tail(n).value) >= truth);
      CHECK(static_cast<double>(bound->tail(n).value) <= 1.001 * truth);
    }
  }
}

TEST_CASE("last empty slot: minimum level and capacity of the bound", "[queue][last_empty_slot]") {
  const std::vector<OnOffGroup> groups{on_off_sources(64, "0.3", "8", "1", rational("1/64"))};
  auto bound = queue::source_bound(MarkovArrivals::on_off(groups));
  REQUIRE(bound);
  const numeric::Rational target = rational("1e-9");
  const std::int64_t level = bound->min_level(target), capacity = bound->min_capacity(target);
  CHECK(level < bound->exponential().min_level(target));
  CHECK(numeric::compare(bound->tail(level).value, target) <= 0);
  CHECK(numeric::compare(bound->tail(level - 1).value, target) > 0);
  CHECK(numeric::compare(bound->loss(capacity).value, target) <= 0);
  CHECK(numeric::compare(bound->loss(capacity - 1).value, target) > 0);
  CHECK(bound->min_level(rational("0.9")) == 0);
}

TEST_CASE("last empty slot: slow cases use the exponential bound", "[queue][last_empty_slot]") {
  auto bound =
      queue::source_bound(MarkovArrivals::on_off({on_off_sources(8, "0.5", "1e6", "1", rational("1/8"))}));
  REQUIRE(bound);
  CHECK(bound->tail(1'000'000).value == bound->exponential().tail(1'000'000).value);
  CHECK(bound->min_level(rational("1e-9")) == bound->exponential().min_level(rational("1e-9")));
  auto one = queue::source_bound(MarkovArrivals::on_off({on_off_sources(1, "0.5", "8", "1", rational("1"))}));
  CHECK(one->tail(3).value == 0);
  CHECK_FALSE(queue::source_bound(MarkovArrivals::blocks({{{rational("0.5")}}, {{rational("0.5")}}})));
  traffic::OnOff endless = traffic::on_off(rational("0.3"), {4});
  endless.stop = 0;
  CHECK_THROWS_AS(queue::source_chains({{.source = endless, .share = rational("1/2")}}), InvalidArgument);
}
