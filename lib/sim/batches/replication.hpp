#pragma once

#include <tailbound/sim/bytes.hpp>
#include <tailbound/sim/random.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

/// The interface of a simulator for sim/batches/batched_run.hpp.
namespace tailbound::sim {

/// Counts, as rows of integers; each simulator defines its rows. Sums of integers do not depend on the order.
using Counts = std::vector<std::vector<std::uint64_t>>;

/// One independent replication of a simulation, from its empty start.
///
/// CONTRACT  a function of the inputs and the random key alone. It does not depend on the division of time
///           into calls of advance(), nor on save() and load() in between.
class Replication {
 public:
  Replication() = default;
  Replication(const Replication&) = delete;
  Replication& operator=(const Replication&) = delete;
  virtual ~Replication() = default;

  /// Simulates the next `slots` slots.
  /// \throws LimitExceeded  the state would exceed the stated memory of the simulator
  virtual void advance(std::int64_t slots) = 0;
  /// The counts since the last call (or the start); counting starts anew.
  [[nodiscard]] virtual Counts take_counts() = 0;
  virtual void save(ByteWriter& writer) = 0;
  /// Continues from a saved state of the same simulation.
  /// \throws ParseError  the bytes do not match
  virtual void load(ByteReader& reader) = 0;
};

/// Makes replication number `key.replication`. Replications are made and destroyed by one thread at a time.
using ReplicationFactory = std::function<std::unique_ptr<Replication>(RandomKey key)>;

/// Adds `more` to `sum` row by row; rows grow as needed.
/// Counts a value of a histogram.
inline void count_at(std::vector<std::uint64_t>& histogram, std::size_t at, std::uint64_t count = 1) {
  if (histogram.size() <= at) histogram.resize(at + 1);
  histogram[at] += count;
}

inline void add_counts(Counts& sum, const Counts& more) {
  if (sum.size() < more.size()) sum.resize(more.size());
  for (std::size_t row = 0; row < more.size(); ++row) {
    if (sum[row].size() < more[row].size()) sum[row].resize(more[row].size());
    for (std::size_t i = 0; i < more[row].size(); ++i) sum[row][i] += more[row][i];
  }
}

}  // namespace tailbound::sim
