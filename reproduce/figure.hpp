#pragma once

#include <tailbound/answers/points/run.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/documents/reproduce.hpp>

#include <functional>
#include <string>
#include <vector>

/// Published figures, computed again. Each paper has its own file, or one a figure, and returns what render/
/// shows: a table, a picture, findings.
namespace tailbound::figures {

using render::Finding;

/// A figure, computed.
struct Result {
  render::Document table{};  ///< each of its results is a line of the CSV
  render::Picture picture{};
  std::string computed{};               ///< models and parameters, in sentences
  std::vector<std::string> commands{};  ///< that print the same numbers
  std::vector<Finding> findings{};
};

struct Request {
  bool quick = false;  ///< fewer points, simulations of a thirtieth of the length; the findings stay
  answers::Run run{};  ///< its threads and progress: a figure is whole or not at all, and looks at no stop
};

/// Simulations of a request that is quick are so much shorter.
inline constexpr int quicker = 30;

struct Figure {
  std::string name;    ///< of its files and on the command line: "singh-dally-5"
  std::string paper;   ///< short name, shared by all its figures: "singh-dally"
  std::string title;   ///< "Figure 5: ..."
  std::string source;  ///< author, year, section
  std::string shows;   ///< what the paper shows, in our words
  std::function<Result(const Request&)> compute;
};

/// Of all papers, in the order of the README.
[[nodiscard]] const std::vector<Figure>& all_figures();

/// Valid names: all, each paper, each figure.
[[nodiscard]] std::vector<std::string> all_names();
/// \param name  one of all_names()
[[nodiscard]] std::vector<const Figure*> figures_named(const std::string& name);

/// An empty figure: a table with these columns, and the title and axes of the picture.
/// \param requested  columns of the inputs;  \param found  columns of the results
[[nodiscard]] Result new_result(std::vector<render::Column> requested, std::vector<render::Column> found,
                                render::Picture picture);

/// Adds a line to the table.
void add_row(Result& result, render::Cells requested, render::Cells found);

}  // namespace tailbound::figures
