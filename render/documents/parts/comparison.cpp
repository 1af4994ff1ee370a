#include <fmt/format.h>
#include <tailbound/render/documents/parts/comparison.hpp>

namespace tailbound::render {
namespace {

/// Of one or several points.
struct Counts {
  std::size_t underestimates = 0, conservative = 0, judged = 0, saturated = 0, rare = 0;
};

std::string sentence(const Counts& counts, const std::string& predicted) {
  const auto rows = [&](std::size_t some) {
    return fmt::format("{} of {}", some, counted(counts.judged, "row"));
  };
  std::string text;
  if (counts.judged == 0)
    text = predicted + " could not be judged in any row";
  else if (counts.underestimates > 0)
    text = fmt::format("{} underestimates in {}", predicted, rows(counts.underestimates));
  else if (counts.conservative > 0)
    text = fmt::format("{} is conservative in {} and underestimates in none", predicted,
                       rows(counts.conservative));
  else
    text = fmt::format("{} agrees with simulation in {}", predicted,
                       counts.judged == 1   ? "the only row judged"
                       : counts.judged == 2 ? "both rows"
                                            : fmt::format("all {} rows", counts.judged));
  if (counts.rare > 0) text += fmt::format("; {} too rare to judge", counted(counts.rare, "row"));
  if (counts.saturated > 0)
    text += fmt::format("; {} saturated and not judged", counted(counts.saturated, "row"));
  return text;
}

}  // namespace

const char* verdict_name(answers::Verdict verdict) {
  switch (verdict) {
    case answers::Verdict::inside:
      return "inside";
    case answers::Verdict::above:
      return "above";
    case answers::Verdict::below:
      return "below";
    case answers::Verdict::too_rare:
      return "too rare";
    case answers::Verdict::saturated:
      break;
  }
  return "saturated";
}

Column error_column(const std::string& key) {
  return {key,
          "error",
          "",
          Shape::estimate,
          "prediction / simulation - 1; null if either is missing",
          Style::signed_percent};
}

Column verdict_column(const std::string& key, const std::string& heading) {
  return {key, heading, "", Shape::text,
          "position of the prediction relative to the interval of the simulation: inside, above or below; or "
          "not judged: too rare, saturated"};
}

Fields<ShownComparison> comparison_fields(const ComparisonNames& names) {
  using Of = ShownComparison;
  const auto column = [&](const char* key, const std::string& heading, Shape shape,
                          const std::string& meaning) {
    return Column{names.prefix + key, heading, names.unit, shape, meaning};
  };
  Fields<Of> counted{};
  if (names.counted)
    counted = {{{names.prefix + "count", "observed", "", Shape::whole,
                 "observations; null if this is not a probability"},
                &Of::count}};
  return {{column("prediction", names.predicted, Shape::number,
                  "by the " + names.predicted + "; null if saturated"),
           &Of::predicted},
          {column("simulation", "simulation", Shape::estimate, "by simulation"), &Of::simulated},
          counted,
          {error_column(names.prefix + "error"), &Of::error},
          {verdict_column(names.prefix + "verdict", names.predicted + " is"),
           [](const Of& of) { return verdict_name(of.verdict); }}};
}

std::string conclusion(const answers::Tally& tally, const std::string& predicted) {
  return conclusion(std::vector<answers::Tally>{tally}, predicted);
}

std::string conclusion(const std::vector<answers::Tally>& tallies, const std::string& predicted) {
  Counts counts;
  for (const answers::Tally& tally : tallies) {
    counts.underestimates += tally.underestimates();
    counts.conservative += tally.conservative();
    counts.judged += tally.judged();
    counts.rare += tally.count(answers::Verdict::too_rare);
    counts.saturated += tally.count(answers::Verdict::saturated);
  }
  return sentence(counts, predicted);
}

std::string verdicts_in_words(answers::UnsafeSide side) {
  const bool below = side == answers::UnsafeSide::below;
  return fmt::format(
      "inside: within the interval of the simulation; above: {}; below: {}; too rare: not judged. Error: "
      "prediction / simulation - 1.",
      below ? "conservative" : "underestimates", below ? "underestimates" : "conservative");
}

}  // namespace tailbound::render
