#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The channels of a wormhole network and the flows between them: everything an analysis needs to know about
/// the topology, the routing and the traffic.
///
/// MODEL     A message requests one station after another and gets one channel of each. The first is an
///           injection channel. The last is an ejection channel, from which no turn leads on, or a link on
///           which some messages end. A channel may represent a class of identical ones. All rates are for
///           one message per cycle from each processor; they scale with the load.
/// SOURCE    Greenberg and Guan 1997a, section 2; docs/derivations/wormhole.md
/// EXCLUDES  queueing, which is for bounds/wormhole
/// TESTS     tests/network/channels/cube_test.cpp, tests/bounds/wormhole/fat_tree_test.cpp
namespace tailbound::network {

/// Other channels of the turn's class whose messages diverged from its messages at a station of several
/// servers. Messages of two twins in the network at the same time never occupy one channel.
struct Twins {
  int count = 0;            ///< that lead into the same station
  std::size_t station = 0;  ///< where their messages diverged
  double share = 0;         ///< fraction of the diverging pairs that meet again here
};

/// Where messages of one channel go next.
struct Turn {
  std::size_t station = 0;
  double probability =
      0;  ///< that a message of the channel requests this station, or one of those it represents
  /// m f / lambda: the fraction of the messages arriving at (one) such station that come from this channel,
  /// times its number of servers. A message never waits for another one of its own channel.
  double own_share = 0;
  int inputs = 1;  ///< channels of the class that lead to one such station
  Twins twins{};
};

struct Channel {
  std::string name;
  std::size_t station = 0;
  std::size_t wire = 0;  ///< the same for virtual channels of one physical channel
  double rate = 0;       ///< messages per cycle, above 0
  std::vector<Turn> turns;
  /// Where messages end on links: the probability that a message of the channel ends there. Together with the
  /// probabilities of the turns it sums to 1. All messages of a channel without turns end there, and this
  /// value is ignored.
  double ends = 0;
};

/// Identical channels of which a waiting message takes any free one.
struct Station {
  std::vector<std::size_t> channels;
  int servers = 1;  ///< of one station; more than channels.size() where a channel represents several
  double rate = 0;  ///< of all servers of one station together
};

struct Source {
  std::size_t channel = 0;  ///< its injection channel
  double weight = 0;        ///< fraction of all messages sent by this source, or by the class it represents
};

struct TrailStep {
  double probability = 0;
  std::size_t next = 0;  ///< the trail that follows
};

/// The messages of a channel that arrived by the same last channels (network/walks/worm_trails.hpp).
struct Trail {
  std::size_t channel = 0;
  double share = 0;  ///< of the channel's messages
  double ends = 0;   ///< fraction of this trail's messages that end there
  std::vector<TrailStep> steps;
  std::size_t kind = 0;    ///< of its messages, where there are several
  std::size_t family = 0;  ///< the same for all kinds that arrived by the same channels
};

/// A physical channel shared by messages on any of its virtual channels. Rates are as everywhere in this
/// file.
struct SharedWire {
  double rate = 0;  ///< of the messages that cross it
  /// mean rate of other messages that may move there at the same time, over these messages
  double others = 0;
  double met = 0;  ///< rate of those others that the message has met on no earlier physical channel
};

struct ChannelGraph {
  std::string name;
  std::vector<Channel> channels;
  std::vector<Station> stations;
  std::vector<Source> sources;  ///< weights sum to 1
  /// E: the rate of other messages that a message meets on the other virtual channels of the physical
  /// channels on its path and that delay it; the mean over all messages. 0 where no physical channel is
  /// shared.
  double worms_met = 0;
  std::vector<SharedWire> shared_wires;  ///< of which messages take any of many channels (worm_meetings.hpp)
  double mean_distance = 0;   ///< D: mean number of channels of a path, injection and ejection included
  std::vector<Trail> trails;  ///< none: the next channel of a message does not depend on its previous ones,
                              ///< and there is one kind of messages
  bool remembers = false;     ///< whether trails differ by previous channels, not only by kind
};

/// The rate of other messages that a message meets on the other virtual channels of the physical channels on
/// its path, each counted once; the mean over all messages. Equals E, unless messages that meet also follow
/// one another elsewhere.
///
/// METHOD    For every channel of a path: the rates of its partners on the physical channel, less those that
///           also shared the previous physical channel. If these were on another virtual channel, they are
///           counted already; if they were on the same one, the two messages pass one after the other and do
///           not meet. Each partner is counted once if two paths share physical channels in one stretch, as
///           dimension-order paths in a torus do. Where any of several channels may be taken, two messages
///           are never on the same channel at a time, and they do not meet if both came from one single
///           channel or both continue on one. The next channel of a message is taken as independent of its
///           previous ones.
/// CONTRACT  no classes of several channels that share physical channels
/// COST      for each pair of channels on a physical channel, the turns of one times the channels of a
///           station and physical channel; in addition up to 1000 rounds over the turns between stations
[[nodiscard]] double partner_rate(const ChannelGraph& graph);

}  // namespace tailbound::network
