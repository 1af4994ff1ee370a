#include <cln/rational.h>
#include <tailbound/answers/validation/validate_delay.hpp>
#include <tailbound/bounds/network/fabric_delay.hpp>
#include <tailbound/core/error.hpp>

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
  [[nodiscard]] virtual bounds::ClaimedDelayAnswer claims(const bounds::DelayQuestion& question) = 0;
  [[nodiscard]] virtual FlowLaw& law() = 0;
  [[nodiscard]] virtual const DelayOmissions& omissions() const = 0;
};

class ListedAnalysis final : public DelayAnalysis {
 public:
  explicit ListedAnalysis(const ValidateDelayQuestion& question)
      : paths_(delay_paths(question.topology, question.sources)),
        model_(question.topology, paths_, {question.sources, question.hop_delay, question.hops, {}}),
        law_(model_.of_all()) {}

  [[nodiscard]] bounds::ClaimedDelayAnswer claims(const bounds::DelayQuestion& question) override {
    return model_.claims(law_, question);
  }
  [[nodiscard]] FlowLaw& law() override { return law_; }
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

  [[nodiscard]] bounds::ClaimedDelayAnswer claims(const bounds::DelayQuestion& question) override {
    std::size_t levels = 0;
    for (const Slots level : question.levels)
      levels = std::max(levels, static_cast<std::size_t>(level.value) + 1);
    double least = 1;
    for (const numeric::Rational& p : question.percentiles)
      least = std::min(least, std::nextafter(numeric::nearest_double(1 - p), 0.0));
    if (!found_ || found_->above.size() < levels || upper(found_->above.size() - 1) > least)
      found_ = delay_.queueing(levels, least, [this] {
        if (run_.stop.stop_requested()) throw Stopped("stopped on request");
      });
    const auto at = [this](std::size_t t) {
      return bounds::ClaimedSlotProbability{Slots(static_cast<std::int64_t>(t)), found_->above[t]};
    };
    bounds::ClaimedDelayAnswer answer{{}, {}, {}, found_->mean, found_->mean};
    for (const Slots level : question.levels)
      answer.above.push_back(at(static_cast<std::size_t>(level.value)));
    for (const numeric::Rational& p : question.percentiles) {
      const double most = std::nextafter(numeric::nearest_double(1 - p), 0.0);
      std::size_t t = 0;
      while (upper(t) > most) ++t;
      answer.queueing.push_back({p, Slots(static_cast<std::int64_t>(t)), at(t), {}});
    }
    return answer;
  }
  [[nodiscard]] FlowLaw& law() override { return law_; }
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

void require_fabric_model(const ValidateDelayQuestion& question) {
  if (question.sources != network::Sources::decoupled)
    throw InvalidArgument("sources", "first-hop", "decoupled for a network evaluated as a whole");
  if (question.hop_delay != queue::HopDelay::wait)
    throw InvalidArgument("delay", "occupancy", "wait for a network evaluated as a whole");
  if (question.hops.value_or(Hops::independent) != Hops::independent)
    throw InvalidArgument("hops", "chain or bound", "independent for a network evaluated as a whole");
  if (question.time) throw InvalidArgument("hop time", "given", "omitted for a network evaluated as a whole");
}

/// \param run  outlives the result
std::unique_ptr<DelayAnalysis> analysis_of(const ValidateDelayQuestion& question, const Run& run) {
  if (!question.fabric) return std::make_unique<ListedAnalysis>(question);
  require_fabric_model(question);
  return std::make_unique<FabricAnalysis>(*question.fabric->analysed, run);
}

/// The given levels, or those where the analysis gives about 0.5 ... 1e-6.
std::vector<Slots> levels_of(const ValidateDelayQuestion& question, DelayAnalysis& analysis) {
  if (!question.levels.empty()) return question.levels;
  bounds::DelayQuestion asked;
  for (const numeric::Rational& tail : simulable_tails()) asked.percentiles.push_back(1 - tail);
  std::set<Slots> levels;
  for (const bounds::ClaimedPercentile& percentile : analysis.claims(asked).queueing)
    levels.insert(percentile.slots);
  return {levels.begin(), levels.end()};
}

/// `question` for the simulation, without its levels.
SimulateTreeQuestion simulation_of(const ValidateDelayQuestion& question) {
  SimulateTreeQuestion asked{.topology = question.topology};
  if (question.fabric) asked.fabric = question.fabric->simulated;
  asked.percentiles = question.percentiles;
  asked.time = question.time;
  asked.length = question.length;
  return asked;
}

void compare_times(ValidateDelayAnswer& answer, const ValidateDelayQuestion& question,
                   DelayAnalysis& analysis, const bounds::ClaimedDelayAnswer& analysed) {
  const std::vector<numeric::Rational> times =
      latency_ns(analysis.law().routes, analysed, *analysis.law().law, *question.time);
  answer.latencies.resize(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    ComparedLatency& row = answer.latencies[i];
    row.fraction = analysed.latency[i].probability;
    row.latency.predicted.emplace(numeric::Exact<unit::Time>{times[i]});
    row.latency.simulated = *answer.simulation.percentiles[i].latency_time;
  }
  answer.mean_latency.emplace();
  answer.mean_latency->predicted =
      to_predicted(mean_latency_ns(analysis.law().routes, analysed.mean_queueing, *question.time));
  answer.mean_latency->simulated = *answer.simulation.mean_latency_time;
}

}  // namespace

