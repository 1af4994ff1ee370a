#include <fmt/format.h>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/buffer/compare.hpp>
#include <tailbound/render/documents/parts/traffic.hpp>
#include <tailbound/render/documents/parts/units.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

namespace tailbound::render {
namespace {

using namespace answers;
using series::Coefficient;

constexpr int max_digits = 10'000;

const char* symbol(CoefficientsOf of) {
  switch (of) {
    case CoefficientsOf::tail:
      return "P(Q > n)";
    case CoefficientsOf::at_least:
      return "P(Q >= n)";
    case CoefficientsOf::distribution:
      return "P(Q <= n)";
    case CoefficientsOf::occupancy:
      break;
  }
  return "P(Q = n)";
}

std::int64_t first_index(const ComparePoint& point) {
  return point.query.list.coefficients.front().index;
}

const Coefficient& printed(const ComparePoint& point, std::size_t i) {
  return point.query.list.coefficients[i];
}
std::int64_t n_of(const ComparePoint& point, std::size_t i) {
  return printed(point, i).index + point.query.reading.shift;
}
std::string level(const ComparePoint& point, std::size_t i) {
  return fmt::format("n = {}", n_of(point, i));
}
/// "n = 4, line 9"; for a power that a series omits "n = 4".
std::string place(const ComparePoint& point, std::size_t i) {
  const std::size_t line = printed(point, i).line;
  return level(point, i) + (line == 0 ? "" : fmt::format(", line {}", line));
}
/// "n = 3", "n = 3 and n = 5", "n = 3, 5, 8 .. (12 values)".
std::string levels(const ComparePoint& point, const std::vector<std::size_t>& places) {
  constexpr std::size_t most = 5;
  std::string text = level(point, places.front());
  if (places.size() == 2) return text + " and " + level(point, places[1]);
  for (std::size_t i = 1; i < std::min(places.size(), most); ++i)
    text += fmt::format(", {}", n_of(point, places[i]));
  return places.size() > most ? text + fmt::format(", .. ({} values)", places.size()) : text;
}

std::size_t agreeing(const ComparePoint& point) {
  const auto& all = point.answer.coefficients;
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const ComparedCoefficient& one) { return one.agrees; }));
}

/// "about 1e-12", "between about 1e-14 and 1e-12".
std::string errors_in_words(const Diagnosis& diagnosis) {
  const std::int64_t low = diagnosis.numbers.front(), high = diagnosis.numbers.back();
  return low == high ? fmt::format("about 1e{}", low) : fmt::format("between 1e{} and 1e{}", low, high + 1);
}

/// Of one or a few wrong values between right ones.
std::string few_in_words(const ComparePoint& point) {
  const Diagnosis& its = point.answer.first->diagnosis;
  const std::string at = levels(point, its.places);
  const bool one = its.places.size() == 1;
  const char* const others = " The other values agree, so no error is carried from one to the next.";
  switch (its.cause) {
    case DisagreementCause::sign:
      return fmt::format("The sign at {} is wrong.{}", at, others);
    case DisagreementCause::swapped:
      return fmt::format("The values at {} are swapped.{}", at, others);
    case DisagreementCause::decimal_point:
      return fmt::format("The decimal point at {} is off by {}: the {} 10^{} times the true {}.{}", at,
                         counted(std::abs(its.numbers.front()), "place"), one ? "value is" : "values are",
                         its.numbers.front(), one ? "one" : "ones", others);
    default:
      return fmt::format("Only {} at {} {}.{}", one ? "the value" : "the values", at,
                         one ? "is wrong" : "are wrong", others);
  }
}

/// Of all values from the first wrong one on.
std::string carried_in_words(const ComparePoint& point) {
  const Disagreement& first = *point.answer.first;
  const Diagnosis& its = first.diagnosis;
  const std::string from = level(point, its.places.front());
  switch (its.cause) {
    case DisagreementCause::missing_value:
      return fmt::format("The value of {} is missing: from there on each value is that of the next n.", from);
    case DisagreementCause::extra_value:
      return fmt::format(
          "There is one value too many at {}: from there on each value is that of the previous n.", from);
    case DisagreementCause::constant_factor:
      return fmt::format(
          "From {} on all values are {:.6g} times the true ones: a relative error that is carried on.", from,
          its.factor);
    case DisagreementCause::growing_error:
      return fmt::format(
          "From {} on the absolute error grows from 1e{} to 1e{}, by a factor of {:.2g} per value: a "
          "recursion "
          "that amplifies its rounding errors.",
          from, its.numbers.front(), its.numbers.back(), its.factor);
    case DisagreementCause::constant_error:
      return fmt::format("From {} on all values have an absolute error {}: one error that is carried on.",
                         from, errors_in_words(its));
    default:
      break;
  }
  return fmt::format(
      "From {} on the absolute error is {}. A plain expansion {} rounds at about 1e-{} and carries that "
      "absolute error into every later coefficient, so the tail below it is lost.",
      from, errors_in_words(its),
      point.query.list.doubles ? std::string("in doubles")
                               : fmt::format("with {0} digits (Digits := {0})", point.answer.printed_digits),
      point.answer.printed_digits);
}

