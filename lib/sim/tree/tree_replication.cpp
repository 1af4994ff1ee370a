#include <tailbound/core/error.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/sim/tree/near_queues.hpp>
#include <tailbound/sim/tree/tree_engine.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

namespace tailbound::sim {
namespace tree_engine {
namespace {

constexpr std::int64_t max_late = std::int64_t{1} << 26;
constexpr std::uint64_t max_bytes = std::uint64_t{16} << 30;

/// 1 << i.
constexpr auto bit_of = [] {
  std::array<std::uint32_t, 32> bits{};
  for (std::uint32_t i = 0; i < 32; ++i) bits[i] = 1U << i;
  return bits;
}();

}  // namespace

template <class Packet>
Tree<Packet>::Tree(const Shape& shape, const Layout& layout, RandomKey key)
    : shape_(shape), layout_(layout), key_(key) {
  const std::size_t arrays = static_cast<std::size_t>(shape.stages - 1 + (shape.turning ? 1 : 0));
  const double elements = static_cast<double>(arrays) * static_cast<double>(shape.array_size);
  if (elements * sizeof(Packet) > static_cast<double>(max_bytes) || elements > 4.2e9)
    throw LimitExceeded("the simulation would need " + std::to_string(elements * sizeof(Packet) / (1 << 30)) +
                        " GiB of memory; the limit is 16 GiB");
  streams_.resize(arrays * shape.array_size);
  if (!shape.turning) leaf_scratch_.resize(static_cast<std::size_t>(shape.radix) * shape.stream_stride);
  if (shape.bursts)
    for (std::int64_t leaf = 0; leaf < shape.leaves; ++leaf)
      on_.push_back(shape.bursts->start(key, bursts, static_cast<std::uint64_t>(leaf)));
  if (shape.keeps_paths) {
    kept_.resize(static_cast<std::size_t>(shape.leaves));
    order_.resize(static_cast<std::size_t>(block_slots * shape.radix));
    first_ports_.resize(static_cast<std::size_t>(block_slots * (shape.turning ? shape.leaves : shape.radix)));
  }
  const auto stages = static_cast<std::size_t>(shape.stages);
  free_.resize(stages * static_cast<std::size_t>(shape.leaves));
  waits_.resize(stages);
  backlogs_.resize(stages);
  drops_.resize(stages);
  longest_wait_.assign(stages, shape.wait_limit());
  const auto turns = static_cast<std::size_t>(shape.levels);
  delays_.resize(turns);
  flows_.resize(static_cast<std::size_t>(shape.flows));
  fast_waits_.resize(stages * group * waits_stride);
  nowhere_.resize(static_cast<std::size_t>(shape.ring));
  fast_delays_.resize(turns * fast_delays);
  visits_.resize(static_cast<std::size_t>(block_slots * 2 * shape.radix));
  const std::size_t bytes = static_cast<std::size_t>(block_slots * shape.radix) * (shape.binary ? 1 : 4);
  choices_.resize((bytes + 31) / 32 * 4);
}

template <class Packet>
void Tree<Packet>::advance(std::int64_t slots) {
  if (slots < 0) throw InvalidArgument("slots", std::to_string(slots), "at least 0");
  while (slots > 0) {
    const int first = static_cast<int>(now_ % block_slots);
    const int count = static_cast<int>(std::min<std::int64_t>(slots, block_slots - first));
    if (first == 0) begin_block();
    advance_within_block(first, first + count);
    now_ += count;
    if (now_ % block_slots == 0) end_block();
    slots -= count;
  }
}

template <class Packet>
void Tree<Packet>::begin_block() {
  std::erase_if(late_, [this](const Late& late) {
    if (late.slot >= now_ + shape_.ring) return false;
    streams_[late.stream + static_cast<std::size_t>(late.slot & (shape_.ring - 1))] = late.packet;
    return true;
  });
}

template <class Packet>
void Tree<Packet>::end_block() {
  for (std::int32_t& free : free_) free = std::max(free - block_slots, 0);
}

/// Stage by stage: a stage reads only what earlier stages wrote, for slots up to `last`.
template <class Packet>
void Tree<Packet>::advance_within_block(int first, int last) {
  if (shape_.turning)
    for (std::int64_t leaf = 0; leaf < shape_.leaves; ++leaf)
      fill(leaf, first, last,
           streams_.data() + shape_.position(leaf / shape_.radix) +
               static_cast<std::size_t>(leaf % shape_.radix) * shape_.stream_stride);
  for (int stage = 0; stage < shape_.stages; ++stage) run_stage(stage, first, last);
  const std::int64_t start = block_start();
  for (ReorderFlow& flow : flows_) flow.count(start + first, start + last, reorder_);
}

/// The destination of each packet that a leaf may send in the slots of the block: the digits in their
/// positions.
template <class Packet>
void Tree<Packet>::draw_destinations(std::int64_t leaf, std::span<Packet, block_slots> destination) const {
  const auto entity = static_cast<std::uint64_t>(leaf);
  const auto block = static_cast<std::uint64_t>(block_start() / block_slots);
  std::array<std::uint64_t, 32> random;  // 64 numbers of 32 bits, or (where that is enough) of 16
  const int leaf_bits = shape_.levels * shape_.digit_bits;
  const bool short_numbers = shape_.binary && leaf_bits <= 16;
  random_fill(key_, destinations, entity, block * 8, std::span(random).first(short_numbers ? 16 : 32));
  if (short_numbers) {
    std::array<std::uint16_t, block_slots> numbers;
    std::memcpy(numbers.data(), random.data(), sizeof numbers);
    if (layout_.marked) {
      const auto [digit_0, digit_1, digit_2] = layout_.digits;
      const auto [stays, factor_1, factor_2] = layout_.factors;
      for (std::uint16_t& number : numbers) {
        const auto second =
            static_cast<std::uint16_t>(static_cast<std::uint16_t>(number & digit_1) * factor_1);
        const auto third =
            static_cast<std::uint16_t>(static_cast<std::uint16_t>(number & digit_2) * factor_2);
        number = static_cast<std::uint16_t>((number & digit_0) | second | third);
      }
    } else {
      const auto mask = static_cast<std::uint16_t>((1U << leaf_bits) - 1);
      for (std::uint16_t& number : numbers) number &= mask;
    }
    std::copy(numbers.begin(), numbers.end(), destination.begin());
  } else {
    std::array<std::uint32_t, block_slots> numbers;
    std::memcpy(numbers.data(), random.data(), sizeof numbers);
    const auto radix = static_cast<std::uint64_t>(shape_.radix);
    for (std::uint32_t& number : numbers) {
      // The binary fraction number / 2^32 in base k: each step removes a digit.
      std::uint32_t digits = 0;
      for (int digit = 0; digit < shape_.levels; ++digit) {
        const std::uint64_t product = number * radix;
        digits |= static_cast<std::uint32_t>(product >> 32U) << (digit * layout_.digit_stride);
        number = static_cast<std::uint32_t>(product);
      }
      number = digits;
    }
    std::copy(numbers.begin(), numbers.end(), destination.begin());
  }
}

/// For the burst of a leaf that started in that slot: uniform destination and ports up.
template <class Packet>
auto Tree<Packet>::draw_path(std::int64_t leaf, std::int64_t began) const -> Path {
  const RandomWords words =
      random_words(key_, paths, static_cast<std::uint64_t>(leaf), static_cast<std::uint64_t>(began));
  // Binary fractions in base k, as for single packets; with 54 bits, as k is at most 2^10.
  const auto take = [radix = static_cast<std::uint64_t>(shape_.radix)](std::uint64_t& fraction) {
    const std::uint64_t product = fraction * radix;
    fraction = product & (~std::uint64_t{0} >> 10U);
    return static_cast<std::uint16_t>(product >> 54U);
  };
  std::uint64_t down = words[0] >> 10U, up = words[1] >> 10U;
  Path path{.first_port = take(up)};
  for (int digit = 0; digit < shape_.levels; ++digit)
    path.digits |= static_cast<Packet>(take(down)) << (digit * layout_.digit_stride);
  for (int port = 0; port < shape_.levels - 2; ++port)
    path.digits |= static_cast<Packet>(take(up)) << (layout_.path_shift + port * shape_.digit_bits);
  return path;
}

/// The part of their burst's route that packets of a leaf store, slot by slot; and, for the leaf's switch,
/// their first ports.
/// \param on  bit s: is the leaf ON in slot s of the block?
template <class Packet>
void Tree<Packet>::keep_paths(std::int64_t leaf, std::uint64_t on, int last,
                              std::span<Packet, block_slots> digits) {
  KeptPath& kept = kept_[static_cast<std::size_t>(leaf)];
  std::uint16_t* const ports =
      first_ports_.data() + (shape_.turning ? leaf : leaf % shape_.radix) * block_slots;
  KeptPath now = kept;
  std::uint64_t begins = on & ~(on << 1U | static_cast<std::uint64_t>(now.began >= 0));
  for (int s = 0; s < block_slots; begins &= begins - 1) {
    const int next = std::countr_zero(begins);  // 64 if there is none
    std::fill(digits.begin() + s, digits.begin() + next, now.path.digits);
    std::fill(ports + s, ports + next, now.path.first_port);
    if (next < block_slots) now = {block_start() + next, draw_path(leaf, block_start() + next)};
    s = next;
  }
  if (last == block_slots) {
    kept = now;
    if (on >> 63U == 0) kept.began = -1;
  }
}

/// The packets that a leaf sends in slots first .. last - 1, into its stream (0 if it sends none). Called
/// once for each range of slots, as the state of a source with bursts advances at the end of a block.
template <class Packet>
void Tree<Packet>::fill(std::int64_t leaf, int first, int last, Packet* stream) {
  const auto entity = static_cast<std::uint64_t>(leaf);
  const auto block = static_cast<std::uint64_t>(block_start() / block_slots);
  std::uint64_t sends;
  std::array<Packet, block_slots> destination;
  if (shape_.bursts) {
    std::uint8_t& state = on_[static_cast<std::size_t>(leaf)];
    bool on = state != 0;
    const OnOffSlots::Block slots = shape_.bursts->slots(key_, bursts, entity, block, on);
    sends = slots.sends;
    if (last == block_slots) state = on;
    if (shape_.keeps_paths) keep_paths(leaf, slots.on, last, destination);
  } else {
    sends = shape_.threshold == 0 ? ~std::uint64_t{0}
                                  : bernoulli_bits(key_, arrivals, entity, block * 16, shape_.threshold);
  }
  if (!shape_.keeps_paths) draw_destinations(leaf, destination);

  Packet common = present | layout_.marks;
  const bool observed =
      shape_.flows > 0 && leaf % shape_.flow_spacing == 0 && leaf / shape_.flow_spacing < shape_.flows;
  const std::int64_t flow = observed ? leaf / shape_.flow_spacing : -1;
  common |= static_cast<Packet>(static_cast<Packet>(flow + 1) << layout_.flow_shift);
  const Packet birth_mask = static_cast<Packet>((Packet{1} << layout_.birth_bits) - 1);
  // A block starts at a multiple of 64, and so do the wraps of the birth's bits: no carry within a block.
  const Packet birth = static_cast<Packet>(block_start()) & birth_mask;
  const std::uint64_t range = (~std::uint64_t{0} >> (64 - (last - first))) << first;
  const std::uint64_t sends_now = sends & range;
  std::array<Packet, block_slots> packets;
  const int birth_shift = layout_.birth_shift;
  for (std::size_t half = 0; half < 2; ++half) {
    const auto bits = static_cast<std::uint32_t>(sends_now >> (32 * half));
    const Packet start = birth + static_cast<Packet>(32 * half);
    for (std::uint32_t s = 0; s < 32; ++s) {
      const Packet sent = Packet{0} - static_cast<Packet>((bits & bit_of[s]) == bit_of[s]);
      packets[32 * half + s] =
          sent & (common | (start + static_cast<Packet>(s)) << birth_shift | destination[32 * half + s]);
    }
  }
  Packet* const target = stream + column(0);
  std::copy(packets.begin() + first, packets.begin() + last, target + first);
  totals_.sent += static_cast<std::int64_t>(std::popcount(sends_now));
  if (shape_.turning) {
    std::uint32_t own = 0;
    std::int64_t rest = leaf;
    for (int digit = 0; digit < shape_.levels; ++digit, rest /= shape_.radix)
      own |= static_cast<std::uint32_t>(rest % shape_.radix) << (digit * shape_.digit_bits);
    const auto digits = static_cast<Packet>((Packet{1} << layout_.path_shift) - 1);
    for (int s = first; s < last; ++s) {
      const auto different =
          static_cast<int>(std::bit_width(own ^ (destination[static_cast<std::size_t>(s)] & digits)));
      const int turn = different == 0 ? 0 : (different - 1) / shape_.digit_bits;
      target[s] |= (target[s] >> (packet_bits<Packet> - 1)) * static_cast<Packet>(turn) << layout_.turn_shift;
    }
  }
  if (observed)
    for (std::uint64_t left = sends_now; left != 0; left &= left - 1)
      flows_[static_cast<std::size_t>(flow)].sent(block_start() + std::countr_zero(left));
}

/// The order in which the packets of a slot join: for each slot a permutation of the inputs, drawn uniformly
/// and used by all switches of the stage; each switch shifts the ranks by a random number of its own
/// (exclusive or if the number of inputs is a power of two, otherwise a rotation). So the order at one switch
/// in one slot is exactly uniform and independent of all other slots and stages. At two switches in one slot
/// the rank of any one input is independent of the other switch's ranks; for powers of two so is the order of
/// any two inputs. Whole orders are not independent, but only joint distributions of three or more packets at
/// different switches in the same slot depend on this.
template <class Packet>
void Tree<Packet>::prepare_visits(int stage, int inputs, std::size_t parents_offset) {
  const auto count = static_cast<std::size_t>(inputs);
  RandomSequence random(key_, orders + static_cast<std::uint64_t>(stage),
                        static_cast<std::uint64_t>(block_start() / block_slots));
  for (std::size_t s = 0; s < block_slots; ++s) {
    std::uint32_t* visit = visits_.data() + s * count;
    for (std::size_t i = 0; i < count; ++i) {
      const auto radix = static_cast<std::size_t>(shape_.radix);
      const std::size_t offset =
          i < radix ? i * shape_.stream_stride : parents_offset + (i - radix) * shape_.stream_stride;
      const std::size_t place = random.next_below(static_cast<std::uint32_t>(i + 1));
      visit[i] = visit[place];
      visit[place] = static_cast<std::uint32_t>(offset);
    }
  }
}

/// Eight equal bytes.
constexpr std::uint64_t bytes_of(std::int64_t byte) {
  return 0x0101010101010101ULL * static_cast<std::uint64_t>(byte);
}

template <class Packet>
void Tree<Packet>::prepare_choices(int stage, std::int64_t at) {
  const auto block = static_cast<std::uint64_t>(block_start() / block_slots);
  const std::uint64_t digits = shape_.binary ? bytes_of(shape_.radix - 1) : ~std::uint64_t{0};
  const std::uint64_t first_port = shape_.binary && shape_.narrow() ? bytes_of(NearQueues::first) : 0;
  random_fill(key_, up_links + static_cast<std::uint64_t>(stage), static_cast<std::uint64_t>(at),
              block * (choices_.size() / 4), choices_,
              [=](std::uint64_t word) { return (word & digits) | first_port; });
}

template <class Packet>
void Tree<Packet>::prepare_rotations(int stage, std::int64_t at) {
  std::array<std::uint64_t, block_slots / 4> words;
  random_fill(key_, rotations + static_cast<std::uint64_t>(stage), static_cast<std::uint64_t>(at),
              static_cast<std::uint64_t>(block_start() / block_slots) * 4, words);
  std::memcpy(rotations_.data(), words.data(), sizeof words);
}

template <class Packet>
void Tree<Packet>::run_stage(int stage, int first, int last) {
  if (stage == shape_.stages - 1)
    choose_pass<Role::last>(stage, first, last);
  else if (stage < shape_.levels - 1)
    choose_pass<Role::up>(stage, first, last);
  else
    choose_pass<Role::down>(stage, first, last);
}

/// Slots first .. last - 1 of the k streams into a switch have been read.
template <class Packet>
void Tree<Packet>::clear(Packet* streams, int first, int last) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape_.radix); ++i)
    std::fill_n(streams + i * shape_.stream_stride + column(first), last - first, Packet{0});
}

