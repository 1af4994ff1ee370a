#pragma once

#include <cli/program.hpp>
#include <tailbound/run/store/parts.hpp>

#include <string>
#include <vector>

/// --part I/N: a command computes its part and saves it for `tailbound merge`.
namespace tailbound::cli {

/// \throws InvalidArgument  not I/N;  options that apply to the complete answer
[[nodiscard]] run::PartNumber read_part_number(const CommonOptions& options);

/// The words that define the query, without output files, checkpoints, threads and the like.
[[nodiscard]] std::vector<std::string> query_words(const Command& command);

/// Computes the part of the executor of `context`.
/// \throws as Command, except stops, after which the part is marked as incomplete
[[nodiscard]] run::Part answer_part(const Command& command, const Context& context,
                                    const run::PartOfRun& part, run::PartNumber number);

}  // namespace tailbound::cli
