#include <tailbound/core/error.hpp>
#include <tailbound/sim/crossbar/cell_queues.hpp>
#include <tailbound/sim/crossbar/critical_cells.hpp>
#include <tailbound/sim/crossbar/crossbar_arrivals.hpp>
#include <tailbound/sim/crossbar/crossbar_counts.hpp>
#include <tailbound/sim/crossbar/scheduling/schedulers.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace tailbound::sim {
namespace {

using traffic::CrossbarScheduler;

constexpr std::uint64_t schedule_purpose = 16, pointer_purpose = 17;
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

std::size_t limit_of(const std::optional<std::int64_t>& cells) {
  return cells ? static_cast<std::size_t>(*cells) : no_limit;
}

/// \tparam words  64 ports each
template <std::size_t words>
class Crossbar final : public CrossbarReplication {
 public:
  Crossbar(const CrossbarModel& model, RandomKey key);
  void advance(std::int64_t slots) override;
  Counts take_counts() override {
    flush();
    return counts_.take(balance().inside);
  }
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  [[nodiscard]] std::vector<std::uint32_t> columns() const override { return columns_; }
  [[nodiscard]] Balance balance() const override {
    Balance balance = balance_;
    balance.inside = std::accumulate(columns_.begin(), columns_.end(), std::uint64_t{0});
    return balance;
  }

 private:
  using Ports = PortBits<words>;

  void one_slot();
  void arrive();
  void count();
  void phase();
  void transmit();
  [[nodiscard]] Ports open_outputs() const;

  // --- schedulers
  void match_heaviest(const Ports& open);
  void match_in_turn();
  void use_crosspoints();

  void restore_requests();

  // --- cells
  [[nodiscard]] std::size_t queue_of(std::size_t input, std::size_t output) const {
    return voqs_ ? input * outputs_ + output : input;
  }
  void put(std::size_t input, const Cell& cell);
  Cell take(std::size_t input, std::size_t output);
  void depart(const Cell& cell) {
    counts_.count_delay(static_cast<std::uint32_t>(slot_) - cell.arrival, cell.output);
    --columns_[cell.output];
    ++balance_.left;
  }
  void count_voq(std::size_t queue, std::uint64_t until) {
    count_slots(counts_.voq, waiting_.length(queue), until - counted_[queue]);
    counted_[queue] = until;
  }
  /// Counts every VOQ up to the last slot.
  void flush() {
    if (!voqs_) return;
    for (std::size_t queue = 0; queue < counted_.size(); ++queue) count_voq(queue, slot_);
  }
  [[nodiscard]] static std::size_t after(std::size_t port, std::size_t ports) {
    return Schedulers<words>::after(port, ports);
  }

  CrossbarScheduler scheduler_;
  bool voqs_, queued_;
  std::size_t inputs_, outputs_, output_speedup_;
  std::size_t buffer_, voq_buffer_, output_buffer_, crosspoint_;
  Phases phases_;
  CrossbarArrivals arrivals_;
  RandomStream random_;

  std::uint64_t slot_ = 0;
  CellQueues waiting_;                         ///< [queue_of]
  CellQueues crossed_;                         ///< [output], or [input * outputs + output]: crosspoints
  std::vector<Ports> rows_, columns_wanted_;   ///< [input]: outputs, and [output]: inputs with a request
  std::vector<Ports> space_, at_crosspoints_;  ///< [input]: outputs, [output]: inputs
  std::vector<std::uint32_t> held_, columns_;  ///< [input]: its cells; [output]: all cells for it
  std::vector<std::uint32_t> pointed_;         ///< [output]: cells at its crosspoints
  std::vector<std::size_t> grant_, accept_;    ///< pointers
  std::vector<std::uint64_t> counted_;         ///< [VOQ]: the slots before this one are counted
  Balance balance_;
  CrossbarCounts counts_;

