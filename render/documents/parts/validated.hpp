#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/documents/parts/comparison.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/units.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What the documents of validations have in common: points that were simulated, with rows of probabilities, percentiles
/// and a mean, each by analysis and by simulation.
/// Internal to the render module.
namespace tailbound::render {

/// A result for each point, of which the answer has a `simulation`.
/// \param asked      points
/// \param result_of  (point) -> Result, of which the lines are kept where it is the only one
/// \param drawn      (document) -> Picture
template <class Points, class ResultOf>
[[nodiscard]] Document validated_document(Layout layout, std::string headline, std::vector<std::string> notes,
                                          const Points& points, std::size_t asked, const ResultOf& result_of,
                                          std::function<Picture(const Document&)> drawn,
                                          const UnitScale& scale = {}) {
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = std::move(headline),
                    .results = {},
                    .notes = std::move(notes),
                    .digits = {6}};
  std::vector<const answers::Simulated*> runs;
  for (const auto& point : points) {
    Result& result = document.results.emplace_back(result_of(point));
    if (points.size() > 1) result.lines.clear();
    runs.push_back(&point.second.simulation.simulated);
  }
  document = with_units(std::move(document), scale);
  mark_stopped(document, runs, asked);
  document.picture = [document, drawn = std::move(drawn)] { return drawn(document); };
  return document;
}

/// The cells of one comparison.
template <class Unit>
[[nodiscard]] Cells compared(const answers::Comparison<Unit>& comparison) {
  static const Fields<answers::Comparison<Unit>> fields = comparison_fields<Unit>({.counted = true});
  return fields.cells(comparison);
}

/// One comparison.
struct ValidatedRow {
  Cells argument;          ///< "quantity", "what" and its level or percentile
  Cells compared;          ///< compared()
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
struct Judged {
  const answers::Tally& tally;
  double confidence_of_all = 0;
};
[[nodiscard]] const Fields<Judged>& judged_fields();
/// Of points whose question has a `confidence` and whose answer a `tally`.
inline constexpr auto judged = [](const auto& point) {
  return Judged{point.second.tally, point.first.confidence};
};
/// How they were simulated.
inline constexpr auto simulated_of = [](const auto& point) -> const answers::Simulated& {
  return point.second.simulation.simulated;
};

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
