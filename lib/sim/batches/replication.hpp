#pragma once

#include <tailbound/sim/bytes.hpp>
#include <tailbound/sim/random.hpp>

#include <cstdint>
#include <vector>

/// What a simulator offers so that sim/batches/batched_run.hpp can run it.
namespace tailbound::sim {

/// What was counted, as rows of integers; each simulator says what its rows mean. Integers add up to the
/// same whatever the order.
using Counts = std::vector<std::vector<std::uint64_t>>;

/// One independent replication of a simulation, from its empty start.
///
/// CONTRACT  a function of the inputs and the random key alone. How the time is cut into calls of advance(),
///           and whether the state went through save() and load() in between, changes nothing.
class Replication {
 public:
  Replication() = default;
  Replication(const Replication&) = delete;
  Replication& operator=(const Replication&) = delete;
  virtual ~Replication() = default;

  /// Simulates the next `slots` slots.
  /// \throws LimitExceeded  the state would outgrow the simulator's stated memory
  virtual void advance(std::int64_t slots) = 0;
  /// What was counted since the last call (or the start), and begins to count anew.
  [[nodiscard]] virtual Counts take_counts() = 0;
  virtual void save(ByteWriter& writer) = 0;
  /// Continues from a saved state of the same simulation.
  /// \throws ParseError  the bytes do not fit
  virtual void load(ByteReader& reader) = 0;
};

/// Adds `more` to `sum` row by row; rows grow as needed.
inline void add_counts(Counts& sum, const Counts& more) {
  if (sum.size() < more.size()) sum.resize(more.size());
  for (std::size_t row = 0; row < more.size(); ++row) {
    if (sum[row].size() < more[row].size()) sum[row].resize(more[row].size());
    for (std::size_t i = 0; i < more[row].size(); ++i) sum[row][i] += more[row][i];
  }
}

}  // namespace tailbound::sim
