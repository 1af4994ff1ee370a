#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/queue/finite/shared_approximation.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::queue {
namespace {

/// P(X > floor(level)); 1 below 0, 0 beyond the table.
long double tail_at(const std::vector<long double>& tail, double level) {
  if (level < 0) return 1;
  return level < static_cast<double>(tail.size()) ? tail[static_cast<std::size_t>(level)] : 0;
}

}  // namespace

std::optional<SharedApproximation> SharedApproximation::of(const SharedSwitch& fed, const MemoryRule& rule) {
  if (!fed.uniform() || fed.cells.largest() > 1) return std::nullopt;
  const SharedSwitch::Outputs& kind = fed.outputs.front();
  const auto highest = std::max_element(kind.rates.begin(), kind.rates.end());
  const double maximum = numeric::nearest_double(*highest);
  const bool single = kind.rates.size() == 1, pairs = kind.count > 1;
  if (maximum == 0 || (maximum >= 0.5 && pairs && !single)) return std::nullopt;
  SharedApproximation result;
  result.switch_ = fed;
  result.rule_ = rule;
  result.ports_ = static_cast<double>(kind.count);
  result.mean_ = numeric::nearest_double(mean_occupancy(kind.rates));
  numeric::Rational load = 0;
  for (const numeric::Rational& rate : kind.rates) load = load + rate;
  result.load_ = numeric::nearest_double(load);
  if (single || !pairs) {
    // With a single input no packet waits. With one output there is no other.
    result.second_ = single ? OutputCovariance{.variance = maximum * (1 - maximum),
                                               .covariance = -maximum * maximum,
                                               .agreed_digits = 10}
                            : output_variance(kind.rates);
  } else {
    result.second_ = output_covariance(kind.rates);
    if (result.second_.agreed_digits < 2) return std::nullopt;
  }
  const double all = result.ports_ * result.second_.variance;
  const double var = all + result.ports_ * (result.ports_ - 1) * result.second_.covariance;
  result.ratio_ = std::sqrt(std::max(var, 1e-6 * all) / all);
  return result;
}

double SharedApproximation::total_level(double memory) const {
  const double mean = ports_ * mean_;
  return mean + (memory - mean) / ratio_;
}

void SharedApproximation::reach(double level) {
  const auto size = static_cast<std::size_t>(std::max(level, 0.0)) + 2;
  if (size <= own_.size()) return;
  block_ = block_of(size, 1.5 * std::log2(ports_) + 1);
  own_ = occupancy(switch_.outputs.front().rates, (size / block_ + 1) * block_);
  total_ = series::sum_of_identical(series::spread(own_, block_), switch_.outputs.front().count);
}

long double SharedApproximation::value(std::int64_t memory) const {
  const auto capacity = static_cast<double>(memory);
  const double others = (ports_ - 1) * mean_;
  const long double long_sum = tail_at(total_.tail, total_level(capacity) / static_cast<double>(block_));
  const long double long_queue = ports_ * tail_at(own_.tail, capacity - others);
  const long double overflow = std::min<long double>(1, std::max(long_sum, long_queue));
  if (rule_.measure == MemoryRule::Measure::overflow) return overflow;
  const long double odds = (1 - load_) / load_;
  const long double shared = std::min<long double>(1, overflow * odds / std::sqrt(ports_));
  if (!rule_.threshold) return shared;
  const double alpha = numeric::nearest_double(*rule_.threshold);
  const long double tail = tail_at(own_.tail, std::ceil(alpha * (capacity - others) / (1 + alpha)));
  // The loss must not decrease when fewer packets are accepted.
  return tail >= 1 ? 1 : std::min<long double>(1, std::max(shared, odds * tail / (1 - tail)));
}

double SharedApproximation::at(Packets memory) {
  reach(std::max(total_level(static_cast<double>(memory.value)), static_cast<double>(memory.value)) + 1);
  return static_cast<double>(value(memory.value));
}

Packets SharedApproximation::minimum(double log_target, Packets hint) {
  const auto target = std::exp(static_cast<long double>(log_target));
  for (std::int64_t last = hint.value + 2;; last += last / 2) {
    reach(std::max(total_level(static_cast<double>(last)), static_cast<double>(last)) + 1);
    if (value(last) > target) continue;
    return Packets(first_that(std::int64_t{0}, last, [&](std::int64_t at) { return value(at) <= target; }));
  }
}

numeric::Approximation<unit::PacketsSquared> SharedApproximation::variance() const {
  const double pairs = ports_ * (ports_ - 1) * second_.covariance;
  const double variance = ports_ * second_.variance + pairs;
  // The digits of the covariance, less those lost in the sum.
  const double lost = pairs == 0 ? 0 : std::log10(std::abs(pairs) / variance);
  const int digits =
      std::clamp(second_.agreed_digits - static_cast<int>(std::ceil(std::max(0.0, lost))), 1, 10);
  return {.value = numeric::Real(variance), .agreed_digits = digits};
}

}  // namespace tailbound::queue
