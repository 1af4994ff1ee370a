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

/// Up to which index each number of digits holds.
std::string profile_in_words(const ComparePoint& point) {
  std::string text;
  for (const DigitsUpTo& step : point.answer.profile)
    text += fmt::format("{}{} {}", text.empty() ? "" : "\n", step.digits,
                        step.last ? "up to " + level(point, *step.last) : "nowhere");
  return text;
}

/// The first that does not agree, with as many digits as show it.
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
  if (point.question.list.doubles)
    lines.push_back({"written as", "doubles: a value agrees within one unit of a double's last place"});
  lines.push_back({"compared with", fmt::format("enclosures certified to {} digits", answer.digits.count)});
  if (const std::size_t lone = point.question.list.lone_numbers; lone > 0)
    lines.push_back({"left out", counted(lone, "number") + " beside the list"});
  return lines;
}

Cells input_cells(const ComparePoint& point) {
  Cells cells =
      joined(traffic_cells(point.traffic), Cells{{"file", Text{point.file}},
                                                 {"of", Text{name_of(point.question.of)}},
                                                 {"arithmetic", Text{queue::name(point.question.arithmetic)}},
                                                 {"digits", Whole{point.answer.digits.count}}});
  if (point.question.required) cells.push_back({"require", Whole{*point.question.required}});
  return cells;
}

Cells result_cells(const ComparePoint& point) {
  const CompareAnswer& answer = point.answer;
  return {{"compared", Whole{static_cast<std::int64_t>(answer.coefficients.size())}},
          {"agreeing", Whole{static_cast<std::int64_t>(agreeing(point))}},
          {"agreed_digits_min", Whole{answer.coefficients[answer.fewest].agreed_digits}},
          {"agreed_digits_min_index", Whole{printed(point, answer.fewest).index}},
          {"first_disagreement",
           answer.first ? Value(Whole{printed(point, answer.first->at).index}) : Value(None{})},
          {"cause", answer.first ? Value(Text{name(answer.first->cause)}) : Value(None{})},
          {"printed_digits", Whole{answer.printed_digits}},
          {"doubles", Flag{point.question.list.doubles}},
          {"lone_numbers", Whole{static_cast<std::int64_t>(point.question.list.lone_numbers)}}};
}

Rows coefficients(const Shared<ComparePoint>& points, std::size_t at) {
  return {.key = "coefficients",
          .size = (*points)[at].answer.coefficients.size(),
          .row = [points, at](std::size_t i) -> Cells {
            const ComparePoint& point = (*points)[at];
            const ComparedCoefficient& compared = point.answer.coefficients[i];
            const std::size_t line = printed(point, i).line;
            return {{"index", Whole{printed(point, i).index}},
                    {"printed", Text{printed_in_words(printed(point, i), most_digits)}},
                    {"expected", shown(compared.expected)},
                    {"agreed_digits", Whole{compared.agreed_digits}},
                    {"agrees", Flag{compared.agrees}},
                    {"written", Text{written_as(printed(point, i))}},
                    {"line", line == 0 ? Value(None{}) : Value(Whole{static_cast<std::int64_t>(line)})}};
          },
          .in_text = false};
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
  Layout layout{.command = "compare", .inputs = {}, .results = {}};
  layout.inputs = joined(
      traffic_columns(),
      {{"file", "file", "", Shape::text, "with the coefficients"},
       {"of", "of", "", Shape::text, "what they are: occupancy, P(Q = n), or tail, P(Q > n)"},
       {"arithmetic", "arithmetic", "", Shape::text,
        "asked for: auto, double, multiprecision, interval or exact", Style::hidden},
       {"digits", "digits", "", Shape::whole, "to which the true values are certified", Style::hidden},
       {"require", "required", "", Shape::whole, "digits that have to agree, 1 to 10000", Style::hidden}});
  layout.results = {
      {"compared", "compared", "", Shape::whole, "values of the file"},
      {"agreeing", "agree", "", Shape::whole,
       "values right within one unit of their last place, of a decimal or of a double (with --require, in so "
       "many digits)"},
      {"agreed_digits_min", "fewest digits", "", Shape::whole, "fewest digits that agree"},
      {"agreed_digits_min_index", "at n", "", Shape::whole, "n of the first value with the fewest"},
      {"first_disagreement", "first disagreement", "", Shape::whole,
       "n of the first value that does not agree; null: all agree"},
      {"cause", "likely cause", "", Shape::text,
       "of the first disagreement: left out, last digits, cancellation or not rounding; null: all agree"},
      {"printed_digits", "digits printed", "", Shape::whole,
       "most that a value shows, of doubles 16; 0: all are exact", Style::hidden},
      {"doubles", "doubles", "", Shape::flag, "whether the decimals of the file are prints of doubles",
       Style::hidden},
      {"lone_numbers", "left out", "", Shape::whole, "numbers beside the list, which are left out",
       Style::hidden}};
  layout.tables = {{"coefficients",
                    "the values of the file, a row a value",
                    {{"index", "n", "", Shape::whole, "n"},
                     {"printed", "file", "", Shape::text, "as in the file, a decimal or a fraction"},
                     {"expected", "proved", "", Shape::proved, "the true value"},
                     {"agreed_digits", "digits that agree", "", Shape::whole, "at least 0"},
                     {"agrees", "agrees", "", Shape::flag, "as of `agreeing`"},
                     {"written", "written as", "", Shape::text,
                      "fraction (or whole number), decimal or double: what its last place is"},
                     {"line", "line", "", Shape::whole,
                      "of the file, from 1; null of a power that a series leaves out"}}}};
  layout.quiet = {"agreed_digits_min"};
  return layout;
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
    result.inputs = input_cells(point);
    result.cells = result_cells(point);
    result.tables.push_back(coefficients(points, i));
    if (points->size() > 1) continue;
    result.lines = lines(point);
    if (point.answer.first) document.notes.push_back(cause_in_words(point));
  }
  document.picture = []() -> Picture { throw NoAnswer("there is no picture of compared digits"); };
  return document;
}

}  // namespace tailbound::render
