#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/traffic/trace/trace_fit.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::traffic {
namespace {

constexpr std::int64_t max_sources = 16, usual_sources = 8;  ///< where m is not known
constexpr std::int64_t longest_burst = 1'000'000'000;

/// F_n.
double accumulated(double memory, std::int64_t slots) {
  const auto n = static_cast<double>(slots);
  if (n * (1 - memory) < 1e-4) return (n - 1) / 2;  // for lambda near 1
  return memory / (1 - memory) - memory * (1 - std::pow(memory, n)) / (n * (1 - memory) * (1 - memory));
}

/// The memory in ]0, 1[ at which an increasing function is `wanted`.
template <class F>
double memory_where(double wanted, const F& of) {
  const auto [low, high] = halved(0.0, 1 - 1e-12, [&](double memory) { return of(memory) < wanted; });
  return (low + high) / 2;
}

numeric::Rational rounded_rate(double value) {
  constexpr double scale = 1e9;
  return numeric::Rational(static_cast<long>(std::llround(value * scale))) / numeric::Rational(1'000'000'000);
}

/// Are they sources as rounded, with bursts that the trace can show? Bursts longer than the trace arise where
/// the IDC of a short trace grows like that of a trend.
bool possible(const FittedSources& sources, std::int64_t slots) {
  return rounded_rate(sources.load) > 0 && rounded_rate(sources.on_rate) > rounded_rate(sources.load) &&
         sources.burst() <= static_cast<double>(std::min(slots, longest_burst));
}

}  // namespace

double FittedSources::burst() const {
  return 1 / ((1 - memory) * (1 - load / on_rate));
}

double FittedSources::dispersion(std::int64_t slots) const {
  return 1 - load + 2 * (on_rate - load) * accumulated(memory, slots);
}

OnOff FittedSources::source() const {
  const numeric::Rational rate = on_rate >= 1 ? numeric::Rational(1) : rounded_rate(on_rate);
  return on_off(rounded_rate(load), {.slots = rounded_rate(burst()), .on_rate = rate});
}

TraceFit fit(const std::vector<CountDispersion>& dispersion, double load, std::int64_t level,
             std::optional<std::int64_t> inputs) {
  TraceFit result;
  result.level = level;
  const double wanted = std::max(10.0, static_cast<double>(std::max<std::int64_t>(level, 1)) / (1 - load));
  // Horizons are 1, 3, 10, 30, ..: n / 10 and 10 n are two entries away.
  std::size_t place = 2;
  while (place + 1 < dispersion.size() && static_cast<double>(dispersion[place].slots) < wanted) ++place;
  place = std::min(place, dispersion.size() - 1);
  if (place < 2) {
    result.enough = false;
    result.horizon = dispersion[place].slots;
    return result;
  }
  result.horizon = dispersion[place].slots;
  result.enough = place + 2 < dispersion.size();
  const CountDispersion &far = dispersion[place], &near = dispersion[place - 2];
  double a = 1 - dispersion.front().value;  // for independent inputs that send at most one packet per slot
  if (inputs) a = load / static_cast<double>(*inputs);
  const std::int64_t count =
      inputs ? *inputs
             : std::clamp<std::int64_t>(a > 0 ? std::llround(load / a) : usual_sources, 1, max_sources);
  a = load / static_cast<double>(count);
  const double excess = far.value - 1 + a, excess_near = near.value - 1 + a;
  // Windows of n slots do not vary more than n independent slots: no memory detected.
  if (far.value - dispersion.front().value <= far.half_width) return result;
  if (a >= 1 || excess <= 0) return result;
  FittedSources sources{.count = count, .load = a};
  const double ratio = excess_near > 0 ? excess / excess_near : 10;
  sources.memory = memory_where(
      ratio, [&](double memory) { return accumulated(memory, far.slots) / accumulated(memory, near.slots); });
  sources.on_rate = a + excess / (2 * accumulated(sources.memory, far.slots));
  if (!(sources.on_rate <= 1)) {
    sources.on_rate = 1;
    sources.memory =
        memory_where(excess, [&](double memory) { return 2 * (1 - a) * accumulated(memory, far.slots); });
  }
  if (possible(sources, far.slots * far.windows))
    result.sources = sources;
  else
    result.enough = false;
  return result;
}

}  // namespace tailbound::traffic
