#include <cln/integer.h>
#include <cln/rational.h>
#include <tailbound/core/error.hpp>
#include <tailbound/sim/tree/reorder_flow.hpp>
#include <tailbound/sim/tree/tree_replication.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tailbound::sim {
namespace {

using network::TreeRouting;
using numeric::Rational;

constexpr int block_slots = 64;            ///< slots simulated switch by switch
constexpr std::uint32_t line = 16;         ///< padding: streams would else fall on the same cache sets
constexpr std::size_t fast_delays = 4096;  ///< delays counted in an array; longer ones in a vector that grows
constexpr std::size_t fast_waits = 256;    ///< waits likewise: what a byte holds
constexpr std::size_t waits_stride = fast_waits + 32;  ///< no two short waits at addresses alike in 12 bits
constexpr std::uint32_t group = 8;  ///< packets in a row that count their waits in arrays of their own
constexpr int most_marked = 3;      ///< marked digits of a packet: as many as 16 bits have room for
constexpr int mark_bit = 4;         ///< of a digit: the numbers of 16 ports and one for none
constexpr int most_flows = 4096;
constexpr std::int32_t longest_queue = 28'000;  ///< [packets]
constexpr std::int32_t unlimited = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_late = std::int64_t{1} << 26;
constexpr std::uint64_t most_bytes = std::uint64_t{16} << 30;

/// What random numbers are for. Stages are below 64.
enum Purpose : std::uint64_t {
  arrivals = 0,
  destinations = 64,
  up_links = 128,
  rotations = 192,
  orders = 256,
  bursts = 320,
  ways = 384
};

/// What a stage's switches do with the packets that come in.
enum class Role { up, down, last };

/// What ports a switch has. Up to 16 are few; where the packets' digits are marked, no packet has one as
/// well.
enum class Ports { many, few, marked };

/// Everything that follows from the model.
struct Shape {
  std::int64_t radix;
  int levels, stages;
  std::int64_t switches;  ///< of one level
  std::int64_t leaves;
  bool turning;                                 ///< nearest-ancestor: packets turn at their own level
  bool binary;                                  ///< the radix is a power of two, at most 256
  int digit_bits;                               ///< of one digit of a destination
  std::int64_t ring;                            ///< slots that a stream holds; a multiple of 64
  std::size_t stream_stride;                    ///< [packets]
  std::array<std::size_t, 16> switch_stride{};  ///< [digit]: between switches whose digits differ by 1
  std::size_t array_size;                       ///< of the streams between two stages
  std::uint64_t threshold;                      ///< load * 2^64; 0 stands for load 1
  std::int32_t room;
  int flows;
  std::int64_t flow_spacing;
  std::optional<OnOffSlots> bursts{};
  bool keeps_ways;  ///< bursts do
  double longest_likely_wait;

  explicit Shape(const TreeModel& model);
  [[nodiscard]] int level(int stage) const { return stage < levels - 1 ? stage + 1 : 2 * levels - 1 - stage; }
  [[nodiscard]] std::int64_t power(int exponent) const {
    std::int64_t value = 1;
    for (int i = 0; i < exponent; ++i) value *= radix;
    return value;
  }
  /// Where the streams of a switch start in an array.
  [[nodiscard]] std::size_t position(std::int64_t at) const {
    std::size_t sum = 0;
    for (std::size_t digit = 0; at != 0; ++digit, at /= radix)
      sum += static_cast<std::size_t>(at % radix) * switch_stride[digit];
    return sum;
  }
  [[nodiscard]] bool narrow() const { return radix <= 16; }
  /// Waits below this stay within the ring from every slot of a block.
  [[nodiscard]] std::int32_t wait_limit() const { return static_cast<std::int32_t>(ring - block_slots); }
};

void check(const TreeModel& model) {
  network::require_valid(model.tree);
  std::int64_t leaves = 1;
  for (int i = 0; i < model.tree.levels; ++i) leaves *= model.tree.radix;
  if (!cln::plusp(model.load) || model.load > 1)
    throw InvalidArgument("load", numeric::to_fraction(model.load), "above 0 and at most 1 packet a slot");
  if (!model.buffer && model.load == 1) throw Unstable("1", 1);
  if (model.buffer && (*model.buffer < 1 || *model.buffer > longest_queue))
    throw InvalidArgument("buffer", std::to_string(*model.buffer),
                          "from 1 to " + std::to_string(longest_queue) + " packets");
  if (model.ring_slots && (*model.ring_slots < 128 || *model.ring_slots > 4096 ||
                           !std::has_single_bit(static_cast<std::uint64_t>(*model.ring_slots))))
    throw InvalidArgument("ring slots", std::to_string(*model.ring_slots), "a power of two from 128 to 4096");
  if (model.observed_flows < 0 || model.observed_flows > std::min<std::int64_t>(leaves, most_flows))
    throw InvalidArgument("observed flows", std::to_string(model.observed_flows),
                          "from 0 to " + std::to_string(std::min<std::int64_t>(leaves, most_flows)));
  if (model.observed_flows > 0 && model.buffer)
    throw InvalidArgument(
        "buffer", std::to_string(*model.buffer),
        "unlimited where reorder buffers are observed: a lost packet would never be passed");
}

/// By how much the variance of a queue's arrivals over many slots exceeds that without bursts.
double burstiness(const TreeModel& model) {
  return 1 + source_memory(model).variance / numeric::nearest_double(model.load);
}

std::int64_t ring_slots(const TreeModel& model) {
  if (model.ring_slots) return *model.ring_slots;
  const double load = numeric::nearest_double(model.load);
  // Of reflected Brownian motion e^-24 lies beyond. Where all bursts are long to be, so would be the streams: a
  // thousandth of the packets may then go the slower way.
  const double relaxations = model.keeps_ways() ? 2.5 : 12;
  double wanted = std::max(128.0, 64 + relaxations * burstiness(model) / std::max(1 - load, 1e-6));
  if (model.buffer) wanted = std::min(wanted, std::max(128.0, 64.0 + static_cast<double>(*model.buffer) + 1));
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::min(wanted, 4096.0))));
}

