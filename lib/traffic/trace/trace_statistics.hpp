#pragma once

#include <cstdint>
#include <optional>
#include <vector>

/// Statistics of a trace, in one pass and bounded memory.
///
/// MODEL     A[t] cells in slot t; the queue Q[t] = max(Q[t-1] - 1, 0) + A[t] from empty.
/// RESULT    IDC(n) = Var(A_1 + .. + A_n) / (n E[A]) over non-overlapping windows of n slots, n = 1, 3, 10,
///           30, ..; tails of Q with intervals from 20 to 40 blocks of equal length
/// SOURCE    docs/derivations/traces.md
/// TESTS     tests/traffic/trace_test.cpp
namespace tailbound::traffic {

struct CountDispersion {
  std::int64_t slots = 1;  ///< n
  double value = 0;        ///< IDC(n)
  double half_width = 0;   ///< relative half width of its 95 % interval with short memory: 1.96 sqrt(2 n / N)
  std::int64_t windows = 0;
};

struct TraceTail {
  std::int64_t level = 0;
  double probability = 0;  ///< P(Q > level), over all slots
  double error = 0;        ///< standard error, from the blocks
  int blocks = 0;          ///< blocks in which it occurred
};

/// A buffer to which the trace is applied.
struct TraceBuffer {
  std::int64_t capacity = 1;  ///< cells
  std::uint64_t lost = 0;
  std::int64_t queue = 0;
};

class TraceStatistics {
 public:
  static constexpr std::int64_t deepest = 1 << 20;  ///< levels beyond are counted as this
  /// \param capacities  sizes of the buffers to which it is applied
  explicit TraceStatistics(const std::vector<std::int64_t>& capacities = {});

  /// The next slot with cells.
  void slot(std::int64_t slot, std::int64_t cells);
  /// \param slots  of the trace
  void finish(std::int64_t slots);

  [[nodiscard]] std::int64_t slots() const { return slots_; }
  [[nodiscard]] std::uint64_t cells() const { return cells_; }
  [[nodiscard]] double load() const { return static_cast<double>(cells_) / static_cast<double>(slots_); }
  [[nodiscard]] std::int64_t peak() const { return static_cast<std::int64_t>(counts_.size()) - 1; }
  /// [j]: slots with j cells; j up to 65 536.
  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return counts_; }
  /// With at least a hundred windows; longer windows are not informative.
  [[nodiscard]] std::vector<CountDispersion> dispersion() const;
  [[nodiscard]] std::vector<TraceTail> tails(const std::vector<std::int64_t>& levels) const;
  /// Largest level with P(Q > level) >= `probability`, at least 0.
  [[nodiscard]] std::int64_t level_of(double probability) const;
  [[nodiscard]] std::int64_t longest() const { return longest_; }
  [[nodiscard]] const std::vector<TraceBuffer>& buffers() const { return buffers_; }
  [[nodiscard]] std::uint64_t busy_periods() const { return busy_periods_; }

 private:
  struct Windows {
    std::int64_t length = 1, end = 1;        ///< of the current window
    double sum = 0, total = 0, squares = 0;  ///< of it; of earlier ones
  };
  struct Block {
    std::vector<std::int64_t> change;  ///< [q]: slots with Q = q minus those with Q = q - 1
    std::int64_t slots = 0;
    void add_run(std::int64_t low, std::int64_t high);
    [[nodiscard]] std::vector<double> tails() const;  ///< [n]: fraction of its slots with Q > n
  };

  void idle(std::int64_t slots);
  void pass_slot();

  std::vector<Windows> windows_;
  std::vector<Block> blocks_;
  std::int64_t block_slots_ = 1 << 10, now_ = -1, queue_ = 0, longest_ = 0, slots_ = 0;
  std::uint64_t cells_ = 0, busy_periods_ = 0;
  std::vector<std::uint64_t> counts_;
  std::vector<TraceBuffer> buffers_;
};

}  // namespace tailbound::traffic
