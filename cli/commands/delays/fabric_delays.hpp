#pragma once

#include <cli/command.hpp>
#include <cli/commands/delays/delay_question.hpp>
#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/answers/validation/validate_delay.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailbound::cli {

/// Reads the traffic that a network file names, as answers::ReadNamed: up to 4 GiB.
void read_named(const std::string& path, const std::function<void(std::string_view bytes)>& take);

/// The networks of --network where it is answered as a whole (answers::read_fabrics()); none of another.
/// \param room  whether the room of queues is asked for
/// \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] std::vector<answers::FabricTopology> read_fabrics(const TopologyOptions& options,
                                                                bool room = false);

/// What such a network is as a place to simulate.
[[nodiscard]] answers::NetworkTopology place_of(const answers::FabricTopology& topology);

/// \throws InvalidArgument  --sources, --delay or --hops as no such network is answered
void require_fabric_model(const DelayModelOptions& model);

/// What `validate delay` asks of a network that is answered as a whole, with what `asked` says of the rest; nothing of
/// another.  \throws InvalidArgument  also for options that it has no use for
[[nodiscard]] std::vector<answers::ValidateDelayQuestion> read_fabric_validations(
    const TopologyOptions& topology, const DelayModelOptions& model,
    const answers::ValidateDelayQuestion& asked);

/// What `delay` answers of a network that is answered as a whole; none of another.
/// \throws InvalidArgument  also for options that it has no use for
[[nodiscard]] std::optional<Reply> reply_to_fabric(const DelayOptions& options, const Context& context);

}  // namespace tailbound::cli