template <class Packet>
void Tree<Packet>::join_late(int stage, std::int32_t wait, std::size_t stream, std::int64_t slot,
                             Packet packet, bool last) {
  const auto at = static_cast<std::size_t>(stage);
  if (wait > longest_queue)
    throw LimitExceeded("a queue exceeds the limit of " + std::to_string(longest_queue) + " packets");
  count_at(waits_[at], static_cast<std::size_t>(wait), 1);
  longest_wait_[at] = std::max<std::int64_t>(longest_wait_[at], wait);
  const std::int64_t longest = std::accumulate(longest_wait_.begin(), longest_wait_.end(), std::int64_t{0});
  if (longest + shape_.stages >= (std::int64_t{1} << layout_.birth_bits))
    throw LimitExceeded("delays exceed " + std::to_string((std::int64_t{1} << layout_.birth_bits) - 1) +
                        " slots, the limit for time stamps");
  if (last) return;
  if (std::ssize(late_) >= max_late)
    throw LimitExceeded(
        "the queues exceed the memory of the simulation: the limit is 2^26 packets in addition to those in "
        "the rings");
  late_.push_back({slot, stream, packet});
}

template <class Packet>
void Tree<Packet>::count_delay(std::size_t turn, std::uint64_t delay, std::uint64_t count) {
  count_at(delays_[turn], delay, count);
}

