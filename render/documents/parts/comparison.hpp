#pragma once

#include <tailbound/answers/comparison.hpp>
#include <tailbound/render/fields.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Presentation of a comparison of analysis and simulation, common to all validate commands.
namespace tailbound::render {

/// "inside", "above", "below", "too rare", "saturated"
[[nodiscard]] const char* verdict_name(answers::Verdict verdict);

/// Names of the columns of one comparison.
struct ComparisonNames {
  std::string unit{};                  ///< of both numbers
  std::string predicted = "analysis";  ///< the heading: "analysis", "model", "blocking"
  std::string prefix{};                ///< of the keys: "mean_" gives mean_prediction
  bool counted = false;                ///< with "count"
};

[[nodiscard]] Column error_column(const std::string& key);
[[nodiscard]] Column verdict_column(const std::string& key, const std::string& heading);

template <class Unit>
[[nodiscard]] Value shown(const answers::Predicted<Unit>& predicted) {
  return std::visit([](const auto& number) { return shown(number); }, predicted);
}

/// prediction / simulation - 1, with the range given by the simulation's interval.
template <class Unit>
[[nodiscard]] Value error_of(const answers::Comparison<Unit>& comparison) {
  const std::optional<double> error = comparison.error();
  if (!error) return None{};
  const numeric::Estimate<Unit>& simulated = comparison.simulated;
  const double computed = comparison.span()->upper;
  const double largest =
      simulated.lower > 0 ? computed / simulated.lower - 1 : std::numeric_limits<double>::infinity();
  return Estimate{*error, computed / simulated.upper - 1, largest, simulated.confidence};
}

/// A comparison without its unit, as one table contains quantities with different units.
struct ShownComparison {
  Value predicted, simulated;
  std::optional<std::uint64_t> count;
  Value error;
  answers::Verdict verdict;

  template <class Unit>
  ShownComparison(const answers::Comparison<Unit>& of)
      : predicted(of.predicted ? shown(*of.predicted) : Value(None{})),
        simulated(shown(of.simulated)),
        count(of.count),
        error(error_of(of)),
        verdict(of.verdict()) {}
};

/// prediction, simulation, count, error, verdict.
[[nodiscard]] Fields<ShownComparison> comparison_fields(const ComparisonNames& names = {});

/// A sentence without its period.
/// \param predicted  "the analysis", "blocking"
[[nodiscard]] std::string conclusion(const answers::Tally& tally,
                                     const std::string& predicted = "the analysis");
/// The tallies of several points as one sentence.
[[nodiscard]] std::string conclusion(const std::vector<answers::Tally>& tallies,
                                     const std::string& predicted = "the analysis");

/// A note: the meaning of each verdict, and of the error.
/// \param side  the side on which predictions are too favorable
[[nodiscard]] std::string verdicts_in_words(answers::UnsafeSide side = answers::UnsafeSide::below);

}  // namespace tailbound::render
