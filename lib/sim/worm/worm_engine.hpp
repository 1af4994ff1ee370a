#pragma once

#include <tailbound/network/worms/router_timing.hpp>
#include <tailbound/network/worms/worm_network.hpp>
#include <tailbound/sim/bytes.hpp>
#include <tailbound/sim/random.hpp>

#include <array>
#include <optional>
#include <span>
#include <vector>

/// A wormhole network flit by flit, cycle by cycle. "Worm" means a message in the network, from head to tail;
/// a wire is a physical channel.
///
/// MODEL     Each virtual channel has a buffer of its own at its end, and belongs to one worm from the grant
///           until the worm's tail has left that buffer. In a cycle a wire carries one flit, and a flit
///           crosses one channel; it may enter buffer space that is freed in the same cycle. A head requests
///           its next station in the cycle after its arrival. A station serves first come first served,
///           requests of the same cycle in random order, and grants any of its free channels with equal
///           probability. The channel that a tail leaves admits the next head within the same cycle. What
///           crosses an ejection channel has left the network. On shared wires, worms are served in a new
///           random order in each cycle (one woken by a grant comes after them), and a wire that any flit can
///           use is used. Sources have unlimited queues, first come first served. With router, link and
///           credit delays (network/worms/router_timing.hpp) a flit lands in a buffer when it may leave it,
///           and its space is free when its credit has returned. If reallocated at the tail, a virtual
///           channel takes the next worm as soon as the previous tail has crossed the wire; the head of that
///           worm sends its request when it is the first in the buffer.
/// METHOD    Worms are visited from head to tail. A worm that waits with all its buffers full sleeps until
///           its head is granted a channel. Without shared wires, no gaps arise between the flits of a worm,
///           so a worm whose head moves is moved as a whole; with shared wires, buffer by buffer without
///           branches, on 8 bytes per buffer separate from the data that only grants need. With delays, the
///           flits on the way to a buffer are a ring of bits, one per cycle, and future credits, releases and
///           requests are in lists by cycle. A worm that cannot move sleeps until a credit or a grant
///           arrives.
/// CONTRACT  a function of the messages sent and the random key
/// SOURCE    Greenberg and Guan 1997a, section 2; Dally 1992 (virtual channels)
/// EXCLUDES  generation of messages (sim/worm/worm_replication.hpp), statistics
/// TESTS     tests/sim/worm_engine_test.cpp
namespace tailbound::sim {

struct WormMessage {
  std::uint64_t born = 0;  ///< the first cycle in which its head can cross the injection channel
  std::uint32_t source = 0, destination = 0;
  std::uint32_t variant = 0;
  std::uint32_t flits = 1;
  std::uint32_t tag = 0;  ///< the sender's own, returned with the delivery
};

void put(ByteWriter& writer, const WormMessage& message);
/// \param tags  the tag is below it
/// \throws ParseError  not a message of such a network
[[nodiscard]] WormMessage get_message(ByteReader& reader, const network::WormLayout& layout,
                                      std::uint64_t tags);

/// A message whose tail has crossed its ejection channel in the last cycle.
struct WormDelivery {
  WormMessage message;
  std::uint64_t started = 0;    ///< cycle in which its head crossed the injection channel
  std::uint64_t released = 0;   ///< first cycle in which the injection channel was free again
  std::uint64_t ended = 0;      ///< the cycle after the last
  std::uint32_t injection = 0;  ///< station that it waited for at its source
  std::uint32_t distance = 0;   ///< D: channels passed
};

/// How long a channel was occupied by a worm.
struct ChannelOccupancy {
  std::uint32_t channel = 0;
  std::uint32_t flits = 0;
  std::uint64_t cycles = 0;  ///< from the head's entry until the next head could enter
};

/// Flits since the start; conservation:  sent = delivered + queued + inside.
struct FlitBalance {
  std::uint64_t sent = 0, delivered = 0, queued = 0, inside = 0;
  [[nodiscard]] bool conserved() const { return sent == delivered + queued + inside; }
};

class WormEngine {
 public:
  /// \param network  must outlive the engine
  /// \param buffer_flits  per virtual channel, 1 .. 1 000 000
  /// \throws InvalidArgument  buffer_flits or a delay out of range
  WormEngine(const network::WormNetwork& network, std::uint32_t buffer_flits, RandomKey key,
             const network::RouterTiming& timing = {});

  /// Hands the message to its source now, at message.born = now(). Returns the station that it waits for.
  /// \throws LimitExceeded  more than 2^26 messages would wait at the sources
  std::uint32_t send(const WormMessage& message);

  /// Simulates one cycle.
  /// \throws NoAnswer  deadlock: worms wait for each other in a cycle; the message names the channels
  void cycle();
  /// The next cycle.
  [[nodiscard]] std::uint64_t now() const { return now_; }
  /// Is no message waiting or in the network?
  [[nodiscard]] bool idle() const {
    return free_worms_.size() == worms_.size() && waiting_messages_ == 0 && ended_.empty() && to_come_ == 0;
  }
  /// Skips cycles without events. \param cycle  at least now()  CONTRACT idle()
  void skip_to(std::uint64_t cycle);

