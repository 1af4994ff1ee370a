#include <fmt/format.h>
#include <cli/commands/worms/worm_options.hpp>
#include <cli/options/replies.hpp>

namespace tailbound::cli {

using network::Ejection;
using network::Injection;
using network::WormEnds;

OfferedLoads read_offered(const OfferedOptions& options, Fractions legal) {
  if (options.loads && options.fractions)
    throw not_allowed_with(options.loads.name(), "--fractions", "each defines the loads");
  OfferedLoads offered{.measure = options.words.measure,
                       .of_saturation = !options.loads,
                       .values = options.loads ? options.loads.value() : options.fractions.value()};
  answers::check(offered, legal);
  return offered;
}

void reject_overloaded(const answers::Overloaded& overloaded) {
  const bool flits = overloaded.measure() == answers::LoadMeasure::flits;
  throw NoAnswer(fmt::format("{} (tailbound simulate {} --saturation finds the saturation {})",
                             overloaded.what(), flits ? "wormhole" : "hypercube",
                             answers::name(overloaded.measure())));
}

void reject_with_saturation(const OfferedOptions& offered, const SimulationOptions& run,
                            const LatencyOptions& latency) {
  reject_with({&offered.loads, &offered.fractions, &run.slots, &run.warmup, &run.checkpoint, &run.resume,
               &latency.percentiles},
              "--saturation",
              fmt::format("the search chooses its own {}s and run lengths", offered.words.name));
}

answers::SaturationLength read_saturation_length(const SimulationOptions& run, const Number& precision) {
  const answers::RunLength plan = read_run_length(run);
  return {.precision = precision.value(), .replications = plan.replications, .seed = plan.seed};
}

std::vector<WormEnds> read_worm_ends(const WormEndsOptions& options, bool ports) {
  std::vector<WormEnds> all;
  for (const Ejection ejection : options.ejection.value()) {
    const std::vector<Injection> usual{ports && ejection == Ejection::unlimited ? Injection::ports
                                                                                : Injection::one};
    for (const Injection injection : options.injection.if_given().value_or(usual))
      all.push_back({.injection = injection, .ejection = ejection});
  }
  return all;
}

}  // namespace tailbound::cli
