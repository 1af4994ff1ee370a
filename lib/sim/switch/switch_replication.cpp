#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/sim/rare/rare_arrivals.hpp>
#include <tailbound/sim/sources/input_draws.hpp>
#include <tailbound/sim/sources/on_off_slots.hpp>
#include <tailbound/sim/switch/switch_laws.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>

namespace tailbound::sim {
namespace {

using numeric::Rational;
using traffic::Destination;

constexpr std::uint32_t block_slots = input_block_slots;
constexpr std::int64_t max_inputs = 1024, max_outputs = 4096, max_cells = 65'536, max_capacity = 10'000'000;
constexpr std::uint64_t longest = std::uint64_t{1} << 26;  ///< T without a memory [cells]
/// bound for a threshold's fraction: its product with max_capacity fits
constexpr long largest_part = long{1} << 39;
constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t nobody = no_limit;

using Purpose = InputPurpose;

/// How an input sends.
enum class Sending { cells, per_packet_bursts, whole_bursts, whole_packets, trains };

Sending sending_of(const SwitchModel& model) {
  if (model.burst)
    return model.destination == Destination::per_burst ? Sending::whole_bursts : Sending::per_packet_bursts;
  if (model.sizes.empty()) return Sending::cells;
  return model.arrival == PacketArrival::whole ? Sending::whole_packets : Sending::trains;
}

void check_sizes(const SwitchModel& model) {
  if (model.sizes.empty()) return;
  require(!model.burst, "sizes", "given together with bursts",
          "omitted, because a train of cells is itself a burst");
  require(model.sizes.size() <= 1024, "number of sizes", std::to_string(model.sizes.size()),
          "from 1 to 1024");
  Rational sum = 0;
  for (const traffic::CellClass& size : model.sizes) {
    require(size.cells >= 1 && size.cells <= max_cells, "size", std::to_string(size.cells),
            "from 1 to 65536 cells");
    require(size.share > 0, "share of a size", numeric::to_fraction(size.share), "above 0");
    sum = sum + size.share;
  }
  require(sum == 1, "sum of the sizes' shares", numeric::to_fraction(sum), "1");
}

void check(const SwitchModel& model) {
  const auto inputs = static_cast<std::int64_t>(model.rates.size());
  require(inputs >= 1 && inputs <= max_inputs, "inputs", std::to_string(inputs), "from 1 to 1024");
  require(model.outputs >= 1 && model.outputs <= max_outputs, "outputs", std::to_string(model.outputs),
          "from 1 to 4096");
  for (const Rational& rate : model.rates)
    require(rate > 0 && rate <= 1, "load", numeric::to_fraction(rate),
            "above 0 and at most 1 packet per slot per input");
  require(model.hot >= 0 && model.hot <= 1, "hot", numeric::to_fraction(model.hot), "from 0 to 1");
  check_sizes(model);
  for (const auto& [capacity, name] : {std::pair{model.memory, "memory"}, std::pair{model.buffer, "buffer"}})
    if (capacity)
      require(*capacity >= 1 && *capacity <= max_capacity, name, std::to_string(*capacity),
              "from 1 to 10000000 packets");
  if (model.burst)
    for (const Rational& rate : model.rates) static_cast<void>(traffic::on_off(rate, *model.burst));
  if (!model.threshold) return;
  const Rational& alpha = *model.threshold;
  require(model.memory.has_value(), "threshold", numeric::to_fraction(alpha),
          "omitted without a shared memory");
  require(alpha > 0 && numeric::numerator(alpha) < largest_part && numeric::denominator(alpha) < largest_part,
          "threshold", numeric::to_fraction(alpha), "above 0, with numerator and denominator below 2^39");
}

bool equal_rates(const SwitchModel& model) {
  return std::equal(model.rates.begin() + 1, model.rates.end(), model.rates.begin());
}

/// State of an input from block to block.
struct Source {
  bool on = false;           ///< of the on-off chain, in the next slot
  bool sending = false;      ///< in the last slot: the burst or the packet continues
  std::uint32_t output = 0;  ///< of that burst or packet
  std::uint32_t left = 0;    ///< cells of the packet still to come
  std::uint32_t size = 0;    ///< its class
  std::uint32_t number = 0;  ///< of packets that the input has started, modulo 2^32
};

/// The cell that an input sends in a slot, for finite memory or buffers.
struct Sent {
  std::uint32_t output = nobody;
  std::uint32_t cells = 0;
  std::uint32_t size = 0;    ///< class of the packet
  std::uint32_t number = 0;  ///< of a train
};

class Simulated final : public SwitchReplication {
 public:
  Simulated(const SwitchModel& model, RandomKey key);
  void advance(std::int64_t slots) override;
  Counts take_counts() override;
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  [[nodiscard]] std::vector<std::uint32_t> lengths() const override {
    return {lengths_.begin(), lengths_.begin() + static_cast<std::ptrdiff_t>(outputs_)};
  }
  [[nodiscard]] CellBalance balance() const override {
    CellBalance balance = balance_;
    balance.inside = std::accumulate(lengths_.begin(), lengths_.end(), std::uint64_t{0});
    return balance;
  }