/// A packet of an observed flow leaves the network at the end of slot `served`.
template <class Packet>
void Tree<Packet>::deliver(Packet packet, std::int64_t served) {
  const auto birth_mask = (std::uint64_t{1} << layout_.birth_bits) - 1;
  const auto age = static_cast<std::int64_t>(
      (static_cast<std::uint64_t>(served) - (packet >> layout_.birth_shift)) & birth_mask);
  const auto flow_mask = (Packet{1} << (layout_.birth_shift - layout_.flow_shift)) - 1;
  const auto flow = static_cast<std::size_t>((packet >> layout_.flow_shift) & flow_mask);
  flows_[flow - 1].delivered(served, served - age);
}

/// Adds the fast histograms to the growing ones and clears them.
template <class Packet>
void Tree<Packet>::fold() {
  const auto beyond = static_cast<std::size_t>(std::min<std::int32_t>(shape_.capacity, fast_waits - 1));
  for (std::size_t i = 0; i < fast_waits_.size(); ++i)
    if (const std::uint64_t count = std::exchange(fast_waits_[i], 0U);
        count != 0 && i % waits_stride < beyond)
      count_at(waits_[i / waits_stride / group], i % waits_stride, count);
  for (std::size_t i = 0; i < fast_delays_.size(); ++i)
    if (const std::uint64_t count = std::exchange(fast_delays_[i], 0U); count != 0)
      count_delay(i / fast_delays, i % fast_delays, count);
}

