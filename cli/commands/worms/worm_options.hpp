#pragma once

#include <cli/options/simulation_options.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>

#include <optional>
#include <string>
#include <vector>

/// Options of wormhole networks: how messages enter and leave; offered loads, rates or fractions of
/// saturation; and settings of the simulation.
namespace tailbound::cli {

using answers::Fractions;
using answers::OfferedLoads;

/// Names used by a command.
struct LoadWords {
  answers::LoadMeasure measure;
  const char* name;      ///< "load": the option is --loads
  bool percent = false;  ///< of a channel: "5%" makes sense
};
inline constexpr LoadWords flit_loads{answers::LoadMeasure::flits, "load", true};
inline constexpr LoadWords message_rates{answers::LoadMeasure::messages, "rate"};

/// The list of --loads (or --rates), or of --fractions, default 10%:90%:10%.
/// \throws InvalidArgument  both are given; a number out of range
[[nodiscard]] OfferedLoads read_offered(const std::optional<std::string>& loads,
                                        const std::optional<std::string>& fractions, const LoadWords& words,
                                        Fractions legal = Fractions::below_saturation);

/// --percentiles, --saturation and --precision as typed.
struct LatencyOptions {
  std::optional<std::string> percentiles, precision;
  bool saturation = false;
};

void add_latency_options(OptionTable& table, LatencyOptions& options, const LoadWords& words);

/// As fractions; default 50 and 99 %.  \throws InvalidArgument
[[nodiscard]] std::vector<numeric::Rational> read_latency_percentiles(const LatencyOptions& options);

// --- saturation

/// \throws InvalidArgument  options that do not apply to the search
void reject_with_saturation(const LoadWords& words, const std::optional<std::string>& loads,
                            const std::optional<std::string>& fractions, const SimulationOptions& run,
                            const LatencyOptions& latency);

/// From --precision (default 1 %), --replications and --seed.
/// \throws InvalidArgument  a number out of range
[[nodiscard]] answers::SaturationLength read_saturation_length(const SimulationOptions& run,
                                                               const LatencyOptions& latency);

// --- ends: --injection and --ejection

/// As typed; empty if not given.
struct WormEndsOptions {
  std::optional<std::string> injection, ejection;
};

/// \param usual    default ejection
/// \param every    do all networks of the command have ports?
void add_worm_ends_options(OptionTable& table, WormEndsOptions& options, network::Ejection usual, bool every);

/// One for each combination. The default injection is by ports if the ejection is unlimited, otherwise one.
/// \param ports  has the network ports?
/// \throws InvalidArgument  an unknown name
[[nodiscard]] std::vector<network::WormEnds> read_worm_ends(const WormEndsOptions& options,
                                                            network::Ejection usual, bool ports);

}  // namespace tailbound::cli
