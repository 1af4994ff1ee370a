#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The channels of a wormhole network and the flows between them: all that an analysis needs to know of a
/// topology, a routing and a traffic.
///
/// MODEL     A worm asks for one station after another and gets one channel of each; the first is an
///           injection channel, the last an ejection channel, from which no turn leads on, or a link on which
///           some of its worms end. A channel may stand for a class of equal ones. All rates are those for one message a cycle from each processor; they scale
///           with the load.
/// SOURCE    Greenberg and Guan 1997a, section 2; docs/derivations/wormhole.md
/// EXCLUDES  queueing, which is for bounds/wormhole
/// TESTS     tests/network/channels/cube_test.cpp, tests/bounds/wormhole/fat_tree_test.cpp
namespace tailbound::network {

/// Channels of the turn's class, beside the turn's own, whose worms came apart from its worms at a station of
/// several servers: those of the two that are held at a time are never on one channel.
struct Twins {
  int count = 0;            ///< into the same station
  std::size_t station = 0;  ///< where they came apart
  double share = 0;         ///< of the pairs there that meet again here
};

/// Where worms of one channel go next.
struct Turn {
  std::size_t station = 0;
  double probability =
      0;  ///< that a worm of the channel asks for this station, or one of those it stands for
  /// m f / lambda: of the worms that come to (one) such station, those from this very channel, times its
  /// servers. A worm never waits for one of its own channel.
  double own_share = 0;
  int inputs = 1;  ///< channels of the class that lead to one such station
  Twins twins{};
};

struct Channel {
  std::string name;
  std::size_t station = 0;
  std::size_t wire = 0;  ///< virtual channels of one physical channel have the same
  double rate = 0;       ///< messages a cycle, above 0
  std::vector<Turn> turns;
  /// Where worms end on links: the probability that one of the channel does. With it the probabilities of the
  /// turns sum to 1; all worms of a channel without turns end there, whatever this says.
  double ends = 0;
};

/// Equal channels that worms wait for together.
struct Station {
  std::vector<std::size_t> channels;
  int servers = 1;  ///< of one station; more than channels.size() where a channel stands for several
  double rate = 0;  ///< of all servers of one station together
};

struct Source {
  std::size_t channel = 0;  ///< its injection channel
  double weight = 0;        ///< the share of all messages that it, or the class it stands for, sends
};

struct TrailStep {
  double probability = 0;
  std::size_t next = 0;  ///< trail
};

/// The worms of a channel that came by the same last channels (network/walks/worm_trails.hpp).
struct Trail {
  std::size_t channel = 0;
  double share = 0;  ///< of the channel's worms
  double ends = 0;   ///< of its own that end there
  std::vector<TrailStep> steps;
};

/// A wire that worms share, whichever of its channels they have; rates as everywhere here.
struct SharedWire {
  double rate = 0;    ///< of the worms that cross it
  double others = 0;  ///< of others that may move there while one does, the mean over these worms
  double met = 0;     ///< of those of them that it has met on no wire before
};

struct ChannelGraph {
  std::string name;
  std::vector<Channel> channels;
  std::vector<Station> stations;
  std::vector<Source> sources;  ///< weights sum to 1
  /// E: the rate of other worms that a worm meets on the other virtual channels of the wires on its way and
  /// that hold it up; the mean over all messages. 0 where no wire is shared.
  double worms_met = 0;
  std::vector<SharedWire> shared_wires;  ///< of which worms take any of many channels (worm_meetings.hpp)
  double mean_distance = 0;              ///< D: channels of a path, injection and ejection included
  std::vector<Trail> trails;             ///< none: where a worm goes does not depend on where it came from
};

/// The rate of other worms that a worm meets on the other virtual channels of the wires on its way, each
/// counted once; the mean over all messages. E, unless worms that meet also follow one another elsewhere.
///
/// METHOD    On every channel of a path, the rates of its partners on the wire, less those that were on the
///           wire before as well: on another channel of it they have been counted; on the same one they pass
///           one after the other and do not meet. That counts each once if two paths share wires in one
///           stretch, as dimension-order paths in a torus do. Where any of several channels will do, two
///           worms at a time are never on the same, and they do not meet if both came by one single channel,
///           or both go on by one; where a worm goes is taken as independent of where it came from.
/// CONTRACT  no classes of several channels that share wires
/// COST      for each pair of channels on a wire, the turns of one times the channels of a station and wire;
///           besides, up to 1000 rounds over the turns between stations
[[nodiscard]] double partner_rate(const ChannelGraph& graph);

}  // namespace tailbound::network
