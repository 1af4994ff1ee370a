#include <tailbound/bounds/sizing/claim_value.hpp>
#include <tailbound/bounds/sizing/output_queue.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/queue/tail_bounds/burst_bound.hpp>

#include <algorithm>
#include <exception>
#include <string>

namespace tailbound::bounds {

ComputedProbability computed(const queue::LevelProbability& probability) {
  return {numeric::to_claim(probability.probability),
          {.route = Computation::Route::recurrence, .method = probability.method}};
}

namespace {

using numeric::Rational;
using queue::LevelProbability;

class IndependentSlots final : public OutputQueue {
 public:
  IndependentSlots(queue::SlottedQueue queue, const queue::Accuracy& accuracy,
                   queue::Timing timing = queue::Timing::slotted)
      : queue_(std::move(queue)), accuracy_(accuracy), timing_(timing) {}

  [[nodiscard]] std::optional<Rational> load() const override { return queue_.arrivals.load(); }
  [[nodiscard]] int packets_per_slot() const override { return queue_.packets_per_slot; }
  [[nodiscard]] bool correlated() const override { return false; }

  [[nodiscard]] std::vector<ComputedProbability> tails(std::span<const Packets> levels) override {
    std::vector<ComputedProbability> result;
    for (const LevelProbability& tail : queue::occupancy_tails(queue_, levels, accuracy_))
      result.push_back(computed(tail));
    return result;
  }
  [[nodiscard]] ComputedProbability drop_probability(Packets capacity, Criterion criterion) override {
    return computed(bounds::drop_probability(queue_, capacity, criterion, accuracy_, timing_));
  }
  [[nodiscard]] MinBufferSize min_buffer_size(const DropTarget& target) override {
    const BufferSize size = buffer_size(queue_, {target.probability, target.criterion, timing_}, accuracy_);
    MinBufferSize smallest{.buffer = size.buffer, .at = computed(size.at), .before = {}};
    if (size.before) smallest.before = computed(*size.before);
    return smallest;
  }
  [[nodiscard]] numeric::Claim<unit::Packet> mean_occupancy() override {
    return numeric::to_claim(queue::mean_occupancy(queue_, accuracy_.digits));
  }
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() override {
    return queue::decay_rate(queue_, accuracy_.digits);
  }
  [[nodiscard]] std::optional<ComputedProbability> loss_above(const ComputedProbability& at,
                                                              Packets buffer) override {
    const auto& rho = queue_.arrivals.load();
    const bool may_be =
        timing_ == queue::Timing::continuous || (queue_.packets_per_slot == 1 && rho && 2 * *rho < 1);
    if (!may_be) return std::nullopt;
    ComputedProbability loss = drop_probability(buffer, Criterion::loss);
    // Both are 0 where no queue is that long.
    if (max_value(loss.probability) > max_value(at.probability)) return loss;
    return std::nullopt;
  }

 private:
  queue::SlottedQueue queue_;
  queue::Accuracy accuracy_;
  queue::Timing timing_;
};

/// Whether the loss dominates the cost: with many sources and per-burst destinations.
bool losses_are_slow(const queue::MarkovArrivals& arrivals) {
  const auto* groups = std::get_if<std::vector<queue::OnOffGroup>>(&arrivals.form());
  return groups != nullptr && groups->front().share != 1 && arrivals.phases() > 153;
}

class CorrelatedSlots final : public OutputQueue {
 public:
  CorrelatedSlots(queue::MarkovArrivals arrivals, numeric::Digits digits)
      : queue_(std::move(arrivals), digits) {}

  [[nodiscard]] std::optional<Rational> load() const override { return queue_.arrivals().load(); }
  [[nodiscard]] int packets_per_slot() const override { return 1; }
  [[nodiscard]] bool correlated() const override { return true; }