Shape::Shape(const TreeModel& model)
    : radix(model.tree.radix),
      levels(model.tree.levels),
      stages(stage_count(model.tree)),
      switches((check(model), power(levels - 1))),
      leaves(switches * radix),
      turning(model.routing == TreeRouting::nearest_ancestor),
      binary(std::has_single_bit(static_cast<std::uint64_t>(radix)) && radix <= 256),
      digit_bits(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(radix - 1)))),
      ring(ring_slots(model)),
      stream_stride(static_cast<std::size_t>(ring) + line),
      array_size(static_cast<std::size_t>(radix) * stream_stride + line),
      threshold(0),
      room(model.buffer ? static_cast<std::int32_t>(*model.buffer) : unlimited),
      flows(model.observed_flows),
      flow_spacing(flows == 0 ? 0 : leaves / flows),
      keeps_ways(model.keeps_ways()),
      longest_likely_wait(wait_limit()) {
  for (int digit = 0; digit < levels - 1; ++digit) {
    switch_stride[static_cast<std::size_t>(digit)] = array_size;
    array_size = static_cast<std::size_t>(radix) * array_size + line;
  }
  const auto scaled = cln::floor1(model.load * cln::expt(numeric::Integer(2), 64));
  if (model.load < 1) threshold = cln::cl_I_to_ulong(scaled);
  if (model.burst) {
    bursts.emplace(traffic::on_off(model.load, *model.burst));
    // Reflected Brownian motion passes it with probability 1e-12.
    const double load = numeric::nearest_double(model.load);
    longest_likely_wait = std::max(longest_likely_wait, 14 * burstiness(model) / (1 - load));
  }
}

template <class Packet>
constexpr int packet_bits = std::numeric_limits<Packet>::digits;

/// Where a packet keeps what: destination digits (lowest first), the ports of its way up from level 2 on if its burst
/// keeps it, turning level - 1, number of its observed flow + 1, slot of sending; the top bit is set, so that 0 is no
/// packet. Marked digits have four bits and a fifth that is set, so that those of no packet differ from all others.
struct Layout {
  bool marked;
  int digit_stride, way_shift, turn_shift, flow_shift, birth_shift, birth_bits;
  /// The digits of a number that has them side by side, and by what to multiply each to move it to its place
  /// (as vectors of 16-bit numbers have a product, but no shift by a variable, that compilers find).
  std::array<std::uint16_t, most_marked> digits{}, factors{};
  std::uint32_t marks = 0;
  Layout(const Shape& shape, int bits, bool marked_digits)
      : marked(marked_digits),
        digit_stride(marked ? mark_bit + 1 : shape.digit_bits),
        way_shift(shape.levels * digit_stride),
        turn_shift(way_shift + (shape.keeps_ways ? std::max(shape.levels - 2, 0) * shape.digit_bits : 0)),
        flow_shift(turn_shift + (shape.turning ? 4 : 0)),
        birth_shift(flow_shift + static_cast<int>(std::bit_width(static_cast<unsigned>(shape.flows)))),
        birth_bits(bits - 1 - birth_shift) {
    for (int i = 0; marked && i < std::min(shape.levels, most_marked); ++i) {
      const auto at = static_cast<std::size_t>(i);
      digits[at] = static_cast<std::uint16_t>(((1U << shape.digit_bits) - 1) << (i * shape.digit_bits));
      factors[at] = static_cast<std::uint16_t>(1U << (i * (digit_stride - shape.digit_bits)));
      marks |= 1U << (i * digit_stride + mark_bit);
    }
  }
  /// Can delays of several times what is likely be told apart? (Where bursts keep their ways, of twice that: it
  /// takes as many rare events as there are queues on a way.)
  [[nodiscard]] bool fits(const Shape& shape) const {
    if (marked && shape.levels > most_marked) return false;
    return birth_bits >= 10 && birth_bits < 40 &&
           std::ldexp(1.0, birth_bits) > (shape.keeps_ways ? 2 : 4) * shape.stages *
                                             std::min<double>(shape.longest_likely_wait, shape.room);
  }
};

/// Hides from the compiler where a number comes from, so that it goes on from the number.
inline void keep(std::size_t& number) {
  __asm__("" : "+r"(number));
}

/// 1 << i.
constexpr auto bit_of = [] {
  std::array<std::uint32_t, 32> bits{};
  for (std::uint32_t i = 0; i < 32; ++i) bits[i] = 1U << i;
  return bits;
}();

void count_at(std::vector<std::uint64_t>& histogram, std::size_t at, std::uint64_t count) {
  if (histogram.size() <= at) histogram.resize(at + 1);
  histogram[at] += count;
}

using SixteenBytes = std::uint8_t __attribute__((vector_size(16)));

/// Row 16 + i of 16 bytes: a single 1 at place i. Rows below 16: none.
alignas(16) constexpr auto one_at = [] {
  std::array<std::uint8_t, 32 * 16> rows{};
  for (std::size_t i = 0; i < 16; ++i) rows[16 * (16 + i) + i] = 1;
  return rows;
}();

/// The queues of a switch with up to 16 ports, while they are short: the packets that a newcomer finds ahead,
/// a byte a port in one vector. What joins adds a vector with a single 1; what it finds is read from a copy
/// of the vector in memory. So a packet waits neither for the store of the one before it nor at a branch.
class NearQueues {
 public:
  static constexpr std::uint32_t first = 16;     ///< the number of port 0
  static constexpr std::uint32_t nowhere = 0;    ///< that of what does not join
  static constexpr std::uint32_t nothing = 255;  ///< what it finds ahead

