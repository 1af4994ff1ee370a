#pragma once

#include <tailbound/network/policed/policed_network.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <optional>
#include <vector>

/// Delays of periodic packets through gates that follow the senders' clock.
///
/// MODEL     At each port of their path: all flows of the queue are periodic by one clock and come from their
///           source or from such a port. The class is alone in its windows, in gates that follow the clock;
///           or it is always open and no higher class is there; or the port is FIFO. Clocks are off by at
///           most network::PolicedPort::clock_error; that of sources is part of their jitter.
/// RESULT    from when a packet may arrive at each port of its path, the latest time at which it is sent:
///           delays of routes whose ports are all of this kind, delays and backlogs of their queues
/// CONTRACT  proved upper bounds, exact fractions; none where the model does not hold, where more may arrive
///           in a hyperperiod than its windows surely carry, or where the work would be more than
///           max_schedule_steps
/// SOURCE    docs/derivations/time_sensitive.md, section 8
/// TESTS     tests/bounds/gates/scheduled_delay_test.cpp
namespace tailbound::bounds {

using numeric::Rational;

/// Pairs of packets of a hyperperiod at one port, all ports together.
inline constexpr std::size_t max_schedule_steps = 4'000'000;

struct ScheduledQueue {
  std::size_t port = 0, traffic_class = 0;
  Rational delay;    ///< maximum [time]
  Rational backlog;  ///< maximum [data]
};

struct Schedule {
  std::vector<ScheduledQueue> queues;
  std::vector<std::vector<std::optional<Rational>>> delays;  ///< of each flow's routes, maximum [time]
};

[[nodiscard]] Schedule schedule_of(const network::PolicedNetwork& network);

}  // namespace tailbound::bounds