 private:
  // --- inputs in a block
  void make_block();
  template <Sending sending, bool finite>
  void make_block_of();
  template <bool finite, unsigned fixed_bits>
  void make_cells();
  [[nodiscard]] std::uint32_t draw_output(InputDraws& draws) const {
    return binary_ ? draws.bits(output_bits_) : static_cast<std::uint32_t>(table_.draw(draws.bits(32)));
  }
  template <bool finite>
  void put(std::uint32_t slot, std::size_t input, const Sent& sent);
  template <bool finite>
  void put_burst(std::size_t input, std::uint64_t block);
  template <bool finite>
  void put_trains(std::size_t input, std::uint64_t block);
  void grow_counters();

  // --- slots
  template <bool finite>
  void run_slots(std::uint32_t first, std::uint32_t last);
  template <bool finite>
  void one_slot(std::uint32_t slot);
  [[nodiscard]] bool all_fit(const std::uint32_t* came, std::uint64_t cells) const;
  void take_one_by_one(std::uint32_t slot);
  [[nodiscard]] std::uint32_t limit(std::uint64_t total) const {
    if (limits_.empty()) return buffer_;
    return limits_[std::min(total, limits_.size() - 1)];
  }

  RandomKey key_;
  Sending sending_;
  std::size_t inputs_, outputs_;
  std::size_t stride_;  ///< outputs, rounded up to 8: the others stay empty
  bool has_hot_, finite_, binary_;
  unsigned output_bits_;
  AliasTable table_, size_table_;
  std::vector<std::uint32_t> size_cells_;
  std::vector<Coin> coins_;
  std::vector<OnOffSlots> bursts_;  ///< one, or one per input
  std::uint32_t buffer_;
  std::vector<std::uint32_t> limits_;  ///< [T]: a cell is accepted iff Q is below it

  std::uint64_t slot_ = 0;
  std::vector<std::uint32_t> lengths_;
  std::vector<Source> sources_;           ///< at the end of the block
  std::vector<Source> sources_at_start_;  ///< of the block
  std::vector<std::uint32_t> last_hurt_;  ///< [input]: number of the last train that lost a cell, plus 1
  CellBalance balance_;

  // Of the block.
  std::vector<std::uint32_t> came_;          ///< [slot * stride + output]: cells
  std::vector<Sent> sent_;                   ///< [slot * inputs + input], for finite memory or buffers
  std::vector<std::uint32_t> packets_came_;  ///< [slot * classes + class]
  std::uint64_t cells_of_block_ = 0;
  std::vector<std::uint32_t> order_;

