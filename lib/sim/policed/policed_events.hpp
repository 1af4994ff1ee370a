#pragma once

#include <tailbound/network/policed/policed_network.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

/// The worst case seen in a network of policed flows, packet by packet: a cross-check of the bounds.
///
/// MODEL     Runs (sim/policed/policed_episode.hpp), each from empty queues and full buckets until the last
///           packet has left. Flows send
///             greedy    all from time 0 everything their buckets admit, each flow once after all others;
///             periodic  longest packets at the rate of their buckets, from random start times;
///             random    runs of packets of any lengths and pauses of any length;
///             together  a full burst each, at slightly different times, in any order;
///             search    to delay one flow's packets to one destination: random starts and small changes of
///                       times, orders, bursts and lengths of all flows, kept if they are no worse; flow
///                       after flow.
///           Periodic flows send every packet in its turn, from any phase of theirs or of their clock. Phases
///           of gates are drawn, and searched.
/// RESULT    maximum delay of each flow to each destination, from last bit in to last bit out; maximum
///           backlog of each queue: data whose last bit is in and which is not sent; bits leave as they are
///           sent
/// CONTRACT  exact fractions, all attained by packets that conform to their buckets, so never above a proved
///           bound. A function of network, sources, packets, seed and flow.
/// EXCLUDES  gates together with best effort or preemption; clocks that gates keep
/// TESTS     tests/sim/policed_events_test.cpp
namespace tailbound::sim {

enum class EventSources { search, greedy, periodic, random, together };
[[nodiscard]] constexpr auto names_of(EventSources) {
  return std::array{"search", "greedy", "periodic", "random", "together"};
}

struct PolicedEventsPlan {
  EventSources sources = EventSources::search;
  std::uint64_t packets = 1'000'000;  ///< number to send over all runs; a started run is finished
  std::uint64_t seed = 1;
  std::optional<std::size_t> flow{};  ///< greedy, search: delay packets of this flow, not those of each
  /// Ports with cut-through: do some of them store a packet that cannot be sent on at once?
  bool stores_waiting = false;
};

struct FlowSeen {
  numeric::Rational delay;                  ///< maximum, end to end [time]; 0: no packet
  std::vector<numeric::Rational> delays{};  ///< to each destination
  std::uint64_t packets = 0;                ///< that were delivered
};

struct QueueSeen {
  std::size_t port = 0;
  std::optional<std::size_t> traffic_class{};  ///< none: the queue of all classes
  numeric::Rational backlog;                   ///< maximum [data]
  numeric::Rational delay;                     ///< maximum, including latency and transmission [time]
};

struct PolicedEventsSeen {
  std::vector<FlowSeen> flows;
  /// on the paths of flows, by port, then class: as in bounds::NetworkGuarantee
  std::vector<QueueSeen> queues;
  std::uint64_t packets = 0, runs = 0;
  bool stopped = false;  ///< on request, between two runs
};

/// \throws InvalidArgument  a network that is not well-formed; no packets
/// \throws LimitExceeded    numbers without a common unit of time that fits in 62 bits
[[nodiscard]] PolicedEventsSeen simulate_events(const network::PolicedNetwork& network,
                                                const PolicedEventsPlan& plan,
                                                const std::stop_token& stop = {});

}  // namespace tailbound::sim
