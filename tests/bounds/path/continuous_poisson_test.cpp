#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/bounds/sizing/output_queue.hpp>
#include <tailbound/queue/delay/deterministic_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <random>
#include <tests/support/rational.hpp>

// Poisson arrivals in continuous time: M/D/1, and M/D/1/K with buffer K including the packet in service.

namespace tailbound::bounds {
namespace {

using test::rational;

double middle(const queue::ProbabilityClaim& claim) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&claim))
    return numeric::nearest_double(exact->value);
  const auto& enclosure = std::get<numeric::Enclosure<unit::Probability>>(claim);
  return (static_cast<double>(enclosure.lower()) + static_cast<double>(enclosure.upper())) / 2;
}

double loss(const char* load, std::int64_t capacity) {
  return middle(
      poisson_at_any_time(rational(load))->drop_probability(Packets(capacity), Criterion::loss).probability);
}

answers::BufferAnswer minimum(const char* load, const char* drop, Criterion criterion = Criterion::loss) {
  return answers::answer(
      answers::BufferQuery{.traffic = {.source = answers::PoissonAtAnyTime{rational(load)}},
                           .requested = answers::MinBuffer{rational(drop)},
                           .criterion = criterion});
}

TEST_CASE("M/D/1/K: textbook buffers for a loss of 2 %") {
  CHECK(minimum("0.7", "0.02").buffer == Packets(5));
  CHECK(minimum("0.8", "0.02").buffer == Packets(7));
  CHECK(minimum("0.9", "0.02").buffer == Packets(10));
  // Slotted queues, where packets arrive together before one is served, give other values.
  const auto slotted = [](const char* load) {
    return answers::answer(
               answers::BufferQuery{.traffic = {.source = answers::PoissonArrivals{rational(load)}},
                                    .requested = answers::MinBuffer{rational("0.02")},
                                    .criterion = Criterion::loss})
        .buffer;
  };
  CHECK(slotted("0.7") == Packets(5));
  CHECK(slotted("0.8") == Packets(6));
  CHECK(slotted("0.9") == Packets(9));
}

TEST_CASE("M/D/1/K: capacity 1 and 2 in closed form, capacity 0 loses everything") {
  for (const char* load : {"0.1", "0.5", "0.95", "1", "1.2", "3"}) {
    const double rho = numeric::nearest_double(rational(load));
    CHECK(loss(load, 0) == 1);
    CHECK(loss(load, 1) == Approx(rho / (1 + rho)).epsilon(1e-9));  // Erlang's
    CHECK(loss(load, 2) == Approx(1 - 1 / (std::exp(-rho) + rho)).epsilon(1e-9));
  }
}

TEST_CASE("M/D/1/K: the chain of K states, and the distribution of M/D/1 from it") {
  for (const char* load : {"0.2", "0.7", "0.9", "0.99"})
    for (const std::int64_t capacity : {1, 2, 5, 17, 40}) {
      const queue::DeterministicOccupancy chain =
          queue::deterministic_queue(numeric::nearest_double(rational(load)), capacity);
      CHECK(loss(load, capacity) == Approx(chain.lost).epsilon(1e-9));
    }
  const auto queue = poisson_at_any_time(rational("0.8"));
  const queue::DeterministicOccupancy chain = queue::deterministic_queue(0.8, 2000);
  double above = 1;
  for (std::int64_t n = 0; n < 20; ++n) {
    above -= chain.probability[static_cast<std::size_t>(n)];
    CHECK(middle(queue->drop_probability(Packets(n), Criterion::overflow).probability) ==
          Approx(above).margin(1e-9));
  }
  // Pollaczek and Khinchine
  CHECK(std::get<numeric::Exact<unit::Packet>>(queue->mean_occupancy()).value == rational("12/5"));
}

TEST_CASE("M/D/1/K: simulated packet by packet") {
  // 4e5 arrivals: the standard error of a loss of 2 % is 2.2e-4, slightly more as losses cluster; 6 of them.
  std::mt19937_64 random(11);
  for (const auto& [load, capacity] : {std::pair{"0.8", 6}, {"0.9", 3}}) {
    std::exponential_distribution<double> gap(numeric::nearest_double(rational(load)));
    std::deque<double> departures;
    double now = 0;
    constexpr int arrivals = 400'000;
    int lost = 0;
    for (int i = 0; i < arrivals; ++i) {
      now += gap(random);
      while (!departures.empty() && departures.front() <= now) departures.pop_front();
      if (static_cast<int>(departures.size()) == capacity)
        ++lost;
      else
        departures.push_back((departures.empty() ? now : departures.back()) + 1);
    }
    CHECK(static_cast<double>(lost) / arrivals == Approx(loss(load, capacity)).margin(0.003));
  }
}