  // Counts.
  std::uint64_t slots_ = 0, cells_ = 0, hot_cells_ = 0;
  std::vector<std::uint64_t> packets_, hurt_, lost_;
  std::vector<std::uint64_t> total_;  ///< [T]
  std::vector<std::uint64_t> queue_;  ///< [4 Q + output mod 4], so that neighbours do not wait for each other
  std::vector<std::uint64_t> hot_;    ///< [Q]
};

Simulated::Simulated(const SwitchModel& model, RandomKey key)
    : key_(key),
      sending_((check(model), sending_of(model))),
      inputs_(model.rates.size()),
      outputs_(static_cast<std::size_t>(model.outputs)),
      stride_((outputs_ + 7) / 8 * 8),
      has_hot_(model.hot > 0),
      finite_(model.finite()),
      binary_(!has_hot_ && std::has_single_bit(outputs_)),
      output_bits_(static_cast<unsigned>(std::bit_width(outputs_ - 1))),
      table_(output_shares(model)),
      size_table_(size_shares(model)),
      buffer_(model.buffer ? static_cast<std::uint32_t>(*model.buffer) : no_limit) {
  if (!finite_ && busiest_load(model) >= 1) throw Unstable(numeric::plain(busiest_load(model)));
  for (const traffic::CellClass& size : model.sizes)
    size_cells_.push_back(static_cast<std::uint32_t>(size.cells));
  if (size_cells_.empty()) size_cells_.push_back(1);
  const Rational mean = mean_cells(model);
  for (const Rational& rate : model.rates) {
    if (model.burst) {
      if (bursts_.empty() || !equal_rates(model)) bursts_.emplace_back(traffic::on_off(rate, *model.burst));
    } else if (sending_ == Sending::trains) {
      coins_.emplace_back(rate / (rate + mean * (1 - rate)));
    } else {
      coins_.emplace_back(rate / mean);
    }
  }
  if (model.memory) {
    const std::int64_t memory = *model.memory;
    limits_.assign(static_cast<std::size_t>(memory) + 1, buffer_);
    limits_.back() = 0;
    if (model.threshold) {
      // q < alpha (M - T) with alpha = a / b: q is below the ceiling of a (M - T) / b.
      const auto a = static_cast<std::uint64_t>(numeric::to_int64(numeric::numerator(*model.threshold)));
      const auto b = static_cast<std::uint64_t>(numeric::to_int64(numeric::denominator(*model.threshold)));
      for (std::int64_t total = 0; total < memory; ++total) {
        const std::uint64_t below = (a * static_cast<std::uint64_t>(memory - total) + b - 1) / b;
        std::uint32_t& limit = limits_[static_cast<std::size_t>(total)];
        limit = static_cast<std::uint32_t>(std::min<std::uint64_t>(limit, below));
      }
    }
  }
  lengths_.resize(stride_);
  sources_.resize(inputs_);
  sources_at_start_.resize(inputs_);
  last_hurt_.resize(inputs_);
  if (model.burst)
    for (std::size_t input = 0; input < inputs_; ++input) {
      const OnOffSlots& burst = bursts_.size() == 1 ? bursts_.front() : bursts_[input];
      sources_[input].on = burst.start(key_, Purpose::starts, input);
    }
  came_.resize(block_slots * stride_);
  if (finite_) sent_.resize(block_slots * inputs_);
  packets_came_.resize(block_slots * size_cells_.size());
  packets_.resize(size_cells_.size());
  hurt_.resize(size_cells_.size());
  lost_.resize(2);
}

// --- inputs in a block

template <bool finite>
void Simulated::put(std::uint32_t slot, std::size_t input, const Sent& sent) {
  came_[slot * stride_ + sent.output] += sent.cells;
  cells_of_block_ += sent.cells;
  if constexpr (finite) sent_[slot * inputs_ + input] = sent;
}

/// Packets of one cell, slots and inputs independent.
template <bool finite, unsigned fixed_bits>
void Simulated::make_cells() {
  const std::uint64_t block = slot_ / block_slots;
  for (std::size_t input = 0; input < inputs_; ++input) {
    std::uint64_t sends = coins_[input].draw(key_, Purpose::coins, input, block);
    InputDraws draws(key_, input, block);
    cells_of_block_ += static_cast<std::uint64_t>(std::popcount(sends));
    for (; sends != 0; sends &= sends - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(sends));
      const std::uint32_t output = fixed_bits > 0 ? draws.bits(fixed_bits) : draw_output(draws);
      ++came_[slot * stride_ + output];
      if constexpr (finite)
        sent_[slot * inputs_ + input] = {.output = output, .cells = 1, .size = 0, .number = 0};
    }
  }
}

template <bool finite>
void Simulated::put_burst(std::size_t input, std::uint64_t block) {
  Source& source = sources_[input];
  const OnOffSlots& burst = bursts_.size() == 1 ? bursts_.front() : bursts_[input];
  const auto [states, sends] = burst.slots(key_, Purpose::bursts, input, block, source.on);
  InputDraws draws(key_, input, block);
  const bool per_packet = sending_ == Sending::per_packet_bursts;
  const std::uint64_t begins = states & ~((states << 1U) | static_cast<std::uint64_t>(source.sending));
  for (std::uint64_t rest = states; rest != 0; rest &= rest - 1) {
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(rest));
    const bool sent = ((sends >> slot) & 1U) != 0;
    if (per_packet ? sent : ((begins >> slot) & 1U) != 0) source.output = draw_output(draws);
    if (sent) put<finite>(slot, input, {.output = source.output, .cells = 1, .size = 0, .number = 0});
  }
  source.sending = (states >> 63U) != 0;
}