  /// \param limit  the longest queue at the start of a slot, at most 254 with all that may join in the slot
  NearQueues(std::int32_t* free, std::size_t radix, std::int32_t limit, std::int32_t room)
      : free_(free), radix_(radix), limit_(limit) {
    room_ += static_cast<std::uint8_t>(std::min(room, 255));
  }
  /// At the start of a slot: takes the queues out of memory, if all are short.
  [[nodiscard]] bool come(std::int32_t slot) {
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t port = 0; port < radix_; ++port) {
      if (free_[port] - slot > limit_) return false;
      bytes[port] = static_cast<std::uint8_t>(std::max(free_[port] - slot, 0));
    }
    std::memcpy(&ahead_, bytes.data(), sizeof ahead_);
    return true;
  }
  /// Are they still short?
  [[nodiscard]] bool may_stay() const {
    const SixteenBytes limit = SixteenBytes{} + static_cast<std::uint8_t>(limit_);
    const SixteenBytes longer = (ahead_ > limit ? ahead_ : limit) ^ limit;
    std::uint64_t words[2];
    std::memcpy(words, &longer, sizeof words);
    return (words[0] | words[1]) == 0;
  }
  /// Puts them back.
  void go(std::int32_t slot) const {
    std::array<std::uint8_t, 16> bytes;
    std::memcpy(bytes.data(), &ahead_, sizeof ahead_);
    for (std::size_t port = 0; port < radix_; ++port) free_[port] = slot + bytes[port];
  }
  /// What a packet finds ahead, by port; filled with `nothing` at first.
  using Found = std::array<std::uint8_t, 32>;
  /// A packet joins. What it finds ahead is at found[port].
  template <bool finite>
  void join(std::uint32_t port, Found& found) {
    std::memcpy(found.data() + first, &ahead_, sizeof ahead_);
    std::size_t half_rows = 2 * std::size_t{port};  // an address may hold 8 times a number, not 16 times
    keep(half_rows);
    SixteenBytes one;
    std::memcpy(&one, __builtin_assume_aligned(one_at.data() + 8 * half_rows, sizeof one), sizeof one);
    ahead_ += one;
    if constexpr (finite) ahead_ = ahead_ < room_ ? ahead_ : room_;
  }
  /// Each queue serves one packet.
  void serve() {
    const SixteenBytes one = SixteenBytes{} + 1;
    ahead_ = (ahead_ > one ? ahead_ : one) - one;
  }

 private:
  SixteenBytes ahead_{}, room_{};
  std::int32_t* free_;
  std::size_t radix_;
  std::int32_t limit_;
};

/// What the next switch will read and write is fetched while this one runs, a few lines each slot: its 16 or
/// more streams are short pieces far apart, which no processor foresees.
template <class Packet, bool parents, bool writes, bool narrow>
class FetchAhead {
 public:
  struct Streams {
    const Packet* in;            ///< stream of input 0, at the start of the block
    std::size_t parents_offset;  ///< to those from the level above
    std::size_t in_stride;
    const Packet* out;  ///< stream of port 0, at the start of the ring
    std::size_t out_stride;
    std::uint32_t radix, start, ring_mask;
  };
  FetchAhead(const Streams& streams, std::uint32_t slot) : streams_(streams), piece_(slot / line * line) {
    begin_piece();
    i_ = slot % line;
    const std::size_t passed = std::min(i_, streams_.radix);
    in_ += passed * streams_.in_stride;
    out_ += passed * streams_.out_stride;
  }
  /// Once each slot.
  void fetch() {
    if (i_ < streams_.radix) {
      fetch(in_, out_);
      if constexpr (!narrow)
        for (std::size_t i = line; i_ + i < streams_.radix; i += line)
          fetch(in_ + i * streams_.in_stride, out_ + i * streams_.out_stride);
      in_ += streams_.in_stride;
      out_ += streams_.out_stride;
    }
    if (++i_ == line) {
      piece_ += line;
      begin_piece();
    }
  }

 private:
  void begin_piece() {
    i_ = 0;
    in_ = streams_.in + piece_;
    const std::uint32_t column = (streams_.start + piece_) & streams_.ring_mask;
    out_ = streams_.out + column;
    next_line_ = static_cast<std::ptrdiff_t>((column + line) & streams_.ring_mask) -
                 static_cast<std::ptrdiff_t>(column);
  }
  void fetch(const Packet* in, const Packet* out) const {
    __builtin_prefetch(in, 1);
    if constexpr (parents) __builtin_prefetch(in + streams_.parents_offset, 1);
    if constexpr (writes) {
      __builtin_prefetch(out, 1);
      __builtin_prefetch(out + next_line_, 1);
    }
  }

  Streams streams_;
  std::uint32_t piece_, i_ = 0;
  const Packet *in_ = nullptr, *out_ = nullptr;
  std::ptrdiff_t next_line_ = 0;
};

template <class Packet>
class Tree final : public TreeReplication {
 public:
  Tree(const Shape& shape, const Layout& layout, RandomKey key);

  void advance(std::int64_t slots) override;
  [[nodiscard]] Counts take_counts() override;
  void save(ByteWriter& writer) override;
  void load(ByteReader& reader) override;
  [[nodiscard]] PacketBalance balance() const override;
  [[nodiscard]] std::size_t memory() const override {
    return (streams_.size() + leaf_scratch_.size()) * sizeof(Packet) + free_.size() * sizeof(std::int32_t);
  }

 private:
  static constexpr Packet present = Packet{1} << (packet_bits<Packet> - 1);

  /// A packet whose slot lies beyond the ring; it is written when its slot comes near.
  struct Late {
    std::int64_t slot;
    std::uint64_t stream;  ///< position in streams_
    Packet packet;
  };

  /// The way of all packets of a burst.
  struct Way {
    Packet digits = 0;             ///< what each of them keeps of it
    std::uint16_t first_port = 0;  ///< out of the leaf's switch, if up
  };
  struct KeptWay {
    std::int64_t began = -1;  ///< the slot in which the leaf's burst did; -1: it is OFF
    Way way{};
  };

  /// What is the same for all switches of a stage, and where the present one writes.
  struct Switches {
    int stage = 0, level = 0;
    std::int64_t at = 0;               ///< the switch
    bool parents = false;              ///< packets come down from the level above
    std::uint32_t inputs = 0;          ///< streams that come in
    std::uint32_t parents_offset = 0;  ///< from the children's streams to the parents', where both come in
    std::size_t port_stride = 0;       ///< from the stream of one port to that of the next
    std::size_t out_position = 0;      ///< stream of port 0, in streams_
    const Packet* next_in = nullptr;   ///< the same of the switch after this one
    std::size_t next_out_position = 0;
  };

  [[nodiscard]] std::size_t array(int stage) const {
    return static_cast<std::size_t>(stage + (shape_.turning ? 1 : 0)) * shape_.array_size;
  }
  [[nodiscard]] std::int32_t* free_of(int stage, std::int64_t at) {
    return free_.data() + stage * shape_.leaves + at * shape_.radix;
  }
  [[nodiscard]] std::size_t column(int slot) const {
    return static_cast<std::size_t>((block_start() + slot) & (shape_.ring - 1));
  }
  [[nodiscard]] std::int64_t block_start() const { return now_ - now_ % block_slots; }

