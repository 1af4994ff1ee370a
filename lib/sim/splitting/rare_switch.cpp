#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/short_laws.hpp>
#include <tailbound/sim/sources/input_draws.hpp>
#include <tailbound/sim/splitting/pilot_runs.hpp>
#include <tailbound/sim/splitting/rare_switch.hpp>
#include <tailbound/sim/switch/simulate_switch.hpp>
#include <tailbound/sim/switch/switch_laws.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace tailbound::sim {
namespace {

using numeric::Rational;
using traffic::Destination;

constexpr std::int64_t deepest_switch_level = 1'000'000;

void reject(const SwitchModel& model) {
  static_cast<void>(make_switch_replication(model, {}));  // checks the switch itself
  if (model.threshold)
    throw InvalidArgument("threshold", numeric::to_fraction(*model.threshold),
                          "omitted for rare losses, which are simulated only for a full memory");
  if (model.buffer)
    throw InvalidArgument("buffer", std::to_string(*model.buffer),
                          "unlimited for rare events, which are simulated only for the total of all queues");
  if (model.memory && !model.sizes.empty())
    throw InvalidArgument("sizes", std::to_string(model.sizes.size()) + " of them",
                          "omitted for rare losses, which are simulated only for packets of one cell");
}

/// The switch as a system for splitting, slot by slot and within it packet by packet. Its state: T; packets
/// lost in the slot; packets that arrived in it (for sources with memory: inputs processed), and that are to
/// arrive; the lengths of the queues. With bursts, then for each input the output of its burst plus 1 (0:
/// OFF), and if the memory can be full the inputs in some order; with trains, the cells that an input has
/// still to send, and their output.
class SwitchSlots {
 public:
  explicit SwitchSlots(const SwitchModel& model);

  [[nodiscard]] SplitState start(RandomStream& random) const;
  void begin(SplitState& state, RandomStream& random) const;
  void arrive(SplitState& state, std::int64_t limit, RandomStream& random) const;
  void fork(SplitState& state, RandomStream& random) const;
  [[nodiscard]] static std::int64_t occupancy(const SplitState& state) { return state[total]; }
  [[nodiscard]] static std::uint64_t lost(const SplitState& state) {
    return static_cast<std::uint64_t>(state[lost_now]);
  }
  [[nodiscard]] std::size_t queues() const { return outputs_; }
  [[nodiscard]] bool possible(const SplitState& state) const;
  [[nodiscard]] std::size_t numbers() const { return sources_ + numbers_per_input_ * inputs_; }

 private:
  enum class Sending { cells, bursts, packets, trains };
  static constexpr std::size_t total = 0, lost_now = 1, came = 2, coming = 3, lengths = 4;

  struct Input {
    std::uint64_t turns_on = 0, turns_off = 0, sends = 0, begins = 0;  ///< of 2^32
    std::uint64_t is_on = 0;
  };

  [[nodiscard]] bool remembers() const { return numbers_per_input_ > 0; }
  [[nodiscard]] std::uint32_t output(RandomStream& random) const {
    return binary_ ? random.next() & (static_cast<std::uint32_t>(outputs_) - 1)
                   : static_cast<std::uint32_t>(table_.draw(random.next()));
  }
  void put(SplitState& state, std::int32_t cells, RandomStream& random) const;
  void take(SplitState& state, std::int32_t cells, RandomStream& random) const;
  void look_at_burst(SplitState& state, std::size_t input, RandomStream& random) const;
  void look_at_train(SplitState& state, std::size_t input, RandomStream& random) const;

