#pragma once

#include <tailbound/bounds/path/ending.hpp>
#include <tailbound/bounds/wormhole/finite_source.hpp>
#include <tailbound/network/channels/channel_graph.hpp>
#include <tailbound/network/walks/wire_sharing.hpp>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Latency and saturation of wormhole networks, over any graph of channels.
///
/// MODEL     A message of M flits waits at each station along its path until a channel is free and meanwhile
///           occupies the channels behind it. Mean time on a channel, from the head's entry until the tail
///           leaves:
///             x_i = M                                                    ejection, or the last link
///             x_i = sum_j R_(i|j) [x_j + (1 - m_j f_ij / lambda_j) W_j]  otherwise                     (11)
///           with W_j the wait of queue/wormhole/worm_station.hpp. Latency of a message from source s:
///           W_s + x_s + D - 1. Where virtual channels share a physical channel, M is replaced at ejection by
///           T = M / (1 - q / 2), q = 1 - exp(-2 E T): the message and one that it shares a physical channel
///           with advance at half speed each. A physical channel carries at most one flit per cycle.
/// RESULT    an approximation: stations are analysed individually, with Poisson arrivals. Within some 2 % of
///           simulation up to 70 % of saturation, overestimates beyond. Not proved.
/// SCALING   All times are in message lengths, and the load is in flits per cycle and processor. Then no
///           equation contains M, nor does this header except in Point::latency().
/// SOURCE    Greenberg and Guan 1997a, eqs. (6), (8), (11), (24)-(26); the sharing of physical channels is
///           this project's own: docs/derivations/wormhole.md
/// VARIANTS  Equations::finite_source: finite_source.hpp, closer to simulation from half of saturation on
/// EXCLUDES  messages shorter than their path (supported by finite sources), buffers of several flits
/// TESTS     tests/bounds/wormhole/latency_test.cpp
namespace tailbound::bounds::wormhole {

/// A channel at a given load; times in message lengths.
struct ChannelFigures {
  double service = 0;      ///< x / M: mean time for which a message occupies it
  double wait = 0;         ///< W / M at its station
  double utilization = 0;  ///< of its station's servers; 1 or more: saturated
  double variation = 0;    ///< squared coefficient of variation of its occupancy times
  double follow = 0;       ///< fraction of messages that arrive as the previous one leaves; 0 where not
                           ///< modelled
  double sharing = 0;      ///< mean time / M lost to others on its physical channel; 0 where not modelled
  double credits = 0;      ///< part of x / M: for credits, and until the channel is known to be free
  double flits = 0;        ///< utilization of its physical channel, all virtual channels: flits per cycle
};

/// The equations to solve.
enum class Equations {
  published,      ///< those above
  finite_source,  ///< those of bounds/wormhole/finite_source.hpp
};

/// The largest load with a solution, and one just above [flits/cycle/processor].
struct SaturationSides {
  double below = 0;     ///< solved
  double above = 0;     ///< not solved
  Ending beyond;        ///< how the iteration at the upper one ended
  double fullness = 1;  ///< at the lower one: the largest utilization, of physical channels too
  double wire = 1;      ///< and that of physical channels, which is exact
  /// The fullest channel there, and the kind with most of its messages.
  std::size_t channel = 0, kind = 0;

  /// Is something full there? Only then is it the saturation load: otherwise the equations have no solution
  /// above it, but nothing shows that the network does not carry more.
  [[nodiscard]] bool saturated() const { return fullness >= least_fullness; }
  static constexpr double least_fullness = 0.97;
};

/// A network at a given load. Means over sources and times are valid only if the ending is direct or
/// converged.
struct Point {
  double load = 0;         ///< flits/cycle/processor
  double source_wait = 0;  ///< mean W_s / M
  double service = 0;      ///< mean x_s / M
  double further = 0;      ///< mean waits / M beyond x_s, of messages shorter than their path
  /// Each kind of messages, as in Worms; none of messages longer than any path.
  std::vector<KindFigures> kinds{};
  double mean_distance = 0;
  double extra_cycles = 0;  ///< of a head on a mean path, by routers and links that take time [cycles]
  std::vector<ChannelFigures> channels;  ///< as in the graph
  Ending ending;

  [[nodiscard]] bool solved() const { return ending.stop == Stop::direct || ending.stop == Stop::converged; }
  /// Mean latency of all messages [cycles], of which `flits` flits are the mean length.
  [[nodiscard]] double latency(double flits) const {
    return flits * (source_wait + service + further) + mean_distance - 1 + extra_cycles;
  }
};

/// When a network counts as saturated; a saturated inner channel counts in either case.
enum class Saturated {
  first_source,  ///< the load of some source reaches 1 / x_s
  mean_source,   ///< the mean of load x_s over the sources reaches 1
};

/// The equations of one network.
class Model {
 public:
  /// COST  linear in channels and turns
  /// \throws InvalidArgument  invalid graph: positions, probabilities (their sum is 1 or there are none),
  ///                          shares, rates, servers or weights out of range
  /// \param worms  published equations, which assume long messages: one length, buffers of one flit and
  ///               default timing. Several kinds: the graph has trails of each
  /// \param shared  per channel, where virtual channels share physical ones: as for FiniteSourceModel;
  ///                ignored by the published equations
  explicit Model(network::ChannelGraph graph, Equations equations = Equations::published,
                 const Worms& worms = {}, const std::vector<network::SharedChannel>& shared = {});