/// "All 30 values agree as P(Q > n) after service (--of tail --after-service)".
std::string other_in_words(const ComparePoint& point) {
  const OtherReading& other = *point.answer.other;
  const std::size_t all = point.answer.coefficients.size();
  return fmt::format(
      "{} {} agree as {} ({})",
      other.agreeing == all ? fmt::format("All {}", all) : fmt::format("{} of {}", other.agreeing, all),
      all == 1 ? "value" : "values", in_words(other.reading, first_index(point)),
      as_options(other.reading, first_index(point)));
}

std::string cause_in_words(const ComparePoint& point) {
  const Disagreement& first = *point.answer.first;
  const Diagnosis& its = first.diagnosis;
  std::string other;
  if (point.answer.other) {
    if (its.cause != DisagreementCause::other_reading) other = other_in_words(point) + ".";
    if (const auto& same = point.answer.other->same)
      other += fmt::format("{}The same values are those of {} ({}).", other.empty() ? "" : " ",
                           in_words(*same, first_index(point)), as_options(*same, first_index(point)));
  }
  switch (its.cause) {
    case DisagreementCause::other_reading:
      return other;
    case DisagreementCause::omitted:
      return "The series omits this power, so its coefficient is 0; the true value is not 0.";
    case DisagreementCause::last_digits:
      return fmt::format("Only the last digits differ: the program that {} rounded its own last places.",
                         point.query.list.doubles ? "computed these doubles" : "printed them");
    case DisagreementCause::single_precision:
      return "All values are right to 24 bits and no further: they were computed or stored in single "
             "precision.";
    case DisagreementCause::fewer_decimals:
      return fmt::format("All values are right to {} and no further: rounded or cut to so many.",
                         counted(its.numbers.front(), "decimal"));
    case DisagreementCause::fewer_digits:
      return fmt::format(
          "All values are right to about {} and no further: computed with, or cut to, so many.",
          counted(its.numbers.front(), "digit"));
    case DisagreementCause::not_rounding:
      break;
    case DisagreementCause::sign:
    case DisagreementCause::swapped:
    case DisagreementCause::decimal_point:
    case DisagreementCause::single_values:
      return few_in_words(point);
    default:
      return carried_in_words(point);
  }
  if (!other.empty()) return other + " See the values that remain.";
  return fmt::format(
      "Not a rounding error: check the traffic, that the first value belongs to n = {} (--first), and what "
      "the "
      "values are (--of, now {}, {}; --after-service; --scale). No other reading fits.",
      n_of(point, 0), name_of(point.query.reading.of), in_words(point.query.reading, first_index(point)));
}

