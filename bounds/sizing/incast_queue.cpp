#include <tailbound/bounds/sizing/claim_value.hpp>
#include <tailbound/bounds/sizing/incast_queue.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/last_that.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/queue/delay/hop_delay.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Interval;
using numeric::Rational;
using TailBounds = numeric::Enclosure<unit::Probability>;

constexpr std::int64_t max_incast_levels = 4'000'000;
/// Limits of long double, used down to 2^this.
constexpr int max_machine_digits = 12;
constexpr double min_log2_known = -3000;
constexpr double max_incast_products = 6e9;

void require_valid(const Incast& incast, std::int64_t served = 1) {
  const auto reject = [](const char* what, const std::string& value, const std::string& legal) {
    throw InvalidArgument(what, value, legal);
  };
  if (incast.senders < 1 || incast.senders > Incast::max_senders)
    reject("senders", std::to_string(incast.senders), "1 to 65536");
  if (incast.packets < 1 || incast.packets > Incast::max_packets)
    reject("packets of a sender", std::to_string(incast.packets), "1 to 65536");
  if (served < 1 || (served >= incast.senders && served > 1))
    reject("packets per slot", std::to_string(served), "fewer than the senders");
  if (incast.batch(served) > Incast::max_batch)
    reject("packets of an event", std::to_string(incast.senders * incast.packets),
           "at most 8192 packets waiting at its end, (N - C) L + C with C served per slot: more would take "
           "minutes");
  if (incast.rate <= 0 || incast.rate * Rational(incast.packets) >= 1)
    reject("rate of the events", numeric::plain(incast.rate),
           "above 0 and below 1/" + std::to_string(incast.packets) + " per slot, as an event takes " +
               std::to_string(incast.packets) + (incast.packets == 1 ? " slot" : " slots"));
}

/// The queue with each event collapsed into one slot.
queue::SlottedQueue contracted(const Incast& incast, int served) {
  std::vector<Rational> pmf(static_cast<std::size_t>(incast.batch(served)) + 1, Rational(0));
  pmf.front() = 1 - incast.start();
  pmf.back() = pmf.back() + incast.start();
  return {.arrivals = series::Arrivals::from_pmf(std::move(pmf)), .packets_per_slot = served};
}

class IncastQueue final : public OutputQueue {
 public:
  IncastQueue(const Incast& incast, int served, const queue::Accuracy& accuracy)
      : incast_(incast),
        served_(served),
        accuracy_(accuracy),
        requested_(accuracy.digits),
        queue_(contracted(incast, served)) {
    accuracy_.digits.count += 1;
  }

  [[nodiscard]] std::optional<Rational> load() const override { return incast_.load(); }
  [[nodiscard]] int packets_per_slot() const override { return served_; }
  [[nodiscard]] bool correlated() const override { return true; }

