#include <cli/accuracy_options.hpp>
#include <cli/compare_command.hpp>
#include <cli/formats.hpp>
#include <cli/read_file.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/core/error.hpp>

#include <cln/integer.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

using numeric::Rational;
using series::Coefficient;

/// Digits of the comparison: beyond what is printed, so that the enclosure does not blur its last place.
constexpr int kSpareDigits = 5;
constexpr int kDigitsOfFractions = 40;
constexpr int kMostDigits = 10'000;
/// All levels up to the last are computed for P(Q = n).
constexpr std::int64_t kDeepestOccupancy = 1'000'000;

/// As typed; an option that was not given is empty.
struct Options {
  TrafficOptions traffic;
  AccuracyOptions accuracy;
  std::string file;
  std::optional<std::string> of, require;
};

enum class Of { occupancy, tail };

/// A coefficient of the file beside its true value.
struct Row {
  const Coefficient* printed;
  numeric::Proved<unit::Probability> proved;
  int agreed_digits;
  bool agrees;  ///< as the user asked: in the last place printed, or in the digits required
};

struct Comparison {
  std::string file, load;
  Of of;
  queue::Accuracy accuracy;
  std::optional<int> required;
  series::CoefficientList list;
  std::vector<Row> rows;
  std::size_t first = 0;   ///< row of the first disagreement; rows.size() if there is none
  std::size_t fewest = 0;  ///< row of the fewest digits, the first of them
  int printed_digits = 0;  ///< most that a number of the file shows
};

std::string symbol(Of of) {
  return of == Of::occupancy ? "P(Q = n)" : "P(Q > n)";
}

TrueValue true_value(const numeric::Proved<unit::Probability>& proved) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&proved))
    return {exact->value, exact->value};
  const auto& enclosure = std::get<numeric::Enclosure<unit::Probability>>(proved);
  return {numeric::to_rational(enclosure.lower()), numeric::to_rational(enclosure.upper())};
}

Rational power_of_ten(int exponent) {
  return exponent == 0 ? Rational(1)
                       : Rational(cln::expt_pos(cln::cl_I(10), static_cast<unsigned>(exponent)));
}

int most_printed_digits(const series::CoefficientList& list) {
  int most = 0;
  for (const Coefficient& entry : list.coefficients) most = std::max(most, entry.significant_digits);
  return most;
}

int default_digits(const series::CoefficientList& list) {
  int digits = std::max(10, most_printed_digits(list) + kSpareDigits);
  for (const Coefficient& entry : list.coefficients)
    if (entry.is_exact() && !cln::zerop(entry.value)) digits = std::max(digits, kDigitsOfFractions);
  return std::min(digits, kMostDigits);
}

/// The proved values at the indices of the list, in its order.
std::vector<numeric::Proved<unit::Probability>> prove(const queue::SlottedQueue& queue, Of of,
                                                      const series::CoefficientList& list,
                                                      const queue::Accuracy& accuracy) {
  std::vector<numeric::Proved<unit::Probability>> proved;
  if (of == Of::tail) {
    std::vector<Packets> levels;
    for (const Coefficient& entry : list.coefficients) levels.emplace_back(entry.index);
    for (auto& tail : queue::occupancy_tails(queue, levels, accuracy))
      proved.push_back(std::move(tail.probability));
    return proved;
  }
  const std::int64_t last = list.coefficients.back().index;
  if (last > kDeepestOccupancy)
    throw LimitExceeded(
        fmt::format("the last index is {}; P(Q = n) is compared up to n = {} (P(Q > n), with "
                    "--of tail, at any n)",
                    last, kDeepestOccupancy));
  auto all = queue::occupancy_probabilities(queue, Packets(last), accuracy);
  for (const Coefficient& entry : list.coefficients)
    proved.push_back(std::move(all[static_cast<std::size_t>(entry.index)].probability));
  return proved;
}

