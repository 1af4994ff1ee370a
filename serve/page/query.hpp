#pragma once

#include <serve/workers/note_stream.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A query sent by the page, parsed and validated.
namespace tailbound::serve {

/// An invalid query, or one beyond the limits.
class BadRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Query {
  std::string name;                                          ///< "simulate tree"
  std::vector<std::pair<std::string, std::string>> options;  ///< as typed: "--load", "0.9"
  std::map<std::string, std::string> files;                  ///< content by name
  std::string page;                                          ///< a page has one query at a time; may be empty
};

/// Maximum length of a body [bytes].
inline constexpr std::size_t longest_body = std::size_t{4} << 20;

/// JSON of limited nesting depth.  \throws BadRequest
[[nodiscard]] Json parsed(std::string_view body);

/// {"question": "buffer", "options": [["--inputs", "16"], ..], "files": {"n.toml": ".."}, "page": ".."}
/// \throws BadRequest  invalid form, or not allowed here: files without content, checkpoints, commands that
///                     write
[[nodiscard]] Query read_query(const Json& requested);

/// A value of --format; "page" is html as a complete page.  \throws BadRequest  unknown format
[[nodiscard]] std::string read_format(const std::string& name);

/// The message for a worker process.
[[nodiscard]] Note note_of(const Query& query, const std::vector<std::string>& formats);

/// The equivalent shell command.
[[nodiscard]] std::string command_line(const Query& query);

/// The declarations from which the page generates its forms, taken from the command line: a list of
///   {"name", "purpose", "draws", "live", "opening": [["--inputs", "16"], ..], "options": [{"name", "type",
///   "help",
///    "group", "required", "kind": "text" | "flag" | "words" | "file", "choices", "slider"}]}
[[nodiscard]] Json queries();

}  // namespace tailbound::serve