  [[nodiscard]] std::vector<ComputedProbability> tails(std::span<const Packets> levels) override {
    std::vector<ComputedProbability> result;
    for (const Packets level : levels) result.push_back(computed(queue_.tail(level.value)));
    return result;
  }
  [[nodiscard]] ComputedProbability drop_probability(Packets capacity, Criterion criterion) override {
    return computed(bounds::drop_probability(queue_, capacity, criterion));
  }
  [[nodiscard]] MinBufferSize min_buffer_size(const DropTarget& target) override {
    ClaimedBufferSize size = buffer_size(queue_, target);
    MinBufferSize smallest{.buffer = size.buffer, .at = computed(std::move(size.at)), .before = {}};
    if (size.before) smallest.before = computed(std::move(*size.before));
    return smallest;
  }
  [[nodiscard]] numeric::Claim<unit::Packet> mean_occupancy() override { return queue_.mean_occupancy(); }
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() override {
    return queue_.decay_rate();
  }
  [[nodiscard]] std::optional<ComputedProbability> loss_above(const ComputedProbability& at,
                                                              Packets buffer) override {
    if (losses_are_slow(queue_.arrivals())) {
      // Not requested explicitly: only what is available at once.
      if (queue::SourceBound* known = proved();
          known != nullptr && known->loss(buffer.value).value <= max_value(at.probability))
        return std::nullopt;
      throw LimitExceeded("the loss of a buffer of " + std::to_string(buffer.value) + " packets");
    }
    ComputedProbability loss = drop_probability(buffer, Criterion::loss);
    if (max_value(loss.probability) > max_value(at.probability)) return loss;
    return std::nullopt;
  }
  [[nodiscard]] queue::SourceBound* bound() override { return queue_.certified() ? nullptr : proved(); }

 private:
  /// Created once; null if there is none.
  [[nodiscard]] queue::SourceBound* proved() {
    if (!bound_) bound_ = queue::source_bound(queue_.arrivals());
    return bound_ ? &*bound_ : nullptr;
  }
  [[nodiscard]] static ComputedProbability computed(queue::ProbabilityClaim claim) {
    const bool modes = std::holds_alternative<numeric::Approximation<unit::Probability>>(claim);
    return {std::move(claim),
            {.route = modes ? Computation::Route::modes : Computation::Route::matrices, .method = {}}};
  }

  queue::MarkovQueue queue_;
  std::optional<queue::SourceBound> bound_{};
};

class LowerClass final : public OutputQueue {
 public:
  LowerClass(queue::ClassQueue queue, numeric::Digits digits) {
    unlimited_.emplace(std::move(queue.arrivals), digits);
  }
  LowerClass(BufferedClass queue, numeric::Digits digits) {
    const queue::ClassArrivals merged = queue::merged_classes(queue.slots, queue.higher.size());
    try {
      unlimited_.emplace(merged, digits);
    } catch (const Unstable&) {
      overload_ = std::current_exception();
    }
    finite_.emplace(std::move(queue.slots), std::move(queue.higher), digits);
  }

  [[nodiscard]] std::optional<Rational> load() const override {
    return unlimited_ ? std::optional(unlimited_->load()) : std::nullopt;
  }
  [[nodiscard]] int packets_per_slot() const override { return 1; }
  [[nodiscard]] bool correlated() const override { return false; }

  [[nodiscard]] std::vector<ComputedProbability> tails(std::span<const Packets> levels) override {
    std::vector<ComputedProbability> result;
    for (const Packets level : levels) result.push_back(computed(unlimited().tail(level)));
    return result;
  }
  [[nodiscard]] ComputedProbability drop_probability(Packets capacity, Criterion criterion) override {
    if (criterion == Criterion::overflow) return computed(unlimited().tail(capacity));
    if (finite_) return computed(finite_->loss(capacity));
    return at_most(unlimited().loss(capacity));
  }
  [[nodiscard]] MinBufferSize min_buffer_size(const DropTarget& target) override {
    if (target.criterion == Criterion::loss && finite_) {
      queue::FiniteClasses::Minimum minimum = finite_->min_buffer_size(target.probability);
      MinBufferSize smallest{
          .buffer = Packets(minimum.level), .at = computed(std::move(minimum.at)), .before = {}};
      if (minimum.before) smallest.before = computed(*std::move(minimum.before));
      return smallest;
    }
    const bool overflow = target.criterion == Criterion::overflow;
    const queue::PriorityQueue::Minimum minimum = overflow ? unlimited().min_level(target.probability)
                                                           : unlimited().min_buffer_size(target.probability);
    MinBufferSize smallest{.buffer = Packets(minimum.level),
                           .at = overflow ? computed(minimum.at) : at_most(minimum.at),
                           .before = {}};
    if (minimum.before && overflow) smallest.before = computed(*minimum.before);
    return smallest;
  }
  [[nodiscard]] numeric::Claim<unit::Packet> mean_occupancy() override {
    return numeric::Exact<unit::Packet>{numeric::Theorem::priority_queue, unlimited().mean_occupancy()};
  }
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() override {
    return std::nullopt;
  }
  [[nodiscard]] std::optional<ComputedProbability> loss_above(const ComputedProbability& at,
                                                              Packets buffer) override {
    ComputedProbability loss = drop_probability(buffer, Criterion::loss);
    if (max_value(loss.probability) > max_value(at.probability)) return loss;
    return std::nullopt;
  }

