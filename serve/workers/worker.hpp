#pragma once

#include <cstddef>

/// A process that answers questions for the server, one after the other, until its stream is cut.
///
/// Asked     {"question": "buffer", "options": [["--inputs", "16"], ..], "files": ["n.toml", ..], "formats": ["json"],
///            "command_line": "tailbound .."}, and the files' contents as parts
///           {"stop": true}       ends the question early, as Ctrl-C ends a command
/// It says   {"progress": 0.3, "left": 12.5}
///           {"progress": 0.3, "so_far": true} and as its part the answer by what a simulation has done, as HTML
///           {"status": 0, "stopped": false, "formats": ["json"], "headline": "..", "seconds": 0.001, "last": false},
///            the answer in each of these formats as parts; or {"status": 2, "error": {..}}. After "last" it is gone.
/// An error has a "message", and "option", "value", "legal" or "line", "column" where they are known.
///
/// It reads no file but those that it is handed, writes none, and takes no more memory than it is told.
namespace tailbound::serve {

/// What all questions need, before the first process is forked.
void get_ready();

/// \param descriptor  of its stream
/// \param memory      that it may take [bytes]
[[noreturn]] void work(int descriptor, std::size_t memory);

}  // namespace tailbound::serve
