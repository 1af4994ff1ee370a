#pragma once

#include <cli/command.hpp>
#include <cli/delay_question.hpp>
#include <tailbound/answers/fabric.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace tailbound::cli {

/// A list of pairs may be as long [bytes].
inline constexpr std::size_t largest_matrix = std::size_t{4} << 30;

/// The networks of --network of so many pairs that send that each is answered as a whole (answers::read_fabrics());
/// none of another.  \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] std::vector<answers::FabricTopology> read_fabrics(const TopologyOptions& options);

/// What `delay` answers of a network of so many pairs that send that it is answered as a whole
/// (answers::read_fabrics()); none of another.
/// \throws InvalidArgument  also for options that it has no use for
[[nodiscard]] std::optional<Reply> reply_to_fabric(const DelayOptions& options, const Context& context);

}  // namespace tailbound::cli
