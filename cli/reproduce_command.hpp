#pragma once

#include <cli/command.hpp>

/// tailbound reproduce NAME: the papers' figures, computed again, with what agrees and what does not.
///
/// Unlike the other commands this one writes its files itself, into the folder --output: each picture and
/// table as soon as it is complete, so that a failure later leaves the earlier ones. The reply is a summary.
namespace tailbound::cli {

[[nodiscard]] Command add_reproduce_command(CLI::App& program);

}  // namespace tailbound::cli
