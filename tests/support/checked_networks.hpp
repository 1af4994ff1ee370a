#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tests/support/random_networks.hpp>
#include <utility>
#include <vector>

/// The delays that the library answers for a network, beside a simulation, and held to what must be true of them.
namespace tailbound::test {

/// Queueing delays as they were simulated, of a flow or of all packets.
struct SeenDelays {
  struct Level {
    std::int64_t slots = 0;                  ///< t
    double above = 0, lower = 0, upper = 0;  ///< P(D > t) and its interval
  };
  std::string name;  ///< of the flow; empty: all packets
  double mean = 0;
  std::vector<Level> levels;  ///< t = 0, 1, .., as far as anything was seen
};

struct SeenNetwork {
  SeenDelays all;
  std::vector<SeenDelays> flows;  ///< in the order of Network::flows
};

/// P(D > t), t = 0, 1, .., and its mean, as the library answers.
struct SaidDelays {
  std::vector<double> above;
  double mean = 0;
  std::string hops;  ///< "chain", "independent", ..: as what it was answered
};

struct SaidNetwork {
  SaidDelays all;  ///< the flows', weighted by their rates
  std::vector<SaidDelays> flows;
  double mean_of_all = 0;  ///< as the model of all packets says
};

struct SimulationLength {
  double steps = 4e6;                   ///< packet-hops
  std::optional<std::int64_t> slots{};  ///< in place of steps, of each of two replications
  std::uint64_t seed = 1;
  double confidence = 0.95;
};

[[nodiscard]] SeenNetwork simulated(const network::Network& network, const SimulationLength& length);

/// \param levels  t = 0 .. levels - 1
/// \throws what answers::answer(DelayQuestion) does
[[nodiscard]] SaidNetwork answered(const network::Network& network, std::int64_t levels);

/// Probabilities at most 1, tails that fall, means that are the sums of tails; packets that cannot wait do not; waits in
/// queues that only sources feed, exactly, as a lower limit; in-trees to one host by their mean; the flows' means make
/// that of all packets. What is broken, a sentence each that begins with its kind: "law:", "wires:", "limit:", "one-queue:",
/// "tree:", "sums:". None of it looks at a simulation.
[[nodiscard]] std::vector<std::string> broken_invariants(const network::Network& network,
                                                         const SaidNetwork& said);

/// Simulated over said, at the near end of the interval: 1 if the interval contains what is said.
struct Ratio {
  std::string network, flow;  ///< flow empty: all packets
  double level = 0;           ///< 0.1, 1e-2 or 1e-3: simulated is the probability nearest to it
  std::int64_t slots = 0;
  double simulated = 0, half_width = 0, said = 0, ratio = 1;
  std::string hops;
};

inline constexpr std::array<double, 3> judged_levels{0.1, 1e-2, 1e-3};

/// At each of the levels that the simulation came within a factor of 2 of.
[[nodiscard]] std::vector<Ratio> ratios_of(const std::string& network, const SeenDelays& seen,
                                           const SaidDelays& said);

/// Where all packets, from 0.5 to 1e-3, were simulated to wait more often than said by over 5 % beyond the interval.
[[nodiscard]] std::optional<std::string> optimistic(const SeenDelays& all, const SaidDelays& said);
/// The same of another simulation, ten times as long and with 99.9 % intervals: of so many values some lie outside theirs.
[[nodiscard]] std::optional<std::string> confirmed_optimistic(const network::Network& network,
                                                              const SaidNetwork& said,
                                                              SimulationLength length);

struct NetworkVerdict {
  std::vector<std::string> broken;  ///< invariants, and simulations that contradict
  std::vector<Ratio> ratios;
  std::string refused;  ///< why the library does not answer: NoAnswer, LimitExceeded
};

/// \param confirm  what a simulation contradicts is simulated again, ten times as long from another seed with 99.9 %
///                 intervals, and stands if that contradicts it too
[[nodiscard]] NetworkVerdict checked(const SmallNetwork& network, const SimulationLength& length,
                                     bool confirm = true);

/// The smallest part of a network that is still contradicted in one of these ways, as text. Simulations are as long as
/// `length` says.
[[nodiscard]] std::string smallest(const SmallNetwork& network, const SimulationLength& length);

/// Networks of data/networks/random with their simulated delays.
struct RecordedNetwork {
  SmallNetwork network;
  SeenNetwork seen;
};
/// \param networks, simulated  texts of networks.csv and simulated.csv
[[nodiscard]] std::vector<RecordedNetwork> recorded_networks(const std::string& networks,
                                                             const std::string& simulated);

/// How far simulated delays are from those said: bins as in the project's tables.
class RatioTable {
 public:
  void add(const Ratio& ratio);
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t within_quarter() const { return within_; }
  /// A row a level, of flows and of all packets; then the worst flows.
  [[nodiscard]] std::string text(std::size_t worst) const;

 private:
  std::map<std::pair<bool, double>, std::array<std::size_t, 11>> bins_;  ///< [of all packets, level]
  std::vector<Ratio> flows_;
  std::size_t count_ = 0, within_ = 0;
};

}  // namespace tailbound::test
