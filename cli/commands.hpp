#pragma once

#include <cli/command.hpp>

#include <string>
#include <string_view>
#include <vector>

/// All the commands; each is made in a file of commands/, and named in commands.cpp alone.
namespace tailbound::cli {

/// What stands first on the command line: a command, or several under one word.
struct Room {
  std::string_view name;
  std::vector<Command (*)()> commands;
  const char* purpose = "";  ///< of several under one word, for the help
  const char* footer = "";
};
[[nodiscard]] const std::vector<Room>& rooms();

}  // namespace tailbound::cli
