#include <tailbound/core/error.hpp>
#include <tailbound/queue/delay/markov_delay.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/on_off/modal_blocks.hpp>
#include <tailbound/queue/on_off/on_off_blocks.hpp>
#include <tailbound/queue/on_off/on_off_candidate.hpp>
#include <tailbound/queue/passage/finite_passage.hpp>
#include <tailbound/queue/passage/wide.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/ends.hpp>
#include <tests/support/finite_chain.hpp>
#include <tests/support/fraction.hpp>
#include <tests/support/markov_chain.hpp>
#include <tests/support/random_models.hpp>
#include <tests/support/rational.hpp>

using namespace tailbound;
using namespace tailbound::test;
using queue::MarkovArrivals;
using queue::MarkovQueue;
using queue::OnOffGroup;
using tailbound::test::rational;
using traffic::OnOff;

namespace {

template <class Unit>
Ends proved_ends(const numeric::Proved<Unit>& proved) {
  return std::visit([](const auto& truth) { return ends(numeric::Claim<Unit>(truth)); }, proved);
}

/// The source of an input of a switch with `share` ports, as seen by one output.
OnOff source(const char* load, const char* burst, std::int64_t share, const char* on_rate = "1") {
  return traffic::thinned(traffic::on_off(rational(load), {rational(burst), rational(on_rate)}),
                          numeric::Rational(1) / numeric::Rational(static_cast<long>(share)));
}

MarkovArrivals inputs(std::int64_t count, const char* load, const char* burst, const char* on_rate = "1") {
  return MarkovArrivals::on_off({{source(load, burst, count, on_rate), count}});
}

long double in_double(const Fraction& value) {
  return static_cast<long double>(value);
}

}  // namespace

TEST_CASE("bursty sources at radix 32: the published example", "[queue][markov][reference]") {
  MarkovQueue queue(inputs(32, "0.6", "16"));
  REQUIRE(queue.certified());
  const std::pair<const char*, std::int64_t> buffers[] = {
      {"1e-6", 16}, {"1e-9", 24}, {"1e-12", 33}, {"1e-15", 41}};
  for (const auto& [target, buffer] : buffers) {
    INFO(target);
    CHECK(queue.min_level(rational(target)) == buffer);
    const Fraction bar = parse_decimal(target);
    CHECK(ends(queue.tail(buffer)).upper <= bar);
    CHECK(ends(queue.tail(buffer - 1)).lower > bar);
    CHECK(ends(queue.tail(buffer)).narrow(10));
  }
  const std::tuple<std::int64_t, const char*, const char*> tails[] = {{6, "3.32165e-3", "3.32175e-3"},
                                                                      {12, "2.07885e-5", "2.07895e-5"}};
  for (const auto& [level, minimum, maximum] : tails) {
    const Ends tail = ends(queue.tail(level));
    INFO(level << " " << tail.text());
    CHECK(tail.lower >= parse_decimal(minimum));
    CHECK(tail.upper <= parse_decimal(maximum));
    CHECK(tail.narrow(10));
  }
}

TEST_CASE("uncorrelated sources give the slotted queue", "[queue][markov][slotted]") {
  Random random(61);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t count = i < 32 ? i + 1 : random.between(1, 32);
    const Fraction load(Whole(random.between(1, 97)), Whole(100));
    const Fraction each = load / count;
    // On-rates from the load itself (exclusive) to 1: ON with probability each / rate, slot by slot.
    const Fraction rate = each + (1 - each) * Fraction(Whole(random.between(1, 20)), Whole(20));
    const OnOff memoryless{.load = to_rational(each),
                           .on_rate = to_rational(rate),
                           .start = to_rational(each / rate),
                           .stop = to_rational(1 - each / rate)};
    const int digits = i % 4 == 0 && count <= 12 ? 25 : 12;
    MarkovQueue bursty(MarkovArrivals::on_off({{memoryless, count}}), {digits});
    const queue::SlottedQueue slotted{series::Arrivals::equal_inputs(count, to_rational(load))};
    for (const std::int64_t level :
         {std::int64_t{0}, std::int64_t{1}, random.between(2, 9), random.between(10, 60)}) {
      const Ends one = ends(bursty.tail(level));
      const Ends other = proved_ends(queue::occupancy_tail(slotted, Packets(level), {{digits}}).probability);
      INFO(count << " sources, load " << load << ", on-rate " << rate << ", level " << level << " "
                 << one.text() << " " << other.text());
      CHECK(one.meets(other));
      CHECK(one.narrow(digits));
      CHECK(other.narrow(digits));
    }
    const Ends mean = ends(bursty.mean_occupancy());
    CHECK(mean.meets(proved_ends(queue::mean_occupancy(slotted, {digits}))));
    CHECK(mean.narrow(digits));
    if (count > 1) {
      const auto one = bursty.decay_rate();
      const auto other = queue::decay_rate(slotted, {digits});
      REQUIRE(one);
      REQUIRE(other);
      CHECK(one->lower() <= other->upper());
      CHECK(other->lower() <= one->upper());
    }
  }
}

