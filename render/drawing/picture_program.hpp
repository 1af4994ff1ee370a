#pragma once

#include <tailbound/render/picture.hpp>

#include <stop_token>
#include <string>

/// Pictures as files: SVG as drawn here, PNG and PDF converted from it by the program rsvg-convert (librsvg).
///
/// CONTRACT  `environment` is that of the calling process ("NAME=value" strings followed by a null pointer);
/// only variables
///           that locate programs, fonts and libraries are passed on
namespace tailbound::render {

/// \throws InvalidArgument  the name does not end in .svg, .png or .pdf
void require_known_ending(const std::string& file);

/// The content of a file with this name, by its ending. It is not written.
/// \throws InvalidArgument  the ending; the program is not installed (named "--plot");  Error  it failed
///                          (with its message);
///                          Stopped  on `stop`: the program is killed;  NoAnswer  there is nothing to draw
[[nodiscard]] std::string drawn(const Picture& picture, const std::string& file, char* const* environment,
                                const std::stop_token& stop = {});

}  // namespace tailbound::render
