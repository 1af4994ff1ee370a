#pragma once

#include <tailbound/numeric/real.hpp>
#include <tailbound/numeric/rounding.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

/// The distribution of a sum of binomial numbers, in type T (long double, Real).
///
/// RESULT    P(sum_c scale_c Binomial(count_c, share_c) = grain n): each binomial distribution by its
///           recurrence from the middle outwards, divided by its sum, so nothing cancels or overflows; then
///           products. Negligible ends are cut off, and counted in `dropped`.
/// CONTRACT  a mass has at most `units` roundings; all together are too small by at most `dropped`
/// TESTS     tests/queue/flows/periodic_flows_test.cpp, tests/queue/flows/flow_bounds_test.cpp
/// Internal to the queue module.
namespace tailbound::queue {

struct BinomialPart {
  std::int64_t count = 0, scale = 1;
  numeric::Rational share;  ///< 0 to 1
};

template <class T>
struct WindowLaw {
  std::int64_t first = 0;  ///< smallest number, in grains
  std::vector<T> mass;     ///< of first, first + 1, ..
  T dropped = T(0);
  double units = 0;
};

template <class T>
[[nodiscard]] T nearest_number(const numeric::Rational& value) {
  if constexpr (std::is_floating_point_v<T>)
    return numeric::nearest_long_double(value);
  else
    return numeric::to_real(value, numeric::Rounding::nearest);
}

/// Binomial(count, share), down to 2^-cut of its largest mass.
template <class T>
[[nodiscard]] WindowLaw<T> binomial_law(std::int64_t count, const numeric::Rational& share, int cut) {
  using std::ldexp;
  if (share == 0) return {.first = 0, .mass = {T(1)}, .dropped = T(0), .units = 0};
  if (share == 1) return {.first = count, .mass = {T(1)}, .dropped = T(0), .units = 0};
  const T negligible = ldexp(T(1), -cut);
  // The odds carry 3 roundings, and each quotient and product one: 6 per step.
  const T odds = nearest_number<T>(share / (1 - share));
  const auto middle = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(numeric::nearest_double(share) * static_cast<double>(count + 1)), 0, count);
  std::vector<T> down, up{T(1)};
  T sum(1), dropped(0);
  // The omitted terms fall faster than a geometric series.
  const auto leave = [&](const T& mass, const T& ratio) {
    if (!(mass < negligible && ratio < T(0.999L))) return false;
    dropped += mass / (T(1) - ratio);
    return true;
  };
  for (std::int64_t i = middle; i < count; ++i) {
    const T ratio = T(count - i) / T(i + 1) * odds;
    T mass = up.back() * ratio;
    if (leave(mass, ratio)) break;
    sum += mass;
    up.push_back(std::move(mass));
  }
  for (std::int64_t i = middle; i > 0; --i) {
    const T ratio = T(i) / (T(count - i + 1) * odds);
    T mass = (down.empty() ? T(1) : down.back()) * ratio;
    if (leave(mass, ratio)) break;
    sum += mass;
    down.push_back(std::move(mass));
  }
  WindowLaw<T> law{.first = middle - static_cast<std::int64_t>(down.size()),
                   .mass = {},
                   .dropped = dropped / sum * T(2),
                   .units = 0};
  const double steps = static_cast<double>(std::max(up.size(), down.size()));
  // Roundings of a mass, of the sum (each term as many, plus one per addition) and of the quotient; and what
  // was cut off the sum.
  law.units = 2 * 6 * steps + static_cast<double>(up.size() + down.size()) + 3;
  law.mass.reserve(up.size() + down.size());
  for (std::size_t i = down.size(); i-- > 0;) law.mass.push_back(down[i] / sum);
  for (const T& mass : up) law.mass.push_back(mass / sum);
  return law;
}

/// Cuts off what is below 2^-cut at both ends.
template <class T>
void trim(WindowLaw<T>& law, int cut) {
  using std::ldexp;
  const T negligible = ldexp(T(1), -cut);
  std::size_t begin = 0, end = law.mass.size();
  for (; end > begin + 1 && law.mass[end - 1] < negligible; --end) law.dropped += law.mass[end - 1] * T(2);
  for (; begin + 1 < end && law.mass[begin] < negligible; ++begin) law.dropped += law.mass[begin] * T(2);
  law.mass.resize(end);
  law.mass.erase(law.mass.begin(), law.mass.begin() + static_cast<std::ptrdiff_t>(begin));
  law.first += static_cast<std::int64_t>(begin);
}

