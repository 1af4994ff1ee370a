#pragma once

#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/batches/histogram_batches.hpp>
#include <tailbound/sim/batches/replication.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

/// Multilevel splitting (RESTART) of a Markov chain in slots with an occupancy.
///
/// MODEL     a system has a state of whole numbers, an occupancy q >= 0 that is a function of it, and may
///           lose packets in a slot. To estimate: P(q > n), or packets lost per slot, in the stationary
///           state.
/// METHOD    whenever the occupancy of a path rises to level i, R_i - 1 copies of the state continue from
///           there with random numbers of their own, each until a slot ends below i; only the path that rose
///           continues after that. A slot that ends with occupancy q counts 1 / (R_1 ... R_q). If packets of
///           a slot arrive one after the other, copies are made between them.
/// RESULT    unbiased for any levels and numbers R_i; the efficiency depends on them. They should follow 1 /
///           P(q >= i).
/// SOURCE    Villen-Altamirano and Villen-Altamirano 1991, "RESTART: a method for accelerating rare event
///           simulations"; proof: docs/derivations/rare_events.md
/// TESTS     tests/sim/rare_tree_test.cpp, rare_switch_test.cpp
namespace tailbound::sim {

/// Rows of the counts.
struct SplittingRows {
  static constexpr std::size_t occupancy = 0;    ///< [q]: slots of all paths with occupancy q, not weighted
  static constexpr std::size_t slots = 1;        ///< [0]: of the main path
  static constexpr std::size_t path_slots = 2;   ///< [0]: of all paths
  static constexpr std::size_t queue_slots = 3;  ///< [0]: of all paths and simulated queues
  static constexpr std::size_t lost = 4;  ///< [q]: packets lost in slots with occupancy q, not weighted
};

/// [i], i = 0 .. size - 1: whole numbers R_i, 1 .. 1000, R_0 = R_1 = 1, whose products are close to the
/// wanted ones.
/// \param wanted  [i]: logarithm of R_1 ... R_i
/// \throws LimitExceeded  naming the level: a factor above 1e280
[[nodiscard]] std::vector<std::int64_t> copies_near(const std::vector<double>& wanted);

/// [q]: R_1 ... R_q, the divisor of a slot with occupancy q; the last one applies to all higher q.
[[nodiscard]] std::vector<double> splitting_factors(const std::vector<std::int64_t>& copies);

/// P(q > level) for any levels; beyond the last level with copies they are seen as rarely as in a plain
/// simulation that starts there. `count` is the number of slots of all paths.
/// \throws InvalidArgument  fewer than two batches were completed; a level below 0
[[nodiscard]] std::vector<LevelEstimate> splitting_tails(const std::vector<std::int64_t>& copies,
                                                         const RunResult& result,
                                                         const std::vector<std::int64_t>& levels,
                                                         double confidence);

/// Packets lost per slot of the main path.  \throws InvalidArgument  fewer than two batches were completed
struct SplitLoss {
  RatioEstimate a_slot;
  std::uint64_t count = 0;  ///< packets, of all paths
};
[[nodiscard]] SplitLoss splitting_loss(const std::vector<std::int64_t>& copies, const RunResult& result,
                                       double confidence);

/// n of P(q > n); or a target probability for it: the smallest n at which the pilot runs saw no more.
using RareLevelSought = std::variant<std::int64_t, double>;

struct SplittingPlan {
  std::int64_t level = 0;              ///< n
  std::vector<std::int64_t> copies{};  ///< [i], i = 0 .. n + 1: R_i
  double paths = 1;                    ///< slots of all paths per slot of the main path, about
};

using SplitState = std::vector<std::int32_t>;

/// \tparam System  start(random) -> state before the first slot;
///                 begin(state, random): a slot, up to its arrivals that come one after the other;
///                 arrive(state, limit, random): these, until all have arrived or the occupancy is `limit`
///                 or more;
///                 fork(state, random): the remaining arrivals are drawn anew, conditioned on the past ones;
///                 occupancy(state); possible(state), for one that was read; number of queues() simulated;
///                 and, if packets can be lost, lost(state) in the slot
template <class System>
class Splitting final : public Replication {
 public:
  /// \param copies  [i]: R_i, R_0 = 1
  Splitting(System system, std::vector<std::int64_t> copies, RandomKey key)
      : system_(std::move(system)),
        copies_(std::move(copies)),
        top_(static_cast<std::int64_t>(copies_.size()) - 1),
        random_(key, purpose, 0),
        main_(system_.start(random_)),
        spare_(copies_.size()),
        next_(copies_.size(), never) {
    for (std::size_t i = copies_.size(); i-- > 1;)
      next_[i - 1] = copies_[i] > 1 ? static_cast<std::int64_t>(i) : next_[i];
  }

