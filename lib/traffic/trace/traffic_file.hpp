#pragma once

#include <tailbound/traffic/on_off.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A fitted model as a file (JSON), for commands that use its traffic.
///
/// TESTS     tests/answers/trace/fit_trace_test.cpp
namespace tailbound::traffic {

struct TrafficFile {
  struct Sources {
    std::int64_t count = 1;  ///< 1 .. 1 048 576
    OnOff source;
  };

  std::string trace;  ///< file
  double slot_ns = 0;
  std::int64_t cell_bytes = 64;
  bool trusted = false;
  std::optional<Sources> sources{};
  /// Without sources: [j] the slots with j cells, and all slots.
  std::vector<std::uint64_t> counts{};
  std::int64_t slots = 0;
};

[[nodiscard]] std::string to_json(const TrafficFile& file);

/// All slots, those without cells included.
[[nodiscard]] std::int64_t sum_of(const std::vector<std::uint64_t>& counts);

/// \param name  of the file, for messages
/// \throws ParseError  not in the format of to_json(); TrafficFile::counts need not sum to its slots
[[nodiscard]] TrafficFile parse_traffic_file(std::string_view text, const std::string& name);

}  // namespace tailbound::traffic
