#pragma once

#include <tailbound/traffic/trace/trace_packet.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

/// Traces as text, read in pieces: whole files need not be in memory.
///
/// MODEL     one packet per line, numbers separated by commas, semicolons or tabs. The first line may name
///           the columns: time, bytes and optionally input; other columns are ignored. Without names they are
///           time, bytes[, input]. # begins a comment. Times are decimal numbers in a unit, with nanosecond
///           resolution.
/// TESTS     tests/traffic/trace_test.cpp, tests/fuzz/fuzz_trace.cpp
namespace tailbound::traffic {

enum class TimeUnit { s, ms, us, ns };
[[nodiscard]] constexpr auto names_of(TimeUnit) {
  return std::array{"s", "ms", "us", "ns"};
}

class TraceCsvReader {
 public:
  /// \param name  of the file, for messages
  TraceCsvReader(std::string name, TimeUnit unit, TakePacket take);

  /// The next bytes of the file.
  /// \throws ParseError  with the line: wrong columns, a time or size that is not a number, below 0 or beyond
  ///                     2^62 ns, a line of more than 4096 bytes
  void take(std::string_view bytes);
  /// Ends the file.  \throws ParseError  as take(); no packet in the file
  void finish();

 private:
  void line(std::string_view text);
  void columns_of(std::string_view text);
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_, rest_;
  TimeUnit unit_;
  TakePacket take_;
  std::size_t line_ = 0, packets_ = 0;
  int time_ = -1, bytes_ = -1, input_ = -1, columns_ = 0;  ///< column indices
};

}  // namespace tailbound::traffic
