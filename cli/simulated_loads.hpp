#pragma once

#include <cli/offered_loads.hpp>
#include <cli/plots.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/sim/worm_saturation.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

/// What simulations of wormhole networks have in common: runs at one load after another, and the search for
/// the greatest load that is carried.
namespace tailbound::cli {

/// --percentiles, --saturation and --precision as typed.
struct LatencyOptions {
  std::optional<std::string> percentiles, precision;
  bool saturation = false;
};

/// `options` must outlive the parse.
void add_latency_options(CLI::App& command, LatencyOptions& options, const LoadWords& words);

/// As fractions; 50 and 99 % unless told.  \throws InvalidArgument
[[nodiscard]] std::vector<double> read_latency_percentiles(const LatencyOptions& options);

// --- one load after another

/// Cycles of each replication that take so many flit-hops in all.
using CyclesOfWork = std::function<std::int64_t(double flit_hops, int replications)>;
using PlanOfCycles = std::function<sim::RunPlan(std::int64_t cycles, int replications, std::uint64_t seed)>;

/// A plan with the warm-up and batches that a network needs; unless --cycles says otherwise, so long that all
/// loads together take `flit_hops`.  \throws InvalidArgument
[[nodiscard]] sim::RunPlan plan_of_work(const SimulationOptions& options, double flit_hops, std::size_t loads,
                                        const CyclesOfWork& cycles, const PlanOfCycles& plan);

/// \throws NoAnswer  if the sources' queues grow: with the evidence
/// \param delivered  in the unit of the load
void require_stable(const sim::WormStability& stability, double load, double delivered,
                    const LoadWords& words);

/// \throws InvalidArgument  --checkpoint or --resume with several loads
void require_one_load_to_resume(const SimulationOptions& options, std::size_t loads);

/// One point for each value, in their order, up to one that Ctrl-C stopped.
/// \param simulate_at  (value, context of this part) -> Point, which holds a Simulated
/// \throws InvalidArgument  --checkpoint or --resume with several loads
template <class Point, class SimulateAt>
[[nodiscard]] std::vector<Point> simulate_each(const std::vector<numeric::Rational>& values,
                                               const SimulationOptions& options, const Context& context,
                                               const SimulateAt& simulate_at) {
  require_one_load_to_resume(options, values.size());
  std::vector<Point> points;
  for (const numeric::Rational& value : values) {
    points.push_back(simulate_at(value, part_of(context, points.size(), values.size())));
    if (!points.back().simulated.result.complete) break;
  }
  return points;
}

// --- saturation

struct SaturationQuestion {
  std::string command;  ///< "simulate wormhole"
  std::string network;  ///< in words
  std::string title;    ///< of the picture: the same, short enough for a line
  Json inputs;
  LoadWords words;
  double model_saturation = 0;
  double first_guess = 0;
  std::function<sim::SimulatedSaturation(const sim::SaturationSearch& search,
                                         const sim::RunControls& controls,
                                         const std::function<void(std::size_t)>& told)>
      search;
};

/// \throws InvalidArgument  options are given that the search does without
void refuse_with_saturation(const LoadWords& words, const std::optional<std::string>& loads,
                            const std::optional<std::string>& fractions, const SimulationOptions& run,
                            const LatencyOptions& latency);

/// Searches, with progress and Ctrl-C.
/// \throws InvalidArgument  --precision out of range
/// \throws NoAnswer         stopped; or no saturation was found
[[nodiscard]] Reply find_saturation(const SaturationQuestion& question, const SimulationOptions& run,
                                    const LatencyOptions& latency, const Context& context);

}  // namespace tailbound::cli
