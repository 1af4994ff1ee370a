#include <tailbound/answers/delay/fabric.hpp>
#include <tailbound/answers/validation/validate_delay.hpp>
#include <tailbound/bounds/network/fabric_delay.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace tailbound::answers {
namespace {

/// Analysis of all packets together.
class DelayAnalysis {
 public:
  DelayAnalysis() = default;
  DelayAnalysis(const DelayAnalysis&) = delete;
  DelayAnalysis& operator=(const DelayAnalysis&) = delete;
  virtual ~DelayAnalysis() = default;
  [[nodiscard]] virtual bounds::ClaimedDelayAnswer claims(const bounds::DelayQuery& query) = 0;
  [[nodiscard]] virtual FlowLaw& law() = 0;
  [[nodiscard]] virtual const DelayOmissions& omissions() const = 0;
  /// Null for a network evaluated as a whole.
  [[nodiscard]] virtual const DelayPaths* paths() const { return nullptr; }
  [[nodiscard]] virtual std::int64_t ticks_per_slot() const = 0;
};

class ListedAnalysis final : public DelayAnalysis {
 public:
  explicit ListedAnalysis(const ValidateDelayQuery& query)
      : paths_(delay_paths(query.topology)),
        model_(query.topology, paths_, {query.hops, {}}),
        law_(model_.of_all()) {}

  /// Where links differ in speed, percentiles are in ticks.
  [[nodiscard]] bounds::ClaimedDelayAnswer claims(const bounds::DelayQuery& query) override {
    bounds::DelayQuery in_ticks = query;
    for (Slots& level : in_ticks.levels) level = Slots(level.value * paths_.ticks_per_slot);
    return model_.claims(law_, in_ticks);
  }
  [[nodiscard]] FlowLaw& law() override { return law_; }
  [[nodiscard]] const DelayPaths* paths() const override { return &paths_; }
  [[nodiscard]] std::int64_t ticks_per_slot() const override { return paths_.ticks_per_slot; }
  [[nodiscard]] const DelayOmissions& omissions() const override { return paths_.omissions; }

 private:
  DelayPaths paths_;
  DelayModel model_;
  FlowLaw law_;
};

/// For a network whose traffic is not listed flow by flow. Its law has no routes.
class FabricAnalysis final : public DelayAnalysis {
 public:
  FabricAnalysis(const network::Fabric& fabric, const Run& run)
      : run_(run),
        graph_(fabric),
        orbits_(network::fabric_orbits(graph_)),
        rates_(network::fabric_rates(graph_, orbits_)),
        delay_(graph_, orbits_, rates_) {
    omissions_.correlated_waits = true;
  }

  [[nodiscard]] bounds::ClaimedDelayAnswer claims(const bounds::DelayQuery& query) override {
    const auto ticks = [this](Slots level) {
      return static_cast<std::size_t>(level.value * delay_.ticks_per_slot());
    };
    std::size_t levels = 0;
    for (const Slots level : query.levels) levels = std::max(levels, ticks(level) + 1);
    double minimum = 1;
    for (const numeric::Rational& p : query.percentiles)
      minimum = std::min(minimum, std::nextafter(numeric::nearest_double(1 - p), 0.0));
    if (!found_ || found_->above.size() < levels || upper(found_->above.size() - 1) > minimum)
      found_ = delay_.queueing(levels, minimum, [this] {
        if (run_.stop.stop_requested()) throw Stopped("stopped on request");
      });
    const auto at = [this](std::size_t t) {
      return bounds::ClaimedSlotProbability{Slots(static_cast<std::int64_t>(t)), found_->above[t]};
    };
    bounds::ClaimedDelayAnswer answer{{}, {}, {}, found_->mean, found_->mean};
    for (const Slots level : query.levels) answer.above.push_back(at(ticks(level)));
    for (const numeric::Rational& p : query.percentiles) {
      const double maximum = std::nextafter(numeric::nearest_double(1 - p), 0.0);
      std::size_t t = 0;
      while (upper(t) > maximum) ++t;
      answer.queueing.push_back({p, Slots(static_cast<std::int64_t>(t)), at(t), {}});
    }
    return answer;
  }
  [[nodiscard]] FlowLaw& law() override { return law_; }
  [[nodiscard]] std::int64_t ticks_per_slot() const override { return delay_.ticks_per_slot(); }
  [[nodiscard]] const DelayOmissions& omissions() const override { return omissions_; }

 private:
  [[nodiscard]] double upper(std::size_t t) const { return span_of(found_->above[t]).upper; }

