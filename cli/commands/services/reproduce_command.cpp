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

#include <string>

namespace tailbound::cli {
namespace {

using figures::Figure;

struct ReproduceOptions {
  OptionTable rows{};
  OptionGroup query{rows, ""};
  Text name{query, "NAME", "", options::text().always(),
            fmt::format("figure or paper, or all.\n{}", fmt::join(figures::all_names(), ", "))};
  Text output{OptionGroup(rows, "Output"), "--output", "FOLDER",
              options::text().needed("give a folder for the pictures and tables, such as --output figures"),
              "folder for the pictures and tables, made if missing.\nNAME.csv and NAME.svg of each figure, "
              "README.md, index.html"};
  Flag quick{query, "--quick", "fewer points, and simulations 30 times shorter"};
};

std::vector<const Figure*> chosen_figures(const ReproduceOptions& options) {
  const std::vector<std::string> names = figures::all_names();
  return figures::figures_named(names[parse_choice(options.name.value(), "NAME", names)]);
}

Reply answer(const ReproduceOptions& options, const Context& context) {
  const std::vector<const Figure*> chosen = chosen_figures(options);
  const std::string path = options.output.value();
  if (path.empty()) throw options.output.invalid("a folder for the pictures and tables");
  const bool quick = options.quick.given();
  const figures::Folder folder{.path = path, .named = named_files()};
  const std::vector<render::ReproducedFigure> made = figures::reproduce(
      chosen, folder, {.quick = quick, .run = analysis_run(context)}, run::all_cores(), context.version);
  return {.document = render::document(made, chosen.size(), quick)};
}

}  // namespace

Command reproduce_command() {
  return command_of<ReproduceOptions>({.name = "reproduce",
                                       .purpose = "figures of published papers",
                                       .work = Work::queries,
                                       .answer = answer,
                                       .layout = render::reproduce_layout});
}

}  // namespace tailbound::cli