 private:
  [[nodiscard]] queue::PriorityQueue& unlimited() {
    if (!unlimited_) std::rethrow_exception(overload_);
    return *unlimited_;
  }
  [[nodiscard]] static ComputedProbability computed(const queue::PriorityQueue::Probability& probability) {
    return {numeric::Enclosure<unit::Probability>(probability),
            {.route = Computation::Route::recurrence, .method = probability.method}};
  }
  [[nodiscard]] static ComputedProbability computed(queue::FiniteClasses::Loss loss) {
    return {std::move(loss.loss), {.route = Computation::Route::recurrence, .method = loss.method}};
  }
  /// Of a loss with infinite higher buffers.
  [[nodiscard]] static ComputedProbability at_most(const queue::PriorityQueue::Probability& loss) {
    return {numeric::UpperBound<unit::Probability>{loss.proof(), loss.upper()},
            {.route = Computation::Route::recurrence, .method = loss.method}};
  }

  std::optional<queue::PriorityQueue> unlimited_;  ///< with infinite buffers
  std::exception_ptr overload_;                    ///< why there is none
  std::optional<queue::FiniteClasses> finite_;
};

class CorrelatedSteps final : public OutputQueue {
 public:
  CorrelatedSteps(queue::StepsQueue queue, numeric::Digits digits)
      : queue_(std::move(queue)), digits_(digits) {}

  [[nodiscard]] std::optional<Rational> load() const override { return queue_.load; }
  [[nodiscard]] int packets_per_slot() const override { return queue_.served; }
  [[nodiscard]] bool correlated() const override { return true; }

  [[nodiscard]] std::vector<ComputedProbability> tails(std::span<const Packets> levels) override {
    std::vector<ComputedProbability> result;
    for (const Packets level : levels) result.push_back(above(level));
    return result;
  }
  [[nodiscard]] ComputedProbability drop_probability(Packets capacity, Criterion criterion) override {
    return criterion == Criterion::loss ? loss(capacity) : above(capacity);
  }
  [[nodiscard]] MinBufferSize min_buffer_size(const DropTarget& target) override {
    if (target.criterion == Criterion::loss) return min_loss(target);
    const Packets smallest(occupancy().min_level(target.probability));
    MinBufferSize result{.buffer = smallest, .at = above(smallest), .before = {}};
    if (smallest.value > 0) result.before = above(smallest - Packets(1));
    return result;
  }
  [[nodiscard]] numeric::Claim<unit::Packet> mean_occupancy() override {
    const long double mean = occupancy().mean();
    return numeric::Approximation<unit::Packet>{numeric::Real(mean),
                                                std::min(occupancy().agreed_digits(), 12)};
  }
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() override {
    return std::nullopt;
  }
  [[nodiscard]] std::optional<ComputedProbability> loss_above(const ComputedProbability&, Packets) override {
    return std::nullopt;
  }

 private:
  /// Unstable queues have none.
  [[nodiscard]] queue::StepsOccupancy& occupancy() {
    if (!occupancy_) occupancy_.emplace(queue_, digits_);
    return *occupancy_;
  }
  /// Of the steps of a slot, each of which serves a packet: the same packets are lost.
  [[nodiscard]] queue::MarkovQueue& steps() {
    if (!steps_) steps_.emplace(queue_.steps, digits_);
    return *steps_;
  }
  [[nodiscard]] ComputedProbability loss(Packets capacity) {
    return {steps().loss(capacity.value), {.route = Computation::Route::matrices, .method = {}}};
  }
  [[nodiscard]] MinBufferSize min_loss(const DropTarget& target) {
    if (target.probability > 0 && target.probability < 1)
      queue::require_avoidable(target.probability, queue_.load, queue_.served);
    const Packets buffer(steps().min_capacity(target.probability));
    MinBufferSize result{.buffer = buffer, .at = loss(buffer), .before = {}};
    if (buffer.value > 0) result.before = loss(buffer - Packets(1));
    return result;
  }
  [[nodiscard]] ComputedProbability above(Packets level) {
    const queue::StepsProbability found = occupancy().above(level.value);
    const Computation how{.route = Computation::Route::matrices, .method = {}};
    if (!found.agreed_digits)
      return {numeric::Enclosure<unit::Probability>(numeric::Theorem::fraction_of_slots, found.bounds), how};
    const numeric::PrecisionScope scope(numeric::Precision{numeric::to_precision(digits_).bits + 64});
    return {numeric::Approximation<unit::Probability>{
                (numeric::lower(found.bounds) + numeric::upper(found.bounds)) / 2, *found.agreed_digits},
            how};
  }