  Sending sending_ = Sending::cells;
  bool per_packet_;
  std::size_t inputs_, outputs_, sources_;
  std::size_t numbers_per_input_ = 0;
  std::int32_t memory_ = std::numeric_limits<std::int32_t>::max();
  bool limited_;
  bool binary_;  ///< all outputs are equivalent, and their number a power of two
  unsigned output_bits_;
  AliasTable table_, size_table_;
  std::vector<AliasTable> more_;  ///< [j]: number of arrivals in a slot beyond j, given at least j
  std::vector<std::int32_t> size_cells_;
  std::vector<Input> input_;
};

/// [j]: the distribution of the number of packets that arrive in a slot beyond j, given at least j; inputs
/// start them independently of the past. Each is truncated at a rest of 1e-20, so further arrivals remain
/// possible after any number.
std::vector<AliasTable> chances_of_more(const SwitchModel& model) {
  const Rational mean = mean_cells(model);
  std::vector<double> law{1};
  for (const Rational& rate : model.rates) {
    const double begins = numeric::nearest_double(rate / mean);
    law = numeric::convolved(law, {1 - begins, begins});
  }
  while (law.size() > 1 && law.back() < 1e-300) law.pop_back();
  std::vector<AliasTable> more;
  for (std::size_t j = 0; j < law.size(); ++j) {
    std::vector<double> rest(law.begin() + static_cast<std::ptrdiff_t>(j), law.end());
    const double negligible = 1e-20 * std::accumulate(rest.begin(), rest.end(), 0.0);
    double left = 0;
    while (rest.size() > 1 && left + rest.back() < negligible) {
      left += rest.back();
      rest.pop_back();
    }
    more.emplace_back(rest);
  }
  return more;
}

SwitchSlots::SwitchSlots(const SwitchModel& model)
    : per_packet_(model.destination == Destination::per_packet),
      inputs_(model.rates.size()),
      outputs_(static_cast<std::size_t>(model.outputs)),
      sources_(lengths + outputs_),
      limited_(model.memory.has_value()),
      binary_(model.hot == 0 && std::has_single_bit(outputs_)),
      output_bits_(static_cast<unsigned>(std::bit_width(outputs_ - 1))),
      table_(output_shares(model)),
      size_table_(size_shares(model)) {
  if (limited_) memory_ = static_cast<std::int32_t>(*model.memory);
  for (const traffic::CellClass& size : model.sizes)
    size_cells_.push_back(static_cast<std::int32_t>(size.cells));
  if (model.burst) {
    sending_ = Sending::bursts;
    numbers_per_input_ = limited_ ? 2 : 1;
    for (const Rational& rate : model.rates) {
      const traffic::OnOff source = traffic::on_off(rate, *model.burst);
      input_.push_back({.turns_on = of_32_bits(source.start),
                        .turns_off = of_32_bits(source.stop),
                        .sends = of_32_bits(source.on_rate),
                        .is_on = of_32_bits(source.on_fraction())});
    }
  } else if (!model.sizes.empty() && model.arrival == PacketArrival::cells) {
    sending_ = Sending::trains;
    numbers_per_input_ = 2;
    const Rational mean = mean_cells(model);
    for (const Rational& rate : model.rates)
      input_.push_back({.begins = of_32_bits(rate / (rate + mean * (1 - rate)))});
  } else {
    if (!model.sizes.empty()) sending_ = Sending::packets;
    more_ = chances_of_more(model);
  }
}

SplitState SwitchSlots::start(RandomStream& random) const {
  SplitState state(numbers());
  if (sending_ != Sending::bursts) return state;
  for (std::size_t i = 0; i < inputs_; ++i)
    if (random.next() < input_[i].is_on) state[sources_ + i] = static_cast<std::int32_t>(output(random)) + 1;
  if (limited_) std::iota(state.begin() + static_cast<std::ptrdiff_t>(sources_ + inputs_), state.end(), 0);
  return state;
}

bool SwitchSlots::possible(const SplitState& state) const {
  if (state.size() != numbers()) return false;
  if (std::any_of(state.begin(), state.end(), [](std::int32_t number) { return number < 0; })) return false;
  std::int64_t sum = 0;
  for (std::size_t i = lengths; i < sources_; ++i) sum += state[i];
  if (sum != state[total] || sum > memory_) return false;
  const auto below = [&](std::size_t first, std::size_t step, std::size_t limit) {
    for (std::size_t i = 0; i < inputs_; ++i)
      if (static_cast<std::size_t>(state[sources_ + first + step * i]) >= limit) return false;
    return true;
  };
  if (sending_ == Sending::trains) return below(1, 2, outputs_);
  if (sending_ != Sending::bursts) return true;
  return below(0, 1, outputs_ + 1) && (!limited_ || below(inputs_, 1, inputs_));
}

/// Each to an output drawn independently.
void SwitchSlots::put(SplitState& state, std::int32_t cells, RandomStream& random) const {
  state[total] += cells;
  std::int32_t* const queue = state.data() + lengths;
  if (output_bits_ == 0) {
    queue[0] += cells;
  } else if (binary_) {
    std::uint32_t word = 0;
    unsigned left = 0;
    for (; cells > 0; --cells) {
      if (left < output_bits_) {
        word = random.next();
        left = 32;
      }
      ++queue[word & ((std::uint32_t{1} << output_bits_) - 1)];
      word >>= output_bits_;
      left -= output_bits_;
    }
  } else {
    for (; cells > 0; --cells) ++queue[table_.draw(random.next())];
  }
}

/// Packets without space are lost; which of them does not matter for the future, as all draw their outputs
/// from the same distribution.
void SwitchSlots::take(SplitState& state, std::int32_t cells, RandomStream& random) const {
  const std::int32_t taken = std::min(cells, memory_ - state[total]);
  state[came] += cells;
  state[lost_now] += cells - taken;
  put(state, taken, random);
}

void SwitchSlots::look_at_burst(SplitState& state, std::size_t input, RandomStream& random) const {
  constexpr std::uint64_t certain = std::uint64_t{1} << 32U;
  const Input& its = input_[input];
  std::int32_t& burst = state[sources_ + input];
  if (burst == 0) {
    if (random.next() >= its.turns_on) return;
    burst = static_cast<std::int32_t>(output(random)) + 1;
  } else if (random.next() < its.turns_off) {
    burst = 0;
    return;
  }
  if (its.sends != certain && random.next() >= its.sends) return;
  if (state[total] >= memory_) {
    ++state[lost_now];
    return;
  }
  ++state[lengths + (per_packet_ ? output(random) : static_cast<std::uint32_t>(burst - 1))];
  ++state[total];
}

void SwitchSlots::look_at_train(SplitState& state, std::size_t input, RandomStream& random) const {
  std::int32_t& left = state[sources_ + 2 * input];
  std::int32_t& to = state[sources_ + 2 * input + 1];
  if (left == 0) {
    if (random.next() >= input_[input].begins) return;
    left = size_cells_[static_cast<std::size_t>(size_table_.draw(random.next()))];
    to = static_cast<std::int32_t>(output(random));
  }
  --left;
  ++state[lengths + static_cast<std::size_t>(to)];
  ++state[total];
}

/// Queues serve.
void SwitchSlots::begin(SplitState& state, RandomStream& random) const {
  std::int32_t busy = 0;
  std::int32_t* const queue = state.data() + lengths;
  for (std::size_t i = 0; i < outputs_; ++i) {
    const auto serves = static_cast<std::int32_t>(queue[i] > 0);
    queue[i] -= serves;
    busy += serves;
  }
  state[total] -= busy;
  state[lost_now] = state[came] = 0;
  fork(state, random);
}

/// Inputs with memory draw their actions as they are processed.
void SwitchSlots::fork(SplitState& state, RandomStream& random) const {
  if (!remembers()) state[coming] = more_[static_cast<std::size_t>(state[came])].draw(random.next());
}

void SwitchSlots::arrive(SplitState& state, std::int64_t limit, RandomStream& random) const {
  if (sending_ == Sending::cells) {
    const auto cells =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(limit - state[total], 0, state[coming]));
    state[coming] -= cells;
    take(state, cells, random);
    return;
  }
  if (sending_ == Sending::packets) {
    for (; state[coming] > 0 && state[total] < limit; --state[coming], ++state[came]) {
      const std::int32_t cells = size_cells_[static_cast<std::size_t>(size_table_.draw(random.next()))];
      state[lengths + output(random)] += cells;
      state[total] += cells;
    }
    return;
  }
  const auto inputs = static_cast<std::int32_t>(inputs_);
  for (; state[came] < inputs && state[total] < limit; ++state[came]) {
    auto input = static_cast<std::size_t>(state[came]);
    if (sending_ == Sending::trains) {
      look_at_train(state, input, random);
      continue;
    }
    if (limited_) {  // in random order
      std::int32_t* const order = state.data() + sources_ + inputs_;
      std::swap(order[input],
                order[input + below(static_cast<std::uint32_t>(inputs_ - input), random.next())]);
      input = static_cast<std::size_t>(order[input]);
    }
    look_at_burst(state, input, random);
  }
}