  [[nodiscard]] const network::ChannelGraph& graph() const { return graph_; }
  [[nodiscard]] Equations equations() const {
    return finite_ ? Equations::finite_source : Equations::published;
  }
  [[nodiscard]] const Worms& worms() const { return worms_; }
  /// Mean length of a channel's messages, relative to that of all.
  [[nodiscard]] double size(std::size_t channel) const { return sizes_[channel]; }
  /// The kind with most messages on a channel.
  [[nodiscard]] std::size_t kind_on(std::size_t channel) const;
  /// Whether the time lost on shared physical channels is modelled channel by channel.
  [[nodiscard]] bool shares_wires() const { return shares_wires_; }
  /// Whether there is a cycle of channels that wait for each other.
  [[nodiscard]] bool cyclic() const { return !cycle_.empty(); }
  /// Channels each of which leads to the station of the next, the last to that of the first; empty if there
  /// are none. Messages that occupy one each may wait for each other forever (if a station has several
  /// channels, this takes one for each): the routing can deadlock. A short cycle, not always the shortest.
  [[nodiscard]] const std::vector<std::size_t>& cycle() const { return cycle_; }

  /// METHOD    Stations in an order in which those that a message meets later come first. Without cycles one
  ///           pass gives the solution. With cycles, repeated passes start at x = M. The right sides are
  ///           increasing in all times, so times only rise, and never above the smallest solution. Hence a
  ///           channel that becomes saturated proves that there is no solution.
  /// COST      linear in the turns, per round; at most 100 000 rounds, fewer in large graphs
  /// \param load  flits/cycle/processor, >= 0
  /// \throws InvalidArgument  load out of range
  [[nodiscard]] Point solve(double load) const;

  /// The largest load with a solution, to 1e-15 [flits/cycle/processor]
  ///
  /// METHOD  bisection. A cyclic graph whose iteration does not converge counts as saturated: such loads
  ///         lie within some 1e-8 of saturation.
  /// \throws InvalidArgument  the mean source of equations other than the published ones
  [[nodiscard]] double saturation(Saturated rule = Saturated::first_source) const;
  /// Both sides: to 1e-15 by the published equations, to 1e-6 by those of finite sources.
  [[nodiscard]] SaturationSides saturation_sides(Saturated rule = Saturated::first_source) const;

  /// The channel with the highest utilization, sources excluded. Empty if there is none.
  [[nodiscard]] std::optional<std::size_t> busiest(const Point& point) const;
  /// The injection channel with the highest utilization.
  [[nodiscard]] std::size_t busiest_source(const Point& point) const;
  /// The `count` channels with the highest utilization, the highest first; fewer if there are fewer. Sources
  /// excluded.
  [[nodiscard]] std::vector<std::size_t> busiest(const Point& point, std::size_t count) const;

 private:
  /// One pass over all stations; returns the largest relative change, or nothing where an inner station is
  /// saturated.
  [[nodiscard]] std::optional<double> pass(double load, double ejection,
                                           std::vector<ChannelFigures>& channels) const;
  /// As solve(), but sources may be saturated if inner channels are not.
  [[nodiscard]] Point inner(double load) const;
  [[nodiscard]] double extra_cycles() const;
  void find_sizes();
  void sort();

  network::ChannelGraph graph_;
  std::vector<std::size_t> order_;  ///< stations, the last of a message's path first
  std::vector<bool> is_source_;     ///< [channel]
  std::vector<double> sizes_;       ///< [channel]
  std::vector<std::size_t> kinds_;  ///< [channel]
  double max_wire_rate_ = 0;        ///< flits over all channels of a link together
  std::size_t fullest_wire_ = 0;    ///< a channel of that link
  std::vector<std::size_t> cycle_;  ///< channels of a cycle
  std::shared_ptr<const FiniteSourceModel> finite_;
  Worms worms_;
  bool shares_wires_ = false;
};

/// T / M: time that a message takes to pass, relative to its length, when sharing physical channels. Within
/// [1, 2].
///
/// METHOD  the smallest solution of t = 1 / (1 - q / 2), q = 1 - exp(-2 e t), by iteration upwards from 1
/// \param partners  e = E M, the rate of messages met [1 / message length], >= 0
[[nodiscard]] double shared_length(double partners);

}  // namespace tailbound::bounds::wormhole
