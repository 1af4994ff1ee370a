#pragma once

#include <cli/burst_options.hpp>
#include <cli/estimates.hpp>
#include <cli/place_options.hpp>
#include <cli/simulation_options.hpp>
#include <tailbound/sim/simulate_network.hpp>
#include <tailbound/sim/simulate_tree.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What `simulate tree` asks and `validate` needs: a tree or any network, simulated slot by slot.
namespace tailbound::cli {

/// As typed; an option that was not given is empty.
struct TreeSimulationOptions {
  PlaceOptions place;
  BurstOptions burst;
  SimulationOptions run;
  std::optional<std::string> buffer, occupancy, ccdf, percentiles, reorder_levels, rare, hop;
  bool reorder = false;
};

/// `options` must outlive the parse.
void add_tree_simulation_options(CLI::App& command, TreeSimulationOptions& options);

using SimulatedModel = std::variant<sim::TreeModel, sim::NetworkModel>;

/// What is to be read from a finished run; asking does not change the run.
struct SimulationQuestions {
  std::vector<std::int64_t> occupancy_levels, delay_levels, reorder_levels;
  std::vector<numeric::Rational> percentiles;  ///< as fractions
  double confidence = 0.95;
};

/// The options as understood.
struct TreeSimulationRequest {
  SimulatedModel model;
  std::string title;
  SimulationQuestions questions;
  bool reorder_levels_found = false;  ///< --reorder: levels as far as anything is seen
  sim::RunPlan plan;
};

/// The bursts of a tree's leaves. \throws InvalidArgument  also if they are given together with --network
[[nodiscard]] std::optional<traffic::Burst> read_leaf_bursts(const BurstOptions& options,
                                                             const PlaceOptions& place);

/// A tree or network as the simulator wants it. `observed_flows`: whose packets are put back in order
/// (trees). \throws InvalidArgument, ParseError;  Unstable  load 1 without a buffer
[[nodiscard]] TreeSimulationRequest read_place_to_simulate(const PlaceOptions& place,
                                                           const SimulationOptions& run,
                                                           const std::optional<std::string>& buffer,
                                                           bool observe_flows,
                                                           const BurstOptions& bursts = {});
/// \throws as read_place_to_simulate()
[[nodiscard]] TreeSimulationRequest read_tree_simulation(const TreeSimulationOptions& options);

/// Estimates of one queue of a network, or of all queues alike that a packet meets at a hop of a tree.
struct QueueEstimates {
  std::string name;  ///< "1", or the link's
  int level = 0;     ///< of the switches, in a tree
  bool up = false;   ///< do the links lead up, in a tree?
  ShownEstimate load, mean_occupancy, loss;
  std::uint64_t dropped = 0;
  std::vector<sim::LevelEstimate> tail;
};

struct PercentileEstimates {
  numeric::Rational fraction;
  ShownEstimate queueing, latency;
};

struct FlowMean {
  std::string name;
  std::uint64_t packets = 0;
  std::optional<ShownEstimate> queueing;
};

/// Trees and networks in one shape.
struct SimulationEstimates {
  std::vector<QueueEstimates> queues;
  std::vector<FlowMean> flows;  ///< of a network
  std::vector<PercentileEstimates> percentiles;
  std::vector<sim::LevelEstimate> ccdf, reorder_tail;
  ShownEstimate mean_queueing, mean_latency;
  std::uint64_t packets = 0;
};

/// \throws NoAnswer  no packet was delivered while measured
[[nodiscard]] SimulationEstimates estimates(const SimulatedModel& model, const sim::RunResult& result,
                                            const SimulationQuestions& questions);

[[nodiscard]] Simulated simulate(const TreeSimulationRequest& request, const SimulationOptions& options,
                                 const Context& context);

/// P(D > t) for all t from 0 to beyond the last one seen, thinned to some 60; for pictures.
[[nodiscard]] std::vector<sim::LevelEstimate> whole_ccdf(const SimulatedModel& model,
                                                         const sim::RunResult& result);

}  // namespace tailbound::cli
