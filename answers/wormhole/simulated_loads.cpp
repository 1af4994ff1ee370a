#include <tailbound/answers/points/stored.hpp>
#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::answers {

using numeric::plain;

sim::RunPlan plan_of_work(const RunLength& length, double flit_hops, std::size_t loads,
                          const CyclesOfWork& cycles, const PlanOfCycles& plan) {
  const double each = flit_hops / static_cast<double>(std::max<std::size_t>(loads, 1));
  sim::RunPlan result = plan(length.slots ? *length.slots : cycles(each, length.replications),
                             length.replications, length.seed);
  if (length.warmup) result.warmup = *length.warmup;
  return result;
}

namespace {

/// "injection at (0,0), request"
std::string source_in_words(const sim::SourceShortfall& source) {
  const bool named = source.classes.empty() || source.name.find(", " + source.classes) != std::string::npos;
  return source.name + (named ? "" : ", " + source.classes);
}

std::string overload_in_words(double delivered, const sim::WormStability& evidence) {
  constexpr double seen_in_all = 0.005;
  if (evidence.shortfall && evidence.shortfall->is_short && evidence.not_carried < seen_in_all)
    return "of the messages that " +
           (evidence.shortfall->count == 1
                ? "the source at " + source_in_words(*evidence.shortfall) + " offers, "
                : std::to_string(evidence.shortfall->count) + " sources offer, one of them at " +
                      source_in_words(*evidence.shortfall) + ", ") +
           plain(100 * evidence.shortfall->not_carried, 2) + " % is not delivered (" +
           plain(evidence.shortfall->significance, 3) + " standard errors)";
  return plain(delivered, 3) + " are delivered, and " + plain(100 * evidence.not_carried, 2) +
         " % of the messages remain at their sources; the mean number waiting per node grew from " +
         plain(evidence.waiting_first, 3) + " to " + plain(evidence.waiting_second, 3) +
         " between the halves of the measured time" +
         (evidence.shortfall && evidence.shortfall->is_short && !evidence.shortfall->classes.empty()
              ? "; most at " + source_in_words(*evidence.shortfall)
              : "");
}

}  // namespace

Overloaded::Overloaded(LoadMeasure measure, double load, double delivered, const sim::WormStability& evidence)
    : NoAnswer(std::string("saturated at ") + name(measure) + " " + plain(load, 6) + " " + unit_of(measure) +
               ": " + overload_in_words(delivered, evidence)),
      measure_(measure),
      load_(load),
      delivered_(delivered),
      evidence_(evidence) {}

void require_below_limit(LoadMeasure measure, double load, const numeric::Rational& limit,
                         const std::string& channel) {
  const double maximum = numeric::nearest_double(limit);
  if (load <= maximum) return;
  throw NoAnswer(std::string("saturated at ") + name(measure) + " " + plain(load, 6) + " " +
                 unit_of(measure) + ": the physical channel " + channel + " would have to carry " +
                 plain(load / maximum, 6) + " flits per cycle; its capacity is 1. Loads above " +
                 plain(limit) + " are unstable");
}

void reject_search_in_parts(const Run& run) {
  if (run.executor != nullptr && run.executor->in_parts())
    throw InvalidArgument("of", "simulated",
                          "model, or loads instead of fractions, for a run in parts: the loads are unknown "
                          "before the search; search once with --saturation");
}

void require_one_load_to_resume(const Run& run, std::size_t loads) {
  if (loads <= 1 || (!run.checkpoint && run.resume.empty())) return;
  throw InvalidArgument(run.checkpoint ? "checkpoint" : "resume", "given with several loads",
                        "given with one load: it holds one simulation");
}

bool is_search_precision(const numeric::Rational& precision) {
  const double relative = numeric::nearest_double(precision);
  return relative >= 0.0005 && relative <= 0.5;
}

sim::SaturationSearch search_of(const SaturationLength& length, double first_guess, double bound,
                                double senders) {
  if (!is_search_precision(length.precision))
    throw InvalidArgument("precision", plain(length.precision), "from 0.05% to 50%");
  sim::SaturationSearch search;
  search.first_guess = std::min(1.0, first_guess);
  search.precision = numeric::nearest_double(length.precision);
  search.replications = length.replications;
  search.seed = length.seed;
  search.bound = bound;
  search.senders = senders;
  return search;
}

namespace {

/// Each probe of a search needs the result of the previous one: of several parts, one does it all.
sim::SimulatedSaturation searched(const sim::SaturationSearch& search,
                                  const std::function<sim::SimulatedSaturation()>& all, const Run& run) {
  if (run.executor == nullptr || !run.executor->in_parts()) return all();
  const run::Job job{.identity = "a search for saturation from " + plain(search.first_guess) +
                                 ", to a precision of " + plain(search.precision) + "; seed " +
                                 std::to_string(search.seed) + ", replications " +
                                 std::to_string(search.replications),
                     .pieces = 1,
                     .work =
                         [&all](std::size_t, std::string_view, run::PieceMonitor&) {
                           const sim::SimulatedSaturation found = all();
                           return run::Piece{to_bytes(found), found.complete};
                         },
                     .attentive = false,
                     .identified = false,
                     .done_before = {}};
  const run::Outcome outcome =
      run.executor->carry_out(job, {.stop = run.stop, .progress = {}, .checkpoint = {}});
  if (!outcome.complete()) throw Stopped("stopped before saturation was found");
  return from_bytes<sim::SimulatedSaturation>(outcome.pieces.front().bytes);
}

}  // namespace

sim::SimulatedSaturation find_saturation(const sim::SaturationSearch& search, LoadMeasure measure,
                                         const SaturationOf& saturation, const Run& run) {
  const bool in_parts = run.executor != nullptr && run.executor->in_parts();
  sim::RunControls controls{
      .threads = run.threads, .stop = run.stop, .executor = in_parts ? nullptr : run.executor};
  const double expected = 6 + std::log2(0.25 / search.precision);  // probes
  std::size_t done = 0;
  if (run.progress)
    controls.progress = [&](const sim::Progress& progress) {
      run.progress(std::min(0.99, (static_cast<double>(done) + progress.done) / expected), 0);
    };
  const auto all = [&] { return saturation(search, controls, [&](std::size_t probes) { done = probes; }); };
  sim::SimulatedSaturation found = searched(search, all, run);
  if (!found.complete)
    throw Stopped("stopped after " + std::to_string(found.probes.size()) + " " + name(measure) +
                  "s, before saturation was found");
  return found;
}

}  // namespace tailbound::answers