  /// Deliveries of the last cycle.
  [[nodiscard]] std::span<const WormDelivery> delivered() const { return delivered_; }
  [[nodiscard]] std::span<const ChannelOccupancy> occupancy() const { return occupancy_; }
  /// Flits that crossed a channel since the start.
  [[nodiscard]] std::uint64_t crossings() const { return crossings_; }
  [[nodiscard]] std::uint64_t waiting_messages() const { return waiting_messages_; }
  /// `queued` and `inside` are counted by a pass over all buffers.
  [[nodiscard]] FlitBalance balance() const;
  /// Channels of worms that wait for each other in a cycle, if there are any now.  COST  a pass over all
  /// worms
  [[nodiscard]] std::optional<std::string> deadlock() const;

  /// CONTRACT  between a call of cycle() and the next of send()
  void save(ByteWriter& writer) const;
  /// \param tags  those of the messages are below it
  /// \throws ParseError  the bytes do not match
  void load(ByteReader& reader, std::uint64_t tags = std::uint64_t{1} << 32U);

 private:
  using Index = std::uint32_t;
  static constexpr Index none = ~Index{0};
  static constexpr Index block = 4;           ///< places processed together, see move_flits()
  static constexpr Index spare_wires = 256;   ///< numbered after the network's
  static constexpr Index leaving = none - 1;  ///< as an owner: its tail has gone, free from the next cycle on

  /// Positions of a worm's flits: place 0 of its route is the source, place k the buffer of the k-th channel.
  struct Place {
    Index wire = 0;     ///< that leads to it
    Index content = 0;  ///< 2 * flits, + 1 if one of them came when the worm was last visited
    [[nodiscard]] Index flits() const { return content / 2; }
  };
  /// A channel occupied by a worm.
  struct Hold {
    Index channel = 0;
    std::uint64_t since = 0;  ///< the cycle in which the head crossed
  };
  /// Data of a worm needed in each visit: half a cache line.
  struct Worm {
    Index first = 0;            ///< the first place with flits of it, present or arriving
    Index passed = 0;           ///< channels that the head has entered
    Index gone = 0;             ///< flits that have crossed the ejection channel
    Index flits = 0;            ///< of the message
    Index waits_for = none;     ///< station
    Index behind = none;        ///< the next worm in the queue there
    std::uint16_t visited = 0;  ///< the turn of the last visit; 0: none since it woke
    std::uint8_t granted = 0;   ///< 1: channel passed + 1 of its route is its own
    std::uint8_t ejecting = 0;  ///< 1: the last granted channel is an ejection channel
    bool awake = false;
  };
  /// Data of a worm needed less often.
  struct Trip {
    WormMessage message;
    std::uint64_t started = 0, released = 0;
    std::uint64_t head_lands = 0;  ///< with delays: first cycle in which its head may send a request
    Index next_in_buffer = none;   ///< the worm with its head behind this one in the same buffer
    Index injection = none;        ///< station
    Index next = none;             ///< station after the last granted channel
  };
  struct Waiting {
    WormMessage message;
    Index behind = none;
  };
  /// The queue at a station: worms, or messages (at an injection).
  struct Line {
    Index first = none, last = none, first_message = none, last_message = none;
  };
  /// A channel to be released: an ejection channel whose tail crossed in the last cycle, or a channel whose
  /// last credit is being returned.
  struct Ended {
    Index channel = 0, flits = 0;
    std::uint64_t since = 0;
  };
  /// Flits in transit to a place, with router delays.
  struct Transit {
    std::uint64_t arriving = 0;  ///< bit c: a flit lands in the next cycle with remainder c by `ring`
    Index coming = 0;            ///< these flits, which already count in the place
    Index channel = 0;           ///< that leads to it
  };
  /// A virtual channel with router delays: free places known upstream, and the worms with heads in its
  /// buffer.
  struct Lane {
    Index credits = 0;
    Index front = none;   ///< worm
    Index second = none;  ///< the first of those behind, which do not send requests yet
    Index last = none;    ///< the last of them
  };
  /// Events of a future cycle.
  struct ToCome {
    std::vector<Index> credits;   ///< channels
    std::vector<Index> requests;  ///< worms
    std::vector<Ended> free;
  };
  static constexpr Index ring = 64;  ///< above all delays

  /// How worms are moved.
  enum class Moves { whole_or_alone, on_shared_wires, with_times };

