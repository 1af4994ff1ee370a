#pragma once

#include <cstdint>
#include <string_view>

namespace tailbound::run {

/// CRC-64 of ECMA-182, reflected ("XZ"): detects all errors of up to 64 consecutive bits.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

}  // namespace tailbound::run
