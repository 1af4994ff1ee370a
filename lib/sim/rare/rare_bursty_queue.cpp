#include <tailbound/core/error.hpp>
#include <tailbound/sim/rare/on_count.hpp>
#include <tailbound/sim/rare/rare_bursty_queue.hpp>
#include <tailbound/sim/rare/rare_event.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tailbound::sim {
namespace {

enum BurstyPurpose : std::uint64_t { other = 0, cycles = 1 };

double checked_exponent(const RareBurstyQueueModel& model) {
  check_event_level(model.event, model.level);
  static_cast<void>(OnOffSlots(model.sources.source));  // rejects sources that never forget their phase
  const double exponent = decay_exponent(std::span(&model.sources, 1));
  require_in_reach(model.event, model.level, exponent);
  return exponent;
}

double load_of(const RareBurstyQueueModel& model) {
  return numeric::nearest_double(model.sources.source.load * model.sources.share) *
         static_cast<double>(model.sources.count);
}

/// Columns 0, 1, 2, ... for differences 0, -1, 1, -2, 2, ...
std::size_t column_of(std::int64_t difference) {
  return static_cast<std::size_t>(difference < 0 ? -2 * difference - 1 : 2 * difference);
}
double difference_of(std::size_t column) {
  const auto half = static_cast<double>((column + 1) / 2);
  return column % 2 == 1 ? -half : half;
}

/// Two numbers as one: 0, 1, 2, ... along the diagonals.
std::size_t paired(std::size_t first, std::size_t second) {
  return (first + second) * (first + second + 1) / 2 + second;
}
std::pair<std::size_t, std::size_t> unpaired(std::size_t pair) {
  auto sum = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(pair) + 1) - 1) / 2);
  while (sum * (sum + 1) / 2 > pair) --sum;
  while ((sum + 1) * (sum + 2) / 2 <= pair) ++sum;
  const std::size_t second = pair - sum * (sum + 1) / 2;
  return {sum - second, second};
}

// The difference between sources all of whose bursts come here, and others.

std::size_t column_of(std::int32_t from, std::int32_t to) {
  return column_of(std::int64_t{to} - from);
}
std::size_t column_of(DirectedCount::State from, DirectedCount::State to) {
  return paired(column_of(from.here, to.here), column_of(from.elsewhere, to.elsewhere));
}
/// log of the eigenvector's part of the likelihood ratio.
double log_ratio(const OnOffChances& chances, std::size_t column) {
  return -chances.log_eigenvector * difference_of(column);
}
double log_ratio(const DirectedChances& chances, std::size_t column) {
  const auto [here, elsewhere] = unpaired(column);
  return -chances.log_here * difference_of(here) - chances.log_elsewhere * difference_of(elsewhere);
}
void put(ByteWriter& writer, std::int32_t on) {
  writer.put(on);
}
void put(ByteWriter& writer, DirectedCount::State on) {
  writer.put(on.here);
  writer.put(on.elsewhere);
}
void get(ByteReader& reader, std::int64_t maximum, std::int32_t& on) {
  on = reader.get<std::int32_t>();
  if (on < 0 || on > maximum) ByteReader::fail();
}
void get(ByteReader& reader, std::int64_t maximum, DirectedCount::State& on) {
  get(reader, maximum, on.here);
  get(reader, maximum - on.here, on.elsewhere);
}

template <class Sources>
class RareBurstyQueue final : public Replication {
 public:
  /// \param tilted, plain  one source's chances
  RareBurstyQueue(const RareBurstyQueueModel& model, RandomKey key, const auto& tilted, const auto& plain)
      : event_(model.event),
        bar_(event_bar(model.event, model.level)),
        tilted_(model.sources.count, tilted),
        plain_(model.sources.count, plain),
        max_on_(model.sources.count),
        other_random_(key, other, 0),
        random_(key, cycles, 0),
        on_(plain_.stationary(other_random_)) {}