template <bool finite>
void Simulated::put_trains(std::size_t input, std::uint64_t block) {
  Source& source = sources_[input];
  const std::uint64_t coins = coins_[input].draw(key_, Purpose::coins, input, block);
  InputDraws draws(key_, input, block);
  for (std::uint32_t slot = 0; slot < block_slots; ++slot) {
    if (source.left == 0) {
      const std::uint64_t later = coins >> slot;
      if (later == 0) return;
      slot += static_cast<std::uint32_t>(std::countr_zero(later));
      source.size = static_cast<std::uint32_t>(size_table_.draw(draws.bits(32)));
      source.output = draw_output(draws);
      source.left = size_cells_[source.size];
      ++source.number;
      ++packets_came_[slot * size_cells_.size() + source.size];
    }
    --source.left;
    put<finite>(slot, input,
                {.output = source.output, .cells = 1, .size = source.size, .number = source.number});
  }
}

template <Sending sending, bool finite>
void Simulated::make_block_of() {
  const std::uint64_t block = slot_ / block_slots;
  for (std::size_t input = 0; input < inputs_; ++input) {
    if constexpr (sending == Sending::whole_bursts) {
      put_burst<finite>(input, block);
    } else if constexpr (sending == Sending::trains) {
      put_trains<finite>(input, block);
    } else {
      InputDraws draws(key_, input, block);
      std::uint64_t sends = coins_[input].draw(key_, Purpose::coins, input, block);
      for (; sends != 0; sends &= sends - 1) {
        const auto slot = static_cast<std::uint32_t>(std::countr_zero(sends));
        const auto size = static_cast<std::uint32_t>(size_table_.draw(draws.bits(32)));
        ++packets_came_[slot * size_cells_.size() + size];
        put<finite>(slot, input,
                    {.output = draw_output(draws), .cells = size_cells_[size], .size = size, .number = 0});
      }
    }
  }
}

void Simulated::make_block() {
  sources_at_start_ = sources_;
  std::fill(came_.begin(), came_.end(), 0);
  std::fill(sent_.begin(), sent_.end(), Sent{});
  if (sending_ == Sending::whole_packets || sending_ == Sending::trains)
    std::fill(packets_came_.begin(), packets_came_.end(), 0);
  cells_of_block_ = 0;
  const auto either = [&]<bool finite>() {
    switch (sending_) {
      case Sending::cells:
        if (binary_ && output_bits_ == 4) return make_cells<finite, 4>();
        return make_cells<finite, 0>();
      case Sending::per_packet_bursts:
      case Sending::whole_bursts:
        return make_block_of<Sending::whole_bursts, finite>();
      case Sending::whole_packets:
        return make_block_of<Sending::whole_packets, finite>();
      case Sending::trains:
        return make_block_of<Sending::trains, finite>();
    }
  };
  if (finite_)
    either.operator()<true>();
  else
    either.operator()<false>();
}