/// [v]: queues of the stage with v packets just before the arrivals of slot now_, v >= 1.
template <class Packet>
std::vector<std::uint64_t> Tree<Packet>::backlog(int stage) const {
  std::vector<std::uint64_t> counts;
  const auto slot = static_cast<std::int32_t>(now_ % block_slots);
  const std::int32_t* const first = free_.data() + stage * shape_.leaves;
  for (const std::int32_t* free = first; free != first + shape_.leaves; ++free) {
    if (*free <= slot) continue;
    const auto packets = static_cast<std::size_t>(*free - slot);
    if (counts.size() <= packets) counts.resize(packets + 1);
    ++counts[packets];
  }
  return counts;
}

/// Queue-slots at each level n + 1 = packets that joined at n, plus queues above n at the start, minus those
/// above n at the end.
std::vector<std::uint64_t> occupancy_counts(const std::vector<std::uint64_t>& waits,
                                            const std::vector<std::uint64_t>& start,
                                            const std::vector<std::uint64_t>& end,
                                            std::uint64_t queue_slots) {
  std::vector<std::uint64_t> counts(std::max({waits.size() + 1, start.size(), end.size(), std::size_t{1}}));
  std::uint64_t above_at_start = 0, above_at_end = 0, busy = 0;
  for (std::size_t level = counts.size() - 1; level > 0; --level) {
    if (level < start.size()) above_at_start += start[level];
    if (level < end.size()) above_at_end += end[level];
    counts[level] = (level <= waits.size() ? waits[level - 1] : 0) + above_at_start - above_at_end;
    busy += counts[level];
  }
  counts[0] = queue_slots - busy;
  return counts;
}