  queue::StepsQueue queue_;
  numeric::Digits digits_;
  std::optional<queue::StepsOccupancy> occupancy_{};
  std::optional<queue::MarkovQueue> steps_{};
};

}  // namespace

std::optional<numeric::Enclosure<unit::PerPacket>> OutputQueue::found_decay_rate() {
  try {
    return decay_rate();
  } catch (const LimitExceeded&) {
    return std::nullopt;
  }
}

const char* Computation::name() const {
  switch (route) {
    case Route::matrices:
      return "matrices";
    case Route::modes:
      return "modes";
    case Route::recurrence:
      break;
  }
  return queue::name(method.arithmetic);
}

std::unique_ptr<OutputQueue> output_queue(queue::SlottedQueue queue, const queue::Accuracy& accuracy) {
  return std::make_unique<IndependentSlots>(std::move(queue), accuracy);
}

std::unique_ptr<OutputQueue> poisson_at_any_time(const Rational& load, const queue::Accuracy& accuracy) {
  return std::make_unique<IndependentSlots>(queue::SlottedQueue{.arrivals = series::Arrivals::poisson(load)},
                                            accuracy, queue::Timing::continuous);
}

std::unique_ptr<OutputQueue> output_queue(queue::MarkovArrivals arrivals, const queue::Accuracy& accuracy) {
  if (accuracy.arithmetic != queue::Arithmetic::automatic)
    throw InvalidArgument("arithmetic", queue::name(accuracy.arithmetic),
                          "auto for correlated arrivals (--traffic onoff, --blocks)");
  return std::make_unique<CorrelatedSlots>(std::move(arrivals), accuracy.digits);
}

namespace {

template <class Queue>
std::unique_ptr<OutputQueue> lower_class(Queue queue, const queue::Accuracy& accuracy) {
  if (accuracy.arithmetic != queue::Arithmetic::automatic)
    throw InvalidArgument("arithmetic", queue::name(accuracy.arithmetic),
                          "auto for classes of lower priority (--classes, --joint)");
  return std::make_unique<LowerClass>(std::move(queue), accuracy.digits);
}

}  // namespace

std::unique_ptr<OutputQueue> output_queue(queue::ClassQueue queue, const queue::Accuracy& accuracy) {
  return lower_class(std::move(queue), accuracy);
}

std::unique_ptr<OutputQueue> output_queue(BufferedClass queue, const queue::Accuracy& accuracy) {
  return lower_class(std::move(queue), accuracy);
}

std::unique_ptr<OutputQueue> output_queue(queue::FlowQueue queue, const queue::Accuracy& accuracy) {
  return output_queue(std::move(queue.queue), accuracy);
}

std::unique_ptr<OutputQueue> output_queue(const queue::MarkedArrivals& queue,
                                          const queue::Accuracy& accuracy) {
  std::vector<queue::OnOffGroup> all = queue.others;
  all.push_back(queue.own);
  return output_queue(queue::MarkovArrivals::on_off(std::move(all)), accuracy);
}

std::unique_ptr<OutputQueue> output_queue(queue::StepsQueue queue, const queue::Accuracy& accuracy) {
  if (accuracy.arithmetic != queue::Arithmetic::automatic)
    throw InvalidArgument("arithmetic", queue::name(accuracy.arithmetic),
                          "auto for correlated arrivals (--traffic onoff, --blocks)");
  return std::make_unique<CorrelatedSteps>(std::move(queue), accuracy.digits);
}

}  // namespace tailbound::bounds
