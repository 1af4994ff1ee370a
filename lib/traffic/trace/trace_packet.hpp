#pragma once

#include <cstdint>
#include <functional>

/// Packets as observed on the link.
namespace tailbound::traffic {

struct TracePacket {
  std::int64_t time = 0;    ///< of its first bit [ns]
  std::int64_t bytes = 0;   ///< above 0
  std::int64_t input = -1;  ///< if the trace gives it, at least 0
};

using TakePacket = std::function<void(const TracePacket&)>;

}  // namespace tailbound::traffic
