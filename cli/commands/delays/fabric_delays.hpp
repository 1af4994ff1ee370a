#pragma once

#include <cli/command.hpp>
#include <cli/commands/delays/delay_query.hpp>
#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/answers/validation/validate_delay.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailbound::cli {

/// Reads the traffic file named in a network file, as answers::ReadNamed: up to 4 GiB.
void read_named(const std::string& path, const std::function<void(std::string_view bytes)>& take);

/// The networks of --network if it is treated as a fabric (answers::read_fabrics()); otherwise none.
/// \param with_buffers  whether buffer sizes are requested
/// \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] std::vector<answers::FabricTopology> read_fabrics(const TopologyOptions& options,
                                                                bool with_buffers = false);

/// Such a network as a topology for simulation.
[[nodiscard]] answers::NetworkTopology place_of(const answers::FabricTopology& topology);

/// \throws InvalidArgument  --hops that is not supported for fabrics
void require_fabric_model(const DelayModelOptions& model);

/// The queries of `validate delay` for a fabric, with the remaining settings from `asked`; none for another
/// network.
/// \throws InvalidArgument  also for options that do not apply
[[nodiscard]] std::vector<answers::ValidateDelayQuery> read_fabric_validations(
    const TopologyOptions& topology, const DelayModelOptions& model,
    const answers::ValidateDelayQuery& requested);

/// The reply of `delay` for a fabric; none for another network.
/// \throws InvalidArgument  also for options that do not apply
[[nodiscard]] std::optional<Reply> reply_to_fabric(const DelayOptions& options, const Context& context);

}  // namespace tailbound::cli
