#pragma once

#include <cli/formats.hpp>
#include <cli/plots.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/run/histogram_batches.hpp>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

/// Estimates as text. They are shown as JSON numbers, not as strings of proved digits.
namespace tailbound::cli {

/// An estimate stripped of its unit.
struct ShownEstimate {
  double value = 0, lower = 0, upper = 0, confidence = 0.95;
  bool open = false;  ///< nothing is known of the upper end
};

/// An infinite upper end is open.
template <class Unit>
[[nodiscard]] ShownEstimate shown(const numeric::Estimate<Unit>& estimate) {
  return {estimate.value, estimate.lower, estimate.upper, estimate.confidence, std::isinf(estimate.upper)};
}

/// {"kind": "estimate", "value": 0.0106, "lower": 0.0105, "upper": 0.0107, "confidence": 0.95}; an open upper
/// end is null.
[[nodiscard]] Json to_json(const ShownEstimate& estimate);

/// "0.01058 +- 0.00021"; "0 (below 3.7e-07)" where nothing was seen.
[[nodiscard]] std::string brief(const ShownEstimate& estimate);
/// "52 (51 .. 53)", "52 (51 .. ?)"
[[nodiscard]] std::string brief_whole(const ShownEstimate& estimate);

/// Of an estimate that there may be none of: "-" and null.
template <class Unit>
[[nodiscard]] std::string brief_or_dash(const std::optional<numeric::Estimate<Unit>>& estimate) {
  return estimate ? brief(shown(*estimate)) : "-";
}
template <class Unit>
[[nodiscard]] Json json_or_null(const std::optional<numeric::Estimate<Unit>>& estimate) {
  return estimate ? to_json(shown(*estimate)) : Json();
}

/// Names of the CSV columns, and their fields.
[[nodiscard]] std::vector<std::string> estimate_columns(const std::string& name);
void append_csv(std::vector<std::string>& fields, const ShownEstimate& estimate);

/// log10 of the probabilities with their intervals, for a picture; levels where nothing was seen are left
/// out.
[[nodiscard]] plots::Curve interval_bars(std::string title, const std::vector<sim::LevelEstimate>& levels);

}  // namespace tailbound::cli
