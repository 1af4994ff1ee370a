#include <cln/rational.h>
#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/compare.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace tailbound::render {
namespace {

using namespace answers;
using series::Coefficient;

constexpr int most_digits = 10'000;

const char* symbol(CoefficientsOf of) {
  return of == CoefficientsOf::occupancy ? "P(Q = n)" : "P(Q > n)";
}

const Coefficient& printed(const ComparePoint& point, std::size_t i) {
  return point.question.list.coefficients[i];
}
std::string level(const ComparePoint& point, std::size_t i) {
  return fmt::format("n = {}", printed(point, i).index);
}

std::size_t agreeing(const ComparePoint& point) {
  const auto& all = point.answer.coefficients;
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const ComparedCoefficient& one) { return one.agrees; }));
}

std::string cause_in_words(const ComparePoint& point) {
  const Disagreement& first = *point.answer.first;
  const int digits = point.answer.printed_digits;
  switch (first.cause) {
    case DisagreementCause::left_out:
      return "The series leaves this power out, so its coefficient there is 0; the true one is not.";
    case DisagreementCause::last_digits:
      return fmt::format("Only the last digits differ: the program that {} rounded its own last places.",
                         point.question.list.doubles ? "computed these doubles" : "printed them");
    case DisagreementCause::cancellation:
      return fmt::format(
          "The error there is {} as an absolute number. A plain expansion {} rounds near 1e-{} and then "
          "carries an absolute error of that size or more into every later coefficient: the tail falls below "
          "it and is lost.",
          numeric::to_decimal(first.error, 2, numeric::Rounding::nearest),
          point.question.list.doubles ? std::string("in doubles")
                                      : fmt::format("with {0} digits (Digits := {0})", digits),
          digits);
    case DisagreementCause::not_rounding:
      break;
  }
  return fmt::format(
      "The error is not one of rounding: check the traffic, that the first value belongs to n = 0, and --of "
      "(now {}, {}).",
      name_of(point.question.of), symbol(point.question.of));
}

const char* name(DisagreementCause cause) {
  switch (cause) {
    case DisagreementCause::left_out:
      return "left out";
    case DisagreementCause::last_digits:
      return "last digits";
    case DisagreementCause::cancellation:
      return "cancellation";
    case DisagreementCause::not_rounding:
      break;
  }
  return "not rounding";
}

const char* written_as(const Coefficient& printed) {
  return printed.is_exact() ? "fraction" : printed.last_bit ? "double" : "decimal";
}

/// The last index for each number of digits.
std::string profile_in_words(const ComparePoint& point) {
  std::string text;
  for (const DigitsUpTo& step : point.answer.profile)
    text += fmt::format("{}{} {}", text.empty() ? "" : "\n", step.digits,
                        step.last ? "up to " + level(point, *step.last) : "nowhere");
  return text;
}

/// The first disagreement, with enough digits to show it.
std::string disagreement_in_words(const ComparePoint& point) {
  const std::size_t at = point.answer.first->at;
  const ComparedCoefficient& compared = point.answer.coefficients[at];
  const int digits = std::clamp(compared.agreed_digits + 3, 10, 60);
  std::string file = printed_in_words(printed(point, at), digits);
  if (file.size() > 80)
    file = numeric::to_decimal(printed(point, at).value, digits, numeric::Rounding::nearest);
  return fmt::format(
      "{}; digits that agree there: {}\n{} in the file\n{} proved", place_in_words(printed(point, at)),
      compared.agreed_digits, file,
      numeric::to_decimal(true_value(compared.expected).lower, digits, numeric::Rounding::nearest));
}

