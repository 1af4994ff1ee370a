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

/// CLN keeps one string for the life of the process, which would count as a leak at the end. Leaks of a
/// single run are still found: libFuzzer looks for them after each.
extern "C" __attribute__((used)) const char* __asan_default_options() {
  return "leak_check_at_exit=0";
}
