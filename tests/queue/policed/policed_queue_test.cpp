#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/policed/policed_queue.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <tests/support/ends.hpp>
#include <tests/support/fraction.hpp>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using namespace tailbound::test;
using queue::Accuracy;
using queue::Arithmetic;
using queue::PolicedBound;
using queue::PolicedInputs;
using queue::PolicedQueue;
using tailbound::test::rational;

namespace {

PolicedInputs policed(std::int64_t inputs, const char* rate, const char* burst, std::int64_t message = 1) {
  return {.inputs = inputs,
          .share = 1 / numeric::Rational(inputs),
          .bucket = {rational(rate), rational(burst)},
          .message = message};
}

Ends ends_of(const queue::LevelProbability& at) {
  return ends(numeric::to_claim(at.probability));
}

/// P(max over m < slots of [Binomial(k alpha(m), p) - m] > q), q = 0, 1, .., by the definition: the
/// distribution of the walk relative to its maximum so far, backwards from the present.
std::vector<Fraction> by_definition(const PolicedInputs& inputs, int slots, std::size_t levels) {
  const traffic::GreedyPattern pattern({inputs.bucket, traffic::one_per_slot()});
  const Fraction p = fraction_of(inputs.share);
  // law[(maximum so far, current)] of the walk S_m - m; both at least -slots.
  std::map<std::pair<std::int64_t, std::int64_t>, Fraction> law{{{-1'000'000, 0}, Fraction(1)}};
  for (int m = 0; m < slots; ++m) {
    for (std::int64_t trial = inputs.inputs * pattern.sent(m); trial > 0; --trial) {
      std::map<std::pair<std::int64_t, std::int64_t>, Fraction> next;
      for (const auto& [at, weight] : law) {
        next[at] += weight * (1 - p);
        next[{at.first, at.second + 1}] += weight * p;
      }
      law = std::move(next);
    }
    std::map<std::pair<std::int64_t, std::int64_t>, Fraction> next;
    for (const auto& [at, weight] : law) next[{std::max(at.first, at.second), at.second - 1}] += weight;
    law = std::move(next);
  }
  std::vector<Fraction> above(levels, Fraction(0));
  for (const auto& [at, weight] : law)
    for (std::size_t q = 0; q < levels && static_cast<std::int64_t>(q) < at.first; ++q) above[q] += weight;
  return above;
}

}  // namespace

TEST_CASE("policed inputs: known worst cases") {
  const auto tail = [](std::int64_t inputs, const char* rate, const char* burst, std::int64_t level) {
    return static_cast<double>(ends_of(PolicedQueue(policed(inputs, rate, burst)).tail(level)).middle());
  };
  CHECK(tail(16, "0.9", "2", 10) == Approx(1.2232715139e-1).epsilon(1e-10));
  CHECK(tail(16, "0.9", "2", 100) == Approx(2.5596043634e-10).epsilon(1e-10));
  CHECK(tail(16, "0.9", "2", 157) == Approx(8.1522018e-16).epsilon(1e-8));
  CHECK(tail(16, "0.9", "20", 50) == Approx(1.1830416111e-3).epsilon(1e-10));
  CHECK(tail(16, "0.9", "20", 100) == Approx(2.1722038751e-8).epsilon(1e-10));
  // Two inputs of rate 1/2, within seven slots of the start.
  CHECK(tail(2, "1/2", "2", 0) == Approx(27.0 / 32).epsilon(1e-10));
  CHECK(tail(2, "1/2", "2", 1) == Approx(29.0 / 64).epsilon(1e-10));
  CHECK(tail(2, "1/2", "2", 2) == Approx(1.0 / 8).epsilon(1e-10));
}

TEST_CASE("policed inputs: known minimum buffers") {
  struct Row {
    std::int64_t inputs;
    const char *rate, *burst, *drop;
    std::int64_t exact, closed_form;
  };
  for (const Row& row :
       {Row{16, "0.9", "2", "1e-15", 157, 157}, Row{16, "0.9", "5", "1e-15", 160, 161},
        Row{16, "0.9", "20", "1e-15", 177, 177}, Row{16, "0.9", "100", "1e-15", 265, 266},
        Row{16, "0.9", "1000", "1e-15", 788, 815}, Row{16, "0.8", "50", "1e-15", 135, -1},
        Row{16, "0.5", "20", "1e-15", 58, -1}, Row{32, "0.9", "100", "1e-15", 271, -1},
        Row{64, "0.9", "20", "1e-9", -1, 120}, Row{64, "0.9", "20", "1e-15", -1, 186},
        Row{1024, "0.95", "100", "1e-9", -1, 308}, Row{1024, "0.95", "100", "1e-15", -1, 444}}) {
    INFO(row.inputs << " inputs at " << row.rate << ", " << row.burst << " tokens");
    const PolicedInputs inputs = policed(row.inputs, row.rate, row.burst);
    if (row.closed_form >= 0) CHECK(PolicedBound(inputs).min_level(rational(row.drop)) == row.closed_form);
    if (row.exact < 0) continue;
    PolicedQueue queue(inputs);
    const queue::TailBoundary minimum = queue.min_level(rational(row.drop));
    CHECK(minimum.level.value == row.exact);
    CHECK(ends_of(minimum.at).upper <= fraction_of(rational(row.drop)));
    REQUIRE(minimum.before.size() == 1);
    CHECK(ends_of(minimum.before.front()).lower > fraction_of(rational(row.drop)));
  }
  CHECK(PolicedBound(policed(16, "0.9", "20", 8)).min_level(rational("1e-15")) == 1274);
  CHECK(PolicedBound(policed(16, "0.9", "20", 4)).min_level(rational("1e-15")) == 647);
  CHECK(PolicedBound(policed(16, "0.9", "20", 2)).min_level(rational("1e-15")) == 334);
}

