#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/priority/priority_queue.hpp>
#include <tailbound/queue/slotted/slotted_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using queue::ClassSource;
using queue::JointPmf;
using queue::PriorityQueue;
using tailbound::test::ends;
using tailbound::test::rational;

namespace {

PriorityQueue equal_classes(std::int64_t inputs, const char* higher, const char* own, int digits = 10) {
  const numeric::Rational k = numeric::Rational(inputs);
  return PriorityQueue(std::vector<ClassSource>{{rational(higher) / k, rational(own) / k, inputs}}, {digits});
}

double priority_middle(const PriorityQueue::Probability& probability) {
  return static_cast<double>(ends(numeric::Claim<unit::Probability>(probability)).middle());
}

/// Arrivals of a slot: [i][j].
using Joint = std::vector<std::vector<double>>;

/// The chain of (H, L) just after the arrivals of a slot, H below `highs`, L at most `room`; packets that do
/// not fit are lost.
class PriorityChain {
 public:
  PriorityChain(const Joint& joint, int highs, int capacity)
      : joint_(joint),
        highs_(highs),
        lows_(capacity + 1),
        mass_(static_cast<std::size_t>(highs * lows_), 0.0) {
    mass_[0] = 1;
    for (int step = 0; step < 20'000; ++step) {
      const std::vector<double> left = after_service();
      std::vector<double> next(mass_.size(), 0);
      double lost = 0;
      for_each(left, [&](int h, int l, int i, int j, double p) {
        const int low = std::min(l + j, capacity);
        lost += p * (l + j - low);
        next[at(std::min(h + i, highs_ - 1), low)] += p;
      });
      double change = 0;
      for (std::size_t s = 0; s < next.size(); ++s) change += std::abs(next[s] - mass_[s]);
      mass_ = std::move(next);
      lost_ = lost;
      if (change < 1e-15) break;
    }
  }

  [[nodiscard]] double tail(int n, bool served = false) const {
    double above = 0, all = 0;
    for (int h = 0; h < (served ? 1 : highs_); ++h)
      for (int l = 0; l < lows_; ++l) {
        all += mass_[at(h, l)];
        if (l > n) above += mass_[at(h, l)];
      }
    return above / all;
  }
  [[nodiscard]] double lost() const { return lost_; }  ///< packets/slot