ValidateDelayAnswer answer(const ValidateDelayQuestion& question, const Run& run) {
  SimulateTreeQuestion asked = simulation_of(question);
  static_cast<void>(plan_of(asked));  // checks that it can be simulated
  const std::unique_ptr<DelayAnalysis> known = analysis_of(question, run);
  DelayAnalysis& analysis = *known;
  asked.delay_levels = levels_of(question, analysis);
  const bounds::ClaimedDelayAnswer analysed =
      analysis.claims({.levels = asked.delay_levels, .percentiles = asked.percentiles});

  ValidateDelayAnswer answer;
  answer.omissions = analysis.omissions();
  answer.hops = analysis.law().hops;
  answer.confidence_of_each = confidence_of_each(
      analysed.above.size() + (analysed.queueing.size() + 1) * (question.time ? 2 : 1), question.confidence);
  asked.confidence = answer.confidence_of_each;
  answer.simulation = answers::answer(asked, run);
  for (std::size_t i = 0; i < analysed.above.size(); ++i) {
    const sim::LevelEstimate& seen = answer.simulation.delay_ccdf[i];
    answer.tail.push_back({.level = analysed.above[i].slots,
                           .above = {.predicted = to_predicted(analysed.above[i].probability),
                                     .simulated = seen.probability,
                                     .count = seen.count}});
  }
  answer.percentiles.resize(
      analysed.queueing.size());  // in place: GCC 12 reports a moved variant as uninitialized
  for (std::size_t i = 0; i < analysed.queueing.size(); ++i) {
    ComparedPercentile& row = answer.percentiles[i];
    row.fraction = analysed.queueing[i].probability;
    row.queueing.predicted.emplace(analysed.queueing[i].slots);
    row.queueing.simulated = answer.simulation.percentiles[i].queueing;
  }
  answer.mean_queueing = {.predicted = to_predicted(analysed.mean_queueing),
                          .simulated = answer.simulation.mean_queueing};
  if (question.time) compare_times(answer, question, analysis, analysed);
  for (const ComparedDelay& row : answer.tail) answer.tally.add(row.above);
  for (const ComparedPercentile& row : answer.percentiles) answer.tally.add(row.queueing);
  answer.tally.add(answer.mean_queueing);
  for (const ComparedLatency& row : answer.latencies) answer.tally.add(row.latency);
  if (answer.mean_latency) answer.tally.add(*answer.mean_latency);
  return answer;
}

std::vector<ComparedDelay> compared_curve(const ValidateDelayQuestion& question,
                                          const ValidateDelayAnswer& answer) {
  const std::vector<sim::LevelEstimate> simulated =
      whole_delay_ccdf(simulation_of(question), answer.simulation);
  bounds::DelayQuestion asked;
  for (const sim::LevelEstimate& level : simulated) asked.levels.emplace_back(level.level);
  const bounds::ClaimedDelayAnswer analysed = analysis_of(question, {})->claims(asked);
  std::vector<ComparedDelay> curve;
  for (std::size_t i = 0; i < simulated.size(); ++i)
    curve.push_back({.level = asked.levels[i],
                     .above = {.predicted = to_predicted(analysed.above[i].probability),
                               .simulated = simulated[i].probability,
                               .count = simulated[i].count}});
  return curve;
}

}  // namespace tailbound::answers
