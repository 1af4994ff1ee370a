#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/simulation.hpp>
#include <tailbound/render/documents/parts/units.hpp>
#include <tailbound/render/documents/parts/validated.hpp>
#include <tailbound/render/fields.hpp>
#include <tailbound/render/sweep_picture.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace tailbound::render {
namespace {

using namespace answers;

/// A row in words: the format of its argument, and its unit; "level" is that of levels.
struct RowWords {
  const char *what, *unit = "";
};

RowWords words_of(ComparedQuantity quantity) {
  switch (quantity) {
    case ComparedQuantity::occupancy_tail:
      return {"P(Q > {})"};
    case ComparedQuantity::mean_occupancy:
      return {"mean of Q", "level"};
    case ComparedQuantity::total_tail:
      return {"P(T > {})"};
    case ComparedQuantity::mean_total:
      return {"mean of T", "level"};
    case ComparedQuantity::cell_loss:
      return {"cell loss({})"};
    case ComparedQuantity::packet_loss:
      return {"loss({})"};
    case ComparedQuantity::delay_tail:
      return {"P(D > {})"};
    case ComparedQuantity::queueing:
      return {"{} % of D", "slots"};
    case ComparedQuantity::mean_queueing:
      return {"mean of D", "slots"};
    case ComparedQuantity::latency_time:
      return {"{} % of T", "ns"};
    case ComparedQuantity::mean_latency_time:
      return {"mean of T", "ns"};
    case ComparedQuantity::latency:
      return {"mean latency", "cycles"};
    case ComparedQuantity::unicast_latency:
      return {"unicast latency", "cycles"};
    case ComparedQuantity::broadcast_latency:
      return {"broadcast latency", "cycles"};
    case ComparedQuantity::throughput:
      return {"throughput"};
    case ComparedQuantity::delay:
      return {"mean delay"};
    case ComparedQuantity::hot_delay:
      return {"hot delay"};
    case ComparedQuantity::input_tail:
      return {"P(input > {})"};
    case ComparedQuantity::voq_tail:
      return {"P(VOQ > {})"};
    case ComparedQuantity::column_tail:
      return {"P(output > {})"};
    case ComparedQuantity::cold_delay:
      break;
  }
  return {"cold delay"};
}

std::string unit_of(ComparedQuantity quantity, const Validation& validation) {
  const std::string unit = words_of(quantity).unit;
  return unit == "level" ? validation.level_unit : unit;
}

/// The numbers of a comparison, of any unit.
struct Numbers {
  Value predicted, simulated, error;
  std::optional<std::uint64_t> count;
  Verdict verdict{};
};

/// prediction / simulation - 1, with the range given by the simulation's interval.
template <class Unit>
Value error_of(const Comparison<Unit>& comparison) {
  const std::optional<double> error = comparison.error();
  if (!error) return None{};
  const numeric::Estimate<Unit>& simulated = comparison.simulated;
  const double computed = comparison.span()->upper;
  const double largest =
      simulated.lower > 0 ? computed / simulated.lower - 1 : std::numeric_limits<double>::infinity();
  return Estimate{*error, computed / simulated.upper - 1, largest, simulated.confidence};
}

template <class Unit>
Value predicted(const Comparison<Unit>& comparison) {
  if (!comparison.predicted) return None{};
  return std::visit([](const auto& number) { return shown(number); }, *comparison.predicted);
}

template <class Unit>
Numbers numbers_of(const Comparison<Unit>& of) {
  return {.predicted = predicted(of),
          .simulated = shown(of.simulated),
          .error = error_of(of),
          .count = of.count,
          .verdict = of.verdict()};
}

struct Row {
  ComparedRow row;
  std::string unit;
  Numbers numbers;
  std::optional<Numbers> about;
  bool of_cells;     ///< next to losses of cells
  bool states_unit;  ///< unless it is that of levels