/// Length of the pilot runs.
PilotLength length_for(const SwitchModel& model) {
  const SwitchWork work = switch_work(model);
  return pilot_length(relaxation_slots(work.utilization, work.memory), work.steps_per_slot);
}

RareTotal checked_total(const SwitchModel& traffic, const std::optional<RareTotal>& rare) {
  if (traffic.memory) {
    if (rare)
      throw InvalidArgument("level", "given together with a memory", "omitted: the level is the memory size");
    return *traffic.memory;
  }
  if (!rare) throw InvalidArgument("level", "missing", "given for unlimited memory");
  if (const auto* level = std::get_if<std::int64_t>(&*rare)) {
    if (*level < 1 || *level > deepest_switch_level)
      throw InvalidArgument("level", std::to_string(*level),
                            "from 1 to " + std::to_string(deepest_switch_level));
  } else if (const double probability = std::get<double>(*rare); !(probability > 0 && probability < 1)) {
    throw InvalidArgument("probability", std::to_string(probability), "above 0 and below 1");
  }
  return *rare;
}

}  // namespace

RareSwitchModel rare_switch_model(const SwitchModel& traffic, const std::optional<RareTotal>& rare,
                                  const std::stop_token& stop) {
  reject(traffic);
  const RareTotal requested = checked_total(traffic, rare);
  RareSwitchModel model{.traffic = traffic};
  const SplittingPlan plan = pilot_runs(SwitchSlots(traffic), SwitchSlots(traffic).numbers(),
                                        length_for(traffic), requested, model.loses(), "T", stop);
  model.level = plan.level;
  model.copies = plan.copies;
  model.paths = plan.paths;
  return model;
}

