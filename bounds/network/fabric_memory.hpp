#pragma once

#include <tailbound/bounds/sizing/buffer_size.hpp>
#include <tailbound/network/fabric/fabric_rates.hpp>
#include <tailbound/queue/finite/shared_queues.hpp>

#include <cstdint>
#include <functional>
#include <span>

/// Memory of a fabric's switch, shared by its output queues.
///
/// MODEL     queue/finite/shared_queues.hpp in packet times of the links, which have one speed; arrivals of
///           each queue from FabricRates: independent source arrivals
/// SOURCE    docs/derivations/shared_memory.md, "From the queues' laws alone"
/// TESTS     tests/bounds/network/fabric_memory_test.cpp
namespace tailbound::bounds {

/// Queues of one switch with the same traffic.
struct SwitchQueues {
  std::uint32_t queue = 0;  ///< position in FabricRates::queues()
  std::int64_t count = 0;
  auto operator<=>(const SwitchQueues&) const = default;
};

/// Smallest memory that is proved to meet the target. A loss target refers to all packets through the switch.
/// \pre  no queue is overloaded
/// \throws InvalidArgument, LimitExceeded  as queue::min_memory()
/// \throws NoAnswer  links of different speeds
[[nodiscard]] queue::ProvedMemory fabric_memory(const network::FabricGraph& graph,
                                                const network::FabricRates& rates,
                                                std::span<const SwitchQueues> queues,
                                                const DropTarget& target,
                                                const std::function<void()>& pulse = {});

}  // namespace tailbound::bounds
