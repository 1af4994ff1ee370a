#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/crossbar/crossbar_counts.hpp>
#include <tailbound/sim/crossbar/scheduling/schedulers.hpp>
#include <tailbound/sim/crossbar/simulate_crossbar.hpp>
#include <tailbound/sim/sources/input_draws.hpp>
#include <tailbound/sim/splitting/pilot_runs.hpp>
#include <tailbound/sim/splitting/rare_crossbar.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tailbound::sim {
namespace {

using numeric::Rational;
using traffic::CrossbarScheduler;
using traffic::Destination;

constexpr std::int64_t deepest_cells = 100'000, most_ports = 64;

void reject_excluded(const CrossbarModel& model, CrossbarQueue of) {
  check(model);
  const CrossbarScheduler its = model.scheduler;
  if (its != CrossbarScheduler::islip && its != CrossbarScheduler::pim && its != CrossbarScheduler::fifo &&
      its != CrossbarScheduler::greedy)
    throw InvalidArgument("scheduler", name_of(its), "islip, pim, fifo or greedy for rare events");
  if (its == CrossbarScheduler::fifo && of == CrossbarQueue::voq)
    throw InvalidArgument("queue", "voq", "input with fifo, which has one queue per input");
  if (its == CrossbarScheduler::fifo && model.burst)
    throw InvalidArgument("burst", numeric::to_fraction(model.burst->slots),
                          "omitted for rare events with fifo, whose state would be all outputs in a queue");
  if (model.buffer || model.voq_buffer || model.output_buffer)
    throw InvalidArgument("buffer", "given", "omitted for rare events: the queues are unlimited");
  if (std::max<std::int64_t>(static_cast<std::int64_t>(model.inputs()), model.outputs) > most_ports)
    throw InvalidArgument("inputs", std::to_string(model.inputs()), "at most 64 for rare events");
}

std::vector<double> shares_of_input(const CrossbarModel& model, std::size_t input) {
  std::vector<double> shares;
  for (const Rational& share : output_shares_of(model, input))
    shares.push_back(numeric::nearest_double(share));
  return shares;
}

/// The switch as a system for splitting, input by input within a slot. Its state: the largest n; inputs that
/// were processed in the slot; the number of the slot in the pattern of phases; cells of each input; lengths
/// of the VOQs (fifo: outputs of the heads); pointers; outputs of bursts plus 1 (0: OFF).
class CrossbarSlots {
 public:
  CrossbarSlots(const CrossbarModel& model, CrossbarQueue of, std::int64_t level);

  [[nodiscard]] SplitState start(RandomStream& random) const;
  void begin(SplitState& state, RandomStream& random);
  void arrive(SplitState& state, std::int64_t limit, RandomStream& random) const;
  void fork(SplitState&, RandomStream&) const {}  // inputs draw as they are processed
  [[nodiscard]] static std::int64_t occupancy(const SplitState& state) { return state[largest]; }
  /// Queues above the level.
  [[nodiscard]] std::uint64_t lost(const SplitState& state) const {
    if (state[largest] <= level_) return 0;
    const auto [first, last] = counted();
    return static_cast<std::uint64_t>(std::count_if(state.begin() + first, state.begin() + last,
                                                    [&](std::int32_t cells) { return cells > level_; }));
  }
  [[nodiscard]] std::size_t queues() const { return inputs_; }
  [[nodiscard]] bool possible(const SplitState& state) const;
  [[nodiscard]] std::size_t numbers() const { return bursts_ + (bursty_ ? inputs_ : 0); }

 private:
  static constexpr std::size_t largest = 0, processed = 1, turn = 2, held = 3;
  struct Source {
    std::uint64_t sends = 0, turns_on = 0, turns_off = 0, is_on = 0;  ///< of 2^32
  };

  [[nodiscard]] bool voqs() const { return scheduler_ != CrossbarScheduler::fifo; }
  /// The numbers that are compared with the level.
  [[nodiscard]] std::pair<std::ptrdiff_t, std::ptrdiff_t> counted() const {
    const std::size_t first = of_ == CrossbarQueue::input ? held : lengths_;
    const std::size_t count = of_ == CrossbarQueue::input ? inputs_ : inputs_ * outputs_;
    return {static_cast<std::ptrdiff_t>(first), static_cast<std::ptrdiff_t>(first + count)};
  }
  [[nodiscard]] std::int32_t draw_output(std::size_t input, RandomStream& random) const {
    return tables_[tables_.size() == 1 ? 0 : input].draw(random.next());
  }
  void phase(SplitState& state, RandomStream& random);
  void put(SplitState& state, std::size_t input, std::int32_t output) const;

