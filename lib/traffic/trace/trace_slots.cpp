#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/traffic/trace/trace_slots.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::traffic {
using numeric::Rational;

namespace {

constexpr std::size_t max_inputs_listed = 4096;
constexpr int max_slot_bits = 60;
/// A slot over this is the maximum rounding of a time.
constexpr long parts_of_slot = 1024;

}  // namespace

TraceSlots::TraceSlots(const TraceSlotting& slotting, std::function<void(std::int64_t, std::int64_t)> take)
    : slotting_(slotting),
      take_(std::move(take)),
      bytes_per_ns_(static_cast<double>(slotting.cell_bytes) / numeric::nearest_double(slotting.slot_ns)) {}

Rational TraceSlots::rounding_of(const TracePacket& packet) const {
  if (packet.rounding == 0) return 0;
  return std::min(packet.rounding, Rational(slotting_.slot_ns / parts_of_slot));
}

std::int64_t TraceSlots::slot_of(const TracePacket& packet, const std::string& name) const {
  const Rational since = packet.arrival() - origin_ + rounding_of(packet);
  const numeric::Integer slot =
      numeric::floor(numeric::numerator(since) * numeric::denominator(slotting_.slot_ns),
                     numeric::denominator(since) * numeric::numerator(slotting_.slot_ns));
  if (numeric::bit_length(slot) > max_slot_bits)
    throw ParseError(name, 0, 0,
                     "packet " + std::to_string(stamps_.packets) +
                         " comes more than 2^60 slots after the first one; are its times in another unit?");
  return numeric::to_int64(slot);
}

/// The greatest common divisor of all distances; a remainder within the rounding of the times is none.
void TraceSlots::note_resolution(const TracePacket& packet) {
  Rational left = stamps_.resolution, right = packet.time - stamps_.last;
  if (right < 0) right = -right;
  if (left != 0 && packet.rounding == 0) {
    // Exact, and usually a multiple of what is known.
    const Rational ratio = right / left;
    if (numeric::is_integer(ratio)) return;
  }
  const Rational none = 2 * rounding_of(packet);
  while (right > none) {
    const Rational rest = left - numeric::floor(left / right) * right;
    left = right;
    right = std::min(rest, Rational(left - rest));
  }
  stamps_.resolution = left;
}

/// The queue in bytes and continuous time, which does not depend on cells.
void TraceSlots::add_to_backlog(const TracePacket& packet) {
  const Rational arrival = packet.arrival();
  const double since = numeric::nearest_double(Rational(arrival - last_arrival_));
  backlog_ = std::max(backlog_ - since * bytes_per_ns_, 0.0);
  max_wait_ = std::max(max_wait_, backlog_);
  backlog_ += static_cast<double>(packet.bytes);
  max_backlog_ = std::max(max_backlog_, backlog_);
  last_arrival_ = arrival;
}

void TraceSlots::packet(const TracePacket& packet, const std::string& name) {
  if (stamps_.packets == 0) {
    stamps_.first = packet.time;
    origin_ = last_arrival_ = packet.arrival();
  } else if (packet.time != stamps_.last) {
    note_resolution(packet);
  }
  ++stamps_.packets;
  stamps_.bytes += static_cast<std::uint64_t>(packet.bytes);
  stamps_.last = packet.time;
  add_to_backlog(packet);
  if (packet.input >= 0 && stamps_.inputs.size() < max_inputs_listed) stamps_.inputs.insert(packet.input);
  const std::int64_t slot = slot_of(packet, name);
  const std::int64_t missing = std::max<std::int64_t>(packet.bytes - unfilled_, 0);
  const std::int64_t cells = (missing + slotting_.cell_bytes - 1) / slotting_.cell_bytes;
  unfilled_ += cells * slotting_.cell_bytes - packet.bytes;
  pass(slot);
  if (cells == 0) return;
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
