#include <tailbound/bounds/sizing/incast_queue.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>

#include <catch2/catch.hpp>
#include <cmath>
#include <tests/support/ends.hpp>
#include <tests/support/rational.hpp>
#include <vector>

using namespace tailbound;
using bounds::Criterion;
using bounds::Incast;
using tailbound::test::middle;
using tailbound::test::rational;

namespace {

/// The chain of the queue and the remaining slots of an event, slot by slot; at most `room` packets.
struct IncastChain {
  std::vector<double> tails;  ///< P(Q > n)
  double lost = 0, mean = 0;  ///< packets per slot; E[Q]

  IncastChain(const Incast& incast, int capacity, int served = 1) {
    const double q = numeric::nearest_double(incast.start());
    const auto senders = static_cast<int>(incast.senders), packets = static_cast<int>(incast.packets);
    std::vector<std::vector<double>> now(static_cast<std::size_t>(packets),
                                         std::vector<double>(static_cast<std::size_t>(capacity) + 1, 0));
    now[0][0] = 1;
    for (int step = 0; step < 200'000; ++step) {
      auto next = now;
      for (auto& row : next) std::fill(row.begin(), row.end(), 0.0);
      lost = 0;
      double change = 0;
      const auto arrive = [&](int left, int queued, int arriving, double p) {
        const int all = std::max(queued - served, 0) + arriving, kept = std::min(all, capacity);
        lost += p * (all - kept);
        next[static_cast<std::size_t>(left)][static_cast<std::size_t>(kept)] += p;
      };
      for (int left = 0; left < packets; ++left)
        for (int queued = 0; queued <= capacity; ++queued) {
          const double p = now[static_cast<std::size_t>(left)][static_cast<std::size_t>(queued)];
          if (p == 0) continue;
          if (left > 0) {
            arrive(left - 1, queued, senders, p);
          } else {
            arrive(packets - 1, queued, senders, p * q);
            arrive(0, queued, 0, p * (1 - q));
          }
        }
      for (std::size_t i = 0; i < now.size(); ++i)
        for (std::size_t j = 0; j < now[i].size(); ++j) change += std::abs(next[i][j] - now[i][j]);
      now = std::move(next);
      if (change < 1e-15) break;
    }
    tails.assign(static_cast<std::size_t>(capacity) + 1, 0);
    for (int n = capacity - 1; n >= 0; --n) {
      tails[static_cast<std::size_t>(n)] = tails[static_cast<std::size_t>(n) + 1];
      for (const auto& row : now) tails[static_cast<std::size_t>(n)] += row[static_cast<std::size_t>(n) + 1];
    }
    for (const double tail : tails) mean += tail;
  }
};

}  // namespace

TEST_CASE("incast: P(Q > n), means and losses match the chain slot by slot", "[incast]") {
  for (const Incast& incast :
       {Incast{3, 2, rational("0.1")}, Incast{2, 5, rational("0.05")}, Incast{1, 4, rational("0.1")},
        Incast{5, 1, rational("0.15")}, Incast{6, 3, rational("1/50")}, Incast{4, 7, rational("0.02")}})
    for (const int served : {1, 2, 3}) {
      if (served > 1 && served >= incast.senders) continue;
      const auto queue = bounds::output_queue(incast, served);
      const IncastChain chain(incast, 400, served);
      INFO(incast.senders << " senders, " << incast.packets << " packets, served " << served);
      for (const int n : {0, 1, 2, 3, 5, 8, 13, 21, 34}) {
        const std::vector<Packets> level{Packets(n)};
        CHECK(static_cast<double>(middle(queue->tails(level).front().probability)) ==
              Approx(chain.tails[static_cast<std::size_t>(n)]).epsilon(1e-8).margin(1e-13));
      }
      CHECK(static_cast<double>(middle(queue->mean_occupancy())) == Approx(chain.mean).epsilon(1e-8));
      for (const int capacity : {1, 2, 4, 9, 20}) {
        const IncastChain finite(incast, capacity, served);
        CHECK(static_cast<double>(
                  middle(queue->drop_probability(Packets(capacity), Criterion::loss).probability)) ==
              Approx(finite.lost / numeric::nearest_double(incast.load())).epsilon(1e-8).margin(1e-13));
      }
    }
}

