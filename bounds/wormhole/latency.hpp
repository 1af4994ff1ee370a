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
/// MODEL     A worm of M flits waits at each station on its way until a channel is free and meanwhile holds
/// the
///           channels behind it. Mean time on a channel, from the head's entry until the tail leaves:
///             x_i = M                                                    ejection, or the last link
///             x_i = sum_j R_(i|j) [x_j + (1 - m_j f_ij / lambda_j) W_j]  otherwise                     (11)
///           with W_j the wait of queue/wormhole/worm_station.hpp. Latency of a message from source s: W_s + x_s + D
///           - 1. Where virtual channels share a wire, M is replaced at ejection by T = M / (1 - q / 2), q =
///           1 - exp(-2 E T): the worm and one that it shares a wire with advance at half speed each. A wire
///           carries at most one flit a cycle.
/// RESULT    an approximation: stations are taken one by one, arrivals as Poisson. Within some 2 % of
/// simulation
///           up to 70 % of saturation, pessimistic beyond. Nothing is proved of the digits.
/// SCALING   All times are in lengths of a message and the load is in flits a cycle from each processor: then
/// no
///           equation holds M, so nor does this header but for Point::latency().
/// SOURCE    Greenberg and Guan 1997a, eqs. (6), (8), (11), (24)-(26); the wire's sharing is of our own:
///           docs/derivations/wormhole.md
/// VARIANTS  Equations::finite_source: finite_source.hpp, nearer to simulation from half of saturation on
/// EXCLUDES  messages shorter than their way (finite sources know them), buffers of several flits
/// TESTS     tests/bounds/wormhole/latency_test.cpp
namespace tailbound::bounds::wormhole {

/// A channel at a load; times in lengths of a message.
struct ChannelFigures {
  double service = 0;      ///< x / M: mean time for which a worm holds it
  double wait = 0;         ///< W / M at its station
  double utilization = 0;  ///< of its station's servers; 1 and more: saturated
  double variation = 0;    ///< squared coefficient of variation of the times for which worms hold it
  double follow = 0;       ///< share of worms that come as the one before them leaves; 0 where not modelled
  double sharing = 0;      ///< mean time / M lost to others on its wire; 0 where not modelled
  double credits = 0;      ///< of x / M: for credits, and until the channel is known to be free
};

/// What is solved for.
enum class Equations {
  published,      ///< those above
  finite_source,  ///< those of bounds/wormhole/finite_source.hpp
};

/// Loads on both sides of saturation [flits/cycle/processor].
struct SaturationSides {
  double below = 0;  ///< solved
  double above = 0;  ///< not solved
  Ending beyond;     ///< how the upper one ended
};

/// A network at a load. Means over sources and times are there only where the ending is direct or converged.
struct Point {
  double load = 0;         ///< flits/cycle/processor
  double source_wait = 0;  ///< mean W_s / M
  double service = 0;      ///< mean x_s / M
  double further = 0;      ///< mean waits / M beyond x_s, of messages shorter than their way
  double mean_distance = 0;
  double extra_cycles = 0;  ///< of a head on its mean way, by routers and links that take time [cycles]
  std::vector<ChannelFigures> channels;  ///< as in the graph
  Ending ending;

  [[nodiscard]] bool solved() const { return ending.stop == Stop::direct || ending.stop == Stop::converged; }
  /// Mean latency of messages of `flits` flits [cycles].
  [[nodiscard]] double latency(double flits) const {
    return flits * (source_wait + service + further) + mean_distance - 1 + extra_cycles;
  }
};

/// When a network is saturated; inner channels that are busy all the time count in either case.
enum class Saturated {
  first_source,  ///< a source's load reaches 1 / x_s
  mean_source,   ///< the mean of load x_s over the sources reaches 1
};

/// The equations of one network, sorted once.
class Model {
 public:
  /// COST  linear in channels and turns
  /// \throws InvalidArgument  the graph is not one: positions, probabilities (their sum is 1 or there are
  /// none),
  ///                          shares, rates, servers or weights out of range
  /// \param worms  by the published equations, which take messages as long: of one length, buffers of one flit and the
  ///               usual timing; by the others buffers of one flit with lengths that vary
  /// \param shared  of each channel, where virtual channels share wires: as FiniteSourceModel takes it; not looked at by
  ///                the published equations
  explicit Model(network::ChannelGraph graph, Equations equations = Equations::published,
                 const Worms& worms = {}, const std::vector<network::SharedChannel>& shared = {});

