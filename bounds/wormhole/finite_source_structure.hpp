#pragma once

#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/bounds/wormhole/length_classes.hpp>
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
/// Internal to the bounds module.
namespace tailbound::bounds::wormhole::finite {

[[nodiscard]] inline double square(double x) {
  return x * x;
}

/// A flow from one channel to one station.
struct Input {
  std::size_t channel = 0;  ///< class
  std::size_t station = 0;
  double rate = 0;   ///< f
  double share = 0;  ///< R = f / lambda_i
  int count = 1;     ///< number of identical inputs of the station
  int lanes = 1;     ///< virtual channels on each of their links
  /// Rates of others on the station's physical channel, weighted by their lengths: those that a message first
  /// meets there, those of its own last channel among them, and those that came over its own link; on virtual
  /// channels of the station, and on others.
  double met_same = 0, met_cross = 0, end_same = 0, end_cross = 0, came_same = 0, came_cross = 0;
  std::vector<double> lengths;  ///< [length class]: shares of its messages
  std::vector<double> of_end;   ///< [length class]: part of the loss to one of its own last channel (37)
  double one_source = 0;        ///< fraction of pairs on its link that are from one source
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
  std::size_t kind = 0;
  std::size_t family = 0;  ///< all kinds that came over that route
};

struct ChannelClass {
  std::size_t station = 0;
  double rate = 0;
  double weight = 0;                                   ///< weight of the sources
  std::vector<std::pair<std::size_t, double>> trails;  ///< and their shares
  bool last = false;                                   ///< the last of all routes over it
  double turnaround = 0;        ///< time for which it stays occupied after all flits have left it
  std::vector<double> lengths;  ///< [length class]: shares of its messages
  double size = 1;              ///< mean length of its messages, relative to that of all
  double on_wire = 0;           ///< rate of flits, all virtual channels together, relative to M
  /// [length class]: G to messages of its station, and to others on its link; and the means over its flits.
  std::vector<double> loss_same, loss_cross;
  double mean_loss_same = 1, mean_loss_cross = 1;
  double neighbours_same = 0;           ///< rate of others of its station that may move along with one
  double neighbours_cross = 0;          ///< and of other stations
  std::vector<std::size_t> neighbours;  ///< channels of other stations on its link
  std::vector<std::size_t> families;    ///< of its trails
};

struct StationClass {
  int servers = 1;
  int wires = 1;          ///< number of their links
  double turnaround = 0;  ///< mean of its channels'
  double one_source = 0;  ///< probability that two of its messages have the same first channel
  bool shares = false;    ///< whether several virtual channels share a physical one there, its own or others'
  double rate = 0;
  double size = 1;    ///< mean length of its messages, relative to that of all
  double pushed = 0;  ///< P of (24), mean over its messages
  double stored = 0;  ///< mean fraction of a message that fits into a buffer
  std::vector<std::pair<std::size_t, double>> channels;  ///< class and fraction of the station's messages
  std::vector<std::size_t> inputs;
  std::vector<Member>
      members;  ///< kept where several have one origin and their messages use different channels
};

/// Per element of the graph, and per class.
struct Structure {
  std::vector<TrailClass> trails;
  std::vector<std::vector<std::size_t>> families;  ///< trails of all kinds that came over one route
  std::vector<ChannelClass> channels;
  std::vector<StationClass> stations;
  std::vector<Input> inputs;
  Lengths lengths;
  std::vector<double> distances;  ///< [kind]: mean number of channels of a path
  bool remembers = false;         ///< whether trails differ by previous channels, not only by kind
  bool turns_around = false;      ///< whether channels stay occupied after all flits have left them
  bool shares = false;            ///< whether virtual channels share physical ones
  double buffer = 1;              ///< [flits]

  [[nodiscard]] std::size_t length_count() const { return lengths.classes.size(); }
  /// Flits that wait for credits leave gaps for the flits of another message: time that two lose to each
  /// other, relative to the time without gaps.
  [[nodiscard]] double dense() const { return lengths.crossing < 2 ? 2 - lengths.crossing : 0; }
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
