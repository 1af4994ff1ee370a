#include <tailbound/bounds/crossbar/crossbar_guarantee.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <string>

namespace tailbound::bounds {
namespace {

using numeric::Rational;
using traffic::TokenBucket;

constexpr std::int64_t max_steps = 1'000'000;
constexpr std::int64_t max_guaranteed = 1'000'000'000'000;  ///< slots: products with max_ports fit

std::int64_t cells_of(const TokenBucket& bucket, std::int64_t slots) {
  return numeric::to_int64(numeric::floor(bucket.burst + bucket.rate * Rational(slots - 1)));
}

void check(const TokenBucket& bucket, const char* rate, const char* burst) {
  require(bucket.rate > 0 && bucket.rate <= 1, rate, numeric::to_fraction(bucket.rate),
          "above 0 and at most 1 cell per slot");
  require(bucket.burst >= 1 && bucket.burst <= Rational(PolicedCrossbar::max_burst), burst,
          numeric::to_fraction(bucket.burst), "from 1 to 10^9 tokens: a cell takes one");
}

void check(const PolicedCrossbar& crossbar) {
  require(crossbar.ports >= 1 && crossbar.ports <= PolicedCrossbar::max_ports, "ports",
          std::to_string(crossbar.ports), "from 1 to 1000000");
  require(crossbar.speedup >= 1 && crossbar.speedup <= PolicedCrossbar::max_ports, "speedup",
          std::to_string(crossbar.speedup), "from 1 to 1000000, a whole number");
  check(crossbar.row, "rate of a row", "tokens of a row");
  check(crossbar.column, "rate of a column", "tokens of a column");
}

/// The smallest D with S D >= a_r(D) + a_c(D) - 1. The right side does not decrease with D, so that a D for
/// which it holds is at least ceil(right side / S) for each smaller D: these ascend to the smallest one.
std::int64_t slots_at_inputs(const PolicedCrossbar& crossbar) {
  std::int64_t slots = 1;
  for (std::int64_t step = 0; step < max_steps && slots <= max_guaranteed; ++step) {
    const std::int64_t phases = crossbar.row_cells(slots) + crossbar.column_cells(slots) - 1;
    const std::int64_t needed = (phases + crossbar.speedup - 1) / crossbar.speedup;
    if (needed <= slots) return slots;
    slots = needed;
  }
  const Rational rates = crossbar.row.rate + crossbar.column.rate;
  if (Rational(crossbar.speedup) <= rates)
    throw InvalidArgument("speedup", std::to_string(crossbar.speedup),
                          "above the sum of the rates of a row and a column, " + numeric::to_fraction(rates));
  throw LimitExceeded(
      "the speedup exceeds the sum of the rates of a row and a column by so little that the bound is above "
      "10^12 slots or takes more than 10^6 steps; give a larger speedup or lower rates");
}

/// max_m min(S m, K (m + D - 1), tokens(m + D - 1)) - m. The minimum of the first two less m does not
/// decrease with m, the third less m does not increase: the maximum is where they cross.
std::int64_t wait_at_outputs(const PolicedCrossbar& crossbar, std::int64_t at_inputs) {
  if (crossbar.speedup == 1) return 0;
  const auto may_come = [&](std::int64_t m) {
    return std::min(crossbar.speedup * m, crossbar.ports * (m + at_inputs - 1));
  };
  const auto tokens = [&](std::int64_t m) { return cells_of(crossbar.column, m + at_inputs - 1); };
  constexpr std::int64_t never = std::int64_t{1} << 40;
  std::int64_t high = 1;
  while (high < never && may_come(high) < tokens(high)) high *= 2;
  std::int64_t low = high / 2;  // the last m that is known not to be there, or 0
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (may_come(middle) < tokens(middle) ? low : high) = middle;
  }
  const std::int64_t before = low == 0 ? 0 : may_come(low) - low;
  return std::max(before, std::min(may_come(high), tokens(high)) - high);
}

}  // namespace

std::int64_t PolicedCrossbar::row_cells(std::int64_t slots) const {
  return std::min(slots, cells_of(row, slots));
}

std::int64_t PolicedCrossbar::column_cells(std::int64_t slots) const {
  return std::min(ports * slots, cells_of(column, slots));
}

CrossbarGuarantee crossbar_guarantee(const PolicedCrossbar& crossbar) {
  check(crossbar);
  CrossbarGuarantee result;
  result.input_slots = slots_at_inputs(crossbar);
  result.input_cells = crossbar.row_cells(result.input_slots);
  result.output_wait = wait_at_outputs(crossbar, result.input_slots);
  result.output_cells = crossbar.speedup == 1 ? 0 : result.output_wait + 1;
  return result;
}

}  // namespace tailbound::bounds
