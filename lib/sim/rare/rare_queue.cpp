#include <tailbound/core/error.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>
#include <tailbound/sim/rare/rare_event.hpp>

#include <algorithm>
#include <cmath>

namespace tailbound::sim {
namespace {

constexpr std::uint64_t purpose = 0;

double checked_exponent(const RareQueueModel& model) {
  check_event_level(model.event, model.level);
  const double exponent = decay_exponent(model.sources);
  require_in_reach(model.event, model.level, exponent);
  return exponent;
}

class RareQueue final : public Replication {
 public:
  RareQueue(const RareQueueModel& model, RandomKey key)
      : event_(model.event),
        bar_(event_bar(model.event, model.level)),
        tilted_(tilted_probabilities(model.sources, checked_exponent(model))),
        plain_(tilted_probabilities(model.sources, 0)),
        random_(key, purpose, 0) {}

  void advance(std::int64_t cycles) override {
    for (std::int64_t i = 0; i < cycles; ++i) cycle();
    cycles_ += static_cast<std::uint64_t>(cycles);
  }
  [[nodiscard]] Counts take_counts() override {
    Counts counts{std::exchange(counted_, {}), {cycles_}, {hits_}, {slots_}};
    cycles_ = hits_ = slots_ = 0;
    return counts;
  }
  void save(ByteWriter& writer) override {
    random_.save(writer);
    writer.put(counted_);
    for (const std::uint64_t count : {cycles_, hits_, slots_}) writer.put(count);
  }
  void load(ByteReader& reader) override {
    random_.load(reader);
    counted_ = reader.get_vector<std::uint64_t>();
    for (std::uint64_t* count : {&cycles_, &hits_, &slots_}) *count = reader.get<std::uint64_t>();
  }

 private:
  void cycle();
  template <RareEvent event>
  [[nodiscard]] std::uint64_t finish(std::int64_t occupancy, std::int64_t arrivals);

  RareEvent event_;
  std::int64_t bar_;
  AliasTable tilted_, plain_;
  RandomStream random_;
  std::vector<std::uint64_t> counted_;
  std::uint64_t cycles_ = 0, hits_ = 0, slots_ = 0;
};

void RareQueue::cycle() {
  std::int64_t arrivals = tilted_.draw(random_.next());
  std::int64_t occupancy = arrivals;
  std::uint64_t slots = 1;
  while (occupancy > 0 && occupancy <= bar_) {
    arrivals = tilted_.draw(random_.next());
    occupancy += arrivals - 1;
    ++slots;
  }
  slots_ += slots;
  if (occupancy == 0) return;
  ++hits_;
  const auto overshoot = static_cast<std::size_t>(occupancy - bar_ - 1);
  if (counted_.size() <= overshoot) counted_.resize(overshoot + 1);
  switch (event_) {
    case RareEvent::overflow:
      counted_[overshoot] += finish<RareEvent::overflow>(occupancy, arrivals);
      break;
    case RareEvent::loss:
      counted_[overshoot] += finish<RareEvent::loss>(occupancy, arrivals);
      break;
    case RareEvent::wait:
      counted_[overshoot] += finish<RareEvent::wait>(occupancy, arrivals);
      break;
  }
}

/// Continues with plain arrivals until the queue is empty; returns the count on the way, this slot included.
template <RareEvent event>
std::uint64_t RareQueue::finish(std::int64_t occupancy, std::int64_t arrivals) {
  std::uint64_t slots = 0;
  std::int64_t counted = 0;
  for (;;) {
    const std::int64_t beyond = std::max<std::int64_t>(occupancy - bar_, 0);
    if constexpr (event == RareEvent::overflow) counted += beyond > 0;
    // Of this slot's packets, those with as many ahead of them wait longer than the level.
    if constexpr (event == RareEvent::wait) counted += std::min(beyond, arrivals);
    if constexpr (event == RareEvent::loss) {
      counted += beyond;
      occupancy -= beyond;
    }
    if (occupancy == 0) break;
    arrivals = plain_.draw(random_.next());
    occupancy += arrivals - 1;
    ++slots;
  }
  slots_ += slots;
  return static_cast<std::uint64_t>(counted);
}

}  // namespace

std::string describe(RareEvent event, std::int64_t level) {
  const char* const names[] = {"overflow of ", "loss with room ", "wait above "};
  return "one queue, " + std::string(names[static_cast<std::size_t>(event)]) + std::to_string(level) + ", ";
}

std::string describe(const RareQueueModel& model) {
  std::string text = describe(model.event, model.level) + "sources";
  for (const network::SourceRate& source : model.sources)
    text += " " + std::to_string(source.count) + " of rate " + numeric::to_fraction(source.rate);
  return text;
}

std::unique_ptr<Replication> make_rare_queue_replication(const RareQueueModel& model, RandomKey key) {
  return std::make_unique<RareQueue>(model, key);
}

RunPlan rare_queue_plan(std::int64_t cycles, std::uint64_t seed) {
  RunPlan plan;
  plan.seed = seed;
  plan.replications = 4;
  plan.batches = 16;
  plan.slots = std::max<std::int64_t>((cycles + 3) / 4, plan.batches);
  return plan;
}

RunResult run_rare_queue(const RareQueueModel& model, const RunPlan& plan, const RunControls& controls,
                         std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_rare_queue_replication(model, key); }, controls,
      resume);
}

RareQueueEstimate rare_queue_estimate(const RareQueueModel& model, const RunResult& result,
                                      double confidence) {
  const double exponent = checked_exponent(model);
  const auto bar = static_cast<double>(event_bar(model.event, model.level));
  CycleSums sums(model.event, mean_arrivals(model.sources));
  for (const Counts* counts : result.all()) {
    double numerator = 0;
    const auto& counted = (*counts)[RareQueueRows::counted];
    for (std::size_t overshoot = 0; overshoot < counted.size(); ++overshoot)
      // The occupancy was bar + 1 + overshoot.
      numerator += std::exp(-exponent * (bar + static_cast<double>(overshoot))) *
                   static_cast<double>(counted[overshoot]);
    sums.add(numerator, (*counts)[RareQueueRows::cycles].at(0), (*counts)[RareQueueRows::hits].at(0),
             (*counts)[RareQueueRows::slots].at(0));
  }
  return sums.estimate(confidence);
}

RareQueueEstimate estimate_rare_queue(const RareQueueModel& model, std::uint64_t seed,
                                      const RareQueueGoal& goal, const RunControls& controls) {
  if (!(goal.relative_width >= 1e-4 && goal.relative_width <= 1))
    throw InvalidArgument("relative width", std::to_string(goal.relative_width), "from 1e-4 to 1");
  constexpr std::int64_t pilot_cycles = 16'384;
  RunPlan plan = rare_queue_plan(pilot_cycles, seed);
  RunControls quiet = controls;
  quiet.progress = nullptr;
  quiet.checkpoint = nullptr;
  quiet.checkpoint_of = nullptr;
  const RareQueueEstimate pilot =
      rare_queue_estimate(model, run_rare_queue(model, plan, quiet), goal.confidence);
  const double factor = 1.6 * std::pow(pilot.relative_width() / goal.relative_width, 2);
  const double wanted = std::max(1.0, factor) * static_cast<double>(pilot_cycles);
  const auto maximum = static_cast<double>(std::max(goal.max_cycles, pilot_cycles));
  plan = rare_queue_plan(static_cast<std::int64_t>(std::min(wanted, maximum)), seed ^ 0x9e3779b97f4a7c15ULL);
  return rare_queue_estimate(model, run_rare_queue(model, plan, controls), goal.confidence);
}

}  // namespace tailbound::sim