const char* name(DisagreementCause cause) {
  static constexpr std::array names{"another reading", "omitted",         "last digits",      "sign",
                                    "swapped values",  "decimal point",   "single values",    "missing value",
                                    "extra value",     "constant factor", "single precision", "fewer digits",
                                    "fewer decimals",  "cancellation",    "constant error",   "growing error",
                                    "not rounding"};
  return names.at(static_cast<std::size_t>(cause));
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
  return fmt::format("{}; {} {}\n{} in the file\n{} proved", place(point, at),
                     counted(compared.agreed_digits, "digit"),
                     compared.agreed_digits == 1 ? "agrees" : "agree", file,
                     numeric::to_decimal(compared.value.lower, digits, numeric::Rounding::nearest));
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
      {{"of", "of", "", Shape::text,
        "what they are: occupancy, P(Q = n), tail, P(Q > n), at-least, P(Q >= n), or distribution, P(Q <= "
        "n)"},
       [](const Point& of) { return of.query.reading.of; }},
      {{"after_service", "after service", "", Shape::flag,
        "true: Q is the queue after the service of a slot, max(Q - C, 0)", Style::hidden},
       [](const Point& of) { return of.query.reading.after_service; }},
      {{"scale", "scale", "", Shape::text,
        "of the values: probability, percent, or weights (in proportion to probabilities)", Style::hidden},
       [](const Point& of) { return of.query.reading.scale; }},
      {{"first", "first n", "", Shape::whole, "n of the first value", Style::hidden},
       [](const Point& of) { return n_of(of, 0); }},
      {{"arithmetic", "arithmetic", "", Shape::text,
        "requested: auto, double, multiprecision, interval or exact", Style::hidden},
       [](const Point& of) { return queue::name(of.query.arithmetic); }},
      {{"digits", "digits", "", Shape::whole, "certified digits of the true values", Style::hidden},
       [](const Point& of) { return of.answer.digits.count; },
       [](const Point& of) { return !of.answer.coefficients.empty(); }},
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
       [](const Point& of) { return n_of(of, of.answer.fewest); }},
      {{"first_disagreement", "first disagreement", "", Shape::whole,
        "n of the first value that disagrees; null: all agree"},
       [](const Point& of) {
         return of.answer.first ? std::optional(n_of(of, of.answer.first->at)) : std::nullopt;
       }},
      {{"cause", "likely cause", "", Shape::text,
        "of the disagreement, from all errors of the list: another reading, omitted, last digits, sign, "
        "swapped "
        "values, decimal point, single values, missing value, extra value, constant factor, single "
        "precision, "
        "fewer digits, fewer decimals, cancellation, constant error, growing error or not rounding; null: "
        "all agree"},
       [](const Point& of) {
         return of.answer.first ? std::optional(name(of.answer.first->diagnosis.cause)) : std::nullopt;
       }},
      {{"agrees_as", "agrees as", "", Shape::text,
        "options of the reading in which the values agree; null: none, or all agree as requested"},
       [](const Point& of) {
         return of.answer.other ? std::optional(as_options(of.answer.other->reading, first_index(of)))
                                : std::nullopt;
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
  std::int64_t n;
  const Coefficient& file;
  const ComparedCoefficient& compared;
};

const Table<CoefficientRow>& coefficient_table() {
  using Row = CoefficientRow;
  static const Table<Row> table{
      "coefficients",
      "the values of the file, one row per value",
      {{{"index", "n", "", Shape::whole, "n"}, [](const Row& of) { return of.n; }},
       {{"printed", "file", "", Shape::text, "as in the file, a decimal or a fraction"},
        [](const Row& of) { return printed_in_words(of.file, max_digits); }},
       {{"expected", "proved", "", Shape::proved, "the true value, a probability"},
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
    return CoefficientRow{n_of(point, i), printed(point, i), point.answer.coefficients[i]};
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
  if (first.answer.other)
    return other_in_words(first) +
           (agreeing(first) == 0 ? ", and not" : fmt::format(", {} of them", agreeing(first))) + " as " +
           in_words(first.query.reading, first_index(first)) + ".";
  if (all == 1) return fmt::format("The value, at {}, disagrees.", at);
  const std::size_t wrong = all - agreeing(first);
  if (wrong == 1) return fmt::format("1 of {} values disagrees, at {}.", all, at);
  return fmt::format("{} of {} values disagree, the first at {}.", wrong, all, at);
}

std::string settings(const std::vector<ComparePoint>& points) {
  const ComparePoint& first = points.front();
  const auto load = load_of(first.traffic);
  return fmt::format("{} of {}{}.", in_words(first.query.reading, first_index(first)), first.file,
                     load ? " at load " + numeric::plain(*load) : "");
}

}  // namespace

std::string in_words(const Reading& reading, std::int64_t first_index) {
  std::string text = symbol(reading.of);
  if (reading.after_service) text += " after service";
  if (reading.scale == ListScale::percent) text += " in percent";
  if (reading.scale == ListScale::weights) text += " times a constant";
  if (reading.shift != 0) text += fmt::format(" from n = {} on", first_index + reading.shift);
  return text;
}

std::string as_options(const Reading& reading, std::int64_t first_index) {
  std::string text = std::string("--of ") + name_of(reading.of);
  if (reading.after_service) text += " --after-service";
  if (reading.scale != ListScale::probability) text += std::string(" --scale ") + name_of(reading.scale);
  if (reading.shift != 0) text += fmt::format(" --first {}", first_index + reading.shift);
  return text;
}

std::string place_in_words(const ComparePoint& point, std::size_t i) {
  return place(point, i);
}

std::string printed_in_words(const Coefficient& printed, int digits) {
  if (printed.is_exact()) return numeric::to_fraction(printed.value);
  if (printed.significant_digits == 0) return "0";
  return numeric::to_decimal(printed.value, std::min(digits, printed.significant_digits),
                             numeric::Rounding::nearest);
}

Cells inputs_of(std::string file, const Traffic& traffic, const CompareQuery& query) {
  return compare_inputs().cells({.file = std::move(file), .traffic = traffic, .query = query, .answer = {}});
}

std::string disagreements_in_words(const std::vector<ComparePoint>& points) {
  const auto count = std::count_if(points.begin(), points.end(),
                                   [](const ComparePoint& point) { return point.answer.first.has_value(); });
  if (count == 0) return {};
  if (points.size() > 1)
    return fmt::format("{} of {} settings {}", count, points.size(), count == 1 ? "disagrees" : "disagree");
  std::string text = uncapitalized(headline(points));
  text.pop_back();
  return text;
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
    if (!point.answer.first) continue;
    if (std::string cause = cause_in_words(point); !cause.empty()) document.notes.push_back(std::move(cause));
  }
  document.picture = []() -> Picture { throw NoAnswer("compared digits have no picture"); };
  return document;
}

}  // namespace tailbound::render
