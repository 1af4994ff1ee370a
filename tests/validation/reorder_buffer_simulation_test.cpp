#include <tailbound/bounds/path/reorder_buffer.hpp>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <tests/support/random_models.hpp>
#include <vector>

/// The reorder buffer compared with a simulation written from its definition: a sender, packets in flight,
/// and a receiver that releases packets in the order of their numbers. It shares nothing with the analysis.
///
/// Batch means: 100 batches, whose correlation is negligible (the past matters for less than 20 slots). P(R >
/// b) must lie within 6 standard errors of the mean; levels are compared if a batch is expected to contain
/// 100 slots or more, so that batch means are close to normal. Student's distribution with 99 degrees of
/// freedom exceeds 6 with a probability of 4e-8 (both sides): with at most 200 comparisons per run, a false
/// alarm occurs about once in 100 000 choices of the seeds. The seeds are fixed.
using namespace tailbound;
using tailbound::test::Random;

namespace {

/// Probabilities in 1024ths: ten random bits decide without rounding.
struct Flow {
  int rate = 0;             ///< in 1024ths
  std::vector<int> delays;  ///< in 1024ths; sum 1024

  [[nodiscard]] numeric::Rational exact_rate() const { return numeric::Rational(rate) / 1024; }
  [[nodiscard]] std::vector<numeric::Rational> exact_delays() const {
    std::vector<numeric::Rational> result;
    for (const int share : delays) result.push_back(numeric::Rational(share) / 1024);
    return result;
  }
};

Flow random_flow(Random& random) {
  Flow flow;
  flow.rate = random.one_in(5) ? 1024 : static_cast<int>(random.between(100, 1000));
  flow.delays.assign(static_cast<std::size_t>(random.between(3, 16)), 0);
  const auto last = static_cast<std::int64_t>(flow.delays.size()) - 1;
  // The smaller of two uniform choices: short delays are more likely.
  for (int i = 0; i < 1024; ++i)
    ++flow.delays[static_cast<std::size_t>(std::min(random.between(0, last), random.between(0, last)))];
  return flow;
}

/// One flow and its receiver, slot by slot.
class Simulation {
 public:
  Simulation(const Flow& flow, std::uint64_t seed) : flow_(flow), random_(seed) {
    for (std::size_t delay = 0; delay < flow.delays.size(); ++delay)
      for (int i = 0; i < flow.delays[delay]; ++i) delay_of_bits_.push_back(delay);
  }

  /// Packets in the reorder buffer at the end of the next slot.
  std::size_t next_slot() {
    const std::uint64_t bits = random_();
    if (static_cast<int>(bits % 1024) < flow_.rate) {
      const std::size_t delay = delay_of_bits_[(bits >> 20) % 1024];
      in_transit_[(slot_ + delay) % window].push_back(next_number_++);
    }
    for (const std::uint64_t number : in_transit_[slot_ % window]) {
      arrived_[number % window] = true;
      ++waiting_;
    }
    in_transit_[slot_ % window].clear();
    while (arrived_[expected_ % window]) {
      arrived_[expected_ % window] = false;
      ++expected_;
      --waiting_;
    }
    ++slot_;
    return waiting_;
  }

 private:
  static constexpr std::size_t window = 32;  // more than the relevant slots

  Flow flow_;
  std::mt19937_64 random_;
  std::vector<std::size_t> delay_of_bits_;
  std::array<std::vector<std::uint64_t>, window> in_transit_;
  std::array<bool, window> arrived_{};
  std::uint64_t slot_ = 0, next_number_ = 0, expected_ = 0;
  std::size_t waiting_ = 0;
};

struct Mean {
  double value = 0, standard_error = 0;
};

constexpr std::size_t levels = 16;
constexpr std::int64_t batches = 100;

/// P(R > b) for b < levels.
std::array<Mean, levels> simulate(const Flow& flow, std::int64_t slots, std::uint64_t seed) {
  Simulation simulation(flow, seed);
  for (int i = 0; i < 1000; ++i) simulation.next_slot();
  std::array<double, levels> sum{}, squares{};
  const std::int64_t batch_slots = slots / batches;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    std::array<std::int64_t, 64> seen{};
    for (std::int64_t i = 0; i < batch_slots; ++i) ++seen[simulation.next_slot()];
    std::int64_t above = batch_slots;
    for (std::size_t b = 0; b < levels; ++b) {
      above -= seen[b];
      const double share = static_cast<double>(above) / static_cast<double>(batch_slots);
      sum[b] += share;
      squares[b] += share * share;
    }
  }
  std::array<Mean, levels> result;
  for (std::size_t b = 0; b < levels; ++b) {
    const double mean = sum[b] / batches;
    const double variance = std::max(0.0, squares[b] / batches - mean * mean) * batches / (batches - 1);
    result[b] = {mean, std::sqrt(variance / batches)};
  }
  return result;
}

void compare_ten_flows(std::int64_t slots) {
  Random random(2004);
  int compared = 0;
  for (int i = 0; i < 10; ++i) {
    const Flow flow = random_flow(random);
    const auto tails =
        bounds::reorder_tails(flow.exact_rate(), bounds::from_pmf(flow.exact_delays()), levels);
    const auto means = simulate(flow, slots, 900 + static_cast<std::uint64_t>(i));
    std::ostringstream table;
    table.precision(10);
    table << "flow " << i << ": rate " << flow.rate << "/1024, delays 0 to " << flow.delays.size() - 1
          << "\n";
    for (std::size_t b = 0; b < levels; ++b) {
      const double low = tails[b].lower().convert_to<double>(), high = tails[b].upper().convert_to<double>();
      if (high * static_cast<double>(slots / batches) < 100) break;
      const double deviation = (means[b].value - high) / means[b].standard_error;
      table << "  P(R > " << b << "): enclosed " << low << ", simulated " << means[b].value << " +- "
            << means[b].standard_error << " (" << deviation << " standard errors)\n";
      INFO(table.str());
      CHECK(means[b].value - 6 * means[b].standard_error <= high);
      CHECK(means[b].value + 6 * means[b].standard_error >= low);
      ++compared;
    }
    if (slots > 10'000'000) WARN(table.str());
  }
  CHECK(compared >= 20);
  CHECK(compared <= 200);
}

}  // namespace

TEST_CASE("reorder buffer: ten flows simulated, 10^6 slots each", "[validation][reorder]") {
  compare_ten_flows(1'000'000);
}

TEST_CASE("reorder buffer: ten flows simulated, 10^8 slots each", "[.full][validation][reorder]") {
  compare_ten_flows(100'000'000);
}
