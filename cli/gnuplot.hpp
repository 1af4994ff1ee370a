#pragma once

#include <tailbound/render/picture.hpp>

#include <string>

/// The program gnuplot, which draws the pictures.
namespace tailbound::cli {

/// What gnuplot writes to its standard output for these commands. It sees none of the user's settings for it:
/// no files, no environment but what finds programs and fonts.
/// \throws InvalidArgument  gnuplot is not installed (named "--plot");  Error  it failed (with its message)
[[nodiscard]] std::string run_gnuplot(const std::string& commands);

/// \throws InvalidArgument  the name does not end in .svg, .png or .pdf
void require_known_ending(const std::string& file);

/// Draws into `file`, which is there, in the format of its ending.
/// \throws InvalidArgument    the ending; gnuplot is not installed;  Error  gnuplot failed (with its message)
///         std::system_error  the file cannot be written
void draw(const render::Picture& picture, const std::string& file);

}  // namespace tailbound::cli
