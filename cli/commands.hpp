#pragma once

#include <cli/command.hpp>

#include <string>
#include <string_view>
#include <vector>

/// All commands; each is defined in a file of commands/, and listed only in commands.cpp.
namespace tailbound::cli {

/// First word on the command line: a command, or a group of commands.
struct Category {
  std::string_view name;
  std::vector<Command (*)()> commands;
  const char* category;      ///< heading in the help: "Queues"
  const char* purpose = "";  ///< of several under one word, for the help
  const char* footer = "";
};
[[nodiscard]] const std::vector<Category>& categories();

}  // namespace tailbound::cli
