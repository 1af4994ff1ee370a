#pragma once

#include <tailbound/bounds/network/network_delay.hpp>

#include <benchmark/benchmark.h>
#include <vector>

/// The inputs of both sides of this benchmark.
namespace tailbound::bench {

/// Queues and one route through them.
struct Hops {
  std::vector<queue::HopQueue> queues;
  bounds::Route route;
};

/// The five hops of a 16-ary 3-tree.
[[nodiscard]] Hops five_hops(const char* load);

/// P(D > t) of these passes 1e-18 at load 0.9, t from here on.
inline constexpr std::int64_t last_slot = 265;

/// 16 x 16 switches in a torus, four links each (1024 queues), a host at each switch, and 10 000 flows of 2
/// to 6 queues with random ends; the same on every machine. The busiest queue carries 0.9.
[[nodiscard]] network::Network torus();

}  // namespace tailbound::bench