  CrossbarScheduler scheduler_;
  CrossbarQueue of_;
  std::int64_t level_;
  bool bursty_, per_packet_;
  std::size_t inputs_, outputs_, lengths_, pointers_, bursts_, output_speedup_;
  std::uint64_t pattern_;
  Phases phases_;
  std::vector<Source> sources_;
  std::vector<AliasTable> tables_;
  Schedulers<1> match_;
  PortBits<1> open_;
  std::vector<PortBits<1>> rows_, wanted_;
};

CrossbarSlots::CrossbarSlots(const CrossbarModel& model, CrossbarQueue of, std::int64_t level)
    : scheduler_(model.scheduler),
      of_(of),
      level_(level),
      bursty_(model.burst.has_value()),
      per_packet_(model.destination == Destination::per_packet),
      inputs_(model.inputs()),
      outputs_(static_cast<std::size_t>(model.outputs)),
      lengths_(held + inputs_),
      pointers_(lengths_ + (model.has_voqs() ? inputs_ * outputs_ : inputs_)),
      bursts_(pointers_ + (model.scheduler == CrossbarScheduler::islip ? inputs_ + outputs_ : 0)),
      output_speedup_(static_cast<std::size_t>(model.output_speedup)),
      pattern_(numeric::to_uint64(numeric::denominator(model.speedup))),
      phases_(model.speedup),
      match_(inputs_, outputs_,
             model.iterations > 0 ? static_cast<std::size_t>(model.iterations)
                                  : std::numeric_limits<std::size_t>::max()),
      open_(PortBits<1>::first(outputs_)),
      rows_(inputs_),
      wanted_(outputs_) {
  for (const Rational& rate : model.rates) {
    Source& source = sources_.emplace_back();
    source.sends = of_32_bits(rate);
    if (!model.burst) continue;
    const traffic::OnOff on_off = traffic::on_off(rate, *model.burst);
    source = {.sends = of_32_bits(on_off.on_rate),
              .turns_on = of_32_bits(on_off.start),
              .turns_off = of_32_bits(on_off.stop),
              .is_on = of_32_bits(on_off.on_fraction())};
  }
  const std::size_t tables = model.shares.empty() ? 1 : inputs_;
  for (std::size_t input = 0; input < tables; ++input) tables_.emplace_back(shares_of_input(model, input));
}

SplitState CrossbarSlots::start(RandomStream& random) const {
  SplitState state(numbers());
  if (scheduler_ == CrossbarScheduler::islip) {
    for (std::size_t i = 0; i < outputs_; ++i)
      state[pointers_ + i] =
          static_cast<std::int32_t>(below(static_cast<std::uint32_t>(inputs_), random.next()));
    for (std::size_t i = 0; i < inputs_; ++i)
      state[pointers_ + outputs_ + i] =
          static_cast<std::int32_t>(below(static_cast<std::uint32_t>(outputs_), random.next()));
  }
  if (bursty_)
    for (std::size_t i = 0; i < inputs_; ++i)
      if (random.next() < sources_[i].is_on) state[bursts_ + i] = draw_output(i, random) + 1;
  return state;
}

bool CrossbarSlots::possible(const SplitState& state) const {
  if (state.size() != numbers()) return false;
  if (std::any_of(state.begin(), state.end(), [](std::int32_t number) { return number < 0; })) return false;
  if (static_cast<std::uint64_t>(state[turn]) >= pattern_) return false;
  const auto below_all = [&](std::size_t first, std::size_t count, std::size_t limit) {
    return std::all_of(state.begin() + static_cast<std::ptrdiff_t>(first),
                       state.begin() + static_cast<std::ptrdiff_t>(first + count),
                       [&](std::int32_t number) { return static_cast<std::size_t>(number) < limit; });
  };
  if (!voqs() && !below_all(lengths_, inputs_, outputs_)) return false;
  if (scheduler_ == CrossbarScheduler::islip &&
      (!below_all(pointers_, outputs_, inputs_) || !below_all(pointers_ + outputs_, inputs_, outputs_)))
    return false;
  if (bursty_ && !below_all(bursts_, inputs_, outputs_ + 1)) return false;
  for (std::size_t i = 0; voqs() && i < inputs_; ++i) {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < outputs_; ++j) sum += state[lengths_ + i * outputs_ + j];
    if (sum != state[held + i]) return false;
  }
  const auto [first, last] = counted();
  return *std::max_element(state.begin() + first, state.begin() + last) == state[largest];
}

void CrossbarSlots::phase(SplitState& state, RandomStream& random) {
  for (PortBits<1>& inputs : wanted_) inputs = {};
  for (std::size_t i = 0; i < inputs_; ++i) {
    rows_[i] = {};
    if (state[held + i] == 0) continue;
    if (!voqs()) {
      wanted_[static_cast<std::size_t>(state[lengths_ + i])].set(i);
      continue;
    }
    for (std::size_t j = 0; j < outputs_; ++j)
      if (state[lengths_ + i * outputs_ + j] > 0) {
        rows_[i].set(j);
        wanted_[j].set(i);
      }
  }
  match_.clear();
  if (scheduler_ == CrossbarScheduler::islip) {
    match_.round_robin(wanted_, open_, state.data() + pointers_, state.data() + pointers_ + outputs_);
  } else if (scheduler_ == CrossbarScheduler::pim) {
    match_.at_random(wanted_, open_, random);
  } else if (scheduler_ == CrossbarScheduler::greedy) {
    match_.longest(rows_, open_, random, [&](std::size_t input, std::size_t output) {
      return state[lengths_ + input * outputs_ + output];
    });
  } else {
    match_.heads(wanted_, open_, random, [&](std::size_t) { return output_speedup_; });
  }
  for (const PortPair& pair : match_.pairs()) {
    --state[held + pair.input];
    if (voqs())
      --state[lengths_ + pair.input * outputs_ + pair.output];
    else  // outputs in a queue are drawn when they come to its head
      state[lengths_ + pair.input] = draw_output(pair.input, random);
  }
}

