#pragma once

#include <tailbound/answers/points/points.hpp>
#include <tailbound/answers/simulation/simulation.hpp>
#include <tailbound/answers/wormhole/offered_loads.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/truth.hpp>
#include <tailbound/sim/worm/worm_saturation.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What simulations of wormhole networks have in common: runs at one load after another, and the search for
/// the greatest load that is carried.
namespace tailbound::answers {

// --- one load after another

/// Cycles of each replication that take so many flit-hops in all.
using CyclesOfWork = std::function<std::int64_t(double flit_hops, int replications)>;
/// The plan with the warm-up and batches that a network needs.
using PlanOfCycles = std::function<sim::RunPlan(std::int64_t cycles, int replications, std::uint64_t seed)>;

/// As asked for; unless told, so many cycles that all loads together take `flit_hops`, and warm-up and
/// batches as the network needs them.
[[nodiscard]] sim::RunPlan plan_of_work(const RunLength& length, double flit_hops, std::size_t loads,
                                        const CyclesOfWork& cycles, const PlanOfCycles& plan);

/// A simulated network does not carry a load: the queues at its sources grow.
class Overloaded : public NoAnswer {
 public:
  /// \param load, delivered  [as `measure` says]
  Overloaded(LoadMeasure measure, double load, double delivered, const sim::WormStability& evidence);

  [[nodiscard]] LoadMeasure measure() const noexcept { return measure_; }
  [[nodiscard]] double load() const noexcept { return load_; }
  [[nodiscard]] double delivered() const noexcept { return delivered_; }
  [[nodiscard]] const sim::WormStability& evidence() const noexcept { return evidence_; }

 private:
  LoadMeasure measure_;
  double load_, delivered_;
  sim::WormStability evidence_;
};

/// \throws NoAnswer  the load is above what the channel can carry, so that nothing needs to be simulated
void require_below_limit(LoadMeasure measure, double load, const numeric::Rational& limit,
                         const std::string& channel);

/// \throws InvalidArgument  "checkpoint" or "resume": a checkpoint with several loads
void require_one_load_to_resume(const Run& run, std::size_t loads);

/// Before a search whose result the loads depend on.
/// \throws InvalidArgument  "of": the run is cut into parts
void refuse_search_in_parts(const Run& run);

/// The points that were finished.
template <class Point>
struct SimulatedPoints {
  std::vector<Point> points;  ///< in the order of the loads; the last one may have been cut short
  bool stopped = false;       ///< before all was done
};

/// One point for each value, in their order, until the run is stopped.
/// \param simulate_at  (value, run of this part) -> Point with a member `simulated`; it throws Stopped where
///                     there is no point to show
/// \throws InvalidArgument  a checkpoint with several values
/// \throws Stopped          before there was a point
template <class Point, class SimulateAt>
[[nodiscard]] SimulatedPoints<Point> simulate_each(const std::vector<numeric::Rational>& values,
                                                   const Run& run, const SimulateAt& simulate_at) {
  require_one_load_to_resume(run, values.size());
  Points<Point> points = for_each_simulation(
      values.size(), run, [&](std::size_t i, const Run& part) { return simulate_at(values[i], part); });
  return {std::move(points.finished), points.stopped};
}

// --- saturation

/// How the greatest load that is carried is looked for.
struct SaturationLength {
  numeric::Rational precision = numeric::Rational(1) / 100;  ///< relative, from 0.0005 to 0.5
  int replications = 4;
  std::uint64_t seed = 1;
};

/// May a search be as precise as that?
[[nodiscard]] bool is_search_precision(const numeric::Rational& precision);

/// What no load can be above: a physical channel would have to take more than one flit per cycle.
/// \param Unit  of the load
template <class Unit>
struct ChannelLimit {
  numeric::Exact<Unit> load;  ///< at which the utilization of the channel is 1
  std::string channel;        ///< that has the highest utilization
};

/// \param Unit  of the loads
template <class Unit>
struct SaturationAnswer {
  ChannelLimit<Unit> limit;                   ///< computed first; nothing is simulated above
  std::optional<numeric::Model<Unit>> model;  ///< where the model of this very network saturates
  std::string no_model;                       ///< why there is none
  sim::SaturationSearch search;               ///< as it was made
  sim::SimulatedSaturation found;             ///< estimates, without an interval
};

using SaturationOf = std::function<sim::SimulatedSaturation(const sim::SaturationSearch& search,
                                                            const sim::RunControls& controls,
                                                            const std::function<void(std::size_t)>& told)>;

/// The search as it is made.
/// \param first_guess  of the saturation load, above 0
/// \param bound        what no load can be above, proved
/// \param senders      that share the busiest channels
/// \throws InvalidArgument  "precision" out of range
[[nodiscard]] sim::SaturationSearch search_of(const SaturationLength& length, double first_guess,
                                              double bound, double senders);

/// \throws Stopped   before saturation was found
/// \throws NoAnswer  none was found
[[nodiscard]] sim::SimulatedSaturation find_saturation(const sim::SaturationSearch& search,
                                                       LoadMeasure measure, const SaturationOf& saturation,
                                                       const Run& run);

}  // namespace tailbound::answers
