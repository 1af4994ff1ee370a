#include <tailbound/bounds/crossbar/crossbar_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <random>
#include <tests/support/rational.hpp>
#include <tuple>
#include <vector>

using namespace tailbound;
using bounds::crossbar_guarantee;
using bounds::CrossbarGuarantee;
using bounds::PolicedCrossbar;
using numeric::Rational;
using tailbound::test::rational;
using traffic::TokenBucket;

namespace {

/// What a switch did.
struct Observed {
  std::int64_t input_slots = 0, input_cells = 0, switch_slots = 0, output_cells = 0;
};

/// Tokens in units of 1/`unit`.
struct Bucket {
  std::int64_t rate, burst, unit, tokens;
  Bucket(const TokenBucket& bucket, std::int64_t of)
      : rate(numeric::to_int64(numeric::floor(bucket.rate * Rational(of)))),
        burst(numeric::to_int64(numeric::floor(bucket.burst * Rational(of)))),
        unit(of),
        tokens(burst) {}
  void refill() { tokens = std::min(burst, tokens + rate); }
  [[nodiscard]] bool has() const { return tokens >= unit; }
};

/// A switch, slot by slot, whose hosts save tokens for a while and then send to few outputs at once.
Observed attacked(const PolicedCrossbar& crossbar, std::uint64_t seed, int slots) {
  struct Cell {
    std::size_t row, column;
    std::int64_t came;
  };
  std::mt19937_64 random(seed);
  const auto k = static_cast<std::size_t>(crossbar.ports);
  std::vector<Bucket> rows(k, Bucket(crossbar.row, 60)), columns(k, Bucket(crossbar.column, 60));
  std::vector<Cell> inputs;  // oldest first
  std::vector<std::deque<std::int64_t>> outputs(k);
  Observed seen;
  std::size_t target = 0;
  bool quiet = false;
  for (std::int64_t now = 0; now < slots; ++now) {
    for (Bucket& bucket : rows) bucket.refill();
    for (Bucket& bucket : columns) bucket.refill();
    if (random() % 8 == 0) target = random() % k;
    if (random() % 16 == 0) quiet = !quiet;
    std::vector<std::size_t> order(k);
    for (std::size_t row = 0; row < k; ++row) order[row] = row;
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t row : order) {
      if (quiet || !rows[row].has()) continue;
      const std::size_t column = random() % 4 == 0 ? random() % k : target;
      if (!columns[column].has()) continue;
      rows[row].tokens -= rows[row].unit;
      columns[column].tokens -= columns[column].unit;
      inputs.push_back({row, column, now});
    }
    std::vector<std::int64_t> held(k);
    for (const Cell& cell : inputs) seen.input_cells = std::max(seen.input_cells, ++held[cell.row]);
    for (std::int64_t phase = 0; phase < crossbar.speedup; ++phase) {
      std::vector<bool> row_used(k), column_used(k);
      for (auto cell = inputs.begin(); cell != inputs.end();) {
        if (row_used[cell->row] || column_used[cell->column]) {
          ++cell;
          continue;
        }
        row_used[cell->row] = column_used[cell->column] = true;
        seen.input_slots = std::max(seen.input_slots, now - cell->came + 1);
        outputs[cell->column].push_back(cell->came);
        cell = inputs.erase(cell);
      }
    }
    for (auto& output : outputs) {
      if (crossbar.speedup > 1)
        seen.output_cells = std::max(seen.output_cells, static_cast<std::int64_t>(output.size()));
      if (output.empty()) continue;
      seen.switch_slots = std::max(seen.switch_slots, now - output.front() + 1);
      output.pop_front();
    }
  }
  return seen;
}

TokenBucket bucket(const char* rate, std::int64_t burst) {
  return {rational(rate), Rational(burst)};
}

}  // namespace

