#pragma once

#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/walks/wire_sharing.hpp>

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

/// What the rounds of finite_source.hpp need of a network: channels, stations and flows, and classes of equal ones.
///
/// MODEL     as finite_source.hpp
/// METHOD    colours: each channel, station, flow and trail by what it leads to and is fed by, until no colour is divided
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
  int count = 1;          ///< equal inputs of the station
  int lanes = 1;          ///< of each of their wires
  double met = 0;         ///< rate of others that a worm first meets on the station's wire
  double met_of_end = 0;  ///< of those of its own last channel, as far as they move beside it
  double came = 0;        ///< rate of others that came by its own wire
  double one_source = 0;  ///< share of pairs of its wire that are of one source
  network::Twins twins{};
  std::size_t member = 0;  ///< of its station's members, where they are kept
};

/// An input of a station by itself.
struct Member {
  double rate = 0;
  std::size_t origin = 0;  ///< the station that its channel is of
};

constexpr std::size_t any = std::numeric_limits<std::size_t>::max();

struct Move {
  std::size_t input = 0;
  std::size_t next = any;  ///< trail, or any of the station's channels
  double probability = 0;  ///< of this flow and its equals
};

/// Worms of a channel that came the same way, or all of them.
struct TrailClass {
  std::size_t channel = 0;
  double share = 1;
  double ends = 0;
  std::vector<Move> moves;
};

struct ChannelClass {
  std::size_t station = 0;
  double rate = 0;
  double weight = 0;                                   ///< of the sources
  std::vector<std::pair<std::size_t, double>> trails;  ///< and their shares
  bool last = false;                                   ///< of all ways over it
  double turnaround = 0;            ///< time for which it is held when all flits have left it
  double on_wire = 0;               ///< rate of its worms, all virtual channels together
  double beside_same = 0;           ///< rate of others of its station that may move beside one
  double beside_cross = 0;          ///< and of other stations
  std::vector<std::size_t> beside;  ///< channels of other stations on its wire
};

struct StationClass {
  int servers = 1;
  int wires = 1;          ///< that they are on
  double turnaround = 0;  ///< mean of its channels'
  double one_source = 0;  ///< probability that two of its worms have one first channel
  bool shares = false;    ///< do several virtual channels share a wire there, of its own or of others?
  double rate = 0;
  std::vector<std::pair<std::size_t, double>> channels;  ///< class and share of the station's worms
  std::vector<std::size_t> inputs;
  std::vector<Member>
      members;  ///< kept where several are of one origin, whose worms are on different channels
};

/// As the graph has them, and once more class by class.
struct Structure {
  std::vector<TrailClass> trails;
  std::vector<ChannelClass> channels;
  std::vector<StationClass> stations;
  std::vector<Input> inputs;
  std::size_t held = 0;  ///< channels that a worm holds at most; 0: as many as its way has
  double slack = 0;  ///< flits that find room in each of them beyond those that move, over those of a message
  double in_flight = 0;       ///< flits in each of them that move, likewise
  double crossing = 1;        ///< time in which a message crosses a channel where nobody is in the way
  bool turns_around = false;  ///< are channels held when all flits have left them?
  bool shares = false;        ///< wires
  double flits = std::numeric_limits<double>::infinity(), buffer = 1;
  double grain = 1;   ///< what two worms that meet on a wire lose, over what they would if flits were small
  double pushed = 0;  ///< that a worm's flits hold up what is left of one before it on their wire to one end
  double tie = 0;     ///< half a cycle
  double spread = 0;  ///< variance of what is lost by sharing, over its mean

  /// Share of a message for which a buffer has room.
  [[nodiscard]] double stored() const { return buffer < flits ? buffer / flits : 1; }
  /// Flits that wait for credits leave gaps, in which those of another worm fit: what two lose to each other, over what they
  /// would without gaps.
  [[nodiscard]] double dense() const { return crossing < 2 ? 2 - crossing : 0; }
  /// Do worms leave channels before they have waited for the last time?
  [[nodiscard]] bool let_go() const { return held > 0 || slack > 0; }
  /// Is a message's time on its way another than that for which it holds its first channel?
  [[nodiscard]] bool own_way() const { return let_go() || turns_around; }
};

/// \param shared  of each channel, or nothing where no wires are shared
[[nodiscard]] Structure structure_of(const network::ChannelGraph& graph,
                                     const std::vector<network::SharedChannel>& shared, const Worms& worms);

struct Collapsed {
  Structure classes;
  std::vector<std::size_t> channel_class, station_class;  ///< [as in the graph]
};

/// Those that cannot be told apart are one.
[[nodiscard]] Collapsed collapsed(const Structure& all);

/// Stations, those that a worm meets last first, as far as there are no cycles.
[[nodiscard]] std::vector<std::size_t> last_first(const Structure& all);

}  // namespace tailbound::bounds::wormhole::finite
