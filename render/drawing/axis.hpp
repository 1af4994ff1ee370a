#pragma once

#include <tailbound/render/picture.hpp>

#include <string>
#include <vector>

/// Axes of a picture: their ranges and ticks.
///
/// METHOD  ticks at 1, 2 or 5 times a power of ten, also for values over less than about 500-fold; beyond
/// that at powers of ten
/// UNITS   a place is the value, or its logarithm to base ten on an axis of powers
/// TESTS   tests/render/picture_test.cpp
namespace tailbound::render {

enum class Scale {
  linear,
  powers_of_ten,  ///< values are already logarithms, so that 1e-400 can be shown
  logarithm
};

[[nodiscard]] Scale scale_of(const Picture& picture);

/// Position of a value on the axis; not finite if it has none.
[[nodiscard]] double placed(double value, Scale scale);

struct Tick {
  double at = 0;     ///< place
  std::string text;  ///< as a program writes it: "0.02", "1e-15"; empty for minor ticks
};

struct Axis {
  double low = 0, high = 1;
  std::vector<Tick> ticks{};

  /// 0 at its low end, 1 at its high end.
  [[nodiscard]] double share(double place) const { return (place - low) / (high - low); }
};

/// 1, 2 or 5 times a power of ten that divides `span` into at most `maximum` steps.
[[nodiscard]] double step_of(double span, int maximum);

/// The range of the data with a margin; around a single point an interval.
/// \param letters  width of a digit relative to that of the axis; limits the number of ticks
[[nodiscard]] Axis x_axis(const Picture& picture, double letters);

/// \throws NoAnswer  logarithmic, and no value is above 0
[[nodiscard]] Axis y_axis(const Picture& picture);

}  // namespace tailbound::render
