#include <cli/traffic_options.hpp>
#include <cli/unit_options.hpp>
#include <tailbound/core/error.hpp>

namespace tailbound::cli {

using numeric::Rational;

void add_unit_options(OptionTable& table, UnitOptions& options) {
  const OptionGroup units(table, "Units");
  units.add("--packet-bytes", options.packet_bytes, "N", "size of a packet: shows buffers in bytes");
  units.add("--link-gbps", options.link_gbps, "G", "rate of the link: shows times in ns");
}

answers::Units read_units(const UnitOptions& options) {
  answers::Units units;
  if (options.packet_bytes)
    units.packet_bytes =
        parse_integer(*options.packet_bytes, "--packet-bytes", 1, answers::Units::most_packet_bytes);
  if (options.link_gbps) {
    const Rational gbps = numeric::parse_rational(*options.link_gbps, "--link-gbps");
    if (gbps <= 0 || gbps > Rational(static_cast<long>(answers::Units::most_link_gbps)))
      throw InvalidArgument("--link-gbps", *options.link_gbps, "greater than 0 and at most 1000000 Gbit/s");
    if (!units.packet_bytes)
      throw InvalidArgument("--packet-bytes", "missing",
                            "given with --link-gbps: the size of a packet, such as 64");
    units.link_gbps = gbps;
  }
  return units;
}

}  // namespace tailbound::cli