/// Enlarges the histograms for all values possible in the block.
void Simulated::grow_counters() {
  const std::uint64_t total = std::accumulate(lengths_.begin(), lengths_.end(), std::uint64_t{0});
  const std::uint64_t longest_queue = *std::max_element(lengths_.begin(), lengths_.end());
  if (total + cells_of_block_ >= longest)
    throw LimitExceeded("the queues exceed " + std::to_string(longest) + " cells");
  const auto grow = [](std::vector<std::uint64_t>& histogram, std::uint64_t size) {
    if (histogram.size() < size) histogram.resize((size + size / 4 + 3) / 4 * 4);
  };
  grow(total_, total + cells_of_block_ + 1);
  grow(queue_, 4 * (longest_queue + cells_of_block_ + 1));
  if (has_hot_) grow(hot_, lengths_.front() + cells_of_block_ + 1);
}

// --- slots

/// In any order of the arrivals. Outputs without arrivals do not matter.
bool Simulated::all_fit(const std::uint32_t* came, std::uint64_t cells) const {
  if (cells == 0) return true;
  std::uint64_t total = 0;
  std::uint32_t highest = 0;
  for (std::size_t output = 0; output < stride_; ++output) {
    total += lengths_[output];
    const std::uint32_t with = lengths_[output] + came[output];
    highest = std::max(highest, came[output] > 0 ? with : 0);
  }
  return highest <= limit(total + cells - 1);
}

void Simulated::take_one_by_one(std::uint32_t slot) {
  order_.clear();
  const Sent* const sent = sent_.data() + slot * inputs_;
  for (std::uint32_t input = 0; input < inputs_; ++input)
    if (sent[input].cells > 0) order_.push_back(input);
  RandomSequence random(key_, Purpose::orders, 0, slot_ * max_inputs);
  for (std::size_t left = order_.size(); left > 1; --left)
    std::swap(order_[left - 1], order_[random.next_below(static_cast<std::uint32_t>(left))]);
  std::uint64_t total = std::accumulate(lengths_.begin(), lengths_.end(), std::uint64_t{0});
  for (const std::uint32_t input : order_) {
    const Sent& its = sent[input];
    std::uint32_t lost = 0;
    for (std::uint32_t cell = 0; cell < its.cells; ++cell) {
      if (lengths_[its.output] < limit(total)) {
        ++lengths_[its.output];
        ++total;
      } else {
        ++lost;
      }
    }
    if (lost == 0) continue;
    lost_[has_hot_ && its.output == 0 ? 1 : 0] += lost;
    balance_.lost += lost;
    if (sending_ != Sending::trains || last_hurt_[input] != its.number) ++hurt_[its.size];
    last_hurt_[input] = its.number;
  }
}

template <bool finite>
void Simulated::one_slot(std::uint32_t slot) {
  const std::uint32_t* const came = came_.data() + slot * stride_;
  std::uint32_t* const lengths = lengths_.data();
  std::uint32_t cells = 0;
  for (std::size_t output = 0; output < stride_; ++output) cells += came[output];
  bool added = false;
  if constexpr (finite)
    if (!all_fit(came, cells)) {
      take_one_by_one(slot);
      added = true;
    }
  if (!added)
    for (std::size_t output = 0; output < stride_; ++output) lengths[output] += came[output];
  cells_ += cells;
  std::uint32_t total = 0, busy = 0;
  std::size_t output = 0;
  if (has_hot_) {
    hot_cells_ += came[0];
    ++hot_[lengths[0]];
    output = 1;
  }
  for (; output < outputs_; ++output) ++queue_[4 * std::size_t{lengths[output]} + output % 4];
  for (output = 0; output < stride_; ++output) {
    const std::uint32_t serves = lengths[output] > 0 ? 1 : 0;
    total += lengths[output];
    busy += serves;
    lengths[output] -= serves;
  }
  ++total_[total];
  balance_.served += busy;
  balance_.came += cells;
}