template <class Packet>
Counts Tree<Packet>::take_counts() {
  fold();
  const TreeRows rows(network::Tree{shape_.radix, shape_.levels});
  Counts counts(rows.count());
  const auto slots = static_cast<std::uint64_t>(now_ - since_);
  for (int stage = 0; stage < shape_.stages; ++stage) {
    const auto at = static_cast<std::size_t>(stage);
    auto end = backlog(stage);
    counts[rows.occupancy(stage)] =
        occupancy_counts(waits_[at], backlogs_[at], end, slots * static_cast<std::uint64_t>(shape_.leaves));
    counts[rows.waits(stage)] = std::exchange(waits_[at], {});
    counts[rows.drops(stage)] = {std::exchange(drops_[at], 0)};
    backlogs_[at] = std::move(end);
  }
  for (int turn = 1; turn <= shape_.levels; ++turn)
    counts[rows.delays(turn)] = std::exchange(delays_[static_cast<std::size_t>(turn - 1)], {});
  counts[rows.reorder()] = std::exchange(reorder_, {});
  counts[rows.slots()] = {slots};
  since_ = now_;
  return counts;
}

template <class Packet>
PacketBalance Tree<Packet>::balance() const {
  PacketBalance balance = totals_;
  balance.queued =
      std::count_if(streams_.begin(), streams_.end(), [](Packet packet) { return packet != 0; }) +
      std::ssize(late_);
  const auto last = backlog(shape_.stages - 1);
  std::int64_t in_last = 0;
  for (std::size_t packets = 0; packets < last.size(); ++packets)
    in_last += static_cast<std::int64_t>(packets * last[packets]);
  balance.queued += in_last;
  balance.delivered -= in_last;
  return balance;
}

