#include <fmt/format.h>
#include <cli/accuracy_options.hpp>
#include <cli/formats.hpp>
#include <cli/occupancy_command.hpp>
#include <cli/option_group.hpp>
#include <cli/plots.hpp>
#include <cli/traffic_options.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace tailbound::cli {
namespace {

using queue::LevelProbability;

/// As typed; an option that was not given is empty.
struct Options {
  TrafficOptions traffic;
  AccuracyOptions accuracy;
  std::optional<std::string> levels, until;
};

constexpr std::int64_t kMostRows = 1'000'000;
constexpr std::int64_t kDeepest = 1'000'000'000'000'000;  // the library's own limit

/// 0 .. n, where n is the first level whose tail is at most `until`: least_level(until).
template <class LeastLevel>
std::vector<Packets> levels_until(const std::string& until, const LeastLevel& least_level) {
  const numeric::Rational target = numeric::parse_rational(until, "--until");
  if (target <= 0 || target >= 1) throw InvalidArgument("--until", until, "greater than 0 and less than 1");
  const std::int64_t last = least_level(target);
  if (last >= kMostRows)
    throw LimitExceeded(
        fmt::format("--until {} asks for {} rows, and the limit is {}; use --levels for some of them", until,
                    last + 1, kMostRows));
  std::vector<Packets> levels;
  for (std::int64_t level = 0; level <= last; ++level) levels.emplace_back(level);
  return levels;
}

std::vector<Packets> parse_levels(const std::string& text) {
  std::vector<Packets> levels;
  for (const numeric::Rational& entry : parse_list(text, "--levels", kMostRows))
    levels.emplace_back(parse_integer(numeric::to_fraction(entry), "--levels", 0, kDeepest));
  return levels;
}

/// What was asked and what was found.
struct Answer {
  struct Level {
    std::int64_t level;
    ShownNumber probability;
  };
  std::vector<Level> tail;
  std::optional<numeric::Rational> until;
  std::optional<ShownNumber> decay;
  std::string load;  ///< as a fraction; empty if irrational
  std::vector<std::pair<double, double>>
      without_bursts{};  ///< log10 P(Q > n) of independent slots, for pictures
};

std::string to_tables(const Answer& answer, const Context& context) {
  std::vector<std::vector<std::string>> rows;
  if (!context.quiet) rows.push_back({"n", "P(Q > n)", "kind"});
  for (std::size_t i = 0; i < answer.tail.size(); ++i) {
    const ShownNumber& number = answer.tail[i].probability;
    rows.push_back({std::to_string(answer.tail[i].level), number.brief, in_words(number)});
    if (context.quiet) rows.back().pop_back();
  }
  std::string text = to_table(rows, {true, false, false});
  if (context.quiet) return text;
  text = "Q: packets in the queue just after the arrivals of a slot, those about to be served included" +
         (answer.load.empty() ? std::string()
                              : "; load " + plain(numeric::parse_rational(answer.load, "load"))) +
         "\n\n" + text;
  if (answer.decay)
    text += fmt::format("\nasymptote: deep in the tail P(Q > n) falls as exp(-{} n)\n", answer.decay->brief);
  return text;
}

std::string to_json_text(const Options& options, const Answer& answer, const Context& context) {
  Json document = new_document(context, "occupancy");
  Json& inputs = document["inputs"] = describe_traffic(options.traffic);
  if (answer.until) inputs["until"] = numeric::to_fraction(*answer.until);
  if (options.levels) inputs["levels"] = *options.levels;
  describe_accuracy(inputs, options.accuracy);
  document["decay_rate"] = answer.decay ? to_json(*answer.decay) : Json();
  return to_text(document, "tail", answer.tail.size(), [&](std::size_t i) {
    return Json{{"level", answer.tail[i].level}, {"probability", to_json(answer.tail[i].probability)}};
  });
}

std::string to_csv(const Answer& answer) {
  std::vector<std::string> header{"level"};
  const std::vector<std::string> columns = csv_columns("probability");
  header.insert(header.end(), columns.begin(), columns.end());
  std::string text = csv_line(header);
  for (std::size_t i = 0; i < answer.tail.size(); ++i) {
    std::vector<std::string> fields{std::to_string(answer.tail[i].level)};
    append_csv(fields, answer.tail[i].probability);
    text += csv_line(fields);
  }
  return text;
}

/// The tail, the asymptote through its deepest level, and the target of --until.
plots::Picture picture(const Answer& answer) {
  plots::Picture picture{.title = "Packets in the queue after the arrivals of a slot",
                         .x_label = "level n [packets]",
                         .y_label = "P(Q > n)",
                         .powers_of_ten = true,
                         .curves = {}};
  if (!answer.load.empty()) picture.title += ", load " + plain(numeric::parse_rational(answer.load, "load"));
  plots::Curve tail{.title = "P(Q > n)", .style = plots::Style::steps, .points = {}};
  for (const auto& [level, probability] : answer.tail) {
    const numeric::Real upper(probability.upper.empty() ? probability.value : probability.upper);
    if (upper > 0) tail.points.emplace_back(static_cast<double>(level), plots::log10(upper));
  }
  if (tail.points.empty()) throw NoAnswer("there is nothing to draw: every tail asked for is zero");
  std::sort(tail.points.begin(), tail.points.end());
  const auto first = tail.points.front(), last = tail.points.back();
  picture.curves.push_back(std::move(tail));
  if (answer.decay && last.first > first.first) {
    constexpr double log10_of_e = 0.43429448190325183;
    const double slope = std::stod(answer.decay->lower) * log10_of_e;  // decades a packet
    picture.curves.push_back(
        {.title = fmt::format("asymptote, falls as exp(-{:.4g} n)", std::stod(answer.decay->lower)),
         .style = plots::Style::dashed,
         .points = {{first.first, last.second + slope * (last.first - first.first)}, last}});
  }
  if (!answer.without_bursts.empty())
    picture.curves.push_back({.title = "the same inputs and load without bursts",
                              .style = plots::Style::dashed,
                              .points = answer.without_bursts});
  if (answer.until) {
    const double level = plots::log10(numeric::to_real(*answer.until, numeric::Rounding::nearest));
    picture.curves.push_back({.title = "target " + plain(*answer.until),
                              .style = plots::Style::rule,
                              .points = {{first.first, level}, {last.first, level}}});
  }
  return picture;
}

void answer_slotted(const Options& options, const queue::Accuracy& accuracy, Answer& found) {
  const LoadedQueue loaded = read_queue(options.traffic);
  queue::require_stable(loaded.queue);
  found.load = loaded.load;
  const auto least = [&](const numeric::Rational& target) {
    return queue::least_level(loaded.queue, target, accuracy).level.value;
  };
  for (const LevelProbability& row : queue::occupancy_tails(
           loaded.queue, options.until ? levels_until(*options.until, least) : parse_levels(*options.levels),
           accuracy))
    found.tail.push_back({row.level.value, show(row.probability, accuracy.digits)});
  if (const auto decay = queue::decay_rate(loaded.queue, accuracy.digits))
    found.decay = show(*decay, accuracy.digits);
}

void answer_markov(const Options& options, const queue::Accuracy& accuracy, bool draws, Answer& found) {
  if (is_list(options.traffic.load))
    throw InvalidArgument("--load", *options.traffic.load, "one number here, not a list");
  if (accuracy.arithmetic != queue::Arithmetic::automatic)
    throw InvalidArgument("--arithmetic", queue::name(accuracy.arithmetic),
                          "auto for arrivals that remember (--traffic onoff, --blocks)");
  if (is_list(options.traffic.burst))
    throw InvalidArgument("--burst", *options.traffic.burst, "one number here, not a list");
  const LoadedMarkovArrivals loaded = std::move(read_markov_arrivals(options.traffic).front());
  queue::MarkovQueue queue(loaded.arrivals, accuracy.digits);
  found.load = loaded.load;
  const auto least = [&](const numeric::Rational& target) { return queue.least_level(target); };
  for (const Packets level :
       options.until ? levels_until(*options.until, least) : parse_levels(*options.levels))
    found.tail.push_back({level.value, show(queue.tail(level.value), accuracy.digits)});
  if (draws && !loaded.burst.empty()) {
    const queue::SlottedQueue plain_queue{series::Arrivals::equal_inputs(
        parse_integer(*options.traffic.inputs, "--inputs", 1, 1'048'576), loaded.arrivals.load())};
    std::vector<Packets> levels;
    for (const Answer::Level& row : found.tail) levels.emplace_back(row.level);
    std::sort(levels.begin(), levels.end(), [](Packets a, Packets b) { return a.value < b.value; });
    for (const LevelProbability& row : queue::occupancy_tails(plain_queue, levels, {{3}}))
      if (const double height = plots::log10(row.probability); std::isfinite(height))
        found.without_bursts.emplace_back(static_cast<double>(row.level.value), height);
  }
  if (const auto decay = queue.decay_rate()) found.decay = show(*decay, accuracy.digits);
}

Reply answer(const Options& options, bool draws, const Context& context) {
  if (options.levels && options.until)
    throw InvalidArgument("--levels", "given together with --until", "given alone, or --until alone");
  if (!options.levels && !options.until)
    throw InvalidArgument("--levels", "missing",
                          "given as a list such as 0,10,100 or 0:200:1 (or --until EPS)");
  const queue::Accuracy accuracy = read_accuracy(options.accuracy);
  const auto found = std::make_shared<Answer>();
  if (options.until) found->until = numeric::parse_rational(*options.until, "--until");
  if (remembers(traffic_form(options.traffic)))
    answer_markov(options, accuracy, draws, *found);
  else
    answer_slotted(options, accuracy, *found);

  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_tables(*found, context); },
      [&] { return to_json_text(options, *found, context); }, [&] { return to_csv(*found); });
  if (draws) reply.draw = [found](const std::string& file) { plots::draw(picture(*found), file); };
  return reply;
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
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound occupancy --inputs 16 --load 0.9 --levels 0,50,157\n"
      "prints\n"
      "\n"
      "  Q: packets in the queue just after the arrivals of a slot, those about to be served included; load "
      "0.9\n"
      "\n"
      "      n  P(Q > n)           kind\n"
      "      0  0.90000000000      certified to 10 digits\n"
      "     50  0.000015300276356  certified to 10 digits\n"
      "    157  8.7035435578e-16   certified to 10 digits\n"
      "\n"
      "  asymptote: deep in the tail P(Q > n) falls as exp(-0.22046721096 n)\n");
  return {.app = command, .answer = [command, options](const Context& context) {
            return answer(*options, command->get_option("--plot")->count() > 0, context);
          }};
}

}  // namespace tailbound::cli