template <bool finite>
void Simulated::run_slots(std::uint32_t first, std::uint32_t last) {
  const std::size_t classes = size_cells_.size();
  const bool sizes = sending_ == Sending::whole_packets || sending_ == Sending::trains;
  for (std::uint32_t slot = first; slot < last; ++slot, ++slot_) {
    one_slot<finite>(slot);
    if (sizes)
      for (std::size_t i = 0; i < classes; ++i) packets_[i] += packets_came_[slot * classes + i];
  }
  slots_ += last - first;
}

void Simulated::advance(std::int64_t slots) {
  while (slots > 0) {
    const auto first = static_cast<std::uint32_t>(slot_ % block_slots);
    if (first == 0) make_block();
    grow_counters();
    const auto last = static_cast<std::uint32_t>(
        std::min<std::int64_t>(block_slots, static_cast<std::int64_t>(first) + slots));
    if (finite_)
      run_slots<true>(first, last);
    else
      run_slots<false>(first, last);
    slots -= last - first;
  }
}

Counts Simulated::take_counts() {
  Counts counts(SwitchRows::count);
  const bool sizes = sending_ == Sending::whole_packets || sending_ == Sending::trains;
  counts[SwitchRows::slots] = {slots_};
  counts[SwitchRows::packets] = sizes ? packets_ : std::vector<std::uint64_t>{cells_};
  counts[SwitchRows::hurt] = hurt_;
  counts[SwitchRows::cells] = {cells_ - hot_cells_, hot_cells_};
  counts[SwitchRows::lost] = lost_;
  const auto trimmed = [](std::vector<std::uint64_t> histogram) {
    while (!histogram.empty() && histogram.back() == 0) histogram.pop_back();
    return histogram;
  };
  counts[SwitchRows::total] = trimmed(total_);
  std::vector<std::uint64_t>& queue = counts[SwitchRows::queue];
  queue.resize(queue_.size() / 4);
  for (std::size_t i = 0; i < queue.size() * 4; ++i) queue[i / 4] += queue_[i];
  queue = trimmed(std::move(queue));
  counts[SwitchRows::hot] = trimmed(hot_);
  slots_ = cells_ = hot_cells_ = 0;
  for (std::vector<std::uint64_t>* row : {&packets_, &hurt_, &lost_, &total_, &queue_, &hot_})
    std::fill(row->begin(), row->end(), 0);
  return counts;
}

void Simulated::save(ByteWriter& writer) {
  writer.put(slot_);
  writer.put(lengths_);
  for (const Source& source : slot_ % block_slots == 0 ? sources_ : sources_at_start_) {
    writer.put(source.on);
    writer.put(source.sending);
    writer.put(source.output);
    writer.put(source.left);
    writer.put(source.size);
    writer.put(source.number);
  }
  writer.put(last_hurt_);
  for (const std::uint64_t number :
       {balance_.came, balance_.lost, balance_.served, slots_, cells_, hot_cells_})
    writer.put(number);
  for (const std::vector<std::uint64_t>* row : {&packets_, &hurt_, &lost_, &total_, &queue_, &hot_})
    writer.put(*row);
}

