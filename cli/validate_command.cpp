#include <cln/integer.h>
#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/burst_options.hpp>
#include <cli/delay_question.hpp>
#include <cli/option_group.hpp>
#include <cli/plots.hpp>
#include <cli/simulate_hypercube.hpp>
#include <cli/simulate_multistage.hpp>
#include <cli/simulate_tree.hpp>
#include <cli/simulate_wormhole.hpp>
#include <cli/traffic_options.hpp>
#include <cli/validate_command.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>

namespace tailbound::cli {
namespace {

using numeric::Rational;

constexpr double confidence_of_all = 0.95;

/// Where the analysis is asked unless levels are given: as deep as a simulation of seconds can follow.
const std::vector<std::string> default_tails{"0.5",   "0.2",   "0.1",  "0.03", "0.01",
                                             "0.003", "0.001", "1e-4", "1e-5", "1e-6"};

/// `too_rare`: the interval reaches down to 0, and from so few occurrences its upper end cannot be trusted
/// either; they come in clusters.
enum class Verdict { inside, above, below, too_rare };
constexpr Verdict all_verdicts[] = {Verdict::inside, Verdict::above, Verdict::below, Verdict::too_rare};

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::inside:
      return "inside";
    case Verdict::above:
      return "above";
    case Verdict::below:
      return "below";
    case Verdict::too_rare:
      break;
  }
  return "too rare";
}

/// What the analysis says of one row.
struct Analysed {
  ShownNumber shown;  ///< without `kind` for whole slots, which are proved
  double lower = 0, upper = 0;
};

template <class Unit>
Analysed analysed(const numeric::Proved<Unit>& proved) {
  const auto enclosure = numeric::to_enclosure(proved);
  return {show(proved, {6}), static_cast<double>(enclosure.lower()), static_cast<double>(enclosure.upper())};
}

/// \pre not an approximation
template <class Unit>
numeric::Proved<Unit> proved_of(const numeric::Claim<Unit>& claim) {
  if (const auto* exact = std::get_if<numeric::Exact<Unit>>(&claim)) return *exact;
  return std::get<numeric::Enclosure<Unit>>(claim);
}

template <class Unit>
Analysed analysed(const numeric::Claim<Unit>& claim) {
  if (const auto* computed = std::get_if<numeric::Approximation<Unit>>(&claim)) {
    const auto value = static_cast<double>(computed->value);
    return {show(*computed, {6}), value, value};
  }
  return analysed(proved_of(claim));
}

Analysed analysed(Slots slots) {
  const auto value = static_cast<double>(slots.value);
  return {{.kind = {}, .value = {}, .lower = {}, .upper = {}, .brief = std::to_string(slots.value)},
          value,
          value};
}

struct Row {
  std::string quantity;  ///< "ccdf", "occupancy_tail", "queueing_slots", "mean_queueing_slots"
  std::string argument;  ///< a level or a percentile
  std::string label;     ///< "P(D > 10)"
  Analysed analysis;
  ShownEstimate simulation;
  std::optional<std::uint64_t> count{};  ///< of probabilities: how often it was seen

  [[nodiscard]] Verdict verdict() const {
    if (count && simulation.lower <= 0) return Verdict::too_rare;
    if (analysis.upper < simulation.lower) return Verdict::below;
    if (!simulation.open && analysis.lower > simulation.upper) return Verdict::above;
    return Verdict::inside;
  }
  [[nodiscard]] std::optional<double> ratio() const {
    if (simulation.value == 0 || analysis.upper == 0) return std::nullopt;
    return simulation.value / analysis.upper;
  }
};

/// One question answered both ways.
struct Comparison {
  std::string command, title, note;
  Json inputs;
  Simulated simulated;
  std::vector<Row> rows;
  double confidence = 0;  ///< of each row
  std::string x_label, y_label;
  std::function<plots::Picture()> picture{};

  [[nodiscard]] std::size_t count(Verdict verdict) const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.verdict() == verdict; }));
  }
};