  void begin_block();
  void end_block();
  void advance_within_block(int first, int last);
  void fill(std::int64_t leaf, int first, int last, Packet* stream);
  void draw_destinations(std::int64_t leaf, std::span<Packet, block_slots> destination) const;
  [[nodiscard]] Way draw_way(std::int64_t leaf, std::int64_t began) const;
  void keep_ways(std::int64_t leaf, std::uint64_t on, int last, std::span<Packet, block_slots> digits);
  void prepare_visits(int stage, int inputs, std::size_t parents_offset);
  void prepare_choices(int stage, std::int64_t at);
  template <bool binary>
  void follow_ways(const Switches& work, const Packet* in, int first, int last);
  void prepare_rotations(int stage, std::int64_t at);
  void run_stage(int stage, int first, int last);
  template <Role role>
  void choose_pass(int stage, int first, int last);
  template <Role role, bool turning, bool finite, Ports ports>
  void pass(int stage, int first, int last);
  template <Role role, bool turning, bool finite, bool binary, Ports ports>
  void one_switch(const Switches& work, const Packet* in, int first, int last);
  void clear(Packet* streams, int first, int last);
  void join_late(int stage, std::int32_t wait, std::size_t stream, std::int64_t slot, Packet packet,
                 bool last);
  void count_delay(std::size_t turn, std::uint64_t delay, std::uint64_t count);
  void deliver(Packet packet, std::int64_t served);
  void fold();
  [[nodiscard]] std::vector<std::uint64_t> backlog(int stage) const;

  Shape shape_;
  Layout layout_;
  RandomKey key_;
  std::int64_t now_ = 0;    ///< the next slot to simulate
  std::int64_t since_ = 0;  ///< start of the counts
  std::vector<Packet> streams_;
  std::vector<Packet> leaf_scratch_;
  std::vector<std::int32_t> free_;  ///< [stage][switch][port]: next free slot, from the start of the block
  std::vector<std::uint8_t> on_;    ///< [leaf]: is it ON in the block's first slot? Empty without bursts
  std::vector<KeptWay> kept_;       ///< [leaf]: in the slot before the block. Empty if no burst keeps its way
  std::vector<Late> late_;
  PacketBalance totals_;  ///< sent, dropped, and in `delivered` all that joined the last stage's queues
  std::vector<std::vector<std::uint64_t>> waits_, delays_, backlogs_;
  std::vector<std::uint64_t> drops_;
  std::vector<std::int64_t> longest_wait_;
  std::vector<ReorderFlow> flows_;
  std::vector<std::uint64_t> reorder_;

  // Working space of one stage.
  std::vector<Packet> nowhere_;        ///< a stream that nobody reads
  std::vector<std::uint32_t> visits_;  ///< [slot][rank]: offset of the stream to look at
  std::vector<std::uint16_t> order_;   ///< [slot][rank]: of the leaves of a switch, if bursts keep their ways
  std::vector<std::uint16_t>
      first_ports_;                     ///< [leaf][slot], of all leaves or those of a switch: Way::first_port
  std::vector<std::uint64_t> choices_;  ///< random bytes (or 32-bit numbers) for up links
  std::array<std::uint16_t, block_slots> rotations_{};
  std::vector<std::uint64_t> fast_waits_;   ///< [stage][place in a group][wait]; the last wait is of nothing
  std::vector<std::uint64_t> fast_delays_;  ///< [turn][delay]
};

