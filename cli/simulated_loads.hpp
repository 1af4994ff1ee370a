#pragma once

#include <cli/offered_loads.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/answers/simulated_loads.hpp>

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
[[nodiscard]] std::vector<numeric::Rational> read_latency_percentiles(const LatencyOptions& options);

// --- saturation

/// \throws InvalidArgument  options are given that the search does without
void refuse_with_saturation(const LoadWords& words, const std::optional<std::string>& loads,
                            const std::optional<std::string>& fractions, const SimulationOptions& run,
                            const LatencyOptions& latency);

/// As asked for by --precision (1 % unless told), --replications and --seed.
/// \throws InvalidArgument  a number out of range
[[nodiscard]] answers::SaturationLength read_saturation_length(const SimulationOptions& run,
                                                               const LatencyOptions& latency);

}  // namespace tailbound::cli
