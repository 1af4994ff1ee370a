#include <cli/accuracy_options.hpp>
#include <cli/occupancy_command.hpp>
#include <cli/option_group.hpp>
#include <cli/shares.hpp>
#include <cli/show.hpp>
#include <cli/traffic_options.hpp>
#include <cli/unit_options.hpp>
#include <tailbound/numeric/plain.hpp>
#include <tailbound/render/documents/occupancy.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::OccupancyQuestion;

/// As typed; an option that was not given is empty.
struct Options {
  TrafficOptions traffic;
  AccuracyOptions accuracy;
  UnitOptions units;
  std::optional<std::string> levels, until;
};

constexpr std::int64_t kDeepest = 1'000'000'000'000'000;  // the library's own limit

std::variant<answers::Levels, answers::Until> read_levels(const Options& options) {
  if (options.levels && options.until)
    throw InvalidArgument("--levels", "given together with --until", "given alone, or --until alone");
  if (options.until) {
    const numeric::Rational tail = parse_share(*options.until, "--until");
    if (tail <= 0 || tail >= 1)
      throw InvalidArgument("--until", *options.until, "greater than 0 and less than 1");
    return answers::Until{tail};
  }
  if (!options.levels)
    throw InvalidArgument("--levels", "missing",
                          "given as a list such as 0,10,100 or 0:200:1 (or --until EPS)");
  answers::Levels levels;
  for (const numeric::Rational& entry :
       parse_list(*options.levels, "--levels", OccupancyQuestion::most_levels))
    levels.emplace_back(parse_integer(numeric::plain(entry), "--levels", 0, kDeepest));
  return levels;
}

Reply answer(const Options& options, const Context& context) {
  const auto levels = read_levels(options);
  const queue::Accuracy accuracy = read_accuracy(options.accuracy);
  const answers::Units units = read_units(options.units);
  std::vector<OccupancyQuestion> questions;
  for (const answers::Traffic& traffic : read_traffics(options.traffic))
    questions.push_back({.traffic = traffic, .levels = levels, .accuracy = accuracy});
  return show_all(questions, context, [&](const auto& points) { return render::document(points, units); });
}

}  // namespace

Command add_occupancy_command(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("occupancy", "how many packets are in the queue? the distribution");
  const auto options = std::make_shared<Options>();
  add_traffic_options(*command, options->traffic, Memory::allowed);
  const OptionGroup question(*command, "Question");
  question.add("--levels", options->levels, "LIST", "the levels n of P(Q > n): 0,10,100 or 0:200:1");
  question.add("--until", options->until, "EPS", "every level from 0 to the first with P(Q > n) <= EPS");
  add_accuracy_options(*command, options->accuracy);
  add_unit_options(*command, options->units);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound occupancy --inputs 16 --load 0.9 --levels 0,50,157\n"
      "prints\n"
      "\n"
      "  Q: packets in the queue just after the arrivals of a slot, those about to be served included; 16 "
      "inputs at load 0.9\n"
      "\n"
      "    mean occupancy  4.696875 packets, exact\n"
      "    asymptote       deep in the tail P(Q > n) falls as exp(-0.22046721096 n)\n"
      "\n"
      "      n [packets]  P(Q > n)           kind\n"
      "                0  0.90000000000      certified to 10 digits\n"
      "               50  0.000015300276356  certified to 10 digits\n"
      "              157  8.7035435578e-16   certified to 10 digits\n");
  return {.app = command, .answer = [options](const Context& context) { return answer(*options, context); }};
}

}  // namespace tailbound::cli