TEST_CASE("policed inputs: known roots of the closed form") {
  const auto root = [](std::int64_t inputs, const char* rate) {
    return std::exp(PolicedBound(policed(inputs, rate, "2")).log_root());
  };
  CHECK(root(16, "0.9") == Approx(1.24863874127553).epsilon(1e-11));
  CHECK(root(16, "0.8") == Approx(1.59159784441964).epsilon(1e-11));
  CHECK(root(64, "0.9") == Approx(1.23452005292396).epsilon(1e-11));
  CHECK(root(1024, "0.95") == Approx(1.10719221281456).epsilon(1e-11));
  CHECK(std::isinf(PolicedBound(policed(2, "0.4", "2")).log_root()));
  CHECK(static_cast<double>(PolicedBound(policed(16, "0.9", "2")).tail(157).value) ==
        Approx(9.490492e-16).epsilon(1e-6));
}

TEST_CASE("policed inputs below capacity: the definition in fractions") {
  for (const auto& inputs : {policed(2, "1/4", "3"), policed(2, "2/5", "2.5"), policed(3, "1/5", "2")}) {
    // Windows of at least 24 slots bring less than the service.
    const std::vector<Fraction> exact = by_definition(inputs, 24, 8);
    PolicedQueue queue(inputs);
    REQUIRE(queue.never_exceeded());
    for (std::size_t q = 0; q < exact.size(); ++q) {
      const Ends found = ends_of(queue.tail(static_cast<std::int64_t>(q)));
      INFO("level " << q << ": " << found.text());
      CHECK(found.contains(exact[q]));
      CHECK((exact[q] == 0) == (static_cast<std::int64_t>(q) >= *queue.never_exceeded()));
    }
  }
}

TEST_CASE("policed inputs: buckets that discard tokens") {
  // As the bucket of the rate that they sustain, in every result.
  for (const auto& [shallow, rate, burst] :
       {std::tuple{policed(8, "0.999", "1"), "1/2", "1"}, std::tuple{policed(4, "0.9", "1.5"), "6/7", "12/7"},
        std::tuple{policed(3, "2/5", "1"), "1/3", "1"}}) {
    const PolicedInputs deep = policed(shallow.inputs, rate, burst);
    PolicedQueue queue(shallow), other(deep);
    CHECK(queue.rate() == rational(rate));
    CHECK(queue.never_exceeded() == other.never_exceeded());
    for (const std::int64_t level : {0, 1, 4, 12}) {
      CHECK(ends_of(queue.tail(level)).lower == ends_of(other.tail(level)).lower);
      CHECK(PolicedBound(shallow).tail(level).value == PolicedBound(deep).tail(level).value);
    }
    CHECK(PolicedBound(shallow).log_root() == PolicedBound(deep).log_root());
  }
  CHECK(PolicedQueue(policed(8, "0.999", "1")).min_level(rational("1e-8")).level.value == 13);
  CHECK(PolicedBound(policed(8, "0.999", "1")).min_level(rational("1e-8")) < 20);
  CHECK(PolicedQueue(policed(4, "0.994", "1")).meets(33, rational("1/7")));
  const std::vector<Fraction> exact = by_definition(policed(2, "2/5", "1"), 24, 3);
  PolicedQueue queue(policed(2, "2/5", "1"));
  for (std::size_t q = 0; q < exact.size(); ++q)
    CHECK(ends_of(queue.tail(static_cast<std::int64_t>(q))).contains(exact[q]));
}