TEST_CASE("crossbar guarantee: no attack on the oldest cell first exceeds it") {
  std::int64_t attacks = 0, close = 0;
  for (const std::int64_t ports : {1, 2, 3, 4})
    for (const std::int64_t speedup : {1, 2, 3})
      for (const auto& [row, column] :
           std::vector<std::pair<TokenBucket, TokenBucket>>{{bucket("1/60", 1), bucket("1/60", 4)},
                                                            {bucket("1/4", 2), bucket("1/3", 3)},
                                                            {bucket("9/20", 5), bucket("1/2", 2)},
                                                            {bucket("1/2", 1), bucket("9/20", 6)}}) {
        const PolicedCrossbar crossbar{ports, speedup, row, column};
        const CrossbarGuarantee proved = crossbar_guarantee(crossbar);
        for (std::uint64_t seed = 0; seed < 6; ++seed, ++attacks) {
          const Observed seen = attacked(crossbar, seed, 4000);
          INFO(ports << " ports, speedup " << speedup << ", D = " << proved.input_slots);
          CHECK(seen.input_slots <= proved.input_slots);
          CHECK(seen.input_cells <= proved.input_cells);
          CHECK(seen.output_cells <= proved.output_cells);
          CHECK(seen.switch_slots <= proved.switch_slots());
          close += seen.input_slots == proved.input_slots;
        }
      }
  CHECK(attacks == 288);
  CHECK(close > 50);  // where it is attained: a bound smaller by one would fail
}

TEST_CASE("crossbar guarantee: values, and the definition of D") {
  // All ports send to one output at once, single cells: the last one leaves in slot K / S.
  CHECK(crossbar_guarantee({4, 1, bucket("1/100", 1), bucket("1/100", 4)}).input_slots == 4);
  CHECK(crossbar_guarantee({4, 2, bucket("1/100", 1), bucket("1/100", 4)}).input_slots == 2);
  CHECK(attacked({4, 1, bucket("1/60", 1), bucket("1/60", 4)}, 3, 4000).input_slots == 4);
  // The specification's example: 72 slots, 2 * 72 = 72 + 73 - 1.
  const CrossbarGuarantee eight = crossbar_guarantee({8, 2, bucket("0.9", 10), bucket("0.9", 10)});
  CHECK(eight.input_slots == 72);
  CHECK(eight.input_cells == 72);
  for (const std::int64_t ports : {1, 2, 5, 40})
    for (const std::int64_t speedup : {1, 2, 3})
      for (const char* rate : {"1/7", "2/5", "0.9"})
        for (const std::int64_t tokens : {1, 3, 17}) {
          const PolicedCrossbar crossbar{ports, speedup, bucket(rate, tokens), bucket("1/20", 2 * tokens)};
          const CrossbarGuarantee found = crossbar_guarantee(crossbar);
          const auto holds = [&](std::int64_t d) {
            return speedup * d >= crossbar.row_cells(d) + crossbar.column_cells(d) - 1;
          };
          for (std::int64_t d = 1; d < found.input_slots; ++d) CHECK_FALSE(holds(d));
          CHECK(holds(found.input_slots));
          CHECK(found.input_cells == crossbar.row_cells(found.input_slots));
          std::int64_t wait = 0;
          for (std::int64_t m = 1; m < 2000; ++m)
            wait =
                std::max(wait, std::min(speedup * m, crossbar.column_cells(m + found.input_slots - 1)) - m);
          CHECK(found.output_wait == wait);
        }
}

TEST_CASE("crossbar guarantee: no bound without enough speedup, numbers out of range") {
  CHECK_THROWS_WITH(crossbar_guarantee({4, 1, bucket("1/2", 3), bucket("1/2", 3)}),
                    Catch::Contains("speedup is 1") && Catch::Contains("sum of the rates"));
  CHECK(crossbar_guarantee({4, 1, bucket("0.9", 1), bucket("0.9", 1)}).input_slots == 1);  // no conflicts
  CHECK_THROWS_AS(crossbar_guarantee({0, 2, bucket("1/2", 3), bucket("1/2", 3)}), InvalidArgument);
  CHECK_THROWS_AS(crossbar_guarantee({2, 0, bucket("1/2", 3), bucket("1/2", 3)}), InvalidArgument);
  CHECK_THROWS_AS(crossbar_guarantee({2, 3, bucket("3/2", 3), bucket("1/2", 3)}), InvalidArgument);
  CHECK_THROWS_AS(crossbar_guarantee({2, 3, bucket("1/2", 0), bucket("1/2", 3)}), InvalidArgument);
  CHECK_THROWS_AS(
      crossbar_guarantee({4, 1, bucket("0.5", 1'000'000'000), bucket("0.4999999999", 1'000'000'000)}),
      LimitExceeded);
}
