#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/documents/parts/comparison.hpp>

#include <optional>
#include <string>
#include <vector>

/// What the documents of validate delay and validate buffer have in common: rows of probabilities, percentiles
/// and a mean, each by analysis and by simulation.
/// Internal to the render module.
namespace tailbound::render {

/// One comparison.
struct ValidatedRow {
  Cells argument;          ///< "quantity", "what" and its level or percentile
  Cells compared;          ///< comparison_cells()
  bool in_unit = false;    ///< of slots or packets; else they are probabilities
  bool only_unit = false;  ///< they are in the other unit, and in that only
};

/// Another unit in which the rows' numbers are shown once more: prediction_ns, simulation_ns.
struct ValidatedUnit {
  std::string suffix, unit;                   ///< "ns", "ns"; "bytes", "bytes"
  std::optional<numeric::Rational> factor{};  ///< none: it is not known
};

/// The table "rows".  \param argument  columns of the level or percentile
[[nodiscard]] TableLayout validated_table(const std::vector<Column>& argument, const ValidatedUnit& unit);
[[nodiscard]] Rows validated_rows(std::vector<ValidatedRow> rows, const ValidatedUnit& unit);

/// Of results: the verdicts counted, and with what confidence all intervals hold together.
[[nodiscard]] std::vector<Column> tally_columns();
[[nodiscard]] Cells tally_cells(const answers::Tally& tally, double confidence_of_all);

/// "99.69 % each, so that all 16 hold together in 95 % of such runs"
[[nodiscard]] std::string intervals_in_words(double confidence_of_each, std::size_t rows,
                                             double confidence_of_all);

/// One level both ways, of a curve.
struct ValidatedLevel {
  double level = 0;
  Value predicted, simulated;
};

/// The analysis as a line through the simulation's points.
/// \throws NoAnswer  the simulation saw nothing
[[nodiscard]] Picture validated_picture(const std::vector<ValidatedLevel>& curve, Picture picture);

/// Of several points: two cells of the results, the same both ways, against the first of the axes that varies.
/// \throws NoAnswer  none does
[[nodiscard]] Picture validated_sweep(const Document& document, const std::vector<std::string>& axes,
                                      const std::string& predicted, const std::string& simulated,
                                      Picture picture);

}  // namespace tailbound::render