TEST_CASE("policed inputs: targets that equal the probability") {
  for (const auto& inputs : {policed(2, "1/2", "1"), policed(2, "1/4", "3"), policed(3, "1/3", "2"),
                             policed(2, "1/2", "2.5"), policed(3, "1/5", "2"), policed(4, "1/4", "1")}) {
    const std::vector<Fraction> exact = by_definition(inputs, 26, 6);
    for (std::size_t q = 0; q < exact.size() && exact[q] > 0; ++q) {
      INFO(inputs.inputs << " inputs, " << inputs.bucket.rate << ", " << inputs.bucket.burst << ", level "
                         << q);
      const numeric::Rational target = to_rational(exact[q]);
      if (target == 1) continue;
      PolicedQueue queue(inputs);
      const queue::TailBoundary found = queue.min_level(target);
      CHECK(found.level.value == static_cast<std::int64_t>(q));
      CHECK(std::get<numeric::Exact<unit::Probability>>(found.at.probability).value == target);
      CHECK(queue.meets(static_cast<std::int64_t>(q), target));
      const numeric::Rational less = target - target / 1'000'000'000;
      CHECK_FALSE(queue.meets(static_cast<std::int64_t>(q), less));
    }
  }
}

TEST_CASE("policed inputs: both methods agree on the worst case") {
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int quick = 0;
  for (int round = 0; round < 25; ++round) {
    const int unit = pick(3, 20);
    PolicedInputs inputs{
        .inputs = pick(3, 40), .share = 1, .bucket = {ratio(pick(unit / 2, unit - 1), unit), 1}};
    inputs.share = 1 / numeric::Rational(inputs.inputs);
    inputs.bucket.burst = 1 + ratio(pick(0, 6 * unit), unit);
    if (inputs.load() > ratio(93, 100)) continue;
    INFO(inputs.inputs << " inputs, " << inputs.bucket.rate << ", " << inputs.bucket.burst);
    PolicedQueue fast(inputs), plain(inputs, {.digits = {9}, .arithmetic = Arithmetic::double_precision});
    for (const std::int64_t level : {3, 20, 60}) {
      const queue::LevelProbability one = fast.tail(level), other = plain.tail(level);
      if (one.method.arithmetic == Arithmetic::extended) ++quick;
      CHECK(ends_of(one).meets(ends_of(other)));
      CHECK(ends_of(one).narrow(10));
      const Fraction bound = fraction_of(fast.bound().tail(level).value);
      CHECK(ends_of(one).lower <= bound);
    }
  }
  CHECK(quick > 20);
}

TEST_CASE("policed inputs: more digits extend fewer") {
  PolicedQueue queue(policed(4, "3/4", "2"), {.digits = {30}});
  const Ends many = ends_of(queue.tail(30));
  CHECK(many.narrow(30));
  CHECK(many.meets(ends_of(PolicedQueue(policed(4, "3/4", "2")).tail(30))));
  CHECK(many.meets(ends_of(
      PolicedQueue(policed(4, "3/4", "2"), {.digits = {9}, .arithmetic = Arithmetic::double_precision})
          .tail(30))));
}

TEST_CASE("policed inputs: a rate of many digits lies between its neighbours") {
  const auto tail = [](const char* rate) { return ends_of(PolicedQueue(policed(16, rate, "20")).tail(80)); };
  const Ends between = tail("0.91234567");
  CHECK(tail("0.91").upper < between.lower);
  CHECK(between.upper < tail("0.915").lower);
}

TEST_CASE("policed inputs: no simulated sending pattern exceeds the worst case") {
  // All inputs save up tokens until full, and send as in the worst case.
  const PolicedInputs inputs = policed(16, "0.9", "20");
  const traffic::GreedyPattern pattern({inputs.bucket, traffic::one_per_slot()});
  std::mt19937_64 random(5);
  std::binomial_distribution<int> batch(16, 1.0 / 16);
  constexpr int runs = 6000;
  int above = 0;
  for (int run = 0; run < runs; ++run) {
    std::int64_t present = 0;
    for (std::int64_t slot = 700; slot >= 0; --slot) {
      present = std::max<std::int64_t>(present - 1, 0);
      if (pattern.sent(slot) != 0) present += batch(random);
    }
    above += present > 30 ? 1 : 0;
  }
  const double worst = static_cast<double>(ends_of(PolicedQueue(inputs).tail(30)).middle());
  CHECK(worst == Approx(0.0428).epsilon(0.005));
  const double sigma = std::sqrt(worst * (1 - worst) / runs);
  CHECK(std::abs(above / static_cast<double>(runs) - worst) < 5 * sigma);
}