namespace {

/// Small queues in both forms: one source, two equal and two unequal ones, three kinds, blocks.
struct SmallQueue {
  MarkovArrivals arrivals;
  PlainBlocks<Fraction> blocks;
};

std::vector<SmallQueue> small_queues() {
  const OnOff steady = source("0.3", "3", 1), fast = source("0.6", "5", 2, "0.9"),
              slow = source("0.2", "7/2", 1, "1/2"), rare = source("0.05", "3", 1);
  std::vector<SmallQueue> queues;
  const auto add = [&](std::vector<OnOffGroup> groups, const std::vector<OnOff>& sources) {
    queues.push_back({MarkovArrivals::on_off(std::move(groups)), product_blocks(sources)});
  };
  add({{steady, 1}}, {steady});
  add({{steady, 2}}, {steady, steady});
  add({{fast, 2}}, {fast, fast});
  add({{steady, 1}, {slow, 1}}, {steady, slow});
  add({{fast, 1}, {rare, 2}}, {fast, rare, rare});
  PlainBlocks<Fraction> blocks = {{{Fraction(1, 2), Fraction(1, 5)}, {0, Fraction(1, 3)}},
                                  {{Fraction(1, 10), 0}, {Fraction(1, 6), Fraction(1, 6)}},
                                  {{Fraction(1, 10), 0}, {0, 0}},
                                  {{0, Fraction(1, 10)}, {Fraction(1, 3), 0}}};
  queues.push_back({MarkovArrivals::blocks(to_rational(blocks)), blocks});
  return queues;
}

/// Levels `first` .. `last`, chains up to `top`: minimum and maximum P(Q = n) over all phases in which
/// excursions above `top` can return. In reality the return phase is random, so the distribution is that of a
/// chain whose rows are mixtures; a ratio of two stationary probabilities has its extremes at an unmixed
/// choice.
template <class T>
std::vector<std::pair<T, T>> law_by_returns(const SmallQueue& small, std::int64_t top) {
  const PlainBlocks<T> blocks = convert<T>(small.blocks);
  const std::size_t phases = blocks.front().size();
  const T idle = static_cast<T>(Fraction(1 - fraction_of(small.arrivals.load())));
  std::vector<std::pair<T, T>> bounds;
  std::vector<std::size_t> back(phases, 0);
  for (bool more = true; more;) {
    const auto law = chain_law(blocks, top, back);
    const auto mass = [&](std::size_t n) {
      T sum(0);
      for (const T& value : law[n]) sum += value;
      return sum;
    };
    const T empty = mass(0);
    for (std::size_t n = 0; n < law.size(); ++n) {
      const T value = idle * mass(n) / empty;
      if (n == bounds.size()) bounds.emplace_back(value, value);
      bounds[n] = {std::min(bounds[n].first, value), std::max(bounds[n].second, value)};
    }
    more = false;
    for (std::size_t j = 0; j < phases && !more; ++j) {
      back[j] = (back[j] + 1) % phases;
      more = back[j] != 0;
    }
  }
  return bounds;
}

}  // namespace

TEST_CASE("losses of small queues, exactly", "[queue][markov][exact]") {
  int number_of_queue = 0;
  for (const SmallQueue& small : small_queues()) {
    for (const int digits : {10, 30}) {
      MarkovQueue queue(small.arrivals, {digits});
      for (const std::int64_t capacity : {1, 2, 3, 4, 6}) {
        const Fraction exact = chain_loss(small.blocks, capacity);
        const Ends loss = ends(queue.loss(capacity));
        INFO("queue " << number_of_queue << " capacity " << capacity << " " << loss.text() << " exact "
                      << Float100(exact).str(40));
        CHECK(loss.contains(exact));
        CHECK(loss.narrow(digits));
      }
      CHECK(ends(queue.loss(0)).contains(1));
      CHECK(ends(queue.loss(0)).narrow(60));
    }
    ++number_of_queue;
  }
}

