#pragma once

#include <fmt/format.h>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/render/document.hpp>
#include <tailbound/render/documents/parts/comparison.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/units.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Common parts of the documents of validations: simulated points with rows of probabilities, percentiles and
/// a mean, each by analysis and by simulation.
/// Internal to the render module.
namespace tailbound::render {

/// The simulation of a point.
template <class Point>
[[nodiscard]] const answers::Simulated& simulated_of(const Point& point) {
  return point.second.simulation.simulated;
}
template <class Points>
[[nodiscard]] std::vector<const answers::Simulated*> validated_runs(const Points& points) {
  std::vector<const answers::Simulated*> runs;
  for (const auto& point : points) runs.push_back(&simulated_of(point));
  return runs;
}

/// One result per point, for point types with simulated_of().
/// \param requested      number of points
/// \param result_of  (point) -> Result; its lines are kept if it is the only one
/// \param drawn      (document) -> Picture
template <class Points, class ResultOf>
[[nodiscard]] Document validated_document(Layout layout, Headline headline, const std::string& title,
                                          std::vector<std::string> notes, const Points& points,
                                          std::size_t requested, const ResultOf& result_of,
                                          std::function<Picture(const Document&)> drawn,
                                          const UnitScale& scale = {}) {
  Document document{.layout = std::make_shared<const Layout>(std::move(layout)),
                    .headline = std::move(headline),
                    .settings = title + ".",
                    .results = {},
                    .notes = std::move(notes),
                    .digits = {6}};
  for (const auto& point : points) {
    Result& result = document.results.emplace_back(result_of(point));
    if (points.size() > 1) result.lines.clear();
  }
  document = with_units(std::move(document), scale);
  mark_stopped(document, validated_runs(points), requested);
  document.picture = [document, drawn = std::move(drawn)] { return drawn(document); };
  return document;
}

/// One comparison.
struct ValidatedRow {
  const char* quantity;
  std::string what;             ///< the same as text: "P(Q > 3)"
  Value level{}, percentile{};  ///< the level or percentile, if it has one
  ShownComparison compared;
  bool in_unit = false;                    ///< in slots or packets; otherwise probabilities
  bool only_unit = false;                  ///< only in the other unit
  std::optional<ShownComparison> about{};  ///< an approximation accompanying a proved value
};

/// "quantity" and "what"
[[nodiscard]] const Fields<ValidatedRow>& validated_quantity();

/// An additional unit for the rows' numbers: prediction_ns, simulation_ns.
struct ValidatedUnit {
  std::string suffix, unit;                   ///< "ns", "ns"; "bytes", "bytes"
  std::optional<numeric::Rational> factor{};  ///< none: unknown
};

/// "rows".  \param argument  the level or percentile
[[nodiscard]] Table<ValidatedRow> validated_table(const Fields<ValidatedRow>& argument,
                                                  const ValidatedUnit& unit);

/// Result columns of a mean.  \param suffix  of the keys: "_slots"
[[nodiscard]] Fields<ShownComparison> mean_fields(const char* heading, const char* unit, const char* meaning,
                                                  const std::string& suffix = "");

/// Result columns: counts of verdicts, and the joint confidence of all intervals.
struct Judged {
  const answers::Tally& tally;
  double confidence_of_all = 0, confidence_of_each = 0;
};
[[nodiscard]] const Fields<Judged>& judged_fields();
/// For points whose query has a `confidence`, and whose answer a `tally` and `confidence_of_each`.
inline constexpr auto judged = [](const auto& point) {
  return Judged{point.second.tally, point.first.confidence, point.second.confidence_of_each};
};
/// "intervals": "99.69 % each; all 16 together 95 %".
[[nodiscard]] std::vector<Line> judged_lines(const Judged& of);
/// Also the description of the simulation.
template <class Point>
[[nodiscard]] std::vector<Line> validated_lines(const Point& point) {
  return joined(judged_lines(judged(point)), simulation_lines(simulated_of(point)));
}

/// For all points together.
template <class Points>
[[nodiscard]] std::string conclusion_of(const Points& points, const std::string& predicted = "the analysis") {
  std::vector<answers::Tally> tallies;
  for (const auto& point : points) tallies.push_back(judged(point).tally);
  return conclusion(tallies, predicted);
}

/// The same as a headline.
template <class Points>
[[nodiscard]] Headline headline_of(const Points& points, const std::string& predicted = "the analysis") {
  return Headline::without_numbers(conclusion_of(points, predicted) + ".");
}

/// A note for several points with intervals of several rows.
template <class Points>
[[nodiscard]] std::string points_in_words(const Points& points) {
  return fmt::format("The intervals of a point have a joint confidence of {:g} %; {}.",
                     100 * points.front().first.confidence, batches_in_words(validated_runs(points)));
}

/// One level of a curve, by analysis and by simulation.
struct ValidatedLevel {
  double level = 0;
  Value predicted, simulated;
};

/// The analysis as a staircase where it has each level, the simulation as points.
/// \throws NoAnswer  the simulation observed nothing
[[nodiscard]] Picture validated_picture(const std::vector<ValidatedLevel>& curve, Picture picture);

/// For several points: a predicted and a simulated cell, against the first varying axis.
/// \throws NoAnswer  no axis varies
[[nodiscard]] Picture validated_sweep(const Document& document, const std::vector<std::string>& axes,
                                      const std::string& predicted, const std::string& simulated,
                                      Picture picture);

}  // namespace tailbound::render
