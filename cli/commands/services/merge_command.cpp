#include <cli/commands.hpp>
#include <cli/options/files.hpp>
#include <cli/program.hpp>
#include <tailbound/run/store/checksum.hpp>
#include <tailbound/run/store/parts.hpp>

#include <utility>

namespace tailbound::cli {
namespace {

constexpr std::size_t largest_part = std::size_t{16} << 30U;

struct MergeOptions {
  OptionTable rows{};
  Words files{OptionGroup(rows, ""),
              "FILE",
              "",
              1,
              1 << 29,
              "all parts of one computation, as --part wrote them",
              true};
};

/// Provides the files that the parts have read, as they were then.
void give_files(const std::vector<run::NamedPart>& parts) {
  for (const run::NamedPart& part : parts)
    for (const run::InputFile& file : part.part.files) {
      if (file.content) {
        named_files().give(file.path, *file.content);
      } else if (run::checksum(read_file(file.path, "the file " + file.path)) != file.checksum) {
        throw InvalidArgument("the file " + file.path, "another than " + part.name + " has read", "the same");
      }
    }
}

/// Runs the complete query again, with all results available.
Reply answer(const MergeOptions& options, const Context& context) {
  std::vector<run::NamedPart> parts;
  for (const std::string& file : options.files.words())
    parts.push_back({file, run::read_part(read_file(file, "FILE", largest_part), file)});
  run::require_whole(parts, context.version);
  give_files(parts);
  const std::vector<std::string> words = parts.front().part.query;
  std::vector<const char*> argv{"tailbound"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  Program program(words.empty() ? "" : words.front());
  static_cast<void>(program.parse(static_cast<int>(argv.size()), argv.data()));
  if (program.chosen() == nullptr)
    throw InvalidArgument(parts.front().name, "without a command", "a part of a computation");
  if (context.draws && !program.chosen()->draws)
    throw not_allowed_with("--plot", program.chosen()->name, "it has no picture");
  run::Recorded recorded(std::move(parts));
  Context whole = context;
  whole.executor = &recorded;
  return program.chosen()->answer(whole);
}

}  // namespace

Command merge_command() {
  return command_of<MergeOptions>({.name = "merge",
                                   .purpose = "one result from the parts of a run with --part",
                                   .work = Work::queries,
                                   .draws = true,
                                   .answer = answer});
}

}  // namespace tailbound::cli
