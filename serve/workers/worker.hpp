#pragma once

#include <cstddef>

/// A process that answers queries of the server, one at a time, until its stream ends.
///
/// Receives  {"question": "buffer", "options": [["--inputs", "16"], ..], "files": ["n.toml", ..], "formats":
/// ["json"],
///            "command_line": "tailbound .."}, with the contents of the files as parts
///           {"stop": true}       stops the query, as Ctrl-C stops a command
/// Sends     {"progress": 0.3, "left": 12.5}
///           {"progress": 0.3, "so_far": true} with the partial result of a simulation as HTML part
///           {"status": 0, "stopped": false, "formats": ["json"], "headline": "..", "seconds": 0.001, "last":
///           false},
///            with the result in each of these formats as parts; or {"status": 2, "error": {..}}. Exits after
///            "last".
/// An error has a "message", and where known "option", "value", "legal" or "line", "column".
///
/// It reads only the files that it receives, writes none, and is limited in memory.
namespace tailbound::serve {

/// Initialization for all queries, before the first fork.
void prepare();

/// \param descriptor  its stream
/// \param memory      memory limit [bytes]
[[noreturn]] void work(int descriptor, std::size_t memory);

}  // namespace tailbound::serve