void Simulated::load(ByteReader& reader) {
  const auto get = [&reader]<class T>(std::vector<T>& values, bool same_size) {
    std::vector<T> found = reader.get_vector<T>();
    if (same_size && found.size() != values.size()) ByteReader::fail();
    values = std::move(found);
  };
  slot_ = reader.get<std::uint64_t>();
  get(lengths_, true);
  for (Source& source : sources_) {
    source.on = reader.get<bool>();
    source.sending = reader.get<bool>();
    source.output = reader.get<std::uint32_t>();
    source.left = reader.get<std::uint32_t>();
    source.size = reader.get<std::uint32_t>();
    source.number = reader.get<std::uint32_t>();
    if (source.output >= outputs_ || source.size >= size_cells_.size()) ByteReader::fail();
  }
  get(last_hurt_, true);
  for (std::uint64_t* number :
       {&balance_.came, &balance_.lost, &balance_.served, &slots_, &cells_, &hot_cells_})
    *number = reader.get<std::uint64_t>();
  for (std::vector<std::uint64_t>* row : {&packets_, &hurt_, &lost_}) get(*row, true);
  for (std::vector<std::uint64_t>* row : {&total_, &queue_, &hot_}) get(*row, false);
  if (queue_.size() % 4 != 0) ByteReader::fail();
  if (slot_ % block_slots != 0) {
    const std::uint64_t slot = slot_;
    slot_ -= slot_ % block_slots;
    make_block();
    slot_ = slot;
  }
}

}  // namespace

SwitchModel switch_model(std::int64_t inputs, const Rational& load) {
  require(inputs >= 1 && inputs <= max_inputs, "inputs", std::to_string(inputs), "from 1 to 1024");
  return {.rates = std::vector<Rational>(static_cast<std::size_t>(inputs), load), .outputs = inputs};
}

Rational busiest_load(const SwitchModel& model) {
  Rational sum = 0;
  for (const Rational& rate : model.rates) sum = sum + rate;
  return sum * (model.hot + (1 - model.hot) / numeric::Integer(model.outputs));
}

Rational mean_cells(const SwitchModel& model) {
  Rational sum = 0;
  for (const traffic::CellClass& size : model.sizes) sum = sum + size.share * numeric::Integer(size.cells);
  return model.sizes.empty() ? Rational(1) : sum;
}

std::vector<double> output_shares(const SwitchModel& model) {
  const double hot = numeric::nearest_double(model.hot);
  std::vector<double> result(static_cast<std::size_t>(model.outputs),
                             (1 - hot) / static_cast<double>(model.outputs));
  result.front() += hot;
  return result;
}

std::vector<double> size_shares(const SwitchModel& model) {
  std::vector<double> chances;
  for (const traffic::CellClass& size : model.sizes) chances.push_back(numeric::nearest_double(size.share));
  return chances.empty() ? std::vector<double>{1} : chances;
}

std::unique_ptr<SwitchReplication> make_switch_replication(const SwitchModel& model, RandomKey key) {
  return std::make_unique<Simulated>(model, key);
}

std::string describe(const SwitchModel& model) {
  std::string text = "switch of " + std::to_string(model.rates.size()) + " inputs and " +
                     std::to_string(model.outputs) + " outputs";
  const bool equal = equal_rates(model);
  text += equal ? ", load " + numeric::to_fraction(model.rates.front()) : ", rates";
  for (std::size_t i = 0; !equal && i < model.rates.size(); ++i)
    text.append(" ").append(numeric::to_fraction(model.rates[i]));
  if (model.hot > 0) text += ", hot " + numeric::to_fraction(model.hot);
  if (model.burst)
    text += ", bursts of " + numeric::to_fraction(model.burst->slots) + " at " +
            numeric::to_fraction(model.burst->on_rate) +
            (model.destination == Destination::per_burst ? ", one output each" : ", scattered");
  for (const traffic::CellClass& size : model.sizes)
    text += ", " + std::to_string(size.cells) + " cells with " + numeric::to_fraction(size.share);
  if (!model.sizes.empty()) text += model.arrival == PacketArrival::whole ? ", whole" : ", cell by cell";
  if (model.memory) text += ", memory " + std::to_string(*model.memory);
  if (model.threshold) text += ", threshold " + numeric::to_fraction(*model.threshold);
  if (model.buffer) text += ", buffer " + std::to_string(*model.buffer);
  return text;
}

}  // namespace tailbound::sim
