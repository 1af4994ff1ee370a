#pragma once

#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/walks/wire_sharing.hpp>

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

/// The network as the rounds of finite_source.hpp need it: channels, stations and flows, and their classes.
///
/// MODEL     as finite_source.hpp
/// METHOD    colour refinement: each channel, station, flow and trail by its successors and predecessors,
///           until no colour is divided
/// TESTS     tests/bounds/wormhole/finite_source_test.cpp
namespace tailbound::bounds::wormhole::finite {

[[nodiscard]] inline double square(double x) {
  return x * x;
}

/// A flow from one channel to one station.
struct Input {
  std::size_t channel = 0;  ///< class
  std::size_t station = 0;
  double rate = 0;        ///< f
  double share = 0;       ///< R = f / lambda_i
  int count = 1;          ///< number of identical inputs of the station
  int lanes = 1;          ///< virtual channels on each of their links
  double met = 0;         ///< rate of others that a message first meets on the station's physical channel
  double met_of_end = 0;  ///< the same for those of its own last channel that move along with it
  double came = 0;        ///< rate of others that came over its own link
  double one_source = 0;  ///< fraction of pairs on its link that are from one source
  network::Twins twins{};
  std::size_t member = 0;  ///< index into its station's members, where these are kept
};

/// A single input of a station.
struct Member {
  double rate = 0;
  std::size_t origin = 0;  ///< the station of its channel
};

constexpr std::size_t any = std::numeric_limits<std::size_t>::max();

struct Move {
  std::size_t input = 0;
  std::size_t next = any;  ///< trail, or any of the station's channels
  double probability = 0;  ///< of this flow and identical ones
};

/// Messages of a channel that came over the same route, or all of them.
struct TrailClass {
  std::size_t channel = 0;
  double share = 1;
  double ends = 0;
  std::vector<Move> moves;
};

struct ChannelClass {
  std::size_t station = 0;
  double rate = 0;
  double weight = 0;                                   ///< weight of the sources
  std::vector<std::pair<std::size_t, double>> trails;  ///< and their shares
  bool last = false;                                   ///< the last of all routes over it
  double turnaround = 0;                ///< time for which it stays occupied after all flits have left it
  double on_wire = 0;                   ///< rate of its messages, all virtual channels together
  double neighbours_same = 0;           ///< rate of others of its station that may move along with one
  double neighbours_cross = 0;          ///< and of other stations
  std::vector<std::size_t> neighbours;  ///< channels of other stations on its link
};

struct StationClass {
  int servers = 1;
  int wires = 1;          ///< number of their links
  double turnaround = 0;  ///< mean of its channels'
  double one_source = 0;  ///< probability that two of its messages have the same first channel
  bool shares = false;    ///< whether several virtual channels share a physical one there, its own or others'
  double rate = 0;
  std::vector<std::pair<std::size_t, double>> channels;  ///< class and fraction of the station's messages
  std::vector<std::size_t> inputs;
  std::vector<Member>
      members;  ///< kept where several have one origin and their messages use different channels
};

/// Per element of the graph, and per class.
struct Structure {
  std::vector<TrailClass> trails;
  std::vector<ChannelClass> channels;
  std::vector<StationClass> stations;
  std::vector<Input> inputs;
  std::size_t held = 0;  ///< maximum number of channels that a message occupies; 0: all of its path
  double slack = 0;      ///< flits that fit into each of them beyond those that move, relative to the message
                         ///< length
  double in_flight = 0;  ///< moving flits in each of them, relative to the message length
  double crossing = 1;   ///< time in which a message crosses an idle channel
  bool turns_around = false;  ///< whether channels stay occupied after all flits have left them
  bool shares = false;        ///< whether virtual channels share physical ones
  double flits = std::numeric_limits<double>::infinity(), buffer = 1;
  double grain = 1;   ///< time that two messages lose to each other, relative to infinitesimal flits
  double pushed = 0;  ///< that a message's flits delay the rest of the previous one on their link to one end
  double tie = 0;     ///< half a cycle
  double spread = 0;  ///< variance of the time lost by sharing, divided by its mean

  /// Fraction of a message that fits into a buffer.
  [[nodiscard]] double stored() const { return buffer < flits ? buffer / flits : 1; }
  /// Flits that wait for credits leave gaps for the flits of another message: time that two lose to each
  /// other, relative to the time without gaps.
  [[nodiscard]] double dense() const { return crossing < 2 ? 2 - crossing : 0; }
  /// Whether messages leave channels before their last wait.
  [[nodiscard]] bool releases_early() const { return held > 0 || slack > 0; }
  /// Whether a message's travel time differs from the time for which it occupies its first channel.
  [[nodiscard]] bool own_path() const { return releases_early() || turns_around; }
};

/// \param shared  per channel, or nothing where no physical channels are shared
[[nodiscard]] Structure structure_of(const network::ChannelGraph& graph,
                                     const std::vector<network::SharedChannel>& shared, const Worms& worms);

struct Collapsed {
  Structure classes;
  std::vector<std::size_t> channel_class, station_class;  ///< [as in the graph]
};

/// Indistinguishable ones are merged.
[[nodiscard]] Collapsed collapsed(const Structure& all);

/// Stations, those that a message meets last first, as far as there are no cycles.
[[nodiscard]] std::vector<std::size_t> last_first(const Structure& all);

}  // namespace tailbound::bounds::wormhole::finite