Comparison compare(const Options& options) {
  Comparison comparison{.file = options.file,
                        .load = {},
                        .of = Of::occupancy,
                        .accuracy = read_accuracy(options.accuracy),
                        .required = {},
                        .list = {},
                        .rows = {}};
  if (options.of)
    comparison.of = parse_choice(*options.of, "--of", {"occupancy", "tail"}) == 0 ? Of::occupancy : Of::tail;
  if (options.require)
    comparison.required = static_cast<int>(parse_integer(*options.require, "--require", 1, kMostDigits));
  const LoadedQueue queue = read_queue(options.traffic);
  queue::require_stable(queue.queue);
  comparison.load = queue.load;

  comparison.list = series::parse_coefficient_list(read_file(options.file, "FILE"), options.file);
  const auto& printed = comparison.list.coefficients;
  comparison.printed_digits = most_printed_digits(comparison.list);
  if (!options.accuracy.digits) comparison.accuracy.digits = {default_digits(comparison.list)};
  const int digits = comparison.accuracy.digits.count;

  auto proved = prove(queue.queue, comparison.of, comparison.list, comparison.accuracy);
  comparison.first = printed.size();
  for (std::size_t i = 0; i < printed.size(); ++i) {
    const TrueValue value = true_value(proved[i]);
    const int agreed = agreed_digits(printed[i], value, digits);
    const bool good = comparison.required ? agreed >= *comparison.required : agrees(printed[i], value);
    comparison.rows.push_back({&printed[i], std::move(proved[i]), agreed, good});
    if (!good && comparison.first == printed.size()) comparison.first = i;
    if (agreed < comparison.rows[comparison.fewest].agreed_digits) comparison.fewest = i;
  }
  return comparison;
}

/// The number of the file again, as a decimal or a fraction.
std::string file_text(const Coefficient& printed, int most_digits) {
  if (printed.is_exact()) return numeric::to_fraction(printed.value);
  if (printed.significant_digits == 0) return "0";
  return numeric::to_decimal(printed.value, std::min(most_digits, printed.significant_digits),
                             numeric::Rounding::nearest);
}

// --- table ---

std::string level(const Row& row) {
  return fmt::format("n = {}", row.printed->index);
}

std::string place(const Row& row) {
  return row.printed->line == 0 ? level(row) : fmt::format("{}, line {}", level(row), row.printed->line);
}

/// Up to which index each number of digits holds.
std::string digit_profile(const Comparison& comparison) {
  const int most =
      comparison.printed_digits > 0 ? comparison.printed_digits : comparison.accuracy.digits.count;
  std::vector<int> steps{most};
  for (int digits = (most - 1) / 10 * 10; digits >= 10; digits -= std::max(10, most / 60 * 10))
    steps.push_back(digits);
  for (const int digits : {5, 1})
    if (digits < most) steps.push_back(digits);

  std::vector<std::vector<std::string>> table{{"digits that agree", "up to"}};
  for (const int digits : steps) {
    const auto lost = std::find_if(comparison.rows.begin(), comparison.rows.end(), [&](const Row& row) {
      const int shown = row.printed->is_exact() ? digits : row.printed->significant_digits;
      return row.agreed_digits < std::min(digits, shown) || (shown == 0 && !row.agrees);
    });
    const bool all = lost == comparison.rows.end();
    table.push_back({std::to_string(digits), all                               ? level(comparison.rows.back())
                                             : lost == comparison.rows.begin() ? "none"
                                                                               : level(*std::prev(lost))});
    if (all) break;
  }
  return to_table(table, {true, false});
}

/// The rows around the first disagreement, with as many digits as show it.
std::string neighbourhood(const Comparison& comparison) {
  const std::size_t begin = comparison.first - std::min<std::size_t>(comparison.first, 2);
  const std::size_t end = std::min(comparison.rows.size(), comparison.first + 3);
  std::vector<std::vector<std::string>> table{{"n", "file", "proved", "digits that agree"}};
  for (std::size_t i = begin; i < end; ++i) {
    const Row& row = comparison.rows[i];
    const int shown = std::clamp(row.agreed_digits + 3, 10, 60);
    std::string file = file_text(*row.printed, shown);
    if (file.size() > 80) file = numeric::to_decimal(row.printed->value, shown, numeric::Rounding::nearest);
    table.push_back({std::to_string(row.printed->index), std::move(file),
                     numeric::to_decimal(true_value(row.proved).lower, shown, numeric::Rounding::nearest),
                     std::to_string(row.agreed_digits) + (i == comparison.first ? " <" : "")});
  }
  return to_table(table, {true, false, false, true});
}