/// Of each of so many rows, so that all their intervals hold together in confidence_of_all of the runs.
double row_confidence(std::size_t rows) {
  return 1 - (1 - confidence_of_all) / static_cast<double>(rows);
}

std::string conclusion(const Comparison& comparison) {
  const std::size_t below = comparison.count(Verdict::below), above = comparison.count(Verdict::above);
  const std::size_t judged = comparison.rows.size() - comparison.count(Verdict::too_rare);
  if (below > 0)
    return fmt::format("the analysis is optimistic beyond the interval in {} of {} rows", below, judged);
  if (above > 0)
    return fmt::format("the analysis is conservative in {} of {} rows, optimistic in none", above, judged);
  return fmt::format("the analysis is inside the interval in all {} rows", judged);
}

// --- formats
// ---------------------------------------------------------------------------------------------------

std::string to_table(const Comparison& comparison, bool quiet) {
  std::vector<std::vector<std::string>> table{
      {"", "analysis", "simulation", "seen", "sim./analysis", "analysis is"}};
  for (const Row& row : comparison.rows)
    table.push_back({row.label, row.analysis.shown.brief,
                     row.count || row.quantity.rfind("mean", 0) == 0 ? brief(row.simulation)
                                                                     : brief_whole(row.simulation),
                     row.count ? std::to_string(*row.count) : "",
                     row.ratio() ? fmt::format("{:.4f}", *row.ratio()) : "-", name(row.verdict())});
  const std::string rows = cli::to_table(table, {false, false, false, true, true, false});
  if (quiet) return rows;
  return fmt::format(
      "{}\n\n{}\n"
      "  {}\n"
      "  inside: within the interval; above: conservative; below: optimistic; too rare: not judged\n"
      "  intervals: {:.4g} % each, so that all {} hold together in {:g} % of such runs\n"
      "  simulated {}\n"
      "  took {}\n{}",
      comparison.title, rows, conclusion(comparison), 100 * comparison.confidence, comparison.rows.size(),
      100 * confidence_of_all, plan_in_words(comparison.simulated), course_in_words(comparison.simulated),
      comparison.note.empty() ? std::string() : "  model: " + comparison.note + "\n");
}

std::string to_json_text(const Comparison& comparison, const Context& context) {
  Json document = new_document(context, comparison.command);
  document["inputs"] = comparison.inputs;
  describe_simulation(document, comparison.simulated);
  if (!comparison.note.empty()) document["model"] = comparison.note;
  document["verdict"] = name(comparison.count(Verdict::below) > 0   ? Verdict::below
                             : comparison.count(Verdict::above) > 0 ? Verdict::above
                                                                    : Verdict::inside);
  for (const Verdict verdict : all_verdicts) document["verdicts"][name(verdict)] = comparison.count(verdict);
  document["confidence_of_all_rows"] = confidence_of_all;
  return to_text(document, "rows", comparison.rows.size(), [&](std::size_t i) {
    const Row& row = comparison.rows[i];
    Json json{{"quantity", row.quantity}};
    if (row.quantity == "ccdf") json["slots"] = std::stoll(row.argument);
    if (row.quantity == "occupancy_tail") json["level"] = std::stoll(row.argument);
    if (row.quantity == "queueing_slots") json["percentile"] = std::stod(row.argument);
    json["analysis"] = row.analysis.shown.kind.empty() ? Json(static_cast<std::int64_t>(row.analysis.lower))
                                                       : to_json(row.analysis.shown);
    json["simulation"] = to_json(row.simulation);
    if (row.count) json["count"] = *row.count;
    json["ratio"] = row.ratio() ? Json(*row.ratio()) : Json();
    json["verdict"] = name(row.verdict());
    return json;
  });
}

