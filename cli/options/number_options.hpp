#pragma once

#include <cli/options/options.hpp>
#include <tailbound/answers/buffer/buffer.hpp>
#include <tailbound/answers/traffic.hpp>
#include <tailbound/answers/units.hpp>

#include <optional>
#include <string>
#include <vector>

/// Options for the accuracy and the units of numbers, common to all commands.
namespace tailbound::cli {

/// As typed; empty if not given.
struct AccuracyOptions {
  std::optional<std::string> arithmetic, digits;
};
struct UnitOptions {
  std::optional<std::string> link_gbps, packet_bytes;
};

/// --arithmetic and --digits
void add_accuracy_options(OptionTable& table, AccuracyOptions& options);
/// \throws InvalidArgument
[[nodiscard]] queue::Accuracy read_accuracy(const AccuracyOptions& options);

/// Of --criterion, default overflow.  \throws InvalidArgument
[[nodiscard]] std::vector<bounds::Criterion> read_criteria(const std::optional<std::string>& text);

/// A target: greater than 0 and less than 1.  \throws InvalidArgument
[[nodiscard]] numeric::Rational read_target(const std::string& text, const char* option);

/// --packet-bytes and --link-gbps: the packet size in bytes and the slot time in nanoseconds
void add_unit_options(OptionTable& table, UnitOptions& options);
/// \throws InvalidArgument  out of range, or --link-gbps without --packet-bytes
[[nodiscard]] answers::Units read_units(const UnitOptions& options);

}  // namespace tailbound::cli