std::string likely_cause(const Comparison& comparison) {
  const Row& row = comparison.rows[comparison.first];
  const TrueValue value = true_value(row.proved);
  const Rational error =
      std::max(cln::abs(row.printed->value - value.lower), cln::abs(row.printed->value - value.upper));
  const int printed = comparison.printed_digits;
  if (row.printed->line == 0)
    return "The series leaves this power out, so its coefficient there is 0; the true one is not.";
  if (printed >= 8 && comparison.rows[comparison.fewest].agreed_digits >= printed - 2)
    return "Only the last digits differ: the program that printed them rounded its own last places.";
  if (printed >= 8 && error * power_of_ten(printed / 2) < 1)
    return fmt::format(
        "The error there is {} as an absolute number. A plain expansion with {} digits (Digits := {}) rounds "
        "near 1e-{} and then\ncarries an absolute error of that size or more into every later coefficient: "
        "the tail falls below it and is lost.",
        numeric::to_decimal(error, 2, numeric::Rounding::nearest), printed, printed, printed);
  return fmt::format(
      "The error is not one of rounding: check the traffic, that the first value belongs to n = 0, and --of "
      "(now {}).",
      comparison.of == Of::occupancy ? "occupancy, P(Q = n)" : "tail, P(Q > n)");
}

std::string to_table_text(const Comparison& comparison, const Context& context) {
  const Row& fewest = comparison.rows[comparison.fewest];
  if (context.quiet) return fmt::format("{}\n", fewest.agreed_digits);
  const bool all = comparison.first == comparison.rows.size();
  const std::string at_load =
      comparison.load.empty() ? "" : " at load " + plain(numeric::parse_rational(comparison.load, "load"));
  std::string text = fmt::format(
      "{} {} value{} of {} with {}{}.\n\n", all ? "All agree:" : "They disagree:", comparison.rows.size(),
      comparison.rows.size() == 1 ? "" : "s", comparison.file, symbol(comparison.of), at_load);
  const auto line = [&text](const char* name, const std::string& value) {
    text += named_line(name, value, 20);
  };
  if (!all) line("first disagreement", place(comparison.rows[comparison.first]));
  line("fewest digits", fmt::format("{}, at {}", fewest.agreed_digits, level(fewest)));
  line("digits printed", comparison.printed_digits > 0 ? fmt::format("at most {}", comparison.printed_digits)
                                                       : std::string("none: all numbers are exact"));
  line("compared with", fmt::format("enclosures certified to {} digits", comparison.accuracy.digits.count));
  if (comparison.list.lone_numbers > 0)
    line("left out", fmt::format("{} number{} beside the list", comparison.list.lone_numbers,
                                 comparison.list.lone_numbers == 1 ? "" : "s"));
  text += '\n' + digit_profile(comparison);
  if (!all) text += '\n' + neighbourhood(comparison) + '\n' + likely_cause(comparison) + '\n';
  return text;
}

// --- JSON and CSV ---

ShownNumber expected(const Comparison& comparison, const Row& row) {
  return show(row.proved, comparison.accuracy.digits);
}

std::string to_json_text(const Options& options, const Comparison& comparison, const Context& context) {
  Json document = new_document(context, "compare");
  Json inputs = describe_traffic(options.traffic);
  inputs["file"] = comparison.file;
  inputs["of"] = comparison.of == Of::occupancy ? "occupancy" : "tail";
  inputs["arithmetic"] = options.accuracy.arithmetic.value_or("auto");
  inputs["digits"] = comparison.accuracy.digits.count;
  if (comparison.required) inputs["require"] = *comparison.required;
  document["inputs"] = std::move(inputs);
  document["compared"] = comparison.rows.size();
  document["printed_digits"] = comparison.printed_digits;
  document["agreed_digits_min"] = comparison.rows[comparison.fewest].agreed_digits;
  document["agreed_digits_min_index"] = comparison.rows[comparison.fewest].printed->index;
  document["first_disagreement"] = Json();
  if (comparison.first < comparison.rows.size()) {
    const Row& row = comparison.rows[comparison.first];
    document["first_disagreement"] = Json{{"index", row.printed->index},
                                          {"file", file_text(*row.printed, kMostDigits)},
                                          {"expected", to_json(expected(comparison, row))},
                                          {"agreed_digits", row.agreed_digits},
                                          {"line", row.printed->line}};
  }
  return to_text(document);
}

