#pragma once

#include <tailbound/render/picture.hpp>

#include <string>
#include <vector>

/// Axes of a picture: where they begin and end, and their ticks.
///
/// METHOD  ticks at 1, 2 or 5 times a power of ten; of values over less than some 500-fold too, over more at powers of ten
/// UNITS   a place is the value, or its logarithm to base ten on an axis of powers
/// TESTS   tests/render/picture_test.cpp
namespace tailbound::render {

enum class Scale {
  linear,
  powers_of_ten,  ///< values are logarithms already, which is how 1e-400 has its place
  logarithm
};

[[nodiscard]] Scale scale_of(const Picture& picture);

/// Where a value stands on the axis; not finite if it has no place.
[[nodiscard]] double placed(double value, Scale scale);

struct Tick {
  double at = 0;     ///< place
  std::string text;  ///< as a program writes it: "0.02", "1e-15"; empty of minor ticks
};

struct Axis {
  double low = 0, high = 1;
  std::vector<Tick> ticks{};

  /// 0 at its low end, 1 at its high end.
  [[nodiscard]] double share(double place) const { return (place - low) / (high - low); }
};

/// 1, 2 or 5 times a power of ten that divides `span` into at most `most` steps.
[[nodiscard]] double step_of(double span, int most);

/// As wide as what is drawn, and a little more; around a single point a place for it.
/// \param letters  width of a digit over that of the axis: how many ticks have room
[[nodiscard]] Axis x_axis(const Picture& picture, double letters);

/// \throws NoAnswer  logarithmic, and no value is above 0
[[nodiscard]] Axis y_axis(const Picture& picture);

}  // namespace tailbound::render