  [[nodiscard]] std::vector<ComputedProbability> tails(std::span<const Packets> levels) override {
    std::vector<ComputedProbability> result;
    for (const Packets level : levels) result.push_back(tail(level.value));
    return result;
  }
  [[nodiscard]] ComputedProbability drop_probability(Packets capacity, Criterion criterion) override {
    if (capacity.value < 0)
      throw InvalidArgument("capacity", std::to_string(capacity.value),
                            "a whole number of packets, 0 or more");
    return criterion == Criterion::overflow ? tail(capacity.value) : loss(capacity);
  }
  [[nodiscard]] MinBufferSize min_buffer_size(const DropTarget& target) override {
    return target.criterion == Criterion::overflow ? min_level(target) : min_loss(target);
  }
  [[nodiscard]] numeric::Claim<unit::Packet> mean_occupancy() override {
    require_stable();
    const auto batches = queue::mean_occupancy(queue_, accuracy_.digits);
    const Rational q = incast_.start(), slots = 1 - q + q * Rational(incast_.packets);
    const Rational in_events = q * (Rational(incast_.senders - served_) * Rational(incast_.packets) *
                                        Rational(incast_.packets + 1) / 2 +
                                    Rational(incast_.packets) * Rational(served_));
    const Rational more = in_events / slots - q * Rational(batch());
    if (const auto* exact = std::get_if<numeric::Exact<unit::Packet>>(&batches))
      return numeric::Exact<unit::Packet>{exact->proof(), exact->value + more};
    const numeric::PrecisionScope scope(numeric::to_precision(accuracy_.digits));
    const auto& bounds = std::get<numeric::Enclosure<unit::Packet>>(batches);
    return numeric::Enclosure<unit::Packet>(
        bounds.proof(),
        Interval(numeric::make_interval(bounds.lower(), bounds.upper()) + numeric::to_interval(more)));
  }
  [[nodiscard]] std::optional<numeric::Enclosure<unit::PerPacket>> decay_rate() override {
    require_stable();
    return queue::decay_rate(queue_, accuracy_.digits);
  }
  [[nodiscard]] std::optional<ComputedProbability> loss_above(const ComputedProbability& at,
                                                              Packets buffer) override {
    ComputedProbability lost = loss(buffer);
    if (max_value(lost.probability) > max_value(at.probability)) return lost;
    return std::nullopt;
  }

 private:
  /// Of events, not of the slots that they collapse into.
  void require_stable() const {
    if (incast_.load() >= served_) throw Unstable(numeric::plain(incast_.load()), served_);
  }
  /// P(Q^c > n) for n = 0 .. last, Q^c of the slots with an event each.
  void know(std::int64_t last) {
    require_stable();
    if (last >= max_incast_levels)
      throw LimitExceeded("the queue is computed up to " + std::to_string(max_incast_levels) +
                          " packets, which is the limit");
    if (last < static_cast<std::int64_t>(known_.size())) return;
    const std::int64_t size = last + last / 4 + 17;
    if (static_cast<double>(size) * static_cast<double>(batch()) > max_incast_products)
      throw LimitExceeded("the queue up to level " + std::to_string(last) + " in steps of " +
                          std::to_string(batch()) + " packets would take minutes, which is the limit");
    known_.clear();
    if (accuracy_.digits.count <= max_machine_digits) {
      const auto law = queue::occupancy_law(queue_, static_cast<std::size_t>(size), min_log2_known);
      for (std::int64_t n = 0; n < size; ++n)
        known_.push_back(series::enclose_tail(proof(), law, static_cast<std::size_t>(n)));
      method_ = {queue::Arithmetic::extended, law.bits};
      const TailBounds& deepest = known_[static_cast<std::size_t>(last)];
      if (deepest.upper() == 0 || numeric::agree_to(deepest.lower(), deepest.upper(), requested_)) return;
      known_.clear();
    }
    std::vector<Packets> levels;
    for (std::int64_t n = 0; n < size; ++n) levels.emplace_back(n);
    for (const queue::LevelProbability& each : queue::occupancy_tails(queue_, levels, accuracy_)) {
      known_.push_back(numeric::to_enclosure(each.probability));
      method_ = each.method;
    }
  }

  [[nodiscard]] numeric::Proof proof() const {
    return {numeric::Theorem::incast, queue_.arrivals.assumptions()};
  }

  /// P(V > m), V the packets left over by a slot; 1 for m below 0.
  [[nodiscard]] Interval left_over(std::int64_t m) const {
    if (m < 0) return Interval(1);
    const TailBounds& tail = known_[static_cast<std::size_t>(m + served_)];
    return numeric::make_interval(tail.lower(), tail.upper());
  }

