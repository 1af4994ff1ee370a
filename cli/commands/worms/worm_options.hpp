#pragma once

#include <fmt/format.h>
#include <cli/options/number_options.hpp>
#include <cli/options/simulation_options.hpp>
#include <tailbound/answers/wormhole/simulated_loads.hpp>
#include <tailbound/answers/wormhole/wormhole.hpp>

#include <cstddef>
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

inline constexpr std::size_t max_loads = 1000;

/// --loads (or --rates) and --fractions
struct OfferedOptions {
  OptionTable& rows;
  const LoadWords& words;
  const char* help_of_fractions;
  OptionGroup traffic{rows, "Traffic"};
  Numbers loads{
      traffic, fmt::format("--{}s", words.name), "LIST",
      (words.percent ? shares(max_loads) : numbers(max_loads))
          .must_be(words.percent ? "at least 0 flits/cycle/node" : "at least 0 messages/cycle/node"),
      words.percent ? "flits per cycle of each node, a list.\n0.01,0.02 or 0.01:0.05:0.01"
                    : "messages per cycle of each node, a list.\n0.001,0.002 or 0.001:0.01:0.001"};
  Numbers fractions{
      traffic, "--fractions", "LIST",
      shares(max_loads).by_default("10%:90%:10%").must_be("at least 0 and, of the model, below 1"),
      help_of_fractions};
};
/// \throws InvalidArgument  both are given; a number out of range
[[nodiscard]] OfferedLoads read_offered(const OfferedOptions& options,
                                        Fractions legal = Fractions::below_saturation);

/// Of the search for the saturation load.
[[nodiscard]] inline Accepted<numeric::Rational> search_precision() {
  return share().by_default("1%").such_that(answers::is_search_precision, "from 0.05% to 50%");
}

/// --percentiles, --saturation and --precision
struct LatencyOptions {
  const LoadWords& words;
  OptionTable rows{};
  OptionGroup results{rows, "Results"};
  Numbers percentiles{results, "--percentiles", "LIST", cli::percentiles().by_default("50,99"),
                      "percentiles in percent, 99.9, or fractions below 1.\nOf latency; 0.999 is 99.9 %, but "
                      "1 is 1 % (default {})"};
  Flag saturation{results, "--saturation",
                  fmt::format("search the saturation {} in place of latencies", words.name)};
  Number precision{results, "--precision", "P", search_precision(),
                   "relative precision of --saturation (default {})"};
};

/// \throws InvalidArgument  options that do not apply to the search
void reject_with_saturation(const OfferedOptions& offered, const SimulationOptions& run,
                            const LatencyOptions& latency);

/// From --precision, --replications and --seed.  \throws InvalidArgument  a number out of range
[[nodiscard]] answers::SaturationLength read_saturation_length(const SimulationOptions& run,
                                                               const Number& precision);

// --- ends: --injection and --ejection

/// Networks with broadcasts have everything except channels.
template <class End>
[[nodiscard]] Meanings<End> ends_of(bool with_broadcasts) {
  Meanings<End> ends = meanings_of<End>();
  if (with_broadcasts) std::erase_if(ends, [](const auto& end) { return end.first == "channels"; });
  return ends;
}

struct WormEndsOptions {
  OptionTable& rows;
  bool broadcasts;  ///< a network of broadcasts: always with ports, and unlimited ejection by default
  OptionGroup network{rows, "Network"};
  List<network::Injection> injection{
      network, "--injection", "NAME", names(ends_of<network::Injection>(broadcasts)),
      broadcasts ? "one channel per node, or ports: one per link.\nDefault ports where ejection is "
                   "unlimited, else one"
                 : "injection: one, channels or ports.\none: a channel per node; channels: as many virtual "
                   "channels as a link has; ports (hypercube): one per link. Default ports where ejection is "
                   "unlimited, else one"};
  List<network::Ejection> ejection{
      network, "--ejection", "NAME",
      names(ends_of<network::Ejection>(broadcasts)).by_default(broadcasts ? "unlimited" : "one"),
      broadcasts ? "ejection: {names} (default {}).\none: a channel per node; unlimited: packets leave by "
                   "all links at once"
                 : "ejection: one, channels or unlimited (default {}).\none: a channel per node; channels: "
                   "as many virtual channels as a link has; unlimited: packets leave by all links at once, "
                   "not in a fat-tree"};
};

/// One for each combination. The default injection is by ports if the ejection is unlimited, otherwise one.
/// \param ports  has the network ports?
/// \throws InvalidArgument  an unknown name
[[nodiscard]] std::vector<network::WormEnds> read_worm_ends(const WormEndsOptions& options, bool ports);

}  // namespace tailbound::cli
