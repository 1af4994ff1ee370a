#pragma once

#include <tailbound/render/document.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Published figures that were computed again: their files, and what agrees with the papers.
namespace tailbound::render {

/// One statement of a paper against what was computed. Every number in `computed` comes from the computation
/// that has just run.
struct Finding {
  std::string subject;         ///< in a few words
  std::string claim;           ///< what the paper says, in our words
  std::string published;       ///< its number, or that it prints none
  std::string computed;        ///< and by what measure the two agree
  std::optional<bool> agrees;  ///< empty: there is nothing to compare with
};

/// A figure whose files are in place.
struct ReproducedFigure {
  std::string name, title;             ///< "singh-dally-5", "Figure 5: ..."
  std::string csv, svg, readme, page;  ///< the files
  std::vector<Finding> findings;
};

/// "agrees", "does not agree", "not compared"
[[nodiscard]] const char* verdict_name(const Finding& finding);

/// \param asked  figures; fewer of them are there where a stop came between
/// \pre at least one figure
[[nodiscard]] Document document(const std::vector<ReproducedFigure>& figures, std::size_t asked, bool quick);

[[nodiscard]] Layout reproduce_layout();

}  // namespace tailbound::render
