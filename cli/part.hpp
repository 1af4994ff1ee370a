#pragma once

#include <cli/program.hpp>
#include <tailbound/run/store/parts.hpp>

#include <string>
#include <vector>

/// --part I/N: a command that does its part and keeps it for `tailbound merge`.
namespace tailbound::cli {

/// \throws InvalidArgument  not I/N;  options that are for the whole answer
[[nodiscard]] run::PartNumber read_part_number(const CommonOptions& options);

/// The words that ask the same question and say no more: neither where answers and checkpoints go nor who works.
[[nodiscard]] std::vector<std::string> question_words(const Command& command);

/// Does the part that `context` has for executor.
/// \throws as Command, but for stops, of which the part says that it is not complete
[[nodiscard]] run::Part answer_part(const Command& command, const Context& context,
                                    const run::PartOfRun& part, run::PartNumber number);

}  // namespace tailbound::cli
