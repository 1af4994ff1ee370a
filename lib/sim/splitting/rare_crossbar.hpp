#pragma once

#include <tailbound/sim/batches/batched_run.hpp>
#include <tailbound/sim/crossbar/crossbar_model.hpp>
#include <tailbound/sim/splitting/splitting.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// Long queues at the inputs of a crossbar, by multilevel splitting: P(n > level) of an input, or of a VOQ.
///
/// MODEL     that of sim/crossbar/crossbar_model.hpp, with unlimited buffers. n counts the cells just after
///           the arrivals of a slot.
/// METHOD    splitting (splitting.hpp) at each value of the largest n of all inputs, or VOQs. The estimate is
///           the mean number of those above the level over their number, so that all of them contribute. The
///           state is the VOQs' lengths (with fifo: the inputs' lengths and the outputs of their heads), the
///           pointers of islip and, with bursts, the output of each input's burst.
/// RESULT    unbiased in the stationary state, whatever the result of the pilot runs.
/// SOURCE    docs/derivations/rare_events.md
/// EXCLUDES  other schedulers than islip, pim, fifo and greedy; bursts with fifo; finite buffers; more than
///           64 ports
/// TESTS     tests/sim/crossbar/rare_crossbar_test.cpp
namespace tailbound::sim {

/// Whose cells are counted.
enum class CrossbarQueue { input, voq };
[[nodiscard]] constexpr auto names_of(CrossbarQueue) {
  return std::array{"input", "voq"};
}

struct RareCrossbarModel {
  CrossbarModel traffic;
  CrossbarQueue of = CrossbarQueue::input;
  SplittingPlan plan{};

  /// Inputs, or VOQs.
  [[nodiscard]] double queues() const {
    const auto inputs = static_cast<double>(traffic.inputs());
    return of == CrossbarQueue::input ? inputs : inputs * static_cast<double>(traffic.outputs);
  }
};

/// The model with its copies, by pilot runs.
/// \param rare  n, 1 .. 10^5; or a probability above 0 and below 1: the smallest n at which the pilot runs
///              saw no more for one input, or VOQ, if not two of them are that long together
/// \throws InvalidArgument  a field out of range, or an excluded feature
/// \throws NoAnswer         no pilot run came near n: the queue never gets so long, or grows without limit
/// \throws LimitExceeded    a probability below 1e-280
/// \throws Stopped          at `stop`
[[nodiscard]] RareCrossbarModel rare_crossbar_model(const CrossbarModel& traffic, CrossbarQueue of,
                                                    const RareLevelSought& rare,
                                                    const std::stop_token& stop = {});

/// \pre a model from rare_crossbar_model(), or one with all copies 1: plain simulation
[[nodiscard]] std::unique_ptr<Replication> make_rare_crossbar_replication(const RareCrossbarModel& model,
                                                                          RandomKey key);

[[nodiscard]] RunResult run_rare_crossbar(const RareCrossbarModel& model, const RunPlan& plan,
                                          const RunControls& controls = {}, std::string_view resume = {});

/// P(n > level).  \throws InvalidArgument  fewer than two batches were completed
struct RareCrossbarTail {
  numeric::Estimate<unit::Probability> probability;
  std::uint64_t count = 0;  ///< inputs, or VOQs, above the level, of all paths
};
[[nodiscard]] RareCrossbarTail rare_crossbar_tail(const RareCrossbarModel& model, const RunResult& result,
                                                  double confidence = 0.95);

/// The inputs as text, for checkpoints and messages.
[[nodiscard]] std::string describe(const RareCrossbarModel& model);

}  // namespace tailbound::sim
