#pragma once

#include <cli/commands/delays/topology_options.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/options.hpp>
#include <cli/options/traffic_options.hpp>
#include <tailbound/answers/delay/delay.hpp>
#include <tailbound/answers/delay/solve_load_scale.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Converts the options of the command `delay` into its queries.
namespace tailbound::cli {

/// No value means all models.
[[nodiscard]] const Meanings<std::optional<answers::Hops>>& hops_or_all();

struct DelayModelOptions {
  OptionTable rows{};
  List<std::optional<answers::Hops>> hops{
      OptionGroup(rows, "Model"), "--hops", "NAME", names(hops_or_all()),
      "{names}.\nDefault chain where it applies: each delay depends on the one before, with bursts on their "
      "age. bound: an upper bound, of trees"};
};
/// The dependence between hops, for each entry; "all" means all models that exist for the query.
/// \throws InvalidArgument
[[nodiscard]] std::vector<std::optional<answers::Hops>> read_hops(const DelayModelOptions& options,
                                                                  const answers::Topology& topology);

struct HopOptions {
  OptionTable rows{};
  Number hop_ns{OptionGroup(rows, "Units"), "--hop-ns", "T",
                quantity(numeric::Measure::nanoseconds).from(0, 1'000'000'000, "ns").slider(0, 1000, 10),
                "cable and pipeline delay in ns of each queue passed.\nAdded to latencies in ns"};
};
/// Units with the speed of the links of a file (take_speed()).  \throws InvalidArgument
[[nodiscard]] answers::Units read_units(const UnitOptions& options, const answers::Topology& topology);

/// The slot time with the latency added by each queue passed; none without --hop-ns.
/// \throws InvalidArgument  out of range, or the slot time is not known
[[nodiscard]] std::optional<answers::SlotTime> read_slot_time(const HopOptions& options,
                                                              const answers::Units& units);
/// \throws InvalidArgument  naming --link-gbps, which `option` needs
[[nodiscard]] numeric::Rational required_slot_ns(const answers::Units& units, const std::string& option);

/// For --percentiles.
[[nodiscard]] inline Accepted<Rationals> delay_percentiles() {
  return percentiles().by_default("50,90,99,99.99,99.9999");
}
inline constexpr const char* percentile_help =
    "percentiles in percent, 99.9, or fractions below 1.\n0.999 is 99.9 %, but 1 is 1 %. Default {}";
/// Whole numbers from 0, up to `limit` of them: more than other lists may have.
[[nodiscard]] Accepted<std::vector<std::int64_t>> long_list(std::int64_t maximum, std::size_t limit);
/// Slots t of P(D > t), for --ccdf.
[[nodiscard]] inline Accepted<std::vector<std::int64_t>> ccdf_slots() {
  return long_list(queue::max_delay_slots - 1, 1'000'000);
}
[[nodiscard]] inline Accepted<Rationals> targets() {
  return as_targets(shares()).powers_of_ten(-30, -1);
}

/// What --solve finds.
enum class SolvedDelay { load_scale };
[[nodiscard]] constexpr auto names_of(SolvedDelay) {
  return std::array{"load-scale"};
}

struct DelayOptions {
  TopologyOptions topology;
  OptionTable network_rows{};
  Text flow{OptionGroup(network_rows, "Network"), "--flow", "NAME", options::text().by_default("all"),
            "name of one flow, or all (default {})"};
  DelayModelOptions model;
  BurstOptions burst;

  OptionTable rows{};
  OptionGroup results{rows, "Results"};
  Text classes{OptionGroup(rows, "Tree with uniform traffic"), "--classes", "R1,R2,..",
               options::text().must_be("loads above 0, together at most 1 packet per slot from each input"),
               "loads of strict priority classes, highest first.\nWith --radix K in place of --load: one "
               "output of a switch with K inputs"};
  Numbers percentiles{results, "--percentiles", "LIST", delay_percentiles(), percentile_help};
  Integers ccdf{results, "--ccdf", "LIST", ccdf_slots(),
                "slots t of P(queueing delay > t), such as 0:200:10"};
  Flag analysis{
      results, "--analysis",
      "delays of the analysis alone, without a simulation.\nDefault of lists; of a single network and "
      "load: the analysis\nwhere it is proved or a simulation of a second agrees, otherwise that"};
  Flag simulate{
      results, "--simulate",
      "delays by simulation, extrapolated by the analysis; proved ones stay.\nOf a network computed as a "
      "whole (more than 100000 pairs) the analysis is only\ncompared, however long that takes: its "
      "delays are simulated by tailbound\nsimulate tree --network FILE"};
  Numbers drop{
      results, "--drop", "EPS", targets(),
      "target of --criterion; adds the buffer of each hop.\nThe buffers count the packet in service"};
  List<bounds::Criterion> criterion{
      results, "--criterion", "NAME", names<bounds::Criterion>().first_by_default(),
      "{names} (default {}).\nOf --drop: overflow is P(Q > B), loss the fraction of packets lost"};
  Numbers reorder{results, "--reorder", "EPS", targets(),
                  "target P(R > b); finds the reorder buffer of one flow"};
  Integers reorder_levels{results, "--reorder-levels", "LIST", long_list(99'999, 100'000),
                          "buffer sizes b of P(R > b)"};
  Numbers flow_rate{
      results, "--flow-rate", "P",
      shares()
          .such_that([](const numeric::Rational& rate) { return rate > 0 && rate <= 1; },
                     "above 0 and at most 1 packet per slot")
          .slider(0.01, 0.99, 0.01),
      "packets per slot of the flow with --reorder.\nDefault of a tree: --load, from one host to one other"};
  One<SolvedDelay> solve{
      results, "--solve", "WHAT", one_name<SolvedDelay>(),
      "{names}: the maximum factor of all rates.\nFor stability, or for a target of latency or buffers"};
  Numbers within{results, "--within", "LIST", numbers().must_be("from 0 to 1000000 slots"),
                 "latency targets in slots, with --solve.\nFor the --percentiles of each flow"};
  Numbers within_ns{results, "--within-ns", "LIST",
                    quantities(numeric::Measure::nanoseconds).must_be("0 or more"),
                    "latency targets in ns, with --solve"};
  List<Packets> capacity{results, "--capacity", "LIST", integers<Packets>(0, 1'000'000).slider(1, 512, 1),
                         "buffer of each queue, with --solve and --drop.\nIt counts the packet in service"};
  Text delays{results, "--delays", "FILE",
              "file of a delay distribution, with --reorder.\nP(delay = 0), P(1), ..."};
  One<int> digits{OptionGroup(rows, "Numerics"), "--digits", "D",
                  integer<int>(1, 1000).by_default("10").slider(4, 40, 1),
                  "significant digits to prove (default {})"};
  UnitOptions units;
  HopOptions hop;
};
void declare(OptionTable& table, DelayOptions& options);

/// \throws InvalidArgument  the options of bursts are given
void reject_bursts(const BurstOptions& bursts, const std::string& other, const std::string& reason);

/// \throws InvalidArgument  an option was given that does not apply to the topology or the query
void require_fitting(const DelayOptions& options);
/// What answers: by default the better of both for a single point, the analysis for lists.
/// \throws InvalidArgument  --analysis and --simulate
[[nodiscard]] answers::DelayBy read_by(const DelayOptions& options, std::size_t points);
/// --drop with --criterion, all combinations.  \throws InvalidArgument
[[nodiscard]] std::vector<std::optional<bounds::DropTarget>> read_drops(const DelayOptions& options);
/// --flow; none for all.
[[nodiscard]] std::optional<std::string> read_flow(const DelayOptions& options);

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