  const Run& run_;
  network::FabricGraph graph_;
  network::FabricOrbits orbits_;
  network::FabricRates rates_;
  bounds::FabricDelay delay_;
  FlowLaw law_;
  DelayOmissions omissions_;
  std::optional<bounds::FabricQueueing> found_;
};

void require_fabric_model(const ValidateDelayQuery& query) {
  if (query.hops.value_or(Hops::independent) != Hops::independent)
    throw InvalidArgument("hops", "chain or bound", "independent for a network evaluated as a whole");
  if (query.time) throw InvalidArgument("hop time", "given", "omitted for a network evaluated as a whole");
}

/// \param run  outlives the result
std::unique_ptr<DelayAnalysis> analysis_of(const ValidateDelayQuery& query, const Run& run) {
  if (!query.fabric) return std::make_unique<ListedAnalysis>(query);
  require_fabric_model(query);
  return std::make_unique<FabricAnalysis>(*query.fabric->analysed, run);
}

/// The given levels, or those where the analysis gives about 0.5 ... 1e-6.
std::vector<Slots> levels_of(const ValidateDelayQuery& query, DelayAnalysis& analysis) {
  if (!query.levels.empty()) return query.levels;
  bounds::DelayQuery requested;
  for (const numeric::Rational& tail : simulable_tails()) requested.percentiles.push_back(1 - tail);
  std::set<Slots> levels;
  for (const bounds::ClaimedPercentile& percentile : analysis.claims(requested).queueing)
    levels.insert(Slots(percentile.slots.value / analysis.ticks_per_slot()));
  return {levels.begin(), levels.end()};
}

/// `query` for the simulation, without its levels.
SimulateTreeQuery simulation_of(const ValidateDelayQuery& query) {
  SimulateTreeQuery requested{.topology = query.topology};
  if (query.fabric) requested.fabric = query.fabric->simulated;
  requested.percentiles = query.percentiles;
  requested.time = query.time;
  requested.length = query.length;
  return requested;
}

/// The percentile is proved if the probability at it is.
Predicted<unit::Time> predicted_time(const numeric::Rational& time,
                                     const numeric::Claim<unit::Probability>& at) {
  return std::visit(
      [&]<class Truth>(const Truth& truth) -> Predicted<unit::Time> {
        if constexpr (requires { truth.proof(); }) return numeric::Exact<unit::Time>{truth.proof(), time};
        return numeric::Model<unit::Time>{numeric::nearest_double(time)};
      },
      at);
}

/// A time in ticks, of which nothing is proved, in slots.
Predicted<unit::Slot> per_slot(const Predicted<unit::Slot>& mean, std::int64_t ticks) {
  if (ticks == 1) return mean;
  return numeric::Model<unit::Slot>{span_of(mean).upper / static_cast<double>(ticks)};
}

void compare_times(ValidateDelayAnswer& answer, const ValidateDelayQuery& query, DelayAnalysis& analysis,
                   const bounds::ClaimedDelayAnswer& analysed) {
  const SlotTime time = analysis.paths() == nullptr ? *query.time : analysis.paths()->in_ticks(*query.time);
  const std::vector<numeric::Rational> times =
      latency_ns(analysis.law().routes, analysed, *analysis.law().law, time);
  for (std::size_t i = 0; i < times.size(); ++i)
    answer.add({.quantity = ComparedQuantity::latency_time,
                .percentile = analysed.latency[i].probability,
                .compared = Comparison<unit::Time>{
                    .predicted = predicted_time(times[i], analysed.latency[i].at.probability),
                    .simulated = *answer.simulation.percentiles[i].latency_time}});
  answer.add(ComparedQuantity::mean_latency_time,
             Comparison<unit::Time>{.predicted = to_predicted(
                                        mean_latency_ns(analysis.law().routes, analysed.mean_queueing, time)),
                                    .simulated = *answer.simulation.mean_latency_time});
}

}  // namespace

ValidateDelayAnswer answer(const ValidateDelayQuery& query, const Run& run) {
  SimulateTreeQuery requested = simulation_of(query);
  static_cast<void>(plan_of(requested));  // checks that it can be simulated
  const std::unique_ptr<DelayAnalysis> known = analysis_of(query, run);
  DelayAnalysis& analysis = *known;
  requested.delay_levels = levels_of(query, analysis);
  const bounds::ClaimedDelayAnswer analysed =
      analysis.claims({.levels = requested.delay_levels, .percentiles = requested.percentiles});

  ValidateDelayAnswer answer;
  answer.omissions = analysis.omissions();
  answer.hops = analysis.law().hops;
  requested.confidence = answer.share_confidence(
      analysed.above.size() + (analysed.queueing.size() + 1) * (query.time ? 2 : 1), query.confidence);
  answer.simulation = answers::answer(requested, run);
  const SimulateTreeAnswer& seen = answer.simulation;
  for (std::size_t i = 0; i < analysed.above.size(); ++i)
    answer.add(compared_tail(ComparedQuantity::delay_tail, to_predicted(analysed.above[i].probability),
                             seen.delay_ccdf[i]));
  const std::int64_t ticks = analysis.ticks_per_slot();
  for (std::size_t i = 0; i < analysed.queueing.size() && ticks == 1; ++i)
    answer.add({.quantity = ComparedQuantity::queueing,
                .percentile = analysed.queueing[i].probability,
                .compared = Comparison<unit::Slot>{.predicted = analysed.queueing[i].slots,
                                                   .simulated = seen.percentiles[i].queueing}});
  answer.add(ComparedQuantity::mean_queueing,
             Comparison<unit::Slot>{.predicted = per_slot(to_predicted(analysed.mean_queueing), ticks),
                                    .simulated = seen.mean_queueing});
  if (query.time) compare_times(answer, query, analysis, analysed);
  return answer;
}

std::vector<ComparedRow> compared_curve(const ValidateDelayQuery& query, const ValidateDelayAnswer& answer) {
  const std::vector<sim::LevelEstimate> simulated = whole_delay_ccdf(simulation_of(query), answer.simulation);
  bounds::DelayQuery requested;
  for (const sim::LevelEstimate& level : simulated) requested.levels.emplace_back(level.level);
  const bounds::ClaimedDelayAnswer analysed = analysis_of(query, {})->claims(requested);
  std::vector<ComparedRow> curve;
  for (std::size_t i = 0; i < simulated.size(); ++i)
    curve.push_back(compared_tail(ComparedQuantity::delay_tail, to_predicted(analysed.above[i].probability),
                                  simulated[i]));
  return curve;
}

}  // namespace tailbound::answers
