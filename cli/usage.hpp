#pragma once

#include <cli/commands.hpp>

#include <string>
#include <string_view>
#include <vector>

/// The texts of -h and --help.
///
/// CONTRACT  -h is one screen: at most 24 lines of 80 columns. --help is at most 80 columns wide, except for
///           the program output in its examples.
/// TESTS     tests/golden/help_test.cpp
namespace tailbound::cli {

enum class HelpSize { brief, full };

/// The words of a text between blanks.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
/// The phrase that the help of an option begins with: its first line.
[[nodiscard]] std::string phrase_of(const std::string& help);

/// "tailbound -h": the commands by category.
[[nodiscard]] std::string program_help(HelpSize size);
/// "tailbound simulate -h": the commands under one word.
[[nodiscard]] std::string category_help(const Category& category, HelpSize size);
/// "tailbound buffer -h": usage, the most used options and an example; or all options and examples.
[[nodiscard]] std::string command_help(const Command& command, HelpSize size);

}  // namespace tailbound::cli
