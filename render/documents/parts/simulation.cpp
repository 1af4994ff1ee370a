#include <fmt/format.h>
#include <tailbound/render/documents/parts/simulation.hpp>

#include <algorithm>
#include <iterator>

namespace tailbound::render {
namespace {

using answers::Simulated;

/// "12 of 64 batches"
std::string progress(const Simulated& simulated) {
  return fmt::format("{} of {} batches", simulated.batches(), simulated.planned_batches());
}

/// Why more is measured than requested: " (5000 rounded up to 16 whole batches)"; empty if it is not.
std::string rounding_in_words(const sim::RunPlan& plan) {
  if (plan.batch_slots() * plan.batches == plan.slots) return {};
  return fmt::format(" ({} rounded up to {} whole batches)", plan.slots, plan.batches);
}

/// "on 2 threads"
std::string by(const run::WorkerGroup& worker_group) {
  static constexpr const char* names[] = {"on {} thread", "on {} process", "on {} rank", "in {} part"};
  static_assert(std::size(names) == static_cast<std::size_t>(run::WorkerGroup::Kind::parts) + 1);
  const char* ending = worker_group.count == 1                                  ? ""
                       : worker_group.kind == run::WorkerGroup::Kind::processes ? "es"
                                                                                : "s";
  return fmt::format(fmt::runtime(names[static_cast<std::size_t>(worker_group.kind)]), worker_group.count) +
         ending;
}

}  // namespace

Fields<Simulated> simulation_fields(const std::string& unit) {
  const auto hidden = [](const std::string& key, const std::string& heading, Shape shape,
                         const std::string& meaning) {
    return Column{key, heading, "", shape, meaning, Style::hidden};
  };
  return {{hidden("complete", "complete", Shape::flag, "false if the run was stopped early"),
           [](const Simulated& of) { return !of.stopped(); }},
          {hidden("seed", "seed", Shape::whole, "seed of the random numbers"),
           [](const Simulated& of) { return of.plan.seed; }},
          {hidden("replications", "replications", Shape::whole, "independent replications"),
           [](const Simulated& of) { return of.plan.replications; }},
          {hidden("warmup", "warm-up", Shape::whole, unit + "s discarded at the start of each replication"),
           [](const Simulated& of) { return of.plan.warmup; }},
          {hidden(unit + "s", unit + "s", Shape::whole,
                  unit + "s measured in each replication; null if the run was stopped early"),
           [](const Simulated& of) {
             return of.stopped() ? std::nullopt : std::optional(of.plan.batch_slots() * of.plan.batches);
           }},
          {hidden("batches", "batches", Shape::whole,
                  "batches completed in all replications together, the basis of the intervals"),
           &Simulated::batches},
          {hidden("batch_" + unit + "s", "batch", Shape::whole, "length of a batch [" + unit + "s]"),
           [](const Simulated& of) { return of.plan.batch_slots(); }}};
}

Column estimated_cycles(const char* key, const char* heading, const char* meaning, Style style) {
  return {key, heading, "cycles", Shape::estimate, meaning, style};
}

std::vector<Line> simulation_lines(const Simulated& simulated, const std::string& unit) {
  return {{"simulated", in_words(simulated, unit)}, {"took", outcome_in_words(simulated)}};
}

std::string in_words(const Simulated& simulated, const std::string& unit) {
  const sim::RunPlan& plan = simulated.plan;
  const std::string measured =
      simulated.stopped() ? fmt::format("{} of {} {}s, {}", progress(simulated), plan.batch_slots(), unit,
                                        counted(plan.replications, "replication"))
                          : fmt::format("{} of {} {}s{}", counted(plan.replications, "replication"),
                                        plan.batch_slots() * plan.batches, unit, rounding_in_words(plan));
  return fmt::format("{} after a warm-up of {} ({}), seed {}", measured, plan.warmup,
                     simulated.automatic_warmup ? "automatic" : "given", plan.seed);
}

std::string outcome_in_words(const Simulated& simulated) {
  const sim::RunResult& result = simulated.result;
  const std::string time = fmt::format("{:.1f} s {}", result.seconds, by(result.worker_group));
  return simulated.stopped() ? fmt::format("stopped after {}, with {} done", time, progress(simulated))
                             : time;
}

std::string batches_in_words(const std::vector<const Simulated*>& points) {
  const auto fewer = [](const Simulated* a, const Simulated* b) { return a->batches() < b->batches(); };
  const auto [minimum, maximum] = std::minmax_element(points.begin(), points.end(), fewer);
  return fmt::format("{}{} batches{}, seed {}",
                     (*minimum)->batches() == (*maximum)->batches() ? "" : "at least ", (*minimum)->batches(),
                     points.size() > 1 ? " each" : "", points.front()->plan.seed);
}

void mark_stopped(Document& document, const std::vector<const Simulated*>& finished, std::size_t requested) {
  const bool cut = !finished.empty() && finished.back()->stopped();
  if (finished.size() == requested && !cut) return;
  document.stopped = true;
  if (requested == 1 && cut)
    document.stopped_after = progress(*finished.back());
  else
    document.stopped_after = fmt::format("{} of {} points{}", finished.size(), requested,
                                         cut ? ", the last with " + progress(*finished.back()) : "");
}

}  // namespace tailbound::render
