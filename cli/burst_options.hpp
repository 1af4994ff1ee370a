#pragma once

#include <CLI/App.hpp>
#include <cli/formats.hpp>
#include <tailbound/traffic/on_off.hpp>

#include <optional>
#include <string>
#include <vector>

/// The options that say how the packets of a source bunch.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct BurstOptions {
  std::optional<std::string> traffic, burst, on_rate;
};

/// --traffic --burst --on-rate, in the group of that name. `options` must outlive the parse.
void add_burst_options(CLI::App& command, BurstOptions& options, const std::string& group);

/// The bursts of a source of this load, `load_text` as typed; none if no option asks for them.
/// \throws InvalidArgument  naming the option: --on-rate or --traffic onoff without --burst, --traffic
///                          bernoulli with it, a load, burst and on-rate that do not go together
[[nodiscard]] std::optional<traffic::Burst> read_burst(const BurstOptions& options,
                                                       const numeric::Rational& load,
                                                       const std::string& load_text);

/// The same for each combination of the entries of --burst and --on-rate, the last changing fastest; one none
/// without --burst.  \throws InvalidArgument  as read_burst()
[[nodiscard]] std::vector<std::optional<traffic::Burst>> read_bursts(const BurstOptions& options,
                                                                     const numeric::Rational& load,
                                                                     const std::string& load_text);

/// ", bursts of 16 slots" and the on-rate unless that is 1; empty without bursts.
[[nodiscard]] std::string burst_in_words(const std::optional<traffic::Burst>& burst);

/// {"traffic": "onoff", "burst": "16", "on_rate": "1"}; nothing without bursts.
void describe_burst(Json& inputs, const std::optional<traffic::Burst>& burst);

}  // namespace tailbound::cli
