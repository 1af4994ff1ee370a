#pragma once

#include <tailbound/render/document.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Reproduced published figures: their files, and the agreement with the papers.
namespace tailbound::render {

/// One statement of a paper compared with the computation. Every number in `computed` comes from the current
/// run.
struct Finding {
  std::string subject;         ///< a short description
  std::string claim;           ///< the paper's statement, paraphrased
  std::string published;       ///< its number, or that it prints none
  std::string computed;        ///< the criterion of agreement
  std::optional<bool> agrees;  ///< empty: nothing to compare with
};

/// A figure whose files have been written.
struct ReproducedFigure {
  std::string name, title;             ///< "singh-dally-5", "Figure 5: ..."
  std::string csv, svg, readme, page;  ///< the files
  std::vector<Finding> findings;
};

/// "agrees", "does not agree", "not compared"
[[nodiscard]] const char* verdict_name(const Finding& finding);

/// \param requested  number of figures; fewer are present after a stop
/// \pre at least one figure
[[nodiscard]] Document document(const std::vector<ReproducedFigure>& figures, std::size_t requested,
                                bool quick);

[[nodiscard]] Layout reproduce_layout();

}  // namespace tailbound::render