TEST_CASE("occupancies of small queues between exact chains", "[queue][markov][exact]") {
  int number_of_queue = 0;
  for (const SmallQueue& small : small_queues()) {
    MarkovQueue queue(small.arrivals, {10});
    INFO("queue " << number_of_queue++);
    const bool never_waits = small.blocks.size() == 2;
    // A buffer of 9 in rationals: a lower bound of tails for any behaviour beyond; returns bound both sides.
    const auto finite = chain_law(small.blocks, 9);
    Fraction finite_tail = 1;
    for (std::size_t n = 0; n + 1 < finite.size(); ++n) {
      for (const Fraction& value : finite[n]) finite_tail -= value;
      const Ends tail = ends(queue.tail(static_cast<std::int64_t>(n)));
      INFO("level " << n << " " << tail.text());
      CHECK(tail.upper >= finite_tail);
    }
    if (small.blocks.front().size() <= 3) {
      const auto exact = law_by_returns<Fraction>(small, 5);
      for (std::size_t n = 0; n < exact.size(); ++n) {
        const Ends here = ends(queue.probability(static_cast<std::int64_t>(n)));
        CHECK(here.meets({exact[n].first, exact[n].second}));
        if (never_waits) CHECK(here.contains(exact[n].first));
      }
    }
    // The same with 100 digits and a buffer of 60: both sides are then practically equal.
    if (small.blocks.front().size() > 4) continue;
    MarkovQueue fine(small.arrivals, {20});
    const auto close = law_by_returns<Float100>(small, 60);
    for (std::size_t n = 0; n < 12; ++n) {
      const auto exact_fraction = [](const Float100& value) {
        Fraction fraction;
        mpfr_get_q(fraction.backend().data(), value.backend().data());
        return fraction;
      };
      const Fraction margin = power_of_ten(-90);
      const Ends between{exact_fraction(close[n].first) * (1 - margin),
                         exact_fraction(close[n].second) * (1 + margin)};
      const Ends here = ends(fine.probability(static_cast<std::int64_t>(n)));
      INFO("level " << n << " " << here.text() << " " << between.text());
      if (!never_waits || n < 2) CHECK(between.narrow(n < 6 ? 8 : 6));
      CHECK(here.meets(between));
      CHECK(here.narrow(20));
    }
  }
}

