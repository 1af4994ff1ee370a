#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Shared by the fuzz targets.
namespace tailbound::fuzz {

/// The fuzzer's bytes as text.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Do its ranges, "h[0..618]", make thousands of names? They are legal up to 200 000, but take seconds and
/// find nothing that a few names do not.
inline bool names_many(std::string_view text) {
  double names = 1;
  for (std::size_t at = text.find(".."); at != std::string_view::npos; at = text.find("..", at + 2)) {
    unsigned last = 0;
    const char* digits = text.data() + at + 2;
    const auto [end, error] = std::from_chars(digits, text.data() + text.size(), last);
    if (end != digits) names *= error == std::errc() ? 1.0 + last : 1e9;
  }
  return names > 1e4;
}

/// A broken invariant ends the run as a finding.
inline void require(bool promise) {
  if (!promise) std::abort();
}

}  // namespace tailbound::fuzz

/// CLN keeps one string for the lifetime of the process, which would be reported as a leak at the end. Leaks
/// of a single run are still found: libFuzzer checks for them after each.
extern "C" __attribute__((used)) const char* __asan_default_options() {
  return "leak_check_at_exit=0";
}