template <class Packet>
void Tree<Packet>::save(ByteWriter& writer) {
  fold();
  writer.put(now_);
  writer.put(since_);
  writer.put(totals_.sent);
  writer.put(totals_.delivered);
  writer.put(totals_.dropped);
  writer.put(free_);
  if (shape_.bursts) writer.put(on_);
  if (shape_.keeps_paths) {
    std::vector<std::int64_t> began;
    for (const KeptPath& kept : kept_) began.push_back(kept.began);
    writer.put(began);
  }
  // Streams are mostly empty: store position and packet of occupied cells.
  writer.put<std::int64_t>(
      std::count_if(streams_.begin(), streams_.end(), [](Packet packet) { return packet != 0; }));
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (streams_[i] != 0) {
      writer.put<std::uint64_t>(i);
      writer.put(streams_[i]);
    }
  writer.put<std::uint64_t>(late_.size());
  for (const Late& late : late_) {
    writer.put(late.slot);
    writer.put(late.stream);
    writer.put(late.packet);
  }
  for (const auto* rows : {&waits_, &delays_, &backlogs_})
    for (const auto& row : *rows) writer.put(row);
  writer.put(drops_);
  writer.put(longest_wait_);
  writer.put(reorder_);
  for (const ReorderFlow& flow : flows_) flow.save(writer);
}

