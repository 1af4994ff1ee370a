#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json_fwd.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <optional>
#include <string>

/// --link-gbps and --packet-bytes: what a packet is in bytes and a slot in nanoseconds.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct UnitOptions {
  std::optional<std::string> link_gbps, packet_bytes;
};

struct Units {
  std::optional<std::int64_t> packet_bytes;
  std::optional<numeric::Rational> slot_ns;  ///< time of one packet on the link [ns]
};

/// `options` must outlive the parse.
void add_unit_options(CLI::App& command, UnitOptions& options);

/// \throws InvalidArgument  out of range, or --link-gbps without --packet-bytes
[[nodiscard]] Units read_units(const UnitOptions& options);

/// Adds "packet_bytes" and "link_gbps" to the inputs of a JSON document, where they were given.
void describe_units(nlohmann::ordered_json& inputs, const UnitOptions& options);

}  // namespace tailbound::cli
