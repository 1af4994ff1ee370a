#pragma once

#include <serve/workers/note_stream.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A question as a page asks it, read and looked over.
namespace tailbound::serve {

/// What is no question of ours, or more than may be handed over.
class BadRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Question {
  std::string name;                                          ///< "simulate tree"
  std::vector<std::pair<std::string, std::string>> options;  ///< as typed: "--load", "0.9"
  std::map<std::string, std::string> files;                  ///< content by name
  std::string page;  ///< which asks one question at a time; may be empty
};

/// No body may be longer [bytes].
inline constexpr std::size_t longest_body = std::size_t{4} << 20;

/// JSON of at most so deep nesting.  \throws BadRequest
[[nodiscard]] Json parsed(std::string_view body);

/// {"question": "buffer", "options": [["--inputs", "16"], ..], "files": {"n.toml": ".."}, "page": ".."}
/// \throws BadRequest  it is not of that form, or asks for what is not asked here: files that were not handed over,
///                     checkpoints, commands that write
[[nodiscard]] Question read_question(const Json& asked);

/// Of --format; "page" is html in a file of its own.  \throws BadRequest  there is no such format
[[nodiscard]] std::string read_format(const std::string& name);

/// For a process that answers.
[[nodiscard]] Note note_of(const Question& question, const std::vector<std::string>& formats);

/// The line that asks the same in a shell.
[[nodiscard]] std::string command_line(const Question& question);

/// All that a page needs to make its forms, from the declarations of the command line: a list of
///   {"name", "purpose", "draws", "live", "opening": [["--inputs", "16"], ..], "options": [{"name", "type", "help",
///    "group", "required", "kind": "text" | "flag" | "words" | "file", "choices", "slider"}]}
[[nodiscard]] Json questions();

}  // namespace tailbound::serve