  Row(const ComparedRow& of, const Validation& validation)
      : row(of),
        unit(unit_of(of.quantity, validation)),
        numbers(std::visit([](const auto& compared) { return numbers_of(compared); }, of.compared)),
        of_cells(validation.level_unit == "cells"),
        states_unit(!unit.empty() && unit != validation.level_unit) {
    if (of.about) about = numbers_of(*of.about);
  }
  [[nodiscard]] std::optional<numeric::Rational> percent() const {
    if (!row.percentile) return std::nullopt;
    return numeric::Rational(*row.percentile * 100);
  }
  [[nodiscard]] std::string what() const {
    const std::string at = row.level        ? std::to_string(*row.level)
                           : row.percentile ? numeric::plain(*percent())
                                            : std::string();
    const std::string text = fmt::format(fmt::runtime(words_of(row.quantity).what), at);
    if (row.quantity == ComparedQuantity::packet_loss && of_cells) return "packet " + text;
    return states_unit ? text + " [" + unit + "]" : text;
  }
  [[nodiscard]] bool has_place() const { return row.level || row.percentile; }
};

/// Are there only means? Text then shows them in the table of several points.
bool only_means(const Validation& validation) {
  return validation.level_unit.empty();
}

Column error_column(const std::string& key) {
  return {key,
          "error",
          "",
          Shape::estimate,
          "prediction / simulation - 1; null if either is missing",
          Style::signed_percent};
}

Column verdict_column(const std::string& key, const std::string& predicted, Style style = Style::plain) {
  return {key,
          predicted + " is",
          "",
          Shape::text,
          "position of the prediction relative to the interval of the simulation: inside, above or below; or "
          "not judged: too rare, saturated",
          style};
}

/// The number in the other unit, if the row has one that is converted or is in it.
Value in_unit(const Row& row, const Value& value, const Validation& validation) {
  if (row.unit == validation.unit.suffix) return value;
  return row.unit == validation.level_unit ? scaled(value, *validation.unit.factor) : Value(None{});
}

Table<Row> rows_table(const Validation& validation) {
  Fields<Row> other{};
  if (const std::string& unit = validation.unit.suffix; !unit.empty()) {
    const auto known = [known = validation.unit.factor.has_value()](const Row&) { return known; };
    const std::string meaning = " in " + unit + ", where it has that unit";
    other = {{{"prediction_" + unit, validation.predicted, unit, Shape::number, "the prediction" + meaning,
               Style::plain, 6},
              [validation](const Row& of) { return in_unit(of, of.numbers.predicted, validation); },
              known},
             {{"simulation_" + unit, "simulation", unit, Shape::estimate, "the simulation" + meaning},
              [validation](const Row& of) { return in_unit(of, of.numbers.simulated, validation); },
              known}};
  }
  static const Fields<Numbers> approximation{
      {{"approximation", "approximation", "", Shape::model, "an approximation alongside a bound, not proved"},
       &Numbers::predicted},
      {error_column("approximation_error"), &Numbers::error}};
  return {
      "rows",
      "what is compared, one row each",
      {{{"quantity", "quantity", "", Shape::text, "quantity compared", Style::hidden},
        [](const Row& of) { return of.row.quantity; }},
       {{"what", "", "", Shape::text, "the same in words"}, &Row::what},
       {{"unit", "unit", "", Shape::text, "of prediction and simulation", Style::hidden}, &Row::unit},
       {{"level", "level", validation.level_unit, Shape::whole,
         "level n of P(> n), or buffer size of a loss; null in other rows", Style::hidden},
        [](const Row& of) { return of.row.level; }},
       {{"percentile", "percentile", "", Shape::given, "in percent; null in other rows", Style::hidden},
        &Row::percent},
       {{"prediction", validation.predicted, "", Shape::number,
         "by the " + validation.predicted + "; null if saturated"},
        [](const Row& of) { return of.numbers.predicted; }},
       {{"simulation", "simulation", "", Shape::estimate, "by simulation"},
        [](const Row& of) { return of.numbers.simulated; }},
       {{"count", "observed", "", Shape::whole, "observations; null if this is not a probability"},
        [](const Row& of) { return of.numbers.count; },
        [counted = !only_means(validation)](const Row&) { return counted; }},
       {error_column("error"), [](const Row& of) { return of.numbers.error; }},
       {verdict_column("verdict", validation.predicted), [](const Row& of) { return of.numbers.verdict; }},
       other,
       {approximation, &Row::about}}};
}

Fields<Comparisons> verdict_fields(const Validation& validation) {
  const Style style = only_means(validation) ? Style::hidden : Style::plain;
  const auto count = [style](Verdict verdict, const char* key, const char* meaning) {
    return Fields<Comparisons>{
        {{key, name_of(verdict), "", Shape::whole, std::string("rows with this verdict: ") + meaning, style},
         [verdict](const Comparisons& of) { return of.tally.count(verdict); }}};
  };
  return {{{"verdict_of_all", validation.predicted, "", Shape::text,
            "all rows together: underestimates if it does in any, otherwise conservative if it is in any, "
            "otherwise agrees",
            style},
           [](const Comparisons& of) {
             return of.tally.underestimates() > 0 ? "underestimates"
                    : of.tally.conservative() > 0 ? "conservative"
                                                  : "agrees";
           }},
          count(Verdict::inside, "inside", "within the interval of the simulation"),
          count(Verdict::above, "above", "above it"),
          count(Verdict::below, "below", "below it"),
          count(Verdict::too_rare, "too_rare", "not judged"),
          {{"saturated", "saturated", "", Shape::whole, "rows with this verdict: not judged", Style::hidden},
           [](const Comparisons& of) { return of.tally.count(Verdict::saturated); }},
          {{"underestimated_rows", "underestimates", "", Shape::whole,
            "rows in which the prediction is too favorable: a delay or a probability below the interval, a "
            "throughput above it",
            Style::hidden},
           [](const Comparisons& of) { return of.tally.underestimates(); }},
          {{"confidence_of_all_rows", "", "", Shape::given, "confidence of all intervals together, at least",
            Style::hidden},
           [](const Comparisons& of) {
             constexpr long parts = 1'000'000;  // it is given with few decimals
             return numeric::Rational(numeric::Rational(std::lround(of.confidence_of_all * parts)) / parts);
           }}};
}

// --- text

/// A sentence on all rows, without its full stop.
std::string conclusion(const std::vector<const Tally*>& tallies, const std::string& predicted) {
  std::size_t underestimates = 0, conservative = 0, judged = 0, saturated = 0, rare = 0;
  for (const Tally* tally : tallies) {
    underestimates += tally->underestimates();
    conservative += tally->conservative();
    judged += tally->judged();
    rare += tally->count(Verdict::too_rare);
    saturated += tally->count(Verdict::saturated);
  }
  const auto rows = [&](std::size_t some) { return fmt::format("{} of {}", some, counted(judged, "row")); };
  std::string text = "the " + predicted;
  if (judged == 0)
    text += " could not be judged in any row";
  else if (underestimates > 0)
    text += " underestimates in " + rows(underestimates);
  else if (conservative > 0)
    text += fmt::format(" is conservative in {} and underestimates in none", rows(conservative));
  else
    text += fmt::format(" agrees with simulation in {}", judged == 1   ? "the only row judged"
                                                         : judged == 2 ? "both rows"
                                                                       : fmt::format("all {} rows", judged));
  if (rare > 0) text += fmt::format("; {} too rare to judge", counted(rare, "row"));
  if (saturated > 0) text += fmt::format("; {} saturated and not judged", counted(saturated, "row"));
  return text;
}

std::string verdicts_in_words(const std::vector<ValidatedPoint>& points) {
  bool reversed = false;
  for (const ValidatedPoint& point : points)
    reversed = reversed || point.compared.find(ComparedQuantity::throughput) != nullptr;
  return fmt::format(
      "inside: within the interval of the simulation; above: conservative; below: underestimates{}; too "
      "rare: "
      "not judged. Error: prediction / simulation - 1.",
      reversed ? " (throughput: the reverse)" : "");
}

/// For several points.
std::string intervals_in_words(const std::vector<ValidatedPoint>& points) {
  double minimum = 1;
  std::vector<const Simulated*> runs;
  const double each = points.front().compared.confidence_of_each;
  bool same = true;
  for (const ValidatedPoint& point : points) {
    minimum = std::min(minimum, point.compared.confidence_of_all);
    same = same && point.compared.confidence_of_each == each;
    runs.push_back(&point.simulated);
  }
  return fmt::format("The intervals of a point have a joint confidence of {:.4g} %{}; {}.", 100 * minimum,
                     same && each > minimum ? fmt::format(", {:.4g} % each", 100 * each) : "",
                     batches_in_words(runs));
}

/// "99.69 % each; all 16 together 95 %"
Line interval_line(const Comparisons& of) {
  std::string text = fmt::format("{:.4g} % each", 100 * of.confidence_of_each);
  if (of.rows.size() > 1)
    text += fmt::format("; all {} together {:.4g} %", of.rows.size(), 100 * of.confidence_of_all);
  return {"intervals", std::move(text)};
}

/// Rows without a level or percentile as columns of the text table of several points. Pictures are drawn from
/// them as well.
void add_text_columns(Document& document, const Validation& validation,
                      const std::vector<ValidatedPoint>& points) {
  std::vector<Column>& columns = document.text_columns;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (const ComparedRow& compared : points[i].compared.rows) {
      const Row row(compared, validation);
      if (row.has_place()) continue;
      const std::string key = name_of(compared.quantity);
      Cells& cells = document.results[i].text_cells;
      cells.push_back({prediction_key(compared.quantity), row.numbers.predicted});
      cells.push_back({simulation_key(compared.quantity), row.numbers.simulated});
      cells.push_back({key + "_error", row.numbers.error});
      cells.push_back({key + "_verdict", Text{name_of(row.numbers.verdict)}});
      if (has_column(columns, prediction_key(compared.quantity))) continue;
      columns.push_back({prediction_key(compared.quantity), words_of(compared.quantity).what, row.unit,
                         Shape::number, "", Style::plain, 6});
      columns.push_back({simulation_key(compared.quantity), "simulated", row.unit, Shape::estimate, ""});
      if (!only_means(validation)) continue;
      columns.push_back(error_column(key + "_error"));
      columns.push_back(verdict_column(key + "_verdict", validation.predicted));
    }
}

/// With the numbers of text columns among the cells.
Document drawable(Document document) {
  for (Result& result : document.results) result.cells = joined(std::move(result.cells), result.text_cells);
  return document;
}

}  // namespace

