#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <cmath>

namespace tailbound::render {
namespace {

using answers::Tally;
using answers::Verdict;

const ComparisonNames names{.counted = true};

/// A whole number of slots is exact in nanoseconds.
Value in_unit(const Value& value, const numeric::Rational& factor) {
  Value changed = scaled(value, factor);
  if (const auto* exact = std::get_if<Given>(&changed)) return Exact{exact->value};
  return changed;
}

Cells row_cells(const ValidatedRow& row, const ValidatedUnit& unit) {
  Cells cells = joined(row.argument, row.compared);
  if (!unit.factor) return cells;
  for (const char* key : {"prediction", "simulation"}) {
    const Value value = value_of(row.compared, key);
    cells.push_back({key + ("_" + unit.suffix), row.only_unit ? value
                                                : row.in_unit ? in_unit(value, *unit.factor)
                                                              : Value(None{})});
    if (!row.only_unit) continue;
    for (Cell& cell : cells)
      if (cell.key == key) cell.value = None{};
  }
  return cells;
}

}  // namespace

TableLayout validated_table(const std::vector<Column>& argument, const ValidatedUnit& unit) {
  const std::string meaning = " in " + unit.unit + ", where it has that unit";
  return {"rows", "what was compared, a row each",
          joined(joined(joined<Column>(
                            {{"quantity", "quantity", "", Shape::text, "what is compared", Style::hidden},
                             {"what", "", "", Shape::text, "the same in words"}},
                            argument),
                        comparison_fields<unit::Probability>(names).columns()),
                 {{"prediction_" + unit.suffix, names.predicted, unit.unit, Shape::number,
                   "the prediction" + meaning, Style::plain, 6},
                  {"simulation_" + unit.suffix, "simulation", unit.unit, Shape::estimate,
                   "the simulation" + meaning}})};
}

Rows validated_rows(std::vector<ValidatedRow> rows, const ValidatedUnit& unit) {
  const auto shared = share(std::move(rows));
  return {.key = "rows", .size = shared->size(), .row = [shared, unit](std::size_t i) {
            return row_cells((*shared)[i], unit);
          }};
}

const Fields<Judged>& judged_fields() {
  const auto count = [](const char* key, const char* heading, const char* meaning) {
    return Column{key, heading, "", Shape::whole, std::string("rows whose verdict is so: ") + meaning};
  };
  const auto rows = [](Verdict verdict) {
    return [verdict](const Judged& of) { return of.tally.count(verdict); };
  };
  static const Fields<Judged> fields{
      {verdict_column("verdict_of_all", "analysis is"),
       [](const Judged& of) {
         return verdict_name(of.tally.optimistic() > 0     ? Verdict::below
                             : of.tally.conservative() > 0 ? Verdict::above
                                                           : Verdict::inside);
       }},
      {count("inside", "inside", "within the simulation's interval"), rows(Verdict::inside)},
      {count("above", "above", "conservative"), rows(Verdict::above)},
      {count("below", "below", "optimistic"), rows(Verdict::below)},
      {count("too_rare", "too rare", "not judged"), rows(Verdict::too_rare)},
      {{"confidence_of_all_rows", "", "", Shape::given, "with which the intervals of all rows hold together",
        Style::hidden},
       [](const Judged& of) {
         constexpr long parts = 1'000'000;  // it is asked with a few decimals
         return numeric::Rational(numeric::Rational(std::lround(of.confidence_of_all * parts)) / parts);
       }}};
  return fields;
}

std::string intervals_in_words(double confidence_of_each, std::size_t rows, double confidence_of_all) {
  return fmt::format("{:.4g} % each, so that all {} hold together in {:g} % of such runs",
                     100 * confidence_of_each, rows, 100 * confidence_of_all);
}

Picture validated_picture(const std::vector<ValidatedLevel>& curve, Picture picture) {
  Curve simulation{.title = "simulation", .style = CurveStyle::bars};
  Curve analysis{.title = "analysis", .style = CurveStyle::line};
  for (const ValidatedLevel& point : curve) {
    add_point(simulation, point.level, point.simulated, true);
    add_point(analysis, point.level, point.predicted, true);
  }
  if (simulation.points.empty()) throw NoAnswer("there is nothing to draw: the simulation saw nothing");
  picture.powers_of_ten = true;
  picture.curves = {std::move(simulation), std::move(analysis)};
  return picture;
}

Picture validated_sweep(const Document& document, const std::vector<std::string>& axes,
                        const std::string& predicted, const std::string& simulated, Picture picture) {
  const auto named = [](Picture drawn, std::size_t from, const char* name) {
    for (std::size_t i = from; i < drawn.curves.size(); ++i) {
      drawn.curves[i].title = name + (drawn.curves[i].title.empty() ? "" : ", " + drawn.curves[i].title);
      drawn.curves[i].colour = static_cast<int>(i - from);
    }
    return drawn;
  };
  picture = named(sweep_picture(document, {.axes = axes, .height = simulated, .style = CurveStyle::bars},
                                std::move(picture)),
                  0, "simulation");
  const std::size_t simulations = picture.curves.size();
  return named(sweep_picture(document, {.axes = axes, .height = predicted, .style = CurveStyle::line},
                             std::move(picture)),
               simulations, "analysis");
}

}  // namespace tailbound::render