std::string to_csv(const Comparison& comparison) {
  std::vector<std::string> header{"quantity", "argument", "analysis_lower", "analysis_upper"};
  for (const std::string& column : estimate_columns("simulation")) header.push_back(column);
  for (const char* column : {"count", "ratio", "verdict"}) header.emplace_back(column);
  std::string text = csv_line(header);
  for (const Row& row : comparison.rows) {
    const ShownNumber& analysis = row.analysis.shown;
    std::vector<std::string> fields{row.quantity, row.argument,
                                    analysis.kind.empty() ? analysis.brief : analysis.lower,
                                    analysis.kind.empty() ? analysis.brief : analysis.upper};
    append_csv(fields, row.simulation);
    fields.push_back(row.count ? std::to_string(*row.count) : "");
    fields.push_back(row.ratio() ? fmt::format("{}", *row.ratio()) : "");
    fields.emplace_back(name(row.verdict()));
    text += csv_line(fields);
  }
  return text;
}

Reply reply_of(Comparison compared, const Context& context) {
  const auto comparison = std::make_shared<Comparison>(std::move(compared));
  Reply reply;
  reply.text = in_format(
      context.format, [&] { return to_table(*comparison, context.quiet); },
      [&] { return to_json_text(*comparison, context); }, [&] { return to_csv(*comparison); });
  reply.draw = [comparison](const std::string& file) { plots::draw(comparison->picture(), file); };
  if (comparison->count(Verdict::below) > 0) reply.status = no_answer;
  return reply;
}

/// The analysis as a line through the simulation's points, at the same levels.
plots::Picture both(const Comparison& comparison, const std::vector<sim::LevelEstimate>& simulated,
                    const std::vector<double>& analysis_log10) {
  plots::Picture picture{
      .title = comparison.title,
      .x_label = comparison.x_label,
      .y_label = comparison.y_label,
      .note = fmt::format("95 % intervals; {}. {}", plan_in_words(comparison.simulated), comparison.note),
      .powers_of_ten = true,
      .curves = {interval_bars("simulation", simulated),
                 {.title = "analysis", .style = plots::Style::line, .points = {}}}};
  if (picture.curves.front().points.empty())
    throw NoAnswer("there is nothing to draw: the simulation saw nothing");
  for (std::size_t i = 0; i < simulated.size(); ++i)
    picture.curves.back().points.emplace_back(static_cast<double>(simulated[i].level), analysis_log10[i]);
  return picture;
}

// --- validate delay
// --------------------------------------------------------------------------------------------

struct DelayValidationOptions {
  PlaceOptions place;
  BurstOptions burst;
  SimulationOptions run;
  DelayModelOptions model;
  std::optional<std::string> percentiles, ccdf;
};

/// All packets of all flows together: each way with its share of them.
std::vector<bounds::Way> all_ways(const DelayRequest& request) {
  std::map<std::vector<std::size_t>, Rational> shares;
  Rational total = 0;
  for (const DelayFlow& flow : request.flows) total = total + *flow.rate;
  for (const DelayFlow& flow : request.flows)
    for (const bounds::Way& way : flow.ways) {
      std::vector<std::size_t> queues = way.queues;
      std::sort(queues.begin(), queues.end());
      Rational& share = shares[std::move(queues)];
      share = share + way.share * *flow.rate / total;
    }
  std::vector<bounds::Way> ways;
  for (auto& [queues, share] : shares) ways.push_back({queues, share});
  return ways;
}

/// The levels of the question, or those where the analysis says about 0.5 ... 1e-6.
std::vector<Slots> delay_levels(const DelayRequest& request, bounds::PathDelay& delays,
                                const std::vector<bounds::Way>& ways) {
  if (!request.question.levels.empty()) return request.question.levels;
  bounds::DelayQuestion question;
  for (const std::string& tail : default_tails)
    question.percentiles.push_back(1 - numeric::parse_rational(tail, "tail"));
  std::set<Slots> levels;
  for (const bounds::ClaimedPercentile& percentile : delays.claims(ways, question).queueing)
    levels.insert(percentile.slots);
  return {levels.begin(), levels.end()};
}

