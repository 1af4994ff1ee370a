#pragma once

#include <tailbound/render/picture.hpp>

#include <stop_token>
#include <string>

/// The program gnuplot, which draws the pictures; and dot of Graphviz, which draws networks.
///
/// CONTRACT  `environment` is that of the calling process ("NAME=value" texts and a null pointer behind them), of which
///           only what finds programs, fonts and libraries is handed on; gnuplot sees none of the user's settings for it.
namespace tailbound::render {

/// What gnuplot writes to its standard output for these commands.
/// \throws InvalidArgument  gnuplot is not installed (named "--plot");  Error  it failed (with its message)
/// \throws Stopped          `stop` was asked for: the program is killed
[[nodiscard]] std::string run_gnuplot(const std::string& commands, char* const* environment,
                                      const std::stop_token& stop = {});

/// \throws InvalidArgument  the name does not end in .svg, .png or .pdf
void require_known_ending(const std::string& file);

/// What a file of this name holds, by its ending. It is not written.
/// \throws InvalidArgument  the ending; the program is not installed;  Error  it failed (with its message);  Stopped
[[nodiscard]] std::string drawn(const Picture& picture, const std::string& file, char* const* environment,
                                const std::stop_token& stop = {});

}  // namespace tailbound::render