  [[nodiscard]] ComputedProbability tail(std::int64_t n) {
    if (n < 0) throw InvalidArgument("level", std::to_string(n), "0 or more");
    know(n + served_);
    const numeric::PrecisionScope scope(
        numeric::Precision{numeric::to_precision(accuracy_.digits).bits + 64});
    const Rational q = incast_.start();
    Interval events(0);
    for (std::int64_t j = 1; j <= incast_.packets; ++j) {
      const std::int64_t m = left_before(n, j);
      if (m < 0) {  // so from here on
        events += Interval(static_cast<long>(incast_.packets - j + 1));
        break;
      }
      events += left_over(m);
    }
    const Interval sum =
        numeric::to_interval(Rational(1 - q)) * left_over(n) + numeric::to_interval(q) * events;
    const Interval all = sum / numeric::to_interval(Rational(1 - q + q * Rational(incast_.packets)));
    return {TailBounds(proof(), numeric::lower(all), std::min(numeric::upper(all), numeric::Real(1))),
            {.route = Computation::Route::recurrence, .method = method_}};
  }

  /// P(Q > n) in rationals, for targets inside the enclosure; none if it has too many digits.
  [[nodiscard]] std::optional<Rational> exact_tail(std::int64_t n) const {
    const auto left_over = [&](std::int64_t m) -> Rational {
      if (m < 0) return 1;
      const auto tail =
          queue::occupancy_tail(queue_, Packets(m + served_), {.arithmetic = queue::Arithmetic::exact});
      return std::get<numeric::Exact<unit::Probability>>(tail.probability).value;
    };
    try {
      const Rational q = incast_.start();
      Rational events = 0;
      for (std::int64_t j = 1; j <= incast_.packets; ++j) events = events + left_over(left_before(n, j));
      return ((1 - q) * left_over(n) + q * events) / (1 - q + q * Rational(incast_.packets));
    } catch (const LimitExceeded&) {
      return std::nullopt;
    }
  }