std::vector<Row> delay_rows(const bounds::ClaimedDelayAnswer& analysis,
                            const SimulationEstimates& simulated) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < analysis.above.size(); ++i) {
    const std::string level = std::to_string(analysis.above[i].slots.value);
    rows.push_back({"ccdf", level, "P(D > " + level + ")", analysed(analysis.above[i].probability),
                    shown(simulated.ccdf[i].probability), simulated.ccdf[i].count});
  }
  for (std::size_t i = 0; i < analysis.queueing.size(); ++i) {
    const std::string p = percent(analysis.queueing[i].probability);
    rows.push_back({"queueing_slots", p, p + " % of D", analysed(analysis.queueing[i].slots),
                    simulated.percentiles[i].queueing});
  }
  rows.push_back(
      {"mean_queueing_slots", "", "mean of D", analysed(analysis.mean_queueing), simulated.mean_queueing});
  return rows;
}

Reply answer_delay_validation(const DelayValidationOptions& options, const Context& context) {
  const TreeSimulationRequest simulation =
      read_place_to_simulate(options.place, options.run, std::nullopt, false, options.burst);
  DelayOptions analysis_options;
  analysis_options.place = options.place;
  analysis_options.burst = options.burst;
  analysis_options.model = options.model;
  analysis_options.percentiles = options.percentiles;
  analysis_options.ccdf = options.ccdf;
  const auto request = std::make_shared<DelayRequest>(read_delay_request(analysis_options));
  const auto delays =
      std::make_shared<bounds::PathDelay>(request->queues.queues, request->delay, request->digits);
  const auto ways = std::make_shared<std::vector<bounds::Way>>(all_ways(*request));
  request->question.levels = delay_levels(*request, *delays, *ways);
  const bounds::ClaimedDelayAnswer analysis = delays->claims(*ways, request->question);

  Comparison comparison;
  comparison.command = "validate delay";
  comparison.title = "Delay by analysis and by simulation: " + simulation.title;
  comparison.note = model_caution(*request);
  comparison.inputs = describe_delay(analysis_options, *request);
  comparison.inputs.erase("digits");
  comparison.inputs.erase("flow");
  comparison.x_label = "t [slots]";
  comparison.y_label = "P(D > t)";
  comparison.confidence = row_confidence(analysis.above.size() + analysis.queueing.size() + 1);
  comparison.simulated = simulate(simulation, options.run, context);
  SimulationQuestions questions{.occupancy_levels = {},
                                .delay_levels = {},
                                .reorder_levels = {},
                                .percentiles = request->question.percentiles,
                                .confidence = comparison.confidence};
  for (const Slots level : request->question.levels) questions.delay_levels.push_back(level.value);
  comparison.rows = delay_rows(analysis, estimates(simulation.model, comparison.simulated.result, questions));
  // Drawn while the caller holds the comparison.
  const auto drawn = std::make_shared<Comparison>(comparison);
  comparison.picture = [drawn, model = simulation.model, delays, ways] {
    const std::vector<sim::LevelEstimate> simulated = whole_ccdf(model, drawn->simulated.result);
    bounds::DelayQuestion question;
    for (const sim::LevelEstimate& level : simulated) question.levels.emplace_back(level.level);
    std::vector<double> analysis_log10;
    for (const bounds::ClaimedSlotProbability& above : delays->claims(*ways, question).above)
      analysis_log10.push_back(plots::log10(above.probability));
    return both(*drawn, simulated, analysis_log10);
  };
  return reply_of(std::move(comparison), context);
}

