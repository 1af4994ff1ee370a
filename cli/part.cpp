#include <cli/options/files.hpp>
#include <cli/options/options.hpp>
#include <cli/part.hpp>
#include <tailbound/run/store/checksum.hpp>

#include <algorithm>

namespace tailbound::cli {
namespace {

/// Larger files are read again when parts are merged.
constexpr std::size_t largest_kept = std::size_t{1} << 20U;
constexpr int max_parts = 100'000;

constexpr std::string_view not_of_query[] = {"--part",
                                             "--format",
                                             "--output",
                                             "--quiet",
                                             "--plot",
                                             "--title",
                                             "--log-y",
                                             "--jobs",
                                             "--threads",
                                             "--checkpoint",
                                             "--checkpoint-every",
                                             "--resume",
                                             "--time-limit",
                                             "--memory-limit"};

}  // namespace

run::PartNumber read_part_number(const CommonOptions& options) {
  for (const auto& [name, given] :
       {std::pair{"--format", options.format.has_value()}, std::pair{"--plot", options.plot.has_value()}})
    if (given)
      throw not_allowed_with(name, "--part", "give it to `tailbound merge`, which writes the result");
  const auto [number, of] = parse_part(*options.part, "--part", max_parts);
  return {static_cast<int>(number), static_cast<int>(of)};
}

std::vector<std::string> query_words(const Command& command) {
  const std::size_t space = command.name.find(' ');
  std::vector<std::string> words{command.name.substr(0, space)};
  if (space != std::string::npos) words.push_back(command.name.substr(space + 1));
  for (const Option& option : command.options.options) {
    const bool about =
        std::find(std::begin(not_of_query), std::end(not_of_query), option.name) == std::end(not_of_query);
    if (!about || !option.given()) continue;
    const bool named = option.name.rfind("--", 0) == 0;
    if (option.text != nullptr) {
      words.push_back((named ? option.name + "=" : std::string()) + **option.text);
      continue;
    }
    if (named) words.push_back(option.name);
    if (option.words != nullptr) words.insert(words.end(), option.words->begin(), option.words->end());
  }
  return words;
}

run::Part answer_part(const Command& command, const Context& context, const run::PartOfRun& part,
                      run::PartNumber number) {
  run::Part done{.version = context.version,
                 .query = query_words(command),
                 .files = {},
                 .number = number,
                 .complete = true,
                 .jobs = {}};
  try {
    static_cast<void>(command.answer(context));
  } catch (const run::MissingPart&) {
  } catch (const Stopped&) {
    done.complete = false;
  }
  done.complete = done.complete && !part.cut() && !context.outcome->cut;
  done.jobs = part.jobs();
  for (const auto& [path, content] : named_files().remembered()) {
    run::InputFile& file = done.files.emplace_back();
    file.path = path;
    file.size = content.size();
    file.checksum = run::checksum(content);
    if (content.size() <= largest_kept) file.content = content;
  }
  return done;
}

}  // namespace tailbound::cli
