#pragma once

#include <reproduce/figure.hpp>
#include <tailbound/files/pending_file.hpp>
#include <tailbound/render/documents/reproduce.hpp>

#include <filesystem>
#include <string>
#include <vector>

/// Writes recomputed figures into a folder: NAME.csv and NAME.svg of each, one README.md and one index.html.
namespace tailbound::figures {

struct Folder {
  std::filesystem::path path;  ///< made if missing
  files::NamedFiles& named;    ///< by these the files are read and written
};

/// One figure after the other, each as a piece; what a stop leaves is in place, and whole.
/// \param request  its run has one thread a piece; simulations get `threads`
/// \throws InvalidArgument  named --output: a folder that cannot be made or written, or whose README.md or
///                          index.html is of another origin
/// \throws Stopped          before the first was finished
[[nodiscard]] std::vector<render::ReproducedFigure> reproduce(const std::vector<const Figure*>& chosen,
                                                              const Folder& folder, const Request& request,
                                                              int threads, const std::string& version);

}  // namespace tailbound::figures
