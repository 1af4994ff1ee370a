#pragma once

#include <string>

/// The program gnuplot, which draws the pictures.
namespace tailbound::cli {

/// What gnuplot writes to its standard output for these commands. It sees none of the user's settings for it:
/// no files, no environment but what finds programs and fonts.
/// \throws InvalidArgument  gnuplot is not installed (named "--plot");  Error  it failed (with its message)
[[nodiscard]] std::string run_gnuplot(const std::string& commands);

}  // namespace tailbound::cli
