#pragma once

#include <cli/option_table.hpp>
#include <tailbound/answers/wormhole.hpp>

#include <optional>
#include <string>
#include <vector>

/// How messages enter and leave a wormhole network: --injection and --ejection, the same for every command.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct WormEndsOptions {
  std::optional<std::string> injection, ejection;
};

/// \param usual    the ejection unless told
/// \param every    do all networks of the command have ports?
/// `options` must outlive the parse.
void add_worm_ends_options(OptionTable& table, WormEndsOptions& options, network::Ejection usual, bool every);

/// One for each combination. Where it is not told, the injection is by ports if the ejection is unlimited, else one.
/// \param ports  has the network ports?
/// \throws InvalidArgument  none of the names
[[nodiscard]] std::vector<network::WormEnds> read_worm_ends(const WormEndsOptions& options,
                                                            network::Ejection usual, bool ports);

}  // namespace tailbound::cli
