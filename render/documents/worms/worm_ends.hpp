#pragma once

#include <tailbound/network/channels/worm_ends.hpp>
#include <tailbound/render/fields.hpp>

#include <string>

/// How messages enter and leave a wormhole network; common to all commands.
namespace tailbound::render {

[[nodiscard]] const Fields<network::WormEnds>& worm_ends_fields();

/// "injection ports, ejection unlimited"
[[nodiscard]] std::string in_words(const network::WormEnds& ends);

}  // namespace tailbound::render
