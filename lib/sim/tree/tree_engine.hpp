#pragma once

#include <tailbound/sim/tree/reorder_flow.hpp>
#include <tailbound/sim/tree/tree_shape.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

/// The simulation itself; METHOD of tree_replication.hpp. Its loops over packets are in tree_switch.hpp.
/// Internal to the sim module.
namespace tailbound::sim::tree_engine {

constexpr std::size_t fast_delays = 4096;  ///< delays counted in an array; longer ones in a vector that grows
constexpr std::size_t fast_waits = 256;    ///< the same for waits: the range of a byte
/// no two short waits at addresses that agree in 12 bits
constexpr std::size_t waits_stride = fast_waits + 32;
constexpr std::uint32_t group = 8;  ///< consecutive packets that count their waits in arrays of their own

/// Purposes of random numbers. Stages are below 64.
enum Purpose : std::uint64_t {
  arrivals = 0,
  destinations = 64,
  up_links = 128,
  rotations = 192,
  orders = 256,
  bursts = 320,
  paths = 384
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

  /// A packet whose slot is beyond the ring; it is written when its slot comes near.
  struct Late {
    std::int64_t slot;
    std::uint64_t stream;  ///< position in streams_
    Packet packet;
  };

  /// The route of all packets of a burst.
  struct Path {
    Packet digits = 0;             ///< the part that each packet stores
    std::uint16_t first_port = 0;  ///< out of the leaf's switch, if up
  };
  struct KeptPath {
    std::int64_t began = -1;  ///< the first slot of the leaf's burst; -1: it is OFF
    Path path{};
  };

  /// Common data of all switches of a stage, and the write position of the present one.
  struct Switches {
    int stage = 0, level = 0;
    std::int64_t at = 0;               ///< the switch
    bool parents = false;              ///< packets come down from the level above
    std::uint32_t inputs = 0;          ///< number of incoming streams
    std::uint32_t parents_offset = 0;  ///< from the children's streams to the parents', if both exist
    std::size_t port_stride = 0;       ///< from the stream of one port to that of the next
    std::size_t out_position = 0;      ///< stream of port 0, in streams_
    const Packet* next_in = nullptr;   ///< the same for the switch after this one
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
  [[nodiscard]] Path draw_path(std::int64_t leaf, std::int64_t began) const;
  void keep_paths(std::int64_t leaf, std::uint64_t on, int last, std::span<Packet, block_slots> digits);
  void prepare_visits(int stage, int inputs, std::size_t parents_offset);
  void prepare_choices(int stage, std::int64_t at);
  template <bool binary>
  void follow_paths(const Switches& work, const Packet* in, int first, int last);
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
  std::vector<KeptPath> kept_;      ///< [leaf]: in the slot before the block. Empty without per-burst routes
  std::vector<Late> late_;
  PacketBalance totals_;  ///< sent, dropped, and in `delivered` all that joined the queues of the last stage
  std::vector<std::vector<std::uint64_t>> waits_, delays_, backlogs_;
  std::vector<std::uint64_t> drops_;
  std::vector<std::int64_t> longest_wait_;
  std::vector<ReorderFlow> flows_;
  std::vector<std::uint64_t> reorder_;

  // Working space of one stage.
  std::vector<Packet> nowhere_;        ///< a stream that is never read
  std::vector<std::uint32_t> visits_;  ///< [slot][rank]: offset of the stream to read
  std::vector<std::uint16_t> order_;   ///< [slot][rank]: of the leaves of a switch, with per-burst routes
  std::vector<std::uint16_t>
      first_ports_;  ///< [leaf][slot], of all leaves or those of a switch: Path::first_port
  std::vector<std::uint64_t> choices_;  ///< random bytes (or 32-bit numbers) for up links
  std::array<std::uint16_t, block_slots> rotations_{};
  /// [stage][position in a group][wait]; the last wait stands for no packet
  std::vector<std::uint64_t> fast_waits_;
  std::vector<std::uint64_t> fast_delays_;  ///< [turn][delay]
};

// Compiled once, by tree_replication.cpp; choose_pass by tree_switch_up.cpp and so on.
extern template class Tree<std::uint32_t>;
extern template class Tree<std::uint64_t>;

}  // namespace tailbound::sim::tree_engine
