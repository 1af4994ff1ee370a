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

constexpr int max_digits = 10'000;

const char* symbol(CoefficientsOf of) {
  return of == CoefficientsOf::occupancy ? "P(Q = n)" : "P(Q > n)";
}

const Coefficient& printed(const ComparePoint& point, std::size_t i) {
  return point.query.list.coefficients[i];
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
    case DisagreementCause::omitted:
      return "The series omits this power, so its coefficient is 0; the true value is not 0.";
    case DisagreementCause::last_digits:
      return fmt::format("Only the last digits differ: the program that {} rounded its own last places.",
                         point.query.list.doubles ? "computed these doubles" : "printed them");
    case DisagreementCause::cancellation:
      return fmt::format(
          "Absolute error {}. A plain expansion {} rounds at about 1e-{} and carries that absolute error "
          "into every later coefficient, so the tail below it is lost.",
          numeric::to_decimal(first.error, 2, numeric::Rounding::nearest),
          point.query.list.doubles ? std::string("in doubles")
                                   : fmt::format("with {0} digits (Digits := {0})", digits),
          digits);
    case DisagreementCause::not_rounding:
      break;
  }
  return fmt::format(
      "Not a rounding error: check the traffic, that the first value belongs to n = 0, and --of (now {}, "
      "{}).",
      name_of(point.query.of), symbol(point.query.of));
}

const char* name(DisagreementCause cause) {
  switch (cause) {
    case DisagreementCause::omitted:
      return "omitted";
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

/// "40 up to n = 400": the last index for each number of digits. Numbers printed with fewer digits count if
/// they are correct as printed.
std::string up_to_in_words(const ComparePoint& point, const DigitsUpTo& step) {
  if (!step.last) return fmt::format("{} nowhere", step.digits);
  const auto& all = point.answer.coefficients;
  const bool fewer =
      std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(*step.last) + 1,
                  [&](const ComparedCoefficient& one) { return one.agreed_digits < step.digits; });
  return fmt::format("{}{} up to {}", step.digits, fewer ? ", or all that are printed," : "",
                     level(point, *step.last));
}

std::string profile_in_words(const ComparePoint& point) {
  std::string text;
  for (const DigitsUpTo& step : point.answer.profile)
    text += (text.empty() ? "" : "\n") + up_to_in_words(point, step);
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
      "{}; {} {}\n{} in the file\n{} proved", place_in_words(printed(point, at)),
      counted(compared.agreed_digits, "digit"), compared.agreed_digits == 1 ? "agrees" : "agree", file,
      numeric::to_decimal(true_value(compared.expected).lower, digits, numeric::Rounding::nearest));
}

std::vector<Line> lines(const ComparePoint& point) {
  const CompareAnswer& answer = point.answer;
  std::vector<Line> lines{
      {"agree", fmt::format("{} of {}", agreeing(point), counted(answer.coefficients.size(), "value"))}};
  if (answer.first) lines.push_back({"first disagreement", disagreement_in_words(point)});
  const ComparedCoefficient& fewest = answer.coefficients[answer.fewest];
  lines.push_back(
      {"fewest digits",
       fmt::format(
           "{}, at {}{}", fewest.agreed_digits, level(point, answer.fewest),
           fewest.right && !printed(point, answer.fewest).is_exact() ? ": all that are printed" : "")});
  lines.push_back({"digits that agree", profile_in_words(point)});
  lines.push_back({"digits printed", answer.printed_digits > 0
                                         ? fmt::format("at most {}", answer.printed_digits)
                                         : std::string("none: all numbers are exact")});
  if (!point.query.list.format.empty()) lines.push_back({"format", point.query.list.format});
  if (point.query.list.doubles)
    lines.push_back({"written as", "doubles: a value agrees within one unit of a double's last place"});
  lines.push_back({"compared with", fmt::format("enclosures certified to {} digits", answer.digits.count)});
  if (const std::size_t lone = point.query.list.lone_numbers; lone > 0)
    lines.push_back({"omitted", counted(lone, "number") + " outside the list"});
  return lines;
}

const Fields<ComparePoint>& compare_inputs() {
  using Point = ComparePoint;
  static const Fields<Point> fields{
      {traffic_fields(), &Point::traffic},
      {{"file", "file", "", Shape::text, "file with the coefficients"}, &Point::file},
      {{"of", "of", "", Shape::text, "what they are: occupancy, P(Q = n), or tail, P(Q > n)"},
       [](const Point& of) { return of.query.of; }},
      {{"arithmetic", "arithmetic", "", Shape::text,
        "requested: auto, double, multiprecision, interval or exact", Style::hidden},
       [](const Point& of) { return queue::name(of.query.arithmetic); }},
      {{"digits", "digits", "", Shape::whole, "certified digits of the true values", Style::hidden},
       [](const Point& of) { return of.answer.digits.count; }},
      {{"require", "required", "", Shape::whole, "digits that must agree, 1 to 10000", Style::hidden},
       [](const Point& of) { return of.query.required; },
       if_present}};
  return fields;
}