/// The phases of the slot before.
void CrossbarSlots::begin(SplitState& state, RandomStream& random) {
  for (std::uint64_t left = phases_.of(static_cast<std::uint64_t>(state[turn])); left > 0; --left)
    phase(state, random);
  state[turn] = static_cast<std::int32_t>((static_cast<std::uint64_t>(state[turn]) + 1) % pattern_);
  state[processed] = 0;
  const auto [first, last] = counted();
  state[largest] = *std::max_element(state.begin() + first, state.begin() + last);
}

void CrossbarSlots::put(SplitState& state, std::size_t input, std::int32_t output) const {
  std::int32_t cells = ++state[held + input];
  if (voqs()) {
    const std::int32_t length = ++state[lengths_ + input * outputs_ + static_cast<std::size_t>(output)];
    if (of_ == CrossbarQueue::voq) cells = length;
  } else if (cells == 1) {
    state[lengths_ + input] = output;
  }
  state[largest] = std::max(state[largest], cells);
}

void CrossbarSlots::arrive(SplitState& state, std::int64_t limit, RandomStream& random) const {
  const auto inputs = static_cast<std::int32_t>(inputs_);
  for (; state[processed] < inputs && state[largest] < limit; ++state[processed]) {
    const auto input = static_cast<std::size_t>(state[processed]);
    const Source& source = sources_[input];
    if (!bursty_) {
      if (random.next() < source.sends) put(state, input, draw_output(input, random));
      continue;
    }
    std::int32_t& burst = state[bursts_ + input];
    if (burst == 0) {
      if (random.next() >= source.turns_on) continue;
      burst = draw_output(input, random) + 1;
    } else if (random.next() < source.turns_off) {
      burst = 0;
      continue;
    }
    if (random.next() < source.sends) put(state, input, per_packet_ ? draw_output(input, random) : burst - 1);
  }
}

RareLevelSought checked_level(const RareLevelSought& rare, double queues) {
  if (const auto* level = std::get_if<std::int64_t>(&rare)) {
    if (*level < 1 || *level > deepest_cells)
      throw InvalidArgument("level", std::to_string(*level), "from 1 to " + std::to_string(deepest_cells));
    return *level;
  }
  const double probability = std::get<double>(rare);
  if (!(probability > 0 && probability < 1))
    throw InvalidArgument("probability", std::to_string(probability), "above 0 and below 1");
  // The pilot runs see the largest of all queues.
  return std::min(probability * queues, 0.5);
}

}  // namespace

RareCrossbarModel rare_crossbar_model(const CrossbarModel& traffic, CrossbarQueue of,
                                      const RareLevelSought& rare, const std::stop_token& stop) {
  reject_excluded(traffic, of);
  RareCrossbarModel model{.traffic = traffic, .of = of};
  const RareLevelSought sought = checked_level(rare, model.queues());
  const CrossbarWork work = crossbar_work(traffic);
  const CrossbarSlots system(traffic, of, std::numeric_limits<std::int64_t>::max());
  model.plan = pilot_runs(system, system.numbers(),
                          pilot_length(relaxation_slots(work.utilization, work.memory), work.steps_per_slot),
                          sought, false, of == CrossbarQueue::input ? "an input" : "a VOQ", stop);
  return model;
}

std::unique_ptr<Replication> make_rare_crossbar_replication(const RareCrossbarModel& model, RandomKey key) {
  reject_excluded(model.traffic, model.of);
  if (model.plan.copies.empty() || model.plan.copies.front() != 1)
    throw InvalidArgument("copies", std::to_string(model.plan.copies.size()) + " levels",
                          "those of a rare_crossbar_model()");
  return std::make_unique<Splitting<CrossbarSlots>>(CrossbarSlots(model.traffic, model.of, model.plan.level),
                                                    model.plan.copies, key);
}

RunResult run_rare_crossbar(const RareCrossbarModel& model, const RunPlan& plan, const RunControls& controls,
                            std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_rare_crossbar_replication(model, key); },
      controls, resume);
}

RareCrossbarTail rare_crossbar_tail(const RareCrossbarModel& model, const RunResult& result,
                                    double confidence) {
  const SplitLoss above = splitting_loss(model.plan.copies, result, confidence);
  const double queues = model.queues();
  return {.probability = {above.a_slot.value / queues, above.a_slot.lower / queues,
                          above.a_slot.upper / queues, confidence},
          .count = above.count};
}

std::string describe(const RareCrossbarModel& model) {
  return describe(model.traffic) + ", rare " + name_of(model.of) + " above " +
         std::to_string(model.plan.level) + ", split by e^" +
         std::to_string(std::log(splitting_factors(model.plan.copies).back()));
}

}  // namespace tailbound::sim
