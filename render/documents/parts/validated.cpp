#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <cmath>

namespace tailbound::render {
namespace {

using answers::Tally;
using answers::Verdict;

}  // namespace

const Fields<ValidatedRow>& validated_quantity() {
  static const Fields<ValidatedRow> fields{
      {{"quantity", "quantity", "", Shape::text, "quantity compared", Style::hidden},
       &ValidatedRow::quantity},
      {{"what", "", "", Shape::text, "the same in words"}, &ValidatedRow::what}};
  return fields;
}

Table<ValidatedRow> validated_table(const Fields<ValidatedRow>& argument, const ValidatedUnit& unit) {
  using Row = ValidatedRow;
  const ComparisonNames names{.counted = true};
  const std::string meaning = " in " + unit.unit + ", where it has that unit";
  const auto known = [known = unit.factor.has_value()](const Row&) { return known; };
  const auto in_own_unit = [known](const Row& row) {
    ShownComparison compared = row.compared;
    if (known(row) && row.only_unit) compared.predicted = compared.simulated = None{};
    return compared;
  };
  const auto in_other_unit = [factor = unit.factor](Value ShownComparison::*number) {
    return [factor, number](const Row& row) {
      const Value& value = row.compared.*number;
      return row.only_unit ? value : row.in_unit ? scaled(value, *factor) : Value(None{});
    };
  };
  return {
      "rows",
      "comparisons, one row each",
      {validated_quantity(),
       argument,
       {comparison_fields(names), in_own_unit},
       {{"prediction_" + unit.suffix, names.predicted, unit.unit, Shape::number, "the prediction" + meaning,
         Style::plain, 6},
        in_other_unit(&ShownComparison::predicted),
        known},
       {{"simulation_" + unit.suffix, "simulation", unit.unit, Shape::estimate, "the simulation" + meaning},
        in_other_unit(&ShownComparison::simulated),
        known}}};
}

Fields<ShownComparison> mean_fields(const char* heading, const char* unit, const char* meaning,
                                    const std::string& suffix) {
  return {{{"mean_prediction" + suffix, heading, unit, Shape::claim, meaning, Style::plain, 6},
           &ShownComparison::predicted},
          {{"mean_simulation" + suffix, "simulated", unit, Shape::estimate, "the same by simulation"},
           &ShownComparison::simulated}};
}

const Fields<Judged>& judged_fields() {
  const auto count = [](const char* key, const char* heading, const char* meaning) {
    return Column{key, heading, "", Shape::whole, std::string("rows with this verdict: ") + meaning};
  };
  const auto rows = [](Verdict verdict) {
    return [verdict](const Judged& of) { return of.tally.count(verdict); };
  };
  static const Fields<Judged> fields{
      {verdict_column("verdict_of_all", "analysis is"),
       [](const Judged& of) {
         return verdict_name(of.tally.underestimates() > 0 ? Verdict::below
                             : of.tally.conservative() > 0 ? Verdict::above
                                                           : Verdict::inside);
       }},
      {count("inside", "inside", "within the interval of the simulation"), rows(Verdict::inside)},
      {count("above", "above", "conservative"), rows(Verdict::above)},
      {count("below", "below", "underestimates"), rows(Verdict::below)},
      {count("too_rare", "too rare", "not judged"), rows(Verdict::too_rare)},
      {{"confidence_of_all_rows", "", "", Shape::given, "confidence of all intervals together",
        Style::hidden},
       [](const Judged& of) {
         constexpr long parts = 1'000'000;  // it is given with few decimals
         return numeric::Rational(numeric::Rational(std::lround(of.confidence_of_all * parts)) / parts);
       }}};
  return fields;
}

std::vector<Line> judged_lines(const Judged& of) {
  return {{"intervals", fmt::format("{:.4g} % each; all {} together {:g} %", 100 * of.confidence_of_each,
                                    of.tally.rows(), 100 * of.confidence_of_all)}};
}

Picture validated_picture(const std::vector<ValidatedLevel>& curve, Picture picture) {
  Curve simulation{.title = "simulation", .style = CurveStyle::bars};
  Curve analysis{.title = "analysis", .style = CurveStyle::steps};
  for (const ValidatedLevel& point : curve) {
    add_point(simulation, point.level, point.simulated, true);
    add_point(analysis, point.level, point.predicted, true);
  }
  if (simulation.points.empty()) throw NoAnswer("nothing to draw: the simulation observed nothing");
  picture.powers_of_ten = true;
  picture.curves = {std::move(simulation), std::move(analysis)};
  return picture;
}

Picture validated_sweep(const Document& document, const std::vector<std::string>& axes,
                        const std::string& predicted, const std::string& simulated, Picture picture) {
  const auto named = [](Picture drawn, std::size_t from, const char* name) {
    for (std::size_t i = from; i < drawn.curves.size(); ++i)
      drawn.curves[i].title = name + (drawn.curves[i].title.empty() ? "" : ", " + drawn.curves[i].title);
    return drawn;
  };
  picture = named(sweep_picture(document, {.axes = axes, .height = simulated}, std::move(picture)), 0,
                  "simulation");
  const std::size_t simulations = picture.curves.size();
  return named(sweep_picture(document, {.axes = axes, .height = predicted}, std::move(picture)), simulations,
               "analysis");
}

}  // namespace tailbound::render