template <class Packet>
Tree<Packet>::Tree(const Shape& shape, const Layout& layout, RandomKey key)
    : shape_(shape), layout_(layout), key_(key) {
  const std::size_t arrays = static_cast<std::size_t>(shape.stages - 1 + (shape.turning ? 1 : 0));
  const double elements = static_cast<double>(arrays) * static_cast<double>(shape.array_size);
  if (elements * sizeof(Packet) > static_cast<double>(most_bytes) || elements > 4.2e9)
    throw LimitExceeded("the simulation would take " + std::to_string(elements * sizeof(Packet) / (1 << 30)) +
                        " GiB of memory, and the limit is 16 GiB");
  streams_.resize(arrays * shape.array_size);
  if (!shape.turning) leaf_scratch_.resize(static_cast<std::size_t>(shape.radix) * shape.stream_stride);
  if (shape.bursts)
    for (std::int64_t leaf = 0; leaf < shape.leaves; ++leaf)
      on_.push_back(shape.bursts->start(key, bursts, static_cast<std::uint64_t>(leaf)));
  if (shape.keeps_ways) {
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

/// Where each packet goes that a leaf may send in the slots of the block: the digits, in their places.
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
      // The binary fraction number / 2^32 in base k: each step takes a digit off.
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

/// Of the burst of a leaf that began in that slot: uniform destination and ports up.
template <class Packet>
auto Tree<Packet>::draw_way(std::int64_t leaf, std::int64_t began) const -> Way {
  const RandomWords words =
      random_words(key_, ways, static_cast<std::uint64_t>(leaf), static_cast<std::uint64_t>(began));
  // Binary fractions in base k, as each packet's; of 54 bits, as k is at most 2^10.
  const auto take = [radix = static_cast<std::uint64_t>(shape_.radix)](std::uint64_t& fraction) {
    const std::uint64_t product = fraction * radix;
    fraction = product & (~std::uint64_t{0} >> 10U);
    return static_cast<std::uint16_t>(product >> 54U);
  };
  std::uint64_t down = words[0] >> 10U, up = words[1] >> 10U;
  Way way{.first_port = take(up)};
  for (int digit = 0; digit < shape_.levels; ++digit)
    way.digits |= static_cast<Packet>(take(down)) << (digit * layout_.digit_stride);
  for (int port = 0; port < shape_.levels - 2; ++port)
    way.digits |= static_cast<Packet>(take(up)) << (layout_.way_shift + port * shape_.digit_bits);
  return way;
}

/// What packets of a leaf keep of their burst's way, slot by slot; and, for the leaf's switch, their first ports.
/// \param on  bit s: is the leaf ON in slot s of the block?
template <class Packet>
void Tree<Packet>::keep_ways(std::int64_t leaf, std::uint64_t on, int last,
                             std::span<Packet, block_slots> digits) {
  KeptWay& kept = kept_[static_cast<std::size_t>(leaf)];
  std::uint16_t* const ports =
      first_ports_.data() + (shape_.turning ? leaf : leaf % shape_.radix) * block_slots;
  KeptWay now = kept;
  std::uint64_t begins = on & ~(on << 1U | static_cast<std::uint64_t>(now.began >= 0));
  for (int s = 0; s < block_slots; begins &= begins - 1) {
    const int next = std::countr_zero(begins);  // 64 if there is none
    std::fill(digits.begin() + s, digits.begin() + next, now.way.digits);
    std::fill(ports + s, ports + next, now.way.first_port);
    if (next < block_slots) now = {block_start() + next, draw_way(leaf, block_start() + next)};
    s = next;
  }
  if (last == block_slots) {
    kept = now;
    if (on >> 63U == 0) kept.began = -1;
  }
}

/// The packets that a leaf sends in slots first .. last - 1, into its stream (0 where it sends none). Called
/// once for each range of slots, as the state of a source with bursts moves on at the end of a block.
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
    if (shape_.keeps_ways) keep_ways(leaf, slots.on, last, destination);
  } else {
    sends = shape_.threshold == 0 ? ~std::uint64_t{0}
                                  : bernoulli_bits(key_, arrivals, entity, block * 16, shape_.threshold);
  }
  if (!shape_.keeps_ways) draw_destinations(leaf, destination);

  Packet common = present | layout_.marks;
  const bool observed =
      shape_.flows > 0 && leaf % shape_.flow_spacing == 0 && leaf / shape_.flow_spacing < shape_.flows;
  const std::int64_t flow = observed ? leaf / shape_.flow_spacing : -1;
  common |= static_cast<Packet>(static_cast<Packet>(flow + 1) << layout_.flow_shift);
  const Packet birth_mask = static_cast<Packet>((Packet{1} << layout_.birth_bits) - 1);
  // A block starts at a multiple of 64 and so do the wraps of the birth's bits: no carry within a block.
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
    const auto digits = static_cast<Packet>((Packet{1} << layout_.way_shift) - 1);
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
/// (exclusive or, where the number of inputs is a power of two; else a rotation). So the order at one switch
/// in one slot is exactly uniform and independent of all other slots and stages. At two switches in one slot
/// the rank of any one input is independent of the other switch's ranks; for powers of two so is the order of
/// any two inputs. Whole orders are not independent: only joint laws of three or more packets at different
/// switches in the same slot could tell.
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

/// Eight bytes alike.
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

/// The same where bursts keep their ways: what the packets say, in the order in which they are looked at.
template <class Packet>
template <bool binary>
void Tree<Packet>::follow_ways(const Switches& work, const Packet* in, int first, int last) {
  const auto radix = static_cast<std::uint32_t>(shape_.radix);
  auto* const bytes = reinterpret_cast<unsigned char*>(choices_.data());
  const auto fill_from = [&](const auto& port_of) {
    for (int s = first; s < last; ++s) {
      const std::size_t slot = static_cast<std::size_t>(s) * radix;
      const std::uint16_t drawn = rotations_[static_cast<std::size_t>(s)];
      std::uint32_t rank = binary ? drawn & (radix - 1) : below(radix, std::uint32_t{drawn} << 16U);
      const std::uint32_t rotation = rank;
      for (std::uint32_t i = 0; i < radix; ++i) {
        if constexpr (binary) rank = i ^ rotation;
        const auto port = static_cast<std::uint32_t>(port_of(slot + rank, s));
        if constexpr (binary) {
          bytes[slot + i] =
              static_cast<unsigned char>(port | (shape_.narrow() ? std::uint32_t{NearQueues::first} : 0));
        } else {
          // The least number of which below() makes the port.
          const auto number = static_cast<std::uint32_t>(((std::uint64_t{port} << 32U) + radix - 1) / radix);
          std::memcpy(bytes + 4 * (slot + i), &number, 4);
          if (++rank == radix) rank = 0;
        }
      }
    }
  };
  if (work.level == 1) {
    const std::uint16_t* const ports =
        first_ports_.data() + (shape_.turning ? work.at * shape_.radix * block_slots : 0);
    fill_from([&](std::size_t visit, int s) { return ports[order_[visit] * block_slots + s]; });
  } else {
    const int shift = layout_.way_shift + (work.level - 2) * shape_.digit_bits;
    const auto mask = static_cast<Packet>((1U << shape_.digit_bits) - 1);
    const Packet* const now = in + column(0);
    fill_from([&](std::size_t visit, int s) {
      return (now[visits_[visit] + static_cast<std::uint32_t>(s)] >> shift) & mask;
    });
  }
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

template <class Packet>
template <Role role>
void Tree<Packet>::choose_pass(int stage, int first, int last) {
  const bool finite = shape_.room != unlimited;
  const auto with_ports = [&]<bool turning, bool is_finite>() {
    if constexpr (role != Role::up && !turning && packet_bits<Packet> == 32)
      if (layout_.marked) return pass<role, turning, is_finite, Ports::marked>(stage, first, last);
    if (shape_.narrow())
      pass<role, turning, is_finite, Ports::few>(stage, first, last);
    else
      pass<role, turning, is_finite, Ports::many>(stage, first, last);
  };
  if (shape_.turning)
    finite ? with_ports.template operator()<true, true>() : with_ports.template operator()<true, false>();
  else
    finite ? with_ports.template operator()<false, true>() : with_ports.template operator()<false, false>();
}

/// All switches of one stage, slots first .. last - 1 of the block.
template <class Packet>
template <Role role, bool turning, bool finite, Ports ports>
void Tree<Packet>::pass(int stage, int first, int last) {
  const int level = shape_.level(stage);
  const bool parents = role != Role::up && level < shape_.levels;
  const bool children = !parents || turning;
  const bool scratch = children && level == 1 && !turning;
  const std::size_t children_array =
      array(level - 2);  // where level is 1: the leaves' array, if there is one
  const std::size_t inputs_array = children ? children_array : array(stage - 1);
  Switches work;
  work.inputs = static_cast<std::uint32_t>(shape_.radix) * (parents && children ? 2U : 1U);
  work.parents_offset =
      static_cast<std::uint32_t>(parents && children ? array(stage - 1) - children_array : 0);
  work.parents = parents;
  work.level = level;
  work.stage = stage;
  prepare_visits(stage, static_cast<int>(work.inputs), work.parents_offset);
  if (role == Role::up && level == 1 && shape_.keeps_ways)
    std::transform(visits_.begin(), visits_.begin() + std::ssize(order_), order_.begin(),
                   [this](std::uint32_t offset) { return offset / shape_.stream_stride; });

  // The digit of the switch's number that the link out of here replaces.
  const int replaced_digit = role == Role::last ? 0 : role == Role::up ? level - 1 : level - 2;
  const std::int64_t replaced = shape_.power(replaced_digit);
  work.port_stride = shape_.switch_stride[static_cast<std::size_t>(replaced_digit)];
  const auto streams_into = [&](std::int64_t at) {
    return scratch ? leaf_scratch_.data() : streams_.data() + inputs_array + shape_.position(at);
  };
  const auto position_out_of = [&](std::int64_t at) {
    if (role == Role::last) return std::size_t{0};
    const std::int64_t digit = at / replaced % shape_.radix;
    return array(stage) + shape_.position(at - digit * replaced) +
           static_cast<std::size_t>(digit) * shape_.stream_stride;
  };
  for (std::int64_t at = 0; at < shape_.switches; ++at) {
    const std::int64_t next = std::min(at + 1, shape_.switches - 1);
    Packet* const in = streams_into(at);
    if (scratch)
      for (std::int64_t i = 0; i < shape_.radix; ++i)
        fill(at * shape_.radix + i, first, last, in + static_cast<std::size_t>(i) * shape_.stream_stride);
    work.at = at;
    prepare_rotations(stage, at);
    if constexpr (role == Role::up) {
      if (!shape_.keeps_ways)
        prepare_choices(stage, at);
      else if (shape_.binary)
        follow_ways<true>(work, in, first, last);
      else
        follow_ways<false>(work, in, first, last);
    }
    work.out_position = position_out_of(at);
    work.next_in = streams_into(next);
    work.next_out_position = position_out_of(next);
    if (shape_.binary)
      one_switch<role, turning, finite, true, ports>(work, in, first, last);
    else
      one_switch<role, turning, finite, false, ports>(work, in, first, last);
    if constexpr (role == Role::up && turning) continue;  // those that turn here are still to be read
    if (!scratch) {
      if (children) clear(in, first, last);
      if (parents) clear(in + work.parents_offset, first, last);
    }
  }
}

/// One switch: reads each slot's packets in their random order and lets them join the queues of their ports.
template <class Packet>
template <Role role, bool turning, bool finite, bool binary, Ports ports>
void Tree<Packet>::one_switch(const Switches& work, const Packet* in, int first, int last) {
  const Layout layout = layout_;
  const std::uint32_t inputs = work.inputs, parents_offset = work.parents_offset;
  const auto radix = static_cast<std::uint32_t>(shape_.radix);
  constexpr bool narrow = ports != Ports::many;
  const int digit_shift = role == Role::last ? 0 : (work.level - 1) * layout.digit_stride;
  const auto digit_mask = static_cast<Packet>((1U << layout.digit_stride) - 1);
  const auto turn_of_level = static_cast<Packet>(work.level - 1);
  const std::int32_t wait_limit = shape_.wait_limit(), room = shape_.room;
  const auto ring_mask = static_cast<std::uint32_t>(shape_.ring) - 1;
  const auto start = static_cast<std::uint32_t>(column(0));
  const bool parents = work.parents, observing = role == Role::last && shape_.flows > 0;
  const auto flow_mask = static_cast<Packet>((Packet{1} << (layout.birth_shift - layout.flow_shift)) - 1);
  const auto birth_mask = static_cast<Packet>((Packet{1} << layout.birth_bits) - 1);
  const auto stage = static_cast<std::size_t>(work.stage);
  std::uint64_t* const waits = fast_waits_.data() + stage * group * waits_stride;
  std::int32_t* const free = free_of(work.stage, work.at);
  constexpr std::uint32_t first_port = narrow ? NearQueues::first : 0;
  std::array<Packet*, (narrow ? 32 : 1024)> out;
  for (std::size_t port = 0; role != Role::last && port < radix; ++port)
    out[port + first_port] = streams_.data() + work.out_position + port * work.port_stride;
  if constexpr (narrow) out[NearQueues::nowhere] = nowhere_.data();
  constexpr std::size_t choice_bytes = binary ? 1 : 4;
  const auto* choose = reinterpret_cast<const unsigned char*>(choices_.data()) +
                       static_cast<std::size_t>(first) * radix * choice_bytes;
  const std::uint32_t* visit = visits_.data() + static_cast<std::size_t>(first) * inputs;
  std::uint64_t joined = 0, dropped = 0;
  const auto top_turn = static_cast<std::size_t>(shape_.levels - 1);
  std::uint64_t* const delays = fast_delays_.data() + (turning ? 0 : top_turn * fast_delays);
  const int birth_shift = layout.birth_shift, turn_shift = layout.turn_shift;
  const auto nothings = [&] {
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < group; ++j) sum += waits[j * waits_stride + NearQueues::nothing];
    return sum;
  };
  const std::uint64_t nothings_before = nothings();
  alignas(16) std::array<NearQueues::Found, group> found;
  for (auto& row : found) row.fill(static_cast<std::uint8_t>(NearQueues::nothing));
  std::uint64_t near = 0, near_dropped = 0;  ///< packets and absent ones looked at while queues were short
  // A full queue does not grow: only with more room than bytes hold is there need to look ahead.
  const std::int32_t bar = std::min<std::int32_t>(wait_limit, static_cast<std::int32_t>(fast_waits) - 1);
  NearQueues queues(free, radix, room < bar ? room : bar - static_cast<std::int32_t>(inputs), room);

  using Ahead = FetchAhead<Packet, turning && role != Role::up, role != Role::last, narrow>;
  Ahead ahead({.in = work.next_in + start,
               .parents_offset = parents_offset,
               .in_stride = shape_.stream_stride,
               .out = streams_.data() + work.next_out_position,
               .out_stride = work.port_stride,
               .radix = radix,
               .start = start,
               .ring_mask = ring_mask},
              static_cast<std::uint32_t>(first));
  const std::int64_t block = block_start();
  const auto age_shift = static_cast<Packet>(block - (turning ? 0 : 2 * (shape_.levels - 1)));
  const std::uint16_t* drawn = rotations_.data() + first;
  const Packet* now = in + start + first;
  const auto slot = [&]<bool is_near>(int s) __attribute__((always_inline)) {
    const std::uint32_t next_column = start + 1 + static_cast<std::uint32_t>(s);  // of what waits 0 slots
    const auto age_base = static_cast<Packet>(age_shift + static_cast<Packet>(s));
    const std::uint32_t rotation =
        binary ? *drawn & (inputs - 1) : below(inputs, std::uint32_t{*drawn} << 16U);

    struct Seen {
      Packet packet;
      std::uint32_t here;  ///< 1, or 0 for no packet or one to be left; a number, so that nothing branches
      std::uint32_t port;  ///< counted from first_port
    };
    /// Packet number i of the slot, which is that of visit[rank].
    const auto look = [&](std::size_t i, std::size_t rank) __attribute__((always_inline)) {
      const std::uint32_t offset = visit[rank];
      const Packet packet = now[offset];
      auto here = static_cast<std::uint32_t>(packet >> (packet_bits<Packet> - 1));
      if constexpr (turning) {
        const Packet turn = (packet >> turn_shift) & 15U;
        if constexpr (role == Role::up)
          here &= static_cast<std::uint32_t>(turn > turn_of_level);
        else
          here &=
              static_cast<std::uint32_t>((turn == turn_of_level) == (!parents || offset < parents_offset));
      }
      std::uint32_t port;
      if constexpr (role != Role::up)
        port = static_cast<std::uint32_t>((packet >> digit_shift) & digit_mask) |
               (ports == Ports::marked ? NearQueues::nowhere : first_port);
      else if constexpr (binary)
        port = choose[i];
      else {
        std::uint32_t number;
        std::memcpy(&number, choose + 4 * i, 4);
        port = below(radix, number) | first_port;
      }
      return Seen{packet, here, port};
    };
    /// A packet that waits so long leaves the network. What is not here has no delay.
    const auto count_end = [&](Packet packet, std::uint32_t wait, std::uint32_t here, std::uint64_t count)
        __attribute__((always_inline)) {
      Packet age = static_cast<Packet>(age_base + wait) - static_cast<Packet>(packet >> birth_shift);
      std::size_t turn = 0;
      if constexpr (turning) {
        turn = static_cast<std::size_t>((packet >> turn_shift) & 15U);
        age -= 2 * static_cast<Packet>(turn);
      }
      const std::size_t delay = age & birth_mask & (Packet{0} - static_cast<Packet>(here));
      if (delay >= fast_delays) [[unlikely]]
        count_delay(turning ? turn : top_turn, delay, 1);
      else
        delays[turn * fast_delays + delay] += count;
    };
    /// Packet number i joins its queue, a short one. What it finds ahead goes to row j.
    const auto join_near = [&](std::size_t i, std::size_t rank, std::size_t j)
        __attribute__((always_inline)) {
      Seen seen = look(i, rank);
      if constexpr (ports != Ports::marked) seen.port &= 0U - seen.here;
      queues.template join<finite>(seen.port, found[j]);
      return seen;
    };
    /// It is sent when what it found ahead has been served.
    const auto send_near = [&](Seen seen, std::size_t j) __attribute__((always_inline)) {
      auto [packet, here, port] = seen;
      const std::size_t wait = found[j][port];
      ++waits[j * waits_stride + wait];
      if constexpr (finite) {
        const auto fits = static_cast<std::uint32_t>(static_cast<std::int32_t>(wait) < room);
        near_dropped += here & ~fits;
        here &= fits;
        port &= 0U - fits;
      }
      if constexpr (role == Role::last)
        count_end(packet, static_cast<std::uint32_t>(wait), here, turning ? here : 1);
      else
        out[port][(next_column + wait) & ring_mask] = packet;
    };
    /// Both for queues of any length, each a number in memory.
    const auto take_far = [&](std::size_t i, std::size_t rank, std::size_t j) __attribute__((always_inline)) {
      auto [packet, here, port] = look(i, rank);
      port &= ~first_port;
      std::int32_t& next = free[port];
      const std::int32_t wait = std::max(next - s, 0);
      const std::uint32_t joins = here & static_cast<std::uint32_t>(!finite || wait < room);
      if constexpr (finite) dropped += here - joins;
      next = s + wait + static_cast<std::int32_t>(joins);
      const std::int64_t served = block + s + wait;
      const auto place = static_cast<std::size_t>(wait);
      if (wait >= wait_limit) {
        if (joins != 0)
          join_late(work.stage, wait, work.out_position + port * work.port_stride, served + 1, packet,
                    role == Role::last);
      } else {
        if (place < NearQueues::nothing)
          waits[j * waits_stride + place] += joins;
        else
          count_at(waits_[stage], place, joins);
        // Where nothing joins, a free place of the stream stays empty.
        if constexpr (role != Role::last)
          out[port + first_port][(next_column + place) & ring_mask] =
              packet & (Packet{0} - static_cast<Packet>(joins));
      }
      if constexpr (role == Role::last) {
        joined += joins;
        count_end(packet, static_cast<std::uint32_t>(wait), joins, joins);
        if (observing && joins != 0 && (packet >> layout.flow_shift & flow_mask) != 0)
          deliver(packet, served);
      }
    };

    const auto first_rank = [&](std::uint32_t i) __attribute__((always_inline)) {
      if constexpr (binary) return std::size_t{i ^ rotation};
      return std::size_t{i + rotation < inputs ? i + rotation : i + rotation - inputs};
    };
    /// From the rank of the packet at place j of a group to that of the next.
    const auto next_rank = [&](std::size_t rank, std::size_t j) __attribute__((always_inline)) {
      if constexpr (!binary) return rank + 1 < inputs ? rank + 1 : 0;
      rank ^= j ^ (j + 1);
      keep(rank);
      return rank;
    };
    // To read what a packet found right after that was stored takes a processor long. Where more follows from
    // it than counts, others join first.
    constexpr std::size_t lag = role == Role::last ? 0 : 4;
    /// Packets i .. i + size - 1.
    const auto take_group = [&]<std::size_t size>(std::integral_constant<std::size_t, size>, std::uint32_t i)
        __attribute__((always_inline)) {
      std::size_t rank = first_rank(i);
      std::array<Seen, size> seen;
      const auto step = [&]<std::size_t j>(std::integral_constant<std::size_t, j>)
          __attribute__((always_inline)) {
        if constexpr (j < size) {
          if constexpr (is_near)
            seen[j] = join_near(std::size_t{i} + j, rank, j);
          else
            take_far(std::size_t{i} + j, rank, j);
          rank = next_rank(rank, j);
        }
        if constexpr (is_near && j >= lag) send_near(seen[j - lag], j - lag);
      };
      [&]<std::size_t... j>(std::index_sequence<j...>) __attribute__((always_inline)) {
        (step(std::integral_constant<std::size_t, j>{}), ...);
      }
      (std::make_index_sequence<size + lag>{});
    };
    ahead.fetch();
    std::uint32_t i = 0;
    for (; i + group <= inputs; i += group) take_group(std::integral_constant<std::size_t, group>{}, i);
    for (; i < inputs; ++i) take_group(std::integral_constant<std::size_t, 1>{}, i);
    if constexpr (is_near) queues.serve();
    ++drawn;
    ++now;
    visit += inputs;
    choose += radix * choice_bytes;
  };
  for (int s = first; s < last;) {
    if constexpr (narrow)
      if (!observing && queues.come(s)) {
        const int came = s;
        do slot.template operator()<true>(s++);
        while (s < last && queues.may_stay());
        queues.go(s);
        near += static_cast<std::uint64_t>(s - came) * inputs;
        if (s == last) break;
      }
    slot.template operator()<false>(s++);
  }
  if constexpr (role == Role::last) {
    const std::uint64_t not_here = nothings() - nothings_before + near_dropped;
    joined += near - not_here;
    if constexpr (!turning) delays[0] -= not_here;
  }
  totals_.dropped += static_cast<std::int64_t>(dropped + near_dropped);
  drops_[stage] += dropped + near_dropped;
  totals_.delivered += static_cast<std::int64_t>(joined);
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
    throw LimitExceeded("a queue longer than " + std::to_string(longest_queue) + " packets");
  count_at(waits_[at], static_cast<std::size_t>(wait), 1);
  longest_wait_[at] = std::max<std::int64_t>(longest_wait_[at], wait);
  const std::int64_t longest = std::accumulate(longest_wait_.begin(), longest_wait_.end(), std::int64_t{0});
  if (longest + shape_.stages >= (std::int64_t{1} << layout_.birth_bits))
    throw LimitExceeded("delays beyond " + std::to_string((std::int64_t{1} << layout_.birth_bits) - 1) +
                        " slots cannot be told from short ones");
  if (last) return;
  if (std::ssize(late_) >= most_late)
    throw LimitExceeded(
        "queues longer than the simulation's memory: the limit is 2^26 packets beyond those in "
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

/// Empties the fast histograms into those that grow.
template <class Packet>
void Tree<Packet>::fold() {
  const auto beyond = static_cast<std::size_t>(std::min<std::int32_t>(shape_.room, fast_waits - 1));
  for (std::size_t i = 0; i < fast_waits_.size(); ++i)
    if (const std::uint64_t count = std::exchange(fast_waits_[i], 0U);
        count != 0 && i % waits_stride < beyond)
      count_at(waits_[i / waits_stride / group], i % waits_stride, count);
  for (std::size_t i = 0; i < fast_delays_.size(); ++i)
    if (const std::uint64_t count = std::exchange(fast_delays_[i], 0U); count != 0)
      count_delay(i / fast_delays, i % fast_delays, count);
}

/// [v]: queues of the stage that hold v packets just before the arrivals of slot now_, v >= 1.
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
  if (shape_.keeps_ways) {
    std::vector<std::int64_t> began;
    for (const KeptWay& kept : kept_) began.push_back(kept.began);
    writer.put(began);
  }
  // Streams are mostly empty: position and packet of those that are not.
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
  if (shape_.keeps_ways) {
    const auto began = reader.get_vector<std::int64_t>();
    require_size(began.size(), kept_.size());
    for (std::size_t leaf = 0; leaf < began.size(); ++leaf)
      kept_[leaf] = {began[leaf], draw_way(static_cast<std::int64_t>(leaf), began[leaf])};
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

}  // namespace

std::unique_ptr<TreeReplication> make_tree_replication(const TreeModel& model, RandomKey key) {
  const Shape shape(model);
  if (shape.narrow() && !shape.turning)
    if (const Layout marked(shape, packet_bits<std::uint32_t>, true); marked.fits(shape))
      return std::make_unique<Tree<std::uint32_t>>(shape, marked, key);
  if (const Layout plain(shape, packet_bits<std::uint32_t>, false); plain.fits(shape))
    return std::make_unique<Tree<std::uint32_t>>(shape, plain, key);
  return std::make_unique<Tree<std::uint64_t>>(shape, Layout(shape, packet_bits<std::uint64_t>, false), key);
}

SourceMemory source_memory(const TreeModel& model) {
  if (!model.burst) return {};
  const traffic::OnOff leaf = traffic::on_off(model.load, *model.burst);
  const cln::cl_I radix(static_cast<long>(model.tree.radix));
  if (!model.keeps_ways()) return memory_of(traffic::thinned(leaf, Rational(1) / radix), model.tree.radix);
  const cln::cl_I leaves = cln::expt_pos(radix, cln::cl_I(model.tree.levels));
  return memory_of(leaf, cln::cl_I_to_long(leaves), Rational(1) / leaves);
}

std::string describe(const TreeModel& model) {
  std::string text = std::to_string(model.tree.radix) + "-ary " + std::to_string(model.tree.levels) +
                     "-tree, load " + numeric::to_fraction(model.load) + ", " +
                     (model.routing == TreeRouting::random_root ? "random root" : "nearest ancestor");
  if (model.burst)
    text += ", bursts of " + numeric::to_fraction(model.burst->slots) + " slots at rate " +
            numeric::to_fraction(model.burst->on_rate) +
            (model.keeps_ways() ? ", each to one destination" : "");
  if (model.buffer) text += ", buffer " + std::to_string(*model.buffer);
  if (model.observed_flows > 0) text += ", " + std::to_string(model.observed_flows) + " flows observed";
  return text;
}

}  // namespace tailbound::sim