template <class Packet>
void Tree<Packet>::load(ByteReader& reader) {
  now_ = reader.get<std::int64_t>();
  since_ = reader.get<std::int64_t>();
  totals_.sent = reader.get<std::int64_t>();
  totals_.delivered = reader.get<std::int64_t>();
  totals_.dropped = reader.get<std::int64_t>();
  const auto require_size = [](std::size_t size, std::size_t expected) {
    if (size != expected) ByteReader::fail();
  };
  std::fill(fast_waits_.begin(), fast_waits_.end(), 0);
  std::fill(fast_delays_.begin(), fast_delays_.end(), 0);
  const std::size_t queues = free_.size();
  free_ = reader.get_vector<std::int32_t>();
  require_size(free_.size(), queues);
  if (shape_.bursts) {
    on_ = reader.get_vector<std::uint8_t>();
    require_size(on_.size(), static_cast<std::size_t>(shape_.leaves));
  }
  if (shape_.keeps_paths) {
    const auto began = reader.get_vector<std::int64_t>();
    require_size(began.size(), kept_.size());
    for (std::size_t leaf = 0; leaf < began.size(); ++leaf)
      kept_[leaf] = {began[leaf], draw_path(static_cast<std::int64_t>(leaf), began[leaf])};
  }
  std::fill(streams_.begin(), streams_.end(), Packet{0});
  for (auto left = reader.get<std::int64_t>(); left > 0; --left) {
    const auto position = reader.get<std::uint64_t>();
    if (position >= streams_.size()) ByteReader::fail();
    streams_[position] = reader.get<Packet>();
  }
  late_.clear();
  for (auto left = reader.get<std::uint64_t>(); left > 0; --left) {
    Late late{};
    late.slot = reader.get<std::int64_t>();
    late.stream = reader.get<std::uint64_t>();
    late.packet = reader.get<Packet>();
    if (late.stream + static_cast<std::uint64_t>(shape_.ring) > streams_.size()) ByteReader::fail();
    late_.push_back(late);
  }
  for (auto* rows : {&waits_, &delays_, &backlogs_})
    for (auto& row : *rows) row = reader.get_vector<std::uint64_t>();
  const std::size_t stages = drops_.size();
  drops_ = reader.get_vector<std::uint64_t>();
  longest_wait_ = reader.get_vector<std::int64_t>();
  require_size(drops_.size(), stages);
  require_size(longest_wait_.size(), stages);
  reorder_ = reader.get_vector<std::uint64_t>();
  for (ReorderFlow& flow : flows_) flow.load(reader);
}

template class Tree<std::uint32_t>;
template class Tree<std::uint64_t>;

}  // namespace tree_engine

std::unique_ptr<TreeReplication> make_tree_replication(const TreeModel& model, RandomKey key) {
  using namespace tree_engine;
  const Shape shape(model);
  if (shape.narrow() && !shape.turning)
    if (const Layout marked(shape, packet_bits<std::uint32_t>, true); marked.fits(shape))
      return std::make_unique<Tree<std::uint32_t>>(shape, marked, key);
  if (const Layout plain(shape, packet_bits<std::uint32_t>, false); plain.fits(shape))
    return std::make_unique<Tree<std::uint32_t>>(shape, plain, key);
  return std::make_unique<Tree<std::uint64_t>>(shape, Layout(shape, packet_bits<std::uint64_t>, false), key);
}

SourceMemory source_memory(const TreeModel& model) {
  using numeric::Rational;
  if (!model.burst) return {};
  const traffic::OnOff leaf = traffic::on_off(model.load, *model.burst);
  const numeric::Integer radix(static_cast<long>(model.tree.radix));
  if (!model.keeps_paths()) return memory_of(traffic::thinned(leaf, Rational(1) / radix), model.tree.radix);
  const numeric::Integer leaves = numeric::pow(radix, model.tree.levels);
  return memory_of(leaf, numeric::to_int64(leaves), Rational(1) / leaves);
}

std::string describe(const TreeModel& model) {
  std::string text =
      std::to_string(model.tree.radix) + "-ary " + std::to_string(model.tree.levels) + "-tree, load " +
      numeric::to_fraction(model.load) + ", " +
      (model.routing == network::TreeRouting::random_root ? "random root" : "nearest ancestor");
  if (model.burst)
    text += ", bursts of " + numeric::to_fraction(model.burst->slots) + " slots at rate " +
            numeric::to_fraction(model.burst->on_rate) +
            (model.keeps_paths() ? ", each to one destination" : "");
  if (model.buffer) text += ", buffer " + std::to_string(*model.buffer);
  if (model.observed_flows > 0) text += ", " + std::to_string(model.observed_flows) + " flows observed";
  return text;
}

}  // namespace tailbound::sim
