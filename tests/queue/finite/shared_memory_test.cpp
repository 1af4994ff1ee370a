#include <tailbound/core/error.hpp>
#include <tailbound/queue/finite/shared_approximation.hpp>
#include <tailbound/queue/finite/shared_memory.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <tests/support/shared_chain.hpp>

// Bounds of a switch's memory against its exact chain (tests/support/shared_chain.hpp).

using namespace tailbound;
using namespace tailbound::test;
using numeric::parse_rational;
using numeric::Rational;
using queue::MemoryRule;
using queue::SharedApproximation;
using queue::SharedMemory;
using queue::SharedSwitch;
using Measure = queue::MemoryRule::Measure;

namespace {

SharedSwitch equal_switch(int inputs, const char* load_of_input, int outputs = 0) {
  return queue::uniform_switch(
      std::vector<Rational>(static_cast<std::size_t>(inputs), parse_rational(load_of_input, "load")),
      outputs == 0 ? inputs : outputs);
}

double as_double(const numeric::UpperBound<unit::Probability>& bound) {
  return static_cast<double>(bound.value);
}

double bound_at(const SharedSwitch& fed, const MemoryRule& rule, int memory) {
  return as_double(SharedMemory(fed, rule).bound(Packets(memory)));
}

std::vector<std::vector<double>> equal_rates(int inputs, double load_of_input, int outputs) {
  return std::vector<std::vector<double>>(
      static_cast<std::size_t>(inputs),
      std::vector<double>(static_cast<std::size_t>(outputs), load_of_input / outputs));
}

bool always(int, int) {
  return true;
}

SharedChain free_chain(int ports, double load, int memory, int level) {
  SharedChain chain(equal_rates(ports, load, ports), memory, true, always);
  chain.settle(level);
  return chain;
}

SharedChain threshold_chain(int ports, double load, int memory, double alpha) {
  SharedChain chain(equal_rates(ports, load, ports), memory, true,
                    [=](int length, int total) { return length < alpha * (memory - total); });
  chain.settle(0);
  return chain;
}

MemoryRule threshold(const char* alpha) {
  return {.measure = Measure::loss, .threshold = parse_rational(alpha, "threshold")};
}

const MemoryRule overflow{.measure = Measure::overflow};
const MemoryRule loss{.measure = Measure::loss};

}  // namespace

