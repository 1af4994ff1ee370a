#pragma once

#include <tailbound/render/picture.hpp>

#include <stop_token>
#include <string>

/// Pictures as files: SVG as it is drawn here, PNG and PDF of the same by the program rsvg-convert (librsvg).
///
/// CONTRACT  `environment` is that of the calling process ("NAME=value" texts and a null pointer behind them), of which
///           only what finds programs, fonts and libraries is handed on
namespace tailbound::render {

/// \throws InvalidArgument  the name does not end in .svg, .png or .pdf
void require_known_ending(const std::string& file);

/// What a file of this name holds, by its ending. It is not written.
/// \throws InvalidArgument  the ending; the program is not installed (named "--plot");  Error  it failed (with its message);
///                          Stopped  `stop` was asked for: the program is killed;  NoAnswer  there is nothing to draw
[[nodiscard]] std::string drawn(const Picture& picture, const std::string& file, char* const* environment,
                                const std::stop_token& stop = {});

}  // namespace tailbound::render
