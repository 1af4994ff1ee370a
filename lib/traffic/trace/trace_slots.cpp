#include <tailbound/core/error.hpp>
#include <tailbound/traffic/trace/trace_slots.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tailbound::traffic {

namespace {

constexpr std::size_t max_inputs_listed = 4096;

}  // namespace

double TraceStamps::load_of_bytes(const TraceSlotting& slotting) const {
  const double slots = static_cast<double>(last - first) / slotting.slot_ns + 1;
  return static_cast<double>(bytes) / static_cast<double>(slotting.cell_bytes) / slots;
}

TraceSlots::TraceSlots(const TraceSlotting& slotting, std::function<void(std::int64_t, std::int64_t)> take)
    : slotting_(slotting), take_(std::move(take)) {}

void TraceSlots::packet(const TracePacket& packet, const std::string& name) {
  if (stamps_.packets == 0) stamps_.first = packet.time;
  if (stamps_.packets > 0 && packet.time < stamps_.last)
    throw ParseError(name, 0, 0,
                     "the time of packet " + std::to_string(stamps_.packets + 1) + " is " +
                         std::to_string(stamps_.last - packet.time) +
                         " ns before that of the previous packet; a trace must be sorted by time");
  if (stamps_.packets == 0 || packet.time != stamps_.last) ++stamps_.distinct;
  const std::int64_t since = packet.time - stamps_.last;
  if (stamps_.packets > 0 && since != 0 && (stamps_.resolution == 0 || since % stamps_.resolution != 0))
    stamps_.resolution = std::gcd(stamps_.resolution, since);
  ++stamps_.packets;
  stamps_.bytes += static_cast<std::uint64_t>(packet.bytes);
  stamps_.last = packet.time;
  if (packet.input >= 0 && stamps_.inputs.size() < max_inputs_listed) stamps_.inputs.insert(packet.input);
  const auto slot =
      static_cast<std::int64_t>(static_cast<double>(packet.time - stamps_.first) / slotting_.slot_ns);
  const std::int64_t cells = (packet.bytes + slotting_.cell_bytes - 1) / slotting_.cell_bytes;
  pass(slot);
  if (slotting_.arrival == TraceArrival::whole) {
    coming_[slot] += cells;
    return;
  }
  // Without input names a packet is sent at once: how inputs share links is not known.
  std::int64_t from = slot;
  if (packet.input >= 0) {
    std::int64_t& until = busy_until_[packet.input];
    from = std::max(from, until);
    until = from + cells;
  }
  for (std::int64_t i = 0; i < cells; ++i) ++coming_[from + i];
}

void TraceSlots::pass(std::int64_t slot) {
  while (!coming_.empty() && coming_.begin()->first < slot) {
    const auto [at, cells] = *coming_.begin();
    coming_.erase(coming_.begin());
    last_slot_ = at;
    take_(at, cells);
  }
}

void TraceSlots::finish() {
  if (!coming_.empty()) pass(coming_.rbegin()->first + 1);
}

}  // namespace tailbound::traffic