  template <Moves moves>
  void visit_all();
  [[nodiscard]] bool advance_with_times(Index id);
  void begin_with_times();
  /// Returns the place of a flit that has left the channel's buffer.
  void give_back(Index channel);
  void take_back(Index channel);
  /// A worm's head has entered the channel.
  void enqueue(Index id, Index channel);
  /// A worm's tail has left the channel's buffer.
  void next_in_buffer(Index channel);
  void release_later(const Ended& channel);
  void save_times(ByteWriter& writer) const;
  void load_times(ByteReader& reader);
  /// Cycle `now_ + cycles`, one of the future cycles.
  [[nodiscard]] ToCome& in_cycles(std::uint64_t cycles) { return to_come_in_[(now_ + cycles) % ring]; }
  [[nodiscard]] Transit* transits(Index id) {
    return transits_.data() + std::size_t{id} * (std::size_t{longest_path_} + 1);
  }
  [[nodiscard]] const Transit* transits(Index id) const {
    return transits_.data() + std::size_t{id} * (std::size_t{longest_path_} + 1);
  }
  template <bool shared, bool again>
  [[nodiscard]] bool advance(Index id);
  [[nodiscard]] bool advance_whole(Index id);
  template <bool shared, bool again>
  [[nodiscard]] bool move_flits(Place* head, const Place* tail);
  bool leave_behind(Index id);
  void leave_tail_channels(Index id);
  void finish(Index id);
  void release(Index channel, Index flits, std::uint64_t since);
  void request(Index id);
  void grant(Index id, Index channel);
  bool wake(Index id);
  void enter(Index id);
  void start(const WormMessage& message, Index station, Index channel);
  [[nodiscard]] Index free_channel(Index station);
  [[nodiscard]] Index new_worm();
  void assign_spare_wires(Index id);
  void shuffle(std::vector<Index>& list);
  void sort_by_channel();
  void require_no_deadlock() const;
  [[nodiscard]] std::vector<bool> free_slots() const;
  [[nodiscard]] std::vector<bool> stuck() const;
  [[nodiscard]] Index before_in_buffer(Index id) const;
  /// The head of a message that has entered `passed` channels, the last of them `channel`.
  [[nodiscard]] static network::WormHead head_of(const WormMessage& message, Index passed, Index channel) {
    return {.source = message.source,
            .destination = message.destination,
            .variant = message.variant,
            .passed = passed,
            .channel = channel};
  }
  [[nodiscard]] RandomSequence random_of(std::uint64_t cycle) const { return {key_, 2, cycle}; }
  /// CONTRACT  the worm has entered the network
  [[nodiscard]] Index head_channel(Index id) const { return hold(id, worms_[id].passed).channel; }
  /// The k-th channel of a worm's route, k = 1 .. longest route.
  [[nodiscard]] Hold& hold(Index id, Index k) { return holds_[std::size_t{id} * longest_path_ + k - 1]; }
  [[nodiscard]] const Hold& hold(Index id, Index k) const {
    return holds_[std::size_t{id} * longest_path_ + k - 1];
  }
  /// Its channels, including granted ones: first_held() .. last_held().
  [[nodiscard]] static Index first_held(const Worm& worm) { return worm.first > 0 ? worm.first : 1; }
  [[nodiscard]] static Index last_held(const Worm& worm) { return worm.passed + worm.granted; }
  [[nodiscard]] std::size_t places_per_worm() const { return std::size_t{block} + longest_path_; }
  [[nodiscard]] Place* places(Index id) { return places_.data() + id * places_per_worm() + block - 1; }
  [[nodiscard]] const Place* places(Index id) const {
    return places_.data() + id * places_per_worm() + block - 1;
  }

  const network::WormNetwork& network_;
  RandomKey key_;
  Index buffer_flits_, longest_path_;
  std::uint64_t now_ = 0;
  RandomSequence random_;     ///< for this cycle
  std::vector<Index> owner_;  ///< [channel]: worm, `none` or `leaving`
  std::vector<Line> lines_;   ///< [station]
  /// the number of cycles that were not skipped, counted 1 .. 65 535 and then again from 1
  std::uint16_t turn_ = 0;
  std::vector<Index> wire_used_;  ///< [wire]: the turn of the last use, 0: not recently
  std::vector<Worm> worms_;
  std::vector<Trip> trips_;    ///< [worm]
  std::vector<Place> places_;  ///< [worm][block - 1 always empty ones, then 0 .. longest route]
  std::vector<Hold> holds_;    ///< [worm][k - 1]
  std::vector<Waiting> messages_;
  std::vector<Index> free_worms_, free_messages_;
  std::vector<Index> awake_;             ///< worms that may move
  std::vector<Index> again_;             ///< worms to visit once more in this cycle
  std::vector<Index> requesting_;        ///< heads that arrived in the last cycle
  std::vector<std::uint64_t> heads_in_;  ///< [channel / 64]: bits to sort these heads with, else 0
  std::vector<Ended> ended_;
  std::vector<WormDelivery> delivered_;
  std::vector<ChannelOccupancy> occupancy_;
  std::uint64_t waiting_messages_ = 0;
  network::RouterTiming timing_;
  bool with_times_ = false;
  std::uint64_t last_move_ = 0;    ///< the last cycle in which a flit crossed a channel
  std::vector<Transit> transits_;  ///< [worm][place]
  std::vector<Lane> lanes_;        ///< [channel]
  std::array<ToCome, ring> to_come_in_;
  std::uint64_t to_come_ = 0;  ///< number of entries there
  std::uint64_t crossings_ = 0, sent_flits_ = 0, delivered_flits_ = 0;
};

}  // namespace tailbound::sim