/// Of the sum of `law` and `stride` times a number of law `other`.
template <class T>
[[nodiscard]] WindowLaw<T> with(const WindowLaw<T>& law, const WindowLaw<T>& other, std::int64_t stride,
                                int cut) {
  using std::ldexp;
  const auto step = static_cast<std::size_t>(stride);
  WindowLaw<T> sum{.first = law.first + stride * other.first,
                   .mass = std::vector<T>(law.mass.size() + step * (other.mass.size() - 1), T(0)),
                   .dropped = law.dropped + other.dropped,
                   .units = 0};
  for (std::size_t j = 0; j < other.mass.size(); ++j)
    for (std::size_t i = 0; i < law.mass.size(); ++i) sum.mass[i + step * j] += law.mass[i] * other.mass[j];
  sum.units = law.units + other.units + 2 + static_cast<double>(std::min(law.mass.size(), other.mass.size()));
  // Underflowed masses sum to less than this.
  if constexpr (std::is_floating_point_v<T>) sum.dropped += ldexp(T(1), -12'000);
  trim(sum, cut);
  return sum;
}

/// The greatest common divisor of the scales of the parts that are not constant; 1 if there are none.
[[nodiscard]] inline std::int64_t grain_of(const std::vector<BinomialPart>& parts) {
  std::int64_t grain = 0;
  for (const BinomialPart& part : parts)
    if (part.share != 0) grain = std::gcd(grain, part.scale);
  return std::max<std::int64_t>(1, grain);
}

/// Of the sum of all parts, in grains.
template <class T>
[[nodiscard]] WindowLaw<T> law_of(const std::vector<BinomialPart>& parts, std::int64_t grain, int cut) {
  WindowLaw<T> sum{.first = 0, .mass = {T(1)}, .dropped = T(0), .units = 0};
  for (const BinomialPart& part : parts)
    if (part.count > 0 && part.share != 0)
      sum = with(sum, binomial_law<T>(part.count, part.share, cut), part.scale / grain, cut);
  return sum;
}

/// Of the sum of `count` numbers of law `one`.
template <class T>
[[nodiscard]] WindowLaw<T> many(WindowLaw<T> one, std::int64_t count, int cut) {
  WindowLaw<T> sum{.first = 0, .mass = {T(1)}, .dropped = T(0), .units = 0};
  while (true) {
    if (count % 2 == 1) sum = with(sum, one, 1, cut);
    count /= 2;
    if (count == 0) return sum;
    one = with(one, one, 1, cut);
  }
}

/// Packets within `slots` slots of a flow with a uniform phase that sends `sent` in the first slots of each
/// period.
template <class T>
[[nodiscard]] WindowLaw<T> pattern_law(const std::vector<std::int64_t>& sent, std::int64_t period,
                                       std::int64_t slots) {
  std::vector<std::int64_t> sums{0};
  for (const std::int64_t packets : sent) sums.push_back(sums.back() + packets);
  const auto length = static_cast<std::int64_t>(sent.size());
  // Packets in the slots before `slot`, counted from the start of a period.
  const auto before = [&](std::int64_t slot) {
    return slot / period * sums.back() + sums[static_cast<std::size_t>(std::min(slot % period, length))];
  };
  const std::int64_t rest = slots % period;
  // The number changes only at these phases.
  std::vector<std::int64_t> phases{0, period};
  for (std::int64_t slot = 1; slot <= length; ++slot)
    if (sent[static_cast<std::size_t>(slot - 1)] > 0)
      phases.insert(phases.end(), {slot % period, (slot - rest + period) % period});
  std::sort(phases.begin(), phases.end());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(sums.back()) + 1, 0);
  for (std::size_t i = 0; i + 1 < phases.size(); ++i) {
    const std::int64_t packets = before(phases[i] + rest) - before(phases[i]);
    counts[static_cast<std::size_t>(packets)] += phases[i + 1] - phases[i];
  }
  WindowLaw<T> law{.first = slots / period * sums.back(), .mass = {}, .dropped = T(0), .units = 2};
  for (const std::int64_t phases_of_it : counts) law.mass.push_back(T(phases_of_it) / T(period));
  while (law.mass.back() == T(0)) law.mass.pop_back();
  return law;
}

}  // namespace tailbound::queue