TEST_CASE("policed inputs: arguments out of range are rejected by name") {
  CHECK_THROWS_WITH(PolicedQueue(policed(16, "1", "2")), Catch::Contains("rate is 1"));
  CHECK_THROWS_WITH(PolicedQueue(policed(16, "0.9", "1/2")), Catch::Contains("burst is 1/2"));
  CHECK_THROWS_WITH(PolicedQueue(policed(16, "0.9", "2", 2)), Catch::Contains("message is 2"));
  CHECK_THROWS_AS(PolicedQueue({.inputs = 4, .share = ratio(1, 2), .bucket = {ratio(1, 2), 2}}), Unstable);
  CHECK_THROWS_WITH(PolicedQueue(policed(16, "0.9", "2")).tail(-1), Catch::Contains("level is -1"));
  CHECK_THROWS_AS(PolicedQueue(policed(16, "0.999", "100")).tail(16'000), LimitExceeded);
}

TEST_CASE("policed inputs: the closed form bounds the worst case with a small share") {
  // Near z = 1, A(z) is below z here: more earlier busy slots are not worse.
  for (const auto& [count, share] :
       {std::pair{2, ratio(1, 4)}, std::pair{16, ratio(3, 64)}, std::pair{8, ratio(1, 9)}}) {
    const PolicedInputs inputs{.inputs = count, .share = share, .bucket = {ratio(9, 10), 20}};
    PolicedQueue queue(inputs);
    const PolicedBound bound(inputs);
    for (const std::int64_t level : {0, 1, 3, 8, 20}) {
      CAPTURE(count, level);
      CHECK(numeric::to_enclosure(queue.tail(level).probability).lower() <= bound.tail(level).value);
    }
  }
}

namespace {

/// All sending patterns of one source over a number of slots, one bit per slot.
std::vector<unsigned> conformant_patterns(const traffic::TokenBucket& bucket, int slots) {
  std::vector<unsigned> patterns;
  for (unsigned pattern = 0; pattern < 1U << slots; ++pattern) {
    numeric::Rational tokens = bucket.burst;
    bool conforms = true;
    for (int slot = 0; slot < slots && conforms; ++slot) {
      tokens = std::min(bucket.burst, numeric::Rational(tokens + bucket.rate));
      if ((pattern >> slot & 1U) == 0) continue;
      conforms = tokens >= 1;
      tokens = tokens - 1;
    }
    if (conforms) patterns.push_back(pattern);
  }
  return patterns;
}

/// P(Q > q) after slots with given numbers of sending inputs, each packet going here with probability p.
std::vector<Fraction> tail_after(const std::vector<int>& senders, const Fraction& p, std::size_t levels) {
  std::vector<Fraction> law{Fraction(1)};
  for (const int sent : senders) {
    if (law.size() > 1) {
      law[0] += law[1];
      law.erase(law.begin() + 1);
    }
    for (int i = 0; i < sent; ++i) {
      law.emplace_back(0);
      for (std::size_t n = law.size(); n-- > 0;)
        law[n] = law[n] * (1 - p) + (n > 0 ? law[n - 1] * p : Fraction(0));
    }
  }
  std::vector<Fraction> above(levels, Fraction(0));
  for (std::size_t n = 1; n < law.size(); ++n)
    for (std::size_t q = 0; q < std::min(n, levels); ++q) above[q] += law[n];
  return above;
}

/// The worst case over all sending patterns of all inputs, from an empty queue and full buckets.
std::vector<Fraction> by_trying_all(const PolicedInputs& inputs, int slots, std::size_t levels) {
  const std::vector<unsigned> patterns = conformant_patterns(inputs.bucket, slots);
  std::set<std::vector<int>> reached{std::vector<int>(static_cast<std::size_t>(slots), 0)};
  for (std::int64_t input = 0; input < inputs.inputs; ++input) {
    std::set<std::vector<int>> next;
    for (const std::vector<int>& senders : reached)
      for (const unsigned pattern : patterns) {
        std::vector<int> with = senders;
        for (int slot = 0; slot < slots; ++slot)
          with[static_cast<std::size_t>(slot)] += pattern >> slot & 1U ? 1 : 0;
        next.insert(std::move(with));
      }
    reached = std::move(next);
  }
  std::vector<Fraction> worst(levels, Fraction(0));
  for (const std::vector<int>& senders : reached) {
    const std::vector<Fraction> tail = tail_after(senders, fraction_of(inputs.share), levels);
    for (std::size_t q = 0; q < levels; ++q) worst[q] = std::max(worst[q], tail[q]);
  }
  return worst;
}

}  // namespace

TEST_CASE("policed inputs: enumeration of all patterns gives the worst case, in fractions") {
  struct Bucket {
    const char *rate, *burst;
  };
  for (const Bucket& bucket :
       {Bucket{"1/2", "2"}, Bucket{"2/3", "2"}, Bucket{"1/3", "1"}, Bucket{"1/2", "3/2"}, Bucket{"3/4", "3"}})
    for (const auto& [count, slots] : {std::pair{2, 7}, std::pair{3, 5}}) {
      CAPTURE(bucket.rate, bucket.burst, count);
      const PolicedInputs inputs = policed(count, bucket.rate, bucket.burst);
      CHECK(by_trying_all(inputs, slots, 4) == by_definition(inputs, slots, 4));
    }
}
