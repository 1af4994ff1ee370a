#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/render/drawing/axis.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tailbound::render {
namespace {

constexpr double close = 1e-9;  // relative: a rounding difference
constexpr int max_y_ticks = 9, max_x_ticks = 10;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value), high = std::max(high, value);
  }
  [[nodiscard]] bool empty() const { return !(low <= high); }
};

Range x_values(const Picture& picture) {
  Range range;
  const Scale scale = scale_of(picture);
  for (const Curve& curve : picture.curves)
    for (const auto& [x, y] : curve.points)
      if (std::isfinite(placed(y, scale)) || is_limit(curve)) range.add(x);
  return range;
}

/// Places; bars may extend below the axis.
Range y_values(const Picture& picture) {
  Range range;
  const Scale scale = scale_of(picture);
  for (const Curve& curve : picture.curves) {
    if (!is_limit(curve))
      for (const auto& [x, y] : curve.points) range.add(placed(y, scale));
    for (const auto& [lower, upper] : curve.ends)
      if (const double end = placed(upper, scale); std::isfinite(end)) range.high = std::max(range.high, end);
  }
  return range;
}

/// \param largest  of the axis: all its numbers have one form
std::string tick_text(double value, double step, double largest) {
  if (std::abs(value) < step / 2) return "0";
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - close)));
  if (digits <= 5 && largest < 1e7) return fmt::format("{:.{}f}", value, digits);
  const int significant =
      std::clamp(static_cast<int>(std::ceil(std::log10(std::abs(value) / step) - close)) + 1, 1, 12);
  return fmt::format("{:.{}g}", value, significant);
}

/// A power of ten outside the range of a double: "0.02", "2e-316".
std::string power_text(int exponent, double mantissa, int digits) {
  if (exponent >= -4 && exponent < 5)
    return fmt::format("{:.{}f}", mantissa * std::pow(10, exponent), std::max(0, digits - 1 - exponent));
  return fmt::format("{:.{}f}e{}", mantissa, digits - 1, exponent);
}

void add_linear_ticks(Axis& axis, double step) {
  for (double i = std::ceil(axis.low / step - close); i * step <= axis.high + close * step; ++i)
    axis.ticks.push_back({i * step, tick_text(i * step, step, std::max(-axis.low, axis.high))});
}

/// Minor ticks at 2 to 9 times the powers of ten; if the ticks skip powers, at the others.
void add_minor_ticks(Axis& axis, double step) {
  for (double power = axis.low; power < axis.high - close; ++power) {
    if (step > 1) {
      axis.ticks.push_back({power, ""});
      continue;
    }
    for (int digit = 2; digit <= 9; ++digit) axis.ticks.push_back({power + std::log10(digit), ""});
  }
}

Axis whole_powers(const Range& values) {
  Axis axis{.low = std::floor(values.low + close), .high = std::ceil(values.high - close)};
  axis.high = std::max(axis.high, axis.low + 1);
  const double step = std::max(1.0, step_of(axis.high - axis.low, max_y_ticks));
  for (double i = std::ceil(axis.low / step - close); i * step <= axis.high + close; ++i)
    axis.ticks.push_back({i * step, fmt::format("1e{:.0f}", i * step)});
  constexpr double max_minor = 40;
  if (axis.high - axis.low <= max_minor) add_minor_ticks(axis, step);
  return axis;
}

/// For a short range: from 1, 2 or 5 times a power of ten to another such number.
Axis few_powers(const Range& values) {
  constexpr double steps[] = {1, 2, 5};
  const auto logarithm = [&](int i) { return std::floor(i / 3.0) + std::log10(steps[((i % 3) + 3) % 3]); };
  const auto min_above = [&](double place) {
    int i = 3 * static_cast<int>(std::floor(place)) - 1;
    while (logarithm(i) < place - close) ++i;
    return i;
  };
  int from = min_above(values.low), to = min_above(values.high);
  if (logarithm(from) > values.low + close) --from;
  if (to == from) ++to;
  Axis axis{.low = logarithm(from), .high = logarithm(to)};
  for (int i = from; i <= to; ++i)
    axis.ticks.push_back(
        {logarithm(i), power_text(static_cast<int>(std::floor(i / 3.0)), steps[((i % 3) + 3) % 3], 1)});
  for (double power = std::floor(axis.low); power < axis.high; ++power)
    for (const int digit : {3, 4, 6, 7, 8, 9})
      if (const double at = power + std::log10(digit); at > axis.low && at < axis.high)
        axis.ticks.push_back({at, ""});
  return axis;
}

}  // namespace

Scale scale_of(const Picture& picture) {
  return picture.powers_of_ten ? Scale::powers_of_ten : picture.log_y ? Scale::logarithm : Scale::linear;
}

double placed(double value, Scale scale) {
  if (scale != Scale::logarithm) return value;
  return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

double step_of(double span, int maximum) {
  if (!(span > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(span / maximum)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (span / (factor * power) <= maximum * (1 + close)) return factor * power;
  return 10 * power;
}

Axis x_axis(const Picture& picture, double letters) {
  Range range = x_values(picture);
  if (range.empty()) range.add(0);
  if (picture.x_powers_of_ten) {
    Axis axis = whole_powers(range);
    const double margin = 0.02 * (axis.high - axis.low);
    axis.low -= margin, axis.high += margin;
    return axis;
  }
  constexpr double margin = 0.02;
  const bool whole = range.low == std::floor(range.low) && range.high == std::floor(range.high);
  const double around = range.low < range.high ? margin * (range.high - range.low)
                        : whole                ? 1
                                               : std::abs(range.low) / 2;
  Axis axis{.low = range.low - around, .high = range.high + around};
  // The longest label determines how many fit.
  for (int maximum = max_x_ticks;; --maximum) {
    axis.ticks.clear();
    const double step = step_of(axis.high - axis.low, maximum);
    add_linear_ticks(axis, whole && range.low == range.high ? std::max(step, 1.0) : step);
    std::size_t longest = 0;
    for (const Tick& tick : axis.ticks) longest = std::max(longest, tick.text.size());
    constexpr double gap = 2;  // letters
    if (maximum <= 2 ||
        (static_cast<double>(longest) + gap) * letters * static_cast<double>(axis.ticks.size()) <= 1)
      return axis;
  }
}

Axis y_axis(const Picture& picture) {
  const Range values = y_values(picture);
  const Scale scale = scale_of(picture);
  if (scale != Scale::linear) {
    if (values.empty()) {
      if (scale == Scale::logarithm)
        throw NoAnswer("there is nothing to draw on a logarithmic axis: no value is above 0");
      return whole_powers({.low = -1, .high = 0});
    }
    constexpr double few = 2.7;  // 500-fold
    return values.high - values.low < few ? few_powers(values) : whole_powers(values);
  }
  Axis axis{.low = values.empty() ? 0 : std::min(values.low, 0.0), .high = values.empty() ? 1 : values.high};
  if (!(axis.high > axis.low)) axis.high = axis.low + 1;
  const double step = step_of(axis.high - axis.low, max_y_ticks);
  axis.high = std::ceil(axis.high / step - close) * step;
  axis.low = std::floor(axis.low / step + close) * step;
  add_linear_ticks(axis, step);
  return axis;
}

}  // namespace tailbound::render
