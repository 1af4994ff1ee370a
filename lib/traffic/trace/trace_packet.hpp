#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <functional>

/// Packets as observed on the link.
namespace tailbound::traffic {

struct TracePacket {
  numeric::Rational time = 0;  ///< of its first bit [ns], exactly as in the trace
  std::int64_t bytes = 0;      ///< above 0
  std::int64_t input = -1;     ///< if the trace gives it, at least 0
  /// Maximum distance of a time that the trace prints from a double; 0 for decimals [ns].
  numeric::Rational rounding = 0;
};

using TakePacket = std::function<void(const TracePacket&)>;

}  // namespace tailbound::traffic
