#pragma once

#include <cli/option_table.hpp>
#include <tailbound/answers/traffic.hpp>

#include <optional>
#include <string>
#include <vector>

/// The options that say how the packets of a source bunch.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct BurstOptions {
  std::optional<std::string> traffic, burst, on_rate, destination;
};

/// --traffic --burst --on-rate --destination, in the group of that name. `options` must outlive the parse.
void add_burst_options(OptionTable& table, BurstOptions& options, const std::string& group);

/// The bursts of a source of this load: for each combination of the entries of --burst and --on-rate, the last
/// changing fastest; one none without --burst.
/// \throws InvalidArgument  naming the option: --on-rate or --traffic onoff without --burst, --traffic
///                          bernoulli with it, a load, burst and on-rate that do not go together
[[nodiscard]] std::vector<std::optional<traffic::Burst>> read_bursts(const BurstOptions& options,
                                                                     const numeric::Rational& load);

/// Of --destination; one for each entry of the list, per burst unless told.
/// \throws InvalidArgument  none of the names; --destination without bursts
[[nodiscard]] std::vector<traffic::Destination> read_destinations(
    const std::optional<std::string>& destination, bool bursts);

}  // namespace tailbound::cli