TEST_CASE("M/D/1/K: the minimum buffer is proved on both sides") {
  for (const char* load : {"0.3", "0.9", "0.999"})
    for (const char* drop : {"0.5", "0.01", "1e-6", "1e-15"}) {
      const answers::BufferAnswer found = minimum(load, drop);
      const double target = numeric::nearest_double(rational(drop));
      CHECK(middle(found.at.probability) <= target);
      REQUIRE(found.beyond);
      CHECK(middle(found.beyond->probability) > target);
      CHECK(middle(found.at.probability) == Approx(loss(load, found.buffer.value)).epsilon(1e-9));
    }
  // Capacity 1 at load 1/2 loses 1/3.
  CHECK(minimum("1/2", "0.3334").buffer == Packets(1));
  CHECK(minimum("1/2", "0.3333").buffer == Packets(2));
  // The overflow is that of the slotted queue.
  CHECK(minimum("0.8", "1e-9", Criterion::overflow).buffer ==
        answers::answer(answers::BufferQuery{.traffic = {.source = answers::PoissonArrivals{rational("0.8")}},
                                             .requested = answers::MinBuffer{rational("1e-9")}})
            .buffer);
}

TEST_CASE("M/D/1/K: maximum load and minimum speedup for a loss") {
  answers::BufferQuery query{.traffic = {.source = answers::PoissonAtAnyTime{}},
                             .requested = answers::MaxLoad{Packets(10), rational("0.02")},
                             .criterion = Criterion::loss};
  const answers::BufferAnswer maximum = answers::answer(query);
  CHECK(answers::span_of(answers::to_predicted(*maximum.load)).lower == Approx(0.9142694264).epsilon(1e-10));
  CHECK(loss("0.9142694264", 10) < 0.02);
  CHECK(loss("0.9142694265", 10) > 0.02);
  // A loss target may need more than the load of the server.
  query.requested = answers::MaxLoad{Packets(10), rational("0.3")};
  CHECK(answers::span_of(answers::to_predicted(*answers::answer(query).load)).lower > 1.3);
  // One packet: load / (1 + load) = 1/4 at load 1/3, and the speedup of load 1 is 3.
  query.traffic.source = answers::PoissonAtAnyTime{rational("1")};
  query.requested = answers::MinSpeedup{Packets(1), rational("1/4")};
  CHECK(answers::span_of(answers::to_predicted(*answers::answer(query).speedup)).upper == Approx(3));
}

TEST_CASE("M/D/1/K: buffers at load 1 and above, and targets that equal a loss") {
  CHECK(minimum("1", "0.051").buffer == Packets(10));
  CHECK(minimum("1", "0.05").buffer == Packets(11));
  CHECK(minimum("1.2", "0.171").buffer == Packets(10));
  CHECK_THROWS_WITH(minimum("1.2", "1/6"), Catch::Contains("1 - 1/load = 1/6"));
  for (const char* load : {"0.25", "1", "3"}) {  // Erlang's load / (1 + load), exactly
    const numeric::Rational rho = rational(load);
    const auto found = minimum(load, numeric::to_fraction(rho / (1 + rho)).c_str());
    CHECK(found.buffer == Packets(1));
    CHECK(std::get<numeric::Exact<unit::Probability>>(found.at.probability).value == rho / (1 + rho));
  }
}

TEST_CASE("M/D/1: unsupported queries") {
  const auto argument = [](const answers::BufferQuery& query) {
    try {
      static_cast<void>(answers::answer(query));
    } catch (const InvalidArgument& rejected) {
      return rejected.argument();
    }
    return std::string("nothing");
  };
  answers::BufferQuery query{.traffic = {.source = answers::PoissonAtAnyTime{rational("0.8")}},
                             .requested = answers::MinBuffer{rational("0.01")},
                             .criterion = Criterion::loss};
  CHECK(argument(query) == "nothing");
  query.traffic.packets_per_slot = 2;
  CHECK(argument(query) == "packets per slot");
  query = {.traffic = {.source = answers::PoissonAtAnyTime{}},
           .requested = answers::MaxLoad{Packets(9), rational("0.01")},
           .criterion = Criterion::loss};
  CHECK(argument(query) == "nothing");
  query.criterion = Criterion::overflow;
  CHECK(argument(query) == "nothing");
  CHECK_THROWS_AS(poisson_at_any_time(1)->mean_occupancy(), Unstable);
  CHECK_THROWS_AS(minimum("1", "0.01", Criterion::overflow), Unstable);
  CHECK_THROWS_AS(minimum("0.5", "0"), InvalidArgument);
  CHECK_THROWS_AS(minimum("0.5", "1"), InvalidArgument);
}

}  // namespace
}  // namespace tailbound::bounds
