#include <fmt/format.h>
#include <tailbound/render/drawing/palette.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::render {
namespace {

/// For both color schemes: everything except colors.
constexpr const char* shapes =
    "text{font:12px Helvetica,Arial,'Liberation Sans','Nimbus Sans',sans-serif;stroke:none}"
    ".tb-title{font-size:16px;font-weight:bold}.tb-label{font-size:13px}.tb-note{font-size:11px}"
    ".tb-grid,.tb-axis,.tb-link{fill:none;stroke-width:1}"
    ".tb-curve{fill:none;stroke-width:2;stroke-linejoin:round}.tb-bars{stroke-width:1.4}"
    ".tb-dashed{stroke-width:1.6;stroke-dasharray:7 5}.tb-rule{stroke-width:1.3;stroke-dasharray:2 4}"
    ".tb-steps{stroke-width:2.4}.tb-dash .tb-curve{stroke-dasharray:8 4}.tb-many .tb-curve{stroke-width:1.4}"
    ".tb-marker{stroke:none}.tb-loaded{fill:none}.tb-names text{text-anchor:middle;font-size:11px}";

std::string coloured(const char* Colour::*light, const char* paper, const char* ink, const char* soft,
                     const char* line) {
  std::string style = fmt::format(
      ".tb-paper{{fill:{0}}}text{{fill:{2}}}.tb-title,.tb-label,.tb-keys text,.tb-neutral text{{fill:{1}}}"
      ".tb-grid{{stroke:{3}}}.tb-axis{{stroke:{2}}}.tb-neutral{{stroke:{2};fill:{1}}}"
      ".tb-link{{stroke:{2}}}.tb-host{{fill:{3};stroke:{2}}}.tb-names "
      "text{{fill:{1}}}.tb-switch{{fill:{0};stroke:{2}}}",
      paper, ink, soft, line);
  for (std::size_t i = 0; i < palette.size(); ++i)
    style += fmt::format(".tb-c{}{{stroke:{};fill:{}}}", i, palette[i].*light, palette[i].*light);
  return style;
}

}  // namespace

std::string colour_of_many(std::size_t place, std::size_t count) {
  const double share = count < 2 ? 0 : static_cast<double>(place) / static_cast<double>(count - 1);
  constexpr double blue = 250, saturation = 0.7, lightness = 0.48;
  const double hue = blue - blue * share, span = saturation * std::min(lightness, 1 - lightness);
  const auto part = [&](double of) {
    const double k = std::fmod(of + hue / 30, 12);
    return static_cast<int>(
        std::lround(255 * (lightness - span * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(8), part(4));
}

std::string style_of_files() {
  return shapes + coloured(&Colour::light, "#ffffff", "#1d1f24", "#5d626c", "#e4e1d9") +
         "@media screen and (prefers-color-scheme:dark){" +
         coloured(&Colour::dark, "#1b1e23", "#e7e5df", "#a3a8b2", "#31353d") + "}";
}

}  // namespace tailbound::render
