#include <cln/rational.h>
#include <fmt/format.h>
#include <cli/delay_question.hpp>
#include <cli/interrupt.hpp>
#include <cli/option_group.hpp>
#include <cli/reply.hpp>
#include <cli/simulated_loads.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace tailbound::cli {
namespace {

struct Answer {
  SaturationQuestion question;
  sim::SaturationSearch search;
  sim::SimulatedSaturation found;
};

std::string to_tables(const Answer& answer, bool quiet) {
  const LoadWords& words = answer.question.words;
  std::vector<sim::SaturationProbe> probes = answer.found.probes;
  std::sort(probes.begin(), probes.end(), [](const auto& a, const auto& b) { return a.load < b.load; });
  std::vector<std::vector<std::string>> rows{
      {words.name, "delivered", "waiting, first half", "second half", "not carried", ""}};
  for (const sim::SaturationProbe& probe : probes)
    rows.push_back({fmt::format("{:.5g}", probe.load), fmt::format("{:.5g}", probe.delivered),
                    fmt::format("{:.3g}", probe.stability.waiting_first),
                    fmt::format("{:.3g}", probe.stability.waiting_second),
                    fmt::format("{:.2f} %", 100 * probe.stability.not_carried),
                    probe.stability.stable ? "stable" : "unstable"});
  const std::string table = to_table(rows, {true, true, true, true, true, false});
  if (quiet) return table;
  std::string text = fmt::format("Simulation: {}\n\n{}\n", answer.question.network, table);
  text += named_line("greatest stable", fmt::format("{:.5g} {}", answer.found.greatest_stable, words.unit));
  text += named_line("least unstable", fmt::format("{:.5g} {}", answer.found.least_unstable, words.unit));
  text += named_line(
      "model",
      fmt::format("{:.5g} {}, {:+.1f} % of the greatest stable {}", answer.question.model_saturation,
                  words.unit, 100 * (answer.question.model_saturation / answer.found.greatest_stable - 1),
                  words.name));
  return text +
         fmt::format(
             "\n  Each {}: {} replications in which every node generates {:.0f} messages while "
             "measured and half as\n  many before, seed {}. Waiting: messages at a source, the mean over "
             "half of the measured time.\n  Unstable: more than 0.5 % of the messages stay at their "
             "sources, in each replication some. An estimate.\n",
             words.name, answer.search.replications, answer.found.messages, answer.search.seed);
}

std::string to_json_text(const Answer& answer, const Context& context) {
  const std::string load = answer.question.words.name;
  Json document = new_document(context, answer.question.command);
  document["inputs"] = answer.question.inputs;
  document["kind"] = "estimate";
  document["model_saturation_" + load] = answer.question.model_saturation;
  document["greatest_stable_" + load] = answer.found.greatest_stable;
  document["least_unstable_" + load] = answer.found.least_unstable;
  document["seed"] = answer.search.seed;
  document["replications"] = answer.search.replications;
  document["messages_per_node"] = answer.found.messages;
  return to_text(document, "probes", answer.found.probes.size(), [&](std::size_t i) {
    const sim::SaturationProbe& probe = answer.found.probes[i];
    return Json{{load, probe.load},
                {"delivered", probe.delivered},
                {"waiting_first_half", probe.stability.waiting_first},
                {"waiting_second_half", probe.stability.waiting_second},
                {"not_carried", probe.stability.not_carried},
                {"stable", probe.stability.stable}};
  });
}

std::string to_csv(const Answer& answer) {
  std::string text = csv_line({answer.question.words.name, "delivered", "waiting_first_half",
                               "waiting_second_half", "not_carried", "stable"});
  for (const sim::SaturationProbe& probe : answer.found.probes)
    text += csv_line({fmt::format("{}", probe.load), fmt::format("{}", probe.delivered),
                      fmt::format("{}", probe.stability.waiting_first),
                      fmt::format("{}", probe.stability.waiting_second),
                      fmt::format("{}", probe.stability.not_carried), probe.stability.stable ? "1" : "0"});
  return text;
}

plots::Picture picture(const Answer& answer) {
  const LoadWords& words = answer.question.words;
  plots::Picture picture;
  picture.title = answer.question.title;
  picture.x_label = fmt::format("offered {} [{}]", words.name, words.unit);
  picture.y_label = fmt::format("delivered [{}]", words.unit);
  picture.note = "simulation";
  plots::Curve curve{.title = "delivered", .style = plots::Style::points_and_line, .points = {}};
  for (const sim::SaturationProbe& probe : answer.found.probes)
    curve.points.emplace_back(probe.load, probe.delivered);
  std::sort(curve.points.begin(), curve.points.end());
  plots::Curve all{.title = "all that is offered", .style = plots::Style::dashed, .points = {}};
  for (const double load : {curve.points.front().first, curve.points.back().first})
    all.points.emplace_back(load, load);
  picture.curves = {std::move(curve), std::move(all)};
  return picture;
}

sim::SaturationSearch read_search(const SaturationQuestion& question, const SimulationOptions& run,
                                  const LatencyOptions& latency) {
  const sim::RunPlan plan = read_plan(run, {.utilization = 0.5});
  sim::SaturationSearch search;
  search.first_guess = std::min(1.0, question.first_guess);
  search.replications = plan.replications;
  search.seed = plan.seed;
  if (latency.precision) {
    search.precision =
        numeric::nearest_double(parse_percent_list(*latency.precision, "--precision", 1).front());
    if (!(search.precision >= 0.0005 && search.precision <= 0.5))
      throw InvalidArgument("--precision", *latency.precision, "from 0.05% to 50%");
  }
  return search;
}

}  // namespace

