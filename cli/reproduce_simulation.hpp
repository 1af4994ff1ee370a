#pragma once

#include <cli/reproduce_figures.hpp>
#include <tailbound/sim/tree/simulate_tree.hpp>

#include <string>
#include <vector>

/// Simulated points of a figure, and a model judged by them.
namespace tailbound::cli::reproduce {

/// A simulation under random-root routing, carried out. It depends on nothing but tree, load and slots: the
/// seed is fixed.
struct TreeRun {
  sim::TreeModel model;
  sim::RunPlan plan;
  sim::RunResult result;
};

/// What part of a figure's work a simulation is: the part from `done` to `done + 1` of `all`.
struct Share {
  std::size_t done, all;
};

/// Measures `slots` slots in each of four replications, on all cores; a thirtieth of them if the request is
/// quick.
[[nodiscard]] TreeRun simulate_tree(const network::Tree& tree, const numeric::Rational& load,
                                    std::int64_t slots, const Request& request, Share share);

/// "4 replications of 25000 slots after a warm-up of 192, seed 1"
[[nodiscard]] std::string plan_in_words(const TreeRun& run);
/// "tailbound simulate tree --radix 16 ..." without its questions
[[nodiscard]] std::string command_of(const TreeRun& run);

/// P(Q > level) of each hop's queues: [hop - 1].
[[nodiscard]] std::vector<std::vector<sim::LevelEstimate>> simulated_tails(
    const TreeRun& run, const std::vector<std::int64_t>& levels, double confidence = 0.95);
/// P(D > level), D the queueing delay of a packet on its whole way.
[[nodiscard]] std::vector<sim::LevelEstimate> simulated_delays(const TreeRun& run,
                                                               const std::vector<std::int64_t>& levels,
                                                               double confidence = 0.95);

/// CSV columns of a simulated probability: the estimate with its interval, how often it was seen, and the
/// simulation's slots (of all replications) and seed.
[[nodiscard]] std::vector<std::string> simulation_columns();
void append_csv(std::vector<std::string>& fields, const sim::LevelEstimate& estimate, const TreeRun& run);

/// A model is judged at the levels whose 95 % interval is as narrow as from so many independent events. Large
/// occupancies come in clusters, in many slots and for many packets at once: counted singly, 50 of them may
/// come from few events, and their intervals are then too narrow.
inline constexpr std::uint64_t kLeastSeen = 50;

/// 0, 1, ..., up to the last level that was seen so well.
[[nodiscard]] std::vector<std::int64_t> levels_seen_at_hop(const TreeRun& run, std::size_t hop);
[[nodiscard]] std::vector<std::int64_t> levels_seen_of_delays(const TreeRun& run);

/// Of each of so many intervals, so that all of them hold together with 95 %.
[[nodiscard]] double confidence_of_each(std::size_t intervals);

/// One probability of a model beside its simulation.
struct Judged {
  double analysis;
  sim::LevelEstimate simulated;

  /// The model is optimistic beyond the interval.
  [[nodiscard]] bool below() const { return analysis < simulated.probability.lower; }
  /// The model is conservative beyond the interval.
  [[nodiscard]] bool above() const { return analysis > simulated.probability.upper; }
  [[nodiscard]] double ratio() const { return simulated.probability.value / analysis; }
};

/// \param analysis  probabilities of the same levels
[[nodiscard]] std::vector<Judged> judge(const std::vector<double>& analysis,
                                        const std::vector<sim::LevelEstimate>& simulated);

/// Does every interval reach into [analysis / factor, analysis * factor]?
[[nodiscard]] bool within(const std::vector<Judged>& levels, double factor);

/// "inside at n = 0 to 3, below at n = 4 to 12 (P = 0.02 to 3e-06); simulation/analysis 1 (n = 0) to 1.5 +-
/// 0.1 (n = 12)"; every number shown with `offset` added to the level.
[[nodiscard]] std::string in_words(const std::vector<Judged>& levels, const std::string& symbol,
                                   std::int64_t offset = 0);

}  // namespace tailbound::cli::reproduce
