#pragma once

#include <tailbound/network/policed/policed_network.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

/// The worst that is seen of a network of policed flows, packet by packet: a witness of what is never exceeded.
///
/// MODEL     Runs (sim/policed/policed_episode.hpp), each from empty queues and full buckets until the last packet is out.
///           Flows send
///             greedy    all from time 0 whatever their buckets let through, each flow once behind all others;
///             periodic  longest packets at the rate of their buckets, from random times on;
///             random    runs of packets of any lengths and pauses of any;
///             together  a full burst each, at times that differ little, in any order;
///             search    what makes one flow's packets late: random beginnings and small changes that are kept where they
///                       are no worse, of times, orders, bursts and lengths of all flows; flow after flow.
/// RESULT    greatest delay of each flow, from last bit in to last bit out; greatest backlog of each queue, data whose last
///           bit is in and which is not sent, bits leave as they are sent
/// CONTRACT  exact fractions, all attained by packets that pass their buckets: never above a proved bound. A function of
///           network, sources, packets, seed and flow.
/// EXCLUDES  preemption, gates; packets cut through
/// TESTS     tests/sim/policed_events_test.cpp
namespace tailbound::sim {

enum class EventSources { search, greedy, periodic, random, together };
[[nodiscard]] constexpr auto names_of(EventSources) {
  return std::array{"search", "greedy", "periodic", "random", "together"};
}

struct PolicedEventsPlan {
  EventSources sources = EventSources::search;
  std::uint64_t packets = 1'000'000;  ///< to be sent in all runs together; a run is finished
  std::uint64_t seed = 1;
  std::optional<std::size_t> flow{};  ///< greedy, search: make this one's packets late, not those of each
};

struct FlowSeen {
  numeric::Rational delay;    ///< greatest, from end to end [time]; 0: no packet
  std::uint64_t packets = 0;  ///< that came through
};

struct QueueSeen {
  std::size_t port = 0;
  std::optional<std::size_t> traffic_class{};  ///< none: the queue of all classes
  numeric::Rational backlog;                   ///< greatest [data]
  numeric::Rational delay;                     ///< greatest, latency and own sending counted [time]
};

struct PolicedEventsSeen {
  std::vector<FlowSeen> flows;
  std::vector<QueueSeen> queues;  ///< that flows pass, by port, then class: as of bounds::NetworkGuarantee
  std::uint64_t packets = 0, runs = 0;
  bool stopped = false;  ///< on request, between two runs
};

/// \throws InvalidArgument  a network that is not well formed; no packets
/// \throws LimitExceeded    numbers that have no common unit of time with which 62 bits are enough
[[nodiscard]] PolicedEventsSeen simulate_events(const network::PolicedNetwork& network,
                                                const PolicedEventsPlan& plan,
                                                const std::stop_token& stop = {});

}  // namespace tailbound::sim
