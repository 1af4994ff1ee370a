#pragma once

#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/answers/validation/compared.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/units.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// The document of a comparison of analysis and simulation, the same for all systems: headline, table of
/// rows, verdicts, notes and pictures. A system adds its inputs and own results, its name and the notes on
/// its quantities.
/// Internal to the render module.
namespace tailbound::render {

/// The numbers of rows in another unit: prediction_ns, simulation_ns.
struct ValidatedUnit {
  std::string suffix{};                       ///< "ns", "bytes"; empty if there is none
  std::optional<numeric::Rational> factor{};  ///< none: unknown
};

/// What is the same for all points.
struct Validation {
  std::string command;                 ///< "validate buffer"
  std::vector<Column> inputs{};        ///< of the system
  std::vector<Column> results{};       ///< of the system, in front of the verdicts
  std::string predicted = "analysis";  ///< what is compared: "analysis", "model", "bound"
  /// Of levels, and of means of occupancies: "packets", "cells", "slots"; empty if all rows are means.
  std::string level_unit{};
  std::string time = "slot";  ///< of the simulation: "slot" or "cycle"
  ValidatedUnit unit{};
};

/// One point, with its results.
struct ValidatedPoint {
  Cells inputs, cells{};  ///< of Validation::inputs and results
  const answers::Comparisons& compared;
  const answers::Simulated& simulated;
  std::string name{};         ///< of its table, if there are several points; default: what varies
  std::vector<Line> lines{};  ///< text of a single point, in front of the intervals
};

[[nodiscard]] Layout layout_of(const Validation& validation);

/// \param settings  without the full stop
/// \param notes     of the system; those on verdicts and intervals follow
/// \param requested  number of points; if some are missing, the document is marked as stopped
/// \param drawn     (document) -> Picture; among the cells of its results are those of prediction_key() and
///                  simulation_key()
/// \pre at least one point
[[nodiscard]] Document validated_document(const Validation& validation, const std::string& settings,
                                          std::vector<std::string> notes,
                                          const std::vector<ValidatedPoint>& points, std::size_t requested,
                                          std::function<Picture(const Document&)> drawn,
                                          const UnitScale& scale = {});

// --- pictures

/// Keys of a quantity without a level or percentile in the document from which pictures are drawn.
[[nodiscard]] std::string prediction_key(answers::ComparedQuantity quantity);
[[nodiscard]] std::string simulation_key(answers::ComparedQuantity quantity);

/// Probabilities against their levels, on a logarithmic axis: the prediction, an approximation if there is
/// one, and the simulation. Of the quantity of the first row.
/// \param style  of the prediction: steps if the rows are at all levels
/// \throws NoAnswer  the simulation observed nothing
[[nodiscard]] Picture level_picture(std::vector<answers::ComparedRow> rows, const std::string& predicted,
                                    CurveStyle style, Picture picture);

/// The rows of all points of one system.
template <class Point>
[[nodiscard]] std::vector<answers::ComparedRow> rows_of(const std::vector<Point>& points) {
  std::vector<answers::ComparedRow> rows;
  for (const Point& point : points)
    rows.insert(rows.end(), point.second.rows.begin(), point.second.rows.end());
  return rows;
}

/// A quantity of several points against the first varying axis, by analysis and by simulation.
/// \throws NoAnswer  no axis varies
[[nodiscard]] Picture sweep_of_points(const Document& document, const std::vector<std::string>& axes,
                                      answers::ComparedQuantity quantity, Picture picture);

}  // namespace tailbound::render
