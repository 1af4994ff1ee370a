#pragma once

#include <tailbound/core/error.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Conversion between numbers and bytes, for checkpoints and messages between processes. Little-endian
/// machines only.
namespace tailbound::run {

static_assert(std::endian::native == std::endian::little);

template <class T>
concept Number = std::is_arithmetic_v<T>;

class ByteWriter {
 public:
  template <Number T>
  void put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <Number T>
  void put(const std::vector<T>& values) {
    put<std::uint64_t>(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void put(std::string_view text) {
    put<std::uint64_t>(text.size());
    bytes_.append(text);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// \throws ParseError  from every function: the bytes end too early
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <Number T>
  [[nodiscard]] T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  template <Number T>
  [[nodiscard]] std::vector<T> get_vector() {
    const auto size = get<std::uint64_t>();
    if (size > bytes_.size() / sizeof(T)) fail();
    std::vector<T> values(size);
    const std::string_view raw = take(size * sizeof(T));
    if (!raw.empty()) std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }
  [[nodiscard]] std::string get_text() { return std::string(take(get<std::uint64_t>())); }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }
  [[noreturn]] static void fail() {
    throw ParseError("checkpoint", 0, 0, "its content does not match the simulation");
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) fail();
    const std::string_view head = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return head;
  }
  std::string_view bytes_;
};

}  // namespace tailbound::run