  /// Fraction of the packets sent: a batch has fewer, as some are served while the event runs.
  [[nodiscard]] ComputedProbability loss(Packets limit) {
    const Computation exactly{.route = Computation::Route::recurrence,
                              .method = {queue::Arithmetic::exact, 0}};
    // Fewer than are served: all of them leave in their slot.
    if (limit.value < served_)
      return {
          numeric::Exact<unit::Probability>{proof(), 1 - Rational(limit.value) / Rational(incast_.senders)},
          exactly};
    const queue::LevelProbability of_batches =
        bounds::drop_probability(queue_, limit, Criterion::loss, accuracy_);
    const Rational share = of_batch();
    const Computation how{.route = Computation::Route::recurrence, .method = of_batches.method};
    if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&of_batches.probability))
      return {numeric::Exact<unit::Probability>{exact->proof(), exact->value * share}, how};
    const numeric::PrecisionScope scope(
        numeric::Precision{numeric::to_precision(accuracy_.digits).bits + 64});
    const auto& bounds = std::get<TailBounds>(of_batches.probability);
    return {TailBounds(bounds.proof(), Interval(numeric::make_interval(bounds.lower(), bounds.upper()) *
                                                numeric::to_interval(share))),
            how};
  }
  [[nodiscard]] std::int64_t batch() const { return incast_.batch(served_); }
  /// What must have been left before an event for more than n packets in its j-th slot.
  [[nodiscard]] std::int64_t left_before(std::int64_t n, std::int64_t j) const {
    return n - served_ - (incast_.senders - served_) * j;
  }
  [[nodiscard]] Rational of_batch() const {
    return Rational(batch()) / (Rational(incast_.senders) * Rational(incast_.packets));
  }

  [[nodiscard]] MinBufferSize min_level(const DropTarget& target) {
    if (target.probability <= 0 || target.probability >= 1)
      throw InvalidArgument("target", numeric::to_fraction(target.probability), "above 0 and below 1");
    require_stable();
    // P(Q > 0) = rho exactly: no enclosure can distinguish it from an equal target.
    if (served_ == 1 && incast_.load() == target.probability)
      return {.buffer = Packets(0),
              .at = {numeric::Exact<unit::Probability>{proof(), target.probability},
                     {.route = Computation::Route::recurrence, .method = {queue::Arithmetic::exact, 0}}},
              .before = {}};
    // s[n - M + 1] q / (1 - q + q L) <= P(Q > n) <= s[n - M + 1]
    const std::int64_t highest =
        queue::min_level(queue_, target.probability / 2, {.digits = {3}}).level.value + batch();
    know(highest + served_);
    const auto meets = [&](std::int64_t n) {
      const TailBounds bounds = std::get<TailBounds>(tail(n).probability);
      if (numeric::compare(bounds.upper(), target.probability) <= 0) return true;
      return numeric::compare(bounds.lower(), target.probability) <= 0 && exact_tail(n) == target.probability;
    };
    const std::int64_t low = first_that(std::int64_t{0}, highest, meets);
    MinBufferSize limit{.buffer = Packets(low), .at = tail(low), .before = {}};
    if (low == 0) return limit;
    limit.before = tail(low - 1);
    if (numeric::compare(std::get<TailBounds>(limit.at.probability).upper(), target.probability) > 0)
      limit.at.probability = numeric::Exact<unit::Probability>{proof(), target.probability};
    if (numeric::compare(std::get<TailBounds>(limit.before->probability).lower(), target.probability) <= 0 &&
        exact_tail(low - 1).value_or(0) <= target.probability)
      throw LimitExceeded("the target " + numeric::to_fraction(target.probability) +
                          " is too close to P(Q > " + std::to_string(low - 1) +
                          "); request more digits to distinguish them");
    return limit;
  }

  [[nodiscard]] MinBufferSize min_loss(const DropTarget& target) {
    if (target.probability > 0 && target.probability < 1)
      queue::require_avoidable(target.probability, incast_.load(), served_);
    DropTarget of_batches = target;
    of_batches.probability = target.probability / of_batch();
    const std::int64_t least = first_that(std::int64_t{0}, std::int64_t{served_}, [&](std::int64_t buffer) {
      return 1 - Rational(buffer) / Rational(incast_.senders) <= target.probability;
    });
    Packets buffer(least);
    if (least == served_ && of_batches.probability < 1)
      buffer = std::max(buffer, buffer_size(queue_, of_batches, accuracy_).buffer);
    MinBufferSize size{.buffer = buffer, .at = loss(buffer), .before = {}};
    if (buffer.value > 0) size.before = loss(buffer - Packets(1));
    return size;
  }

  Incast incast_;
  int served_;
  queue::Accuracy accuracy_;  ///< one digit more than requested
  numeric::Digits requested_;
  queue::SlottedQueue queue_;
  std::vector<TailBounds> known_;
  queue::Method method_{};
};

}  // namespace

Rational Incast::load() const {
  return Rational(senders) * Rational(packets) * rate;
}
Rational Incast::start() const {
  return rate / (1 - rate * Rational(packets - 1));
}

queue::MarkovArrivals arrivals(const Incast& incast) {
  require_valid(incast);
  using queue::MarkovArrivals;
  const auto senders = static_cast<std::size_t>(incast.senders),
             phases = static_cast<std::size_t>(incast.packets);
  if (senders >= MarkovArrivals::max_blocks || phases > MarkovArrivals::max_phases ||
      senders * phases * phases > std::size_t{1} << 24)
    throw NoAnswer(
        "incast with as many packets served per slot as there are senders is supported up to 1023 senders "
        "and 256 packets of each; no queue builds up there");
  queue::RationalBlocks blocks(senders + 1, std::vector(phases, std::vector(phases, Rational(0))));
  blocks[0][0][0] = 1 - incast.start();
  for (std::size_t i = 0; i < phases; ++i) blocks[senders][i][(i + 1) % phases] = i == 0 ? incast.start() : 1;
  return MarkovArrivals::blocks(std::move(blocks));
}

std::unique_ptr<OutputQueue> output_queue(const Incast& incast, int served, const queue::Accuracy& accuracy) {
  require_valid(incast, served);
  return std::make_unique<IncastQueue>(incast, served, accuracy);
}

}  // namespace tailbound::bounds