  [[nodiscard]] const network::ChannelGraph& graph() const { return graph_; }
  [[nodiscard]] Equations equations() const {
    return finite_ ? Equations::finite_source : Equations::published;
  }
  [[nodiscard]] const Worms& worms() const { return worms_; }
  /// Is it known channel by channel what worms lose on the wires that virtual channels share?
  [[nodiscard]] bool shares_wires() const { return shares_wires_; }
  /// Is there a cycle of channels that wait for each other?
  [[nodiscard]] bool cyclic() const { return !cycle_.empty(); }
  /// Channels each of which leads to the station of the next, the last to that of the first; empty if no
  /// channels do. Worms that hold one each may wait for each other for ever (if a station has several
  /// channels, it takes one for each): the routing can deadlock. A short cycle, not always the shortest.
  [[nodiscard]] const std::vector<std::size_t>& cycle() const { return cycle_; }

  /// METHOD    Stations in an order in which those a worm meets later come first. Without cycles one pass is
  ///           the solution. With cycles, passes from x = M on: as no right side falls when a time grows,
  ///           times only rise, and never past the least solution; so each step may be taken whole, and a
  ///           channel that is busy all the time on the way proves that there is no solution.
  /// COST      linear in the turns, for each round; at most 100 000 rounds, fewer in large graphs
  /// \param load  flits/cycle/processor, >= 0
  /// \throws InvalidArgument  load out of range
  [[nodiscard]] Point solve(double load) const;

  /// The load from which on the network is saturated, to 1e-15 [flits/cycle/processor]
  ///
  /// METHOD  bisection. A cyclic graph whose iteration ends without a reason counts as saturated: the loads
  /// where
  ///         it does lie within some 1e-8 of saturation.
  /// \throws InvalidArgument  the mean source of equations other than the published ones
  [[nodiscard]] double saturation(Saturated rule = Saturated::first_source) const;
  /// Both sides: to 1e-15 by the published equations, to 1e-6 by those of finite sources.
  [[nodiscard]] SaturationSides saturation_sides(Saturated rule = Saturated::first_source) const;

  /// The channel with the highest utilisation of those behind the sources: the bottleneck. Empty if there is
  /// none.
  [[nodiscard]] std::optional<std::size_t> busiest(const Point& point) const;
  /// Likewise the `count` busiest, the busiest first; fewer if there are not so many.
  [[nodiscard]] std::vector<std::size_t> busiest(const Point& point, std::size_t count) const;

 private:
  /// One pass over all stations; the greatest relative change, or nothing where an inner station is
  /// saturated.
  [[nodiscard]] std::optional<double> pass(double load, double ejection,
                                           std::vector<ChannelFigures>& channels) const;
  /// As solve(), but sources may be saturated as long as inner channels are not.
  [[nodiscard]] Point inner(double load) const;
  [[nodiscard]] double extra_cycles() const;
  void sort();

  network::ChannelGraph graph_;
  std::vector<std::size_t> order_;  ///< stations, the last of a worm's way first
  std::vector<bool> is_source_;     ///< [channel]
  double greatest_wire_rate_ = 0;   ///< of all channels of a wire together
  std::vector<std::size_t> cycle_;  ///< channels
  std::shared_ptr<const FiniteSourceModel> finite_;
  Worms worms_;
  bool shares_wires_ = false;
};

/// T / M: how much longer than its length a worm takes to pass, sharing wires with partners. Within [1, 2].
///
/// METHOD  the least solution of t = 1 / (1 - q / 2), q = 1 - exp(-2 e t), by iteration upwards from 1
/// \param partners  e = E M, the rate of worms met [1 / length of a message], >= 0
[[nodiscard]] double shared_length(double partners);

}  // namespace tailbound::bounds::wormhole
