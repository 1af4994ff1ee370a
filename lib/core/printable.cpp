#include <tailbound/core/printable.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace tailbound {
namespace {

/// A character at the beginning of a text: its code and number of bytes; an invalid byte has no code.
struct Decoded {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Decoded decoded(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t minimum[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < minimum[bytes] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, bytes, true};
}

bool does_something(std::uint32_t code, LineEnds ends) {
  if (code == '\n') return ends == LineEnds::shown;
  if (code == '\t') return false;
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C ||
         (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

bool is_plain(char c) {
  return c >= ' ' && c < '\x7F';
}

}  // namespace

std::string printable(std::string_view text, LineEnds ends) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    shown += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Decoded next = decoded(text);
    if (!next.valid) {
      shown += "\uFFFD";
    } else if (does_something(next.code, ends)) {
      std::array<char, 12> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(next.code));
      shown += escape.data();
    } else {
      shown += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return shown;
}

}  // namespace tailbound
