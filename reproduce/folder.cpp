#include <reproduce/folder.hpp>
#include <reproduce/index.hpp>
#include <reproduce/readme.hpp>
#include <tailbound/answers/points/points.hpp>
#include <tailbound/core/unwritable.hpp>
#include <tailbound/render/drawing/svg.hpp>

#include <fmt/format.h>

namespace tailbound::figures {
namespace {

namespace fs = std::filesystem;

constexpr const char *readme_name = "README.md", *index_name = "index.html";
constexpr const char* option = "--output";

files::PendingFile pending(const Folder& folder, const std::string& name) {
  return {(folder.path / name).string(), option, &folder.named};
}

/// Reads the README or the page of an earlier run; empty if there is none.
/// \throws InvalidArgument  there is one of another origin
std::string former_file(const Folder& folder, const char* name, bool (*is_generated)(const std::string&)) {
  const fs::path path = folder.path / name;
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  std::string text = folder.named.read(path.string(), option);
  if (text.empty() || !is_generated(text))
    throw InvalidArgument(
        option, folder.path.string(),
        fmt::format("a directory without a{} {} of another origin, which would be overwritten",
                    name[0] == 'i' ? "n" : "", name));
  return text;
}

/// Makes the folder, and checks that each file can be written, before any work.
void prepare(const Folder& folder, const std::vector<const Figure*>& chosen) {
  std::error_code error;
  fs::create_directories(folder.path, error);
  std::error_code ignored;
  if (!fs::is_directory(folder.path, ignored))
    throw Unwritable(std::string(option) + " " + folder.path.string(),
                     error ? error.message() : "it is a file");
  const auto require_writable = [&](const std::string& name) { static_cast<void>(pending(folder, name)); };
  require_writable(readme_name);
  require_writable(index_name);
  for (const Figure* figure : chosen)
    for (const char* ending : {".csv", ".svg"}) require_writable(figure->name + ending);
}

/// Puts its two files in place, both or neither.
void write(const Figure& figure, const Result& result, const Folder& folder, const std::string& version) {
  files::PendingFile csv = pending(folder, figure.name + ".csv"), svg = pending(folder, figure.name + ".svg");
  csv.write(render::to_csv(result.table, {.version = version}));
  svg.write(render::svg_file(result.picture));
  csv.commit();
  svg.commit();
}

}  // namespace

std::vector<render::ReproducedFigure> reproduce(const std::vector<const Figure*>& chosen,
                                                const Folder& folder, const Request& request, int threads,
                                                const std::string& version) {
  Readme readme(former_file(folder, readme_name, Readme::is_generated));
  Index index(former_file(folder, index_name, Index::is_generated));
  prepare(folder, chosen);
  const answers::Run& run = request.run;
  const Request each{.quick = request.quick, .run = {.threads = threads, .progress = run.progress}};
  std::vector<render::ReproducedFigure> made;
  for (const Figure* figure : chosen) {
    Result result;
    try {
      result = answers::as_piece(run, [&] { return figure->compute(each); });
    } catch (const Stopped&) {
      if (made.empty()) throw;
      run.cut();
      break;
    }
    render::require_known_keys(result.table);
    const auto file = [&](const std::string& name) { return (folder.path / name).string(); };
    made.push_back({.name = figure->name,
                    .title = figure->title,
                    .csv = file(figure->name + ".csv"),
                    .svg = file(figure->name + ".svg"),
                    .readme = file(readme_name),
                    .page = file(index_name),
                    .findings = result.findings});
    write(*figure, result, folder, version);
    readme.put(*figure, result, request.quick, version);
    index.put(*figure, result, request.quick, version);
    files::PendingFile text = pending(folder, readme_name), page = pending(folder, index_name);
    text.write(readme.text());
    page.write(index.page(version));
    text.commit();
    page.commit();
  }
  return made;
}

}  // namespace tailbound::figures
