#include <cln/rational.h>
#include <tailbound/bounds/claim_value.hpp>
#include <tailbound/bounds/output_queue.hpp>
#include <tailbound/queue/burst_bound.hpp>

#include <algorithm>
#include <string>

namespace tailbound::bounds {
namespace {

using numeric::Rational;
using queue::LevelProbability;

ComputedProbability computed(const LevelProbability& probability) {
  return {numeric::to_claim(probability.probability),
          {.route = Computation::Route::recurrence, .method = probability.method}};
}

class IndependentSlots final : public OutputQueue {
 public:
  IndependentSlots(queue::SlottedQueue queue, const queue::Accuracy& accuracy)
      : queue_(std::move(queue)), accuracy_(accuracy) {
    queue::require_stable(queue_);
  }

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
  [[nodiscard]] LeastRoom least_room(const DropTarget& target) override {
    const BufferSize size = buffer_size(queue_, target, accuracy_);
    LeastRoom room{.buffer = size.buffer, .at = computed(size.at), .before = {}};
    if (size.before) room.before = computed(*size.before);
    return room;
  }
  [[nodiscard]] numeric::Claim<unit::Packet> mean_occupancy() override {
    return numeric::to_claim(queue::mean_occupancy(queue_, accuracy_.digits));
  }
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() override {
    return queue::decay_rate(queue_, accuracy_.digits);
  }
  [[nodiscard]] std::optional<ComputedProbability> loss_above(const ComputedProbability&,
                                                              Packets buffer) override {
    const auto& rho = queue_.arrivals.load();
    if (queue_.packets_per_slot != 1 || !rho || 2 * *rho >= 1) return std::nullopt;
    return drop_probability(buffer, Criterion::loss);
  }

 private:
  queue::SlottedQueue queue_;
  queue::Accuracy accuracy_;
};

/// Do losses take longer than all else? Of many sources whose bursts stay together.
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
  [[nodiscard]] LeastRoom least_room(const DropTarget& target) override {
    ClaimedBufferSize size = buffer_size(queue_, target);
    LeastRoom room{.buffer = size.buffer, .at = computed(std::move(size.at)), .before = {}};
    if (size.before) room.before = computed(std::move(*size.before));
    return room;
  }
  [[nodiscard]] numeric::Claim<unit::Packet> mean_occupancy() override { return queue_.mean_occupancy(); }
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() override {
    return queue_.decay_rate();
  }
  [[nodiscard]] std::optional<ComputedProbability> loss_above(const ComputedProbability& at,
                                                              Packets buffer) override {
    if (losses_are_slow(queue_.arrivals())) {
      // Nobody asks for it: what is known at once.
      if (queue::SourceBound* known = proved();
          known != nullptr && known->loss(buffer.value).value <= greatest_value(at.probability))
        return std::nullopt;
      throw LimitExceeded("the loss of a buffer of " + std::to_string(buffer.value) + " packets");
    }
    ComputedProbability loss = drop_probability(buffer, Criterion::loss);
    if (greatest_value(loss.probability) > greatest_value(at.probability)) return loss;
    return std::nullopt;
  }
  [[nodiscard]] queue::SourceBound* bound() override { return queue_.certified() ? nullptr : proved(); }

 private:
  /// Made once; null where there is none.
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

}  // namespace

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

std::unique_ptr<OutputQueue> output_queue(queue::MarkovArrivals arrivals, const queue::Accuracy& accuracy) {
  if (accuracy.arithmetic != queue::Arithmetic::automatic)
    throw InvalidArgument("arithmetic", queue::name(accuracy.arithmetic),
                          "auto for correlated arrivals (--traffic onoff, --blocks)");
  return std::make_unique<CorrelatedSlots>(std::move(arrivals), accuracy.digits);
}

}  // namespace tailbound::bounds
