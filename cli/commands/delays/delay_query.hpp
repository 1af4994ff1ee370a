#pragma once

#include <cli/commands/delays/topology_options.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/options.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/delay/solve_load_scale.hpp>

#include <optional>
#include <string>
#include <vector>

/// Converts the options of the command `delay` into its queries.
namespace tailbound::cli {

/// As typed; empty if not given.
struct DelayModelOptions {
  std::optional<std::string> hops;
};

/// `options` must outlive the parse.
void add_delay_model_options(OptionTable& table, DelayModelOptions& options);

/// --hop-ns, in the group of the units. `hop_ns` must outlive the parse.
void add_hop_option(OptionTable& table, std::optional<std::string>& hop_ns);

/// The latency added by each queue passed [ns].
/// \throws InvalidArgument  out of range, or without --link-gbps
[[nodiscard]] std::optional<numeric::Rational> read_hop_ns(const std::optional<std::string>& hop_ns,
                                                           const UnitOptions& units);
/// The same with the slot time; none without --hop-ns.  \throws InvalidArgument
[[nodiscard]] std::optional<answers::SlotTime> read_slot_time(const std::optional<std::string>& hop_ns,
                                                              const UnitOptions& units);

/// The dependence between hops, for each entry; "all" means all models that exist for the query.
/// \throws InvalidArgument
[[nodiscard]] std::vector<std::optional<answers::Hops>> read_hops(const DelayModelOptions& options,
                                                                  const answers::Topology& topology);

/// As typed; empty if not given.
struct DelayOptions {
  TopologyOptions topology;
  BurstOptions burst;
  std::optional<std::string> flow, delays, classes;
  DelayModelOptions model;
  std::optional<std::string> percentiles, ccdf, drop, criterion, reorder, reorder_levels, flow_rate, digits,
      hop_ns;
  std::optional<std::string> solve, within, within_ns, capacity;
  bool check = false, no_check = false;
  UnitOptions units;
};

/// `options` must outlive the parse.
void add_delay_options(OptionTable& table, DelayOptions& options);

/// For the help of --percentiles.
inline constexpr const char* percentile_help =
    "percentiles in percent, 99.9, or fractions below 1.\n0.999 is 99.9 %, but 1 is 1 %. Default "
    "50,90,99,99.99,99.9999";
/// Fractions from percentages and fractions below 1, "50,99.99,0.5"; default 50,90,99,99.99,99.9999.
/// \throws InvalidArgument
[[nodiscard]] std::vector<numeric::Rational> read_percentiles(const std::optional<std::string>& text);

/// Slots t of P(D > t), for --ccdf.
/// \throws InvalidArgument
[[nodiscard]] std::vector<std::int64_t> read_ccdf_slots(const std::string& text);

/// \throws InvalidArgument  an option was given that does not apply to the topology or the query
void require_fitting(const DelayOptions& options);
/// Are delays cross-checked by simulation? By default only for a single point.
/// \throws InvalidArgument  --check and --no-check
[[nodiscard]] std::optional<answers::CheckEffort> read_check(const DelayOptions& options, std::size_t points);
/// --drop with --criterion, all combinations; --digits.  \throws InvalidArgument
[[nodiscard]] std::vector<std::optional<bounds::DropTarget>> read_drops(const DelayOptions& options);
[[nodiscard]] numeric::Digits read_digits(const DelayOptions& options);

/// The queries without --delays and --solve: one for each combination of lists.
/// \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] std::vector<answers::DelayQuery> read_delay_queries(const DelayOptions& options);

/// The queries with --solve load-scale.
/// \throws InvalidArgument, ParseError, LimitExceeded
[[nodiscard]] std::vector<answers::LoadScaleQuery> read_load_scale_queries(const DelayOptions& options);

/// The queries with --delays.
/// \throws InvalidArgument, ParseError
[[nodiscard]] std::vector<answers::ReorderQuery> read_reorder_queries(const DelayOptions& options);

}  // namespace tailbound::cli
