#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json_fwd.hpp>
#include <tailbound/answers/units.hpp>

#include <optional>
#include <string>

/// --link-gbps and --packet-bytes: what a packet is in bytes and a slot in nanoseconds.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct UnitOptions {
  std::optional<std::string> link_gbps, packet_bytes;
};

/// With the time of a slot at hand.
struct Units : answers::Units {
  std::optional<numeric::Rational> slot_ns{};  ///< answers::Units::slot_ns()
};

/// `options` must outlive the parse.
void add_unit_options(CLI::App& command, UnitOptions& options);

/// \throws InvalidArgument  out of range, or --link-gbps without --packet-bytes
[[nodiscard]] Units read_units(const UnitOptions& options);

/// Adds "packet_bytes" and "link_gbps" to the inputs of a JSON document, where they were given.
void describe_units(nlohmann::ordered_json& inputs, const answers::Units& units);
void describe_units(nlohmann::ordered_json& inputs, const UnitOptions& options);

}  // namespace tailbound::cli