  // Of a phase.
  Schedulers<words> match_;
  Ports all_outputs_;
  WeightMatching heaviest_;
};

template <std::size_t words>
Crossbar<words>::Crossbar(const CrossbarModel& model, RandomKey key)
    : scheduler_(model.scheduler),
      voqs_(model.has_voqs()),
      queued_(model.output_queues()),
      inputs_(model.inputs()),
      outputs_(static_cast<std::size_t>(model.outputs)),
      output_speedup_(static_cast<std::size_t>(model.output_speedup)),
      buffer_(limit_of(model.buffer)),
      voq_buffer_(limit_of(model.voq_buffer)),
      output_buffer_(limit_of(model.output_buffer)),
      crosspoint_(static_cast<std::size_t>(model.crosspoint)),
      phases_(model.speedup),
      arrivals_(model, key),
      random_(key, schedule_purpose, 0),
      waiting_(voqs_ ? inputs_ * outputs_ : inputs_),
      crossed_(scheduler_ == CrossbarScheduler::crosspoint ? inputs_ * outputs_ : outputs_),
      rows_(inputs_),
      columns_wanted_(outputs_),
      space_(inputs_),
      at_crosspoints_(outputs_),
      held_(inputs_),
      columns_(outputs_),
      pointed_(outputs_),
      counted_(voqs_ ? inputs_ * outputs_ : 0),
      counts_(inputs_, outputs_, model.hot > 0),
      match_(inputs_, outputs_, model.iterations > 0 ? static_cast<std::size_t>(model.iterations) : no_limit),
      all_outputs_(Ports::first(outputs_)),
      heaviest_(scheduler_ == CrossbarScheduler::maxweight ? std::max(inputs_, outputs_) : 0) {
  RandomStream starts(key, pointer_purpose, 0);
  for (std::size_t output = 0; output < outputs_; ++output)
    grant_.push_back(below(static_cast<std::uint32_t>(inputs_), starts.next()));
  for (std::size_t input = 0; input < inputs_; ++input) {
    accept_.push_back(below(static_cast<std::uint32_t>(outputs_), starts.next()));
    space_[input] = all_outputs_;
  }
}

// --- cells

template <std::size_t words>
void Crossbar<words>::put(std::size_t input, const Cell& cell) {
  ++balance_.came;
  ++counts_.came[input];
  // The first stage of a load-balanced switch connects the inputs in turn as well.
  const std::size_t at = scheduler_ == CrossbarScheduler::load_balanced
                             ? (input + static_cast<std::size_t>(slot_ % inputs_)) % inputs_
                             : input;
  const std::size_t queue = queue_of(at, cell.output);
  if (held_[at] >= buffer_ || (voqs_ && waiting_.length(queue) >= voq_buffer_)) {
    ++counts_.lost[input];
    ++balance_.lost;
    return;
  }
  if (voqs_) count_voq(queue, slot_);
  waiting_.push(queue, cell);
  if (voqs_ || waiting_.length(queue) == 1) {
    rows_[at].set(cell.output);
    columns_wanted_[cell.output].set(at);
  }
  ++held_[at];
  ++columns_[cell.output];
}

template <std::size_t words>
Cell Crossbar<words>::take(std::size_t input, std::size_t output) {
  const std::size_t queue = queue_of(input, output);
  if (voqs_) count_voq(queue, slot_ + 1);
  const Cell cell = waiting_.pop(queue);
  --held_[input];
  const bool idle = !voqs_ || waiting_.length(queue) == 0;
  rows_[input].reset_if(output, idle);
  columns_wanted_[output].reset_if(input, idle);
  if (!voqs_ && waiting_.length(queue) > 0) {  // the next head
    const std::uint32_t next = waiting_.front(queue).output;
    rows_[input].set(next);
    columns_wanted_[next].set(input);
  }
  return cell;
}

// --- slots

template <std::size_t words>
void Crossbar<words>::advance(std::int64_t slots) {
  for (std::int64_t i = 0; i < slots; ++i) one_slot();
}

template <std::size_t words>
void Crossbar<words>::one_slot() {
  arrive();
  count();
  if (scheduler_ == CrossbarScheduler::crosspoint) {
    use_crosspoints();
  } else {
    for (std::uint64_t left = phases_.of(slot_); left > 0; --left) phase();
    if (queued_) transmit();
  }
  ++slot_;
  ++counts_.slots;
}

template <std::size_t words>
void Crossbar<words>::arrive() {
  arrivals_.begin(slot_);
  arrivals_.each(slot_, [&](std::size_t input, std::uint32_t output) {
    put(input, {.arrival = static_cast<std::uint32_t>(slot_), .output = output});
  });
}

template <std::size_t words>
void Crossbar<words>::count() {
  for (std::size_t input = 0; input < inputs_; ++input) counts_.input.count(held_[input], input);
  for (std::size_t output = 0; output < outputs_; ++output) counts_.count_column(columns_[output], output);
}

/// The outputs that can take a cell.
template <std::size_t words>
auto Crossbar<words>::open_outputs() const -> Ports {
  if (output_buffer_ == no_limit) return all_outputs_;
  Ports open;
  for (std::size_t output = 0; output < outputs_; ++output)
    if (crossed_.length(output) < output_buffer_) open.set(output);
  return open;
}

template <std::size_t words>
void Crossbar<words>::phase() {
  match_.clear();
  const Ports open = open_outputs();
  switch (scheduler_) {
    case CrossbarScheduler::fifo:
      match_.heads(columns_wanted_, open, random_, [&](std::size_t output) {
        return output_buffer_ == no_limit
                   ? output_speedup_
                   : std::min<std::size_t>(output_speedup_, output_buffer_ - crossed_.length(output));
      });
      break;
    case CrossbarScheduler::islip:
      match_.round_robin(columns_wanted_, open, grant_.data(), accept_.data());
      break;
    case CrossbarScheduler::pim:
      match_.at_random(columns_wanted_, open, random_);
      break;
    case CrossbarScheduler::greedy:
      match_.longest(rows_, open, random_, [&](std::size_t input, std::size_t output) {
        return waiting_.length(queue_of(input, output));
      });
      break;
    case CrossbarScheduler::maxweight:
      match_heaviest(open);
      break;
    default:
      match_in_turn();
      break;
  }
  for (const PortPair& pair : match_.pairs()) {
    const Cell cell = take(pair.input, pair.output);
    if (queued_)
      crossed_.push(pair.output, cell);
    else
      depart(cell);
  }
}

template <std::size_t words>
void Crossbar<words>::transmit() {
  for (std::size_t output = 0; output < outputs_; ++output) {
    counts_.output.count(crossed_.length(output), output);
    if (crossed_.length(output) > 0) depart(crossed_.pop(output));
  }
}

// --- schedulers

template <std::size_t words>
void Crossbar<words>::match_heaviest(const Ports& open) {
  heaviest_.clear(random_);
  for (std::size_t input = 0; input < inputs_; ++input)
    (rows_[input] & open).each([&](std::size_t output) {
      heaviest_.add({static_cast<std::uint32_t>(input), static_cast<std::uint32_t>(output),
                     waiting_.length(queue_of(input, output))});
    });
  const std::vector<std::size_t>& input_of = heaviest_.solve();
  for (std::size_t output = 0; output < outputs_; ++output)
    if (input_of[output] < inputs_ && (rows_[input_of[output]] & open).test(output))
      match_.add(input_of[output], output);
}

template <std::size_t words>
void Crossbar<words>::match_in_turn() {
  std::size_t output = static_cast<std::size_t>(slot_ % outputs_);
  for (std::size_t input = 0; input < inputs_; ++input, output = after(output, outputs_))
    if (rows_[input].test(output)) match_.add(input, output);
}

template <std::size_t words>
void Crossbar<words>::use_crosspoints() {
  for (std::size_t input = 0; input < inputs_; ++input) {
    const Ports requests = rows_[input] & space_[input];
    if (!requests.any()) continue;
    const std::size_t output = requests.from(accept_[input]);
    accept_[input] = after(output, outputs_);
    const std::size_t point = input * outputs_ + output;
    crossed_.push(point, take(input, output));
    ++pointed_[output];
    at_crosspoints_[output].set(input);
    if (crossed_.length(point) >= crosspoint_) space_[input].reset(output);
  }
  for (std::size_t output = 0; output < outputs_; ++output) {
    counts_.output.count(pointed_[output], output);
    if (!at_crosspoints_[output].any()) continue;
    const std::size_t input = at_crosspoints_[output].from(grant_[output]);
    grant_[output] = after(input, inputs_);
    const std::size_t point = input * outputs_ + output;
    depart(crossed_.pop(point));
    --pointed_[output];
    space_[input].set(output);
    if (crossed_.length(point) == 0) at_crosspoints_[output].reset(input);
  }
}

// --- checkpoints

template <std::size_t words>
void Crossbar<words>::save(ByteWriter& writer) {
  flush();
  writer.put(slot_);
  arrivals_.save(writer, slot_);
  random_.save(writer);
  waiting_.save(writer);
  crossed_.save(writer);
  writer.put(columns_);
  for (const auto* pointers : {&grant_, &accept_})
    for (const std::size_t pointer : *pointers) writer.put<std::uint64_t>(pointer);
  for (const std::uint64_t number : {balance_.came, balance_.lost, balance_.left}) writer.put(number);
  counts_.save(writer);
}

template <std::size_t words>
void Crossbar<words>::load(ByteReader& reader) {
  slot_ = reader.get<std::uint64_t>();
  arrivals_.load(reader, slot_);
  random_.load(reader);
  waiting_.load(reader, static_cast<std::uint32_t>(outputs_));
  crossed_.load(reader, static_cast<std::uint32_t>(outputs_));
  columns_ = reader.get_vector<std::uint32_t>();
  if (columns_.size() != outputs_) ByteReader::fail();
  const auto read_pointers = [&](std::vector<std::size_t>& pointers, std::size_t ports) {
    for (std::size_t& pointer : pointers) {
      pointer = reader.get<std::uint64_t>();
      if (pointer >= ports) ByteReader::fail();
    }
  };
  read_pointers(grant_, inputs_);
  read_pointers(accept_, outputs_);
  for (std::uint64_t* number : {&balance_.came, &balance_.lost, &balance_.left})
    *number = reader.get<std::uint64_t>();
  counts_.load(reader);
  counted_.assign(counted_.size(), slot_);
  restore_requests();
}

/// What follows from the queues.
template <std::size_t words>
void Crossbar<words>::restore_requests() {
  held_.assign(inputs_, 0);
  pointed_.assign(outputs_, 0);
  rows_.assign(inputs_, {});
  columns_wanted_.assign(outputs_, {});
  at_crosspoints_.assign(outputs_, {});
  space_.assign(inputs_, all_outputs_);
  for (std::size_t input = 0; input < inputs_; ++input)
    for (std::size_t output = 0; output < outputs_; ++output) {
      const std::size_t queue = queue_of(input, output);
      const std::uint32_t length = waiting_.length(queue);
      if (voqs_ || output == 0) held_[input] += length;
      if (length > 0 && (voqs_ || waiting_.front(queue).output == output)) {
        rows_[input].set(output);
        columns_wanted_[output].set(input);
      }
      if (scheduler_ != CrossbarScheduler::crosspoint) continue;
      const std::uint32_t cells = crossed_.length(input * outputs_ + output);
      pointed_[output] += cells;
      if (cells > 0) at_crosspoints_[output].set(input);
      if (cells >= crosspoint_) space_[input].reset(output);
    }
}

}  // namespace

std::unique_ptr<CrossbarReplication> make_crossbar_replication(const CrossbarModel& model, RandomKey key) {
  check(model);
  if (model.scheduler == CrossbarScheduler::ccf) return make_critical_cells(model, key);
  if (std::max<std::int64_t>(static_cast<std::int64_t>(model.inputs()), model.outputs) <= 64)
    return std::make_unique<Crossbar<1>>(model, key);
  return std::make_unique<Crossbar<4>>(model, key);
}

}  // namespace tailbound::sim