Command add_validate_delay(CLI::App& validate) {
  CLI::App* command = validate.add_subcommand("delay", "end-to-end delays of a tree or any network");
  const auto options = std::make_shared<DelayValidationOptions>();
  add_place_options(*command, options->place);
  add_burst_options(*command, options->burst, "A tree under uniform traffic");
  const OptionGroup question(*command, "Question");
  add_delay_model_options(*command, options->model);
  question.add("--ccdf", options->ccdf, "LIST",
               "slots t of P(queueing delay > t); where the analysis says\n0.5 ... 1e-6 unless told");
  question.add("--percentiles", options->percentiles, "LIST",
               "in percent; 50,90,99,99.99,99.9999 unless told");
  add_simulation_options(*command, options->run);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound validate delay --radix 16 --levels 3 --load 0.8\n"
      "prints\n"
      "\n"
      "  Delay by analysis and by simulation: 16-ary 3-tree at load 0.8, random-root routing\n"
      "\n"
      "                    analysis       simulation               seen  sim./analysis  analysis is\n"
      "    P(D > 9)        0.4694277      0.4456 +- 0.0011     26283781         0.9492  above\n"
      "    P(D > 14)       0.1723071      0.16041 +- 0.00095    9461430         0.9309  above\n"
      "    P(D > 17)       0.08312846     0.07705 +- 0.00069    4544601         0.9268  above\n"
      "    P(D > 21)       0.02828981     0.02627 +- 0.00036    1549619         0.9287  above\n"
      "    P(D > 25)       0.008780576    0.00825 +- 0.00012     486558         0.9394  above\n"
      "    P(D > 29)       0.002540437    0.002421 +- 4.4e-05    142780         0.9528  above\n"
      "    P(D > 32)       0.0009659335   0.000932 +- 3.1e-05     54993         0.9652  above\n"
      "    P(D > 39)       0.00009193703  9.6e-05 +- 1.6e-05       5655         1.0428  inside\n"
      "    P(D > 46)       7.898420e-6    9.4e-06 +- 3.1e-06        556         1.1934  inside\n"
      "    P(D > 52)       9.062337e-7    1.12e-06 +- 8.3e-07        66         1.2347  inside\n"
      "    50 % of D       9              9 (9 .. 9)                            1.0000  inside\n"
      "    90 % of D       17             16 (16 .. 16)                         0.9412  above\n"
      "    99 % of D       25             25 (25 .. 25)                         1.0000  inside\n"
      "    99.99 % of D    39             39 (39 .. 40)                         1.0000  inside\n"
      "    99.9999 % of D  52             53 (51 .. 55)                         1.0192  inside\n"
      "    mean of D       9.86572265625  9.585 +- 0.015                        0.9715  above\n"
      "\n"
      "    the analysis is conservative in 9 of 16 rows, optimistic in none\n"
      "    inside: within the interval; above: conservative; below: optimistic; too rare: not judged\n"
      "    intervals: 99.69 % each, so that all 16 hold together in 95 % of such runs\n"
      "    simulated 4 replications of 4500 slots after a warm-up of 832 (by rule), seed 1\n"
      "    took 3.0 s on 2 threads\n"
      "    model: hops are taken as independent, though waits are positively correlated: simulated tails "
      "(16-ary 3-tree, load 0.8) are 7% lighter at 1e-2, 10% heavier at 2e-6, 36% at 5e-8\n");
  return {.app = command,
          .answer = [options](const Context& context) { return answer_delay_validation(*options, context); }};
}

// --- validate buffer
// -------------------------------------------------------------------------------------------

struct BufferValidationOptions {
  std::optional<std::string> inputs, load, levels;
  BurstOptions bursts;
  SimulationOptions run;
};

/// The queue's occupancy by analysis, whatever its arrivals.
struct OccupancyAnalysis {
  std::function<queue::ProbabilityClaim(Packets)> tail;  ///< P(Q > n)
  std::function<Packets(const Rational&)> least_level;
  std::function<numeric::Claim<unit::Packet>()> mean;
};

OccupancyAnalysis occupancy_analysis(const TrafficOptions& traffic) {
  if (!remembers(traffic_form(traffic))) {
    const queue::SlottedQueue queue = read_queue(traffic).queue;
    queue::require_stable(queue);
    return {
        .tail =
            [queue](Packets level) {
              return numeric::to_claim(queue::occupancy_tail(queue, level).probability);
            },
        .least_level = [queue](const Rational& target) { return queue::least_level(queue, target).level; },
        .mean = [queue] { return numeric::to_claim(queue::mean_occupancy(queue)); }};
  }
  for (const auto& [option, text] : {std::pair{"--load", traffic.load}, std::pair{"--burst", traffic.burst}})
    if (is_list(text)) throw InvalidArgument(option, *text, "one number here, not a list");
  const auto queue = std::make_shared<queue::MarkovQueue>(read_markov_arrivals(traffic).front().arrivals);
  return {.tail = [queue](Packets level) { return queue->tail(level.value); },
          .least_level = [queue](const Rational& target) { return Packets(queue->least_level(target)); },
          .mean = [queue] { return queue->mean_occupancy(); }};
}

