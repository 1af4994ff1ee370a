#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tests/support/random_networks.hpp>
#include <utility>
#include <vector>

/// Compares the delays that the library answers for a network with a simulation and with invariants.
namespace tailbound::test {

/// Simulated queueing delays of a flow or of all packets.
struct SeenDelays {
  struct Level {
    std::int64_t slots = 0;                  ///< t
    double above = 0, lower = 0, upper = 0;  ///< P(D > t) and its interval
  };
  std::string name;  ///< of the flow; empty: all packets
  double mean = 0;
  std::vector<Level> levels;  ///< t = 0, 1, .., as far as events were seen
};

struct SeenNetwork {
  SeenDelays all;
  std::vector<SeenDelays> flows;  ///< in the order of Network::flows
};

/// P(D > t), t = 0, 1, .., and its mean, from the library.
struct ComputedDelays {
  std::vector<double> above;
  double mean = 0;
  std::string hops;  ///< "chain", "independent", ..: the model used
};

struct ComputedNetwork {
  ComputedDelays all;  ///< the flows', weighted by their rates
  std::vector<ComputedDelays> flows;
  double mean_of_all = 0;  ///< from the model of all packets
};

struct SimulationLength {
  double steps = 4e6;                   ///< packet-hops
  std::optional<std::int64_t> slots{};  ///< instead of steps, per replication (of two)
  std::uint64_t seed = 1;
  double confidence = 0.95;
};

[[nodiscard]] SeenNetwork simulated(const network::Network& network, const SimulationLength& length);

/// \param levels  t = 0 .. levels - 1
/// \throws as answers::answer(DelayQuery)
[[nodiscard]] ComputedNetwork answered(const network::Network& network, std::int64_t levels);

/// Probabilities are at most 1, tails decrease, means are sums of tails; packets that cannot wait do not;
/// waits in queues with sources only, exactly, as a lower limit; in-trees to one host by their mean; the
/// flows' means give that of all packets. Returns the violations, a sentence each that begins with its kind:
/// "law:", "wires:", "limit:", "one-queue:", "tree:", "sums:". No simulation is involved.
[[nodiscard]] std::vector<std::string> broken_invariants(const network::Network& network,
                                                         const ComputedNetwork& analysis);

/// Ratio simulated / computed, at the closer end of the interval: 1 if the interval contains the computed
/// value.
struct Ratio {
  std::string network, flow;  ///< flow empty: all packets
  double level = 0;           ///< 0.1, 1e-2 or 1e-3: the simulated probability nearest to it is used
  std::int64_t slots = 0;
  double simulated = 0, half_width = 0, analysis = 0, ratio = 1;
  std::string hops;
};

inline constexpr std::array<double, 3> judged_levels{0.1, 1e-2, 1e-3};

/// At each level with a simulated probability within a factor of 2.
[[nodiscard]] std::vector<Ratio> ratios_of(const std::string& network, const SeenDelays& seen,
                                           const ComputedDelays& analysis);

/// The levels of all packets, from 0.5 to 1e-3, at which the simulation exceeds the computed value by over 5
/// % beyond the interval.
[[nodiscard]] std::optional<std::string> underestimates(const SeenDelays& all,
                                                        const ComputedDelays& analysis);
/// The same for another simulation, ten times as long and with 99.9 % intervals: among so many values some
/// lie outside theirs.
[[nodiscard]] std::optional<std::string> confirmed_underestimate(const network::Network& network,
                                                                 const ComputedNetwork& analysis,
                                                                 SimulationLength length);

struct NetworkVerdict {
  std::vector<std::string> broken;  ///< violated invariants, and contradicting simulations
  std::vector<Ratio> ratios;
  std::string rejected;  ///< why the library gives no answer: NoAnswer, LimitExceeded
};

/// \param confirm  contradictions are simulated again, ten times as long from another seed with 99.9 %
/// intervals, and count only if confirmed
[[nodiscard]] NetworkVerdict checked(const SmallNetwork& network, const SimulationLength& length,
                                     bool confirm = true);

/// The smallest part of a network with the same kind of failure, as text. Simulations have the given
/// `length`.
[[nodiscard]] std::string smallest(const SmallNetwork& network, const SimulationLength& length);

/// Networks of data/networks/random with their simulated delays.
struct RecordedNetwork {
  SmallNetwork network;
  SeenNetwork seen;
};
/// \param networks, simulated  contents of networks.csv and simulated.csv
[[nodiscard]] std::vector<RecordedNetwork> recorded_networks(const std::string& networks,
                                                             const std::string& simulated);

/// Distances of simulated from computed delays: bins as in the project's tables.
class RatioTable {
 public:
  void add(const Ratio& ratio);
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t within_quarter() const { return within_; }
  /// A row per level, for flows and for all packets; then the worst flows.
  [[nodiscard]] std::string text(std::size_t worst) const;

 private:
  std::map<std::pair<bool, double>, std::array<std::size_t, 11>> bins_;  ///< [of all packets, level]
  std::vector<Ratio> flows_;
  std::size_t count_ = 0, within_ = 0;
};

}  // namespace tailbound::test
