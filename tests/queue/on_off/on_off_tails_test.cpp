#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/markov/markov_queue.hpp>
#include <tailbound/queue/on_off/on_off_tails.hpp>

#include <catch2/catch.hpp>
#include <variant>
#include <vector>

using namespace tailbound;
using numeric::Rational;

TEST_CASE("on-off tails: without proof, they match the enclosures of the certified queue", "[markov_queue]") {
  struct Row {
    std::int64_t sources;
    Rational load, burst, on_rate;
  };
  const std::vector<std::int64_t> levels{0, 1, 2, 3, 7, 8, 20, 60, 150};
  for (const Row& row : {Row{2, Rational(2) / 5, 5, 1}, Row{5, Rational(1) / 10, 12, Rational(1) / 2},
                         Row{8, Rational(1) / 10, 7, Rational(9) / 10}, Row{3, Rational(3) / 10, 30, 1}}) {
    const traffic::OnOff source = traffic::on_off(row.load, {.slots = row.burst, .on_rate = row.on_rate});
    const std::vector<double> found = queue::on_off_tails(source, row.sources, levels);
    queue::MarkovQueue queue(queue::MarkovArrivals::on_off({{source, row.sources}}), numeric::Digits{8});
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto bounds = std::get<numeric::Enclosure<unit::Probability>>(queue.tail(levels[i]));
      INFO(row.sources << " sources, level " << levels[i]);
      CHECK(found[i] == Approx(static_cast<double>(bounds.lower())).epsilon(1e-6).margin(1e-14));
    }
  }
  // Bursts of a million slots cost no more than short ones.
  const auto long_bursts = queue::on_off_tails(
      traffic::on_off(Rational(1) / 20, {.slots = 1'000'000, .on_rate = 1}), 10, {0, 1, 1000, 1'000'000});
  CHECK(long_bursts[0] == Approx(0.5));
  CHECK((long_bursts[1] > long_bursts[2] && long_bursts[2] > long_bursts[3] && long_bursts[3] > 0.01));
  // One source that sends at most one packet per slot never queues.
  CHECK(queue::on_off_tails(traffic::on_off(Rational(1) / 2, {.slots = 4, .on_rate = 1}), 1, {0, 1, 5}) ==
        std::vector<double>{0.5, 0, 0});
  CHECK_THROWS_AS(queue::on_off_tails(traffic::on_off(Rational(1) / 2, {.slots = 4, .on_rate = 1}), 2, {0}),
                  Unstable);
}
