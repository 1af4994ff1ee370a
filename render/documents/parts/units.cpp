#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/documents/parts/units.hpp>

namespace tailbound::render {

UnitScale scale_of(const answers::Units& units) {
  UnitScale scale{.bytes_of_packet = {}, .ns_of_slot = units.slot_ns()};
  if (units.packet_bytes) scale.bytes_of_packet = numeric::Rational(static_cast<long>(*units.packet_bytes));
  return scale;
}

std::vector<Column> unit_columns() {
  return {{"packet_bytes", "packet", "", Shape::whole, "size of a packet [bytes]", Style::hidden},
          {"link_gbps", "link", "", Shape::given, "rate of a link [Gbit/s]", Style::hidden}};
}

Column hop_column() {
  return {"hop_ns", "hop", "", Shape::given,
          "what each queue passed adds to latencies in ns: wires and pipelines [ns]"};
}

std::string hop_in_words(const numeric::Rational& hop_ns) {
  return numeric::plain(hop_ns) + " ns for each queue passed (wires and pipelines)";
}

Cells unit_cells(const answers::Units& units) {
  Cells cells;
  if (units.packet_bytes) cells.push_back({"packet_bytes", Whole{*units.packet_bytes}});
  if (units.link_gbps) cells.push_back({"link_gbps", Given{*units.link_gbps}});
  return cells;
}

}  // namespace tailbound::render
