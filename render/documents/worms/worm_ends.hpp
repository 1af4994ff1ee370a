#pragma once

#include <tailbound/network/channels/worm_ends.hpp>
#include <tailbound/render/document.hpp>

#include <string>
#include <vector>

/// How messages enter and leave a wormhole network, shown the same by every command.
namespace tailbound::render {

/// "injection" and "ejection"
[[nodiscard]] std::vector<Column> worm_ends_columns();
[[nodiscard]] Cells worm_ends_cells(const network::WormEnds& ends);

/// "injection ports, ejection unlimited"
[[nodiscard]] std::string in_words(const network::WormEnds& ends);

}  // namespace tailbound::render