  void advance(std::int64_t slots) override {
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      begin(main_);
      finish(main_, level_, 0);
    }
    slots_ += static_cast<std::uint64_t>(slots);
  }
  [[nodiscard]] Counts take_counts() override {
    Counts counts{std::exchange(occupancy_, {}),
                  {slots_},
                  {path_slots_},
                  {path_slots_ * static_cast<std::uint64_t>(system_.queues())}};
    if constexpr (loses) counts.push_back(std::exchange(lost_, {}));
    slots_ = path_slots_ = 0;
    return counts;
  }
  void save(ByteWriter& writer) override {
    random_.save(writer);
    writer.put(main_);
    writer.put(level_);
    writer.put(occupancy_);
    if constexpr (loses) writer.put(lost_);
    writer.put(slots_);
    writer.put(path_slots_);
  }
  void load(ByteReader& reader) override {
    random_.load(reader);
    main_ = reader.get_vector<std::int32_t>();
    if (!system_.possible(main_)) ByteReader::fail();
    level_ = reader.get<std::int64_t>();
    occupancy_ = reader.get_vector<std::uint64_t>();
    if constexpr (loses) lost_ = reader.get_vector<std::uint64_t>();
    slots_ = reader.get<std::uint64_t>();
    path_slots_ = reader.get<std::uint64_t>();
  }
  /// Since the last take.
  [[nodiscard]] std::uint64_t path_slots() const { return path_slots_; }

 private:
  static constexpr std::uint64_t purpose = 0;
  static constexpr bool loses = requires(const System& system, const SplitState& state) {
    system.lost(state);
  };

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  void begin(SplitState& state) {
    system_.begin(state, random_);
    ++path_slots_;
  }

  /// Simulates a slot of a path from some point in its arrivals, with copies at the levels that it rises to.
  /// False if the slot ends below the level at which the path was born: the path ends there, and the slot
  /// does not count.
  bool finish(SplitState& state, std::int64_t& level, std::int64_t born) {
    for (;;) {
      const std::int64_t limit = next_[static_cast<std::size_t>(level)];
      system_.arrive(state, limit, random_);
      if (system_.occupancy(state) < limit) break;
      const std::int64_t now = std::min<std::int64_t>(system_.occupancy(state), top_);
      while (level < now) {
        ++level;
        for (std::int64_t copy = 1; copy < copies_[static_cast<std::size_t>(level)]; ++copy) {
          SplitState& own = spare_[static_cast<std::size_t>(level)];
          own = state;
          system_.fork(own, random_);
          follow(own, level);
        }
      }
      system_.fork(state, random_);
    }
    const std::int64_t occupancy = system_.occupancy(state);
    if (occupancy < born) return false;
    level = std::min(occupancy, top_);
    count_at(occupancy_, static_cast<std::size_t>(occupancy));
    if constexpr (loses)
      if (const std::uint64_t lost = system_.lost(state); lost > 0)
        count_at(lost_, static_cast<std::size_t>(occupancy), lost);
    return true;
  }

  /// Simulates a copy born at a level, from the slot of its birth until a slot ends below that level.
  void follow(SplitState& state, std::int64_t born) {
    std::int64_t level = born;
    while (finish(state, level, born)) begin(state);
  }

  System system_;
  std::vector<std::int64_t> copies_;
  std::int64_t top_;  ///< the highest level with copies
  RandomStream random_;
  SplitState main_;
  std::int64_t level_ = 0;          ///< of the main path
  std::vector<SplitState> spare_;   ///< [level]: state of the copy born there
  std::vector<std::int64_t> next_;  ///< [level]: the next higher level with copies
  std::vector<std::uint64_t> occupancy_, lost_;
  std::uint64_t slots_ = 0, path_slots_ = 0;
};

}  // namespace tailbound::sim