Layout layout_of(const Validation& validation) {
  Layout layout{.command = validation.command,
                .inputs = validation.inputs,
                .results = joined(joined(validation.results, verdict_fields(validation).columns()),
                                  simulation_fields(validation.time).columns()),
                .tables = {rows_table(validation).layout()}};
  if (only_means(validation)) return layout;  // --quiet prints the table of points
  layout.quiet = {"what", "prediction", "simulation", "verdict"};
  layout.quiet_table = "rows";
  return layout;
}

Document validated_document(const Validation& validation, const std::string& settings,
                            std::vector<std::string> notes, const std::vector<ValidatedPoint>& points,
                            std::size_t requested, std::function<Picture(const Document&)> drawn,
                            const UnitScale& scale) {
  std::vector<const Tally*> tallies;
  std::vector<const Simulated*> runs;
  for (const ValidatedPoint& point : points) {
    tallies.push_back(&point.compared.tally);
    runs.push_back(&point.simulated);
  }
  const bool several = points.size() > 1;
  if (several) notes.push_back(intervals_in_words(points));
  notes.push_back(verdicts_in_words(points));
  Document document{
      .layout = std::make_shared<const Layout>(layout_of(validation)),
      .headline = Headline::without_numbers(capitalized(conclusion(tallies, validation.predicted)) + "."),
      .settings = settings + ".",
      .results = {},
      .notes = std::move(notes),
      .digits = {6}};
  const Table<Row> table = rows_table(validation);
  for (const ValidatedPoint& point : points) {
    std::vector<Row> rows;
    for (const ComparedRow& row : point.compared.rows) rows.emplace_back(row, validation);
    Result& result = document.results.emplace_back();
    result.inputs = point.inputs;
    result.cells = joined(joined(point.cells, verdict_fields(validation).cells(point.compared)),
                          simulation_fields(validation.time).cells(point.simulated));
    result.tables = {table.rows(share(std::move(rows)))};
    result.tables.front().in_text = !several || !only_means(validation);
    result.caption = point.name + ": " + conclusion({&point.compared.tally}, validation.predicted);
    if (several) continue;
    result.lines = joined(point.lines, {interval_line(point.compared)});
    result.lines = joined(std::move(result.lines), simulation_lines(point.simulated, validation.time));
  }
  for (std::size_t i = 0; several && i < points.size(); ++i)
    if (points[i].name.empty()) document.results[i].caption = point_title(document, document.results[i]);
  add_text_columns(document, validation, points);
  document = with_units(std::move(document), scale);
  mark_stopped(document, runs, requested);
  document.picture = [document, drawn = std::move(drawn)] { return drawn(drawable(document)); };
  return document;
}