void add_latency_options(CLI::App& command, LatencyOptions& options, const LoadWords& words) {
  const OptionGroup question(command, "Question");
  question.add("--percentiles", options.percentiles, "LIST", "of latency, in percent (50,99)");
  command
      .add_flag("--saturation", options.saturation,
                fmt::format("instead: search the greatest {} that the network carries", words.name))
      ->group("Question");
  question.add("--precision", options.precision, "P", "of --saturation, relative (1%)");
}

std::vector<double> read_latency_percentiles(const LatencyOptions& options) {
  std::vector<double> percentiles;
  for (const numeric::Rational& percentile : read_percentiles(options.percentiles.value_or("50,99")))
    percentiles.push_back(numeric::nearest_double(percentile));
  return percentiles;
}

sim::RunPlan plan_of_work(const SimulationOptions& options, double flit_hops, std::size_t loads,
                          const CyclesOfWork& cycles, const PlanOfCycles& plan) {
  SimulationOptions run = options;
  if (!run.slots) {
    const int replications = read_plan(options, {.utilization = 0.5}).replications;
    const double each = flit_hops / static_cast<double>(std::max<std::size_t>(loads, 1));
    run.slots = std::to_string(cycles(each, replications));
  }
  const sim::RunPlan asked = read_plan(run, {.utilization = 0.5});
  sim::RunPlan result = plan(asked.slots, asked.replications, asked.seed);
  if (options.warmup) result.warmup = asked.warmup;
  return result;
}

void require_stable(const sim::WormStability& stability, double load, double delivered,
                    const LoadWords& words) {
  if (stability.stable) return;
  throw NoAnswer(fmt::format(
      "saturated at {} {:.6g} {}: {:.3g} are delivered, and {:.2g} % of the messages stay at "
      "their sources, where the mean number waiting at a node grew from {:.3g} to {:.3g} between the halves "
      "of "
      "the measured time (--saturation finds the greatest {} that the network carries)",
      words.name, load, words.unit, delivered, 100 * stability.not_carried, stability.waiting_first,
      stability.waiting_second, words.name));
}

void require_one_load_to_resume(const SimulationOptions& options, std::size_t loads) {
  for (const auto& [given, name] : {std::pair{options.checkpoint.has_value(), "--checkpoint"},
                                    std::pair{options.resume.has_value(), "--resume"}})
    if (given && loads > 1)
      throw InvalidArgument(name, "given with several loads", "given with one load: it holds one simulation");
}

void refuse_with_saturation(const LoadWords& words, const std::optional<std::string>& loads,
                            const std::optional<std::string>& fractions, const SimulationOptions& run,
                            const LatencyOptions& latency) {
  const std::string option = fmt::format("--{}s", words.name);
  for (const auto& [value, name] :
       {std::pair{&loads, option.c_str()}, std::pair{&fractions, "--fractions"},
        std::pair{&run.slots, "--cycles"}, std::pair{&run.warmup, "--warmup"},
        std::pair{&run.checkpoint, "--checkpoint"}, std::pair{&run.resume, "--resume"},
        std::pair{&latency.percentiles, "--percentiles"}})
    if (*value)
      throw InvalidArgument(name, **value,
                            fmt::format("left out with --saturation, which chooses its {}s", words.name));
}

Reply find_saturation(const SaturationQuestion& question, const SimulationOptions& run,
                      const LatencyOptions& latency, const Context& context) {
  const auto answer = std::make_shared<Answer>(
      Answer{.question = question, .search = read_search(question, run, latency), .found = {}});
  const Interrupt interrupt;
  sim::RunControls controls{.threads = read_threads(run), .stop = interrupt.token()};
  const double expected = 6 + std::log2(0.25 / answer->search.precision);
  std::size_t done = 0;
  if (context.timed_progress)
    controls.progress = [&](const sim::Progress& progress) {
      context.timed_progress(std::min(0.99, (static_cast<double>(done) + progress.done) / expected), 0);
    };
  answer->found = question.search(answer->search, controls, [&](std::size_t probes) { done = probes; });
  if (!answer->found.complete)
    throw NoAnswer(fmt::format("stopped after {} {}s, before saturation was found",
                               answer->found.probes.size(), question.words.name));
  return reply_of(answer, context);
}

}  // namespace tailbound::cli
