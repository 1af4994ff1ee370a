#include <cln/rational.h>
#include <tailbound/bounds/sizing/claim_value.hpp>
#include <tailbound/bounds/sizing/output_queue.hpp>
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
  IndependentSlots(queue::SlottedQueue queue, const queue::Accuracy& accuracy)
      : queue_(std::move(queue)), accuracy_(accuracy) {}

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
    return computed(bounds::drop_probability(queue_, capacity, criterion, accuracy_));
  }
  [[nodiscard]] MinBufferSize min_buffer_size(const DropTarget& target) override {
    const BufferSize size = buffer_size(queue_, target, accuracy_);
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
    if (queue_.packets_per_slot != 1 || !rho || 2 * *rho >= 1) return std::nullopt;
    ComputedProbability loss = drop_probability(buffer, Criterion::loss);
    // Both are 0 where no queue is that long.
    if (max_value(loss.probability) > max_value(at.probability)) return loss;
    return std::nullopt;
  }

 private:
  queue::SlottedQueue queue_;
  queue::Accuracy accuracy_;
};

/// M/D/1, and M/D/1/K.
class PoissonAtAnyTime final : public OutputQueue {
 public:
  PoissonAtAnyTime(const Rational& load, const queue::Accuracy& accuracy)
      : load_(load),
        queue_{.arrivals = series::Arrivals::poisson(load)},
        slots_(queue_, accuracy),
        accuracy_(accuracy) {
    queue::require_stable(queue_);
  }

  [[nodiscard]] std::optional<Rational> load() const override { return load_; }
  [[nodiscard]] int packets_per_slot() const override { return 1; }
  [[nodiscard]] bool correlated() const override { return false; }

  [[nodiscard]] std::vector<ComputedProbability> tails(std::span<const Packets> levels) override {
    return slots_.tails(levels);
  }
  [[nodiscard]] ComputedProbability drop_probability(Packets capacity, Criterion criterion) override {
    return criterion == Criterion::overflow ? slots_.drop_probability(capacity, criterion) : loss(capacity);
  }
  [[nodiscard]] MinBufferSize min_buffer_size(const DropTarget& target) override {
    if (target.criterion == Criterion::overflow) return slots_.min_buffer_size(target);
    // loss(K) <= eps  <=>  P(Q > K - 1) <= eps / (1 - load + eps load)
    const Rational& eps = target.probability;
    const Packets level =
        eps > 0 && eps < 1
            ? slots_.min_buffer_size({eps / (1 - load_ + eps * load_), Criterion::overflow}).buffer
            : slots_.min_buffer_size(target).buffer;  // rejects it
    return {.buffer = level + Packets(1), .at = loss(level + Packets(1)), .before = loss(level)};
  }
  [[nodiscard]] numeric::Claim<unit::Packet> mean_occupancy() override { return slots_.mean_occupancy(); }
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() override {
    return slots_.decay_rate();
  }
  [[nodiscard]] std::optional<ComputedProbability> loss_above(const ComputedProbability& at,
                                                              Packets buffer) override {
    ComputedProbability lost = loss(buffer);
    if (max_value(lost.probability) > max_value(at.probability)) return lost;
    return std::nullopt;
  }

 private:
  /// The fraction lost with a buffer of `capacity` packets. It increases with t = P(Q > capacity - 1), and 1
  /// - load t widens the enclosure of t by less than 1 / (1 - load).
  [[nodiscard]] ComputedProbability loss(Packets capacity) {
    const Computation exactly{.route = Computation::Route::recurrence,
                              .method = {queue::Arithmetic::exact, 0}};
    if (capacity.value < 0)
      throw InvalidArgument("capacity", std::to_string(capacity.value),
                            "a whole number of packets, 0 or more");
    if (capacity.value == 0) return {numeric::Exact<unit::Probability>{numeric::Theorem::input, 1}, exactly};
    for (int extra = 1; extra <= 64; extra = 2 * extra + 2) {
      queue::Accuracy finer = accuracy_;
      finer.digits.count += extra;
      const LevelProbability tail = queue::occupancy_tail(queue_, capacity - Packets(1), finer);
      const Computation how{.route = Computation::Route::recurrence, .method = tail.method};
      if (const auto* t = std::get_if<numeric::Exact<unit::Probability>>(&tail.probability))
        return {
            numeric::Exact<unit::Probability>{t->proof(), (1 - load_) * t->value / (1 - load_ * t->value)},
            how};
      const numeric::PrecisionScope scope(numeric::Precision{numeric::to_precision(finer.digits).bits + 64});
      const auto& t = std::get<numeric::Enclosure<unit::Probability>>(tail.probability);
      const numeric::Interval load = numeric::to_interval(load_);
      const auto lost = [&](const numeric::Real& at) {
        const numeric::Interval one = numeric::to_interval(at);
        return numeric::Interval((1 - load) * one / (1 - load * one));
      };
      const numeric::Enclosure<unit::Probability> both(t.proof(), numeric::lower(lost(t.lower())),
                                                       numeric::upper(lost(t.upper())));
      if (numeric::agree_to(both.lower(), both.upper(), accuracy_.digits)) return {both, how};
    }
    throw LimitExceeded("the loss of a buffer of " + std::to_string(capacity.value) + " packets to " +
                        std::to_string(accuracy_.digits.count) + " digits");
  }

