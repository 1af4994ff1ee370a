#include <fmt/format.h>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/units.hpp>

#include <algorithm>

namespace tailbound::render {

std::vector<Column> merged(std::vector<Column> first, const std::vector<Column>& more) {
  auto ahead = first.end();
  for (auto next = more.rbegin(); next != more.rend(); ++next) {
    const auto same =
        std::find_if(first.begin(), first.end(), [&](const Column& one) { return one.key == next->key; });
    ahead = same != first.end() ? same : first.insert(ahead, *next);
  }
  return first;
}

UnitScale scale_of(const answers::Units& units) {
  UnitScale scale{.bytes_of_packet = {}, .ns_of_slot = units.slot_ns()};
  if (units.packet_bytes) scale.bytes_of_packet = numeric::Rational(static_cast<long>(*units.packet_bytes));
  return scale;
}

std::string size_in_words(Packets buffer, const std::optional<std::int64_t>& bytes) {
  if (!bytes) return "";
  return fmt::format(" ({:.6g} KiB)", static_cast<double>(buffer.value) * static_cast<double>(*bytes) / 1024);
}

const Fields<answers::Units>& unit_fields() {
  using answers::Units;
  static const Fields<Units> fields{
      {{"packet_bytes", "packet", "", Shape::whole, "size of a packet [bytes]", Style::hidden},
       &Units::packet_bytes,
       if_present},
      {{"link_gbps", "link", "", Shape::given, "rate of a link [Gbit/s]", Style::hidden},
       &Units::link_gbps,
       if_present}};
  return fields;
}

Value time_in_slots(Slots steps, std::int64_t per_slot) {
  if (per_slot == 1) return shown(steps);
  return Given{numeric::Rational(steps.value) / per_slot};
}

Column hop_column() {
  return {"hop_ns", "hop", "", Shape::given,
          "propagation and pipeline latency per hop, added to latencies in ns [ns]"};
}

std::string hop_in_words(const numeric::Rational& hop_ns) {
  return numeric::plain(hop_ns) + " ns per hop (propagation and pipeline)";
}

}  // namespace tailbound::render