  /// P(W > n), n = 0 .. count - 1, followed slot by slot for a packet among those of its slot in random
  /// order.
  [[nodiscard]] std::vector<double> waits(int count) const {
    std::vector<double> waiting(mass_.size(), 0);
    double packets = 0;
    for_each(after_service(), [&](int h, int l, int i, int j, double p) {
      packets += p * j;
      for (int ahead = 0; ahead < j; ++ahead)
        waiting[at(std::min(h + i, highs_ - 1), std::min(l + ahead, lows_ - 1))] += p;
    });
    std::vector<double> result;
    for (int n = 0; n < count; ++n) {
      // Served in this slot if no packet is ahead.
      std::vector<double> next(mass_.size(), 0);
      double rest = 0;
      for (int h = 0; h < highs_; ++h)
        for (int ahead = 0; ahead < lows_; ++ahead) {
          if (h == 0 && ahead == 0) continue;
          const double p = waiting[at(h, ahead)];
          rest += p;
          for (std::size_t i = 0; i < joint_.size(); ++i)
            for (const double arriving : joint_[i])
              next[at(std::min(std::max(h - 1, 0) + static_cast<int>(i), highs_ - 1),
                      h == 0 ? ahead - 1 : ahead)] += p * arriving;
        }
      result.push_back(rest / packets);
      waiting = std::move(next);
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t at(int h, int l) const { return static_cast<std::size_t>(h * lows_ + l); }
  [[nodiscard]] std::vector<double> after_service() const {
    std::vector<double> left(mass_.size(), 0);
    for (int h = 0; h < highs_; ++h)
      for (int l = 0; l < lows_; ++l)
        left[h > 0 ? at(h - 1, l) : at(0, std::max(l - 1, 0))] += mass_[at(h, l)];
    return left;
  }
  template <class Take>
  void for_each(const std::vector<double>& left, Take&& take) const {
    for (int h = 0; h < highs_; ++h)
      for (int l = 0; l < lows_; ++l) {
        const double p = left[at(h, l)];
        if (p < 1e-25) continue;
        for (std::size_t i = 0; i < joint_.size(); ++i)
          for (std::size_t j = 0; j < joint_[i].size(); ++j)
            take(h, l, static_cast<int>(i), static_cast<int>(j), p * joint_[i][j]);
      }
  }

  const Joint& joint_;
  int highs_, lows_;
  std::vector<double> mass_;
  double lost_ = 0;
};

/// A random distribution with weights in 256ths, thinned to a total load of `percent` %.
JointPmf random_joint(std::mt19937_64& random, int percent) {
  const auto up_to = [&](std::uint64_t maximum) { return random() % maximum; };
  const std::size_t rows = 1 + up_to(3), columns = 2 + up_to(2);
  std::vector<std::vector<std::int64_t>> weights(rows, std::vector<std::int64_t>(columns, 0));
  std::int64_t sum = 0, load = 0;
  while (load == 0 || sum == 0) {
    sum = load = 0;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        weights[i][j] = up_to(3) == 0 ? 0 : static_cast<std::int64_t>(up_to(256));
        sum += weights[i][j];
        load += weights[i][j] * static_cast<std::int64_t>(i + j);
      }
    if (std::all_of(weights.begin(), weights.end(), [](const auto& row) {
          return std::all_of(row.begin() + 1, row.end(), [](auto w) { return w == 0; });
        }))
      load = 0;  // no lower-class packets
  }
  // Such a slot with probability `thin`, otherwise an empty one.
  numeric::Rational thin =
      numeric::Rational(percent) / 100 * numeric::Rational(sum) / numeric::Rational(load);
  if (thin > 1) thin = 1;
  JointPmf joint;
  for (const auto& row : weights) {
    auto& of = joint.probability.emplace_back();
    for (const std::int64_t w : row) of.push_back(thin * numeric::Rational(w) / numeric::Rational(sum));
  }
  joint.probability[0][0] = joint.probability[0][0] + 1 - thin;
  return joint;
}

Joint in_doubles(const JointPmf& joint) {
  Joint result;
  for (const auto& row : joint.probability) {
    auto& of = result.emplace_back();
    for (const auto& p : row) of.push_back(numeric::nearest_double(p));
  }
  return result;
}

}  // namespace

TEST_CASE("priority queue: values of exact two-dimensional chains", "[priority]") {
  struct Row {
    PriorityQueue::Probability found;
    double value;
  };
  PriorityQueue four = equal_classes(4, "0.4", "0.4"), sixteen = equal_classes(16, "0.6", "0.25");
  const std::vector<Row> rows{
      {four.tail(Packets(10)), 2.19347306e-3},    {four.tail_when_served(Packets(10)), 2.14692175e-3},
      {four.loss(Packets(10)), 1.07577047e-3},    {four.tail(Packets(50)), 3.74683187e-13},
      {four.loss(Packets(30)), 1.40122943e-8},    {four.wait_tail(Slots(10)), 4.05475246e-2},
      {four.wait_tail(Slots(50)), 7.77254671e-7}, {four.wait_tail(Slots(80)), 2.27314156e-10},
      {sixteen.tail(Packets(20)), 5.84752371e-4}, {sixteen.wait_tail(Slots(40)), 1.14648577e-2},
      {sixteen.loss(Packets(12)), 4.44939572e-3}};
  for (const Row& row : rows) {
    CHECK(priority_middle(row.found) == Approx(row.value).epsilon(5e-9));
    CHECK(ends(numeric::Claim<unit::Probability>(row.found)).narrow(10));
  }
  CHECK(four.mean_occupancy() == rational("3/2"));
  CHECK(four.mean_wait() == rational("11/4"));
  // A buffer of 0 loses everything.
  CHECK(priority_middle(four.loss(Packets(0))) == Approx(1));
}

TEST_CASE("priority queue: 2000 random joint laws against chains", "[priority]") {
  std::mt19937_64 random(51);
  for (int round = 0; round < 2000; ++round) {
    const JointPmf joint = random_joint(random, 10 + static_cast<int>(random() % 36));
    const Joint law = in_doubles(joint);
    PriorityQueue queue(joint);
    const PriorityChain chain(law, 30, 45);
    INFO("round " << round);
    for (const int n : {0, 1, 3, 7}) {
      CHECK(priority_middle(queue.tail(Packets(n))) == Approx(chain.tail(n)).epsilon(1e-8).margin(1e-12));
      CHECK(priority_middle(queue.tail_when_served(Packets(n))) ==
            Approx(chain.tail(n, true)).epsilon(1e-8).margin(1e-12));
    }
    const int capacity = 1 + static_cast<int>(random() % 5);
    const double load = numeric::nearest_double(queue.load());
    const PriorityChain finite(law, 30, capacity);
    CHECK(priority_middle(queue.loss(Packets(capacity))) ==
          Approx(finite.lost() / load).epsilon(1e-8).margin(1e-12));
    const std::vector<double> waits = chain.waits(8);
    for (const int n : {0, 1, 2, 5, 7})
      CHECK(priority_middle(queue.wait_tail(Slots(n))) ==
            Approx(waits[static_cast<std::size_t>(n)]).epsilon(1e-7).margin(1e-11));
  }
}

TEST_CASE("priority queue: means match the distributions, by Little's law", "[priority]") {
  for (auto [inputs, higher, own] :
       {std::tuple{2, "0.3", "0.5"}, {4, "0.4", "0.4"}, {16, "0.1", "0.6"}, {5, "0", "0.7"}}) {
    PriorityQueue queue = equal_classes(inputs, higher, own);
    const auto law = queue.wait_law(1200);
    long double wait = 0, all = 0, occupancy = 0;
    for (std::size_t t = 0; t < law.size(); ++t) {
      all += law.mass[t];
      wait += static_cast<long double>(t) * law.mass[t];
    }
    for (int n = 0; n < 600; ++n)
      occupancy += static_cast<long double>(priority_middle(queue.tail(Packets(n))));
    CHECK(static_cast<double>(all) == Approx(1).epsilon(1e-12));
    CHECK(static_cast<double>(wait) == Approx(numeric::nearest_double(queue.mean_wait())).epsilon(1e-10));
    CHECK(static_cast<double>(occupancy) ==
          Approx(numeric::nearest_double(queue.mean_occupancy())).epsilon(1e-9));
    CHECK(static_cast<double>(law.mass[0] + law.tail[0]) == Approx(1).epsilon(1e-14));
  }
}

TEST_CASE("priority queue: the wait follows from the occupancy only for a single class", "[priority]") {
  PriorityQueue lower = equal_classes(4, "0.4", "0.4");
  // P(W >= n) = P(L > n) / rho holds for a single class...
  PriorityQueue alone = equal_classes(4, "0", "0.8");
  for (const int n : {1, 5, 20})
    CHECK(priority_middle(alone.wait_tail(Slots(n - 1))) ==
          Approx(priority_middle(alone.tail(Packets(n))) / 0.8).epsilon(1e-9));
  // ... and underestimates the lower class a hundred times.
  CHECK(priority_middle(lower.wait_tail(Slots(49))) > 100 * priority_middle(lower.tail(Packets(50))) / 0.4);
}

TEST_CASE("priority queue: without a higher class it is the slotted queue", "[priority]") {
  for (auto [inputs, load] : {std::pair{1, "0.9"}, {2, "0.999"}, {16, "0.5"}, {7, "0.001"}}) {
    PriorityQueue classes = equal_classes(inputs, "0", load);
    const queue::SlottedQueue slotted{series::Arrivals::equal_inputs(inputs, rational(load))};
    for (const int n : {0, 1, 10}) {
      const auto expected = ends(numeric::to_claim(queue::occupancy_tail(slotted, Packets(n)).probability));
      CHECK(ends(numeric::Claim<unit::Probability>(classes.tail(Packets(n)))).meets(expected));
    }
  }
}

TEST_CASE("priority queue: unequal sources equal their joint distribution", "[priority]") {
  PriorityQueue sources(
      std::vector<ClassSource>{{rational("0.3"), rational("0.1")}, {rational("0.05"), rational("0.2"), 2}});
  JointPmf joint;
  joint.probability.assign(4, std::vector<numeric::Rational>(4, 0));
  const numeric::Rational rates[3][2] = {{rational("0.3"), rational("0.1")},
                                         {rational("0.05"), rational("0.2")},
                                         {rational("0.05"), rational("0.2")}};
  for (int code = 0; code < 27; ++code) {
    numeric::Rational p = 1;
    std::size_t high = 0, low = 0;
    for (int s = 0, rest = code; s < 3; ++s, rest /= 3) {
      const int what = rest % 3;
      p = p * (what == 0 ? numeric::Rational(1 - rates[s][0] - rates[s][1]) : rates[s][what - 1]);
      high += what == 1 ? 1U : 0U;
      low += what == 2 ? 1U : 0U;
    }
    joint.probability[high][low] = joint.probability[high][low] + p;
  }
  PriorityQueue table(joint);
  CHECK(sources.mean_occupancy() == table.mean_occupancy());
  for (const int n : {0, 3, 20, 100}) {
    CHECK(ends(numeric::Claim<unit::Probability>(sources.tail(Packets(n))))
              .meets(ends(numeric::Claim<unit::Probability>(table.tail(Packets(n))))));
    CHECK(ends(numeric::Claim<unit::Probability>(sources.wait_tail(Slots(n))))
              .meets(ends(numeric::Claim<unit::Probability>(table.wait_tail(Slots(n))))));
  }
}

TEST_CASE("priority queue: very small probabilities and many digits", "[priority]") {
  PriorityQueue queue = equal_classes(16, "0.6", "0.25");
  const PriorityQueue::Minimum capacity = queue.min_buffer_size(rational("1/1000000000000000"));
  CHECK(capacity.level == 99);
  CHECK(numeric::compare(capacity.at.upper(), rational("1/1000000000000000")) <= 0);
  REQUIRE(capacity.before);
  CHECK(numeric::compare(capacity.before->lower(), rational("1/1000000000000000")) > 0);
  CHECK(queue.min_level(rational("1/1000000000000000")).level == 101);
  // Deep, and with 60 digits that contain the results of machine numbers.
  PriorityQueue fine = equal_classes(16, "0.6", "0.25", 60);
  for (const int n : {5, 60, 400}) {
    const auto wide = ends(numeric::Claim<unit::Probability>(queue.tail(Packets(n))));
    const auto narrow = ends(numeric::Claim<unit::Probability>(fine.tail(Packets(n))));
    CHECK(narrow.narrow(60));
    CHECK(wide.lower <= narrow.lower);
    CHECK(narrow.upper <= wide.upper);
    const auto waits = ends(numeric::Claim<unit::Probability>(queue.wait_tail(Slots(n))));
    CHECK(waits.lower <= ends(numeric::Claim<unit::Probability>(fine.wait_tail(Slots(n)))).lower);
    CHECK(ends(numeric::Claim<unit::Probability>(fine.wait_tail(Slots(n)))).upper <= waits.upper);
  }
}

TEST_CASE("priority queue: the lowest of three classes, slot by slot", "[priority]") {
  constexpr int inputs = 8;
  const double rates[3] = {0.2 / inputs, 0.3 / inputs, 0.3 / inputs};
  PriorityQueue lowest = equal_classes(inputs, "0.5", "0.3");
  PriorityQueue middle = equal_classes(inputs, "0.2", "0.3");
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::deque<std::int64_t> waiting[3];
  constexpr std::int64_t slots = 1'000'000;
  std::int64_t above[3] = {0, 0, 0}, late[3] = {0, 0, 0}, packets[3] = {0, 0, 0};
  for (std::int64_t now = 0; now < slots; ++now) {
    for (int input = 0; input < inputs; ++input) {
      double draw = uniform(random);
      for (int c = 0; c < 3; ++c) {
        if (draw < rates[c]) {
          waiting[c].push_back(now);
          break;
        }
        draw -= rates[c];
      }
    }
    for (int c = 0; c < 3; ++c) above[c] += waiting[c].size() > 4 ? 1 : 0;
    for (int c = 0; c < 3; ++c)
      if (!waiting[c].empty()) {
        ++packets[c];
        late[c] += now - waiting[c].front() > (c == 2 ? 10 : 3) ? 1 : 0;
        waiting[c].pop_front();
        break;
      }
  }
  const auto near = [](double simulated, const PriorityQueue::Probability& computed) {
    CHECK(simulated == Approx(priority_middle(computed)).epsilon(0.03));
  };
  near(static_cast<double>(above[2]) / slots, lowest.tail(Packets(4)));
  near(static_cast<double>(late[2]) / static_cast<double>(packets[2]), lowest.wait_tail(Slots(10)));
  near(static_cast<double>(late[1]) / static_cast<double>(packets[1]), middle.wait_tail(Slots(3)));
}

TEST_CASE("priority queue: invalid arguments are rejected", "[priority]") {
  CHECK_THROWS_AS(equal_classes(4, "0.5", "0.5"), Unstable);
  CHECK_THROWS_AS(equal_classes(4, "0.5", "0"), InvalidArgument);
  CHECK_THROWS_AS(equal_classes(129, "0.5", "0.1"), InvalidArgument);
  CHECK_THROWS_AS(PriorityQueue(std::vector<ClassSource>{{rational("0.7"), rational("0.4")}}),
                  InvalidArgument);
  CHECK_THROWS_AS(PriorityQueue(JointPmf{{{rational("0.5"), rational("0.4")}}}), InvalidArgument);
  PriorityQueue queue = equal_classes(4, "0.4", "0.4");
  CHECK_THROWS_AS(queue.tail(Packets(-1)), InvalidArgument);
  CHECK_THROWS_AS(queue.tail(Packets(20'000)), LimitExceeded);
  CHECK_THROWS_AS(queue.min_level(rational("1")), InvalidArgument);
}

TEST_CASE("priority queue: the packets of one source among unequal ones", "[classes]") {
  // a sends 0.6 high and 0.05 low, b only 0.05 low: their low packets wait differently.
  const ClassSource a{rational("0.6"), rational("0.05")}, b{rational("0"), rational("0.05")};
  const std::vector<ClassSource> both{a, b};
  PriorityQueue of_a(both, {10}, a), of_b(both, {10}, b), all(both);
  // a's own high packets never share its slot: only what was left, and b's packet, are ahead.
  CHECK(of_a.mean_wait() == rational("0.05") * (all.mean_wait() * 2 - of_b.mean_wait()) / rational("0.05"));
  CHECK(of_a.mean_wait() < of_b.mean_wait());
  for (const int slots : {0, 1, 4}) {
    const double together = priority_middle(all.wait_tail(Slots(slots)));
    CHECK((priority_middle(of_a.wait_tail(Slots(slots))) + priority_middle(of_b.wait_tail(Slots(slots)))) /
              2 ==
          Approx(together).epsilon(1e-9));
  }
  CHECK(static_cast<double>(numeric::nearest_double(of_a.mean_wait())) ==
        Approx(0.332).epsilon(0.02));  // simulated
  CHECK(static_cast<double>(numeric::nearest_double(of_b.mean_wait())) == Approx(1.838).epsilon(0.02));
  CHECK_THROWS_AS(PriorityQueue(both, {10}, ClassSource{rational("0.1"), rational("0.1")}), InvalidArgument);
}
