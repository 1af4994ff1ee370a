#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/figures/readme.hpp>
#include <cli/files.hpp>
#include <cli/read_options.hpp>
#include <cli/replies.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/answers/points.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/render/gnuplot_program.hpp>

#include <unistd.h>

#include <filesystem>
#include <optional>

namespace tailbound::cli {
namespace {

namespace fs = std::filesystem;
using figures::Figure;

constexpr const char* readme_name = "README.md";

/// As typed; an option that was not given is empty.
struct Options {
  std::optional<std::string> name, output;
  bool quick = false;
};

std::vector<const Figure*> chosen_figures(const Options& options) {
  const std::vector<std::string> names = figures::all_names();
  if (!options.name)
    throw InvalidArgument("NAME", "missing", fmt::format("one of {}", fmt::join(names, ", ")));
  return figures::figures_named(names[parse_choice(*options.name, "NAME", names)]);
}

/// \throws InvalidArgument  the pictures cannot be drawn; better known before hours of work than after
void require_gnuplot() {
  try {
    static_cast<void>(render::run_gnuplot("set terminal svg\nplot [0:1] x\n", environ));
  } catch (const InvalidArgument&) {
    throw InvalidArgument("the program gnuplot", "not installed",
                          "installed, for it draws the pictures (Debian: apt-get install gnuplot-nox)");
  }
}

/// Reads the README of an earlier run; empty if there is none.
/// \throws InvalidArgument  there is one of another origin
std::string former_readme(const fs::path& folder) {
  const fs::path path = folder / readme_name;
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  std::string text = read_file(path.string(), "--output");
  if (text.empty() || !figures::Readme::is_ours(text))
    throw InvalidArgument("--output", folder.string(),
                          "a folder without a README.md of another origin, which would be lost");
  return text;
}

/// Makes the folder, and finds out that each file can be written, before any work.
void prepare(const fs::path& folder, const std::vector<const Figure*>& chosen) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw InvalidArgument("--output", folder.string(),
                          fmt::format("a folder, or the name of one that can be made ({})",
                                      error ? error.message() : "it is a file"));
  const auto require_writable = [&](const std::string& name) {
    static_cast<void>(pending_file((folder / name).string(), "--output"));
  };
  require_writable(readme_name);
  for (const Figure* figure : chosen)
    for (const char* ending : {".csv", ".svg"}) require_writable(figure->name + ending);
}

void write_whole(const std::string& path, const std::string& text) {
  files::PendingFile file = pending_file(path, "--output");
  file.write(text);
  file.commit();
}

/// Puts its two files in place, both or neither.
void write(const render::ReproducedFigure& made, const figures::Result& result, const Context& context) {
  files::PendingFile csv = pending_file(made.csv, "--output"), svg = pending_file(made.svg, "--output");
  csv.write(render::to_csv(result.table, {.version = context.version}));
  svg.write(render::drawn(result.picture, made.svg, environ));
  csv.commit();
  svg.commit();
}

/// Computes one figure after the other, each as a piece.
std::vector<render::ReproducedFigure> make_all(const std::vector<const Figure*>& chosen,
                                               const fs::path& folder, bool quick, const Context& context) {
  require_gnuplot();
  figures::Readme readme(former_readme(folder));
  prepare(folder, chosen);
  const answers::Run run = analysis_run(context);
  const figures::Request request{.quick = quick, .run = {.threads = all_cores(), .progress = run.progress}};
  std::vector<render::ReproducedFigure> made;
  for (const Figure* figure : chosen) {
    figures::Result result;
    try {
      result = answers::as_piece(run, [&] { return figure->compute(request); });
    } catch (const Stopped&) {
      if (made.empty()) throw;
      run.cut();
      break;
    }
    render::require_known_keys(result.table);
    const auto file = [&](const std::string& name) { return (folder / name).string(); };
    made.push_back({.name = figure->name,
                    .title = figure->title,
                    .csv = file(figure->name + ".csv"),
                    .svg = file(figure->name + ".svg"),
                    .readme = file(readme_name),
                    .findings = result.findings});
    write(made.back(), result, context);
    readme.put(*figure, result, quick, context.version);
    write_whole(made.back().readme, readme.text());
  }
  return made;
}

Reply answer(const Options& options, const Context& context) {
  const std::vector<const Figure*> chosen = chosen_figures(options);
  if (!options.output || options.output->empty())
    throw InvalidArgument("--output", options.output ? "" : "missing",
                          "given as the folder for the pictures, the tables and the README.md");
  return {.document = render::document(make_all(chosen, *options.output, options.quick, context),
                                       chosen.size(), options.quick)};
}

void declare(OptionTable& table, Options& options) {
  const OptionGroup question(table, ""), output(table, "Output");
  question.add("NAME", options.name, "", fmt::format("{}", fmt::join(figures::all_names(), ", ")));
  output.add("--output", options.output, "FOLDER",
             "made if missing: NAME.csv and NAME.svg of each figure, README.md");
  question.add_flag("--quick", options.quick, "fewer points, and simulations of a thirtieth of the length");
}

}  // namespace

Command reproduce_command() {
  return command_of<Options>("reproduce", "the papers' figures, and what agrees with them", false, declare,
                             answer);
}

}  // namespace tailbound::cli
