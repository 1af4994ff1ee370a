#pragma once

#include <tailbound/bounds/path/ending.hpp>
#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/walks/wire_sharing.hpp>
#include <tailbound/network/worms/router_timing.hpp>
#include <tailbound/queue/wormhole/finite_source_station.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

/// Latency of wormhole networks whose stations know how many worms can wait, and who follows whom.
///
/// MODEL     Of each channel: phi, the share of worms that follow, coming at the very moment at which the
///           worm before them, their leader, frees it; mean holding times and their second moments of those
///           that do and do not follow; how a worm's time grows with its leader's. Stations:
///           queue/wormhole/finite_source_station.hpp. At the sources W = PK + lambda Cov(W, x) / (1 - rho).
/// RESULT    approximate; nothing is proved of its digits. Errors: docs/derivations/wormhole_finite_source.md
/// SCALING   times in lengths of a message, load in flits a cycle from each processor
/// SHORT     messages shorter than the mean way hold as many channels as they have flits
/// SOURCE    docs/derivations/wormhole_finite_source.md, by its equations' numbers
/// BUFFERS   of several flits take up a part of a worm's waits, which then holds fewer channels
/// WIRES     virtual channels of a station are its servers, any of which a worm takes; they share a wire flit by flit. Where
///           worms meet there each loses time, and comes to lag behind its head, as far as that does not come up while
///           the head waits: finite_source_wires.cpp, (19) to (25)
/// TIMES     of routers, links and credits: a channel is held on until it is known to be free, flits come one buffer a
///           round trip, and buffers have room for waits beyond that (26)
/// EXCLUDES  messages of geometric length with deeper buffers, or short ones, which are taken as long; of those that share
///           wires, only the means of lengths; channels given on at the tail; rings one way round, whose wires are shared
///           by (14)
/// TESTS     tests/bounds/wormhole/finite_source_test.cpp, shared_wires_test.cpp, router_times_test.cpp
namespace tailbound::bounds::wormhole {

/// What goes through a network, and how.
struct Worms {
  /// Mean length of a message, from 1; of all that are not shorter than the mean way the model is the same, but where
  /// wires are shared or routers take time.
  double flits = std::numeric_limits<double>::infinity();
  double buffer_flits = 1;  ///< of each channel, from 1; of several, only where messages are of one length
  double length_variation = 0;     ///< squared coefficient of variation of the messages' lengths, from 0
  network::RouterTiming timing{};  ///< with Reallocate::empty
};

/// A channel at a load; times in lengths of a message.
struct FiniteSourceChannel {
  double service = 1;      ///< x
  double second = 1;       ///< q, second moment of the holding time
  double wait = 0;         ///< mean, over the worms that come to its station; of a source W
  double follow = 0;       ///< phi
  double utilization = 0;  ///< of its station's servers
  double sharing = 0;      ///< mean, lost to others on its wire
  double credits = 0;      ///< of x: for credits, and until the channel is known to be free
};

struct FiniteSourcePoint {
  double load = 0;
  double source_wait = 0;                     ///< mean W
  double service = 1;                         ///< mean x at the sources
  double further = 0;                         ///< mean of the waits that x does not hold; 0 of long messages
  std::vector<FiniteSourceChannel> channels;  ///< as in the graph
  /// The greatest of what must stay below 1: a source's rho and d, a station's share of time that it is busy.
  double fullness = 0;
  bool settled = false;  ///< the rounds ended by themselves, beyond saturation of the sources perhaps
  Ending ending;
};

/// How the rounds go. The solution does not depend on it.
struct FiniteSourceRounds {
  double step = 0.9;         ///< weight of new values from the third round on, above 0 and at most 1
  double start = 1;          ///< holding times at first, from 1; above it waits and followers too
  double tolerance = 1e-11;  ///< greatest change of a round at the end
  int most = 2000;
};

class FiniteSourceModel {
 public:
  /// METHOD  exact classes: channels with the same rates, that lead to the same and are fed by the same, class by
  ///         class, are one
  /// COST    turns, times the rounds until no class is divided further
  /// CONTRACT  the graph is that of a bounds::wormhole::Model
  /// \param shared  of each channel of the graph, where virtual channels share wires: wire_sharing(); then the graph has
  ///                one channel for all virtual channels of a station on a wire
  explicit FiniteSourceModel(const network::ChannelGraph& graph, const Worms& worms = {},
                             const std::vector<network::SharedChannel>& shared = {});
  ~FiniteSourceModel();
  FiniteSourceModel(FiniteSourceModel&&) noexcept;
  FiniteSourceModel& operator=(FiniteSourceModel&&) noexcept;

  /// Classes of channels that are solved.
  [[nodiscard]] std::size_t classes() const;

  /// METHOD    rounds over all stations, those that a worm meets last first, then phi from the sources on; a
  ///           station that a round overfills is held just below that, and the round does not count as the last
  /// \param load  flits/cycle/processor, from 0
  [[nodiscard]] FiniteSourcePoint solve(double load, const FiniteSourceRounds& rounds = {}) const;

  /// Loads on both sides of saturation, the lower solved.
  struct Saturation {
    double below = 0, above = 0;  ///< flits/cycle/processor
    Ending beyond;                ///< how the upper one ended
    int solved = 0;               ///< loads looked at
  };
  /// METHOD    a bracketed root of fullness - 1, by bisection where one side has no solution to compare
  ///           from the nearest solution on, in at most 400 rounds: where there is no solution they show it
  ///           ever more slowly the nearer they are to saturation
  /// \param most       load that is not carried, by what is not in the equations: wires [flits/cycle/processor]
  /// \param precision  relative, of the two sides
  [[nodiscard]] Saturation saturation(double most = std::numeric_limits<double>::max(),
                                      double precision = 1e-6) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace tailbound::bounds::wormhole
