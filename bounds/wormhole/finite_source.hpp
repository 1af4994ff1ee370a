#pragma once

#include <tailbound/bounds/path/ending.hpp>
#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/mix/message_kinds.hpp>
#include <tailbound/network/walks/wire_sharing.hpp>
#include <tailbound/network/worms/router_timing.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

/// Latency of wormhole networks whose stations have finite sources and followers.
///
/// MODEL     Per channel: phi, the fraction of messages that follow, arriving at the moment at which the
///           previous message, their leader, frees it; mean occupancy times and their second moments for
///           followers and others; the growth of a message's time with its leader's. Stations:
///           queue/wormhole/finite_source_station.hpp. At the sources W = PK + lambda Cov(W, x) / (1 - rho).
/// RESULT    approximate, not proved. Errors: docs/derivations/wormhole_finite_source.md
/// SCALING   times in message lengths, load in flits per cycle and processor
/// SHORT     messages shorter than the mean path occupy as many channels as they have flits
/// SOURCE    docs/derivations/wormhole_finite_source.md; comments cite its equation numbers
/// BUFFERS   buffers of several flits absorb part of a message's waits, so it occupies fewer channels
/// WIRES     virtual channels of a station are its servers, any of which a message may take; they share a
///           physical channel flit by flit. Messages that share it lose time, and their tails lag behind
///           their heads unless they catch up while the head waits: finite_source_wires.cpp, (19) to (25)
/// TIMES     of routers, links and credits: a channel stays occupied until it is known to be free, flits move
///           one buffer per round trip, and the rest of a buffer absorbs waits (26)
/// KINDS     messages of several lengths and classes: lengths occupy different numbers of channels and lose
///           different times where physical channels are shared; docs/derivations/mixed_messages.md
/// EXCLUDES  channels reallocated at the tail; unidirectional rings, whose links are shared by (14)
/// TESTS     tests/bounds/wormhole/finite_source_test.cpp, mixed_messages_test.cpp, shared_wires_test.cpp,
///           router_times_test.cpp
namespace tailbound::bounds::wormhole {

/// Messages of one kind: those of a class, or a part of them.
struct WormKind {
  double share = 1;                      ///< of all messages, above 0; all kinds sum to 1
  network::MessageLengths lengths = 32;  ///< in flits
};

/// The messages of a network.
struct Worms {
  /// As in the graph's trails. None: one kind of messages, longer than any path. All lengths of at least the
  /// mean path give the same model, except where physical channels are shared or routers take time.
  std::vector<WormKind> kinds{};
  double buffer_flits = 1;         ///< per channel, at least 1
  network::RouterTiming timing{};  ///< with Reallocate::empty

  /// M: of all messages, or infinite.
  [[nodiscard]] double mean_flits() const;
};
[[nodiscard]] std::vector<WormKind> kinds_of(const std::vector<network::MessageKind>& kinds);

/// Messages of one length.
struct LengthFigures {
  std::int64_t flits = 1;
  double share = 1;    ///< of all messages
  double latency = 0;  ///< mean [cycles]
};

/// Messages of one kind.
struct KindFigures {
  double share = 1;                    ///< of all messages
  double source_wait = 0;              ///< mean source queueing [cycles]
  double latency = 0;                  ///< mean [cycles]
  double mean_distance = 0;            ///< channels of a path, injection and ejection included
  std::vector<LengthFigures> lengths;  ///< of a list of lengths, ascending; empty if geometric
};

/// A channel at a given load; times in message lengths.
struct FiniteSourceChannel {
  double service = 1;      ///< x
  double second = 1;       ///< q, second moment of the occupancy time
  double wait = 0;         ///< mean over the messages that arrive at its station; W for a source
  double follow = 0;       ///< phi
  double utilization = 0;  ///< of its station's servers
  double sharing = 0;      ///< mean time lost to others on its physical channel
  double credits = 0;      ///< part of x: for credits, and until the channel is known to be free
  double flits = 0;        ///< that cross it per cycle, all virtual channels of its station on it together
};

struct FiniteSourcePoint {
  double load = 0;
  double source_wait = 0;                     ///< mean W
  double service = 1;                         ///< mean x at the sources
  double further = 0;                         ///< mean of the waits not included in x; 0 for long messages
  std::vector<KindFigures> kinds;             ///< as in Worms; none if that has none
  std::vector<FiniteSourceChannel> channels;  ///< as in the graph
  /// The largest of the numbers that must stay below 1: rho and d of a source, the utilization of a station.
  double fullness = 0;
  std::size_t fullest = 0;  ///< a channel of it
  bool settled = false;     ///< the rounds converged, possibly beyond saturation of the sources
  Ending ending;
};

/// Parameters of the iteration. The solution does not depend on them.
struct FiniteSourceRounds {
  double step = 0.9;         ///< weight of new values from the third round on, above 0, at most 1
  double start = 1;          ///< initial occupancy times, at least 1; above 1 waits and followers too
  double tolerance = 1e-11;  ///< largest change in the last round
  int maximum = 2000;
};

class FiniteSourceModel {
 public:
  /// METHOD  exact classes: channels with the same rates, the same successors and the same predecessors,
  ///         class by class, are merged
  /// COST    number of turns, times the rounds until no class is divided further
  /// CONTRACT  the graph is that of a bounds::wormhole::Model
  /// CONTRACT  with several kinds, the graph has trails of each
  /// \param shared  per channel of the graph, where virtual channels share physical ones: wire_sharing();
  ///                then the graph has one channel for all virtual channels of a station on a link
  explicit FiniteSourceModel(const network::ChannelGraph& graph, const Worms& worms = {},
                             const std::vector<network::SharedChannel>& shared = {});
  ~FiniteSourceModel();
  FiniteSourceModel(FiniteSourceModel&&) noexcept;
  FiniteSourceModel& operator=(FiniteSourceModel&&) noexcept;

  /// Number of classes of channels.
  [[nodiscard]] std::size_t classes() const;

  /// METHOD    rounds over all stations, those that a message meets last first, then phi from the sources on,
  ///           accelerated if they do not converge by themselves; an overloaded station is limited to just
  ///           below saturation, and the round does not count as the last. Rounds from the idle network may
  ///           overshoot a solution near saturation: then from the solution at a lower load, in steps
  /// \param load  flits/cycle/processor, at least 0
  /// \throws std::logic_error  a solution in which messages are faster than in an idle network: an error here
  [[nodiscard]] FiniteSourcePoint solve(double load, const FiniteSourceRounds& rounds = {}) const;

  /// Loads on both sides of the last one with a solution.
  struct Saturation {
    double below = 0, above = 0;  ///< flits/cycle/processor
    Ending beyond;                ///< how the iteration at the upper one ended
    double fullness = 0;          ///< at the lower one; near 1: a channel is saturated there
    std::size_t fullest = 0;      ///< that channel
    int solved = 0;               ///< number of loads solved
  };
  /// METHOD    a bracketed root of fullness - 1, by bisection where one side has no solution. Each load
  ///           starts from the nearest solution and has at most 400 rounds: divergence slows near saturation
  /// \param maximum       a load that is not carried for reasons outside the equations: physical channels
  ///                   [flits/cycle/processor]
  /// \param precision  relative, of the two sides
  [[nodiscard]] Saturation saturation(double maximum = std::numeric_limits<double>::max(),
                                      double precision = 1e-6) const;

 private:
  /// As solve(), from solutions at lower loads; `first` if there is no solution.
  [[nodiscard]] FiniteSourcePoint continued(double load, const FiniteSourceRounds& how,
                                            FiniteSourcePoint first) const;

  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace tailbound::bounds::wormhole