  Rational load_;
  queue::SlottedQueue queue_;
  IndependentSlots slots_;
  queue::Accuracy accuracy_;
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

class FractionOfSlots final : public OutputQueue {
 public:
  FractionOfSlots(queue::PartsQueue queue, numeric::Digits digits)
      : delay_(std::move(queue), digits), digits_(digits) {}

  [[nodiscard]] std::optional<Rational> load() const override { return delay_.queue().load; }
  [[nodiscard]] int packets_per_slot() const override {
    return (delay_.queue().served + delay_.queue().of_packet - 1) / delay_.queue().of_packet;
  }
  [[nodiscard]] bool correlated() const override {
    return std::holds_alternative<queue::MarkovArrivals>(delay_.queue().parts);
  }

  [[nodiscard]] std::vector<ComputedProbability> tails(std::span<const Packets> levels) override {
    std::vector<ComputedProbability> result;
    for (const Packets level : levels) result.push_back(computed(delay_.above(level.value)));
    return result;
  }
  [[nodiscard]] ComputedProbability drop_probability(Packets capacity, Criterion criterion) override {
    require_overflow(criterion);
    return computed(delay_.above(capacity.value));
  }
  [[nodiscard]] MinBufferSize min_buffer_size(const DropTarget& target) override {
    require_overflow(target.criterion);
    const std::int64_t smallest = delay_.min_level(target.probability);
    MinBufferSize result{.buffer = Packets(smallest), .at = computed(delay_.above(smallest)), .before = {}};
    if (smallest > 0) result.before = computed(delay_.above(smallest - 1));
    return result;
  }
  [[nodiscard]] numeric::Claim<unit::Packet> mean_occupancy() override {
    const long double mean = delay_.mean_packets();
    return numeric::Approximation<unit::Packet>{numeric::Real(mean), std::min(delay_.agreed_digits(), 12)};
  }
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() override {
    return std::nullopt;
  }
  [[nodiscard]] std::optional<ComputedProbability> loss_above(const ComputedProbability&, Packets) override {
    return std::nullopt;
  }

 private:
  static void require_overflow(Criterion criterion) {
    if (criterion == Criterion::loss)
      throw NoAnswer(
          "the loss at a link that serves a fraction of a packet per slot, or several packets per slot of "
          "bursty traffic, is not supported; use --criterion overflow, or simulate tree --network FILE to "
          "estimate losses");
  }
  [[nodiscard]] ComputedProbability computed(const queue::PartsProbability& found) const {
    const Computation how{
        .route = correlated() ? Computation::Route::matrices : Computation::Route::recurrence, .method = {}};
    if (!found.agreed_digits)
      return {numeric::Enclosure<unit::Probability>(numeric::Theorem::fraction_of_slots, found.bounds), how};
    const numeric::PrecisionScope scope(numeric::Precision{numeric::to_precision(digits_).bits + 64});
    return {numeric::Approximation<unit::Probability>{
                (numeric::lower(found.bounds) + numeric::upper(found.bounds)) / 2, *found.agreed_digits},
            how};
  }

  queue::PartsDelay delay_;
  numeric::Digits digits_;
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
  return std::make_unique<PoissonAtAnyTime>(load, accuracy);
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
  if (queue.of_packet == 1) return output_queue(std::move(queue.queue), accuracy);
  const Rational load = *queue.queue.arrivals.load() / numeric::whole(queue.of_packet);
  const int served = queue.queue.packets_per_slot;
  return output_queue(queue::PartsQueue{std::move(queue.queue), served, queue.of_packet, load}, accuracy);
}

std::unique_ptr<OutputQueue> output_queue(const queue::MarkedArrivals& queue,
                                          const queue::Accuracy& accuracy) {
  std::vector<queue::OnOffGroup> all = queue.others;
  all.push_back(queue.own);
  return output_queue(queue::MarkovArrivals::on_off(std::move(all)), accuracy);
}

std::unique_ptr<OutputQueue> output_queue(queue::PartsQueue queue, const queue::Accuracy& accuracy) {
  if (accuracy.arithmetic != queue::Arithmetic::automatic)
    throw InvalidArgument("arithmetic", queue::name(accuracy.arithmetic),
                          "auto for links that serve a fraction of a packet per slot");
  return std::make_unique<FractionOfSlots>(std::move(queue), accuracy.digits);
}

}  // namespace tailbound::bounds
