#pragma once

#include <cli/loads.hpp>
#include <cli/option_table.hpp>
#include <cli/worm_ends_options.hpp>
#include <tailbound/answers/broadcast.hpp>

#include <optional>
#include <string>
#include <vector>

/// The options of a command on broadcasts in hypercubes.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct BroadcastOptions {
  std::optional<std::string> dimensions, virtual_channels, flits, broadcast, startup, rates, fractions;
  WormEndsOptions ends;
};

/// How far a command goes: the model, unless told.
struct BroadcastLimits {
  network::HypercubeLimits sizes = network::modelled_hypercubes;
  bool whole_cycles = false;  ///< start-up times
  Fractions fractions = Fractions::below_saturation;
};

/// --dimensions --virtual-channels --injection --ejection --flits --broadcast --startup --rates --fractions, all of
/// them lists.
/// `options` must outlive the parse.
void add_broadcast_options(OptionTable& table, BroadcastOptions& options, const BroadcastLimits& limits = {});

/// One for each combination of all but --rates and --fractions.  \throws InvalidArgument
[[nodiscard]] std::vector<answers::BroadcastHypercube> read_hypercubes(const BroadcastOptions& options,
                                                                       const BroadcastLimits& limits = {});
/// --rates or --fractions.  \throws InvalidArgument
[[nodiscard]] OfferedLoads read_rates(const BroadcastOptions& options, const BroadcastLimits& limits = {});

/// --replication, a list.
void add_replication_option(OptionTable& table, std::optional<std::string>& replication);
/// \throws InvalidArgument  none of the names
[[nodiscard]] std::vector<answers::Replication> read_replications(const std::optional<std::string>& text);

}  // namespace tailbound::cli