// --- pictures

std::string prediction_key(ComparedQuantity quantity) {
  return std::string(name_of(quantity)) + "_prediction";
}

std::string simulation_key(ComparedQuantity quantity) {
  return std::string(name_of(quantity)) + "_simulation";
}

Picture level_picture(std::vector<ComparedRow> rows, const std::string& predicted, CurveStyle style,
                      Picture picture) {
  std::erase_if(
      rows, [quantity = rows.front().quantity](const ComparedRow& row) { return row.quantity != quantity; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ComparedRow& a, const ComparedRow& b) { return *a.level < *b.level; });
  Curve prediction{.title = predicted, .style = style};
  Curve approximation{.title = "approximation", .style = CurveStyle::points};
  Curve simulation{.title = "simulation", .style = CurveStyle::points};
  for (const ComparedRow& row : rows) {
    const auto level = static_cast<double>(*row.level);
    add_point(prediction, level, numbers_of(row.probability()).predicted, true);
    if (row.about) add_point(approximation, level, numbers_of(*row.about).predicted, true);
    add_point(simulation, level, numbers_of(row.probability()).simulated, true);
  }
  if (simulation.points.empty()) throw NoAnswer("nothing to draw: the simulation observed nothing");
  picture.powers_of_ten = true;
  for (Curve* curve : {&prediction, &approximation, &simulation})
    if (!curve->points.empty()) picture.curves.push_back(std::move(*curve));
  return picture;
}

Picture sweep_of_points(const Document& document, const std::vector<std::string>& axes,
                        ComparedQuantity quantity, Picture picture) {
  for (const auto& [key, name] :
       {std::pair{prediction_key(quantity), "analysis"}, std::pair{simulation_key(quantity), "simulation"}}) {
    const std::size_t before = picture.curves.size();
    picture = sweep_picture(document, {.axes = axes, .height = key}, std::move(picture));
    for (std::size_t i = before; i < picture.curves.size(); ++i) {
      std::string& title = picture.curves[i].title;
      title = name + (title.empty() ? "" : ", " + title);
    }
  }
  return picture;
}

}  // namespace tailbound::render