std::vector<Line> lines(const ComparePoint& point) {
  const CompareAnswer& answer = point.answer;
  std::vector<Line> lines{
      {"agree", fmt::format("{} of {}", agreeing(point), counted(answer.coefficients.size(), "value"))}};
  if (answer.first) lines.push_back({"first disagreement", disagreement_in_words(point)});
  const ComparedCoefficient& fewest = answer.coefficients[answer.fewest];
  lines.push_back(
      {"fewest digits", fmt::format("{}, at {}{}", fewest.agreed_digits, level(point, answer.fewest),
                                    fewest.right && !printed(point, answer.fewest).is_exact()
                                        ? ": right as far as it is written"
                                        : "")});
  lines.push_back({"digits that agree", profile_in_words(point)});
  lines.push_back({"digits printed", answer.printed_digits > 0
                                         ? fmt::format("at most {}", answer.printed_digits)
                                         : std::string("none: all numbers are exact")});
  if (!point.question.list.format.empty()) lines.push_back({"format", point.question.list.format});
  if (point.question.list.doubles)
    lines.push_back({"written as", "doubles: a value agrees within one unit of a double's last place"});
  lines.push_back({"compared with", fmt::format("enclosures certified to {} digits", answer.digits.count)});
  if (const std::size_t lone = point.question.list.lone_numbers; lone > 0)
    lines.push_back({"left out", counted(lone, "number") + " beside the list"});
  return lines;
}

const Fields<ComparePoint>& compare_inputs() {
  using Point = ComparePoint;
  static const Fields<Point> fields{
      {traffic_fields(), &Point::traffic},
      {{"file", "file", "", Shape::text, "with the coefficients"}, &Point::file},
      {{"of", "of", "", Shape::text, "what they are: occupancy, P(Q = n), or tail, P(Q > n)"},
       [](const Point& of) { return of.question.of; }},
      {{"arithmetic", "arithmetic", "", Shape::text,
        "asked for: auto, double, multiprecision, interval or exact", Style::hidden},
       [](const Point& of) { return queue::name(of.question.arithmetic); }},
      {{"digits", "digits", "", Shape::whole, "to which the true values are certified", Style::hidden},
       [](const Point& of) { return of.answer.digits.count; }},
      {{"require", "required", "", Shape::whole, "digits that have to agree, 1 to 10000", Style::hidden},
       [](const Point& of) { return of.question.required; },
       if_there}};
  return fields;
}

const Fields<ComparePoint>& compare_results() {
  using Point = ComparePoint;
  static const Fields<Point> fields{
      {{"compared", "compared", "", Shape::whole, "values of the file"},
       [](const Point& of) { return of.answer.coefficients.size(); }},
      {{"agreeing", "agree", "", Shape::whole,
        "values right within one unit of their last place, of a decimal or of a double (with --require, in "
        "so "
        "many digits)"},
       &agreeing},
      {{"agreed_digits_min", "fewest digits", "", Shape::whole, "fewest digits that agree"},
       [](const Point& of) { return of.answer.coefficients[of.answer.fewest].agreed_digits; }},
      {{"agreed_digits_min_index", "at n", "", Shape::whole, "n of the first value with the fewest"},
       [](const Point& of) { return printed(of, of.answer.fewest).index; }},
      {{"first_disagreement", "first disagreement", "", Shape::whole,
        "n of the first value that does not agree; null: all agree"},
       [](const Point& of) {
         return of.answer.first ? std::optional(printed(of, of.answer.first->at).index) : std::nullopt;
       }},
      {{"cause", "likely cause", "", Shape::text,
        "of the first disagreement: left out, last digits, cancellation or not rounding; null: all agree"},
       [](const Point& of) {
         return of.answer.first ? std::optional(name(of.answer.first->cause)) : std::nullopt;
       }},
      {{"printed_digits", "digits printed", "", Shape::whole,
        "most that a value shows, of doubles 16; 0: all are exact", Style::hidden},
       [](const Point& of) { return of.answer.printed_digits; }},
      {{"doubles", "doubles", "", Shape::flag, "whether the decimals of the file are prints of doubles",
        Style::hidden},
       [](const Point& of) { return of.question.list.doubles; }},
      {{"lone_numbers", "left out", "", Shape::whole, "numbers beside the list, which are left out",
        Style::hidden},
       [](const Point& of) { return of.question.list.lone_numbers; }},
      {{"format", "format", "", Shape::text,
        "whose print the file is, such as Mathematica or numpy; left out of the usual forms", Style::hidden},
       [](const Point& of) { return of.question.list.format; },
       [](const Point& of) { return !of.question.list.format.empty(); }}};
  return fields;
}

