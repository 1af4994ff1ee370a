#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// What the fuzz targets share.
namespace tailbound::fuzz {

/// The fuzzer's bytes as text.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A broken promise ends the run, as a finding.
inline void require(bool promise) {
  if (!promise) std::abort();
}

}  // namespace tailbound::fuzz
