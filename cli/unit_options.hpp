#pragma once

#include <cli/option_table.hpp>
#include <tailbound/answers/units.hpp>

#include <optional>
#include <string>

/// --link-gbps and --packet-bytes: what a packet is in bytes and a slot in nanoseconds.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct UnitOptions {
  std::optional<std::string> link_gbps, packet_bytes;
};

/// `options` must outlive the parse.
void add_unit_options(OptionTable& table, UnitOptions& options);

/// \throws InvalidArgument  out of range, or --link-gbps without --packet-bytes
[[nodiscard]] answers::Units read_units(const UnitOptions& options);

}  // namespace tailbound::cli