std::unique_ptr<Replication> make_rare_switch_replication(const RareSwitchModel& model, RandomKey key) {
  reject(model.traffic);
  if (model.copies.empty() || model.copies.front() != 1)
    throw InvalidArgument("copies", std::to_string(model.copies.size()) + " levels",
                          "those of a rare_switch_model()");
  return std::make_unique<Splitting<SwitchSlots>>(SwitchSlots(model.traffic), model.copies, key);
}

RunResult run_rare_switch(const RareSwitchModel& model, const RunPlan& plan, const RunControls& controls,
                          std::string_view resume) {
  return run(
      plan, describe(model), [&](RandomKey key) { return make_rare_switch_replication(model, key); },
      controls, resume);
}

RareSwitchLoss rare_switch_loss(const RareSwitchModel& model, const RunResult& result, double confidence) {
  Rational came = 0;
  for (const Rational& rate : model.traffic.rates) came = came + rate;
  const double load = numeric::nearest_double(came);
  const SplitLoss lost = splitting_loss(model.copies, result, confidence);
  return {.loss = {lost.a_slot.value / load, lost.a_slot.lower / load, lost.a_slot.upper / load, confidence},
          .count = lost.count};
}

std::string describe(const RareSwitchModel& model) {
  return describe(model.traffic) +
         (model.loses() ? ", rare losses"
                        : ", rare occupancies of all queues up to level " + std::to_string(model.level)) +
         ", split by e^" + std::to_string(std::log(splitting_factors(model.copies).back()));
}

}  // namespace tailbound::sim