  void advance(std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i) {
      go_on_to_empty();
      cycle();
    }
    cycles_ += static_cast<std::uint64_t>(count);
  }
  [[nodiscard]] Counts take_counts() override {
    Counts counts{{cycles_}, {hits_}, {slots_}};
    for (auto& row : std::exchange(counted_, {})) counts.push_back(std::move(row));
    cycles_ = hits_ = slots_ = 0;
    return counts;
  }
  void save(ByteWriter& writer) override {
    other_random_.save(writer);
    random_.save(writer);
    writer.put(occupancy_);
    put(writer, on_);
    for (const std::uint64_t count : {cycles_, hits_, slots_}) writer.put(count);
    writer.put<std::uint64_t>(counted_.size());
    for (const auto& row : counted_) writer.put(row);
  }
  void load(ByteReader& reader) override {
    other_random_.load(reader);
    random_.load(reader);
    occupancy_ = reader.get<std::int64_t>();
    get(reader, max_on_, on_);
    if (occupancy_ < 0) ByteReader::fail();
    for (std::uint64_t* count : {&cycles_, &hits_, &slots_}) *count = reader.get<std::uint64_t>();
    counted_.clear();
    for (auto left = reader.get<std::uint64_t>(); left > 0; --left)
      counted_.push_back(reader.get_vector<std::uint64_t>());
  }

 private:
  void go_on_to_empty();
  void cycle();
  using State = typename Sources::State;
  [[nodiscard]] std::uint64_t finish(std::int64_t occupancy, std::int64_t arrivals, State on);

  RareEvent event_;
  std::int64_t bar_;
  Sources tilted_, plain_;
  std::int64_t max_on_;
  RandomStream other_random_, random_;
  std::int64_t occupancy_ = 0;  ///< of the plain simulation
  State on_;                    ///< of its sources, in the next slot
  std::vector<std::vector<std::uint64_t>> counted_;
  std::uint64_t cycles_ = 0, hits_ = 0, slots_ = 0;
};

/// The plain simulation, to its next slot with Q = 0.
template <class Sources>
void RareBurstyQueue<Sources>::go_on_to_empty() {
  do {
    occupancy_ = std::max<std::int64_t>(occupancy_ - 1, 0) + plain_.packets(on_, other_random_);
    if (event_ == RareEvent::loss) occupancy_ = std::min(occupancy_, bar_);
    on_ = plain_.next(on_, other_random_);
    ++slots_;
  } while (occupancy_ > 0);
}

template <class Sources>
void RareBurstyQueue<Sources>::cycle() {
  State on = on_;
  std::int64_t arrivals = tilted_.packets(on, random_), occupancy = arrivals;
  on = tilted_.next(on, random_);
  std::uint64_t slots = 1;
  while (occupancy > 0 && occupancy <= bar_) {
    arrivals = tilted_.packets(on, random_);
    on = tilted_.next(on, random_);
    occupancy += arrivals - 1;
    ++slots;
  }
  slots_ += slots;
  if (occupancy == 0) return;
  ++hits_;
  const auto overshoot = static_cast<std::size_t>(occupancy - bar_ - 1);
  if (counted_.size() <= overshoot) counted_.resize(overshoot + 1);
  auto& row = counted_[overshoot];
  const std::size_t column = column_of(on_, on);
  if (row.size() <= column) row.resize(column + 1);
  row[column] += finish(occupancy, arrivals, on);
}

/// Continues with plain sources until the queue is empty; returns the count on the way, this slot included.
/// `on`: in the next slot.
template <class Sources>
std::uint64_t RareBurstyQueue<Sources>::finish(std::int64_t occupancy, std::int64_t arrivals, State on) {
  std::uint64_t slots = 0;
  std::int64_t counted = 0;
  for (;;) {
    const std::int64_t beyond = std::max<std::int64_t>(occupancy - bar_, 0);
    switch (event_) {
      case RareEvent::overflow:
        counted += beyond > 0;
        break;
      case RareEvent::wait:  // packets that join with as many ahead of them
        counted += std::min(beyond, arrivals);
        break;
      case RareEvent::loss:
        counted += beyond;
        occupancy -= beyond;
        break;
    }
    if (occupancy == 0) break;
    arrivals = plain_.packets(on, random_);
    on = plain_.next(on, random_);
    occupancy += arrivals - 1;
    ++slots;
  }
  slots_ += slots;
  return static_cast<std::uint64_t>(counted);
}

}  // namespace

