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

/// Common parts of wormhole simulations: runs at several loads, and the search for the saturation load.
namespace tailbound::answers {

// --- one load after another

/// Cycles of each replication for a total number of flit-hops.
using CyclesOfWork = std::function<std::int64_t(double flit_hops, int replications)>;
/// The plan with the warm-up and batches that a network needs.
using PlanOfCycles = std::function<sim::RunPlan(std::int64_t cycles, int replications, std::uint64_t seed)>;

/// As given; by default as many cycles as make all loads together take `flit_hops`, with warm-up and batches
/// as the network needs.
[[nodiscard]] sim::RunPlan plan_of_work(const RunLength& length, double flit_hops, std::size_t loads,
                                        const CyclesOfWork& cycles, const PlanOfCycles& plan);

/// A simulated network does not carry a load: its source queues grow.
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

/// \throws NoAnswer  the load exceeds the capacity of the channel, so that nothing needs to be simulated
void require_below_limit(LoadMeasure measure, double load, const numeric::Rational& limit,
                         const std::string& channel);

/// \throws InvalidArgument  "checkpoint" or "resume": a checkpoint with several loads
void require_one_load_to_resume(const Run& run, std::size_t loads);

/// For a search on which the loads depend.
/// \throws InvalidArgument  "of": the run is split into parts
void reject_search_in_parts(const Run& run);

/// One point per value, in order, until the run is stopped.
/// \param simulate_at  (value, run of this part) -> a point with a member `simulated`; it throws Stopped if
///                     there is no point to show
/// \throws InvalidArgument  a checkpoint with several values
/// \throws Stopped          before there was a point
/// \throws NoAnswer         of a single value, or of all values
template <class SimulateAt>
[[nodiscard]] auto simulate_each(const std::vector<numeric::Rational>& values, const Run& run,
                                 const SimulateAt& simulate_at) {
  require_one_load_to_resume(run, values.size());
  return answered_loads(simulate_rows(
      values.size(), run, [&](std::size_t i, const Run& part) { return simulate_at(values[i], part); }));
}

// --- saturation

/// Parameters of the search for the saturation load.
struct SaturationLength {
  numeric::Rational precision = numeric::Rational(1) / 100;  ///< relative, from 0.0005 to 0.5
  int replications = 4;
  std::uint64_t seed = 1;
};

/// Is the precision legal for a search?
[[nodiscard]] bool is_search_precision(const numeric::Rational& precision);

/// Upper limit of the load: above it the utilization of a physical channel would exceed one flit per cycle.
/// \param Unit  of the load
template <class Unit>
struct ChannelLimit {
  numeric::Exact<Unit> load{numeric::Theorem::input, 0};  ///< at which the utilization of the channel is 1
  std::string channel;                                    ///< with the highest utilization
};

/// \param Unit  of the loads
template <class Unit>
struct SaturationAnswer {
  ChannelLimit<Unit> limit;                   ///< computed first; nothing is simulated above it
  std::optional<numeric::Model<Unit>> model;  ///< saturation load of the model of this network
  std::string no_model;                       ///< why there is none
  sim::SaturationSearch search;               ///< as performed
  sim::SimulatedSaturation found;             ///< estimates, without an interval
};

using SaturationOf = std::function<sim::SimulatedSaturation(
    const sim::SaturationSearch& search, const sim::RunControls& controls,
    const std::function<void(std::size_t)>& on_progress)>;

/// The search as performed.
/// \param first_guess  of the saturation load, above 0
/// \param bound        proved upper bound of the load
/// \param senders      sources that share the busiest channels
/// \throws InvalidArgument  "precision" out of range
[[nodiscard]] sim::SaturationSearch search_of(const SaturationLength& length, double first_guess,
                                              double bound, double senders);

/// \throws Stopped   before saturation was found
/// \throws NoAnswer  none was found
[[nodiscard]] sim::SimulatedSaturation find_saturation(const sim::SaturationSearch& search,
                                                       LoadMeasure measure, const SaturationOf& saturation,
                                                       const Run& run);

}  // namespace tailbound::answers