std::vector<Packets> occupancy_levels(const BufferValidationOptions& options,
                                      const OccupancyAnalysis& analysis) {
  std::vector<Packets> levels;
  if (options.levels) {
    for (const Rational& entry : parse_list(*options.levels, "--levels", 1000))
      levels.emplace_back(parse_integer(numeric::to_fraction(entry), "--levels", 0, 1'000'000));
    return levels;
  }
  std::set<Packets> spread;
  for (const std::string& tail : default_tails)
    spread.insert(analysis.least_level(numeric::parse_rational(tail, "tail")));
  return {spread.begin(), spread.end()};
}

std::vector<Row> occupancy_rows(const OccupancyAnalysis& analysis, const std::vector<Packets>& levels,
                                const QueueEstimates& simulated) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string level = std::to_string(levels[i].value);
    rows.push_back({"occupancy_tail", level, "P(Q > " + level + ")", analysed(analysis.tail(levels[i])),
                    shown(simulated.tail[i].probability), simulated.tail[i].count});
  }
  rows.push_back({"mean_occupancy", "", "mean of Q", analysed(analysis.mean()), simulated.mean_occupancy});
  return rows;
}

/// P(Q > n) from 0 to the first level that was not seen.
std::vector<sim::LevelEstimate> whole_tail(const SimulatedModel& model, const sim::RunResult& result) {
  const std::size_t occupancy = sim::TreeRows(std::get<sim::TreeModel>(model).tree).occupancy(0);
  std::size_t size = 0;
  for (const sim::Counts* batch : result.all()) size = std::max(size, (*batch)[occupancy].size());
  SimulationQuestions questions;
  const std::int64_t last = static_cast<std::int64_t>(size) - 1;
  constexpr std::int64_t most_points = 60;
  for (std::int64_t level = 0; level < last; level += 1 + last / most_points)
    questions.occupancy_levels.push_back(level);
  return estimates(model, result, questions).queues.front().tail;
}

Reply answer_buffer_validation(const BufferValidationOptions& options, const Context& context) {
  TrafficOptions traffic;
  traffic.inputs = options.inputs;
  traffic.load = options.load;
  traffic.traffic = options.bursts.traffic;
  traffic.burst = options.bursts.burst;
  traffic.on_rate = options.bursts.on_rate;
  const OccupancyAnalysis analysis = occupancy_analysis(traffic);
  const std::int64_t inputs = parse_integer(*options.inputs, "--inputs", 2, 1024);
  const std::vector<Packets> levels = occupancy_levels(options, analysis);

  PlaceOptions place;  // a single switch: its K output queues are alike
  place.radix = *options.inputs;
  place.levels = "1";
  place.load = options.load;
  const TreeSimulationRequest simulation =
      read_place_to_simulate(place, options.run, std::nullopt, false, options.bursts);
  Comparison comparison;
  comparison.command = "validate buffer";
  const Rational load = numeric::parse_rational(*options.load, "--load");
  comparison.title =
      fmt::format("Occupancy by analysis and by simulation: {} inputs at load {}{}", inputs, plain(load),
                  burst_in_words(read_burst(options.bursts, load, *options.load)));
  comparison.inputs = describe_traffic(traffic);
  comparison.x_label = "n [packets]";
  comparison.y_label = "P(Q > n)";
  comparison.confidence = row_confidence(levels.size() + 1);
  comparison.simulated = simulate(simulation, options.run, context);
  SimulationQuestions questions{.occupancy_levels = {},
                                .delay_levels = {},
                                .reorder_levels = {},
                                .percentiles = {},
                                .confidence = comparison.confidence};
  for (const Packets level : levels) questions.occupancy_levels.push_back(level.value);
  comparison.rows = occupancy_rows(
      analysis, levels, estimates(simulation.model, comparison.simulated.result, questions).queues.front());
  const auto drawn = std::make_shared<Comparison>(comparison);
  comparison.picture = [drawn, model = simulation.model, analysis] {
    const std::vector<sim::LevelEstimate> simulated = whole_tail(model, drawn->simulated.result);
    std::vector<double> analysis_log10;
    for (const sim::LevelEstimate& level : simulated) {
      const double height = analysed(analysis.tail(Packets(level.level))).upper;
      analysis_log10.push_back(std::log10(height));
    }
    return both(*drawn, simulated, analysis_log10);
  };
  return reply_of(std::move(comparison), context);
}