std::string describe(const RareBurstyQueueModel& model) {
  const traffic::OnOff& source = model.sources.source;
  return describe(model.event, model.level) + std::to_string(model.sources.count) +
         " on-off sources of rate " + numeric::to_fraction(source.load) + ", on-rate " +
         numeric::to_fraction(source.on_rate) + ", stop " + numeric::to_fraction(source.stop) +
         (model.sources.share == 1
              ? ""
              : ", of whose bursts come here " + numeric::to_fraction(model.sources.share));
}

std::unique_ptr<Replication> make_rare_bursty_queue_replication(const RareBurstyQueueModel& model,
                                                                RandomKey key) {
  const auto& [source, count, share] = model.sources;
  const double exponent = checked_exponent(model);
  if (share == 1)
    return std::make_unique<RareBurstyQueue<OnCount>>(model, key, tilted(source, exponent),
                                                      tilted(source, 0));
  return std::make_unique<RareBurstyQueue<DirectedCount>>(model, key, tilted(source, share, exponent),
                                                          tilted(source, share, 0));
}

RunPlan rare_bursty_queue_plan(const RareBurstyQueueModel& model, std::int64_t cycles_in_all,
                               std::uint64_t seed) {
  const double load = load_of(model);
  const std::int64_t each = std::max<std::int64_t>((cycles_in_all + 3) / 4, 16);
  const double slots = static_cast<double>(each) / std::max(1 - load, 1e-9);
  RunPlan plan = automatic_plan(load, 1, static_cast<std::int64_t>(std::min(slots, 1e12)), 4, seed,
                                memory_of(model.sources.source, model.sources.count, model.sources.share));
  plan.warmup = static_cast<std::int64_t>(std::ceil(static_cast<double>(plan.warmup) * (1 - load)));
  plan.slots = each;
  return plan;
}

RunResult run_rare_bursty_queue(const RareBurstyQueueModel& model, const RunPlan& plan,
                                const RunControls& controls, std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_rare_bursty_queue_replication(model, key); },
      controls, resume);
}

RareQueueEstimate rare_bursty_queue_estimate(const RareBurstyQueueModel& model, const RunResult& result,
                                             double confidence) {
  const double exponent = checked_exponent(model);
  const auto& [source, count, share] = model.sources;
  const OnOffChances chances = tilted(source, exponent);
  const DirectedChances directed = share == 1 ? DirectedChances{} : tilted(source, share, exponent);
  const auto bar = static_cast<double>(event_bar(model.event, model.level));
  CycleSums sums(model.event, load_of(model));
  for (const Counts* counts : result.all()) {
    double numerator = 0;
    for (std::size_t row = RareBurstyRows::counted; row < counts->size(); ++row)
      for (std::size_t column = 0; column < (*counts)[row].size(); ++column) {
        if ((*counts)[row][column] == 0) continue;
        const double packets = bar + static_cast<double>(row - RareBurstyRows::counted);
        const double of_states = share == 1 ? log_ratio(chances, column) : log_ratio(directed, column);
        numerator += std::exp(-exponent * packets + of_states) * static_cast<double>((*counts)[row][column]);
      }
    sums.add(numerator, (*counts)[RareBurstyRows::cycles].at(0), (*counts)[RareBurstyRows::hits].at(0),
             (*counts)[RareBurstyRows::slots].at(0));
  }
  return sums.estimate(confidence);
}

std::int64_t likely_level(const network::BurstySource& sources, double probability) {
  if (!(probability > 0 && probability < 1))
    throw InvalidArgument("probability", std::to_string(probability), "above 0 and below 1");
  return std::max<std::int64_t>(
      1, std::llround(-std::log(probability) / decay_exponent(std::span(&sources, 1))));
}

}  // namespace tailbound::sim
