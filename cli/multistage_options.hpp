#pragma once

#include <cli/option_table.hpp>
#include <tailbound/render/documents/combining.hpp>

#include <optional>
#include <string>
#include <vector>

/// What every command on combining multistage networks asks.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct MultistageOptions {
  std::optional<std::string> nodes, size, buffer, hot, combining, service, loads, curve;
};

/// --nodes --switch --buffer --hot --combining --service --loads, and --curve of --plot. `options` must outlive
/// the parse.
void add_multistage_options(OptionTable& table, MultistageOptions& options);

/// One point for each combination of what was given as lists, the loads changing fastest.
/// \throws InvalidArgument  an option is missing or out of range
[[nodiscard]] std::vector<render::CombiningPoint> read_multistage(const MultistageOptions& options);

/// delay unless told otherwise.  \throws InvalidArgument
[[nodiscard]] render::MultistageCurve read_curve(const MultistageOptions& options);

}  // namespace tailbound::cli