TEST_CASE("shared memory: the expected excess of a queue is within its error bound, 2 000 random cases",
          "[queue][shared]") {
  std::mt19937_64 random(20'260'712);
  for (int i = 0; i < 2'000; ++i) {
    std::vector<Rational> rates;
    const std::size_t inputs = 1 + random() % 4;
    for (std::size_t j = 0; j < inputs; ++j)
      rates.push_back(Rational(static_cast<long>(random() % 60)) / Rational(static_cast<long>(61 * inputs)));
    const std::size_t size = 2 + random() % 5;
    const series::StopLoss computed = queue::occupancy(rates, size);
    const queue::SlottedQueue slotted{series::Arrivals::unequal_inputs(rates)};
    const Rational mean = queue::mean_occupancy(rates);
    REQUIRE(std::get<numeric::Exact<unit::Packet>>(queue::mean_occupancy(slotted)).value == mean);
    const auto masses = queue::occupancy_probabilities(slotted, Packets(static_cast<std::int64_t>(size)),
                                                       {.arithmetic = queue::Arithmetic::exact});
    // P(Q > n) and E[(Q-n)^+] from the front: the mean minus the part below.
    Rational tail = 1, excess = mean;
    const auto tight = [&](long double value, const Rational& truth) {
      const Rational upper = numeric::to_rational(series::rounded_up(value, computed.units));
      return truth <= upper && (truth == 0 || upper <= truth * (1 + Rational(1) / 1'000'000'000'000'000));
    };
    for (std::size_t n = 0; n < size; ++n) {
      INFO("case " << i << ", place " << n);
      const Rational mass = std::get<numeric::Exact<unit::Probability>>(masses[n].probability).value;
      REQUIRE(tight(computed.excess[n], excess));
      tail = tail - mass;
      excess = excess - tail;
      REQUIRE(tight(computed.mass[n], mass));
      REQUIRE(tight(computed.tail[n], tail));
    }
  }
}

TEST_CASE("shared memory: the values of the exact chains", "[queue][shared]") {
  const SharedChain two = free_chain(2, 0.8, 60, 28), four = free_chain(4, 0.8, 46, 25);
  CHECK(two.tail(12) == Approx(2.609077e-4).epsilon(1e-6));
  CHECK(two.tail(28) == Approx(6.047381e-10).epsilon(1e-6));
  CHECK(four.tail(25) == Approx(5.610669e-5).epsilon(1e-5));
  CHECK(free_chain(4, 0.8, 20, 0).loss() == Approx(9.92580528e-5).epsilon(1e-8));
  CHECK(free_chain(4, 0.8, 30, 0).loss() == Approx(3.72870710e-7).epsilon(1e-7));
  CHECK(free_chain(2, 0.8, 10, 0).loss() == Approx(2.08229279e-4).epsilon(1e-8));
  CHECK(free_chain(2, 0.8, 20, 0).loss() == Approx(6.26107369e-8).epsilon(1e-7));
  CHECK(threshold_chain(4, 0.8, 30, 1).loss() == Approx(1.14595811e-4).epsilon(1e-7));
  CHECK(threshold_chain(4, 0.8, 50, 1).loss() == Approx(4.07830531e-7).epsilon(1e-6));
  CHECK(threshold_chain(4, 0.8, 30, 0.5).loss() == Approx(1.25776300e-3).epsilon(1e-7));
  CHECK(threshold_chain(4, 0.8, 30, 2).loss() == Approx(1.04922010e-5).epsilon(1e-7));
}

TEST_CASE("shared memory: bounds from independent programs", "[queue][shared]") {
  const SharedSwitch four = equal_switch(4, "0.8");
  CHECK(bound_at(four, threshold("1"), 30) == Approx(5.9489e-3).epsilon(1e-4));
  CHECK(bound_at(four, threshold("1"), 50) == Approx(2.1628e-5).epsilon(1e-4));
  // With one slot's arrivals exact the bound is below that with independent queues, and above the tail.
  const double at_25 = bound_at(four, overflow, 25);
  CHECK(at_25 < 1.3843e-3);
  CHECK(at_25 > 6.442251e-4 / 2);
}

TEST_CASE("shared memory: the independent queues' tails", "[queue][shared]") {
  const auto tail_of_sum = [](int ports, std::size_t level) {
    const series::StopLoss own = queue::occupancy(
        std::vector<Rational>(static_cast<std::size_t>(ports), Rational(4) / (5 * Rational(ports))),
        level + 1);
    return static_cast<double>(series::sum_of_identical(own, ports).tail[level]);
  };
  CHECK(tail_of_sum(2, 12) == Approx(9.207495e-4).epsilon(1e-6));
  CHECK(tail_of_sum(2, 28) == Approx(4.887850e-9).epsilon(1e-6));
  CHECK(tail_of_sum(4, 25) == Approx(6.442251e-4).epsilon(1e-6));
  CHECK(tail_of_sum(4, 50) == Approx(3.906918e-9).epsilon(1e-6));
  // (3) with them in place of T~: the bound of P(T > 25) that they prove.
  const series::StopLoss four = series::sum_of_identical(
      queue::occupancy(std::vector<Rational>(4, parse_rational("1/5", "rate")), 26), 4);
  long double minimum = 1;
  for (std::size_t a = 0; a <= 25; ++a)
    minimum = std::min(minimum, four.excess[a] / static_cast<long double>(26 - a));
  CHECK(static_cast<double>(minimum) == Approx(1.3843e-3).epsilon(4e-5));
}

TEST_CASE("shared memory: bounds are above the exact chain", "[queue][shared]") {
  for (const auto& [ports, load, text] : {std::tuple{2, 0.5, "0.5"},
                                          {2, 0.9, "0.9"},
                                          {3, 0.3, "0.3"},
                                          {3, 0.7, "0.7"},
                                          {4, 0.8, "0.8"},
                                          {4, 0.1, "0.1"}}) {
    const SharedSwitch fed = equal_switch(ports, text);
    const int maximum = ports == 2 ? 40 : 22;
    const SharedChain open = free_chain(ports, load, maximum + 14, maximum);
    for (int memory = 0; memory <= maximum; memory += 3) {
      INFO(ports << " ports, load " << text << ", memory " << memory);
      CHECK(bound_at(fed, overflow, memory) >= open.tail(memory));
      if (memory == 0) continue;
      CHECK(bound_at(fed, loss, memory) >= free_chain(ports, load, memory, 0).loss());
      if (memory % 2 != 0) continue;
      CHECK(bound_at(fed, threshold("1/2"), memory) >= threshold_chain(ports, load, memory, 0.5).loss());
      CHECK(bound_at(fed, threshold("3"), memory) >= threshold_chain(ports, load, memory, 3).loss());
    }
  }
}

TEST_CASE("shared memory: bounds are above the exact chain with unequal traffic", "[queue][shared]") {
  std::mt19937_64 random(20'260'713);
  for (int i = 0; i < 30; ++i) {
    const std::size_t inputs = 1 + random() % 4, outputs = 2 + random() % 2;
    std::vector<std::vector<Rational>> exact(inputs, std::vector<Rational>(outputs, 0));
    std::vector<std::vector<double>> rates(inputs, std::vector<double>(outputs, 0));
    const auto maximum = static_cast<long>(std::max(inputs, outputs));
    for (std::size_t j = 0; j < inputs; ++j)
      for (std::size_t o = 0; o < outputs; ++o) {
        exact[j][o] = Rational(static_cast<long>(random() % 20)) / Rational(20 * maximum);
        rates[j][o] = numeric::nearest_double(exact[j][o]);
      }
    exact[0][0] = Rational(9) / Rational(10 * maximum);
    rates[0][0] = numeric::nearest_double(exact[0][0]);
    const SharedSwitch fed = queue::matrix_switch(exact);
    const int memory = 3 + static_cast<int>(random() % 10);
    INFO("case " << i << ", " << inputs << " inputs, " << outputs << " outputs, memory " << memory);
    SharedChain open(rates, 36, false, always), full(rates, memory, false, always);
    SharedChain limited(rates, memory, false,
                        [=](int length, int total) { return length < 1.5 * (memory - total); });
    open.settle(memory);
    full.settle(0);
    limited.settle(0);
    CHECK(bound_at(fed, overflow, memory) >= open.tail(memory));
    CHECK(bound_at(fed, loss, memory) >= full.loss());
    double worst = 0;
    for (std::size_t o = 0; o < outputs; ++o) worst = std::max(worst, limited.loss(o));
    CHECK(bound_at(fed, threshold("3/2"), memory) >= worst);
  }
}

TEST_CASE("shared memory: the bound requires the proof's independence", "[queue][shared]") {
  // P(T > M) itself may exceed that of independent queues for small M: only sums of excesses are ordered.
  const SharedChain two = free_chain(2, 0.8, 60, 1);
  const series::StopLoss own = queue::occupancy({Rational(2) / 5, Rational(2) / 5}, 2);
  CHECK(two.tail(1) == Approx(0.907).epsilon(1e-3));
  CHECK(static_cast<double>(series::sum_of_identical(own, 2).tail[1]) == Approx(0.818).epsilon(1e-3));
}

TEST_CASE("shared memory: the minimum memory is where the bound first meets the target", "[queue][shared]") {
  for (const MemoryRule& rule : {overflow, loss, threshold("1/3"), threshold("1"), threshold("17/4")})
    for (const auto& [inputs, load, outputs] : {std::tuple{1, "0.9", 1},
                                                {1, "0.7", 3},
                                                {2, "0.95", 2},
                                                {16, "0.8", 16},
                                                {8, "0.2", 4},
                                                {5, "1/7", 2}})
      for (const char* text : {"0.9", "0.01", "1e-9", "1e-30", "1e-100"}) {
        const Rational target = parse_rational(text, "target");
        SharedMemory memory(equal_switch(inputs, load, outputs), rule);
        const queue::ProvedMemory minimum = memory.minimum(target);
        INFO(inputs << " inputs at " << load << ", " << outputs << " outputs, target " << text << ": "
                    << minimum.memory.value);
        CHECK(numeric::compare(minimum.at.value, target) <= 0);
        CHECK(memory.bound(minimum.memory).value == minimum.at.value);
        if (minimum.memory.value > 0)
          CHECK(numeric::compare(memory.bound(minimum.memory - Packets(1)).value, target) > 0);
        // Another table of another length gives the same, up to its counted roundings.
        SharedMemory other(memory.fed(), rule);
        CHECK(as_double(other.bound(minimum.memory)) == Approx(as_double(minimum.at)).epsilon(1e-9));
      }
}

TEST_CASE("shared memory: a matrix of equal rates equals the uniform switch", "[queue][shared]") {
  const Rational rate = Rational(1) / 5;
  const SharedSwitch fed =
      queue::matrix_switch(std::vector<std::vector<Rational>>(4, std::vector<Rational>(4, rate)));
  CHECK(fed.uniform());
  CHECK(fed.ports() == 4);
  CHECK(fed.load() == Rational(16) / 5);
  // An output without traffic adds nothing, and changes that preserve the others' sums have no effect.
  std::vector<std::vector<Rational>> wider(4, std::vector<Rational>(5, rate));
  for (auto& row : wider) row[4] = 0;
  for (const MemoryRule& rule : {overflow, loss, threshold("2")}) {
    const double bound = bound_at(fed, rule, 30);
    CHECK(bound_at(queue::matrix_switch(wider), rule, 30) == Approx(bound).epsilon(1e-10));
    CHECK(bound_at(equal_switch(4, "0.8"), rule, 30) == bound);
  }
}

TEST_CASE("shared memory: the variance of the total matches the exact chain", "[queue][shared]") {
  const auto variance = [](const SharedSwitch& fed) {
    return static_cast<double>(SharedApproximation::of(fed, overflow)->variance().value);
  };
  CHECK(variance(equal_switch(4, "0.8")) == Approx(7.680959).epsilon(1e-7));
  const auto of_chain = [](const std::vector<std::vector<double>>& rates, int memory) {
    SharedChain chain(rates, memory, true, always);
    chain.settle(memory / 2);
    return chain.moment(2) - chain.moment(1) * chain.moment(1);
  };
  CHECK(variance(equal_switch(2, "0.5")) == Approx(of_chain(equal_rates(2, 0.5, 2), 40)).epsilon(1e-8));
  CHECK(variance(equal_switch(3, "0.7")) == Approx(of_chain(equal_rates(3, 0.7, 3), 48)).epsilon(1e-7));
  CHECK(variance(equal_switch(6, "0.4", 3)) == Approx(of_chain(equal_rates(6, 0.4, 3), 60)).epsilon(1e-7));
  CHECK(variance(equal_switch(1, "0.7", 3)) == Approx(0.21).epsilon(1e-12));
  // Inputs of unequal rates.
  const std::vector<double> loads{0.9, 0.3, 0.6};
  std::vector<std::vector<double>> rates;
  for (const double load : loads) rates.emplace_back(3, load / 3);
  CHECK(variance(queue::uniform_switch({Rational(9) / 10, Rational(3) / 10, Rational(3) / 5}, 3)) ==
        Approx(of_chain(rates, 44)).epsilon(1e-7));
}

TEST_CASE("shared memory: the approximation is close to the exact chain", "[queue][shared]") {
  const auto minimum = [](const SharedSwitch& fed, const MemoryRule& rule, double target) {
    return SharedApproximation::of(fed, rule)->minimum(std::log(target), Packets(10)).value;
  };
  for (const auto& [ports, load, text] : {std::tuple{2, 0.5, "0.5"}, {2, 0.8, "0.8"}, {4, 0.8, "0.8"}}) {
    const SharedSwitch fed = equal_switch(ports, text);
    const SharedChain open = free_chain(ports, load, 48, 32);
    for (const double target : {1e-3, 1e-5}) {
      int truth = 0;
      while (open.tail(truth) > target) ++truth;
      INFO(ports << " ports, load " << text << ", target " << target);
      CHECK(std::abs(static_cast<double>(minimum(fed, overflow, target)) - truth) <= 2);
      int capacity = 1;
      while (free_chain(ports, load, capacity, 0).loss() > target) ++capacity;
      CHECK(std::abs(static_cast<double>(minimum(fed, loss, target)) - capacity) <= 2);
    }
  }
  // The threshold's fixed point is conservative or nearly so, within 8 packets.
  const SharedSwitch four = equal_switch(4, "0.8");
  for (const auto& [alpha, text, memory] : {std::tuple{0.5, "1/2", 30}, {1.0, "1", 30}, {2.0, "2", 30}}) {
    const double truth = threshold_chain(4, 0.8, memory, alpha).loss();
    CHECK(std::abs(static_cast<double>(minimum(four, threshold(text), truth)) - memory) <= 4);
  }
}

// 92 582 states; half a minute. The ratio of bound to true value grows: 33 at 30, 73 at 40, 138 at 50.
TEST_CASE("shared memory: the exact chain down to 4e-11", "[queue][shared][.full]") {
  const SharedChain open = free_chain(4, 0.8, 80, 50);
  CHECK(open.tail(50) == Approx(4.4595e-11).epsilon(2e-5));
  const SharedSwitch four = equal_switch(4, "0.8");
  auto about = SharedApproximation::of(four, overflow);
  REQUIRE(about);
  for (const auto& [level, price] : {std::pair{30, 40}, {40, 80}, {50, 150}}) {
    const double truth = open.tail(level);
    INFO("n " << level << ", truth " << truth << ", about " << about->at(Packets(level)));
    CHECK(bound_at(four, overflow, level) > truth);
    CHECK(bound_at(four, overflow, level) < price * truth);
    CHECK(about->at(Packets(level)) > truth);
    CHECK(about->at(Packets(level)) < 2 * truth);
  }
}

TEST_CASE("shared memory of 8 ports: bounds and approximation against the chain", "[queue][shared][.full]") {
  const SharedSwitch fed = equal_switch(8, "0.8");
  const SharedChain open = free_chain(8, 0.8, 48, 24);
  // With a buffer of 48, exceeded with P(T > 48) of about 5e-6.
  CHECK(open.moment(2) - open.moment(1) * open.moment(1) ==
        Approx(static_cast<double>(SharedApproximation::of(fed, overflow)->variance().value)).epsilon(1e-3));
  for (int memory = 10; memory <= 34; memory += 4)
    CHECK(bound_at(fed, overflow, memory) >= open.tail(memory));
  int truth = 0;
  while (open.tail(truth) > 1e-4) ++truth;
  CHECK(std::abs(static_cast<double>(
                     SharedApproximation::of(fed, overflow)->minimum(std::log(1e-4), Packets(10)).value) -
                 truth) <= 2);
  for (const int memory : {20, 28}) {
    CHECK(bound_at(fed, loss, memory) >= free_chain(8, 0.8, memory, 0).loss());
    CHECK(bound_at(fed, threshold("1"), memory) >= threshold_chain(8, 0.8, memory, 1).loss());
  }
}

// The table of a memory of 60 000 packets has the bounds of smaller ones too.
TEST_CASE("shared memory: blocks of packets raise the bounds, by little", "[queue][shared]") {
  const SharedSwitch fed = equal_switch(32, "0.99");
  for (const MemoryRule& rule : {overflow, loss, threshold("1")}) {
    SharedMemory fine(fed, rule), coarse(fed, rule);
    static_cast<void>(coarse.bound(Packets(60'000)));
    for (const int memory : {2'500, 3'001, 4'000}) {
      const double truth = as_double(fine.bound(Packets(memory))),
                   found = as_double(coarse.bound(Packets(memory)));
      INFO(memory << ": " << truth << ", " << found);
      CHECK(found > truth);
      CHECK(found < 1.05 * truth);
    }
  }
  CHECK(queue::block_of(60'000, 9) > 1);
  CHECK(queue::block_of(10'000, 9) == 1);
}

TEST_CASE("shared memory: invalid arguments are rejected", "[queue][shared]") {
  const SharedSwitch fed = equal_switch(4, "0.8");
  CHECK_THROWS_AS(equal_switch(4, "0.8", 3), Unstable);
  CHECK_THROWS_AS(equal_switch(4, "1"), Unstable);
  CHECK_THROWS_AS(equal_switch(4, "1.1"), InvalidArgument);
  CHECK_THROWS_AS(equal_switch(4, "1e-400"), InvalidArgument);
  CHECK_THROWS_AS(equal_switch(0, "0.5", 1), InvalidArgument);
  CHECK_THROWS_AS(equal_switch(4, "0.5", 5000), InvalidArgument);
  CHECK_THROWS_AS(queue::matrix_switch({{Rational(1) / 2}, {}}), InvalidArgument);
  CHECK_THROWS_AS(SharedMemory(fed, {.measure = Measure::overflow, .threshold = Rational(1)}),
                  InvalidArgument);
  CHECK_THROWS_AS(SharedMemory(fed, threshold("1/1001")), InvalidArgument);
  CHECK_THROWS_AS(SharedMemory(fed, threshold("1001")), InvalidArgument);
  CHECK_THROWS_AS(SharedMemory(fed, threshold("1/3000001")), InvalidArgument);
  CHECK_THROWS_AS(SharedMemory(fed, overflow).minimum(Rational(1)), InvalidArgument);
  CHECK_THROWS_AS(SharedMemory(fed, overflow).minimum(parse_rational("1e-601", "target")), LimitExceeded);
  CHECK_THROWS_AS(
      SharedMemory(equal_switch(1024, "0.9999"), overflow).minimum(parse_rational("1e-9", "target")),
      LimitExceeded);
  CHECK_THROWS_AS(SharedMemory(fed, overflow).bound(Packets(-1)), InvalidArgument);
  CHECK_THROWS_AS(SharedMemory(fed, overflow).bound(Packets(SharedMemory::deepest + 1)), InvalidArgument);
}