const Fields<ComparePoint>& compare_results() {
  using Point = ComparePoint;
  static const Fields<Point> fields{
      {{"compared", "compared", "", Shape::whole, "values of the file"},
       [](const Point& of) { return of.answer.coefficients.size(); }},
      {{"agreeing", "agree", "", Shape::whole,
        "values correct within one unit in the last place of the decimal or double, or, with one digit, "
        "correctly rounded or truncated (with --require: to that many digits)"},
       &agreeing},
      {{"agreed_digits_min", "fewest digits", "", Shape::whole, "fewest digits that agree"},
       [](const Point& of) { return of.answer.coefficients[of.answer.fewest].agreed_digits; }},
      {{"agreed_digits_min_index", "at n", "", Shape::whole, "n of the first value with the fewest"},
       [](const Point& of) { return printed(of, of.answer.fewest).index; }},
      {{"first_disagreement", "first disagreement", "", Shape::whole,
        "n of the first value that disagrees; null: all agree"},
       [](const Point& of) {
         return of.answer.first ? std::optional(printed(of, of.answer.first->at).index) : std::nullopt;
       }},
      {{"cause", "likely cause", "", Shape::text,
        "of the first disagreement: omitted, last digits, cancellation or not rounding; null: all agree"},
       [](const Point& of) {
         return of.answer.first ? std::optional(name(of.answer.first->cause)) : std::nullopt;
       }},
      {{"printed_digits", "digits printed", "", Shape::whole,
        "maximum digits printed, 16 for doubles; 0: all are exact", Style::hidden},
       [](const Point& of) { return of.answer.printed_digits; }},
      {{"doubles", "doubles", "", Shape::flag, "true: the decimals of the file are printed doubles",
        Style::hidden},
       [](const Point& of) { return of.query.list.doubles; }},
      {{"lone_numbers", "omitted", "", Shape::whole, "numbers outside the list, which are ignored",
        Style::hidden},
       [](const Point& of) { return of.query.list.lone_numbers; }},
      {{"format", "format", "", Shape::text,
        "program that printed the file, such as Mathematica or numpy; absent for the usual forms",
        Style::hidden},
       [](const Point& of) { return of.query.list.format; },
       [](const Point& of) { return !of.query.list.format.empty(); }}};
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
      "the values of the file, one row per value",
      {{{"index", "n", "", Shape::whole, "n"}, [](const Row& of) { return of.file.index; }},
       {{"printed", "file", "", Shape::text, "as in the file, a decimal or a fraction"},
        [](const Row& of) { return printed_in_words(of.file, max_digits); }},
       {{"expected", "proved", "", Shape::proved, "the true value"},
        [](const Row& of) { return of.compared.expected; }},
       {{"agreed_digits", "digits that agree", "", Shape::whole, "at least 0"},
        [](const Row& of) { return of.compared.agreed_digits; }},
       {{"agrees", "agrees", "", Shape::flag, "as for `agreeing`"},
        [](const Row& of) { return of.compared.agrees; }},
       {{"written", "written as", "", Shape::text, "fraction (or whole number), decimal or double"},
        [](const Row& of) { return written_as(of.file); }},
       {{"line", "line", "", Shape::whole, "line of the file, from 1; null for a power that a series omits"},
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

std::string headline(const std::vector<ComparePoint>& points) {
  const ComparePoint& first = points.front();
  if (points.size() > 1) return fmt::format("Comparison of {} with {} settings.", first.file, points.size());
  const std::size_t all = first.answer.coefficients.size();
  if (!first.answer.first) return all == 1 ? "The value agrees." : fmt::format("All {} values agree.", all);
  const std::string at = level(first, first.answer.first->at);
  if (all == 1) return fmt::format("The value, at {}, disagrees.", at);
  const std::size_t wrong = all - agreeing(first);
  if (wrong == 1) return fmt::format("1 of {} values disagrees, at {}.", all, at);
  return fmt::format("{} of {} values disagree, the first at {}.", wrong, all, at);
}

std::string settings(const std::vector<ComparePoint>& points) {
  const ComparePoint& first = points.front();
  const auto load = load_of(first.traffic);
  return fmt::format("{} of {}{}.", symbol(first.query.of), first.file,
                     load ? " at load " + numeric::plain(*load) : "");
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
                    .headline = Headline::without_numbers(headline(*points)),
                    .settings = settings(*points),
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
  document.picture = []() -> Picture { throw NoAnswer("compared digits have no picture"); };
  return document;
}

}  // namespace tailbound::render