TEST_CASE("incast: equals a D-BMAP with as many phases as packets", "[incast]") {
  const Incast incast{3, 4, rational("0.04")};
  const auto queue = bounds::output_queue(incast);
  const queue::MarkovArrivals arrivals = bounds::arrivals(incast);
  CHECK(arrivals.phases() == 4);
  CHECK(arrivals.load() == incast.load());
  queue::MarkovQueue markov(arrivals);
  for (const int n : {0, 4, 12, 40}) {
    const std::vector<Packets> level{Packets(n)};
    CHECK(static_cast<double>(middle(queue->tails(level).front().probability)) ==
          Approx(static_cast<double>(middle(markov.tail(n)))).epsilon(1e-9));
  }
  CHECK_THROWS_AS(bounds::arrivals({5000, 1, rational("0.00001")}), NoAnswer);
}

TEST_CASE("incast: minimum buffers are proved on both sides", "[incast]") {
  for (const Incast& incast : {Incast{3, 2, rational("0.1")}, Incast{32, 64, rational("0.0001")},
                               Incast{2, 1, rational("0.3")}, Incast{8, 5, rational("0.01")}})
    for (const Criterion criterion : {Criterion::overflow, Criterion::loss})
      for (const char* target : {"0.9", "0.1", "0.001", "1/1000000000"}) {
        const auto queue = bounds::output_queue(incast, incast.senders == 8 ? 3 : 1);
        const bounds::MinBufferSize capacity = queue->min_buffer_size({rational(target), criterion});
        INFO(incast.senders << " " << target << " " << capacity.buffer.value);
        CHECK(test::ends(capacity.at.probability).upper <= test::fraction_of(rational(target)));
        if (capacity.buffer.value > 0) {
          REQUIRE(capacity.before);
          CHECK(test::ends(capacity.before->probability).lower > test::fraction_of(rational(target)));
        }
      }
}

TEST_CASE("incast: losses in overload are those of the chain of packets and slots left", "[incast]") {
  // 4 senders of 3 packets, 0.15 events per slot: load 1.8. By elimination of (packets, slots left),
  // independently.
  const auto queue = bounds::output_queue(Incast{4, 3, rational("0.15")});
  for (const auto& [capacity, loss] :
       {std::pair{5, 0.5608969353047342}, {9, 0.4888264966801145}, {20, 0.4485836328378911}}) {
    const test::Ends found =
        test::ends(queue->drop_probability(Packets(capacity), Criterion::loss).probability);
    CHECK(static_cast<double>(found.lower) == Approx(loss).epsilon(1e-9));
  }
  CHECK(queue->min_buffer_size({rational("0.48882649669"), Criterion::loss}).buffer == Packets(9));
  CHECK(queue->min_buffer_size({rational("0.48882649668"), Criterion::loss}).buffer == Packets(10));
}

TEST_CASE("incast: targets that equal a probability are decided", "[incast]") {
  const auto queue = bounds::output_queue(Incast{2, 2, rational("0.1")});
  CHECK(queue->min_buffer_size({rational("2/5"), Criterion::overflow}).buffer ==
        Packets(0));  // P(Q > 0) = load
  // By hand, from the balance equations.
  CHECK(queue->min_buffer_size({rational("13/40"), Criterion::overflow}).buffer == Packets(1));
  CHECK(queue->min_buffer_size({rational("53/320"), Criterion::overflow}).buffer == Packets(2));
  CHECK(middle(queue->drop_probability(Packets(1), Criterion::overflow).probability) ==
        Approx(IncastChain({2, 2, rational("0.1")}, 200).tails[1]));
}

TEST_CASE("incast: errors", "[incast]") {
  CHECK_THROWS_AS(bounds::output_queue(Incast{0, 1, rational("0.1")}), InvalidArgument);
  CHECK_THROWS_AS(bounds::output_queue(Incast{2, 10, rational("0.1")}), InvalidArgument);
  const auto overloaded = bounds::output_queue(Incast{32, 64, rational("0.001")});
  CHECK_THROWS_WITH(overloaded->drop_probability(Packets(9), Criterion::overflow),
                    Catch::Contains("its load is 2.048"));
  CHECK_THROWS_AS(overloaded->mean_occupancy(), Unstable);
  CHECK_THROWS_AS(overloaded->min_buffer_size({rational("0.1"), Criterion::overflow}), Unstable);
  CHECK_THROWS_WITH(overloaded->min_buffer_size({rational("0.5"), Criterion::loss}),
                    Catch::Contains("1 - 1/load = 0.51171875"));
  CHECK_THROWS_AS(bounds::output_queue(Incast{16, 60'000, rational("1e-7")}), InvalidArgument);
  CHECK_THROWS_AS(bounds::output_queue(Incast{2, 2, rational("0")}), InvalidArgument);
}
