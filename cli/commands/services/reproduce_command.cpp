#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/options/files.hpp>
#include <cli/options/options.hpp>
#include <cli/options/replies.hpp>
#include <cli/options/simulation_options.hpp>
#include <reproduce/folder.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/reproduce.hpp>
#include <tailbound/run/threads.hpp>

#include <unistd.h>

#include <optional>

namespace tailbound::cli {
namespace {

using figures::Figure;

/// As typed; empty if not given.
struct ReproduceOptions {
  std::optional<std::string> name, output;
  bool quick = false;
};

std::vector<const Figure*> chosen_figures(const ReproduceOptions& options) {
  const std::vector<std::string> names = figures::all_names();
  if (!options.name) throw missing("NAME", fmt::format("one of {}", fmt::join(names, ", ")));
  return figures::figures_named(names[parse_choice(*options.name, "NAME", names)]);
}

Reply answer(const ReproduceOptions& options, const Context& context) {
  const std::vector<const Figure*> chosen = chosen_figures(options);
  if (!options.output)
    throw missing("--output", "give a folder for the pictures and tables, such as --output figures");
  if (options.output->empty()) throw InvalidArgument("--output", "", "a folder for the pictures and tables");
  const figures::Folder folder{.path = *options.output, .named = named_files()};
  const std::vector<render::ReproducedFigure> made =
      figures::reproduce(chosen, folder, {.quick = options.quick, .run = analysis_run(context)},
                         run::all_cores(), context.version);
  return {.document = render::document(made, chosen.size(), options.quick)};
}

void declare(OptionTable& table, ReproduceOptions& options) {
  const OptionGroup query(table, ""), output(table, "Output");
  query.add("NAME", options.name, "",
            fmt::format("figure or paper, or all.\n{}", fmt::join(figures::all_names(), ", ")));
  table.options.back().required = true;
  output.add("--output", options.output, "FOLDER",
             "folder for the pictures and tables, made if missing.\nNAME.csv and NAME.svg of each figure, "
             "README.md, index.html");
  query.add_flag("--quick", options.quick, "fewer points, and simulations 30 times shorter");
}

}  // namespace

Command reproduce_command() {
  return command_of<ReproduceOptions>({.name = "reproduce",
                                       .purpose = "figures of published papers",
                                       .work = Work::queries,
                                       .declare = declare,
                                       .answer = answer,
                                       .layout = render::reproduce_layout});
}

}  // namespace tailbound::cli