Command add_validate_buffer(CLI::App& validate) {
  CLI::App* command = validate.add_subcommand("buffer", "the occupancy of one output queue");
  const auto options = std::make_shared<BufferValidationOptions>();
  const OptionGroup traffic(*command, "Traffic");
  const OptionGroup question(*command, "Question");
  traffic.add("--inputs", options->inputs, "K", "inputs of the switch, 2 to 1024, each with load R / K");
  traffic.add("--load", options->load, "R", "packets a slot of the queue");
  add_burst_options(*command, options->bursts, "Traffic");
  question.add("--levels", options->levels, "LIST",
               "packets n of P(Q > n); where the analysis says 0.5 ... 1e-6\nunless told");
  add_simulation_options(*command, options->run);
  add_plot_option(*command);
  command->footer(
      "Example:\n"
      "  tailbound validate buffer --inputs 16 --load 0.8 --levels 0:40:10\n"
      "prints\n"
      "\n"
      "  Occupancy by analysis and by simulation: 16 inputs at load 0.8\n"
      "\n"
      "               analysis       simulation                seen  sim./analysis  analysis is\n"
      "    P(Q > 0)   0.8000000      0.799988 +- 4.9e-05  296955494         1.0000  inside\n"
      "    P(Q > 10)  0.009017375    0.00907 +- 9.2e-05     3366653         1.0058  inside\n"
      "    P(Q > 20)  0.00009290172  9.56e-05 +- 8.9e-06      35479         1.0288  inside\n"
      "    P(Q > 30)  9.571222e-7    1.4e-06 +- 9.6e-07         520         1.4636  inside\n"
      "    P(Q > 40)  9.860774e-9    0 (below 1.5e-08)            0              -  too rare\n"
      "    mean of Q  2.3            2.3003 +- 0.0017                       1.0001  inside\n"
      "\n"
      "    the analysis is inside the interval in all 5 rows\n"
      "    inside: within the interval; above: conservative; below: optimistic; too rare: not judged\n"
      "    intervals: 99.17 % each, so that all 6 hold together in 95 % of such runs\n"
      "    simulated 4 replications of 5800000 slots after a warm-up of 512 (by rule), seed 1\n"
      "    took 6.0 s on 2 threads\n");
  return {.app = command, .answer = [options](const Context& context) {
            return answer_buffer_validation(*options, context);
          }};
}

}  // namespace

std::vector<Command> add_validate_commands(CLI::App& program) {
  CLI::App* validate = program.add_subcommand("validate", "analysis and simulation side by side");
  validate->require_subcommand(1);
  validate->footer(
      "Exit status 1 where the analysis is optimistic beyond the simulation's interval; the table is "
      "printed\n"
      "all the same. tailbound validate delay --help lists options and shows an example.");
  std::vector<Command> commands;
  commands.push_back(add_validate_delay(*validate));
  commands.push_back(add_validate_buffer(*validate));
  commands.push_back(add_validate_multistage(*validate));
  commands.push_back(add_validate_wormhole(*validate));
  commands.push_back(add_validate_broadcast(*validate));
  return commands;
}

}  // namespace tailbound::cli
