/// traffic::TraceCsvReader on any bytes, in chunks: packets within their ranges, the same for any chunks, or
/// ParseError; arrivals are counted in slots.
#include <tailbound/core/error.hpp>
#include <tailbound/traffic/trace/trace_csv.hpp>
#include <tailbound/traffic/trace/trace_order.hpp>
#include <tailbound/traffic/trace/trace_slots.hpp>
#include <tailbound/traffic/trace/trace_statistics.hpp>
#include <tailbound/traffic/trace/traffic_file.hpp>

#include <string>
#include <vector>

#include "text_of.hpp"

using namespace tailbound;

namespace {

struct Read {
  std::vector<traffic::TracePacket> packets;
  std::string error;
};

Read read(std::string_view text, std::size_t piece) {
  Read result;
  traffic::TraceCsvReader reader("fuzz", traffic::TimeUnit::us, [&](const traffic::TracePacket& packet) {
    result.packets.push_back(packet);
  });
  try {
    for (std::size_t at = 0; at < text.size(); at += piece) reader.take(text.substr(at, piece));
    reader.finish();
  } catch (const ParseError& error) {
    result.error = error.what();
    fuzz::require(result.error.size() < 400);
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const Read whole = read(text, size + 1), pieces = read(text, 3);
  fuzz::require(whole.packets.size() == pieces.packets.size() && whole.error == pieces.error);
  traffic::TraceStatistics statistics({1, 100});
  traffic::TraceSlots slots(
      {512, 64, size % 2 == 0 ? traffic::TraceArrival::whole : traffic::TraceArrival::cells},
      [&](std::int64_t slot, std::int64_t cells) {
        fuzz::require(cells > 0);
        statistics.slot(slot, cells);
      });
  traffic::TraceSpacing spacing(
      1, [&](const traffic::TracePacket& packet) { slots.packet(packet, "fuzz"); }, 8);
  traffic::TraceOrder order([&](const traffic::TracePacket& packet) { spacing.packet(packet); }, 8);
  std::int64_t bytes = 0;
  try {
    for (const traffic::TracePacket& packet : whole.packets) {
      fuzz::require(packet.time >= 0 && packet.bytes > 0 && packet.input >= -1);
      if ((bytes += packet.bytes) > 1'000'000) break;  // cells one by one
      order.packet(packet, "fuzz");
    }
    if (order.packets() == 0) return 0;
    order.finish();
    spacing.finish();
    slots.finish();
    statistics.finish(slots.slots());
    for (const auto& tail : statistics.tails({0, 1, 10}))
      fuzz::require(tail.probability >= 0 && tail.probability <= 1);
  } catch (const ParseError&) {
  } catch (const NoAnswer&) {
  }
  try {
    const traffic::TrafficFile file = traffic::parse_traffic_file(text, "fuzz");
    fuzz::require(traffic::to_json(traffic::parse_traffic_file(traffic::to_json(file), "written")) ==
                  traffic::to_json(file));
  } catch (const ParseError&) {
  }
  return 0;
}
