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

/// What all commands understand.
struct GeneralOption {
  const char *letter, *name, *help;
};
inline constexpr GeneralOption general_options[] = {
    {"-h", "--help", "one screen of help (-h), or all of it (--help)"},
    {"-V", "--version", "version of the program. --version --verbose: also libraries and licences"}};

inline constexpr const char* purpose_of_program =
    "buffer sizes, delays and guarantees for switches and interconnects";
/// How values are written, the short options; paragraphs of the help of the program.
[[nodiscard]] std::vector<std::string> program_notes();
/// In the order of the help: by headings.
[[nodiscard]] std::vector<const Category*> listed_categories();
[[nodiscard]] std::string purpose_of(const Category& category);

/// The help of an option with everything that its definition has: is it required, which values are legal?
[[nodiscard]] std::string full_text(const Option& option);
/// What follows the name of a command: " FILE [OPTIONS]".
[[nodiscard]] std::string arguments_of(const Command& command);
/// Words in lines of at most `maximum` columns.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t maximum);

/// "tailbound -h": the commands by category.
[[nodiscard]] std::string program_help(HelpSize size);
/// "tailbound simulate -h": the commands under one word.
[[nodiscard]] std::string category_help(const Category& category, HelpSize size);
/// "tailbound buffer -h": usage, the most used options and an example; or all options and examples.
[[nodiscard]] std::string command_help(const Command& command, HelpSize size);

}  // namespace tailbound::cli