/// A value of the file.
struct CoefficientRow {
  const Coefficient& file;
  const ComparedCoefficient& compared;
};

const Table<CoefficientRow>& coefficient_table() {
  using Row = CoefficientRow;
  static const Table<Row> table{
      "coefficients",
      "the values of the file, a row a value",
      {{{"index", "n", "", Shape::whole, "n"}, [](const Row& of) { return of.file.index; }},
       {{"printed", "file", "", Shape::text, "as in the file, a decimal or a fraction"},
        [](const Row& of) { return printed_in_words(of.file, most_digits); }},
       {{"expected", "proved", "", Shape::proved, "the true value"},
        [](const Row& of) { return of.compared.expected; }},
       {{"agreed_digits", "digits that agree", "", Shape::whole, "at least 0"},
        [](const Row& of) { return of.compared.agreed_digits; }},
       {{"agrees", "agrees", "", Shape::flag, "as of `agreeing`"},
        [](const Row& of) { return of.compared.agrees; }},
       {{"written", "written as", "", Shape::text,
         "fraction (or whole number), decimal or double: what its last place is"},
        [](const Row& of) { return written_as(of.file); }},
       {{"line", "line", "", Shape::whole, "of the file, from 1; null of a power that a series leaves out"},
        [](const Row& of) { return of.file.line == 0 ? std::nullopt : std::optional(of.file.line); }}}};
  return table;
}

Rows coefficients(const Shared<ComparePoint>& points, std::size_t at) {
  Rows rows = coefficient_table().rows((*points)[at].answer.coefficients.size(), [points, at](std::size_t i) {
    const ComparePoint& point = (*points)[at];
    return CoefficientRow{printed(point, i), point.answer.coefficients[i]};
  });
  rows.in_text = false;
  return rows;
}

std::string title(const std::vector<ComparePoint>& points) {
  const ComparePoint& first = points.front();
  if (points.size() > 1) return fmt::format("How many digits of {} agree with the queue", first.file);
  const auto load = load_of(first.traffic);
  const char* const verdict = first.answer.first            ? "They disagree:"
                              : first.question.required     ? "All agree:"
                              : first.question.list.doubles ? "All agree as far as a double can:"
                                                            : "All agree:";
  return fmt::format("{} {} of {} with {}{}.", verdict, counted(first.answer.coefficients.size(), "value"),
                     first.file, symbol(first.question.of), load ? " at load " + numeric::plain(*load) : "");
}

}  // namespace

std::string place_in_words(const Coefficient& printed) {
  return printed.line == 0 ? fmt::format("n = {}", printed.index)
                           : fmt::format("n = {}, line {}", printed.index, printed.line);
}

std::string printed_in_words(const Coefficient& printed, int digits) {
  if (printed.is_exact()) return numeric::to_fraction(printed.value);
  if (printed.significant_digits == 0) return "0";
  return numeric::to_decimal(printed.value, std::min(digits, printed.significant_digits),
                             numeric::Rounding::nearest);
}

Layout compare_layout() {
  return {.command = "compare",
          .inputs = compare_inputs().columns(),
          .results = compare_results().columns(),
          .tables = {coefficient_table().layout()},
          .quiet = {"agreed_digits_min"}};
}

Document document(std::vector<ComparePoint> all) {
  const auto points = share(std::move(all));
  Document document{.layout = std::make_shared<const Layout>(compare_layout()),
                    .headline = title(*points),
                    .results = {},
                    .digits = points->front().answer.digits};
  for (std::size_t i = 0; i < points->size(); ++i) {
    const ComparePoint& point = (*points)[i];
    Result& result = document.results.emplace_back();
    result.inputs = compare_inputs().cells(point);
    result.cells = compare_results().cells(point);
    result.tables.push_back(coefficients(points, i));
    if (points->size() > 1) continue;
    result.lines = lines(point);
    if (point.answer.first) document.notes.push_back(cause_in_words(point));
  }
  document.picture = []() -> Picture { throw NoAnswer("there is no picture of compared digits"); };
  return document;
}

}  // namespace tailbound::render