std::string to_csv(const Comparison& comparison) {
  std::vector<std::string> fields{"index", "file"};
  const std::vector<std::string> columns = csv_columns("expected");
  fields.insert(fields.end(), columns.begin(), columns.end());
  fields.insert(fields.end(), {"agreed_digits", "agrees"});
  std::string text = csv_line(fields);
  for (const Row& row : comparison.rows) {
    fields = {std::to_string(row.printed->index), file_text(*row.printed, kMostDigits)};
    append_csv(fields, expected(comparison, row));
    fields.insert(fields.end(), {std::to_string(row.agreed_digits), row.agrees ? "yes" : "no"});
    text += csv_line(fields);
  }
  return text;
}

Reply answer(const Options& options, const Context& context) {
  const Comparison comparison = compare(options);
  if (comparison.required && comparison.first < comparison.rows.size()) {
    const Row& row = comparison.rows[comparison.first];
    throw NoAnswer(fmt::format("{}: {} digit{} agree at {} ({} in the file), and {} are required",
                               comparison.file, row.agreed_digits, row.agreed_digits == 1 ? "" : "s",
                               place(row), file_text(*row.printed, 20), *comparison.required));
  }
  return {.text = in_format(
              context.format, [&] { return to_table_text(comparison, context); },
              [&] { return to_json_text(options, comparison, context); },
              [&] { return to_csv(comparison); })};
}

}  // namespace

bool agrees(const Coefficient& printed, const TrueValue& value) {
  const Rational unit = series::unit_in_last_place(printed);
  return printed.value - unit <= value.upper && printed.value + unit >= value.lower;
}

int agreed_digits(const Coefficient& printed, const TrueValue& value, int most) {
  const Rational error =
      std::max(cln::abs(printed.value - value.lower), cln::abs(printed.value - value.upper));
  if (cln::zerop(error))
    return printed.is_exact() || cln::zerop(value.lower) ? most : std::min(most, printed.significant_digits);
  // The last digit counts only where the print is within one unit of it.
  if (!printed.is_exact())
    most = std::min(most, std::max(0, printed.significant_digits - (agrees(printed, value) ? 0 : 1)));
  if (value.lower <= 0) return 0;
  const Rational ratio = value.lower / error;  // d digits agree while 10^(d - 1) < ratio
  const long bits = static_cast<long>(cln::integer_length(cln::numerator(ratio))) -
                    static_cast<long>(cln::integer_length(cln::denominator(ratio)));
  // 2^(bits - 1) < ratio, and 3 / 10 < log10(2): a first guess that is not too great.
  int digits = static_cast<int>(std::clamp((bits - 1) * 3 / 10, 0L, static_cast<long>(most)));
  while (digits < most && power_of_ten(digits) < ratio) ++digits;
  return digits;
}

Command add_compare_command(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "compare", "How many digits of a list of coefficients are right, and up to where?");
  command
      ->add_option("FILE", options->file, "coefficients as Maple, PARI/GP or Giac print them, or one a line")
      ->required()
      ->type_name("");
  add_traffic_options(*command, options->traffic);
  command
      ->add_option("--of", options->of,
                   "what the file holds: occupancy, P(Q = n) (the default),\nor tail, P(Q > n)")
      ->type_name("NAME");
  command
      ->add_option("--require", options->require,
                   "exit with status 1 if fewer than DIGITS digits agree anywhere")
      ->type_name("DIGITS");
  add_accuracy_options(*command, options->accuracy);
  command->get_option("--digits")->description("digits to compare with (those printed, and 5 more)");
  command->footer(
      "Example: the coefficients of Q(z) that PARI/GP prints with 38 digits.\n"
      "  $ tailbound compare gp_slotted_queue_38_digits.txt --inputs 16 --load 0.9 --require 10\n"
      "  tailbound compare: gp_slotted_queue_38_digits.txt: 9 digits agree at n = 281, line 1\n"
      "  (2.877923229390430150e-28 in the file), and 10 are required\n"
      "  $ tailbound compare gp_slotted_queue_38_digits.txt --inputs 16 --load 0.9 --quiet\n"
      "  0\n"
      "A value agrees if it is right within one unit of its last place (with --require, in DIGITS digits).\n"
      "A disagreement is an answer: the status is 1 only with --require.");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