namespace {

/// The distribution of a chain so high that its top level has a probability below 1e-55; empty if that takes
/// too long. The truncation error of a level with more than 1e-30 below it comes from excursions to the top:
/// about 1e-55 / 1e-30.
std::vector<std::vector<long double>> long_law(const MarkovModel& model, double max_steps) {
  const auto blocks = convert<long double>(model.blocks);
  const auto phases = static_cast<double>(blocks.front().size()), batch = static_cast<double>(blocks.size());
  for (std::int64_t top = 60; 2 * phases * phases * phases * batch * static_cast<double>(top) < max_steps;
       top *= 2) {
    auto law = chain_law(blocks, top);
    long double last = 0;
    for (const long double value : law.back()) last += value;
    if (last < 1e-55L) return law;
  }
  return {};
}

/// As in the queue, but rounding to nearest, with all phases visible.
queue::Passage<long double> plain_passage(const MarkovModel& model, const std::vector<long double>& idle) {
  queue::Blocks<long double> blocks;
  const auto phases = static_cast<Eigen::Index>(model.blocks.front().size());
  for (const auto& rows : convert<long double>(model.blocks)) {
    queue::Matrix<long double> d(phases, phases);
    for (Eigen::Index i = 0; i < phases; ++i)
      for (Eigen::Index j = 0; j < phases; ++j)
        d(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    blocks.d.push_back(d);
    blocks.first_row.push_back(0);
  }
  blocks.ones = queue::Column<long double>::Ones(phases);
  const queue::Outward<long double> nearest(queue::Side::nearest, 64);
  auto passage = queue::Passage<long double>::make(
      blocks, queue::cyclic_reduction(blocks, 1.0L, nearest.unit()), nearest);
  REQUIRE(passage);
  const auto stationary = queue::stationary(passage->g(), 0, nearest);
  REQUIRE(stationary);
  const long double all = in_double(1 - fraction_of(model.arrivals.load()));
  passage->start(*stationary * (all / stationary->sum()));
  // pi_0 = (1 - rho) g.
  for (Eigen::Index i = 0; i < phases; ++i)
    CHECK(apart(passage->levels()[0](i), idle[static_cast<std::size_t>(i)]) < 1e-12);
  return *std::move(passage);
}

/// \param count  random queues, a multiple of 10
void require_long_chains(int count) {
  Random random(62);
  int checked = 0, omitted = 0, doubled = 0;
  std::size_t levels = 0;
  while (checked < count) {
    const MarkovModel model = checked % 3 == 2 ? test::random_blocks(random) : random_on_off(random);
    const auto law = long_law(model, 2e7);
    if (law.empty()) {
      ++omitted;
      REQUIRE(omitted < 2 * count);
      continue;
    }
    INFO(model.text);
    MarkovQueue queue(model.arrivals, {13});
    auto passage = plain_passage(model, law[0]);
    long double left = 1;
    double worst = 0, worst_phase = 0;
    std::size_t n = 0;
    for (; n < law.size(); ++n) {
      long double mass = 0;
      for (const long double value : law[n]) mass += value;
      if (mass < 1e-30L) break;
      const Ends here = ends(queue.probability(static_cast<std::int64_t>(n)));
      worst = std::max({worst, apart(in_double(here.lower), mass), apart(in_double(here.upper), mass)});
      if (n > 0) passage.push();
      for (std::size_t i = 0; i < law[n].size(); ++i)
        if (law[n][i] > 1e-30L)
          worst_phase =
              std::max(worst_phase, apart(passage.levels()[n](static_cast<Eigen::Index>(i)), law[n][i]));
      left -= mass;
    }
    levels += n;
    CHECK(n > 1);
    CHECK(worst < 1e-12);
    CHECK(worst_phase < 1e-12);
    CHECK(std::abs(left) < 1e-15L);
    // Doubling the buffer changes nothing: the truncation has no effect that far up.
    if (++checked % 10 == 0 && law.size() < 300) {
      ++doubled;
      const auto more = chain_law(convert<long double>(model.blocks), 2 * std::ssize(law));
      double change = 0;
      for (std::size_t level = 0; level < n; ++level)
        for (std::size_t i = 0; i < law[level].size(); ++i)
          if (law[level][i] > 0) change = std::max(change, apart(law[level][i], more[level][i]));
      CHECK(change < 1e-14);
    }
  }
  CHECK(doubled >= count / 20);
  CHECK(levels > static_cast<std::size_t>(10 * count));
}

}  // namespace

TEST_CASE("stationary vectors agree with long chains solved state by state", "[queue][markov][chain]") {
  require_long_chains(25);
}

TEST_CASE("stationary vectors agree with 200 long chains solved state by state",
          "[queue][markov][chain][.full]") {
  require_long_chains(200);
}

TEST_CASE("many sources tend to Poisson arrivals as 1 / m", "[queue][markov][poisson]") {
  const queue::SlottedQueue poisson{series::Arrivals::poisson(rational("0.6"))};
  std::vector<double> differences[2];
  const std::int64_t levels[] = {3, 12};
  for (const std::int64_t count : {256, 1024, 4096}) {
    MarkovQueue queue(inputs(count, "0.6", "4"));
    CHECK_FALSE(queue.certified());
    for (std::size_t i = 0; i < 2; ++i) {
      const auto tail = approximated(queue.tail(levels[i]));
      CHECK(tail.agreed_digits >= 8);
      const Ends limit = proved_ends(queue::occupancy_tail(poisson, Packets(levels[i])).probability);
      differences[i].push_back(
          static_cast<double>(static_cast<long double>(tail.value) / in_double(limit.lower) - 1));
    }
  }
  for (const auto& each : differences) {
    INFO(each[0] << " " << each[1] << " " << each[2]);
    CHECK(std::abs(each[0]) > 1e-4);
    CHECK(each[0] / each[1] == Approx(4).epsilon(0.1));
    CHECK(each[1] / each[2] == Approx(4).epsilon(0.03));
  }
}

namespace {

/// Tails and losses with a number of modes.
struct Modal {
  Modal(const OnOff& source, std::int64_t count, Eigen::Index modes)
      : blocks(queue::modal_blocks(source, count, modes)), nearest(queue::Side::nearest, 64) {
    passage = queue::Passage<long double>::make(blocks, queue::cyclic_reduction(blocks, 1.0L, nearest.unit()),
                                                nearest);
    load = in_double(fraction_of(source.load) * count);
    passage->start(*queue::stationary(passage->g(), 0, nearest) * (1 - load));
  }
  long double tail(std::size_t level) {
    while (passage->levels().size() <= level) passage->push();
    return passage->tail(level);
  }
  long double loss(std::size_t capacity) {
    queue::FinitePassage<long double> finite(blocks, nearest);
    const auto sums = *finite.sums(capacity, 0);
    return sums.lost / (sums.mass * load);
  }
  queue::Blocks<long double> blocks;
  queue::Outward<long double> nearest;
  std::optional<queue::Passage<long double>> passage;
  long double load = 0;
};

/// Lower and upper bounds of tails for more sources than MarkovQueue proves itself.
struct Proof {
  Proof(const OnOff& source, std::int64_t count) {
    const auto blocks = queue::on_off_blocks<long double>(source, count);
    const auto candidates =
        queue::on_off_candidates(source, count, queue::excess_of<queue::Passage<long double>>(blocks, 64),
                                 queue::candidate_bits(count));
    REQUIRE(candidates);
    for (const queue::Side side : {queue::Side::below, queue::Side::above}) {
      auto passage = queue::Passage<long double>::make(blocks, (*candidates)[side],
                                                       queue::Outward<long double>(side, 64));
      REQUIRE(passage);
      sides.push_back(*std::move(passage));
    }
    Eigen::Index reference = 0;
    queue::stationary(sides[0].g(), 0, queue::Outward<long double>(queue::Side::nearest, 64))
        ->maxCoeff(&reference);
    const auto below = *queue::stationary(sides[0].g(), reference, sides[0].outward());
    const auto above = *queue::stationary(sides[1].g(), reference, sides[1].outward());
    const long double idle = in_double(1 - fraction_of(source.load) * count);
    const double n = static_cast<double>(count + 1);
    sides[0].start(below * (idle / above.sum() * sides[0].outward().factor(n + 5)));
    sides[1].start(above * (idle / below.sum() * sides[1].outward().factor(n + 5)));
  }
  std::pair<long double, long double> tail(std::size_t level) {
    for (auto& side : sides)
      while (side.levels().size() <= level) side.push();
    return {sides[0].tail(level), sides[1].tail(level)};
  }
  std::vector<queue::Passage<long double>> sides;
};

}  // namespace

TEST_CASE("spectral approximation agrees with certified values", "[queue][markov][modal]") {
  for (const auto& [count, burst] : {std::pair{40L, "16"}, std::pair{64L, "6"}, std::pair{64L, "40"}}) {
    const OnOff each = source("0.7", burst, count);
    MarkovQueue certified(MarkovArrivals::on_off({{each, count}}), {12});
    REQUIRE(certified.certified());
    Modal modal(each, count, 36);
    for (const std::size_t level : {0U, 1U, 5U, 20U, 50U}) {
      const Ends tail = ends(certified.tail(static_cast<std::int64_t>(level)));
      INFO(count << " sources, burst " << burst << ", level " << level << " " << tail.text() << " "
                 << static_cast<double>(modal.tail(level)));
      CHECK(apart(modal.tail(level), in_double(tail.lower)) < 1e-12);
    }
    const Ends loss = ends(certified.loss(12));
    INFO(loss.text() << " " << static_cast<double>(modal.loss(12)));
    CHECK(apart(modal.loss(12), in_double(loss.lower)) < 1e-12);
  }
}

TEST_CASE("approximations are accurate to their stated digits", "[queue][markov][modal]") {
  for (const auto& [count, burst] : {std::pair{65L, "16"}, std::pair{80L, "50"}, std::pair{100L, "8"}}) {
    const OnOff each = source("0.6", burst, count);
    Proof proof(each, count);
    for (const int digits : {4, 10, 15}) {
      MarkovQueue queue(MarkovArrivals::on_off({{each, count}}), {digits});
      REQUIRE_FALSE(queue.certified());
      for (const std::int64_t level : {0, 2, 10, 40}) {
        const auto tail = approximated(queue.tail(level));
        const auto [lower, upper] = proof.tail(static_cast<std::size_t>(level));
        INFO(count << " sources, burst " << burst << ", level " << level << ", " << digits
                   << " digits: " << tail.value.str(25) << " agreed " << tail.agreed_digits << " ["
                   << static_cast<double>(lower) << ", +" << static_cast<double>((upper - lower) / lower));
        CHECK((upper - lower) / lower < 1e-9L);
        CHECK(tail.agreed_digits >= digits);
        const long double allowed = std::pow(10.0L, -tail.agreed_digits) + (upper - lower) / lower + 1e-16L;
        CHECK(apart(static_cast<long double>(tail.value), lower) <= static_cast<double>(allowed));
      }
    }
  }
  // A thousand sources against more modes than the queue uses.
  const OnOff each = source("0.8", "30", 1000);
  MarkovQueue queue(MarkovArrivals::on_off({{each, 1000}}), {10});
  Modal more(each, 1000, 60);
  for (const std::int64_t level : {1, 10, 60}) {
    const auto tail = approximated(queue.tail(level));
    CHECK(tail.agreed_digits >= 10);
    CHECK(apart(static_cast<long double>(tail.value), more.tail(static_cast<std::size_t>(level))) <
          std::pow(10.0, -std::min(tail.agreed_digits, 14)));
  }
}

TEST_CASE("longer bursts never need a smaller buffer", "[queue][markov][burst]") {
  Random random(63);
  for (int i = 0; i < 40; ++i) {
    const std::int64_t count = random.between(2, 12), load = random.between(10, 85);
    const std::int64_t shorter = random.between(60, 300), longer = shorter + random.between(1, 1000);
    const auto of = [&](std::int64_t burst) {
      return MarkovQueue(
          inputs(count, (std::to_string(load) + "/100").c_str(), (std::to_string(burst) + "/10").c_str()),
          {8});
    };
    MarkovQueue one = of(shorter), two = of(longer);
    INFO(count << " sources, load " << load << "/100, bursts " << shorter << "/10 and " << longer << "/10");
    for (const char* target : {"1e-3", "1e-9"}) {
      CHECK(one.min_level(rational(target)) <= two.min_level(rational(target)));
      CHECK(one.min_capacity(rational(target)) <= two.min_capacity(rational(target)));
    }
    CHECK(ends(one.mean_occupancy()).lower <= ends(two.mean_occupancy()).upper);
  }
}

TEST_CASE("occupancies, tails, mean and losses are consistent", "[queue][markov][identities]") {
  Random random(64);
  for (int i = 0; i < 40; ++i) {
    const MarkovModel model = i % 2 == 0 ? random_on_off(random) : test::random_blocks(random);
    INFO(model.text);
    MarkovQueue queue(model.arrivals, {12});
    const Fraction load = fraction_of(model.arrivals.load());
    CHECK(ends(queue.tail(0)).contains(load));
    CHECK(ends(queue.probability(0)).contains(1 - load));
    Ends sum{0, 0}, before{1, 1};
    std::int64_t n = 0;
    for (; n < 3000; ++n) {
      const Ends tail = ends(queue.tail(n)), here = ends(queue.probability(n));
      CHECK(before.meets(tail + here));
      sum = sum + tail;
      before = tail;
      if (tail.upper < power_of_ten(-25)) break;
    }
    const Ends mean = ends(queue.mean_occupancy());
    CHECK(mean.narrow(12));
    // The tails beyond add almost nothing where they decay fast.
    if (n < 300) CHECK(mean.meets({sum.lower, sum.upper + power_of_ten(-21)}));
    CHECK(sum.lower <= mean.upper);
    Ends less = ends(queue.loss(0));
    for (const std::int64_t capacity : {1, 2, 3, 5, 8, 13, 21}) {
      const Ends loss = ends(queue.loss(capacity));
      CHECK(loss.narrow(12));
      CHECK(loss.lower <= less.upper);
      if (less.lower > 0) CHECK(loss.upper < less.lower);
      less = loss;
      // An infinite queue has at least as many packets as a finite one.
      const auto law = chain_law(convert<long double>(model.blocks), capacity);
      long double full = 0;
      for (const long double value : law.back()) full += value;
      CHECK(full <= in_double(ends(queue.tail(capacity - 1)).upper) * (1 + 1e-12L));
    }
    const std::int64_t minimum = queue.min_capacity(rational("1e-4"));
    CHECK(ends(queue.loss(minimum)).upper <= parse_decimal("1e-4"));
    if (minimum > 1) CHECK(ends(queue.loss(minimum - 1)).lower > parse_decimal("1e-4"));
  }
}

TEST_CASE("more digits give narrower enclosures inside", "[queue][markov][digits]") {
  for (const SmallQueue& small : small_queues()) {
    std::vector<Ends> outer;
    for (const int digits : {10, 30, 50}) {
      if (digits == 50 && small.arrivals.phases() > 4) continue;  // seconds of cyclic reduction
      MarkovQueue queue(small.arrivals, {digits});
      std::vector<Ends> inner{ends(queue.mean_occupancy())};
      for (const std::int64_t level : {0, 1, 2, 7, 40}) {
        inner.push_back(ends(queue.tail(level)));
        inner.push_back(ends(queue.probability(level)));
      }
      for (const std::int64_t capacity : {1, 3, 20}) inner.push_back(ends(queue.loss(capacity)));
      for (std::size_t i = 0; i < inner.size(); ++i) {
        CHECK(inner[i].narrow(digits));
        if (digits == 10) continue;
        INFO(i << " " << outer[i].text() << " " << inner[i].text());
        CHECK(outer[i].lower <= inner[i].lower);
        CHECK(inner[i].upper <= outer[i].upper);
      }
      outer = inner;
    }
  }
}

TEST_CASE("the decay rate is the asymptotic decay of the tails", "[queue][markov][decay]") {
  const OnOff steady = source("0.3", "3", 1), slow = source("0.2", "7/2", 1, "1/2");
  const MarkovArrivals cases[] = {inputs(2, "0.6", "3"), inputs(8, "0.8", "10"), inputs(32, "0.6", "16"),
                                  inputs(5, "0.5", "4", "0.7"),
                                  MarkovArrivals::on_off({{steady, 1}, {slow, 2}})};
  for (const MarkovArrivals& arrivals : cases) {
    MarkovQueue queue(arrivals, {16});
    const auto rate = queue.decay_rate();
    REQUIRE(rate);
    CHECK(rate->relative_width() < 1e-15);
    double difference = 1;
    for (const std::int64_t level : {20, 60, 200}) {
      const long double ratio =
          in_double(ends(queue.tail(level)).lower) / in_double(ends(queue.tail(level + 1)).lower);
      const double here = apart(std::log(ratio), static_cast<long double>(rate->lower()));
      CHECK((here < difference || here < 1e-13));
      difference = here;
    }
    CHECK(difference < 1e-7);
  }
  CHECK_FALSE(MarkovQueue(inputs(1, "0.6", "3")).decay_rate());
  CHECK_FALSE(MarkovQueue(small_queues().back().arrivals).decay_rate());
}

TEST_CASE("blocks of many phases equal the sources that they represent", "[queue][markov][blocks]") {
  // 2^5 phases for the set of ON sources among five identical ones, and 6 for their number.
  const OnOff one = source("0.8", "4", 5);
  const auto all = to_rational(product_blocks(std::vector<OnOff>(5, one)));
  MarkovQueue apart(MarkovArrivals::blocks(all)), counted(MarkovArrivals::on_off({{one, 5}}));
  REQUIRE(apart.arrivals().phases() == 32);
  for (const std::int64_t level : {0, 1, 10, 100})
    CHECK(ends(apart.tail(level)).meets(ends(counted.tail(level))));
  CHECK(ends(apart.mean_occupancy()).meets(ends(counted.mean_occupancy())));
  CHECK(ends(apart.loss(10)).meets(ends(counted.loss(10))));
  CHECK(apart.min_level(rational("1e-9")) == counted.min_level(rational("1e-9")));
}

TEST_CASE("a queue without arrivals is empty", "[queue][markov][blocks]") {
  MarkovQueue none(MarkovArrivals::blocks({{{1}}}));
  CHECK(ends(none.tail(0)).upper == 0);
  CHECK(ends(none.probability(0)).lower == 1);
  CHECK(ends(none.probability(1)).upper == 0);
  CHECK(ends(none.mean_occupancy()).upper == 0);
  CHECK(ends(none.loss(1)).upper == 0);
  CHECK(none.min_level(rational("1e-9")) == 0);
  CHECK(none.min_capacity(rational("1e-9")) == 0);  // without packets none is lost
}

TEST_CASE("blocks in overload: losses are those of the finite chain", "[queue][markov][blocks]") {
  // Two phases, 8/7 packets per slot; the chain of levels and phases solved in fractions, independently.
  const queue::RationalBlocks two{{{rational("1/2"), rational("1/4")}, {0, 0}},
                                  {{0, 0}, {0, 0}},
                                  {{rational("1/8"), rational("1/8")}, {rational("1/2"), rational("1/2")}}};
  MarkovQueue queue(MarkovArrivals::blocks(two));
  CHECK(queue.arrivals().load() == rational("8/7"));
  for (const auto& [capacity, loss] :
       {std::pair{0, "1"}, {1, "1/2"}, {2, "5/16"}, {3, "25/104"}, {5, "625/3464"}}) {
    const auto found = ends(queue.loss(capacity));
    CHECK(found.lower <= fraction_of(rational(loss)));
    CHECK(found.upper >= fraction_of(rational(loss)));
    CHECK(found.upper - found.lower <= fraction_of(rational(loss)) / 10'000'000'000);
  }
  CHECK(queue.min_capacity(rational("0.31")) == 3);
  for (const auto& [capacity, loss] : {std::pair{2, "5/16"}, {3, "25/104"}, {5, "625/3464"}})
    CHECK(queue.min_capacity(rational(loss)) == capacity);  // equal targets are decided in fractions
  CHECK(queue.min_capacity(rational("0.2403")) == 4);
  CHECK_THROWS_WITH(queue.min_capacity(rational("1/8")), Catch::Contains("1 - 1/load = 0.125"));
  CHECK(queue.min_capacity(rational("0.1251")) > 10);
  CHECK_THROWS_AS(queue.tail(0), Unstable);
  CHECK_THROWS_AS(queue.probability(0), Unstable);
  CHECK_THROWS_AS(queue.mean_occupancy(), Unstable);
  CHECK_THROWS_AS(queue.min_level(rational("0.5")), Unstable);
}

TEST_CASE("blocks with a packet in every slot", "[queue][markov][blocks]") {
  const queue::RationalBlocks one{{{0, 0}, {0, 0}}, {{rational("1/2"), rational("1/2")}, {1, 0}}};
  MarkovQueue queue(MarkovArrivals::blocks(one));
  CHECK(ends(queue.tail(0)).lower == 1);
  CHECK(ends(queue.tail(1)).upper == 0);
  CHECK(ends(queue.probability(1)).lower == 1);
  CHECK(ends(queue.mean_occupancy()).lower == 1);
  CHECK(queue.min_level(rational("0.5")) == 1);
  CHECK(ends(queue.loss(1)).upper == 0);
  CHECK(queue.min_capacity(rational("0.5")) == 1);
  const queue::RationalBlocks more{{{0}}, {{rational("1/2")}}, {{rational("1/2")}}};
  MarkovQueue full(MarkovArrivals::blocks(more));
  CHECK(ends(full.loss(7)).lower == fraction_of(rational("1/3")));
  CHECK(full.min_capacity(rational("1/3")) == 1);
  CHECK_THROWS_AS(full.min_capacity(rational("0.33")), LoadTooHigh);
}

TEST_CASE("unanswerable queries are rejected", "[queue][markov][errors]") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_AS(MarkovQueue(MarkovArrivals::on_off({{source("0.5", "4", 1), 2}})), Unstable);
  CHECK_THROWS_AS(MarkovQueue(MarkovArrivals::on_off({{source("0.5", "4", 1), 3}})), Unstable);
  CHECK_THROWS_AS(MarkovQueue(inputs(4, "0.5", "4"), {0}), InvalidArgument);
  CHECK_THROWS_AS(MarkovQueue(inputs(4, "0.5", "4"), {61}), InvalidArgument);
  MarkovQueue queue(inputs(4, "0.5", "4"));
  CHECK_THROWS_AS(queue.tail(-1), InvalidArgument);
  CHECK_THROWS_AS(queue.probability(-1), InvalidArgument);
  CHECK_THROWS_AS(queue.loss(-1), InvalidArgument);
  CHECK_THROWS_AS(queue.tail(std::int64_t{1} << 40), LimitExceeded);
  CHECK_THROWS_AS(queue.loss(std::int64_t{1} << 40), LimitExceeded);
  for (const char* target : {"0", "1", "-1", "2"}) {
    CHECK_THROWS_AS(queue.min_level(rational(target)), InvalidArgument);
    CHECK_THROWS_AS(queue.min_capacity(rational(target)), InvalidArgument);
  }
  // Two kinds of 40 sources: 41^2 phases.
  CHECK_THROWS_WITH(
      MarkovQueue(MarkovArrivals::on_off({{source("0.4", "4", 40), 40}, {source("0.4", "8", 40), 40}})),
      Contains("1681 phases") && Contains("at most 65"));
}

// Per-packet destinations: a sixteenth of the buffer that per-burst destinations need. From a chain solved by
// an independent program.
TEST_CASE("per-packet destinations: 4 inputs, load 0.6, bursts of 16", "[queue][markov][reference]") {
  const OnOff input = traffic::on_off(rational("0.6"), {rational("16")});
  MarkovQueue queue(MarkovArrivals::on_off({OnOffGroup{traffic::thinned(input, rational("1/4")), 4}}));
  CHECK(queue.min_level(rational("1e-9")) == 32);
  CHECK(Float100(ends(queue.tail(31)).lower).convert_to<double>() == Approx(1.1743623916e-9).epsilon(1e-10));
  CHECK(Float100(ends(queue.tail(32)).upper).convert_to<double>() == Approx(6.2370333434e-10).epsilon(1e-10));
}

TEST_CASE("Markov queue: the spectral approximation gives the same values with fewer modes than phases") {
  for (const auto& [load, burst, count] :
       {std::tuple{"3/5", "16", 64}, std::tuple{"4/5", "64", 40}, std::tuple{"3/5", "5/2", 49}}) {
    const traffic::OnOff source =
        traffic::thinned(traffic::on_off(numeric::parse_rational(load, "fraction"),
                                         {numeric::parse_rational(burst, "fraction"), 1}),
                         numeric::Rational(1) / count);
    queue::MarkovQueue proved(queue::MarkovArrivals::on_off({{source, count}}), {6});
    queue::MarkovQueue computed(queue::MarkovArrivals::on_off({{source, count}}), {6},
                                queue::Proof::not_needed);
    CHECK(proved.certified());
    CHECK_FALSE(computed.certified());
    for (const std::int64_t level : {0, 1, 6, 20, 40}) {
      const double tail = static_cast<double>(numeric::lower(queue::claim_bounds(proved.tail(level)).bounds));
      CHECK(static_cast<double>(numeric::lower(queue::claim_bounds(computed.tail(level)).bounds)) ==
            Approx(tail).epsilon(3e-6));
    }
  }
  // Few phases are certified anyway.
  const traffic::OnOff few = traffic::on_off(numeric::Rational(1) / 10, {8, 1});
  CHECK(queue::MarkovQueue(queue::MarkovArrivals::on_off({{few, 4}}), {6}, queue::Proof::not_needed)
            .certified());
}
