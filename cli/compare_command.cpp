#include <fmt/format.h>
#include <cli/accuracy_options.hpp>
#include <cli/compare_command.hpp>
#include <cli/read_file.hpp>
#include <cli/show.hpp>
#include <cli/traffic_options.hpp>
#include <tailbound/render/documents/compare.hpp>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::CoefficientsOf;
using answers::CompareAnswer;
using answers::CompareQuestion;

constexpr int kMostDigits = 10'000;

/// As typed; an option that was not given is empty.
struct Options {
  TrafficOptions traffic;
  AccuracyOptions accuracy;
  std::string file;
  std::optional<std::string> of, require;
};

bool only_whole_numbers(const std::string& line) {
  return std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isdigit(c) != 0; }) &&
         std::all_of(line.begin(), line.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0 || std::isspace(c) != 0; });
}

/// Exponents on a line above the terms that they belong to.
bool is_two_dimensional(const std::string& text) {
  std::istringstream lines(text);
  bool exponents = false;
  for (std::string line; std::getline(lines, line);) {
    const bool terms =
        line.find('+') != std::string::npos &&
        std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    if (exponents && terms) return true;
    exponents = only_whole_numbers(line) && line.front() == ' ';
  }
  return false;
}

series::CoefficientList read_list(const std::string& file) {
  const std::string text = read_file(file, "FILE");
  if (is_two_dimensional(text))
    throw InvalidArgument("FILE", file,
                          "printed on one line a term, as Maple does with lprint(%) or "
                          "interface(prettyprint=0) (this is its two-dimensional print, with the exponents "
                          "on a line of their own)");
  return series::parse_coefficient_list(text, file);
}

std::vector<CoefficientsOf> read_kinds(const Options& options) {
  if (!options.of) return {CoefficientsOf::occupancy};
  std::vector<CoefficientsOf> kinds;
  for (const std::size_t choice : parse_choices(*options.of, "--of", {"occupancy", "tail"}))
    kinds.push_back(choice == 0 ? CoefficientsOf::occupancy : CoefficientsOf::tail);
  return kinds;
}

/// A question for each combination of what was given as lists, with the traffic it is about.
std::vector<std::pair<answers::Traffic, CompareQuestion>> read_questions(const Options& options) {
  const queue::Accuracy accuracy = read_accuracy(options.accuracy);
  const std::vector<CoefficientsOf> kinds = read_kinds(options);
  std::optional<int> required;
  if (options.require)
    required = static_cast<int>(parse_integer(*options.require, "--require", 1, kMostDigits));
  const std::vector<answers::Traffic> traffics = read_traffics(options.traffic);
  const series::CoefficientList list = read_list(options.file);
  std::vector<std::pair<answers::Traffic, CompareQuestion>> questions;
  for (const answers::Traffic& traffic : traffics)
    for (const CoefficientsOf of : kinds) {
      CompareQuestion question{.queue = answers::slotted_queue(traffic),
                               .list = list,
                               .of = of,
                               .arithmetic = accuracy.arithmetic,
                               .required = required};
      if (options.accuracy.digits) question.digits = accuracy.digits;
      questions.emplace_back(traffic, std::move(question));
    }
  return questions;
}

/// \throws NoAnswer  fewer digits agree somewhere
void require_digits(const render::ComparePoint& point) {
  if (!point.question.required || !point.answer.first) return;
  const std::size_t at = point.answer.first->at;
  const series::Coefficient& printed = point.question.list.coefficients[at];
  const int agreed = point.answer.coefficients[at].agreed_digits;
  throw NoAnswer(fmt::format("{}: {} digit{} agree at {} ({} in the file), and {} are required", point.file,
                             agreed, agreed == 1 ? "" : "s", render::place_in_words(printed),
                             render::printed_in_words(printed, 20), *point.question.required));
}

Reply answer(const Options& options, const Context& context) {
  const auto questions = read_questions(options);
  const answers::Run run = analysis_run(context);
  auto found = answers::for_each_point(
      questions.size(), run, [&questions](std::size_t i) { return answers::answer(questions[i].second); });
  std::vector<render::ComparePoint> points;
  for (std::size_t i = 0; i < found.finished.size(); ++i) {
    points.push_back({options.file, questions[i].first, questions[i].second, std::move(found.finished[i])});
    require_digits(points.back());
  }
  render::Document document = render::document(std::move(points));
  if (found.stopped) render::mark_stopped(document, found.finished.size(), questions.size());
  return show(std::move(document), context);
}

}  // namespace

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
