#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Compares overflow and loss of random switches and packet mixes with a simulation.
namespace tailbound::test {

enum class SwitchKind {
  shared_overflow,  ///< P(T > M) of a memory shared by all outputs
  shared_loss,
  threshold_loss,  ///< of a dynamic threshold
  shared_sizes,    ///< packets of several sizes in a shared memory
  sizes_whole,     ///< one output queue, packets of several sizes that arrive in one slot
  sizes_whole_loss,
  sizes_cells,  ///< cell by cell
  several,      ///< one queue that serves several packets per slot: overflow
  several_loss,
  bursts,  ///< one output queue of on-off inputs
};

struct SwitchCase {
  SwitchKind kind{};
  std::int64_t inputs = 2, outputs = 2;
  std::int64_t load = 50;                                      ///< of an output, relative to its rate [%]
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes{};  ///< bytes and weights
  std::int64_t cell_bytes = 64;
  std::int64_t space = 10;  ///< of losses [cells]
  std::int64_t alpha = 4;   ///< of a dynamic threshold [1/4]
  std::int64_t burst = 4;   ///< [slots]
  int packets_per_slot = 1;

  [[nodiscard]] std::string text() const;
};

[[nodiscard]] SwitchCase random_switch(std::uint64_t number);

struct SwitchVerdict {
  std::vector<std::string> broken;  ///< proved numbers outside the simulation's interval, bounds below it
  std::size_t judged = 0;
  std::string rejected;
};

/// Simulated with 99.9 % intervals. Contradictions are simulated again, ten times as long from another seed,
/// and count only if confirmed.
/// \param slots  per replication (of two)
[[nodiscard]] SwitchVerdict checked(const SwitchCase& of, std::int64_t slots, std::uint64_t seed,
                                    bool confirm = true);

/// The smallest case that still fails.
[[nodiscard]] SwitchCase smallest(SwitchCase of, std::int64_t slots, std::uint64_t seed);

}  // namespace tailbound::test
