#pragma once

#include <array>
#include <cstddef>
#include <string>

/// Colors of pictures.
///
/// CONTRACT  the same as those of pages (formats/html/report.css)
namespace tailbound::render {

struct Colour {
  const char *light, *dark;
};
/// Distinguishable for the color-blind and in grayscale print (Okabe and Ito 2008), without yellow.
inline constexpr std::array<Colour, 6> palette{{{"#0072b2", "#4fb0ec"},
                                                {"#d55e00", "#ff9248"},
                                                {"#009e73", "#2fcf9f"},
                                                {"#c1649a", "#eba0cb"},
                                                {"#3f9bd1", "#9fd8f7"},
                                                {"#4b4f58", "#c3c7cf"}}};

/// For more curves than the palette can distinguish: from blue to red.
[[nodiscard]] std::string colour_of_many(std::size_t place, std::size_t count);

/// The style sheet within a file, for light and dark screens.
[[nodiscard]] std::string style_of_files();

}  // namespace tailbound::render
