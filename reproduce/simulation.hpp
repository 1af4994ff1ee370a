#pragma once

#include <reproduce/figure.hpp>
#include <tailbound/answers/comparison.hpp>
#include <tailbound/answers/simulation/simulate_tree.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Trees simulated for a figure, and a model judged by them.
namespace tailbound::figures {

/// A simulation under random-root routing, carried out. It depends on nothing but tree, load and slots: the
/// seed is fixed.
struct TreeRun {
  sim::TreeModel model;
  answers::Simulated simulated;
};

/// Measures `slots` slots in each of four replications.
[[nodiscard]] TreeRun simulate_tree(const network::Tree& tree, const numeric::Rational& load,
                                    std::int64_t slots, const answers::Run& run);

/// "tailbound simulate tree --radix 16 ..." without its questions
[[nodiscard]] std::string command_of(const TreeRun& run);

/// P(Q > level) of each hop's queues: [hop - 1].
[[nodiscard]] std::vector<std::vector<sim::LevelEstimate>> simulated_tails(
    const TreeRun& run, const std::vector<std::int64_t>& levels, double confidence = 0.95);
/// P(D > level), D the queueing delay of a packet on its whole way.
[[nodiscard]] std::vector<sim::LevelEstimate> simulated_delays(const TreeRun& run,
                                                               const std::vector<std::int64_t>& levels,
                                                               double confidence = 0.95);

/// 0, step, 2 step, .., the first at or beyond `last` included.
[[nodiscard]] std::vector<std::int64_t> levels_to(std::int64_t last, std::int64_t step = 1);

/// Columns of a simulated probability: estimate, observations, slots of all replications, seed.
[[nodiscard]] std::vector<render::Column> simulated_columns(const std::string& probability);
[[nodiscard]] render::Cells simulated_cells(const sim::LevelEstimate& estimate, const TreeRun& run);

/// Adds log10 of the probability and its interval, if it was observed and the interval does not extend
/// below a fifth of it.
void add_if_fit_to_draw(render::Curve& curve, const sim::LevelEstimate& level, std::int64_t x);

/// A model is judged at levels whose 95 % interval is as narrow as for this number of independent events.
/// Large occupancies occur in clusters, over many slots and packets: 50 observations can stem from few
/// events, and their intervals are then too narrow.
inline constexpr std::uint64_t kMinSeen = 50;

/// 0, 1, ..., up to the last level with that many.
[[nodiscard]] std::vector<std::int64_t> levels_seen_at_hop(const TreeRun& run, std::size_t hop);
[[nodiscard]] std::vector<std::int64_t> levels_seen_of_delays(const TreeRun& run);

/// One probability of a model and of its simulation.
struct Judged {
  std::int64_t level = 0;
  answers::Comparison<unit::Probability> compared;

  /// simulation / analysis
  [[nodiscard]] double ratio() const { return compared.simulated.value / compared.span()->upper; }
};

/// \param analysis  probabilities of the same levels
[[nodiscard]] std::vector<Judged> judge(const std::vector<answers::Predicted<unit::Probability>>& analysis,
                                        const std::vector<sim::LevelEstimate>& simulated);

/// Does every interval reach into [analysis / factor, analysis * factor]?
[[nodiscard]] bool within(const std::vector<Judged>& levels, double factor);

/// "inside at n = 0 to 3, below at n = 4 to 12 (P = 0.02 to 3e-06); simulation/analysis 1 (n = 0) to 1.5 +-
/// 0.1 (n = 12)"; every number shown with `offset` added to the level.
[[nodiscard]] std::string in_words(const std::vector<Judged>& levels, const std::string& symbol,
                                   std::int64_t offset = 0);

}  // namespace tailbound::figures
