#include <fmt/format.h>
#include <cli/estimates.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::cli {

Json to_json(const ShownEstimate& estimate) {
  Json json{{"kind", "estimate"}, {"value", estimate.value}, {"lower", estimate.lower}, {"upper", nullptr}};
  if (!estimate.open) json["upper"] = estimate.upper;
  json["confidence"] = estimate.confidence;
  return json;
}

std::string brief(const ShownEstimate& estimate) {
  if (estimate.value == 0) return fmt::format("0 (below {:.2g})", estimate.upper);
  const double half = estimate.upper - estimate.value;
  // So many digits that the last one is the second of the interval's half width.
  const int digits =
      half > 0
          ? std::clamp(
                static_cast<int>(std::floor(std::log10(estimate.value)) - std::floor(std::log10(half))) + 2,
                2, 8)
          : 8;
  return fmt::format("{:.{}g} +- {:.2g}", estimate.value, digits, half);
}

std::string brief_whole(const ShownEstimate& estimate) {
  return fmt::format("{} ({} .. {})", estimate.value, estimate.lower,
                     estimate.open ? std::string("?") : fmt::format("{}", estimate.upper));
}

std::vector<std::string> estimate_columns(const std::string& name) {
  return {name + "_kind", name + "_value", name + "_lower", name + "_upper", name + "_confidence"};
}

void append_csv(std::vector<std::string>& fields, const ShownEstimate& estimate) {
  fields.insert(fields.end(),
                {"estimate", fmt::format("{}", estimate.value), fmt::format("{}", estimate.lower),
                 estimate.open ? std::string() : fmt::format("{}", estimate.upper),
                 fmt::format("{}", estimate.confidence)});
}

plots::Curve interval_bars(std::string title, const std::vector<sim::LevelEstimate>& levels) {
  plots::Curve curve{.title = std::move(title), .style = plots::Style::bars, .points = {}};
  for (const sim::LevelEstimate& level : levels) {
    if (level.count == 0) continue;
    curve.points.emplace_back(static_cast<double>(level.level), std::log10(level.probability.value));
    curve.ends.emplace_back(std::log10(level.probability.lower), std::log10(level.probability.upper));
  }
  return curve;
}

}  // namespace tailbound::cli
