#pragma once

#include <tailbound/traffic/trace/trace_packet.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Traces as text, read in pieces: whole files need not be in memory.
///
/// MODEL     one packet per line, numbers separated by commas, semicolons or tabs. The first line may name
///           the columns: time, bytes and optionally input; other columns are ignored. Without names they are
///           time, bytes[, input]. # begins a comment. Numbers are those of numeric::parse_rational(), with a
///           decimal comma where commas do not separate columns. Times are in a unit, and exact.
///           Times of more than 15 digits may be printed doubles (numpy, Python): then 512 ns is printed as
///           5.119999999999999e-07. The first lines decide that for the whole file (double_times()), and a
///           time just below the beginning of a slot counts as the beginning (TracePacket::rounding).
/// TESTS     tests/traffic/trace_test.cpp, tests/fuzz/fuzz_trace.cpp
namespace tailbound::traffic {

enum class TimeUnit { s, ms, us, ns };
[[nodiscard]] constexpr auto names_of(TimeUnit) {
  return std::array{"s", "ms", "us", "ns"};
}

/// A time as written.
struct WrittenTime {
  numeric::Rational value = 0;
  int digits = 0;    ///< significant ones
  int decimals = 0;  ///< after the point; -1 with an exponent
};

/// Are the times of a trace printed doubles? So if all times of 16 digits or more are, unless all have the
/// same
/// number of decimals and at most 16 digits: those are the decimals of a clock.
[[nodiscard]] bool double_times(const std::vector<WrittenTime>& times);

class TraceCsvReader {
 public:
  /// \param name  of the file, for messages
  TraceCsvReader(std::string name, TimeUnit unit, TakePacket take);

  /// The next bytes of the file.
  /// \throws ParseError  with the line: wrong columns, a time or size that is not a number, below 0 or beyond
  ///                     2^62 ns, a line of more than 4096 bytes, a time of more than 200 characters
  void take(std::string_view bytes);
  /// Ends the file.  \throws ParseError  as take(); no packet in the file
  void finish();

 private:
  void line(std::string_view text);
  /// Does the line name them?
  bool columns_of(std::string_view text);
  void pass_on();
  [[noreturn]] void fail(const std::string& what) const;

  std::string name_, rest_;
  TimeUnit unit_;
  TakePacket take_;
  std::size_t line_ = 0, packets_ = 0;
  int time_ = -1, bytes_ = -1, input_ = -1, columns_ = 0;  ///< column indices
  char separator_ = ',';
  std::vector<WrittenTime> times_;    ///< of the packets that wait
  std::vector<TracePacket> waiting_;  ///< until it is known whether times are doubles
  std::optional<bool> doubles_{};
};

}  // namespace tailbound::traffic
