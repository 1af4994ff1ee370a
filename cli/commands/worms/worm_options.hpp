#pragma once

#include <cli/options/simulation_options.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>

#include <optional>
#include <string>
#include <vector>

/// Wormhole networks, as options: how messages enter and leave; what is offered, loads or rates, or fractions of
/// saturation; and what is asked of a simulation.
namespace tailbound::cli {

using answers::Fractions;
using answers::OfferedLoads;

/// How a command calls it.
struct LoadWords {
  answers::LoadMeasure measure;
  const char* name;      ///< "load": the option is --loads
  bool percent = false;  ///< of a wire: "5%" makes sense
};
inline constexpr LoadWords flit_loads{answers::LoadMeasure::flits, "load", true};
inline constexpr LoadWords message_rates{answers::LoadMeasure::messages, "rate"};

/// The list of --loads (or --rates), or else that of --fractions, 10%:90%:10% unless told.
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

// --- ends: --injection and --ejection

/// As typed; an option that was not given is empty.
struct WormEndsOptions {
  std::optional<std::string> injection, ejection;
};

/// \param usual    the ejection unless told
/// \param every    do all networks of the command have ports?
void add_worm_ends_options(OptionTable& table, WormEndsOptions& options, network::Ejection usual, bool every);

/// One for each combination. Where it is not told, the injection is by ports if the ejection is unlimited, else one.
/// \param ports  has the network ports?
/// \throws InvalidArgument  none of the names
[[nodiscard]] std::vector<network::WormEnds> read_worm_ends(const WormEndsOptions& options,
                                                            network::Ejection usual, bool ports);

}  // namespace tailbound::cli
